/*
** v8_read.h -- values from V8's serialization format, versions 13 to 16.
**
** See the head of v8_read.c for the grammar.
*/
#ifndef KV_V8_READ_H
#define KV_V8_READ_H

#include "codec/value.h"

/*
** Read the V8-encoded value into the (reset) tree.  Bytes after the value are
** ignored, as V8 ignores them.  Every count, length, reference and
** key is checked as V8 checks them.  KV_OK, KV_NOMEM, KV_TOOBIG or KV_CORRUPT
** with the offset of the offending byte.
*/
int kvV8Read(KvTree *p, KvBytes value, KvErr *pErr);
/* The same for the part of a value that begins at iAt>0 and refers to no other
** part; nothing after it is read. */
int kvV8ReadAt(KvTree *p, KvBytes value, u32 iAt, KvErr *pErr);

#endif /* KV_V8_READ_H */
