/*
** index_run.c -- reading an index in the order of SQL.  See index_run.h.
*/
#include "sql/index_run.h"
#include "sql/args.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "store/store.h"
#include <stdlib.h>

/* ---- from bounds to ranges -------------------------------------------------- */

/* One more range; both its bounds are yet to get a stored part. */
static KvIndexScan *indexRunRange(KvIndexRun *p, int iStep){
  KvIndexRunRange *pRange = &p->aRange[p->nRange++];
  KV_ASSERT( p->nRange<=p->nRoom );
  pRange->iStep = iStep;
  pRange->nBase = p->base.n;
  pRange->bRow = 0;
  kvBufReset(&pRange->scan.lo);
  kvBufAdd(&pRange->scan.lo, p->base);
  kvBufReset(&pRange->scan.hi);
  kvBufAdd(&pRange->scan.hi, p->base);
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

/* The part of an integer of 64 bits, as a bigint; bBehind: a bound after it. */
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

/* Is the first value that counts after one that compares to the lower bound like c?
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

/* Bigints beyond 64 bits. */
static void indexRunLongs(KvIndexRun *p){
  KvIndexScan *pBefore = indexRunRange(p, 3), *pBehind = indexRunRange(p, 3);
  KvBytes lo, hi;
  kvPartRange(KVP_BIGINT, &lo, &hi);
  kvBufAdd(&pBefore->lo, lo);
  indexRunPutBigint(&pBefore->hi, INT64_MIN, 0);
  indexRunPutBigint(&pBehind->lo, INT64_MAX, 1);
  kvBufAdd(&pBehind->hi, hi);
}

/* Text: strings, and bigints beyond 64 bits. */
static void indexRunTexts(KvIndexRun *p){
  indexRunType(p, 2, KVP_STRING, &p->pQuery->text);
  if( !p->pQuery->bStrings ) indexRunLongs(p);
}

/* Make room for the ranges of a query. */
static int indexRunRoom(KvIndexRun *p){
  int n = p->nRoom ? 2*p->nRoom : KVRUN_RANGES;
  KvIndexRunRange *aNew;
  if( p->nRange+KVRUN_RANGES<=p->nRoom ) return 1;
  aNew = sqlite3_realloc64(p->aRange, (u64)n*sizeof(*aNew));
  if( aNew==0 ){
    kvErrorCode(kvStoreError(p->snapshot.pStore), SQLITE_NOMEM);
    return 0;
  }
  memset(&aNew[p->nRoom], 0, (size_t)(n - p->nRoom)*sizeof(*aNew));
  p->aRange = aNew;
  p->nRoom = n;
  return 1;
}

/* The parts that are asked for, all of one value in SQL, or a Date and its text: numbers
** first. */
static void indexRunExact(KvIndexRun *p){
  KvBytes part;
  u32 i = 0;
  while( indexRunRoom(p) && kvListNext(&p->pQuery->exact, &i, &part) ){
    KvIndexScan *pScan;
    KvPart content;
    u32 n = 0;
    memset(&content, 0, sizeof(content));
    kvPartRead(part, &n, &content, 0);
    pScan = indexRunRange(p, content.eType==KVP_STRING || content.eType==KVP_BYTES ? 2 : 1);
    kvBufAdd(&pScan->lo, part);
    kvBufAdd(&pScan->hi, part);
    kvBufPut(&pScan->hi, 0xff);
  }
}

/* The ranges of a union, one after another. */
#define RUN_UNION 10
static void indexRunUnion(KvIndexRun *p){
  KvBytes lo, hi;
  u32 i = 0;
  int iStep = RUN_UNION;
  while( indexRunRoom(p) && kvListNext(&p->pQuery->exact, &i, &lo)
      && kvListNext(&p->pQuery->exact, &i, &hi)
  ){
    KvIndexScan *pScan = indexRunRange(p, iStep++);
    kvBufAdd(&pScan->lo, lo);
    kvBufAdd(&pScan->hi, hi);
  }
}

/* The ranges of a base, in the order of their steps. */
static void indexRunRanges(KvIndexRun *p){
  const KvIndexQuery *q = p->pQuery;
  if( q->bNone || !indexRunRoom(p) ) return;
  if( q->bRanges ){
    indexRunUnion(p);
    return;
  }
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
}

void kvIndexRunBounds(KvIndexRun *p, const KvIndexQuery *pQuery, KvList *pOut){
  int i;
  p->pQuery = pQuery;
  p->base = kvBytes("", 0);
  p->nRange = 0;
  indexRunRanges(p);
  for(i=0; i<p->nRange; i++){
    kvListAdd(pOut, kvBufBytes(&p->aRange[i].scan.lo));
    kvListAdd(pOut, kvBufBytes(&p->aRange[i].scan.hi));
  }
  p->nRange = 0;
}

/* A range of a union. */
typedef struct RunBounds RunBounds;
struct RunBounds {
  KvBytes lo, hi;
};
static int indexRunLower(const void *pA, const void *pB){
  return kvBytesCompare(((const RunBounds*)pA)->lo, ((const RunBounds*)pB)->lo);
}

void kvIndexRunUnion(KvIndexQuery *pQuery, KvList *pBounds, KvError *pError){
  RunBounds *a, one;
  u32 i = 0, k, n = 0;
  kvListReset(&pQuery->exact);
  while( kvListNext(pBounds, &i, &one.lo) && kvListNext(pBounds, &i, &one.hi) ) n++;
  a = sqlite3_malloc64(((u64)n + 1)*sizeof(*a));
  if( a==0 ) kvErrorCode(pError, SQLITE_NOMEM);
  for(i=k=0; a && kvListNext(pBounds, &i, &a[k].lo) && kvListNext(pBounds, &i, &a[k].hi); k++){}
  if( a && n>1 ) qsort(a, n, sizeof(*a), indexRunLower);
  for(i=0; a && i<n; i=k){
    for(k=i+1; k<n && kvBytesCompare(a[k].lo, a[i].hi)<=0; k++){
      if( kvBytesCompare(a[k].hi, a[i].hi)>0 ) a[i].hi = a[k].hi;
    }
    kvListAdd(&pQuery->exact, a[i].lo);
    kvListAdd(&pQuery->exact, a[i].hi);
  }
  sqlite3_free(a);
  kvErrorBuf(pError, &pBounds->bytes);
  kvErrorBuf(pError, &pQuery->exact.bytes);
  pQuery->bRanges = 1;
  pQuery->bAny = 0;
}

/* Put them in the order of their steps, or in the opposite one. */
static void indexRunSort(KvIndexRun *p){
  int i, k;
  for(i=1; i<p->nRange; i++){
    KvIndexRunRange t = p->aRange[i];
    for(k=i; k>0; k--){
      const KvIndexRunRange *pBefore = &p->aRange[k-1];
      if( p->bDesc ? pBefore->iStep>t.iStep : pBefore->iStep<=t.iStep ) break;
      p->aRange[k] = *pBefore;
    }
    p->aRange[k] = t;
  }
}

/* Make one list of bases of another one and the parts that may come next. */
static void indexRunExtend(KvList *pBases, const KvList *pParts, KvError *pError){
  KvList out = { { 0 } };
  KvBytes base, part;
  u32 i = 0;
  while( kvListNext(pBases, &i, &base) ){
    u32 k = 0;
    while( kvListNext(pParts, &k, &part) ){
      u32 iBegin = kvListBegin(&out);
      kvBufAdd(&out.bytes, base);
      kvBufAdd(&out.bytes, part);
      kvListEnd(&out, iBegin);
    }
  }
  kvErrorBuf(pError, &out.bytes);
  kvErrorBuf(pError, &pParts->bytes);
  kvErrorBuf(pError, &pBases->bytes);
  kvListClear(pBases);
  *pBases = out;
}

/* Add the values of a range that there are, each after the base. */
static void indexRunValues(KvIndexRun *p, KvIndexRunRange *pRange, KvList *pOut){
  KvError *pError = kvStoreError(p->snapshot.pStore);
  KvIndexScan *pScan = &pRange->scan;
  KvBuf behind;
  kvBufInit(&behind, 0, 0);
  while( !kvFailed(pError) && kvIndexScanStart(pScan, &p->snapshot, 0) ){
    KvBytes ik = kvArgBlob(sqlite3_column_value(pScan->pRow, KVINDEX_COL_IK));
    u32 n = pRange->nBase;
    KvPart part;
    if( kvPartRead(ik, &n, &part, 0)!=KV_OK ) break;
    kvListAdd(pOut, kvBytes(ik.p, n));
    kvBufReset(&behind);
    kvBufAppend(&behind, ik.p, n);
    kvBufPut(&behind, 0xff);
    kvErrorBuf(pError, &behind);
    kvIndexScanStop(pScan);
    kvBufReset(&pScan->lo);
    kvBufAdd(&pScan->lo, kvBufBytes(&behind));
  }
  kvIndexScanStop(pScan);
  kvBufClear(&behind);
}

/* Make a list of bases of another one and the values of a query that are there. */
static void indexRunFind(KvIndexRun *p){
  KvError *pError = kvStoreError(p->snapshot.pStore);
  KvList out = { { 0 } };
  u32 i = 0;
  int k;
  while( kvListNext(&p->bases, &i, &p->base) ){
    p->nRange = 0;
    indexRunRanges(p);
    for(k=0; k<p->nRange; k++) indexRunValues(p, &p->aRange[k], &out);
  }
  p->nRange = 0;
  kvErrorBuf(pError, &p->bases.bytes);
  kvErrorBuf(pError, &out.bytes);
  kvListClear(&p->bases);
  p->bases = out;
}

/* The bases, and the query of which the ranges are. */
static void indexRunBases(KvIndexRun *p, const KvIndexQuery *aQuery, u32 nQuery){
  KvError *pError = kvStoreError(p->snapshot.pStore);
  KvList parts = { { 0 } };
  kvListReset(&p->bases);
  kvListAdd(&p->bases, kvBufBytes(&p->snapshot.name));
  for(p->pQuery=aQuery; p->pQuery+1<aQuery+nQuery; p->pQuery++){
    if( p->pQuery->bFind ){
      indexRunFind(p);
      continue;
    }
    kvListReset(&parts);
    if( !kvIndexQueryParts(p->pQuery, &parts) ) break;
    indexRunExtend(&p->bases, &parts, pError);
  }
  kvErrorBuf(pError, &p->bases.bytes);
  kvListClear(&parts);
}

/* ---- the run --------------------------------------------------------------- */

/* The indexed value of a row of step 1. */
static KvIndexNumber indexRunNumber(const KvIndexRunRange *pRange){
  KvBytes ik = kvArgBlob(sqlite3_column_value(pRange->scan.pRow, KVINDEX_COL_IK));
  u32 i = pRange->nBase;
  KvPart part;
  return kvPartRead(ik, &i, &part, 0)==KV_OK ? kvIndexNumberOf(&part) : kvIndexNumberInt(0);
}

/* The stored part of the indexed value of a row, and what is after it. */
static KvBytes indexRunPart(const KvIndexRunRange *pRange){
  KvBytes ik = kvArgBlob(sqlite3_column_value(pRange->scan.pRow, KVINDEX_COL_IK));
  return kvBytesFrom(ik, pRange->nBase);
}

/* Compare the indexed values of the rows on which two ranges of a step are. */
static int indexRunCompare(const KvIndexRun *p, int iA, int iB){
  const KvIndexRunRange *pA = &p->aRange[iA], *pB = &p->aRange[iB];
  KvIndexNumber a, b;
  if( pA->iStep!=1 ) return kvBytesCompare(indexRunPart(pA), indexRunPart(pB));
  a = indexRunNumber(pA);
  b = indexRunNumber(pB);
  return kvIndexNumberCompare(&a, &b);
}

/* Is a bigint of more than 64 bits, at which a range of step 3 is, within the bounds
** of text?  As text it has other neighbours. */
static int indexRunLong(const KvIndexRun *p, const KvIndexRunRange *pRange){
  const KvIndexBounds *pText = &p->pQuery->text;
  KvBytes ik = kvArgBlob(sqlite3_column_value(pRange->scan.pRow, KVINDEX_COL_IK));
  u32 i = pRange->nBase;
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
** Of one base only those of step 1 have to be compared; the others follow one another. */
static int indexRunBest(KvIndexRun *p, int iFirst){
  int i, iBest = -1, bMany = p->nBase>1;
  for(i=iFirst; i<p->nRange && p->aRange[i].iStep==p->aRange[iFirst].iStep; i++){
    if( !p->aRange[i].bRow ) continue;
    if( iBest>=0 && (bMany || p->aRange[i].iStep==1) ){
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

int kvIndexRunStart(
  KvIndexRun *p, const KvIndexQuery *aQuery, u32 nQuery, int bDesc, int bKeys
){
  u32 i = 0;
  if( bKeys ) kvIndexKeys(&p->snapshot);
  p->bDesc = (u8)bDesc;
  p->iFirst = p->nRange = p->nBase = 0;
  if( nQuery==1 ){
    p->pQuery = aQuery;
    p->base = kvBufBytes(&p->snapshot.name);
    indexRunRanges(p);
  }else{
    indexRunBases(p, aQuery, nQuery);
    for(; kvListNext(&p->bases, &i, &p->base); p->nBase++) indexRunRanges(p);
  }
  if( bDesc || p->nBase>1 ) indexRunSort(p);
  if( p->nRange>0 ) indexRunStartStep(p, 0);
  return indexRunSettle(p);
}

int kvIndexRunShows(KvIndexRun *p, u32 i){
  u32 mKind = p->snapshot.mKind>>(KVKIND_BITS*i);
  int k, bRow = 0;
  if( mKind & KVKIND_DATE ) return 0;
  if( (mKind & KVKIND_OTHER)==0 ) return 1;
  if( p->snapshot.nPath>1 || !indexRunRoom(p) ) return 0;
  p->base = kvBufBytes(&p->snapshot.name);
  p->nRange = 0;
  indexRunLongs(p);
  for(k=0; k<p->nRange; k++){
    bRow = bRow || kvIndexScanStart(&p->aRange[k].scan, &p->snapshot, 0);
    kvIndexScanStop(&p->aRange[k].scan);
  }
  p->nRange = 0;
  return !bRow;
}

int kvIndexRunLeft(KvIndexRun *p){
  KvIndexScan *pScan;
  int i;
  for(i=0; i<p->nRange; i++) kvIndexScanStop(&p->aRange[i].scan);
  p->iFirst = p->nRange = p->nBase = 0;
  p->bDesc = 0;
  p->base = kvBufBytes(&p->snapshot.name);
  if( !indexRunRoom(p) ) return 0;
  pScan = indexRunRange(p, RUN_UNION);
  kvBufPut(&pScan->lo, KV_TAG_LEFT);
  kvBufPut(&pScan->hi, KV_TAG_LEFT + 1);
  indexRunStartStep(p, 0);
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
  for(i=0; i<p->nRoom; i++) kvIndexScanStop(&p->aRange[i].scan);
  if( p->bOpen ) kvIndexClose(&p->snapshot);
  p->bOpen = 0;
  p->nRange = 0;
}

void kvIndexRunClear(KvIndexRun *p){
  int i;
  kvIndexRunStop(p);
  for(i=0; i<p->nRoom; i++) kvIndexScanClear(&p->aRange[i].scan);
  sqlite3_free(p->aRange);
  kvListClear(&p->bases);
  p->aRange = 0;
  p->nRoom = 0;
}
