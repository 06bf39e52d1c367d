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
#include "sql/sql.h"
SQLITE_EXTENSION_INIT3
#include "sql/kv.h"

/* The oldest library that has what is called here without asking first:
** sqlite3_vtab_in() and sqlite3_vtab_rhs_value() came with 3.38.0. */
#define KV_MIN_SQLITE 3038000

static void kvVersionFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  (void)nArg; (void)apArg;
  sqlite3_result_text(ctx, SQLITE_KV_VERSION, -1, SQLITE_STATIC);
}

int kvRegisterFunctions(KvConn *p, const KvFunc *a, u32 n){
  u32 i;
  int rc = SQLITE_OK;
  for(i=0; rc==SQLITE_OK && i<n; i++){
    kvConnRef(p);
    rc = sqlite3_create_function_v2(p->db, a[i].zName, a[i].nArg, SQLITE_UTF8|a[i].mFlags,
                                    p, a[i].xFunc, 0, 0, kvConnUnref);
  }
  return rc;
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

static KvConn *kvConnNew(sqlite3 *db){
  KvConn *p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return 0;
  memset(p, 0, sizeof(*p));
  p->db = db;
  p->nRef = 1;
  p->iV8Version = 15;
  p->iRowTotal = -1;
  kvLimitDefaults(p->aLimit);
  kvBufInit(&p->conflict, 0, 0);
  kvTreeInit(&p->scratch.tree);
  kvBufInit(&p->scratch.in, 0, 0);
  kvBufInit(&p->scratch.out, 0, 0);
  return p;
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

int sqlite3_kv_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi){
  static const KvFunc aFunc[] = { { "kv_version", 0, KV_PURE, kvVersionFunc } };
  static int (*const axRegister[])(KvConn*) = {
    kvRegisterKeys, kvRegisterValues, kvRegisterStore,
    kvRegisterEntries, kvRegisterChildren, kvRegisterParts,
    kvRegisterOps, kvRegisterAtomic, kvRegisterRun, kvRegisterWrites,
    kvRegisterQueue, kvRegisterDequeue, kvRegisterIds,
    kvRegisterIndexes, kvRegisterIndexList, kvRegisterLookup, kvRegisterChanges,
    kvRegisterExport, kvRegisterImport, kvRegisterHelp
  };
  KvConn *p;
  u32 i;
  int bLoaded, rc = SQLITE_OK;
  kvInitApi(pApi);
  (void)pApi;
  if( sqlite3_libversion_number()<KV_MIN_SQLITE ){
    if( pzErrMsg ){                    /* not reached: only make sqlite-versions */
      *pzErrMsg = sqlite3_mprintf(     /* not reached */
          "kv: SQLite %s is too old; 3.38.0 or later is needed", sqlite3_libversion());  /* not reached */
    }
    return SQLITE_ERROR;               /* not reached */
  }
  rc = kvIsLoaded(db, &bLoaded);
  if( rc!=SQLITE_OK || bLoaded ) return rc;
  p = kvConnNew(db);
  if( p==0 ) return SQLITE_NOMEM;
  for(i=0; rc==SQLITE_OK && i<KV_COUNT(axRegister); i++){
    rc = axRegister[i](p);
  }
  if( rc==SQLITE_OK ) rc = kvRegisterFunctions(p, aFunc, KV_COUNT(aFunc));
  kvConnUnref(p);
  return rc;
}

#ifndef SQLITE_CORE
/* The name that SQLite looks for first, whatever the file is called. */
# ifdef _WIN32
__declspec(dllexport)
# elif defined(__GNUC__)
__attribute__((visibility("default")))
# endif
int sqlite3_extension_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi){
  return sqlite3_kv_init(db, pzErrMsg, pApi);
}
#endif
