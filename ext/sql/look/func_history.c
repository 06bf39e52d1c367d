/*
** func_history.c -- functions that go back to what entries were.
**
**   kv_restore(prefix, x [, dry])   -> entries that were changed, or would be
**   kv_history_forget(key)          -> states that were removed
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/as_of.h"
#include "sql/run.h"
#include "sql/snapshot.h"
#include "store/history_restore.h"
#include "store/schema.h"
#include "store/write.h"

/* What a function does inside of a nested statement, and its arguments. */
typedef struct FuncHistoryTask FuncHistoryTask;
struct FuncHistoryTask {
  KvStore *pStore;
  KvBuf text, lo, hi;     /* The prefix; or lo is the key */
  sqlite3_value *pWhen;
  int bDry;
  i64 n;                  /* The function's result */
};

static void funcHistoryRestore(void *pArg){
  FuncHistoryTask *p = pArg;
  KvPast past;
  if( !kvAsOfRead(p->pStore, p->pWhen, "kv_restore()", &past) ) return;
  kvHistoryCheck(p->pStore, &past, kvBufBytes(&p->lo), kvBufBytes(&p->hi), "kv_restore()");
  p->n = kvHistoryRestore(p->pStore, &past, kvBufBytes(&p->lo), kvBufBytes(&p->hi), p->bDry);
}

static void funcHistoryForget(void *pArg){
  FuncHistoryTask *p = pArg;
  p->n = kvHistoryForget(p->pStore, kvBufBytes(&p->lo));
}

/* Run the task as one nested statement. */
static void funcHistoryRun(KvCall *p, FuncHistoryTask *pTask, void (*xCall)(void*)){
  KvRun run = { p->pStore, xCall, pTask, KV_RUN_SELECT "the function", 0 };
  kvRun(p->pConn, &run);
}

static void funcHistoryTo(KvCall *p, FuncHistoryTask *pTask){
  KvError *pError = kvStoreError(p->pStore);
  kvArgPrefix(p->apArg[0], "kv_restore(): prefix", &pTask->text, &pTask->lo, &pTask->hi, pError);
  pTask->pWhen = p->apArg[1];
  if( sqlite3_value_type(pTask->pWhen)==SQLITE_NULL ){
    kvError(pError, SQLITE_ERROR, "kv: kv_restore(): the second argument is NULL; give a "
        "versionstamp, a date or a time in ms");
  }
  if( p->nArg>2 && !kvArgBool(p->apArg[2], &pTask->bDry) ){
    kvError(pError, SQLITE_ERROR, "kv: kv_restore(): the third argument is 1 or 'true' to count "
        "only, 0 or 'false' to restore");
  }
  if( kvFailed(pError) || kvSchemaOpen(p->pStore)==KV_STORE_NONE ) return;
  if( pTask->bDry ){
    kvSnapshotTake(p->ctx, p->pConn, p->pStore);
    funcHistoryRestore(pTask);
  }else{
    kvSnapshotDrop(p->ctx);
    funcHistoryRun(p, pTask, funcHistoryRestore);
  }
}

static void funcHistoryOf(KvCall *p, FuncHistoryTask *pTask){
  KvError *pError = kvStoreError(p->pStore);
  KvErr err;
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ){
    kvError(pError, SQLITE_ERROR, "kv: kv_history_forget(): the key is NULL");
  }else if( kvArgKey(p->apArg[0], 0, &pTask->lo, 0, &err)!=KV_OK ){
    kvErrorCodec(pError, "kv_history_forget(): key", &err);
  }
  if( !kvFailed(pError) ) funcHistoryRun(p, pTask, funcHistoryForget);
}

static void funcHistory(KvCall *p){
  FuncHistoryTask task;
  memset(&task, 0, sizeof(task));
  task.pStore = p->pStore;
  if( p->pFunc->eKind==0 ) funcHistoryTo(p, &task);
  else funcHistoryOf(p, &task);
  kvBufClear(&task.text);
  kvBufClear(&task.lo);
  kvBufClear(&task.hi);
  sqlite3_result_int64(p->ctx, task.n);
}

const KvFunc kvFuncsHistory[] = {
  { "kv_restore",        2, 3, SQLITE_DIRECTONLY, KVCALL_STORE, funcHistory, 0 },
  { "kv_history_forget", 1, 1, SQLITE_DIRECTONLY, KVCALL_STORE, funcHistory, 1 },
  { 0 }
};
