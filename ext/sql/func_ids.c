/*
** func_ids.c -- identifiers and waiting.
**
**   kv_ulid([ms])               a ULID of the time ms, or of now
**   kv_monotonic_ulid([ms])     the same, always above the last one
**   kv_ulid_time(ulid)          its time in ms
**   kv_uuid()                   a random UUID
**   kv_wait(versionstamp [, timeout_ms])   wait for a write
*/
#include "sql/func_ids.h"
SQLITE_EXTENSION_INIT3
#include "sql/run.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/snapshot.h"
#include "codec/ulid.h"

/* kv_wait() looks every so many ms: often at first, then a bit less. */
#define IDS_WAIT_FIRST  1
#define IDS_WAIT_THEN   5

/* The argument ms, or now.  0 after an error. */
static int idsTime(sqlite3_context *ctx, const char *zFunc, int nArg, sqlite3_value **apArg, i64 *piMs){
  *piMs = kvNow();
  if( nArg==0 || sqlite3_value_type(apArg[0])==SQLITE_NULL ) return 1;
  if( kvArgWholeNumber(apArg[0], piMs) && *piMs>=0 && *piMs<=KV_ULID_MOST ) return 1;
  kvResultError(ctx, SQLITE_ERROR, sqlite3_mprintf(
      "kv: %s: the time must be a whole number of ms since 1970, from 0 to %lld",
      zFunc, KV_ULID_MOST));
  return 0;
}

static void kvUlidFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aRandom[KV_ULID_RANDOM];
  char z[KV_ULID_TEXT];
  i64 iMs;
  if( !idsTime(ctx, "kv_ulid()", nArg, apArg, &iMs) ) return;
  sqlite3_randomness(sizeof(aRandom), aRandom);
  kvUlidPrint(iMs, aRandom, z);
  sqlite3_result_text(ctx, z, KV_ULID_TEXT, SQLITE_TRANSIENT);
}

static void kvMonotonicFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvConn *p = sqlite3_user_data(ctx);
  char z[KV_ULID_TEXT];
  i64 iMs;
  if( !idsTime(ctx, "kv_monotonic_ulid()", nArg, apArg, &iMs) ) return;
  if( p->bUlid && iMs<=p->iUlidTime ){
    if( !kvUlidIncrement(p->aUlidRandom) ){
      memset(p->aUlidRandom, 0xff, KV_ULID_RANDOM);
      sqlite3_result_error(ctx, "kv: kv_monotonic_ulid(): the random part can't be raised any "
          "further in this millisecond; call it again in the next one", -1);
      return;
    }
  }else{
    sqlite3_randomness(KV_ULID_RANDOM, p->aUlidRandom);
    p->iUlidTime = iMs;
    p->bUlid = 1;
  }
  kvUlidPrint(p->iUlidTime, p->aUlidRandom, z);
  sqlite3_result_text(ctx, z, KV_ULID_TEXT, SQLITE_TRANSIENT);
}

static void kvUlidTimeFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  const char *z;
  i64 iMs;
  (void)nArg;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return;
  z = (const char*)sqlite3_value_text(apArg[0]);
  if( z==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  iMs = kvUlidTime(kvBytes(z, (u32)sqlite3_value_bytes(apArg[0])));
  if( iMs<0 ){
    sqlite3_result_error(ctx, "kv: kv_ulid_time(): not a ULID; it has 26 characters of "
        "Crockford's base 32", -1);
    return;
  }
  sqlite3_result_int64(ctx, iMs);
}

static void kvUuidFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  char z[KV_UUID_TEXT];
  (void)nArg; (void)apArg;
  kvUuid(z);
  sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
}

/* The arguments of kv_wait().  0 after an error, or for a NULL. */
static int idsWaitArgs(
  sqlite3_context *ctx, int nArg, sqlite3_value **apArg, i64 *piVersion, i64 *piTimeout
){
  const char *z;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return 0;
  z = (const char*)sqlite3_value_text(apArg[0]);
  if( z==0 ){
    sqlite3_result_error_nomem(ctx);
    return 0;
  }
  *piVersion = 0;
  if( z[0] && !kvStampParse(kvBytes(z, (u32)sqlite3_value_bytes(apArg[0])), piVersion) ){
    sqlite3_result_error(ctx, "kv: kv_wait(): the versionstamp must be 20 hexadecimal digits, "
        "or '' for the beginning", -1);
    return 0;
  }
  *piTimeout = -1;
  if( nArg>1 && sqlite3_value_type(apArg[1])!=SQLITE_NULL ){
    double r = sqlite3_value_double(apArg[1]);
    if( sqlite3_value_numeric_type(apArg[1])==SQLITE_TEXT || !(r>=0.0) ){
      sqlite3_result_error(ctx, "kv: kv_wait(): the timeout must be a number of ms, 0 or more", -1);
      return 0;
    }
    *piTimeout = r>1e15 ? -1 : (i64)r;
  }
  return 1;
}

/*
** Look at the newest version until it is past the given one.  Each look is a
** read transaction of its own.  sqlite3_interrupt() ends the statement that
** looks, and so the waiting.
*/
static int idsWait(KvStore *pStore, i64 iVersion, i64 iTimeout, i64 *piNewest, char **pzErr){
  i64 iEnd = kvNow() + iTimeout;
  int nLook = 0;
  for(;;){
    int nSleep = nLook++<10 ? IDS_WAIT_FIRST : IDS_WAIT_THEN;
    int rc = kvStoreVersion(pStore, piNewest, pzErr);
    if( (rc & 0xff)==SQLITE_BUSY || (rc & 0xff)==SQLITE_LOCKED ){
      sqlite3_free(*pzErr);            /* somebody is writing just now */
      *pzErr = 0;
      *piNewest = iVersion;
      rc = SQLITE_OK;
    }
    if( rc!=SQLITE_OK || *piNewest>iVersion ) return rc;
    if( iTimeout>=0 ){
      i64 nLeft = iEnd - kvNow();
      if( nLeft<=0 ) return SQLITE_DONE;
      if( nLeft<nSleep ) nSleep = (int)nLeft;
    }
    sqlite3_sleep(nSleep);
  }
}

static void kvWaitFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvConn *pConn = sqlite3_user_data(ctx);
  KvStore *pStore;
  char *zErr = 0;
  i64 iVersion, iTimeout, iNewest = 0;
  int rc;
  if( !idsWaitArgs(ctx, nArg, apArg, &iVersion, &iTimeout) ) return;
  kvSnapshotDrop(ctx);
  if( sqlite3_txn_state(pConn->db, "main")!=SQLITE_TXN_NONE && iTimeout!=0 ){
    sqlite3_result_error(ctx, "kv: kv_wait(): a transaction is open, in which the writes of others "
        "can't be seen; COMMIT first, and don't read tables in the same statement", -1);
    return;
  }
  pStore = kvConnMainStore(pConn);
  if( pStore==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  rc = kvRunRefused(pConn->db, &zErr);
  if( rc==SQLITE_OK ) rc = idsWait(pStore, iVersion, iTimeout, &iNewest, &zErr);
  if( rc==SQLITE_OK ){
    kvResultVersionstamp(ctx, iNewest);
  }else if( rc!=SQLITE_DONE ){
    kvResultError(ctx, rc, zErr);
  }
  kvConnDropStore(pConn, pStore);
}

const KvFunc kvFuncsIds[] = {
  { "kv_ulid",           0, SQLITE_INNOCUOUS,                      kvUlidFunc },
  { "kv_ulid",           1, SQLITE_INNOCUOUS,                      kvUlidFunc },
  { "kv_monotonic_ulid", 0, SQLITE_INNOCUOUS,                      kvMonotonicFunc },
  { "kv_monotonic_ulid", 1, SQLITE_INNOCUOUS,                      kvMonotonicFunc },
  { "kv_ulid_time",      1, SQLITE_INNOCUOUS|SQLITE_DETERMINISTIC, kvUlidTimeFunc },
  { "kv_uuid",           0, SQLITE_INNOCUOUS,                      kvUuidFunc },
  { "kv_wait",           1, SQLITE_DIRECTONLY,                     kvWaitFunc },
  { "kv_wait",           2, SQLITE_DIRECTONLY,                     kvWaitFunc },
  { 0 }
};
