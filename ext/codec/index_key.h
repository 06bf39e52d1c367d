/*
** index_key.h -- the entries of a declared secondary index.
**
** An index has a name, and entries below the key [name] for the values at one or
** several paths in the values of its primary entries:
**
**   [name, value]               unique index      -> pointer
**   [name, value, ...rest]      any other         -> pointer
**   [name, v1, v2, ...rest]     of two paths      -> pointer
**
** value is one key part: a string, number, bigint, boolean or Uint8Array unchanged,
** a Date as its time value (a number), a KvU64 as a bigint.  rest is the parts of
** the primary key after the index's prefix; the pointer is the part itself if rest
** is one part, otherwise an array of the parts.  An array at the path stands for
** each of its elements, except with several paths.  Values of other types have no
** entry, nor do bigints of more than 255 bytes; with several paths each must have a
** value.
**
** What has no part although it isn't null, an array among it, is left out.  Beside the
** entries the index has a list of it, under keys that no entry has:
**
**   [name] KV_TAG_LEFT              an index that isn't unique
**   [name] KV_TAG_LEFT what ...     a unique one: for each path the part, or
**                                   KV_TAG_LEFT kind subkind length(4, big-endian) and
**                                   the bytes of an ArrayBuffer, or the JSON text
*/
#ifndef KV_INDEX_KEY_H
#define KV_INDEX_KEY_H

#include "bytes/list.h"
#include "codec/value.h"

/*
** What is at a path, beside its part (a bit mask).  Of a number the part may be that of a
** Date; whatever has no part, or one that doesn't tell all, is OTHER: objects, arrays,
** NaN, -0, dates outside of the years 0 to 9999, integers beyond 64 bits, elements of views,
** and what makes a key too long.
** The mask of several paths has eight bits for each, the first path's are the lowest.
*/
#define KVKIND_STRING  0x01
#define KVKIND_NUMBER  0x02
#define KVKIND_BIGINT  0x04
#define KVKIND_BOOL    0x08
#define KVKIND_BYTES   0x10
#define KVKIND_DATE    0x20
#define KVKIND_OTHER   0x40
#define KVKIND_NULL    0x80    /* Nothing, null or undefined */
#define KVKIND_BITS    8
#define KVKIND_EACH    0x01010101u   /* A kind, at each of the paths */

/* Add a part's stored bytes for each value at the path; with several paths the
** concatenated parts, if all have a value; and to *pmKind what is there.  bLower: in
** strings, A to Z become a to z.  KV_SYNTAX if a path is malformed, KV_NOMEM. */
int kvIndexValues(
  KvTree *p, const KvBytes *aPath, u32 nPath, int bLower, KvList *pOut, u32 *pmKind, KvErr *pErr
);

#define KV_TAG_LEFT 0xf0

/* Is anything at the paths left out, and nothing null?  Then append what it is, if bWhat.
** 2: it is an array with an element that has a part, or without any, which is equal to no
** other one; nothing is appended. */
int kvIndexLeft(
  KvTree *p, const KvBytes *aPath, u32 nPath, int bLower, int bWhat, KvBuf *pOut, KvErr *pErr
);

/* Is there a value at a path of just the kind KV_xxx, maybe as the element of an array, that
** has the part?  (A number and a Date may have the same, and a bigint and a KvU64.) */
int kvIndexHolds(KvTree *p, KvBytes path, u8 eKind, KvBytes part, int *pbHolds, KvErr *pErr);

/*
** Append the stored value of a pointer to the primary key whose parts after the
** prefix are parts.  The (reset) tree is work space.  *peEncoding as for
** kvValueWrite().  KV_CORRUPT if the bytes aren't parts, KV_NOMEM.
*/
int kvIndexPointer(
  KvTree *pTree, KvBytes parts, int iVersion, KvBuf *pOut, int *peEncoding, KvErr *pErr
);

/* Are two stored values with the encoding of a pointer equal?  The versions in V8's
** header may differ. */
int kvIndexPointerSame(int eEncoding, KvBytes a, KvBytes b);

#endif /* KV_INDEX_KEY_H */
