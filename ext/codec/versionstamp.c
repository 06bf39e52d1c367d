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

int kvVersionstampParse(KvBytes text, i64 *piVersion){
  u64 v = 0;
  u32 i;
  if( text.n!=KV_VERSIONSTAMP_TEXT ) return 0;
  for(i=0; i<text.n; i++){
    int d = kvHexValue(text.p[i]);
    if( d<0 ) return 0;
    if( i<16 ) v = v<<4 | (u64)d;
  }
  *piVersion = v>(u64)INT64_MAX ? INT64_MAX : (i64)v;
  return 1;
}
