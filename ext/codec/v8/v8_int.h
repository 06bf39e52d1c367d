/*
** v8_int.h -- shared by the files of the V8 codec: limits, tags, numbers.
*/
#ifndef KV_V8_INT_H
#define KV_V8_INT_H

#include "bytes/buf.h"
#include "bytes/bytes.h"

/* V8 has no longer strings, in code units, and no longer bigints, in bytes. */
#define V8_MAX_STRING  0x1fffffe8u
#define V8_MAX_BIGINT  (1u<<27)

/* The tags of the constructors KV_ERR_xxx and of the views KV_VIEW_xxx. */
#define V8_ERROR_TAGS  ".ERFSTU"
#define V8_VIEW_TAGS   "bBCwWdDhfFqQ?"

/* Write a varint to z, which has room for 10 bytes.  Returns the end. */
static inline u8 *v8PutVarint(u8 *z, u64 v){
  while( v>=0x80 ){
    *z++ = (u8)(v | 0x80);
    v >>= 7;
  }
  *z++ = (u8)v;
  return z;
}

/* Append one. */
static inline void v8AppendVarint(KvBuf *p, u64 v){
  if( kvBufGrow(p, 10)==KV_OK ) p->n = (u32)(v8PutVarint(&p->a[p->n], v) - p->a);
}

/* How many bytes it has. */
static inline u32 v8VarintSize(u64 v){
  u32 n = 1;
  while( (v >>= 7)!=0 ) n++;
  return n;
}

/* An integer as a varint, and back. */
static inline u32 v8ToZigzag(i32 i){
  return ((u32)i<<1) ^ (i<0 ? 0xffffffffu : 0);
}
static inline i32 v8Zigzag(u32 v){
  return (i32)(v>>1) ^ -(i32)(v&1);
}

/* True if all units of a two-byte string are below 256: it is written as a
** one-byte string. */
static inline int v8IsNarrow(KvBytes text){
  u32 i;
  for(i=1; i<text.n; i+=2){
    if( text.p[i] ) return 0;
  }
  return 1;
}

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
