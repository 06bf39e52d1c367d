/*
** key_parse.c -- key text to the stored bytes of a key.  See key_parse.h.
**
**   key    := '[' [ part { ',' part } [ ',' ] ] ']'
**   part   := string | [sign] number | [sign] bigint | 'true' | 'false' | bytes
**           | [sign] 'NaN' | [sign] 'Infinity' | 'kv.commitVersionstamp()'
**   bytes  := 'new' 'Uint8Array' '(' [ '[' list ']' | length ] ')'
**           | 'Uint8Array' '(' length ')' '[' list ']'        as consoles print
**
** White space and comments may stand between words; strings, numbers and
** bigints are JavaScript's (js_lex.h).  kv.commitVersionstamp() may only be
** the last part.
**
** A number without a fraction and an exponent must be the number that is
** stored: its exact value, or the digits that JavaScript prints for it.  So
** 9007199254740993, which JavaScript reads as 9007199254740992, is an error.
*/
#include "codec/key/key_parse.h"
#include "codec/key/key_bytes.h"
#include "codec/num/num.h"
#include "codec/num/bigint.h"
#include "bytes/hex.h"
#include "bytes/utf.h"

/* The largest N of new Uint8Array(N), which stands for N zero bytes, and of all
** in one text. */
#define KEY_PARSE_ZERO_BYTES  65536
#define KEY_PARSE_ALL_ZEROS   (1u<<20)

#define KEY_PARSE_INFINITY ((u64)0x7ff<<52)

static const char keyParseExpected[] =
  "a key part must be a string, number, bigint, boolean or new Uint8Array([...])";

static int keyParseMemory(KvLex *p, const char *zAt, int rc){
  kvErrSet(&p->err, rc, zAt - p->zStart, "out of memory");
  return rc;
}

/* True if a digit comes next. */
static int keyParseIsDigit(const KvLex *p){
  return p->z<p->zEnd && *p->z>='0' && *p->z<='9';
}

static int keyParseExpect(KvLex *p, char c, const char *zMsg){
  return kvLexNext(p, c) ? KV_OK : kvLexError(p, p->z, zMsg);
}

static int keyParseString(KvLex *p, KvBuf *pOut){
  u8 aSpace[512];
  KvBuf space;
  KvLexStr str;
  const char *zAt = p->z;
  int rc;
  kvBufInit(&space, aSpace, sizeof(aSpace));
  rc = kvLexString(p, 0, &space, &str);
  if( rc==KV_OK ) kvKeyPutString(pOut, str.s);
  kvBufClear(&space);
  return rc==KV_NOMEM || rc==KV_TOOBIG ? keyParseMemory(p, zAt, rc) : rc;
}

/* 255 bytes are 2040 binary digits, and the largest number has 1024. */
#define KEY_PARSE_DIGITS 2200

/* The digits of an integer literal without '_' and leading zeros, *pn of them.
** False: there are more than KEY_PARSE_DIGITS. */
static int keyParseDigits(const KvLexNum *pNum, char *zDigit, u32 *pn){
  u32 i, n = 0;
  for(i=0; i<pNum->digits.n; i++){
    char c = (char)pNum->digits.p[i];
    if( c=='_' || (c=='0' && n==0) ) continue;
    if( n>=KEY_PARSE_DIGITS ) return 0;
    zDigit[n++] = c;
  }
  *pn = n;
  return 1;
}

static int keyParseBigint(KvLex *p, const char *zAt, int bNeg, const KvLexNum *pNum, KvBuf *pOut){
  char zDigit[KEY_PARSE_DIGITS];
  u8 aMag[kvBigBound(KEY_PARSE_DIGITS)];
  u32 n;
  if( keyParseDigits(pNum, zDigit, &n) ){
    n = n ? kvBigParse(kvBytes(zDigit, n), pNum->iBase, aMag) : 0;
    if( n<=KV_BIGINT_KEY_BYTES ){
      kvKeyPutBigint(pOut, bNeg, kvBytes(aMag, n));
      return KV_OK;
    }
  }
  return kvLexError(p, zAt, "bigint in a key needs more than 255 bytes");
}

/* The finite number r, 2^53 or more, as the magnitude of a bigint in a[], which
** has KEY_PARSE_NUMBER_BYTES.  Returns its length. */
#define KEY_PARSE_NUMBER_BYTES 136
static u32 keyParseMagnitude(double r, u8 *a){
  u64 u = kvDoubleToBits(r);
  u32 nShift = (u32)(u>>52) - 1075;
  u32 n = nShift/8 + 8;
  memset(a, 0, KEY_PARSE_NUMBER_BYTES);
  kvPut64le(&a[nShift/8], ((u & 0xfffffffffffffu) | 0x10000000000000u)<<(nShift%8));
  while( a[n-1]==0 ) n--;
  return n;
}

/* Does the literal at zNumber, an integer of 2^53 or more, stand for the number
** that it is read as?  It does if it is its value or JavaScript's print. */
static int keyParseIsExact(const char *zNumber, const KvLexNum *pNum){
  char zDigit[KEY_PARSE_DIGITS], zPrint[KV_NUM_TEXT];
  u8 aMag[kvBigBound(KEY_PARSE_DIGITS)], aNumber[KEY_PARSE_NUMBER_BYTES];
  char cBase = (char)(pNum->digits.p==(const u8*)zNumber ? 0 : zNumber[1]|0x20);
  int iBase = cBase=='x' ? 16 : cBase=='o' ? 8 : cBase=='b' ? 2 : 10;
  u32 n, nMag, nNumber;
  if( pNum->r-pNum->r!=0.0 || !keyParseDigits(pNum, zDigit, &n) ) return 0;
  if( iBase==10 && (u32)kvNumPrint(pNum->r, zPrint)==n && memcmp(zPrint, zDigit, n)==0 ) return 1;
  nMag = kvBigParse(kvBytes(zDigit, n), iBase, aMag);
  nNumber = keyParseMagnitude(pNum->r, aNumber);
  return nMag==nNumber && memcmp(aMag, aNumber, nMag)==0;
}

/* The number at zNumber, its sign at zAt. */
static int keyParseDouble(
  KvLex *p, const char *zAt, const char *zNumber, const KvLexNum *pNum, KvBuf *pOut
){
  double r = *zAt=='-' ? -pNum->r : pNum->r;
  int bInteger = (const u8*)p->z==&pNum->digits.p[pNum->digits.n];
  if( bInteger && pNum->r>=9007199254740992.0 && !keyParseIsExact(zNumber, pNum) ){
    kvLexError(p, zAt, "integer is not exactly a JavaScript number; append n for a bigint, "
                       "or write the number it would become");
    p->err.zNumber[kvNumPrint(r, p->err.zNumber)] = 0;
    return KV_SYNTAX;
  }
  kvKeyPutNumber(pOut, r);
  return KV_OK;
}

/* A number or bigint with an optional sign. */
static int keyParseNumber(KvLex *p, KvBuf *pOut){
  const char *zAt = p->z, *zNumber;
  KvLexNum num;
  int bNeg = *p->z=='-';
  int bSign = bNeg || *p->z=='+';
  if( bSign ){
    p->z++;
    if( kvLexSpace(p)!=KV_OK ) return KV_SYNTAX;
  }
  if( kvLexWord(p, "NaN") ){
    kvKeyPutNaN(pOut, bNeg);
    return KV_OK;
  }
  if( kvLexWord(p, "Infinity") ){
    kvKeyPutNumber(pOut, kvBitsToDouble(KEY_PARSE_INFINITY | (u64)bNeg<<63));
    return KV_OK;
  }
  if( !keyParseIsDigit(p) && !(p->z<p->zEnd && *p->z=='.') ){
    return kvLexError(p, zAt, keyParseExpected);
  }
  zNumber = p->z;
  if( kvLexNumber(p, &num)!=KV_OK ) return p->err.eCode;
  if( num.iBase==0 ) return keyParseDouble(p, zAt, zNumber, &num, pOut);
  if( bSign && !bNeg ) return kvLexError(p, zAt, "a bigint can't have a plus sign");
  return keyParseBigint(p, zAt, bNeg, &num, pOut);
}

/* Numbers up to the closing bracket, as bytes. */
static int keyParseByteList(KvLex *p, KvBuf *pBytes){
  KvLexNum num;
  while( !kvLexNext(p, ']') ){
    int bNeg = p->z<p->zEnd && *p->z=='-';
    if( bNeg ) p->z++;
    if( !keyParseIsDigit(p) ) return kvLexError(p, p->z, "expected a byte (0 to 255) or ']'");
    if( kvLexNumber(p, &num)!=KV_OK ) return p->err.eCode;
    if( num.iBase!=0 ) return kvLexError(p, p->z, "a byte can't be a bigint");
    kvBufPut(pBytes, (u8)kvNumModulo(bNeg ? -num.r : num.r));
    if( kvLexComma(p, "expected ',' or ']' in a list of bytes") ) return KV_SYNTAX;
  }
  return KV_OK;
}

/* An integer in 0..KEY_PARSE_ZERO_BYTES. */
static int keyParseLength(KvLex *p, u32 *pn){
  const char *zAt = p->z;
  KvLexNum num;
  if( !keyParseIsDigit(p) || kvLexNumber(p, &num)!=KV_OK ){
    return kvLexError(p, zAt, "expected a list of bytes [...] or a length");
  }
  if( num.iBase!=0 || num.r>KEY_PARSE_ZERO_BYTES || num.r!=(double)(u32)num.r ){
    return kvLexError(p, zAt, "length of a Uint8Array must be an integer up to 65536");
  }
  *pn = (u32)num.r;
  return KV_OK;
}

/* nZero bytes that the text does not spell out. */
static int keyParseZeros(KvLex *p, const char *zAt, u32 nZero, KvBuf *pBytes){
  p->nZero += nZero;
  if( p->nZero>KEY_PARSE_ALL_ZEROS ){
    return kvLexError(p, zAt,
        "the lengths of Uint8Arrays in one text may be up to 1048576 together");
  }
  while( nZero-- > 0 ) kvBufPut(pBytes, 0);
  return KV_OK;
}

/* What follows "new Uint8Array" or, as a console prints it, "Uint8Array". */
static int keyParseBytesBody(KvLex *p, int bNew, KvBuf *pBytes){
  const char *zAt = p->z;
  u32 nZero = 0;
  if( keyParseExpect(p, '(', "expected '(' after Uint8Array") ) return KV_SYNTAX;
  if( bNew && kvLexNext(p, ')') ) return KV_OK;
  if( bNew && kvLexNext(p, '[') ){
    if( keyParseByteList(p, pBytes) ) return KV_SYNTAX;
    kvLexNext(p, ',');
    return keyParseExpect(p, ')', "expected ')' after the bytes of a Uint8Array");
  }
  kvLexSpace(p);
  if( keyParseLength(p, &nZero)
   || keyParseExpect(p, ')', "expected ')' after the length of a Uint8Array")
  ){
    return KV_SYNTAX;
  }
  if( bNew ) return keyParseZeros(p, zAt, nZero, pBytes);
  if( keyParseExpect(p, '[', "expected '[' after Uint8Array(n)")
   || keyParseByteList(p, pBytes)
  ){
    return KV_SYNTAX;
  }
  return pBytes->n==nZero ? KV_OK : kvLexError(p, p->z, "Uint8Array(n) does not hold n bytes");
}

static int keyParseBytes(KvLex *p, int bNew, KvBuf *pOut){
  u8 aSpace[512];
  KvBuf bytes;
  const char *zAt = p->z;
  int rc;
  kvBufInit(&bytes, aSpace, sizeof(aSpace));
  rc = keyParseBytesBody(p, bNew, &bytes);
  if( rc==KV_OK ) rc = p->err.eCode;
  if( bytes.eErr!=KV_OK ) rc = keyParseMemory(p, zAt, bytes.eErr);
  if( rc==KV_OK ) kvKeyPutBytes(pOut, kvBufBytes(&bytes));
  kvBufClear(&bytes);
  return rc;
}

static int keyParsePart(KvLex *p, KvBuf *pOut){
  const char *zAt = p->z;
  char c = (char)(p->z<p->zEnd ? *p->z : 0);
  if( c=='"' || c=='\'' || c=='`' ) return keyParseString(p, pOut);
  if( (c>='0' && c<='9') || c=='-' || c=='+' || c=='.' || c=='N' || c=='I' ){
    return keyParseNumber(p, pOut);
  }
  if( kvLexWord(p, "true") ){
    kvKeyPutBool(pOut, 1);
    return KV_OK;
  }
  if( kvLexWord(p, "false") ){
    kvKeyPutBool(pOut, 0);
    return KV_OK;
  }
  if( kvLexWord(p, "new") ){
    if( kvLexSpace(p)!=KV_OK ) return KV_SYNTAX;
    if( kvLexWord(p, "Uint8Array") ) return keyParseBytes(p, 1, pOut);
  }else if( kvLexWord(p, "Uint8Array") ){
    return keyParseBytes(p, 0, pOut);
  }
  return kvLexError(p, zAt, keyParseExpected);
}

/* Is it kv.commitVersionstamp()?  Like any call it may have space in it. */
static int keyParseStamp(KvLex *p){
  static const char *const azToken[] = { "kv", ".", "commitVersionstamp", "(", ")" };
  const char *zAt = p->z;
  u32 i;
  for(i=0; i<sizeof(azToken)/sizeof(azToken[0]); i++){
    if( kvLexSpace(p)==KV_OK && kvLexText(p, azToken[i]) ) continue;
    p->z = zAt;
    return 0;
  }
  return 1;
}

/* The parts up to the closing bracket. */
static int keyParseParts(KvLex *p, int mFlags, KvBuf *pOut, int *pbStamp){
  while( !kvLexNext(p, ']') ){
    const char *zAt = p->z;
    if( pbStamp && *pbStamp ){
      return kvLexError(p, zAt, "kv.commitVersionstamp() must be the last part of a key");
    }
    if( p->z<p->zEnd && *p->z=='k' && keyParseStamp(p) ){
      if( (mFlags & KVKEY_STAMP)==0 || pbStamp==0 ){
        return kvLexError(p, zAt,
            "kv.commitVersionstamp() is only allowed in a key that is being set");
      }
      *pbStamp = 1;
    }else{
      int rc = keyParsePart(p, pOut);
      if( rc!=KV_OK ) return rc;
    }
    if( kvLexComma(p, "expected ',' or ']' after a key part") ) return KV_SYNTAX;
  }
  return p->err.eCode;
}

int kvKeyLex(KvLex *p, int mFlags, KvBuf *pOut, int *pbStamp){
  KV_ASSERT( p->z<p->zEnd && *p->z=='[' );
  p->z++;
  return keyParseParts(p, mFlags, pOut, pbStamp);
}

/* After kv.malformedKey(" */
static int keyParseMalformed(KvLex *p, KvBuf *pOut){
  for(; p->zEnd-p->z>=2 && *p->z!='"'; p->z += 2){
    int d1 = kvHexValue((u8)p->z[0]), d2 = kvHexValue((u8)p->z[1]);
    if( d1<0 || d2<0 || !(p->z[0] & p->z[1] & 0x20) ) break;     /* no capitals */
    kvBufPut(pOut, (u8)(d1*16 + d2));
  }
  if( !kvLexText(p, "\")") ) return kvLexError(p, p->z, "malformed key must be hexadecimal bytes");
  return KV_OK;
}

static int keyParseWhole(KvLex *p, int mFlags, KvBuf *pOut, int *pbStamp){
  int rc;
  if( kvLexNext(p, '[') ){
    rc = keyParseParts(p, mFlags, pOut, pbStamp);
  }else if( (mFlags & KVKEY_MALFORMED) && kvLexText(p, "kv.malformedKey(\"") ){
    rc = keyParseMalformed(p, pOut);
  }else{
    rc = kvLexError(p, p->z,
        "a key is an array such as [\"users\",42]; kv_key() makes one from values");
  }
  if( rc==KV_OK ) rc = kvLexSpace(p);
  if( rc==KV_OK && p->z<p->zEnd ) rc = kvLexError(p, p->z, "unexpected text after the key");
  if( rc==KV_OK ) rc = p->err.eCode;
  return rc==KV_OK && pOut->eErr!=KV_OK ? keyParseMemory(p, p->z, pOut->eErr) : rc;
}

/* An integer of at most 15 digits as a part.  Returns the byte after it, or 0. */
static const u8 *keyParseShortNumber(const u8 *z, const u8 *zEnd, KvBuf *pOut){
  int bNeg = *z=='-';
  const u8 *zFirst = z + bNeg;
  u64 v = 0;
  z = zFirst;
  while( z<zEnd && (u8)(*z-'0')<10 && z - zFirst<16 ) v = v*10 + (u64)(*z++-'0');
  if( z==zFirst || z - zFirst>15 || *zFirst=='0' ){
    if( z - zFirst!=1 || bNeg ) return 0;        /* 0 itself, but not -0 */
  }
  kvKeyPutNumber(pOut, bNeg ? -(double)v : (double)v);
  return z;
}

/*
** The short way for what most keys are, in the canonical form: plain strings
** and integers.  False: something else, or no memory, and pOut is as it was but
** for eErr.
*/
static int keyParseShort(KvBytes text, KvBuf *pOut){
  const u8 *z = text.p, *zEnd = z + text.n;
  u32 nOld = pOut->n;
  if( text.n<3 || *z!='[' || pOut->eErr!=KV_OK ) return 0;
  do{
    if( ++z>=zEnd ) break;
    if( *z=='"' ) z = kvPlainWrap(pOut, z+1, zEnd, '"', KV_TAG_STRING, 0);
    else z = keyParseShortNumber(z, zEnd, pOut);
  }while( z && z<zEnd && *z==',' );
  if( z && z+1==zEnd && *z==']' && pOut->eErr==KV_OK ) return 1;
  pOut->n = nOld;
  return 0;
}

int kvKeyParse(KvBytes text, int mFlags, KvBuf *pOut, int *pbStamp, KvErr *pErr){
  KvLex lex;
  int rc;
  if( pbStamp ) *pbStamp = 0;
  if( keyParseShort(text, pOut) ) return KV_OK;
  kvLexInit(&lex, text);
  rc = keyParseWhole(&lex, mFlags, pOut, pbStamp);
  if( rc!=KV_OK && pErr ) *pErr = lex.err;
  return rc;
}

int kvKeyParsePart(KvBytes text, KvBuf *pOut, KvErr *pErr){
  KvLex lex;
  int rc;
  kvLexInit(&lex, text);
  rc = keyParsePart(&lex, pOut);
  if( rc==KV_OK && lex.z<lex.zEnd ){
    rc = kvLexError(&lex, lex.z, "unexpected text after the key part");
  }
  if( rc==KV_OK && pOut->eErr!=KV_OK ) rc = keyParseMemory(&lex, lex.zStart, pOut->eErr);
  if( rc!=KV_OK && pErr ) *pErr = lex.err;
  return rc;
}
