/*
** value.h -- a JavaScript value in memory: the tree between the formats.
**
** Every reader (stored bytes, JS text, JSON text) builds a KvTree and every
** writer or printer walks one, so that there is one meaning of each value.
** The tree is an array of nodes of fixed size, linked by index: aNode[0] is
** the root, iChild is a node's first child and iNext its next sibling (0:
** none; the root is never anybody's child).  Nothing in it is recursive, and
** a reader spends at least one byte of input on a node.
**
** Strings, digits and buffer contents are slices: they point into the input,
** which must outlive the tree, or into memory of the tree itself.
**
**   kind           n                 u                  children
**   -------------  ----------------  -----------------  ----------------------
**   UNDEFINED NULL -                 -                  -
**   HOLE           -                 -                  - (only in an ARRAY)
**   BOOL           0 or 1            -                  -
**   NUMBER         -                 r                  -
**   BIGINT         magnitude bytes   p magnitude (LE)   - (eSub: 1 = negative)
**   STRING         bytes             p                  - (eSub: KV_LATIN1 ...)
**   OBJECT         pairs             -                  key, value, ...
**   ARRAY          length            c.nElem, c.nPair   elements, key, value ..
**   MAP            pairs             -                  key, value, ...
**   SET            elements          -                  elements
**   DATE           -                 r (ms or NaN)      -
**   REGEXP         flags (V8 bits)   -                  STRING source
**   ERROR          KV_ERR_xxx parts  -                  message, stack, cause
**   BOXED          -                 -                  BOOL/NUMBER/BIGINT/STRING
**   BUFFER         bytes             p                  - (eSub: KV_BUF_xxx), for
**                                                       KV_BUF_RESIZABLE a NUMBER
**                                                       child: maxByteLength
**   VIEW           byte length       iOffset            BUFFER or REF to one
**                                                       (eSub: KV_VIEW_xxx)
**   REF            target node       -                  -
**   HOST           -                 -                  payload (eSub: KV_HOST_xxx)
**   U64            -                 u                  - (Deno.KvU64; stored as
**                                                       {value: bigint} but for
**                                                       a root)
**
** The tree of {a: [1,,2]}, five nodes and a hole ("->" is iNext):
**
**       0 OBJECT n=1
**         |iChild
**       1 STRING "a"  ->  2 ARRAY n=3 nElem=3 nPair=0
**                           |iChild
**                         3 NUMBER 1  ->  4 HOLE  ->  5 NUMBER 2
**
** and of x = {k: 7}; [x, x], where the second element refers to the first:
**
**       0 ARRAY n=2 nElem=2 nPair=0                     nRef=1
**         |iChild
**       1 OBJECT n=1 KVN_SHARED  ->  4 REF n=1
**         |iChild
**       2 STRING "k"  ->  3 NUMBER 7
**
** OBJECT keys are STRING nodes or, for array indices, NUMBER nodes (an
** integer in 0 .. 2^32-2).  They are unique and in JavaScript's order: the
** indices first, ascending, then the strings as they were inserted.
** ARRAY: the first c.nElem elements (holes among them), then c.nPair pairs of
** the remaining indices (NUMBER, ascending) and of other properties (STRING).
** A REF stands for its target: the second and every later occurrence of a
** shared object, or one of its own ancestors (a cycle).  Its target carries
** KVN_SHARED, is never itself a REF and has a kind that KV_IS_OBJECT().
** Because of JavaScript's key order a REF may come before its target in the
** walk: then the target is meant to be written at the REF, and a reference
** at the place of the target.
*/
#ifndef KV_VALUE_H
#define KV_VALUE_H

#include "bytes/bytes.h"
#include "bytes/utf.h"

enum {
  KV_UNDEFINED = 1, KV_NULL, KV_HOLE, KV_BOOL, KV_NUMBER, KV_BIGINT, KV_STRING,
  KV_OBJECT, KV_ARRAY, KV_MAP, KV_SET, KV_DATE, KV_REGEXP, KV_ERROR, KV_BOXED,
  KV_BUFFER, KV_VIEW, KV_HOST,
  KV_REF, KV_U64
};
/* Kinds that have an identity (and an object id in V8's format). */
#define KV_IS_OBJECT(E) ((E)>=KV_OBJECT && (E)<=KV_HOST)

/* KvNode.mFlags */
#define KVN_SHARED  0x01  /* A REF node points here */
#define KVN_SPARSE  0x02  /* ARRAY: was stored in the sparse form */
#define KVN_TRACK   0x04  /* VIEW: follows the length of its resizable buffer */
#define KVN_ASCII   0x08  /* STRING: known to be ASCII without need of escapes */
#define KVN_MARK    0x80  /* For the walker's own use; clear between walks */

/* BUFFER.eSub */
#define KV_BUF_FIXED      0
#define KV_BUF_RESIZABLE  1
#define KV_BUF_IMMUTABLE  2

/* ERROR.eSub: the constructor */
enum {
  KV_ERR_ERROR, KV_ERR_EVAL, KV_ERR_RANGE, KV_ERR_REFERENCE, KV_ERR_SYNTAX,
  KV_ERR_TYPE, KV_ERR_URI, KV_ERR_COUNT
};
/* ERROR.n: which children there are, in this order */
#define KV_ERR_MESSAGE  1
#define KV_ERR_STACK    2
#define KV_ERR_CAUSE    4

/* HOST.eSub: KV_HOST_DENO has one child, the payload (a plain object with a
** "type").  (Node's views are read as VIEW and BUFFER, not as HOST.) */
#define KV_HOST_DENO  0

/* REGEXP.n: V8's flag bits; the order of the letters in text is "dgimsuvy" */
#define KV_RE_G 0x001
#define KV_RE_I 0x002
#define KV_RE_M 0x004
#define KV_RE_Y 0x008
#define KV_RE_U 0x010
#define KV_RE_S 0x020
#define KV_RE_D 0x080
#define KV_RE_V 0x100

typedef struct KvNode KvNode;
struct KvNode {
  u8 eKind;               /* KV_UNDEFINED ... KV_U64 */
  u8 eSub;                /* See above */
  u8 mFlags;              /* KVN_xxx */
  u8 eSpare;
  u32 iNext;              /* Next sibling, or 0 */
  u32 iChild;             /* First child, or 0 */
  u32 n;                  /* See above */
  union {
    const u8 *p;          /* Content of STRING, BIGINT, BUFFER */
    double r;             /* NUMBER, DATE */
    u64 u;                /* U64 */
    u32 iOffset;          /* VIEW: byte offset into the buffer */
    struct { u32 nElem, nPair; } c;   /* ARRAY */
  } u;
};

/* A block of the tree's own memory for slices. */
typedef struct KvBlock KvBlock;

typedef struct KvTree KvTree;
struct KvTree {
  KvNode *aNode;          /* The nodes; aNode[0] is the root */
  u32 nNode, nAlloc;      /* In use, available */
  u32 nRef;               /* REF nodes among them */
  KvBlock *pBlock;        /* Memory for slices, newest block first */
};

/* Start with an empty tree (no allocation). */
void kvTreeInit(KvTree *p);
/* Drop the content, but keep memory (unless huge) for the next use. */
void kvTreeReset(KvTree *p);
/* Free everything; the tree is then as after kvTreeInit(). */
void kvTreeClear(KvTree *p);

/* Make room for one more node.  KV_OK, KV_NOMEM or KV_TOOBIG. */
int kvTreeGrow(KvTree *p);

/*
** Append a node of kind eKind, all else zero, not linked to any other yet.
** Returns its index, or KV_NO_NODE when memory ran out.  May move aNode.
*/
#define KV_NO_NODE 0xffffffffu
static inline u32 kvTreeAdd(KvTree *p, u8 eKind){
  if( KV_TEST_FAULT ) return KV_NO_NODE;
  if( p->nNode>=p->nAlloc && kvTreeGrow(p)!=KV_OK ) return KV_NO_NODE;
  memset(&p->aNode[p->nNode], 0, sizeof(KvNode));
  p->aNode[p->nNode].eKind = eKind;
  return p->nNode++;
}

/* n bytes (n may be 0) that live as long as the tree's content.  0: no memory. */
u8 *kvTreeSpace(KvTree *p, u64 n);
/* The same with the content of a buffer, which is cleared.  p 0: no memory. */
KvBytes kvTreeKeep(KvTree *p, KvBuf *pBuf);
/* Make a BIGINT of node i, but for its links.  KV_OK or KV_NOMEM. */
int kvTreeBigint(KvTree *p, u32 i, u64 v, int bNeg);
/* The same of a NUMBER, which is whole and exact; else KV_SYNTAX. */
int kvTreeInteger(KvTree *p, u32 i);
/* The same of the digits of a number of a base (see kvBigParse()). */
int kvTreeDigits(KvTree *p, u32 i, KvBytes digits, int iBase, int bNeg);
/* The same of a STRING of decimal digits, perhaps with a minus.  KV_SYNTAX: it is
** none, and stays. */
int kvTreeDecimal(KvTree *p, u32 i);
/* Make node i a STRING of WTF-8, which is copied.  KV_OK or KV_NOMEM. */
int kvTreeText(KvTree *p, u32 i, KvBytes text);
/* The lowest 64 bits of a BIGINT's magnitude. */
u64 kvNodeU64(const KvNode *p);
/* Make a U64 of a BIGINT.  False: it is not from 0 to 2^64-1, and stays. */
int kvNodeToU64(KvNode *p);

/* Make a node another kind, all else zero.  Its sibling and child stay. */
static inline KvNode *kvNodeBecome(KvNode *p, u8 eKind){
  p->eKind = eKind;
  p->eSub = p->mFlags = p->eSpare = 0;
  p->n = 0;
  p->u.u = 0;
  return p;
}

/* The content of a STRING, BIGINT or BUFFER. */
static inline KvBytes kvNodeBytes(const KvNode *p){
  return kvBytes(p->u.p, p->n);
}

/* Follow a REF: the index of the node that iNode stands for. */
static inline u32 kvDeref(const KvTree *p, u32 iNode){
  return p->aNode[iNode].eKind==KV_REF ? p->aNode[iNode].n : iNode;
}

/*
** Call this once the tree is complete if duplicates were dropped from it: a
** REF whose target was dropped becomes the target, and nRef and KVN_SHARED
** count only what is left.  KV_OK or KV_NOMEM.
*/
int kvTreePrune(KvTree *p);

/*
** Step to the node after i in a walk of the whole tree: the first child, else
** the next sibling of it or of its nearest ancestor that has one.  aUp[], with
** room for nNode of them, holds the *pnUp ancestors.  Returns 0 at the end.
*/
u32 kvTreeWalk(const KvTree *p, u32 i, u32 *aUp, u32 *pnUp);

#endif /* KV_VALUE_H */
