/*
** v8_leaf.c -- reader of V8's format: words, primitives, and the objects that
** hold no other values.  See v8_leaf.h.
*/
#include "codec/v8/v8_leaf.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/regexp/regexp.h"
#include "codec/v8/v8_int.h"
#include "codec/view.h"

static void v8LeafStop(V8Reader *r, int eCode, i64 iPos, const char *zMsg){
  if( r->rc==KV_OK ) r->rc = kvErrSet(r->pErr, eCode, iPos, zMsg);
  r->z = r->zEnd;
}

void kvV8LeafFail(V8Reader *r, const u8 *zAt, const char *zMsg){
  v8LeafStop(r, KV_CORRUPT, zAt - r->a, zMsg);
}

void kvV8LeafNoMem(V8Reader *r){
  v8LeafStop(r, KV_NOMEM, -1, "out of memory");
}

void kvV8LeafEnd(V8Reader *r){
  kvV8LeafFail(r, r->zEnd, "value ends too early");
}

void kvV8LeafTooLong(V8Reader *r, const u8 *zAt){
  kvV8LeafFail(r, zAt, "length is beyond the end of the value");
}

/*************************************************************************
** Words
*/

u64 kvV8LeafVarint(V8Reader *r, int nMax){
  u64 v = 0;
  u8 c = 0x80;
  int i;
  for(i=0; i<nMax && (c&0x80); i++){
    if( r->z>=r->zEnd ) break;
    c = *r->z++;
    v |= i<9 ? (u64)(c&0x7f)<<(7*i) : (u64)c<<63;
  }
  if( (c&0x80)==0 || r->z<r->zEnd ) return v;
  kvV8LeafEnd(r);
  return 0;
}

static u64 v8LeafSize(V8Reader *r){
  return kvV8LeafVarint(r, 10);
}

static double v8LeafDouble(V8Reader *r){
  if( r->zEnd - r->z<8 ){
    kvV8LeafEnd(r);
    return 0.0;
  }
  r->z += 8;
  return v8LoadDouble(r->z - 8);
}

/* n bytes; zAt is where n was read. */
static KvBytes v8LeafTake(V8Reader *r, const u8 *zAt, u64 n){
  KvBytes b = kvBytes(r->z, 0);
  if( n>(u64)(r->zEnd - r->z) ){
    kvV8LeafTooLong(r, zAt);
  }else{
    b.n = (u32)n;
    r->z += n;
  }
  return b;
}

/* A length in bytes and that many bytes. */
static KvBytes v8LeafBytes(V8Reader *r){
  const u8 *zAt = r->z;
  return v8LeafTake(r, zAt, v8LeafU32(r));
}

/* Give node i the content of a STRING. */
static void v8LeafSetText(V8Reader *r, u32 i, KvBytes text){
  if( kvTreeText(r->p, i, text)!=KV_OK ) kvV8LeafNoMem(r);
}

/*************************************************************************
** Strings and numbers
*/

/* UTF-8 of which every malformed part becomes U+FFFD. */
static void v8LeafUtf8(V8Reader *r, u32 i){
  KvNode *pNode = &r->p->aNode[i];
  KvBytes text = kvNodeBytes(pNode);
  KvBuf buf;
  u8 aSpace[256];
  pNode->eSub = KV_WTF8;
  if( kvUtf8Valid(text) ) return;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  kvUtfAppendClean(&buf, text);
  if( buf.eErr!=KV_OK ) kvV8LeafNoMem(r);
  else v8LeafSetText(r, i, kvBufBytes(&buf));
  kvBufClear(&buf);
}

#define V8_IS_TEXT(c)  ((c)=='"' || (c)=='c' || (c)=='S')

/* A string, the cursor being after its tag. */
static u32 v8LeafText(V8Reader *r, u8 eTag){
  const u8 *zAt = r->z;
  KvBytes text = v8LeafBytes(r);
  u32 i;
  KvNode *pNode = v8LeafAdd(r, KV_STRING, &i);
  pNode->eSub = eTag=='c' ? KV_UTF16 : KV_LATIN1;
  pNode->n = text.n;
  pNode->u.p = text.p;
  if( text.n>V8_MAX_STRING && text.n/(eTag=='c' ? 2 : 1)>V8_MAX_STRING ){
    kvV8LeafFail(r, zAt - 1, "string is longer than V8 allows");
  }else if( eTag=='c' && text.n%2 ){
    kvV8LeafFail(r, zAt, "odd length of a two-byte string");
  }else if( eTag=='S' ){
    v8LeafUtf8(r, i);
  }
  return i;
}

u32 kvV8LeafString(V8Reader *r){
  u8 eTag = v8LeafTag(r);
  u32 i = 0;
  if( V8_IS_TEXT(eTag) ){
    r->z++;
    i = v8LeafText(r, eTag);
  }else{
    kvV8LeafFail(r, r->z, "string expected");
  }
  return i;
}

/* A number, the cursor being after its tag, which is one of I, U and N. */
static double v8LeafNumber(V8Reader *r, u8 eTag){
  u32 v;
  if( eTag=='N' ) return v8LeafDouble(r);
  v = v8LeafU32(r);
  if( eTag=='U' ) return v;
  return v8Zigzag(v);
}

/* The bits and digits of a bigint. */
static u32 v8LeafBigint(V8Reader *r){
  const u8 *zAt = r->z;
  u32 mBits = v8LeafU32(r), i;
  KvBytes digits = v8LeafTake(r, zAt, mBits>>1);
  KvNode *pNode = v8LeafAdd(r, KV_BIGINT, &i);
  if( digits.n>V8_MAX_BIGINT ) kvV8LeafFail(r, zAt, "bigint is longer than V8 allows");
  if( mBits==1 ) kvV8LeafFail(r, zAt, "negative bigint without digits");
  while( digits.n>0 && digits.p[digits.n-1]==0 ) digits.n--;
  pNode->u.p = digits.p;
  pNode->n = digits.n;
  pNode->eSub = digits.n>0 && (mBits&1);
  return i;
}

/* A number as a key: an index or a string. */
static u32 v8LeafNumberKey(V8Reader *r, double rKey){
  u32 i;
  KvNode *pNode = v8LeafAdd(r, KV_NUMBER, &i);
  char z[KV_NUM_TEXT];
  if( rKey>=0.0 && rKey<=4294967294.0 && rKey==(double)(u32)rKey ){
    pNode->u.r = rKey + 0.0;
  }else{
    v8LeafSetText(r, i, kvBytes(z, (u32)kvNumPrint(rKey, z)));
  }
  return i;
}

u32 kvV8LeafKey(V8Reader *r){
  u8 eTag = v8LeafTag(r);
  r->z += eTag!=0;
  if( V8_IS_TEXT(eTag) ) return v8LeafText(r, eTag);
  if( eTag=='I' || eTag=='U' || eTag=='N' ) return v8LeafNumberKey(r, v8LeafNumber(r, eTag));
  kvV8LeafFail(r, r->z - 1, "a key must be a string or a number");
  return 0;
}

/*************************************************************************
** Objects without children
*/

static const char v8LeafNoRegexp[] = "no memory for a regular expression";

/* Check that the regular expression at zAt compiles, and make its source what
** .source gives. */
static void v8LeafCompile(V8Reader *r, const u8 *zAt, u32 iSource, u32 mFlags){
  KvNode *pSource = &r->p->aNode[iSource];
  const char *zErr = 0;
  u8 aSpace[256];
  KvBytes source;
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvUtfAppend(&text, pSource->eSub, kvNodeBytes(pSource), 1);
  source = kvBufBytes(&text);
  if( text.eErr==KV_OK ) zErr = kvRegexpKeep(r->p, mFlags, &source);
  if( zErr ) kvV8LeafFail(r, zAt, "regular expression does not compile");
  else if( text.eErr!=KV_OK || source.p==0 ) v8LeafStop(r, KV_NOMEM, -1, v8LeafNoRegexp);
  pSource->eSub = KV_WTF8;
  pSource->u.p = source.p;
  pSource->n = source.n;
  kvBufClear(&text);
}

static u32 v8LeafRegexp(V8Reader *r){
  const u8 *zTag = r->z - 1, *zAt;
  u32 i, iSource, mFlags;
  v8LeafAdd(r, KV_REGEXP, &i);
  iSource = kvV8LeafString(r);
  zAt = r->z;
  mFlags = v8LeafU32(r);
  if( !kvRegexpFlagsValid(mFlags) ){
    kvV8LeafFail(r, zAt, "invalid flags of a regular expression");
  }
  if( r->rc!=KV_OK ) return i;
  r->p->aNode[i].n = mFlags;
  r->p->aNode[i].iChild = iSource;
  v8LeafCompile(r, zTag, iSource, mFlags);
  return i;
}

/* Boxed primitives; the cursor is after the tag. */
static u32 v8LeafBoxed(V8Reader *r, u8 eTag){
  u32 i, iValue;
  v8LeafAdd(r, KV_BOXED, &i);
  switch( eTag ){
    case 's':  iValue = kvV8LeafString(r);                                  break;
    case 'z':  iValue = v8LeafBigint(r);                                    break;
    case 'n':  v8LeafAdd(r, KV_NUMBER, &iValue)->u.r = v8LeafDouble(r);      break;
    default:   v8LeafAdd(r, KV_BOOL, &iValue)->n = eTag=='y';                break;
  }
  if( r->rc==KV_OK ) r->p->aNode[i].iChild = iValue;
  return i;
}

/*************************************************************************
** Buffers, views, references
*/

/* The fields of a view over a buffer, as they were read. */
typedef struct V8LeafView V8LeafView;
struct V8LeafView {
  int eView;
  u64 iOffset, nByte;
  u32 mFlags;
};

static void v8LeafViewFields(V8Reader *r, const KvNode *pBuf, V8LeafView *pView){
  static const char zTag[] = V8_VIEW_TAGS;
  const u8 *zAt = r->z;
  const u8 eTag = v8LeafU8(r);
  const char *zAs = eTag ? strchr(zTag, eTag) : 0;
  const char *zErr = 0;
  u64 nSize;
  pView->eView = zAs ? (int)(zAs - zTag) : 0;
  pView->iOffset = v8LeafSize(r);
  pView->nByte = v8LeafSize(r);
  pView->mFlags = r->bFlags ? v8LeafU32(r) : 0;
  nSize = (u64)kvViewSize(pView->eView);
  if( zAs==0 ){
    zErr = "unknown type of a view";
  }else if( pView->iOffset>pBuf->n || pView->nByte>pBuf->n - pView->iOffset ){
    zErr = "view is outside of its buffer";
  }else if( pView->iOffset%nSize || pView->nByte%nSize ){
    zErr = "view is not aligned to its elements";
  }else if( (pView->mFlags & 3) && pBuf->eSub!=KV_BUF_RESIZABLE ){
    zErr = "view of a resizable buffer over one that is not";
  }else if( !(pView->mFlags & 2) && pBuf->eSub==KV_BUF_RESIZABLE ){
    zErr = "view of a fixed buffer over a resizable one";
  }
  if( zErr ) kvV8LeafFail(r, zAt, zErr);
  if( pView->mFlags & 1 ){
    pView->nByte = (pBuf->n - pView->iOffset)/nSize*nSize;
  }
}

/*
** If 'V' follows the buffer i (a BUFFER, or a REF to one), wrap it.  A new
** BUFFER moves to a new node, so that the VIEW has the place of the first
** node of its value (aNode[0], if it is the root).
*/
static u32 v8LeafMaybeView(V8Reader *r, u32 i){
  const u8 *z = r->z;
  V8LeafView v;
  KvNode *pNode, *pNew;
  u32 iNew;
  while( z<r->zEnd && *z==0 ) z++;
  if( z>=r->zEnd || *z!='V' ) return i;
  r->z = z + 1;
  v8LeafViewFields(r, &r->p->aNode[kvDeref(r->p, i)], &v);
  pNew = v8LeafAdd(r, KV_VIEW, &iNew);
  if( r->rc!=KV_OK ) return i;
  pNode = &r->p->aNode[i];
  if( pNode->eKind==KV_BUFFER ){
    *pNew = *pNode;
    pNew->eSpare = V8_NO_ID;
    memset(pNode, 0, sizeof(KvNode));
    pNode->eKind = KV_VIEW;
    pNode->iChild = iNew;
  }else{
    pNew->iChild = i;
    i = iNew;
    pNode = pNew;
  }
  pNode->eSub = (u8)v.eView;
  pNode->n = (u32)v.nByte;
  pNode->u.iOffset = (u32)v.iOffset;
  if( v.mFlags & 1 ) pNode->mFlags |= KVN_TRACK;
  return i;
}

/* A buffer, and a view of it if one follows. */
static u32 v8LeafBuffer(V8Reader *r, u8 eTag){
  const u8 *zAt = r->z;
  u64 nByte = v8LeafSize(r);
  u64 nMax = eTag=='~' ? v8LeafSize(r) : 0;
  KvBytes content = v8LeafTake(r, zAt, nByte);
  u32 i, iMax = 0;
  v8LeafAdd(r, KV_BUFFER, &i);
  if( eTag=='~' ){
    if( nByte>nMax || nMax>KV_MAX_RESIZABLE ){
      kvV8LeafFail(r, zAt, "invalid maximum length of a buffer");
    }
    v8LeafAdd(r, KV_NUMBER, &iMax)->u.r = (double)nMax;
  }
  if( r->rc!=KV_OK ) return i;
  r->p->aNode[i].eSub =
      eTag=='~' ? KV_BUF_RESIZABLE : eTag=='C' ? KV_BUF_IMMUTABLE : KV_BUF_FIXED;
  r->p->aNode[i].iChild = iMax;
  r->p->aNode[i].n = content.n;
  r->p->aNode[i].u.p = content.p;
  return v8LeafMaybeView(r, i);
}

static void v8LeafAddId(V8Reader *r, u32 i){
  u32 *aNew = kvReserve(r->aId, &r->nIdAlloc, (u64)r->nId + 1, sizeof(u32));
  if( aNew==0 ){
    kvV8LeafNoMem(r);
    return;
  }
  r->aId = aNew;
  r->aId[r->nId++] = i;
}

/*
** Number the objects that were read since the last time.  Nodes are added in
** the order of their ids, but for a view and its buffer.
*/
static void v8LeafScanIds(V8Reader *r){
  while( r->rc==KV_OK && r->iScan<r->p->nNode ){
    u32 i = r->iScan++;
    const KvNode *pNode = &r->p->aNode[i];
    if( !KV_IS_OBJECT(pNode->eKind) || pNode->eSpare==V8_NO_ID ) continue;
    if( pNode->eKind==KV_VIEW && pNode->eSpare!=V8_NODE_VIEW
     && r->p->aNode[pNode->iChild].eKind==KV_BUFFER
    ){
      v8LeafAddId(r, pNode->iChild);
    }
    v8LeafAddId(r, i);
  }
}

/* A reference; the cursor is after its tag. */
static u32 v8LeafRef(V8Reader *r){
  const u8 *zAt = r->z;
  u32 iId = v8LeafU32(r), i, iTo;
  KvNode *pNode;
  v8LeafScanIds(r);
  if( iId>=r->nId || r->p->aNode[r->aId[iId]].eSpare==V8_PENDING ){
    kvV8LeafFail(r, zAt, "reference to an object that does not exist");
  }
  if( r->rc!=KV_OK ) return 0;
  iTo = r->aId[iId];
  pNode = v8LeafAdd(r, KV_REF, &i);
  pNode->n = iTo;
  r->p->aNode[iTo].mFlags |= KVN_SHARED;
  r->p->nRef++;
  return r->p->aNode[iTo].eKind==KV_BUFFER && r->rc==KV_OK ? v8LeafMaybeView(r, i) : i;
}

u32 kvV8LeafNodeView(V8Reader *r, const u8 *zAt, u32 eIndex){
  static const u8 aType[] = {
    KV_VIEW_I8, KV_VIEW_U8, KV_VIEW_U8C, KV_VIEW_I16, KV_VIEW_U16, KV_VIEW_I32,
    KV_VIEW_U32, KV_VIEW_F32, KV_VIEW_F64, KV_VIEW_DATA, KV_VIEW_U8,
    KV_VIEW_I64, KV_VIEW_U64
  };
  KvBytes content = v8LeafBytes(r);
  u32 i;
  if( content.n%(u32)kvViewSize(aType[eIndex]) ){
    kvV8LeafFail(r, zAt, "view is not aligned to its elements");
  }
  i = kvTreeView(r->p, aType[eIndex], content);
  if( i==KV_NO_NODE ) kvV8LeafNoMem(r);
  if( r->rc!=KV_OK ) return 0;
  r->p->aNode[i].eSpare = V8_NODE_VIEW;
  r->p->aNode[r->p->aNode[i].iChild].eSpare = V8_NO_ID;
  return i;
}

u32 kvV8Leaf(V8Reader *r, u8 eTag){
  u32 i = 0;
  switch( eTag ){
    case '_':            v8LeafAdd(r, KV_UNDEFINED, &i);                                   return i;
    case '0':            v8LeafAdd(r, KV_NULL, &i);                                        return i;
    case 'F': case 'T':  v8LeafAdd(r, KV_BOOL, &i)->n = eTag=='T';                         return i;
    case 'I': case 'U':
    case 'N':            v8LeafAdd(r, KV_NUMBER, &i)->u.r = v8LeafNumber(r, eTag);         return i;
    case 'D':            v8LeafAdd(r, KV_DATE, &i)->u.r = kvTimeClip(v8LeafDouble(r));     return i;
    case '"': case 'c':
    case 'S':            return v8LeafText(r, eTag);
    case 'Z':            return v8LeafBigint(r);
    case 'R':            return v8LeafRegexp(r);
    case 'x': case 'y': case 'n': case 'z':
    case 's':            return v8LeafBoxed(r, eTag);
    case 'B': case 'C':
    case '~':            return v8LeafBuffer(r, eTag);
    case '^':            return v8LeafRef(r);
    case 'p': case 't': case 'u': case 'w': case 'm':
      kvV8LeafFail(r, r->z - 1, "tag of something that cannot be stored");
      return i;
    default:
      kvV8LeafFail(r, r->z - 1, "unknown tag");
      return i;
  }
}
