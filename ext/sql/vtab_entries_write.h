/*
** vtab_entries_write.h -- INSERT, UPDATE and DELETE on kv_entries.
*/
#ifndef KV_VTAB_ENTRIES_WRITE_H
#define KV_VTAB_ENTRIES_WRITE_H

#include "sql/vtab.h"

void kvEntriesWrite(KvVtab *pTab, const KvVtabRow *pRow);

/* The error for an UPDATE ... FROM of which it can't be told what it sets: in SQLite
** 3.40 and older ones.  0 without memory. */
char *kvEntriesUpdateFrom(void);

#endif /* KV_VTAB_ENTRIES_WRITE_H */
