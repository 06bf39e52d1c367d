/*
** vtab_children.h -- the table kv_children.
*/
#ifndef KV_VTAB_CHILDREN_H
#define KV_VTAB_CHILDREN_H

#include "sqlite3ext.h"

extern const sqlite3_module kvChildrenModule;

#endif /* KV_VTAB_CHILDREN_H */
