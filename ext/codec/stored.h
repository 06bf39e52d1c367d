/*
** stored.h -- values as Deno stores them: bytes, and their format in v_encoding.
**
**   1  V8's serialization format      any value but the two below
**   2  8 bytes, little-endian         a KvU64
**   3  the bytes themselves           a Uint8Array
*/
#ifndef KV_STORED_H
#define KV_STORED_H

#include "codec/value.h"

/*
** Read a stored value: eEncoding is Deno's v_encoding (1 V8, 2 KvU64,
** 3 bytes).  The slices point into the value.
*/
int kvValueRead(KvTree *p, int eEncoding, KvBytes value, KvErr *pErr);

/*
** Write the tree's root as Deno stores it.  *peEncoding receives 1, 2 or 3 and
** pOut the bytes.  iVersion (13 to 16; 15 or 16 for what is to be stored) goes
** into the header of encoding 1.  With bV8Only the encoding is always 1 (queue
** messages).  KV_REFUSED for what would make Deno fail: host objects,
** nesting beyond KV_DEPTH_BUDGET.
*/
int kvValueWrite(
  KvTree *p, int iVersion, int bV8Only,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
);

#endif /* KV_STORED_H */
