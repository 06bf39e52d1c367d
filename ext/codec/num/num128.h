/*
** num128.h -- the product of two 64-bit numbers, on any compiler.
*/
#ifndef KV_NUM128_H
#define KV_NUM128_H

#include "bytes/buf.h"

#if defined(__SIZEOF_INT128__) && !defined(KV_NO_INT128)
# define KV_INT128
__extension__ typedef unsigned __int128 u128;
#endif

/* Store the low half of a*b to *pLow and return the high half. */
static inline u64 num128Mul(u64 a, u64 b, u64 *pLow){
#ifdef KV_INT128
  u128 t = (u128)a*b;
  *pLow = (u64)t;
  return (u64)(t>>64);
#else
  u64 aLo = (u32)a, aHi = a>>32, bLo = (u32)b, bHi = b>>32;
  u64 t0 = aLo*bLo;
  u64 t1 = aHi*bLo + (t0>>32);
  u64 t2 = aLo*bHi + (u32)t1;
  *pLow = t2<<32 | (u32)t0;
  return aHi*bHi + (t1>>32) + (t2>>32);
#endif
}

/* Number of zero bits above the highest one of u, which is not 0. */
static inline int num128Clz(u64 u){
#if defined(__GNUC__)
  return __builtin_clzll(u);
#else
  int n = 0, s;
  for(s=32; s; s>>=1){
    if( u>>(64-s)==0 ){
      u <<= s;
      n += s;
    }
  }
  return n;
#endif
}

#endif /* KV_NUM128_H */
