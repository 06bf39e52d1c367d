/*
** index_changes.h -- the changes that the declared indexes have not seen.
*/
#ifndef KV_INDEX_CHANGES_H
#define KV_INDEX_CHANGES_H

#include "store/feed.h"
#include "store/index_def.h"

/* Columns of a changed primary entry.  If it is deleted, or didn't exist, only the
** key is meaningful. */
enum {
  KVCHANGE_COL_KEY, KVCHANGE_COL_VERSION, KVCHANGE_COL_EXPIRES, KVCHANGE_COL_V,
  KVCHANGE_COL_ENCODING, KVCHANGE_COL_DELETED
};

/* The callback for the changes of an index; it may get a key twice. */
typedef struct KvChanges KvChanges;
struct KvChanges {
  KvStore *pStore;
  const KvIndexDef *pDef;
  void (*xChange)(KvChanges*, KvStmt*);
};

/* Report the changes in the gap of a catch-up; those after version iAfter; those
** that a statement shows whose parameters ?2 and ?3 are bounds of keys. */
void kvChangesGap(KvChanges *p, const KvFeed *pFeed);
void kvChangesAfter(KvChanges *p, i64 iAfter);
void kvChangesOf(KvChanges *p, KvStmt *pStmt);

#endif /* KV_INDEX_CHANGES_H */
