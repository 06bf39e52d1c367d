/*
** regexp_esc.c -- regular expressions: escape sequences.  See regexp_esc.h.
**
** One character (u: only with flag u or v; else: only without both):
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
**     \-                        u: in a class only
**     \ and any of &-!#%,:;<=>@`~  v: in a class only
**     \ and any other           else; but not \k if there are named groups
**
** Many: \d \D \s \S \w \W, and with u \p{Name} \p{Name=Value} \P{...}.
*/
#include "codec/regexp/regexp_esc.h"
#include "bytes/hex.h"
#include "codec/regexp/regexp_names.h"

/* Read nMin to nMax hexadecimal digits of a number up to 10ffff, or nothing. */
static int escHex(KvRe *p, u32 nMin, u32 nMax, u32 *pc){
  KvRe was = *p;
  u32 v = 0, n = 0, c;
  while( n<nMax && (c = kvReCurrent(p))<0x80 && kvHexValue((u8)c)>=0 && v<=0x10ffff ){
    v = v*16 + (u32)kvHexValue((u8)c);
    n++;
    kvReAdvance(p, 1);
  }
  if( n<nMin || v>0x10ffff ){
    *p = was;
    return 0;
  }
  *pc = v;
  return 1;
}

/* Read {digits}, or nothing. */
static int escHexBraces(KvRe *p, u32 *pc){
  KvRe was = *p;
  kvReAdvance(p, 1);
  if( escHex(p, 1, 0xffffffffu, pc) && kvReSkip(p, '}') ) return 1;
  *p = was;
  return 0;
}

int kvReUnicodeEscape(KvRe *p, u32 *pc){
  u32 cLow;
  if( p->bPoint && kvReCurrent(p)=='{' ) return escHexBraces(p, pc);
  if( !escHex(p, 4, 4, pc) ) return 0;
  if( p->bPoint && *pc>=0xd800 && *pc<=0xdbff
   && kvReCurrent(p)=='\\' && kvReNext(p)=='u' ){
    KvRe was = *p;
    kvReAdvance(p, 2);
    if( escHex(p, 4, 4, &cLow) && cLow>=0xdc00 && cLow<=0xdfff ){
      *pc = 0x10000 + ((*pc - 0xd800)<<10) + (cLow - 0xdc00);
    }else{
      *p = was;
    }
  }
  return 1;
}

/* Read one to three octal digits, up to 377. */
static u32 escOctal(KvRe *p){
  u32 v = 0, c;
  int i;
  for(i=0; i<3 && v<32; i++){
    c = kvReCurrent(p);
    if( c<'0' || c>'7' ) break;
    v = v*8 + c - '0';
    kvReAdvance(p, 1);
  }
  return v;
}

/* Read the c and what follows of \c.  The cursor is at the c. */
static int escControl(KvRe *p, int bInClass, u32 *pc){
  u32 c = kvReNext(p);
  if( (c>='a' && c<='z') || (c>='A' && c<='Z')
   || (bInClass && !p->bUnicode && (kvReIsDigit(c) || c=='_')) ){
    kvReAdvance(p, 2);
    *pc = c & 0x1f;
    return 1;
  }
  if( p->bUnicode ) return kvReError(p, "\\c without a letter");
  *pc = '\\';
  return 1;
}

/* True if flags u and v let c stand behind a backslash as itself. */
static int escIsIdentity(const KvRe *p, u32 c, int bInClass){
  if( kvReIsOneOf(c, "^$\\.*+?()[]{}|/") ) return 1;
  return bInClass && (c=='-' || (p->bSets && kvReIsOneOf(c, "&!#%,:;<=>@`~")));
}

int kvReCharEscape(KvRe *p, int bInClass, u32 *pc){
  static const char zFrom[] = "fnrtv", zTo[] = "\f\n\r\t\v";
  const char *zFound;
  u32 c;
  kvReAdvance(p, 1);
  c = kvReCurrent(p);
  if( c==KV_RE_END ) return kvReError(p, "a backslash at the end");
  if( c=='c' ) return escControl(p, bInClass, pc);
  if( kvReIsDigit(c) && p->bUnicode ){
    if( c!='0' || kvReIsDigit(kvReNext(p)) ){
      return kvReError(p, "not a valid decimal escape with flag u or v");
    }
  }
  if( c>='0' && c<='7' ){
    *pc = escOctal(p);
    return 1;
  }
  if( c=='k' && !p->bUnicode && kvReHasNames(p, bInClass) ){
    return kvReError(p, "\\k is not allowed here");
  }
  kvReAdvance(p, 1);
  *pc = c;
  zFound = c<0x80 && c ? strchr(zFrom, (int)c) : 0;
  if( zFound ){
    *pc = (u32)zTo[zFound - zFrom];
    return 1;
  }
  if( c=='x' && escHex(p, 2, 2, pc) ) return 1;
  if( c=='u' && kvReUnicodeEscape(p, pc) ) return 1;
  if( p->bUnicode && !escIsIdentity(p, c, bInClass) ){
    return kvReError(p, c=='u' || c=='x' ? "hexadecimal digits expected"
                                         : "not a valid escape sequence");
  }
  return 1;
}

/* True if the list (see regexp_names.h) has the name. */
static int escInList(const char *zList, KvBytes name){
  const char *zAt = zList;
  if( name.n==0 || memchr(name.p, ' ', name.n) || memchr(name.p, 0, name.n) ) return 0;
  while( (zAt = strchr(zAt, ' '))!=0 ){
    zAt++;
    if( strncmp(zAt, (const char*)name.p, name.n)==0 && zAt[name.n]==' ' ) return 1;
  }
  return 0;
}

/* True if \p{name} is known.  *pbStrings: one of strings. */
static int escIsProperty(const KvRe *p, KvBytes name, int *pbStrings){
  static const struct { const char *zName, *zValues; } aList[] = {
    { "gc", regpCategories }, { "General_Category", regpCategories },
    { "sc", regpScripts },    { "Script", regpScripts },
    { "scx", regpScripts },   { "Script_Extensions", regpScripts }
  };
  const u8 *zEq = memchr(name.p, '=', name.n);
  size_t i;
  if( zEq==0 ){
    if( p->bSets && escInList(regpStrings, name) ) return *pbStrings = 1;
    return escInList(regpCategories, name) || escInList(regpBinary, name);
  }
  for(i=0; i<sizeof(aList)/sizeof(aList[0]); i++){
    u32 nName = (u32)(zEq - name.p);
    if( kvBytesEqual(kvBytes(name.p, nName), kvBytesText(aList[i].zName)) ){
      return escInList(aList[i].zValues, kvBytesFrom(name, nName + 1));
    }
  }
  return 0;
}

/* Read {...} of \p or, if bNot, of \P. */
static int escProperty(KvRe *p, int bNot, int *pbStrings){
  u32 iName;
  int bStrings = 0;
  if( kvReSkip(p, '{') ){
    iName = p->i;
    while( p->i<p->source.n && p->source.p[p->i]!='}' && p->i-iName<64 ) p->i++;
    if( kvReCurrent(p)=='}'
     && escIsProperty(p, kvBytes(&p->source.p[iName], p->i - iName), &bStrings)
     && !(bNot && bStrings) ){
      p->i++;
      *pbStrings |= bStrings;
      return 1;
    }
    p->i = iName;
  }
  return kvReError(p, "not a known property name");
}

int kvReClassEscape(KvRe *p, int *pbStrings){
  u32 c = kvReNext(p);
  if( !kvReIsOneOf(c, "dDsSwWpP") ) return 0;
  if( c!='p' && c!='P' ){
    kvReAdvance(p, 2);
    return 1;
  }
  if( !p->bUnicode ) return 0;
  kvReAdvance(p, 2);
  return escProperty(p, c=='P', pbStrings);
}
