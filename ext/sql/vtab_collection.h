/*
** vtab_collection.h -- the virtual table kv_collection.
*/
#ifndef KV_VTAB_COLLECTION_H
#define KV_VTAB_COLLECTION_H

#include "sql/vtab.h"

extern const KvVtabDef kvCollectionTable;

#endif /* KV_VTAB_COLLECTION_H */
