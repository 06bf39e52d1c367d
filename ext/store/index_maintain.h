/*
** index_maintain.h -- index maintenance and catch-up.
*/
#ifndef KV_INDEX_MAINTAIN_H
#define KV_INDEX_MAINTAIN_H

#include "store/index_def.h"

/*
** What writing calls.  kvIndexBegin(): a new version was taken, iOld is the
** one before; kvIndexResume(): writing goes on with a version that was taken
** before; kvIndexWritten(): the entry of a key was set or removed;
** kvIndexSwept(): expired entries were removed after version iVersion.  The
** first two catch up with what others have written; KV_AGAIN.
*/
void kvIndexBegin(KvStore *p, i64 iOld, i64 iNew);
void kvIndexResume(KvStore *p, i64 iVersion);
void kvIndexWritten(KvStore *p, KvBytes key);
void kvIndexSwept(KvStore *p, i64 iVersion);

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
/* Are there indexes, and has another program written since they caught up? */
int kvIndexStale(KvStore *p);
/* The indexes have caught up with iVersion; deletions up to iOld are forgotten
** unless the feed is wanted. */
void kvIndexApplied(KvStore *p, i64 iVersion, i64 iOld);

/*
** Compare the index entries that a primary entry asks for with those that it has,
** change the rows of kv_index_row, and make the index entries what they say.
** After kvIndexEnter().  Returns how many rows were added.
*/
#define KVINDEX_REMOVE  1   /* Remove the index entries that are not asked for */
#define KVINDEX_ADD     2   /* Add those that are */
#define KVINDEX_STRICT  4   /* What can't be added is an error */
u32 kvIndexMaintain(KvStore *p, const KvIndexDef *pDef, KvBytes pk, int mStep);

#endif /* KV_INDEX_MAINTAIN_H */
