/*
** queue.h -- the queue over the network: claim, renew, finish.
**
** Three requests that KV Connect doesn't have, with messages of its kind
** (kv_connect.proto).  A claim that finds no ready message waits for one.  A lease is
** known by its deadline, so a late worker can neither extend nor fail a message that
** another one has claimed since; that a message has been handled is always accepted.
*/
#ifndef KV_SERVE_QUEUE_H
#define KV_SERVE_QUEUE_H

#include "serve/request.h"
#include "serve/token.h"

void queueInit(void);

void queueClaim(Request *p, const Token *pToken);
void queueRenew(Request *p, const Token *pToken);
void queueFinish(Request *p, const Token *pToken);

/* Something has been written, by anybody: there may be messages. */
void queueWritten(void);
/* On a cluster: so many are ready, and the next one is at iNext (0: never). */
void queueReady(i64 nReady, i64 iNext);

/* Expressions for the two, by the time ?1; of the first at most twice ?2. */
#define QUEUE_READY_MOST 1000
#define QUEUE_READY \
  "(SELECT count(*) FROM (SELECT 1 FROM queue WHERE ts <= ?1 LIMIT ?2)) + " \
  "(SELECT count(*) FROM (SELECT 1 FROM queue_running WHERE deadline <= ?1 LIMIT ?2))"
#define QUEUE_NEXT \
  "(SELECT min(t) FROM (SELECT min(ts) AS t FROM queue WHERE ts > ?1 UNION ALL " \
  "SELECT min(deadline) FROM queue_running WHERE deadline > ?1))"
/* End all claims that wait, and let none wait any more. */
void queueEnd(void);

/* Claims that wait for a message. */
u32 queueWaiting(void);

#endif /* KV_SERVE_QUEUE_H */
