/*
** bigint.h -- JavaScript bigints as text and as 64-bit integers.
**
** A bigint is a sign and a magnitude: bytes, least significant first, without
** leading zero bytes (0n has none).
*/
#ifndef KV_BIGINT_H
#define KV_BIGINT_H

#include "bytes/bytes.h"

/* Bytes of the largest magnitude that is printed in decimal, more than Deno can store, and the
** decimal digits of the longest number that is read.  Others are in hexadecimal. */
#define KV_BIG_BYTES   65536
#define KV_BIG_DIGITS  160000

/*
** Append a bigint's magnitude to pOut (no sign, no 'n'): in decimal, or if it is too large as
** 0x and hexadecimal digits.  0n is "0".  The work space is the buffer's; a failure is left in
** pOut->eErr.
*/
void kvBigPrint(KvBuf *pOut, KvBytes magnitude);

/* The magnitude of v in aMag (8 bytes). */
KvBytes kvBigMagnitude(u64 v, u8 *aMag);

/* The bigint as *pv, if it fits: true.  (Zero bytes at the end of the magnitude,
** which is at most 8 bytes then, are allowed.) */
int kvBigInt64(int bNeg, KvBytes magnitude, i64 *pv);

/* An upper bound for the bytes that kvBigParse() stores for n digits. */
#define kvBigBound(n) ((u64)(n)/2 + 16)

/* Can so many digits of a base be read? */
int kvBigReads(KvBytes digits, int iBase);
#define KV_BIG_LONG "a bigint has at most 160000 decimal digits; write a larger one as 0x..."

/*
** Read the digits (one or more, kvBigReads()) of a number of base iBase (2, 8, 10 or 16; all of
** them must be digits of that base) as a magnitude into aOut, which has kvBigBound() bytes for
** them.  (For bases 2 and 8 that is more than enough.)  Returns the length of the magnitude
** without leading zero bytes.
*/
u32 kvBigParse(KvBytes digits, int iBase, u8 *aOut);

#endif /* KV_BIGINT_H */
