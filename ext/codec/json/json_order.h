/*
** json_order.h -- the order of JSON texts: the collation kv_json.
**
** Two JSON texts are equal if their values are: members by name, numbers by value,
** integers of any length.  They are ordered by their canonical text: without spaces,
** numbers as JavaScript prints them, members in the order of their names.  What isn't
** JSON, or holds a number that is too large for JavaScript, comes after them, as bytes.
*/
#ifndef KV_JSON_ORDER_H
#define KV_JSON_ORDER_H

#include "codec/value.h"

/* One side of a comparison, which is kept for the next one.  All zero at first. */
typedef struct KvJsonSide KvJsonSide;
struct KvJsonSide {
  KvBuf text;             /* The text that has been read */
  KvBuf canon;            /* Its canonical text */
  KvTree tree;
  u8 bRead;               /* text has been */
  u8 bJson;               /* It is JSON */
  u8 bNoMem;              /* There was no memory to tell */
};
void kvJsonSideClear(KvJsonSide *p);

/* Negative, 0 or positive; wrong if bNoMem of a side is set. */
int kvJsonCompare(KvJsonSide *pA, KvBytes a, KvJsonSide *pB, KvBytes b);

/* Does a JSON text, read by kvJsonParseDigits(), hold an integer beyond 2^53-1 or a number
** beyond all doubles?  If not, the tree is as kvJsonParse() makes it. */
int kvJsonIsUnsafe(KvTree *p);

/* Are the integers beyond 2^53-1 of a JSON text all in the tree that is to be stored for it,
** as bigints or as numbers that print so, and none is beyond all doubles? */
int kvJsonKeepsIntegers(KvBytes json, KvTree *pStored);

#endif /* KV_JSON_ORDER_H */
