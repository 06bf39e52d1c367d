/*
** vtab_changes.h -- the table-valued function kv_changes().
*/
#ifndef KV_VTAB_CHANGES_H
#define KV_VTAB_CHANGES_H

#include "sql/vtab.h"

extern const KvVtabDef kvChangesTable;

#endif /* KV_VTAB_CHANGES_H */
