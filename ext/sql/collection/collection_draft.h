/*
** collection_draft.h -- a query plan of a collection under construction.
*/
#ifndef KV_COLLECTION_DRAFT_H
#define KV_COLLECTION_DRAFT_H

#include "sql/collection/collection_int.h"

typedef struct KvCollectionDraft KvCollectionDraft;
struct KvCollectionDraft {
  KvCollectionPlan plan;
  int aiCons[KVCOLL_ARGS];  /* The constraint of each argument */
  double rRows, rCost;
  int bUnique;            /* One row at most */
  u8 aExact[KVCOLL_ARGS]; /* SQLite needn't check the argument */
  const char *zMissing;   /* A column whose declared index doesn't exist, or 0 */
};

/* The column of a constraint or of a term of ORDER BY, where the rowid is a KEY. */
static inline int kvCollectionColumnOf(const KvCollectionDef *p, int iColumn){
  return iColumn<0 && kvCollectionIdIsRowid(p) ? (int)p->iKey : iColumn;
}

/* The literal that a column is compared with; 0 if it is something else. */
sqlite3_value *kvCollectionLiteral(sqlite3_index_info *pInfo, int i);
/* The type of that literal, or 0. */
int kvCollectionLiteralType(sqlite3_index_info *pInfo, int i);
/* Take a constraint as an argument, IS as =. */
void kvCollectionTake(KvCollectionDraft *p, sqlite3_index_info *pInfo, int i, u32 iCol);
/* The same, as argument iArg. */
void kvCollectionTakeAs(
  KvCollectionDraft *p, u32 iArg, sqlite3_index_info *pInfo, int i, u32 iCol
);

/* If an argument is an IN, all its values are to be handed over at once.  SQLite then checks
** rows by the IN itself; one by one it would check them by =, under another affinity. */
void kvCollectionAtOnce(KvCollectionDraft *p, sqlite3_index_info *pInfo, u32 iArg);

#endif /* KV_COLLECTION_DRAFT_H */
