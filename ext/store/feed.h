/*
** feed.h -- the change feed.
**
** It is plain SQL in the file (sql/store/feed.sql): an index over the versions
** of the entries, and a table of deletions that triggers fill.  So it holds what
** any program writes.
*/
#ifndef KV_FEED_H
#define KV_FEED_H

#include "store/statement.h"

/* Row 0 of kv_track_state, and the store's newest version. */
typedef struct KvFeed KvFeed;
struct KvFeed {
  u8 bThere;              /* There is a feed: the rest is set */
  u8 bWanted;             /* By more than the indexes */
  i64 iSince, iGeneration, iApplied, iVersion;
};

/* Read it: bThere. */
int kvFeedGet(KvStore *p, KvFeed *pFeed);
/* The same, and hold the read transaction until what is returned is given back.
** It may be 0. */
KvStmt *kvFeedPin(KvStore *p, KvFeed *pFeed);
/* kvStmtRow() of a statement that reads kv_track_state, kv_index_def or
** kv_index_row.  In a hostile file one of them is a view that reads the feed or an
** index, which would go on for ever: kvFeedPin() inside of it is an error. */
int kvFeedRow(KvStmt *pStmt);

/*
** Turn it on, and off.  kvFeedOn() and kvFeedTrim() run inside of a
** statement that writes; kvFeedDrop() must not, since SQLite drops no table
** while a statement runs on the file.  What another program has by one of the
** names is left alone: kvNamesGroup().
*/
void kvFeedOn(KvStore *p, int bWanted);
void kvFeedDrop(KvStore *p);
/* Forget deletions before a version; returns how many. */
i64 kvFeedTrim(KvStore *p, i64 iBefore);

#endif /* KV_FEED_H */
