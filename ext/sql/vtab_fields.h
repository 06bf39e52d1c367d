/*
** vtab_fields.h -- the table-valued function kv_fields(prefix).
*/
#ifndef KV_VTAB_FIELDS_H
#define KV_VTAB_FIELDS_H

#include "sql/vtab.h"

extern const KvVtabDef kvFieldsTable;

#endif /* KV_VTAB_FIELDS_H */
