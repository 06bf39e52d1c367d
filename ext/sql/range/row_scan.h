/*
** row_scan.h -- reading a range of entries, row by row, while the statement that
** reads them may write.
**
** Writes during the scan don't disturb it: no entry comes twice, and added entries
** are skipped, so the scan ends.
*/
#ifndef KV_ROW_SCAN_H
#define KV_ROW_SCAN_H

#include "store/history.h"
#include "store/scan_guard.h"
#include "sql/vtab.h"

/* A stored key to look up. */
typedef struct KvPoint KvPoint;
struct KvPoint {
  u32 iKey;               /* Its offset in a buffer while that grows */
  KvBytes key;
};

/* All zero: never started.  The caller sets what comes first. */
typedef struct KvRowScan KvRowScan;
struct KvRowScan {
  KvBuf lo, hi;           /* The range: lo inclusive, hi exclusive (empty: no bound) */
  KvPast past;            /* Entries as they were: the rest is not asked for then */
  KvPastRange was;        /* Their range */
  const KvPoint *aPoint;  /* KVREAD_POINT: the keys, in the order in which they come */
  u32 nPoint;
  i64 iNow;               /* The time at which the entries are looked at */
  i64 nOffset;            /* KVREAD_OFFSET: rows to skip */
  u8 bAsked;              /* bPlain is known; false when another statement begins */
  u8 bPlain;              /* Plain SQL writes meanwhile */
  u8 bSingle;             /* The range is of one key */
  const KvVtab *pTab;
  KvStore *pStore;
  KvStmt *pStmt;          /* At the current row, its columns KVREAD_COL_xxx; or 0.  A range of
                          ** the past has the statement itself */
  u32 mRead;              /* KVREAD_xxx of it */
  u32 iPoint;             /* The next of the points */
  u32 nRow;               /* Rows of the range so far, without leaps */
  i64 nTotal;             /* Changes on the connection when the row was read */
  u8 bWritten;            /* There were some since the first row was */
  KvOpenScan guard;       /* Open while rows may be ahead */
};

/*
** Go to the first row of a table's store; mRead of KVREAD_META, VALUE, DESC, OFFSET, POINT.
** False: no row, or an error, which is the store's.
*/
int kvRowScanStart(KvRowScan *p, const KvVtab *pTab, u32 mRead);
int kvRowScanNext(KvRowScan *p);
/* Skip nRow rows in one step, in ascending order.  False: fewer are left, or
** something was written meanwhile; then the next row is the one after the current. */
int kvRowScanLeap(KvRowScan *p, i64 nRow);
/* End the scan and keep the memory; free it. */
void kvRowScanStop(KvRowScan *p);
void kvRowScanClear(KvRowScan *p);

/* The stored key of the current row. */
static inline KvBytes kvRowScanKey(const KvRowScan *p){
  return p->mRead & KVREAD_POINT ? p->aPoint[p->iPoint-1].key
                                 : kvStmtBytes(p->pStmt, KVREAD_COL_KEY);
}

#endif /* KV_ROW_SCAN_H */
