/*
** run.h -- work run as one nested statement, with a savepoint of its own and the
** write lock of the store's file: if it fails, what it has written is undone.
*/
#ifndef KV_RUN_H
#define KV_RUN_H

#include "sql/conn.h"

/* The work: xCall(pArg), which leaves its error in the store.  It is called twice
** if, before it writes, it finds that the tables have changed. */
typedef struct KvRun KvRun;
struct KvRun {
  KvStore *pStore;
  void (*xCall)(void*);
  void *pArg;
  const char *zUse;       /* What to use if functions may not write in a SELECT */
  u8 bTable;              /* A table asks, not a function */
};
#define KV_RUN_SELECT "it in a statement that writes: INSERT INTO t SELECT "

/* Run it for a function, or a table in a SELECT.  Errors are the store's;
** last_insert_rowid() stays. */
void kvRun(KvConn *pConn, const KvRun *pRun);

/* Run it inside a statement that writes; the first argument is the KvConn, as in
** KvNest.  The second function does so only if the store has declared indexes, or a
** trigger that may fail and undo nothing: only then can a row fail part-way. */
void kvRunNest(void *pConn, KvStore *pStore, void (*xCall)(void*), void *pArg);
void kvRunOwn(KvConn *pConn, KvStore *pStore, void (*xCall)(void*), void *pArg);
/* Do it where the statement that writes has a savepoint, and fails with the row: the
** others of its rows are undone with it anyway. */
void kvRunWithin(KvStore *pStore, void (*xCall)(void*), void *pArg);

/* Inside the nested statement: call what was passed to kvRun(). */
void kvRunReached(KvConn *pConn, KvError *pError);

/* The running statement that writes; 0 if there is none, or several. */
sqlite3_stmt *kvRunWriter(sqlite3 *db);
/* The number of running statements that write.  (A function's writes go into such a
** statement's transaction even if another statement has called the function.) */
int kvRunWriters(sqlite3 *db);
/* True if a function may not write, because select_writes is 0 and no statement
** that writes is running. */
int kvRunForbidden(const KvConn *pConn);
/*
** SQLite calls functions from the CHECK constraints of a file even if they are
** SQLITE_DIRECTONLY.  An error if that is possible and the schema is not trusted.
*/
void kvRunRefused(sqlite3 *db, KvError *pError);

#endif /* KV_RUN_H */
