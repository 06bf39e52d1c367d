/*
** ranges.c -- from queries for key parts to ranges of keys.  See ranges.h.
*/
#include "sql/range/ranges.h"
#include "bytes/memory.h"
#include "codec/key/key_bytes.h"
#include <stdlib.h>

void kvRangesReset(KvRanges *p){
  p->n = p->nBase = 0;
  kvBufReset(&p->bytes);
}

void kvRangesClear(KvRanges *p){
  kvFree(p->a);
  kvBufClear(&p->bytes);
  kvListClear(&p->bases);
  kvListClear(&p->parts);
  kvListClear(&p->next);
  memset(p, 0, sizeof(*p));
}

/* The first step of several. */
#define RANGES_SEVERAL 10

/* ---- a range ------------------------------------------------------------------ */

/* Begin one more range: append its lower bound to the buffer that is returned, which has the
** base; then rangesHi(), and its upper bound; then rangesEnd(). */
static KvBuf *rangesLo(KvRanges *p, int iStep){
  KvSpan *aNew = kvReserve(p->a, &p->nAlloc, (u64)p->n + 1, sizeof(*aNew));
  if( aNew==0 ){
    p->bytes.eErr = KV_NOMEM;
    return &p->bytes;
  }
  p->a = aNew;
  aNew += p->n;
  aNew->iStep = iStep;
  aNew->nBase = p->base.n;
  aNew->iLo = p->bytes.n;
  kvBufAdd(&p->bytes, p->base);
  return &p->bytes;
}

static KvBuf *rangesHi(KvRanges *p){
  KvSpan *pRange = &p->a[p->n];
  if( p->bytes.eErr ) return &p->bytes;
  pRange->nLo = p->bytes.n - pRange->iLo;
  pRange->iHi = p->bytes.n;
  kvBufAdd(&p->bytes, p->base);
  return &p->bytes;
}

static void rangesEnd(KvRanges *p){
  KvSpan *pRange = &p->a[p->n];
  if( p->bytes.eErr ) return;
  pRange->nHi = p->bytes.n - pRange->iHi;
  p->n++;
}

/* The same with bounds that are known. */
static void rangesBetween(KvRanges *p, int iStep, KvBytes lo, KvBytes hi){
  kvBufAdd(rangesLo(p, iStep), lo);
  kvBufAdd(rangesHi(p), hi);
  rangesEnd(p);
}

/* What begins with a part. */
static void rangesPart(KvRanges *p, int iStep, KvBytes part){
  kvBufAdd(rangesLo(p, iStep), part);
  kvBufAdd(rangesHi(p), part);
  kvBufPut(&p->bytes, 0xff);
  rangesEnd(p);
}

void kvRangesBelow(KvRanges *p, KvBytes begin, KvError *pError){
  kvRangesReset(p);
  p->pError = pError;
  p->base = kvBytes(0, 0);
  rangesPart(p, RANGES_SEVERAL, begin);
  kvErrorBuf(pError, &p->bytes);
}

void kvRangesPoint(KvRanges *p, KvBytes key){
  p->base = key;
  rangesBetween(p, 0, kvBytes("", 0), kvBytes("\0", 1));
}

int kvRangesIsPoint(const KvRanges *p, u32 i){
  KvBytes lo = kvRangesLo(p, i), hi = kvRangesHi(p, i);
  return hi.n==lo.n+1 && hi.p[lo.n]==0 && kvBytesBegins(hi, lo);
}

/* ---- from bounds to ranges -------------------------------------------------- */

/* A range of one type, KVP_xxx, between bounds as far as there are any. */
static void rangesType(KvRanges *p, int iStep, int eType, const KvIndexBounds *pBounds){
  KvBytes lo, hi;
  kvPartRange(eType, &lo, &hi);
  rangesBetween(p, iStep, pBounds->bLo ? kvBufBytes(&pBounds->lo) : lo,
                pBounds->bHi ? kvBufBytes(&pBounds->hi) : hi);
}

/* The part of an integer of 64 bits, as a bigint; bBehind: a bound after it. */
static void rangesPutBigint(KvBuf *pOut, i64 v, int bBehind){
  kvKeyPutBigint64(pOut, v<0, v<0 ? 0-(u64)v : (u64)v);
  if( bBehind ) kvBufPut(pOut, 0xff);
}

static void rangesPutNumber(KvBuf *pOut, double r, int bBehind){
  kvKeyPutNumber(pOut, r);
  if( bBehind ) kvBufPut(pOut, 0xff);
}

/* An integer of 64 bits with no other between it and a bound. */
static i64 rangesBoundInt(const KvIndexNumber *p){
  if( p->bInt ) return p->i;
  if( p->r>=9223372036854775808.0 ) return INT64_MAX;
  if( p->r<-9223372036854775808.0 ) return INT64_MIN;
  return (i64)p->r;
}

/* Is the first value that counts after one that compares to the lower bound like c?
** And the last one not before one that compares to the upper bound so? */
static int rangesBehindLo(const KvIndexQuery *q, int c){
  return q->bLo && (c<0 || (c==0 && q->bLoStrict));
}
static int rangesBehindHi(const KvIndexQuery *q, int c){
  return !q->bHi || c<0 || (c==0 && !q->bHiStrict);
}

static void rangesBigints(KvRanges *p){
  const KvIndexQuery *q = p->pQuery;
  KvIndexNumber lo = kvIndexNumberInt(q->bLo ? rangesBoundInt(&q->lo) : INT64_MIN);
  KvIndexNumber hi = kvIndexNumberInt(q->bHi ? rangesBoundInt(&q->hi) : INT64_MAX);
  int bLo = rangesBehindLo(q, kvIndexNumberCompare(&lo, &q->lo));
  rangesPutBigint(rangesLo(p, 1), lo.i, bLo);
  rangesPutBigint(rangesHi(p), hi.i, rangesBehindHi(q, kvIndexNumberCompare(&hi, &q->hi)));
  rangesEnd(p);
}

#define RANGES_INFINITY  (kvBitsToDouble(0x7ff0000000000000u))

/* A double with no other between it and a bound.  0 is both zeros: bAfter takes the
** last one. */
static KvIndexNumber rangesBoundDouble(const KvIndexNumber *p, int bAfter){
  KvIndexNumber v;
  v.bInt = 0;
  v.i = 0;
  v.r = p->bInt ? (double)p->i : p->r;
  if( v.r==0.0 ) v.r = bAfter ? 0.0 : -0.0;
  return v;
}

static void rangesNumbers(KvRanges *p){
  const KvIndexQuery *q = p->pQuery;
  KvIndexNumber lo = { 0, 0, -RANGES_INFINITY }, hi = { 0, 0, RANGES_INFINITY };
  if( q->bLo ) lo = rangesBoundDouble(&q->lo, q->bLoStrict);
  if( q->bHi ) hi = rangesBoundDouble(&q->hi, !q->bHiStrict);
  rangesPutNumber(rangesLo(p, 1), lo.r, rangesBehindLo(q, kvIndexNumberCompare(&lo, &q->lo)));
  rangesPutNumber(rangesHi(p), hi.r, rangesBehindHi(q, kvIndexNumberCompare(&hi, &q->hi)));
  rangesEnd(p);
}

static int rangesWithin(const KvIndexQuery *q, i64 i){
  KvIndexNumber v = kvIndexNumberInt(i);
  return !(q->bLo && kvIndexNumberCompare(&v, &q->lo)<q->bLoStrict)
      && !(q->bHi && kvIndexNumberCompare(&v, &q->hi)>-q->bHiStrict);
}

static void rangesBooleans(KvRanges *p){
  int bFalse = rangesWithin(p->pQuery, 0);
  int bTrue = rangesWithin(p->pQuery, 1);
  if( !bFalse && !bTrue ) return;
  kvKeyPutBool(rangesLo(p, 1), !bFalse);
  kvKeyPutBool(rangesHi(p), bTrue);
  kvBufPut(&p->bytes, 0xff);
  rangesEnd(p);
}

/* NaN: NULL in SQL. */
static void rangesNaNs(KvRanges *p){
  KvBytes lo, hi;
  kvPartRange(KVP_NUMBER, &lo, &hi);
  kvBufAdd(rangesLo(p, 0), lo);
  rangesPutNumber(rangesHi(p), -RANGES_INFINITY, 0);
  rangesEnd(p);
  rangesPutNumber(rangesLo(p, 0), RANGES_INFINITY, 1);
  kvBufAdd(rangesHi(p), hi);
  rangesEnd(p);
}

/* Bigints beyond 64 bits. */
static void rangesLong(KvRanges *p){
  KvBytes lo, hi;
  kvPartRange(KVP_BIGINT, &lo, &hi);
  kvBufAdd(rangesLo(p, 3), lo);
  rangesPutBigint(rangesHi(p), INT64_MIN, 0);
  rangesEnd(p);
  rangesPutBigint(rangesLo(p, 3), INT64_MAX, 1);
  kvBufAdd(rangesHi(p), hi);
  rangesEnd(p);
}

/* The parts that are asked for: all of one value in SQL, or a Date and its text, numbers
** first; or of several, each a step of its own. */
static void rangesExact(KvRanges *p){
  const KvIndexQuery *q = p->pQuery;
  KvBytes part;
  u32 i = 0;
  int iStep = RANGES_SEVERAL;
  while( kvListNext(&q->exact, &i, &part) ){
    KvPart content;
    u32 n = 0;
    memset(&content, 0, sizeof(content));
    kvPartRead(part, &n, &content, 0);
    rangesPart(p, q->bSeveral ? iStep++
        : content.eType==KVP_STRING || content.eType==KVP_BYTES ? 2 : 1, part);
  }
}

/* The ranges of a union, one after another. */
static void rangesUnion(KvRanges *p){
  KvBytes lo, hi;
  u32 i = 0;
  int iStep = RANGES_SEVERAL;
  while( kvListNext(&p->pQuery->exact, &i, &lo) && kvListNext(&p->pQuery->exact, &i, &hi) ){
    rangesBetween(p, iStep++, lo, hi);
  }
}

/* The ranges of a base, in the order of their steps. */
static void rangesOf(KvRanges *p){
  const KvIndexQuery *q = p->pQuery;
  if( q->bNone ) return;
  if( q->bRanges ){
    rangesUnion(p);
    return;
  }
  if( q->bExact ){
    rangesExact(p);
    return;
  }
  if( q->bAny && (q->mPart & KVPARTS_NAN) ) rangesNaNs(p);
  if( q->bNumeric ){
    if( q->mPart & KVPARTS_BIGINT ) rangesBigints(p);
    if( q->mPart & KVPARTS_NUMBER ) rangesNumbers(p);
    if( q->mPart & KVPARTS_BOOL ) rangesBooleans(p);
  }
  if( q->bText ){
    if( q->mPart & KVPARTS_STRING ) rangesType(p, 2, KVP_STRING, &q->text);
    if( q->mPart & KVPARTS_LONG ) rangesLong(p);
  }
  if( q->bBlob ) rangesType(p, 4, KVP_BYTES, &q->blob);
}

/* ---- several parts ------------------------------------------------------------- */

/* The list that was made is that of the bases. */
static void rangesNext(KvRanges *p){
  KvList old = p->bases;
  kvErrorBuf(p->pError, &p->next.bytes);
  kvErrorBuf(p->pError, &old.bytes);
  p->bases = p->next;
  p->next = old;
}

/* Make one list of bases of another one and the parts that may come next. */
static void rangesExtend(KvRanges *p){
  KvList *pOut = &p->next;
  KvBytes base, part;
  u32 i = 0;
  kvListReset(pOut);
  while( kvListNext(&p->bases, &i, &base) ){
    u32 k = 0;
    while( kvListNext(&p->parts, &k, &part) ){
      u32 iBegin = kvListBegin(pOut);
      kvBufAdd(&pOut->bytes, base);
      kvBufAdd(&pOut->bytes, part);
      kvListEnd(pOut, iBegin);
    }
  }
  kvErrorBuf(p->pError, &p->parts.bytes);
  rangesNext(p);
}

/* Make a list of bases from another one and the values that a query gives. */
static void rangesFind(KvRanges *p, KvRangesFind *xFind, void *pFind){
  u32 i = 0, k;
  kvListReset(&p->next);
  while( kvListNext(&p->bases, &i, &p->base) ){
    kvRangesReset(p);
    rangesOf(p);
    kvErrorBuf(p->pError, &p->bytes);
    for(k=0; k<p->n && !kvFailed(p->pError); k++){
      xFind(pFind, kvRangesLo(p, k), kvRangesHi(p, k), p->a[k].nBase, &p->next);
    }
  }
  kvRangesReset(p);
  rangesNext(p);
}

static int rangesStep(const void *pA, const void *pB){
  const KvSpan *a = pA, *b = pB;
  if( a->iStep!=b->iStep ) return a->iStep<b->iStep ? -1 : 1;
  return a->iLo<b->iLo ? -1 : a->iLo>b->iLo;
}

static int rangesStepDown(const void *pA, const void *pB){
  return rangesStep(pB, pA);
}

void kvRangesMake(
  KvRanges *p, KvBytes name, const KvIndexQuery *aQuery, u32 nQuery, int eEnd, int bDesc,
  KvRangesFind *xFind, void *pFind, KvError *pError
){
  const KvIndexQuery *pEnd = aQuery + nQuery - (eEnd==KVRANGES_OPEN);
  u32 i = 0;
  kvRangesReset(p);
  p->pError = pError;
  kvListReset(&p->bases);
  kvListAdd(&p->bases, name);
  for(p->pQuery=aQuery; p->pQuery<pEnd && !kvFailed(pError); p->pQuery++){
    kvListReset(&p->parts);
    if( kvIndexQueryParts(p->pQuery, &p->parts) ) rangesExtend(p);
    else if( p->pQuery->bFind ) rangesFind(p, xFind, pFind);
    else break;
  }
  if( p->pQuery==aQuery + nQuery ) p->pQuery = 0;
  for(; kvListNext(&p->bases, &i, &p->base); p->nBase++){
    if( p->pQuery ) rangesOf(p);
    else if( eEnd==KVRANGES_END ) rangesBetween(p, 0, kvBytes("", 0), kvBytes("\0", 1));
    else rangesBetween(p, 0, kvBytes("\0", 1), kvBytes("\xff", 1));
  }
  kvErrorBuf(pError, &p->bases.bytes);
  kvErrorBuf(pError, &p->bytes);
  if( kvFailed(pError) ) kvRangesReset(p);
  if( p->n>1 && (bDesc || p->nBase>1) ){
    qsort(p->a, p->n, sizeof(*p->a), bDesc ? rangesStepDown : rangesStep);
  }
}

/* ---- in the order of keys --------------------------------------------------------- */

/* A range that is known by its bounds. */
typedef struct RangesBounds RangesBounds;
struct RangesBounds {
  KvBytes lo, hi;
};

static int rangesLower(const void *pA, const void *pB){
  return kvBytesCompare(((const RangesBounds*)pA)->lo, ((const RangesBounds*)pB)->lo);
}

/* Sort n of them, and make one of those that overlap.  Returns how many are left. */
static u32 rangesMerge(RangesBounds *a, u32 n){
  u32 i, k = 0;
  if( n>1 ) qsort(a, n, sizeof(*a), rangesLower);
  for(i=1; i<n; i++){
    if( kvBytesCompare(a[i].lo, a[k].hi)>=0 ) a[++k] = a[i];
    else if( kvBytesCompare(a[i].hi, a[k].hi)>0 ) a[k].hi = a[i].hi;
  }
  return n ? k + 1 : 0;
}

void kvRangesByKey(KvRanges *p){
  RangesBounds *a;
  KvRanges old = *p;
  u32 i, n = p->n;
  if( n<2 || kvFailed(p->pError) ) return;
  a = sqlite3_malloc64((u64)n*sizeof(*a));
  if( a==0 ){
    kvErrorCode(p->pError, SQLITE_NOMEM);
    return;
  }
  for(i=0; i<n; i++){
    a[i].lo = kvRangesLo(p, i);
    a[i].hi = kvRangesHi(p, i);
  }
  n = rangesMerge(a, n);
  memset(&p->bytes, 0, sizeof(p->bytes));
  p->n = 0;
  p->base = kvBytes(0, 0);
  for(i=0; i<n; i++) rangesBetween(p, 0, a[i].lo, a[i].hi);
  kvErrorBuf(p->pError, &p->bytes);
  kvBufClear(&old.bytes);
  sqlite3_free(a);
}

/* ---- one of several values ---------------------------------------------------------- */

void kvRangesOne(KvRangesSet *pSet, KvRanges *p, const KvIndexQuery *pQuery, KvError *pError){
  u32 i;
  if( !kvIndexQueryParts(pQuery, &pSet->parts) ) pSet->bBounds = 1;
  kvRangesReset(p);
  p->pQuery = pQuery;
  p->pError = pError;
  p->base = kvBytes("", 0);
  rangesOf(p);
  kvErrorBuf(pError, &p->bytes);
  for(i=0; i<p->n && !kvFailed(pError); i++){
    kvListAdd(&pSet->bounds, kvRangesLo(p, i));
    kvListAdd(&pSet->bounds, kvRangesHi(p, i));
  }
  kvRangesReset(p);
}

void kvRangesUnion(KvIndexQuery *pQuery, KvRangesSet *pSet, KvError *pError){
  RangesBounds *a, one;
  u32 i = 0, k, n = 0;
  kvListReset(&pQuery->exact);
  kvErrorBuf(pError, &pSet->bounds.bytes);
  kvErrorBuf(pError, &pSet->parts.bytes);
  pQuery->bAny = 0;
  if( kvFailed(pError) ) return;
  if( !pSet->bBounds ){
    kvListSort(&pSet->parts);
    while( kvListNext(&pSet->parts, &i, &one.lo) ) kvListAdd(&pQuery->exact, one.lo);
    kvErrorBuf(pError, &pSet->parts.bytes);
    kvErrorBuf(pError, &pQuery->exact.bytes);
    pQuery->bExact = pQuery->bSeveral = 1;
    return;
  }
  while( kvListNext(&pSet->bounds, &i, &one.lo) && kvListNext(&pSet->bounds, &i, &one.hi) ) n++;
  a = sqlite3_malloc64(((u64)n + 1)*sizeof(*a));
  if( a==0 ) kvErrorCode(pError, SQLITE_NOMEM);
  for(i=k=0; a && kvListNext(&pSet->bounds, &i, &a[k].lo)
      && kvListNext(&pSet->bounds, &i, &a[k].hi); k++){}
  n = a ? rangesMerge(a, n) : 0;
  for(i=0; i<n; i++){
    kvListAdd(&pQuery->exact, a[i].lo);
    kvListAdd(&pQuery->exact, a[i].hi);
  }
  sqlite3_free(a);
  kvErrorBuf(pError, &pQuery->exact.bytes);
  pQuery->bRanges = 1;
}
