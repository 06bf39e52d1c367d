/*
** op_args.h -- from SQL arguments to the ops of an atomic operation.
*/
#ifndef KV_OP_ARGS_H
#define KV_OP_ARGS_H

#include "sql/conn.h"
#include "store/atomic.h"

/* The arguments of one op; those that are not given are 0. */
typedef struct KvOpArgs KvOpArgs;
struct KvOpArgs {
  int eOp;                     /* KV_OP_xxx */
  sqlite3_value *pKey;
  sqlite3_value *pValue;       /* Value, versionstamp, operand or message */
  int eAs;                     /* Value, message: how it is meant, KV_AS_xxx */
  sqlite3_value *pExpireIn;
  sqlite3_value *pMin, *pMax, *pClamp;
  sqlite3_value *pDelay, *pKeys, *pBackoff;
};

/* The arguments of a function, in their usual order: key, value and what else the op
** takes; or a message. */
void kvOpArgsKeyed(KvOpArgs *p, int eOp, int nArg, sqlite3_value **apArg);
void kvOpArgsMessage(KvOpArgs *p, int nArg, sqlite3_value **apArg);

/*
** Append the op (codec/op.h) to pOut, checked against the limits.
*/
void kvOpBuild(KvConn *pConn, const KvOpArgs *pArgs, KvBuf *pOut, KvError *pError);

/* The parts of a message, for the queue.  The slices of pOp point into the
** buffers. */
typedef struct KvMessage KvMessage;
struct KvMessage {
  KvOp op;                     /* value, delay, keys, backoff */
  KvBuf value, keys, backoff;
  u8 aDelay[8];
};
void kvMessageBuild(KvConn *pConn, const KvOpArgs *pArgs, KvMessage *p, KvError *pError);
void kvMessageClear(KvMessage *p);

/* Check the bytes of kv_op(), which may come from anywhere. */
void kvOpArgCheck(KvConn *pConn, sqlite3_value *pVal, KvError *pError);

/* KV_OP_xxx from the name of an op; 0: unknown, an error. */
int kvOpNamed(sqlite3_value *pName, KvError *pError);

#endif /* KV_OP_ARGS_H */
