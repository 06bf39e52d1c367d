/*
** collection_int.h -- the virtual table kv_collection: what its files share.
*/
#ifndef KV_COLLECTION_INT_H
#define KV_COLLECTION_INT_H

#include "bytes/list.h"
#include "bytes/map.h"
#include "codec/index_spec.h"
#include "codec/value.h"
#include "sql/collection_def.h"
#include "sql/vtab.h"
#include "store/row.h"

/* How a query is run. */
enum {
  KVCOLL_RANGE,           /* Over a range of keys, maybe of one */
  KVCOLL_KEY,             /* kv_key = ? */
  KVCOLL_INDEX,           /* Over a declared index */
  KVCOLL_SEARCH           /* By the full-text index */
};

/* A constraint whose value is passed to xFilter. */
typedef struct KvCollectionArg KvCollectionArg;
struct KvCollectionArg {
  u16 iCol;
  u8 op;                  /* SQLITE_INDEX_CONSTRAINT_xxx */
  u8 eCheck;              /* Which condition the cursor checks, or 0: collection_check.h */
  u8 bKnown;              /* The value is a literal */
  u8 bLiteral;            /* ... text */
  u8 bIs;                 /* It may be NULL, which is then looked for */
  u8 bIn;                 /* It is all values of an IN at once */
};

/*
** A plan.  The arguments of RANGE are equalities for the first KEY columns, in
** order, then bounds for the next one; those of INDEX are all conditions on its
** first column, then on the next, and so on; that of SEARCH is MATCH.  After them come
** those that the cursor checks and doesn't look for.
*/
#define KVCOLL_ARGS 16
typedef struct KvCollectionPlan KvCollectionPlan;
struct KvCollectionPlan {
  u8 eHow;                /* KVCOLL_xxx */
  u8 bDesc;
  u8 bOrdered;            /* SQLite relies on the order */
  u8 bValue, bMeta;       /* What of the entries is needed */
  u8 bPast;               /* They are those of the past: the last argument says when */
  u8 nEqual;              /* How many of the first columns are equal to an argument */
  u8 nArg;
  u8 nAll;                /* nArg, and the arguments that are only checked, after them */
  u8 nQuery;              /* INDEX: how many of its columns are searched for */
  u16 aiColumn[KV_INDEX_PATHS];    /* INDEX: its columns */
  int rc;                 /* The search for indexes failed: xFilter reports it */
  KvCollectionArg aArg[KVCOLL_ARGS];
  u8 mSearch;             /* SEARCH: KVSEARCH_xxx */
  const char *zIndex;     /* INDEX, SEARCH: its name, kept by the table */
  i64 iIndex;             /* ... and a hash of its declaration */
};

/* State kept from one written row to the next. */
typedef struct KvCollectionSpace KvCollectionSpace;
struct KvCollectionSpace {
  KvTree tree, part;
  KvFound found;          /* A value and its encoding ... */
  KvBuf key;              /* ... which is that of this entry, if nTotal holds */
  i64 nTotal;             /* sqlite3_total_changes64() when it was read, -1: not so */
};

/* The plan before. */
typedef struct KvCollectionLast KvCollectionLast;
struct KvCollectionLast {
  const void *pStmt;      /* The connection's newest statement */
  u64 mUsed;              /* The columns that the statement uses */
  i64 iSign;              /* A hash of the conditions */
  u8 bAlone;              /* May the cursor understand one so far that SQLite doesn't? */
  u8 nLevel;              /* How many others have followed it */
};

typedef struct KvCollectionMeasure KvCollectionMeasure;
typedef struct KvCollection KvCollection;
struct KvCollection {
  KvVtab t;               /* Must be first */
  KvCollectionDef def;
  char *zName;            /* The table's, for messages */
  char *zSchema;          /* That of the store */
  char *zHome;            /* That of the table */
  sqlite3_value **apDefault;  /* By column: the literal of DEFAULT, or 0 */
  char *zBroken;          /* The declaration is wrong: the message */
  KvCollectionPlan *aPlan;
  u32 nPlan;
  KvCollectionLast last;
  KvCollectionMeasure *pMeasured;   /* What is known of its indexes */
  KvMap rowids;           /* The keys of rowids: collection_rowid.h */
  KvList rowidKeys;
  KvCollectionSpace space;
};

#endif /* KV_COLLECTION_INT_H */
