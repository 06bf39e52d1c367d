/*
** v8_plain.c -- keys of plain values.  See v8_plain.h.
*/
#include "codec/v8/v8_plain.h"
#include "codec/value_string.h"

u64 kvPlainPrefix(const u8 *z, u32 n){
  u64 x = 0;
  if( n>=8 ) return kvGet64le(z);
  while( n>0 ) x = x<<8 | z[--n];
  return x;
}

u8 *kvPlainGrow(PlainOut *p, u8 *zTo, u64 n){
  KvBuf *pBuf = p->pBuf;
  pBuf->n = (u32)(zTo - pBuf->a);
  if( kvBufGrow(pBuf, n + p->nRoom)!=KV_OK ) return 0;
  p->zFull = pBuf->a + pBuf->nAlloc - p->nRoom;
  return pBuf->a + pBuf->n;
}

const u8 *kvPlainV8Key(
  const u8 *z, const u8 *zEnd, PlainFrame *pFrame, PlainKeys *pKeys, PlainV8Key *pKey
){
  u8 eTag = *z;
  u32 n = 0;
  if( eTag!='"' && eTag!='c' && eTag!='I' ) return 0;
  z = plainVarint(z + 1, zEnd, &n);
  if( z==0 ) return 0;
  if( eTag=='I' ){
    pKey->z = 0;
    pKey->n = n>>1;
    return (n&1)==0 && plainAddIndex(pFrame, n>>1) ? z : 0;
  }
  if( !plainHas(z, zEnd, n) ) return 0;
  pKey->z = z;
  pKey->n = n;
  pKey->eEnc = eTag=='"' ? KV_LATIN1 : KV_UTF16;
  if( eTag=='"' ? kvArrayIndex(kvBytes(z, n))>=0 : n%2 || v8IsNarrow(kvBytes(z, n)) ) return 0;
  return plainAddKey(pFrame, pKeys, z, n, kvPlainPrefix(z, n)) ? z + n : 0;
}

int kvPlainIsOld(const PlainFrame *p, const PlainKeys *pKeys, const u8 *z, u32 n, u64 x){
  u32 i;
  for(i=p->iKey; i<pKeys->n; i++){
    const PlainKey *pKey = &pKeys->a[i];
    if( pKey->x==x && pKey->n==n && (n<=8 || memcmp(pKey->z, z, n)==0) ) return 1;
  }
  return 0;
}

u8 kvPlainKind(u8 eTag){
  switch( eTag ){
    case '_':           return KV_UNDEFINED;
    case '0':           return KV_NULL;
    case 'T': case 'F': return KV_BOOL;
    case 'I': case 'N': return KV_NUMBER;
    case 'Z':           return KV_BIGINT;
    case 'D':           return KV_DATE;
    case 'o':           return KV_OBJECT;
    case 'A':           return KV_ARRAY;
    default:            return KV_STRING;
  }
}
