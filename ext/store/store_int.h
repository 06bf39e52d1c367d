/*
** store_int.h -- what the files of this folder see of a store.
*/
#ifndef KV_STORE_INT_H
#define KV_STORE_INT_H

#include "store/statement.h"

typedef struct KvIndexes KvIndexes;
typedef struct KvMarks KvMarks;
typedef struct KvReading KvReading;

/* The statement of which kvStoreForeign() has found out last. */
typedef struct KvForeign KvForeign;
struct KvForeign {
  sqlite3_stmt *pStmt;
  const char *zSql;
  int nReprepare, nRun;   /* As sqlite3_stmt_status() tells them */
  u8 bForeign;            /* The answer */
};

/* What the write that is under way has set up.  A trigger may write inside of
** it, and that write has its own. */
typedef struct KvWork KvWork;
struct KvWork {
  u8 bOwnStatement;       /* It has a savepoint of its own */
  u8 bMaking;             /* It makes the tables, or has failed to */
  u8 bInner;              /* It is inside of one that has written */
  i64 iVersion;           /* Of the entries that it writes; 0: none so far */
  KvBuf *pDefer;          /* Keys that were written and not looked at yet by the
                          ** declared indexes; 0: they look at once */
};

struct KvStore {
  sqlite3 *db;
  KvError err;            /* Of the calls that are under way */
  char *zSchema;          /* "main", ... */
  char *zPrefix;          /* In front of the names of the tables, often "" */
  u32 nRef;               /* Users of this structure */
  u32 nTable;             /* Virtual tables among them that look after the
                          ** statements that are kept */
  u32 iGeneration;        /* Counts the changes of eState */
  u8 eState;              /* KV_STORE_xxx as last seen */
  u8 bStale;              /* Something was rolled back since, or the schema is
                          ** another: look again */
  u8 bHidden;             /* A function uses it, and the file has a kv_entries
                          ** that is not ours: an error */
  KvStmts *pStmts;        /* The prepared statements: statement.c */
  u32 nReprepared;        /* kvStmtsReprepared() when it was last looked */
  u8 bTxnVersion;         /* iTxnVersion has been taken: see txn.c */
  i64 iTxnVersion;        /* Version of what the transaction's INSERT, UPDATE
                          ** and DELETE write */
  i64 nTxnTotal;          /* sqlite3_total_changes64() behind the last row of it;
                          ** it stands still until that statement ends */
  u8 bBumped;             /* A version was taken since */
  int iTxnLevel;          /* Savepoints that were open when it was taken */
  int nSavepoint;         /* Savepoints that are open */
  u32 nJoined;            /* Virtual tables that are part of the transaction, and
                          ** so are told of its savepoints and its end */
  u8 bUntold;             /* One of them may not have been told of all */
  sqlite3_stmt *pSentinel;  /* Notices changes of the schema: schema.c */
  int nReprepare;         /* How often SQLite had prepared it again */
  u32 iSchema;            /* Counts the changes that were noticed.  The next six
                          ** are not believed any more after one */
  u8 bQueueIndex;         /* The queue's indexes by id are there */
  u8 bNoExpiryIndex;      /* There is no index to find expired entries by */
  u8 bLooked;             /* The next three are known */
  u8 bTracked;            /* There is a change feed */
  u8 bIndexed;            /* There may be declared indexes */
  u8 bPending;            /* ... and their kv_index_pending */
  u8 bSwept;              /* Expired entries were removed, and the indexes do
                          ** not know yet */
  u8 bAside;              /* kvTrackStep() is under way */
  u8 bConflict;           /* What has failed is a conflict with an entry that was
                          ** found here, and not a statement */
  KvWork work;
  const int *piV8Version; /* Header version of pointers that are written */
  KvIndexes *pIndexes;    /* The declared indexes: index_def.c */
  KvForeign foreign;      /* Plain SQL that writes: foreign.c */
  KvMarks *pMarks;        /* What is written while one is read: marks.c */
  KvReading *pReading;    /* Who reads entries meanwhile */
  int (*xBefore)(void*, const u8*, u32, char**);   /* Called before an index
                          ** entry is changed, unless 0 */
  void *pBefore;          /* Its argument */
  KvStore *pNext;         /* List of the connection's stores */
};

#endif /* KV_STORE_INT_H */
