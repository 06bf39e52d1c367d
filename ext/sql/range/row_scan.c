/*
** row_scan.c -- reading a range of entries.  See row_scan.h.
*/
#include "sql/range/row_scan.h"
#include "sql/program.h"
#include "store/scan_guard.h"
#include "store/row.h"
#include "store/schema.h"

static void rowScanGive(KvRowScan *p){
  if( p->was.pNow ) kvHistoryRangeClose(&p->was);
  else kvStmtGive(p->pStmt);
  p->pStmt = 0;
}

void kvRowScanStop(KvRowScan *p){
  if( p->pStore==0 ) return;
  rowScanGive(p);
  kvScanClose(p->pStore, &p->guard);
}

void kvRowScanClear(KvRowScan *p){
  kvRowScanStop(p);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
  kvHistoryRangeClear(&p->was);
}

/* Is the range, which must be read, that of its lower bound alone? */
static int rowScanIsSingle(const KvRowScan *p){
  return p->hi.n==p->lo.n+1 && p->hi.a[p->lo.n]==0
      && kvBytesBegins(kvBufBytes(&p->hi), kvBufBytes(&p->lo));
}

/* Take the statement for what is left of the range, or the range, as it was. */
static void rowScanPast(KvRowScan *p){
  KvBytes lo = kvBufBytes(&p->lo), hi = kvBufBytes(&p->hi);
  if( p->mRead & KVREAD_POINT ){
    p->pStmt = kvHistoryPast(p->pStore, &p->past, p->mRead);
  }else if( rowScanIsSingle(p) ){
    p->pStmt = kvHistoryPast(p->pStore, &p->past, p->mRead);
    kvBindBytes(p->pStmt, 1, lo);
  }else{
    kvHistoryRangeOpen(p->pStore, &p->past, p->mRead, lo, hi, &p->was);
  }
}

/* Take the statement for what is left of the range. */
static void rowScanPrepare(KvRowScan *p){
  if( p->past.bPast ){
    rowScanPast(p);
    return;
  }
  p->pStmt = kvStmtReader(p->pStore, p->mRead);
  if( (p->mRead & KVREAD_ALL)==0 ) kvBindInt(p->pStmt, 3, p->iNow);
  if( p->mRead & KVREAD_POINT ) return;
  kvBindBytes(p->pStmt, 1, kvBufBytes(&p->lo));
  if( p->mRead & KVREAD_UPPER ) kvBindBytes(p->pStmt, 2, kvBufBytes(&p->hi));
  if( p->mRead & KVREAD_OFFSET ) kvBindInt(p->pStmt, 4, p->nOffset);
}

/* The range ends or, if it is read in ascending order, begins with the current row's
** key.  The statement, which has the old bounds, is given back. */
static KvBuf *rowScanBound(KvRowScan *p){
  KvBuf *pBound = p->mRead & KVREAD_DESC ? &p->hi : &p->lo;
  kvErrorCopy(kvStoreError(p->pStore), kvStmtBytes(p->pStmt, KVREAD_COL_KEY), pBound);
  rowScanGive(p);
  return pBound;
}

/* Begin again with the range as it is, but after its lower bound if pBehind is that. */
static void rowScanResume(KvRowScan *p, KvBuf *pBehind){
  if( pBehind==&p->hi ) p->mRead |= KVREAD_UPPER;
  else kvBufPut(pBehind, 0);
  kvErrorBuf(kvStoreError(p->pStore), pBehind);
  p->mRead &= ~(u32)KVREAD_OFFSET;
  rowScanPrepare(p);
}

/* The next row of the past that counts.  Of one key it is the first, or there is none. */
static int rowScanWas(KvRowScan *p){
  if( p->was.pNow==0 ){
    return kvStmtRow(p->pStmt)
        && kvHistoryWas(p->pStore, &p->past, kvRowScanKey(p), p->pStmt);
  }
  do{
    p->pStmt = kvHistoryRangeNext(&p->was);
  }while( p->pStmt && !kvHistoryWas(p->pStore, &p->past, kvRowScanKey(p), p->pStmt) );
  return p->pStmt!=0;
}

/* The statement's next row that counts. */
static int rowScanRow(KvRowScan *p){
  return p->past.bPast ? rowScanWas(p) : kvStmtRow(p->pStmt);
}

/* The next existing point. */
static int rowScanNextPoint(KvRowScan *p){
  while( p->iPoint<p->nPoint && p->pStmt ){
    KvBytes key = p->aPoint[p->iPoint].key;
    if( p->iPoint++>0 ) sqlite3_reset(p->pStmt->pStmt);
    kvBindBytes(p->pStmt, 1, key);
    if( rowScanRow(p)
     && (p->past.bPast || !p->guard.bOpen || !kvScanIsNew(p->pStore, &p->guard, key))
    ){
      return 1;
    }
  }
  return 0;
}

/*
** Keys alone are in Deno's index by expiry, too, which is smaller than the table by all
** values.  Entries without an expiry are in one run of it, in the order of their keys;
** where there are no others in the range it is read from that.  Short ranges aren't
** worth the question.
*/
#define SCAN_SHORT 64
static void rowScanKeys(KvRowScan *p){
  if( (p->mRead & ~(u32)(KVREAD_UPPER|KVREAD_DESC|KVREAD_OFFSET))!=KVREAD_ALL ) return;
  if( !kvRowLasting(p->pStore, kvBufBytes(&p->lo), kvBufBytes(&p->hi)) ) return;
  p->mRead |= KVREAD_LASTING;
  rowScanResume(p, rowScanBound(p));
}

/*
** If something was written since the last row was read, that row could come
** again, since SQLite finds its place by the whole record, which has changed; what
** has been written may have expired; and what has been added is passed over.
** (What has been read before the first row is as it was.)
*/
static void rowScanWritten(KvRowScan *p, i64 nTotal){
  p->mRead &= ~(u32)(KVREAD_ALL|KVREAD_LASTING);
  rowScanResume(p, rowScanBound(p));
  p->bWritten = 1;
  p->nTotal = nTotal;
}

int kvRowScanNext(KvRowScan *p){
  if( p->bSingle && !p->past.bPast ) return 0;
  if( p->mRead & KVREAD_POINT ) return rowScanNextPoint(p);
  if( p->past.bPast && p->was.pNow==0 ) return 0;        /* a single key has one row */
  if( (p->mRead & KVREAD_SORTED)==0 ){
    i64 nTotal = sqlite3_total_changes64(kvStoreDb(p->pStore));
    if( nTotal!=p->nTotal ) rowScanWritten(p, nTotal);
    else if( ++p->nRow==SCAN_SHORT ) rowScanKeys(p);
  }
  if( !p->bWritten || p->past.bPast ) return rowScanRow(p);
  while( rowScanRow(p) ){
    if( !kvScanIsNew(p->pStore, &p->guard, kvRowScanKey(p)) ) return 1;
  }
  return 0;
}

int kvRowScanLeap(KvRowScan *p, i64 nRow){
  KvBuf *pBound;
  KV_ASSERT( (p->mRead & (KVREAD_DESC|KVREAD_POINT))==0 );
  if( (p->mRead & KVREAD_SORTED) || p->bWritten || p->past.bPast ) return 0;
  if( sqlite3_total_changes64(kvStoreDb(p->pStore))!=p->nTotal ) return 0;
  pBound = rowScanBound(p);
  p->mRead |= KVREAD_OFFSET;
  p->nOffset = nRow;
  rowScanPrepare(p);
  if( rowScanRow(p) ) return 1;
  rowScanGive(p);
  rowScanResume(p, pBound);
  return 0;
}

/*
** How the range is read.  It is read faster if there are no expired entries, and
** to ask Deno's index for one costs what a few rows do; where the outer statement
** doesn't read the store's file the answer could be out of date by then.  If plain
** SQL writes meanwhile all is read before the first row (scan_guard.h).  Points are
** few, and finite; of a single key nothing is asked.
*/
static void rowScanMode(KvRowScan *p){
  KvStore *pStore = p->pStore;
  p->mRead &= ~(u32)(KVREAD_ALL|KVREAD_SORTED);
  if( p->mRead & KVREAD_POINT ) return;
  if( !p->pTab->bElsewhere && !p->bSingle && !p->past.bPast
   && (kvSchemaState(pStore)==KV_STORE_OLD || kvRowExpired(pStore, p->iNow)==0)
  ){
    p->mRead |= KVREAD_ALL;
  }
  if( !p->bAsked ){
    p->bPlain = kvProgramWritesKv(p->pTab->pConn, pStore)!=0;
    p->bAsked = !kvFailed(kvStoreError(pStore));
  }
  if( p->bPlain ) p->mRead |= KVREAD_SORTED;
}

/* Rows may be ahead: register them with the store.  Of points that is all from the smallest
** to the largest. */
static void rowScanGuard(KvRowScan *p){
  KvError *pError = kvStoreError(p->pStore);
  if( p->mRead & KVREAD_POINT ){
    u32 iLast = p->nPoint-1, iLeast = p->mRead & KVREAD_DESC ? iLast : 0;
    if( p->iPoint>iLast ) return;
    kvErrorCopy(pError, p->aPoint[iLeast].key, &p->lo);
    kvErrorCopy(pError, p->aPoint[iLast-iLeast].key, &p->hi);
    kvBufPut(&p->hi, 0);
    kvErrorBuf(pError, &p->hi);
  }
  kvScanOpen(p->pStore, &p->guard, &p->lo, &p->hi);
}

/* The first row of what the caller has set. */
static int rowScanFirst(KvRowScan *p){
  p->iPoint = 0;
  rowScanMode(p);
  rowScanPrepare(p);
  return p->mRead & KVREAD_POINT ? rowScanNextPoint(p) : rowScanRow(p);
}

int kvRowScanStart(KvRowScan *p, const KvVtab *pTab, u32 mRead){
  KvStore *pStore = pTab->pStore;
  int bRow;
  kvRowScanStop(p);
  p->pTab = pTab;
  p->pStore = pStore;
  p->mRead = mRead | (p->hi.n ? (u32)KVREAD_UPPER : 0);
  p->bWritten = 0;
  p->nRow = 0;
  kvErrorBuf(kvStoreError(pStore), &p->lo);
  kvErrorBuf(kvStoreError(pStore), &p->hi);
  if( kvSchemaReady(pStore)==KV_STORE_NONE ) return 0;
  bRow = rowScanFirst(p);
  if( !bRow && kvSchemaRetry(pStore) ){
    rowScanGive(p);                       /* the tables have changed: once more */
    if( kvSchemaState(pStore)==KV_STORE_NONE ) return 0;
    bRow = rowScanFirst(p);
  }
  p->nTotal = sqlite3_total_changes64(kvStoreDb(pStore));
  if( bRow && !p->past.bPast && !p->bSingle ) rowScanGuard(p);
  return bRow;
}
