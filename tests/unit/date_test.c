/*
** date_test.c -- dates as text (kvDatePrint and kvDateParse of codec/num/date.h).
**
** Usage:  date_test [SEED]
*/
#include "unit/unit.h"
#include "codec/num/date.h"

/* What toISOString() gave in Deno 2.9.6. */
static const struct { double r; const char *z; } aPrint[] = {
  { 0.0, "1970-01-01T00:00:00.000Z" },
  { 1.0, "1970-01-01T00:00:00.001Z" },
  { -1.0, "1969-12-31T23:59:59.999Z" },
  { 999.0, "1970-01-01T00:00:00.999Z" },
  { -62167219200000.0, "0000-01-01T00:00:00.000Z" },
  { -62167219200001.0, "-000001-12-31T23:59:59.999Z" },
  { 253402300799999.0, "9999-12-31T23:59:59.999Z" },
  { 253402300800000.0, "+010000-01-01T00:00:00.000Z" },
  { 8640000000000000.0, "+275760-09-13T00:00:00.000Z" },
  { -8640000000000000.0, "-271821-04-20T00:00:00.000Z" },
  { 951782400000.0, "2000-02-29T00:00:00.000Z" },
  { 1682245845123.0, "2023-04-23T10:30:45.123Z" },
  { -62135596800000.0, "0001-01-01T00:00:00.000Z" },
  { 1709164800000.0, "2024-02-29T00:00:00.000Z" },
  { 4107542400000.0, "2100-03-01T00:00:00.000Z" },
  { -2208988800000.0, "1900-01-01T00:00:00.000Z" },
  { -1000000000000000.0, "-029719-04-05T22:13:20.000Z" },
  { 1000000000000000.0, "+033658-09-27T01:46:40.000Z" },
};

/* What new Date(text).getTime() gave in Deno 2.9.6. */
static const struct { const char *z; double r; } aRead[] = {
  { "2023", 1672531200000.0 },
  { "2023-04", 1680307200000.0 },
  { "2023-04-23", 1682208000000.0 },
  { "0000", -62167219200000.0 },
  { "0099-12-31", -59011545600000.0 },
  { "+002023-04-23", 1682208000000.0 },
  { "-000001", -62198755200000.0 },
  { "+275760-09-13", 8640000000000000.0 },
  { "-271821-04-20", -8640000000000000.0 },
  { "2023T10:00Z", 1672567200000.0 },
  { "2023-04T10:00Z", 1680343200000.0 },
  { "2023-04-23T10:00Z", 1682244000000.0 },
  { "2023-04-23T10:00:30Z", 1682244030000.0 },
  { "2023-04-23T10:00:30.5Z", 1682244030500.0 },
  { "2023-04-23T10:00:30.123456Z", 1682244030123.0 },
  { "2023-04-23T10:00:30.0009Z", 1682244030000.0 },
  { "2023-04-23T10:00:30.003000000000Z", 1682244030300.0 },
  { "2023-04-23T10:00:00+02:00", 1682236800000.0 },
  { "2023-04-23T10:00:00-0930", 1682278200000.0 },
  { "2023-04-23T24:00:00Z", 1682294400000.0 },
  { "2023-04-23T24:00Z", 1682294400000.0 },
  { "2023-02-30", 1677715200000.0 },
  { "2023-02-29T00:00Z", 1677628800000.0 },
  { "2024-02-29", 1709164800000.0 },
  { "2023-04-23t10:00z", 1682244000000.0 },
  { "2023-04-23 10:00:00Z", 1682244000000.0 },
  { "+275760-09-13T01:00:00+01:00", 8640000000000000.0 },
  { "-271821-04-19T23:00:00-01:00", -8640000000000000.0 },
  { "0041-01-01T00:00Z", -60873292800000.0 },
  { "Sun, 23 Apr 2023 10:00:00 GMT", 1682244000000.0 },
  { "sun, 23 apr 2023 10:00:00 gmt", 1682244000000.0 },
  { "Mon, 23 Apr 2023 10:00:00 UTC", 1682244000000.0 },
  { "23 Apr 2023 10:00 Z", 1682244000000.0 },
  { "23 Apr 2023 10:00:00 +0200", 1682236800000.0 },
  { "23 Apr 2023 10:00:00 -09:30", 1682278200000.0 },
  { "23 Apr 2023 10:00:00 GMT+0200", 1682236800000.0 },
  { "Sunday, 23 April 2023 10:00:00 UT", 1682244000000.0 },
  { "3 Feb 2023 10:00:00.5 GMT", 1675418400500.0 },
  { "31 Feb 2023 10:00:00 GMT", 1677837600000.0 },
  { "23 Apr 49 10:00:00 GMT", 2502784800000.0 },
  { "23 Apr 50 10:00:00 GMT", -621439200000.0 },
  { "23 Apr 100 10:00:00 GMT", -59001746400000.0 },
  { "13 Sep 275760 00:00:00 GMT", 8640000000000000.0 },
  { "Sun Apr 23 2023 10:00:00 GMT+0200 (CEST)", 1682236800000.0 },
  { "Sun Apr 23 2023 10:00:00 GMT+0000 (Coordinated Universal Time)", 1682244000000.0 },
};

/* Texts that Deno 2.9.6 has no date for. */
static const char *const azInvalid[] = {
  "",
  "x",
  "2023-13",
  "2023-00",
  "2023-04-32",
  "2023-04-00",
  "-000000",
  "+2750760",
  "-271821-04-19",
  "+275760-09-13T00:00:00.001Z",
  "2023-04-23T",
  "2023-04-23T10Z",
  "2023-04-23T10:60Z",
  "2023-04-23T10:00:60Z",
  "2023-04-23T25:00Z",
  "2023-04-23T24:00:01Z",
  "2023-04-23T24:00:00.0001Z",
  "2023-04-23T10:00:00.Z",
  "2023-04-23T10:00:00+24:00",
  "2023-04-23T10:00:00+23:60",
  "2023-04-23T10:00:00+02",
  "2023-04-23T10:00:00Zx",
  "2023-04-23T10:00:00 GMT",
  "Sun, 32 Apr 2023 10:00:00 GMT",
  "Sun, 23 Foo 2023 10:00:00 GMT",
  "Sun, 23 Apr -2023 10:00:00 GMT",
  "23 Apr 2023 24:00:01 GMT",
  "13 Sep 275760 00:00:01 GMT",
};

/* Texts that Deno reads, but in the time zone of the machine or in another
** way that is not followed here. */
static const char *const azRefused[] = {
  "2023-", "202", "20230", "2023-1", "2023-04-23T10:00", "2023-04-23T10:00:00.5",
  "2023-04-23 10:00", "2023-04-23 ", " 2023-04-23", "0041-01-01 00:00Z",
  "23 Apr 2023", "23 Apr 2023 10:00:00", "Sun, 23 Apr 2023 10:00:00",
  "Sun Apr 23 2023", "Apr 23, 2023 10:00:00 GMT", "4/23/2023",
  "Sun, 23 Apr 2023 10:00:00 EST", "Sun, 23 Apr 2023 10:00:00 +2500",
};

/* Read z from memory that ends with it. */
static int readDate(const char *z, double *pr){
  size_t n = strlen(z);
  char *a = malloc(n ? n : 1);
  int rc;
  memcpy(a, z, n);
  rc = kvDateParse(kvBytes(a, (u32)n), pr);
  free(a);
  return rc;
}

/* Print r, terminated. */
static const char *print(double r){
  static u8 aText[64];
  KvBuf out;
  kvBufInit(&out, aText, sizeof(aText));
  kvDatePrint(r, &out);
  kvBufTerminate(&out);
  return (const char*)out.a;
}

static void testVectors(void){
  size_t i;
  double r;
  for(i=0; i<sizeof(aPrint)/sizeof(aPrint[0]); i++){
    CHECK_OF( strcmp(print(aPrint[i].r), aPrint[i].z)==0, aPrint[i].z );
    CHECK_OF( readDate(aPrint[i].z, &r)==KV_OK && r==aPrint[i].r, aPrint[i].z );
  }
  for(i=0; i<sizeof(aRead)/sizeof(aRead[0]); i++){
    CHECK_OF( readDate(aRead[i].z, &r)==KV_OK && r==aRead[i].r, aRead[i].z );
  }
  for(i=0; i<sizeof(azInvalid)/sizeof(azInvalid[0]); i++){
    CHECK_OF( readDate(azInvalid[i], &r)==KV_SYNTAX, azInvalid[i] );
  }
  for(i=0; i<sizeof(azRefused)/sizeof(azRefused[0]); i++){
    CHECK_OF( readDate(azRefused[i], &r)==KV_SYNTAX, azRefused[i] );
  }
}

/* What is no time value has no date. */
static void testOutside(void){
  CHECK( strcmp(print(8.64e15+1), "Invalid Date")==0 );
  CHECK( strcmp(print(-8.64e15-1), "Invalid Date")==0 );
  CHECK( strcmp(print(1e300), "Invalid Date")==0 );
  CHECK( strcmp(print(kvBitsToDouble(0x7ff8000000000000u)), "Invalid Date")==0 );
  CHECK( strcmp(print(kvBitsToDouble(0xfff0000000000000u)), "Invalid Date")==0 );
}

/*
** A slow calendar beside the real one: from 1970 day by day, some thousand
** years forth and back.
*/
static int monthDays(int iYear, int iMonth){
  static const int a[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int bLeap = (iYear%4==0 && iYear%100!=0) || iYear%400==0;
  return a[iMonth-1] + (iMonth==2 && bLeap);
}
static void checkDay(int iDays, int y, int m, int d){
  char z[64];
  if( y<0 || y>9999 ){
    snprintf(z, sizeof(z), "%c%06d-%02d-%02dT00:00:00.000Z", y<0 ? '-' : '+',
             abs(y), m, d);
  }else{
    snprintf(z, sizeof(z), "%04d-%02d-%02dT00:00:00.000Z", y, m, d);
  }
  CHECK_OF( strcmp(print(iDays*86400000.0), z)==0, z );
}
static void testCalendar(void){
  int y = 1970, m = 1, d = 1, i;
  for(i=0; y<10100; i++){
    if( i%37==0 || d<2 || y==2000 ) checkDay(i, y, m, d);
    if( ++d>monthDays(y, m) ){
      d = 1;
      if( ++m>12 ){ m = 1; y++; }
    }
  }
  y = 1970; m = 1; d = 1;
  for(i=0; y>-1000; i--){
    if( i%37==0 || d<2 ) checkDay(i, y, m, d);
    if( --d<1 ){
      if( --m<1 ){ m = 12; y--; }
      d = monthDays(y, m);
    }
  }
}

/* Random time values are read as they were printed. */
static void testRoundTrip(void){
  int i;
  for(i=0; i<100000; i++){
    double r = (double)(i64)(unitRandom()%17280000000000001u) - 8.64e15, r2 = 0;
    if( i%2 ) r = (double)((i64)(r/1000));
    CHECK_OF( readDate(print(r), &r2)==KV_OK && r2==r, print(r) );
  }
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testVectors();
  testOutside();
  testCalendar();
  testRoundTrip();
  return unitDone();
}
