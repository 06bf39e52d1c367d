/*
** vtab_entries_bulk.h -- DELETE of all entries in a range of kv_entries.
**
** SQLite reads the keys of all rows, and then deletes one after the other.  If there are
** many, and all that the table has shown are to go, the rest of them goes with one
** statement, and nothing is left to do for the rows that follow.
*/
#ifndef KV_VTAB_ENTRIES_BULK_H
#define KV_VTAB_ENTRIES_BULK_H

#include "sql/row_scan.h"
#include "sql/vtab.h"
#include "store/bulk.h"

typedef struct KvEntriesTable KvEntriesTable;
struct KvEntriesTable {
  KvVtab t;               /* Must be first */
  u8 eBulk;               /* What is known of the last range: */
  u32 nRow;               /* how many rows were shown, or are yet to be passed over */
  i64 iNow;               /* when */
  i64 nTotal;             /* Changes on the connection then, or since it has gone */
  KvBuf hi;               /* its upper bound */
};

/* A query begins; its range has been read to its end; the table goes. */
void kvEntriesBulkBegin(KvVtab *pTab);
void kvEntriesBulkRead(KvVtab *pTab, const KvRowScan *pScan);
void kvEntriesBulkFree(KvVtab *pTab);

/* A row is to be deleted.  True if it went with one before. */
int kvEntriesBulkGone(KvVtab *pTab);
/* May it go with all that follow, key being its key? */
int kvEntriesBulkMay(KvVtab *pTab, KvBytes key, KvBulk *pBulk);
/* They have. */
void kvEntriesBulkDone(KvVtab *pTab);

#endif /* KV_VTAB_ENTRIES_BULK_H */
