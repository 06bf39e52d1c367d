/*
** v8_int.h -- what the files of the V8 codec share: its limits and numbers.
*/
#ifndef KV_V8_INT_H
#define KV_V8_INT_H

#include "bytes/buf.h"

/* V8 has no longer strings, in code units, and no longer bigints, in bytes. */
#define V8_MAX_STRING  0x1fffffe8u
#define V8_MAX_BIGINT  (1u<<27)

/* The double at a; every NaN is the same one. */
static inline double v8LoadDouble(const u8 *a){
  u64 u = kvGet64le(a);
  double r;
  if( (u<<1)>(u64)0x7ff<<53 ) u = KV_NAN_BITS;
  memcpy(&r, &u, 8);
  return r;
}

/* True if V8 holds the number as an integer; *pi is then its value. */
static inline int v8IsInt(double r, i32 *pi){
  if( !(r>=-2147483648.0 && r<=2147483647.0) ) return 0;
  *pi = (i32)r;
  return (double)*pi==r && (*pi!=0 || kvDoubleToBits(r)==0);
}

#endif /* KV_V8_INT_H */
