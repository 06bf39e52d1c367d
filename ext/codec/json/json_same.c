/*
** json_same.c -- comparing parts of JSON.  See json_same.h.
**
** No hash is trusted: it only tells what surely differs.
*/
#include "codec/json/json_same.h"
#include "bytes/memory.h"
#include "codec/value_order.h"

static u64 sameMix(u64 h, u64 v){
  h = (h ^ v)*0x9e3779b97f4a7c15u;
  return h ^ h>>29;
}

static u64 sameBytes(u64 h, const u8 *z, u32 n){
  u32 i;
  h = sameMix(h, n);
  for(i=0; i+8<=n; i+=8) h = sameMix(h, kvGet64le(&z[i]));
  for(; i<n; i++) h = sameMix(h, z[i]);
  return h;
}

/* Hash of a node whose children have theirs, and of where these lie. */
static u64 sameHash(const KvJsonIndex *p, u32 i){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pNode = &aNode[i];
  u64 h = sameMix(0x243f6a8885a308d3u, pNode->eKind);
  u32 iChild;
  switch( pNode->eKind ){
    case KV_NUMBER: return sameMix(h, kvDoubleToBits(pNode->u.r));
    case KV_BIGINT: return sameBytes(sameMix(h, pNode->eSub), pNode->u.p, pNode->n);
    case KV_STRING: return sameBytes(h, pNode->u.p, pNode->n);
    default:        h = sameMix(h, pNode->n);
  }
  for(iChild=pNode->iChild; iChild; iChild=aNode[iChild].iNext){
    h = sameMix(h, p->aHash[iChild] + (iChild-i));
  }
  return sameMix(h, h>>32);
}

int kvJsonIndex(KvJsonIndex *p, const KvTree *pTree){
  const KvNode *aNode = pTree->aNode;
  u32 i, iChild;
  p->pTree = pTree;
  p->aHash = kvRealloc(0, (u64)pTree->nNode*sizeof(u64));
  p->aEnd = kvRealloc(0, (u64)pTree->nNode*sizeof(u32));
  if( p->aHash==0 || p->aEnd==0 ) return KV_NOMEM;
  for(i=pTree->nNode; i-->0; ){
    u32 iEnd = i+1;
    for(iChild=aNode[i].iChild; iChild; iChild=aNode[iChild].iNext){
      if( p->aEnd[iChild]>iEnd ) iEnd = p->aEnd[iChild];
    }
    p->aEnd[i] = iEnd;
    p->aHash[i] = sameHash(p, i);
  }
  return KV_OK;
}

void kvJsonIndexClear(KvJsonIndex *p){
  kvFree(p->aHash);
  kvFree(p->aEnd);
  memset(p, 0, sizeof(*p));
}

/* Node by node as they lie in memory, links included: an object's keys have there
** the order of the text. */
int kvJsonSame(const KvJsonIndex *pA, u32 iA, const KvJsonIndex *pB, u32 iB){
  const KvNode *aA = &pA->pTree->aNode[iA], *aB = &pB->pTree->aNode[iB];
  const u32 n = pA->aEnd[iA] - iA;
  u32 k;
  if( pA->aHash[iA]!=pB->aHash[iB] || n!=pB->aEnd[iB]-iB ) return 0;
  for(k=0; k<n; k++){
    const KvNode *pX = &aA[k], *pY = &aB[k];
    if( !kvNodeAlike(pX, pY) ) return 0;
    if( (pX->iChild ? pX->iChild-iA : 0)!=(pY->iChild ? pY->iChild-iB : 0) ) return 0;
    if( k && (pX->iNext ? pX->iNext-iA : 0)!=(pY->iNext ? pY->iNext-iB : 0) ) return 0;
  }
  return 1;
}
