/*
** vtab_atomic.h -- the table kv_atomic.
*/
#ifndef KV_VTAB_ATOMIC_H
#define KV_VTAB_ATOMIC_H

#include "sqlite3ext.h"

extern const sqlite3_module kvAtomicModule;
extern const sqlite3_module kvRunModule;

#endif /* KV_VTAB_ATOMIC_H */
