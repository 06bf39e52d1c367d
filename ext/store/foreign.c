/*
** foreign.c -- plain SQL that writes to Deno's table kv while it is read.
**
** A statement may write what it reads.  What the extension itself writes is
** noted (marks.c).  But INSERT INTO kv(...) SELECT ... FROM kv_entries, or a
** trigger that inserts into kv, adds entries of which nothing is known here, and
** a scan that came to them might never end.  So a scan looks, when it begins,
** whether a statement that is under way writes to kv itself; if one does, the
** scan has read all before its first row is seen.
**
** EXPLAIN tells it: the programs of a statement and of its triggers open the
** table for writing by its root page and the number of its database.
*/
#include "store/store.h"
SQLITE_EXTENSION_INIT3
#include "store_sql.h"

/* Where a table is.  All zero: anywhere. */
typedef struct FrnTable FrnTable;
struct FrnTable {
  i64 iRoot, iDb;
};

/* Has a statement the opcode zOp for the table?  For a table that is anywhere
** *pTable is set.  What can't be explained has it. */
static int frnOpens(sqlite3 *db, const char *zSql, const char *zOp, FrnTable *pTable){
  sqlite3_stmt *pStmt = 0;
  char *zExplain = zSql ? sqlite3_mprintf("EXPLAIN %s", zSql) : 0;
  int rc = zExplain ? sqlite3_prepare_v2(db, zExplain, -1, &pStmt, 0) : SQLITE_NOMEM;
  int bOpens = 0;
  sqlite3_free(zExplain);
  while( rc==SQLITE_OK && !bOpens && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 1);
    FrnTable found;
    rc = z ? SQLITE_OK : SQLITE_NOMEM;
    if( z==0 || strcmp(z, zOp)!=0 ) continue;
    found.iRoot = sqlite3_column_int64(pStmt, 3);
    found.iDb = sqlite3_column_int64(pStmt, 4);
    if( pTable->iRoot==0 ) *pTable = found;
    bOpens = found.iRoot==pTable->iRoot && found.iDb==pTable->iDb;
  }
  sqlite3_finalize(pStmt);
  return bOpens || rc!=SQLITE_DONE;
}

/* Does a statement write to kv?  Most write to no table at all, but to kv_entries. */
static int frnWrites(KvStore *p, sqlite3_stmt *pBusy, int *pbForeign, char **pzErr){
  FrnTable any = { 0, 0 }, table = { 0, 0 };
  const char *zSql = sqlite3_sql(pBusy);
  KvStmt *pStmt;
  int rc;
  *pbForeign = frnOpens(p->db, zSql, "OpenWrite", &any);
  if( !*pbForeign ) return SQLITE_OK;
  rc = kvStoreStatement(p, KVSQL_FOREIGN, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  frnOpens(p->db, sqlite3_sql(pStmt->pStmt), "OpenRead", &table);
  kvStoreGive(p, pStmt);
  *pbForeign = frnOpens(p->db, zSql, "OpenWrite", &table);
  return SQLITE_OK;
}

/*
** Is it the run after the one that was looked at last, of the same statement with
** the same program?  (A statement that took the place of another in memory is in
** its first run when it comes here, or was here in the one before.)
*/
static int frnKnown(KvForeign *p, sqlite3_stmt *pBusy){
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

int kvStoreForeign(KvStore *p, int *pbForeign, char **pzErr){
  sqlite3_stmt *pBusy = 0;
  int rc = SQLITE_OK;
  *pbForeign = 0;
  if( sqlite3_txn_state(p->db, p->zSchema)!=SQLITE_TXN_WRITE ) return SQLITE_OK;
  while( rc==SQLITE_OK && !*pbForeign && (pBusy = sqlite3_next_stmt(p->db, pBusy))!=0 ){
    int bForeign;
    if( !sqlite3_stmt_busy(pBusy) || sqlite3_stmt_readonly(pBusy) ) continue;
    if( !frnKnown(&p->foreign, pBusy) ){
      rc = frnWrites(p, pBusy, &bForeign, pzErr);
      p->foreign.bForeign = (u8)bForeign;
    }
    *pbForeign = p->foreign.bForeign;
  }
  if( rc!=SQLITE_OK ) p->foreign.pStmt = 0;
  return rc;
}
