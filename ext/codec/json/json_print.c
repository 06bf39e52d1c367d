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
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/view.h"
#include "codec/num/bigint.h"
#include "bytes/base64.h"

#define JSN_MAX_SHARED 3000000
#define JSN_MAX_HOLES  1000000

/* How a frame prints its children */
enum {
  JSN_OBJECT = 1,         /* "key":value of an OBJECT or a Map of strings */
  JSN_PAIRS,              /* [key,value] of another Map */
  JSN_LIST,               /* Elements of an ARRAY or a Set */
  JSN_SPARSE              /* Elements of an ARRAY by their indices */
};

typedef struct JsnFrame JsnFrame;
struct JsnFrame {
  u8 eForm;
  u8 bHalf;               /* PAIRS: the value of an entry is next */
  u8 bComma;              /* Something was printed */
  u8 bRef;                /* Reached through a REF */
  u32 iNode;
  u32 iNext;              /* The child to print next, 0: none */
  u32 k;                  /* LIST, SPARSE: elements done */
};

typedef struct Jsn Jsn;
struct Jsn {
  KvTree *pTree;
  KvBuf *pOut;
  JsnFrame *aFrame;
  u32 nFrame, nFrameAlloc;
  u32 nRefOpen;           /* Open frames with bRef */
  i64 nShared, nHole;     /* Of the limits left */
  int rc;
};

static void jsnDigits(Jsn *p, u64 v){
  char aDigit[24];
  int i = sizeof(aDigit);
  do{ aDigit[--i] = (char)('0' + v%10); v /= 10; }while( v );
  kvBufAppend(p->pOut, &aDigit[i], sizeof(aDigit) - (size_t)i);
}

static void jsnNumber(Jsn *p, double r){
  char aSpace[KV_NUM_TEXT];
  if( r>=0.0 && r<1e15 && r==(double)(u64)r ){
    jsnDigits(p, (u64)r);                        /* -0 as well */
  }else if( r-r==0.0 ){
    kvBufAppend(p->pOut, aSpace, (u64)kvNumPrint(r, aSpace));
  }else{
    kvBufLit(p->pOut, "null");
  }
}

static void jsnBigint(Jsn *p, const KvNode *pNode){
  if( pNode->eSub ) kvBufPut(p->pOut, '-');
  kvBigPrint(p->pOut, kvBytes(pNode->u.p, pNode->n));
}

static void jsnBase64(Jsn *p, KvBytes b){
  kvBufPut(p->pOut, '"');
  kvBase64Print(p->pOut, b, KV_BASE64_PLAIN);
  kvBufPut(p->pOut, '"');
}

static void jsnDate(Jsn *p, double r){
  if( r!=r ){
    kvBufLit(p->pOut, "null");
  }else{
    kvBufPut(p->pOut, '"');
    kvDatePrint(r, p->pOut);
    kvBufPut(p->pOut, '"');
  }
}

/* Quote what was collected in pText, and clear it. */
static void jsnQuote(Jsn *p, KvBuf *pText){
  if( pText->eErr ){
    p->rc = pText->eErr;
  }else{
    kvUtfAppendQuoted(p->pOut, KV_WTF8, kvBufBytes(pText));
  }
  kvBufClear(pText);
}

static void jsnRegexp(Jsn *p, const KvNode *pNode){
  const KvNode *pSrc = &p->pTree->aNode[pNode->iChild];
  char aSpace[200], zFlags[16];
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvBufPut(&text, '/');
  kvUtfAppend(&text, pSrc->eSub, kvBytes(pSrc->u.p, pSrc->n), 1);
  if( pSrc->n==0 ) kvBufLit(&text, "(?:)");
  kvBufPut(&text, '/');
  kvRegexpFlags(pNode->n, zFlags);
  kvBufText(&text, zFlags);
  jsnQuote(p, &text);
}

/* As String(error): the name, and the message if there is one. */
static void jsnError(Jsn *p, const KvNode *pNode){
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
  jsnQuote(p, &text);
}

static void jsnView(Jsn *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  u32 i, n = pView->n/(u32)kvViewSize(pView->eSub);
  if( pView->eSub==KV_VIEW_U8 || pView->eSub==KV_VIEW_DATA ){
    KvBytes shown = kvViewBytes(p->pTree, iView);
    jsnBase64(p, shown);
    return;
  }
  kvBufPut(p->pOut, '[');
  for(i=0; i<n; i++){
    KvNode elem;
    u8 aDigit[8];
    if( i ) kvBufPut(p->pOut, ',');
    kvViewElem(p->pTree, iView, i, &elem, aDigit);
    if( elem.eKind==KV_BIGINT ){
      jsnBigint(p, &elem);
    }else{
      jsnNumber(p, elem.u.r);
    }
  }
  kvBufPut(p->pOut, ']');
}

/*
** Containers.
*/

static void jsnPush(Jsn *p, u8 eForm, u32 iNode, u32 iFirst, int bRef){
  JsnFrame *pFrame;
  if( p->nFrame>=p->nFrameAlloc ){
    u32 nNew = p->nFrameAlloc*2 + 32;
    JsnFrame *aNew = kvRealloc(p->aFrame, (u64)nNew*sizeof(JsnFrame));
    if( aNew==0 ){
      p->rc = KV_NOMEM;
      return;
    }
    p->aFrame = aNew;
    p->nFrameAlloc = nNew;
  }
  pFrame = &p->aFrame[p->nFrame++];
  memset(pFrame, 0, sizeof(*pFrame));
  pFrame->eForm = eForm;
  pFrame->iNode = iNode;
  pFrame->iNext = iFirst;
  pFrame->bRef = (u8)bRef;
  p->nRefOpen += (u32)bRef;
  p->pTree->aNode[iNode].mFlags |= KVN_MARK;
  kvBufPut(p->pOut, eForm==JSN_OBJECT || eForm==JSN_SPARSE ? '{' : '[');
}

static void jsnPop(Jsn *p){
  JsnFrame *pFrame = &p->aFrame[--p->nFrame];
  p->nRefOpen -= pFrame->bRef;
  p->pTree->aNode[pFrame->iNode].mFlags &= (u8)~KVN_MARK;
  kvBufPut(p->pOut, pFrame->eForm==JSN_OBJECT || pFrame->eForm==JSN_SPARSE ? '}' : ']');
}

static void jsnComma(Jsn *p, JsnFrame *pFrame){
  if( pFrame->bComma ) kvBufPut(p->pOut, ',');
  pFrame->bComma = 1;
}

/* True if every key of the Map is a string. */
static int jsnIsDict(const KvTree *pTree, u32 iMap){
  const KvNode *aNode = pTree->aNode;
  u32 i = aNode[iMap].iChild;
  for(; i; i=aNode[aNode[i].iNext].iNext){
    if( aNode[i].eKind!=KV_STRING ) return 0;
  }
  return 1;
}

/* Open an ARRAY: as a list, if the holes in it may be printed. */
static void jsnArray(Jsn *p, u32 iArr, int bRef){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pArr = &aNode[iArr];
  i64 nHole = (i64)pArr->n - pArr->u.c.nElem;
  u32 i, k;
  for(i=pArr->iChild, k=0; k<pArr->u.c.nElem; k++, i=aNode[i].iNext){
    nHole += aNode[i].eKind==KV_HOLE;
  }
  if( nHole<=p->nHole ){
    p->nHole -= nHole;
    jsnPush(p, JSN_LIST, iArr, pArr->iChild, bRef);
  }else{
    jsnPush(p, JSN_SPARSE, iArr, pArr->iChild, bRef);
  }
}

/* A member isn't printed: inside of what is printed again that counts too. */
static void jsnPassOver(Jsn *p){
  if( p->nRefOpen ) p->nShared--;
}

/* The next member that isn't undefined; 0 at the end. */
static u32 jsnStepObject(Jsn *p, JsnFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  while( pFrame->iNext ){
    const KvNode *pKey = &aNode[pFrame->iNext];
    u32 iVal = pKey->iNext;
    pFrame->iNext = aNode[iVal].iNext;
    if( aNode[iVal].eKind==KV_UNDEFINED ){
      jsnPassOver(p);
      continue;
    }
    jsnComma(p, pFrame);
    if( pKey->eKind==KV_NUMBER ){
      kvBufPut(p->pOut, '"');
      jsnNumber(p, pKey->u.r);
      kvBufPut(p->pOut, '"');
    }else{
      kvJsString(pKey, p->pOut);
    }
    kvBufPut(p->pOut, ':');
    return iVal;
  }
  return 0;
}

static u32 jsnStepPairs(Jsn *p, JsnFrame *pFrame){
  u32 i = pFrame->iNext;
  if( pFrame->bHalf ){
    kvBufPut(p->pOut, ',');
  }else{
    if( pFrame->bComma ) kvBufPut(p->pOut, ']');
    if( i==0 ) return 0;
    jsnComma(p, pFrame);
    kvBufPut(p->pOut, '[');
  }
  pFrame->bHalf ^= 1;
  pFrame->iNext = p->pTree->aNode[i].iNext;
  return i;
}

/*
** The next element of an ARRAY or Set.  Holes are printed here, or passed
** over in a JSN_SPARSE.
*/
static u32 jsnStepList(Jsn *p, JsnFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pOwner = &aNode[pFrame->iNode];
  const int bSparse = pFrame->eForm==JSN_SPARSE;
  u32 nElem = pOwner->eKind==KV_ARRAY ? pOwner->u.c.nElem : pOwner->n;
  while( pFrame->k<pOwner->n ){
    u32 i = pFrame->iNext, k = pFrame->k, iVal = 0;
    if( k<nElem ){
      pFrame->iNext = aNode[i].iNext;
      if( aNode[i].eKind!=KV_HOLE ) iVal = i;
    }else if( i==0 || aNode[i].eKind!=KV_NUMBER ){
      if( bSparse ) return 0;
    }else if( bSparse || aNode[i].u.r==(double)k ){
      iVal = aNode[i].iNext;
      k = (u32)aNode[i].u.r;
      pFrame->iNext = aNode[iVal].iNext;
    }
    pFrame->k = k+1;
    if( bSparse && (iVal==0 || aNode[iVal].eKind==KV_UNDEFINED) ){
      jsnPassOver(p);
      continue;
    }
    jsnComma(p, pFrame);
    if( bSparse ){
      kvBufPut(p->pOut, '"');
      jsnDigits(p, k);
      kvBufLit(p->pOut, "\":");
    }
    if( iVal ) return iVal;
    kvBufLit(p->pOut, "null");
  }
  return 0;
}

/* True if the REF to iNode may not be followed; then its text is printed. */
static int jsnRefuse(Jsn *p, u32 iNode){
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
static int jsnValue(Jsn *p, u32 iNode){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pNode = &aNode[iNode];
  int bRef = 0, nStep;
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
  if( (bRef || (pNode->mFlags & KVN_MARK)) && jsnRefuse(p, iNode) ) return bRef;
  if( pNode->eKind==KV_VIEW && (aNode[kvViewBuffer(p->pTree, iNode)].mFlags & KVN_SHARED) ){
    if( p->nShared<=0 && jsnRefuse(p, iNode) ) return bRef;
    bRef = 1;                                    /* to the buffer */
  }
  switch( pNode->eKind ){
    case KV_BOOL:   kvBufText(p->pOut, pNode->n ? "true" : "false"); break;
    case KV_NUMBER: jsnNumber(p, pNode->u.r); break;
    case KV_BIGINT: jsnBigint(p, pNode); break;
    case KV_STRING: kvJsString(pNode, p->pOut); break;
    case KV_OBJECT: jsnPush(p, JSN_OBJECT, iNode, pNode->iChild, bRef); break;
    case KV_ARRAY:  jsnArray(p, iNode, bRef); break;
    case KV_MAP:
      jsnPush(p, jsnIsDict(p->pTree, iNode) ? JSN_OBJECT : JSN_PAIRS, iNode, pNode->iChild, bRef);
      break;
    case KV_SET:    jsnPush(p, JSN_LIST, iNode, pNode->iChild, bRef); break;
    case KV_DATE:   jsnDate(p, pNode->u.r); break;
    case KV_REGEXP: jsnRegexp(p, pNode); break;
    case KV_ERROR:  jsnError(p, pNode); break;
    case KV_BUFFER: jsnBase64(p, kvBytes(pNode->u.p, pNode->n)); break;
    case KV_VIEW:   jsnView(p, iNode); break;
    case KV_U64:    jsnDigits(p, pNode->u.u); break;
    default:        kvBufLit(p->pOut, "null"); break;
  }
  return bRef;
}

static void jsnStep(Jsn *p){
  JsnFrame *pFrame = &p->aFrame[p->nFrame-1];
  int bRef = p->nRefOpen>0;
  u32 i, nOld = p->pOut->n;
  switch( pFrame->eForm ){
    case JSN_OBJECT: i = jsnStepObject(p, pFrame); break;
    case JSN_PAIRS:  i = jsnStepPairs(p, pFrame); break;
    default:         i = jsnStepList(p, pFrame); break;
  }
  if( i ){
    bRef |= jsnValue(p, i);
  }else{
    jsnPop(p);
  }
  if( bRef ) p->nShared -= p->pOut->n - nOld;
}

int kvJsonPrint(KvTree *pTree, u32 iNode, KvBuf *pOut, KvErr *pErr){
  Jsn jsn;
  int eKind = pTree->aNode[kvDeref(pTree, iNode)].eKind;
  if( eKind==KV_UNDEFINED || eKind==KV_HOLE ) return KV_OK;
  memset(&jsn, 0, sizeof(jsn));
  jsn.pTree = pTree;
  jsn.pOut = pOut;
  jsn.nShared = JSN_MAX_SHARED;
  jsn.nHole = JSN_MAX_HOLES;
  jsnValue(&jsn, iNode);
  while( jsn.nFrame && jsn.rc==KV_OK && pOut->eErr==KV_OK ) jsnStep(&jsn);
  while( jsn.nFrame ) jsnPop(&jsn);              /* after an error: the marks */
  kvFree(jsn.aFrame);
  if( jsn.rc==KV_OK ) jsn.rc = pOut->eErr;
  if( jsn.rc==KV_OK ) return KV_OK;
  return kvErrSet(pErr, jsn.rc, -1, jsn.rc==KV_TOOBIG ? "text too long" : "out of memory");
}
