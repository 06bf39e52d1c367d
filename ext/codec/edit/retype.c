/*
** retype.c -- what a plain new value becomes in the place of a stored one.
** See retype.h.
*/
#include "codec/edit/retype.h"
#include "codec/num/date.h"
#include "codec/value_string.h"
#include "codec/view.h"

#define RETYPE_TYPED  " is stored there: write a typed value such as kv_value(...)"

/* Why something unmarked doesn't take the place of a stored kind. */
static const char *const retypeWhy[KV_U64+1] = {
  [KV_BIGINT] =
    ("a bigint is stored there: write a whole number (a REAL within 2^53-1), its digits as TEXT, "
     "or a typed value such as kv_bigint(...)"),
  [KV_U64] =
    ("a KvU64 is stored there: write a whole number from 0 to 2^64-1 (a REAL within 2^53-1), "
     "its digits as TEXT, or a typed value such as kv_value(...)"),
  [KV_DATE] =
    ("a Date is stored there: write ISO text with a time zone, such as 2024-01-31T12:00:00Z, "
     "or a typed value such as kv_value(...)"),
  [KV_BUFFER] =
    "an ArrayBuffer is stored there: write a BLOB, or a typed value such as kv_value(...)",
  [KV_OBJECT] =
    "an Object is stored there: write a typed value such as json(...) or kv_value(...)",
  [KV_ARRAY] =
    "an Array is stored there: write a typed value such as json(...) or kv_value(...)",
  [KV_MAP] = "a Map" RETYPE_TYPED,
  [KV_SET] = "a Set" RETYPE_TYPED,
  [KV_REGEXP] = "a RegExp" RETYPE_TYPED,
  [KV_ERROR] = "an Error" RETYPE_TYPED,
  [KV_VIEW] = "a typed array or DataView" RETYPE_TYPED,
  [KV_BOXED] = "a boxed primitive" RETYPE_TYPED,
  [KV_HOST] = "a host object (Blob, CryptoKey ...)" RETYPE_TYPED
};

static const char retypeResizable[] =
  "a resizable ArrayBuffer is stored there: write a BLOB no longer than its maxByteLength, "
  "or a typed value such as kv_value(...)";

static int retypeRefuse(KvErr *pErr, int eStored){
  return kvErrSet(pErr, KV_REFUSED, -1, retypeWhy[eStored]);
}

/* Make a BIGINT of node i, or refuse it for the kind eStored. */
static int retypeToBigint(KvTree *p, u32 i, int eStored, KvErr *pErr){
  int rc = KV_SYNTAX;
  switch( p->aNode[i].eKind ){
    case KV_BIGINT:  return KV_OK;
    case KV_NUMBER:  rc = kvTreeInteger(p, i);  break;
    case KV_STRING:  rc = kvTreeDecimal(p, i);  break;
    default:         break;
  }
  if( rc==KV_NOMEM ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  return rc==KV_OK ? KV_OK : retypeRefuse(pErr, eStored);
}

static int retypeToU64(KvTree *p, u32 i, KvErr *pErr){
  int rc = retypeToBigint(p, i, KV_U64, pErr);
  if( rc!=KV_OK ) return rc;
  return kvNodeToU64(&p->aNode[i]) ? KV_OK : retypeRefuse(pErr, KV_U64);
}

/* 0, 1, true and false; anything else stays what it is. */
static void retypeToBool(KvNode *p){
  int b;
  if( p->eKind==KV_NUMBER && (p->u.r==0.0 || p->u.r==1.0) ) b = p->u.r!=0.0;
  else if( kvStringIs(p, "true") ) b = 1;
  else if( kvStringIs(p, "false") ) b = 0;
  else return;
  kvNodeBecome(p, KV_BOOL)->n = (u32)b;
}

static int retypeToDate(KvNode *p, KvErr *pErr){
  double r = 0.0;
  if( p->eKind!=KV_STRING || p->eSub==KV_UTF16 || kvDateParse(kvNodeBytes(p), &r)!=KV_OK ){
    return retypeRefuse(pErr, KV_DATE);
  }
  kvNodeBecome(p, KV_DATE)->u.r = r;
  return KV_OK;
}

/* A Uint8Array becomes the ArrayBuffer that it shows, of the stored kind. */
static int retypeToBuffer(const KvTree *pOld, u32 iOld, KvTree *pNew, u32 iNew, KvErr *pErr){
  const KvNode *pStored = &pOld->aNode[iOld];
  u8 eSub = pStored->eSub;
  double rMax = eSub==KV_BUF_RESIZABLE ? pOld->aNode[pStored->iChild].u.r : 0.0;
  KvNode *pNode = &pNew->aNode[iNew];
  KvBytes content;
  u32 iMax = 0;
  if( pNode->eKind!=KV_VIEW || pNode->eSub!=KV_VIEW_U8 ) return retypeRefuse(pErr, KV_BUFFER);
  if( eSub==KV_BUF_RESIZABLE ){
    if( rMax<(double)pNode->n ) return kvErrSet(pErr, KV_REFUSED, -1, retypeResizable);
    iMax = kvTreeAdd(pNew, KV_NUMBER);
    if( iMax==KV_NO_NODE ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
    pNew->aNode[iMax].u.r = rMax;
    pNode = &pNew->aNode[iNew];
  }
  content = kvViewBytes(pNew, iNew);
  kvNodeBecome(pNode, KV_BUFFER)->eSub = eSub;
  pNode->u.p = content.p;
  pNode->n = content.n;
  pNode->iChild = iMax;
  return KV_OK;
}

int kvRetypeNew(const KvTree *pNew, u32 iNew, KvErr *pErr){
  if( pNew->aNode[iNew].eKind!=KV_BIGINT ) return KV_OK;
  return kvErrSet(pErr, KV_REFUSED, -1,
      "integer is beyond 2^53-1, which a JavaScript number can't hold exactly; "
      "use kv_bigint() for a bigint");
}

int kvRetype(const KvTree *pOld, u32 iOld, KvTree *pNew, u32 iNew, KvErr *pErr){
  const KvNode *pStored;
  iOld = kvDeref(pOld, iOld);
  pStored = &pOld->aNode[iOld];
  if( pNew->aNode[iNew].eKind==KV_NULL ) return KV_OK;
  switch( pStored->eKind ){
    case KV_BIGINT:  return retypeToBigint(pNew, iNew, KV_BIGINT, pErr);
    case KV_U64:     return retypeToU64(pNew, iNew, pErr);
    case KV_DATE:    return retypeToDate(&pNew->aNode[iNew], pErr);
    case KV_BUFFER:  return retypeToBuffer(pOld, iOld, pNew, iNew, pErr);
    case KV_BOOL:
      retypeToBool(&pNew->aNode[iNew]);
      return kvRetypeNew(pNew, iNew, pErr);
    case KV_UNDEFINED: case KV_NULL: case KV_HOLE: case KV_NUMBER: case KV_STRING:
      return kvRetypeNew(pNew, iNew, pErr);
    case KV_VIEW:
      if( pStored->eSub==KV_VIEW_U8 ) return kvRetypeNew(pNew, iNew, pErr);
      break;
    default:
      break;
  }
  return retypeRefuse(pErr, pStored->eKind);
}
