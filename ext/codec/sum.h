/*
** sum.h -- the arithmetic of sum, min and max on stored numbers.
**
** Three kinds of numbers are stored: KvU64 (encoding 2), JavaScript numbers
** and bigints (encoding 1, V8).  Both sides must be of one kind, but for
** Deno's exception: without bounds a KvU64 takes a bigint operand that fits 64
** bits.
**
** An operand or a bound may be plain (KV_PLAIN_INTEGER or KV_PLAIN_REAL of op.h
** as its encoding): a whole number of any kind.  A plain operand is of the kind of
** what is stored; where nothing is, an INTEGER makes a KvU64 and a REAL a number.
** A plain bound is of the kind of the result.
*/
#ifndef KV_SUM_H
#define KV_SUM_H

#include "bytes/buf.h"

/* A stored value: encoding and bytes; or a plain number and its eight bytes. */
typedef struct KvStored KvStored;
struct KvStored {
  int eEncoding;
  const u8 *a;
  u32 n;
};

/*
** Combine the value that is stored with the operand: eOp is KV_OP_SUM,
** KV_OP_MIN or KV_OP_MAX.  pOld may be 0: nothing is stored, and the operand
** is the result.  A KvU64 sum wraps at 2^64 as Deno's does, unless there are
** bounds: then 2^64-1 bounds it too.  pMin and pMax (0: none) bound the result of
** a sum; beyond them it is an error, or with bClamp the bound itself.  Those of a
** KvU64 are KvU64s, or bigints of that range.
**
** The result's bytes are appended to pOut (empty before) and its encoding is
** stored to *peEncoding; they are Deno's bytes: a number as a double, a bigint
** with as few digits as it needs, the header of version 15.
**
** KV_REFUSED with a text when the two don't go together or a bound is passed,
** KV_CORRUPT when the stored value can't be read, KV_NOMEM.
*/
int kvSum(
  int eOp, const KvStored *pOld, const KvStored *pOperand,
  const KvStored *pMin, const KvStored *pMax, int bClamp,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
);

#endif /* KV_SUM_H */
