/*
** op_args.h -- from SQL arguments to the ops of an atomic operation.
*/
#ifndef KV_OP_ARGS_H
#define KV_OP_ARGS_H

#include "codec/versionstamp.h"
#include "sql/conn.h"
#include "store/atomic.h"

/* The arguments of ops, as the columns of kv_atomic are ordered. */
enum {
  KV_ARG_KEY, KV_ARG_VALUE, KV_ARG_EXPIRE_IN, KV_ARG_MIN, KV_ARG_MAX, KV_ARG_CLAMP,
  KV_ARG_DELAY, KV_ARG_KEYS, KV_ARG_BACKOFF, KV_ARG_COUNT
};

/* Those of one op. */
typedef struct KvOpArgs KvOpArgs;
struct KvOpArgs {
  int eOp;                     /* KV_OP_xxx */
  int eAs;                     /* How to interpret the value or message, KV_AS_xxx */
  sqlite3_value *ap[KV_ARG_COUNT];       /* 0: not given */
};

/* The arguments of a function in their usual order: key, value and others; or a
** message. */
void kvOpArgs(KvOpArgs *p, int eOp, int nArg, sqlite3_value **apArg);

/* An op under construction; its fields point into the buffers. */
typedef struct KvOpBuild KvOpBuild;
struct KvOpBuild {
  KvConn *pConn;
  const KvOpArgs *pArgs;
  KvError *pError;
  KvOp op;
  KvBuf key, value, min, max, keys, backoff;
  u8 aStamp[KV_VERSIONSTAMP_BYTES], aTime[8];     /* Versionstamp; expire_in or delay */
  u8 aKey[256], aValue[512];
};

/* Build the op and check it against the limits.  The caller clears it, even after
** an error. */
void kvOpBuild(KvOpBuild *p, KvConn *pConn, const KvOpArgs *pArgs, KvError *pError);
void kvOpBuildClear(KvOpBuild *p);
/* Append its bytes (codec/op.h) to pOut. */
void kvOpBytes(KvConn *pConn, const KvOpArgs *pArgs, KvBuf *pOut, KvError *pError);

/* Check the bytes of kv_op(), which may come from anywhere. */
void kvOpArgCheck(KvConn *pConn, sqlite3_value *pVal, KvError *pError);

/* KV_OP_xxx from the name of an op; 0: unknown, an error. */
int kvOpNamed(sqlite3_value *pName, KvError *pError);

#endif /* KV_OP_ARGS_H */
