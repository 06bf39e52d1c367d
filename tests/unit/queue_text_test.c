/*
** queue_text_test.c -- the lists of a queue message (codec/queue_text.h).
**
** Usage:  queue_text_test [SEED]
*/
#include "unit/unit.h"
#include "codec/queue_text.h"

static char zOut[1000000];
static u32 nList;
static i64 iMost;
static KvErr err;

/* Deno's JSON for a list in JS text, in zOut.  The codec's result. */
static int toJson(const char *z, int bKeys){
  KvTree tree;
  KvBuf out;
  int rc;
  kvTreeInit(&tree);
  kvBufInit(&out, 0, 0);
  rc = bKeys ? kvQueueKeys(kvBytesText(z), &out, &nList, &iMost, &err)
             : kvQueueBackoff(&tree, kvBytesText(z), &out, &nList, &iMost, &err);
  if( rc==KV_OK && out.n<sizeof(zOut) ){
    memcpy(zOut, out.a, out.n);
    zOut[out.n] = 0;
    {
      u32 n = 99;
      i64 v = -1;
      CHECK_OF( kvQueueTextCheck(kvBufBytes(&out), bKeys, &n, &v)==KV_OK, z );
      CHECK_OF( n==nList && v==iMost, z );
    }
  }
  kvBufClear(&out);
  kvTreeClear(&tree);
  return rc;
}

static const char *show(const char *z, u32 n){
  KvBuf out;
  kvBufInit(&out, 0, 0);
  kvQueueKeysShow(&out, kvBytes(z, n));
  if( out.n ) memcpy(zOut, out.a, out.n);
  zOut[out.n] = 0;
  kvBufClear(&out);
  return zOut;
}

static void testGood(void){
  static const struct { int bKeys; const char *zJs, *zJson; u32 n; i64 iMost; } aGood[] = {
    { 0, "[]", "[]", 0, 0 },
    { 0, " [ 1 , 2.9, 0x10, 1e3, -0, ] ", "[1,2,16,1000,0]", 5, 1000 },
    { 0, "[9007199254740991]", "[9007199254740991]", 1, 9007199254740991 },
    { 1, "[]", "[]", 0, 0 },
    { 1, "[[\"a\"],[1]]", "[[2,97,0],[33,191,240,0,0,0,0,0,0]]", 2, 9 },
    { 1, "[['a', 1n, false, new Uint8Array([0])]]", "[[2,97,0,21,1,38,1,0,255,0]]", 1, 10 },
    { 1, "[[-0.0],[NaN]]", 0, 2, 9 },
    { 1, "[['a',-NaN],[NaN,],] // both", "[[2,97,0,33,0,7,255,255,255,255,255,255],[33,255,248,0,0,0,0,0,0]]", 2, 12 },
    { 1, " [['a'] ] ; // end", "[[2,97,0]]", 1, 3 },
    { 1, " [ /* as the console */ [Uint8Array(2) [ 1, 2 ]] ]", "[[1,1,2,0]]", 1, 4 },
    { 1, "[[\"\\ud83d\\ude00\\u0000\"]]", "[[2,240,159,152,128,0,255,0]]", 1, 8 },
  };
  u32 i;
  for(i=0; i<sizeof(aGood)/sizeof(aGood[0]); i++){
    CHECK_OF( toJson(aGood[i].zJs, aGood[i].bKeys)==KV_OK, aGood[i].zJs );
    if( aGood[i].zJson ) CHECK_OF( strcmp(zOut, aGood[i].zJson)==0, zOut );
    CHECK_OF( nList==aGood[i].n && iMost==aGood[i].iMost, aGood[i].zJs );
  }
}

static void testBad(void){
  static const struct { int bKeys; const char *zJs; int rc; } aBad[] = {
    { 0, "", KV_SYNTAX }, { 0, "[1", KV_SYNTAX }, { 0, "1", KV_REFUSED },
    { 0, "null", KV_REFUSED }, { 0, "{}", KV_REFUSED }, { 0, "[-1]", KV_REFUSED },
    { 0, "[NaN]", KV_REFUSED }, { 0, "[Infinity]", KV_REFUSED },
    { 0, "[9007199254740992]", KV_REFUSED }, { 0, "[1n]", KV_REFUSED },
    { 0, "['1']", KV_REFUSED }, { 0, "[1,,2]", KV_REFUSED }, { 0, "[[1]]", KV_REFUSED },
    { 0, "new Set([1])", KV_REFUSED }, { 0, "new Uint8Array([1])", KV_REFUSED },
    { 0, "<ref *1> [ [Circular *1] ]", KV_REFUSED },
    { 1, "[", KV_SYNTAX }, { 1, "['a']", KV_SYNTAX }, { 1, "[[]]", KV_SYNTAX },
    { 1, "[[null]]", KV_SYNTAX }, { 1, "[[['a']]]", KV_SYNTAX }, { 1, "[[1,,2]]", KV_SYNTAX },
    { 1, "[['a'],,['b']]", KV_SYNTAX }, { 1, "[[new Date(0)]]", KV_SYNTAX },
    { 1, "[[undefined]]", KV_SYNTAX }, { 1, "[[{}]]", KV_SYNTAX },
    { 1, "[<ref *1> [ [Circular *1] ]]", KV_SYNTAX }, { 1, "[[9007199254740993]]", KV_SYNTAX },
    { 1, "[[new Uint16Array([1])]]", KV_SYNTAX }, { 1, "[[new Int8Array([1])]]", KV_SYNTAX },
    { 1, "[[new DataView(new ArrayBuffer(2))]]", KV_SYNTAX },
    { 1, "[[new Uint8Array([1]).buffer]]", KV_SYNTAX },
    { 1, "", KV_SYNTAX }, { 1, "[['a'] ['b']]", KV_SYNTAX }, { 1, "[['a']] 1", KV_SYNTAX },
    { 1, "[['a'],[]]", KV_SYNTAX }, { 1, "[[kv.commitVersionstamp()]]", KV_SYNTAX }, { 1, "[/*", KV_SYNTAX },
    { 1, "[['a']/*", KV_SYNTAX }, { 1, "[['a'],/*", KV_SYNTAX }, { 1, "/*", KV_SYNTAX }, { 1, "[]/*", KV_SYNTAX },
  };
  u32 i;
  for(i=0; i<sizeof(aBad)/sizeof(aBad[0]); i++){
    int rc = toJson(aBad[i].zJs, aBad[i].bKeys);
    CHECK_OF( rc==aBad[i].rc, aBad[i].zJs );
    CHECK_OF( rc!=KV_SYNTAX || err.iPos>=0, aBad[i].zJs );
  }
}

/* Zeros that are not spelled out: so many in all of the text. */
static void testZeros(void){
  char z[1000] = "[";
  int i;
  for(i=0; i<16; i++) strcat(z, "[new Uint8Array(65536)],");
  strcat(z, "]");
  CHECK( toJson(z, 1)==KV_OK && nList==16 && iMost==2*65536+2 );
  strcpy(&z[strlen(z)-1], "[new Uint8Array(1)]]");
  CHECK( toJson(z, 1)==KV_SYNTAX );
  CHECK( strstr(err.zMsg, "1048576")!=0 );
}

static void testShow(void){
  static const struct { const char *z, *zShown; } aShow[] = {
    { "[]", "[]" }, { "[[2,97,0]]", "[[\"a\"]]" },
    { "[[2,97,0],[21,1,39]]", "[[\"a\"],[1n,true]]" },
    { "", "" }, { "x", "x" }, { "[", "[" }, { "[[", "[[" }, { "[[2", "[[2" }, { "[[2,]]", "[[2,]]" },
    { "[[256]]", "[[256]]" }, { "[[2,97,0],]", "[[2,97,0],]" }, { "[[2,97,0]", "[[2,97,0]" },
    { "[ [2,97,0] ]", "[ [2,97,0] ]" }, { "[[02,97,0]]", "[[02,97,0]]" }, { "[]]", "[]]" },
    { "[[-1]]", "[[-1]]" }, { "[[99999999999999999999]]", "[[99999999999999999999]]" },
    { "[[]]", "[[]]" }, { "[[9]]", "[[9]]" },
  };
  u32 i;
  for(i=0; i<sizeof(aShow)/sizeof(aShow[0]); i++){
    const char *z = show(aShow[i].z, (u32)strlen(aShow[i].z));
    CHECK_OF( strcmp(z, aShow[i].zShown)==0, z );
  }
}

/* Any bytes: nothing is read beyond them. */
static void testRandom(void){
  static const char zLetters[] = "[[[]]],,,0123456789 x";
  int i;
  for(i=0; i<100000; i++){
    u32 k, n = unitBelow(24);
    char *z = malloc(n ? n : 1);
    if( z==0 ) return;
    for(k=0; k<n; k++) z[k] = zLetters[unitBelow(sizeof(zLetters)-1)];
    if( i%2 && n>4 ) memcpy(z, "[[2,", 4);
    show(z, n);
    if( kvQueueTextCheck(kvBytes(z, n), 1, 0, 0)!=KV_OK ) CHECK( strlen(zOut)==n && memcmp(zOut, z, n)==0 );
    free(z);
  }
}

/* Lists as they may be stored: the first step and the rest, and the keys. */
static void testStored(void){
  static const struct { const char *z; i64 nWait; const char *zRest; } aBackoff[] = {
    { "[100,1000]", 100, "1000]" }, { " [ 5 , 6]", 5, " 6]" }, { "[7]", 7, "]" }, { "[,8", 8, "" },
    { "[]", -1, 0 }, { "", -1, 0 }, { "100", -1, 0 }, { "[x]", -1, 0 }, { "[-1]", -1, 0 },
  };
  static const struct { const char *z; int nKey; const char *zBytes; } aKeys[] = {
    { "[[2,97,0]]", 1, "\2a" }, { " [ [ 2 , 97 ] , [3] ]", 2, "\2a|\3" }, { "[[1],[x],[2]]", 1, "\1" },
    { "[[]]", 1, "" }, { "[]", 0, "" }, { "", 0, "" }, { "[[1,2", 0, "" }, { "[[257]]", 1, "\1" },
  };
  u32 i;
  for(i=0; i<sizeof(aBackoff)/sizeof(aBackoff[0]); i++){
    KvBytes rest;
    i64 nWait = -1;
    int b = kvQueueBackoffStep(kvBytesText(aBackoff[i].z), &nWait, &rest);
    CHECK_OF( b==(aBackoff[i].zRest!=0) && nWait==aBackoff[i].nWait, aBackoff[i].z );
    if( b ) CHECK_OF( kvBytesEqual(rest, kvBytesText(aBackoff[i].zRest)), aBackoff[i].z );
  }
  for(i=0; i<sizeof(aKeys)/sizeof(aKeys[0]); i++){
    KvBuf key, all;
    u32 iAt = 0;
    int nKey = 0;
    kvBufInit(&key, 0, 0);
    kvBufInit(&all, 0, 0);
    while( kvQueueKeyNext(kvBytesText(aKeys[i].z), &iAt, &key) ){
      if( nKey++ ) kvBufPut(&all, '|');
      kvBufAdd(&all, kvBufBytes(&key));
    }
    CHECK_OF( nKey==aKeys[i].nKey, aKeys[i].z );
    CHECK_OF( all.n>=strlen(aKeys[i].zBytes), aKeys[i].z );
    if( all.n ) CHECK_OF( memcmp(all.a, aKeys[i].zBytes, strlen(aKeys[i].zBytes))==0, aKeys[i].z );
    kvBufClear(&key);
    kvBufClear(&all);
  }
}

/* Every allocation fails in turn. */
static void testNoMemory(void){
  static const char zKeys[] = "[[\"a\",1n,new Uint8Array([1,2,3])],[\"\xc3\xa9\",NaN]]";
  int bKeys;
  for(bKeys=0; bKeys<2; bKeys++){
    u64 i;
    for(i=1; i<1000; i++){
      int rc;
      unitAllocs = 0;
      unitAllocFails = i;
      rc = toJson(bKeys ? zKeys : "[1,2,3]", bKeys);
      unitAllocFails = 0;
      if( unitAllocs<i ){
        CHECK( rc==KV_OK );
        break;
      }
      CHECK( rc==KV_NOMEM );
    }
    CHECK( i<1000 );
  }
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testGood();
  testBad();
  testZeros();
  testShow();
  testRandom();
  testStored();
  testNoMemory();
  return unitDone();
}
