/*
** v8_test.c -- the value tree and V8's format.
**
**     v8_test [DIRECTORY]
**
** DIRECTORY (tests/vectors) holds v8-vectors.jsonl, values as the real Deno
** stores them, and v8-decode.jsonl, byte strings and whether the real Deno
** reads them.
*/
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <time.h>
#include <sys/mman.h>
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_write.h"
#include "codec/names.h"
#include "codec/stored.h"
#include "codec/value_order.h"
#include "codec/value_string.h"
#include "unit.h"

/*************************************************************************
** Tools
*/

static KvTree tree;
static KvBuf out;
static KvErr err;

static int hexDigit(int c){
  if( c>='0' && c<='9' ) return c - '0';
  if( c>='a' && c<='f' ) return c - 'a' + 10;
  return -1;
}

/*
** The bytes that hex text stands for, up to the first other character than a
** digit or a space, in memory of exactly that size (so that a sanitizer sees
** every read beyond it).
*/
static u8 *unhex(const char *z, u32 *pn){
  u8 *a = malloc(strlen(z)/2 + 1);
  u8 *aExact;
  u32 n = 0;
  for(;;){
    while( *z==' ' ) z++;
    if( hexDigit(z[0])<0 || hexDigit(z[1])<0 ) break;
    a[n++] = (u8)(hexDigit(z[0])*16 + hexDigit(z[1]));
    z += 2;
  }
  aExact = malloc(n ? n : 1);
  memcpy(aExact, a, n);
  free(a);
  *pn = n;
  return aExact;
}

static void showBytes(const char *zWhat, const u8 *a, u32 n){
  u32 i;
  fprintf(stderr, "  %s: ", zWhat);
  for(i=0; i<n && i<200; i++) fprintf(stderr, "%02x", a[i]);
  fprintf(stderr, "\n");
}

static int readBytes(int eEncoding, const u8 *a, u32 n){
  err.eCode = KV_OK;
  err.iPos = -2;
  err.zMsg = 0;
  return kvValueRead(&tree, eEncoding, kvBytes(a, n), &err);
}

/* Write the tree; returns the code. */
static int writeTree(int iVersion, int bV8Only, int *peEncoding){
  kvBufReset(&out);
  err.zMsg = 0;
  return kvValueWrite(&tree, iVersion, bV8Only, &out, peEncoding, &err);
}

static int outIs(const u8 *a, u32 n){
  int b = out.n==n && (n==0 || memcmp(out.a, a, n)==0);
  if( !b ){
    showBytes("expected", a, n);
    showBytes("written ", out.a, out.n);
  }
  return b;
}

/* Read zIn, write it, and check that zOut comes out. */
static void checkPair(const char *zIn, const char *zOut){
  u32 nIn, nOut;
  u8 *aIn = unhex(zIn, &nIn), *aOut = unhex(zOut, &nOut);
  int eEncoding = 0;
  if( !CHECK( readBytes(1, aIn, nIn)==KV_OK ) ){
    fprintf(stderr, "  %s: %s at %d\n", zIn, err.zMsg, (int)err.iPos);
  }else{
    CHECK( writeTree(16, 1, &eEncoding)==KV_OK );
    CHECK( eEncoding==1 );
    CHECK( outIs(aOut, nOut) );
  }
  free(aIn);
  free(aOut);
}

/* The same where the bytes do not change. */
static void checkSame(const char *z){
  checkPair(z, z);
}

/* Check that zIn is corrupt at iPos, for the reason zMsg. */
static void checkCorrupt(const char *zIn, int iPos, const char *zMsg){
  u32 n;
  u8 *a = unhex(zIn, &n);
  CHECK( readBytes(1, a, n)==KV_CORRUPT );
  CHECK( err.eCode==KV_CORRUPT );
  if( !CHECK( err.iPos==iPos ) || !CHECK( err.zMsg && strcmp(err.zMsg, zMsg)==0 ) ){
    fprintf(stderr, "  %s: %s at %d\n", zIn, err.zMsg ? err.zMsg : "no error",
            (int)err.iPos);
  }
  free(a);
}

/* The whole file, terminated; NULL (and a failed check) if it isn't there. */
static char *readFile(const char *zDir, const char *zName){
  char zPath[1000];
  FILE *f;
  char *z;
  long n;
  snprintf(zPath, sizeof(zPath), "%s/%s", zDir, zName);
  f = fopen(zPath, "rb");
  if( !CHECK( f!=0 ) ) return 0;
  fseek(f, 0, SEEK_END);
  n = ftell(f);
  rewind(f);
  z = malloc((size_t)n + 1);
  n = (long)fread(z, 1, (size_t)n, f);
  z[n] = 0;
  fclose(f);
  return z;
}

/* Cut the next line off *pz.  NULL at the end. */
static char *nextLine(char **pz){
  char *z = *pz, *zEnd;
  if( *z==0 ) return 0;
  zEnd = strchr(z, '\n');
  if( zEnd ) *zEnd++ = 0;
  else zEnd = z + strlen(z);
  *pz = zEnd;
  return z;
}

/* The text after "zName": in a line of JSON, still quoted if it is a string. */
static const char *field(const char *zLine, const char *zName){
  char zKey[40];
  const char *z;
  snprintf(zKey, sizeof(zKey), "\"%s\":", zName);
  z = strstr(zLine, zKey);
  return z ? z + strlen(zKey) : "";
}

/*************************************************************************
** The vectors
*/

/*
** Vectors whose bytes follow from V8's inner state, not from the value, by
** the start of their source.
*/
static const struct Inner {
  const char *zJs;
  const char *zWhy;
} aInner[] = {
  { "new Float64Array(new BigUint64Array([0xfff8", "bits of a NaN" },
  { "new Float64Array([1])[0]",                    "integer held as a double" },
  { "('\xe2\x82\xac'+'abcdefghijklmnopqrstuvwxyz').slice(1)", "slice of a two-byte string" },
  { "[...Array(2)]",                               "packed array of undefined" },
  { "Object.freeze([1,2])",                        "frozen elements" },
  { "'xay'.match(/a/)",                            "array once had holes" },
  { "new RegExp('\\\\u2028')",                     "two-byte source of ASCII" },
  { "(()=>{const a=[{get x(){a.length=1;",         "hole in a dense array" },
  { "Array.from({length:20},(_, i)=>({id:i,",      "field once held a double" },
};
/* A vector that is read, but never written. */
static const char zHostVector[] =
    "(e=>{e.stack='STK';return e})(new DOMException(";

static int isInner(const char *zJs){
  size_t i;
  if( *zJs=='"' ) zJs++;
  for(i=0; i<sizeof(aInner)/sizeof(aInner[0]); i++){
    if( strncmp(zJs, aInner[i].zJs, strlen(aInner[i].zJs))==0 ) return 1;
  }
  return 0;
}

static void testVectors(const char *zDir){
  char *zFile = readFile(zDir, "v8-vectors.jsonl");
  char *zRest = zFile, *zLine;
  size_t nInner = 0, nHost = 0;
  int nLine = 0;
  if( zFile==0 ) return;
  while( (zLine = nextLine(&zRest))!=0 ){
    const char *zJs = field(zLine, "js");
    int eEncoding = atoi(field(zLine, "encoding"));
    int eWritten = 0, rc;
    u32 n;
    u8 *a;
    if( *zLine==0 ) continue;
    a = unhex(field(zLine, "hex") + 1, &n);
    nLine++;
    if( !CHECK( readBytes(eEncoding, a, n)==KV_OK ) ){
      fprintf(stderr, "  %.200s\n", zLine);
      free(a);
      continue;
    }
    rc = writeTree(16, 0, &eWritten);
    if( strncmp(zJs + 1, zHostVector, strlen(zHostVector))==0 ){
      CHECK( rc==KV_REFUSED );
      nHost++;
    }else{
      CHECK( rc==KV_OK );
      CHECK( eWritten==eEncoding );
      if( isInner(zJs) ){
        CHECK( out.n!=n || memcmp(out.a, a, n)!=0 );
        nInner++;
      }else if( !CHECK( outIs(a, n) ) ){
        fprintf(stderr, "  %.200s\n", zLine);
      }
    }
    free(a);
  }
  CHECK( nLine>=391 );
  CHECK( nInner==sizeof(aInner)/sizeof(aInner[0]) );
  CHECK( nHost==1 );
  free(zFile);
}

/* What is read although the real Deno refuses it. */
static const char *const azTolerated[] = {
  "ff10726d220161634902732201622e\"",    /* an Error's cause before its stack */
};

static int isTolerated(const char *zHex){
  size_t i;
  for(i=0; i<sizeof(azTolerated)/sizeof(azTolerated[0]); i++){
    if( strncmp(zHex, azTolerated[i], strlen(azTolerated[i]))==0 ) return 1;
  }
  return 0;
}

/*
** Whatever the bytes, there is a value or an error; and what the value is
** written as is read back as the same.
*/
static void checkStable(const u8 *a, u32 n){
  u8 *aCopy = malloc(n ? n : 1);
  u8 *aFirst;
  u32 nFirst;
  int eEncoding, rc;
  int bOk = 0;
  if( n ) memcpy(aCopy, a, n);
  rc = readBytes(1, aCopy, n);
  if( rc!=KV_OK ){
    bOk = rc==KV_CORRUPT && err.eCode==rc && err.zMsg!=0
       && err.iPos>=0 && err.iPos<=(i64)n;
  }else{
    rc = writeTree(16, 1, &eEncoding);
    if( rc!=KV_OK ){
      bOk = rc==KV_REFUSED && err.zMsg!=0;
    }else{
      nFirst = out.n;
      aFirst = malloc(nFirst);
      memcpy(aFirst, out.a, nFirst);
      bOk = readBytes(1, aFirst, nFirst)==KV_OK
         && writeTree(16, 1, &eEncoding)==KV_OK
         && outIs(aFirst, nFirst);
      free(aFirst);
    }
  }
  if( !bOk ){
    CHECK( bOk );
    showBytes("unstable", a, n);
  }else{
    unitPassed++;
  }
  free(aCopy);
}

static void testDecode(const char *zDir){
  char *zFile = readFile(zDir, "v8-decode.jsonl");
  char *zRest = zFile, *zLine;
  size_t nTolerated = 0;
  int nLine = 0;
  if( zFile==0 ) return;
  while( (zLine = nextLine(&zRest))!=0 ){
    const char *zHex = field(zLine, "hex") + 1;
    int bOk = *field(zLine, "ok")=='t';
    u32 n;
    u8 *a;
    if( *zLine==0 ) continue;
    a = unhex(zHex, &n);
    nLine++;
    if( isTolerated(zHex) ){
      CHECK( !bOk );
      bOk = 1;
      nTolerated++;
    }
    if( !CHECK( (readBytes(1, a, n)==KV_OK)==bOk ) ){
      fprintf(stderr, "  %.200s (%s)\n", zLine, err.zMsg ? err.zMsg : "read");
    }
    checkStable(a, n);
    free(a);
  }
  CHECK( nLine>=5000 );
  CHECK( nTolerated==sizeof(azTolerated)/sizeof(azTolerated[0]) );
  free(zFile);
}

/* Every truncation, and every byte replaced. */
static void testMutations(const char *zDir){
  char *zFile = readFile(zDir, "v8-vectors.jsonl");
  char *zRest = zFile, *zLine;
  if( zFile==0 ) return;
  while( (zLine = nextLine(&zRest))!=0 ){
    u32 n, i, k;
    u8 *a;
    if( atoi(field(zLine, "encoding"))!=1 ) continue;
    a = unhex(field(zLine, "hex") + 1, &n);
    for(i=0; i<n && i<600; i++){
      u8 c = a[i];
      u8 aNew[6];
      aNew[0] = 0;
      aNew[1] = 0xff;
      aNew[2] = (u8)~c;
      aNew[3] = c ^ 0x80;
      aNew[4] = c ^ 0x01;
      aNew[5] = (u8)(c + 1);
      checkStable(a, i);
      for(k=0; k<6; k++){
        a[i] = aNew[k];
        checkStable(a, n);
      }
      a[i] = c;
    }
    free(a);
  }
  free(zFile);
}

/*************************************************************************
** Tag by tag
*/

static void testTags(void){
  checkSame("ff10 5f");
  checkSame("ff10 30");
  checkSame("ff10 54");
  checkSame("ff10 46");
  checkSame("ff10 49 02");
  checkSame("ff10 49 ffffffff0f");
  checkPair("ff10 55 ffffffff0f", "ff10 4e 0000e0ffffffef41");
  checkPair("ff10 55 05", "ff10 49 0a");
  checkSame("ff10 4e 000000000000f83f");
  checkSame("ff10 4e 0000000000000080");
  checkPair("ff10 4e 0000000000000840", "ff10 49 06");
  checkPair("ff10 4e ffffffffffffffff", "ff10 4e 000000000000f87f");
  checkSame("ff10 5a 00");
  checkSame("ff10 5a 10 0100000000000000");
  checkSame("ff10 5a 11 0100000000000000");
  checkPair("ff10 5a 02 0a", "ff10 5a 10 0a00000000000000");
  checkPair("ff10 5a 05 0000", "ff10 5a 00");
  checkPair("ff10 5a 12 000000000000000001", "ff10 5a 20 00000000000000000100000000000000");
  checkSame("ff10 22 00");
  checkSame("ff10 22 02 61e9");
  checkSame("ff10 63 02 ac20");
  checkSame("ff10 63 02 00d8");
  checkPair("ff10 00 63 04 6100e900", "ff10 22 02 61e9");
  checkPair("ff10 53 02 c3a9", "ff10 22 01 e9");
  checkPair("ff10 53 01 c3", "ff10 63 02 fdff");
  checkPair("ff10 53 04 f09f9880", "ff10 63 04 3dd800de");
  checkSame("ff10 6f 7b 00");
  checkSame("ff10 6f 49 06 30 22 01 62 5f 22 01 61 54 7b 03");
  checkPair("ff10 6f 22 01 62 5f 22 01 33 30 7b 02", "ff10 6f 49 06 30 22 01 62 5f 7b 02");
  checkPair("ff10 6f 4e 000000000000f83f 30 7b 01", "ff10 6f 22 03 312e35 30 7b 01");
  checkPair("ff10 6f 55 ffffffff0f 30 55 feffffff0f 5f 7b 02",
            "ff10 6f 4e 0000c0ffffffef41 5f 22 0a 34323934393637323935 30 7b 02");
  checkPair("ff10 6f 49 01 30 7b 01", "ff10 6f 22 02 2d31 30 7b 01");
  checkSame("ff10 41 00 24 00 00");
  checkSame("ff10 41 02 49 02 30 24 00 02");
  checkSame("ff10 41 01 49 02 22 01 78 30 24 01 01");
  checkSame("ff10 61 03 49 00 49 02 49 04 49 06 40 02 03");
  checkSame("ff10 61 02 49 00 5f 49 02 49 02 40 02 02");
  checkSame("ff10 61 05 40 00 05");
  checkSame("ff10 61 ffffffff0f 40 00 ffffffff0f");
  checkPair("ff10 61 02 49 00 49 02 49 02 49 04 40 02 02", "ff10 41 02 49 02 49 04 24 00 02");
  checkPair("ff10 61 01 49 06 30 40 01 01", "ff10 61 04 49 06 30 40 01 04");
  checkPair("ff10 41 03 49 00 2d 49 04 49 02 49 02 24 01 03",
            "ff10 41 03 49 00 49 02 49 04 24 00 03");
  checkPair("ff10 41 02 2d 2d 49 02 30 49 00 5f 24 02 02", "ff10 41 02 5f 30 24 00 02");
  checkPair("ff10 41 01 54 49 02 46 24 01 01", "ff10 41 02 54 46 24 00 02");
  checkPair("ff10 41 02 4e 000000000000f83f 49 04 24 00 02",
            "ff10 41 02 4e 000000000000f83f 4e 0000000000000040 24 00 02");
  checkPair("ff10 41 02 4e 000000000000f83f 5f 24 00 02",
            "ff10 61 02 49 00 4e 000000000000f83f 49 02 5f 40 02 02");
  checkSame("ff10 3b 49 02 30 22 01 61 5f 3a 04");
  checkPair("ff10 3b 49 02 30 4e 000000000000f03f 54 3a 04", "ff10 3b 49 02 54 3a 02");
  checkPair("ff10 3b 4e 0000000000000080 30 3a 02", "ff10 3b 49 00 30 3a 02");
  checkSame("ff10 27 49 02 6f 7b 00 2c 02");
  checkPair("ff10 27 22 01 61 63 02 6100 53 01 61 30 30 2c 05", "ff10 27 22 01 61 30 2c 02");
  checkPair("ff10 27 5a 02 05 5a 04 0500 5a 03 05 2c 03",
            "ff10 27 5a 10 0500000000000000 5a 11 0500000000000000 2c 02");
  checkPair("ff10 27 6f 7b 00 5e 01 2c 02", "ff10 27 6f 7b 00 2c 01");
  checkSame("ff10 44 00008056febc7842");
  checkPair("ff10 44 000000000000f83f", "ff10 44 000000000000f03f");
  checkPair("ff10 44 0000000000000080", "ff10 44 0000000000000000");
  checkPair("ff10 44 000000000000f07f", "ff10 44 000000000000f87f");
  checkSame("ff10 52 22 01 61 03");
  checkPair("ff10 52 22 00 00", "ff10 52 22 04 283f3a29 00");
  /* as Deno reads and writes them: what .source escapes is escaped */
  checkPair("ff10 52 22 01 0d 00", "ff10 52 22 02 5c72 00");
  checkPair("ff10 52 22 03 612f62 00", "ff10 52 22 04 615c2f62 00");
  checkPair("ff10 52 22 02 5c0a 00", "ff10 52 22 02 5c6e 00");
  checkSame("ff10 52 22 03 5b2f5d 00");
  checkSame("ff10 78");
  checkSame("ff10 79");
  checkSame("ff10 6e 000000000000f03f");
  checkSame("ff10 7a 00");
  checkSame("ff10 73 22 01 61");
  checkSame("ff10 73 00 63 02 ac20");
}

static void testTagsWithBytes(void){
  checkSame("ff10 42 02 0102");
  checkSame("ff10 43 02 0102");
  checkSame("ff10 7e 01 05 01");
  checkSame("ff10 7e 00 80808080808008");
  checkSame("ff10 7e 00 8080808080800a");
  checkSame("ff10 42 04 01020304 56 57 02 02 00");
  checkSame("ff10 42 04 01020304 56 3f 01 02 00");
  checkSame("ff10 7e 04 08 01020304 56 42 01 02 02");
  checkSame("ff10 7e 04 08 01020304 56 42 01 00 03");
  checkPair("ff10 7e 05 08 0102030405 56 57 00 02 03", "ff10 7e 05 08 0102030405 56 57 00 00 03");
  checkPair("ff10 42 01 00 56 42 00 01 04", "ff10 42 01 00 56 42 00 01 00");
  checkSame("ff10 41 03 42 01 07 56 42 00 01 00 5e 02 5e 01 24 00 03");
  checkSame("ff10 41 02 42 01 07 5e 01 56 42 00 01 00 24 00 02");
  checkSame("ff10 41 03 43 01 07 56 62 00 01 00 5e 01 5e 02 24 00 03");
  checkSame("ff10 41 03 42 01 07 56 42 00 01 00 6f 7b 00 5e 03 24 00 03");
  checkSame("ff10 72 2e");
  checkSame("ff10 72 54 6d 22 01 6d 73 22 03 53544b 63 49 02 2e");
  checkSame("ff10 72 63 5e 00 2e");
  checkPair("ff10 72 6d 22 01 6d 63 5e 00 73 22 01 73 2e", "ff10 72 6d 22 01 6d 73 22 01 73 63 5e 00 2e");
  checkPair("ff10 72 63 30 73 22 01 73 2e", "ff10 72 73 22 01 73 63 30 2e");
  checkSame("ff10 6f 22 01 6f 5e 00 7b 01");
  checkSame("ff10 41 02 6f 7b 00 5e 01 24 00 02");
  /* Padding, '?', long varints, what follows the value */
  checkPair("ff10 00 00 49 02", "ff10 49 02");
  checkPair("ff10 3f 05 00 3f 8000 49 02", "ff10 49 02");
  checkPair("ff10 6f 00 3f 00 22 01 61 00 49 02 00 7b 01", "ff10 6f 22 01 61 49 02 7b 01");
  checkPair("ff10 42 01 07 00 00 56 42 00 01 00", "ff10 42 01 07 56 42 00 01 00");
  checkPair("ff9000 49 8280808000", "ff10 49 02");
  checkPair("ff10 49 ffffffffff 01", "ff10 49 ffffffff0f");
  checkPair("ff10 30 de ad", "ff10 30");
  /* Version 13 has no flags, or has them after all */
  checkPair("ff0d 42 02 0102 56 42 00 02", "ff10 42 02 0102 56 42 00 02 00");
  checkPair("ff0d 41 02 42 02 0102 56 42 00 02 00 49 02 24 00 02",
            "ff10 41 02 42 02 0102 56 42 00 02 00 49 02 24 00 02");
  checkPair("ff0d 7e 01 02 07 56 42 00 01 02", "ff10 7e 01 02 07 56 42 00 01 02");
  /* Node's views, which have no buffer with an id */
  checkPair("ff0f 5c 01 02 0102", "ff10 42 02 0102 56 42 00 02 00");
  checkPair("ff0f 41 03 5c 01 01 07 6f 7b 00 5e 02 24 00 03",
            "ff10 41 03 42 01 07 56 42 00 01 00 6f 7b 00 5e 03 24 00 03");
  checkPair("ff0f 5c 0a 01 07", "ff10 42 01 07 56 42 00 01 00");
  checkPair("ff0f 41 02 5c 08 08 000000000000f03f 5e 01 24 00 02",
            "ff10 41 02 42 08 000000000000f03f 56 46 00 08 00 5e 02 24 00 02");
}

/* A reference that comes before its target, because indices come first; and
** one whose target was the value of a duplicate key. */
static void testReferences(void){
  checkPair("ff10 6f 22 01 62 6f 7b 00 49 00 5e 01 7b 02",
            "ff10 6f 49 00 6f 7b 00 22 01 62 5e 01 7b 02");
  checkPair("ff10 6f 22 01 62 41 01 6f 7b 00 24 00 01 49 00 5e 02 49 02 5e 01 7b 03",
            "ff10 6f 49 00 6f 7b 00 49 02 41 01 5e 01 24 00 01 22 01 62 5e 02 7b 03");
  checkPair("ff10 41 02 3b 49 02 6f 7b 00 49 02 30 3a 04 5e 02 24 00 02",
            "ff10 41 02 3b 49 02 30 3a 02 6f 7b 00 24 00 02");
  CHECK( tree.nRef==0 );
  checkPair("ff10 41 03 3b 30 6f 22 01 61 41 00 24 00 00 7b 01 30 30 3a 04 5e 03 5e 02 24 00 03",
            "ff10 41 03 3b 30 30 3a 02 41 00 24 00 00 6f 22 01 61 5e 02 7b 01 24 00 03");
  CHECK( tree.nRef==1 );
  checkPair("ff10 41 02 3b 30 6f 22 01 61 5e 02 7b 01 30 5e 00 3a 04 5e 02 24 00 02",
            "ff10 41 02 3b 30 5e 00 3a 02 6f 22 01 61 5e 02 7b 01 24 00 02");
  CHECK( tree.nRef==2 );
}

static void testCorrupt(void){
  static const char zEnd[] = "value ends too early";
  static const char zLong[] = "length is beyond the end of the value";
  static const char zCount[] = "object count does not match";
  static const char zNoRef[] = "reference to an object that does not exist";
  static const char zString[] = "string expected";
  static const char zKey[] = "a key must be a string or a number";
  static const char zTag[] = "unknown tag";
  static const char zVersion[] = "unknown version (13 to 16 are known)";
  checkCorrupt("", 0, "no version header");
  checkCorrupt("fe10 30", 0, "no version header");
  checkCorrupt("00ff10 30", 0, "no version header");
  checkCorrupt("ff", 1, zEnd);
  checkCorrupt("ff10", 2, zEnd);
  checkCorrupt("ff10 00", 3, zEnd);
  checkCorrupt("ff0c 30", 1, zVersion);
  checkCorrupt("ff11 30", 1, zVersion);
  checkCorrupt("ff10 08", 2, zTag);
  checkCorrupt("ff10 ff", 2, zTag);
  checkCorrupt("ff10 56 42 00 00 00", 2, zTag);
  checkCorrupt("ff10 3f", 3, zEnd);
  checkCorrupt("ff10 3f 00", 4, zEnd);
  checkCorrupt("ff10 49 80", 4, zEnd);
  checkCorrupt("ff10 49 8080808080", 8, zEnd);
  checkCorrupt("ff10 55", 3, zEnd);
  checkCorrupt("ff10 4e 00000000000000", 10, zEnd);
  checkCorrupt("ff10 5a 10 01", 3, zLong);
  checkCorrupt("ff10 5a 01", 3, "negative bigint without digits");
  checkCorrupt("ff10 22 03 6162", 3, zLong);
  checkCorrupt("ff10 63 04 6100", 3, zLong);
  checkCorrupt("ff10 63 03 610062", 3, "odd length of a two-byte string");
  checkCorrupt("ff10 53 02 61", 3, zLong);
  checkCorrupt("ff10 44 000000", 6, zEnd);
  checkCorrupt("ff10 52 49 02 00", 3, zString);
  checkCorrupt("ff10 52 22 01 61 40", 6, "invalid flags of a regular expression");
  checkCorrupt("ff10 52 22 01 61 9002", 6, "invalid flags of a regular expression");
  checkCorrupt("ff10 52 22 01 61 8004", 6, "invalid flags of a regular expression");
  checkCorrupt("ff10 52 22 01 28 00", 2, "regular expression does not compile");
  checkCorrupt("ff10 52 63 02 2800 00", 2, "regular expression does not compile");
  checkCorrupt("ff10 6e 00", 4, zEnd);
  checkCorrupt("ff10 7a 01", 3, "negative bigint without digits");
  checkCorrupt("ff10 73 49 02", 3, zString);
  checkCorrupt("ff10 6f 22 01 61 49 02 7b 02", 9, zCount);
  checkCorrupt("ff10 6f 22 01 61 49 02", 8, zEnd);
  checkCorrupt("ff10 6f 5f 30 7b 01", 3, zKey);
  checkCorrupt("ff10 6f 5e 00 30 7b 01", 3, zKey);
  checkCorrupt("ff10 6f 73 22 01 61 30 7b 01", 3, zKey);
  checkCorrupt("ff10 6f 22 01 61 2d 7b 01", 6, zTag);
  checkCorrupt("ff10 6f 22 01 61 30 22 01 61 30 7b 02", 11, "duplicate key");
  checkCorrupt("ff10 6f 22 01 61 30 63 02 6100 30 7b 02", 12, "duplicate key");
  checkCorrupt("ff10 6f 49 02 30 22 01 31 30 7b 02", 10, "duplicate key");
  checkCorrupt("ff10 41 03 30 24 00 05", 5, zTag);
  checkCorrupt("ff10 41 09 30 24 00 01", 3, zLong);
  checkCorrupt("ff10 41 01 49 02 24 01 01", 7, zCount);
  checkCorrupt("ff10 41 01 49 02 24 00 02", 8, zCount);
  checkCorrupt("ff10 41 01 49 02 49 00 49 04 24 01 01", 10, "duplicate key");
  checkCorrupt("ff10 41 01 49 02 22 06 6c656e677468 30 24 01 01", 15, "duplicate key");
  checkCorrupt("ff10 61 01 63 0c 6c0065006e00670074006800 30 40 01 01", 19, "duplicate key");
  checkCorrupt("ff10 61 03 49 00 30 40 02 03", 8, zCount);
  checkCorrupt("ff10 61 03 49 00 30 40 01 04", 9, zCount);
  checkCorrupt("ff10 61 03 2d 40 01 03", 4, zKey);
  checkCorrupt("ff10 3b 49 02 30 3a 01", 7, zCount);
  checkCorrupt("ff10 3b 49 02 3a 01", 5, zTag);
  checkCorrupt("ff10 3b 49 02 2d 3a 02", 5, zTag);
  checkCorrupt("ff10 27 49 02 49 02 2c 01", 8, zCount);
  checkCorrupt("ff10 42 02 00", 3, zLong);
  checkCorrupt("ff10 42 ffffffffffffffffff01", 3, zLong);
  checkCorrupt("ff10 7e 02 01 0000", 3, "invalid maximum length of a buffer");
  checkCorrupt("ff10 7e 00 8180808080800a", 3, "invalid maximum length of a buffer");
  checkCorrupt("ff10 42 01 00 56 42 00 02 00", 6, "view is outside of its buffer");
  checkCorrupt("ff10 42 01 00 56 42 02 00 00", 6, "view is outside of its buffer");
  checkCorrupt("ff10 42 01 00 56 42 ffffffffffffffffff01 01 00", 6, "view is outside of its buffer");
  checkCorrupt("ff10 42 01 00 56 57 00 01 00", 6, "view is not aligned to its elements");
  checkCorrupt("ff10 42 04 00000000 56 57 01 02 00", 9, "view is not aligned to its elements");
  checkCorrupt("ff10 42 01 00 56 41 00 01 00", 6, "unknown type of a view");
  checkCorrupt("ff10 42 01 00 56 42 00 01 01", 6, "view of a resizable buffer over one that is not");
  checkCorrupt("ff10 42 01 00 56 42 00 01 02", 6, "view of a resizable buffer over one that is not");
  checkCorrupt("ff10 7e 01 01 00 56 42 00 01 00", 7, "view of a fixed buffer over a resizable one");
  checkCorrupt("ff10 42 01 00 56 42 00 01", 9, zEnd);
  checkCorrupt("ff10 5e 00", 3, zNoRef);
  checkCorrupt("ff10 41 01 5e 01 24 00 01", 5, zNoRef);
  checkCorrupt("ff10 41 02 5e 01 6f 7b 00 24 00 02", 5, zNoRef);
  checkCorrupt("ff10 72 6d 49 02 2e", 4, zString);
  checkCorrupt("ff10 72 73 22 01 61 6d 22 01 62 2e", 7, "unexpected part of an Error");
  checkCorrupt("ff10 72 6d 22 01 61 6d 22 01 62 2e", 7, "unexpected part of an Error");
  checkCorrupt("ff10 72 45 52 2e", 4, "unexpected part of an Error");
  checkCorrupt("ff10 72 00 2e", 3, "unexpected part of an Error");
  checkCorrupt("ff10 5c 0d 00", 3, "unknown host object");
  checkCorrupt("ff10 5c 03 01 00", 3, "view is not aligned to its elements");
  checkCorrupt("ff10 5c 01 02 00", 4, zLong);
  checkCorrupt("ff10 5c ffffffff0f 30", 8, "host object without a description");
  checkCorrupt("ff10 5c ffffffff0f 41 00 24 00 00", 8, "host object without a description");
  checkCorrupt("ff10 5c ffffffff0f 6f 22 01 61 5e 00 7b 01", 13, zNoRef);
  checkCorrupt("ff10 6d 00", 2, "tag of something that cannot be stored");
  checkCorrupt("ff10 70 00", 2, "tag of something that cannot be stored");
  checkCorrupt("ff10 74 00", 2, "tag of something that cannot be stored");
  checkCorrupt("ff10 75 00", 2, "tag of something that cannot be stored");
  checkCorrupt("ff10 77 00", 2, "tag of something that cannot be stored");
}

/*************************************************************************
** Values that are not in V8's format, names, refusals
*/

static const char *rootType(int eEncoding, const char *zHex){
  static char zBuf[64];
  u32 n;
  u8 *a = unhex(zHex, &n);
  const char *z = readBytes(eEncoding, a, n)==KV_OK ? kvTypeName(&tree, 0, zBuf) : "";
  free(a);
  return z;
}

#define CHECK_TYPE(E,Z,T) CHECK( strcmp(rootType(E, Z), T)==0 )

static void testNames(void){
  char z[16];
  CHECK_TYPE(1, "ff10 5f", "undefined");
  CHECK_TYPE(1, "ff10 30", "null");
  CHECK_TYPE(1, "ff10 54", "boolean");
  CHECK_TYPE(1, "ff10 4902", "number");
  CHECK_TYPE(1, "ff10 5a00", "bigint");
  CHECK_TYPE(1, "ff10 2200", "string");
  CHECK_TYPE(1, "ff10 6f7b00", "Object");
  CHECK_TYPE(1, "ff10 41002400 00", "Array");
  CHECK_TYPE(1, "ff10 3b3a00", "Map");
  CHECK_TYPE(1, "ff10 272c00", "Set");
  CHECK_TYPE(1, "ff10 440000000000000000", "Date");
  CHECK_TYPE(1, "ff10 5222016100", "RegExp");
  CHECK_TYPE(1, "ff10 722e", "Error");
  CHECK_TYPE(1, "ff10 72552e", "URIError");
  CHECK_TYPE(1, "ff10 78", "Boolean");
  CHECK_TYPE(1, "ff10 6e0000000000000000", "Number");
  CHECK_TYPE(1, "ff10 7a00", "BigInt");
  CHECK_TYPE(1, "ff10 732200", "String");
  CHECK_TYPE(1, "ff10 4200", "ArrayBuffer");
  CHECK_TYPE(1, "ff10 4200 56 3f 00 00 00", "DataView");
  CHECK_TYPE(1, "ff10 4200 56 68 00 00 00", "Float16Array");
  CHECK_TYPE(1, "ff10 5c ffffffff0f 6f 2204 74797065 2204 426c6f62 7b01", "Blob");
  CHECK_TYPE(1, "ff10 5c ffffffff0f 6f 2204 74797065 6308 42006c006f006200 7b01", "Blob");
  CHECK_TYPE(1, "ff10 5c ffffffff0f 6f 2204 74797065 2202 3c3e 7b01", "HostObject");
  CHECK_TYPE(1, "ff10 5c ffffffff0f 6f 2204 74797065 30 7b01", "HostObject");
  CHECK_TYPE(1, "ff10 5c ffffffff0f 6f 7b00", "HostObject");
  CHECK_TYPE(2, "0000000000000000", "KvU64");
  CHECK_TYPE(3, "", "Uint8Array");
  kvRegexpFlags(KV_RE_G|KV_RE_I|KV_RE_M|KV_RE_Y|KV_RE_U|KV_RE_S|KV_RE_D, z);
  CHECK( strcmp(z, "dgimsuy")==0 );
  kvRegexpFlags(KV_RE_V|KV_RE_Y, z);
  CHECK( strcmp(z, "vy")==0 );
  kvRegexpFlags(0, z);
  CHECK( z[0]==0 );
}

static void testEncodings(void){
  static const u8 a8[9] = { 5, 0, 0, 0, 0, 0, 0, 0, 0 };
  u32 n;
  u8 *a;
  int e = 0;
  CHECK( readBytes(2, a8, 8)==KV_OK );
  CHECK( tree.aNode[0].eKind==KV_U64 && tree.aNode[0].u.u==5 );
  CHECK( writeTree(15, 0, &e)==KV_OK && e==2 && outIs(a8, 8) );
  a = unhex("ff0f 6f 22 05 76616c7565 5a 10 0500000000000000 7b 01", &n);
  CHECK( writeTree(15, 1, &e)==KV_OK && e==1 && outIs(a, n) );
  free(a);
  CHECK( readBytes(2, a8, 7)==KV_CORRUPT && err.iPos==7 );
  CHECK( readBytes(2, a8, 9)==KV_CORRUPT && err.iPos==9 );
  CHECK( strcmp(err.zMsg, "a KvU64 has exactly 8 bytes")==0 );
  CHECK( readBytes(3, a8, 3)==KV_OK );
  CHECK( tree.aNode[0].eKind==KV_VIEW && tree.aNode[0].n==3 );
  CHECK( writeTree(15, 0, &e)==KV_OK && e==3 && outIs(a8, 3) );
  a = unhex("ff0f 42 03 050000 56 42 00 03 00", &n);
  CHECK( writeTree(15, 1, &e)==KV_OK && e==1 && outIs(a, n) );
  free(a);
  CHECK( readBytes(3, a8, 0)==KV_OK );
  CHECK( writeTree(15, 0, &e)==KV_OK && e==3 && out.n==0 );
  a = unhex("ff10 42 04 01020304 56 42 01 02 00", &n);
  CHECK( readBytes(1, a, n)==KV_OK );
  CHECK( writeTree(15, 0, &e)==KV_OK && e==3 && out.n==2 && out.a[0]==2 && out.a[1]==3 );
  free(a);
  CHECK( readBytes(0, a8, 8)==KV_CORRUPT && err.iPos==-1 );
  CHECK( readBytes(4, a8, 8)==KV_CORRUPT );
  CHECK( readBytes(-1, a8, 8)==KV_CORRUPT );
  CHECK( strstr(err.zMsg, "encoding is unknown")!=0 );
  a = unhex("ff10 5c ffffffff0f 6f 7b00", &n);
  CHECK( readBytes(1, a, n)==KV_OK );
  CHECK( writeTree(15, 0, &e)==KV_REFUSED && strstr(err.zMsg, "host object")!=0 );
  free(a);
}

static void testIndex(void){
  static const struct { const char *z; i64 v; } a[] = {
    { "0", 0 }, { "7", 7 }, { "10", 10 }, { "4294967294", 4294967294 },
    { "4294967295", -1 }, { "4294967296", -1 }, { "99999999999", -1 },
    { "", -1 }, { "00", -1 }, { "01", -1 }, { "-0", -1 }, { "-1", -1 },
    { "1.5", -1 }, { "1e3", -1 }, { " 1", -1 }, { "1 ", -1 }, { "a", -1 }
  };
  size_t i;
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    CHECK( kvArrayIndex(kvBytesText(a[i].z))==a[i].v );
  }
}

/*************************************************************************
** The order of keys, beside a slow model
*/

static u32 uSeed = 1;
static u32 randomBelow(u32 n){
  uSeed = uSeed*1664525u + 1013904223u;
  return (u32)(((u64)(uSeed>>8)*n)>>24);
}

/* A few strings, each in all the encodings that can hold it. */
typedef struct Spelling Spelling;
struct Spelling {
  int iString;            /* Equal strings have equal numbers */
  int iIndex;             /* As an array index, or -1 */
  u8 eSub;
  u8 n;
  const char *z;
};
static const Spelling aSpelling[] = {
  { 0, -1, KV_LATIN1, 1, "a" },      { 0, -1, KV_UTF16, 2, "a\0" },
  { 0, -1, KV_WTF8, 1, "a" },        { 1, -1, KV_LATIN1, 0, "" },
  { 1, -1, KV_UTF16, 0, "" },        { 1, -1, KV_WTF8, 0, "" },
  { 2, -1, KV_LATIN1, 1, "\xe9" },   { 2, -1, KV_UTF16, 2, "\xe9\0" },
  { 2, -1, KV_WTF8, 2, "\xc3\xa9" }, { 3, -1, KV_UTF16, 4, "\x3d\xd8\x00\xde" },
  { 3, -1, KV_WTF8, 4, "\xf0\x9f\x98\x80" },
  { 4, -1, KV_UTF16, 2, "\x3d\xd8" },{ 4, -1, KV_WTF8, 3, "\xed\xa0\xbd" },
  { 5, -1, KV_UTF16, 2, "\x00\xe0" },{ 5, -1, KV_WTF8, 3, "\xee\x80\x80" },
  { 6, 7, KV_LATIN1, 1, "7" },       { 6, 7, KV_UTF16, 2, "7\0" },
  { 6, 7, KV_WTF8, 1, "7" },         { 7, 12, KV_LATIN1, 2, "12" },
  { 8, -1, KV_LATIN1, 2, "07" },     { 8, -1, KV_UTF16, 4, "0\0" "7\0" },
  { 9, -1, KV_LATIN1, 4, "abcd" },   { 9, -1, KV_WTF8, 4, "abcd" },
  { 10, -1, KV_LATIN1, 4, "abce" },  { 11, -1, KV_LATIN1, 2, "aa" },
  { 12, -1, KV_UTF16, 4, "\x3d\xd8" "a\0" }, { 12, -1, KV_WTF8, 4, "\xed\xa0\xbd" "a" },
  { 13, -1, KV_LATIN1, 5, "abcde" }, { 14, -1, KV_LATIN1, 5, "bbcde" },
};
#define N_SPELLING ((u32)(sizeof(aSpelling)/sizeof(aSpelling[0])))

static void testEqual(void){
  u32 i, k;
  for(i=0; i<N_SPELLING; i++){
    for(k=0; k<N_SPELLING; k++){
      KvNode x, y;
      memset(&x, 0, sizeof(x));
      x.eKind = KV_STRING;
      y = x;
      x.eSub = aSpelling[i].eSub;
      x.n = aSpelling[i].n;
      x.u.p = (const u8*)aSpelling[i].z;
      y.eSub = aSpelling[k].eSub;
      y.n = aSpelling[k].n;
      y.u.p = (const u8*)aSpelling[k].z;
      CHECK( kvStringEqual(&x, &y)==(aSpelling[i].iString==aSpelling[k].iString) );
    }
  }
}

/* Build a list of n pairs; the value of the i-th is the number i. */
static u32 buildPairs(u32 n, const u32 *aPick, int nStep){
  u32 i, iFirst = 0, iLast = 0;
  kvTreeReset(&tree);
  kvTreeAdd(&tree, KV_OBJECT);
  for(i=0; i<n; i++){
    u32 iKey = kvTreeAdd(&tree, KV_STRING);
    tree.aNode[iKey].eSub = aSpelling[aPick[i]].eSub;
    tree.aNode[iKey].n = aSpelling[aPick[i]].n;
    tree.aNode[iKey].u.p = (const u8*)aSpelling[aPick[i]].z;
    if( iLast ) tree.aNode[iLast].iNext = iKey;
    else iFirst = iKey;
    iLast = iKey;
    if( nStep==2 ){
      iLast = kvTreeAdd(&tree, KV_NUMBER);
      tree.aNode[iLast].u.r = i;
      tree.aNode[iKey].iNext = iLast;
    }
  }
  return iFirst;
}

/*
** The model: of equal strings the first with the last's value, by comparing
** all with all.  aKey[] gets the place of the key, aValue[] of the value.
*/
static u32 modelUnique(u32 n, const u32 *aPick, u32 *aKey, u32 *aValue){
  u32 nOut = 0, i, k;
  for(i=0; i<n; i++){
    for(k=0; k<nOut; k++){
      if( aSpelling[aPick[aKey[k]]].iString==aSpelling[aPick[i]].iString ) break;
    }
    if( k==nOut ) aKey[nOut++] = i;
    aValue[k] = i;
  }
  return nOut;
}

/* Move the indices to the front, ascending. */
static void modelOrder(u32 n, const u32 *aPick, u32 *aKey, u32 *aValue){
  u32 i, k;
  for(i=1; i<n; i++){
    for(k=i; k>0; k--){
      int iA = aSpelling[aPick[aKey[k-1]]].iIndex;
      int iB = aSpelling[aPick[aKey[k]]].iIndex;
      u32 t;
      if( iB<0 || (iA>=0 && iA<=iB) ) break;
      t = aKey[k]; aKey[k] = aKey[k-1]; aKey[k-1] = t;
      t = aValue[k]; aValue[k] = aValue[k-1]; aValue[k-1] = t;
    }
  }
}

/* Compare the list with the model's. */
static int samePairs(u32 iKey, u32 n, const u32 *aKey, const u32 *aValue, int nStep){
  u32 i;
  for(i=0; i<n; i++){
    if( iKey==0 || iKey!=1 + aKey[i]*(u32)nStep ) return 0;
    iKey = tree.aNode[iKey].iNext;
    if( nStep==2 ){
      if( iKey==0 || tree.aNode[iKey].u.r!=(double)aValue[i] ) return 0;
      iKey = tree.aNode[iKey].iNext;
    }
  }
  return iKey==0;
}

static void testOrder(void){
  u32 aPick[60], aKey[60], aValue[60];
  int iRound;
  printf("seed %u\n", uSeed);
  for(iRound=0; iRound<6000; iRound++){
    u32 n = randomBelow(iRound%3==0 ? 60 : 6);
    u32 i, nList = n, nModel, iFirst;
    u32 nRange = iRound%2 ? N_SPELLING : 1 + randomBelow(N_SPELLING);
    for(i=0; i<n; i++) aPick[i] = randomBelow(nRange);
    nModel = modelUnique(n, aPick, aKey, aValue);
    iFirst = buildPairs(n, aPick, 1);
    CHECK( kvTreeUniqueKeys(&tree, &iFirst, &nList, 1)==KV_OK );
    CHECK( nList==nModel && samePairs(iFirst, nModel, aKey, aValue, 1) );
    iFirst = buildPairs(n, aPick, 2);
    nList = n;
    CHECK( kvTreeUniqueKeys(&tree, &iFirst, &nList, 2)==KV_OK );
    CHECK( nList==nModel && samePairs(iFirst, nModel, aKey, aValue, 2) );
    modelOrder(nModel, aPick, aKey, aValue);
    iFirst = buildPairs(n, aPick, 2);
    nList = n;
    CHECK( kvTreeOrderPairs(&tree, &iFirst, &nList, 1)==KV_OK );
    CHECK( nList==nModel && samePairs(iFirst, nModel, aKey, aValue, 2) );
    iFirst = buildPairs(n, aPick, 2);
    nList = n;
    CHECK( kvTreeOrderPairs(&tree, &iFirst, &nList, 0)==(nModel==n ? KV_OK : KV_CORRUPT) );
    if( nModel==n ) CHECK( samePairs(iFirst, nModel, aKey, aValue, 2) );
  }
}

/*************************************************************************
** Limits and hostile input
*/

/* nDepth times zOpen, then zLeaf, then nDepth times zClose; all as hex. */
static u8 *nested(u32 nDepth, const char *zOpen, const char *zLeaf,
                  const char *zClose, u32 *pn){
  u32 nO, nL, nC, i;
  u8 *aO = unhex(zOpen, &nO), *aL = unhex(zLeaf, &nL), *aC = unhex(zClose, &nC);
  u8 *a = malloc(2 + (size_t)nDepth*(nO + nC) + nL);
  u8 *z = a;
  *z++ = 0xff;
  *z++ = 0x10;
  for(i=0; i<nDepth; i++, z+=nO) memcpy(z, aO, nO);
  memcpy(z, aL, nL);
  z += nL;
  for(i=0; i<nDepth; i++, z+=nC) memcpy(z, aC, nC);
  *pn = (u32)(z - a);
  free(aO);
  free(aL);
  free(aC);
  return a;
}

/* Check that nDepth levels can be written and one more cannot. */
static void checkDepth(u32 nDepth, const char *zOpen, const char *zLeaf, const char *zClose){
  u32 n;
  int e;
  u8 *a = nested(nDepth, zOpen, zLeaf, zClose, &n);
  CHECK( readBytes(1, a, n)==KV_OK );
  CHECK( writeTree(16, 0, &e)==KV_OK && outIs(a, n) );
  free(a);
  a = nested(nDepth+1, zOpen, zLeaf, zClose, &n);
  CHECK( readBytes(1, a, n)==KV_OK );
  CHECK( writeTree(16, 0, &e)==KV_REFUSED );
  CHECK( err.zMsg && strstr(err.zMsg, "nested deeper")!=0 );
  free(a);
  a = nested(100000, zOpen, zLeaf, zClose, &n);
  CHECK( readBytes(1, a, n)==KV_OK );
  CHECK( writeTree(16, 0, &e)==KV_REFUSED );
  CHECK( readBytes(1, a, n-1)==KV_CORRUPT && err.iPos==(i64)n-1 );
  free(a);
}

static void testDepth(void){
  checkDepth(2500, "6f 22 01 61", "30", "7b 01");
  checkDepth(3333, "41 01", "30", "24 00 01");
  checkDepth(2400, "61 02 49 02", "30", "40 01 02");
  checkDepth(4285, "3b 49 02", "30", "3a 02");
  checkDepth(4285, "27", "30", "2c 01");
  checkDepth(6000, "72 63", "30", "2e");
}

static void append(KvBuf *p, const char *z){
  u32 n;
  u8 *a = unhex(z, &n);
  kvBufAppend(p, a, n);
  free(a);
}

static void appendVarint(KvBuf *p, u32 v){
  for(; v>=0x80; v>>=7) kvBufPut(p, (u8)(v|0x80));
  kvBufPut(p, (u8)v);
}

/* Seconds for reading and writing what is in p. */
static double timed(KvBuf *p, int rcWanted){
  clock_t t = clock();
  int e;
  CHECK( readBytes(1, p->a, p->n)==rcWanted );
  if( rcWanted==KV_OK ) CHECK( writeTree(16, 0, &e)==KV_OK );
  return (double)(clock() - t)/CLOCKS_PER_SEC;
}

/* Keys of one length, with one beginning and one end. */
static void appendKey(KvBuf *p, u32 i){
  char z[48];
  int n = snprintf(z, sizeof(z), "the-same-beginning-%08u-the-same-end", i);
  appendVarint(p, '"');
  appendVarint(p, (u32)n);
  kvBufAppend(p, z, (u32)n);
}

/*
** Objects, Maps, Sets and references in great number: linear, but for a
** logarithm.  The bound is generous, a quadratic algorithm takes minutes.
*/
static void testHostile(void){
  KvBuf b;
  u32 i, n = 100000;
  double r;
  kvBufInit(&b, 0, 0);
  append(&b, "ff10 6f");
  for(i=0; i<n; i++){
    appendKey(&b, (i*7919)%n);
    kvBufPut(&b, '0');
  }
  kvBufPut(&b, '{');
  appendVarint(&b, n);
  r = timed(&b, KV_OK);
  CHECK( r<10 );
  kvBufReset(&b);
  append(&b, "ff10 6f");
  for(i=0; i<n; i++){
    appendKey(&b, i/2);
    kvBufPut(&b, '0');
  }
  kvBufPut(&b, '{');
  appendVarint(&b, n);
  CHECK( timed(&b, KV_CORRUPT)<10 );
  kvBufReset(&b);
  append(&b, "ff10 3b");
  for(i=0; i<n; i++){
    appendKey(&b, (i*7919)%7);
    append(&b, "6f7b00");
  }
  kvBufPut(&b, ':');
  appendVarint(&b, 2*n);
  CHECK( timed(&b, KV_OK)<10 );
  CHECK( tree.aNode[0].n==7 );
  kvBufReset(&b);
  append(&b, "ff10 27");
  for(i=0; i<n; i++) append(&b, i%2 ? "5e00" : "4e000000000000f8ff");
  kvBufPut(&b, ',');
  appendVarint(&b, n);
  CHECK( timed(&b, KV_OK)<10 );
  CHECK( tree.aNode[0].n==2 && tree.nRef==1 );
  kvBufReset(&b);
  append(&b, "ff10 41");
  appendVarint(&b, n);
  for(i=0; i<n; i++) append(&b, i%2 ? "5e00" : "6f7b00");
  kvBufPut(&b, '$');
  kvBufPut(&b, 0);
  appendVarint(&b, n);
  CHECK( timed(&b, KV_OK)<10 );
  CHECK( tree.nRef==n/2 );
  kvBufReset(&b);
  append(&b, "ff10");
  for(i=0; i<n; i++) append(&b, "003f0000");
  append(&b, "30");
  CHECK( timed(&b, KV_OK)<10 );
  kvBufReset(&b);
  append(&b, "ff10 61 ffffffff0f");
  for(i=n; i>0; i--){
    kvBufPut(&b, 'U');
    appendVarint(&b, i*40000u);
    kvBufPut(&b, '0');
  }
  kvBufPut(&b, '@');
  appendVarint(&b, n);
  append(&b, "ffffffff0f");
  CHECK( timed(&b, KV_OK)<10 );
  CHECK( tree.aNode[0].u.c.nElem==0 && tree.aNode[0].u.c.nPair==n );
  kvBufClear(&b);
}

/* An output that cannot grow: the error is kept and reported. */
static void testSticky(void){
  u32 n;
  u8 *a = unhex("ff10 41 02 22 03 616263 6f 7b 00 24 00 02", &n);
  int e;
  CHECK( readBytes(1, a, n)==KV_OK );
  CHECK( writeTree(16, 0, &e)==KV_OK );
  kvBufReset(&out);
  out.eErr = KV_TOOBIG;
  CHECK( kvValueWrite(&tree, 16, 0, &out, &e, &err)==KV_TOOBIG );
  CHECK( err.eCode==KV_TOOBIG && out.n==0 );
  free(a);
}

/* Write a bigint or a string of n bytes of zero. */
static int writeNode(int eKind, int eSub, const u8 *a, u32 n){
  int e;
  kvTreeReset(&tree);
  kvTreeAdd(&tree, (u8)eKind);
  tree.aNode[0].eSub = (u8)eSub;
  tree.aNode[0].u.p = a;
  tree.aNode[0].n = n;
  return writeTree(15, 0, &e);
}

/* Read the header, the tag and a length of n, with as many bytes after it. */
static int readLong(u8 *a, int cTag, u32 nValue, u32 n){
  u32 i = 3;
  a[0] = 0xff;
  a[1] = 0x0f;
  a[2] = (u8)cTag;
  for(; nValue>=0x80; nValue>>=7) a[i++] = (u8)(nValue | 0x80);
  a[i++] = (u8)nValue;
  return kvValueRead(&tree, 1, kvBytes(a, i+n), &err);
}

/* V8's limits on lengths.  The memory is asked for, but not touched. */
static void testLengths(void){
  const u32 nString = 0x1fffffe8, nBigint = 1u<<27, nMap = 0x20001000;
  u8 *a = mmap(0, nMap, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE, -1, 0);
  CHECK( a!=MAP_FAILED );
  if( a==MAP_FAILED ) return;
  CHECK( writeNode(KV_BIGINT, 0, a, nBigint+1)==KV_REFUSED );
  CHECK( strstr(err.zMsg, "bigint is longer")!=0 );
  CHECK( writeNode(KV_STRING, KV_LATIN1, a, nString+1)==KV_REFUSED );
  CHECK( strstr(err.zMsg, "string is longer")!=0 );
  CHECK( readLong(a, 'Z', (nBigint+1)*2, nBigint+1)==KV_CORRUPT );
  CHECK( err.iPos==3 && strstr(err.zMsg, "bigint is longer")!=0 );
  CHECK( readLong(a, '"', nString+1, nString+1)==KV_CORRUPT );
  CHECK( err.iPos==2 && strstr(err.zMsg, "string is longer")!=0 );
  CHECK( readLong(a, '"', nString, nString)==KV_OK && tree.aNode[0].n==nString );
  CHECK( readLong(a, 'c', nString+2, nString+2)==KV_OK && tree.aNode[0].n==nString+2 );
  kvTreeReset(&tree);
  munmap(a, nMap);
}

int main(int argc, char **argv){
  const char *zDir = argc>2 ? argv[2] : "tests/vectors";
  unitSeed(argc, argv);
  kvTreeInit(&tree);
  kvBufInit(&out, 0, 0);
  testVectors(zDir);
  testDecode(zDir);
  testMutations(zDir);
  testTags();
  testTagsWithBytes();
  testReferences();
  testCorrupt();
  testNames();
  testEncodings();
  testIndex();
  testEqual();
  testOrder();
  testDepth();
  testHostile();
  testSticky();
  testLengths();
  kvTreeClear(&tree);
  kvBufClear(&out);
  return unitDone();
}
