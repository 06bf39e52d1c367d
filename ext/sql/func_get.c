/*
** func_get.c -- SQL functions that read the main store.
**
**   kv_get(key [, path])   the value of an entry, or NULL
**   kv_versionstamp()      the store's newest versionstamp
**   kv_now()               milliseconds since 1970
*/
#include "sql/func_get.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/result.h"
#include "sql/snapshot.h"
#include "store/adapt.h"
#include "store_sql.h"

static void funcGetNow(KvCall *p){
  sqlite3_result_int64(p->ctx, kvNow());
}

/* Columns of KVSQL_READ_VALUE. */
#define FUNC_GET_V         0
#define FUNC_GET_ENCODING  1
#define FUNC_GET_FOUND     2

/* The result for the value of the row that the statement stands on. */
static void funcGetResult(KvCall *p, sqlite3_stmt *pStmt, KvScratch *pScratch){
  sqlite3_value *pPath = kvCallArg(p, 1);
  int eEncoding = sqlite3_column_int(pStmt, FUNC_GET_ENCODING);
  KvBytes value;
  if( eEncoding==0 && sqlite3_column_int(pStmt, FUNC_GET_FOUND)==0 ) return;
  if( pPath && sqlite3_value_type(pPath)!=SQLITE_NULL && kvColumnBytes(pStmt, FUNC_GET_V, &value) ){
    kvResultExtract(p->ctx, eEncoding, value, &pScratch->tree, pPath, &p->err);
    return;
  }
  if( pPath==0 && kvResultPlainColumn(p->ctx, pStmt, FUNC_GET_V, eEncoding, KV_AS_VALUE, &pScratch->out) ){
    return;
  }
  if( kvColumnRead(pStmt, FUNC_GET_V, eEncoding, &pScratch->tree, &p->err)==KV_OK && pPath==0 ){
    kvResultNode(p->ctx, &pScratch->tree, 0, -1);
  }
}

static void funcGetRow(KvCall *p, sqlite3_stmt *pStmt){
  KvScratch *pScratch = kvScratchTake(p->pConn);
  funcGetResult(p, pStmt, pScratch);
  kvScratchGive(pScratch);
  if( p->err.eCode!=KV_OK ){
    const char *zKey = (const char*)sqlite3_value_text(p->apArg[0]);
    char *zWhat = zKey ? sqlite3_mprintf("value of the key %s", zKey) : 0;
    if( zWhat==0 ) kvErrorCode(&p->error, SQLITE_NOMEM);
    else kvCallCodecError(p, zWhat);
    sqlite3_free(zWhat);
  }
}

/* Look the key up in tables that are there.  SQLITE_OK, or an error that is not
** reported yet. */
static int funcGetFind(KvCall *p, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p->pStore, KVSQL_READ_VALUE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, p->key.a, p->key.n);
  kvBindInt(pStmt, 3, kvNow());
  rc = kvStep(pStmt);
  if( rc!=SQLITE_ROW ){
    kvStoreFailed(p->pStore, rc, pzErr);
    kvStoreGive(p->pStore, pStmt);
    return rc;
  }
  funcGetRow(p, pStmt->pStmt);
  kvSnapshotKeep(p->ctx, p->pConn, pStmt);
  return SQLITE_OK;
}

static int funcGetLookup(KvCall *p, char **pzErr){
  KvStore *pStore = p->pStore;
  int rc = kvStoreReady(pStore, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( kvSchemaState(pStore)!=KV_STORE_NONE ){
    rc = funcGetFind(p, pzErr);
    if( rc!=SQLITE_ERROR ) return rc;
    sqlite3_free(*pzErr);
    *pzErr = 0;
  }
  /* There are no tables, or not those that there were: look again, now in the
  ** snapshot in which the statement goes on. */
  rc = kvSnapshotTake(p->ctx, p->pConn, pStore, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreOpen(pStore, pzErr);
  if( rc!=SQLITE_OK || kvSchemaState(pStore)==KV_STORE_NONE ) return rc;
  return funcGetFind(p, pzErr);
}

static void funcGet(KvCall *p){
  char *zErr = 0;
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ) return;
  if( kvArgKey(p->apArg[0], KVKEY_MALFORMED, &p->key, 0, &p->err)==KV_OK ){
    kvCallDone(p, funcGetLookup(p, &zErr), &zErr);
  }
}

static void funcGetVersionstamp(KvCall *p){
  char *zErr = 0;
  i64 iVersion;
  if( kvCallDone(p, kvStoreVersion(p->pStore, &iVersion, &zErr), &zErr)==SQLITE_OK ){
    kvResultVersionstamp(p->ctx, iVersion);
  }
}

const KvFunc kvFuncsGet[] = {
  { "kv_get",          1, 2, SQLITE_RESULT_SUBTYPE, KVCALL_STORE, funcGet, 0 },
  { "kv_now",          0, 0, SQLITE_INNOCUOUS, 0, funcGetNow, 0 },
  { "kv_versionstamp", 0, 0, 0, KVCALL_STORE|KVCALL_SNAPSHOT, funcGetVersionstamp, 0 },
  { 0 }
};
