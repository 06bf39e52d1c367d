/*
** vtab_entries_range.h -- the stored keys that a query of kv_entries asks for.
*/
#ifndef KV_VTAB_ENTRIES_RANGE_H
#define KV_VTAB_ENTRIES_RANGE_H

#include "bytes/bytes.h"
#include "sqlite3ext.h"
#include "store/error.h"

/* A stored key to look up. */
typedef struct KvPoint KvPoint;
struct KvPoint {
  u32 iKey;               /* Where it begins in KvRange.points */
  KvBytes key;            /* The same as an address, once all are there */
};

/*
** The stored keys that a query asks for: all between the
** bounds or, with ENT_PLAN(ENT_ARG_EQ) or ENT_PLAN(ENT_ARG_IN), the points, which are within them
** and in the order of the query.  Its memory is kept by kvRangeReset().
*/
typedef struct KvRange KvRange;
struct KvRange {
  KvBuf lo, hi;           /* Bounds of stored keys: lo inclusive, hi exclusive */
  u8 bUpper;              /* hi is a bound */
  u8 bNone;               /* The constraints can't be met: there are none */
  u8 bPrefix;             /* There is an argument prefix */
  KvBuf points;           /* Keys to look up, one after the other */
  KvPoint *aPoint;        /* ... and where each begins */
  u32 nPoint, nPointAlloc;
  KvBuf common;           /* The common prefix that cursors leave out */
  KvBuf prefix;           /* Text of the argument prefix */
};
void kvRangeClear(KvRange *p);
void kvRangeReset(KvRange *p);
/* Bytes that it holds on to. */
u64 kvRangeMemory(const KvRange *p);
/* Fill a range that is reset from the arguments of xFilter.  The result is that of
** OFFSET, or 0. */
i64 kvRangeArgs(KvRange *p, int mPlan, sqlite3_value **apArg, int nArg, KvError *pError);

#endif /* KV_VTAB_ENTRIES_RANGE_H */
