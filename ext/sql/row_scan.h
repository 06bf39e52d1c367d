/*
** row_scan.h -- reading a range of entries, row by row, while the statement that
** reads them may write.
**
** What is written during the scan does not disturb it: no entry comes twice, and
** those that are added are passed over, so that it ends.
*/
#ifndef KV_ROW_SCAN_H
#define KV_ROW_SCAN_H

#include "store/scan_guard.h"
#include "store/store.h"

/* All zero: never started. */
typedef struct KvRowScan KvRowScan;
struct KvRowScan {
  KvStore *pStore;
  KvBuf lo, hi;           /* The range: lo inclusive, hi exclusive (empty: no bound) */
  i64 iNow;               /* The time at which the entries are looked at */
  KvStmt *pStmt;          /* At the current row, its columns KVREAD_COL_xxx; or 0 */
  u32 mRead;              /* KVREAD_xxx of it */
  i64 nTotal;             /* Changes on the connection when the row was read */
  u8 bWritten;            /* There were some since the first row was */
  KvOpenScan guard;       /* Open while rows may be ahead */
};

/*
** To the first row of the range p->lo, p->hi, which the caller has set; mRead of
** KVREAD_META, VALUE, DESC.  bElsewhere: the outer statement doesn't read the
** store's file.  False: there is no row, or an error, which is the store's.  With
** KVREAD_POINT the range is the key in p->lo.
*/
int kvRowScanStart(KvRowScan *p, KvStore *pStore, u32 mRead, int bElsewhere);
int kvRowScanNext(KvRowScan *p);
/* End the scan and keep the memory; free it. */
void kvRowScanStop(KvRowScan *p);
void kvRowScanClear(KvRowScan *p);

/* The stored key of the current row. */
static inline KvBytes kvRowScanKey(const KvRowScan *p){
  return p->mRead & KVREAD_POINT ? kvBufBytes(&p->lo) : kvStmtBytes(p->pStmt, KVREAD_COL_KEY);
}

#endif /* KV_ROW_SCAN_H */
