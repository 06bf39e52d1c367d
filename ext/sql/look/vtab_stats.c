/*
** vtab_stats.c -- the table kv_stats: what a store holds, by the first part of the
** keys.
**
**     SELECT prefix, entries, bytes, expired FROM kv_stats ORDER BY bytes DESC;
**
**     CREATE TABLE kv_stats(prefix TEXT COLLATE kv_compare, entries INTEGER,
**                           bytes INTEGER, expired INTEGER,
**                           largest_key TEXT COLLATE kv_compare,
**                           largest_bytes INTEGER, states INTEGER,
**                           states_bytes INTEGER, keep_ms INTEGER,
**                           only TEXT HIDDEN);
**
** A row for each first part, in the order of keys, from one scan of the entries.
** entries, bytes and the largest entry are of what reads see; expired counts the
** entries that have expired and are still in the file.  The bytes of an entry are
** those of its key and its value.  states are those that the history keeps, keep_ms for
** how long; NULL without one.  Keys whose first part is malformed share a last
** row, with prefix NULL.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/range/row_scan.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "store/clock.h"
#include "store/history.h"
#include "store/row.h"
#include "store/schema.h"

#define STATS_SCHEMA \
  "CREATE TABLE kv_stats(prefix TEXT COLLATE kv_compare, entries INTEGER, bytes INTEGER, " \
  "expired INTEGER, largest_key TEXT COLLATE kv_compare, largest_bytes INTEGER, " \
  "states INTEGER, states_bytes INTEGER, keep_ms INTEGER, only TEXT HIDDEN)"
enum {
  STATS_PREFIX, STATS_ENTRIES, STATS_BYTES, STATS_EXPIRED, STATS_LARGEST_KEY, STATS_LARGEST_BYTES,
  STATS_STATES, STATS_STATES_BYTES, STATS_KEEP_MS, STATS_ONLY
};

/* What is counted of one row. */
typedef struct StatsCount StatsCount;
struct StatsCount {
  i64 nEntry, nByte, nExpired;
  i64 nLargest;           /* Bytes of the largest entry */
};

typedef struct StatsCursor StatsCursor;
struct StatsCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf out;              /* Text of a column */
  KvBuf part;             /* Stored bytes of the first part, none: it is malformed */
  KvBuf largest;          /* Key of the largest entry */
  KvBuf oddLargest;       /* The same of the keys whose first part is malformed */
  KvBuf after;            /* Where parts begin that have not been shown */
  KvBuf past;             /* The next of them that has states in the history, empty: none */
  StatsCount count, odd;
  u8 bHistory;            /* There is a history */
  KvRowScan scan;         /* Over all entries, expired ones too */
  i64 iNow;
  u8 bRow;                /* The scan is at an entry that isn't counted yet */
};

static void statsStop(KvVtabCursor *pCursor){
  kvRowScanStop(&((StatsCursor*)pCursor)->scan);
}

static void statsFree(KvVtabCursor *pCursor){
  kvRowScanClear(&((StatsCursor*)pCursor)->scan);
}

/* Length of the first part of a key, 0: it is malformed. */
static u32 statsPart(KvBytes key){
  KvPart part;
  u32 i = 0;
  return kvPartRead(key, &i, &part, 0)==KV_OK && part.bCanon ? i : 0;
}

/* Count the entry that the scan is at. */
static void statsAdd(StatsCursor *p, KvBytes key, StatsCount *pCount, KvBuf *pLargest){
  i64 iExpires = kvStmtInt(p->scan.pStmt, KVREAD_COL_EXPIRES);
  i64 nByte = (i64)key.n + kvStmtInt(p->scan.pStmt, KVREAD_COL_SIZE);
  if( iExpires>=0 && iExpires<=p->iNow ){
    pCount->nExpired++;
    return;
  }
  if( pCount->nEntry==0 || nByte>pCount->nLargest ){
    pCount->nLargest = nByte;
    kvErrorCopy(p->c.pError, key, pLargest);
  }
  pCount->nEntry++;
  pCount->nByte += nByte;
}

/* Find p->past. */
static void statsPast(StatsCursor *p){
  KvStore *pStore = p->c.pStore;
  KvError *pError = p->c.pError;
  kvBufReset(&p->past);
  while( p->bHistory && p->past.n==0 && !kvFailed(pError)
      && kvHistoryNext(pStore, kvBufBytes(&p->after), &p->past)
  ){
    u32 n = statsPart(kvBufBytes(&p->past));
    int bEnd = p->scan.hi.n && kvBytesCompare(kvBufBytes(&p->past), kvBufBytes(&p->scan.hi))>=0;
    if( n ){
      p->past.n = bEnd ? 0 : n;
      return;
    }
    kvErrorCopy(pError, kvBufBytes(&p->past), &p->after);   /* malformed */
    kvBufPut(&p->after, 0);
    kvErrorBuf(pError, &p->after);
    kvBufReset(&p->past);
    if( bEnd ) return;
  }
}

/* p->part has been found: the next part comes after it. */
static void statsShown(StatsCursor *p){
  kvErrorCopy(p->c.pError, kvBufBytes(&p->part), &p->after);
  kvBufPut(&p->after, 0xff);
  kvErrorBuf(p->c.pError, &p->after);
}

/* Does p->past come before the entry with a key, and is not its first part? */
static int statsPastFirst(const StatsCursor *p, KvBytes key){
  return p->part.n==0 && p->past.n && !kvBytesBegins(key, kvBufBytes(&p->past))
      && kvBytesCompare(kvBufBytes(&p->past), key)<0;
}

/* Count all entries with the next first part. */
static int statsNext(KvVtabCursor *pCursor){
  StatsCursor *p = (StatsCursor*)pCursor;
  memset(&p->count, 0, sizeof(p->count));
  kvBufReset(&p->part);
  kvBufReset(&p->largest);
  statsPast(p);
  for(; p->bRow; p->bRow = (u8)kvRowScanNext(&p->scan)){
    KvBytes key = kvRowScanKey(&p->scan);
    int bSame = p->part.n && kvBytesBegins(key, kvBufBytes(&p->part));
    u32 nPart = bSame ? 0 : statsPart(key);
    if( statsPastFirst(p, key) ) break;
    if( !bSame && nPart==0 ){
      statsAdd(p, key, &p->odd, &p->oddLargest);
      continue;
    }
    if( !bSame && p->part.n ) break;
    if( !bSame ) kvErrorCopy(p->c.pError, kvBytes(key.p, nPart), &p->part);
    statsAdd(p, key, &p->count, &p->largest);
  }
  if( p->part.n==0 ) kvErrorCopy(p->c.pError, kvBufBytes(&p->past), &p->part);
  if( p->part.n ) statsShown(p);
  if( kvFailed(p->c.pError) ) return 0;
  if( p->part.n ) return 1;
  p->count = p->odd;
  memset(&p->odd, 0, sizeof(p->odd));
  kvErrorCopy(p->c.pError, kvBufBytes(&p->oddLargest), &p->largest);
  return p->count.nEntry + p->count.nExpired>0;
}

static const KvVtabCons statsCons[] = {
  { STATS_ONLY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, "prefix=" },
  { STATS_PREFIX, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_KEY, "prefix=" }
};
#define STATS_PLAN_ONLY  1

/* The range of kv_stats('...'), or of prefix = '...'; false if no row has it. */
static int statsRange(StatsCursor *p, sqlite3_value *pPrefix, int bOnly){
  KvErr err;
  int rc;
  if( sqlite3_value_type(pPrefix)==SQLITE_NULL ) return 0;
  rc = kvArgKey(pPrefix, 0, &p->scan.lo, 0, &err);
  if( rc!=KV_OK && (bOnly || rc==KV_NOMEM || rc==KV_TOOBIG) ){
    kvErrorCodec(p->c.pError, "kv_stats()", &err);
  }
  if( rc!=KV_OK ) return 0;
  if( bOnly && p->scan.lo.n==0 ) return 1;       /* [] */
  if( p->scan.lo.n==0 || statsPart(kvBufBytes(&p->scan.lo))!=p->scan.lo.n ){
    if( bOnly ) kvError(p->c.pError, SQLITE_ERROR, "kv: kv_stats(): the prefix must have one part, "
        "since there is a row for each first part; kv_children() counts below longer ones");
    return 0;
  }
  kvErrorCopy(p->c.pError, kvBufBytes(&p->scan.lo), &p->scan.hi);
  kvBufPut(&p->scan.hi, 0xff);
  kvErrorBuf(p->c.pError, &p->scan.hi);
  return 1;
}

static int statsFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  StatsCursor *p = (StatsCursor*)pCursor;
  u32 mRead = KVREAD_SIZE;
  (void)nArg;
  kvRowScanStop(&p->scan);
  kvBufReset(&p->scan.lo);
  kvBufReset(&p->scan.hi);
  kvBufReset(&p->oddLargest);
  kvBufReset(&p->after);
  memset(&p->odd, 0, sizeof(p->odd));
  p->iNow = kvNow();
  p->bRow = 0;
  /* Beside the argument SQLite checks prefix = '...' itself */
  if( mPlan && !statsRange(p, apArg[0], mPlan & STATS_PLAN_ONLY) ) return 0;
  if( kvSchemaOpen(p->c.pStore)==KV_STORE_NONE ) return 0;
  if( kvRowExpired(p->c.pStore, p->iNow)!=0 ) mRead |= KVREAD_META;
  p->bHistory = (u8)kvHistoryThere(p->c.pStore);
  kvErrorCopy(p->c.pError, kvBufBytes(&p->scan.lo), &p->after);
  p->scan.iNow = -1;                   /* before all expiry */
  p->scan.bAsked = 0;
  p->bRow = (u8)kvRowScanStart(&p->scan, (KvVtab*)p->c.base.pVtab, mRead);
  return statsNext(pCursor);
}

/* The columns about the history. */
static void statsHistory(StatsCursor *p, sqlite3_context *ctx, int iCol){
  KvBytes lo = kvBufBytes(&p->part), hi = kvBufBytes(&p->after);
  i64 n, nByte = 0;
  if( p->part.n==0 || !p->bHistory ) return;
  n = iCol==STATS_KEEP_MS ? kvHistoryKept(p->c.pStore, lo, hi)
                          : kvHistorySize(p->c.pStore, lo, hi, &nByte);
  if( iCol==STATS_KEEP_MS && n==0 ) return;
  sqlite3_result_int64(ctx, iCol==STATS_STATES_BYTES ? nByte : n);
}

static void statsColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  StatsCursor *p = (StatsCursor*)pCursor;
  const KvBuf *pKey = iCol==STATS_PREFIX ? &p->part : &p->largest;
  switch( iCol ){
    case STATS_ENTRIES:  sqlite3_result_int64(ctx, p->count.nEntry);     return;
    case STATS_BYTES:    sqlite3_result_int64(ctx, p->count.nByte);      return;
    case STATS_EXPIRED:  sqlite3_result_int64(ctx, p->count.nExpired);   return;
    case STATS_ONLY:     kvVtabOnlySelects(ctx, "only");                 return;
    case STATS_STATES:
    case STATS_STATES_BYTES:
    case STATS_KEEP_MS:  statsHistory(p, ctx, iCol);                     return;
    case STATS_LARGEST_BYTES:
      if( p->count.nEntry ) sqlite3_result_int64(ctx, p->count.nLargest);
      return;
    default:
      if( iCol==STATS_PREFIX ? p->part.n==0 : p->count.nEntry==0 ) return;
      kvBufReset(&p->out);
      kvKeyShow(&p->out, kvBufBytes(pKey));
      kvResultText(ctx, &p->out);
  }
}

const KvVtabDef kvStatsTable = {
  .zName = "kv_stats",
  .zDeclare = STATS_SCHEMA,
  .plan = { statsCons, KV_COUNT(statsCons), { 1, 1e5, "RANGE" }, { 1000, 1e7, "ALL" }, 0 },
  .read = { statsFilter, statsNext, statsColumn, 0 },
  .nCursor = sizeof(StatsCursor),
  .nBuf = 6,
  .xStop = statsStop,
  .xFree = statsFree,
};
