/*
** list.c -- a list of byte strings.  See list.h.
*/
#include "bytes/list.h"
#include "bytes/endian.h"
#include <stdlib.h>

void kvListReset(KvList *p){
  kvBufReset(&p->bytes);
}

void kvListAdd(KvList *p, KvBytes b){
  KvBuf *pOut = &p->bytes;
  if( kvBufGrow(pOut, 4 + (u64)b.n)!=KV_OK ) return;
  kvPut32be(&pOut->a[pOut->n], b.n);
  if( b.n ) memcpy(&pOut->a[pOut->n+4], b.p, b.n);
  pOut->n += 4 + b.n;
}

u32 kvListBegin(KvList *p){
  static const u8 aZero[4] = {0, 0, 0, 0};
  u32 iBegin = p->bytes.n;
  kvBufAppend(&p->bytes, aZero, 4);
  return iBegin;
}

void kvListEnd(KvList *p, u32 iBegin){
  if( p->bytes.eErr!=KV_OK ) return;
  KV_ASSERT( p->bytes.n>=iBegin+4 );
  if( p->bytes.n==iBegin+4 ) p->bytes.n = iBegin;
  else kvPut32be(&p->bytes.a[iBegin], p->bytes.n - iBegin - 4);
}

int kvListNext(const KvList *p, u32 *pi, KvBytes *pItem){
  const u8 *a;
  if( *pi>=p->bytes.n || p->bytes.eErr!=KV_OK ) return 0;
  a = &p->bytes.a[*pi];
  KV_ASSERT( p->bytes.n-*pi>=4 );
  *pItem = kvBytes(a+4, kvGet32be(a));
  KV_ASSERT( p->bytes.n-*pi-4>=pItem->n );
  *pi += 4 + pItem->n;
  return 1;
}

static int listCompare(const void *pA, const void *pB){
  return kvBytesCompare(*(const KvBytes*)pA, *(const KvBytes*)pB);
}

void kvListSort(KvList *p){
  KvList sorted = { { 0, 0, 0, 0, 0 } };
  KvBytes item, *a;
  u32 i = 0, k, n = 0;
  while( kvListNext(p, &i, &item) ) n++;
  if( n<2 || p->bytes.eErr!=KV_OK ) return;
  a = kvRealloc(0, (u64)n*sizeof(KvBytes));
  if( a==0 ){
    p->bytes.eErr = KV_NOMEM;
    return;
  }
  for(i=0, k=0; kvListNext(p, &i, &a[k]); k++){}
  qsort(a, n, sizeof(KvBytes), listCompare);
  for(k=0; k<n; k++){
    if( k==0 || !kvBytesEqual(a[k-1], a[k]) ) kvListAdd(&sorted, a[k]);
  }
  kvFree(a);
  kvListClear(p);
  *p = sorted;
}
