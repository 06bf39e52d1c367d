/*
** index_run.c -- reading an index in the order of SQL.  See index_run.h.
*/
#include "sql/index_run.h"
#include "sql/args.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
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

/* An integer of 64 bits with no other between it and a bound. */
static i64 indexRunBoundInt(const KvIndexNumber *p){
  if( p->bInt ) return p->i;
  if( p->r>=9223372036854775808.0 ) return INT64_MAX;
  if( p->r<-9223372036854775808.0 ) return INT64_MIN;
  return (i64)p->r;
}

/* Is the first value that counts behind one that compares to the lower bound like c?
** And the last one not before one that compares to the upper bound so? */
static int indexRunBehindLo(const KvIndexQuery *q, int c){
  return q->bLo && (c<0 || (c==0 && q->bLoStrict));
}
static int indexRunBehindHi(const KvIndexQuery *q, int c){
  return !q->bHi || c<0 || (c==0 && !q->bHiStrict);
}

static void indexRunBigints(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  KvIndexNumber lo = kvIndexNumberInt(q->bLo ? indexRunBoundInt(&q->lo) : INT64_MIN);
  KvIndexNumber hi = kvIndexNumberInt(q->bHi ? indexRunBoundInt(&q->hi) : INT64_MAX);
  KvIndexScan *pScan = indexRunRange(p, 1);
  indexRunPutBigint(&pScan->lo, lo.i, indexRunBehindLo(q, kvIndexNumberCompare(&lo, &q->lo)));
  indexRunPutBigint(&pScan->hi, hi.i, indexRunBehindHi(q, kvIndexNumberCompare(&hi, &q->hi)));
}

#define RUN_INFINITY  (kvBitsToDouble(0x7ff0000000000000u))

/* A double with no other between it and a bound.  0 is both zeros: bAfter takes the
** last one. */
static KvIndexNumber indexRunBoundDouble(const KvIndexNumber *p, int bAfter){
  KvIndexNumber v;
  v.bInt = 0;
  v.i = 0;
  v.r = p->bInt ? (double)p->i : p->r;
  if( v.r==0.0 ) v.r = bAfter ? 0.0 : -0.0;
  return v;
}

static void indexRunNumbers(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  KvIndexNumber lo = { 0, 0, -RUN_INFINITY }, hi = { 0, 0, RUN_INFINITY };
  KvIndexScan *pScan = indexRunRange(p, 1);
  if( q->bLo ) lo = indexRunBoundDouble(&q->lo, q->bLoStrict);
  if( q->bHi ) hi = indexRunBoundDouble(&q->hi, !q->bHiStrict);
  indexRunPutNumber(&pScan->lo, lo.r, indexRunBehindLo(q, kvIndexNumberCompare(&lo, &q->lo)));
  indexRunPutNumber(&pScan->hi, hi.r, indexRunBehindHi(q, kvIndexNumberCompare(&hi, &q->hi)));
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

/* Is a bigint of more than 64 bits, at which a range of step 3 is, within the bounds
** of text?  As text it has other neighbours. */
static int indexRunLong(const KvIndexRun *p, const KvIndexRunRange *pRange){
  const KvIndexBounds *pText = &p->pQuery->text;
  KvBytes ik = kvArgBlob(sqlite3_column_value(pRange->scan.pRow, KVINDEX_COL_IK));
  u32 i = p->snapshot.name.n;
  KvPart part;
  KvBuf digits, text;
  int bWithin;
  if( (!pText->bLo && !pText->bHi) || kvPartRead(ik, &i, &part, 0)!=KV_OK ) return 1;
  kvBufInit(&digits, 0, 0);
  kvBufInit(&text, 0, 0);
  kvPartPrint(&digits, &part);
  kvKeyPutString(&text, kvBytes(digits.a, digits.n ? digits.n-1 : 0));   /* without the n */
  bWithin = !(pText->bLo && kvBytesCompare(kvBufBytes(&text), kvBufBytes(&pText->lo))<0)
         && !(pText->bHi && kvBytesCompare(kvBufBytes(&text), kvBufBytes(&pText->hi))>=0);
  kvErrorBuf(kvStoreError(p->snapshot.pStore), &digits);
  kvErrorBuf(kvStoreError(p->snapshot.pStore), &text);
  kvBufClear(&digits);
  kvBufClear(&text);
  return bWithin;
}

/* To the next row of a range. */
static void indexRunStep(const KvIndexRun *p, KvIndexRunRange *pRange){
  do{
    pRange->bRow = (u8)kvIndexScanStep(&pRange->scan);
  }while( pRange->bRow && pRange->iStep==3 && !indexRunLong(p, pRange) );
}

/* Start the ranges of the step that begins with range i. */
static void indexRunStartStep(KvIndexRun *p, int iFirst){
  int i;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    KvIndexRunRange *pRange = &p->aRange[i];
    pRange->bRow = (u8)kvIndexScanStart(&pRange->scan, &p->snapshot, p->bDesc);
    if( pRange->bRow && pRange->iStep==3 && !indexRunLong(p, pRange) ) indexRunStep(p, pRange);
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

int kvIndexRunStart(KvIndexRun *p, const KvIndexQuery *pQuery, int bDesc, int bKeys){
  p->pQuery = pQuery;
  if( bKeys ) kvIndexKeys(&p->snapshot);
  p->bDesc = (u8)bDesc;
  indexRunRanges(p);
  p->iFirst = 0;
  if( p->nRange>0 ) indexRunStartStep(p, 0);
  return indexRunSettle(p);
}

int kvIndexRunNext(KvIndexRun *p){
  indexRunStep(p, &p->aRange[p->iRange]);
  return indexRunSettle(p);
}

u32 kvIndexRunLeap(KvIndexRun *p){
  if( p->aRange[p->iRange].iStep==3 || !p->snapshot.bKeys || p->bDesc ) return 0;
  return kvIndexScanLeap(&p->aRange[p->iRange].scan);
}

int kvIndexRunLand(KvIndexRun *p, u32 nAhead){
  return kvIndexScanLand(&p->aRange[p->iRange].scan, nAhead);
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
