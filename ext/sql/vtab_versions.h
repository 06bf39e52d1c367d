/*
** vtab_versions.h -- the table-valued function kv_versions(key [, below]).
*/
#ifndef KV_VTAB_VERSIONS_H
#define KV_VTAB_VERSIONS_H

#include "sql/vtab.h"

extern const KvVtabDef kvVersionsTable;

#endif /* KV_VTAB_VERSIONS_H */
