/*
** run.c -- work that is done as one nested statement.  See run.h.
**
** What is to be done is handed to the hidden table kv_run (vtab_run.c) by one
** INSERT, and for a store in another file than main to the hidden function
** kv_run() in an INSERT on that file (sql/store/run.sql).  Whatever else might be
** found by one of these names: work that did not reach kvRunReached() is an error.
*/
#include "sql/run.h"
#include "store/index/catch_up.h"
#include "sql/sql_word.h"
#include "store_sql.h"
#include "store/migrate.h"
#include "store/schema.h"
#include "store/statement.h"

int kvRunWriters(sqlite3 *db){
  sqlite3_stmt *pStmt;
  int n = 0;
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    if( sqlite3_stmt_busy(pStmt) && !sqlite3_stmt_readonly(pStmt) ) n++;
  }
  return n;
}

sqlite3_stmt *kvRunWriter(sqlite3 *db){
  sqlite3_stmt *pStmt, *pWriter = 0;
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    if( !sqlite3_stmt_busy(pStmt) || sqlite3_stmt_readonly(pStmt) ) continue;
    if( pWriter ) return 0;
    pWriter = pStmt;
  }
  return pWriter;
}

/*
** A program around SQLite sends what writes another way than what reads, and goes
** by the statement.  So work has to be part of a statement of which
** sqlite3_stmt_readonly() says that it writes.
*/
int kvRunForbidden(const KvConn *pConn){
  return pConn->bNoSelectWrites && kvRunWriters(pConn->db)==0;
}

/* True if the statement writes, or is a PRAGMA (integrity_check evaluates CHECK
** constraints). */
static int runSuspect(sqlite3_stmt *pStmt){
  const char *z = sqlite3_sql(pStmt);
  if( !sqlite3_stmt_readonly(pStmt) ) return 1;
  return z==0 || sqlite3_strnicmp(kvSqlSkip(z), "pragma", 6)==0;
}

void kvRunRefused(sqlite3 *db, KvError *pError){
  sqlite3_stmt *pStmt = 0;
  int bTrusted = 1;
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &bTrusted);
  if( bTrusted ) return;
  while( (pStmt = sqlite3_next_stmt(db, pStmt))!=0 ){
    if( sqlite3_stmt_busy(pStmt) && runSuspect(pStmt) ) break;
  }
  if( pStmt==0 ) return;
  kvError(pError, SQLITE_ERROR,
      "kv: while trusted_schema is off, functions that write, wait or set can't be called "
      "from a statement that writes, where the caller may be a CHECK constraint; call "
      "them from a SELECT");
}

void kvRunReached(KvConn *pConn, KvError *pError){
  const KvRun *p = pConn->pRun;
  KvStore *pStore;
  KvWrite write;
  i64 iTotal;
  if( p==0 ){
    kvError(pError, SQLITE_ERROR, "kv: kv_run is for internal use; use INSERT INTO kv_atomic");
    return;
  }
  pConn->pRun = 0;                     /* it is run once */
  pStore = p->pStore;
  KV_ASSERT( !kvFailed(kvStoreError(pStore)) );
  iTotal = sqlite3_total_changes64(pConn->db);
  kvWriteBegin(&write, pStore, KVWRITE_SAVEPOINT);
  p->xCall(p->pArg);
  if( iTotal==sqlite3_total_changes64(pConn->db) && kvSchemaRetry(pStore) ) p->xCall(p->pArg);
  kvWriteEnd(&write);
  kvErrorMove(pError, kvStoreError(pStore));
}

/* The error of the nested statement.  (Its code may be an extended one.) */
static void runFailed(KvStore *pStore, int rc, int bReading){
  int rcExtended = sqlite3_extended_errcode(kvStoreDb(pStore));
  if( (rcExtended & 0xff)==(rc & 0xff) ) rc = rcExtended;
  if( bReading && (rc & 0xff)==SQLITE_BUSY ){
    kvError(kvStoreError(pStore), rc,
        "kv: database is locked: the statement or transaction has read the "
        "database and another program writes to it; BEGIN IMMEDIATE before reading, or write "
        "with INSERT INTO kv_atomic ... SELECT, which takes the lock first");
  }else{
    kvErrorDb(kvStoreError(pStore), kvStoreDb(pStore), rc);
  }
}

/* Would a read transaction that begins now end with the statement that reads?  A
** snapshot that stays is what makes a write fail once another program has written. */
static int runMayRead(const KvConn *pConn){
  return sqlite3_get_autocommit(pConn->db) && kvRunWriters(pConn->db)==0;
}

/*
** What a function writes counts in sqlite3_total_changes64().  If it is called
** between two rows of one INSERT INTO kv_atomic (vtab_atomic.c), they still belong
** together: what that goes by is moved on.
*/
static void runStatement(KvConn *pConn, const KvRun *p){
  KvStore *pStore = p->pStore;
  const KvRun *pOuter = pConn->pRun;
  i64 iTotal = sqlite3_total_changes64(pConn->db);
  i64 iLast = sqlite3_last_insert_rowid(pConn->db);
  int bReading = kvStoreTxnState(pStore)!=SQLITE_TXN_NONE;
  KvStmt *pStmt;
  int rc;
  if( kvIndexAhead(pStore) && (bReading || runMayRead(pConn)) ) kvIndexReadAhead(pStore);
  pStmt = kvStmtTake(pStore, kvMigrateRunner(pStore));
  if( pStmt==0 ) return;
  pConn->pRun = p;
  do{
    rc = sqlite3_step(pStmt->pStmt);   /* a row: PRAGMA count_changes */
  }while( rc==SQLITE_ROW );
  if( rc!=SQLITE_DONE ){
    runFailed(pStore, rc, bReading);
  }else if( pConn->pRun==p ){
    kvError(kvStoreError(pStore), SQLITE_ERROR,
        "kv: nothing was written: this connection has a temporary table or a function "
        "of its own named kv_run; drop it");
  }
  pConn->pRun = pOuter;
  sqlite3_set_last_insert_rowid(pConn->db, iLast);
  kvIndexFailed(pStore);
  kvStmtGive(pStmt);
  if( pConn->iRowTotal==iTotal ) pConn->iRowTotal = sqlite3_total_changes64(pConn->db);
}

void kvRun(KvConn *pConn, const KvRun *p){
  KvError *pErr = kvStoreError(p->pStore);
  if( kvFailed(pErr) ) return;
  kvBufReset(&pConn->conflict);
  if( p->zUse && kvRunForbidden(pConn) ){
    kvError(pErr, SQLITE_ERROR, "kv: select_writes is 0 for this connection: no function may "
        "write in a SELECT; use %s", p->zUse);
  }else if( p->zUse && !p->bTable ){
    kvRunRefused(pConn->db, pErr);
  }
  if( !kvFailed(pErr) ) runStatement(pConn, p);
}

void kvRunNest(void *pConn, KvStore *pStore, void (*xCall)(void*), void *pArg){
  KvRun run = { pStore, xCall, pArg, 0, 0 };
  kvRun(pConn, &run);
}

void kvRunOwn(KvConn *pConn, KvStore *pStore, void (*xCall)(void*), void *pArg){
  if( !(kvSchemaKnown(pStore) & KVKNOWN_INDEXES) ){
    xCall(pArg);
    if( kvStoreError(pStore)->rc!=KV_AGAIN ) return;
    kvErrorClear(kvStoreError(pStore));
  }
  kvRunNest(pConn, pStore, xCall, pArg);
}

void kvRunWithin(KvStore *pStore, void (*xCall)(void*), void *pArg){
  KvWrite write;
  if( kvFailed(kvStoreError(pStore)) ) return;
  kvWriteBegin(&write, pStore, KVWRITE_LATER);
  xCall(pArg);
  kvWriteEnd(&write);
  kvIndexFailed(pStore);
}
