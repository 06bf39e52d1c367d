/*
** func_index.h -- functions that declare indexes and turn the change feed on.
*/
#ifndef KV_FUNC_INDEX_H
#define KV_FUNC_INDEX_H

#include "sql/call.h"

extern const KvFunc kvFuncsIndex[];

#endif /* KV_FUNC_INDEX_H */
