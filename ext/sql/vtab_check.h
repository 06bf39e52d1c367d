/*
** vtab_check.h -- the table kv_check.
*/
#ifndef KV_VTAB_CHECK_H
#define KV_VTAB_CHECK_H

#include "sql/vtab.h"

extern const KvVtabDef kvCheckTable;

#endif /* KV_VTAB_CHECK_H */
