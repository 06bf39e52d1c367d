/*
** js_test.c -- JS text, JSON text and paths: literal pairs, errors with their
** positions, depth, and texts that try to take quadratic time.
**
** usage: js_test [seed]
*/
#include "unit/js_help.h"
#include "codec/view.h"

/* zText means zCanon, which is read back as itself, pretty or not. */
static void canon(const char *zText, const char *zCanon){
  KvErr err;
  char *zPretty;
  if( parse(zText, &err) ){
    CHECK( !"parses" );
    printf("  with: %s\n  %s at %d\n", zText, err.zMsg, (int)err.iPos);
    return;
  }
  checkTree(&tree, zText);
  if( !CHECK( strcmp(printed(&tree, 0, &out), zCanon)==0 ) ){
    printf("  with: %s\n  gives %s\n  not   %s\n", zText, out.a, zCanon);
  }
  zPretty = copied(printed(&tree, 2, &out));
  OF( parse(zCanon, &err)==KV_OK, zCanon );
  OF( strcmp(printed(&tree, 0, &out), zCanon)==0, zCanon );
  OF( parse(zPretty, &err)==KV_OK, zPretty );
  OF( strcmp(printed(&tree, 0, &out), zCanon)==0, zPretty );
  free(zPretty);
}

static void same(const char *zText){ canon(zText, zText); }

/* zText is refused at iPos. */
static void bad(int bJson, const char *zText, int iPos, int eCode){
  KvErr err;
  int rc = parseN(&tree, bJson, zText, strlen(zText), &err);
  if( !CHECK( rc==eCode ) ){
    printf("  with: %s\n  result %d\n", zText, rc);
  }else if( !CHECK( err.eCode==eCode && err.iPos==iPos && err.zMsg!=0 ) ){
    printf("  with: %s\n  at %d not %d: %s\n", zText, (int)err.iPos, iPos, err.zMsg);
  }
}

static void json(const char *zText, const char *zJson){
  KvErr err;
  if( !CHECK( parse(zText, &err)==KV_OK ) ) printf("  with: %s\n  %s\n", zText, err.zMsg);
  if( !CHECK( strcmp(jsonOf(&tree, 0), zJson)==0 ) ){
    printf("  with: %s\n  gives %s\n  not   %s\n", zText, out2.a, zJson);
  }
  checkTree(&tree, zText);
}

/*
** Literals
*/

/* Every value that Deno's documentation shows, as it stands there. */
static void testDocumented(void){
  canon("undefined;", "undefined");
  canon("null;", "null");
  canon("true;", "true");
  canon("false;", "false");
  canon("42;", "42");
  canon("-42.5;", "-42.5");
  canon("42n;", "42n");
  canon("\"hello\";", "\"hello\"");
  canon("new Uint8Array([1, 2, 3]);", "new Uint8Array([1,2,3])");
  canon("[1, 2, 3];", "[1,2,3]");
  canon("{ a: 1, b: 2, c: 3 };", "{\"a\":1,\"b\":2,\"c\":3}");
  canon("new Map([[\"a\", 1], [\"b\", 2], [\"c\", 3]]);", "new Map([[\"a\",1],[\"b\",2],[\"c\",3]])");
  canon("new Set([1, 2, 3]);", "new Set([1,2,3])");
  canon("new Date(\"2023-04-23\");", "new Date(\"2023-04-23T00:00:00.000Z\")");
  canon("/abc/;", "/abc/");
  canon("new Deno.KvU64(42n);", "new Deno.KvU64(42n)");
}

static void testScalars(void){
  canon("[1_000, 0xff, 0o17, 0b11, .5, 5., 1e3, 0x10n, 1_0n, -0, +5, - 7, -10n, -0n]",
        "[1000,255,15,3,0.5,5,1000,16n,10n,-0,5,-7,-10n,0n]");
  canon("[NaN, -NaN, Infinity, -Infinity, + Infinity]", "[NaN,NaN,Infinity,-Infinity,Infinity]");
  canon("[999999999999999, 1000000000000000, 123456789012345678]",
        "[999999999999999,1000000000000000,123456789012345680]");
  canon("1e21", "1e+21");
  canon("18446744073709551616n", "18446744073709551616n");
  canon("-0xffff_ffff_ffff_ffffn", "-18446744073709551615n");
  canon("'a\"b'", "\"a\\\"b\"");
  canon("`a\nb`", "\"a\\nb\"");
  canon("'\\u{1F600}\\ud83d\\ude00\\x41\\0'", "\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80" "A\\u0000\"");
  same("\"\\ud800\"");
  same("\"\xe2\x82\xac\"");
  canon("\"\xff\"", "\"\xef\xbf\xbd\"");
  canon("\"long plain text \\n with \xff bytes \xff\xff\xff\"",
        "\"long plain text \\n with \xef\xbf\xbd bytes \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  canon("/* a */ ( ( 1 ) ) // b", "1");
  canon("\xef\xbb\xbf 1", "1");
  /* White space beyond ASCII ends numbers, words and regular expressions */
  canon("[1\xc2\xa0,2n\xe2\x80\xa8,0x3\xef\xbb\xbf,1e3\xe3\x80\x80,true\xe2\x80\xa9,-Infinity\xc2\xa0,/a/\xc2\xa0,/b/g\xe2\x80\x83]",
        "[1,2n,3,1000,true,-Infinity,/a/,/b/g]");
  canon("{a\xc2\xa0: 1\xc2\xa0}", "{\"a\":1}");
  bad(0, "[1\xc3\xa9]", 1, KV_SYNTAX);
  bad(0, "[1\xc2]", 1, KV_SYNTAX);
  bad(0, "true\xc3\xa9", 0, KV_SYNTAX);
  bad(0, "/a/g\xc3\xa9", 0, KV_SYNTAX);
}

static void testObjects(void){
  canon("({a:1})", "{\"a\":1}");
  canon("{ a: 1, 'b': 2, \"c\": 3, $d_: 4, \xc3\xa9: 5, }",
        "{\"a\":1,\"b\":2,\"c\":3,\"$d_\":4,\"\xc3\xa9\":5}");
  canon("{b:1,1:2,a:3,0:4,'-1':5,'01':6,1.50:7,'10':8,0x10:9,1n:10,a:11}",
        "{\"0\":4,\"1\":10,\"10\":8,\"16\":9,\"b\":1,\"a\":11,\"-1\":5,\"01\":6,\"1.5\":7}");
  canon("{4294967295: 1, 4294967294: 2, 1e21: 3}", "{\"4294967294\":2,\"4294967295\":1,\"1e+21\":3}");
  canon("{['__proto__']: {x: 1}, [1]: 2, [-1]: 3, [`t`]: 4, [2n]: 5}",
        "{\"1\":2,\"2\":5,[\"__proto__\"]:{\"x\":1},\"-1\":3,\"t\":4}");
  canon("{null: 1, new: 2, Map: 3, undefined: 4}",
        "{\"null\":1,\"new\":2,\"Map\":3,\"undefined\":4}");
  canon("{\"\": 1, aa: 1, ab: 2, ba: 3, \"\": 4}", "{\"\":4,\"aa\":1,\"ab\":2,\"ba\":3}");
  same("{}");
  bad(0, "{ __proto__: 1 }", 2, KV_SYNTAX);
  bad(0, "{ \"__proto__\": 1 }", 2, KV_SYNTAX);
  bad(0, "{a:1, '__proto__': 1 }", 6, KV_SYNTAX);
}

static void testArrays(void){
  canon("[ ]", "[]");
  same("[,]");
  same("[1,,2]");
  same("[1,,]");
  canon("[1,2,]", "[1,2]");
  canon("Object.assign([1,2,3],{1:'b',x:1},[9],null,{x:2})", "Object.assign([9,\"b\",3],{\"x\":2})");
  canon("Object.assign(Object.assign([],{x:1,y:2}),{y:3,0:4})", "Object.assign([4],{\"x\":1,\"y\":3})");
  canon("Object.assign({a:1},{b:2,a:3})", "{\"a\":3,\"b\":2}");
  same("Object.assign(new Array(100),{\"5\":1,\"x\":2})");
  same("Object.assign(new Array(4294967295),{\"4294967294\":1})");
  canon("new Array(3)", "[,,,]");
  canon("new Array(1,2)", "[1,2]");
  canon("Array('3')", "[\"3\"]");
  bad(0, "[ length: 1 ]", 0, KV_SYNTAX);
}

static void testCollections(void){
  canon("new Map", "new Map()");
  canon("new Map([])", "new Map()");
  canon("new Set(null)", "new Set()");
  canon("new Map([[NaN,1],[0,2],[-0,3],[NaN,4],['a',1],['a',2],[1n,1],[1n,2],[-1n,3]])",
        "new Map([[NaN,4],[0,3],[\"a\",2],[1n,2],[-1n,3]])");
  canon("new Set([1,true,'1',1,null,undefined,true,null,,-0,0,{},{}])",
        "new Set([1,true,\"1\",null,undefined,0,{},{}])");
  canon("new Map([[1]])", "new Map([[1,undefined]])");
  canon("new Map([[1,2,3],[4,5,],])", "new Map([[1,2],[4,5]])");
  bad(0, "new Map([1])", 0, KV_SYNTAX);
  bad(0, "new Map([[]])", 0, KV_SYNTAX);
  bad(0, "new Map({})", 0, KV_SYNTAX);
  bad(0, "Map([[1,2]])", 0, KV_SYNTAX);
}

static void testDates(void){
  same("new Date(\"2023-04-23T00:00:00.000Z\")");
  same("new Date(NaN)");
  canon("new Date(123)", "new Date(\"1970-01-01T00:00:00.123Z\")");
  canon("new Date(1.9)", "new Date(\"1970-01-01T00:00:00.001Z\")");
  canon("new Date(8.64e15)", "new Date(\"+275760-09-13T00:00:00.000Z\")");
  canon("new Date(8640000000000001)", "new Date(NaN)");
  bad(0, "new Date(2023, 1)", 0, KV_SYNTAX);
  bad(0, "[new Date()]", 1, KV_SYNTAX);
  bad(0, "new Date('2023-04-23T00:00:00')", 0, KV_SYNTAX);
}

static void testRegexps(void){
  same("/abc/gi");
  same("/[/\\]]\\/x/");
  same("/\\\\[\\\\]/");
  canon("new RegExp(\"a/b\\n\\u2028\",\"g\")", "/a\\/b\\n\\u2028/g");
  canon("new RegExp('')", "/(?:)/");
  canon("RegExp('[/]', undefined)", "/[/]/");
  canon("/a/ysgimd", "/a/dgimsy");
  bad(0, "/a/gg", 0, KV_SYNTAX);
  bad(0, "/a/uv", 0, KV_SYNTAX);
  bad(0, "/a/x", 0, KV_SYNTAX);
  bad(0, "[/(/]", 1, KV_SYNTAX);
  bad(0, "/abc", 0, KV_SYNTAX);
  bad(0, "/a\n/", 0, KV_SYNTAX);
}

static void testBuffers(void){
  same("new Uint8Array([1,2,3])");
  same("new Uint8Array([])");
  canon("new Uint8Array([1, 2 , 3] )", "new Uint8Array([1,2,3])");
  canon("new /*[*/ Uint8Array([1, 2] )", "new Uint8Array([1,2])");
  canon("new Uint8Array([1,256,-1,1.9,'7',true,null,undefined,,NaN,1e20])",
        "new Uint8Array([1,0,255,1,7,1,0,0,0,0,0])");
  canon("new Uint8ClampedArray([300,-5,0.5,1.5,2.5,NaN])", "new Uint8ClampedArray([255,0,0,2,2,0])");
  canon("new Int8Array([128,-129])", "new Int8Array([-128,127])");
  canon("new Int16Array([32768,4294967297,-1])", "new Int16Array([-32768,1,-1])");
  canon("new Uint32Array([-1,1e10,18446744073709551616])", "new Uint32Array([4294967295,1410065408,0])");
  canon("new Float16Array([65519.99,65520,6e-8,2.98023223876953125e-8,2.98023223876953126e-8,1.00048828125,-0,,])",
        "new Float16Array([65504,Infinity,5.960464477539063e-8,0,0,1,-0,NaN])");
  canon("new Float16Array([2.9802322387695316e-8,1.0004882812500002])",
        "new Float16Array([5.960464477539063e-8,1.0009765625])");
  canon("new Float32Array([3.4e38,0.1,1e40,NaN])", "new Float32Array([3.3999999521443642e+38,0.10000000149011612,Infinity,NaN])");
  same("new Float64Array([0.1,-0,NaN,Infinity])");
  canon("new BigInt64Array([18446744073709551615n,-9223372036854775809n,true])",
        "new BigInt64Array([-1n,9223372036854775807n,1n])");
  canon("new BigUint64Array([-1n])", "new BigUint64Array([18446744073709551615n])");
  canon("new Uint16Array(2)", "new Uint16Array([0,0])");
  canon("new Uint8Array(3) ", "new Uint8Array([0,0,0])");
  canon("new Uint16Array(new Uint8Array([1,2,3,4]).buffer)", "new Uint16Array([513,1027])");
  same("new Uint16Array(new Uint8Array([1,2,3,4,5,6,7,8]).buffer,2,2)");
  canon("new Uint16Array(new ArrayBuffer(32),8)", "new Uint16Array(new ArrayBuffer(32),8,12)");
  same("new DataView(new ArrayBuffer(0))");
  canon("new DataView(new ArrayBuffer(20),1)", "new DataView(new ArrayBuffer(20),1,19)");
  same("new Uint8Array([1,2]).buffer");
  same("new ArrayBuffer(0)");
  same("new ArrayBuffer(17)");
  canon("new ArrayBuffer(2)", "new Uint8Array([0,0]).buffer");
  same("new ArrayBuffer(8,{maxByteLength:16})");
  same("Object.assign(new Uint8Array(new ArrayBuffer(2,{maxByteLength:8})),[1,2]).buffer");
  same("new Uint8Array([1,2]).buffer.transferToImmutable()");
  same("new Uint8Array(new Uint8Array([1,2]).buffer.transferToImmutable())");
  same("new Uint16Array(new ArrayBuffer(3,{maxByteLength:16}))");
  same("new Uint8Array(new ArrayBuffer(4,{maxByteLength:8}),1)");
  same("new Uint8Array(new ArrayBuffer(4,{maxByteLength:8}),1,2)");
  same("new Float32Array(new Uint8Array([1,0,192,127]).buffer)");
  canon("new Float32Array(new Uint8Array([0,0,192,127]).buffer)", "new Float32Array([NaN])");
  canon("Object.assign(new Uint8Array(4),[1,2,3,4,5])", "new Uint8Array([1,2,3,4])");
  canon("Object.assign(new Int16Array(2),{1:-1,7:1})", "new Int16Array([0,-1])");
  /* With Deno.inspect()'s option trailingComma */
  bad(0, "new ArrayBuffer(4294967296)", 0, KV_SYNTAX);
  bad(0, "[new ArrayBuffer(40000000),new ArrayBuffer(40000000)]", 27, KV_SYNTAX);
  bad(0, "new Uint8Array(new Array(4294967295))", 0, KV_SYNTAX);
  bad(0, "new Uint8Array([1n])", 0, KV_SYNTAX);
  bad(0, "new BigInt64Array([1])", 0, KV_SYNTAX);
  bad(0, "new BigInt64Array([,])", 0, KV_SYNTAX);
  bad(0, "new Uint16Array(new ArrayBuffer(3))", 0, KV_SYNTAX);
  bad(0, "new Uint16Array(new ArrayBuffer(4),1)", 0, KV_SYNTAX);
  bad(0, "new Uint16Array(new ArrayBuffer(4),0,3)", 0, KV_SYNTAX);
  bad(0, "new Uint16Array(new ArrayBuffer(4),6)", 0, KV_SYNTAX);
  bad(0, "new DataView(new ArrayBuffer(4),5)", 0, KV_SYNTAX);
  bad(0, "new DataView([1])", 0, KV_SYNTAX);
  bad(0, "new ArrayBuffer(8,{maxByteLength:4})", 0, KV_SYNTAX);
  bad(0, "new Uint8Array(-1)", 0, KV_SYNTAX);
  bad(0, "Object.assign(new Uint8Array([1]).buffer.transferToImmutable(),[1])", 0, KV_SYNTAX);
  bad(0, "new Uint8Array([1]).length", 19, KV_SYNTAX);
}

static void testErrorObjects(void){
  same("new Error()");
  same("new Error(\"\")");
  same("new TypeError(\"m\",{\"cause\":new RangeError(\"n\")})");
  same("new Error(undefined,{\"cause\":undefined})");
  same("Object.assign(new Error(\"m\"),{\"stack\":\"s\\n\"})");
  same("Object.assign(new Error(\"m\",{\"cause\":[1]}),{\"stack\":\"s\"})");
  canon("Error(5)", "new Error(\"5\")");
  canon("URIError('m', {cause: 1, x: 2})", "new URIError(\"m\",{\"cause\":1})");
  canon("Object.assign(new EvalError,{message:'q',cause:2,stack:undefined})",
        "new EvalError(\"q\",{\"cause\":2})");
  canon("[new SyntaxError(), ReferenceError()]", "[new SyntaxError(),new ReferenceError()]");
  bad(0, "Object.assign(new Error(),{x:1})", 0, KV_SYNTAX);
  bad(0, "new AggregateError([])", 4, KV_SYNTAX);
}

/* What only a console prints isn't read. */
static void testConsole(void){
  bad(0, "Map(2) { 'a' => 1, 'b' => 2 }", 0, KV_SYNTAX);
  bad(0, "Map { 1 => 2 }", 0, KV_SYNTAX);
  bad(0, "Set(1) { 1 }", 0, KV_SYNTAX);
  bad(0, "[Object: null prototype] { a: 1 }", 0, KV_SYNTAX);
  bad(0, "Uint8Array(3) [ 1, 2, 3 ]", 0, KV_SYNTAX);
  bad(0, "ArrayBuffer { [Uint8Contents]: <01 02 ff>, byteLength: 3 }", 0, KV_SYNTAX);
  bad(0, "DataView { byteLength: 0, byteOffset: 0, buffer: [] }", 0, KV_SYNTAX);
  bad(0, "Date { NaN }", 0, KV_SYNTAX);
  bad(0, "Invalid Date", 0, KV_SYNTAX);
  bad(0, "2023-04-23T00:00:00.000Z", 4, KV_SYNTAX);
  bad(0, "[ <2 empty items>, 1 ]", 2, KV_SYNTAX);
  bad(0, "[ 1, x: 2 ]", 0, KV_SYNTAX);
  bad(0, "[ 1, 'x': 2 ]", 8, KV_SYNTAX);
  bad(0, "[[Number: 1]]", 1, KV_SYNTAX);
  bad(0, "[Deno.KvU64: 42n]", 1, KV_SYNTAX);
  bad(0, "{ e: [Error: 404] }", 5, KV_SYNTAX);
  bad(0, "[foo:1]", 0, KV_SYNTAX);
  bad(0, "{ e: [Error] }", 6, KV_SYNTAX);
}

static void testBoxed(void){
  same("new Number(1)");
  same("new Number(-0)");
  same("new String(\"a\")");
  same("new Boolean(false)");
  same("Object(1n)");
  canon("[Object('a'), new Object(1), Object(), Object({a:1}), new Boolean(''), new Number('0x10'), new String(5)]",
        "[new String(\"a\"),new Number(1),{},{\"a\":1},new Boolean(false),new Number(16),new String(\"5\")]");
  canon("[new Number('\\u00a0\\u2028\\ufeff5\\u3000 \\u1680'), new Number('0x10\\xa0'), new Number('\\u2003'), new Number('\\u180e5'), new Number('5\\u200b'), new Number('5\\ud800')]",
        "[new Number(5),new Number(16),new Number(0),new Number(NaN),new Number(NaN),new Number(NaN)]");
  canon("(new Deno.KvU64(0xffffffffffffffffn))", "new Deno.KvU64(18446744073709551615n)");
  canon("{c: new Deno.KvU64(7n), d: [new Deno.KvU64(0n)]}", "{\"c\":{\"value\":7n},\"d\":[{\"value\":0n}]}");
  bad(0, "new Deno.KvU64(18446744073709551616n)", 0, KV_SYNTAX);
  bad(0, "new Deno.KvU64(-1n)", 0, KV_SYNTAX);
  bad(0, "new Deno.KvU64(1)", 0, KV_SYNTAX);
}

static void testReferences(void){
  same("<ref *1> {\"self\":[Circular *1]}");
  same("<ref *1> [[Circular *1]]");
  same("<ref *1> new Map([[[Circular *1],[Circular *1]]])");
  same("[<ref *1> {\"x\":1},[Circular *1],<ref *2> [[Circular *1],[Circular *2]]]");
  canon("<ref *1> {a:1}", "{\"a\":1}");
  canon("{\"x\":<ref *1> {}, \"1\":[Circular *1]}", "{\"1\":<ref *1> {},\"x\":[Circular *1]}");
  same("[<ref *1> new Uint8Array([1,2,3,4]).buffer,new Uint8Array([Circular *1],0,2),new DataView([Circular *1])]");
  same("[new Uint8Array(<ref *1> new Uint8Array([1,2,3,4]).buffer),[Circular *1]]");
  same("[<ref *1> new Uint8Array([1]),[Circular *1]]");
  same("<ref *1> Object.assign(new Error(\"m\",{\"cause\":[Circular *1]}),{\"stack\":\"s\"})");
  same("<ref *1> Object.assign([1],{\"x\":[Circular *1]})");
  same("[<ref *1> new Date(NaN),<ref *2> /r/,<ref *3> Object(1n),[Circular *3],[Circular *2],[Circular *1]]");
  canon("new Set([<ref *1> {}, [Circular *1]])", "new Set([{}])");
  same("[<ref *1> {\"a\":[Circular *1],\"b\":1},<ref *2> {\"a\":[Circular *2],\"b\":\"1\"}]");
  /* a label stands once: what a console prints again is another object here */
  bad(0, "[<ref *1> {a: [Circular *1]}, <ref *1> {b: [Circular *1]}]", 30, KV_SYNTAX);
  bad(0, "<ref *1> {a: <ref *1> {a: [Circular *1]}}", 13, KV_SYNTAX);
  bad(0, "[<ref *1> {}, <ref *1> {}]", 14, KV_SYNTAX);
  bad(0, "[Circular *1]", 0, KV_SYNTAX);
  bad(0, "[[Circular *1], <ref *1> {}]", 1, KV_SYNTAX);
  bad(0, "<ref *1> 5", 0, KV_SYNTAX);
  bad(0, "<ref *0> {}", 0, KV_SYNTAX);
  bad(0, "<ref *1000001> {}", 0, KV_SYNTAX);
  bad(0, "<ref *18446744073709551617> {}", 0, KV_SYNTAX);
  canon("[<ref *1000000> [[Circular *1000000]]]", "[<ref *1> [[Circular *1]]]");
  {
    /* A text that is long enough for more labels */
    char *z = malloc(1000100);
    memset(z, ' ', 1000100);
    memcpy(&z[1000000], "<ref *1000002> [[Circular *1000002]]", 37);
    canon(z, "<ref *1> [[Circular *1]]");
    memcpy(&z[1000000], "<ref *1000099> [[Circular *1000099]]", 37);
    bad(0, z, 1000000, KV_SYNTAX);
    free(z);
  }
  bad(0, "<ref *1> <ref *2> [Circular *1]", 9, KV_SYNTAX);
  bad(0, "<ref *1> <ref *2> new Set([[Circular *1],[Circular *2]])", 0, KV_SYNTAX);
  bad(0, "[<ref *1> (<ref *2> {})]", 1, KV_SYNTAX);
  bad(0, "[new Map([<ref *1> [1,2]]), [Circular *1]]", 1, KV_SYNTAX);
  bad(0, "[{a: <ref *1> {}, a: 2}, [Circular *1]]", 25, KV_SYNTAX);
  bad(0, "[new Boolean(<ref *1> {}),[Circular *1]]", 26, KV_SYNTAX);
  canon("[<ref *1> {a:1},new Boolean([Circular *1]),new Boolean(<ref *2> [1])]", "[{\"a\":1},new Boolean(true),new Boolean(true)]");
  bad(0, "[HostObject Blob {\"type\":\"Blob\"}]", 0, KV_REFUSED);
}

static void testRefused(void){
  bad(0, "", 0, KV_SYNTAX);
  bad(0, "  ", 2, KV_SYNTAX);
  bad(0, "foo", 0, KV_SYNTAX);
  bad(0, "[1,foo]", 3, KV_SYNTAX);
  bad(0, "[1,2", 4, KV_SYNTAX);
  bad(0, "[1 2]", 3, KV_SYNTAX);
  bad(0, "1 2", 2, KV_SYNTAX);
  bad(0, "1;;", 2, KV_SYNTAX);
  bad(0, "{a}", 2, KV_SYNTAX);
  bad(0, "{a:1", 4, KV_SYNTAX);
  bad(0, "{,}", 1, KV_SYNTAX);
  bad(0, "{...a}", 1, KV_SYNTAX);
  bad(0, "[...a]", 1, KV_SYNTAX);
  bad(0, "{a(){}}", 2, KV_SYNTAX);
  bad(0, "{[Symbol()]:1}", 2, KV_SYNTAX);
  bad(0, "Symbol()", 0, KV_SYNTAX);
  bad(0, "()=>1", 1, KV_SYNTAX);
  bad(0, "function(){}", 0, KV_SYNTAX);
  bad(0, "new Foo()", 4, KV_SYNTAX);
  bad(0, "new", 3, KV_SYNTAX);
  bad(0, "`a${1}`", 2, KV_SYNTAX);
  bad(0, "\"abc", 0, KV_SYNTAX);
  bad(0, "'a\\q\\u12'", 4, KV_SYNTAX);
  bad(0, "+1n", 0, KV_SYNTAX);
  bad(0, "--1", 1, KV_SYNTAX);
  bad(0, "1+1", 1, KV_SYNTAX);
  bad(0, "0777", 0, KV_SYNTAX);
  bad(0, "1__0", 0, KV_SYNTAX);
  bad(0, "/* a", 0, KV_SYNTAX);
  bad(0, "1 /* a", 2, KV_SYNTAX);
  bad(0, "(1", 2, KV_SYNTAX);
  bad(0, ")", 0, KV_SYNTAX);
  bad(0, "]", 0, KV_SYNTAX);
  bad(0, "structuredClone(1)", 0, KV_SYNTAX);
  bad(0, "nullx", 0, KV_SYNTAX);
}

/*
** JSON in and out
*/

static void testJsonText(void){
  static const char *const azBad[] = {
    "", "undefined", "[1,]", "[,1]", "{\"a\":1,}", "{a:1}", "{'a':1}", "'a'", "01", "-", "+1",
    ".5", "5.", "1.e5", "1e", "1e+", "0x10", "NaN", "Infinity", "1n", "[1] x", "// c\n1", "\"\t\"",
    "\"\\x41\"", "\"\\u{41}\"", "nul", "truex", "(1)", "1;", "\xc2\xa0[1]", "\"a", "[", "{\"a\"",
    "{\"a\":", "-Infinity", "new Map()", "[Circular *1]", "<ref *1> {}"
  };
  static const char *const azGood[] = {
    "null", "true", "false", "0", "-0", "1.5", "1e+5", "1E5", "-1.5e-3", "\"\"", "\"a\\u00e9\\n\\/\"",
    "[]", "{}", "[1,2]", "{\"a\":{\"b\":[null]}}", " \t\r\n1 \n", "{\"__proto__\":1}", "{\"a\":1,\"a\":2}"
  };
  KvErr err;
  size_t i;
  for(i=0; i<sizeof(azBad)/sizeof(azBad[0]); i++){
    OF( parseN(&tree, 1, azBad[i], strlen(azBad[i]), &err)==KV_SYNTAX, azBad[i] );
    OF( err.iPos>=0 && err.iPos<=(i64)strlen(azBad[i]), azBad[i] );
  }
  for(i=0; i<sizeof(azGood)/sizeof(azGood[0]); i++){
    OF( parseN(&tree, 1, azGood[i], strlen(azGood[i]), &err)==KV_OK, azGood[i] );
  }
  bad(1, "[1,]", 3, KV_SYNTAX);
  bad(1, "{\"a\":1,}", 7, KV_SYNTAX);
  bad(1, "[1.e5]", 2, KV_SYNTAX);
  parseN(&tree, 1, "{\"a\":1,\"__proto__\":2,\"0\":3,\"a\":4}", 33, &err);
  CHECK( strcmp(printed(&tree, 0, &out), "{\"0\":3,\"a\":4,[\"__proto__\"]:2}")==0 );
}

static void testJsonPrint(void){
  json("undefined", "");
  json("[undefined,,1]", "[null,null,1]");
  json("{a:undefined,b:null}", "{\"b\":null}");
  json("[-0,NaN,-Infinity,1.5,1e21]", "[0,null,null,1.5,1e+21]");
  json("[10n,-5n,new Number(2),Object(3n),new String('s'),new Boolean(true)]", "[10,-5,2,3,\"s\",true]");
  json("new Deno.KvU64(18446744073709551615n)", "18446744073709551615");
  json("[new Date(0),new Date(NaN)]", "[\"1970-01-01T00:00:00.000Z\",null]");
  json("new Map([['a',1],['b',undefined],['c',new Map([[1,2],['x',undefined]])]])",
       "{\"a\":1,\"c\":[[1,2],[\"x\",null]]}");
  json("new Map()", "{}");
  json("new Set([1,undefined,'a'])", "[1,null,\"a\"]");
  json("[new Uint8Array([1,2,3]),new Uint8Array([1]).buffer,new DataView(new ArrayBuffer(2)),new Uint8Array()]",
       "[\"AQID\",\"AQ==\",\"AAA=\",\"\"]");
  json("[new Int16Array([-1,2]),new Float32Array([NaN,0.5]),new BigInt64Array([-1n]),new Uint8ClampedArray([7])]",
       "[[-1,2],[null,0.5],[-1],[7]]");
  json("[/a\\/\"b/gi,new TypeError('m'),new Error(),new RangeError('')]",
       "[\"/a\\\\/\\\"b/gi\",\"TypeError: m\",\"Error\",\"RangeError\"]");
  json("Object.assign([1],{x:1})", "[1]");
  json("Object.assign(new Array(7),{5:1})", "[null,null,null,null,null,1,null]");
  json("[Object.assign(new Array(4294967295),{7:1,9:undefined,x:2}),new Array(2)]", "[{\"7\":1},[null,null]]");
  json("{1:'a',b:'\\ud800\xc3\xa9'}", "{\"1\":\"a\",\"b\":\"\\ud800\xc3\xa9\"}");
  json("<ref *1> {a:[Circular *1],b:<ref *2> [1],c:[Circular *2]}",
       "{\"a\":\"[Circular]\",\"b\":[1],\"c\":[1]}");
  json("<ref *1> new Map([['k',[[Circular *1]]]])", "{\"k\":[\"[Circular]\"]}");
  json("[<ref *1> new Uint8Array([1,2]).buffer,new Uint8Array([Circular *1],1,1)]", "[\"AQI=\",\"Ag==\"]");
}

/* Each of n levels refers to the one before twice: 2^n times the leaf zLeaf. */
static void jsonShared(int n, const char *zLeaf){
  char zLine[64];
  KvBuf text;
  KvErr err;
  int i;
  kvBufInit(&text, 0, 0);
  for(i=1; i<=n; i++){
    sprintf(zLine, "[<ref *%d> ", i);
    kvBufText(&text, zLine);
  }
  kvBufText(&text, zLeaf);
  for(i=n; i>=1; i--){
    sprintf(zLine, ",[Circular *%d],[Circular *%d]]", i, i);
    kvBufText(&text, zLine);
  }
  CHECK( parseN(&tree, 0, (char*)text.a, text.n, &err)==KV_OK );
  jsonOf(&tree, 0);
  OF( strstr((char*)out2.a, "\"[Shared]\"")!=0, zLeaf );
  OF( parseN(&tree2, 1, (char*)out2.a, out2.n, &err)==KV_OK, zLeaf );
  kvBufClear(&text);
}

static void testJsonShared(void){
  jsonShared(100, "[1]");
  CHECK( out2.n>3000000 && out2.n<3010000 );
  /* What is printed as six times its bytes; what isn't printed at all */
  jsonShared(24, "{'\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01':"
    "'\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01\\x01'}");
  CHECK( out2.n>3000000 && out2.n<3010000 );
  jsonShared(24, "{a:undefined,b:undefined,c:undefined,d:undefined,e:undefined}");
  CHECK( out2.n>900000 && out2.n<2100000 );
  jsonShared(24, "[Object.assign(new Array(4000000),{5:undefined,6:1,7:undefined,8:undefined})]");
  CHECK( out2.n>1500000 && out2.n<3010000 );
  jsonShared(24, "new Date(0)");
  CHECK( out2.n>3000000 && out2.n<3010000 );
}

/*
** Paths
*/

/* The JSON of what is at a path; "-" for nothing, "#i" for element i. */
static void at(const char *zPath, const char *zExpect){
  u32 iNode;
  i64 iElem;
  KvErr err;
  char zElem[32];
  const char *z;
  if( kvPathFind(&tree, kvBytesText(zPath), &iNode, &iElem, &err) ){
    z = "error";
  }else if( iNode==KV_NO_NODE ){
    z = "-";
  }else if( iElem>=0 ){
    KvNode elem;
    u8 aDigit[8];
    CHECK( kvViewElem(&tree, iNode, iElem, &elem, aDigit) );
    if( elem.eKind==KV_BIGINT ){
      sprintf(zElem, "#%s%dn", elem.eSub ? "-" : "", elem.n ? elem.u.p[0] : 0);
    }else{
      sprintf(zElem, "#%g", elem.u.r);
    }
    z = zElem;
  }else{
    z = jsonOf(&tree, iNode);
  }
  if( !CHECK( strcmp(z, zExpect)==0 ) ) printf("  at %s: %s not %s\n", zPath, z, zExpect);
}

static void noPath(const char *zPath, int iPos){
  u32 iNode;
  i64 iElem;
  KvErr err = {0, 0, 0, ""};
  OF( kvPathFind(&tree, kvBytesText(zPath), &iNode, &iElem, &err)==KV_SYNTAX, zPath );
  if( !OF( err.iPos==iPos, zPath ) ) printf("  at %d\n", (int)err.iPos);
}

static void testPaths(void){
  KvErr err;
  CHECK( parse("{a:[1,,{b:2}],'x y':3,'q\"\\\\':4,5:'five',\xc3\xa9:6,m:new Map([['k',7],[1,8]]),"
               "s:new Set([9,10]),u:new Int16Array([-1,2]),g:new BigInt64Array([-3n]),"
               "e:Object.assign(new TypeError('msg',{cause:{c:1}}),{stack:'st'}),"
               "f:Object.assign(new Array(100),{50:'far',p:'prop'}),d:new DataView(new ArrayBuffer(2)),"
               "r:<ref *1> {z:[Circular *1],w:1}, n:null}", &err)==KV_OK );
  at("$.a[0]", "1");
  at("$.a[1]", "-");
  at("$.a[2].b", "2");
  at("$.a[#-1].b", "2");
  at("$.a[#-3]", "1");
  at("$.a[#-4]", "-");
  at("$.a[#]", "-");
  at("$.a[3]", "-");
  at("$.a[99999999999999999999999]", "-");
  at("$.\"x y\"", "3");
  at("$.x y", "3");
  at("$.\"q\\\"\\\\\"", "4");
  at("$.5", "\"five\"");
  at("$[5]", "-");
  at("$.\xc3\xa9", "6");
  at("$.m.k", "7");
  at("$.m[0]", "7");
  at("$.m[1]", "8");
  at("$.m[#-1]", "8");
  at("$.m[2]", "-");
  at("$.m.1", "-");
  at("$.s[1]", "10");
  at("$.s[2]", "-");
  at("$.u[0]", "#-1");
  at("$.u[#-1]", "#2");
  at("$.u[2]", "-");
  at("$.u[0].x", "-");
  at("$.g[0]", "#-3n");
  at("$.d[0]", "-");
  at("$.e.message", "\"msg\"");
  at("$.e.stack", "\"st\"");
  at("$.e.cause.c", "1");
  at("$.e.name", "-");
  at("$.f[50]", "\"far\"");
  at("$.f[51]", "-");
  at("$.f[#-50]", "\"far\"");
  at("$.f.p", "\"prop\"");
  at("$.f.50", "-");
  at("$.r.z.z.z.w", "1");
  at("$.n", "null");
  at("$.n.x[1]", "-");
  at("$.nothing", "-");
  noPath("", 0);
  noPath("a", 0);
  noPath("$a", 1);
  noPath("$.", 2);
  noPath("$..a", 2);
  noPath("$[", 2);
  noPath("$[x]", 2);
  noPath("$[1", 3);
  noPath("$[#-]", 4);
  noPath("$.\"a", 2);
  noPath("$.zz[0", 6);
  CHECK( parse("{1.5:1, 4294967294: 2}", &err)==KV_OK );
  at("$.4294967294", "2");
  at("$.\"1.5\"", "1");
}

/*
** Depth
*/

/* n times zOpen, zMid, n times zClose: is read, printed and read again. */
static void deep(int n, const char *zOpen, const char *zMid, const char *zClose, int bSame){
  KvBuf text;
  KvErr err;
  int i;
  kvBufInit(&text, 0, 0);
  for(i=0; i<n; i++) kvBufText(&text, zOpen);
  kvBufText(&text, zMid);
  for(i=0; i<n; i++) kvBufText(&text, zClose);
  kvBufTerminate(&text);
  if( !OF( parseN(&tree, 0, (char*)text.a, text.n, &err)==KV_OK, zOpen ) ){
    printf("  %s at %d\n", err.zMsg, (int)err.iPos);
  }
  printed(&tree, 0, &out);
  if( bSame ) OF( out.n==text.n && memcmp(out.a, text.a, out.n)==0, zOpen );
  OF( parseN(&tree2, 0, (char*)out.a, out.n, &err)==KV_OK, zOpen );
  OF( kvJsonPrint(&tree, 0, &text, &err)==KV_OK, zOpen );
  /* and cut off in the middle */
  OF( parseN(&tree, 0, (char*)out.a, out.n/2, &err)==KV_SYNTAX || n==0 || !bSame, zOpen );
  kvBufClear(&text);
}

static void testDepth(void){
  const int n = 100000;
  deep(n, "[", "", "]", 1);
  deep(n, "[[],", "1", "]", 1);
  deep(n, "{\"a\":", "1", "}", 1);
  deep(n, "(", "1", ")", 0);
  deep(n, "new Map([[1,", "1", "]])", 1);
  deep(n, "new Map([[", "1", ",1]])", 1);
  deep(n, "new Set([", "1", "])", 1);
  deep(n, "new Error(\"m\",{\"cause\":", "1", "})", 1);
  deep(n, "Object.assign([1],{\"x\":", "1", "})", 1);
  deep(n, "Object.assign(new Array(100),{\"50\":", "1", "})", 1);
  deep(n, "new Array(", "'1'", ")", 0);
  deep(n, "Object(", "1", ")", 0);
  deep(20, "new Uint8Array(", "new ArrayBuffer(2)", ").buffer", 0);
  deep(n, "{['a']:", "1", "}", 0);
  deep(1000, "Object.assign(new Error('m'),{stack:'s',cause:", "1", "})", 0);
}

/* Texts that would take quadratic time if something were done twice. */
static void testHostile(void){
  const u32 n = 300000;
  static const char *const azUnit[] = {
    "[", "{a:", "<ref *1> [", "new Uint8Array([", "new Uint8Array([1,", "Object.assign([1,2,3],",
    "\"a\\n", "/*", "/[", "`", "new Map([[1,2],", "[Circular *1],", "{\"a\":1,\"a\":", "[1,x:", "<ref *1000000>[",
    "Map { 1 => ", "2023-04-23T", "ArrayBuffer { [Uint8Contents]: <", "new Date('", "_", "\xc3\xa9", "0x"
  };
  KvBuf text;
  KvErr err;
  clock_t t;
  size_t i;
  kvBufInit(&text, 0, 0);
  for(i=0; i<sizeof(azUnit)/sizeof(azUnit[0]); i++){
    kvBufReset(&text);
    while( text.n<n ) kvBufText(&text, azUnit[i]);
    t = clock();
    OF( parseN(&tree, 0, (char*)text.a, text.n, &err)==KV_SYNTAX, azUnit[i] );
    OF( clock()-t<CLOCKS_PER_SEC, azUnit[i] );
  }
  kvBufReset(&text);
  while( text.n<n ) kvBufText(&text, "Object.assign(");
  kvBufText(&text, "[1,2,3,4,5,6,7,8,9]");
  while( text.n<2*n ) kvBufText(&text, ",{x:1,5:2})");
  t = clock();
  parseN(&tree, 0, (char*)text.a, text.n, &err);
  CHECK( clock()-t<CLOCKS_PER_SEC );
  kvBufClear(&text);
}

int main(int argc, char **argv){
  helpInit(argc, argv);
  testDocumented();
  testScalars();
  testObjects();
  testArrays();
  testCollections();
  testDates();
  testRegexps();
  testBuffers();
  testErrorObjects();
  testConsole();
  testBoxed();
  testReferences();
  testRefused();
  testJsonText();
  testJsonPrint();
  testJsonShared();
  testPaths();
  testDepth();
  testHostile();
  return helpDone();
}
