/*
** utf.c -- UTF-8, UTF-16 and Latin-1.  See utf.h.
*/
#include "bytes/utf.h"
#include "bytes/hex.h"

#define UTF_IS_SURROGATE(c)  (((c)&0xfffff800u)==0xd800u)
#define UTF_IS_HIGH(c)       (((c)&0xfffffc00u)==0xd800u)
#define UTF_IS_LOW(c)        (((c)&0xfffffc00u)==0xdc00u)
#define UTF_REPLACEMENT      0xfffdu

/* Write a code point that is not ASCII. */
static inline u8 *utfPutWide(u8 *z, u32 c){
  if( c>=0x800 ){
    if( c>=0x10000 ){
      *z++ = (u8)(0xf0 | (c>>18));
      *z++ = (u8)(0x80 | ((c>>12)&0x3f));
    }else{
      *z++ = (u8)(0xe0 | (c>>12));
    }
    *z++ = (u8)(0x80 | ((c>>6)&0x3f));
  }else{
    *z++ = (u8)(0xc0 | (c>>6));
  }
  *z++ = (u8)(0x80 | (c&0x3f));
  return z;
}

int kvUtf8Put(u8 *z, u32 c){
  if( c>=0x80 ) return (int)(utfPutWide(z, c) - z);
  z[0] = (u8)c;
  return 1;
}

/*
** The lead byte of a multi-byte sequence decides how many bytes follow and
** which range the second of them may have (Unicode, table 3-7); a sequence
** that breaks off is replaced up to, not including, the byte that broke it.
*/
int kvUtf8Get(KvBytes text, u32 *pc, int bWtf){
  u32 c = text.p[0];
  u8 cLow = 0x80, cHigh = 0xbf;
  u32 nMore, i;
  KV_ASSERT( text.n>0 );
  if( c<0x80 ){
    *pc = c;
    return 1;
  }
  *pc = UTF_REPLACEMENT;
  if( c>=0xc2 && c<=0xdf ){
    nMore = 1;
    c &= 0x1f;
  }else if( c>=0xe0 && c<=0xef ){
    nMore = 2;
    if( c==0xe0 ) cLow = 0xa0;
    if( c==0xed && !bWtf ) cHigh = 0x9f;
    c &= 0x0f;
  }else if( c>=0xf0 && c<=0xf4 ){
    nMore = 3;
    if( c==0xf0 ) cLow = 0x90;
    if( c==0xf4 ) cHigh = 0x8f;
    c &= 0x07;
  }else{
    return 1;
  }
  for(i=1; i<=nMore; i++){
    if( i>=text.n || text.p[i]<cLow || text.p[i]>cHigh ) return (int)i;
    c = (c<<6) | (text.p[i]&0x3f);
    cLow = 0x80;
    cHigh = 0xbf;
  }
  *pc = c;
  return (int)nMore + 1;
}

u32 kvAsciiSpan(KvBytes text){
  const u8 *z = text.p, *zEnd = z + text.n;
  for(; zEnd - z>=8; z+=8){
    u64 w;
    memcpy(&w, z, 8);
    if( w & 0x8080808080808080ull ) break;
  }
  while( z<zEnd && *z<0x80 ) z++;
  return (u32)(z - text.p);
}

int kvUtf8Valid(KvBytes text){
  const u8 *z = text.p;
  u32 i = 0, n = text.n;
  while( i<n && (i += kvAsciiSpan(kvBytesFrom(text, i)))<n ){
    u32 c;
    int k;
    while( n-i>=3 && z[i]>=0xc2 && (z[i+1]&0xc0)==0x80 ){      /* the commonest */
      if( z[i]<0xe0 ) i += 2;
      else if( z[i]>0xe0 && z[i]<0xed && (z[i+2]&0xc0)==0x80 ) i += 3;
      else break;
    }
    if( i>=n || z[i]<0x80 ) continue;
    k = kvUtf8Get(kvBytesFrom(text, i), &c, 0);
    if( c==UTF_REPLACEMENT && !(k==3 && z[i]==0xef && z[i+1]==0xbf && z[i+2]==0xbd) ){
      return 0;
    }
    i += (u32)k;
  }
  return 1;
}

/* Append one code point; surrogates become U+FFFD unless bWtf. */
static void utfAppendPoint(KvBuf *pOut, u32 c, int bWtf){
  u8 z[4];
  if( !bWtf && UTF_IS_SURROGATE(c) ) c = UTF_REPLACEMENT;
  kvBufAppend(pOut, z, (u64)kvUtf8Put(z, c));
}

static u32 utfUnit16(const u8 *z){
  return (u32)z[0] | ((u32)z[1]<<8);
}

/* Read the code point at z[*pi] of UTF-16LE text of n bytes (n is even). */
static u32 utfNext16(const u8 *z, u32 n, u32 *pi){
  u32 c = utfUnit16(&z[*pi]);
  *pi += 2;
  if( UTF_IS_HIGH(c) && *pi+1<n ){
    u32 c2 = utfUnit16(&z[*pi]);
    if( UTF_IS_LOW(c2) ){
      *pi += 2;
      return 0x10000 + ((c&0x3ff)<<10) + (c2&0x3ff);
    }
  }
  return c;
}

static void utfAppendLatin1(KvBuf *pOut, KvBytes text){
  while( text.n>0 ){
    u32 k = kvAsciiSpan(text);
    kvBufAppend(pOut, text.p, k);
    if( k<text.n ) utfAppendPoint(pOut, text.p[k++], 1);
    text = kvBytesFrom(text, k);
  }
}

void kvUtfAppendUnit(KvBuf *pOut, u32 iStart, u32 c){
  KV_ASSERT( c<=0x10ffff && (iStart<=pOut->n || pOut->eErr) );
  if( UTF_IS_LOW(c) && pOut->n>=3 && pOut->n-3>=iStart ){
    const u8 *z = &pOut->a[pOut->n-3];
    if( z[0]==0xed && z[1]>=0xa0 && z[1]<=0xaf ){
      u32 cHigh = 0xd000u | ((u32)(z[1]&0x3f)<<6) | (z[2]&0x3f);
      pOut->n -= 3;
      c = 0x10000 + ((cHigh&0x3ff)<<10) + (c&0x3ff);
    }
  }
  utfAppendPoint(pOut, c, 1);
}

u32 kvPlainSpan(KvBytes text){
  const u8 *z = text.p, *zEnd = z + text.n;
  for(; zEnd - z>=8; z+=8){
    u64 u = kvPlainBits(kvGet64le(z));
    if( u ) return (u32)(z - text.p) + kvFirstByte(u);
  }
  while( z<zEnd && kvPlainByte(*z) ) z++;
  return (u32)(z - text.p);
}

void kvUtfAppendEscape(KvBuf *pOut, u32 c){
  static const char aShort[] = "btn\0fr";          /* of 08 .. 0d */
  kvBufPut(pOut, '\\');
  if( c=='"' || c=='\\' ){
    kvBufPut(pOut, (u8)c);
  }else if( c>=8 && c<=13 && c!=11 ){
    kvBufPut(pOut, (u8)aShort[c-8]);
  }else{
    char z[5] = { 'u', kvHexDigit(c>>12), kvHexDigit(c>>8), kvHexDigit(c>>4), kvHexDigit(c) };
    kvBufAppend(pOut, z, 5);
  }
}

/* Append a code point inside a JSON string, escaped where it must be. */
static void utfAppendEscaped(KvBuf *pOut, u32 c){
  if( c<0x20 || c=='"' || c=='\\' || UTF_IS_SURROGATE(c) ) kvUtfAppendEscape(pOut, c);
  else utfAppendPoint(pOut, c, 1);
}

/* The inside of a JSON string of two-byte units.  Three bytes for each unit
** are enough where nothing is escaped. */
static void utfQuoted16(KvBuf *pOut, const u8 *z, u32 n){
  u32 i = 0;
  while( i<n ){
    u8 *zTo;
    u32 c = 0;
    if( kvBufGrow(pOut, (u64)(n-i)/2*3)!=KV_OK ) return;
    zTo = &pOut->a[pOut->n];
    while( i<n ){
      c = utfUnit16(&z[i]);
      if( c<0x80 ? !kvPlainByte((u8)c) : UTF_IS_SURROGATE(c) ) break;
      i += 2;
      if( c<0x80 ) *zTo++ = (u8)c;
      else zTo = utfPutWide(zTo, c);
    }
    pOut->n = (u32)(zTo - pOut->a);
    if( i<n ) utfAppendEscaped(pOut, utfNext16(z, n, &i));
  }
}

/* The inside of a JSON string of one-byte units. */
static void utfQuotedLatin1(KvBuf *pOut, KvBytes text){
  const u8 *z = text.p;
  u32 i = 0, n = text.n;
  while( i<n ){
    u32 k = kvPlainSpan(kvBytesFrom(text, i));
    kvBufAppend(pOut, &z[i], k);
    i += k;
    if( i>=n || kvBufGrow(pOut, (u64)(n-i)*2)!=KV_OK ) return;
    while( i<n && z[i]>=0x80 ){
      pOut->n = (u32)(utfPutWide(&pOut->a[pOut->n], z[i++]) - pOut->a);
    }
    if( i<n && !kvPlainByte(z[i]) ) utfAppendEscaped(pOut, z[i++]);
  }
}

/* Any bytes as UTF-8, or the inside of a JSON string: most are copied. */
static void utfAppendRuns(KvBuf *pOut, KvBytes text, int bWtf, int bQuoted){
  while( text.n>0 ){
    u32 c, k = bQuoted ? kvPlainSpan(text) : kvAsciiSpan(text);
    kvBufAppend(pOut, text.p, k);
    text = kvBytesFrom(text, k);
    if( text.n==0 ) return;
    text = kvBytesFrom(text, (u32)kvUtf8Get(text, &c, bWtf));
    if( bQuoted ) utfAppendEscaped(pOut, c);
    else utfAppendPoint(pOut, c, 0);
  }
}

void kvLower(u8 *a, u32 n){
  for(; n>0; n--, a++) if( *a>='A' && *a<='Z' ) *a = (u8)(*a + 32);
}

void kvUtfAppendClean(KvBuf *pOut, KvBytes any){
  utfAppendRuns(pOut, any, 0, 0);
}

void kvUtfAppend(KvBuf *pOut, int eEnc, KvBytes text, int bWtf){
  u32 i = 0, n = text.n & ~1u;
  KV_ASSERT( eEnc==KV_LATIN1 || eEnc==KV_UTF16 || eEnc==KV_WTF8 );
  if( eEnc==KV_LATIN1 ){
    utfAppendLatin1(pOut, text);
  }else if( eEnc==KV_UTF16 ){
    while( i<n ) utfAppendPoint(pOut, utfNext16(text.p, n, &i), bWtf);
  }else if( bWtf || kvUtf8Valid(text) ){
    kvBufAdd(pOut, text);
  }else{
    utfAppendRuns(pOut, text, 1, 0);
  }
}

void kvUtfAppendQuoted(KvBuf *pOut, int eEnc, KvBytes text){
  if( eEnc!=KV_UTF16 && kvPlainSpan(text)==text.n ){
    if( kvBufGrow(pOut, (u64)text.n + 2)!=KV_OK ) return;
    pOut->a[pOut->n] = '"';
    if( text.n ) memcpy(&pOut->a[pOut->n+1], text.p, text.n);
    pOut->a[pOut->n+text.n+1] = '"';
    pOut->n += text.n + 2;
    return;
  }
  kvBufPut(pOut, '"');
  if( eEnc==KV_UTF16 ) utfQuoted16(pOut, text.p, text.n & ~1u);
  else if( eEnc==KV_LATIN1 ) utfQuotedLatin1(pOut, text);
  else utfAppendRuns(pOut, text, 1, 1);
  kvBufPut(pOut, '"');
}
