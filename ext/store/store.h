/*
** store.h -- the tables of a Deno KV database as bytes.
**
** A store is the set of Deno's tables in one schema ("main", "temp" or an
** attached file), with an optional prefix to their names:
**
**   kv(k, v, v_encoding, version, seq, expiration_ms)   the entries
**   data_version(k, version, seq)                       row 0: the newest version
**   queue, queue_running                                messages
**   migration_state                                     layout, newest is 3
**
** Its files are steps, each of which uses only those before it:
**
**   statement       the prepared statements, lent out; the write that is under way
**   schema          the state of the tables
**   migrate         making the tables
**   scan_guard      open scans, and the keys that are written meanwhile
**   row             reading and writing single rows
**   feed            the change feed
**   index           the declared indexes, and catching up with other programs
**   write           what a user's write means, and a transaction's version
**   queue, atomic   what is built on it
**   store           the store as a whole
**
** It deals in stored bytes; the codec knows their formats.
*/
#ifndef KV_STORE_H
#define KV_STORE_H

#include "store/statement.h"

/*
** The store of a schema and prefix, from a connection's list of those in use; 0 if
** out of memory.  *piV8Version, the header version of pointers that are written, is
** the caller's.  End each use, and each kvStoreKeep(), with kvStoreDrop(), which
** returns true if it was the last.
*/
KvStore *kvStoreUse(
  KvStore **ppList, sqlite3 *db, const char *zSchema, const char *zPrefix, const int *piV8Version
);
void kvStoreKeep(KvStore *p);
int kvStoreDrop(KvStore **ppList, KvStore *p);
/* The next store of the list; is it the store of a schema and (unless 0) a prefix? */
KvStore *kvStoreNext(const KvStore *p);
int kvStoreIs(const KvStore *p, const char *zSchema, const char *zPrefix);

/* What makes the rows of published tables (store/index/table.h), and a place for what it
** keeps. */
void kvStorePublisher(KvStore *p, const KvPublisher *pPublisher);
void **kvStorePublished(KvStore *p);

/* Cached prepared statements must be finalized before the connection can be closed.
** The last virtual table that uses the store does this: nMore is 1 or -1, or 0 to
** ask for their number.  Without such a table kvStoreDrop() does it. */
u32 kvStoreTable(KvStore *p, int nMore);

/* Take the store's error: return its code and store the text, if any, to *pzErr. */
int kvStoreTake(KvStore *p, char **pzErr);
KvError *kvStoreError(KvStore *p);
/* Set the error for a result code of SQLite, unless it is SQLITE_OK. */
void kvStoreFail(KvStore *p, int rc);

sqlite3 *kvStoreDb(const KvStore *p);
const char *kvStoreSchema(const KvStore *p);
/* While last_insert_rowid() is this number it is this library that writes: index/dirty.h. */
i64 kvStoreGuard(const KvStore *p);
/* True if the store's file can't be written. */
int kvStoreReadonly(const KvStore *p);
/* sqlite3_txn_state() of the store's file. */
int kvStoreTxnState(const KvStore *p);

#endif /* KV_STORE_H */
