/*
** search_overlay.h -- the documents that a full-text index has not seen.
**
** They are in a separate in-memory database, with the same FTS5 table as the index:
** so nothing is written to the application's files and transactions, and a
** read-only file can be searched too.  The tokenizers that the application has
** registered are available there.
*/
#ifndef KV_SEARCH_OVERLAY_H
#define KV_SEARCH_OVERLAY_H

#include "store/index/overlay.h"

typedef struct KvSearchOverlay KvSearchOverlay;

/* The overlay of an index for a state of the list of dirty keys; 0 if none is dirty, or after
** an error.  The caller gives it back. */
KvSearchOverlay *kvSearchOverlayOpen(KvStore *p, const KvIndexDef *pDef, const KvDirty *pDirty);
/* The same without a database, only to be counted. */
KvSearchOverlay *kvSearchOverlayCount(KvStore *p, const KvIndexDef *pDef, const KvDirty *pDirty);
void kvSearchOverlayClose(KvSearchOverlay *p);

/* Is a primary entry dirty? */
int kvSearchOverlayHas(const KvSearchOverlay *p, KvBytes pk);
/* How many of them have a document now. */
u32 kvSearchOverlayDocuments(const KvSearchOverlay *p);
/* Its database, and the primary key of a row. */
sqlite3 *kvSearchOverlayDb(const KvSearchOverlay *p);
KvBytes kvSearchOverlayKey(const KvSearchOverlay *p, i64 iRow);

#endif /* KV_SEARCH_OVERLAY_H */
