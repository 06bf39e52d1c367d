/*
** vtab_indexes.h -- the table kv_indexes.
*/
#ifndef KV_VTAB_INDEXES_H
#define KV_VTAB_INDEXES_H

#include "sqlite3ext.h"

extern const sqlite3_module kvIndexesModule;

#endif /* KV_VTAB_INDEXES_H */
