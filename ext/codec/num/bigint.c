/*
** bigint.c -- bigints as text.  See bigint.h.
**
** A magnitude is a number in base 2^64, least significant limb first; as text
** it is a number in base 10^19.  Both directions go through the whole number
** once for every 76 digits, with four multiplications or divisions by 10^19
** on the way, so that the processor works on four chains of carries at the
** same time.  That takes time in the square of the length: what is as long as
** BIG_LONG_BYTES or BIG_LONG_DIGITS is cut into pieces, which bigint_long.c puts together.
*/
#include "codec/num/bigint.h"
#include "codec/num/bigint_long.h"
#include "codec/num/num128.h"

#define BIG_TEN19 ((u64)0x8ac7230489e80000)   /* 10^19 */
#define BIG_RECIP ((u64)0xd83c94fb6d2ac34a)   /* (2^128-1)/10^19 - 2^64 */

/* Limbs of a magnitude that are kept on the stack. */
#define BIG_STACK 32

/* Limbs, and digits, of a piece at the most; and what is cut into pieces. */
#define BIG_LEAF_LIMBS   1024
#define BIG_LEAF_DIGITS  32768
#define BIG_LONG_BYTES   (32*BIG_LEAF_LIMBS)
#define BIG_LONG_DIGITS  (4*BIG_LEAF_DIGITS)

/************************************************************************
** Printing.
*/

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

/*
** Write the number a[0..n-1] so that it ends before zEnd, with up to 76
** leading zeros, and destroy it.  Returns where the digits begin.
*/
static u8 *bigintToText(u8 *zEnd, u64 *a, u32 n){
  while( n>0 ){
    u64 r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    u32 i = n;
    while( i-->0 ){
      u64 q = bigintDivide(&r0, a[i]);
      q = bigintDivide(&r1, q);
      q = bigintDivide(&r2, q);
      a[i] = bigintDivide(&r3, q);
    }
    while( n>0 && a[n-1]==0 ) n--;
    zEnd = bigintDigits(zEnd, r0);
    zEnd = bigintDigits(zEnd, r1);
    zEnd = bigintDigits(zEnd, r2);
    zEnd = bigintDigits(zEnd, r3);
  }
  return zEnd;
}

/* Limb i of a magnitude of n bytes. */
static u64 bigintLimb(const u8 *a, u32 n, u32 i){
  u8 aLast[8] = {0};
  if( i<n/8 ) return kvGet64le(&a[8*(size_t)i]);
  if( i==n/8 ) memcpy(aLast, &a[8*(size_t)i], n%8);
  return kvGet64le(aLast);
}

/* A long magnitude that is printed. */
typedef struct BigintBytes BigintBytes;
struct BigintBytes {
  const u8 *a;
  u32 n;
  u32 nLimb;              /* Of a leaf */
};

/* Leaf i: see KvBigLeaf. */
static int bigintBytesLeaf(void *pArg, u32 i, uint16_t *a, u32 nWidth){
  BigintBytes *p = pArg;
  u32 nText = 4*nWidth + 80, n = p->nLimb, k;
  u64 *aLimb = kvRealloc(0, ((u64)n+1)*sizeof(u64) + nText);
  u8 *aText;
  if( aLimb==0 ) return KV_NOMEM;
  aText = (u8*)&aLimb[n+1];
  if( i==KV_BIG_UNIT ){
    memset(aLimb, 0, n*sizeof(u64));
    aLimb[n++] = 1;
  }else{
    for(k=0; k<n; k++) aLimb[k] = bigintLimb(p->a, p->n, i*n + k);
  }
  while( n>0 && aLimb[n-1]==0 ) n--;
  memset(aText, '0', nText);
  bigintToText(&aText[nText], aLimb, n);
  for(k=0; k<nWidth; k++){
    const u8 *z = &aText[nText - 4*(k+1)];
    a[k] = (uint16_t)((z[0]-'0')*1000 + (z[1]-'0')*100 + (z[2]-'0')*10 + (z[3]-'0'));
  }
  kvFree(aLimb);
  return KV_OK;
}

static void bigintPrintLong(KvBuf *pOut, const u8 *aMag, u32 nMag){
  BigintBytes x;
  u32 nLimb = nMag/8 + (nMag%8!=0), nLevel = 0, nWidth;
  uint16_t *a;
  u8 *z, z4[4];
  size_t n;
  int i;
  while( (nLimb>>nLevel) + ((nLimb & (((u32)1<<nLevel)-1))!=0)>BIG_LEAF_LIMBS ) nLevel++;
  x.a = aMag;
  x.n = nMag;
  x.nLimb = (nLimb>>nLevel) + ((nLimb & (((u32)1<<nLevel)-1))!=0);
  /* 64 bits are 19.266 digits */
  nWidth = x.nLimb*19266/4000 + 2;
  if( kvBigCombine(KV_BIG_TEXT, nLevel, nWidth, bigintBytesLeaf, &x, &a)!=KV_OK ){
    pOut->eErr = KV_NOMEM;
    return;
  }
  n = (size_t)nWidth<<nLevel;
  while( n>0 && a[n-1]==0 ) n--;
  if( kvBufGrow(pOut, 4*(u64)n)==KV_OK ){
    for(z=&pOut->a[pOut->n]; n>0; n--){
      u32 u = a[n-1];
      for(i=3; i>=0; i--, u/=10) z4[i] = (u8)('0' + u%10);
      memcpy(z, z4, 4);
      z += 4;
    }
    for(i=0; pOut->a[pOut->n+(u32)i]=='0'; i++){}        /* up to three zeros */
    n = (size_t)(z - &pOut->a[pOut->n]) - (size_t)i;
    memmove(&pOut->a[pOut->n], &pOut->a[pOut->n+(u32)i], n);
    pOut->n += (u32)n;
  }
  kvFree(a);
}

void kvBigPrint(KvBuf *pOut, KvBytes magnitude){
  const u8 *aMag = magnitude.p;
  u32 nMag = magnitude.n;
  u64 aStack[BIG_STACK], *a = aStack;
  u64 nText;
  u32 nLimb, i;
  u8 *zEnd, *z;

  while( nMag>0 && aMag[nMag-1]==0 ) nMag--;
  if( nMag==0 ){
    kvBufPut(pOut, '0');
    return;
  }
  if( nMag>=BIG_LONG_BYTES ){
    bigintPrintLong(pOut, aMag, nMag);
    return;
  }
  /* 2.4083 digits for a byte, and leading zeros */
  nText = (u64)nMag*2409/1000 + 80;
  if( kvBufGrow(pOut, nText)!=KV_OK ) return;
  nLimb = nMag/8 + (nMag%8!=0);
  if( nLimb>BIG_STACK ){
    a = kvRealloc(0, (u64)nLimb*8);
    if( a==0 ){
      pOut->eErr = KV_NOMEM;
      return;
    }
  }
  for(i=0; i<nLimb; i++) a[i] = bigintLimb(aMag, nMag, i);
  zEnd = &pOut->a[pOut->n + nText];
  z = bigintToText(zEnd, a, nLimb);
  while( *z=='0' ) z++;
  memmove(&pOut->a[pOut->n], z, (size_t)(zEnd - z));
  pOut->n += (u32)(zEnd - z);
  if( a!=aStack ) kvFree(a);
}

/************************************************************************
** Reading.
*/

/* *pCarry + u*10^19: returns the low limb, stores the high one to *pCarry. */
static inline u64 bigintTimes(u64 *pCarry, u64 u){
  u64 lo, hi = num128Mul(u, BIG_TEN19, &lo);
  lo += *pCarry;
  *pCarry = hi + (lo<*pCarry);
  return lo;
}

/* The value of n<=19 decimal digits. */
static u64 bigintChunk(const char *z, u32 n){
  u64 u = 0;
  u32 i;
  for(i=0; i<n; i++) u = u*10 + (u64)(z[i]-'0');
  return u;
}

/* Decimal digits to limbs in aOut.  Returns the number of limbs. */
static u32 bigintFromDecimal(const char *z, u32 n, u8 *aOut){
  u32 nLimb = 0, i = n%19, j;
  u64 c[4];
  if( i ){
    c[0] = bigintChunk(z, i);
    if( c[0] ) kvPut64le(aOut, c[0]), nLimb = 1;
  }
  while( (n-i)%76 ){
    c[0] = bigintChunk(&z[i], 19);
    i += 19;
    for(j=0; j<nLimb; j++){
      kvPut64le(&aOut[8*(size_t)j], bigintTimes(&c[0], kvGet64le(&aOut[8*(size_t)j])));
    }
    if( c[0] ) kvPut64le(&aOut[8*(size_t)nLimb++], c[0]);
  }
  for(; i<n; i+=76){
    c[0] = bigintChunk(&z[i], 19);
    c[1] = bigintChunk(&z[i+19], 19);
    c[2] = bigintChunk(&z[i+38], 19);
    c[3] = bigintChunk(&z[i+57], 19);
    for(j=0; j<nLimb || (c[0] | c[1] | c[2] | c[3]); j++){
      u64 t = j<nLimb ? kvGet64le(&aOut[8*(size_t)j]) : 0;
      t = bigintTimes(&c[0], t);
      t = bigintTimes(&c[1], t);
      t = bigintTimes(&c[2], t);
      kvPut64le(&aOut[8*(size_t)j], bigintTimes(&c[3], t));
    }
    nLimb = j;
  }
  return nLimb;
}

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

/* A long decimal number that is read. */
typedef struct BigintDigits BigintDigits;
struct BigintDigits {
  const char *z;
  u32 n;
  u32 nDigit;             /* Of a leaf */
};

/* Leaf i: see KvBigLeaf. */
static int bigintDigitsLeaf(void *pArg, u32 i, uint16_t *a, u32 nWidth){
  BigintDigits *p = pArg;
  u32 nBound = (u32)kvBigBound(p->nDigit + 1), nMag = 0, k;
  u8 *aMag = kvRealloc(0, (u64)nBound + p->nDigit + 1);
  if( aMag==0 ) return KV_NOMEM;
  if( i==KV_BIG_UNIT ){
    char *zUnit = (char*)&aMag[nBound];
    memset(zUnit, '0', p->nDigit + 1);
    zUnit[0] = '1';
    nMag = 8*bigintFromDecimal(zUnit, p->nDigit + 1, aMag);
  }else if( (u64)i*p->nDigit<p->n ){
    u32 nLow = i*p->nDigit;                        /* digits below the leaf */
    u32 n = p->n - nLow<p->nDigit ? p->n - nLow : p->nDigit;
    nMag = 8*bigintFromDecimal(&p->z[p->n - nLow - n], n, aMag);
  }
  for(k=0; k<nWidth; k++){
    a[k] = 2*k<nMag ? (uint16_t)(aMag[2*k] | aMag[2*k+1]<<8) : 0;
  }
  kvFree(aMag);
  return KV_OK;
}

/* Returns the number of bytes, or KV_BIG_NOMEM. */
static u32 bigintParseLong(const char *z, u32 n, u8 *aOut){
  BigintDigits x;
  u32 nLevel = 0, nWidth, nOut, i;
  uint16_t *a;
  while( (n>>nLevel) + ((n & (((u32)1<<nLevel)-1))!=0)>BIG_LEAF_DIGITS ) nLevel++;
  x.z = z;
  x.n = n;
  x.nDigit = (n>>nLevel) + ((n & (((u32)1<<nLevel)-1))!=0);
  /* a digit is 3.32193 bits */
  nWidth = (x.nDigit*33220/10000 + 1)/16 + 1;
  if( kvBigCombine(KV_BIG_BYTES, nLevel, nWidth, bigintDigitsLeaf, &x, &a)!=KV_OK ) return KV_BIG_NOMEM;
  nOut = nWidth<<nLevel;
  while( nOut>0 && a[nOut-1]==0 ) nOut--;
  for(i=0; i<nOut; i++){
    aOut[2*(size_t)i] = (u8)a[i];
    aOut[2*(size_t)i+1] = (u8)(a[i]>>8);
  }
  kvFree(a);
  return 2*nOut;
}

u32 kvBigParse(KvBytes digits, int iBase, u8 *aOut){
  const char *z = (const char*)digits.p;
  u32 n = digits.n;
  u32 nOut;
  KV_ASSERT( n>0 && (iBase==2 || iBase==8 || iBase==10 || iBase==16) );
  switch( iBase ){
    case 2:  nOut = bigintFromBits(z, n, 1, aOut);        break;
    case 8:  nOut = bigintFromBits(z, n, 3, aOut);        break;
    case 16: nOut = bigintFromBits(z, n, 4, aOut);        break;
    default:
      if( n<BIG_LONG_DIGITS ){
        nOut = 8*bigintFromDecimal(z, n, aOut);
      }else{
        nOut = bigintParseLong(z, n, aOut);
        if( nOut==KV_BIG_NOMEM ) return nOut;
      }
      break;
  }
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
