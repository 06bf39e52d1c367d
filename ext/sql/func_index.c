/*
** func_index.c -- functions that declare indexes and turn the change feed on.
**
**   kv_index(name, prefix, path [, options])   -> index entries that were made
**   kv_index_drop(name)                        -> index entries that were removed
**   kv_track([on])                             -> whether the feed is on
**   kv_track_trim(before)                      -> deletions that were forgotten
**   kv_uninstall()                             -> 1, or 0 where there is no store
**
** What removes tables runs in a savepoint: SQLite drops no table while another
** statement runs on the file.
*/
#include "sql/func_index.h"
SQLITE_EXTENSION_INIT3
#include "sql/op_args.h"
#include "sql/run.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/codec_error.h"
#include "sql/snapshot.h"
#include "codec/path.h"
#include "codec/versionstamp.h"
#include "store/index_declare.h"
#include "store/queue.h"
#include "store/feed.h"
#include "store/message.h"
#include "store/schema.h"
#include "store/store_names.h"
#include "store/write.h"

/* What a function does, and its arguments. */
typedef struct FuncIndexTask FuncIndexTask;
struct FuncIndexTask {
  KvStore *pStore;
  KvIndexDef def;         /* index: what is to be declared */
  u8 bOverwrite;          /* index: whatever is there may be overwritten */
  const char *zName;      /* drop */
  i64 iBefore;            /* trim: a version */
  i64 n;                  /* Result */
  int bFound;
  int nLeft;              /* drop: indexes that are left */
};

/* Run the task as one nested statement. */
static int funcIndexRun(KvConn *pConn, FuncIndexTask *p, void (*xCall)(void*), char **pzErr){
  KvRun run = { p->pStore, xCall, p, KV_RUN_SELECT "the function", 0 };
  kvRun(pConn, &run);
  return kvStoreTake(p->pStore, pzErr);
}

/* ---- kv_index() ----------------------------------------------------------- */

/* The options as they are kept, zOut: each word once, in a fixed order. */
static int funcIndexOptions(const char *z, char *zOut, u8 *pbOverwrite, char **pzErr){
  static const struct { const char *zWord; int bKept; } aWord[] = {
    { "unique", 1 }, { "lower", 1 }, { "copy", 1 }, { "sparse", 0 }, { "overwrite", 0 },
  };
  int abSet[KV_COUNT(aWord)] = { 0 };
  char *zTo = zOut;
  int i, nWord = (int)KV_COUNT(aWord);
  while( *z ){
    int n = (int)strcspn(z, " ,\t\r\n");
    for(i=0; i<nWord; i++){
      if( n==(int)strlen(aWord[i].zWord) && sqlite3_strnicmp(z, aWord[i].zWord, n)==0 ) break;
    }
    if( n>0 && i==nWord ){
      *pzErr = kvMsg("kv: kv_index(): unknown option '%!.*s'; the options are "
          "unique, lower, copy, sparse and overwrite", n<100 ? n : 100, z);
      return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    if( n>0 ) abSet[i] = 1;
    z += n;
    while( *z && strchr(" ,\t\r\n", *z) ) z++;
  }
  for(i=0; i<nWord; i++){
    if( !abSet[i] || !aWord[i].bKept ) continue;
    if( zTo>zOut ) *zTo++ = ' ';
    for(z=aWord[i].zWord; *z; z++) *zTo++ = *z;
  }
  *zTo = 0;
  *pbOverwrite = abSet[nWord-1]!=0;
  return SQLITE_OK;
}

static void funcIndexIndexRun(void *pArg){
  FuncIndexTask *p = pArg;
  p->n = kvIndexCreate(p->pStore, &p->def, p->bOverwrite);
}

/* Is the index declared just so?  Then nothing need be written. */
static int funcIndexIsThere(KvStore *pStore, const KvIndexDef *pDef, int *pbSame, char **pzErr){
  const KvIndexDef *pOld = 0;
  if( kvSchemaOpen(pStore)==KV_STORE_READY && kvIndexList(pStore)>0 ){
    pOld = kvIndexNamed(pStore, pDef->zName);
  }
  *pbSame = pOld && kvIndexDefFits(pOld, pDef);
  return kvStoreTake(pStore, pzErr);
}

/* An argument that is text of SQL as it should be -> *pz.  What is behind a NUL
** would be lost, and a name that is no UTF-8 would make keys that Deno can't
** read. */
static int funcIndexText(sqlite3_value *pVal, const char *zWhat, const char **pz, char **pzErr){
  const char *z = *pz = (const char*)sqlite3_value_text(pVal);
  u32 n = (u32)sqlite3_value_bytes(pVal);
  if( z==0 && sqlite3_value_type(pVal)!=SQLITE_NULL ) return SQLITE_NOMEM;
  if( z && n>0 && strlen(z)==n && kvUtf8Valid(kvBytes(z, n)) ) return SQLITE_OK;
  *pzErr = n ? sqlite3_mprintf("kv: kv_index(): the %s is no UTF-8 text, or has a NUL in it", zWhat)
             : sqlite3_mprintf("kv: kv_index(): takes a name, the prefix of the entries as a key, "
                   "a path such as $.email, and options");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* A path that is none is found here, before anything is written. */
static int funcIndexPath(const char *zPath, KvErr *pErr){
  KvTree tree;
  u32 iNode;
  i64 iElem;
  int rc;
  kvTreeInit(&tree);
  rc = kvPathFind(&tree, kvBytesText(zPath), &iNode, &iElem, pErr);
  kvTreeClear(&tree);
  return rc;
}

static int funcIndexDeclare(KvCall *p, i64 *pn, char **pzErr){
  KvStore *pStore = p->pStore;
  FuncIndexTask task;
  KvBuf prefix;
  KvErr err;
  char zOptions[40];
  const char *zOpt = p->nArg>3 ? (const char*)sqlite3_value_text(p->apArg[3]) : 0;
  int bSame = 0, rc;
  memset(&task, 0, sizeof(task));
  memset(&err, 0, sizeof(err));
  task.pStore = pStore;
  rc = funcIndexText(p->apArg[0], "name", &task.def.zName, pzErr);
  if( rc==SQLITE_OK ) rc = funcIndexText(p->apArg[2], "path", &task.def.zPath, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  task.def.zOptions = zOptions;
  if( p->nArg>3 && zOpt==0 && sqlite3_value_type(p->apArg[3])!=SQLITE_NULL ) return SQLITE_NOMEM;
  rc = funcIndexOptions(zOpt ? zOpt : "", zOptions, &task.bOverwrite, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( funcIndexPath(task.def.zPath, &err)!=KV_OK ){
    *pzErr = kvCodecErrorText("kv_index(): path", &err);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  kvBufInit(&prefix, 0, 0);
  if( kvArgKey(p->apArg[1], 0, &prefix, 0, &err)!=KV_OK ){
    *pzErr = kvCodecErrorText("kv_index(): prefix", &err);
    rc = *pzErr && err.eCode!=KV_NOMEM ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  task.def.prefix = kvBufBytes(&prefix);
  if( rc==SQLITE_OK ) rc = funcIndexIsThere(pStore, &task.def, &bSame, pzErr);
  if( rc==SQLITE_OK && !bSame ) rc = funcIndexRun(p->pConn, &task, funcIndexIndexRun, pzErr);
  kvBufClear(&prefix);
  *pn = task.n;
  return rc;
}

/* ---- what drops tables ---------------------------------------------------- */

static int funcIndexExec(KvStore *p, const char *zSql, char **pzErr){
  kvStoreFail(p, sqlite3_exec(kvStoreDb(p), zSql, 0, 0, 0));
  return kvStoreTake(p, pzErr);
}

/* A table could not be dropped because a statement of this connection runs.
** (That another one has a lock is told by SQLite's own message.) */
static int funcIndexLocked(int rc, const char *zWhat, char **pzErr){
  int bBusy = (rc & 0xff)==SQLITE_BUSY && *pzErr && strstr(*pzErr, "in progress")!=0;
  if( (rc & 0xff)!=SQLITE_LOCKED && !bBusy ) return rc;
  sqlite3_free(*pzErr);
  *pzErr = sqlite3_mprintf("kv: %s: tables can't be dropped while another statement runs; "
      "SELECT it alone, and finish the other statements of this connection first", zWhat);
  return *pzErr ? rc : SQLITE_NOMEM;
}

/*
** Take back what was done since the savepoint, which was the transaction's
** begin if bAuto.  After an allocation has failed SQLite runs nothing more
** until the statement that called the function has ended, so that ROLLBACK
** fails too.  Then pRead, which was prepared before, takes the transaction with
** it: that is what SQLite does with one when a statement that reads ends without
** memory.
*/
static void funcIndexUndo(sqlite3 *db, int bAuto, sqlite3_stmt *pRead){
  const char *zUndo = bAuto ? "ROLLBACK" : "ROLLBACK TO kv_drop; RELEASE kv_drop";
  if( sqlite3_exec(db, zUndo, 0, 0, 0)!=SQLITE_OK && !sqlite3_get_autocommit(db) ) sqlite3_step(pRead);
}

/*
** Run a task in a savepoint of its own, as a statement first (xWrite, may be 0)
** and then what drops tables (xDrop).  Where the savepoint is the transaction,
** its release commits.  That may fail because another connection reads, and
** again if it were only rolled back to: then the transaction is rolled back.
*/
static int funcIndexSavepoint(
  KvConn *pConn, FuncIndexTask *p, const char *zWhat, void (*xWrite)(void*),
  int (*xDrop)(FuncIndexTask*, char**), char **pzErr
){
  sqlite3 *db = kvStoreDb(p->pStore);
  sqlite3_stmt *pRead;
  int bAuto = sqlite3_get_autocommit(db);
  int rc;
  if( pConn->bNoSelectWrites ){
    *pzErr = sqlite3_mprintf("kv: %s: can't be done while select_writes is 0, since it drops tables; "
        "do it in a connection of SQLite's own", zWhat);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  rc = sqlite3_prepare_v2(db, "SELECT 1 FROM main.sqlite_schema", -1, &pRead, 0);
  kvStoreFail(p->pStore, rc);
  rc = kvStoreTake(p->pStore, pzErr);
  if( rc==SQLITE_OK ) rc = funcIndexExec(p->pStore, "SAVEPOINT kv_drop", pzErr);
  if( rc!=SQLITE_OK ){
    sqlite3_finalize(pRead);
    return funcIndexLocked(rc, zWhat, pzErr);
  }
  if( xWrite ) rc = funcIndexRun(pConn, p, xWrite, pzErr);
  if( rc==SQLITE_OK ) rc = xDrop(p, pzErr);
  if( rc==SQLITE_OK ) rc = funcIndexExec(p->pStore, "RELEASE kv_drop", pzErr);
  if( rc!=SQLITE_OK ) funcIndexUndo(db, bAuto, pRead);
  sqlite3_finalize(pRead);
  return funcIndexLocked(rc, zWhat, pzErr);
}

/* If nobody needs the feed any more it goes with the last index. */
static int funcIndexDropUnused(FuncIndexTask *p, char **pzErr){
  KvFeed feed;
  if( !p->bFound || p->nLeft>0 ) return SQLITE_OK;
  kvIndexDropTables(p->pStore);
  kvFeedGet(p->pStore, &feed);
  if( !feed.bWanted ) kvFeedDrop(p->pStore);
  return kvStoreTake(p->pStore, pzErr);
}

static void funcIndexRemoveRun(void *pArg){
  FuncIndexTask *p = pArg;
  p->bFound = kvIndexRemove(p->pStore, p->zName, &p->n, &p->nLeft);
}

/* Remove every index's entries. */
static void funcIndexRemoveAll(void *pArg){
  FuncIndexTask *p = pArg;
  KvStore *pStore = p->pStore;
  int bFound = 1;
  while( bFound && !kvFailed(kvStoreError(pStore)) && kvIndexList(pStore)>0 ){
    char *zName = sqlite3_mprintf("%s", kvIndexAt(pStore, 0)->zName);
    i64 nEntry;
    if( zName ) bFound = kvIndexRemove(pStore, zName, &nEntry, &p->nLeft);
    else kvErrorCode(kvStoreError(pStore), SQLITE_NOMEM);
    sqlite3_free(zName);
  }
}

static int funcIndexDropAll(FuncIndexTask *p, char **pzErr){
  kvIndexDropTables(p->pStore);
  kvFeedDrop(p->pStore);
  if( kvNamesOwn(p->pStore, KV_OWN_QUEUE, 0) ) kvQueueIndexDrop(p->pStore);
  return kvStoreTake(p->pStore, pzErr);
}

static int funcIndexDropTrack(FuncIndexTask *p, char **pzErr){
  kvFeedDrop(p->pStore);
  return kvStoreTake(p->pStore, pzErr);
}

/* ---- the functions --------------------------------------------------------- */

static int funcIndexDrop(KvCall *p, i64 *pn, char **pzErr){
  KvStore *pStore = p->pStore;
  FuncIndexTask task;
  u32 n = 0;
  int rc;
  memset(&task, 0, sizeof(task));
  task.pStore = pStore;
  kvSnapshotDrop(p->ctx);
  task.zName = (const char*)sqlite3_value_text(p->apArg[0]);
  if( task.zName==0 && sqlite3_value_type(p->apArg[0])!=SQLITE_NULL ) return SQLITE_NOMEM;
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) n = kvIndexList(pStore);
  rc = kvStoreTake(pStore, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( n==0 || task.zName==0 || kvIndexNamed(pStore, task.zName)==0 ){
    *pzErr = kvMsg("kv: kv_index_drop(): there is no index %!.100s; see kv_indexes",
                             task.zName ? task.zName : "NULL");
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  /* Where tables can't be dropped they are left empty. */
  rc = n>1 || p->pConn->bNoSelectWrites
     ? funcIndexRun(p->pConn, &task, funcIndexRemoveRun, pzErr)
     : funcIndexSavepoint(p->pConn, &task, "kv_index_drop()", funcIndexRemoveRun, funcIndexDropUnused, pzErr);
  *pn = task.n;
  return rc;
}

static void funcIndexTrackRun(void *pArg){
  kvFeedOn(((FuncIndexTask*)pArg)->pStore, 1);
}

/* The state of the feed, if there is a store, and an empty task. */
static int funcIndexFeed(KvCall *p, FuncIndexTask *pTask, KvFeed *pFeed, char **pzErr){
  memset(pFeed, 0, sizeof(*pFeed));
  memset(pTask, 0, sizeof(*pTask));
  pTask->pStore = p->pStore;
  if( kvSchemaOpen(p->pStore)==KV_STORE_READY ) kvFeedGet(p->pStore, pFeed);
  return kvStoreTake(p->pStore, pzErr);
}

static int funcIndexTrack(KvCall *p, i64 *pn, char **pzErr){
  KvStore *pStore = p->pStore;
  KvFeed feed;
  FuncIndexTask task;
  u32 n;
  int rc;
  if( p->nArg>0 && sqlite3_value_int(p->apArg[0])==0 ) kvSnapshotDrop(p->ctx);
  rc = funcIndexFeed(p, &task, &feed, pzErr);
  *pn = feed.bThere;
  if( rc!=SQLITE_OK || p->nArg==0 ) return rc;
  *pn = sqlite3_value_int(p->apArg[0])!=0;
  if( *pn ){
    return feed.bWanted ? SQLITE_OK
         : funcIndexRun(p->pConn, &task, funcIndexTrackRun, pzErr);
  }
  if( !feed.bThere ) return SQLITE_OK;
  n = kvIndexList(pStore);
  rc = kvStoreTake(pStore, pzErr);
  if( rc==SQLITE_OK && n>0 ){
    *pzErr = kvMsg("kv: kv_track(0): the index %!.100s needs the change feed; "
        "kv_index_drop() it first, or kv_uninstall() everything", kvIndexAt(pStore, 0)->zName);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  return rc==SQLITE_OK ? funcIndexSavepoint(p->pConn, &task, "kv_track(0)", 0, funcIndexDropTrack, pzErr) : rc;
}

static void funcIndexTrimRun(void *pArg){
  FuncIndexTask *p = pArg;
  i64 iVersion;
  /* With a new version the indexes catch up: they have then seen the deletions. */
  if( kvSchemaLook(p->pStore) & KVKNOWN_INDEXES ) kvWriteBump(p->pStore, &iVersion);
  p->n = kvFeedTrim(p->pStore, p->iBefore);
}

/* The message of what needs the feed and has none. */
static int funcIndexNoFeed(const char *zWhat, char **pzErr){
  *pzErr = sqlite3_mprintf("kv: %s: the changes of this file are not tracked; "
      "SELECT kv_track(1) first", zWhat);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int funcIndexTrim(KvCall *p, i64 *pn, char **pzErr){
  i64 iBefore;
  KvFeed feed;
  FuncIndexTask task;
  const char *z = (const char*)sqlite3_value_text(p->apArg[0]);
  int rc;
  if( z==0 && sqlite3_value_type(p->apArg[0])!=SQLITE_NULL ) return SQLITE_NOMEM;
  if( z==0 || !kvVersionstampParse(kvBytes(z, (u32)sqlite3_value_bytes(p->apArg[0])), &iBefore) ){
    *pzErr = sqlite3_mprintf("kv: kv_track_trim(): takes a versionstamp, 20 hexadecimal digits");
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  rc = funcIndexFeed(p, &task, &feed, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( !feed.bThere ) return funcIndexNoFeed("kv_track_trim()", pzErr);
  if( iBefore>feed.iVersion && feed.iVersion<INT64_MAX ) iBefore = feed.iVersion+1;
  task.iBefore = iBefore;
  rc = funcIndexRun(p->pConn, &task, funcIndexTrimRun, pzErr);
  *pn = task.n;
  return rc;
}

static int funcIndexUninstall(KvCall *p, i64 *pn, char **pzErr){
  KvFeed feed;
  FuncIndexTask task;
  int rc, eState;
  kvSnapshotDrop(p->ctx);
  rc = funcIndexFeed(p, &task, &feed, pzErr);
  eState = kvSchemaState(p->pStore);
  if( rc==SQLITE_OK && eState!=KV_STORE_READY ){
    /* Without a store there is at most what it has left */
    int bThere = eState==KV_STORE_NONE && kvNamesOwn(p->pStore, KV_OWN_FEED, 0);
    rc = kvStoreTake(p->pStore, pzErr);
    if( !bThere ) return rc;
  }
  if( rc==SQLITE_OK ){
    rc = funcIndexSavepoint(p->pConn, &task, "kv_uninstall()", feed.bThere ? funcIndexRemoveAll : 0, funcIndexDropAll, pzErr);
  }
  *pn = 1;
  return rc;
}

/* The functions by KvFunc.eKind, whose results are numbers. */
static void funcIndex(KvCall *p){
  static int (*const axWork[])(KvCall*, i64*, char**) = {
    funcIndexDeclare, funcIndexDrop, funcIndexTrack, funcIndexTrim, funcIndexUninstall
  };
  char *zErr = 0;
  i64 n = 0;
  int rc = axWork[p->pFunc->eKind](p, &n, &zErr);
  if( kvCallDone(p, rc, &zErr)==SQLITE_OK ) sqlite3_result_int64(p->ctx, n);
}

const KvFunc kvFuncsIndex[] = {
  { "kv_index",      3, 4, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 0 },
  { "kv_index_drop", 1, 1, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 1 },
  { "kv_track",      0, 0, SQLITE_DIRECTONLY, KVCALL_STORE|KVCALL_SNAPSHOT, funcIndex, 2 },
  { "kv_track",      1, 1, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 2 },
  { "kv_track_trim", 1, 1, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 3 },
  { "kv_uninstall",  0, 0, SQLITE_DIRECTONLY, KVCALL_STORE, funcIndex, 4 },
  { 0 }
};
