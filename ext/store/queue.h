/*
** queue.h -- the queue of a store, in Deno's tables.
**
** A message waits in the table queue until its time ts has come.  A claim moves it
** to queue_running, with a deadline: the end of the lease, before which it must be
** acknowledged.  A message whose lease has ended counts as failed.  A failed
** message is retried after the first wait of its backoff schedule, which loses that
** step.  Without a further step it becomes a dead letter: its data is stored under
** each of its keys_if_undelivered.  Without such keys it stays in queue_running
** with the deadline KV_MAX_TIME, which Deno ignores, and is shown as failed.  So
** does one that can't be retried or stored after its lease has ended.
**
** Every function here runs inside one SQL statement that holds the write lock and
** has a savepoint of its own.
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

/* Call this before messages are changed.  False if there is no store.  Creates the
** index of claimed messages by id if it doesn't exist. */
int kvQueueBegin(KvStore *p);

/* Add the message of an op at the time iNow. */
void kvQueueAdd(KvStore *p, i64 iNow, const KvOp *pOp);

/*
** How to make a call inside a nested statement with a savepoint of its own:
** xNest(pNest, pStore, xCall, pArg) runs xCall(pArg), and if that fails, undoes
** what it has written, but not what was written before.  This needs a virtual
** table, so the caller supplies it.
*/
typedef struct KvNest KvNest;
struct KvNest {
  void (*xNest)(void*, KvStore*, void (*xCall)(void*), void *pArg);
  void *pNest;
};

/*
** Claim the next ready messages, at most nMost, for nLease ms.  First handles
** messages whose lease has ended, each in a nested statement, so that one that
** fails (because of a trigger or a unique index) doesn't block the others.  Returns
** the list of claimed messages, 0 if none is ready.
*/
KvQueued *kvQueueClaim(KvStore *p, const KvNest *pNest, i64 nLease, i64 nMost);

/* Acknowledge a claimed message (bOk), or handle its failure.  False if no claimed
** message has the id. */
int kvQueueFinish(KvStore *p, KvBytes id, int bOk);

/* Set the deadline of a claimed message. */
void kvQueueExtend(KvStore *p, KvBytes id, i64 iDeadline);

/* Remove a message: a claimed one, or else a waiting one, for which an index by id
** is created.  (That takes long if many wait.) */
void kvQueueDrop(KvStore *p, KvBytes id);

#endif /* KV_QUEUE_H */
