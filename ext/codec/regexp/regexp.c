/*
** regexp.c -- check that a regular expression compiles.
**
** The grammar is the one that V8 accepts: ECMAScript with Annex B, with the
** modifiers and the duplicate group names of ES2025.  (u: only with flag u or
** v; else: only without both.)
**
**     pattern     = alternative ('|' alternative)*
**     alternative = (assertion | atom [quantifier])*
**     assertion   = ^ | $ | \b | \B | (?= pattern ) | (?! pattern )
**                 | (?<= pattern ) | (?<! pattern )
**     quantifier  = (* | + | ? | {n} | {n,} | {n,m}) [?]        n <= m
**     atom        = . | class | escape | \1 .. | \k<name>
**                 | ( pattern ) | (?<name> pattern ) | (?: pattern )
**                 | (?flags: pattern ) | (?flags-flags: pattern )
**                 | any character but ^$\.*+?()[]{}|
**                 | else: ] and }, and { where it begins no quantifier
**
** else: (?= and (?! may have a quantifier, and are atoms then.  The flags of
** (?flags-flags: are i, m and s, each once at the most and one at the least.
**
** \1 and so on: u: there must be as many groups.  \k: a group of that name must
** be somewhere; else: if no group has a name, \k is the letter k.
**
** A name may be given to two groups if they are in different alternatives of
** one pattern.  There are at most 32767 capturing groups.
**
** An escape is one of many characters: \d \D \s \S \w \W, and with u \p{Name}
** \p{Name=Value} \P{...}; or it is one character:
**
**     \f \n \r \t \v            control characters
**     \cA .. \cz                control characters; else: \c without a letter
**                               is a backslash and a c; in a class \c0..\c9
**                               and \c_ are control characters too
**     \0                        not before a digit
**     \1 .. \377                else: octal, where it is no back reference
**     \xHH  \uHHHH              else: also x and u without the digits
**     \uHHHH\uHHHH  \u{H...}    u
**     \ and any of ^$\.*+?()[]{}|/
**     \b and \-                 in a class; else: \- everywhere
**     \ and any of &-!#%,:;<=>@`~  with flag v: in a class only
**     \ and any other           else; but not \k if there are named groups
**
** A class without flag v:
**
**     [ [^] (atom | atom - atom)* ]      the first atom not after the second
**
** where an atom is any character but ']' and '\', or an escape.  With flag u
** \d and the like are no end of a range; without it, they make the '-' an
** ordinary character.  With flag v:
**
**     class   = [ [^] ( union | operand (&& operand)+ | operand (-- operand)+ ) ]
**     union   = (operand | char - char)*
**     operand = char | \d and the like | class | \q{ string ('|' string)* }
**
** where a char is none of ()[]{}/-\| unless escaped, and no two of the same of
** &!#$%*+,.:;<=>?@^`~ stand together.  After && there is no third &.  A class
** that may match a string of no or several characters is not negated.
**
** What the real thing accepts and this doesn't: classes (flag v) that nest
** more than 1000 deep; Deno gives up at some 7000.
*/
#include "codec/regexp/regexp.h"
#include "bytes/hex.h"
#include "bytes/map.h"
#include "bytes/utf.h"
#include "codec/names.h"
#include "codec/regexp/regexp_ident.h"
#include "codec/regexp/regexp_names.h"

#define REG_MAX_GROUPS  32767
#define REG_MAX_CLASSES 1000

/* No character: the end of the source, or what stands for more than one. */
#define REG_NONE 0xffffffffu

/* What is open: a parenthesis by what it begins with, or a class by its content. */
enum {
  REG_ROOT,               /* Neither: the pattern as a whole */
  REG_GROUP,              /* (?: */
  REG_FLAGS,              /* (?flags: */
  REG_CAPTURE,            /* ( */
  REG_NAMED,              /* (?<name> */
  REG_AHEAD,              /* (?= and (?! */
  REG_BEHIND,             /* (?<= and (?<! */
  REG_EMPTY,              /* Class (flag v): no operand yet */
  REG_FIRST,              /* One operand */
  REG_UNION,              /* Operands and ranges */
  REG_BOTH,               /* Operands with && between them */
  REG_MINUS               /* Operands with -- between them */
};

typedef struct RegFrame RegFrame;
struct RegFrame {
  u32 iStart;             /* Offset of the '(' */
  u32 iBar;               /* Offset of the last '|' in it, or iStart */
  u32 cLast;              /* Class: the last operand if it was one character */
  u8 eType;               /* REG_xxx */
  u8 bNegated;            /* Class: after [^ */
  u8 bStrings;            /* Class: may match strings */
  u8 bOperand;            /* Class: an operand must follow */
};

/*
** The state of a check.  Whoever looks for syntax looks at bytes; a character
** as such is read as a code point with flag u or v, else as a UTF-16 code unit:
** one of four bytes is then two, and bLow says that its first has been read.
**
** The first error ends the source: from then on nothing more is found in it.
*/
typedef struct RegCheck RegCheck;
struct RegCheck {
  KvBytes source;         /* WTF-8 */
  u32 i;                  /* Offset of the current character */
  u8 bLow;                /* At the low half of the character at i */
  u8 bUnicode;            /* Flag u or v */
  u8 bSets;               /* Flag v */
  u8 bNamed;              /* There is a named group */
  u8 bLetterK;            /* A \k was taken for the letter */
  u32 nGroup;             /* Capturing groups so far */
  u32 nClass;             /* Classes (flag v) that are open */
  u32 nRef, iRef;         /* The greatest of \1 and so on, and where it ends */
  const char *zErr;       /* The first error, or 0 */
  u32 iErr;               /* Where it was noticed */
  KvBuf frames;           /* RegFrame, outermost first */
  KvBuf name;             /* The name that is being read */
  KvMap names;            /* Of a group: offset of the last of that name, +1; */
                          /* if only \k has it: -1 - offset of the first */
};

/************************************************************************
** Reading.
*/

/* The byte k after the current one. */
static u32 regPeek(const RegCheck *p, u32 k){
  return p->i+k<p->source.n ? p->source.p[p->i+k] : REG_NONE;
}

/* Skip the current character if it is c. */
static int regSkip(RegCheck *p, u32 c){
  if( regPeek(p, 0)!=c ) return 0;
  p->i++;
  return 1;
}

/* Where c is among the ASCII characters of z, or 0. */
static const char *regIn(u32 c, const char *z){
  return c>0 && c<0x80 ? strchr(z, (int)c) : 0;
}
static int regIsDigit(u32 c){ return c>='0' && c<='9'; }
static int regIsLetter(u32 c){ return (c>='a' && c<='z') || (c>='A' && c<='Z'); }

/* The error of which nothing is said about the pattern. */
static const char regNoMem[] = "out of memory";

/* Note an error at the current character, unless there is one.  Returns 0. */
static int regError(RegCheck *p, const char *zMsg){
  if( p->zErr==0 ){
    p->zErr = zMsg;
    p->iErr = p->i;
  }
  p->source.n = 0;
  return 0;
}

/* Read a character: a code point or unit. */
static u32 regChar(RegCheck *p, int bPoint){
  u32 c, n;
  if( p->i>=p->source.n ) return REG_NONE;
  n = (u32)kvUtf8Get(kvBytesFrom(p->source, p->i), &c, 1);
  if( c>=0x10000 && !bPoint ){
    p->bLow = !p->bLow;
    if( p->bLow ) return 0xd800 + ((c-0x10000)>>10);
    c = 0xdc00 + (c & 0x3ff);
  }
  p->i += n;
  return c;
}

/* Read decimal digits.  What is over 2^31-1 counts as that. */
static u32 regNumber(RegCheck *p){
  u64 v = 0;
  for(; regIsDigit(regPeek(p, 0)); p->i++){
    v = v*10 + regPeek(p, 0) - '0';
    if( v>0x7fffffff ) v = 0x7fffffff;
  }
  return (u32)v;
}

/* Read nMin to nMax hexadecimal digits of a number up to 10ffff, or nothing. */
static u32 regHex(RegCheck *p, u32 nMin, u32 nMax){
  const u32 iWas = p->i;
  u32 v = 0;
  int x;
  while( p->i-iWas<nMax && v<=0x10ffff && (x = kvHexValue((u8)regPeek(p, 0)))>=0 ){
    v = v*16 + (u32)x;
    p->i++;
  }
  if( p->i-iWas>=nMin && v<=0x10ffff ) return v;
  p->i = iWas;
  return REG_NONE;
}

/************************************************************************
** Escape sequences.
*/

/* Read what follows "\u": four digits or, where code points are read, a pair of
** surrogates or {digits}; or nothing. */
static u32 regUnicode(RegCheck *p, int bPoint){
  u32 iWas, c, cLow;
  if( bPoint && regSkip(p, '{') ){
    c = regHex(p, 1, REG_NONE);
    return regSkip(p, '}') ? c : REG_NONE;
  }
  c = regHex(p, 4, 4);
  iWas = p->i;
  if( bPoint && c>>10==0xd800>>10 && regSkip(p, '\\') && regSkip(p, 'u') ){
    cLow = regHex(p, 4, 4);
    if( cLow>>10==0xdc00>>10 ) return 0x10000 + ((c & 0x3ff)<<10) + (cLow & 0x3ff);
  }
  p->i = iWas;
  return c;
}

/* Read one to three octal digits, up to 377. */
static u32 regOctal(RegCheck *p){
  u32 v = 0;
  int i;
  for(i=0; i<3 && v<32 && regIn(regPeek(p, 0), "01234567"); i++){
    v = v*8 + regPeek(p, 0) - '0';
    p->i++;
  }
  return v;
}

/* Read the c and what follows of \c. */
static u32 regControl(RegCheck *p, int bInClass){
  const u32 c = regPeek(p, 1);
  if( regIsLetter(c) || (bInClass && !p->bUnicode && (regIsDigit(c) || c=='_')) ){
    p->i += 2;
    return c & 0x1f;
  }
  if( p->bUnicode ) regError(p, "\\c without a letter");
  return '\\';
}

/* Read an escape that stands for one character, from its backslash on. */
static u32 regEscape(RegCheck *p, int bInClass){
  static const char zFrom[] = "bfnrtv", zTo[] = "\b\f\n\r\t\v";
  const char *zFound;
  u32 c, v = REG_NONE;
  p->i++;
  c = regPeek(p, 0);
  if( c==REG_NONE ) regError(p, "a backslash at the end");
  if( c=='c' ) return regControl(p, bInClass);
  if( p->bUnicode && regIsDigit(c) && (c!='0' || regIsDigit(regPeek(p, 1))) ){
    regError(p, "not a valid decimal escape with flag u or v");
  }
  if( regIn(c, "01234567") ) return regOctal(p);
  if( c=='k' && !p->bUnicode ){
    if( p->bNamed ) regError(p, "\\k is not allowed here");
    p->bLetterK = 1;
  }
  c = regChar(p, p->bUnicode);
  zFound = regIn(c, zFrom);
  if( zFound ) return (u32)zTo[zFound - zFrom];
  if( c=='x' ) v = regHex(p, 2, 2);
  if( c=='u' ) v = regUnicode(p, p->bUnicode);
  if( v!=REG_NONE ) return v;
  if( p->bUnicode && !regIn(c, "^$\\.*+?()[]{}|/")
   && !(bInClass && regIn(c, p->bSets ? "-&!#%,:;<=>@`~" : "-"))
  ){
    regError(p, regIn(c, "ux") ? "hexadecimal digits expected"
                               : "not a valid escape sequence");
  }
  return c;
}

/* True if the list (see regexp_names.h) has the name. */
static int regInList(const char *zList, KvBytes name){
  while( (zList = strchr(zList, ' '))!=0 ){
    zList++;
    if( strncmp(zList, (const char*)name.p, name.n)==0 && zList[name.n]==' ' ) return 1;
  }
  return 0;
}

/* True if \p{name} is known.  *pbStrings: one of strings. */
static int regIsProperty(const RegCheck *p, KvBytes name, int *pbStrings){
  static const struct { const char *zBegin, *zNames; } aList[] = {
    { "gc=", regpCategories },  { "General_Category=", regpCategories },
    { "sc=", regpScripts },     { "Script=", regpScripts },
    { "scx=", regpScripts },    { "Script_Extensions=", regpScripts },
    { "", regpCategories },     { "", regpBinary },
    { "", regpStrings },        /* This one with flag v only */
  };
  const size_t nList = sizeof(aList)/sizeof(aList[0]);
  size_t i;
  for(i=0; i<nList - (p->bSets ? 0 : 1); i++){
    const KvBytes begin = kvBytesText(aList[i].zBegin);
    if( kvBytesBegins(name, begin)
     && regInList(aList[i].zNames, kvBytesFrom(name, begin.n))
    ){
      *pbStrings = i==nList-1;
      return 1;
    }
  }
  return 0;
}

/* Read {...} of \p or, if bNot, of \P. */
static void regProperty(RegCheck *p, int bNot, int *pbStrings){
  const u32 iName = p->i + (u32)regSkip(p, '{');
  KvBytes name;
  while( regIsLetter(regPeek(p, 0)) || regIn(regPeek(p, 0), "_=") ) p->i++;
  name = kvBytes(&p->source.p[iName], p->i - iName);
  if( p->source.p[iName-1]!='{' || !regSkip(p, '}')
   || !regIsProperty(p, name, pbStrings) || (bNot && *pbStrings)
  ){
    p->i = iName;
    regError(p, "not a known property name");
  }
}

/* If the backslash at the cursor begins one of \d \D \s \S \w \W \p{} \P{} read
** it and return 1.  *pbStrings: it stands for strings of several characters. */
static int regMany(RegCheck *p, int *pbStrings){
  const u32 c = regPeek(p, 1);
  *pbStrings = 0;
  if( regPeek(p, 0)!='\\' || !regIn(c, p->bUnicode ? "dDsSwWpP" : "dDsSwW") ) return 0;
  p->i += 2;
  if( regIn(c, "pP") ) regProperty(p, c=='P', pbStrings);
  return 1;
}

/************************************************************************
** Groups and their names.
*/

static RegFrame *regTop(const RegCheck *p){
  return (RegFrame*)(void*)(p->frames.a + p->frames.n) - 1;
}

/* Push a frame.  Returns 0. */
static int regPush(RegCheck *p, int eType, u32 iStart, int bNegated){
  RegFrame f;
  memset(&f, 0, sizeof(f));
  f.eType = (u8)eType;
  f.iStart = f.iBar = iStart;
  f.bNegated = (u8)bNegated;
  kvBufAppend(&p->frames, &f, sizeof(f));
  return p->frames.eErr==KV_OK ? 0 : regError(p, regNoMem);
}

/* True if c may stand in a group's name (bStart: at its start). */
static int regIsName(u32 c, int bStart){
  const char *z = identSteps;
  u32 v = 0, uStep = 0;
  if( c<0x80 ) return regIsLetter(c) || c=='_' || c=='$' || (!bStart && regIsDigit(c));
  for(; *z; z++){
    uStep = uStep*28 + ((u32)*z & 31);
    if( (v + uStep)>>2>c ) break;
    if( *z & 32 ){
      v += uStep;
      uStep = 0;
    }
  }
  return (v & 3)==1 || (!bStart && (v & 3)==2);
}

/*
** Read name> (the cursor is after the '<'): the item of the map for this name,
** or 0 after an error.
*/
static KvMapItem *regName(RegCheck *p){
  KvMapItem *pItem;
  kvBufReset(&p->name);
  do{
    u32 c = regChar(p, 1);
    u8 a[4];
    if( c=='\\' ) c = regSkip(p, 'u') ? regUnicode(p, 1) : REG_NONE;
    if( !regIsName(c, p->name.n==0) ){
      regError(p, "not a valid group name");
      return 0;
    }
    kvBufAppend(&p->name, a, (u32)kvUtf8Put(a, c));
  }while( !regSkip(p, '>') );
  pItem = p->name.eErr==KV_OK ? kvMapAdd(&p->names, kvBufBytes(&p->name)) : 0;
  if( pItem==0 ) regError(p, regNoMem);
  return pItem;
}

/*
** True if a group at offset iOld may have the same name as one that begins
** now.  The innermost open parenthesis that both are in must have a '|'
** between them.  Looking at the last group of that name is enough: one before
** it is either separated from it by the same '|', or by one that separates it
** from the new group too.
*/
static int regMayRepeat(const RegCheck *p, u32 iOld){
  const RegFrame *a = (const RegFrame*)(const void*)p->frames.a;
  u32 iLow = 0, iHigh = p->frames.n/(u32)sizeof(RegFrame);
  while( iHigh-iLow>1 ){
    u32 iMid = (iLow + iHigh)/2;
    if( a[iMid].iStart<iOld ) iLow = iMid; else iHigh = iMid;
  }
  return iOld<a[iLow].iBar;
}

/* Read the name of a group that begins at offset iStart. */
static void regDefine(RegCheck *p, u32 iStart){
  KvMapItem *pName = regName(p);
  if( pName==0 ) return;
  if( pName->iValue>0 && !regMayRepeat(p, (u32)pName->iValue-1) ){
    regError(p, "two groups have the same name");
  }
  pName->iValue = (i64)iStart + 1;
}

/* Read the <name> of \k<name>. */
static void regReference(RegCheck *p){
  const i64 iAt = p->i;
  KvMapItem *pName = 0;
  if( regSkip(p, '<') ) pName = regName(p); else regError(p, "< expected after \\k");
  if( pName && pName->iValue==0 ) pName->iValue = -1 - iAt;
}

/* At the end: see that all groups that are referred to exist. */
static void regReferences(RegCheck *p){
  i64 iBad = 0;
  u32 i;
  for(i=0; i<p->names.nSlot; i++){
    const KvMapItem *pName = &p->names.aSlot[i];
    if( pName->iValue<0 && (iBad==0 || pName->iValue>iBad) ) iBad = pName->iValue;
  }
  if( iBad ){
    p->i = (u32)(-1 - iBad);
    regError(p, "\\k refers to a group that does not exist");
  }else if( p->nRef>p->nGroup ){
    p->i = p->iRef;
    regError(p, "there are not as many groups");
  }
}

/* Read the flags of (?flags-flags: with the colon. */
static void regModifiers(RegCheck *p){
  static const char zFlag[] = "ims-";
  u32 c, m, mSeen = 0;
  for(; p->zErr==0 && (c = regPeek(p, 0))!=':'; p->i++){
    const char *zFound = regIn(c, zFlag);
    m = zFound ? 1u<<(zFound - zFlag) : 0;
    if( m==0 && mSeen==0 ) regError(p, "not a valid kind of group");
    if( m==0 ) regError(p, "flag i, m or s expected, or a colon");
    if( m & mSeen & 7 ) regError(p, "a flag is repeated");
    if( m & mSeen & 8 ) regError(p, "two dashes in the flags of a group");
    mSeen |= m;
  }
  if( (mSeen & 7)==0 ) regError(p, "flags expected");
  p->i++;
}

/* Read a '(' and what belongs to it. */
static int regOpen(RegCheck *p){
  static const struct { const char *z; int eType; } aKind[] = {
    { "(?:", REG_GROUP },    { "(?=", REG_AHEAD }, { "(?!", REG_AHEAD },
    { "(?<=", REG_BEHIND },  { "(?<!", REG_BEHIND },
    { "(?<", REG_NAMED },    { "(?", REG_FLAGS },  { "(", REG_CAPTURE },
  };
  const KvBytes rest = kvBytesFrom(p->source, p->i);
  const u32 iStart = p->i;
  int i = 0, eType;
  while( !kvBytesBegins(rest, kvBytesText(aKind[i].z)) ) i++;
  p->i += (u32)strlen(aKind[i].z);
  eType = aKind[i].eType;
  if( eType==REG_FLAGS ) regModifiers(p);
  if( (eType==REG_CAPTURE || eType==REG_NAMED) && ++p->nGroup>REG_MAX_GROUPS ){
    regError(p, "too many groups");
  }
  if( eType==REG_NAMED ){
    p->bNamed = 1;
    if( p->bLetterK ){
      /* It wasn't: read everything again */
      p->bLetterK = 0;
      p->i = p->nGroup = 0;
      p->frames.n = (u32)sizeof(RegFrame);
      regTop(p)->iBar = 0;
      return 0;
    }
    regDefine(p, iStart);
  }
  return regPush(p, eType, iStart, 0);
}

/* Read a ')'.  True if it may have a quantifier. */
static int regClose(RegCheck *p){
  const int eType = regTop(p)->eType;
  if( eType==REG_ROOT ) return regError(p, "a ) without a (");
  p->frames.n -= (u32)sizeof(RegFrame);
  p->i++;
  return eType!=REG_BEHIND && (eType!=REG_AHEAD || !p->bUnicode);
}

/************************************************************************
** Character classes.
*/

/* Read an atom of a class without flag v. */
static u32 regClassAtom(RegCheck *p){
  int bStrings;
  if( regMany(p, &bStrings) ) return REG_NONE;
  return regPeek(p, 0)=='\\' ? regEscape(p, 1) : regChar(p, p->bUnicode);
}

/* Read a class without flag v.  True: it may have a quantifier. */
static int regClass(RegCheck *p){
  p->i++;
  regSkip(p, '^');
  while( !regSkip(p, ']') ){
    u32 c1 = regClassAtom(p), c2;
    if( p->i>=p->source.n ) return regError(p, "a [ is not closed");
    if( regPeek(p, 0)!='-' || regPeek(p, 1)==']' || regPeek(p, 1)==REG_NONE ) continue;
    p->i++;
    c2 = regClassAtom(p);
    if( c1==REG_NONE || c2==REG_NONE ){
      if( p->bUnicode ) regError(p, "not a valid range in a class");
    }else if( c1>c2 ){
      regError(p, "a range in a class is out of order");
    }
  }
  return 1;
}

/* Read a single character of a class with flag v. */
static u32 regSetChar(RegCheck *p){
  const u32 c = regPeek(p, 0);
  if( c==REG_NONE ) regError(p, "a [ is not closed");
  if( c=='\\' ) return regEscape(p, 1);
  if( regIn(c, "()[]{}/-|") ){
    regError(p, "this character must be escaped in a class");
  }else if( regIn(c, "&!#$%*+,.:;<=>?@^`~") && regPeek(p, 1)==c ){
    regError(p, "not a valid operator in a class");
  }
  return regChar(p, 1);
}

/* Read \q{...}.  True if a string of other than one character is in it. */
static int regSetStrings(RegCheck *p){
  int bStrings = 0;
  p->i += 2;
  if( regPeek(p, 0)!='{' ) regError(p, "{ expected after \\q");
  while( p->zErr==0 && !regSkip(p, '}') ){
    u32 nChar = 0;
    p->i++;
    for(; p->zErr==0 && !regIn(regPeek(p, 0), "|}"); nChar++) regSetChar(p);
    if( nChar!=1 ) bStrings = 1;
  }
  return bStrings;
}

/* Take note of an operand of class f: c, or what may be strings. */
static void regOperand(RegFrame *f, u32 c, int bStrings){
  f->cLast = c;
  f->bOperand = 0;
  if( f->eType==REG_EMPTY ) f->eType = REG_FIRST;
  if( f->eType==REG_BOTH ){
    f->bStrings &= (u8)bStrings;
  }else if( f->eType!=REG_MINUS ){
    f->bStrings |= (u8)bStrings;
  }
}

/* Read the - and the second character of a range in class f. */
static int regSetRange(RegCheck *p, RegFrame *f){
  if( regPeek(p, 1)=='-' ) regError(p, "not a valid operator in a class");
  if( f->cLast==REG_NONE ) regError(p, "not a valid range in a class");
  p->i++;
  if( f->cLast>regSetChar(p) ) regError(p, "a range in a class is out of order");
  f->cLast = REG_NONE;
  return 0;
}

/* Read the operator && or -- of class f. */
static int regSetOperator(RegCheck *p, RegFrame *f){
  const u32 c = f->eType==REG_BOTH ? '&' : '-';
  if( regPeek(p, 0)!=c || regPeek(p, 1)!=c ) regError(p, "not a valid operator in a class");
  p->i += 2;
  if( c=='&' && regPeek(p, 0)=='&' ){
    regError(p, "this character must be escaped in a class");
  }
  f->bOperand = 1;
  return 0;
}

/* Read a '[', with flag v. */
static int regSetOpen(RegCheck *p){
  if( ++p->nClass>REG_MAX_CLASSES ) regError(p, "classes nest too deeply");
  p->i++;
  return regPush(p, REG_EMPTY, 0, regSkip(p, '^'));
}

/* Read the ']' of class f, with flag v.  True if it may have a quantifier. */
static int regSetClose(RegCheck *p, const RegFrame *f){
  const int bStrings = f->bStrings;
  if( bStrings && f->bNegated ) regError(p, "a negated class may not hold strings");
  p->i++;
  p->frames.n -= (u32)sizeof(RegFrame);
  if( --p->nClass==0 ) return 1;
  regOperand(regTop(p), REG_NONE, bStrings);
  return 0;
}

/* Read the next part of a class with flag v.  True if it may have a quantifier. */
static int regSet(RegCheck *p){
  RegFrame *f = regTop(p);
  const u32 c = regPeek(p, 0);
  int bStrings;
  if( !f->bOperand ){
    if( c==']' ) return regSetClose(p, f);
    if( f->eType==REG_FIRST ){
      const int bTwice = regPeek(p, 1)==c;
      f->eType = bTwice && c=='-' ? REG_MINUS : bTwice && c=='&' ? REG_BOTH : REG_UNION;
    }
    if( f->eType==REG_UNION && c=='-' ) return regSetRange(p, f);
    if( f->eType>REG_UNION ) return regSetOperator(p, f);
  }
  if( c=='[' ) return regSetOpen(p);
  if( c=='\\' && regPeek(p, 1)=='q' ){
    regOperand(f, REG_NONE, regSetStrings(p));
  }else if( regMany(p, &bStrings) ){
    regOperand(f, REG_NONE, bStrings);
  }else{
    regOperand(f, regSetChar(p), 0);
  }
  return 0;
}

/************************************************************************
** The pattern.
*/

/* Read {n}, {n,} or {n,m}.  Returns 0 if it is none, -1 if n>m. */
static int regInterval(RegCheck *p){
  const u32 iWas = p->i;
  u32 nMin, nMax;
  if( regSkip(p, '{') && regIsDigit(regPeek(p, 0)) ){
    nMin = nMax = regNumber(p);
    if( regSkip(p, ',') ) nMax = regIsDigit(regPeek(p, 0)) ? regNumber(p) : 0x7fffffff;
    if( regSkip(p, '}') ) return nMin>nMax ? -1 : 1;
  }
  p->i = iWas;
  return 0;
}

/* Read the quantifier after an atom, if there is one. */
static void regQuantifier(RegCheck *p){
  const u32 c = regPeek(p, 0);
  int rc = regIn(c, "*+?")!=0;
  p->i += (u32)rc;
  if( c=='{' ){
    rc = regInterval(p);
    if( rc<0 ) regError(p, "a quantifier is out of order");
    if( rc==0 && p->bUnicode ) regError(p, "not a valid quantifier");
  }
  if( rc ) regSkip(p, '?');
}

/* Read what begins with a backslash.  True if it may have a quantifier. */
static int regBackslash(RegCheck *p){
  const u32 c = regPeek(p, 1);
  u32 v;
  int bStrings;
  if( regIn(c, "bB") ){
    p->i += 2;
    return 0;
  }
  if( c=='k' && (p->bUnicode || p->bNamed) ){
    p->i += 2;
    regReference(p);
  }else if( p->bUnicode && c!='0' && regIsDigit(c) ){
    p->i++;
    v = regNumber(p);
    if( v>p->nRef ){
      p->nRef = v;
      p->iRef = p->i;
    }
  }else if( !regMany(p, &bStrings) ){
    regEscape(p, 0);
  }
  return 1;
}

/* Read the next part of the pattern, up to but without a quantifier.  True if
** it may have one. */
static int regTerm(RegCheck *p){
  const u32 c = regPeek(p, 0);
  switch( c ){
    case '(':  return regOpen(p);
    case ')':  return regClose(p);
    case '\\': return regBackslash(p);
    case '[':  return p->bSets ? regSetOpen(p) : regClass(p);
    case '|':
      regTop(p)->iBar = p->i;
      /* fall through */
    case '^':
    case '$':
      p->i++;
      return 0;
  }
  if( regIn(c, "*+?") || (c=='{' && regInterval(p)) ) regError(p, "nothing to repeat");
  if( p->bUnicode && regIn(c, "{}]") ) regError(p, "a lone bracket");
  regChar(p, p->bUnicode);
  return 1;
}

/* Check the whole pattern. */
static void regPattern(RegCheck *p){
  regPush(p, REG_ROOT, 0, 0);
  while( p->i<p->source.n ){
    if( p->nClass ? regSet(p) : regTerm(p) ) regQuantifier(p);
  }
  if( p->zErr ) return;
  if( p->nClass ) regError(p, "a [ is not closed");
  if( regTop(p)->eType!=REG_ROOT ){
    p->i = regTop(p)->iStart;
    regError(p, "a ( is not closed");
  }
  regReferences(p);
}

const char *kvRegexpCheck(KvBytes source, u32 mFlags, u32 *piPos){
  RegFrame aFrame[16];
  u8 aName[64];
  RegCheck x;
  *piPos = 0;
  if( !kvRegexpFlagsValid(mFlags) ) return "not valid flags";
  memset(&x, 0, sizeof(x));
  x.source = source;
  x.bSets = (mFlags & KV_RE_V)!=0;
  x.bUnicode = (mFlags & (KV_RE_U|KV_RE_V))!=0;
  kvBufInit(&x.frames, aFrame, sizeof(aFrame));
  kvBufInit(&x.name, aName, sizeof(aName));
  regPattern(&x);
  kvBufClear(&x.frames);
  kvBufClear(&x.name);
  kvMapClear(&x.names);
  *piPos = x.zErr==regNoMem ? KV_RE_NOMEM : x.iErr;
  return x.zErr;
}

void kvRegexpSource(KvBuf *pOut, KvBytes pattern){
  const u8 *z = pattern.p;
  const u32 n = pattern.n;
  int bClass = 0;
  u32 i;
  if( n==0 ) kvBufLit(pOut, "(?:)");
  for(i=0; i<n; i++){
    const int bSlash = z[i]=='\\' && i+1<n;
    const u32 j = i + (u32)bSlash, k = kvLineEnd(&z[j], n-j);
    if( k ){
      kvBufText(pOut, z[j]=='\n' ? "\\n" : z[j]=='\r' ? "\\r"
                    : z[j+2]==0xa8 ? "\\u2028" : "\\u2029");
      i = j + k-1;
    }else if( bSlash ){
      kvBufAppend(pOut, &z[i++], 2);
    }else{
      if( z[i]=='[' ) bClass = 1;
      if( z[i]==']' ) bClass = 0;
      if( z[i]=='/' && !bClass ) kvBufPut(pOut, '\\');
      kvBufPut(pOut, z[i]);
    }
  }
}

const char *kvRegexpKeep(KvTree *p, u32 mFlags, KvBytes *pSource){
  u32 iPos;
  const char *zErr = kvRegexpCheck(*pSource, mFlags, &iPos);
  u8 aSpace[256];
  KvBuf source;
  kvBufInit(&source, aSpace, sizeof(aSpace));
  if( zErr==0 ) kvRegexpSource(&source, *pSource);
  *pSource = zErr ? kvBytes(0, 0) : kvTreeKeep(p, &source);
  return zErr && iPos!=KV_RE_NOMEM ? zErr : 0;
}

u32 kvRegexpLiteral(KvBytes text){
  const u8 *z = text.p;
  const u32 n = text.n;
  int bClass = 0;
  u32 i;
  for(i=1; i<n; i++){
    if( z[i]=='\\' ){
      if( ++i>=n ) return 0;
    }else if( z[i]=='[' || z[i]==']' ){
      bClass = z[i]=='[';
    }else if( z[i]=='/' && !bClass ){
      return i+1;
    }
    if( kvLineEnd(&z[i], n-i) ) return 0;
  }
  return 0;
}
