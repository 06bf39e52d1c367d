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
static void entryPrintBase64(KvBuf *pOut, KvBytes b){
  kvBufPut(pOut, '"');
  kvBase64Print(pOut, b, KV_BASE64_URL);
  while( pOut->eErr==KV_OK && pOut->a[pOut->n-1]=='=' ) pOut->n--;
  kvBufPut(pOut, '"');
}

static void entryPrintType(KvBuf *pOut, const char *zType){
  kvBufLit(pOut, "{\"type\":\"");
  kvBufText(pOut, zType);
  kvBufLit(pOut, "\",\"value\":");
}

/* BASE64,"byteLength":n */
static void entryPrintBytes(KvBuf *pOut, KvBytes b){
  entryPrintBase64(pOut, b);
  kvBufLit(pOut, ",\"byteLength\":");
  kvPrintInt(pOut, b.n);
}

static void entryPrintRaw(KvBuf *pOut, KvBytes b){
  entryPrintType(pOut, "raw");
  entryPrintBase64(pOut, b);
  kvBufPut(pOut, '}');
}

static void entryPrintNumber(KvBuf *pOut, double r){
  const int bQuote = r-r!=0.0;
  if( bQuote ) kvBufPut(pOut, '"');
  kvPrintNumber(pOut, r);
  if( bQuote ) kvBufPut(pOut, '"');
}

/*************************************************************************
** Keys
*/

static void entryPrintPart(KvBuf *pOut, const KvPart *pPart){
  KvBuf text;
  u8 aSpace[256];
  kvBufInit(&text, aSpace, sizeof(aSpace));
  entryPrintType(pOut, kvPartTypeName(pPart->eType));
  switch( pPart->eType ){
    case KVP_BYTES:
      kvPartContent(&text, pPart);
      entryPrintBytes(pOut, kvBufBytes(&text));
      break;
    case KVP_NUMBER:
      entryPrintNumber(pOut, pPart->r);
      break;
    case KVP_BIGINT:
      kvPartPrint(&text, pPart);                 /* -12n */
      kvBufPut(pOut, '"');
      if( text.n>0 ) kvBufAppend(pOut, text.a, text.n-1);
      kvBufPut(pOut, '"');
      break;
    default:
      kvPartPrint(pOut, pPart);
  }
  kvBufPut(pOut, '}');
  if( text.eErr!=KV_OK && pOut->eErr==KV_OK ) pOut->eErr = text.eErr;
  kvBufClear(&text);
}

/* True if each part has a form: it is canonical and not -NaN. */
static int entryPrintIsPlain(KvBytes key){
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
  if( entryPrintIsPlain(key) ){
    while( i<key.n && kvPartRead(key, &i, &part, 0)==KV_OK ){
      entryPrintPart(pOut, &part);
      if( i<key.n ) kvBufPut(pOut, ',');
    }
  }else{
    entryPrintRaw(pOut, key);
  }
  kvBufPut(pOut, ']');
}

/*************************************************************************
** Values
*/

/* An open container. */
typedef struct EntryPrintFrame EntryPrintFrame;
struct EntryPrintFrame {
  u32 iNode;
  u32 iNext;              /* The child to print next, 0: none */
  u32 k;                  /* Children printed; ARRAY: elements and holes */
};

typedef struct EntryPrint EntryPrint;
struct EntryPrint {
  KvTree *pTree;
  KvBuf *pOut;
  EntryPrintFrame *aFrame;
  u32 nFrame, nFrameAlloc;
  int rc;                 /* KV_REFUSED: there is no form for it */
};

/* Open a container: its children follow. */
static void entryPrintPush(EntryPrint *p, char cOpen, u32 iNode){
  const EntryPrintFrame frame = { iNode, p->pTree->aNode[iNode].iChild, 0 };
  EntryPrintFrame *a = kvReserve(p->aFrame, &p->nFrameAlloc, (u64)p->nFrame+1, sizeof(EntryPrintFrame));
  if( a==0 ){
    p->rc = KV_NOMEM;
    return;
  }
  p->aFrame = a;
  a[p->nFrame++] = frame;
  kvBufPut(p->pOut, (u8)cOpen);
}

/* True if the array is its elements and not too many holes. */
static int entryPrintIsList(const KvTree *pTree, const KvNode *pArr){
  u32 nPair, nHave = kvPresentElements(pTree, pArr, &nPair);
  return nPair==pArr->u.c.nPair && (u64)(pArr->n - nHave) <= 16 + 4*(u64)nHave;
}

static void entryPrintView(EntryPrint *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  const KvNode *pBuf = &p->pTree->aNode[pView->iChild];
  if( pView->eSub==KV_VIEW_F16 || pBuf->eKind!=KV_BUFFER || pBuf->eSub!=KV_BUF_FIXED
   || pView->u.iOffset!=0 || pView->n!=pBuf->n
  ){
    p->rc = KV_REFUSED;
  }else{
    entryPrintBytes(p->pOut, kvNodeBytes(pBuf));
  }
}

static void entryPrintRegexp(EntryPrint *p, const KvNode *pNode){
  char aSpace[200];
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvPrintRegexp(&text, p->pTree, pNode);
  kvUtfAppendQuoted(p->pOut, KV_WTF8, kvBufBytes(&text));
  if( text.eErr ) p->rc = text.eErr;
  kvBufClear(&text);
}

/* The kinds that are a string of what another function prints. */
static void entryPrintQuoted(KvBuf *pOut, const KvNode *pNode){
  kvBufPut(pOut, '"');
  if( pNode->eKind==KV_DATE ) kvDatePrint(pNode->u.r, pOut);
  else if( pNode->eKind==KV_U64 ) kvPrintInt(pOut, pNode->u.u);
  else kvPrintBigint(pOut, pNode);
  kvBufPut(pOut, '"');
}

/* Print a value, of a container only the beginning. */
static void entryPrintValue(EntryPrint *p, u32 iNode){
  const KvNode *pNode = &p->pTree->aNode[iNode];
  KvBuf *pOut = p->pOut;
  char zBuf[64];
  if( pNode->eKind==KV_UNDEFINED ){
    kvBufLit(pOut, "{\"type\":\"undefined\"}");
    return;
  }
  entryPrintType(pOut, pNode->eKind==KV_OBJECT ? "object" : kvTypeName(p->pTree, iNode, zBuf));
  switch( pNode->eKind ){
    case KV_NULL:   kvBufLit(pOut, "null"); break;
    case KV_BOOL:   kvBufText(pOut, pNode->n ? "true" : "false"); break;
    case KV_NUMBER: entryPrintNumber(pOut, pNode->u.r); break;
    case KV_STRING: kvPrintString(pOut, pNode); break;
    case KV_BIGINT:
    case KV_U64:
    case KV_DATE:   entryPrintQuoted(pOut, pNode); break;
    case KV_REGEXP: entryPrintRegexp(p, pNode); break;
    case KV_VIEW:   entryPrintView(p, iNode); break;
    case KV_BUFFER:
      if( pNode->eSub==KV_BUF_FIXED ) entryPrintBytes(pOut, kvNodeBytes(pNode));
      else p->rc = KV_REFUSED;
      break;
    case KV_ARRAY:
      if( !entryPrintIsList(p->pTree, pNode) ) p->rc = KV_REFUSED;
      /* fall through */
    case KV_MAP:
    case KV_SET:    entryPrintPush(p, '[', iNode); return;
    case KV_OBJECT:
    case KV_ERROR:  entryPrintPush(p, '{', iNode); return;
    default:        p->rc = KV_REFUSED;
  }
  kvBufPut(pOut, '}');
}

/*
** Steps: print up to the next child and return it, 0 at the end.
*/

static u32 entryPrintStepObject(EntryPrint *p, EntryPrintFrame *pFrame){
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

static u32 entryPrintStepMap(EntryPrint *p, EntryPrintFrame *pFrame){
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
static u32 entryPrintStepList(EntryPrint *p, EntryPrintFrame *pFrame){
  for(;;){
    u32 k = pFrame->k;
    u32 i = kvNextElement(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->k);
    if( i==KV_NO_NODE ) return 0;
    if( k ) kvBufPut(p->pOut, ',');
    if( i ) return i;
    kvBufLit(p->pOut, "null");
  }
}

/* Message, then the cause, then the stack. */
static u32 entryPrintStepError(EntryPrint *p, EntryPrintFrame *pFrame){
  static const struct { u32 m; const char *zName; } aPart[] = {
    { KV_ERR_MESSAGE, "\"message\":" }, { KV_ERR_CAUSE, "\"cause\":" },
    { KV_ERR_STACK, "\"stack\":" }
  };
  while( pFrame->k<KV_COUNT(aPart) ){
    u32 k = pFrame->k++, i = kvErrorChild(p->pTree, pFrame->iNode, aPart[k].m);
    if( i==0 ) continue;
    if( p->pOut->a[p->pOut->n-1]!='{' ) kvBufPut(p->pOut, ',');
    kvBufText(p->pOut, aPart[k].zName);
    if( aPart[k].m==KV_ERR_CAUSE ) return i;
    kvPrintString(p->pOut, &p->pTree->aNode[i]);
  }
  return 0;
}

static void entryPrintStep(EntryPrint *p){
  EntryPrintFrame *pFrame = &p->aFrame[p->nFrame-1];
  int eKind = p->pTree->aNode[pFrame->iNode].eKind;
  u32 i;
  switch( eKind ){
    case KV_OBJECT: i = entryPrintStepObject(p, pFrame); break;
    case KV_MAP:    i = entryPrintStepMap(p, pFrame); break;
    case KV_ERROR:  i = entryPrintStepError(p, pFrame); break;
    default:        i = entryPrintStepList(p, pFrame); break;
  }
  if( i ){
    entryPrintValue(p, i);
  }else{
    p->nFrame--;
    kvBufText(p->pOut, eKind==KV_OBJECT || eKind==KV_ERROR ? "}}" : "]}");
  }
}

/* KV_REFUSED if there is no form for the value. */
static int entryPrintTree(KvBuf *pOut, KvTree *pTree){
  EntryPrint print;
  if( pTree->nRef ) return KV_REFUSED;
  memset(&print, 0, sizeof(print));
  print.pTree = pTree;
  print.pOut = pOut;
  entryPrintValue(&print, 0);
  while( print.nFrame && print.rc==KV_OK && pOut->eErr==KV_OK ) entryPrintStep(&print);
  kvFree(print.aFrame);
  return print.rc==KV_OK ? pOut->eErr : print.rc;
}

int kvEntryPrintValue(KvBuf *pOut, KvTree *pTree, KvBytes raw, KvErr *pErr){
  u32 nStart = pOut->n;
  int rc = KV_CORRUPT;
  kvTreeReset(pTree);
  if( raw.n>0 ) rc = kvValueRead(pTree, raw.p[0], kvBytesFrom(raw, 1), 0);
  if( rc==KV_OK ) rc = entryPrintTree(pOut, pTree);
  if( rc==KV_CORRUPT || rc==KV_REFUSED ){
    pOut->n = nStart;
    entryPrintRaw(pOut, raw);
    rc = pOut->eErr;
  }
  if( rc==KV_OK ) return KV_OK;
  return kvErrSet(pErr, rc, -1, rc==KV_TOOBIG ? "text too long" : "out of memory");
}
