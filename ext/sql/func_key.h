/*
** func_key.h -- functions on keys.
*/
#ifndef KV_FUNC_KEY_H
#define KV_FUNC_KEY_H

#include "sql/call.h"

extern const KvFunc kvFuncsKey[];

#endif /* KV_FUNC_KEY_H */
