/*
** collection_seek.c -- from conditions to ranges of keys.  See collection_seek.h.
*/
#include "sql/collection_seek.h"
#include "bytes/memory.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_parse.h"
#include "codec/num/num.h"
#include "sql/args.h"
#include "sql/collection_index.h"
#include <stdlib.h>

void kvCollectionSeekReset(KvCollectionSeek *p){
  p->nRange = 0;
}

void kvCollectionSeekClear(KvCollectionSeek *p){
  u32 i;
  for(i=0; i<p->nAlloc; i++){
    kvBufClear(&p->aRange[i].lo);
    kvBufClear(&p->aRange[i].hi);
  }
  kvFree(p->aRange);
  kvBufClear(&p->noMemory.lo);
  kvBufClear(&p->noMemory.hi);
  memset(p, 0, sizeof(*p));
}

/* ---- a value as a bound ----------------------------------------------------- */

/* Where a value stands among the parts of a column. */
enum {
  SEEK_BELOW,             /* All of them are greater */
  SEEK_ABOVE,             /* All of them are less */
  SEEK_ANYWHERE,          /* It can't be told */
  SEEK_AT                 /* At the part that was appended, which may be equal */
};

/* An INTEGER or REAL among numbers, by the nearest double.  Those of an INTEGER column are
** safe integers, which tells of all others on which side they are; a REAL column may hold
** -0, which equals 0. */
static int seekNumber(const KvCollectionColumn *pCol, sqlite3_value *pVal, KvBuf *pPart){
  int bInt = pCol->eType==KV_COLTYPE_INTEGER;
  if( sqlite3_value_type(pVal)==SQLITE_INTEGER ){
    i64 v = sqlite3_value_int64(pVal);
    if( v>KV_MAX_SAFE || v<-KV_MAX_SAFE ){
      return !bInt ? SEEK_ANYWHERE : v<0 ? SEEK_BELOW : SEEK_ABOVE;
    }
    if( v==0 && !bInt ) return SEEK_ANYWHERE;
    kvKeyPutNumber(pPart, (double)v);
  }else{
    double r = sqlite3_value_double(pVal);
    if( r==0.0 && !bInt ) return SEEK_ANYWHERE;
    kvKeyPutNumber(pPart, r==0.0 ? 0.0 : r);
  }
  return SEEK_AT;
}

static int seekBigint(sqlite3_value *pVal, KvBuf *pPart){
  i64 v = sqlite3_value_int64(pVal);
  u8 a[8];
  u32 n = 8;
  if( sqlite3_value_type(pVal)!=SQLITE_INTEGER ) return SEEK_ANYWHERE;
  kvPut64le(a, v<0 ? 0-(u64)v : (u64)v);
  while( n>0 && a[n-1]==0 ) n--;
  kvKeyPutBigint(pPart, v<0, kvBytes(a, n));
  return SEEK_AT;
}

/* The text of a value as a string. */
static void seekPutText(KvBuf *pPart, sqlite3_value *pVal){
  KvBytes text = kvArgText(pVal);
  if( text.p ) kvKeyPutString(pPart, text);
  else pPart->eErr = KV_NOMEM;
}

static int seekIsNumeric(sqlite3_value *pVal){
  int eType = sqlite3_value_type(pVal);
  return eType==SQLITE_INTEGER || eType==SQLITE_FLOAT;
}

/*
** The part that a value is in a column with a type, with the affinity of that type.
** In SQL's order numbers come before text before bytes.
*/
static int seekPart(const KvCollectionColumn *pCol, sqlite3_value *pVal, KvBuf *pPart){
  int bNumeric = pCol->eType!=KV_COLTYPE_TEXT && pCol->eType!=KV_COLTYPE_BLOB;
  int eType = bNumeric ? sqlite3_value_numeric_type(pVal) : sqlite3_value_type(pVal);
  if( eType==SQLITE_BLOB && pCol->eType!=KV_COLTYPE_BLOB ) return SEEK_ABOVE;
  switch( pCol->eType ){
    case KV_COLTYPE_TEXT:
      if( eType!=SQLITE_TEXT ) return SEEK_ANYWHERE;     /* maybe texts are compared as numbers */
      seekPutText(pPart, pVal);
      return SEEK_AT;
    case KV_COLTYPE_BLOB:
      if( eType!=SQLITE_BLOB ) return SEEK_BELOW;
      kvKeyPutBytes(pPart, kvArgBlob(pVal));
      return SEEK_AT;
    case KV_COLTYPE_INTEGER:
    case KV_COLTYPE_REAL:
      return eType==SQLITE_TEXT ? SEEK_ABOVE : seekNumber(pCol, pVal, pPart);
    case KV_COLTYPE_BIGINT:
      return seekBigint(pVal, pPart);
    default:
      return SEEK_ANYWHERE;
  }
}

/* Texts that read as numbers begin with white space, a sign, a point or a digit, and those
** of numbers maybe with the I of Inf. */
#define SEEK_FIRST      "\t"
#define SEEK_BEHIND     ":"
#define SEEK_BEHIND_INF "J"

/* ---- ranges ------------------------------------------------------------------- */

/* All parts of a column's type. */
static void seekClass(const KvCollectionColumn *pCol, KvBytes *pLo, KvBytes *pHi){
  static const u8 aType[] = { 0, KVP_NUMBER, KVP_NUMBER, KVP_STRING, KVP_BYTES, KVP_BOOL,
      KVP_BIGINT, 0, 0 };
  kvPartRange(aType[pCol->eType], pLo, pHi);
}

static KvKeyRange *seekAdd(KvCollectionSeek *p, const KvBuf *pHead){
  u32 nOld = p->nAlloc;
  KvKeyRange *aNew = kvReserve(p->aRange, &p->nAlloc, (u64)p->nRange + 1, sizeof(*aNew));
  KvKeyRange *pRange = &p->noMemory;
  if( aNew==0 ){
    p->bNoMemory = 1;
    return pRange;
  }
  p->aRange = aNew;
  if( p->nAlloc>nOld ) memset(&aNew[nOld], 0, (p->nAlloc - nOld)*sizeof(*aNew));
  pRange = &p->aRange[p->nRange++];
  kvBufReset(&pRange->lo);
  kvBufReset(&pRange->hi);
  kvBufAdd(&pRange->lo, kvBufBytes(pHead));
  kvBufAdd(&pRange->hi, kvBufBytes(pHead));
  return pRange;
}

/* All below the head, of a column's type if there is one. */
static KvKeyRange *seekAll(KvCollectionSeek *p, const KvBuf *pHead, const KvCollectionColumn *pCol){
  KvKeyRange *pRange = seekAdd(p, pHead);
  KvBytes lo = kvBytes("\0", 1), hi = kvBytes("\xff", 1);
  if( pCol && pCol->eType!=KV_COLTYPE_ANY ) seekClass(pCol, &lo, &hi);
  kvBufAdd(&pRange->lo, lo);
  kvBufAdd(&pRange->hi, hi);
  return pRange;
}

/* May a text be more than the greatest that is less than it, since texts that read as
** numbers are less than any other? */
static int seekIsHigh(
  const KvCollectionColumn *pCol, const KvCollectionArg *pArg, sqlite3_value *pVal
){
  KvBytes text;
  if( pCol->eType!=KV_COLTYPE_TEXT || sqlite3_value_type(pVal)!=SQLITE_TEXT ) return 0;
  if( !pCol->bNumeric && kvCollectionIsPlainText(pArg, pVal) ) return 0;
  text = kvArgText(pVal);
  return text.n==0 || text.p[0]<SEEK_BEHIND[0];
}

/* The bounds on the first column that isn't equal to something. */
static void seekBounds(
  KvCollectionSeek *p, const KvBuf *pHead, const KvCollectionColumn *pCol,
  const KvCollectionArg *aArg, u32 nArg, sqlite3_value **apArg
){
  KvKeyRange *pRange = seekAll(p, pHead, pCol);
  u32 i;
  for(i=0; i<nArg; i++){
    int bLow = aArg[i].op==SQLITE_INDEX_CONSTRAINT_GT || aArg[i].op==SQLITE_INDEX_CONSTRAINT_GE;
    int bStrict = aArg[i].op==SQLITE_INDEX_CONSTRAINT_GT || aArg[i].op==SQLITE_INDEX_CONSTRAINT_LT;
    u8 aSpace[256];
    KvBuf part;
    int e;
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ){
      p->nRange--;
      return;
    }
    kvBufInit(&part, aSpace, sizeof(aSpace));
    kvBufAdd(&part, kvBufBytes(pHead));
    if( pCol && pCol->bNumeric ) sqlite3_value_numeric_type(apArg[i]);
    e = !bLow && seekIsHigh(pCol, &aArg[i], apArg[i]) ? SEEK_ANYWHERE
        : seekPart(pCol, apArg[i], &part);
    if( e==(bLow ? SEEK_ABOVE : SEEK_BELOW) ){
      kvBufClear(&part);
      p->nRange--;
      return;
    }
    if( e==SEEK_AT ){
      KvBuf *pBound = bLow ? &pRange->lo : &pRange->hi;
      /* What follows a key that is a bound belongs to it, too */
      if( bLow==bStrict ) kvBufPut(&part, 0xff);
      if( (kvBytesCompare(kvBufBytes(&part), kvBufBytes(pBound))>0)==bLow ){
        kvBufReset(pBound);
        kvBufAdd(pBound, kvBufBytes(&part));
      }
      if( part.eErr ) pBound->eErr = part.eErr;
    }
    kvBufClear(&part);
  }
}

/* A range for just what begins with the head and a part. */
static void seekExact(KvCollectionSeek *p, const KvBuf *pHead){
  KvKeyRange *pRange = seekAdd(p, pHead);
  kvBufPut(&pRange->hi, 0xff);
}

/* Strings that SQLite may take for numbers, or print a number as. */
static void seekNumericTexts(KvCollectionSeek *p, const KvBuf *pHead){
  KvKeyRange *pRange = seekAdd(p, pHead);
  kvKeyPutString(&pRange->lo, kvBytesText(SEEK_FIRST));
  kvKeyPutString(&pRange->hi, kvBytesText(SEEK_BEHIND_INF));
}

/* = on an untyped KEY column: a number may be a bigint, number or boolean, or a string
** that reads as it. */
static void seekAnyEqual(KvCollectionSeek *p, KvBuf *pHead, sqlite3_value *pVal){
  int eType = sqlite3_value_type(pVal);
  u32 n = pHead->n, i;
  static const u8 aCol[] = { KV_COLTYPE_BIGINT, KV_COLTYPE_REAL };
  KvCollectionColumn col;
  i64 v;
  memset(&col, 0, sizeof(col));
  switch( eType ){
    case SQLITE_BLOB:
      kvKeyPutBytes(pHead, kvArgBlob(pVal));
      seekExact(p, pHead);
      break;
    case SQLITE_TEXT:
      col.eType = KV_COLTYPE_TEXT;
      if( seekPart(&col, pVal, pHead)==SEEK_AT ) seekExact(p, pHead);
      pHead->n = n;
      if( sqlite3_value_bytes(pVal)>18 ){        /* maybe a bigint beyond 64 bits */
        col.eType = KV_COLTYPE_BIGINT;
        seekAll(p, pHead, &col);
      }
      break;
    default:
      seekNumericTexts(p, pHead);
      for(i=0; i<2; i++){
        col.eType = aCol[i];
        if( seekPart(&col, pVal, pHead)==SEEK_AT ) seekExact(p, pHead);
        else{
          pHead->n = n;
          seekAll(p, pHead, &col);
        }
        pHead->n = n;
      }
      v = sqlite3_value_int64(pVal);
      if( (v==0 || v==1) && sqlite3_value_double(pVal)==(double)v ){
        kvKeyPutBool(pHead, (int)v);
        seekExact(p, pHead);
      }
  }
  pHead->n = n;
}

/* kv_key = ? */
static void seekKey(
  KvCollectionSeek *p, const KvCollectionDef *pDef, sqlite3_value *pVal, KvError *pErr
){
  KvBuf key;
  int rc = KV_OK;
  kvBufInit(&key, 0, 0);
  if( sqlite3_value_type(pVal)==SQLITE_TEXT ){
    KvBytes text = kvArgText(pVal);
    rc = text.p ? kvKeyParse(text, KVKEY_MALFORMED, &key, 0, 0) : KV_NOMEM;
    if( rc==KV_OK && key.n>pDef->prefix.n
     && kvBytesBegins(kvBufBytes(&key), kvBufBytes(&pDef->prefix))
    ){
      KvKeyRange *pRange = seekAdd(p, &key);
      kvBufPut(&pRange->hi, 0);
    }
  }
  kvBufClear(&key);
  if( rc==KV_NOMEM ) kvErrorCode(pErr, SQLITE_NOMEM);
}

/* Add the ranges for one value of each argument. */
static void seekKeys(
  KvCollectionSeek *p, const KvCollectionDef *pDef, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg, KvError *pErr
){
  const KvCollectionColumn *pCol = kvCollectionKey(pDef, 0);
  KvBuf head;
  u32 i;
  int bNone = 0, bMore = 1;
  kvBufInit(&head, 0, 0);
  kvBufAdd(&head, kvBufBytes(&pDef->prefix));
  for(i=0; i<pPlan->nEqual && bMore && !bNone; i++){
    u32 n = head.n;
    int e;
    if( pCol->bNumeric ) sqlite3_value_numeric_type(apArg[i]);
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ){
      bNone = 1;
    }else if( pCol->eType==KV_COLTYPE_ANY ){
      seekAnyEqual(p, &head, apArg[i]);
      bMore = 0;
    }else if( pCol->eType==KV_COLTYPE_TEXT && seekIsNumeric(apArg[i]) ){
      /* An order relies on one text, which is that of the number */
      if( pPlan->bOrdered ) seekPutText(&head, apArg[i]);
      else seekNumericTexts(p, &head);
      bMore = pPlan->bOrdered;
    }else if( (e = seekPart(pCol, apArg[i], &head))==SEEK_ANYWHERE ){
      head.n = n;
      seekAll(p, &head, pCol);
      bMore = 0;
    }else{
      bNone = e!=SEEK_AT;
    }
    pCol = kvCollectionKey(pDef, i + 1);
  }
  if( bMore && !bNone ){
    if( pCol==0 && pDef->nKey>0 ){
      kvBufPut(&seekAdd(p, &head)->hi, 0);
    }else{
      seekBounds(p, &head, pCol, &pPlan->aArg[i], pPlan->nArg - i, &apArg[i]);
    }
  }
  kvErrorBuf(pErr, &head);
  kvBufClear(&head);
}

static int seekLower(const void *pA, const void *pB){
  return kvBytesCompare(kvBufBytes(&((const KvKeyRange*)pA)->lo),
      kvBufBytes(&((const KvKeyRange*)pB)->lo));
}

/* Sort the ranges, and make one of those that overlap. */
static void seekUnion(KvCollectionSeek *p){
  u32 i, n = 0;
  if( p->nRange<2 ) return;
  qsort(p->aRange, p->nRange, sizeof(*p->aRange), seekLower);
  for(i=1; i<p->nRange; i++){
    KvKeyRange *pLast = &p->aRange[n], *pNext = &p->aRange[i];
    if( kvBytesCompare(kvBufBytes(&pNext->lo), kvBufBytes(&pLast->hi))>=0 ){
      KvKeyRange t = p->aRange[++n];
      p->aRange[n] = *pNext;
      *pNext = t;
    }else if( kvBytesCompare(kvBufBytes(&pNext->hi), kvBufBytes(&pLast->hi))>0 ){
      kvBufReset(&pLast->hi);
      kvBufAdd(&pLast->hi, kvBufBytes(&pNext->hi));
    }
  }
  p->nRange = n + 1;
}

/* The ranges for all values of argument i, which is an IN. */
static void seekIn(
  KvCollectionSeek *p, const KvCollectionDef *pDef, const KvCollectionPlan *pPlan, u32 i,
  sqlite3_value **apArg, KvError *pErr
){
  sqlite3_value *apOne[KVCOLL_ARGS];
  int rc = sqlite3_vtab_in_first(apArg[i], &apOne[i]);
  sqlite3_value *pVal = apOne[i];
  for(; rc==SQLITE_OK && pVal && !kvFailed(pErr); rc=sqlite3_vtab_in_next(apArg[i], &pVal)){
    memcpy(apOne, apArg, pPlan->nArg*sizeof(*apOne));
    apOne[i] = pVal;
    seekKeys(p, pDef, pPlan, apOne, pErr);
  }
  if( rc!=SQLITE_OK && rc!=SQLITE_DONE ) kvErrorCode(pErr, rc);
}

void kvCollectionSeekKeys(
  KvCollectionSeek *p, const KvCollectionDef *pDef, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg, KvError *pErr
){
  u32 i;
  p->nRange = 0;
  for(i=0; i<pPlan->nEqual && !pPlan->aArg[i].bIn; i++){}
  if( pPlan->eHow==KVCOLL_KEY ) seekKey(p, pDef, apArg[0], pErr);
  else if( i<pPlan->nEqual ) seekIn(p, pDef, pPlan, i, apArg, pErr);
  else seekKeys(p, pDef, pPlan, apArg, pErr);
  for(i=0; i<p->nRange; i++){
    kvErrorBuf(pErr, &p->aRange[i].lo);
    kvErrorBuf(pErr, &p->aRange[i].hi);
  }
  if( p->bNoMemory ) kvErrorCode(pErr, SQLITE_NOMEM);
  p->bNoMemory = 0;
  kvBufReset(&p->noMemory.lo);
  kvBufReset(&p->noMemory.hi);
  if( !kvFailed(pErr) ) seekUnion(p);
}
