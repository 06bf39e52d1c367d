/*
** ulid.c -- ULIDs.  See ulid.h.
*/
#include "codec/ulid.h"

static const char ulidDigit[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

void kvUlidPrint(i64 iMs, const u8 *aRandom, char *z){
  int i, k, nBit = 0;
  u32 v = 0;
  KV_ASSERT( iMs>=0 && iMs<=KV_ULID_MOST );
  for(i=9; i>=0; i--, iMs>>=5) z[i] = ulidDigit[iMs & 31];
  for(i=10, k=0; i<KV_ULID_TEXT; i++){
    if( nBit<5 ){
      v = (v<<8 | aRandom[k++]) & 0xfff;
      nBit += 8;
    }
    nBit -= 5;
    z[i] = ulidDigit[(v>>nBit) & 31];
  }
}

int kvUlidIncrement(u8 *aRandom){
  int i;
  for(i=KV_ULID_RANDOM-1; i>=0; i--) if( ++aRandom[i]!=0 ) return 1;
  return 0;
}

i64 kvUlidTime(KvBytes text){
  i64 v = 0;
  u32 i;
  if( text.n!=KV_ULID_TEXT ) return -1;
  for(i=0; i<text.n; i++){
    u8 b = text.p[i];
    char c = (char)(b>='a' && b<='z' ? b-32 : b);
    const char *p = c ? strchr(ulidDigit, c) : 0;
    if( p==0 ) return -1;
    if( i<10 ) v = v*32 + (p - ulidDigit);
  }
  return v<=KV_ULID_MOST ? v : -1;
}
