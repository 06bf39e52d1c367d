/*
** buf.c -- the growable byte buffer.  See buf.h.
*/
#include "bytes/buf.h"

void kvBufInit(KvBuf *p, void *pSpace, u32 nSpace){
  p->a = pSpace;
  p->n = 0;
  p->nAlloc = nSpace;
  p->bStatic = 1;
  p->eErr = KV_TEST_FAULT ? KV_NOMEM : KV_OK;
}

void kvBufClear(KvBuf *p){
  if( p->a && !p->bStatic ) kvFree(p->a);
  kvBufInit(p, 0, 0);
}

int kvBufGrow(KvBuf *p, u64 nExtra){
  u64 nNeed, nNew;
  u8 *aNew;
  KV_ASSERT( p->n<=p->nAlloc );
  if( p->eErr!=KV_OK ) return p->eErr;
  if( nExtra<=(u64)(p->nAlloc - p->n) ) return KV_OK;
  if( nExtra>KV_MAX_BUF - p->n ) return p->eErr = KV_TOOBIG;
  nNeed = p->n + nExtra;
  nNew = (u64)p->nAlloc*2 + 64;
  if( nNew<nNeed ) nNew = nNeed;
  if( nNew>KV_MAX_BUF ) nNew = KV_MAX_BUF;
  aNew = kvRealloc(p->bStatic ? 0 : p->a, nNew);
  if( aNew==0 ) return p->eErr = KV_NOMEM;
  if( p->bStatic && p->n ) memcpy(aNew, p->a, p->n);
  p->a = aNew;
  p->nAlloc = (u32)nNew;
  p->bStatic = 0;
  return KV_OK;
}

void kvBufAppendSlow(KvBuf *p, const void *pData, u64 n){
  if( kvBufGrow(p, n)!=KV_OK || n==0 ) return;
  memcpy(&p->a[p->n], pData, (size_t)n);
  p->n += (u32)n;
}

void kvBufPutSlow(KvBuf *p, u8 c){
  kvBufAppendSlow(p, &c, 1);
}

void kvBufText(KvBuf *p, const char *z){
  kvBufAppend(p, z, strlen(z));
}

int kvBufTerminate(KvBuf *p){
  kvBufPut(p, 0);
  if( p->eErr==KV_OK ) p->n--;
  return p->eErr;
}

u8 *kvBufDetach(KvBuf *p){
  u8 *a;
  if( kvBufTerminate(p)!=KV_OK ) return 0;
  if( p->bStatic ){
    a = kvRealloc(0, (u64)p->n + 1);
    if( a==0 ){
      p->eErr = KV_NOMEM;
      return 0;
    }
    memcpy(a, p->a, (size_t)p->n + 1);
    p->n = 0;
    return a;
  }
  a = p->a;
  kvBufInit(p, 0, 0);
  return a;
}
