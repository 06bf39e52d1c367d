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
** the indexed value as an SQL value.  index_run.h tells in which order they
** come.
*/
#include "sql/vtab_lookup.h"
#include "codec/index_key.h"
#include "codec/key/key_bytes.h"
#include "sql/args.h"
#include "sql/entry_columns.h"
#include "sql/index_run.h"
#include "sql/rowid.h"
#include "sql/subtype.h"
#include "sql/result.h"
#include "store/index_scan.h"

#define LOOKUP_SCHEMA \
  "CREATE TABLE kv_lookup(key TEXT COLLATE kv_compare, value, " \
  "versionstamp TEXT, expires_at INTEGER, index_value, " \
  "name TEXT HIDDEN, equals HIDDEN, " \
  "js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN)"
enum {
  LOOKUP_KEY, LOOKUP_VALUE, LOOKUP_VERSIONSTAMP, LOOKUP_EXPIRES_AT, LOOKUP_INDEX_VALUE,
  LOOKUP_NAME, LOOKUP_EQUALS, LOOKUP_JS, LOOKUP_JSON, LOOKUP_RAW, LOOKUP_TYPE
};

/* idxNum: which constraints xFilter gets, in the order of the bits. */
#define LOOKUP_PLAN_NAME    0x001  /* name = ? */
#define LOOKUP_PLAN_EQUALS  0x002  /* equals = ? */
#define LOOKUP_PLAN_EQ      0x004  /* index_value = ? */
#define LOOKUP_PLAN_GT      0x008
#define LOOKUP_PLAN_GE      0x010
#define LOOKUP_PLAN_LT      0x020
#define LOOKUP_PLAN_LE      0x040
#define LOOKUP_PLAN_GLOB    0x080  /* index_value GLOB ? */
#define LOOKUP_PLAN_LIKE    0x100
#define LOOKUP_PLAN_NARG    9
#define LOOKUP_PLAN_DESC    0x200  /* In descending order */
#define LOOKUP_PLAN_KEYS    0x400  /* Nothing of the primary entry but its key */
#define LOOKUP_PLAN_COUNT   0x800  /* Maybe nothing of the rows at all */

typedef struct LookupCursor LookupCursor;
struct LookupCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf name;             /* The argument name */
  KvIndexRun run;
  KvIndexQuery query;
  u8 bCount;              /* Nobody has looked at a row yet */
  u8 bLeap;               /* The current row is one of those that were skipped */
  u32 nRow;               /* Rows that were read one by one */
};

/* End the query. */
static void lookupStop(KvVtabCursor *pCursor){
  kvIndexRunStop(&((LookupCursor*)pCursor)->run);
}

static void lookupFree(KvVtabCursor *pCursor){
  LookupCursor *p = (LookupCursor*)pCursor;
  kvIndexRunClear(&p->run);
  kvIndexQueryClear(&p->query);
}

/* ---- the plan -------------------------------------------------------------- */

/* In the order of LOOKUP_PLAN_xxx. */
static const KvVtabCons lookupCons[LOOKUP_PLAN_NARG] = {
  { LOOKUP_NAME, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "name=?" },
  { LOOKUP_EQUALS, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "equals=?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_BINARY, "index_value=?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_GT, KVCONS_BINARY, "index_value>?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_GE, KVCONS_BINARY, "index_value>=?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_LT, KVCONS_BINARY, "index_value<?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_LE, KVCONS_BINARY, "index_value<=?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_GLOB, 0, "index_value GLOB ?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_LIKE, 0, "index_value LIKE ?" },
};

static void lookupCost(sqlite3_index_info *pInfo, int mPlan){
  double rRows = 100000.0;
  if( mPlan & (LOOKUP_PLAN_EQUALS|LOOKUP_PLAN_EQ) ){
    rRows = 10.0;
  }else{
    if( mPlan & (LOOKUP_PLAN_GT|LOOKUP_PLAN_GE) ) rRows /= 10.0;
    if( mPlan & (LOOKUP_PLAN_LT|LOOKUP_PLAN_LE) ) rRows /= 10.0;
    if( mPlan & (LOOKUP_PLAN_GLOB|LOOKUP_PLAN_LIKE) ) rRows /= 100.0;
  }
  pInfo->estimatedRows = (sqlite3_int64)rRows;
  pInfo->estimatedCost = rRows*4.0 + 20.0;
}

/* SQLite need not check conditions again that a range of the index holds for.  It does
** with a lower bound alone: where that is a column of numbers, SQLite compares texts with
** it as numbers, too. */
static void lookupOmit(sqlite3_index_info *pInfo){
  int bUpper = (pInfo->idxNum & (LOOKUP_PLAN_EQ|LOOKUP_PLAN_LT|LOOKUP_PLAN_LE))!=0;
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    u8 op = pInfo->aConstraint[i].op;
    if( pInfo->aConstraintUsage[i].argvIndex==0 ) continue;
    if( op==SQLITE_INDEX_CONSTRAINT_GLOB || op==SQLITE_INDEX_CONSTRAINT_LIKE ) continue;
    if( bUpper ) pInfo->aConstraintUsage[i].omit = 1;
  }
}

/* Which columns are asked for. */
static int lookupColumns(const sqlite3_index_info *pInfo){
  const u64 mArgs = (u64)1<<LOOKUP_NAME | (u64)1<<LOOKUP_EQUALS | (u64)1<<LOOKUP_INDEX_VALUE;
  int mPlan = 0;
  if( (pInfo->colUsed & ~(mArgs | (u64)1<<LOOKUP_KEY))==0 ) mPlan |= LOOKUP_PLAN_KEYS;
  if( (pInfo->colUsed & ~mArgs)==0 && pInfo->nOrderBy==0 ) mPlan |= LOOKUP_PLAN_COUNT;
  return mPlan;
}

/* A plan without a name is an error once it is run: SQLite asks for some that
** it will not use, too. */
static int lookupBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo){
  int rc = kvVtabPlan(pInfo, lookupCons, LOOKUP_PLAN_NARG);
  int bSeek = (pInfo->idxNum & ~LOOKUP_PLAN_NAME)!=0;
  (void)pTab;
  if( rc!=SQLITE_OK ) return rc;
  if( pInfo->nOrderBy==1 && pInfo->aOrderBy[0].iColumn==LOOKUP_INDEX_VALUE ){
    pInfo->orderByConsumed = 1;
    if( pInfo->aOrderBy[0].desc ) pInfo->idxNum |= LOOKUP_PLAN_DESC;
  }
  lookupOmit(pInfo);
  lookupCost(pInfo, pInfo->idxNum);
  pInfo->idxNum |= lookupColumns(pInfo);
  if( (pInfo->idxNum & LOOKUP_PLAN_NAME)==0 ) pInfo->estimatedCost = 1e30;
  return kvVtabWords(pInfo, bSeek ? "SEEK" : "INDEX", lookupCons, LOOKUP_PLAN_NARG,
                     pInfo->idxNum & LOOKUP_PLAN_DESC ? " ORDER BY index_value DESC" : "");
}

/* ---- running ----------------------------------------------------------------- */

/* As in kv_entries: the first rows are read one by one, so that LIMIT and EXISTS don't
** pay for what they don't want. */
#define LOOKUP_LEAP_AFTER 64

static int lookupNext(KvVtabCursor *pCursor){
  LookupCursor *p = (LookupCursor*)pCursor;
  p->bLeap = 0;
  if( p->bCount && p->nRow++>=LOOKUP_LEAP_AFTER ){
    u32 n = kvIndexRunLeap(&p->run);
    if( n>0 ) p->c.nAhead = n-1;
    p->bLeap = n>0;
    if( n || kvFailed(p->c.pError) ) return n>0;
  }
  return kvIndexRunNext(&p->run);
}

/* A row is looked at: no rows are skipped from here on, and if this one was, it is
** read. */
static int lookupLand(LookupCursor *p){
  int bRow = !p->bLeap || kvIndexRunLand(&p->run, p->c.nAhead);
  p->bCount = p->bLeap = 0;
  p->c.nAhead = 0;
  return bRow;
}

/* The argument equals: a typed value means just that type. */
static void lookupEquals(LookupCursor *p, sqlite3_value *pVal){
  KvTree *pTree = &p->c.show.value.tree;
  KvBytes path = kvBytesText("$");
  int bLower = kvIndexRunLower(&p->run);
  KvErr err;
  int rc;
  if( sqlite3_value_subtype(pVal)!=KV_SUBTYPE_JS ){
    p->query.bStrings = 1;
    kvIndexQueryCompare(&p->query, SQLITE_INDEX_CONSTRAINT_EQ, pVal, bLower);
    return;
  }
  kvTreeReset(pTree);
  rc = kvArgValue(pVal, pTree, &err);
  if( rc==KV_OK ) rc = kvIndexValues(pTree, &path, 1, bLower, &p->query.exact, &err);
  if( rc!=KV_OK ) kvErrorCodec(p->c.pError, "kv_lookup()", &err);
  p->query.bExact = 1;
  p->query.bAny = 0;
}

/* The arguments behind the name. */
static void lookupArgs(LookupCursor *p, int mPlan, sqlite3_value **apArg){
  int i, iArg = 1;
  kvIndexQueryAny(&p->query, p->c.pError);
  for(i=1; i<LOOKUP_PLAN_NARG; i++){
    int op = lookupCons[i].op;
    int bPattern = op==SQLITE_INDEX_CONSTRAINT_GLOB || op==SQLITE_INDEX_CONSTRAINT_LIKE;
    int bLower = bPattern && kvIndexRunLower(&p->run);
    if( (mPlan & (1<<i))==0 ) continue;
    if( (1<<i)==LOOKUP_PLAN_EQUALS ) lookupEquals(p, apArg[iArg]);
    else kvIndexQueryCompare(&p->query, op, apArg[iArg], bLower);
    iArg++;
  }
}

static int lookupFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  LookupCursor *p = (LookupCursor*)pCursor;
  const char *zName;
  (void)nArg;
  if( (mPlan & LOOKUP_PLAN_NAME)==0 ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_lookup(): takes the name of an index: "
        "kv_lookup('name'); see kv_indexes");
    return 0;
  }
  zName = (const char*)kvArgName(apArg[0], p->c.pError).p;
  if( zName==0 ) return 0;
  kvBufText(&p->name, zName);
  kvErrorBuf(p->c.pError, &p->name);
  if( !kvIndexRunOpen(&p->run, p->c.pStore, zName) ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_lookup(): there is no index %!.100s; "
        "kv_index() declares one, kv_indexes lists them", zName);
    return 0;
  }
  lookupArgs(p, mPlan, apArg);
  p->bCount = (mPlan & LOOKUP_PLAN_COUNT)!=0;
  p->bLeap = 0;
  p->nRow = 0;
  return kvIndexRunStart(&p->run, &p->query, (mPlan & LOOKUP_PLAN_DESC)!=0,
                         (mPlan & LOOKUP_PLAN_KEYS)!=0);
}

/* ---- columns ------------------------------------------------------------------ */

/* Bytes of a column of the current row. */
static KvBytes lookupBytes(const LookupCursor *p, int iCol){
  return kvArgBlob(sqlite3_column_value(kvIndexRunRow(&p->run), iCol));
}

static void lookupColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [LOOKUP_KEY] = KVSHOW_KEY, [LOOKUP_VALUE] = KVSHOW_VALUE,
    [LOOKUP_VERSIONSTAMP] = KVSHOW_VERSIONSTAMP,
    [LOOKUP_EXPIRES_AT] = KVSHOW_EXPIRES_AT, [LOOKUP_JS] = KVSHOW_JS, [LOOKUP_JSON] = KVSHOW_JSON,
    [LOOKUP_RAW] = KVSHOW_RAW, [LOOKUP_TYPE] = KVSHOW_TYPE
  };
  LookupCursor *p = (LookupCursor*)pCursor;
  u32 i = p->run.snapshot.name.n;
  KvPart part;
  if( p->bCount && iCol!=LOOKUP_NAME && !lookupLand(p) ){
    kvResultTake(ctx, p->c.pError);
    return;
  }
  switch( iCol ){
    case LOOKUP_INDEX_VALUE:
    case LOOKUP_EQUALS:
      if( kvPartRead(lookupBytes(p, KVINDEX_COL_IK), &i, &part, 0)==KV_OK ){
        kvResultPart(ctx, &part);
      }
      break;
    case LOOKUP_NAME:
      kvResultText(ctx, &p->name);
      break;
    default:
      p->c.show.pRow = kvIndexRunRow(&p->run);
      p->c.show.iFirst = KVINDEX_COL_KEY;
      kvEntryColumn(ctx, &p->c.show, aShow[iCol]);
  }
}

static i64 lookupRowid(KvVtabCursor *pCursor){
  LookupCursor *p = (LookupCursor*)pCursor;
  i64 i = kvRowid(0, kvBufBytes(&p->name));
  if( p->bCount && !lookupLand(p) ) return i;
  i = kvRowid(i, lookupBytes(p, KVINDEX_COL_IK));
  return kvRowid(i, lookupBytes(p, KVINDEX_COL_KEY));
}

const KvVtabDef kvLookupTable = {
  .zName = "kv_lookup",
  .zDeclare = LOOKUP_SCHEMA,
  .xBestIndex = lookupBestIndex,
  .read = { lookupFilter, lookupNext, lookupColumn, lookupRowid },
  .nCursor = sizeof(LookupCursor),
  .nBuf = 1,
  .xStop = lookupStop,
  .xFree = lookupFree,
};
