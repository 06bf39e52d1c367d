/*
** func_atomic.c -- functions that write: each is one atomic operation.
**
**   kv_atomic(op, ...)                aggregate: all ops of all rows
**   kv_set(key, value [, expire_in])  -> versionstamp
**   kv_delete(key)                    -> versionstamp
**   kv_enqueue(value [, delay [, keys_if_undelivered [, backoff_schedule]]])
**   kv_sum(key, n), kv_min(key, n), kv_max(key, n)   -> the new value
**   kv_conflict()                     key of the check that failed last
**   kv_init()                         make the store's tables
**   kv_sweep()                        remove expired entries
*/
#include "sql/func_atomic.h"
SQLITE_EXTENSION_INIT3
#include "sql/ops.h"
#include "sql/run.h"
#include "sql/result.h"
#include "sql/snapshot.h"
#include "codec/stored.h"

/* ---- the aggregate --------------------------------------------------- */

/* Its context; zeros before the first row. */
typedef struct AggState AggState;
struct AggState {
  KvBuf ops;              /* As KvAtomList.ops */
  u8 bFailed;             /* An error has been reported */
};

void kvAtomicStep(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  AggState *p = sqlite3_aggregate_context(ctx, sizeof(*p));
  KvAtomList list;
  char *zErr = 0;
  int i, rc = SQLITE_OK;
  if( p==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  memset(&list, 0, sizeof(list));
  list.ops = p->ops;
  for(i=0; rc==SQLITE_OK && i<nArg; i++){
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ) continue;
    if( sqlite3_value_type(apArg[i])!=SQLITE_BLOB ){
      zErr = sqlite3_mprintf("kv: kv_atomic(): argument %d is not a result of kv_op()", i+1);
      rc = SQLITE_ERROR;
    }else{
      const u8 *a = sqlite3_value_blob(apArg[i]);
      rc = kvRunAdd(&list, sqlite3_user_data(ctx), a, (u32)sqlite3_value_bytes(apArg[i]), &zErr);
    }
  }
  p->ops = list.ops;
  if( rc!=SQLITE_OK ){
    p->bFailed = 1;
    kvBufClear(&p->ops);
    kvResultError(ctx, rc, zErr);
  }
}

void kvAtomicFinal(sqlite3_context *ctx){
  KvConn *pConn = sqlite3_user_data(ctx);
  AggState *p = sqlite3_aggregate_context(ctx, 0);
  KvAtomList list;
  KvStore *pStore;
  char *zErr = 0;
  int rc;
  if( p && p->bFailed ) return;
  pStore = kvConnMainStore(pConn);
  if( pStore==0 ){
    if( p ) kvBufClear(&p->ops);
    sqlite3_result_error_nomem(ctx);
    return;
  }
  kvRunInit(&list, pConn, pStore);
  if( p ) list.ops = p->ops;
  rc = kvRun(&list, pConn, pStore, &zErr);
  if( rc!=SQLITE_OK ){
    kvResultError(ctx, rc, zErr);
  }else if( !list.atom.bConflict ){
    kvResultVersionstamp(ctx, list.iVersion);
  }
  kvRunClear(&list);
  kvConnDropStore(pConn, pStore);
}

/* ---- the short forms --------------------------------------------------- */

/* Result: what a sum, min or max has stored. */
static void fnaNewValue(sqlite3_context *ctx, KvConn *pConn, const KvAtom *pAtom){
  KvScratch *p = kvScratchTake(pConn);
  KvErr err;
  if( kvValueRead(&p->tree, pAtom->eResult, kvBufBytes(&pAtom->result), &err)==KV_OK ){
    kvResultNode(ctx, &p->tree, 0, -1);
  }else{
    kvResultCodecError(ctx, "result", &err);
  }
  kvScratchGive(p);
}

/* Build the op and run it. */
static int fnaRunOp(KvConn *pConn, KvStore *pStore, const KvOpArgs *pArgs, KvAtomList *pList, char **pzErr){
  u8 aSpace[512];
  KvBuf bytes;
  int rc;
  kvBufInit(&bytes, aSpace, sizeof(aSpace));
  rc = kvOpBuild(pConn, pArgs, &bytes, pzErr);
  if( rc==SQLITE_OK ){
    kvAtomListAdd(pList, bytes.a, bytes.n);
    rc = pList->ops.eErr==KV_OK ? kvRun(pList, pConn, pStore, pzErr) : SQLITE_NOMEM;
  }
  kvBufClear(&bytes);
  return rc;
}

/* One op as one operation.  The result is the versionstamp or the new value. */
static void fnaOne(sqlite3_context *ctx, const KvOpArgs *pArgs){
  KvConn *pConn = sqlite3_user_data(ctx);
  KvStore *pStore = kvConnMainStore(pConn);
  KvAtomList list;
  char *zErr = 0;
  int rc;
  if( pStore==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  kvRunInit(&list, pConn, pStore);
  rc = fnaRunOp(pConn, pStore, pArgs, &list, &zErr);
  if( rc!=SQLITE_OK ){
    kvResultError(ctx, rc, zErr);
  }else if( pArgs->eOp>=KV_OP_SUM && pArgs->eOp<=KV_OP_MAX ){
    fnaNewValue(ctx, pConn, &list.atom);
  }else{
    kvResultVersionstamp(ctx, list.iVersion);
  }
  kvRunClear(&list);
  kvConnDropStore(pConn, pStore);
}

/* Key and value, as most of them have. */
static void fnaKeyed(sqlite3_context *ctx, int eOp, int nArg, sqlite3_value **apArg){
  KvOpArgs args;
  memset(&args, 0, sizeof(args));
  args.eOp = eOp;
  args.pKey = apArg[0];
  if( nArg>1 ) args.pValue = apArg[1];
  if( nArg>2 ) args.pExpireIn = apArg[2];
  fnaOne(ctx, &args);
}

static void kvSetFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  fnaKeyed(ctx, KV_OP_SET, nArg, apArg);
}

static void kvDeleteFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  fnaKeyed(ctx, KV_OP_DELETE, nArg, apArg);
}

static void kvSumFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  fnaKeyed(ctx, KV_OP_SUM, nArg, apArg);
}

static void kvMinFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  fnaKeyed(ctx, KV_OP_MIN, nArg, apArg);
}

static void kvMaxFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  fnaKeyed(ctx, KV_OP_MAX, nArg, apArg);
}

static void kvEnqueueFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvOpArgs args;
  memset(&args, 0, sizeof(args));
  args.eOp = KV_OP_ENQUEUE;
  args.pValue = apArg[0];
  if( nArg>1 ) args.pDelay = apArg[1];
  if( nArg>2 ) args.pKeys = apArg[2];
  if( nArg>3 ) args.pBackoff = apArg[3];
  fnaOne(ctx, &args);
}

/* ---- the store as a whole ---------------------------------------------- */

static void kvConflictFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvConn *pConn = sqlite3_user_data(ctx);
  (void)nArg; (void)apArg;
  if( pConn->conflict.n ) kvResultText(ctx, &pConn->conflict);
}

/* kv_init() and kv_sweep(): the result is the newest version, or how many. */
static void fnaWhole(sqlite3_context *ctx, int bSweep){
  KvConn *pConn = sqlite3_user_data(ctx);
  KvStore *pStore = kvConnMainStore(pConn);
  KvAtomList list;
  char *zErr = 0;
  i64 iVersion = 0;
  int rc;
  if( pStore==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  kvRunInit(&list, pConn, pStore);
  list.eRun = bSweep ? KV_RUN_SWEEP : KV_RUN_INIT;
  rc = kvStoreOpen(pStore, &zErr);
  if( rc==SQLITE_OK && !(bSweep && kvSchemaState(pStore)==KV_STORE_NONE) ){
    rc = kvRun(&list, pConn, pStore, &zErr);
  }
  if( rc==SQLITE_OK && !bSweep ){
    rc = kvSnapshotTake(ctx, pStore, &zErr);
    if( rc==SQLITE_OK ) rc = kvStoreVersion(pStore, &iVersion, &zErr);
  }
  if( rc!=SQLITE_OK ){
    kvResultError(ctx, rc, zErr);
  }else if( bSweep ){
    sqlite3_result_int64(ctx, list.nGone);
  }else{
    kvResultVersionstamp(ctx, iVersion);
  }
  kvRunClear(&list);
  kvConnDropStore(pConn, pStore);
}

static void kvInitFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  (void)nArg; (void)apArg;
  fnaWhole(ctx, 0);
}

static void kvSweepFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  (void)nArg; (void)apArg;
  fnaWhole(ctx, 1);
}

#define FNA_FLAGS (SQLITE_DIRECTONLY|SQLITE_SUBTYPE|SQLITE_RESULT_SUBTYPE)

const KvFunc kvFuncsAtomic[] = {
  { "kv_set",      2, FNA_FLAGS, kvSetFunc },
  { "kv_set",      3, FNA_FLAGS, kvSetFunc },
  { "kv_delete",   1, FNA_FLAGS, kvDeleteFunc },
  { "kv_sum",      2, FNA_FLAGS, kvSumFunc },
  { "kv_min",      2, FNA_FLAGS, kvMinFunc },
  { "kv_max",      2, FNA_FLAGS, kvMaxFunc },
  { "kv_enqueue",  1, FNA_FLAGS, kvEnqueueFunc },
  { "kv_enqueue",  2, FNA_FLAGS, kvEnqueueFunc },
  { "kv_enqueue",  3, FNA_FLAGS, kvEnqueueFunc },
  { "kv_enqueue",  4, FNA_FLAGS, kvEnqueueFunc },
  { "kv_conflict", 0, FNA_FLAGS, kvConflictFunc },
  { "kv_init",     0, FNA_FLAGS, kvInitFunc },
  { "kv_sweep",    0, FNA_FLAGS, kvSweepFunc },
  { 0 }
};
