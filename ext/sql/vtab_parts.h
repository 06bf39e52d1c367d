/*
** vtab_parts.h -- the table-valued function kv_parts().
*/
#ifndef KV_VTAB_PARTS_H
#define KV_VTAB_PARTS_H

#include "sql/vtab.h"

extern const KvVtabDef kvPartsTable;

#endif /* KV_VTAB_PARTS_H */
