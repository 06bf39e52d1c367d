/*
** v8_text.c -- plain values: from V8's format to JSON and JS text.
**
** See plain.h for what is plain.  json_print.c and js_print.c say how each
** value is printed; here is only the short way to the same text.
**
** Every value is followed by a comma, which the end of its container takes
** back.  Wherever a key or a value begins there is room for V8T_ROOM bytes,
** which is enough for a short key and any value but a long string or bigint.
*/
#include "codec/v8/plain_int.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/num/bigint.h"

#define V8T_ROOM  400

typedef struct V8Text V8Text;
struct V8Text {
  const u8 *zEnd;         /* End of the input */
  KvBuf *pOut;            /* n isn't up to date */
  const u8 *zFull;        /* V8T_ROOM before the end of pOut's memory */
  int bJs;
  PlnKeys keys;
  PlnFrame aFrame[PLN_DEPTH+1];  /* aFrame[0] is an array of the root */
};

/* Where the walk is: z in the input (0: not plain), zTo in the output. */
typedef struct V8tAt V8tAt;
struct V8tAt {
  const u8 *z;
  u8 *zTo;
};
static const V8tAt v8tNot = {0, 0};

/* Room for n more bytes and V8T_ROOM.  0 without memory. */
static u8 *v8tGrow(V8Text *p, u8 *zTo, u64 n){
  p->pOut->n = (u32)(zTo - p->pOut->a);
  if( kvBufGrow(p->pOut, n + V8T_ROOM)!=KV_OK ) return 0;
  p->zFull = p->pOut->a + p->pOut->nAlloc - V8T_ROOM;
  return p->pOut->a + p->pOut->n;
}

/* A string that needs escapes, or isn't Latin-1, or is near the input's end. */
static u8 *v8tQuote(V8Text *p, u8 *zTo, int eEnc, const u8 *z, u32 n){
  p->pOut->n = (u32)(zTo - p->pOut->a);
  kvUtfAppendQuoted(p->pOut, eEnc, kvBytes(z, n));
  if( p->pOut->eErr!=KV_OK ) return 0;
  return v8tGrow(p, p->pOut->a + p->pOut->n, 0);
}

/*
** A string of n bytes, one per unit, in quotes, if it is plain ASCII: copied
** eight bytes at a time.  The end, or 0.  (Eight bytes more are read and
** written than there are.)
*/
KV_INLINE u8 *v8tCopy(u8 *zTo, const u8 *z, u32 n){
  u64 x;
  *zTo++ = '"';
  for(; n>=8; n-=8, z+=8, zTo+=8){
    x = kvGet64le(z);
    if( kvPlainBits(x) ) return 0;
    kvPut64le(zTo, x);
  }
  x = kvGet64le(z);
  if( kvPlainBits(x) & (((u64)1<<(8*n)) - 1) ) return 0;
  kvPut64le(zTo, x);
  zTo += n;
  *zTo++ = '"';
  return zTo;
}

/* Any string of one byte per unit. */
static u8 *v8tLatin1(V8Text *p, u8 *zTo, const u8 *z, u32 n){
  u8 *zDone = 0;
  if( zTo>=p->zFull || n>=(u64)(p->zFull - zTo) ){
    zTo = v8tGrow(p, zTo, n);
    if( zTo==0 ) return 0;
  }
  if( n+8<=(u64)(p->zEnd - z) ) zDone = v8tCopy(zTo, z, n);
  return zDone ? zDone : v8tQuote(p, zTo, KV_LATIN1, z, n);
}

/* A number that isn't a small integer. */
static u8 *v8tDouble(u8 *zTo, double r, int bJs){
  if( !bJs && r-r!=0.0 ){
    memcpy(zTo, "null", 4);
    return zTo + 4;
  }
  if( !bJs && r==0.0 ) r = 0.0;                  /* -0 */
  return zTo + kvNumPrint(r, (char*)zTo);
}

static u8 *v8tDate(u8 *zTo, double r, int bJs){
  if( r!=r ){
    u32 n = bJs ? 13 : 4;
    memcpy(zTo, bJs ? "new Date(NaN)" : "null", n);
    return zTo + n;
  }
  if( bJs ){
    memcpy(zTo, "new Date(", 9);
    zTo += 9;
  }
  *zTo++ = '"';
  zTo += kvDateText(r, (char*)zTo);
  *zTo++ = '"';
  if( bJs ) *zTo++ = ')';
  return zTo;
}

/* The bits and digits of a bigint. */
static V8tAt v8tBigint(V8Text *p, V8tAt at){
  u32 mBits = 0, n;
  const u8 *z = plnVarint(at.z, p->zEnd, &mBits);
  n = mBits>>1;
  if( z==0 || mBits==1 || !plnHas(z, p->zEnd, n) || n>V8_MAX_BIGINT ) return v8tNot;
  at.z = z + n;
  while( n>0 && z[n-1]==0 ) n--;
  if( n && (mBits&1) ) *at.zTo++ = '-';
  p->pOut->n = (u32)(at.zTo - p->pOut->a);
  kvBigPrint(p->pOut, kvBytes(z, n));
  if( p->bJs ) kvBufPut(p->pOut, 'n');
  if( p->pOut->eErr!=KV_OK ) return v8tNot;
  at.zTo = v8tGrow(p, p->pOut->a + p->pOut->n, 0);
  return at.zTo ? at : v8tNot;
}

/* The length and content of a string, the cursor being after its tag. */
static inline V8tAt v8tString(V8Text *p, V8tAt at, u8 eTag){
  u32 n = 0;
  const u8 *z = plnVarint(at.z, p->zEnd, &n);
  if( z==0 || !plnHas(z, p->zEnd, n) || (eTag=='c' && n%2) ) return v8tNot;
  at.zTo = eTag=='"' ? v8tLatin1(p, at.zTo, z, n) : v8tQuote(p, at.zTo, KV_UTF16, z, n);
  if( at.zTo==0 ) return v8tNot;
  at.z = z + n;
  return at;
}

static inline u8 *v8tWord(u8 *zTo, const char *z, u32 n){
  memcpy(zTo, z, n);
  return zTo + n;
}

/* A key, its colon behind it; the cursor is at its tag. */
static inline V8tAt v8tKey(V8Text *p, PlnFrame *pFrame, V8tAt at){
  PlnV8Key key;
  at.z = kvPlnV8Key(at.z, p->zEnd, pFrame, &p->keys, &key);
  if( at.z==0 ) return v8tNot;
  pFrame->nItem++;
  if( key.z==0 ){
    *at.zTo++ = '"';
    at.zTo += kvIntPrint(key.n, (char*)at.zTo);
    *at.zTo++ = '"';
  }else if( p->bJs && key.n==9 && key.eEnc==KV_LATIN1 && memcmp(key.z, "__proto__", 9)==0 ){
    at.zTo = v8tWord(at.zTo, "[\"__proto__\"]", 13);
  }else{
    at.zTo = key.eEnc==KV_LATIN1 ? v8tLatin1(p, at.zTo, key.z, key.n)
                                 : v8tQuote(p, at.zTo, KV_UTF16, key.z, key.n);
    if( at.zTo==0 ) return v8tNot;
  }
  *at.zTo++ = ':';
  return at;
}

/*
** A value that is no container, and its comma; the cursor is at its tag.  An
** undefined property is taken back: nKeyAt is where its key was put.
*/
static inline V8tAt v8tLeaf(V8Text *p, const PlnFrame *pFrame, V8tAt at, u32 nKeyAt){
  const u8 eTag = *at.z++;
  const u8 *zEnd = p->zEnd;
  u32 v = 0;
  switch( eTag ){
    case '"': case 'c':
      at = v8tString(p, at, eTag);
      if( at.z==0 ) return at;
      break;
    case 'I':
      at.z = plnVarint(at.z, zEnd, &v);
      if( at.z==0 ) return at;
      at.zTo += kvIntPrint(plnZigzag(v), (char*)at.zTo);
      break;
    case 'N': case 'D':
      if( zEnd - at.z<8 ) return v8tNot;
      at.zTo = eTag=='N' ? v8tDouble(at.zTo, v8LoadDouble(at.z), p->bJs)
                         : v8tDate(at.zTo, kvTimeClip(v8LoadDouble(at.z)), p->bJs);
      at.z += 8;
      break;
    case 'T': at.zTo = v8tWord(at.zTo, "true", 4);   break;
    case 'F': at.zTo = v8tWord(at.zTo, "false", 5);  break;
    case '0': at.zTo = v8tWord(at.zTo, "null", 4);   break;
    case '_':
      if( p->bJs ){
        at.zTo = v8tWord(at.zTo, "undefined", 9);
      }else if( pFrame->bArray && pFrame!=p->aFrame ){
        at.zTo = v8tWord(at.zTo, "null", 4);
      }else{
        at.zTo = p->pOut->a + nKeyAt;
        return at;
      }
      break;
    case 'Z':
      at = v8tBigint(p, at);
      if( at.z==0 ) return at;
      break;
    default:
      return v8tNot;
  }
  *at.zTo++ = ',';
  return at;
}

/* A small integer; at is at its tag. */
KV_INLINE V8tAt v8tSmallInt(V8tAt at){
  u32 v = at.z[1];
  at.z += 2;
  if( v<0x80 ){
    i32 i = plnZigzag(v);
    if( i<0 ){
      *at.zTo++ = '-';
      i = -i;
    }
    if( i>=10 ){
      memcpy(at.zTo, &kvDigitPairs[2*i], 2);
      at.zTo += 2;
    }else{
      *at.zTo++ = (u8)('0' + i);
    }
    return at;
  }
  v = (v&0x7f) | (u32)*at.z++<<7;
  if( v>=0x4000 ) v = (v&0x3fff) | (u32)*at.z++<<14;
  if( v>=0x200000 ) return v8tNot;
  at.zTo += kvIntPrint(plnZigzag(v), (char*)at.zTo);
  return at;
}

/*
** The commonest values, and the comma, when PLN_BEHIND bytes of input and
** room for a short string are there.
*/
KV_INLINE V8tAt v8tSmall(const V8Text *p, V8tAt at){
  const u8 eTag = at.z[0];
  if( eTag=='"' ){
    u32 n = at.z[1];
    if( n>=0x80 || n+10>(u64)(p->zEnd - at.z) ) return v8tNot;
    at.zTo = v8tCopy(at.zTo, at.z + 2, n);
    if( at.zTo==0 ) return v8tNot;
    at.z += 2 + n;
  }else if( eTag=='I' ){
    at = v8tSmallInt(at);
    if( at.z==0 ) return at;
  }else if( eTag=='D' ){
    at.zTo = v8tDate(at.zTo, kvTimeClip(v8LoadDouble(at.z + 1)), p->bJs);
    at.z += 9;
  }else if( eTag=='T' || eTag=='F' ){
    memcpy(at.zTo, eTag=='T' ? "true\0" : "false", 5);
    at.zTo += eTag=='T' ? 4 : 5;
    at.z++;
  }else{
    return v8tNot;
  }
  *at.zTo++ = ',';
  return at;
}

/*
** Print pairs, as long as their keys and values are of the commonest kinds.
** *pbKey: stopped behind a key, before a value that isn't; *pnKeyAt is where
** the key was put.
*/
static inline V8tAt v8tSmallPairs(V8Text *p, PlnFrame *pFrame, V8tAt at, int *pbKey, u32 *pnKeyAt){
  u32 n;
  *pbKey = 0;
  while( (n = plnShortKey(at.z, p->zEnd))>0 && at.zTo<p->zFull ){
    const u8 *zKey = at.z + 2;
    V8tAt to, next;
    to.zTo = v8tCopy(at.zTo, zKey, n);
    if( to.zTo==0 || (p->bJs && n==9 && zKey[0]=='_') ) break;
    if( !plnAddKey(pFrame, &p->keys, zKey, n, plnPrefix(zKey, n)) ) return v8tNot;
    pFrame->nItem++;
    *to.zTo++ = ':';
    to.z = zKey + n;
    next = v8tSmall(p, to);
    if( next.z==0 ){
      *pbKey = 1;
      *pnKeyAt = (u32)(at.zTo - p->pOut->a);
      return to;
    }
    at = next;
  }
  return at;
}

static inline V8tAt v8tSmallElements(V8Text *p, PlnFrame *pFrame, V8tAt at){
  while( pFrame->nLeft && p->zEnd - at.z>=PLN_BEHIND && at.zTo<p->zFull ){
    V8tAt to = v8tSmall(p, at);
    if( to.z==0 ) break;
    pFrame->nLeft--;
    at = to;
  }
  return at;
}

/* The end of the container, the cursor being at its tag. */
static inline V8tAt v8tClose(V8Text *p, PlnFrame *pFrame, V8tAt at){
  if( at.zTo[-1]==',' ) at.zTo--;
  if( pFrame->bArray ){
    at.z = plnArrayEnd(at.z, p->zEnd, pFrame->nItem);
    *at.zTo++ = ']';
  }else{
    at.z = plnObjectEnd(at.z, p->zEnd, pFrame->nItem);
    *at.zTo++ = '}';
    p->keys.n = pFrame->iKey;
  }
  *at.zTo++ = ',';
  return at;
}

/* The beginning of one. */
static inline V8tAt v8tOpen(V8Text *p, PlnFrame *pFrame, V8tAt at){
  int bArray = *at.z++=='A';
  u32 n = 0;
  if( bArray ) at.z = plnArrayStart(at.z, p->zEnd, &n);
  plnOpen(pFrame, &p->keys, bArray, n);
  *at.zTo++ = bArray ? '[' : '{';
  return at;
}

/* The root and everything in it, and a comma. */
static V8tAt v8tWalk(V8Text *p, V8tAt at){
  PlnFrame *pFrame = p->aFrame;
  do{
    u32 nKeyAt = 0;
    int bKey = 0;
    if( pFrame->bArray==0 ) at = v8tSmallPairs(p, pFrame, at, &bKey, &nKeyAt);
    else if( pFrame!=p->aFrame ) at = v8tSmallElements(p, pFrame, at);
    if( at.z ) at.z = plnPad(at.z, p->zEnd);
    if( at.z==0 ) return at;
    if( !bKey ){
      if( at.zTo>=p->zFull ){
        at.zTo = v8tGrow(p, at.zTo, 0);
        if( at.zTo==0 ) return v8tNot;
      }
      nKeyAt = (u32)(at.zTo - p->pOut->a);
      if( pFrame->bArray ? pFrame->nLeft==0 : *at.z=='{' ){
        at = v8tClose(p, pFrame--, at);
        continue;
      }
      if( pFrame->bArray ){
        pFrame->nLeft--;
      }else{
        at = v8tKey(p, pFrame, at);
        if( at.z ) at.z = plnPad(at.z, p->zEnd);
        if( at.z==0 ) return at;
      }
    }
    if( *at.z=='o' || *at.z=='A' ){
      if( pFrame==&p->aFrame[PLN_DEPTH] ) return v8tNot;
      at = v8tOpen(p, ++pFrame, at);
    }else{
      at = v8tLeaf(p, pFrame, at, nKeyAt);
    }
  }while( at.z && pFrame!=p->aFrame );
  return at;
}

int kvPlainPrint(KvBytes value, int bJs, KvBuf *pOut){
  V8Text text;
  V8tAt at;
  u32 nOld = pOut->n;
  if( pOut->eErr!=KV_OK ) return 0;
  at.z = plnHeader(value);
  if( at.z==0 || kvBufGrow(pOut, (u64)value.n + V8T_ROOM)!=KV_OK ){
    pOut->eErr = KV_OK;
    return 0;
  }
  text.zEnd = value.p + value.n;
  text.pOut = pOut;
  text.bJs = bJs;
  text.keys.n = 0;
  plnOpen(text.aFrame, &text.keys, 1, 1);
  text.zFull = pOut->a + pOut->nAlloc - V8T_ROOM;
  at.zTo = pOut->a + nOld;
  at = v8tWalk(&text, at);
  if( at.z==0 ){
    pOut->n = nOld;
    pOut->eErr = KV_OK;
    return 0;
  }
  pOut->n = (u32)(at.zTo - pOut->a);
  if( pOut->n>nOld && pOut->a[pOut->n-1]==',' ) pOut->n--;
  return 1;
}
