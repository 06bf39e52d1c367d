/*
** func_key.h -- functions on keys, and the collation kv_compare.
*/
#ifndef KV_FUNC_KEY_H
#define KV_FUNC_KEY_H

#include "sql/call.h"

extern const KvFunc kvFuncsKey[];
int kvKeyCollate(void *pArg, int nA, const void *zA, int nB, const void *zB);

#endif /* KV_FUNC_KEY_H */
