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
** This layer deals in encoded keys and values; it knows neither of their
** formats.  All its SQL is in sql/store/ and prepared once.
*/
#ifndef KV_STORE_H
#define KV_STORE_H

#include "sqlite3ext.h"
#include "store/statement.h"
#include "store/message.h"

/* What kvStoreOpen() finds. */
#define KV_STORE_NONE     0   /* There are no tables: an empty store */
#define KV_STORE_READY    1   /* Deno's tables in the newest layout */
#define KV_STORE_OLD      2   /* Deno's tables in an older layout */

#include "store/store_int.h"
#include "store/adapt.h"

/* zSchema and zPrefix are copied.  0 when memory ran out. */
KvStore *kvStoreNew(sqlite3 *db, const char *zSchema, const char *zPrefix);
/* Finalize all free statements, and the sentinel. */
void kvStoreRelease(KvStore *p);
void kvStoreFree(KvStore *p);

/* True if the connection has a database of that name. */
int kvHasSchema(sqlite3 *db, const char *zSchema);

/*
** Has the schema of the store's file changed, or the temp schema?  *piSchema, if
** not 0, becomes a number that is another one after each change and never comes
** again while the store lives; p->iSchema is the same.  To be called inside of
** the transaction in which what is remembered is to be believed.  (schema.c)
*/
int kvStoreSchema(KvStore *p, u32 *piSchema, char **pzErr);
/* Finalize the sentinel; the next one counts as a change. */
void kvSchemaRelease(KvStore *p);

/*
** Look whether the tables are there.  SQLITE_OK and p->eState, or an error
** with a message in *pzErr (sqlite3_malloc), such as that a table "kv" is
** not Deno's.  Writes nothing.
*/
int kvStoreOpen(KvStore *p, char **pzErr);

/*
** Before the tables are made, or brought up to date: whether nothing else has
** one of their names.  What Deno's statements would take for Deno's own ("create
** table if not exists") must be it.  Writes nothing.
*/
int kvStoreRoom(KvStore *p, char **pzErr);

/*
** What the extension itself adds to a store, by groups.  *pbThere says whether
** the first of a group is there, which tells whether the others are the store's
** or another program's.  An error, with bMake, if another program has one of the
** names; without it, if it has one of a group that is there.  Writes nothing.
*/
#define KV_OWN_FEED     0   /* kv_track_state, ... */
#define KV_OWN_INDEXES  1   /* kv_index_def, ... */
#define KV_OWN_PENDING  2   /* kv_index_pending, and the triggers that fill it */
#define KV_OWN_QUEUE    3   /* The queue's indexes by id */
int kvStoreOwn(KvStore *p, int eOwn, int bMake, int *pbThere, char **pzErr);

/* Whether a store has a queue: the oldest layout has none. */
int kvStoreHasQueue(KvStore *p, int *pbThere, char **pzErr);

/* The same, but what was seen before is believed if it was KV_STORE_READY: a
** statement that fails then is a reason for kvStoreOpen().  What was seen before
** a rollback is not believed: the tables may have been made since. */
int kvStoreReady(KvStore *p, char **pzErr);

/* After a statement has failed: look again.  True if the tables are not as
** they were, so that it is worth to start anew.  It is not if what has failed is
** to make them: what there is of them is to be undone. */
int kvStoreChanged(KvStore *p);

/*
** Writing (write.c).  All of it runs inside of a statement that holds the
** write lock.  Keys and values are encoded bytes; they are not copied.
*/

/* Begin the work of a write; what is returned is given back at its end. */
KvWork kvStoreBegin(KvStore *p, int bOwnStatement);
void kvStoreEnd(KvStore *p, const KvWork *pOuter);

/* The store's newest version; 0 where there is no store.  Writes nothing. */
int kvStoreVersion(KvStore *p, i64 *piVersion, char **pzErr);

/* Make the tables of a store that has none, or bring an old Deno's up to
** date.  A store that is in order is not touched.  KV_AGAIN if there is something
** to do and nobody would undo the half of it. */
int kvStoreCreate(KvStore *p, char **pzErr);

/* Which statement, KVSQL_xxx, runs what is to be done in the store's file as one
** statement.  If the file has no store the first table is made for it, empty. */
int kvStoreRunner(KvStore *p, int *peSql, char **pzErr);

/* Hold the write lock of the store's file, and make what follows part of the
** statement that runs.  Only needed where that statement is one on another
** file. */
int kvStoreFence(KvStore *p, char **pzErr);
/* Take the write lock of the store's file, if there is a store, before the
** statement reads anything. */
int kvStoreLock(KvStore *p, char **pzErr);

/* True if the store's table zTable has a column zColumn.  *pRc is sticky: what
** fails for another reason than that there is none is an error. */
int kvStoreHasColumn(KvStore *p, const char *zTable, const char *zColumn, int *pRc);

/* A statement has failed with rc and a message.  If that is so because there is
** no such column, which is no error, the message is freed and SQLITE_OK returned;
** else rc, or the error of looking. */
int kvStoreMissing(KvStore *p, const char *zTable, const char *zColumn, int rc, char **pzErr);

/* Take a new version; *pnStep is what was added (for kvStoreUnbump).  The
** declared indexes are brought up to date first.  SQLITE_OK, KV_AGAIN or an
** error; then there is nothing to be given back. */
int kvStoreBump(KvStore *p, i64 *piVersion, int *pnStep, char **pzErr);
/* Take the version back after the error rc, before anything was written.
** Returns rc; if that is KV_AGAIN, which is no error, that of taking it back. */
int kvStoreUnbump(KvStore *p, int nStep, int rc);
/* The newest version, which must be there and leave room for others. */
int kvStoreNewest(KvStore *p, i64 *piVersion, char **pzErr);

/* What is stored under a key. */
typedef struct KvFound KvFound;
struct KvFound {
  u8 bFound;              /* There is an entry that has not expired */
  i64 iVersion;
  i64 iExpires;           /* -1: never */
  int eEncoding;          /* With bValue only */
  KvBuf v;                /* With bValue only: a copy of the bytes */
};
/* Look a key up at the time iNow.  bValue: its value too (pFound->v must have
** been initialised). */
int kvStoreFind(
  KvStore *p, const u8 *aKey, u32 nKey, i64 iNow, int bValue,
  KvFound *pFound, char **pzErr
);

/* Set an entry, whatever was there.  Like the functions below it keeps the
** declared indexes in step. */
int kvStorePut(
  KvStore *p, const u8 *aKey, u32 nKey, const u8 *a, u32 n, int eEncoding,
  i64 iVersion, i64 iExpires, char **pzErr
);

/* Change parts of the entry of a key: mMask of KVSET_xxx says which of the
** arguments behind it count.  An entry under the new key is replaced. */
int kvStoreUpdate(
  KvStore *p, const u8 *aKey, u32 nKey, i64 iVersion, u32 mMask,
  const u8 *aNew, u32 nNew, const u8 *a, u32 n, int eEncoding, i64 iExpires,
  char **pzErr
);

/* Remove the entry of a key, if there is one. */
int kvStoreDelete(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr);

/* Set and remove an entry of an index: nothing follows from that. */
int kvStorePutBare(
  KvStore *p, const u8 *aKey, u32 nKey, const u8 *a, u32 n, int eEncoding,
  i64 iVersion, i64 iExpires, char **pzErr
);
int kvStoreDeleteBare(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr);

/* Remove the expired entries; *pnGone says how many. */
int kvStoreSweep(KvStore *p, i64 iNow, i64 *pnGone, char **pzErr);
/* Is there an expired entry?  By Deno's index; without it, -1: not known. */
int kvStoreHasExpired(KvStore *p, i64 iNow, int *pbThere, char **pzErr);
/* Remove a few of them, if there are any, behind a write.  An error only if
** the write is undone with it. */
int kvStoreSweepSome(KvStore *p, i64 iNow, char **pzErr);

/*
** Somebody reads entries in the order of their keys, row by row (marks.c).  What
** is still ahead has keys from *pLo on and, unless *pHi is empty, before *pHi;
** both stay the reader's, who moves them.  All zero: not open.  A key for which
** kvReadingIsNew() is true was added since, on this connection, and is passed
** over: so a statement does not read for ever what it writes.
*/
struct KvReading {
  u8 bOpen;
  const KvBuf *pLo, *pHi;
  i64 iClock;             /* kvMarksClock() when it began */
  KvReading *pNext;
};
/*
** Does a statement that is under way write to the table kv by plain SQL, itself or
** by a trigger?  Then nobody notes what it adds, and who reads meanwhile has to
** have read all before (foreign.c).
*/
int kvStoreForeign(KvStore *p, int *pbForeign, char **pzErr);
void kvReadingOpen(KvStore *pStore, KvReading *p, const KvBuf *pLo, const KvBuf *pHi);
void kvReadingClose(KvStore *pStore, KvReading *p);
int kvReadingIsNew(const KvStore *pStore, const KvReading *p, const u8 *a, u32 n);

/*
** One version for all that a transaction changes by INSERT, UPDATE and DELETE
** (txn.c).  The virtual tables pass SQLite's callbacks on.
*/
int kvTxnVersion(KvStore *p, i64 *piVersion, int *pnStep, char **pzErr);
void kvTxnForget(KvStore *p);
/* A table becomes part of the transaction; bMade: it was made inside of it.  And
** it is no longer: true if it was the last one. */
void kvTxnJoin(KvStore *p, int bMade);
int kvTxnLeave(KvStore *p);
void kvTxnEnd(KvStore *p, int bRollback);
/* A row that kvTxnVersion() was called for has been written, or not. */
void kvTxnRow(KvStore *p, int rc);
void kvTxnSavepoint(KvStore *p, int iSavepoint);
void kvTxnRelease(KvStore *p, int iSavepoint);
void kvTxnRollbackTo(KvStore *p, int iSavepoint);

/* A random UUID, version 4, in lower case, into z (37 bytes). */
#define KV_UUID_TEXT 37
void kvUuid(char *z);

/* Milliseconds since 1970 by the clock of SQLite's VFS. */
i64 kvNow(void);

#endif /* KV_STORE_H */
