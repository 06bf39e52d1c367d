/*
** message.c -- error messages that show text of the user's.  See message.h.
*/
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT3
#include "bytes/buf.h"
#include "store/message.h"
#include "bytes/hex.h"

/* The control character at z, which is of one byte or (U+0080 to U+009F) of
** two; else 0. */
static u32 msgControl(const u8 *z){
  if( *z<0x20 || *z==0x7f ) return *z;
  return z[0]==0xc2 && z[1]>=0x80 && z[1]<0xa0 ? z[1] : 0;
}

/* Append a control character's escape. */
static char *msgEscape(char *zOut, u32 c){
  static const char zShort[] = "\bb\tt\nn\ff\rr";
  int i;
  *zOut++ = '\\';
  for(i=0; zShort[i]; i+=2){
    if( (u32)zShort[i]!=c ) continue;
    *zOut++ = zShort[i+1];
    return zOut;
  }
  memcpy(zOut, "u00", 3);
  zOut[3] = kvHexDigit(c>>4);
  zOut[4] = kvHexDigit(c);
  return zOut+5;
}

char *kvMsg(const char *zFormat, ...){
  char *z;
  va_list ap;
  va_start(ap, zFormat);
  z = kvMsgV(zFormat, ap);
  va_end(ap);
  return z;
}

char *kvMsgV(const char *zFormat, va_list ap){
  char *zText = sqlite3_vmprintf(zFormat, ap);
  char *zOut, *z;
  const u8 *zIn;
  u64 n = 1;
  if( zText==0 ) return 0;
  for(zIn=(const u8*)zText; *zIn; zIn++) n += msgControl(zIn) ? 6 : 1;
  zOut = z = sqlite3_malloc64(n);
  for(zIn=(const u8*)zText; zOut && *zIn; zIn++){
    u32 c = msgControl(zIn);
    if( c==0 ){
      *z++ = (char)*zIn;
    }else{
      z = msgEscape(z, c);
      zIn += c>=0x80;
    }
  }
  if( zOut ) *z = 0;
  sqlite3_free(zText);
  return zOut;
}
