/*
** migrate.h -- creating a store's tables, and detecting other objects with the
** names that a store uses.
*/
#ifndef KV_MIGRATE_H
#define KV_MIGRATE_H

#include "store/statement.h"

/*
** What the extension itself adds to a store, by groups.  True if the first object
** of a group exists, which shows whether the others are the store's or another
** program's.  With bMake, an error if another program has one of the names; without
** it, only if the group exists.
*/
#define KVNAMES_FEED     0   /* kv_track_state, ... */
#define KVNAMES_INDEXES  1   /* kv_index_def, ... */
#define KVNAMES_QUEUE    2   /* The queue's indexes by id */
#define KVNAMES_HISTORY  3   /* kv_history_def, ... */
#define KVNAMES_SERVE    4   /* kv_serve_done: of kv-serve on a cluster */
int kvNamesGroup(KvStore *p, int eGroup, int bMake);
/* Drop what there is of a group, or its triggers alone, whatever is missing; not inside a
** statement, if there are tables.  What has another program's form is left alone. */
void kvNamesDrop(KvStore *p, int eGroup);
void kvNamesDropTriggers(KvStore *p, int eGroup);
/* For all names that a store uses, i = 0, 1, ...: an error if another program has
** the name, or if the object is missing.  False: i is past the last. */
int kvNamesCheck(KvStore *p, int i);

/* Create the tables of a store that has none, or upgrade those of an old Deno.  An
** up-to-date store is not touched.  KV_AGAIN if there is something to do, but no
** enclosing savepoint to roll it back. */
void kvMigrate(KvStore *p);

/* The statement, KVSQL_xxx, that runs work in the store's file as one statement.
** If the file has no store, its first table is created, empty. */
int kvMigrateRunner(KvStore *p);

#endif /* KV_MIGRATE_H */
