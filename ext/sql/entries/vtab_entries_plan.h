/*
** vtab_entries_plan.h -- the columns and query plans of kv_entries.
*/
#ifndef KV_VTAB_ENTRIES_PLAN_H
#define KV_VTAB_ENTRIES_PLAN_H

#include "sql/vtab.h"

/* Columns; ENTRIES_SCHEMA is in the same order. */
enum {
  ENTRIES_KEY, ENTRIES_VALUE, ENTRIES_VERSIONSTAMP, ENTRIES_EXPIRES_AT,
  ENTRIES_PREFIX, ENTRIES_EXTRA, ENTRIES_JS, ENTRIES_JSON, ENTRIES_RAW, ENTRIES_TYPE,
  ENTRIES_CURSOR, ENTRIES_EXPIRE_IN, ENTRIES_AS_OF
};
#define ENTRIES_SCHEMA \
  "CREATE TABLE kv_entries(" \
  "key TEXT NOT NULL PRIMARY KEY COLLATE kv_compare, value, " \
  "versionstamp TEXT, expires_at INTEGER, " \
  "prefix TEXT HIDDEN, kv_extra HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, " \
  "raw BLOB HIDDEN, type TEXT HIDDEN, cursor TEXT HIDDEN, expire_in INTEGER HIDDEN, " \
  "as_of HIDDEN" \
  ") WITHOUT ROWID"

/*
** idxNum: how a query is run, as kvEntriesBestIndex() passes it to xFilter.  The low
** bits say which constraints xFilter gets; their values are its arguments in the
** order of the bits.  Arguments after those are further prefixes, all of which
** apply.
*/
enum {
  ENTRIES_ARG_EQ,             /* key = ? */
  ENTRIES_ARG_IN,             /* key IN (...), all values in one argument */
  ENTRIES_ARG_GT, ENTRIES_ARG_GE, ENTRIES_ARG_LT, ENTRIES_ARG_LE,
  ENTRIES_ARG_PREFIX, ENTRIES_ARG_CURSOR, ENTRIES_ARG_AS_OF, ENTRIES_ARG_OFFSET, ENTRIES_ARGS
};
#define ENTRIES_PLAN(ARG)  (1<<ENTRIES_ARG_##ARG)
#define ENTRIES_PLAN_POINTS (ENTRIES_PLAN(EQ)|ENTRIES_PLAN(IN))
/* Bounds that are literals: a number among them is compared as its text (see
** entriesRangeOperand() in vtab_entries_range.c).  For GT, GE, LT and LE, in this order. */
#define ENTRIES_PLAN_LITERAL   0x2000   /* ... 0x10000 */
/* The rest says how to scan the entries. */
#define ENTRIES_PLAN_DESC      0x0400   /* In descending order */
#define ENTRIES_PLAN_META      0x0800   /* Version and expiry are needed */
#define ENTRIES_PLAN_VALUE     0x1000   /* The value is needed */
#define ENTRIES_PLAN_COUNT    0x20000   /* No column is: the entries are counted */

int kvEntriesBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo);

#endif /* KV_VTAB_ENTRIES_PLAN_H */
