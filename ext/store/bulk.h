/*
** bulk.h -- removing many entries by one statement.
**
** The trigger of the change feed costs several times what the removal of an entry does.
** So its rows are written by one statement, too, and the entries are removed without
** triggers.  That is only done where nothing else has to know of each entry.
*/
#ifndef KV_BULK_H
#define KV_BULK_H

#include "store/row.h"

/* Entries with keys from lo on and, unless hi is empty, before hi, that have not expired at
** a time. */
typedef struct KvBulk KvBulk;
struct KvBulk {
  KvBytes lo, hi;
  i64 iNow;
};

/* May entries be removed without a look at each?  Not if there are declared indexes,
** triggers that aren't the feed's, or scans that have to know what is written. */
int kvBulkMay(KvStore *p);
/* How many there are in a range. */
i64 kvBulkCount(KvStore *p, const KvBulk *pBulk);
/* Remove them with a version; kvBulkMay() has been asked. */
void kvBulkDelete(KvStore *p, const KvBulk *pBulk, i64 iVersion);
/* Remove all expired entries; returns how many.  It does what kvRowSweep() does, in the
** way of kvBulkDelete() if that may be. */
i64 kvBulkSweep(KvStore *p, i64 iNow);

#endif /* KV_BULK_H */
