/*
** hot.h -- a cache of values that kv_get() has read, which it can return without a
** read transaction.
*/
#ifndef KV_HOT_H
#define KV_HOT_H

#include "bytes/map.h"
#include "codec/value.h"
#include "store/error.h"

/* The header of the WAL index: https://www.sqlite.org/walformat.html */
#define KVHOT_HEADER 48

/* Its size unless kv_config() sets another, in bytes. */
#define KVHOT_BYTES 1000000

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

/* Would a statement that reads the main file now see the newest commit?  Only then may the
** others be called. */
int kvHotFresh(const KvHot *p, sqlite3 *db);
/* Answer from the cache: true if *pOut is set. */
int kvHotFind(const KvHot *p, sqlite3 *db, KvBytes key, i64 iNow, KvHotValue *pOut);

/*
** Add to the cache: call kvHotBegin() before the read transaction begins and, if it
** returns true, kvHotAdd() before it ends.
*/
int kvHotBegin(KvHot *p, sqlite3 *db);
void kvHotAdd(KvHot *p, sqlite3 *db, KvBytes key, const KvHotValue *pValue);

#endif /* KV_HOT_H */
