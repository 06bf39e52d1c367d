/*
** memory.c -- memory.  See memory.h.
**
** The table of SQLite's functions, through which a loadable extension calls
** them, is defined here; sqlite3_kv_init() stores it.
*/
#include "bytes/memory.h"

#ifdef KV_STANDALONE
#include <stdlib.h>
#ifndef KV_TEST
# define kvTestAlloc(n) 0
#endif
void *kvRealloc(void *pOld, u64 n){
  return kvTestAlloc(n) || n>SIZE_MAX ? 0 : realloc(pOld, (size_t)n);
}
void kvFree(void *p){ free(p); }
u32 kvSeed(const void *p){ (void)p; return 0; }
#else
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1
void *kvRealloc(void *pOld, u64 n){ return sqlite3_realloc64(pOld, n); }
void kvFree(void *p){ sqlite3_free(p); }
u32 kvSeed(const void *p){ return (u32)((uintptr_t)p>>4)*2654435761u; }
#endif

void *kvZeroed(u64 n){
  void *p = kvRealloc(0, n);
  if( p ) memset(p, 0, (size_t)n);
  return p;
}

void *kvReserveSlow(void *a, u32 *pnAlloc, u64 n, u32 nSize){
  u64 nNew = 2*n + 30;
  a = nNew>0x7fffffff ? 0 : kvRealloc(a, nNew*nSize);
  if( a ) *pnAlloc = (u32)nNew;
  return a;
}

void *kvStackGrow(void *a, void *aSpace, u32 *pnAlloc, u32 nSize){
  u64 nOld = (u64)*pnAlloc*nSize;
  void *aNew = kvRealloc(a==aSpace ? 0 : a, nOld*2);
  if( aNew==0 ) return 0;
  if( a==aSpace ) memcpy(aNew, aSpace, (size_t)nOld);
  *pnAlloc *= 2;
  return aNew;
}
