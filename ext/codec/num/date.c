/*
** date.c -- time values as text.  See date.h.
**
** A time value counts milliseconds since 1970-01-01T00:00Z in the proleptic
** Gregorian calendar, from -8640000000000000 to 8640000000000000.
**
** Printed:
**
**     YYYY-MM-DDTHH:MM:SS.mmmZ          years 0000 to 9999
**     (+|-)YYYYYY-MM-DDTHH:MM:SS.mmmZ   all others
**
** Read (letters in any case; all else is refused, and so is what Deno would
** read with the time zone of the machine):
**
**     iso  = year [ -MM [-DD] ]                              UTC
**          | year [ -MM [-DD] ] (T | space) time isozone     space: not 0-99
**     year = YYYY | (+|-)YYYYYY                              not -000000
**     time = HH:MM [ :SS [.digits] ]
**     isozone = Z | (+|-)HH:MM | (+|-)HHMM
**
**     rfc  = [ weekday [,] ] D[D] month years time zone
**     text = weekday month D[D] years time zone
**     zone = [ GMT | UTC | UT | Z ] [ (+|-)HHMM | (+|-)HH:MM ]   one or both
**            [ "(" comment ")" ]
**
** with spaces between the parts of the last two.  The weekday is any of the
** seven, right or wrong; it and the month are written with three letters or in
** full.  years has one to six digits; as in Deno 0 to 49 are 2000 to 2049 and
** 50 to 99 are 1950 to 1999.  A day of 29 to 31 that the month doesn't have
** runs into the next month, as in Deno.  24:00:00 is the end of the day.
*/
#include "codec/num/date.h"
#include "codec/num/num.h"

#define DATE_MAX   8640000000000000.0
#define DATE_DAY   ((i64)86400000)

/* Days from 1970-01-01 to the given date; iMonth from 1. */
static i64 dateDays(i64 iYear, i64 iMonth, i64 iDay){
  i64 y = iYear + 400000 - (iMonth<=2);     /* years begin with March */
  i64 iEra = y/400, iOfEra = y%400;
  i64 m = iMonth>2 ? iMonth-3 : iMonth+9;
  return iEra*146097 + iOfEra*365 + iOfEra/4 - iOfEra/100
       + (153*m + 2)/5 + iDay-1 - 719468 - (i64)1000*146097;
}

/* Write v, which has nDigit digits at the most. */
static char *dateDigits(char *z, u32 v, int nDigit){
  int i;
  for(i=nDigit-1; i>=0; i--){
    z[i] = (char)('0' + v%10);
    v /= 10;
  }
  return z + nDigit;
}

/* Two digits. */
static inline char *dateTwo(char *z, u32 v){
  memcpy(z, &kvDigitPairs[2*v], 2);
  return z + 2;
}

/* The date of the day iDay, counted from the 1st of March of the year -400000,
** which begins an era of 400 years. */
static char *datePrintDay(char *z, u32 iDay){
  u32 iEra = iDay/146097, d = iDay%146097;
  u32 iOfEra = (d - d/1460 + d/36524 - d/146096)/365;
  u32 iMonth;
  i32 iYear;
  d -= iOfEra*365 + iOfEra/4 - iOfEra/100;
  iMonth = (5*d + 2)/153;                        /* from March */
  d -= (153*iMonth + 2)/5;
  iMonth = iMonth<10 ? iMonth+3 : iMonth-9;
  iYear = (i32)(iEra*400 + iOfEra + (iMonth<=2)) - 400000;
  if( iYear<0 || iYear>9999 ){
    *z++ = iYear<0 ? '-' : '+';
    z = dateDigits(z, (u32)(iYear<0 ? -iYear : iYear), 6);
  }else{
    z = dateTwo(dateTwo(z, (u32)iYear/100), (u32)iYear%100);
  }
  *z++ = '-';
  z = dateTwo(z, iMonth);
  *z++ = '-';
  return dateTwo(z, d + 1);
}

u32 kvDateText(double rMs, char *zOut){
  char *z = zOut;
  u64 iMs;
  u32 v, nSec;
  if( !(rMs>=-DATE_MAX && rMs<=DATE_MAX) ){
    memcpy(z, "Invalid Date", 12);
    return 12;
  }
  /* From 1000 eras of 400 years earlier on nothing is negative */
  iMs = (u64)((i64)rMs + (719468 + (i64)1000*146097)*DATE_DAY);
  v = (u32)(iMs/(u64)DATE_DAY);
  z = datePrintDay(z, v);
  v = (u32)(iMs - v*(u64)DATE_DAY);
  nSec = v/1000;
  v %= 1000;
  *z++ = 'T';
  z = dateTwo(z, nSec/3600);
  *z++ = ':';
  z = dateTwo(z, nSec/60%60);
  *z++ = ':';
  z = dateTwo(z, nSec%60);
  *z++ = '.';
  *z++ = (char)('0' + v/100);
  z = dateTwo(z, v%100);
  *z++ = 'Z';
  return (u32)(z - zOut);
}

void kvDatePrint(double rMs, KvBuf *pOut){
  char aOut[KV_DATE_TEXT];
  kvBufAppend(pOut, aOut, kvDateText(rMs, aOut));
}

/* A date as it is read. */
typedef struct DateRead DateRead;
struct DateRead {
  const char *z, *zEnd;     /* What is still unread */
  i64 iYear, iMonth, iDay;  /* Months and days from 1 */
  i64 iTime;                /* Milliseconds of the day */
  i64 iZone;                /* Minutes east of Greenwich */
};

/* The next byte, in lower case; 0 at the end. */
static int datePeek(const DateRead *p){
  if( p->z>=p->zEnd ) return 0;
  return *p->z>='A' && *p->z<='Z' ? *p->z + 32 : (u8)*p->z;
}

/* Skip the next byte if it is c (lower case). */
static int dateSkip(DateRead *p, int c){
  if( datePeek(p)!=c || p->z>=p->zEnd ) return 0;
  p->z++;
  return 1;
}

/* Skip spaces.  Returns how many. */
static int dateSpaces(DateRead *p){
  int n = 0;
  while( n<1000 && dateSkip(p, ' ') ) n++;
  return n;
}

/* Read nMin to nMax digits, not followed by another digit if bWhole. */
static int dateNumber(DateRead *p, int nMin, int nMax, int bWhole, i64 *pv){
  int n = 0;
  *pv = 0;
  while( n<nMax && datePeek(p)>='0' && datePeek(p)<='9' ){
    *pv = *pv*10 + (*p->z++ - '0');
    n++;
  }
  return n>=nMin && !(bWhole && datePeek(p)>='0' && datePeek(p)<='9');
}

/*
** Read one of the names in zNames, each followed by a space, either its first
** three letters or all of it.  Returns its number from 1, or 0 if there is
** none; then nothing is read.
*/
static int dateName(DateRead *p, const char *zNames){
  const char *zWord = p->z, *zName;
  int n = 0, i, iName = 1;
  while( datePeek(p)>='a' && datePeek(p)<='z' ){
    p->z++;
    n++;
  }
  for(zName=zNames; *zName; zName=strchr(zName, ' ')+1, iName++){
    for(i=0; i<n && zName[i]!=' ' && zName[i]==(zWord[i] | 0x20); i++){}
    if( i==n && (n==3 || (n>3 && zName[n]==' ')) ) return iName;
  }
  p->z = zWord;
  return 0;
}

/*
** Read the digits of a fraction of a second as milliseconds, cut off.  What
** V8 makes of more than nine digits is made of them here too: it counts the
** first nine from the first that is not 0 as if they followed the point.
** *pbZero: all of them are 0.
*/
static int dateFraction(DateRead *p, i64 *piMs, int *pbZero){
  i64 v = 0;
  int nDigit = 0, nSig = 0;
  for(; datePeek(p)>='0' && datePeek(p)<='9'; p->z++){
    if( nDigit<9 ) nDigit++;
    if( nSig<9 ){
      v = v*10 + (*p->z - '0');
      nSig += v!=0;
    }
  }
  *pbZero = v==0;
  if( nDigit==0 ) return 0;
  for(; nDigit<3; nDigit++) v *= 10;
  for(; nDigit>3; nDigit--) v /= 10;
  *piMs = v;
  return 1;
}

/* Read HH:MM [ :SS [.digits] ]. */
static int dateTime(DateRead *p){
  i64 iHour, iMin, iSec = 0, iMs = 0;
  int bZero = 1;
  if( !dateNumber(p, 2, 2, 1, &iHour) || !dateSkip(p, ':') ) return 0;
  if( !dateNumber(p, 2, 2, 1, &iMin) ) return 0;
  if( dateSkip(p, ':') ){
    if( !dateNumber(p, 2, 2, 1, &iSec) ) return 0;
    if( dateSkip(p, '.') && !dateFraction(p, &iMs, &bZero) ) return 0;
  }
  if( iHour>24 || iMin>59 || iSec>59 ) return 0;
  if( iHour==24 && (iMin || iSec || !bZero) ) return 0;
  p->iTime = ((iHour*60 + iMin)*60 + iSec)*1000 + iMs;
  return 1;
}

/* Read (+|-)HHMM or (+|-)HH:MM. */
static int dateOffset(DateRead *p){
  int bWest = datePeek(p)=='-';
  i64 iHour, iMin;
  if( !dateSkip(p, '+') && !dateSkip(p, '-') ) return 0;
  if( !dateNumber(p, 2, 2, 0, &iHour) ) return 0;
  dateSkip(p, ':');
  if( !dateNumber(p, 2, 2, 1, &iMin) || iHour>23 || iMin>59 ) return 0;
  p->iZone = iHour*60 + iMin;
  if( bWest ) p->iZone = -p->iZone;
  return 1;
}

/* Read iso, see above. */
static int dateIso(DateRead *p){
  int c = datePeek(p);
  if( dateSkip(p, '+') || dateSkip(p, '-') ){
    if( !dateNumber(p, 6, 6, 1, &p->iYear) ) return 0;
    if( c=='-' && p->iYear==0 ) return 0;
    if( c=='-' ) p->iYear = -p->iYear;
  }else if( !dateNumber(p, 4, 4, 1, &p->iYear) ){
    return 0;
  }
  p->iMonth = p->iDay = 1;
  if( dateSkip(p, '-') ){
    if( !dateNumber(p, 2, 2, 1, &p->iMonth) ) return 0;
    if( dateSkip(p, '-') && !dateNumber(p, 2, 2, 1, &p->iDay) ) return 0;
  }
  if( p->z==p->zEnd ) return 1;
  if( !dateSkip(p, 't') ){
    /* Deno takes the years 0 to 99 for others then: better refused */
    if( !dateSkip(p, ' ') || (p->iYear>=0 && p->iYear<100) ) return 0;
  }
  return dateTime(p) && (dateSkip(p, 'z') || dateOffset(p));
}

/* Read the day of a month and spaces. */
static int dateDayOfMonth(DateRead *p){
  return dateNumber(p, 1, 2, 1, &p->iDay) && dateSpaces(p);
}

/* Read the name of a month and spaces. */
static int dateMonth(DateRead *p){
  p->iMonth = dateName(p, "january february march april may june july august "
                         "september october november december ");
  return p->iMonth && dateSpaces(p);
}

/* Read zone, see above. */
static int dateZone(DateRead *p){
  int bName = dateName(p, "gmt utc ")!=0;
  if( !bName && dateSkip(p, 'u') ){
    bName = dateSkip(p, 't');
    if( !bName ) return 0;
  }
  if( !bName ) bName = dateSkip(p, 'z');
  if( datePeek(p)=='+' || datePeek(p)=='-' ){
    if( !dateOffset(p) ) return 0;
  }else if( !bName ){
    return 0;
  }
  if( p->z==p->zEnd ) return 1;
  if( !dateSpaces(p) || !dateSkip(p, '(') ) return 0;
  while( p->z<p->zEnd && *p->z!='(' && *p->z!=')' ) p->z++;
  return dateSkip(p, ')');
}

/* Read rfc or text, see above. */
static int dateWords(DateRead *p){
  int bDay = dateName(p, "sunday monday tuesday wednesday thursday friday "
                        "saturday ")!=0;
  int bComma = bDay && dateSkip(p, ',');
  if( bDay && !dateSpaces(p) ) return 0;
  if( datePeek(p)>='0' && datePeek(p)<='9' ){
    if( !dateDayOfMonth(p) || !dateMonth(p) ) return 0;
  }else{
    if( !bDay || bComma || !dateMonth(p) || !dateDayOfMonth(p) ) return 0;
  }
  if( !dateNumber(p, 1, 6, 1, &p->iYear) || !dateSpaces(p) ) return 0;
  if( p->iYear<50 ){
    p->iYear += 2000;
  }else if( p->iYear<100 ){
    p->iYear += 1900;
  }
  return dateTime(p) && dateSpaces(p) && dateZone(p);
}

int kvDateParse(KvBytes text, double *prMs){
  const char *z = (const char*)text.p;
  const DateRead start = { .z = z, .zEnd = z + text.n };
  DateRead d = start;
  double r;
  if( text.n==0 ) return KV_SYNTAX;
  if( !dateIso(&d) || d.z!=d.zEnd ){
    d = start;
    if( !dateWords(&d) || d.z!=d.zEnd ) return KV_SYNTAX;
  }
  if( d.iMonth<1 || d.iMonth>12 || d.iDay<1 || d.iDay>31 ) return KV_SYNTAX;
  r = (double)(dateDays(d.iYear, d.iMonth, d.iDay)*DATE_DAY
               + d.iTime - d.iZone*60000);
  if( r<-DATE_MAX || r>DATE_MAX ) return KV_SYNTAX;
  *prMs = r;
  return KV_OK;
}
