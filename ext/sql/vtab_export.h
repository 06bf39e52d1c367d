/*
** vtab_export.h -- kv_export().
*/
#ifndef KV_VTAB_EXPORT_H
#define KV_VTAB_EXPORT_H

#include "sql/func.h"

extern const KvFunc kvFuncsExport[];

#endif /* KV_VTAB_EXPORT_H */
