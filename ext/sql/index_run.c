/*
** index_run.c -- reading an index in the order of SQL.  See index_run.h.
*/
#include "sql/index_run.h"
SQLITE_EXTENSION_INIT3
#include "codec/key/key_bytes.h"
#include "store/store.h"

/* ---- from bounds to ranges -------------------------------------------------- */

/* A range from one stored part to another; hi exclusive. */
static void irunRange(KvIndexRun *p, int iStep, const u8 *aLo, u32 nLo, const u8 *aHi, u32 nHi){
  KvIndexRunRange *pRange = &p->aRange[p->nRange++];
  pRange->iStep = iStep;
  pRange->bRow = 0;
  kvBufReset(&pRange->scan.lo);
  kvBufAdd(&pRange->scan.lo, kvBufBytes(&p->snapshot.name));
  kvBufAppend(&pRange->scan.lo, aLo, nLo);
  kvBufReset(&pRange->scan.hi);
  kvBufAdd(&pRange->scan.hi, kvBufBytes(&p->snapshot.name));
  kvBufAppend(&pRange->scan.hi, aHi, nHi);
}

/* The part of an integer of 64 bits, as a bigint. */
static void irunPutBigint(KvBuf *pOut, i64 v){
  kvKeyPutBigint64(pOut, v<0, v<0 ? 0-(u64)v : (u64)v);
}

/* The integer next to a bound, on its outer side; *pbNone: there is none. */
static i64 irunBoundInt(const KvIndexNumber *p, int bLow, int *pbNone){
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

static void irunBigints(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  u8 aLo[32], aHi[32];
  KvBuf lo, hi;
  int bNone = 0;
  i64 iLo = q->bLo ? irunBoundInt(&q->lo, 1, &bNone) : INT64_MIN;
  i64 iHi = q->bHi ? irunBoundInt(&q->hi, 0, &bNone) : INT64_MAX;
  if( bNone || iLo>iHi ) return;
  if( q->bEqual && !q->lo.bInt && kvIndexNumberMixed(iLo, q->lo.r)!=0 ) return;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  irunPutBigint(&lo, iLo);
  if( q->bLo && q->bLoStrict && q->lo.bInt ) kvBufPut(&lo, 0xff);
  irunPutBigint(&hi, iHi);
  if( !(q->bHi && q->bHiStrict && q->hi.bInt) ) kvBufPut(&hi, 0xff);
  irunRange(p, 1, lo.a, lo.n, hi.a, hi.n);
}

/* The double of a bound.  An integer that is none is widened outwards: SQLite
** compares once more.  0 is both zeros. */
static double irunBoundDouble(const KvIndexNumber *p, int bLow, int bInner, int *pbExact){
  double r = p->bInt ? (double)p->i : p->r;
  *pbExact = 1;
  if( p->bInt && kvIndexNumberMixed(p->i, r)!=0 ){
    *pbExact = 0;
    r = bLow ? r - 2048.0 : r + 2048.0;
  }
  if( r==0.0 ) r = (bLow ? !bInner : bInner) ? -0.0 : 0.0;
  return r;
}

static void irunNumbers(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  u8 aLo[32], aHi[32];
  KvBuf lo, hi;
  int bExact;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  if( q->bLo ){
    double r = irunBoundDouble(&q->lo, 1, q->bLoStrict, &bExact);
    if( q->bEqual && !bExact ) return;
    kvKeyPutNumber(&lo, r);
    if( q->bLoStrict && bExact ) kvBufPut(&lo, 0xff);
  }else{
    kvKeyPutNumber(&lo, kvBitsToDouble(0xfff0000000000000u));
  }
  if( q->bHi ){
    double r = irunBoundDouble(&q->hi, 0, q->bHiStrict, &bExact);
    kvKeyPutNumber(&hi, r);
    if( !(q->bHiStrict && bExact) ) kvBufPut(&hi, 0xff);
  }else{
    kvKeyPutNumber(&hi, kvBitsToDouble(0x7ff0000000000000u));
    kvBufPut(&hi, 0xff);
  }
  irunRange(p, 1, lo.a, lo.n, hi.a, hi.n);
}

static int irunWithin(const KvIndexQuery *q, i64 i){
  KvIndexNumber v = kvIndexNumberInt(i);
  int c;
  if( q->bLo ){
    c = kvIndexNumberCompare(&v, &q->lo);
    if( c<0 || (c==0 && q->bLoStrict) ) return 0;
  }
  if( q->bHi ){
    c = kvIndexNumberCompare(&v, &q->hi);
    if( c>0 || (c==0 && q->bHiStrict) ) return 0;
  }
  return 1;
}

static void irunBooleans(KvIndexRun *p){
  u8 cLo = irunWithin(p->pQuery, 0) ? KV_TAG_FALSE : KV_TAG_TRUE;
  u8 cHi = irunWithin(p->pQuery, 1) ? KV_TAG_TRUE+1 : KV_TAG_TRUE;
  if( cLo<cHi ) irunRange(p, 1, &cLo, 1, &cHi, 1);
}

/* NaN: NULL in SQL. */
static void irunNaNs(KvIndexRun *p){
  u8 aLo[16], aHi[16];
  static const u8 aFirst[] = { KV_TAG_NUMBER }, aLast[] = { KV_TAG_NUMBER+1 };
  KvBuf lo, hi;
  kvBufInit(&lo, aLo, sizeof(aLo));
  kvBufInit(&hi, aHi, sizeof(aHi));
  kvKeyPutNumber(&hi, kvBitsToDouble(0xfff0000000000000u));
  irunRange(p, 0, aFirst, 1, hi.a, hi.n);
  kvKeyPutNumber(&lo, kvBitsToDouble(0x7ff0000000000000u));
  kvBufPut(&lo, 0xff);
  irunRange(p, 0, lo.a, lo.n, aLast, 1);
}

/* Text: strings, and bigints beyond 64 bits. */
static void irunTexts(KvIndexRun *p){
  static const u8 cString = KV_TAG_STRING, cBeyond = KV_TAG_STRING+1;
  static const u8 cBigLo = KV_TAG_BIGNEG, cBigHi = KV_TAG_BIGPOS+1;
  const KvIndexQuery *q = p->pQuery;
  u8 aSpace[32];
  KvBuf edge;
  irunRange(p, 2, q->bTextLo ? q->textLo.a : &cString, q->bTextLo ? q->textLo.n : 1,
           q->bTextHi ? q->textHi.a : &cBeyond, q->bTextHi ? q->textHi.n : 1);
  if( q->bStrings ) return;
  kvBufInit(&edge, aSpace, sizeof(aSpace));
  irunPutBigint(&edge, INT64_MIN);
  irunRange(p, 3, &cBigLo, 1, edge.a, edge.n);
  kvBufReset(&edge);
  irunPutBigint(&edge, INT64_MAX);
  kvBufPut(&edge, 0xff);
  irunRange(p, 3, edge.a, edge.n, &cBigHi, 1);
}

static void irunBlobs(KvIndexRun *p){
  static const u8 cBytes = KV_TAG_BYTES, cBeyond = KV_TAG_BYTES+1;
  const KvIndexQuery *q = p->pQuery;
  irunRange(p, 4, q->bBlobLo ? q->blobLo.a : &cBytes, q->bBlobLo ? q->blobLo.n : 1,
           q->bBlobHi ? q->blobHi.a : &cBeyond, q->bBlobHi ? q->blobHi.n : 1);
}

/* The one part that a typed value stands for. */
static void irunExact(KvIndexRun *p){
  KvBuf hi;
  u8 aSpace[256];
  KvBytes part;
  u32 i = 0;
  if( !kvListNext(&p->pQuery->exact, &i, &part) ) return;
  kvBufInit(&hi, aSpace, sizeof(aSpace));
  kvBufAdd(&hi, part);
  kvBufPut(&hi, 0xff);
  irunRange(p, 1, part.p, part.n, hi.a, hi.n);
  if( hi.eErr ) p->aRange[0].scan.hi.eErr = hi.eErr;
  kvBufClear(&hi);
}

/* All ranges, in the order of their steps. */
static void irunRanges(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  int i, n;
  p->nRange = 0;
  if( q->bNone ) return;
  if( q->bExact ){
    irunExact(p);
    return;
  }
  if( q->bAny ) irunNaNs(p);
  if( q->bNumeric ){
    irunBigints(p);
    irunNumbers(p);
    irunBooleans(p);
  }
  if( q->bText ) irunTexts(p);
  if( q->bBlob ) irunBlobs(p);
  n = p->nRange;
  for(i=0; p->bDesc && i<n/2; i++){
    KvIndexRunRange t = p->aRange[i];
    p->aRange[i] = p->aRange[n-1-i];
    p->aRange[n-1-i] = t;
  }
}

/* ---- the run --------------------------------------------------------------- */

/* The indexed value of a row of step 1. */
static KvIndexNumber irunNumber(const KvIndexRun *p, const KvIndexRunRange *pRange){
  const u8 *a = sqlite3_column_blob(pRange->scan.pRow, KVINDEX_COL_IK);
  u32 n = (u32)sqlite3_column_bytes(pRange->scan.pRow, KVINDEX_COL_IK);
  u32 i = p->snapshot.name.n;
  KvIndexNumber v = kvIndexNumberInt(0);
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

/* Compare the indexed values of the rows on which two ranges of step 1 are. */
static int irunCompare(const KvIndexRun *p, int iA, int iB){
  KvIndexNumber a = irunNumber(p, &p->aRange[iA]);
  KvIndexNumber b = irunNumber(p, &p->aRange[iB]);
  return kvIndexNumberCompare(&a, &b);
}

/* Start the ranges of the step that begins with range i. */
static void irunStartStep(KvIndexRun *p, int i){
  int iStep = p->aRange[i].iStep;
  for(; i<p->nRange && p->aRange[i].iStep==iStep; i++){
    p->aRange[i].bRow = (u8)kvIndexScanStart(&p->aRange[i].scan, &p->snapshot, p->bDesc);
  }
}

/* Of the ranges of the current step, which stands on the next row?  -1: none.
** Only those of step 1 have to be compared; the others follow one another. */
static int irunBest(KvIndexRun *p, int iFirst){
  int i, iBest = -1;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    if( !p->aRange[i].bRow ) continue;
    if( iBest>=0 && p->aRange[i].iStep==1 ){
      int c = irunCompare(p, i, iBest);
      if( p->bDesc ? c>0 : c<0 ) iBest = i;
    }else if( iBest<0 ){
      iBest = i;
    }
  }
  return iBest;
}

/* The first range of the step that range i belongs to. */
static int irunStepStart(const KvIndexRun *p, int i){
  int iStep = p->aRange[i].iStep;
  while( i>0 && p->aRange[i-1].iStep==iStep ) i--;
  return i;
}

/* To the next row, from the step that begins with range iFirst on. */
static int irunSettle(KvIndexRun *p, int iFirst){
  while( iFirst<p->nRange && !kvFailed(kvStoreError(p->snapshot.pStore)) ){
    p->iRange = irunBest(p, iFirst);
    if( p->iRange>=0 ) return 1;
    while( ++iFirst<p->nRange && p->aRange[iFirst].iStep==p->aRange[iFirst-1].iStep ){}
    if( iFirst<p->nRange ) irunStartStep(p, iFirst);
  }
  return 0;
}

int kvIndexRunOpen(KvIndexRun *p, KvStore *pStore, const char *zName){
  KV_ASSERT( !p->bOpen );
  p->bOpen = (u8)kvIndexOpen(pStore, zName, &p->snapshot);
  return p->bOpen;
}

int kvIndexRunStart(KvIndexRun *p, const KvIndexQuery *pQuery, int bDesc){
  p->pQuery = pQuery;
  p->bDesc = (u8)bDesc;
  irunRanges(p);
  if( p->nRange>0 ) irunStartStep(p, 0);
  return irunSettle(p, 0);
}

int kvIndexRunNext(KvIndexRun *p){
  KvIndexRunRange *pRange = &p->aRange[p->iRange];
  pRange->bRow = (u8)kvIndexScanStep(&pRange->scan);
  return irunSettle(p, irunStepStart(p, p->iRange));
}

void kvIndexRunStop(KvIndexRun *p){
  int i;
  for(i=0; i<KVRUN_RANGES; i++) kvIndexScanStop(&p->aRange[i].scan);
  if( p->bOpen ) kvIndexClose(&p->snapshot);
  p->bOpen = 0;
  p->nRange = 0;
}

void kvIndexRunClear(KvIndexRun *p){
  int i;
  kvIndexRunStop(p);
  for(i=0; i<KVRUN_RANGES; i++) kvIndexScanClear(&p->aRange[i].scan);
}
