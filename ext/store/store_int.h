/*
** store_int.h -- a store, as the files of this folder see it.
**
** Most of it is in parts, each of which only one source knows.
*/
#ifndef KV_STORE_INT_H
#define KV_STORE_INT_H

#include "store/statement.h"
#include "store/work.h"

struct KvStore {
  sqlite3 *db;
  char *zSchema;          /* "main", ... */
  char *zPrefix;          /* In front of the names of the tables, often "" */
  const int *piV8Version; /* Header version of pointers that are written */
  KvError err;            /* Of the calls that are under way */
  KvWork work;            /* The write that is under way: work.c */
  struct KvStmts *pStmts;       /* Prepared statements: statement.c */
  struct KvSchema *pSchema;     /* What is there: schema.c */
  struct KvGuards *pGuards;     /* Open scans: scan_guard.c */
  struct KvPlain *pPlain;       /* Plain SQL that writes: plain_write.c */
  struct KvIndexes *pIndexes;   /* The declared indexes: index_def.c */
  struct KvIndexWork *pIndexWork;   /* Work space: index_entry.c */
  struct KvOverlay *pOverlays;  /* Those that are kept: overlay.c */
  struct KvTxn *pTxn;           /* The transaction's version: txn.c */
  u8 bInFeed;             /* kvFeedRow() is under way: feed.c */
  u8 bSwept;              /* Expired entries were removed, and the indexes do not
                          ** know yet: row_write.c */
  u8 bConflict;           /* What has failed is a conflict with an entry that was
                          ** found here, and not a statement */
  void (*xBefore)(void*, KvBytes);   /* Called before an index entry is changed,
                          ** unless 0: index_entry.c */
  void *pBefore;          /* Its argument */
  u32 nBump;              /* Versions that were taken: write.c */
  u32 nRef;               /* Users of this structure: store.c */
  u32 nTable;             /* Virtual tables among them that look after the
                          ** statements that are kept */
  KvStore *pNext;         /* List of the connection's stores */
};

#endif /* KV_STORE_INT_H */
