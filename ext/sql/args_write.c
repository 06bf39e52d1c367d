/*
** write_args.c -- arguments of writes: keys, values and times, checked against
** what Deno could read again and against the limits.
*/
#include "sql/mark.h"
SQLITE_EXTENSION_INIT3
#include "codec/js/js_parse.h"
#include "codec/v8/plain.h"

int kvFaceCodecError(const char *zWhat, const KvErr *pErr, char **pzErr){
  if( pErr->eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( pErr->eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  *pzErr = kvFaceErrorText(zWhat, pErr);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int wargError(char **pzErr, char *zErr){
  *pzErr = zErr;
  return zErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int kvFaceWriteKey(KvConn *p, sqlite3_value *pVal, KvBuf *pOut, int *pbStamp, char **pzErr){
  KvErr err;
  int bStamp = 0;
  if( kvFaceKey(pVal, pbStamp ? KVKEY_STAMP : 0, pOut, &bStamp, &err)!=KV_OK ){
    return kvFaceCodecError("key", &err, pzErr);
  }
  if( pbStamp ) *pbStamp = bStamp;
  if( pOut->n==0 && !bStamp ){
    return wargError(pzErr, sqlite3_mprintf("kv: key: the key cannot be empty; it needs at least one part"));
  }
  if( pOut->n>p->aLimit[KV_LIMIT_key_bytes] ){
    return wargError(pzErr, kvLimitText(p->aLimit, KV_LIMIT_key_bytes, "bytes of the key", pOut->n));
  }
  return SQLITE_OK;
}

int kvFaceTree(sqlite3_value *pVal, int eAs, KvTree *pTree, KvErr *pErr){
  int eType = sqlite3_value_type(pVal);
  int bBlob = eType==SQLITE_BLOB;
  const char *z;
  u32 n;
  if( eType==SQLITE_NULL && eAs!=KV_AS_RAW ) eAs = KV_AS_VALUE;
  if( eAs==KV_AS_VALUE ) return kvFaceValue(pVal, pTree, pErr);
  if( eAs==KV_AS_RAW ){
    if( !bBlob ){
      return kvErrSet(pErr, KV_SYNTAX, -1,
          "a raw value must be a BLOB: the column raw, or kv_raw(v, v_encoding)");
    }
    z = sqlite3_value_blob(pVal);
    return kvFaceRaw((const u8*)z, (u32)sqlite3_value_bytes(pVal), pTree, pErr);
  }
  if( bBlob ){
    return kvErrSet(pErr, KV_SYNTAX, -1, eAs==KV_AS_JS
        ? "JS text must be TEXT, not a BLOB" : "JSON text must be TEXT, not a BLOB");
  }
  z = (const char*)sqlite3_value_text(pVal);
  n = (u32)sqlite3_value_bytes(pVal);
  if( z==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  return eAs==KV_AS_JS ? kvJsParse(pTree, kvBytes(z, n), pErr) : kvJsonParse(pTree, kvBytes(z, n), pErr);
}

/* The short way for strings, JSON and JS text, if they are plain. */
static int wargPlain(KvConn *p, sqlite3_value *pVal, int eAs, KvBuf *pOut){
  const char *z;
  u32 n;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT || eAs==KV_AS_RAW ) return 0;
  if( eAs==KV_AS_VALUE ){
    unsigned eSubtype = sqlite3_value_subtype(pVal);
    if( eSubtype==KV_SUBTYPE_JS ) eAs = KV_AS_JS;
    else if( eSubtype==KV_SUBTYPE_JSON ) eAs = KV_AS_JSON;
  }
  z = (const char*)sqlite3_value_text(pVal);
  n = (u32)sqlite3_value_bytes(pVal);
  if( z==0 ) return 0;
  if( eAs==KV_AS_VALUE ) return kvPlainText(kvBytes(z, n), p->iV8Version, pOut);
  return kvPlainWrite(kvBytes(z, n), eAs==KV_AS_JSON, p->iV8Version, pOut);
}

int kvFaceEncode(
  KvConn *p, sqlite3_value *pVal, int eAs, int bV8Only, KvTree *pTree,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
){
  int rc;
  *peEncoding = 1;
  if( wargPlain(p, pVal, eAs, pOut) ) return KV_OK;
  rc = kvFaceTree(pVal, eAs, pTree, pErr);
  return rc==KV_OK ? kvValueWrite(pTree, p->iV8Version, bV8Only, pOut, peEncoding, pErr) : rc;
}

/* Check a raw value that is written as it is; a plain one needs no tree. */
static int wargRaw(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr){
  if( sqlite3_value_type(pVal)==SQLITE_BLOB ){
    const u8 *a = sqlite3_value_blob(pVal);
    u32 n = (u32)sqlite3_value_bytes(pVal);
    if( n>0 && a[0]==1 && kvPlainType(kvBytes(a+1, n-1)) ) return KV_OK;
  }
  return kvFaceTree(pVal, KV_AS_RAW, pTree, pErr);
}

int kvFaceWriteValue(
  KvConn *p, sqlite3_value *pVal, int eAs, KvBuf *pOut, int *peEncoding, char **pzErr
){
  static const char *const azAs[] = { "value", "js", "json", "raw" };
  KvScratch *pScratch;
  KvErr err;
  int rc = eAs==KV_AS_VALUE ? kvMarkCheck(p, pVal, "value", pzErr) : SQLITE_OK;
  if( rc!=SQLITE_OK ) return rc;
  pScratch = kvScratchTake(p);
  if( eAs==KV_AS_VALUE && kvFaceIsRaw(pVal) ) eAs = KV_AS_RAW;
  if( eAs!=KV_AS_RAW ){
    rc = kvFaceEncode(p, pVal, eAs, 0, &pScratch->tree, pOut, peEncoding, &err);
  }else{
    rc = wargRaw(pVal, &pScratch->tree, &err);
    if( rc==KV_OK ){                             /* kept as it is */
      const u8 *a = sqlite3_value_blob(pVal);
      *peEncoding = a[0];
      kvBufAppend(pOut, a+1, (u64)sqlite3_value_bytes(pVal)-1);
    }
  }
  kvScratchGive(pScratch);
  return rc==KV_OK ? kvFaceValueLimit(p, pOut, pzErr) : kvFaceCodecError(azAs[eAs], &err, pzErr);
}

int kvFaceValueLimit(KvConn *p, const KvBuf *pOut, char **pzErr){
  if( pOut->eErr!=KV_OK ) return SQLITE_NOMEM;
  if( pOut->n>p->aLimit[KV_LIMIT_value_bytes] ){
    return wargError(pzErr, kvLimitText(p->aLimit, KV_LIMIT_value_bytes, "bytes of the value", pOut->n));
  }
  return SQLITE_OK;
}

int kvFaceWholeNumber(sqlite3_value *pVal, i64 *pv){
  if( sqlite3_value_type(pVal)==SQLITE_FLOAT ){
    double r = sqlite3_value_double(pVal);
    if( !(r>=-9007199254740992.0 && r<=9007199254740992.0) || r!=(double)(i64)r ) return 0;
    *pv = (i64)r;
    return 1;
  }
  *pv = sqlite3_value_int64(pVal);
  return sqlite3_value_type(pVal)==SQLITE_INTEGER;
}

int kvFaceNumberOf(sqlite3_value *pVal, i64 *pv){
  sqlite3_value_numeric_type(pVal);
  return kvFaceWholeNumber(pVal, pv);
}

int kvFaceExpireIn(sqlite3_value *pVal, i64 iNow, i64 *piExpires, char **pzErr){
  i64 v;
  if( !kvFaceWholeNumber(pVal, &v) || v<0 ){
    return wargError(pzErr, sqlite3_mprintf(
        "kv: expire_in: must be a whole number of milliseconds, 0 or more"));
  }
  if( v>KV_MAX_TIME-iNow ){
    return wargError(pzErr, sqlite3_mprintf(
        "kv: expire_in: %lld is too large; the latest time that Deno can store is %lld",
        v, KV_MAX_TIME));
  }
  *piExpires = iNow + v;
  return SQLITE_OK;
}

int kvFaceTime(sqlite3_value *pVal, const char *zWhat, i64 iMost, i64 *pv, char **pzErr){
  if( !kvFaceWholeNumber(pVal, pv) || *pv<0 || *pv>iMost ){
    return wargError(pzErr, sqlite3_mprintf(
        "kv: %s: must be a whole number of milliseconds since 1970, up to %lld", zWhat, iMost));
  }
  if( *pv<KV_MIN_TIME ){
    return wargError(pzErr, sqlite3_mprintf(
        "kv: %s: %lld milliseconds since 1970 is before 1973; are these seconds? Then multiply "
        "them by 1000; kv_now() + ms is a time from now on", zWhat, *pv));
  }
  return SQLITE_OK;
}

int kvFaceExpiresAt(sqlite3_value *pVal, i64 *piExpires, char **pzErr){
  *piExpires = -1;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ) return SQLITE_OK;
  return kvFaceTime(pVal, "expires_at", KV_MAX_TIME, piExpires, pzErr);
}
