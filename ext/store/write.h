/*
** write.h -- what a user's write means: the version it takes, the declared
** indexes that follow, the expired entries that go with it.
**
** All of it runs inside of a statement that holds the write lock.  Keys and values
** are stored bytes; they are not copied.
*/
#ifndef KV_WRITE_H
#define KV_WRITE_H

#include "store/row.h"

/* Take the write lock of the store's file, and make what follows part of the
** statement that runs.  Only needed where that statement is one on another file.
** kvWriteLockFirst(): if there is a store, before the statement reads anything. */
void kvWriteLock(KvStore *p);
void kvWriteLockFirst(KvStore *p);

/* Take a new version; what was added is returned (for kvWriteUnbump).  The
** declared indexes catch up first.  After an error, which may be KV_AGAIN, there
** is nothing to be given back. */
int kvWriteBump(KvStore *p, i64 *piVersion);
/* Take the version back after an error, before anything was written. */
void kvWriteUnbump(KvStore *p, int nStep);

/* Set, change or remove an entry: as kvRowPut(), kvRowUpdate(), kvRowDelete(). */
void kvWritePut(KvStore *p, const KvRow *pEntry);
void kvWriteUpdate(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew);
void kvWriteDelete(KvStore *p, KvBytes key);

/* Remove a few expired entries, if there are any, after a write.  An error only if the
** write is undone with it. */
void kvWriteSweepSome(KvStore *p, i64 iNow);

/* Forget the deletions before a version, if there is a feed; returns how many. */
i64 kvWriteTrim(KvStore *p, i64 iBefore);

/*
** One version for all that a transaction changes by INSERT, UPDATE and
** DELETE.
*/

/* The transaction's version, for a row that is about to be written.  *pnStep is
** not 0 if it was taken for this row: if the row fails it is given back by
** kvTxnGiveBack(), which without an error does nothing. */
i64 kvTxnVersion(KvStore *p, int *pnStep);
void kvTxnGiveBack(KvStore *p, int nStep);
/* The row has been written, or has failed with rc. */
void kvTxnRow(KvStore *p, int rc);
/* Has no statement ended since a row was written?  Then it is the same one that writes
** another, unless several are under way. */
int kvTxnGoesOn(const KvStore *p);

/* A table becomes part of the transaction; bMade: it was made inside of it.  And
** it is no longer: true if it was the last one. */
void kvTxnJoin(KvStore *p, int bMade);
int kvTxnLeave(KvStore *p);

/* What SQLite tells the virtual tables; and the savepoints that are open. */
void kvTxnEnd(KvStore *p, int bRollback);
void kvTxnSavepoint(KvStore *p, int iSavepoint);
void kvTxnRelease(KvStore *p, int iSavepoint);
void kvTxnRollbackTo(KvStore *p, int iSavepoint);
int kvTxnDepth(const KvStore *p);

#endif /* KV_WRITE_H */
