/*
** hot.h -- a cache of values that kv_get() has read, which it can return without a
** read transaction: kv_config('cache_bytes', n).
*/
#ifndef KV_HOT_H
#define KV_HOT_H

#include "bytes/map.h"
#include "codec/value.h"
#include "store/error.h"

/* The header of the WAL index: https://www.sqlite.org/walformat.html */
#define KVHOT_HEADER 48

/* The cache of a connection, for its main file.  All zero: off. */
typedef struct KvHot KvHot;
struct KvHot {
  i64 nMost;              /* Bytes that it may take; 0: it is off */
  u8 bLooking;            /* It reads the journal mode, which may call kv_get() */
  sqlite3_file *pJournal; /* The file for which bWal was found out */
  u8 bWal;                /* It is a WAL, with an index in shared memory */
  u8 aHeader[KVHOT_HEADER];  /* Of the state in which all of it was read */
  KvMap map;              /* Stored bytes of keys; iValue: where in values it begins */
  KvBuf values;
  u32 nHeld;              /* Running statements that it has answered: while there are any,
                          ** aHeader must not change */
};

/* What is known of a key. */
typedef struct KvHotValue KvHotValue;
struct KvHotValue {
  i64 iFrom, iTo;         /* From when and before when that holds, in ms since 1970 */
  u8 bFound;              /* There is a live entry, with the rest */
  int eEncoding;
  KvBytes v;              /* Stored bytes in the cache: use them before running SQL */
};

/* Set its maximum size in bytes, which empties it. */
void kvHotLimit(KvHot *p, i64 nMost);
void kvHotClear(KvHot *p);

/*
** Answer from the cache: true if *pOut is set.  ctx is that of the calling scalar
** function, whose statement from then on counts as a reader of that state.
*/
int kvHotFind(KvHot *p, sqlite3_context *ctx, KvBytes key, i64 iNow, KvHotValue *pOut);

/*
** Add to the cache: call kvHotBegin() before the read transaction begins and, if it
** returns true, kvHotAdd() before it ends.
*/
int kvHotBegin(KvHot *p, sqlite3 *db);
void kvHotAdd(KvHot *p, sqlite3 *db, KvBytes key, const KvHotValue *pValue);

/*
** For a statement that continues with a read transaction or a write: the first
** function tells whether the cache has answered it.  If so, call the second after
** the transaction has begun; it sets an error unless the transaction reads the same
** state.  kvHotRelease(): the statement reads another state from here on.
*/
int kvHotHolds(const KvHot *p, sqlite3_context *ctx);
void kvHotCheck(const KvHot *p, sqlite3 *db, KvError *pError);
void kvHotRelease(KvHot *p, sqlite3_context *ctx);

#endif /* KV_HOT_H */
