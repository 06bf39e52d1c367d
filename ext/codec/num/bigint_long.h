/*
** bigint_long.h -- the radix conversion of long numbers.
**
** A number is given as leaves, the least significant first: its digits in one
** base, cut into 2^k pieces of the same length, each of them converted into
** nWidth digits of the other base by somebody else.  Put together,
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

/* Store the nWidth digits of leaf i to a, least significant first; those of
** the unit if i is KV_BIG_UNIT.  KV_OK or KV_NOMEM. */
#define KV_BIG_UNIT 0xffffffffu
typedef int (*KvBigLeaf)(void *pArg, u32 i, uint16_t *a, u32 nWidth);

/*
** The digits of the number of 2^nLevel leaves: *pa has nWidth<<nLevel of base
** iBase, and is to be freed by kvFree().  Takes time O(n log^2 n), and 28 to 52
** bytes of memory for each digit of the result.  KV_OK or KV_NOMEM.
*/
int kvBigCombine(
  u32 iBase, u32 nLevel, u32 nWidth, KvBigLeaf xLeaf, void *pArg, uint16_t **pa
);

#endif /* KV_BIGINT_LONG_H */
