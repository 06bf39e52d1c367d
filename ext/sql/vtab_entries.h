/*
** vtab_entries.h -- the virtual table kv_entries.
*/
#ifndef KV_VTAB_ENTRIES_H
#define KV_VTAB_ENTRIES_H

#include "sql/vtab.h"

extern const KvVtabDef kvEntriesTable;

#endif /* KV_VTAB_ENTRIES_H */
