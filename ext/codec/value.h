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
**   U64            -                 u64                - (KvU64; root only)
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
/* Forget the content, keep memory for the next use (but nothing huge). */
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

/* "Error", "TypeError" ... for ERROR.eSub. */
const char *kvErrorName(int eSub);
/* The letters of REGEXP.n into z (9 bytes, terminated). */
void kvRegexpFlags(u32 mFlags, char *z);

/* The content of a STRING, BIGINT or BUFFER. */
static inline KvBytes kvNodeBytes(const KvNode *p){
  return kvBytes(p->u.p, p->n);
}

/* Follow a REF: the index of the node that iNode stands for. */
static inline u32 kvDeref(const KvTree *p, u32 iNode){
  return p->aNode[iNode].eKind==KV_REF ? p->aNode[iNode].n : iNode;
}

/*
** Bring the pairs of an OBJECT, or the pairs of an ARRAY after its elements,
** into JavaScript's order.  The children from *piFirst on are nPair linked
** pairs, keys STRING or NUMBER, in the order of the source.  String keys
** that are array indices become NUMBER keys, and *piFirst and the links are
** changed as needed.  *pnPair is the number of pairs.  Of equal keys,
**   bLast != 0: the first stays where it is and takes the last one's value
**               (as an object literal does); *pnPair is lowered;
**   bLast == 0: KV_CORRUPT is returned (as V8's reader does).
** Takes time O(n log n).  KV_OK, KV_NOMEM or KV_CORRUPT.
*/
int kvTreeOrderPairs(KvTree *p, u32 *piFirst, u32 *pnPair, int bLast);

/*
** Remove equal keys of a MAP (nStep 2) or equal elements of a SET (nStep 1):
** *pnKey of them, linked from *piFirst on; both are changed as needed.  Equal
** is SameValueZero; of equal ones the first stays where it is and, in a MAP,
** takes the last one's value.  A key or element -0 becomes 0.  Takes time
** O(n log n).  KV_OK or KV_NOMEM.
*/
int kvTreeUniqueKeys(KvTree *p, u32 *piFirst, u32 *pnKey, int nStep);

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

/*
** The array index that a property key spells ("0" to "4294967294", canonical
** decimal), or -1.
*/
i64 kvArrayIndex(KvBytes text);

/* True if two STRING nodes hold the same JavaScript string. */
int kvStringEqual(const KvNode *pA, const KvNode *pB);

/*
** How deep the value may nest when it is stored.  Deno reads recursively and
** has only so much stack; an OBJECT, HOST, ARRAY, MAP, SET or ERROR costs a share
** of it (the depths that Deno 2.9.6 was seen to read and write, less a margin).
*/
#define KV_DEPTH_BUDGET 60000
int kvDepthCost(int eKind, int bSparse);

/*
** Read a stored value: eEncoding is Deno's v_encoding (1 V8, 2 KvU64,
** 3 bytes).  The slices point into the value.
*/
int kvValueRead(KvTree *p, int eEncoding, KvBytes value, KvErr *pErr);

/*
** Write the tree's root as Deno stores it.  *peEncoding receives 1, 2 or 3 and
** pOut the bytes.  iVersion (13 to 16; 15 or 16 for what is to be stored) goes
** into the header of encoding 1.  With bV8Only the encoding is always 1 (queue
** messages).  KV_REFUSED for what would make Deno fail: host objects,
** nesting beyond KV_DEPTH_BUDGET.
*/
int kvValueWrite(
  KvTree *p, int iVersion, int bV8Only,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
);

/*
** Name of a node's type as the column "type" shows it: undefined null boolean
** number bigint string Object Array Map Set Date RegExp KvU64 Uint8Array (and
** the other views) ArrayBuffer, Error TypeError ..., Boolean Number String
** BigInt for boxed primitives, for a host object its own "type" or else
** "HostObject".  zBuf has room for 64 bytes and is used where the name is
** not a constant.
*/
const char *kvTypeName(const KvTree *p, u32 iNode, char *zBuf);

#endif /* KV_VALUE_H */
