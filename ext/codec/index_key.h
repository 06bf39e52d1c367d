/*
** index_key.h -- the entries of a declared secondary index.
**
** An index has a name, and entries under the key [name], for the values that
** stand at a path in the values of its primary entries, or at several:
**
**   [name, value]               unique index      -> pointer
**   [name, value, ...rest]      any other         -> pointer
**   [name, v1, v2, ...rest]     of two paths      -> pointer
**
** value is one part of a key: a string, number, bigint, boolean or Uint8Array
** as it is, a Date as its time value (a number), a KvU64 as a bigint.  rest
** are the parts of the primary key after the index's prefix; the pointer is
** the part itself when rest is one part, else an array of the parts.  An array
** at the path stands for each of its elements, but not where there are several
** paths.  What is none of these types has no entry, nor has a bigint of more than 255
** bytes; of several paths each must have a value.
*/
#ifndef KV_INDEX_KEY_H
#define KV_INDEX_KEY_H

#include "bytes/list.h"
#include "codec/value.h"

/* Add a part's stored bytes for each value at the path; of several paths the parts, one
** after the other, if all have one.  bLower: of strings, A to Z become a to z.
** KV_SYNTAX if a path is none, KV_NOMEM. */
int kvIndexValues(
  KvTree *p, const KvBytes *aPath, u32 nPath, int bLower, KvList *pOut, KvErr *pErr
);

/*
** Append the stored value of a pointer to the primary key whose parts after
** the prefix are parts.  The (reset) tree is work space.  *peEncoding as
** for kvValueWrite().  KV_CORRUPT if the bytes are no parts, KV_NOMEM.
*/
int kvIndexPointer(
  KvTree *pTree, KvBytes parts, int iVersion, KvBuf *pOut, int *peEncoding, KvErr *pErr
);

/* Are two stored values with the encoding of a pointer the same?  The version in
** V8's header may be another. */
int kvIndexPointerSame(int eEncoding, KvBytes a, KvBytes b);

#endif /* KV_INDEX_KEY_H */
