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

/* Rows 0 and 1 of kv_track_state, and the store's newest version. */
typedef struct KvFeed KvFeed;
struct KvFeed {
  u8 bThere;              /* There is a feed: the rest is set */
  u8 bWanted;             /* By more than the indexes */
  u8 bMark;               /* There is row 1: the triggers of the indexes know of gaps */
  u8 bGap;                /* The indexes have caught up to iApplied, and with all that is
                          ** later than iGap up to iDone; else iGap and iDone are iApplied */
  i64 iSince, iGeneration, iApplied, iVersion;
  i64 iGap, iDone;
  i64 iNonce;             /* Another one after each write that leaves a gap */
};

/* A number that changes when the file does, as far as this connection sees; not with
** what its own transaction writes until that is committed. */
u32 kvFeedData(KvStore *p);
/* Read it: bThere. */
int kvFeedGet(KvStore *p, KvFeed *pFeed);
/* The same, and hold the read transaction until what is returned is given back.
** It may be 0. */
KvStmt *kvFeedPin(KvStore *p, KvFeed *pFeed);
/* Give the declared indexes another generation, so that nothing that a connection keeps of
** them serves any longer.  Returns it. */
i64 kvFeedGeneration(KvStore *p);
/* kvStmtRow() of a statement that reads kv_track_state, kv_index_def or
** kv_index_value.  In a hostile file one of them is a view that reads the feed or an
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
