/*
** func_atomic.h -- functions that write.
*/
#ifndef KV_FUNC_ATOMIC_H
#define KV_FUNC_ATOMIC_H

#include "sql/call.h"

extern const KvFunc kvFuncsAtomic[];

/* The aggregate kv_atomic(). */
void kvAtomicStep(sqlite3_context *ctx, int nArg, sqlite3_value **apArg);
void kvAtomicFinal(sqlite3_context *ctx);

#endif /* KV_FUNC_ATOMIC_H */
