/*
** bigint_long.h -- the radix conversion of long numbers.
**
** A number is given as leaves, the least significant first: its digits in one base,
** cut into 2^k pieces of the same length, each already converted to nWidth digits
** of the other base.  Put together,
**
**     number = leaf[0] + leaf[1]*U + leaf[2]*U^2 + ...
**
** where U, the unit, is what a leaf is less than; it has nWidth digits too.
*/
#ifndef KV_BIGINT_LONG_H
#define KV_BIGINT_LONG_H

#include "bytes/buf.h"

/* The bases of the digits: what is computed with, for bytes and for text. */
#define KV_BIG_BYTES  65536
#define KV_BIG_TEXT   10000

/*
** a has the 2^nLevel leaves (two or more) of nWidth digits of base iBase each, the
** least significant first; they become the digits of the number.  aUnit has the
** digits of the unit and room for half as many as a: work space.  Takes time
** O(n log^2 n), and 24 to 48 bytes of memory for each digit of the result.  KV_OK
** or KV_NOMEM.
*/
int kvBigCombine(u32 iBase, u32 nLevel, u32 nWidth, uint16_t *a, uint16_t *aUnit);

#endif /* KV_BIGINT_LONG_H */
