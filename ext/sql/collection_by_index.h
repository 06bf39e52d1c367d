/*
** collection_by_index.h -- a query on a collection, by a declared index.
**
** The paths of the index are those of columns.  Conditions of equality on the first ones
** and others on the next one are looked for in it.  It has no entry where one of its
** values is missing, so there is a condition on each that no NULL meets; and those of the
** query imply that of a partial index:
**
**   where $.path             any condition on the column that no NULL meets
**   where $.path = "text"    column = 'text', a literal
**
** The latter only of a string that nothing else is shown as: no number, Date or RegExp.
** (A column shows 1, 1n and true as the same.)
*/
#ifndef KV_COLLECTION_BY_INDEX_H
#define KV_COLLECTION_BY_INDEX_H

#include "sql/collection_draft.h"
#include "store/index_def.h"

/* Any plan by an index that is better than the best so far.  Returns the store's error. */
int kvCollectionByIndex(KvCollectionDraft *pBest, KvCollection *pTab, sqlite3_index_info *pInfo);
/* What tells a declaration from others: KvCollectionPlan.iIndex. */
i64 kvCollectionIndexHash(const KvIndexDef *p);

#endif /* KV_COLLECTION_BY_INDEX_H */
