/*
** txn.h -- one version for all that a transaction changes by INSERT, UPDATE and
** DELETE.
*/
#ifndef KV_TXN_H
#define KV_TXN_H

#include "store/statement.h"

/* The transaction's version, for a row that is about to be written.  *pnStep is
** not 0 if it was taken for this row: if the row fails it is given back by
** kvTxnGiveBack(), which without an error does nothing. */
i64 kvTxnVersion(KvStore *p, int *pnStep);
void kvTxnGiveBack(KvStore *p, int nStep);
/* The row has been written, or has failed with rc. */
void kvTxnRow(KvStore *p, int rc);

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

#endif /* KV_TXN_H */
