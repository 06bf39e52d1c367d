/*
#include "codec/view.h"
** value.h -- a JavaScript value in memory: the tree between the formats.
#include "codec/view.h"
**
#include "codec/view.h"
** Every reader (stored bytes, JS text, JSON text) builds a KvTree and every
#include "codec/view.h"
** writer or printer walks one, so that there is one meaning of each value.
#include "codec/view.h"
** The tree is an array of nodes of fixed size, linked by index: aNode[0] is
#include "codec/view.h"
** the root, iChild is a node's first child and iNext its next sibling (0:
#include "codec/view.h"
** none; the root is never anybody's child).  Nothing in it is recursive, and
#include "codec/view.h"
** a reader spends at least one byte of input on a node.
#include "codec/view.h"
**
#include "codec/view.h"
** Strings, digits and buffer contents are slices: they point into the input,
#include "codec/view.h"
** which must outlive the tree, or into memory of the tree itself.
#include "codec/view.h"
**
#include "codec/view.h"
**   kind           n                 u                  children
#include "codec/view.h"
**   -------------  ----------------  -----------------  ----------------------
#include "codec/view.h"
**   UNDEFINED NULL -                 -                  -
#include "codec/view.h"
**   HOLE           -                 -                  - (only in an ARRAY)
#include "codec/view.h"
**   BOOL           0 or 1            -                  -
#include "codec/view.h"
**   NUMBER         -                 r                  -
#include "codec/view.h"
**   BIGINT         magnitude bytes   p magnitude (LE)   - (eSub: 1 = negative)
#include "codec/view.h"
**   STRING         bytes             p                  - (eSub: KV_LATIN1 ...)
#include "codec/view.h"
**   OBJECT         pairs             -                  key, value, ...
#include "codec/view.h"
**   ARRAY          length            c.nElem, c.nPair   elements, key, value ..
#include "codec/view.h"
**   MAP            pairs             -                  key, value, ...
#include "codec/view.h"
**   SET            elements          -                  elements
#include "codec/view.h"
**   DATE           -                 r (ms or NaN)      -
#include "codec/view.h"
**   REGEXP         flags (V8 bits)   -                  STRING source
#include "codec/view.h"
**   ERROR          KV_ERR_xxx parts  -                  message, stack, cause
#include "codec/view.h"
**   BOXED          -                 -                  BOOL/NUMBER/BIGINT/STRING
#include "codec/view.h"
**   BUFFER         bytes             p                  - (eSub: KV_BUF_xxx), for
#include "codec/view.h"
**                                                       KV_BUF_RESIZABLE a NUMBER
#include "codec/view.h"
**                                                       child: maxByteLength
#include "codec/view.h"
**   VIEW           byte length       iOffset            BUFFER or REF to one
#include "codec/view.h"
**                                                       (eSub: KV_VIEW_xxx)
#include "codec/view.h"
**   REF            target node       -                  -
#include "codec/view.h"
**   HOST           -                 -                  payload (eSub: KV_HOST_xxx)
#include "codec/view.h"
**   U64            -                 u64                - (KvU64; root only)
#include "codec/view.h"
**
#include "codec/view.h"
** OBJECT keys are STRING nodes or, for array indices, NUMBER nodes (an
#include "codec/view.h"
** integer in 0 .. 2^32-2).  They are unique and in JavaScript's order: the
#include "codec/view.h"
** indices first, ascending, then the strings as they were inserted.
#include "codec/view.h"
** ARRAY: the first c.nElem elements (holes among them), then c.nPair pairs of
#include "codec/view.h"
** the remaining indices (NUMBER, ascending) and of other properties (STRING).
#include "codec/view.h"
** A REF stands for its target: the second and every later occurrence of a
#include "codec/view.h"
** shared object, or one of its own ancestors (a cycle).  Its target carries
#include "codec/view.h"
** KVN_SHARED, is never itself a REF and has a kind that KV_IS_OBJECT().
#include "codec/view.h"
** Because of JavaScript's key order a REF may come before its target in the
#include "codec/view.h"
** walk: then the target is meant to be written at the REF, and a reference
#include "codec/view.h"
** at the place of the target.
#include "codec/view.h"
*/
#include "codec/view.h"
#ifndef KV_VALUE_H
#include "codec/view.h"
#define KV_VALUE_H
#include "codec/view.h"

#include "codec/view.h"
#include "bytes/bytes.h"
#include "codec/view.h"
#include "bytes/utf.h"
#include "codec/view.h"

#include "codec/view.h"
enum {
#include "codec/view.h"
  KV_UNDEFINED = 1, KV_NULL, KV_HOLE, KV_BOOL, KV_NUMBER, KV_BIGINT, KV_STRING,
#include "codec/view.h"
  KV_OBJECT, KV_ARRAY, KV_MAP, KV_SET, KV_DATE, KV_REGEXP, KV_ERROR, KV_BOXED,
#include "codec/view.h"
  KV_BUFFER, KV_VIEW, KV_HOST,
#include "codec/view.h"
  KV_REF, KV_U64
#include "codec/view.h"
};
#include "codec/view.h"
/* Kinds that have an identity (and an object id in V8's format). */
#include "codec/view.h"
#define KV_IS_OBJECT(E) ((E)>=KV_OBJECT && (E)<=KV_HOST)
#include "codec/view.h"

#include "codec/view.h"
/* KvNode.mFlags */
#include "codec/view.h"
#define KVN_SHARED  0x01  /* A REF node points here */
#include "codec/view.h"
#define KVN_SPARSE  0x02  /* ARRAY: was stored in the sparse form */
#include "codec/view.h"
#define KVN_TRACK   0x04  /* VIEW: follows the length of its resizable buffer */
#include "codec/view.h"
#define KVN_ASCII   0x08  /* STRING: known to be ASCII without need of escapes */
#include "codec/view.h"
#define KVN_MARK    0x80  /* For the walker's own use; clear between walks */
#include "codec/view.h"

#include "codec/view.h"
/* BUFFER.eSub */
#include "codec/view.h"
#define KV_BUF_FIXED      0
#include "codec/view.h"
#define KV_BUF_RESIZABLE  1
#include "codec/view.h"
#define KV_BUF_IMMUTABLE  2
#include "codec/view.h"

#include "codec/view.h"
/* ERROR.eSub: the constructor */
#include "codec/view.h"
enum {
#include "codec/view.h"
  KV_ERR_ERROR, KV_ERR_EVAL, KV_ERR_RANGE, KV_ERR_REFERENCE, KV_ERR_SYNTAX,
#include "codec/view.h"
  KV_ERR_TYPE, KV_ERR_URI, KV_ERR_COUNT
#include "codec/view.h"
};
#include "codec/view.h"
/* ERROR.n: which children there are, in this order */
#include "codec/view.h"
#define KV_ERR_MESSAGE  1
#include "codec/view.h"
#define KV_ERR_STACK    2
#include "codec/view.h"
#define KV_ERR_CAUSE    4
#include "codec/view.h"

#include "codec/view.h"
/* HOST.eSub: KV_HOST_DENO has one child, the payload (a plain object with a
#include "codec/view.h"
** "type").  (Node's views are read as VIEW and BUFFER, not as HOST.) */
#include "codec/view.h"
#define KV_HOST_DENO  0
#include "codec/view.h"

#include "codec/view.h"
/* REGEXP.n: V8's flag bits; the order of the letters in text is "dgimsuvy" */
#include "codec/view.h"
#define KV_RE_G 0x001
#include "codec/view.h"
#define KV_RE_I 0x002
#include "codec/view.h"
#define KV_RE_M 0x004
#include "codec/view.h"
#define KV_RE_Y 0x008
#include "codec/view.h"
#define KV_RE_U 0x010
#include "codec/view.h"
#define KV_RE_S 0x020
#include "codec/view.h"
#define KV_RE_D 0x080
#include "codec/view.h"
#define KV_RE_V 0x100
#include "codec/view.h"

#include "codec/view.h"
typedef struct KvNode KvNode;
#include "codec/view.h"
struct KvNode {
#include "codec/view.h"
  u8 eKind;               /* KV_UNDEFINED ... KV_U64 */
#include "codec/view.h"
  u8 eSub;                /* See above */
#include "codec/view.h"
  u8 mFlags;              /* KVN_xxx */
#include "codec/view.h"
  u8 eSpare;
#include "codec/view.h"
  u32 iNext;              /* Next sibling, or 0 */
#include "codec/view.h"
  u32 iChild;             /* First child, or 0 */
#include "codec/view.h"
  u32 n;                  /* See above */
#include "codec/view.h"
  union {
#include "codec/view.h"
    const u8 *p;          /* Content of STRING, BIGINT, BUFFER */
#include "codec/view.h"
    double r;             /* NUMBER, DATE */
#include "codec/view.h"
    u64 u;                /* U64 */
#include "codec/view.h"
    u32 iOffset;          /* VIEW: byte offset into the buffer */
#include "codec/view.h"
    struct { u32 nElem, nPair; } c;   /* ARRAY */
#include "codec/view.h"
  } u;
#include "codec/view.h"
};
#include "codec/view.h"

#include "codec/view.h"
/* A block of the tree's own memory for slices. */
#include "codec/view.h"
typedef struct KvBlock KvBlock;
#include "codec/view.h"

#include "codec/view.h"
typedef struct KvTree KvTree;
#include "codec/view.h"
struct KvTree {
#include "codec/view.h"
  KvNode *aNode;          /* The nodes; aNode[0] is the root */
#include "codec/view.h"
  u32 nNode, nAlloc;      /* In use, available */
#include "codec/view.h"
  u32 nRef;               /* REF nodes among them */
#include "codec/view.h"
  KvBlock *pBlock;        /* Memory for slices, newest block first */
#include "codec/view.h"
};
#include "codec/view.h"

#include "codec/view.h"
/* Start with an empty tree (no allocation). */
#include "codec/view.h"
void kvTreeInit(KvTree *p);
#include "codec/view.h"
/* Forget the content, keep memory for the next use (but nothing huge). */
#include "codec/view.h"
void kvTreeReset(KvTree *p);
#include "codec/view.h"
/* Free everything; the tree is then as after kvTreeInit(). */
#include "codec/view.h"
void kvTreeClear(KvTree *p);
#include "codec/view.h"

#include "codec/view.h"
/* Make room for one more node.  KV_OK, KV_NOMEM or KV_TOOBIG. */
#include "codec/view.h"
int kvTreeGrow(KvTree *p);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Append a node of kind eKind, all else zero, not linked to any other yet.
#include "codec/view.h"
** Returns its index, or KV_NO_NODE when memory ran out.  May move aNode.
#include "codec/view.h"
*/
#include "codec/view.h"
#define KV_NO_NODE 0xffffffffu
#include "codec/view.h"
static inline u32 kvTreeAdd(KvTree *p, u8 eKind){
#include "codec/view.h"
  if( KV_TEST_FAULT ) return KV_NO_NODE;
#include "codec/view.h"
  if( p->nNode>=p->nAlloc && kvTreeGrow(p)!=KV_OK ) return KV_NO_NODE;
#include "codec/view.h"
  memset(&p->aNode[p->nNode], 0, sizeof(KvNode));
#include "codec/view.h"
  p->aNode[p->nNode].eKind = eKind;
#include "codec/view.h"
  return p->nNode++;
#include "codec/view.h"
}
#include "codec/view.h"

#include "codec/view.h"
/* n bytes (n may be 0) that live as long as the tree's content.  0: no memory. */
#include "codec/view.h"
u8 *kvTreeSpace(KvTree *p, u64 n);
#include "codec/view.h"

#include "codec/view.h"
/* "Error", "TypeError" ... for ERROR.eSub. */
#include "codec/view.h"
const char *kvErrorName(int eSub);
#include "codec/view.h"
/* The letters of REGEXP.n into z (9 bytes, terminated). */
#include "codec/view.h"
void kvRegexpFlags(u32 mFlags, char *z);
#include "codec/view.h"

#include "codec/view.h"
/* The content of a STRING, BIGINT or BUFFER. */
#include "codec/view.h"
static inline KvBytes kvNodeBytes(const KvNode *p){
#include "codec/view.h"
  return kvBytes(p->u.p, p->n);
#include "codec/view.h"
}
#include "codec/view.h"

#include "codec/view.h"
/* Follow a REF: the index of the node that iNode stands for. */
#include "codec/view.h"
static inline u32 kvDeref(const KvTree *p, u32 iNode){
#include "codec/view.h"
  return p->aNode[iNode].eKind==KV_REF ? p->aNode[iNode].n : iNode;
#include "codec/view.h"
}
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Bring the pairs of an OBJECT, or the pairs of an ARRAY after its elements,
#include "codec/view.h"
** into JavaScript's order.  The children from *piFirst on are nPair linked
#include "codec/view.h"
** pairs, keys STRING or NUMBER, in the order of the source.  String keys
#include "codec/view.h"
** that are array indices become NUMBER keys, and *piFirst and the links are
#include "codec/view.h"
** changed as needed.  *pnPair is the number of pairs.  Of equal keys,
#include "codec/view.h"
**   bLast != 0: the first stays where it is and takes the last one's value
#include "codec/view.h"
**               (as an object literal does); *pnPair is lowered;
#include "codec/view.h"
**   bLast == 0: KV_CORRUPT is returned (as V8's reader does).
#include "codec/view.h"
** Takes time O(n log n).  KV_OK, KV_NOMEM or KV_CORRUPT.
#include "codec/view.h"
*/
#include "codec/view.h"
int kvTreeOrderPairs(KvTree *p, u32 *piFirst, u32 *pnPair, int bLast);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Remove equal keys of a MAP (nStep 2) or equal elements of a SET (nStep 1):
#include "codec/view.h"
** *pnKey of them, linked from *piFirst on; both are changed as needed.  Equal
#include "codec/view.h"
** is SameValueZero; of equal ones the first stays where it is and, in a MAP,
#include "codec/view.h"
** takes the last one's value.  A key or element -0 becomes 0.  Takes time
#include "codec/view.h"
** O(n log n).  KV_OK or KV_NOMEM.
#include "codec/view.h"
*/
#include "codec/view.h"
int kvTreeUniqueKeys(KvTree *p, u32 *piFirst, u32 *pnKey, int nStep);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Call this once the tree is complete if duplicates were dropped from it: a
#include "codec/view.h"
** REF whose target was dropped becomes the target, and nRef and KVN_SHARED
#include "codec/view.h"
** count only what is left.  KV_OK or KV_NOMEM.
#include "codec/view.h"
*/
#include "codec/view.h"
int kvTreePrune(KvTree *p);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Step to the node after i in a walk of the whole tree: the first child, else
#include "codec/view.h"
** the next sibling of it or of its nearest ancestor that has one.  aUp[], with
#include "codec/view.h"
** room for nNode of them, holds the *pnUp ancestors.  Returns 0 at the end.
#include "codec/view.h"
*/
#include "codec/view.h"
u32 kvTreeWalk(const KvTree *p, u32 i, u32 *aUp, u32 *pnUp);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** The array index that a property key spells ("0" to "4294967294", canonical
#include "codec/view.h"
** decimal), or -1.
#include "codec/view.h"
*/
#include "codec/view.h"
i64 kvArrayIndex(KvBytes text);
#include "codec/view.h"

#include "codec/view.h"
/* True if two STRING nodes hold the same JavaScript string. */
#include "codec/view.h"
int kvStringEqual(const KvNode *pA, const KvNode *pB);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** How deep the value may nest when it is stored.  Deno reads recursively and
#include "codec/view.h"
** has only so much stack; an OBJECT, HOST, ARRAY, MAP, SET or ERROR costs a share
#include "codec/view.h"
** of it (the depths that Deno 2.9.6 was seen to read and write, less a margin).
#include "codec/view.h"
*/
#include "codec/view.h"
#define KV_DEPTH_BUDGET 60000
#include "codec/view.h"
int kvDepthCost(int eKind, int bSparse);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Read a stored value: eEncoding is Deno's v_encoding (1 V8, 2 KvU64,
#include "codec/view.h"
** 3 bytes).  The slices point into the value.
#include "codec/view.h"
*/
#include "codec/view.h"
int kvValueRead(KvTree *p, int eEncoding, KvBytes value, KvErr *pErr);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Write the tree's root as Deno stores it.  *peEncoding receives 1, 2 or 3 and
#include "codec/view.h"
** pOut the bytes.  iVersion (13 to 16; 15 or 16 for what is to be stored) goes
#include "codec/view.h"
** into the header of encoding 1.  With bV8Only the encoding is always 1 (queue
#include "codec/view.h"
** messages).  KV_REFUSED for what would make Deno fail: host objects,
#include "codec/view.h"
** nesting beyond KV_DEPTH_BUDGET.
#include "codec/view.h"
*/
#include "codec/view.h"
int kvValueWrite(
#include "codec/view.h"
  KvTree *p, int iVersion, int bV8Only,
#include "codec/view.h"
  KvBuf *pOut, int *peEncoding, KvErr *pErr
#include "codec/view.h"
);
#include "codec/view.h"

#include "codec/view.h"
/*
#include "codec/view.h"
** Name of a node's type as the column "type" shows it: undefined null boolean
#include "codec/view.h"
** number bigint string Object Array Map Set Date RegExp KvU64 Uint8Array (and
#include "codec/view.h"
** the other views) ArrayBuffer, Error TypeError ..., Boolean Number String
#include "codec/view.h"
** BigInt for boxed primitives, for a host object its own "type" or else
#include "codec/view.h"
** "HostObject".  zBuf has room for 64 bytes and is used where the name is
#include "codec/view.h"
** not a constant.
#include "codec/view.h"
*/
#include "codec/view.h"
const char *kvTypeName(const KvTree *p, u32 iNode, char *zBuf);
#include "codec/view.h"

#include "codec/view.h"
#endif /* KV_VALUE_H */
#include "codec/view.h"
