/*
** vtab_run.c -- the hidden table and function kv_run.  See run.c.
*/
#include "sql/vtab_run.h"
#include "sql/run.h"

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
