/*
** vtab_versions.c -- the table-valued function kv_versions(key [, below]).
**
**     SELECT value, versionstamp, until, at, deleted FROM kv_versions('["users",1]');
**     SELECT key, value, at FROM kv_versions('["users"]', 1) WHERE deleted;
**     SELECT * FROM kv_versions('["users",1]') ORDER BY versionstamp DESC LIMIT 10;
**
**     CREATE TABLE kv_versions(key TEXT COLLATE kv_compare, value, versionstamp TEXT,
**       expires_at INTEGER, until TEXT, at INTEGER, deleted INTEGER, of TEXT HIDDEN,
**       below INTEGER HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN,
**       type TEXT HIDDEN);
**
** The states of an entry in the order of time, or with below = 1 of all entries below a
** key.  at is when a state began, until the versionstamp at which it ended, NULL for
** the current one.  While a key had no entry after it had one, the state is deleted.
**
** A state begins with its version, or with the end of what was there before it, if plain
** SQL has written it with an older version.  So the times of a key never fall, and its
** versions don't unless that has happened: then an ORDER BY that relies on it is an error.
*/
#include "sql/modules.h"
#include "codec/versionstamp.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/rowid.h"
#include "sql/run.h"
#include "store/clock.h"
#include "store/history.h"
#include "store/index/dirty.h"
#include "store/scan_guard.h"
#include "store/schema.h"

#define VERSIONS_SCHEMA \
  "CREATE TABLE kv_versions(key TEXT COLLATE kv_compare, value, versionstamp TEXT, " \
  "expires_at INTEGER, until TEXT, at INTEGER, deleted INTEGER, of TEXT HIDDEN, " \
  "below INTEGER HIDDEN, kv_extra HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, " \
  "raw BLOB HIDDEN, type TEXT HIDDEN)"
enum {
  VERSIONS_KEY, VERSIONS_VALUE, VERSIONS_VERSIONSTAMP, VERSIONS_EXPIRES_AT, VERSIONS_UNTIL,
  VERSIONS_AT, VERSIONS_DELETED, VERSIONS_OF, VERSIONS_BELOW, VERSIONS_EXTRA, VERSIONS_JS,
  VERSIONS_JSON, VERSIONS_RAW, VERSIONS_TYPE
};

/* What a row is: the time without an entry before the state that the statement is at, that
** state, or the time without an entry after the last state of a key. */
enum { VERSIONS_GAP, VERSIONS_STATE, VERSIONS_GONE };

typedef struct VersionsCursor VersionsCursor;
struct VersionsCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf text;             /* The argument key */
  KvBuf lo, hi;           /* The keys to read; hi empty: no bound */
  KvBuf key;              /* The key of the row */
  int bBelow;             /* The argument below */
  int mPlan;              /* Bits of versionsCons, VERSIONS_PLAN_xxx */
  i64 iVersion;           /* The state that the statement is or was at last: its version, ... */
  i64 iBegan, iEnded;     /* ... its time, INT64_MAX: it hasn't ended, ... */
  i64 iLast;              /* ... and the end of the state before it; 0: there was none */
  u8 eRow;                /* VERSIONS_xxx: the row */
  u8 bAhead;              /* The statement is at a state */
  u8 bOwned;              /* Index entries exist, which are left out */
};

/* A bound on versionstamps, or on keys below a prefix, narrows what is read, and SQLite
** checks it again.  An upper one on versionstamps doesn't: plain SQL may have given a later
** state an older version. */
static const KvVtabCons versionsCons[] = {
  { VERSIONS_OF, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "key=?" },
  { VERSIONS_BELOW, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "below=?" },
  { VERSIONS_VERSIONSTAMP, SQLITE_INDEX_CONSTRAINT_GT, KVCONS_BINARY, "versionstamp>?" },
  { VERSIONS_VERSIONSTAMP, SQLITE_INDEX_CONSTRAINT_GE, KVCONS_BINARY, "versionstamp>=?" },
  { VERSIONS_VERSIONSTAMP, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_BINARY, "versionstamp=?" },
  { VERSIONS_KEY, SQLITE_INDEX_CONSTRAINT_GT, KVCONS_KEY, "key>?" },
  { VERSIONS_KEY, SQLITE_INDEX_CONSTRAINT_GE, KVCONS_KEY, "key>=?" },
  { VERSIONS_KEY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_KEY|KVCONS_IS, "key=?" },
  { VERSIONS_KEY, SQLITE_INDEX_CONSTRAINT_LE, KVCONS_KEY, "key<=?" },
  { VERSIONS_KEY, SQLITE_INDEX_CONSTRAINT_LT, KVCONS_KEY, "key<?" }
};
#define VERSIONS_PLAN_OF      0x01
#define VERSIONS_PLAN_BELOW   0x02
#define VERSIONS_PLAN_STAMP   0x1c     /* Bounds on the versionstamp */
#define VERSIONS_PLAN_EQUAL   0x80     /* key = ? */
#define VERSIONS_PLAN_MOST    0x100    /* key <= ? */
#define VERSIONS_PLAN_LESS    0x200    /* key < ? */
#define VERSIONS_PLAN_DESC    0x400    /* The newest state first */
#define VERSIONS_PLAN_RISES   0x800    /* The statement relies on the order of versionstamps */

/* ---- plans ----------------------------------------------------------------- */

/* Is ORDER BY the order of the rows, forwards or (of one key) backwards?  Sets bits of the
** plan. */
static int versionsOrdered(const sqlite3_index_info *pInfo, int *pmPlan){
  int bBelow = (*pmPlan & VERSIONS_PLAN_BELOW)!=0, bKey = !bBelow, i, iDesc = -1;
  for(i=0; i<pInfo->nOrderBy; i++){
    int iCol = pInfo->aOrderBy[i].iColumn, bDesc = pInfo->aOrderBy[i].desc!=0;
    if( iCol==VERSIONS_KEY ){
      if( bBelow && (i>0 || bDesc) ) return 0;
      bKey = 1;
      continue;
    }
    if( !bKey || (iCol!=VERSIONS_VERSIONSTAMP && iCol!=VERSIONS_AT) ) return 0;
    if( (bBelow && bDesc) || (iDesc>=0 && bDesc!=iDesc) ) return 0;
    iDesc = bDesc;
    if( iCol==VERSIONS_VERSIONSTAMP ) *pmPlan |= VERSIONS_PLAN_RISES;
  }
  if( iDesc==1 ) *pmPlan |= VERSIONS_PLAN_DESC;
  return pInfo->nOrderBy>0;
}

static int versionsBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo){
  int mPlan, rc = kvVtabPlan(pInfo, versionsCons, KV_COUNT(versionsCons));
  (void)pTab;
  if( rc!=SQLITE_OK ) return rc;
  mPlan = pInfo->idxNum;
  if( versionsOrdered(pInfo, &mPlan) ){
    pInfo->orderByConsumed = 1;
    pInfo->idxNum = mPlan;
  }
  pInfo->estimatedRows = (mPlan & VERSIONS_PLAN_BELOW) && !(mPlan & VERSIONS_PLAN_EQUAL) ? 10000
                       : (mPlan & VERSIONS_PLAN_STAMP) ? 25 : 100;
  pInfo->estimatedCost = (mPlan & VERSIONS_PLAN_OF) ? 10.0 + 2.0*(double)pInfo->estimatedRows
                                                    : 1e12;
  return kvVtabWords(pInfo, "STATES", versionsCons, KV_COUNT(versionsCons),
      pInfo->idxNum & VERSIONS_PLAN_DESC ? " ORDER BY at DESC" : "");
}

/* ---- rows ------------------------------------------------------------------ */

static KvBytes versionsKey(const VersionsCursor *p){
  return kvStmtBytes(p->c.pStmt, KVREAD_COL_KEY);
}

/* The statement's next state of an entry. */
static int versionsStep(VersionsCursor *p){
  do{
    p->bAhead = (u8)kvStmtRow(p->c.pStmt);
  }while( p->bAhead
       && (sqlite3_column_type(p->c.pStmt->pStmt, KVREAD_COL_VERSION)==SQLITE_NULL
           || (p->bOwned && kvIndexOwner(p->c.pStore, versionsKey(p)))) );
  return p->bAhead;
}

/* An older version than that of the state before it, where the order of rows relies on it. */
static void versionsFell(VersionsCursor *p){
  KvBuf text = { 0 };
  const char *zKey = kvErrorKey(p->c.pError, kvBufBytes(&p->key), &text);
  kvError(p->c.pError, SQLITE_ERROR, "kv: kv_versions(): plain SQL has given %!.100s an older "
      "versionstamp than it had; ORDER BY at", zKey);
  kvBufClear(&text);
}

/* The statement is at a state: look at it. */
static int versionsEnter(VersionsCursor *p){
  i64 iVersion = kvStmtInt(p->c.pStmt, KVREAD_COL_VERSION), iBefore = p->iVersion, iFloor;
  int bSame = p->key.n>0 && kvBytesEqual(versionsKey(p), kvBufBytes(&p->key));
  if( !bSame ) kvErrorCopy(p->c.pError, versionsKey(p), &p->key);
  p->iVersion = iVersion;
  p->iEnded = kvStmtInt(p->c.pStmt, KVHISTORY_COL_ENDED);
  p->iLast = kvHistoryBefore(p->c.pStore, kvBufBytes(&p->key), p->iEnded, &iFloor);
  p->iBegan = iVersion>iFloor ? iVersion : iFloor;
  if( bSame && (p->mPlan & VERSIONS_PLAN_RISES)
   && (p->mPlan & VERSIONS_PLAN_DESC ? iVersion>iBefore : iVersion<iBefore)
  ){
    versionsFell(p);
  }
  return !kvFailed(p->c.pError);
}

/* Is there a time without an entry before the state? */
static int versionsGap(const VersionsCursor *p){
  return p->iLast>0 && p->iBegan>p->iLast;
}

/* The first row of the state that the statement is at. */
static int versionsForward(VersionsCursor *p){
  if( !p->bAhead || !versionsEnter(p) ) return 0;
  p->eRow = versionsGap(p) ? VERSIONS_GAP : VERSIONS_STATE;
  return 1;
}

static int versionsBackward(VersionsCursor *p, int bFirst){
  if( !p->bAhead || !versionsEnter(p) ) return 0;
  p->eRow = bFirst && p->iEnded<INT64_MAX ? VERSIONS_GONE : VERSIONS_STATE;
  return 1;
}

static int versionsNext(KvVtabCursor *pCursor){
  VersionsCursor *p = (VersionsCursor*)pCursor;
  if( p->mPlan & VERSIONS_PLAN_DESC ){
    if( p->eRow==VERSIONS_GONE || (p->eRow==VERSIONS_STATE && versionsGap(p)) ){
      p->eRow = p->eRow==VERSIONS_GONE ? VERSIONS_STATE : VERSIONS_GAP;
      return 1;
    }
    versionsStep(p);
    return versionsBackward(p, 0);
  }
  if( p->eRow==VERSIONS_GAP ){
    p->eRow = VERSIONS_STATE;
    return 1;
  }
  if( p->eRow==VERSIONS_STATE ){
    versionsStep(p);
    if( kvFailed(p->c.pError) ) return 0;
    if( p->iEnded<INT64_MAX
     && !(p->bAhead && kvBytesEqual(versionsKey(p), kvBufBytes(&p->key)))
    ){
      p->eRow = VERSIONS_GONE;
      return 1;
    }
  }
  return versionsForward(p);
}

/* ---- the query --------------------------------------------------------------- */

/* The keys that the arguments ask for: the one, or those below it. */
static void versionsRange(VersionsCursor *p, sqlite3_value *pKey){
  KvError *pError = p->c.pError;
  KvErr err;
  if( p->bBelow ){
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

/* A bound on keys below a prefix narrows lo or hi.  What is no key bounds nothing. */
static void versionsNarrow(VersionsCursor *p, int mCons, sqlite3_value *pVal){
  KvBuf key = { 0 };
  KvBuf *pTo = mCons & (VERSIONS_PLAN_MOST|VERSIONS_PLAN_LESS) ? &p->hi : &p->lo;
  KvErr err;
  int c, rc = kvArgKey(pVal, 0, &key, 0, &err);
  if( rc==KV_NOMEM ) kvErrorCode(p->c.pError, SQLITE_NOMEM);
  if( rc==KV_OK && mCons==VERSIONS_PLAN_MOST ) kvBufPut(&key, 0);
  if( rc==KV_OK ){
    c = kvBytesCompare(kvBufBytes(&key), kvBufBytes(pTo));
    if( pTo==&p->lo ? c>0 : c<0 || p->hi.n==0 ) kvErrorCopy(p->c.pError, kvBufBytes(&key), pTo);
  }
  if( mCons==VERSIONS_PLAN_EQUAL ) versionsNarrow(p, VERSIONS_PLAN_MOST, pVal);
  kvErrorBuf(p->c.pError, &key);
  kvBufClear(&key);
}

/* The arguments after the key: below, and bounds.  Returns the version from which on states
** of a single key are wanted. */
static i64 versionsBounds(VersionsCursor *p, sqlite3_value **apArg){
  i64 iFrom = 0, i;
  int m, n = 1;
  for(m=VERSIONS_PLAN_BELOW; m<=VERSIONS_PLAN_LESS && !kvFailed(p->c.pError); m<<=1){
    if( (p->mPlan & m)==0 ) continue;
    if( m & VERSIONS_PLAN_STAMP ){
      KvBytes text = kvArgName(apArg[n], p->c.pError);
      if( kvVersionstampParse(text, &i) && i>iFrom ) iFrom = i;
    }else if( m!=VERSIONS_PLAN_BELOW && p->bBelow ){
      versionsNarrow(p, m, apArg[n]);
    }
    n++;
  }
  return iFrom;
}

static int versionsFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  VersionsCursor *p = (VersionsCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  int i, bWrites = kvRunWriters(kvStoreDb(pStore))>0;
  i64 iFrom;
  kvBufReset(&p->text);
  kvBufReset(&p->lo);
  kvBufReset(&p->hi);
  kvBufReset(&p->key);
  p->bBelow = 0;
  p->mPlan = mPlan;
  p->c.show.iNow = kvNow();
  for(i=0; i<nArg; i++){
    if( i==1 && (mPlan & VERSIONS_PLAN_BELOW) ) continue;
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ) return 0;
  }
  if( (mPlan & VERSIONS_PLAN_OF)==0 ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_versions(): give a key, or a prefix and 1");
    return 0;
  }
  if( (mPlan & VERSIONS_PLAN_BELOW) && !kvArgBool(apArg[1], &p->bBelow) ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_versions(): the second argument is 1 or 'true' for "
        "all entries below the key, 0 or 'false' for that of the key alone");
  }
  versionsRange(p, apArg[0]);
  if( !versionsKept(p) ) return 0;
  iFrom = versionsBounds(p, apArg);
  if( kvFailed(p->c.pError) ) return 0;
  p->bOwned = kvIndexList(pStore)>0;
  p->c.pStmt = p->bBelow
      ? kvHistoryStates(pStore, kvBufBytes(&p->lo), kvBufBytes(&p->hi), bWrites)
      : kvHistoryStatesOf(pStore, kvBufBytes(&p->lo), iFrom,
            (mPlan & VERSIONS_PLAN_DESC)!=0, bWrites);
  p->c.show.pRow = p->c.pStmt ? p->c.pStmt->pStmt : 0;
  versionsStep(p);
  return mPlan & VERSIONS_PLAN_DESC ? versionsBackward(p, 1) : versionsForward(p);
}

/* ---- columns --------------------------------------------------------------- */

static void versionsColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [VERSIONS_VALUE] = KVSHOW_VALUE, [VERSIONS_JS] = KVSHOW_JS, [VERSIONS_JSON] = KVSHOW_JSON,
    [VERSIONS_RAW] = KVSHOW_RAW, [VERSIONS_TYPE] = KVSHOW_TYPE,
    [VERSIONS_EXPIRES_AT] = KVSHOW_EXPIRES_AT
  };
  VersionsCursor *p = (VersionsCursor*)pCursor;
  i64 iBegan = p->eRow==VERSIONS_STATE ? p->iBegan : p->eRow==VERSIONS_GAP ? p->iLast : p->iEnded;
  i64 iEnded = p->eRow==VERSIONS_STATE ? p->iEnded : p->eRow==VERSIONS_GAP ? p->iBegan : INT64_MAX;
  i64 iTime;
  switch( iCol ){
    case VERSIONS_KEY:
      p->c.show.key = kvBufBytes(&p->key);
      kvEntryColumn(ctx, &p->c.show, KVSHOW_KEY);
      break;
    case VERSIONS_VERSIONSTAMP:
      kvResultVersionstamp(ctx, p->eRow==VERSIONS_STATE ? p->iVersion : iBegan);
      break;
    case VERSIONS_UNTIL:
      if( iEnded<INT64_MAX ) kvResultVersionstamp(ctx, iEnded);
      break;
    case VERSIONS_AT:
      iTime = kvHistoryTime(p->c.pStore, iBegan);
      if( iTime>=0 ) sqlite3_result_int64(ctx, iTime);
      break;
    case VERSIONS_DELETED:
      sqlite3_result_int(ctx, p->eRow!=VERSIONS_STATE);
      break;
    case VERSIONS_OF:
      kvResultText(ctx, &p->text);
      break;
    case VERSIONS_EXTRA:
      break;
    case VERSIONS_BELOW:
      if( p->mPlan & VERSIONS_PLAN_BELOW ) sqlite3_result_int64(ctx, p->bBelow);
      else kvVtabOnlySelects(ctx, "below");
      break;
    default:
      if( p->eRow==VERSIONS_STATE ) kvEntryColumn(ctx, &p->c.show, aShow[iCol]);
  }
}

const KvVtabDef kvVersionsTable = {
  .zName = "kv_versions",
  .zDeclare = VERSIONS_SCHEMA,
  .xBestIndex = versionsBestIndex,
  .read = { versionsFilter, versionsNext, versionsColumn, 0 },
  .nCursor = sizeof(VersionsCursor),
  .nBuf = 4,
};
