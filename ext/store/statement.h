/*
** statement.h -- the prepared statements of a store.
**
** Their texts are the files of sql/store, with the names of the store's tables
** filled in.  Each is prepared when it is first asked for, lent to one user at a
** time and given back.  After an error none is lent, and what is done with none
** is nothing: so a run of calls needs no look at the error in between.
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
#define KVREAD_LASTING 0x100  /* None has an expiry (only with ALL, without META and VALUE) */
#define KVREAD_SIZE    0x200  /* Columns: length(v) and, with META, expiration_ms; no others */

/* Columns of the result.  What the mask does not ask for is NULL or missing,
** and so is the key of a POINT. */
enum {
  KVREAD_COL_KEY, KVREAD_COL_VERSION, KVREAD_COL_EXPIRES, KVREAD_COL_V, KVREAD_COL_ENCODING
};
#define KVREAD_COL_SIZE 1     /* With KVREAD_SIZE, in the place of the version */

/* What a statement that updates an entry changes (a bit mask). */
#define KVSET_KEY      0x01
#define KVSET_VALUE    0x02
#define KVSET_EXPIRY   0x04

/* A write can't be carried out in this way: the store has declared indexes, or
** a trigger that may fail and undo nothing, so a row may fail after something
** was written for it.  Nothing has been written; it has to be run again as a
** statement of its own (see kvRunOwn() in sql/run.h). */
#define KV_AGAIN  (-1)

typedef struct KvIndexDef KvIndexDef;
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

/* Finalize all free statements.  kvStmtsLayout(): the tables have another layout
** (bOld: the oldest), so those that are lent aren't kept either. */
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
** kvStmtSearchText(): its text, of sqlite3_malloc(), 0 without memory. */
KvStmt *kvStmtSearch(KvStore *p, int eSql, const KvIndexDef *pDef, u32 mMask);
char *kvStmtSearchText(KvStore *p, int eSql, const KvIndexDef *pDef, u32 mMask);
/* Give a statement back: it is reset and its parameters are cleared. */
void kvStmtGive(KvStmt *p);

/* Bind a parameter; the bytes are not copied. */
void kvBindBytes(KvStmt *p, int i, KvBytes b);
void kvBindText(KvStmt *p, int i, KvBytes text);
void kvBindInt(KvStmt *p, int i, i64 v);
/* The empty text, which is before any BLOB. */
void kvBindEmpty(KvStmt *p, int i);

/* Advance to the next row.  0: there is none, or there is an error. */
int kvStmtRow(KvStmt *p);
/* A column of the row; the bytes stay until the next step. */
i64 kvStmtInt(KvStmt *p, int iCol);
KvBytes kvStmtBytes(KvStmt *p, int iCol);

/* Run a statement that gives no rows, and give it back. */
void kvStmtRun(KvStmt *p);
/* kvStmtRun() for KVSQL_xxx without parameters; for those from one to another. */
void kvStmtSimple(KvStore *p, int eSql);
void kvStmtScript(KvStore *p, int eFirst, int eLast);

/* The text of a statement, of sqlite3_malloc(); 0 without memory. */
char *kvStmtText(KvStore *p, int eSql);

/* sqlite3_prepare_v2() for the text that zFormat makes. */
int kvPrepare(sqlite3 *db, sqlite3_stmt **ppStmt, const char *zFormat, ...);

/* True for a statement of a store: it is ours, not the application's. */
int kvStmtOurs(sqlite3_stmt *pStmt);

/*
** The program of a statement, as EXPLAIN lists it: its own
** instructions, then those of the triggers that it fires.
**
**   kvExplainOpen(&walk, db, "EXPLAIN %s", zSql);
**   while( kvExplainNext(&walk) ){ ... }
**   rc = kvExplainClose(&walk);
**
** It takes no lock on the file, as reading the schema would.  Opcodes are no stable
** interface: what isn't known has to be taken for the worst.
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
/* Go to the next instruction.  False at the end, or after an error; then it may be
** gone through once more. */
int kvExplainNext(KvExplain *p);
/* Is it the first of its program?  P4 names the trigger then. */
int kvExplainFirst(const KvExplain *p);
/* P1, P2, P3 or P5 of the instruction. */
int kvExplainP(const KvExplain *p, int i);
/* SQLITE_OK, or an error: the program isn't known, or not all of it. */
int kvExplainClose(KvExplain *p);

/*
** The write that is under way.
*/

/* What the write that is under way has set up.  A trigger may write inside of
** it, and that write has its own. */
typedef struct KvWork KvWork;
struct KvWork {
  u8 bSavepoint;          /* It has a savepoint of its own */
  u8 bLater;              /* It is not the first of its statement's: kvWorkBegin() */
  u8 bMaking;             /* It makes the tables, or has failed to */
  u8 bInner;              /* It is inside of one that has written */
  u8 nDepth;              /* How many are around it */
  i64 iVersion;           /* Of the entries that it writes; 0: none so far */
  i64 iOwn;               /* KVOWN_xxx of the entries that it writes now */
  u8 bNoted;              /* Triggers of the indexes may have noted some of them */
  KvList *pDefer;         /* Keys that were written and not looked at yet by the
                          ** declared indexes; 0: they look at once */
};

/* Begin the work of a write; pass the result to its end.  It has a savepoint of its own, or
** (LATER) that of a statement that has already written another row. */
#define KVWORK_SAVEPOINT  1
#define KVWORK_LATER      2
KvWork kvWorkBegin(KvStore *p, int eSavepoint);
void kvWorkEnd(KvStore *p, const KvWork *pOuter);

/* kvStmtRun() of a statement that writes what the user has asked for.  KV_AGAIN
** if it may fail half-way and nobody would undo that. */
void kvWorkRun(KvStmt *pStmt);

/*
** The same of a statement on kv, of which the indexes follow what it does: what
** last_insert_rowid() is meanwhile, or 0.  NOTED: the triggers of the indexes pass it
** over; QUIET: those of the feed, too.  False if that isn't so, because other
** triggers may write.
*/
#define KVOWN_NOTED  (-(i64)0x7ffffffffffffffe)
#define KVOWN_QUIET  (-(i64)0x7fffffffffffffff)
int kvWorkOwn(KvStmt *pStmt, i64 iOwn);

/* Whether what has failed is a conflict with an entry that was found here, and not
** a statement. */
void kvWorkConflict(KvStore *p, int bConflict);
int kvWorkConflicted(const KvStore *p);

#endif /* KV_STATEMENT_H */
