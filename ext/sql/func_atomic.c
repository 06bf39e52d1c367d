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
#include "sql/op_args.h"
#include "sql/result.h"
#include "sql/run.h"
#include "sql/snapshot.h"
#include "codec/stored.h"
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

/* ---- one op ------------------------------------------------------------ */

/* Result: what a sum, min or max has stored. */
static void funcAtomicNumber(KvCall *p, const KvAtom *pAtom){
  KvScratch *pScratch = kvScratchTake(p->pConn);
  if( kvValueRead(&pScratch->tree, pAtom->eResult, kvBufBytes(&pAtom->result), &p->err)==KV_OK ){
    kvResultNode(p->ctx, &pScratch->tree, 0, -1);
  }else{
    kvCallCodecError(p, "result");
  }
  kvScratchGive(pScratch);
}

/* Build the op and run it. */
static int funcAtomicRun(KvCall *p, const KvOpArgs *pArgs, KvAtomList *pList, char **pzErr){
  u8 aSpace[512];
  KvBuf bytes;
  int rc;
  kvBufInit(&bytes, aSpace, sizeof(aSpace));
  rc = kvOpBuild(p->pConn, pArgs, &bytes, pzErr);
  if( rc==SQLITE_OK ){
    kvAtomListAdd(pList, bytes.a, bytes.n);
    rc = pList->ops.eErr==KV_OK ? kvRun(pList, p->pConn, p->pStore, pzErr) : SQLITE_NOMEM;
  }
  kvBufClear(&bytes);
  return rc;
}

/* A function that is one op as one operation.  The result is the versionstamp or
** the new value. */
static void funcAtomic(KvCall *p){
  int eOp = p->pFunc->eKind;
  KvOpArgs args;
  KvAtomList list;
  char *zErr = 0;
  if( eOp==KV_OP_ENQUEUE ) kvOpArgsMessage(&args, p->nArg, p->apArg);
  else kvOpArgsKeyed(&args, eOp, p->nArg, p->apArg);
  kvRunInit(&list, p->pConn, p->pStore);
  if( kvCallDone(p, funcAtomicRun(p, &args, &list, &zErr), &zErr)!=SQLITE_OK ){
    /* reported */
  }else if( eOp>=KV_OP_SUM && eOp<=KV_OP_MAX ){
    funcAtomicNumber(p, &list.atom);
  }else{
    kvResultVersionstamp(p->ctx, list.iVersion);
  }
  kvRunClear(&list);
}

static void funcAtomicConflict(KvCall *p){
  if( p->pConn->conflict.n ) kvResultText(p->ctx, &p->pConn->conflict);
}

/* ---- the store as a whole ---------------------------------------------- */

/* kv_init() and kv_sweep(): the result is the newest version, or how many. */
static void funcAtomicWhole(KvCall *p){
  int bSweep = p->pFunc->eKind;
  KvAtomList list;
  char *zErr = 0;
  i64 iVersion = 0;
  int eState, rc;
  kvRunInit(&list, p->pConn, p->pStore);
  list.eRun = bSweep ? KV_RUN_SWEEP : KV_RUN_INIT;
  eState = kvSchemaOpen(p->pStore);
  rc = kvStoreTake(p->pStore, &zErr);
  if( rc==SQLITE_OK && !(bSweep && eState==KV_STORE_NONE) ){
    rc = kvRun(&list, p->pConn, p->pStore, &zErr);
  }
  if( rc==SQLITE_OK && !bSweep ){
    kvSnapshotTake(p->ctx, p->pConn, p->pStore);
    iVersion = kvRowVersion(p->pStore);
    rc = kvStoreTake(p->pStore, &zErr);
  }
  kvRunClear(&list);
  if( kvCallDone(p, rc, &zErr)!=SQLITE_OK ) return;
  if( bSweep ) sqlite3_result_int64(p->ctx, list.nGone);
  else kvResultVersionstamp(p->ctx, iVersion);
}

#define FUNC_ATOMIC_FLAGS (SQLITE_DIRECTONLY|SQLITE_SUBTYPE|SQLITE_RESULT_SUBTYPE)

const KvFunc kvFuncsAtomic[] = {
  { "kv_set",      2, 3, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_SET },
  { "kv_delete",   1, 1, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_DELETE },
  { "kv_sum",      2, 2, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_SUM },
  { "kv_min",      2, 2, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_MIN },
  { "kv_max",      2, 2, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_MAX },
  { "kv_enqueue",  1, 4, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_ENQUEUE },
  { "kv_conflict", 0, 0, FUNC_ATOMIC_FLAGS, 0, funcAtomicConflict, 0 },
  { "kv_init",     0, 0, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomicWhole, 0 },
  { "kv_sweep",    0, 0, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomicWhole, 1 },
  { 0 }
};
