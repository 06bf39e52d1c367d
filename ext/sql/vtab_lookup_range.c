/*
** vtab_lookup_range.c -- kv_lookup(): from conditions to ranges of an index.
**
** In the index values stand in the order of key parts, in SQL in that of SQL
** values; so a condition becomes a list of ranges of the index, in the order
** of SQL, of which those of the numeric types are merged:
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
#include "sql/vtab_lookup.h"
SQLITE_EXTENSION_INIT3
#include "sql/codec_error.h"
#include "sql/args.h"
#include "sql/subtype.h"
#include "codec/index_key.h"
#include "codec/key/key_bytes.h"

/* ---- numbers --------------------------------------------------------------- */

/* Compare an integer with a number that is no NaN. */
static int lookupRangeCompareMixed(i64 i, double r){
  i64 iR;
  if( r<-9223372036854775808.0 ) return 1;
  if( r>=9223372036854775808.0 ) return -1;
  iR = (i64)r;
  if( i!=iR ) return i<iR ? -1 : 1;
  return r-(double)iR>0.0 ? -1 : r-(double)iR<0.0;
}

static int lookupRangeCompareNumber(const KvLookupNumber *pA, const KvLookupNumber *pB){
  if( pA->bInt && pB->bInt ) return (pA->i>pB->i) - (pA->i<pB->i);
  if( pA->bInt ) return lookupRangeCompareMixed(pA->i, pB->r);
  if( pB->bInt ) return -lookupRangeCompareMixed(pB->i, pA->r);
  return (pA->r>pB->r) - (pA->r<pB->r);
}

static KvLookupNumber lookupRangeInt(i64 i){
  KvLookupNumber v;
  v.bInt = 1;
  v.i = i;
  v.r = 0.0;
  return v;
}

/* The indexed value of a row of step 1. */
static KvLookupNumber lookupRangeRowNumber(const KvLookup *p, const KvLookupRange *pRange){
  const u8 *a = sqlite3_column_blob(pRange->scan.pRow, KVINDEX_COL_IK);
  u32 n = (u32)sqlite3_column_bytes(pRange->scan.pRow, KVINDEX_COL_IK);
  u32 i = p->view.name.n;
  KvLookupNumber v = lookupRangeInt(0);
  KvPart part;
  if( kvPartRead(kvBytes(a, n), &i, &part, 0)!=KV_OK ) return v;
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

int kvLookupCompare(const KvLookup *p, int iA, int iB){
  KvLookupNumber a = lookupRangeRowNumber(p, &p->aRange[iA]);
  KvLookupNumber b = lookupRangeRowNumber(p, &p->aRange[iB]);
  return lookupRangeCompareNumber(&a, &b);
}

/* ---- from conditions to bounds --------------------------------------------- */

/* Keep the larger (bLow) or smaller of two stored parts.  SQLITE_OK or
** SQLITE_NOMEM. */
static int lookupRangeBound(KvBuf *pOld, u8 *pbOld, const KvBuf *pNew, int bLow){
  u32 n = pOld->n<pNew->n ? pOld->n : pNew->n;
  int c = n ? memcmp(pOld->a, pNew->a, n) : 0;
  if( c==0 ) c = (pOld->n>pNew->n) - (pOld->n<pNew->n);
  if( *pbOld && (bLow ? c>=0 : c<=0) ) return SQLITE_OK;
  kvBufReset(pOld);
  kvBufAppend(pOld, pNew->a, pNew->n);
  *pbOld = 1;
  return pOld->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

static void lookupRangeNumberBound(KvLookupQuery *p, KvLookupNumber v, int bLow, int bStrict){
  KvLookupNumber *pOld = bLow ? &p->lo : &p->hi;
  u8 *pbOld = bLow ? &p->bLo : &p->bHi;
  u8 *pbStrict = bLow ? &p->bLoStrict : &p->bHiStrict;
  int c = *pbOld ? lookupRangeCompareNumber(&v, pOld) : 0;
  if( *pbOld && (bLow ? c<0 : c>0) ) return;
  if( *pbOld && c==0 && *pbStrict ) return;
  *pOld = v;
  *pbOld = 1;
  *pbStrict = (u8)bStrict;
}

/* A bound of text or bytes: the part, and in which direction. */
static int lookupRangePartBound(KvLookupQuery *p, sqlite3_value *pVal, int bLow, int bStrict, int bLower){
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
  if( bText ) kvKeyPutString(&part, kvBufBytes(&folded));
  else kvKeyPutBytes(&part, kvBufBytes(&folded));
  if( bLow ? bStrict : !bStrict ) kvBufPut(&part, 0xff);    /* behind all of it */
  if( part.eErr || folded.eErr ){
    rc = SQLITE_NOMEM;
  }else if( bText ){
    rc = lookupRangeBound(bLow ? &p->textLo : &p->textHi, bLow ? &p->bTextLo : &p->bTextHi, &part, bLow);
  }else{
    rc = lookupRangeBound(bLow ? &p->blobLo : &p->blobHi, bLow ? &p->bBlobLo : &p->bBlobHi, &part, bLow);
  }
  kvBufClear(&part);
  kvBufClear(&folded);
  return rc;
}

/* One comparison: in SQL's order numbers come before text before bytes. */
static int lookupRangeCompareArg(KvLookupQuery *p, sqlite3_value *pVal, int bLow, int bStrict, int bLower){
  KvLookupNumber v;
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
      lookupRangeNumberBound(p, v, bLow, bStrict);
      if( !bLow ) p->bText = p->bBlob = 0;
      return SQLITE_OK;
    case SQLITE_TEXT:
      if( bLow ) p->bNumeric = 0;
      else p->bBlob = 0;
      return lookupRangePartBound(p, pVal, bLow, bStrict, bLower);
    default:
      if( bLow ) p->bNumeric = p->bText = 0;
      return lookupRangePartBound(p, pVal, bLow, bStrict, 0);
  }
}

static int lookupRangeEqual(KvLookupQuery *p, sqlite3_value *pVal, int bLower){
  int eType = sqlite3_value_type(pVal);
  int rc = lookupRangeCompareArg(p, pVal, 1, 0, bLower);
  p->bEqual = 1;
  if( rc==SQLITE_OK ) rc = lookupRangeCompareArg(p, pVal, 0, 0, bLower);
  if( eType!=SQLITE_TEXT ) p->bText = 0;
  if( eType!=SQLITE_BLOB ) p->bBlob = 0;
  if( eType!=SQLITE_INTEGER && eType!=SQLITE_FLOAT ) p->bNumeric = 0;
  return rc;
}

/* The argument equals: a typed value means just that type. */
static int lookupRangeEqualsArg(KvLookup *p, sqlite3_value *pVal, int bLower, char **pzErr){
  KvLookupQuery *pQuery = &p->query;
  KvErr err;
  int rc;
  if( sqlite3_value_subtype(pVal)!=KV_SUBTYPE_JS ){
    pQuery->bStrings = 1;
    return lookupRangeEqual(pQuery, pVal, bLower);
  }
  kvTreeReset(&p->show.value.tree);
  kvListReset(&pQuery->exact);
  rc = kvArgValue(pVal, &p->show.value.tree, &err);
  if( rc==KV_OK ) rc = kvIndexValues(&p->show.value.tree, "$", bLower, &pQuery->exact, &err);
  pQuery->bExact = 1;
  pQuery->bAny = 0;
  return rc==KV_OK ? SQLITE_OK : kvCodecError("kv_lookup()", &err, pzErr);
}

/*
** GLOB and LIKE: only what begins with the part of the pattern before its
** first special character.  LIKE takes no difference of case, so it narrows
** an index that has none.  A number matches as its text; if the pattern may
** begin as one does, all numbers are looked at.
*/
static int lookupRangePatternArg(KvLookupQuery *p, sqlite3_value *pVal, int bLike, int bLower){
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
    if( i ) kvKeyPutBytes(&lo, kvBytes(z, n));
    else kvKeyPutString(&lo, kvBytes(z, n));
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
      rc = lookupRangeBound(i ? &p->blobLo : &p->textLo, pbLo, &lo, 1);
      if( rc==SQLITE_OK ) rc = lookupRangeBound(i ? &p->blobHi : &p->textHi, pbHi, &hi, 0);
    }
    kvBufClear(&lo);
    kvBufClear(&hi);
    if( rc!=SQLITE_OK ) return rc;
  }
  return SQLITE_OK;
}

void kvLookupQueryClear(KvLookupQuery *p){
  kvBufClear(&p->textLo);
  kvBufClear(&p->textHi);
  kvBufClear(&p->blobLo);
  kvBufClear(&p->blobHi);
  kvListClear(&p->exact);
  memset(p, 0, sizeof(*p));
}

/* The arguments behind the name. */
int kvLookupArgs(KvLookup *p, int mPlan, sqlite3_value **apArg, char **pzErr){
  KvLookupQuery *q = &p->query;
  int bLower = (p->view.mOptions & KVINDEX_LOWER)!=0;
  int i, iArg = 1, rc = SQLITE_OK;
  kvLookupQueryClear(q);
  q->bAny = q->bNumeric = q->bText = q->bBlob = 1;
  for(i=1; rc==SQLITE_OK && i<LKP_PLAN_NARG; i++){
    sqlite3_value *pVal;
    if( (mPlan & (1<<i))==0 ) continue;
    pVal = apArg[iArg++];
    switch( 1<<i ){
      case LKP_PLAN_EQUALS: rc = lookupRangeEqualsArg(p, pVal, bLower, pzErr); break;
      case LKP_PLAN_EQ:     rc = lookupRangeEqual(q, pVal, 0);                 break;
      case LKP_PLAN_GT:     rc = lookupRangeCompareArg(q, pVal, 1, 1, 0);      break;
      case LKP_PLAN_GE:     rc = lookupRangeCompareArg(q, pVal, 1, 0, 0);      break;
      case LKP_PLAN_LT:     rc = lookupRangeCompareArg(q, pVal, 0, 1, 0);      break;
      case LKP_PLAN_LE:     rc = lookupRangeCompareArg(q, pVal, 0, 0, 0);      break;
      case LKP_PLAN_GLOB:   rc = lookupRangePatternArg(q, pVal, 0, bLower);    break;
      default:              rc = lookupRangePatternArg(q, pVal, 1, bLower);    break;
    }
  }
  return rc;
}

/* ---- from bounds to ranges -------------------------------------------------- */

/* A range from one stored part to another; hi exclusive. */
static void lookupRangeAdd(KvLookup *p, int iStep, const u8 *aLo, u32 nLo, const u8 *aHi, u32 nHi){
  KvLookupRange *pRange = &p->aRange[p->nRange++];
  pRange->iStep = iStep;
  pRange->bRow = 0;
  kvBufReset(&pRange->scan.lo);
  kvBufAdd(&pRange->scan.lo, kvBufBytes(&p->view.name));
  kvBufAppend(&pRange->scan.lo, aLo, nLo);
  kvBufReset(&pRange->scan.hi);
  kvBufAdd(&pRange->scan.hi, kvBufBytes(&p->view.name));
  kvBufAppend(&pRange->scan.hi, aHi, nHi);
}

/* The part of an integer of 64 bits, as a bigint. */
static void lookupRangePutBigint(KvBuf *pOut, i64 v){
  kvKeyPutBigint64(pOut, v<0, v<0 ? 0-(u64)v : (u64)v);
}

/* The integer next to a bound, on its outer side; *pbNone: there is none. */
static i64 lookupRangeBoundInt(const KvLookupNumber *p, int bLow, int *pbNone){
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

static void lookupRangeBigints(KvLookup *p){
  const KvLookupQuery *q = &p->query;
  u8 aLo[32], aHi[32];
  KvBuf lo, hi;
  int bNone = 0;
  i64 iLo = q->bLo ? lookupRangeBoundInt(&q->lo, 1, &bNone) : INT64_MIN;
  i64 iHi = q->bHi ? lookupRangeBoundInt(&q->hi, 0, &bNone) : INT64_MAX;
  if( bNone || iLo>iHi ) return;
  if( q->bEqual && !q->lo.bInt && lookupRangeCompareMixed(iLo, q->lo.r)!=0 ) return;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  lookupRangePutBigint(&lo, iLo);
  if( q->bLo && q->bLoStrict && q->lo.bInt ) kvBufPut(&lo, 0xff);
  lookupRangePutBigint(&hi, iHi);
  if( !(q->bHi && q->bHiStrict && q->hi.bInt) ) kvBufPut(&hi, 0xff);
  lookupRangeAdd(p, 1, lo.a, lo.n, hi.a, hi.n);
}

/* The double of a bound.  An integer that is none is widened outwards: SQLite
** compares once more.  0 is both zeros. */
static double lookupRangeBoundDouble(const KvLookupNumber *p, int bLow, int bInner, int *pbExact){
  double r = p->bInt ? (double)p->i : p->r;
  *pbExact = 1;
  if( p->bInt && lookupRangeCompareMixed(p->i, r)!=0 ){
    *pbExact = 0;
    r = bLow ? r - 2048.0 : r + 2048.0;
  }
  if( r==0.0 ) r = (bLow ? !bInner : bInner) ? -0.0 : 0.0;
  return r;
}

static void lookupRangeNumbers(KvLookup *p){
  const KvLookupQuery *q = &p->query;
  u8 aLo[32], aHi[32];
  KvBuf lo, hi;
  int bExact;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  if( q->bLo ){
    double r = lookupRangeBoundDouble(&q->lo, 1, q->bLoStrict, &bExact);
    if( q->bEqual && !bExact ) return;
    kvKeyPutNumber(&lo, r);
    if( q->bLoStrict && bExact ) kvBufPut(&lo, 0xff);
  }else{
    kvKeyPutNumber(&lo, kvBitsToDouble(0xfff0000000000000u));
  }
  if( q->bHi ){
    double r = lookupRangeBoundDouble(&q->hi, 0, q->bHiStrict, &bExact);
    kvKeyPutNumber(&hi, r);
    if( !(q->bHiStrict && bExact) ) kvBufPut(&hi, 0xff);
  }else{
    kvKeyPutNumber(&hi, kvBitsToDouble(0x7ff0000000000000u));
    kvBufPut(&hi, 0xff);
  }
  lookupRangeAdd(p, 1, lo.a, lo.n, hi.a, hi.n);
}

static int lookupRangeWithin(const KvLookupQuery *q, i64 i){
  KvLookupNumber v = lookupRangeInt(i);
  int c;
  if( q->bLo ){
    c = lookupRangeCompareNumber(&v, &q->lo);
    if( c<0 || (c==0 && q->bLoStrict) ) return 0;
  }
  if( q->bHi ){
    c = lookupRangeCompareNumber(&v, &q->hi);
    if( c>0 || (c==0 && q->bHiStrict) ) return 0;
  }
  return 1;
}

static void lookupRangeBooleans(KvLookup *p){
  u8 cLo = lookupRangeWithin(&p->query, 0) ? 0x26 : 0x27;
  u8 cHi = lookupRangeWithin(&p->query, 1) ? 0x28 : 0x27;
  if( cLo<cHi ) lookupRangeAdd(p, 1, &cLo, 1, &cHi, 1);
}

/* NaN: NULL in SQL. */
static void lookupRangeNaNs(KvLookup *p){
  u8 aLo[16], aHi[16];
  static const u8 aFirst[] = { 0x21 }, aLast[] = { 0x22 };
  KvBuf lo, hi;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  kvKeyPutNumber(&hi, kvBitsToDouble(0xfff0000000000000u));
  lookupRangeAdd(p, 0, aFirst, 1, hi.a, hi.n);
  kvKeyPutNumber(&lo, kvBitsToDouble(0x7ff0000000000000u));
  kvBufPut(&lo, 0xff);
  lookupRangeAdd(p, 0, lo.a, lo.n, aLast, 1);
}

/* Text: strings, and bigints beyond 64 bits. */
static void lookupRangeTexts(KvLookup *p){
  static const u8 cString = 0x02, cBeyond = 0x03, cBigLo = 0x0b, cBigHi = 0x1e;
  const KvLookupQuery *q = &p->query;
  u8 aSpace[32];
  KvBuf edge;
  lookupRangeAdd(p, 2, q->bTextLo ? q->textLo.a : &cString, q->bTextLo ? q->textLo.n : 1,
           q->bTextHi ? q->textHi.a : &cBeyond, q->bTextHi ? q->textHi.n : 1);
  if( q->bStrings ) return;
  kvBufInit(&edge, aSpace, sizeof(aSpace));
  lookupRangePutBigint(&edge, INT64_MIN);
  lookupRangeAdd(p, 3, &cBigLo, 1, edge.a, edge.n);
  kvBufReset(&edge);
  lookupRangePutBigint(&edge, INT64_MAX);
  kvBufPut(&edge, 0xff);
  lookupRangeAdd(p, 3, edge.a, edge.n, &cBigHi, 1);
}

static void lookupRangeBlobs(KvLookup *p){
  static const u8 cBytes = 0x01, cBeyond = 0x02;
  const KvLookupQuery *q = &p->query;
  lookupRangeAdd(p, 4, q->bBlobLo ? q->blobLo.a : &cBytes, q->bBlobLo ? q->blobLo.n : 1,
           q->bBlobHi ? q->blobHi.a : &cBeyond, q->bBlobHi ? q->blobHi.n : 1);
}

/* The one part that a typed value stands for. */
static void lookupRangeExact(KvLookup *p){
  KvBuf hi;
  u8 aSpace[256];
  KvBytes part;
  u32 i = 0;
  if( !kvListNext(&p->query.exact, &i, &part) ) return;
  kvBufInit(&hi, aSpace, sizeof(aSpace));
  kvBufAdd(&hi, part);
  kvBufPut(&hi, 0xff);
  lookupRangeAdd(p, 1, part.p, part.n, hi.a, hi.n);
  if( hi.eErr ) p->aRange[0].scan.hi.eErr = hi.eErr;
  kvBufClear(&hi);
}

/* All ranges, in the order of their steps. */
void kvLookupRanges(KvLookup *p){
  const KvLookupQuery *q = &p->query;
  int i, n;
  p->nRange = 0;
  if( q->bNone ) return;
  if( q->bExact ){
    lookupRangeExact(p);
    return;
  }
  if( q->bAny ) lookupRangeNaNs(p);
  if( q->bNumeric ){
    lookupRangeBigints(p);
    lookupRangeNumbers(p);
    lookupRangeBooleans(p);
  }
  if( q->bText ) lookupRangeTexts(p);
  if( q->bBlob ) lookupRangeBlobs(p);
  n = p->nRange;
  for(i=0; p->bDesc && i<n/2; i++){
    KvLookupRange t = p->aRange[i];
    p->aRange[i] = p->aRange[n-1-i];
    p->aRange[n-1-i] = t;
  }
}
