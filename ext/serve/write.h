/*
** write.h -- the queue of writes.
**
** Writes are carried out in order, those of one round of the loop in one
** transaction, and answered once it is committed.  While another program holds the
** lock they wait.  On a cluster those that come while others are carried out are
** together carried out next.
*/
#ifndef KV_SERVE_WRITE_H
#define KV_SERVE_WRITE_H

#include "serve/apply.h"
#include "serve/arena.h"
#include "serve/link.h"
#include "serve/request.h"

#define WRITE_WAIT_MS   60000            /* Until a client is told to try again */

typedef struct Write Write;
struct Write {
  Write *pNext;
  Request *pRequest;      /* 0: nobody waits for it any more */
  i64 iSince;             /* When it came, in ms */
  Arena arena;            /* Has the message that it is made from ... */
  Arena result;           /* ... and what xRun makes */
  const void *pMessage;
  void (*xOps)(Write*);   /* What it does: makes ops, an operation as apply.h has it ... */
  void (*xRun)(Write*);   /* ... or carries it out, in a transaction; */
  void (*xRemote)(Write*, Link*); /* on a cluster this, on a thread */
  KvList ops;             /* Made just before it is carried out: times in it are relative */
  void (*xReply)(Write*); /* It is committed: reply */
  int rc;                 /* SQLite's code, when it is done ... */
  char *zError;           /* ... and its message, from sqlite3_malloc() */
  void *pResult;          /* Of the queue: its reply */
  i64 iVersion;           /* Of ops: 0 if nothing was written */
  u32 *aFailed;           /* Checks that have failed, in the arena */
  u32 nFailed;            /* (0 if it isn't known which) */
  u8 bDone;               /* On a cluster: it is done */
  char zId[40];           /* Its id there */
};

/* A write for a request; 0: out of memory. */
Write *writeNew(Request *pRequest);
void writeFree(Write *p);
/* Put it into the queue, which then owns it. */
void writeQueue(Write *p);
/* The error of the last statement becomes that of the write. */
void writeFailed(Write *p, int rc);

/* Make its ops anew; p->ops has the error. */
static inline void writeMakeOps(Write *p){
  kvListReset(&p->ops);
  p->xOps(p);
}

/* How many wait. */
u32 writeCount(void);
/* How often some have been carried out. */
u32 writeRounds(void);

int writeInit(void);
void writeClose(void);

#endif /* KV_SERVE_WRITE_H */
