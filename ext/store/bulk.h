/*
** bulk.h -- removing many entries by one statement.
**
** The trigger of the change feed costs several times as much as removing an entry.
** So one statement writes the feed's rows, and another removes the entries without
** triggers.  This is only possible if nothing else needs to know of each entry.
*/
#ifndef KV_BULK_H
#define KV_BULK_H

#include "store/row.h"

/* Entries with keys from lo up to, but not including, hi (empty: no bound) that
** have not expired at a given time. */
typedef struct KvBulk KvBulk;
struct KvBulk {
  KvBytes lo, hi;
  i64 iNow;
};

/* Can entries be removed without looking at each?  Not if a declared index has only a part of
** its primary entries in the range, or if there are dirty keys, triggers of others, or open
** scans.  bQuiet: no running statement opens a table. */
int kvBulkMay(KvStore *p, int bQuiet, const KvBulk *pBulk);
/* How many there are in a range. */
i64 kvBulkCount(KvStore *p, const KvBulk *pBulk);
/* Remove them with a version, after kvBulkMay() has returned true. */
void kvBulkDelete(KvStore *p, const KvBulk *pBulk, i64 iVersion);
/* Remove all expired entries and return how many.  Like kvRowSweep(), but like
** kvBulkDelete() if possible. */
i64 kvBulkSweep(KvStore *p, i64 iNow, int bQuiet);

#endif /* KV_BULK_H */
