/*
** func_key.c -- SQL functions on keys, and the collation kv_compare.
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
#include "sql/func_key.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/result.h"
#include "sql/subtype.h"
#include "codec/num/num.h"
#include "sql/mark.h"

static const char fnkStamp[] = "kv.commitVersionstamp()";

/* JS text as a typed value. */
static void fnkTyped(sqlite3_context *ctx, KvBuf *pText){
  kvResultText(ctx, pText);
  if( pText->eErr==KV_OK ) sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
}

/* Is z[0..n-1] that word? */
#define fnkIs(z, n, zWord) ((n)==sizeof(zWord)-1 && memcmp((z), (zWord), sizeof(zWord)-1)==0)

static int fnkPutInteger(sqlite3_value *pVal, KvBuf *pKey, KvErr *pErr){
  i64 v = sqlite3_value_int64(pVal);
  unsigned eMark = sqlite3_value_subtype(pVal);
  if( eMark==KV_SUBTYPE_PART_BOOL ){
    kvKeyPutBool(pKey, v!=0);
  }else if( eMark==KV_SUBTYPE_PART_BIGINT ){
    u8 aMag[8];
    u32 nMag = 8;
    kvPut64le(aMag, v<0 ? 0-(u64)v : (u64)v);
    while( nMag>0 && aMag[nMag-1]==0 ) nMag--;
    kvKeyPutBigint(pKey, v<0, kvBytes(aMag, nMag));
  }else if( v>9007199254740991LL || v<-9007199254740991LL ){
    return kvErrSet(pErr, KV_SYNTAX, -1,
        "integer is beyond 2^53-1, which a JavaScript number can't hold exactly; "
        "use kv_bigint() for a bigint");
  }else{
    kvKeyPutNumber(pKey, (double)v);
  }
  return KV_OK;
}

/*
** TEXT that kv_part() made of a bigint: the part is appended.  False if it is
** another text.  (A CAST to TEXT keeps a mark; what would have been an INTEGER
** has been made a string by one.)
*/
static int fnkPutDigits(const u8 *z, u32 n, KvBuf *pKey){
  char zPart[640];                     /* 255 bytes are 615 digits */
  KvPart part;
  u32 nOld = pKey->n, i = nOld;
  i64 v;
  if( n>=sizeof(zPart) ) return 0;
  memcpy(zPart, z, n);
  zPart[n] = 'n';
  if( kvKeyParsePart(kvBytes(zPart, n+1), pKey, 0)==KV_OK
   && kvPartRead(kvBufBytes(pKey), &i, &part, 0)==KV_OK
   && part.eType==KVP_BIGINT && !kvPartInt64(&part, &v)
  ){
    return 1;
  }
  pKey->n = nOld;
  return 0;
}

/* Has the text the form of a typed part: 7n, true, the placeholder? */
static int fnkLooksTyped(const u8 *z, u32 n){
  u32 i;
  if( n<2 ) return 0;
  if( z[n-1]!='n' ){
    return fnkIs(z, n, "true") || fnkIs(z, n, "false") || fnkIs(z, n, fnkStamp);
  }
  for(i=z[0]=='-'; z[i]>='0' && z[i]<='9'; i++){}
  return i==n-1 && z[i-1]!='-';
}

/* KV_REFUSED, and the error is the result, if the argument may have been a typed
** part before a temporary table dropped its mark. */
static int fnkCheckMark(sqlite3_context *ctx, sqlite3_value *pVal){
  char *zErr = 0;
  int rc = kvMarkCheck(sqlite3_user_data(ctx), pVal, "kv_key()", &zErr);
  if( rc==SQLITE_OK ) return KV_OK;
  kvResultError(ctx, rc, zErr);
  return KV_REFUSED;
}

static int fnkPutText(sqlite3_context *ctx, sqlite3_value *pVal, KvBuf *pKey, KvErr *pErr){
  unsigned eMark = sqlite3_value_subtype(pVal);
  const u8 *z = sqlite3_value_text(pVal);
  u32 n = (u32)sqlite3_value_bytes(pVal);
  if( z==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  if( eMark==KV_SUBTYPE_KEY ){
    return kvErrSet(pErr, KV_SYNTAX, -1, "a key can't be a part of a key; kv_rebase() puts it "
        "below a prefix, kv_part() takes parts of it, and '' || key is its text as a string");
  }
  if( eMark==KV_SUBTYPE_JS ) return kvKeyParsePart(kvBytes(z, n), pKey, pErr);
  if( eMark==KV_SUBTYPE_PART_BIGINT && fnkPutDigits(z, n, pKey) ) return KV_OK;
  if( eMark==0 && fnkLooksTyped(z, n) && fnkCheckMark(ctx, pVal)!=KV_OK ) return KV_REFUSED;
  if( kvUtf8Valid(kvBytes(z, n)) ){
    kvKeyPutString(pKey, kvBytes(z, n));
  }else{
    KvBuf clean;
    kvBufInit(&clean, 0, 0);
    kvUtfAppendClean(&clean, kvBytes(z, n));
    if( clean.eErr!=KV_OK ) pKey->eErr = clean.eErr;
    kvKeyPutString(pKey, kvBufBytes(&clean));
    kvBufClear(&clean);
  }
  return KV_OK;
}

/* Append the part that an SQL value stands for to pKey.  KV_REFUSED: there is an
** error as the result. */
static int fnkPutPart(sqlite3_context *ctx, sqlite3_value *pVal, KvBuf *pKey, KvErr *pErr){
  int rc = KV_OK;
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL: {
      unsigned eMark = sqlite3_value_subtype(pVal);
      if( eMark!=KV_SUBTYPE_PART_NAN && eMark!=KV_SUBTYPE_PART_NEG_NAN ){
        return kvErrSet(pErr, KV_SYNTAX, -1, "NULL can't be a key part");
      }
      kvKeyPutNaN(pKey, eMark==KV_SUBTYPE_PART_NEG_NAN);
      break;
    }
    case SQLITE_INTEGER:
      rc = fnkPutInteger(pVal, pKey, pErr);
      break;
    case SQLITE_FLOAT:
      kvKeyPutNumber(pKey, sqlite3_value_double(pVal));
      break;
    case SQLITE_BLOB: {
      const u8 *a = sqlite3_value_blob(pVal);
      if( kvArgIsRaw(pVal) ){
        return kvErrSet(pErr, KV_SYNTAX, -1, "a raw value is no key part; kv_extract(raw, '$') is the SQL value that it holds");
      }
      kvKeyPutBytes(pKey, kvBytes(a, (u32)sqlite3_value_bytes(pVal)));
      break;
    }
    default:
      rc = fnkPutText(ctx, pVal, pKey, pErr);
  }
  if( rc!=KV_OK ) return rc;
  return pKey->eErr==KV_OK ? KV_OK : kvErrSet(pErr, pKey->eErr, -1, "out of memory");
}

/* True if the argument is the result of kv_commit_versionstamp(); -1 when
** memory ran out. */
static int fnkIsStamp(sqlite3_value *pVal){
  const unsigned char *z;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT || sqlite3_value_subtype(pVal)!=KV_SUBTYPE_JS ) return 0;
  z = sqlite3_value_text(pVal);
  if( z==0 ) return -1;
  return fnkIs(z, (u32)sqlite3_value_bytes(pVal), fnkStamp);
}

/* Append argument iArg of kv_key().  False: there is an error as the result. */
static int fnkArgument(sqlite3_context *ctx, int iArg, sqlite3_value *pVal, KvBuf *pKey){
  char zWhat[40];
  KvErr err;
  int rc = fnkPutPart(ctx, pVal, pKey, &err);
  if( rc!=KV_OK && rc!=KV_REFUSED ){
    sqlite3_snprintf(sizeof(zWhat), zWhat, "kv_key(), argument %d", iArg+1);
    kvResultCodecError(ctx, zWhat, &err);
  }
  return rc==KV_OK;
}

/* Append the text of the key's bytes, with or without the placeholder. */
static void fnkShow(const KvBuf *pKey, int bStamp, KvBuf *pOut){
  if( pKey->n ) kvKeyShow(pOut, kvBufBytes(pKey));
  else kvBufLit(pOut, "[]");
  if( bStamp && pOut->eErr==KV_OK ){
    pOut->n--;                         /* the closing bracket */
    if( pKey->n ) kvBufPut(pOut, ',');
    kvBufText(pOut, fnkStamp);
    kvBufPut(pOut, ']');
  }
}

/* Result: that text. */
static void fnkResult(sqlite3_context *ctx, const KvBuf *pKey, int bStamp){
  u8 aText[1024];
  KvBuf text;
  kvBufInit(&text, aText, sizeof(aText));
  if( pKey->eErr!=KV_OK ) text.eErr = pKey->eErr;
  fnkShow(pKey, bStamp, &text);
  kvResultText(ctx, &text);
  if( text.eErr==KV_OK ) sqlite3_result_subtype(ctx, KV_SUBTYPE_KEY);
  kvBufClear(&text);
}

static void kvKeyFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aKey[512];
  KvBuf key;
  int i, bStamp = 0;
  aKey[0] = 0;                         /* or compilers warn */
  kvBufInit(&key, aKey, sizeof(aKey));
  for(i=0; i<nArg; i++){
    if( i==nArg-1 ) bStamp = fnkIsStamp(apArg[i]);
    if( bStamp==0 && !fnkArgument(ctx, i, apArg[i], &key) ) break;
  }
  if( bStamp<0 ){
    sqlite3_result_error_nomem(ctx);
  }else if( i==nArg ){
    fnkResult(ctx, &key, bStamp);
  }
  kvBufClear(&key);
}

/* Digits of kv_bigint()'s text: sign, base and the digits themselves. */
static int fnkBigDigits(const char **pz, u32 *pn, int *pbNeg, int *piBase){
  const char *z = *pz;
  u32 i, n = *pn;
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
  *pz = z;
  *pn = n;
  return n>0;
}

static int fnkBigText(const char *z, u32 n, KvBuf *pOut){
  int bNeg, iBase;
  u8 *aMag;
  u32 nMag;
  if( !fnkBigDigits(&z, &n, &bNeg, &iBase) ) return KV_SYNTAX;
  aMag = kvRealloc(0, kvBigBound(n));
  if( aMag==0 ) return KV_NOMEM;
  nMag = kvBigParse(kvBytes(z, n), iBase, aMag);
  if( nMag==KV_BIG_NOMEM ){
    kvFree(aMag);
    return KV_NOMEM;
  }
  if( bNeg && nMag ) kvBufPut(pOut, '-');
  kvBigPrint(pOut, kvBytes(aMag, nMag));
  kvBufPut(pOut, 'n');
  kvFree(aMag);
  return pOut->eErr;
}

static void kvBigintFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aText[128];
  KvBuf text;
  char z[24];
  int rc = KV_SYNTAX;
  (void)nArg;
  kvBufInit(&text, aText, sizeof(aText));
  switch( sqlite3_value_type(apArg[0]) ){
    case SQLITE_NULL:
      return;
    case SQLITE_INTEGER:
      kvBufAppend(&text, z, (u64)kvIntPrint(sqlite3_value_int64(apArg[0]), z));
      kvBufPut(&text, 'n');
      rc = KV_OK;
      break;
    case SQLITE_TEXT: {
      const char *zText = (const char*)sqlite3_value_text(apArg[0]);
      rc = zText ? fnkBigText(zText, (u32)sqlite3_value_bytes(apArg[0]), &text) : KV_NOMEM;
      break;
    }
    default: break;
  }
  if( rc==KV_OK ){
    fnkTyped(ctx, &text);
  }else if( rc==KV_SYNTAX ){
    sqlite3_result_error(ctx,
        "kv: kv_bigint() takes an INTEGER or the TEXT of a decimal or 0x hexadecimal integer", -1);
  }else{
    sqlite3_result_error_nomem(ctx);
  }
  kvBufClear(&text);
}

static void kvBoolFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  int b;
  (void)nArg;
  switch( sqlite3_value_numeric_type(apArg[0]) ){
    case SQLITE_NULL:    return;
    case SQLITE_INTEGER: b = sqlite3_value_int64(apArg[0])!=0;     break;
    case SQLITE_FLOAT:   b = sqlite3_value_double(apArg[0])!=0.0;  break;
    default: {
      const char *z = sqlite3_value_type(apArg[0])==SQLITE_TEXT
          ? (const char*)sqlite3_value_text(apArg[0]) : "";
      if( z==0 ){
        sqlite3_result_error_nomem(ctx);
        return;
      }
      if( sqlite3_stricmp(z, "true")==0 ){
        b = 1;
      }else if( sqlite3_stricmp(z, "false")==0 ){
        b = 0;
      }else{
        sqlite3_result_error(ctx, "kv: kv_bool() takes a number (0 is false), 'true' or 'false'", -1);
        return;
      }
    }
  }
  sqlite3_result_text(ctx, b ? "true" : "false", -1, SQLITE_STATIC);
  sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
}

static void kvStampFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  (void)nArg; (void)apArg;
  sqlite3_result_text(ctx, fnkStamp, -1, SQLITE_STATIC);
  sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
}

static void kvKeyEncodeFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aKey[2100];
  KvBuf key;
  KvErr err;
  (void)nArg;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return;
  kvBufInit(&key, aKey, sizeof(aKey));
  if( kvArgKey(apArg[0], 0, &key, 0, &err)!=KV_OK ){
    kvResultCodecError(ctx, "kv_key_encode()", &err);
  }else{
    kvResultBlob(ctx, &key);
  }
  kvBufClear(&key);
}

static void kvKeyDecodeFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aText[2100];
  KvBuf text;
  KvErr err;
  const u8 *a;
  (void)nArg;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return;
  if( sqlite3_value_type(apArg[0])!=SQLITE_BLOB ){
    sqlite3_result_error(ctx, "kv: kv_key_decode() takes the BLOB of a stored key", -1);
    return;
  }
  a = sqlite3_value_blob(apArg[0]);
  kvBufInit(&text, aText, sizeof(aText));
  if( kvKeyPrint(&text, kvBytes(a, (u32)sqlite3_value_bytes(apArg[0])), &err)!=KV_OK ){
    kvResultCodecError(ctx, "kv_key_decode(): not a key", &err);
  }else{
    kvResultText(ctx, &text);
  }
  kvBufClear(&text);
}

static void kvCompareFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  const char *zA, *zB;
  int c;
  (void)nArg;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL || sqlite3_value_type(apArg[1])==SQLITE_NULL ){
    return;
  }
  zA = (const char*)sqlite3_value_text(apArg[0]);
  zB = (const char*)sqlite3_value_text(apArg[1]);
  if( zA==0 || zB==0 ){
    sqlite3_result_error_nomem(ctx);
    return;
  }
  c = kvKeyCompare(kvBytes(zA, (u32)sqlite3_value_bytes(apArg[0])), kvBytes(zB, (u32)sqlite3_value_bytes(apArg[1])));
  sqlite3_result_int(ctx, (c>0) - (c<0));
}

int kvKeyCollate(void *pArg, int nA, const void *zA, int nB, const void *zB){
  (void)pArg;
  return kvKeyCompare(kvBytes(zA, (u32)nA), kvBytes(zB, (u32)nB));
}

/* The mark of a part that an SQL value doesn't tell, or 0. */
static unsigned fnkMark(const KvPart *pPart){
  switch( pPart->eType ){
    case KVP_BOOL:   return KV_SUBTYPE_PART_BOOL;
    case KVP_BIGINT: return KV_SUBTYPE_PART_BIGINT;
    case KVP_NUMBER:
      if( pPart->r==pPart->r ) return 0;
      return kvDoubleToBits(pPart->r)>>63 ? KV_SUBTYPE_PART_NEG_NAN : KV_SUBTYPE_PART_NAN;
    default:         return 0;
  }
}

void kvResultPart(sqlite3_context *ctx, const KvPart *pPart){
  KvBuf text;
  u8 aSpace[1024];
  unsigned eMark = fnkMark(pPart);
  i64 v;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  switch( pPart->eType ){
    case KVP_BOOL:
      sqlite3_result_int(ctx, pPart->r!=0.0);
      break;
    case KVP_NUMBER:
      kvResultNumber(ctx, pPart->r);
      break;
    case KVP_STRING:
      kvPartContent(&text, pPart);
      kvResultText(ctx, &text);
      break;
    case KVP_BYTES:
      kvPartContent(&text, pPart);
      kvResultBlob(ctx, &text);
      break;
    default:
      if( kvPartInt64(pPart, &v) ){
        sqlite3_result_int64(ctx, v);
      }else{
        kvPartPrint(&text, pPart);
        if( text.eErr==KV_OK ) text.n--;          /* without the n */
        kvResultText(ctx, &text);
      }
  }
  if( eMark && text.eErr==KV_OK ) sqlite3_result_subtype(ctx, eMark);
  kvBufClear(&text);
}

/* How many parts the key has.  False: its bytes are undecodable. */
static int fnkCount(const KvBuf *pKey, i64 *pn){
  KvPart part;
  u32 i;
  for(i=0, *pn=0; i<pKey->n; ++*pn){
    if( kvPartRead(kvBufBytes(pKey), &i, &part, 0)!=KV_OK ) return 0;
  }
  return 1;
}

/* Result: part iPart (negative: from the end) of the key bytes. */
static void fnkPart(sqlite3_context *ctx, const KvBuf *pKey, i64 iPart){
  KvPart part;
  i64 nPart;
  u32 i;
  if( iPart<0 ){
    if( !fnkCount(pKey, &nPart) ) return;
    iPart += nPart;
  }
  if( iPart<0 ) return;
  for(i=0; i<pKey->n; iPart--){
    if( kvPartRead(kvBufBytes(pKey), &i, &part, 0)!=KV_OK ) return;
    if( iPart==0 ){
      kvResultPart(ctx, &part);
      return;
    }
  }
}

/* The number of a part.  A REAL beyond 2^53 is whole, and of no part. */
static int fnkNumber(sqlite3_value *pVal, i64 *piPart){
  double r;
  if( kvArgNumber(pVal, piPart) ) return 1;
  if( sqlite3_value_type(pVal)!=SQLITE_FLOAT ) return 0;
  r = sqlite3_value_double(pVal);
  *piPart = r<0 ? INT64_MIN : INT64_MAX;
  return r-r==0.0 && (r>9007199254740992.0 || r<-9007199254740992.0);
}

static void kvPartFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aKey[2100];
  KvBuf key;
  KvErr err;
  i64 iPart;
  (void)nArg;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL || sqlite3_value_type(apArg[1])==SQLITE_NULL ){
    return;
  }
  if( !fnkNumber(apArg[1], &iPart) ){
    sqlite3_result_error(ctx, "kv: kv_part(): the second argument must be a whole number: "
        "0 for the first part, -1 for the last", -1);
    return;
  }
  kvBufInit(&key, aKey, sizeof(aKey));
  if( kvArgKey(apArg[0], KVKEY_MALFORMED, &key, 0, &err)!=KV_OK ){
    kvResultCodecError(ctx, "kv_part()", &err);
  }else{
    fnkPart(ctx, &key, iPart);
  }
  kvBufClear(&key);
}

/* Part i as JavaScript counts it in an array of n. */
static i64 fnkArrayIndex(i64 i, i64 n){
  if( i<0 ) return i<-n ? 0 : i+n;
  return i>n ? n : i;
}

/* Reduce pKey, of which the placeholder is a part too, to the parts from iFrom
** up to iTo.  False if its bytes are undecodable. */
static int fnkSlice(KvBuf *pKey, int *pbStamp, i64 iFrom, i64 iTo){
  KvPart part;
  i64 k, n;
  u32 i = 0, iStart;
  if( !fnkCount(pKey, &n) ) return 0;
  n += *pbStamp;
  iFrom = fnkArrayIndex(iFrom, n);
  iTo = fnkArrayIndex(iTo, n);
  *pbStamp = *pbStamp && iFrom<iTo && iTo==n;
  for(k=0; k<iFrom && i<pKey->n; k++) kvPartRead(kvBufBytes(pKey), &i, &part, 0);
  iStart = i;
  for(; k<iTo && i<pKey->n; k++) kvPartRead(kvBufBytes(pKey), &i, &part, 0);
  memmove(pKey->a, &pKey->a[iStart], i-iStart);
  pKey->n = i-iStart;
  return 1;
}

static void kvSliceFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aKey[2100];
  KvBuf key;
  KvErr err;
  i64 iFrom, iTo = INT64_MAX;
  int i, bStamp;
  for(i=0; i<nArg; i++){
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ) return;
  }
  if( !fnkNumber(apArg[1], &iFrom) || (nArg>2 && !fnkNumber(apArg[2], &iTo)) ){
    sqlite3_result_error(ctx, "kv: kv_slice(): from and to must be whole numbers: "
        "0 for the first part, -1 for the last; to is the first part that is left out", -1);
    return;
  }
  kvBufInit(&key, aKey, sizeof(aKey));
  if( kvArgKey(apArg[0], KVKEY_MALFORMED|KVKEY_STAMP, &key, &bStamp, &err)!=KV_OK ){
    kvResultCodecError(ctx, "kv_slice()", &err);
  }else if( fnkSlice(&key, &bStamp, iFrom, iTo) ){
    fnkResult(ctx, &key, bStamp);
  }
  kvBufClear(&key);
}

/* Is the key strictly below the prefix?  (FF behind 00 goes on with a string.) */
static int fnkIsBelow(const KvBuf *pKey, int bStamp, const KvBuf *pPrefix){
  u32 n = pPrefix->n;
  if( pKey->n<n || memcmp(pKey->a, pPrefix->a, n)!=0 ) return 0;
  return pKey->n>n ? pKey->a[n]!=0xff : bStamp;
}

static void fnkNotBelow(sqlite3_context *ctx, const KvBuf *pKey, int bStamp, const KvBuf *pPrefix){
  KvBuf key, prefix;
  kvBufInit(&key, 0, 0);
  kvBufInit(&prefix, 0, 0);
  fnkShow(pKey, bStamp, &key);
  fnkShow(pPrefix, 0, &prefix);
  if( kvBufTerminate(&key)!=KV_OK || kvBufTerminate(&prefix)!=KV_OK ){
    sqlite3_result_error_nomem(ctx);
  }else{
    kvResultError(ctx, SQLITE_ERROR, sqlite3_mprintf(
        "kv: kv_rebase(): the key %s is not below the prefix %s; WHERE prefix = ... selects those that are",
        key.a, prefix.a));
  }
  kvBufClear(&key);
  kvBufClear(&prefix);
}

static void kvRebaseFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aSpace[3][1024];
  KvBuf aKey[3];                       /* the key, the old prefix, the new one */
  KvErr err;
  char zWhat[40];
  int i, rc = KV_OK, bStamp = 0;
  for(i=0; i<nArg; i++){
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ) return;
  }
  for(i=0; i<3; i++) kvBufInit(&aKey[i], aSpace[i], sizeof(aSpace[i]));
  for(i=0; rc==KV_OK && i<3; i++){
    rc = kvArgKey(apArg[i], i ? 0 : KVKEY_MALFORMED|KVKEY_STAMP, &aKey[i], i ? 0 : &bStamp, &err);
  }
  if( rc!=KV_OK ){
    sqlite3_snprintf(sizeof(zWhat), zWhat, "kv_rebase(), argument %d", i);
    kvResultCodecError(ctx, zWhat, &err);
  }else if( !fnkIsBelow(&aKey[0], bStamp, &aKey[1]) ){
    fnkNotBelow(ctx, &aKey[0], bStamp, &aKey[1]);
  }else{
    kvBufAppend(&aKey[2], &aKey[0].a[aKey[1].n], aKey[0].n-aKey[1].n);
    fnkResult(ctx, &aKey[2], bStamp);
  }
  for(i=0; i<3; i++) kvBufClear(&aKey[i]);
}

const KvFunc kvFuncsKey[] = {
  { "kv_key",                 -1, KV_PURE|SQLITE_SUBTYPE|SQLITE_RESULT_SUBTYPE, kvKeyFunc },
  { "kv_bigint",               1, KV_PURE|SQLITE_RESULT_SUBTYPE, kvBigintFunc },
  { "kv_bool",                 1, KV_PURE|SQLITE_RESULT_SUBTYPE, kvBoolFunc },
  { "kv_commit_versionstamp",  0, KV_PURE|SQLITE_RESULT_SUBTYPE, kvStampFunc },
  { "kv_part",                 2, KV_PURE|SQLITE_RESULT_SUBTYPE, kvPartFunc },
  { "kv_rebase",               3, KV_PURE|SQLITE_RESULT_SUBTYPE, kvRebaseFunc },
  { "kv_slice",                2, KV_PURE|SQLITE_RESULT_SUBTYPE, kvSliceFunc },
  { "kv_slice",                3, KV_PURE|SQLITE_RESULT_SUBTYPE, kvSliceFunc },
  { "kv_key_encode",           1, KV_PURE,                     kvKeyEncodeFunc },
  { "kv_key_decode",           1, KV_PURE,                     kvKeyDecodeFunc },
  { "kv_compare",              2, KV_PURE,                     kvCompareFunc },
  { 0 }
};
