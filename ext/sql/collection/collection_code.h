/*
** collection_code.h -- a plan as the text that xBestIndex leaves to xFilter.
**
**   idxStr := words 0 number*
**   number := byte* byte       seven bits each, the highest first; 0x80 is set but in the last
**
** EXPLAIN QUERY PLAN shows the words, up to their end.  The numbers after it are the plan:
** SQLite passes the pointer itself to xFilter.
*/
#ifndef KV_COLLECTION_CODE_H
#define KV_COLLECTION_CODE_H

#include "sql/collection/collection_draft.h"

/* From sqlite3_malloc(); 0: out of memory. */
char *kvCollectionCode(const KvCollection *pTab, const KvCollectionDraft *p);
/* Read it; pName gets the name of the index.  False: out of memory. */
int kvCollectionDecode(const char *z, KvCollectionPlan *p, KvBuf *pName);

#endif /* KV_COLLECTION_CODE_H */
