/*
** keymap.c -- a hash table of keys.  See keymap.h.
*/
#include "store/keymap.h"
SQLITE_EXTENSION_INIT3

static u32 mapHash(const KvKeyMap *p, const u8 *a, u32 n){
  u32 h = p->iSeed, i;
  for(i=0; i<n; i++) h = (h ^ a[i])*16777619u;
  return h ^ h>>15;
}

/* The slot of a key, or the free one where it belongs. */
static KvMapKey *mapSlot(const KvKeyMap *p, const u8 *a, u32 n){
  u32 i = mapHash(p, a, n);
  for(;; i++){
    KvMapKey *pKey = &p->aSlot[i & (p->nSlot-1)];
    if( !pKey->bUsed ) return pKey;
    if( pKey->n==n && (n==0 || memcmp(&p->bytes.a[pKey->iAt], a, n)==0) ) return pKey;
  }
}

static int mapGrow(KvKeyMap *p){
  u32 i, nOld = p->nSlot, nNew = nOld ? nOld*2 : 64;
  KvMapKey *aOld = p->aSlot;
  KvMapKey *aNew = sqlite3_malloc64((u64)nNew*sizeof(KvMapKey));
  if( aNew==0 ) return 0;
  memset(aNew, 0, (size_t)nNew*sizeof(KvMapKey));
  if( nOld==0 ) sqlite3_randomness(sizeof(p->iSeed), &p->iSeed);
  p->aSlot = aNew;
  p->nSlot = nNew;
  for(i=0; i<nOld; i++){
    if( aOld[i].bUsed ) *mapSlot(p, &p->bytes.a[aOld[i].iAt], aOld[i].n) = aOld[i];
  }
  sqlite3_free(aOld);
  return 1;
}

KvMapKey *kvKeyMapFind(const KvKeyMap *p, const u8 *a, u32 n){
  KvMapKey *pKey;
  if( p->nKey==0 ) return 0;
  pKey = mapSlot(p, a, n);
  return pKey->bUsed ? pKey : 0;
}

KvMapKey *kvKeyMapAdd(KvKeyMap *p, const u8 *a, u32 n){
  KvMapKey *pKey;
  u32 iAt = p->bytes.n;
  if( p->nKey>=p->nSlot/2 && !mapGrow(p) ) return 0;
  pKey = mapSlot(p, a, n);
  if( pKey->bUsed ) return pKey;
  kvBufAppend(&p->bytes, a, n);
  if( p->bytes.eErr!=KV_OK ) return 0;
  pKey->iAt = iAt;
  pKey->n = n;
  pKey->bUsed = 1;
  p->nKey++;
  return pKey;
}

void kvKeyMapClear(KvKeyMap *p){
  kvBufClear(&p->bytes);
  sqlite3_free(p->aSlot);
  memset(p, 0, sizeof(*p));
}
