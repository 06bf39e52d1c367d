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
#include "store/index_scan.h"
SQLITE_EXTENSION_INIT3
#include "store/index_maintain.h"
#include "store/overlay.h"
#include "store_sql.h"

/* ---- views --------------------------------------------------------------- */

int kvIndexOpen(KvStore *p, const char *zName, KvIndexView *pView, char **pzErr){
  KvIndexDef *pDef = 0;
  KvTrack track;
  int bPending = 0, rc;
  memset(pView, 0, sizeof(*pView));
  memset(&track, 0, sizeof(track));
  pView->pStore = p;
  pView->iNow = kvNow();
  rc = kvStoreReady(p, pzErr);
  if( rc==SQLITE_OK && kvSchemaState(p)!=KV_STORE_READY ) return SQLITE_NOTFOUND;
  if( rc==SQLITE_OK ) rc = kvTrackPin(p, &pView->pPin, &track, pzErr);
  if( rc==SQLITE_OK && !track.bThere ) rc = SQLITE_NOTFOUND;
  if( rc==SQLITE_OK ) rc = kvIndexByName(p, track.iGeneration, zName, &pDef, pzErr);
  if( rc==SQLITE_OK ){
    pView->mOptions = pDef->mOptions;
    pView->nName = pDef->nName;
    pView->aName = sqlite3_malloc64(pDef->nName);
    if( pView->aName ) memcpy(pView->aName, pDef->aName, pDef->nName);
    else rc = SQLITE_NOMEM;
  }
  if( rc==SQLITE_OK ) rc = kvIndexPending(p, &bPending, pzErr);
  if( rc==SQLITE_OK && (bPending || track.iApplied<track.iVersion) ){
    rc = kvOverlayOpen(p, pDef, &track, bPending, &pView->pOver, pzErr);
  }
  if( rc==SQLITE_OK ){
    rc = kvMarksOpen(p);
    pView->bMarks = rc==SQLITE_OK;
  }
  if( rc!=SQLITE_OK ) kvIndexClose(pView);
  return rc;
}

void kvIndexClose(KvIndexView *p){
  if( p->bMarks ) kvMarksClose(p->pStore);
  if( p->pPin ) kvStoreGive(p->pStore, p->pPin);
  kvOverlayDrop(p->pOver);
  sqlite3_free(p->aName);
  memset(p, 0, sizeof(*p));
}

i64 kvIndexChanged(const KvIndexView *p){
  return p->pOver ? p->pOver->nDirty : 0;
}

/* ---- scans --------------------------------------------------------------- */

void kvIndexScanInit(KvIndexScan *p){
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->lo, 0, 0);
  kvBufInit(&p->hi, 0, 0);
}

void kvIndexScanStop(KvIndexScan *p){
  if( p->pStmt ) kvStoreGive(p->pView->pStore, p->pStmt);
  if( p->pPoint ) kvStoreGive(p->pView->pStore, p->pPoint);
  p->pStmt = p->pPoint = 0;
  p->pRow = 0;
  p->iOver = p->nOver = 0;
}

void kvIndexScanClear(KvIndexScan *p){
  kvIndexScanStop(p);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
}

int kvIndexScanStart(KvIndexScan *p, KvIndexView *pView, int bDesc, char **pzErr){
  KvStore *pStore = pView->pStore;
  int rc;
  kvIndexScanStop(p);
  p->pView = pView;
  p->bDesc = (u8)bDesc;
  p->bStored = 0;
  if( p->lo.eErr || p->hi.eErr ) return SQLITE_NOMEM;
  if( pView->pOver ){
    p->iOver = kvOverlayFind(pView->pOver, p->lo.a, p->lo.n);
    p->nOver = kvOverlayFind(pView->pOver, p->hi.a, p->hi.n);
    if( p->nOver<p->iOver ) p->nOver = p->iOver;
  }
  p->iClock = kvMarksClock(pStore);
  rc = kvStoreStatement(pStore, bDesc ? KVSQL_INDEX_DOWN : KVSQL_INDEX_UP, &p->pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(p->pStmt, 1, p->lo.a, p->lo.n);
  kvBindBlob(p->pStmt, 2, p->hi.a, p->hi.n);
  kvBindInt(p->pStmt, 3, pView->iNow);
  return kvIndexScanStep(p, pzErr);
}

/* Stand on the next row of kv_index_row that counts, if there is one. */
static int indexScanStored(KvIndexScan *p, char **pzErr){
  const KvOverlay *pOver = p->pView->pOver;
  while( p->pStmt && !p->bStored ){
    sqlite3_stmt *pStmt = p->pStmt->pStmt;
    int rc = kvTrackStep(p->pView->pStore, p->pStmt);
    if( rc==SQLITE_ROW ){
      p->bStored = !pOver || !kvOverlayHas(pOver, sqlite3_column_blob(pStmt, KVINDEX_COL_KEY),
          (u32)sqlite3_column_bytes(pStmt, KVINDEX_COL_KEY));
      continue;
    }
    if( rc!=SQLITE_DONE ) return kvStoreFailed(p->pView->pStore, rc, pzErr);
    kvStoreGive(p->pView->pStore, p->pStmt);
    p->pStmt = 0;
  }
  return SQLITE_OK;
}

/* Is the next row of the overlay before the one of kv_index_row? */
static int indexScanOverFirst(const KvIndexScan *p, const KvOverlayRow *pRow){
  sqlite3_stmt *pStmt;
  int c;
  if( !p->bStored ) return 1;
  pStmt = p->pStmt->pStmt;             /* NOLINT: bStored says that it is there */
  c = kvOverlayCompare(pRow->ik.a, pRow->ik.n, sqlite3_column_blob(pStmt, KVINDEX_COL_IK),
                (u32)sqlite3_column_bytes(pStmt, KVINDEX_COL_IK));
  if( c==0 ){
    c = kvOverlayCompare(pRow->pk.a, pRow->pk.n, sqlite3_column_blob(pStmt, KVINDEX_COL_KEY),
                  (u32)sqlite3_column_bytes(pStmt, KVINDEX_COL_KEY));
  }
  return p->bDesc ? c>0 : c<0;
}

/* Look up the primary entry of a row of the overlay: SQLITE_ROW if it is
** there, or SQLITE_DONE. */
static int indexScanPoint(KvIndexScan *p, const KvOverlayRow *pRow, char **pzErr){
  KvStore *pStore = p->pView->pStore;
  int rc = SQLITE_OK;
  if( p->pPoint==0 ) rc = kvStoreStatement(pStore, KVSQL_INDEX_POINT, &p->pPoint, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  sqlite3_reset(p->pPoint->pStmt);
  kvBindBlob(p->pPoint, 1, pRow->ik.a, pRow->ik.n);
  kvBindBlob(p->pPoint, 2, pRow->pk.a, pRow->pk.n);
  kvBindInt(p->pPoint, 3, p->pView->iNow);
  rc = kvStep(p->pPoint);
  return rc==SQLITE_ROW || rc==SQLITE_DONE ? rc : kvStoreFailed(pStore, rc, pzErr);
}

/* A row that was written since the scan began, by the statement that reads it
** (SELECT kv_set(key, ...) FROM kv_lookup(...)), is passed over: it could come
** again and again.  See scan_guard.h. */
static int indexScanIsNew(KvIndexScan *p){
  return kvMarksSince(p->pView->pStore, sqlite3_column_blob(p->pRow, KVINDEX_COL_KEY),
      (u32)sqlite3_column_bytes(p->pRow, KVINDEX_COL_KEY), p->iClock);
}

int kvIndexScanStep(KvIndexScan *p, char **pzErr){
  const KvOverlay *pOver = p->pView->pOver;
  int rc;
  if( p->pRow && p->pStmt && p->pRow==p->pStmt->pStmt ) p->bStored = 0;
  p->pRow = 0;
  for(;;){
    rc = indexScanStored(p, pzErr);
    if( rc!=SQLITE_OK ) return rc;
    if( p->iOver<p->nOver ){
      const KvOverlayRow *pRow = &pOver->aRow[p->bDesc ? p->nOver-1 : p->iOver];
      if( indexScanOverFirst(p, pRow) ){
        if( p->bDesc ) p->nOver--;
        else p->iOver++;
        rc = indexScanPoint(p, pRow, pzErr);
        if( rc==SQLITE_DONE ) continue;
        if( rc!=SQLITE_ROW ) return rc;
        p->pRow = p->pPoint->pStmt;
        if( indexScanIsNew(p) ) continue;
        return SQLITE_ROW;
      }
    }
    if( !p->bStored ) return SQLITE_DONE;
    p->pRow = p->pStmt->pStmt;         /* NOLINT: bStored says that it is there */
    if( !indexScanIsNew(p) ) return SQLITE_ROW;
    p->bStored = 0;
    p->pRow = 0;
  }
}
