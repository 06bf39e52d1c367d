/*
** plain.h -- plain values: from one format into another without a tree.
**
** Most values that people store are plain: objects with string keys, arrays
** without holes, strings, numbers, bigints, booleans, null, undefined and
** Dates, none of them twice.  For them these functions do in one pass what
** else takes a reader, a tree (value.h) and a printer.
**
** They either do exactly what the long way does, or say that the value isn't
** plain and leave everything as it was; then the long way is to be taken.  In
** particular all that is wrong with a value makes it not plain, so that there
** is one place where errors are found.
**
**   bytes := FF version value anything              version 13 to 16
**   value := pad* ( '_' | '0' | 'T' | 'F' | 'I' zigzag | 'N' double | string
**          | 'Z' bits digits | 'D' double
**          | 'o' (key value)* '{' nPair
**          | 'A' n value*n '$' 0 n )
**   key   := pad* ( string | 'I' zigzag )
**   string:= '"' n bytes | 'c' n bytes
**   pad   := 00
**
** (v8_read.c has the whole grammar.)  Integer keys come first and ascend, a
** string key isn't an array index, and no two keys of an object are equal.
** At most PLN_DEPTH containers are open at a time, with PLN_KEYS keys.
*/
#ifndef KV_PLAIN_H
#define KV_PLAIN_H

#include "codec/value.h"

/*
** Append the JSON text of the V8-encoded value, or with bJs its canonical JS
** text, to pOut.  True: done (nothing is appended for undefined,
** in JSON).  False: not plain, or no memory; then pOut is as it was.
*/
int kvPlainPrint(KvBytes value, int bJs, KvBuf *pOut);

/*
** Check the V8-encoded value and find what is at a path in it (see
** kvPathFind()).  Returns
**
**   KV_PLAIN_NOT    not plain, or a path that this function can't follow
**   KV_PLAIN_NONE   there is nothing
**   KV_PLAIN_FOUND  *piAt is the offset of the value that is there
*/
#define KV_PLAIN_NOT    0
#define KV_PLAIN_NONE   1
#define KV_PLAIN_FOUND  2
int kvPlainFind(KvBytes value, KvBytes path, u32 *piAt);

/*
** Read the value at iAt, which kvPlainFind() found, into a node of its own, if
** it is a string or a small number.  False: use kvV8ReadAt().
*/
int kvPlainLeaf(KvBytes value, u32 iAt, KvNode *pNode);

/* Name of the type (see kvTypeName()) of the V8-encoded value, a constant; or 0:
** not plain. */
const char *kvPlainType(KvBytes value);

/*
** Append the V8 encoding, with a header of version iVersion, of the JSON text,
** or without bJson of a JS text that could be JSON but for its
** keys, quotes and Dates.  False: not plain, not written here, or no memory;
** then pOut is as it was.  pOut must be empty.
*/
int kvPlainWrite(KvBytes text, int bJson, int iVersion, KvBuf *pOut);

/*
** Append the V8 encoding, with a header of version iVersion, of the string.
** False: not of ASCII alone, or no memory; then pOut is as it was.
** pOut must be empty.
*/
int kvPlainText(KvBytes text, int iVersion, KvBuf *pOut);

#endif /* KV_PLAIN_H */
