/*
** key_print.h -- keys as key text.
**
** Key text is a JavaScript array literal of those parts.  The canonical form
** has no spaces, JSON's strings, and numbers as JavaScript prints them:
**
**   ["users",42,-0,NaN,-NaN,1n,true,new Uint8Array([1,2,3])]
**
** Stored bytes that are not a canonical key are shown as
**
**   kv.malformedKey("02ff")
**
** which stands for just those bytes, in order and in equality too.
*/
#ifndef KV_KEY_PRINT_H
#define KV_KEY_PRINT_H

#include "codec/key/key_bytes.h"

/* Append the canonical text of a part. */
void kvPartPrint(KvBuf *pOut, const KvPart *pPart);
/* The same of several, with commas between them, up to what is none. */
void kvPartsPrint(KvBuf *pOut, KvBytes parts);

/*
** Append the canonical key text of stored bytes.  KV_CORRUPT if Deno could
** not read them either.
*/
int kvKeyPrint(KvBuf *pOut, KvBytes key, KvErr *pErr);

/* Append key text for any bytes: kv.malformedKey("..") unless canonical. */
void kvKeyShow(KvBuf *pOut, KvBytes any);

#endif /* KV_KEY_PRINT_H */
