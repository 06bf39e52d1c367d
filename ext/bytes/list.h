/*
** list.h -- a list of byte strings, each a copy.
**
** One buffer holds all strings, each preceded by its length as four bytes,
** big-endian; so a list needs one allocation and can be stored.  Errors are the
** buffer's, and sticky.  All zero is an empty list.
*/
#ifndef KV_LIST_H
#define KV_LIST_H

#include "bytes/bytes.h"

typedef struct KvList KvList;
struct KvList {
  KvBuf bytes;
};

/* Drop the strings and any error, but keep the memory; free the memory. */
void kvListReset(KvList *p);
static inline void kvListClear(KvList *p){ kvBufClear(&p->bytes); }

void kvListAdd(KvList *p, KvBytes b);

/* Append a string by writing it to p->bytes between the two calls.  The first
** returns the argument of the second.  An empty string is not added. */
u32 kvListBegin(KvList *p);
void kvListEnd(KvList *p, u32 iBegin);

/* Read the string at *pi (0: the first) and advance *pi.  Returns 0 at the end, and
** after an error, which may have truncated the last string. */
int kvListNext(const KvList *p, u32 *pi, KvBytes *pItem);

/* Sort the strings and remove duplicates. */
void kvListSort(KvList *p);

#endif /* KV_LIST_H */
