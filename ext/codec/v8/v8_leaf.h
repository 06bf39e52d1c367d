/*
** v8_leaf.h -- reader of V8's format: the cursor, words, primitives, and the
** objects that hold no other values.  The grammar is at the head of v8_read.c.
**
** Errors are sticky: after the first one the cursor is at the end of the input, and
** reads return zero, empty, or a node that is never used.
*/
#ifndef KV_V8_LEAF_H
#define KV_V8_LEAF_H

#include "codec/value.h"

/* KvNode.eSpare while reading */
#define V8_PENDING     1   /* HOST: has an id that is not valid yet */
#define V8_NO_ID       2   /* BUFFER: its id comes with its view, or none */
#define V8_NODE_VIEW   3   /* VIEW: its buffer has no id */

/* An open container. */
typedef struct V8Frame V8Frame;
struct V8Frame {
  u32 iNode;              /* The container */
  u32 iLast;              /* Its last child so far, or 0 */
  u32 nLeft;              /* Dense ARRAY: elements to come */
  u32 nItem;              /* Pairs, values, or state of an ERROR or HOST */
  u32 iElem;              /* ARRAY: last element, or 0 */
};
#define V8_FRAMES 24

typedef struct V8Reader V8Reader;
struct V8Reader {
  KvTree *p;
  const u8 *a;            /* Start of the input */
  const u8 *z;            /* What is still unread */
  const u8 *zEnd;
  KvErr *pErr;
  int rc;                 /* KV_OK, or the code of the first error */
  u8 bFlags;              /* Views have flags */
  u8 bDropped;            /* Duplicates were dropped */
  u32 nFrame, nFrameAlloc;
  V8Frame *aFrame;
  u32 *aId;               /* Node of each id below nId */
  u32 nId, nIdAlloc;
  u32 iScan;              /* Nodes before this one are in aId */
  KvNode none;            /* What v8LeafAdd() gives after an error */
  V8Frame aSpace[V8_FRAMES];
};

/* The first error: at zAt in the input, or none of it but no memory. */
void kvV8LeafFail(V8Reader *r, const u8 *zAt, const char *zMsg);
void kvV8LeafNoMem(V8Reader *r);
void kvV8LeafEnd(V8Reader *r);
void kvV8LeafTooLong(V8Reader *r, const u8 *zAt);

/* A varint of at most nMax bytes. */
u64 kvV8LeafVarint(V8Reader *r, int nMax);

/* A value that must be a string: its node, not linked yet. */
u32 kvV8LeafString(V8Reader *r);

/* The key of a property: its node, not linked yet. */
u32 kvV8LeafKey(V8Reader *r);

/* A value that opens no container, the cursor being after its tag eTag: its
** node, not linked yet. */
u32 kvV8Leaf(V8Reader *r, u8 eTag);

/* A view as Node writes it, the cursor being after its type eIndex<=12. */
u32 kvV8LeafNodeView(V8Reader *r, const u8 *zAt, u32 eIndex);

/* Numbers of 32 and of 8 bits. */
static inline u32 v8LeafU32(V8Reader *r){
  return r->z<r->zEnd && *r->z<0x80 ? *r->z++ : (u32)kvV8LeafVarint(r, 5);
}
static inline u8 v8LeafU8(V8Reader *r){
  return (u8)kvV8LeafVarint(r, 2);
}

/* Skip padding.  The byte that comes next, not consumed; 0 after an error. */
static inline u8 v8LeafPad(V8Reader *r){
  while( r->z<r->zEnd && *r->z==0 ) r->z++;
  if( r->z<r->zEnd ) return *r->z;
  kvV8LeafEnd(r);
  return 0;
}

/* Skip padding and '?'.  The tag of a value, not consumed; 0 after an error. */
static inline u8 v8LeafTag(V8Reader *r){
  u8 eTag;
  while( (eTag = v8LeafPad(r))=='?' ){
    r->z++;
    v8LeafU32(r);
  }
  return eTag;
}

/* Add a node, not linked yet; *pi is its index. */
static inline KvNode *v8LeafAdd(V8Reader *r, u8 eKind, u32 *pi){
  *pi = kvTreeAdd(r->p, eKind);
  if( *pi!=KV_NO_NODE ) return &r->p->aNode[*pi];
  kvV8LeafNoMem(r);
  return &r->none;
}

/*
** If a short Latin-1 string comes next, the commonest key and value: add it,
** and *pi is its node.
*/
static inline int v8LeafShort(V8Reader *r, u32 *pi){
  const u8 *z = r->z;
  KvNode *pNode;
  if( r->zEnd - z<2 || z[0]!='"' || z[1]>=0x80 || z[1]>r->zEnd - z - 2 ) return 0;
  pNode = v8LeafAdd(r, KV_STRING, pi);
  pNode->n = z[1];
  pNode->u.p = z + 2;
  r->z = z + 2 + z[1];
  return 1;
}

#endif /* KV_V8_LEAF_H */
