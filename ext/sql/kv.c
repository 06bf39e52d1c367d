/*
** kv.c -- entry point of the extension.
**
**     .load ./kv
**     SELECT key, value FROM kv_entries('["users"]');
**
** Deno KV's key space in SQL: see README.md and sql/manual.
** Built without -DSQLITE_CORE this is a loadable extension; with it,
** sqlite3_kv_init() is linked into a program, which may register it for every
** connection with sqlite3_auto_extension().
*/
#include "sql/kv.h"
#include "sql/modules.h"
#include "sql/conn.h"
#include "sql/collection/publish.h"
#include "sql/vtab_run.h"
#include "sql/search/vtab_search.h"
#include "store/index/held.h"

/* The oldest library that has what is called here without asking first:
** sqlite3_vtab_in() and sqlite3_vtab_rhs_value() came with 3.38.0. */
#define KV_MIN_SQLITE 3038000

static void kvVersion(KvCall *p){
  sqlite3_result_text(p->ctx, SQLITE_KV_VERSION, -1, SQLITE_STATIC);
}

/* True if the connection has the functions already.  They can't be registered
** again while a statement runs, such as SELECT load_extension(...). */
static int kvIsLoaded(sqlite3 *db, int *pbLoaded){
  sqlite3_stmt *pStmt = 0;
  int rc = sqlite3_prepare_v2(db, "SELECT kv_version()", -1, &pStmt, 0);
  sqlite3_finalize(pStmt);
  *pbLoaded = rc==SQLITE_OK;
  return rc==SQLITE_NOMEM ? rc : SQLITE_OK;
}

/*
** SQLITE_EXTENSION_INIT2() stores the table each time.  Connections of several
** threads may load the extension at once: only the first one stores it.
*/
#if defined(__GNUC__) && !defined(SQLITE_CORE)
static void kvInitApi(const sqlite3_api_routines *pApi){
  const sqlite3_api_routines *pOld = __atomic_load_n(&sqlite3_api, __ATOMIC_ACQUIRE);
  if( pOld==pApi ) return;
  __atomic_compare_exchange_n(&sqlite3_api, &pOld, pApi, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#else
# define kvInitApi(P) SQLITE_EXTENSION_INIT2(P)
#endif

static const KvFunc kvFuncs[] = {
  { "kv_version", 0, 0, KV_PURE, 0, kvVersion, 0 },
  { 0 }
};
static const KvFunc *const kvAllFuncs[] = {
  kvFuncs, kvFuncsAtomic, kvFuncsConfig, kvFuncsDequeue, kvFuncsExport, kvFuncsGet, kvFuncsHistory,
  kvFuncsId, kvFuncsIndex, kvFuncsInfer, kvFuncsKey, kvFuncsOp, kvFuncsPublish, kvFuncsRun,
  kvFuncsValue, kvFuncsWait,
  kvFuncsWords
};

/* Register a function, each number of arguments that it takes.  (What SQLite can't
** register it destroys, and so gives the reference back.) */
static int kvAddFunction(KvCallSite *pSite){
  const KvFunc *p = pSite->pFunc;
  int n, rc = SQLITE_OK;
  for(n=p->nLeast; rc==SQLITE_OK && n<=p->nMost; n++){
    kvConnRef(pSite->pConn);
    rc = sqlite3_create_function_v2(pSite->pConn->db, p->zName, n, SQLITE_UTF8|p->mFlags, pSite,
                                    kvCall, 0, 0, kvCallUnref);
  }
  return rc;
}

static int kvAddFunctions(KvConn *p){
  const KvFunc *pFunc;
  KvCallSite *pSite;
  u32 i, n = 0;
  int rc = SQLITE_OK;
  for(i=0; i<KV_COUNT(kvAllFuncs); i++){
    for(pFunc=kvAllFuncs[i]; pFunc->zName; pFunc++) n++;
  }
  p->aSite = pSite = sqlite3_malloc64(n*sizeof(*pSite));
  if( pSite==0 ) return SQLITE_NOMEM;
  for(i=0; i<KV_COUNT(kvAllFuncs); i++){
    for(pFunc=kvAllFuncs[i]; rc==SQLITE_OK && pFunc->zName; pFunc++, pSite++){
      pSite->pConn = p;
      pSite->pFunc = pFunc;
      rc = kvAddFunction(pSite);
    }
  }
  return rc;
}

static int kvAddAll(KvConn *p){
  static const KvVtabDef *const aTable[] = {
    &kvAtomicTable, &kvChangesTable, &kvCheckTable, &kvChildrenTable, &kvCollectionTable,
    &kvDequeueTable, &kvEntriesTable, &kvFieldsTable, &kvHelpTable, &kvImportTable,
    &kvIndexesTable, &kvLookupTable, &kvPartsTable, &kvPublishedTable, &kvQueueTable,
    &kvRunTable, &kvSearchTable,
    &kvStatsTable, &kvVersionsTable
  };
  u32 i;
  int rc = kvAddCollations(p->db);               /* the tables' declarations name them */
  for(i=0; rc==SQLITE_OK && i<KV_COUNT(aTable); i++) rc = kvVtabRegister(p, aTable[i]);
  if( rc==SQLITE_OK ) rc = kvAddFunctions(p);
  if( rc==SQLITE_OK ) rc = kvIndexHolderRegister(p->db);
  if( rc!=SQLITE_OK ) return rc;
  kvConnRef(p);
  return sqlite3_create_function_v2(p->db, "kv_atomic", -1, SQLITE_UTF8|SQLITE_DIRECTONLY, p,
                                    0, kvAtomicStep, kvAtomicFinal, kvConnUnref);
}

/* Both entry points call this, and neither the other: SQLite loads libraries into one scope,
** where the exported name may be that of another version. */
static int kvInit(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi){
  KvConn *p;
  int bLoaded, rc;
  kvInitApi(pApi);
  (void)pApi;
  if( sqlite3_libversion_number()<KV_MIN_SQLITE ){
    if( pzErrMsg ){                    /* not reached: only make sqlite-versions */
      *pzErrMsg = sqlite3_mprintf(     /* not reached */
          "kv: SQLite %s is too old; 3.38.0 or later is needed",  /* not reached */
          sqlite3_libversion());       /* not reached */
    }
    return SQLITE_ERROR;               /* not reached */
  }
  rc = kvIsLoaded(db, &bLoaded);
  if( rc!=SQLITE_OK || bLoaded ) return rc;
  p = kvConnNew(db);
  if( p ) p->pPublisher = &kvPublisher;
  if( p==0 ) return SQLITE_NOMEM;
  rc = kvAddAll(p);
  kvConnUnref(p);
  return rc;
}

int sqlite3_kv_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi){
  return kvInit(db, pzErrMsg, pApi);
}

#ifndef SQLITE_CORE
/* The name that SQLite looks for first, whatever the file is called. */
# ifdef _WIN32
__declspec(dllexport)
# elif defined(__GNUC__)
__attribute__((visibility("default")))
# endif
int sqlite3_extension_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi){
  return kvInit(db, pzErrMsg, pApi);
}
#endif
