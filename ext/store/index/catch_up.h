/*
** catch_up.h -- catching up with the keys that others have written.
*/
#ifndef KV_INDEX_CATCH_UP_H
#define KV_INDEX_CATCH_UP_H

#include "store/index/def.h"

/*
** Writers call these.  kvIndexReady(): a new version is about to be taken, which fails with
** KV_AGAIN if the indexes need a savepoint.  kvIndexBegin(): it was taken.  kvIndexResume():
** writing goes on with a version taken earlier; bLast: nothing was written since its
** last row.  Both catch up with a part of the dirty keys, and may fail with KV_AGAIN.
** kvIndexSwept(): the write has removed expired entries.
*/
void kvIndexReady(KvStore *p);
void kvIndexBegin(KvStore *p, i64 iVersion);
void kvIndexResume(KvStore *p, i64 iVersion, int bLast);
void kvIndexSwept(KvStore *p);

/* Call the first before a write takes the lock.  If it returns true, call the second,
** which brings up the overlays of unique indexes. */
int kvIndexAhead(KvStore *p);
void kvIndexReadAhead(KvStore *p);
/* The write has been done, or has failed. */
void kvIndexFailed(KvStore *p);

/* A row was written.  Where one statement writes many, documents of full-text indexes follow a
** batch at a time. */
void kvIndexBatch(KvStore *p);

/* Are there indexes, and dirty keys, or only some that are done?  With how many has the write
** caught up? */
#define KVSTALE_DIRTY  1
#define KVSTALE_DONE   2
int kvIndexStale(KvStore *p);
u32 kvIndexCaughtUp(const KvStore *p);

#endif /* KV_INDEX_CATCH_UP_H */
