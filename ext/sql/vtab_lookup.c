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
#include "sql/result.h"
#include "store/index_scan.h"

#define LKP_SCHEMA \
  "CREATE TABLE kv_lookup(key TEXT COLLATE kv_compare, value, " \
  "versionstamp TEXT, expires_at INTEGER, index_value, " \
  "name TEXT HIDDEN, equals HIDDEN, " \
  "js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN)"
enum {
  LKP_KEY, LKP_VALUE, LKP_VERSIONSTAMP, LKP_EXPIRES_AT, LKP_INDEX_VALUE,
  LKP_NAME, LKP_EQUALS, LKP_JS, LKP_JSON, LKP_RAW, LKP_TYPE
};

static int lkpConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  return kvTableConnect(db, pAux, argc, argv, LKP_SCHEMA, sizeof(KvTable), ppVtab, pzErr);
}

static int lkpOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  int i, rc = kvTableOpen(pVtab);
  KvLookup *p = rc==SQLITE_OK ? sqlite3_malloc64(sizeof(*p)) : 0;
  if( p==0 ) return rc==SQLITE_OK ? SQLITE_NOMEM : rc;
  memset(p, 0, sizeof(*p));        /* an empty tree or buffer is all zero */
  for(i=0; i<LKP_RANGES; i++) kvIndexScanInit(&p->aRange[i].scan);
  *ppCursor = &p->base;
  return SQLITE_OK;
}

/* End the query. */
static void lkpStop(KvLookup *p){
  int i;
  for(i=0; i<LKP_RANGES; i++) kvIndexScanStop(&p->aRange[i].scan);
  if( p->bOpen ) kvIndexClose(&p->view);
  p->bOpen = 0;
  p->nRange = 0;
  p->bEof = 1;
}

static int lkpClose(sqlite3_vtab_cursor *pCursor){
  KvLookup *p = (KvLookup*)pCursor;
  int i;
  lkpStop(p);
  for(i=0; i<LKP_RANGES; i++) kvIndexScanClear(&p->aRange[i].scan);
  kvLookupQueryClear(&p->query);
  kvBufClear(&p->name);
  kvBufClear(&p->text);
  kvTreeClear(&p->tree);
  sqlite3_free(p);
  return SQLITE_OK;
}

/* ---- the plan -------------------------------------------------------------- */

/* Index of the bit of a plan for a constraint, or -1. */
static int lkpBit(const struct sqlite3_index_constraint *pCons){
  int bEq = pCons->op==SQLITE_INDEX_CONSTRAINT_EQ || pCons->op==SQLITE_INDEX_CONSTRAINT_IS;
  if( pCons->iColumn==LKP_NAME ) return bEq ? 0 : -1;
  if( pCons->iColumn==LKP_EQUALS ) return bEq ? 1 : -1;
  if( pCons->iColumn!=LKP_INDEX_VALUE ) return -1;
  switch( pCons->op ){
    case SQLITE_INDEX_CONSTRAINT_EQ:   return 2;
    case SQLITE_INDEX_CONSTRAINT_GT:   return 3;
    case SQLITE_INDEX_CONSTRAINT_GE:   return 4;
    case SQLITE_INDEX_CONSTRAINT_LT:   return 5;
    case SQLITE_INDEX_CONSTRAINT_LE:   return 6;
    case SQLITE_INDEX_CONSTRAINT_GLOB: return 7;
    case SQLITE_INDEX_CONSTRAINT_LIKE: return 8;
    default: return -1;
  }
}

/* The first usable constraint for each bit.  0 if the plan is impossible. */
static int lkpChoose(sqlite3_index_info *pInfo, int *aiCons){
  int i;
  for(i=0; i<LKP_PLAN_NARG; i++) aiCons[i] = -1;
  for(i=0; i<pInfo->nConstraint; i++){
    int iBit = lkpBit(&pInfo->aConstraint[i]);
    if( iBit<0 ) continue;
    if( !pInfo->aConstraint[i].usable ){
      if( iBit<2 ) return 0;
      continue;
    }
    if( iBit>=2 && iBit<7 ){
      const char *zColl = sqlite3_vtab_collation(pInfo, i);
      if( zColl && sqlite3_stricmp(zColl, "BINARY")!=0 ) continue;
    }
    if( aiCons[iBit]<0 ) aiCons[iBit] = i;
  }
  return 1;
}

static void lkpCost(sqlite3_index_info *pInfo, int mPlan){
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

/* The plan in words for EXPLAIN QUERY PLAN. */
static char *lkpWords(int mPlan){
  static const char *const azWord[LKP_PLAN_NARG] = {
    "name=?", "equals=?", "index_value=?", "index_value>?", "index_value>=?",
    "index_value<?", "index_value<=?", "index_value GLOB ?", "index_value LIKE ?"
  };
  sqlite3_str *pOut = sqlite3_str_new(0);
  int i, n = 0;
  sqlite3_str_appendall(pOut, mPlan & (LKP_PLAN_DESC-1) & ~LKP_PLAN_NAME ? "SEEK" : "INDEX");
  for(i=0; i<LKP_PLAN_NARG; i++){
    if( mPlan & (1<<i) ) sqlite3_str_appendf(pOut, "%s%s", n++ ? " AND " : " ", azWord[i]);
  }
  if( mPlan & LKP_PLAN_DESC ) sqlite3_str_appendall(pOut, " ORDER BY index_value DESC");
  return sqlite3_str_finish(pOut);
}

/* A plan without a name is an error once it is run: SQLite asks for some that
** it will not use, too. */
static int lkpBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int aiCons[LKP_PLAN_NARG];
  int i, nArg = 0, mPlan = 0;
  (void)pVtab;
  if( !lkpChoose(pInfo, aiCons) ) return SQLITE_CONSTRAINT;
  for(i=0; i<LKP_PLAN_NARG; i++){
    if( aiCons[i]<0 ) continue;
    pInfo->aConstraintUsage[aiCons[i]].argvIndex = ++nArg;
    pInfo->aConstraintUsage[aiCons[i]].omit = i<2;
    mPlan |= 1<<i;
  }
  if( pInfo->nOrderBy==1 && pInfo->aOrderBy[0].iColumn==LKP_INDEX_VALUE ){
    pInfo->orderByConsumed = 1;
    if( pInfo->aOrderBy[0].desc ) mPlan |= LKP_PLAN_DESC;
  }
  lkpCost(pInfo, mPlan);
  if( aiCons[0]<0 ) pInfo->estimatedCost = 1e30;
  pInfo->idxNum = mPlan;
  pInfo->idxStr = lkpWords(mPlan);
  pInfo->needToFreeIdxStr = 1;
  return pInfo->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- running ----------------------------------------------------------------- */

static int lkpFailed(KvLookup *p, int rc, char *zErr){
  lkpStop(p);
  return kvTableFail(p->base.pVtab, rc, zErr);
}

/* Start the ranges of the step that begins with range i. */
static int lkpStartStep(KvLookup *p, int i, char **pzErr){
  int iStep = p->aRange[i].iStep;
  for(; i<p->nRange && p->aRange[i].iStep==iStep; i++){
    int rc = kvIndexScanStart(&p->aRange[i].scan, &p->view, p->bDesc, pzErr);
    p->aRange[i].eState = rc;
    if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) return rc;
  }
  return SQLITE_OK;
}

/* Of the ranges of the current step, which stands on the next row?  -1: none.
** Only those of step 1 have to be compared; the others follow one another. */
static int lkpBest(KvLookup *p, int iFirst){
  int i, iBest = -1;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    if( p->aRange[i].eState!=SQLITE_ROW ) continue;
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
static int lkpStepStart(const KvLookup *p, int i){
  int iStep = p->aRange[i].iStep;
  while( i>0 && p->aRange[i-1].iStep==iStep ) i--;
  return i;
}

/* Stand on the next row, from the step that begins with range iFirst on. */
static int lkpSettle(KvLookup *p, int iFirst){
  char *zErr = 0;
  while( iFirst<p->nRange ){
    int rc;
    p->iRange = lkpBest(p, iFirst);
    if( p->iRange>=0 ) return SQLITE_OK;
    while( ++iFirst<p->nRange && p->aRange[iFirst].iStep==p->aRange[iFirst-1].iStep ){}
    if( iFirst>=p->nRange ) break;
    rc = lkpStartStep(p, iFirst, &zErr);
    if( rc!=SQLITE_OK ) return lkpFailed(p, rc, zErr);
  }
  lkpStop(p);
  return SQLITE_OK;
}

static int lkpNext(sqlite3_vtab_cursor *pCursor){
  KvLookup *p = (KvLookup*)pCursor;
  KvLookupRange *pRange = &p->aRange[p->iRange];
  char *zErr = 0;
  int rc = kvIndexScanStep(&pRange->scan, &zErr);
  p->bTree = 0;
  if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) return lkpFailed(p, rc, zErr);
  pRange->eState = rc;
  return lkpSettle(p, lkpStepStart(p, p->iRange));
}

static int lkpFilter(
  sqlite3_vtab_cursor *pCursor, int mPlan, const char *zPlan,
  int nArg, sqlite3_value **apArg
){
  KvLookup *p = (KvLookup*)pCursor;
  KvStore *pStore = ((KvTable*)pCursor->pVtab)->pStore;
  const char *zName;
  char *zErr = 0;
  int rc;
  (void)zPlan; (void)nArg;
  lkpStop(p);
  if( (mPlan & LKP_PLAN_NAME)==0 ){
    return kvTableFail(p->base.pVtab, SQLITE_ERROR, sqlite3_mprintf(
        "kv: kv_lookup(): takes the name of an index: kv_lookup('name'); see kv_indexes"));
  }
  zName = (const char*)sqlite3_value_text(apArg[0]);
  p->bTree = 0;
  p->bDesc = (mPlan & LKP_PLAN_DESC)!=0;
  kvBufReset(&p->name);
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return SQLITE_OK;
  if( zName==0 ) return SQLITE_NOMEM;
  kvBufText(&p->name, zName);
  rc = kvIndexOpen(pStore, zName, &p->view, &zErr);
  if( rc==SQLITE_NOTFOUND ){
    rc = SQLITE_ERROR;
    zErr = kvMsg("kv: kv_lookup(): there is no index %!.100s; "
        "kv_index() declares one, kv_indexes lists them", zName);
  }
  if( rc!=SQLITE_OK ) return lkpFailed(p, rc, zErr);
  p->bOpen = 1;
  rc = kvLookupArgs(p, mPlan, apArg);
  if( rc!=SQLITE_OK ){
    lkpStop(p);
    return rc;
  }
  kvLookupRanges(p);
  if( p->nRange==0 ){
    lkpStop(p);
    return SQLITE_OK;
  }
  p->bEof = 0;
  rc = lkpStartStep(p, 0, &zErr);
  return rc==SQLITE_OK ? lkpSettle(p, 0) : lkpFailed(p, rc, zErr);
}

static int lkpEof(sqlite3_vtab_cursor *pCursor){
  return ((KvLookup*)pCursor)->bEof;
}

/* ---- columns ------------------------------------------------------------------ */

static void lkpValueColumn(sqlite3_context *ctx, KvLookup *p, sqlite3_stmt *pRow, int iCol){
  KvErr err;
  int eAs = iCol==LKP_JS ? KV_AS_JS : iCol==LKP_JSON ? KV_AS_JSON
          : iCol==LKP_TYPE ? KV_AS_TYPE : KV_AS_VALUE;
  int rc = KV_OK;
  if( !p->bTree ){
    rc = kvColumnRead(pRow, KVINDEX_COL_V, sqlite3_column_int(pRow, KVINDEX_COL_ENCODING),
                          &p->tree, &err);
    p->bTree = rc==KV_OK;
  }
  if( rc==KV_OK ) rc = kvResultValueAs(ctx, &p->tree, eAs, &p->text, &err);
  if( rc==KV_OK ) return;
  kvBufReset(&p->text);
  kvBufLit(&p->text, "value of the key ");
  kvKeyShow(&p->text, kvBytes(sqlite3_column_blob(pRow, KVINDEX_COL_KEY), (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_KEY)));
  if( kvBufTerminate(&p->text)!=KV_OK ) sqlite3_result_error_nomem(ctx);
  else kvResultCodecError(ctx, (const char*)p->text.a, &err);
}

static int lkpColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  KvLookup *p = (KvLookup*)pCursor;
  sqlite3_stmt *pRow = p->aRange[p->iRange].scan.pRow;
  u32 i = p->view.nName;
  KvPart part;
  switch( iCol ){
    case LKP_KEY:
      kvBufReset(&p->text);
      kvKeyShow(&p->text, kvBytes(sqlite3_column_blob(pRow, KVINDEX_COL_KEY), (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_KEY)));
      kvResultText(ctx, &p->text);
      break;
    case LKP_VERSIONSTAMP:
      kvResultVersionstamp(ctx, sqlite3_column_int64(pRow, KVINDEX_COL_VERSION));
      break;
    case LKP_EXPIRES_AT:
      if( sqlite3_column_int64(pRow, KVINDEX_COL_EXPIRES)>=0 ){
        sqlite3_result_int64(ctx, sqlite3_column_int64(pRow, KVINDEX_COL_EXPIRES));
      }
      break;
    case LKP_INDEX_VALUE:
    case LKP_EQUALS:
      if( kvPartRead(kvBytes(sqlite3_column_blob(pRow, KVINDEX_COL_IK), (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_IK)), &i, &part, 0)==KV_OK ){
        kvResultPart(ctx, &part);
      }
      break;
    case LKP_NAME:
      kvResultText(ctx, &p->name);
      break;
    case LKP_RAW:
      kvResultRawColumn(ctx, pRow, KVINDEX_COL_V, sqlite3_column_int(pRow, KVINDEX_COL_ENCODING), &p->text);
      break;
    default:
      lkpValueColumn(ctx, p, pRow, iCol);
  }
  return SQLITE_OK;
}

static int lkpRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  KvLookup *p = (KvLookup*)pCursor;
  sqlite3_stmt *pRow = p->aRange[p->iRange].scan.pRow;
  i64 i = kvTableRowid(0, p->name.a, p->name.n);
  const void *a = sqlite3_column_blob(pRow, KVINDEX_COL_IK);
  i = kvTableRowid(i, a, (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_IK));
  a = sqlite3_column_blob(pRow, KVINDEX_COL_KEY);
  *piRowid = kvTableRowid(i, a, (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_KEY));
  return SQLITE_OK;
}

const sqlite3_module kvLookupModule = {
  .iVersion      = 0,
  .xCreate       = lkpConnect,
  .xConnect      = lkpConnect,
  .xBestIndex    = lkpBestIndex,
  .xDisconnect   = kvTableDisconnect,
  .xDestroy      = kvTableDisconnect,
  .xOpen         = lkpOpen,
  .xClose        = lkpClose,
  .xFilter       = lkpFilter,
  .xNext         = lkpNext,
  .xEof          = lkpEof,
  .xColumn       = lkpColumn,
  .xRowid        = lkpRowid
};
