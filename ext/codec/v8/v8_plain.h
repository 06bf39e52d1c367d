/*
** v8_plain.h -- plain values in V8's format: shared by the conversions between
** formats that need no tree.
**
** Most values that people store are plain: objects with string keys, arrays without
** holes, strings, numbers, bigints, booleans, null, undefined and Dates, none of
** them twice.  For them these functions do in one pass what otherwise takes a
** reader, a tree (value.h) and a printer.
**
** They either do exactly what the general way does, or report that the value isn't
** plain and change nothing; then the caller uses the general way.  In particular a
** value with any error isn't plain, so only one place finds errors.
**
**   bytes := FF version value anything              version 13 to 16
**   value := pad* ( '_' | '0' | 'T' | 'F' | 'I' zigzag | 'N' double | string
**          | 'Z' bits digits | 'D' double
**          | 'o' (key value)* '{' nPair
**          | 'A' n value*n '$' 0 n )
**   key   := pad* ( string | 'I' zigzag )
**   string:= '"' n bytes | 'c' n bytes
**   pad   := 00
**
** (v8_read.c has the whole grammar.)  Integer keys come first and ascend, a
** string key isn't an array index, and no two keys of an object are equal.
** At most PLAIN_DEPTH containers are open at a time, with PLAIN_KEYS keys.
*/
#ifndef KV_V8_PLAIN_H
#define KV_V8_PLAIN_H

#include "bytes/bytes.h"
#include "codec/v8/v8_int.h"

#define PLAIN_DEPTH  24
#define PLAIN_KEYS   64
/* Longer strings are not plain: the limits of V8 are checked elsewhere. */
#define PLAIN_MAX_STRING  0x0fffffffu

/* A string key of an object that is open. */
typedef struct PlainKey PlainKey;
struct PlainKey {
  u64 x;                  /* Its first 8 bytes, zeros after a shorter one */
  const u8 *z;            /* The bytes that tell it from others */
  u32 n;
};

/* The string keys of the open objects, innermost last. */
typedef struct PlainKeys PlainKeys;
struct PlainKeys {
  u32 n;
  PlainKey a[PLAIN_KEYS];
};

/* An open container. */
typedef struct PlainFrame PlainFrame;
struct PlainFrame {
  u64 mSeen;              /* OBJECT: a bit for each string key's hash */
  u32 iKey;               /* OBJECT: its first key in PlainKeys */
  u32 nItem;              /* Pairs so far; length of an ARRAY */
  u32 nLeft;              /* ARRAY: elements to come */
  u32 iIndex;             /* OBJECT: least index that may still come */
  u32 bArray;
};

static inline void plainOpen(PlainFrame *p, const PlainKeys *pKeys, int bArray, u32 n){
  p->mSeen = 0;
  p->iKey = pKeys->n;
  p->nItem = p->nLeft = n;
  p->iIndex = 0;
  p->bArray = (u32)bArray;
}

/* The bits of the first n bytes among eight. */
KV_INLINE u64 plainMask(u32 n){
  return n<8 ? ((u64)1<<(8*n)) - 1 : ~(u64)0;
}

/* The first 8 bytes of a key of n bytes at z, of which 8 can be read. */
KV_INLINE u64 plainPrefix(const u8 *z, u32 n){
  return kvGet64le(z) & plainMask(n);
}

/* The same where nothing may be read after z[n-1]. */
u64 kvPlainPrefix(const u8 *z, u32 n);

/* Add a string key with the prefix x.  False if it is equal to another, or one
** too many. */
int kvPlainIsOld(const PlainFrame *p, const PlainKeys *pKeys, const u8 *z, u32 n, u64 x);
KV_INLINE int plainAddKey(PlainFrame *p, PlainKeys *pKeys, const u8 *z, u32 n, u64 x){
  u64 h = x + n;
  PlainKey *pKey = &pKeys->a[pKeys->n];
  if( n>8 ) h += kvGet64le(z+n-8);
  h = (u64)1<<((h*0x9e3779b97f4a7c15u)>>58);
  if( pKeys->n>=PLAIN_KEYS ) return 0;
  if( (p->mSeen & h) && kvPlainIsOld(p, pKeys, z, n, x) ) return 0;
  p->mSeen |= h;
  pKey->x = x;
  pKey->z = z;
  pKey->n = n;
  pKeys->n++;
  return 1;
}

/* Add an integer key.  False unless it follows those before. */
static inline int plainAddIndex(PlainFrame *p, u32 v){
  if( p->mSeen || v<p->iIndex ) return 0;
  p->iIndex = v + 1;
  return 1;
}

/*
** Read a varint.  Returns the end, or 0 if the input ends or it has more than
** 32 bits.
*/
static inline const u8 *plainVarintLong(const u8 *z, const u8 *zEnd, u32 v, u32 *pv){
  int nShift;
  v &= 0x7f;
  for(nShift=7; nShift<=28; nShift+=7){
    u8 c;
    if( z>=zEnd ) return 0;
    c = *z++;
    v |= (u32)(c&0x7f)<<nShift;
    if( c<0x80 ){
      if( nShift==28 && c>0x0f ) return 0;
      *pv = v;
      return z;
    }
  }
  return 0;
}
static inline const u8 *plainVarint(const u8 *z, const u8 *zEnd, u32 *pv){
  if( z>=zEnd ) return 0;
  if( *z<0x80 ){
    *pv = *z;
    return z + 1;
  }
  return plainVarintLong(z + 1, zEnd, *z, pv);
}

/* Skip padding.  The result is at a byte, or 0. */
static inline const u8 *plainPad(const u8 *z, const u8 *zEnd){
  while( z<zEnd && *z==0 ) z++;
  return z<zEnd ? z : 0;
}

/* The state of a conversion: z in the input (0: not plain), zTo in the output. */
typedef struct PlainAt PlainAt;
struct PlainAt {
  const u8 *z;
  u8 *zTo;
};
static const PlainAt plainNot = {0, 0};

/* What is written. */
typedef struct PlainOut PlainOut;
struct PlainOut {
  KvBuf *pBuf;            /* n isn't up to date */
  const u8 *zFull;        /* nRoom before the end of its memory */
  u32 nRoom;              /* Wherever a key or a value begins, for so much */
};

/* Make room for n more bytes and nRoom after zTo, which may move.  0 if out of memory. */
u8 *kvPlainGrow(PlainOut *p, u8 *zTo, u64 n);

/* The content of a string of n bytes follows z: is it all there? */
static inline int plainHas(const u8 *z, const u8 *zEnd, u32 n){
  return n<=(u64)(zEnd - z) && n<=PLAIN_MAX_STRING;
}

/* After the elements of an array of n: '$' 0 n.  The end, or 0. */
static inline const u8 *plainArrayEnd(const u8 *z, const u8 *zEnd, u32 n){
  u32 nRead = 0;
  if( zEnd - z<3 || z[0]!='$' || z[1]!=0 ) return 0;
  z = plainVarint(z + 2, zEnd, &nRead);
  return nRead==n ? z : 0;
}

/* At the '{' of an object of n pairs.  The end, or 0. */
static inline const u8 *plainObjectEnd(const u8 *z, const u8 *zEnd, u32 n){
  u32 nRead = 0;
  z = plainVarint(z + 1, zEnd, &nRead);
  return nRead==n ? z : 0;
}

/* After the 'A' of an array.  The first element, or 0. */
static inline const u8 *plainArrayStart(const u8 *z, const u8 *zEnd, u32 *pn){
  z = plainVarint(z, zEnd, pn);
  return z && *pn<=(u64)(zEnd - z) ? z : 0;
}

/* The value after the header, or 0. */
static inline const u8 *plainHeader(KvBytes value){
  const u8 *a = value.p;
  return value.n>2 && a[0]==0xff && a[1]>=13 && a[1]<=16 ? a + 2 : 0;
}

/* The key of a property as it was read */
typedef struct PlainV8Key PlainV8Key;
struct PlainV8Key {
  const u8 *z;            /* Content of a string, n bytes, or 0: an index */
  u32 n;                  /* Or the index */
  int eEnc;               /* KV_LATIN1 or KV_UTF16 */
};

/*
** Read the key at z, after padding, and add it to the frame.  The end, or 0:
** not plain.
*/
const u8 *kvPlainV8Key(
  const u8 *z, const u8 *zEnd, PlainFrame *pFrame, PlainKeys *pKeys, PlainV8Key *pKey
);

/* The kind (value.h) of a value that begins with eTag. */
u8 kvPlainKind(u8 eTag);

/*
** The commonest keys: if there is a short Latin-1 string at z that doesn't
** begin with a digit, and 10 bytes after it, return its length, else 0.
*/
#define PLAIN_BEHIND 10
KV_INLINE u32 plainShortKey(const u8 *z, const u8 *zEnd){
  u32 n;
  if( zEnd - z<PLAIN_BEHIND+3 || z[0]!='"' ) return 0;
  n = z[1];
  if( n>=0x80 || n+2+PLAIN_BEHIND>(u64)(zEnd - z) || (u8)(z[2]-'0')<10 ) return 0;
  return n;
}

#endif /* KV_V8_PLAIN_H */
