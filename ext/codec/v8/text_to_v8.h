/*
** text_to_v8.h -- plain values (v8_plain.h): from JSON and JS text to V8's
** format, without a tree.
*/
#ifndef KV_TEXT_TO_V8_H
#define KV_TEXT_TO_V8_H

#include "bytes/bytes.h"

/*
** Append the V8 encoding, with a header of version iVersion, of the JSON text,
** or without bJson of a JS text that could be JSON but for its keys, quotes and
** Dates.  False: not plain, not written here, or no memory; then pOut is as it
** was.  pOut must be empty.
*/
int kvTextToV8(KvBytes text, int bJson, int iVersion, KvBuf *pOut);

/*
** Append the V8 encoding, with a header of version iVersion, of the string.
** False: not of ASCII alone, or no memory; then pOut is as it was.  pOut must
** be empty.
*/
int kvStringToV8(KvBytes text, int iVersion, KvBuf *pOut);

#endif /* KV_TEXT_TO_V8_H */
