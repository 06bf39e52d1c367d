/*
** bounds.c -- what hostile input costs: steps and memory in proportion to it.
**
** The codecs are compiled so that each of their basic blocks counts a step;
** each byte that they ask for is counted, too.  Every case below makes an
** input of a size n that was chosen to be bad for something, and is run
** with n and with 2n.  A line for each:
**
**   name  bytes of input  steps  bytes asked for  bytes of output  (n)
**   steps  bytes asked for  bytes of output  (2n)
**
** tests/bounds.test reads that.  usage: bounds [NAME ...]
**
** The sizes: nesting of 100,000 and four bigints of 156,000 digits as 2n, otherwise
** LONG of whatever it is.
*/
#include "fuzz/fuzz.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/path.h"
#include "codec/regexp/regexp.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/key/key_compare.h"
#include "codec/key/cursor.h"
#include "codec/num/num.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_write.h"

static u64 nStep;

/* The compiler calls this in each basic block of the codecs. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void){ nStep++; }

/* How an input is used. */
enum { VALUE, JS, JSON, KEY, KEYBYTES, COMPARE, PATH, REGEXP, NUMBER, LIST, CURSOR };

static KvBuf in;          /* The input */
static KvBuf in2;         /* PATH: the path; COMPARE: the other key */

static void rep(const char *z, u32 n, u32 nTimes){
  while( nTimes-->0 ) kvBufAppend(&in, z, n);
}
#define REP(Z,N) rep((Z), sizeof(Z)-1, (N))
static void varint(u64 v){
  for(; v>=0x80; v>>=7) kvBufPut(&in, (u8)(v | 0x80));
  kvBufPut(&in, (u8)v);
}
static void text(const char *zFormat, u32 i){
  char z[100];
  int n = snprintf(z, sizeof(z), zFormat, i);
  kvBufAppend(&in, z, (u64)n);
}
#define HEAD REP("\xff\x0f", 1)

/************************************************************************
** Stored values
*/
static void vArrays(u32 n){ HEAD; REP("A\1", n); REP("0", 1); REP("$\0\1", n); }
static void vSparse(u32 n){ HEAD; REP("a\1I\0", n); REP("0", 1); REP("@\1\1", n); }
static void vObjects(u32 n){ HEAD; REP("o\"\1a", n); REP("0", 1); REP("{\1", n); }
static void vMaps(u32 n){ HEAD; REP(";", n); REP("00:\2", 1); REP("0:\2", n-1); }
static void vSets(u32 n){ HEAD; REP("'", n); REP("0", 1); REP(",\1", n); }
static void vErrors(u32 n){ HEAD; REP("rc", n); REP("0", 1); REP(".", n); }
static void vCounts(u32 n){ HEAD; REP("?\0", n); REP("0", 1); }
static void vPadding(u32 n){ HEAD; REP("\0", n); REP("0", 1); }
static void vOpenArrays(u32 n){ HEAD; REP("A\1", n); }
static void vOpenObjects(u32 n){ HEAD; REP("o\"\1a", n); }
static void vHosts(u32 n){ HEAD; REP("\\\xff\xff\xff\xff\x0f", n); }
static void vClaimArray(u32 n){ HEAD; REP("A\xff\xff\xff\xff\x0f", 1); REP("0", n); }
static void vClaimSparse(u32 n){ HEAD; REP("A", 1); varint(n); REP("a\xff\xff\xff\xff\x0f@\0\xff\xff\xff\xff\x0f", n); REP("$\0", 1); varint(n); }
static void vClaimString(u32 n){ HEAD; REP("\"\xff\xff\xff\xff\x0f", 1); REP("a", n); }
static void vClaimBigint(u32 n){ HEAD; REP("Z\xfe\xff\xff\xff\x0f", 1); REP("a", n); }
static void vClaimBuffer(u32 n){ HEAD; REP("~\0\x80\x80\x80\x80\x80\x20", 1); REP("\0", n); }
static void vResizable(u32 n){
  HEAD; REP("A", 1); varint(n); REP("~\0\xff\xff\xff\xff\x0f", n); REP("$\0", 1); varint(n);
}
static void vKeys(u32 n){                /* many keys, downwards */
  u32 i;
  HEAD; REP("o", 1);
  for(i=n; i>0; i--){ REP("U", 1); varint(i); REP("0", 1); }
  REP("{", 1); varint(n);
}
static void vNames(u32 n){               /* keys that differ at the end only */
  u32 i;
  HEAD; REP("o", 1);
  for(i=0; i<n; i++){ REP("\"\x14xxxxxxxxxxxx", 1); text("%08x", i); REP("0", 1); }
  REP("{", 1); varint(n);
}
static void vNumberKeys(u32 n){          /* keys such as "1.5" that are numbers */
  u32 i;
  HEAD; REP("o", 1);
  for(i=0; i<n; i++){
    u8 a[8];
    kvPut64le(a, kvDoubleToBits(1.5 + i));
    REP("N", 1); kvBufAppend(&in, a, 8); REP("0", 1);
  }
  REP("{", 1); varint(n);
}
static void vSet(u32 n){
  u32 i;
  HEAD; REP("'", 1);
  for(i=0; i<n; i++){ REP("U", 1); varint(i*2654435761u); }
  REP(",", 1); varint(n);
}
static void vSetSame(u32 n){ HEAD; REP("'", 1); REP("\"\1a", n); REP(",", 1); varint(n); }
static void vMapObjects(u32 n){ HEAD; REP(";", 1); REP("o{\0" "0", n); REP(":", 1); varint(2*n); }
static void vReferences(u32 n){ HEAD; REP("A", 1); varint(n); REP("o{\0", 1); REP("^\1", n-1); REP("$\0", 1); varint(n); }
static void vReferencesUp(u32 n){        /* to what is open */
  u32 i;
  HEAD;
  for(i=0; i<n; i++){ REP("A\2^", 1); varint(i); }
  REP("0", 1); REP("$\0\2", n);
}
static void vDoubling(u32 n){            /* 2^n leaves: each array has the one before twice */
  u32 i;
  HEAD;
  REP("A\2", n); REP("00$\0\2", 1);
  for(i=n-1; i>0; i--){ REP("^", 1); varint(i); REP("$\0\2", 1); }
}
static void vMapUnique(u32 n){           /* dropped duplicates with references into them */
  u32 i;
  HEAD; REP("A\2;", 1);
  for(i=0; i<n; i++) REP("\"\1ao{\0", 1);
  REP(":", 1); varint(2*n);
  REP("A", 1); varint(n);
  for(i=0; i<n; i++){ REP("^", 1); varint(i+2); }
  REP("$\0", 1); varint(n); REP("$\0\2", 1);
}
static void vViews(u32 n){               /* many views of one buffer */
  u32 i;
  HEAD; REP("A", 1); varint(n+1);
  REP("B", 1); varint(n); REP("x", n);
  for(i=0; i<n; i++){ REP("^\1VB\0", 1); varint(n); REP("\0", 1); }
  REP("$\0", 1); varint(n+1);
}
static void vHoles(u32 n){ HEAD; REP("A", 1); varint(n); REP("-", n); REP("$\0", 1); varint(n); }
static void vFillHoles(u32 n){           /* each hole is filled by a pair */
  u32 i;
  HEAD; REP("A", 1); varint(n); REP("-", n);
  for(i=n; i>0; i--){ REP("U", 1); varint(i-1); REP("0", 1); }
  REP("$", 1); varint(n); varint(n);
}
static void vString(u32 n){ HEAD; REP("\"", 1); varint(n); REP("\1", n); }
static void vString16(u32 n){ HEAD; REP("c", 1); varint(2*n); REP("\x00\xd8", n); }
static void vString8(u32 n){ HEAD; REP("S", 1); varint(n); REP("\xff", n); }
static void vBuffer(u32 n){ HEAD; REP("B", 1); varint(8*n); REP("\1\2\3\4\5\6\7\x41", n); REP("VF\0", 1); varint(8*n); REP("\0", 1); }
static void vBigints(u32 n){ HEAD; REP("A", 1); varint(n); REP("Z\x10\xff\xff\xff\xff\xff\xff\xff\xff", n); REP("$\0", 1); varint(n); }
/* of about n decimal digits */
static void vBigint(u32 n){ HEAD; REP("Z", 1); varint(2*(n/12*5)); REP("\x9d", n/12*5); }
static void vRegexp(u32 n){ HEAD; REP("R\"", 1); varint(2*n); REP("()", n); REP("\0", 1); }
static void vSlashes(u32 n){ HEAD; REP("R\"", 1); varint(n); REP("/", n); REP("\0", 1); }

/************************************************************************
** Texts
*/
static void tArrays(u32 n){ REP("[", n); REP("]", n); }
static void tOpen(u32 n){ REP("[", n); }
static void tParens(u32 n){ REP("(", n); REP("1", 1); REP(")", n); }
static void tObjects(u32 n){ REP("{\"a\":", n); REP("1", 1); REP("}", n); }
static void tMaps(u32 n){ REP("new Map([[1,", n); REP("1", 1); REP("]])", n); }
static void tSets(u32 n){ REP("new Set([", n); REP("])", n); }
static void tAssign(u32 n){ REP("Object.assign([],", n); REP("[1]", 1); REP(")", n); }
static void tAssignLeft(u32 n){ REP("Object.assign(", n); REP("[1]", 1); REP(",{1:2})", n); }
static void tAssignMany(u32 n){ REP("Object.assign({}", 1); REP(",{a:1}", n); REP(")", 1); }
static void tErrors(u32 n){ REP("new Error('m',{cause:", n); REP("1", 1); REP("})", n); }
static void tLabels(u32 n){
  u32 i;
  REP("[", 1);
  for(i=1; i<=n; i++){ text("<ref *%u> {},", i); text("[Circular *%u],", i); }
  REP("]", 1);
}
static void tLabelOne(u32 n){ REP("<ref *1> [", 1); REP("[Circular *1],", n); REP("]", 1); }
static void tKeys(u32 n){ u32 i; REP("{", 1); for(i=n; i>0; i--) text("\"%u\":1,", i); REP("}", 1); }
static void tNames(u32 n){ u32 i; REP("{", 1); for(i=0; i<n; i++) text("xxxxxxxxxxxx%08x:1,", i); REP("}", 1); }
static void tNameSame(u32 n){ REP("{", 1); REP("a:1,", n); REP("}", 1); }
static void tElements(u32 n){ u32 i; REP("[", 1); for(i=n; i>0; i--) text("'%u':1,", i); REP("]", 1); }
static void tHoles(u32 n){ REP("[", 1); REP(",", n); REP("]", 1); }
static void tEmpty(u32 n){ REP("[", 1); REP(",,,,,,,,,1,", n); REP("]", 1); }
static void tSetSame(u32 n){ REP("new Set([", 1); REP("1,", n); REP("])", 1); }
static void tString(u32 n){ REP("'", 1); REP("\\u{1}", n); REP("'", 1); }
static void tSurrogates(u32 n){ REP("'", 1); REP("\\ud800", n); REP("'", 1); }
static void tNotUtf8(u32 n){ REP("'", 1); REP("\xf0\x9f", n); REP("'", 1); }
static void tComments(u32 n){ REP("/**/", n); REP("1", 1); }
static void tComment(u32 n){ REP("/", n); REP("*", n); }
static void tRegexp(u32 n){ REP("/", 1); REP("(?:a|[b/])", n); REP("/", 1); }
static void tBytes(u32 n){ REP("new Uint8Array([", 1); REP("1,", n); REP("])", 1); }
static void tBytesSlow(u32 n){ REP("new Uint8Array([", 1); REP("1.5,", n); REP("])", 1); }
static void tViews(u32 n){ REP("[<ref *1> new Uint8Array([1]).buffer,", 1); REP("new Uint8Array([Circular *1]),", n); REP("]", 1); }
static void tBuffers(u32 n){ REP("new Uint8Array([", 1); REP("7,", n); REP("7]).buffer", 1); }
/* Digits cost more the more there are, up to what is read and printed in decimal. */
static void tBigint(u32 n){ REP("[", 1); while( n-- ){ REP("7", 156000); REP("n,", 1); } REP("]", 1); }
static void tBigintBars(u32 n){ REP("[", 1); while( n-- ){ REP("7_", 156000); REP("7n,", 1); } REP("]", 1); }
static void tHexBigint(u32 n){ REP("0x", 1); REP("f", n); REP("n", 1); }
static void tNumber(u32 n){ REP("1", n); REP(".", 1); REP("1", n); }
static void tExponent(u32 n){ REP("1e", 1); REP("9", n); }
static void tZeros(u32 n){ REP("0.", 1); REP("0", n); REP("1", 1); }
static void tDates(u32 n){ REP("[", 1); REP("new Date('2023-04-23'),", n); REP("]", 1); }
static void tDate(u32 n){ REP("(", n); REP("2023-04-23", 1); }
static void tSpaces(u32 n){ REP(" ", n); REP("1", 1); REP(" ", n); }
static void jArrays(u32 n){ REP("[", n); REP("]", n); }
static void jObjects(u32 n){ REP("{\"a\":", n); REP("1", 1); REP("}", n); }
static void jKeys(u32 n){ u32 i; REP("{", 1); for(i=n; i>0; i--) text("\"%u\":1,", i); REP("\"\":1}", 1); }
static void jNameSame(u32 n){ REP("{", 1); REP("\"a\":1,", n); REP("\"a\":1}", 1); }
static void jEscapes(u32 n){ REP("\"", 1); REP("\\u0001", n); REP("\"", 1); }

/************************************************************************
** Keys, paths, patterns, lists, cursors
*/
static void kParts(u32 n){ REP("[", 1); REP("1,", n); REP("]", 1); }
static void kString(u32 n){ REP("['", 1); REP("\\0", n); REP("']", 1); }
static void kBytes(u32 n){ REP("[new Uint8Array([", 1); REP("0,", n); REP("])]", 1); }
static void kDigits(u32 n){ REP("[", 1); REP("1", n); REP("n]", 1); }
static void kZeros(u32 n){ REP("[0x", 1); REP("0", n); REP("1n]", 1); }
static void kNumber(u32 n){ REP("[0.", 1); REP("3", n); REP("]", 1); }
static void kSpaces(u32 n){ REP(" /**/", n); REP("[]", 1); }
static void kMalformed(u32 n){ REP("kv.malformedKey(\"", 1); REP("ff", n); REP("\")", 1); }
static void kOpen(u32 n){ REP("[", n); }
static void bParts(u32 n){ REP("\x02\x00", n); }
static void bString(u32 n){ REP("\x02", 1); REP("\x00\xff", n); REP("\x00", 1); }
static void bWrong(u32 n){ REP("\x02", 1); REP("\xff", n); REP("\x00", 1); }
static void bOpen(u32 n){ REP("\x01", 1); REP("\x00\xff", n); }
static void bBool(u32 n){ REP("\x27", n); }
static void pDown(u32 n){
  tArrays(n);
  kvBufReset(&in2);
  kvBufPut(&in2, '$');
  while( n-->1 ) kvBufAppend(&in2, "[0]", 3);
}
static void pAround(u32 n){              /* $[9][9]... around a cycle */
  u32 i;
  REP("<ref *1> [", 1); REP("1,", n); REP("[Circular *1]]", 1);
  kvBufReset(&in2);
  kvBufPut(&in2, '$');
  for(i=0; i<n; i++) kvBufAppend(&in2, "[#-1]", 5);
}
static void pKey(u32 n){
  tNames(n);
  kvBufReset(&in2);
  kvBufAppend(&in2, "$.\"", 3);
  while( n-->0 ) kvBufAppend(&in2, "\\u0061", 6);
  kvBufPut(&in2, '"');
}
static void rGroups(u32 n){ REP("(", n); REP(")", n); }
static void rNoGroups(u32 n){ REP("(?:", n); REP(")", n); }
static void rNames(u32 n){ u32 i; for(i=0; i<n && i<30000; i++) text("(?<n%u>)", i); for(i=0; i<n && i<30000; i++) text("\\k<n%u>", i); }
static void rNameSame(u32 n){ REP("(?<n>a)|", n); }
static void rNameLong(u32 n){ REP("(?<", 1); REP("n", n); REP(">)\\k<", 1); REP("n", n); REP(">", 1); }
static void rBars(u32 n){ REP("|", n); }
static void rClass(u32 n){ REP("[", 1); REP("a-z", n); REP("]", 1); }
static void rClasses(u32 n){ REP("[", n); REP("]", n); }
static void rBraces(u32 n){ REP("a{1,", n); }
static void rDigits(u32 n){ REP("a{", 1); REP("9", n); REP("}", 1); }
static void rBack(u32 n){ REP("\\9", n); }
static void rLook(u32 n){ REP("(?<=", n); REP(")", n); }
static void lKeys(u32 n){ REP("[", 1); REP("['a',1],", n); REP("]", 1); }
static void lSteps(u32 n){ REP("[", 1); REP("100,", n); REP("]", 1); }
static void cText(u32 n){ REP("IcAAAAAAAAAA", n); }
static void nDigits(u32 n){ REP("9", n); }
static void nFraction(u32 n){ REP("0.", 1); REP("12345678901234567890", n/20); }

#define LONG 20000
static const struct { const char *zName; int eUse; void (*xMake)(u32); u32 n; } aCase[] = {
  {"value arrays", VALUE, vArrays, 50000}, {"value sparse arrays", VALUE, vSparse, 50000},
  {"value objects", VALUE, vObjects, 50000}, {"value maps", VALUE, vMaps, 50000}, {"value sets", VALUE, vSets, 50000},
  {"value errors", VALUE, vErrors, 50000}, {"value counts", VALUE, vCounts, LONG}, {"value padding", VALUE, vPadding, LONG},
  {"value open arrays", VALUE, vOpenArrays, 50000}, {"value open objects", VALUE, vOpenObjects, 50000},
  {"value hosts", VALUE, vHosts, LONG},
  {"value claims an array", VALUE, vClaimArray, LONG}, {"value claims sparse arrays", VALUE, vClaimSparse, 5000},
  {"value claims a string", VALUE, vClaimString, LONG}, {"value claims a bigint", VALUE, vClaimBigint, LONG},
  {"value claims a buffer", VALUE, vClaimBuffer, LONG}, {"value claims buffers", VALUE, vResizable, 5000},
  {"value keys downwards", VALUE, vKeys, LONG}, {"value names", VALUE, vNames, LONG}, {"value number keys", VALUE, vNumberKeys, LONG},
  {"value set", VALUE, vSet, LONG}, {"value set of equals", VALUE, vSetSame, LONG}, {"value map of objects", VALUE, vMapObjects, LONG},
  {"value references", VALUE, vReferences, LONG}, {"value references upwards", VALUE, vReferencesUp, 20000},
  {"value doubling", VALUE, vDoubling, 1000}, {"value dropped references", VALUE, vMapUnique, 20000},
  {"value views", VALUE, vViews, 3000}, {"value holes", VALUE, vHoles, LONG}, {"value filled holes", VALUE, vFillHoles, LONG},
  {"value string", VALUE, vString, LONG}, {"value string of surrogates", VALUE, vString16, LONG},
  {"value string not UTF-8", VALUE, vString8, LONG}, {"value buffer", VALUE, vBuffer, LONG}, {"value bigints", VALUE, vBigints, LONG},
  {"value bigint", VALUE, vBigint, 250000}, {"value groups", VALUE, vRegexp, 16000}, {"value slashes", VALUE, vSlashes, LONG},
  {"text arrays", JS, tArrays, 50000}, {"text open", JS, tOpen, 50000}, {"text parentheses", JS, tParens, 50000},
  {"text objects", JS, tObjects, 50000}, {"text maps", JS, tMaps, LONG}, {"text sets", JS, tSets, LONG},
  {"text assign", JS, tAssign, 2000}, {"text assign left", JS, tAssignLeft, 2000}, {"text assign many", JS, tAssignMany, LONG},
  {"text errors", JS, tErrors, LONG}, {"text labels", JS, tLabels, LONG},
  {"text references", JS, tLabelOne, LONG}, {"text keys downwards", JS, tKeys, LONG}, {"text names", JS, tNames, LONG},
  {"text same name", JS, tNameSame, LONG}, {"text elements downwards", JS, tElements, LONG}, {"text holes", JS, tHoles, LONG},
  {"text empty items", JS, tEmpty, LONG}, {"text set of equals", JS, tSetSame, LONG}, {"text escapes", JS, tString, LONG},
  {"text surrogates", JS, tSurrogates, LONG}, {"text not UTF-8", JS, tNotUtf8, LONG}, {"text comments", JS, tComments, LONG},
  {"text comment", JS, tComment, LONG}, {"text regexp", JS, tRegexp, LONG}, {"text bytes", JS, tBytes, LONG},
  {"text bytes of fractions", JS, tBytesSlow, LONG}, {"text views", JS, tViews, LONG}, {"text buffer", JS, tBuffers, LONG},
  {"text bigint", JS, tBigint, 2}, {"text bigint with _", JS, tBigintBars, 2}, {"text bigint hexadecimal", JS, tHexBigint, 150000},
  {"text number", JS, tNumber, LONG}, {"text exponent", JS, tExponent, LONG}, {"text zeros", JS, tZeros, LONG},
  {"text dates", JS, tDates, LONG}, {"text date", JS, tDate, LONG}, {"text spaces", JS, tSpaces, LONG},
  {"JSON arrays", JSON, jArrays, 50000}, {"JSON objects", JSON, jObjects, 50000}, {"JSON keys downwards", JSON, jKeys, LONG},
  {"JSON same name", JSON, jNameSame, LONG}, {"JSON escapes", JSON, jEscapes, LONG},
  {"key parts", KEY, kParts, LONG}, {"key string", KEY, kString, LONG}, {"key bytes", KEY, kBytes, LONG}, {"key digits", KEY, kDigits, LONG},
  {"key zeros", KEY, kZeros, LONG}, {"key number", KEY, kNumber, LONG}, {"key comments", KEY, kSpaces, LONG},
  {"key malformed", KEY, kMalformed, LONG}, {"key open", KEY, kOpen, LONG},
  {"compare parts", COMPARE, kParts, LONG}, {"compare strings", COMPARE, kString, LONG}, {"compare bytes", COMPARE, kBytes, LONG},
  {"compare no keys", COMPARE, kOpen, LONG}, {"compare malformed", COMPARE, kMalformed, LONG}, {"compare digits", COMPARE, kDigits, LONG},
  {"bytes parts", KEYBYTES, bParts, LONG}, {"bytes string", KEYBYTES, bString, LONG}, {"bytes not UTF-8", KEYBYTES, bWrong, LONG},
  {"bytes open", KEYBYTES, bOpen, LONG}, {"bytes booleans", KEYBYTES, bBool, LONG},
  {"path down", PATH, pDown, LONG}, {"path around", PATH, pAround, 20000}, {"path key", PATH, pKey, LONG},
  {"regexp groups", REGEXP, rGroups, 16000}, {"regexp no groups", REGEXP, rNoGroups, LONG}, {"regexp names", REGEXP, rNames, 15000},
  {"regexp same name", REGEXP, rNameSame, 16000}, {"regexp long name", REGEXP, rNameLong, LONG}, {"regexp bars", REGEXP, rBars, LONG},
  {"regexp class", REGEXP, rClass, LONG}, {"regexp classes", REGEXP, rClasses, 500}, {"regexp braces", REGEXP, rBraces, LONG},
  {"regexp digits", REGEXP, rDigits, LONG}, {"regexp back references", REGEXP, rBack, LONG}, {"regexp look behind", REGEXP, rLook, LONG},
  {"list of keys", LIST, lKeys, LONG}, {"list of steps", LIST, lSteps, LONG}, {"cursor", CURSOR, cText, LONG},
  {"number digits", NUMBER, nDigits, LONG}, {"number fraction", NUMBER, nFraction, LONG},
};
#define COUNT(A) (sizeof(A)/sizeof((A)[0]))

/************************************************************************
** Use
*/

/* Everything that is done with a value.  Bytes of output. */
static u64 useTree(KvTree *p){
  KvBuf out;
  KvTree again;
  KvErr err;
  u64 n = 0;
  int eEncoding;
  kvBufInit(&out, 0, 0);
  kvTreeInit(&again);
  if( kvJsPrint(p, 0, &out, &err)==KV_OK ){
    n += out.n;
    kvJsParse(&again, kvBufBytes(&out), &err);
  }
  kvTreeClear(&again);
  kvBufClear(&out);
  if( kvJsPrint(p, 2, &out, &err)==KV_OK ) n += out.n;
  kvBufClear(&out);
  if( kvJsonPrint(p, 0, &out, &err)==KV_OK ) n += out.n;
  kvBufClear(&out);
  if( kvValueWrite(p, 15, 0, &out, &eEncoding, &err)==KV_OK ) n += out.n;
  kvBufClear(&out);
  return n;
}

static u64 useKey(const char *z, u32 n){
  KvBuf bytes, out;
  u64 nOut = 0;
  kvBufInit(&bytes, 0, 0);
  kvBufInit(&out, 0, 0);
  if( kvKeyParse(kvBytes(z, n), KVKEY_MALFORMED, &bytes, 0, 0)==KV_OK ) kvKeyShow(&out, kvBufBytes(&bytes));
  nOut = out.n + bytes.n;
  kvBufClear(&bytes);
  kvBufClear(&out);
  return nOut;
}

static u64 useList(const char *z, u32 n){
  KvTree tree;
  KvBuf out, shown;
  u32 k, nOut;
  i64 iMost;
  KvErr err;
  kvTreeInit(&tree);
  kvBufInit(&out, 0, 0);
  kvBufInit(&shown, 0, 0);
  if( kvQueueKeys(kvBytes(z, n), &out, &k, &iMost, &err)!=KV_OK ){
    kvBufReset(&out);
    kvTreeReset(&tree);
    kvQueueBackoff(&tree, kvBytes(z, n), &out, &k, &iMost, &err);
  }
  kvQueueTextCheck(kvBufBytes(&out), 1, 0, 0);
  kvQueueKeysShow(&shown, kvBufBytes(&out));
  nOut = out.n + shown.n;
  kvTreeClear(&tree);
  kvBufClear(&out);
  kvBufClear(&shown);
  return nOut;
}

static u64 use(int eUse, const char *z, u32 n){
  KvTree tree;
  KvBuf out;
  KvErr err = {0, 0, 0, ""};
  u64 nOut = 0;
  u32 iNode;
  i64 iElem;
  double r;
  kvTreeInit(&tree);
  kvBufInit(&out, 0, 0);
  switch( eUse ){
    case VALUE:
      if( kvV8Read(&tree, kvBytes(z, n), &err)==KV_OK ) nOut = useTree(&tree);
      break;
    case JS:
      if( kvJsParse(&tree, kvBytes(z, n), &err)==KV_OK ) nOut = useTree(&tree);
      break;
    case JSON:
      if( kvJsonParse(&tree, kvBytes(z, n), &err)==KV_OK ) nOut = useTree(&tree);
      break;
    case KEY:
      nOut = useKey(z, n);
      break;
    case KEYBYTES:
      kvKeyShow(&out, kvBytes(z, n));
      break;
    case COMPARE:
      nOut = (u64)(kvKeyCompare(kvBytes(z, n), kvBufBytes(&in2))!=0);
      break;
    case PATH:
      if( kvJsParse(&tree, kvBytes(z, n), &err)!=KV_OK ) abort();
      kvPathFind(&tree, kvBufBytes(&in2), &iNode, &iElem, &err);
      break;
    case REGEXP:
      kvRegexpCheck(kvBytes(z, n), 0, &iNode);
      kvRegexpCheck(kvBytes(z, n), KV_RE_U, &iNode);
      kvRegexpCheck(kvBytes(z, n), KV_RE_V, &iNode);
      kvRegexpSource(&out, kvBytes(z, n));
      break;
    case NUMBER: kvNumParse(kvBytes(z, n), &r);              break;
    case LIST:   nOut = useList(z, n);              break;
    case CURSOR:
      kvCursorParse(&out, kvBytes(z, n), &err);
      kvCursorPrint(&out, kvBytes(z, n));
      break;
    default: abort();
  }
  nOut += out.n;
  kvTreeClear(&tree);
  kvBufClear(&out);
  return nOut;
}

static int wanted(const char *zName, int argc, char **argv){
  int i;
  for(i=1; i<argc; i++) if( strcmp(argv[i], zName)==0 ) return 1;
  return argc==1;
}

int main(int argc, char **argv){
  size_t i;
  u32 k;
  kvBufInit(&in, 0, 0);
  kvBufInit(&in2, 0, 0);
  for(i=0; i<COUNT(aCase); i++){
    if( !wanted(aCase[i].zName, argc, argv) ) continue;
    printf("{%s}", aCase[i].zName);
    for(k=1; k<=2; k++){
      u64 nOut;
      char *z;
      kvBufReset(&in);
      aCase[i].xMake(aCase[i].n*k);
      if( aCase[i].eUse==COMPARE ){    /* the same and something after it */
        kvBufReset(&in2);
        kvBufAppend(&in2, in.a, in.n);
        kvBufPut(&in2, ' ');
      }
      z = fuzzCopy(in.a, in.n);
      nStep = 0;
      fuzzBegin();
      nOut = use(aCase[i].eUse, z, in.n);
      printf(" %u %llu %llu %llu", in.n + in2.n, (unsigned long long)nStep,
             (unsigned long long)fuzzBytes, (unsigned long long)nOut);
      free(z);
    }
    kvBufReset(&in2);
    printf("\n");
    fflush(stdout);
  }
  kvBufClear(&in);
  kvBufClear(&in2);
  return 0;
}
