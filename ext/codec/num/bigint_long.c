/*
** bigint_long.c -- radix conversion of long numbers.  See bigint_long.h.
**
** Two neighbours a and b become a + b*U; then U becomes U^2, and so on until
** one piece is left:
**
**     leaf0  leaf1  leaf2  leaf3        U       width w
**     leaf0+leaf1*U leaf2+leaf3*U       U^2     width 2w
**     ........ number .........                 width 4w
**
** The products are convolutions of digits, which a number theoretic transform
** makes products of points: a Fourier transform in the integers modulo the
** prime p = 2^64 - 2^32 + 1, in which 2^32 is a root of order 6 (so that
** reducing takes a few additions) and 7 generates all that is not 0.  There is
** a root of each order 2^k up to 2^32.  A coefficient is at most n*65535^2,
** below p for every n that can occur, so that it is exact.
*/
#include "codec/num/bigint_long.h"
#include "codec/num/num128.h"

#define BIG_LONG_P     ((u64)0xffffffff00000001)
#define BIG_LONG_EPS   ((u64)0xffffffff)            /* 2^64 modulo p */

/*
** Arithmetic modulo p.  Numbers are below p.
*/
static inline u64 bigintLongAdd(u64 a, u64 b){
  u64 s = a + b;
  if( s<a ) return s + BIG_LONG_EPS;                /* below p, since a, b < p */
  return s>=BIG_LONG_P ? s - BIG_LONG_P : s;
}
static inline u64 bigintLongSub(u64 a, u64 b){
  return a>=b ? a - b : a - b + BIG_LONG_P;
}
static inline u64 bigintLongMul(u64 a, u64 b){
  u64 lo, hi = num128Mul(a, b, &lo);
  u64 t = (hi & 0xffffffff)*BIG_LONG_EPS;           /* 2^64 is 2^32 - 1 */
  u64 top = hi>>32;                            /* 2^96 is -1 */
  u64 r = lo - top;
  if( lo<top ) r -= BIG_LONG_EPS;
  r += t;
  if( r<t ) r += BIG_LONG_EPS;
  return r>=BIG_LONG_P ? r - BIG_LONG_P : r;
}
static u64 bigintLongPower(u64 a, u64 n){
  u64 r = 1;
  for(; n; n>>=1){
    if( n & 1 ) r = bigintLongMul(r, a);
    a = bigintLongMul(a, a);
  }
  return r;
}

/*
** A transform of n = 2^k points.  aRoot[m+i], for m = 1, 2, 4 ... and i<m, is the
** i-th power of a root of order 2m.
*/
typedef struct BigintLongPlan BigintLongPlan;
struct BigintLongPlan {
  u32 n;
  u64 *aRoot;
  u64 *aUnit;             /* The unit, transformed */
  u64 *aWork;
};

/* The roots for transforms of up to n points; aRoot has n elements. */
static void bigintLongRoots(u64 *aRoot, u64 n){
  u64 iRoot = bigintLongPower(7, (BIG_LONG_P-1)/n), r = 1, m = n/2, i;
  for(i=0; i<m; i++){
    aRoot[m+i] = r;
    r = bigintLongMul(r, iRoot);
  }
  for(i=m-1; i>0; i--) aRoot[i] = aRoot[2*i];
}

/* Forth: the points come in another order (their bits reversed). */
static void bigintLongForth(const BigintLongPlan *p, u64 *a){
  u32 nHalf, i, j;
  for(nHalf=p->n/2; nHalf>0; nHalf/=2){
    const u64 *aRoot = &p->aRoot[nHalf];
    for(i=0; i<p->n; i+=2*nHalf){
      u64 *aLo = &a[i], *aHi = &a[i+nHalf];
      for(j=0; j<nHalf; j++){
        u64 x = aLo[j], y = aHi[j];
        aLo[j] = bigintLongAdd(x, y);
        aHi[j] = bigintLongMul(bigintLongSub(x, y), aRoot[j]);
      }
    }
  }
}

/* Back, from that order, but for a factor n, and with each point at the index
** of its negative: a[0] a[n-1] ... a[1]. */
static void bigintLongBack(const BigintLongPlan *p, u64 *a){
  u32 nHalf, i, j;
  for(nHalf=1; nHalf<p->n; nHalf*=2){
    const u64 *aRoot = &p->aRoot[nHalf];
    for(i=0; i<p->n; i+=2*nHalf){
      u64 *aLo = &a[i], *aHi = &a[i+nHalf];
      for(j=0; j<nHalf; j++){
        u64 x = aLo[j], y = bigintLongMul(aHi[j], aRoot[j]);
        aLo[j] = bigintLongAdd(x, y);
        aHi[j] = bigintLongSub(x, y);
      }
    }
  }
}

static void bigintLongLoad(const BigintLongPlan *p, u64 *a, const uint16_t *aDigit, u32 n){
  u32 i;
  for(i=0; i<n; i++) a[i] = aDigit[i];
  memset(&a[n], 0, (size_t)(p->n - n)*sizeof(u64));
}

/*
** Work has been multiplied: go back, and store the n digits of the product,
** plus the nAdd digits at aAdd, to aOut.  (aAdd and aOut may be the same.)
*/
static void bigintLongStore(
  const BigintLongPlan *p, u32 iBase, const uint16_t *aAdd, u32 nAdd, uint16_t *aOut, u32 n
){
  u64 iScale = bigintLongPower(p->n, BIG_LONG_P-2), carry = 0;
  u32 i;
  bigintLongBack(p, p->aWork);
  for(i=0; i<n; i++){
    u64 u = bigintLongMul(p->aWork[i ? p->n - i : 0], iScale) + carry;
    if( i<nAdd ) u += aAdd[i];
    carry = iBase==KV_BIG_BYTES ? u>>16 : u/KV_BIG_TEXT;
    aOut[i] = (uint16_t)(u - carry*iBase);
  }
}

/* One level: n pieces of nWidth digits at a become n/2 of twice as many.  The
** unit at aUnit becomes its square, unless this is the last level. */
static void bigintLongLevel(
  BigintLongPlan *p, u32 iBase, uint16_t *a, u32 n, u32 nWidth, uint16_t *aUnit
){
  u32 i, j;
  bigintLongLoad(p, p->aUnit, aUnit, nWidth);
  bigintLongForth(p, p->aUnit);
  for(i=0; i<n; i+=2){
    uint16_t *aLo = &a[(size_t)i*nWidth];
    bigintLongLoad(p, p->aWork, &aLo[nWidth], nWidth);
    bigintLongForth(p, p->aWork);
    for(j=0; j<p->n; j++) p->aWork[j] = bigintLongMul(p->aWork[j], p->aUnit[j]);
    bigintLongStore(p, iBase, aLo, nWidth, aLo, 2*nWidth);
  }
  if( n==2 ) return;
  for(j=0; j<p->n; j++) p->aWork[j] = bigintLongMul(p->aUnit[j], p->aUnit[j]);
  bigintLongStore(p, iBase, 0, 0, aUnit, 2*nWidth);
}

int kvBigCombine(u32 iBase, u32 nLevel, u32 nWidth, uint16_t *a, uint16_t *aUnit){
  u32 nLeaf = (u32)1<<nLevel;
  u64 nMost = 1;
  BigintLongPlan plan;
  KV_ASSERT( nLevel>0 );
  while( nMost<(u64)nLeaf*nWidth ) nMost *= 2;
  plan.aRoot = kvRealloc(0, nMost*3*sizeof(u64));
  if( plan.aRoot==0 ) return KV_NOMEM;
  plan.aUnit = &plan.aRoot[nMost];
  plan.aWork = &plan.aUnit[nMost];
  bigintLongRoots(plan.aRoot, nMost);
  for(; nLeaf>1; nLeaf/=2, nWidth*=2){
    plan.n = 1;
    while( plan.n<2*nWidth ) plan.n *= 2;
    bigintLongLevel(&plan, iBase, a, nLeaf, nWidth, aUnit);
  }
  kvFree(plan.aRoot);
  return KV_OK;
}
