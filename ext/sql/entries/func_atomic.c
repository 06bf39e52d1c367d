/*
** func_atomic.c -- functions that write: each is one atomic operation.
**
**   kv_atomic(op, ...)                aggregate: all ops of all rows
**   kv_set(key, value [, expire_in])  -> versionstamp
**   kv_delete(key)                    -> 1, or 0 if there was no entry
**   kv_enqueue(value [, delay [, keys_if_undelivered [, backoff_schedule]]])
**   kv_sum(key, n [, expire_in])      -> the new value
**   kv_conflict()                     key of the check that failed last
**   kv_init()                         make the store's tables
**   kv_sweep()                        remove expired entries
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/entries/op_args.h"
#include "sql/program.h"
#include "sql/result.h"
#include "sql/run.h"
#include "sql/snapshot.h"
#include "codec/key/key_print.h"
#include "codec/stored.h"
#include "store/clock.h"
#include "store/atomic.h"
#include "store/migrate.h"
#include "store/row.h"
#include "store/schema.h"

/* ---- a list of ops ------------------------------------------------------- */

/* What is run: the ops, and what comes of them. */
typedef struct FuncAtomicOps FuncAtomicOps;
struct FuncAtomicOps {
  const KvList *pOps;
  KvAtom atom;
  u8 bDelete;             /* The list is one delete, ... */
  u8 bFound;              /* ... of an entry that there is */
};

static void funcAtomicCall(void *pArg){
  FuncAtomicOps *p = pArg;
  KvStore *pStore = p->atom.pStore;
  KvOp op;
  u32 i = 0;
  if( p->bDelete && kvOpNext(p->pOps, &i, &op) ){
    p->bFound = kvSchemaReady(pStore)!=KV_STORE_NONE
             && kvRowFind(pStore, op.key, kvNow(), 0, &p->atom.found);
    if( !p->bFound ) return;
  }
  kvAtomRun(&p->atom, p->pOps);
}

/*
** The lock could not be had because another program writes, or has written since
** the SELECT that runs the operation began to read; in that state SQLite does not
** wait.  What the checks compare with is stale, or soon will be, and trying again
** reads a new snapshot: outside of a transaction that is just what a failed check
** means.  Returns true if there is a check, the first of which is then the conflict.
*/
static int funcAtomicOutrun(FuncAtomicOps *p, KvStore *pStore){
  KvAtom *pAtom = &p->atom;
  KvOp op;
  u32 i = 0;
  if( (kvStoreError(pStore)->rc & 0xff)!=SQLITE_BUSY || !sqlite3_get_autocommit(kvStoreDb(pStore))
   || kvStoreTxnState(pStore)==SQLITE_TXN_NONE
  ){
    return 0;
  }
  while( kvOpNext(p->pOps, &i, &op) ){
    if( op.eOp!=KV_OP_CHECK ) continue;
    kvBufReset(&pAtom->conflict);
    kvKeyShow(&pAtom->conflict, op.key);
    pAtom->bConflict = pAtom->conflict.eErr==KV_OK;
    return pAtom->bConflict;
  }
  return 0;
}

/* Run the ops as one operation, after which kv_conflict() is what it says.  p is to be
** cleared; the error is left in the store. */
static void funcAtomicRun(KvConn *pConn, KvStore *pStore, FuncAtomicOps *p, const KvList *pOps){
  KvRun run = { pStore, funcAtomicCall, p, "", 0 };
  char *zUse = 0;
  p->pOps = pOps;
  p->bFound = 0;
  kvAtomInit(&p->atom, pStore, pConn->aLimit);
  if( kvRunForbidden(pConn) ){
    KvOp op;
    u32 i = 0;
    const char *zOp = kvOpNext(pOps, &i, &op) ? kvOpName(op.eOp) : "set";
    const char *zTable = strcmp(zOp, "enqueue")==0 ? "kv_queue" : "kv_entries";
    run.zUse = zUse = sqlite3_mprintf("INSERT INTO kv_atomic(op, key, value) "
        "VALUES ('%s', ...), or INSERT, UPDATE or DELETE on %s", zOp, zTable);
    if( zUse==0 ) kvErrorCode(kvStoreError(pStore), SQLITE_NOMEM);
  }
  kvRun(pConn, &run);
  sqlite3_free(zUse);
  if( funcAtomicOutrun(p, pStore) ) kvErrorClear(kvStoreError(pStore));
  if( !kvFailed(kvStoreError(pStore)) && p->atom.bConflict ){
    kvBufAdd(&pConn->conflict, kvBufBytes(&p->atom.conflict));
    kvErrorBuf(kvStoreError(pStore), &pConn->conflict);
  }
}

/* ---- the aggregate ------------------------------------------------------- */

/* Its context; zeros before the first row. */
typedef struct FuncAtomicRows FuncAtomicRows;
struct FuncAtomicRows {
  KvList ops;
  u8 bFailed;             /* An error has been reported */
};

void kvAtomicStep(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  FuncAtomicRows *p = sqlite3_aggregate_context(ctx, sizeof(*p));
  KvError error = { SQLITE_OK, 0 };
  int i;
  if( p==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  for(i=0; i<nArg && !kvFailed(&error); i++){
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ) continue;
    if( sqlite3_value_type(apArg[i])!=SQLITE_BLOB ){
      kvError(&error, SQLITE_ERROR, "kv: kv_atomic(): argument %d is not a result of kv_op()", i+1);
    }else{
      kvOpArgCheck(sqlite3_user_data(ctx), apArg[i], &error);
      kvListAdd(&p->ops, kvArgBlob(apArg[i]));
      kvErrorBuf(&error, &p->ops.bytes);
    }
  }
  if( kvFailed(&error) ){
    p->bFailed = 1;
    kvListClear(&p->ops);
    kvResultTake(ctx, &error);
  }
}

/* Run what the rows have given. */
static void funcAtomicFinal(
  sqlite3_context *ctx, KvConn *pConn, KvStore *pStore, const KvList *pOps
){
  FuncAtomicOps list;
  list.bDelete = 0;
  funcAtomicRun(pConn, pStore, &list, pOps);
  if( kvFailed(kvStoreError(pStore)) ) kvResultTake(ctx, kvStoreError(pStore));
  else if( !list.atom.bConflict ) kvResultVersionstamp(ctx, list.atom.iVersion);
  kvAtomClear(&list.atom);
}

void kvAtomicFinal(sqlite3_context *ctx){
  KvConn *pConn = sqlite3_user_data(ctx);
  FuncAtomicRows *p = sqlite3_aggregate_context(ctx, 0);
  KvList none = { { 0 } };
  KvStore *pStore;
  if( p && p->bFailed ) return;
  pStore = kvConnMainStore(pConn);
  if( pStore==0 ) sqlite3_result_error_nomem(ctx);
  else funcAtomicFinal(ctx, pConn, pStore, p ? &p->ops : &none);
  if( p ) kvListClear(&p->ops);
  kvConnDropStore(pConn, pStore);
}

/* ---- one op ------------------------------------------------------------- */

/* Result: what a sum has stored. */
static void funcAtomicNumber(KvCall *p, const KvAtom *pAtom){
  KvScratch *pScratch = kvScratchTake(p->pConn);
  if( kvValueRead(&pScratch->tree, pAtom->eResult, kvBufBytes(&pAtom->result), &p->err)==KV_OK ){
    kvResultNode(p->ctx, &pScratch->tree, 0, -1);
  }else{
    kvCallCodecError(p, "result");
  }
  kvScratchGive(pScratch);
}

/* Run the op as one operation.  The result is the versionstamp, the new value or whether
** something was deleted. */
static void funcAtomicOne(KvCall *p, KvBytes op){
  int eOp = p->pFunc->eKind;
  FuncAtomicOps list;
  KvList ops;
  u8 aSpace[512];
  kvBufInit(&ops.bytes, aSpace, sizeof(aSpace));
  kvListAdd(&ops, op);
  kvErrorBuf(kvStoreError(p->pStore), &ops.bytes);
  list.bDelete = eOp==KV_OP_DELETE;
  funcAtomicRun(p->pConn, p->pStore, &list, &ops);
  if( kvFailed(kvStoreError(p->pStore)) ){
    /* kvCall() reports it */
  }else if( eOp==KV_OP_SUM ){
    funcAtomicNumber(p, &list.atom);
  }else if( eOp==KV_OP_DELETE ){
    sqlite3_result_int(p->ctx, list.bFound);
  }else{
    kvResultVersionstamp(p->ctx, list.atom.iVersion);
  }
  kvAtomClear(&list.atom);
  kvListClear(&ops);
}

static void funcAtomic(KvCall *p){
  KvOpArgs args;
  KvBuf op;
  u8 aSpace[512];
  kvOpArgs(&args, p->pFunc->eKind, p->nArg, p->apArg);
  if( p->pFunc->eKind==KV_OP_SUM ){    /* kv_op() takes a bound there */
    args.ap[KV_ARG_EXPIRE_IN] = kvCallArg(p, 2);
    args.ap[KV_ARG_MIN] = 0;
  }
  kvBufInit(&op, aSpace, sizeof(aSpace));
  kvOpBytes(p->pConn, &args, &op, &p->error);
  if( !kvFailed(&p->error) ) funcAtomicOne(p, kvBufBytes(&op));
  kvBufClear(&op);
}

static void funcAtomicConflict(KvCall *p){
  if( p->pConn->conflict.n ) kvResultText(p->ctx, &p->pConn->conflict);
}

/* ---- the store as a whole ---------------------------------------------- */

static void funcAtomicMake(void *pStore){
  kvMigrate(pStore);
}

/* The result is the newest version. */
static void funcAtomicInit(KvCall *p){
  KvRun run = { p->pStore, funcAtomicMake, p->pStore, KV_RUN_SELECT "kv_init()", 0 };
  kvSchemaOpen(p->pStore);
  kvRun(p->pConn, &run);
  kvSnapshotTake(p->ctx, p->pConn, p->pStore);
  kvResultVersionstamp(p->ctx, kvRowVersion(p->pStore));
}

/* The result is how many entries were removed. */
typedef struct FuncAtomicSweep FuncAtomicSweep;
struct FuncAtomicSweep {
  KvConn *pConn;
  KvStore *pStore;
  i64 n;
  int bMore;              /* There is more to do */
};

static void funcAtomicRemove(void *pArg){
  FuncAtomicSweep *p = pArg;
  int bQuiet = !kvProgramOpens(p->pConn, kvStoreError(p->pStore));
  p->n += kvAtomSweep(p->pStore, bQuiet, &p->bMore);
}

/* The indexes catch up in steps, each of them a transaction.  That another program
** writes in between ends it. */
static void funcAtomicSteps(KvCall *p, const KvRun *pRun, const FuncAtomicSweep *pSweep){
  KvStore *pStore = p->pStore;
  KvError *pError = kvStoreError(pStore);
  while( pSweep->bMore && !kvFailed(pError) && sqlite3_get_autocommit(p->pConn->db)
      && kvStoreTxnState(pStore)==SQLITE_TXN_NONE && kvRunWriters(p->pConn->db)==0
  ){
    sqlite3_sleep(1);                  /* others want the lock, too */
    kvRun(p->pConn, pRun);
    if( (pError->rc & 0xff)==SQLITE_BUSY ){
      kvErrorClear(pError);
      break;
    }
  }
}

static void funcAtomicSweep(KvCall *p){
  FuncAtomicSweep sweep = { p->pConn, p->pStore, 0, 0 };
  KvRun run = { p->pStore, funcAtomicRemove, &sweep, KV_RUN_SELECT "kv_sweep()", 0 };
  if( kvSchemaOpen(p->pStore)!=KV_STORE_NONE ){
    kvRun(p->pConn, &run);
    funcAtomicSteps(p, &run, &sweep);
  }
  if( !kvFailed(kvStoreError(p->pStore)) ) sqlite3_result_int64(p->ctx, sweep.n);
}

#define FUNC_ATOMIC_FLAGS (SQLITE_DIRECTONLY|SQLITE_SUBTYPE|SQLITE_RESULT_SUBTYPE)

const KvFunc kvFuncsAtomic[] = {
  { "kv_set",      2, 3, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_SET },
  { "kv_delete",   1, 1, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_DELETE },
  { "kv_sum",      2, 3, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_SUM },
  { "kv_enqueue",  1, 4, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomic, KV_OP_ENQUEUE },
  { "kv_conflict", 0, 0, FUNC_ATOMIC_FLAGS, 0, funcAtomicConflict, 0 },
  { "kv_init",     0, 0, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomicInit, 0 },
  { "kv_sweep",    0, 0, FUNC_ATOMIC_FLAGS, KVCALL_STORE, funcAtomicSweep, 0 },
  { 0 }
};
