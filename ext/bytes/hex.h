/*
** hex.h -- hexadecimal digits.
*/
#ifndef KV_HEX_H
#define KV_HEX_H

#include "bytes/types.h"

/* The digit of the lowest four bits of v, in lower case. */
static inline char kvHexDigit(u32 v){
  return "0123456789abcdef"[v & 15];
}

/* The value of a digit of either case, or -1. */
static inline int kvHexValue(u8 c){
  if( c>='0' && c<='9' ) return c-'0';
  c |= 0x20;
  return c>='a' && c<='f' ? c-'a'+10 : -1;
}

#endif /* KV_HEX_H */
