/*
** index_scan.c -- reading a declared index.  See index_scan.h.
**
** A scan merges two runs of rows (ik, pk) in the order of their bytes: those
** of kv_index_row, and those that the overlay holds for the primary entries
** which have changed since the last index maintenance.  Rows of kv_index_row
** that belong to such an entry are passed over.
**
**   kv_index_row   ["c","blue"] 1   ["c","red"] 2   ["c","red"] 3
**   changed since  2: blue now, 3: deleted
**   overlay        ["c","blue"] 2
**   the scan       ["c","blue"] 1   ["c","blue"] 2
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/feed.h"
#include "store/index_maintain.h"
#include "store/index_scan.h"
#include "store/scan_guard.h"
#include "store/schema.h"

/* ---- snapshots ------------------------------------------------------------ */

int kvIndexOpen(KvStore *p, const char *zName, KvIndexSnapshot *pSnapshot){
  const KvIndexDef *pDef = 0;
  KvFeed feed;
  int bPending;
  memset(pSnapshot, 0, sizeof(*pSnapshot));
  pSnapshot->pStore = p;
  pSnapshot->iNow = kvNow();
  if( kvSchemaReady(p)!=KV_STORE_READY ) return 0;
  pSnapshot->pPin = kvFeedPin(p, &feed);
  if( feed.bThere && kvIndexLoad(p, feed.iGeneration)>0 ) pDef = kvIndexNamed(p, zName);
  if( pDef ){
    pSnapshot->mOptions = pDef->mOptions;
    kvErrorCopy(&p->err, pDef->name, &pSnapshot->name);
    bPending = kvIndexPending(p);
    if( (bPending || feed.iApplied<feed.iVersion) && !kvFailed(&p->err) ){
      pSnapshot->pOver = kvOverlayOpen(p, pDef, &feed, bPending);
    }
    kvGuardBegin(p);
    pSnapshot->bGuard = 1;
  }
  if( pDef && !kvFailed(&p->err) ) return 1;
  kvIndexClose(pSnapshot);
  return 0;
}

void kvIndexClose(KvIndexSnapshot *p){
  if( p->bGuard ) kvGuardEnd(p->pStore);
  kvStmtGive(p->pPin);
  kvOverlayClose(p->pOver);
  kvBufClear(&p->name);
  memset(p, 0, sizeof(*p));
}

/* ---- scans --------------------------------------------------------------- */

void kvIndexScanStop(KvIndexScan *p){
  kvStmtGive(p->pStmt);
  kvStmtGive(p->pPoint);
  p->pStmt = p->pPoint = 0;
  p->pRow = 0;
  p->iOver = p->nOver = 0;
}

void kvIndexScanClear(KvIndexScan *p){
  kvIndexScanStop(p);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
}

int kvIndexScanStart(KvIndexScan *p, KvIndexSnapshot *pSnapshot, int bDesc){
  KvStore *pStore = pSnapshot->pStore;
  kvIndexScanStop(p);
  p->pSnapshot = pSnapshot;
  p->bDesc = (u8)bDesc;
  p->bStored = 0;
  kvErrorBuf(&pStore->err, &p->lo);
  kvErrorBuf(&pStore->err, &p->hi);
  if( pSnapshot->pOver ){
    p->iOver = kvOverlayFind(pSnapshot->pOver, kvBufBytes(&p->lo));
    p->nOver = kvOverlayFind(pSnapshot->pOver, kvBufBytes(&p->hi));
    if( p->nOver<p->iOver ) p->nOver = p->iOver;
  }
  p->iClock = kvGuardClock(pStore);
  p->pStmt = kvStmtWith(pStore, bDesc ? KVSQL_INDEX_DOWN : KVSQL_INDEX_UP, "bbi",
                        kvBufBytes(&p->lo), kvBufBytes(&p->hi), pSnapshot->iNow);
  return kvIndexScanStep(p);
}

/* Advance to the next row of kv_index_row that counts, if there is one. */
static void indexScanStored(KvIndexScan *p){
  const KvOverlay *pOver = p->pSnapshot->pOver;
  while( p->pStmt && !p->bStored ){
    if( kvFeedRow(p->pStmt) ){
      p->bStored = !pOver || !kvOverlayHas(pOver, kvStmtBytes(p->pStmt, KVINDEX_COL_KEY));
    }else{
      kvStmtGive(p->pStmt);
      p->pStmt = 0;
    }
  }
}

/* Is the next row of the overlay before the one of kv_index_row? */
static int indexScanOverFirst(const KvIndexScan *p, const KvOverlayRow *pRow){
  KvOverlayRow stored;
  int c;
  if( !p->bStored ) return 1;
  stored.ik = kvStmtBytes(p->pStmt, KVINDEX_COL_IK);
  stored.pk = kvStmtBytes(p->pStmt, KVINDEX_COL_KEY);
  c = kvOverlayCompare(pRow, &stored);
  return p->bDesc ? c>0 : c<0;
}

/* Look up the primary entry of a row of the overlay. */
static int indexScanPoint(KvIndexScan *p, const KvOverlayRow *pRow){
  if( p->pPoint==0 ) p->pPoint = kvStmtTake(p->pSnapshot->pStore, KVSQL_INDEX_POINT);
  else sqlite3_reset(p->pPoint->pStmt);
  kvBindBytes(p->pPoint, 1, pRow->ik);
  kvBindBytes(p->pPoint, 2, pRow->pk);
  kvBindInt(p->pPoint, 3, p->pSnapshot->iNow);
  return kvStmtRow(p->pPoint);
}

/* The next row, of the overlay or of kv_index_row; 0 at the end. */
static KvStmt *indexScanNext(KvIndexScan *p){
  const KvOverlayRow *pRow;
  for(;;){
    indexScanStored(p);
    if( kvFailed(&p->pSnapshot->pStore->err) ) return 0;
    if( p->iOver>=p->nOver ) break;
    pRow = kvOverlayRow(p->pSnapshot->pOver, p->bDesc ? p->nOver-1 : p->iOver);
    if( !indexScanOverFirst(p, pRow) ) break;
    if( p->bDesc ) p->nOver--;
    else p->iOver++;
    if( indexScanPoint(p, pRow) ) return p->pPoint;
  }
  if( !p->bStored ) return 0;
  KV_ASSERT( p->pStmt );
  p->bStored = 0;
  return p->pStmt;
}

/* A row that was written since the scan began, by the statement that reads it
** (SELECT kv_set(key, ...) FROM kv_lookup(...)), is passed over: it could come
** again and again. */
int kvIndexScanStep(KvIndexScan *p){
  const KvStore *pStore = p->pSnapshot->pStore;
  KvStmt *pStmt;
  KV_ASSERT( p->iOver<=p->nOver );
  do{
    pStmt = indexScanNext(p);
  }while( pStmt && kvGuardWritten(pStore, kvStmtBytes(pStmt, KVINDEX_COL_KEY), p->iClock) );
  p->pRow = pStmt ? pStmt->pStmt : 0;
  return pStmt!=0;
}
