/*
** plain_int.h -- what the readers of plain values share; see plain.h.
*/
#ifndef KV_PLAIN_INT_H
#define KV_PLAIN_INT_H

#include "codec/v8/plain.h"
#include "codec/v8/v8_int.h"

#define PLN_DEPTH  24
#define PLN_KEYS   64
/* Longer strings are not plain: the limits of V8 are checked elsewhere. */
#define PLN_MAX_STRING  0x0fffffffu

/* A string key of an object that is open. */
typedef struct PlnKey PlnKey;
struct PlnKey {
  u64 x;                  /* Its first 8 bytes, zeros behind a shorter one */
  const u8 *z;            /* The bytes that tell it from others */
  u32 n;
};

/* The string keys of the open objects, innermost last. */
typedef struct PlnKeys PlnKeys;
struct PlnKeys {
  u32 n;
  PlnKey a[PLN_KEYS];
};

/* An open container. */
typedef struct PlnFrame PlnFrame;
struct PlnFrame {
  u64 mSeen;              /* OBJECT: a bit for each string key's hash */
  u32 iKey;               /* OBJECT: its first key in PlnKeys */
  u32 nItem;              /* Pairs so far; length of an ARRAY */
  u32 nLeft;              /* ARRAY: elements to come */
  u32 iIndex;             /* OBJECT: least index that may still come */
  u32 bArray;
};

static inline void plnOpen(PlnFrame *p, const PlnKeys *pKeys, int bArray, u32 n){
  p->mSeen = 0;
  p->iKey = pKeys->n;
  p->nItem = p->nLeft = n;
  p->iIndex = 0;
  p->bArray = (u32)bArray;
}

/* The bits of the first n bytes among eight. */
KV_INLINE u64 plnMask(u32 n){
  return n<8 ? ((u64)1<<(8*n)) - 1 : ~(u64)0;
}

/* The first 8 bytes of a key of n bytes at z, of which 8 can be read. */
KV_INLINE u64 plnPrefix(const u8 *z, u32 n){
  return kvGet64le(z) & plnMask(n);
}

/* The same where nothing may be read behind z[n-1]. */
u64 kvPlnPrefix(const u8 *z, u32 n);

/* Add a string key with the prefix x.  False if it is equal to another, or one
** too many. */
int kvPlnIsOld(const PlnFrame *p, const PlnKeys *pKeys, const u8 *z, u32 n, u64 x);
KV_INLINE int plnAddKey(PlnFrame *p, PlnKeys *pKeys, const u8 *z, u32 n, u64 x){
  u64 h = x + n;
  PlnKey *pKey = &pKeys->a[pKeys->n];
  if( n>8 ) h += kvGet64le(z+n-8);
  h = (u64)1<<((h*0x9e3779b97f4a7c15u)>>58);
  if( pKeys->n>=PLN_KEYS ) return 0;
  if( (p->mSeen & h) && kvPlnIsOld(p, pKeys, z, n, x) ) return 0;
  p->mSeen |= h;
  pKey->x = x;
  pKey->z = z;
  pKey->n = n;
  pKeys->n++;
  return 1;
}

/* Add an integer key.  False unless it follows those before. */
static inline int plnAddIndex(PlnFrame *p, u32 v){
  if( p->mSeen || v<p->iIndex ) return 0;
  p->iIndex = v + 1;
  return 1;
}

/*
** Read a varint.  Returns the end, or 0 if the input ends or it has more than
** 32 bits.
*/
static inline const u8 *plnVarintLong(const u8 *z, const u8 *zEnd, u32 v, u32 *pv){
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
static inline const u8 *plnVarint(const u8 *z, const u8 *zEnd, u32 *pv){
  if( z>=zEnd ) return 0;
  if( *z<0x80 ){
    *pv = *z;
    return z + 1;
  }
  return plnVarintLong(z + 1, zEnd, *z, pv);
}

/* Skip padding.  The result is at a byte, or 0. */
static inline const u8 *plnPad(const u8 *z, const u8 *zEnd){
  while( z<zEnd && *z==0 ) z++;
  return z<zEnd ? z : 0;
}

/* The content of a string of n bytes follows z: is it all there? */
static inline int plnHas(const u8 *z, const u8 *zEnd, u32 n){
  return n<=(u64)(zEnd - z) && n<=PLN_MAX_STRING;
}

/* The zigzag integer that was read as v. */
static inline i32 plnZigzag(u32 v){
  return (i32)(v>>1) ^ -(i32)(v&1);
}

/* Behind the elements of an array of n: '$' 0 n.  The end, or 0. */
static inline const u8 *plnArrayEnd(const u8 *z, const u8 *zEnd, u32 n){
  u32 nRead = 0;
  if( zEnd - z<3 || z[0]!='$' || z[1]!=0 ) return 0;
  z = plnVarint(z + 2, zEnd, &nRead);
  return nRead==n ? z : 0;
}

/* At the '{' of an object of n pairs.  The end, or 0. */
static inline const u8 *plnObjectEnd(const u8 *z, const u8 *zEnd, u32 n){
  u32 nRead = 0;
  z = plnVarint(z + 1, zEnd, &nRead);
  return nRead==n ? z : 0;
}

/* Behind the 'A' of an array.  The first element, or 0. */
static inline const u8 *plnArrayStart(const u8 *z, const u8 *zEnd, u32 *pn){
  z = plnVarint(z, zEnd, pn);
  return z && *pn<=(u64)(zEnd - z) ? z : 0;
}

/* The value behind the header, or 0. */
static inline const u8 *plnHeader(KvBytes value){
  const u8 *a = value.p;
  return value.n>2 && a[0]==0xff && a[1]>=13 && a[1]<=16 ? a + 2 : 0;
}

/* The key of a property as it was read */
typedef struct PlnV8Key PlnV8Key;
struct PlnV8Key {
  const u8 *z;            /* Content of a string, n bytes, or 0: an index */
  u32 n;                  /* Or the index */
  int eEnc;               /* KV_LATIN1 or KV_UTF16 */
};

/*
** Read the key at z, behind padding, and add it to the frame.  The end, or 0:
** not plain.
*/
const u8 *kvPlnV8Key(const u8 *z, const u8 *zEnd, PlnFrame *pFrame, PlnKeys *pKeys, PlnV8Key *pKey);

/* A step of a path. */
enum { PLN_ROOT, PLN_KEY, PLN_INDEX, PLN_FROM_END };
typedef struct PlnStep PlnStep;
struct PlnStep {
  int eStep;
  const u8 *z;            /* KEY: ASCII, n bytes */
  u32 n;
  u64 x;                  /* KEY: its first 8 bytes, zeros behind */
  i64 iIndex;             /* Index; of a KEY what it spells, or -1 */
};

#define PLN_STEPS  8
typedef struct PlnPath PlnPath;
struct PlnPath {
  PlnStep a[PLN_STEPS];   /* a[0] is '$' */
  u32 n;
};

/* Read a path.  False: it is wrong, or too much for what is done with it here. */
int kvPlnPath(PlnPath *p, KvBytes path);

/* What is at a path in a plain value. */
typedef struct PlnSite PlnSite;
struct PlnSite {
  const u8 *zAt;          /* The value, at its tag, or 0: there is none */
  const u8 *zEnd;         /* The end of the whole value */
  int bTwoByte;           /* There are two-byte strings, which are aligned */
};

/* Check the V8-encoded value and go the first nStep steps of a path.
** KV_PLAIN_xxx. */
int kvPlnFind(KvBytes value, const PlnPath *pPath, u32 nStep, PlnSite *pSite);

/* The end of a value, or key, at its tag z, which has been checked. */
const u8 *kvPlnSkip(const u8 *z, const u8 *zEnd);

/*
** The commonest keys: if there is a short Latin-1 string at z that doesn't
** begin with a digit, and 10 bytes behind it, return its length, else 0.
*/
#define PLN_BEHIND 10
KV_INLINE u32 plnShortKey(const u8 *z, const u8 *zEnd){
  u32 n;
  if( zEnd - z<PLN_BEHIND+3 || z[0]!='"' ) return 0;
  n = z[1];
  if( n>=0x80 || n+2+PLN_BEHIND>(u64)(zEnd - z) || (u8)(z[2]-'0')<10 ) return 0;
  return n;
}

#endif /* KV_PLAIN_INT_H */
