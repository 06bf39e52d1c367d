/*
** run.h -- operations that functions run.
*/
#ifndef KV_RUN_H
#define KV_RUN_H

#include "sql/conn.h"
#include "sql/call.h"
#include "store/atomic.h"

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

extern const KvFunc kvFuncsRun[];

#endif /* KV_RUN_H */
