/*
** migrate.h -- making a store's tables, and whether something else has one of the
** names that a store gives.
*/
#ifndef KV_MIGRATE_H
#define KV_MIGRATE_H

#include "store/statement.h"

/*
** What the extension itself adds to a store, by groups.  True if the first of a
** group is there, which tells whether the others are the store's or another
** program's.  An error, with bMake, if another program has one of the names;
** without it, if it has one of a group that is there.
*/
#define KVNAMES_FEED     0   /* kv_track_state, ... */
#define KVNAMES_INDEXES  1   /* kv_index_def, ... */
#define KVNAMES_PENDING  2   /* kv_index_pending, and the triggers that fill it */
#define KVNAMES_QUEUE    3   /* The queue's indexes by id */
#define KVNAMES_INDEXES_OLD   4   /* kv_index_row, ... of an older version */
#define KVNAMES_INDEXES_LEFT  5   /* What such a version has left */
int kvNamesGroup(KvStore *p, int eGroup, int bMake);
/* For all names that a store gives, i = 0, 1, ...: an error if another program has one, or
** one that should be there is missing.  False: i is past the last. */
int kvNamesCheck(KvStore *p, int i);

/* Make the tables of a store that has none, or bring an old Deno's up to
** date.  A store that is in order is not touched.  KV_AGAIN if there is something
** to do and nobody would undo the half of it. */
void kvMigrate(KvStore *p);

/* Make the triggers of the feed and of the indexes anew if those that are there are of an
** older version: they know neither KVOWN_xxx nor that there may be a gap.  Where there
** are indexes, and nobody else has given their names. */
void kvMigrateTriggers(KvStore *p);

/* Which statement, KVSQL_xxx, runs what is to be done in the store's file as one
** statement.  If the file has no store the first table is made for it, empty. */
int kvMigrateRunner(KvStore *p);

#endif /* KV_MIGRATE_H */
