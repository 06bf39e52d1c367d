/*
** overlay.h -- the dirty keys of an index, in memory.
**
** An overlay holds what the list of dirty keys (dirty.h) says of one index: which of its
** keys are dirty, and what their entries are now.  Look-ups, searches and checks of
** uniqueness read what is stored, without the dirty keys, and the overlay.  A kind of
** overlay knows what an entry is: rows of an index (rows.h), or documents
** (search_overlay.h).
**
** The store keeps overlays, and brings them up by what has been added to the list.
** What was read in a write transaction may be undone, and others may then take the same
** n.  SQLite reports that to the virtual tables that take part (kvOverlaysUndone()); where
** none does, the keys that were read in the transaction are read again each time:
**
**        iSafe             iRead
**   ------|-----------------|------->  n
**    committed    touched    not read yet
*/
#ifndef KV_INDEX_OVERLAY_H
#define KV_INDEX_OVERLAY_H

#include "bytes/map.h"
#include "store/index/dirty.h"

/* Columns of a key that is in the list.  If there is no entry, or the key is done, only
** the key, GONE and DONE are meaningful. */
enum {
  KVDIRTY_COL_KEY, KVDIRTY_COL_VERSION, KVDIRTY_COL_EXPIRES, KVDIRTY_COL_V,
  KVDIRTY_COL_ENCODING, KVDIRTY_COL_GONE, KVDIRTY_COL_DONE
};

/* A kind of overlay. */
typedef struct KvOverlay KvOverlay;
typedef struct KvOverlayKind KvOverlayKind;
struct KvOverlayKind {
  size_t size;            /* Of its structure, which begins with a KvOverlay */
  int bOwned;             /* Keys of index entries concern it, too */
  /* A key is dirty (pItem->bFound, and pRow has its entry), or done. */
  void (*xChange)(KvOverlay*, const KvIndexDef*, KvMapItem *pItem, KvStmt *pRow);
  void (*xClear)(KvOverlay*);
};

struct KvOverlay {
  const KvOverlayKind *pKind;
  KvStore *pStore;
  KvOverlay *pNext;       /* List of those that are kept */
  u32 nRef;
  char *zName;            /* The index */
  u32 iSchema;            /* KvSchema.iSchema, and the generation of the declarations */
  i64 iGeneration;
  i64 iRead, iSafe;       /* As above */
  u8 bUndone;             /* What was read after iSafe may have been undone */
  u8 bTold;               /* ... and if it is, kvOverlaysUndone() will be called */
  u32 nDirty;             /* Dirty keys of primary entries */
  KvMap keys;             /* Those that were dirty; bFound: is; iValue is the kind's */
  KvList touched;         /* Keys read after iSafe */
};

/* The overlay of an index in this state of the list; 0 after an error.  The caller gives it
** back.  It doesn't change until then. */
KvOverlay *kvOverlayOpen(
  KvStore *p, const KvIndexDef *pDef, const KvOverlayKind *pKind, const KvDirty *pDirty
);
void kvOverlayClose(KvOverlay *p);

/* Is a key dirty? */
int kvOverlayHas(const KvOverlay *p, KvBytes key);

/* Forget all overlays. */
void kvOverlaysForget(KvStore *p);
/* Something was rolled back; the transaction was committed. */
void kvOverlaysUndone(KvStore *p);
void kvOverlaysSafe(KvStore *p);

#endif /* KV_INDEX_OVERLAY_H */
