/*
** vtab_dequeue.c -- the table kv_dequeue(), and kv_finish().
**
**     SELECT id, value FROM kv_dequeue(10000, 5);
**     SELECT kv_finish(id, 1) FROM mine;
**
** The table is as if made by DEQUEUE_SCHEMA: what kv_queue has, and the arguments.
** A statement that reads it claims its messages in one go, when the first row is
** asked for, and keeps copies of their rows.  All its cursors show them, each time
** that SQLite restarts: an inner table of a join is read again and again, a
** CTE may be read twice, and a correlated subquery gets, from most versions of
** SQLite, another cursor each time.
*/
#include "sql/modules.h"
#include "sql/queue/queue_columns.h"
#include "sql/args.h"
#include "sql/program.h"
#include "sql/run.h"
#include "store/clock.h"
#include "store/schema.h"

/* Hidden columns from here on; the arguments are the first of them. */
enum {
  DEQUEUE_LEASE = QUEUE_KEYS+1, DEQUEUE_COUNT, DEQUEUE_EXTRA, DEQUEUE_JS, DEQUEUE_JSON,
  DEQUEUE_RAW, DEQUEUE_TYPE
};
#define DEQUEUE_SCHEMA \
  "CREATE TABLE kv_dequeue(" QUEUE_SHOWN ", " \
  "lease INTEGER HIDDEN, count INTEGER HIDDEN, " QUEUE_HIDDEN ", type TEXT HIDDEN) WITHOUT ROWID"

/* What is asked for. */
typedef struct DequeueArgs DequeueArgs;
struct DequeueArgs {
  i64 nLease, nMost;
};

/* What a statement has claimed.  It lives as long as a cursor of the statement. */
typedef struct DequeueClaim DequeueClaim;
struct DequeueClaim {
  sqlite3_stmt *pOwner;   /* The statement, 0 if that isn't known */
  int nRef;               /* Its cursors */
  u8 bClaimed;            /* args and pTaken are set */
  DequeueArgs args;
  KvQueued *pTaken;        /* The messages */
  DequeueClaim *pNext;
};

typedef struct DequeueTable DequeueTable;
struct DequeueTable {
  KvVtab t;               /* Must be first */
  DequeueClaim *pClaims;
};

typedef struct DequeueCursor DequeueCursor;
struct DequeueCursor {
  KvVtabCursor c;         /* Must be first */
  DequeueClaim *pClaim;
  KvQueued *pNow;          /* The message that is shown, 0 at the end */
};

/* ---- claiming ------------------------------------------------------------- */

/* The arguments, each of which may be 0 or NULL. */
static DequeueArgs dequeueArgs(sqlite3_value *pLease, sqlite3_value *pMost, KvError *pError){
  DequeueArgs args = { KV_QUEUE_LEASE, 1 };
  if( !kvArgCount(pLease, 0, &args.nLease) || args.nLease>=KV_MAX_TIME-kvNow() ){
    kvError(pError, SQLITE_ERROR, "kv: kv_dequeue(): the lease must be a whole "
        "number of ms, 0 or more, and end before %lld", KV_MAX_TIME);
  }
  if( !kvArgCount(pMost, 0, &args.nMost) ){
    kvError(pError, SQLITE_ERROR, "kv: kv_dequeue(): the count must be a whole number, 0 or more");
  }
  return args;
}

/* Claim messages. */
typedef struct DequeueRun DequeueRun;
struct DequeueRun {
  KvNest nest;
  KvStore *pStore;
  const DequeueArgs *pArgs;
  KvQueued *pClaimed;     /* The result */
};

static void dequeueRunClaim(void *pArg){
  DequeueRun *p = pArg;
  p->pClaimed = kvQueueClaim(p->pStore, &p->nest, p->pArgs->nLease, p->pArgs->nMost);
}

/* Claim messages as one statement.  The error is left in the store. */
static KvQueued *dequeueMessages(KvConn *pConn, KvStore *pStore, const DequeueArgs *pArgs){
  DequeueRun claim = { { kvRunNest, pConn }, pStore, pArgs, 0 };
  KvRun run = { pStore, dequeueRunClaim, &claim, KV_RUN_SELECT "id, value FROM kv_dequeue()", 1 };
  if( kvSchemaReady(pStore)!=KV_STORE_NONE ) kvRun(pConn, &run);
  if( !kvFailed(kvStoreError(pStore)) ) return claim.pClaimed;
  kvQueuedFree(claim.pClaimed);        /* it could not be committed */
  return 0;
}

/* ---- the table ------------------------------------------------------------ */

/* idxNum: 1, the lease is given; 2, the count */
static const KvVtabCons dequeueCons[] = {
  { DEQUEUE_LEASE, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, 0 },
  { DEQUEUE_COUNT, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, 0 }
};

/* The claim of a statement, which has made it or is yet to make it. */
static DequeueClaim *dequeueClaimOf(DequeueTable *pTab, sqlite3_stmt *pOwner){
  DequeueClaim *p;
  for(p=pTab->pClaims; p; p=p->pNext){
    if( pOwner && p->pOwner==pOwner ) break;
  }
  if( p==0 ){
    p = sqlite3_malloc64(sizeof(*p));
    if( p==0 ) return 0;
    memset(p, 0, sizeof(*p));
    p->pOwner = pOwner;
    p->pNext = pTab->pClaims;
    pTab->pClaims = p;
  }
  p->nRef++;
  return p;
}

static void dequeueClaimDrop(DequeueTable *pTab, DequeueClaim *p){
  DequeueClaim **pp;
  if( --p->nRef>0 ) return;
  for(pp=&pTab->pClaims; *pp!=p; pp=&(*pp)->pNext){}
  *pp = p->pNext;
  kvQueuedFree(p->pTaken);
  sqlite3_free(p);
}

static int dequeueOpen(KvVtabCursor *pCursor){
  DequeueTable *pTab = (DequeueTable*)pCursor->base.pVtab;
  DequeueCursor *p = (DequeueCursor*)pCursor;
  p->pClaim = dequeueClaimOf(pTab, kvProgramRuns(pTab->t.pConn->db));
  return p->pClaim ? SQLITE_OK : SQLITE_NOMEM;
}

static void dequeueFree(KvVtabCursor *pCursor){
  DequeueCursor *p = (DequeueCursor*)pCursor;
  if( p->pClaim ) dequeueClaimDrop((DequeueTable*)p->c.base.pVtab, p->pClaim);
}

/* Stand on a message, unless it is 0. */
static int dequeueStand(DequeueCursor *p, KvQueued *pMsg){
  p->pNow = pMsg;
  return pMsg!=0;
}

/* Claim, unless that has been done.  With other arguments it can't be done again. */
static void dequeueClaimNow(DequeueTable *pTab, DequeueClaim *p, const DequeueArgs *pArgs){
  KvStore *pStore = pTab->t.pStore;
  KvError *pError = kvStoreError(pStore);
  if( kvFailed(pError) ) return;
  if( p->bClaimed ){
    if( p->args.nLease==pArgs->nLease && p->args.nMost==pArgs->nMost ) return;
    kvError(pError, SQLITE_ERROR, "kv: kv_dequeue(): a statement claims once, so lease "
        "and count can't differ between rows; claim in a statement for each row");
    return;
  }
  if( pArgs->nMost>0 ){
    p->pTaken = dequeueMessages(pTab->t.pConn, pStore, pArgs);
  }
  if( kvFailed(pError) ) return;
  p->bClaimed = 1;
  p->args = *pArgs;
}

static int dequeueFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  DequeueCursor *p = (DequeueCursor*)pCursor;
  sqlite3_value *pLease = (mPlan & 1) ? apArg[0] : 0, *pMost = (mPlan & 2) ? apArg[nArg-1] : 0;
  DequeueArgs args = dequeueArgs(pLease, pMost, p->c.pError);
  dequeueClaimNow((DequeueTable*)p->c.base.pVtab, p->pClaim, &args);
  return dequeueStand(p, p->pClaim->pTaken);
}

static int dequeueNext(KvVtabCursor *pCursor){
  DequeueCursor *p = (DequeueCursor*)pCursor;
  return dequeueStand(p, p->pNow->pNext);
}

static void dequeueShow(DequeueCursor *p, sqlite3_context *ctx, int iCol){
  kvQueueColumn(ctx, &p->c.show, p->pNow->apCol, iCol);
}

static void dequeueColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  DequeueCursor *p = (DequeueCursor*)pCursor;
  switch( iCol ){
    case DEQUEUE_LEASE: sqlite3_result_int64(ctx, p->pClaim->args.nLease); break;
    case DEQUEUE_COUNT: sqlite3_result_int64(ctx, p->pClaim->args.nMost);  break;
    case DEQUEUE_TYPE:  dequeueShow(p, ctx, QUEUE_TYPE);                   break;
    default:        dequeueShow(p, ctx, iCol<DEQUEUE_EXTRA ? iCol : iCol-DEQUEUE_EXTRA+QUEUE_EXTRA);
  }
}

const KvVtabDef kvDequeueTable = {
  .zName = "kv_dequeue",
  .zDeclare = DEQUEUE_SCHEMA,
  .mFlags = KVTAB_EPONYMOUS|KVTAB_DIRECTONLY,
  .nTable = sizeof(DequeueTable),
  .plan = {
    dequeueCons, KV_COUNT(dequeueCons),
    { 2, 10.0, "CLAIM" }, { 2, 10.0, "CLAIM" }, 0
  },
  .read = { dequeueFilter, dequeueNext, dequeueColumn, 0 },
  .nCursor = sizeof(DequeueCursor),
  .xOpen = dequeueOpen,
  .xFree = dequeueFree,
};

/* ---- functions ------------------------------------------------------------ */

/* The arguments of kv_finish(), read once. */
typedef struct DequeueFinish DequeueFinish;
struct DequeueFinish {
  KvCall *pCall;
  KvBytes id;
  int bOk;                 /* The message was handled */
};

static void dequeueRunFinish(void *pArg){
  DequeueFinish *p = pArg;
  int bFound = kvQueueFinish(p->pCall->pStore, p->id, p->bOk);
  sqlite3_result_int(p->pCall->ctx, bFound);
}

static void dequeueFinishFunc(KvCall *p){
  DequeueFinish finish = { p, kvArgName(p->apArg[0], &p->error), 0 };
  KvRun run = { p->pStore, dequeueRunFinish, &finish, KV_RUN_SELECT "kv_finish(id, 0)", 0 };
  if( finish.id.p==0 || !kvArgBool(p->apArg[1], &finish.bOk) ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_finish(): the arguments are the id of a message and "
        "1 or 'true' if it was handled, else 0 or 'false'");
    return;
  }
  if( finish.bOk ) run.zUse = "DELETE FROM kv_queue WHERE id = ...";
  sqlite3_result_int(p->ctx, 0);
  if( kvSchemaReady(p->pStore)!=KV_STORE_NONE ) kvRun(p->pConn, &run);
}

const KvFunc kvFuncsDequeue[] = {
  { "kv_finish", 2, 2, SQLITE_DIRECTONLY, KVCALL_STORE, dequeueFinishFunc, 0 },
  { 0 }
};
