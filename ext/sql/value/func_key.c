/*
** func_key.c -- SQL functions on keys.
**
**   kv_key(part, ...)          key text from SQL values
**   kv_bigint(x), kv_bool(x)   typed values
**   kv_commit_versionstamp()   placeholder for the operation's versionstamp
**   kv_part(key, i)            one part as an SQL value
**   kv_rebase(key, old, new)   the key below another prefix
**   kv_slice(key, from[, to])  some of the parts, as a key
**   kv_key_encode(key)         Deno's stored bytes
**   kv_key_decode(blob)        key text
**   kv_compare(a, b)           -1, 0 or 1
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/mark.h"
#include "sql/result.h"
#include "sql/subtype.h"
#include "bytes/utf.h"
#include "codec/num/num.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/key/key_compare.h"
#include "codec/num/bigint.h"

static const char funcKeyStampText[] = "kv.commitVersionstamp()";

/* ---- kv_key() ------------------------------------------------------------ */

static int funcKeyIs(KvBytes text, const char *z){
  return kvBytesEqual(text, kvBytesText(z));
}

static int funcKeyPutInteger(sqlite3_value *pVal, KvBuf *pKey, KvErr *pErr){
  i64 v = sqlite3_value_int64(pVal);
  unsigned eSubtype = sqlite3_value_subtype(pVal);
  if( eSubtype==KV_SUBTYPE_PART_BOOL ){
    kvKeyPutBool(pKey, v!=0);
  }else if( eSubtype==KV_SUBTYPE_PART_BIGINT ){
    kvKeyPutBigint64(pKey, v<0, v<0 ? 0-(u64)v : (u64)v);
  }else if( v>KV_MAX_SAFE || v<-KV_MAX_SAFE ){
    return kvErrSet(pErr, KV_SYNTAX, -1, KV_ARG_UNSAFE);
  }else{
    kvKeyPutNumber(pKey, (double)v);
  }
  return KV_OK;
}

/*
** TEXT that kv_part() made of a bigint: the part is appended.  False if it is
** another text.  (A CAST to TEXT keeps a subtype; what would have been an INTEGER
** has been made a string by one.)
*/
static int funcKeyPutDigits(KvBytes text, KvBuf *pKey){
  char zPart[640];                     /* 255 bytes are 615 digits */
  KvPart part;
  u32 nOld = pKey->n, i = nOld;
  i64 v;
  if( text.n>=sizeof(zPart) ) return 0;
  memcpy(zPart, text.p, text.n);
  zPart[text.n] = 'n';
  if( kvKeyParsePart(kvBytes(zPart, text.n+1), pKey, 0)==KV_OK
   && kvPartRead(kvBufBytes(pKey), &i, &part, 0)==KV_OK
   && part.eType==KVP_BIGINT && !kvPartInt64(&part, &v)
  ){
    return 1;
  }
  pKey->n = nOld;
  return 0;
}

/* Has the text the form of a typed part: 7n, true, the placeholder? */
static int funcKeyLooksTyped(KvBytes text){
  const u8 *z = text.p;
  u32 i, n = text.n;
  if( n<2 ) return 0;
  if( z[n-1]!='n' ){
    return funcKeyIs(text, "true") || funcKeyIs(text, "false") || funcKeyIs(text, funcKeyStampText);
  }
  for(i=z[0]=='-'; z[i]>='0' && z[i]<='9'; i++){}
  return i==n-1 && z[i-1]!='-';
}

static int funcKeyPutText(KvCall *p, sqlite3_value *pVal){
  unsigned eSubtype = sqlite3_value_subtype(pVal);
  KvBytes text = kvArgText(pVal);
  if( text.p==0 ) return kvErrSet(&p->err, KV_NOMEM, -1, "out of memory");
  if( eSubtype==KV_SUBTYPE_KEY ){
    return kvErrSet(&p->err, KV_SYNTAX, -1, "a key can't be a key part; kv_rebase() "
        "moves it below a prefix, kv_part() returns its parts, and '' || key is its text as "
        "a string");
  }
  if( eSubtype==KV_SUBTYPE_JS ) return kvKeyParsePart(text, &p->key, &p->err);
  if( eSubtype==KV_SUBTYPE_PART_BIGINT && funcKeyPutDigits(text, &p->key) ) return KV_OK;
  /* It may have been a typed part before a temporary table dropped its subtype */
  if( eSubtype==0 && funcKeyLooksTyped(text) ){
    static const KvFor part = { KVFOR_KEY, 0, "kv_key()" };
    kvMarkCheck(p->pConn, pVal, &part, &p->error);
  }
  if( kvFailed(&p->error) ) return KV_REFUSED;
  kvKeyPutText(&p->key, text);
  return KV_OK;
}

/* Append the part that an SQL value stands for to the key.  KV_OK, or an error has
** been set. */
static int funcKeyPut(KvCall *p, sqlite3_value *pVal){
  int rc = KV_OK;
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:
      kvKeyPutNaN(&p->key, sqlite3_value_subtype(pVal)==KV_SUBTYPE_PART_NEG_NAN);
      break;
    case SQLITE_INTEGER:
      rc = funcKeyPutInteger(pVal, &p->key, &p->err);
      break;
    case SQLITE_FLOAT:
      kvKeyPutNumber(&p->key, sqlite3_value_double(pVal));
      break;
    case SQLITE_BLOB:
      if( kvArgIsRaw(pVal) ){
        return kvErrSet(&p->err, KV_SYNTAX, -1,
            "a raw value can't be a key part; kv_extract(raw, '$') is its SQL value");
      }
      kvKeyPutBytes(&p->key, kvArgBlob(pVal));
      break;
    default:
      rc = funcKeyPutText(p, pVal);
  }
  if( rc==KV_OK && p->key.eErr!=KV_OK ) rc = kvErrSet(&p->err, p->key.eErr, -1, "out of memory");
  return rc;
}

/* True if the argument is the result of kv_commit_versionstamp(), or after an error. */
static int funcKeyIsStamp(KvCall *p, sqlite3_value *pVal){
  KvBytes text;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ) return 0;
  if( sqlite3_value_subtype(pVal)!=KV_SUBTYPE_JS ) return 0;
  text = kvArgText(pVal);
  if( text.p==0 ) return kvErrSet(&p->err, KV_NOMEM, -1, "out of memory");
  return funcKeyIs(text, funcKeyStampText);
}

/* Append the text of a key, with or without the placeholder after its parts. */
static void funcKeyShow(KvBytes key, int bStamp, KvBuf *pOut){
  if( key.n ) kvKeyShow(pOut, key);
  else kvBufLit(pOut, "[]");
  if( bStamp && pOut->eErr==KV_OK ){
    pOut->n--;                         /* the closing bracket */
    if( key.n ) kvBufPut(pOut, ',');
    kvBufText(pOut, funcKeyStampText);
    kvBufPut(pOut, ']');
  }
}

/* Result: that text, of p->key. */
static void funcKeyResult(KvCall *p, int bStamp){
  u8 aText[1024];
  KvBuf text;
  kvBufInit(&text, aText, sizeof(aText));
  if( p->key.eErr!=KV_OK ) text.eErr = p->key.eErr;
  funcKeyShow(kvBufBytes(&p->key), bStamp, &text);
  kvResultTyped(p->ctx, &text, KV_SUBTYPE_KEY);
  kvBufClear(&text);
}

/* Is it NULL, and no part that is NaN? */
static int funcKeyIsNull(sqlite3_value *pVal){
  unsigned eSubtype = sqlite3_value_subtype(pVal);
  return sqlite3_value_type(pVal)==SQLITE_NULL && eSubtype!=KV_SUBTYPE_PART_NAN
      && eSubtype!=KV_SUBTYPE_PART_NEG_NAN;
}

/* With a part that is NULL the key is NULL. */
static void funcKey(KvCall *p){
  int i, bStamp = p->nArg>0 && funcKeyIsStamp(p, p->apArg[p->nArg-1]);
  if( p->err.eCode!=KV_OK ) return;
  for(i=0; i<p->nArg && !funcKeyIsNull(p->apArg[i]); i++){}
  if( i<p->nArg ) return;
  for(i=0; i<p->nArg-bStamp; i++){
    if( funcKeyPut(p, p->apArg[i])!=KV_OK ){
      char zWhat[40];
      sqlite3_snprintf(sizeof(zWhat), zWhat, "kv_key(), argument %d", i+1);
      kvCallCodecError(p, zWhat);
      return;
    }
  }
  funcKeyResult(p, bStamp);
}

/* ---- typed values -------------------------------------------------------- */

/* Digits of kv_bigint()'s text: sign, base and the digits themselves. */
static int funcKeyDigits(KvBytes *pText, int *pbNeg, int *piBase){
  const char *z = (const char*)pText->p;
  u32 i, n = pText->n;
  while( n>0 && (*z==' ' || (*z>=9 && *z<=13)) ){ z++; n--; }
  while( n>0 && (z[n-1]==' ' || (z[n-1]>=9 && z[n-1]<=13)) ) n--;
  *pbNeg = n>0 && *z=='-';
  if( n>0 && (*z=='-' || *z=='+') ){ z++; n--; }
  *piBase = 10;
  if( n>2 && z[0]=='0' && (z[1]|0x20)=='x' ){
    *piBase = 16;
    z += 2;
    n -= 2;
  }else if( n>1 && z[n-1]=='n' ){
    n--;
  }
  for(i=0; i<n; i++){
    char c = z[i];
    if( c>='0' && c<='9' ) continue;
    if( *piBase==16 && (c|0x20)>='a' && (c|0x20)<='f' ) continue;
    return 0;
  }
  *pText = kvBytes(z, n);
  return n>0;
}

static int funcKeyBigintText(KvBytes text, KvBuf *pOut){
  int bNeg, iBase;
  u8 *aMag;
  u32 nMag;
  if( !funcKeyDigits(&text, &bNeg, &iBase) ) return KV_SYNTAX;
  if( !kvBigReads(text, iBase) ) return KV_TOOBIG;
  aMag = kvRealloc(0, kvBigBound(text.n));
  if( aMag==0 ) return KV_NOMEM;
  nMag = kvBigParse(text, iBase, aMag);
  if( bNeg && nMag ) kvBufPut(pOut, '-');
  kvBigPrint(pOut, kvBytes(aMag, nMag));
  kvBufPut(pOut, 'n');
  kvFree(aMag);
  return pOut->eErr;
}

static void funcKeyBigint(KvCall *p){
  KvBuf *pOut = &p->pScratch->out;
  char z[24];
  int rc = KV_SYNTAX;
  if( sqlite3_value_type(p->apArg[0])==SQLITE_INTEGER ){
    kvBufAppend(pOut, z, (u64)kvIntPrint(sqlite3_value_int64(p->apArg[0]), z));
    kvBufPut(pOut, 'n');
    rc = KV_OK;
  }else if( sqlite3_value_type(p->apArg[0])==SQLITE_TEXT ){
    KvBytes text = kvArgText(p->apArg[0]);
    rc = text.p ? funcKeyBigintText(text, pOut) : KV_NOMEM;
  }
  if( rc==KV_OK ){
    kvResultTyped(p->ctx, pOut, KV_SUBTYPE_JS);
  }else if( rc==KV_SYNTAX ){
    kvError(&p->error, SQLITE_ERROR,
        "kv: kv_bigint() takes an INTEGER or the TEXT of a decimal or 0x hexadecimal integer");
  }else if( rc==KV_TOOBIG ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_bigint(): a bigint has at most 160000 decimal "
        "digits; write a larger one as 0x...");
  }else{
    kvErrorCode(&p->error, SQLITE_NOMEM);
  }
}

static void funcKeyBool(KvCall *p){
  sqlite3_value *pVal = p->apArg[0];
  const char *z;
  int b;
  switch( sqlite3_value_numeric_type(pVal) ){
    case SQLITE_INTEGER: b = sqlite3_value_int64(pVal)!=0;     break;
    case SQLITE_FLOAT:   b = sqlite3_value_double(pVal)!=0.0;  break;
    default:
      z = sqlite3_value_type(pVal)==SQLITE_TEXT ? (const char*)sqlite3_value_text(pVal) : "";
      b = z && sqlite3_stricmp(z, "true")==0;
      if( z==0 ){
        kvErrorCode(&p->error, SQLITE_NOMEM);
        return;
      }
      if( !b && sqlite3_stricmp(z, "false")!=0 ){
        kvError(&p->error, SQLITE_ERROR,
            "kv: kv_bool() takes a number (0 is false), 'true' or 'false'");
        return;
      }
  }
  sqlite3_result_text(p->ctx, b ? "true" : "false", -1, SQLITE_STATIC);
  sqlite3_result_subtype(p->ctx, KV_SUBTYPE_JS);
}

static void funcKeyStamp(KvCall *p){
  sqlite3_result_text(p->ctx, funcKeyStampText, -1, SQLITE_STATIC);
  sqlite3_result_subtype(p->ctx, KV_SUBTYPE_JS);
}

/* ---- stored keys --------------------------------------------------------- */

static void funcKeyEncode(KvCall *p){
  if( kvArgKey(p->apArg[0], 0, &p->key, 0, &p->err)==KV_OK ) kvResultBlob(p->ctx, &p->key);
}

static void funcKeyDecode(KvCall *p){
  if( sqlite3_value_type(p->apArg[0])!=SQLITE_BLOB ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_key_decode() takes the BLOB of a stored key");
  }else if( kvKeyPrint(&p->key, kvArgBlob(p->apArg[0]), &p->err)!=KV_OK ){
    kvCallCodecError(p, "kv_key_decode(): not a key");
  }else{
    kvResultText(p->ctx, &p->key);
  }
}

static void funcKeyCompare(KvCall *p){
  KvBytes a = kvArgText(p->apArg[0]), b = kvArgText(p->apArg[1]);
  if( a.p && b.p ){
    int c = kvKeyCompare(a, b);
    sqlite3_result_int(p->ctx, (c>0) - (c<0));
  }else{
    kvErrorCode(&p->error, SQLITE_NOMEM);
  }
}

/* ---- parts of keys ------------------------------------------------------- */

/* How many parts the key has.  False: its bytes are undecodable. */
static int funcKeyCount(KvBytes key, i64 *pn){
  KvPart part;
  u32 i;
  for(i=0, *pn=0; i<key.n; ++*pn){
    if( kvPartRead(key, &i, &part, 0)!=KV_OK ) return 0;
  }
  return 1;
}

/* The number of a part.  A REAL beyond 2^53 is whole, and of no part. */
static int funcKeyNumber(sqlite3_value *pVal, i64 *piPart){
  double r;
  if( kvArgNumber(pVal, piPart) ) return 1;
  if( sqlite3_value_type(pVal)!=SQLITE_FLOAT ) return 0;
  r = sqlite3_value_double(pVal);
  *piPart = r<0 ? INT64_MIN : INT64_MAX;
  return r-r==0.0 && (r>9007199254740992.0 || r<-9007199254740992.0);
}

static void funcKeyPart(KvCall *p){
  KvBytes key;
  KvPart part;
  i64 iPart, nPart;
  u32 i;
  if( !funcKeyNumber(p->apArg[1], &iPart) ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_part(): the second argument must be a whole number: "
        "0 for the first part, -1 for the last");
    return;
  }
  if( kvArgKey(p->apArg[0], KVKEY_MALFORMED, &p->key, 0, &p->err)!=KV_OK ) return;
  key = kvBufBytes(&p->key);
  if( iPart<0 ){
    if( !funcKeyCount(key, &nPart) ) return;
    iPart += nPart;
  }
  if( iPart<0 ) return;
  for(i=0; i<key.n; iPart--){
    if( kvPartRead(key, &i, &part, 0)!=KV_OK ) return;
    if( iPart==0 ){
      kvResultPart(p->ctx, &part);
      return;
    }
  }
}

/* Part i as JavaScript counts it in an array of n. */
static i64 funcKeyIndex(i64 i, i64 n){
  if( i<0 ) return i<-n ? 0 : i+n;
  return i>n ? n : i;
}

/* Reduce pKey, of which the placeholder is a part too, to the parts from iFrom
** up to iTo.  False if its bytes are undecodable. */
static int funcKeyCut(KvBuf *pKey, int *pbStamp, i64 iFrom, i64 iTo){
  KvBytes key = kvBufBytes(pKey);
  KvPart part;
  i64 k, n;
  u32 i = 0, iStart;
  if( !funcKeyCount(key, &n) ) return 0;
  n += *pbStamp;
  iFrom = funcKeyIndex(iFrom, n);
  iTo = funcKeyIndex(iTo, n);
  *pbStamp = *pbStamp && iFrom<iTo && iTo==n;
  for(k=0; k<iFrom && i<key.n; k++) kvPartRead(key, &i, &part, 0);
  iStart = i;
  for(; k<iTo && i<key.n; k++) kvPartRead(key, &i, &part, 0);
  memmove(pKey->a, &pKey->a[iStart], i-iStart);
  pKey->n = i-iStart;
  return 1;
}

static void funcKeySlice(KvCall *p){
  i64 iFrom, iTo = INT64_MAX;
  int bStamp;
  if( !funcKeyNumber(p->apArg[1], &iFrom) || (p->nArg>2 && !funcKeyNumber(p->apArg[2], &iTo)) ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_slice(): from and to must be whole "
        "numbers: 0 for the first part, -1 for the last; to is the first part left out");
  }else if( kvArgKey(p->apArg[0], KVKEY_MALFORMED|KVKEY_STAMP, &p->key, &bStamp, &p->err)==KV_OK
   && funcKeyCut(&p->key, &bStamp, iFrom, iTo)
  ){
    funcKeyResult(p, bStamp);
  }
}

/* Is the key strictly below the prefix?  (FF after 00 goes on with a string.) */
static int funcKeyIsBelow(KvBytes key, int bStamp, KvBytes prefix){
  if( !kvBytesBegins(key, prefix) ) return 0;
  return key.n>prefix.n ? key.p[prefix.n]!=0xff : bStamp;
}

static void funcKeyNotBelow(KvCall *p, KvBytes key, int bStamp, KvBytes prefix){
  KvBuf text, prefixText;
  kvBufInit(&text, 0, 0);
  kvBufInit(&prefixText, 0, 0);
  funcKeyShow(key, bStamp, &text);
  funcKeyShow(prefix, 0, &prefixText);
  if( kvBufTerminate(&text)!=KV_OK || kvBufTerminate(&prefixText)!=KV_OK ){
    kvErrorCode(&p->error, SQLITE_NOMEM);
  }else{
    kvErrorGive(&p->error, SQLITE_ERROR, sqlite3_mprintf("kv: kv_rebase(): the key %s is not below "
        "the prefix %s; WHERE prefix = ... selects those that are", text.a, prefixText.a));
  }
  kvBufClear(&text);
  kvBufClear(&prefixText);
}

static void funcKeyRebase(KvCall *p){
  KvBuf *pOld = &p->pScratch->in, *pKey = &p->pScratch->out;
  KvBuf *apKey[3];
  int i, rc = KV_OK, bStamp = 0;
  apKey[0] = pKey;
  apKey[1] = pOld;
  apKey[2] = &p->key;                  /* The new prefix, and then the result */
  for(i=0; rc==KV_OK && i<3; i++){
    rc = kvArgKey(p->apArg[i], i ? 0 : KVKEY_MALFORMED|KVKEY_STAMP, apKey[i], i ? 0 : &bStamp,
        &p->err);
  }
  if( rc!=KV_OK ){
    char zWhat[40];
    sqlite3_snprintf(sizeof(zWhat), zWhat, "kv_rebase(), argument %d", i);
    kvCallCodecError(p, zWhat);
  }else if( !funcKeyIsBelow(kvBufBytes(pKey), bStamp, kvBufBytes(pOld)) ){
    funcKeyNotBelow(p, kvBufBytes(pKey), bStamp, kvBufBytes(pOld));
  }else{
    kvBufAdd(&p->key, kvBytesFrom(kvBufBytes(pKey), pOld->n));
    funcKeyResult(p, bStamp);
  }
}

#define FUNC_KEY_TYPED (KV_PURE|SQLITE_RESULT_SUBTYPE)

const KvFunc kvFuncsKey[] = {
  { "kv_key",                -1, -1, FUNC_KEY_TYPED|SQLITE_SUBTYPE, KVCALL_KEY, funcKey, 0 },
  { "kv_bigint",              1, 1, FUNC_KEY_TYPED, KVCALL_STRICT|KVCALL_SCRATCH,
    funcKeyBigint, 0 },
  { "kv_bool",                1, 1, FUNC_KEY_TYPED, KVCALL_STRICT, funcKeyBool, 0 },
  { "kv_commit_versionstamp", 0, 0, FUNC_KEY_TYPED, 0, funcKeyStamp, 0 },
  { "kv_part",                2, 2, FUNC_KEY_TYPED, KVCALL_STRICT|KVCALL_KEY, funcKeyPart, 0 },
  { "kv_rebase",              3, 3, FUNC_KEY_TYPED, KVCALL_STRICT|KVCALL_KEY|KVCALL_SCRATCH,
    funcKeyRebase, 0 },
  { "kv_slice",               2, 3, FUNC_KEY_TYPED, KVCALL_STRICT|KVCALL_KEY, funcKeySlice, 0 },
  { "kv_key_encode",          1, 1, KV_PURE, KVCALL_STRICT|KVCALL_KEY, funcKeyEncode, 0 },
  { "kv_key_decode",          1, 1, KV_PURE, KVCALL_STRICT|KVCALL_KEY, funcKeyDecode, 0 },
  { "kv_compare",             2, 2, KV_PURE, KVCALL_STRICT, funcKeyCompare, 0 },
  { 0 }
};
