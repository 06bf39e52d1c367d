/*
** list.h -- a list of byte strings, each a copy.
**
** They are one after the other in one buffer, each after its length in four
** bytes, big-endian; so a list costs one allocation and can be stored.  Errors
** are those of the buffer: sticky.  All zero is an empty list.
*/
#ifndef KV_LIST_H
#define KV_LIST_H

#include "bytes/bytes.h"

typedef struct KvList KvList;
struct KvList {
  KvBuf bytes;
};

/* Forget the strings and any error, keep the memory; free the memory. */
void kvListReset(KvList *p);
static inline void kvListClear(KvList *p){ kvBufClear(&p->bytes); }

void kvListAdd(KvList *p, KvBytes b);

/* Append a string that is made in p->bytes, between the two calls.  The first
** returns what the second one takes; an empty string is left out. */
u32 kvListBegin(KvList *p);
void kvListEnd(KvList *p, u32 iBegin);

/* The string at *pi (0: the first one), which moves to the next one.  0 at the
** end, and after an error, which may have cut the last string. */
int kvListNext(const KvList *p, u32 *pi, KvBytes *pItem);

/* Sort the strings and drop what occurs twice. */
void kvListSort(KvList *p);

#endif /* KV_LIST_H */
