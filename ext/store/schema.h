/*
** schema.h -- what is there: the state of a store's tables.
**
** What a store remembers of the schema (which of its tables and indexes there
** are, what triggers a statement fires, the declared indexes and their
** overlays) holds as long as the schema does.
*/
#ifndef KV_SCHEMA_H
#define KV_SCHEMA_H

#include "store/statement.h"

/* The state of the tables. */
#define KV_STORE_NONE     0   /* There are none: an empty store */
#define KV_STORE_READY    1   /* Deno's tables in the newest layout */
#define KV_STORE_OLD      2   /* Deno's tables in an older layout */

/* Finalize what is kept of prepared statements, so that nothing is believed. */
void kvSchemaRelease(KvStore *p);

/* True if the connection has a database of that name. */
int kvHasSchema(sqlite3 *db, const char *zSchema);

/*
** Look whether the tables are there: KV_STORE_xxx.  That a table "kv" is not
** Deno's is an error; then, as after any, NONE.  Writes nothing.
**
** kvSchemaReady() believes what was seen before if it was KV_STORE_READY: a
** statement that fails then is a reason for kvSchemaOpen().  What was seen before
** a rollback or a change of the schema is not believed.
*/
int kvSchemaOpen(KvStore *p);
int kvSchemaReady(KvStore *p);
/* As last seen. */
int kvSchemaState(const KvStore *p);
/* What was seen last is no longer believed: something was rolled back. */
void kvSchemaDoubt(KvStore *p);
int kvSchemaDoubted(const KvStore *p);
/* Whether the file has a kv_entries that isn't ours while a function uses the
** store, which is an error. */
void kvSchemaHide(KvStore *p, int bHidden);

/* After any error: look again.  True if the tables are not as they were, so that it is
** worth trying once more; SQLITE_ERROR may come from that, and is forgotten then.  It
** is not if what has failed is to make them: what there is of them is to be undone. */
int kvSchemaRetry(KvStore *p);

/*
** Has the schema of the store's file changed, or the temp schema?  A number that
** is another one after each change and never comes again while the store lives.
** To be called inside of the transaction in which what is remembered is to be
** believed.
*/
u32 kvSchemaCount(KvStore *p);

/* What is known as long as the schema doesn't change (a bit mask). */
#define KVKNOWN_LOOKED     0x01   /* The next three are known */
#define KVKNOWN_FEED       0x02   /* There is a change feed */
#define KVKNOWN_INDEXES    0x04   /* There may be declared indexes */
#define KVKNOWN_PENDING    0x08   /* ... and their kv_index_pending */
#define KVKNOWN_QUEUE      0x10   /* There is the index of waiting messages by id */
#define KVKNOWN_RUNNING    0x40   /* ... of claimed ones */
#define KVKNOWN_TRIGGERS   0x80   /* The triggers are those of this version */
#define KVKNOWN_OWN        0x100  /* The indexes have the tables of this version */
#define KVKNOWN_NO_EXPIRY  0x20   /* There is no index to find expired entries by */
/* With KVKNOWN_LOOKED: kvSchemaKnow() relies on a kvSchemaCount() just before,
** kvSchemaLook() calls it.  kvSchemaKnown() looks at nothing. */
u32 kvSchemaLook(KvStore *p);
u32 kvSchemaKnow(KvStore *p);
u32 kvSchemaKnown(const KvStore *p);
void kvSchemaRemember(KvStore *p, u32 mKnown);

/* True if the store's table zTable has a column zColumn. */
int kvSchemaHasColumn(KvStore *p, const char *zTable, const char *zColumn);
/* A statement may have failed because there is no such column, which is no
** error: it is forgotten then. */
void kvSchemaMissing(KvStore *p, const char *zTable, const char *zColumn);
/* Whether a store has a queue: the oldest layout has none. */
int kvSchemaHasQueue(KvStore *p);

/* The error for a table that isn't Deno's. */
void kvSchemaRefuse(KvStore *p, const char *zTable, const char *zWhy);

#endif /* KV_SCHEMA_H */
