/*
** keymap.h -- a hash table whose keys are the stored bytes of keys.
*/
#ifndef KV_KEYMAP_H
#define KV_KEYMAP_H

#include "sqlite3ext.h"
#include "bytes/buf.h"

typedef struct KvMapKey KvMapKey;
struct KvMapKey {
  u32 iAt, n;             /* The key's place in KvKeyMap.bytes */
  u8 bUsed;               /* The slot is taken */
  u8 bFound;              /* The user's, 0 at first */
  i64 iValue;             /* The user's, 0 at first */
};

/* All zero is an empty map. */
typedef struct KvKeyMap KvKeyMap;
struct KvKeyMap {
  u32 nKey, nSlot;        /* nSlot: 0 or a power of two, at least twice nKey */
  u32 iSeed;              /* Of the hash */
  KvMapKey *aSlot;
  KvBuf bytes;
};

/* A key, or 0; it stays where it is until one is added. */
KvMapKey *kvKeyMapFind(const KvKeyMap *p, const u8 *a, u32 n);
/* The same, but a key that is not there is added.  0 when memory ran out. */
KvMapKey *kvKeyMapAdd(KvKeyMap *p, const u8 *a, u32 n);
void kvKeyMapClear(KvKeyMap *p);

#endif /* KV_KEYMAP_H */
