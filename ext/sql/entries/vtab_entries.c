/*
** vtab_entries.c -- the virtual table kv_entries: connecting and reading.
**
**     SELECT key, value FROM kv_entries('["users"]');
**     ATTACH 'x.db' AS x;
**     CREATE VIRTUAL TABLE temp.x_entries USING kv_entries(x);
**     CREATE VIRTUAL TABLE app USING kv_entries(main, tables='app_');
**
** The table is as if made by ENTRIES_SCHEMA in vtab_entries_plan.h, over the rows of
** Deno's table kv.  It is eponymous: without CREATE it is that of the main store.
** A cursor runs one statement of the store over a range of stored keys, or
** one after the other over a list of points, and decodes what is asked for.
*/
#include "sql/modules.h"
#include "sql/entries/vtab_entries_bulk.h"
#include "sql/entries/vtab_entries_plan.h"
#include "sql/entries/vtab_entries_range.h"
#include "sql/entries/vtab_entries_write.h"
#include "sql/as_of.h"
#include "sql/entry_columns.h"
#include "sql/result.h"
#include "codec/key/cursor.h"
#include "store/clock.h"

typedef struct EntriesCursor EntriesCursor;
struct EntriesCursor {
  KvVtabCursor c;         /* Must be first */
  KvRange range;          /* What is asked for, and the scan */
  sqlite3_value *pAsOf;   /* A copy of the argument as_of, or 0 */
  u8 bCount;              /* Nobody looks at the rows: see entriesNext() */
  u32 nRow;               /* ... rows that were read one by one */
};

/* Forget the query. */
static void entriesStop(KvVtabCursor *pCursor){
  EntriesCursor *p = (EntriesCursor*)pCursor;
  kvRowScanStop(&p->range.scan);
  p->range.nPoint = 0;
  p->range.bUpper = p->range.bNone = p->range.bPrefix = 0;
  p->bCount = 0;
  p->nRow = 0;
}

static void entriesFree(KvVtabCursor *pCursor){
  EntriesCursor *p = (EntriesCursor*)pCursor;
  sqlite3_value_free(p->pAsOf);
  kvRowScanClear(&p->range.scan);
  kvFree(p->range.aPoint);
}

static u64 entriesMemory(const KvVtabCursor *pCursor){
  return ((const EntriesCursor*)pCursor)->range.nPointAlloc*sizeof(KvPoint);
}

/* The row of the scan, if there is one, becomes the cursor's. */
static int entriesShow(EntriesCursor *p, int bRow){
  const KvRowScan *pScan = &p->range.scan;
  if( !bRow ) return 0;
  p->c.show.pRow = pScan->pStmt->pStmt;
  if( pScan->mRead & KVREAD_POINT ) p->c.show.key = kvRowScanKey(pScan);
  return 1;
}

/*
** Where no column is asked for, as by count(*), most rows are never delivered
** one by one: SQLite skips ENTRIES_LEAP of them in one step.  The first few are
** not skipped, so that LIMIT and EXISTS don't pay for what they don't want.
*/
#define ENTRIES_LEAP        1024
#define ENTRIES_LEAP_AFTER    64
static int entriesNext(KvVtabCursor *pCursor){
  EntriesCursor *p = (EntriesCursor*)pCursor;
  if( p->bCount && p->nRow++>=ENTRIES_LEAP_AFTER ){
    if( kvRowScanLeap(&p->range.scan, ENTRIES_LEAP) ){
      p->c.nAhead = ENTRIES_LEAP-1;
      return entriesShow(p, 1);
    }
    p->bCount = 0;                     /* fewer are left, or some are new: one by one */
  }
  if( kvRowScanNext(&p->range.scan) ) return entriesShow(p, 1);
  kvEntriesBulkRead((KvVtab*)pCursor->base.pVtab, &p->range.scan);
  return 0;
}

/* The argument as_of.  False: it is NULL, or wrong. */
static int entriesAsOf(EntriesCursor *p){
  KvRange *pRange = &p->range;
  KvRowScan *pScan = &pRange->scan;
  KvStore *pStore = p->c.pStore;
  u32 i;
  pScan->past.bPast = 0;
  if( p->pAsOf ) sqlite3_value_free(p->pAsOf);
  p->pAsOf = 0;
  if( pRange->pAsOf==0 ) return 1;
  if( !kvAsOf((KvVtab*)p->c.base.pVtab, pRange->pAsOf, "as_of", &pScan->past) ) return 0;
  p->pAsOf = sqlite3_value_dup(pRange->pAsOf);
  if( p->pAsOf==0 ) kvErrorCode(p->c.pError, SQLITE_NOMEM);
  if( pRange->nPoint==0 && !pRange->bNone ){
    kvHistoryCheck(pStore, &pScan->past, kvBufBytes(&pScan->lo), kvBufBytes(&pScan->hi), "as_of");
  }
  for(i=0; i<pRange->nPoint; i++) kvAsOfKey(pStore, &pScan->past, pRange->aPoint[i].key, "as_of");
  if( pScan->past.bPast ) p->c.show.iNow = pScan->past.iTime;
  return !kvFailed(p->c.pError);
}

static int entriesFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  EntriesCursor *p = (EntriesCursor*)pCursor;
  KvRowScan *pScan = &p->range.scan;
  int bPoints = (mPlan & ENTRIES_PLAN_POINTS)!=0;
  u32 mRead = (mPlan & ENTRIES_PLAN_VALUE ? (u32)KVREAD_VALUE : 0)
            | (mPlan & ENTRIES_PLAN_META ? (u32)KVREAD_META : 0)
            | (mPlan & ENTRIES_PLAN_DESC ? (u32)KVREAD_DESC : 0)
            | (bPoints ? (u32)KVREAD_POINT : 0);
  i64 nOffset;
  int bRow;
  kvEntriesBulkBegin((KvVtab*)pCursor->base.pVtab);
  p->c.show.iNow = pScan->iNow = kvNow();
  if( p->c.eState==KVCUR_NEW ) pScan->bAsked = 0;
  nOffset = kvRangeArgs(&p->range, mPlan, apArg, nArg, p->c.pError);
  if( kvFailed(p->c.pError) || !entriesAsOf(p) || p->range.bNone ) return 0;
  pScan->aPoint = p->range.aPoint;
  pScan->nPoint = p->range.nPoint;
  pScan->nOffset = nOffset;
  if( nOffset>0 && !bPoints ) mRead |= KVREAD_OFFSET;
  p->bCount = (mPlan & ENTRIES_PLAN_COUNT) && nOffset<=0 && !bPoints;
  if( p->bCount ) mRead &= ~(u32)KVREAD_DESC;
  bRow = kvRowScanStart(pScan, (KvVtab*)p->c.base.pVtab, mRead);
  while( bPoints && bRow && nOffset-- > 0 ) bRow = kvRowScanNext(pScan);
  return entriesShow(p, bRow);
}

static void entriesCursorColumn(sqlite3_context *ctx, EntriesCursor *p){
  KvBytes key = kvEntryKey(&p->c.show);
  KvBuf *pText = &p->c.show.value.text;
  u32 nSkip = p->range.common.n<=key.n ? p->range.common.n : 0;
  kvBufReset(pText);
  if( key.n>nSkip ) kvCursorPrint(pText, kvBytesFrom(key, nSkip));
  kvResultText(ctx, pText);
}

/* The column prefix or as_of, but no value was given. */
static KV_NOINLINE void entriesNoValue(sqlite3_context *ctx, const char *zColumn){
  if( kvVtabUpdatesFrom(sqlite3_context_db_handle(ctx)) ){
    kvResultError(ctx, SQLITE_ERROR, kvEntriesUpdateFrom());
  }else{
    kvVtabOnlySelects(ctx, zColumn);
  }
}

static void entriesColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [ENTRIES_EXTRA] = KVSHOW_OTHER,
    [ENTRIES_KEY] = KVSHOW_KEY, [ENTRIES_VALUE] = KVSHOW_VALUE, [ENTRIES_JS] = KVSHOW_JS,
    [ENTRIES_JSON] = KVSHOW_JSON, [ENTRIES_RAW] = KVSHOW_RAW, [ENTRIES_TYPE] = KVSHOW_TYPE,
    [ENTRIES_VERSIONSTAMP] = KVSHOW_VERSIONSTAMP,
    [ENTRIES_EXPIRES_AT] = KVSHOW_EXPIRES_AT, [ENTRIES_EXPIRE_IN] = KVSHOW_EXPIRE_IN
  };
  EntriesCursor *p = (EntriesCursor*)pCursor;
  if( sqlite3_vtab_nochange(ctx) ){
    if( p->range.scan.past.bPast ) kvAsOfRefuse(ctx, "as_of");
    return;
  }
  if( iCol!=ENTRIES_PREFIX ){
    /* The plan said that no column would be asked for: SQLite doesn't count the key that
    ** DELETE reads, from the first row on. */
    KV_ASSERT( p->c.nAhead==0 );
    p->bCount = 0;
  }
  switch( iCol ){
    case ENTRIES_PREFIX:
      if( p->range.bPrefix ){
        kvResultText(ctx, &p->range.prefix);
      }else{
        entriesNoValue(ctx, "prefix");
      }
      break;
    case ENTRIES_AS_OF:
      if( p->pAsOf ) sqlite3_result_value(ctx, p->pAsOf);
      else entriesNoValue(ctx, "as_of");
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
  .nTable = sizeof(KvEntriesTable),
  .xBestIndex = kvEntriesBestIndex,
  .read = { entriesFilter, entriesNext, entriesColumn, 0 },
  .nCursor = sizeof(EntriesCursor),
  .nBuf = KVRANGE_BUFS,
  .xStop = entriesStop,
  .xFree = entriesFree,
  .xMemory = entriesMemory,
  .xWrite = kvEntriesWrite,
  .xDisconnect = kvEntriesBulkFree,
};
