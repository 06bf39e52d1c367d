/*
** js_view.c -- typed arrays, DataViews and ArrayBuffers from JS text.
**
**    new Uint8Array([1,2,3])              elements, converted as JavaScript does
**    new Uint8Array(4)                    zero elements
**    new Uint16Array(buffer)              all of a buffer
**    new Uint16Array(buffer, 2)           from a byte offset to its end
**    new Uint16Array(buffer, 2, 2)        ... that many elements
**    new DataView(buffer, 1, 2)           ... bytes
**    new ArrayBuffer(8)                   zero bytes
**    new ArrayBuffer(8, {maxByteLength: 16})
**
** A view of a resizable buffer without a length follows the buffer's length.
** A text of a few bytes can ask for gigabytes: what the text doesn't spell
** out is limited to KV_MAX_FILL in one value.
*/
#include "codec/js/js_view.h"
#include "codec/js/js_convert.h"
#include "codec/value_string.h"
#include "codec/view.h"

/* Bytes of buffer content that the text doesn't spell out, in one value. */
#define KV_MAX_FILL (64u<<20)

/* Account for n bytes of content that are not in the text. */
static int jsViewClaim(KvJsp *p, double rLen){
  if( !(rLen<=(double)(KV_MAX_FILL - p->nFill)) ){
    return kvJspRefuse(p, "buffers of more than 64 MiB of zeros can't be created from text");
  }
  p->nFill += (u64)rLen;
  return JSP_DONE;
}

/* A BUFFER of these bytes. */
static int jsViewBuffer(KvJsp *p, KvBytes content){
  KvNode *pNode = kvJspMake(p, KV_BUFFER);
  pNode->n = content.n;
  pNode->u.p = content.p;
  return kvJspMade(p);
}

/* A BUFFER of zero bytes that the text doesn't spell out -> p->iVal. */
static int jsViewFill(KvJsp *p, double rLen){
  u8 *a;
  if( jsViewClaim(p, rLen)==JSP_FAIL ) return JSP_FAIL;
  a = kvTreeSpace(p->pTree, (u64)rLen);
  if( a==0 ) return kvJspNoMem(p);
  memset(a, 0, (size_t)rLen);
  return jsViewBuffer(p, kvBytes(a, (u32)rLen));
}

/* A VIEW of all of BUFFER iBuf. */
static int jsViewWhole(KvJsp *p, int eView, u32 iBuf){
  KvNode *pNode = kvJspMake(p, KV_VIEW);
  pNode->eSub = (u8)eView;
  pNode->iChild = iBuf;
  pNode->n = p->pTree->aNode[iBuf].n;
  return kvJspMade(p);
}

/* Store any node as an element: what can be converted to a number is. */
static int jsViewPut(KvJsp *p, u8 *a, int eView, const KvNode *pNode){
  const int bBig = eView==KV_VIEW_I64 || eView==KV_VIEW_U64;
  KvNode x;
  if( !bBig && pNode->eKind!=KV_NUMBER ){
    memset(&x, 0, sizeof(x));
    x.eKind = KV_NUMBER;
    if( kvJsToNumber(pNode, &x.u.r) ) pNode = &x;
  }
  if( kvViewPut(a, eView, pNode) ) return JSP_DONE;
  return kvJspRefuse(p, bBig ? "the elements of this array must be bigints, such as 1n"
                             : "the elements of this array must be numbers");
}

/* Store the elements of ARRAY, or OBJECT, iSource to a, where nMax fit. */
static int jsViewStore(KvJsp *p, int eView, u32 iSource, u8 *a, u32 nMax){
  const KvNode *aNode = p->pTree->aNode;
  const int bArray = aNode[iSource].eKind==KV_ARRAY;
  const u32 nElem = bArray ? aNode[iSource].u.c.nElem : 0;
  u32 i = aNode[iSource].iChild, k;
  for(k=0; i; k++){
    double rIndex = k;
    if( k>=nElem ){
      const KvNode *pKey = &aNode[i];
      rIndex = pKey->eKind==KV_NUMBER ? pKey->u.r : (double)nMax;
      if( pKey->eKind!=KV_NUMBER && !bArray ){
        return kvJspRefuse(p, "a stored typed array has no properties but its elements");
      }
      i = pKey->iNext;
    }
    if( rIndex<(double)nMax
     && jsViewPut(p, &a[(size_t)rIndex*(size_t)kvViewSize(eView)], eView, &aNode[i])==JSP_FAIL
    ){
      return JSP_FAIL;
    }
    i = aNode[i].iNext;
  }
  return JSP_DONE;
}

/* new X([...]) */
static int jsViewFromArray(KvJsp *p, int eView, u32 iArr){
  const u32 nSize = (u32)kvViewSize(eView);
  const KvNode *pArr = &p->pTree->aNode[iArr];
  const u32 n = pArr->n;
  u32 k = pArr->u.c.nElem;
  u8 *a;
  if( (u64)n*nSize>KV_MAX_BUF ){
    return kvJspRefuse(p, "a typed array of more than 2 GiB can't be created");
  }
  if( n>k && jsViewClaim(p, (double)n*nSize)==JSP_FAIL ) return JSP_FAIL;
  a = kvTreeSpace(p->pTree, (u64)n*nSize);
  if( a==0 ) return kvJspNoMem(p);
  for(; k<n; k++){                               /* the rest is undefined */
    KvNode hole;
    memset(&hole, 0, sizeof(hole));
    hole.eKind = KV_HOLE;
    if( jsViewPut(p, &a[(size_t)k*nSize], eView, &hole)==JSP_FAIL ) return JSP_FAIL;
  }
  if( jsViewStore(p, eView, iArr, a, n)==JSP_FAIL ) return JSP_FAIL;
  if( p->nRefs==0 && iArr>0 ) p->pTree->nNode = iArr;  /* the array is the newest */
  if( jsViewBuffer(p, kvBytes(a, n*nSize))==JSP_FAIL ) return JSP_FAIL;
  return jsViewWhole(p, eView, p->iVal);
}

/*
** An argument that JavaScript converts by ToIndex(); undefined or none gives
** rNone.
*/
static int jsViewIndex(KvJsp *p, u32 iArg, double rNone, double *pr){
  const KvNode *pArg = &p->pTree->aNode[iArg];
  *pr = rNone;
  if( iArg==0 || pArg->eKind==KV_UNDEFINED ) return JSP_DONE;
  if( pArg->eKind!=KV_NUMBER || !(pArg->u.r>-1.0) || pArg->u.r>9007199254740991.0 ){
    return kvJspRefuse(p, "lengths and offsets must be integers, 0 or more");
  }
  *pr = pArg->u.r<0.0 ? 0.0 : (double)(i64)pArg->u.r;
  return JSP_DONE;
}

/* Check a view of nBuf bytes and find its length in bytes. */
static const char *jsViewRange(
  int eView, u32 nBuf, int bTrack, double rOffset, double rLen, u32 *pnByte
){
  const u32 nSize = (u32)kvViewSize(eView);
  u32 nRest;
  if( rOffset>(double)nBuf ) return "the offset is beyond the end of the buffer";
  if( (u32)rOffset % nSize ) return "the offset must be a multiple of the element size";
  nRest = nBuf - (u32)rOffset;
  if( rLen<0.0 ){
    *pnByte = nRest - nRest%nSize;
    if( !bTrack && nRest%nSize ){
      return "the length of the buffer must be a multiple of the element size";
    }
    return 0;
  }
  if( rLen*nSize>(double)nRest ) return "the view is longer than its buffer";
  *pnByte = (u32)rLen*nSize;
  return 0;
}

/* new X(buffer, offset, length) */
static int jsViewFromBuffer(KvJsp *p, int eView, u32 iBuf){
  KvTree *pTree = p->pTree;
  const KvNode *pBuf = &pTree->aNode[kvJspDeref(p, iBuf)];
  u32 iOff = pTree->aNode[iBuf].iNext;
  u32 iLen = iOff ? pTree->aNode[iOff].iNext : 0;
  u32 nByte = 0;
  int bTrack;
  double rOff, rLen;
  const char *zErr;
  KvNode *pView;
  if( jsViewIndex(p, iOff, 0.0, &rOff)==JSP_FAIL || jsViewIndex(p, iLen, -1.0, &rLen)==JSP_FAIL ){
    return JSP_FAIL;
  }
  bTrack = pBuf->eSub==KV_BUF_RESIZABLE && rLen<0.0;
  zErr = jsViewRange(eView, pBuf->n, bTrack, rOff, rLen, &nByte);
  if( zErr ) return kvJspRefuse(p, zErr);
  pTree->aNode[iBuf].iNext = 0;
  if( jsViewWhole(p, eView, iBuf)==JSP_FAIL ) return JSP_FAIL;
  pView = &pTree->aNode[p->iVal];
  pView->n = nByte;
  pView->u.iOffset = (u32)rOff;
  if( bTrack ) pView->mFlags |= KVN_TRACK;
  return JSP_DONE;
}

int kvJsCallView(KvJsp *p, int eView, u32 iArg, u32 nArg){
  const KvNode *pArg = &p->pTree->aNode[nArg ? kvJspDeref(p, iArg) : 0];
  const u8 eArg = nArg ? pArg->eKind : KV_UNDEFINED;
  double rLen;
  if( eArg==KV_BUFFER ) return jsViewFromBuffer(p, eView, iArg);
  if( eView==KV_VIEW_DATA ) return kvJspRefuse(p, "new DataView() needs a buffer");
  if( eArg==KV_ARRAY ){
    if( p->pTree->aNode[iArg].eKind==KV_REF || pArg->eSpare==KV_LABELLED ){
      return kvJspRefuse(p, "the array of elements can't be shared");
    }
    return jsViewFromArray(p, eView, iArg);
  }
  if( eArg!=KV_NUMBER && eArg!=KV_UNDEFINED && eArg!=KV_NULL ){
    return kvJspRefuse(p, "a typed array is made from [elements], a length or a buffer");
  }
  if( jsViewIndex(p, eArg==KV_NUMBER ? iArg : 0, 0.0, &rLen)==JSP_FAIL
   || jsViewFill(p, rLen*kvViewSize(eView))==JSP_FAIL
  ){
    return JSP_FAIL;
  }
  return jsViewWhole(p, eView, p->iVal);
}

int kvJsCallBuffer(KvJsp *p, u32 iArg, u32 nArg){
  const KvNode *aNode = p->pTree->aNode;
  u32 iOpt = nArg>1 ? aNode[iArg].iNext : 0, iBuf;
  double rLen, rMax;
  iOpt = iOpt && aNode[iOpt].eKind==KV_OBJECT
      ? kvProperty(p->pTree, iOpt, "maxByteLength") : 0;
  if( jsViewIndex(p, nArg ? iArg : 0, 0.0, &rLen)==JSP_FAIL ) return JSP_FAIL;
  if( jsViewIndex(p, iOpt, -1.0, &rMax)==JSP_FAIL ) return JSP_FAIL;
  if( rMax>=0.0 && rMax<rLen ) return kvJspRefuse(p, "maxByteLength is less than the length");
  if( rMax>(double)KV_MAX_RESIZABLE ) return kvJspRefuse(p, "maxByteLength is more than V8 reads");
  if( jsViewFill(p, rLen)==JSP_FAIL || rMax<0.0 ) return kvJspMade(p);
  iBuf = p->iVal;
  kvJspMake(p, KV_NUMBER)->u.r = rMax;
  p->pTree->aNode[iBuf].eSub = KV_BUF_RESIZABLE;
  p->pTree->aNode[iBuf].iChild = p->iVal;
  p->iVal = iBuf;
  return kvJspMade(p);
}

int kvJsAssignView(KvJsp *p, u32 iView, u32 iSource){
  const KvNode *pView = &p->pTree->aNode[iView];
  const KvNode *pBuf = &p->pTree->aNode[kvJspDeref(p, pView->iChild)];
  if( pView->eSub==KV_VIEW_DATA || pBuf->eSub==KV_BUF_IMMUTABLE ){
    return kvJspRefuse(p, "only a typed array can be assigned elements");
  }
  if( pView->n==0 ) return JSP_DONE;
  /* A buffer made by this parser is always the tree's own memory */
  return jsViewStore(p, pView->eSub, iSource, (u8*)pBuf->u.p + pView->u.iOffset,
                     pView->n/(u32)kvViewSize(pView->eSub));
}

static const char *jsViewSpace(const char *z, const char *zEnd){
  while( z<zEnd && (*z==' ' || *z=='\n') ) z++;
  return z;
}

int kvJsPlainBytes(KvJsp *p){
  const char *z = p->lex.z, *zEnd = p->lex.zEnd;
  u8 aSpace[256];
  KvBytes content;
  KvBuf bytes;
  kvBufInit(&bytes, aSpace, sizeof(aSpace));
  do{
    const char *zDigit = z = jsViewSpace(z+1, zEnd);
    u32 v = 0;
    for(; z<zEnd && kvJspIsDigit((u8)*z) && z-zDigit<3; z++) v = v*10 + (u32)(*z-'0');
    if( z==zDigit || v>255 || (*zDigit=='0' && z-zDigit>1) ) z = zEnd;     /* something else */
    kvBufPut(&bytes, (u8)v);
    z = jsViewSpace(z, zEnd);
  }while( z<zEnd && *z==',' );
  if( z>=zEnd || *z!=']' ){
    kvBufClear(&bytes);
    return JSP_VALUE;
  }
  content = kvTreeKeep(p->pTree, &bytes);
  if( content.p==0 ) return kvJspNoMem(p);
  p->lex.z = z+1;
  if( jsViewBuffer(p, content)==JSP_FAIL ) return JSP_FAIL;
  return jsViewWhole(p, KV_VIEW_U8, p->iVal);
}
