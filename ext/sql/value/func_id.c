/*
** func_id.c -- identifiers.
**
**   kv_ulid([ms])        a ULID of the time ms, or of now, greater than the last one
**   kv_ulid_time(ulid)   its time in ms
**   kv_uuid()            a random UUID
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "codec/ulid.h"
#include "store/clock.h"

static void funcIdUlid(KvCall *p){
  sqlite3_value *pMs = kvCallArg(p, 0);
  char z[KV_ULID_TEXT];
  i64 iMs;
  int bGiven = pMs!=0 && sqlite3_value_type(pMs)!=SQLITE_NULL;
  if( bGiven && (!kvArgWholeNumber(pMs, &iMs) || iMs<0 || iMs>KV_ULID_MOST) ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_ulid(): the time must be a whole number of ms since "
        "1970, from 0 to %lld", KV_ULID_MOST);
    return;
  }
  kvConnUlid(p->pConn, bGiven ? &iMs : 0, z);
  sqlite3_result_text(p->ctx, z, KV_ULID_TEXT, SQLITE_TRANSIENT);
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
  { "kv_ulid",      0, 1, SQLITE_INNOCUOUS, 0, funcIdUlid, 0 },
  { "kv_ulid_time", 1, 1, KV_PURE, KVCALL_STRICT, funcIdUlidTime, 0 },
  { "kv_uuid",      0, 0, SQLITE_INNOCUOUS, 0, funcIdUuid, 0 },
  { 0 }
};
