/*
** vtab_lookup.h -- the table-valued function kv_lookup(name).
*/
#ifndef KV_LOOKUP_H
#define KV_LOOKUP_H

#include "sql/vtab.h"

extern const KvVtabDef kvLookupTable;

#endif /* KV_LOOKUP_H */
