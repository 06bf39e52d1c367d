/*
** sum.h -- the arithmetic of sum, min and max on stored numbers.
**
** There are three types of stored numbers: KvU64 (encoding 2), JavaScript numbers
** and bigints (encoding 1, V8).  Both sides must have the same type, with Deno's
** exception: without bounds a KvU64 accepts a bigint operand that fits into 64
** bits.
**
** An operand or a bound may be plain (KV_PLAIN_INTEGER or KV_PLAIN_REAL of op.h as
** its encoding): a whole number of any type.  A plain operand takes the stored
** type; if nothing is stored, an INTEGER makes a KvU64 and a REAL a number.  A
** plain bound takes the type of the result.
*/
#ifndef KV_SUM_H
#define KV_SUM_H

#include "codec/op.h"

/* A stored value. */
typedef struct KvStored KvStored;
struct KvStored {
  int eEncoding;          /* v_encoding */
  KvBytes bytes;
};

/*
** Combine the stored value with the op's: KV_OP_SUM, KV_OP_MIN or KV_OP_MAX.  pOld
** may be 0: nothing is stored, and the operand is the result.  A KvU64 sum wraps at
** 2^64 as Deno's does, unless there are bounds: then 2^64-1 bounds it too.  The
** op's min and max bound the result of a sum; beyond them it is an error, or with
** KV_OP_CLAMP the bound itself.  Those of a KvU64 are KvU64s, or bigints of that
** range.
**
** The result's bytes are appended to pOut (empty before) and its encoding is
** stored to *peEncoding; they are Deno's bytes: a number as a double, a bigint
** with as few digits as it needs, the header of version 15.
**
** KV_REFUSED with a text if the types don't match or a bound is exceeded,
** KV_CORRUPT if the stored value is undecodable, KV_NOMEM.
*/
int kvSum(const KvOp *pOp, const KvStored *pOld, KvBuf *pOut, int *peEncoding, KvErr *pErr);

#endif /* KV_SUM_H */
