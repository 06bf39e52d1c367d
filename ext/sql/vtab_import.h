/*
** vtab_import.h -- the table kv_import.
*/
#ifndef KV_VTAB_IMPORT_H
#define KV_VTAB_IMPORT_H

#include "sqlite3ext.h"

extern const sqlite3_module kvImportModule;

#endif /* KV_VTAB_IMPORT_H */
