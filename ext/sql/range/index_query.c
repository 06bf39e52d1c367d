/*
** index_query.c -- conditions on the values of an index.  See index_query.h.
*/
#include "sql/range/index_query.h"
#include "sql/args.h"
#include "bytes/utf.h"
#include "codec/index_key.h"
#include "codec/key/key_bytes.h"
#include "codec/num/bigint.h"

/* ---- numbers --------------------------------------------------------------- */

/* Compare an integer with a number that is no NaN. */
int kvIndexNumberMixed(i64 i, double r){
  i64 iR;
  if( r<-9223372036854775808.0 ) return 1;
  if( r>=9223372036854775808.0 ) return -1;
  iR = (i64)r;
  if( i!=iR ) return i<iR ? -1 : 1;
  return r-(double)iR>0.0 ? -1 : r-(double)iR<0.0;
}

int kvIndexNumberCompare(const KvIndexNumber *pA, const KvIndexNumber *pB){
  if( pA->bInt && pB->bInt ) return (pA->i>pB->i) - (pA->i<pB->i);
  if( pA->bInt ) return kvIndexNumberMixed(pA->i, pB->r);
  if( pB->bInt ) return -kvIndexNumberMixed(pB->i, pA->r);
  return (pA->r>pB->r) - (pA->r<pB->r);
}

KvIndexNumber kvIndexNumberOf(const KvPart *pPart){
  KvIndexNumber v = kvIndexNumberInt(0);
  if( pPart->eType==KVP_BIGINT ){
    kvPartInt64(pPart, &v.i);
  }else if( pPart->eType==KVP_BOOL ){
    v.i = pPart->r!=0.0;
  }else{
    v.bInt = 0;
    v.r = pPart->r;
  }
  return v;
}

/* ---- from conditions to bounds --------------------------------------------- */

/* Keep the larger (bLow) or smaller of two stored parts. */
static void indexQueryBound(KvIndexQuery *p, int bText, KvBytes part, int bLow){
  KvIndexBounds *pBounds = bText ? &p->text : &p->blob;
  KvBuf *pOld = bLow ? &pBounds->lo : &pBounds->hi;
  u8 *pbOld = bLow ? &pBounds->bLo : &pBounds->bHi;
  int c = kvBytesCompare(kvBufBytes(pOld), part);
  if( *pbOld && (bLow ? c>=0 : c<=0) ) return;
  kvBufReset(pOld);
  kvBufAdd(pOld, part);
  kvErrorBuf(p->pError, pOld);
  *pbOld = 1;
}

/* The stored part of a text or of bytes; bLower: with A to Z as a to z. */
static void indexQueryPart(KvBuf *pOut, int bText, KvBytes content, int bLower){
  u32 n = pOut->n;
  if( bText ) kvKeyPutString(pOut, content);
  else kvKeyPutBytes(pOut, content);
  if( bLower ) kvLower(&pOut->a[n], pOut->n - n);
}

void kvIndexQueryNumber(KvIndexQuery *p, KvIndexNumber v, int bLow, int bStrict){
  KvIndexNumber *pOld = bLow ? &p->lo : &p->hi;
  u8 *pbOld = bLow ? &p->bLo : &p->bHi;
  u8 *pbStrict = bLow ? &p->bLoStrict : &p->bHiStrict;
  int c = *pbOld ? kvIndexNumberCompare(&v, pOld) : 0;
  if( *pbOld && (bLow ? c<0 : c>0) ) return;
  if( *pbOld && c==0 && *pbStrict ) return;
  *pOld = v;
  *pbOld = 1;
  *pbStrict = (u8)bStrict;
}

/* A bound of text or bytes: the part, and in which direction. */
static void indexQueryPartBound(
  KvIndexQuery *p, int bText, KvBytes content, int bLow, int bStrict, int bLower
){
  u8 aSpace[256];
  KvBuf part;
  kvBufInit(&part, aSpace, sizeof(aSpace));
  if( content.n>0 && content.p==0 ) part.eErr = KV_NOMEM;
  else indexQueryPart(&part, bText, content, bLower);
  if( bLow ? bStrict : !bStrict ) kvBufPut(&part, 0xff);    /* after all of it */
  kvErrorBuf(p->pError, &part);
  indexQueryBound(p, bText, kvBufBytes(&part), bLow);
  kvBufClear(&part);
}

static void indexQueryTextBound(KvIndexQuery *p, KvBytes text, int bLow, int bStrict, int bLower){
  p->bAny = 0;
  if( bLow ) p->bNumeric = 0;
  else p->bBlob = 0;
  indexQueryPartBound(p, 1, text, bLow, bStrict, bLower);
}

/* One comparison: in SQL's order numbers come before text before bytes. */
static void indexQueryCompare(
  KvIndexQuery *p, sqlite3_value *pVal, int bLow, int bStrict, int bLower
){
  KvIndexNumber v;
  p->bAny = 0;
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_NULL:
      p->bNone = 1;
      break;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      v.bInt = sqlite3_value_type(pVal)==SQLITE_INTEGER;
      v.i = v.bInt ? sqlite3_value_int64(pVal) : 0;
      v.r = v.bInt ? 0.0 : sqlite3_value_double(pVal);
      kvIndexQueryNumber(p, v, bLow, bStrict);
      if( !bLow ) p->bText = p->bBlob = 0;
      break;
    case SQLITE_TEXT:
      indexQueryTextBound(p, kvArgName(pVal, p->pError), bLow, bStrict, bLower);
      break;
    default:
      if( bLow ) p->bNumeric = p->bText = 0;
      indexQueryPartBound(p, 0, kvArgBlob(pVal), bLow, bStrict, 0);
  }
}

static void indexQueryEqual(KvIndexQuery *p, sqlite3_value *pVal, int bLower){
  int eType = sqlite3_value_type(pVal);
  indexQueryCompare(p, pVal, 1, 0, bLower);
  p->bEqual = 1;
  indexQueryCompare(p, pVal, 0, 0, bLower);
  if( eType!=SQLITE_TEXT ) p->bText = 0;
  if( eType!=SQLITE_BLOB ) p->bBlob = 0;
  if( eType!=SQLITE_INTEGER && eType!=SQLITE_FLOAT ) p->bNumeric = 0;
}

/* Only what begins with a text, or with its bytes. */
static void indexQueryBegins(KvIndexQuery *p, int bText, KvBytes start, int bLower){
  KvBuf part;
  kvBufInit(&part, 0, 0);
  indexQueryPart(&part, bText, start, bLower);
  if( part.n>0 ) part.n--;                       /* without its end */
  indexQueryBound(p, bText, kvBufBytes(&part), 1);
  kvBufPut(&part, 0xff);
  kvErrorBuf(p->pError, &part);
  indexQueryBound(p, bText, kvBufBytes(&part), 0);
  kvBufClear(&part);
}

/*
** GLOB and LIKE: only what begins with the part of the pattern before its
** first special character.  LIKE takes no difference of case, so it narrows
** an index that has none.  A number matches as its text; if the pattern may
** begin as one does, all numbers are looked at.
*/
static void indexQueryPattern(KvIndexQuery *p, sqlite3_value *pVal, int bLike, int bLower){
  KvBytes text = kvArgName(pVal, p->pError);
  const u8 *z = text.p;
  const char *zSpecial = bLike ? "%_" : "*?[";
  u32 n = 0;
  p->bAny = 0;
  if( z==0 ){
    p->bNone = 1;
    return;
  }
  while( n<text.n && z[n] && strchr(zSpecial, z[n])==0 && (!bLike || z[n]<0x80) ) n++;
  if( bLike && !bLower ) return;
  if( n>0 && strchr("0123456789-+IiNn.", z[0])==0 ) p->bNumeric = 0;
  if( n==0 ) return;
  indexQueryBegins(p, 1, kvBytes(z, n), bLike);
  if( !bLike ) indexQueryBegins(p, 0, kvBytes(z, n), 0);
}

void kvIndexQueryClear(KvIndexQuery *p){
  kvBufClear(&p->text.lo);
  kvBufClear(&p->text.hi);
  kvBufClear(&p->blob.lo);
  kvBufClear(&p->blob.hi);
  kvListClear(&p->exact);
  memset(p, 0, sizeof(*p));
}

u32 kvIndexParts(u32 mKind, u32 iPath){
  static const struct { u32 mKind, mPart; } a[] = {
    { KVKIND_STRING, KVPARTS_STRING }, { KVKIND_NUMBER|KVKIND_DATE, KVPARTS_NUMBER },
    { KVKIND_BIGINT, KVPARTS_BIGINT }, { KVKIND_BOOL, KVPARTS_BOOL },
    { KVKIND_BYTES, KVPARTS_BYTES }, { KVKIND_OTHER, KVPARTS_ALL }
  };
  u32 i, m = 0;
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    if( (mKind>>(KVKIND_BITS*iPath)) & a[i].mKind ) m |= a[i].mPart;
  }
  return m;
}

void kvIndexQueryAny(KvIndexQuery *p, u32 mPart, KvError *pError){
  KvIndexBounds text = p->text, blob = p->blob;    /* their memory is kept */
  kvListClear(&p->exact);
  memset(p, 0, sizeof(*p));
  p->text.lo = text.lo;
  p->text.hi = text.hi;
  p->blob.lo = blob.lo;
  p->blob.hi = blob.hi;
  p->pError = pError;
  p->mPart = mPart;
  p->bAny = 1;
  p->bNumeric = (mPart & (KVPARTS_NUMBER|KVPARTS_BIGINT|KVPARTS_BOOL))!=0;
  p->bText = (mPart & (KVPARTS_STRING|KVPARTS_LONG))!=0;
  p->bBlob = (mPart & KVPARTS_BYTES)!=0;
}

void kvIndexQueryCompare(KvIndexQuery *p, int op, sqlite3_value *pVal, int bLower){
  switch( op ){
    case SQLITE_INDEX_CONSTRAINT_EQ:   indexQueryEqual(p, pVal, bLower);          break;
    case SQLITE_INDEX_CONSTRAINT_GT:   indexQueryCompare(p, pVal, 1, 1, bLower);  break;
    case SQLITE_INDEX_CONSTRAINT_GE:   indexQueryCompare(p, pVal, 1, 0, bLower);  break;
    case SQLITE_INDEX_CONSTRAINT_LT:   indexQueryCompare(p, pVal, 0, 1, bLower);  break;
    case SQLITE_INDEX_CONSTRAINT_LE:   indexQueryCompare(p, pVal, 0, 0, bLower);  break;
    case SQLITE_INDEX_CONSTRAINT_GLOB: indexQueryPattern(p, pVal, 0, bLower);     break;
    default:                           indexQueryPattern(p, pVal, 1, bLower);     break;
  }
}

/* ---- the parts that are equal ------------------------------------------------ */

static void indexQueryPutNumber(KvList *pOut, double r){
  u32 iBegin = kvListBegin(pOut);
  kvKeyPutNumber(&pOut->bytes, r);
  kvListEnd(pOut, iBegin);
}

static void indexQueryPutBigint(KvList *pOut, int bNeg, KvBytes magnitude){
  u32 iBegin = kvListBegin(pOut);
  kvKeyPutBigint(&pOut->bytes, bNeg, magnitude);
  kvListEnd(pOut, iBegin);
}

/* Numbers, a bigint and a boolean, if they are equal to both bounds. */
static void indexQueryNumbers(const KvIndexQuery *p, KvList *pOut){
  KvIndexNumber number = p->lo, integer;
  u8 aMag[8];
  if( kvIndexNumberCompare(&p->lo, &p->hi)!=0 || p->bLoStrict || p->bHiStrict ) return;
  if( number.bInt ) number.r = (double)number.i;
  number.bInt = 0;
  if( (p->mPart & KVPARTS_NUMBER) && kvIndexNumberCompare(&number, &p->lo)==0 ){
    indexQueryPutNumber(pOut, number.r);
    if( number.r==0.0 ) indexQueryPutNumber(pOut, -number.r);
  }
  integer = p->lo;
  if( !integer.bInt ){
    if( !(number.r>=-9223372036854775808.0 && number.r<9223372036854775808.0) ) return;
    integer = kvIndexNumberInt((i64)number.r);
    if( kvIndexNumberCompare(&integer, &p->lo)!=0 ) return;
  }
  if( p->mPart & KVPARTS_BIGINT ){
    indexQueryPutBigint(pOut, integer.i<0,
        kvBigMagnitude(integer.i<0 ? 0-(u64)integer.i : (u64)integer.i, aMag));
  }
  if( (p->mPart & KVPARTS_BOOL) && (integer.i==0 || integer.i==1) ){
    u32 iBegin = kvListBegin(pOut);
    kvKeyPutBool(&pOut->bytes, (int)integer.i);
    kvListEnd(pOut, iBegin);
  }
}

/* A string, or bytes, if both bounds are around just one. */
static int indexQuerySame(const KvIndexBounds *p, KvList *pOut){
  KvBytes lo = kvBufBytes(&p->lo), hi = kvBufBytes(&p->hi);
  if( !p->bLo || !p->bHi || hi.n!=lo.n+1 || !kvBytesBegins(hi, lo) ) return 0;
  kvListAdd(pOut, lo);
  return 1;
}

/* A bigint beyond 64 bits is equal to its digits. */
#define INDEX_QUERY_DIGITS 620
static void indexQueryLong(KvBytes part, KvList *pOut){
  KvBytes digits = part.n>2 ? kvBytes(part.p + 1, part.n - 2) : kvBytes(0, 0);
  int bNeg = digits.n>0 && digits.p[0]=='-';
  u8 aMag[kvBigBound(INDEX_QUERY_DIGITS)];
  KvBytes mag;
  i64 v;
  u32 i;
  if( bNeg ) digits = kvBytesFrom(digits, 1);
  if( digits.n<19 || digits.n>INDEX_QUERY_DIGITS || digits.p[0]=='0' ) return;
  for(i=0; i<digits.n; i++){
    if( digits.p[i]<'0' || digits.p[i]>'9' ) return;
  }
  mag = kvBytes(aMag, kvBigParse(digits, 10, aMag));
  if( mag.n<=KV_BIGINT_KEY_BYTES && !kvBigInt64(bNeg, mag, &v) ){
    indexQueryPutBigint(pOut, bNeg, mag);
  }
}

int kvIndexQueryParts(const KvIndexQuery *p, KvList *pOut){
  KvBytes part;
  u32 i = 0;
  if( !p->bNone && !p->bExact && !p->bEqual ) return 0;
  if( p->bExact ){
    while( !p->bNone && kvListNext(&p->exact, &i, &part) ) kvListAdd(pOut, part);
  }else if( !p->bNone ){
    if( p->bNumeric ) indexQueryNumbers(p, pOut);
    if( p->bText && indexQuerySame(&p->text, pOut) && (p->mPart & KVPARTS_LONG) ){
      indexQueryLong(kvBufBytes(&p->text.lo), pOut);
    }
    if( p->bBlob ) indexQuerySame(&p->blob, pOut);
  }
  return 1;
}

void kvIndexQueryText(KvIndexQuery *p, int op, KvBytes text, int bLower){
  int bEqual = op==SQLITE_INDEX_CONSTRAINT_EQ;
  int bLow = bEqual || op==SQLITE_INDEX_CONSTRAINT_GT || op==SQLITE_INDEX_CONSTRAINT_GE;
  int bStrict = op==SQLITE_INDEX_CONSTRAINT_GT || op==SQLITE_INDEX_CONSTRAINT_LT;
  indexQueryTextBound(p, text, bLow, bStrict, bLower);
  if( bEqual ) indexQueryTextBound(p, text, 0, 0, bLower);
  if( bEqual ) p->bEqual = 1;
}
