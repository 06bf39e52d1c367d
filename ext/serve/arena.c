/*
** arena.c -- the memory of one message.  See arena.h.
*/
#include "serve/arena.h"

#define ARENA_BLOCK 16384

static void *arenaAlloc(void *pArena, size_t n){ return arenaTake(pArena, n); }
static void arenaFree(void *pArena, void *p){ (void)pArena; (void)p; }

void arenaInit(Arena *p, u64 nMost){
  memset(p, 0, sizeof(*p));
  p->allocator.alloc = arenaAlloc;
  p->allocator.free = arenaFree;
  p->allocator.allocator_data = p;
  p->nMost = nMost;
}

void arenaMove(Arena *pTo, Arena *pFrom){
  *pTo = *pFrom;
  pTo->allocator.allocator_data = pTo;
  arenaInit(pFrom, pTo->nMost);
}

void arenaClear(Arena *p){
  ArenaBlock *pBlock = p->pBlock;
  while( pBlock ){
    ArenaBlock *pNext = pBlock->pNext;
    kvFree(pBlock);
    pBlock = pNext;
  }
  p->pBlock = 0;
  p->nUsed = 0;
  p->bFull = 0;
}

void *arenaTake(Arena *p, u64 n){
  ArenaBlock *pBlock = p->pBlock;
  n = (n+15) & ~(u64)15;
  p->nUsed += n;
  if( p->nUsed>p->nMost ){
    p->bFull = 1;
    return 0;
  }
  if( pBlock==0 || n>pBlock->nAlloc-pBlock->n ){
    u64 nAlloc = n>ARENA_BLOCK ? n : ARENA_BLOCK;
    pBlock = kvRealloc(0, sizeof(*pBlock)+nAlloc);
    if( pBlock==0 ){
      p->bFull = 1;
      return 0;
    }
    pBlock->n = 0;
    pBlock->nAlloc = (u32)nAlloc;
    pBlock->pNext = p->pBlock;
    p->pBlock = pBlock;
  }
  pBlock->n += (u32)n;
  return &pBlock->a[pBlock->n-(u32)n];
}

ProtobufCBinaryData arenaBytes(Arena *p, const void *pData, u64 n){
  ProtobufCBinaryData data = { 0, 0 };
  if( n==0 ) return data;
  data.data = arenaTake(p, n);
  if( data.data==0 ) return data;
  memcpy(data.data, pData, n);
  data.len = n;
  return data;
}
