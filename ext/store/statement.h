/*
** statement.h -- the prepared statements of a store.
**
** Their texts are in the files of sql/store; the names of the store's tables are
** filled in.  Each is prepared on first use, lent to one user at a time and given
** back.  After an error none is lent, and calls with none do nothing: so a run of
** calls needs no check of the error in between.
**
**   kvStmtRun(kvStmtWith(p, KVSQL_DELETE, "b", key));
*/
#ifndef KV_STATEMENT_H
#define KV_STATEMENT_H

#include "bytes/list.h"
#include "store/error.h"

/* Pieces of the statements that read entries (a bit mask). */
#define KVREAD_META    0x01   /* Columns: version, expiration_ms too */
#define KVREAD_VALUE   0x02   /* Columns: v, v_encoding too */
#define KVREAD_UPPER   0x04   /* There is an upper bound ?2 */
#define KVREAD_DESC    0x08   /* Descending */
#define KVREAD_OFFSET  0x10   /* Skip ?4 rows */
#define KVREAD_POINT   0x20   /* The one entry with the key ?1 */
#define KVREAD_ALL     0x40   /* Expired entries too: there are none */
#define KVREAD_SORTED  0x80   /* Read all of it before the first row */
#define KVREAD_LASTING 0x100  /* No entry has an expiry (only with ALL, without META and VALUE) */
#define KVREAD_SIZE    0x200  /* Columns: length(v) and, with META, expiration_ms; no others */

/* Columns of the result.  Those that the mask doesn't ask for are NULL or missing,
** as is the key of a POINT. */
enum {
  KVREAD_COL_KEY, KVREAD_COL_VERSION, KVREAD_COL_EXPIRES, KVREAD_COL_V, KVREAD_COL_ENCODING
};
#define KVREAD_COL_SIZE 1     /* With KVREAD_SIZE, in the place of the version */

/* What a statement that updates an entry changes (a bit mask). */
#define KVSET_KEY      0x01
#define KVSET_VALUE    0x02
#define KVSET_EXPIRY   0x04

/* The write may fail part-way with no enclosing savepoint to roll it back, because
** the store has declared indexes, or a trigger that may fail and undo nothing.
** Nothing has been written; run it again as a statement of its own (see kvRunOwn()
** in sql/run.h). */
#define KV_AGAIN  (-1)

typedef struct KvIndexDef KvIndexDef;
typedef struct KvPublisher KvPublisher;
typedef struct KvStore KvStore;
typedef struct KvStmt KvStmt;
struct KvStmt {
  sqlite3_stmt *pStmt;
  KvStore *pStore;        /* Whose it is */
  void *pHolder;          /* Who holds a snapshot by it: sql/snapshot.c */
  int eSql;               /* The rest is private: its text, ... */
  u32 mMask;              /* ... and the pieces that are in it */
  char *zSearch;          /* ... and the full-text index, or 0 */
  u32 iGeneration;        /* Layout of the tables when it was prepared */
  u8 bLent;
  u8 bOnce;               /* Not to be kept: see stmtTriggers() */
  u8 bHalf;               /* It may fail and leave half of its work */
  u8 bFires;              /* It writes and fires triggers */
  u8 bForeign;            /* ... not only those of this library */
  KvStmt *pNext;          /* Next free statement of the same text */
};

/* Finalize all free statements.  kvStmtsLayout(): the layout of the tables has
** changed (bOld: the oldest), so lent statements won't be kept either. */
void kvStmtsRelease(KvStore *p);
void kvStmtsLayout(KvStore *p, int bOld);

/* A statement: KVSQL_xxx of build/store_sql.h.  kvStmtMask(): with some pieces of it, a
** mask of KVREAD_xxx or of KVSET_xxx (KVSQL_UPDATE).  kvStmtWith() binds its parameters, as
** zArgs has them: b a BLOB and t a text, both KvBytes; i an i64; v an SQL value. */
KvStmt *kvStmtTake(KvStore *p, int eSql);
KvStmt *kvStmtMask(KvStore *p, int eSql, u32 mMask);
KvStmt *kvStmtWith(KvStore *p, int eSql, const char *zArgs, ...);
/*
** A statement that reads entries, mMask of KVREAD_xxx.  The parameters are
** ?1 the key or the inclusive lower bound, ?2 the exclusive upper bound, ?3
** the time in ms at which entries are looked at (not with KVREAD_ALL), ?4 the
** rows to skip.
*/
KvStmt *kvStmtReader(KvStore *p, u32 mMask);
/* A statement of a full-text index, KVSQL_SEARCH_xxx, mMask of KVSEARCH_xxx (search_names.h).
** kvStmtSearchText(): its text, from sqlite3_malloc(), 0 if out of memory. */
KvStmt *kvStmtSearch(KvStore *p, int eSql, const KvIndexDef *pDef, u32 mMask);
char *kvStmtSearchText(KvStore *p, int eSql, const KvIndexDef *pDef, u32 mMask);
/* Has a statement been prepared that SQLite has no reason to prepare again, such as another
** authorizer? */
int kvStmtCurrent(const KvStore *p, int eSql);
/* Give a statement back: it is reset and its parameters are cleared. */
void kvStmtGive(KvStmt *p);

/* Bind a parameter; the bytes are not copied. */
void kvBindBytes(KvStmt *p, int i, KvBytes b);
void kvBindText(KvStmt *p, int i, KvBytes text);
void kvBindInt(KvStmt *p, int i, i64 v);

/* Advance to the next row.  0: no row, or an error. */
int kvStmtRow(KvStmt *p);
/* A column of the row; the bytes stay until the next step. */
i64 kvStmtInt(KvStmt *p, int iCol);
KvBytes kvStmtBytes(KvStmt *p, int iCol);

/* Run a statement that gives no rows, and give it back. */
void kvStmtRun(KvStmt *p);
/* kvStmtRun() for KVSQL_xxx without parameters; for those from one to another. */
void kvStmtSimple(KvStore *p, int eSql);
void kvStmtScript(KvStore *p, int eFirst, int eLast);
/* Call xCall, and return what it does, while the texts of triggers on the keys of the indexes
** can be made: zNew and zOld are conditions on the rows NEW and OLD. */
int kvStmtRanges(KvStore *p, const char *zNew, const char *zOld, int (*xCall)(KvStore*));

/* What {below x} is in the texts of statements from here on, with @ for the row x; 0: always
** met. */
void kvStmtBelow(KvStore *p, const char *zIf);

/* The text of a statement, from sqlite3_malloc(); 0 if out of memory. */
char *kvStmtText(KvStore *p, int eSql);

/* sqlite3_prepare_v2() for the text that zFormat makes. */
int kvPrepare(sqlite3 *db, sqlite3_stmt **ppStmt, const char *zFormat, ...);

/* True for a statement of a store: it is ours, not the application's. */
int kvStmtOurs(sqlite3_stmt *pStmt);

/*
** The program of a statement, as listed by EXPLAIN: its own instructions, then
** those of the triggers that it fires.
**
**   kvExplainOpen(&walk, db, "EXPLAIN %s", zSql);
**   while( kvExplainNext(&walk) ){ ... }
**   rc = kvExplainClose(&walk);
**
** Unlike reading the schema, this takes no lock on the file.  Opcodes are not a
** stable interface: the caller must assume the worst of unknown ones.
*/

typedef struct KvExplain KvExplain;
struct KvExplain {
  sqlite3_stmt *pStmt;
  int rc;                 /* SQLITE_OK, or the error */
  int iProgram;           /* 1: the statement's own; then those of triggers */
  const char *zOp;        /* The instruction: its opcode, ... */
  const char *zP4;        /* ... and P4, or 0 */
};

/* Begin with the EXPLAIN statement that zFormat makes. */
void kvExplainOpen(KvExplain *p, sqlite3 *db, const char *zFormat, ...);
/* Go to the next instruction.  False at the end, or after an error; the walk can
** then be repeated. */
int kvExplainNext(KvExplain *p);
/* Is it the first of its program?  P4 names the trigger then. */
int kvExplainFirst(const KvExplain *p);
/* P1, P2, P3 or P5 of the instruction. */
int kvExplainP(const KvExplain *p, int i);
/* SQLITE_OK, or an error: the program is unknown, or partly so. */
int kvExplainClose(KvExplain *p);

/*
** The current write.
*/

/* A write that is under way: a value on the stack of whoever writes, from kvWriteBegin() to
** kvWriteEnd().  A trigger may write inside of it; that write is another one. */
typedef struct KvWrite KvWrite;
struct KvWrite {
  KvStore *pStore;
  KvWrite *pOuter;        /* The one around it, or 0 */
  u8 bSavepoint;          /* It has a savepoint of its own */
  u8 bLater;              /* It is not the first of its statement's */
  u8 bMaking;             /* It makes the tables, or has failed to */
  u8 bInner;              /* It is inside one that has written */
  u8 bGuard;              /* Triggers pass over the entries that it writes: kvWriteOwn() */
  u8 bConflict;           /* It has failed by a conflict with an entry that was found here, not by
                          ** a statement */
  i64 iVersion;           /* Version of the entries that it writes; 0: none so far */
  u32 nCaughtUp;          /* Keys with which it has caught up: index/catch_up.c */
  KvList *pDefer;         /* Keys written for which index maintenance is deferred; 0: it isn't
                          ** deferred */
  void (*xBefore)(void*, KvBytes);   /* Called before an index entry is changed, unless 0; by the
                          ** writes inside of it, too */
  void *pBefore;          /* Its argument */
  KvBuf rivalPath;        /* A violation of uniqueness: path of the index ... */
  KvBuf rival;            /* ... and primary key that has the value already */
};

/* Begin and end.  It has a savepoint of its own, or (LATER) that of a statement that has
** already written another row. */
#define KVWRITE_SAVEPOINT  1
#define KVWRITE_LATER      2
void kvWriteBegin(KvWrite *pWrite, KvStore *p, int eSavepoint);
void kvWriteEnd(KvWrite *pWrite);
int kvWriteIsLater(const KvStore *p);

/* kvStmtRun() for a statement that does the user's write.  KV_AGAIN if it may fail
** part-way with no enclosing savepoint to roll it back. */
void kvWriteRun(KvStmt *pStmt);

/* The same for a statement on kv after which this library brings up the indexes.  Their
** triggers pass over it, because last_insert_rowid() is their guard meanwhile.  False if
** they don't: other triggers may write, too. */
int kvWriteOwn(KvStmt *pStmt);

/* KvWrite.bConflict of the current write. */
void kvWriteConflict(KvStore *p, int bConflict);

#endif /* KV_STATEMENT_H */
