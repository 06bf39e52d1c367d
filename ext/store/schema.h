/*
** schema.h -- the state of a store's tables.
**
** What a store caches of the schema (its tables and indexes, the triggers that a
** statement fires, the declared indexes and their overlays) is valid until the
** schema changes.
*/
#ifndef KV_SCHEMA_H
#define KV_SCHEMA_H

#include "store/statement.h"

/* The state of the tables. */
#define KV_STORE_NONE     0   /* There are none: an empty store */
#define KV_STORE_READY    1   /* Deno's tables in the newest layout */
#define KV_STORE_OLD      2   /* Deno's tables in an older layout */

/* Finalize the cached prepared statements, and invalidate all caches. */
void kvSchemaRelease(KvStore *p);

/* True if the connection has a database of that name. */
int kvHasSchema(sqlite3 *db, const char *zSchema);

/*
** Check whether the tables exist: KV_STORE_xxx.  A table "kv" that isn't Deno's is
** an error; after any error, NONE.  Writes nothing.
**
** kvSchemaReady() relies on an earlier KV_STORE_READY: if a statement then fails,
** call kvSchemaOpen().  It never relies on a state from before a rollback or a
** change of the schema.
*/
int kvSchemaOpen(KvStore *p);
int kvSchemaReady(KvStore *p);
/* As last seen. */
int kvSchemaState(const KvStore *p);
/* Invalidate the last state: something was rolled back. */
void kvSchemaDoubt(KvStore *p);
int kvSchemaDoubted(const KvStore *p);
/* Set an error if the file has a kv_entries of its own while a function uses the
** store. */
void kvSchemaHide(KvStore *p, int bHidden);

/* Call this after any error.  True if the tables have changed, so that a retry may
** succeed; then an SQLITE_ERROR, which may come from that, is cleared.  Not so if
** creating them has failed: what exists of them must be undone. */
int kvSchemaRetry(KvStore *p);

/*
** A number that changes with each change of the schema of the store's file or of
** temp, and never repeats while the store lives.  Call it inside the transaction in
** which cached data is used.
*/
u32 kvSchemaCount(KvStore *p);

/* What is known until the schema changes (a bit mask). */
#define KVKNOWN_LOOKED     0x01   /* The next two and HISTORY are known */
#define KVKNOWN_FEED       0x02   /* There is a change feed */
#define KVKNOWN_INDEXES    0x04   /* There may be declared indexes */
#define KVKNOWN_QUEUE      0x10   /* There is the index of waiting messages by id */
#define KVKNOWN_RUNNING    0x40   /* ... of claimed ones */
#define KVKNOWN_HISTORY    0x80   /* There is a history */
#define KVKNOWN_NO_EXPIRY  0x20   /* There is no index of expiries */
/* With KVKNOWN_LOOKED: kvSchemaKnow() relies on a kvSchemaCount() just before,
** kvSchemaLook() calls it, kvSchemaKnown() checks nothing. */
u32 kvSchemaLook(KvStore *p);
u32 kvSchemaKnow(KvStore *p);
u32 kvSchemaKnown(const KvStore *p);
void kvSchemaRemember(KvStore *p, u32 mKnown);

/* True if the store's table zTable has a column zColumn. */
int kvSchemaHasColumn(KvStore *p, const char *zTable, const char *zColumn);
/* Clear the error of a statement that failed because there is no such column. */
void kvSchemaMissing(KvStore *p, const char *zTable, const char *zColumn);
/* Whether a store has a queue: the oldest layout has none. */
int kvSchemaHasQueue(KvStore *p);

/* The error for a table that isn't Deno's. */
void kvSchemaRefuse(KvStore *p, const char *zTable, const char *zWhy);

#endif /* KV_SCHEMA_H */
