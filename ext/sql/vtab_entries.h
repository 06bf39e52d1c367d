/*
** vtab_entries.h -- the virtual table kv_entries: what its files share.
*/
#ifndef KV_ENTRIES_H
#define KV_ENTRIES_H

#include "sql/vtab.h"

/* Columns; ENT_SCHEMA is in the same order. */
enum {
  ENT_KEY, ENT_VALUE, ENT_VERSIONSTAMP, ENT_EXPIRES_AT,
  ENT_PREFIX, ENT_JS, ENT_JSON, ENT_RAW, ENT_TYPE, ENT_CURSOR, ENT_EXPIRE_IN
};
#define ENT_SCHEMA \
  "CREATE TABLE kv_entries(" \
  "key TEXT NOT NULL PRIMARY KEY COLLATE kv_compare, value, " \
  "versionstamp TEXT, expires_at INTEGER, " \
  "prefix TEXT HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, " \
  "type TEXT HIDDEN, cursor TEXT HIDDEN, expire_in INTEGER HIDDEN" \
  ") WITHOUT ROWID"

/*
** idxNum: how a query is run, as kvEntriesBestIndex() tells it to xFilter.
** The low bits say which constraints xFilter gets; their values are its
** arguments in the order of the bits.  Arguments behind those are further
** prefixes, all of which hold.
*/
#define ENT_PLAN_EQ        0x0001   /* key = ? */
#define ENT_PLAN_IN        0x0002   /* key IN (...), all values in one argument */
#define ENT_PLAN_GT        0x0004   /* key > ? */
#define ENT_PLAN_GE        0x0008   /* key >= ? */
#define ENT_PLAN_LT        0x0010   /* key < ? */
#define ENT_PLAN_LE        0x0020   /* key <= ? */
#define ENT_PLAN_PREFIX    0x0040   /* prefix = ? */
#define ENT_PLAN_CURSOR    0x0080   /* cursor = ? */
#define ENT_PLAN_OFFSET    0x0100   /* OFFSET ? */
#define ENT_PLAN_NARG      9
/* Bounds that are literals: a number among them is compared as its text (see
** entriesRangeOperand() in vtab_entries_range.c).  For GT, GE, LT and LE, in this order. */
#define ENT_PLAN_LITERAL   0x1000   /* ... 0x8000 */
/* The rest says how to go through the entries. */
#define ENT_PLAN_DESC      0x0200   /* In descending order */
#define ENT_PLAN_META      0x0400   /* Version and expiry are needed */
#define ENT_PLAN_VALUE     0x0800   /* The value is needed */
#define ENT_PLAN_COUNT    0x10000   /* No column is: the entries are counted */

int kvEntriesBestIndex(sqlite3_index_info *pInfo);

/* A stored key to look up. */
typedef struct KvPoint KvPoint;
struct KvPoint {
  u32 iKey;               /* Where it begins in KvRange.points */
  KvBytes key;            /* The same as an address, once all are there */
};

/*
** The stored keys that a query asks for (vtab_entries_range.c): all between the
** bounds or, with ENT_PLAN_EQ or ENT_PLAN_IN, the points, which are within them
** and in the order of the query.  Its memory is kept by kvRangeReset().
*/
typedef struct KvRange KvRange;
struct KvRange {
  KvBuf lo, hi;           /* Bounds of stored keys: lo inclusive, hi exclusive */
  u8 bUpper;              /* hi is a bound */
  u8 bNone;               /* The constraints can't be met: there are none */
  u8 bPrefix;             /* There is an argument prefix */
  KvBuf points;           /* Keys to look up, one after the other */
  KvPoint *aPoint;        /* ... and where each begins */
  u32 nPoint, nPointAlloc;
  KvBuf common;           /* The common prefix that cursors leave out */
  KvBuf prefix;           /* Text of the argument prefix */
};
void kvRangeInit(KvRange *p);
void kvRangeClear(KvRange *p);
void kvRangeReset(KvRange *p);
/* Bytes that it holds on to. */
u64 kvRangeMemory(const KvRange *p);
/* Fill a range that is reset from the arguments of xFilter.  The result is that of
** OFFSET, or 0. */
i64 kvRangeArgs(KvRange *p, int mPlan, sqlite3_value **apArg, int nArg, KvError *pError);

/* vtab_entries_write.c */
/* The error for an UPDATE ... FROM of which it can't be told what it sets: in SQLite
** 3.40 and older ones.  0 without memory. */
char *kvEntriesUpdateFrom(void);
void kvEntriesWrite(KvVtab *pTab, const KvVtabRow *pRow);

extern const KvVtabDef kvEntriesTable;

#endif /* KV_ENTRIES_H */
