/*
** collate.h -- the collations: kv_compare for keys, kv_datetime for dates, kv_json for
** JSON.
*/
#ifndef KV_COLLATE_H
#define KV_COLLATE_H

#include "sqlite3ext.h"

/* An SQLite result code. */
int kvAddCollations(sqlite3 *db);

#endif /* KV_COLLATE_H */
