/*
** collection_search.h -- MATCH on a collection.
**
** The columns declared FULLTEXT have one full-text index (store/search.h).  MATCH on the
** table searches all of them, MATCH on one of them that column; several MATCH are combined
** with AND.  What a query is FTS5 says.
*/
#ifndef KV_COLLECTION_SEARCH_H
#define KV_COLLECTION_SEARCH_H

#include "sql/collection/collection_draft.h"
#include "store/index/def.h"

/* Does an index hold the texts of the FULLTEXT columns, and of nothing else, with the
** tokenizer that is declared?  The first that does, by name; 0: none. */
int kvCollectionIsText(const KvCollection *p, const KvIndexDef *pDef);
const KvIndexDef *kvCollectionText(const KvCollection *p);

/* A plan by that index, if there is a MATCH; false: there is none.  *prc is an error, or
** SQLITE_CONSTRAINT if a MATCH can't be evaluated in this order of the tables. */
int kvCollectionPlanSearch(
  KvCollectionDraft *pDraft, KvCollection *pTab, sqlite3_index_info *pInfo, int *prc
);

/* The query of FTS5 that the arguments are, terminated.  False: it finds nothing. */
int kvCollectionQuery(
  const KvCollection *pTab, const KvCollectionPlan *pPlan, sqlite3_value **apArg, KvBuf *pOut
);

#endif /* KV_COLLECTION_SEARCH_H */
