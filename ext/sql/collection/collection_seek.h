/*
** collection_seek.h -- from a plan of a collection and its arguments to ranges of stored keys.
**
** They include every row that meets the conditions, as SQLite compares (collection_index.h),
** and maybe others: SQLite checks each row again.
*/
#ifndef KV_COLLECTION_SEEK_H
#define KV_COLLECTION_SEEK_H

#include "sql/collection/collection_int.h"
#include "sql/range/ranges.h"

/* What is looked for in the first nQuery columns of a plan by an index, of which there are the
** values mKind (KVKIND_xxx).  pRanges: work space. */
void kvCollectionSeekIndex(
  KvIndexQuery *aQuery, const KvCollection *pTab, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg, u32 mKind, int bLower, KvRanges *pRanges
);
/* The ranges of a plan whose eHow is KVCOLL_RANGE or KVCOLL_KEY, in the order of the keys.
** aQuery: work space. */
void kvCollectionSeekKeys(
  KvRanges *p, KvIndexQuery *aQuery, const KvCollection *pTab, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg
);

#endif /* KV_COLLECTION_SEEK_H */
