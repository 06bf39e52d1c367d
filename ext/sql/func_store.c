/*
** func_store.c -- SQL functions that read the main store.
**
**   kv_get(key [, path])   the value of an entry, or NULL
**   kv_versionstamp()      the store's newest versionstamp
**   kv_config(name [, n])  read or set a limit or another setting
**   kv_now()               milliseconds since 1970
*/
#include "sql/func_store.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/result.h"
#include "sql/snapshot.h"
#include "store/atomic.h"
#include "store_sql.h"

static void kvNowFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  (void)nArg; (void)apArg;
  sqlite3_result_int64(ctx, kvNow());
}

/* Columns of KVSQL_READ_VALUE. */
#define FNS_COL_V         0
#define FNS_COL_ENCODING  1
#define FNS_COL_FOUND     2

/* The result for the value of the row, or the error of reading it. */
static int fnsResult(
  sqlite3_context *ctx, sqlite3_stmt *pStmt, KvScratch *p, sqlite3_value *pPath, KvErr *pErr
){
  int eEncoding = sqlite3_column_int(pStmt, FNS_COL_ENCODING);
  const u8 *a;
  u32 n;
  int rc;
  if( eEncoding==0 && sqlite3_column_int(pStmt, FNS_COL_FOUND)==0 ) return KV_OK;
  if( pPath && sqlite3_value_type(pPath)!=SQLITE_NULL
   && kvColumnBytes(pStmt, FNS_COL_V, &a, &n)
  ){
    return kvResultExtract(ctx, eEncoding, a, n, &p->tree, pPath, pErr);
  }
  if( pPath==0 && kvResultPlainColumn(ctx, pStmt, FNS_COL_V, eEncoding, KV_AS_VALUE, &p->out) ){
    return KV_OK;
  }
  rc = kvColumnRead(pStmt, FNS_COL_V, eEncoding, &p->tree, pErr);
  if( rc==KV_OK && pPath==0 ) kvResultNode(ctx, &p->tree, 0, -1);
  return rc;
}

/* The result for the row that the statement stands on. */
static void fnsRow(
  sqlite3_context *ctx, sqlite3_stmt *pStmt, const char *zKey, sqlite3_value *pPath
){
  KvConn *pConn = sqlite3_user_data(ctx);
  KvScratch *p = kvScratchTake(pConn);
  KvErr err;
  int rc = fnsResult(ctx, pStmt, p, pPath, &err);
  if( rc!=KV_OK ){
    char *zWhat = zKey ? sqlite3_mprintf("value of the key %s", zKey) : 0;
    if( zWhat==0 ) sqlite3_result_error_nomem(ctx);
    else kvResultCodecError(ctx, zWhat, &err);
    sqlite3_free(zWhat);
  }
  kvScratchGive(p);
}

/* Look the stored key up in tables that are there. */
static int fnsFind(
  sqlite3_context *ctx, KvStore *pStore, const KvBuf *pKey,
  sqlite3_value *pKeyText, sqlite3_value *pPath, char **pzErr
){
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_READ_VALUE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, pKey->a, pKey->n);
  kvBindInt(pStmt, 3, kvNow());
  rc = kvStep(pStmt);
  if( rc!=SQLITE_ROW ){
    kvStoreFailed(pStore, rc, pzErr);
    kvStoreGive(pStore, pStmt);
    return rc;
  }
  fnsRow(ctx, pStmt->pStmt, (const char*)sqlite3_value_text(pKeyText), pPath);
  kvSnapshotKeep(ctx, pStmt);
  return SQLITE_OK;
}

/* Look the stored key up. */
static int fnsLookup(
  sqlite3_context *ctx, KvStore *pStore, const KvBuf *pKey,
  sqlite3_value *pKeyText, sqlite3_value *pPath, char **pzErr
){
  int rc = kvStoreReady(pStore, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( kvSchemaState(pStore)!=KV_STORE_NONE ){
    rc = fnsFind(ctx, pStore, pKey, pKeyText, pPath, pzErr);
    if( rc!=SQLITE_ERROR ) return rc;
    sqlite3_free(*pzErr);
    *pzErr = 0;
  }
  /* There are no tables, or not those that there were: look again, now in the
  ** snapshot in which the statement goes on. */
  rc = kvSnapshotTake(ctx, pStore, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreOpen(pStore, pzErr);
  if( rc!=SQLITE_OK || kvSchemaState(pStore)==KV_STORE_NONE ) return rc;
  return fnsFind(ctx, pStore, pKey, pKeyText, pPath, pzErr);
}

static void kvGetFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvConn *pConn = sqlite3_user_data(ctx);
  u8 aKey[2100];
  KvBuf key;
  KvErr err;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return;
  kvBufInit(&key, aKey, sizeof(aKey));
  if( kvArgKey(apArg[0], KVKEY_MALFORMED, &key, 0, &err)!=KV_OK ){
    kvResultCodecError(ctx, "kv_get()", &err);
  }else{
    KvStore *pStore = kvConnMainStore(pConn);
    if( pStore==0 ){
      sqlite3_result_error_nomem(ctx);
    }else{
      char *zErr = 0;
      int rc = fnsLookup(ctx, pStore, &key, apArg[0], nArg>1 ? apArg[1] : 0, &zErr);
      if( rc!=SQLITE_OK ) kvResultError(ctx, rc, zErr);
      kvConnDropStore(pConn, pStore);
    }
  }
  kvBufClear(&key);
}

static void kvVersionstampFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvConn *pConn = sqlite3_user_data(ctx);
  KvStore *pStore = kvConnMainStore(pConn);
  char *zErr = 0;
  i64 iVersion;
  int rc;
  (void)nArg; (void)apArg;
  if( pStore==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  rc = kvSnapshotTake(ctx, pStore, &zErr);
  if( rc==SQLITE_OK ) rc = kvStoreVersion(pStore, &iVersion, &zErr);
  if( rc==SQLITE_OK ){
    kvResultVersionstamp(ctx, iVersion);
  }else{
    kvResultError(ctx, rc, zErr);
  }
  kvConnDropStore(pConn, pStore);
}

/* What kv_config() knows besides the limits. */
enum { FNS_LIMIT, FNS_V8_VERSION, FNS_SELECT_WRITES };

/* A setting: its value and the values that it may be given. */
typedef struct FnsSetting FnsSetting;
struct FnsSetting {
  int eKind;              /* FNS_xxx */
  int eLimit;             /* FNS_LIMIT: which one */
  i64 v, iLeast, iMost;
};

/* Find a setting by its name.  0 if there is none. */
static int fnsSetting(const KvConn *p, const char *zName, FnsSetting *pOut){
  pOut->eLimit = kvLimitFind(zName);
  if( pOut->eLimit>=0 ){
    pOut->eKind = FNS_LIMIT;
    pOut->v = p->aLimit[pOut->eLimit];
    pOut->iLeast = 1;
    pOut->iMost = kvLimitMost(pOut->eLimit);
  }else if( strcmp(zName, "v8_version")==0 ){
    pOut->eKind = FNS_V8_VERSION;
    pOut->v = p->iV8Version;
    pOut->iLeast = 15;
    pOut->iMost = 16;
  }else if( strcmp(zName, "select_writes")==0 ){
    pOut->eKind = FNS_SELECT_WRITES;
    pOut->v = !p->bNoSelectWrites;
    pOut->iLeast = 0;
    pOut->iMost = pOut->v;             /* whoever set it to 0 relies on it */
  }else{
    return 0;
  }
  return 1;
}

/* There is no such setting: the error lists those that there are. */
static void fnsNoSetting(sqlite3_context *ctx, const char *zName){
  sqlite3_str *pOut = sqlite3_str_new(0);
  char *zList, *zErr = 0;
  int i;
  for(i=0; i<KV_LIMIT_COUNT; i++) sqlite3_str_appendf(pOut, "%s, ", kvLimitName(i));
  sqlite3_str_appendall(pOut, "v8_version and select_writes");
  zList = sqlite3_str_finish(pOut);
  if( zList ){
    zErr = kvMsg("kv: kv_config(): there is no setting '%!.100s'; the settings are %s",
        zName ? zName : "NULL", zList);
  }
  sqlite3_free(zList);
  kvResultError(ctx, SQLITE_ERROR, zErr);
}

/* Give it the value v, which is in its range. */
static void fnsSet(KvConn *p, FnsSetting *pSet, i64 v){
  pSet->v = v;
  switch( pSet->eKind ){
    case FNS_LIMIT:         p->aLimit[pSet->eLimit] = v; break;
    case FNS_V8_VERSION:    p->iV8Version = (int)v;      break;
    case FNS_SELECT_WRITES: p->bNoSelectWrites = v==0;   break;
  }
}

/* kv_config(name [, value]): read or set a setting of the connection. */
static void kvConfigFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvConn *p = sqlite3_user_data(ctx);
  const char *zName = (const char*)sqlite3_value_text(apArg[0]);
  FnsSetting set;
  if( zName==0 && sqlite3_value_type(apArg[0])!=SQLITE_NULL ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  if( zName==0 || !fnsSetting(p, zName, &set) ){
    fnsNoSetting(ctx, zName);
    return;
  }
  if( nArg>1 ){
    i64 v;
    if( !kvArgNumber(apArg[1], &v) || v<set.iLeast || v>set.iMost ){
      kvResultError(ctx, SQLITE_ERROR, set.iMost==0 ? sqlite3_mprintf(
          "kv: kv_config('%s'): it is 0 and stays so until the connection is closed", zName)
        : sqlite3_mprintf(
          "kv: kv_config('%s'): the value must be an integer from %lld to %lld",
          zName, set.iLeast, set.iMost));
      return;
    }
    fnsSet(p, &set, v);
  }
  sqlite3_result_int64(ctx, set.v);
}

const KvFunc kvFuncsStore[] = {
  { "kv_get",          1, SQLITE_RESULT_SUBTYPE, kvGetFunc },
  { "kv_get",          2, SQLITE_RESULT_SUBTYPE, kvGetFunc },
  { "kv_now",          0, SQLITE_INNOCUOUS,      kvNowFunc },
  { "kv_versionstamp", 0, 0,                     kvVersionstampFunc },
  { "kv_config",       1, SQLITE_DIRECTONLY,     kvConfigFunc },
  { "kv_config",       2, SQLITE_DIRECTONLY,     kvConfigFunc },
  { 0 }
};
