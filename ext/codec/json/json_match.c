/*
** json_match.c -- comparing parts of JSON, and matching items by it.  See
** json_match.h.
**
** Nothing here trusts a hash: it only tells what surely differs, and orders
** what is sorted.  n items of m nodes together take O(n log n) steps plus the
** comparison of those that are equal, which is O(m log n) at the worst.
*/
#include "codec/json/json_match.h"

static u64 matchMix(u64 h, u64 v){
  h = (h ^ v)*0x9e3779b97f4a7c15u;
  return h ^ h>>29;
}

static u64 matchBytes(u64 h, const u8 *z, u32 n){
  u32 i;
  h = matchMix(h, n);
  for(i=0; i+8<=n; i+=8) h = matchMix(h, kvGet64le(&z[i]));
  for(; i<n; i++) h = matchMix(h, z[i]);
  return h;
}

/* Hash of a node whose children have theirs. */
static u64 matchHash(const KvJsonIndex *p, u32 i){
  const KvNode *pNode = &p->aNode[i];
  u64 h = matchMix(0x243f6a8885a308d3u, pNode->eKind);
  u32 iChild;
  switch( pNode->eKind ){
    case KV_NUMBER: return matchMix(h, kvDoubleToBits(pNode->u.r));
    case KV_BIGINT: return matchBytes(matchMix(h, pNode->eSub), pNode->u.p, pNode->n);
    case KV_STRING: return matchBytes(h, pNode->u.p, pNode->n);
    default:        h = matchMix(h, pNode->n);
  }
  for(iChild=pNode->iChild; iChild; iChild=p->aNode[iChild].iNext){
    h = matchMix(h, p->aHash[iChild]);
  }
  return matchMix(h, h>>32);
}

int kvJsonIndex(KvJsonIndex *p, const KvNode *aNode, u32 nNode){
  u32 i, iChild;
  p->aNode = aNode;
  p->aHash = kvRealloc(0, (u64)nNode*sizeof(u64) + 1);
  p->aEnd = kvRealloc(0, (u64)nNode*sizeof(u32) + 1);
  if( p->aHash==0 || p->aEnd==0 ) return KV_NOMEM;
  for(i=nNode; i-->0; ){
    u32 iEnd = i+1;
    for(iChild=aNode[i].iChild; iChild; iChild=aNode[iChild].iNext){
      if( p->aEnd[iChild]>iEnd ) iEnd = p->aEnd[iChild];
    }
    p->aEnd[i] = iEnd;
    p->aHash[i] = matchHash(p, i);
  }
  return KV_OK;
}

void kvJsonRehash(KvJsonIndex *p, u32 i){
  p->aHash[i] = matchHash(p, i);
}

void kvJsonIndexClear(KvJsonIndex *p){
  kvFree(p->aHash);
  kvFree(p->aEnd);
  memset(p, 0, sizeof(*p));
}

static int matchCompareU64(u64 a, u64 b){
  return (a>b) - (a<b);
}

/* Compare what two nodes of the same kind hold themselves. */
static int matchCompareLeaf(const KvNode *pA, const KvNode *pB){
  if( pA->eKind==KV_NUMBER ){
    return matchCompareU64(kvDoubleToBits(pA->u.r), kvDoubleToBits(pB->u.r));
  }
  if( pA->n!=pB->n ) return pA->n<pB->n ? -1 : 1;
  if( pA->eKind!=KV_STRING && pA->eKind!=KV_BIGINT ) return 0;
  if( pA->eKind==KV_BIGINT && pA->eSub!=pB->eSub ) return pA->eSub ? -1 : 1;
  return pA->n ? memcmp(pA->u.p, pB->u.p, pA->n) : 0;
}

/*
** An order of nodes with all of their parts, in which only the same JSON is
** equal: node by node as they lie in memory, links included.
*/
static int matchCompare(const KvJsonIndex *pA, u32 iA, const KvJsonIndex *pB, u32 iB){
  u32 n = pA->aEnd[iA] - iA;
  u32 k;
  if( n!=pB->aEnd[iB]-iB ) return n<pB->aEnd[iB]-iB ? -1 : 1;
  for(k=0; k<n; k++){
    const KvNode *pX = &pA->aNode[iA+k];
    const KvNode *pY = &pB->aNode[iB+k];
    int c = (int)pX->eKind - (int)pY->eKind;
    if( c==0 ) c = matchCompareLeaf(pX, pY);
    if( c==0 && pX->iChild ) c = matchCompareU64((u64)pX->iChild + iB, (u64)pY->iChild + iA);
    if( c==0 && k ){
      if( (pX->iNext==0)!=(pY->iNext==0) ) return pX->iNext ? 1 : -1;
      if( pX->iNext ) c = matchCompareU64((u64)pX->iNext + iB, (u64)pY->iNext + iA);
    }
    if( c ) return c;
  }
  return 0;
}

int kvJsonSame(const KvJsonIndex *pA, u32 iA, const KvJsonIndex *pB, u32 iB){
  return pA->aHash[iA]==pB->aHash[iB] && matchCompare(pA, iA, pB, iB)==0;
}

KvItem *kvItemAdd(KvItems *p){
  KvItem *a = kvReserve(p->a, &p->nAlloc, (u64)p->n+1, sizeof(KvItem));
  if( a==0 ) return 0;
  p->a = a;
  memset(&a[p->n], 0, sizeof(KvItem));
  return &a[p->n++];
}

void kvMatchClear(KvMatch *p){
  kvJsonIndexClear(&p->shown);
  kvJsonIndexClear(&p->given);
  kvFree(p->stored.a);
  kvFree(p->fresh.a);
  kvFree(p->aSort);
  memset(p, 0, sizeof(*p));
}

/* The item that stands for entry i of the sorted list. */
static KvItem *matchItem(const KvMatch *p, u32 i){
  u32 k = p->aSort[i].i;
  return k<p->stored.n ? &p->stored.a[k] : &p->fresh.a[k - p->stored.n];
}

static int matchCompareItems(const KvMatch *p, const KvSortItem *pA, const KvSortItem *pB){
  const KvJsonIndex *pX = pA->i<p->stored.n ? &p->shown : &p->given;
  const KvJsonIndex *pY = pB->i<p->stored.n ? &p->shown : &p->given;
  if( pA->h!=pB->h ) return pA->h<pB->h ? -1 : 1;
  return matchCompare(pX, pA->iNode, pY, pB->iNode);
}

/* Sort p->aSort (stable), by h alone or by the JSON too. */
static void matchSort(KvMatch *p, int bJson){
  KvSortItem *a = p->aSort, *aTmp = &p->aSort[p->nSort];
  u64 nRun, i, n = p->nSort;
  for(nRun=1; nRun<n; nRun*=2){
    KvSortItem *aSwap = a;
    for(i=0; i<n; i+=2*nRun){
      u64 iMid = i+nRun<n ? i+nRun : n;
      u64 iEnd = i+2*nRun<n ? i+2*nRun : n;
      u64 iL = i, iR = iMid, k = i;
      while( iL<iMid && iR<iEnd ){
        int bRight = bJson ? matchCompareItems(p, &a[iR], &a[iL])<0 : a[iR].h<a[iL].h;
        aTmp[k++] = bRight ? a[iR++] : a[iL++];
      }
      while( iL<iMid ) aTmp[k++] = a[iL++];
      while( iR<iEnd ) aTmp[k++] = a[iR++];
    }
    a = aTmp;
    aTmp = aSwap;
  }
  if( a!=p->aSort ) memcpy(p->aSort, a, (size_t)n*sizeof(KvSortItem));
}

/* Room for sorting n. */
static int matchSortSpace(KvMatch *p, u64 n){
  if( n>p->nSortAlloc ){
    KvSortItem *aNew;
    if( n>0x7fffffff ) return KV_NOMEM;
    aNew = kvRealloc(p->aSort, 2*n*sizeof(KvSortItem));
    if( aNew==0 ) return KV_NOMEM;
    p->aSort = aNew;
    p->nSortAlloc = (u32)n;
  }
  p->nSort = (u32)n;
  return KV_OK;
}

int kvMatchTextOrder(KvMatch *p, KvItems *pList){
  u32 i;
  KvItem *aTo;
  for(i=1; i<pList->n && pList->a[i-1].iNode<pList->a[i].iNode; i++){}
  if( i>=pList->n ) return KV_OK;
  if( matchSortSpace(p, pList->n)!=KV_OK ) return KV_NOMEM;
  aTo = kvRealloc(0, (u64)pList->n*sizeof(KvItem));
  if( aTo==0 ) return KV_NOMEM;
  for(i=0; i<pList->n; i++){
    p->aSort[i].h = pList->a[i].iNode;
    p->aSort[i].i = i;
  }
  matchSort(p, 0);
  for(i=0; i<pList->n; i++) aTo[i] = pList->a[p->aSort[i].i];
  memcpy(pList->a, aTo, (size_t)pList->n*sizeof(KvItem));
  kvFree(aTo);
  return KV_OK;
}

/* Number the groups. */
static int matchGroups(KvMatch *p){
  const u64 n = (u64)p->stored.n + p->fresh.n;
  u32 i, iGroup = 0;
  if( matchSortSpace(p, n)!=KV_OK ) return KV_NOMEM;
  for(i=0; i<n; i++){
    KvSortItem *pItem = &p->aSort[i];
    pItem->i = i;
    if( i<p->stored.n ){
      pItem->iNode = p->stored.a[i].iNode;
      pItem->h = p->shown.aHash[pItem->iNode];
    }else{
      pItem->iNode = p->fresh.a[i - p->stored.n].iNode;
      pItem->h = p->given.aHash[pItem->iNode];
    }
  }
  matchSort(p, 1);
  for(i=0; i<n; i++){
    if( i && matchCompareItems(p, &p->aSort[i-1], &p->aSort[i])!=0 ) iGroup++;
    matchItem(p, i)->iGroup = iGroup;
  }
  return KV_OK;
}

static void matchPair(KvMatch *p, u32 iStored, u32 iFresh){
  p->stored.a[iStored].iMate = iFresh+1;
  p->fresh.a[iFresh].iMate = iStored+1;
}

/* The common head and tail, and the same positions. */
static void matchEnds(KvMatch *p){
  const KvItem *aS = p->stored.a, *aF = p->fresh.a;
  u32 n = p->stored.n<p->fresh.n ? p->stored.n : p->fresh.n;
  u32 nHead = 0, nTail = 0;
  while( nHead<n && aS[nHead].iGroup==aF[nHead].iGroup ){
    matchPair(p, nHead, nHead);
    nHead++;
  }
  while( nHead+nTail<n
      && aS[p->stored.n-1-nTail].iGroup==aF[p->fresh.n-1-nTail].iGroup
  ){
    nTail++;
    matchPair(p, p->stored.n-nTail, p->fresh.n-nTail);
  }
  if( p->stored.n!=p->fresh.n ) return;
  for(; nHead+nTail<n; nHead++){
    if( aS[nHead].iGroup==aF[nHead].iGroup ) matchPair(p, nHead, nHead);
  }
}

void kvMatchGroup(const KvMatch *p, u32 *pi, u32 *pnStored, u32 *pnFresh){
  u32 iGroup = matchItem(p, *pi)->iGroup;
  *pnStored = *pnFresh = 0;
  for(; *pi<p->nSort && matchItem(p, *pi)->iGroup==iGroup; ++*pi){
    if( p->aSort[*pi].i<p->stored.n ) ++*pnStored;
    else ++*pnFresh;
  }
}

int kvMatchItems(KvMatch *p){
  u32 i = 0;
  if( matchGroups(p)!=KV_OK ) return KV_NOMEM;
  matchEnds(p);
  while( i<p->nSort ){
    u32 nStored, nFresh, iS = i, iF, iEnd;
    kvMatchGroup(p, &i, &nStored, &nFresh);
    iF = iEnd = iS + nStored;
    for(;;){
      while( iS<iEnd && matchItem(p, iS)->iMate ) iS++;
      while( iF<i && matchItem(p, iF)->iMate ) iF++;
      if( iS>=iEnd || iF>=i ) break;
      matchPair(p, p->aSort[iS].i, p->aSort[iF].i - p->stored.n);
    }
  }
  return KV_OK;
}

int kvMatchOrdered(const KvMatch *p){
  u32 i, iLast = 0;
  for(i=0; i<p->stored.n; i++){
    u32 iMate = p->stored.a[i].iMate;
    if( iMate==0 ) continue;
    if( iMate<iLast ) return 0;
    iLast = iMate;
  }
  return 1;
}
