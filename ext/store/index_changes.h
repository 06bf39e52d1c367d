/*
** index_changes.h -- what has changed that the declared indexes have not seen.
*/
#ifndef KV_INDEX_CHANGES_H
#define KV_INDEX_CHANGES_H

#include "store/feed.h"
#include "store/index_def.h"

/* Columns of a changed primary entry.  It is deleted, or was not there: the rest but the
** key means nothing. */
enum {
  KVCHANGE_COL_KEY, KVCHANGE_COL_VERSION, KVCHANGE_COL_EXPIRES, KVCHANGE_COL_V,
  KVCHANGE_COL_ENCODING, KVCHANGE_COL_DELETED
};

/* Whoever is told of the changes that concern an index, and of one key maybe twice. */
typedef struct KvChanges KvChanges;
struct KvChanges {
  KvStore *pStore;
  const KvIndexDef *pDef;
  void (*xChange)(KvChanges*, KvStmt*);
};

/* Tell what is in the gap of a catch-up; what has a version after iAfter; what a
** statement with parameters ?2 and ?3, the bounds of keys, shows. */
void kvChangesGap(KvChanges *p, const KvFeed *pFeed);
void kvChangesAfter(KvChanges *p, i64 iAfter);
void kvChangesOf(KvChanges *p, KvStmt *pStmt);

#endif /* KV_INDEX_CHANGES_H */
