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
/* A statement for entries in the past: mRead as for kvStmtReader(), whose columns it has
** (without times), or bSingle: of the key ?1.  The first row of each key counts, if
** kvHistoryWas() says so. */
KvStmt *kvHistoryPast(KvStore *p, const KvPast *pPast, u32 mRead, int bSingle);
int kvHistoryWas(KvStore *p, const KvPast *pPast, KvBytes key, KvStmt *pStmt);

/* When a version, or the last one before it that is known, was taken: ms, or -1. */
i64 kvHistoryTime(KvStore *p, i64 iVersion);

#endif /* KV_HISTORY_H */
