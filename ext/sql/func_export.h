/*
** func_export.h -- kv_export().
*/
#ifndef KV_FUNC_EXPORT_H
#define KV_FUNC_EXPORT_H

#include "sql/call.h"

extern const KvFunc kvFuncsExport[];

#endif /* KV_FUNC_EXPORT_H */
