/*
** vtab_collection_write.h -- INSERT, UPDATE and DELETE on a collection.
*/
#ifndef KV_VTAB_COLLECTION_WRITE_H
#define KV_VTAB_COLLECTION_WRITE_H

#include "sql/collection/collection_int.h"

/* Write a row.  An error is the store's. */
void kvCollectionWrite(KvVtab *pTab, const KvVtabRow *pRow);
/* The message, from sqlite3_malloc(), for an UPDATE ... FROM before SQLite 3.45, which assigns
** every column; 0: out of memory. */
char *kvCollectionUpdateFrom(const KvCollection *pTab);
/* Free what it keeps from row to row. */
void kvCollectionSpaceClear(KvCollectionSpace *p);

#endif /* KV_VTAB_COLLECTION_WRITE_H */
