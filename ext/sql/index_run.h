/*
** index_run.h -- reading an index in the order of SQL.
**
** The index has its values in the order of key parts, not of SQL values.  So a
** query becomes a list of ranges of the index, in SQL order, and those of the
** numeric types are merged:
**
**   step   ranges                                SQL value
**   0      -NaN; NaN                             NULL
**   1      bigints of 64 bits; numbers; booleans INTEGER, REAL
**   2      strings                               TEXT
**   3      the other bigints                     TEXT (their digits)
**   4      Uint8Arrays                           BLOB
**
** (Bigints beyond 64 bits come after all strings.)
**
** An index of several paths has a query for each value.  The first ones, as long as
** they are equalities, determine the parts that all keys begin with: 1 may be a
** number, a bigint and true.  With bFind these are read from the index: all that
** are in the ranges of the query.  The next query gives the ranges for each such
** beginning, and the order of the rows.
*/
#ifndef KV_INDEX_RUN_H
#define KV_INDEX_RUN_H

#include "codec/index_key.h"
#include "sql/index_query.h"
#include "store/index/scan.h"

/* A range of the index; scans of one step are merged. */
typedef struct KvIndexRunRange KvIndexRunRange;
struct KvIndexRunRange {
  int iStep;              /* Those from RUN_UNION on are of a union, each its own */
  u32 nBase;              /* What precedes the value in each of its keys */
  KvIndexScan scan;
  u8 bRow;                /* It is at a row */
};
/* Ranges of one query: one for each type, two for NaN and three for bigints. */
#define KVRUN_RANGES 9

/* All zero: not open. */
typedef struct KvIndexRun KvIndexRun;
struct KvIndexRun {
  KvIndexSnapshot snapshot;
  u8 bOpen;               /* view is open */
  u8 bDesc;
  int nRange, iRange;     /* iRange: the one with the current row */
  int iFirst;             /* The first one of its step */
  int nRoom;              /* How many aRange has room for */
  KvIndexRunRange *aRange;
  const KvIndexQuery *pQuery;      /* The one of which the ranges are */
  KvList bases;           /* What keys begin with: the name, and parts that are equal */
  int nBase;
  KvBytes base;           /* The one for which ranges are made */
};

/* Open an index by name.  False if there is none, or after an error, which is the
** store's. */
int kvIndexRunOpen(KvIndexRun *p, KvStore *pStore, const char *zName);
/* Add the ranges of a query, beginning at the value, to pOut as bounds, lo and hi in turn; and
** make of all that have been added the query of a union, in which no range overlaps another
** one.  Its rows come in the order of the index. */
void kvIndexRunBounds(KvIndexRun *p, const KvIndexQuery *pQuery, KvList *pOut);
void kvIndexRunUnion(KvIndexQuery *pQuery, KvList *pBounds, KvError *pError);
/* Does it hold strings in lower case? */
static inline int kvIndexRunLower(const KvIndexRun *p){
  return (p->snapshot.mOptions & KVINDEX_LOWER)!=0;
}
/* How many values has an entry? */
static inline u32 kvIndexRunValues(const KvIndexRun *p){
  return p->snapshot.nPath;
}
/* Go to the first row of the queries for the first nQuery values, which must stay
** valid, and to the next.  False at the end, or after an error.  bKeys: only
** KVINDEX_COL_IK and KEY will be read. */
int kvIndexRunStart(
  KvIndexRun *p, const KvIndexQuery *aQuery, u32 nQuery, int bDesc, int bKeys
);
int kvIndexRunNext(KvIndexRun *p);
/* May the index have left something out, and is the order of its values the order of
** what is shown of value i?  (Not with Dates among others, which are shown as text, nor
** with bigints beyond 64 bits.) */
static inline int kvIndexRunLeaves(const KvIndexRun *p){
  return (p->snapshot.mKind & (KVKIND_OTHER*KVKIND_EACH))!=0;
}
int kvIndexRunShows(KvIndexRun *p, u32 i);
/* Go to the first row of what the index leaves out (codec/index_key.h), after or in the
** place of kvIndexRunStart(). */
int kvIndexRunLeft(KvIndexRun *p);
/* With bKeys: skip the rest of the current range and return its number of rows; 0
** if it is empty or has to be read row by row.  Then go back to the row nAhead
** before its last one. */
u32 kvIndexRunLeap(KvIndexRun *p);
int kvIndexRunLand(KvIndexRun *p, u32 nAhead);
/* The current row, its columns KVINDEX_COL_xxx. */
static inline sqlite3_stmt *kvIndexRunRow(const KvIndexRun *p){
  return p->aRange[p->iRange].scan.pRow;
}
/* Close it and keep the memory; free it. */
void kvIndexRunStop(KvIndexRun *p);
void kvIndexRunClear(KvIndexRun *p);

#endif /* KV_INDEX_RUN_H */
