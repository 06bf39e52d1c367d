/*
** index_scan.h -- reading a declared index.
*/
#ifndef KV_INDEX_SCAN_H
#define KV_INDEX_SCAN_H

#include "store/index_def.h"

/*
** A view is one index at one moment; it holds the
** read transaction until it is closed.
*/
typedef struct KvIndexView KvIndexView;
struct KvIndexView {
  KvStore *pStore;
  KvStmt *pPin;           /* Holds the read transaction */
  KvOverlay *pOver;       /* What is not brought up yet, or 0 */
  u8 bMarks;              /* kvMarksOpen() was called */
  u8 *aName;              /* A copy of the definition's */
  u32 nName;
  u32 mOptions;
  i64 iNow;
};

/* SQLITE_NOTFOUND (without message) if there is no such index. */
int kvIndexOpen(KvStore *p, const char *zName, KvIndexView *pView, char **pzErr);
void kvIndexClose(KvIndexView *p);
/* Primary entries that have changed since the last index maintenance. */
i64 kvIndexChanged(const KvIndexView *p);

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
  KvIndexView *pView;
  KvStmt *pStmt;          /* Over kv_index_row; 0 at its end */
  KvStmt *pPoint;         /* The primary entry of a row of the overlay */
  u8 bDesc;
  u8 bStored;             /* pStmt stands on a row that is not done yet */
  u32 iOver, nOver;       /* Rows of the overlay that are not done yet */
  sqlite3_stmt *pRow;     /* The current row: KVINDEX_COL_xxx, or 0 */
  KvBuf lo, hi;           /* Bounds: lo inclusive, hi exclusive */
  i64 iClock;             /* kvMarksClock() when it began */
};

/* lo and hi are set by the caller.  SQLITE_ROW, SQLITE_DONE or an error. */
void kvIndexScanInit(KvIndexScan *p);
int kvIndexScanStart(KvIndexScan *p, KvIndexView *pView, int bDesc, char **pzErr);
int kvIndexScanStep(KvIndexScan *p, char **pzErr);
void kvIndexScanStop(KvIndexScan *p);
void kvIndexScanClear(KvIndexScan *p);

#endif /* KV_INDEX_SCAN_H */
