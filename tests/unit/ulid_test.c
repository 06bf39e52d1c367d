/*
** ulid_test.c -- ULIDs (codec/ulid.h).
**
** Usage:  ulid_test [SEED]
*/
#include "unit/unit.h"
#include "codec/ulid.h"

static const char zDigits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* Digit by digit by long division of the 80 bits: slow and plain. */
static void slowPrint(i64 iMs, const u8 *aRandom, char *z){
  u8 a[KV_ULID_RANDOM];
  int i, k;
  for(i=9; i>=0; i--){
    z[i] = zDigits[iMs%32];
    iMs /= 32;
  }
  memcpy(a, aRandom, sizeof(a));
  for(i=KV_ULID_TEXT-1; i>=10; i--){
    u32 nRest = 0;
    for(k=0; k<KV_ULID_RANDOM; k++){
      nRest = nRest*256 + a[k];
      a[k] = (u8)(nRest/32);
      nRest %= 32;
    }
    z[i] = zDigits[nRest];
  }
}

static void testVectors(void){
  static const struct { i64 iMs; u8 a[KV_ULID_RANDOM]; const char *z; } aVector[] = {
    { 0, {0}, "00000000000000000000000000" },
    { 1, {0,0,0,0,0,0,0,0,0,1}, "00000000010000000000000001" },
    { 31, {0,0,0,0,0,0,0,0,0,31}, "000000000Z000000000000000Z" },
    { 32, {0,0,0,0,0,0,0,0,0,32}, "00000000100000000000000010" },
    { KV_ULID_MOST, {255,255,255,255,255,255,255,255,255,255}, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ" },
    { 1469918176385, {0x80,0,0,0,0,0,0,0,0,0}, "01ARYZ6S41G000000000000000" },
  };
  u32 i;
  for(i=0; i<sizeof(aVector)/sizeof(aVector[0]); i++){
    char z[KV_ULID_TEXT+1];
    z[KV_ULID_TEXT] = 0;
    kvUlidPrint(aVector[i].iMs, aVector[i].a, z);
    CHECK_OF( strcmp(z, aVector[i].z)==0, z );
    CHECK_OF( kvUlidTime(kvBytes(z, KV_ULID_TEXT))==aVector[i].iMs, z );
  }
}

static void testRandom(void){
  int i, k;
  for(i=0; i<20000; i++){
    u8 a[KV_ULID_RANDOM];
    char z1[KV_ULID_TEXT+1], z2[KV_ULID_TEXT+1];
    i64 iMs = (i64)(unitRandom() % ((u64)KV_ULID_MOST+1)) >> unitBelow(48);
    for(k=0; k<KV_ULID_RANDOM; k++) a[k] = (u8)unitRandom();
    z1[KV_ULID_TEXT] = z2[KV_ULID_TEXT] = 0;
    kvUlidPrint(iMs, a, z1);
    slowPrint(iMs, a, z2);
    CHECK_OF( strcmp(z1, z2)==0, z1 );
    CHECK_OF( kvUlidTime(kvBytes(z1, KV_ULID_TEXT))==iMs, z1 );
    if( kvUlidIncrement(a) ){          /* the next one sorts right after */
      kvUlidPrint(iMs, a, z2);
      CHECK_OF( strcmp(z1, z2)<0, z1 );
    }
  }
}

static void testIncrement(void){
  u8 a[KV_ULID_RANDOM];
  int i, k;
  for(i=0; i<KV_ULID_RANDOM; i++){     /* a carry over i bytes */
    memset(a, 0, sizeof(a));
    for(k=0; k<i; k++) a[KV_ULID_RANDOM-1-k] = 255;
    CHECK( kvUlidIncrement(a)==1 );
    for(k=0; k<KV_ULID_RANDOM; k++) CHECK( a[k]==(k==KV_ULID_RANDOM-1-i ? 1 : 0) );
  }
  memset(a, 255, sizeof(a));
  a[KV_ULID_RANDOM-1] = 254;
  CHECK( kvUlidIncrement(a)==1 );
  CHECK( kvUlidIncrement(a)==0 );
}

static void testTime(void){
  static const char *const azBad[] = {
    "", "0", "0000000000000000000000000", "000000000000000000000000000",
    "80000000000000000000000000", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
    "0000000000000000000000000I", "0000000000000000000000000L",
    "0000000000000000000000000O", "0000000000000000000000000U",
    "i0000000000000000000000000", "0000000000-000000000000000",
    "000000000000000000000000\xc3\xa9",
  };
  char z[KV_ULID_TEXT];
  u32 i;
  for(i=0; i<sizeof(azBad)/sizeof(azBad[0]); i++){
    CHECK_OF( kvUlidTime(kvBytesText(azBad[i]))==-1, azBad[i] );
  }
  CHECK( kvUlidTime(kvBytes("7zzzzzzzzzzzzzzzzzzzzzzzzz", KV_ULID_TEXT))==KV_ULID_MOST );
  for(i=0; i<256; i++){                /* every byte, at every place */
    int bDigit = i && (strchr(zDigits, (int)i) || (i>='a' && i<='z' && strchr(zDigits, (int)i-32)));
    u32 k;
    for(k=0; k<KV_ULID_TEXT; k++){
      memset(z, '0', sizeof(z));
      z[k] = (char)i;
      CHECK( (kvUlidTime(kvBytes(z, KV_ULID_TEXT))>=0)==(bDigit && (k || (i>='0' && i<='7'))) );
    }
  }
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testVectors();
  testRandom();
  testIncrement();
  testTime();
  return unitDone();
}
