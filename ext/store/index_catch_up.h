/*
** index_catch_up.h -- catch-up with what other programs have written to an indexed
** prefix.
*/
#ifndef KV_INDEX_CATCH_UP_H
#define KV_INDEX_CATCH_UP_H

#include "store/index_def.h"

/*
** Writers call these.  kvIndexBegin(): a new version was taken, after iOld.
** kvIndexResume(): writing continues with a version taken earlier; bLast: nothing
** was written since its last row.  kvIndexSwept(): expired entries were removed
** after version iVersion.  The first two catch up with a part of what other
** programs have written, and may fail with KV_AGAIN.
*/
void kvIndexBegin(KvStore *p, i64 iOld, i64 iNew);
void kvIndexResume(KvStore *p, i64 iVersion, int bLast);
void kvIndexSwept(KvStore *p, i64 iVersion);

/* Call the first before a write takes the lock.  If it returns true, call the
** second, which reads the values of unique indexes that are claimed by changes the
** indexes have not seen. */
int kvIndexAhead(KvStore *p);
void kvIndexReadAhead(KvStore *p);
/* The write has been done, or has failed. */
void kvIndexFailed(KvStore *p);

/* Are there indexes, and has another program written since they caught up? */
int kvIndexStale(KvStore *p);
/* The first index is being declared, with nothing to catch up with. */
void kvIndexApplied(KvStore *p, i64 iVersion);

#endif /* KV_INDEX_CATCH_UP_H */
