/*
** index_migrate.h -- the declared indexes of a file of an older version.
*/
#ifndef KV_INDEX_MIGRATE_H
#define KV_INDEX_MIGRATE_H

#include "store/statement.h"

/* Has the file the tables of an older version?  (After kvSchemaKnow().) */
int kvIndexOld(const KvStore *p);

/*
** Give it those of this version, if it has the older ones: inside of a write.  The old rows
** go.  Their table, which can't be dropped while statements run, gets another name: so a
** program of that version has an error in its place, and changes no indexes that it does
** not understand.
*/
void kvIndexMigrate(KvStore *p);

#endif /* KV_INDEX_MIGRATE_H */
