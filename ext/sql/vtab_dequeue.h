/*
** vtab_dequeue.h -- kv_dequeue() and kv_finish().
*/
#ifndef KV_VTAB_DEQUEUE_H
#define KV_VTAB_DEQUEUE_H

#include "sql/func.h"

extern const KvFunc kvFuncsDequeue[];
extern const sqlite3_module kvDequeueModule;

#endif /* KV_VTAB_DEQUEUE_H */
