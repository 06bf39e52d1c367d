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
#include "codec/js/js_call.h"
#include "codec/num/num.h"
#include "codec/view.h"

/* Account for n bytes of content that are not in the text. */
static int jsvClaim(KvJsp *p, const char *zAt, double rLen){
  if( !(rLen<=(double)(KV_MAX_FILL - p->nFill)) ){
    return kvLexError(&p->lex, zAt,
        "buffers of more than 64 MiB of zeros can't be made from text");
  }
  p->nFill += (u64)rLen;
  return KV_OK;
}

/* A BUFFER node of n bytes at a -> p->iVal. */
static int jsvBuffer(KvJsp *p, const u8 *a, u32 n){
  KvNode *pNode;
  p->iVal = kvJspAdd(p, KV_BUFFER);
  if( p->iVal==KV_NO_NODE ) return KV_NOMEM;
  pNode = &p->pTree->aNode[p->iVal];
  pNode->n = n;
  pNode->u.p = a;
  return KV_OK;
}

/* A BUFFER of zero bytes that the text doesn't spell out -> p->iVal. */
static int jsvFill(KvJsp *p, const char *zAt, double rLen){
  u8 *a;
  if( jsvClaim(p, zAt, rLen) ) return p->lex.err.eCode;
  a = kvTreeSpace(p->pTree, (u64)rLen);
  if( a==0 ) return kvJspNoMem(p);
  memset(a, 0, (size_t)rLen);
  return jsvBuffer(p, a, (u32)rLen);
}

int kvJsWhole(KvJsp *p, int eView, u32 iBuf){
  KvNode *pNode;
  p->iVal = kvJspAdd(p, KV_VIEW);
  if( p->iVal==KV_NO_NODE ) return KV_NOMEM;
  pNode = &p->pTree->aNode[p->iVal];
  pNode->eSub = (u8)eView;
  pNode->iChild = iBuf;
  pNode->n = p->pTree->aNode[iBuf].n;
  return KV_OK;
}

/* Store any node as an element: what can be converted to a number is. */
static int jsvPut(u8 *a, int eView, const KvNode *pNode){
  KvNode x;
  if( eView==KV_VIEW_I64 || eView==KV_VIEW_U64 ) return kvViewPut(a, eView, pNode);
  memset(&x, 0, sizeof(x));
  x.eKind = KV_NUMBER;
  return kvJsToNumber(pNode, &x.u.r) && kvViewPut(a, eView, &x);
}

static int jsvBadElem(KvJsp *p, const char *zAt, int eView){
  return kvLexError(&p->lex, zAt, eView==KV_VIEW_I64 || eView==KV_VIEW_U64 ?
      "the elements of this array must be bigints, such as 1n" :
      "the elements of this array must be numbers");
}

/* Store the elements of ARRAY iArr to a, where nMax fit. */
static int jsvStoreArray(KvJsp *p, const char *zAt, int eView, u32 iArr, u8 *a, u32 nMax){
  const KvNode *aNode = p->pTree->aNode;
  const u32 nSize = (u32)kvViewSize(eView);
  u32 i = aNode[iArr].iChild, k;
  for(k=0; k<aNode[iArr].u.c.nElem; k++, i=aNode[i].iNext){
    if( k<nMax && !jsvPut(&a[(size_t)k*nSize], eView, &aNode[i]) ){
      return jsvBadElem(p, zAt, eView);
    }
  }
  for(k=0; k<aNode[iArr].u.c.nPair; k++){
    u32 iVal = aNode[i].iNext;
    if( aNode[i].eKind==KV_NUMBER && aNode[i].u.r<(double)nMax
     && !jsvPut(&a[(size_t)aNode[i].u.r*nSize], eView, &aNode[iVal])
    ){
      return jsvBadElem(p, zAt, eView);
    }
    i = aNode[iVal].iNext;
  }
  return KV_OK;
}

/* new X([...]) */
static int jsvFromArray(KvJsp *p, int eView, const char *zAt, u32 iArr){
  const u32 nSize = (u32)kvViewSize(eView);
  const KvNode *pArr = &p->pTree->aNode[iArr];
  const u32 n = pArr->n;
  u8 *a;
  if( (u64)n*nSize>KV_MAX_BUF ){
    return kvLexError(&p->lex, zAt, "a typed array of more than 2 GiB can't be made");
  }
  if( pArr->n>pArr->u.c.nElem && jsvClaim(p, zAt, (double)n*nSize) ) return KV_SYNTAX;
  a = kvTreeSpace(p->pTree, (u64)n*nSize);
  if( a==0 ) return kvJspNoMem(p);
  if( pArr->n>pArr->u.c.nElem ){                 /* the rest is undefined */
    KvNode hole;
    u32 k;
    memset(&hole, 0, sizeof(hole));
    hole.eKind = KV_HOLE;
    for(k=pArr->u.c.nElem; k<n; k++){
      if( !jsvPut(&a[(size_t)k*nSize], eView, &hole) ) return jsvBadElem(p, zAt, eView);
    }
  }
  if( jsvStoreArray(p, zAt, eView, iArr, a, n) ) return KV_SYNTAX;
  if( p->nDef==0 && iArr>0 ) p->pTree->nNode = iArr;  /* the array is the newest */
  if( jsvBuffer(p, a, n*nSize) ) return KV_NOMEM;
  return kvJsWhole(p, eView, p->iVal);
}

/*
** An argument that JavaScript converts by ToIndex(); undefined or none gives
** -1 in *pr.
*/
static int jsvIndex(KvJsp *p, const char *zAt, u32 iArg, double *pr){
  const KvNode *pArg = &p->pTree->aNode[iArg];
  *pr = -1.0;
  if( iArg==0 || pArg->eKind==KV_UNDEFINED ) return KV_OK;
  if( pArg->eKind!=KV_NUMBER || !(pArg->u.r>-1.0) || pArg->u.r>9007199254740991.0 ){
    return kvLexError(&p->lex, zAt, "lengths and offsets must be integers of at least 0");
  }
  *pr = pArg->u.r<0.0 ? 0.0 : (double)(i64)pArg->u.r;
  return KV_OK;
}

/* Check a view of nBuf bytes and find its length in bytes. */
static const char *jsvRange(
  int eView, u32 nBuf, int bTrack, double rOffset, double rLen, u32 *pnByte
){
  const u32 nSize = (u32)kvViewSize(eView);
  u32 nRest;
  if( rOffset>(double)nBuf ) return "the offset is beyond the end of the buffer";
  if( (u32)rOffset % nSize ) return "the offset must be a multiple of the element size";
  nRest = nBuf - (u32)rOffset;
  if( rLen<0.0 ){
    *pnByte = nRest - nRest%nSize;
    if( !bTrack && nRest%nSize ) return "the length of the buffer must be a multiple of the element size";
    return 0;
  }
  if( rLen*nSize>(double)nRest ) return "the view is longer than its buffer";
  *pnByte = (u32)rLen*nSize;
  return 0;
}

/* new X(buffer, offset, length) */
static int jsvFromBuffer(KvJsp *p, int eView, const char *zAt, u32 iBuf){
  KvTree *pTree = p->pTree;
  const KvNode *pBuf = &pTree->aNode[kvJspDeref(p, iBuf)];
  u32 iOff = pTree->aNode[iBuf].iNext;
  u32 iLen = iOff ? pTree->aNode[iOff].iNext : 0;
  u32 nByte = 0;
  int bTrack;
  double rOff, rLen;
  const char *zErr;
  KvNode *pView;
  if( jsvIndex(p, zAt, iOff, &rOff) || jsvIndex(p, zAt, iLen, &rLen) ) return KV_SYNTAX;
  if( rOff<0.0 ) rOff = 0.0;
  bTrack = pBuf->eSub==KV_BUF_RESIZABLE && rLen<0.0;
  zErr = jsvRange(eView, pBuf->n, bTrack, rOff, rLen, &nByte);
  if( zErr ) return kvLexError(&p->lex, zAt, zErr);
  pTree->aNode[iBuf].iNext = 0;
  if( kvJsWhole(p, eView, iBuf) ) return KV_NOMEM;
  pView = &pTree->aNode[p->iVal];
  pView->n = nByte;
  pView->u.iOffset = (u32)rOff;
  if( bTrack ) pView->mFlags |= KVN_TRACK;
  return KV_OK;
}

int kvJsCallView(KvJsp *p, int eView, const char *zAt, u32 iArg, u32 nArg){
  const KvNode *pArg = &p->pTree->aNode[nArg ? kvJspDeref(p, iArg) : 0];
  double rLen = -1.0;
  if( nArg && pArg->eKind==KV_BUFFER ) return jsvFromBuffer(p, eView, zAt, iArg);
  if( eView==KV_VIEW_DATA ){
    return kvLexError(&p->lex, zAt, "new DataView() needs a buffer");
  }
  if( nArg && pArg->eKind==KV_ARRAY ){
    if( p->pTree->aNode[iArg].eKind==KV_REF || pArg->eSpare==KV_LABELLED ){
      return kvLexError(&p->lex, zAt, "the array of elements can't be shared");
    }
    return jsvFromArray(p, eView, zAt, iArg);
  }
  if( nArg && pArg->eKind!=KV_NUMBER && pArg->eKind!=KV_UNDEFINED && pArg->eKind!=KV_NULL ){
    return kvLexError(&p->lex, zAt,
        "a typed array is made from [elements], a length or a buffer");
  }
  if( nArg && pArg->eKind!=KV_NULL && jsvIndex(p, zAt, iArg, &rLen) ) return KV_SYNTAX;
  if( rLen<0.0 ) rLen = 0.0;
  if( jsvFill(p, zAt, rLen*kvViewSize(eView)) ) return p->lex.err.eCode;
  return kvJsWhole(p, eView, p->iVal);
}

/* The value of the OBJECT's property maxByteLength, or 0. */
static u32 jsvMaxLength(const KvTree *p, u32 iObj){
  const KvNode *aNode = p->aNode;
  u32 i = aNode[iObj].iChild;
  for(; i; i=aNode[aNode[i].iNext].iNext){
    if( aNode[i].eKind==KV_STRING && aNode[i].n==13
     && memcmp(aNode[i].u.p, "maxByteLength", 13)==0
    ){
      return aNode[i].iNext;
    }
  }
  return 0;
}

int kvJsCallBuffer(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  const KvNode *aNode = p->pTree->aNode;
  u32 iOpt = nArg>1 ? aNode[iArg].iNext : 0;
  u32 iMax;
  double rLen = 0.0, rMax = -1.0;
  if( jsvIndex(p, zAt, nArg ? iArg : 0, &rLen) ) return KV_SYNTAX;
  if( iOpt && aNode[iOpt].eKind==KV_OBJECT
   && jsvIndex(p, zAt, jsvMaxLength(p->pTree, iOpt), &rMax)
  ){
    return KV_SYNTAX;
  }
  if( rLen<0.0 ) rLen = 0.0;
  if( rMax>=0.0 && rMax<rLen ){
    return kvLexError(&p->lex, zAt, "maxByteLength is less than the length");
  }
  if( rMax>(double)KV_MAX_RESIZABLE ){
    return kvLexError(&p->lex, zAt, "maxByteLength is more than V8 reads");
  }
  if( jsvFill(p, zAt, rLen) ) return p->lex.err.eCode;
  if( rMax>=0.0 ){
    iMax = kvJspAdd(p, KV_NUMBER);
    if( iMax==KV_NO_NODE ) return KV_NOMEM;
    p->pTree->aNode[iMax].u.r = rMax;
    p->pTree->aNode[p->iVal].eSub = KV_BUF_RESIZABLE;
    p->pTree->aNode[p->iVal].iChild = iMax;
  }
  return KV_OK;
}

int kvJsAssignView(KvJsp *p, const char *zAt, u32 iView, u32 iSource){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pView = &aNode[iView];
  const KvNode *pBuf = &aNode[kvJspDeref(p, pView->iChild)];
  const u32 nSize = (u32)kvViewSize(pView->eSub);
  const u32 nElem = pView->n/nSize;
  u8 *a;
  u32 i;
  if( pView->eSub==KV_VIEW_DATA || pBuf->eSub==KV_BUF_IMMUTABLE ){
    return kvLexError(&p->lex, zAt, "only a typed array can be assigned elements");
  }
  if( pView->n==0 ) return KV_OK;
  /* A buffer made by this parser is always the tree's own memory */
  a = (u8*)pBuf->u.p + pView->u.iOffset;
  if( aNode[iSource].eKind==KV_ARRAY ){
    return jsvStoreArray(p, zAt, pView->eSub, iSource, a, pView->n/nSize);
  }
  for(i=aNode[iSource].iChild; i; i=aNode[aNode[i].iNext].iNext){
    if( aNode[i].eKind!=KV_NUMBER ){
      return kvLexError(&p->lex, zAt, "a stored typed array has no properties but its elements");
    }
    if( aNode[i].u.r<(double)nElem
     && !jsvPut(&a[(size_t)aNode[i].u.r*nSize], pView->eSub, &aNode[aNode[i].iNext])
    ){
      return jsvBadElem(p, zAt, pView->eSub);
    }
  }
  return KV_OK;
}

/*
** Check "[ 1, 2, 3 ]" at z: spaces and integers up to 255 only.  Returns the
** position behind it, and the number of elements, or 0.
*/
static const char *jsvPlainScan(const char *z, const char *zEnd, u32 *pn){
  u32 n = 0;
  for(z++;;){
    u32 v = 0;
    const char *zDigit;
    while( z<zEnd && (*z==' ' || *z=='\n') ) z++;
    for(zDigit=z; z<zEnd && *z>='0' && *z<='9' && z-zDigit<3; z++) v = v*10 + (u32)(*z-'0');
    if( z==zDigit || v>255 || (*zDigit=='0' && z-zDigit>1) ) return 0;
    n++;
    while( z<zEnd && (*z==' ' || *z=='\n') ) z++;
    if( z>=zEnd ) return 0;
    if( *z==']' ) break;
    if( *z!=',' ) return 0;
    z++;
  }
  *pn = n;
  return z+1;
}

int kvJsPlainBytes(KvJsp *p){
  u32 n, v = 0, i = 0;
  const char *z = p->lex.z;
  const char *zClose = jsvPlainScan(z, p->lex.zEnd, &n);
  u8 *a;
  if( zClose==0 ) return 0;
  a = kvTreeSpace(p->pTree, n);
  if( a==0 ){
    kvJspNoMem(p);
    return -1;
  }
  for(z++; z<zClose; z++){
    if( *z>='0' && *z<='9' ){
      v = v*10 + (u32)(*z-'0');
    }else if( *z==',' || *z==']' ){
      a[i++] = (u8)v;
      v = 0;
    }
  }
  p->lex.z = zClose;
  if( jsvBuffer(p, a, n) || kvJsWhole(p, KV_VIEW_U8, p->iVal) ) return -1;
  return 1;
}
