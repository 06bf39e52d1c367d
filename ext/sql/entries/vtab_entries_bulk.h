/*
** vtab_entries_bulk.h -- DELETE of all entries in a range of kv_entries.
**
** SQLite first reads the keys of all rows, and then deletes one after the other.
** If there are many, and the statement deletes all rows that the table has shown,
** one statement deletes the rest, and the following deletes do nothing.
*/
#ifndef KV_VTAB_ENTRIES_BULK_H
#define KV_VTAB_ENTRIES_BULK_H

#include "sql/range/row_scan.h"
#include "sql/vtab.h"
#include "store/bulk.h"

typedef struct KvEntriesTable KvEntriesTable;
struct KvEntriesTable {
  KvVtab t;               /* Must be first */
  u8 eBulk;               /* What is known of the last range: */
  u32 nRow;               /* how many rows were shown, or are still to be skipped */
  i64 iNow;               /* when */
  i64 nTotal;             /* Changes on the connection then, or since the rest was deleted */
  KvBuf hi;               /* its upper bound */
};

/* A query begins; its range has been read to the end; the table is freed. */
void kvEntriesBulkBegin(KvVtab *pTab);
void kvEntriesBulkRead(KvVtab *pTab, const KvRowScan *pScan);
void kvEntriesBulkFree(KvVtab *pTab);

/* A row is to be deleted.  True if it was deleted together with an earlier one. */
int kvEntriesBulkGone(KvVtab *pTab);
/* Can it be deleted with all that follow?  key is its key. */
int kvEntriesBulkMay(KvVtab *pTab, KvBytes key, KvBulk *pBulk);
/* They have. */
void kvEntriesBulkDone(KvVtab *pTab);

#endif /* KV_VTAB_ENTRIES_BULK_H */
