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
void kvNamesFree(KvStore *p);

/*
** What the extension itself adds to a store, by groups.  True if the first of a
** group is there, which tells whether the others are the store's or another
** program's.  An error, with bMake, if another program has one of the names;
** without it, if it has one of a group that is there.
*/
#define KV_OWN_FEED     0   /* kv_track_state, ... */
#define KV_OWN_INDEXES  1   /* kv_index_def, ... */
#define KV_OWN_PENDING  2   /* kv_index_pending, and the triggers that fill it */
#define KV_OWN_QUEUE    3   /* The queue's indexes by id */
int kvNamesOwn(KvStore *p, int eOwn, int bMake);

#endif /* KV_STORE_NAMES_H */
