/*
** retype.h -- the type of a plain value that replaces a stored one.
**
** SQL has fewer types than JavaScript.  An unmarked SQL value that replaces a
** stored value, or a part of one, therefore takes the stored type if it reads as
** one:
**
**     stored            takes
**     ----------------  ---------------------------------------------------
**     bigint            a whole number; TEXT of decimal digits
**     KvU64             the same, from 0 to 2^64-1
**     boolean           0 and 1; TEXT true and false
**     Date              TEXT that kvDateParse() reads
**     ArrayBuffer       a BLOB
**
** Anything may replace undefined, null, a boolean, a number, a string and a
** Uint8Array, and null may replace anything.  Everything else is an error: it would
** lose a type that SQL can't express.
*/
#ifndef KV_RETYPE_H
#define KV_RETYPE_H

#include "codec/value.h"

/*
** The new value is node iNew of pNew, a NULL, a NUMBER, a STRING, a VIEW that
** is a Uint8Array, or a BIGINT, which stands for an INTEGER that no number holds
** exactly.  It is to replace node iOld of pOld.  Give it the stored type in
** place (its children may become unused nodes), or leave it as it is.  pOld
** and pNew may be one tree.  KV_OK, KV_NOMEM, or KV_REFUSED with a text that
** names what is stored and what to write.
*/
int kvRetype(const KvTree *pOld, u32 iOld, KvTree *pNew, u32 iNew, KvErr *pErr);

/* The same where nothing is stored: a BIGINT is refused. */
int kvRetypeNew(const KvTree *pNew, u32 iNew, KvErr *pErr);

#endif /* KV_RETYPE_H */
