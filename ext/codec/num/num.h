/*
** num.h -- JavaScript numbers as text.
**
** Independent of the C library's locale and rounding: numbers are printed as
** Number.prototype.toString() prints them (the shortest digits that read back
** as the same double) and read with correct rounding (to nearest, ties to
** even).
*/
#ifndef KV_NUM_H
#define KV_NUM_H

#include "bytes/bytes.h"

/* Bytes that kvNumPrint() needs at the most. */
#define KV_NUM_TEXT 32

/*
** Print r to z (at least KV_NUM_TEXT bytes; no terminating zero) as
** JavaScript does, but with "-0" for negative zero.  NaN is "NaN" whatever
** its sign.  Returns the number of bytes.
*/
int kvNumPrint(double r, char *z);

/* The numbers from 00 to 99, two digits each. */
extern const char kvDigitPairs[];

/* Print an integer.  z has room for 21 bytes.  Returns the number of bytes. */
int kvU64Print(u64 v, char *z);
static inline int kvIntPrint(i64 v, char *z){
  int bNeg = v<0;
  if( bNeg ) *z = '-';
  return bNeg + kvU64Print(bNeg ? 0-(u64)v : (u64)v, z+bNeg);
}

/*
** Read an unsigned decimal number
**
**     digits [ '.' [digits] ] [ ('e'|'E') ['+'|'-'] digits ]
**     '.' digits [ exponent ]
**
** from the start of a text.  Stores the nearest double (Infinity when it
** is too large) to *pr and returns how many bytes were read, 0 if there is no
** number.  Any number of digits is read in time proportional to it.
*/
u32 kvNumParse(KvBytes text, double *pr);

/* Number.isSafeInteger(): whole and within 2^53-1, beyond which a double no longer
** tells whole numbers apart. */
#define KV_MAX_SAFE  9007199254740991LL
int kvIsSafeInteger(double r);

/* The integer part of r modulo 2^64 (0 for NaN and the infinities): its low bits
** are what ToUint8(), ToInt32() and so on give. */
u64 kvNumModulo(double r);

#endif /* KV_NUM_H */
