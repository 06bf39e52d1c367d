/*
** bigint.c -- bigints as text.  See bigint.h.
**
** A magnitude is a number in base 2^64, least significant chunk first; as text
** it is a number in base 10^19.  Both directions multiply what they have by the
** old base and add a chunk, in the new base, four chunks at a time, so that the
** processor works on four chains of carries at the same time.  That takes time
** in the square of the length, which is limited: 40 ms for KV_BIG_BYTES.
*/
#include "codec/num/bigint.h"
#include "codec/num/num128.h"
#include "bytes/hex.h"

#define BIG_TEN19 ((u64)0x8ac7230489e80000)   /* 10^19 */
#define BIG_RECIP ((u64)0xd83c94fb6d2ac34a)   /* (2^128-1)/10^19 - 2^64 */

/* A number that is converted. */
typedef struct BigintNum BigintNum;
struct BigintNum {
  KvBytes from;
  int bText;              /* Decimal digits to bytes, else the other way */
};

/* The value of eight digits: of two, of four and of all of them at a time. */
static inline u64 bigintEight(const u8 *z){
  const u64 uEach = 0x000000ff000000ffu;
  u64 u = kvGet64le(z) - 0x3030303030303030u;
  u = u*10 + (u>>8);
  return ((u & uEach)*0x000f424000000064u + (u>>16 & uEach)*0x0000271000000001u)>>32;
}

/* The value of n<=19 digits. */
static inline u64 bigintValue(const u8 *z, u32 n){
  u64 u = 0;
  for(; n>=8; n-=8, z+=8) u = u*100000000 + bigintEight(z);
  for(; n>0; n--) u = u*10 + (u64)(*z++ - '0');
  return u;
}

/* Its chunk i, the least significant first; 0 past the end. */
KV_INLINE u64 bigintChunk(const BigintNum *p, u32 i){
  KvBytes from = p->from;
  u8 aLast[8] = {0};
  if( p->bText ){
    u32 nUp = i<=from.n/19 ? from.n - 19*i : 0;        /* digits up from the chunk */
    if( nUp>=19 ) return bigintValue(&from.p[nUp-19], 19);
    return bigintValue(from.p, nUp);
  }
  if( i<from.n/8 ) return kvGet64le(&from.p[8*(size_t)i]);
  if( i==from.n/8 ) memcpy(aLast, &from.p[8*(size_t)i], from.n%8);
  return kvGet64le(aLast);
}

/*
** Divide *pRem * 2^64 + u by 10^19, where *pRem < 10^19.  Returns the quotient
** and stores the remainder to *pRem.  (Moeller and Granlund, "Improved
** division by invariant integers".)
*/
static inline u64 bigintDivide(u64 *pRem, u64 u){
  u64 q0, q1, r, mask;
  q1 = num128Mul(*pRem, BIG_RECIP, &q0);
  q0 += u;
  q1 += *pRem + (q0<u) + 1;
  r = u - q1*BIG_TEN19;
  mask = 0-(u64)(r>q0);                 /* true half of the time: no branch */
  q1 += mask;
  r += mask & BIG_TEN19;
  if( r>=BIG_TEN19 ){
    q1++;
    r -= BIG_TEN19;
  }
  *pRem = r;
  return q1;
}

/* *pCarry + u*10^19: returns the low limb, stores the high one to *pCarry. */
static inline u64 bigintTimes(u64 *pCarry, u64 u){
  u64 lo, hi = num128Mul(u, BIG_TEN19, &lo);
  lo += *pCarry;
  *pCarry = hi + (lo<*pCarry);
  return lo;
}

/* Write the 19 digits of u before zEnd. */
static u8 *bigintDigits(u8 *zEnd, u64 u){
  u32 a[3];
  int i, j;
  a[0] = (u32)(u % 1000000000);
  u /= 1000000000;
  a[1] = (u32)(u % 1000000000);
  a[2] = (u32)(u / 1000000000);
  for(i=0; i<3; i++){
    for(j=0; j<(i<2 ? 9 : 1); j++){
      *--zEnd = (u8)('0' + a[i]%10);
      a[i] /= 10;
    }
  }
  return zEnd;
}

/* The digit u times the old base, plus *pCarry: returns the low digit, stores the
** high one to *pCarry. */
KV_INLINE u64 bigintStep(u64 *pCarry, u64 u, int bText){
  if( bText ) return bigintTimes(pCarry, u);
  *pCarry = bigintDivide(&u, *pCarry);
  return u;
}

/* The same nChain times, 4 or 1. */
KV_INLINE u64 bigintSteps(u64 *c, u64 u, u32 nChain, int bText){
  u = bigintStep(&c[0], u, bText);
  if( nChain==1 ) return u;
  u = bigintStep(&c[1], u, bText);
  u = bigintStep(&c[2], u, bText);
  return bigintStep(&c[3], u, bText);
}

/*
** The n digits at a, 8 bytes each, times the old base to the power nChain, plus
** the chunks at aChunk, of which others are 0.  Returns the number of digits.
*/
KV_INLINE u32 bigintPush(u8 *a, u32 n, const u64 *aChunk, u32 nChain, int bText){
  u64 c[4] = { aChunk[0], aChunk[1], aChunk[2], aChunk[3] };
  u32 j;
  for(j=0; j<n; j++, a+=8) kvPut64le(a, bigintSteps(c, kvGet64le(a), nChain, bText));
  for(; c[0] | c[1] | c[2] | c[3]; j++, a+=8) kvPut64le(a, bigintSteps(c, 0, nChain, bText));
  return j;
}

/* Its n>0 chunks as digits of the other base in a.  Returns how many there are, without
** leading zeros. */
KV_INLINE u32 bigintDigitsOf(const BigintNum *p, u32 n, u8 *a, int bText){
  u64 c[4] = { bigintChunk(p, n-1), 0, 0, 0 };
  u32 nDigit = 0, k;
  if( c[0]<BIG_TEN19 ){                          /* it is a digit already */
    kvPut64le(a, c[0]);
    nDigit = c[0]!=0;
    n--;
  }
  for(; n%4; n--){
    c[0] = bigintChunk(p, n-1);
    nDigit = bigintPush(a, nDigit, c, 1, bText);
  }
  while( n>0 ){
    for(k=0; k<4; k++) c[k] = bigintChunk(p, --n);
    nDigit = bigintPush(a, nDigit, c, 4, bText);
  }
  return nDigit;
}
static u32 bigintConvert(const BigintNum *p, u32 n, u8 *a){
  return p->bText ? bigintDigitsOf(p, n, a, 1) : bigintDigitsOf(p, n, a, 0);
}

/* Write the n digits at a, 19 characters each, so that they end before zEnd. */
static void bigintText(u8 *zEnd, const u8 *a, u32 n){
  u32 i;
  for(i=0; i<n; i++) zEnd = bigintDigits(zEnd, kvGet64le(&a[8*(size_t)i]));
}

/************************************************************************
** Printing.
*/

/* n characters have been written after the end of the buffer: append them, but
** for leading zeros. */
static void bigintAppend(KvBuf *pOut, u32 n){
  u8 *z = &pOut->a[pOut->n];
  u32 i = 0;
  while( z[i]=='0' ) i++;
  memmove(z, &z[i], n - i);
  pOut->n += n - i;
}

/* A magnitude without leading zero bytes in hexadecimal. */
static void bigintPrintHex(KvBuf *pOut, KvBytes magnitude){
  u32 i = magnitude.n;
  kvBufLit(pOut, "0x");
  if( magnitude.p[i-1]<16 ) kvBufPut(pOut, (u8)kvHexDigit(magnitude.p[--i]));
  while( i-->0 ){
    kvBufPut(pOut, (u8)kvHexDigit((u32)magnitude.p[i]>>4));
    kvBufPut(pOut, (u8)kvHexDigit(magnitude.p[i]));
  }
}

void kvBigPrint(KvBuf *pOut, KvBytes magnitude){
  BigintNum num = { magnitude, 0 };
  u32 nText, nChunk, nDigit;
  u8 *aDigit;
  while( num.from.n>0 && num.from.p[num.from.n-1]==0 ) num.from.n--;
  nChunk = num.from.n/8 + (num.from.n%8!=0);
  if( nChunk==0 ){
    kvBufPut(pOut, '0');
    return;
  }
  if( num.from.n>KV_BIG_BYTES ){
    bigintPrintHex(pOut, num.from);
    return;
  }
  /* 2.4083 digits for a byte, and leading zeros; after them the work space */
  nText = num.from.n*2409/1000 + 40;
  if( kvBufGrow(pOut, (u64)nText + 8*(nChunk + nChunk/32 + 2))!=KV_OK ) return;
  aDigit = &pOut->a[pOut->n + nText];
  nDigit = bigintConvert(&num, nChunk, aDigit);
  bigintText(&pOut->a[pOut->n + 19*nDigit], aDigit, nDigit);
  bigintAppend(pOut, 19*nDigit);
}

/************************************************************************
** Reading.
*/

/* Value of a digit of any base up to 16. */
static unsigned bigintDigit(char c){
  if( c<='9' ) return (unsigned)(c - '0');
  return (unsigned)((c | 0x20) - 'a') + 10;
}

/* Digits of nBit bits each to bytes in aOut.  Returns the number of bytes. */
static u32 bigintFromBits(const char *z, u32 n, int nBit, u8 *aOut){
  u32 nOut = 0;
  unsigned acc = 0;
  int nAcc = 0;
  while( n-->0 ){
    acc |= bigintDigit(z[n])<<nAcc;
    nAcc += nBit;
    if( nAcc>=8 ){
      aOut[nOut++] = (u8)acc;
      acc >>= 8;
      nAcc -= 8;
    }
  }
  if( nAcc ) aOut[nOut++] = (u8)acc;
  return nOut;
}

/* Decimal digits.  Returns the number of bytes. */
static u32 bigintFromDecimal(KvBytes digits, u8 *aOut){
  BigintNum num = { digits, 1 };
  u32 nChunk = digits.n/19 + (digits.n%19!=0);
  if( nChunk==1 ) return kvBigMagnitude(bigintValue(digits.p, digits.n), aOut).n;
  return 8*bigintConvert(&num, nChunk, aOut);
}

int kvBigReads(KvBytes digits, int iBase){
  return iBase!=10 || digits.n<=KV_BIG_DIGITS;
}

u32 kvBigParse(KvBytes digits, int iBase, u8 *aOut){
  int nBit = iBase==2 ? 1 : iBase==8 ? 3 : 4;
  u32 nOut;
  KV_ASSERT( iBase==2 || iBase==8 || iBase==10 || iBase==16 );
  KV_ASSERT( digits.n>0 && kvBigReads(digits, iBase) );
  if( iBase==10 ) nOut = bigintFromDecimal(digits, aOut);
  else nOut = bigintFromBits((const char*)digits.p, digits.n, nBit, aOut);
  while( nOut>0 && aOut[nOut-1]==0 ) nOut--;
  return nOut;
}

KvBytes kvBigMagnitude(u64 v, u8 *aMag){
  u32 n = 8;
  kvPut64le(aMag, v);
  while( n>0 && aMag[n-1]==0 ) n--;
  return kvBytes(aMag, n);
}

int kvBigInt64(int bNeg, KvBytes magnitude, i64 *pv){
  u8 a[8];
  u64 v;
  if( magnitude.n>8 ) return 0;
  memset(a, 0, sizeof(a));
  if( magnitude.n ) memcpy(a, magnitude.p, magnitude.n);
  v = kvGet64le(a);
  if( v>(u64)INT64_MAX + (bNeg ? 1u : 0u) ) return 0;
  *pv = bNeg ? (i64)(0-v) : (i64)v;
  return 1;
}
