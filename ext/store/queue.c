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

/* Read the row that a statement gives, if it gives one, and return it. */
static int queRead(KvStore *p, KvStmt *pStmt, QueMessage *pMsg, char **pzErr){
  int rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    const void *a = sqlite3_column_blob(pStmt->pStmt, KVQ_DATA);
    pMsg->bFound = 1;
    kvBufAppend(&pMsg->data, a, (u64)sqlite3_column_bytes(pStmt->pStmt, KVQ_DATA));
    pMsg->zId = queCopy(pStmt->pStmt, KVQ_ID);
    pMsg->zBackoff = queCopy(pStmt->pStmt, KVQ_BACKOFF);
    pMsg->zKeys = queCopy(pStmt->pStmt, KVQ_KEYS);
    rc = pMsg->zId && pMsg->zBackoff && pMsg->zKeys && pMsg->data.eErr==KV_OK
        ? SQLITE_OK : SQLITE_NOMEM;
  }else{
    rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  }
  kvStoreGive(p, pStmt);
  return rc;
}

static int queByTime(KvStore *p, int eSql, i64 iNow, QueMessage *pMsg, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, iNow);
  return queRead(p, pStmt, pMsg, pzErr);
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
  QueMessage msg;
};

static int queLateCall(void *pArg, char **pzErr){
  QueLate *pLate = pArg;
  return queFailed(pLate->p, pLate->iNow, &pLate->msg, pzErr);
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
  return queChange(p, KVSQL_QUEUE_EXTEND, pLate->msg.zId, KV_MAX_TIME, pzErr);
}

/* Look after messages whose lease has run out. */
static int queLate(KvStore *p, const KvNest *pNest, i64 iNow, char **pzErr){
  int i, rc = SQLITE_OK;
  for(i=0; rc==SQLITE_OK && i<QUEUE_LATE_FEW; i++){
    QueLate late;
    late.p = p;
    late.iNow = iNow;
    queInit(&late.msg);
    rc = queByTime(p, KVSQL_QUEUE_LATE, iNow, &late.msg, pzErr);
    if( rc==SQLITE_OK && late.msg.bFound ) rc = queLateOne(pNest, &late, pzErr);
    queClear(&late.msg);
    if( !late.msg.bFound ) break;
  }
  return rc;
}

int kvQueueTake(
  KvStore *p, const KvNest *pNest, i64 iNow, i64 nLease, char **pzId, char **pzErr
){
  QueMessage msg;
  KvStmt *pStmt;
  int rc = queLate(p, pNest, iNow, pzErr);
  *pzId = 0;
  if( rc!=SQLITE_OK ) return rc;
  queInit(&msg);
  rc = queByTime(p, KVSQL_QUEUE_NEXT, iNow, &msg, pzErr);
  if( rc==SQLITE_OK && msg.bFound ){
    rc = kvStoreStatement(p, KVSQL_QUEUE_RUN, &pStmt, pzErr);
    if( rc==SQLITE_OK ){
      kvBindInt(pStmt, 1, iNow + nLease);
      kvBindText(pStmt, 2, msg.zId);
      kvBindBlob(pStmt, 3, msg.data.a, msg.data.n);
      kvBindText(pStmt, 4, msg.zBackoff);
      kvBindText(pStmt, 5, msg.zKeys);
      rc = kvStoreRun(p, pStmt, pzErr);
    }
    if( rc==SQLITE_OK ) rc = queChange(p, KVSQL_QUEUE_DROP_READY, msg.zId, -1, pzErr);
    if( rc==SQLITE_OK ){
      *pzId = msg.zId;
      msg.zId = 0;
    }
  }
  queClear(&msg);
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
