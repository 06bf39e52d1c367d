/*
** track.c -- the change feed of a store.  See index.h and sql/store/track.sql.
*/
#include "store/index_maintain.h"
SQLITE_EXTENSION_INIT3
#include "store_sql.h"

int kvTrackStep(KvStore *p, KvStmt *pStmt){
  u8 bOuter = p->bAside;
  int rc;
  p->bAside = 1;
  rc = kvStep(pStmt);
  p->bAside = bOuter;
  return rc;
}

int kvTrackPin(KvStore *p, KvStmt **ppPin, KvTrack *pTrack, char **pzErr){
  KvStmt *pStmt;
  int rc;
  memset(pTrack, 0, sizeof(*pTrack));
  *ppPin = 0;
  if( p->bAside ){
    *pzErr = kvMsg("kv: %!.100s.%!.100skv_track_state, kv_index_def or kv_index_row is a view "
        "that reads itself", p->zSchema, p->zPrefix);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  rc = kvStoreStatement(p, KVSQL_TRACK_GET, &pStmt, pzErr);
  /* No such table: there is no feed. */
  if( rc!=SQLITE_OK ) return kvStoreMissing(p, "kv_track_state", "applied", rc, pzErr);
  rc = kvTrackStep(p, pStmt);
  if( rc==SQLITE_ROW ){
    rc = kvStoreSchema(p, 0, pzErr);   /* as of this transaction */
    if( rc!=SQLITE_OK ){
      kvStoreGive(p, pStmt);
      return rc;
    }
    pTrack->bThere = 1;
    pTrack->bWanted = sqlite3_column_int(pStmt->pStmt, 0)!=0;
    pTrack->iSince = sqlite3_column_int64(pStmt->pStmt, 1);
    pTrack->iGeneration = sqlite3_column_int64(pStmt->pStmt, 2);
    pTrack->iApplied = sqlite3_column_int64(pStmt->pStmt, 3);
    pTrack->iVersion = sqlite3_column_int64(pStmt->pStmt, 4);
    *ppPin = pStmt;
    return SQLITE_OK;
  }
  /* The tables may have gone while it was kept. */
  rc = rc==SQLITE_DONE ? SQLITE_OK
     : kvStoreMissing(p, "kv_track_state", "applied", kvStoreFailed(p, rc, pzErr), pzErr);
  kvStoreGive(p, pStmt);
  return rc;
}

int kvTrackGet(KvStore *p, KvTrack *pTrack, char **pzErr){
  KvStmt *pPin;
  int rc = kvTrackPin(p, &pPin, pTrack, pzErr);
  kvStoreGive(p, pPin);
  return rc;
}

/* Run a statement that sets a column of the state, or the like. */
static int trackSet(KvStore *p, int eSql, i64 v, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, v);
  return kvStoreRun(p, pStmt, pzErr);
}

int kvTrackOn(KvStore *p, int bWanted, char **pzErr){
  static const int aSql[] = {
    KVSQL_TRACK_VERSION_INDEX, KVSQL_TRACK_DELETED, KVSQL_TRACK_DELETED_INDEX,
    KVSQL_TRACK_STATE, KVSQL_TRACK_STATE_ROW,
    KVSQL_TRACK_ON_DELETE, KVSQL_TRACK_ON_MOVE,
  };
  u32 i;
  int bThere;
  int rc = kvStoreOwn(p, KV_OWN_FEED, 1, &bThere, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreCreate(p, pzErr);
  for(i=0; rc==SQLITE_OK && i<sizeof(aSql)/sizeof(aSql[0]); i++){
    rc = kvStoreSimple(p, aSql[i], pzErr);
  }
  return rc==SQLITE_OK && bWanted ? kvStoreSimple(p, KVSQL_TRACK_SET_WANTED, pzErr) : rc;
}

int kvTrackTrim(KvStore *p, i64 iBefore, i64 *pnGone, char **pzErr){
  int rc = trackSet(p, KVSQL_TRACK_SET_SINCE, iBefore, pzErr);
  if( rc==SQLITE_OK ) rc = trackSet(p, KVSQL_TRACK_TRIM, iBefore, pzErr);
  *pnGone = rc==SQLITE_OK ? sqlite3_changes64(p->db) : 0;
  return rc;
}

int kvTrackForget(KvStore *p, i64 iMost, char **pzErr){
  return trackSet(p, KVSQL_TRACK_FORGET, iMost, pzErr);
}

int kvTrackDrop(KvStore *p, char **pzErr){
  static const int aSql[] = {
    KVSQL_TRACK_DROP_DELETE, KVSQL_TRACK_DROP_MOVE, KVSQL_TRACK_DROP_VERSION_INDEX,
    KVSQL_TRACK_DROP_DELETED, KVSQL_TRACK_DROP_STATE,
  };
  u32 i;
  int bThere;
  int rc = kvStoreOwn(p, KV_OWN_FEED, 0, &bThere, pzErr);
  for(i=0; rc==SQLITE_OK && bThere && i<sizeof(aSql)/sizeof(aSql[0]); i++){
    rc = kvStoreSimple(p, aSql[i], pzErr);
  }
  kvStoreRelease(p);
  return rc;
}

int kvTrackSettle(KvStore *p, char **pzErr){
  i64 iVersion = 0;
  int rc = kvIndexLook(p, pzErr);
  if( rc==SQLITE_OK && (p->bIndexed || p->bTracked) ) rc = kvStoreNewest(p, &iVersion, pzErr);
  if( rc==SQLITE_OK && p->bIndexed ) rc = kvIndexSwept(p, iVersion, pzErr);
  if( rc==SQLITE_OK && p->bTracked ) rc = trackSet(p, KVSQL_TRACK_SETTLE, iVersion, pzErr);
  if( rc==SQLITE_OK ) p->bSwept = 0;   /* else the next version follows it up */
  return rc;
}
