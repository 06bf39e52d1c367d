/*
** value.c -- the value tree: its memory, walks over it.  See value.h.
*/
#include "codec/value.h"
#include "codec/num/bigint.h"
#include "codec/num/num.h"

/*
** Memory for slices: a list of blocks, each filled from its start.  A reset
** keeps one block and the nodes unless they are larger than these.
*/
struct KvBlock {
  KvBlock *pNext;
  u64 n, nAlloc;          /* Bytes in use, available (after the header) */
};
#define VALUE_BLOCK_BYTES  (u64)4000
#define VALUE_KEEP_BLOCK   (u64)65536
#define VALUE_KEEP_NODES   20000u

void kvTreeInit(KvTree *p){
  memset(p, 0, sizeof(*p));
}

static void valueFreeBlocks(KvBlock *pBlock){
  while( pBlock ){
    KvBlock *pNext = pBlock->pNext;
    kvFree(pBlock);
    pBlock = pNext;
  }
}

void kvTreeReset(KvTree *p){
  KvBlock *pBlock = p->pBlock;
  p->nNode = 0;
  p->nRef = 0;
  if( p->nAlloc>VALUE_KEEP_NODES ){
    kvFree(p->aNode);
    p->aNode = 0;
    p->nAlloc = 0;
  }
  if( pBlock==0 ) return;
  valueFreeBlocks(pBlock->pNext);
  pBlock->pNext = 0;
  pBlock->n = 0;
  if( pBlock->nAlloc>VALUE_KEEP_BLOCK ){
    kvFree(pBlock);
    p->pBlock = 0;
  }
}

void kvTreeClear(KvTree *p){
  kvFree(p->aNode);
  valueFreeBlocks(p->pBlock);
  kvTreeInit(p);
}

int kvTreeGrow(KvTree *p){
  u64 nNew = (u64)p->nAlloc*2 + 32;
  KvNode *aNew;
  if( p->nNode<p->nAlloc ) return KV_OK;
  if( nNew>=KV_NO_NODE ) nNew = KV_NO_NODE - 1;
  if( nNew<=p->nAlloc ) return KV_TOOBIG;
  aNew = kvRealloc(p->aNode, nNew*sizeof(KvNode));
  if( aNew==0 ) return KV_NOMEM;
  p->aNode = aNew;
  p->nAlloc = (u32)nNew;
  return KV_OK;
}

u8 *kvTreeSpace(KvTree *p, u64 n){
  KvBlock *pBlock = p->pBlock;
  if( KV_TEST_FAULT ) return 0;
  if( pBlock==0 || n>pBlock->nAlloc - pBlock->n ){
    u64 nAlloc = n>VALUE_BLOCK_BYTES ? n : VALUE_BLOCK_BYTES;
    if( nAlloc>KV_MAX_BUF ) return 0;
    pBlock = kvRealloc(0, sizeof(KvBlock) + nAlloc);
    if( pBlock==0 ) return 0;
    pBlock->pNext = p->pBlock;
    pBlock->n = 0;
    pBlock->nAlloc = nAlloc;
    p->pBlock = pBlock;
  }
  pBlock->n += n;
  return (u8*)&pBlock[1] + (pBlock->n - n);
}

KvBytes kvTreeKeep(KvTree *p, KvBuf *pBuf){
  const u32 n = pBuf->n;
  u8 *a = pBuf->eErr ? 0 : kvTreeSpace(p, n);
  if( a && n ) memcpy(a, pBuf->a, n);
  kvBufClear(pBuf);
  return kvBytes(a, n);
}

/* Make a BIGINT of node i. */
static void valueBigint(KvTree *p, u32 i, KvBytes magnitude, int bNeg){
  KvNode *pNode = kvNodeBecome(&p->aNode[i], KV_BIGINT);
  pNode->eSub = bNeg && magnitude.n;
  pNode->n = magnitude.n;
  pNode->u.p = magnitude.p;
}

int kvTreeBigint(KvTree *p, u32 i, u64 v, int bNeg){
  u8 *a = kvTreeSpace(p, 8);
  if( a==0 ) return KV_NOMEM;
  valueBigint(p, i, kvBigMagnitude(v, a), bNeg);
  return KV_OK;
}

int kvTreeInteger(KvTree *p, u32 i){
  double r = p->aNode[i].u.r;
  return kvIsSafeInteger(r) ? kvTreeBigint(p, i, (u64)(r<0.0 ? -r : r), r<0.0) : KV_SYNTAX;
}

int kvTreeDigits(KvTree *p, u32 i, KvBytes digits, int iBase, int bNeg){
  u8 *a;
  if( !kvBigReads(digits, iBase) ) return KV_SYNTAX;
  a = kvTreeSpace(p, kvBigBound(digits.n));
  if( a==0 ) return KV_NOMEM;
  valueBigint(p, i, kvBytes(a, kvBigParse(digits, iBase, a)), bNeg);
  return KV_OK;
}

int kvTreeDecimal(KvTree *p, u32 i){
  const KvNode *pNode = &p->aNode[i];
  KvBytes text = kvNodeBytes(pNode);
  u32 k;
  int bNeg;
  if( pNode->eKind!=KV_STRING || pNode->eSub==KV_UTF16 ) return KV_SYNTAX;
  bNeg = text.n>0 && text.p[0]=='-';
  text = kvBytesFrom(text, (u32)bNeg);
  for(k=0; k<text.n && text.p[k]>='0' && text.p[k]<='9'; k++){}
  if( text.n==0 || k<text.n ) return KV_SYNTAX;
  return kvTreeDigits(p, i, text, 10, bNeg);
}

int kvTreeText(KvTree *p, u32 i, KvBytes text){
  u8 *a = kvTreeSpace(p, text.n);
  KvNode *pNode = kvNodeBecome(&p->aNode[i], KV_STRING);
  if( a==0 ) return KV_NOMEM;
  if( text.n ) memcpy(a, text.p, text.n);
  pNode->eSub = KV_WTF8;
  pNode->n = text.n;
  pNode->u.p = a;
  return KV_OK;
}

u64 kvNodeU64(const KvNode *p){
  u64 v = 0;
  u32 i;
  KV_ASSERT( p->eKind==KV_BIGINT );
  for(i=0; i<p->n && i<8; i++) v |= (u64)p->u.p[i]<<(8*i);
  return v;
}

int kvNodeToU64(KvNode *p){
  u64 v = kvNodeU64(p);
  if( p->eSub || p->n>8 ) return 0;
  kvNodeBecome(p, KV_U64)->u.u = v;
  return 1;
}

u32 kvTreeWalk(const KvTree *p, u32 i, u32 *aUp, u32 *pnUp){
  KV_ASSERT( i<p->nNode && *pnUp<p->nNode );
  if( p->aNode[i].iChild ){
    aUp[(*pnUp)++] = i;
    return p->aNode[i].iChild;
  }
  while( i && p->aNode[i].iNext==0 ){
    i = *pnUp ? aUp[--*pnUp] : 0;
  }
  return i ? p->aNode[i].iNext : 0;
}

/*
** The node at iRef is a REF whose target is no longer part of the tree: put
** the target in its place, and leave in the target's a REF to the new one.
*/
static void valueMoveTarget(KvTree *p, u32 iRef){
  KvNode *pRef = &p->aNode[iRef];
  KvNode *pTo = &p->aNode[pRef->n];
  u32 iNextRef = pRef->iNext, iNextTo = pTo->iNext;
  *pRef = *pTo;
  pRef->iNext = iNextRef;
  memset(pTo, 0, sizeof(*pTo));
  pTo->eKind = KV_REF;
  pTo->n = iRef;
  pTo->iNext = iNextTo;
}

int kvTreePrune(KvTree *p){
  u32 *aUp;
  u32 i, nUp = 0;
  if( p->nRef==0 ) return KV_OK;
  aUp = kvRealloc(0, (u64)p->nNode*sizeof(u32));
  if( aUp==0 ) return KV_NOMEM;
  i = 0;
  do{
    p->aNode[i].mFlags |= KVN_MARK;
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  nUp = 0;
  do{
    KvNode *pNode = &p->aNode[i];
    if( pNode->eKind==KV_REF ){
      KvNode *pTo = &p->aNode[pNode->n];
      if( pTo->eKind==KV_REF ) pNode->n = pTo->n;
      else if( (pTo->mFlags & KVN_MARK)==0 ) valueMoveTarget(p, i);
    }
    p->aNode[i].mFlags |= KVN_MARK;
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  for(i=0; i<p->nNode; i++) p->aNode[i].mFlags &= (u8)~(KVN_MARK|KVN_SHARED);
  p->nRef = 0;
  nUp = 0;
  i = 0;
  do{
    if( p->aNode[i].eKind==KV_REF ){
      p->nRef++;
      p->aNode[p->aNode[i].n].mFlags |= KVN_SHARED;
    }
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  kvFree(aUp);
  return KV_OK;
}
