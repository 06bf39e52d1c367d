/*
** versionstamp.c -- versionstamps as text.  See versionstamp.h.
*/
#include "codec/versionstamp.h"
#include "bytes/hex.h"

void kvVersionstampPrint(i64 iVersion, char *z){
  u64 v = (u64)iVersion;
  int i;
  for(i=15; i>=0; i--, v>>=4) z[i] = kvHexDigit((u32)v);
  memcpy(&z[16], "0000", 4);
}

int kvVersionstampBytes(KvBytes text, u8 *a){
  u32 i;
  if( text.n!=KV_VERSIONSTAMP_TEXT ) return 0;
  for(i=0; i<KV_VERSIONSTAMP_BYTES; i++){
    int d1 = kvHexValue(text.p[2*i]), d2 = kvHexValue(text.p[2*i+1]);
    if( d1<0 || d2<0 ) return 0;
    a[i] = (u8)(d1*16 + d2);
  }
  return 1;
}

int kvVersionstampParse(KvBytes text, i64 *piVersion){
  u8 a[KV_VERSIONSTAMP_BYTES];
  u64 v;
  u32 i;
  if( !kvVersionstampBytes(text, a) ) return 0;
  for(i=0; i<text.n; i++){
    if( text.p[i]>='A' && text.p[i]<='F' ) return 0;
  }
  v = kvGet64be(a);
  *piVersion = v>(u64)INT64_MAX ? INT64_MAX : (i64)v;
  return 1;
}
