/*
** value_order.h -- the order of an object's keys, and equal keys of Maps and
** elements of Sets.
*/
#ifndef KV_VALUE_ORDER_H
#define KV_VALUE_ORDER_H

#include "codec/value.h"

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
**
** Objects are identified by their nodes, a REF being its target; or by the result
** of xIdentity for a node, a number below 2^58.
*/
int kvTreeUniqueKeys(KvTree *p, u32 *piFirst, u32 *pnKey, int nStep);
int kvTreeUniqueKeysBy(
  KvTree *p, u32 *piFirst, u32 *pnKey, int nStep,
  u64 (*xIdentity)(const void *pCtx, u32 iNode), const void *pCtx
);

/*
** Give ARRAY iArray nPair more pairs, linked from iPair on in the order of the
** source, where the children of the ARRAY so far are in order.  A pair whose key
** is the index of an element takes its place, one that follows the last element
** becomes the next, and n covers all indices.  KV_CORRUPT: there is a key
** "length"; or bLast is 0 and a key is that of something that is there.
** KV_NOMEM.  *pnStep grows by the number of elements passed.
*/
int kvTreeArrayPairs(KvTree *p, u32 iArray, u32 iPair, u32 nPair, int bLast, u64 *pnStep);

/* True if two nodes are the same but for their children, strings by their
** content. */
int kvNodeAlike(const KvNode *pA, const KvNode *pB);

#endif /* KV_VALUE_ORDER_H */
