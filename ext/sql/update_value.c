/*
** update_value.c -- what an UPDATE stores in the place of a value.  See
** update_value.h.
**
** A multi-row UPDATE takes its values from a temporary table, in which they
** are plain SQL values, whatever they were before.  So an UPDATE goes by what
** is stored: that makes a Date of the text of a Date, and keeps all that is
** assigned to itself.
*/
#include "sql/update_value.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/result.h"
#include "sql/subtype.h"
#include "sql/mark.h"
#include "sql/func_merge.h"
#include "codec/json/json_print.h"
#include "codec/edit/retype.h"
#include "codec/stored.h"
#include "codec/view.h"
#include "codec/key/key_print.h"
#include "codec/num/bigint.h"

/* One value of one UPDATE. */
typedef struct UpdValue UpdValue;
struct UpdValue {
  KvConn *pConn;
  const u8 *aKey;         /* Key of the entry */
  u32 nKey;
  const KvFound *pOld;    /* What is stored, */
  KvTree old;             /* ... and its tree */
  sqlite3_value *pVal;    /* What it is SET to */
  KvTree tree;            /* The new value */
  KvBuf text;             /* Work space */
};

/* ---- what is shown -------------------------------------------------------- */

/* True if an SQL value is a text, and the one in p->text. */
static int updIsText(UpdValue *p, int *pRc){
  const u8 *z;
  if( sqlite3_value_type(p->pVal)!=SQLITE_TEXT ) return 0;
  z = sqlite3_value_text(p->pVal);
  if( z==0 || p->text.eErr!=KV_OK ) *pRc = SQLITE_NOMEM;
  return *pRc==SQLITE_OK && (u32)sqlite3_value_bytes(p->pVal)==p->text.n
      && (p->text.n==0 || memcmp(z, p->text.a, p->text.n)==0);
}

/* True if an SQL value is this number: every bit of it. */
static int updIsNumber(sqlite3_value *pVal, double r){
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:    return r!=r;
    case SQLITE_INTEGER: return (double)sqlite3_value_int64(pVal)==r && kvDoubleToBits(r)!=(u64)1<<63
                             && r>=-9007199254740991.0 && r<=9007199254740991.0;
    case SQLITE_FLOAT:   return kvDoubleToBits(sqlite3_value_double(pVal))==kvDoubleToBits(r);
    default:             return 0;
  }
}

/* True if an SQL value is what a bigint or KvU64 is shown as. */
static int updIsBig(UpdValue *p, const KvNode *pNode, int *pRc){
  u8 a[8];
  i64 v;
  const u8 *aMag = pNode->eKind==KV_U64 ? a : pNode->u.p;
  u32 nMag = pNode->eKind==KV_U64 ? 8 : pNode->n;
  int bNeg = pNode->eKind==KV_BIGINT && pNode->eSub;
  if( pNode->eKind==KV_U64 ) kvPut64le(a, pNode->u.u);
  while( nMag>0 && aMag[nMag-1]==0 ) nMag--;
  if( kvBigInt64(bNeg, kvBytes(aMag, nMag), &v) ){
    return sqlite3_value_type(p->pVal)==SQLITE_INTEGER && sqlite3_value_int64(p->pVal)==v;
  }
  if( bNeg ) kvBufPut(&p->text, '-');
  kvBigPrint(&p->text, kvBytes(aMag, nMag));
  return updIsText(p, pRc);
}

static int updIsBytes(UpdValue *p, u32 iNode){
  const KvNode *pNode = &p->old.aNode[iNode];
  KvBytes shown = pNode->eKind==KV_VIEW ? kvViewBytes(&p->old, iNode) : kvNodeBytes(pNode);
  if( sqlite3_value_type(p->pVal)!=SQLITE_BLOB ) return 0;
  return kvBytesEqual(shown,
      kvBytes(sqlite3_value_blob(p->pVal), (u32)sqlite3_value_bytes(p->pVal)));
}

/* True if an SQL value is what the column json, or value, shows. */
static int updIsShown(UpdValue *p, int bJson, int *pRc){
  u32 i = kvDeref(&p->old, 0);
  const KvNode *pNode = &p->old.aNode[i];
  int bNull = sqlite3_value_type(p->pVal)==SQLITE_NULL;
  kvBufReset(&p->text);
  if( !bJson ){
    switch( pNode->eKind ){
      case KV_UNDEFINED: case KV_NULL: return bNull;
      case KV_BOOL:   return sqlite3_value_type(p->pVal)==SQLITE_INTEGER
                          && sqlite3_value_int64(p->pVal)==(pNode->n!=0);
      case KV_NUMBER: return updIsNumber(p->pVal, pNode->u.r);
      case KV_BIGINT: case KV_U64: return updIsBig(p, pNode, pRc);
      case KV_STRING: case KV_REGEXP:
        kvResultNodeText(&p->text, &p->old, i);
        return updIsText(p, pRc);
      case KV_DATE:
        if( pNode->u.r!=pNode->u.r ) return bNull;
        kvResultNodeText(&p->text, &p->old, i);
        return updIsText(p, pRc);
      case KV_BUFFER: return updIsBytes(p, i);
      case KV_VIEW:
        if( pNode->eSub==KV_VIEW_U8 ) return updIsBytes(p, i);
        break;
      default: break;
    }
  }
  if( bNull ) return pNode->eKind==KV_UNDEFINED;
  if( sqlite3_value_type(p->pVal)!=SQLITE_TEXT ) return 0;
  switch( kvJsonPrint(&p->old, 0, &p->text, 0) ){
    case KV_OK:     return updIsText(p, pRc);
    case KV_NOMEM:  *pRc = SQLITE_NOMEM;  break;
    default:        break;
  }
  return 0;
}

/* ---- plain SQL values ------------------------------------------------------ */

/* "true" or "false" in the place of a boolean: whatever it was before it lost its
** mark, it meant that boolean. */
static int updIsBoolText(UpdValue *p){
  const char *z;
  if( p->old.aNode[kvDeref(&p->old, 0)].eKind!=KV_BOOL ) return 0;
  if( sqlite3_value_type(p->pVal)!=SQLITE_TEXT ) return 0;
  z = (const char*)sqlite3_value_text(p->pVal);
  return z && (strcmp(z, "true")==0 || strcmp(z, "false")==0);
}

static int updFailed(UpdValue *p, const KvErr *pErr, char **pzErr){
  KvBuf text;
  if( pErr->eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( pErr->eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  kvBufInit(&text, 0, 0);
  kvBufLit(&text, "value of the key ");
  kvKeyShow(&text, kvBytes(p->aKey, p->nKey));
  if( kvBufTerminate(&text)==KV_OK ){
    *pzErr = sqlite3_mprintf("kv: %s: %s; or set one of the columns js, json and raw",
                             (const char*)text.a, pErr->zMsg);
  }
  kvBufClear(&text);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* An SQL value without a mark. */
static int updPlain(UpdValue *p, KvBuf *pOut, int *peEncoding, char **pzErr){
  KvErr err;
  int rc = updIsBoolText(p) ? SQLITE_OK : kvMarkCheck(p->pConn, p->pVal, "value", pzErr);
  if( rc!=SQLITE_OK ) return rc;
  rc = kvArgNewValue(p->pVal, &p->tree, &err);
  if( rc==KV_OK ) rc = kvRetype(&p->old, 0, &p->tree, 0, &err);
  if( rc==KV_OK ) rc = kvValueWrite(&p->tree, p->pConn->iV8Version, 0, pOut, peEncoding, &err);
  return rc==KV_OK ? SQLITE_OK : updFailed(p, &err, pzErr);
}

/* ---- all of them ----------------------------------------------------------- */

static int updJson(UpdValue *p, KvBuf *pOut, int *peEncoding, char **pzErr){
  const char *z = (const char*)sqlite3_value_text(p->pVal);
  if( z==0 ) return SQLITE_NOMEM;
  return kvMergeJson(p->pConn, p->aKey, p->nKey, p->pOld, &p->old, z, (u32)sqlite3_value_bytes(p->pVal),
                     pOut, peEncoding, pzErr);
}

/* What is stored stays if the value means it: not if it is '[1]' in the place of the
** string "[1]", say, and may have been the array. */
static int updCheckShown(UpdValue *p, char **pzErr){
  int eKind = p->old.aNode[kvDeref(&p->old, 0)].eKind;
  return kvMarkCheckShown(p->pConn, p->pVal, eKind!=KV_STRING, pzErr);
}

/* With the tree of what is stored. */
static int updTyped(UpdValue *p, int bJson, KvBuf *pOut, int *peEncoding, char **pzErr){
  int rc = SQLITE_OK;
  if( updIsShown(p, bJson, &rc) ){
    rc = bJson ? SQLITE_OK : updCheckShown(p, pzErr);
    if( rc!=SQLITE_OK ) return rc;
    kvBufAppend(pOut, p->pOld->v.a, p->pOld->v.n);
    *peEncoding = p->pOld->eEncoding;
    return pOut->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  if( rc!=SQLITE_OK ) return rc;
  if( bJson && sqlite3_value_type(p->pVal)!=SQLITE_NULL ){
    rc = updJson(p, pOut, peEncoding, pzErr);
  }else{
    rc = updPlain(p, pOut, peEncoding, pzErr);
  }
  return rc==SQLITE_OK ? kvArgValueLimit(p->pConn, pOut, pzErr) : rc;
}

int kvUpdateIsTyped(sqlite3_value *pVal, int eAs){
  unsigned eMark = sqlite3_value_subtype(pVal);
  if( eAs==KV_AS_JSON ) return sqlite3_value_type(pVal)==SQLITE_BLOB;   /* an error */
  return eAs!=KV_AS_VALUE || eMark==KV_SUBTYPE_JS || kvArgIsRaw(pVal);
}

int kvUpdateValue(
  KvConn *pConn, const u8 *aKey, u32 nKey, const KvFound *pOld, sqlite3_value *pVal, int eAs,
  KvBuf *pOut, int *peEncoding, char **pzErr
){
  int bJson = eAs==KV_AS_JSON || sqlite3_value_subtype(pVal)==KV_SUBTYPE_JSON;
  UpdValue v;
  u8 aText[512];
  int rc;
  memset(&v, 0, sizeof(v));
  v.pConn = pConn;
  v.aKey = aKey;
  v.nKey = nKey;
  v.pOld = pOld;
  v.pVal = pVal;
  kvTreeInit(&v.old);
  kvTreeInit(&v.tree);
  kvBufInit(&v.text, aText, sizeof(aText));
  rc = kvValueRead(&v.old, pOld->eEncoding, kvBufBytes(&pOld->v), 0);
  if( rc==KV_OK ){
    rc = updTyped(&v, bJson, pOut, peEncoding, pzErr);
  }else if( rc==KV_NOMEM ){
    rc = SQLITE_NOMEM;
  }else{                                         /* malformed: anything repairs it */
    rc = kvArgWriteValue(pConn, pVal, eAs, pOut, peEncoding, pzErr);
  }
  kvTreeClear(&v.old);
  kvTreeClear(&v.tree);
  kvBufClear(&v.text);
  return rc;
}
