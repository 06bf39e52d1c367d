/*
** vtab_parts.h -- the table kv_parts.
*/
#ifndef KV_VTAB_PARTS_H
#define KV_VTAB_PARTS_H

#include "sqlite3ext.h"

extern const sqlite3_module kvPartsModule;

#endif /* KV_VTAB_PARTS_H */
