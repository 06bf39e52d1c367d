/*
** vtab_run.c -- the hidden table and function kv_run.  See run.c.
*/
#include "sql/vtab_run.h"
SQLITE_EXTENSION_INIT3
#include "sql/run.h"

static int runTableUpdate(KvVtab *p, int nArg, sqlite3_value **apArg, char **pzErr){
  KvOuter outer;
  int rc = kvVtabEnter(p, &outer, pzErr);
  (void)nArg; (void)apArg;
  if( rc!=SQLITE_OK ) return rc;
  rc = kvRunReached(p->pConn, pzErr);
  kvVtabLeave(p, &outer);
  return rc;
}

/* A statement that is kept holds the table, which can't look after it. */
const KvVtabDef kvRunTable = {
  .zName = "kv_run",
  .zDeclare = "CREATE TABLE kv_run(x)",
  .mFlags = KVTAB_MAIN|KVTAB_EPONYMOUS|KVTAB_DIRECTONLY|KVTAB_UNCOUNTED,
  .xUpdate = runTableUpdate,
};

/* The result is false, so that the statement that calls it inserts nothing. */
static void runTableFunc(KvCall *p){
  char *zErr = 0;
  if( kvCallDone(p, kvRunReached(p->pConn, &zErr), &zErr)==SQLITE_OK ) sqlite3_result_int(p->ctx, 0);
}

const KvFunc kvFuncsRun[] = {
  { "kv_run", 0, 0, SQLITE_DIRECTONLY, 0, runTableFunc, 0 },
  { 0 }
};
