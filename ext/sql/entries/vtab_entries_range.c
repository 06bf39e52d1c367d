/*
** vtab_entries_range.c -- which stored keys a query of kv_entries asks for: the
** constraints that xFilter gets become two bounds or a list of points.
*/
#include "sql/entries/vtab_entries_range.h"
#include "sql/entries/vtab_entries_plan.h"
#include "sql/args.h"
#include "codec/key/key_parse.h"
#include "codec/key/cursor.h"
#include <stdlib.h>

/* Raise the lower bound to the bytes (and a zero byte: after them). */
static void entriesRangeRaise(KvRange *p, KvBytes bound, int bBehind){
  KvBuf *pLo = &p->scan.lo;
  int c = kvBytesCompare(bound, kvBufBytes(pLo));
  if( c<0 || (c==0 && !bBehind) ) return;
  kvBufReset(pLo);
  kvBufAdd(pLo, bound);
  if( bBehind ) kvBufPut(pLo, 0);
}

/* Lower the upper bound to the bytes followed, if cMore>=0, by one byte. */
static void entriesRangeLower(KvRange *p, KvBytes bound, int cMore){
  KvBuf *pHi = &p->scan.hi;
  u32 nOld = pHi->n;
  kvBufAdd(pHi, bound);                /* after the old bound, to compare */
  if( cMore>=0 ) kvBufPut(pHi, (u8)cMore);
  if( pHi->eErr!=KV_OK ) return;
  if( p->bUpper && kvBytesCompare(kvBytesFrom(kvBufBytes(pHi), nOld), kvBytes(pHi->a, nOld))>=0 ){
    pHi->n = nOld;
  }else{
    memmove(pHi->a, &pHi->a[nOld], pHi->n-nOld);
    pHi->n -= nOld;
  }
  p->bUpper = 1;
}

/* How a value compares with keys. */
#define RANGE_IS_KEY     0  /* It is one: its stored bytes were appended */
#define RANGE_IS_AFTER   1  /* It sorts after every key */
#define RANGE_IS_BEFORE  2  /* It sorts before every key */
#define RANGE_IS_NULL    3  /* It compares with nothing */

/*
** The stored bytes of a value that the column key is compared with.  In a
** table whose key is TEXT a number that is a literal or a parameter would be
** compared as its text, but a number from another column as a number, which
** sorts before all text.  (That of an expression, too, as its text; it can't be
** distinguished from a column's here and is taken for one.)
*/
static int entriesRangeOperand(sqlite3_value *pVal, int bLiteral, KvBuf *pOut){
  int eType = sqlite3_value_type(pVal);
  KvBytes text;
  u32 nOld = pOut->n;
  int rc;
  if( eType==SQLITE_NULL ) return RANGE_IS_NULL;
  if( eType<=SQLITE_FLOAT && !bLiteral && !sqlite3_value_frombind(pVal) ) return RANGE_IS_BEFORE;
  if( eType==SQLITE_BLOB ) return RANGE_IS_AFTER;
  text = kvArgText(pVal);
  if( text.p==0 ){
    pOut->eErr = KV_NOMEM;
    return RANGE_IS_NULL;
  }
  rc = kvKeyParse(text, KVKEY_MALFORMED, pOut, 0, 0);
  if( rc==KV_OK ) return RANGE_IS_KEY;
  if( rc==KV_NOMEM || rc==KV_TOOBIG ) pOut->eErr = (u8)rc;
  else pOut->n = nOld;
  return RANGE_IS_AFTER;
}

/* Add the point that a value names, if it names one. */
static void entriesRangeAddPoint(KvRange *p, sqlite3_value *pVal){
  u32 iKey = p->points.n;
  KvPoint *aNew;
  if( entriesRangeOperand(pVal, 1, &p->points)!=RANGE_IS_KEY ) return;
  aNew = kvReserve(p->aPoint, &p->nPointAlloc, p->nPoint + 1, sizeof(KvPoint));
  if( aNew==0 ){
    p->points.eErr = KV_NOMEM;
    return;
  }
  p->aPoint = aNew;
  p->aPoint[p->nPoint].iKey = iKey;
  p->aPoint[p->nPoint].key.n = p->points.n - iKey;
  p->nPoint++;
}

static int entriesRangeComparePoints(const void *pA, const void *pB){
  const KvPoint *a = pA, *b = pB;
  return kvBytesCompare(a->key, b->key);
}

/* Sort the points, drop what occurs twice or lies outside of the bounds. */
static void entriesRangeSortPoints(KvRange *p, int bDesc){
  u32 i, n = 0;
  KvPoint *a = p->aPoint;
  /* Points may be empty, all of them: then there are no bytes at all. */
  for(i=0; i<p->nPoint; i++) a[i].key.p = a[i].key.n ? &p->points.a[a[i].iKey] : 0;
  if( p->nPoint>1 ) qsort(a, p->nPoint, sizeof(KvPoint), entriesRangeComparePoints);
  for(i=0; i<p->nPoint; i++){
    if( n>0 && entriesRangeComparePoints(&a[n-1], &a[i])==0 ) continue;
    if( kvBytesCompare(a[i].key, kvBufBytes(&p->scan.lo))<0 ) continue;
    if( p->bUpper && kvBytesCompare(a[i].key, kvBufBytes(&p->scan.hi))>=0 ) continue;
    a[n++] = a[i];
  }
  p->nPoint = n;
  for(i=0; bDesc && i<n/2; i++){
    KvPoint t = a[i];
    a[i] = a[n-1-i];
    a[n-1-i] = t;
  }
}

/* key =, key IN */
static void entriesRangePointArgs(KvRange *p, int mPlan, sqlite3_value *pVal, KvError *pError){
  sqlite3_value *pOne = 0;
  int rc;
  if( mPlan & ENTRIES_PLAN(EQ) ){
    entriesRangeAddPoint(p, pVal);
    return;
  }
  for(rc=sqlite3_vtab_in_first(pVal, &pOne); rc==SQLITE_OK && pOne;
      rc=sqlite3_vtab_in_next(pVal, &pOne)
  ){
    entriesRangeAddPoint(p, pOne);
  }
  if( rc!=SQLITE_DONE ) kvErrorCode(pError, rc);
}

/* key >, >=, <, <=: argument iArg of the plan, if present. */
static void entriesRangeBoundArg(
  KvRange *p, int iArg, int mPlan, sqlite3_value **aArg, KvError *pError
){
  u8 aSpace[512];
  KvBuf key;
  int eIs;
  int bLower = iArg==ENTRIES_ARG_GT || iArg==ENTRIES_ARG_GE;
  int bLiteral = (mPlan & (ENTRIES_PLAN_LITERAL<<(iArg-ENTRIES_ARG_GT)))!=0;
  if( aArg[iArg]==0 ) return;
  kvBufInit(&key, aSpace, sizeof(aSpace));
  eIs = entriesRangeOperand(aArg[iArg], bLiteral, &key);
  kvErrorBuf(pError, &key);
  if( eIs==RANGE_IS_NULL || eIs==(bLower ? RANGE_IS_AFTER : RANGE_IS_BEFORE) ){
    p->bNone = 1;
  }else if( eIs==RANGE_IS_KEY && bLower ){
    entriesRangeRaise(p, kvBufBytes(&key), iArg==ENTRIES_ARG_GT);
  }else if( eIs==RANGE_IS_KEY ){
    entriesRangeLower(p, kvBufBytes(&key), iArg==ENTRIES_ARG_LE ? 0 : -1);
  }
  kvBufClear(&key);
}

/* prefix =: the keys strictly under it. */
static void entriesRangePrefixArg(KvRange *p, sqlite3_value *pVal, KvError *pError){
  KvErr err;
  kvBufReset(&p->common);
  kvBufReset(&p->prefix);
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    p->bNone = 1;
    return;
  }
  if( kvArgKey(pVal, 0, &p->common, 0, &err)!=KV_OK ) kvErrorCodec(pError, "prefix", &err);
  kvArgCopyText(pVal, &p->prefix, pError);
  kvErrorBuf(pError, &p->common);
  p->bPrefix = 1;
  entriesRangeRaise(p, kvBufBytes(&p->common), 1);
  if( p->common.n>0 ) entriesRangeLower(p, kvBufBytes(&p->common), 0xff);
}

/*
** What Deno leaves out of the cursors of a list with start and end: the bytes
** that both have in common.
*/
static void entriesRangeCommon(KvRange *p){
  u32 n = 0;
  while( n<p->scan.lo.n && n<p->scan.hi.n && p->scan.lo.a[n]==p->scan.hi.a[n] ) n++;
  kvBufAppend(&p->common, p->scan.lo.a, n);
}

/*
** The empty cursor.  It is that of the entry whose key is the common bytes, if
** that is the lower bound: then all of a list that runs backwards has been shown.
** Elsewhere no entry has it, and it begins at the beginning, as in Deno.
*/
static void entriesRangeEmptyCursor(KvRange *p, int bDesc){
  const KvBuf *pCommon = &p->common;
  if( !bDesc ){
    entriesRangeRaise(p, kvBufBytes(pCommon), 1);
  }else if( pCommon->n && kvBytesEqual(kvBufBytes(&p->scan.lo), kvBufBytes(pCommon)) ){
    p->bNone = 1;
  }
}

/* A cursor that resumes before or after all that the conditions select. */
static void entriesRangeOutOfBounds(KvError *pError, const char *zWhere){
  kvError(pError, SQLITE_ERROR, "kv: cursor: out of bounds: it resumes %s the range of "
      "the conditions on key and prefix; use the conditions that it was read with", zWhere);
}

/* Resume after a key.  bUpper: there is a condition key < or <=.  (No cursor is
** outside of a prefix alone.) */
static void entriesRangeResume(KvRange *p, int bDesc, int bUpper, KvBytes key, KvError *pError){
  if( bDesc ){
    if( bUpper && p->bUpper && kvBytesCompare(key, kvBufBytes(&p->scan.hi))>0 ){
      entriesRangeOutOfBounds(pError, "after");
    }
    entriesRangeLower(p, key, -1);
  }else{
    if( kvBytesCompare(key, kvBufBytes(&p->scan.lo))<0 ) entriesRangeOutOfBounds(pError, "before");
    entriesRangeRaise(p, key, 0);
  }
}

/* cursor =: resume after the key that it encodes. */
static void entriesRangeCursorArg(
  KvRange *p, int bDesc, int bUpper, sqlite3_value *pVal, KvError *pError
){
  u8 aSpace[512];
  KvBuf key;
  KvErr err;
  const char *z;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    p->bNone = 1;
    return;
  }
  z = (const char*)sqlite3_value_text(pVal);
  if( z==0 ){
    kvErrorCode(pError, SQLITE_NOMEM);
  }else if( z[0]==0 ){
    entriesRangeEmptyCursor(p, bDesc);
  }else{
    kvBufInit(&key, aSpace, sizeof(aSpace));
    kvBufAdd(&key, kvBufBytes(&p->common));
    if( kvCursorParse(&key, kvBytes(z, (u32)sqlite3_value_bytes(pVal)), &err)!=KV_OK ){
      kvErrorCodec(pError, "cursor", &err);
    }
    if( !bDesc ) kvBufPut(&key, 0);
    kvErrorBuf(pError, &key);
    if( !kvFailed(pError) ) entriesRangeResume(p, bDesc, bUpper, kvBufBytes(&key), pError);
    kvBufClear(&key);
  }
}

/* All that makes bounds, of the arguments by the number of their bits, and further
** prefixes apMore[].  (Deno's start and end are >= and <, and make the common bytes
** without > and <=.) */
static void entriesRangeBounds(
  KvRange *p, int mPlan, sqlite3_value **aArg, sqlite3_value **apMore, int nMore, KvError *pError
){
  int i, bDesc = (mPlan & ENTRIES_PLAN_DESC)!=0;
  int bUpper = aArg[ENTRIES_ARG_LT] || aArg[ENTRIES_ARG_LE];
  entriesRangeBoundArg(p, ENTRIES_ARG_GE, mPlan, aArg, pError);
  entriesRangeBoundArg(p, ENTRIES_ARG_LT, mPlan, aArg, pError);
  if( aArg[ENTRIES_ARG_PREFIX] ) entriesRangePrefixArg(p, aArg[ENTRIES_ARG_PREFIX], pError);
  for(i=0; i<nMore; i++) entriesRangePrefixArg(p, apMore[i], pError);
  if( !p->bPrefix && p->bUpper && aArg[ENTRIES_ARG_GE] && aArg[ENTRIES_ARG_LT] ){
    entriesRangeCommon(p);
  }
  entriesRangeBoundArg(p, ENTRIES_ARG_GT, mPlan, aArg, pError);
  entriesRangeBoundArg(p, ENTRIES_ARG_LE, mPlan, aArg, pError);
  if( aArg[ENTRIES_ARG_CURSOR] ){
    entriesRangeCursorArg(p, bDesc, bUpper, aArg[ENTRIES_ARG_CURSOR], pError);
  }
  kvErrorBuf(pError, &p->scan.lo);
  kvErrorBuf(pError, &p->scan.hi);
  kvErrorBuf(pError, &p->common);
}

i64 kvRangeArgs(KvRange *p, int mPlan, sqlite3_value **apArg, int nArg, KvError *pError){
  sqlite3_value *aArg[ENTRIES_ARGS] = { 0 };
  int mArg = mPlan & ((1<<ENTRIES_ARGS)-1);
  sqlite3_value *pPoints;
  int i, iArg = 0;
  for(i=0; mArg>>i; i++){
    if( mArg & (1<<i) ) aArg[i] = apArg[iArg++];
  }
  KV_ASSERT( iArg<=nArg );
  p->pAsOf = aArg[ENTRIES_ARG_AS_OF];
  pPoints = aArg[ENTRIES_ARG_EQ] ? aArg[ENTRIES_ARG_EQ] : aArg[ENTRIES_ARG_IN];
  if( mArg & ~ENTRIES_PLAN_POINTS ){
    entriesRangeBounds(p, mPlan, aArg, &apArg[iArg], nArg-iArg, pError);
  }
  if( pPoints && !kvFailed(pError) ){
    entriesRangePointArgs(p, mPlan, pPoints, pError);
    kvErrorBuf(pError, &p->points);
    if( p->points.eErr==KV_OK ) entriesRangeSortPoints(p, (mPlan & ENTRIES_PLAN_DESC)!=0);
    if( p->nPoint==0 ) p->bNone = 1;
  }
  if( p->bUpper && kvBytesCompare(kvBufBytes(&p->scan.lo), kvBufBytes(&p->scan.hi))>=0 ){
    p->bNone = 1;
  }
  return aArg[ENTRIES_ARG_OFFSET] ? sqlite3_value_int64(aArg[ENTRIES_ARG_OFFSET]) : 0;
}
