/*
** write.c -- the statements that change a store.  See store.h.
*/
#include "store/store.h"
SQLITE_EXTENSION_INIT3
#include "store/index_maintain.h"
#include "store_sql.h"

/* Expired entries that a write removes. */
#define WRITE_SWEEP_FEW  4

KvWork kvStoreBegin(KvStore *p, int bOwnStatement){
  KvWork outer = p->work;
  memset(&p->work, 0, sizeof(p->work));
  p->work.bInner = outer.bInner || outer.iVersion>0;
  p->work.bOwnStatement = bOwnStatement!=0;
  return outer;
}

void kvStoreEnd(KvStore *p, const KvWork *pOuter){
  p->work = *pOuter;
}

/*
** What is to be done goes by the tables that are there and not by the number of
** the last migration, which may be that of tables that are gone.
*/
int kvStoreCreate(KvStore *p, char **pzErr){
  static const int aSql[] = {
    KVSQL_MIGRATE_STATE,
    KVSQL_MIGRATE_1_VERSION, KVSQL_MIGRATE_1_ROW, KVSQL_MIGRATE_1_KV,
    KVSQL_MIGRATE_2_QUEUE, KVSQL_MIGRATE_2_RUNNING,
    KVSQL_MIGRATE_3_VERSION_SEQ, KVSQL_MIGRATE_3_KV_SEQ, KVSQL_MIGRATE_3_KV_EXPIRATION,
    KVSQL_MIGRATE_3_INDEX,
    KVSQL_MIGRATE_SET,
  };
  u32 i;
  int rc = kvStoreReady(p, pzErr);
  if( rc!=SQLITE_OK || p->eState==KV_STORE_READY ) return rc;
  rc = kvStoreRoom(p, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( !p->work.bOwnStatement ) return KV_AGAIN;
  p->work.bMaking = 1;
  for(i=0; rc==SQLITE_OK && i<sizeof(aSql)/sizeof(aSql[0]); i++){
    if( i>=1 && i<=3 && p->eState==KV_STORE_OLD ) continue;
    rc = kvStoreSimple(p, aSql[i], pzErr);
  }
  if( rc==SQLITE_OK ) rc = kvStoreOpen(p, pzErr);
  if( rc==SQLITE_OK ) p->work.bMaking = 0;
  return rc;
}

/*
** What makes the tables in another file begins with the first of them.  If the
** rest fails that one is undone with the statement around it; but inside of a
** transaction a statement of one row has no savepoint.  So there it is done under
** that of a statement on main, if main can be written to.
*/
int kvStoreRunner(KvStore *p, int *peSql, char **pzErr){
  int rc;
  *peSql = KVSQL_RUN;
  if( sqlite3_stricmp(p->zSchema, "main")==0 ) return SQLITE_OK;
  rc = kvStoreReady(p, pzErr);
  if( rc==SQLITE_OK && p->eState==KV_STORE_READY ) *peSql = KVSQL_RUN_THERE;
  if( rc!=SQLITE_OK || p->eState==KV_STORE_READY ) return rc;
  if( !sqlite3_get_autocommit(p->db) && sqlite3_db_readonly(p->db, "main")==0 ) return SQLITE_OK;
  *peSql = KVSQL_RUN_MAKING;
  rc = kvStoreRoom(p, pzErr);
  return rc==SQLITE_OK ? kvStoreSimple(p, KVSQL_MIGRATE_STATE, pzErr) : rc;
}

int kvStoreFence(KvStore *p, char **pzErr){
  return kvStoreSimple(p, KVSQL_FENCE, pzErr);
}

int kvStoreLock(KvStore *p, char **pzErr){
  int rc = kvStoreReady(p, pzErr);
  if( rc!=SQLITE_OK || p->eState==KV_STORE_NONE ) return rc;
  rc = kvStoreFence(p, pzErr);
  if( rc==SQLITE_ERROR && kvStoreChanged(p) ){
    sqlite3_free(*pzErr);              /* the tables are gone */
    *pzErr = 0;
    rc = SQLITE_OK;
  }
  return rc;
}

int kvStoreNewest(KvStore *p, i64 *piVersion, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreSchema(p, 0, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreStatement(p, KVSQL_BUMP_LOOK, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    *piVersion = sqlite3_column_int64(pStmt->pStmt, 0);
    rc = SQLITE_OK;
  }else if( rc==SQLITE_DONE ){
    *pzErr = kvMsg("kv: %!.100s.%!.100sdata_version has no usable row with k = 0; "
        "it must hold the newest version as an integer", p->zSchema, p->zPrefix);
    rc = SQLITE_ERROR;
  }else{
    kvStoreFailed(p, rc, pzErr);
  }
  kvStoreGive(p, pStmt);
  return rc;
}

int kvStoreBump(KvStore *p, i64 *piVersion, int *pnStep, char **pzErr){
  KvStmt *pStmt;
  u8 cRandom;
  i64 iOld = 0;
  int rc = kvStoreNewest(p, &iOld, pzErr);
  *pnStep = 0;
  if( p->bUntold ) kvTxnForget(p);     /* it may be this one, of what is undone */
  if( rc==SQLITE_OK ) rc = kvStoreStatement(p, KVSQL_BUMP, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  do{
    sqlite3_randomness(1, &cRandom);
  }while( cRandom>=252 );              /* 252 is a multiple of 9 */
  *pnStep = cRandom%9 + 1;
  *piVersion = iOld + *pnStep;
  kvBindInt(pStmt, 1, *piVersion);
  p->bBumped = 1;
  rc = kvStoreWrite(p, pStmt, pzErr);
  if( rc==SQLITE_OK ){
    rc = kvIndexBegin(p, iOld, *piVersion, pzErr);
    if( rc!=SQLITE_OK ) rc = kvStoreUnbump(p, *pnStep, rc);
  }
  if( rc!=SQLITE_OK ) *pnStep = 0;
  return rc;
}

/* True while the store's file is being written to.  After an error it tells
** whether SQLite has rolled the whole transaction back. */
static int writeInTransaction(KvStore *p){
  return sqlite3_txn_state(p->db, p->zSchema)==SQLITE_TXN_WRITE;
}

int kvStoreUnbump(KvStore *p, int nStep, int rc){
  KvStmt *pStmt;
  char *zErr = 0;
  int rcBack;
  if( nStep==0 || !writeInTransaction(p) ) return rc;
  rcBack = kvStoreStatement(p, KVSQL_UNBUMP, &pStmt, &zErr);
  if( rcBack==SQLITE_OK ){
    kvBindInt(pStmt, 1, nStep);
    rcBack = kvStoreRun(p, pStmt, &zErr);
  }
  sqlite3_free(zErr);
  return rc==KV_AGAIN && rcBack!=SQLITE_OK ? rcBack : rc;
}

int kvStoreFind(
  KvStore *p, const u8 *aKey, u32 nKey, i64 iNow, int bValue,
  KvFound *pFound, char **pzErr
){
  KvStmt *pStmt;
  int rc = kvStoreReady(p, pzErr);
  pFound->bFound = 0;
  if( rc!=SQLITE_OK || p->eState==KV_STORE_NONE ) return rc;
  rc = kvStoreReader(p, KVREAD_POINT|KVREAD_META|(bValue ? KVREAD_VALUE : 0), &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, aKey, nKey);
  kvBindInt(pStmt, 3, iNow);
  rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    pFound->bFound = 1;
    pFound->iVersion = sqlite3_column_int64(pStmt->pStmt, KVREAD_COL_VERSION);
    pFound->iExpires = sqlite3_column_int64(pStmt->pStmt, KVREAD_COL_EXPIRES);
    rc = SQLITE_OK;
    if( bValue ){
      const void *a = sqlite3_column_blob(pStmt->pStmt, KVREAD_COL_V);
      pFound->eEncoding = sqlite3_column_int(pStmt->pStmt, KVREAD_COL_ENCODING);
      kvBufReset(&pFound->v);
      kvBufAppend(&pFound->v, a, (u64)sqlite3_column_bytes(pStmt->pStmt, KVREAD_COL_V));
      if( pFound->v.eErr!=KV_OK ) rc = SQLITE_NOMEM;
    }
  }else if( rc==SQLITE_DONE ){
    rc = SQLITE_OK;
  }else{
    kvStoreFailed(p, rc, pzErr);
  }
  kvStoreGive(p, pStmt);
  return rc;
}

int kvStorePut(
  KvStore *p, const u8 *aKey, u32 nKey, const u8 *a, u32 n, int eEncoding,
  i64 iVersion, i64 iExpires, char **pzErr
){
  int rc = kvStorePutBare(p, aKey, nKey, a, n, eEncoding, iVersion, iExpires, pzErr);
  return rc==SQLITE_OK ? kvIndexWritten(p, aKey, nKey, pzErr) : rc;
}

/* Run one of the statements that set an entry. */
static int writePut(
  KvStore *p, int eSql, const u8 *aKey, u32 nKey, const u8 *a, u32 n, int eEncoding,
  i64 iVersion, i64 iExpires, char **pzErr
){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, aKey, nKey);
  kvBindBlob(pStmt, 2, a, n);
  kvBindInt(pStmt, 3, eEncoding);
  kvBindInt(pStmt, 4, iVersion);
  if( eSql==KVSQL_PUT ) kvBindInt(pStmt, 5, iExpires);
  return kvStoreWrite(p, pStmt, pzErr);
}

int kvStorePutBare(
  KvStore *p, const u8 *aKey, u32 nKey, const u8 *a, u32 n, int eEncoding,
  i64 iVersion, i64 iExpires, char **pzErr
){
  int rc = kvMarksPut(p, aKey, nKey, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( iExpires==-1 ){
    rc = writePut(p, KVSQL_PUT_LASTING, aKey, nKey, a, n, eEncoding, iVersion, -1, pzErr);
    if( rc!=SQLITE_OK || sqlite3_changes64(p->db)!=0 ) return rc;
  }
  return writePut(p, KVSQL_PUT, aKey, nKey, a, n, eEncoding, iVersion, iExpires, pzErr);
}

/*
** An entry is about to move to a key: remove what is there, which may have
** expired.  (UPDATE OR REPLACE would do so, but it also replaces what the
** statements of triggers run into, whatever they say.)
*/
static int writeMakeRoom(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr){
  KvStmt *pStmt;
  KvFound found;
  int rc;
  memset(&found, 0, sizeof(found));
  rc = kvStoreFind(p, aKey, nKey, -1, 0, &found, pzErr);   /* before all expiry */
  if( rc!=SQLITE_OK || !found.bFound ) return rc;
  if( !p->work.bOwnStatement ) return KV_AGAIN;            /* moving it may fail then */
  rc = kvStoreStatement(p, KVSQL_DELETE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, aKey, nKey);
  return kvStoreRun(p, pStmt, pzErr);
}

int kvStoreUpdate(
  KvStore *p, const u8 *aKey, u32 nKey, i64 iVersion, u32 mMask,
  const u8 *aNew, u32 nNew, const u8 *a, u32 n, int eEncoding, i64 iExpires,
  char **pzErr
){
  KvStmt *pStmt;
  int rc = kvMarksAdd(p, aKey, nKey);
  if( rc==SQLITE_OK && (mMask & KVSET_KEY) ) rc = kvMarksPut(p, aNew, nNew, pzErr);
  if( rc==SQLITE_OK && (mMask & KVSET_KEY) ) rc = writeMakeRoom(p, aNew, nNew, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreUpdater(p, mMask, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, aKey, nKey);
  kvBindInt(pStmt, 2, iVersion);
  if( mMask & KVSET_KEY ) kvBindBlob(pStmt, 3, aNew, nNew);
  if( mMask & KVSET_VALUE ){
    kvBindBlob(pStmt, 4, a, n);
    kvBindInt(pStmt, 5, eEncoding);
  }
  if( mMask & KVSET_EXPIRY ) kvBindInt(pStmt, 6, iExpires);
  rc = kvStoreWrite(p, pStmt, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexWritten(p, aKey, nKey, pzErr);
  if( rc==SQLITE_OK && (mMask & KVSET_KEY) ) rc = kvIndexWritten(p, aNew, nNew, pzErr);
  return rc;
}

int kvStoreDelete(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr){
  int rc = kvStoreDeleteBare(p, aKey, nKey, pzErr);
  return rc==SQLITE_OK ? kvIndexWritten(p, aKey, nKey, pzErr) : rc;
}

int kvStoreDeleteBare(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr){
  KvStmt *pStmt;
  int rc = kvMarksAdd(p, aKey, nKey);
  if( rc==SQLITE_OK ) rc = kvStoreStatement(p, KVSQL_DELETE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, aKey, nKey);
  return kvStoreWrite(p, pStmt, pzErr);
}

/* Remove up to nMost entries that have expired, -1: all.  bAside: an error will be
** passed over, so it must not leave half of it. */
static int writeSweep(KvStore *p, i64 iNow, i64 nMost, int bAside, i64 *pnGone, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, KVSQL_SWEEP, &pStmt, pzErr);
  *pnGone = 0;
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, iNow);
  kvBindInt(pStmt, 2, nMost);
  if( bAside && pStmt->bHalf ){
    kvStoreGive(p, pStmt);
    return SQLITE_OK;
  }
  rc = kvStoreRun(p, pStmt, pzErr);
  if( rc==SQLITE_OK ) *pnGone = sqlite3_changes64(p->db);
  if( *pnGone ) p->bSwept = 1;
  return rc;
}

int kvStoreSweep(KvStore *p, i64 iNow, i64 *pnGone, char **pzErr){
  return writeSweep(p, iNow, -1, 0, pnGone, pzErr);
}

int kvStoreHasExpired(KvStore *p, i64 iNow, int *pbThere, char **pzErr){
  KvStmt *pStmt;
  int rc;
  *pbThere = -1;
  if( p->bNoExpiryIndex ) return SQLITE_OK;
  rc = kvStoreStatement(p, KVSQL_SWEEP_LOOK, &pStmt, pzErr);
  if( rc!=SQLITE_OK ){
    p->bNoExpiryIndex = rc==SQLITE_ERROR;
    return rc;
  }
  kvBindInt(pStmt, 1, iNow);
  rc = kvStep(pStmt);
  *pbThere = rc==SQLITE_ROW;
  rc = rc==SQLITE_ROW || rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  kvStoreGive(p, pStmt);
  return rc;
}

/*
** The write that this goes with has been done.  If the sweep fails, that does
** no harm as long as SQLite takes back the sweep alone; so there is none if a
** trigger may keep it from that (RAISE(FAIL)).  And some errors (no
** memory, a full disk, a trigger with RAISE(ROLLBACK)) take the transaction
** with them, the write too: then the write has failed.
*/
int kvStoreSweepSome(KvStore *p, i64 iNow, char **pzErr){
  int bThere;
  i64 nGone;
  int rc = kvStoreHasExpired(p, iNow, &bThere, pzErr);
  if( rc==SQLITE_OK && bThere>0 ) rc = writeSweep(p, iNow, WRITE_SWEEP_FEW, 1, &nGone, pzErr);
  if( rc==SQLITE_OK && bThere>0 ) rc = kvTrackSettle(p, pzErr);
  if( rc!=SQLITE_OK && writeInTransaction(p) ){
    sqlite3_free(*pzErr);
    *pzErr = 0;
    rc = SQLITE_OK;
  }
  return rc;
}
