/*
** vtab_queue.c -- the virtual table kv_queue.
**
**     INSERT INTO kv_queue(value, delay) VALUES ('hello', 1000);
**     SELECT id, value, state FROM kv_queue;
**     UPDATE kv_queue SET deadline = kv_now() + 60000 WHERE id = ?;
**     DELETE FROM kv_queue WHERE id = ?;
**
** The table is as if made by QUE_SCHEMA.  state is "ready" (it waits until
** ready_at), "running" (somebody has it until deadline) or "failed" (it was
** given up and had no keys_if_undelivered, or could not be written under them;
** it stays until it is deleted).
*/
#include "sql/vtab_queue.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/queue_columns.h"
#include "sql/op_args.h"
#include "codec/queue_text.h"
#include "store/clock.h"
#include "store/message.h"
#include "store/migrate.h"
#include "store/schema.h"
#include "store/txn.h"
#include "store/write.h"
#include "store_sql.h"

#define QUE_SCHEMA \
  "CREATE TABLE kv_queue(" QUE_SHOWN ", " QUE_HIDDEN ", delay INTEGER HIDDEN, type TEXT HIDDEN) WITHOUT ROWID"

typedef struct QueueCursor QueueCursor;
struct QueueCursor {
  KvVtabCursor c;         /* Must be first */
  KvStmt *pStmt;
  char *zId;              /* The argument id, or 0 */
  KvQueueColumns show;
};

/* ---- reading --------------------------------------------------------------- */

static void queueStop(KvVtabCursor *pCursor){
  QueueCursor *p = (QueueCursor*)pCursor;
  kvStmtGive(p->pStmt);
  p->pStmt = 0;
  sqlite3_free(p->zId);
  p->zId = 0;
  kvValueColumnsNext(&p->show.value);
}

static void queueFree(KvVtabCursor *pCursor){
  kvValueColumnsClear(&((QueueCursor*)pCursor)->show.value);
}

/* idxNum 1: id = ? */
static int queueBestIndex(sqlite3_index_info *pInfo){
  static const KvVtabCons aCons[] = {
    { QUE_ID, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_BINARY, "id=?" }
  };
  int rc = kvVtabPlan(pInfo, aCons, 1);
  pInfo->estimatedCost = pInfo->idxNum ? 10.0 : 10000.0;
  pInfo->estimatedRows = pInfo->idxNum ? 1 : 10000;
  return rc==SQLITE_OK ? kvVtabWords(pInfo, pInfo->idxNum ? "POINT" : "ALL", aCons, 1, "") : rc;
}

static int queueNext(KvVtabCursor *pCursor, char **pzErr){
  QueueCursor *p = (QueueCursor*)pCursor;
  int i, rc, bRow = kvStmtRow(p->pStmt);
  kvValueColumnsNext(&p->show.value);
  rc = kvStoreTake(p->c.pStore, pzErr);
  if( !bRow ) return rc==SQLITE_OK ? SQLITE_DONE : rc;
  for(i=0; i<KVQ_COLUMNS; i++) p->show.apCol[i] = sqlite3_column_value(p->pStmt->pStmt, i);
  return SQLITE_ROW;
}

static int queueFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg, char **pzErr){
  QueueCursor *p = (QueueCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  int rc, bQueue;
  (void)nArg;
  p->show.iNow = kvNow();
  bQueue = kvSchemaOpen(pStore)!=KV_STORE_NONE && kvSchemaHasQueue(pStore);
  if( bQueue ) p->pStmt = kvStmtTake(pStore, mPlan ? KVSQL_QUEUE_FIND : KVSQL_QUEUE_LIST);
  rc = kvStoreTake(pStore, pzErr);
  if( rc!=SQLITE_OK || !bQueue ) return rc==SQLITE_OK ? SQLITE_DONE : rc;
  if( mPlan ){
    const char *z = (const char*)sqlite3_value_text(apArg[0]);
    if( z==0 && sqlite3_value_type(apArg[0])!=SQLITE_NULL ) return SQLITE_NOMEM;
    p->zId = sqlite3_mprintf("%s", z ? z : "");
    if( p->zId==0 ) return SQLITE_NOMEM;
    kvBindText(p->pStmt, 1, p->zId);
  }
  return queueNext(pCursor, pzErr);
}

static void queueColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  if( iCol!=QUE_ID && sqlite3_vtab_nochange(ctx) ) return;
  kvQueueColumn(ctx, &((QueueCursor*)pCursor)->show, iCol);
}

/* ---- writing ------------------------------------------------------------ */

/* INSERT: the columns that may be given, and which of them is the value. */
static int queueInsertArgs(sqlite3_value **apCol, KvOpArgs *pArgs, char **pzErr){
  static const struct { int iCol; int eAs; } aValue[] = {
    { QUE_VALUE, KV_AS_VALUE }, { QUE_JS, KV_AS_JS }, { QUE_JSON, KV_AS_JSON }, { QUE_RAW, KV_AS_RAW }
  };
  u32 i;
  memset(pArgs, 0, sizeof(*pArgs));
  pArgs->eOp = KV_OP_ENQUEUE;
  for(i=0; i<4; i++){
    sqlite3_value *pVal = apCol[aValue[i].iCol];
    if( sqlite3_value_type(pVal)==SQLITE_NULL ) continue;
    if( pArgs->pValue ){
      *pzErr = sqlite3_mprintf("kv: value: give exactly one of the columns value, js, json and raw");
      return SQLITE_ERROR;
    }
    pArgs->pValue = pVal;
    pArgs->eAs = aValue[i].eAs;
  }
  if( pArgs->pValue==0 ) pArgs->pValue = apCol[QUE_VALUE];     /* null */
  if( sqlite3_value_type(apCol[QUE_TYPE])!=SQLITE_NULL ){
    *pzErr = sqlite3_mprintf("kv: %s: can't be set, %s; leave the column out", "type", "it follows from the value");
    return SQLITE_ERROR;
  }
  for(i=0; i<4; i++){
    static const struct { int iCol; const char *zName; } aNot[] = {
      { QUE_ID, "id" }, { QUE_STATE, "state" }, { QUE_READY_AT, "ready_at" }, { QUE_DEADLINE, "deadline" }
    };
    if( sqlite3_value_type(apCol[aNot[i].iCol])==SQLITE_NULL ) continue;
    *pzErr = sqlite3_mprintf("kv: %s: can't be given for a new message; use delay", aNot[i].zName);
    return SQLITE_ERROR;
  }
  pArgs->pDelay = apCol[QUE_DELAY];
  pArgs->pKeys = apCol[QUE_KEYS];
  pArgs->pBackoff = apCol[QUE_BACKOFF];
  return SQLITE_OK;
}

static int queueInsert(KvVtab *p, sqlite3_value **apCol, char **pzErr){
  KvOpArgs args;
  KvMessage msg;
  int nStep = 0;
  int rc = queueInsertArgs(apCol, &args, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvMessageBuild(p->pConn, &args, &msg, kvStoreError(p->pStore));
  if( !kvFailed(kvStoreError(p->pStore)) ){
    const KvOp *pOp = &msg.op;
    char zId[KV_UUID_TEXT];
    kvUuid(zId);
    kvMigrate(p->pStore);
    kvTxnVersion(p->pStore, &nStep);
    kvQueueAdd(p->pStore, kvNow() + kvOpInt(pOp->delay), kvBytesText(zId), kvBytesFrom(pOp->value, 1),
               pOp->backoff, pOp->keys);
    kvTxnGiveBack(p->pStore, nStep);
  }
  kvMessageClear(&msg);
  return kvStoreTake(p->pStore, pzErr);
}

/* UPDATE: the deadline of a running message is all that may change. */
static int queueUpdateRow(KvVtab *p, const char *zId, sqlite3_value **apCol, char **pzErr){
  const char *zNew = (const char*)sqlite3_value_text(apCol[QUE_ID]);
  i64 iDeadline;
  int i, rc, nGiven = 0;
  if( zNew==0 && sqlite3_value_type(apCol[QUE_ID])!=SQLITE_NULL ) return SQLITE_NOMEM;
  for(i=QUE_VALUE; i<QUE_COLUMNS; i++) nGiven += !sqlite3_value_nochange(apCol[i]);
  if( nGiven==QUE_COLUMNS-1 ){
    *pzErr = sqlite3_mprintf("kv: UPDATE ... FROM can't be used on kv_queue with this version of SQLite, "
        "which gives every column a value; UPDATE ... SET deadline = ... WHERE id IN (SELECT ...)");
    return SQLITE_ERROR;
  }
  for(i=QUE_ID; i<QUE_COLUMNS; i++){
    int bSame = i==QUE_ID ? zNew && strcmp(zNew, zId)==0   /* NOLINT: zId is no null */
              : sqlite3_value_nochange(apCol[i]);
    if( i!=QUE_DEADLINE && !bSame ){
      *pzErr = sqlite3_mprintf("kv: of a message only the deadline can be SET");
      return SQLITE_ERROR;
    }
  }
  if( sqlite3_value_nochange(apCol[QUE_DEADLINE]) ) return SQLITE_OK;
  iDeadline = kvArgTime(apCol[QUE_DEADLINE], "deadline", KV_MAX_TIME-1, kvStoreError(p->pStore));
  kvQueueExtend(p->pStore, kvBytesText(zId), iDeadline);
  rc = kvStoreTake(p->pStore, pzErr);
  if( rc==SQLITE_OK && sqlite3_changes64(p->pConn->db)==0 ){
    *pzErr = kvMsg("kv: deadline: nobody has taken the message %!.100s; kv_dequeue() takes one", zId);
    rc = SQLITE_ERROR;
  }
  return rc;
}

/* An INSERT takes a version. */
static int queueWrite(KvVtab *p, const KvVtabRow *pRow, char **pzErr){
  const char *zId = pRow->pOld ? (const char*)sqlite3_value_text(pRow->pOld) : 0;
  int rc = SQLITE_OK;
  if( pRow->pOld && zId==0 && sqlite3_value_type(pRow->pOld)!=SQLITE_NULL ) return SQLITE_NOMEM;
  if( p->bElsewhere ){
    kvMigrate(p->pStore);
    kvWriteLock(p->pStore);
    rc = kvStoreTake(p->pStore, pzErr);
    if( rc!=SQLITE_OK ) return rc;
  }
  if( pRow->pOld==0 ) return queueInsert(p, pRow->apCol, pzErr);
  kvQueueIndex(p->pStore);
  if( pRow->apCol==0 && zId ) kvQueueDrop(p->pStore, kvBytesText(zId));
  rc = kvStoreTake(p->pStore, pzErr);
  if( rc!=SQLITE_OK || pRow->apCol==0 ) return rc;
  return queueUpdateRow(p, zId, pRow->apCol, pzErr);
}

const KvVtabDef kvQueueTable = {
  .zName = "kv_queue",
  .zDeclare = QUE_SCHEMA,
  .nCursor = sizeof(QueueCursor),
  .xBestIndex = queueBestIndex,
  .xFilter = queueFilter,
  .xNext = queueNext,
  .xColumn = queueColumn,
  .xStop = queueStop,
  .xFree = queueFree,
  .xWrite = queueWrite,
};
