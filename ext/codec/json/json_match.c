/*
** json_match.c -- comparing parts of JSON, and matching items by it.  See
** json_match.h.
**
** Nothing here trusts a hash: it only tells what surely differs, and orders
** what is sorted.  n items of m nodes together take O(n log n) steps plus the
** comparison of those that are equal, which is O(m log n) at the worst.
*/
#include "codec/json/json_match.h"
#include "bytes/memory.h"
#include <stdlib.h>

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

/* Order by the JSON, then by the place in the lists. */
static int matchCompareItems(const void *pLeft, const void *pRight){
  const KvSortItem *pA = pLeft, *pB = pRight;
  int c = matchCompareU64(pA->h, pB->h);
  if( c==0 ) c = matchCompare(pA->pIndex, pA->iNode, pB->pIndex, pB->iNode);
  return c ? c : matchCompareU64(pA->i, pB->i);
}

static int matchCompareNodes(const void *pLeft, const void *pRight){
  return matchCompareU64(((const KvItem*)pLeft)->iNode, ((const KvItem*)pRight)->iNode);
}

void kvMatchTextOrder(KvItems *pList){
  if( pList->n>1 ) qsort(pList->a, pList->n, sizeof(KvItem), matchCompareNodes);
}

/* Sort the items, and number the groups. */
static int matchGroups(KvMatch *p){
  const u64 n = (u64)p->stored.n + p->fresh.n;
  KvSortItem *a = kvReserve(p->aSort, &p->nSortAlloc, n, sizeof(KvSortItem));
  u32 i, iGroup = 0;
  if( a==0 ) return KV_NOMEM;
  p->aSort = a;
  p->nSort = (u32)n;
  for(i=0; i<n; i++){
    const int bStored = i<p->stored.n;
    a[i].i = i;
    a[i].pIndex = bStored ? &p->shown : &p->given;
    a[i].iNode = bStored ? p->stored.a[i].iNode : p->fresh.a[i - p->stored.n].iNode;
    a[i].h = a[i].pIndex->aHash[a[i].iNode];
  }
  qsort(a, (size_t)n, sizeof(KvSortItem), matchCompareItems);
  for(i=0; i<n; i++){
    if( i && !kvJsonSame(a[i-1].pIndex, a[i-1].iNode, a[i].pIndex, a[i].iNode) ) iGroup++;
    matchItem(p, i)->iGroup = iGroup;
  }
  return KV_OK;
}

static void matchPair(KvMatch *p, u32 iStored, u32 iFresh){
  p->stored.a[iStored].iMate = iFresh+1;
  p->fresh.a[iFresh].iMate = iStored+1;
}

/* If the items are of the same JSON they are mates. */
static int matchTry(KvMatch *p, u32 iStored, u32 iFresh){
  const KvItem *pS = &p->stored.a[iStored], *pF = &p->fresh.a[iFresh];
  if( !kvJsonSame(&p->shown, pS->iNode, &p->given, pF->iNode) ) return 0;
  matchPair(p, iStored, iFresh);
  return 1;
}

/* The common head and tail, and the same positions.  Returns how many pairs. */
static u32 matchEnds(KvMatch *p){
  const u32 nS = p->stored.n, nF = p->fresh.n, n = nS<nF ? nS : nF;
  u32 nHead = 0, nTail = 0, nMore = 0, i;
  while( nHead<n && matchTry(p, nHead, nHead) ) nHead++;
  while( nHead+nTail<n && matchTry(p, nS-1-nTail, nF-1-nTail) ) nTail++;
  for(i=nHead; nS==nF && i+nTail<n; i++) nMore += (u32)matchTry(p, i, i);
  return nHead + nTail + nMore;
}

void kvMatchGroup(const KvMatch *p, u32 *pi, u32 *pnStored, u32 *pnFresh){
  u32 iGroup = matchItem(p, *pi)->iGroup;
  *pnStored = *pnFresh = 0;
  for(; *pi<p->nSort && matchItem(p, *pi)->iGroup==iGroup; ++*pi){
    if( p->aSort[*pi].i<p->stored.n ) ++*pnStored;
    else ++*pnFresh;
  }
}

int kvMatchItems(KvMatch *p, int bGroups){
  u32 i = 0, n = matchEnds(p);
  p->nSort = 0;
  if( n==p->fresh.n && (n==p->stored.n || !bGroups) ) return KV_OK;
  if( matchGroups(p)!=KV_OK ) return KV_NOMEM;
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
