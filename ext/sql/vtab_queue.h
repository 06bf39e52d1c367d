/*
** vtab_queue.h -- the virtual table kv_queue.
*/
#ifndef KV_VTAB_QUEUE_H
#define KV_VTAB_QUEUE_H

#include "sql/vtab.h"

extern const KvVtabDef kvQueueTable;

#endif /* KV_VTAB_QUEUE_H */
