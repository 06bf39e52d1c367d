/*
** queue_columns.c -- a message's columns, as kv_queue and the table kv_dequeue() show
** them.
*/
#include "sql/queue/queue_columns.h"
#include "sql/args.h"
#include "sql/result.h"
#include "bytes/limits.h"
#include "codec/queue_text.h"
#include "store/error.h"

/* One of the columns that are made from the data, which is always V8's.  An error
** names the message. */
static void queueColumnsValue(
  sqlite3_context *ctx, KvEntryColumns *p, sqlite3_value **apCol, int eAs
){
  const char *zId;
  char *zWhat;
  KvErr err;
  if( kvValueColumn(ctx, &p->value, apCol[KVQ_DATA], 1, eAs, &err)==KV_OK ) return;
  zId = (const char*)sqlite3_value_text(apCol[KVQ_ID]);
  zWhat = zId ? kvMsg("message %!.100s", zId) : 0;
  if( zWhat ) kvResultCodecError(ctx, zWhat, &err);
  else sqlite3_result_error_nomem(ctx);
  sqlite3_free(zWhat);
}

static void queueColumnsKeys(sqlite3_context *ctx, KvBuf *pText, sqlite3_value *pKeys){
  KvBytes keys = kvArgText(pKeys);
  kvBufReset(pText);
  if( keys.p ) kvQueueKeysShow(pText, keys);
  else if( sqlite3_value_type(pKeys)!=SQLITE_NULL ) pText->eErr = KV_NOMEM;
  kvResultText(ctx, pText);
}

/* Result: one of the columns that follow from whether somebody has the message, and
** until when. */
static void queueColumnsTime(sqlite3_context *ctx, i64 iNow, sqlite3_value **apCol, int iCol){
  int bRunning = sqlite3_value_int(apCol[KVQ_RUNNING]);
  i64 iTime = sqlite3_value_int64(apCol[KVQ_TIME]);
  switch( iCol ){
    case QUEUE_STATE:
      sqlite3_result_text(ctx, !bRunning ? "ready" : iTime==KV_MAX_TIME ? "failed" : "running",
                          -1, SQLITE_STATIC);
      break;
    case QUEUE_READY_AT:
      if( !bRunning ) sqlite3_result_int64(ctx, iTime);
      break;
    case QUEUE_DEADLINE:
      if( bRunning && iTime!=KV_MAX_TIME ) sqlite3_result_int64(ctx, iTime);
      break;
    default:
      KV_ASSERT( iCol==QUEUE_DELAY );
      if( !bRunning ) sqlite3_result_int64(ctx, iTime>iNow ? iTime-iNow : 0);
  }
}

void kvQueueColumn(sqlite3_context *ctx, KvEntryColumns *p, sqlite3_value **apCol, int iCol){
  switch( iCol ){
    case QUEUE_VALUE:    queueColumnsValue(ctx, p, apCol, KV_AS_VALUE);             break;
    case QUEUE_JS:       queueColumnsValue(ctx, p, apCol, KV_AS_JS);                break;
    case QUEUE_JSON:     queueColumnsValue(ctx, p, apCol, KV_AS_JSON);              break;
    case QUEUE_RAW:      queueColumnsValue(ctx, p, apCol, KV_AS_RAW);               break;
    case QUEUE_TYPE:     queueColumnsValue(ctx, p, apCol, KV_AS_TYPE);              break;
    case QUEUE_ID:       sqlite3_result_value(ctx, apCol[KVQ_ID]);                  break;
    case QUEUE_BACKOFF:  sqlite3_result_value(ctx, apCol[KVQ_BACKOFF]);             break;
    case QUEUE_KEYS:     queueColumnsKeys(ctx, &p->value.text, apCol[KVQ_KEYS]);    break;
    case QUEUE_EXTRA:                                                               break;
    default:           queueColumnsTime(ctx, p->iNow, apCol, iCol);
  }
}
