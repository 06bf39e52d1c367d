/*
** write.h -- the queue of writes.
**
** Writes are carried out in order, those of one round of the loop in one
** transaction, and answered once it is committed.  While another program holds the
** lock they wait.
*/
#ifndef KV_SERVE_WRITE_H
#define KV_SERVE_WRITE_H

#include "bytes/list.h"
#include "serve/arena.h"
#include "serve/request.h"

typedef struct Write Write;
struct Write {
  Write *pNext;
  Request *pRequest;      /* 0: nobody waits for it any more */
  i64 iSince;             /* When it came, in ms */
  Arena arena;            /* Has the message that it is made from ... */
  Arena result;           /* ... and what xRun makes */
  const void *pMessage;
  void (*xRun)(Write*);   /* Carry it out, in a transaction */
  void (*xReply)(Write*); /* It is committed: reply */
  int rc;                 /* SQLite's code, set by xRun ... */
  char *zError;           /* ... and its message, from sqlite3_malloc() */
  void *pResult;          /* Of the queue: its reply */
  i64 iVersion;           /* Results of xRun: 0 if nothing was written */
  u32 *aFailed;           /* Checks that have failed, in the arena */
  u32 nFailed;
};

/* A write for a request; 0: out of memory. */
Write *writeNew(Request *pRequest);
void writeFree(Write *p);
/* Put it into the queue, which then owns it. */
void writeQueue(Write *p);
/* The error of the last statement becomes that of the write. */
void writeFailed(Write *p, int rc);

/* How many wait. */
u32 writeCount(void);

/* Run a list of ops (codec/op.h) as one atomic operation.  *piVersion is its version.
** SQLite's code. */
int writeOps(const KvList *pOps, u32 nOp, i64 *piVersion);

int writeInit(void);

#endif /* KV_SERVE_WRITE_H */
