/*
** vtab_dequeue.h -- kv_dequeue() and kv_finish().
*/
#ifndef KV_VTAB_DEQUEUE_H
#define KV_VTAB_DEQUEUE_H

#include "sql/call.h"
#include "sql/vtab.h"

extern const KvFunc kvFuncsDequeue[];
extern const KvVtabDef kvDequeueTable;

#endif /* KV_VTAB_DEQUEUE_H */
