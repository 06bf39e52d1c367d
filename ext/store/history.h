/*
** history.h -- what entries were: states kept by triggers in plain SQL.
**
** sql/store/history.sql has the tables and the triggers.  Keys are stored bytes.
*/
#ifndef KV_HISTORY_H
#define KV_HISTORY_H

#include "store/statement.h"

/* Is there a history? */
int kvHistoryThere(KvStore *p);

/* Keep what entries below a prefix are from now on, for nKeep ms.  Runs inside a
** statement that writes. */
void kvHistoryKeep(KvStore *p, KvBytes prefix, i64 nKeep);
/* Keep it no longer, and remove what was kept for it.  Returns how many prefixes are
** left; -1: it wasn't kept. */
int kvHistoryEnd(KvStore *p, KvBytes prefix);
/* Drop all tables and triggers: not inside a statement that is running, as
** kvFeedDrop(). */
void kvHistoryDrop(KvStore *p);

/* Remove states that are older than they are to be kept, of the next nState.  Runs inside a
** statement that writes. */
void kvHistoryTrim(KvStore *p, i64 iNow, int nState);

/* The declared indexes have changed: their entries are left out. */
void kvHistoryRemake(KvStore *p);

/* The longest time, in ms, for which states between two keys (hi empty: no bound) are
** kept; 0: they aren't. */
i64 kvHistoryKept(KvStore *p, KvBytes lo, KvBytes hi);

/* A statement for all states between two keys (hi empty: no bound), those of an entry
** that is there last: KVREAD_COL_xxx, and the version at which each ended.  bSorted: all are
** read before the first row. */
#define KVHISTORY_COL_ENDED 5
KvStmt *kvHistoryStates(KvStore *p, KvBytes lo, KvBytes hi, int bSorted);
/* The same of one key: those that ended at a version or later, or haven't ended, the newest
** first or last. */
KvStmt *kvHistoryStatesOf(KvStore *p, KvBytes key, i64 iFrom, int bDesc, int bSorted);
/* The end of the last state of an entry before another one, which ends at iEnded; 0: there
** was none.  *piFloor: the same, also of the note that there was no entry. */
i64 kvHistoryBefore(KvStore *p, KvBytes key, i64 iEnded, i64 *piFloor);
/* The first key from lo on that has ended states: false if there is none. */
int kvHistoryNext(KvStore *p, KvBytes lo, KvBuf *pKey);
/* How many ended states there are of keys between two, and their bytes. */
i64 kvHistorySize(KvStore *p, KvBytes lo, KvBytes hi, i64 *pnByte);
/*
** What is looked at: entries as they are, or (bPast) as they were at the end of a version,
** without those that had expired at a time.
*/
typedef struct KvPast KvPast;
struct KvPast {
  u8 bPast;
  u8 bOwned;              /* Index entries exist, which are left out */
  i64 iVersion;
  i64 iTime;
};
/* The store at a version x, or (bTime) at x ms.  What is later than the newest version, or
** the present, is not past. */
void kvHistoryAt(KvStore *p, int bTime, i64 x, KvPast *pPast);
/* An error, of zWhat, unless all states between two keys (hi empty: no bound) are kept. */
void kvHistoryCheck(KvStore *p, const KvPast *pPast, KvBytes lo, KvBytes hi, const char *zWhat);
/* A statement for the key ?1: its first row counts, if kvHistoryWas() says so.  mRead as for
** kvStmtReader(), whose columns it has (KVREAD_POINT: without the key). */
KvStmt *kvHistoryPast(KvStore *p, const KvPast *pPast, u32 mRead);
int kvHistoryWas(KvStore *p, const KvPast *pPast, KvBytes key, KvStmt *pStmt);

/*
** What keys were, one after the other: the entries as they are, merged with the states that
** ended later.  Of a key with many states those that don't count are passed over by seeks.
** All zero: closed.
*/
typedef struct KvPastRange KvPastRange;
struct KvPastRange {
  KvStore *pStore;
  const KvPast *pPast;
  u32 mRead;
  int iEndedCol;          /* The column of pStates that says when a state ended */
  KvStmt *pNow;           /* Entries */
  KvStmt *pStates;        /* States */
  KvStmt *pPoint;         /* KVREAD_DESC: the state that counts */
  KvStmt *pWas;           /* That, of the key: pStates or pPoint; 0: the entry counts */
  u8 bNow;                /* pNow is at the key's entry */
  u8 bNowAhead;           /* pNow is at a row that hasn't come yet */
  u8 bStatesAhead;        /* So is pStates */
  KvBuf key;              /* The key, if a state counts */
  KvBuf lo, hi;           /* The bounds of pStates; hi empty: none */
};
/* Open it between two keys (hi empty: no bound), which stay as they are until it is closed;
** mRead of KVREAD_VALUE, DESC, SORTED. */
void kvHistoryRangeOpen(
  KvStore *p, const KvPast *pPast, u32 mRead, KvBytes lo, KvBytes hi, KvPastRange *pRange
);
/* Go to the next key: the statement at what counts of it, if kvHistoryWas() says so; 0: there
** is none. */
KvStmt *kvHistoryRangeNext(KvPastRange *p);
/* Give the statements back, and keep the memory; free it. */
void kvHistoryRangeClose(KvPastRange *p);
void kvHistoryRangeClear(KvPastRange *p);

/* When a version, or the last one before it that is known, was taken: ms, or -1. */
i64 kvHistoryTime(KvStore *p, i64 iVersion);

#endif /* KV_HISTORY_H */
