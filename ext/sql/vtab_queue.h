/*
** vtab_queue.h -- the columns that kv_queue and the table kv_dequeue() show.
*/
#ifndef KV_VTAB_QUEUE_H
#define KV_VTAB_QUEUE_H

#include "sql/vtab.h"
#include "store/queue.h"

enum {
  QUE_ID, QUE_VALUE, QUE_STATE, QUE_READY_AT, QUE_DEADLINE, QUE_BACKOFF, QUE_KEYS,
  QUE_JS, QUE_JSON, QUE_RAW, QUE_DELAY
};
/* QUE_ID ... QUE_KEYS, and QUE_JS ... QUE_RAW, as they are declared */
#define QUE_SHOWN \
  "id TEXT NOT NULL PRIMARY KEY, value, state TEXT, ready_at INTEGER, deadline INTEGER, " \
  "backoff_schedule TEXT, keys_if_undelivered TEXT"
#define QUE_HIDDEN "js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN"

/* The row that a cursor stands on, and work space.  apCol[] is not its own. */
typedef struct KvQueueRow KvQueueRow;
struct KvQueueRow {
  sqlite3_value *apCol[KVQ_COLUMNS];
  i64 iNow;
  u8 bTree;               /* tree holds its value */
  KvTree tree;
  KvBuf text;
};

void kvQueueRowInit(KvQueueRow *p);
void kvQueueRowClear(KvQueueRow *p);
/* Result: the column QUE_xxx of the row. */
void kvQueueRowColumn(KvQueueRow *p, sqlite3_context *ctx, int iCol);

extern const KvVtabDef kvQueueTable;

#endif /* KV_VTAB_QUEUE_H */
