/*
** json_print.c -- the JSON text of a value.
**
** As JSON.stringify() prints it, and where that throws or loses the content:
**
**    undefined, a hole       null in an array; left out of an object
**    NaN, Infinity           null
**    bigint, KvU64           its digits
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
** The walk uses a stack of its own; an object on the stack carries KVN_MARK.
*/
#include "codec/json/json_print.h"
#include "bytes/memory.h"
#include "bytes/base64.h"
#include "bytes/utf.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/print.h"
#include "codec/view.h"

#define JSONPRINT_MAX_SHARED 3000000
#define JSONPRINT_MAX_HOLES  1000000

/* How a frame prints its children */
enum {
  JSONPRINT_OBJECT = 1,         /* "key":value of an OBJECT or a Map of strings */
  JSONPRINT_PAIRS,              /* [key,value] of another Map */
  JSONPRINT_LIST,               /* Elements of an ARRAY or a Set */
  JSONPRINT_SPARSE              /* Elements of an ARRAY by their indices */
};

typedef struct JsonPrintFrame JsonPrintFrame;
struct JsonPrintFrame {
  u8 eForm;
  u8 bHalf;               /* PAIRS: the value of an entry is next */
  u8 bComma;              /* Something was printed */
  u8 bRef;                /* Reached through a REF */
  u32 iNode;
  u32 iNext;              /* The child to print next, 0: none */
  u32 k;                  /* LIST, SPARSE: elements done */
};

typedef struct JsonPrint JsonPrint;
struct JsonPrint {
  KvTree *pTree;
  KvBuf *pOut;
  JsonPrintFrame *aFrame;
  u32 nFrame, nFrameAlloc;
  u32 nRefOpen;           /* Open frames with bRef */
  i64 nShared, nHole;     /* Of the limits left */
  int rc;
};

static void jsonPrintNumber(JsonPrint *p, double r){
  if( r-r==0.0 ){
    kvPrintNumber(p->pOut, r + 0.0);             /* -0 is 0 */
  }else{
    kvBufLit(p->pOut, "null");
  }
}

static void jsonPrintBase64(JsonPrint *p, KvBytes b){
  kvBufPut(p->pOut, '"');
  kvBase64Print(p->pOut, b, KV_BASE64_PLAIN);
  kvBufPut(p->pOut, '"');
}

static void jsonPrintDate(JsonPrint *p, double r){
  if( r!=r ){
    kvBufLit(p->pOut, "null");
  }else{
    kvBufPut(p->pOut, '"');
    kvDatePrint(r, p->pOut);
    kvBufPut(p->pOut, '"');
  }
}

/* Quote what was collected in pText, and clear it. */
static void jsonPrintQuote(JsonPrint *p, KvBuf *pText){
  if( pText->eErr ) p->rc = pText->eErr;
  kvUtfAppendQuoted(p->pOut, KV_WTF8, kvBufBytes(pText));
  kvBufClear(pText);
}

static void jsonPrintRegexp(JsonPrint *p, const KvNode *pNode){
  char aSpace[200];
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvPrintRegexp(&text, p->pTree, pNode);
  jsonPrintQuote(p, &text);
}

/* As String(error): the name, and the message if there is one. */
static void jsonPrintError(JsonPrint *p, const KvNode *pNode){
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
  jsonPrintQuote(p, &text);
}

static void jsonPrintView(JsonPrint *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  u32 i, n = pView->n/(u32)kvViewSize(pView->eSub);
  if( pView->eSub==KV_VIEW_U8 || pView->eSub==KV_VIEW_DATA ){
    KvBytes shown = kvViewBytes(p->pTree, iView);
    jsonPrintBase64(p, shown);
    return;
  }
  kvBufPut(p->pOut, '[');
  for(i=0; i<n; i++){
    KvNode elem;
    u8 aDigit[8];
    if( i ) kvBufPut(p->pOut, ',');
    kvViewElem(p->pTree, iView, i, &elem, aDigit);
    if( elem.eKind==KV_BIGINT ){
      kvPrintBigint(p->pOut, &elem);
    }else{
      jsonPrintNumber(p, elem.u.r);
    }
  }
  kvBufPut(p->pOut, ']');
}

/*
** Containers.
*/

static void jsonPrintPush(JsonPrint *p, u8 eForm, u32 iNode, int bRef){
  JsonPrintFrame *pFrame;
  JsonPrintFrame *a = kvReserve(p->aFrame, &p->nFrameAlloc, (u64)p->nFrame+1, sizeof(*a));
  if( a==0 ){
    p->rc = KV_NOMEM;
    return;
  }
  p->aFrame = a;
  pFrame = &p->aFrame[p->nFrame++];
  memset(pFrame, 0, sizeof(*pFrame));
  pFrame->eForm = eForm;
  pFrame->iNode = iNode;
  pFrame->iNext = p->pTree->aNode[iNode].iChild;
  pFrame->bRef = (u8)bRef;
  p->nRefOpen += (u32)bRef;
  KV_ASSERT( (p->pTree->aNode[iNode].mFlags & KVN_MARK)==0 );
  p->pTree->aNode[iNode].mFlags |= KVN_MARK;
  kvBufPut(p->pOut, eForm==JSONPRINT_OBJECT || eForm==JSONPRINT_SPARSE ? '{' : '[');
}

static void jsonPrintPop(JsonPrint *p){
  JsonPrintFrame *pFrame = &p->aFrame[--p->nFrame];
  p->nRefOpen -= pFrame->bRef;
  p->pTree->aNode[pFrame->iNode].mFlags &= (u8)~KVN_MARK;
  kvBufPut(p->pOut, pFrame->eForm==JSONPRINT_OBJECT || pFrame->eForm==JSONPRINT_SPARSE ? '}' : ']');
}

static void jsonPrintComma(JsonPrint *p, JsonPrintFrame *pFrame){
  if( pFrame->bComma ) kvBufPut(p->pOut, ',');
  pFrame->bComma = 1;
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
static void jsonPrintArray(JsonPrint *p, u32 iArr, int bRef){
  const KvNode *pArr = &p->pTree->aNode[iArr];
  u32 nPair, nHave = kvPresentElements(p->pTree, pArr, &nPair);
  i64 nHole = (i64)pArr->n - (nHave - nPair);
  int bList = nHole<=p->nHole;
  if( bList ) p->nHole -= nHole;
  jsonPrintPush(p, bList ? JSONPRINT_LIST : JSONPRINT_SPARSE, iArr, bRef);
}

/* n members aren't printed: inside of what is printed again that counts too. */
static void jsonPrintPassOver(JsonPrint *p, u32 n){
  if( p->nRefOpen ) p->nShared -= n;
}

/* The next member that isn't undefined; 0 at the end. */
static u32 jsonPrintStepObject(JsonPrint *p, JsonPrintFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  while( pFrame->iNext ){
    const KvNode *pKey = &aNode[pFrame->iNext];
    u32 iVal = pKey->iNext;
    pFrame->iNext = aNode[iVal].iNext;
    if( aNode[iVal].eKind==KV_UNDEFINED ){
      jsonPrintPassOver(p, 1);
      continue;
    }
    jsonPrintComma(p, pFrame);
    kvPrintKey(p->pOut, pKey);
    kvBufPut(p->pOut, ':');
    return iVal;
  }
  return 0;
}

static u32 jsonPrintStepPairs(JsonPrint *p, JsonPrintFrame *pFrame){
  u32 i = pFrame->iNext;
  if( pFrame->bHalf ){
    kvBufPut(p->pOut, ',');
  }else{
    if( pFrame->bComma ) kvBufPut(p->pOut, ']');
    if( i==0 ) return 0;
    jsonPrintComma(p, pFrame);
    kvBufPut(p->pOut, '[');
  }
  pFrame->bHalf ^= 1;
  pFrame->iNext = p->pTree->aNode[i].iNext;
  return i;
}

/* The next element of an ARRAY or Set, the holes before it printed. */
static u32 jsonPrintStepList(JsonPrint *p, JsonPrintFrame *pFrame){
  for(;;){
    u32 i = kvNextElement(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->k);
    if( i==KV_NO_NODE ) return 0;
    jsonPrintComma(p, pFrame);
    if( i ) return i;
    kvBufLit(p->pOut, "null");
  }
}

/* The next element of an ARRAY that isn't undefined, with its index. */
static u32 jsonPrintStepSparse(JsonPrint *p, JsonPrintFrame *pFrame){
  const u32 nElem = p->pTree->aNode[pFrame->iNode].u.c.nElem;
  for(;;){
    u32 k = pFrame->k;
    u32 i = kvNextPresent(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->k);
    u32 kAt = pFrame->k - (i!=KV_NO_NODE);
    if( k<nElem ) jsonPrintPassOver(p, (kAt<nElem ? kAt : nElem) - k);
    if( i==KV_NO_NODE ) return 0;
    if( p->pTree->aNode[i].eKind==KV_UNDEFINED ){
      jsonPrintPassOver(p, 1);
      continue;
    }
    jsonPrintComma(p, pFrame);
    kvPrintIndex(p->pOut, kAt);
    kvBufPut(p->pOut, ':');
    return i;
  }
}

/* True if the REF to iNode may not be followed; then its text is printed. */
static int jsonPrintRefuse(JsonPrint *p, u32 iNode){
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
static int jsonPrintValue(JsonPrint *p, u32 iNode){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pNode = &aNode[iNode];
  int bRef = 0, bDict, nStep;
  for(nStep=0; nStep<4; nStep++){                /* REF, HOST, REF, payload */
    if( pNode->eKind==KV_REF ){
      iNode = pNode->n;
      bRef = 1;
    }else if( pNode->eKind==KV_HOST || pNode->eKind==KV_BOXED ){
      iNode = pNode->iChild;
    }else{
      break;
    }
    pNode = &aNode[iNode];
  }
  if( (bRef || (pNode->mFlags & KVN_MARK)) && jsonPrintRefuse(p, iNode) ) return bRef;
  if( pNode->eKind==KV_VIEW && (aNode[kvViewBuffer(p->pTree, iNode)].mFlags & KVN_SHARED) ){
    if( p->nShared<=0 && jsonPrintRefuse(p, iNode) ) return bRef;
    bRef = 1;                                    /* to the buffer */
  }
  switch( pNode->eKind ){
    case KV_BOOL:   kvBufText(p->pOut, pNode->n ? "true" : "false"); break;
    case KV_NUMBER: jsonPrintNumber(p, pNode->u.r); break;
    case KV_BIGINT: kvPrintBigint(p->pOut, pNode); break;
    case KV_STRING: kvPrintString(p->pOut, pNode); break;
    case KV_OBJECT: jsonPrintPush(p, JSONPRINT_OBJECT, iNode, bRef); break;
    case KV_ARRAY:  jsonPrintArray(p, iNode, bRef); break;
    case KV_MAP:
      bDict = jsonPrintIsDict(p->pTree, iNode);
      jsonPrintPush(p, bDict ? JSONPRINT_OBJECT : JSONPRINT_PAIRS, iNode, bRef);
      break;
    case KV_SET:    jsonPrintPush(p, JSONPRINT_LIST, iNode, bRef); break;
    case KV_DATE:   jsonPrintDate(p, pNode->u.r); break;
    case KV_REGEXP: jsonPrintRegexp(p, pNode); break;
    case KV_ERROR:  jsonPrintError(p, pNode); break;
    case KV_BUFFER: jsonPrintBase64(p, kvBytes(pNode->u.p, pNode->n)); break;
    case KV_VIEW:   jsonPrintView(p, iNode); break;
    case KV_U64:    kvPrintInt(p->pOut, pNode->u.u); break;
    default:        kvBufLit(p->pOut, "null"); break;
  }
  return bRef;
}

static void jsonPrintStep(JsonPrint *p){
  JsonPrintFrame *pFrame = &p->aFrame[p->nFrame-1];
  int bRef = p->nRefOpen>0;
  u32 i, nOld = p->pOut->n;
  switch( pFrame->eForm ){
    case JSONPRINT_OBJECT: i = jsonPrintStepObject(p, pFrame); break;
    case JSONPRINT_PAIRS:  i = jsonPrintStepPairs(p, pFrame); break;
    case JSONPRINT_SPARSE: i = jsonPrintStepSparse(p, pFrame); break;
    default:         i = jsonPrintStepList(p, pFrame); break;
  }
  if( i ){
    bRef |= jsonPrintValue(p, i);
  }else{
    jsonPrintPop(p);
  }
  if( bRef ) p->nShared -= p->pOut->n - nOld;
}

int kvJsonPrint(KvTree *pTree, u32 iNode, KvBuf *pOut, KvErr *pErr){
  JsonPrint print;
  int eKind = pTree->aNode[kvDeref(pTree, iNode)].eKind;
  if( eKind==KV_UNDEFINED || eKind==KV_HOLE ) return KV_OK;
  memset(&print, 0, sizeof(print));
  print.pTree = pTree;
  print.pOut = pOut;
  print.nShared = JSONPRINT_MAX_SHARED;
  print.nHole = JSONPRINT_MAX_HOLES;
  jsonPrintValue(&print, iNode);
  while( print.nFrame && print.rc==KV_OK && pOut->eErr==KV_OK ) jsonPrintStep(&print);
  while( print.nFrame ) jsonPrintPop(&print);              /* after an error: the marks */
  kvFree(print.aFrame);
  if( print.rc==KV_OK ) print.rc = pOut->eErr;
  if( print.rc==KV_OK ) return KV_OK;
  return kvErrSet(pErr, print.rc, -1, print.rc==KV_TOOBIG ? "text too long" : "out of memory");
}
