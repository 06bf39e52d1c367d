/*
** index_in.h -- the values of an IN in SQL order, each as the key parts that equal
** it.
*/
#ifndef KV_INDEX_IN_H
#define KV_INDEX_IN_H

#include "sql/range/index_query.h"

/* All zero: empty. */
typedef struct KvIndexIn KvIndexIn;
struct KvIndexIn {
  KvList list;            /* For each value: a KvList of parts */
  KvBytes *aItem;         /* Them, sorted */
  u32 nItem, iItem;       /* iItem: the next one */
};

/* Add the parts of a query for one value; if it has none, do nothing. */
void kvIndexInAdd(KvIndexIn *p, const KvIndexQuery *pQuery);
/* All have been added. */
void kvIndexInSort(KvIndexIn *p, int bDesc, KvError *pError);
/* The list of the next value.  False at the end. */
int kvIndexInNext(KvIndexIn *p, KvBytes *pParts);
/* Forget all, and keep memory; free it. */
void kvIndexInReset(KvIndexIn *p);
void kvIndexInClear(KvIndexIn *p);

#endif /* KV_INDEX_IN_H */
