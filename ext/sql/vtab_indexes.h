/*
** vtab_indexes.h -- the table kv_indexes.
*/
#ifndef KV_VTAB_INDEXES_H
#define KV_VTAB_INDEXES_H

#include "sql/vtab.h"

extern const KvVtabDef kvIndexesTable;

#endif /* KV_VTAB_INDEXES_H */
