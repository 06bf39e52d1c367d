/*
** entry_print.c -- an entry's key and value as JSON (entry_print.h: the format).
**
** print_walk.h goes through the tree; KV_REFUSED says that there is no form.
*/
#include "codec/entry_print.h"
#include "codec/print.h"
#include "codec/print_walk.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/stored.h"
#include "codec/value_string.h"
#include "codec/view.h"
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

/* True if the array is its elements and not too many holes. */
static int entryPrintIsList(const KvTree *pTree, const KvNode *pArr){
  u32 nPair, nHave = kvPresentElements(pTree, pArr, &nPair);
  return nPair==pArr->u.c.nPair && (u64)(pArr->n - nHave) <= 16 + 4*(u64)nHave;
}

static void entryPrintView(KvPrint *p, u32 iView){
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

/* The kinds that are a string of what another function prints. */
static void entryPrintQuoted(KvBuf *pOut, const KvNode *pNode){
  kvBufPut(pOut, '"');
  if( pNode->eKind==KV_DATE ) kvDatePrint(pNode->u.r, pOut);
  else if( pNode->eKind==KV_U64 ) kvPrintInt(pOut, pNode->u.u);
  else kvPrintBigint(pOut, pNode);
  kvBufPut(pOut, '"');
}

/* The stack, which stands after the message and the cause. */
static void entryPrintStack(KvPrint *p, u32 iErr){
  u32 iStack = kvErrorChild(p->pTree, iErr, KV_ERR_STACK);
  if( iStack==0 ) return;
  kvPrintString(p->pOut, &p->pTree->aNode[iStack]);
  kvBufLit(p->pOut, "}}");
}

static void entryPrintError(KvPrint *p, u32 iErr){
  u32 iMessage = kvErrorChild(p->pTree, iErr, KV_ERR_MESSAGE);
  u32 iCause = kvErrorChild(p->pTree, iErr, KV_ERR_CAUSE);
  const char *zEnd = p->pTree->aNode[iErr].n & KV_ERR_STACK ? ",\"stack\":" : "}}";
  KvPrintFrame *pFrame;
  kvBufPut(p->pOut, '{');
  if( iMessage ){
    kvBufLit(p->pOut, "\"message\":");
    kvPrintString(p->pOut, &p->pTree->aNode[iMessage]);
  }
  if( iCause==0 ){
    kvBufText(p->pOut, iMessage==0 && zEnd[0]==',' ? zEnd+1 : zEnd);
    entryPrintStack(p, iErr);
    return;
  }
  pFrame = kvPrintPush(p, KV_PRINT_ONE, iErr, 0,
      iMessage ? ",\"cause\":" : "\"cause\":", zEnd);
  if( pFrame ) pFrame->iNext = iCause;
}

/* An OBJECT, which has no property __proto__. */
static void entryPrintObject(KvPrint *p, u32 iObject){
  if( kvProperty(p->pTree, iObject, "__proto__") ) p->rc = KV_REFUSED;
  else kvPrintPush(p, KV_PRINT_OBJECT, iObject, 0, "{", "}}");
}

/* Print a value, of a container only the beginning. */
static void entryPrintValue(KvPrint *p, u32 iNode){
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
    case KV_REGEXP: kvPrintQuotedRegexp(p, pNode); break;
    case KV_VIEW:   entryPrintView(p, iNode); break;
    case KV_BUFFER:
      if( pNode->eSub==KV_BUF_FIXED ) entryPrintBytes(pOut, kvNodeBytes(pNode));
      else p->rc = KV_REFUSED;
      break;
    case KV_ARRAY:
      if( !entryPrintIsList(p->pTree, pNode) ) p->rc = KV_REFUSED;
      /* fall through */
    case KV_SET:    kvPrintPush(p, KV_PRINT_LIST, iNode, 0, "[", "]}"); return;
    case KV_MAP:    kvPrintPush(p, KV_PRINT_MAP, iNode, 0, "[", "]}"); return;
    case KV_OBJECT: entryPrintObject(p, iNode); return;
    case KV_ERROR:  entryPrintError(p, iNode); return;
    default:        p->rc = KV_REFUSED;
  }
  kvBufPut(pOut, '}');
}

/* KV_REFUSED if there is no form for the value. */
static int entryPrintTree(KvBuf *pOut, KvTree *pTree){
  KvPrint print;
  if( pTree->nRef ) return KV_REFUSED;
  memset(&print, 0, sizeof(print));
  print.pTree = pTree;
  print.pOut = pOut;
  print.bJson = 1;
  entryPrintValue(&print, 0);
  while( kvPrintMore(&print) ){
    const u32 iNode = print.aFrame[print.nFrame-1].iNode, i = kvPrintNext(&print);
    if( i ) entryPrintValue(&print, i);
    else if( pTree->aNode[iNode].eKind==KV_ERROR ) entryPrintStack(&print, iNode);
  }
  return kvPrintEnd(&print, 0);
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
