/*
** vtab_search.h -- the table-valued function kv_search(name, query).
*/
#ifndef KV_VTAB_SEARCH_H
#define KV_VTAB_SEARCH_H

#include "sql/vtab.h"

extern const KvVtabDef kvSearchTable;

/* Append what FTS5 takes as a rank of bm25 with weights, from what a user gives for them:
** numbers with commas or spaces between, maybe in [].  False: they are none. */
int kvSearchWeights(const char *zWeights, KvBuf *pOut);

#endif /* KV_VTAB_SEARCH_H */
