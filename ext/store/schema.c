/*
** schema.c -- noticing that the schema is another one.
**
** What a store remembers of the schema (which of its tables and indexes there
** are, what triggers a statement fires, the declared indexes and their
** overlays) holds as long as the schema does.  A statement on the schema, the
** sentinel, is kept for that: SQLite prepares it again whenever
**
**   - any program has changed the schema of the file,
**   - such a change was rolled back,
**   - the file was detached, or its content replaced by the backup API,
**   - this connection has changed the temp schema (a TEMP TRIGGER may be on a
**     table of the store),
**
** and counts how often it did.  A sentinel that had to be made anew counts as
** a change, too.  So nothing depends on which of the other statements have been
** prepared when.
*/
#include "store/store.h"
SQLITE_EXTENSION_INIT3

/* The schema is another: what is remembered of it is not believed. */
static void schemaForget(KvStore *p){
  p->iSchema++;
  p->bStale = 1;
  p->bLooked = 0;
  p->bQueueIndex = 0;
  p->bNoExpiryIndex = 0;
  kvStmtsRelease(p);
}

/* Prepare the sentinel. */
static int schemaPrepare(KvStore *p, sqlite3_stmt **ppStmt){
  char *z = sqlite3_mprintf("SELECT 1 FROM \"%w\".sqlite_schema LIMIT 0", p->zSchema);
  int rc = z ? sqlite3_prepare_v3(p->db, z, -1, SQLITE_PREPARE_PERSISTENT, ppStmt, 0) : SQLITE_NOMEM;
  sqlite3_free(z);
  if( rc!=SQLITE_OK ) return rc;
  p->nReprepare = 0;
  schemaForget(p);
  return SQLITE_OK;
}

void kvSchemaRelease(KvStore *p){
  sqlite3_finalize(p->pSentinel);
  p->pSentinel = 0;
}

int kvStoreSchema(KvStore *p, u32 *piSchema, char **pzErr){
  sqlite3_stmt *pStmt = p->pSentinel;
  int nReprepare, rc = SQLITE_OK;
  p->pSentinel = 0;                    /* a busy handler may come here, too */
  if( pStmt==0 ) rc = schemaPrepare(p, &pStmt);
  if( rc==SQLITE_OK ){
    sqlite3_step(pStmt);
    rc = sqlite3_reset(pStmt);
  }
  if( rc!=SQLITE_OK ){
    kvStoreFailed(p, rc, pzErr);
    sqlite3_finalize(pStmt);
    return rc;
  }
  nReprepare = sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_REPREPARE, 0);
  if( nReprepare!=p->nReprepare ) schemaForget(p);
  p->nReprepare = nReprepare;
  kvSchemaRelease(p);
  p->pSentinel = pStmt;
  if( piSchema ) *piSchema = p->iSchema;
  return SQLITE_OK;
}
