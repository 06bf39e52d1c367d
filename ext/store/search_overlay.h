/*
** search_overlay.h -- the documents that a full-text index has not seen.
**
** They are in a database of their own, in memory, with a table of FTS5 as the index has
** it: so nothing is written to the application's files and transactions, and a file that
** can't be written to is searched, too.  The tokenizers that the application has
** registered are known there.  It is kept by the store, and used again as long as nothing
** has changed; what has changed since is added.
*/
#ifndef KV_SEARCH_OVERLAY_H
#define KV_SEARCH_OVERLAY_H

#include "store/feed.h"
#include "store/index_def.h"

typedef struct KvSearchOverlay KvSearchOverlay;

/* That of an index in a state of the feed; bPending: there are keys, too, of which that
** does not tell.  0 after an error.  To be given back. */
KvSearchOverlay *kvSearchOverlayOpen(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending
);
void kvSearchOverlayClose(KvSearchOverlay *p);
/* Forget those that are kept; that of an index which has caught up. */
void kvSearchOverlaysForget(KvStore *p, const char *zName);

/* Has a primary entry changed?  How many have. */
int kvSearchOverlayHas(const KvSearchOverlay *p, KvBytes pk);
u32 kvSearchOverlayChanged(const KvSearchOverlay *p);
/* How many of them have a document now. */
u32 kvSearchOverlayDocuments(const KvSearchOverlay *p);
/* Its database, and the primary key of a row. */
sqlite3 *kvSearchOverlayDb(const KvSearchOverlay *p);
KvBytes kvSearchOverlayKey(const KvSearchOverlay *p, i64 iRow);

#endif /* KV_SEARCH_OVERLAY_H */
