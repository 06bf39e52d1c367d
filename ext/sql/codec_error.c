/*
** codec_error.c -- the message of an error that a codec reports.
*/
#include "sql/codec_error.h"
SQLITE_EXTENSION_INIT3

char *kvCodecErrorText(const char *zWhat, const KvErr *pErr){
  const char *zMsg = pErr->zMsg ? pErr->zMsg : "out of memory";
  const char *zSep = zWhat[0] ? ": " : "";
  const char *zColon = pErr->zNumber[0] ? ": " : "";
  if( pErr->iPos<0 ) return sqlite3_mprintf("kv: %s%s%s", zWhat, zSep, zMsg);
  return sqlite3_mprintf("kv: %s%s%s%s%s (at offset %lld)", zWhat, zSep, zMsg,
      zColon, pErr->zNumber, pErr->iPos);
}

int kvCodecError(const char *zWhat, const KvErr *pErr, char **pzErr){
  if( pErr->eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( pErr->eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  *pzErr = kvCodecErrorText(zWhat, pErr);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}
