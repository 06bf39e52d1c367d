/*
** vtab_entries.c -- the virtual table kv_entries: connecting and reading.
**
**     SELECT key, value FROM kv_entries('["users"]');
**     ATTACH 'x.db' AS x;
**     CREATE VIRTUAL TABLE temp.x_entries USING kv_entries(x);
**     CREATE VIRTUAL TABLE app USING kv_entries(main, tables='app_');
**
** The table is as if made by ENTRIES_SCHEMA in entries.h, over the rows of Deno's
** table kv.  It is eponymous: without CREATE it stands for the main store.
** A cursor runs one statement of the store over a range of stored keys, or
** one after the other over a list of points, and decodes what is asked for.
*/
#include "sql/vtab_entries.h"
#include "sql/vtab_entries_plan.h"
#include "sql/vtab_entries_range.h"
#include "sql/vtab_entries_write.h"
#include "sql/entry_columns.h"
#include "sql/result.h"
#include "sql/op_args.h"
#include "codec/key/cursor.h"
#include "store/clock.h"
#include "store/row.h"
#include "store/scan_guard.h"
#include "store/schema.h"

typedef struct EntriesCursor EntriesCursor;
struct EntriesCursor {
  KvVtabCursor c;         /* Must be first */
  KvRange range;          /* What is asked for */
  u32 iPoint;             /* The next of its points */
  u32 mRead;              /* KVREAD_xxx of c.pStmt */
  i64 nTotal;             /* Changes on the connection when the row was read */
  u8 bAsked;              /* Since it was opened: bPlain is known */
  u8 bPlain;            /* Plain SQL writes meanwhile: see entriesForeign() */
  u8 bWritten;            /* There were some since the first row was */
  KvOpenScan scan;      /* Open while rows of a range may be ahead */
  u8 bCount;              /* Nobody looks at the rows: see entriesLeap() */
  u32 nRow;               /* ... rows that were read one by one */
};

/* Give the statement back. */
static void entriesGive(EntriesCursor *p){
  kvStmtGive(p->c.pStmt);
  p->c.pStmt = 0;
}

/* Forget the query. */
static void entriesStop(KvVtabCursor *pCursor){
  EntriesCursor *p = (EntriesCursor*)pCursor;
  kvScanClose(p->c.pStore, &p->scan);
  p->range.nPoint = 0;
  p->range.bUpper = p->range.bNone = p->range.bPrefix = 0;
  p->bCount = p->bWritten = 0;
  p->nRow = p->iPoint = 0;
  p->mRead = 0;
}

static void entriesFree(KvVtabCursor *pCursor){
  kvFree(((EntriesCursor*)pCursor)->range.aPoint);
}

static u64 entriesMemory(const KvVtabCursor *pCursor){
  return ((const EntriesCursor*)pCursor)->range.nPointAlloc*sizeof(KvPoint);
}

/* Take a statement and bind what stays the same. */
static void entriesPrepare(EntriesCursor *p, i64 nOffset){
  p->c.pStmt = kvStmtReader(p->c.pStore, p->mRead);
  p->c.show.pRow = p->c.pStmt ? p->c.pStmt->pStmt : 0;
  if( (p->mRead & KVREAD_ALL)==0 ) kvBindInt(p->c.pStmt, 3, p->c.show.iNow);
  if( p->mRead & KVREAD_POINT ) return;
  kvBindBytes(p->c.pStmt, 1, kvBufBytes(&p->range.lo));
  if( p->range.bUpper ) kvBindBytes(p->c.pStmt, 2, kvBufBytes(&p->range.hi));
  if( p->mRead & KVREAD_OFFSET ) kvBindInt(p->c.pStmt, 4, nOffset);
}

/* The current row's key, and zero byte if bBehind, take the place of a bound.  The
** statement, which has that bound, is given back before. */
static void entriesBound(EntriesCursor *p, KvBuf *pBound, int bBehind){
  KvBuf *pText = &p->c.show.value.text;
  kvBufReset(pText);
  kvBufAdd(pText, kvEntryKey(&p->c.show));
  if( bBehind ) kvBufPut(pText, 0);
  entriesGive(p);
  kvBufReset(pBound);
  kvBufAdd(pBound, kvBufBytes(pText));
  kvErrorBuf(p->c.pError, pText);
  kvErrorBuf(p->c.pError, pBound);
}

/* Begin anew behind the current row, with an eye on expired entries. */
static void entriesResume(EntriesCursor *p){
  int bDesc = (p->mRead & KVREAD_DESC)!=0;
  entriesBound(p, bDesc ? &p->range.hi : &p->range.lo, !bDesc);
  if( bDesc ){
    p->range.bUpper = 1;
    p->mRead |= KVREAD_UPPER;
  }
  p->mRead &= ~(u32)(KVREAD_ALL|KVREAD_OFFSET);
  entriesPrepare(p, 0);
}

/*
** Where no column is asked for, as by count(*), most rows are never delivered
** one by one: SQLite skips ENTRIES_LEAP of them in one step.  The first few are
** not skipped, so that LIMIT and EXISTS don't pay for what they don't want.
** True if there were enough to skip; then the statement stands on the last of
** them, and the rows up to it are ahead.
*/
#define ENTRIES_LEAP        1024
#define ENTRIES_LEAP_AFTER    64
static int entriesLeap(EntriesCursor *p){
  entriesBound(p, &p->range.lo, 0);
  p->mRead |= KVREAD_OFFSET;
  entriesPrepare(p, ENTRIES_LEAP);
  if( kvStmtRow(p->c.pStmt) ){
    p->c.nAhead = ENTRIES_LEAP-1;
    return 1;
  }
  entriesGive(p);                      /* fewer are left: one by one */
  p->bCount = 0;
  p->mRead &= ~(u32)KVREAD_OFFSET;
  kvBufPut(&p->range.lo, 0);
  kvErrorBuf(p->c.pError, &p->range.lo);
  entriesPrepare(p, 0);
  return 0;
}

/*
** A column is asked for although the plan said that none would be: SQLite
** does not count the key that DELETE reads.  So no row is skipped from here
** on, and if this one was, it is read.
*/
static int entriesLand(EntriesCursor *p){
  u32 nAhead = p->c.nAhead;
  p->bCount = 0;
  if( nAhead==0 ) return 1;
  p->c.nAhead = 0;                     /* not reached: it reads the first row's, too */
  entriesGive(p);                      /* not reached */
  entriesPrepare(p, ENTRIES_LEAP-nAhead);  /* not reached */
  return kvStmtRow(p->c.pStmt);          /* not reached */
}

/* Was the current row added since the first one was read? */
static int entriesIsNew(EntriesCursor *p){
  return kvScanIsNew(p->c.pStore, &p->scan, kvEntryKey(&p->c.show));
}

/*
** Take the next row of a range.  If something was written since the last row
** was read (SELECT kv_set(key, ...) FROM kv_entries), that row could come
** again, since SQLite finds its place by the whole record, which has changed;
** what has been written may have expired; and what has been added meanwhile is
** passed over, or it might never end.  (What has been read before its first row
** is as it was.)
*/
static int entriesNextInRange(EntriesCursor *p){
  i64 nTotal;
  if( p->mRead & KVREAD_SORTED ) return kvStmtRow(p->c.pStmt);
  nTotal = sqlite3_total_changes64(kvStoreDb(p->c.pStore));
  if( nTotal!=p->nTotal ){
    if( p->nTotal>=0 ){
      entriesResume(p);
      p->bWritten = 1;
      p->bCount = 0;                   /* no leap over rows that are new */
    }
    p->nTotal = nTotal;
  }else if( p->bCount && p->nRow++>=ENTRIES_LEAP_AFTER && entriesLeap(p) ){
    return 1;
  }
  while( kvStmtRow(p->c.pStmt) ){
    if( !p->bWritten || !entriesIsNew(p) ) return 1;
  }
  return 0;
}

/* The next of the points that are there. */
static int entriesNextPoint(EntriesCursor *p){
  while( p->iPoint<p->range.nPoint && p->c.pStmt ){
    p->c.show.key = p->range.aPoint[p->iPoint].key;
    if( p->iPoint++>0 ) sqlite3_reset(p->c.pStmt->pStmt);
    kvBindBytes(p->c.pStmt, 1, p->c.show.key);
    if( kvStmtRow(p->c.pStmt) && (!p->scan.bOpen || !entriesIsNew(p)) ) return 1;
  }
  return 0;
}

static int entriesNext(KvVtabCursor *pCursor){
  EntriesCursor *p = (EntriesCursor*)pCursor;
  return p->mRead & KVREAD_POINT ? entriesNextPoint(p) : entriesNextInRange(p);
}

/*
** Whether expired entries have to be looked out for.  A range is read faster
** if there are none, and to ask Deno's index for one costs what a few rows do.
** Where the outer statement does not read the store's file the answer could be
** out of date when the range is read.  An error other than that of tables
** which have changed may have rolled the transaction back, and is one here.
*/
static void entriesAlive(EntriesCursor *p){
  KvStore *pStore = p->c.pStore;
  p->mRead &= ~(u32)KVREAD_ALL;
  if( (p->mRead & KVREAD_POINT) || ((KvVtab*)p->c.base.pVtab)->bElsewhere ) return;
  if( kvSchemaState(pStore)==KV_STORE_OLD || kvRowExpired(pStore, p->c.show.iNow)==0 ){
    p->mRead |= KVREAD_ALL;
  }
}

/* Plain SQL may write to the table while a range of it is read: scan_guard.h.  Points
** are finite. */
static void entriesPlain(EntriesCursor *p){
  if( p->mRead & KVREAD_POINT ) return;
  if( !p->bAsked ){
    p->bPlain = kvPlainWrites(p->c.pStore)!=0;
    p->bAsked = !kvFailed(p->c.pError);
  }
  if( !p->bPlain ) return;
  p->mRead |= KVREAD_SORTED;
  p->bCount = 0;
}

/* Run the query that the bounds and points describe, up to the first row. */
static int entriesFirst(EntriesCursor *p, i64 nOffset){
  entriesAlive(p);
  entriesPlain(p);
  entriesPrepare(p, nOffset);
  return entriesNext(&p->c);
}

static int entriesStart(EntriesCursor *p, i64 nOffset){
  int bRow;
  if( kvSchemaReady(p->c.pStore)==KV_STORE_NONE ) return 0;
  bRow = entriesFirst(p, nOffset);
  if( bRow || !kvSchemaRetry(p->c.pStore) ) return bRow;
  entriesGive(p);                      /* the tables have changed: once more */
  p->iPoint = 0;
  return kvSchemaState(p->c.pStore)==KV_STORE_NONE ? 0 : entriesFirst(p, nOffset);
}

/* Rows may be ahead: tell the store which.  Of points that is all from the
** smallest to the largest, which take the places of the bounds. */
static void entriesGuard(EntriesCursor *p, int bDesc){
  KvRange *pRange = &p->range;
  if( p->mRead & KVREAD_POINT ){
    KvBytes lo, hi;
    if( p->iPoint>=pRange->nPoint ) return;
    lo = pRange->aPoint[bDesc ? pRange->nPoint-1 : 0].key;
    hi = pRange->aPoint[bDesc ? 0 : pRange->nPoint-1].key;
    kvBufReset(&pRange->lo);
    kvBufReset(&pRange->hi);
    kvBufAdd(&pRange->lo, lo);
    kvBufAdd(&pRange->hi, hi);
    kvBufPut(&pRange->hi, 0);
    kvErrorBuf(p->c.pError, &pRange->lo);
    kvErrorBuf(p->c.pError, &pRange->hi);
  }
  kvScanOpen(p->c.pStore, &p->scan, &pRange->lo, &pRange->hi);
}

static int entriesFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  EntriesCursor *p = (EntriesCursor*)pCursor;
  int bDesc = (mPlan & ENTRIES_PLAN_DESC)!=0;
  int bPoints = (mPlan & ENTRIES_PLAN_POINTS)!=0;
  i64 nOffset;
  int bRow;
  p->c.show.iNow = kvNow();
  p->nTotal = -1;
  if( p->c.eState==KVCUR_NEW ) p->bAsked = 0;
  nOffset = kvRangeArgs(&p->range, mPlan, apArg, nArg, p->c.pError);
  if( kvFailed(p->c.pError) || p->range.bNone ) return 0;
  if( mPlan & ENTRIES_PLAN_VALUE ) p->mRead |= KVREAD_VALUE;
  if( mPlan & ENTRIES_PLAN_META ) p->mRead |= KVREAD_META;
  if( bPoints ){
    p->mRead |= KVREAD_POINT;
  }else{
    p->bCount = (mPlan & ENTRIES_PLAN_COUNT) && nOffset<=0;
    if( bDesc && !p->bCount ) p->mRead |= KVREAD_DESC;
    if( p->range.bUpper ) p->mRead |= KVREAD_UPPER;
    if( nOffset>0 ) p->mRead |= KVREAD_OFFSET;
  }
  bRow = entriesStart(p, nOffset);
  if( bRow ) entriesGuard(p, bDesc);
  while( bPoints && bRow && nOffset-- > 0 ) bRow = entriesNext(pCursor);
  return bRow;
}

static void entriesCursorColumn(sqlite3_context *ctx, EntriesCursor *p){
  KvBytes key = kvEntryKey(&p->c.show);
  KvBuf *pText = &p->c.show.value.text;
  u32 nSkip = p->range.common.n<=key.n ? p->range.common.n : 0;
  kvBufReset(pText);
  if( key.n>nSkip ) kvCursorPrint(pText, kvBytesFrom(key, nSkip));
  kvResultText(ctx, pText);
}

/* Is a statement under way that looks like an UPDATE ... FROM? */
static int entriesUpdatesFrom(sqlite3 *db){
  sqlite3_stmt *pStmt;
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    const char *z = sqlite3_sql(pStmt);
    if( sqlite3_stmt_busy(pStmt) && !sqlite3_stmt_readonly(pStmt)
     && z && sqlite3_strlike("%update%from%", z, 0)==0
    ){
      return 1;
    }
  }
  return 0;
}

/* The column prefix, but no prefix was given. */
static void entriesNoPrefix(sqlite3_context *ctx){
  if( entriesUpdatesFrom(sqlite3_context_db_handle(ctx)) ){
    kvResultError(ctx, SQLITE_ERROR, kvEntriesUpdateFrom());
  }else{
    kvVtabOnlySelects(ctx, "prefix");
  }
}

static void entriesColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [ENTRIES_KEY] = KVSHOW_KEY, [ENTRIES_VALUE] = KVSHOW_VALUE, [ENTRIES_JS] = KVSHOW_JS,
    [ENTRIES_JSON] = KVSHOW_JSON, [ENTRIES_RAW] = KVSHOW_RAW, [ENTRIES_TYPE] = KVSHOW_TYPE,
    [ENTRIES_VERSIONSTAMP] = KVSHOW_VERSIONSTAMP,
    [ENTRIES_EXPIRES_AT] = KVSHOW_EXPIRES_AT, [ENTRIES_EXPIRE_IN] = KVSHOW_EXPIRE_IN
  };
  EntriesCursor *p = (EntriesCursor*)pCursor;
  if( sqlite3_vtab_nochange(ctx) ) return;
  if( p->bCount && iCol!=ENTRIES_PREFIX ){
    if( !entriesLand(p) ){
      char *zErr = 0;                                  /* not reached */
      int rc = kvErrorTake(p->c.pError, &zErr);        /* not reached */
      kvResultError(ctx, rc ? rc : SQLITE_ABORT, zErr);  /* not reached */
      return;                                          /* not reached */
    }
  }
  switch( iCol ){
    case ENTRIES_PREFIX:
      if( p->range.bPrefix ){
        kvResultText(ctx, &p->range.prefix);
      }else{
        entriesNoPrefix(ctx);
      }
      break;
    case ENTRIES_CURSOR:
      entriesCursorColumn(ctx, p);
      break;
    default:
      kvEntryColumn(ctx, &p->c.show, aShow[iCol]);
  }
}

const KvVtabDef kvEntriesTable = {
  .zName = "kv_entries",
  .zDeclare = ENTRIES_SCHEMA,
  .mFlags = KVTAB_HOME|KVTAB_CONSTRAINTS,
  .xBestIndex = kvEntriesBestIndex,
  .read = { entriesFilter, entriesNext, entriesColumn, 0 },
  .nCursor = sizeof(EntriesCursor),
  .nBuf = KVRANGE_BUFS,
  .xStop = entriesStop,
  .xFree = entriesFree,
  .xMemory = entriesMemory,
  .xWrite = kvEntriesWrite,
};
