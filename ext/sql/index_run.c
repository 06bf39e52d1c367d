/*
** index_run.c -- reading an index in the order of SQL.  See index_run.h.
*/
#include "sql/index_run.h"
#include "sql/args.h"
#include "codec/key/key_bytes.h"
#include "store/store.h"

/* ---- from bounds to ranges -------------------------------------------------- */

/* One more range; both its bounds are yet to get a stored part. */
static KvIndexScan *indexRunRange(KvIndexRun *p, int iStep){
  KvIndexRunRange *pRange = &p->aRange[p->nRange++];
  KV_ASSERT( p->nRange<=KVRUN_RANGES );
  pRange->iStep = iStep;
  pRange->bRow = 0;
  kvBufReset(&pRange->scan.lo);
  kvBufAdd(&pRange->scan.lo, kvBufBytes(&p->snapshot.name));
  kvBufReset(&pRange->scan.hi);
  kvBufAdd(&pRange->scan.hi, kvBufBytes(&p->snapshot.name));
  return &pRange->scan;
}

/* A range of one type, KVP_xxx, between bounds as far as there are any. */
static void indexRunType(KvIndexRun *p, int iStep, int eType, const KvIndexBounds *pBounds){
  KvIndexScan *pScan = indexRunRange(p, iStep);
  KvBytes lo, hi;
  kvPartRange(eType, &lo, &hi);
  kvBufAdd(&pScan->lo, pBounds->bLo ? kvBufBytes(&pBounds->lo) : lo);
  kvBufAdd(&pScan->hi, pBounds->bHi ? kvBufBytes(&pBounds->hi) : hi);
}

/* The part of an integer of 64 bits, as a bigint; bBehind: a bound behind it. */
static void indexRunPutBigint(KvBuf *pOut, i64 v, int bBehind){
  kvKeyPutBigint64(pOut, v<0, v<0 ? 0-(u64)v : (u64)v);
  if( bBehind ) kvBufPut(pOut, 0xff);
}

static void indexRunPutNumber(KvBuf *pOut, double r, int bBehind){
  kvKeyPutNumber(pOut, r);
  if( bBehind ) kvBufPut(pOut, 0xff);
}

/* The integer next to a bound, on its outer side; *pbNone: there is none. */
static i64 indexRunBoundInt(const KvIndexNumber *p, int bLow, int *pbNone){
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

static void indexRunBigints(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  KvIndexScan *pScan;
  int bNone = 0;
  i64 iLo = q->bLo ? indexRunBoundInt(&q->lo, 1, &bNone) : INT64_MIN;
  i64 iHi = q->bHi ? indexRunBoundInt(&q->hi, 0, &bNone) : INT64_MAX;
  if( bNone || iLo>iHi ) return;
  if( q->bEqual && !q->lo.bInt && kvIndexNumberMixed(iLo, q->lo.r)!=0 ) return;
  pScan = indexRunRange(p, 1);
  indexRunPutBigint(&pScan->lo, iLo, q->bLo && q->bLoStrict && q->lo.bInt);
  indexRunPutBigint(&pScan->hi, iHi, !(q->bHi && q->bHiStrict && q->hi.bInt));
}

/* The double of a bound.  An integer that is none is widened outwards: SQLite
** compares once more.  0 is both zeros. */
static double indexRunBoundDouble(const KvIndexNumber *p, int bLow, int bInner, int *pbExact){
  double r = p->bInt ? (double)p->i : p->r;
  *pbExact = 1;
  if( p->bInt && kvIndexNumberMixed(p->i, r)!=0 ){
    *pbExact = 0;
    r = bLow ? r - 2048.0 : r + 2048.0;
  }
  if( r==0.0 ) r = (bLow ? !bInner : bInner) ? -0.0 : 0.0;
  return r;
}

#define RUN_INFINITY  (kvBitsToDouble(0x7ff0000000000000u))

static void indexRunNumbers(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  KvIndexScan *pScan;
  int bLoExact = 1, bHiExact = 1;
  double rLo = -RUN_INFINITY, rHi = RUN_INFINITY;
  if( q->bLo ) rLo = indexRunBoundDouble(&q->lo, 1, q->bLoStrict, &bLoExact);
  if( q->bHi ) rHi = indexRunBoundDouble(&q->hi, 0, q->bHiStrict, &bHiExact);
  if( q->bEqual && !bLoExact ) return;
  pScan = indexRunRange(p, 1);
  indexRunPutNumber(&pScan->lo, rLo, q->bLoStrict && bLoExact);
  indexRunPutNumber(&pScan->hi, rHi, !(q->bHiStrict && bHiExact));
}

static int indexRunWithin(const KvIndexQuery *q, i64 i){
  KvIndexNumber v = kvIndexNumberInt(i);
  return !(q->bLo && kvIndexNumberCompare(&v, &q->lo)<q->bLoStrict)
      && !(q->bHi && kvIndexNumberCompare(&v, &q->hi)>-q->bHiStrict);
}

static void indexRunBooleans(KvIndexRun *p){
  KvIndexScan *pScan;
  int bFalse = indexRunWithin(p->pQuery, 0);
  int bTrue = indexRunWithin(p->pQuery, 1);
  if( !bFalse && !bTrue ) return;
  pScan = indexRunRange(p, 1);
  kvKeyPutBool(&pScan->lo, !bFalse);
  kvKeyPutBool(&pScan->hi, bTrue);
  kvBufPut(&pScan->hi, 0xff);
}

/* NaN: NULL in SQL. */
static void indexRunNaNs(KvIndexRun *p){
  KvIndexScan *pBefore = indexRunRange(p, 0), *pBehind = indexRunRange(p, 0);
  KvBytes lo, hi;
  kvPartRange(KVP_NUMBER, &lo, &hi);
  kvBufAdd(&pBefore->lo, lo);
  indexRunPutNumber(&pBefore->hi, -RUN_INFINITY, 0);
  indexRunPutNumber(&pBehind->lo, RUN_INFINITY, 1);
  kvBufAdd(&pBehind->hi, hi);
}

/* Text: strings, and bigints beyond 64 bits. */
static void indexRunTexts(KvIndexRun *p){
  KvIndexScan *pBefore, *pBehind;
  KvBytes lo, hi;
  indexRunType(p, 2, KVP_STRING, &p->pQuery->text);
  if( p->pQuery->bStrings ) return;
  pBefore = indexRunRange(p, 3);
  pBehind = indexRunRange(p, 3);
  kvPartRange(KVP_BIGINT, &lo, &hi);
  kvBufAdd(&pBefore->lo, lo);
  indexRunPutBigint(&pBefore->hi, INT64_MIN, 0);
  indexRunPutBigint(&pBehind->lo, INT64_MAX, 1);
  kvBufAdd(&pBehind->hi, hi);
}

/* The one part that a typed value stands for. */
static void indexRunExact(KvIndexRun *p){
  KvIndexScan *pScan;
  KvBytes part;
  u32 i = 0;
  if( !kvListNext(&p->pQuery->exact, &i, &part) ) return;
  pScan = indexRunRange(p, 1);
  kvBufAdd(&pScan->lo, part);
  kvBufAdd(&pScan->hi, part);
  kvBufPut(&pScan->hi, 0xff);
}

/* All ranges, in the order of their steps. */
static void indexRunRanges(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  int i, n;
  p->nRange = 0;
  if( q->bNone ) return;
  if( q->bExact ){
    indexRunExact(p);
    return;
  }
  if( q->bAny ) indexRunNaNs(p);
  if( q->bNumeric ){
    indexRunBigints(p);
    indexRunNumbers(p);
    indexRunBooleans(p);
  }
  if( q->bText ) indexRunTexts(p);
  if( q->bBlob ) indexRunType(p, 4, KVP_BYTES, &q->blob);
  n = p->nRange;
  for(i=0; p->bDesc && i<n/2; i++){
    KvIndexRunRange t = p->aRange[i];
    p->aRange[i] = p->aRange[n-1-i];
    p->aRange[n-1-i] = t;
  }
}

/* ---- the run --------------------------------------------------------------- */

/* The indexed value of a row of step 1. */
static KvIndexNumber indexRunNumber(const KvIndexRun *p, const KvIndexRunRange *pRange){
  KvBytes ik = kvArgBlob(sqlite3_column_value(pRange->scan.pRow, KVINDEX_COL_IK));
  u32 i = p->snapshot.name.n;
  KvIndexNumber v = kvIndexNumberInt(0);
  KvPart part;
  if( kvPartRead(ik, &i, &part, 0)!=KV_OK ) return v;
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
static int indexRunCompare(const KvIndexRun *p, int iA, int iB){
  KvIndexNumber a = indexRunNumber(p, &p->aRange[iA]);
  KvIndexNumber b = indexRunNumber(p, &p->aRange[iB]);
  return kvIndexNumberCompare(&a, &b);
}

/* Start the ranges of the step that begins with range i. */
static void indexRunStartStep(KvIndexRun *p, int iFirst){
  int i;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    p->aRange[i].bRow = (u8)kvIndexScanStart(&p->aRange[i].scan, &p->snapshot, p->bDesc);
  }
}

/* Of the ranges of the current step, which stands on the next row?  -1: none.
** Only those of step 1 have to be compared; the others follow one another. */
static int indexRunBest(KvIndexRun *p, int iFirst){
  int i, iBest = -1;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    if( !p->aRange[i].bRow ) continue;
    if( iBest>=0 && p->aRange[i].iStep==1 ){
      int c = indexRunCompare(p, i, iBest);
      if( p->bDesc ? c>0 : c<0 ) iBest = i;
    }else if( iBest<0 ){
      iBest = i;
    }
  }
  return iBest;
}

/* To the next row, from the current step on. */
static int indexRunSettle(KvIndexRun *p){
  while( p->iFirst<p->nRange && !kvFailed(kvStoreError(p->snapshot.pStore)) ){
    int i = p->iFirst;
    p->iRange = indexRunBest(p, i);
    if( p->iRange>=0 ) return 1;
    while( ++i<p->nRange && p->aRange[i].iStep==p->aRange[i-1].iStep ){}
    p->iFirst = i;
    if( i<p->nRange ) indexRunStartStep(p, i);
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
  indexRunRanges(p);
  p->iFirst = 0;
  if( p->nRange>0 ) indexRunStartStep(p, 0);
  return indexRunSettle(p);
}

int kvIndexRunNext(KvIndexRun *p){
  KvIndexRunRange *pRange = &p->aRange[p->iRange];
  pRange->bRow = (u8)kvIndexScanStep(&pRange->scan);
  return indexRunSettle(p);
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
