/*
** queue_text.h -- the two lists that go with a queue message.
**
** The user writes JS text; Deno stores JSON text:
**
**   keys_if_undelivered   [["failed",1]]      [[2,102,...,0,33,191,...]]
**                         a list of key texts a list of stored keys' bytes
**   backoff_schedule      [100, 1000]         [100,1000]   milliseconds
*/
#ifndef KV_QUEUE_TEXT_H
#define KV_QUEUE_TEXT_H

#include "codec/value.h"

/* Deno's default backoff schedule. */
#define KV_BACKOFF_DEFAULT "[100,1000,5000,30000,60000]"

/*
** Append Deno's JSON for a list in JS text to pOut.  *pn is the number of
** keys or steps, *piMost the length of the longest key in bytes or the
** longest step in ms.  A (reset) tree is work space.  KV_SYNTAX and its position,
** KV_REFUSED, KV_NOMEM.
*/
int kvQueueKeys(KvBytes text, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr);
int kvQueueBackoff(KvTree *pTree, KvBytes text, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr);

/* Append Deno's JSON for keys_if_undelivered as a list of key texts; any other text
** is appended unchanged. */
void kvQueueKeysShow(KvBuf *pOut, KvBytes json);

/*
** KV_OK if the text is in Deno's form: a JSON list of whole numbers or (bDeep) a
** list of lists of bytes, each of them a key.  *pn and *piMost (0: not wanted) as
** above.  KV_CORRUPT, KV_NOMEM.
*/
int kvQueueTextCheck(KvBytes json, int bDeep, u32 *pn, i64 *piMost);

/*
** For stored lists, which any program may have written.  The first step of a
** backoff schedule, and the rest of the text; 0 if there is no step.  And the
** stored bytes of the key at *pi (0 at first), advancing *pi; 0 at the end.
*/
int kvQueueBackoffStep(KvBytes backoff, i64 *pnWait, KvBytes *pRest);
int kvQueueKeyNext(KvBytes keys, u32 *pi, KvBuf *pKey);

#endif /* KV_QUEUE_TEXT_H */
