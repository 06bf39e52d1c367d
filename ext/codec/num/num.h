/*
** num.h -- JavaScript numbers and bigints as text.
**
** Independent of the C library's locale and rounding: numbers are printed as
** Number.prototype.toString() prints them (the shortest digits that read back
** as the same double) and read with correct rounding (to nearest, ties to
** even).  A bigint is a sign and a magnitude; the magnitude is a slice of
** bytes, least significant first, without leading zero bytes (0n has none).
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
int kvIntPrint(i64 v, char *z);

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

/*
** Append the decimal digits of a bigint's magnitude to pOut
** (no sign, no 'n').  0n is "0".  Memory for magnitudes of more than 256
** bytes comes from kvRealloc(); a failure is left in pOut->eErr.
*/
void kvBigPrint(KvBuf *pOut, KvBytes magnitude);

/* The bigint as *pv, if it fits: true.  (Zero bytes at the end of the magnitude,
** which is at most 8 bytes then, are allowed.) */
int kvBigInt64(int bNeg, KvBytes magnitude, i64 *pv);

/* An upper bound for the bytes that kvBigParse() stores for n digits. */
#define kvBigBound(n) ((u64)(n)/2 + 16)

/*
** Read the digits (one or more) of a number of base iBase (2, 8, 10 or 16; all of them must be digits
** of that base) as a magnitude into aOut, which has kvBigBound() bytes for them.
** (For bases 2 and 8 that is more than enough.)  Returns the length of the
** magnitude without leading zero bytes.  Work space for numbers of more than
** 100,000 decimal digits comes from kvRealloc(): KV_BIG_NOMEM on failure.
*/
#define KV_BIG_NOMEM 0xffffffffu
u32 kvBigParse(KvBytes digits, int iBase, u8 *aOut);

#endif /* KV_NUM_H */
