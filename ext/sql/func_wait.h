/*
** func_wait.h -- kv_wait().
*/
#ifndef KV_FUNC_WAIT_H
#define KV_FUNC_WAIT_H

#include "sql/call.h"

extern const KvFunc kvFuncsWait[];

#endif /* KV_FUNC_WAIT_H */
