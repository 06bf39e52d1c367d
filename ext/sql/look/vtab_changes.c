/*
** vtab_changes.c -- the table-valued function kv_changes([since [, prefix]]).
**
**     SELECT key, value, deleted FROM kv_changes('0000000000000a500000', '["users"]');
**
**     CREATE TABLE kv_changes(key TEXT COLLATE kv_compare, value,
**       versionstamp TEXT, deleted INTEGER, since TEXT HIDDEN,
**       prefix TEXT HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN,
**       raw BLOB HIDDEN, type TEXT HIDDEN, expires_at INTEGER HIDDEN);
**
** What any program has changed after a versionstamp, in the order of
** versionstamps, each key once and as it is now.  An entry whose time has come
** is shown as deleted.  DELETE FROM kv_changes WHERE versionstamp < '...' forgets
** deletions; the entries stay.  kv_track(1) turns the feed on; see sql/store/feed.sql.
*/
#include "sql/modules.h"
#include "sql/entry_columns.h"
#include "sql/rowid.h"
#include "sql/run.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/program.h"
#include "store_sql.h"
#include "codec/versionstamp.h"
#include "store/clock.h"
#include "store/feed.h"
#include "store/scan_guard.h"
#include "store/schema.h"
#include "store/write.h"

#define CHANGES_SCHEMA \
  "CREATE TABLE kv_changes(key TEXT COLLATE kv_compare, value, " \
  "versionstamp TEXT, deleted INTEGER, since TEXT HIDDEN, " \
  "prefix TEXT HIDDEN, kv_extra HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, " \
  "raw BLOB HIDDEN, type TEXT HIDDEN, expires_at INTEGER HIDDEN)"
enum {
  CHANGES_KEY, CHANGES_VALUE, CHANGES_VERSIONSTAMP, CHANGES_DELETED, CHANGES_SINCE,
  CHANGES_PREFIX, CHANGES_EXTRA,
  CHANGES_JS, CHANGES_JSON, CHANGES_RAW, CHANGES_TYPE, CHANGES_EXPIRES_AT
};
/* Columns of the statement, besides those of an entry. */
enum { CHANGES_Q_KEY, CHANGES_Q_VERSION, CHANGES_Q_EXPIRES, CHANGES_Q_DELETED = 5 };

/* idxNum: which arguments xFilter gets, in the order of the bits. */
#define CHANGES_PLAN_SINCE   1
#define CHANGES_PLAN_PREFIX  2
#define CHANGES_PLAN_AFTER   4      /* versionstamp > ? */
#define CHANGES_PLAN_BEFORE  8      /* versionstamp < ? */
#define CHANGES_PLAN_UPTO   16      /* versionstamp <= ? */
#define CHANGES_PLAN_NARG    5
#define CHANGES_PLAN_TRIM   32      /* ... and no other condition */
#define CHANGES_PLAN_BARE   64      /* No columns but those that CHANGES_BARE has */

typedef struct ChangesTable ChangesTable;
struct ChangesTable {
  KvVtab t;               /* Must be first */
  i64 iBefore;            /* What is deleted may be all before this version; -1: it isn't */
  u8 bTrimmed;            /* ... and has been */
};

typedef struct ChangesCursor ChangesCursor;
struct ChangesCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf lo, hi;           /* Bounds of stored keys */
  KvBuf since, prefix;    /* The arguments */
  KvStmt *pPin;           /* Holds the read transaction */
  u8 bDeleted;            /* The current row is a deletion */
  u8 bGuard;              /* kvGuardBegin() was called */
  i64 iClock;             /* kvGuardClock() then */
  i64 iVersion;           /* The store's newest version */
  i64 iSince;             /* What is shown was changed after this version */
  u8 bSince, bPrefix;     /* Which of the arguments are given */
};

static void changesStop(KvVtabCursor *pCursor){
  ChangesCursor *p = (ChangesCursor*)pCursor;
  kvStmtGive(p->pPin);
  p->pPin = 0;
  if( p->bGuard ) kvGuardEnd(p->c.pStore);
  p->bGuard = 0;
  p->bSince = p->bPrefix = 0;
}

static int changesBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo){
  static const KvVtabCons aCons[] = {
    { CHANGES_SINCE, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "since=?" },
    { CHANGES_PREFIX, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "prefix=?" },
    { CHANGES_VERSIONSTAMP, SQLITE_INDEX_CONSTRAINT_GT, 0, "versionstamp>?" },
    { CHANGES_VERSIONSTAMP, SQLITE_INDEX_CONSTRAINT_LT, KVCONS_BINARY, 0 },
    { CHANGES_VERSIONSTAMP, SQLITE_INDEX_CONSTRAINT_LE, KVCONS_BINARY, 0 }
  };
  const u64 mBare = 1u<<CHANGES_KEY | 1u<<CHANGES_VERSIONSTAMP | 1u<<CHANGES_SINCE
                  | 1u<<CHANGES_PREFIX;
  int rc = kvVtabPlan(pInfo, aCons, CHANGES_PLAN_NARG);
  int bSeek = (pInfo->idxNum & (CHANGES_PLAN_SINCE|CHANGES_PLAN_AFTER))!=0;
  (void)pTab;
  if( rc!=SQLITE_OK ) return rc;
  pInfo->orderByConsumed = kvVtabAscends(pInfo, CHANGES_VERSIONSTAMP);
  pInfo->estimatedRows = bSeek ? 100 : (pInfo->idxNum & CHANGES_PLAN_PREFIX) ? 10000 : 100000;
  pInfo->estimatedCost = 10.0 + 3.0*(double)pInfo->estimatedRows;
  if( pInfo->nConstraint==1 && (pInfo->idxNum & (CHANGES_PLAN_BEFORE|CHANGES_PLAN_UPTO))
   && pInfo->colUsed==(u64)1<<CHANGES_VERSIONSTAMP
  ){
    pInfo->idxNum |= CHANGES_PLAN_TRIM;
  }
  if( (pInfo->colUsed & ~mBare)==0 ) pInfo->idxNum |= CHANGES_PLAN_BARE;
  return kvVtabWords(pInfo, bSeek ? "SEEK" : "ALL", aCons, CHANGES_PLAN_NARG, "");
}

/* The versionstamp of an argument.  '' is the beginning: -1.  In a condition on
** versionstamp (pShow is 0) anything else is text that SQLite compares. */
static i64 changesStamp(ChangesCursor *p, sqlite3_value *pVal, KvBuf *pShow){
  KvBytes text = kvArgName(pVal, p->c.pError);
  i64 i = -1;
  if( pShow ) kvBufAdd(pShow, text);
  if( text.n==0 || kvVersionstampParse(text, &i) || pShow==0 ) return i;
  kvError(p->c.pError, SQLITE_ERROR, "kv: kv_changes(): since must be a versionstamp, "
      "20 hexadecimal digits in lower case, or '' for the beginning");
  return i;
}

/* The key of the current row. */
static KvBytes changesKey(const ChangesCursor *p){
  const void *a = sqlite3_column_blob(p->c.show.pRow, CHANGES_Q_KEY);
  return kvBytes(a, a ? (u32)sqlite3_column_bytes(p->c.show.pRow, CHANGES_Q_KEY) : 0);
}

/* The version of the current row.  The removal of an expired entry may be ahead
** of the store by one. */
static i64 changesVersion(const ChangesCursor *p){
  i64 i = sqlite3_column_int64(p->c.show.pRow, CHANGES_Q_VERSION);
  return p->bDeleted && i>p->iVersion ? p->iVersion : i;
}

/* Is the current row not to be seen?  What was written since the first, by the
** statement that reads this, would come once more. */
static int changesHidden(const ChangesCursor *p){
  return changesVersion(p)<=p->iSince
      || kvGuardWritten(p->c.pStore, changesKey(p), p->iClock);
}

static int changesNext(KvVtabCursor *pCursor){
  ChangesCursor *p = (ChangesCursor*)pCursor;
  while( kvStmtRow(p->c.pStmt) ){
    p->bDeleted = kvStmtInt(p->c.pStmt, CHANGES_Q_DELETED)!=0;
    if( !changesHidden(p) ) return 1;
  }
  return 0;
}

/* Is what the feed holds enough to go on from there? */
static void changesCheck(KvError *pError, const KvFeed *pFeed, i64 iSince){
  char zSince[KV_VERSIONSTAMP_TEXT + 1];
  if( !pFeed->bThere ){
    kvError(pError, SQLITE_ERROR, "kv: kv_changes(): the change feed of this file is "
        "off; SELECT kv_track(1) first");
    return;
  }
  if( iSince<=0 || iSince>=pFeed->iSince ) return;
  kvVersionstampPrint(pFeed->iSince, zSince);
  zSince[KV_VERSIONSTAMP_TEXT] = 0;
  kvError(pError, SQLITE_ERROR, "kv: kv_changes(): deletions up to the versionstamp %s "
      "have been trimmed; rescan from the beginning, with since = ''", zSince);
}

/* Read what has changed after both versions, and go to the first row.  A statement that
** writes entries reads all of it first. */
static int changesStart(ChangesCursor *p, int mPlan, i64 iSince, i64 iAfter){
  KvStore *pStore = p->c.pStore;
  u32 mMask = mPlan & CHANGES_PLAN_BARE ? 0 : KVREAD_VALUE;
  KvStmt *pStmt;
  KvFeed feed;
  memset(&feed, 0, sizeof(feed));
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) p->pPin = kvFeedPin(pStore, &feed);
  changesCheck(p->c.pError, &feed, iSince);
  if( kvFailed(p->c.pError) ) return 0;
  p->iVersion = feed.iVersion;
  kvGuardBegin(pStore);
  p->bGuard = 1;
  p->iClock = kvGuardClock(pStore);
  p->iSince = iSince>iAfter ? iSince : iAfter;
  if( kvProgramWritesKv(((KvVtab*)p->c.base.pVtab)->pConn, pStore) ) mMask |= KVREAD_SORTED;
  p->c.pStmt = pStmt = kvStmtMask(pStore, KVSQL_FEED_CHANGES, mMask);
  p->c.show.pRow = pStmt ? pStmt->pStmt : 0;
  kvBindInt(pStmt, 1, p->iSince);
  kvBindBytes(pStmt, 2, kvBufBytes(&p->lo));
  if( p->hi.n ) kvBindBytes(pStmt, 3, kvBufBytes(&p->hi));
  return !kvFailed(p->c.pError) && changesNext(&p->c);
}

/* The version before which all is, if the query says no more; else -1. */
static i64 changesBefore(KvVtabCursor *pCursor, int mPlan, sqlite3_value *pVal){
  KvBytes text = kvArgName(pVal, pCursor->pError);
  char z[KV_VERSIONSTAMP_TEXT];
  i64 i;
  if( (mPlan & CHANGES_PLAN_TRIM)==0 || !kvVersionstampParse(text, &i) ) return -1;
  kvVersionstampPrint(i, z);
  if( i<INT64_MAX && memcmp(z, text.p, sizeof(z))!=0 ) return -1;   /* SQLite compares it */
  return (mPlan & CHANGES_PLAN_UPTO) && i<INT64_MAX ? i+1 : i;
}

static int changesFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  ChangesCursor *p = (ChangesCursor*)pCursor;
  ChangesTable *pTab = (ChangesTable*)pCursor->base.pVtab;
  i64 iSince = -1, iAfter = -1;
  int iArg;
  pTab->iBefore = -1;
  pTab->bTrimmed = 0;
  p->c.show.iNow = kvNow();
  for(iArg=0; iArg<nArg; iArg++){
    if( sqlite3_value_type(apArg[iArg])==SQLITE_NULL ) return 0;
  }
  iArg = 0;
  p->bSince = (mPlan & CHANGES_PLAN_SINCE)!=0;
  if( p->bSince ) iSince = changesStamp(p, apArg[iArg++], &p->since);
  p->bPrefix = (mPlan & CHANGES_PLAN_PREFIX)!=0;
  if( p->bPrefix ){
    kvArgPrefix(apArg[iArg++], "kv_changes(): prefix", &p->prefix, &p->lo, &p->hi, p->c.pError);
  }
  if( mPlan & CHANGES_PLAN_AFTER ) iAfter = changesStamp(p, apArg[iArg++], 0);
  if( mPlan & CHANGES_PLAN_TRIM ) pTab->iBefore = changesBefore(pCursor, mPlan, apArg[0]);
  kvErrorBuf(p->c.pError, &p->since);
  return changesStart(p, mPlan, iSince, iAfter);
}

/* Is the current row a deletion, or as good as one? */
static int changesDeleted(const ChangesCursor *p){
  i64 iExpires = sqlite3_column_int64(p->c.show.pRow, CHANGES_Q_EXPIRES);
  return p->bDeleted || (iExpires>=0 && iExpires<=p->c.show.iNow);
}

static void changesColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [CHANGES_EXTRA] = KVSHOW_OTHER,
    [CHANGES_KEY] = KVSHOW_KEY, [CHANGES_VALUE] = KVSHOW_VALUE, [CHANGES_JS] = KVSHOW_JS,
    [CHANGES_JSON] = KVSHOW_JSON, [CHANGES_RAW] = KVSHOW_RAW, [CHANGES_TYPE] = KVSHOW_TYPE,
    [CHANGES_EXPIRES_AT] = KVSHOW_EXPIRES_AT
  };
  ChangesCursor *p = (ChangesCursor*)pCursor;
  switch( iCol ){
    case CHANGES_VERSIONSTAMP:
      kvResultVersionstamp(ctx, changesVersion(p));
      break;
    case CHANGES_DELETED:
      sqlite3_result_int(ctx, changesDeleted(p));
      break;
    case CHANGES_SINCE:
      if( p->bSince ) kvResultText(ctx, &p->since);
      else kvVtabOnlySelects(ctx, "since");
      break;
    case CHANGES_PREFIX:
      if( p->bPrefix ) kvResultText(ctx, &p->prefix);
      else kvVtabOnlySelects(ctx, "prefix");
      break;
    default:
      if( iCol!=CHANGES_KEY && changesDeleted(p) ) break;
      kvEntryColumn(ctx, &p->c.show, aShow[iCol]);
  }
}

static i64 changesRowid(KvVtabCursor *pCursor){
  ChangesCursor *p = (ChangesCursor*)pCursor;
  i64 i = sqlite3_column_int64(p->c.show.pRow, CHANGES_Q_VERSION)*2 + p->bDeleted;
  i = kvRowid(i, kvBufBytes(&p->since));
  i = kvRowid(i, kvBufBytes(&p->prefix));
  return kvRowid(i, changesKey(p));
}

/* ---- DELETE ---------------------------------------------------------------- */

static void changesTrim(void *pArg){
  ChangesTable *p = pArg;
  kvWriteTrim(p->t.pStore, p->iBefore);
}

/* SQLite has read all rows that the condition holds for, and deletes one after the
** other: with the first of them all deletions go.  There may be conditions of which
** xBestIndex doesn't see. */
static int changesUpdate(KvVtab *pVtab, KvVtabRow *pRow, char **pzErr){
  ChangesTable *p = (ChangesTable*)pVtab;
  int bTrims = pRow->apCol==0 && p->iBefore>=0;
  if( bTrims && !p->bTrimmed ){
    bTrims = kvProgramDeletesAll(pVtab->pConn, &pVtab->base, 1, kvStoreError(pVtab->pStore));
  }
  if( !bTrims ){
    kvError(kvStoreError(pVtab->pStore), SQLITE_ERROR,
        "kv: kv_changes: can't be written; DELETE with versionstamp < ? or <= ? as its "
        "only condition trims deletions");
  }else if( !p->bTrimmed ){
    p->bTrimmed = 1;
    kvRunNest(pVtab->pConn, pVtab->pStore, changesTrim, p);
  }
  return kvStoreTake(pVtab->pStore, pzErr);
}

const KvVtabDef kvChangesTable = {
  .zName = "kv_changes",
  .zDeclare = CHANGES_SCHEMA,
  .nTable = sizeof(ChangesTable),
  .xBestIndex = changesBestIndex,
  .read = { changesFilter, changesNext, changesColumn, changesRowid },
  .nCursor = sizeof(ChangesCursor),
  .nBuf = 4,
  .xStop = changesStop,
  .xUpdate = changesUpdate,
};
