/*
** utf.h -- UTF-8, UTF-16 and Latin-1.
**
** Inside the codecs a text is "WTF-8": UTF-8 in which a lone surrogate (which
** JavaScript strings may hold) stands as the three bytes ED A0..BF 80..BF.
** Two surrogates that form a pair are always one four-byte sequence, so two
** equal JavaScript strings have equal bytes.  Text that leaves as SQL TEXT or
** as a key has U+FFFD for each lone surrogate, as the real Deno's keys have.
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
** True for the bytes that stand for themselves in a JSON string: ASCII but '"',
** '\\' and control characters.  kvPlainBits() looks at eight, the first of them
** in the lowest bits of x, and is not 0 if one of them doesn't: the lowest bit
** that is set is in the first of those; what is set above it means nothing.
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

/* Copy the bytes from z on that stand for themselves, up to zEnd, to zTo, which
** has room for all up to there.  Returns how many. */
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
** If the bytes from z on stand for themselves up to one that is cEnd, append them
** between cOpen and cClose.  Returns the byte after cEnd, or 0.
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

/* Number of leading bytes of the text that stand for themselves, or are ASCII. */
u32 kvPlainSpan(KvBytes text);
u32 kvAsciiSpan(KvBytes text);

/*
** Append the string stored as eEnc to pOut as UTF-8.  A
** lone surrogate is appended as WTF-8 if bWtf, else as U+FFFD.
*/
void kvUtfAppend(KvBuf *pOut, int eEnc, KvBytes text, int bWtf);

/* Append any bytes as UTF-8: what is not UTF-8 becomes U+FFFD. */
void kvUtfAppendClean(KvBuf *pOut, KvBytes any);

/* Make a to z of A to Z, and nothing of other letters. */
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
