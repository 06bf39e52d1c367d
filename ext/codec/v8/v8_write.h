/*
** v8_write.h -- values in V8's serialization format, byte for byte as Deno
** writes them.  See the head of v8_write.c.
*/
#ifndef KV_V8_WRITE_H
#define KV_V8_WRITE_H

#include "codec/value.h"

/*
** Append the tree's root with a version header to pOut.  pOut must be empty,
** because V8 aligns two-byte strings relative to the start.  See
** kvValueWrite() for the errors.
*/
int kvV8Write(KvTree *p, int iVersion, KvBuf *pOut, KvErr *pErr);
/* The same without a header, if pOut already holds what precedes the value; the
** containers open there have the cost nDepth (kvDepthCost()). */
int kvV8Append(KvTree *p, int nDepth, KvBuf *pOut, KvErr *pErr);

/*
** How deep the value may nest when it is stored.  Deno reads recursively and
** has only so much stack; an OBJECT, HOST, ARRAY, MAP, SET or ERROR costs a share
** of it (the depths that Deno 2.9.6 was seen to read and write, less a margin).
*/
#define KV_DEPTH_BUDGET 60000
int kvDepthCost(int eKind, int bSparse);

/* Append a string of WTF-8, with its tag. */
void kvV8WriteText(KvBuf *pOut, KvBytes text);

#endif /* KV_V8_WRITE_H */
