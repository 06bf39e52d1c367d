/*
** text_to_v8.c -- plain values: from JSON and JS text to V8's format.
**
** See v8_plain.h.  What is read here:
**
**   text   := value
**   value  := 'null' | 'true' | 'false' | number | string
**           | '{' [ key ':' value { ',' key ':' value } ] '}'
**           | '[' [ value { ',' value } ] ']'
**   number := JSON's                    string := JSON's in double quotes
**
** and in JS text also
**
**   value  := 'undefined' (not in an array) | ['-'] digits 'n'
**           | 'new Date("' text '")' | 'new Date(' ['-'] digits ')'
**   key    := a word of ASCII letters, digits, '_' and '$'
**
** with JSON's white space between the words.  Everything else is not plain:
** above all what is wrong, a key that occurs twice, keys that are array
** indices and don't come first in ascending order, and `__proto__` in JS.
**
** v8_write.c says what V8 writes.  The length of an array stands before its
** elements, and so does that of a string: one byte is left for it, and what
** follows is moved if it needs more.
*/
#include "codec/v8/text_to_v8.h"
#include "codec/v8/v8_plain.h"
#include "codec/v8/v8_write.h"
#include "codec/num/date.h"
#include "codec/js/js_lex.h"
#include "codec/num/num.h"
#include "codec/value_string.h"

/* Wherever a word begins there is room for this much, which is enough for
** anything but a string. */
#define TO_V8_ROOM  32
/* Integers before the first fraction in an array of numbers, at the most. */
#define TO_V8_INTS  64

/* What an array has held so far */
#define TO_V8_INT     1     /* Integers */
#define TO_V8_DOUBLE  2     /* Other numbers */
#define TO_V8_OTHER   4     /* Anything else */
#define TO_V8_FORCED  8     /* Integers that are written as doubles */

typedef struct ToV8Frame ToV8Frame;
struct ToV8Frame {
  PlainFrame base;
  u32 iLength;            /* ARRAY: offset of its length */
  u32 mHeld;              /* ARRAY: TO_V8_xxx */
};

typedef struct ToV8 ToV8;
struct ToV8 {
  const u8 *zEnd;         /* End of the text */
  int bJson;
  PlainOut out;
  u32 iWide;              /* Offset of the last two-byte string */
  PlainKeys keys;
  ToV8Frame aFrame[PLAIN_DEPTH+1];  /* aFrame[0] is for the root */
};

KV_INLINE const u8 *toV8Space(const u8 *z, const u8 *zEnd){
  while( z<zEnd && *z<=' ' && (*z==' ' || *z=='\n' || *z=='\r' || *z=='\t') ) z++;
  return z;
}

/*************************************************************************
** Strings
*/

/* A string as it stands in the text, if it is the key of a property. */
typedef struct ToV8Name ToV8Name;
struct ToV8Name {
  const u8 *z;            /* n bytes of the text, or 0: it has escapes */
  u32 n;
};

/* A string that isn't plain ASCII; at.z is at its quote. */
static PlainAt toV8StringRare(ToV8 *p, PlainAt at, ToV8Name *pName){
  u8 aSpace[256];
  KvBuf space, *pOut = p->out.pBuf;
  KvLexStr str;
  KvLex lex;
  u32 iStart = (u32)(at.zTo - pOut->a);
  int rc;
  kvLexInit(&lex, kvBytes(at.z, (u32)(p->zEnd - at.z)));
  kvBufInit(&space, aSpace, sizeof(aSpace));
  rc = kvLexString(&lex, p->bJson, &space, &str);
  if( rc==KV_OK ){
    pOut->n = iStart;
    kvV8WriteText(pOut, str.s);
    if( pOut->eErr==KV_OK && pOut->a[iStart]!='"' ) p->iWide = iStart;
    pName->z = str.s.p==at.z + 1 ? str.s.p : 0;
    pName->n = str.s.n;
    rc = pOut->eErr;
  }
  kvBufClear(&space);
  if( rc!=KV_OK ) return plainNot;
  at.z = (const u8*)lex.z;
  at.zTo = kvPlainGrow(&p->out, pOut->a + pOut->n, 0);
  return at.zTo ? at : plainNot;
}

/* A length v was found to need more than the byte at zLength: moves what is
** after that, up to zTo.  The end. */
static u8 *toV8Lengthen(u8 *zLength, u8 *zTo, u32 v){
  u32 nMore = v8VarintSize(v) - 1;
  memmove(zLength + 1 + nMore, zLength + 1, (size_t)(zTo - zLength) - 1);
  v8PutVarint(zLength, v);
  return zTo + nMore;
}

/*
** A string in double quotes, at.z being at the first: copied eight bytes at a
** time as long as they are plain.
*/
KV_INLINE PlainAt toV8String(ToV8 *p, PlainAt at, ToV8Name *pName){
  const u8 *z = at.z + 1;
  u8 *zTo = at.zTo + 2;
  u64 u = 0;
  u32 n;
  at.zTo[0] = '"';
  while( p->zEnd - z>=8 ){
    u64 x;
    if( zTo>=p->out.zFull ){
      u32 iStart = (u32)(at.zTo - p->out.pBuf->a), nDone = (u32)(zTo - at.zTo);
      zTo = kvPlainGrow(&p->out, zTo, 64);
      if( zTo==0 ) return plainNot;
      zTo = p->out.pBuf->a + iStart + nDone;
      at.zTo = p->out.pBuf->a + iStart;
    }
    x = kvGet64le(z);
    kvPut64le(zTo, x);
    u = kvPlainBits(x);
    if( u ) break;
    z += 8;
    zTo += 8;
  }
  if( u ){
    n = kvFirstByte(u);
    z += n;
    zTo += n;
  }else{
    while( z<p->zEnd && kvPlainByte(*z) ) *zTo++ = *z++;     /* at most 7 */
  }
  if( z>=p->zEnd || *z!='"' ) return toV8StringRare(p, at, pName);
  n = (u32)(z - at.z) - 1;
  pName->z = at.z + 1;
  pName->n = n;
  at.zTo[1] = (u8)n;
  if( n>=0x80 ) zTo = toV8Lengthen(&at.zTo[1], zTo, n);
  at.z = z + 1;
  at.zTo = zTo;
  return at;
}

/* A word as a key, in JS. */
static PlainAt toV8Word(ToV8 *p, PlainAt at, ToV8Name *pName){
  const u8 *z = at.z;
  u32 n;
  while( z<p->zEnd && (*z=='_' || *z=='$' || (u8)((*z|0x20)-'a')<26 || (u8)(*z-'0')<10) ) z++;
  n = (u32)(z - at.z);
  if( n==0 || n>=0x80 || (u8)(at.z[0]-'0')<10 || z>=p->zEnd || *z>=0x80 ) return plainNot;
  at.zTo = kvPlainGrow(&p->out, at.zTo, n);
  if( at.zTo==0 ) return plainNot;
  at.zTo[0] = '"';
  at.zTo[1] = (u8)n;
  memcpy(&at.zTo[2], at.z, n);
  pName->z = at.z;
  pName->n = n;
  at.z = z;
  at.zTo += 2 + n;
  return at;
}

/* The key was put at zKey: add it, or put the index in its place. */
static int toV8AddKey(ToV8 *p, PlainFrame *pFrame, const ToV8Name *pName, u8 *zKey, PlainAt *pAt){
  const u8 *z = pName->z;
  u32 n = pName->n;
  if( z==0 ) return 0;
  if( n && (u8)(z[0]-'0')<10 ){
    i64 v = kvArrayIndex(kvBytes(z, n));
    if( v>0x7fffffff ) return 0;
    if( v>=0 ){
      *zKey = 'I';
      pAt->zTo = v8PutVarint(zKey + 1, (u32)v<<1);
      return plainAddIndex(pFrame, (u32)v);
    }
  }
  if( !p->bJson && n==9 && memcmp(z, "__proto__", 9)==0 ) return 0;
  return plainAddKey(pFrame, &p->keys, z, n,
                   p->zEnd - z>=8 ? plainPrefix(z, n) : kvPlainPrefix(z, n));
}

/* A key and its colon, white space before them and after. */
static inline PlainAt toV8Key(ToV8 *p, PlainFrame *pFrame, PlainAt at){
  ToV8Name name;
  u32 iKey;
  if( at.zTo>=p->out.zFull ) at.zTo = kvPlainGrow(&p->out, at.zTo, 0);
  if( at.zTo==0 ) return plainNot;
  iKey = (u32)(at.zTo - p->out.pBuf->a);
  at.z = toV8Space(at.z, p->zEnd);
  if( at.z>=p->zEnd ) return plainNot;
  if( *at.z=='"' ) at = toV8String(p, at, &name);
  else if( p->bJson ) return plainNot;
  else at = toV8Word(p, at, &name);
  if( at.z==0 || !toV8AddKey(p, pFrame, &name, p->out.pBuf->a + iKey, &at) ) return plainNot;
  at.z = toV8Space(at.z, p->zEnd);
  if( at.z>=p->zEnd || *at.z!=':' ) return plainNot;
  pFrame->nItem++;
  at.z = toV8Space(at.z + 1, p->zEnd);
  return at.z<p->zEnd ? at : plainNot;
}

/*************************************************************************
** Numbers and words
*/

static u8 *toV8PutDouble(u8 *zTo, double r){
  *zTo = 'N';
  kvPut64le(zTo + 1, kvDoubleToBits(r));
  return zTo + 9;
}

static inline u8 *toV8PutInt(u8 *zTo, i32 i){
  *zTo = 'I';
  return v8PutVarint(zTo + 1, v8ToZigzag(i));
}

/* Write the integers of an array again, as doubles.  0: too many. */
static u8 *toV8Force(ToV8 *p, ToV8Frame *pFrame, u8 *zTo){
  i32 aInt[TO_V8_INTS];
  u32 i, n = pFrame->base.nItem, iFirst = pFrame->iLength + 1;
  const u8 *z = p->out.pBuf->a + iFirst;
  if( n>TO_V8_INTS ) return 0;
  for(i=0; i<n; i++){
    u32 v = 0;
    z = plainVarint(z + 1, zTo, &v);
    if( z==0 ) return 0;
    aInt[i] = v8Zigzag(v);
  }
  if( kvPlainGrow(&p->out, zTo, 9*(u64)n)==0 ) return 0;
  zTo = p->out.pBuf->a + iFirst;
  for(i=0; i<n; i++) zTo = toV8PutDouble(zTo, aInt[i]);
  return zTo;
}

/*
** Write a number, which V8 holds as an integer if bInt.  In an array of
** numbers, one of which it doesn't, all are doubles.
*/
static u8 *toV8Number(ToV8 *p, ToV8Frame *pFrame, u8 *zTo, double r, int bInt){
  u32 m = pFrame->mHeld;
  if( pFrame->base.bArray ){
    pFrame->mHeld |= bInt ? TO_V8_INT : TO_V8_DOUBLE;
    if( (m & TO_V8_OTHER)==0 ){
      if( bInt && (m & TO_V8_DOUBLE) ){
        pFrame->mHeld |= TO_V8_FORCED;
        bInt = 0;
      }else if( !bInt && m==TO_V8_INT ){
        pFrame->mHeld |= TO_V8_FORCED;
        zTo = toV8Force(p, pFrame, zTo);
        if( zTo==0 ) return 0;
      }
    }
  }
  return bInt ? toV8PutInt(zTo, (i32)r) : toV8PutDouble(zTo, r);
}

/* JS: digits, whose value is v; at.z is at the 'n' after them. */
static PlainAt toV8Bigint(ToV8 *p, ToV8Frame *pFrame, PlainAt at, u64 v, int bNeg){
  if( p->bJson || (pFrame->mHeld & TO_V8_FORCED) ) return plainNot;
  pFrame->mHeld |= TO_V8_OTHER;
  *at.zTo++ = 'Z';
  *at.zTo++ = (u8)(v ? 16 | bNeg : 0);
  if( v ){
    kvPut64le(at.zTo, v);
    at.zTo += 8;
  }
  at.z++;
  return at;
}

/* A number with a point, an exponent, or many digits; z is after the first of
** its digits. */
static PlainAt toV8Decimal(ToV8 *p, ToV8Frame *pFrame, PlainAt at, const u8 *z, int bNeg){
  const char *zNum = (const char*)at.z + bNeg;
  double r = 0.0;
  i32 i;
  u32 n;
  while( z<p->zEnd && (u8)(*z-'0')<10 ) z++;
  if( z<p->zEnd && *z=='.' && (p->zEnd - z<2 || (u8)(z[1]-'0')>=10) ) return plainNot;
  n = kvNumParse(kvBytes(zNum, (u32)((const char*)p->zEnd - zNum)), &r);
  at.z = (const u8*)zNum + n;
  if( bNeg ) r = -r;
  at.zTo = toV8Number(p, pFrame, at.zTo, r, v8IsInt(r, &i));
  return at.zTo ? at : plainNot;
}

static inline int toV8IsEnd(const u8 *z, const u8 *zEnd){
  return z>=zEnd || *z==',' || *z=='}' || *z==']' || *z==' ' || *z=='\n' || *z=='\r'
      || *z=='\t';
}

static inline PlainAt toV8Digits(ToV8 *p, ToV8Frame *pFrame, PlainAt at){
  int bNeg = *at.z=='-';
  const u8 *z = at.z + bNeg, *zFirst = z;
  u64 v = 0;
  while( z<p->zEnd && (u8)(*z-'0')<10 && z - zFirst<18 ) v = v*10 + (u64)(*z++-'0');
  if( z==zFirst || (*zFirst=='0' && z - zFirst>1) ) return plainNot;
  if( z<p->zEnd && *z=='n' ){
    at.z = z;
    return toV8Bigint(p, pFrame, at, v, bNeg);
  }
  if( !toV8IsEnd(z, p->zEnd) || z - zFirst>15 ){
    at = toV8Decimal(p, pFrame, at, z, bNeg);
  }else{
    i64 i = bNeg ? -(i64)v : (i64)v;
    int bInt = i>=-2147483648LL && i<=2147483647 && (v || !bNeg);
    at.z = z;
    if( bInt && !pFrame->base.bArray ){
      at.zTo = toV8PutInt(at.zTo, (i32)i);
    }else{
      at.zTo = toV8Number(p, pFrame, at.zTo, bNeg ? -(double)v : (double)v, bInt);
    }
    if( at.zTo==0 ) return plainNot;
  }
  return at.z && toV8IsEnd(at.z, p->zEnd) ? at : plainNot;
}

/* A text of n bytes comes next. */
static inline int toV8Is(ToV8 *p, const u8 *z, const char *zText, u32 n){
  return p->zEnd - z>=(i64)n && memcmp(z, zText, n)==0;
}

/* The whole number of milliseconds at z, up to the bracket; 0 if it is none. */
static const u8 *toV8Time(ToV8 *p, const u8 *z, double *pr){
  int bNeg = z<p->zEnd && *z=='-';
  const u8 *zFirst = z + bNeg;
  u64 v = 0;
  for(z=zFirst; z<p->zEnd && (u8)(*z-'0')<10 && z - zFirst<15; z++) v = v*10 + (u64)(*z-'0');
  if( z==zFirst || (*zFirst=='0' && z - zFirst>1) ) return 0;
  *pr = bNeg ? -(double)v : (double)v;
  return z;
}

/* The time in a text at z, up to the bracket; 0 if it is none. */
static const u8 *toV8TimeText(ToV8 *p, const u8 *z, double *pr){
  const u8 *zText = z;
  while( z<p->zEnd && z - zText<40 && *z>=0x20 && *z<0x80 && *z!='"' && *z!='\\' ) z++;
  if( z>=p->zEnd || *z!='"' ) return 0;
  return kvDateParse(kvBytes(zText, (u32)(z - zText)), pr)==KV_OK ? z + 1 : 0;
}

/* JS: new Date("..."), new Date(123) */
static PlainAt toV8Date(ToV8 *p, PlainAt at){
  const u8 *z = at.z + 9;
  double r = 0.0;
  z = z<p->zEnd && *z=='"' ? toV8TimeText(p, z + 1, &r) : toV8Time(p, z, &r);
  if( z==0 || z>=p->zEnd || *z!=')' ) return plainNot;
  *at.zTo = 'D';
  kvPut64le(at.zTo + 1, kvDoubleToBits(kvTimeClip(r)));
  at.zTo += 9;
  at.z = z + 1;
  return at;
}

/* null, true, false; in JS also undefined and Dates. */
static PlainAt toV8Literal(ToV8 *p, ToV8Frame *pFrame, PlainAt at){
  if( toV8Is(p, at.z, "null", 4) ){
    *at.zTo++ = '0';
    at.z += 4;
  }else if( toV8Is(p, at.z, "true", 4) ){
    *at.zTo++ = 'T';
    at.z += 4;
  }else if( toV8Is(p, at.z, "false", 5) ){
    *at.zTo++ = 'F';
    at.z += 5;
  }else if( p->bJson ){
    return plainNot;
  }else if( toV8Is(p, at.z, "new Date(", 9) ){
    return toV8Date(p, at);
  }else if( toV8Is(p, at.z, "undefined", 9) && !pFrame->base.bArray ){
    *at.zTo++ = '_';
    at.z += 9;
  }else{
    return plainNot;
  }
  return toV8IsEnd(at.z, p->zEnd) ? at : plainNot;
}

/*************************************************************************
** Containers
*/

/* The end of the container; at.z is at its bracket. */
static PlainAt toV8Close(ToV8 *p, ToV8Frame *pFrame, PlainAt at){
  u32 n = pFrame->base.nItem;
  if( at.zTo>=p->out.zFull ) at.zTo = kvPlainGrow(&p->out, at.zTo, 0);
  if( at.zTo==0 ) return plainNot;
  at.z++;
  if( !pFrame->base.bArray ){
    p->keys.n = pFrame->base.iKey;
    *at.zTo++ = '{';
    at.zTo = v8PutVarint(at.zTo, n);
    return at;
  }
  if( n<0x80 ){
    p->out.pBuf->a[pFrame->iLength] = (u8)n;
  }else{
    if( p->iWide>pFrame->iLength ) return plainNot;
    at.zTo = toV8Lengthen(p->out.pBuf->a + pFrame->iLength, at.zTo, n);
  }
  *at.zTo++ = '$';
  *at.zTo++ = 0;
  at.zTo = v8PutVarint(at.zTo, n);
  return at;
}

/* The beginning of one, up to its first value or its end. */
static inline PlainAt toV8Open(ToV8 *p, ToV8Frame *pFrame, PlainAt at){
  int bArray = *at.z=='[';
  plainOpen(&pFrame->base, &p->keys, bArray, 0);
  pFrame->mHeld = 0;
  *at.zTo++ = bArray ? 'A' : 'o';
  if( bArray ){
    pFrame->iLength = (u32)(at.zTo - p->out.pBuf->a);
    *at.zTo++ = 0;
  }
  at.z = toV8Space(at.z + 1, p->zEnd);
  if( at.z>=p->zEnd ) return plainNot;
  if( !bArray && *at.z!='}' ) at = toV8Key(p, &pFrame->base, at);
  return at;
}

/* After a value: a comma and, in an object, the next key; or the end of
** containers, which are left. */
static inline PlainAt toV8Next(ToV8 *p, ToV8Frame **ppFrame, PlainAt at){
  while( *ppFrame!=p->aFrame ){
    ToV8Frame *pFrame = *ppFrame;
    int bArray = (int)pFrame->base.bArray;
    at.z = toV8Space(at.z, p->zEnd);
    if( at.z>=p->zEnd ) return plainNot;
    if( bArray ) pFrame->base.nItem++;
    if( *at.z==',' ){
      at.z++;
      if( !bArray ) return toV8Key(p, &pFrame->base, at);
      at.z = toV8Space(at.z, p->zEnd);
      return at;
    }
    if( *at.z!=(bArray ? ']' : '}') ) return plainNot;
    at = toV8Close(p, pFrame, at);
    if( at.z==0 ) return at;
    *ppFrame = pFrame - 1;
  }
  return at;
}

/* The root and everything in it. */
static PlainAt toV8Walk(ToV8 *p, PlainAt at){
  ToV8Frame *pFrame = p->aFrame;
  ToV8Name name;
  do{
    u8 c;
    if( at.zTo>=p->out.zFull ) at.zTo = kvPlainGrow(&p->out, at.zTo, 0);
    if( at.zTo==0 || at.z>=p->zEnd ) return plainNot;
    c = *at.z;
    if( (u8)(c-'0')<10 || c=='-' ){
      at = toV8Digits(p, pFrame, at);
    }else{
      if( pFrame->mHeld & TO_V8_FORCED ) return plainNot;
      pFrame->mHeld |= TO_V8_OTHER;
      if( c=='"' ){
        at = toV8String(p, at, &name);
      }else if( c=='{' || c=='[' ){
        if( pFrame==&p->aFrame[PLAIN_DEPTH] ) return plainNot;
        at = toV8Open(p, ++pFrame, at);
        if( at.z==0 ) return at;
        if( *at.z!=(c=='{' ? '}' : ']') || pFrame->base.nItem ) continue;
        at = toV8Close(p, pFrame--, at);
      }else{
        at = toV8Literal(p, pFrame, at);
      }
    }
    if( at.z ) at = toV8Next(p, &pFrame, at);
    if( at.z==0 ) return at;
  }while( pFrame!=p->aFrame );
  return at;
}

int kvTextToV8(KvBytes in, int bJson, int iVersion, KvBuf *pOut){
  ToV8 text;
  PlainAt at;
  if( pOut->n || pOut->eErr!=KV_OK || in.n==0 || in.n>PLAIN_MAX_STRING
   || kvBufGrow(pOut, (u64)in.n + TO_V8_ROOM)!=KV_OK
  ){
    if( pOut->n==0 ) pOut->eErr = KV_OK;
    return 0;
  }
  at.z = in.p;
  text.zEnd = at.z + in.n;
  text.bJson = bJson;
  text.out.pBuf = pOut;
  text.out.nRoom = TO_V8_ROOM;
  text.iWide = 0;
  text.keys.n = 0;
  plainOpen(&text.aFrame[0].base, &text.keys, 0, 0);
  text.aFrame[0].mHeld = 0;
  text.out.zFull = pOut->a + pOut->nAlloc - TO_V8_ROOM;
  at.zTo = pOut->a;
  *at.zTo++ = 0xff;
  *at.zTo++ = (u8)iVersion;
  at.z = toV8Space(at.z, text.zEnd);
  at = toV8Walk(&text, at);
  if( at.z==0 || toV8Space(at.z, text.zEnd)!=text.zEnd ){
    pOut->n = 0;
    pOut->eErr = KV_OK;
    return 0;
  }
  pOut->n = (u32)(at.zTo - pOut->a);
  return 1;
}

int kvStringToV8(KvBytes text, int iVersion, KvBuf *pOut){
  u32 n = text.n;
  u8 *p;
  if( pOut->n || pOut->eErr!=KV_OK || n>PLAIN_MAX_STRING || kvAsciiSpan(text)!=n ) return 0;
  if( kvBufGrow(pOut, (u64)n + TO_V8_ROOM)!=KV_OK ){
    pOut->eErr = KV_OK;
    return 0;
  }
  p = pOut->a;
  *p++ = 0xff;
  *p++ = (u8)iVersion;
  *p++ = '"';
  p = v8PutVarint(p, n);
  if( n ) memcpy(p, text.p, n);
  pOut->n = (u32)(p - pOut->a) + n;
  return 1;
}
