/*
** args.c -- SQL values as arguments.  See args.h.
*/
#include "sql/args.h"
#include "store/limit.h"
#include "sql/mark.h"
#include "sql/subtype.h"
#include "codec/js/js_parse.h"
#include "codec/num/num.h"
#include "codec/stored.h"
#include "codec/v8/text_to_v8.h"
#include "codec/v8/v8_find.h"
#include "codec/view.h"
#include "codec/key/key_parse.h"

static int argsNumberNode(KvTree *pTree, double r, KvErr *pErr){
  u32 i = kvTreeAdd(pTree, KV_NUMBER);
  if( i==KV_NO_NODE ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  pTree->aNode[i].u.r = r;
  return KV_OK;
}

/* TEXT without a subtype: a string.  What is not UTF-8 becomes U+FFFD. */
static int argsStringNode(KvTree *pTree, KvBytes text, KvErr *pErr){
  u32 i = kvTreeAdd(pTree, KV_STRING);
  if( i==KV_NO_NODE ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  if( !kvUtf8Valid(text) ){
    KvBuf clean;
    kvBufInit(&clean, 0, 0);
    kvUtfAppendClean(&clean, text);
    text = kvTreeKeep(pTree, &clean);
    if( text.p==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  }
  pTree->aNode[i].eSub = KV_WTF8;
  pTree->aNode[i].u.p = text.p;
  pTree->aNode[i].n = text.n;
  return KV_OK;
}

int kvArgString(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr){
  KvBytes text = kvArgText(pVal);
  if( text.p==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  return argsStringNode(pTree, text, pErr);
}

int kvArgValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr){
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:
      return kvTreeAdd(pTree, KV_NULL)==KV_NO_NODE
          ? kvErrSet(pErr, KV_NOMEM, -1, "out of memory") : KV_OK;
    case SQLITE_INTEGER: {
      i64 v = sqlite3_value_int64(pVal);
      if( v>KV_MAX_SAFE || v<-KV_MAX_SAFE ){
        return kvErrSet(pErr, KV_REFUSED, -1, KV_ARG_UNSAFE);
      }
      return argsNumberNode(pTree, (double)v, pErr);
    }
    case SQLITE_FLOAT:
      return argsNumberNode(pTree, sqlite3_value_double(pVal), pErr);
    case SQLITE_BLOB:
      if( kvArgIsRaw(pVal) ) return kvArgRaw(kvArgBlob(pVal), pTree, pErr);
      return kvViewBuild(pTree, kvArgBlob(pVal), pErr);
    default: {
      unsigned eSubtype = sqlite3_value_subtype(pVal);
      KvBytes text = kvArgText(pVal);
      if( text.p==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
      if( eSubtype==KV_SUBTYPE_JS ) return kvJsParse(pTree, text, pErr);
      if( eSubtype==KV_SUBTYPE_JSON ) return kvJsonParse(pTree, text, pErr);
      return argsStringNode(pTree, text, pErr);
    }
  }
}

int kvArgIsTyped(sqlite3_value *pVal){
  unsigned eSubtype;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ) return kvArgIsRaw(pVal);
  eSubtype = sqlite3_value_subtype(pVal);
  return eSubtype==KV_SUBTYPE_JS || eSubtype==KV_SUBTYPE_JSON;
}

int kvArgNewValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr){
  i64 v = sqlite3_value_type(pVal)==SQLITE_INTEGER ? sqlite3_value_int64(pVal) : 0;
  u32 i;
  if( v<=KV_MAX_SAFE && v>=-KV_MAX_SAFE ) return kvArgValue(pVal, pTree, pErr);
  i = kvTreeAdd(pTree, KV_BIGINT);
  if( i==KV_NO_NODE || kvTreeBigint(pTree, i, v<0 ? 0-(u64)v : (u64)v, v<0)!=KV_OK ){
    return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  }
  return KV_OK;
}

KvBytes kvArgName(sqlite3_value *pVal, KvError *pError){
  KvBytes text = kvArgText(pVal);
  if( text.p==0 && sqlite3_value_type(pVal)!=SQLITE_NULL ) kvErrorCode(pError, SQLITE_NOMEM);
  return text;
}

void kvArgCopyText(sqlite3_value *pVal, KvBuf *pOut, KvError *pError){
  kvBufAdd(pOut, kvArgName(pVal, pError));
  kvBufTerminate(pOut);
  kvErrorBuf(pError, pOut);
}

int kvArgKey(sqlite3_value *pVal, int mFlags, KvBuf *pOut, int *pbStamp, KvErr *pErr){
  KvBytes text;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    return kvErrSet(pErr, KV_SYNTAX, -1,
        "the key is NULL; a key is an array such as [\"users\",42]");
  }
  if( sqlite3_value_type(pVal)==SQLITE_BLOB ){
    return kvErrSet(pErr, KV_SYNTAX, -1,
        "a key must be text such as [\"users\",42]; kv_key_decode() makes it from stored bytes");
  }
  text = kvArgText(pVal);
  if( text.p==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  return kvKeyParse(text, mFlags, pOut, pbStamp, pErr);
}

void kvArgPrefix(
  sqlite3_value *pVal, const char *zWhat, KvBuf *pText, KvBuf *pLo, KvBuf *pHi, KvError *pError
){
  KvErr err;
  if( kvArgKey(pVal, 0, pLo, 0, &err)!=KV_OK ) kvErrorCodec(pError, zWhat, &err);
  kvArgCopyText(pVal, pText, pError);
  if( pLo->n ){
    kvBufAdd(pHi, kvBufBytes(pLo));
    kvBufPut(pHi, 0xff);
    kvBufPut(pLo, 0);
  }
  kvErrorBuf(pError, pLo);
  kvErrorBuf(pError, pHi);
}

int kvArgGiven(sqlite3_value *pVal, int bUpdate){
  return bUpdate ? !sqlite3_value_nochange(pVal) : sqlite3_value_type(pVal)!=SQLITE_NULL;
}

int kvArgValueColumn(sqlite3_value **apCol, const u8 *aiCol, int bUpdate, KvError *pError){
  int i, eAs = -1;
  for(i=KV_AS_VALUE; i<=KV_AS_RAW; i++){
    if( !kvArgGiven(apCol[aiCol[i]], bUpdate) ) continue;
    if( eAs>=0 ){
      kvError(pError, SQLITE_ERROR,
          "kv: value: give exactly one of the columns value, js, json and raw");
    }
    eAs = i;
  }
  return eAs;
}

int kvArgIsRaw(sqlite3_value *pVal){
  return sqlite3_value_subtype(pVal)==KV_SUBTYPE_RAW && sqlite3_value_type(pVal)==SQLITE_BLOB;
}

int kvArgRaw(KvBytes raw, KvTree *pTree, KvErr *pErr){
  int rc;
  if( raw.n==0 ) return kvErrSet(pErr, KV_CORRUPT, 0, KV_ARG_EMPTY_RAW);
  rc = kvValueRead(pTree, raw.p[0], kvBytesFrom(raw, 1), pErr);
  if( rc!=KV_OK && pErr && pErr->iPos>=0 ) pErr->iPos++;
  return rc;
}

int kvReadStored(sqlite3_value *pVal, int eEncoding, KvTree *pTree, KvErr *pErr){
  kvTreeReset(pTree);
  if( sqlite3_value_type(pVal)!=SQLITE_BLOB ){
    return kvErrSet(pErr, KV_CORRUPT, -1, "the stored value is not a BLOB");
  }
  return kvValueRead(pTree, eEncoding, kvArgBlob(pVal), pErr);
}

void kvArgWriteKey(KvConn *p, sqlite3_value *pVal, KvBuf *pOut, int *pbStamp, KvError *pError){
  KvErr err;
  int bStamp = 0;
  if( kvFailed(pError) ) return;
  if( kvArgKey(pVal, pbStamp ? KVKEY_STAMP : 0, pOut, &bStamp, &err)!=KV_OK ){
    kvErrorCodec(pError, "key", &err);
    return;
  }
  if( pbStamp ) *pbStamp = bStamp;
  if( pOut->n==0 && !bStamp ){
    kvError(pError, SQLITE_ERROR, "kv: key: the key cannot be empty; it needs at least one part");
  }
  kvLimitCheck(pError, p->aLimit, KV_LIMIT_key_bytes, "bytes of the key", pOut->n);
}

int kvArgTree(sqlite3_value *pVal, int eAs, KvTree *pTree, KvErr *pErr){
  int eType = sqlite3_value_type(pVal);
  int bBlob = eType==SQLITE_BLOB;
  KvBytes text;
  if( eType==SQLITE_NULL && eAs!=KV_AS_RAW ) eAs = KV_AS_VALUE;
  if( eAs==KV_AS_VALUE ) return kvArgValue(pVal, pTree, pErr);
  if( eAs==KV_AS_RAW ){
    if( !bBlob ){
      return kvErrSet(pErr, KV_SYNTAX, -1,
          "a raw value must be a BLOB: the column raw, or kv_raw(v, v_encoding)");
    }
    return kvArgRaw(kvArgBlob(pVal), pTree, pErr);
  }
  if( bBlob ){
    return kvErrSet(pErr, KV_SYNTAX, -1, eAs==KV_AS_JS
        ? "JS text must be TEXT, not a BLOB" : "JSON text must be TEXT, not a BLOB");
  }
  text = kvArgText(pVal);
  if( text.p==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  return eAs==KV_AS_JS ? kvJsParse(pTree, text, pErr) : kvJsonParse(pTree, text, pErr);
}

/* The short way for strings, JSON and JS text, if they are plain. */
static int argsPlain(KvConn *p, sqlite3_value *pVal, int eAs, KvBuf *pOut){
  KvBytes text;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ) return 0;
  if( eAs==KV_AS_VALUE ){
    unsigned eSubtype = sqlite3_value_subtype(pVal);
    if( eSubtype==KV_SUBTYPE_JS ) eAs = KV_AS_JS;
    else if( eSubtype==KV_SUBTYPE_JSON ) eAs = KV_AS_JSON;
  }
  text = kvArgText(pVal);
  if( text.p==0 ) return 0;
  if( eAs==KV_AS_VALUE ) return kvStringToV8(text, p->iV8Version, pOut);
  return kvTextToV8(text, eAs==KV_AS_JSON, p->iV8Version, pOut);
}

/* A raw value, which is written as it is, once it has been checked; as another type than
** V8's not if bV8Only.  A plain one needs no tree. */
static int argsRaw(
  KvConn *p, sqlite3_value *pVal, int bV8Only, KvTree *pTree, KvBuf *pOut, int *peEncoding,
  KvErr *pErr
){
  KvBytes raw = sqlite3_value_type(pVal)==SQLITE_BLOB ? kvArgBlob(pVal) : kvBytes(0, 0);
  if( raw.n==0 || raw.p[0]!=1 || !kvV8Type(kvBytesFrom(raw, 1)) ){
    int rc = kvArgTree(pVal, KV_AS_RAW, pTree, pErr);
    if( rc!=KV_OK || raw.n==0 ) return rc;
    if( bV8Only && raw.p[0]!=1 ){
      return kvValueWrite(pTree, p->iV8Version, 1, pOut, peEncoding, pErr);
    }
  }
  *peEncoding = raw.p[0];
  kvBufAdd(pOut, kvBytesFrom(raw, 1));
  return KV_OK;
}

int kvArgEncode(
  KvConn *p, sqlite3_value *pVal, int eAs, KvTree *pTree, KvBuf *pOut, int *peEncoding, KvErr *pErr
){
  int bV8Only = (eAs & KV_AS_V8)!=0;
  int rc;
  eAs &= ~KV_AS_V8;
  *peEncoding = 1;
  if( eAs==KV_AS_RAW ) return argsRaw(p, pVal, bV8Only, pTree, pOut, peEncoding, pErr);
  if( argsPlain(p, pVal, eAs, pOut) ) return KV_OK;
  rc = kvArgTree(pVal, eAs, pTree, pErr);
  return rc==KV_OK ? kvValueWrite(pTree, p->iV8Version, bV8Only, pOut, peEncoding, pErr) : rc;
}

void kvArgWriteValue(
  KvConn *p, sqlite3_value *pVal, int eAs, KvBuf *pOut, int *peEncoding, KvError *pError
){
  static const char *const azAs[] = { "value", "js", "json", "raw" };
  KvScratch *pScratch;
  KvErr err;
  int rc;
  if( eAs==KV_AS_VALUE ) kvMarkCheck(p, pVal, &kvForValue, pError);
  if( kvFailed(pError) ) return;
  pScratch = kvScratchTake(p);
  if( eAs==KV_AS_VALUE && kvArgIsRaw(pVal) ) eAs = KV_AS_RAW;
  rc = kvArgEncode(p, pVal, eAs, &pScratch->tree, pOut, peEncoding, &err);
  kvScratchGive(pScratch);
  if( rc==KV_OK ) kvArgValueLimit(p, pOut, pError);
  else kvErrorCodec(pError, azAs[eAs], &err);
}

void kvArgValueLimit(KvConn *p, const KvBuf *pOut, KvError *pError){
  kvErrorBuf(pError, pOut);
  kvLimitCheck(pError, p->aLimit, KV_LIMIT_value_bytes, "bytes of the value", pOut->n);
}

int kvArgWholeNumber(sqlite3_value *pVal, i64 *pv){
  if( sqlite3_value_type(pVal)==SQLITE_FLOAT ){
    double r = sqlite3_value_double(pVal);
    if( !(r>=-9007199254740992.0 && r<=9007199254740992.0) || r!=(double)(i64)r ) return 0;
    *pv = (i64)r;
    return 1;
  }
  *pv = sqlite3_value_int64(pVal);
  return sqlite3_value_type(pVal)==SQLITE_INTEGER;
}

int kvArgNumber(sqlite3_value *pVal, i64 *pv){
  if( sqlite3_value_numeric_type(pVal)!=SQLITE_INTEGER ) return kvArgWholeNumber(pVal, pv);
  *pv = sqlite3_value_int64(pVal);
  return 1;
}

int kvArgBool(sqlite3_value *pVal, int *pb){
  i64 v;
  if( sqlite3_value_type(pVal)==SQLITE_TEXT ){
    const char *z = (const char*)sqlite3_value_text(pVal);
    v = z && sqlite3_stricmp(z, "true")==0 ? 1 : z && sqlite3_stricmp(z, "false")==0 ? 0 : -1;
  }else if( !kvArgWholeNumber(pVal, &v) ){
    return 0;
  }
  *pb = v==1;
  return v==0 || v==1;
}

int kvArgCount(sqlite3_value *pVal, i64 iLeast, i64 *pv){
  if( pVal==0 || sqlite3_value_type(pVal)==SQLITE_NULL ) return 1;
  return kvArgWholeNumber(pVal, pv) && *pv>=iLeast;
}

i64 kvArgExpireIn(sqlite3_value *pVal, i64 iNow, KvError *pError){
  i64 v;
  if( !kvArgWholeNumber(pVal, &v) || v<0 ){
    kvError(pError, SQLITE_ERROR,
        "kv: expire_in: must be a whole number of milliseconds, 0 or more");
    v = 0;
  }else if( v>KV_MAX_TIME-iNow ){
    kvError(pError, SQLITE_ERROR,
        "kv: expire_in: %lld is too large; the latest time that Deno can store is %lld",
        v, KV_MAX_TIME);
    v = 0;
  }
  return iNow + v;
}

i64 kvArgTime(sqlite3_value *pVal, const char *zWhat, i64 iMost, KvError *pError){
  i64 v = 0;
  if( !kvArgWholeNumber(pVal, &v) || v<0 || v>iMost ){
    kvError(pError, SQLITE_ERROR,
        "kv: %s: must be a whole number of milliseconds since 1970, up to %lld",
        zWhat, iMost);
  }else if( v<KV_MIN_TIME ){
    kvError(pError, SQLITE_ERROR,
        "kv: %s: %lld milliseconds since 1970 is before 1973; are these seconds? "
        "Then multiply them by 1000; kv_now() + ms is a time from now", zWhat, v);
  }
  return v;
}

i64 kvArgExpiresAt(sqlite3_value *pVal, KvError *pError){
  if( sqlite3_value_type(pVal)==SQLITE_NULL ) return -1;
  return kvArgTime(pVal, "expires_at", KV_MAX_TIME, pError);
}
