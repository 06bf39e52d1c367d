/*
** retype_test.c -- what a plain new value becomes in the place of a stored one
** (codec/edit/retype.h).
**
** Usage:  retype_test [SEED]
*/
#include "unit/unit.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/edit/retype.h"

/*
** zOld and zNew are JS text; a bigint as the new value stands for a wide INTEGER.
** zWant is the JS text of the result, or "! " and how the error begins.
*/
static const struct { const char *zOld, *zNew, *zWant; } aCase[] = {
  /* onto bigint */
  { "5n", "7", "7n" },
  { "5n", "-7", "-7n" },
  { "5n", "0", "0n" },
  { "5n", "-0", "0n" },
  { "5n", "9007199254740991", "9007199254740991n" },
  { "5n", "-9007199254740991", "-9007199254740991n" },
  { "5n", "9007199254740992", "! a bigint is stored" },
  { "5n", "1.5", "! a bigint is stored" },
  { "5n", "NaN", "! a bigint is stored" },
  { "5n", "Infinity", "! a bigint is stored" },
  { "5n", "9223372036854775807n", "9223372036854775807n" },
  { "5n", "'12345678901234567890123'", "12345678901234567890123n" },
  { "5n", "'-12345678901234567890123'", "-12345678901234567890123n" },
  { "5n", "'007'", "7n" },
  { "5n", "'-0'", "0n" },
  { "5n", "''", "! a bigint is stored" },
  { "5n", "'-'", "! a bigint is stored" },
  { "5n", "'1n'", "! a bigint is stored" },
  { "5n", "' 1'", "! a bigint is stored" },
  { "5n", "'0x10'", "! a bigint is stored" },
  { "5n", "'1.0'", "! a bigint is stored" },
  { "5n", "new Uint8Array([1])", "! a bigint is stored" },
  { "5n", "null", "null" },
  /* onto KvU64 */
  { "new Deno.KvU64(5n)", "7", "new Deno.KvU64(7n)" },
  { "new Deno.KvU64(5n)", "0", "new Deno.KvU64(0n)" },
  { "new Deno.KvU64(5n)", "-1", "! a KvU64 is stored" },
  { "new Deno.KvU64(5n)", "0.5", "! a KvU64 is stored" },
  { "new Deno.KvU64(5n)", "9007199254740993n", "new Deno.KvU64(9007199254740993n)" },
  { "new Deno.KvU64(5n)", "'18446744073709551615'", "new Deno.KvU64(18446744073709551615n)" },
  { "new Deno.KvU64(5n)", "'18446744073709551616'", "! a KvU64 is stored" },
  { "new Deno.KvU64(5n)", "-9007199254740993n", "! a KvU64 is stored" },
  { "new Deno.KvU64(5n)", "'abc'", "! a KvU64 is stored" },
  { "new Deno.KvU64(5n)", "null", "null" },
  /* onto boolean */
  { "true", "0", "false" },
  { "true", "-0", "false" },
  { "false", "1", "true" },
  { "false", "'true'", "true" },
  { "true", "'false'", "false" },
  { "true", "'True'", "\"True\"" },
  { "true", "'1'", "\"1\"" },
  { "true", "2", "2" },
  { "true", "'x'", "\"x\"" },
  { "true", "null", "null" },
  { "true", "9007199254740993n", "! integer is beyond" },
  /* onto Date */
  { "new Date(0)", "'2024-01-31'", "new Date(\"2024-01-31T00:00:00.000Z\")" },
  { "new Date(0)", "'2024-01-31T12:00:00+02:00'", "new Date(\"2024-01-31T10:00:00.000Z\")" },
  { "new Date(NaN)", "'2024-01-31'", "new Date(\"2024-01-31T00:00:00.000Z\")" },
  { "new Date(0)", "'2024-01-31T12:00:00'", "! a Date is stored" },
  { "new Date(0)", "'tomorrow'", "! a Date is stored" },
  { "new Date(0)", "''", "! a Date is stored" },
  { "new Date(0)", "1700000000000", "! a Date is stored" },
  { "new Date(0)", "null", "null" },
  /* onto bytes */
  { "new Uint8Array([1])", "new Uint8Array([2,3])", "new Uint8Array([2,3])" },
  { "new Uint8Array([1])", "'abc'", "\"abc\"" },
  { "new Uint8Array([1])", "5", "5" },
  { "new Uint8Array([1]).buffer", "new Uint8Array([2,3])", "new Uint8Array([2,3]).buffer" },
  { "new Uint8Array([1]).buffer", "new Uint8Array([])", "new ArrayBuffer(0)" },
  { "new Uint8Array([1]).buffer", "'abc'", "! an ArrayBuffer is stored" },
  { "new Uint8Array([1]).buffer", "5", "! an ArrayBuffer is stored" },
  { "new Uint8Array([1]).buffer", "null", "null" },
  { "new ArrayBuffer(1, { maxByteLength: 4 })", "new Uint8Array([1,2,3,4])",
    "new ArrayBuffer(4, { maxByteLength: 4 })" },
  { "new ArrayBuffer(1, { maxByteLength: 4 })", "new Uint8Array([1,2,3,4,5])",
    "! a resizable ArrayBuffer is stored" },
  /* free among JSON's own types */
  { "undefined", "5", "5" },
  { "null", "'a'", "\"a\"" },
  { "null", "new Uint8Array([1])", "new Uint8Array([1])" },
  { "1", "'a'", "\"a\"" },
  { "1", "'true'", "\"true\"" },
  { "'a'", "1", "1" },
  { "'a'", "-0", "-0" },
  { "'a'", "9007199254740993n", "! integer is beyond" },
  { "'2024-01-31'", "'2024-02-01'", "\"2024-02-01\"" },
  /* refused */
  { "({})", "1", "! an Object is stored" },
  { "({})", "'x'", "! an Object is stored" },
  { "({})", "new Uint8Array([1])", "! an Object is stored" },
  { "({})", "null", "null" },
  { "[1]", "1", "! an Array is stored" },
  { "new Map()", "'[]'", "! a Map is stored" },
  { "new Set()", "1", "! a Set is stored" },
  { "/a/g", "'/b/'", "! a RegExp is stored" },
  { "new Error('x')", "'x'", "! an Error is stored" },
  { "new Int8Array([1])", "new Uint8Array([1])", "! a typed array" },
  { "new DataView(new ArrayBuffer(1))", "new Uint8Array([1])", "! a typed array" },
  { "new Number(1)", "1", "! a boxed primitive" },
  { "new Map()", "null", "null" },
  { "new Int8Array([1])", "null", "null" },
};

static void testCase(int i){
  KvTree old, new;
  KvBuf out;
  KvErr err = { KV_OK, -1, 0 };
  const char *zWant = aCase[i].zWant;
  int rc;
  kvTreeInit(&old);
  kvTreeInit(&new);
  kvBufInit(&out, 0, 0);
  CHECK_OF(kvJsParse(&old, kvBytesText(aCase[i].zOld), &err)==KV_OK, aCase[i].zOld);
  CHECK_OF(kvJsParse(&new, kvBytesText(aCase[i].zNew), &err)==KV_OK, aCase[i].zNew);
  rc = kvRetype(&old, 0, &new, 0, &err);
  if( zWant[0]=='!' ){
    CHECK_OF(rc==KV_REFUSED && err.eCode==KV_REFUSED && err.iPos==-1, zWant);
    CHECK_OF(rc==KV_REFUSED && strncmp(err.zMsg, &zWant[2], strlen(zWant)-2)==0, zWant);
  }else if( rc!=KV_OK ){
    CHECK_OF(0, zWant);
  }else if( strncmp(zWant, "new ArrayBuffer(4", 17)!=0 ){
    CHECK(kvJsPrint(&new, 0, &out, &err)==KV_OK && kvBufTerminate(&out)==KV_OK);
    CHECK_OF(out.a && strcmp((const char*)out.a, zWant)==0, out.a ? (const char*)out.a : "");
  }else{
    const KvNode *pRoot = &new.aNode[0];
    CHECK(pRoot->eKind==KV_BUFFER && pRoot->eSub==KV_BUF_RESIZABLE && pRoot->n==4);
    CHECK(new.aNode[pRoot->iChild].u.r==4.0 && memcmp(pRoot->u.p, "\001\002\003\004", 4)==0);
  }
  kvBufClear(&out);
  kvTreeClear(&old);
  kvTreeClear(&new);
}

/* A REF of the stored value stands for its target. */
static void testReference(void){
  static const char zOld[] = "[<ref *1> new Map(), [Circular *1]]";
  KvTree old, new;
  KvErr err = { KV_OK, -1, 0 };
  u32 iSecond;
  kvTreeInit(&old);
  kvTreeInit(&new);
  CHECK(kvJsParse(&old, kvBytes(zOld, sizeof(zOld)-1), &err)==KV_OK);
  CHECK(kvJsParse(&new, kvBytesText("1"), &err)==KV_OK);
  iSecond = old.aNode[old.aNode[0].iChild].iNext;
  CHECK(old.aNode[iSecond].eKind==KV_REF);
  CHECK(kvRetype(&old, iSecond, &new, 0, &err)==KV_REFUSED);
  CHECK(err.zMsg && strncmp(err.zMsg, "a Map", 5)==0);
  kvTreeClear(&old);
  kvTreeClear(&new);
}

/* Each allocation fails in turn. */
static void testNoMemory(void){
  static const char *const az[][2] = {
    { "5n", "7" }, { "5n", "'12345'" }, { "new Deno.KvU64(5n)", "1" },
    { "new ArrayBuffer(1, { maxByteLength: 4 })", "new Uint8Array([1])" },
  };
  size_t i;
  for(i=0; i<sizeof(az)/sizeof(az[0]); i++){
    u64 iFail;
    int rc = KV_NOMEM;
    for(iFail=1; rc==KV_NOMEM && iFail<20; iFail++){
      KvTree old, new;
      KvErr err = { KV_OK, -1, 0 };
      kvTreeInit(&old);
      kvTreeInit(&new);
      CHECK(kvJsParse(&old, kvBytesText(az[i][0]), &err)==KV_OK);
      CHECK(kvJsParse(&new, kvBytesText(az[i][1]), &err)==KV_OK);
      unitPlaceFails = unitPlaces + iFail;
      rc = kvRetype(&old, 0, &new, 0, &err);
      unitPlaceFails = 0;
      CHECK(rc==KV_OK || (rc==KV_NOMEM && err.eCode==KV_NOMEM));
      kvTreeClear(&old);
      kvTreeClear(&new);
    }
    CHECK(rc==KV_OK && iFail>2);
  }
}

int main(int argc, char **argv){
  int i;
  unitSeed(argc, argv);
  for(i=0; i<(int)(sizeof(aCase)/sizeof(aCase[0])); i++) testCase(i);
  testReference();
  testNoMemory();
  return unitDone();
}
