/*
** store_int.h -- a store, as seen by the files of this folder.
**
** Most of it is in parts; only the sources named with a part change it (tests/ladder.tcl).
** All zero is the initial state.
*/
#ifndef KV_STORE_INT_H
#define KV_STORE_INT_H

#include "bytes/map.h"
#include "codec/value.h"
#include "store/index/dirty.h"
#include "store/row.h"
#include "store/scan_guard.h"
#include "store/search.h"
#include "store/schema.h"
#include "store_sql.h"

/* statement.c: those that are free, by their texts. */
typedef struct KvStmts KvStmts;
struct KvStmts {
  u32 iGeneration;        /* Counts the layouts of the tables */
  u32 nReprepared;        /* Statements that SQLite has reprepared, a sign that the schema has
                          ** changed */
  u8 bOld;                /* The layout is the oldest: nothing expires */
  const char *zBelow;     /* {below x} of the text under construction: history.c */
  struct KvSearchNames *pSearch;       /* The full-text index of the text under construction */
  const char *azRange[2]; /* The ranges in it: kvStmtRanges() */
  KvStmt *apFree[KVSQL_COUNT];
};

/* schema.c: the state of the tables. */
typedef struct KvSchema KvSchema;
struct KvSchema {
  u8 eState;              /* KV_STORE_xxx as last seen */
  u8 bStale;              /* Something was rolled back since, or the schema has changed: look
                          ** again */
  u8 bHidden;             /* kvSchemaHide() */
  u32 nReprepared;        /* KvStmts.nReprepared by then */
  u32 iGeneration;        /* Counts the changes of eState */
  sqlite3_stmt *pSentinel;
  int nReprepare;         /* How often SQLite had prepared it again */
  u32 iSchema;            /* Counts the changes that were noticed */
  u32 mKnown;             /* KVKNOWN_xxx */
};

/* scan_guard.c: open scans. */
typedef struct KvGuards KvGuards;
struct KvGuards {
  u32 nScan;              /* Scans of an index or the feed that are open */
  i64 iClock;             /* Writes so far */
  KvMap map;              /* iValue: iClock when the key was written last */
  KvMap added;            /* iValue: iClock when the key was added last */
  KvOpenScan *pScan;      /* Scans of entries that are open */
};

/* What a write knows of the list of dirty keys, in this order: index/catch_up.c. */
#define KVFRESH_UNKNOWN  0
#define KVFRESH_CLEAN    1   /* No key is dirty */
#define KVFRESH_DIRTY    2   /* Keys of primary entries may be dirty */
#define KVFRESH_ALL      3   /* ... and those of index entries */

/* index/def.c, index/catch_up.c, index/declare.c, index/dirty.c, index/write.c, row.c, write.c:
** the declared indexes. */
typedef struct KvIndexes KvIndexes;
struct KvIndexes {
  u8 bLoaded;             /* apDef is what the next two stand for */
  u8 bBusy;               /* Between kvIndexEnter() and kvIndexLeave() */
  u8 bSearch;             /* There is a full-text index */
  u8 eFresh;              /* KVFRESH_xxx */
  u8 bWasClean;           /* The last write found no dirty key */
  int iCaughtUp;          /* The transaction has caught up: KvTxn.nSavepoint then, and 1; or 0 */
  i64 iGuard;             /* The number that the triggers pass over: dirty.c */
  i64 iGeneration;
  u32 iSchema;            /* KvSchema.iSchema then */
  u32 nDef;
  KvIndexDef **apDef;
};

/* index/dirty.c: the list as it was read last. */
typedef struct KvDirtySeen KvDirtySeen;
struct KvDirtySeen {
  KvDirty dirty;          /* bThere 0: it isn't known */
  u32 iSchema;            /* KvSchema.iSchema then, ... */
  u32 iData;              /* ... what SQLite counts of commits, ... */
  i64 nTotal;             /* ... and changes on the connection */
  i64 iExpires;           /* When the first entry expires, 0: that wasn't asked */
};

/* index/entry.c: work space. */
typedef struct KvIndexWork KvIndexWork;
struct KvIndexWork {
  KvTree tree;
  KvList parts;           /* Values, as kvIndexValues() gives them */
  KvList wanted, there;   /* Index entries of a primary entry */
  KvList rows;            /* Those of all indexes by kv_index_held */
  KvList held;            /* What a row of it becomes */
  KvTree now, before;     /* What a primary entry is, and what it was */
  KvFound current;        /* now as stored bytes */
  KvList whose;           /* Primary entries of an index entry */
  KvFound primary;        /* The primary entry that was looked up last */
  KvBuf form;             /* What an index entry holds for it */
  KvFound stored;         /* What is stored at an index entry */
};

/* search.c, index/catch_up.c, index/write.c. */
typedef struct KvSearches KvSearches;
struct KvSearches {
  KvDocument doc;         /* What a primary entry is in an index */
  u8 bDoubt;              /* FTS5 was out of memory */
  u32 nWait;              /* Entries that wait since some were followed, by this connection */
};

/* write.c: the transaction's version. */
typedef struct KvTxn KvTxn;
struct KvTxn {
  u8 bVersion;            /* iVersion has been taken */
  u8 bUntold;             /* A table in the transaction may have missed events */
  i64 iVersion;           /* Version of what the transaction's INSERT, UPDATE and
                          ** DELETE write */
  i64 nTotal;             /* sqlite3_total_changes64() after the last row of it;
                          ** it doesn't change until that statement ends */
  const void *pWriter;    /* That statement, if it was the only one that wrote, ... */
  int nRun;               /* ... and how often it had been run */
  u32 nBump;              /* KvStore.nBump when it was taken */
  u32 iGeneration;        /* KvSchema.iGeneration when it was taken */
  u32 nJoined;            /* Virtual tables in the transaction, which receive its savepoints and
                          ** its end */
  int iLevel;             /* Savepoints that were open when it was taken */
  int nSavepoint;         /* Savepoints that are open */
};

struct KvStore {
  sqlite3 *db;
  char *zSchema;          /* "main", ... */
  char *zPrefix;          /* The prefix of the tables' names, often "" */
  const int *piV8Version; /* Header version of pointers that are written */
  KvError err;            /* Of the calls that are under way */
  KvWrite *pWrite;        /* The write that is under way, or 0: statement.c */
  KvStmts stmts;
  KvSchema schema;
  KvGuards guards;
  KvIndexes indexes;
  KvDirtySeen seen;
  KvIndexWork indexWork;
  KvSearches search;
  struct KvOverlay *pOverlays;  /* Those that are kept: index/overlay.c */
  KvTxn txn;
  u8 bInFeed;             /* kvFeedRow() is under way: feed.c */
  const KvPublisher *pPublisher;   /* index/table.h */
  void *pPublished;       /* ... what it keeps */
  u32 nBump;              /* Versions that were taken: write.c */
  u32 nRef;               /* Users of this structure: store.c */
  u32 nTable;             /* Virtual tables among them that finalize the cached statements */
  KvStore *pNext;         /* List of the connection's stores */
};

#endif /* KV_STORE_INT_H */
