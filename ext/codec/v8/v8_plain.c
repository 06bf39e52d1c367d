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

/* True if all units are below 256: then '"' might have been used as well. */
static int plainIsNarrow(const u8 *z, u32 n){
  u32 i;
  for(i=1; i<n; i+=2){
    if( z[i] ) return 0;
  }
  return 1;
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
  if( eTag=='"' ? kvArrayIndex(kvBytes(z, n))>=0 : n%2 || plainIsNarrow(z, n) ) return 0;
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
