/*
** vtab_import.h -- the table-valued function kv_import().
*/
#ifndef KV_VTAB_IMPORT_H
#define KV_VTAB_IMPORT_H

#include "sql/vtab.h"

extern const KvVtabDef kvImportTable;

#endif /* KV_VTAB_IMPORT_H */
