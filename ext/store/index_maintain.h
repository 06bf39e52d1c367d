/*
** index_maintain.h -- index maintenance.
*/
#ifndef KV_INDEX_MAINTAIN_H
#define KV_INDEX_MAINTAIN_H

#include "store/index_def.h"
#include "store/row.h"

/* Writers call these: before the entry of a key is set or removed; after it was set
** to *pNew, or removed if that is 0.  kvIndexDistrust() instead of the first makes
** the others look the entry up. */
void kvIndexBefore(KvStore *p, KvBytes key);
void kvIndexDistrust(KvStore *p);
void kvIndexWritten(KvStore *p, KvBytes key, const KvRow *pNew);
/* The same if parts of it were changed, KVSET_xxx, but not the key. */
void kvIndexUpdated(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew);

/*
** Between these two, writes are only recorded, and uniqueness is checked at the
** end: so two entries can exchange their values.  pList is the caller's.  Call
** kvIndexDeferEnd() after an error, too.
*/
void kvIndexDefer(KvStore *p, KvList *pList);
void kvIndexDeferEnd(KvStore *p);

/* Are there keys written without a new version with which the indexes have not
** caught up?  (Call it after kvFeedGet(), in the same transaction.) */
int kvIndexPending(KvStore *p);

/*
** Compare the index entries that a primary entry requires with those that it has,
** and update the rows of kv_index_held and kv_index_value and the index entries.
** Call it after kvIndexEnter().  Returns the change in the number of its index
** entries.
*/
#define KVINDEX_REMOVE  1   /* Remove the index entries that are not required */
#define KVINDEX_ADD     2   /* Add those that are */
#define KVINDEX_STRICT  4   /* What can't be added is an error */
u32 kvIndexMaintain(KvStore *p, const KvIndexDef *pDef, KvBytes pk, int mStep);

/* The entry of a key was written, by this library (KVINDEX_STRICT) or by another
** program: maintain all indexes. */
void kvIndexFollow(KvStore *p, KvBytes key, int mStep);

/* A full-text index follows a primary entry.  After kvIndexEnter(); returns how many documents
** were added. */
u32 kvIndexDocument(KvStore *p, const KvIndexDef *pDef, KvBytes pk);
/* Primary entries for which a full-text index waits, up to nMost, if it can follow them on
** this connection.  pKeys is work space.  Returns how many. */
u32 kvIndexWaiting(KvStore *p, const KvIndexDef *pDef, KvList *pKeys, u32 nMost);

#endif /* KV_INDEX_MAINTAIN_H */
