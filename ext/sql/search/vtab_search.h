/*
** vtab_search.h -- the table-valued function kv_search(name, query).
*/
#ifndef KV_VTAB_SEARCH_H
#define KV_VTAB_SEARCH_H

#include "sql/vtab.h"
#include "store/search_scan.h"

extern const KvVtabDef kvSearchTable;

/* Append FTS5's rank function bm25 with the weights given by the user: numbers
** separated by commas or spaces, maybe in [].  False: not weights. */
int kvSearchWeights(const char *zWeights, KvBuf *pOut);

/* Tokens that a snippet has unless it is said. */
#define KVSEARCH_TOKENS 16

/* Result: the texts of all columns of the current row, a line each, with marks around
** what matches.  pText is work space. */
void kvSearchHighlight(sqlite3_context *ctx, const KvSearch *p, KvBuf *pText);

#endif /* KV_VTAB_SEARCH_H */
