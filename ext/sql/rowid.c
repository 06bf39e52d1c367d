/*
** rowid.c -- rowids of rows that have no number.  See rowid.h.
*/
#include "sql/rowid.h"

#define ROWID_ROL(X,N) ((X)<<(N) | (X)>>(64-(N)))

static void rowidRound(u64 *v){
  v[0] += v[1]; v[1] = ROWID_ROL(v[1], 13); v[1] ^= v[0]; v[0] = ROWID_ROL(v[0], 32);
  v[2] += v[3]; v[3] = ROWID_ROL(v[3], 16); v[3] ^= v[2];
  v[0] += v[3]; v[3] = ROWID_ROL(v[3], 21); v[3] ^= v[0];
  v[2] += v[1]; v[1] = ROWID_ROL(v[1], 17); v[1] ^= v[2]; v[2] = ROWID_ROL(v[2], 32);
}

static void rowidWord(u64 *v, u64 m){
  v[3] ^= m;
  rowidRound(v);
  rowidRound(v);
  v[0] ^= m;
}

i64 kvRowid(i64 iStart, KvBytes bytes){
  u64 v[4] = { 0x736f6d6570736575u, 0x646f72616e646f6du, 0x6c7967656e657261u, 0x7465646279746573u };
  u8 aLast[8] = { 0 };
  u32 i;
  v[0] ^= (u64)iStart;
  v[2] ^= (u64)iStart;
  for(i=0; bytes.n-i>=8; i+=8) rowidWord(v, kvGet64le(bytes.p + i));
  if( bytes.n>i ) memcpy(aLast, bytes.p + i, bytes.n-i);
  aLast[7] = (u8)bytes.n;
  rowidWord(v, kvGet64le(aLast));
  v[2] ^= 0xff;
  for(i=0; i<4; i++) rowidRound(v);
  return (i64)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}
