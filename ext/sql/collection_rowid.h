/*
** collection_rowid.h -- rowids of a collection whose key is no single typed column.
**
** A rowid is a hash of the key.  UPDATE and DELETE collect the rowids of all their
** rows first; so in a transaction that writes to the table it is remembered what
** they stand for.
*/
#ifndef KV_COLLECTION_ROWID_H
#define KV_COLLECTION_ROWID_H

#include "sql/collection_int.h"

/* The rowid of a stored key. */
i64 kvCollectionRowid(KvCollection *p, KvBytes key);
/* The stored key of a rowid that the table gave; n 0: it gave none, or no memory. */
KvBytes kvCollectionRowidKey(const KvCollection *p, i64 iRowid);
/* The transaction is over. */
void kvCollectionRowidForget(KvCollection *p);

#endif /* KV_COLLECTION_ROWID_H */
