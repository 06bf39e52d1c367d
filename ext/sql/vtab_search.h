/*
** vtab_search.h -- the table-valued function kv_search(name, query).
*/
#ifndef KV_VTAB_SEARCH_H
#define KV_VTAB_SEARCH_H

#include "sql/vtab.h"
#include "store/search_scan.h"

extern const KvVtabDef kvSearchTable;

/* Append what FTS5 takes as a rank of bm25 with weights, from what a user gives for them:
** numbers with commas or spaces between, maybe in [].  False: they are none. */
int kvSearchWeights(const char *zWeights, KvBuf *pOut);

/* Tokens that a snippet has unless it is said. */
#define KVSEARCH_TOKENS 16

/* Result: the texts of all columns of the current row, a line each, with marks around
** what matches.  pText is work space. */
void kvSearchHighlight(sqlite3_context *ctx, const KvSearch *p, KvBuf *pText);

#endif /* KV_VTAB_SEARCH_H */
