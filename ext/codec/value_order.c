/*
** value_order.c -- the order of keys, and equal ones.  See value_order.h.
*/
#include "codec/value_order.h"
#include "codec/value_string.h"

/*
** The work space of one ordering.  The first of each run of equal keys is kept;
** of the others the node in aKey becomes KV_NO_NODE.
*/
#define ORDER_SMALL 32
typedef struct Order Order;
struct Order {
  KvTree *p;
  u64 (*xIdentity)(const void*, u32);    /* Or 0: see kvTreeUniqueKeysBy() */
  const void *pCtx;
  u32 n, nDup;
  u32 *aKey;              /* The nodes, in the order of the source */
  u32 *aAt;               /* Positions in aKey, sorted by keys */
  u32 *aTmp;
  u32 aSpace[3*ORDER_SMALL];
};

static u64 orderIdentity(const Order *o, u32 iNode){
  return o->xIdentity ? o->xIdentity(o->pCtx, iNode) : kvDeref(o->p, iNode);
}

/* NaN is the last. */
static int orderNumbers(double rA, double rB){
  return rA<rB ? -1 : rA>rB ? 1 : (rA!=rA) - (rB!=rB);
}

/*
** Keys of objects and Maps and elements of Sets, in a total order that tells
** two apart exactly when JavaScript does (SameValueZero).  Numbers come before
** strings, as in the property order of an object.
*/
static int orderCompare(const Order *o, u32 iA, u32 iB){
  const KvNode *pA = &o->p->aNode[iA];
  const KvNode *pB = &o->p->aNode[iB];
  int eA = pA->eKind>=KV_OBJECT ? KV_OBJECT : pA->eKind;
  int eB = pB->eKind>=KV_OBJECT ? KV_OBJECT : pB->eKind;
  u64 a, b;
  if( eA!=eB ) return eA - eB;
  switch( eA ){
    case KV_NUMBER:  return orderNumbers(pA->u.r, pB->u.r);
    case KV_STRING:  return kvStringCompare(pA, pB);
    case KV_BOOL:    return (int)pA->n - (int)pB->n;
    case KV_BIGINT:
      if( pA->eSub!=pB->eSub ) return pA->eSub - pB->eSub;
      return kvBytesCompare(kvNodeBytes(pA), kvNodeBytes(pB));
    case KV_OBJECT:
      a = orderIdentity(o, iA);
      b = orderIdentity(o, iB);
      return (a>b) - (a<b);
    default:         return 0;
  }
}

/* Sort o->aAt (stable), with o->aTmp as work space. */
static void orderSort(Order *o){
  u64 nRun, i, n = o->n;
  for(nRun=1; nRun<n; nRun*=2){
    u32 *a = o->aAt, *aTo = o->aTmp;
    for(i=0; i<n; i+=2*nRun){
      u64 iMid = i+nRun<n ? i+nRun : n;
      u64 iEnd = i+2*nRun<n ? i+2*nRun : n;
      u64 iL = i, iR = iMid, k;
      for(k=i; k<iEnd; k++){
        int bRight = iL>=iMid
            || (iR<iEnd && orderCompare(o, o->aKey[a[iR]], o->aKey[a[iL]])<0);
        aTo[k] = bRight ? a[iR++] : a[iL++];
      }
    }
    o->aAt = aTo;
    o->aTmp = a;
  }
}

/*
** Drop all but the first of equal keys, which with bTake gets the value of the
** last.  (Nothing has been relinked yet.)
*/
static void orderDrop(Order *o, int bTake){
  KvNode *aNode = o->p->aNode;
  u32 i, iFirst = o->aKey[o->aAt[0]];
  for(i=1; i<o->n; i++){
    u32 *piKey = &o->aKey[o->aAt[i]];
    if( orderCompare(o, iFirst, *piKey)!=0 ){
      iFirst = *piKey;
    }else{
      if( bTake ) aNode[iFirst].iNext = aNode[*piKey].iNext;
      *piKey = KV_NO_NODE;
      o->nDup++;
    }
  }
}

/*
** Collect o->n>0 keys, each nStep (1 or 2) siblings after the one before, sort
** them and drop equal ones.  False: no memory.
*/
static int orderKeys(Order *o, u32 iKey, int nStep, int bTake){
  const KvNode *aNode = o->p->aNode;
  u32 n = o->n, i;
  int bAscending = 1;
  o->nDup = 0;
  o->aKey = n>ORDER_SMALL ? kvRealloc(0, (u64)n*3*sizeof(u32)) : o->aSpace;
  if( o->aKey==0 ) return 0;
  o->aAt = &o->aKey[n];
  o->aTmp = &o->aAt[n];
  for(i=0; i<n; i++){
    o->aKey[i] = iKey;
    o->aAt[i] = i;
    bAscending = bAscending && (i==0 || orderCompare(o, o->aKey[i-1], iKey)<0);
    iKey = aNode[nStep==2 ? aNode[iKey].iNext : iKey].iNext;
  }
  if( !bAscending ){
    orderSort(o);
    orderDrop(o, bTake);
  }
  return 1;
}

static void orderRelease(Order *o){
  if( o->aKey!=o->aSpace ) kvFree(o->aKey);
}

/* Append the key iKey, and with nStep==2 its value, to a list of siblings. */
static void orderLink(KvTree *p, u32 *piFirst, u32 *piLast, u32 iKey, int nStep){
  if( *piLast ) p->aNode[*piLast].iNext = iKey;
  else *piFirst = iKey;
  *piLast = nStep==2 ? p->aNode[iKey].iNext : iKey;
}

/*
** True if the pairs surely are in order and have no equal keys: few of them,
** all keys strings of the encoding of the first, not UTF-16, or ASCII, none of which
** begins with a digit.  A key is compared with those before it only if one of them
** has the same bit in mSeen.
*/
static int orderIsPlain(const KvTree *p, u32 iKey, u32 nPair){
  const KvNode *apKey[ORDER_SMALL];
  u8 eSub = p->aNode[iKey].eSub;
  u64 mSeen = 0;
  u32 i, j;
  if( nPair>ORDER_SMALL || eSub==KV_UTF16 ) return 0;
  for(i=0; i<nPair; i++){
    const KvNode *pKey = &p->aNode[iKey];
    const u8 *z = pKey->u.p;
    u32 n = pKey->n;
    u64 mBit;
    if( pKey->eKind!=KV_STRING || n==0 || (z[0]>='0' && z[0]<='9') ) return 0;
    if( pKey->eSub!=eSub && (pKey->eSub==KV_UTF16 || kvAsciiSpan(kvNodeBytes(pKey))!=n) ) return 0;
    mBit = (u64)1<<((z[0] + 5*z[n-1] + 11*z[n/2] + 23*n)&63);
    if( mSeen & mBit ){
      for(j=0; j<i; j++){
        if( apKey[j]->n==n && memcmp(apKey[j]->u.p, z, n)==0 ) return 0;
      }
    }
    mSeen |= mBit;
    apKey[i] = pKey;
    iKey = p->aNode[pKey->iNext].iNext;
  }
  return 1;
}

/* Make NUMBER keys of the string keys that are array indices. */
static void orderFindIndices(KvTree *p, u32 iKey, u32 nPair){
  for(; nPair>0; nPair--, iKey=p->aNode[p->aNode[iKey].iNext].iNext){
    KvNode *pKey = &p->aNode[iKey];
    u32 nUnit = pKey->eSub==KV_UTF16 ? 2 : 1, i;
    u8 z[10];
    i64 v;
    if( pKey->eKind!=KV_STRING || pKey->n==0 || pKey->n>10*nUnit ) continue;
    for(i=0; i<pKey->n/nUnit; i++){
      z[i] = nUnit==2 && pKey->u.p[2*i+1] ? 0 : pKey->u.p[i*nUnit];
    }
    v = kvArrayIndex(kvBytes(z, i));
    if( v>=0 ) kvNodeBecome(pKey, KV_NUMBER)->u.r = (double)v;
  }
}

/* Link the pairs again: sorted numbers, then strings as in the source. */
static void orderRelink(Order *o, u32 *piFirst){
  KvTree *p = o->p;
  u32 i, iLast = 0;
  int bText;
  for(bText=0; bText<2; bText++){
    for(i=0; i<o->n; i++){
      u32 iKey = o->aKey[bText ? i : o->aAt[i]];
      if( iKey==KV_NO_NODE || (p->aNode[iKey].eKind==KV_STRING)!=bText ) continue;
      orderLink(p, piFirst, &iLast, iKey, 2);
    }
  }
  p->aNode[iLast].iNext = 0;
}

int kvTreeOrderPairs(KvTree *p, u32 *piFirst, u32 *pnPair, int bLast){
  Order o;
  int rc = KV_OK;
  if( *pnPair==0 || orderIsPlain(p, *piFirst, *pnPair) ) return KV_OK;
  orderFindIndices(p, *piFirst, *pnPair);
  o.p = p;
  o.xIdentity = 0;
  o.n = *pnPair;
  if( !orderKeys(&o, *piFirst, 2, bLast) ) return KV_NOMEM;
  if( o.nDup && !bLast ){
    rc = KV_CORRUPT;
  }else{
    orderRelink(&o, piFirst);
    *pnPair -= o.nDup;
  }
  orderRelease(&o);
  return rc;
}

int kvTreeUniqueKeysBy(
  KvTree *p, u32 *piFirst, u32 *pnKey, int nStep,
  u64 (*xIdentity)(const void *pCtx, u32 iNode), const void *pCtx
){
  Order o;
  u32 i, iLast = 0;
  if( *pnKey==0 ) return KV_OK;
  o.p = p;
  o.xIdentity = xIdentity;
  o.pCtx = pCtx;
  o.n = *pnKey;
  if( !orderKeys(&o, *piFirst, nStep, nStep==2) ) return KV_NOMEM;
  for(i=0; i<o.n; i++){
    KvNode *pKey;
    if( o.aKey[i]==KV_NO_NODE ) continue;
    pKey = &p->aNode[o.aKey[i]];
    if( pKey->eKind==KV_NUMBER && pKey->u.r==0.0 ) pKey->u.r = 0.0;
    orderLink(p, piFirst, &iLast, o.aKey[i], nStep);
  }
  p->aNode[iLast].iNext = 0;
  *pnKey -= o.nDup;
  orderRelease(&o);
  return KV_OK;
}

int kvTreeUniqueKeys(KvTree *p, u32 *piFirst, u32 *pnKey, int nStep){
  return kvTreeUniqueKeysBy(p, piFirst, pnKey, nStep, 0, 0);
}

/* The link that follows n nodes from *piLink on. */
static u32 *orderSkip(KvTree *p, u32 *piLink, u64 n){
  for(; n>0; n--) piLink = &p->aNode[*piLink].iNext;
  return piLink;
}

/* Put the leading index pairs of a chain in the place of iArray's elements and
** after the last one, as long as there is no gap.  The elements are linked
** without pairs.  *piPair becomes the first pair that is left; *pn counts down. */
static int orderPlace(KvTree *p, u32 iArray, u32 *piPair, u32 *pn, int bLast, u64 *pnStep){
  KvNode *aNode = p->aNode, *pArray = &aNode[iArray];
  u32 *piLink = &pArray->iChild, i = *piPair, k = 0;
  while( *pn && aNode[i].eKind==KV_NUMBER && aNode[i].u.r<=(double)pArray->u.c.nElem ){
    u32 iVal = aNode[i].iNext, iNext = aNode[iVal].iNext, iIndex = (u32)aNode[i].u.r;
    piLink = orderSkip(p, piLink, iIndex - k);
    k = iIndex;
    if( *piLink==0 ) pArray->u.c.nElem++;
    else if( !bLast && aNode[*piLink].eKind!=KV_HOLE ) return KV_CORRUPT;
    aNode[iVal].iNext = aNode[*piLink].iNext;    /* of node 0 it is 0 */
    *piLink = iVal;
    i = iNext;
    (*pn)--;
  }
  *piPair = i;
  *pnStep += k;
  return KV_OK;
}

int kvTreeArrayPairs(KvTree *p, u32 iArray, u32 iPair, u32 nPair, int bLast, u64 *pnStep){
  KvNode *pArray = &p->aNode[iArray];
  const u32 nOld = pArray->u.c.nPair;
  u32 *piLink, i;
  int rc;
  for(i=iPair; i; i=p->aNode[p->aNode[i].iNext].iNext){
    if( kvStringIs(&p->aNode[i], "length") ) return KV_CORRUPT;
  }
  if( nOld ){                             /* join the old pairs and the new */
    piLink = orderSkip(p, &pArray->iChild, pArray->u.c.nElem);
    i = *piLink;
    *piLink = 0;
    *orderSkip(p, &i, 2*(u64)nOld) = iPair;
    iPair = i;
    nPair += nOld;
    pArray->u.c.nPair = 0;
  }
  rc = kvTreeOrderPairs(p, &iPair, &nPair, bLast);
  if( rc==KV_OK ) rc = orderPlace(p, iArray, &iPair, &nPair, bLast, pnStep);
  if( rc!=KV_OK ) return rc;
  if( pArray->n<pArray->u.c.nElem ) pArray->n = pArray->u.c.nElem;
  pArray->u.c.nPair = nPair;
  *orderSkip(p, &pArray->iChild, pArray->u.c.nElem) = iPair;
  for(i=iPair; nPair>0 && p->aNode[i].eKind==KV_NUMBER; nPair--){
    if( p->aNode[i].u.r>=(double)pArray->n ) pArray->n = (u32)p->aNode[i].u.r + 1;
    i = p->aNode[p->aNode[i].iNext].iNext;
  }
  return KV_OK;
}

int kvNodeAlike(const KvNode *pA, const KvNode *pB){
  if( pA->eKind!=pB->eKind ) return 0;
  switch( pA->eKind ){
    case KV_STRING: return kvStringEqual(pA, pB);
    case KV_NUMBER:
    case KV_DATE:   return kvDoubleToBits(pA->u.r)==kvDoubleToBits(pB->u.r);
    default:        break;
  }
  if( pA->eSub!=pB->eSub || pA->n!=pB->n ) return 0;
  switch( pA->eKind ){
    case KV_BIGINT:
    case KV_BUFFER: return kvBytesEqual(kvNodeBytes(pA), kvNodeBytes(pB));
    case KV_VIEW:   return pA->u.iOffset==pB->u.iOffset
                        && ((pA->mFlags ^ pB->mFlags) & KVN_TRACK)==0;
    case KV_ARRAY:  return pA->u.c.nElem==pB->u.c.nElem && pA->u.c.nPair==pB->u.c.nPair;
    default:        return 1;
  }
}
