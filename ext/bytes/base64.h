/*
** base64.h -- bytes as base64.
*/
#ifndef KV_BASE64_H
#define KV_BASE64_H

#include "bytes/bytes.h"

/* The last two of the 64 digits: "+/", or in URLs and names of files "-_". */
enum { KV_BASE64_PLAIN, KV_BASE64_URL, KV_BASE64_EITHER };

/* Append bytes as padded base64 of an alphabet (not KV_BASE64_EITHER). */
void kvBase64Print(KvBuf *pOut, KvBytes b, int eAlphabet);

/*
** Store the bytes of base64, padded or not, to aOut, which has room for
** KV_BASE64_BOUND() of them.  Unused bits must be 0.  Returns -1, or the offset of
** the wrong digit or group of four digits.
*/
#define KV_BASE64_BOUND(N) ((u64)(N)/4*3 + 3)
i64 kvBase64Parse(KvBytes text, int eAlphabet, u8 *aOut, u32 *pn);

#endif /* KV_BASE64_H */
