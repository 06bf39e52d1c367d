/*
** date_sql.c -- time values as the date texts of SQL.  See date_sql.h.
*/
#include "codec/num/date_sql.h"
#include "codec/num/date.h"

u32 kvDateSqlText(double rMs, char *z){
  char zIso[KV_DATE_TEXT];
  if( kvDateText(rMs, zIso)!=24 ) return 0;      /* 2024-05-01T10:00:00.000Z */
  memcpy(z, zIso, 23);
  z[10] = ' ';
  memcpy(z + 23, "000", 4);
  return 26;
}

static int dateSqlDigits(const char *z, u32 n){
  u32 i;
  for(i=0; i<n && z[i]>='0' && z[i]<='9'; i++){}
  return i==n;
}

/* Append the seconds at z, if there are any, with three digits of a fraction.  Returns
** what has been read. */
static u32 dateSqlSeconds(const char *z, u32 n, char *zOut, u32 *pnOut){
  u32 i = 3, nDigit = 0;
  if( n<3 || z[0]!=':' || !dateSqlDigits(z+1, 2) ) return 0;
  memcpy(zOut + *pnOut, z, 3);
  *pnOut += 3;
  if( n<5 || z[3]!='.' || !dateSqlDigits(z+4, 1) ) return 3;
  zOut[(*pnOut)++] = '.';
  for(i++; i<n && dateSqlDigits(z+i, 1); i++){
    if( nDigit++<3 ) zOut[(*pnOut)++] = z[i];
  }
  while( nDigit++<3 ) zOut[(*pnOut)++] = '0';
  return i;
}

/* SQLite's form, by way of the one that kvDateParse() reads. */
static int dateSqlRead(KvBytes text, double *prMs){
  const char *z = (const char*)text.p;
  char zIso[40];
  u32 n = text.n, i, nOut = 16;
  if( n<10 || !dateSqlDigits(z, 4) || z[4]!='-' || !dateSqlDigits(z+5, 2) || z[7]!='-'
   || !dateSqlDigits(z+8, 2)
  ){
    return 0;
  }
  memcpy(zIso, z, 10);
  for(i=10; i<n && (z[i]==' ' || z[i]=='T'); i++){}
  if( n<i+5 || !dateSqlDigits(z+i, 2) || z[i+2]!=':' || !dateSqlDigits(z+i+3, 2) ) return 0;
  zIso[10] = 'T';
  memcpy(zIso + 11, z + i, 5);
  i += 5;
  i += dateSqlSeconds(z + i, n - i, zIso, &nOut);
  while( i<n && z[i]==' ' ) i++;
  if( i==n || (n-i==1 && (z[i]|32)=='z') ){
    zIso[nOut++] = 'Z';
  }else if( n-i==6 ){
    memcpy(zIso + nOut, z + i, 6);
    nOut += 6;
  }else{
    return 0;
  }
  return kvDateParse(kvBytes(zIso, nOut), prMs)==KV_OK && *prMs==*prMs;
}

int kvDateSqlRead(KvBytes text, double *prMs){
  const char *z = (const char*)text.p;
  u32 nSign = text.n>0 && (*z=='+' || *z=='-');
  if( text.n>0 && dateSqlDigits(z + nSign, text.n - nSign) ) return 0;
  if( kvDateParse(text, prMs)==KV_OK && *prMs==*prMs ) return 1;
  return dateSqlRead(text, prMs);
}

/* ---- the order ----------------------------------------------------------------- */

static inline u32 dateSqlTwo(const u8 *z){
  return 10*(u32)(z[0] - '0') + (u32)(z[1] - '0');
}

/* Is a text surely a date in the form that kvDateSqlText() writes?  Of two such the
** first 23 bytes tell which is earlier. */
static int dateSqlShown(KvBytes text){
  static const u8 aLast[] = { 0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  static const char zShape[] = "0000-00-00 00:00:00.0000";
  /* What may be added to a byte that differs from the shape without reaching 16: a digit is
  ** at most 9, anything else is the very one */
  static const char zMore[] = "\6\6\6\6\17\6\6\17\6\6\17\6\6\17\6\6\17\6\6\17\6\6\6\6";
  const u8 *z = text.p;
  u32 i, iMonth, iDay;
  if( text.n!=26 ) return 0;
  for(i=0; i<24; i+=8){
    u64 v, shape, more;
    memcpy(&v, z + i, 8);
    memcpy(&shape, zShape + i, 8);
    memcpy(&more, zMore + i, 8);
    v ^= shape;
    if( (v | (v + more)) & 0xf0f0f0f0f0f0f0f0u ) return 0;
  }
  iMonth = dateSqlTwo(z+5);
  iDay = dateSqlTwo(z+8);
  return iMonth>=1 && iMonth<=12 && iDay>=1 && iDay<=aLast[iMonth] && dateSqlTwo(z+11)<24
      && dateSqlTwo(z+14)<60 && dateSqlTwo(z+17)<60 && dateSqlDigits((const char*)z + 24, 2);
}

int kvDateSqlCompare(KvBytes a, KvBytes b){
  double rA, rB;
  int bA, bB;
  if( dateSqlShown(a) && dateSqlShown(b) ) return memcmp(a.p, b.p, 23);
  bA = kvDateSqlRead(a, &rA);
  bB = kvDateSqlRead(b, &rB);
  if( bA && bB ) return (rA>rB) - (rA<rB);
  if( bA || bB ) return bA ? -1 : 1;
  return kvBytesCompare(a, b);
}
