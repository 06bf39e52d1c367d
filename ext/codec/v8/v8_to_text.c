/*
** v8_to_text.c -- plain values: from V8's format to JSON and JS text.
**
** See v8_plain.h for what is plain.  json_print.c and js_print.c say how each
** value is printed; here is only the short way to the same text.
**
** Every value is followed by a comma, which the end of its container takes
** back.  Wherever a key or a value begins there is room for TO_TEXT_ROOM bytes,
** which is enough for a short key and any value but a long string or bigint.
*/
#include "codec/v8/v8_to_text.h"
#include "bytes/utf.h"
#include "codec/v8/v8_plain.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/num/bigint.h"

#define TO_TEXT_ROOM  400

typedef struct ToText ToText;
struct ToText {
  const u8 *zEnd;         /* End of the input */
  PlainOut out;
  int bJs;
  PlainKeys keys;
  PlainFrame aFrame[PLAIN_DEPTH+1];  /* aFrame[0] is an array of the root */
};

/* A string that needs escapes, or isn't Latin-1, or is near the input's end. */
static u8 *toTextQuote(ToText *p, u8 *zTo, int eEnc, const u8 *z, u32 n){
  p->out.pBuf->n = (u32)(zTo - p->out.pBuf->a);
  kvUtfAppendQuoted(p->out.pBuf, eEnc, kvBytes(z, n));
  if( p->out.pBuf->eErr!=KV_OK ) return 0;
  return kvPlainGrow(&p->out, p->out.pBuf->a + p->out.pBuf->n, 0);
}

/*
** A string of n bytes, one per unit, in quotes, if it is plain ASCII: copied
** eight bytes at a time.  The end, or 0.  (Eight bytes more are read and
** written than there are.)
*/
KV_INLINE u8 *toTextCopy(u8 *zTo, const u8 *z, u32 n){
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
static u8 *toTextLatin1(ToText *p, u8 *zTo, const u8 *z, u32 n){
  u8 *zDone = 0;
  if( zTo>=p->out.zFull || n>=(u64)(p->out.zFull - zTo) ){
    zTo = kvPlainGrow(&p->out, zTo, n);
    if( zTo==0 ) return 0;
  }
  if( n+8<=(u64)(p->zEnd - z) ) zDone = toTextCopy(zTo, z, n);
  return zDone ? zDone : toTextQuote(p, zTo, KV_LATIN1, z, n);
}

/* A number that isn't a small integer. */
static u8 *toTextDouble(u8 *zTo, double r, int bJs){
  if( !bJs && r-r!=0.0 ){
    memcpy(zTo, "null", 4);
    return zTo + 4;
  }
  if( !bJs && r==0.0 ) r = 0.0;                  /* -0 */
  return zTo + kvNumPrint(r, (char*)zTo);
}

static u8 *toTextDate(u8 *zTo, double r, int bJs){
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
static PlainAt toTextBigint(ToText *p, PlainAt at){
  u32 mBits = 0, n;
  const u8 *z = plainVarint(at.z, p->zEnd, &mBits);
  n = mBits>>1;
  if( z==0 || mBits==1 || !plainHas(z, p->zEnd, n) || n>V8_MAX_BIGINT ) return plainNot;
  at.z = z + n;
  while( n>0 && z[n-1]==0 ) n--;
  if( n>KV_BIG_BYTES && !p->bJs ) return plainNot;
  if( n && (mBits&1) ) *at.zTo++ = '-';
  p->out.pBuf->n = (u32)(at.zTo - p->out.pBuf->a);
  kvBigPrint(p->out.pBuf, kvBytes(z, n));
  if( p->bJs ) kvBufPut(p->out.pBuf, 'n');
  if( p->out.pBuf->eErr!=KV_OK ) return plainNot;
  at.zTo = kvPlainGrow(&p->out, p->out.pBuf->a + p->out.pBuf->n, 0);
  return at.zTo ? at : plainNot;
}

/* The length and content of a string, the cursor being after its tag. */
static inline PlainAt toTextString(ToText *p, PlainAt at, u8 eTag){
  u32 n = 0;
  const u8 *z = plainVarint(at.z, p->zEnd, &n);
  if( z==0 || !plainHas(z, p->zEnd, n) || (eTag=='c' && n%2) ) return plainNot;
  at.zTo = eTag=='"' ? toTextLatin1(p, at.zTo, z, n) : toTextQuote(p, at.zTo, KV_UTF16, z, n);
  if( at.zTo==0 ) return plainNot;
  at.z = z + n;
  return at;
}

static inline u8 *toTextWord(u8 *zTo, const char *z, u32 n){
  memcpy(zTo, z, n);
  return zTo + n;
}

/* A key, its colon after it; the cursor is at its tag. */
static inline PlainAt toTextKey(ToText *p, PlainFrame *pFrame, PlainAt at){
  PlainV8Key key;
  at.z = kvPlainV8Key(at.z, p->zEnd, pFrame, &p->keys, &key);
  if( at.z==0 ) return plainNot;
  pFrame->nItem++;
  if( key.z==0 ){
    *at.zTo++ = '"';
    at.zTo += kvIntPrint(key.n, (char*)at.zTo);
    *at.zTo++ = '"';
  }else if( p->bJs && key.n==9 && key.eEnc==KV_LATIN1 && memcmp(key.z, "__proto__", 9)==0 ){
    at.zTo = toTextWord(at.zTo, "[\"__proto__\"]", 13);
  }else{
    at.zTo = key.eEnc==KV_LATIN1 ? toTextLatin1(p, at.zTo, key.z, key.n)
                                 : toTextQuote(p, at.zTo, KV_UTF16, key.z, key.n);
    if( at.zTo==0 ) return plainNot;
  }
  *at.zTo++ = ':';
  return at;
}

/*
** A value that is no container, and its comma; the cursor is at its tag.  An
** undefined property is taken back: nKeyAt is where its key was put.
*/
static inline PlainAt toTextLeaf(ToText *p, const PlainFrame *pFrame, PlainAt at, u32 nKeyAt){
  const u8 eTag = *at.z++;
  const u8 *zEnd = p->zEnd;
  u32 v = 0;
  switch( eTag ){
    case '"': case 'c':
      at = toTextString(p, at, eTag);
      if( at.z==0 ) return at;
      break;
    case 'I':
      at.z = plainVarint(at.z, zEnd, &v);
      if( at.z==0 ) return at;
      at.zTo += kvIntPrint(v8Zigzag(v), (char*)at.zTo);
      break;
    case 'N': case 'D':
      if( zEnd - at.z<8 ) return plainNot;
      at.zTo = eTag=='N' ? toTextDouble(at.zTo, v8LoadDouble(at.z), p->bJs)
                         : toTextDate(at.zTo, kvTimeClip(v8LoadDouble(at.z)), p->bJs);
      at.z += 8;
      break;
    case 'T': at.zTo = toTextWord(at.zTo, "true", 4);   break;
    case 'F': at.zTo = toTextWord(at.zTo, "false", 5);  break;
    case '0': at.zTo = toTextWord(at.zTo, "null", 4);   break;
    case '_':
      if( p->bJs ){
        at.zTo = toTextWord(at.zTo, "undefined", 9);
      }else if( pFrame->bArray && pFrame!=p->aFrame ){
        at.zTo = toTextWord(at.zTo, "null", 4);
      }else{
        at.zTo = p->out.pBuf->a + nKeyAt;
        return at;
      }
      break;
    case 'Z':
      at = toTextBigint(p, at);
      if( at.z==0 ) return at;
      break;
    default:
      return plainNot;
  }
  *at.zTo++ = ',';
  return at;
}

/* A small integer; at is at its tag. */
KV_INLINE PlainAt toTextSmallInt(PlainAt at){
  u32 v = at.z[1];
  at.z += 2;
  if( v<0x80 ){
    i32 i = v8Zigzag(v);
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
  if( v>=0x200000 ) return plainNot;
  at.zTo += kvIntPrint(v8Zigzag(v), (char*)at.zTo);
  return at;
}

/*
** The commonest values, and the comma, when PLAIN_BEHIND bytes of input and
** room for a short string are there.
*/
KV_INLINE PlainAt toTextSmall(const ToText *p, PlainAt at){
  const u8 eTag = at.z[0];
  if( eTag=='"' ){
    u32 n = at.z[1];
    if( n>=0x80 || n+10>(u64)(p->zEnd - at.z) ) return plainNot;
    at.zTo = toTextCopy(at.zTo, at.z + 2, n);
    if( at.zTo==0 ) return plainNot;
    at.z += 2 + n;
  }else if( eTag=='I' ){
    at = toTextSmallInt(at);
    if( at.z==0 ) return at;
  }else if( eTag=='D' ){
    at.zTo = toTextDate(at.zTo, kvTimeClip(v8LoadDouble(at.z + 1)), p->bJs);
    at.z += 9;
  }else if( eTag=='T' || eTag=='F' ){
    memcpy(at.zTo, eTag=='T' ? "true\0" : "false", 5);
    at.zTo += eTag=='T' ? 4 : 5;
    at.z++;
  }else{
    return plainNot;
  }
  *at.zTo++ = ',';
  return at;
}

/*
** Print pairs, as long as their keys and values are of the commonest kinds.
** *pbKey: stopped after a key, before a value that isn't; *pnKeyAt is where
** the key was put.
*/
static inline PlainAt toTextSmallPairs(
  ToText *p, PlainFrame *pFrame, PlainAt at, int *pbKey, u32 *pnKeyAt
){
  u32 n;
  *pbKey = 0;
  while( (n = plainShortKey(at.z, p->zEnd))>0 && at.zTo<p->out.zFull ){
    const u8 *zKey = at.z + 2;
    PlainAt to, next;
    to.zTo = toTextCopy(at.zTo, zKey, n);
    if( to.zTo==0 || (p->bJs && n==9 && zKey[0]=='_') ) break;
    if( !plainAddKey(pFrame, &p->keys, zKey, n, plainPrefix(zKey, n)) ) return plainNot;
    pFrame->nItem++;
    *to.zTo++ = ':';
    to.z = zKey + n;
    next = toTextSmall(p, to);
    if( next.z==0 ){
      *pbKey = 1;
      *pnKeyAt = (u32)(at.zTo - p->out.pBuf->a);
      return to;
    }
    at = next;
  }
  return at;
}

static inline PlainAt toTextSmallElements(ToText *p, PlainFrame *pFrame, PlainAt at){
  while( pFrame->nLeft && p->zEnd - at.z>=PLAIN_BEHIND && at.zTo<p->out.zFull ){
    PlainAt to = toTextSmall(p, at);
    if( to.z==0 ) break;
    pFrame->nLeft--;
    at = to;
  }
  return at;
}

/* The end of the container, the cursor being at its tag. */
static inline PlainAt toTextClose(ToText *p, PlainFrame *pFrame, PlainAt at){
  if( at.zTo[-1]==',' ) at.zTo--;
  if( pFrame->bArray ){
    at.z = plainArrayEnd(at.z, p->zEnd, pFrame->nItem);
    *at.zTo++ = ']';
  }else{
    at.z = plainObjectEnd(at.z, p->zEnd, pFrame->nItem);
    *at.zTo++ = '}';
    p->keys.n = pFrame->iKey;
  }
  *at.zTo++ = ',';
  return at;
}

/* The beginning of one. */
static inline PlainAt toTextOpen(ToText *p, PlainFrame *pFrame, PlainAt at){
  int bArray = *at.z++=='A';
  u32 n = 0;
  if( bArray ) at.z = plainArrayStart(at.z, p->zEnd, &n);
  plainOpen(pFrame, &p->keys, bArray, n);
  *at.zTo++ = bArray ? '[' : '{';
  return at;
}

/* The root and everything in it, and a comma. */
static PlainAt toTextWalk(ToText *p, PlainAt at){
  PlainFrame *pFrame = p->aFrame;
  do{
    u32 nKeyAt = 0;
    int bKey = 0;
    if( pFrame->bArray==0 ) at = toTextSmallPairs(p, pFrame, at, &bKey, &nKeyAt);
    else if( pFrame!=p->aFrame ) at = toTextSmallElements(p, pFrame, at);
    if( at.z ) at.z = plainPad(at.z, p->zEnd);
    if( at.z==0 ) return at;
    if( !bKey ){
      if( at.zTo>=p->out.zFull ){
        at.zTo = kvPlainGrow(&p->out, at.zTo, 0);
        if( at.zTo==0 ) return plainNot;
      }
      nKeyAt = (u32)(at.zTo - p->out.pBuf->a);
      if( pFrame->bArray ? pFrame->nLeft==0 : *at.z=='{' ){
        at = toTextClose(p, pFrame--, at);
        continue;
      }
      if( pFrame->bArray ){
        pFrame->nLeft--;
      }else{
        at = toTextKey(p, pFrame, at);
        if( at.z ) at.z = plainPad(at.z, p->zEnd);
        if( at.z==0 ) return at;
      }
    }
    if( *at.z=='o' || *at.z=='A' ){
      if( pFrame==&p->aFrame[PLAIN_DEPTH] ) return plainNot;
      at = toTextOpen(p, ++pFrame, at);
    }else{
      at = toTextLeaf(p, pFrame, at, nKeyAt);
    }
  }while( at.z && pFrame!=p->aFrame );
  return at;
}

int kvV8ToText(KvBytes value, int bJs, KvBuf *pOut){
  ToText text;
  PlainAt at;
  u32 nOld = pOut->n;
  if( pOut->eErr!=KV_OK ) return 0;
  at.z = plainHeader(value);
  if( at.z==0 || kvBufGrow(pOut, (u64)value.n + TO_TEXT_ROOM)!=KV_OK ){
    pOut->eErr = KV_OK;
    return 0;
  }
  text.zEnd = value.p + value.n;
  text.out.pBuf = pOut;
  text.out.nRoom = TO_TEXT_ROOM;
  text.bJs = bJs;
  text.keys.n = 0;
  plainOpen(text.aFrame, &text.keys, 1, 1);
  text.out.zFull = pOut->a + pOut->nAlloc - TO_TEXT_ROOM;
  at.zTo = pOut->a + nOld;
  at = toTextWalk(&text, at);
  if( at.z==0 ){
    pOut->n = nOld;
    pOut->eErr = KV_OK;
    return 0;
  }
  pOut->n = (u32)(at.zTo - pOut->a);
  if( pOut->n>nOld && pOut->a[pOut->n-1]==',' ) pOut->n--;
  return 1;
}
