/*
** vtab.h -- what the virtual tables over a store have in common: connecting,
** errors, and their part in transactions.
*/
#ifndef KV_TABLE_H
#define KV_TABLE_H

#include "sql/conn.h"

/* A virtual table over a store.  Tables with more to them begin with it. */
typedef struct KvTable KvTable;
struct KvTable {
  sqlite3_vtab base;      /* Must be first */
  KvConn *pConn;
  KvStore *pStore;
  u8 bElsewhere;          /* The store is in another file than the table */
  u8 bJoined;             /* It is part of the transaction: kvTxnJoin() */
  u64 mJson, mJs, mRaw;   /* Its columns that are marked values */
  KvTable *pNext;         /* In KvConn.pTables, which holds those that have any */
  char zEponym[14];       /* Its name, if that is the module's; or empty */
  u8 bEntries;            /* It is main.kv_entries */
};

/*
** xConnect and xCreate of CREATE VIRTUAL TABLE t USING module(args): the
** table looks as zDeclare says and its structure has nByte bytes, zero behind
** the KvTable.  xDisconnect and xDestroy, which leave the store alone.
*/
int kvTableConnect(
  sqlite3 *db, KvConn *pConn, int argc, const char *const *argv,
  const char *zDeclare, u32 nByte, sqlite3_vtab **ppVtab, char **pzErr
);
int kvTableDisconnect(sqlite3_vtab *pVtab);
/* sqlite3_declare_vtab(), and a message if that fails. */
int kvTableDeclare(sqlite3 *db, const char *zDeclare, char **pzErr);

/* For xOpen: an error if the statement calls the table by the name of another
** database, which SQLite allows (named.c). */
int kvTableOpen(sqlite3_vtab *pVtab);

/* Set the table's error message (zErr is taken over) and return rc.  Without a
** message SQLITE_ERROR and SQLITE_CONSTRAINT mean that there was no memory for
** one. */
int kvTableFail(sqlite3_vtab *pVtab, int rc, char *zErr);
/* The same for an error of a codec: "kv: zWhat: ..." */
int kvTableCodecError(sqlite3_vtab *pVtab, const char *zWhat, const KvErr *pErr);

/*
** Around the work of xUpdate.  A trigger on Deno's tables that writes to one of
** these tables makes it run inside of itself, each time on more of the C
** stack, and a file may hold such a trigger: from the KV_MAX_WRITING-th call on
** it is an error.  kvTableLeave() only after a kvTableEnter() that returned
** SQLITE_OK.  What belongs to the write around it is put aside meanwhile.
*/
#define KV_MAX_WRITING 8
typedef struct KvOuter KvOuter;
struct KvOuter {
  i64 iRowTotal;          /* Of KvConn */
  KvWork work;            /* Of KvStore */
};
int kvTableEnter(KvTable *p, KvOuter *pOuter, char **pzErr);
void kvTableLeave(KvTable *p, const KvOuter *pOuter);

/*
** A row of xUpdate: kvRunOwn() of xCall(pArg), between the two.  If the tables are
** not as they were when they were looked at last (dropped, or their creation
** rolled back), the first statement fails before anything is written: then it
** is called once more.
*/
int kvTableWrite(KvTable *p, int (*xCall)(void*, char**), void *pArg);

/* Before a table is freed: it may have been dropped inside of a transaction. */
void kvTableGone(KvTable *p);

/* xBegin: where SQLite does not lock the store's file for us, do it.  SQLite
** does not call it for a table that is made inside of the transaction. */
int kvTableBegin(sqlite3_vtab *pVtab);
int kvTableSync(sqlite3_vtab *pVtab);
int kvTableCommit(sqlite3_vtab *pVtab);
int kvTableRollback(sqlite3_vtab *pVtab);
int kvTableRename(sqlite3_vtab *pVtab, const char *zNew);
int kvTableSavepoint(sqlite3_vtab *pVtab, int iSavepoint);
int kvTableRelease(sqlite3_vtab *pVtab, int iSavepoint);
int kvTableRollbackTo(sqlite3_vtab *pVtab, int iSavepoint);

/* The result of a column that is an argument and was not given: an error. */
void kvTableOnlySelects(sqlite3_context *ctx, const char *zColumn);

/*
** The rowid of a row: for an OR of conditions SQLite reads a table more than
** once and tells by the rowid which rows it had already.  So a row's number in
** what a cursor returns is none.  It is a hash (SipHash-2-4) of what makes the
** row the one it is: of n bytes, and of others before them, whose hash is
** iStart (0: there are none).
*/
sqlite3_int64 kvTableRowid(sqlite3_int64 iStart, const void *a, u32 n);

#endif /* KV_TABLE_H */
