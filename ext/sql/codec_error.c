/*
** codec_error.c -- the message of an error that a codec reports.
*/
#include "sql/codec_error.h"
#include "store/error.h"

char *kvCodecErrorText(const char *zWhat, const KvErr *pErr){
  KvError error = { SQLITE_OK, 0 };
  char *zErr = 0;
  kvErrorCodec(&error, zWhat, pErr);
  kvErrorTake(&error, &zErr);
  return zErr;
}
