/*
** collection_by_index.h -- queries on a collection by a declared index.
**
** The paths of the index are those of columns.  The index answers equalities on its
** first columns and other conditions on the next one.  It has no entry if one of
** its values is missing, so the query must have a condition on each that excludes
** NULL; and for a partial index, one that implies the index's:
**
**   where $.path             any condition on the column that no NULL meets
**   where $.path = "text"    column = 'text', a literal
**
** The latter only for a string that no number, Date or RegExp is shown as.  (A
** column shows 1, 1n and true alike.)
*/
#ifndef KV_COLLECTION_BY_INDEX_H
#define KV_COLLECTION_BY_INDEX_H

#include "sql/collection_draft.h"
#include "store/index/def.h"

/* Add the plans by an index that are better than the best so far.  Returns the
** store's error. */
int kvCollectionByIndex(KvCollectionDraft *pBest, KvCollection *pTab, sqlite3_index_info *pInfo);
/* Identifies a declaration: KvCollectionPlan.iIndex. */
i64 kvCollectionIndexHash(const KvIndexDef *p);

#endif /* KV_COLLECTION_BY_INDEX_H */
