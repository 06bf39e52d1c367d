/*
** vtab_changes.h -- the table kv_changes.
*/
#ifndef KV_VTAB_CHANGES_H
#define KV_VTAB_CHANGES_H

#include "sqlite3ext.h"

extern const sqlite3_module kvChangesModule;

#endif /* KV_VTAB_CHANGES_H */
