/*
** run.h -- work that is done as one nested statement, with a savepoint of its
** own and the write lock of the store's file: if it fails, what it has written
** is undone.
*/
#ifndef KV_RUN_H
#define KV_RUN_H

#include "sql/conn.h"

/* What is to be done: xCall(pArg), which leaves its error in the store.  If it comes
** upon other tables than were seen last, before it writes, it is called twice. */
typedef struct KvRun KvRun;
struct KvRun {
  KvStore *pStore;
  void (*xCall)(void*);
  void *pArg;
  const char *zUse;       /* What to use where functions may not write in a SELECT */
  u8 bTable;              /* A table asks, not a function */
};
#define KV_RUN_SELECT "it in a statement that writes: INSERT INTO t SELECT "

/* Do it for a function, or a table in a SELECT.  The error is left in the store. */
void kvRun(KvConn *pConn, const KvRun *pRun);

/* Do it inside of a statement that writes; the first argument is the KvConn, as in
** KvNest.  And only where the store has declared indexes, or a trigger that may fail
** and undo nothing: there a row can fail after something was written for it. */
void kvRunNest(void *pConn, KvStore *pStore, void (*xCall)(void*), void *pArg);
void kvRunOwn(KvConn *pConn, KvStore *pStore, void (*xCall)(void*), void *pArg);
/* Do it where the statement that writes has a savepoint, and fails with the row: the
** others of its rows are undone with it anyway. */
void kvRunWithin(KvStore *pStore, void (*xCall)(void*), void *pArg);

/* Inside of the nested statement: do what kvRun() was called with. */
void kvRunReached(KvConn *pConn, KvError *pError);

/* How many statements that write are under way.  (If it isn't the one that has
** called a function, what that writes goes into its transaction nevertheless.) */
int kvRunWriters(sqlite3 *db);
/* True if a function may not write, since kv_config('select_writes', 0) was called and
** no statement that writes is under way. */
int kvRunForbidden(const KvConn *pConn);
/*
** SQLite calls functions from the CHECK constraints of a file even if they are
** SQLITE_DIRECTONLY.  An error if that may be the case and the schema is not trusted.
*/
void kvRunRefused(sqlite3 *db, KvError *pError);

#endif /* KV_RUN_H */
