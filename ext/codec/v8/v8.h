/*
** v8.h -- V8's value serialization format, versions 13 to 16.
**
** See the head of v8_read.c for the grammar.
*/
#ifndef KV_V8_H
#define KV_V8_H

#include "codec/value.h"

/*
** Read the V8-encoded value into the (reset) tree.  Bytes after the
** value are ignored, as V8 ignores them.  Every count, length, reference and
** key is checked as V8 checks them.  KV_OK, KV_NOMEM, KV_TOOBIG or KV_CORRUPT
** with the offset of the offending byte.
*/
int kvV8Read(KvTree *p, KvBytes value, KvErr *pErr);
/* The same for the part of a value that begins at iAt>0 and refers to no
** other part; nothing behind it is looked at. */
int kvV8ReadAt(KvTree *p, KvBytes value, u32 iAt, KvErr *pErr);

/*
** Append the tree's root with a version header to pOut.  pOut must be empty,
** because V8 aligns two-byte strings relative to the start.  See
** kvValueWrite() for the errors.
*/
int kvV8Write(KvTree *p, int iVersion, KvBuf *pOut, KvErr *pErr);
/* The same without a header, where pOut already holds what is before the value,
** and the containers that are open there have the cost nDepth (kvDepthCost()). */
int kvV8Append(KvTree *p, int nDepth, KvBuf *pOut, KvErr *pErr);

/*
** How deep the value may nest when it is stored.  Deno reads recursively and
** has only so much stack; an OBJECT, HOST, ARRAY, MAP, SET or ERROR costs a share
** of it (the depths that Deno 2.9.6 was seen to read and write, less a margin).
*/
#define KV_DEPTH_BUDGET 60000
int kvDepthCost(int eKind, int bSparse);

#endif /* KV_V8_H */
