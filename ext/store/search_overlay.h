/*
** search_overlay.h -- the documents that a full-text index has not seen.
**
** They are in a separate in-memory database, with the same FTS5 table as the index:
** so nothing is written to the application's files and transactions, and a
** read-only file can be searched too.  The tokenizers that the application has
** registered are available there.  The store keeps it, reuses it while nothing has
** changed, and adds later changes.
*/
#ifndef KV_SEARCH_OVERLAY_H
#define KV_SEARCH_OVERLAY_H

#include "store/feed.h"
#include "store/index_def.h"

typedef struct KvSearchOverlay KvSearchOverlay;

/* The overlay of an index for a state of the feed; bPending: there are also keys
** that the feed doesn't show.  0 after an error.  The caller gives it back. */
KvSearchOverlay *kvSearchOverlayOpen(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending
);
/* The same without a database, only to be counted. */
KvSearchOverlay *kvSearchOverlayCount(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending
);
void kvSearchOverlayClose(KvSearchOverlay *p);
/* Drop all overlays; that of an index that has caught up. */
void kvSearchOverlaysForget(KvStore *p, const char *zName);

/* Has a primary entry changed?  How many have changed? */
int kvSearchOverlayHas(const KvSearchOverlay *p, KvBytes pk);
u32 kvSearchOverlayChanged(const KvSearchOverlay *p);
/* How many of them have a document now. */
u32 kvSearchOverlayDocuments(const KvSearchOverlay *p);
/* Its database, and the primary key of a row. */
sqlite3 *kvSearchOverlayDb(const KvSearchOverlay *p);
KvBytes kvSearchOverlayKey(const KvSearchOverlay *p, i64 iRow);

#endif /* KV_SEARCH_OVERLAY_H */
