/*
** index_maintain.h -- index maintenance.
*/
#ifndef KV_INDEX_MAINTAIN_H
#define KV_INDEX_MAINTAIN_H

#include "store/index_def.h"
#include "store/row.h"

/* What writing calls: the entry of a key is about to be set or removed; it was set to
** *pNew, or removed if that is 0.  kvIndexDistrust() in the place of the
** first: they look the entry up. */
void kvIndexBefore(KvStore *p, KvBytes key);
void kvIndexDistrust(KvStore *p);
void kvIndexWritten(KvStore *p, KvBytes key, const KvRow *pNew);
/* The same where parts of it were changed, KVSET_xxx, and the key was not. */
void kvIndexUpdated(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew);

/*
** Between the two, what was written is only noted, and uniqueness is looked at
** at the end: so two entries may exchange their values.  pList is the
** caller's; kvIndexDeferEnd() is called after an error, too.
*/
void kvIndexDefer(KvStore *p, KvList *pList);
void kvIndexDeferEnd(KvStore *p);

/* Were keys written without a new version, and have the indexes not caught up?
** (After kvFeedGet(), in the same transaction.) */
int kvIndexPending(KvStore *p);

/*
** Compare the index entries that a primary entry asks for with those that it has,
** change the rows that tell it, and make the index entries what they say.  After
** kvIndexEnter().  Returns how many index entries it has more.
*/
#define KVINDEX_REMOVE  1   /* Remove the index entries that are not asked for */
#define KVINDEX_ADD     2   /* Add those that are */
#define KVINDEX_STRICT  4   /* What can't be added is an error */
u32 kvIndexMaintain(KvStore *p, const KvIndexDef *pDef, KvBytes pk, int mStep);

/* The entry of a key was written, by us (KVINDEX_STRICT) or by another program: all
** indexes follow. */
void kvIndexFollow(KvStore *p, KvBytes key, int mStep);

/* A full-text index follows a primary entry.  After kvIndexEnter(); returns how many documents
** were added. */
u32 kvIndexDocument(KvStore *p, const KvIndexDef *pDef, KvBytes pk);
/* Primary entries for which a full-text index waits, up to nMost, if it can follow them on
** this connection.  pKeys is work space.  Returns how many. */
u32 kvIndexWaiting(KvStore *p, const KvIndexDef *pDef, KvList *pKeys, u32 nMost);

#endif /* KV_INDEX_MAINTAIN_H */
