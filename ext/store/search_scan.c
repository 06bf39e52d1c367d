/*
** search_scan.c -- searching in a full-text index.  See search_scan.h.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/search_scan.h"

/* ---- opening ----------------------------------------------------------------- */

/* The declaration of a full-text index, or an error. */
static const KvIndexDef *searchScanDef(KvStore *p, const KvDirty *pDirty, const char *zName){
  const KvIndexDef *pDef = 0;
  if( pDirty->bThere && kvIndexLoad(p, pDirty->iGeneration)>0 ) pDef = kvIndexNamed(p, zName);
  if( pDef==0 || (pDef->mOptions & KVINDEX_SEARCH) ) return pDef;
  kvError(&p->err, SQLITE_ERROR, "kv: kv_search(): %!.100s is not a full-text index; "
      "use kv_lookup('%!.100s')", zName, zName);
  return 0;
}

/* bCount: only the numbers are asked for, which needs no FTS5. */
static int searchScanOpen(KvSearch *p, KvStore *pStore, const char *zName, int bCount){
  const KvIndexDef *pDef;
  KvDirty dirty;
  memset(p, 0, sizeof(*p));
  p->pStore = pStore;
  p->iNow = kvNow();
  if( kvSchemaReady(pStore)!=KV_STORE_READY ) return 0;
  p->pPin = kvDirtyPin(pStore, &dirty);
  pDef = searchScanDef(pStore, &dirty, zName);
  if( pDef ){
    p->nColumn = pDef->spec.nPath;
    p->pOver = bCount ? kvSearchOverlayCount(pStore, pDef, &dirty)
                      : kvSearchOverlayOpen(pStore, pDef, &dirty);
    kvSearchModule(pStore, "kv_search()");
    kvGuardBegin(pStore);
    p->bGuard = 1;
    p->iClock = kvGuardClock(pStore);
  }
  if( pDef && !kvFailed(&pStore->err) ) return 1;
  kvSearchClose(p);
  return 0;
}

int kvSearchOpen(KvSearch *p, KvStore *pStore, const char *zName){
  return searchScanOpen(p, pStore, zName, 0);
}

int kvSearchOpenCount(KvSearch *p, KvStore *pStore, const char *zName){
  return searchScanOpen(p, pStore, zName, 1);
}

void kvSearchStop(KvSearch *p){
  kvStmtGive(p->pStmt);
  kvStmtGive(p->pPoint);
  sqlite3_finalize(p->pPending);
  p->pStmt = p->pPoint = 0;
  p->pPending = 0;
  p->pRow = p->pHit = 0;
  p->bStored = p->bPending = 0;
}

void kvSearchClose(KvSearch *p){
  kvSearchStop(p);
  if( p->bGuard ) kvGuardEnd(p->pStore);
  kvStmtGive(p->pPin);
  kvSearchOverlayClose(p->pOver);
  memset(p, 0, sizeof(*p));
}

i64 kvSearchDocuments(KvSearch *p, const char *zName){
  const KvIndexDef *pDef = kvIndexNamed(p->pStore, zName);
  KvStmt *pStmt;
  i64 n = p->pOver ? kvSearchOverlayDocuments(p->pOver) : 0;
  if( pDef==0 ) return 0;
  pStmt = kvStmtSearch(p->pStore, KVSQL_SEARCH_KEYS, pDef, 0);
  kvBindInt(pStmt, 1, p->iNow);
  while( kvStmtRow(pStmt) ){
    n += p->pOver==0 || !kvSearchOverlayHas(p->pOver, kvStmtBytes(pStmt, 0));
  }
  kvStmtGive(pStmt);
  return n;
}

/* ---- rows ------------------------------------------------------------------------ */

/* Bind what goes before or after a word that matches. */
static int searchScanMark(sqlite3_stmt *pStmt, int i, sqlite3_value *pVal, const char *zElse){
  if( pVal ) return sqlite3_bind_value(pStmt, i, pVal);
  return sqlite3_bind_text(pStmt, i, zElse, -1, SQLITE_STATIC);
}

/* Bind what a query has, in both statements at the same places. */
static int searchScanBind(sqlite3_stmt *pStmt, const KvSearchQuery *p, i64 iNow){
  int rc = p->zQuery ? sqlite3_bind_text(pStmt, 1, p->zQuery, -1, SQLITE_TRANSIENT)
                     : sqlite3_bind_value(pStmt, 1, p->pQuery);
  int n = sqlite3_bind_parameter_count(pStmt);
  if( rc==SQLITE_OK ) rc = sqlite3_bind_int64(pStmt, 2, iNow);
  if( rc==SQLITE_OK && (p->mMask & KVSEARCH_WEIGHTS) ){
    rc = sqlite3_bind_text(pStmt, 3, p->zRank, -1, SQLITE_TRANSIENT);
  }
  if( rc==SQLITE_OK && n>=4 ) rc = searchScanMark(pStmt, 4, p->pOpen, "<b>");
  if( rc==SQLITE_OK && n>=5 ) rc = searchScanMark(pStmt, 5, p->pClose, "</b>");
  if( rc==SQLITE_OK && n>=6 ) rc = sqlite3_bind_int64(pStmt, 6, p->nToken);
  return rc;
}

/* What has failed in the overlay's database, unless it is SQLITE_OK. */
static void searchScanFail(KvSearch *p, int rc){
  if( rc!=SQLITE_OK ) kvErrorDb(&p->pStore->err, kvSearchOverlayDb(p->pOver), rc);
}

/* Begin with the overlay. */
static void searchScanOver(KvSearch *p, const KvIndexDef *pDef, const KvSearchQuery *pQuery){
  KvStore *pStore = p->pStore;
  char *zSql;
  int rc;
  if( p->pOver==0 || kvFailed(&pStore->err) ) return;
  zSql = kvStmtSearchText(pStore, KVSQL_SEARCH_OVER_ROWS, pDef, pQuery->mMask);
  if( zSql==0 ) kvErrorCode(&pStore->err, SQLITE_NOMEM);
  if( kvFailed(&pStore->err) ) return;
  rc = sqlite3_prepare_v2(kvSearchOverlayDb(p->pOver), zSql, -1, &p->pPending, 0);
  sqlite3_free(zSql);
  if( rc==SQLITE_OK ) rc = searchScanBind(p->pPending, pQuery, 0);
  searchScanFail(p, rc);
}

/* The first step failed: FTS5 doesn't understand the query, unless the code says otherwise. */
static void searchScanWords(KvError *pErr){
  char *zMsg = 0;
  if( pErr->rc!=SQLITE_ERROR || pErr->zMsg==0 ) return;
  kvErrorTake(pErr, &zMsg);
  kvError(pErr, SQLITE_ERROR, "%s; kv_words(text) makes a query of a person's words", zMsg);
  sqlite3_free(zMsg);
}

int kvSearchStart(KvSearch *p, const char *zName, const KvSearchQuery *pQuery){
  KvStore *pStore = p->pStore;
  const KvIndexDef *pDef = kvIndexNamed(pStore, zName);
  int bKeys, bReady;
  kvSearchStop(p);
  if( pDef==0 ){
    kvIndexMeddled(pStore);
    return 0;
  }
  p->mMask = pQuery->mMask;
  bKeys = (pQuery->mMask & KVSEARCH_KEYS) && kvRowExpired(pStore, p->iNow)==0;
  p->pStmt = kvStmtSearch(pStore, bKeys ? KVSQL_SEARCH_ROWS_KEYS : KVSQL_SEARCH_ROWS, pDef,
                          pQuery->mMask);
  kvSearchModule(pStore, "kv_search()");
  if( p->pStmt ){
    int rc = searchScanBind(p->pStmt->pStmt, pQuery, p->iNow);
    if( rc!=SQLITE_OK ) kvErrorDb(&pStore->err, pStore->db, rc);
  }
  searchScanOver(p, pDef, pQuery);
  bReady = !kvFailed(&pStore->err);
  if( kvSearchStep(p) ) return 1;
  if( bReady ) searchScanWords(&pStore->err);
  return 0;
}

/* To the next row of the index that counts, if there is one. */
static void searchScanStored(KvSearch *p){
  while( p->pStmt && !p->bStored ){
    if( kvStmtRow(p->pStmt) ){
      KvBytes pk = kvStmtBytes(p->pStmt, KVSEARCH_COL_KEY);
      p->bStored = !p->pOver || !kvSearchOverlayHas(p->pOver, pk);
    }else{
      kvStmtGive(p->pStmt);
      p->pStmt = 0;
    }
  }
}

/* Look up the entry of a row of the overlay: it may have expired. */
static int searchScanPoint(KvSearch *p){
  KvBytes pk = kvSearchOverlayKey(p->pOver, sqlite3_column_int64(p->pPending, 0));
  if( p->pPoint==0 ) p->pPoint = kvStmtTake(p->pStore, KVSQL_SEARCH_POINT);
  else sqlite3_reset(p->pPoint->pStmt);
  kvBindBytes(p->pPoint, 1, pk);
  kvBindInt(p->pPoint, 2, p->iNow);
  return kvStmtRow(p->pPoint);
}

/* To the next row of the overlay, if there is one.  Its entry is looked up when it is the
** current row. */
static void searchScanPendingRow(KvSearch *p){
  int rc;
  if( p->pPending==0 || p->bPending || kvFailed(&p->pStore->err) ) return;
  rc = sqlite3_step(p->pPending);
  p->bPending = rc==SQLITE_ROW;
  if( p->bPending ) return;
  if( rc!=SQLITE_DONE ) searchScanFail(p, rc);
  sqlite3_finalize(p->pPending);
  p->pPending = 0;
}

/* Is the row of the overlay before that of the index? */
static int searchScanFirst(const KvSearch *p){
  double rStored, rPending;
  if( !p->bPending || !p->bStored ) return p->bPending;
  if( !(p->mMask & KVSEARCH_ORDER) ) return 0;
  rStored = sqlite3_column_double(p->pStmt->pStmt, KVSEARCH_COL_RANK);
  rPending = sqlite3_column_double(p->pPending, KVSEARCH_COL_RANK);
  return p->mMask & KVSEARCH_DESC ? rPending>rStored : rPending<rStored;
}

/* To the next row, of the index or of the overlay. */
static int searchScanNext(KvSearch *p){
  for(;;){
    searchScanStored(p);
    if( p->bStored==0 || (p->mMask & KVSEARCH_ORDER) ) searchScanPendingRow(p);
    if( kvFailed(&p->pStore->err) || (!p->bStored && !p->bPending) ) return 0;
    if( !searchScanFirst(p) ){
      p->bStored = 0;
      p->pRow = p->pHit = p->pStmt->pStmt;
      return 1;
    }
    p->bPending = 0;
    if( searchScanPoint(p) ){
      p->pRow = p->pPoint->pStmt;
      p->pHit = p->pPending;
      return 1;
    }
  }
}

/* As kvIndexScanStep() passes over what the statement itself writes. */
int kvSearchStep(KvSearch *p){
  int bRow;
  do{
    bRow = searchScanNext(p);
  }while( bRow && kvGuardWritten(p->pStore,
      kvBytes(sqlite3_column_blob(p->pRow, KVSEARCH_COL_KEY),
              (u32)sqlite3_column_bytes(p->pRow, KVSEARCH_COL_KEY)), p->iClock) );
  if( !bRow ) p->pRow = p->pHit = 0;
  return bRow;
}
