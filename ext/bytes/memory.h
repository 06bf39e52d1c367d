/*
** memory.h -- memory.
**
** All memory of the extension comes from kvRealloc(), which is SQLite's
** allocator in the extension and libc's when the codecs are built alone
** (-DKV_STANDALONE).
*/
#ifndef KV_MEMORY_H
#define KV_MEMORY_H

#include "bytes/types.h"

/*
** Unit tests count allocations and make them fail: true is "no memory".  With
** n==0 it is a place that needs memory at times only.
*/
#if defined(KV_STANDALONE) && defined(KV_TEST)
int kvTestAlloc(u64 n);
# define KV_TEST_FAULT kvTestAlloc(0)
#else
# define KV_TEST_FAULT 0
#endif

/* Resize (or, with pOld==0, allocate) to n>0 bytes.  0 on failure, and then
** pOld is still valid and still the caller's. */
void *kvRealloc(void *pOld, u64 n);
/* n bytes that are zero; 0 on failure. */
void *kvZeroed(u64 n);
void kvFree(void *p);

/* Room for n items of nSize bytes in the array a, which has *pnAlloc: the array,
** moved perhaps.  0 on failure, and then nothing has changed. */
void *kvReserveSlow(void *a, u32 *pnAlloc, u64 n, u32 nSize);
static inline void *kvReserve(void *a, u32 *pnAlloc, u64 n, u32 nSize){
  return n<=*pnAlloc ? a : kvReserveSlow(a, pnAlloc, n, nSize);
}

/* Twice the room for a stack of *pnAlloc items of nSize bytes: the array, moved.
** It begins in aSpace, which is the caller's.  0 on failure, as above. */
void *kvStackGrow(void *a, void *aSpace, u32 *pnAlloc, u32 nSize);

/* A number that follows from where in memory something is, which who wrote a file does not
** know.  (SQLite's random numbers stay for what is stored.)  0 in the codecs alone. */
u32 kvSeed(const void *p);

#endif /* KV_MEMORY_H */
