/*
** collection_index.c -- from conditions to what is looked for in an index.  See
** collection_index.h.
*/
#include "sql/collection/collection_index.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "sql/args.h"
#include "sql/collection/collection_check.h"

/* Texts that read as numbers, as SQLite takes them, begin with white space, a sign, a
** point or a digit: they are not before the one and before the other of these. */
#define CINDEX_FIRST  "\t"
#define CINDEX_BEHIND ":"
/* The same for texts that numbers have, among them Inf. */
#define CINDEX_BEHIND_INF "J"

/* Which of the bigints beyond 64 bits, shown as text, there may be. */
#define CINDEX_BELOW 1
#define CINDEX_ABOVE 2
#define CINDEX_MOST  9223372036854774784.0

/* All conditions on the column. */
typedef struct CIndex CIndex;
struct CIndex {
  KvIndexQuery *pQuery;
  const KvCollectionColumn *pCol;
  KvError *pErr;
  int bLower;
  int bDates;             /* Numbers may be Dates */
  int bNumbers;           /* One says: numbers, no texts */
  int mHuge;              /* CINDEX_xxx */
};

static int cindexIsLow(int op){
  return op==SQLITE_INDEX_CONSTRAINT_GT || op==SQLITE_INDEX_CONSTRAINT_GE;
}

static int cindexIsHigh(int op){
  return op==SQLITE_INDEX_CONSTRAINT_LT || op==SQLITE_INDEX_CONSTRAINT_LE;
}

static int cindexIsPattern(int op){
  return op==SQLITE_INDEX_CONSTRAINT_GLOB || op==SQLITE_INDEX_CONSTRAINT_LIKE;
}

static int cindexIsNumeric(sqlite3_value *pVal){
  int eType = sqlite3_value_type(pVal);
  return eType==SQLITE_INTEGER || eType==SQLITE_FLOAT;
}

/* Is a column's type one of texts, or of numbers, to SQLite? */
static int cindexOfTexts(const KvCollectionColumn *p){
  return p->eType==KV_COLTYPE_TEXT && !p->bNumeric;
}
static int cindexOfNumbers(const KvCollectionColumn *p){
  return p->eType!=KV_COLTYPE_ANY && p->eType!=KV_COLTYPE_BLOB && !cindexOfTexts(p);
}

/* The first character of a text in upper case, 0 if it is empty. */
static int cindexFirst(KvBytes text){
  int c = text.n ? text.p[0] : 0;
  return c>='a' && c<='z' ? c - 32 : c;
}

/* ---- conditions ------------------------------------------------------------- */

/* Narrow the texts alone. */
static void cindexTexts(KvIndexQuery *p, int op, const char *z){
  u8 bNumeric = p->bNumeric, bBlob = p->bBlob;
  kvIndexQueryText(p, op, kvBytesText(z), 0);
  p->bNumeric = bNumeric;
  p->bBlob = bBlob;
}

static void cindexNumber(CIndex *p, int op, sqlite3_value *pVal){
  KvIndexQuery *pQuery = p->pQuery;
  int bLow = cindexIsLow(op), bText = pQuery->bText, bTexts = cindexOfTexts(p->pCol);
  double r = sqlite3_value_double(pVal);
  int bLong = (pQuery->mPart & KVPARTS_LONG)!=0;
  if( !bTexts || op==SQLITE_INDEX_CONSTRAINT_EQ ){
    if( !cindexIsHigh(op) && r>=-CINDEX_MOST ) p->mHuge &= ~CINDEX_BELOW;
    if( !bLow && r<=CINDEX_MOST ) p->mHuge &= ~CINDEX_ABOVE;
  }
  if( bTexts ){
    pQuery->bAny = 0;
    if( bLow ) return;
    pQuery->bBlob = 0;
    if( op==SQLITE_INDEX_CONSTRAINT_EQ ){
      cindexTexts(pQuery, SQLITE_INDEX_CONSTRAINT_GE, CINDEX_FIRST);
    }
    cindexTexts(pQuery, SQLITE_INDEX_CONSTRAINT_LT, p->bLower ? "j" : CINDEX_BEHIND_INF);
  }else if( bLow && !p->bNumbers && p->bDates ){
    pQuery->bAny = 0;              /* Dates are numbers in the index, and shown as text */
  }else{
    kvIndexQueryCompare(pQuery, op, pVal, p->bLower);
    if( bLow || !bText || (bLong && p->mHuge==0 && !(pQuery->mPart & KVPARTS_STRING)) ) return;
    pQuery->bText = 1;
    pQuery->bEqual = 0;
    cindexTexts(pQuery, SQLITE_INDEX_CONSTRAINT_GE, CINDEX_FIRST);
    cindexTexts(pQuery, SQLITE_INDEX_CONSTRAINT_LT, CINDEX_BEHIND);
  }
}

/* When the days begin whose dates start like a text, and how long they
** last.  (The 31st of February is one in March: it is not before the 28th.) */
#define CINDEX_DAY 86400000.0
#define CINDEX_TIME 1e16           /* No Date is as far from 1970 */
static int cindexDay(KvBytes text, double *prFrom, double *prTo){
  u32 n = text.n>=10 ? 10 : 7, i;
  if( text.n<7 ) return 0;
  for(i=0; i<n; i++){
    if( i==4 || i==7 ? text.p[i]!='-' : text.p[i]<'0' || text.p[i]>'9' ) return 0;
  }
  if( kvDateParse(kvBytes(text.p, n), prFrom)!=KV_OK || *prFrom!=*prFrom ) return 0;
  *prTo = *prFrom + (n==10 ? CINDEX_DAY : 32*CINDEX_DAY);
  *prFrom -= 3*CINDEX_DAY;
  return 1;
}

/* Is a text all of a number?  If so which one? */
static int cindexReads(KvBytes text, double *pr){
  u32 nSign = text.n>0 && (text.p[0]=='-' || text.p[0]=='+');
  if( text.n==nSign || kvNumParse(kvBytes(text.p + nSign, text.n - nSign), pr)!=text.n - nSign ){
    return 0;
  }
  if( text.p[0]=='-' ) *pr = -*pr;
  return 1;
}

static void cindexNarrow(KvIndexQuery *p, double rFrom, double rTo){
  KvIndexNumber v;
  memset(&v, 0, sizeof(v));
  v.r = rFrom;
  kvIndexQueryNumber(p, v, 1, 0);
  v.r = rTo;
  kvIndexQueryNumber(p, v, 0, 0);
}

/*
** Which numbers of an index are shown as texts that meet "= text": Dates and, if a
** column is TEXT, numbers, of which SQLite prints 15 digits.  False: none.
*/
static int cindexNumbersEqual(CIndex *p, KvBytes text){
  double r, rTo;
  int c = cindexFirst(text);
  if( !p->bDates && !cindexOfTexts(p->pCol) ) return 0;
  if( cindexDay(text, &r, &rTo) ){
    cindexNarrow(p->pQuery, r, rTo);
    return 1;
  }
  if( !cindexReads(text, &r) ) return c=='+' || c=='-' || c=='I';
  if( !cindexOfTexts(p->pCol) || r - r!=0.0 ) return 0;
  rTo = (r<0 ? -r : r)*1e-14;
  cindexNarrow(p->pQuery, r - rTo, r + rTo);
  return 1;
}

/* The same for other conditions; and numbers that are less than the text in any case. */
static int cindexNumbersLike(CIndex *p, int op, KvBytes text, int bPlain){
  int bText = cindexOfTexts(p->pCol), c = cindexFirst(text);
  double rFrom, rTo;
  if( cindexIsHigh(op) ) return !bText || !bPlain || c>='+';
  if( c>(bText ? 'I' : '9') || (!bText && !p->bDates) ) return 0;
  if( op==SQLITE_INDEX_CONSTRAINT_EQ ) return c!=0 && cindexNumbersEqual(p, text);
  if( !bText && cindexDay(text, &rFrom, &rTo) ) cindexNarrow(p->pQuery, rFrom, CINDEX_TIME);
  return 1;
}

static void cindexText(CIndex *p, const KvCollectionArg *pArg, sqlite3_value *pVal){
  KvIndexQuery *pQuery = p->pQuery;
  int bNumeric = pQuery->bNumeric, bEqual = pQuery->bEqual, op = pArg->op;
  int bPlain = kvCollectionIsPlainText(pArg, pVal);
  KvBytes text = kvArgName(pVal, p->pErr);
  if( text.p==0 ) return;
  if( !cindexIsHigh(op) && cindexFirst(text)>'9' ) p->mHuge = 0;
  if( op==SQLITE_INDEX_CONSTRAINT_EQ && text.n<19 ) p->mHuge = 0;
  if( cindexIsHigh(op) && !(bPlain && !cindexOfNumbers(p->pCol))
   && cindexFirst(text)<CINDEX_BEHIND[0]
  ){
    kvIndexQueryText(pQuery, SQLITE_INDEX_CONSTRAINT_LT, kvBytesText(CINDEX_BEHIND), 0);
  }else{
    kvIndexQueryText(pQuery, op, text, p->bLower);
  }
  if( op==SQLITE_INDEX_CONSTRAINT_EQ ) pQuery->bBlob = 0;
  pQuery->bNumeric = bNumeric && cindexNumbersLike(p, op, text, bPlain);
  if( pQuery->bNumeric ) pQuery->bEqual = (u8)bEqual;
}

/* What one condition says of the others: see CIndex. */
static void cindexLook(CIndex *p, int op, sqlite3_value *pVal){
  if( cindexIsPattern(op) ) return;
  if( cindexOfNumbers(p->pCol) ) sqlite3_value_numeric_type(pVal);
  if( cindexIsNumeric(pVal) && !cindexIsLow(op) ) p->bNumbers = 1;
}

/* ---- columns whose operands are read ----------------------------------------- */

/* What all operands say together. */
typedef struct CIndexRead CIndexRead;
struct CIndexRead {
  KvIndexQuery *pQuery;
  int bDatetime;
  int bDates;             /* One excludes what is shown as a number */
};

/* A bound on what the index holds as numbers: Dates are among them. */
static void cindexBound(KvIndexQuery *p, const KvCollectionOperand *pTo, int bLow){
  KvIndexNumber v = pTo->number;
  if( pTo->bTime ){
    v.bInt = 0;
    v.r = pTo->rMs;
  }
  kvIndexQueryNumber(p, v, bLow, 0);
}

/* Narrow the query to what may be equal to an operand, less (bHigh) or greater (bLow).  Texts
** in any spelling may be, so that all of them are looked at. */
static void cindexOperand(CIndexRead *p, const KvCollectionOperand *pTo, int bLow, int bHigh){
  KvIndexQuery *pQuery = p->pQuery;
  int bText = pTo->eClass==SQLITE_TEXT, bNumber = pTo->eClass==SQLITE_FLOAT;
  pQuery->bAny = 0;
  if( pTo->eClass==SQLITE_NULL ){
    pQuery->bNone = 1;
  }else if( pTo->eClass==SQLITE_BLOB ){
    if( bLow ) pQuery->bNumeric = pQuery->bText = 0;
  }else{
    if( bHigh ) pQuery->bBlob = 0;
    if( bLow && (pTo->bTime || (bNumber && bHigh)) ) cindexBound(pQuery, pTo, 1);
    if( bHigh && (bNumber || (pTo->bTime && (bLow || p->bDates))) ) cindexBound(pQuery, pTo, 0);
    if( bLow && bHigh && (bNumber || pTo->bTime) && !pQuery->bText ) pQuery->bEqual = 1;
    if( bLow && bText && p->bDatetime && !pTo->bTime ) pQuery->bNumeric = 0;
  }
}

/* The search in a DATETIME or BOOLEAN column. */
static void cindexRead(KvIndexQuery *pQuery, const KvCollectionConds *pConds, KvError *pErr){
  CIndexRead read = { pQuery, pConds->pCol->eType==KV_COLTYPE_DATETIME, 0 };
  KvCollectionOperand to;
  u32 i, iPass;
  memset(&to, 0, sizeof(to));
  for(iPass=0; iPass<2; iPass++){                /* lower bounds first: they say bDates */
    for(i=0; i<pConds->nArg; i++){
      const KvCollectionArg *pArg = &pConds->aArg[i];
      int bHigh = cindexIsHigh(pArg->op);
      if( (u32)bHigh!=iPass ) continue;
      if( cindexIsPattern(pArg->op) ){
        kvIndexQueryCompare(pQuery, pArg->op, pConds->apArg[i], 0);
      }else{
        kvCollectionOperand(&to, pConds->pTab, pArg, pConds->apArg[i], pErr);
        cindexOperand(&read, &to, !bHigh, bHigh || !cindexIsLow(pArg->op));
        if( !bHigh && read.bDatetime && to.eClass!=SQLITE_FLOAT ) read.bDates = 1;
      }
    }
  }
  kvBufClear(&to.bytes);
}

/* The query for conditions, none of which is an IN. */
static void cindexSeek(KvIndexQuery *p, const KvCollectionConds *pConds, KvError *pErr){
  const KvCollectionArg *aArg = pConds->aArg;
  sqlite3_value **apArg = pConds->apArg;
  int bLower = pConds->bLower;
  CIndex all;
  u32 i;
  kvIndexQueryAny(p, pConds->mPart, pErr);
  if( pConds->pCol->eType==KV_COLTYPE_DATETIME || pConds->pCol->eType==KV_COLTYPE_BOOLEAN ){
    cindexRead(p, pConds, pErr);
    return;
  }
  memset(&all, 0, sizeof(all));
  all.pQuery = p;
  all.pCol = pConds->pCol;
  all.pErr = pErr;
  all.bLower = bLower;
  all.bDates = pConds->bDates;
  all.mHuge = CINDEX_BELOW|CINDEX_ABOVE;
  for(i=0; i<pConds->nArg; i++) cindexLook(&all, aArg[i].op, apArg[i]);
  for(i=0; i<pConds->nArg; i++){
    int op = aArg[i].op;
    if( cindexIsPattern(op) ) kvIndexQueryCompare(p, op, apArg[i], bLower);
    else if( cindexIsNumeric(apArg[i]) ) cindexNumber(&all, op, apArg[i]);
    else if( sqlite3_value_type(apArg[i])==SQLITE_TEXT ) cindexText(&all, &aArg[i], apArg[i]);
    else kvIndexQueryCompare(p, op, apArg[i], bLower);
  }
  if( all.mHuge==0 ) p->mPart &= ~(u32)KVPARTS_LONG;
}

/* All values of an IN: what any of them asks for. */
static void cindexIn(
  KvIndexQuery *p, const KvCollectionConds *pConds, u32 i, KvRanges *pRanges, KvError *pErr
){
  KvCollectionConds one = *pConds;
  KvRangesSet set;
  KvIndexQuery query;
  sqlite3_value *pVal;
  int rc = sqlite3_vtab_in_first(pConds->apArg[i], &pVal);
  memset(&query, 0, sizeof(query));
  memset(&set, 0, sizeof(set));
  one.aArg = &pConds->aArg[i];
  one.apArg = &pVal;
  one.nArg = 1;
  for(; rc==SQLITE_OK && pVal && !kvFailed(pErr);
      rc=sqlite3_vtab_in_next(pConds->apArg[i], &pVal)
  ){
    cindexSeek(&query, &one, pErr);
    kvRangesOne(&set, pRanges, &query, pErr);
  }
  if( rc!=SQLITE_OK && rc!=SQLITE_DONE ) kvErrorCode(pErr, rc);
  kvRangesUnion(p, &set, pErr);
  kvListClear(&set.parts);
  kvListClear(&set.bounds);
  kvIndexQueryClear(&query);
}

void kvCollectionSeek(
  KvIndexQuery *p, const KvCollectionConds *pConds, KvRanges *pRanges, KvError *pErr
){
  u32 i;
  for(i=0; i<pConds->nArg && !pConds->aArg[i].bIn; i++){}
  if( i==pConds->nArg ){
    cindexSeek(p, pConds, pErr);
  }else{
    kvIndexQueryAny(p, pConds->mPart, pErr);
    cindexIn(p, pConds, i, pRanges, pErr);     /* SQLite checks the others */
  }
}

u32 kvCollectionKeyParts(const KvCollectionColumn *p){
  static const u8 aPart[] = { KVPARTS_ALL, KVPARTS_NUMBER, KVPARTS_NUMBER, KVPARTS_STRING,
      KVPARTS_BYTES, KVPARTS_BOOL, KVPARTS_BIGINT|KVPARTS_LONG, 0, 0 };
  return aPart[p->eType];
}
