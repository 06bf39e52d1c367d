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
#include "codec/v8/v8_write.h"
#include "codec/v8/v8_int.h"
#include "codec/view.h"

/* An open container. */
typedef struct V8WriteFrame V8WriteFrame;
struct V8WriteFrame {
  u32 iNode;              /* The container */
  u32 iNext;              /* Next child to write, or 0 */
  u32 iItem;              /* ARRAY: index of the next element */
  u32 nItem;              /* Values or pairs written */
  u8 bSparse;             /* ARRAY */
  u8 bDouble;             /* ARRAY: write every number as 'N' */
  int nCost;
};
#define V8_WRITE_FRAMES 24

typedef struct V8Writer V8Writer;
struct V8Writer {
  KvTree *p;
  KvBuf *pOut;
  KvErr *pErr;
  int rc;                 /* KV_OK, or the code of the first error */
  u32 *aId;               /* Id+1 of each node, 0 without references */
  u32 nId;
  int nDepth;             /* Cost of the open containers */
  u32 nFrame, nFrameAlloc;
  V8WriteFrame *aFrame;
  V8WriteFrame aSpace[V8_WRITE_FRAMES];
};

/* The first error, after which nothing more is opened. */
static void v8WriteStop(V8Writer *w, int eCode, const char *zMsg){
  if( w->rc==KV_OK ) w->rc = kvErrSet(w->pErr, eCode, -1, zMsg);
}

/*************************************************************************
** Words
*/

/* A tag and a varint. */
static inline void v8WriteTagged(KvBuf *pOut, u8 eTag, u64 v){
  u8 *z;
  if( !kvBufRoom(pOut, 11) ) return;
  z = &pOut->a[pOut->n];
  *z++ = eTag;
  pOut->n = (u32)(v8PutVarint(z, v) - pOut->a);
}

static void v8WriteDouble(KvBuf *pOut, u8 eTag, double r){
  u8 a[9];
  a[0] = eTag;
  kvPut64le(&a[1], r==r ? kvDoubleToBits(r) : KV_NAN_BITS);
  kvBufAppend(pOut, a, 9);
}

static void v8WriteNumber(KvBuf *pOut, double r){
  i32 i;
  if( v8IsInt(r, &i) ){
    v8WriteTagged(pOut, 'I', v8ToZigzag(i));
  }else{
    v8WriteDouble(pOut, 'N', r);
  }
}

/* The bits and digits of a bigint. */
static void v8WriteBigint(V8Writer *w, const KvNode *pNode){
  static const u8 aZero[8] = {0};
  u32 nPad = (0u - pNode->n) & 7;
  if( pNode->n>V8_MAX_BIGINT ){
    v8WriteStop(w, KV_REFUSED, "a bigint is longer than V8's limit of 2^30 bits");
    return;
  }
  v8AppendVarint(w->pOut, ((u64)pNode->n + nPad)<<1 | (pNode->eSub && pNode->n));
  kvBufAppend(w->pOut, pNode->u.p, pNode->n);
  kvBufAppend(w->pOut, aZero, nPad);
}

/*************************************************************************
** Strings
*/

/* The tag 'c', padding before it if needed, and the length in bytes. */
static void v8WriteWideHead(KvBuf *pOut, u64 nByte){
  if( (pOut->n + 1 + v8VarintSize(nByte)) & 1 ) kvBufPut(pOut, 0);
  v8WriteTagged(pOut, 'c', nByte);
}

static void v8WriteUtf16(KvBuf *pOut, KvBytes text){
  u32 n = text.n, i;
  if( v8IsNarrow(text) ){
    v8WriteTagged(pOut, '"', n/2);
    if( kvBufGrow(pOut, n/2)!=KV_OK ) return;
    for(i=0; i<n/2; i++) pOut->a[pOut->n++] = text.p[i*2];
  }else{
    v8WriteWideHead(pOut, n);
    kvBufAdd(pOut, text);
  }
}

/* Units of WTF-8 text, and whether all of them are below 256. */
static u64 v8WriteCountUnits(KvBytes text, int *pbNarrow){
  const u8 *z = text.p;
  u64 nUnit = 0;
  u8 cMax = 0;
  u32 i;
  for(i=0; i<text.n; i++){
    nUnit += (z[i]&0xc0)!=0x80;
    nUnit += z[i]>=0xf0;
    if( z[i]>cMax ) cMax = z[i];
  }
  *pbNarrow = cMax<=0xc3;
  return nUnit;
}

void kvV8WriteText(KvBuf *pOut, KvBytes text){
  const u8 *z = text.p;
  int bNarrow;
  u64 nUnit = v8WriteCountUnits(text, &bNarrow);
  u32 n = text.n, i = 0;
  u8 *zOut;
  if( bNarrow ) v8WriteTagged(pOut, '"', nUnit);
  else v8WriteWideHead(pOut, nUnit*2);
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

/* The limit of a string's length, by its units. */
static void v8WriteCheckLength(V8Writer *w, const KvNode *pNode){
  int bNarrow;
  u64 nUnit = pNode->n;
  if( pNode->eSub==KV_UTF16 ) nUnit = pNode->n/2;
  if( pNode->eSub==KV_WTF8 ) nUnit = v8WriteCountUnits(kvNodeBytes(pNode), &bNarrow);
  if( nUnit>V8_MAX_STRING ){
    v8WriteStop(w, KV_REFUSED, "a string is longer than V8's limit of 536870888 units");
  }
}

static void v8WriteString(V8Writer *w, const KvNode *pNode){
  KvBuf *pOut = w->pOut;
  if( pNode->n>V8_MAX_STRING ) v8WriteCheckLength(w, pNode);
  if( pNode->eSub==KV_LATIN1 || (pNode->mFlags & KVN_ASCII)
   || (pNode->eSub==KV_WTF8 && kvAsciiSpan(kvNodeBytes(pNode))==pNode->n)
  ){
    v8WriteTagged(pOut, '"', pNode->n);
    kvBufAppend(pOut, pNode->u.p, pNode->n);
  }else if( pNode->eSub==KV_UTF16 ){
    v8WriteUtf16(pOut, kvNodeBytes(pNode));
  }else{
    kvV8WriteText(pOut, kvNodeBytes(pNode));
  }
}

/*************************************************************************
** Objects without children
*/

/*
** Called when an object is about to be written.  True if it has been before:
** then a reference is written instead.
*/
static inline int v8WriteSeen(V8Writer *w, u32 iNode){
  if( w->aId ){
    if( w->aId[iNode] ){
      v8WriteTagged(w->pOut, '^', w->aId[iNode] - 1);
      return 1;
    }
    w->aId[iNode] = ++w->nId;
  }
  return 0;
}

static void v8WriteBuffer(V8Writer *w, u32 iBuffer){
  const KvNode *pNode = &w->p->aNode[iBuffer];
  KvBuf *pOut = w->pOut;
  if( v8WriteSeen(w, iBuffer) ) return;
  if( pNode->eSub==KV_BUF_RESIZABLE ){
    v8WriteTagged(pOut, '~', pNode->n);
    v8AppendVarint(pOut, (u64)w->p->aNode[pNode->iChild].u.r);
  }else{
    v8WriteTagged(pOut, pNode->eSub==KV_BUF_IMMUTABLE ? 'C' : 'B', pNode->n);
  }
  kvBufAppend(pOut, pNode->u.p, pNode->n);
}

/* The buffer takes its id before the view. */
static void v8WriteView(V8Writer *w, u32 iView){
  const KvNode *pNode = &w->p->aNode[iView];
  u32 iBuffer = kvDeref(w->p, pNode->iChild);
  int bTrack = (pNode->mFlags & KVN_TRACK)!=0;
  KvBuf *pOut = w->pOut;
  if( w->aId && w->aId[iView] ){
    v8WriteTagged(pOut, '^', w->aId[iView] - 1);
    return;
  }
  v8WriteBuffer(w, iBuffer);
  if( w->aId ) w->aId[iView] = ++w->nId;
  kvBufPut(pOut, 'V');
  kvBufPut(pOut, (u8)V8_VIEW_TAGS[pNode->eSub]);
  v8AppendVarint(pOut, pNode->u.iOffset);
  v8AppendVarint(pOut, bTrack ? 0 : pNode->n);
  kvBufPut(pOut, w->p->aNode[iBuffer].eSub!=KV_BUF_RESIZABLE ? 0 : bTrack ? 3 : 2);
}

static void v8WriteRegexp(V8Writer *w, const KvNode *pNode){
  const KvNode *pSource = &w->p->aNode[pNode->iChild];
  kvBufPut(w->pOut, 'R');
  if( pSource->n==0 ) kvBufLit(w->pOut, "\"\004(?:)");
  else v8WriteString(w, pSource);
  v8AppendVarint(w->pOut, pNode->n);
}

static void v8WriteBoxed(V8Writer *w, const KvNode *pNode){
  const KvNode *pValue = &w->p->aNode[pNode->iChild];
  switch( pValue->eKind ){
    case KV_BOOL:
      kvBufPut(w->pOut, pValue->n ? 'y' : 'x');
      break;
    case KV_NUMBER:
      v8WriteDouble(w->pOut, 'n', pValue->u.r);
      break;
    case KV_BIGINT:
      kvBufPut(w->pOut, 'z');
      v8WriteBigint(w, pValue);
      break;
    default:
      kvBufPut(w->pOut, 's');
      v8WriteString(w, pValue);
  }
}

/* A KvU64 is what Deno makes of it inside a value: {value: <bigint>}. */
static void v8WriteU64(V8Writer *w, u32 iNode){
  KvNode x;
  u8 a[8];
  if( v8WriteSeen(w, iNode) ) return;
  memset(&x, 0, sizeof(x));
  kvPut64le(a, w->p->aNode[iNode].u.u);
  x.u.p = a;
  x.n = w->p->aNode[iNode].u.u ? 8 : 0;
  kvBufLit(w->pOut, "o\"\005valueZ");
  v8WriteBigint(w, &x);
  kvBufLit(w->pOut, "{\001");
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

/* Choose the form of an array, and write its head. */
static void v8WriteArrayHead(V8Writer *w, V8WriteFrame *pFrame){
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
  v8WriteTagged(w->pOut, pFrame->bSparse ? 'a' : 'A', pNode->n);
}

/* Open the container iNode, which has just got its id. */
static void v8WriteOpen(V8Writer *w, u32 iNode){
  const KvNode *pNode = &w->p->aNode[iNode];
  KvBuf *pOut = w->pOut;
  V8WriteFrame *pFrame;
  if( w->nFrame>=w->nFrameAlloc ){
    V8WriteFrame *aNew =
        kvStackGrow(w->aFrame, w->aSpace, &w->nFrameAlloc, sizeof(V8WriteFrame));
    if( aNew ) w->aFrame = aNew;
    else v8WriteStop(w, KV_NOMEM, "out of memory");
  }
  if( w->rc!=KV_OK ) return;
  pFrame = &w->aFrame[w->nFrame++];
  memset(pFrame, 0, sizeof(*pFrame));
  pFrame->iNode = iNode;
  pFrame->iNext = pNode->iChild;
  switch( pNode->eKind ){
    case KV_OBJECT:  kvBufPut(pOut, 'o');       break;
    case KV_MAP:     kvBufPut(pOut, ';');       break;
    case KV_SET:     kvBufPut(pOut, '\'');      break;
    case KV_ARRAY:   v8WriteArrayHead(w, pFrame);   break;
    default:
      kvBufPut(pOut, 'r');
      if( pNode->eSub ) kvBufPut(pOut, (u8)V8_ERROR_TAGS[pNode->eSub]);
      break;
  }
  pFrame->nCost = kvDepthCost(pNode->eKind, pFrame->bSparse);
  w->nDepth += pFrame->nCost;
  if( w->nDepth>KV_DEPTH_BUDGET ){
    v8WriteStop(w, KV_REFUSED, "the value is nested deeper than Deno can read"
        " (at most 2500 objects, 3333 arrays or 4285 Maps or Sets)");
  }
}

/* Write a value, or only the head of a container, which is then open. */
static void v8WriteValue(V8Writer *w, u32 iNode){
  KvBuf *pOut = w->pOut;
  const KvNode *pNode = &w->p->aNode[iNode];
  if( pNode->eKind==KV_REF ){
    iNode = pNode->n;
    pNode = &w->p->aNode[iNode];
  }
  switch( pNode->eKind ){
    case KV_HOLE:
    case KV_UNDEFINED:  kvBufPut(pOut, '_');                              return;
    case KV_NULL:       kvBufPut(pOut, '0');                              return;
    case KV_BOOL:       kvBufPut(pOut, pNode->n ? 'T' : 'F');             return;
    case KV_NUMBER:     v8WriteNumber(pOut, pNode->u.r);                      return;
    case KV_STRING:     v8WriteString(w, pNode);                              return;
    case KV_BIGINT:     kvBufPut(pOut, 'Z');  v8WriteBigint(w, pNode);        return;
    case KV_VIEW:       v8WriteView(w, iNode);                                return;
    case KV_BUFFER:     v8WriteBuffer(w, iNode);                              return;
    case KV_U64:        v8WriteU64(w, iNode);                                 return;
    default:            break;
  }
  if( v8WriteSeen(w, iNode) ) return;
  switch( pNode->eKind ){
    case KV_DATE:       v8WriteDouble(pOut, 'D', pNode->u.r);                 return;
    case KV_REGEXP:     v8WriteRegexp(w, pNode);                              return;
    case KV_BOXED:      v8WriteBoxed(w, pNode);                               return;
    case KV_HOST:
      v8WriteStop(w, KV_REFUSED, "a host object (Blob, CryptoKey ...) cannot be written");
      return;
    default:            v8WriteOpen(w, iNode);                                return;
  }
}

static inline V8WriteFrame *v8WriteTop(V8Writer *w){
  return &w->aFrame[w->nFrame-1];
}

/* The next child of the innermost container. */
static inline u32 v8WriteNext(V8Writer *w){
  u32 i = v8WriteTop(w)->iNext;
  KV_ASSERT( i!=0 );
  v8WriteTop(w)->iNext = w->p->aNode[i].iNext;
  return i;
}

static void v8WriteClose(V8Writer *w, u8 eTag){
  V8WriteFrame *pFrame = &w->aFrame[--w->nFrame];
  w->nDepth -= pFrame->nCost;
  kvBufPut(w->pOut, eTag);
  if( eTag!='.' ) v8AppendVarint(w->pOut, pFrame->nItem);
}

/* Write a child, which is most often a string. */
static inline void v8WriteChild(V8Writer *w, u32 i){
  const KvNode *pNode = &w->p->aNode[i];
  if( pNode->eKind==KV_STRING ) v8WriteString(w, pNode);
  else v8WriteValue(w, i);
}

/* Write pairs until one opens a container.  True if all are written. */
static int v8WritePairs(V8Writer *w){
  u32 nFrame = w->nFrame;
  while( w->rc==KV_OK && w->nFrame==nFrame ){
    if( v8WriteTop(w)->iNext==0 ) return 1;
    v8WriteTop(w)->nItem++;
    v8WriteChild(w, v8WriteNext(w));
    v8WriteChild(w, v8WriteNext(w));
  }
  return 0;
}

/* The same for the elements of an array. */
static int v8WriteElements(V8Writer *w, u32 nElem){
  u32 nFrame = w->nFrame;
  while( w->rc==KV_OK && w->nFrame==nFrame ){
    V8WriteFrame *pFrame = v8WriteTop(w);
    u32 iIndex = pFrame->iItem, iElem;
    if( iIndex>=nElem ) return 1;
    pFrame->iItem++;
    iElem = v8WriteNext(w);
    if( pFrame->bSparse ){
      if( w->p->aNode[iElem].eKind==KV_HOLE ) continue;
      pFrame->nItem++;
      v8WriteNumber(w->pOut, (double)iIndex);
    }
    if( pFrame->bDouble ) v8WriteDouble(w->pOut, 'N', w->p->aNode[iElem].u.r);
    else v8WriteChild(w, iElem);
  }
  return 0;
}

static void v8WriteArray(V8Writer *w){
  const KvNode *pNode = &w->p->aNode[v8WriteTop(w)->iNode];
  if( !v8WriteElements(w, pNode->u.c.nElem) || !v8WritePairs(w) ) return;
  v8WriteClose(w, v8WriteTop(w)->bSparse ? '@' : '$');
  v8AppendVarint(w->pOut, pNode->n);
}

/* A Map or a Set. */
static void v8WriteKeyed(V8Writer *w, u8 eEnd){
  u32 nFrame = w->nFrame;
  while( w->rc==KV_OK && w->nFrame==nFrame ){
    if( v8WriteTop(w)->iNext==0 ){
      v8WriteClose(w, eEnd);
    }else{
      v8WriteTop(w)->nItem++;
      v8WriteValue(w, v8WriteNext(w));
    }
  }
}

static void v8WriteError(V8Writer *w){
  u32 nFrame = w->nFrame;
  u32 mParts = w->p->aNode[v8WriteTop(w)->iNode].n;
  while( w->rc==KV_OK && w->nFrame==nFrame ){
    V8WriteFrame *pFrame = v8WriteTop(w);
    while( pFrame->iItem<3 && (mParts>>pFrame->iItem & 1)==0 ) pFrame->iItem++;
    if( pFrame->iItem>=3 ){
      v8WriteClose(w, '.');
    }else{
      kvBufPut(w->pOut, (u8)"msc"[pFrame->iItem++]);
      v8WriteValue(w, v8WriteNext(w));
    }
  }
}

/* Write the root and everything in it. */
static void v8WriteAll(V8Writer *w){
  v8WriteValue(w, 0);
  while( w->rc==KV_OK && w->nFrame && w->pOut->eErr==KV_OK ){
    switch( w->p->aNode[v8WriteTop(w)->iNode].eKind ){
      case KV_OBJECT:  if( v8WritePairs(w) ) v8WriteClose(w, '{');  break;
      case KV_ARRAY:   v8WriteArray(w);                         break;
      case KV_MAP:     v8WriteKeyed(w, ':');                    break;
      case KV_SET:     v8WriteKeyed(w, ',');                    break;
      default:         v8WriteError(w);                         break;
    }
  }
}

int kvV8Append(KvTree *p, int nDepth, KvBuf *pOut, KvErr *pErr){
  V8Writer w;
  w.p = p;
  w.pOut = pOut;
  w.pErr = pErr;
  w.rc = KV_OK;
  w.aId = 0;
  w.nId = 0;
  w.nDepth = nDepth;
  w.nFrame = 0;
  w.nFrameAlloc = V8_WRITE_FRAMES;
  w.aFrame = w.aSpace;
  if( p->nRef ){
    w.aId = kvRealloc(0, (u64)p->nNode*sizeof(u32));
    if( w.aId==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
    memset(w.aId, 0, (size_t)p->nNode*sizeof(u32));
  }
  v8WriteAll(&w);
  KV_ASSERT( w.rc!=KV_OK || pOut->eErr!=KV_OK || (w.nFrame==0 && w.nDepth==nDepth) );
  if( w.aFrame!=w.aSpace ) kvFree(w.aFrame);
  kvFree(w.aId);
  if( pOut->eErr!=KV_OK ){
    v8WriteStop(&w, pOut->eErr, pOut->eErr==KV_NOMEM ? "out of memory" : "the value is too big");
  }
  return w.rc;
}

int kvV8Write(KvTree *p, int iVersion, KvBuf *pOut, KvErr *pErr){
  v8WriteTagged(pOut, 0xff, (u64)iVersion);
  return kvV8Append(p, 0, pOut, pErr);
}
