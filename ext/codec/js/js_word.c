/*
** js_word.c -- the words of JS text: strings, numbers, regular expressions,
** names and the forms that only the console prints.
**
** The grammar is at the head of js_parse.c.  A function kvJspRead...() reads
** what is at the cursor and says what is left to do (JSP_xxx).
*/
#include "codec/js/js_call.h"
#include "codec/js/js_parse.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/view.h"

/*
** Strings.
*/

/* Bytes that a string holds as they are: ASCII without ", \ and controls. */
#define JSP_HIGH  0x8080808080808080u
#define JSP_EACH  0x0101010101010101u
#define JSP_ZERO(X)  (((X) - JSP_EACH) & ~(X) & JSP_HIGH)

/* The first byte from z on that is '"', '\\', a control or not ASCII. */
static const char *jspPlainEnd(const char *z, const char *zEnd){
  while( zEnd-z>=8 ){
    u64 x;
    memcpy(&x, z, 8);
    x = (x & JSP_HIGH) | JSP_ZERO(x ^ 0x2222222222222222u)
      | JSP_ZERO(x ^ 0x5c5c5c5c5c5c5c5cu) | ((x - 0x2020202020202020u) & ~x & JSP_HIGH);
    if( x ){
#if defined(__GNUC__) && __BYTE_ORDER__==__ORDER_LITTLE_ENDIAN__
      return z + (__builtin_ctzll(x)>>3);        /* the lowest bit is exact */
#else
      break;
#endif
    }
    z += 8;
  }
  while( z<zEnd && (u8)*z>=0x20 && (u8)*z<0x80 && *z!='"' && *z!='\\' ) z++;
  return z;
}

/* The closing quote of the string at z, or zEnd. */
static const char *jspClosing(const char *z, const char *zEnd){
  const char cQuote = *z++;
  while( z<zEnd && *z!=cQuote ) z += *z=='\\' && zEnd-z>1 ? 2 : 1;
  return z<zEnd ? z : zEnd;
}

/* A string with escapes or the like: decoded into memory of the tree. */
static int jspStringSlow(KvJsp *p, KvLexStr *pStr){
  u32 nMax = (u32)(jspClosing(p->lex.z, p->lex.zEnd) - p->lex.z);
  u8 *aSpace = 0;
  KvBuf buf;
  int rc;
  if( memchr(p->lex.z, '\\', nMax) ){
    aSpace = kvTreeSpace(p->pTree, nMax);
    if( aSpace==0 ) return kvJspNoMem(p);
  }
  kvBufInit(&buf, aSpace, aSpace ? nMax : 0);
  rc = kvLexString(&p->lex, p->bJson, &buf, pStr);
  if( rc==KV_OK && !buf.bStatic ){
    u8 *a = kvTreeSpace(p->pTree, pStr->s.n);
    if( a==0 ){
      rc = kvJspNoMem(p);
    }else{
      if( pStr->s.n ) memcpy(a, pStr->s.p, pStr->s.n);
      pStr->s.p = a;
    }
  }
  kvBufClear(&buf);
  return rc;
}

/* Read the string at the cursor into a node that was just made. */
static int jspStringAt(KvJsp *p, u32 iNode){
  const char *zOpen = p->lex.z;
  const char *z = *zOpen=='"' ? jspPlainEnd(zOpen+1, p->lex.zEnd) : zOpen;
  KvNode *pNode = &p->pTree->aNode[iNode];
  pNode->eSub = KV_WTF8;
  if( z>zOpen && z<p->lex.zEnd && *z=='"' ){
    pNode->mFlags = KVN_ASCII;
    pNode->n = (u32)(z - zOpen - 1);
    pNode->u.p = (const u8*)zOpen + 1;
    p->lex.z = z+1;
  }else{
    KvLexStr str;
    if( jspStringSlow(p, &str) ) return JSP_FAIL;
    if( str.bPlain ) pNode->mFlags = KVN_ASCII;
    pNode->n = str.s.n;
    pNode->u.p = str.s.p;
  }
  return JSP_DONE;
}

int kvJspReadString(KvJsp *p){
  p->iVal = kvJspNode(p, KV_STRING);
  return p->iVal==KV_NO_NODE ? JSP_FAIL : jspStringAt(p, p->iVal);
}

/*
** Numbers.
*/

/* The digits of a bigint without '_', in memory of the tree. */
static KvBytes jspDigits(KvJsp *p, const KvLexNum *pNum){
  u8 *a;
  u32 i, n = 0;
  if( !pNum->bSep ) return pNum->digits;
  a = kvTreeSpace(p->pTree, pNum->digits.n);
  for(i=0; a && i<pNum->digits.n; i++){
    if( pNum->digits.p[i]!='_' ) a[n++] = pNum->digits.p[i];
  }
  return kvBytes(a, n);
}

static int jspBigint(KvJsp *p, const KvLexNum *pNum, int bNeg){
  u32 n;
  KvBytes digits = jspDigits(p, pNum);
  u8 *a = kvTreeSpace(p->pTree, kvBigBound(digits.n));
  if( digits.p==0 || a==0 ){
    kvJspNoMem(p);
    return JSP_FAIL;
  }
  n = kvBigParse(digits, pNum->iBase, a);
  if( n==KV_BIG_NOMEM ){
    kvJspNoMem(p);
    return JSP_FAIL;
  }
  if( kvJspScalar(p, KV_BIGINT, n)==JSP_FAIL ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].eSub = bNeg && n>0;
  p->pTree->aNode[p->iVal].u.p = a;
  return JSP_DONE;
}

/* Length of "2023-04-23T..." at z, also with six digits and a sign; or 0. */
static u32 jspIsoLength(const char *z, const char *zEnd){
  static const char zForm[] = "dddd-dd-ddT", zLong[] = "sdddddd-dd-ddT";
  const char *zAt = z;
  const char *zPat = *z=='-' || *z=='+' ? zLong : zForm;
  for(; *zPat; zPat++, z++){
    if( z>=zEnd ) return 0;
    if( *zPat=='d' ? !kvJspIsDigit((u8)*z) : *zPat!='s' && *z!=*zPat ) return 0;
  }
  while( z<zEnd && (kvJspIsDigit((u8)*z) || *z==':' || *z=='.') ) z++;
  return z<zEnd && *z=='Z' ? (u32)(z+1-zAt) : 0;
}

/* A date as the console prints it. */
static int jspIsoDate(KvJsp *p, u32 n){
  double r;
  if( kvDateParse(kvBytes(p->lex.z, n), &r)!=KV_OK ) return kvJspError(p, p->lex.z, "not a date");
  p->lex.z += n;
  if( kvJspScalar(p, KV_DATE, 0)==JSP_FAIL ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].u.r = kvTimeClip(r);
  return JSP_DONE;
}

/* Anything that starts with a digit, '.', '-' or '+'. */
int kvJspReadNumber(KvJsp *p){
  const char *zAt = p->lex.z;
  u8 cSign = *zAt=='-' || *zAt=='+' ? (u8)*zAt : 0;
  KvLexNum num;
  u32 nIso = jspIsoLength(zAt, p->lex.zEnd);
  if( nIso ) return jspIsoDate(p, nIso);
  if( cSign ){
    p->lex.z++;
    if( kvJspSpace(p) ) return JSP_FAIL;
  }
  if( cSign && kvLexWord(&p->lex, "Infinity") ){
    num.r = kvBitsToDouble(0x7ff0000000000000u);
  }else if( cSign && kvLexWord(&p->lex, "NaN") ){
    num.r = kvNaN();
  }else if( !kvJspIsDigit(kvJspPeek(p)) && kvJspPeek(p)!='.' ){
    return kvJspError(p, p->lex.z, cSign ? "expected a number after the sign" : JSP_WHAT);
  }else if( kvLexNumber(&p->lex, &num) ){
    return JSP_FAIL;
  }else if( num.iBase ){
    if( cSign=='+' ) return kvJspError(p, zAt, "a bigint can't have the sign +");
    return jspBigint(p, &num, cSign=='-');
  }
  return kvJspNumber(p, cSign=='-' ? -num.r : num.r);
}

/* Length of the number at z by the grammar of JSON, or 0. */
static u32 jspJsonLength(const char *z, const char *zEnd){
  const char *zAt = z;
  if( z<zEnd && *z=='-' ) z++;
  if( z>=zEnd || !kvJspIsDigit((u8)*z) ) return 0;
  if( *z=='0' ) z++;
  else while( z<zEnd && kvJspIsDigit((u8)*z) ) z++;
  if( zEnd-z>=2 && *z=='.' && kvJspIsDigit((u8)z[1]) ){
    z++;
    while( z<zEnd && kvJspIsDigit((u8)*z) ) z++;
  }
  if( zEnd-z>=2 && (*z|0x20)=='e' ){
    const char *zExp = z+1;
    if( zEnd-zExp>=2 && (*zExp=='+' || *zExp=='-') ) zExp++;
    if( kvJspIsDigit((u8)*zExp) ){
      for(z=zExp; z<zEnd && kvJspIsDigit((u8)*z); z++){}
    }
  }
  return (u32)(z - zAt);
}

/* The n digits at z as they are, see kvJsonParseDigits(). */
static int jspJsonDigits(KvJsp *p, const char *z, u32 n, int bNeg){
  KvNode *pNode;
  p->iVal = kvJspNode(p, KV_BIGINT);
  if( p->iVal==KV_NO_NODE ) return JSP_FAIL;
  pNode = &p->pTree->aNode[p->iVal];
  pNode->eSpare = KV_DIGITS;
  pNode->eSub = (u8)bNeg;
  pNode->n = n;
  pNode->u.p = (const u8*)z;
  return JSP_DONE;
}

/* True if all of the n bytes at z are digits. */
static int jspAllDigits(const char *z, u32 n){
  u32 i;
  for(i=0; i<n && kvJspIsDigit((u8)z[i]); i++){}
  return i==n;
}

int kvJspReadJson(KvJsp *p){
  u32 n = jspJsonLength(p->lex.z, p->lex.zEnd);
  int bNeg = *p->lex.z=='-';
  double r;
  if( n==0 ) return kvJspError(p, p->lex.z, "not a JSON number");
  p->lex.z += n;
  if( p->bDigits && n-(u32)bNeg>=16 && jspAllDigits(p->lex.z-n+bNeg, n-(u32)bNeg) ){
    return jspJsonDigits(p, p->lex.z-n+bNeg, n-(u32)bNeg, bNeg);
  }
  kvNumParse(kvBytes(p->lex.z - n + bNeg, n - (u32)bNeg), &r);
  return kvJspNumber(p, bNeg ? -r : r);
}

/* Small integers, which most numbers are, without the detours. */
int kvJspReadDigit(KvJsp *p){
  const char *z = p->lex.z;
  const char *zMax = p->lex.zEnd-z>15 ? z+15 : p->lex.zEnd;
  u64 v = (u64)(*z++ - '0');
  if( v>0 ){
    for(; z<zMax && kvJspIsDigit((u8)*z); z++) v = v*10 + (u64)(*z-'0');
  }
  if( z<p->lex.zEnd
   && (*z==',' || *z==']' || *z=='}' || *z==' ' || *z=='\n' || *z==')')
  ){
    p->lex.z = z;
    return kvJspNumber(p, (double)v);
  }
  return p->bJson ? kvJspReadJson(p) : kvJspReadNumber(p);
}

/*
** Words.
*/

u32 kvJspWordLength(KvJsp *p){
  const char *z = p->lex.z;
  u32 n;
  if( z>=p->lex.zEnd || kvJspIsDigit((u8)*z) ) return 0;
  while( kvLexInWord(z, p->lex.zEnd) ) z++;
  n = (u32)(z - p->lex.z);
  return kvUtf8Valid(kvBytes(p->lex.z, n)) ? n : 0;
}

#define jspIs(Z,N,LIT) ((N)==sizeof(LIT)-1 && memcmp((Z), (LIT), sizeof(LIT)-1)==0)

/* Open the arguments of a call; the cursor is behind the '('. */
static int jspOpenCall(KvJsp *p, int eCall, const char *zAt){
  KvJsFrame *pFrame = kvJspPush(p, JSP_CALL, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->eCall = (u16)eCall;
  pFrame->cClose = ')';
  if( eCall==KV_CALL(KV_CALL_VIEW, KV_VIEW_U8) && kvJspPeek(p)=='[' ){
    const char *z = p->lex.z;
    int b = kvJsPlainBytes(p);
    if( b<0 ) return JSP_FAIL;
    if( b>0 && kvJspPeek(p)==')' ){              /* the usual Uint8Array */
      p->lex.z++;
      p->nFrame--;
      return kvJspSuffix(p);
    }
    p->lex.z = z;
  }
  return JSP_VALUE;
}

/* A constructor's name was read, after `new` or (bNew==0) without. */
static int jspConstruct(KvJsp *p, int eCall, int bNew, const char *zAt){
  if( !kvJspAccept(p, '(') ){
    if( !bNew || p->lex.err.eCode ) return kvJspError(p, zAt, bNew ? JSP_WHAT : JSP_NAME);
    if( kvJspPush(p, JSP_CALL, zAt)==0 ) return JSP_FAIL;
    kvJspTop(p)->eCall = (u16)eCall;
    return kvJspCloseCall(p);
  }
  return jspOpenCall(p, eCall, zAt);
}

/* `new` was read. */
static int jspNew(KvJsp *p, const char *zAt){
  const char *zName;
  u32 n;
  int eCall;
  if( kvJspSpace(p) ) return JSP_FAIL;
  zName = p->lex.z;
  n = kvJspWordLength(p);
  if( jspIs(zName, n, "Deno") && p->lex.zEnd-zName>=10 && jspIs(zName, 10, "Deno.KvU64") ) n = 10;
  p->lex.z += n;
  eCall = kvJsCallName(kvBytes(zName, n));
  if( eCall==0 ){
    return kvJspError(p, zName, "objects of this class can't be stored; known are Map, Set, Date, RegExp,"
        " Deno.KvU64, the typed arrays, DataView, ArrayBuffer, Array, Object, Number, String,"
        " Boolean and the Error types");
  }
  return jspConstruct(p, eCall, 1, zAt);
}

/* "(n)" as the console writes it.  False if there is none. */
static int jspCount(KvJsp *p, u64 *pn){
  const char *z = p->lex.z;
  u64 v = 0;
  if( kvJspPeek(p)!='(' ) return 0;
  for(z++; z<p->lex.zEnd && kvJspIsDigit((u8)*z) && v<((u64)1<<40); z++){
    v = v*10 + (u64)(*z-'0');
  }
  if( z>=p->lex.zEnd || *z!=')' || z[-1]=='(' ) return 0;
  p->lex.z = z+1;
  *pn = v;
  return 1;
}

/* Expect the bytes of zText, with white space before each of them allowed. */
static int jspExpect(KvJsp *p, const char *zText, const char *zMsg){
  for(; *zText; zText++){
    if( !kvJspAccept(p, (u8)*zText) ){
      kvLexError(&p->lex, p->lex.z, zMsg);
      return 0;
    }
  }
  return 1;
}

/* An integer of the console. */
static int jspConsoleInt(KvJsp *p, u32 *pv){
  KvLexNum num;
  const char *zAt;
  if( kvJspSpace(p) ) return 0;
  zAt = p->lex.z;
  if( !kvJspIsDigit(kvJspPeek(p)) || kvLexNumber(&p->lex, &num) || num.iBase || num.r>4294967295.0 ){
    kvLexError(&p->lex, zAt, "expected a length");
    return 0;
  }
  *pv = (u32)num.r;
  return 1;
}

/* The '}' of a console form, perhaps behind a comma. */
static int jspConsoleEnd(KvJsp *p){
  kvJspAccept(p, ',');
  return kvJspAccept(p, '}');
}

/* ArrayBuffer { [Uint8Contents]: <01 02>, byteLength: 2 }, from the brace on. */
static int jspConsoleBuffer(KvJsp *p){
  static const char zMsg[] = "not an ArrayBuffer as the console prints it";
  const char *zHex, *zEnd, *zAt = p->lex.z;
  u8 *a;
  u32 n = 0, nClaim;
  int iNibble;
  if( !jspExpect(p, "{[Uint8Contents]:<", zMsg) ) return JSP_FAIL;
  zHex = p->lex.z;
  zEnd = memchr(zHex, '>', (size_t)(p->lex.zEnd - zHex));
  if( zEnd==0 ) return kvJspError(p, zAt, zMsg);
  a = kvTreeSpace(p->pTree, (u64)(zEnd - zHex)/2 + 1);
  if( a==0 ){
    kvJspNoMem(p);
    return JSP_FAIL;
  }
  for(iNibble=0; zHex<zEnd; zHex++){
    static const char zDigit[] = "0123456789abcdef";
    const char *zAtDigit = *zHex ? memchr(zDigit, *zHex, 16) : 0;
    if( *zHex==' ' && iNibble==0 ) continue;
    if( zAtDigit==0 ) return kvJspError(p, zHex, zMsg);
    a[n] = (u8)((iNibble ? a[n]<<4 : 0) | (zAtDigit - zDigit));
    n += (u32)iNibble;
    iNibble ^= 1;
  }
  p->lex.z = zEnd;
  if( iNibble || !jspExpect(p, ">,byteLength:", zMsg) || !jspConsoleInt(p, &nClaim)
   || nClaim!=n || !jspConsoleEnd(p)
  ){
    return kvJspError(p, zAt, zMsg);
  }
  p->iVal = kvJspAdd(p, KV_BUFFER);
  if( p->iVal==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].n = n;
  p->pTree->aNode[p->iVal].u.p = a;
  return JSP_DONE;
}

/* DataView { byteLength: 1, byteOffset: 0, buffer: ArrayBuffer {...} } */
static int jspConsoleDataView(KvJsp *p){
  static const char zMsg[] = "not a DataView as the console prints it";
  const char *zAt = p->lex.z;
  u32 nByte, iOffset;
  KvNode *pNode;
  if( !jspExpect(p, "{byteLength:", zMsg) || !jspConsoleInt(p, &nByte)
   || !jspExpect(p, ",byteOffset:", zMsg) || !jspConsoleInt(p, &iOffset)
   || !jspExpect(p, ",buffer:ArrayBuffer", zMsg)
  ){
    return JSP_FAIL;
  }
  if( jspConsoleBuffer(p)==JSP_FAIL ) return JSP_FAIL;
  if( !jspConsoleEnd(p) || (u64)iOffset+nByte>p->pTree->aNode[p->iVal].n ){
    return kvJspError(p, zAt, zMsg);
  }
  if( kvJsWhole(p, KV_VIEW_DATA, p->iVal) ) return JSP_FAIL;
  pNode = &p->pTree->aNode[p->iVal];
  pNode->n = nByte;
  pNode->u.iOffset = iOffset;
  return JSP_DONE;
}

/*
** A name of the console: what follows tells it from a call.  Returns
** JSP_END when the text is something else.
*/
static int jspConsole(KvJsp *p, int eCall, const char *zAt){
  const char *z = p->lex.z;
  u64 nClaim = 0;
  int bCount = jspCount(p, &nClaim), e = JSP_END;
  u8 c;
  if( kvJspSpace(p) ) return JSP_FAIL;
  c = kvJspPeek(p);
  if( c=='{' && (eCall==KV_CALL_MAP || eCall==KV_CALL_SET) ){
    p->lex.z++;
    e = eCall==KV_CALL_MAP ? kvJspOpen(p, JSP_MAP, KV_MAP, zAt) : kvJspOpen(p, JSP_SET, KV_SET, zAt);
  }else if( c=='{' && eCall==KV_CALL_BUFFER ){
    e = jspConsoleBuffer(p);
  }else if( c=='{' && eCall==KV_CALL(KV_CALL_VIEW, KV_VIEW_DATA) ){
    e = jspConsoleDataView(p);
  }else if( c=='{' && eCall==KV_CALL_DATE ){
    if( !jspExpect(p, "{NaN}", "expected { NaN }") ) return JSP_FAIL;
    e = kvJspScalar(p, KV_DATE, 0);
    if( e==JSP_DONE ) p->pTree->aNode[p->iVal].u.r = kvTimeClip(1e300);
  }else if( c=='[' && KV_CALL_KIND(eCall)==KV_CALL_VIEW ){
    if( kvJspPush(p, JSP_CALL, zAt)==0 ) return JSP_FAIL;
    kvJspTop(p)->eCall = (u16)eCall;
    e = JSP_VALUE;
  }
  if( e==JSP_VALUE ){
    kvJspTop(p)->bCount = (u16)bCount;
    kvJspTop(p)->nClaim = nClaim;
  }
  if( e==JSP_END ) p->lex.z = z;
  return e;
}

/* A class name without `new`. */
static int jspClass(KvJsp *p, const char *zAt, u32 n){
  int eCall = kvJsCallName(kvBytes(zAt, n));
  int eKind = KV_CALL_KIND(eCall), e;
  if( eCall==0 ) return kvJspError(p, zAt, JSP_NAME);
  e = jspConsole(p, eCall, zAt);
  if( e!=JSP_END ) return e;
  if( eCall==KV_CALL_OBJECT && kvLexText(&p->lex, ".assign") ) eCall = KV_CALL_ASSIGN;
  if( eKind!=KV_CALL_ERROR && eKind!=KV_CALL_REGEXP && eKind!=KV_CALL_ARRAY && eKind!=KV_CALL_OBJECT ){
    return kvJspError(p, zAt, kvJspPeek(p)=='.' ? JSP_NAME
        : "write `new` before the name of this class");
  }
  return jspConstruct(p, eCall, 0, zAt);
}

static int jspInvalidDate(KvJsp *p, const char *zAt){
  if( kvJspSpace(p) ) return JSP_FAIL;
  if( !kvLexWord(&p->lex, "Date") ) return kvJspError(p, zAt, JSP_WHAT);
  if( kvJspScalar(p, KV_DATE, 0)==JSP_FAIL ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].u.r = kvTimeClip(1e300);
  return JSP_DONE;
}

/* True if a ':' comes next; the cursor doesn't move. */
static int jspColonNext(KvJsp *p){
  const char *z = p->lex.z;
  int b = kvJspAccept(p, ':');
  p->lex.z = z;
  return b;
}

int kvJspReadWord(KvJsp *p){
  const char *z = p->lex.z;
  u32 n = kvJspWordLength(p);
  const KvJsFrame *pTop = kvJspTop(p);
  if( n==0 ) return kvJspError(p, z, JSP_WHAT);
  p->lex.z += n;
  if( pTop && pTop->eFrame==JSP_ARRAY && !pTop->bHalf && jspColonNext(p) ){
    if( z==pTop->zAt+1 ){
      return kvJspError(p, pTop->zAt, "[name: ...] is how the console prints an Error and the like;"
          " write new Error(\"...\"), and a property of an array behind a space: [ name: value ]");
    }
    p->iVal = kvJspString(p, kvBytes(z, n));
    return p->iVal==KV_NO_NODE ? JSP_FAIL : JSP_DONE;
  }
  switch( *z ){
    case 'n':
      if( jspIs(z, n, "null") ) return kvJspScalar(p, KV_NULL, 0);
      if( jspIs(z, n, "new") ) return jspNew(p, z);
      break;
    case 't': if( jspIs(z, n, "true") ) return kvJspScalar(p, KV_BOOL, 1); break;
    case 'f': if( jspIs(z, n, "false") ) return kvJspScalar(p, KV_BOOL, 0); break;
    case 'u': if( jspIs(z, n, "undefined") ) return kvJspScalar(p, KV_UNDEFINED, 0); break;
    case 'N':
      if( jspIs(z, n, "NaN") ) return kvJspNumber(p, kvNaN());
      break;
    case 'I':
      if( jspIs(z, n, "Infinity") ) return kvJspNumber(p, kvBitsToDouble(0x7ff0000000000000u));
      if( jspIs(z, n, "Invalid") ) return jspInvalidDate(p, z);
      break;
    default: break;
  }
  return jspClass(p, z, n);
}

/*
** Regular expressions.
*/

/* The '/' that ends the literal at z, or 0. */
static const char *jspRegexpEnd(const char *z, const char *zEnd){
  int bClass = 0;
  for(z++; z<zEnd; z++){
    if( *z=='\\' ){
      z++;
      if( z>=zEnd ) return 0;
    }else if( *z=='[' ){
      bClass = 1;
    }else if( *z==']' ){
      bClass = 0;
    }else if( *z=='/' && !bClass ){
      return z;
    }
    if( *z=='\n' || *z=='\r' ) return 0;
    if( zEnd-z>=3 && memcmp(z, "\xe2\x80", 2)==0 && ((u8)z[2]&0xfe)==0xa8 ) return 0;
  }
  return 0;
}

int kvJspReadRegexp(KvJsp *p){
  const char *zAt = p->lex.z;
  const char *zStop = jspRegexpEnd(zAt, p->lex.zEnd);
  u32 iSrc, iFlag;
  if( zStop==0 ) return kvJspError(p, zAt, "regular expression is not closed");
  if( !kvUtf8Valid(kvBytes(zAt, (u32)(zStop-zAt))) ) return kvJspError(p, zAt, "not UTF-8");
  p->lex.z = zStop+1;
  while( kvLexInWord(p->lex.z, p->lex.zEnd) ) p->lex.z++;
  iSrc = kvJspString(p, kvBytes(zAt+1, (u32)(zStop-zAt-1)));
  if( iSrc==KV_NO_NODE ) return JSP_FAIL;
  iFlag = kvJspString(p, kvBytes(zStop+1, (u32)(p->lex.z-zStop-1)));
  if( iFlag==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[iSrc].iNext = iFlag;
  return kvJsCall(p, KV_CALL_REGEXP, zAt, iSrc, 2) ? JSP_FAIL : JSP_DONE;
}
