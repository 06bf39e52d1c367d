/*
** codec_error.c -- the message of an error that a codec reports.
*/
#include "sql/codec_error.h"
#include "store/error.h"

int kvCodecError(const char *zWhat, const KvErr *pErr, char **pzErr){
  KvError error = { SQLITE_OK, 0 };
  kvErrorCodec(&error, zWhat, pErr);
  return kvErrorTake(&error, pzErr);
}

char *kvCodecErrorText(const char *zWhat, const KvErr *pErr){
  char *zErr = 0;
  kvCodecError(zWhat, pErr, &zErr);
  return zErr;
}
