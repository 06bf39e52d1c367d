/*
** func_get.c -- SQL functions that read the main store.
**
**   kv_get(key [, path])   the value of an entry, or NULL
**   kv_versionstamp()      the store's newest versionstamp
**   kv_now()               milliseconds since 1970
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/program.h"
#include "sql/result.h"
#include "sql/snapshot.h"
#include "store_sql.h"
#include "codec/key/key_parse.h"
#include "codec/stored.h"
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
#define FUNC_GET_EXPIRES   3

/* The result for stored bytes. */
static void funcGetShow(KvCall *p, int eEncoding, KvBytes value){
  KvScratch *pScratch = kvScratchTake(p->pConn);
  sqlite3_value *pPath = kvCallArg(p, 1);
  if( pPath && sqlite3_value_type(pPath)!=SQLITE_NULL ){
    kvResultExtract(p->ctx, eEncoding, value, &pScratch->tree, pPath, &p->err);
  }else if( pPath ){
    kvValueRead(&pScratch->tree, eEncoding, value, &p->err);
  }else if( !kvResultPlain(p->ctx, eEncoding, value, KV_AS_VALUE, &pScratch->out)
         && kvValueRead(&pScratch->tree, eEncoding, value, &p->err)==KV_OK
  ){
    kvResultNode(p->ctx, &pScratch->tree, 0, -1);
  }
  kvScratchGive(pScratch);
}

/* The same, if they are a BLOB.  An error names the key. */
static void funcGetValue(KvCall *p, int eEncoding, KvBytes value, int bBlob){
  if( bBlob ) funcGetShow(p, eEncoding, value);
  else kvErrSet(&p->err, KV_CORRUPT, -1, "the stored value is not a BLOB");
  if( p->err.eCode!=KV_OK ){
    const char *zKey = (const char*)sqlite3_value_text(p->apArg[0]);
    char *zWhat = zKey ? sqlite3_mprintf("value of the key %s", zKey) : 0;
    if( zWhat==0 ) kvErrorCode(&p->error, SQLITE_NOMEM);
    else kvCallCodecError(p, zWhat);
    sqlite3_free(zWhat);
  }
}

/* Keep what a row has in the cache, unless another program has put something else
** into the columns than what belongs there. */
static void funcGetKeep(KvCall *p, sqlite3_stmt *pStmt, i64 iNow){
  KvHotValue value = { iNow, INT64_MAX, 0, 0, { 0, 0 } };
  sqlite3_value *pVal = sqlite3_column_value(pStmt, FUNC_GET_V);
  if( sqlite3_column_int(pStmt, FUNC_GET_FOUND) ){
    if( sqlite3_value_type(pVal)!=SQLITE_BLOB
     || sqlite3_column_type(pStmt, FUNC_GET_ENCODING)!=SQLITE_INTEGER
     || sqlite3_column_type(pStmt, FUNC_GET_EXPIRES)!=SQLITE_INTEGER
    ){
      return;
    }
    value.bFound = 1;
    value.iFrom = INT64_MIN;
    value.eEncoding = sqlite3_column_int(pStmt, FUNC_GET_ENCODING);
    value.v = kvArgBlob(pVal);
    if( sqlite3_column_int64(pStmt, FUNC_GET_EXPIRES)>=0 ){
      value.iTo = sqlite3_column_int64(pStmt, FUNC_GET_EXPIRES);
    }
  }
  kvHotAdd(&p->pConn->hot, p->pConn->db, kvBufBytes(&p->key), &value);
}

/* Look the key up in existing tables.  bKeep: the result may be cached. */
static void funcGetFind(KvCall *p, int bKeep){
  KvStmt *pStmt = kvStmtTake(p->pStore, KVSQL_READ_VALUE);
  i64 iNow = kvNow();
  kvBindBytes(pStmt, 1, kvBufBytes(&p->key));
  kvBindInt(pStmt, 3, iNow);
  if( kvStmtRow(pStmt) ){
    /* Taken as a value once, because each sqlite3_column_xxx() locks the connection.
    ** That is locked already: the row is read while another statement runs. */
    sqlite3_value *pVal = sqlite3_column_value(pStmt->pStmt, FUNC_GET_V);
    int eEncoding = sqlite3_column_int(pStmt->pStmt, FUNC_GET_ENCODING);
    if( bKeep ) funcGetKeep(p, pStmt->pStmt, iNow);
    if( eEncoding!=0 || sqlite3_column_int(pStmt->pStmt, FUNC_GET_FOUND) ){
      int bBlob = sqlite3_value_type(pVal)==SQLITE_BLOB;
      funcGetValue(p, eEncoding, bBlob ? kvArgBlob(pVal) : kvBytes(0, 0), bBlob);
    }
    kvSnapshotKeep(p->ctx, p->pConn, pStmt);
  }else{
    kvStmtGive(pStmt);
  }
}

static void funcGetLookup(KvCall *p, int bKeep){
  KvError *pError = kvStoreError(p->pStore);
  if( kvSchemaReady(p->pStore)!=KV_STORE_NONE ){
    funcGetFind(p, bKeep);
    if( pError->rc!=SQLITE_ERROR ) return;
    kvErrorClear(pError);
  }
  /* There are no tables, or not those that there were: look again, now in the
  ** snapshot in which the statement goes on. */
  kvSnapshotTake(p->ctx, p->pConn, p->pStore);
  if( kvSchemaOpen(p->pStore)!=KV_STORE_NONE ) funcGetFind(p, 0);
}

/* Answer from the cache, if it knows the key. */
static int funcGetHot(KvCall *p){
  KvHotValue value;
  if( !kvStmtCurrent(p->pStore, KVSQL_READ_VALUE) ) return 0;
  if( !kvHotFind(&p->pConn->hot, p->pConn->db, kvBufBytes(&p->key), kvNow(), &value) ) return 0;
  if( value.bFound ) funcGetValue(p, value.eEncoding, value.v, 1);
  return 1;
}

static void funcGet(KvCall *p){
  KvHot *pHot = &p->pConn->hot;
  int bHot;
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ) return;
  if( kvArgKey(p->apArg[0], KVKEY_MALFORMED, &p->key, 0, &p->err)!=KV_OK ) return;
  bHot = kvHotFresh(pHot, p->pConn->db) && kvProgramGets(p->pConn);
  if( bHot && funcGetHot(p) ) return;
  funcGetLookup(p, bHot && kvHotBegin(pHot, p->pConn->db));
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
