/*
** message.c -- error messages that show text of the user's.  See message.h.
*/
#include "store/error.h"
#include "store/message.h"
#include "bytes/hex.h"

/* The control character at z, which is of one byte or (U+0080 to U+009F) of
** two; else 0. */
static u32 msgControl(const u8 *z){
  if( *z<0x20 || *z==0x7f ) return *z;
  return z[0]==0xc2 && z[1]>=0x80 && z[1]<0xa0 ? z[1] : 0;
}

/* Append a control character's escape. */
static void msgEscape(KvBuf *pOut, u32 c){
  static const char zShort[] = "\bb\tt\nn\ff\rr";
  const char *z = c<0x20 ? strchr(zShort, (int)c) : 0;
  kvBufPut(pOut, '\\');
  if( z ){
    kvBufPut(pOut, (u8)z[1]);
    return;
  }
  kvBufLit(pOut, "u00");
  kvBufPut(pOut, (u8)kvHexDigit(c>>4));
  kvBufPut(pOut, (u8)kvHexDigit(c));
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
  const u8 *z;
  KvBuf out;
  if( zText==0 ) return 0;
  kvBufInit(&out, 0, 0);
  for(z=(const u8*)zText; *z; z++){
    u32 c = msgControl(z);
    if( c ) msgEscape(&out, c);
    else kvBufPut(&out, *z);
    z += c>=0x80;
  }
  sqlite3_free(zText);
  zText = (char*)kvBufDetach(&out);
  kvBufClear(&out);                    /* after an error there is something left */
  return zText;
}
