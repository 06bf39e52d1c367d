/*
** vtab_lookup.c -- the table-valued function kv_lookup(name [, equals ...]).
**
**     SELECT key, value FROM kv_lookup('users_by_email', 'ada@example.com');
**     SELECT key FROM kv_lookup('users_by_age')
**      WHERE index_value BETWEEN 30 AND 40 ORDER BY index_value DESC LIMIT 10;
**     SELECT key FROM kv_lookup('orders_by_customer', 'ada')
**      WHERE index_value2 >= '2024-01' ORDER BY index_value2;
**
**     CREATE TABLE kv_lookup(key TEXT COLLATE kv_compare, value,
**       versionstamp TEXT, expires_at INTEGER, index_value, name TEXT HIDDEN,
**       equals HIDDEN, equals2 HIDDEN, equals3 HIDDEN, equals4 HIDDEN,
**       js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN,
**       index_value2 BLOB HIDDEN, index_value3 BLOB HIDDEN, index_value4 BLOB HIDDEN);
**
** A row for each entry of a declared index: columns of its primary entry, and
** the indexed values as SQL values.  index_run.h defines in which order they
** come.  (Without a type SQLite would take a hidden column for one of numbers.)
*/
#include "sql/modules.h"
#include "codec/index_key.h"
#include "codec/key/key_bytes.h"
#include "codec/num/date.h"
#include "codec/num/date_sql.h"
#include "sql/args.h"
#include "sql/entry_columns.h"
#include "sql/range/index_in.h"
#include "sql/range/index_run.h"
#include "sql/rowid.h"
#include "sql/subtype.h"
#include "sql/result.h"
#include "store/index/scan.h"

#define LOOKUP_SCHEMA \
  "CREATE TABLE kv_lookup(key TEXT COLLATE kv_compare, value, " \
  "versionstamp TEXT, expires_at INTEGER, index_value, name TEXT HIDDEN, " \
  "equals HIDDEN, equals2 HIDDEN, equals3 HIDDEN, equals4 HIDDEN, " \
  "kv_extra HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN, " \
  "index_value2 BLOB HIDDEN, index_value3 BLOB HIDDEN, index_value4 BLOB HIDDEN)"
enum {
  LOOKUP_KEY, LOOKUP_VALUE, LOOKUP_VERSIONSTAMP, LOOKUP_EXPIRES_AT, LOOKUP_INDEX_VALUE,
  LOOKUP_NAME, LOOKUP_EQUALS, LOOKUP_EQUALS2, LOOKUP_EQUALS3, LOOKUP_EQUALS4,
  LOOKUP_EXTRA, LOOKUP_JS, LOOKUP_JSON, LOOKUP_RAW, LOOKUP_TYPE,
  LOOKUP_INDEX_VALUE2, LOOKUP_INDEX_VALUE3, LOOKUP_INDEX_VALUE4
};
/* The column of value i, counted from 0, and the value of a column; -1: of none. */
#define LOOKUP_COL(i)  ((i)==0 ? LOOKUP_INDEX_VALUE : LOOKUP_INDEX_VALUE2 - 1 + (i))
static int lookupValueOf(int iCol){
  if( iCol==LOOKUP_INDEX_VALUE ) return 0;
  if( iCol>=LOOKUP_EQUALS && iCol<=LOOKUP_EQUALS4 ) return iCol - LOOKUP_EQUALS;
  return iCol>=LOOKUP_INDEX_VALUE2 ? iCol - LOOKUP_INDEX_VALUE2 + 1 : -1;
}

/* idxNum: which constraints xFilter gets, in the order of the bits (lookupCons). */
#define LOOKUP_PLAN_NAME    0x01       /* name = ? */
#define LOOKUP_PLAN_EQUALS  0x02       /* equals = ?, and equals2 ... */
#define LOOKUP_PLAN_EQ      0x20       /* index_value = ? */
#define LOOKUP_PLAN_LOWER   0xc0       /* ... > ? and >= ? */
#define LOOKUP_PLAN_UPPER   0x300      /* ... < ? and <= ? */
#define LOOKUP_PLAN_LIKE    0xc00      /* ... GLOB ? and LIKE ? */
#define LOOKUP_PLAN_FIRST   0xfe0      /* Any of them */
#define LOOKUP_PLAN_VALUE2  12         /* The bit of index_value2 = ?, and of the others */
#define LOOKUP_PLAN_OPS     5          /* = > >= < <= */
#define LOOKUP_PLAN_NARG    27
#define LOOKUP_PLAN_DESC    (1<<27)    /* In descending order */
#define LOOKUP_PLAN_NEXT    (1<<28)    /* In the order of the value after those that are equal */
#define LOOKUP_PLAN_KEYS    (1<<29)    /* Nothing of the primary entry but its key */
#define LOOKUP_PLAN_COUNT   (1<<30)    /* Maybe nothing of the rows at all */
#define LOOKUP_PLAN_IN      (-0x7fffffff-1)   /* index_value IN (...), all at once */

/* The bits of conditions on value i: that it is equal, and all of them. */
static int lookupEqualBits(int i){
  int m = LOOKUP_PLAN_EQUALS<<i;
  return m | (i==0 ? LOOKUP_PLAN_EQ : 1<<(LOOKUP_PLAN_VALUE2 + (i-1)*LOOKUP_PLAN_OPS));
}
static int lookupValueBits(int i){
  if( i==0 ) return LOOKUP_PLAN_EQUALS | LOOKUP_PLAN_FIRST;
  return LOOKUP_PLAN_EQUALS<<i | 31<<(LOOKUP_PLAN_VALUE2 + (i-1)*LOOKUP_PLAN_OPS);
}
/* Of how many values, from the first on, a plan says that they are equal. */
static int lookupEquals(int mPlan){
  int i = 0;
  while( i<KV_INDEX_PATHS && (mPlan & lookupEqualBits(i)) ) i++;
  return i;
}

typedef struct LookupCursor LookupCursor;
struct LookupCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf name;             /* The argument name */
  KvIndexRun run;
  KvIndexQuery aQuery[KV_INDEX_PATHS];
  u32 nQuery;             /* As many are in use */
  KvIndexIn in;           /* Values of IN */
  u8 bIn;                 /* There are such */
  u8 bDesc, bKeys;
  u8 aKind[KV_INDEX_PATHS];   /* Of what equals numbers or bigints, just this kind; 0: any */
  u8 bKinds;              /* There is such a value */
  u8 bCount;              /* Nobody has looked at a row yet */
  u8 bLeap;               /* The current row is one of those that were skipped */
  u32 nRow;               /* Rows that were read one by one */
};

/* End the query. */
static void lookupStop(KvVtabCursor *pCursor){
  LookupCursor *p = (LookupCursor*)pCursor;
  kvIndexRunStop(&p->run);
  kvIndexInReset(&p->in);
}

static void lookupFree(KvVtabCursor *pCursor){
  LookupCursor *p = (LookupCursor*)pCursor;
  int i;
  kvIndexRunClear(&p->run);
  for(i=0; i<KV_INDEX_PATHS; i++) kvIndexQueryClear(&p->aQuery[i]);
  kvIndexInClear(&p->in);
}

/* What a cursor that is kept holds. */
static u64 lookupMemory(const KvVtabCursor *pCursor){
  const LookupCursor *p = (const LookupCursor*)pCursor;
  u64 n = kvIndexRunMemory(&p->run) + p->in.list.bytes.nAlloc;
  u32 i;
  for(i=0; i<KV_INDEX_PATHS; i++){
    const KvIndexQuery *pQuery = &p->aQuery[i];
    n += (u64)pQuery->exact.bytes.nAlloc + pQuery->text.lo.nAlloc + pQuery->text.hi.nAlloc
       + pQuery->blob.lo.nAlloc + pQuery->blob.hi.nAlloc;
  }
  return n;
}

/* ---- the plan -------------------------------------------------------------- */

/* In the order of LOOKUP_PLAN_xxx. */
#define LOOKUP_CONS(COL,Z) \
  { COL, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_BINARY, Z "=?" }, \
  { COL, SQLITE_INDEX_CONSTRAINT_GT, KVCONS_BINARY, Z ">?" }, \
  { COL, SQLITE_INDEX_CONSTRAINT_GE, KVCONS_BINARY, Z ">=?" }, \
  { COL, SQLITE_INDEX_CONSTRAINT_LT, KVCONS_BINARY, Z "<?" }, \
  { COL, SQLITE_INDEX_CONSTRAINT_LE, KVCONS_BINARY, Z "<=?" }
static const KvVtabCons lookupCons[LOOKUP_PLAN_NARG] = {
  { LOOKUP_NAME, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "name=?" },
  { LOOKUP_EQUALS, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "equals=?" },
  { LOOKUP_EQUALS2, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "equals2=?" },
  { LOOKUP_EQUALS3, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "equals3=?" },
  { LOOKUP_EQUALS4, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT|KVCONS_IS, "equals4=?" },
  LOOKUP_CONS(LOOKUP_INDEX_VALUE, "index_value"),
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_GLOB, 0, "index_value GLOB ?" },
  { LOOKUP_INDEX_VALUE, SQLITE_INDEX_CONSTRAINT_LIKE, 0, "index_value LIKE ?" },
  LOOKUP_CONS(LOOKUP_INDEX_VALUE2, "index_value2"),
  LOOKUP_CONS(LOOKUP_INDEX_VALUE3, "index_value3"),
  LOOKUP_CONS(LOOKUP_INDEX_VALUE4, "index_value4"),
};

static void lookupCost(sqlite3_index_info *pInfo, int mPlan){
  double rRows = 100000.0;
  int i, n = lookupEquals(mPlan);
  if( n==0 ){
    if( mPlan & LOOKUP_PLAN_LOWER ) rRows /= 10.0;
    if( mPlan & LOOKUP_PLAN_UPPER ) rRows /= 10.0;
    if( mPlan & LOOKUP_PLAN_LIKE ) rRows /= 100.0;
  }else{
    rRows = mPlan & LOOKUP_PLAN_IN ? 30.0 : 10.0;
    for(i=1; i<n; i++) rRows = rRows>2.0 ? rRows/2.0 : 1.0;
    if( n<KV_INDEX_PATHS && (mPlan & lookupValueBits(n)) ) rRows *= 0.75;
  }
  pInfo->estimatedRows = (sqlite3_int64)rRows;
  pInfo->estimatedCost = rRows*4.0 + 20.0;
}

/* SQLite need not check conditions on the first value again that a range of the index
** holds for.  It does with a lower bound alone: where that is a column of numbers, SQLite
** compares texts with it as numbers, too; and where equals may be a typed value. */
static void lookupOmit(sqlite3_index_info *pInfo){
  int bUpper = (pInfo->idxNum & (LOOKUP_PLAN_EQ|LOOKUP_PLAN_UPPER))!=0
            && (pInfo->idxNum & LOOKUP_PLAN_EQUALS)==0;
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    u8 op = pInfo->aConstraint[i].op;
    if( pInfo->aConstraintUsage[i].argvIndex==0 ) continue;
    if( pInfo->aConstraint[i].iColumn!=LOOKUP_INDEX_VALUE ) continue;
    if( op==SQLITE_INDEX_CONSTRAINT_GLOB || op==SQLITE_INDEX_CONSTRAINT_LIKE ) continue;
    if( bUpper ) pInfo->aConstraintUsage[i].omit = 1;
  }
}

/* Which columns are asked for. */
static int lookupColumns(const sqlite3_index_info *pInfo){
  u64 mArgs = (u64)1<<LOOKUP_NAME;
  int i, mPlan = 0;
  for(i=0; i<=LOOKUP_INDEX_VALUE4; i++){
    if( lookupValueOf(i)>=0 ) mArgs |= (u64)1<<i;
  }
  if( (pInfo->colUsed & ~(mArgs | (u64)1<<LOOKUP_KEY))==0 ) mPlan |= LOOKUP_PLAN_KEYS;
  if( (pInfo->colUsed & ~mArgs)==0 && pInfo->nOrderBy==0 ) mPlan |= LOOKUP_PLAN_COUNT;
  return mPlan;
}

static const char *lookupOrderWords(int mPlan){
  static const char *const azDesc[] = {
    " ORDER BY index_value DESC", " ORDER BY index_value2 DESC", " ORDER BY index_value3 DESC",
    " ORDER BY index_value4 DESC", ""
  };
  if( (mPlan & LOOKUP_PLAN_DESC)==0 ) return "";
  return azDesc[mPlan & LOOKUP_PLAN_NEXT ? lookupEquals(mPlan) : 0];
}

/* All values of an IN at once, so that the rows may come in order. */
static void lookupIn(sqlite3_index_info *pInfo){
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn==LOOKUP_INDEX_VALUE
     && pInfo->aConstraint[i].op==SQLITE_INDEX_CONSTRAINT_EQ
     && pInfo->aConstraintUsage[i].argvIndex>0 && sqlite3_vtab_in(pInfo, i, -1)
    ){
      sqlite3_vtab_in(pInfo, i, 1);
      pInfo->idxNum |= LOOKUP_PLAN_IN;
    }
  }
}

/* Is it the order in which the rows come?  By the value after those that are equal;
** these may be named, too. */
static void lookupOrder(sqlite3_index_info *pInfo){
  int bIn = (pInfo->idxNum & LOOKUP_PLAN_IN)!=0;
  int i = 0, n = bIn ? 0 : lookupEquals(pInfo->idxNum);
  for(; i<pInfo->nOrderBy-1; i++){
    int iValue = lookupValueOf(pInfo->aOrderBy[i].iColumn);
    if( iValue<0 || iValue>=n ) return;
  }
  if( i>=pInfo->nOrderBy || lookupValueOf(pInfo->aOrderBy[i].iColumn)<0
   || lookupValueOf(pInfo->aOrderBy[i].iColumn)>n
  ){
    return;
  }
  pInfo->orderByConsumed = 1;
  if( n>0 && lookupValueOf(pInfo->aOrderBy[i].iColumn)==n ) pInfo->idxNum |= LOOKUP_PLAN_NEXT;
  if( pInfo->aOrderBy[i].desc ) pInfo->idxNum |= LOOKUP_PLAN_DESC;
}

/* A plan without a name is an error once it is run: SQLite asks for some that
** it will not use, too. */
static int lookupBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo){
  int rc = kvVtabPlan(pInfo, lookupCons, LOOKUP_PLAN_NARG);
  int bSeek = (pInfo->idxNum & ~LOOKUP_PLAN_NAME)!=0;
  (void)pTab;
  if( rc!=SQLITE_OK ) return rc;
  lookupIn(pInfo);
  lookupOrder(pInfo);
  lookupOmit(pInfo);
  lookupCost(pInfo, pInfo->idxNum);
  pInfo->idxNum |= lookupColumns(pInfo);
  if( (pInfo->idxNum & LOOKUP_PLAN_NAME)==0 ) pInfo->estimatedCost = 1e30;
  return kvVtabWords(pInfo, bSeek ? "SEEK" : "INDEX", lookupCons, LOOKUP_PLAN_NARG,
                     lookupOrderWords(pInfo->idxNum));
}

/* ---- running ----------------------------------------------------------------- */

/* As in kv_entries: the first rows are read one by one, so that LIMIT and EXISTS don't
** pay for what they don't want. */
#define LOOKUP_LEAP_AFTER 64

/* Is value i of the current row, which has the part, of the kind that is asked for?  The row's
** tree is read for it. */
static int lookupIsKind(LookupCursor *p, int i, KvBytes part){
  sqlite3_stmt *pRow = kvIndexRunRow(&p->run);
  KvValueColumns *pValue = &p->c.show.value;
  const KvIndexDef *pDef = kvIndexNamed(p->c.pStore, (const char*)p->name.a);
  KvErr err;
  int bHolds = 0, rc = KV_OK;
  if( pDef==0 || (u32)i>=pDef->spec.nPath ) return 1;
  if( !pValue->bTree ) rc = kvReadStored(sqlite3_column_value(pRow, KVINDEX_COL_V),
      sqlite3_column_int(pRow, KVINDEX_COL_ENCODING), &pValue->tree, &err);
  pValue->bTree = rc==KV_OK;
  if( rc==KV_OK ) rc = kvIndexHolds(&pValue->tree, pDef->spec.aPath[i], p->aKind[i], part, &bHolds,
      &err);
  if( rc==KV_NOMEM ) kvErrorCode(p->c.pError, SQLITE_NOMEM);
  return bHolds;
}

/* Is the current row of the kinds that are asked for?  (The index has the same parts for
** numbers and Dates, and for bigints and KvU64s.) */
static int lookupFits(LookupCursor *p){
  KvBytes ik = kvArgBlob(sqlite3_column_value(kvIndexRunRow(&p->run), KVINDEX_COL_IK));
  u32 iPart = p->run.snapshot.name.n;
  int i, bFits = 1;
  kvValueColumnsNext(&p->c.show.value);
  for(i=0; bFits && i<(int)kvIndexRunValues(&p->run); i++){
    u32 iFrom = iPart;
    KvPart part;
    if( kvPartRead(ik, &iPart, &part, 0)!=KV_OK ) break;
    if( p->aKind[i] && (part.eType==KVP_NUMBER || part.eType==KVP_BIGINT) ){
      bFits = lookupIsKind(p, i, kvBytes(ik.p + iFrom, iPart - iFrom));
    }
  }
  return bFits;
}

/* Go on from a row to one of the kinds that are asked for. */
static int lookupSettle(LookupCursor *p, int bRow){
  while( p->bKinds && bRow && !lookupFits(p) ){
    bRow = !kvFailed(p->c.pError) && kvIndexRunNext(&p->run);
  }
  return bRow;
}

static int lookupNextRow(LookupCursor *p){
  p->bLeap = 0;
  if( p->bCount && p->nRow++>=LOOKUP_LEAP_AFTER ){
    u32 n = kvIndexRunLeap(&p->run);
    if( n>0 ) p->c.nAhead = n-1;
    p->bLeap = n>0;
    if( n || kvFailed(p->c.pError) ) return n>0;
  }
  return lookupSettle(p, kvIndexRunNext(&p->run));
}

static int lookupRun(LookupCursor *p){
  return lookupSettle(p, kvIndexRunStart(&p->run, p->aQuery, p->nQuery, p->bDesc, p->bKeys));
}

/* To the first row of the next value of IN that has one. */
static int lookupNextIn(LookupCursor *p){
  KvIndexQuery *pQuery = &p->aQuery[0];
  KvBytes parts;
  while( !kvFailed(p->c.pError) && kvIndexInNext(&p->in, &parts) ){
    kvListReset(&pQuery->exact);
    kvBufAdd(&pQuery->exact.bytes, parts);
    kvErrorBuf(p->c.pError, &pQuery->exact.bytes);
    if( lookupRun(p) ) return 1;
  }
  return 0;
}

static int lookupNext(KvVtabCursor *pCursor){
  LookupCursor *p = (LookupCursor*)pCursor;
  return lookupNextRow(p) || (p->bIn && !kvFailed(p->c.pError) && lookupNextIn(p));
}

/* A row is looked at: no rows are skipped from here on, and if this one was, it is
** read. */
static int lookupLand(LookupCursor *p){
  int bRow = !p->bLeap || kvIndexRunLand(&p->run, p->c.nAhead);
  p->bCount = p->bLeap = 0;
  p->c.nAhead = 0;
  return bRow;
}

/* A text may be the one that a Date is shown as, by the column value or in a DATETIME column:
** then the Date is asked for, too. */
static int lookupDate(LookupCursor *p, int i, sqlite3_value *pVal){
  KvList *pExact = &p->aQuery[i].exact;
  KvBytes text = sqlite3_value_type(pVal)==SQLITE_TEXT ? kvArgText(pVal) : kvBytes(0, 0);
  char z[KV_DATE_TEXT];
  double rMs;
  u32 iBegin, n;
  if( text.n==0 || !kvDateSqlRead(text, &rMs) ) return 0;
  if( !kvBytesEqual(text, kvBytes(z, kvDateText(rMs, z)))
   && !kvBytesEqual(text, kvBytes(z, kvDateSqlText(rMs, z)))
  ){
    return 0;
  }
  iBegin = kvListBegin(pExact);
  kvKeyPutNumber(&pExact->bytes, rMs);
  kvListEnd(pExact, iBegin);
  iBegin = kvListBegin(pExact);
  n = pExact->bytes.n;
  kvKeyPutString(&pExact->bytes, text);
  if( kvIndexRunLower(&p->run) ) kvLower(&pExact->bytes.a[n], pExact->bytes.n - n);
  kvListEnd(pExact, iBegin);
  kvErrorBuf(p->c.pError, &pExact->bytes);
  p->aKind[i] = KV_DATE;
  return 1;
}

/* The argument equals of value i: a typed value means just that type. */
static void lookupEqualsArg(LookupCursor *p, int i, sqlite3_value *pVal){
  KvTree *pTree = &p->c.show.value.tree;
  KvIndexQuery *pQuery = &p->aQuery[i];
  KvBytes path = kvBytesText("$"), part;
  int bLower = kvIndexRunLower(&p->run);
  KvErr err;
  u32 iEnd = 0, mKind = 0;
  int rc;
  if( (u32)i>=kvIndexRunValues(&p->run) ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_lookup(): the index %!.100s has %u "
        "values, and %d are given", (char*)p->name.a, kvIndexRunValues(&p->run), i+1);
    return;
  }
  p->aKind[i] = 0;
  if( sqlite3_value_subtype(pVal)!=KV_SUBTYPE_JS ){
    if( lookupDate(p, i, pVal) ){
      pQuery->bExact = p->bKinds = 1;
      pQuery->bAny = 0;
      return;
    }
    pQuery->mPart &= ~(u32)KVPARTS_LONG;
    kvIndexQueryCompare(pQuery, SQLITE_INDEX_CONSTRAINT_EQ, pVal, bLower);
    return;
  }
  kvTreeReset(pTree);
  rc = kvArgValue(pVal, pTree, &err);
  if( rc==KV_OK ) rc = kvIndexValues(pTree, &path, 1, bLower, &pQuery->exact, &mKind, &err);
  if( rc!=KV_OK ) kvErrorCodec(p->c.pError, "kv_lookup()", &err);
  if( kvListNext(&pQuery->exact, &iEnd, &part) ) pQuery->exact.bytes.n = iEnd;
  if( rc==KV_OK ){
    p->aKind[i] = pTree->aNode[0].eKind;
    p->bKinds = 1;
  }
  pQuery->bExact = 1;
  pQuery->bAny = 0;
}

/* Condition i of the plan, with its operand. */
static void lookupArg(LookupCursor *p, int i, sqlite3_value *pVal){
  int op = lookupCons[i].op, iValue = lookupValueOf(lookupCons[i].iCol);
  int bPattern = op==SQLITE_INDEX_CONSTRAINT_GLOB || op==SQLITE_INDEX_CONSTRAINT_LIKE;
  int bLower = bPattern && kvIndexRunLower(&p->run);
  if( (1<<i)<LOOKUP_PLAN_EQ ) lookupEqualsArg(p, iValue, pVal);
  else kvIndexQueryCompare(&p->aQuery[iValue], op, pVal, bLower);
}

/* The arguments after the name.  pOne: the one value of IN that is meant, and then those
** of the first value alone; 0: all but IN. */
static void lookupArgs(
  LookupCursor *p, int mPlan, sqlite3_value **apArg, sqlite3_value *pOne
){
  int i, iArg = 1, nValue = pOne ? 1 : (int)kvIndexRunValues(&p->run);
  u32 mLeft = (u32)mPlan & (((u32)1<<LOOKUP_PLAN_NARG) - 1) & ~(u32)LOOKUP_PLAN_NAME;
  for(i=0; i<nValue; i++){
    kvIndexQueryAny(&p->aQuery[i], kvIndexParts(p->run.snapshot.mKind, (u32)i), p->c.pError);
  }
  for(i=1; mLeft>>i; i++){
    int bIn = (1<<i)==LOOKUP_PLAN_EQ && (mPlan & LOOKUP_PLAN_IN);
    sqlite3_value *pVal;
    if( (mLeft>>i & 1)==0 ) continue;
    pVal = bIn ? pOne : apArg[iArg];
    iArg++;
    /* What is asked of a value that there isn't SQLite looks at */
    if( pVal==0 || (lookupValueOf(lookupCons[i].iCol)>=nValue
                    && (pOne || (1<<i)>=LOOKUP_PLAN_EQ)) ) continue;
    lookupArg(p, i, pVal);
  }
}

/* What is looked for when the first value is one of those of an IN. */
static void lookupIns(LookupCursor *p, int mPlan, sqlite3_value **apArg){
  sqlite3_value *pIn, *pOne;
  int i, rc, iArg = 0;
  for(i=0; (1<<i)<LOOKUP_PLAN_EQ; i++) iArg += (mPlan>>i) & 1;
  pIn = apArg[iArg];
  for(rc=sqlite3_vtab_in_first(pIn, &pOne); rc==SQLITE_OK && pOne && !kvFailed(p->c.pError);
      rc=sqlite3_vtab_in_next(pIn, &pOne)
  ){
    lookupArgs(p, mPlan, apArg, pOne);
    kvIndexInAdd(&p->in, &p->aQuery[0]);
  }
  if( rc!=SQLITE_OK && rc!=SQLITE_DONE ) kvErrorCode(p->c.pError, rc);
  kvIndexInSort(&p->in, p->bDesc && !(mPlan & LOOKUP_PLAN_NEXT), p->c.pError);
  p->aQuery[0].bNone = 0;
  p->aQuery[0].bExact = 1;
}

/* Of how many values queries are of use. */
static u32 lookupQueries(const LookupCursor *p, int mPlan){
  u32 nValue = kvIndexRunValues(&p->run), n = (u32)lookupEquals(mPlan);
  if( n<nValue && ((mPlan & lookupValueBits((int)n)) || (mPlan & LOOKUP_PLAN_NEXT)) ) n++;
  if( n>nValue ) n = nValue;
  return n ? n : 1;
}

static int lookupFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  LookupCursor *p = (LookupCursor*)pCursor;
  const char *zName;
  (void)nArg;
  if( (mPlan & LOOKUP_PLAN_NAME)==0 ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_lookup(): the name of an index is "
        "required: kv_lookup('name'); kv_indexes lists the indexes");
    return 0;
  }
  zName = (const char*)kvArgName(apArg[0], p->c.pError).p;
  if( zName==0 ) return 0;
  kvBufText(&p->name, zName);
  kvBufTerminate(&p->name);
  kvErrorBuf(p->c.pError, &p->name);
  if( !kvIndexRunOpen(&p->run, p->c.pStore, zName) ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_lookup(): no such index: %!.100s; "
        "kv_index() declares one, kv_indexes lists the indexes", zName);
    return 0;
  }
  p->bKinds = 0;
  memset(p->aKind, 0, sizeof(p->aKind));
  lookupArgs(p, mPlan, apArg, 0);
  p->nQuery = lookupQueries(p, mPlan);
  p->bDesc = (mPlan & LOOKUP_PLAN_DESC)!=0;
  p->bKeys = (mPlan & LOOKUP_PLAN_KEYS)!=0 && !p->bKinds;
  p->bIn = (mPlan & LOOKUP_PLAN_IN)!=0;
  p->bCount = (mPlan & LOOKUP_PLAN_COUNT)!=0 && !p->bKinds;
  p->bLeap = 0;
  p->nRow = 0;
  if( !p->bIn ) return lookupRun(p);
  lookupIns(p, mPlan, apArg);
  return lookupNextIn(p);
}

/* ---- columns ------------------------------------------------------------------ */

/* Bytes of a column of the current row. */
static KvBytes lookupBytes(const LookupCursor *p, int iCol){
  return kvArgBlob(sqlite3_column_value(kvIndexRunRow(&p->run), iCol));
}

/* Value i of the index entry; NULL if it has none. */
static void lookupValue(const LookupCursor *p, sqlite3_context *ctx, u32 iValue){
  KvBytes ik = lookupBytes(p, KVINDEX_COL_IK);
  u32 i = p->run.snapshot.name.n, k;
  KvPart part;
  if( iValue>=kvIndexRunValues(&p->run) ) return;
  for(k=0; k<=iValue; k++){
    if( kvPartRead(ik, &i, &part, 0)!=KV_OK ) return;
  }
  kvResultPart(ctx, &part);
}

static void lookupColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [LOOKUP_EXTRA] = KVSHOW_OTHER,
    [LOOKUP_KEY] = KVSHOW_KEY, [LOOKUP_VALUE] = KVSHOW_VALUE,
    [LOOKUP_VERSIONSTAMP] = KVSHOW_VERSIONSTAMP,
    [LOOKUP_EXPIRES_AT] = KVSHOW_EXPIRES_AT, [LOOKUP_JS] = KVSHOW_JS, [LOOKUP_JSON] = KVSHOW_JSON,
    [LOOKUP_RAW] = KVSHOW_RAW, [LOOKUP_TYPE] = KVSHOW_TYPE
  };
  LookupCursor *p = (LookupCursor*)pCursor;
  int iValue = lookupValueOf(iCol);
  if( p->bCount && iCol!=LOOKUP_NAME && !lookupLand(p) ){
    kvResultTake(ctx, p->c.pError);
    return;
  }
  if( iValue>=0 ){
    lookupValue(p, ctx, (u32)iValue);
  }else if( iCol==LOOKUP_NAME ){
    kvResultText(ctx, &p->name);
  }else{
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
  .xMemory = lookupMemory,
};
