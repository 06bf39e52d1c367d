/*
** func_index.c -- functions that declare indexes, and turn the change feed and the
** history on.
**
**   kv_index(name, prefix, path [, options])   -> index entries that were made
**   kv_index_drop(name)                        -> index entries that were removed
**   kv_track([on])                             -> whether the feed is on
**   kv_history(prefix, keep_ms)                -> 1, or 0 where it was ended
**   kv_publish(collection [, on])              -> rows of its table, or 0
**   kv_uninstall()                             -> 1, or 0 where there is no store
**
** What removes tables runs in a savepoint: SQLite drops no table while another
** statement runs on the file.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/index/declare.h"
#include "sql/collection/publish.h"
#include "sql/run.h"
#include "sql/snapshot.h"
#include "store/index/dirty.h"
#include "store/feed.h"
#include "store/history.h"
#include "store/index/declare.h"
#include "store/queue.h"
#include "store/schema.h"
#include "store/search.h"
#include "store/migrate.h"
#include "store/write.h"

/* What a function does inside of a nested statement, and its arguments. */
typedef struct FuncIndexTask FuncIndexTask;
struct FuncIndexTask {
  KvStore *pStore;
  KvDeclare declare;      /* index: what is to be declared */
  const char *zName;      /* drop */
  i64 n;                  /* The function's result */
  int bFound;
  int nLeft;              /* drop: indexes that are left; history: prefixes */
  KvBytes prefix;         /* history */
  KvCollection *pColl;    /* publish */
};

/* Run the task as one nested statement. */
static void funcIndexRun(KvCall *p, FuncIndexTask *pTask, void (*xCall)(void*)){
  KvRun run = { p->pStore, xCall, pTask, KV_RUN_SELECT "the function", 0 };
  kvRun(p->pConn, &run);
}

/* The text of argument i: 0 for NULL, or out of memory. */
static const char *funcIndexName(KvCall *p, int i){
  sqlite3_value *pVal = kvCallArg(p, i);
  return pVal ? (const char*)kvArgName(pVal, kvStoreError(p->pStore)).p : 0;
}

/* ---- kv_index() ----------------------------------------------------------- */

static void funcIndexCreate(void *pArg){
  FuncIndexTask *p = pArg;
  p->n = kvDeclare(&p->declare);
}


/* ---- what drops tables ---------------------------------------------------- */

/* Run plain SQL, unless there is an error. */
static void funcIndexExec(KvStore *p, const char *zSql){
  if( !kvFailed(kvStoreError(p)) ) kvStoreFail(p, sqlite3_exec(kvStoreDb(p), zSql, 0, 0, 0));
}

/* A table could not be dropped because a statement of this connection runs.
** (That another one has a lock is told by SQLite's own message.) */
static void funcIndexLocked(KvCall *p, const char *zWhat){
  KvError *pError = kvStoreError(p->pStore);
  int rc = pError->rc;
  int bBusy = (rc & 0xff)==SQLITE_BUSY && pError->zMsg && strstr(pError->zMsg, "in progress")!=0;
  if( (rc & 0xff)!=SQLITE_LOCKED && !bBusy ) return;
  kvErrorClear(pError);
  kvError(pError, rc, "kv: %s: tables can't be dropped while another statement is "
      "running; finish the other statements of this connection first, and SELECT the "
      "function alone", zWhat);
}

/*
** Take back what was done since the savepoint, which was the transaction's
** begin if bAuto.  After an allocation has failed SQLite runs nothing more
** until the statement that called the function has ended, so that ROLLBACK
** fails too.  Then pRead, which was prepared before, takes the transaction with
** it: that is what SQLite does with one when a statement that reads ends without
** memory.  (The error is put aside, since virtual tables may be disconnected.)
*/
static void funcIndexUndo(KvStore *p, int bAuto, sqlite3_stmt *pRead){
  const char *zUndo = bAuto ? "ROLLBACK" : "ROLLBACK TO kv_drop; RELEASE kv_drop";
  sqlite3 *db = kvStoreDb(p);
  KvError aside = kvErrorAside(kvStoreError(p));
  if( sqlite3_exec(db, zUndo, 0, 0, 0)!=SQLITE_OK && !sqlite3_get_autocommit(db) ){
    sqlite3_step(pRead);
  }
  kvErrorBack(kvStoreError(p), aside);
}

/*
** Run a task in a savepoint of its own, as a statement first (xWrite, may be 0)
** and then what drops tables (xDrop).  Where the savepoint is the transaction,
** its release commits.  That may fail because another connection reads, and
** again if it were only rolled back to: then the transaction is rolled back.
*/
static void funcIndexSavepoint(
  KvCall *p, FuncIndexTask *pTask, const char *zWhat,
  void (*xWrite)(void*), void (*xDrop)(FuncIndexTask*)
){
  KvStore *pStore = p->pStore;
  KvError *pError = kvStoreError(pStore);
  sqlite3 *db = p->pConn->db;
  sqlite3_stmt *pRead = 0;
  int bAuto = sqlite3_get_autocommit(db);
  if( p->pConn->bNoSelectWrites ){
    kvError(pError, SQLITE_ERROR,
        "kv: %s: not possible while select_writes is 0, because it drops tables; use "
        "an ordinary SQLite connection", zWhat);
  }
  if( kvFailed(pError) ) return;
  kvStoreFail(pStore, sqlite3_prepare_v2(db, "SELECT 1 FROM main.sqlite_schema", -1, &pRead, 0));
  funcIndexExec(pStore, "SAVEPOINT kv_drop");
  if( !kvFailed(pError) ){
    if( xWrite ) funcIndexRun(p, pTask, xWrite);
    if( !kvFailed(pError) ) xDrop(pTask);
    funcIndexExec(pStore, "RELEASE kv_drop");
    if( kvFailed(pError) ) funcIndexUndo(pStore, bAuto, pRead);
  }
  sqlite3_finalize(pRead);
  funcIndexLocked(p, zWhat);
}

static void funcIndexDropUnused(FuncIndexTask *p){
  if( p->bFound && p->nLeft==0 ) kvIndexDropTables(p->pStore);
}

static void funcIndexRemove(void *pArg){
  FuncIndexTask *p = pArg;
  p->bFound = kvIndexRemove(p->pStore, p->zName, &p->n, &p->nLeft);
}

/* Remove every index's entries. */
static void funcIndexRemoveAll(void *pArg){
  kvIndexRemoveAll(((FuncIndexTask*)pArg)->pStore);
}

/* The tables of full-text indexes that are gone, or else all that nobody needs. */
static void funcIndexDropSearch(FuncIndexTask *p){
  kvSearchDropUnused(p->pStore);
  funcIndexDropUnused(p);
}

static void funcIndexDropAll(FuncIndexTask *p){
  kvPublishDropAll(p->pStore);
  kvSearchDropUnused(p->pStore);
  kvIndexDropTables(p->pStore);
  kvNamesDrop(p->pStore, KVNAMES_HISTORY);
  kvFeedDrop(p->pStore);
  kvNamesDrop(p->pStore, KVNAMES_QUEUE);
  kvNamesDrop(p->pStore, KVNAMES_SERVE);
}

static void funcIndexDropTrack(FuncIndexTask *p){
  kvFeedDrop(p->pStore);
}

/* ---- the functions --------------------------------------------------------- */

static void funcIndexDropLeft(FuncIndexTask *p){
  kvSearchDropUnused(p->pStore);
}

/* DELETE FROM kv_indexes has left the tables of a full-text index, which may be in the way. */
static void funcIndexDeclare(KvCall *p, FuncIndexTask *pTask){
  KvDeclare *pDeclare = &pTask->declare;
  kvDeclareRead(pDeclare, p->pStore, p->apArg, p->nArg);
  if( !kvDeclared(pDeclare) ){
    if( pDeclare->bSearch && !p->pConn->bNoSelectWrites && kvSearchUnused(p->pStore) ){
      kvSnapshotDrop(p->ctx);
      funcIndexSavepoint(p, pTask, "kv_index()", 0, funcIndexDropLeft);
    }
    funcIndexRun(p, pTask, funcIndexCreate);
  }
  kvDeclareClear(pDeclare);
}

/* Is there a full-text index by that name? */
static int funcIndexIsSearch(KvStore *p, const char *zName){
  const KvIndexDef *pDef = kvIndexNamed(p, zName);
  return pDef && (pDef->mOptions & KVINDEX_SEARCH);
}

/* The published table of that name; 0: there is none. */
static const KvIndexDef *funcIndexTable(KvStore *p, const char *zName){
  const KvIndexDef *pDef = kvIndexNamed(p, zName);
  return pDef && (pDef->mOptions & KVINDEX_TABLE) ? pDef : 0;
}

static void funcIndexDrop(KvCall *p, FuncIndexTask *pTask){
  KvStore *pStore = p->pStore;
  const char *zName = pTask->zName = funcIndexName(p, 0);
  u32 n = 0;
  int bSearch;
  kvSnapshotDrop(p->ctx);
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) n = kvIndexList(pStore);
  if( n==0 || zName==0 || kvIndexNamed(pStore, zName)==0 ){
    kvError(kvStoreError(pStore), SQLITE_ERROR,
        "kv: kv_index_drop(): no such index: %!.100s; kv_indexes lists the indexes",
        zName ? zName : "NULL");
  }
  if( zName && n>0 && funcIndexTable(pStore, zName) ){
    kvError(kvStoreError(pStore), SQLITE_ERROR, "kv: kv_index_drop(): %!.100s is a published "
        "table; SELECT kv_publish('%.*s', 0) ends it", zName, (int)strlen(zName) - 6, zName);
  }
  /* Where tables can't be dropped they are left empty. */
  bSearch = zName && n>0 && funcIndexIsSearch(pStore, zName);
  if( (n>1 && !bSearch) || p->pConn->bNoSelectWrites ) funcIndexRun(p, pTask, funcIndexRemove);
  else funcIndexSavepoint(p, pTask, "kv_index_drop()", funcIndexRemove, funcIndexDropSearch);
}

/* The state of the feed, if there is a store. */
static KvFeed funcIndexFeed(KvStore *pStore){
  KvFeed feed = { 0 };
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) kvFeedGet(pStore, &feed);
  return feed;
}

static void funcIndexTrackOn(void *pArg){
  kvFeedOn(((FuncIndexTask*)pArg)->pStore);
}

static void funcIndexTrack(KvCall *p, FuncIndexTask *pTask){
  KvStore *pStore = p->pStore;
  int bOn = 0;
  KvFeed feed;
  if( p->nArg>0 && !kvArgBool(p->apArg[0], &bOn) ){
    kvError(kvStoreError(pStore), SQLITE_ERROR, "kv: kv_track(): the argument is 1 or 'true' to "
        "turn the change feed on, 0 or 'false' to turn it off");
    return;
  }
  if( p->nArg>0 && !bOn ) kvSnapshotDrop(p->ctx);
  feed = funcIndexFeed(pStore);
  pTask->n = p->nArg==0 ? feed.bThere : bOn;
  if( bOn ){
    if( !feed.bThere ) funcIndexRun(p, pTask, funcIndexTrackOn);
  }else if( p->nArg>0 && (feed.bThere || kvNamesGroup(pStore, KVNAMES_FEED, 0)) ){
    funcIndexSavepoint(p, pTask, "kv_track(0)", 0, funcIndexDropTrack);
  }
}

static void funcIndexKeep(void *pArg){
  FuncIndexTask *p = pArg;
  kvHistoryKeep(p->pStore, p->prefix, p->n);
}

static void funcIndexEnd(void *pArg){
  FuncIndexTask *p = pArg;
  p->nLeft = kvHistoryEnd(p->pStore, p->prefix);
}

static void funcIndexDropHistory(FuncIndexTask *p){
  if( p->nLeft==0 ) kvHistoryDrop(p->pStore);
}

/* Where tables can't be dropped they are left empty. */
static void funcIndexHistory(KvCall *p, FuncIndexTask *pTask){
  KvStore *pStore = p->pStore;
  KvError *pError = kvStoreError(pStore);
  KvErr err;
  if( kvArgKey(p->apArg[0], 0, &p->key, 0, &err)!=KV_OK ){
    kvErrorCodec(pError, "kv_history(): prefix", &err);
  }else if( !kvArgNumber(p->apArg[1], &pTask->n) || pTask->n<0 ){
    kvError(pError, SQLITE_ERROR, "kv: kv_history(): keep_ms must be a number of ms, for how "
        "long states are kept, or 0 to end it");
  }
  kvErrorBuf(pError, &p->key);
  pTask->prefix = kvBufBytes(&p->key);
  if( kvFailed(pError) ) return;
  if( pTask->n>0 ){
    funcIndexRun(p, pTask, funcIndexKeep);
    pTask->n = 1;
    return;
  }
  kvSnapshotDrop(p->ctx);
  if( !kvHistoryThere(pStore) ) return;
  if( p->pConn->bNoSelectWrites ) funcIndexRun(p, pTask, funcIndexEnd);
  else funcIndexSavepoint(p, pTask, "kv_history()", funcIndexEnd, funcIndexDropHistory);
}

static void funcIndexPublished(void *pArg){
  FuncIndexTask *p = pArg;
  const KvIndexDef *pDef;
  kvPublishCreate(p->pColl, p->zName);
  if( kvFailed(kvStoreError(p->pStore)) ) return;
  pDef = kvIndexNamed(p->pStore, p->zName);
  if( pDef ) p->n = kvPublisher.xCount(p->pStore, pDef, 0);
}

static void funcIndexUnpublished(FuncIndexTask *p){
  kvPublishDrop(p->pStore, p->zName);
  funcIndexDropUnused(p);
}

/* Publish the collection of a name, or (bOn 0) end it, in the store that p has. */
static void funcIndexPublishIn(KvCall *p, FuncIndexTask *pTask, const char *zName, int bOn){
  KvStore *pStore = p->pStore;
  KvError *pError = kvStoreError(pStore);
  u32 n = kvSchemaOpen(pStore)==KV_STORE_READY ? kvIndexList(pStore) : 0;
  if( bOn ){
    if( pTask->pColl ) funcIndexRun(p, pTask, funcIndexPublished);
    else kvError(pError, SQLITE_ERROR, "kv: kv_publish(): no such collection: %!.100s; CREATE "
        "VIRTUAL TABLE temp.t USING kv_collection(prefix, columns) makes one", zName);
    return;
  }
  kvSnapshotDrop(p->ctx);
  if( n==0 || !funcIndexTable(pStore, pTask->zName) ){
    kvError(pError, SQLITE_ERROR, "kv: kv_publish(): %!.100s isn't published; kv_published lists "
        "what is", zName);
  }
  if( kvFailed(pError) ) return;
  funcIndexSavepoint(p, pTask, "kv_publish()", funcIndexRemove, funcIndexUnpublished);
  pTask->n = 0;
}

static void funcIndexPublish(KvCall *p, FuncIndexTask *pTask){
  KvStore *pMain = p->pStore;
  KvError *pError = kvStoreError(pMain);
  const char *zName = funcIndexName(p, 0);
  sqlite3_stmt *pHold = 0;
  int bOn = 1;
  if( p->nArg>1 && !kvArgBool(p->apArg[1], &bOn) ){
    kvError(pError, SQLITE_ERROR, "kv: kv_publish(): the second argument is 1 or 'true' to "
        "publish, 0 or 'false' to end it");
  }
  if( zName==0 ) kvError(pError, SQLITE_ERROR, "kv: kv_publish(): the collection is NULL");
  if( kvFailed(pError) ) return;
  pTask->pColl = kvPublishFind(p->pConn, zName, &pHold, pError);
  pTask->zName = sqlite3_mprintf("%s_table", zName);
  if( pTask->zName==0 ) kvErrorCode(pError, SQLITE_NOMEM);
  if( pTask->pColl ) p->pStore = pTask->pStore = pTask->pColl->t.pStore;
  if( !bOn ){                          /* DROP TABLE waits for no statement */
    sqlite3_finalize(pHold);
    pHold = 0;
    pTask->pColl = 0;
  }
  if( !kvFailed(pError) ) funcIndexPublishIn(p, pTask, zName, bOn);
  if( p->pStore!=pMain ) kvErrorMove(pError, kvStoreError(p->pStore));
  p->pStore = pMain;
  sqlite3_finalize(pHold);
  sqlite3_free((char*)pTask->zName);
}

static void funcIndexUninstall(KvCall *p, FuncIndexTask *pTask){
  int eState;
  kvSnapshotDrop(p->ctx);
  eState = kvSchemaOpen(p->pStore);
  /* Without a store there is at most what it has left */
  pTask->n = eState==KV_STORE_READY
          || (eState==KV_STORE_NONE && kvNamesGroup(p->pStore, KVNAMES_FEED, 0));
  if( pTask->n==0 ) return;
  funcIndexSavepoint(p, pTask, "kv_uninstall()", eState==KV_STORE_READY ? funcIndexRemoveAll : 0,
      funcIndexDropAll);
}

/* The functions by KvFunc.eKind, whose results are numbers and whose errors the
** store's. */
static void funcIndex(KvCall *p){
  static void (*const axWork[])(KvCall*, FuncIndexTask*) = {
    funcIndexDeclare, funcIndexDrop, funcIndexTrack, funcIndexUninstall, funcIndexHistory,
    funcIndexPublish
  };
  FuncIndexTask task = { .pStore = p->pStore };
  axWork[p->pFunc->eKind](p, &task);
  sqlite3_result_int64(p->ctx, task.n);
}

const KvFunc kvFuncsIndex[] = {
  { "kv_index",      3, 4, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 0 },
  { "kv_index_drop", 1, 1, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 1 },
  { "kv_track",      0, 0, SQLITE_DIRECTONLY, KVCALL_STORE|KVCALL_SNAPSHOT, funcIndex, 2 },
  { "kv_track",      1, 1, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 2 },
  { "kv_history",    2, 2, SQLITE_DIRECTONLY, KVCALL_STORE|KVCALL_KEY, funcIndex, 4 },
  { "kv_publish",    1, 2, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 5 },
  { "kv_uninstall",  0, 0, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 3 },
  { 0 }
};
