/*
** value_string.c -- the strings of a tree, whatever way each is stored.  See
** value_string.h.
*/
#include "codec/value_string.h"

i64 kvArrayIndex(KvBytes text){
  const u8 *z = text.p;
  u32 n = text.n, i;
  u64 v = 0;
  if( n==0 || n>10 || (z[0]=='0' && n>1) ) return -1;
  for(i=0; i<n; i++){
    if( z[i]<'0' || z[i]>'9' ) return -1;
    v = v*10 + (u64)(z[i] - '0');
  }
  return v<=4294967294u ? (i64)v : -1;
}

u32 kvStringPoint(const KvNode *pStr, u32 *pi){
  const u8 *z = &pStr->u.p[*pi];
  u32 nLeft = pStr->n - *pi;
  u32 c;
  if( pStr->eSub==KV_UTF16 ){
    c = (u32)z[0] | (u32)z[1]<<8;
    *pi += 2;
    if( (c&0xfc00)==0xd800 && nLeft>=4 && (z[3]&0xfc)==0xdc ){
      c = 0x10000 + ((c&0x3ff)<<10) + ((u32)z[2] | (u32)(z[3]&3)<<8);
      *pi += 2;
    }
    return c;
  }
  c = z[0];
  if( pStr->eSub==KV_LATIN1 || c<0x80 ){
    *pi += 1;
    return c;
  }
  *pi += (u32)kvUtf8Get(kvBytes(z, nLeft), &c, 1);
  return c;
}

/* The bytes of Latin-1 and of WTF-8 have the order of code points. */
int kvStringCompare(const KvNode *pA, const KvNode *pB){
  u32 iA = 0, iB = 0;
  if( pA->eSub==pB->eSub && pA->eSub!=KV_UTF16 ){
    return kvBytesCompare(kvNodeBytes(pA), kvNodeBytes(pB));
  }
  while( iA<pA->n && iB<pB->n ){
    u32 cA = kvStringPoint(pA, &iA);
    u32 cB = kvStringPoint(pB, &iB);
    if( cA!=cB ) return cA<cB ? -1 : 1;
  }
  return (iA<pA->n) - (iB<pB->n);
}

int kvStringEqual(const KvNode *pA, const KvNode *pB){
  if( pA->eSub==pB->eSub ) return kvBytesEqual(kvNodeBytes(pA), kvNodeBytes(pB));
  return kvStringCompare(pA, pB)==0;
}

int kvStringHolds(const KvNode *p, const char *z, u32 n){
  u32 i;
  if( p->eKind!=KV_STRING ) return 0;
  if( p->eSub!=KV_UTF16 ) return memcmp(p->u.p, z, n)==0;
  for(i=0; i<n; i++){
    if( p->u.p[2*i]!=(u8)z[i] || p->u.p[2*i+1] ) return 0;
  }
  return 1;
}

u32 kvProperty(const KvTree *p, u32 iObject, const char *zKey){
  const KvNode *aNode = p->aNode;
  u32 i = aNode[iObject].iChild;
  KV_ASSERT( aNode[iObject].eKind==KV_OBJECT );
  while( i && !kvStringIs(&aNode[i], zKey) ) i = aNode[aNode[i].iNext].iNext;
  return i ? aNode[i].iNext : 0;
}
