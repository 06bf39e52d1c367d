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
** whatever its high bit (but if that is set, another byte must follow).  Objects have ids 0, 1, 2 ... in the order in which
** they begin, a view after its buffer.  An id is valid from there on, that of
** an Error from its cause on, that of a host object after its payload.
**
** Besides what V8 15 accepts this reads an Error whose cause comes before its
** stack, and the views that Node writes as host objects '\' type n bytes.
** Deno's host objects are '\' FFFFFFFF0F and an object that describes them.
**
** What may not occur: any other tag, a duplicate key, a wrong count, a length
** beyond the end, a reference to what is not there yet, a view outside of its
** buffer.  Nothing is allocated by a length that is not backed by input.
*/
#include "codec/v8/v8_int.h"
#include "codec/num/date.h"
#include "codec/value_order.h"
#include "codec/value_string.h"

#define V8R_DENO_HOST   0xffffffffu

static const char v8rCount[] = "object count does not match";
static const char v8rDuplicate[] = "duplicate key";

/* The count after an end tag, which must be n. */
static int v8rExpect(V8Reader *r, u32 n){
  const u8 *zAt = r->z;
  u32 nRead = 0;
  int rc = v8rU32(r, &nRead);
  if( rc==KV_OK && nRead!=n ) rc = kvV8rFail(r, zAt, v8rCount);
  return rc;
}

static int v8rGrowFrames(V8Reader *r){
  u64 nNew = (u64)r->nFrameAlloc*2;
  V8rFrame *aNew;
  int bOwn = r->aFrame==r->aSpace;
  aNew = kvRealloc(bOwn ? 0 : r->aFrame, nNew*sizeof(V8rFrame));
  if( aNew==0 ) return kvV8rNoMem(r);
  if( bOwn ) memcpy(aNew, r->aSpace, sizeof(r->aSpace));
  r->aFrame = aNew;
  r->nFrameAlloc = (u32)nNew;
  return KV_OK;
}

/* Add a container, link it and open it. */
static int v8rOpen(V8Reader *r, u8 eKind, u32 *pi){
  V8rFrame *pFrame;
  if( v8rAdd(r, eKind, pi)!=KV_OK ) return KV_NOMEM;
  v8rLink(r, *pi);
  if( r->nFrame>=r->nFrameAlloc && v8rGrowFrames(r)!=KV_OK ) return KV_NOMEM;
  pFrame = &r->aFrame[r->nFrame++];
  pFrame->iNode = *pi;
  pFrame->iLast = 0;
  pFrame->nLeft = 0;
  pFrame->nItem = 0;
  pFrame->iElem = 0;
  return KV_OK;
}

/* A host object; the cursor is after its tag. */
static int v8rHost(V8Reader *r){
  const u8 *zAt = r->z;
  u32 eIndex = 0, i;
  int rc = v8rU32(r, &eIndex);
  if( rc!=KV_OK ) return rc;
  if( eIndex<=12 ){
    rc = kvV8rNodeView(r, zAt, eIndex, &i);
    if( rc==KV_OK ) v8rLink(r, i);
    return rc;
  }
  if( eIndex!=V8R_DENO_HOST ) return kvV8rFail(r, zAt, "unknown host object");
  rc = v8rOpen(r, KV_HOST, &i);
  if( rc!=KV_OK ) return rc;
  r->p->aNode[i].eSub = KV_HOST_DENO;
  r->p->aNode[i].eSpare = V8R_PENDING;
  return KV_OK;
}

static int v8rOpenArray(V8Reader *r, u8 eTag){
  const u8 *zAt = r->z;
  u32 i, n = 0;
  int rc = v8rU32(r, &n);
  if( rc!=KV_OK ) return rc;
  if( eTag=='A' && n>(u64)(r->zEnd - r->z) ) return kvV8rFail(r, zAt, kvV8rLong);
  rc = v8rOpen(r, KV_ARRAY, &i);
  if( rc!=KV_OK ) return rc;
  r->p->aNode[i].n = n;
  if( eTag=='A' ){
    r->p->aNode[i].u.c.nElem = n;
    r->aFrame[r->nFrame-1].nLeft = n;
  }else{
    r->p->aNode[i].mFlags |= KVN_SPARSE;
  }
  return KV_OK;
}

static int v8rOpenError(V8Reader *r){
  static const char zProto[] = ".ERFSTU";
  u8 eTag = 0;
  const u8 *z = r->z;
  u32 i;
  int k, rc;
  rc = v8rOpen(r, KV_ERROR, &i);
  if( rc==KV_OK ) rc = v8rU8(r, &eTag);
  if( rc!=KV_OK ) return rc;
  for(k=1; k<KV_ERR_COUNT; k++){
    if( (u8)zProto[k]==eTag ){
      r->p->aNode[i].eSub = (u8)k;
      return KV_OK;
    }
  }
  r->z = z;
  return KV_OK;
}

/*
** Read a value and link it.  A container is only opened: its content is read
** by the steps below.
*/
static int v8rValue(V8Reader *r){
  u32 i;
  u8 eTag;
  int rc = v8rSkip(r);
  if( rc!=KV_OK ) return rc;
  eTag = *r->z++;
  switch( eTag ){
    case 'o':            return v8rOpen(r, KV_OBJECT, &i);
    case ';':            return v8rOpen(r, KV_MAP, &i);
    case '\'':           return v8rOpen(r, KV_SET, &i);
    case 'A': case 'a':  return v8rOpenArray(r, eTag);
    case 'r':            return v8rOpenError(r);
    case '\\':           return v8rHost(r);
    default:
      rc = kvV8rLeaf(r, eTag, &i);
      if( rc==KV_OK ) v8rLink(r, i);
      return rc;
  }
}

/* The result of ordering pairs, as an error at zAt. */
static int v8rOrdered(V8Reader *r, const u8 *zAt, int rc){
  if( rc==KV_CORRUPT ) return kvV8rFail(r, zAt, v8rDuplicate);
  return rc==KV_OK ? KV_OK : kvV8rNoMem(r);
}

static int v8rCloseObject(V8Reader *r, V8rFrame *pFrame){
  const u8 *zTag = r->z++;
  KvNode *pNode = &r->p->aNode[pFrame->iNode];
  int rc = v8rExpect(r, pFrame->nItem);
  if( rc!=KV_OK ) return rc;
  pNode->n = pFrame->nItem;
  r->nFrame--;
  return v8rOrdered(r, zTag, kvTreeOrderPairs(r->p, &pNode->iChild, &pNode->n, 0));
}

/* Set every field of a node but u.  (Field by field: this is faster than to
** clear the node first.) */
static inline void v8rSet(KvNode *pNode, u8 eKind, u32 n){
  pNode->eKind = eKind;
  pNode->eSub = 0;
  pNode->mFlags = 0;
  pNode->eSpare = 0;
  pNode->iNext = 0;
  pNode->iChild = 0;
  pNode->n = n;
}

/*
** If a short Latin-1 string without padding starts at z, make *pNode it and
** return its end, else 0.
*/
static inline const u8 *v8rShort(const u8 *z, const u8 *zEnd, KvNode *pNode){
  if( zEnd - z<2 || z[0]!='"' || z[1]>=0x80 || z[1]>zEnd - z - 2 ) return 0;
  v8rSet(pNode, KV_STRING, z[1]);
  pNode->u.p = z + 2;
  return z + 2 + z[1];
}

/* The same for an integer of at most 3 bytes, a double, a Date, true, false,
** null and undefined. */
static const u8 *v8rSmall(const u8 *z, const u8 *zEnd, KvNode *pNode){
  u8 eTag = *z++;
  u32 v;
  switch( eTag ){
    case 'I':
      if( zEnd - z<3 ) return 0;
      v = *z++;
      if( v>=0x80 ) v = (v&0x7f) | (u32)*z++<<7;
      if( v>=0x4000 ) v = (v&0x3fff) | (u32)*z++<<14;
      if( v>=0x200000 ) return 0;
      v8rSet(pNode, KV_NUMBER, 0);
      pNode->u.r = (i32)(v>>1) ^ -(i32)(v&1);
      return z;
    case 'N':
      if( zEnd - z<8 ) return 0;
      v8rSet(pNode, KV_NUMBER, 0);
      pNode->u.r = v8LoadDouble(z);
      return z + 8;
    case 'D':
      if( zEnd - z<8 ) return 0;
      v8rSet(pNode, KV_DATE, 0);
      pNode->u.r = kvTimeClip(v8LoadDouble(z));
      return z + 8;
    case 'T': case 'F':
      v8rSet(pNode, KV_BOOL, eTag=='T');
      break;
    case '0':
      v8rSet(pNode, KV_NULL, 0);
      break;
    case '_':
      v8rSet(pNode, KV_UNDEFINED, 0);
      break;
    default:
      return 0;
  }
  pNode->u.p = 0;
  return z;
}

/*
** The same work as v8rPairs(), and the elements of a dense array, for as long
** as keys are short strings and values are small.  Stops before what is not;
** true if that is the value of a key that has been read.
*/
static int v8rSmallItems(V8Reader *r, V8rFrame *pFrame){
  KvTree *p = r->p;
  KvNode *aNode = p->aNode;
  const u8 *z = r->z, *zEnd = r->zEnd, *zNext;
  u32 iNode = p->nNode, nAlloc = p->nAlloc, nLeft = pFrame->nLeft, nPair = 0;
  int bDense = nLeft>0, bKey = 0;
  u32 *piLink = pFrame->iLast ? &aNode[pFrame->iLast].iNext
                              : &aNode[pFrame->iNode].iChild;
  while( nAlloc - iNode>=2 && zEnd>z ){
    KvNode *pNode = &aNode[iNode];
    if( !bDense ){
      zNext = v8rShort(z, zEnd, pNode);
      if( zNext==0 ) break;
      nPair++;
      *piLink = iNode++;
      piLink = &pNode->iNext;
      pNode++;
      z = zNext;
      bKey = 1;
      if( z>=zEnd ) break;
    }else if( nLeft==0 ){
      break;
    }
    zNext = v8rShort(z, zEnd, pNode);
    if( zNext==0 ){
      zNext = v8rSmall(z, zEnd, pNode);
      if( zNext==0 ) break;
    }
    nLeft -= (u32)bDense;
    bKey = 0;
    *piLink = iNode++;
    piLink = &pNode->iNext;
    z = zNext;
  }
  if( iNode!=p->nNode ){
    p->nNode = iNode;
    pFrame->iLast = iNode - 1;
    pFrame->nLeft = nLeft;
    pFrame->nItem += nPair;
    r->z = z;
  }
  return bKey;
}

/* Read pairs until a container opens or the end tag comes. */
static int v8rPairs(V8Reader *r, u8 eEnd, int *pbEnd){
  u32 nFrame = r->nFrame;
  int rc;
  *pbEnd = 0;
  do{
    if( !v8rSmallItems(r, &r->aFrame[nFrame-1]) ){
      rc = v8rPad(r);
      if( rc!=KV_OK ) break;
      if( *r->z==eEnd ){
        *pbEnd = 1;
        break;
      }
      rc = kvV8rKey(r);
      if( rc!=KV_OK ) break;
      r->aFrame[nFrame-1].nItem++;
    }
    rc = v8rValue(r);
  }while( rc==KV_OK && r->nFrame==nFrame );
  return rc;
}

static int v8rStepObject(V8Reader *r){
  int bEnd;
  int rc = v8rPairs(r, '{', &bEnd);
  if( bEnd ) rc = v8rCloseObject(r, &r->aFrame[r->nFrame-1]);
  return rc;
}

/* True if a pair is left whose key is the string "length". */
static int v8rHasLength(const KvTree *p, u32 iKey){
  for(; iKey; iKey=p->aNode[p->aNode[iKey].iNext].iNext){
    if( kvStringIs(&p->aNode[iKey], "length") ) return 1;
  }
  return 0;
}

/*
** Take from the ordered pairs, the first of which is *piKey, those whose index
** is that of a hole among the elements or follows the last element, and put
** their values there.  The rest, from *piKey on, stays behind the elements.
*/
static int v8rFillArray(V8Reader *r, u32 iArray, u32 iElemLast, u32 *piKey){
  KvNode *aNode = r->p->aNode;
  u32 iKey = *piKey;
  KvNode *pArray = &aNode[iArray];
  u32 *piLink = &pArray->iChild;  /* The link to the element iAt */
  u32 iAt = 0;
  u32 nElem = pArray->u.c.nElem;
  while( iKey && aNode[iKey].eKind==KV_NUMBER && aNode[iKey].u.r<=(double)nElem ){
    u32 iIndex = (u32)aNode[iKey].u.r;
    u32 iValue = aNode[iKey].iNext;
    u32 iNextKey = aNode[iValue].iNext;
    if( iIndex<nElem ){
      while( iAt<iIndex ){
        piLink = &aNode[*piLink].iNext;
        iAt++;
      }
      if( aNode[*piLink].eKind!=KV_HOLE ) return KV_CORRUPT;
      if( *piLink==iElemLast ) iElemLast = iValue;
      aNode[iValue].iNext = aNode[*piLink].iNext;
      *piLink = iValue;
    }else{
      if( iElemLast ) aNode[iElemLast].iNext = iValue;
      else pArray->iChild = iValue;
      iElemLast = iValue;
      nElem++;
    }
    pArray->u.c.nPair--;
    iKey = iNextKey;
  }
  if( iElemLast ) aNode[iElemLast].iNext = iKey;
  else pArray->iChild = iKey;
  pArray->u.c.nElem = nElem;
  if( nElem>pArray->n ) pArray->n = nElem;
  *piKey = iKey;
  while( iKey && aNode[iKey].eKind==KV_NUMBER ){
    if( aNode[iKey].u.r>=(double)pArray->n ) pArray->n = (u32)aNode[iKey].u.r + 1;
    iKey = aNode[aNode[iKey].iNext].iNext;
  }
  return KV_OK;
}

static int v8rCloseArray(V8Reader *r, V8rFrame *pFrame){
  const u8 *zTag = r->z++;
  u32 iArray = pFrame->iNode, iElem = pFrame->iElem;
  KvNode *aNode = r->p->aNode;
  u32 iFirst, nPair = pFrame->nItem;
  int rc = v8rExpect(r, nPair);
  if( rc==KV_OK ) rc = v8rExpect(r, aNode[iArray].n);
  if( rc!=KV_OK ) return rc;
  r->nFrame--;
  if( nPair==0 ) return KV_OK;
  iFirst = iElem ? aNode[iElem].iNext : aNode[iArray].iChild;
  rc = v8rOrdered(r, zTag, kvTreeOrderPairs(r->p, &iFirst, &nPair, 0));
  if( rc!=KV_OK ) return rc;
  aNode[iArray].u.c.nPair = nPair;
  rc = v8rFillArray(r, iArray, iElem, &iFirst);
  if( rc!=KV_OK || v8rHasLength(r->p, iFirst) ){
    return kvV8rFail(r, zTag, v8rDuplicate);
  }
  return KV_OK;
}

static int v8rStepArray(V8Reader *r){
  u32 nFrame = r->nFrame;
  V8rFrame *pFrame = &r->aFrame[nFrame-1];
  int bSparse = r->p->aNode[pFrame->iNode].mFlags & KVN_SPARSE;
  int rc = KV_OK;
  int bEnd;
  while( pFrame->nLeft ){
    v8rSmallItems(r, pFrame);
    pFrame->iElem = pFrame->iLast;
    if( pFrame->nLeft==0 ) break;
    pFrame->nLeft--;
    rc = v8rPad(r);
    if( rc!=KV_OK ) return rc;
    if( *r->z=='-' ){
      u32 i;
      r->z++;
      rc = v8rAdd(r, KV_HOLE, &i);
      if( rc==KV_OK ) v8rLink(r, i);
    }else{
      rc = v8rValue(r);
    }
    if( rc!=KV_OK ) return rc;
    r->aFrame[nFrame-1].iElem = r->aFrame[nFrame-1].iLast;
    if( r->nFrame!=nFrame ) return KV_OK;
  }
  rc = v8rPairs(r, bSparse ? '@' : '$', &bEnd);
  if( bEnd ) rc = v8rCloseArray(r, &r->aFrame[r->nFrame-1]);
  return rc;
}

/* A Map (nStep 2) or a Set (nStep 1). */
static int v8rStepKeyed(V8Reader *r, u8 eEnd, u32 nStep){
  u32 nFrame = r->nFrame;
  V8rFrame *pFrame;
  KvNode *pNode;
  u32 n;
  int rc = KV_OK;
  while( rc==KV_OK && r->nFrame==nFrame ){
    rc = v8rPad(r);
    if( rc!=KV_OK ) return rc;
    pFrame = &r->aFrame[nFrame-1];
    if( *r->z==eEnd && pFrame->nItem%nStep==0 ) break;
    pFrame->nItem++;
    rc = v8rValue(r);
  }
  if( rc!=KV_OK || r->nFrame!=nFrame ) return rc;
  pFrame = &r->aFrame[nFrame-1];
  r->z++;
  rc = v8rExpect(r, pFrame->nItem);
  if( rc!=KV_OK ) return rc;
  pNode = &r->p->aNode[pFrame->iNode];
  pNode->n = n = pFrame->nItem/nStep;
  r->nFrame--;
  if( kvTreeUniqueKeys(r->p, &pNode->iChild, &pNode->n, (int)nStep)!=KV_OK ){
    return kvV8rNoMem(r);
  }
  if( pNode->n!=n ) r->bDropped = 1;
  return KV_OK;
}

/* Put the parts of an Error that had its cause before its stack in order. */
static void v8rCloseError(V8Reader *r, V8rFrame *pFrame){
  KvNode *aNode = r->p->aNode;
  KvNode *pNode = &aNode[pFrame->iNode];
  u32 iStack = pFrame->iLast;
  u32 iCause;
  if( pFrame->iElem ){
    u32 *piLink = &pNode->iChild;
    if( pNode->n & KV_ERR_MESSAGE ) piLink = &aNode[*piLink].iNext;
    iCause = *piLink;
    *piLink = iStack;
    aNode[iStack].iNext = iCause;
    aNode[iCause].iNext = 0;
  }
  r->nFrame--;
}

static int v8rStepError(V8Reader *r){
  u32 nFrame = r->nFrame;
  u32 iNode = r->aFrame[nFrame-1].iNode;
  while( r->nFrame==nFrame ){
    V8rFrame *pFrame = &r->aFrame[nFrame-1];
    u32 mHave = r->p->aNode[iNode].n;
    const u8 *zAt = r->z;
    u32 i, m;
    u8 eTag = 0;
    int rc = v8rU8(r, &eTag);
    if( rc!=KV_OK ) return rc;
    if( eTag=='.' ){
      v8rCloseError(r, pFrame);
      return KV_OK;
    }
    m = eTag=='m' ? KV_ERR_MESSAGE : eTag=='s' ? KV_ERR_STACK
      : eTag=='c' ? KV_ERR_CAUSE : 0;
    if( m==0 || (mHave & m) || (m==KV_ERR_MESSAGE && mHave) ){
      return kvV8rFail(r, zAt, "unexpected part of an Error");
    }
    r->p->aNode[iNode].n = mHave | m;
    if( m==KV_ERR_CAUSE ){
      rc = v8rValue(r);
    }else{
      if( mHave & KV_ERR_CAUSE ) pFrame->iElem = 1;
      rc = kvV8rString(r, &i);
      if( rc==KV_OK ) v8rLink(r, i);
    }
    if( rc!=KV_OK ) return rc;
  }
  return KV_OK;
}

static int v8rStepHost(V8Reader *r){
  V8rFrame *pFrame = &r->aFrame[r->nFrame-1];
  KvNode *pNode = &r->p->aNode[pFrame->iNode];
  if( pFrame->nItem==0 ){
    pFrame->nItem = (u32)(r->z - r->a);
    return v8rValue(r);
  }
  if( r->p->aNode[kvDeref(r->p, pNode->iChild)].eKind!=KV_OBJECT ){
    return kvV8rFail(r, r->a + pFrame->nItem, "host object without a description");
  }
  pNode->eSpare = 0;
  r->nFrame--;
  return KV_OK;
}

/* Read the root and everything in it. */
static int v8rAll(V8Reader *r){
  int rc = v8rValue(r);
  while( rc==KV_OK && r->nFrame ){
    switch( r->p->aNode[r->aFrame[r->nFrame-1].iNode].eKind ){
      case KV_OBJECT:  rc = v8rStepObject(r);          break;
      case KV_ARRAY:   rc = v8rStepArray(r);           break;
      case KV_MAP:     rc = v8rStepKeyed(r, ':', 2);   break;
      case KV_SET:     rc = v8rStepKeyed(r, ',', 1);   break;
      case KV_ERROR:   rc = v8rStepError(r);           break;
      default:         rc = v8rStepHost(r);            break;
    }
  }
  return rc;
}

/* Start with the version header, unless iAt, where a value begins, is given. */
static int v8rStart(V8Reader *r, KvTree *p, KvBytes value, u32 iAt, KvErr *pErr){
  static const char zNoHeader[] = "no version header";
  const u8 *a = value.n ? value.p : (const u8*)"";    /* it may be a null pointer */
  u32 iVersion = 0;
  int rc;
  r->p = p;
  r->a = a;
  r->z = a + iAt;
  r->zEnd = a + value.n;
  r->pErr = pErr;
  r->bFlags = 1;
  r->aFrame = r->aSpace;
  r->nFrameAlloc = V8R_FRAMES;
  r->aId = 0;
  r->nIdAlloc = 0;
  if( iAt ) return KV_OK;
  if( value.n==0 || *r->z!=0xff ) return kvV8rFail(r, a, zNoHeader);
  r->z++;
  rc = v8rU32(r, &iVersion);
  if( rc!=KV_OK ) return rc;
  if( iVersion<13 || iVersion>16 ){
    return kvV8rFail(r, a+1, "unknown version (13 to 16 are known)");
  }
  r->bFlags = iVersion>=14;
  return KV_OK;
}

/*
** Some writers of version 13 did write the flags of views: like V8, read such
** a value a second time with them if it makes no sense without.
*/
int kvV8ReadAt(KvTree *p, KvBytes value, u32 iAt, KvErr *pErr){
  V8Reader r;
  const u8 *zValue;
  int rc = v8rStart(&r, p, value, iAt, pErr);
  if( rc!=KV_OK ) return rc;
  zValue = r.z;
  for(;;){
    r.z = zValue;
    r.nFrame = r.nId = r.iScan = 0;
    r.bDropped = 0;
    p->nNode = p->nRef = 0;
    rc = v8rAll(&r);
    if( rc!=KV_CORRUPT || r.bFlags ) break;
    r.bFlags = 1;
  }
  if( rc==KV_OK && r.bDropped && kvTreePrune(p)!=KV_OK ) rc = kvV8rNoMem(&r);
  if( r.aFrame!=r.aSpace ) kvFree(r.aFrame);
  kvFree(r.aId);
  return rc;
}

int kvV8Read(KvTree *p, KvBytes value, KvErr *pErr){
  return kvV8ReadAt(p, value, 0, pErr);
}
