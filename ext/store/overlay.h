/*
** overlay.h -- changes that the entries of an index don't show yet.
**
** An overlay holds the primary keys that have changed since the last index
** maintenance, and the rows (ik, pk) that kv_index_row would have for them.
**
** It is kept by the store.  It is used again as long as nothing has changed, and
** what has changed since it was made is added to it.  It takes memory for what has
** changed; the next write through this library makes it empty.
*/
#ifndef KV_OVERLAY_H
#define KV_OVERLAY_H

#include "store/feed.h"
#include "store/index_def.h"

typedef struct KvOverlayRow KvOverlayRow;
struct KvOverlayRow {
  KvBytes ik, pk;
};

typedef struct KvOverlay KvOverlay;

/* The overlay of an index in that state of the feed; bPending: keys are pending,
** too.  0 after an error.  To be given back. */
KvOverlay *kvOverlayOpen(KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending);
void kvOverlayClose(KvOverlay *p);
/* Free a store's list of those that are kept. */
void kvOverlaysFree(KvOverlay *pList);

/* How many primary entries have changed, and has this one? */
u32 kvOverlayChanged(const KvOverlay *p);
int kvOverlayHas(const KvOverlay *p, KvBytes pk);

/* The rows, in their order: of two by ik, then by pk.  kvOverlayFind(): the number
** of the first one whose ik is not before the key. */
int kvOverlayCompare(const KvOverlayRow *pA, const KvOverlayRow *pB);
const KvOverlayRow *kvOverlayRow(const KvOverlay *p, u32 i);
u32 kvOverlayFind(const KvOverlay *p, KvBytes key);

#endif /* KV_OVERLAY_H */
