/*
** row_scan.c -- reading a range of entries.  See row_scan.h.
*/
#include "sql/row_scan.h"
#include "store/clock.h"
#include "store/scan_guard.h"
#include "store/row.h"
#include "store/schema.h"

static void scanGive(KvRowScan *p){
  kvStmtGive(p->pStmt);
  p->pStmt = 0;
}

void kvRowScanStop(KvRowScan *p){
  if( p->pStore==0 ) return;
  scanGive(p);
  kvScanClose(p->pStore, &p->guard);
}

void kvRowScanClear(KvRowScan *p){
  kvRowScanStop(p);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
}

/* Take the statement for what is left of the range. */
static void scanPrepare(KvRowScan *p){
  p->pStmt = kvStmtReader(p->pStore, p->mRead);
  kvBindBytes(p->pStmt, 1, kvBufBytes(&p->lo));
  if( p->mRead & KVREAD_UPPER ) kvBindBytes(p->pStmt, 2, kvBufBytes(&p->hi));
  if( (p->mRead & KVREAD_ALL)==0 ) kvBindInt(p->pStmt, 3, p->iNow);
}

/* Begin again after the current row, with an eye on expired entries. */
static void scanResume(KvRowScan *p){
  KvBuf *pBound = p->mRead & KVREAD_DESC ? &p->hi : &p->lo;
  kvBufReset(pBound);
  kvBufAdd(pBound, kvStmtBytes(p->pStmt, KVREAD_COL_KEY));
  if( p->mRead & KVREAD_DESC ) p->mRead |= KVREAD_UPPER;
  else kvBufPut(pBound, 0);
  kvErrorBuf(kvStoreError(p->pStore), pBound);
  scanGive(p);
  p->mRead &= ~(u32)KVREAD_ALL;
  scanPrepare(p);
}

/*
** If something was written since the last row was read, that row could come
** again, since SQLite finds its place by the whole record, which has changed; what
** has been written may have expired; and what has been added is passed over.
** (What has been read before the first row is as it was.)
*/
int kvRowScanNext(KvRowScan *p){
  i64 nTotal;
  if( p->mRead & (KVREAD_SORTED|KVREAD_POINT) ) return kvStmtRow(p->pStmt);
  nTotal = sqlite3_total_changes64(kvStoreDb(p->pStore));
  if( nTotal!=p->nTotal ){
    scanResume(p);
    p->bWritten = 1;
    p->nTotal = nTotal;
  }
  while( kvStmtRow(p->pStmt) ){
    if( !p->bWritten || !kvScanIsNew(p->pStore, &p->guard, kvRowScanKey(p)) ) return 1;
  }
  return 0;
}

/*
** How the range is read.  It is read faster if there are no expired entries, and
** to ask Deno's index for one costs what a few rows do; where the outer statement
** doesn't read the store's file the answer could be out of date by then.  If plain
** SQL writes meanwhile all is read before the first row.
*/
static void scanMode(KvRowScan *p, int bElsewhere){
  p->mRead &= ~(u32)(KVREAD_ALL|KVREAD_SORTED);
  if( p->mRead & KVREAD_POINT ) return;
  if( !bElsewhere && kvSchemaState(p->pStore)!=KV_STORE_OLD && kvRowExpired(p->pStore, p->iNow)==0 ){
    p->mRead |= KVREAD_ALL;
  }
  if( kvPlainWrites(p->pStore) ) p->mRead |= KVREAD_SORTED;
}

int kvRowScanStart(KvRowScan *p, KvStore *pStore, u32 mRead, int bElsewhere){
  int nTry, bRow = 0;
  kvRowScanStop(p);
  p->pStore = pStore;
  p->mRead = mRead | (p->hi.n ? (u32)KVREAD_UPPER : 0);
  if( mRead & KVREAD_POINT ) p->mRead &= ~(u32)KVREAD_UPPER;
  p->bWritten = 0;
  p->iNow = kvNow();
  kvErrorBuf(kvStoreError(pStore), &p->lo);
  kvErrorBuf(kvStoreError(pStore), &p->hi);
  for(nTry=0; nTry<2; nTry++){
    if( (nTry ? kvSchemaOpen(pStore) : kvSchemaReady(pStore))==KV_STORE_NONE ) return 0;
    scanMode(p, bElsewhere);
    scanPrepare(p);
    bRow = kvStmtRow(p->pStmt);
    if( kvStoreError(pStore)->rc!=SQLITE_ERROR || nTry>0 ) break;
    scanGive(p);               /* the tables may have changed: look again, once */
    kvErrorClear(kvStoreError(pStore));
  }
  p->nTotal = sqlite3_total_changes64(kvStoreDb(pStore));
  if( bRow ) kvScanOpen(pStore, &p->guard, &p->lo, &p->hi);
  return bRow;
}
