/*
** conn.h -- the state of a database connection: settings, scratch memory and
** stores.  Every registered function and module holds a reference.
*/
#ifndef KV_CONN_H
#define KV_CONN_H

#include "sqlite3ext.h"
#include "bytes/list.h"
#include "bytes/limits.h"
#include "codec/ulid.h"
#include "codec/value.h"
#include "sql/hot.h"
#include "sql/watch.h"
#include "store/store.h"

/* Memory that a function uses during a call, or a part of it. */
typedef struct KvScratch KvScratch;
struct KvScratch {
  KvTree tree;            /* A value */
  KvBuf in;               /* Input that had to be put together */
  KvBuf out;              /* Output */
  u8 bTaken;              /* Somebody has it */
};

typedef struct KvConn KvConn;
struct KvConn {
  sqlite3 *db;
  u32 nRef;               /* Registrations that point here */
  int iV8Version;         /* Header version of the values written: 15 or 16 */
  i64 aLimit[KV_LIMIT_COUNT];  /* Limits on what is written */
  u8 bDropReplaced;       /* An ordinary table may take a collection's place: vtab_run.c */
  KvList dropped;         /* Schema and name of each that the transaction has dropped */
  u8 bNoSelectWrites;     /* Functions may not write in a SELECT: run.c */
  KvBuf conflict;         /* Key text of the last check that failed, or empty */
  const struct KvRun *pRun;    /* The work for a nested statement: run.h */
  u32 nWriting;           /* xUpdate calls that are running: vtab.h */
  i64 iRowTotal;          /* sqlite3_total_changes64() after the last row of
                          ** kv_atomic, -1 if its operation is over */
  const void *pRowOper;   /* That operation: vtab_atomic.c */
  struct KvCallSite *aSite;    /* Of the registered functions: call.h */
  KvScratch scratch;
  KvHot hot;              /* What kv_get() has read */
  KvWatch watch;          /* Of the main file: kv_wait() */
  KvStore *pStores;       /* The stores in use */
  const KvPublisher *pPublisher;   /* For each of them */
  struct KvCollection *pCollections;  /* Those that are connected */
  struct KvVtab *pTables;     /* Virtual tables that show values: vtab.h */
  struct KvPrograms *pPrograms;    /* What is known of statements: program.c */
  u32 nEntries;           /* Connected tables main.kv_entries */
  KvUlid aUlid[2];        /* The last ULIDs: of now, of a given time */
};

/* A connection's structure, with one reference.  0: out of memory. */
KvConn *kvConnNew(sqlite3 *db);
void kvConnRef(KvConn *p);
/* Print a ULID of the time *piMs, or of now if piMs is 0, to z (KV_ULID_TEXT bytes).  It is
** greater than the connection's last one of that kind and time; if the clock goes back, it
** has the last one's time. */
void kvConnUlid(KvConn *p, const i64 *piMs, char *z);
/* For sqlite3_create_function_v2() and friends. */
void kvConnUnref(void *p);

/* Borrow the connection's scratch memory, empty, and give it back.  There is only
** one, so the borrower must not run SQL, which could ask for it again.  Memory
** beyond KV_SCRATCH_KEEP is not kept between calls. */
#define KV_SCRATCH_KEEP 65536
static inline KvScratch *kvScratchTake(KvConn *p){
  KV_ASSERT( !p->scratch.bTaken );
  p->scratch.bTaken = 1;
  return &p->scratch;
}
static inline void kvScratchGiveBuf(KvBuf *p){
  if( p->nAlloc>KV_SCRATCH_KEEP ) kvBufClear(p);
  else kvBufReset(p);
}
static inline void kvScratchGive(KvScratch *p){
  KV_ASSERT( p->bTaken );
  p->bTaken = 0;
  kvScratchGiveBuf(&p->in);
  kvScratchGiveBuf(&p->out);
  if( p->tree.nNode || p->tree.pBlock ) kvTreeReset(&p->tree);
}

/*
** The store of a schema and prefix; end each use with kvConnDropStore().  0 if out
** of memory.
*/
KvStore *kvConnStore(KvConn *p, const char *zSchema, const char *zPrefix);
void kvConnDropStore(KvConn *p, KvStore *pStore);
/* The same for a virtual table, while it is connected.  The last one finalizes the
** cached statements, since nothing else can before the connection is closed. */
KvStore *kvConnAttachStore(KvConn *p, const char *zSchema, const char *zPrefix);
void kvConnDetachStore(KvConn *p, KvStore *pStore);

/*
** The main store for a function.  Makes sure, if possible, that a virtual table
** finalizes the store's statements.  End the use with kvConnDropStore().
*/
KvStore *kvConnMainStore(KvConn *p);

#endif /* KV_CONN_H */
