/*
** entry_print.c -- an entry's key and value as JSON (entry_print.h: the format).
**
** The walk uses a stack of its own.
*/
#include "codec/entry_print.h"
#include "bytes/memory.h"
#include "codec/print.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/num/num.h"
#include "codec/stored.h"
#include "codec/value_string.h"
#include "codec/view.h"
#include "codec/num/bigint.h"
#include "bytes/base64.h"

/* Append bytes as a string of URL-safe base64 without padding. */
static void enpBase64(KvBuf *pOut, KvBytes b){
  kvBufPut(pOut, '"');
  kvBase64Print(pOut, b, KV_BASE64_URL);
  while( pOut->eErr==KV_OK && pOut->a[pOut->n-1]=='=' ) pOut->n--;
  kvBufPut(pOut, '"');
}

static void enpType(KvBuf *pOut, const char *zType){
  kvBufLit(pOut, "{\"type\":\"");
  kvBufText(pOut, zType);
  kvBufLit(pOut, "\",\"value\":");
}

/* {"type":zType,"value":BASE64,"byteLength":n} */
static void enpBytes(KvBuf *pOut, const char *zType, KvBytes b){
  enpType(pOut, zType);
  enpBase64(pOut, b);
  kvBufLit(pOut, ",\"byteLength\":");
  kvPrintInt(pOut, b.n);
  kvBufPut(pOut, '}');
}

static void enpRaw(KvBuf *pOut, KvBytes b){
  enpType(pOut, "raw");
  enpBase64(pOut, b);
  kvBufPut(pOut, '}');
}

static void enpNumber(KvBuf *pOut, double r){
  const int bQuote = r-r!=0.0;
  enpType(pOut, "number");
  if( bQuote ) kvBufPut(pOut, '"');
  kvPrintNumber(pOut, r);
  kvBufPut(pOut, bQuote ? '"' : '}');
  if( bQuote ) kvBufPut(pOut, '}');
}

/*************************************************************************
** Keys
*/

static void enpPart(KvBuf *pOut, const KvPart *pPart){
  KvBuf text;
  u8 aSpace[256];
  kvBufInit(&text, aSpace, sizeof(aSpace));
  switch( pPart->eType ){
    case KVP_BYTES:
      kvPartContent(&text, pPart);
      enpBytes(pOut, "Uint8Array", kvBufBytes(&text));
      break;
    case KVP_NUMBER:
      enpNumber(pOut, pPart->r);
      break;
    case KVP_BIGINT:
      kvPartPrint(&text, pPart);                 /* -12n */
      enpType(pOut, "bigint");
      kvBufPut(pOut, '"');
      if( text.n ) kvBufAppend(pOut, text.a, (u64)text.n - 1);
      kvBufLit(pOut, "\"}");
      break;
    default:
      enpType(pOut, kvPartTypeName(pPart->eType));
      kvPartPrint(pOut, pPart);
      kvBufPut(pOut, '}');
  }
  if( text.eErr!=KV_OK && pOut->eErr==KV_OK ) pOut->eErr = text.eErr;
  kvBufClear(&text);
}

/* True if each part has a form: it is canonical and not -NaN. */
static int enpIsPlain(KvBytes key){
  KvPart part;
  u32 i = 0;
  while( i<key.n ){
    if( kvPartRead(key, &i, &part, 0)!=KV_OK || !part.bCanon ) return 0;
    if( part.eType==KVP_NUMBER && part.r!=part.r && kvDoubleToBits(part.r)>>63 ) return 0;
  }
  return 1;
}

void kvEntryPrintKey(KvBuf *pOut, KvBytes key){
  KvPart part;
  u32 i = 0;
  kvBufPut(pOut, '[');
  if( enpIsPlain(key) ){
    while( i<key.n && kvPartRead(key, &i, &part, 0)==KV_OK ){
      enpPart(pOut, &part);
      if( i<key.n ) kvBufPut(pOut, ',');
    }
  }else{
    enpRaw(pOut, key);
  }
  kvBufPut(pOut, ']');
}

/*************************************************************************
** Values
*/

/* An open container. */
typedef struct EnpFrame EnpFrame;
struct EnpFrame {
  u32 iNode;
  u32 iNext;              /* The child to print next, 0: none */
  u32 k;                  /* Children printed; ARRAY: elements and holes */
};

typedef struct Enp Enp;
struct Enp {
  KvTree *pTree;
  KvBuf *pOut;
  EnpFrame *aFrame;
  u32 nFrame, nFrameAlloc;
  int rc;                 /* KV_REFUSED: there is no form for it */
};

/* Open a container: zType, then zOpen, then its children. */
static void enpPush(Enp *p, const char *zType, const char *zOpen, u32 iNode){
  const EnpFrame frame = { iNode, p->pTree->aNode[iNode].iChild, 0 };
  EnpFrame *a = kvReserve(p->aFrame, &p->nFrameAlloc, (u64)p->nFrame+1, sizeof(EnpFrame));
  if( a==0 ){
    p->rc = KV_NOMEM;
    return;
  }
  p->aFrame = a;
  a[p->nFrame++] = frame;
  enpType(p->pOut, zType);
  kvBufText(p->pOut, zOpen);
}

/* True if the array is its elements and not too many holes. */
static int enpIsList(const KvTree *pTree, const KvNode *pArr){
  u32 nPair, nHave = kvPresentElements(pTree, pArr, &nPair);
  return nPair==pArr->u.c.nPair && (u64)(pArr->n - nHave) <= 16 + 4*(u64)nHave;
}

static void enpView(Enp *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  const KvNode *pBuf = &p->pTree->aNode[pView->iChild];
  if( pView->eSub==KV_VIEW_F16 || pBuf->eKind!=KV_BUFFER || pBuf->eSub!=KV_BUF_FIXED
   || pView->u.iOffset!=0 || pView->n!=pBuf->n
  ){
    p->rc = KV_REFUSED;
  }else{
    enpBytes(p->pOut, kvViewName(pView->eSub), kvBytes(pBuf->u.p, pBuf->n));
  }
}

static void enpRegexp(Enp *p, const KvNode *pNode){
  char aSpace[200];
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvPrintRegexp(&text, p->pTree, pNode);
  enpType(p->pOut, "RegExp");
  kvUtfAppendQuoted(p->pOut, KV_WTF8, kvBufBytes(&text));
  kvBufPut(p->pOut, '}');
  if( text.eErr ) p->rc = text.eErr;
  kvBufClear(&text);
}

/* The digits of a bigint or KvU64, as a string. */
static void enpDigits(Enp *p, const char *zType, int bNeg, KvBytes magnitude){
  enpType(p->pOut, zType);
  kvBufPut(p->pOut, '"');
  if( bNeg ) kvBufPut(p->pOut, '-');
  kvBigPrint(p->pOut, magnitude);
  kvBufLit(p->pOut, "\"}");
}

static void enpU64(Enp *p, u64 v){
  u8 a[8];
  enpDigits(p, "KvU64", 0, kvBigMagnitude(v, a));
}

/* Print a value, of a container only the beginning. */
static void enpValue(Enp *p, u32 iNode){
  const KvNode *pNode = &p->pTree->aNode[iNode];
  KvBuf *pOut = p->pOut;
  switch( pNode->eKind ){
    case KV_UNDEFINED: kvBufLit(pOut, "{\"type\":\"undefined\"}"); break;
    case KV_NULL:   kvBufLit(pOut, "{\"type\":\"null\",\"value\":null}"); break;
    case KV_BOOL:
      enpType(pOut, "boolean");
      kvBufText(pOut, pNode->n ? "true}" : "false}");
      break;
    case KV_NUMBER: enpNumber(pOut, pNode->u.r); break;
    case KV_BIGINT: enpDigits(p, "bigint", pNode->eSub, kvBytes(pNode->u.p, pNode->n)); break;
    case KV_U64:    enpU64(p, pNode->u.u); break;
    case KV_STRING:
      enpType(pOut, "string");
      kvPrintString(pOut, pNode);
      kvBufPut(pOut, '}');
      break;
    case KV_DATE:
      enpType(pOut, "Date");
      kvBufPut(pOut, '"');
      kvDatePrint(pNode->u.r, pOut);
      kvBufLit(pOut, "\"}");
      break;
    case KV_REGEXP: enpRegexp(p, pNode); break;
    case KV_OBJECT: enpPush(p, "object", "{", iNode); break;
    case KV_MAP:    enpPush(p, "Map", "[", iNode); break;
    case KV_SET:    enpPush(p, "Set", "[", iNode); break;
    case KV_ERROR:  enpPush(p, kvErrorName(pNode->eSub), "{", iNode); break;
    case KV_VIEW:   enpView(p, iNode); break;
    case KV_ARRAY:
      if( enpIsList(p->pTree, pNode) ){
        enpPush(p, "Array", "[", iNode);
        break;
      }
      p->rc = KV_REFUSED;
      break;
    case KV_BUFFER:
      if( pNode->eSub==KV_BUF_FIXED ){
        enpBytes(pOut, "ArrayBuffer", kvBytes(pNode->u.p, pNode->n));
        break;
      }
      /* fall through */
    default:
      p->rc = KV_REFUSED;
  }
}

/*
** Steps: print up to the next child and return it, 0 at the end.
*/

static u32 enpStepObject(Enp *p, EnpFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pKey = &aNode[pFrame->iNext];
  if( pFrame->iNext==0 ) return 0;
  if( pFrame->k++ ) kvBufPut(p->pOut, ',');
  if( pKey->eKind==KV_STRING && kvStringIs(pKey, "__proto__") ) p->rc = KV_REFUSED;
  kvPrintKey(p->pOut, pKey);
  kvBufPut(p->pOut, ':');
  pFrame->iNext = aNode[pKey->iNext].iNext;
  return pKey->iNext;
}

static u32 enpStepMap(Enp *p, EnpFrame *pFrame){
  u32 i = pFrame->iNext;
  if( pFrame->k%2 ){
    kvBufPut(p->pOut, ',');
  }else{
    if( pFrame->k ) kvBufPut(p->pOut, ']');
    if( i==0 ) return 0;
    if( pFrame->k ) kvBufPut(p->pOut, ',');
    kvBufPut(p->pOut, '[');
  }
  pFrame->k ^= pFrame->k==0 ? 1 : 3;             /* 0, then 1, 2, 1, 2 ... */
  pFrame->iNext = p->pTree->aNode[i].iNext;
  return i;
}

/* The next element of an ARRAY or SET, the holes before it printed. */
static u32 enpStepList(Enp *p, EnpFrame *pFrame){
  for(;;){
    u32 k = pFrame->k;
    u32 i = kvNextElement(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->k);
    if( i==KV_NO_NODE ) return 0;
    if( k ) kvBufPut(p->pOut, ',');
    if( i ) return i;
    kvBufLit(p->pOut, "null");
  }
}

/* The part mPart of an ERROR, or 0. */
static void enpErrorText(Enp *p, EnpFrame *pFrame, u32 mPart, const char *zName){
  const KvNode *pErr = &p->pTree->aNode[pFrame->iNode];
  u32 i = kvErrorChild(p->pTree, pFrame->iNode, mPart);
  if( i==0 ) return;
  if( pErr->n & (mPart==KV_ERR_STACK ? KV_ERR_MESSAGE|KV_ERR_CAUSE : 0) ) kvBufPut(p->pOut, ',');
  kvBufText(p->pOut, zName);
  kvPrintString(p->pOut, &p->pTree->aNode[i]);
}

/* Message, then the cause, then the stack. */
static u32 enpStepError(Enp *p, EnpFrame *pFrame){
  const KvNode *pErr = &p->pTree->aNode[pFrame->iNode];
  u32 iCause = kvErrorChild(p->pTree, pFrame->iNode, KV_ERR_CAUSE);
  if( pFrame->k++==0 ){
    enpErrorText(p, pFrame, KV_ERR_MESSAGE, "\"message\":");
    if( iCause ){
      if( pErr->n & KV_ERR_MESSAGE ) kvBufPut(p->pOut, ',');
      kvBufLit(p->pOut, "\"cause\":");
      return iCause;
    }
  }
  enpErrorText(p, pFrame, KV_ERR_STACK, "\"stack\":");
  return 0;
}

static void enpStep(Enp *p){
  EnpFrame *pFrame = &p->aFrame[p->nFrame-1];
  int eKind = p->pTree->aNode[pFrame->iNode].eKind;
  u32 i;
  switch( eKind ){
    case KV_OBJECT: i = enpStepObject(p, pFrame); break;
    case KV_MAP:    i = enpStepMap(p, pFrame); break;
    case KV_ERROR:  i = enpStepError(p, pFrame); break;
    default:        i = enpStepList(p, pFrame); break;
  }
  if( i ){
    enpValue(p, i);
  }else{
    p->nFrame--;
    kvBufText(p->pOut, eKind==KV_OBJECT || eKind==KV_ERROR ? "}}" : "]}");
  }
}

/* KV_REFUSED if there is no form for the value. */
static int enpTree(KvBuf *pOut, KvTree *pTree){
  Enp enp;
  if( pTree->nRef ) return KV_REFUSED;
  memset(&enp, 0, sizeof(enp));
  enp.pTree = pTree;
  enp.pOut = pOut;
  enpValue(&enp, 0);
  while( enp.nFrame && enp.rc==KV_OK && pOut->eErr==KV_OK ) enpStep(&enp);
  kvFree(enp.aFrame);
  return enp.rc==KV_OK ? pOut->eErr : enp.rc;
}

int kvEntryPrintValue(KvBuf *pOut, KvTree *pTree, KvBytes raw, KvErr *pErr){
  u32 nStart = pOut->n;
  int rc = KV_CORRUPT;
  kvTreeReset(pTree);
  if( raw.n>0 ) rc = kvValueRead(pTree, raw.p[0], kvBytesFrom(raw, 1), 0);
  if( rc==KV_OK ) rc = enpTree(pOut, pTree);
  if( rc==KV_CORRUPT || rc==KV_REFUSED ){
    pOut->n = nStart;
    enpRaw(pOut, raw);
    rc = pOut->eErr;
  }
  if( rc==KV_OK ) return KV_OK;
  return kvErrSet(pErr, rc, -1, rc==KV_TOOBIG ? "text too long" : "out of memory");
}
