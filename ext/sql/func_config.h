/*
** func_config.h -- kv_config().
*/
#ifndef KV_FUNC_CONFIG_H
#define KV_FUNC_CONFIG_H

#include "sql/call.h"

extern const KvFunc kvFuncsConfig[];

#endif /* KV_FUNC_CONFIG_H */
