/*
** queue.c -- the queue of a store.  See queue.h.
*/
#include "store/queue.h"
SQLITE_EXTENSION_INIT3
#include "bytes/limits.h"
#include "codec/queue_text.h"
#include "store_sql.h"

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

/* A copy of the row of a statement; 0 when memory ran out. */
static KvQueued *queueCopy(KvStmt *pStmt){
  KvQueued *p = sqlite3_malloc64(sizeof(*p));
  int i;
  if( p==0 ) return 0;
  memset(p, 0, sizeof(*p));
  for(i=0; i<KVQ_COLUMNS; i++){
    p->apCol[i] = sqlite3_value_dup(sqlite3_column_value(pStmt->pStmt, i));
    if( p->apCol[i]==0 ){
      kvQueuedFree(p);
      return 0;
    }
  }
  return p;
}

/* Copies of all rows of a statement, which is given back; 0 after an error. */
static KvQueued *queueRows(KvStore *p, KvStmt *pStmt){
  KvQueued *pList = 0, **ppNext = &pList;
  while( kvStmtRow(pStmt) ){
    *ppNext = queueCopy(pStmt);
    if( *ppNext==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
    else ppNext = &(*ppNext)->pNext;
  }
  kvStmtGive(pStmt);
  if( kvFailed(&p->err) ){
    kvQueuedFree(pList);
    pList = 0;
  }
  return pList;
}

/* The first nMost messages whose time has come by iNow.  All are read before one
** is moved: what a trigger adds meanwhile is not among them. */
static KvQueued *queueByTime(KvStore *p, int eSql, i64 iNow, i64 nMost){
  KvStmt *pStmt = kvStmtTake(p, eSql);
  kvBindInt(pStmt, 1, iNow);
  kvBindInt(pStmt, 2, nMost);
  return queueRows(p, pStmt);
}

/* The claimed message of an id. */
static KvQueued *queueClaimed(KvStore *p, const char *zId){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_QUEUE_RUNNING_FIND);
  kvBindText(pStmt, 1, zId);
  return queueRows(p, pStmt);
}

/* A column of a message as text. */
static const char *queueText(KvStore *p, const KvQueued *pMsg, int iCol){
  const char *z = (const char*)sqlite3_value_text(pMsg->apCol[iCol]);
  if( z==0 && sqlite3_value_type(pMsg->apCol[iCol])!=SQLITE_NULL ) kvErrorCode(&p->err, SQLITE_NOMEM);
  return z ? z : "";
}

static KvBytes queueData(const KvQueued *pMsg){
  const void *a = sqlite3_value_blob(pMsg->apCol[KVQ_DATA]);
  return kvBytes(a, (u32)sqlite3_value_bytes(pMsg->apCol[KVQ_DATA]));
}

/* Run a statement whose parameters are an id and, if not negative, a time. */
static void queueChange(KvStore *p, int eSql, const char *zId, i64 iTime){
  KvStmt *pStmt = kvStmtTake(p, eSql);
  kvBindText(pStmt, 1, zId);
  if( iTime>=0 ) kvBindInt(pStmt, 2, iTime);
  kvWorkRun(pStmt);
}

void kvQueueAdd(KvStore *p, i64 iReady, const char *zId, KvBytes data, KvBytes backoff, KvBytes keys){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_ENQUEUE);
  kvBindInt(pStmt, 1, iReady);
  kvBindText(pStmt, 2, zId);
  kvBindBytes(pStmt, 3, data);
  kvBindString(pStmt, 4, backoff);
  kvBindString(pStmt, 5, keys);
  kvWorkRun(pStmt);
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

/* Put a failed message back to wait, with the rest of its schedule. */
static void queueRetry(KvStore *p, const KvQueued *pMsg, i64 nWait, KvBytes rest){
  const char *zId = queueText(p, pMsg, KVQ_ID);
  i64 iNow = kvNow();
  KvBuf backoff;
  if( nWait>KV_MAX_TIME-iNow ) nWait = KV_MAX_TIME - iNow;
  kvBufInit(&backoff, 0, 0);
  kvBufPut(&backoff, '[');
  kvBufAdd(&backoff, rest);
  kvErrorBuf(&p->err, &backoff);
  kvQueueAdd(p, iNow + nWait, zId, queueData(pMsg), kvBufBytes(&backoff),
             kvBytesText(queueText(p, pMsg, KVQ_KEYS)));
  queueChange(p, KVSQL_QUEUE_DROP_RUNNING, zId, -1);
  kvBufClear(&backoff);
}

/* Write a message that isn't retried any more under its keys. */
static void queueDeadLetter(KvStore *p, const KvQueued *pMsg){
  const char *zId = queueText(p, pMsg, KVQ_ID);
  KvBytes keys = kvBytesText(queueText(p, pMsg, KVQ_KEYS));
  KvRow row = { .eEncoding = 1, .iExpires = -1 };
  u32 i = 0, nKey = 0;
  KvBuf key;
  kvBufInit(&key, 0, 0);
  while( !kvFailed(&p->err) && kvQueueKeyNext(keys, &i, &key) ){
    kvErrorBuf(&p->err, &key);
    if( row.iVersion==0 ) kvWriteBump(p, &row.iVersion);
    if( key.n==0 ) continue;
    row.key = kvBufBytes(&key);
    row.value = queueData(pMsg);
    kvWritePut(p, &row);
    nKey++;
  }
  kvBufClear(&key);
  if( nKey==0 ) queueChange(p, KVSQL_QUEUE_EXTEND, zId, KV_MAX_TIME);
  else queueChange(p, KVSQL_QUEUE_DROP_RUNNING, zId, -1);
}

/* A message that was claimed has failed. */
static void queueFailed(KvStore *p, const KvQueued *pMsg){
  KvBytes backoff = kvBytesText(queueText(p, pMsg, KVQ_BACKOFF));
  KvBytes rest;
  i64 nWait;
  if( kvQueueBackoffStep(backoff, &nWait, &rest) ) queueRetry(p, pMsg, nWait, rest);
  else queueDeadLetter(p, pMsg);
}

/* A message whose lease has run out, for a nested call. */
typedef struct QueueLate QueueLate;
struct QueueLate {
  KvStore *pStore;
  const KvQueued *pMsg;
};

static void queueLateCall(void *pArg){
  QueueLate *p = pArg;
  queueFailed(p->pStore, p->pMsg);
}

/* Is it the message or the schema that an error is about, so that it would come
** again each time?  Not if the transaction is gone with it. */
static int queueWillNot(KvStore *p, int rc){
  return ((rc & 0xff)==SQLITE_CONSTRAINT || rc==SQLITE_MISMATCH)
      && sqlite3_txn_state(p->db, p->zSchema)==SQLITE_TXN_WRITE;
}

/* Look after a message whose lease has run out.  If nothing can be done with it,
** it is kept as failed. */
static void queueLateOne(KvStore *p, const KvNest *pNest, const KvQueued *pMsg){
  QueueLate late = { p, pMsg };
  pNest->xNest(pNest->pNest, p, queueLateCall, &late);
  if( queueWillNot(p, p->err.rc) ){
    kvErrorClear(&p->err);
    queueChange(p, KVSQL_QUEUE_EXTEND, queueText(p, pMsg, KVQ_ID), KV_MAX_TIME);
  }
}

static void queueLate(KvStore *p, const KvNest *pNest){
  KvQueued *pList = queueByTime(p, KVSQL_QUEUE_LATE, kvNow(), QUEUE_LATE_FEW);
  KvQueued *pMsg;
  for(pMsg=pList; pMsg && !kvFailed(&p->err); pMsg=pMsg->pNext) queueLateOne(p, pNest, pMsg);
  kvQueuedFree(pList);
}

/* Claim a message, as its row is then.  0 if there is none any more: another one
** with its id was claimed before, or a trigger has removed it. */
static KvQueued *queueClaim(KvStore *p, const KvQueued *pMsg, i64 iDeadline){
  const char *zId = queueText(p, pMsg, KVQ_ID);
  KvStmt *pStmt;
  queueChange(p, KVSQL_QUEUE_DROP_READY, zId, -1);
  if( kvFailed(&p->err) || sqlite3_changes64(p->db)==0 ) return 0;
  pStmt = kvStmtTake(p, KVSQL_QUEUE_RUN);
  kvBindInt(pStmt, 1, iDeadline);
  kvBindText(pStmt, 2, zId);
  kvBindBytes(pStmt, 3, queueData(pMsg));
  kvBindText(pStmt, 4, queueText(p, pMsg, KVQ_BACKOFF));
  kvBindText(pStmt, 5, queueText(p, pMsg, KVQ_KEYS));
  kvStmtRun(pStmt);
  return queueClaimed(p, zId);
}

KvQueued *kvQueueClaim(KvStore *p, const KvNest *pNest, i64 nLease, i64 nMost){
  KvQueued *pReady, *pMsg, *pClaimed = 0, **ppNext = &pClaimed;
  i64 iNow = kvNow();
  kvMigrate(p);
  kvQueueIndex(p);
  queueLate(p, pNest);
  pReady = queueByTime(p, KVSQL_QUEUE_NEXT, iNow, nMost);
  for(pMsg=pReady; pMsg && !kvFailed(&p->err); pMsg=pMsg->pNext){
    *ppNext = queueClaim(p, pMsg, iNow + nLease);
    if( *ppNext ) ppNext = &(*ppNext)->pNext;
  }
  kvQueuedFree(pReady);
  if( kvFailed(&p->err) ){
    kvQueuedFree(pClaimed);
    pClaimed = 0;
  }
  return pClaimed;
}

int kvQueueFinish(KvStore *p, const char *zId, int bOk){
  KvQueued *pMsg;
  int bFound;
  kvMigrate(p);
  kvQueueIndex(p);
  pMsg = queueClaimed(p, zId);
  bFound = pMsg!=0;
  if( bFound && bOk ) queueChange(p, KVSQL_QUEUE_DROP_RUNNING, zId, -1);
  if( bFound && !bOk ) queueFailed(p, pMsg);
  kvQueuedFree(pMsg);
  return bFound;
}

void kvQueueExtend(KvStore *p, const char *zId, i64 iDeadline){
  queueChange(p, KVSQL_QUEUE_EXTEND, zId, iDeadline);
}

void kvQueueDrop(KvStore *p, const char *zId){
  queueChange(p, KVSQL_QUEUE_DROP_READY, zId, -1);
  queueChange(p, KVSQL_QUEUE_DROP_RUNNING, zId, -1);
}
