/*
** vtab_entries_range.h -- the stored keys selected by a query of kv_entries.
*/
#ifndef KV_VTAB_ENTRIES_RANGE_H
#define KV_VTAB_ENTRIES_RANGE_H

#include "bytes/bytes.h"
#include "sql/range/row_scan.h"
#include "store/error.h"

/*
** The selected keys: all between the bounds or, with ENTRIES_PLAN_POINTS, the
** points, which are within the bounds and in the order of the query.
*/
#define KVRANGE_BUFS 5
typedef struct KvRange KvRange;
struct KvRange {
  /* KVRANGE_BUFS buffers, the last of them the first of the scan: KvVtabDef.nBuf */
  KvBuf common;           /* The common prefix that cursors leave out */
  KvBuf prefix;           /* Text of the argument prefix */
  KvBuf points;           /* Keys to look up, one after the other */
  KvRowScan scan;         /* Its lo and hi are the bounds */
  u8 bUpper;              /* hi is a bound */
  u8 bNone;               /* The constraints can't be met: no keys */
  u8 bPrefix;             /* There is an argument prefix */
  sqlite3_value *pAsOf;   /* The argument as_of, or 0; only in xFilter */
  KvPoint *aPoint;        /* Where each of points begins */
  u32 nPoint, nPointAlloc;
};
/* Fill a reset range from the arguments of xFilter.  Returns the value of OFFSET,
** or 0. */
i64 kvRangeArgs(KvRange *p, int mPlan, sqlite3_value **apArg, int nArg, KvError *pError);

#endif /* KV_VTAB_ENTRIES_RANGE_H */
