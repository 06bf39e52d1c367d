/*
** collection_path.h -- a way to the rows of a collection: by an index, or by the primary key.
**
** The primary key is an index, too, whose columns are all that its keys have.  The key of
** an index entry has the values of the index and, unless it is unique, the KEY columns after
** them; so its entries are in the order of all of these.
**
** The paths of an index are those of columns.  A row that lacks one of its values, or has one
** that is no key part there, isn't in it.  So the query must exclude such rows, or there must
** be none: KvIndexDef.mKind; a plan says what it relies on (KvCollectionPlan.mNot).  For a
** partial index a condition must imply the index's:
**
**   where $.path             any condition on the column that no NULL meets
**   where $.path = "text"    column = 'text', a literal
**
** The latter only for a string that no number, Date or RegExp is shown as.  (A
** column shows 1, 1n and true alike.)
*/
#ifndef KV_COLLECTION_PATH_H
#define KV_COLLECTION_PATH_H

#include "sql/collection/collection_draft.h"
#include "store/index/def.h"

/* The plan by an index, or by the primary key (pDef 0).  False: there is none by this index.
** Costs are of what kvCollectionMeasure() has found. */
int kvCollectionPath(
  KvCollectionDraft *pDraft, KvCollection *pTab, sqlite3_index_info *pInfo, const KvIndexDef *pDef
);
/* Identifies a declaration: KvCollectionPlan.iIndex. */
u32 kvCollectionIndexHash(const KvIndexDef *p);
/* Do the keys of an index determine what a column shows whose path is its path iPath?  mKind:
** KVKIND_xxx. */
int kvCollectionTells(const KvCollectionColumn *pCol, int bLower, u32 mKind, u32 iPath);

#endif /* KV_COLLECTION_PATH_H */
