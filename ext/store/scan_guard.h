/*
** scan_guard.h -- the keys that are written while entries, an index or the feed
** are read.
**
** A statement may write what it reads: INSERT OR REPLACE INTO kv_entries ...
** SELECT ... FROM kv_lookup(...) moves the entries of the index on which the
** scan runs, maybe to a key ahead of it; what kv_changes() shows moves to its
** end.  So that nothing comes twice, or for ever, the store notes the key of
** every write while such a scan is open, with a count of the writes.  A scan
** passes over the keys that were noted since it began.  Versions can't tell: what
** one transaction writes has one version, before the scan and during it.
**
** A scan of entries (INSERT INTO kv_atomic ... SELECT ... FROM kv_entries) comes
** to each key once, so it only has to pass over those that are new since it
** began.  Whether a key is new is looked up before it is written, and only if an
** open scan has it ahead: writing elsewhere, and to what is there, notes nothing.
*/
#ifndef KV_SCAN_GUARD_H
#define KV_SCAN_GUARD_H

#include "store/statement.h"

void kvGuardsClear(KvStore *p);

/* An index or the feed is read from here on, and no longer. */
void kvGuardBegin(KvStore *p);
void kvGuardEnd(KvStore *p);
/* The count of the writes so far, and whether a key was written since. */
i64 kvGuardClock(const KvStore *p);
int kvGuardWritten(const KvStore *p, KvBytes key, i64 iClock);

/*
** An open scan of entries in the order of their keys.  What is still ahead has
** keys from *pLo on and, unless *pHi is empty, before *pHi; both stay the
** reader's, who moves them.  All zero: not open.  A key for which kvScanIsNew()
** is true was added since, on this connection, and is passed over.
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

/* The entry of a key is about to be set, changed or removed; it is about to be added,
** which matters only while the key is ahead of an open scan. */
void kvGuardChange(KvStore *p, KvBytes key);
int kvGuardAhead(const KvStore *p, KvBytes key);
void kvGuardAdd(KvStore *p, KvBytes key);

/*
** Plain SQL that writes to Deno's table kv while it is read.
**
** A statement may write what it reads.  What the extension itself writes is
** noted (above).  But INSERT INTO kv(...) SELECT ... FROM kv_entries, or a
** trigger that inserts into kv, adds entries of which nothing is known here, and
** a scan that came to them might never end.  So a scan looks, when it begins,
** whether a statement that is under way writes to kv itself; if one does, the
** scan has read all before its first row is seen.
*/

/* Does a statement that is under way write to the table kv by plain SQL, itself
** or by a trigger? */
int kvPlainWrites(KvStore *p);

#endif /* KV_SCAN_GUARD_H */
