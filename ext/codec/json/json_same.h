/*
** json_same.h -- whether two parts of JSON texts are the same.
*/
#ifndef KV_JSON_SAME_H
#define KV_JSON_SAME_H

#include "codec/value.h"

/*
** A tree made by kvJsonParse() or kvJsonParseDigits(), in which the parts of a
** node have indices above the node's: those of node i are in i+1..aEnd[i]-1.
** aHash[i] is a hash of all of it.  Nodes may be added to the tree later, and a
** node be changed once it isn't compared any more.
*/
typedef struct KvJsonIndex KvJsonIndex;
struct KvJsonIndex {
  const KvTree *pTree;
  u64 *aHash;
  u32 *aEnd;
};

/* Build it; the tree is the caller's.  KV_OK or KV_NOMEM. */
int kvJsonIndex(KvJsonIndex *p, const KvTree *pTree);
void kvJsonIndexClear(KvJsonIndex *p);

/* True if two nodes hold the same JSON, keys in the same order. */
int kvJsonSame(const KvJsonIndex *pA, u32 iA, const KvJsonIndex *pB, u32 iB);

#endif /* KV_JSON_SAME_H */
