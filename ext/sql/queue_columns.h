/*
** queue_columns.h -- a message's columns, as kv_queue and the table kv_dequeue() show
** them.
*/
#ifndef KV_QUEUE_COLUMNS_H
#define KV_QUEUE_COLUMNS_H

#include "sql/entry_columns.h"
#include "store/queue.h"

enum {
  QUE_ID, QUE_VALUE, QUE_STATE, QUE_READY_AT, QUE_DEADLINE, QUE_BACKOFF, QUE_KEYS,
  QUE_JS, QUE_JSON, QUE_RAW, QUE_DELAY, QUE_TYPE, QUE_COLUMNS
};
/* QUE_ID ... QUE_KEYS, and QUE_JS ... QUE_RAW, as they are declared */
#define QUE_SHOWN \
  "id TEXT NOT NULL PRIMARY KEY, value, state TEXT, ready_at INTEGER, deadline INTEGER, " \
  "backoff_schedule TEXT, keys_if_undelivered TEXT"
#define QUE_HIDDEN "js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN"

/* Result: the column QUE_xxx of the message whose row apCol[KVQ_xxx] is.  p has its
** value, and the time. */
void kvQueueColumn(sqlite3_context *ctx, KvEntryColumns *p, sqlite3_value **apCol, int iCol);

#endif /* KV_QUEUE_COLUMNS_H */
