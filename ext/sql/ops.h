/*
** ops.h -- from SQL arguments to the ops of an atomic operation.
*/
#ifndef KV_OPS_H
#define KV_OPS_H

#include "sql/sql.h"

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

/*
** Append the op (codec/op.h) to pOut, checked against the limits.  SQLITE_OK
** or an error with a message in *pzErr.
*/
int kvOpBuild(KvConn *pConn, const KvOpArgs *pArgs, KvBuf *pOut, char **pzErr);

/* The parts of a message, for the queue.  The slices of pOp point into the
** buffers. */
typedef struct KvMessage KvMessage;
struct KvMessage {
  KvOp op;                     /* value, delay, keys, backoff */
  KvBuf value, keys, backoff;
  u8 aDelay[8];
};
int kvMessageBuild(KvConn *pConn, const KvOpArgs *pArgs, KvMessage *p, char **pzErr);
void kvMessageClear(KvMessage *p);

/* KV_OP_xxx from the name of an op. */
int kvOpNamed(sqlite3_value *pName, int *peOp, char **pzErr);

/*
** Operations that functions run (run.c).  Ops are added as the bytes of
** kv_op(), which are checked because they may come from anywhere.  Running
** the list is one SQL statement.  Afterwards the connection's kv_conflict()
** is what this operation says.
*/
void kvRunInit(KvAtomList *p, KvConn *pConn, KvStore *pStore);
void kvRunClear(KvAtomList *p);
int kvRunAdd(KvAtomList *p, KvConn *pConn, const u8 *a, u32 n, char **pzErr);
int kvRun(KvAtomList *p, KvConn *pConn, KvStore *pStore, char **pzErr);
/* Inside of that statement: carry out the list that kvRun() was called with. */
int kvRunReached(KvConn *pConn, char **pzErr);

/* How many statements that write are under way.  (If it isn't the one that has
** called a function, what that writes goes into its transaction nevertheless.) */
int kvRunWriters(sqlite3 *db);

/*
** Call xCall(pArg, &zErr) inside of a nested statement that has a savepoint of
** its own and holds the write lock of pStore's file: if it fails, what it has
** written is undone.  kvRunOwn() does so only where the store has declared
** indexes, or a trigger that may fail and undo nothing; there a row can fail
** after something was written for it.
*/
int kvRunCall(KvConn *pConn, KvStore *pStore, int (*xCall)(void*, char**), void *pArg, char **pzErr);
int kvRunOwn(KvConn *pConn, KvStore *pStore, int (*xCall)(void*, char**), void *pArg, char **pzErr);

/*
** SQLite calls functions from the CHECK constraints of a file even if they are
** SQLITE_DIRECTONLY.  An error and *pzErr if that may be the case and the
** schema is not trusted.
*/
int kvRunRefused(sqlite3 *db, char **pzErr);

#endif /* KV_OPS_H */
