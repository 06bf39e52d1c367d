/*
** vtab_lookup.c -- the table-valued function kv_lookup(name [, equals]).
**
**     SELECT key, value FROM kv_lookup('users_by_email', 'ada@example.com');
**     SELECT key FROM kv_lookup('users_by_age')
**      WHERE index_value BETWEEN 30 AND 40 ORDER BY index_value DESC LIMIT 10;
**
**     CREATE TABLE kv_lookup(key TEXT COLLATE kv_compare, value,
**       versionstamp TEXT, expires_at INTEGER, index_value,
**       name TEXT HIDDEN, equals HIDDEN,
**       js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN);
**
** A row for each entry of a declared index: columns of its primary entry, and
** the indexed value as an SQL value.  lookup_range.c tells in which order they
** come.
*/
#include "sql/vtab_lookup.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/rowid.h"
#include "sql/result.h"
#include "store/index_scan.h"
#include "codec/key/key_bytes.h"

#define LKP_SCHEMA \
  "CREATE TABLE kv_lookup(key TEXT COLLATE kv_compare, value, " \
  "versionstamp TEXT, expires_at INTEGER, index_value, " \
  "name TEXT HIDDEN, equals HIDDEN, " \
  "js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN)"
enum {
  LKP_KEY, LKP_VALUE, LKP_VERSIONSTAMP, LKP_EXPIRES_AT, LKP_INDEX_VALUE,
  LKP_NAME, LKP_EQUALS, LKP_JS, LKP_JSON, LKP_RAW, LKP_TYPE
};

/* End the query. */
static void lookupStop(KvVtabCursor *pCursor){
  KvLookup *p = (KvLookup*)pCursor;
  int i;
  for(i=0; i<LKP_RANGES; i++) kvIndexScanStop(&p->aRange[i].scan);
  if( p->bOpen ) kvIndexClose(&p->view);
  kvBufReset(&p->name);
  kvValueColumnsNext(&p->show.value);
  p->bOpen = 0;
  p->nRange = 0;
}

static void lookupFree(KvVtabCursor *pCursor){
  KvLookup *p = (KvLookup*)pCursor;
  int i;
  for(i=0; i<LKP_RANGES; i++) kvIndexScanClear(&p->aRange[i].scan);
  kvLookupQueryClear(&p->query);
  kvBufClear(&p->name);
  kvEntryColumnsClear(&p->show);
}

/* ---- the plan -------------------------------------------------------------- */

/* In the order of LKP_PLAN_xxx. */
static const KvVtabCons lookupCons[LKP_PLAN_NARG] = {
  { LKP_NAME, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "name=?" },
  { LKP_EQUALS, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "equals=?" },
  { LKP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_BINARY, "index_value=?" },
  { LKP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_GT, KVCONS_BINARY, "index_value>?" },
  { LKP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_GE, KVCONS_BINARY, "index_value>=?" },
  { LKP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_LT, KVCONS_BINARY, "index_value<?" },
  { LKP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_LE, KVCONS_BINARY, "index_value<=?" },
  { LKP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_GLOB, 0, "index_value GLOB ?" },
  { LKP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_LIKE, 0, "index_value LIKE ?" },
};

static void lookupCost(sqlite3_index_info *pInfo, int mPlan){
  double rRows = 100000.0;
  if( mPlan & (LKP_PLAN_EQUALS|LKP_PLAN_EQ) ){
    rRows = 10.0;
  }else{
    if( mPlan & (LKP_PLAN_GT|LKP_PLAN_GE) ) rRows /= 10.0;
    if( mPlan & (LKP_PLAN_LT|LKP_PLAN_LE) ) rRows /= 10.0;
    if( mPlan & (LKP_PLAN_GLOB|LKP_PLAN_LIKE) ) rRows /= 100.0;
  }
  pInfo->estimatedRows = (sqlite3_int64)rRows;
  pInfo->estimatedCost = rRows*4.0 + 20.0;
}

/* A plan without a name is an error once it is run: SQLite asks for some that
** it will not use, too. */
static int lookupBestIndex(sqlite3_index_info *pInfo){
  int rc = kvVtabPlan(pInfo, lookupCons, LKP_PLAN_NARG);
  int bSeek = (pInfo->idxNum & ~LKP_PLAN_NAME)!=0;
  if( rc!=SQLITE_OK ) return rc;
  if( pInfo->nOrderBy==1 && pInfo->aOrderBy[0].iColumn==LKP_INDEX_VALUE ){
    pInfo->orderByConsumed = 1;
    if( pInfo->aOrderBy[0].desc ) pInfo->idxNum |= LKP_PLAN_DESC;
  }
  lookupCost(pInfo, pInfo->idxNum);
  if( (pInfo->idxNum & LKP_PLAN_NAME)==0 ) pInfo->estimatedCost = 1e30;
  return kvVtabWords(pInfo, bSeek ? "SEEK" : "INDEX", lookupCons, LKP_PLAN_NARG,
                     pInfo->idxNum & LKP_PLAN_DESC ? " ORDER BY index_value DESC" : "");
}

/* ---- running ----------------------------------------------------------------- */

/* Start the ranges of the step that begins with range i. */
static int lookupStartStep(KvLookup *p, int i, char **pzErr){
  int iStep = p->aRange[i].iStep;
  for(; i<p->nRange && p->aRange[i].iStep==iStep; i++){
    p->aRange[i].bRow = (u8)kvIndexScanStart(&p->aRange[i].scan, &p->view, p->bDesc);
  }
  return kvStoreTake(p->c.pStore, pzErr);
}

/* Of the ranges of the current step, which stands on the next row?  -1: none.
** Only those of step 1 have to be compared; the others follow one another. */
static int lookupBest(KvLookup *p, int iFirst){
  int i, iBest = -1;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    if( !p->aRange[i].bRow ) continue;
    if( iBest>=0 && p->aRange[i].iStep==1 ){
      int c = kvLookupCompare(p, i, iBest);
      if( p->bDesc ? c>0 : c<0 ) iBest = i;
    }else if( iBest<0 ){
      iBest = i;
    }
  }
  return iBest;
}

/* The first range of the step that range i belongs to. */
static int lookupStepStart(const KvLookup *p, int i){
  int iStep = p->aRange[i].iStep;
  while( i>0 && p->aRange[i-1].iStep==iStep ) i--;
  return i;
}

/* Stand on the next row, from the step that begins with range iFirst on. */
static int lookupSettle(KvLookup *p, int iFirst, char **pzErr){
  while( iFirst<p->nRange ){
    int rc;
    p->iRange = lookupBest(p, iFirst);
    if( p->iRange>=0 ) return SQLITE_ROW;
    while( ++iFirst<p->nRange && p->aRange[iFirst].iStep==p->aRange[iFirst-1].iStep ){}
    if( iFirst>=p->nRange ) break;
    rc = lookupStartStep(p, iFirst, pzErr);
    if( rc!=SQLITE_OK ) return rc;
  }
  return SQLITE_DONE;
}

static int lookupNext(KvVtabCursor *pCursor, char **pzErr){
  KvLookup *p = (KvLookup*)pCursor;
  KvLookupRange *pRange = &p->aRange[p->iRange];
  pRange->bRow = (u8)kvIndexScanStep(&pRange->scan);
  kvValueColumnsNext(&p->show.value);
  if( kvFailed(kvStoreError(p->c.pStore)) ) return kvStoreTake(p->c.pStore, pzErr);
  return lookupSettle(p, lookupStepStart(p, p->iRange), pzErr);
}

/* Open the index of that name. */
static int lookupOpenIndex(KvLookup *p, const char *zName, char **pzErr){
  KvStore *pStore = p->c.pStore;
  p->bOpen = (u8)kvIndexOpen(pStore, zName, &p->view);
  if( !p->bOpen ){
    kvError(kvStoreError(pStore), SQLITE_ERROR, "kv: kv_lookup(): there is no index %!.100s; "
        "kv_index() declares one, kv_indexes lists them", zName);
  }
  return kvStoreTake(pStore, pzErr);
}

static int lookupFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg, char **pzErr){
  KvLookup *p = (KvLookup*)pCursor;
  const char *zName;
  int rc;
  (void)nArg;
  if( (mPlan & LKP_PLAN_NAME)==0 ){
    *pzErr = sqlite3_mprintf("kv: kv_lookup(): takes the name of an index: kv_lookup('name'); see kv_indexes");
    return SQLITE_ERROR;
  }
  p->bDesc = (mPlan & LKP_PLAN_DESC)!=0;
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return SQLITE_DONE;
  zName = (const char*)sqlite3_value_text(apArg[0]);
  if( zName==0 ) return SQLITE_NOMEM;
  kvBufText(&p->name, zName);
  rc = lookupOpenIndex(p, zName, pzErr);
  if( rc==SQLITE_OK ) rc = kvLookupArgs(p, mPlan, apArg, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvLookupRanges(p);
  if( p->nRange==0 ) return SQLITE_DONE;
  rc = lookupStartStep(p, 0, pzErr);
  return rc==SQLITE_OK ? lookupSettle(p, 0, pzErr) : rc;
}

/* ---- columns ------------------------------------------------------------------ */

/* Bytes of a column of the current row. */
static KvBytes lookupBytes(const KvLookup *p, int iCol){
  sqlite3_value *pVal = sqlite3_column_value(p->aRange[p->iRange].scan.pRow, iCol);
  const void *a = sqlite3_value_blob(pVal);
  return kvBytes(a, (u32)sqlite3_value_bytes(pVal));
}

static void lookupColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [LKP_KEY] = KVSHOW_KEY, [LKP_VALUE] = KVSHOW_VALUE, [LKP_VERSIONSTAMP] = KVSHOW_VERSIONSTAMP,
    [LKP_EXPIRES_AT] = KVSHOW_EXPIRES_AT, [LKP_JS] = KVSHOW_JS, [LKP_JSON] = KVSHOW_JSON,
    [LKP_RAW] = KVSHOW_RAW, [LKP_TYPE] = KVSHOW_TYPE
  };
  KvLookup *p = (KvLookup*)pCursor;
  u32 i = p->view.name.n;
  KvPart part;
  switch( iCol ){
    case LKP_INDEX_VALUE:
    case LKP_EQUALS:
      if( kvPartRead(lookupBytes(p, KVINDEX_COL_IK), &i, &part, 0)==KV_OK ) kvResultPart(ctx, &part);
      break;
    case LKP_NAME:
      kvResultText(ctx, &p->name);
      break;
    default:
      p->show.pRow = p->aRange[p->iRange].scan.pRow;
      p->show.iFirst = KVINDEX_COL_KEY;
      kvEntryColumn(ctx, &p->show, aShow[iCol]);
  }
}

static i64 lookupRowid(KvVtabCursor *pCursor){
  KvLookup *p = (KvLookup*)pCursor;
  i64 i = kvRowid(0, kvBufBytes(&p->name));
  i = kvRowid(i, lookupBytes(p, KVINDEX_COL_IK));
  return kvRowid(i, lookupBytes(p, KVINDEX_COL_KEY));
}

const KvVtabDef kvLookupTable = {
  .zName = "kv_lookup",
  .zDeclare = LKP_SCHEMA,
  .nCursor = sizeof(KvLookup),
  .xBestIndex = lookupBestIndex,
  .xFilter = lookupFilter,
  .xNext = lookupNext,
  .xColumn = lookupColumn,
  .xRowid = lookupRowid,
  .xStop = lookupStop,
  .xFree = lookupFree,
};
