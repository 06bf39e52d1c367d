/*
** map.h -- a hash table whose keys are byte strings.
**
** The keys are copied into one buffer.  Their hash has a seed, kvSeed(), so an
** attacker can't choose keys that collide.
*/
#ifndef KV_MAP_H
#define KV_MAP_H

#include "bytes/bytes.h"

/* A key and what belongs to it. */
typedef struct KvMapItem KvMapItem;
struct KvMapItem {
  u32 iAt, n;             /* The key's place in KvMap.bytes */
  u8 bUsed;               /* The slot is in use */
  u8 bFound;              /* The user's, 0 at first */
  i64 iValue;             /* The user's, 0 at first */
};

/* All zero is an empty map. */
typedef struct KvMap KvMap;
struct KvMap {
  u32 nItem, nSlot;       /* nSlot: 0 or a power of two, at least twice nItem */
  u32 iSeed;              /* Of the hash */
  KvMapItem *aSlot;
  KvBuf bytes;
};

/* The key of an item, until one is added. */
static inline KvBytes kvMapKey(const KvMap *p, const KvMapItem *pItem){
  return kvBytes(&p->bytes.a[pItem->iAt], pItem->n);
}
/* The item of a key, or 0.  It is valid until an item is added. */
KvMapItem *kvMapFind(const KvMap *p, KvBytes key);
/* The same, but a missing key is added.  0 if out of memory. */
KvMapItem *kvMapAdd(KvMap *p, KvBytes key);
void kvMapClear(KvMap *p);

#endif /* KV_MAP_H */
