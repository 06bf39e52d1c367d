/*
** ranges.h -- from queries for key parts to ranges of stored keys, in the order of SQL.
**
** Keys have their parts in the order of key parts, not of SQL values.  So a query becomes a
** list of ranges, in SQL order, and those of the numeric types are merged:
**
**   step   ranges                                SQL value
**   0      -NaN; NaN                             NULL
**   1      bigints of 64 bits; numbers; booleans INTEGER, REAL
**   2      strings                               TEXT
**   3      the other bigints                     TEXT (their digits)
**   4      Uint8Arrays                           BLOB
**
** (Bigints beyond 64 bits come after all strings.)  Of several values, as of an IN, each has
** a step of its own, in the order of the keys.
**
** For several parts there is a query each.  The first ones, as long as they are equalities,
** determine the parts that all keys begin with: 1 may be a number, a bigint and true.  The
** next query gives the ranges for each such beginning.
*/
#ifndef KV_RANGES_H
#define KV_RANGES_H

#include "sql/range/index_query.h"

/* A range of keys: lo inclusive, hi exclusive. */
typedef struct KvSpan KvSpan;
struct KvSpan {
  int iStep;
  u32 nBase;              /* What precedes the part of the last query in each of its keys */
  u32 iLo, nLo, iHi, nHi; /* The bounds are in KvRanges.bytes */
};

/* All zero at first. */
typedef struct KvRanges KvRanges;
struct KvRanges {
  KvSpan *a;
  u32 n, nAlloc;
  KvBuf bytes;
  KvError *pError;
  const KvIndexQuery *pQuery;      /* The one of which the ranges are; 0: whole keys */
  KvList bases;           /* What keys begin with: the name, and parts that are equal */
  KvList parts, next;     /* Work space */
  u32 nBase;
  KvBytes base;           /* The one for which ranges are made */
};

/* With KvIndexQuery.bFind: add what the keys of a range begin with, up to and with the part
** that is asked for. */
typedef void KvRangesFind(void *pArg, KvBytes lo, KvBytes hi, u32 nBase, KvList *pOut);

/*
** Make the ranges for nQuery queries behind a name, sorted by their steps (bDesc: from the
** last to the first).  eEnd: what follows the parts of the last query.  Errors are those of
** pError.
*/
#define KVRANGES_OPEN   0   /* Maybe something */
#define KVRANGES_END    1   /* Nothing */
#define KVRANGES_MORE   2   /* At least one more part */
void kvRangesMake(
  KvRanges *p, KvBytes name, const KvIndexQuery *aQuery, u32 nQuery, int eEnd, int bDesc,
  KvRangesFind *xFind, void *pFind, KvError *pError
);
/* Sort them by key, and make one of those that overlap. */
void kvRangesByKey(KvRanges *p);
/* The range of all keys that begin with some bytes, alone. */
void kvRangesBelow(KvRanges *p, KvBytes begin, KvError *pError);
/* Add that of one key. */
void kvRangesPoint(KvRanges *p, KvBytes key);
/* Is a range that of one key? */
int kvRangesIsPoint(const KvRanges *p, u32 i);
static inline KvBytes kvRangesLo(const KvRanges *p, u32 i){
  return kvBytes(p->bytes.a + p->a[i].iLo, p->a[i].nLo);
}
static inline KvBytes kvRangesHi(const KvRanges *p, u32 i){
  return kvBytes(p->bytes.a + p->a[i].iHi, p->a[i].nHi);
}

/* Forget all, and keep the memory; free it. */
void kvRangesReset(KvRanges *p);
void kvRangesClear(KvRanges *p);

/*
** A query for one of several values.  kvRangesOne() adds what a query for one of them asks
** for: parts as long as each does for equality with parts alone, otherwise bounds.
** kvRangesUnion() makes *pQuery, which is of all parts, the query for all of them.
*/
typedef struct KvRangesSet KvRangesSet;
struct KvRangesSet {
  KvList parts, bounds;
  u8 bBounds;             /* One of them isn't for parts alone */
};
void kvRangesOne(KvRangesSet *pSet, KvRanges *p, const KvIndexQuery *pQuery, KvError *pError);
void kvRangesUnion(KvIndexQuery *pQuery, KvRangesSet *pSet, KvError *pError);

#endif /* KV_RANGES_H */
