/*
** func_get.h -- SQL functions that read the main store.
*/
#ifndef KV_FUNC_GET_H
#define KV_FUNC_GET_H

#include "sql/call.h"

extern const KvFunc kvFuncsGet[];

#endif /* KV_FUNC_GET_H */
