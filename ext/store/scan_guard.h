/*
** scan_guard.h -- the keys written while entries, an index or the feed are read.
**
** A statement may write what it reads: INSERT OR REPLACE INTO kv_entries ... SELECT
** ... FROM kv_lookup(...) moves the entries of the index that it scans, maybe to a
** key ahead of the scan; what kv_changes() shows moves to its end (the Halloween
** problem).  So that no row comes twice, or forever, the store records the key of
** every write while such a scan is open, with a count of the writes.  A scan skips
** the keys recorded since it began.  Versions don't help: all writes of a
** transaction share one, before the scan and during it.
**
** A scan of entries (INSERT INTO kv_atomic ... SELECT ... FROM kv_entries) reads
** each key once, so it only has to skip those added since it began.  Whether a key
** is new is looked up before it is written, and only if it is ahead of an open
** scan: other writes, and those to existing keys, record nothing.
*/
#ifndef KV_SCAN_GUARD_H
#define KV_SCAN_GUARD_H

#include "store/statement.h"

void kvGuardsClear(KvStore *p);

/* Begin, and end, reading an index or the feed. */
void kvGuardBegin(KvStore *p);
void kvGuardEnd(KvStore *p);
/* The count of the writes so far, and whether a key was written since. */
i64 kvGuardClock(const KvStore *p);
int kvGuardWritten(const KvStore *p, KvBytes key, i64 iClock);

/*
** An open scan of entries in the order of their keys.  The keys ahead are those
** from *pLo up to *pHi (empty: no bound); the reader owns and advances both.  All
** zero: not open.  A key for which kvScanIsNew() is true was added since, on this
** connection, and is skipped.
*/
typedef struct KvOpenScan KvOpenScan;
struct KvOpenScan {
  u8 bOpen;
  const KvBuf *pLo, *pHi;
  i64 iClock;             /* kvGuardClock() when it began */
  KvOpenScan *pNext;
};
void kvScanOpen(KvStore *pStore, KvOpenScan *p, const KvBuf *pLo, const KvBuf *pHi);
void kvScanClose(KvStore *pStore, KvOpenScan *p);
int kvScanIsNew(const KvStore *pStore, const KvOpenScan *p, KvBytes key);

/* Call these before the entry of a key is set, changed or removed; before it is
** added, which matters only while the key is ahead of an open scan. */
void kvGuardChange(KvStore *p, KvBytes key);
int kvGuardAhead(const KvStore *p, KvBytes key);
void kvGuardAdd(KvStore *p, KvBytes key);

/*
** Plain SQL that writes to Deno's table kv while it is read: INSERT INTO kv(...) SELECT ...
** FROM kv_entries, or a trigger that inserts into kv, adds entries unknown here, and a scan
** that reached them might never end.  So a scan asks when it begins (kvProgramWritesKv() of
** sql/program.h), and then reads all rows before it returns the first.
*/

#endif /* KV_SCAN_GUARD_H */
