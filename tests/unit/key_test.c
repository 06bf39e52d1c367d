/*
** key_test.c -- keys: bytes, text, order.
**
** The literal vectors were written by the real Deno.
*/
#include "unit/unit.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/key/key_compare.h"
#include "codec/key/cursor.h"
#include "codec/versionstamp.h"

/* Parse key text; returns the code, the bytes in *pOut. */
static int parse(const char *z, KvBuf *pOut, KvErr *pErr){
  kvBufReset(pOut);
  return kvKeyParse(kvBytesText(z), KVKEY_MALFORMED, pOut, 0, pErr);
}

static u32 unhex(const char *z, u8 *a){
  u32 n = 0;
  for(; z[0] && z[1]; z+=2){
    unsigned v;
    sscanf(z, "%2x", &v);
    a[n++] = (u8)v;
  }
  return n;
}

/* Text, canonical text and bytes of each type. */
static void testVectors(void){
  static const struct { const char *zText, *zCanon, *zHex; } a[] = {
    { "[]", "[]", "" },
    { "[\"\"]", "[\"\"]", "0200" },
    { " [ 'a' , 1, ] // x", "[\"a\",1]", "02610021bff0000000000000" },
    { "[\"a\\0b\"]", "[\"a\\u0000b\"]", "026100ff6200" },
    { "[\"\\u00e9\"]", "[\"\xc3\xa9\"]", "02c3a900" },
    { "['\\u{1F600}']", "[\"\xf0\x9f\x98\x80\"]", "02f09f988000" },
    { "['\\ud83d\\ude00']", "[\"\xf0\x9f\x98\x80\"]", "02f09f988000" },
    { "['\\ud800']", "[\"\xef\xbf\xbd\"]", "02efbfbd00" },
    { "['\\ud800\\ud800x']", "[\"\xef\xbf\xbd\xef\xbf\xbdx\"]", "02efbfbdefbfbd7800" },
    { "[0n]", "[0n]", "14" },
    { "[-0n]", "[0n]", "14" },
    { "[1n]", "[1n]", "1501" },
    { "[0x100n]", "[256n]", "160100" },
    { "[1_000n]", "[1000n]", "1603e8" },
    { "[-1n]", "[-1n]", "13fe" },
    { "[-255n]", "[-255n]", "1300" },
    { "[-256n]", "[-256n]", "12feff" },
    { "[18446744073709551615n]", "[18446744073709551615n]", "1cffffffffffffffff" },
    { "[18446744073709551616n]", "[18446744073709551616n]", "1d09010000000000000000" },
    { "[-18446744073709551616n]", "[-18446744073709551616n]", "0bf6feffffffffffffffff" },
    { "[0]", "[0]", "218000000000000000" },
    { "[-0]", "[-0]", "217fffffffffffffff" },
    { "[1]", "[1]", "21bff0000000000000" },
    { "[0x10]", "[16]", "21c030000000000000" },
    { "[1e3]", "[1000]", "21c08f400000000000" },
    { "[-1]", "[-1]", "21400fffffffffffff" },
    { "[NaN]", "[NaN]", "21fff8000000000000" },
    { "[-NaN]", "[-NaN]", "210007ffffffffffff" },
    { "[Infinity]", "[Infinity]", "21fff0000000000000" },
    { "[-Infinity]", "[-Infinity]", "21000fffffffffffff" },
    { "[false]", "[false]", "26" },
    { "[true]", "[true]", "27" },
    { "[new Uint8Array([])]", "[new Uint8Array([])]", "0100" },
    { "[new Uint8Array()]", "[new Uint8Array([])]", "0100" },
    { "[new Uint8Array(2)]", "[new Uint8Array([0,0])]", "0100ff00ff00" },
    { "[new Uint8Array([0,1,255,0])]", "[new Uint8Array([0,1,255,0])]", "0100ff01ff00ff00" },
    { "[Uint8Array(3) [ 1, 2, 3 ]]", "[new Uint8Array([1,2,3])]", "0101020300" },
    { "[new Uint8Array([256,-1,1.9])]", "[new Uint8Array([0,255,1])]", "0100ffff0100" },
    { "[new Uint8Array([9007199254740994,-9007199254740994,1e300,-0.5])]", "[new Uint8Array([2,254,0,0])]", "0102fe00ff00ff00" },
    { "[\"a\",1\xc2\xa0,true\xe2\x80\xa8,-NaN\xef\xbb\xbf,2n\xe3\x80\x80]", "[\"a\",1,true,-NaN,2n]",
      "02610021bff000000000000027210007ffffffffffff1502" },
    { "[ /* c */ \"a\" /* d */ ]", "[\"a\"]", "026100" },
  };
  KvBuf key, text;
  KvErr err;
  u8 aHex[64];
  u32 i, n;
  kvBufInit(&key, 0, 0);
  kvBufInit(&text, 0, 0);
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    n = unhex(a[i].zHex, aHex);
    CHECK_OF(parse(a[i].zText, &key, &err)==KV_OK, a[i].zText);
    CHECK_OF(key.n==n && memcmp(key.a ? key.a : aHex, aHex, n)==0, a[i].zText);
    kvBufReset(&text);
    CHECK_OF(kvKeyPrint(&text, kvBytes(aHex, n), &err)==KV_OK, a[i].zText);
    kvBufTerminate(&text);
    CHECK_OF(strcmp((char*)text.a, a[i].zCanon)==0, (char*)text.a);
  }
  kvBufClear(&key);
  kvBufClear(&text);
}

/* What is refused, and where. */
static void testErrors(void){
  static const struct { const char *zText; int iPos; } a[] = {
    { "", 0 }, { "a", 0 }, { "{}", 0 }, { "[", 1 }, { "[1", 2 }, { "[1 2]", 3 },
    { "[,]", 1 }, { "[1,,2]", 3 }, { "[1] x", 4 }, { "[null]", 1 }, { "[undefined]", 1 },
    { "[[1]]", 1 }, { "[{}]", 1 }, { "[\"a]", 1 }, { "['a\nb']", 3 }, { "[\"\\x1\"]", 2 },
    { "[\"\\u12\"]", 2 }, { "[\"\\u{110000}\"]", 2 }, { "[01]", 1 }, { "[1__0]", 1 },
    { "[+1n]", 1 }, { "[1.5n]", 1 }, { "[- ]", 1 }, { "[/* ]", 1 }, { "[`${1}`]", 2 },
    { "[new Uint8Array([1)]", 18 }, { "[new Uint8Array([1n])]", 19 }, { "[new Int8Array([1])]", 1 },
    { "[kv.commitVersionstamp()]", 1 }, { "[true1]", 1 }, { "[1a]", 1 },
    { "[Uint8Array(3) [ 1, 2 ]]", 23 }, { "kv.malformedKey(\"0g\")", 17 },
  };
  KvBuf key;
  KvErr err;
  u32 i;
  kvBufInit(&key, 0, 0);
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    err.eCode = 0;
    err.iPos = -9;
    CHECK_OF(parse(a[i].zText, &key, &err)==KV_SYNTAX, a[i].zText);
    if( !CHECK(err.eCode==KV_SYNTAX && err.iPos==a[i].iPos && err.zMsg!=0) ){
      printf("  %s: position %d, not %d: %s\n", a[i].zText, (int)err.iPos, a[i].iPos, err.zMsg);
    }
  }
  kvBufClear(&key);
}

/* An integer is what it becomes, exactly or as JavaScript prints it. */
static void testIntegers(void){
  static const char zBin1025[] = "[0b1%01024d]";
  static const struct { const char *zText, *zNumber; } a[] = {
    { "[9007199254740991]", 0 }, { "[9007199254740992]", 0 }, { "[9007199254740994]", 0 },
    { "[9007199254740993]", "9007199254740992" },
    { "[-9007199254740993]", "-9007199254740992" },
    { "[ + 9007199254740993]", "9007199254740992" },
    { "[9_007_199_254_740_993]", "9007199254740992" }, { "[9_007_199_254_740_992]", 0 },
    { "[9007199254740995]", "9007199254740996" }, { "[9223372036854775807]", "9223372036854776000" },
    { "[9223372036854775808]", 0 },              /* its value */
    { "[9223372036854776000]", 0 },              /* its print */
    { "[9223372036854776001]", "9223372036854776000" },
    { "[123456789012345680000]", 0 }, { "[123456789012345683968]", 0 },
    { "[123456789012345678901]", "123456789012345680000" },
    { "[1000000000000000000000]", 0 }, { "[1000000000000000000001]", "1e+21" },
    { "[100000000000000000000000]", "1e+23" },   /* 99999999999999991611392 */
    { "[99999999999999991611392]", 0 },
    { "[0x1fffffffffffff]", 0 }, { "[0x20000000000000]", 0 },
    { "[0x20000000000001]", "9007199254740992" }, { "[-0X20000000000001]", "-9007199254740992" },
    { "[0x2000_0000_0000_01]", "9007199254740992" }, { "[0x00020000000000000]", 0 },
    { "[0o400000000000000000]", 0 }, { "[0o400000000000000001]", "9007199254740992" },
    { "[0b100000000000000000000000000000000000000000000000000001]", "9007199254740992" },
    { "[0x8000000000000000]", 0 }, { "[0x7fffffffffffffff]", "9223372036854776000" },
    /* no integers: as JavaScript reads them */
    { "[9007199254740993.0]", 0 }, { "[9007199254740993.]", 0 }, { "[9007199254740993e0]", 0 },
    { "[0.1]", 0 }, { "[1e400]", 0 }, { "[900719925474099.3e1]", 0 }, { "[9007199254740993n]", 0 },
  };
  char zLong[1100];
  KvBuf key;
  KvErr err;
  u32 i;
  kvBufInit(&key, 0, 0);
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    int rc = parse(a[i].zText, &key, &err);
    CHECK_OF(rc==(a[i].zNumber ? KV_SYNTAX : KV_OK), a[i].zText);
    if( rc!=KV_OK ) CHECK_OF(strcmp(err.zNumber, a[i].zNumber)==0 && err.iPos>0, err.zNumber);
  }
  /* 2^1023 is a number, 2^1024 is none, nor are longer ones. */
  sprintf(zLong, "[0b1%01023d]", 0);
  CHECK(parse(zLong, &key, &err)==KV_OK);
  zLong[1025] = '1';
  CHECK(parse(zLong, &key, &err)==KV_SYNTAX && strcmp(err.zNumber, "8.98846567431158e+307")==0);
  sprintf(zLong, zBin1025, 0);
  CHECK(parse(zLong, &key, &err)==KV_SYNTAX && strcmp(err.zNumber, "Infinity")==0);
  sprintf(zLong, "[-%0400d]", 0);
  zLong[2] = '1';
  CHECK(parse(zLong, &key, &err)==KV_SYNTAX && strcmp(err.zNumber, "-Infinity")==0);
  /* An error that is no number's has none. */
  CHECK(parse("[x]", &key, &err)==KV_SYNTAX && err.zNumber[0]==0);
  /* A key reads what it prints. */
  for(i=0; i<2000; i++){
    KvBuf text;
    double r = kvBitsToDouble((unitRandom()>>12) | (u64)(1077 + unitBelow(70))<<52);
    kvBufInit(&text, 0, 0);
    kvBufReset(&key);
    kvKeyPutNumber(&key, r);
    kvKeyPrint(&text, kvBufBytes(&key), 0);
    kvBufTerminate(&text);
    CHECK_OF(parse((char*)text.a, &key, &err)==KV_OK, (char*)text.a);
    sprintf(zLong, "[%.0f]", r);
    CHECK_OF(parse(zLong, &key, &err)==KV_OK, zLong);
    zLong[strlen(zLong)-2] ^= 1;       /* odd, and so is no double */
    CHECK_OF(parse(zLong, &key, &err)==KV_SYNTAX, zLong);
    kvBufClear(&text);
  }
  kvBufClear(&key);
}

/* Stored bytes that no Deno can read, or that none writes. */
static void testCorrupt(void){
  static const struct { const char *zHex; int bReadable; const char *zShown; } a[] = {
    { "00", 0, "kv.malformedKey(\"00\")" },
    { "0261", 0, "kv.malformedKey(\"0261\")" },
    { "02ff00", 0, "kv.malformedKey(\"02ff00\")" },
    { "02eda08000", 0, "kv.malformedKey(\"02eda08000\")" },
    { "21bff00000000000", 0, "kv.malformedKey(\"21bff00000000000\")" },
    { "1d", 0, "kv.malformedKey(\"1d\")" },
    { "1d09ff", 0, "kv.malformedKey(\"1d09ff\")" },
    { "28", 0, "kv.malformedKey(\"28\")" },
    { "ff", 0, "kv.malformedKey(\"ff\")" },
    { "", 1, "kv.malformedKey(\"\")" },
    { "1500", 1, "kv.malformedKey(\"1500\")" },
    { "160001", 1, "kv.malformedKey(\"160001\")" },
    { "1d0101", 1, "kv.malformedKey(\"1d0101\")" },
    { "0bfe00", 1, "kv.malformedKey(\"0bfe00\")" },
    { "0bff", 1, "kv.malformedKey(\"0bff\")" },
    { "21fff8000000000001", 1, "kv.malformedKey(\"21fff8000000000001\")" },
    { "026100", 1, "[\"a\"]" },
  };
  KvBuf text, back;
  KvErr err;
  u8 aHex[64];
  u32 i, n;
  kvBufInit(&text, 0, 0);
  kvBufInit(&back, 0, 0);
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    n = unhex(a[i].zHex, aHex);
    kvBufReset(&text);
    CHECK_OF((kvKeyPrint(&text, kvBytes(aHex, n), &err)==KV_OK)==a[i].bReadable, a[i].zHex);
    kvBufReset(&text);
    kvKeyShow(&text, kvBytes(aHex, n));
    kvBufTerminate(&text);
    CHECK_OF(strcmp((char*)text.a, a[i].zShown)==0, (char*)text.a);
    CHECK_OF(parse((char*)text.a, &back, 0)==KV_OK, a[i].zHex);
    CHECK_OF(back.n==n && memcmp(back.a ? back.a : aHex, aHex, n)==0, a[i].zHex);
  }
  kvBufClear(&text);
  kvBufClear(&back);
}

/* A random stored key of up to six parts. */
static void randomKey(KvBuf *p){
  static const u8 aByte[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff, 'a', 'b'};
  static const char *const azString[] = {
    "", "a", "b", "ab", "a\xc3\xa9", "\xf0\x9f\x98\x80", "\xef\xbf\xbf", "\"\\\n", "z"
  };
  u32 i, k, n = 1 + unitBelow(6);
  kvBufReset(p);
  for(i=0; i<n; i++){
    u8 a[300];
    u32 m = unitBelow(4)==0 ? unitBelow(256) : unitBelow(10);
    switch( unitBelow(6) ){
      case 0:
        for(k=0; k<m; k++) a[k] = aByte[unitBelow(8)];
        kvKeyPutBytes(p, kvBytes(a, m));
        break;
      case 1: {
        const char *z = azString[unitBelow(9)];
        kvKeyPutString(p, kvBytesText(z));
        break;
      }
      case 2:
        for(k=0; k<m; k++) a[k] = aByte[unitBelow(8)];
        while( m>0 && a[m-1]==0 ) m--;
        if( m>255 ) m = 0;
        kvKeyPutBigint(p, m ? (int)unitBelow(2) : 0, kvBytes(a, m));
        break;
      case 3:
        kvKeyPutNumber(p, kvBitsToDouble(unitRandom()));
        break;
      case 4:
        kvKeyPutNumber(p, (double)(i32)unitBelow(7) - 3.0);
        break;
      default:
        kvKeyPutBool(p, (int)unitBelow(2));
    }
  }
}

static int sign(int c){ return (c>0) - (c<0); }

/* bytes -> text -> bytes, and the order of texts is the order of bytes. */
static void testRandom(void){
  KvBuf a[3], t[3], back;
  int i, k;
  for(k=0; k<3; k++){
    kvBufInit(&a[k], 0, 0);
    kvBufInit(&t[k], 0, 0);
  }
  kvBufInit(&back, 0, 0);
  for(i=0; i<60000; i++){
    for(k=0; k<3; k++){
      if( k>0 && unitBelow(8)==0 ){
        kvBufReset(&a[k]);
        kvBufAppend(&a[k], a[0].a, a[0].n);
      }else{
        randomKey(&a[k]);
      }
      kvBufReset(&t[k]);
      kvKeyPrint(&t[k], kvBufBytes(&a[k]), 0);
      kvBufReset(&back);
      CHECK(kvKeyParse(kvBufBytes(&t[k]), 0, &back, 0, 0)==KV_OK);
      CHECK(back.n==a[k].n && memcmp(back.a, a[k].a, back.n)==0);
      CHECK(kvKeyCanonical(kvBufBytes(&a[k])));
    }
    {
      u32 n = a[0].n<a[1].n ? a[0].n : a[1].n;
      int c = memcmp(a[0].a, a[1].a, n);
      if( c==0 ) c = (a[0].n>a[1].n) - (a[0].n<a[1].n);
      CHECK(sign(c)==sign(kvKeyCompare(kvBufBytes(&t[0]), kvBufBytes(&t[1]))));
    }
  }
  for(k=0; k<3; k++){
    kvBufClear(&a[k]);
    kvBufClear(&t[k]);
  }
  kvBufClear(&back);
}

/* A text that is sometimes a key and often nearly one. */
static u32 randomText(char *z){
  static const char *const az[] = {
    "[", "]", ",", "1", "1n", "-", "\"a\"", "'a'", "true", "NaN", " ", "x",
    "new Uint8Array([1])", "kv.malformedKey(\"0261\")", "[\"a\"]", "[1]", "[1.0]", "\\"
  };
  u32 i, n = 0, m = 1 + unitBelow(5);
  for(i=0; i<m; i++){
    const char *zPiece = az[unitBelow(18)];
    memcpy(&z[n], zPiece, strlen(zPiece));
    n += (u32)strlen(zPiece);
  }
  return n;
}

/* The collation is a total order on any text at all. */
static void testTotalOrder(void){
  char z[3][256];
  u32 n[3];
  int i, k;
  for(i=0; i<200000; i++){
    int c01, c12, c02;
    for(k=0; k<3; k++) n[k] = randomText(z[k]);
    c01 = sign(kvKeyCompare(kvBytes(z[0], n[0]), kvBytes(z[1], n[1])));
    c12 = sign(kvKeyCompare(kvBytes(z[1], n[1]), kvBytes(z[2], n[2])));
    c02 = sign(kvKeyCompare(kvBytes(z[0], n[0]), kvBytes(z[2], n[2])));
    CHECK(c01==-sign(kvKeyCompare(kvBytes(z[1], n[1]), kvBytes(z[0], n[0]))));
    CHECK(kvKeyCompare(kvBytes(z[0], n[0]), kvBytes(z[0], n[0]))==0);
    if( c01<=0 && c12<=0 ) CHECK(c02<=0 && (c02<0 || (c01==0 && c12==0)));
    if( c01>=0 && c12>=0 ) CHECK(c02>=0 && (c02>0 || (c01==0 && c12==0)));
  }
}

/* The order of two texts as key_compare.h has it, by their bytes. */
static int orderOf(KvBytes textA, KvBytes textB){
  KvBuf a, b;
  int c, bA, bB;
  kvBufInit(&a, 0, 0);
  kvBufInit(&b, 0, 0);
  bA = kvKeyParse(textA, KVKEY_MALFORMED, &a, 0, 0)==KV_OK;
  bB = kvKeyParse(textB, KVKEY_MALFORMED, &b, 0, 0)==KV_OK;
  c = bA && bB ? kvBytesCompare(kvBufBytes(&a), kvBufBytes(&b))
    : bA || bB ? bB - bA : kvBytesCompare(textA, textB);
  kvBufClear(&a);
  kvBufClear(&b);
  return sign(c);
}

/* Texts that begin alike, keys and no keys, are in the order of their bytes. */
static void testCompareAlike(void){
  static const char *const azHead[] = {
    "[", "[\"a\",", "[1,", "[\"a,", "['a,", "[/*", "[ ", "[new Uint8Array([1,", "[\"\\", "[`,", "[-",
    "[1,\"a\"", "[1,\"b", "", "[\"x\",\"y\",\"z", "[//,\"", "[-12,", "[.", "[1", "[1n,"
  };
  static const char *const azTail[] = {
    "1]", "2]", "12]", "13]", "012]", "08]", "0]", "00]", "-1]", "1.5]", "1e3]", "1n]", "2n]",
    "123456789012345]", "123456789012346]", "9007199254740992]", "9007199254740993]", "1_0]", "1]]",
    "\"]", "a\"]", "b\"]", "ab\"]", "a b\"]", "a!\"]", "a#\"]", "a\\\"]", "a\\n\"]", "a'\"]", "\"a\"]",
    "\"b\"]", "\"ab\"]", "\"a\",]", "a\",]", "*/\"]", "*/1]", "\"\"]", "])]", "2])]", "]", "", "\xc3\xa9\"]",
    "z\"]", "\"z\"]", "true]", "1,2]", "1,3]", "a\",\"b\"]", "a\",\"c\"]", "\x7f\"]", "~\"]", "a\n\"]"
  };
  char z[2][64];
  u32 h, i, j;
  for(h=0; h<KV_COUNT(azHead); h++){
    for(i=0; i<KV_COUNT(azTail); i++){
      for(j=0; j<KV_COUNT(azTail); j++){
        KvBytes a, b;
        snprintf(z[0], sizeof(z[0]), "%s%s", azHead[h], azTail[i]);
        snprintf(z[1], sizeof(z[1]), "%s%s", azHead[h], azTail[j]);
        a = kvBytesText(z[0]);
        b = kvBytesText(z[1]);
        CHECK(sign(kvKeyCompare(a, b))==orderOf(a, b));
      }
    }
  }
}

/* Comparing ordinary keys allocates nothing, long ones do and still work. */
static void testCompareMemory(void){
  static const char zA[] = "[\"users\",42,new Uint8Array([1,2,3]),12345678901234567890123n,\"\\u00e9\"]";
  static const char zB[] = "[ 'users', 42, new Uint8Array([1,2,3]), 12345678901234567890123n, 'e' ]";
  static char zLong[3][40000];
  u64 nBefore = unitAllocs;
  int k;
  CHECK(kvKeyCompare(kvBytes(zA, sizeof(zA)-1), kvBytes(zB, sizeof(zB)-1))>0);
  for(k=0; k<3; k++){
    memset(zLong[k], 'x', sizeof(zLong[k]));
    memcpy(zLong[k], "[\"", 2);
  }
  memcpy(&zLong[0][2047], "\"]", 2);
  memcpy(&zLong[1][2047], "y\"]", 3);
  CHECK(kvKeyCompare(kvBytes(zLong[0], 2049), kvBytes(zLong[1], 2050))<0);
  CHECK(unitAllocs==nBefore);
  for(k=0; k<3; k++) memset(&zLong[k][2047], 'x', 3);
  for(k=0; k<3; k++) memcpy(&zLong[k][39988], k==1 ? "\\ny\"]" : "\\nx\"]", 5);
  CHECK(kvKeyCompare(kvBytes(zLong[0], 39993), kvBytes(zLong[1], 39993))<0);
  CHECK(kvKeyCompare(kvBytes(zLong[0], 39993), kvBytes(zLong[2], 39993))==0);
  CHECK(unitAllocs>nBefore);
}

static void testCursor(void){
  static const struct { const char *zHex, *zText; } a[] = {
    { "", "" }, { "026100", "AmEA" }, { "0261", "AmE=" }, { "02", "Ag==" }, { "fbff", "-_8=" },
  };
  static const char *const azBad[] = { "A", "AA", "AAA", "A===", "Ag=", "Ah==", "AmF=", "AmE", "Am+A", "Am/A", "====", "AA==AAAA" };
  KvBuf out;
  u8 aHex[64];
  u32 i, n;
  kvBufInit(&out, 0, 0);
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    n = unhex(a[i].zHex, aHex);
    kvBufReset(&out);
    kvCursorPrint(&out, kvBytes(aHex, n));
    kvBufTerminate(&out);
    CHECK_OF(strcmp((char*)out.a, a[i].zText)==0, (char*)out.a);
    kvBufReset(&out);
    CHECK(kvCursorParse(&out, kvBytesText(a[i].zText), 0)==KV_OK);
    CHECK(out.n==n && memcmp(out.a ? out.a : aHex, aHex, n)==0);
  }
  for(i=0; i<sizeof(azBad)/sizeof(azBad[0]); i++){
    kvBufReset(&out);
    CHECK_OF(kvCursorParse(&out, kvBytesText(azBad[i]), 0)==KV_SYNTAX, azBad[i]);
  }
  kvBufClear(&out);
}

/* Damaged bytes and texts give a key or an error, never anything else. */
static void testDamage(void){
  KvBuf key, text, back;
  int i;
  kvBufInit(&key, 0, 0);
  kvBufInit(&text, 0, 0);
  kvBufInit(&back, 0, 0);
  for(i=0; i<100000; i++){
    randomKey(&key);
    key.a[unitBelow(key.n)] = (u8)unitRandom();
    key.n = 1 + unitBelow(key.n);
    kvBufReset(&text);
    kvKeyShow(&text, kvBufBytes(&key));
    kvBufReset(&back);
    CHECK(kvKeyParse(kvBufBytes(&text), KVKEY_MALFORMED, &back, 0, 0)==KV_OK);
    CHECK(back.n==key.n && memcmp(back.a, key.a, back.n)==0);
    if( text.n ){
      text.a[unitBelow(text.n)] = (u8)unitRandom();
      kvBufReset(&back);
      kvKeyParse(kvBufBytes(&text), KVKEY_MALFORMED, &back, 0, 0);
    }
  }
  kvBufClear(&key);
  kvBufClear(&text);
  kvBufClear(&back);
}

static void testStamp(void){
  KvBuf key;
  i64 v;
  int bStamp;
  kvBufInit(&key, 0, 0);
  CHECK(kvKeyParse(kvBytes("[\"a\",kv.commitVersionstamp()]", 29), KVKEY_STAMP, &key, &bStamp, 0)==KV_OK);
  CHECK(bStamp && key.n==3);
  kvKeyPutVersionstamp(&key, 0x1234);
  CHECK(key.n==3+22 && memcmp(&key.a[3], "\x02" "00000000000012340000\0", 22)==0);
  kvBufReset(&key);
  CHECK(kvKeyParse(kvBytes("[kv.commitVersionstamp(),\"a\"]", 29), KVKEY_STAMP, &key, &bStamp, 0)==KV_SYNTAX);
  CHECK(kvVersionstampParse(kvBytes("0000000000001234ffff", 20), &v) && v==0x1234);
  CHECK(!kvVersionstampParse(kvBytes("0000000000001234FfFf", 20), &v));
  CHECK(kvVersionstampParse(kvBytes("7fffffffffffffff0000", 20), &v) && v==INT64_MAX);
  CHECK(kvVersionstampParse(kvBytes("80000000000000000000", 20), &v) && v==INT64_MAX);
  CHECK(kvVersionstampParse(kvBytes("ffffffffffffffffffff", 20), &v) && v==INT64_MAX);
  CHECK(!kvVersionstampParse(kvBytes("0000000000001234000", 19), &v));
  CHECK(!kvVersionstampParse(kvBytes("000000000000123400g0", 20), &v));
  CHECK(kvKeyParsePart(kvBytesText("new Uint8Array(/*)"), &key, 0)==KV_SYNTAX);
  CHECK(kvKeyParse(kvBytesText("[1,/*]"), 0, &key, 0, 0)==KV_SYNTAX);
  kvBufClear(&key);
}

/*
** Canonical keys of plain strings and numbers are read and printed in a short
** way.  A space in front of a text, and the parts one by one, take the other.
*/
static void checkShort(const char *z, u32 n){
  char zSpaced[400];
  char *zExact = malloc(n ? n : 1);
  KvBuf a, b;
  KvErr err1, err2;
  int rc1, rc2;
  kvBufInit(&a, 0, 0);
  kvBufInit(&b, 0, 0);
  kvBufPut(&a, 'x');
  kvBufPut(&b, 'x');
  memcpy(zExact, z, n);
  memcpy(&zSpaced[1], z, n);
  zSpaced[0] = ' ';
  zSpaced[n+1] = 0;
  rc1 = kvKeyParse(kvBytes(zExact, n), 0, &a, 0, &err1);
  rc2 = kvKeyParse(kvBytes(zSpaced, n+1), 0, &b, 0, &err2);
  CHECK_OF( rc1==rc2, zSpaced );
  if( rc1==KV_OK ){
    CHECK_OF( a.n==b.n && memcmp(a.a, b.a, a.n)==0, zSpaced );
  }else{
    CHECK_OF( err1.iPos+1==err2.iPos && strcmp(err1.zMsg, err2.zMsg)==0, zSpaced );
  }
  kvBufClear(&a);
  kvBufClear(&b);
  free(zExact);
}

static void checkShown(const u8 *p, u32 n){
  u8 *a = malloc(n ? n : 1);
  KvBuf b, c;
  KvPart part;
  u32 i = 0;
  int rc = KV_OK, bCanon = n>0;
  if( n ) memcpy(a, p, n);
  kvBufInit(&b, 0, 0);
  kvBufInit(&c, 0, 0);
  kvBufPut(&b, '[');
  while( i<n && rc==KV_OK ){
    if( i ) kvBufPut(&b, ',');
    rc = kvPartRead(kvBytes(a, n), &i, &part, 0);
    if( rc!=KV_OK ) break;
    if( !part.bCanon ) bCanon = 0;
    kvPartPrint(&b, &part);
  }
  kvBufPut(&b, ']');
  CHECK( kvKeyPrint(&c, kvBytes(a, n), 0)==rc );
  if( rc==KV_OK ) CHECK( b.n==c.n && memcmp(b.a, c.a, b.n)==0 );
  kvBufReset(&c);
  kvKeyShow(&c, kvBytes(a, n));
  if( rc==KV_OK && bCanon ) CHECK( b.n==c.n && memcmp(b.a, c.a, b.n)==0 );
  else CHECK( c.n>16 && memcmp(c.a, "kv.malformedKey(", 16)==0 );
  kvBufClear(&b);
  kvBufClear(&c);
  free(a);
}

static void testShort(void){
  static const char *const az[] = {
    "\"users\"", "\"\"", "\"1234567\"", "\"12345678\"", "\"user123@example.com\"", "\"\xc3\xa9\"", "\"a\\n\"", "'a'", "0",
    "-0", "1", "-1", "42", "123456789012345", "1234567890123456", "9007199254740993", "1.5", "1e3", "007", "-", "true", "1n",
    "\"\x7f\"", "\"\x01\"", "\"a\\u0000b\"", "NaN", "-Infinity", "new Uint8Array([0])", "", " 1", "1 ", "\"", "[", "]", "[]"
  };
  int i;
  for(i=0; i<20000; i++){
    char z[300];
    KvBuf key;
    u32 n, k, nPart = unitBelow(5);
    n = (u32)sprintf(z, "[");
    for(k=0; k<nPart; k++){
      if( k ) z[n++] = ',';
      n += (u32)sprintf(&z[n], "%s", az[unitBelow(unitBelow(4) ? 14 : sizeof(az)/sizeof(az[0]))]);
    }
    n += (u32)sprintf(&z[n], "]");
    checkShort(z, n);
    kvBufInit(&key, 0, 0);
    if( kvKeyParse(kvBytes(z, n), 0, &key, 0, 0)==KV_OK ){
      checkShown(key.a, key.n);
      if( key.n ){
        key.a[unitBelow(key.n)] = (u8)unitRandom();
        checkShown(key.a, key.n);
        checkShown(key.a, unitBelow(key.n));
      }
    }
    kvBufClear(&key);
    z[unitBelow(n)] = (char)unitRandom();
    checkShort(z, n);
    checkShort(z, unitBelow(n));
  }
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testVectors();
  testErrors();
  testIntegers();
  testShort();
  testCorrupt();
  testRandom();
  testTotalOrder();
  testCompareAlike();
  testCompareMemory();
  testCursor();
  testDamage();
  testStamp();
  return unitDone();
}
