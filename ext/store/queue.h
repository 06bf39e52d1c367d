/*
** queue.h -- the queue of a store, in Deno's tables.
**
** A message waits in the table queue until its time ts has come.  Whoever
** takes it moves it to queue_running, with a deadline: until then it belongs
** to the taker, who finishes it in time.  A message whose deadline has passed
** counts as failed.  A failed message waits again for the first time span of
** its backoff schedule, which loses that step; without a further step it is
** given up: its data is written under each of its keys_if_undelivered.  If
** there are none it stays in queue_running with the deadline KV_MAX_TIME,
** which Deno leaves alone, and is shown as failed.  So does one that can't be
** put back or written after its lease has run out.
**
** Every function here runs inside of one SQL statement that holds the write
** lock and has a savepoint of its own.
*/
#ifndef KV_QUEUE_H
#define KV_QUEUE_H

#include "store/store.h"
#include "bytes/limits.h"

/* Columns of the statements queue_list, queue_find ... */
enum {
  KVQ_ID, KVQ_DATA, KVQ_RUNNING, KVQ_TIME, KVQ_BACKOFF, KVQ_KEYS, KVQ_COLUMNS
};

/* A message that has been taken: a copy of its row. */
typedef struct KvTaken KvTaken;
struct KvTaken {
  sqlite3_value *apCol[KVQ_COLUMNS];
  KvTaken *pNext;
};
/* Free a list of them. */
void kvTakenFree(KvTaken *p);

/* Deno's lease, in ms. */
#define KV_QUEUE_LEASE 5000

/* Make the indexes by id, if they are not there. */
int kvQueueIndex(KvStore *p, char **pzErr);
/* Drop them; not inside of a statement. */
int kvQueueIndexDrop(KvStore *p, char **pzErr);

/*
** Take the next messages that are ready at iNow, nMost or fewer, until iNow +
** nLease.  Messages whose lease has run out are looked after first, each in a
** nested statement: one that can't be (a trigger or a unique index is against
** it) does not keep the others.  *ppTaken is the list of them, 0 when none is
** ready.
*/
int kvQueueTake(
  KvStore *p, const KvNest *pNest, i64 iNow, i64 nLease, i64 nMost, KvTaken **ppTaken, char **pzErr
);

/*
** The message zId, which somebody has taken, is done (bOk) or has failed.
** *pbFound tells whether it was there.
*/
int kvQueueFinish(KvStore *p, i64 iNow, const char *zId, int bOk, int *pbFound, char **pzErr);

/* Set the deadline of a message that somebody has taken. */
int kvQueueExtend(KvStore *p, const char *zId, i64 iDeadline, char **pzErr);

/* Remove a message, wherever it is. */
int kvQueueDrop(KvStore *p, const char *zId, char **pzErr);

#endif /* KV_QUEUE_H */
