/*
** index_scan.h -- reading a declared index.
*/
#ifndef KV_INDEX_SCAN_H
#define KV_INDEX_SCAN_H

#include "store/overlay.h"

/* One index at one moment.  It holds the read transaction until it is closed. */
typedef struct KvIndexSnapshot KvIndexSnapshot;
struct KvIndexSnapshot {
  KvStore *pStore;
  KvStmt *pPin;           /* Holds the read transaction */
  KvOverlay *pOver;       /* What the index entries don't show yet, or 0 */
  u8 bGuard;              /* kvGuardBegin() was called */
  KvBuf name;             /* Stored bytes of the key [name] */
  u32 mOptions;
  i64 iNow;
};

/* False if there is no such index, or after an error. */
int kvIndexOpen(KvStore *p, const char *zName, KvIndexSnapshot *pSnapshot);
void kvIndexClose(KvIndexSnapshot *p);

/* Columns of KvIndexScan.pRow. */
#define KVINDEX_COL_IK        0
#define KVINDEX_COL_KEY       1
#define KVINDEX_COL_VERSION   2
#define KVINDEX_COL_EXPIRES   3
#define KVINDEX_COL_V         4
#define KVINDEX_COL_ENCODING  5

/* A run over a range of an index, in the order of its keys. */
typedef struct KvIndexScan KvIndexScan;
struct KvIndexScan {
  KvIndexSnapshot *pSnapshot;
  KvStmt *pStmt;          /* Over kv_index_row; 0 at its end */
  KvStmt *pPoint;         /* The primary entry of a row of the overlay */
  u8 bDesc;
  u8 bStored;             /* pStmt is at a row that is not done yet */
  u32 iOver, nOver;       /* Rows of the overlay that are not done yet */
  sqlite3_stmt *pRow;     /* The current row: KVINDEX_COL_xxx, or 0 */
  KvBuf lo, hi;           /* Bounds: lo inclusive, hi exclusive */
  i64 iClock;             /* kvGuardClock() when it began */
};

/* All zero at first; lo and hi are set by the caller.  Start and Step are false at the end, or after
** an error. */
int kvIndexScanStart(KvIndexScan *p, KvIndexSnapshot *pSnapshot, int bDesc);
int kvIndexScanStep(KvIndexScan *p);
void kvIndexScanStop(KvIndexScan *p);
void kvIndexScanClear(KvIndexScan *p);

#endif /* KV_INDEX_SCAN_H */
