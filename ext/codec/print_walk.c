/*
** print_walk.c -- how the printers of JS text, JSON text and entries go through a
** tree.  See print_walk.h.
*/
#include "codec/print_walk.h"
#include "bytes/memory.h"
#include "codec/print.h"
#include "codec/value_string.h"
#include "codec/view.h"

/* Levels that are indented. */
#define PRINT_WALK_INDENT 64

/* A new line, or nothing when the text is to be compact. */
static void printWalkBreak(KvPrint *p){
  u32 nLevel = p->nLevel<PRINT_WALK_INDENT ? p->nLevel : PRINT_WALK_INDENT;
  u64 n = (u64)p->nIndent * nLevel;
  if( kvBufGrow(p->pOut, n+1)!=KV_OK ) return;
  kvBufPut(p->pOut, '\n');
  memset(&p->pOut->a[p->pOut->n], ' ', (size_t)n);
  p->pOut->n += (u32)n;
}

/* The colon after a key. */
static void printWalkColon(KvPrint *p){
  kvBufPut(p->pOut, ':');
  if( p->nIndent>0 ) kvBufPut(p->pOut, ' ');
}

static void printWalkSpace(KvPrint *p, const KvPrintFrame *pFrame){
  if( !pFrame->bFlat ) printWalkBreak(p);
  else if( pFrame->k>1 ) kvBufPut(p->pOut, ' ');
}

/* What stands before a child. */
static void printWalkBefore(KvPrint *p, KvPrintFrame *pFrame){
  if( pFrame->k++ ) kvBufPut(p->pOut, ',');
  if( p->nIndent>0 ) printWalkSpace(p, pFrame);
}

/* A text, not empty, that is most often one character. */
static inline void printWalkText(KvPrint *p, const char *z){
  if( z[1]==0 ) kvBufPut(p->pOut, (u8)z[0]);
  else kvBufText(p->pOut, z);
}

/* What stands after the last one. */
static void printWalkAfter(KvPrint *p, KvPrintFrame *pFrame){
  p->nLevel--;
  if( p->nIndent>0 && !pFrame->bFlat && pFrame->k ) printWalkBreak(p);
  printWalkText(p, pFrame->zClose);
}

KvPrintFrame *kvPrintPush(
  KvPrint *p, u8 eForm, u32 iNode, int bRef, const char *zOpen, const char *zClose
){
  KvNode *pNode = &p->pTree->aNode[iNode];
  KvPrintFrame *pFrame, *a;
  a = kvReserve(p->aFrame, &p->nFrameAlloc, (u64)p->nFrame+1, sizeof(KvPrintFrame));
  if( a==0 ){
    p->rc = KV_NOMEM;
    return 0;
  }
  p->aFrame = a;
  pFrame = &p->aFrame[p->nFrame++];
  memset(pFrame, 0, sizeof(*pFrame));
  pFrame->eForm = eForm;
  pFrame->iNode = iNode;
  pFrame->iNext = pNode->iChild;
  pFrame->zClose = zClose;
  pFrame->bRef = (u8)bRef;
  p->nRefOpen += (u32)bRef;
  KV_ASSERT( (pNode->mFlags & KVN_MARK)==0 );
  pNode->mFlags |= KVN_MARK;
  printWalkText(p, zOpen);
  p->nLevel++;
  return pFrame;
}

/* Close the innermost container. */
static void printWalkPop(KvPrint *p){
  KvPrintFrame *pFrame = &p->aFrame[--p->nFrame];
  printWalkAfter(p, pFrame);
  p->nRefOpen -= pFrame->bRef;
  p->pTree->aNode[pFrame->iNode].mFlags &= (u8)~KVN_MARK;
}

/*
** Print up to the next child and return it, 0 at the end.
*/

/* JSON: n members aren't printed: inside of what is printed again that counts
** too. */
static void printWalkPassOver(KvPrint *p, u32 n){
  if( p->nRefOpen ) p->nShared -= n;
}

/* JSON: a member that isn't printed. */
static int printWalkHides(KvPrint *p, u32 i){
  if( !p->bHide || p->pTree->aNode[i].eKind!=KV_UNDEFINED ) return 0;
  printWalkPassOver(p, 1);
  return 1;
}

static u32 printWalkObject(KvPrint *p, KvPrintFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  while( pFrame->iNext ){
    const KvNode *pKey = &aNode[pFrame->iNext];
    const u32 iVal = pKey->iNext;
    pFrame->iNext = aNode[iVal].iNext;
    if( printWalkHides(p, iVal) ) continue;
    printWalkBefore(p, pFrame);
    if( !p->bJson && pKey->eKind==KV_STRING && kvStringIs(pKey, "__proto__") ){
      kvBufLit(p->pOut, "[\"__proto__\"]");
    }else{
      kvPrintKey(p->pOut, pKey);
    }
    printWalkColon(p);
    return iVal;
  }
  return 0;
}

/* Elements as "5":value; JS: then the pairs that are no elements. */
static u32 printWalkProps(KvPrint *p, KvPrintFrame *pFrame){
  const u32 nElem = p->pTree->aNode[pFrame->iNode].u.c.nElem;
  for(;;){
    u32 k = pFrame->iElem;
    u32 i = kvNextPresent(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->iElem);
    u32 kAt = pFrame->iElem - (i!=KV_NO_NODE);
    if( k<nElem ) printWalkPassOver(p, (kAt<nElem ? kAt : nElem) - k);
    if( i==KV_NO_NODE ) return p->bJson ? 0 : printWalkObject(p, pFrame);
    if( printWalkHides(p, i) ) continue;
    printWalkBefore(p, pFrame);
    kvPrintIndex(p->pOut, kAt);
    printWalkColon(p);
    return i;
  }
}

/* An element's value, the holes before it printed. */
static u32 printWalkList(KvPrint *p, KvPrintFrame *pFrame){
  u32 i;
  while( (i = kvNextElement(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->iElem))!=KV_NO_NODE ){
    printWalkBefore(p, pFrame);
    if( i ) return i;
    if( p->bJson ) kvBufLit(p->pOut, "null");
    else if( pFrame->iElem==p->pTree->aNode[pFrame->iNode].n ) kvBufPut(p->pOut, ',');
  }
  if( !pFrame->bTail ) return 0;
  printWalkAfter(p, pFrame);
  p->nLevel++;
  pFrame->zClose = "})";
  pFrame->eForm = KV_PRINT_OBJECT;
  pFrame->bFlat = 0;
  pFrame->k = 0;
  return printWalkObject(p, pFrame);
}

static u32 printWalkMap(KvPrint *p, KvPrintFrame *pFrame){
  u32 i = pFrame->iNext;
  if( i ) pFrame->iNext = p->pTree->aNode[i].iNext;
  if( pFrame->bHalf ){
    kvBufText(p->pOut, p->nIndent>0 ? ", " : ",");
  }else{
    if( pFrame->k ) kvBufPut(p->pOut, ']');
    if( i==0 ) return 0;
    printWalkBefore(p, pFrame);
    kvBufPut(p->pOut, '[');
  }
  pFrame->bHalf ^= 1;
  return i;
}

static u32 printWalkOne(KvPrint *p, KvPrintFrame *pFrame){
  u32 i = pFrame->iNext;
  if( i ) printWalkBefore(p, pFrame);
  pFrame->iNext = 0;
  return i;
}

u32 kvPrintNext(KvPrint *p){
  KvPrintFrame *pFrame = &p->aFrame[p->nFrame-1];
  u32 i;
  switch( pFrame->eForm ){
    case KV_PRINT_OBJECT: i = printWalkObject(p, pFrame); break;
    case KV_PRINT_LIST:   i = printWalkList(p, pFrame);   break;
    case KV_PRINT_PROPS:  i = printWalkProps(p, pFrame);  break;
    case KV_PRINT_MAP:    i = printWalkMap(p, pFrame);    break;
    default:              i = printWalkOne(p, pFrame);    break;
  }
  if( i==0 ) printWalkPop(p);
  return i;
}

void kvPrintQuoted(KvPrint *p, KvBuf *pText){
  if( pText->eErr ) p->rc = pText->eErr;
  kvUtfAppendQuoted(p->pOut, KV_WTF8, kvBufBytes(pText));
  kvBufClear(pText);
}

void kvPrintQuotedRegexp(KvPrint *p, const KvNode *pNode){
  char aSpace[200];
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvPrintRegexp(&text, p->pTree, pNode);
  kvPrintQuoted(p, &text);
}

void kvPrintElements(KvPrint *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  u32 n = pView->n/(u32)kvViewSize(pView->eSub), i;
  kvBufPut(p->pOut, '[');
  for(i=0; i<n; i++){
    KvNode elem;
    u8 aDigit[8];
    if( i ) kvBufPut(p->pOut, ',');
    kvViewElem(p->pTree, iView, i, &elem, aDigit);
    if( elem.eKind==KV_BIGINT ){
      kvPrintBigint(p->pOut, &elem);
      if( !p->bJson ) kvBufPut(p->pOut, 'n');
    }else if( p->bJson ){
      kvPrintJsonNumber(p->pOut, elem.u.r);
    }else{
      kvPrintNumber(p->pOut, elem.u.r);
    }
  }
  kvBufPut(p->pOut, ']');
}

int kvPrintEnd(KvPrint *p, KvErr *pErr){
  while( p->nFrame ) printWalkPop(p);             /* after an error: the marks */
  kvFree(p->aFrame);
  kvFree(p->aLabel);
  if( p->rc==KV_OK ) p->rc = p->pOut->eErr;
  if( p->rc==KV_OK ) return KV_OK;
  return kvErrSet(pErr, p->rc, -1, p->rc==KV_TOOBIG ? "text too long" : "out of memory");
}
