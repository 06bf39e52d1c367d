/*
** entry_test.c -- entries as lines of JSON (codec/entry_print.h).
**
** Usage:  entry_test [SEED]
*/
#include "unit/unit.h"
#include "codec/entry_print.h"
#include "codec/entry_read.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/stored.h"

static KvErr err;
static char zKey[4000], zValue[200000];

static void putText(char *z, u32 nMax, const KvBuf *p){
  u32 n = p->n<nMax ? p->n : nMax-1;
  if( n ) memcpy(z, p->a, n);
  z[n] = 0;
}

/* Read a line of n bytes: key text in zKey, JS text in zValue. */
static int readLine(const char *z, u32 n){
  KvEntry entry;
  KvBuf text;
  int rc;
  kvEntryInit(&entry);
  kvBufInit(&text, 0, 0);
  err.zMsg = "";
  err.iPos = -1;
  rc = kvEntryRead(&entry, kvBytes(z, n), &err);
  CHECK( rc==KV_OK || rc==err.eCode );
  if( rc==KV_OK ){
    if( entry.key.n ){
      kvKeyShow(&text, kvBufBytes(&entry.key));
    }else{
      kvBufLit(&text, "[]");
    }
    putText(zKey, sizeof(zKey), &text);
    rc = text.eErr;
    kvBufReset(&text);
    if( rc!=KV_OK ){
      text.eErr = (u8)rc;
    }else if( entry.bRaw ){
      kvBufLit(&text, "raw");
    }else{
      rc = kvJsPrint(&entry.tree, 0, &text, &err);
    }
    putText(zValue, sizeof(zValue), &text);
    if( rc==KV_OK ) rc = text.eErr;
  }
  kvBufClear(&text);
  kvEntryClear(&entry);
  return rc;
}

/* The line of an entry given as key text and JS text, in zValue. */
static int printLine(const char *zKeyText, const char *zJs){
  KvTree tree;
  KvBuf key, raw, bytes, out;
  int rc, eEncoding = 0;
  kvTreeInit(&tree);
  kvBufInit(&key, 0, 0);
  kvBufInit(&raw, 0, 0);
  kvBufInit(&bytes, 0, 0);
  kvBufInit(&out, 0, 0);
  rc = kvKeyParse(kvBytesText(zKeyText), KVKEY_MALFORMED, &key, 0, &err);
  if( rc==KV_OK ) rc = kvJsParse(&tree, kvBytesText(zJs), &err);
  if( rc==KV_OK ) rc = kvValueWrite(&tree, 15, 0, &bytes, &eEncoding, &err);
  if( rc==KV_OK ){
    kvBufPut(&raw, (u8)eEncoding);
    kvBufAppend(&raw, bytes.a, bytes.n);
    kvBufLit(&out, "{\"key\":");
    kvEntryPrintKey(&out, kvBufBytes(&key));
    kvBufLit(&out, ",\"value\":");
    rc = raw.eErr;
    if( rc==KV_OK ) rc = kvEntryPrintValue(&out, &tree, kvBufBytes(&raw), &err);
    kvBufPut(&out, '}');
    if( rc==KV_OK ) rc = out.eErr;
    putText(zValue, sizeof(zValue), &out);
  }
  kvBufClear(&key);
  kvBufClear(&raw);
  kvBufClear(&bytes);
  kvBufClear(&out);
  kvTreeClear(&tree);
  return rc;
}

/* Key text, JS text; each comes back from its line as it was. */
static const struct { const char *zKey, *zJs; } aEntry[] = {
  { "[\"a\"]", "1" }, { "[1]", "-0" }, { "[-0,NaN,Infinity,-Infinity]", "NaN" },
  { "[-NaN]", "Infinity" }, { "[1n,-1n,0n]", "-Infinity" }, { "[true,false]", "true" },
  { "[new Uint8Array([])]", "new Uint8Array([])" },
  { "[new Uint8Array([0,255])]", "new Uint8Array([1])" },
  { "[\"\\u0000\\\"\\\\\xc3\xa9\"]", "\"\\u0000\\\"\\\\\xc3\xa9\xf0\x9f\x98\x80\"" },
  { "[]", "\"\\ud800\"" }, { "kv.malformedKey(\"02ff\")", "null" },
  { "[1]", "undefined" }, { "[1]", "-123456789012345678901234567890n" },
  { "[1]", "new Deno.KvU64(18446744073709551615n)" }, { "[1]", "new Deno.KvU64(0n)" },
  { "[1]", "[]" }, { "[1]", "[,]" }, { "[1]", "[1,,[2,,],,]" }, { "[1]", "{}" },
  { "[1]", "{\"0\":1,\"7\":{},\"b\":[],\"a\":{\"type\":\"x\",\"value\":1}}" },
  { "[1]", "new Map()" }, { "[1]", "new Map([[new Map([[1,2]]),new Set()],[NaN,0],[\"\",null]])" },
  { "[1]", "new Set([new Set(),new Map(),1,\"1\",1n,undefined])" },
  { "[1]", "new Date(\"2023-04-23T01:02:03.456Z\")" }, { "[1]", "new Date(NaN)" },
  { "[1]", "new Date(\"+275760-09-13T00:00:00.000Z\")" }, { "[1]", "/a\\/b[/]/dgimsuy" },
  { "[1]", "/(?:)/" }, { "[1]", "new RegExp(\"\\u2028\",\"\")" },
  { "[1]", "new Error()" }, { "[1]", "new TypeError(\"\")" },
  { "[1]", "Object.assign(new RangeError(undefined,{\"cause\":0}),{\"stack\":\"\"})" },
  { "[1]", "Object.assign(new URIError(\"m\",{\"cause\":new Error(\"n\",{\"cause\":{}})}),{\"stack\":\"s\"})" },
  { "[1]", "new Float64Array([0.5,NaN])" }, { "[1]", "new BigUint64Array([1n])" },
  { "[1]", "new Uint8Array([1,2]).buffer" }, { "[1]", "new DataView(new Uint8Array([1]).buffer)" },
  { "[1]", "[new Uint8Array([1,2]),new Int8Array([-1])]" },
};

static void testRoundTrip(void){
  u32 i;
  for(i=0; i<sizeof(aEntry)/sizeof(aEntry[0]); i++){
    static char zLine[200000];
    CHECK_OF( printLine(aEntry[i].zKey, aEntry[i].zJs)==KV_OK, aEntry[i].zJs );
    CHECK_OF( strstr(zValue, "\"value\":{\"type\":\"raw\"")==0, zValue );
    memcpy(zLine, zValue, sizeof(zLine));
    CHECK_OF( readLine(zLine, (u32)strlen(zLine))==KV_OK, zLine );
    if( strcmp(aEntry[i].zJs, "new RegExp(\"\\u2028\",\"\")")!=0 ){
      CHECK_OF( strcmp(zValue, aEntry[i].zJs)==0, zValue );
    }
    CHECK_OF( strcmp(zKey, aEntry[i].zKey)==0, zKey );
  }
}

/* What has no form is written raw. */
static void testRaw(void){
  static const char *const azJs[] = {
    "Object(1n)", "new String(\"a\")", "[<ref *1> {},[Circular *1]]", "<ref *1> [[Circular *1]]",
    "new Float16Array([1])", "new Array(100)", "Object.assign([1],{\"a\":1})",
    "{[\"__proto__\"]:1}", "[{[\"__proto__\"]:1}]", "new Uint8Array(new Uint8Array([1,2]).buffer,1,1).buffer",
    "[new Uint8Array(new Uint8Array([1,2]).buffer,1,1)]", "new ArrayBuffer(1,{maxByteLength:2})",
    "[new Uint8Array(new ArrayBuffer(1,{maxByteLength:2}))]",
  };
  static const char zRaw[] = "\"value\":{\"type\":\"raw\",\"value\":\"";
  u32 i;
  for(i=0; i<sizeof(azJs)/sizeof(azJs[0]); i++){
    if( strstr(azJs[i], ").buffer") && azJs[i][0]=='n' ) continue;
    CHECK_OF( printLine("[1]", azJs[i])==KV_OK, azJs[i] );
    CHECK_OF( strstr(zValue, zRaw)!=0, zValue );
  }
  CHECK( printLine("[-NaN]", "1")==KV_OK );
  CHECK_OF( strstr(zValue, "{\"key\":[{\"type\":\"raw\",\"value\":\"IQAH________\"}],")==zValue, zValue );
}

#define KEY1 "{\"key\":[{\"type\":\"number\",\"value\":1}],\"value\":"

/* Other spellings than those that are written. */
static void testRead(void){
  static const struct { const char *z, *zJs; } aGood[] = {
    { KEY1 "{\"type\":\"undefined\",\"value\":1}}", "undefined" },
    { KEY1 "{\"value\":[],\"x\":1,\"type\":\"Array\"}}", "[]" },
    { KEY1 "{\"type\":\"Array\",\"value\":[null]}}", "[,]" },
    { KEY1 "{\"type\":\"Date\",\"value\":null}}", "new Date(NaN)" },
    { KEY1 "{\"type\":\"Date\",\"value\":\"2023-04-23\"}}", "new Date(\"2023-04-23T00:00:00.000Z\")" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":\"+/-_\"}}", "new Uint8Array([251,255,191])" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":\"AQ==\"}}", "new Uint8Array([1])" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":\"AQI=\",\"byteLength\":7}}", "new Uint8Array([1,2])" },
    { KEY1 "{\"type\":\"bigint\",\"value\":\"-0\"}}", "0n" },
    { KEY1 "{\"type\":\"bigint\",\"value\":\"0012\"}}", "12n" },
    { KEY1 "{\"type\":\"RegExp\",\"value\":\"/a/b/g\"}}", "/a\\/b/g" },
    { KEY1 "{\"type\":\"Map\",\"value\":[[{\"type\":\"number\",\"value\":1},{\"type\":\"null\"}],"
           "[{\"type\":\"number\",\"value\":1},{\"type\":\"undefined\"}]]}}", "new Map([[1,undefined]])" },
    { KEY1 "{\"type\":\"Set\",\"value\":[{\"type\":\"number\",\"value\":-0},{\"type\":\"number\",\"value\":0}]}}",
      "new Set([0])" },
    { KEY1 "{\"type\":\"Array\",\"value\":[{\"type\":\"KvU64\",\"value\":\"1\"}]}}", "[new Deno.KvU64(1n)]" },
    { KEY1 "1,\"value\":{\"type\":\"null\"}}", "null" },
    { KEY1 "{\"type\":\"raw\",\"value\":\"Af8PMA\"}}", "raw" },
  };
  u32 i;
  for(i=0; i<sizeof(aGood)/sizeof(aGood[0]); i++){
    CHECK_OF( readLine(aGood[i].z, (u32)strlen(aGood[i].z))==KV_OK, aGood[i].z );
    CHECK_OF( strcmp(zValue, aGood[i].zJs)==0, zValue );
  }
}

static void testBad(void){
  static const struct { const char *z, *zMsg; } aBad[] = {
    { "", "end of the text" }, { "{", "" }, { "[]", "an entry is" }, { "{}", "\"key\" must" },
    { "{\"key\":{}}", "\"key\" must" }, { "{\"key\":[1],\"value\":1}", "a part" },
    { "{\"key\":[{\"type\":\"null\",\"value\":1}],\"value\":1}", "the type of a part" },
    { "{\"key\":[{\"type\":\"Int8Array\",\"value\":\"\"}],\"value\":1}", "the type of a part" },
    { "{\"key\":[{\"type\":\"string\",\"value\":1}],\"value\":1}", "the type of a part" },
    { "{\"key\":[]}", "no \"value\"" },
    { KEY1 "null}", "a value must" }, { KEY1 "{}}", "a value must" },
    { KEY1 "{\"type\":1,\"value\":1}}", "a value must" },
    { KEY1 "{\"type\":\"Promise\",\"value\":1}}", "a value must" },
    { KEY1 "{\"type\":\"Array\",\"value\":[{\"type\":\"raw\",\"value\":\"\"}]}}", "a value must" },
    { KEY1 "{\"type\":\"string\"}}", "without" },
    { KEY1 "{\"type\":\"string\",\"value\":1}}", "not of the type" },
    { KEY1 "{\"type\":\"boolean\",\"value\":1}}", "not of the type" },
    { KEY1 "{\"type\":\"number\",\"value\":\"1\"}}", "of a number" },
    { KEY1 "{\"type\":\"bigint\",\"value\":1}}", "of a bigint" },
    { KEY1 "{\"type\":\"bigint\",\"value\":\"\"}}", "of a bigint" },
    { KEY1 "{\"type\":\"bigint\",\"value\":\"-\"}}", "of a bigint" },
    { KEY1 "{\"type\":\"bigint\",\"value\":\"1x\"}}", "of a bigint" },
    { KEY1 "{\"type\":\"KvU64\",\"value\":\"-1\"}}", "KvU64" },
    { KEY1 "{\"type\":\"KvU64\",\"value\":\"18446744073709551616\"}}", "KvU64" },
    { KEY1 "{\"type\":\"Array\",\"value\":{}}}", "an array" },
    { KEY1 "{\"type\":\"Set\",\"value\":[null]}}", "a value must" },
    { KEY1 "{\"type\":\"Map\",\"value\":[[]]}}", "pairs" },
    { KEY1 "{\"type\":\"Map\",\"value\":1}}", "pairs" },
    { KEY1 "{\"type\":\"object\",\"value\":[]}}", "an object" },
    { KEY1 "{\"type\":\"object\",\"value\":{\"a\":null}}}", "a value must" },
    { KEY1 "{\"type\":\"Error\",\"value\":\"m\"}}", "of an error" },
    { KEY1 "{\"type\":\"Error\",\"value\":{\"message\":1}}}", "strings" },
    { KEY1 "{\"type\":\"Error\",\"value\":{\"cause\":1}}}", "a value must" },
    { KEY1 "{\"type\":\"Date\",\"value\":\"x\"}}", "of a Date" },
    { KEY1 "{\"type\":\"Date\",\"value\":1}}", "of a Date" },
    { KEY1 "{\"type\":\"RegExp\",\"value\":\"\"}}", "of a RegExp" },
    { KEY1 "{\"type\":\"RegExp\",\"value\":\"/\"}}", "of a RegExp" },
    { KEY1 "{\"type\":\"RegExp\",\"value\":\"/a/gg\"}}", "of a RegExp" },
    { KEY1 "{\"type\":\"RegExp\",\"value\":\"/(/\"}}", "" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":\"A\"}}", "base64" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":\"AB\"}}", "base64" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":\"A*==\"}}", "base64" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":\"====\"}}", "base64" },
    { KEY1 "{\"type\":\"Uint8Array\",\"value\":1}}", "base64" },
    { KEY1 "{\"type\":\"Int16Array\",\"value\":\"AQ\"}}", "whole elements" },
  };
  u32 i;
  for(i=0; i<sizeof(aBad)/sizeof(aBad[0]); i++){
    CHECK_OF( readLine(aBad[i].z, (u32)strlen(aBad[i].z))==KV_SYNTAX, aBad[i].z );
    CHECK_OF( strstr(err.zMsg, aBad[i].zMsg)!=0, err.zMsg );
  }
}

/* Deep nesting, both ways. */
static void testDeep(void){
  static char zLine[400000];
  static const char zOpen[] = "{\"type\":\"Array\",\"value\":[";
  u32 i, n = 0;
  KvTree tree;
  KvBuf raw, out;
  memcpy(zLine, KEY1, sizeof(KEY1)-1);
  n = sizeof(KEY1)-1;
  for(i=0; i<10000; i++, n+=sizeof(zOpen)-1) memcpy(&zLine[n], zOpen, sizeof(zOpen)-1);
  for(i=0; i<10000; i++, n+=2) memcpy(&zLine[n], "]}", 2);
  zLine[n++] = '}';
  CHECK( readLine(zLine, n)==KV_OK );
  CHECK( zValue[9999]=='[' && zValue[10000]==']' );
  kvTreeInit(&tree);
  kvBufInit(&raw, 0, 0);
  kvBufInit(&out, 0, 0);
  kvBufLit(&raw, "\x01\xff\x0f");
  for(i=0; i<100000; i++) kvBufLit(&raw, "A\x01");
  kvBufLit(&raw, "A");
  kvBufPut(&raw, 0);
  for(i=0; i<100001; i++){ kvBufPut(&raw, '$'); kvBufPut(&raw, 0); kvBufPut(&raw, i!=0); }
  CHECK( kvEntryPrintValue(&out, &tree, kvBufBytes(&raw), &err)==KV_OK );
  CHECK( out.n==100001*(sizeof(zOpen)+1) );
  kvBufClear(&raw);
  kvBufClear(&out);
  kvTreeClear(&tree);
}

/* Lines with a few bytes changed: nothing is read beyond them. */
static void testRandom(void){
  u32 i, k, nGood = 0;
  for(i=0; i<30000; i++){
    static char zLine[200000];
    const char *zOther = "\"{}[]:,1\\/n";
    u32 iEntry = unitBelow(sizeof(aEntry)/sizeof(aEntry[0])), n;
    char *z;
    if( printLine(aEntry[iEntry].zKey, aEntry[iEntry].zJs)!=KV_OK ) continue;
    n = (u32)strlen(zValue);
    if( i%4==0 ) n = unitBelow(n) + 1;
    z = malloc(n);
    if( z==0 ) return;
    memcpy(z, zValue, n);
    for(k=unitBelow(4); k>0; k--){
      z[unitBelow(n)] = i%2 ? z[unitBelow(n)] : zOther[unitBelow(11)];
    }
    memcpy(zLine, z, n);
    nGood += readLine(z, n)==KV_OK;
    CHECK_OF( memcmp(zLine, z, n)==0, z );
    free(z);
  }
  CHECK( nGood>100 );
}

/* Every allocation fails in turn. */
static void testNoMemory(void){
  static const char zJs[] =
    "[new Map([[{\"a\":1},new Set([1n])],[2,3]]),Object.assign(new Error(\"m\",{\"cause\":/a/g}),{\"stack\":\"s\"})"
    ",new Float64Array([1]),-5n,new Date(0),\"x\",[[[[[[]]]]]]]";
  static char zLine[200000];
  int bPrint;
  CHECK( printLine("[\"a\",1n,new Uint8Array([1])]", zJs)==KV_OK );
  memcpy(zLine, zValue, sizeof(zLine));
  for(bPrint=0; bPrint<2; bPrint++){
    u64 i;
    for(i=1; i<1000; i++){
      int rc;
      unitAllocs = 0;
      unitAllocFails = i;
      rc = bPrint ? printLine("[\"a\",1n,new Uint8Array([1])]", zJs) : readLine(zLine, (u32)strlen(zLine));
      unitAllocFails = 0;
      if( unitAllocs<i ){
        CHECK( rc==KV_OK );
        break;
      }
      CHECK_OF( rc==KV_NOMEM, bPrint ? "print" : "read" );
    }
    CHECK( i>5 && i<1000 );
  }
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testRoundTrip();
  testRaw();
  testRead();
  testBad();
  testDeep();
  testRandom();
  testNoMemory();
  return unitDone();
}
