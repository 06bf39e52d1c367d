/*
** v8_to_text.h -- plain values (v8_plain.h): from V8's format to JSON and JS
** text, without a tree.
*/
#ifndef KV_V8_TO_TEXT_H
#define KV_V8_TO_TEXT_H

#include "bytes/bytes.h"

/*
** Append the JSON text of the V8-encoded value, or with bJs its canonical JS
** text, to pOut.  True: done (nothing is appended for undefined, in JSON).
** False: not plain, or no memory; then pOut is as it was.
*/
int kvV8ToText(KvBytes value, int bJs, KvBuf *pOut);

#endif /* KV_V8_TO_TEXT_H */
