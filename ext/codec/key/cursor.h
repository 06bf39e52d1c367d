/*
** cursor.h -- the cursor of a list of entries.
*/
#ifndef KV_CURSOR_H
#define KV_CURSOR_H

#include "bytes/bytes.h"

/*
** Deno's list cursor: URL-safe base64, padded, of a key's bytes after the
** common prefix of the listed range.
*/
void kvCursorPrint(KvBuf *pOut, KvBytes rest);
int kvCursorParse(KvBuf *pOut, KvBytes text, KvErr *pErr);

#endif /* KV_CURSOR_H */
