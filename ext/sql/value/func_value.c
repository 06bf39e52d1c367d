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
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/mark.h"
#include "sql/result.h"
#include "sql/subtype.h"
#include "codec/edit/edit.h"
#include "codec/js/js_print.h"
#include "codec/v8/text_to_v8.h"
#include "codec/v8/v8_to_text.h"

/* False, with an error, if the argument may be what is left of a typed value. */
static int funcValueCheck(KvCall *p, int eUse, sqlite3_value *pVal){
  char zName[KVCALL_NAME];
  KvFor use = { eUse, 0, kvCallName(p, zName) };
  kvMarkCheck(p->pConn, pVal, &use, &p->error);
  return !kvFailed(&p->error);
}

/* ---- from SQL values ------------------------------------------------------ */

static void funcValue(KvCall *p){
  sqlite3_value *pVal = p->apArg[0];
  int eType = sqlite3_value_type(pVal);
  int bText = eType==SQLITE_TEXT;
  int bJson = bText && sqlite3_value_subtype(pVal)==KV_SUBTYPE_JSON;
  KvScratch *pScratch;
  KvBytes text;
  int rc;
  if( eType==SQLITE_BLOB && !funcValueCheck(p, KVFOR_BYTES, pVal) ) return;
  pScratch = kvScratchTake(p->pConn);
  text = bText ? kvArgText(pVal) : kvBytes(0, 0);
  /* The canonical text of a plain value: by way of its bytes */
  if( text.p==0 || !kvTextToV8(text, bJson, 15, &pScratch->in)
   || !kvV8ToText(kvBufBytes(&pScratch->in), 1, &pScratch->out)
  ){
    rc = bText && !bJson ? kvArgTree(pVal, KV_AS_JS, &pScratch->tree, &p->err)
                         : kvArgValue(pVal, &pScratch->tree, &p->err);
    if( rc==KV_OK ) kvJsPrint(&pScratch->tree, 0, &pScratch->out, &p->err);
  }
  if( p->err.eCode==KV_OK ) kvResultTyped(p->ctx, &pScratch->out, KV_SUBTYPE_JS);
  kvScratchGive(pScratch);
}

/* kv_value_encode(), or kv_value_encoding(), which is 0. */
static void funcValueEncode(KvCall *p){
  KvScratch *pScratch;
  int bBytes = p->pFunc->eKind;
  int eEncoding;
  if( bBytes && !funcValueCheck(p, KVFOR_BYTES, p->apArg[0]) ) return;
  pScratch = kvScratchTake(p->pConn);
  kvArgEncode(p->pConn, p->apArg[0], KV_AS_VALUE, &pScratch->tree, &pScratch->out,
      &eEncoding, &p->err);
  if( p->err.eCode==KV_OK ){
    if( bBytes ) kvResultBlob(p->ctx, &pScratch->out);
    else sqlite3_result_int(p->ctx, eEncoding);
  }
  kvScratchGive(pScratch);
}

static void funcValueRaw(KvCall *p){
  KvBuf *pOut = &p->pScratch->out;
  i64 eEncoding;
  if( sqlite3_value_type(p->apArg[0])!=SQLITE_BLOB ){
    kvError(&p->error, SQLITE_ERROR,
        "kv: kv_raw(): the first argument must be a BLOB, Deno's column v");
  }else if( !kvArgNumber(p->apArg[1], &eEncoding) || eEncoding<0 || eEncoding>255 ){
    kvError(&p->error, SQLITE_ERROR,
        "kv: kv_raw(): the second argument must be Deno's column v_encoding (1, 2 or 3)");
  }else{
    kvBufPut(pOut, (u8)eEncoding);
    kvBufAdd(pOut, kvArgBlob(p->apArg[0]));
    kvResultRaw(p->ctx, pOut);
  }
}

/* ---- from raw values ------------------------------------------------------ */

/* The raw value of the first argument: its encoding, and its stored bytes in
** *pValue.  0 if there is none: an error is set. */
static int funcValueArg(KvCall *p, int *peEncoding, KvBytes *pValue){
  KvBytes raw;
  if( sqlite3_value_type(p->apArg[0])!=SQLITE_BLOB ){
    kvErrSet(&p->err, KV_SYNTAX, -1,
        "the argument must be a raw value: the column raw, or kv_raw(v, v_encoding)");
    return 0;
  }
  raw = kvArgBlob(p->apArg[0]);
  if( raw.n==0 ){
    kvErrSet(&p->err, KV_CORRUPT, 0, KV_ARG_EMPTY_RAW);
    return 0;
  }
  *peEncoding = raw.p[0];
  *pValue = kvBytesFrom(raw, 1);
  return 1;
}

/* kv_js(), kv_json() and kv_type(), by KV_AS_xxx. */
static void funcValueShow(KvCall *p){
  KvScratch *pScratch = p->pScratch;
  int eAs = p->pFunc->eKind, bIndent = p->nArg>1;
  i64 nIndent = bIndent ? sqlite3_value_int64(p->apArg[1]) : 0;
  KvBytes value = { 0, 0 };
  int eEncoding = 0, rc;
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ) return;
  if( funcValueArg(p, &eEncoding, &value) ){
    if( !bIndent && kvResultPlain(p->ctx, eEncoding, value, eAs, &pScratch->out) ) return;
    rc = kvArgRaw(kvArgBlob(p->apArg[0]), &pScratch->tree, &p->err);
    if( rc==KV_OK && bIndent ){
      rc = kvJsPrint(&pScratch->tree, nIndent<0 ? 0 : nIndent>16 ? 16 : (int)nIndent,
          &pScratch->out, &p->err);
      if( rc==KV_OK ) kvResultTyped(p->ctx, &pScratch->out, KV_SUBTYPE_JS);
    }else if( rc==KV_OK ){
      kvResultValueAs(p->ctx, &pScratch->tree, eAs, &pScratch->out, &p->err);
    }
  }
  if( eAs==KV_AS_TYPE && p->err.eCode==KV_CORRUPT ){
    p->err.eCode = KV_OK;
    sqlite3_result_text(p->ctx, "malformed", -1, SQLITE_STATIC);
  }
}

static void funcValueExtract(KvCall *p){
  KvBytes value;
  int eEncoding;
  if( !funcValueArg(p, &eEncoding, &value) ) return;
  if( kvResultExtract(p->ctx, eEncoding, value, &p->pScratch->tree, p->apArg[1], &p->err)!=KV_OK
   && p->err.iPos>=0
  ){
    p->err.iPos++;                     /* the byte of encoding */
  }
}

/* ---- parts of a value ----------------------------------------------------- */

/* An error of kvEdit(): of the bytes, or "kv: kv_x(): the path: text". */
static void funcValueEditError(KvCall *p, KvBytes path){
  u32 n = path.n;
  char *zAt;
  if( p->err.eCode==KV_CORRUPT && p->err.iPos>=0 ) p->err.iPos++;   /* the byte of encoding */
  if( p->err.eCode==KV_CORRUPT || p->err.eCode==KV_NOMEM || p->err.eCode==KV_TOOBIG ) return;
  if( n>200 ) for(n=200; n>0 && (path.p[n] & 0xc0)==0x80; n--){}
  zAt = sqlite3_mprintf("%s(): %.*s", p->pFunc->zName, (int)n, (const char*)path.p);
  if( zAt ) kvCallCodecError(p, zAt);
  else kvErrorCode(&p->error, SQLITE_NOMEM);
  sqlite3_free(zAt);
}

/* Change the part that a path in argument i says.  pEdit->value becomes the result,
** in pOut.  False: there is an error. */
static int funcValueEditOne(KvCall *p, int i, KvEdit *pEdit, KvBuf *pOut){
  char zName[KVCALL_NAME];
  if( sqlite3_value_type(p->apArg[i])==SQLITE_NULL ){
    kvError(&p->error, SQLITE_ERROR, "kv: %s: a path can't be NULL", kvCallName(p, zName));
    return 0;
  }
  pEdit->path = kvArgName(p->apArg[i], &p->error);
  if( pEdit->path.p==0 ) return 0;
  if( pEdit->pNew ){
    sqlite3_value *pVal = p->apArg[i+1];
    int rc;
    pEdit->bTyped = (u8)kvArgIsTyped(pVal);
    kvTreeReset(pEdit->pNew);
    rc = pEdit->bTyped ? kvArgValue(pVal, pEdit->pNew, &p->err)
       : kvArgNewValue(pVal, pEdit->pNew, &p->err);
    if( rc!=KV_OK ) return 0;
  }
  kvBufReset(pOut);
  pEdit->pOut = pOut;
  if( kvEdit(pEdit, &p->err)!=KV_OK ){
    funcValueEditError(p, pEdit->path);
    return 0;
  }
  pEdit->eEncoding = pEdit->eOut;
  pEdit->value = kvBufBytes(pOut);
  return 1;
}

/* Change the parts one after the other, and give the whole. */
static void funcValueEdit(KvCall *p, int bSet){
  KvScratch *pScratch = kvScratchTake(p->pConn);
  KvBuf *pOut = &pScratch->out, *pIn = &pScratch->in;
  KvEdit edit;
  int i;
  memset(&edit, 0, sizeof(edit));
  edit.pNew = bSet ? &pScratch->tree : 0;
  edit.iVersion = p->pConn->iV8Version;
  if( sqlite3_value_type(p->apArg[0])!=SQLITE_NULL
   && funcValueArg(p, &edit.eEncoding, &edit.value)
  ){
    for(i=1; i<p->nArg && funcValueEditOne(p, i, &edit, pOut); i+=1+bSet){
      KvBuf *pSwap = pOut;
      pOut = pIn;
      pIn = pSwap;
    }
    if( i>=p->nArg ){
      kvBufReset(pOut);
      kvBufPut(pOut, (u8)edit.eEncoding);
      kvBufAdd(pOut, edit.value);
      kvResultRaw(p->ctx, pOut);
    }
  }
  kvScratchGive(pScratch);
}

static void funcValueSet(KvCall *p){
  int i;
  if( p->nArg<3 || p->nArg%2==0 ){
    kvError(&p->error, SQLITE_ERROR,
        "kv: kv_value_set() takes a raw value, then pairs of a path and a value");
    return;
  }
  for(i=2; i<p->nArg; i+=2){
    if( !kvArgIsTyped(p->apArg[i]) && !funcValueCheck(p, KVFOR_PART, p->apArg[i]) ) return;
  }
  funcValueEdit(p, 1);
}

static void funcValueRemove(KvCall *p){
  if( p->nArg>=2 ) funcValueEdit(p, 0);
  else kvError(&p->error, SQLITE_ERROR, "kv: kv_value_remove() takes a raw value, then paths");
}

#define FUNC_VALUE_TYPED  (KV_PURE|SQLITE_RESULT_SUBTYPE)
/* The result depends on kv_config('v8_version') */
#define FUNC_VALUE_CONFIG (SQLITE_INNOCUOUS|SQLITE_SUBTYPE)

const KvFunc kvFuncsValue[] = {
  { "kv_value",          1, 1, FUNC_VALUE_TYPED|SQLITE_SUBTYPE, 0, funcValue, 0 },
  { "kv_value_encode",   1, 1, FUNC_VALUE_CONFIG, 0, funcValueEncode, 1 },
  { "kv_value_encoding", 1, 1, KV_PURE|SQLITE_SUBTYPE, 0, funcValueEncode, 0 },
  { "kv_raw",            2, 2, FUNC_VALUE_TYPED, KVCALL_STRICT|KVCALL_SCRATCH, funcValueRaw, 0 },
  { "kv_js",             1, 2, FUNC_VALUE_TYPED, KVCALL_SCRATCH, funcValueShow, KV_AS_JS },
  { "kv_json",           1, 1, FUNC_VALUE_TYPED, KVCALL_SCRATCH, funcValueShow, KV_AS_JSON },
  { "kv_type",           1, 1, KV_PURE,          KVCALL_SCRATCH, funcValueShow, KV_AS_TYPE },
  { "kv_extract",        2, 2, FUNC_VALUE_TYPED, KVCALL_STRICT|KVCALL_SCRATCH,
    funcValueExtract, 0 },
  { "kv_value_set",     -1, -1, FUNC_VALUE_CONFIG|SQLITE_RESULT_SUBTYPE, 0, funcValueSet, 0 },
  { "kv_value_remove",  -1, -1, SQLITE_INNOCUOUS|SQLITE_RESULT_SUBTYPE, 0, funcValueRemove, 0 },
  { 0 }
};
