/*
** queue.h -- the queue of a store, in Deno's tables.
**
** A message waits in the table queue until its time ts has come.  Whoever
** claims it moves it to queue_running, with a deadline: the lease, in which it
** is to be acknowledged.  A message whose lease has run out counts as failed.  A
** failed message waits again for the first time span of its backoff schedule,
** which loses that step (a retry); without a further step it becomes a dead
** letter: its data is written under each of its keys_if_undelivered.  If there
** are none it stays in queue_running with the deadline KV_MAX_TIME, which Deno
** leaves alone, and is shown as failed.  So does one that can't be put back or
** written after its lease has run out.
**
** Every function here runs inside of one SQL statement that holds the write
** lock and has a savepoint of its own.
*/
#ifndef KV_QUEUE_H
#define KV_QUEUE_H

#include "codec/op.h"
#include "store/statement.h"

/* Columns of the statements queue_list, queue_find ... */
enum {
  KVQ_ID, KVQ_DATA, KVQ_RUNNING, KVQ_TIME, KVQ_BACKOFF, KVQ_KEYS, KVQ_ROWID, KVQ_COLUMNS
};

/* A message: a copy of its row. */
typedef struct KvQueued KvQueued;
struct KvQueued {
  sqlite3_value *apCol[KVQ_COLUMNS];
  KvQueued *pNext;
};
/* Free a list of them. */
void kvQueuedFree(KvQueued *p);

/* Deno's lease, in ms. */
#define KV_QUEUE_LEASE 5000

/* Before messages are changed: false if there is no store.  Makes the index of claimed
** messages by id, if it is not there. */
int kvQueueBegin(KvStore *p);
/* Drop the indexes by id; not inside of a statement. */
void kvQueueIndexDrop(KvStore *p);

/* Add the message of an op at the time iNow. */
void kvQueueAdd(KvStore *p, i64 iNow, const KvOp *pOp);

/*
** How a call is made inside of a nested statement that has a savepoint of its
** own: xNest(pNest, pStore, xCall, pArg) is xCall(pArg), and if that leaves an
** error, what it has written is undone and what was written before stays.
** That takes a virtual table, so whoever claims messages brings it along.
*/
typedef struct KvNest KvNest;
struct KvNest {
  void (*xNest)(void*, KvStore*, void (*xCall)(void*), void *pArg);
  void *pNest;
};

/*
** Claim the next messages that are ready, nMost or fewer, for nLease ms.  Messages
** whose lease has run out are looked after first, each in a nested statement: one
** that can't be (a trigger or a unique index is against it) does not keep the
** others.  The list of those that were claimed, 0 when none is ready.
*/
KvQueued *kvQueueClaim(KvStore *p, const KvNest *pNest, i64 nLease, i64 nMost);

/* A claimed message is acknowledged (bOk) or has failed.  False if there is none
** with that id. */
int kvQueueFinish(KvStore *p, KvBytes id, int bOk);

/* Set the deadline of a claimed message. */
void kvQueueExtend(KvStore *p, KvBytes id, i64 iDeadline);

/* Remove a message: a claimed one, else one that waits, for which an index by id is
** made.  (That takes long where many wait.) */
void kvQueueDrop(KvStore *p, KvBytes id);

#endif /* KV_QUEUE_H */
