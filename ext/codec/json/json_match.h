/*
** json_match.h -- matching the elements of a new JSON text with those of the old
** one.
**
** The lower half of json_merge.c: trees of JSON text are indexed so that parts
** of them can be compared fast, and the items of two containers are matched.
*/
#ifndef KV_JSON_MATCH_H
#define KV_JSON_MATCH_H

#include "codec/value.h"

/*
** A tree made by kvJsonParse() or kvJsonParseDigits(), in which the parts of a
** node have indices above the node's: those of node i are in i+1..aEnd[i]-1.
** aHash[i] is a hash of all of it, except where a part has been changed since.
*/
typedef struct KvJsonIndex KvJsonIndex;
struct KvJsonIndex {
  const KvNode *aNode;
  u64 *aHash;
  u32 *aEnd;
};

/* Build it; the nodes are the caller's.  KV_OK or KV_NOMEM. */
int kvJsonIndex(KvJsonIndex *p, const KvNode *aNode, u32 nNode);
/* Leaf i of it has been changed. */
void kvJsonRehash(KvJsonIndex *p, u32 i);
void kvJsonIndexClear(KvJsonIndex *p);

/* True if two nodes hold the same JSON, keys in the same order. */
int kvJsonSame(const KvJsonIndex *pA, u32 iA, const KvJsonIndex *pB, u32 iB);

/*
** An item of a container: an element, or a key with its value.  iNode is the
** element or key in a tree of JSON, and iVal the value, 0 for an element.
*/
typedef struct KvItem KvItem;
struct KvItem {
  u32 iNode, iVal;
  u32 iOld, iOldVal;      /* Of a stored item: the nodes of the stored value,
                          ** KV_NO_NODE for a hole */
  u32 iGroup;             /* Items of the same JSON have the same number */
  u32 iMate;              /* 1 + index of its mate in the other list, 0: none */
  u8 bHidden;             /* The stored value has it, its JSON doesn't */
};

/* A growable list of items. */
typedef struct KvItems KvItems;
struct KvItems {
  KvItem *a;
  u32 n, nAlloc;
};
/* Append one, all zero.  0 if out of memory. */
KvItem *kvItemAdd(KvItems *p);

/* For sorting. */
typedef struct KvSortItem KvSortItem;
struct KvSortItem {
  u64 h;                  /* Hash of its JSON, which is */
  const KvJsonIndex *pIndex;
  u32 iNode;              /* ... this node of this tree */
  u32 i;                  /* Which item; the second list's follow the first's */
};

typedef struct KvMatch KvMatch;
struct KvMatch {
  KvJsonIndex shown, given;  /* The trees of the stored and the new JSON */
  KvItems stored, fresh;     /* The items of one container in either */
  KvSortItem *aSort;         /* Both of them, sorted, or none: groups are runs */
  u32 nSort, nSortAlloc;
};

/*
** Give items of the same JSON mates: first at the common head, then at the common
** tail, then, if there are as many of either, in the same position, then to what
** is left, in order.  Unless all have mates (or all new ones, and bGroups is 0)
** the items are then in aSort, in groups of the same JSON.  KV_OK or KV_NOMEM.
*/
int kvMatchItems(KvMatch *p, int bGroups);
/* Sort one list by iNode: the order of the text. */
void kvMatchTextOrder(KvItems *pList);
/* The group that begins at aSort[*pi]: how many stored items it has and, after
** them, how many new ones.  Steps *pi over it. */
void kvMatchGroup(const KvMatch *p, u32 *pi, u32 *pnStored, u32 *pnFresh);
/*
** True if the mates don't cross: then they divide what is left into segments,
** one before each of them and one at the end.
*/
int kvMatchOrdered(const KvMatch *p);
void kvMatchClear(KvMatch *p);

#endif /* KV_JSON_MATCH_H */
