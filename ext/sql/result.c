/*
** result.c -- between SQL values and the codecs: arguments, results, errors.
*/
#include "sql/sql.h"
SQLITE_EXTENSION_INIT3
#include "codec/js/js.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/num/date.h"
#include "codec/path.h"
#include "codec/num/num.h"
#include "codec/v8/plain.h"
#include "codec/v8/v8.h"

char *kvFaceErrorText(const char *zWhat, const KvErr *pErr){
  const char *zMsg = pErr->zMsg ? pErr->zMsg : "out of memory";
  const char *zSep = zWhat[0] ? ": " : "";
  const char *zColon = pErr->zNumber[0] ? ": " : "";
  if( pErr->iPos<0 ) return sqlite3_mprintf("kv: %s%s%s", zWhat, zSep, zMsg);
  return sqlite3_mprintf("kv: %s%s%s%s%s (at offset %lld)", zWhat, zSep, zMsg,
      zColon, pErr->zNumber, pErr->iPos);
}

void kvFaceFail(sqlite3_context *ctx, int rc, char *zErr){
  if( rc==SQLITE_NOMEM || zErr==0 ){
    sqlite3_result_error_nomem(ctx);
  }else{
    sqlite3_result_error(ctx, zErr, -1);
    sqlite3_result_error_code(ctx, rc);
  }
  sqlite3_free(zErr);
}

void kvFaceError(sqlite3_context *ctx, const char *zWhat, const KvErr *pErr){
  if( pErr->eCode==KV_NOMEM ){
    sqlite3_result_error_nomem(ctx);
  }else if( pErr->eCode==KV_TOOBIG ){
    sqlite3_result_error_toobig(ctx);
  }else{
    kvFaceFail(ctx, SQLITE_ERROR, kvFaceErrorText(zWhat, pErr));
  }
}

/* True, with the error as the result, if the builder of p failed. */
static int faceBufFailed(sqlite3_context *ctx, const KvBuf *p){
  if( p->eErr==KV_NOMEM ) sqlite3_result_error_nomem(ctx);
  if( p->eErr==KV_TOOBIG ) sqlite3_result_error_toobig(ctx);
  return p->eErr!=KV_OK;
}

/*
** A text whose length is given has no zero byte behind it in SQLite's copy.
** sqlite3_column_text(), which most programs call, would add one by taking
** new memory for each row; so the length is given only if it has to be.
*/
void kvFaceText(sqlite3_context *ctx, KvBuf *p){
  kvBufTerminate(p);
  if( faceBufFailed(ctx, p) ) return;
  if( p->n && memchr(p->a, 0, p->n)!=0 ){
    sqlite3_result_text64(ctx, (const char*)p->a, p->n, SQLITE_TRANSIENT, SQLITE_UTF8);
  }else{
    sqlite3_result_text(ctx, (const char*)p->a, -1, SQLITE_TRANSIENT);
  }
}

void kvFaceBlob(sqlite3_context *ctx, KvBuf *p){
  if( faceBufFailed(ctx, p) ) return;
  sqlite3_result_blob64(ctx, p->n ? (const void*)p->a : "", p->n, SQLITE_TRANSIENT);
}

void kvFaceRawResult(sqlite3_context *ctx, KvBuf *p){
  kvFaceBlob(ctx, p);
  if( p->eErr==KV_OK ) sqlite3_result_subtype(ctx, KV_SUBTYPE_RAW);
}

void kvFaceNumber(sqlite3_context *ctx, double r){
  if( r>=-9007199254740991.0 && r<=9007199254740991.0
   && r==(double)(i64)r && kvDoubleToBits(r)!=0x8000000000000000ull
  ){
    sqlite3_result_int64(ctx, (i64)r);
  }else{
    sqlite3_result_double(ctx, r);     /* NaN becomes NULL */
  }
}

/* A bigint: INTEGER if it fits, else its digits. */
static void faceBigint(sqlite3_context *ctx, int bNeg, const u8 *aMag, u32 nMag){
  KvBuf text;
  u8 aSpace[256];
  i64 v;
  if( kvBigInt64(bNeg, aMag, nMag, &v) ){
    sqlite3_result_int64(ctx, v);
    return;
  }
  kvBufInit(&text, aSpace, sizeof(aSpace));
  if( bNeg ) kvBufPut(&text, '-');
  kvBigPrint(&text, aMag, nMag);
  kvFaceText(ctx, &text);
  kvBufClear(&text);
}

/* A string; lone surrogates become U+FFFD, since SQL text is UTF-8. */
static void faceString(sqlite3_context *ctx, const KvNode *p){
  KvBuf text;
  u8 aSpace[256];
  kvBufInit(&text, aSpace, sizeof(aSpace));
  if( p->eSub!=KV_UTF16 && kvAsciiSpan(p->u.p, p->n)==p->n ){
    if( p->n<sizeof(aSpace) ){
      kvBufAppend(&text, p->u.p, p->n);
      kvFaceText(ctx, &text);
      return;
    }
    sqlite3_result_text64(ctx, p->n ? (const char*)p->u.p : "", p->n,
        SQLITE_TRANSIENT, SQLITE_UTF8);
    return;
  }
  kvUtfAppend(&text, p->eSub, p->u.p, p->n, 0);
  kvFaceText(ctx, &text);
  kvBufClear(&text);
}

/* The bytes of a Uint8Array or ArrayBuffer. */
static void faceBytes(sqlite3_context *ctx, KvTree *pTree, const KvNode *p){
  const KvNode *pBuf = p;
  u32 iOffset = 0;
  if( p->eKind==KV_VIEW ){
    iOffset = p->u.iOffset;
    pBuf = &pTree->aNode[kvDeref(pTree, p->iChild)];
  }
  sqlite3_result_blob64(ctx, p->n ? (const void*)&pBuf->u.p[iOffset] : "", p->n,
      SQLITE_TRANSIENT);
}

/* Everything that has no SQL type of its own: JSON, marked as such. */
static void faceJson(sqlite3_context *ctx, KvTree *pTree, u32 iNode){
  KvBuf text;
  u8 aSpace[512];
  KvErr err;
  int rc;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  rc = kvJsonPrint(pTree, iNode, &text, &err);
  if( rc!=KV_OK ){
    kvFaceError(ctx, "", &err);
  }else{
    kvFaceText(ctx, &text);
    sqlite3_result_subtype(ctx, KV_SUBTYPE_JSON);
  }
  kvBufClear(&text);
}

void kvFaceShow(KvBuf *pOut, const KvTree *pTree, u32 iNode){
  const KvNode *p = &pTree->aNode[iNode];
  if( p->eKind==KV_DATE ){
    kvDatePrint(p->u.r, pOut);
  }else if( p->eKind==KV_STRING ){
    kvUtfAppend(pOut, p->eSub, p->u.p, p->n, 0);
  }else{
    const KvNode *pSource = &pTree->aNode[p->iChild];
    char zFlags[16];
    kvRegexpFlags(p->n, zFlags);
    kvBufPut(pOut, '/');
    kvUtfAppend(pOut, pSource->eSub, pSource->u.p, pSource->n, 0);
    kvBufPut(pOut, '/');
    kvBufText(pOut, zFlags);
  }
}

/* A Date or a RegExp. */
static void faceSpecial(sqlite3_context *ctx, KvTree *pTree, u32 iNode){
  KvBuf text;
  u8 aSpace[256];
  const KvNode *p = &pTree->aNode[iNode];
  if( p->eKind==KV_DATE && p->u.r!=p->u.r ) return;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvFaceShow(&text, pTree, iNode);
  kvFaceText(ctx, &text);
  kvBufClear(&text);
}

static void faceU64(sqlite3_context *ctx, u64 u){
  u8 a[8];
  u32 n = 8;
  kvPut64le(a, u);
  while( n>0 && a[n-1]==0 ) n--;
  faceBigint(ctx, 0, a, n);
}

void kvFaceNode(sqlite3_context *ctx, KvTree *pTree, u32 iNode, i64 iElem){
  KvNode elem;
  const KvNode *p;
  u8 aDigit[8];
  iNode = kvDeref(pTree, iNode);
  p = &pTree->aNode[iNode];
  if( iElem>=0 ){
    if( !kvViewElem(pTree, iNode, iElem, &elem, aDigit) ) return;
    p = &elem;
  }
  switch( p->eKind ){
    case KV_UNDEFINED: case KV_NULL: case KV_HOLE: break;
    case KV_BOOL:   sqlite3_result_int(ctx, p->n!=0);            break;
    case KV_NUMBER: kvFaceNumber(ctx, p->u.r);                     break;
    case KV_BIGINT: faceBigint(ctx, p->eSub, p->u.p, p->n);      break;
    case KV_U64:    faceU64(ctx, p->u.u);                        break;
    case KV_STRING: faceString(ctx, p);                          break;
    case KV_BUFFER: faceBytes(ctx, pTree, p);                    break;
    case KV_DATE: case KV_REGEXP: faceSpecial(ctx, pTree, iNode); break;
    case KV_VIEW:
      if( p->eSub==KV_VIEW_U8 ){
        faceBytes(ctx, pTree, p);
        break;
      }
      /* fall through */
    default:        faceJson(ctx, pTree, iNode);
  }
}

static int faceNumberNode(KvTree *pTree, double r, KvErr *pErr){
  u32 i = kvTreeAdd(pTree, KV_NUMBER);
  if( i==KV_NO_NODE ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  pTree->aNode[i].u.r = r;
  return KV_OK;
}

/* TEXT without a subtype: a string.  What is not UTF-8 becomes U+FFFD. */
static int faceStringNode(KvTree *pTree, const u8 *z, u32 n, KvErr *pErr){
  u32 i = kvTreeAdd(pTree, KV_STRING);
  if( i==KV_NO_NODE ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  if( !kvUtf8Valid(z, n) ){
    KvBuf clean;
    u8 *a;
    kvBufInit(&clean, 0, 0);
    kvUtfAppendClean(&clean, z, n);
    a = clean.eErr==KV_OK ? kvTreeSpace(pTree, clean.n) : 0;
    if( a ){
      memcpy(a, clean.a, clean.n);
      z = a;
      n = clean.n;
    }
    kvBufClear(&clean);
    if( a==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  }
  pTree->aNode[i].eSub = KV_WTF8;
  pTree->aNode[i].u.p = z;
  pTree->aNode[i].n = n;
  return KV_OK;
}

static int faceBytesNode(KvTree *pTree, const u8 *a, u32 n, KvErr *pErr){
  u32 iView = kvTreeAdd(pTree, KV_VIEW);
  u32 iBuf = kvTreeAdd(pTree, KV_BUFFER);
  if( iView==KV_NO_NODE || iBuf==KV_NO_NODE ){
    return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  }
  pTree->aNode[iView].eSub = KV_VIEW_U8;
  pTree->aNode[iView].n = n;
  pTree->aNode[iView].iChild = iBuf;
  pTree->aNode[iBuf].n = n;
  pTree->aNode[iBuf].u.p = a;
  return KV_OK;
}

int kvFaceValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr){
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:
      return kvTreeAdd(pTree, KV_NULL)==KV_NO_NODE
          ? kvErrSet(pErr, KV_NOMEM, -1, "out of memory") : KV_OK;
    case SQLITE_INTEGER: {
      i64 v = sqlite3_value_int64(pVal);
      if( v>9007199254740991LL || v<-9007199254740991LL ){
        return kvErrSet(pErr, KV_REFUSED, -1,
            "integer is beyond 2^53-1, which a JavaScript number can't hold exactly; "
            "use kv_bigint() for a bigint");
      }
      return faceNumberNode(pTree, (double)v, pErr);
    }
    case SQLITE_FLOAT:
      return faceNumberNode(pTree, sqlite3_value_double(pVal), pErr);
    case SQLITE_BLOB: {
      const u8 *a = sqlite3_value_blob(pVal);
      if( kvFaceIsRaw(pVal) ) return kvFaceRaw(a, (u32)sqlite3_value_bytes(pVal), pTree, pErr);
      return faceBytesNode(pTree, a, (u32)sqlite3_value_bytes(pVal), pErr);
    }
    default: {
      unsigned eSubtype = sqlite3_value_subtype(pVal);
      const char *z = (const char*)sqlite3_value_text(pVal);
      u32 n = (u32)sqlite3_value_bytes(pVal);
      if( z==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
      if( eSubtype==KV_SUBTYPE_JS ) return kvJsParse(pTree, kvBytes(z, n), pErr);
      if( eSubtype==KV_SUBTYPE_JSON ) return kvJsonParse(pTree, kvBytes(z, n), pErr);
      return faceStringNode(pTree, (const u8*)z, n, pErr);
    }
  }
}

int kvFaceIsTyped(sqlite3_value *pVal){
  unsigned eSubtype;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ) return kvFaceIsRaw(pVal);
  eSubtype = sqlite3_value_subtype(pVal);
  return eSubtype==KV_SUBTYPE_JS || eSubtype==KV_SUBTYPE_JSON;
}

int kvFaceNewValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr){
  i64 v = sqlite3_value_type(pVal)==SQLITE_INTEGER ? sqlite3_value_int64(pVal) : 0;
  KvNode *pNode;
  u8 *a;
  u32 i;
  if( v<=9007199254740991LL && v>=-9007199254740991LL ) return kvFaceValue(pVal, pTree, pErr);
  i = kvTreeAdd(pTree, KV_BIGINT);
  a = i==KV_NO_NODE ? 0 : kvTreeSpace(pTree, 8);
  if( a==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  kvPut64le(a, v<0 ? 0-(u64)v : (u64)v);
  pNode = &pTree->aNode[i];
  pNode->eSub = v<0;
  pNode->u.p = a;
  pNode->n = 8;
  while( pNode->u.p[pNode->n-1]==0 ) pNode->n--;
  return KV_OK;
}

int kvFaceCopyText(sqlite3_value *pVal, KvBuf *pOut){
  const unsigned char *z = sqlite3_value_text(pVal);
  if( z==0 ) return KV_NOMEM;
  kvBufAppend(pOut, z, (u64)sqlite3_value_bytes(pVal));
  return pOut->eErr==KV_OK ? KV_OK : KV_NOMEM;
}

int kvFaceKey(sqlite3_value *pVal, int mFlags, KvBuf *pOut, int *pbStamp, KvErr *pErr){
  const char *z;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    return kvErrSet(pErr, KV_SYNTAX, -1, "the key is NULL; a key is an array such as [\"users\",42]");
  }
  if( sqlite3_value_type(pVal)==SQLITE_BLOB ){
    return kvErrSet(pErr, KV_SYNTAX, -1,
        "a key must be text such as [\"users\",42]; kv_key_decode() makes it from stored bytes");
  }
  z = (const char*)sqlite3_value_text(pVal);
  if( z==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  return kvKeyParse(z, (u32)sqlite3_value_bytes(pVal), mFlags, pOut, pbStamp, pErr);
}

int kvFaceIsRaw(sqlite3_value *pVal){
  return sqlite3_value_subtype(pVal)==KV_SUBTYPE_RAW && sqlite3_value_type(pVal)==SQLITE_BLOB;
}

int kvFaceRaw(const u8 *a, u32 n, KvTree *pTree, KvErr *pErr){
  int rc;
  if( n==0 ) return kvErrSet(pErr, KV_CORRUPT, 0, "raw value is empty; it begins with a byte of encoding");
  rc = kvValueRead(pTree, a[0], kvBytes(a+1, n-1), pErr);
  if( rc!=KV_OK && pErr && pErr->iPos>=0 ) pErr->iPos++;
  return rc;
}

int kvFaceColumnBytes(sqlite3_stmt *pStmt, int iCol, const u8 **pa, u32 *pn){
  sqlite3_value *pVal = sqlite3_column_value(pStmt, iCol);
  if( sqlite3_value_type(pVal)!=SQLITE_BLOB ) return 0;
  *pa = sqlite3_value_blob(pVal);
  *pn = (u32)sqlite3_value_bytes(pVal);
  return 1;
}

int kvFaceReadValue(sqlite3_value *pVal, int eEncoding, KvTree *pTree, KvErr *pErr){
  const u8 *a;
  kvTreeReset(pTree);
  if( sqlite3_value_type(pVal)!=SQLITE_BLOB ){
    return kvErrSet(pErr, KV_CORRUPT, -1, "the stored value is not a BLOB");
  }
  a = sqlite3_value_blob(pVal);
  return kvValueRead(pTree, eEncoding, kvBytes(a, (u32)sqlite3_value_bytes(pVal)), pErr);
}

int kvFaceReadColumn(sqlite3_stmt *pStmt, int iCol, int eEncoding, KvTree *pTree, KvErr *pErr){
  return kvFaceReadValue(sqlite3_column_value(pStmt, iCol), eEncoding, pTree, pErr);
}

int kvFaceValueAs(sqlite3_context *ctx, KvTree *pTree, int eAs, KvBuf *pWork, KvErr *pErr){
  char zBuf[64];
  int rc = KV_OK;
  kvBufReset(pWork);
  switch( eAs ){
    case KV_AS_VALUE:
      kvFaceNode(ctx, pTree, 0, -1);
      break;
    case KV_AS_TYPE:
      sqlite3_result_text(ctx, kvTypeName(pTree, 0, zBuf), -1, SQLITE_TRANSIENT);
      break;
    case KV_AS_JS:
      rc = kvJsPrint(pTree, 0, pWork, pErr);
      if( rc!=KV_OK ) break;
      kvFaceText(ctx, pWork);
      sqlite3_result_subtype(ctx, KV_SUBTYPE_JS);
      break;
    default:
      rc = kvJsonPrint(pTree, 0, pWork, pErr);
      if( rc!=KV_OK || pWork->n==0 ) break;        /* nothing: undefined */
      kvFaceText(ctx, pWork);
      sqlite3_result_subtype(ctx, KV_SUBTYPE_JSON);
  }
  return rc;
}

int kvFacePlain(sqlite3_context *ctx, int eEncoding, const u8 *a, u32 n, int eAs, KvBuf *pWork){
  const char *zType;
  kvBufReset(pWork);
  if( eEncoding!=1 || n<3 ) return 0;
  switch( eAs ){
    case KV_AS_TYPE:
      zType = kvPlainType(kvBytes(a, n));
      if( zType==0 ) return 0;
      sqlite3_result_text(ctx, zType, -1, SQLITE_STATIC);
      return 1;
    case KV_AS_VALUE:
      if( a[2]!='o' && a[2]!='A' ) return 0;     /* what isn't shown as JSON */
      break;
    default: break;
  }
  if( !kvPlainPrint(kvBytes(a, n), eAs==KV_AS_JS, pWork) ) return 0;
  if( pWork->n ){                                /* nothing: undefined */
    kvFaceText(ctx, pWork);
    sqlite3_result_subtype(ctx, eAs==KV_AS_JS ? KV_SUBTYPE_JS : KV_SUBTYPE_JSON);
  }
  return 1;
}

int kvFacePlainColumn(
  sqlite3_context *ctx, sqlite3_stmt *pStmt, int iCol, int eEncoding, int eAs, KvBuf *pWork
){
  const u8 *a;
  u32 n;
  if( eEncoding!=1 || !kvFaceColumnBytes(pStmt, iCol, &a, &n) ) return 0;
  return kvFacePlain(ctx, 1, a, n, eAs, pWork);
}

int kvFaceExtract(
  sqlite3_context *ctx, int eEncoding, const u8 *a, u32 n, KvTree *pTree,
  sqlite3_value *pPath, KvErr *pErr
){
  const char *z = (const char*)sqlite3_value_text(pPath);
  u32 nPath = (u32)sqlite3_value_bytes(pPath);
  u32 iNode = 0, iAt = 0;
  i64 iElem = -1;
  KvNode leaf;
  KvTree one;
  int rc, e = KV_PLAIN_NOT;
  if( z==0 ){
    sqlite3_result_error_nomem(ctx);
    return KV_OK;
  }
  if( eEncoding==1 ) e = kvPlainFind(kvBytes(a, n), kvBytes(z, nPath), &iAt);
  if( e==KV_PLAIN_NONE ) return KV_OK;
  if( e==KV_PLAIN_FOUND && kvPlainLeaf(kvBytes(a, n), iAt, &leaf) ){
    one.aNode = &leaf;
    kvFaceNode(ctx, &one, 0, -1);
    return KV_OK;
  }
  kvTreeReset(pTree);
  if( e==KV_PLAIN_FOUND ){
    rc = kvV8ReadAt(pTree, kvBytes(a, n), iAt, pErr);
    if( rc!=KV_OK ) return rc;
  }else{
    KvErr err;
    rc = kvValueRead(pTree, eEncoding, kvBytes(a, n), pErr);
    if( rc!=KV_OK ) return rc;
    rc = kvPathFind(pTree, kvBytes(z, nPath), &iNode, &iElem, &err);
    if( rc!=KV_OK ){
      kvFaceError(ctx, "path", &err);
      return KV_OK;
    }
  }
  if( iNode!=KV_NO_NODE ) kvFaceNode(ctx, pTree, iNode, iElem);
  return KV_OK;
}

void kvFaceRawColumn(sqlite3_context *ctx, sqlite3_stmt *pStmt, int iCol, int eEncoding, KvBuf *pWork){
  const void *a = sqlite3_column_blob(pStmt, iCol);
  kvBufReset(pWork);
  /* 0 stands for what no byte can hold: it isn't an encoding either */
  kvBufPut(pWork, eEncoding>=0 && eEncoding<=255 ? (u8)eEncoding : 0);
  kvBufAppend(pWork, a, (u64)sqlite3_column_bytes(pStmt, iCol));
  kvFaceRawResult(ctx, pWork);
}

void kvFaceVersionstamp(sqlite3_context *ctx, i64 iVersion){
  char z[KV_STAMP_DIGITS+1];
  kvStampPrint(iVersion, z);
  z[KV_STAMP_DIGITS] = 0;
  sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
}
