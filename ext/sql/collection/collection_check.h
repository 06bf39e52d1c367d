/*
** collection_check.h -- conditions on DATETIME and BOOLEAN columns of a collection, which
** the cursor decides itself.
**
** SQLite compares what is shown: the text of a Date under the collation kv_datetime, the
** number of a boolean.  Beside that a number given for a DATETIME is ms since 1970, and
** 'true' or 'false' given for a BOOLEAN its value: where SQLite hands the condition over
** and the operand is a literal, a bound parameter or in the list of an IN.  Everything else
** is compared as SQLite compares it.
*/
#ifndef KV_COLLECTION_CHECK_H
#define KV_COLLECTION_CHECK_H

#include "sql/collection/collection_draft.h"
#include "sql/collection/collection_value.h"
#include "sql/range/index_query.h"

/* An SQL value after the conversion that SQLite makes beside a column of numbers. */
typedef struct KvCollectionOperand KvCollectionOperand;
struct KvCollectionOperand {
  u8 eClass;              /* SQLITE_NULL, FLOAT (any number), TEXT or BLOB */
  u8 bTime;               /* It means the time rMs: a date text, or a number given as ms */
  double rMs;
  KvIndexNumber number;
  KvBuf bytes;            /* Of TEXT and BLOB */
};

/* A condition that is checked on each row; of an IN there is one for each value. */
typedef struct KvCollectionCheck KvCollectionCheck;
struct KvCollectionCheck {
  u16 iCol;
  u8 op;                  /* SQLITE_INDEX_CONSTRAINT_xxx */
  u8 bMore;               /* The next one is another value of the same IN */
  KvCollectionOperand operand;
};
typedef struct KvCollectionChecks KvCollectionChecks;
struct KvCollectionChecks {
  KvCollectionCheck *a;
  u32 n, nAlloc;
  KvCollectionOperand row;         /* What a column of the row shows */
};

/* Add to a plan the conditions that are to be checked, or mark them there.  False: there are
** too many arguments. */
int kvCollectionPlanChecks(
  KvCollectionDraft *p, const KvCollection *pTab, sqlite3_index_info *pInfo
);
/* Does the check of an argument decide the condition alone?  (NULL meets no <>, and SQLite
** checks that once more.) */
static inline int kvCollectionCheckDecides(const KvCollectionArg *p){
  return p->eCheck && p->eCheck!=SQLITE_INDEX_CONSTRAINT_NE
      && p->eCheck!=SQLITE_INDEX_CONSTRAINT_ISNOT;
}
/* May it be understood here and not by SQLite? */
static inline int kvCollectionCheckAlone(const KvCollection *pTab, const KvCollectionArg *p){
  int bDatetime = p->eCheck && pTab->def.aColumn[p->iCol].eType==KV_COLTYPE_DATETIME;
  return p->eCheck && !(p->bKnown && p->bLiteral==bDatetime);
}
/* Read an operand, all zero or read before.  A literal or bound parameter that the column
** would refuse to store is an error in the words of INSERT. */
void kvCollectionOperand(
  KvCollectionOperand *p, const KvCollection *pTab, const KvCollectionArg *pArg,
  sqlite3_value *pVal, KvError *pErr
);
/* What a column that is no KEY column shows of a row; its text isn't read as a number. */
void kvCollectionOperandShown(
  KvCollectionOperand *p, const KvCollectionColumn *pCol, KvCollectionRow *pRow
);
/* The conditions of a plan, with their operands in apArg. */
void kvCollectionChecksStart(
  KvCollectionChecks *p, const KvCollection *pTab, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg, KvError *pErr
);
/* The values of a row that were read from the key of an index entry: n of them, of the columns
** aiCol. */
typedef struct KvCollectionOwn KvCollectionOwn;
struct KvCollectionOwn {
  u32 n;
  const u16 *aiCol;
  KvPart aPart[KV_INDEX_PATHS];
};
static inline const KvPart *kvCollectionOwnPart(const KvCollectionOwn *p, u32 iCol){
  u32 k;
  for(k=0; k<p->n; k++) if( p->aiCol[k]==iCol ) return &p->aPart[k];
  return 0;
}
/* Does a row meet them?  aPart: its KEY columns. */
int kvCollectionChecksMet(
  KvCollectionChecks *p, const KvCollectionDef *pDef, const KvPart *aPart,
  const KvCollectionOwn *pOwn, KvCollectionRow *pRow
);
void kvCollectionChecksClear(KvCollectionChecks *p);

#endif /* KV_COLLECTION_CHECK_H */
