/*
** vtab_children.h -- the table-valued function kv_children().
*/
#ifndef KV_VTAB_CHILDREN_H
#define KV_VTAB_CHILDREN_H

#include "sql/vtab.h"

extern const KvVtabDef kvChildrenTable;

#endif /* KV_VTAB_CHILDREN_H */
