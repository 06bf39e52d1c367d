/*
** scan.h -- reading a declared index.
*/
#ifndef KV_INDEX_SCAN_H
#define KV_INDEX_SCAN_H

#include "store/index/rows.h"

/* One index at one moment.  It holds the read transaction until it is closed. */
typedef struct KvIndexSnapshot KvIndexSnapshot;
struct KvIndexSnapshot {
  KvStore *pStore;
  KvStmt *pPin;           /* Holds the read transaction */
  KvRows *pRows;          /* What the stored rows don't show yet, or 0 */
  u8 bGuard;              /* kvGuardBegin() was called */
  u8 bKeys;               /* Rows are read without their primary entries */
  u8 mStored;             /* Where rows are stored: private to scan.c */
  KvBuf name;             /* Stored bytes of the key [name] */
  KvBuf shape;            /* What kv_holder() takes: held.h */
  u32 mOptions;
  u32 mKind;              /* What there may be at its paths: KVKIND_xxx (codec/index_key.h) */
  u32 nPath;              /* Values that an entry has */
  i64 iNow;
  i64 iClock;             /* kvGuardClock() when it was opened */
};

/* False if there is no such index, or after an error. */
int kvIndexOpen(KvStore *p, const char *zName, KvIndexSnapshot *pSnapshot);
void kvIndexClose(KvIndexSnapshot *p);
/* Look at it as it is now, when nothing was written meanwhile. */
void kvIndexAgain(KvIndexSnapshot *p);
/* Only KVINDEX_COL_IK and KEY will be read: if nothing has expired, no primary
** entry needs to be looked up. */
void kvIndexKeys(KvIndexSnapshot *p);

/* Is a row one of the list of what the index leaves out? */
int kvIndexSnapshotLeft(const KvIndexSnapshot *p, KvBytes ik);

/* Columns of KvIndexScan.pRow. */
enum {
  KVINDEX_COL_IK, KVINDEX_COL_KEY, KVINDEX_COL_VERSION, KVINDEX_COL_EXPIRES,
  KVINDEX_COL_V, KVINDEX_COL_ENCODING
};

/* Rows that are stored: a statement over them, 0 at its end, and whether it is at one that
** is not done yet. */
typedef struct KvStoredRows KvStoredRows;
struct KvStoredRows {
  KvStmt *pStmt;
  u8 bRow;
};

/* A scan of a range of an index, in the order of its keys. */
typedef struct KvIndexScan KvIndexScan;
struct KvIndexScan {
  KvIndexSnapshot *pSnapshot;
  KvStoredRows aRun[2];     /* In kv, and in kv_index_value */
  KvStmt *pPoint;         /* The primary entry of a row of the overlay */
  u8 bDesc;
  u32 iOver, nOver;       /* Rows of the overlay that are not done yet */
  sqlite3_stmt *pRow;     /* The current row: KVINDEX_COL_xxx, or 0 */
  KvBuf lo, hi;           /* Bounds: lo inclusive, hi exclusive */
  KvBuf ik, pk;           /* The row after which a leap began */
  u32 nLeap;              /* ... and how many rows it went over */
};

/* All zero at first; lo and hi are set by the caller.  Start and Step are false at the
** end, or after an error. */
int kvIndexScanStart(KvIndexScan *p, KvIndexSnapshot *pSnapshot, int bDesc);
int kvIndexScanStep(KvIndexScan *p);
/* With bKeys, ascending: skip the remaining rows and return their number.  0:
** nothing was skipped, because nothing is left, or it has to be read row by row.
** Land: go back to the row nAhead before the last one. */
u32 kvIndexScanLeap(KvIndexScan *p);
int kvIndexScanLand(KvIndexScan *p, u32 nAhead);
/* Go to one row, whatever the index has.  False if its primary entry is gone. */
int kvIndexScanPoint(KvIndexScan *p, KvIndexSnapshot *pSnapshot, KvBytes ik, KvBytes pk);
void kvIndexScanStop(KvIndexScan *p);
void kvIndexScanClear(KvIndexScan *p);

#endif /* KV_INDEX_SCAN_H */
