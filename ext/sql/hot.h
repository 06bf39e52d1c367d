/*
** hot.h -- values that kv_get() has read and may answer with again, without a read
** transaction: kv_config('cache_bytes', n).
*/
#ifndef KV_HOT_H
#define KV_HOT_H

#include "bytes/map.h"
#include "codec/value.h"
#include "store/error.h"

/* The header of the WAL index: https://www.sqlite.org/walformat.html */
#define KVHOT_HEADER 48

/* The cache of a connection, for its main file.  All zero is one that is off. */
typedef struct KvHot KvHot;
struct KvHot {
  i64 nMost;              /* Bytes that it may take; 0: it is off */
  u8 bLooking;            /* It asks for the journal mode, which may call kv_get() */
  sqlite3_file *pJournal; /* The file for which bWal was found out */
  u8 bWal;                /* It is a WAL, with an index in shared memory */
  u8 aHeader[KVHOT_HEADER];  /* Of the state in which all of it was read */
  KvMap map;              /* Stored bytes of keys; iValue: where in values it begins */
  KvBuf values;
  u32 nHeld;              /* Statements that run and were answered from it: while there are
                          ** any, aHeader stays as it is */
};

/* What is known of a key. */
typedef struct KvHotValue KvHotValue;
struct KvHotValue {
  i64 iFrom, iTo;         /* From when and before when that holds, in ms since 1970 */
  u8 bFound;              /* There is a live entry, with the rest */
  int eEncoding;
  KvBytes v;              /* Stored bytes, those of the cache: use them before SQL is run */
};

/* Change how many bytes it may take, which makes it empty. */
void kvHotLimit(KvHot *p, i64 nMost);
void kvHotClear(KvHot *p);

/*
** Answer from the cache: true if *pOut is set.  ctx is the calling function's, which is a
** scalar one; its statement from then on counts as reading the state of the answer.
*/
int kvHotFind(KvHot *p, sqlite3_context *ctx, KvBytes key, i64 iNow, KvHotValue *pOut);

/*
** Keep what is read: kvHotBegin() before the read transaction begins, and if it is true
** kvHotAdd() before that ends.
*/
int kvHotBegin(KvHot *p, sqlite3 *db);
void kvHotAdd(KvHot *p, sqlite3 *db, KvBytes key, const KvHotValue *pValue);

/*
** A statement that was answered from the cache goes on with a read transaction, or with a
** write: the first tells if it was, and once the transaction has begun it is an error of
** the second unless that reads the same state.  kvHotRelease(): it reads another state from
** here on.
*/
int kvHotHolds(const KvHot *p, sqlite3_context *ctx);
void kvHotCheck(const KvHot *p, sqlite3 *db, KvError *pError);
void kvHotRelease(KvHot *p, sqlite3_context *ctx);

#endif /* KV_HOT_H */
