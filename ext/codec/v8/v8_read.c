/*
** v8_read.c -- reader of V8's value serialization format.
**
**   file     := FF version value anything
**   value    := pad* ( '?' varint value | plain | buffer [ pad* view ] )
**   plain    := '_' | '0' | 'T' | 'F'               undefined null true false
**             | 'I' zigzag | 'U' varint | 'N' double
**             | 'Z' bits digits                      bigint: 2*bytes + sign
**             | string
**             | 'o' (key value)* '{' nPair
**             | 'A' n element*n (key value)* '$' nPair n
**             | 'a' n (key value)* '@' nPair n        sparse
**             | ';' (value value)* ':' 2*nPair         Map
**             | ''' value* ',' n                        Set
**             | 'D' double                              Date
**             | 'R' value flags                         RegExp, a string value
**             | 'x' | 'y' | 'n' double | 'z' bits digits | 's' value  boxed
**             | 'r' [proto] ['m' value] ['s' value] ['c' value] '.'     Error
**             | '^' id                                  an object once more
**             | '\' index ...                           host object, see below
**   string   := '"' n bytes | 'c' n bytes | 'S' n bytes   Latin-1 UTF-16 UTF-8
**   element  := value | '-'                          the hole
**   key      := a value that is a string or a number
**   buffer   := 'B' size bytes | 'C' size bytes | '~' size maxSize bytes | '^' id
**   view     := 'V' type offset size [flags]         flags from version 14 on
**   pad      := 00
**
** A varint is little-endian in groups of 7 bits; of the 5 bytes (32 bits), 10
** (sizes) or 2 (proto and type) that it may have at the most the last ends it
** whatever its high bit (but if that is set, another byte must follow).
** Objects have ids 0, 1, 2 ... in the order in which they begin, a view after
** its buffer.  An id is valid from there on, that of an Error from its cause
** on, that of a host object after its payload.
**
** Besides what V8 15 accepts this reads an Error whose cause comes before its
** stack, and the views that Node writes as host objects '\' type n bytes.
** Deno's host objects are '\' FFFFFFFF0F and an object that describes them.
**
** What may not occur: any other tag, a duplicate key, a wrong count, a length
** beyond the end, a reference to what is not there yet, a view outside of its
** buffer.  Nothing is allocated by a length that is not backed by input.
*/
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_int.h"
#include "codec/v8/v8_leaf.h"
#include "codec/value_check.h"
#include "codec/value_order.h"

#define V8_DENO_HOST   0xffffffffu

/* The count after an end tag, which must be n. */
static void v8ReadExpect(V8Reader *r, u32 n){
  const u8 *zAt = r->z;
  if( v8LeafU32(r)!=n ) kvV8LeafFail(r, zAt, "object count does not match");
}

static V8Frame *v8ReadTop(V8Reader *r){
  return &r->aFrame[r->nFrame-1];
}

/* Make node i the next child of the innermost open container. */
static inline void v8ReadLink(V8Reader *r, u32 i){
  if( r->rc==KV_OK && r->nFrame ){
    V8Frame *pFrame = v8ReadTop(r);
    if( pFrame->iLast ) r->p->aNode[pFrame->iLast].iNext = i;
    else r->p->aNode[pFrame->iNode].iChild = i;
    pFrame->iLast = i;
  }
}

/* Add a container, link it and open it. */
static KvNode *v8ReadOpen(V8Reader *r, u8 eKind){
  u32 i;
  KvNode *pNode = v8LeafAdd(r, eKind, &i);
  v8ReadLink(r, i);
  if( r->nFrame>=r->nFrameAlloc ){
    V8Frame *aNew = kvStackGrow(r->aFrame, r->aSpace, &r->nFrameAlloc, sizeof(V8Frame));
    if( aNew ) r->aFrame = aNew;
    else kvV8LeafNoMem(r);
  }
  if( r->rc==KV_OK ){
    V8Frame *pFrame = &r->aFrame[r->nFrame++];
    memset(pFrame, 0, sizeof(*pFrame));
    pFrame->iNode = i;
  }
  return pNode;
}

/* A host object; the cursor is after its tag. */
static void v8ReadHost(V8Reader *r){
  const u8 *zAt = r->z;
  u32 eIndex = v8LeafU32(r);
  if( eIndex<=12 ){
    v8ReadLink(r, kvV8LeafNodeView(r, zAt, eIndex));
  }else if( eIndex==V8_DENO_HOST ){
    KvNode *pNode = v8ReadOpen(r, KV_HOST);
    pNode->eSub = KV_HOST_DENO;
    pNode->eSpare = V8_PENDING;
  }else{
    kvV8LeafFail(r, zAt, "unknown host object");
  }
}

static void v8ReadOpenArray(V8Reader *r, u8 eTag){
  const u8 *zAt = r->z;
  u32 n = v8LeafU32(r);
  KvNode *pNode;
  if( eTag=='A' && n>(u64)(r->zEnd - r->z) ) kvV8LeafTooLong(r, zAt);
  pNode = v8ReadOpen(r, KV_ARRAY);
  pNode->n = n;
  if( eTag=='a' ){
    pNode->mFlags |= KVN_SPARSE;
  }else if( r->rc==KV_OK ){
    pNode->u.c.nElem = n;
    v8ReadTop(r)->nLeft = n;
  }
}

static void v8ReadOpenError(V8Reader *r){
  static const char zProto[] = V8_ERROR_TAGS;
  KvNode *pNode = v8ReadOpen(r, KV_ERROR);
  const u8 *z = r->z;
  u8 eTag = v8LeafU8(r);
  int k;
  for(k=1; k<KV_ERR_COUNT; k++){
    if( (u8)zProto[k]==eTag ){
      pNode->eSub = (u8)k;
      return;
    }
  }
  if( r->rc==KV_OK ) r->z = z;
}

/*
** Read a value and link it.  A container is only opened: its content is read
** by the steps below.
*/
static void v8ReadValue(V8Reader *r){
  u8 eTag;
  u32 i;
  if( v8LeafShort(r, &i) ){
    v8ReadLink(r, i);
    return;
  }
  eTag = v8LeafTag(r);
  if( r->rc!=KV_OK ) return;
  r->z++;
  switch( eTag ){
    case 'o':            v8ReadOpen(r, KV_OBJECT);            break;
    case ';':            v8ReadOpen(r, KV_MAP);               break;
    case '\'':           v8ReadOpen(r, KV_SET);               break;
    case 'A': case 'a':  v8ReadOpenArray(r, eTag);            break;
    case 'r':            v8ReadOpenError(r);                  break;
    case '\\':           v8ReadHost(r);                       break;
    default:             v8ReadLink(r, kvV8Leaf(r, eTag));    break;
  }
}

/* The result of ordering pairs: equal keys are an error at zAt. */
static void v8ReadOrdered(V8Reader *r, const u8 *zAt, int rc){
  if( rc==KV_CORRUPT ) kvV8LeafFail(r, zAt, "duplicate key");
  else if( rc!=KV_OK ) kvV8LeafNoMem(r);
}

static void v8ReadCloseObject(V8Reader *r, V8Frame *pFrame){
  const u8 *zTag = r->z++;
  KvNode *pNode = &r->p->aNode[pFrame->iNode];
  v8ReadExpect(r, pFrame->nItem);
  pNode->n = pFrame->nItem;
  r->nFrame--;
  if( r->rc!=KV_OK ) return;
  v8ReadOrdered(r, zTag, kvTreeOrderPairs(r->p, &pNode->iChild, &pNode->n, 0));
}

/* Read pairs until a container opens or, which gives true, the end tag comes. */
static int v8ReadPairs(V8Reader *r, u8 eEnd){
  u32 nFrame = r->nFrame, iKey;
  while( r->rc==KV_OK && r->nFrame==nFrame ){
    if( !v8LeafShort(r, &iKey) ){
      if( v8LeafPad(r)==eEnd ) return 1;
      iKey = kvV8LeafKey(r);
    }
    v8ReadLink(r, iKey);
    v8ReadTop(r)->nItem++;
    v8ReadValue(r);
  }
  return 0;
}

static void v8ReadObject(V8Reader *r){
  if( v8ReadPairs(r, '{') ) v8ReadCloseObject(r, v8ReadTop(r));
}

static void v8ReadCloseArray(V8Reader *r, V8Frame *pFrame){
  const u8 *zTag = r->z++;
  u32 iArray = pFrame->iNode, iElem = pFrame->iElem;
  u32 *piPair, iPair, nPair = pFrame->nItem;
  u64 nStep = 0;
  int rc;
  v8ReadExpect(r, nPair);
  v8ReadExpect(r, r->p->aNode[iArray].n);
  r->nFrame--;
  if( nPair==0 || r->rc!=KV_OK ) return;
  piPair = iElem ? &r->p->aNode[iElem].iNext : &r->p->aNode[iArray].iChild;
  iPair = *piPair;
  *piPair = 0;
  rc = kvTreeArrayPairs(r->p, iArray, iPair, nPair, 0, &nStep);
  v8ReadOrdered(r, zTag, rc);
}

static void v8ReadArray(V8Reader *r){
  u32 nFrame = r->nFrame;
  int bSparse = r->p->aNode[v8ReadTop(r)->iNode].mFlags & KVN_SPARSE;
  while( v8ReadTop(r)->nLeft ){
    v8ReadTop(r)->nLeft--;
    if( v8LeafPad(r)=='-' ){
      u32 i;
      r->z++;
      v8LeafAdd(r, KV_HOLE, &i);
      v8ReadLink(r, i);
    }else{
      v8ReadValue(r);
    }
    if( r->rc!=KV_OK ) return;
    r->aFrame[nFrame-1].iElem = r->aFrame[nFrame-1].iLast;
    if( r->nFrame!=nFrame ) return;
  }
  if( v8ReadPairs(r, bSparse ? '@' : '$') ) v8ReadCloseArray(r, v8ReadTop(r));
}

/* A Map (nStep 2) or a Set (nStep 1). */
static void v8ReadKeyed(V8Reader *r, u8 eEnd, u32 nStep){
  u32 nFrame = r->nFrame, n;
  KvNode *pNode;
  while( v8LeafPad(r)!=eEnd || v8ReadTop(r)->nItem%nStep ){
    v8ReadTop(r)->nItem++;
    v8ReadValue(r);
    if( r->rc!=KV_OK || r->nFrame!=nFrame ) return;
  }
  r->z++;
  n = v8ReadTop(r)->nItem;
  v8ReadExpect(r, n);
  pNode = &r->p->aNode[v8ReadTop(r)->iNode];
  pNode->n = n / nStep;
  r->nFrame--;
  if( r->rc!=KV_OK ) return;
  if( kvTreeUniqueKeys(r->p, &pNode->iChild, &pNode->n, (int)nStep)!=KV_OK ) kvV8LeafNoMem(r);
  if( pNode->n!=n/nStep ) r->bDropped = 1;
}

/* Put the parts of an Error that had its cause before its stack in order. */
static void v8ReadCloseError(V8Reader *r, V8Frame *pFrame){
  KvNode *aNode = r->p->aNode;
  KvNode *pNode = &aNode[pFrame->iNode];
  if( pFrame->iElem ){
    u32 *piLink = &pNode->iChild, iCause;
    if( pNode->n & KV_ERR_MESSAGE ) piLink = &aNode[*piLink].iNext;
    iCause = *piLink;
    *piLink = pFrame->iLast;
    aNode[pFrame->iLast].iNext = iCause;
    aNode[iCause].iNext = 0;
  }
  r->nFrame--;
}

static void v8ReadError(V8Reader *r){
  u32 nFrame = r->nFrame;
  u32 iNode = v8ReadTop(r)->iNode;
  while( r->rc==KV_OK && r->nFrame==nFrame ){
    V8Frame *pFrame = v8ReadTop(r);
    u32 mHave = r->p->aNode[iNode].n, m = 0;
    const u8 *zAt = r->z;
    switch( v8LeafU8(r) ){
      case '.':  v8ReadCloseError(r, pFrame);  return;
      case 'm':  m = KV_ERR_MESSAGE;           break;
      case 's':  m = KV_ERR_STACK;             break;
      case 'c':  m = KV_ERR_CAUSE;             break;
      default:   break;
    }
    if( m==0 || (mHave & m) || (m==KV_ERR_MESSAGE && mHave) ){
      kvV8LeafFail(r, zAt, "unexpected part of an Error");
      return;
    }
    r->p->aNode[iNode].n = mHave | m;
    if( m==KV_ERR_CAUSE ){
      v8ReadValue(r);
    }else{
      if( mHave & KV_ERR_CAUSE ) pFrame->iElem = 1;
      v8ReadLink(r, kvV8LeafString(r));
    }
  }
}

static void v8ReadHostContent(V8Reader *r){
  V8Frame *pFrame = v8ReadTop(r);
  KvNode *pNode = &r->p->aNode[pFrame->iNode];
  if( pFrame->nItem==0 ){
    pFrame->nItem = (u32)(r->z - r->a);
    v8ReadValue(r);
    return;
  }
  if( r->p->aNode[kvDeref(r->p, pNode->iChild)].eKind!=KV_OBJECT ){
    kvV8LeafFail(r, r->a + pFrame->nItem, "host object without a description");
  }
  pNode->eSpare = 0;
  r->nFrame--;
}

/* Read the root and everything in it. */
static void v8ReadAll(V8Reader *r){
  v8ReadValue(r);
  while( r->rc==KV_OK && r->nFrame ){
    switch( r->p->aNode[v8ReadTop(r)->iNode].eKind ){
      case KV_OBJECT:  v8ReadObject(r);          break;
      case KV_ARRAY:   v8ReadArray(r);           break;
      case KV_MAP:     v8ReadKeyed(r, ':', 2);   break;
      case KV_SET:     v8ReadKeyed(r, ',', 1);   break;
      case KV_ERROR:   v8ReadError(r);           break;
      default:         v8ReadHostContent(r);     break;
    }
  }
}

/* Start with the version header, unless iAt, where a value begins, is given. */
static void v8ReadStart(V8Reader *r, KvTree *p, KvBytes value, u32 iAt, KvErr *pErr){
  u32 iVersion;
  r->p = p;
  r->a = value.n ? value.p : (const u8*)"";      /* it may be a null pointer */
  r->z = r->a + iAt;
  r->zEnd = r->a + value.n;
  r->pErr = pErr;
  r->rc = KV_OK;
  r->bFlags = 1;
  r->aFrame = r->aSpace;
  r->nFrameAlloc = V8_FRAMES;
  r->aId = 0;
  r->nIdAlloc = 0;
  if( iAt ) return;
  if( value.n==0 || *r->z!=0xff ){
    kvV8LeafFail(r, r->a, "no version header");
    return;
  }
  r->z++;
  iVersion = v8LeafU32(r);
  if( iVersion<13 || iVersion>16 ){
    kvV8LeafFail(r, r->a + 1, "unknown version (13 to 16 are known)");
  }
  r->bFlags = iVersion>=14;
}

/*
** Some writers of version 13 did write the flags of views: like V8, read such
** a value a second time with them if it makes no sense without.
*/
int kvV8ReadAt(KvTree *p, KvBytes value, u32 iAt, KvErr *pErr){
  V8Reader r;
  const u8 *zValue;
  v8ReadStart(&r, p, value, iAt, pErr);
  if( r.rc!=KV_OK ) return r.rc;
  zValue = r.z;
  for(;;){
    r.z = zValue;
    r.rc = KV_OK;
    r.nFrame = r.nId = r.iScan = 0;
    r.bDropped = 0;
    p->nNode = p->nRef = 0;
    v8ReadAll(&r);
    if( r.rc!=KV_CORRUPT || r.bFlags ) break;
    r.bFlags = 1;
    kvErrSet(pErr, KV_OK, -1, 0);
  }
  if( r.rc==KV_OK && r.bDropped && kvTreePrune(p)!=KV_OK ) kvV8LeafNoMem(&r);
  if( r.aFrame!=r.aSpace ) kvFree(r.aFrame);
  kvFree(r.aId);
  KV_ASSERT( r.rc!=KV_OK || r.nFrame==0 );
  if( r.rc==KV_OK ) kvTreeCheck(p);
  return r.rc;
}

int kvV8Read(KvTree *p, KvBytes value, KvErr *pErr){
  return kvV8ReadAt(p, value, 0, pErr);
}
