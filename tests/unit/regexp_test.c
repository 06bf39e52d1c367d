/*
** regexp_test.c -- the regular expression checker (kvRegexpCheck of regexp.h).
**
** Usage:  regexp_test [SEED]
*/
#include "unit/unit.h"
#include "codec/regexp/regexp.h"
#include "codec/value.h"

/*
** What new RegExp(source, flags) says in Deno 2.9.6: bit 1 is set if it
** compiles without flags, 2 with flag u, 4 with flag v.
*/
static const struct { const char *z; u32 n; int m; } aVector[] = {
  { "", 0, 7 },
  { "(?:)", 4, 7 },
  { "a", 1, 7 },
  { "a|b", 3, 7 },
  { "|", 1, 7 },
  { "a||b", 4, 7 },
  { ".", 1, 7 },
  { "^$", 2, 7 },
  { "^*", 2, 0 },
  { "$+", 2, 0 },
  { "\\b*", 3, 0 },
  { "\\B?", 3, 0 },
  { "*", 1, 0 },
  { "+a", 2, 0 },
  { "?", 1, 0 },
  { "a**", 3, 0 },
  { "a+?", 3, 7 },
  { "a*?\?", 4, 0 },
  { "a++", 3, 0 },
  { "{1}", 3, 0 },
  { "a{1}", 4, 7 },
  { "a{1,}", 5, 7 },
  { "a{1,2}", 6, 7 },
  { "a{2,1}", 6, 0 },
  { "a{1}{1}", 7, 0 },
  { "{", 1, 1 },
  { "a{", 2, 1 },
  { "a{1", 3, 1 },
  { "a{,2}", 5, 1 },
  { "a{x}", 4, 1 },
  { "}", 1, 1 },
  { "]", 1, 1 },
  { "a{99999999999}", 14, 7 },
  { "a{2147483648,2147483647}", 24, 7 },
  { "a{2147483647,2147483646}", 24, 0 },
  { "(", 1, 0 },
  { "(a", 2, 0 },
  { ")", 1, 0 },
  { "a)", 2, 0 },
  { "()", 2, 7 },
  { "(?)", 3, 0 },
  { "(?:a", 4, 0 },
  { "(?=a)*", 6, 1 },
  { "(?!a){2}", 8, 1 },
  { "(?<=a)", 6, 7 },
  { "(?<=a)*", 7, 0 },
  { "(?<!a)?", 7, 0 },
  { "(?<!a)", 6, 7 },
  { "(?i)a", 5, 0 },
  { "(?i:a)", 6, 7 },
  { "(?ims-:a)", 9, 7 },
  { "(?-i:a)", 7, 7 },
  { "(?i-i:a)", 8, 0 },
  { "(?ii:a)", 7, 0 },
  { "(?-:a)", 6, 0 },
  { "(?-i-s:a)", 9, 0 },
  { "(?g:a)", 6, 0 },
  { "(?i", 3, 0 },
  { "(?#a)", 5, 0 },
  { "(?>a)", 5, 0 },
  { "(?P<a>b)", 8, 0 },
  { "(?<a>b)", 7, 7 },
  { "(?<a>b)\\k<a>", 12, 7 },
  { "\\k<a>(?<a>b)", 12, 7 },
  { "\\k<a>", 5, 1 },
  { "\\k", 2, 1 },
  { "\\k<b>(?<a>b)", 12, 0 },
  { "(?<a>b)\\k", 9, 0 },
  { "(?<a>b)\\k<", 10, 0 },
  { "(?<a>b)[\\k]", 11, 0 },
  { "[\\k]", 4, 1 },
  { "(?<a", 4, 0 },
  { "(?<>b)", 6, 0 },
  { "(?<1>b)", 7, 0 },
  { "(?<a1>b)", 8, 7 },
  { "(?<$_>b)", 8, 7 },
  { "(?<a-b>c)", 9, 0 },
  { "(?<\\u0061>b)\\k<a>", 17, 7 },
  { "(?<\\u{61}>b)", 12, 7 },
  { "(?<\\u006>b)", 11, 0 },
  { "(?<\\x61>b)", 10, 0 },
  { "(?<\303\251>b)", 8, 7 },
  { "(?<\360\235\223\220>b)", 10, 7 },
  { "(?<\\ud835\\udcd0>b)\\k<\360\235\223\220>", 26, 7 },
  { "(?<\\ud835>b)", 12, 0 },
  { "(?<\331\240>b)", 8, 0 },
  { "(?<a\331\240>b)", 9, 7 },
  { "(?<\360\237\230\200>b)", 10, 0 },
  { "(?<a>x)(?<a>y)", 14, 0 },
  { "(?<a>x)|(?<a>y)", 15, 7 },
  { "(?:(?<a>x)|y)(?<a>z)", 20, 0 },
  { "(?:(?<a>x)|(?<a>y))\\k<a>", 24, 7 },
  { "(?<a>x|(?<a>y))", 15, 0 },
  { "(?<a>x)|(?:(?<a>y)|(?<a>z))", 27, 7 },
  { "(?:(?<a>x)|b)|(?<a>y)", 21, 7 },
  { "(?<a>x)|(?<b>y)(?<a>z)|(?<a>w)", 30, 7 },
  { "(?<a>x)|(?<b>y)(?<b>z)", 22, 0 },
  { "\\1", 2, 1 },
  { "\\1(a)", 5, 7 },
  { "\\2(a)", 5, 1 },
  { "(a)\\1", 5, 7 },
  { "\\8", 2, 1 },
  { "\\9", 2, 1 },
  { "\\0", 2, 7 },
  { "\\00", 3, 1 },
  { "\\08", 3, 1 },
  { "\\377", 4, 1 },
  { "\\400", 4, 1 },
  { "\\x41", 4, 7 },
  { "\\x4", 3, 1 },
  { "\\x", 2, 1 },
  { "\\u0041", 6, 7 },
  { "\\u004", 5, 1 },
  { "\\u", 2, 1 },
  { "\\u{41}", 6, 7 },
  { "\\u{10ffff}", 10, 7 },
  { "\\u{110000}", 10, 1 },
  { "\\u{}", 4, 1 },
  { "\\u{0000000041}", 14, 7 },
  { "\\cA", 3, 7 },
  { "\\c", 2, 1 },
  { "\\c1", 3, 1 },
  { "\\c_", 3, 1 },
  { "[\\c]", 4, 1 },
  { "[\\c1]", 5, 1 },
  { "[\\c_]", 5, 1 },
  { "[\\cA]", 5, 7 },
  { "\\a", 2, 1 },
  { "\\-", 2, 1 },
  { "\\/", 2, 7 },
  { "\\_", 2, 1 },
  { "\\\303\251", 3, 1 },
  { "\\\360\237\230\200", 5, 1 },
  { "\\", 1, 0 },
  { "[\\", 2, 0 },
  { "a\\", 2, 0 },
  { "[", 1, 0 },
  { "[a", 2, 0 },
  { "[]", 2, 7 },
  { "[^]", 3, 7 },
  { "[^", 2, 0 },
  { "[a-z]", 5, 7 },
  { "[z-a]", 5, 0 },
  { "[a-a]", 5, 7 },
  { "[a-]", 4, 3 },
  { "[-a]", 4, 3 },
  { "[--a]", 5, 3 },
  { "[+--]", 5, 3 },
  { "[a-\\d]", 6, 1 },
  { "[\\d-a]", 6, 1 },
  { "[\\d-\\w]", 7, 1 },
  { "[\\w-]", 5, 3 },
  { "[\\b]", 4, 7 },
  { "[\\B]", 4, 1 },
  { "[\\-]", 4, 7 },
  { "[\\1]", 4, 1 },
  { "[\\8]", 4, 1 },
  { "[\\00]", 5, 1 },
  { "[\360\237\230\200-\360\237\230\201]", 11, 6 },
  { "[\360\237\230\201-\360\237\230\200]", 11, 0 },
  { "[a-\360\237\230\200]", 8, 7 },
  { "[\360\237\230\200]", 6, 7 },
  { "[\\ud83d\\ude00-\\ud83d\\ude01]", 27, 6 },
  { "[\\u{1f600}-\\u{1f5ff}]", 21, 0 },
  { "[[a]]", 5, 5 },
  { "[[a]", 4, 3 },
  { "[a]]", 4, 1 },
  { "[a&&b]", 6, 7 },
  { "[a&&&b]", 7, 3 },
  { "[&&a]", 5, 3 },
  { "[a&&]", 5, 3 },
  { "[a--b]", 6, 4 },
  { "[a--]", 5, 0 },
  { "[a--b&&c]", 9, 0 },
  { "[ab--c]", 7, 0 },
  { "[a-z--c]", 8, 3 },
  { "[a-c-e]", 7, 3 },
  { "[[a-z]--[aeiou]]", 16, 5 },
  { "[\\p{L}&&[a-z]]", 14, 5 },
  { "[a&&b&&c]", 9, 7 },
  { "[a!!b]", 6, 3 },
  { "[a&b]", 5, 7 },
  { "[(]", 3, 3 },
  { "[\\(]", 4, 7 },
  { "[)]", 3, 3 },
  { "[{]", 3, 3 },
  { "[}]", 3, 3 },
  { "[/]", 3, 3 },
  { "[|]", 3, 3 },
  { "[\\&]", 4, 5 },
  { "[\\!]", 4, 5 },
  { "[\\q{abc|d}]", 11, 5 },
  { "[^\\q{abc}]", 10, 1 },
  { "[^\\q{a|b}]", 10, 5 },
  { "[\\q{}]", 6, 5 },
  { "[^\\q{}]", 7, 1 },
  { "[\\q{]", 5, 1 },
  { "[\\q]", 4, 1 },
  { "\\q{a}", 5, 1 },
  { "[^[\\q{ab}]]", 11, 1 },
  { "[^\\q{ab}&&a]", 12, 5 },
  { "[^\\q{ab}--\\q{ab}]", 17, 0 },
  { "[^a--\\q{ab}]", 12, 4 },
  { "\\p{L}", 5, 7 },
  { "\\p{Lu}", 6, 7 },
  { "\\P{Lu}", 6, 7 },
  { "\\pL", 3, 1 },
  { "\\p", 2, 1 },
  { "\\p{", 3, 1 },
  { "\\p{}", 4, 1 },
  { "\\p{Foo}", 7, 1 },
  { "\\p{lu}", 6, 1 },
  { "\\p{gc=Lu}", 9, 7 },
  { "\\p{General_Category=Uppercase_Letter}", 37, 7 },
  { "\\p{Script=Greek}", 16, 7 },
  { "\\p{sc=Grek}", 11, 7 },
  { "\\p{scx=Latin}", 13, 7 },
  { "\\p{Script_Extensions=Zzzz}", 26, 7 },
  { "\\p{Script=Lu}", 13, 1 },
  { "\\p{Greek}", 9, 1 },
  { "\\p{Script}", 10, 1 },
  { "\\p{Script=}", 11, 1 },
  { "\\p{=Greek}", 10, 1 },
  { "\\p{Emoji}", 9, 7 },
  { "\\p{ASCII}", 9, 7 },
  { "\\p{Any}", 7, 7 },
  { "\\p{RGI_Emoji}", 13, 5 },
  { "\\P{RGI_Emoji}", 13, 1 },
  { "[\\p{RGI_Emoji}]", 15, 5 },
  { "[^\\p{RGI_Emoji}]", 16, 1 },
  { "[^\\p{Emoji}]", 12, 7 },
  { "\\p{ L}", 6, 1 },
  { "\\p{L }", 6, 1 },
  { "\\d\\D\\s\\S\\w\\W", 12, 7 },
  { "\\f\\n\\r\\t\\v", 10, 7 },
  { "a/b", 3, 7 },
  { "\012", 1, 7 },
  { "\000", 1, 7 },
};

/* Errors and where they are noticed. */
static const struct { const char *z; u32 mFlags, iPos; const char *zMsg; } aError[] = {
  { "a**", 0, 2, "nothing to repeat" },
  { "(a", 0, 0, "a ( is not closed" },
  { "a)", 0, 1, "a ) without a (" },
  { "ab[c", 0, 4, "a [ is not closed" },
  { "[z-a]", 0, 4, "a range in a class is out of order" },
  { "[a-\\d]", KV_RE_U, 5, "not a valid range in a class" },
  { "ab{2,1}", 0, 7, "a quantifier is out of order" },
  { "a{1", KV_RE_U, 1, "not a valid quantifier" },
  { "x]", KV_RE_U, 1, "a lone bracket" },
  { "ab\\", 0, 3, "a backslash at the end" },
  { "\\-", KV_RE_U, 2, "not a valid escape sequence" },
  { "\\x4", KV_RE_U, 2, "hexadecimal digits expected" },
  { "\\c", KV_RE_U, 1, "\\c without a letter" },
  { "\\01", KV_RE_U, 1, "not a valid decimal escape with flag u or v" },
  { "\\2(a)", KV_RE_U, 2, "there are not as many groups" },
  { "(?<a>)\\k", 0, 8, "< expected after \\k" },
  { "(?<a>)\\k<b>", 0, 8, "\\k refers to a group that does not exist" },
  { "(?<a>)(?<a>)", 0, 11, "two groups have the same name" },
  { "(?<1>)", 0, 4, "not a valid group name" },
  { "(?<a>)[\\k]", 0, 8, "\\k is not allowed here" },
  { "(?>a)", 0, 2, "not a valid kind of group" },
  { "(?x:a)", 0, 2, "not a valid kind of group" },
  { "(?ix:a)", 0, 3, "flag i, m or s expected, or a colon" },
  { "(?ii:a)", 0, 3, "a flag is repeated" },
  { "(?i--m:a)", 0, 4, "two dashes in the flags of a group" },
  { "(?-:a)", 0, 3, "flags expected" },
  { "\\p{Foo}", KV_RE_U, 3, "not a known property name" },
  { "[(]", KV_RE_V, 1, "this character must be escaped in a class" },
  { "[a!!]", KV_RE_V, 2, "not a valid operator in a class" },
  { "[a&&b--c]", KV_RE_V, 5, "not a valid operator in a class" },
  { "[\\q]", KV_RE_V, 3, "{ expected after \\q" },
  { "[^\\q{ab}]", KV_RE_V, 8, "a negated class may not hold strings" },
  { "[a-c-e]", KV_RE_V, 4, "not a valid range in a class" },
  { "[b-a]", KV_RE_V, 4, "a range in a class is out of order" },
  { "[a&&&b]", KV_RE_V, 4, "this character must be escaped in a class" },
};

/* Check z from memory that ends with it. */
static const char *check(const char *z, u32 n, u32 mFlags, u32 *piPos){
  u8 *a = malloc(n ? n : 1);
  const char *zErr;
  memcpy(a, z, n);
  *piPos = 12345;
  zErr = kvRegexpCheck(kvBytes(a, n), mFlags, piPos);
  free(a);
  CHECK( zErr ? *piPos<=n : *piPos==0 );
  return zErr;
}

static void testVectors(void){
  static const u32 aFlag[] = { 0, KV_RE_U, KV_RE_V };
  size_t i;
  int j;
  u32 iPos;
  for(i=0; i<sizeof(aVector)/sizeof(aVector[0]); i++){
    int m = 0;
    for(j=0; j<3; j++){
      if( check(aVector[i].z, aVector[i].n, aFlag[j], &iPos)==0 ) m |= 1<<j;
    }
    CHECK_OF( m==aVector[i].m, aVector[i].z );
  }
}

static void testErrors(void){
  size_t i;
  for(i=0; i<sizeof(aError)/sizeof(aError[0]); i++){
    u32 iPos;
    const char *z = aError[i].z;
    const char *zErr = check(z, (u32)strlen(z), aError[i].mFlags, &iPos);
    CHECK_OF( zErr && strcmp(zErr, aError[i].zMsg)==0, z );
    CHECK_OF( iPos==aError[i].iPos, z );
  }
}

static void testFlags(void){
  u32 iPos;
  CHECK( check("a", 1, KV_RE_U|KV_RE_V, &iPos)!=0 );
  CHECK( check("a", 1, 0x40, &iPos)!=0 );
  CHECK( check("a", 1, 0x200, &iPos)!=0 );
  CHECK( check("a", 1, KV_RE_G|KV_RE_I|KV_RE_M|KV_RE_S|KV_RE_Y|KV_RE_D, &iPos)==0 );
  CHECK( check("\\p{L}", 5, KV_RE_G|KV_RE_I|KV_RE_U, &iPos)==0 );
}

/* nRep times zPart, between zHead and zTail. */
static const char *checkMany(
  const char *zHead, const char *zPart, u32 nRep, const char *zTail, u32 mFlags
){
  u32 nHead = (u32)strlen(zHead), nPart = (u32)strlen(zPart), i, iPos;
  u32 nTail = (u32)strlen(zTail), n = nHead + nPart*nRep + nTail;
  char *z = malloc(n+1);
  const char *zErr;
  memcpy(z, zHead, nHead);
  for(i=0; i<nRep; i++) memcpy(&z[nHead + i*nPart], zPart, nPart);
  memcpy(&z[n-nTail], zTail, nTail);
  zErr = check(z, n, mFlags, &iPos);
  free(z);
  return zErr;
}

/* Long and deep sources: none is slow, and none needs the stack. */
static void testHostile(void){
  const u32 n = 1000000;
  char *z;
  u32 i, nText, iPos;
  CHECK( checkMany("", "(?:", n, "", 0)!=0 );
  CHECK( checkMany("", ")", n, "", 0)!=0 );
  CHECK( checkMany("", "()", 32767, "", 0)==0 );
  CHECK( checkMany("", "()", 32768, "", 0)!=0 );
  CHECK( checkMany("", "[", 1000, "", KV_RE_V)!=0 );
  CHECK( checkMany("", "[", n, "", KV_RE_V)!=0 );
  CHECK( checkMany("", "[", n, "]", 0)==0 );
  CHECK( checkMany("", "{1", n, "", 0)==0 );
  CHECK( checkMany("{", "1", n, "", 0)==0 );
  CHECK( checkMany("", "\\k", n, "", 0)==0 );
  CHECK( checkMany("[", "\\k", n, "]", 0)==0 );
  CHECK( checkMany("(?<a>)", "\\k<a>", n, "", 0)==0 );
  CHECK( checkMany("(?<a>)", "\\k<ab>", n, "", 0)!=0 );
  CHECK( checkMany("", "\\1", n, "()", KV_RE_U)==0 );
  CHECK( checkMany("", "\\p{Script=Zzzz}", 100000, "", KV_RE_U)==0 );
  CHECK( checkMany("(?<", "a", n, ">)\\k<a>", 0)!=0 );
  CHECK( checkMany("(?<a>)|", "(?:|", 100000, "(?<a>)", 0)!=0 );
  CHECK( checkMany("[^", "\\q{a}", n, "]", KV_RE_V)==0 );
  CHECK( checkMany("\\u{", "0", n, "}", KV_RE_U)==0 );
  /* 30000 groups of different names, and references to all */
  z = malloc(30000*32);
  for(i=nText=0; i<30000; i++){
    nText += (u32)snprintf(&z[nText], 32, "(?<a%u>)\\k<a%u>", i, 29999-i);
  }
  CHECK( check(z, nText, 0, &iPos)==0 );
  free(z);
}

/*
** Properties of random sources, made of pieces: what compiles does so in a
** group, twice with '|' between, and without its flag's strictness; wherever
** a source ends, nothing beyond is read.
*/
static void testRandom(void){
  static const char *const azPiece[] = {
    "a", "b", "z", "0", "1", "9", "-", "&&", "--", "^", "$", ".", "*", "+", "?",
    "(", ")", "(?:", "(?=", "(?<=", "(?<a>", "(?<b>", "(?i:", "[", "]", "[^", "{",
    "}", "{1}", "{1,2}", "{2,1}", "|", "\\", "\\d", "\\b", "\\1", "\\k<a>", "\\k",
    "\\u0041", "\\u{61}", "\\x4", "\\cA", "\\q{ab|c}", "\\p{L}", "\\p{x}", ",",
    "\303\251", "\360\237\230\200", "\355\240\275", "<", ">", "=", "!", ":",
  };
  static const u32 aFlag[] = { 0, KV_RE_U, KV_RE_V };
  int i;
  for(i=0; i<100000; i++){
    char z[400], z2[1000];
    u32 n = 0, iPos, j, nPiece = 1 + unitBelow(12), mFlags = aFlag[i%3];
    z[0] = 0;
    for(j=0; j<nPiece; j++){
      const char *zPiece = azPiece[unitBelow(sizeof(azPiece)/sizeof(azPiece[0]))];
      memcpy(&z[n], zPiece, strlen(zPiece)+1);
      n += (u32)strlen(zPiece);
    }
    if( check(z, n, mFlags, &iPos)!=0 ) continue;
    snprintf(z2, sizeof(z2), "(?:%s)*x", z);
    CHECK_OF( check(z2, (u32)strlen(z2), mFlags, &iPos)==0, z2 );
    snprintf(z2, sizeof(z2), "%s|%s", z, z);
    CHECK_OF( check(z2, (u32)strlen(z2), mFlags, &iPos)==0, z2 );
    snprintf(z2, sizeof(z2), "%s)", z);
    CHECK_OF( check(z2, (u32)strlen(z2), mFlags, &iPos)!=0, z2 );
    snprintf(z2, sizeof(z2), "(%s", z);
    CHECK_OF( check(z2, (u32)strlen(z2), mFlags, &iPos)!=0, z2 );
  }
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testVectors();
  testErrors();
  testFlags();
  testHostile();
  testRandom();
  return unitDone();
}
