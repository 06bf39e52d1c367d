/*
** print.h -- what the printers of JS text, JSON text and entries share.
*/
#ifndef KV_PRINT_H
#define KV_PRINT_H

#include "codec/value.h"

/* Append an integer; a number as JavaScript prints it, with -0, NaN and Infinity;
** as JSON.stringify() prints it; a BIGINT without its suffix. */
void kvPrintInt(KvBuf *pOut, u64 v);
void kvPrintNumber(KvBuf *pOut, double r);
void kvPrintJsonNumber(KvBuf *pOut, double r);
void kvPrintBigint(KvBuf *pOut, const KvNode *pNode);

/* Append the ISO text of a time in double quotes. */
void kvPrintDate(KvBuf *pOut, double r);

/* Append bytes as a list: [1,2,3] */
void kvPrintBytes(KvBuf *pOut, KvBytes b);

/* Append a STRING node as a quoted JSON string. */
void kvPrintString(KvBuf *pOut, const KvNode *pNode);

/* The same of an index. */
void kvPrintIndex(KvBuf *pOut, u32 i);
/* The key of an OBJECT's pair. */
static inline void kvPrintKey(KvBuf *pOut, const KvNode *pKey){
  if( pKey->eKind==KV_STRING ) kvPrintString(pOut, pKey);
  else kvPrintIndex(pOut, (u32)pKey->u.r);
}

/* Append /source/flags of a REGEXP; the source as WTF-8, without quotes. */
void kvPrintRegexp(KvBuf *pOut, const KvTree *p, const KvNode *pNode);

/* The number of elements of an ARRAY that aren't holes; *pnPair of them are pairs. */
u32 kvPresentElements(const KvTree *p, const KvNode *pArr, u32 *pnPair);

/*
** The next element of an ARRAY or SET: its node, 0 for a hole, or KV_NO_NODE at
** the end.  *piNext is at first the owner's iChild, and *pk, at first 0, counts.
*/
static inline u32 kvNextElement(const KvTree *p, u32 iOwner, u32 *piNext, u32 *pk){
  const KvNode *pOwner = &p->aNode[iOwner];
  u32 i = *piNext, k = *pk;
  if( k>=pOwner->n ) return KV_NO_NODE;
  *pk = k+1;
  if( k<(pOwner->eKind==KV_ARRAY ? pOwner->u.c.nElem : pOwner->n) ){
    *piNext = p->aNode[i].iNext;
    return p->aNode[i].eKind==KV_HOLE ? 0 : i;
  }
  if( i==0 || p->aNode[i].eKind!=KV_NUMBER || p->aNode[i].u.r!=(double)k ) return 0;
  i = p->aNode[i].iNext;
  *piNext = p->aNode[i].iNext;
  return i;
}
/* The same of an ARRAY without its holes.  *pk is the element's index plus one. */
u32 kvNextPresent(const KvTree *p, u32 iOwner, u32 *piNext, u32 *pk);

#endif /* KV_PRINT_H */
