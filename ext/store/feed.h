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

/* What kv_track_state has, and the store's newest version. */
typedef struct KvFeed KvFeed;
struct KvFeed {
  u8 bThere;              /* There is a feed: the rest is set */
  i64 iSince;             /* Deletions up to this version are not all known */
  i64 iVersion;
};

/* Read it: bThere. */
int kvFeedGet(KvStore *p, KvFeed *pFeed);
/* The same, and hold the read transaction until the returned statement (maybe 0) is
** given back. */
KvStmt *kvFeedPin(KvStore *p, KvFeed *pFeed);

/*
** kvStmtRow() of a statement that reads the feed's tables or those of the indexes.  In
** a hostile file one of them may be a view that reads the feed or an index, which would
** recurse forever: kvFeedNested() inside it sets an error, and returns true.
*/
int kvFeedRow(KvStmt *pStmt);
int kvFeedNested(KvStore *p);

/*
** Turn it on and off.  kvFeedOn() and kvFeedTrim() must run inside a statement that
** writes; kvFeedDrop() must not, since SQLite can't drop tables while a statement
** runs on the file.  Another program's objects with these names are left alone:
** kvNamesGroup().
*/
void kvFeedOn(KvStore *p);
void kvFeedDrop(KvStore *p);
/* Trim deletions before a version; returns how many. */
i64 kvFeedTrim(KvStore *p, i64 iBefore);

#endif /* KV_FEED_H */
