/*
** value_order.c -- the order of keys, and equal ones.  See value_order.h.
*/
#include "codec/value_order.h"
#include "codec/value_string.h"

/*
** Keys of objects and Maps and elements of Sets, in a total order that tells
** two apart exactly when JavaScript does (SameValueZero): first by a prefix
** of 64 bits, which is the rank of the kind and the beginning of the value,
** then by the whole value.  Numbers come first and strings last, as in the
** property order of an object.
*/
typedef struct OrderKey OrderKey;
struct OrderKey {
  u64 uPrefix;
  u32 iKey;               /* The node, or KV_NO_NODE for a dropped duplicate */
  u32 iOrd;               /* Position in the source */
};

/*
** The work space of one ordering: the keys in the order of the source, the
** keys sorted, and space for the sort.  The first of each run of equal keys
** is kept; of the others iKey in aSrc becomes KV_NO_NODE.
*/
#define ORDER_SMALL 32
typedef struct OrderSorter OrderSorter;
struct OrderSorter {
  KvTree *p;
  u64 (*xIdentity)(const void*, u32);    /* Or 0: see kvTreeUniqueKeysBy() */
  const void *pCtx;
  OrderKey *aSrc;
  OrderKey *aSorted;
  u32 n;
  u32 nDup;
  OrderKey aSpace[3*ORDER_SMALL];
};

/* The bits of a double, as an integer of the same order.  NaN is the last. */
static u64 orderNumberBits(double r){
  u64 u = kvDoubleToBits(r + 0.0);
  if( r!=r ) return ~(u64)0;
  return (u>>63) ? ~u : u | (u64)1<<63;
}

static u64 orderStringBits(const KvNode *pStr){
  u64 u = 0;
  u32 i = 0;
  int k;
  for(k=0; k<3; k++){
    u <<= 21;
    if( i<pStr->n ) u |= kvStringPoint(pStr, &i) + 1;
  }
  return u<<1;
}

static u64 orderPrefix(const OrderSorter *pS, u32 iKey){
  const KvNode *pKey = &pS->p->aNode[iKey];
  u64 uRank = 5, u = 0;
  switch( pKey->eKind ){
    case KV_NUMBER:
      uRank = 0;
      u = orderNumberBits(pKey->u.r);
      break;
    case KV_UNDEFINED:
      uRank = 1;
      break;
    case KV_NULL:
      uRank = 2;
      break;
    case KV_BOOL:
      uRank = 3;
      u = (u64)pKey->n<<32;
      break;
    case KV_BIGINT:
      uRank = 4;
      u = (u64)pKey->eSub<<63 | (u64)pKey->n<<31;
      if( pKey->n ) u |= (u64)pKey->u.p[pKey->n-1]<<23;
      break;
    case KV_STRING:
      uRank = 7;
      u = orderStringBits(pKey);
      break;
    default:
      u = pS->xIdentity ? pS->xIdentity(pS->pCtx, iKey) : kvDeref(pS->p, iKey);
      u <<= 3;
      break;
  }
  return uRank<<61 | u>>3;
}

/* Compare two keys of equal prefix. */
static int orderCompareKeys(const KvTree *p, u32 iA, u32 iB){
  const KvNode *pA = &p->aNode[iA];
  const KvNode *pB = &p->aNode[iB];
  u64 uA, uB;
  u32 i;
  switch( pA->eKind ){
    case KV_STRING:
      return kvStringCompare(pA, pB);
    case KV_NUMBER:
      uA = orderNumberBits(pA->u.r);
      uB = orderNumberBits(pB->u.r);
      return (uA>uB) - (uA<uB);
    case KV_BIGINT:
      if( pA->n!=pB->n ) return pA->n<pB->n ? -1 : 1;
      for(i=pA->n; i>0; i--){
        if( pA->u.p[i-1]!=pB->u.p[i-1] ) return pA->u.p[i-1]<pB->u.p[i-1] ? -1 : 1;
      }
      return 0;
    default:
      return 0;
  }
}

static int orderCompare(const KvTree *p, const OrderKey *pA, const OrderKey *pB){
  if( pA->uPrefix!=pB->uPrefix ) return pA->uPrefix<pB->uPrefix ? -1 : 1;
  return orderCompareKeys(p, pA->iKey, pB->iKey);
}

/*
** Sort a[0..n-1] (stable), with aTmp as work space of the same size.  Returns
** whichever of the two holds the result.
*/
static OrderKey *orderSort(const KvTree *p, OrderKey *a, OrderKey *aTmp, u32 n){
  u64 nRun, i;
  for(nRun=1; nRun<n; nRun*=2){
    OrderKey *aSwap = a;
    for(i=0; i<n; i+=2*nRun){
      u64 iMid = i+nRun<n ? i+nRun : n;
      u64 iEnd = i+2*nRun<n ? i+2*nRun : n;
      u64 iL = i, iR = iMid, k = i;
      while( iL<iMid && iR<iEnd ){
        aTmp[k++] = orderCompare(p, &a[iR], &a[iL])<0 ? a[iR++] : a[iL++];
      }
      while( iL<iMid ) aTmp[k++] = a[iL++];
      while( iR<iEnd ) aTmp[k++] = a[iR++];
    }
    a = aTmp;
    aTmp = aSwap;
  }
  return a;
}

/*
** Collect n keys, each nStep (1 or 2) siblings after the one before.
** *pbAscending is true if they stand in strictly ascending order.
*/
static int orderInit(
  OrderSorter *pS, u32 iFirst, u32 n, int nStep, int *pbAscending
){
  KvTree *p = pS->p;
  u32 i, iKey = iFirst;
  pS->n = n;
  pS->nDup = 0;
  pS->aSrc = pS->aSpace;
  *pbAscending = 1;
  if( n>ORDER_SMALL ){
    pS->aSrc = kvRealloc(0, (u64)n*3*sizeof(OrderKey));
    if( pS->aSrc==0 ) return KV_NOMEM;
  }
  for(i=0; i<n; i++){
    OrderKey *pKey = &pS->aSrc[i];
    pKey->uPrefix = orderPrefix(pS, iKey);
    pKey->iKey = iKey;
    pKey->iOrd = i;
    if( i && *pbAscending && orderCompare(p, pKey-1, pKey)>=0 ) *pbAscending = 0;
    iKey = p->aNode[iKey].iNext;
    if( nStep==2 ) iKey = p->aNode[iKey].iNext;
  }
  return KV_OK;
}

static void orderRelease(OrderSorter *pS){
  if( pS->aSrc!=pS->aSpace ) kvFree(pS->aSrc);
}

/* Sort, and mark the duplicates. */
static void orderRun(OrderSorter *pS){
  OrderKey *aOne = &pS->aSrc[pS->n];
  u32 i, iFirst = 0;
  memcpy(aOne, pS->aSrc, (size_t)pS->n*sizeof(OrderKey));
  pS->aSorted = orderSort(pS->p, aOne, aOne + pS->n, pS->n);
  for(i=1; i<pS->n; i++){
    if( orderCompare(pS->p, &pS->aSorted[iFirst], &pS->aSorted[i])!=0 ){
      iFirst = i;
    }else{
      pS->aSrc[pS->aSorted[i].iOrd].iKey = KV_NO_NODE;
      pS->nDup++;
    }
  }
}

/*
** Give the first of equal keys the value of the last.  (Of all keys this
** changes only the first's link, and nothing has been relinked yet.)
*/
static void orderTakeLast(OrderSorter *pS){
  u32 i, iFirst = 0;
  for(i=1; i<pS->n; i++){
    if( pS->aSrc[pS->aSorted[i].iOrd].iKey!=KV_NO_NODE ){
      iFirst = i;
    }else{
      KvNode *aNode = pS->p->aNode;
      aNode[pS->aSorted[iFirst].iKey].iNext = aNode[pS->aSorted[i].iKey].iNext;
    }
  }
}

/* Append the key iKey, and with nStep==2 its value, to a list of siblings. */
static void orderLink(KvTree *p, u32 *piFirst, u32 *piLast, u32 iKey, int nStep){
  if( *piLast ) p->aNode[*piLast].iNext = iKey;
  else *piFirst = iKey;
  *piLast = nStep==2 ? p->aNode[iKey].iNext : iKey;
}

/*
** True if the pairs surely are in order and have no equal keys: few of them,
** all keys strings of one encoding of one byte per unit, none of which begins
** with a digit.  A key is compared with those before it only if one of them
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
    if( pKey->eKind!=KV_STRING || pKey->eSub!=eSub || n==0 ) return 0;
    if( z[0]>='0' && z[0]<='9' ) return 0;
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
  u32 i;
  for(i=0; i<nPair; i++){
    KvNode *pKey = &p->aNode[iKey];
    iKey = p->aNode[pKey->iNext].iNext;
    if( pKey->eKind==KV_STRING && pKey->n>0 && pKey->n<=20 ){
      u8 z[20];
      u32 k, n = pKey->n;
      i64 v;
      if( pKey->u.p[0]<'0' || pKey->u.p[0]>'9' ) continue;
      if( pKey->eSub==KV_UTF16 ){
        n /= 2;
        for(k=0; k<n; k++) z[k] = pKey->u.p[k*2+1] ? 0 : pKey->u.p[k*2];
      }else{
        memcpy(z, pKey->u.p, n);
      }
      v = kvArrayIndex(kvBytes(z, n));
      if( v>=0 ){
        pKey->eKind = KV_NUMBER;
        pKey->eSub = 0;
        pKey->mFlags = 0;
        pKey->n = 0;
        pKey->u.r = (double)v;
      }
    }
  }
}

/* Link the pairs anew: sorted numbers, then strings as in the source. */
static void orderRelink(OrderSorter *pS, u32 *piFirst){
  KvTree *p = pS->p;
  u32 i, iFirst = 0, iLast = 0;
  for(i=0; i<pS->n; i++){
    u32 iKey = pS->aSorted[i].iKey;
    if( p->aNode[iKey].eKind!=KV_NUMBER ) break;
    if( pS->aSrc[pS->aSorted[i].iOrd].iKey==KV_NO_NODE ) continue;
    orderLink(p, &iFirst, &iLast, iKey, 2);
  }
  for(i=0; i<pS->n; i++){
    u32 iKey = pS->aSrc[i].iKey;
    if( iKey==KV_NO_NODE || p->aNode[iKey].eKind==KV_NUMBER ) continue;
    orderLink(p, &iFirst, &iLast, iKey, 2);
  }
  if( iLast ) p->aNode[iLast].iNext = 0;
  *piFirst = iFirst;
}

int kvTreeOrderPairs(KvTree *p, u32 *piFirst, u32 *pnPair, int bLast){
  OrderSorter s;
  int bAscending, rc;
  if( *pnPair==0 || orderIsPlain(p, *piFirst, *pnPair) ) return KV_OK;
  orderFindIndices(p, *piFirst, *pnPair);
  s.p = p;
  s.xIdentity = 0;
  rc = orderInit(&s, *piFirst, *pnPair, 2, &bAscending);
  if( rc!=KV_OK ) return rc;
  if( !bAscending ){
    orderRun(&s);
    if( s.nDup && !bLast ){
      rc = KV_CORRUPT;
    }else{
      if( s.nDup ) orderTakeLast(&s);
      orderRelink(&s, piFirst);
      *pnPair -= s.nDup;
    }
  }
  orderRelease(&s);
  return rc;
}

int kvTreeUniqueKeysBy(
  KvTree *p, u32 *piFirst, u32 *pnKey, int nStep,
  u64 (*xIdentity)(const void *pCtx, u32 iNode), const void *pCtx
){
  OrderSorter s;
  int bAscending, rc;
  u32 i, iKey = *piFirst;
  for(i=0; i<*pnKey; i++){
    KvNode *pKey = &p->aNode[iKey];
    if( pKey->eKind==KV_NUMBER && pKey->u.r==0.0 ) pKey->u.r = 0.0;
    iKey = nStep==2 ? p->aNode[pKey->iNext].iNext : pKey->iNext;
  }
  if( *pnKey<2 ) return KV_OK;
  s.p = p;
  s.xIdentity = xIdentity;
  s.pCtx = pCtx;
  rc = orderInit(&s, *piFirst, *pnKey, nStep, &bAscending);
  if( rc!=KV_OK ) return rc;
  if( !bAscending ) orderRun(&s);
  if( s.nDup ){
    u32 iFirst = 0, iLast = 0;
    if( nStep==2 ) orderTakeLast(&s);
    for(i=0; i<s.n; i++){
      if( s.aSrc[i].iKey==KV_NO_NODE ) continue;
      orderLink(p, &iFirst, &iLast, s.aSrc[i].iKey, nStep);
    }
    p->aNode[iLast].iNext = 0;
    *piFirst = iFirst;
    *pnKey -= s.nDup;
  }
  orderRelease(&s);
  return KV_OK;
}

int kvTreeUniqueKeys(KvTree *p, u32 *piFirst, u32 *pnKey, int nStep){
  return kvTreeUniqueKeysBy(p, piFirst, pnKey, nStep, 0, 0);
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
