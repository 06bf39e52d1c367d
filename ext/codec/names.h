/*
** names.h -- the names of types, errors and flags: JavaScript's words for the
** numbers in a tree.
*/
#ifndef KV_NAMES_H
#define KV_NAMES_H

#include "codec/value.h"

/*
** Name of a node's type as the column "type" shows it: undefined null boolean
** number bigint string Object Array Map Set Date RegExp KvU64 Uint8Array (and the
** other views) ArrayBuffer, Error TypeError ..., Boolean Number String BigInt for
** boxed primitives, for a host object its own "type" or else "HostObject".  zBuf
** has room for 64 bytes and is used if the name is not a constant.
*/
const char *kvTypeName(const KvTree *p, u32 iNode, char *zBuf);

/* "Error", "TypeError" ... for ERROR.eSub. */
const char *kvErrorName(int eSub);
/* The part of an Error, KV_ERR_xxx, that a property names; or 0. */
u32 kvErrorPart(KvBytes name);
/* The child of ERROR iErr that is a part of it; 0: it has none. */
u32 kvErrorChild(const KvTree *p, u32 iErr, u32 mPart);
/* Give ERROR iErr its parts: aPart[KV_ERR_xxx] is the node of each, or 0. */
void kvErrorLink(KvTree *p, u32 iErr, const u32 *aPart);

/* The letters of REGEXP.n into z (9 bytes, terminated). */
void kvRegexpFlags(u32 mFlags, char *z);
/* The flags of the letters; KV_RE_NONE if they are no flags. */
#define KV_RE_NONE 0xffffffffu
u32 kvRegexpReadFlags(KvBytes letters);
/* True if V8 accepts the flags together. */
int kvRegexpFlagsValid(u32 mFlags);

#endif /* KV_NAMES_H */
