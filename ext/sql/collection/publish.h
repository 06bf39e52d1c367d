/*
** publish.h -- published tables: a collection as an ordinary table, for programs that can't
** load an extension.
**
** A published table is declared like an index, under its own name and with the option table;
** the path is the declaration of the collection.  It follows from the same list of dirty keys
** (store/index/table.h).  Every connection can make its rows, also where the collection itself
** isn't there.
*/
#ifndef KV_PUBLISH_H
#define KV_PUBLISH_H

#include "sql/call.h"
#include "sql/collection/collection_int.h"
#include "store/index/table.h"

/* What the stores of a connection call. */
extern const KvPublisher kvPublisher;

/* The collection that a statement of the connection would find by a name; 0: there is none, or
** an error (*pErr).  It stays while the statement *ppHold isn't finalized. */
KvCollection *kvPublishFind(KvConn *p, const char *zName, sqlite3_stmt **ppHold, KvError *pErr);
/* Publish a collection as zTable.  Inside a nested statement; errors are the store's. */
void kvPublishCreate(KvCollection *p, const char *zTable);
/* Drop a published table of a store that is no longer declared; all of them.  Not inside a
** statement. */
void kvPublishDrop(KvStore *p, const char *zTable);
void kvPublishDropAll(KvStore *p);

#endif /* KV_PUBLISH_H */
