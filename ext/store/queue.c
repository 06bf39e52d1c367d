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

/* Copies of all rows of a statement, which is given back, before one of them is
** moved: what a trigger adds meanwhile is not among them. */
static KvQueued *queueRead(KvStmt *pStmt){
  KvQueued *pFirst = 0, **ppNext = &pFirst;
  while( kvStmtRow(pStmt) ){
    KvQueued *pMsg = *ppNext = kvZeroed(sizeof(*pMsg));
    int i;
    for(i=0; pMsg && i<KVQ_COLUMNS; i++){
      pMsg->apCol[i] = sqlite3_value_dup(sqlite3_column_value(pStmt->pStmt, i));
      if( pMsg->apCol[i]==0 ) kvErrorCode(&pStmt->pStore->err, SQLITE_NOMEM);
    }
    if( pMsg ) ppNext = &pMsg->pNext;
    else kvErrorCode(&pStmt->pStore->err, SQLITE_NOMEM);
  }
  kvStmtGive(pStmt);
  return pFirst;
}

/* A column that is meant to be text. */
static KvBytes queueText(KvStore *p, const KvQueued *pMsg, int iCol){
  const char *z = (const char*)sqlite3_value_text(pMsg->apCol[iCol]);
  if( z==0 && sqlite3_value_type(pMsg->apCol[iCol])!=SQLITE_NULL ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
  }
  return kvBytesText(z ? z : "");
}

void kvQueueAdd(KvStore *p, i64 iNow, const KvOp *pOp){
  char zId[KV_UUID_TEXT];
  i64 iDelay = pOp->delay.p ? kvOpInt(pOp->delay) : 0;
  if( iDelay>KV_MAX_TIME-iNow ) iDelay = KV_MAX_TIME - iNow;
  kvUuid(zId);
  kvWriteRun(kvStmtWith(p, KVSQL_ENQUEUE, "itbtt", iNow + iDelay, kvBytesText(zId),
                       kvBytesFrom(pOp->value, 1), pOp->backoff, pOp->keys));
}

/* Make an index by id, if it is not there. */
static void queueIndex(KvStore *p, u32 mKnown, int eSql){
  if( kvSchemaKnown(p) & mKnown ) return;
  kvStmtSimple(p, eSql);
  if( !kvFailed(&p->err) ) kvSchemaRemember(p, mKnown);
}

int kvQueueBegin(KvStore *p){
  kvSchemaCount(p);
  if( kvSchemaReady(p)==KV_STORE_NONE ) return 0;
  kvMigrate(p);
  queueIndex(p, KVKNOWN_RUNNING, KVSQL_QUEUE_INDEX_RUNNING);
  return !kvFailed(&p->err);
}

/* ---- messages that have failed ------------------------------------------------ */

/* A message is no longer claimed. */
static void queueDropRunning(KvStore *p, const KvQueued *pMsg){
  kvWriteRun(kvStmtWith(p, KVSQL_QUEUE_DROP_RUNNING, "v", pMsg->apCol[KVQ_ID]));
}

/* Nothing more can be done with a message: it stays as failed. */
static void queueKeep(KvStore *p, const KvQueued *pMsg){
  kvWriteRun(kvStmtWith(p, KVSQL_QUEUE_EXTEND, "vi", pMsg->apCol[KVQ_ID], (i64)KV_MAX_TIME));
}

/* Put a failed message back to wait, with the rest of its schedule. */
static void queueRetry(KvStore *p, const KvQueued *pMsg, i64 nWait, KvBytes rest){
  i64 iNow = kvNow();
  KvBuf backoff = { 0 };
  if( nWait>KV_MAX_TIME-iNow ) nWait = KV_MAX_TIME - iNow;
  kvBufPut(&backoff, '[');
  kvBufAdd(&backoff, rest);
  kvErrorBuf(&p->err, &backoff);
  kvWriteRun(kvStmtWith(p, KVSQL_ENQUEUE, "ivvtv", iNow + nWait, pMsg->apCol[KVQ_ID],
                       pMsg->apCol[KVQ_DATA], kvBufBytes(&backoff), pMsg->apCol[KVQ_KEYS]));
  queueDropRunning(p, pMsg);
  kvBufClear(&backoff);
}

/* Write a message that isn't retried any more under its keys. */
static void queueDeadLetter(KvStore *p, const KvQueued *pMsg){
  KvBytes keys = queueText(p, pMsg, KVQ_KEYS);
  sqlite3_value *pData = pMsg->apCol[KVQ_DATA];
  KvRow row = { { 0, 0 }, { 0, 0 }, 1, 0, -1 };
  u32 i = 0, nKey = 0;
  KvBuf key = { 0 };
  row.value = kvBytes(sqlite3_value_blob(pData), (u32)sqlite3_value_bytes(pData));
  while( !kvFailed(&p->err) && kvQueueKeyNext(keys, &i, &key) ){
    kvErrorBuf(&p->err, &key);
    if( row.iVersion==0 ) kvWriteBump(p, &row.iVersion);
    if( key.n==0 ) continue;
    row.key = kvBufBytes(&key);
    kvWritePut(p, 0, &row);
    nKey++;
  }
  kvBufClear(&key);
  if( nKey==0 ) queueKeep(p, pMsg);
  else queueDropRunning(p, pMsg);
}

/* A message that was claimed has failed. */
static void queueFailed(KvStore *p, const KvQueued *pMsg){
  KvBytes rest;
  i64 nWait;
  if( kvQueueBackoffStep(queueText(p, pMsg, KVQ_BACKOFF), &nWait, &rest) ){
    queueRetry(p, pMsg, nWait, rest);
  }else{
    queueDeadLetter(p, pMsg);
  }
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

/* Look after messages whose lease has run out.  One with which nothing can be done
** is kept as failed. */
static void queueLate(KvStore *p, const KvNest *pNest){
  KvQueued *pList, *pMsg;
  pList = queueRead(kvStmtWith(p, KVSQL_QUEUE_LATE, "ii", kvNow(), (i64)QUEUE_LATE_FEW));
  for(pMsg=pList; pMsg && !kvFailed(&p->err); pMsg=pMsg->pNext){
    QueueLate late = { p, pMsg };
    pNest->xNest(pNest->pNest, p, queueLateCall, &late);
    if( !queueWillNot(p, p->err.rc) ) continue;
    kvErrorClear(&p->err);
    queueKeep(p, pMsg);
  }
  kvQueuedFree(pList);
}

/* ---- claims -------------------------------------------------------------------- */

/* Run a statement; *pbFires is set if it fires triggers.  How many rows it changed. */
static i64 queueMove(KvStore *p, KvStmt *pStmt, int *pbFires){
  if( pStmt && pStmt->bFires ) *pbFires = 1;
  kvWriteRun(pStmt);
  return kvFailed(&p->err) ? 0 : sqlite3_changes64(p->db);
}

/*
** Claim a message, whose row is as it will be then.  What is returned is that row, or
** what triggers have made of it.  0 if there is none: a trigger has kept or removed it,
** or another one with its id has been claimed to the same deadline.
*/
static KvQueued *queueClaim(KvStore *p, KvQueued *pMsg){
  sqlite3_value **apCol = pMsg->apCol;
  KvQueued *pFound;
  int bFires = 0;
  i64 nTaken = queueMove(p, kvStmtWith(p, KVSQL_QUEUE_TAKE, "vvv", apCol[KVQ_ROWID],
                                       apCol[KVQ_ID], apCol[KVQ_TIME]), &bFires);
  if( nTaken ){
    queueMove(p, kvStmtWith(p, KVSQL_QUEUE_RUN, "vvvvv", apCol[KVQ_TIME], apCol[KVQ_ID],
                            apCol[KVQ_DATA], apCol[KVQ_BACKOFF], apCol[KVQ_KEYS]), &bFires);
    if( !bFires ) return pMsg;
  }
  pFound = nTaken ? queueRead(kvStmtWith(p, KVSQL_QUEUE_RUNNING_FIND, "v", apCol[KVQ_ID])) : 0;
  kvQueuedFree(pMsg);
  return pFound;
}

KvQueued *kvQueueClaim(KvStore *p, const KvNest *pNest, i64 nLease, i64 nMost){
  KvQueued *pClaimed = 0, **ppNext = &pClaimed, *pReady;
  i64 iNow;
  if( !kvQueueBegin(p) ) return 0;
  queueLate(p, pNest);
  /* Read after that, so that a message which was late is ready now. */
  iNow = kvNow();
  pReady = queueRead(kvStmtWith(p, KVSQL_QUEUE_NEXT, "iii", iNow, nMost, iNow + nLease));
  while( pReady ){
    KvQueued *pMsg = pReady;
    pReady = pMsg->pNext;
    pMsg->pNext = 0;
    *ppNext = queueClaim(p, pMsg);
    while( *ppNext ) ppNext = &(*ppNext)->pNext;
  }
  if( kvFailed(&p->err) ){
    kvQueuedFree(pClaimed);
    pClaimed = 0;
  }
  return pClaimed;
}

int kvQueueFinish(KvStore *p, KvBytes id, int bOk){
  KvQueued *pMsg;
  int bFound;
  if( !kvQueueBegin(p) ) return 0;
  if( bOk ){
    kvWriteRun(kvStmtWith(p, KVSQL_QUEUE_DROP_RUNNING, "t", id));
    if( kvFailed(&p->err) || sqlite3_changes64(p->db)>0 ) return 1;
  }
  pMsg = queueRead(kvStmtWith(p, KVSQL_QUEUE_RUNNING_FIND, "t", id));
  bFound = pMsg!=0;
  if( bFound && !bOk && !kvFailed(&p->err) ) queueFailed(p, pMsg);
  kvQueuedFree(pMsg);
  return bFound;
}

void kvQueueExtend(KvStore *p, KvBytes id, i64 iDeadline){
  kvWriteRun(kvStmtWith(p, KVSQL_QUEUE_EXTEND, "ti", id, iDeadline));
}

void kvQueueDrop(KvStore *p, KvBytes id){
  kvWriteRun(kvStmtWith(p, KVSQL_QUEUE_DROP_RUNNING, "t", id));
  if( kvFailed(&p->err) || sqlite3_changes64(p->db)>0 ) return;
  queueIndex(p, KVKNOWN_QUEUE, KVSQL_QUEUE_INDEX_READY);
  kvWriteRun(kvStmtWith(p, KVSQL_QUEUE_DROP_READY, "t", id));
}
