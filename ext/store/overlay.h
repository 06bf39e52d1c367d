/*
** overlay.h -- changes that the entries of an index don't show yet.
**
** An overlay is kept by the store.  It is used again as long as nothing has
** changed, and what has changed since it was made is merged into it.  It takes
** memory for what has changed; the next write through this library makes it
** empty.
*/
#ifndef KV_OVERLAY_H
#define KV_OVERLAY_H

#include "store/index_def.h"

/* A key in KvOverlay.bytes. */
typedef struct KvOverlayKey KvOverlayKey;
struct KvOverlayKey {
  u32 iAt, n;
  const u8 *a;            /* The same as an address, once all are there */
};

typedef struct KvOverlayRow KvOverlayRow;
struct KvOverlayRow {
  KvOverlayKey ik, pk;
};

struct KvOverlay {
  u32 nRef;
  i64 iGeneration, iApplied, iVersion;   /* What it was made from */
  u8 bPending;            /* ... and from pending keys, which no version counts */
  u32 iData;              /* overlayData() by then */
  u8 bKeep;               /* It may be used again */
  KvBuf bytes;
  u32 nBase;              /* bytes.n when it was made */
  KvOverlayKey *aDirty;         /* Primary keys that have changed, sorted */
  u32 nDirty, nDirtyAlloc;
  KvOverlayRow *aRow;           /* Their rows now, sorted */
  u32 nRow, nRowAlloc;
};

/* The overlay of an index, the one that is kept or a new one. */
int kvOverlayOpen(
  KvStore *pStore, KvIndexDef *pDef, const KvTrack *pTrack, int bPending,
  KvOverlay **ppOver, char **pzErr
);
void kvOverlayDrop(KvOverlay *p);
/* Has the entry of a primary key changed? */
int kvOverlayHas(const KvOverlay *p, const u8 *a, u32 n);
/* The first row of the overlay that is not before a[0..n-1]. */
u32 kvOverlayFind(const KvOverlay *p, const u8 *a, u32 n);
int kvOverlayCompare(const u8 *pA, u32 nA, const u8 *pB, u32 nB);

#endif /* KV_OVERLAY_H */
