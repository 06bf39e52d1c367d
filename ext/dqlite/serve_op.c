/*
** serve_op.c -- what kv-serve needs of a node.  See serve_op.h.
**
** No statement is kept: a connection with one can't be closed.
*/
#include "dqlite/serve_op.h"
#include <stdio.h>
#include <string.h>
#include "bytes/endian.h"
#include "serve/apply.h"

static void serveOpWrite(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  Apply *p = sqlite3_user_data(ctx);
  ApplyResult result = { 0, 0, 0, 0 };
  KvList ops;
  int rc;
  (void)nArg;
  memset(&ops, 0, sizeof(ops));
  kvBufInit(&ops.bytes, (void*)sqlite3_value_blob(apArg[0]), (u32)sqlite3_value_bytes(apArg[0]));
  ops.bytes.n = ops.bytes.nAlloc;
  rc = applyOps(p, &ops, &result);
  applyClear(p);
  if( rc!=SQLITE_OK ){
    sqlite3_result_error(ctx, result.zError ? result.zError : "out of memory", -1);
    sqlite3_result_error_code(ctx, rc);
  }else if( result.nFailed==0 ){
    char z[24];
    snprintf(z, sizeof(z), "%016llx0000", (unsigned long long)result.iVersion);
    sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
  }
  sqlite3_free(result.zError);
}

/* Raft keeps its term in two files in turn: format, version, term, vote, eight bytes
** each, little-endian.  The newer one counts. */
static void serveOpTerm(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  const char *zDir = sqlite3_user_data(ctx);
  u64 iBest = 0;
  int i;
  (void)nArg; (void)apArg;
  for(i=1; i<=2; i++){
    char zName[4200];
    u8 a[32];
    FILE *f;
    snprintf(zName, sizeof(zName), "%s/metadata%d", zDir, i);
    f = fopen(zName, "rb");
    if( f==0 ) continue;
    if( fread(a, 1, sizeof(a), f)==sizeof(a) && kvGet64le(&a[8])>iBest ){
      iBest = kvGet64le(&a[8]);
      sqlite3_result_int64(ctx, (sqlite3_int64)kvGet64le(&a[16]));
    }
    fclose(f);
  }
}

int serveOpInit(sqlite3 *db, const char *zDir){
  Apply *p = sqlite3_malloc(sizeof(*p));
  int rc = p ? applyInit(p, db) : SQLITE_NOMEM;
  if( rc==SQLITE_OK ){
    /* Frees p, now if it fails, else with the connection */
    rc = sqlite3_create_function_v2(db, "kv_serve_write", 1, SQLITE_UTF8|SQLITE_DIRECTONLY, p,
        serveOpWrite, 0, 0, sqlite3_free);
  }else{
    sqlite3_free(p);
  }
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_function(db, "kv_serve_term", 0, SQLITE_UTF8|SQLITE_DIRECTONLY,
        (void*)zDir, serveOpTerm, 0, 0);
  }
  return rc;
}
