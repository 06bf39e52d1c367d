/*
** index_migrate.h -- the declared indexes of a file of an older version.
*/
#ifndef KV_INDEX_MIGRATE_H
#define KV_INDEX_MIGRATE_H

#include "store/statement.h"

/* Does the file have the tables of an older version?  (Call it after
** kvSchemaKnow().) */
int kvIndexOld(const KvStore *p);

/*
** Replace older tables by those of this version, inside a write.  The old rows are
** deleted.  Their table, which can't be dropped while statements run, is renamed,
** so that a program of that version gets an error instead of changing indexes that
** it doesn't understand.
*/
void kvIndexMigrate(KvStore *p);

#endif /* KV_INDEX_MIGRATE_H */
