/*
** v8_write.c -- writer of V8's value serialization format, byte for byte what
** Deno writes.  The grammar is at the head of v8_read.c.
**
** Where V8 chooses by its inner state, this is what a value that was just made
** by a literal has:
**   - an integer of 32 bits is 'I', any other number 'N'; but when an array
**     has only numbers, and one of them is not such an integer, all are 'N';
**   - a string is '"' if every unit is below 256, else 'c', with one byte of
**     padding before where its units would start at an odd offset;
**   - an array with holes is sparse, and one of numbers and undefined with at
**     least one undefined too (and then each number is written as it is);
**   - keys that are array indices are numbers;
**   - an Error has message, stack and cause in this order;
**   - a bigint has a multiple of 8 bytes;
**   - a view that follows the length of its buffer has the length 0.
**
** An object gets its id when it is first written, which is at the first REF to
** it if that comes before its own place; from then on it is a reference.
*/
#include "codec/v8/v8_int.h"

/* An open container. */
typedef struct V8wFrame V8wFrame;
struct V8wFrame {
  u32 iNode;              /* The container */
  u32 iNext;              /* Next child to write, or 0 */
  u32 iItem;              /* ARRAY: index of the next element */
  u32 nItem;              /* Values or pairs written */
  u8 bSparse;             /* ARRAY */
  u8 bDouble;             /* ARRAY: write every number as 'N' */
  int nCost;
};
#define V8W_FRAMES 24

typedef struct V8Writer V8Writer;
struct V8Writer {
  KvTree *p;
  KvBuf *pOut;
  KvErr *pErr;
  u32 *aId;               /* Id+1 of each node, 0 without references */
  u32 nId;
  int nDepth;             /* Cost of the open containers */
  u32 nFrame, nFrameAlloc;
  V8wFrame *aFrame;
  V8wFrame aSpace[V8W_FRAMES];
};

static int v8wRefuse(V8Writer *w, const char *zMsg){
  kvErrSet(w->pErr, KV_REFUSED, -1, zMsg);
  return KV_REFUSED;
}

/*************************************************************************
** Words
*/

static void v8wVarintSlow(KvBuf *pOut, u64 v){
  u8 a[10];
  u32 n = 0;
  while( v>=0x80 ){
    a[n++] = (u8)(v | 0x80);
    v >>= 7;
  }
  a[n++] = (u8)v;
  kvBufAppend(pOut, a, n);
}

static inline void v8wVarint(KvBuf *pOut, u64 v){
  if( v<0x80 ) kvBufPut(pOut, (u8)v);
  else v8wVarintSlow(pOut, v);
}

/* A tag and a varint. */
static inline void v8wTagged(KvBuf *pOut, u8 eTag, u64 v){
  if( v<0x80 && pOut->nAlloc - pOut->n>=2 && pOut->eErr==KV_OK ){
    pOut->a[pOut->n] = eTag;
    pOut->a[pOut->n+1] = (u8)v;
    pOut->n += 2;
  }else{
    kvBufPut(pOut, eTag);
    v8wVarint(pOut, v);
  }
}

static void v8wDouble(KvBuf *pOut, u8 eTag, double r){
  u8 a[9];
  a[0] = eTag;
  kvPut64le(&a[1], r==r ? kvDoubleToBits(r) : KV_NAN_BITS);
  kvBufAppend(pOut, a, 9);
}

static void v8wNumber(KvBuf *pOut, double r){
  i32 i;
  if( v8IsInt(r, &i) ){
    v8wTagged(pOut, 'I', ((u32)i<<1) ^ (i<0 ? 0xffffffffu : 0));
  }else{
    v8wDouble(pOut, 'N', r);
  }
}

/* The bits and digits of a bigint. */
static int v8wBigint(V8Writer *w, const KvNode *pNode){
  static const u8 aZero[8] = {0};
  u32 nPad = (0u - pNode->n) & 7;
  if( pNode->n>V8_MAX_BIGINT ){
    return v8wRefuse(w, "a bigint is longer than V8's limit of 2^30 bits");
  }
  v8wVarint(w->pOut, ((u64)pNode->n + nPad)<<1 | (pNode->eSub && pNode->n));
  kvBufAppend(w->pOut, pNode->u.p, pNode->n);
  kvBufAppend(w->pOut, aZero, nPad);
  return KV_OK;
}

/*************************************************************************
** Strings
*/

/* The tag 'c', padding before it if needed, and the length in bytes. */
static void v8wTwoByteHead(KvBuf *pOut, u64 nByte){
  u64 v = nByte;
  u32 nHead = 2;
  while( v>=0x80 ){
    nHead++;
    v >>= 7;
  }
  if( (pOut->n + nHead) & 1 ) kvBufPut(pOut, 0);
  v8wTagged(pOut, 'c', nByte);
}

/* True if all units are below 256. */
static int v8wUtf16Narrow(const u8 *z, u32 n){
  u32 i;
  for(i=1; i<n; i+=2){
    if( z[i] ) return 0;
  }
  return 1;
}

static void v8wUtf16(KvBuf *pOut, const u8 *z, u32 n){
  u32 i;
  if( v8wUtf16Narrow(z, n) ){
    v8wTagged(pOut, '"', n/2);
    if( kvBufGrow(pOut, n/2)!=KV_OK ) return;
    for(i=0; i<n/2; i++) pOut->a[pOut->n++] = z[i*2];
  }else{
    v8wTwoByteHead(pOut, n);
    kvBufAppend(pOut, z, n);
  }
}

/* Units of WTF-8 text, and whether all of them are below 256. */
static u64 v8wCountUnits(const u8 *z, u32 n, int *pbNarrow){
  u64 nUnit = 0;
  u8 cMax = 0;
  u32 i;
  for(i=0; i<n; i++){
    nUnit += (z[i]&0xc0)!=0x80;
    nUnit += z[i]>=0xf0;
    if( z[i]>cMax ) cMax = z[i];
  }
  *pbNarrow = cMax<=0xc3;
  return nUnit;
}

void kvV8PutText(KvBuf *pOut, const u8 *z, u32 n){
  int bNarrow;
  u64 nUnit = v8wCountUnits(z, n, &bNarrow);
  u32 i = 0;
  u8 *zOut;
  if( bNarrow ) v8wTagged(pOut, '"', nUnit);
  else v8wTwoByteHead(pOut, nUnit*2);
  if( kvBufGrow(pOut, bNarrow ? nUnit : nUnit*2)!=KV_OK ) return;
  zOut = &pOut->a[pOut->n];
  pOut->n += (u32)(bNarrow ? nUnit : nUnit*2);
  while( i<n ){
    u32 c = z[i];
    if( c<0x80 ){
      i++;
    }else if( c<0xe0 && n-i>=2 ){                /* it is well formed */
      c = (c&0x1f)<<6 | (z[i+1]&0x3fu);
      i += 2;
    }else if( c<0xf0 && n-i>=3 ){
      c = (c&0x0f)<<12 | (z[i+1]&0x3fu)<<6 | (z[i+2]&0x3fu);
      i += 3;
    }else{
      i += (u32)kvUtf8Get(kvBytes(&z[i], n-i), &c, 1);
    }
    if( c>=0x10000 ){
      u32 cHigh = 0xd800 + ((c-0x10000)>>10);
      *zOut++ = (u8)cHigh;
      *zOut++ = (u8)(cHigh>>8);
      c = 0xdc00 + (c&0x3ff);
    }
    *zOut++ = (u8)c;
    if( !bNarrow ) *zOut++ = (u8)(c>>8);
  }
}

static int v8wString(V8Writer *w, const KvNode *pNode){
  KvBuf *pOut = w->pOut;
  if( pNode->n>V8_MAX_STRING ){
    int b;
    u64 nUnit = pNode->n;
    if( pNode->eSub==KV_UTF16 ) nUnit = pNode->n/2;
    if( pNode->eSub==KV_WTF8 ) nUnit = v8wCountUnits(pNode->u.p, pNode->n, &b);
    if( nUnit>V8_MAX_STRING ){
      return v8wRefuse(w, "a string is longer than V8's limit of 536870888 units");
    }
  }
  if( pNode->eSub==KV_LATIN1 || (pNode->mFlags & KVN_ASCII)
   || (pNode->eSub==KV_WTF8 && kvAsciiSpan(kvBytes(pNode->u.p, pNode->n))==pNode->n)
  ){
    v8wTagged(pOut, '"', pNode->n);
    kvBufAppend(pOut, pNode->u.p, pNode->n);
  }else if( pNode->eSub==KV_UTF16 ){
    v8wUtf16(pOut, pNode->u.p, pNode->n);
  }else{
    kvV8PutText(pOut, pNode->u.p, pNode->n);
  }
  return KV_OK;
}

/*
** The commonest values: if the node is a string of at most 32 bytes, of one
** byte per unit, or an integer, and there is room, write it.
*/
static inline int v8wSmall(KvBuf *pOut, const KvNode *pNode){
  u8 *a = &pOut->a[pOut->n];
  u32 n = pNode->n;
  i32 i;
  if( pOut->nAlloc - pOut->n<34 || pOut->eErr!=KV_OK ) return 0;
  if( pNode->eKind==KV_STRING ){
    if( n>32 || (pNode->eSub!=KV_LATIN1 && !(pNode->mFlags & KVN_ASCII)) ) return 0;
    *a++ = '"';
    *a++ = (u8)n;
    if( n>=16 ){
      memcpy(a, pNode->u.p, 16);
      memcpy(&a[n-16], &pNode->u.p[n-16], 16);
    }else if( n>=8 ){
      memcpy(a, pNode->u.p, 8);
      memcpy(&a[n-8], &pNode->u.p[n-8], 8);
    }else if( n>=4 ){
      memcpy(a, pNode->u.p, 4);
      memcpy(&a[n-4], &pNode->u.p[n-4], 4);
    }else if( n>0 ){
      a[0] = pNode->u.p[0];
      a[n/2] = pNode->u.p[n/2];
      a[n-1] = pNode->u.p[n-1];
    }
    pOut->n += n + 2;
    return 1;
  }
  if( pNode->eKind==KV_NUMBER && v8IsInt(pNode->u.r, &i) ){
    u32 v = ((u32)i<<1) ^ (i<0 ? 0xffffffffu : 0);
    *a++ = 'I';
    while( v>=0x80 ){
      *a++ = (u8)(v | 0x80);
      v >>= 7;
    }
    *a++ = (u8)v;
    pOut->n = (u32)(a - pOut->a);
    return 1;
  }
  return 0;
}

/*************************************************************************
** Objects without children
*/

/*
** Called when an object is about to be written.  True if it has been before:
** then a reference is written instead.
*/
static inline int v8wSeen(V8Writer *w, u32 iNode){
  if( w->aId ){
    if( w->aId[iNode] ){
      v8wTagged(w->pOut, '^', w->aId[iNode] - 1);
      return 1;
    }
    w->aId[iNode] = ++w->nId;
  }
  return 0;
}

static void v8wBuffer(V8Writer *w, u32 iBuffer){
  const KvNode *pNode = &w->p->aNode[iBuffer];
  KvBuf *pOut = w->pOut;
  if( v8wSeen(w, iBuffer) ) return;
  if( pNode->eSub==KV_BUF_RESIZABLE ){
    v8wTagged(pOut, '~', pNode->n);
    v8wVarint(pOut, (u64)w->p->aNode[pNode->iChild].u.r);
  }else{
    v8wTagged(pOut, pNode->eSub==KV_BUF_IMMUTABLE ? 'C' : 'B', pNode->n);
  }
  kvBufAppend(pOut, pNode->u.p, pNode->n);
}

/* The buffer takes its id before the view. */
static void v8wView(V8Writer *w, u32 iView){
  const KvNode *pNode = &w->p->aNode[iView];
  u32 iBuffer = kvDeref(w->p, pNode->iChild);
  int bTrack = (pNode->mFlags & KVN_TRACK)!=0;
  KvBuf *pOut = w->pOut;
  if( w->aId && w->aId[iView] ){
    v8wTagged(pOut, '^', w->aId[iView] - 1);
    return;
  }
  v8wBuffer(w, iBuffer);
  if( w->aId ) w->aId[iView] = ++w->nId;
  kvBufPut(pOut, 'V');
  kvBufPut(pOut, (u8)"bBCwWdDhfFqQ?"[pNode->eSub]);
  v8wVarint(pOut, pNode->u.iOffset);
  v8wVarint(pOut, bTrack ? 0 : pNode->n);
  kvBufPut(pOut, w->p->aNode[iBuffer].eSub!=KV_BUF_RESIZABLE ? 0 : bTrack ? 3 : 2);
}

static int v8wRegexp(V8Writer *w, const KvNode *pNode){
  const KvNode *pSource = &w->p->aNode[pNode->iChild];
  int rc = KV_OK;
  kvBufPut(w->pOut, 'R');
  if( pSource->n==0 ) kvBufLit(w->pOut, "\"\004(?:)");
  else rc = v8wString(w, pSource);
  v8wVarint(w->pOut, pNode->n);
  return rc;
}

static int v8wBoxed(V8Writer *w, const KvNode *pNode){
  const KvNode *pValue = &w->p->aNode[pNode->iChild];
  switch( pValue->eKind ){
    case KV_BOOL:
      kvBufPut(w->pOut, pValue->n ? 'y' : 'x');
      return KV_OK;
    case KV_NUMBER:
      v8wDouble(w->pOut, 'n', pValue->u.r);
      return KV_OK;
    case KV_BIGINT:
      kvBufPut(w->pOut, 'z');
      return v8wBigint(w, pValue);
    default:
      kvBufPut(w->pOut, 's');
      return v8wString(w, pValue);
  }
}

/* A KvU64 is what Deno makes of it inside a value: {value: <bigint>}. */
static int v8wU64(V8Writer *w, u32 iNode){
  KvNode x;
  u8 a[8];
  if( v8wSeen(w, iNode) ) return KV_OK;
  memset(&x, 0, sizeof(x));
  kvPut64le(a, w->p->aNode[iNode].u.u);
  x.u.p = a;
  x.n = w->p->aNode[iNode].u.u ? 8 : 0;
  kvBufLit(w->pOut, "o\"\005valueZ");
  v8wBigint(w, &x);
  kvBufLit(w->pOut, "{\001");
  return KV_OK;
}

/*************************************************************************
** Containers
*/

int kvDepthCost(int eKind, int bSparse){
  switch( eKind ){
    case KV_OBJECT:
    case KV_HOST:    return 24;
    case KV_ARRAY:   return bSparse ? 25 : 18;
    case KV_MAP:
    case KV_SET:     return 14;
    default:         return 10;
  }
}

static int v8wGrowFrames(V8Writer *w){
  u64 nNew = (u64)w->nFrameAlloc*2;
  int bOwn = w->aFrame==w->aSpace;
  V8wFrame *aNew = kvRealloc(bOwn ? 0 : w->aFrame, nNew*sizeof(V8wFrame));
  if( aNew==0 ) return kvErrSet(w->pErr, KV_NOMEM, -1, "out of memory");
  if( bOwn ) memcpy(aNew, w->aSpace, sizeof(w->aSpace));
  w->aFrame = aNew;
  w->nFrameAlloc = (u32)nNew;
  return KV_OK;
}

/* Choose the form of an array, and write its head. */
static void v8wArrayHead(V8Writer *w, V8wFrame *pFrame){
  const KvNode *aNode = w->p->aNode;
  const KvNode *pNode = &aNode[pFrame->iNode];
  u32 iElem = pNode->iChild;
  int bHole = pNode->n!=pNode->u.c.nElem;
  int bUndefined = 0, bDouble = 0, bOther = 0;
  u32 k;
  i32 i;
  for(k=0; k<pNode->u.c.nElem; k++, iElem=aNode[iElem].iNext){
    switch( aNode[iElem].eKind ){
      case KV_NUMBER:     bDouble |= !v8IsInt(aNode[iElem].u.r, &i);  break;
      case KV_UNDEFINED:  bUndefined = 1;                             break;
      case KV_HOLE:       bHole = 1;                                  break;
      default:            bOther = 1;                                 break;
    }
    if( bOther && bHole ) break;
  }
  pFrame->bSparse = (u8)(bHole || (bUndefined && !bOther));
  pFrame->bDouble = (u8)(bDouble && !bOther && !pFrame->bSparse);
  v8wTagged(w->pOut, pFrame->bSparse ? 'a' : 'A', pNode->n);
}

/* Open the container iNode, which has just got its id. */
static int v8wOpen(V8Writer *w, u32 iNode){
  const KvNode *pNode = &w->p->aNode[iNode];
  KvBuf *pOut = w->pOut;
  V8wFrame *pFrame;
  if( w->nFrame>=w->nFrameAlloc && v8wGrowFrames(w)!=KV_OK ) return KV_NOMEM;
  pFrame = &w->aFrame[w->nFrame++];
  pFrame->iNode = iNode;
  pFrame->iNext = pNode->iChild;
  pFrame->iItem = 0;
  pFrame->nItem = 0;
  pFrame->bSparse = 0;
  pFrame->bDouble = 0;
  switch( pNode->eKind ){
    case KV_OBJECT:  kvBufPut(pOut, 'o');       break;
    case KV_MAP:     kvBufPut(pOut, ';');       break;
    case KV_SET:     kvBufPut(pOut, '\'');      break;
    case KV_ARRAY:   v8wArrayHead(w, pFrame);   break;
    default:
      kvBufPut(pOut, 'r');
      if( pNode->eSub ) kvBufPut(pOut, (u8)".ERFSTU"[pNode->eSub]);
      break;
  }
  pFrame->nCost = kvDepthCost(pNode->eKind, pFrame->bSparse);
  w->nDepth += pFrame->nCost;
  if( w->nDepth>KV_DEPTH_BUDGET ){
    return v8wRefuse(w, "the value is nested deeper than Deno can read"
        " (at most 2500 objects, 3333 arrays or 4285 Maps or Sets)");
  }
  return KV_OK;
}

/* Write a value, or only the head of a container, which is then open. */
static int v8wValue(V8Writer *w, u32 iNode){
  KvBuf *pOut = w->pOut;
  const KvNode *pNode = &w->p->aNode[iNode];
  if( pNode->eKind==KV_REF ){
    iNode = pNode->n;
    pNode = &w->p->aNode[iNode];
  }
  switch( pNode->eKind ){
    case KV_HOLE:
    case KV_UNDEFINED:  kvBufPut(pOut, '_');                  return KV_OK;
    case KV_NULL:       kvBufPut(pOut, '0');                  return KV_OK;
    case KV_BOOL:       kvBufPut(pOut, pNode->n ? 'T' : 'F'); return KV_OK;
    case KV_NUMBER:     v8wNumber(pOut, pNode->u.r);          return KV_OK;
    case KV_STRING:     return v8wString(w, pNode);
    case KV_BIGINT:     kvBufPut(pOut, 'Z');                  return v8wBigint(w, pNode);
    case KV_VIEW:       v8wView(w, iNode);                    return KV_OK;
    case KV_BUFFER:     v8wBuffer(w, iNode);                  return KV_OK;
    case KV_U64:        return v8wU64(w, iNode);
    case KV_HOST:
      return v8wRefuse(w, "a host object (Blob, CryptoKey ...) cannot be written");
    default:            break;
  }
  if( v8wSeen(w, iNode) ) return KV_OK;
  switch( pNode->eKind ){
    case KV_DATE:    v8wDouble(pOut, 'D', pNode->u.r);  return KV_OK;
    case KV_REGEXP:  return v8wRegexp(w, pNode);
    case KV_BOXED:   return v8wBoxed(w, pNode);
    default:         return v8wOpen(w, iNode);
  }
}

static void v8wClose(V8Writer *w, u8 eTag, u64 n){
  V8wFrame *pFrame = &w->aFrame[--w->nFrame];
  w->nDepth -= pFrame->nCost;
  v8wTagged(w->pOut, eTag, n);
}

/* The key of a property. */
static inline int v8wKey(V8Writer *w, u32 iKey){
  const KvNode *pKey = &w->p->aNode[iKey];
  if( pKey->eKind==KV_STRING ) return v8wString(w, pKey);
  v8wNumber(w->pOut, pKey->u.r);
  return KV_OK;
}

/*
** Write pairs from iKey on until one opens a container.  Returns with the
** next key in the frame, or 0 there when all are written.
*/
static int v8wPairs(V8Writer *w, u32 iKey){
  u32 nFrame = w->nFrame;
  int rc = KV_OK;
  while( iKey && rc==KV_OK && w->nFrame==nFrame ){
    u32 iValue = w->p->aNode[iKey].iNext;
    if( !v8wSmall(w->pOut, &w->p->aNode[iKey]) ){
      rc = v8wKey(w, iKey);
      if( rc!=KV_OK ) return rc;
    }
    iKey = w->p->aNode[iValue].iNext;
    w->aFrame[nFrame-1].iNext = iKey;
    w->aFrame[nFrame-1].nItem++;
    if( !v8wSmall(w->pOut, &w->p->aNode[iValue]) ) rc = v8wValue(w, iValue);
  }
  return rc;
}

static int v8wStepObject(V8Writer *w){
  u32 nFrame = w->nFrame;
  int rc = v8wPairs(w, w->aFrame[nFrame-1].iNext);
  if( rc==KV_OK && w->nFrame==nFrame ) v8wClose(w, '{', w->aFrame[nFrame-1].nItem);
  return rc;
}

/* The elements of an array, until one opens a container. */
static int v8wElements(V8Writer *w, V8wFrame *pFrame, u32 nElem){
  u32 nFrame = w->nFrame;
  int bSparse = pFrame->bSparse, bDouble = pFrame->bDouble;
  int rc = KV_OK;
  while( rc==KV_OK && w->nFrame==nFrame ){
    u32 iElem, iIndex;
    const KvNode *pElem;
    pFrame = &w->aFrame[nFrame-1];
    if( pFrame->iItem>=nElem ) break;
    iIndex = pFrame->iItem++;
    iElem = pFrame->iNext;
    pElem = &w->p->aNode[iElem];
    pFrame->iNext = pElem->iNext;
    if( bSparse ){
      if( pElem->eKind==KV_HOLE ) continue;
      pFrame->nItem++;
      v8wNumber(w->pOut, (double)iIndex);
    }
    if( bDouble ) v8wDouble(w->pOut, 'N', pElem->u.r);
    else if( !v8wSmall(w->pOut, pElem) ) rc = v8wValue(w, iElem);
  }
  return rc;
}

static int v8wStepArray(V8Writer *w){
  u32 nFrame = w->nFrame;
  V8wFrame *pFrame = &w->aFrame[nFrame-1];
  const KvNode *pNode = &w->p->aNode[pFrame->iNode];
  int rc = v8wElements(w, pFrame, pNode->u.c.nElem);
  if( rc!=KV_OK || w->nFrame!=nFrame ) return rc;
  rc = v8wPairs(w, w->aFrame[nFrame-1].iNext);
  if( rc!=KV_OK || w->nFrame!=nFrame ) return rc;
  pFrame = &w->aFrame[nFrame-1];
  v8wClose(w, pFrame->bSparse ? '@' : '$', pFrame->nItem);
  v8wVarint(w->pOut, pNode->n);
  return KV_OK;
}

/* A Map or a Set. */
static int v8wStepKeyed(V8Writer *w, u8 eEnd){
  u32 nFrame = w->nFrame;
  int rc = KV_OK;
  while( rc==KV_OK && w->nFrame==nFrame ){
    V8wFrame *pFrame = &w->aFrame[nFrame-1];
    u32 iValue = pFrame->iNext;
    if( iValue==0 ){
      v8wClose(w, eEnd, pFrame->nItem);
      break;
    }
    pFrame->iNext = w->p->aNode[iValue].iNext;
    pFrame->nItem++;
    rc = v8wValue(w, iValue);
  }
  return rc;
}

static int v8wStepError(V8Writer *w){
  static const u8 aTag[3] = { 'm', 's', 'c' };
  u32 nFrame = w->nFrame;
  int rc = KV_OK;
  while( rc==KV_OK && w->nFrame==nFrame ){
    V8wFrame *pFrame = &w->aFrame[nFrame-1];
    u32 iPart = pFrame->iNext;
    u32 mParts = w->p->aNode[pFrame->iNode].n;
    while( pFrame->iItem<3 && (mParts>>pFrame->iItem & 1)==0 ) pFrame->iItem++;
    if( pFrame->iItem>=3 || iPart==0 ){
      kvBufPut(w->pOut, '.');
      w->nDepth -= pFrame->nCost;
      w->nFrame--;
      break;
    }
    kvBufPut(w->pOut, aTag[pFrame->iItem++]);
    pFrame->iNext = w->p->aNode[iPart].iNext;
    rc = v8wValue(w, iPart);
  }
  return rc;
}

/* Write the root and everything in it. */
static int v8wAll(V8Writer *w){
  int rc = v8wValue(w, 0);
  while( rc==KV_OK && w->nFrame && w->pOut->eErr==KV_OK ){
    switch( w->p->aNode[w->aFrame[w->nFrame-1].iNode].eKind ){
      case KV_OBJECT:  rc = v8wStepObject(w);       break;
      case KV_ARRAY:   rc = v8wStepArray(w);        break;
      case KV_MAP:     rc = v8wStepKeyed(w, ':');   break;
      case KV_SET:     rc = v8wStepKeyed(w, ',');   break;
      default:         rc = v8wStepError(w);        break;
    }
  }
  return rc;
}

int kvV8Append(KvTree *p, int nDepth, KvBuf *pOut, KvErr *pErr){
  V8Writer w;
  int rc;
  w.p = p;
  w.pOut = pOut;
  w.pErr = pErr;
  w.aId = 0;
  w.nId = 0;
  w.nDepth = nDepth;
  w.nFrame = 0;
  w.nFrameAlloc = V8W_FRAMES;
  w.aFrame = w.aSpace;
  if( p->nRef ){
    w.aId = kvRealloc(0, (u64)p->nNode*sizeof(u32));
    if( w.aId==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
    memset(w.aId, 0, (size_t)p->nNode*sizeof(u32));
  }
  rc = v8wAll(&w);
  if( w.aFrame!=w.aSpace ) kvFree(w.aFrame);
  kvFree(w.aId);
  if( rc==KV_OK && pOut->eErr!=KV_OK ){
    rc = kvErrSet(pErr, pOut->eErr, -1,
        pOut->eErr==KV_NOMEM ? "out of memory" : "the value is too big");
  }
  return rc;
}

int kvV8Write(KvTree *p, int iVersion, KvBuf *pOut, KvErr *pErr){
  v8wTagged(pOut, 0xff, (u64)iVersion);
  return kvV8Append(p, 0, pOut, pErr);
}
