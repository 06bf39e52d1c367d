/*
** buf.h -- memory, errors and the growable byte buffer.
**
** This is the lowest layer: it includes nothing of the project, and every
** other file may include it.  All memory of the extension comes from
** kvRealloc(), which is SQLite's allocator in the extension and libc's when
** the codecs are built alone (-DKV_STANDALONE).
*/
#ifndef KV_BUF_H
#define KV_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef KV_DEBUG
# include <assert.h>
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* Elements of an array. */
#define KV_COUNT(A) ((u32)(sizeof(A)/sizeof((A)[0])))

/* For the few functions that are only fast where they are called. */
#ifdef __GNUC__
# define KV_INLINE static inline __attribute__((always_inline))
#else
# define KV_INLINE static inline
#endif

/*
** What a header promises, as code: compiled in with -DKV_DEBUG (the tests, the
** fuzzers and the sanitizers), never evaluated otherwise.  Never about stored
** bytes or anything else that a hostile file can bring about.
*/
#ifdef KV_DEBUG
# define KV_ASSERT(x) assert(x)
#else
# define KV_ASSERT(x) ((void)(0 && (x)))
#endif

/*
** Result codes of every fallible function below the SQL face.
*/
#define KV_OK       0
#define KV_NOMEM    1   /* an allocation failed */
#define KV_TOOBIG   2   /* a result would pass KV_MAX_BUF bytes */
#define KV_SYNTAX   3   /* a text is not what the grammar asks for */
#define KV_CORRUPT  4   /* stored bytes break their format */
#define KV_REFUSED  5   /* well formed, but may not be stored or shown */

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

/* No buffer grows past this: no value of SQLite's holds more, and SQLite's
** allocator gives at most 0x7ffffeff bytes at a time. */
#define KV_MAX_BUF  0x7ffffe00u

/*
** An error of a codec: what, where, in words.
**
** zMsg is a constant text (never freed) that says what is wrong and, where it
** is not evident, what to do; it neither starts with a capital letter nor
** ends with a full stop.  iPos is the byte offset into the input at which the
** error was noticed, or -1 where an offset means nothing.  zNumber, unless it
** is empty, is a number that zMsg ends with.
*/
typedef struct KvErr KvErr;
struct KvErr {
  int eCode;              /* KV_OK or one of the codes above */
  i64 iPos;               /* Byte offset into the input, or -1 */
  const char *zMsg;       /* Constant text, or 0 when eCode is KV_OK */
  char zNumber[32];       /* Zero-terminated: KV_NUM_TEXT bytes, see num.h */
};

/* Set *pErr and return the code.  pErr may be 0. */
int kvErrSet(KvErr *pErr, int eCode, i64 iPos, const char *zMsg);

/* Resize (or, with pOld==0, allocate) to n>0 bytes.  0 on failure, and then
** pOld is still valid and still the caller's. */
void *kvRealloc(void *pOld, u64 n);
void kvFree(void *p);

/*
** A growable buffer of bytes.
**
** Errors are sticky: after a failed append eErr is KV_NOMEM or KV_TOOBIG and
** every later append does nothing, so that a builder checks once at the end.
** The buffer may start in memory of the caller (a stack array), which is
** never freed.
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
/* Forget the content and any error, keep the memory. */
void kvBufReset(KvBuf *p);
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
/* Hand the bytes over to the caller, who frees them with kvFree().  The
** result is never 0 unless there was an error.  The buffer is then empty. */
u8 *kvBufDetach(KvBuf *p);

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

/*
** Integers and doubles in a stated byte order, whatever the machine's.
*/
u64 kvGet64le(const u8 *a);
u64 kvGet64be(const u8 *a);
void kvPut64le(u8 *a, u64 v);
void kvPut64be(u8 *a, u64 v);
/* The same, where it has to be fast: each becomes an instruction or two. */
static inline u64 kvLoad64(const u8 *a){
  return (u64)a[0] | (u64)a[1]<<8 | (u64)a[2]<<16 | (u64)a[3]<<24
       | (u64)a[4]<<32 | (u64)a[5]<<40 | (u64)a[6]<<48 | (u64)a[7]<<56;
}
static inline void kvStore64(u8 *a, u64 v){
  a[0] = (u8)v;
  a[1] = (u8)(v>>8);
  a[2] = (u8)(v>>16);
  a[3] = (u8)(v>>24);
  a[4] = (u8)(v>>32);
  a[5] = (u8)(v>>40);
  a[6] = (u8)(v>>48);
  a[7] = (u8)(v>>56);
}
static inline void kvStore64be(u8 *a, u64 v){
  a[0] = (u8)(v>>56);
  a[1] = (u8)(v>>48);
  a[2] = (u8)(v>>40);
  a[3] = (u8)(v>>32);
  a[4] = (u8)(v>>24);
  a[5] = (u8)(v>>16);
  a[6] = (u8)(v>>8);
  a[7] = (u8)v;
}
static inline u64 kvLoad64be(const u8 *a){
  return (u64)a[7] | (u64)a[6]<<8 | (u64)a[5]<<16 | (u64)a[4]<<24
       | (u64)a[3]<<32 | (u64)a[2]<<40 | (u64)a[1]<<48 | (u64)a[0]<<56;
}
/* The first byte, counted from the lowest bits of u, that isn't 0.  u isn't. */
static inline u32 kvFirstByte(u64 u){
#if defined(__GNUC__)
  return (u32)__builtin_ctzll(u)>>3;
#else
  u32 i = 0;
  while( (u>>(8*i) & 0xff)==0 ) i++;
  return i;
#endif
}
double kvBitsToDouble(u64 u);
u64 kvDoubleToBits(double r);

#endif /* KV_BUF_H */
