/*
** vtab_queue.c -- the virtual table kv_queue.
**
**     INSERT INTO kv_queue(value, delay) VALUES ('hello', 1000);
**     SELECT id, value, state FROM kv_queue;
**     UPDATE kv_queue SET deadline = kv_now() + 60000 WHERE id = ?;
**     DELETE FROM kv_queue WHERE id = ?;
**
** The table is as if made by QUEUE_SCHEMA.  state is "ready" (it waits until
** ready_at), "running" (somebody has it until deadline) or "failed" (it was
** given up and had no keys_if_undelivered, or could not be written under them;
** it stays until it is deleted).
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/queue/queue_columns.h"
#include "sql/entries/op_args.h"
#include "sql/program.h"
#include "store/clock.h"
#include "store/error.h"
#include "store/migrate.h"
#include "store/schema.h"
#include "store/write.h"
#include "store_sql.h"

#define QUEUE_SCHEMA \
  "CREATE TABLE kv_queue(" QUEUE_SHOWN ", " QUEUE_HIDDEN ", delay INTEGER HIDDEN, " \
  "type TEXT HIDDEN) WITHOUT ROWID"

typedef struct QueueCursor QueueCursor;
struct QueueCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf id;               /* The argument id */
  sqlite3_value *apCol[KVQ_COLUMNS];  /* The row's columns in the store */
};

/* ---- reading --------------------------------------------------------------- */

/* idxNum 1: id = ? */
static const KvVtabCons queueCons[] = {
  { QUEUE_ID, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_BINARY, "id=?" }
};

static int queueNext(KvVtabCursor *pCursor){
  QueueCursor *p = (QueueCursor*)pCursor;
  int i;
  if( !kvStmtRow(p->c.pStmt) ) return 0;
  for(i=0; i<KVQ_COLUMNS; i++) p->apCol[i] = sqlite3_column_value(p->c.pStmt->pStmt, i);
  return 1;
}

static int queueFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  QueueCursor *p = (QueueCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  (void)nArg;
  p->c.show.iNow = kvNow();
  if( kvSchemaOpen(pStore)==KV_STORE_NONE || !kvSchemaHasQueue(pStore) ) return 0;
  if( mPlan ){
    const char *z = (const char*)kvArgName(apArg[0], p->c.pError).p;
    kvErrorCopy(p->c.pError, kvBytesText(z ? z : ""), &p->id);
    p->c.pStmt = kvStmtWith(pStore, KVSQL_QUEUE_FIND, "t", kvBufBytes(&p->id));
  }else{
    p->c.pStmt = kvStmtTake(pStore, KVSQL_QUEUE_LIST);
  }
  return queueNext(pCursor);
}

static void queueColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  if( iCol!=QUEUE_ID && sqlite3_vtab_nochange(ctx) ) return;
  kvQueueColumn(ctx, &pCursor->show, ((QueueCursor*)pCursor)->apCol, iCol);
}

/* ---- writing ------------------------------------------------------------ */

/* INSERT: the columns that may be given, and which of them is the value. */
static void queueInsertArgs(sqlite3_value **apCol, KvOpArgs *pArgs, KvError *pError){
  static const u8 aiValue[] = { QUEUE_VALUE, QUEUE_JS, QUEUE_JSON, QUEUE_RAW };
  static const struct { int iCol; const char *zName; } aNot[] = {
    { QUEUE_ID, "id" },             { QUEUE_STATE, "state" },
    { QUEUE_READY_AT, "ready_at" }, { QUEUE_DEADLINE, "deadline" }
  };
  int eAs;
  u32 i;
  memset(pArgs, 0, sizeof(*pArgs));
  pArgs->eOp = KV_OP_ENQUEUE;
  eAs = kvArgValueColumn(apCol, aiValue, 0, pError);
  pArgs->eAs = eAs<0 ? KV_AS_VALUE : eAs;                      /* null */
  pArgs->ap[KV_ARG_VALUE] = apCol[aiValue[pArgs->eAs]];
  if( sqlite3_value_type(apCol[QUEUE_TYPE])!=SQLITE_NULL ){
    kvError(pError, SQLITE_ERROR, "kv: %s: can't be set, %s; leave the column out",
            "type", "it follows from the value");
  }
  for(i=0; i<KV_COUNT(aNot); i++){
    if( sqlite3_value_type(apCol[aNot[i].iCol])==SQLITE_NULL ) continue;
    kvError(pError, SQLITE_ERROR, "kv: %s: can't be given for a new message; use delay",
            aNot[i].zName);
  }
  pArgs->ap[KV_ARG_DELAY] = apCol[QUEUE_DELAY];
  pArgs->ap[KV_ARG_KEYS] = apCol[QUEUE_KEYS];
  pArgs->ap[KV_ARG_BACKOFF] = apCol[QUEUE_BACKOFF];
}

/* INSERT: takes a version. */
static void queueInsert(KvVtab *p, const KvVtabRow *pRow){
  KvError *pError = kvStoreError(p->pStore);
  KvOpArgs args;
  KvOpBuild msg;
  int nStep = 0;
  queueInsertArgs(pRow->apCol, &args, pError);
  if( !pRow->bInner
   && (kvProgramReturned(p->pConn, &p->base, pError) & KVRETURN_BIT(QUEUE_ID))
  ){
    kvError(pError, SQLITE_ERROR, "kv: id: RETURNING can't show an id that is generated; leave it "
        "out of RETURNING, and name a message by a part of its value");
  }
  if( kvFailed(pError) ) return;
  kvOpBuild(&msg, p->pConn, &args, pError);
  if( !kvFailed(pError) ){
    kvMigrate(p->pStore);
    kvTxnVersion(p->pStore, &nStep);
    kvQueueAdd(p->pStore, kvNow(), &msg.op);
    kvTxnGiveBack(p->pStore, nStep);
  }
  kvOpBuildClear(&msg);
}

/* UPDATE: the deadline of a running message is all that may change. */
static void queueUpdate(KvVtab *p, const char *zId, sqlite3_value **apCol){
  KvError *pError = kvStoreError(p->pStore);
  const char *zNew = (const char*)kvArgName(apCol[QUEUE_ID], pError).p;
  i64 iDeadline;
  int i, nGiven = 0, bOther = zNew==0 || strcmp(zNew, zId)!=0;   /* NOLINT: zId is no null */
  for(i=QUEUE_VALUE; i<QUEUE_COLUMNS; i++){
    int bGiven = !sqlite3_value_nochange(apCol[i]);
    nGiven += bGiven;
    if( i!=QUEUE_DEADLINE ) bOther |= bGiven;
  }
  if( nGiven==QUEUE_COLUMNS-1 ){
    kvError(pError, SQLITE_ERROR, "kv: UPDATE ... FROM can't be used on kv_queue with "
        "this version of SQLite, which assigns every column; use UPDATE ... SET deadline = "
        "... WHERE id IN (SELECT ...)");
  }
  if( bOther ) kvError(pError, SQLITE_ERROR, "kv: only the deadline of a message can be SET");
  if( kvFailed(pError) || sqlite3_value_nochange(apCol[QUEUE_DEADLINE]) ) return;
  iDeadline = kvArgTime(apCol[QUEUE_DEADLINE], "deadline", KV_MAX_TIME-1, pError);
  kvQueueExtend(p->pStore, kvBytesText(zId), iDeadline);
  if( !kvFailed(pError) && sqlite3_changes64(p->pConn->db)==0 ){
    kvError(pError, SQLITE_ERROR,
        "kv: deadline: the message %!.100s is not claimed; kv_dequeue() claims one", zId);
  }
}

static void queueWrite(KvVtab *p, const KvVtabRow *pRow){
  KvError *pError = kvStoreError(p->pStore);
  const char *zId = pRow->pOld ? (const char*)kvArgName(pRow->pOld, pError).p : 0;
  if( p->bElsewhere ){
    kvMigrate(p->pStore);
    kvWriteLock(p->pStore);
  }
  if( kvFailed(pError) ) return;
  if( pRow->pOld==0 ){
    queueInsert(p, pRow);
    return;
  }
  kvQueueBegin(p->pStore);
  if( kvFailed(pError) || zId==0 ) return;
  if( pRow->apCol ) queueUpdate(p, zId, pRow->apCol);
  else kvQueueDrop(p->pStore, kvBytesText(zId));
}

const KvVtabDef kvQueueTable = {
  .zName = "kv_queue",
  .zDeclare = QUEUE_SCHEMA,
  .plan = {
    queueCons, KV_COUNT(queueCons),
    { 1, 10.0, "POINT" }, { 10000, 10000.0, "ALL" }, 0
  },
  .read = { queueFilter, queueNext, queueColumn, 0 },
  .nCursor = sizeof(QueueCursor),
  .nBuf = 1,
  .xWrite = queueWrite,
};
