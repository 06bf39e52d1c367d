/*
** func_store.h -- functions that read the main store.
*/
#ifndef KV_FUNC_STORE_H
#define KV_FUNC_STORE_H

#include "sql/func.h"

extern const KvFunc kvFuncsStore[];

#endif /* KV_FUNC_STORE_H */
