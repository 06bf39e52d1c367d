/*
** lookup.c -- the table-valued function kv_lookup(name [, equals]).
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
** the indexed value as an SQL value.  In the index values stand in the order
** of key parts, in SQL in that of SQL values; so a condition becomes a list
** of ranges of the index, in the order of SQL, of which those of the numeric
** types are merged:
**
**   step   ranges                                SQL value
**   0      -NaN; NaN                             NULL
**   1      bigints of 64 bits; numbers; booleans INTEGER, REAL
**   2      strings                               TEXT
**   3      the other bigints                     TEXT (their digits)
**   4      Uint8Arrays                           BLOB
**
** (Bigints beyond 64 bits come behind all strings.)
*/
#include "face/table.h"
SQLITE_EXTENSION_INIT3
#include "codec/index_key.h"
#include "codec/js.h"
#include "store/index.h"

#define LKP_SCHEMA \
  "CREATE TABLE kv_lookup(key TEXT COLLATE kv_compare, value, " \
  "versionstamp TEXT, expires_at INTEGER, index_value, " \
  "name TEXT HIDDEN, equals HIDDEN, " \
  "js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN, type TEXT HIDDEN)"
enum {
  LKP_KEY, LKP_VALUE, LKP_VERSIONSTAMP, LKP_EXPIRES_AT, LKP_INDEX_VALUE,
  LKP_NAME, LKP_EQUALS, LKP_JS, LKP_JSON, LKP_RAW, LKP_TYPE
};

/* idxNum: which constraints xFilter gets, in the order of the bits. */
#define LKP_PLAN_NAME    0x001  /* name = ? */
#define LKP_PLAN_EQUALS  0x002  /* equals = ? */
#define LKP_PLAN_EQ      0x004  /* index_value = ? */
#define LKP_PLAN_GT      0x008
#define LKP_PLAN_GE      0x010
#define LKP_PLAN_LT      0x020
#define LKP_PLAN_LE      0x040
#define LKP_PLAN_GLOB    0x080  /* index_value GLOB ? */
#define LKP_PLAN_LIKE    0x100
#define LKP_PLAN_NARG    9
#define LKP_PLAN_DESC    0x200  /* In descending order */

/* A range of the index; scans of one step are merged. */
typedef struct LkpRange LkpRange;
struct LkpRange {
  int iStep;
  KvIndexScan scan;
  int eState;             /* SQLITE_ROW: it stands on a row */
};
/* One for each type, two for NaN and three for bigints. */
#define LKP_RANGES 9

/* A number as SQL compares it. */
typedef struct LkpNumber LkpNumber;
struct LkpNumber {
  u8 bInt;
  i64 i;
  double r;
};

/* What is asked for: bounds within each class of SQL values. */
typedef struct LkpQuery LkpQuery;
struct LkpQuery {
  u8 bNone;               /* Nothing */
  u8 bAny;                /* There is no condition: NULL too */
  u8 bNumeric, bText, bBlob;       /* What classes there may be */
  u8 bEqual;              /* lo and hi are a value to be equal */
  u8 bStrings;            /* Of text, strings alone */
  u8 bLo, bHi, bLoStrict, bHiStrict;   /* Numeric bounds */
  LkpNumber lo, hi;
  u8 bTextLo, bTextHi;    /* Bounds of text, as stored parts */
  KvBuf textLo, textHi;   /* ... lo inclusive, hi exclusive */
  u8 bBlobLo, bBlobHi;
  KvBuf blobLo, blobHi;
  KvBuf exact;            /* Parts, as kvIndexValues() gives them: a typed
                          ** value that is to be equal */
  u8 bExact;
};

typedef struct LkpCursor LkpCursor;
struct LkpCursor {
  sqlite3_vtab_cursor base;  /* Must be first */
  KvIndexView view;
  u8 bOpen;               /* view is open */
  u8 bDesc;
  u8 bEof;
  u8 bTree;
  int nRange, iRange;     /* iRange: the one with the current row */
  LkpRange aRange[LKP_RANGES];
  LkpQuery query;
  KvBuf name;             /* The argument name */
  KvBuf text;             /* Text of a column */
  KvTree tree;            /* The current row's value */
};

static int lkpConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  return kvTableConnect(db, pAux, argc, argv, LKP_SCHEMA, sizeof(KvTable), ppVtab, pzErr);
}

static int lkpOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  LkpCursor *p = sqlite3_malloc64(sizeof(*p));
  int i;
  (void)pVtab;
  if( p==0 ) return SQLITE_NOMEM;
  memset(p, 0, sizeof(*p));        /* an empty tree or buffer is all zero */
  for(i=0; i<LKP_RANGES; i++) kvIndexScanInit(&p->aRange[i].scan);
  *ppCursor = &p->base;
  return SQLITE_OK;
}

/* End the query. */
static void lkpStop(LkpCursor *p){
  int i;
  for(i=0; i<LKP_RANGES; i++) kvIndexScanStop(&p->aRange[i].scan);
  if( p->bOpen ) kvIndexClose(&p->view);
  p->bOpen = 0;
  p->nRange = 0;
  p->bEof = 1;
}

static void lkpQueryClear(LkpQuery *p){
  kvBufClear(&p->textLo);
  kvBufClear(&p->textHi);
  kvBufClear(&p->blobLo);
  kvBufClear(&p->blobHi);
  kvBufClear(&p->exact);
  memset(p, 0, sizeof(*p));
}

static int lkpClose(sqlite3_vtab_cursor *pCursor){
  LkpCursor *p = (LkpCursor*)pCursor;
  int i;
  lkpStop(p);
  for(i=0; i<LKP_RANGES; i++) kvIndexScanClear(&p->aRange[i].scan);
  lkpQueryClear(&p->query);
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

/* ---- numbers --------------------------------------------------------------- */

/* Compare an integer with a number that is no NaN. */
static int lkpCompareMixed(i64 i, double r){
  i64 iR;
  if( r<-9223372036854775808.0 ) return 1;
  if( r>=9223372036854775808.0 ) return -1;
  iR = (i64)r;
  if( i!=iR ) return i<iR ? -1 : 1;
  return r-(double)iR>0.0 ? -1 : r-(double)iR<0.0;
}

static int lkpCompareNumber(const LkpNumber *pA, const LkpNumber *pB){
  if( pA->bInt && pB->bInt ) return (pA->i>pB->i) - (pA->i<pB->i);
  if( pA->bInt ) return lkpCompareMixed(pA->i, pB->r);
  if( pB->bInt ) return -lkpCompareMixed(pB->i, pA->r);
  return (pA->r>pB->r) - (pA->r<pB->r);
}

static LkpNumber lkpInt(i64 i){
  LkpNumber v;
  v.bInt = 1;
  v.i = i;
  v.r = 0.0;
  return v;
}

/* The indexed value of a row of step 1. */
static LkpNumber lkpRowNumber(const LkpCursor *p, const LkpRange *pRange){
  const u8 *a = sqlite3_column_blob(pRange->scan.pRow, KVINDEX_COL_IK);
  u32 n = (u32)sqlite3_column_bytes(pRange->scan.pRow, KVINDEX_COL_IK);
  u32 i = p->view.nName;
  LkpNumber v = lkpInt(0);
  KvPart part;
  if( kvPartRead(a, n, &i, &part, 0)!=KV_OK ) return v;
  if( part.eType==KVP_BIGINT ){
    kvPartInt64(&part, &v.i);
  }else if( part.eType==KVP_BOOL ){
    v.i = part.r!=0.0;
  }else{
    v.bInt = 0;
    v.r = part.r;
  }
  return v;
}

/* ---- from conditions to bounds --------------------------------------------- */

/* Keep the larger (bLow) or smaller of two stored parts.  SQLITE_OK or
** SQLITE_NOMEM. */
static int lkpBound(KvBuf *pOld, u8 *pbOld, const KvBuf *pNew, int bLow){
  u32 n = pOld->n<pNew->n ? pOld->n : pNew->n;
  int c = n ? memcmp(pOld->a, pNew->a, n) : 0;
  if( c==0 ) c = (pOld->n>pNew->n) - (pOld->n<pNew->n);
  if( *pbOld && (bLow ? c>=0 : c<=0) ) return SQLITE_OK;
  kvBufReset(pOld);
  kvBufAppend(pOld, pNew->a, pNew->n);
  *pbOld = 1;
  return pOld->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

static void lkpNumberBound(LkpQuery *p, LkpNumber v, int bLow, int bStrict){
  LkpNumber *pOld = bLow ? &p->lo : &p->hi;
  u8 *pbOld = bLow ? &p->bLo : &p->bHi;
  u8 *pbStrict = bLow ? &p->bLoStrict : &p->bHiStrict;
  int c = *pbOld ? lkpCompareNumber(&v, pOld) : 0;
  if( *pbOld && (bLow ? c<0 : c>0) ) return;
  if( *pbOld && c==0 && *pbStrict ) return;
  *pOld = v;
  *pbOld = 1;
  *pbStrict = (u8)bStrict;
}

/* A bound of text or bytes: the part, and in which direction. */
static int lkpPartBound(LkpQuery *p, sqlite3_value *pVal, int bLow, int bStrict, int bLower){
  int bText = sqlite3_value_type(pVal)==SQLITE_TEXT;
  const u8 *a = bText ? sqlite3_value_text(pVal) : sqlite3_value_blob(pVal);
  u32 n = (u32)sqlite3_value_bytes(pVal);
  KvBuf part, folded;
  u32 i;
  int rc = SQLITE_OK;
  if( n>0 && a==0 ) return SQLITE_NOMEM;
  kvBufInit(&part, 0, 0);
  kvBufInit(&folded, 0, 0);
  kvBufAppend(&folded, a, n);
  for(i=0; bLower && i<folded.n; i++){
    if( folded.a[i]>='A' && folded.a[i]<='Z' ) folded.a[i] = (u8)(folded.a[i] + 32);
  }
  if( bText ) kvKeyPutString(&part, folded.a, folded.n);
  else kvKeyPutBytes(&part, folded.a, folded.n);
  if( bLow ? bStrict : !bStrict ) kvBufPut(&part, 0xff);    /* behind all of it */
  if( part.eErr || folded.eErr ){
    rc = SQLITE_NOMEM;
  }else if( bText ){
    rc = lkpBound(bLow ? &p->textLo : &p->textHi, bLow ? &p->bTextLo : &p->bTextHi, &part, bLow);
  }else{
    rc = lkpBound(bLow ? &p->blobLo : &p->blobHi, bLow ? &p->bBlobLo : &p->bBlobHi, &part, bLow);
  }
  kvBufClear(&part);
  kvBufClear(&folded);
  return rc;
}

/* One comparison: in SQL's order numbers come before text before bytes. */
static int lkpCompareArg(LkpQuery *p, sqlite3_value *pVal, int bLow, int bStrict, int bLower){
  LkpNumber v;
  p->bAny = 0;
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:
      p->bNone = 1;
      return SQLITE_OK;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      v.bInt = sqlite3_value_type(pVal)==SQLITE_INTEGER;
      v.i = v.bInt ? sqlite3_value_int64(pVal) : 0;
      v.r = v.bInt ? 0.0 : sqlite3_value_double(pVal);
      lkpNumberBound(p, v, bLow, bStrict);
      if( !bLow ) p->bText = p->bBlob = 0;
      return SQLITE_OK;
    case SQLITE_TEXT:
      if( bLow ) p->bNumeric = 0;
      else p->bBlob = 0;
      return lkpPartBound(p, pVal, bLow, bStrict, bLower);
    default:
      if( bLow ) p->bNumeric = p->bText = 0;
      return lkpPartBound(p, pVal, bLow, bStrict, 0);
  }
}

static int lkpEqual(LkpQuery *p, sqlite3_value *pVal, int bLower){
  int eType = sqlite3_value_type(pVal);
  int rc = lkpCompareArg(p, pVal, 1, 0, bLower);
  p->bEqual = 1;
  if( rc==SQLITE_OK ) rc = lkpCompareArg(p, pVal, 0, 0, bLower);
  if( eType!=SQLITE_TEXT ) p->bText = 0;
  if( eType!=SQLITE_BLOB ) p->bBlob = 0;
  if( eType!=SQLITE_INTEGER && eType!=SQLITE_FLOAT ) p->bNumeric = 0;
  return rc;
}

/* The argument equals: a typed value means just that type. */
static int lkpEqualsArg(LkpCursor *p, sqlite3_value *pVal, int bLower){
  LkpQuery *pQuery = &p->query;
  KvErr err;
  int rc;
  if( sqlite3_value_subtype(pVal)!=KV_SUBTYPE_JS ){
    pQuery->bStrings = 1;
    return lkpEqual(pQuery, pVal, bLower);
  }
  kvTreeReset(&p->tree);
  kvBufReset(&pQuery->exact);
  rc = kvFaceValue(pVal, &p->tree, &err);
  if( rc==KV_OK ) rc = kvIndexValues(&p->tree, "$", bLower, &pQuery->exact, &err);
  pQuery->bExact = 1;
  pQuery->bAny = 0;
  return rc==KV_OK ? SQLITE_OK : kvTableCodecError(p->base.pVtab, "kv_lookup()", &err);
}

/*
** GLOB and LIKE: only what begins with the part of the pattern before its
** first special character.  LIKE takes no difference of case, so it narrows
** an index that has none.  A number matches as its text; if the pattern may
** begin as one does, all numbers are looked at.
*/
static int lkpPatternArg(LkpQuery *p, sqlite3_value *pVal, int bLike, int bLower){
  const u8 *z = sqlite3_value_text(pVal);
  const char *zSpecial = bLike ? "%_" : "*?[";
  KvBuf lo, hi;
  u32 n = 0, i, nText;
  p->bAny = 0;
  if( z==0 ){
    if( sqlite3_value_type(pVal)!=SQLITE_NULL ) return SQLITE_NOMEM;
    p->bNone = 1;
    return SQLITE_OK;
  }
  nText = (u32)sqlite3_value_bytes(pVal);
  while( n<nText && z[n] && strchr(zSpecial, z[n])==0 && (!bLike || z[n]<0x80) ) n++;
  if( bLike && !bLower ) return SQLITE_OK;
  if( n>0 && strchr("0123456789-+IiNn.", z[0])==0 ) p->bNumeric = 0;
  if( n==0 ) return SQLITE_OK;
  for(i=0; i<2; i++){
    u8 *pbLo = i ? &p->bBlobLo : &p->bTextLo;
    u8 *pbHi = i ? &p->bBlobHi : &p->bTextHi;
    u32 k;
    int rc;
    kvBufInit(&lo, 0, 0);
    kvBufInit(&hi, 0, 0);
    if( i ) kvKeyPutBytes(&lo, z, n);
    else kvKeyPutString(&lo, z, n);
    if( lo.n>0 ) lo.n--;                         /* without its end */
    for(k=1; bLike && k<lo.n; k++){
      if( lo.a[k]>='A' && lo.a[k]<='Z' ) lo.a[k] = (u8)(lo.a[k] + 32);
    }
    kvBufAppend(&hi, lo.a, lo.n);
    kvBufPut(&hi, 0xff);
    if( lo.eErr || hi.eErr ){
      kvBufClear(&lo);
      kvBufClear(&hi);
      return SQLITE_NOMEM;
    }
    rc = SQLITE_OK;
    if( !(i && bLike) ){
      rc = lkpBound(i ? &p->blobLo : &p->textLo, pbLo, &lo, 1);
      if( rc==SQLITE_OK ) rc = lkpBound(i ? &p->blobHi : &p->textHi, pbHi, &hi, 0);
    }
    kvBufClear(&lo);
    kvBufClear(&hi);
    if( rc!=SQLITE_OK ) return rc;
  }
  return SQLITE_OK;
}

/* ---- from bounds to ranges -------------------------------------------------- */

/* A range from one stored part to another; hi exclusive. */
static void lkpRange(LkpCursor *p, int iStep, const u8 *aLo, u32 nLo, const u8 *aHi, u32 nHi){
  LkpRange *pRange = &p->aRange[p->nRange++];
  pRange->iStep = iStep;
  pRange->eState = SQLITE_OK;
  kvBufReset(&pRange->scan.lo);
  kvBufAppend(&pRange->scan.lo, p->view.aName, p->view.nName);
  kvBufAppend(&pRange->scan.lo, aLo, nLo);
  kvBufReset(&pRange->scan.hi);
  kvBufAppend(&pRange->scan.hi, p->view.aName, p->view.nName);
  kvBufAppend(&pRange->scan.hi, aHi, nHi);
}

/* The part of an integer of 64 bits, as a bigint. */
static void lkpPutBigint(KvBuf *pOut, i64 v){
  u8 a[8];
  u32 n = 8;
  kvPut64le(a, v<0 ? 0-(u64)v : (u64)v);
  while( n>0 && a[n-1]==0 ) n--;
  kvKeyPutBigint(pOut, v<0, a, n);
}

/* The integer next to a bound, on its outer side; *pbNone: there is none. */
static i64 lkpBoundInt(const LkpNumber *p, int bLow, int *pbNone){
  double r = p->r;
  i64 i;
  if( p->bInt ) return p->i;
  if( r>=9223372036854775808.0 ){
    if( bLow ) *pbNone = 1;
    return INT64_MAX;
  }
  if( r<-9223372036854775808.0 ){
    if( !bLow ) *pbNone = 1;
    return INT64_MIN;
  }
  i = (i64)r;                          /* towards zero */
  if( bLow && r<(double)i && i>INT64_MIN ) i--;
  if( !bLow && r>(double)i && i<INT64_MAX ) i++;
  return i;
}

static void lkpBigints(LkpCursor *p){
  const LkpQuery *q = &p->query;
  u8 aLo[32], aHi[32];
  KvBuf lo, hi;
  int bNone = 0;
  i64 iLo = q->bLo ? lkpBoundInt(&q->lo, 1, &bNone) : INT64_MIN;
  i64 iHi = q->bHi ? lkpBoundInt(&q->hi, 0, &bNone) : INT64_MAX;
  if( bNone || iLo>iHi ) return;
  if( q->bEqual && !q->lo.bInt && lkpCompareMixed(iLo, q->lo.r)!=0 ) return;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  lkpPutBigint(&lo, iLo);
  if( q->bLo && q->bLoStrict && q->lo.bInt ) kvBufPut(&lo, 0xff);
  lkpPutBigint(&hi, iHi);
  if( !(q->bHi && q->bHiStrict && q->hi.bInt) ) kvBufPut(&hi, 0xff);
  lkpRange(p, 1, lo.a, lo.n, hi.a, hi.n);
}

/* The double of a bound.  An integer that is none is widened outwards: SQLite
** compares once more.  0 is both zeros. */
static double lkpBoundDouble(const LkpNumber *p, int bLow, int bInner, int *pbExact){
  double r = p->bInt ? (double)p->i : p->r;
  *pbExact = 1;
  if( p->bInt && lkpCompareMixed(p->i, r)!=0 ){
    *pbExact = 0;
    r = bLow ? r - 2048.0 : r + 2048.0;
  }
  if( r==0.0 ) r = (bLow ? !bInner : bInner) ? -0.0 : 0.0;
  return r;
}

static void lkpNumbers(LkpCursor *p){
  const LkpQuery *q = &p->query;
  u8 aLo[32], aHi[32];
  KvBuf lo, hi;
  int bExact;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  if( q->bLo ){
    double r = lkpBoundDouble(&q->lo, 1, q->bLoStrict, &bExact);
    if( q->bEqual && !bExact ) return;
    kvKeyPutNumber(&lo, r);
    if( q->bLoStrict && bExact ) kvBufPut(&lo, 0xff);
  }else{
    kvKeyPutNumber(&lo, kvBitsToDouble(0xfff0000000000000u));
  }
  if( q->bHi ){
    double r = lkpBoundDouble(&q->hi, 0, q->bHiStrict, &bExact);
    kvKeyPutNumber(&hi, r);
    if( !(q->bHiStrict && bExact) ) kvBufPut(&hi, 0xff);
  }else{
    kvKeyPutNumber(&hi, kvBitsToDouble(0x7ff0000000000000u));
    kvBufPut(&hi, 0xff);
  }
  lkpRange(p, 1, lo.a, lo.n, hi.a, hi.n);
}

static int lkpWithin(const LkpQuery *q, i64 i){
  LkpNumber v = lkpInt(i);
  int c;
  if( q->bLo ){
    c = lkpCompareNumber(&v, &q->lo);
    if( c<0 || (c==0 && q->bLoStrict) ) return 0;
  }
  if( q->bHi ){
    c = lkpCompareNumber(&v, &q->hi);
    if( c>0 || (c==0 && q->bHiStrict) ) return 0;
  }
  return 1;
}

static void lkpBooleans(LkpCursor *p){
  u8 cLo = lkpWithin(&p->query, 0) ? 0x26 : 0x27;
  u8 cHi = lkpWithin(&p->query, 1) ? 0x28 : 0x27;
  if( cLo<cHi ) lkpRange(p, 1, &cLo, 1, &cHi, 1);
}

/* NaN: NULL in SQL. */
static void lkpNaNs(LkpCursor *p){
  u8 aLo[16], aHi[16];
  static const u8 aFirst[] = { 0x21 }, aLast[] = { 0x22 };
  KvBuf lo, hi;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  kvKeyPutNumber(&hi, kvBitsToDouble(0xfff0000000000000u));
  lkpRange(p, 0, aFirst, 1, hi.a, hi.n);
  kvKeyPutNumber(&lo, kvBitsToDouble(0x7ff0000000000000u));
  kvBufPut(&lo, 0xff);
  lkpRange(p, 0, lo.a, lo.n, aLast, 1);
}

/* Text: strings, and bigints beyond 64 bits. */
static void lkpTexts(LkpCursor *p){
  static const u8 cString = 0x02, cBeyond = 0x03, cBigLo = 0x0b, cBigHi = 0x1e;
  const LkpQuery *q = &p->query;
  u8 aSpace[32];
  KvBuf edge;
  lkpRange(p, 2, q->bTextLo ? q->textLo.a : &cString, q->bTextLo ? q->textLo.n : 1,
           q->bTextHi ? q->textHi.a : &cBeyond, q->bTextHi ? q->textHi.n : 1);
  if( q->bStrings ) return;
  kvBufInit(&edge, aSpace, sizeof(aSpace));
  lkpPutBigint(&edge, INT64_MIN);
  lkpRange(p, 3, &cBigLo, 1, edge.a, edge.n);
  kvBufReset(&edge);
  lkpPutBigint(&edge, INT64_MAX);
  kvBufPut(&edge, 0xff);
  lkpRange(p, 3, edge.a, edge.n, &cBigHi, 1);
}

static void lkpBlobs(LkpCursor *p){
  static const u8 cBytes = 0x01, cBeyond = 0x02;
  const LkpQuery *q = &p->query;
  lkpRange(p, 4, q->bBlobLo ? q->blobLo.a : &cBytes, q->bBlobLo ? q->blobLo.n : 1,
           q->bBlobHi ? q->blobHi.a : &cBeyond, q->bBlobHi ? q->blobHi.n : 1);
}

/* The one part that a typed value stands for. */
static void lkpExact(LkpCursor *p){
  const KvBuf *pExact = &p->query.exact;
  KvBuf hi;
  u8 aSpace[256];
  const u8 *a;
  u32 i = 0, n;
  a = kvIndexValueNext(pExact, &i, &n);
  if( a==0 ) return;
  kvBufInit(&hi, aSpace, sizeof(aSpace));
  kvBufAppend(&hi, a, n);
  kvBufPut(&hi, 0xff);
  lkpRange(p, 1, a, n, hi.a, hi.n);
  if( hi.eErr ) p->aRange[0].scan.hi.eErr = hi.eErr;
  kvBufClear(&hi);
}

/* All ranges, in the order of their steps. */
static void lkpRanges(LkpCursor *p){
  const LkpQuery *q = &p->query;
  int i, n;
  p->nRange = 0;
  if( q->bNone ) return;
  if( q->bExact ){
    lkpExact(p);
    return;
  }
  if( q->bAny ) lkpNaNs(p);
  if( q->bNumeric ){
    lkpBigints(p);
    lkpNumbers(p);
    lkpBooleans(p);
  }
  if( q->bText ) lkpTexts(p);
  if( q->bBlob ) lkpBlobs(p);
  n = p->nRange;
  for(i=0; p->bDesc && i<n/2; i++){
    LkpRange t = p->aRange[i];
    p->aRange[i] = p->aRange[n-1-i];
    p->aRange[n-1-i] = t;
  }
}

/* ---- running ----------------------------------------------------------------- */

static int lkpFailed(LkpCursor *p, int rc, char *zErr){
  lkpStop(p);
  return kvTableFail(p->base.pVtab, rc, zErr);
}

/* Start the ranges of the step that begins with range i. */
static int lkpStartStep(LkpCursor *p, int i, char **pzErr){
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
static int lkpBest(LkpCursor *p, int iFirst){
  int i, iBest = -1;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    if( p->aRange[i].eState!=SQLITE_ROW ) continue;
    if( iBest>=0 && p->aRange[i].iStep==1 ){
      LkpNumber a = lkpRowNumber(p, &p->aRange[i]);
      LkpNumber b = lkpRowNumber(p, &p->aRange[iBest]);
      int c = lkpCompareNumber(&a, &b);
      if( p->bDesc ? c>0 : c<0 ) iBest = i;
    }else if( iBest<0 ){
      iBest = i;
    }
  }
  return iBest;
}

/* The first range of the step that range i belongs to. */
static int lkpStepStart(const LkpCursor *p, int i){
  int iStep = p->aRange[i].iStep;
  while( i>0 && p->aRange[i-1].iStep==iStep ) i--;
  return i;
}

/* Stand on the next row, from the step that begins with range iFirst on. */
static int lkpSettle(LkpCursor *p, int iFirst){
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
  LkpCursor *p = (LkpCursor*)pCursor;
  LkpRange *pRange = &p->aRange[p->iRange];
  char *zErr = 0;
  int rc = kvIndexScanStep(&pRange->scan, &zErr);
  p->bTree = 0;
  if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) return lkpFailed(p, rc, zErr);
  pRange->eState = rc;
  return lkpSettle(p, lkpStepStart(p, p->iRange));
}

/* The arguments behind the name. */
static int lkpArgs(LkpCursor *p, int mPlan, sqlite3_value **apArg){
  LkpQuery *q = &p->query;
  int bLower = (p->view.mOptions & KVINDEX_LOWER)!=0;
  int i, iArg = 1, rc = SQLITE_OK;
  lkpQueryClear(q);
  q->bAny = q->bNumeric = q->bText = q->bBlob = 1;
  for(i=1; rc==SQLITE_OK && i<LKP_PLAN_NARG; i++){
    sqlite3_value *pVal;
    if( (mPlan & (1<<i))==0 ) continue;
    pVal = apArg[iArg++];
    switch( 1<<i ){
      case LKP_PLAN_EQUALS: rc = lkpEqualsArg(p, pVal, bLower);        break;
      case LKP_PLAN_EQ:     rc = lkpEqual(q, pVal, 0);                 break;
      case LKP_PLAN_GT:     rc = lkpCompareArg(q, pVal, 1, 1, 0);      break;
      case LKP_PLAN_GE:     rc = lkpCompareArg(q, pVal, 1, 0, 0);      break;
      case LKP_PLAN_LT:     rc = lkpCompareArg(q, pVal, 0, 1, 0);      break;
      case LKP_PLAN_LE:     rc = lkpCompareArg(q, pVal, 0, 0, 0);      break;
      case LKP_PLAN_GLOB:   rc = lkpPatternArg(q, pVal, 0, bLower);    break;
      default:              rc = lkpPatternArg(q, pVal, 1, bLower);    break;
    }
  }
  return rc;
}

static int lkpFilter(
  sqlite3_vtab_cursor *pCursor, int mPlan, const char *zPlan,
  int nArg, sqlite3_value **apArg
){
  LkpCursor *p = (LkpCursor*)pCursor;
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
    zErr = sqlite3_mprintf("kv: kv_lookup(): there is no index %s; "
        "kv_index() declares one, kv_indexes lists them", zName);
  }
  if( rc!=SQLITE_OK ) return lkpFailed(p, rc, zErr);
  p->bOpen = 1;
  rc = lkpArgs(p, mPlan, apArg);
  if( rc!=SQLITE_OK ){
    lkpStop(p);
    return rc;
  }
  lkpRanges(p);
  if( p->nRange==0 ){
    lkpStop(p);
    return SQLITE_OK;
  }
  p->bEof = 0;
  rc = lkpStartStep(p, 0, &zErr);
  return rc==SQLITE_OK ? lkpSettle(p, 0) : lkpFailed(p, rc, zErr);
}

static int lkpEof(sqlite3_vtab_cursor *pCursor){
  return ((LkpCursor*)pCursor)->bEof;
}

/* ---- columns ------------------------------------------------------------------ */

static void lkpValueColumn(sqlite3_context *ctx, LkpCursor *p, sqlite3_stmt *pRow, int iCol){
  KvErr err;
  int eAs = iCol==LKP_JS ? KV_AS_JS : iCol==LKP_JSON ? KV_AS_JSON
          : iCol==LKP_TYPE ? KV_AS_TYPE : KV_AS_VALUE;
  int rc = KV_OK;
  if( !p->bTree ){
    rc = kvFaceReadColumn(pRow, KVINDEX_COL_V, sqlite3_column_int(pRow, KVINDEX_COL_ENCODING),
                          &p->tree, &err);
    p->bTree = rc==KV_OK;
  }
  if( rc==KV_OK ) rc = kvFaceValueAs(ctx, &p->tree, eAs, &p->text, &err);
  if( rc==KV_OK ) return;
  kvBufReset(&p->text);
  kvBufLit(&p->text, "value of the key ");
  kvKeyShow(&p->text, sqlite3_column_blob(pRow, KVINDEX_COL_KEY),
            (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_KEY));
  if( kvBufTerminate(&p->text)!=KV_OK ) sqlite3_result_error_nomem(ctx);
  else kvFaceError(ctx, (const char*)p->text.a, &err);
}

static int lkpColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  LkpCursor *p = (LkpCursor*)pCursor;
  sqlite3_stmt *pRow = p->aRange[p->iRange].scan.pRow;
  u32 i = p->view.nName;
  KvPart part;
  switch( iCol ){
    case LKP_KEY:
      kvBufReset(&p->text);
      kvKeyShow(&p->text, sqlite3_column_blob(pRow, KVINDEX_COL_KEY),
                (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_KEY));
      kvFaceText(ctx, &p->text);
      break;
    case LKP_VERSIONSTAMP:
      kvFaceVersionstamp(ctx, sqlite3_column_int64(pRow, KVINDEX_COL_VERSION));
      break;
    case LKP_EXPIRES_AT:
      if( sqlite3_column_int64(pRow, KVINDEX_COL_EXPIRES)>=0 ){
        sqlite3_result_int64(ctx, sqlite3_column_int64(pRow, KVINDEX_COL_EXPIRES));
      }
      break;
    case LKP_INDEX_VALUE:
    case LKP_EQUALS:
      if( kvPartRead(sqlite3_column_blob(pRow, KVINDEX_COL_IK),
                     (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_IK), &i, &part, 0)==KV_OK ){
        kvFacePart(ctx, &part);
      }
      break;
    case LKP_NAME:
      kvFaceText(ctx, &p->name);
      break;
    case LKP_RAW:
      kvFaceRawColumn(ctx, pRow, KVINDEX_COL_V, sqlite3_column_int(pRow, KVINDEX_COL_ENCODING), &p->text);
      break;
    default:
      lkpValueColumn(ctx, p, pRow, iCol);
  }
  return SQLITE_OK;
}

static int lkpRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  LkpCursor *p = (LkpCursor*)pCursor;
  sqlite3_stmt *pRow = p->aRange[p->iRange].scan.pRow;
  i64 i = kvTableRowid(0, p->name.a, p->name.n);
  const void *a = sqlite3_column_blob(pRow, KVINDEX_COL_IK);
  i = kvTableRowid(i, a, (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_IK));
  a = sqlite3_column_blob(pRow, KVINDEX_COL_KEY);
  *piRowid = kvTableRowid(i, a, (u32)sqlite3_column_bytes(pRow, KVINDEX_COL_KEY));
  return SQLITE_OK;
}

static const sqlite3_module lkpModule = {
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

int kvRegisterLookup(KvConn *p){
  kvConnRef(p);
  return sqlite3_create_module_v2(p->db, "kv_lookup", &lkpModule, p, kvConnUnref);
}
