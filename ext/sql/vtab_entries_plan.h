/*
** vtab_entries_plan.h -- columns of kv_entries, and how a query of it is run.
*/
#ifndef KV_VTAB_ENTRIES_PLAN_H
#define KV_VTAB_ENTRIES_PLAN_H

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
enum {
  ENT_ARG_EQ,             /* key = ? */
  ENT_ARG_IN,             /* key IN (...), all values in one argument */
  ENT_ARG_GT, ENT_ARG_GE, ENT_ARG_LT, ENT_ARG_LE,
  ENT_ARG_PREFIX, ENT_ARG_CURSOR, ENT_ARG_OFFSET, ENT_ARGS
};
#define ENT_PLAN(ARG)  (1<<(ARG))
#define ENT_PLAN_POINTS (ENT_PLAN(ENT_ARG_EQ)|ENT_PLAN(ENT_ARG_IN))
/* Bounds that are literals: a number among them is compared as its text (see
** entriesRangeOperand() in vtab_entries_range.c).  For GT, GE, LT and LE, in this order. */
#define ENT_PLAN_LITERAL   0x1000   /* ... 0x8000 */
/* The rest says how to go through the entries. */
#define ENT_PLAN_DESC      0x0200   /* In descending order */
#define ENT_PLAN_META      0x0400   /* Version and expiry are needed */
#define ENT_PLAN_VALUE     0x0800   /* The value is needed */
#define ENT_PLAN_COUNT    0x10000   /* No column is: the entries are counted */

int kvEntriesBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo);

#endif /* KV_VTAB_ENTRIES_PLAN_H */
