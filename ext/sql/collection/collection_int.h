/*
** collection_int.h -- the virtual table kv_collection: what its files share.
*/
#ifndef KV_COLLECTION_INT_H
#define KV_COLLECTION_INT_H

#include "bytes/list.h"
#include "bytes/map.h"
#include "codec/index_spec.h"
#include "codec/value.h"
#include "sql/collection/collection_def.h"
#include "sql/vtab.h"
#include "store/row.h"

/* How a query is run. */
enum {
  KVCOLL_RANGE,           /* Over a range of keys, maybe of one */
  KVCOLL_KEY,             /* kv_key = ? */
  KVCOLL_INDEX,           /* Over a declared index */
  KVCOLL_SEARCH           /* By the full-text index */
};

/* Where rows come that an index lacks. */
enum {
  KVCOLL_NULL_NOT,        /* They aren't asked for */
  KVCOLL_NULL_FIRST,
  KVCOLL_NULL_LAST
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
** A plan.  RANGE and INDEX read keys whose columns are aiColumn: those of the index, if any,
** then the KEY columns, which a unique index lacks.  Their arguments are all conditions on
** the first column, then on the next, and so on; that of SEARCH is MATCH.  After them come
** those that the cursor checks and doesn't look for.
*/
#define KVCOLL_ARGS 16
#define KVCOLL_PATH 8     /* Columns that are looked at */
typedef struct KvCollectionPlan KvCollectionPlan;
struct KvCollectionPlan {
  u8 eHow;                /* KVCOLL_xxx */
  u8 bDesc;
  u8 bOrdered;            /* SQLite relies on the order */
  u8 bValue, bMeta;       /* What of the entries is needed */
  u8 bPast;               /* They are those of the past: the last argument says when */
  u8 bKeys;               /* INDEX: its keys have all that is needed, if they tell it */
  u8 eNull;               /* INDEX: where rows come that show NULL, which it hasn't */
  u8 bOnce;               /* INDEX: one row of each value is enough */
  u8 bPoint;              /* RANGE: it is one key, and only declared columns are used */
  u8 nPath, nOwn;         /* Columns in aiColumn, and those of them that are the index's */
  u8 nQuery;              /* How many of the first are looked for */
  u8 iOrder, nOrder;      /* The rows come in the order of these */
  u8 nArg;
  u8 nAll;                /* nArg, and the arguments that are only checked, after them */
  u8 mSearch;             /* SEARCH: KVSEARCH_xxx */
  u16 aiColumn[KVCOLL_PATH];
  u32 mNot;               /* INDEX: it relies on there being none of these: KVKIND_xxx */
  u32 iIndex;             /* INDEX, SEARCH: a hash of the declaration */
  const char *zIndex;     /* ... and the name */
  KvCollectionArg aArg[KVCOLL_ARGS];
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

#define KV_COLLECTION_COMMA '\x1f'

typedef struct KvCollectionMeasure KvCollectionMeasure;
typedef struct KvCollection KvCollection;
struct KvCollection {
  KvVtab t;               /* Must be first */
  KvCollectionDef def;
  char *zName;            /* The table's, for messages */
  char *zSchema;          /* That of the store */
  char *zHome;            /* That of the table */
  KvCollection *pNext;    /* In KvConn.pCollections */
  sqlite3_value **apDefault;  /* By column: the literal of DEFAULT, or 0 */
  char *zArgs;            /* The arguments, each but the last with KV_COLLECTION_COMMA; 0: one has
                          ** that character itself */
  char *zBroken;          /* The declaration is wrong: the message */
  KvCollectionLast last;
  KvCollectionMeasure *pMeasured;   /* What is known of its indexes */
  KvMap rowids;           /* The keys of rowids: collection_rowid.h */
  KvList rowidKeys;
  KvCollectionSpace space;
  u8 eFlat;               /* 1: all columns are members of one object, 2: not so, 0: not known */
};

#endif /* KV_COLLECTION_INT_H */
