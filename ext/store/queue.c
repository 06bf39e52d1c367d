/*
** queue.c -- the queue of a store.  See queue.h.
*/
#include "store/store_int.h"
#include "bytes/limits.h"
#include "codec/queue_text.h"
#include "store/clock.h"
#include "store/migrate.h"
#include "store/queue.h"
#include "store/write.h"

/* Messages whose lease has run out that one kvQueueClaim() looks after. */
#define QUEUE_LATE_FEW 10

void kvQueuedFree(KvQueued *p){
  while( p ){
    KvQueued *pNext = p->pNext;
    int i;
    for(i=0; i<KVQ_COLUMNS; i++) sqlite3_value_free(p->apCol[i]);
    sqlite3_free(p);
    p = pNext;
  }
}

/* ---- messages that are read, to be moved ------------------------------------ */

/* A message, as queueEach() finds it in a list.  All rows of a statement are read
** before one is moved: what a trigger adds meanwhile is not among them. */
typedef struct QueueMsg QueueMsg;
struct QueueMsg {
  KvBytes id, data, backoff, keys;
};

/* Add a column that is meant to be text. */
static void queueText(KvStmt *pStmt, int iCol, KvList *pList){
  const char *z = (const char*)sqlite3_column_text(pStmt->pStmt, iCol);
  if( z==0 && sqlite3_column_type(pStmt->pStmt, iCol)!=SQLITE_NULL ){
    kvErrorCode(&pStmt->pStore->err, SQLITE_NOMEM);
  }
  kvListAdd(pList, kvBytesText(z ? z : ""));
}

/* Add the rows of a statement, which is given back. */
static void queueRead(KvStmt *pStmt, KvList *pList){
  while( kvStmtRow(pStmt) ){
    kvListAdd(pList, kvStmtBytes(pStmt, KVQ_DATA));
    queueText(pStmt, KVQ_ID, pList);
    queueText(pStmt, KVQ_BACKOFF, pList);
    queueText(pStmt, KVQ_KEYS, pList);
    kvErrorBuf(&pStmt->pStore->err, &pList->bytes);
  }
  kvStmtGive(pStmt);
}

/* The message at *pi of a list, which moves to the next one.  0 at the end, and
** after an error. */
static int queueEach(KvStore *p, const KvList *pList, u32 *pi, QueueMsg *pMsg){
  return !kvFailed(&p->err)
      && kvListNext(pList, pi, &pMsg->data) && kvListNext(pList, pi, &pMsg->id)
      && kvListNext(pList, pi, &pMsg->backoff) && kvListNext(pList, pi, &pMsg->keys);
}

/* ---- writing ----------------------------------------------------------------- */

/* Run a statement whose parameters are an id and, if not negative, a time. */
static void queueChange(KvStore *p, int eSql, KvBytes id, i64 iTime){
  kvWorkRun(kvStmtWith(p, eSql, iTime<0 ? "t" : "ti", id, iTime));
}

/* Run a statement that inserts a message, with a time. */
static void queuePut(KvStore *p, int eSql, i64 iTime, const QueueMsg *pMsg){
  kvWorkRun(kvStmtWith(p, eSql, "itbtt", iTime, pMsg->id, pMsg->data, pMsg->backoff, pMsg->keys));
}

void kvQueueAdd(KvStore *p, i64 iReady, KvBytes id, KvBytes data, KvBytes backoff, KvBytes keys){
  QueueMsg msg = { id, data, backoff, keys };
  queuePut(p, KVSQL_ENQUEUE, iReady, &msg);
}

void kvQueueIndex(KvStore *p){
  kvSchemaCount(p);
  if( kvSchemaKnown(p) & KVKNOWN_QUEUE ) return;
  kvStmtSimple(p, KVSQL_QUEUE_INDEX_READY);
  kvStmtSimple(p, KVSQL_QUEUE_INDEX_RUNNING);
  if( !kvFailed(&p->err) ) kvSchemaRemember(p, KVKNOWN_QUEUE);
}

void kvQueueIndexDrop(KvStore *p){
  kvStmtSimple(p, KVSQL_QUEUE_INDEX_DROP_READY);
  kvStmtSimple(p, KVSQL_QUEUE_INDEX_DROP_RUNNING);
}

/* ---- messages that have failed ------------------------------------------------ */

/* Put a failed message back to wait, with the rest of its schedule. */
static void queueRetry(KvStore *p, const QueueMsg *pMsg, i64 nWait, KvBytes rest){
  QueueMsg msg = *pMsg;
  i64 iNow = kvNow();
  KvBuf backoff = { 0 };
  if( nWait>KV_MAX_TIME-iNow ) nWait = KV_MAX_TIME - iNow;
  kvBufPut(&backoff, '[');
  kvBufAdd(&backoff, rest);
  kvErrorBuf(&p->err, &backoff);
  msg.backoff = kvBufBytes(&backoff);
  queuePut(p, KVSQL_ENQUEUE, iNow + nWait, &msg);
  queueChange(p, KVSQL_QUEUE_DROP_RUNNING, msg.id, -1);
  kvBufClear(&backoff);
}

/* Write a message that isn't retried any more under its keys. */
static void queueDeadLetter(KvStore *p, const QueueMsg *pMsg){
  KvRow row = { { 0, 0 }, pMsg->data, 1, 0, -1 };
  u32 i = 0, nKey = 0;
  KvBuf key = { 0 };
  while( !kvFailed(&p->err) && kvQueueKeyNext(pMsg->keys, &i, &key) ){
    kvErrorBuf(&p->err, &key);
    if( row.iVersion==0 ) kvWriteBump(p, &row.iVersion);
    if( key.n==0 ) continue;
    row.key = kvBufBytes(&key);
    kvWritePut(p, &row);
    nKey++;
  }
  kvBufClear(&key);
  if( nKey==0 ) queueChange(p, KVSQL_QUEUE_EXTEND, pMsg->id, KV_MAX_TIME);
  else queueChange(p, KVSQL_QUEUE_DROP_RUNNING, pMsg->id, -1);
}

/* A message that was claimed has failed. */
static void queueFailed(KvStore *p, const QueueMsg *pMsg){
  KvBytes rest;
  i64 nWait;
  if( kvQueueBackoffStep(pMsg->backoff, &nWait, &rest) ) queueRetry(p, pMsg, nWait, rest);
  else queueDeadLetter(p, pMsg);
}

/* A message whose lease has run out, for a nested call. */
typedef struct QueueLate QueueLate;
struct QueueLate {
  KvStore *pStore;
  QueueMsg msg;
};

static void queueLateCall(void *pArg){
  QueueLate *p = pArg;
  queueFailed(p->pStore, &p->msg);
}

/* Is it the message or the schema that an error is about, so that it would come
** again each time?  Not if the transaction is gone with it. */
static int queueWillNot(KvStore *p, int rc){
  return ((rc & 0xff)==SQLITE_CONSTRAINT || rc==SQLITE_MISMATCH)
      && sqlite3_txn_state(p->db, p->zSchema)==SQLITE_TXN_WRITE;
}

/* Look after messages whose lease has run out.  One with which nothing can be done
** is kept as failed. */
static void queueLate(KvStore *p, const KvNest *pNest){
  QueueLate late;
  KvList list = { { 0 } };
  u32 i = 0;
  late.pStore = p;
  queueRead(kvStmtWith(p, KVSQL_QUEUE_LATE, "ii", kvNow(), (i64)QUEUE_LATE_FEW), &list);
  while( queueEach(p, &list, &i, &late.msg) ){
    pNest->xNest(pNest->pNest, p, queueLateCall, &late);
    if( !queueWillNot(p, p->err.rc) ) continue;
    kvErrorClear(&p->err);
    queueChange(p, KVSQL_QUEUE_EXTEND, late.msg.id, KV_MAX_TIME);
  }
  kvListClear(&list);
}

/* ---- claims -------------------------------------------------------------------- */

/* A copy of the row of a claimed message; 0 if there is none. */
static KvQueued *queueCopy(KvStore *p, KvBytes id){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_QUEUE_RUNNING_FIND, "t", id);
  KvQueued *pCopy = 0;
  int i, bRow = kvStmtRow(pStmt);
  if( bRow && (pCopy = kvZeroed(sizeof(*pCopy)))==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  for(i=0; pCopy && i<KVQ_COLUMNS; i++){
    pCopy->apCol[i] = sqlite3_value_dup(sqlite3_column_value(pStmt->pStmt, i));
    if( pCopy->apCol[i]==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  }
  kvStmtGive(pStmt);
  return pCopy;
}

/* Claim a message, as its row is then.  0 if there is none any more: another one
** with its id was claimed before, or a trigger has removed it. */
static KvQueued *queueClaim(KvStore *p, const QueueMsg *pMsg, i64 iDeadline){
  queueChange(p, KVSQL_QUEUE_DROP_READY, pMsg->id, -1);
  if( kvFailed(&p->err) || sqlite3_changes64(p->db)==0 ) return 0;
  queuePut(p, KVSQL_QUEUE_RUN, iDeadline, pMsg);
  return queueCopy(p, pMsg->id);
}

KvQueued *kvQueueClaim(KvStore *p, const KvNest *pNest, i64 nLease, i64 nMost){
  KvQueued *pClaimed = 0, **ppNext = &pClaimed;
  KvList ready = { { 0 } };
  QueueMsg msg;
  i64 iNow;
  u32 i = 0;
  kvMigrate(p);
  kvQueueIndex(p);
  queueLate(p, pNest);
  /* Read after that, so that a message which was late is ready now. */
  iNow = kvNow();
  queueRead(kvStmtWith(p, KVSQL_QUEUE_NEXT, "ii", iNow, nMost), &ready);
  while( queueEach(p, &ready, &i, &msg) ){
    *ppNext = queueClaim(p, &msg, iNow + nLease);
    if( *ppNext ) ppNext = &(*ppNext)->pNext;
  }
  kvListClear(&ready);
  if( kvFailed(&p->err) ){
    kvQueuedFree(pClaimed);
    pClaimed = 0;
  }
  return pClaimed;
}

int kvQueueFinish(KvStore *p, KvBytes id, int bOk){
  KvList list = { { 0 } };
  QueueMsg msg;
  u32 i = 0;
  int bFound;
  kvMigrate(p);
  kvQueueIndex(p);
  queueRead(kvStmtWith(p, KVSQL_QUEUE_RUNNING_FIND, "t", id), &list);
  bFound = queueEach(p, &list, &i, &msg);
  if( bFound && bOk ) queueChange(p, KVSQL_QUEUE_DROP_RUNNING, id, -1);
  if( bFound && !bOk ) queueFailed(p, &msg);
  kvListClear(&list);
  return bFound;
}

void kvQueueExtend(KvStore *p, KvBytes id, i64 iDeadline){
  queueChange(p, KVSQL_QUEUE_EXTEND, id, iDeadline);
}

void kvQueueDrop(KvStore *p, KvBytes id){
  queueChange(p, KVSQL_QUEUE_DROP_READY, id, -1);
  queueChange(p, KVSQL_QUEUE_DROP_RUNNING, id, -1);
}
