/*
** json_print.c -- the JSON text of a value.
**
** As JSON.stringify() prints it, and where that throws or loses the content:
**
**    undefined, a hole       null in an array; left out of an object
**    NaN, Infinity           null
**    bigint, KvU64           its digits; a string "0x..." if Deno can't store it
**    Map                     an object if every key is a string, else an
**                            array of [key, value]
**    Set, typed array        an array
**    Uint8Array, ArrayBuffer, DataView    a base64 string
**    RegExp                  "/source/flags"
**    Error                   "TypeError: message"
**    host object             its payload
**    a cycle                 "[Circular]"
**
** An array's other properties are dropped, as JSON.stringify() does.
**
** Two things are bounded, so that a few stored bytes can't ask for gigabytes:
** an object that occurs more than once is printed each time, until 3,000,000
** bytes (and steps over members that aren't printed) went into that; from then
** on "[Shared]" stands for it.  And when
** more than 1,000,000 holes would have been printed as null, an array with
** holes is printed as an object of its elements: {"7":1}.
**
** Nothing is recursive (see print_walk.h).
*/
#include "codec/json/json_print.h"
#include "bytes/base64.h"
#include "bytes/memory.h"
#include "bytes/utf.h"
#include "codec/names.h"
#include "codec/num/bigint.h"
#include "codec/print.h"
#include "codec/print_walk.h"
#include "codec/view.h"

#define JSONPRINT_MAX_SHARED 3000000
#define JSONPRINT_MAX_HOLES  1000000

static void jsonPrintBase64(KvPrint *p, KvBytes b){
  kvBufPut(p->pOut, '"');
  kvBase64Print(p->pOut, b, KV_BASE64_PLAIN);
  kvBufPut(p->pOut, '"');
}

static void jsonPrintDate(KvPrint *p, double r){
  if( r!=r ) kvBufLit(p->pOut, "null");
  else kvPrintDate(p->pOut, r);
}

/* As String(error): the name, and the message if there is one. */
static void jsonPrintError(KvPrint *p, const KvNode *pNode){
  char aSpace[200];
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvBufText(&text, kvErrorName(pNode->eSub));
  if( pNode->n & KV_ERR_MESSAGE ){
    const KvNode *pMsg = &p->pTree->aNode[pNode->iChild];
    if( pMsg->n ){
      kvBufLit(&text, ": ");
      kvUtfAppend(&text, pMsg->eSub, kvBytes(pMsg->u.p, pMsg->n), 1);
    }
  }
  kvPrintQuoted(p, &text);
}

static void jsonPrintView(KvPrint *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  if( pView->eSub==KV_VIEW_U8 || pView->eSub==KV_VIEW_DATA ){
    jsonPrintBase64(p, kvViewBytes(p->pTree, iView));
  }else{
    kvPrintElements(p, iView);
  }
}

/*
** Containers.
*/

static void jsonPrintPush(KvPrint *p, u8 eForm, u32 iNode, int bRef){
  const char *z = eForm==KV_PRINT_OBJECT || eForm==KV_PRINT_PROPS ? "{\0}" : "[\0]";
  kvPrintPush(p, eForm, iNode, bRef, z, z+2);
}

/* True if every key of the Map is a string. */
static int jsonPrintIsDict(const KvTree *pTree, u32 iMap){
  const KvNode *aNode = pTree->aNode;
  u32 i = aNode[iMap].iChild;
  for(; i; i=aNode[aNode[i].iNext].iNext){
    if( aNode[i].eKind!=KV_STRING ) return 0;
  }
  return 1;
}

/* Open an ARRAY: as a list, if the holes in it may be printed. */
static void jsonPrintArray(KvPrint *p, u32 iArr, int bRef){
  const KvNode *pArr = &p->pTree->aNode[iArr];
  u32 nPair, nHave = kvPresentElements(p->pTree, pArr, &nPair);
  i64 nHole = (i64)pArr->n - (nHave - nPair);
  int bList = nHole<=p->nHole;
  p->nHole -= nHole*bList;
  jsonPrintPush(p, bList ? KV_PRINT_LIST : KV_PRINT_PROPS, iArr, bRef);
}

/* True if the REF to iNode may not be followed; then its text is printed. */
static int jsonPrintRefuse(KvPrint *p, u32 iNode){
  if( p->pTree->aNode[iNode].mFlags & KVN_MARK ){
    kvBufLit(p->pOut, "\"[Circular]\"");
  }else if( p->nShared<=0 ){
    kvBufLit(p->pOut, "\"[Shared]\"");
  }else{
    return 0;
  }
  return 1;
}

/* Print a value, of a container only the beginning.  True if a REF led here. */
static int jsonPrintValue(KvPrint *p, u32 iNode){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pNode;
  int bRef = aNode[iNode].eKind==KV_REF, bDict;
  iNode = kvDeref(p->pTree, iNode);
  if( aNode[iNode].eKind==KV_HOST || aNode[iNode].eKind==KV_BOXED ){
    iNode = aNode[iNode].iChild;
    bRef |= aNode[iNode].eKind==KV_REF;
    iNode = kvDeref(p->pTree, iNode);
  }
  pNode = &aNode[iNode];
  if( (bRef || (pNode->mFlags & KVN_MARK)) && jsonPrintRefuse(p, iNode) ) return bRef;
  if( pNode->eKind==KV_VIEW && (aNode[kvViewBuffer(p->pTree, iNode)].mFlags & KVN_SHARED) ){
    if( p->nShared<=0 && jsonPrintRefuse(p, iNode) ) return bRef;
    bRef = 1;                                    /* to the buffer */
  }
  switch( pNode->eKind ){
    case KV_BOOL:   kvBufText(p->pOut, pNode->n ? "true" : "false"); break;
    case KV_NUMBER: kvPrintJsonNumber(p->pOut, pNode->u.r); break;
    case KV_BIGINT:
      if( pNode->n>KV_BIG_BYTES ) kvBufPut(p->pOut, '"');          /* in hexadecimal */
      kvPrintBigint(p->pOut, pNode);
      if( pNode->n>KV_BIG_BYTES ) kvBufPut(p->pOut, '"');
      break;
    case KV_STRING: kvPrintString(p->pOut, pNode); break;
    case KV_OBJECT: jsonPrintPush(p, KV_PRINT_OBJECT, iNode, bRef); break;
    case KV_ARRAY:  jsonPrintArray(p, iNode, bRef); break;
    case KV_MAP:
      bDict = jsonPrintIsDict(p->pTree, iNode);
      jsonPrintPush(p, bDict ? KV_PRINT_OBJECT : KV_PRINT_MAP, iNode, bRef);
      break;
    case KV_SET:    jsonPrintPush(p, KV_PRINT_LIST, iNode, bRef); break;
    case KV_DATE:   jsonPrintDate(p, pNode->u.r); break;
    case KV_REGEXP: kvPrintQuotedRegexp(p, pNode); break;
    case KV_ERROR:  jsonPrintError(p, pNode); break;
    case KV_BUFFER: jsonPrintBase64(p, kvBytes(pNode->u.p, pNode->n)); break;
    case KV_VIEW:   jsonPrintView(p, iNode); break;
    case KV_U64:    kvPrintInt(p->pOut, pNode->u.u); break;
    default:        kvBufLit(p->pOut, "null"); break;
  }
  return bRef;
}

static inline void jsonPrintStep(KvPrint *p){
  int bRef = p->nRefOpen>0;
  u32 nOld = p->pOut->n, i = kvPrintNext(p);
  if( i ) bRef |= jsonPrintValue(p, i);
  p->nShared -= (i64)(p->pOut->n - nOld)*bRef;
}

/* Begin with node iNode.  False if JSON has no text for it. */
static int jsonPrintBegin(KvPrint *p, KvTree *pTree, u32 iNode, KvBuf *pOut){
  int eKind = pTree->aNode[kvDeref(pTree, iNode)].eKind;
  if( eKind==KV_UNDEFINED || eKind==KV_HOLE ) return 0;
  memset(p, 0, sizeof(*p));
  p->pTree = pTree;
  p->pOut = pOut;
  p->bJson = 1;
  p->bHide = 1;
  p->nShared = JSONPRINT_MAX_SHARED;
  p->nHole = JSONPRINT_MAX_HOLES;
  jsonPrintValue(p, iNode);
  return 1;
}

int kvJsonPrint(KvTree *pTree, u32 iNode, KvBuf *pOut, KvErr *pErr){
  KvPrint print;
  if( !jsonPrintBegin(&print, pTree, iNode, pOut) ) return KV_OK;
  while( kvPrintMore(&print) ) jsonPrintStep(&print);
  return kvPrintEnd(&print, pErr);
}

int kvJsonPrintSome(KvTree *pTree, u32 iNode, u32 nEnough, KvBuf *pOut, KvErr *pErr){
  KvPrint print;
  if( !jsonPrintBegin(&print, pTree, iNode, pOut) ) return KV_OK;
  while( kvPrintMore(&print) && pOut->n<nEnough ) jsonPrintStep(&print);
  return kvPrintEnd(&print, pErr);
}

/* True if JSON can't hold what a node is. */
static int jsonMisses(const KvNode *pNode){
  if( pNode->mFlags & KVN_SHARED ) return 1;
  switch( pNode->eKind ){
    case KV_NULL: case KV_BOOL: case KV_STRING: case KV_OBJECT:
      return 0;
    case KV_NUMBER:
      return pNode->u.r-pNode->u.r!=0.0 || (pNode->u.r==0.0 && kvDoubleToBits(pNode->u.r)!=0);
    case KV_ARRAY:
      return pNode->n!=pNode->u.c.nElem || pNode->u.c.nPair!=0;
    default:
      return 1;
  }
}

int kvJsonHolds(const KvTree *p){
  u32 i;
  for(i=0; i<p->nNode && !jsonMisses(&p->aNode[i]); i++){}
  return i>=p->nNode;
}

u8 *kvJsonMisses(const KvTree *p){
  u32 *aUp = kvRealloc(0, (u64)p->nNode*sizeof(u32));
  u8 *aMiss = aUp ? kvZeroed(p->nNode) : 0;
  u32 i = 0, nUp = 0, k;
  if( aMiss ) do{
    if( jsonMisses(&p->aNode[i]) ){
      aMiss[i] = 1;
      for(k=nUp; k>0 && !aMiss[aUp[k-1]]; k--) aMiss[aUp[k-1]] = 1;
    }
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  kvFree(aUp);
  return aMiss;
}
