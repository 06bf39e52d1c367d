/*
** endian.h -- integers and doubles in a stated byte order, independent of the
** machine.
*/
#ifndef KV_ENDIAN_H
#define KV_ENDIAN_H

#include "bytes/types.h"

/* Each becomes an instruction or two. */
static inline u32 kvGet32be(const u8 *a){
  return (u32)a[3] | (u32)a[2]<<8 | (u32)a[1]<<16 | (u32)a[0]<<24;
}
static inline u64 kvGet64be(const u8 *a){
  return (u64)a[7] | (u64)a[6]<<8 | (u64)a[5]<<16 | (u64)a[4]<<24
       | (u64)a[3]<<32 | (u64)a[2]<<40 | (u64)a[1]<<48 | (u64)a[0]<<56;
}
static inline u64 kvGet64le(const u8 *a){
  return (u64)a[0] | (u64)a[1]<<8 | (u64)a[2]<<16 | (u64)a[3]<<24
       | (u64)a[4]<<32 | (u64)a[5]<<40 | (u64)a[6]<<48 | (u64)a[7]<<56;
}
static inline void kvPut32be(u8 *a, u32 v){
  a[0] = (u8)(v>>24);
  a[1] = (u8)(v>>16);
  a[2] = (u8)(v>>8);
  a[3] = (u8)v;
}
static inline void kvPut64be(u8 *a, u64 v){
  kvPut32be(a, (u32)(v>>32));
  kvPut32be(&a[4], (u32)v);
}
static inline void kvPut64le(u8 *a, u64 v){
  a[0] = (u8)v;
  a[1] = (u8)(v>>8);
  a[2] = (u8)(v>>16);
  a[3] = (u8)(v>>24);
  a[4] = (u8)(v>>32);
  a[5] = (u8)(v>>40);
  a[6] = (u8)(v>>48);
  a[7] = (u8)(v>>56);
}

/* A double and its bits. */
static inline double kvBitsToDouble(u64 u){
  double r;
  memcpy(&r, &u, 8);
  return r;
}
static inline u64 kvDoubleToBits(double r){
  u64 u;
  memcpy(&u, &r, 8);
  return u;
}

/* The NaN that JavaScript writes, and its bits. */
#define KV_NAN_BITS 0x7ff8000000000000u
static inline double kvNaN(void){
  return kvBitsToDouble(KV_NAN_BITS);
}

/* The index of the first nonzero byte of u, from the low end.  u must not be 0. */
static inline u32 kvFirstByte(u64 u){
  KV_ASSERT( u!=0 );
#if defined(__GNUC__)
  return (u32)__builtin_ctzll(u)>>3;
#else
  u32 i = 0;
  while( (u>>(8*i) & 0xff)==0 ) i++;
  return i;
#endif
}

#endif /* KV_ENDIAN_H */
