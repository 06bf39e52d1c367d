/*
** result.c -- results of SQL functions and columns.  See result.h.
*/
#include "sql/result.h"
#include "sql/args.h"
#include "sql/subtype.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/path.h"
#include "codec/stored.h"
#include "codec/v8/v8_find.h"
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_to_text.h"
#include "codec/view.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/versionstamp.h"
#include "codec/num/bigint.h"

void kvResultError(sqlite3_context *ctx, int rc, char *zErr){
  if( rc==SQLITE_TOOBIG && zErr==0 ){
    sqlite3_result_error_toobig(ctx);
  }else if( rc==SQLITE_NOMEM || zErr==0 ){
    sqlite3_result_error_nomem(ctx);
  }else{
    sqlite3_result_error(ctx, zErr, -1);
    sqlite3_result_error_code(ctx, rc);
  }
  sqlite3_free(zErr);
}

void kvResultTake(sqlite3_context *ctx, KvError *pError){
  char *zErr = 0;
  int rc = kvErrorTake(pError, &zErr);
  kvResultError(ctx, rc, zErr);
}

void kvResultCodecError(sqlite3_context *ctx, const char *zWhat, const KvErr *pErr){
  KvError error = { SQLITE_OK, 0 };
  kvErrorCodec(&error, zWhat, pErr);
  kvResultTake(ctx, &error);
}

/* The builder of p failed. */
static void resultBufError(sqlite3_context *ctx, const KvBuf *p){
  if( p->eErr==KV_NOMEM ) sqlite3_result_error_nomem(ctx);
  else sqlite3_result_error_toobig(ctx);
}

/*
** A text whose length is given has no zero byte after it in SQLite's copy.
** sqlite3_column_text(), which most programs call, would add one by taking
** new memory for each row; so the length is given only if it has to be.
*/
void kvResultText(sqlite3_context *ctx, KvBuf *p){
  if( kvBufTerminate(p)!=KV_OK ){
    resultBufError(ctx, p);
  }else if( p->n && memchr(p->a, 0, p->n)!=0 ){
    sqlite3_result_text64(ctx, (const char*)p->a, p->n, SQLITE_TRANSIENT, SQLITE_UTF8);
  }else{
    sqlite3_result_text(ctx, (const char*)p->a, -1, SQLITE_TRANSIENT);
  }
}

void kvResultBlob(sqlite3_context *ctx, KvBuf *p){
  if( p->eErr!=KV_OK ){
    resultBufError(ctx, p);
  }else{
    sqlite3_result_blob64(ctx, p->n ? (const void*)p->a : "", p->n, SQLITE_TRANSIENT);
  }
}

void kvResultRaw(sqlite3_context *ctx, KvBuf *p){
  kvResultBlob(ctx, p);
  if( p->eErr==KV_OK ) sqlite3_result_subtype(ctx, KV_SUBTYPE_RAW);
}

void kvResultTyped(sqlite3_context *ctx, KvBuf *p, unsigned eSubtype){
  kvResultText(ctx, p);
  if( p->eErr==KV_OK ) sqlite3_result_subtype(ctx, eSubtype);
}

void kvResultNumber(sqlite3_context *ctx, double r){
  if( r>=-9007199254740991.0 && r<=9007199254740991.0
   && r==(double)(i64)r && kvDoubleToBits(r)!=0x8000000000000000ull
  ){
    sqlite3_result_int64(ctx, (i64)r);
  }else{
    sqlite3_result_double(ctx, r);     /* NaN becomes NULL */
  }
}

/* The bytes of a Uint8Array or ArrayBuffer. */
static void resultBytes(sqlite3_context *ctx, KvTree *pTree, u32 iNode, const KvNode *p){
  KvBytes bytes = p->eKind==KV_VIEW ? kvViewBytes(pTree, iNode) : kvNodeBytes(p);
  sqlite3_result_blob64(ctx, bytes.n ? (const void*)bytes.p : "", bytes.n, SQLITE_TRANSIENT);
}

/* Everything that has no SQL type of its own: JSON, marked as such. */
static void resultJson(sqlite3_context *ctx, KvTree *pTree, u32 iNode){
  KvBuf text;
  u8 aSpace[512];
  KvErr err;
  int rc;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  rc = kvJsonPrint(pTree, iNode, &text, &err);
  if( rc==KV_OK ) kvResultTyped(ctx, &text, KV_SUBTYPE_JSON);
  else kvResultCodecError(ctx, "", &err);
  kvBufClear(&text);
}

/* The text of a node; an element of a view is none of the tree's. */
static void resultNodeText(KvBuf *pOut, const KvTree *pTree, const KvNode *p){
  u8 aMag[8];
  char zFlags[16];
  switch( p->eKind ){
    case KV_STRING:
      kvUtfAppend(pOut, p->eSub, kvNodeBytes(p), 0);
      break;
    case KV_DATE:
      kvDatePrint(p->u.r, pOut);
      break;
    case KV_BIGINT:
      if( p->eSub ) kvBufPut(pOut, '-');
      kvBigPrint(pOut, kvNodeBytes(p));
      break;
    case KV_U64:
      kvBigPrint(pOut, kvBigMagnitude(p->u.u, aMag));
      break;
    default:
      kvRegexpFlags(p->n, zFlags);
      kvBufPut(pOut, '/');
      resultNodeText(pOut, pTree, &pTree->aNode[p->iChild]);
      kvBufPut(pOut, '/');
      kvBufText(pOut, zFlags);
  }
}

void kvResultNodeText(KvBuf *pOut, const KvTree *pTree, u32 iNode){
  resultNodeText(pOut, pTree, &pTree->aNode[iNode]);
}

/* The same as a result. */
static void resultText(sqlite3_context *ctx, const KvTree *pTree, const KvNode *p){
  KvBuf text;
  u8 aSpace[256];
  kvBufInit(&text, aSpace, sizeof(aSpace));
  resultNodeText(&text, pTree, p);
  kvResultText(ctx, &text);
  kvBufClear(&text);
}

/* A long string that is as it is in the tree, and may be one of many in a scan. */
static int resultAscii(sqlite3_context *ctx, const KvNode *p){
  if( p->n<256 || p->eSub==KV_UTF16 || kvAsciiSpan(kvNodeBytes(p))!=p->n ) return 0;
  sqlite3_result_text64(ctx, (const char*)p->u.p, p->n, SQLITE_TRANSIENT, SQLITE_UTF8);
  return 1;
}

/* A bigint or KvU64: INTEGER if it fits, else its digits. */
static void resultBigint(sqlite3_context *ctx, const KvTree *pTree, const KvNode *p){
  i64 v = (i64)p->u.u;
  int bFits = p->eKind==KV_U64 ? v>=0 : kvBigInt64(p->eSub, kvNodeBytes(p), &v);
  if( bFits ) sqlite3_result_int64(ctx, v);
  else resultText(ctx, pTree, p);
}

void kvResultNode(sqlite3_context *ctx, KvTree *pTree, u32 iNode, i64 iElem){
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
    case KV_BOOL:   sqlite3_result_int(ctx, p->n!=0);      break;
    case KV_NUMBER: kvResultNumber(ctx, p->u.r);           break;
    case KV_BIGINT: case KV_U64: resultBigint(ctx, pTree, p); break;
    case KV_STRING: if( !resultAscii(ctx, p) ) resultText(ctx, pTree, p); break;
    case KV_REGEXP: resultText(ctx, pTree, p);             break;
    case KV_DATE:   if( p->u.r==p->u.r ) resultText(ctx, pTree, p); break;
    case KV_BUFFER: resultBytes(ctx, pTree, iNode, p);     break;
    case KV_VIEW:
      if( p->eSub==KV_VIEW_U8 ){
        resultBytes(ctx, pTree, iNode, p);
        break;
      }
      /* fall through */
    default:        resultJson(ctx, pTree, iNode);
  }
}

int kvResultValueAs(sqlite3_context *ctx, KvTree *pTree, int eAs, KvBuf *pWork, KvErr *pErr){
  char zBuf[64];
  int rc = KV_OK;
  kvBufReset(pWork);
  switch( eAs ){
    case KV_AS_VALUE:
      kvResultNode(ctx, pTree, 0, -1);
      break;
    case KV_AS_TYPE:
      sqlite3_result_text(ctx, kvTypeName(pTree, 0, zBuf), -1, SQLITE_TRANSIENT);
      break;
    case KV_AS_JS:
      rc = kvJsPrint(pTree, 0, pWork, pErr);
      if( rc==KV_OK ) kvResultTyped(ctx, pWork, KV_SUBTYPE_JS);
      break;
    default:
      rc = kvJsonPrint(pTree, 0, pWork, pErr);
      /* nothing: undefined */
      if( rc==KV_OK && pWork->n ) kvResultTyped(ctx, pWork, KV_SUBTYPE_JSON);
  }
  return rc;
}

int kvResultPlain(sqlite3_context *ctx, int eEncoding, KvBytes value, int eAs, KvBuf *pWork){
  kvBufReset(pWork);
  if( eEncoding!=1 || (eAs==KV_AS_VALUE && !kvV8IsJson(value)) ) return 0;
  if( eAs==KV_AS_TYPE ){
    const char *zType = kvV8Type(value);
    if( zType ) sqlite3_result_text(ctx, zType, -1, SQLITE_STATIC);
    return zType!=0;
  }
  if( !kvV8ToText(value, eAs==KV_AS_JS, pWork) ) return 0;
  /* nothing: undefined */
  if( pWork->n ) kvResultTyped(ctx, pWork, eAs==KV_AS_JS ? KV_SUBTYPE_JS : KV_SUBTYPE_JSON);
  return 1;
}

int kvResultExtract(
  sqlite3_context *ctx, int eEncoding, KvBytes value, KvTree *pTree,
  sqlite3_value *pPath, KvErr *pErr
){
  KvBytes path = kvArgText(pPath);
  u32 iNode = 0, iAt = 0;
  i64 iElem = -1;
  KvNode leaf;
  KvTree one;
  int rc, e = KV_PLAIN_NOT;
  if( path.p==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  if( eEncoding==1 ) e = kvV8Find(value, path, &iAt);
  if( e==KV_PLAIN_NONE ) return KV_OK;
  if( e==KV_PLAIN_FOUND && kvV8FindLeaf(value, iAt, &leaf) ){
    one.aNode = &leaf;
    kvResultNode(ctx, &one, 0, -1);
    return KV_OK;
  }
  kvTreeReset(pTree);
  if( e==KV_PLAIN_FOUND ){
    rc = kvV8ReadAt(pTree, value, iAt, pErr);
    if( rc!=KV_OK ) return rc;
  }else{
    KvErr err;
    rc = kvValueRead(pTree, eEncoding, value, pErr);
    if( rc!=KV_OK ) return rc;
    rc = kvPathFind(pTree, path, &iNode, &iElem, &err);
    if( rc!=KV_OK ){
      kvResultCodecError(ctx, "path", &err);
      return KV_OK;
    }
  }
  if( iNode!=KV_NO_NODE ) kvResultNode(ctx, pTree, iNode, iElem);
  return KV_OK;
}

/* The subtype of a part whose type the SQL value doesn't show, or 0. */
static unsigned resultPartSubtype(const KvPart *pPart){
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
  unsigned eSubtype = resultPartSubtype(pPart);
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
  if( eSubtype && text.eErr==KV_OK ) sqlite3_result_subtype(ctx, eSubtype);
  kvBufClear(&text);
}

void kvResultVersionstamp(sqlite3_context *ctx, i64 iVersion){
  char z[KV_VERSIONSTAMP_TEXT+1];
  kvVersionstampPrint(iVersion, z);
  z[KV_VERSIONSTAMP_TEXT] = 0;
  sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
}
