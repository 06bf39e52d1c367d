/*
** bigint.h -- JavaScript bigints as text and as 64-bit integers.
**
** A bigint is a sign and a magnitude: bytes, least significant first, without
** leading zero bytes (0n has none).
*/
#ifndef KV_BIGINT_H
#define KV_BIGINT_H

#include "bytes/bytes.h"

/*
** Append the decimal digits of a bigint's magnitude to pOut
** (no sign, no 'n').  0n is "0".  The work space is the buffer's, but for
** magnitudes of more than 32,767 bytes; a failure is left in pOut->eErr.
*/
void kvBigPrint(KvBuf *pOut, KvBytes magnitude);

/* The magnitude of v in aMag (8 bytes). */
KvBytes kvBigMagnitude(u64 v, u8 *aMag);

/* The bigint as *pv, if it fits: true.  (Zero bytes at the end of the magnitude,
** which is at most 8 bytes then, are allowed.) */
int kvBigInt64(int bNeg, KvBytes magnitude, i64 *pv);

/* An upper bound for the bytes that kvBigParse() stores for n digits. */
#define kvBigBound(n) ((u64)(n)/2 + 16)

/*
** Read the digits (one or more) of a number of base iBase (2, 8, 10 or 16; all of
** them must be digits of that base) as a magnitude into aOut, which has
** kvBigBound() bytes for them.
** (For bases 2 and 8 that is more than enough.)  Returns the length of the
** magnitude without leading zero bytes.  Work space for numbers of more than
** 100,000 decimal digits comes from kvRealloc(): KV_BIG_NOMEM on failure.
*/
#define KV_BIG_NOMEM 0xffffffffu
u32 kvBigParse(KvBytes digits, int iBase, u8 *aOut);

#endif /* KV_BIGINT_H */
