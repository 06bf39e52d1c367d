/*
** as_of.c -- the argument as_of.  See as_of.h.
*/
#include "sql/as_of.h"
#include "sql/args.h"
#include "sql/run.h"
#include "sql/sql_word.h"
#include "codec/num/date_sql.h"
#include "codec/versionstamp.h"
#include "store/store.h"

/* The error for rows that are about to be changed. */
static char *asOfRefused(const char *zWhat){
  return sqlite3_mprintf("kv: %s: entries as they were can't be changed; kv_restore() brings "
      "them back, and a subquery or INSERT ... SELECT may read them", zWhat);
}

/* A number below this in size is probably one of seconds or days. */
#define AS_OF_LEAST 100000000000

/* A time in ms.  False: it is none. */
static int asOfTime(sqlite3_value *pVal, i64 *px){
  double r;
  if( kvArgNumber(pVal, px) ) return *px>=AS_OF_LEAST || *px<=-AS_OF_LEAST;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT || !kvDateSqlRead(kvArgText(pVal), &r) ) return 0;
  *px = (i64)r;
  return 1;
}

int kvAsOfRead(KvStore *pStore, sqlite3_value *pVal, const char *zWhat, KvPast *pPast){
  i64 x = 0;
  int bStamp;
  memset(pPast, 0, sizeof(*pPast));
  if( sqlite3_value_type(pVal)==SQLITE_NULL ) return 0;
  bStamp = sqlite3_value_type(pVal)==SQLITE_TEXT && kvVersionstampParse(kvArgText(pVal), &x);
  if( bStamp || asOfTime(pVal, &x) ){
    kvHistoryAt(pStore, !bStamp, x, pPast);
  }else{
    kvError(kvStoreError(pStore), SQLITE_ERROR, "kv: %s: must be a versionstamp, a date such as "
        "'2026-01-31T12:00:00Z', or a time in ms", zWhat);
  }
  return !kvFailed(kvStoreError(pStore));
}

/* Does a running statement delete what the table's first cursor finds as it was?  In DELETE
** and UPDATE that is cursor 0 of its program. */
static int asOfDeletes(sqlite3 *db, const sqlite3_vtab *pVtab){
  sqlite3_stmt *pStmt;
  char zVtab[32];
  int bDeletes = 0;
  sqlite3_snprintf(sizeof(zVtab), zVtab, "vtab:%p", (void*)pVtab);
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt && !bDeletes; pStmt=sqlite3_next_stmt(db, pStmt)){
    KvExplain walk;
    int bFilter = 0;
    if( !sqlite3_stmt_busy(pStmt) || sqlite3_stmt_readonly(pStmt) || kvStmtOurs(pStmt) ) continue;
    kvExplainOpen(&walk, db, "EXPLAIN %s", kvSqlStart(sqlite3_sql(pStmt)));
    while( kvExplainNext(&walk) ){
      if( kvExplainFirst(&walk) ) bFilter = 0;
      if( strcmp(walk.zOp, "VFilter")==0 && kvExplainP(&walk, 1)==0 ){
        bFilter |= walk.zP4 && strstr(walk.zP4, "as_of=?")!=0;
      }
      if( strcmp(walk.zOp, "VUpdate")==0 && kvExplainP(&walk, 2)==1 && walk.zP4
       && strcmp(walk.zP4, zVtab)==0
      ){
        bDeletes |= bFilter;
      }
    }
    kvExplainClose(&walk);
  }
  return bDeletes;
}

int kvAsOf(
  sqlite3_vtab *pVtab, KvStore *pStore, sqlite3_value *pVal, const char *zWhat, KvPast *pPast
){
  if( !kvAsOfRead(pStore, pVal, zWhat, pPast) ) return 0;
  if( kvRunWriters(kvStoreDb(pStore))>0 && asOfDeletes(kvStoreDb(pStore), pVtab) ){
    kvErrorGive(kvStoreError(pStore), SQLITE_ERROR, asOfRefused(zWhat));
  }
  return !kvFailed(kvStoreError(pStore));
}

void kvAsOfKey(KvStore *pStore, const KvPast *pPast, KvBytes key, const char *zWhat){
  KvBuf hi = { 0 };
  if( !pPast->bPast ) return;
  kvBufAdd(&hi, key);
  kvBufPut(&hi, 0);
  kvErrorBuf(kvStoreError(pStore), &hi);
  if( !kvFailed(kvStoreError(pStore)) ){
    kvHistoryCheck(pStore, pPast, key, kvBufBytes(&hi), zWhat);
  }
  kvBufClear(&hi);
}

void kvAsOfRefuse(sqlite3_context *ctx, const char *zWhat){
  char *z = asOfRefused(zWhat);
  if( z ) sqlite3_result_error(ctx, z, -1);
  else sqlite3_result_error_nomem(ctx);
  sqlite3_free(z);
}
