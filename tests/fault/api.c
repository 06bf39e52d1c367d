/*
** api.c -- SQLite's API as a table in which any call can fail.
**
** SQLite hands its own table to what sqlite3_auto_extension() registers; that
** is how the harness gets it from whatever library it runs with.
*/
#include "fault.h"

static const sqlite3_api_routines *apiReal;
static sqlite3_api_routines apiWrapped;
static uint64_t apiRandom;
int g_bOnes;

static int apiCatch(sqlite3 *db, char **pz, const sqlite3_api_routines *p){
  (void)db; (void)pz;
  apiReal = p;
  return SQLITE_OK;
}

static int hit(void){ return faultHit(KIND_API); }

static void *apiMalloc64(sqlite3_uint64 n){ return hit() ? 0 : apiReal->malloc64(n); }
static void *apiRealloc64(void *p, sqlite3_uint64 n){ return hit() ? 0 : apiReal->realloc64(p, n); }

static char *apiMprintf(const char *zFormat, ...){
  va_list ap;
  char *z;
  if( hit() ) return 0;
  va_start(ap, zFormat);
  z = apiReal->vmprintf(zFormat, ap);
  va_end(ap);
  return z;
}

static char *apiStrFinish(sqlite3_str *p){
  char *z = apiReal->str_finish(p);
  if( !hit() ) return z;
  apiReal->free(z);
  return 0;
}

static int apiPrepareV2(sqlite3 *db, const char *z, int n, sqlite3_stmt **pp, const char **pz){
  *pp = 0;
  return hit() ? SQLITE_NOMEM : apiReal->prepare_v2(db, z, n, pp, pz);
}
static int apiPrepareV3(
  sqlite3 *db, const char *z, int n, unsigned f, sqlite3_stmt **pp, const char **pz
){
  *pp = 0;
  return hit() ? SQLITE_NOMEM : apiReal->prepare_v3(db, z, n, f, pp, pz);
}
static int apiStep(sqlite3_stmt *p){
  return hit() ? SQLITE_NOMEM : apiReal->step(p);
}
static int apiBindText(
  sqlite3_stmt *p, int i, const char *z, int n, void (*x)(void*)
){
  return hit() ? SQLITE_NOMEM : apiReal->bind_text(p, i, z, n, x);
}
static int apiBindBlob(
  sqlite3_stmt *p, int i, const void *a, int n, void (*x)(void*)
){
  return hit() ? SQLITE_NOMEM : apiReal->bind_blob(p, i, a, n, x);
}

/* An argument or column whose text can't be had: 0 is what SQLite gives then,
** and its type is still what it was.  (A BLOB that can't be had is NULL, and
** SQLite itself ends the statement.) */
static const unsigned char *apiValueText(sqlite3_value *p){
  return apiReal->value_type(p)!=SQLITE_NULL && hit() ? 0 : apiReal->value_text(p);
}
static const unsigned char *apiColumnText(sqlite3_stmt *p, int i){
  return apiReal->column_type(p, i)!=SQLITE_NULL && hit() ? 0 : apiReal->column_text(p, i);
}
static void *apiAggregate(sqlite3_context *p, int n){
  return n>0 && hit() ? 0 : apiReal->aggregate_context(p, n);
}

static int apiFunction(
  sqlite3 *db, const char *z, int n, int f, void *p,
  void (*xFunc)(sqlite3_context*, int, sqlite3_value**),
  void (*xStep)(sqlite3_context*, int, sqlite3_value**),
  void (*xFinal)(sqlite3_context*), void (*xDestroy)(void*)
){
  if( hit() ){
    if( xDestroy ) xDestroy(p);
    return SQLITE_NOMEM;
  }
  return apiReal->create_function_v2(db, z, n, f, p, xFunc, xStep, xFinal, xDestroy);
}
static int apiModule(
  sqlite3 *db, const char *z, const sqlite3_module *pModule, void *p, void (*xDestroy)(void*)
){
  if( hit() ){
    if( xDestroy ) xDestroy(p);
    return SQLITE_NOMEM;
  }
  return apiReal->create_module_v2(db, z, pModule, p, xDestroy);
}
/* Unlike the two above SQLite leaves p alone when this one fails. */
static int apiCollation(
  sqlite3 *db, const char *z, int e, void *p,
  int (*x)(void*, int, const void*, int, const void*), void (*xDestroy)(void*)
){
  return hit() ? SQLITE_NOMEM : apiReal->create_collation_v2(db, z, e, p, x, xDestroy);
}
static int apiDeclare(sqlite3 *db, const char *z){
  return hit() ? SQLITE_NOMEM : apiReal->declare_vtab(db, z);
}
static int apiColumnMeta(
  sqlite3 *db, const char *zDb, const char *zTab, const char *zCol,
  char const **pzType, char const **pzColl, int *pb1, int *pb2, int *pb3
){
  if( hit() ) return SQLITE_NOMEM;
  return apiReal->table_column_metadata(db, zDb, zTab, zCol, pzType, pzColl, pb1, pb2, pb3);
}
static int apiInFirst(sqlite3_value *p, sqlite3_value **pp){
  return hit() ? SQLITE_NOMEM : apiReal->vtab_in_first(p, pp);
}
static int apiInNext(sqlite3_value *p, sqlite3_value **pp){
  return hit() ? SQLITE_NOMEM : apiReal->vtab_in_next(p, pp);
}

/* Not a failure: the numbers that the extension draws are always the same. */
static void apiRandomness(int n, void *p){
  unsigned char *a = p;
  int i;
  for(i=0; i<n; i++){
    apiRandom = apiRandom*6364136223846793005ULL + 1442695040888963407ULL;
    a[i] = (unsigned char)(g_bOnes ? 0xff : apiRandom>>56);
  }
}

void steady(unsigned iSeed, long long iTime){
  apiRandom = iSeed*2654435761ULL + 12345;
  g_time = iTime;
}

void apiInit(void){
  sqlite3 *db;
  sqlite3_api_routines *p = &apiWrapped;
  sqlite3_auto_extension((void(*)(void))apiCatch);
  if( sqlite3_open(":memory:", &db)!=SQLITE_OK ) die("cannot open a database");
  sqlite3_close(db);
  sqlite3_reset_auto_extension();
  if( apiReal==0 ) die("the library gives no table of its API");
  /* As much of the table as the extension was compiled to know. */
  memcpy(p, apiReal, sizeof(*p));
  p->malloc64 = apiMalloc64;
  p->realloc64 = apiRealloc64;
  p->mprintf = apiMprintf;
  p->str_finish = apiStrFinish;
  p->prepare_v2 = apiPrepareV2;
  p->prepare_v3 = apiPrepareV3;
  p->step = apiStep;
  p->bind_text = apiBindText;
  p->bind_blob = apiBindBlob;
  p->value_text = apiValueText;
  p->column_text = apiColumnText;
  p->aggregate_context = apiAggregate;
  p->create_function_v2 = apiFunction;
  p->create_module_v2 = apiModule;
  p->create_collation_v2 = apiCollation;
  p->declare_vtab = apiDeclare;
  p->table_column_metadata = apiColumnMeta;
  p->vtab_in_first = apiInFirst;
  p->vtab_in_next = apiInNext;
  p->randomness = apiRandomness;
}

const sqlite3_api_routines *apiTable(void){ return &apiWrapped; }

uint64_t steadyState(void){ return apiRandom; }
void steadyBack(uint64_t x){ apiRandom = x; }
