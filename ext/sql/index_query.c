/*
** index_query.c -- conditions on the values of an index.  See index_query.h.
*/
#include "sql/index_query.h"
SQLITE_EXTENSION_INIT3
#include "codec/key/key_bytes.h"

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

/* ---- from conditions to bounds --------------------------------------------- */

/* Keep the larger (bLow) or smaller of two stored parts.  SQLITE_OK or
** SQLITE_NOMEM. */
static int iqueryBound(KvBuf *pOld, u8 *pbOld, const KvBuf *pNew, int bLow){
  u32 n = pOld->n<pNew->n ? pOld->n : pNew->n;
  int c = n ? memcmp(pOld->a, pNew->a, n) : 0;
  if( c==0 ) c = (pOld->n>pNew->n) - (pOld->n<pNew->n);
  if( *pbOld && (bLow ? c>=0 : c<=0) ) return SQLITE_OK;
  kvBufReset(pOld);
  kvBufAppend(pOld, pNew->a, pNew->n);
  *pbOld = 1;
  return pOld->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

static void iqueryNumberBound(KvIndexQuery *p, KvIndexNumber v, int bLow, int bStrict){
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
static int iqueryPartBound(KvIndexQuery *p, sqlite3_value *pVal, int bLow, int bStrict, int bLower){
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
    rc = iqueryBound(bLow ? &p->textLo : &p->textHi, bLow ? &p->bTextLo : &p->bTextHi, &part, bLow);
  }else{
    rc = iqueryBound(bLow ? &p->blobLo : &p->blobHi, bLow ? &p->bBlobLo : &p->bBlobHi, &part, bLow);
  }
  kvBufClear(&part);
  kvBufClear(&folded);
  return rc;
}

/* One comparison: in SQL's order numbers come before text before bytes. */
static int iqueryCompareArg(KvIndexQuery *p, sqlite3_value *pVal, int bLow, int bStrict, int bLower){
  KvIndexNumber v;
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
      iqueryNumberBound(p, v, bLow, bStrict);
      if( !bLow ) p->bText = p->bBlob = 0;
      return SQLITE_OK;
    case SQLITE_TEXT:
      if( bLow ) p->bNumeric = 0;
      else p->bBlob = 0;
      return iqueryPartBound(p, pVal, bLow, bStrict, bLower);
    default:
      if( bLow ) p->bNumeric = p->bText = 0;
      return iqueryPartBound(p, pVal, bLow, bStrict, 0);
  }
}

static int iqueryEqual(KvIndexQuery *p, sqlite3_value *pVal, int bLower){
  int eType = sqlite3_value_type(pVal);
  int rc = iqueryCompareArg(p, pVal, 1, 0, bLower);
  p->bEqual = 1;
  if( rc==SQLITE_OK ) rc = iqueryCompareArg(p, pVal, 0, 0, bLower);
  if( eType!=SQLITE_TEXT ) p->bText = 0;
  if( eType!=SQLITE_BLOB ) p->bBlob = 0;
  if( eType!=SQLITE_INTEGER && eType!=SQLITE_FLOAT ) p->bNumeric = 0;
  return rc;
}

/*
** GLOB and LIKE: only what begins with the part of the pattern before its
** first special character.  LIKE takes no difference of case, so it narrows
** an index that has none.  A number matches as its text; if the pattern may
** begin as one does, all numbers are looked at.
*/
static int iqueryPatternArg(KvIndexQuery *p, sqlite3_value *pVal, int bLike, int bLower){
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
      rc = iqueryBound(i ? &p->blobLo : &p->textLo, pbLo, &lo, 1);
      if( rc==SQLITE_OK ) rc = iqueryBound(i ? &p->blobHi : &p->textHi, pbHi, &hi, 0);
    }
    kvBufClear(&lo);
    kvBufClear(&hi);
    if( rc!=SQLITE_OK ) return rc;
  }
  return SQLITE_OK;
}

void kvIndexQueryClear(KvIndexQuery *p){
  kvBufClear(&p->textLo);
  kvBufClear(&p->textHi);
  kvBufClear(&p->blobLo);
  kvBufClear(&p->blobHi);
  kvListClear(&p->exact);
  memset(p, 0, sizeof(*p));
}

void kvIndexQueryAny(KvIndexQuery *p){
  kvIndexQueryClear(p);
  p->bAny = p->bNumeric = p->bText = p->bBlob = 1;
}

int kvIndexQueryCompare(KvIndexQuery *p, int op, sqlite3_value *pVal, int bLower){
  switch( op ){
    case SQLITE_INDEX_CONSTRAINT_EQ:   return iqueryEqual(p, pVal, bLower);
    case SQLITE_INDEX_CONSTRAINT_GT:   return iqueryCompareArg(p, pVal, 1, 1, bLower);
    case SQLITE_INDEX_CONSTRAINT_GE:   return iqueryCompareArg(p, pVal, 1, 0, bLower);
    case SQLITE_INDEX_CONSTRAINT_LT:   return iqueryCompareArg(p, pVal, 0, 1, bLower);
    case SQLITE_INDEX_CONSTRAINT_LE:   return iqueryCompareArg(p, pVal, 0, 0, bLower);
    case SQLITE_INDEX_CONSTRAINT_GLOB: return iqueryPatternArg(p, pVal, 0, bLower);
    default:                           return iqueryPatternArg(p, pVal, 1, bLower);
  }
}
