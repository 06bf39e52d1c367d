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
** What any program has changed behind a versionstamp, in the order of
** versionstamps, each key once and as it is now.  An entry whose time has come
** is shown as deleted.  kv_track(1) turns the feed on; see sql/store/track.sql.
*/
#include "sql/vtab_changes.h"
SQLITE_EXTENSION_INIT3
#include "sql/vtab.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/mark.h"
#include "store/index.h"
#include "store_sql.h"

#define CHG_SCHEMA \
  "CREATE TABLE kv_changes(key TEXT COLLATE kv_compare, value, " \
  "versionstamp TEXT, deleted INTEGER, since TEXT HIDDEN, " \
  "prefix TEXT HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, " \
  "raw BLOB HIDDEN, type TEXT HIDDEN, expires_at INTEGER HIDDEN)"
enum {
  CHG_KEY, CHG_VALUE, CHG_VERSIONSTAMP, CHG_DELETED, CHG_SINCE, CHG_PREFIX,
  CHG_JS, CHG_JSON, CHG_RAW, CHG_TYPE, CHG_EXPIRES_AT
};
/* Columns of the statement. */
enum { CHG_Q_KEY, CHG_Q_VERSION, CHG_Q_EXPIRES, CHG_Q_V, CHG_Q_ENCODING, CHG_Q_DELETED };

/* idxNum: which arguments xFilter gets, in the order of the bits. */
#define CHG_PLAN_SINCE   1
#define CHG_PLAN_PREFIX  2
#define CHG_PLAN_AFTER   4      /* versionstamp > ? */

typedef struct ChgCursor ChgCursor;
struct ChgCursor {
  sqlite3_vtab_cursor base;  /* Must be first */
  KvStmt *pStmt;
  KvStmt *pPin;           /* Holds the read transaction */
  u8 bEof;
  u8 bTree;
  u8 bMarks;              /* kvMarksOpen() was called */
  i64 iClock;             /* kvMarksClock() then */
  i64 iVersion;           /* The store's newest version */
  i64 iSince;             /* What is shown was changed behind this version */
  i64 iNow;
  KvBuf lo, hi;           /* Bounds of stored keys */
  KvBuf since, prefix;    /* The arguments */
  u8 bSince, bPrefix;     /* Which of them are given */
  KvBuf text;             /* Text of a column */
  KvTree tree;            /* The current row's value */
};

static int chgConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  return kvTableConnect(db, pAux, argc, argv, CHG_SCHEMA, sizeof(KvTable), ppVtab, pzErr);
}

static int chgOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  int rc = kvTableOpen(pVtab);
  ChgCursor *p = rc==SQLITE_OK ? sqlite3_malloc64(sizeof(*p)) : 0;
  if( p==0 ) return rc==SQLITE_OK ? SQLITE_NOMEM : rc;
  memset(p, 0, sizeof(*p));        /* an empty tree or buffer is all zero */
  *ppCursor = &p->base;
  return SQLITE_OK;
}

static void chgStop(ChgCursor *p){
  KvStore *pStore = ((KvTable*)p->base.pVtab)->pStore;
  kvStoreGive(pStore, p->pStmt);
  kvStoreGive(pStore, p->pPin);
  p->pStmt = p->pPin = 0;
  if( p->bMarks ) kvMarksClose(pStore);
  p->bMarks = 0;
  p->bEof = 1;
}

static int chgClose(sqlite3_vtab_cursor *pCursor){
  ChgCursor *p = (ChgCursor*)pCursor;
  chgStop(p);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
  kvBufClear(&p->since);
  kvBufClear(&p->prefix);
  kvBufClear(&p->text);
  kvTreeClear(&p->tree);
  sqlite3_free(p);
  return SQLITE_OK;
}

static int chgBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  static const char *const azPlan[] = {
    "ALL", "SEEK since=?", "ALL prefix=?", "SEEK since=? AND prefix=?",
    "SEEK versionstamp>?", "SEEK since=? AND versionstamp>?",
    "SEEK prefix=? AND versionstamp>?", "SEEK since=? AND prefix=? AND versionstamp>?"
  };
  int aiCons[3] = { -1, -1, -1 };
  int i, nArg = 0;
  (void)pVtab;
  for(i=0; i<pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
    int bEq = pCons->op==SQLITE_INDEX_CONSTRAINT_EQ || pCons->op==SQLITE_INDEX_CONSTRAINT_IS;
    int iArg = -1;
    if( bEq && pCons->iColumn==CHG_SINCE ) iArg = 0;
    if( bEq && pCons->iColumn==CHG_PREFIX ) iArg = 1;
    if( iArg>=0 && !pCons->usable ) return SQLITE_CONSTRAINT;
    if( pCons->iColumn==CHG_VERSIONSTAMP && pCons->op==SQLITE_INDEX_CONSTRAINT_GT && pCons->usable ){
      iArg = 2;
    }
    if( iArg>=0 && aiCons[iArg]<0 ) aiCons[iArg] = i;
  }
  for(i=0; i<3; i++){
    if( aiCons[i]<0 ) continue;
    pInfo->aConstraintUsage[aiCons[i]].argvIndex = ++nArg;
    pInfo->aConstraintUsage[aiCons[i]].omit = i<2;
    pInfo->idxNum |= 1<<i;
  }
  if( pInfo->nOrderBy==1 && pInfo->aOrderBy[0].iColumn==CHG_VERSIONSTAMP && !pInfo->aOrderBy[0].desc ){
    pInfo->orderByConsumed = 1;
  }
  pInfo->estimatedRows = (pInfo->idxNum & (CHG_PLAN_SINCE|CHG_PLAN_AFTER)) ? 100
      : (pInfo->idxNum & CHG_PLAN_PREFIX) ? 10000 : 100000;
  pInfo->estimatedCost = 10.0 + 3.0*(double)pInfo->estimatedRows;
  pInfo->idxStr = (char*)azPlan[pInfo->idxNum];
  return SQLITE_OK;
}

/* The versionstamp of an argument.  '' is the beginning.  In a condition on
** versionstamp anything else is text that SQLite compares. */
static int chgStamp(ChgCursor *p, sqlite3_value *pVal, i64 *pi, KvBuf *pShow){
  const char *z = (const char*)sqlite3_value_text(pVal);
  u32 n = (u32)sqlite3_value_bytes(pVal);
  *pi = -1;
  if( z==0 ) return SQLITE_NOMEM;
  if( pShow ) kvBufAppend(pShow, z, n);
  if( n==0 || kvStampParse(kvBytes(z, n), pi) ) return SQLITE_OK;
  if( pShow==0 ) return SQLITE_OK;
  return kvTableFail(p->base.pVtab, SQLITE_ERROR, sqlite3_mprintf(
      "kv: kv_changes(): since is not a versionstamp (20 hexadecimal digits, or '' for the beginning)"));
}

static int chgPrefix(ChgCursor *p, sqlite3_value *pVal){
  KvErr err;
  if( kvArgKey(pVal, 0, &p->lo, 0, &err)!=KV_OK ){
    return kvTableCodecError(p->base.pVtab, "kv_changes(): prefix", &err);
  }
  if( kvArgText(pVal, &p->prefix)!=KV_OK ) return SQLITE_NOMEM;
  p->bPrefix = 1;
  if( p->lo.n ){
    kvBufAppend(&p->hi, p->lo.a, p->lo.n);
    kvBufPut(&p->hi, 0xff);
    kvBufPut(&p->lo, 0);
  }
  return SQLITE_OK;
}

/* The version of the current row.  The removal of an expired entry may be ahead
** of the store by one. */
static i64 chgVersion(const ChgCursor *p){
  sqlite3_stmt *pStmt = p->pStmt->pStmt;
  i64 i = sqlite3_column_int64(pStmt, CHG_Q_VERSION);
  return sqlite3_column_int(pStmt, CHG_Q_DELETED) && i>p->iVersion ? p->iVersion : i;
}

/* Is the current row not to be seen?  What was written since the first, by the
** statement that reads this, would come once more. */
static int chgHidden(const ChgCursor *p){
  sqlite3_stmt *pStmt = p->pStmt->pStmt;
  return chgVersion(p)<=p->iSince
      || kvMarksSince(((KvTable*)p->base.pVtab)->pStore, sqlite3_column_blob(pStmt, CHG_Q_KEY),
                      (u32)sqlite3_column_bytes(pStmt, CHG_Q_KEY), p->iClock);
}

/* Go to the next row that is to be seen. */
static int chgStep(ChgCursor *p){
  KvStore *pStore = ((KvTable*)p->base.pVtab)->pStore;
  int rc;
  do{
    rc = kvStep(p->pStmt);
  }while( rc==SQLITE_ROW && chgHidden(p) );
  p->bTree = 0;
  if( rc==SQLITE_ROW ) return SQLITE_OK;
  if( rc!=SQLITE_DONE ){
    kvTableFail(p->base.pVtab, rc, sqlite3_mprintf("kv: %s", sqlite3_errmsg(pStore->db)));
  }
  chgStop(p);
  return rc==SQLITE_DONE ? SQLITE_OK : rc;
}

/* Is what the feed holds enough to go on from there? */
static int chgCheck(ChgCursor *p, const KvTrack *pTrack, i64 iSince){
  char zSince[KV_STAMP_DIGITS + 1];
  if( !pTrack->bThere ){
    return kvTableFail(p->base.pVtab, SQLITE_ERROR, sqlite3_mprintf(
        "kv: kv_changes(): the changes of this file are not tracked; SELECT kv_track(1) first"));
  }
  if( iSince<=0 || iSince>=pTrack->iSince ) return SQLITE_OK;
  kvStampPrint(pTrack->iSince, zSince);
  zSince[KV_STAMP_DIGITS] = 0;
  return kvTableFail(p->base.pVtab, SQLITE_ERROR, sqlite3_mprintf(
      "kv: kv_changes(): deletions up to the versionstamp %s are not known any more; "
      "%sread everything anew, with since = ''", zSince,
      pTrack->bWanted ? "" : "SELECT kv_track(1) keeps those to come; "));
}

static int chgStart(ChgCursor *p, i64 iSince, i64 iAfter){
  KvStore *pStore = ((KvTable*)p->base.pVtab)->pStore;
  KvTrack track;
  char *zErr = 0;
  int bForeign, rc = kvStoreOpen(pStore, &zErr);
  memset(&track, 0, sizeof(track));
  if( rc==SQLITE_OK && pStore->eState==KV_STORE_READY ){
    rc = kvTrackPin(pStore, &p->pPin, &track, &zErr);
  }
  if( rc!=SQLITE_OK ) return kvTableFail(p->base.pVtab, rc, zErr);
  rc = chgCheck(p, &track, iSince);
  if( rc!=SQLITE_OK ) return rc;
  p->iVersion = track.iVersion;
  if( kvMarksOpen(pStore)!=SQLITE_OK ) return SQLITE_NOMEM;
  p->bMarks = 1;
  p->iClock = kvMarksClock(pStore);
  rc = kvStoreForeign(pStore, &bForeign, &zErr);
  if( rc==SQLITE_OK ) rc = kvStoreChanges(pStore, bForeign, &p->pStmt, &zErr);
  if( rc!=SQLITE_OK ) return kvTableFail(p->base.pVtab, rc, zErr);
  p->iSince = iSince>iAfter ? iSince : iAfter;
  kvBindInt(p->pStmt, 1, p->iSince);
  kvBindBlob(p->pStmt, 2, p->lo.a, p->lo.n);
  if( p->hi.n ) kvBindBlob(p->pStmt, 3, p->hi.a, p->hi.n);
  p->bEof = 0;
  return chgStep(p);
}

static int chgFilter(
  sqlite3_vtab_cursor *pCursor, int mPlan, const char *zPlan,
  int nArg, sqlite3_value **apArg
){
  ChgCursor *p = (ChgCursor*)pCursor;
  i64 iSince = -1, iAfter = -1;
  int iArg = 0, rc = SQLITE_OK;
  (void)zPlan; (void)nArg;
  chgStop(p);
  kvBufReset(&p->lo);
  kvBufReset(&p->hi);
  kvBufReset(&p->since);
  kvBufReset(&p->prefix);
  p->bSince = p->bPrefix = p->bTree = 0;
  p->iNow = kvNow();
  for(iArg=0; iArg<nArg; iArg++){
    if( sqlite3_value_type(apArg[iArg])==SQLITE_NULL ) return SQLITE_OK;
  }
  iArg = 0;
  p->bSince = (mPlan & CHG_PLAN_SINCE)!=0;
  if( p->bSince ) rc = chgStamp(p, apArg[iArg++], &iSince, &p->since);
  if( rc==SQLITE_OK && (mPlan & CHG_PLAN_PREFIX) ) rc = chgPrefix(p, apArg[iArg++]);
  if( rc==SQLITE_OK && (mPlan & CHG_PLAN_AFTER) ) rc = chgStamp(p, apArg[iArg++], &iAfter, 0);
  if( rc==SQLITE_OK && (p->lo.eErr || p->hi.eErr || p->since.eErr || p->prefix.eErr) ) rc = SQLITE_NOMEM;
  if( rc==SQLITE_OK ) rc = chgStart(p, iSince, iAfter);
  if( rc!=SQLITE_OK ) chgStop(p);
  return rc;
}

static int chgNext(sqlite3_vtab_cursor *pCursor){
  return chgStep((ChgCursor*)pCursor);
}

static int chgEof(sqlite3_vtab_cursor *pCursor){
  return ((ChgCursor*)pCursor)->bEof;
}

/* Is the current row a deletion, or as good as one? */
static int chgDeleted(const ChgCursor *p){
  sqlite3_stmt *pStmt = p->pStmt->pStmt;
  i64 iExpires = sqlite3_column_int64(pStmt, CHG_Q_EXPIRES);
  return sqlite3_column_int(pStmt, CHG_Q_DELETED) || (iExpires>=0 && iExpires<=p->iNow);
}

static void chgKeyColumn(sqlite3_context *ctx, ChgCursor *p){
  sqlite3_stmt *pStmt = p->pStmt->pStmt;
  kvBufReset(&p->text);
  kvKeyShow(&p->text, kvBytes(sqlite3_column_blob(pStmt, CHG_Q_KEY), (u32)sqlite3_column_bytes(pStmt, CHG_Q_KEY)));
  kvResultText(ctx, &p->text);
}

static void chgValueColumn(sqlite3_context *ctx, ChgCursor *p, int iCol){
  sqlite3_stmt *pStmt = p->pStmt->pStmt;
  KvErr err;
  int eAs = iCol==CHG_JS ? KV_AS_JS : iCol==CHG_JSON ? KV_AS_JSON
          : iCol==CHG_TYPE ? KV_AS_TYPE : KV_AS_VALUE;
  int rc = KV_OK;
  if( !p->bTree ){
    rc = kvColumnRead(pStmt, CHG_Q_V, sqlite3_column_int(pStmt, CHG_Q_ENCODING), &p->tree, &err);
    p->bTree = rc==KV_OK;
  }
  if( rc==KV_CORRUPT && iCol==CHG_TYPE ){
    sqlite3_result_text(ctx, "malformed", -1, SQLITE_STATIC);
    return;
  }
  if( rc==KV_OK ) rc = kvResultValueAs(ctx, &p->tree, eAs, &p->text, &err);
  if( rc==KV_OK ) return;
  kvBufReset(&p->text);
  kvBufLit(&p->text, "value of the key ");
  kvKeyShow(&p->text, kvBytes(sqlite3_column_blob(pStmt, CHG_Q_KEY), (u32)sqlite3_column_bytes(pStmt, CHG_Q_KEY)));
  if( kvBufTerminate(&p->text)!=KV_OK ) sqlite3_result_error_nomem(ctx);
  else kvResultCodecError(ctx, (const char*)p->text.a, &err);
}

static int chgColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  ChgCursor *p = (ChgCursor*)pCursor;
  sqlite3_stmt *pStmt = p->pStmt->pStmt;
  i64 i;
  switch( iCol ){
    case CHG_KEY:
      chgKeyColumn(ctx, p);
      break;
    case CHG_VERSIONSTAMP:
      kvResultVersionstamp(ctx, chgVersion(p));
      break;
    case CHG_DELETED:
      sqlite3_result_int(ctx, chgDeleted(p));
      break;
    case CHG_SINCE:
      if( p->bSince ) kvResultText(ctx, &p->since);
      else kvTableOnlySelects(ctx, "since");
      break;
    case CHG_PREFIX:
      if( p->bPrefix ) kvResultText(ctx, &p->prefix);
      else kvTableOnlySelects(ctx, "prefix");
      break;
    case CHG_EXPIRES_AT:
      i = sqlite3_column_int64(pStmt, CHG_Q_EXPIRES);
      if( i>=0 && !chgDeleted(p) ) sqlite3_result_int64(ctx, i);
      break;
    case CHG_RAW:
      if( chgDeleted(p) ) break;
      kvResultRawColumn(ctx, pStmt, CHG_Q_V, sqlite3_column_int(pStmt, CHG_Q_ENCODING), &p->text);
      break;
    default:
      if( !chgDeleted(p) ) chgValueColumn(ctx, p, iCol);
  }
  return SQLITE_OK;
}

static int chgRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  ChgCursor *p = (ChgCursor*)pCursor;
  sqlite3_stmt *pStmt = p->pStmt->pStmt;
  i64 i = sqlite3_column_int64(pStmt, CHG_Q_VERSION)*2 + (sqlite3_column_int(pStmt, CHG_Q_DELETED)!=0);
  const void *a = sqlite3_column_blob(pStmt, CHG_Q_KEY);
  i = kvTableRowid(i, p->since.a, p->since.n);
  i = kvTableRowid(i, p->prefix.a, p->prefix.n);
  *piRowid = kvTableRowid(i, a, (u32)sqlite3_column_bytes(pStmt, CHG_Q_KEY));
  return SQLITE_OK;
}

const sqlite3_module kvChangesModule = {
  .iVersion      = 0,
  .xCreate       = chgConnect,
  .xConnect      = chgConnect,
  .xBestIndex    = chgBestIndex,
  .xDisconnect   = kvTableDisconnect,
  .xDestroy      = kvTableDisconnect,
  .xOpen         = chgOpen,
  .xClose        = chgClose,
  .xFilter       = chgFilter,
  .xNext         = chgNext,
  .xEof          = chgEof,
  .xColumn       = chgColumn,
  .xRowid        = chgRowid
};
