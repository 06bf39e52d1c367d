/*
** vtab_entries_range.c -- which stored keys a query of kv_entries asks for: the
** constraints that xFilter gets become two bounds or a list of points.
*/
#include "sql/vtab_entries.h"
SQLITE_EXTENSION_INIT3
#include "sql/codec_error.h"
#include "sql/args.h"
#include "codec/key/key_parse.h"
#include "codec/key/cursor.h"
#include <stdlib.h>

void kvRangeInit(KvRange *p){
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->lo, 0, 0);
  kvBufInit(&p->hi, 0, 0);
  kvBufInit(&p->points, 0, 0);
  kvBufInit(&p->common, 0, 0);
  kvBufInit(&p->prefix, 0, 0);
}

void kvRangeClear(KvRange *p){
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
  kvBufClear(&p->points);
  kvBufClear(&p->common);
  kvBufClear(&p->prefix);
  sqlite3_free(p->aPoint);
}

void kvRangeReset(KvRange *p){
  kvBufReset(&p->lo);
  kvBufReset(&p->hi);
  kvBufReset(&p->points);
  kvBufReset(&p->common);
  kvBufReset(&p->prefix);
  p->nPoint = 0;
  p->bUpper = p->bNone = p->bPrefix = 0;
}

u64 kvRangeMemory(const KvRange *p){
  return (u64)p->lo.nAlloc + p->hi.nAlloc + p->points.nAlloc + p->nPointAlloc*sizeof(KvPoint);
}

/* Raise the lower bound to the bytes (and a zero byte: behind them). */
static void entriesRangeRaise(KvRange *p, KvBytes bound, int bBehind){
  KvBuf *pLo = &p->lo;
  int c = kvBytesCompare(bound, kvBufBytes(pLo));
  if( c<0 || (c==0 && !bBehind) ) return;
  kvBufReset(pLo);
  kvBufAdd(pLo, bound);
  if( bBehind ) kvBufPut(pLo, 0);
}

/* Lower the upper bound to the bytes followed, if cMore>=0, by one byte. */
static void entriesRangeLower(KvRange *p, KvBytes bound, int cMore){
  KvBuf *pHi = &p->hi;
  u32 nOld = pHi->n;
  kvBufAdd(pHi, bound);                /* behind the old bound, to compare */
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
#define RNG_IS_KEY     0  /* It is one: its stored bytes were appended */
#define RNG_IS_AFTER   1  /* It sorts after every key */
#define RNG_IS_BEFORE  2  /* It sorts before every key */
#define RNG_IS_NULL    3  /* It compares with nothing */

/*
** The stored bytes of a value that the column key is compared with.  In a
** table whose key is TEXT a number that is a literal or a parameter would be
** compared as its text, but a number from another column as a number, which
** sorts before all text.  (That of an expression, too, as its text; it can't be
** told from a column's here and is taken for one.)
*/
static int entriesRangeOperand(sqlite3_value *pVal, int bLiteral, KvBuf *pOut, int *peIs){
  const char *z;
  int rc;
  u32 nOld = pOut->n;
  *peIs = RNG_IS_NULL;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ) return SQLITE_OK;
  *peIs = RNG_IS_BEFORE;
  if( sqlite3_value_type(pVal)<=SQLITE_FLOAT && !bLiteral && !sqlite3_value_frombind(pVal) ){
    return SQLITE_OK;                  /* INTEGER or FLOAT */
  }
  *peIs = RNG_IS_AFTER;
  if( sqlite3_value_type(pVal)==SQLITE_BLOB ) return SQLITE_OK;
  z = (const char*)sqlite3_value_text(pVal);
  if( z==0 ) return SQLITE_NOMEM;
  rc = kvKeyParse(kvBytes(z, (u32)sqlite3_value_bytes(pVal)), KVKEY_MALFORMED, pOut, 0, 0);
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  if( rc==KV_TOOBIG ) return SQLITE_TOOBIG;
  if( rc==KV_OK ){
    *peIs = RNG_IS_KEY;
  }else{
    pOut->n = nOld;
  }
  return SQLITE_OK;
}

/* Add the point that a value names, if it names one. */
static int entriesRangeAddPoint(KvRange *p, sqlite3_value *pVal){
  u32 iKey = p->points.n;
  int eIs;
  int rc = entriesRangeOperand(pVal, 1, &p->points, &eIs);
  if( rc!=SQLITE_OK || eIs!=RNG_IS_KEY ) return rc;
  if( p->nPoint>=p->nPointAlloc ){
    u32 nNew = p->nPointAlloc*2 + 8;
    KvPoint *aNew = sqlite3_realloc64(p->aPoint, (u64)nNew*sizeof(KvPoint));
    if( aNew==0 ) return SQLITE_NOMEM;
    p->aPoint = aNew;
    p->nPointAlloc = nNew;
  }
  p->aPoint[p->nPoint].iKey = iKey;
  p->aPoint[p->nPoint].key.n = p->points.n - iKey;
  p->nPoint++;
  return SQLITE_OK;
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
    if( kvBytesCompare(a[i].key, kvBufBytes(&p->lo))<0 ) continue;
    if( p->bUpper && kvBytesCompare(a[i].key, kvBufBytes(&p->hi))>=0 ) continue;
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
static int entriesRangePointArgs(KvRange *p, int mPlan, sqlite3_value *pVal){
  sqlite3_value *pOne = 0;
  int rc;
  if( mPlan & ENT_PLAN_EQ ) return entriesRangeAddPoint(p, pVal);
  for(rc=sqlite3_vtab_in_first(pVal, &pOne); rc==SQLITE_OK && pOne;
      rc=sqlite3_vtab_in_next(pVal, &pOne)
  ){
    rc = entriesRangeAddPoint(p, pOne);
    if( rc!=SQLITE_OK ) return rc;
  }
  return rc==SQLITE_DONE ? SQLITE_OK : rc;
}

/* key >, >=, <, <= */
static int entriesRangeBoundArg(KvRange *p, int iOp, int mPlan, sqlite3_value *pVal){
  u8 aSpace[512];
  KvBuf key;
  int eIs;
  int rc;
  int bLower = (iOp & (ENT_PLAN_GT|ENT_PLAN_GE))!=0;
  int bLiteral = (mPlan & iOp*(ENT_PLAN_LITERAL/ENT_PLAN_GT))!=0;
  kvBufInit(&key, aSpace, sizeof(aSpace));
  rc = entriesRangeOperand(pVal, bLiteral, &key, &eIs);
  if( rc==SQLITE_OK ){
    if( eIs==RNG_IS_NULL || eIs==(bLower ? RNG_IS_AFTER : RNG_IS_BEFORE) ){
      p->bNone = 1;
    }else if( eIs==RNG_IS_KEY ){
      if( bLower ){
        entriesRangeRaise(p, kvBufBytes(&key), iOp==ENT_PLAN_GT);
      }else{
        entriesRangeLower(p, kvBufBytes(&key), iOp==ENT_PLAN_LE ? 0 : -1);
      }
    }
  }
  kvBufClear(&key);
  return rc;
}

/* prefix =: the keys strictly under it. */
static int entriesRangePrefixArg(KvRange *p, sqlite3_value *pVal, char **pzErr){
  KvErr err;
  kvBufReset(&p->common);
  kvBufReset(&p->prefix);
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    p->bNone = 1;
    return SQLITE_OK;
  }
  if( kvArgKey(pVal, 0, &p->common, 0, &err)!=KV_OK ){
    return kvCodecError("prefix", &err, pzErr);
  }
  if( kvArgCopyText(pVal, &p->prefix)!=KV_OK ) return SQLITE_NOMEM;
  p->bPrefix = 1;
  entriesRangeRaise(p, kvBufBytes(&p->common), 1);
  if( p->common.n>0 ) entriesRangeLower(p, kvBufBytes(&p->common), 0xff);
  return SQLITE_OK;
}

/*
** What Deno leaves out of the cursors of a list with start and end: the bytes
** that both have in common.
*/
static void entriesRangeCommon(KvRange *p){
  u32 n = 0;
  while( n<p->lo.n && n<p->hi.n && p->lo.a[n]==p->hi.a[n] ) n++;
  kvBufAppend(&p->common, p->lo.a, n);
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
  }else if( pCommon->n && kvBytesEqual(kvBufBytes(&p->lo), kvBufBytes(pCommon)) ){
    p->bNone = 1;
  }
}

/* A cursor that resumes before or after all that the conditions select. */
static int entriesRangeOutOfBounds(const char *zWhere, char **pzErr){
  *pzErr = sqlite3_mprintf("kv: cursor: out of bounds: it resumes %s what the conditions on key and prefix "
      "select; pass it with those that it was read with", zWhere);
  return SQLITE_ERROR;
}

/* Resume after a key.  bUpper: there is a condition key < or <=.  (No cursor is
** outside of a prefix alone.) */
static int entriesRangeResume(KvRange *p, int bDesc, int bUpper, KvBuf *pKey, char **pzErr){
  const KvBuf *pLo = &p->lo, *pHi = &p->hi;
  if( !bDesc ) kvBufPut(pKey, 0);
  if( pKey->eErr!=KV_OK ) return SQLITE_NOMEM;
  if( bDesc ){
    if( bUpper && p->bUpper && kvBytesCompare(kvBufBytes(pKey), kvBufBytes(pHi))>0 ){
      return entriesRangeOutOfBounds("after", pzErr);
    }
    entriesRangeLower(p, kvBufBytes(pKey), -1);
  }else{
    if( kvBytesCompare(kvBufBytes(pKey), kvBufBytes(pLo))<0 ) return entriesRangeOutOfBounds("before", pzErr);
    entriesRangeRaise(p, kvBufBytes(pKey), 0);
  }
  return SQLITE_OK;
}

/* cursor =: resume after the key that it stands for. */
static int entriesRangeCursorArg(KvRange *p, int bDesc, int bUpper, sqlite3_value *pVal, char **pzErr){
  u8 aSpace[512];
  KvBuf key;
  KvErr err;
  const char *z;
  int rc = SQLITE_OK;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    p->bNone = 1;
    return SQLITE_OK;
  }
  z = (const char*)sqlite3_value_text(pVal);
  if( z==0 ) return SQLITE_NOMEM;
  if( z[0]==0 ){
    entriesRangeEmptyCursor(p, bDesc);
    return SQLITE_OK;
  }
  kvBufInit(&key, aSpace, sizeof(aSpace));
  kvBufAdd(&key, kvBufBytes(&p->common));
  if( kvCursorParse(&key, kvBytes(z, (u32)sqlite3_value_bytes(pVal)), &err)!=KV_OK ){
    rc = kvCodecError("cursor", &err, pzErr);
  }else{
    rc = entriesRangeResume(p, bDesc, bUpper, &key, pzErr);
  }
  kvBufClear(&key);
  return rc;
}

/* Argument i of aArg[], which has those of a plan by the number of their bits. */
static int entriesRangeBound(KvRange *p, int i, int mPlan, sqlite3_value **aArg){
  return aArg[i] ? entriesRangeBoundArg(p, 1<<i, mPlan, aArg[i]) : SQLITE_OK;
}

/* All that makes bounds.  (Deno's start and end are >= and <, and make the common
** bytes without > and <=.)  apMore: further prefixes. */
static int entriesRangeBounds(
  KvRange *p, int mPlan, sqlite3_value **aArg, sqlite3_value **apMore, int nMore, char **pzErr
){
  int i, rc = entriesRangeBound(p, 3, mPlan, aArg);
  if( rc==SQLITE_OK ) rc = entriesRangeBound(p, 4, mPlan, aArg);
  if( rc==SQLITE_OK && aArg[6] ) rc = entriesRangePrefixArg(p, aArg[6], pzErr);
  for(i=0; rc==SQLITE_OK && i<nMore; i++) rc = entriesRangePrefixArg(p, apMore[i], pzErr);
  if( rc==SQLITE_OK && !p->bPrefix && aArg[3] && aArg[4] && p->bUpper ) entriesRangeCommon(p);
  if( rc==SQLITE_OK ) rc = entriesRangeBound(p, 2, mPlan, aArg);
  if( rc==SQLITE_OK ) rc = entriesRangeBound(p, 5, mPlan, aArg);
  if( rc==SQLITE_OK && aArg[7] ){
    rc = entriesRangeCursorArg(p, (mPlan & ENT_PLAN_DESC)!=0, aArg[4] || aArg[5], aArg[7], pzErr);
  }
  if( p->lo.eErr || p->hi.eErr || p->common.eErr || p->prefix.eErr ) return SQLITE_NOMEM;
  return rc;
}

int kvRangeArgs(KvRange *p, int mPlan, int nArg, sqlite3_value **apArg, i64 *pnOffset, char **pzErr){
  const int mPoints = ENT_PLAN_EQ|ENT_PLAN_IN;
  sqlite3_value *aArg[ENT_PLAN_NARG] = { 0 };
  int mArg = mPlan & ((1<<ENT_PLAN_NARG)-1);
  int i, iArg = 0, rc = SQLITE_OK;
  for(i=0; mArg>>i; i++){
    if( mArg & (1<<i) ) aArg[i] = apArg[iArg++];
  }
  KV_ASSERT( iArg<=nArg );
  if( aArg[8] ) *pnOffset = sqlite3_value_int64(aArg[8]);
  if( mArg & ~mPoints ) rc = entriesRangeBounds(p, mPlan, aArg, &apArg[iArg], nArg-iArg, pzErr);
  if( rc==SQLITE_OK && (mPlan & mPoints) ){
    rc = entriesRangePointArgs(p, mPlan, aArg[0] ? aArg[0] : aArg[1]);
    if( rc==SQLITE_OK ) entriesRangeSortPoints(p, (mPlan & ENT_PLAN_DESC)!=0);
    if( p->nPoint==0 ) p->bNone = 1;
  }
  if( p->bUpper && kvBytesCompare(kvBufBytes(&p->lo), kvBufBytes(&p->hi))>=0 ) p->bNone = 1;
  return rc;
}
