/*
** write.h -- a user's write: its version, index maintenance, and the removal of a
** few expired entries.
**
** Everything here runs inside a statement that holds the write lock.  Keys and
** values are stored bytes and are not copied.
*/
#ifndef KV_WRITE_H
#define KV_WRITE_H

#include "store/row.h"

/* Take the write lock of the store's file, and make what follows part of the
** running statement.  Only needed if that statement is on another file.
** kvWriteLockFirst(): if there is a store, before the statement reads anything. */
void kvWriteLock(KvStore *p);
void kvWriteLockFirst(KvStore *p);

/* Take a new version and return the increment (for kvWriteUnbump).  The declared
** indexes catch up first.  After an error, which may be KV_AGAIN, nothing was
** taken. */
int kvWriteBump(KvStore *p, i64 *piVersion);
/* Undo the version after an error, if nothing was written. */
void kvWriteUnbump(KvStore *p, int nStep);

/* Set, change or remove an entry: as kvRowPut(), kvRowUpdate(), kvRowDelete().  pOld: the
** entry as it is, with its value, which may be none; or 0. */
void kvWritePut(KvStore *p, const KvFound *pOld, const KvRow *pEntry);
void kvWriteUpdate(
  KvStore *p, KvBytes key, u32 mSet, const KvFound *pOld, const KvRow *pNew
);
void kvWriteDelete(KvStore *p, KvBytes key);

/* Remove a few expired entries after a write.  Fails only if the write is then
** undone too. */
void kvWriteSweepSome(KvStore *p, i64 iNow);

/* Trim deletions before a version from the feed, if there is one; returns how many. */
i64 kvWriteTrim(KvStore *p, i64 iBefore);

/*
** One version for all changes that a transaction makes by INSERT, UPDATE and
** DELETE.
*/

/* The transaction's version, for a row to write.  *pnStep is not 0 if it was taken
** for this row; then kvTxnGiveBack() returns it if the row fails, and does nothing
** otherwise. */
i64 kvTxnVersion(KvStore *p, int *pnStep);
void kvTxnGiveBack(KvStore *p, int nStep);
/* A row has been written, or has failed with rc, by the only statement that runs and
** writes; 0: there are others, or that wasn't asked. */
void kvTxnRow(KvStore *p, int rc, sqlite3_stmt *pWriter);
/* Has the transaction written a row, and nothing since?  Then: is it the same run of the same
** statement (0: unknown) that writes another? */
int kvTxnIsLast(const KvStore *p);
int kvTxnGoesOn(const KvStore *p, sqlite3_stmt *pWriter);

/* A table joins the transaction; bMade: it was created inside it.  A table leaves
** it: true if it was the last. */
void kvTxnJoin(KvStore *p, int bMade);
int kvTxnLeave(KvStore *p);

/* The events that SQLite sends to virtual tables; and the open savepoints. */
void kvTxnEnd(KvStore *p, int bRollback);
void kvTxnSavepoint(KvStore *p, int iSavepoint);
void kvTxnRelease(KvStore *p, int iSavepoint);
void kvTxnRollbackTo(KvStore *p, int iSavepoint);
int kvTxnDepth(const KvStore *p);

#endif /* KV_WRITE_H */
