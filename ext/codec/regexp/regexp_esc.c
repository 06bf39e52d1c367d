/*
** regexp_esc.c -- regular expressions: the cursor and escape sequences.
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
#include "codec/regexp/regexp_int.h"
#include "codec/regexp/regexp_ident.h"
#include "codec/regexp/regexp_names.h"

/* The character at offset i, and its length. */
static u32 rexGet(const KvRe *p, u32 i, u32 *pn){
  u32 c;
  if( i>=p->n ){
    *pn = 0;
    return KV_RE_END;
  }
  if( p->z[i]<0x80 ){
    *pn = 1;
    return p->z[i];
  }
  *pn = (u32)kvUtf8Get(kvBytes(&p->z[i], p->n - i), &c, 1);
  return c;
}

/* The high or the low surrogate of c, which is above U+FFFF. */
static u32 rexHigh(u32 c){ return 0xd800 + ((c-0x10000)>>10); }
static u32 rexLow(u32 c){ return 0xdc00 + ((c-0x10000) & 0x3ff); }

u32 kvReCurrent(const KvRe *p){
  u32 n, c = rexGet(p, p->i, &n);
  if( c<0x10000 || p->bPoint || c==KV_RE_END ) return c;
  return p->bLow ? rexLow(c) : rexHigh(c);
}

void kvReAdvance(KvRe *p, int nChar){
  while( nChar-->0 ){
    u32 n, c = rexGet(p, p->i, &n);
    if( c>=0x10000 && c!=KV_RE_END && !p->bPoint && !p->bLow ){
      p->bLow = 1;
    }else{
      p->bLow = 0;
      p->i += n;
    }
  }
}

u32 kvReNext(const KvRe *p){
  KvRe next = *p;
  kvReAdvance(&next, 1);
  return kvReCurrent(&next);
}

int kvReSkip(KvRe *p, u32 c){
  if( kvReCurrent(p)!=c ) return 0;
  kvReAdvance(p, 1);
  return 1;
}

int kvReError(KvRe *p, const char *zMsg){
  if( p->zErr==0 ){
    p->zErr = zMsg;
    p->iErr = p->i;
  }
  return 0;
}

int kvReNoMem(KvRe *p){
  p->bNoMem = 1;
  return kvReError(p, "out of memory");
}

int kvReHex(u32 c){
  if( c>='0' && c<='9' ) return (int)(c - '0');
  if( c>='a' && c<='f' ) return (int)(c - 'a') + 10;
  if( c>='A' && c<='F' ) return (int)(c - 'A') + 10;
  return -1;
}

/* True if c is an ASCII digit. */
static int rexIsDigit(u32 c){ return c>='0' && c<='9'; }

/* Read exactly nDigit hexadecimal digits, or nothing. */
static int rexHexDigits(KvRe *p, int nDigit, u32 *pc){
  KvRe was = *p;
  u32 v = 0;
  while( nDigit-->0 ){
    int d = kvReHex(kvReCurrent(p));
    if( d<0 ){
      *p = was;
      return 0;
    }
    v = v*16 + (u32)d;
    kvReAdvance(p, 1);
  }
  *pc = v;
  return 1;
}

/* Read {digits} up to {10ffff}, or nothing. */
static int rexHexBraces(KvRe *p, u32 *pc){
  KvRe was = *p;
  u32 v = 0;
  int d, nDigit = 0;
  kvReAdvance(p, 1);
  while( (d = kvReHex(kvReCurrent(p)))>=0 && v<=0x10ffff ){
    v = v*16 + (u32)d;
    nDigit = 1;
    kvReAdvance(p, 1);
  }
  if( nDigit==0 || v>0x10ffff || !kvReSkip(p, '}') ){
    *p = was;
    return 0;
  }
  *pc = v;
  return 1;
}

int kvReUnicodeEscape(KvRe *p, u32 *pc){
  u32 cLow;
  if( p->bPoint && kvReCurrent(p)=='{' ) return rexHexBraces(p, pc);
  if( !rexHexDigits(p, 4, pc) ) return 0;
  if( p->bPoint && *pc>=0xd800 && *pc<=0xdbff
   && kvReCurrent(p)=='\\' && kvReNext(p)=='u' ){
    KvRe was = *p;
    kvReAdvance(p, 2);
    if( rexHexDigits(p, 4, &cLow) && cLow>=0xdc00 && cLow<=0xdfff ){
      *pc = 0x10000 + ((*pc - 0xd800)<<10) + (cLow - 0xdc00);
    }else{
      *p = was;
    }
  }
  return 1;
}

/* Read one to three octal digits, up to 377. */
static u32 rexOctal(KvRe *p){
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
static int rexControl(KvRe *p, int bInClass, u32 *pc){
  u32 c = kvReNext(p);
  if( (c>='a' && c<='z') || (c>='A' && c<='Z')
   || (bInClass && !p->bUnicode && (rexIsDigit(c) || c=='_')) ){
    kvReAdvance(p, 2);
    *pc = c & 0x1f;
    return 1;
  }
  if( p->bUnicode ) return kvReError(p, "\\c without a letter");
  *pc = '\\';
  return 1;
}

/* True if flags u and v let c stand behind a backslash as itself. */
static int rexIsIdentity(const KvRe *p, u32 c, int bInClass){
  if( c==0 || c>0x7f ) return 0;
  if( strchr("^$\\.*+?()[]{}|/", (int)c) ) return 1;
  if( !bInClass ) return 0;
  return c=='-' || (p->bSets && strchr("&!#%,:;<=>@`~", (int)c)!=0);
}

int kvReCharEscape(KvRe *p, int bInClass, u32 *pc){
  static const char zFrom[] = "fnrtv", zTo[] = "\f\n\r\t\v";
  const char *zFound;
  u32 c;
  kvReAdvance(p, 1);
  c = kvReCurrent(p);
  if( c==KV_RE_END ) return kvReError(p, "a backslash at the end");
  if( c=='c' ) return rexControl(p, bInClass, pc);
  if( rexIsDigit(c) && p->bUnicode ){
    if( c!='0' || rexIsDigit(kvReNext(p)) ){
      return kvReError(p, "not a valid decimal escape with flag u or v");
    }
  }
  if( c>='0' && c<='7' ){
    *pc = rexOctal(p);
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
  if( c=='x' && rexHexDigits(p, 2, pc) ) return 1;
  if( c=='u' && kvReUnicodeEscape(p, pc) ) return 1;
  if( p->bUnicode && !rexIsIdentity(p, c, bInClass) ){
    return kvReError(p, c=='u' || c=='x' ? "hexadecimal digits expected"
                                         : "not a valid escape sequence");
  }
  return 1;
}

/* True if the list (see regexp_names.h) has the name z[0..n-1]. */
static int rexInList(const char *zList, const u8 *z, u32 n){
  const char *zAt = zList;
  if( n==0 || memchr(z, ' ', n) || memchr(z, 0, n) ) return 0;
  while( (zAt = strchr(zAt, ' '))!=0 ){
    zAt++;
    if( strncmp(zAt, (const char*)z, n)==0 && zAt[n]==' ' ) return 1;
  }
  return 0;
}

/* True if z[0..n-1] is the constant name. */
static int rexIsWord(const u8 *z, u32 n, const char *zName){
  return n==strlen(zName) && memcmp(z, zName, n)==0;
}

/* True if \p{z[0..n-1]} is known.  *pbStrings: one of strings. */
static int rexIsProperty(const KvRe *p, const u8 *z, u32 n, int *pbStrings){
  const u8 *zEq = memchr(z, '=', n);
  if( zEq ){
    u32 nName = (u32)(zEq - z), nValue = n - nName - 1;
    const u8 *zValue = zEq + 1;
    if( rexIsWord(z, nName, "gc") || rexIsWord(z, nName, "General_Category") ){
      return rexInList(regpCategories, zValue, nValue);
    }
    if( rexIsWord(z, nName, "sc") || rexIsWord(z, nName, "Script")
     || rexIsWord(z, nName, "scx") || rexIsWord(z, nName, "Script_Extensions") ){
      return rexInList(regpScripts, zValue, nValue);
    }
    return 0;
  }
  if( p->bSets && rexInList(regpStrings, z, n) ) return *pbStrings = 1;
  return rexInList(regpCategories, z, n) || rexInList(regpBinary, z, n);
}

/* Read {...} of \p or, if bNot, of \P. */
static int rexProperty(KvRe *p, int bNot, int *pbStrings){
  u32 iName;
  int bStrings = 0;
  if( kvReSkip(p, '{') ){
    iName = p->i;
    while( p->i<p->n && p->z[p->i]!='}' && p->i-iName<64 ) p->i++;
    if( kvReCurrent(p)=='}'
     && rexIsProperty(p, &p->z[iName], p->i - iName, &bStrings)
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
  if( c==0 || c>0x7f || strchr("dDsSwWpP", (int)c)==0 ) return 0;
  if( c!='p' && c!='P' ){
    kvReAdvance(p, 2);
    return 1;
  }
  if( !p->bUnicode ) return 0;
  kvReAdvance(p, 2);
  return rexProperty(p, c=='P', pbStrings);
}

int kvReIsName(u32 c, int bStart){
  u32 iLow = 0, iHigh = sizeof(regpIdent)/sizeof(regpIdent[0]);
  if( c<0x80 ){
    if( rexIsDigit(c) ) return !bStart;
    return (c>='a' && c<='z') || (c>='A' && c<='Z') || c=='_' || c=='$';
  }
  if( c>0x10ffff ) return 0;
  while( iHigh-iLow>1 ){
    u32 iMid = (iLow + iHigh)/2;
    if( regpIdent[iMid]>>2<=c ) iLow = iMid; else iHigh = iMid;
  }
  return (regpIdent[iLow] & 3)==1 || (!bStart && (regpIdent[iLow] & 3)==2);
}
