/*
** vtab_entries_write.h -- INSERT, UPDATE and DELETE on kv_entries.
*/
#ifndef KV_VTAB_ENTRIES_WRITE_H
#define KV_VTAB_ENTRIES_WRITE_H

#include "sql/vtab.h"

void kvEntriesWrite(KvVtab *pTab, const KvVtabRow *pRow);

/* The error for an UPDATE ... FROM with unknown SET columns: up to SQLite
** 3.40.  0 if out of memory. */
char *kvEntriesUpdateFrom(void);

#endif /* KV_VTAB_ENTRIES_WRITE_H */
