/*
** vtab.h -- the skeleton of a virtual table.
**
** A table is a KvVtabDef: its names, the sizes of its structures, and its own
** methods.  This file does the rest: connecting, cursors, errors, rowids,
** transactions, and the frame of a write.
**
** A cursor is open, then on a row or at the end:
**
**   xOpen --> NEW --xFilter--> ROW --xNext--> ROW ... --xNext--> END --> xClose
**              `-------------> END        xFilter restarts from any of them
**
** xStop ends a query, keeps the memory and returns the cursor to the state after
** xOpen.  It is called at the end of the rows, after an error, and if the remaining
** rows aren't wanted.
*/
#ifndef KV_VTAB_H
#define KV_VTAB_H

#include "bytes/bytes.h"
#include "sql/conn.h"
#include "sql/entry_columns.h"
#include "sql/named.h"
#include "store/error.h"
#include "store/statement.h"

typedef struct KvVtabDef KvVtabDef;
typedef struct KvVtab KvVtab;
typedef struct KvVtabCursor KvVtabCursor;
typedef struct KvVtabRow KvVtabRow;
typedef struct KvVtabCons KvVtabCons;

/* A table.  Structures with further fields begin with it. */
struct KvVtab {
  sqlite3_vtab base;      /* Must be first */
  const KvVtabDef *pDef;
  KvConn *pConn;
  KvStore *pStore;        /* 0 with KVTAB_NO_STORE: then */
  KvError error;          /* ... its error */
  KvVtabCursor *pSpare;   /* Cursors that are kept with their memory */
  int nSpare;
  u8 bElsewhere;          /* The store is in another file than the table */
  u8 bJoined;             /* It is part of the transaction: kvTxnJoin() */
  u8 bHome;               /* It is main.kv_entries */
  u8 bEponym;             /* Its name is the module's */
  char *zName;            /* For messages */
  KvNamed named;          /* What is known of the names that statements call it by */
  u8 nInput;              /* The arguments that it takes: the hidden columns before ... */
  u16 iExtra;             /* ... kv_extra, which stands for a further one; 0: there is none */
  u64 mJson, mJs, mRaw;   /* Its columns that are marked values */
  KvVtab *pNext;          /* In KvConn.pTables, the list of those that have any */
#ifdef KV_DEBUG
  u8 eTxn;                /* vtabOrder(): VTAB_xxx, */
  int iSavepoint;         /* ... and this was the last savepoint in it */
#endif
};

/* Where a cursor is. */
#define KVCUR_NEW  0      /* xFilter was not called yet */
#define KVCUR_ROW  1
#define KVCUR_END  2

/* A cursor.  The cursors of all tables begin with it.  All zero at first. */
struct KvVtabCursor {
  sqlite3_vtab_cursor base;  /* Must be first */
  const KvVtabDef *pDef;
  KvStore *pStore;        /* That of the table */
  KvError *pError;        /* Error of the store or the table */
  u8 eState;              /* KVCUR_xxx */
  u32 nAhead;             /* Further rows whose columns aren't read, as for count(*) */
  const char *zPlan;      /* In xFilter: idxStr */
  i64 iRow;               /* Number of the row, from 0 */
  i64 iQuery;             /* Hash of the arguments of xFilter, 0: there are none */
  KvStmt *pStmt;          /* Of the query: given back after xStop */
  KvEntryColumns show;    /* The row's columns, if it is an entry or a message */
  KvVtabCursor *pNext;    /* Next spare one */
};

/* What xConnect tells, from sqlite3_malloc(). */
typedef struct KvVtabArgs KvVtabArgs;
struct KvVtabArgs {
  char *zDeclare;         /* CREATE TABLE ... */
  char *zSchema, *zPrefix;  /* Of the store */
  u8 bCreate;             /* It is being created; otherwise it may be older */
};

/* A row that is written. */
struct KvVtabRow {
  KvVtab *pTab;
  sqlite3_value *pOld;    /* UPDATE, DELETE: the old primary key; otherwise 0 */
  sqlite3_value *pNew;    /* INSERT, UPDATE: the new one, of a table with rowids */
  sqlite3_value **apCol;  /* INSERT, UPDATE: the columns; else 0 */
  u8 bReplace;            /* OR REPLACE */
  u8 bAbort;              /* If it fails, so does the statement */
  u8 bConflict;           /* It has failed by a conflict with an entry: KvWrite.bConflict */
  u8 bInner;              /* It is written inside of another write, by a trigger */
  sqlite3_int64 *piRowid; /* INSERT: receives last_insert_rowid(), if it changes */
  i64 iRowTotal;          /* KvConn.iRowTotal before the row, and after it; */
  const void *pRowOper;   /* ... KvConn.pRowOper */
};

#define KVTAB_NO_STORE     0x01   /* Needs no store and is innocuous */
#define KVTAB_MAIN         0x02   /* Always over the main store */
#define KVTAB_EPONYMOUS    0x04   /* There is no CREATE VIRTUAL TABLE for it */
#define KVTAB_DIRECTONLY   0x08   /* Not from triggers and views */
#define KVTAB_CONSTRAINTS  0x10   /* OR IGNORE and its like are heeded */
#define KVTAB_HOME         0x40   /* kv_entries, which functions connect to: KvConn.nEntries */
#define KVTAB_CREATED      0x80   /* There is none without CREATE VIRTUAL TABLE */
#define KVTAB_UNCOUNTED    0x20   /* Doesn't look after the store's statements */

/*
** The query plan, if it depends only on which constraints kvVtabPlan() has taken:
** any of them, or none.  zHow is for EXPLAIN QUERY PLAN, or 0.
*/
typedef struct KvVtabCost KvVtabCost;
struct KvVtabCost {
  i64 nRows;
  double rCost;
  const char *zHow;
};
typedef struct KvVtabPlan KvVtabPlan;
struct KvVtabPlan {
  const KvVtabCons *aCons;
  int nCons;
  KvVtabCost some, none;
  int nOrder;             /* 1 + the column that orders the rows; 0: no order */
};

/* The rows of a query: go to the first, and to the next (true if there is one). */
typedef struct KvVtabRead KvVtabRead;
struct KvVtabRead {
  int (*xFilter)(KvVtabCursor*, int mPlan, sqlite3_value **apArg, int nArg);
  int (*xNext)(KvVtabCursor*);
  void (*xColumn)(KvVtabCursor*, sqlite3_context*, int iCol);
  i64 (*xRowid)(KvVtabCursor*);          /* 0: by the arguments and iRow */
};

/*
** Errors are the cursor's (pError) or the store's.  SQLITE_ERROR and
** SQLITE_CONSTRAINT without a text mean that there was no memory for one.
*/
struct KvVtabDef {
  const char *zName;      /* The module's */
  const char *zDeclare;   /* CREATE TABLE ...; 0: xConnect tells it */
  u32 mFlags;             /* KVTAB_xxx */
  u32 nTable;             /* Bytes of the table; 0: a KvVtab */
  /* Read the arguments of CREATE VIRTUAL TABLE, argv[3] ..., into a table without a
  ** store */
  int (*xConnect)(KvVtab*, int argc, const char *const *argv, KvVtabArgs*, char **pzErr);
  int (*xCreate)(KvVtab*, char **pzErr);   /* It is new, and has its store */
  int (*xBestIndex)(KvVtab*, sqlite3_index_info*);
  KvVtabPlan plan;        /* ... or in the place of that */
  KvVtabRead read;        /* All zero: the table has no rows */
  u32 nCursor;            /* Bytes of a cursor; 0: a KvVtabCursor */
  u32 nBuf;               /* Buffers (KvBuf, KvList) that follow its KvVtabCursor: emptied after
                          ** xStop, freed after xFree */
  /* The rest may be 0. */
  int (*xOpen)(KvVtabCursor*);
  void (*xStop)(KvVtabCursor*);
  void (*xClose)(KvVtabCursor*);         /* The statement ends: let go what xStop has kept */
  void (*xFree)(KvVtabCursor*);          /* Free what a stopped cursor holds */
  /* ... or keep the cursor, if it holds little besides buffers and show */
  u64 (*xMemory)(const KvVtabCursor*);
  /* Write a row, perhaps inside a nested statement and twice: see vtabWrite() */
  void (*xWrite)(KvVtab*, const KvVtabRow*);
  /* The same once, with its own error, instead of that */
  int (*xUpdate)(KvVtab*, KvVtabRow*, char **pzErr);
  /* The transaction begins or ends (-1), or is rolled back to a savepoint */
  void (*xTxn)(KvVtab*, int iSavepoint);
  void (*xDisconnect)(KvVtab*);
  int (*xDrop)(KvVtab*);                 /* It is to be dropped; may refuse */
  int (*xSync)(KvVtab*, char **pzErr);   /* The transaction is about to end; may refuse */
};

/* Register the module of a table. */
int kvVtabRegister(KvConn *p, const KvVtabDef *pDef);

/*
** A constraint that xBestIndex can take.  For KVCONS_ARGUMENT, the hidden column of
** an argument, there is no plan without its value, and SQLite doesn't check it
** again.
*/
struct KvVtabCons {
  int iCol;
  u8 op;                  /* SQLITE_INDEX_CONSTRAINT_xxx */
  u8 mFlags;              /* KVCONS_xxx */
  const char *zWord;      /* In EXPLAIN QUERY PLAN, or 0 */
};
#define KVCONS_ARGUMENT  1
#define KVCONS_IS        2   /* IS as well as = */
#define KVCONS_BINARY    4   /* Only if texts are compared as bytes */
#define KVCONS_KEY       8   /* Only if they are compared under kv_compare */

/* Is it a constraint of that kind?  It may still be unusable. */
int kvVtabFits(const sqlite3_index_info *pInfo, int iCons, const KvVtabCons *p);
/* Does it compare under the collation of KVCONS_BINARY or KVCONS_KEY? */
int kvVtabUnder(sqlite3_index_info *pInfo, int iCons, int mFlags);
/* The first usable one of that kind, -1: none.  *pbNone: there is no plan. */
int kvVtabChoose(sqlite3_index_info *pInfo, const KvVtabCons *p, int *pbNone);
/* Take one: its value is argument iArg of xFilter, from 1 on.  bOmit: SQLite doesn't check
** it again. */
void kvVtabTake(sqlite3_index_info *pInfo, int iCons, int iArg, int bOmit);
/* Take the first of each of n constraints: bit i of idxNum is aCons[i], and xFilter
** gets the values in the order of the bits.  SQLITE_CONSTRAINT: no plan. */
int kvVtabPlan(sqlite3_index_info *pInfo, const KvVtabCons *aCons, int n);
/* The plan in words, "zHow a AND b zMore", becomes idxStr.  SQLITE_OK or SQLITE_NOMEM. */
int kvVtabWords(
  sqlite3_index_info *pInfo, const char *zHow, const KvVtabCons *aCons, int n, const char *zMore
);
/* True if ORDER BY is the one column iCol, in ascending order. */
int kvVtabAscends(const sqlite3_index_info *pInfo, int iCol);

/*
** A trigger on Deno's tables that writes to one of these tables makes a write
** recurse, using more of the C stack each time, and a file may contain such a
** trigger: the KV_MAX_WRITING-th nested write is an error.
*/
#define KV_MAX_WRITING 8

/* The result of an argument's column without a value: an error. */
void kvVtabOnlySelects(sqlite3_context *ctx, const char *zColumn);
/* Is a statement under way that looks like an UPDATE ... FROM?  Before SQLite 3.45 it reads every
** column and assigns it. */
int kvVtabUpdatesFrom(sqlite3 *db);

#endif /* KV_VTAB_H */
