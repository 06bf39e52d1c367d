/*
** index.h -- the change feed of a store, and what is written while it is read.
**
** The feed (track.c) is plain SQL in the file (sql/store/track.sql): an index
** over the versions of the entries, and a table of deletions that triggers
** fill.  So it holds what any program writes.
*/
#ifndef KV_INDEX_H
#define KV_INDEX_H

#include "store/store.h"

/* Row 0 of kv_track_state, and the store's newest version. */
typedef struct KvTrack KvTrack;
struct KvTrack {
  u8 bThere;              /* There is a feed: the rest is set */
  u8 bWanted;             /* By more than the indexes */
  i64 iSince, iGeneration, iApplied, iVersion;
};

/*
** The feed.  kvTrackOn(), kvTrackTrim() and kvTrackWant() run inside of a
** statement that writes; kvTrackDrop() must not, since SQLite drops no table
** while a statement runs on the file.  What another program has by one of the
** names is left alone: kvStoreOwn().
*/
int kvTrackGet(KvStore *p, KvTrack *pTrack, char **pzErr);
/* The same, and hold the read transaction until *ppPin is given back.  It may
** be 0. */
int kvTrackPin(KvStore *p, KvStmt **ppPin, KvTrack *pTrack, char **pzErr);
/* kvStep() of a statement that reads kv_track_state, kv_index_def or
** kv_index_row.  In a hostile file one of them is a view that reads the feed or an
** index, which would go on for ever: kvTrackPin() inside of it is an error. */
int kvTrackStep(KvStore *p, KvStmt *pStmt);
int kvTrackOn(KvStore *p, int bWanted, char **pzErr);
/* Forget deletions before a version; *pnGone says how many. */
int kvTrackTrim(KvStore *p, i64 iBefore, i64 *pnGone, char **pzErr);
/* Forget some deletions up to a version, for a feed that is not wanted. */
int kvTrackForget(KvStore *p, i64 iMost, char **pzErr);
int kvTrackDrop(KvStore *p, char **pzErr);
/* Expired entries were removed behind a write: their deletions become part of
** it, and the indexes follow. */
int kvTrackSettle(KvStore *p, char **pzErr);

/*
** The keys that are written while an index or the feed is read (marks.c),
** which is between kvMarksOpen() and kvMarksClose().  kvMarksSince() tells
** whether a key was written since kvMarksClock() was iClock.  kvMarksPut() is
** called before the entry of a key is set, kvMarksAdd() before it is removed.
*/
int kvMarksOpen(KvStore *p);
void kvMarksClose(KvStore *p);
void kvMarksFree(KvStore *p);
int kvMarksAdd(KvStore *p, const u8 *a, u32 n);
int kvMarksPut(KvStore *p, const u8 *a, u32 n, char **pzErr);
i64 kvMarksClock(const KvStore *p);
int kvMarksSince(const KvStore *p, const u8 *a, u32 n, i64 iClock);

#endif /* KV_INDEX_H */
