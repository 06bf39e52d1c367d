/*
** value_string.h -- the strings of a tree in any representation (KV_LATIN1,
** KV_UTF16, KV_WTF8).
*/
#ifndef KV_VALUE_STRING_H
#define KV_VALUE_STRING_H

#include "codec/value.h"

/*
** The array index that a property key spells ("0" to "4294967294", canonical
** decimal), or -1.
*/
i64 kvArrayIndex(KvBytes text);

/* Decode the code point of a STRING at offset *pi<n and step over it. */
u32 kvStringPoint(const KvNode *pStr, u32 *pi);

/* Compare two STRING nodes by code points: negative, 0 or positive. */
int kvStringCompare(const KvNode *pA, const KvNode *pB);

/* True if two STRING nodes hold the same JavaScript string. */
int kvStringEqual(const KvNode *pA, const KvNode *pB);

/* True if the node is a STRING that holds exactly the ASCII text z. */
int kvStringHolds(const KvNode *p, const char *z, u32 n);
static inline int kvStringIs(const KvNode *p, const char *z){
  u32 n = (u32)strlen(z);                        /* known when it is compiled */
  return p->n==(p->eSub==KV_UTF16 ? 2*n : n) && kvStringHolds(p, z, n);
}

/* The value of the property zKey, a text of ASCII, of the OBJECT; 0: it has none. */
u32 kvProperty(const KvTree *p, u32 iObject, const char *zKey);

#endif /* KV_VALUE_STRING_H */
