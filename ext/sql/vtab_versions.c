/*
** vtab_versions.c -- the table-valued function kv_versions(key [, below]).
**
**     SELECT value, versionstamp, until, at, deleted FROM kv_versions('["users",1]');
**     SELECT key, value, at FROM kv_versions('["users"]', 1) WHERE deleted;
**
**     CREATE TABLE kv_versions(key TEXT COLLATE kv_compare, value, versionstamp TEXT,
**       expires_at INTEGER, until TEXT, at INTEGER, deleted INTEGER, of TEXT HIDDEN,
**       below INTEGER HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN,
**       type TEXT HIDDEN);
**
** The states of an entry in the order of time, or with below = 1 of all entries below a
** key.  at is when a state began, until the versionstamp at which it ended, NULL for
** the current one.  While a key had no entry after it had one, the state is deleted.
*/
#include "sql/vtab_versions.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/rowid.h"
#include "sql/run.h"
#include "store/clock.h"
#include "store/history.h"
#include "store/scan_guard.h"
#include "store/schema.h"

#define VERSIONS_SCHEMA \
  "CREATE TABLE kv_versions(key TEXT COLLATE kv_compare, value, versionstamp TEXT, " \
  "expires_at INTEGER, until TEXT, at INTEGER, deleted INTEGER, of TEXT HIDDEN, " \
  "below INTEGER HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN)"
enum {
  VERSIONS_KEY, VERSIONS_VALUE, VERSIONS_VERSIONSTAMP, VERSIONS_EXPIRES_AT, VERSIONS_UNTIL,
  VERSIONS_AT, VERSIONS_DELETED, VERSIONS_OF, VERSIONS_BELOW, VERSIONS_JS, VERSIONS_JSON,
  VERSIONS_RAW, VERSIONS_TYPE
};

typedef struct VersionsCursor VersionsCursor;
struct VersionsCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf text;             /* The argument key */
  KvBuf lo, hi;           /* The keys to read; hi empty: no bound */
  KvBuf key;              /* The key of the row */
  i64 nBelow;             /* The argument below */
  i64 iBegan, iEnded;     /* The row's state; INT64_MAX: it hasn't ended */
  i64 iNext;              /* When the state that the statement is at began */
  u8 bBelow;              /* below is given */
  u8 bDeleted;            /* The row is a time without an entry, before that state */
  u8 bAhead;              /* The statement is at a row */
};

static const KvVtabCons versionsCons[] = {
  { VERSIONS_OF, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "key=?" },
  { VERSIONS_BELOW, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "below=?" }
};

static KvBytes versionsKey(const VersionsCursor *p){
  return kvStmtBytes(p->c.pStmt, KVREAD_COL_KEY);
}

/* Is the state that the statement is at one of an entry? */
static int versionsIsEntry(const VersionsCursor *p){
  return sqlite3_column_type(p->c.pStmt->pStmt, KVREAD_COL_VERSION)!=SQLITE_NULL;
}

/* The statement's next state, of an entry. */
static int versionsStep(VersionsCursor *p){
  do{
    p->bAhead = (u8)kvStmtRow(p->c.pStmt);
  }while( p->bAhead && !versionsIsEntry(p) );
  return p->bAhead;
}

/*
** The next row: the time after the last one without an entry, if there is any, or
** else the statement's state.
*/
static int versionsShow(VersionsCursor *p){
  int bSame = p->bAhead && p->key.n && kvBytesEqual(versionsKey(p), kvBufBytes(&p->key));
  i64 iBegan = p->bAhead ? kvStmtInt(p->c.pStmt, KVREAD_COL_VERSION) : 0;
  if( kvFailed(p->c.pError) ) return 0;
  if( p->key.n && !p->bDeleted && p->iEnded<INT64_MAX && (!bSame || iBegan>p->iEnded) ){
    p->bDeleted = 1;
    p->iBegan = p->iEnded;
    p->iEnded = bSame ? iBegan : INT64_MAX;
    return 1;
  }
  if( !p->bAhead ) return 0;
  p->iBegan = bSame && p->iEnded>iBegan ? p->iEnded : iBegan;
  p->iEnded = kvStmtInt(p->c.pStmt, KVHISTORY_COL_ENDED);
  p->bDeleted = 0;
  if( !bSame ) kvErrorCopy(p->c.pError, versionsKey(p), &p->key);
  return !kvFailed(p->c.pError);
}

static int versionsNext(KvVtabCursor *pCursor){
  VersionsCursor *p = (VersionsCursor*)pCursor;
  if( !p->bDeleted && p->bAhead ) versionsStep(p);
  return versionsShow(p);
}

/* The keys that the arguments ask for: the one, or those below it. */
static void versionsRange(VersionsCursor *p, sqlite3_value *pKey){
  KvError *pError = p->c.pError;
  KvErr err;
  if( p->nBelow ){
    kvArgPrefix(pKey, "kv_versions(): key", &p->text, &p->lo, &p->hi, pError);
    return;
  }
  kvArgCopyText(pKey, &p->text, pError);
  if( kvArgKey(pKey, 0, &p->lo, 0, &err)!=KV_OK ) kvErrorCodec(pError, "kv_versions(): key", &err);
  kvErrorCopy(pError, kvBufBytes(&p->lo), &p->hi);
  kvBufPut(&p->hi, 0);
  kvErrorBuf(pError, &p->hi);
}

/* Is their history kept? */
static int versionsKept(VersionsCursor *p){
  KvStore *pStore = p->c.pStore;
  if( kvFailed(p->c.pError) ) return 0;
  if( kvHistoryKept(pStore, kvBufBytes(&p->lo), kvBufBytes(&p->hi))>0 ) return 1;
  kvError(p->c.pError, SQLITE_ERROR, "kv: kv_versions(): no history of %!.100s is kept; "
      "SELECT kv_history(prefix, keep_ms) begins to", p->text.a ? (const char*)p->text.a : "");
  return 0;
}

static int versionsFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  VersionsCursor *p = (VersionsCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  int i;
  kvBufReset(&p->text);
  kvBufReset(&p->lo);
  kvBufReset(&p->hi);
  kvBufReset(&p->key);
  p->nBelow = 0;
  p->bDeleted = p->bAhead = 0;
  p->c.show.iNow = kvNow();
  for(i=0; i<nArg; i++){
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ) return 0;
  }
  if( (mPlan & 1)==0 ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_versions(): give a key, or a prefix and 1");
    return 0;
  }
  p->bBelow = (mPlan & 2)!=0;
  if( p->bBelow && (!kvArgWholeNumber(apArg[1], &p->nBelow) || (p->nBelow & ~(i64)1)) ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_versions(): the second argument must be 1, for "
        "all entries below the key, or 0");
  }
  versionsRange(p, apArg[0]);
  if( !versionsKept(p) ) return 0;
  p->c.pStmt = kvHistoryStates(pStore, kvBufBytes(&p->lo), kvBufBytes(&p->hi),
      kvRunWriters(kvStoreDb(pStore))>0);
  p->c.show.pRow = p->c.pStmt ? p->c.pStmt->pStmt : 0;
  versionsStep(p);
  return versionsShow(p);
}

static void versionsColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [VERSIONS_VALUE] = KVSHOW_VALUE, [VERSIONS_JS] = KVSHOW_JS, [VERSIONS_JSON] = KVSHOW_JSON,
    [VERSIONS_RAW] = KVSHOW_RAW, [VERSIONS_TYPE] = KVSHOW_TYPE,
    [VERSIONS_EXPIRES_AT] = KVSHOW_EXPIRES_AT
  };
  VersionsCursor *p = (VersionsCursor*)pCursor;
  i64 iTime;
  switch( iCol ){
    case VERSIONS_KEY:
      p->c.show.key = kvBufBytes(&p->key);
      kvEntryColumn(ctx, &p->c.show, KVSHOW_KEY);
      break;
    case VERSIONS_VERSIONSTAMP:
      kvResultVersionstamp(ctx, p->bDeleted ? p->iBegan
                                            : kvStmtInt(p->c.pStmt, KVREAD_COL_VERSION));
      break;
    case VERSIONS_UNTIL:
      if( p->iEnded<INT64_MAX ) kvResultVersionstamp(ctx, p->iEnded);
      break;
    case VERSIONS_AT:
      iTime = kvHistoryTime(p->c.pStore, p->iBegan);
      if( iTime>=0 ) sqlite3_result_int64(ctx, iTime);
      break;
    case VERSIONS_DELETED:
      sqlite3_result_int(ctx, p->bDeleted);
      break;
    case VERSIONS_OF:
      kvResultText(ctx, &p->text);
      break;
    case VERSIONS_BELOW:
      if( p->bBelow ) sqlite3_result_int64(ctx, p->nBelow);
      else kvVtabOnlySelects(ctx, "below");
      break;
    default:
      if( !p->bDeleted ) kvEntryColumn(ctx, &p->c.show, aShow[iCol]);
  }
}

const KvVtabDef kvVersionsTable = {
  .zName = "kv_versions",
  .zDeclare = VERSIONS_SCHEMA,
  .plan = { versionsCons, KV_COUNT(versionsCons), { 100, 200, "STATES" }, { 1, 1e12, "ALL" }, 0 },
  .read = { versionsFilter, versionsNext, versionsColumn, 0 },
  .nCursor = sizeof(VersionsCursor),
  .nBuf = 4,
};
