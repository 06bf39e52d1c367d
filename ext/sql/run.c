/*
** run.c -- operations that functions run.  See ops.h.
**
** The list is handed to the hidden table kv_run (atomic.c) by one INSERT, and for
** a store in another file than main to the hidden function kv_run() in an INSERT
** on that file (sql/store/run.sql).  Whatever else might be found by one of these
** names: a list that did not reach kvRunReached() is an error.
*/
#include "sql/run.h"
SQLITE_EXTENSION_INIT3
#include "sql/result.h"
#include "store_sql.h"
#include "codec/key/key_print.h"

static int runNest(void *pNest, KvStore *pStore, int (*xCall)(void*, char**), void *pArg, char **pzErr);

void kvRunInit(KvAtomList *p, KvConn *pConn, KvStore *pStore){
  memset(p, 0, sizeof(*p));
  p->nest.xNest = runNest;
  p->nest.pNest = pConn;
  kvBufInit(&p->ops, 0, 0);
  kvAtomInit(&p->atom, pStore, pConn->aLimit);
}

void kvRunClear(KvAtomList *p){
  kvBufClear(&p->ops);
  kvAtomClear(&p->atom);
}

int kvRunAdd(KvAtomList *p, KvConn *pConn, const u8 *a, u32 n, char **pzErr){
  KvOp op;
  KvScratch *pScratch = kvScratchTake(pConn);
  int rc = kvOpRead(&op, kvBytes(a, n), 0);
  if( rc==KV_OK ) rc = kvOpCheck(&op, &pScratch->tree, 0);
  kvScratchGive(pScratch);
  if( rc==KV_OK ){
    kvAtomListAdd(p, a, n);
    return p->ops.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  *pzErr = sqlite3_mprintf("kv: op: the BLOB is not a result of kv_op()");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/*
** The lock could not be had because another program writes, or has written
** since the SELECT that runs the operation began to read; in that state SQLite
** does not wait.  What the checks compare with is then out of date, or soon
** will be, and trying again reads anew: outside of a transaction that is just
** what a failed check means.  Returns true if there is a check, the first of
** which is then the conflict.
*/
static int runOutrun(KvAtomList *p, sqlite3 *db){
  KvOp op;
  u32 i = 0;
  if( p->eRun!=KV_RUN_OPS || !sqlite3_get_autocommit(db) ) return 0;
  while( kvAtomListNext(p, &i, &op) ){
    if( op.eOp!=KV_OP_CHECK ) continue;
    kvBufReset(&p->atom.conflict);
    kvKeyShow(&p->atom.conflict, op.key);
    p->atom.bConflict = p->atom.conflict.eErr==KV_OK;
    return p->atom.bConflict;
  }
  return 0;
}

int kvRunWriters(sqlite3 *db){
  sqlite3_stmt *pStmt;
  int n = 0;
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    if( sqlite3_stmt_busy(pStmt) && !sqlite3_stmt_readonly(pStmt) ) n++;
  }
  return n;
}

/*
** kv_config('select_writes', 0) has been called: a program around SQLite sends
** what writes another way than what reads, and goes by the statement.  Then an
** operation has to be part of a statement of which sqlite3_stmt_readonly()
** says that it writes.  Returns SQLITE_OK if it is.
*/
static int runAllowed(const KvAtomList *p, const KvConn *pConn, char **pzErr){
  static const char *const azCall[] = {
    [KV_RUN_INIT] = "kv_init()", [KV_RUN_SWEEP] = "kv_sweep()",
    [KV_RUN_TAKE] = "kv_dequeue()", [KV_RUN_FINISH] = "kv_finish(id, 0)",
    [KV_RUN_CALL] = "the function",
  };
  KvOp op;
  u32 i = 0;
  char *zUse;
  if( !pConn->bNoSelectWrites || kvRunWriters(pConn->db) ) return SQLITE_OK;
  if( p->eRun==KV_RUN_OPS ){
    const char *zOp = kvAtomListNext(p, &i, &op) ? kvOpName(op.eOp) : "set";
    zUse = sqlite3_mprintf("INSERT INTO kv_atomic(op, key, value) VALUES ('%s', ...), or "
        "INSERT, UPDATE or DELETE on %s", zOp,
        strcmp(zOp, "enqueue")==0 ? "kv_queue" : "kv_entries");
  }else if( p->eRun==KV_RUN_FINISH && p->bOk ){
    zUse = sqlite3_mprintf("DELETE FROM kv_queue WHERE id = ...");
  }else{
    zUse = sqlite3_mprintf("it in a statement that writes: INSERT INTO t SELECT %s",
        p->bTable ? "id, value FROM kv_dequeue()" : azCall[p->eRun]);
  }
  if( zUse ){
    *pzErr = sqlite3_mprintf("kv: select_writes is 0 for this connection: no function may "
        "write in a SELECT; use %s", zUse);
  }
  sqlite3_free(zUse);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* True if the statement writes, or is a PRAGMA (integrity_check evaluates CHECK
** constraints). */
static int runSuspect(sqlite3_stmt *pStmt){
  const char *z = sqlite3_sql(pStmt);
  if( !sqlite3_stmt_readonly(pStmt) ) return 1;
  while( z && (*z==' ' || *z=='\t' || *z=='\n' || *z=='\r') ) z++;
  return z==0 || sqlite3_strnicmp(z, "pragma", 6)==0;
}

int kvRunRefused(sqlite3 *db, char **pzErr){
  sqlite3_stmt *pStmt = 0;
  int bTrusted = 1;
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &bTrusted);
  if( bTrusted ) return SQLITE_OK;
  while( (pStmt = sqlite3_next_stmt(db, pStmt))!=0 ){
    if( sqlite3_stmt_busy(pStmt) && runSuspect(pStmt) ) break;
  }
  if( pStmt==0 ) return SQLITE_OK;
  *pzErr = sqlite3_mprintf("kv: while trusted_schema is off, functions that write or wait may not be "
      "called from a statement that writes, where a CHECK constraint may be what calls them; "
      "call them from a SELECT");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/*
** What a function writes counts in sqlite3_total_changes64().  If it is called
** between two rows of one INSERT INTO kv_atomic (atomic.c), they still belong
** together: what that goes by is moved on, from iTotal.
*/
static void runCount(KvConn *pConn, i64 iTotal){
  if( pConn->iRowTotal==iTotal ) pConn->iRowTotal = sqlite3_total_changes64(pConn->db);
}

int kvRunReached(KvConn *pConn, char **pzErr){
  KvAtomList *pList = pConn->pRun;
  KvAtom *pAtom;
  KvWork outer;
  int rc;
  if( pList==0 ){
    *pzErr = sqlite3_mprintf("kv: kv_run is for internal use; INSERT INTO kv_atomic");
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  pConn->pRun = 0;                     /* it is run once */
  pAtom = &pList->atom;
  outer = kvWorkBegin(pAtom->pStore, 1);
  rc = kvAtomListRun(pList, pzErr);
  if( rc==SQLITE_ERROR && pList->eRun!=KV_RUN_CALL && !pAtom->bVersion && kvSchemaChanged(pAtom->pStore) ){
    KvStore *pStore = pAtom->pStore;
    sqlite3_free(*pzErr);
    *pzErr = 0;
    kvAtomClear(pAtom);
    kvAtomInit(pAtom, pStore, pConn->aLimit);
    rc = kvAtomListRun(pList, pzErr);
  }
  kvWorkEnd(pAtom->pStore, &outer);
  return rc;
}

/* kv_run(): false, so that the statement that calls it inserts nothing. */
static void runFunc(KvCall *p){
  char *zErr = 0;
  if( kvCallDone(p, kvRunReached(p->pConn, &zErr), &zErr)==SQLITE_OK ) sqlite3_result_int(p->ctx, 0);
}

/* The statement has ended with SQLITE_DONE.  What has it inserted into? */
static int runMissed(char **pzErr){
  *pzErr = sqlite3_mprintf("kv: nothing was written: this connection has a temporary table or a "
      "function of its own that is called kv_run; drop it");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int kvRun(KvAtomList *p, KvConn *pConn, KvStore *pStore, char **pzErr){
  KvAtomList *pOuter = pConn->pRun;
  i64 iTotal = sqlite3_total_changes64(pConn->db);
  KvStmt *pStmt;
  int rc, eSql, bReached;
  int bReading = kvStoreTxnState(pStore)!=SQLITE_TXN_NONE;
  kvBufReset(&pConn->conflict);
  rc = runAllowed(p, pConn, pzErr);
  if( rc==SQLITE_OK && p->eRun!=KV_RUN_CALL && !p->bTable ) rc = kvRunRefused(pConn->db, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  eSql = kvMigrateRunner(pStore);
  pStmt = kvStmtTake(pStore, eSql);
  if( pStmt==0 ) return kvStoreTake(pStore, pzErr);
  pConn->pRun = p;
  do{
    rc = sqlite3_step(pStmt->pStmt);   /* a row: PRAGMA count_changes */
  }while( rc==SQLITE_ROW );
  bReached = pConn->pRun!=p;
  pConn->pRun = pOuter;
  if( rc==SQLITE_DONE ){
    rc = bReached ? SQLITE_OK : runMissed(pzErr);
  }else{
    const char *zMsg = sqlite3_errmsg(pConn->db);
    int rcExtended = sqlite3_extended_errcode(pConn->db);
    if( (rcExtended & 0xff)==(rc & 0xff) ) rc = rcExtended;
    int bOutrun = bReading && (rc & 0xff)==SQLITE_BUSY;
    if( bOutrun && runOutrun(p, pConn->db) ){
      rc = SQLITE_OK;
    }else if( bOutrun ){
      *pzErr = sqlite3_mprintf("kv: database is locked: the statement or transaction has read the "
          "database and another program writes to it; BEGIN IMMEDIATE before reading, or write "
          "with INSERT INTO kv_atomic ... SELECT, which takes the lock first");
    }else{
      *pzErr = sqlite3_mprintf("%s%s", strncmp(zMsg, "kv: ", 4)==0 ? "" : "kv: ", zMsg);
    }
  }
  kvStmtGive(pStmt);
  runCount(pConn, iTotal);
  if( rc==SQLITE_OK && p->atom.bConflict ){
    kvBufAppend(&pConn->conflict, p->atom.conflict.a, p->atom.conflict.n);
    if( pConn->conflict.eErr!=KV_OK ) rc = SQLITE_NOMEM;
  }
  return rc;
}

static int runCall(KvConn *pConn, KvStore *pStore, int (*xCall)(void*, char**), void *pArg, char **pzErr){
  KvAtomList list;
  int rc;
  kvRunInit(&list, pConn, pStore);
  list.eRun = KV_RUN_CALL;
  list.xCall = xCall;
  list.pCall = pArg;
  rc = kvRun(&list, pConn, pStore, pzErr);
  kvRunClear(&list);
  return rc;
}

static int runNest(void *pNest, KvStore *pStore, int (*xCall)(void*, char**), void *pArg, char **pzErr){
  return runCall(pNest, pStore, xCall, pArg, pzErr);
}

int kvRunCall(KvConn *pConn, KvStore *pStore, int (*xCall)(void*, char**), void *pArg, char **pzErr){
  int rc = kvRunRefused(pConn->db, pzErr);
  return rc==SQLITE_OK ? runCall(pConn, pStore, xCall, pArg, pzErr) : rc;
}

int kvRunOwn(KvConn *pConn, KvStore *pStore, int (*xCall)(void*, char**), void *pArg, char **pzErr){
  int rc = KV_AGAIN;
  if( !(kvSchemaKnown(pStore) & KVKNOWN_INDEXES) ) rc = xCall(pArg, pzErr);
  return rc==KV_AGAIN ? runCall(pConn, pStore, xCall, pArg, pzErr) : rc;
}

const KvFunc kvFuncsRun[] = {
  { "kv_run", 0, 0, SQLITE_DIRECTONLY, 0, runFunc, 0 },
  { 0 }
};
