/*
** buf.h -- the growable byte buffer.
*/
#ifndef KV_BUF_H
#define KV_BUF_H

#include "bytes/endian.h"
#include "bytes/err.h"
#include "bytes/memory.h"

/* The largest size of a buffer: no SQLite value is larger, and SQLite's allocator
** returns at most 0x7ffffeff bytes. */
#define KV_MAX_BUF  0x7ffffe00u

/*
** A growable buffer of bytes.
**
** Errors are sticky: after a failed append eErr is KV_NOMEM or KV_TOOBIG and every
** later append does nothing, so a builder checks once, at the end.  The buffer may
** start in the caller's memory (a stack array), which is never freed.
*/
typedef struct KvBuf KvBuf;
struct KvBuf {
  u8 *a;                  /* The bytes */
  u32 n;                  /* Bytes in use */
  u32 nAlloc;             /* Bytes available at a */
  u8 bStatic;             /* True if a belongs to the caller */
  u8 eErr;                /* KV_OK, KV_NOMEM or KV_TOOBIG */
};

/* Start empty.  pSpace (nSpace bytes, may be 0 and 0) is used first. */
void kvBufInit(KvBuf *p, void *pSpace, u32 nSpace);
/* Free the memory; the buffer is then as after kvBufInit(p, 0, 0). */
void kvBufClear(KvBuf *p);
/* Make room for nExtra more bytes.  Returns eErr. */
int kvBufGrow(KvBuf *p, u64 nExtra);
void kvBufAppendSlow(KvBuf *p, const void *pData, u64 n);
void kvBufPutSlow(KvBuf *p, u8 c);
/* Append a zero-terminated text. */
void kvBufText(KvBuf *p, const char *z);
/* Append a zero byte that is not counted, so that a is a C string. */
int kvBufTerminate(KvBuf *p);
/* Pass the bytes to the caller, who frees them with kvFree().  The result is 0 only
** after an error.  The buffer is then empty. */
u8 *kvBufDetach(KvBuf *p);

/* Drop the content and any error, but keep the memory. */
static inline void kvBufReset(KvBuf *p){
  p->n = 0;
  p->eErr = KV_OK;
}

/* Is there room for n more bytes, or can it be made? */
static inline int kvBufRoom(KvBuf *p, u32 n){
  return (n<=p->nAlloc - p->n && p->eErr==KV_OK) || kvBufGrow(p, n)==KV_OK;
}

/* Append n bytes. */
static inline void kvBufAppend(KvBuf *p, const void *pData, u64 n){
  if( n<=(u64)(p->nAlloc - p->n) && p->eErr==KV_OK ){
    if( n ) memcpy(&p->a[p->n], pData, (size_t)n);
    p->n += (u32)n;
  }else{
    kvBufAppendSlow(p, pData, n);
  }
}

/* Append one byte. */
static inline void kvBufPut(KvBuf *p, u8 c){
  if( p->n<p->nAlloc && p->eErr==KV_OK ){
    p->a[p->n++] = c;
  }else{
    kvBufPutSlow(p, c);
  }
}

/* Append a constant text without counting its length at run time. */
#define kvBufLit(P,Z) kvBufAppend((P), (Z), sizeof(Z)-1)

#endif /* KV_BUF_H */
