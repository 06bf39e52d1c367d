/*
** index_in.c -- the values of an IN.  See index_in.h.
*/
#include "sql/range/index_in.h"
#include "codec/key/key_bytes.h"
#include <stdlib.h>

void kvIndexInReset(KvIndexIn *p){
  sqlite3_free(p->aItem);
  kvListReset(&p->list);
  p->aItem = 0;
  p->nItem = p->iItem = 0;
}

void kvIndexInClear(KvIndexIn *p){
  kvIndexInReset(p);
  kvListClear(&p->list);
}

void kvIndexInAdd(KvIndexIn *p, const KvIndexQuery *pQuery){
  KvList parts = { { 0 } };
  kvIndexQueryParts(pQuery, &parts);
  if( parts.bytes.eErr!=KV_OK ) p->list.bytes.eErr = parts.bytes.eErr;
  else if( parts.bytes.n>0 ) kvListAdd(&p->list, kvBufBytes(&parts.bytes));
  kvListClear(&parts);
}

/* The first part of a list, which is not empty. */
static KvBytes indexInFirst(KvBytes list){
  KvList parts = { { (u8*)list.p, list.n, list.n, 1, KV_OK } };
  KvBytes part = { 0, 0 };
  u32 i = 0;
  kvListNext(&parts, &i, &part);
  return part;
}

/* Read a part.  Its class in SQL: numbers come before text before bytes. */
static int indexInPart(KvBytes part, KvPart *pPart){
  u32 i = 0;
  memset(pPart, 0, sizeof(*pPart));
  kvPartRead(part, &i, pPart, 0);
  return pPart->eType==KVP_STRING ? 1 : pPart->eType==KVP_BYTES ? 2 : 0;
}

static int indexInCompare(const void *pA, const void *pB){
  KvBytes first = indexInFirst(*(const KvBytes*)pA), other = indexInFirst(*(const KvBytes*)pB);
  KvPart a, b;
  int eA = indexInPart(first, &a), eB = indexInPart(other, &b);
  KvIndexNumber x, y;
  if( eA!=eB ) return eA - eB;
  if( eA!=0 ) return kvBytesCompare(first, other);
  x = kvIndexNumberOf(&a);
  y = kvIndexNumberOf(&b);
  return kvIndexNumberCompare(&x, &y);
}

void kvIndexInSort(KvIndexIn *p, int bDesc, KvError *pError){
  KvBytes item;
  u32 i = 0, k, n = 0;
  kvErrorBuf(pError, &p->list.bytes);
  while( kvListNext(&p->list, &i, &item) ) n++;
  p->aItem = sqlite3_malloc64(((u64)n + 1)*sizeof(KvBytes));
  if( p->aItem==0 ){
    kvErrorCode(pError, SQLITE_NOMEM);
    return;
  }
  for(i=0, k=0; kvListNext(&p->list, &i, &p->aItem[k]); k++){}
  if( n>1 ) qsort(p->aItem, n, sizeof(KvBytes), indexInCompare);
  for(i=0; i<n; i++){
    int bSame = p->nItem>0 && indexInCompare(&p->aItem[p->nItem-1], &p->aItem[i])==0;
    if( !bSame ) p->aItem[p->nItem++] = p->aItem[i];
  }
  for(i=0; bDesc && i<p->nItem/2; i++){
    item = p->aItem[i];
    p->aItem[i] = p->aItem[p->nItem-1-i];
    p->aItem[p->nItem-1-i] = item;
  }
}

int kvIndexInNext(KvIndexIn *p, KvBytes *pParts){
  if( p->iItem>=p->nItem ) return 0;
  *pParts = p->aItem[p->iItem++];
  return 1;
}
