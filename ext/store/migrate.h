/*
** migrate.h -- making a store's tables.
*/
#ifndef KV_MIGRATE_H
#define KV_MIGRATE_H

#include "store/statement.h"

/* Make the tables of a store that has none, or bring an old Deno's up to
** date.  A store that is in order is not touched.  KV_AGAIN if there is something
** to do and nobody would undo the half of it. */
void kvMigrate(KvStore *p);

/* Which statement, KVSQL_xxx, runs what is to be done in the store's file as one
** statement.  If the file has no store the first table is made for it, empty. */
int kvMigrateRunner(KvStore *p);

#endif /* KV_MIGRATE_H */
