/*
** plain_write.c -- plain SQL that writes to Deno's table kv.  See plain_write.h.
**
** EXPLAIN tells it: the programs of a statement and of its triggers open the
** table for writing by its root page and the number of its database.
*/
#include "store/store_int.h"
#include "store/explain.h"
#include "store/plain_write.h"
#include "store_sql.h"

/* The statement that was looked at last. */
struct KvPlain {
  sqlite3_stmt *pStmt;
  const char *zSql;
  int nReprepare, nRun;   /* As sqlite3_stmt_status() tells them */
  u8 bWrites;             /* The answer */
};

KvPlain *kvPlainNew(void){
  return kvZeroed(sizeof(KvPlain));
}

/* Where a table is.  All zero: anywhere. */
typedef struct PlainTable PlainTable;
struct PlainTable {
  int iRoot, iDb;
};

/* Has a statement the opcode zOp for the table?  For a table that is anywhere
** *pTable is set.  What can't be explained has it. */
static int plainOpens(sqlite3 *db, const char *zSql, const char *zOp, PlainTable *pTable){
  KvExplain walk;
  int bOpens = 0;
  kvExplainOpen(&walk, db, "EXPLAIN %s", zSql);
  while( !bOpens && kvExplainNext(&walk) ){
    PlainTable found;
    if( strcmp(walk.zOp, zOp)!=0 ) continue;
    found.iRoot = kvExplainP(&walk, 2);
    found.iDb = kvExplainP(&walk, 3);
    if( pTable->iRoot==0 ) *pTable = found;
    bOpens = found.iRoot==pTable->iRoot && found.iDb==pTable->iDb;
  }
  return kvExplainClose(&walk)!=SQLITE_OK || bOpens;
}

/* Does a statement write to kv?  Most write to no table at all, but to kv_entries. */
static int plainLook(KvStore *p, sqlite3_stmt *pBusy){
  PlainTable any = { 0, 0 }, table = { 0, 0 };
  const char *zSql = sqlite3_sql(pBusy);
  KvStmt *pStmt;
  if( !plainOpens(p->db, zSql, "OpenWrite", &any) ) return 0;
  pStmt = kvStmtTake(p, KVSQL_WHERE_KV);
  if( pStmt==0 ) return 0;
  plainOpens(p->db, sqlite3_sql(pStmt->pStmt), "OpenRead", &table);
  kvStmtGive(pStmt);
  return plainOpens(p->db, zSql, "OpenWrite", &table);
}

/*
** Is it the run after the one that was looked at last, of the same statement with
** the same program?  (A statement that took the place of another in memory is in
** its first run when it comes here, or was here in the one before.)
*/
static int plainKnown(KvPlain *p, sqlite3_stmt *pBusy){
  int nRun = sqlite3_stmt_status(pBusy, SQLITE_STMTSTATUS_RUN, 0);
  int nReprepare = sqlite3_stmt_status(pBusy, SQLITE_STMTSTATUS_REPREPARE, 0);
  const char *zSql = sqlite3_sql(pBusy);
  int bKnown = p->pStmt==pBusy && p->zSql==zSql && p->nReprepare==nReprepare && p->nRun+1==nRun;
  p->pStmt = pBusy;
  p->zSql = zSql;
  p->nReprepare = nReprepare;
  p->nRun = nRun;
  return bKnown;
}

int kvPlainWrites(KvStore *p){
  KvPlain *pLast = p->pPlain;
  sqlite3_stmt *pBusy = 0;
  int bWrites = 0;
  if( sqlite3_txn_state(p->db, p->zSchema)!=SQLITE_TXN_WRITE ) return 0;
  while( !bWrites && !kvFailed(&p->err) && (pBusy = sqlite3_next_stmt(p->db, pBusy))!=0 ){
    if( !sqlite3_stmt_busy(pBusy) || sqlite3_stmt_readonly(pBusy) ) continue;
    if( !plainKnown(pLast, pBusy) ) pLast->bWrites = plainLook(p, pBusy)!=0;
    bWrites = pLast->bWrites;
  }
  if( kvFailed(&p->err) ) pLast->pStmt = 0;
  return bWrites;
}
