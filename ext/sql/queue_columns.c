/*
** queue_columns.c -- a message's columns, as kv_queue and the table kv_dequeue() show
** them.
*/
#include "sql/queue_columns.h"
#include "sql/args.h"
#include "sql/result.h"
#include "bytes/limits.h"
#include "codec/queue_text.h"
#include "store/error.h"

/* One of the columns that are made from the data, which is always V8's.  An error
** names the message. */
static void queueColumnsValue(sqlite3_context *ctx, KvQueueColumns *p, int eAs){
  const char *zId;
  char *zWhat;
  KvErr err;
  if( kvValueColumn(ctx, &p->value, p->apCol[KVQ_DATA], 1, eAs, &err)==KV_OK ) return;
  zId = (const char*)sqlite3_value_text(p->apCol[KVQ_ID]);
  zWhat = zId ? kvMsg("message %!.100s", zId) : 0;
  if( zWhat ) kvResultCodecError(ctx, zWhat, &err);
  else sqlite3_result_error_nomem(ctx);
  sqlite3_free(zWhat);
}

static void queueColumnsKeys(sqlite3_context *ctx, KvQueueColumns *p){
  const char *z = (const char*)sqlite3_value_text(p->apCol[KVQ_KEYS]);
  kvBufReset(&p->value.text);
  if( z ) kvQueueKeysShow(&p->value.text, kvBytes(z, (u32)sqlite3_value_bytes(p->apCol[KVQ_KEYS])));
  else if( sqlite3_value_type(p->apCol[KVQ_KEYS])!=SQLITE_NULL ) p->value.text.eErr = KV_NOMEM;
  kvResultText(ctx, &p->value.text);
}

/* Result: one of the columns that follow from whether somebody has the message, and
** until when. */
static void queueColumnsTime(sqlite3_context *ctx, const KvQueueColumns *p, int iCol){
  int bRunning = sqlite3_value_int(p->apCol[KVQ_RUNNING]);
  i64 iTime = sqlite3_value_int64(p->apCol[KVQ_TIME]);
  switch( iCol ){
    case QUE_STATE:
      sqlite3_result_text(ctx, !bRunning ? "ready" : iTime==KV_MAX_TIME ? "failed" : "running",
                          -1, SQLITE_STATIC);
      break;
    case QUE_READY_AT:
      if( !bRunning ) sqlite3_result_int64(ctx, iTime);
      break;
    case QUE_DEADLINE:
      if( bRunning && iTime!=KV_MAX_TIME ) sqlite3_result_int64(ctx, iTime);
      break;
    default:
      KV_ASSERT( iCol==QUE_DELAY );
      if( !bRunning ) sqlite3_result_int64(ctx, iTime>p->iNow ? iTime-p->iNow : 0);
  }
}

void kvQueueColumn(sqlite3_context *ctx, KvQueueColumns *p, int iCol){
  switch( iCol ){
    case QUE_VALUE:    queueColumnsValue(ctx, p, KV_AS_VALUE);            break;
    case QUE_JS:       queueColumnsValue(ctx, p, KV_AS_JS);               break;
    case QUE_JSON:     queueColumnsValue(ctx, p, KV_AS_JSON);             break;
    case QUE_RAW:      queueColumnsValue(ctx, p, KV_AS_RAW);              break;
    case QUE_TYPE:     queueColumnsValue(ctx, p, KV_AS_TYPE);             break;
    case QUE_ID:       sqlite3_result_value(ctx, p->apCol[KVQ_ID]);       break;
    case QUE_BACKOFF:  sqlite3_result_value(ctx, p->apCol[KVQ_BACKOFF]);  break;
    case QUE_KEYS:     queueColumnsKeys(ctx, p);                          break;
    default:           queueColumnsTime(ctx, p, iCol);
  }
}
