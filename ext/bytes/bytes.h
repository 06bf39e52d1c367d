/*
** bytes.h -- a run of bytes owned by someone else.
**
** Keys, values and texts are passed as KvBytes: two words, by value.  It never
** copies or frees the bytes; the function that returns one says how long they stay
** valid.  In an empty run p may be 0.
*/
#ifndef KV_BYTES_H
#define KV_BYTES_H

#include "bytes/buf.h"

typedef struct KvBytes KvBytes;
struct KvBytes {
  const u8 *p;
  u32 n;
};

static inline KvBytes kvBytes(const void *p, u32 n){
  KvBytes b;
  b.p = p;
  b.n = n;
  return b;
}

/* A zero-terminated text, without the zero. */
static inline KvBytes kvBytesText(const char *z){
  return kvBytes(z, (u32)strlen(z));
}

/* The content of a buffer, valid until the buffer changes. */
static inline KvBytes kvBufBytes(const KvBuf *p){
  return kvBytes(p->a, p->n);
}

/* Append a run to a buffer. */
static inline void kvBufAdd(KvBuf *p, KvBytes b){
  kvBufAppend(p, b.p, b.n);
}

static inline int kvBytesEqual(KvBytes a, KvBytes b){
  return a.n==b.n && (a.n==0 || memcmp(a.p, b.p, a.n)==0);
}

/* True if b begins with bStart. */
static inline int kvBytesBegins(KvBytes b, KvBytes bStart){
  return b.n>=bStart.n && (bStart.n==0 || memcmp(b.p, bStart.p, bStart.n)==0);
}

/* Negative, zero or positive: as memcmp(), where a prefix is less than what it
** begins. */
static inline int kvBytesCompare(KvBytes a, KvBytes b){
  u32 n = a.n<b.n ? a.n : b.n;
  int c = n ? memcmp(a.p, b.p, n) : 0;
  return c ? c : (a.n>b.n) - (a.n<b.n);
}

/* All of b from its byte iFrom on (at most b.n). */
static inline KvBytes kvBytesFrom(KvBytes b, u32 iFrom){
  KV_ASSERT( iFrom<=b.n );
  return kvBytes(b.p + iFrom, b.n - iFrom);
}

#endif /* KV_BYTES_H */
