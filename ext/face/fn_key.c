/*
** fn_key.c -- SQL functions on keys, and the collation kv_compare.
**
**   kv_key(part, ...)          key text from SQL values
**   kv_bigint(x), kv_bool(x)   typed values
**   kv_commit_versionstamp()   placeholder for the operation's versionstamp
**   kv_part(key, i)            one part as an SQL value
**   kv_key_encode(key)         Deno's stored bytes
**   kv_key_decode(blob)        key text
**   kv_compare(a, b)           -1, 0 or 1
*/
#include "face/face.h"
SQLITE_EXTENSION_INIT3
#include "codec/num.h"

static const char fnkStamp[] = "kv.commitVersionstamp()";

/* JS text as a typed value. */
static void fnkTyped(sqlite3_context *ctx, KvBuf *pText){
  kvFaceText(ctx, pText);
  if( pText->eErr==KV_OK ) sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
}

/* Append the part that an SQL value stands for to pKey. */
static int fnkPutPart(sqlite3_value *pVal, KvBuf *pKey, KvErr *pErr){
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:
      return kvErrSet(pErr, KV_SYNTAX, -1, "NULL can't be a key part");
    case SQLITE_INTEGER: {
      i64 v = sqlite3_value_int64(pVal);
      if( v>9007199254740991LL || v<-9007199254740991LL ){
        return kvErrSet(pErr, KV_SYNTAX, -1,
            "integer is beyond 2^53-1, which a JavaScript number can't hold exactly; "
            "use kv_bigint() for a bigint");
      }
      kvKeyPutNumber(pKey, (double)v);
      break;
    }
    case SQLITE_FLOAT:
      kvKeyPutNumber(pKey, sqlite3_value_double(pVal));
      break;
    case SQLITE_BLOB: {
      const u8 *a = sqlite3_value_blob(pVal);
      kvKeyPutBytes(pKey, a, (u32)sqlite3_value_bytes(pVal));
      break;
    }
    default: {
      unsigned eSubtype = sqlite3_value_subtype(pVal);
      const u8 *z = sqlite3_value_text(pVal);
      u32 n = (u32)sqlite3_value_bytes(pVal);
      if( z==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
      if( eSubtype==KV_SUBTYPE_JS ) return kvKeyParsePart((const char*)z, n, pKey, pErr);
      if( kvUtf8Valid(z, n) ){
        kvKeyPutString(pKey, z, n);
      }else{
        KvBuf clean;
        kvBufInit(&clean, 0, 0);
        kvUtfAppendClean(&clean, z, n);
        if( clean.eErr!=KV_OK ) pKey->eErr = clean.eErr;
        kvKeyPutString(pKey, clean.a, clean.n);
        kvBufClear(&clean);
      }
    }
  }
  return pKey->eErr==KV_OK ? KV_OK : kvErrSet(pErr, pKey->eErr, -1, "out of memory");
}

/* True if the argument is the result of kv_commit_versionstamp(); -1 when
** memory ran out. */
static int fnkIsStamp(sqlite3_value *pVal){
  const unsigned char *z;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT || sqlite3_value_subtype(pVal)!=KV_SUBTYPE_JS ) return 0;
  z = sqlite3_value_text(pVal);
  if( z==0 ) return -1;
  return sqlite3_value_bytes(pVal)==(int)sizeof(fnkStamp)-1
      && memcmp(z, fnkStamp, sizeof(fnkStamp)-1)==0;
}

/* The bytes in pKey, with or without the placeholder, as key text. */
static int fnkShow(KvBuf *pKey, int bStamp, KvBuf *pOut, KvErr *pErr){
  int rc = kvKeyPrint(pOut, pKey->a, pKey->n, pErr);
  if( rc==KV_OK && bStamp ){
    pOut->n--;                         /* the closing bracket */
    if( pKey->n ) kvBufPut(pOut, ',');
    kvBufText(pOut, fnkStamp);
    kvBufPut(pOut, ']');
  }
  return rc;
}

static void kvKeyFunc(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  u8 aKey[512], aText[1024];
  KvBuf key, text;
  KvErr err;
  char zWhat[40];
  int i, rc = KV_OK, bStamp = 0;
  aKey[0] = 0;                         /* or compilers warn */
  kvBufInit(&key, aKey, sizeof(aKey));
  kvBufInit(&text, aText, sizeof(aText));
  zWhat[0] = 0;
  for(i=0; rc==KV_OK && i<nArg; i++){
    if( i==nArg-1 ) bStamp = fnkIsStamp(apArg[i]);
    if( bStamp<0 ){
      rc = kvErrSet(&err, KV_NOMEM, -1, "out of memory");
    }else if( bStamp==0 ){
      rc = fnkPutPart(apArg[i], &key, &err);
      if( rc!=KV_OK ) sqlite3_snprintf(sizeof(zWhat), zWhat, "kv_key(), argument %d", i+1);
    }
  }
  if( rc==KV_OK ) rc = fnkShow(&key, bStamp, &text, &err);
  if( rc==KV_OK ){
    kvFaceText(ctx, &text);
  }else{
    kvFaceError(ctx, zWhat, &err);
  }
  kvBufClear(&key);
  kvBufClear(&text);
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
  nMag = kvBigParse(z, n, iBase, aMag);
  if( nMag==KV_BIG_NOMEM ){
    kvFree(aMag);
    return KV_NOMEM;
  }
  if( bNeg && nMag ) kvBufPut(pOut, '-');
  kvBigPrint(pOut, aMag, nMag);
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
  if( kvFaceKey(apArg[0], 0, &key, 0, &err)!=KV_OK ){
    kvFaceError(ctx, "kv_key_encode()", &err);
  }else{
    kvFaceBlob(ctx, &key);
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
  if( kvKeyPrint(&text, a, (u32)sqlite3_value_bytes(apArg[0]), &err)!=KV_OK ){
    kvFaceError(ctx, "kv_key_decode(): not a key", &err);
  }else{
    kvFaceText(ctx, &text);
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
  c = kvKeyCompare(zA, (u32)sqlite3_value_bytes(apArg[0]), zB, (u32)sqlite3_value_bytes(apArg[1]));
  sqlite3_result_int(ctx, (c>0) - (c<0));
}

static int kvCompareColl(void *pArg, int nA, const void *zA, int nB, const void *zB){
  (void)pArg;
  return kvKeyCompare(zA, (u32)nA, zB, (u32)nB);
}

void kvFacePart(sqlite3_context *ctx, const KvPart *pPart){
  KvBuf text;
  u8 aSpace[1024];
  i64 v;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  switch( pPart->eType ){
    case KVP_BOOL:
      sqlite3_result_int(ctx, pPart->r!=0.0);
      break;
    case KVP_NUMBER:
      kvFaceNumber(ctx, pPart->r);
      break;
    case KVP_STRING:
      kvPartContent(&text, pPart);
      kvFaceText(ctx, &text);
      break;
    case KVP_BYTES:
      kvPartContent(&text, pPart);
      kvFaceBlob(ctx, &text);
      break;
    default:
      if( kvPartInt64(pPart, &v) ){
        sqlite3_result_int64(ctx, v);
      }else{
        kvPartPrint(&text, pPart);
        if( text.eErr==KV_OK ) text.n--;          /* without the n */
        kvFaceText(ctx, &text);
      }
  }
  kvBufClear(&text);
}

/* Result: part iPart (negative: from the end) of the key bytes. */
static void fnkPart(sqlite3_context *ctx, const KvBuf *pKey, i64 iPart){
  KvPart part;
  u32 i;
  if( iPart<0 ){
    for(i=0; i<pKey->n; iPart++){
      if( kvPartRead(pKey->a, pKey->n, &i, &part, 0)!=KV_OK ) return;
    }
  }
  if( iPart<0 ) return;
  for(i=0; i<pKey->n; iPart--){
    if( kvPartRead(pKey->a, pKey->n, &i, &part, 0)!=KV_OK ) return;
    if( iPart==0 ){
      kvFacePart(ctx, &part);
      return;
    }
  }
}

/* The number of a part.  A REAL beyond 2^53 is whole, and of no part. */
static int fnkNumber(sqlite3_value *pVal, i64 *piPart){
  double r;
  if( kvFaceNumberOf(pVal, piPart) ) return 1;
  if( sqlite3_value_type(pVal)!=SQLITE_FLOAT ) return 0;
  r = sqlite3_value_double(pVal);
  *piPart = 0x7fffffffffffffffLL;
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
  if( kvFaceKey(apArg[0], KVKEY_MALFORMED, &key, 0, &err)!=KV_OK ){
    kvFaceError(ctx, "kv_part()", &err);
  }else{
    fnkPart(ctx, &key, iPart);
  }
  kvBufClear(&key);
}

int kvRegisterKeys(KvConn *p){
  static const KvFunc aFunc[] = {
    { "kv_key",                 -1, KV_PURE|SQLITE_SUBTYPE,        kvKeyFunc },
    { "kv_bigint",               1, KV_PURE|SQLITE_RESULT_SUBTYPE, kvBigintFunc },
    { "kv_bool",                 1, KV_PURE|SQLITE_RESULT_SUBTYPE, kvBoolFunc },
    { "kv_commit_versionstamp",  0, KV_PURE|SQLITE_RESULT_SUBTYPE, kvStampFunc },
    { "kv_part",                 2, KV_PURE,                     kvPartFunc },
    { "kv_key_encode",           1, KV_PURE,                     kvKeyEncodeFunc },
    { "kv_key_decode",           1, KV_PURE,                     kvKeyDecodeFunc },
    { "kv_compare",              2, KV_PURE,                     kvCompareFunc },
  };
  int rc;
  kvConnRef(p);
  rc = sqlite3_create_collation_v2(p->db, "kv_compare", SQLITE_UTF8, p, kvCompareColl, kvConnUnref);
  if( rc!=SQLITE_OK ) kvConnUnref(p);            /* not called on failure */
  return rc==SQLITE_OK ? kvRegisterFunctions(p, aFunc, KV_COUNT(aFunc)) : rc;
}
