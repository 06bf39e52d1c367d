/*
** func_get.c -- SQL functions that read the main store.
**
**   kv_get(key [, path])   the value of an entry, or NULL
**   kv_versionstamp()      the store's newest versionstamp
**   kv_now()               milliseconds since 1970
*/
#include "sql/func_get.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/snapshot.h"
#include "store_sql.h"
#include "codec/key/key_parse.h"
#include "store/clock.h"
#include "store/row.h"
#include "store/schema.h"

static void funcGetNow(KvCall *p){
  sqlite3_result_int64(p->ctx, kvNow());
}

/* Columns of KVSQL_READ_VALUE. */
#define FUNC_GET_V         0
#define FUNC_GET_ENCODING  1
#define FUNC_GET_FOUND     2

/* The result for the value of the row that the statement stands on.  (Taken as a value
** once, because each sqlite3_column_xxx() locks the connection.  That is locked already:
** the row is read while another statement runs.) */
static void funcGetResult(KvCall *p, sqlite3_stmt *pStmt, KvScratch *pScratch){
  sqlite3_value *pPath = kvCallArg(p, 1);
  sqlite3_value *pVal = sqlite3_column_value(pStmt, FUNC_GET_V);
  int eEncoding = sqlite3_column_int(pStmt, FUNC_GET_ENCODING);
  if( eEncoding==0 && sqlite3_column_int(pStmt, FUNC_GET_FOUND)==0 ) return;
  if( sqlite3_value_type(pVal)==SQLITE_BLOB ){
    if( pPath && sqlite3_value_type(pPath)!=SQLITE_NULL ){
      kvResultExtract(p->ctx, eEncoding, kvArgBlob(pVal), &pScratch->tree, pPath, &p->err);
      return;
    }
    if( pPath==0
     && kvResultPlain(p->ctx, eEncoding, kvArgBlob(pVal), KV_AS_VALUE, &pScratch->out)
    ){
      return;
    }
  }
  if( kvReadStored(pVal, eEncoding, &pScratch->tree, &p->err)==KV_OK && pPath==0 ){
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

/* Look the key up in tables that are there. */
static void funcGetFind(KvCall *p){
  KvStmt *pStmt = kvStmtTake(p->pStore, KVSQL_READ_VALUE);
  kvBindBytes(pStmt, 1, kvBufBytes(&p->key));
  kvBindInt(pStmt, 3, kvNow());
  if( kvStmtRow(pStmt) ){
    funcGetRow(p, pStmt->pStmt);
    kvSnapshotKeep(p->ctx, p->pConn, pStmt);
  }else{
    kvStmtGive(pStmt);
  }
}

static void funcGetLookup(KvCall *p){
  KvError *pError = kvStoreError(p->pStore);
  if( kvSchemaReady(p->pStore)!=KV_STORE_NONE ){
    funcGetFind(p);
    if( pError->rc!=SQLITE_ERROR ) return;
    kvErrorClear(pError);
  }
  /* There are no tables, or not those that there were: look again, now in the
  ** snapshot in which the statement goes on. */
  kvSnapshotTake(p->ctx, p->pConn, p->pStore);
  if( kvSchemaOpen(p->pStore)!=KV_STORE_NONE ) funcGetFind(p);
}

static void funcGet(KvCall *p){
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ) return;
  if( kvArgKey(p->apArg[0], KVKEY_MALFORMED, &p->key, 0, &p->err)==KV_OK ) funcGetLookup(p);
}

static void funcGetVersionstamp(KvCall *p){
  i64 iVersion = kvRowVersion(p->pStore);
  if( !kvFailed(kvStoreError(p->pStore)) ) kvResultVersionstamp(p->ctx, iVersion);
}

const KvFunc kvFuncsGet[] = {
  { "kv_get",          1, 2, SQLITE_RESULT_SUBTYPE, KVCALL_KEY|KVCALL_STORE, funcGet, 0 },
  { "kv_now",          0, 0, SQLITE_INNOCUOUS, 0, funcGetNow, 0 },
  { "kv_versionstamp", 0, 0, 0, KVCALL_STORE|KVCALL_SNAPSHOT, funcGetVersionstamp, 0 },
  { 0 }
};
