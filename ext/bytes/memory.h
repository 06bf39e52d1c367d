/*
** memory.h -- memory.
**
** All memory of the extension comes from kvRealloc(), which uses SQLite's allocator
** in the extension, and libc's if the codecs are built alone (-DKV_STANDALONE).
*/
#ifndef KV_MEMORY_H
#define KV_MEMORY_H

#include "bytes/types.h"

/*
** Unit tests count allocations and make them fail: true means out of memory.  n==0
** marks code that only sometimes allocates.
*/
#if defined(KV_STANDALONE) && defined(KV_TEST)
int kvTestAlloc(u64 n);
# define KV_TEST_FAULT kvTestAlloc(0)
#else
# define KV_TEST_FAULT 0
#endif

/* Resize (or, with pOld==0, allocate) to n>0 bytes.  0 on failure; then pOld is
** still valid and still the caller's. */
void *kvRealloc(void *pOld, u64 n);
/* n bytes that are zero; 0 on failure. */
void *kvZeroed(u64 n);
void kvFree(void *p);

/* Make room for n items of nSize bytes in the array a, which has room for *pnAlloc.
** Returns the array, which may have moved, or 0 on failure, without any change. */
void *kvReserveSlow(void *a, u32 *pnAlloc, u64 n, u32 nSize);
static inline void *kvReserve(void *a, u32 *pnAlloc, u64 n, u32 nSize){
  return n<=*pnAlloc ? a : kvReserveSlow(a, pnAlloc, n, nSize);
}

/* Double a stack of *pnAlloc items of nSize bytes.  Returns the array, which has
** moved, or 0 on failure, as above.  The first array is aSpace, which the caller
** owns. */
void *kvStackGrow(void *a, void *aSpace, u32 *pnAlloc, u32 nSize);

/* A number derived from a memory address, which the author of a file can't know.
** (SQLite's random numbers are reserved for stored data.) 0 if the codecs are built
** alone. */
u32 kvSeed(const void *p);

#endif /* KV_MEMORY_H */
