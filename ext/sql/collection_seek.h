/*
** collection_seek.h -- from the conditions on columns of a collection to ranges of
** stored keys, and of an index.
**
** A range holds every row for which the conditions hold, as SQLite compares with
** the affinity of the column, and maybe others: SQLite checks each row again.
*/
#ifndef KV_COLLECTION_SEEK_H
#define KV_COLLECTION_SEEK_H

#include "sql/index_query.h"
#include "sql/collection_int.h"

/* lo inclusive, hi exclusive. */
typedef struct KvKeyRange KvKeyRange;
struct KvKeyRange {
  KvBuf lo, hi;
};

/* In the order of the keys.  All zero at first. */
#define KVCOLL_RANGES 3
typedef struct KvCollectionSeek KvCollectionSeek;
struct KvCollectionSeek {
  u32 nRange;
  KvKeyRange aRange[KVCOLL_RANGES];
};

/* The ranges of a plan whose eHow is KVCOLL_RANGE or KVCOLL_KEY. */
void kvCollectionSeekKeys(
  KvCollectionSeek *p, const KvCollectionDef *pDef, const KvCollectionPlan *pPlan, sqlite3_value **apArg,
  KvError *pErr
);
/* The same for KVCOLL_INDEX: what to look for in an index of the column, which holds
** strings in lower case or not. */
void kvCollectionSeekIndex(
  KvIndexQuery *p, const KvCollectionColumn *pCol, const KvCollectionPlan *pPlan, sqlite3_value **apArg,
  int bLower, KvError *pErr
);
void kvCollectionSeekReset(KvCollectionSeek *p);
void kvCollectionSeekClear(KvCollectionSeek *p);

#endif /* KV_COLLECTION_SEEK_H */
