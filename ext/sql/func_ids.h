/*
** func_ids.h -- identifiers and waiting.
*/
#ifndef KV_FUNC_IDS_H
#define KV_FUNC_IDS_H

#include "sql/func.h"

extern const KvFunc kvFuncsIds[];

#endif /* KV_FUNC_IDS_H */
