/*
** collection_seek.h -- from the conditions on the KEY columns of a collection to ranges
** of stored keys.
**
** They include every row that meets the conditions, as SQLite compares (see
** collection_index.h), and maybe others: SQLite checks each row again.
*/
#ifndef KV_COLLECTION_SEEK_H
#define KV_COLLECTION_SEEK_H

#include "sql/collection_int.h"

/* lo inclusive, hi exclusive. */
typedef struct KvKeyRange KvKeyRange;
struct KvKeyRange {
  KvBuf lo, hi;
};

/* In the order of the keys; none overlaps another one.  All zero at first. */
typedef struct KvCollectionSeek KvCollectionSeek;
struct KvCollectionSeek {
  u32 nRange, nAlloc;
  KvKeyRange *aRange;
  KvKeyRange noMemory;    /* Stands for a range that there was no memory for */
  u8 bNoMemory;           /* ... and it does */
};

/* The ranges of a plan whose eHow is KVCOLL_RANGE or KVCOLL_KEY. */
void kvCollectionSeekKeys(
  KvCollectionSeek *p, const KvCollectionDef *pDef, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg,
  KvError *pErr
);
void kvCollectionSeekReset(KvCollectionSeek *p);
void kvCollectionSeekClear(KvCollectionSeek *p);

#endif /* KV_COLLECTION_SEEK_H */
