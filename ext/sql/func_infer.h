/*
** func_infer.h -- kv_infer(prefix [, sample [, parts]]).
*/
#ifndef KV_FUNC_INFER_H
#define KV_FUNC_INFER_H

#include "sql/call.h"

extern const KvFunc kvFuncsInfer[];

#endif /* KV_FUNC_INFER_H */
