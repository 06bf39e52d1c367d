/*
** func_value.c -- SQL functions on values.
**
**   kv_value(x)            a typed value: canonical JS text
**   kv_value_encode(x)     the bytes that Deno stores, and
**   kv_value_encoding(x)   their encoding: 1 V8, 2 KvU64, 3 bytes
**   kv_raw(v, v_encoding)  self-describing bytes from Deno's columns
**   kv_js(raw [, indent])  lossless JS text
**   kv_json(raw)           JSON text
**   kv_type(raw)           name of the type, or 'malformed'
**   kv_extract(raw, path)  the SQL value at a JSON path
**   kv_value_set(raw, path, value, ...)   the value with parts of it set
**   kv_value_remove(raw, path, ...)       ... removed, as a raw value
*/
#include "sql/func_value.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/result.h"
#include "sql/subtype.h"
#include "sql/mark.h"
#include "codec/edit/edit.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/v8/plain.h"

/* False if the argument may be what is left of a marked value; then the function
** has failed. */
static int fnvCheck(sqlite3_context *ctx, const char *zWhat, sqlite3_value *pVal){
  char *zErr = 0;
  int rc = kvMarkCheck(sqlite3_user_data(ctx), pVal, zWhat, &zErr);
  if( rc!=SQLITE_OK ) kvResultError(ctx, rc, zErr);
  return rc==SQLITE_OK;
}

/* The canonical text of a plain value in JS text, or with bJson in JSON text:
** by way of its bytes. */
static int fnvPlain(sqlite3_value *pVal, int bJson, KvScratch *p){
  const char *z = (const char*)sqlite3_value_text(pVal);
  return z && kvPlainWrite(kvBytes(z, (u32)sqlite3_value_bytes(pVal)), bJson, 15, &p->in)
      && kvPlainPrint(kvBufBytes(&p->in), 1, &p->out);
}

static void kvValueFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvScratch *p;
  KvErr err;
  int rc, bText, bJson;
  (void)nArg;
  if( sqlite3_value_type(apArg[0])==SQLITE_BLOB && !fnvCheck(ctx, "kv_value()", apArg[0]) ) return;
  p = kvScratchTake(sqlite3_user_data(ctx));
  bText = sqlite3_value_type(apArg[0])==SQLITE_TEXT;
  bJson = bText && sqlite3_value_subtype(apArg[0])==KV_SUBTYPE_JSON;
  if( bText && fnvPlain(apArg[0], bJson, p) ){
    kvResultText(ctx, &p->out);
    sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
    kvScratchGive(p);
    return;
  }
  if( bText && !bJson ){
    const char *z = (const char*)sqlite3_value_text(apArg[0]);
    rc = z ? kvJsParse(&p->tree, kvBytes(z, (u32)sqlite3_value_bytes(apArg[0])), &err)
           : kvErrSet(&err, KV_NOMEM, -1, "out of memory");
  }else{
    rc = kvArgValue(apArg[0], &p->tree, &err);
  }
  if( rc==KV_OK ) rc = kvJsPrint(&p->tree, 0, &p->out, &err);
  if( rc==KV_OK ){
    kvResultText(ctx, &p->out);
    sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
  }else{
    kvResultCodecError(ctx, "kv_value()", &err);
  }
  kvScratchGive(p);
}

/* Encode the argument into p->out.  KV_OK, or the function has failed. */
static int fnvEncode(
  sqlite3_context *ctx, KvScratch *p, const char *zWhat, sqlite3_value *pVal, int *peEncoding
){
  KvConn *pConn = sqlite3_user_data(ctx);
  KvErr err;
  int rc = kvArgEncode(pConn, pVal, KV_AS_VALUE, 0, &p->tree, &p->out, peEncoding, &err);
  if( rc!=KV_OK ) kvResultCodecError(ctx, zWhat, &err);
  return rc;
}

static void kvValueEncodeFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvScratch *p;
  int eEncoding;
  (void)nArg;
  if( !fnvCheck(ctx, "kv_value_encode()", apArg[0]) ) return;
  p = kvScratchTake(sqlite3_user_data(ctx));
  if( fnvEncode(ctx, p, "kv_value_encode()", apArg[0], &eEncoding)==KV_OK ){
    kvResultBlob(ctx, &p->out);
  }
  kvScratchGive(p);
}

static void kvValueEncodingFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvScratch *p;
  int eEncoding;
  (void)nArg;
  p = kvScratchTake(sqlite3_user_data(ctx));
  if( fnvEncode(ctx, p, "kv_value_encoding()", apArg[0], &eEncoding)==KV_OK ){
    sqlite3_result_int(ctx, eEncoding);
  }
  kvScratchGive(p);
}

static void kvRawFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  i64 eEncoding;
  const u8 *a;
  u8 aSpace[512];
  u8 *aOut = aSpace;
  u32 n;
  (void)nArg;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL || sqlite3_value_type(apArg[1])==SQLITE_NULL ){
    return;
  }
  if( sqlite3_value_type(apArg[0])!=SQLITE_BLOB ){
    sqlite3_result_error(ctx, "kv: kv_raw(): the first argument must be a BLOB, Deno's column v", -1);
    return;
  }
  if( !kvArgNumber(apArg[1], &eEncoding) || eEncoding<0 || eEncoding>255 ){
    sqlite3_result_error(ctx, "kv: kv_raw(): the second argument must be Deno's column v_encoding (1, 2 or 3)", -1);
    return;
  }
  a = sqlite3_value_blob(apArg[0]);
  n = (u32)sqlite3_value_bytes(apArg[0]);
  if( n>=sizeof(aSpace) ) aOut = sqlite3_malloc64((u64)n + 1);
  if( aOut==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  aOut[0] = (u8)eEncoding;
  if( n ) memcpy(&aOut[1], a, n);
  sqlite3_result_blob64(ctx, aOut, (u64)n + 1, aOut==aSpace ? SQLITE_TRANSIENT : sqlite3_free);
  sqlite3_result_subtype(ctx, KV_SUBTYPE_RAW);
}

/*
** The stored bytes *pa of a raw value in an argument, and their encoding.
** Returns KV_OK, the error in *pErr, or -1 when the argument is NULL (and so
** is the result).
*/
static int fnvBytes(sqlite3_value *pVal, const u8 **pa, u32 *pn, int *peEncoding, KvErr *pErr){
  const u8 *a;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ) return -1;
  if( sqlite3_value_type(pVal)!=SQLITE_BLOB ){
    return kvErrSet(pErr, KV_SYNTAX, -1,
        "the argument must be a raw value: the column raw, or kv_raw(v, v_encoding)");
  }
  a = sqlite3_value_blob(pVal);
  *pn = (u32)sqlite3_value_bytes(pVal);
  if( *pn==0 ){
    return kvErrSet(pErr, KV_CORRUPT, 0, "raw value is empty; it begins with a byte of encoding");
  }
  *peEncoding = a[0];
  *pa = a + 1;
  (*pn)--;
  return KV_OK;
}

/*
** Show a raw value as eAs.  Returns KV_OK, the error in *pErr, or -1: NULL.
*/
static int fnvShow(sqlite3_context *ctx, sqlite3_value *pVal, int eAs, KvScratch *p, KvErr *pErr){
  const u8 *a = 0;
  u32 n = 0;
  int eEncoding = 0;
  int rc = fnvBytes(pVal, &a, &n, &eEncoding, pErr);
  if( rc!=KV_OK || kvResultPlain(ctx, eEncoding, a, n, eAs, &p->out) ) return rc;
  rc = kvArgRaw(a-1, n+1, &p->tree, pErr);
  return rc==KV_OK ? kvResultValueAs(ctx, &p->tree, eAs, &p->out, pErr) : rc;
}

/* kv_js(raw, indent) */
static int fnvIndented(sqlite3_context *ctx, sqlite3_value **apArg, KvScratch *p, KvErr *pErr){
  sqlite3_int64 nIndent = sqlite3_value_int64(apArg[1]);
  const u8 *a = 0;
  u32 n = 0;
  int eEncoding = 0;
  int rc = fnvBytes(apArg[0], &a, &n, &eEncoding, pErr);
  if( rc==KV_OK ) rc = kvArgRaw(a-1, n+1, &p->tree, pErr);
  if( rc==KV_OK ){
    rc = kvJsPrint(&p->tree, nIndent<0 ? 0 : nIndent>16 ? 16 : (int)nIndent, &p->out, pErr);
  }
  if( rc==KV_OK ){
    kvResultText(ctx, &p->out);
    sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
  }
  return rc;
}

static void kvJsFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvScratch *p = kvScratchTake(sqlite3_user_data(ctx));
  KvErr err;
  int rc;
  if( nArg>1 ) rc = fnvIndented(ctx, apArg, p, &err);
  else rc = fnvShow(ctx, apArg[0], KV_AS_JS, p, &err);
  if( rc>0 ) kvResultCodecError(ctx, "kv_js()", &err);
  kvScratchGive(p);
}

static void kvJsonFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvScratch *p = kvScratchTake(sqlite3_user_data(ctx));
  KvErr err;
  (void)nArg;
  if( fnvShow(ctx, apArg[0], KV_AS_JSON, p, &err)>0 ) kvResultCodecError(ctx, "kv_json()", &err);
  kvScratchGive(p);
}

static void kvTypeFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvScratch *p = kvScratchTake(sqlite3_user_data(ctx));
  KvErr err;
  int rc;
  (void)nArg;
  rc = fnvShow(ctx, apArg[0], KV_AS_TYPE, p, &err);
  if( rc==KV_CORRUPT ){
    sqlite3_result_text(ctx, "malformed", -1, SQLITE_STATIC);
  }else if( rc>0 ){
    kvResultCodecError(ctx, "kv_type()", &err);
  }
  kvScratchGive(p);
}

static void kvExtractFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvScratch *p;
  KvErr err;
  const u8 *a = 0;
  u32 n = 0;
  int eEncoding = 0, rc;
  (void)nArg;
  if( sqlite3_value_type(apArg[1])==SQLITE_NULL ) return;
  p = kvScratchTake(sqlite3_user_data(ctx));
  rc = fnvBytes(apArg[0], &a, &n, &eEncoding, &err);
  if( rc==KV_OK ){
    rc = kvResultExtract(ctx, eEncoding, a, n, &p->tree, apArg[1], &err);
    if( rc!=KV_OK && err.iPos>=0 ) err.iPos++;   /* behind the byte of encoding */
  }
  if( rc>0 ) kvResultCodecError(ctx, "kv_extract()", &err);
  kvScratchGive(p);
}

/*************************************************************************
** Parts of a value
*/

/* Fail with an error of kvEdit(): "kv: zWhat: the path: text". */
static void fnvEditError(
  sqlite3_context *ctx, const char *zWhat, const KvEdit *p, const KvErr *pErr
){
  u32 n = p->path.n;
  char *zAt;
  if( pErr->eCode==KV_CORRUPT || pErr->eCode==KV_NOMEM || pErr->eCode==KV_TOOBIG ){
    kvResultCodecError(ctx, zWhat, pErr);
    return;
  }
  if( n>200 ) for(n=200; n>0 && (p->path.p[n] & 0xc0)==0x80; n--){}
  zAt = sqlite3_mprintf("%s: %.*s", zWhat, (int)n, (const char*)p->path.p);
  if( zAt ) kvResultCodecError(ctx, zAt, pErr);
  else sqlite3_result_error_nomem(ctx);
  sqlite3_free(zAt);
}

/* The path in an argument.  False: the function has failed. */
static int fnvPath(sqlite3_context *ctx, const char *zWhat, sqlite3_value *pVal, KvEdit *p){
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    kvResultError(ctx, SQLITE_ERROR, sqlite3_mprintf("kv: %s: a path is NULL", zWhat));
    return 0;
  }
  p->path.p = sqlite3_value_text(pVal);
  p->path.n = (u32)sqlite3_value_bytes(pVal);
  if( p->path.p==0 ) sqlite3_result_error_nomem(ctx);
  return p->path.p!=0;
}

/* The new value in an argument.  False: the function has failed. */
static int fnvNewValue(sqlite3_context *ctx, const char *zWhat, sqlite3_value *pVal, KvEdit *p){
  KvErr err;
  int rc;
  p->bTyped = (u8)kvArgIsTyped(pVal);
  kvTreeReset(p->pNew);
  rc = p->bTyped ? kvArgValue(pVal, p->pNew, &err) : kvArgNewValue(pVal, p->pNew, &err);
  if( rc!=KV_OK ) kvResultCodecError(ctx, zWhat, &err);
  return rc==KV_OK;
}

/* Change one part: p->value receives the result, in pOut.  False: it has failed. */
static int fnvEditOne(
  sqlite3_context *ctx, const char *zWhat, sqlite3_value **apArg, KvEdit *p, KvBuf *pOut
){
  KvErr err = { KV_OK, -1, 0, "" };
  if( !fnvPath(ctx, zWhat, apArg[0], p) ) return 0;
  if( p->pNew && !fnvNewValue(ctx, zWhat, apArg[1], p) ) return 0;
  kvBufReset(pOut);
  p->pOut = pOut;
  if( kvEdit(p, &err)!=KV_OK ){
    if( err.eCode==KV_CORRUPT && err.iPos>=0 ) err.iPos++;    /* the byte of encoding */
    fnvEditError(ctx, zWhat, p, &err);
    return 0;
  }
  p->eEncoding = p->eOut;
  p->value = kvBufBytes(pOut);
  return 1;
}

/* Change the parts one after the other, and give the whole. */
static void fnvEdit(
  sqlite3_context *ctx, const char *zWhat, int nArg, sqlite3_value **apArg, int bSet
){
  KvConn *pConn = sqlite3_user_data(ctx);
  KvScratch *pScratch = kvScratchTake(pConn);
  KvBuf *pOut = &pScratch->out, *pIn = &pScratch->in;
  KvEdit edit;
  KvErr err = { KV_OK, -1, 0, "" };
  int i, rc;
  memset(&edit, 0, sizeof(edit));
  edit.pNew = bSet ? &pScratch->tree : 0;
  edit.iVersion = pConn->iV8Version;
  rc = fnvBytes(apArg[0], &edit.value.p, &edit.value.n, &edit.eEncoding, &err);
  if( rc>0 ) kvResultCodecError(ctx, zWhat, &err);
  for(i=1; rc==KV_OK && i<nArg; i+=1+bSet){
    KvBuf *pSwap = pOut;
    if( !fnvEditOne(ctx, zWhat, &apArg[i], &edit, pOut) ) rc = KV_REFUSED;
    pOut = pIn;
    pIn = pSwap;
  }
  if( rc==KV_OK ){
    kvBufReset(pOut);
    kvBufPut(pOut, (u8)edit.eEncoding);
    kvBufAdd(pOut, edit.value);
    kvResultRaw(ctx, pOut);
  }
  kvScratchGive(pScratch);
}

static void kvValueSetFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  static const char zWhat[] = "kv_value_set()";
  char *zErr = 0;
  int i, rc = SQLITE_OK;
  if( nArg<3 || nArg%2==0 ){
    sqlite3_result_error(ctx,
        "kv: kv_value_set() takes a raw value, then pairs of a path and a value", -1);
    return;
  }
  for(i=2; rc==SQLITE_OK && i<nArg; i+=2){
    if( kvArgIsTyped(apArg[i]) ) continue;
    rc = kvMarkCheck(sqlite3_user_data(ctx), apArg[i], zWhat, &zErr);
  }
  if( rc!=SQLITE_OK ) kvResultError(ctx, rc, zErr);
  else fnvEdit(ctx, zWhat, nArg, apArg, 1);
}

static void kvValueRemoveFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  if( nArg<2 ){
    sqlite3_result_error(ctx, "kv: kv_value_remove() takes a raw value, then paths", -1);
  }else{
    fnvEdit(ctx, "kv_value_remove()", nArg, apArg, 0);
  }
}

const KvFunc kvFuncsValue[] = {
  { "kv_value",          1, KV_PURE|SQLITE_SUBTYPE|SQLITE_RESULT_SUBTYPE, kvValueFunc },
  { "kv_value_encode",   1, SQLITE_INNOCUOUS|SQLITE_SUBTYPE, kvValueEncodeFunc },   /* v8_version */
  { "kv_value_encoding", 1, KV_PURE|SQLITE_SUBTYPE,        kvValueEncodingFunc },
  { "kv_raw",            2, KV_PURE|SQLITE_RESULT_SUBTYPE, kvRawFunc },
  { "kv_js",             1, KV_PURE|SQLITE_RESULT_SUBTYPE, kvJsFunc },
  { "kv_js",             2, KV_PURE|SQLITE_RESULT_SUBTYPE, kvJsFunc },
  { "kv_json",           1, KV_PURE|SQLITE_RESULT_SUBTYPE, kvJsonFunc },
  { "kv_type",           1, KV_PURE,                     kvTypeFunc },
  { "kv_extract",        2, KV_PURE|SQLITE_RESULT_SUBTYPE, kvExtractFunc },
  /* the result depends on kv_config('v8_version') */
  { "kv_value_set",     -1, SQLITE_INNOCUOUS|SQLITE_SUBTYPE|SQLITE_RESULT_SUBTYPE,
                            kvValueSetFunc },
  { "kv_value_remove",  -1, SQLITE_INNOCUOUS|SQLITE_RESULT_SUBTYPE, kvValueRemoveFunc },
  { 0 }
};
