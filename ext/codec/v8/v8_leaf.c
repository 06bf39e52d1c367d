/*
** v8_leaf.c -- reader of V8's format: words, primitives, and the objects that
** hold no other values.  The grammar is at the head of v8_read.c.
*/
#include "codec/v8/v8_int.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/regexp/regexp.h"
#include "codec/num/num.h"
#include "codec/view.h"

const char kvV8rEnd[] = "value ends too early";
const char kvV8rLong[] = "length is beyond the end of the value";

int kvV8rFail(V8Reader *r, const u8 *zAt, const char *zMsg){
  kvErrSet(r->pErr, KV_CORRUPT, zAt - r->a, zMsg);
  return KV_CORRUPT;
}

int kvV8rNoMem(V8Reader *r){
  kvErrSet(r->pErr, KV_NOMEM, -1, "out of memory");
  return KV_NOMEM;
}

/*************************************************************************
** Words
*/

int kvV8rVarint(V8Reader *r, int nMax, int nBit, u64 *pv){
  u64 v = 0;
  int i;
  for(i=0; i<nMax; i++){
    u8 c;
    if( r->z>=r->zEnd ) return kvV8rFail(r, r->zEnd, kvV8rEnd);
    c = *r->z++;
    if( i<9 ) v |= (u64)(c&0x7f)<<(7*i);
    else v |= (u64)c<<63;
    if( (c&0x80)==0 ) break;
  }
  if( i==nMax && r->z>=r->zEnd ) return kvV8rFail(r, r->zEnd, kvV8rEnd);
  *pv = nBit==64 ? v : v & (((u64)1<<nBit) - 1);
  return KV_OK;
}

static int v8rSize(V8Reader *r, u64 *pv){
  return kvV8rVarint(r, 10, 64, pv);
}

static int v8rDouble(V8Reader *r, double *pr){
  if( r->zEnd - r->z<8 ) return kvV8rFail(r, r->zEnd, kvV8rEnd);
  *pr = v8LoadDouble(r->z);
  r->z += 8;
  return KV_OK;
}

/* A length in bytes and that many bytes. */
static int v8rBytes(V8Reader *r, u32 *pn, const u8 **pp){
  const u8 *zAt = r->z;
  int rc = v8rU32(r, pn);
  if( rc!=KV_OK ) return rc;
  if( *pn>(u64)(r->zEnd - r->z) ) return kvV8rFail(r, zAt, kvV8rLong);
  *pp = r->z;
  r->z += *pn;
  return KV_OK;
}

/*************************************************************************
** Strings and numbers
*/

/* UTF-8 of which every malformed part becomes U+FFFD. */
static int v8rUtf8(V8Reader *r, u32 i, const u8 *z, u32 n){
  u8 *zOut, *zPut;
  u32 k = 0;
  r->p->aNode[i].eSub = KV_WTF8;
  r->p->aNode[i].u.p = z;
  r->p->aNode[i].n = n;
  if( kvUtf8Valid(kvBytes(z, n)) ) return KV_OK;
  zOut = zPut = kvTreeSpace(r->p, (u64)n*3);
  if( zOut==0 ) return kvV8rNoMem(r);
  while( k<n ){
    u32 c;
    k += (u32)kvUtf8Get(kvBytes(&z[k], n-k), &c, 0);
    zPut += kvUtf8Put(zPut, c);
  }
  r->p->aNode[i].u.p = zOut;
  r->p->aNode[i].n = (u32)(zPut - zOut);
  return KV_OK;
}

/* A string, the cursor being at its tag, which is one of '"', 'c' and 'S'. */
static int v8rText(V8Reader *r, u32 *pi){
  const u8 *zTag = r->z++;
  const u8 *z = 0;
  KvNode *pNode;
  u32 n = 0;
  int rc = v8rBytes(r, &n, &z);
  if( rc==KV_OK ) rc = v8rAdd(r, KV_STRING, pi);
  if( rc!=KV_OK ) return rc;
  if( n>V8_MAX_STRING && n/(*zTag=='c' ? 2 : 1)>V8_MAX_STRING ){
    return kvV8rFail(r, zTag, "string is longer than V8 allows");
  }
  if( *zTag=='S' ) return v8rUtf8(r, *pi, z, n);
  if( *zTag=='c' && n%2 ) return kvV8rFail(r, zTag+1, "odd length of a two-byte string");
  pNode = &r->p->aNode[*pi];
  pNode->eSub = *zTag=='c' ? KV_UTF16 : KV_LATIN1;
  pNode->u.p = z;
  pNode->n = n;
  return KV_OK;
}

#define V8R_IS_TEXT(c)  ((c)=='"' || (c)=='c' || (c)=='S')

int kvV8rString(V8Reader *r, u32 *pi){
  int rc = v8rSkip(r);
  if( rc!=KV_OK ) return rc;
  if( !V8R_IS_TEXT(*r->z) ) return kvV8rFail(r, r->z, "string expected");
  return v8rText(r, pi);
}

/* A number, the cursor being at its tag, which is one of I, U and N. */
static int v8rNumber(V8Reader *r, double *pr){
  u8 eTag = *r->z++;
  u32 v = 0;
  int rc;
  if( eTag=='N' ) return v8rDouble(r, pr);
  rc = v8rU32(r, &v);
  if( eTag=='U' ) *pr = v;
  else if( v&1 ) *pr = -1.0 - (double)(v>>1);
  else *pr = v>>1;
  return rc;
}

/* The bits and digits of a bigint. */
static int v8rBigint(V8Reader *r, u32 *pi){
  const u8 *zAt = r->z;
  KvNode *pNode;
  u32 mBits = 0, n;
  int rc = v8rU32(r, &mBits);
  if( rc!=KV_OK ) return rc;
  n = mBits>>1;
  if( n>(u64)(r->zEnd - r->z) ) return kvV8rFail(r, zAt, kvV8rLong);
  if( n>V8_MAX_BIGINT ) return kvV8rFail(r, zAt, "bigint is longer than V8 allows");
  if( mBits==1 ) return kvV8rFail(r, zAt, "negative bigint without digits");
  if( v8rAdd(r, KV_BIGINT, pi)!=KV_OK ) return KV_NOMEM;
  pNode = &r->p->aNode[*pi];
  pNode->u.p = r->z;
  r->z += n;
  while( n>0 && pNode->u.p[n-1]==0 ) n--;
  pNode->n = n;
  pNode->eSub = n>0 && (mBits&1);
  return KV_OK;
}

/* Turn a number that was read as a key into an index or a string. */
static int v8rNumberKey(V8Reader *r, u32 i, double rKey){
  KvNode *pNode = &r->p->aNode[i];
  char z[KV_NUM_TEXT];
  u8 *zCopy;
  u32 n;
  if( rKey>=0.0 && rKey<=4294967294.0 && rKey==(double)(u32)rKey ){
    pNode->u.r = rKey + 0.0;
    return KV_OK;
  }
  n = (u32)kvNumPrint(rKey, z);
  zCopy = kvTreeSpace(r->p, n);
  if( zCopy==0 ) return kvV8rNoMem(r);
  memcpy(zCopy, z, n);
  pNode->eKind = KV_STRING;
  pNode->eSub = KV_LATIN1;
  pNode->u.p = zCopy;
  pNode->n = n;
  return KV_OK;
}

int kvV8rKey(V8Reader *r){
  double rKey = 0.0;
  u32 i = 0;
  int rc = v8rSkip(r);
  if( rc!=KV_OK ) return rc;
  if( V8R_IS_TEXT(*r->z) ){
    rc = v8rText(r, &i);
  }else if( *r->z=='I' || *r->z=='U' || *r->z=='N' ){
    rc = v8rNumber(r, &rKey);
    if( rc==KV_OK ) rc = v8rAdd(r, KV_NUMBER, &i);
    if( rc==KV_OK ) rc = v8rNumberKey(r, i, rKey);
  }else{
    rc = kvV8rFail(r, r->z, "a key must be a string or a number");
  }
  if( rc==KV_OK ) v8rLink(r, i);
  return rc;
}

/*************************************************************************
** Objects without children
*/

static int v8rDate(V8Reader *r, u32 i){
  double rMs = 0.0;
  int rc = v8rDouble(r, &rMs);
  r->p->aNode[i].u.r = kvTimeClip(rMs);
  return rc;
}

static const char v8rNoRegexp[] = "no memory for a regular expression";

/* Make the string node what .source gives for the pattern z. */
static int v8rSource(V8Reader *r, u32 iSource, const u8 *z, u32 n){
  KvNode *pSrc = &r->p->aNode[iSource];
  KvBuf buf;
  u8 aSpace[256];
  u8 *a;
  int rc;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  kvRegexpSource(&buf, kvBytes(z, n));
  if( buf.eErr==KV_OK && (buf.n!=n || memcmp(buf.a, z, n)!=0) ){
    a = kvTreeSpace(r->p, buf.n);
    if( a ){
      memcpy(a, buf.a, buf.n);
      pSrc->u.p = a;
      pSrc->n = buf.n;
      pSrc->eSub = KV_WTF8;
      pSrc->mFlags = 0;
    }else{
      buf.eErr = KV_NOMEM;
    }
  }
  rc = buf.eErr;
  kvBufClear(&buf);
  return rc==KV_OK ? KV_OK : kvErrSet(r->pErr, rc, -1, v8rNoRegexp);
}

/* Check that a regular expression compiles. */
static int v8rCompile(V8Reader *r, const u8 *zAt, u32 iSource, u32 mFlags){
  const KvNode *pSrc = &r->p->aNode[iSource];
  const u8 *z = pSrc->u.p;
  u32 n = pSrc->n, iPos;
  KvBuf buf;
  u8 aSpace[256];
  int rc = KV_OK;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  if( pSrc->eSub!=KV_WTF8 ){
    kvUtfAppend(&buf, pSrc->eSub, kvBytes(pSrc->u.p, pSrc->n), 1);
    z = buf.a;
    n = buf.n;
  }
  if( buf.eErr!=KV_OK ){
    rc = kvErrSet(r->pErr, buf.eErr, -1, v8rNoRegexp);
  }else if( kvRegexpCheck(kvBytes(z, n), mFlags, &iPos) ){
    rc = iPos==KV_RE_NOMEM ? kvErrSet(r->pErr, KV_NOMEM, -1, v8rNoRegexp)
       : kvV8rFail(r, zAt, "regular expression does not compile");
  }else{
    rc = v8rSource(r, iSource, z, n);
  }
  kvBufClear(&buf);
  return rc;
}

static int v8rRegexp(V8Reader *r, u32 i){
  const u8 *zTag = r->z - 1;
  const u8 *zAt;
  u32 iSource, mFlags = 0;
  int rc = kvV8rString(r, &iSource);
  if( rc!=KV_OK ) return rc;
  zAt = r->z;
  rc = v8rU32(r, &mFlags);
  if( rc!=KV_OK ) return rc;
  if( !kvRegexpFlagsValid(mFlags) ){
    return kvV8rFail(r, zAt, "invalid flags of a regular expression");
  }
  r->p->aNode[i].n = mFlags;
  r->p->aNode[i].iChild = iSource;
  return v8rCompile(r, zTag, iSource, mFlags);
}

/* Boxed primitives; the cursor is after the tag. */
static int v8rBoxed(V8Reader *r, u32 i, u8 eTag){
  double rNum = 0.0;
  u32 iValue;
  int rc;
  if( eTag=='s' ){
    rc = kvV8rString(r, &iValue);
  }else if( eTag=='z' ){
    rc = v8rBigint(r, &iValue);
  }else if( eTag=='n' ){
    rc = v8rDouble(r, &rNum);
    if( rc==KV_OK ) rc = v8rAdd(r, KV_NUMBER, &iValue);
    if( rc==KV_OK ) r->p->aNode[iValue].u.r = rNum;
  }else{
    rc = v8rAdd(r, KV_BOOL, &iValue);
    if( rc==KV_OK ) r->p->aNode[iValue].n = eTag=='y';
  }
  if( rc==KV_OK ) r->p->aNode[i].iChild = iValue;
  return rc;
}

/*************************************************************************
** Buffers, views, references
*/

static int v8rBuffer(V8Reader *r, u32 i, u8 eTag){
  const u8 *zAt = r->z;
  u64 nByte = 0, nMax = 0;
  u32 iMax;
  int rc = v8rSize(r, &nByte);
  if( rc==KV_OK && eTag=='~' ) rc = v8rSize(r, &nMax);
  if( rc!=KV_OK ) return rc;
  if( nByte>(u64)(r->zEnd - r->z) ) return kvV8rFail(r, zAt, kvV8rLong);
  if( eTag=='~' ){
    if( nByte>nMax || nMax>V8_MAX_BUFFER ){
      return kvV8rFail(r, zAt, "invalid maximum length of a buffer");
    }
    if( v8rAdd(r, KV_NUMBER, &iMax)!=KV_OK ) return KV_NOMEM;
    r->p->aNode[iMax].u.r = (double)nMax;
    r->p->aNode[i].iChild = iMax;
    r->p->aNode[i].eSub = KV_BUF_RESIZABLE;
  }else{
    r->p->aNode[i].eSub = eTag=='C' ? KV_BUF_IMMUTABLE : KV_BUF_FIXED;
  }
  r->p->aNode[i].n = (u32)nByte;
  r->p->aNode[i].u.p = r->z;
  r->z += nByte;
  return KV_OK;
}

static int v8rViewType(u8 eTag){
  static const char zTag[] = "bBCwWdDhfFqQ?";
  int i;
  for(i=0; i<KV_VIEW_COUNT; i++){
    if( (u8)zTag[i]==eTag ) return i;
  }
  return -1;
}

/* The fields of a view over a buffer, as they were read. */
typedef struct V8rView V8rView;
struct V8rView {
  int eView;
  u64 iOffset, nByte;
  u32 mFlags;
};

static int v8rViewFields(V8Reader *r, const KvNode *pBuf, V8rView *pView){
  const u8 *zAt = r->z;
  u8 eTag = 0;
  u64 nSize;
  int rc = v8rU8(r, &eTag);
  if( rc==KV_OK ) rc = v8rSize(r, &pView->iOffset);
  if( rc==KV_OK ) rc = v8rSize(r, &pView->nByte);
  pView->mFlags = 0;
  if( rc==KV_OK && r->bFlags ) rc = v8rU32(r, &pView->mFlags);
  if( rc!=KV_OK ) return rc;
  pView->eView = v8rViewType(eTag);
  if( pView->eView<0 ) return kvV8rFail(r, zAt, "unknown type of a view");
  nSize = (u64)kvViewSize(pView->eView);
  if( pView->iOffset>pBuf->n || pView->nByte>pBuf->n - pView->iOffset ){
    return kvV8rFail(r, zAt, "view is outside of its buffer");
  }
  if( pView->iOffset%nSize || pView->nByte%nSize ){
    return kvV8rFail(r, zAt, "view is not aligned to its elements");
  }
  if( (pView->mFlags & 3) && pBuf->eSub!=KV_BUF_RESIZABLE ){
    return kvV8rFail(r, zAt, "view of a resizable buffer over one that is not");
  }
  if( !(pView->mFlags & 2) && pBuf->eSub==KV_BUF_RESIZABLE ){
    return kvV8rFail(r, zAt, "view of a fixed buffer over a resizable one");
  }
  if( pView->mFlags & 1 ){
    pView->nByte = (pBuf->n - pView->iOffset)/nSize*nSize;
  }
  return KV_OK;
}

/*
** If 'V' follows the buffer *pi (a BUFFER, or a REF to one), wrap it.  A new
** BUFFER moves to a new node, so that the VIEW has the place of the first
** node of its value (aNode[0], if it is the root).
*/
static int v8rMaybeView(V8Reader *r, u32 *pi){
  const u8 *z = r->z;
  KvNode *aNode;
  V8rView v = {0, 0, 0, 0};
  u32 iNew;
  int rc;
  while( z<r->zEnd && *z==0 ) z++;
  if( z>=r->zEnd || *z!='V' ) return KV_OK;
  r->z = z + 1;
  rc = v8rViewFields(r, &r->p->aNode[kvDeref(r->p, *pi)], &v);
  if( rc==KV_OK ) rc = v8rAdd(r, KV_VIEW, &iNew);
  if( rc!=KV_OK ) return rc;
  aNode = r->p->aNode;
  if( aNode[*pi].eKind==KV_BUFFER ){
    aNode[iNew] = aNode[*pi];
    aNode[iNew].eSpare = V8R_NO_ID;
    memset(&aNode[*pi], 0, sizeof(KvNode));
    aNode[*pi].eKind = KV_VIEW;
    aNode[*pi].iChild = iNew;
  }else{
    aNode[iNew].iChild = *pi;
    *pi = iNew;
  }
  aNode[*pi].eSub = (u8)v.eView;
  aNode[*pi].n = (u32)v.nByte;
  aNode[*pi].u.iOffset = (u32)v.iOffset;
  if( v.mFlags & 1 ) aNode[*pi].mFlags |= KVN_TRACK;
  return KV_OK;
}

static int v8rAddId(V8Reader *r, u32 i){
  if( r->nId>=r->nIdAlloc ){
    u64 nNew = (u64)r->nIdAlloc*2 + 32;
    u32 *aNew = kvRealloc(r->aId, nNew*sizeof(u32));
    if( aNew==0 ) return kvV8rNoMem(r);
    r->aId = aNew;
    r->nIdAlloc = (u32)nNew;
  }
  r->aId[r->nId++] = i;
  return KV_OK;
}

/*
** Number the objects that were read since the last time.  Nodes are added in
** the order of their ids, but for a view and its buffer.
*/
static int v8rScanIds(V8Reader *r){
  int rc = KV_OK;
  while( rc==KV_OK && r->iScan<r->p->nNode ){
    u32 i = r->iScan++;
    const KvNode *pNode = &r->p->aNode[i];
    if( !KV_IS_OBJECT(pNode->eKind) || pNode->eSpare==V8R_NO_ID ) continue;
    if( pNode->eKind==KV_VIEW && pNode->eSpare!=V8R_NODE_VIEW
     && r->p->aNode[pNode->iChild].eKind==KV_BUFFER
    ){
      rc = v8rAddId(r, pNode->iChild);
    }
    if( rc==KV_OK ) rc = v8rAddId(r, i);
  }
  return rc;
}

/* A reference; the cursor is after its tag. */
static int v8rRef(V8Reader *r, u32 *pi){
  const u8 *zAt = r->z;
  u32 iId = 0, iTo;
  int rc = v8rU32(r, &iId);
  if( rc==KV_OK ) rc = v8rScanIds(r);
  if( rc!=KV_OK ) return rc;
  if( iId>=r->nId || r->p->aNode[r->aId[iId]].eSpare==V8R_PENDING ){
    return kvV8rFail(r, zAt, "reference to an object that does not exist");
  }
  iTo = r->aId[iId];
  if( v8rAdd(r, KV_REF, pi)!=KV_OK ) return KV_NOMEM;
  r->p->aNode[*pi].n = iTo;
  r->p->aNode[iTo].mFlags |= KVN_SHARED;
  r->p->nRef++;
  return r->p->aNode[iTo].eKind==KV_BUFFER ? v8rMaybeView(r, pi) : KV_OK;
}

int kvV8rNodeView(V8Reader *r, const u8 *zAt, u32 eIndex, u32 *pi){
  static const u8 aType[] = {
    KV_VIEW_I8, KV_VIEW_U8, KV_VIEW_U8C, KV_VIEW_I16, KV_VIEW_U16, KV_VIEW_I32,
    KV_VIEW_U32, KV_VIEW_F32, KV_VIEW_F64, KV_VIEW_DATA, KV_VIEW_U8,
    KV_VIEW_I64, KV_VIEW_U64
  };
  const u8 *z = 0;
  KvNode *pNode;
  u32 iView, iBuf, n = 0;
  int rc = v8rBytes(r, &n, &z);
  if( rc!=KV_OK ) return rc;
  if( n%(u32)kvViewSize(aType[eIndex]) ){
    return kvV8rFail(r, zAt, "view is not aligned to its elements");
  }
  if( v8rAdd(r, KV_VIEW, &iView)!=KV_OK ) return KV_NOMEM;
  if( v8rAdd(r, KV_BUFFER, &iBuf)!=KV_OK ) return KV_NOMEM;
  pNode = &r->p->aNode[iBuf];
  pNode->eSpare = V8R_NO_ID;
  pNode->n = n;
  pNode->u.p = z;
  pNode = &r->p->aNode[iView];
  pNode->eSpare = V8R_NODE_VIEW;
  pNode->eSub = aType[eIndex];
  pNode->n = n;
  pNode->iChild = iBuf;
  *pi = iView;
  return KV_OK;
}

int kvV8rLeaf(V8Reader *r, u8 eTag, u32 *pi){
  double rNum = 0.0;
  int rc;
  switch( eTag ){
    case '_':  return v8rAdd(r, KV_UNDEFINED, pi);
    case '0':  return v8rAdd(r, KV_NULL, pi);
    case 'F':  return v8rAdd(r, KV_BOOL, pi);
    case 'T':
      rc = v8rAdd(r, KV_BOOL, pi);
      if( rc==KV_OK ) r->p->aNode[*pi].n = 1;
      return rc;
    case 'I': case 'U': case 'N':
      r->z--;
      rc = v8rNumber(r, &rNum);
      if( rc==KV_OK ) rc = v8rAdd(r, KV_NUMBER, pi);
      if( rc==KV_OK ) r->p->aNode[*pi].u.r = rNum;
      return rc;
    case '"': case 'c': case 'S':
      r->z--;
      return v8rText(r, pi);
    case 'Z':
      return v8rBigint(r, pi);
    case 'D':
      rc = v8rAdd(r, KV_DATE, pi);
      return rc==KV_OK ? v8rDate(r, *pi) : rc;
    case 'R':
      rc = v8rAdd(r, KV_REGEXP, pi);
      return rc==KV_OK ? v8rRegexp(r, *pi) : rc;
    case 'x': case 'y': case 'n': case 'z': case 's':
      rc = v8rAdd(r, KV_BOXED, pi);
      return rc==KV_OK ? v8rBoxed(r, *pi, eTag) : rc;
    case 'B': case 'C': case '~':
      rc = v8rAdd(r, KV_BUFFER, pi);
      if( rc==KV_OK ) rc = v8rBuffer(r, *pi, eTag);
      return rc==KV_OK ? v8rMaybeView(r, pi) : rc;
    case '^':
      return v8rRef(r, pi);
    case 'p': case 't': case 'u': case 'w': case 'm':
      return kvV8rFail(r, r->z - 1, "tag of something that cannot be stored");
    default:
      return kvV8rFail(r, r->z - 1, "unknown tag");
  }
}

