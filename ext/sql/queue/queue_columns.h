/*
** queue_columns.h -- a message's columns in kv_queue and the table kv_dequeue().
*/
#ifndef KV_QUEUE_COLUMNS_H
#define KV_QUEUE_COLUMNS_H

#include "sql/entry_columns.h"
#include "store/queue.h"

enum {
  QUEUE_ID, QUEUE_VALUE, QUEUE_STATE, QUEUE_READY_AT, QUEUE_DEADLINE, QUEUE_BACKOFF, QUEUE_KEYS,
  QUEUE_EXTRA, QUEUE_JS, QUEUE_JSON, QUEUE_RAW, QUEUE_DELAY, QUEUE_TYPE, QUEUE_COLUMNS
};
/* QUEUE_ID ... QUEUE_KEYS, and QUEUE_EXTRA ... QUEUE_RAW, in the order of the
** declaration */
#define QUEUE_SHOWN \
  "id TEXT NOT NULL PRIMARY KEY, value, state TEXT, ready_at INTEGER, deadline INTEGER, " \
  "backoff_schedule TEXT, keys_if_undelivered TEXT"
#define QUEUE_HIDDEN "kv_extra HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN"

/* Result: the column QUEUE_xxx of the message with the row apCol[KVQ_xxx].  p has
** its value, and the time. */
void kvQueueColumn(sqlite3_context *ctx, KvEntryColumns *p, sqlite3_value **apCol, int iCol);

#endif /* KV_QUEUE_COLUMNS_H */
