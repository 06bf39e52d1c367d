/*
** index_catch_up.h -- catching up with what others have written to an indexed prefix.
*/
#ifndef KV_INDEX_CATCH_UP_H
#define KV_INDEX_CATCH_UP_H

#include "store/index_def.h"

/*
** What writing calls.  kvIndexBegin(): a new version was taken, iOld is the one before;
** kvIndexResume(): writing goes on with a version that was taken before, and with bLast
** nothing was written since the last row of it; kvIndexSwept(): expired entries were
** removed after version iVersion.  The first two catch up with a part of what others have
** written; KV_AGAIN.
*/
void kvIndexBegin(KvStore *p, i64 iOld, i64 iNew);
void kvIndexResume(KvStore *p, i64 iVersion, int bLast);
void kvIndexSwept(KvStore *p, i64 iVersion);

/* A write is about to take the lock, unless the transaction has it.  True if it is to be
** preceded by the second, which reads the values of unique indexes that are claimed by
** what the indexes have not seen. */
int kvIndexAhead(KvStore *p);
void kvIndexReadAhead(KvStore *p);
/* The write has been done, or has failed. */
void kvIndexFailed(KvStore *p);

/* Are there indexes, and has another program written since they caught up? */
int kvIndexStale(KvStore *p);
/* The first index is being declared: there is nothing to catch up with. */
void kvIndexApplied(KvStore *p, i64 iVersion);

#endif /* KV_INDEX_CATCH_UP_H */
