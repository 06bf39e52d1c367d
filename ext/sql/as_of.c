/*
** as_of.c -- the argument as_of.  See as_of.h.
*/
#include "sql/as_of.h"
#include "sql/args.h"
#include "sql/program.h"
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
  int bStamp, eType = sqlite3_value_type(pVal);
  memset(pPast, 0, sizeof(*pPast));
  if( eType==SQLITE_NULL ) return 0;
  bStamp = eType==SQLITE_TEXT && kvVersionstampParse(kvArgName(pVal, kvStoreError(pStore)), &x);
  if( kvFailed(kvStoreError(pStore)) ) return 0;
  if( bStamp || asOfTime(pVal, &x) ){
    kvHistoryAt(pStore, !bStamp, x, pPast);
  }else{
    kvError(kvStoreError(pStore), SQLITE_ERROR, "kv: %s: must be a versionstamp, a date such as "
        "'2026-01-31T12:00:00Z', or a time in ms", zWhat);
  }
  return !kvFailed(kvStoreError(pStore));
}

int kvAsOf(KvVtab *pTab, sqlite3_value *pVal, const char *zWhat, KvPast *pPast){
  KvStore *pStore = pTab->pStore;
  if( !kvAsOfRead(pStore, pVal, zWhat, pPast) ) return 0;
  if( kvProgramDeletesPast(pTab->pConn, &pTab->base, kvStoreError(pStore)) ){
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
