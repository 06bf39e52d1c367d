/*
** kv_codec_test.c -- unit test of the C interface to the codecs.
**
** It calls nothing but what the public header declares.
*/
#include "codec/kv_codec.h"
#include "unit/unit.h"

typedef unsigned char uchar;

static const char *hexOf(const void *p, size_t n){
  static char z[4096];
  size_t i;
  for(i=0; i<n && i*2+2<sizeof(z); i++) sprintf(&z[i*2], "%02x", ((const uchar*)p)[i]);
  z[i*2] = 0;
  return z;
}

/* The value of a text, as "encoding:hex", or "code@offset". */
static const char *valueOf(
  int (*xFrom)(const char*, size_t, int*, uchar**, size_t*, kv_error*), const char *z
){
  static char zOut[4200];
  uchar *v;
  size_t n;
  int e;
  kv_error err;
  if( xFrom(z, strlen(z), &e, &v, &n, &err)==KV_CODEC_OK ){
    CHECK(err.code==KV_CODEC_OK && v!=0 && v[n]==0);
    snprintf(zOut, sizeof(zOut), "%d:%s", e, hexOf(v, n));
  }else{
    CHECK(v==0 && n==0 && e==0 && err.message[0]!=0);
    snprintf(zOut, sizeof(zOut), "%d@%lld", err.code, err.offset);
  }
  kv_free(v);
  return zOut;
}

/* JS text -> stored bytes -> JS text, JSON text, type. */
static void checkValue(const char *zJs, const char *zBack, const char *zJson, const char *zType){
  uchar *v;
  char *z;
  char name[KV_TYPE_BYTES];
  size_t n, nText;
  int e;
  kv_error err;
  if( !CHECK(kv_value_from_js(zJs, strlen(zJs), &e, &v, &n, &err)==KV_CODEC_OK) ) return;
  CHECK_OF(kv_value_to_js(e, v, n, 0, &z, &nText, &err)==KV_CODEC_OK, zJs);
  CHECK_OF(z && nText==strlen(z) && strcmp(z, zBack)==0, zJs);
  kv_free(z);
  CHECK_OF(kv_value_to_json(e, v, n, &z, &nText, &err)==KV_CODEC_OK, zJs);
  CHECK_OF(z && nText==strlen(z) && strcmp(z, zJson)==0, zJs);
  kv_free(z);
  CHECK_OF(kv_value_type(e, v, n, name, &err)==KV_CODEC_OK && strcmp(name, zType)==0, zJs);
  kv_free(v);
}

static void testValues(void){
  checkValue("{ b: [1, , 'x'], a: 1n }", "{\"b\":[1,,\"x\"],\"a\":1n}", "{\"b\":[1,null,\"x\"],\"a\":1}", "Object");
  checkValue("new Map([['k', new Date(0)]])", "new Map([[\"k\",new Date(\"1970-01-01T00:00:00.000Z\")]])",
      "{\"k\":\"1970-01-01T00:00:00.000Z\"}", "Map");
  checkValue("undefined", "undefined", "", "undefined");
  checkValue("new Deno.KvU64(42n)", "new Deno.KvU64(42n)", "42", "KvU64");
  checkValue("new Uint8Array([1,2])", "new Uint8Array([1,2])", "\"AQI=\"", "Uint8Array");
  CHECK(strcmp(valueOf(kv_value_from_js, "'a'"), "1:ff0f220161")==0);
  CHECK(strcmp(valueOf(kv_value_from_json, "\"a\""), "1:ff0f220161")==0);
  CHECK(strcmp(valueOf(kv_value_from_json, "'a'"), "3@0")==0);
  CHECK(strcmp(valueOf(kv_value_from_js, "[1, x]"), "3@4")==0);
  CHECK(strcmp(valueOf(kv_value_from_js, ""), "3@0")==0);
}

/* Values that are no text. */
static void testCValues(void){
  uchar *v;
  char *z;
  size_t n, nText;
  int e;
  CHECK(kv_value_from_string("h\xc3\xa4\0x", 5, &e, &v, &n, 0)==KV_CODEC_OK);
  CHECK(kv_value_to_js(e, v, n, 0, &z, &nText, 0)==KV_CODEC_OK && strcmp(z, "\"h\xc3\xa4\\u0000x\"")==0);
  kv_free(z);
  kv_free(v);
  CHECK(kv_value_from_string("\xff", 1, &e, &v, &n, 0)==KV_CODEC_OK);
  CHECK(kv_value_to_js(e, v, n, 0, &z, &nText, 0)==KV_CODEC_OK && strcmp(z, "\"\xef\xbf\xbd\"")==0);
  kv_free(z);
  kv_free(v);
  CHECK(kv_value_from_string(0, 0, &e, &v, &n, 0)==KV_CODEC_OK && strcmp(hexOf(v, n), "ff0f2200")==0);
  kv_free(v);
  CHECK(kv_value_from_number(-0.5, &e, &v, &n, 0)==KV_CODEC_OK && e==1);
  CHECK(strcmp(hexOf(v, n), "ff0f4e000000000000e0bf")==0);
  kv_free(v);
  CHECK(kv_value_from_bytes("\x01\0", 2, &e, &v, &n, 0)==KV_CODEC_OK && e==3 && strcmp(hexOf(v, n), "0100")==0);
  kv_free(v);
  CHECK(kv_value_from_bytes(0, 0, &e, &v, &n, 0)==KV_CODEC_OK && e==3 && v!=0 && n==0);
  kv_free(v);
  CHECK(kv_value_from_u64(0x0102030405060708u, &e, &v, &n, 0)==KV_CODEC_OK && e==2);
  CHECK(strcmp(hexOf(v, n), "0807060504030201")==0);
  kv_free(v);
}

static void testBadValues(void){
  kv_error err;
  char *z = (char*)"x";
  char name[KV_TYPE_BYTES];
  size_t n = 9;
  CHECK(kv_value_to_js(1, (const uchar*)"\xff\x0f", 2, 0, &z, &n, &err)==KV_CODEC_CORRUPT);
  CHECK(z==0 && n==0 && err.code==KV_CODEC_CORRUPT && err.offset==2 && err.message[0]);
  CHECK(kv_value_to_json(4, (const uchar*)"", 0, &z, &n, 0)==KV_CODEC_CORRUPT);
  CHECK(kv_value_type(2, (const uchar*)"1", 1, name, &err)==KV_CODEC_CORRUPT && name[0]==0);
  /* A length that can't be looked at: it must not be. */
  if( SIZE_MAX>0xffffffffu ){
    size_t nHuge = (size_t)0xffffffffu + 3;
    uchar *p;
    int e;
    CHECK(kv_value_to_js(1, (const uchar*)"\xff", nHuge, 0, &z, &n, &err)==KV_CODEC_TOOBIG);
    CHECK(kv_value_from_js("1", nHuge, &e, &p, &n, &err)==KV_CODEC_TOOBIG && p==0);
    CHECK(kv_value_from_string("1", nHuge, &e, &p, &n, &err)==KV_CODEC_TOOBIG && p==0);
    CHECK(kv_value_from_bytes("1", nHuge, &e, &p, &n, &err)==KV_CODEC_TOOBIG && p==0);
    CHECK(kv_key_from_text("[]", nHuge, &p, &n, &err)==KV_CODEC_TOOBIG && p==0);
    CHECK(kv_key_to_text((const uchar*)"", nHuge, &z, &n, &err)==KV_CODEC_TOOBIG && z==0);
  }
}

static void testKeyText(void){
  static const char zIn[] = "[ 'users', 0x2a, 1n, true, Uint8Array(2) [ 1, 2 ], ]";
  static const char zOut[] = "[\"users\",42,1n,true,new Uint8Array([1,2])]";
  uchar *k;
  char *z;
  size_t n, nText;
  kv_error err;
  CHECK(kv_key_from_text(zIn, strlen(zIn), &k, &n, &err)==KV_CODEC_OK);
  CHECK(strcmp(hexOf(k, n), "0275736572730021c04500000000000015012701010200")==0);
  CHECK(kv_key_to_text(k, n, &z, &nText, &err)==KV_CODEC_OK && strcmp(z, zOut)==0 && nText==strlen(z));
  kv_free(z);
  CHECK(kv_key_to_text(k, n-1, &z, &nText, &err)==KV_CODEC_CORRUPT && z==0 && err.offset>0);
  kv_free(k);
  CHECK(kv_key_from_text("[]", 2, &k, &n, &err)==KV_CODEC_OK && k!=0 && n==0);
  kv_free(k);
  CHECK(kv_key_from_text("[null]", 6, &k, &n, &err)==KV_CODEC_SYNTAX && err.offset==1);
  CHECK(kv_key_from_text("[kv.commitVersionstamp()]", 25, &k, &n, 0)==KV_CODEC_SYNTAX);
}

static void testKeyParts(void){
  static const char zWant[] =
    "[\"a\\u0000b\",new Uint8Array([0,255]),-1.5,-9223372036854775808n,0n,9223372036854775807n,false]";
  static const int aType[] = {
    KV_PART_STRING, KV_PART_BYTES, KV_PART_NUMBER, KV_PART_BIGINT, KV_PART_BIGINT,
    KV_PART_BIGINT, KV_PART_BOOL
  };
  static const long long aInt[] = { 0, 0, 0, -9223372036854775807ll - 1, 0, 9223372036854775807ll, 0 };
  kv_key *p = kv_key_new();
  uchar *k;
  char *z;
  size_t n, nText, i, pos = 0;
  kv_part part;
  kv_error err;
  kv_key_add_string(p, "a\0b", 3);
  kv_key_add_bytes(p, "\0\xff", 2);
  kv_key_add_number(p, -1.5);
  kv_key_add_bigint(p, aInt[3]);
  kv_key_add_bigint(p, 0);
  kv_key_add_bigint(p, aInt[5]);
  kv_key_add_bool(p, 0);
  CHECK(kv_key_finish(p, &k, &n, &err)==KV_CODEC_OK);
  CHECK(kv_key_to_text(k, n, &z, &nText, &err)==KV_CODEC_OK && strcmp(z, zWant)==0);
  kv_free(z);
  for(i=0; pos<n; i++){
    if( !CHECK(i<7 && kv_key_part(k, n, &pos, &part, &err)==KV_CODEC_OK) ) break;
    CHECK(part.type==aType[i] && part.integer==aInt[i] && part.fits==(aType[i]==KV_PART_BIGINT));
    if( i==0 ) CHECK(part.n==3 && memcmp(part.data, "a\0b", 4)==0);
    if( i==1 ) CHECK(part.n==2 && memcmp(part.data, "\0\xff", 3)==0);
    if( i==2 ) CHECK(part.number==-1.5 && part.data==0);
    if( i==3 ) CHECK(strcmp(part.data, "-9223372036854775808")==0);
    kv_free(part.data);
  }
  CHECK(i==7);
  CHECK(kv_key_part(k, n, &pos, &part, &err)==KV_CODEC_CORRUPT && pos==n);
  pos = 1;
  CHECK(kv_key_part((const uchar*)"\x27\xff", 2, &pos, &part, &err)==KV_CODEC_CORRUPT && pos==1 && err.offset==1);
  kv_free(k);
  CHECK(kv_key_from_text("[18446744073709551616n]", 23, &k, &n, 0)==KV_CODEC_OK);
  pos = 0;
  CHECK(kv_key_part(k, n, &pos, &part, 0)==KV_CODEC_OK && !part.fits && part.integer==0);
  CHECK(strcmp(part.data, "18446744073709551616")==0);
  kv_free(part.data);
  kv_free(k);
}

/* Everything once; true if nothing failed. */
static int everything(void){
  static const char zKey[] = "[\"a\",12345678901234567890n,new Uint8Array([1])]";
  static const char zJs[] = "new Map([[\"a\",[1n,{\"b\":\"c\"}]]])";
  uchar *k = 0, *k2 = 0, *v = 0, *s = 0, *b = 0, *u = 0;
  char *zK = 0, *zV = 0, *zJ = 0;
  char name[KV_TYPE_BYTES];
  kv_part part = { 0, 0, 0, 0.0, 0, 0 };
  size_t n, nk, nv, nText, pos = 3;
  int e, e2, rc;
  kv_key *p;
  rc = kv_key_from_text(zKey, strlen(zKey), &k, &nk, 0);
  if( rc==0 ) rc = kv_key_to_text(k, nk, &zK, &n, 0);
  if( rc==0 ) rc = kv_key_part(k, nk, &pos, &part, 0);
  if( rc==0 ){
    p = kv_key_new();
    kv_key_add_string(p, "\xff" "abc", 4);
    kv_key_add_bytes(p, zKey, 20);
    kv_key_add_bigint(p, 5);
    kv_key_add_number(p, 1);
    kv_key_add_bool(p, 1);
    rc = kv_key_finish(p, &k2, &n, 0);
  }
  if( rc==0 ) rc = kv_value_from_js(zJs, strlen(zJs), &e, &v, &nv, 0);
  if( rc==0 ) rc = kv_value_to_js(e, v, nv, 2, &zV, &nText, 0);
  if( rc==0 ) rc = kv_value_to_json(e, v, nv, &zJ, &nText, 0);
  if( rc==0 ) rc = kv_value_type(e, v, nv, name, 0);
  if( rc==0 ) rc = kv_value_from_string("\xff\x80", 2, &e2, &s, &n, 0);
  if( rc==0 ) rc = kv_value_from_bytes("abc", 3, &e2, &b, &n, 0);
  if( rc==0 ) rc = kv_value_from_u64(3, &e2, &u, &n, 0);
  CHECK(rc==KV_CODEC_OK || rc==KV_CODEC_NOMEM);
  kv_free(k); kv_free(k2); kv_free(v); kv_free(s); kv_free(b); kv_free(u);
  kv_free(zK); kv_free(zV); kv_free(zJ); kv_free(part.data);
  return rc==KV_CODEC_OK;
}

/* Every allocation fails once. */
static void testNoMemory(void){
  u64 i;
  for(i=1; i<1000; i++){
    int bOk;
    unitAllocs = 0;
    unitAllocFails = i;
    bOk = everything();
    unitAllocFails = 0;
    if( bOk ) break;
  }
  CHECK(i>10 && i<1000 && unitAllocs<i);
}

int main(void){
  testValues();
  testCValues();
  testBadValues();
  testKeyText();
  testKeyParts();
  testNoMemory();
  return unitDone();
}
