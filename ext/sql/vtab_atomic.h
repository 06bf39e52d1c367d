/*
** vtab_atomic.h -- the table kv_atomic.
*/
#ifndef KV_VTAB_ATOMIC_H
#define KV_VTAB_ATOMIC_H

#include "sql/vtab.h"

extern const KvVtabDef kvAtomicTable;

#endif /* KV_VTAB_ATOMIC_H */
