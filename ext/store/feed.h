/*
** feed.h -- the change feed.
**
** It is plain SQL in the file (sql/store/feed.sql): an index over the versions of
** the entries, and a table of deletions that triggers fill.  So it records the
** writes of any program.
*/
#ifndef KV_FEED_H
#define KV_FEED_H

#include "store/statement.h"

/* Rows 0 and 1 of kv_track_state, and the store's newest version. */
typedef struct KvFeed KvFeed;
struct KvFeed {
  u8 bThere;              /* There is a feed: the rest is set */
  u8 bWanted;             /* By more than the indexes */
  u8 bMark;               /* Row 1 exists: the triggers of the indexes support gaps */
  u8 bGap;                /* The indexes have caught up with versions up to iApplied, and with
                          ** those after iGap up to iDone; without a gap all three are equal */
  i64 iSince, iGeneration, iApplied, iVersion;
  i64 iGap, iDone;
  i64 iNonce;             /* Changes with each write that leaves a gap */
};

/* A number that changes when this connection sees the file change.  Its own
** transaction's writes change it when they are committed. */
u32 kvFeedData(KvStore *p);
/* Read it: bThere. */
int kvFeedGet(KvStore *p, KvFeed *pFeed);
/* The same, and hold the read transaction until the returned statement (maybe 0) is
** given back. */
KvStmt *kvFeedPin(KvStore *p, KvFeed *pFeed);
/* Start a new generation of the declared indexes, which invalidates what
** connections have cached of them.  Returns it. */
i64 kvFeedGeneration(KvStore *p);
/* kvStmtRow() of a statement that reads kv_track_state, kv_index_def or
** kv_index_value.  In a hostile file one of them may be a view that reads the feed
** or an index, which would recurse forever: kvFeedPin() inside it is an error. */
int kvFeedRow(KvStmt *pStmt);

/*
** Turn it on and off.  kvFeedOn() and kvFeedTrim() must run inside a statement that
** writes; kvFeedDrop() must not, since SQLite can't drop tables while a statement
** runs on the file.  Another program's objects with these names are left alone:
** kvNamesGroup().
*/
void kvFeedOn(KvStore *p, int bWanted);
void kvFeedDrop(KvStore *p);
/* Trim deletions before a version; returns how many. */
i64 kvFeedTrim(KvStore *p, i64 iBefore);

#endif /* KV_FEED_H */
