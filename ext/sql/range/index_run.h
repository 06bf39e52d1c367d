/*
** index_run.h -- reading an index in the order of SQL.
**
** The ranges of the queries (ranges.h) are read step by step; those of one step are merged.
*/
#ifndef KV_INDEX_RUN_H
#define KV_INDEX_RUN_H

#include "codec/index_key.h"
#include "sql/range/ranges.h"
#include "store/index/scan.h"

/* A range that is being read. */
typedef struct KvIndexRunScan KvIndexRunScan;
struct KvIndexRunScan {
  KvIndexScan scan;
  u8 bRow;                /* It is at a row */
};

/* All zero: not open. */
typedef struct KvIndexRun KvIndexRun;
struct KvIndexRun {
  KvIndexSnapshot snapshot;
  u8 bOpen;               /* snapshot is open */
  u8 bDesc;
  KvRanges ranges;
  u32 iFirst, nStep;      /* The ranges of the current step */
  KvIndexRunScan *aScan;  /* ... as they are read */
  u32 nAlloc;
  u32 iBest;              /* The one with the current row */
};

/* Open an index by name.  False if there is none, or after an error, which is the
** store's. */
int kvIndexRunOpen(KvIndexRun *p, KvStore *pStore, const char *zName);
/* Does it hold strings in lower case? */
static inline int kvIndexRunLower(const KvIndexRun *p){
  return (p->snapshot.mOptions & KVINDEX_LOWER)!=0;
}
/* How many values has an entry? */
static inline u32 kvIndexRunValues(const KvIndexRun *p){
  return p->snapshot.nPath;
}
/* Go to the first row of the queries for the first nQuery parts, which must stay
** valid, and to the next.  False at the end, or after an error.  bKeys: only
** KVINDEX_COL_IK and KEY will be read. */
int kvIndexRunStart(
  KvIndexRun *p, const KvIndexQuery *aQuery, u32 nQuery, int bDesc, int bKeys
);
int kvIndexRunNext(KvIndexRun *p);
/* May the index have left something out?  Has it bigints beyond 64 bits, which are shown as
** text, in another order than it has them? */
static inline int kvIndexRunLeaves(const KvIndexRun *p){
  return (p->snapshot.mKind & (KVKIND_OTHER*KVKIND_EACH))!=0;
}
int kvIndexRunLong(KvIndexRun *p);
/* Go to the first row of what the index leaves out (codec/index_key.h), after or in the
** place of kvIndexRunStart(). */
int kvIndexRunLeft(KvIndexRun *p);
/* To the next row after all that have the first value of the current one and its type. */
int kvIndexRunNextValue(KvIndexRun *p);
/* With bKeys: skip the rest of the current range and return its number of rows; 0
** if it is empty or has to be read row by row.  Then go back to the row nAhead
** before its last one. */
u32 kvIndexRunLeap(KvIndexRun *p);
int kvIndexRunLand(KvIndexRun *p, u32 nAhead);
/* The current row, its columns KVINDEX_COL_xxx. */
static inline sqlite3_stmt *kvIndexRunRow(const KvIndexRun *p){
  return p->aScan[p->iBest].scan.pRow;
}
/* End the scans; close it, too, and keep the memory; free it. */
void kvIndexRunEnd(KvIndexRun *p);
void kvIndexRunStop(KvIndexRun *p);
void kvIndexRunClear(KvIndexRun *p);
/* The memory that it keeps between two queries. */
u64 kvIndexRunMemory(const KvIndexRun *p);

#endif /* KV_INDEX_RUN_H */
