/*
** func_op.h -- kv_op().
*/
#ifndef KV_FUNC_OP_H
#define KV_FUNC_OP_H

#include "sql/call.h"

extern const KvFunc kvFuncsOp[];

#endif /* KV_FUNC_OP_H */
