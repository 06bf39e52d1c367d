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
**   statement       the prepared statements, lent out
**   schema, names   what is there; whether something else has a store's names
**   work, migrate   the write that is under way; making the tables
**   row             reading single rows
**   scan_guard      open scans, and the keys that are written meanwhile
**   row_write       writing single rows
**   feed            the change feed
**   index_def, index_entry, index_maintain, overlay   the declared indexes
**   write           what a user's write means
**   txn             one version for all that a transaction changes
**   index_declare, index_scan, queue, atomic          what is built on it
*/
#ifndef KV_STORE_H
#define KV_STORE_H

#include "store/statement.h"
#include "store/message.h"
#include "store/clock.h"
#include "store/schema.h"
#include "store/store_names.h"
#include "store/work.h"
#include "store/migrate.h"
#include "store/row.h"
#include "store/scan_guard.h"
#include "store/plain_write.h"
#include "store/row_write.h"
#include "store/feed.h"
#include "store/write.h"
#include "store/txn.h"
#include "store/store_int.h"
#include "store/adapt.h"

/* zSchema and zPrefix are copied.  0 when memory ran out. */
KvStore *kvStoreNew(sqlite3 *db, const char *zSchema, const char *zPrefix);
void kvStoreFree(KvStore *p);

#endif /* KV_STORE_H */
