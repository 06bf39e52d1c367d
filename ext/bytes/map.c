/*
** map.c -- a hash table whose keys are byte strings.  See map.h.
*/
#include "bytes/map.h"
#include "bytes/memory.h"

/* FNV-1a. */
static u32 mapHash(const KvMap *p, KvBytes key){
  u32 h = p->iSeed, i;
  for(i=0; i<key.n; i++) h = (h ^ key.p[i])*16777619u;
  return h ^ h>>15;
}

/* The slot of a key, or the free one where it belongs. */
static KvMapItem *mapSlot(const KvMap *p, KvBytes key){
  u32 i = mapHash(p, key);
  for(;; i++){
    KvMapItem *pItem = &p->aSlot[i & (p->nSlot-1)];
    if( !pItem->bUsed || kvBytesEqual(kvMapKey(p, pItem), key) ) return pItem;
  }
}

static int mapGrow(KvMap *p){
  u32 i, nOld = p->nSlot, nNew = nOld ? nOld*2 : 64;
  KvMapItem *aOld = p->aSlot;
  KvMapItem *aNew = kvZeroed((u64)nNew*sizeof(KvMapItem));
  if( aNew==0 ) return 0;
  if( nOld==0 ) p->iSeed = kvSeed(aNew);
  p->aSlot = aNew;
  p->nSlot = nNew;
  for(i=0; i<nOld; i++){
    if( aOld[i].bUsed ) *mapSlot(p, kvMapKey(p, &aOld[i])) = aOld[i];
  }
  kvFree(aOld);
  return 1;
}

KvMapItem *kvMapFind(const KvMap *p, KvBytes key){
  KvMapItem *pItem;
  if( p->nItem==0 ) return 0;
  pItem = mapSlot(p, key);
  return pItem->bUsed ? pItem : 0;
}

KvMapItem *kvMapAdd(KvMap *p, KvBytes key){
  KvMapItem *pItem;
  u32 iAt = p->bytes.n;
  KV_ASSERT( (p->nSlot & (p->nSlot-1))==0 && p->nItem<=p->nSlot/2 );
  if( p->nItem>=p->nSlot/2 && !mapGrow(p) ) return 0;
  pItem = mapSlot(p, key);
  if( pItem->bUsed ) return pItem;
  kvBufAdd(&p->bytes, key);
  if( p->bytes.eErr!=KV_OK ) return 0;
  pItem->iAt = iAt;
  pItem->n = key.n;
  pItem->bUsed = 1;
  p->nItem++;
  return pItem;
}

void kvMapClear(KvMap *p){
  kvBufClear(&p->bytes);
  kvFree(p->aSlot);
  memset(p, 0, sizeof(*p));
}
