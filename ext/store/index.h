/*
** index.h -- the change feed and the declared indexes of a store.
**
** The feed (track.c) is plain SQL in the file (sql/store/track.sql): an index
** over the versions of the entries, and a table of deletions that triggers
** fill.  So it holds what any program writes.
**
** A declared index (index_def.c) has a name, the prefix of its primary entries, a
** path into their values, and entries of its own under the key [name] (see
** codec/index_key.h).  Beside them the table kv_index_row tells which index
** entries each primary entry has.
**
**   kv       ["users",1] -> {email: "a@x"}     ["users_by_email","a@x"] -> 1
**   kv_index_row   ik = ["users_by_email","a@x"], pk = ["users",1]
**
** Whatever is written through this library brings both up at once.  What
** another program has written is found by the feed: kv_track_state.applied is
** the version up to which it has been brought up.  What is written without a new
** version (plain SQL that takes none, also that of a trigger or behind a write of
** this library in one transaction) is noted by triggers, in kv_index_pending.  The
** next version that is taken here brings up both; until then a reader merges them
** (index_scan.c).  What this library writes itself is noted, too, and crossed out
** at once.
*/
#ifndef KV_INDEX_H
#define KV_INDEX_H

#include "store/store.h"

/* What a reader has to add to an index: index_scan.c. */
typedef struct KvOverlay KvOverlay;

/* Options of an index (a bit mask). */
#define KVINDEX_UNIQUE  0x01   /* A value has one primary entry */
#define KVINDEX_LOWER   0x02   /* A to Z in strings become a to z */
#define KVINDEX_COPY    0x04   /* An entry holds the primary's value */
#define KVINDEX_SPARSE  0x08   /* Without a value there is no entry: always so */

/* A declared index. */
typedef struct KvIndexDef KvIndexDef;
struct KvIndexDef {
  char *zName;
  char *zPath;
  char *zOptions;
  u32 mOptions;           /* KVINDEX_xxx */
  u8 *aName;              /* Stored bytes of the key [name] */
  u32 nName;
  u8 *aPrefix;            /* Stored bytes of the prefix; n may be 0 */
  u32 nPrefix;
  KvOverlay *pOver;       /* The one that was used last, or 0 */
  u8 bOverwrite;          /* kvIndexCreate(): what stands in the place of its
                          ** entries may be overwritten */
};

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

/* Whether there are a feed and indexes: p->bTracked, p->bIndexed, p->bPending.  The second of
** them relies on a kvStoreSchema() just before. */
int kvIndexLook(KvStore *p, char **pzErr);
int kvIndexKnow(KvStore *p, char **pzErr);

/*
** What writing calls.  kvIndexBegin(): a new version was taken, iOld is the
** one before; kvIndexResume(): writing goes on with a version that was taken
** before; kvIndexWritten(): the entry of a key was set or removed.
*/
int kvIndexBegin(KvStore *p, i64 iOld, i64 iNew, char **pzErr);
int kvIndexResume(KvStore *p, i64 iVersion, char **pzErr);
int kvIndexWritten(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr);
/* Bring up the indexes for deletions later than a version. */
int kvIndexSwept(KvStore *p, i64 iVersion, char **pzErr);

/* *pbPending: keys were written without a new version, and the indexes have not
** caught up.  (After kvTrackGet(), in the same transaction.) */
int kvIndexPending(KvStore *p, int *pbPending, char **pzErr);
/* *pbStale: there are indexes, and another program has written since they were
** brought up. */
int kvIndexStale(KvStore *p, int *pbStale, char **pzErr);

/*
** Between the two, what was written is only noted, and uniqueness is looked at
** at the end: so two entries may exchange their values.  pList is the
** caller's; kvIndexDeferEnd() is called whatever has happened, with rc.
*/
void kvIndexDefer(KvStore *p, KvBuf *pList);
int kvIndexDeferEnd(KvStore *p, int rc, char **pzErr);

/* Declare an index (pDef->aName is set here) and make its entries; *pnEntry
** says how many.  If entries are there already, and all of them hold copies or all
** pointers, the index has that form.  Anything else that is there is an error, or
** is overwritten.  Remove one; *pbFound tells whether there was one, *pnLeft
** how many are left.  Both run inside of a statement that writes. */
int kvIndexCreate(KvStore *p, const KvIndexDef *pDef, i64 *pnEntry, char **pzErr);
int kvIndexRemove(KvStore *p, const char *zName, int *pbFound, i64 *pnEntry, int *pnLeft, char **pzErr);
/* Drop the tables; not inside of a statement. */
int kvIndexDropTables(KvStore *p, char **pzErr);

/* Are the options of an index those of a declaration?  Options may be set by what
** was there, so a declaration without KVINDEX_COPY fits one with it. */
int kvIndexSameOptions(const KvIndexDef *pOld, const KvIndexDef *pNew);

void kvIndexFree(KvStore *p);

/* The declarations as they are now, *pn of them; they stay valid until the
** store is used again. */
int kvIndexList(KvStore *p, const KvIndexDef **pa, u32 *pn, char **pzErr);

/* The declaration of a name, of that generation; SQLITE_NOTFOUND. */
int kvIndexByName(KvStore *p, i64 iGeneration, const char *zName, KvIndexDef **ppDef, char **pzErr);
/* True if a key is in the place of a declared index (as last read). */
int kvIndexPlace(KvStore *p, const u8 *aKey, u32 nKey);
void kvOverlayDrop(KvOverlay *p);

/*
** Reading (index_scan.c).  A view is one index at one moment; it holds the
** read transaction until it is closed.
*/
typedef struct KvIndexView KvIndexView;
struct KvIndexView {
  KvStore *pStore;
  KvStmt *pPin;           /* Holds the read transaction */
  KvOverlay *pOver;       /* What is not brought up yet, or 0 */
  u8 bMarks;              /* kvMarksOpen() was called */
  u8 *aName;              /* A copy of the definition's */
  u32 nName;
  u32 mOptions;
  i64 iNow;
};

/* SQLITE_NOTFOUND (without message) if there is no such index. */
int kvIndexOpen(KvStore *p, const char *zName, KvIndexView *pView, char **pzErr);
void kvIndexClose(KvIndexView *p);
/* Primary entries that have changed since the index was brought up. */
i64 kvIndexChanged(const KvIndexView *p);

/* Columns of KvIndexScan.pRow. */
#define KVINDEX_COL_IK        0
#define KVINDEX_COL_KEY       1
#define KVINDEX_COL_VERSION   2
#define KVINDEX_COL_EXPIRES   3
#define KVINDEX_COL_V         4
#define KVINDEX_COL_ENCODING  5

/* A run over a range of an index, in the order of its keys. */
typedef struct KvIndexScan KvIndexScan;
struct KvIndexScan {
  KvIndexView *pView;
  KvStmt *pStmt;          /* Over kv_index_row; 0 at its end */
  KvStmt *pPoint;         /* The primary entry of a row of the overlay */
  u8 bDesc;
  u8 bStored;             /* pStmt stands on a row that is not done yet */
  u32 iOver, nOver;       /* Rows of the overlay that are not done yet */
  sqlite3_stmt *pRow;     /* The current row: KVINDEX_COL_xxx, or 0 */
  KvBuf lo, hi;           /* Bounds: lo inclusive, hi exclusive */
  i64 iClock;             /* kvMarksClock() when it began */
};

/* lo and hi are set by the caller.  SQLITE_ROW, SQLITE_DONE or an error. */
void kvIndexScanInit(KvIndexScan *p);
int kvIndexScanStart(KvIndexScan *p, KvIndexView *pView, int bDesc, char **pzErr);
int kvIndexScanStep(KvIndexScan *p, char **pzErr);
void kvIndexScanStop(KvIndexScan *p);
void kvIndexScanClear(KvIndexScan *p);

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
