/*
** update_value.c -- what an UPDATE stores in the place of a value.  See
** update_value.h.
**
** A multi-row UPDATE takes its values from a temporary table, in which they
** are plain SQL values, whatever they were before.  So an UPDATE relies on what
** is stored: that makes a Date of the text of a Date, and keeps all that is
** assigned to itself.
*/
#include "sql/entries/update_value.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/subtype.h"
#include "sql/mark.h"
#include "codec/json/json_merge.h"
#include "codec/json/json_print.h"
#include "codec/names.h"
#include "codec/v8/text_to_v8.h"
#include "codec/edit/retype.h"
#include "codec/stored.h"
#include "codec/view.h"
#include "codec/num/num.h"
#include "codec/num/bigint.h"

/* One value of one UPDATE, and what comes of it. */
typedef struct UpdateValue UpdateValue;
struct UpdateValue {
  const KvUpdate *pIn;
  sqlite3_value *pVal;    /* What it is SET to */
  KvTree old;             /* What is stored */
  KvTree tree;            /* The new value */
  KvBuf text;             /* Work space */
  KvBuf *pOut;
  int *peEncoding;
  KvError *pError;
};

/* ---- what is shown -------------------------------------------------------- */

/* True if an SQL value is a text, and the one in p->text. */
static int updateIsText(UpdateValue *p){
  KvBytes text;
  if( sqlite3_value_type(p->pVal)!=SQLITE_TEXT ) return 0;
  text = kvArgName(p->pVal, p->pError);
  kvErrorBuf(p->pError, &p->text);
  return !kvFailed(p->pError) && kvBytesEqual(text, kvBufBytes(&p->text));
}

/* True if an SQL value is this number: every bit of it. */
static int updateIsNumber(sqlite3_value *pVal, double r){
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:    return r!=r;
    case SQLITE_INTEGER: return (double)sqlite3_value_int64(pVal)==r && kvIsSafeInteger(r)
                             && kvDoubleToBits(r)!=(u64)1<<63;
    case SQLITE_FLOAT:   return kvDoubleToBits(sqlite3_value_double(pVal))==kvDoubleToBits(r);
    default:             return 0;
  }
}

/* True if an SQL value is what a bigint or KvU64 is shown as. */
static int updateIsBig(UpdateValue *p, u32 iNode){
  const KvNode *pNode = &p->old.aNode[iNode];
  i64 v = (i64)pNode->u.u;
  if( pNode->eKind==KV_U64 ? v>=0 : kvBigInt64(pNode->eSub, kvNodeBytes(pNode), &v) ){
    return sqlite3_value_type(p->pVal)==SQLITE_INTEGER && sqlite3_value_int64(p->pVal)==v;
  }
  kvResultNodeText(&p->text, &p->old, iNode);
  return updateIsText(p);
}

static int updateIsBytes(UpdateValue *p, u32 iNode){
  const KvNode *pNode = &p->old.aNode[iNode];
  KvBytes shown = pNode->eKind==KV_VIEW ? kvViewBytes(&p->old, iNode) : kvNodeBytes(pNode);
  if( sqlite3_value_type(p->pVal)!=SQLITE_BLOB ) return 0;
  return kvBytesEqual(shown, kvArgBlob(p->pVal));
}

/* True if an SQL value is what the column json, or value, shows. */
static int updateIsShown(UpdateValue *p, int bJson){
  u32 i = kvDeref(&p->old, 0);
  const KvNode *pNode = &p->old.aNode[i];
  int bNull = sqlite3_value_type(p->pVal)==SQLITE_NULL;
  kvBufReset(&p->text);
  if( !bJson ){
    switch( pNode->eKind ){
      case KV_UNDEFINED: case KV_NULL: return bNull;
      case KV_BOOL:   return sqlite3_value_type(p->pVal)==SQLITE_INTEGER
                          && sqlite3_value_int64(p->pVal)==(pNode->n!=0);
      case KV_NUMBER: return updateIsNumber(p->pVal, pNode->u.r);
      case KV_BIGINT: case KV_U64: return updateIsBig(p, i);
      case KV_STRING: case KV_REGEXP: case KV_DATE:
        if( pNode->eKind==KV_DATE && pNode->u.r!=pNode->u.r ) return bNull;
        kvResultNodeText(&p->text, &p->old, i);
        return updateIsText(p);
      case KV_BUFFER: return updateIsBytes(p, i);
      case KV_VIEW:
        if( pNode->eSub==KV_VIEW_U8 ) return updateIsBytes(p, i);
        break;
      default: break;
    }
  }
  if( bNull ) return pNode->eKind==KV_UNDEFINED;
  if( sqlite3_value_type(p->pVal)!=SQLITE_TEXT ) return 0;
  switch( kvJsonPrint(&p->old, 0, &p->text, 0) ){
    case KV_OK:     return updateIsText(p);
    case KV_NOMEM:  kvErrorCode(p->pError, SQLITE_NOMEM);  break;
    default:        break;
  }
  return 0;
}

/* ---- plain SQL values ------------------------------------------------------ */

/* "true" or "false" in the place of a boolean: whatever it was before it lost its
** mark, it meant that boolean. */
static int updateIsBoolText(UpdateValue *p){
  const char *z;
  if( p->old.aNode[kvDeref(&p->old, 0)].eKind!=KV_BOOL ) return 0;
  if( sqlite3_value_type(p->pVal)!=SQLITE_TEXT ) return 0;
  z = (const char*)sqlite3_value_text(p->pVal);
  return z && (strcmp(z, "true")==0 || strcmp(z, "false")==0);
}

static void updateFailed(UpdateValue *p, const KvErr *pErr){
  KvBuf text;
  if( pErr->eCode==KV_NOMEM || pErr->eCode==KV_TOOBIG ){
    kvErrorCodec(p->pError, "", pErr);
    return;
  }
  kvBufInit(&text, 0, 0);
  kvError(p->pError, SQLITE_ERROR,
      "kv: value of the key %s: %s; or set one of the columns js, json and raw",
      kvErrorKey(p->pError, p->pIn->key, &text), pErr->zMsg);
  kvBufClear(&text);
}

/* An SQL value without a subtype. */
static void updatePlain(UpdateValue *p){
  KvErr err;
  int rc;
  if( !updateIsBoolText(p) ) kvMarkCheck(p->pIn->pConn, p->pVal, &kvForValue, p->pError);
  if( kvFailed(p->pError) ) return;
  rc = kvArgNewValue(p->pVal, &p->tree, &err);
  if( rc==KV_OK ) rc = kvRetype(&p->old, 0, &p->tree, 0, &err);
  if( rc==KV_OK ) rc = kvValueWrite(&p->tree, p->pIn->pConn->iV8Version, 0, p->pOut,
      p->peEncoding, &err);
  if( rc!=KV_OK ) updateFailed(p, &err);
}

/* ---- JSON ------------------------------------------------------------------ */

/* "a Date", "an Array", "null" */
static const char *updateArticle(const char *zType){
  if( strcmp(zType, "null")==0 || strcmp(zType, "undefined")==0 ) return "";
  return strchr("AEIO", zType[0]) ? "an " : "a ";
}

/* The type of part iPart, with its path in p->text, would be lost. */
static void updateRefused(UpdateValue *p, u32 iPart, const KvErr *pErr){
  char aName[64];
  const char *zType = kvTypeName(&p->old, iPart, aName);
  KvBuf key;
  kvBufInit(&key, 0, 0);
  kvBufTerminate(&p->text);
  kvErrorBuf(p->pError, &p->text);
  kvError(p->pError, SQLITE_ERROR,
      "kv: json of the key %s: the part %!.100s is %s%s %s; change it with "
      "kv_value_set(), or write the whole value to the column js",
      kvErrorKey(p->pError, p->pIn->key, &key),
      (const char*)p->text.a, updateArticle(zType), zType, pErr->zMsg);
  kvBufClear(&key);
}

/* What is stored stays. */
static void updateKeep(UpdateValue *p){
  kvBufAdd(p->pOut, kvBufBytes(&p->pIn->pOld->v));
  *p->peEncoding = p->pIn->pOld->eEncoding;
}

/* JSON text is assigned: parts with unchanged JSON keep their types. */
static void updateJson(UpdateValue *p){
  int iV8Version = p->pIn->pConn->iV8Version;
  KvBytes json = kvArgName(p->pVal, p->pError);
  KvErr err;
  u32 iPart = 0;
  int bSame = 0, rc;
  *p->peEncoding = 1;
  if( json.p==0 ) return;
  if( kvJsonHolds(&p->old) && kvTextToV8(json, 1, iV8Version, p->pOut) ) return;
  kvBufReset(&p->text);
  rc = kvJsonMerge(&p->old, json, &p->tree, &bSame, &iPart, &p->text, &err);
  if( rc==KV_OK && bSame ){
    updateKeep(p);
    return;
  }
  if( rc==KV_OK ) rc = kvValueWrite(&p->tree, iV8Version, 0, p->pOut, p->peEncoding, &err);
  else if( rc==KV_REFUSED ) updateRefused(p, iPart, &err);
  if( rc!=KV_OK ) kvErrorCodec(p->pError, "json", &err);
}

/* ---- all of them ----------------------------------------------------------- */

/* With the tree of what is stored. */
static void updateTyped(UpdateValue *p, int bJson){
  int eKind = p->old.aNode[kvDeref(&p->old, 0)].eKind;
  if( updateIsShown(p, bJson) ){
    /* Not if it is '[1]' in the place of the string "[1]", say, and may have been
    ** the array */
    if( !bJson ) kvMarkCheckShown(p->pIn->pConn, p->pVal, eKind!=KV_STRING, p->pError);
    updateKeep(p);
    kvErrorBuf(p->pError, p->pOut);
    return;
  }
  if( kvFailed(p->pError) ) return;
  if( bJson && sqlite3_value_type(p->pVal)!=SQLITE_NULL ) updateJson(p);
  else updatePlain(p);
  kvArgValueLimit(p->pIn->pConn, p->pOut, p->pError);
}

int kvUpdateIsTyped(sqlite3_value *pVal, int eAs){
  if( eAs==KV_AS_JSON ) return sqlite3_value_type(pVal)==SQLITE_BLOB;   /* an error */
  return eAs!=KV_AS_VALUE || sqlite3_value_subtype(pVal)==KV_SUBTYPE_JS || kvArgIsRaw(pVal);
}

void kvUpdateValue(const KvUpdate *pIn, KvBuf *pOut, int *peEncoding, KvError *pError){
  int bJson = pIn->eAs==KV_AS_JSON || sqlite3_value_subtype(pIn->pVal)==KV_SUBTYPE_JSON;
  UpdateValue v;
  u8 aText[512];
  int rc;
  if( kvFailed(pError) ) return;
  memset(&v, 0, sizeof(v));
  v.pIn = pIn;
  v.pVal = pIn->pVal;
  v.pOut = pOut;
  v.peEncoding = peEncoding;
  v.pError = pError;
  kvTreeInit(&v.old);
  kvTreeInit(&v.tree);
  kvBufInit(&v.text, aText, sizeof(aText));
  rc = kvValueRead(&v.old, pIn->pOld->eEncoding, kvBufBytes(&pIn->pOld->v), 0);
  /* Anything repairs a malformed one */
  if( rc==KV_OK ) updateTyped(&v, bJson);
  else if( rc==KV_NOMEM ) kvErrorCode(pError, SQLITE_NOMEM);
  else kvArgWriteValue(pIn->pConn, pIn->pVal, pIn->eAs, pOut, peEncoding, pError);
  kvTreeClear(&v.old);
  kvTreeClear(&v.tree);
  kvBufClear(&v.text);
}
