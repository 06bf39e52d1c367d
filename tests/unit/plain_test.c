/*
** plain_test.c -- the short ways for plain values give what the tree gives.
**
** usage: plain_test [seed [directory]]
**        directory: tests/vectors, which holds v8-vectors.jsonl and
**        v8-decode.jsonl
**
** Every text and every string of bytes here goes both ways.  What a short way
** answers must be what the tree's reader and printers, or parser and writer,
** make of it; where they find something wrong it must not answer at all.
*/
#include "unit/js_help.h"
#include "codec/names.h"
#include "codec/stored.h"
#include "codec/num/num.h"
#include "codec/v8/text_to_v8.h"
#include "codec/v8/v8_find.h"
#include "codec/v8/v8_to_text.h"

static long nPrinted, nFound, nNone, nWritten, nMember;
static V8Members members;

/* A copy of exactly n bytes, so that a sanitizer sees every read beyond it. */
static u8 *exact(const void *p, u32 n){
  u8 *a = malloc(n ? n : 1);
  if( n ) memcpy(a, p, n);
  return a;
}

static const char *hexOf(const u8 *a, u32 n){
  static char z[2100];
  u32 i;
  for(i=0; i<n && i<1000; i++) sprintf(&z[2*i], "%02x", a[i]);
  z[2*i] = 0;
  return z;
}

/*
** Bytes to text.  Returns true if they were printed the short way.
*/
static int checkPrint(const u8 *a, u32 n, int bJs){
  KvErr err;
  char zType[64];
  int rc, b;
  kvBufReset(&out);
  kvBufReset(&out2);
  kvBufLit(&out, "x,");
  b = kvV8ToText(kvBytes(a, n), bJs, &out);
  OF( out.eErr==KV_OK && out.n>=2 && memcmp(out.a, "x,", 2)==0, hexOf(a, n) );
  if( !b ){
    OF( out.n==2, hexOf(a, n) );
    return 0;
  }
  nPrinted++;
  kvTreeReset(&tree);
  rc = kvV8Read(&tree, kvBytes(a, n), &err);
  if( !OF( rc==KV_OK, hexOf(a, n) ) ) return 1;
  OF( strcmp(kvV8Type(kvBytes(a, n)), kvTypeName(&tree, 0, zType))==0, hexOf(a, n) );
  rc = bJs ? kvJsPrint(&tree, 0, &out2, &err) : kvJsonPrint(&tree, 0, &out2, &err);
  if( !OF( rc==KV_OK && out.n-2==out2.n && (out2.n==0 || memcmp(&out.a[2], out2.a, out2.n)==0), hexOf(a, n) ) ){
    printf("  short %.*s\n  tree  %.*s\n", (int)out.n-2, &out.a[2], (int)out2.n, out2.a);
  }
  return 1;
}

/* What is at a path. */
static void checkFind(const u8 *a, u32 n, const char *zPath, u32 nPath){
  KvErr err;
  const KvNode *pNode;
  KvNode leaf;
  u32 iNode, iAt = 0;
  i64 iElem;
  char zTag[40];
  int e = kvV8Find(kvBytes(a, n), kvBytes(zPath, nPath), &iAt);
  if( e==KV_PLAIN_NOT ) return;
  snprintf(zTag, sizeof(zTag), "%.*s", (int)nPath, zPath);
  kvTreeReset(&tree);
  if( !OF( kvV8Read(&tree, kvBytes(a, n), &err)==KV_OK, hexOf(a, n) ) ) return;
  if( !OF( kvPathFind(&tree, kvBytes(zPath, nPath), &iNode, &iElem, &err)==KV_OK, zTag ) ) return;
  OF( iElem<0, zTag );
  if( e==KV_PLAIN_NONE ){
    nNone++;
    if( !OF( iNode==KV_NO_NODE, hexOf(a, n) ) ) printf("  at %s\n", zTag);
    return;
  }
  nFound++;
  if( !OF( iNode!=KV_NO_NODE && e==KV_PLAIN_FOUND && iAt<n, hexOf(a, n) ) ){
    printf("  at %s\n", zTag);
    return;
  }
  kvTreeReset(&tree2);
  pNode = &tree.aNode[iNode];
  if( kvV8FindLeaf(kvBytes(a, n), iAt, &leaf) ){
    OF( leaf.eKind==pNode->eKind && leaf.eSub==pNode->eSub && leaf.n==pNode->n
     && (leaf.eKind==KV_STRING || leaf.eKind==KV_BIGINT ? leaf.u.p==pNode->u.p : leaf.u.u==pNode->u.u), zTag );
  }
  OF( kvV8ReadAt(&tree2, kvBytes(a, n), iAt, &err)==KV_OK, hexOf(a, n) );
  OF( pNode->eKind==tree2.aNode[0].eKind && pNode->n==tree2.aNode[0].n, zTag );
  if( pNode->eKind==KV_NUMBER || pNode->eKind==KV_DATE ){
    OF( pNode->u.u==tree2.aNode[0].u.u, zTag );
  }
  kvBufReset(&out);
  kvBufReset(&out2);
  OF( kvJsonPrint(&tree, iNode, &out, &err)==KV_OK, zTag );
  OF( kvJsonPrint(&tree2, 0, &out2, &err)==KV_OK, zTag );
  if( !OF( out.n==out2.n && (out.n==0 || memcmp(out.a, out2.a, out.n)==0), hexOf(a, n) ) ){
    printf("  at %s: short %.*s, tree %.*s\n", zTag, (int)out2.n, out2.a, (int)out.n, out.a);
  }
}

/* The members of an object are what is found at their paths. */
static void checkMember(const u8 *a, u32 n, const V8Members *pMembers, const char *zPath){
  V8FindPath path;
  const V8Member *pMember;
  u32 iAt = 0;
  int e = kvV8Find(kvBytes(a, n), kvBytesText(zPath), &iAt);
  if( e==KV_PLAIN_NOT || !kvV8FindPath(&path, kvBytesText(zPath)) || path.n!=2 ) return;
  if( path.a[1].eStep!=V8_FIND_KEY || path.a[1].iIndex>=0 ) return;
  pMember = kvV8Member(pMembers, &path.a[1]);
  nMember++;
  OF( (pMember!=0)==(e==KV_PLAIN_FOUND) && (pMember==0 || pMember->iAt==iAt), zPath );
}

static const char *const azPath[] = {
  "$", "$.a", "$.b", "$.a.b", "$.a[0]", "$[0]", "$[1].a", "$[#-1]", "$[#]", "$[#-2][0]", "$.length",
  "$.\"a\"", "$.\"two words\"", "$.key", "$.0", "$.7", "$.01", "$.1.1", "$.a.a.a", "$.a[1][1]", "$.longer key name",
  "$.longer key nama", "$.\"\"", "$.\xc3\xa9", "$.a[#-1].b", "$.b.c.d.e.f.g.h.i", "$.tags[1]", "$[99999999999]",
  "$[0", "$.", "a", "", "$..a", "$.a[x]", "$[#-]", "$x"
};
#define PATHS (sizeof(azPath)/sizeof(azPath[0]))

/* All of it for some bytes, with some of the paths or nPath==0 all.  Returns
** true if they are plain. */
static int checkSome(const u8 *p, u32 n, u32 nPath){
  u8 *a = exact(p, n);
  int b = checkPrint(a, n, 0);
  u32 i, iAt;
  OF( checkPrint(a, n, 1)==b, hexOf(a, n) );
  OF( (kvV8Find(kvBytes(a, n), kvBytesText("$"), &iAt)==KV_PLAIN_FOUND)==b, hexOf(a, n) );
  if( kvV8Members(kvBytes(a, n), &members) ){
    KvErr err;
    OF( kvV8Read(&tree, kvBytes(a, n), &err)==KV_OK && tree.aNode[0].eKind==KV_OBJECT, hexOf(a, n) );
    for(i=0; i<PATHS; i++) checkMember(a, n, &members, azPath[i]);
  }
  for(i=0; b && i<(nPath ? nPath : PATHS); i++){
    const char *zPath = azPath[nPath ? unitBelow(PATHS) : i];
    checkFind(a, n, zPath, (u32)strlen(zPath));
  }
  free(a);
  return b;
}
static int checkBytes(const u8 *p, u32 n){ return checkSome(p, n, 0); }

/* Text to bytes.  Returns true if it was written the short way. */
static int checkText(const char *p, u32 n, int bJson){
  char *z = (char*)exact(p, n);
  KvErr err;
  int b, e = 0;
  kvBufReset(&out);
  kvBufReset(&out2);
  b = kvTextToV8(kvBytes(z, n), bJson, 15, &out);
  OF( out.eErr==KV_OK, p );
  if( b ){
    nWritten++;
    kvTreeReset(&tree);
    b = bJson ? kvJsonParse(&tree, kvBytes(z, n), &err) : kvJsParse(&tree, kvBytes(z, n), &err);
    if( OF( b==KV_OK, p ) && OF( kvValueWrite(&tree, 15, 0, &out2, &e, &err)==KV_OK, p ) && OF( e==1, p )
     && !OF( out.n==out2.n && memcmp(out.a, out2.a, out.n)==0, p )
    ){
      printf("  short %s\n", hexOf(out.a, out.n));
      printf("  tree  %s\n", hexOf(out2.a, out2.n));
    }
    b = 1;
  }else{
    OF( out.n==0, p );
  }
  free(z);
  return b;
}

/*
** Known texts: plain in JSON (1) or in JS (2), or both, or not.
*/
static void testTexts(void){
  static const struct { const char *z; int m; } a[] = {
    { "null", 3 }, { " true ", 3 }, { "false", 3 }, { "0", 3 }, { "-0", 3 }, { "1", 3 }, { "-1", 3 },
    { "2147483647", 3 }, { "2147483648", 3 }, { "-2147483648", 3 }, { "-2147483649", 3 },
    { "123456789012345", 3 }, { "1234567890123456", 3 }, { "123456789012345678901234567890", 3 },
    { "1.5", 3 }, { "-1.0", 3 }, { "-0.0", 3 }, { "1e3", 3 }, { "1E+3", 3 }, { "1e400", 3 }, { "0.1e-7", 3 },
    { "\"\"", 3 }, { "\"a\"", 3 }, { "\"1234567\"", 3 }, { "\"12345678\"", 3 }, { "\"123456789\"", 3 },
    { "\"a\\nb\"", 3 }, { "\"\\u00e9\"", 3 }, { "\"\xc3\xa9\"", 3 }, { "\"\xe2\x82\xac\"", 3 },
    { "\"\xf0\x9f\x98\x80\"", 3 }, { "\"\\ud83d\\ude00\"", 3 }, { "\"\\ud83d\"", 3 }, { "\"\xff\"", 3 },
    { "{}", 3 }, { "[]", 3 }, { " { } ", 3 }, { "[ ]", 3 }, { "[[],{}]", 3 }, { "{\"a\":{},\"b\":[]}", 3 },
    { "{\"a\":1}", 3 }, { "{ \"a\" : 1 , \"b\" : [ 1 , 2 ] }", 3 }, { "{\"\":1}", 3 }, { "{\"a\\n\":1}", 0 },
    { "{\"\xc3\xa9\":1,\"\xe2\x82\xac\":2}", 3 }, { "{\"1\":1,\"2\":2,\"a\":3}", 3 }, { "{\"2\":1,\"1\":2}", 0 },
    { "{\"a\":1,\"1\":2}", 0 }, { "{\"01\":1}", 3 }, { "{\"4294967294\":1}", 0 }, { "{\"4294967295\":1}", 3 },
    { "{\"2147483647\":1}", 3 }, { "{\"2147483648\":1}", 0 },
    { "{\"a\":1,\"a\":2}", 0 }, { "{\"longer than eight\":1,\"longer than night\":2}", 3 },
    { "{\"longer than eight\":1,\"longer than eight\":2}", 0 },
    { "{\"one beginning, 1, one end\":1,\"one beginning, 2, one end\":2}", 3 },
    { "{\"one beginning, 1, one end\":1,\"one beginning, 1, one end\":2}", 0 },
    { "{\"__proto__\":1}", 1 }, { "{__proto__:1}", 0 }, { "{\"__proto_\":1}", 3 },
    { "[1,2.5]", 3 }, { "[2.5,1]", 3 }, { "[1,2.5,\"a\"]", 0 }, { "[1,\"a\",2.5]", 3 }, { "[2.5,\"a\",1]", 3 },
    { "[1,-0]", 3 }, { "[1,2,3,null,2.5]", 3 }, { "[[1],2.5,3]", 3 }, { "[{\"a\":[0.5,1]},[1,0.5]]", 3 },
    { "[1,2,]", 0 }, { "[1,,2]", 0 }, { "[,]", 0 }, { "{,}", 0 }, { "{\"a\":}", 0 }, { "{\"a\"", 0 }, { "{\"a\":1", 0 },
    { "{\"a\":", 0 }, { "{\"a\":1,", 0 }, { "{\"a\":1,}", 0 }, { "{\"a\"1}", 0 }, { "[1 2]", 0 }, { "[1", 0 }, { "[", 0 },
    { "{", 0 }, { "]", 0 }, { "[1}", 0 }, { "{\"a\":1]", 0 }, { "01", 0 }, { "1.", 0 }, { "1.e5", 0 }, { ".5", 0 }, { "-", 0 },
    { "+1", 0 }, { "1e", 0 }, { "1a", 0 }, { "12345678901234567890.", 0 }, { "--1", 0 }, { "- 1", 0 }, { "tru", 0 },
    { "truex", 0 }, { "nul", 0 }, { "\"a", 0 }, { "\"a\nb\"", 0 }, { "\"a\\x41\"", 2 }, { "\"\\q\"", 2 }, { "1 1", 0 }, { "", 0 },
    { " ", 0 }, { "undefined", 2 }, { "[undefined]", 0 }, { "{\"a\":undefined}", 2 }, { "{a:1,$_b9:2}", 2 },
    { "{a:1,\"a\":2}", 0 }, { "{9a:1}", 0 }, { "{a\xc3\xa9:1}", 0 }, { "10n", 2 }, { "-10n", 2 }, { "0n", 2 }, { "-0n", 2 },
    { "[1n,2]", 2 }, { "[1,2.5,3n]", 0 }, { "999999999999999999n", 2 }, { "9999999999999999999n", 0 }, { "01n", 0 },
    { "new Date(\"2023-04-23T10:00:00.000Z\")", 2 }, { "[new Date(\"2023-04-23\"),1]", 2 }, { "new Date(\"x\")", 0 },
    { "new Date(NaN)", 0 }, { "new Date(1)", 2 },
    { "new Date(-1)", 2 }, { "new Date(0)", 2 }, { "new Date(-0)", 2 }, { "[1,new Date(1704067200000)]", 2 },
    { "new Date(999999999999999)", 2 }, { "new Date(-999999999999999)", 2 }, { "new Date(8640000000000000)", 0 },
    { "new Date(01)", 0 }, { "new Date(-)", 0 }, { "new Date(1.5)", 0 }, { "new Date(1n)", 0 }, { "new Date( 1)", 0 },
    { "new Date(1", 0 }, { "new Date(", 0 }, { "new Date(1]", 0 }, { "new Date(\"2023-04-23\"", 0 }, { "new Date(\"2023-04-23", 0 },
    { "NaN", 0 }, { "-Infinity", 0 }, { "/*c*/1", 0 }, { "1;", 0 }, { "'a'", 0 },
    { "0x10", 0 }, { "1_000", 0 }, { "{\"a\":1,...b}", 0 }, { "(1)", 0 }, { "\"\\u{41}\"", 2 }, { "{\"a\\\n\":1}", 0 },
    { "2023-04-23T00:00:00.000Z", 0 }, { "[1,2.5,{}]", 0 }, { "[0.5,{},1]", 3 }, { "[1,2.5,true]", 0 }
  };
  size_t i;
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    u32 n = (u32)strlen(a[i].z);
    int bJson = checkText(a[i].z, n, 1), bJs;
    if( bJson ){
      u8 *aCopy = exact(out.a, out.n);
      u32 nCopy = out.n;
      OF( checkBytes(aCopy, nCopy), a[i].z );
      free(aCopy);
    }
    bJs = checkText(a[i].z, n, 0);
    if( !OF( bJson + 2*bJs==a[i].m, a[i].z ) ) printf("  plain: %d\n", bJson + 2*bJs);
  }
}

/* Texts around the sizes where a length takes more bytes, and deep ones. */
static void testSizes(void){
  static const u32 aSize[] = { 0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 200, 16382, 16383, 16384, 16385 };
  size_t i;
  int k;
  for(i=0; i<sizeof(aSize)/sizeof(aSize[0]); i++){
    for(k=0; k<8; k++){
      static const char *const azItem[] = { "1", "0.5", "{}", "\"ab\"", "\"\xe2\x82\xac\"", "[1,2]", "\"\\n\"", "1" };
      u32 n = aSize[i], j;
      KvBuf text, bytes;
      int b;
      kvBufInit(&text, 0, 0);
      kvBufInit(&bytes, 0, 0);
      kvBufPut(&text, '[');
      for(j=0; j<n; j++){
        if( j ) kvBufPut(&text, ',');
        kvBufText(&text, k==7 && j==n-1 ? "0.5" : azItem[k]);
      }
      kvBufPut(&text, ']');
      kvBufTerminate(&text);
      b = checkText((char*)text.a, text.n, 1);
      CHECK( b==(k==4 ? n<128 : k==7 ? n<=65 : 1) );
      if( b ){
        kvBufAppend(&bytes, out.a, out.n);
        CHECK( checkSome(bytes.a, bytes.n, 2) );
      }
      /* a string, and a key, of that size */
      kvBufReset(&text);
      kvBufText(&text, k&1 ? "{\"a\":\"" : "{\"");
      for(j=0; j<n; j++) kvBufPut(&text, k==2 && j==n/2 ? '\t' : k==4 && j==n/2 ? 0x7f : 'x');
      if( k==2 && n ) text.a[2+n/2] = ' ';
      kvBufText(&text, k&1 ? "\"}" : "\":[[]]}");
      kvBufTerminate(&text);
      CHECK( checkText((char*)text.a, text.n, k&2) );
      kvBufReset(&bytes);
      kvBufAppend(&bytes, out.a, out.n);
      CHECK( checkSome(bytes.a, bytes.n, 2) );
      kvBufClear(&text);
      kvBufClear(&bytes);
    }
  }
  for(k=0; k<60; k++){
    char z[200];
    int j, n = 0;
    u8 *a;
    for(j=0; j<k; j++) z[n++] = '[';
    z[n++] = '1';
    for(j=0; j<k; j++) z[n++] = ']';
    z[n] = 0;
    CHECK( checkText(z, (u32)n, 1)==(k<=24) );
    if( k>24 ) continue;
    a = exact(out.a, out.n);
    CHECK( checkBytes(a, out.n) );
    free(a);
  }
  for(k=1; k<200; k++){
    KvBuf text;
    int j;
    kvBufInit(&text, 0, 0);
    for(j=0; j<k; j++){
      char z[40];
      sprintf(z, "%s\"key %d and so on\":%d", j ? "," : "{", j*7919%k, j);
      kvBufText(&text, z);
    }
    kvBufPut(&text, '}');
    kvBufTerminate(&text);
    CHECK( checkText((char*)text.a, text.n, 1)==(k<=64) );
    if( k<=64 ){
      u8 *a = exact(out.a, out.n);
      CHECK( checkBytes(a, out.n) );
      free(a);
    }
    kvBufClear(&text);
  }
}

/*
** Bytes that are plain, and some that are nearly so.
*/
static void testBytes(void){
  static const struct { const char *zHex; int bPlain; } a[] = {
    { "ff0f30", 1 }, { "ff0d30", 1 }, { "ff1030", 1 }, { "ff0c30", 0 }, { "ff1130", 0 }, { "ff8f0030", 0 }, { "ff0f", 0 }, { "ff", 0 },
    { "", 0 }, { "fe0f30", 0 }, { "ff0f000030", 1 }, { "ff0f3030", 1 }, { "ff0f5f", 1 }, { "ff0f54", 1 }, { "ff0f46", 1 }, { "ff0f2d", 0 },
    { "ff0f4902", 1 }, { "ff0f49ffffffff0f", 1 }, { "ff0f49feffffff0f", 1 }, { "ff0f49feffffff1f", 0 }, { "ff0f49feffffffff", 0 },
    { "ff0f498080808000", 1 }, { "ff0f4980", 0 }, { "ff0f5502", 0 },
    { "ff0f4e000000000000f03f", 1 }, { "ff0f4e000000000000f0ff", 1 }, { "ff0f4e0000000000000080", 1 }, { "ff0f4e010000000000f87f", 1 },
    { "ff0f4e000000000000f0", 0 }, { "ff0f4400000000000000", 0 },
    { "ff0f440000000000000000", 1 }, { "ff0f44000000000000f07f", 1 }, { "ff0f440000dcc208b13ec3", 1 }, { "ff0f440000dcc208b13e43", 1 },
    { "ff0f440100dcc208b13e43", 1 }, { "ff0f44000000000000e03f", 1 },
    { "ff0f5a00", 1 }, { "ff0f5a01", 0 }, { "ff0f5a100100000000000000", 1 }, { "ff0f5a110100000000000000", 1 }, { "ff0f5a110000000000000000", 1 },
    { "ff0f5a020a", 1 }, { "ff0f5a1001", 0 },
    { "ff0f2200", 1 }, { "ff0f220161", 1 }, { "ff0f220261", 0 }, { "ff0f2201e9", 1 }, { "ff0f220122", 1 }, { "ff0f220100", 1 }, { "ff0f22017f", 1 },
    { "ff0f6302ac20", 1 }, { "ff0f63026100", 1 }, { "ff0f630161", 0 }, { "ff0f63023dd8", 1 }, { "ff0f63043dd800de", 1 }, { "ff0f630400de3dd8", 1 },
    { "ff0f530161", 0 }, { "ff0f3f0030", 0 },
    { "ff0f6f7b00", 1 }, { "ff0f6f7b01", 0 }, { "ff0f6f7b", 0 }, { "ff0f6f", 0 }, { "ff0f6f22016149027b01", 1 }, { "ff0f6f22016149027b02", 0 },
    { "ff0f6f220161490222016149027b02", 0 }, { "ff0f6f220161490222016249027b02", 1 }, { "ff0f6f00220161004902007b01", 1 },
    { "ff0f6f220030490222016249027b02", 0 }, { "ff0f6f2200304902", 0 }, { "ff0f6f2200307b01", 1 }, { "ff0f6f220130307b01", 0 }, { "ff0f6f22023031307b01", 1 },
    { "ff0f6f6302ac20307b01", 1 }, { "ff0f6f63026100307b01", 0 }, { "ff0f6f6302ac20306302ac20307b02", 0 }, { "ff0f6f6302ac20306302ad20307b02", 1 },
    { "ff0f6f6304ac206100307b01", 1 }, { "ff0f6f6300307b01", 0 },
    { "ff0f6f4902304904307b02", 1 }, { "ff0f6f4904304902307b02", 0 }, { "ff0f6f4902304902307b02", 0 }, { "ff0f6f4900307b01", 1 }, { "ff0f6f4901307b01", 0 },
    { "ff0f6f220161304902307b02", 0 }, { "ff0f6f49fcffffff0f30220161307b02", 1 }, { "ff0f6f5502307b01", 0 }, { "ff0f6f4e000000000000f03f307b01", 0 },
    { "ff0f41002400 00", 0 }, { "ff0f4100240000", 1 }, { "ff0f4100240001", 0 }, { "ff0f4100240100", 0 }, { "ff0f410130240001", 1 }, { "ff0f41013024", 0 },
    { "ff0f41013000240001", 1 }, { "ff0f41025f5f240002", 1 }, { "ff0f41012d240001", 0 }, { "ff0f41ffffffff0f", 0 }, { "ff0f4101304902302401 01", 0 },
    { "ff0f6100400000", 0 }, { "ff0f3b3a00", 0 }, { "ff0f272c00", 0 }, { "ff0f6f2201615e007b01", 0 }, { "ff0f6f2201615f7b01", 1 },
    { "ff0f6f2201615f2201625f7b02", 1 }, { "ff0f6f2201615f220162302201635f7b03", 1 }, { "ff0f6f2201612d7b01", 0 },
    { "ff0f6f22095f5f70726f746f5f5f307b01", 1 }, { "ff0f6f22095f5f70726f746f5f78307b01", 1 },
    { "ff0f6f22096c656e6774682d6161302209 6c656e6774682d6162307b02", 0 }, { "ff0f6f22096c656e6774682d61613022096c656e6774682d6162307b02", 1 },
    { "ff0f6f22096c656e6774682d61613022096c656e6774682d6161307b02", 0 }, { "ff0f42016100", 0 }, { "ff0f7802", 0 },
    /* Padding before a container that a path leads through, and before a leaf */
    { "ff0f6f220161006f2201624902220163490422016449067b037b01", 1 }, { "ff0f6f2201610000410249024904240002220162304900307b03", 0 },
    { "ff0f6f22016100004102490249042400022201623022016330220164307b04", 1 }, { "ff0f6f2201610049022201620049042201630049062201640049087b04", 1 },
    { "ff0f6f220161000000000000000000000000000000", 0 }
  };
  size_t i;
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    const char *z = a[i].zHex;
    u8 aByte[200];
    u32 n = 0;
    unsigned v;
    for(; z[0] && z[1] && sscanf(z, "%2x", &v)==1 && z[0]!=' '; z+=2) aByte[n++] = (u8)v;
    OF( checkBytes(aByte, n)==a[i].bPlain, a[i].zHex );
  }
}

/*
** Random texts.
*/

static void addSpace(KvBuf *p){
  static const char *const az[] = { " ", "\n", "\t", "\r\n", "  " };
  if( unitBelow(12)==0 ) kvBufText(p, az[unitBelow(5)]);
}

static void addText(KvBuf *p, int bKey){
  static const char *const az[] = {
    "a", "b", "key", "tags", "two words", "longer key name", "longer key nama", "", "0", "1", "7", "12", "01", "4294967295",
    "4294967294", "2147483648", "__proto__", "length", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\\n", "\\u0061", "\\\"",
    "\\u00e9x", "\\ud800", "\xe2\x80\xa8", "12345678", "abcdefghabcdefgh", "\x7f", "a/b"
  };
  u32 n = unitBelow(3) ? 1 : unitBelow(bKey ? 3 : 12);
  kvBufPut(p, '"');
  if( bKey && unitBelow(2) ){
    char z[20];
    sprintf(z, "k%u", unitBelow(40));
    kvBufText(p, z);
  }else{
    for(; n>0; n--) kvBufText(p, az[unitBelow(sizeof(az)/sizeof(az[0]))]);
  }
  kvBufPut(p, '"');
}

static void addNumber(KvBuf *p){
  static const char *const az[] = {
    "0", "-0", "1", "-1", "63", "64", "-64", "-65", "8191", "8192", "2147483647", "2147483648", "-2147483648", "-2147483649",
    "4294967295", "1.5", "1e3", "1E-3", "123456789012345", "1234567890123456", "12345678901234567", "9007199254740993",
    "1e400", "0.1", "-0.0", "12345678901234567890.5", "5e-324"
  };
  char z[40];
  double r = kvBitsToDouble(unitRandom());
  if( unitBelow(3) ){
    kvBufText(p, az[unitBelow(sizeof(az)/sizeof(az[0]))]);
  }else if( r-r==0.0 && unitBelow(2) ){
    kvBufAppend(p, z, (u64)kvNumPrint(r, z));
  }else{
    sprintf(z, "%lld", (long long)(unitRandom()>>unitBelow(64)) - (long long)unitBelow(1000));
    kvBufText(p, z);
  }
}

static void addRandom(KvBuf *p, int nDepth){
  u32 n, k = unitBelow(nDepth>0 ? 12 : 7), i;
  int bObject;
  addSpace(p);
  switch( k ){
    case 0: kvBufText(p, "null"); break;
    case 1: kvBufText(p, unitBelow(2) ? "true" : "false"); break;
    case 2: case 3: addNumber(p); break;
    case 4: case 5: case 6: addText(p, 0); break;
    default:
      bObject = k<10;
      n = unitBelow(20)==0 ? unitBelow(200) : unitBelow(6);
      k = unitBelow(4);                /* all numbers */
      kvBufPut(p, bObject ? '{' : '[');
      for(i=0; i<n; i++){
        if( i ) kvBufPut(p, ',');
        addSpace(p);
        if( bObject ){
          addText(p, 1);
          addSpace(p);
          kvBufPut(p, ':');
        }
        if( k==0 ) addNumber(p);
        else addRandom(p, nDepth-1-(int)(n>8));
      }
      addSpace(p);
      kvBufPut(p, bObject ? '}' : ']');
  }
  addSpace(p);
}

/* Change, remove or repeat some of n bytes, or add padding: a has room for n+1. */
static u32 damage(u8 *a, u32 n){
  u32 i = n ? unitBelow(n) : 0;
  if( n==0 ) return 0;
  switch( unitBelow(6) ){
    case 0: a[i] ^= (u8)(1u<<unitBelow(8)); return n;
    case 1: a[i] = (u8)unitRandom(); return n;
    case 2: return i;
    case 3: memmove(&a[i], &a[i+1], n-i-1); return n-1;
    case 4: memmove(&a[i+1], &a[i], n-i); a[i] = 0; return n+1;
    default: a[i] = a[unitBelow(n)]; return n;
  }
}

static void damageBytes(const u8 *p, u32 n, int nTimes){
  u8 *a = malloc(n+1);
  for(; nTimes>0; nTimes--){
    memcpy(a, p, n);
    checkSome(a, damage(a, n), 2);
  }
  free(a);
}

static void testRandom(int nRun){
  KvBuf text, bytes;
  long nPlain = 0;
  int i, k;
  kvBufInit(&text, 0, 0);
  kvBufInit(&bytes, 0, 0);
  for(i=0; i<nRun; i++){
    KvErr err;
    int e;
    u8 *a;
    kvBufReset(&text);
    addRandom(&text, (int)unitBelow(5));
    kvBufTerminate(&text);
    nPlain += checkText((char*)text.a, text.n, 1);
    checkText((char*)text.a, text.n, 0);
    a = malloc(text.n+2);
    for(k=0; k<6; k++){
      u32 n;
      memcpy(a, text.a, text.n+1);
      n = damage(a, text.n);
      a[n] = 0;
      checkText((char*)a, n, k&1);
    }
    free(a);
    kvTreeReset(&tree);
    if( !OF( kvJsonParse(&tree, kvBufBytes(&text), &err)==KV_OK, (char*)text.a ) ) continue;
    kvBufReset(&bytes);
    OF( kvValueWrite(&tree, 15, 0, &bytes, &e, &err)==KV_OK, (char*)text.a );
    checkBytes(bytes.a, bytes.n);
    damageBytes(bytes.a, bytes.n, 6);
    /* and the JS text of it back */
    kvBufReset(&out);
    if( kvV8ToText(kvBufBytes(&bytes), 1, &out) && OF( kvBufTerminate(&out)==KV_OK, "" ) ){
      char *z = copied((char*)out.a);
      checkText(z, out.n, 0);
      free(z);
    }
  }
  printf("%ld of %d random texts are plain\n", nPlain, nRun);
  CHECK( nPlain>nRun/4 );
  kvBufClear(&text);
  kvBufClear(&bytes);
}

/*
** The vectors, whole, cut and damaged.
*/
static void testVectors(const char *zDir, const char *zName){
  char zPath[1000];
  size_t nAlloc = 8000000, n;
  char *zAll = malloc(nAlloc), *z, *zEnd;
  long nPlain = 0, nVector = 0;
  FILE *f;
  snprintf(zPath, sizeof(zPath), "%s/%s", zDir, zName);
  f = fopen(zPath, "rb");
  n = f ? fread(zAll, 1, nAlloc-1, f) : 0;
  CHECK( n>0 && n<nAlloc-1 );
  zAll[n] = 0;
  if( f ) fclose(f);
  for(z=zAll; (zEnd = strchr(z, '\n'))!=0; z=zEnd+1){
    char *zHex = strstr(z, "\"hex\":\"");
    u8 *a;
    u32 nByte = 0, i;
    unsigned v;
    if( zHex==0 || zHex>zEnd ) continue;
    a = malloc((size_t)(zEnd - zHex));
    for(zHex+=7; *zHex!='"' && sscanf(zHex, "%2x", &v)==1; zHex+=2) a[nByte++] = (u8)v;
    nVector++;
    nPlain += checkBytes(a, nByte);
    for(i=0; i<nByte && i<40; i++) checkSome(a, i, 1);
    if( nByte<2000 ) damageBytes(a, nByte, 6);
    free(a);
  }
  printf("%s: %ld of %ld are plain\n", zName, nPlain, nVector);
  CHECK( nVector>100 && nPlain>20 );
  free(zAll);
}

/* A string of n bytes, the last of them c: written the short way if it is all
** ASCII, and then as the tree is. */
static void checkString(u32 n, int c){
  char *z = malloc(n+1);
  KvErr err;
  u32 i;
  int b;
  for(i=0; i<n; i++) z[i] = (char)(i+1<n ? unitBelow(128) : (u32)c);
  kvBufReset(&out);
  kvBufReset(&out2);
  b = kvStringToV8(kvBytes(z, n), 15, &out);
  CHECK( b==(n==0 || c<128) && out.eErr==KV_OK && (out.n>0)==b );
  if( b ){
    kvTreeReset(&tree);
    i = kvTreeAdd(&tree, KV_STRING);
    tree.aNode[i].eSub = KV_WTF8;
    tree.aNode[i].n = n;
    tree.aNode[i].u.p = (const u8*)z;
    CHECK( kvV8Write(&tree, 15, &out2, &err)==KV_OK );
    CHECK( out.n==out2.n && memcmp(out.a, out2.a, out.n)==0 );
  }
  free(z);
}

static void testStrings(void){
  static const u32 aN[] = { 0, 1, 7, 8, 9, 127, 128, 129, 16383, 16384, 16385, 3000000 };
  u32 i;
  for(i=0; i<sizeof(aN)/sizeof(aN[0]); i++){
    checkString(aN[i], 'z');
    checkString(aN[i], 0);
    checkString(aN[i], 0xe9);
  }
}

/* Memory that runs out: not plain, and the buffer is as before. */
static void testMemory(void){
  static const char zSmall[] = "[1,\"a\\u20ac\",0.5,{\"b\":\"\\u0001\"}]";
  char z[8000];
  u8 a[8000];
  KvBuf buf;
  u32 i, n, nByte;
  int b;
  n = (u32)sprintf(z, "{\"a\":[");
  for(i=0; i<100; i++) n += (u32)sprintf(&z[n], "%s0,\"\\u20ac\\u0001\"", i ? "," : "");
  n += (u32)sprintf(&z[n], "]}");
  CHECK( checkText(z, n, 1)==0 );      /* too long an array for its strings */
  n = (u32)sprintf(z, "[");
  for(i=0; i<60; i++) n += (u32)sprintf(&z[n], "%s[0,0,0,0,0.5],\"\\u20ac\\u0001\"", i ? "," : "");
  n += (u32)sprintf(&z[n], "]");
  kvBufInit(&buf, a, sizeof(a));
  CHECK( kvTextToV8(kvBytes(z, n), 1, 15, &buf) );
  nByte = buf.n;
  for(b=0, i=1; !b; i++){
    kvBufInit(&buf, 0, 0);
    unitAllocs = 0;
    unitAllocFails = i;
    b = kvV8ToText(kvBytes(a, nByte), 0, &buf);
    CHECK( b==(unitAllocs<i) && buf.eErr==KV_OK && (buf.n>0)==b );
    kvBufClear(&buf);
  }
  CHECK( i>2 );
  for(b=0, i=1; !b; i++){
    kvBufInit(&buf, 0, 0);
    unitAllocs = 0;
    unitAllocFails = i;
    b = kvTextToV8(kvBytes(z, n), 1, 15, &buf);
    CHECK( b==(unitAllocs<i) && buf.eErr==KV_OK && (buf.n>0)==b );
    kvBufClear(&buf);
  }
  CHECK( i>2 );
  kvBufInit(&buf, 0, 0);
  unitAllocs = 0;
  unitAllocFails = 1;
  CHECK( kvStringToV8(kvBytes("abc", 3), 15, &buf)==0 && buf.eErr==KV_OK && buf.n==0 );
  unitAllocFails = 0;
  CHECK( kvStringToV8(kvBytes("abc", 3), 15, &buf)==1 && kvStringToV8(kvBytes("abc", 3), 15, &buf)==0 && buf.n==7 );
  kvBufClear(&buf);
  CHECK( checkText(zSmall, sizeof(zSmall)-1, 1) );
  kvBufInit(&buf, 0, 0);
  kvBufPut(&buf, 'x');
  CHECK( kvTextToV8(kvBytes("1", 1), 1, 15, &buf)==0 && buf.n==1 );
  buf.eErr = KV_TOOBIG;
  CHECK( kvV8ToText(kvBytes("\xff\x0f\x30", 3), 0, &buf)==0 && buf.eErr==KV_TOOBIG );
  kvBufClear(&buf);
}

int main(int argc, char **argv){
  const char *zDir = argc>2 ? argv[2] : "tests/vectors";
  helpInit(argc, argv);
  testTexts();
  testSizes();
  testBytes();
  testStrings();
  testMemory();
  testRandom(1000);
  testVectors(zDir, "v8-vectors.jsonl");
  testVectors(zDir, "v8-decode.jsonl");
  printf("the short way printed %ld, found %ld and %ld times nothing, wrote %ld; %ld members\n",
         nPrinted, nFound, nNone, nWritten, nMember);
  return helpDone();
}
