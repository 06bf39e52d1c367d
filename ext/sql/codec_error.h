/*
** codec_error.h -- the message of an error that a codec reports.
*/
#ifndef KV_CODEC_ERROR_H
#define KV_CODEC_ERROR_H

#include "sqlite3ext.h"
#include "bytes/buf.h"

/* "kv: zWhat: text (at offset n)", from sqlite3_malloc(); 0: out of memory. */
char *kvCodecErrorText(const char *zWhat, const KvErr *pErr);
/* The same as a message in *pzErr and a result code. */
int kvCodecError(const char *zWhat, const KvErr *pErr, char **pzErr);

#endif /* KV_CODEC_ERROR_H */
