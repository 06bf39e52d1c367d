/*
** utf.h -- UTF-8, UTF-16 and Latin-1.
**
** Inside the codecs a text is "WTF-8": UTF-8 in which a lone surrogate (which
** JavaScript strings may contain) is the three bytes ED A0..BF 80..BF.  Two
** surrogates that form a pair are always one four-byte sequence, so equal
** JavaScript strings have equal bytes.  In SQL TEXT and in keys each lone surrogate
** becomes U+FFFD, as in Deno's keys.
*/
#ifndef KV_UTF_H
#define KV_UTF_H

#include "bytes/bytes.h"

/* How the code units of a string are stored. */
#define KV_LATIN1   0    /* One byte each, U+0000 to U+00FF */
#define KV_UTF16    1    /* Two bytes each, little-endian, surrogates as is */
#define KV_WTF8     2    /* As described above, always well formed */

/* Write code point c (a surrogate too) as WTF-8 to z, which has room for
** four bytes.  Returns the number of bytes. */
int kvUtf8Put(u8 *z, u32 c);

/*
** Read the code point that a text (not empty) starts with.  Stores it to *pc
** and returns its length in bytes.  Bytes that are not UTF-8 give U+FFFD and the
** length of what the WHATWG decoder replaces by one U+FFFD.  With bWtf a
** surrogate is accepted as well.
*/
int kvUtf8Get(KvBytes text, u32 *pc, int bWtf);

/* True if the text is well formed UTF-8 (no surrogates). */
int kvUtf8Valid(KvBytes text);

/*
** True for bytes that need no escape in a JSON string: ASCII except '"', '\\' and
** control characters.  kvPlainBits() tests eight bytes, the first in the lowest
** bits of x, and is 0 if none needs an escape.  Otherwise the lowest set bit is in
** the first byte that does; higher bits are meaningless.
*/
static inline int kvPlainByte(u8 c){
  return c>=0x20 && c<0x80 && c!='"' && c!='\\';
}
static inline u64 kvPlainBits(u64 x){
  const u64 uEach = 0x0101010101010101u;
  u64 uLow = (x ^ uEach*2) - uEach*0x21;         /* '"' and controls: below 0x21 */
  u64 uSlash = (x ^ uEach*'\\') - uEach;
  return (uLow | uSlash | x) & uEach*0x80;
}

/* Copy the bytes from z that need no escape, up to zEnd, to zTo, which has room for
** zEnd-z bytes.  Returns their number. */
static inline u32 kvPlainCopy(u8 *zTo, const u8 *z, const u8 *zEnd){
  const u8 *zStart = z;
  for(; zEnd - z>=8; z+=8, zTo+=8){
    u64 x = kvGet64le(z), u = kvPlainBits(x);
    kvPut64le(zTo, x);
    if( u ) return (u32)(z - zStart) + kvFirstByte(u);
  }
  while( z<zEnd && kvPlainByte(*z) ) *zTo++ = *z++;
  return (u32)(z - zStart);
}

/*
** If no byte from z to the next cEnd needs an escape, append them between cOpen and
** cClose.  Returns the position after cEnd, or 0.
*/
static inline const u8 *kvPlainWrap(
  KvBuf *pOut, const u8 *z, const u8 *zEnd, u8 cEnd, u8 cOpen, u8 cClose
){
  u8 *zTo;
  u32 n;
  if( kvBufGrow(pOut, (u64)(zEnd - z) + 10)!=KV_OK ) return 0;
  zTo = &pOut->a[pOut->n];
  n = kvPlainCopy(&zTo[1], z, zEnd);
  z += n;
  if( z>=zEnd || *z!=cEnd ) return 0;
  zTo[0] = cOpen;
  zTo[n+1] = cClose;
  pOut->n += n + 2;
  return z + 1;
}

/* Length of the line terminator (CR, LF, U+2028, U+2029) at z, of n>0 bytes; or 0. */
static inline u32 kvLineEnd(const u8 *z, u64 n){
  if( z[0]=='\n' || z[0]=='\r' ) return 1;
  return n>=3 && z[0]==0xe2 && z[1]==0x80 && (z[2] & 0xfe)==0xa8 ? 3 : 0;
}

/* Number of leading bytes that need no escape; or that are ASCII. */
u32 kvPlainSpan(KvBytes text);
u32 kvAsciiSpan(KvBytes text);

/*
** Append the string stored as eEnc to pOut as UTF-8.  A
** lone surrogate is appended as WTF-8 if bWtf, else as U+FFFD.
*/
void kvUtfAppend(KvBuf *pOut, int eEnc, KvBytes text, int bWtf);

/* Append any bytes as UTF-8; invalid sequences become U+FFFD. */
void kvUtfAppendClean(KvBuf *pOut, KvBytes any);

/* Convert A to Z to lower case; other letters stay. */
void kvLower(u8 *a, u32 n);

/*
** Append a code unit or point of a JavaScript escape sequence to WTF-8 text.  A low
** surrogate that follows a high one at the end of pOut (at or after offset
** iStart) is joined with it.
*/
void kvUtfAppendUnit(KvBuf *pOut, u32 iStart, u32 c);

/*
** Append the string as a quoted JSON string, as JSON.stringify() prints it:
** the escapes \b \t \n \f \r \" \\, \u00xx for other control characters and
** \udxxx for lone surrogates; everything else as UTF-8.
*/
void kvUtfAppendQuoted(KvBuf *pOut, int eEnc, KvBytes text);
/* Append the escape of a code unit. */
void kvUtfAppendEscape(KvBuf *pOut, u32 c);

#endif /* KV_UTF_H */
