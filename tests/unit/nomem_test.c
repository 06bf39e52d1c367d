/*
** nomem_test.c -- memory runs out, at every place where it may.
**
** Each case is run as it is, then again and again, while one allocation after
** the other, and one place after the other that needs memory only at times,
** fails.  Then the case says that there is no memory, or its result is what it
** was: and nothing is leaked or used that isn't there, which the sanitizers see.
*/
#include "unit/unit.h"
#include "codec/entry_print.h"
#include "codec/entry_read.h"
#include "codec/index_key.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/json/json_merge.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/key/cursor.h"
#include "codec/op.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "codec/sum.h"
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_write.h"

/* A case: what it is run on, its result. */
typedef struct Case Case;
struct Case {
  const u8 *a;            /* the input */
  u32 n;
  const char *zExtra;
  int eHow;
  KvBuf out;              /* the result, if the code is KV_OK */
};

/* A path, a text for each kind of value, and some that are errors. */
static const char *const aJs[] = {
  "undefined", "null", "true", "-0", "1e300", "\"a\"", "'\\u20ac\\ud83d'", "`a`", "12345678901234567890n", "-0x1fn",
  "[1,,2,...[3]]", "[,'x']", "Object.assign([1,,2],{'5':1,a:2})",
  "Object.assign(new Array(5),{'3':[]})", "new Array(3)", "new Array(1,2)",
  "{a:1,'b':2,3:4,['c']:5,[6]:7,\"__proto__\":1}", "{a:1,a:2,1:3,1:4}", "Object.assign({},{a:1,b:{}},[2,,3])",
  "{b:1,10:2,9:3,a:4,8:5,7:6,6:7}",
  "new Map([[1,2],[{},[]],['a',-0],[1,3]])", "new Map([,])", "new Map([[1],[,2]])", "new Map()",
  "new Set([1,2,1,NaN,NaN,'a',2n])", "new Set()", "new Set('abc')",
  "new Date(0)", "new Date('2020-01-01')", "new Date(NaN)",
  "/a[b-c]+(?<n>x)\\k<n>/giu", "new RegExp('a/b','v')", "new RegExp('')", "/[\\p{L}--[a-z]]/v", "new RegExp('a\\nb')",
  "new Error('m',{cause:/x/})", "new TypeError('m')", "Object.assign(new RangeError('x'),{stack:'s',message:'q',cause:1n})",
  "new AggregateError([],'m')",
  "new Uint8Array([1,2,3])", "new Float64Array([1.5,NaN])", "new BigInt64Array([1n,-5n])",
  "new Float16Array([1.5,65504,1e-7])", "new Uint16Array(4)", "new Int32Array(new Uint8Array([1,2,3,4]).buffer)",
  "new Uint8Array(new ArrayBuffer(8,{maxByteLength:16}),2)", "new DataView(new Uint8Array([1,2]).buffer,1)",
  "Object.assign(new Uint8Array(4),{'2':7})", "Object.assign(new Uint8Array(4),[1,,3])", "new Uint8Array([1]).buffer",
  "new Deno.KvU64(42n)", "Object(1)", "Object('x')", "Object(1n)", "new Boolean(true)",
  "new Number('0x10')", "new String(1.5)", "new String([1])", "new Number(' 12 ')",
  "<ref *1> { self: [Circular *1] }", "[<ref *1> {a:1},[Circular *1]]", "<ref *1> [ [Circular *1], <ref *2> {a:[Circular *2]} ]",
  "[new Map([[<ref *1> {},1],[[Circular *1],2]])]", "{a:<ref *1> [],a:[Circular *1]}",
  "Object.assign(<ref *1> [], {x:[Circular *1]})", "[new Deno.KvU64(42n)]", "{a:new Deno.KvU64(0n)}", "[`a\r\nb`,\"a\xff\"]", "[1_234n,12_3.5]",
  "Object.assign([1],[2,,3],{'9':4})", "Object.assign(new Float32Array([1.5,2.5]),{'1':7})",
  "new Uint32Array([70000])", "new BigUint64Array([18446744073709551615n])",
  "[(1),((2)),+3,-(4)]",
  "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
  /* not values */
  "", "[1", "{a", "new Map([1])", "new Uint8Array(-1)", "<ref *1>", "/(/", "new Date({})", "[Circular *1]", "\"\\x\"", "new Foo()"
};
static const char *const aJson[] = {
  "null", "[1,2.5,\"a\\u20acb\",true]", "{\"a\":[{}],\"b\":-0,\"1\":{\"c\":null},\"a\":2}", "\"\\ud83d\\ude00\"", "[", "{\"a\"}", "1e400",
  "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
};
static const char *const aKey[] = {
  "[]", "[\"a\",'b',1,-0,NaN,1n,-12345678901234567890123n,true,false]", "[new Uint8Array([1,2,3]),Uint8Array(2) [ 1, 2 ]]",
  "[\"\\u20ac\\n\",`t`,0x10,0xffn,1.5e300]", "[new Uint8Array(3)]", "[\"a\",kv.commitVersionstamp()]", "[1", "[{}]"
};
static const char *const aLine[] = {
  "{\"key\":[\"a\",{\"type\":\"bigint\",\"value\":\"12\"}],\"value\":{\"type\":\"string\",\"value\":\"x\"},\"versionstamp\":\"00000000000000010000\"}",
  "{\"key\":[{\"type\":\"string\",\"value\":\"a\"},{\"type\":\"Uint8Array\",\"value\":\"AQI\"}],"
    "\"value\":{\"type\":\"Map\",\"value\":[[{\"type\":\"number\",\"value\":1},{\"type\":\"object\",\"value\":{\"a\":{\"type\":\"Date\",\"value\":\"2020-01-01T00:00:00.000Z\"}}}]]},\"versionstamp\":null}",
  "{\"key\":[],\"value\":[1,{\"type\":\"RegExp\",\"value\":\"/a/g\"},{\"type\":\"Set\",\"value\":[]},{\"type\":\"KvU64\",\"value\":\"5\"},"
    "{\"type\":\"Error\",\"value\":{\"message\":\"m\",\"stack\":\"s\"}}]}",
  "{\"key\":1}", "{"
};

static const char *const aMerge[] = {
  "1|2", "1n|2", "1n|12345678901234567890", "1n|\"x\"", "new Deno.KvU64(1n)|18446744073709551615", "[1n,{a:/x/}]|[1, {\"a\":\"/x/\"}]",
  "{a:1n,u:undefined,'7':undefined,d:new Date(0)}|{\"a\":5,\"d\":\"2020-01-01\",\"e\":[1]}", "{a:{'x y':[1n]}}|{\"a\":{\"x y\":[null]}}",
  "new Map([['b',1n],['1',2n],['u\\ud83d',undefined]])|{\"b\":1,\"1\":3}", "new Map([['b',1n],['1',2n]])|[[\"1\",3],[\"b\",1],[1,2]]",
  "new Map([[1n,1],['1',2n]])|{\"1\":5}", "new Set([1n,[2n],'a'])|[1,[3],\"b\"]", "new Set([1n])|[1,1]", "[1n,1]|[1]", "[1n,1n,2n]|[1,2]",
  "Object.assign([1n,,Object(1)],{x:[new Uint8Array([1])]})|[2,null,3,4]", "[<ref *1> {a:1n},[Circular *1],1]|[{\"a\":2},{\"a\":2},1]",
  "<ref *1> {a:[Circular *1],b:new Map([[1,[Circular *1]]]),c:1}|{\"a\":\"[Circular]\",\"b\":[[1,\"[Circular]\"]],\"c\":2}",
  "[0,1n,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36]|[1,0,3,5]"
};

/* ---- the cases ---------------------------------------------------------- */

/* Everything that is done with a tree: what is written and printed. */
static int useTree(KvTree *p, KvBuf *pOut, KvErr *pErr){
  KvTree other;
  KvBuf bytes, raw;
  int eEncoding = 0, rc;
  kvTreeInit(&other);
  kvBufInit(&bytes, 0, 0);
  kvBufInit(&raw, 0, 0);
  rc = kvJsPrint(p, 2, pOut, pErr);
  if( rc==KV_OK ) rc = kvJsPrint(p, 0, pOut, pErr);
  if( rc==KV_OK ) rc = kvJsonPrint(p, 0, pOut, pErr);
  if( rc==KV_OK ) rc = kvValueWrite(p, 15, 0, &bytes, &eEncoding, pErr);
  if( rc==KV_OK ) rc = kvValueRead(&other, eEncoding, kvBufBytes(&bytes), pErr);
  if( rc==KV_OK ) rc = kvJsPrint(&other, 0, pOut, pErr);
  if( rc==KV_OK ){
    kvBufPut(&raw, (u8)eEncoding);
    kvBufAppend(&raw, bytes.a, bytes.n);
    rc = raw.eErr;
  }
  if( rc==KV_OK ) rc = kvEntryPrintValue(pOut, &other, kvBufBytes(&raw), pErr);
  kvBufClear(&bytes);
  kvBufClear(&raw);
  kvTreeClear(&other);
  return rc==KV_OK ? pOut->eErr : rc;
}

static int runJs(Case *p, KvErr *pErr){
  KvTree tree;
  int rc;
  kvTreeInit(&tree);
  rc = p->eHow ? kvJsonParse(&tree, kvBytes(p->a, p->n), pErr) : kvJsParse(&tree, kvBytes(p->a, p->n), pErr);
  if( rc==KV_OK ) rc = useTree(&tree, &p->out, pErr);
  kvTreeClear(&tree);
  return rc;
}

/* New JSON for a stored value: "JS text|JSON". */
static int runMerge(Case *p, KvErr *pErr){
  const u8 *pBar = memchr(p->a, '|', p->n);
  u32 nOld = (u32)(pBar - p->a), iPart;
  KvTree old, new;
  KvBuf path;
  int rc, bSame;
  kvTreeInit(&old);
  kvTreeInit(&new);
  kvBufInit(&path, 0, 0);
  rc = kvJsParse(&old, kvBytes(p->a, nOld), pErr);
  if( rc==KV_OK ){
    rc = kvJsonMerge(&old, kvBytes(pBar+1, p->n-nOld-1), &new, &bSame, &iPart, &path, pErr);
  }
  if( rc==KV_OK ) rc = kvJsPrint(&new, 0, &p->out, pErr);
  kvTreeClear(&old);
  kvTreeClear(&new);
  kvBufClear(&path);
  return rc==KV_OK ? p->out.eErr : rc;
}

/* Stored bytes, as V8's or as they may be elsewhere. */
static int runBytes(Case *p, KvErr *pErr){
  KvTree tree;
  KvList list;
  KvBytes aPath[] = { kvBytesText("$"), kvBytesText("$[1]") };
  int eEncoding, rc;
  kvTreeInit(&tree);
  rc = kvValueRead(&tree, p->eHow, kvBytes(p->a, p->n), pErr);
  if( rc==KV_OK ) rc = useTree(&tree, &p->out, pErr);
  if( rc==KV_OK ){
    u32 mKind = 0;
    kvBufInit(&list.bytes, 0, 0);
    rc = kvIndexValues(&tree, aPath, 1, 1, &list, &mKind, pErr);
    if( rc==KV_OK ) rc = kvIndexValues(&tree, &aPath[1], 1, 1, &list, &mKind, pErr);
    if( rc==KV_OK ) rc = kvIndexValues(&tree, aPath, 2, 1, &list, &mKind, pErr);
    kvBufAdd(&p->out, kvBufBytes(&list.bytes));
    kvListClear(&list);
  }
  if( rc==KV_OK ){
    kvTreeReset(&tree);
    rc = kvIndexPointer(&tree, kvBytes("\x02" "a\0\x05\x15\x01\x27\x01" "b\0", 9), 15, &p->out, &eEncoding, pErr);
    if( rc==KV_CORRUPT ) rc = KV_OK;
  }
  if( rc==KV_OK ){
    kvTreeReset(&tree);
    kvBufReset(&p->out);
    rc = kvIndexPointer(&tree, kvBytes("\x02" "a\0\x01" "b\0\xff" "c\0\x15\x01\x26", 11), 15, &p->out, &eEncoding, pErr);
  }
  kvTreeClear(&tree);
  return rc==KV_OK ? p->out.eErr : rc;
}

static int runKey(Case *p, KvErr *pErr){
  KvBuf key, text;
  int bStamp, rc;
  kvBufInit(&key, 0, 0);
  kvBufInit(&text, 0, 0);
  rc = kvKeyParse(kvBytes(p->a, p->n), KVKEY_STAMP, &key, &bStamp, pErr);
  if( rc==KV_OK ) rc = kvKeyPrint(&p->out, kvBufBytes(&key), pErr);
  if( rc==KV_OK ){
    kvCursorPrint(&text, kvBufBytes(&key));
    rc = text.eErr ? text.eErr : kvCursorParse(&p->out, kvBufBytes(&text), pErr);
  }
  kvBufClear(&key);
  kvBufClear(&text);
  return rc==KV_OK ? p->out.eErr : rc;
}

static int runLine(Case *p, KvErr *pErr){
  KvEntry entry;
  int rc;
  kvEntryInit(&entry);
  rc = kvEntryRead(&entry, kvBytes(p->a, p->n), pErr);
  if( rc==KV_OK ) kvEntryPrintKey(&p->out, kvBufBytes(&entry.key));
  if( rc==KV_OK && !entry.bRaw ) rc = useTree(&entry.tree, &p->out, pErr);
  kvEntryClear(&entry);
  return rc==KV_OK ? p->out.eErr : rc;
}

static int runQueue(Case *p, KvErr *pErr){
  KvTree tree;
  u32 n;
  i64 iMost;
  int rc;
  kvTreeInit(&tree);
  rc = p->eHow ? kvQueueKeys(kvBytes(p->a, p->n), &p->out, &n, &iMost, pErr)
               : kvQueueBackoff(&tree, kvBytes(p->a, p->n), &p->out, &n, &iMost, pErr);
  if( rc==KV_OK && p->eHow ){
    KvBuf shown;
    kvBufInit(&shown, 0, 0);
    if( !kvBufTerminate(&p->out) ) kvQueueKeysShow(&shown, kvBufBytes(&p->out));
    rc = shown.eErr;
    kvBufClear(&shown);
  }
  kvTreeClear(&tree);
  return rc==KV_OK ? p->out.eErr : rc;
}

/* Combine a stored bigint with itself, or a number. */
static int runSum(Case *p, KvErr *pErr){
  KvOp op;
  KvStored stored;
  KvBuf raw;
  int eEncoding, rc;
  memset(&op, 0, sizeof(op));
  op.eOp = KV_OP_SUM;
  stored.eEncoding = p->eHow;
  stored.bytes = kvBytes(p->a, p->n);
  kvBufInit(&raw, 0, 0);
  kvBufPut(&raw, (u8)p->eHow);
  kvBufAdd(&raw, stored.bytes);
  op.value = kvBufBytes(&raw);
  rc = raw.eErr ? raw.eErr : kvSum(&op, &stored, &p->out, &eEncoding, pErr);
  kvBufClear(&raw);
  return rc;
}

/* ---- the failures -------------------------------------------------------- */

static u64 nTried;

/* Run a case with each of its allocations (or places) failing. */
static void failEach(int (*xRun)(Case*,KvErr*), Case *p, const char *zWhat){
  KvErr err;
  KvBuf right;
  u64 i;
  int bPlace, rcRight;
  kvBufInit(&p->out, 0, 0);
  rcRight = xRun(p, &err);
  right = p->out;
  for(bPlace=0; bPlace<2; bPlace++){
    for(i=1; i<20000; i++){
      u64 *pCount = bPlace ? &unitPlaces : &unitAllocs;
      u64 *pFails = bPlace ? &unitPlaceFails : &unitAllocFails;
      int rc;
      kvBufInit(&p->out, 0, 0);
      *pCount = 0;
      *pFails = i;
      rc = xRun(p, &err);
      *pFails = 0;
      nTried++;
      if( rc!=KV_NOMEM ){
        CHECK_OF( rc==rcRight, zWhat );
        if( rc!=rcRight ) printf("  %s %llu: %d, not %d\n", bPlace ? "place" : "allocation", (unsigned long long)i, rc, rcRight);
        CHECK_OF( rc!=KV_OK || (p->out.n==right.n && (right.n==0 || memcmp(p->out.a, right.a, right.n)==0)), zWhat );
      }
      kvBufClear(&p->out);
      if( *pCount<i ) break;
    }
    CHECK( i<20000 );
  }
  kvBufClear(&right);
}

/* A text, which is copied so that an overrun is seen. */
static void failText(int (*xRun)(Case*,KvErr*), const char *z, int eHow){
  Case c;
  size_t n = strlen(z);
  u8 *a = malloc(n ? n : 1);
  memcpy(a, z, n);
  memset(&c, 0, sizeof(c));
  c.a = a;
  c.n = (u32)n;
  c.eHow = eHow;
  failEach(xRun, &c, z);
  free(a);
}

/* Bytes, in hexadecimal digits. */
static void failHex(int (*xRun)(Case*,KvErr*), const char *z, int eHow){
  Case c;
  u32 i, n = (u32)strlen(z)/2;
  u8 *a = malloc(n ? n : 1);
  for(i=0; i<n; i++){
    unsigned v;
    sscanf(&z[i*2], "%2x", &v);
    a[i] = (u8)v;
  }
  memset(&c, 0, sizeof(c));
  c.a = a;
  c.n = n;
  c.eHow = eHow;
  failEach(xRun, &c, z);
  free(a);
}

#define EACH(A,X) do{ \
  size_t iEach; \
  for(iEach=0; iEach<sizeof(A)/sizeof((A)[0]); iEach++){ const char *z = (A)[iEach]; X; } \
}while( 0 )

/* A text of many levels, of many equal things, of long digits. */
static void testBig(void){
  static char z[40000];
  u32 i, n;
  n = 0;
  for(i=0; i<1200; i++) z[n++] = '9';
  memcpy(&z[n], "n", 2);
  failText(runJs, z, 0);
  n = (u32)sprintf(z, "{");
  for(i=0; i<60; i++) n += (u32)sprintf(&z[n], "%u:[],a%u:new Map([[%u,%u]]),", 99-i, i%7, i, i);
  sprintf(&z[n], "}");
  failText(runJs, z, 0);
  n = (u32)sprintf(z, "new RegExp(\"");
  for(i=0; i<40; i++) n += (u32)sprintf(&z[n], "(?<a%u>[^\\\\d%u])|", i, i);
  sprintf(&z[n], "x\")");
  failText(runJs, z, 0);
  n = (u32)sprintf(z, "\"\\u20ac");
  for(i=0; i<4000; i++) z[n++] = (char)('a' + i%26);
  sprintf(&z[n], "\"");
  failText(runJs, z, 0);
  n = (u32)sprintf(z, "[1");                     /* a number that needs a copy */
  for(i=0; i<60; i++) n += (u32)sprintf(&z[n], "_000");
  sprintf(&z[n], ".5]");
  failText(runJs, z, 0);
  n = (u32)sprintf(z, "new Map([");
  for(i=0; i<40; i++) n += (u32)sprintf(&z[n], "[%u,'%u'],[{},1],", i, i);
  sprintf(&z[n], "])");
  failText(runJs, z, 0);
  n = (u32)sprintf(z, "/");
  for(i=0; i<300; i++) z[n++] = 'r';
  sprintf(&z[n], "/g");
  failText(runJs, z, 0);
}

/* Digits beyond what is done on the stack: the tree and its bytes. */
static void testLongBigint(void){
  static char z[140000];
  KvTree tree;
  KvErr err;
  u64 i;
  int rc;
  memset(z, '7', sizeof(z)-1);
  z[sizeof(z)-1] = 'n';
  for(i=1; i<200; i++){
    kvTreeInit(&tree);
    unitAllocs = 0;
    unitAllocFails = i;
    rc = kvJsParse(&tree, kvBytes(z, sizeof(z)), &err);
    unitAllocFails = 0;
    kvTreeClear(&tree);
    nTried++;
    CHECK( unitAllocs<i ? rc==KV_OK : rc==KV_NOMEM );
    if( unitAllocs<i ) break;
  }
  CHECK( i==3 );
}

/* The buffer: its greatest size, and handing over what stands on the stack. */
static void testBuf(void){
  u8 aSpace[8], *a;
  KvBuf b;
  kvBufInit(&b, aSpace, sizeof(aSpace));
  CHECK( kvBufGrow(&b, KV_MAX_BUF + (u64)1)==KV_TOOBIG && b.eErr==KV_TOOBIG );
  kvBufReset(&b);
  kvBufText(&b, "abc");
  a = kvBufDetach(&b);
  CHECK( a && a!=aSpace && strcmp((char*)a, "abc")==0 && b.n==0 );
  kvFree(a);
  kvBufText(&b, "abc");
  unitAllocs = 0;
  unitAllocFails = 1;
  CHECK( kvBufDetach(&b)==0 && b.eErr==KV_NOMEM );
  unitAllocFails = 0;
  kvBufClear(&b);
  kvBufInit(&b, aSpace, 0x60000000);             /* it is not touched: no memory */
  b.n = 0x60000000;
  unitAllocs = 0;
  unitAllocFails = 1;
  CHECK( kvBufGrow(&b, 1)==KV_NOMEM && unitAllocs==1 );
  unitAllocFails = 0;
}

int main(void){
  /* Node's views, host objects, an old version, a two-byte string and so on. */
  static const char *const aV8[] = {
    "ff0f6f2201612202626349027b01", "ff0f5c0103010203", "ff0e5c0003010203", "ff0f5c0a0400010203", "ff0f632061006200",
    "ff0f6106490249042e", "ff0f6f2201615e007b01", "ff0f420301020356010003", "ff0f7e04084204010203045601000400",
    "ff0f5222016101", "ff0f44000000000000f07f", "ff0f720e6d22016d732201736349022e", "ff0f5a1001000000000000000200000000000000",
    "ff0d612403490a490a490a2400036f7b00", "ff0f3b2201412201423a02", "ff0f27490222016 12c02", "ff0f5c0502ff5c0502ff",
    "ff0f522203612f6200", "ff0f4205010203040556420005"
  };
  static const char *const aQueue[] = { "[[\"a\",1],[2n]]", "[]", "[100,200.5,1e3]", "[1,", "5" };
  EACH( aJs, failText(runJs, z, 0) );
  EACH( aJson, failText(runJs, z, 1) );
  EACH( aMerge, failText(runMerge, z, 0) );
  EACH( aKey, failText(runKey, z, 0) );
  EACH( aLine, failText(runLine, z, 0) );
  EACH( aQueue, failText(runQueue, z, 0); failText(runQueue, z, 1) );
  EACH( aV8, failHex(runBytes, z, 1) );
  failHex(runBytes, "0500000000000000", 2);
  failHex(runBytes, "010203", 3);
  failHex(runSum, "ff0f5a10ffffffffffffffff0100000000000000", 1);
  failHex(runSum, "ff0f4e000000000000f03f", 1);
  failHex(runSum, "0500000000000000", 2);
  testBig();
  testLongBigint();
  testBuf();
  printf("%llu failures of memory\n", (unsigned long long)nTried);
  CHECK( nTried>3000 );
  return unitDone();
}
