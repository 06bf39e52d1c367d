/*
** vtab_run.c -- the hidden table and function kv_run.  See run.c.
**
** The table also refuses a COMMIT that would leave an ordinary table in the place of a
** collection, as migrations of Django, Rails and sqlite-utils do that make a new table,
** drop the old one and rename the new one: from then on SQL would write one store and
** Deno read another.  Whatever drops a collection inside of a transaction writes to
** kv_run, so that SQLite asks it before the transaction ends.
*/
#include "sql/vtab_run.h"
#include "sql/run.h"
#include "store/schema.h"

/* ---- what takes a collection's place ------------------------------------------ */

static void vtabRunNothing(void *pArg){
  (void)pArg;
}

/* (Where main can't be written, or its store is damaged, nothing is guarded.) */
int kvRunDropped(KvConn *pConn, const char *zSchema, const char *zName){
  KvStore *pStore;
  int rc;
  if( sqlite3_get_autocommit(pConn->db) || pConn->bDropReplaced ) return SQLITE_OK;
  if( sqlite3_stricmp(zSchema, "temp")==0 ) return SQLITE_OK;
  pStore = kvConnStore(pConn, "main", "");
  if( pStore==0 ) return SQLITE_NOMEM;
  kvRunNest(pConn, pStore, vtabRunNothing, 0);
  rc = kvStoreError(pStore)->rc;
  kvErrorClear(kvStoreError(pStore));
  kvConnDropStore(pConn, pStore);
  if( (rc & 0xff)==SQLITE_READONLY || (rc & 0xff)==SQLITE_ERROR || (rc & 0xff)==SQLITE_CORRUPT ){
    return SQLITE_OK;
  }
  kvListAdd(&pConn->dropped, kvBytes(zSchema, (u32)strlen(zSchema) + 1));
  kvListAdd(&pConn->dropped, kvBytes(zName, (u32)strlen(zName) + 1));
  return rc;
}

/* Is there an ordinary table or a view of that name? */
static int vtabRunReplaced(sqlite3 *db, const char *zSchema, const char *zName, int *pbFound){
  sqlite3_stmt *pStmt = 0;
  int rc = kvPrepare(db, &pStmt, "SELECT 1 FROM \"%w\".sqlite_schema WHERE type IN ('table', "
      "'view') AND name = %Q COLLATE nocase AND sql NOT LIKE 'CREATE VIRTUAL %%'", zSchema, zName);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  sqlite3_finalize(pStmt);
  *pbFound = rc==SQLITE_ROW;
  return rc==SQLITE_ROW || rc==SQLITE_DONE ? SQLITE_OK : rc;
}

static int vtabRunSync(KvVtab *p, char **pzErr){
  KvConn *pConn = p->pConn;
  KvBytes schema, name;
  u32 i = 0;
  int rc = pConn->dropped.bytes.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM, bFound = 0;
  while( rc==SQLITE_OK && !bFound && kvListNext(&pConn->dropped, &i, &schema)
      && kvListNext(&pConn->dropped, &i, &name)
  ){
    const char *zSchema = (const char*)schema.p, *zName = (const char*)name.p;
    if( !kvHasSchema(pConn->db, zSchema) ) continue;
    rc = vtabRunReplaced(pConn->db, zSchema, zName, &bFound);
    if( rc!=SQLITE_OK || !bFound ) continue;
    *pzErr = kvMsg("kv: %!.100s.%!.100s was a collection, and the transaction leaves an ordinary "
        "table or view in its place, whose rows Deno would never see; if that is meant, "
        "SELECT kv_config('drop_replaced', 1) and run it again", zSchema, zName);
    rc = SQLITE_ERROR;
  }
  return rc;
}

/* The transaction begins or ends. */
static void vtabRunTxn(KvVtab *p, int iSavepoint){
  if( iSavepoint<0 ) kvListReset(&p->pConn->dropped);
}

/* ---- the table and the function ----------------------------------------------- */

static int vtabRunUpdate(KvVtab *p, KvVtabRow *pRow, char **pzErr){
  KvError error = { SQLITE_OK, 0 };
  (void)pRow;
  kvRunReached(p->pConn, &error);
  return kvErrorTake(&error, pzErr);
}

/* A statement that is kept holds the table, which can't look after it. */
const KvVtabDef kvRunTable = {
  .zName = "kv_run",
  .zDeclare = "CREATE TABLE kv_run(x)",
  .mFlags = KVTAB_MAIN|KVTAB_EPONYMOUS|KVTAB_DIRECTONLY|KVTAB_UNCOUNTED,
  .plan = { .none = { 1, 1.0, 0 } },
  .xUpdate = vtabRunUpdate,
  .xTxn = vtabRunTxn,
  .xSync = vtabRunSync,
};

/* The result is false, so that the statement that calls it inserts nothing. */
static void vtabRunFunc(KvCall *p){
  kvRunReached(p->pConn, &p->error);
  sqlite3_result_int(p->ctx, 0);
}

const KvFunc kvFuncsRun[] = {
  { "kv_run", 0, 0, SQLITE_DIRECTONLY, 0, vtabRunFunc, 0 },
  { 0 }
};
