/*
** queue.c -- the queue of a store.  See queue.h.
*/
#include "store/queue.h"
SQLITE_EXTENSION_INIT3
#include "store_sql.h"

/* Messages whose lease has run out that one kvQueueTake() looks after. */
#define QUEUE_LATE_FEW 10

/* A message, copied out of its row. */
typedef struct QueMessage QueMessage;
struct QueMessage {
  u8 bFound;
  char *zId, *zBackoff, *zKeys;
  KvBuf data;
  QueMessage *pNext;      /* Of a list of them */
};

static void queInit(QueMessage *p){
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->data, 0, 0);
}

static void queClear(QueMessage *p){
  sqlite3_free(p->zId);
  sqlite3_free(p->zBackoff);
  sqlite3_free(p->zKeys);
  kvBufClear(&p->data);
  p->zId = p->zBackoff = p->zKeys = 0;
}

static char *queCopy(sqlite3_stmt *pStmt, int i){
  const char *z = (const char*)sqlite3_column_text(pStmt, i);
  if( z==0 && sqlite3_column_type(pStmt, i)!=SQLITE_NULL ) return 0;
  return sqlite3_mprintf("%s", z ? z : "");
}

/* The next row of a statement, if it gives one.  The statement is not given
** back. */
static int queStep(KvStore *p, KvStmt *pStmt, QueMessage *pMsg, char **pzErr){
  int rc = kvStep(pStmt);
  const void *a;
  if( rc!=SQLITE_ROW ) return rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  a = sqlite3_column_blob(pStmt->pStmt, KVQ_DATA);
  pMsg->bFound = 1;
  kvBufAppend(&pMsg->data, a, (u64)sqlite3_column_bytes(pStmt->pStmt, KVQ_DATA));
  pMsg->zId = queCopy(pStmt->pStmt, KVQ_ID);
  pMsg->zBackoff = queCopy(pStmt->pStmt, KVQ_BACKOFF);
  pMsg->zKeys = queCopy(pStmt->pStmt, KVQ_KEYS);
  return pMsg->zId && pMsg->zBackoff && pMsg->zKeys && pMsg->data.eErr==KV_OK
       ? SQLITE_OK : SQLITE_NOMEM;
}

/* Read the row that a statement gives, if it gives one, and return it. */
static int queRead(KvStore *p, KvStmt *pStmt, QueMessage *pMsg, char **pzErr){
  int rc = queStep(p, pStmt, pMsg, pzErr);
  kvStoreGive(p, pStmt);
  return rc;
}

static void queListFree(QueMessage *p){
  while( p ){
    QueMessage *pNext = p->pNext;
    queClear(p);
    sqlite3_free(p);
    p = pNext;
  }
}

/* The first nMost messages whose time has come by iNow.  All are read before one
** is moved: what a trigger adds meanwhile is not among them. */
static int queByTime(KvStore *p, int eSql, i64 iNow, i64 nMost, QueMessage **ppList, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, iNow);
  kvBindInt(pStmt, 2, nMost);
  for(;;){
    QueMessage *pMsg = sqlite3_malloc64(sizeof(*pMsg));
    rc = SQLITE_NOMEM;
    if( pMsg==0 ) break;
    queInit(pMsg);
    rc = queStep(p, pStmt, pMsg, pzErr);
    if( rc!=SQLITE_OK || !pMsg->bFound ){
      queListFree(pMsg);
      break;
    }
    *ppList = pMsg;
    ppList = &pMsg->pNext;
  }
  kvStoreGive(p, pStmt);
  return rc;
}

static int queById(KvStore *p, int eSql, const char *zId, QueMessage *pMsg, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, zId);
  return queRead(p, pStmt, pMsg, pzErr);
}

/* Run a statement whose parameters are an id and, if not negative, a time. */
static int queChange(KvStore *p, int eSql, const char *zId, i64 iTime, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, zId);
  if( iTime>=0 ) kvBindInt(pStmt, 2, iTime);
  return kvStoreWrite(p, pStmt, pzErr);
}

int kvQueueIndex(KvStore *p, char **pzErr){
  int rc = kvStoreSchema(p, 0, pzErr);
  if( rc!=SQLITE_OK || p->bQueueIndex ) return rc;
  rc = kvStoreSimple(p, KVSQL_QUEUE_INDEX_READY, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreSimple(p, KVSQL_QUEUE_INDEX_RUNNING, pzErr);
  if( rc==SQLITE_OK ) p->bQueueIndex = 1;
  return rc;
}

int kvQueueIndexDrop(KvStore *p, char **pzErr){
  int rc = kvStoreSimple(p, KVSQL_TRACK_DROP_QUEUE_READY, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreSimple(p, KVSQL_TRACK_DROP_QUEUE_RUNNING, pzErr);
  return rc;
}

/* The number at *pz, which moves behind it and a comma.  0 if there is none. */
static int queNumber(const char **pz, i64 *pv){
  const char *z = *pz;
  i64 v = 0;
  while( *z==' ' || *z==',' ) z++;
  if( *z<'0' || *z>'9' ) return 0;
  while( *z>='0' && *z<='9' && v<KV_MAX_TIME ) v = v*10 + (*z++ - '0');
  while( *z==' ' ) z++;
  if( *z==',' ) z++;
  *pz = z;
  *pv = v;
  return 1;
}

/* Put a failed message back to wait, with the rest of its schedule. */
static int queRetry(KvStore *p, i64 iNow, const QueMessage *pMsg, i64 nWait, const char *zRest, char **pzErr){
  char *zBackoff = sqlite3_mprintf("[%s", zRest);
  int rc = SQLITE_NOMEM;
  if( zBackoff ){
    if( nWait>KV_MAX_TIME-iNow ) nWait = KV_MAX_TIME - iNow;
    rc = kvStoreEnqueue(p, iNow + nWait, pMsg->zId, pMsg->data.a, pMsg->data.n,
                        zBackoff, pMsg->zKeys, pzErr);
    sqlite3_free(zBackoff);
  }
  if( rc==SQLITE_OK ) rc = queChange(p, KVSQL_QUEUE_DROP_RUNNING, pMsg->zId, -1, pzErr);
  return rc;
}

/* The key at the bracket *pz, which moves behind its end.  0: not a list. */
static int queKey(const char **pz, KvBuf *pKey){
  const char *z = *pz + 1;
  i64 v;
  kvBufReset(pKey);
  while( queNumber(&z, &v) ) kvBufPut(pKey, (u8)v);
  while( *z==' ' ) z++;
  if( *z!=']' ) return 0;
  *pz = z+1;
  return 1;
}

/* Write a message that is given up under its keys. */
static int queGiveUp(KvStore *p, const QueMessage *pMsg, char **pzErr){
  const char *z = pMsg->zKeys;
  i64 iVersion = 0;
  KvBuf key;
  int nStep, nKey = 0, rc = SQLITE_OK;
  kvBufInit(&key, 0, 0);
  while( *z==' ' ) z++;
  if( *z=='[' ) z++;
  for(;;){
    while( *z==' ' || *z==',' ) z++;
    if( rc!=SQLITE_OK || *z!='[' || !queKey(&z, &key) ) break;
    if( key.eErr!=KV_OK ) rc = SQLITE_NOMEM;
    if( rc==SQLITE_OK && iVersion==0 ) rc = kvStoreBump(p, &iVersion, &nStep, pzErr);
    if( rc==SQLITE_OK && key.n>0 ){
      rc = kvStorePut(p, key.a, key.n, pMsg->data.a, pMsg->data.n, 1, iVersion, -1, pzErr);
      nKey++;
    }
  }
  kvBufClear(&key);
  if( rc!=SQLITE_OK ) return rc;
  if( nKey==0 ) return queChange(p, KVSQL_QUEUE_EXTEND, pMsg->zId, KV_MAX_TIME, pzErr);
  return queChange(p, KVSQL_QUEUE_DROP_RUNNING, pMsg->zId, -1, pzErr);
}

/* A message that somebody has taken has failed. */
static int queFailed(KvStore *p, i64 iNow, const QueMessage *pMsg, char **pzErr){
  const char *z = pMsg->zBackoff;
  i64 nWait;
  while( *z==' ' ) z++;
  if( *z=='[' ){
    z++;
    if( queNumber(&z, &nWait) ) return queRetry(p, iNow, pMsg, nWait, z, pzErr);
  }
  return queGiveUp(p, pMsg, pzErr);
}

/* A message whose lease has run out, for a nested call. */
typedef struct QueLate QueLate;
struct QueLate {
  KvStore *p;
  i64 iNow;
  const QueMessage *pMsg;
};

static int queLateCall(void *pArg, char **pzErr){
  QueLate *pLate = pArg;
  return queFailed(pLate->p, pLate->iNow, pLate->pMsg, pzErr);
}

/* Is it the message or the schema that an error is about, so that it would come
** again each time?  Not if the transaction is gone with it. */
static int queWillNot(KvStore *p, int rc){
  return ((rc & 0xff)==SQLITE_CONSTRAINT || rc==SQLITE_MISMATCH)
      && sqlite3_txn_state(p->db, p->zSchema)==SQLITE_TXN_WRITE;
}

/* Look after one.  If nothing can be done with it, it is kept as failed. */
static int queLateOne(const KvNest *pNest, QueLate *pLate, char **pzErr){
  KvStore *p = pLate->p;
  int rc = pNest->xNest(pNest->pNest, p, queLateCall, pLate, pzErr);
  if( !queWillNot(p, rc) ) return rc;
  sqlite3_free(*pzErr);
  *pzErr = 0;
  return queChange(p, KVSQL_QUEUE_EXTEND, pLate->pMsg->zId, KV_MAX_TIME, pzErr);
}

/* Look after messages whose lease has run out. */
static int queLate(KvStore *p, const KvNest *pNest, i64 iNow, char **pzErr){
  QueMessage *pList = 0, *pMsg;
  int rc = queByTime(p, KVSQL_QUEUE_LATE, iNow, QUEUE_LATE_FEW, &pList, pzErr);
  for(pMsg=pList; rc==SQLITE_OK && pMsg; pMsg=pMsg->pNext){
    QueLate late = { p, iNow, pMsg };
    rc = queLateOne(pNest, &late, pzErr);
  }
  queListFree(pList);
  return rc;
}

void kvTakenFree(KvTaken *p){
  while( p ){
    KvTaken *pNext = p->pNext;
    int i;
    for(i=0; i<KVQ_COLUMNS; i++) sqlite3_value_free(p->apCol[i]);
    sqlite3_free(p);
    p = pNext;
  }
}

/* The row of a message that has been taken: *ppTaken, 0 if a trigger has removed
** it. */
static int queTaken(KvStore *p, const char *zId, KvTaken **ppTaken, char **pzErr){
  KvTaken *pTaken = 0;
  KvStmt *pStmt;
  int i, rc = kvStoreStatement(p, KVSQL_QUEUE_RUNNING_FIND, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, zId);
  rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    pTaken = sqlite3_malloc64(sizeof(*pTaken));
    rc = pTaken ? SQLITE_OK : SQLITE_NOMEM;
    if( pTaken ) memset(pTaken, 0, sizeof(*pTaken));
    for(i=0; rc==SQLITE_OK && i<KVQ_COLUMNS; i++){
      pTaken->apCol[i] = sqlite3_value_dup(sqlite3_column_value(pStmt->pStmt, i));
      if( pTaken->apCol[i]==0 ) rc = SQLITE_NOMEM;
    }
  }else{
    rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  }
  kvStoreGive(p, pStmt);
  *ppTaken = pTaken;
  return rc;
}

/* Take one.  It is no longer there if another one with its id was taken before. */
static int queTakeOne(KvStore *p, const QueMessage *pMsg, i64 iDeadline, KvTaken **ppTaken, char **pzErr){
  KvStmt *pStmt;
  int rc = queChange(p, KVSQL_QUEUE_DROP_READY, pMsg->zId, -1, pzErr);
  if( rc!=SQLITE_OK || sqlite3_changes64(p->db)==0 ) return rc;
  rc = kvStoreStatement(p, KVSQL_QUEUE_RUN, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, iDeadline);
  kvBindText(pStmt, 2, pMsg->zId);
  kvBindBlob(pStmt, 3, pMsg->data.a, pMsg->data.n);
  kvBindText(pStmt, 4, pMsg->zBackoff);
  kvBindText(pStmt, 5, pMsg->zKeys);
  rc = kvStoreRun(p, pStmt, pzErr);
  return rc==SQLITE_OK ? queTaken(p, pMsg->zId, ppTaken, pzErr) : rc;
}

int kvQueueTake(
  KvStore *p, const KvNest *pNest, i64 iNow, i64 nLease, i64 nMost, KvTaken **ppTaken, char **pzErr
){
  QueMessage *pList = 0, *pMsg;
  KvTaken **ppNext = ppTaken;
  int rc = queLate(p, pNest, iNow, pzErr);
  *ppTaken = 0;
  if( rc==SQLITE_OK ) rc = queByTime(p, KVSQL_QUEUE_NEXT, iNow, nMost, &pList, pzErr);
  for(pMsg=pList; rc==SQLITE_OK && pMsg; pMsg=pMsg->pNext){
    rc = queTakeOne(p, pMsg, iNow + nLease, ppNext, pzErr);
    if( *ppNext ) ppNext = &(*ppNext)->pNext;
  }
  if( rc!=SQLITE_OK ){
    kvTakenFree(*ppTaken);
    *ppTaken = 0;
  }
  queListFree(pList);
  return rc;
}

int kvQueueFinish(KvStore *p, i64 iNow, const char *zId, int bOk, int *pbFound, char **pzErr){
  QueMessage msg;
  int rc;
  queInit(&msg);
  rc = queById(p, KVSQL_QUEUE_RUNNING_FIND, zId, &msg, pzErr);
  *pbFound = msg.bFound;
  if( rc==SQLITE_OK && msg.bFound ){
    rc = bOk ? queChange(p, KVSQL_QUEUE_DROP_RUNNING, zId, -1, pzErr)
             : queFailed(p, iNow, &msg, pzErr);
  }
  queClear(&msg);
  return rc;
}

int kvQueueExtend(KvStore *p, const char *zId, i64 iDeadline, char **pzErr){
  return queChange(p, KVSQL_QUEUE_EXTEND, zId, iDeadline, pzErr);
}

int kvQueueDrop(KvStore *p, const char *zId, char **pzErr){
  int rc = queChange(p, KVSQL_QUEUE_DROP_READY, zId, -1, pzErr);
  return rc==SQLITE_OK ? queChange(p, KVSQL_QUEUE_DROP_RUNNING, zId, -1, pzErr) : rc;
}
