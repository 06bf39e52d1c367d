/*
** collection_rowid.h -- rowids of a collection whose key is no single typed column.  (That of
** a single INTEGER is the rowid itself.)
**
** A rowid is a hash of the key.  UPDATE and DELETE first collect the rowids of all
** their rows; so a transaction that writes to the table keeps the key of each
** rowid.
*/
#ifndef KV_COLLECTION_ROWID_H
#define KV_COLLECTION_ROWID_H

#include "sql/collection/collection_int.h"

/* The rowid of a stored key. */
i64 kvCollectionRowid(KvCollection *p, KvBytes key);
/* The stored key of a rowid that the table returned; n 0: it returned none, or out
** of memory. */
KvBytes kvCollectionRowidKey(const KvCollection *p, i64 iRowid);
/* The transaction is over. */
void kvCollectionRowidForget(KvCollection *p);

#endif /* KV_COLLECTION_ROWID_H */
