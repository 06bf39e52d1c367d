/*
** js_lex.c -- the words of JavaScript literals.  See js_lex.h.
*/
#include "codec/js/js_lex.h"
#include "codec/num/num.h"
#include "bytes/hex.h"

void kvLexInit(KvLex *p, KvBytes text){
  p->zStart = p->z = (const char*)text.p;
  p->zEnd = text.n ? p->z + text.n : p->z;       /* text.p may be 0 then */
  p->nZero = 0;
  p->err.eCode = KV_OK;
  p->err.iPos = -1;
  p->err.zMsg = 0;
  p->err.zNumber[0] = 0;
}

int kvLexError(KvLex *p, const char *zAt, const char *zMsg){
  if( p->err.eCode==KV_OK ){
    kvErrSet(&p->err, KV_SYNTAX, zAt - p->zStart, zMsg);
  }
  return KV_SYNTAX;
}

u32 kvLexSpaceChar(const char *z, const char *zEnd){
  u32 c, n;
  if( *z==' ' || (*z>=9 && *z<=13) ) return 1;
  if( (u8)*z<0x80 ) return 0;
  n = (u32)kvUtf8Get(kvBytes(z, (u32)(zEnd - z)), &c, 0);
  return c==0xa0 || c==0x1680 || (c>=0x2000 && c<=0x200a) || c==0x2028 || c==0x2029
      || c==0x202f || c==0x205f || c==0x3000 || c==0xfeff ? n : 0;
}

int kvLexSpaceSlow(KvLex *p){
  while( p->z<p->zEnd ){
    u32 k = kvLexSpaceChar(p->z, p->zEnd);
    if( k ){
      p->z += k;
    }else if( p->z[0]!='/' || p->zEnd-p->z<2 ){
      break;
    }else if( p->z[1]=='/' ){
      while( p->z<p->zEnd && !kvLineEnd((const u8*)p->z, (u64)(p->zEnd - p->z)) ) p->z++;
    }else if( p->z[1]=='*' ){
      const char *zOpen = p->z;
      p->z += 2;
      while( p->zEnd-p->z>=2 && (p->z[0]!='*' || p->z[1]!='/') ) p->z++;
      if( p->zEnd-p->z<2 ) return kvLexError(p, zOpen, "comment is not closed");
      p->z += 2;
    }else{
      break;
    }
  }
  return KV_OK;
}

int kvLexNext(KvLex *p, char c){
  kvLexSpace(p);
  if( p->z>=p->zEnd || *p->z!=c ) return 0;
  p->z++;
  return 1;
}

int kvLexComma(KvLex *p, const char *zMsg){
  if( kvLexNext(p, ',') || (p->z<p->zEnd && *p->z==']') ) return KV_OK;
  return kvLexError(p, p->z, zMsg);
}

int kvLexText(KvLex *p, const char *zText){
  size_t n = strlen(zText);
  if( (size_t)(p->zEnd - p->z)<n || memcmp(p->z, zText, n)!=0 ) return 0;
  p->z += n;
  return 1;
}

int kvLexInWord(const char *z, const char *zEnd){
  char c;
  if( z>=zEnd ) return 0;
  c = *z;
  if( (u8)c>=0x80 ) return kvLexSpaceChar(z, zEnd)==0;
  return (c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9') || c=='_' || c=='$';
}

int kvLexWord(KvLex *p, const char *zWord){
  const char *z = p->z;
  if( !kvLexText(p, zWord) ) return 0;
  if( kvLexInWord(p->z, p->zEnd) ){
    p->z = z;
    return 0;
  }
  return 1;
}

/* Read nMin to nMax hexadecimal digits at *pz, of a number up to 10ffff; or -1. */
static i32 lexHex(const char **pz, const char *zEnd, u32 nMin, u32 nMax){
  i32 v = 0;
  u32 n = 0;
  int d;
  for(; n<nMax && *pz<zEnd && (d = kvHexValue((u8)**pz))>=0 && v<=0x10ffff; n++, (*pz)++){
    v = v*16 + d;
  }
  return n<nMin || v>0x10ffff ? -1 : v;
}

/*
** Read the escape sequence at z (after the backslash) and append what it
** stands for.  Returns the position after it, or 0 after an error.
*/
static const char *lexEscape(KvLex *p, const char *z, int bJson, KvBuf *pOut, u32 iStart){
  static const char zFrom[] = "btnfrv\"\\/", zTo[] = "\b\t\n\f\r\v\"\\/";
  const char *zAt = z-1, *zFound;
  i32 c = -1;
  char e;
  if( z>=p->zEnd ){
    kvLexError(p, zAt, "string is not closed");
    return 0;
  }
  e = *z++;
  zFound = e ? strchr(zFrom, e) : 0;
  if( zFound && (!bJson || e!='v') ){
    kvUtfAppendUnit(pOut, iStart, (u32)zTo[zFound - zFrom]);
    return z;
  }
  switch( e ){
    case 'u':
      if( !bJson && z<p->zEnd && *z=='{' ){
        z++;
        c = lexHex(&z, p->zEnd, 1, 0xffffffffu);
        if( z>=p->zEnd || *z++!='}' ) c = -1;
      }else{
        c = lexHex(&z, p->zEnd, 4, 4);
      }
      if( c<0 ) kvLexError(p, zAt, "\\u needs four hexadecimal digits or {code point}");
      break;
    case 'x':
      if( !bJson ) c = lexHex(&z, p->zEnd, 2, 2);
      if( c<0 ) kvLexError(p, zAt, "\\x needs two hexadecimal digits");
      break;
    case '\r':
      if( !bJson && z<p->zEnd && *z=='\n' ) z++;
      /* fall through */
    case '\n':
      if( !bJson ) return z;                     /* a line continuation */
      break;
    case 'v':
      break;
    case '0':
      if( !bJson && !(z<p->zEnd && *z>='0' && *z<='9') ) c = 0;
      break;
    default:
      if( bJson || (e>='1' && e<='9') ) break;
      if( kvLineEnd((const u8*)z-1, (u64)(p->zEnd - z)+1) ) return z+2;
      if( (u8)e>=0x80 ) return z-1;              /* stands for itself */
      c = (u8)e;
  }
  if( c<0 ){
    kvLexError(p, zAt, "unknown escape sequence in a string");
    return 0;
  }
  kvUtfAppendUnit(pOut, iStart, (u32)c);
  return z;
}

/* The string from z on has escapes or bytes that are not UTF-8: decode it. */
static int lexStringSlow(KvLex *p, const char *zOpen, int bJson, KvBuf *pOut){
  const char *z = zOpen+1;
  const char cQuote = *zOpen;
  u32 iStart = pOut->n;
  for(;;){
    const char *zRun = z;
    while( z<p->zEnd && *z!=cQuote && *z!='\\' && (u8)*z>=0x20 && *z!='$' ) z++;
    kvUtfAppendClean(pOut, kvBytes(zRun, (u32)(z-zRun)));
    if( z>=p->zEnd ) return kvLexError(p, zOpen, "string is not closed");
    if( *z==cQuote ) break;
    if( *z=='\\' ){
      z = lexEscape(p, z+1, bJson, pOut, iStart);
      if( z==0 ) return KV_SYNTAX;
    }else if( *z=='$' ){
      if( cQuote=='`' && p->zEnd-z>=2 && z[1]=='{' ){
        return kvLexError(p, z, "template substitutions are not evaluated");
      }
      kvBufPut(pOut, (u8)*z++);
    }else if( bJson || ((*z=='\n' || *z=='\r') && cQuote!='`') ){
      return kvLexError(p, z, "control character in a string must be escaped");
    }else if( *z=='\r' ){
      kvBufPut(pOut, '\n');                      /* as templates are read */
      z += p->zEnd-z>=2 && z[1]=='\n' ? 2 : 1;
    }else{
      kvBufPut(pOut, (u8)*z++);
    }
  }
  p->z = z+1;
  return pOut->eErr;
}

int kvLexString(KvLex *p, int bJson, KvBuf *pSpace, KvLexStr *pOut){
  const char *zOpen = p->z;
  const char *z = zOpen+1;
  const char cQuote = *zOpen;
  u8 bWide = 0;
  int rc;
  u32 iStart;
  while( z<p->zEnd && *z!=cQuote && *z!='\\' && (u8)*z>=0x20
      && (*z!='$' || cQuote!='`')
  ){
    bWide |= (u8)*z;
    z++;
  }
  pOut->bPlain = 0;
  if( z<p->zEnd && *z==cQuote
   && ((bWide&0x80)==0 || kvUtf8Valid(kvBytes(zOpen+1, (u32)(z-zOpen-1))))
  ){
    pOut->s = kvBytes(zOpen+1, (u32)(z-zOpen-1));
    pOut->bPlain = (bWide&0x80)==0 && cQuote=='"';
    p->z = z+1;
    return KV_OK;
  }
  iStart = pSpace->n;
  rc = lexStringSlow(p, zOpen, bJson, pSpace);
  if( rc!=KV_OK ){
    if( rc!=KV_SYNTAX ) kvErrSet(&p->err, rc, zOpen - p->zStart, "out of memory");
    return rc;
  }
  pOut->s = pSpace->n>iStart ? kvBytesFrom(kvBufBytes(pSpace), iStart) : kvBytesText("");
  return KV_OK;
}

static int lexDigitOf(char c, int iBase){
  int d = kvHexValue((u8)c);
  return d>=0 && d<iBase;
}

/*
** Skip digits with single '_' between them.  *pbSep is set if there was one.
** Returns 0 after an error.
*/
static int lexDigitRun(KvLex *p, int iBase, u8 *pbSep){
  const char *zFirst = p->z;
  while( p->z<p->zEnd ){
    if( lexDigitOf(*p->z, iBase) ){
      p->z++;
    }else if( *p->z=='_' && p->z>zFirst && p->z[-1]!='_'
           && p->zEnd-p->z>=2 && lexDigitOf(p->z[1], iBase)
    ){
      *pbSep = 1;
      p->z++;
    }else{
      break;
    }
  }
  return p->z>zFirst;
}

/* The value of an integer literal of a base that is a power of two. */
static double lexPowerOfTwo(KvBytes digits, int iBase){
  int nShift = iBase==16 ? 4 : iBase==8 ? 3 : 1;
  u64 v = 0, vSticky = 0;
  i32 nExtra = 0;
  double r;
  u32 i;
  for(i=0; i<digits.n; i++){
    char c = (char)digits.p[i];
    if( c=='_' ) continue;
    if( v>>59 ){                       /* full: keep 60 bits or more and a sticky one */
      vSticky |= (u64)kvHexValue((u8)c);
      if( nExtra<4096 ) nExtra += nShift;
    }else{
      v = (v<<nShift) | (u64)kvHexValue((u8)c);
    }
  }
  r = (double)(v | (vSticky!=0));
  while( nExtra-- > 0 ) r *= 2.0;
  return r;
}

/* A decimal literal that has '_' in it: read a copy without them. */
static int lexSeparated(KvLex *p, const char *z, u32 n, double *pr){
  char aSpace[128];
  KvBuf buf;
  u32 i;
  int rc;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  for(i=0; i<n; i++) if( z[i]!='_' ) kvBufPut(&buf, (u8)z[i]);
  rc = buf.eErr;
  if( rc==KV_OK ){
    kvNumParse(kvBufBytes(&buf), pr);
  }else{
    kvErrSet(&p->err, rc, z - p->zStart, "out of memory");
  }
  kvBufClear(&buf);
  return rc;
}

/* 0x.. 0o.. 0b.. */
static int lexPrefixed(KvLex *p, int iBase, KvLexNum *pOut){
  const char *zAt = p->z;
  p->z += 2;
  if( !lexDigitRun(p, iBase, &pOut->bSep) ){
    return kvLexError(p, zAt, "a digit is missing in a number");
  }
  pOut->digits = kvBytes(zAt+2, (u32)(p->z - zAt) - 2);
  if( p->z<p->zEnd && *p->z=='n' ){
    p->z++;
    pOut->iBase = iBase;
  }else{
    pOut->r = lexPowerOfTwo(pOut->digits, iBase);
  }
  return KV_OK;
}

static int lexDecimal(KvLex *p, KvLexNum *pOut){
  const char *zAt = p->z;
  u32 n;
  if( lexDigitRun(p, 10, &pOut->bSep) ){
    pOut->digits = kvBytes(zAt, (u32)(p->z - zAt));
    if( pOut->digits.n>1 && *zAt=='0' ){
      return kvLexError(p, zAt, "a decimal number must not start with 0; octal is 0o17");
    }
    if( p->z<p->zEnd && *p->z=='n' ){
      p->z++;
      pOut->iBase = 10;
      return KV_OK;
    }
  }
  if( p->z<p->zEnd && *p->z=='.' ){
    p->z++;
    if( !lexDigitRun(p, 10, &pOut->bSep) && p->z==zAt+1 ){
      return kvLexError(p, zAt, "a digit is missing in a number");
    }
  }
  if( p->z<p->zEnd && (*p->z|0x20)=='e' ){
    p->z++;
    if( p->z<p->zEnd && (*p->z=='+' || *p->z=='-') ) p->z++;
    if( !lexDigitRun(p, 10, &pOut->bSep) ){
      return kvLexError(p, zAt, "a digit is missing in a number");
    }
  }
  n = (u32)(p->z - zAt);
  if( n==0 ) return kvLexError(p, zAt, "a digit is missing in a number");
  if( pOut->bSep ) return lexSeparated(p, zAt, n, &pOut->r);
  kvNumParse(kvBytes(zAt, n), &pOut->r);
  return KV_OK;
}

int kvLexNumber(KvLex *p, KvLexNum *pOut){
  int rc, iBase = 0;
  const char *zAt = p->z;
  pOut->iBase = 0;
  pOut->bSep = 0;
  pOut->digits = kvBytes(zAt, 0);
  pOut->r = 0.0;
  if( p->zEnd-p->z>=2 && *p->z=='0' ){
    char c = (char)(p->z[1]|0x20);
    iBase = c=='x' ? 16 : c=='o' ? 8 : c=='b' ? 2 : 0;
  }
  rc = iBase ? lexPrefixed(p, iBase, pOut) : lexDecimal(p, pOut);
  if( rc==KV_OK && kvLexInWord(p->z, p->zEnd) ){
    rc = kvLexError(p, zAt, "not a number");
  }
  return rc;
}
