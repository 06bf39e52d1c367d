/*
** store_names.h -- the names that a store gives to tables, indexes and triggers, and
** whether something else has one of them.  Nothing here writes.
*/
#ifndef KV_STORE_NAMES_H
#define KV_STORE_NAMES_H

#include "store/statement.h"

/*
** Before the tables are made, or brought up to date: an error if something else
** has one of their names.  What Deno's statements would take for Deno's own
** ("create table if not exists") must be it.
*/
void kvNamesCheck(KvStore *p);

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
int kvNamesGroup(KvStore *p, int eGroup, int bMake);

#endif /* KV_STORE_NAMES_H */
