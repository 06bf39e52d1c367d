/*
** func_id.c -- identifiers.
**
**   kv_ulid([ms])               a ULID of the time ms, or of now
**   kv_monotonic_ulid([ms])     the same, always above the last one
**   kv_ulid_time(ulid)          its time in ms
**   kv_uuid()                   a random UUID
*/
#include "sql/func_id.h"
#include "sql/args.h"
#include "codec/ulid.h"
#include "store/clock.h"

/* The argument ms, or now.  0 after an error. */
static int funcIdTime(KvCall *p, i64 *piMs){
  sqlite3_value *pMs = kvCallArg(p, 0);
  char zName[KVCALL_NAME];
  *piMs = kvNow();
  if( pMs==0 || sqlite3_value_type(pMs)==SQLITE_NULL ) return 1;
  if( kvArgWholeNumber(pMs, piMs) && *piMs>=0 && *piMs<=KV_ULID_MOST ) return 1;
  kvError(&p->error, SQLITE_ERROR,
      "kv: %s: the time must be a whole number of ms since 1970, from 0 to %lld",
      kvCallName(p, zName), KV_ULID_MOST);
  return 0;
}

static void funcIdResult(KvCall *p, i64 iMs, const u8 *aRandom){
  char z[KV_ULID_TEXT];
  kvUlidPrint(iMs, aRandom, z);
  sqlite3_result_text(p->ctx, z, KV_ULID_TEXT, SQLITE_TRANSIENT);
}

static void funcIdUlid(KvCall *p){
  u8 aRandom[KV_ULID_RANDOM];
  i64 iMs;
  if( !funcIdTime(p, &iMs) ) return;
  sqlite3_randomness(sizeof(aRandom), aRandom);
  funcIdResult(p, iMs, aRandom);
}

static void funcIdMonotonic(KvCall *p){
  KvConn *pConn = p->pConn;
  i64 iMs;
  if( !funcIdTime(p, &iMs) ) return;
  if( !pConn->bUlid || iMs>pConn->iUlidTime ){
    sqlite3_randomness(KV_ULID_RANDOM, pConn->aUlidRandom);
    pConn->iUlidTime = iMs;
    pConn->bUlid = 1;
  }else if( !kvUlidIncrement(pConn->aUlidRandom) ){
    memset(pConn->aUlidRandom, 0xff, KV_ULID_RANDOM);
    kvError(&p->error, SQLITE_ERROR, "kv: kv_monotonic_ulid(): the random part can't "
        "be increased further in this millisecond; call it again in the next one");
    return;
  }
  funcIdResult(p, pConn->iUlidTime, pConn->aUlidRandom);
}

static void funcIdUlidTime(KvCall *p){
  KvBytes text = kvArgName(p->apArg[0], &p->error);
  i64 iMs = text.p ? kvUlidTime(text) : -1;
  if( iMs<0 ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_ulid_time(): not a ULID; it has 26 characters of "
        "Crockford's base 32");
  }
  sqlite3_result_int64(p->ctx, iMs);
}

static void funcIdUuid(KvCall *p){
  char z[KV_UUID_TEXT];
  kvUuid(z);
  sqlite3_result_text(p->ctx, z, -1, SQLITE_TRANSIENT);
}

const KvFunc kvFuncsId[] = {
  { "kv_ulid",           0, 1, SQLITE_INNOCUOUS, 0, funcIdUlid, 0 },
  { "kv_monotonic_ulid", 0, 1, SQLITE_INNOCUOUS, 0, funcIdMonotonic, 0 },
  { "kv_ulid_time",      1, 1, KV_PURE, KVCALL_STRICT, funcIdUlidTime, 0 },
  { "kv_uuid",           0, 0, SQLITE_INNOCUOUS, 0, funcIdUuid, 0 },
  { 0 }
};
