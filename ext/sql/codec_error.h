/*
** codec_error.h -- the message of an error that a codec reports.
*/
#ifndef KV_CODEC_ERROR_H
#define KV_CODEC_ERROR_H

#include "sqlite3ext.h"
#include "bytes/buf.h"

/* "kv: zWhat: text (at offset n)", from sqlite3_malloc(); 0: out of memory. */
char *kvCodecErrorText(const char *zWhat, const KvErr *pErr);

#endif /* KV_CODEC_ERROR_H */
