/*
** func_id.h -- identifiers.
*/
#ifndef KV_FUNC_ID_H
#define KV_FUNC_ID_H

#include "sql/call.h"

extern const KvFunc kvFuncsId[];

#endif /* KV_FUNC_ID_H */
