/*
** row.h -- reading and writing single rows of Deno's tables.
**
** Keys and values are stored bytes: nothing here knows their formats.
*/
#ifndef KV_ROW_H
#define KV_ROW_H

#include "store/statement.h"

/* What is stored under a key. */
typedef struct KvFound KvFound;
struct KvFound {
  u8 bFound;              /* There is an entry that has not expired */
  i64 iVersion;
  i64 iExpires;           /* -1: never */
  int eEncoding;          /* With bValue only */
  KvBuf v;                /* With bValue only: a copy of the bytes */
};

/* Look up a key at time iNow: pFound->bFound.  bValue: its value too (pFound->v
** must be initialized). */
int kvRowFind(KvStore *p, KvBytes key, i64 iNow, int bValue, KvFound *pFound);

/* The store's newest version; 0 if there is no store.  Writes nothing. */
i64 kvRowVersion(KvStore *p);
/* Check for sqlite3_interrupt() and call the progress handler, without reading the
** file.  Returns 0. */
i64 kvRowIdle(KvStore *p);
/* The newest version, which must exist and leave room for further ones. */
i64 kvRowNewest(KvStore *p);

/* The time at which the first entry expires, INT64_MAX: none does.  Has it expired?  Uses
** Deno's index; without it, -1: unknown. */
i64 kvRowFirstExpiry(KvStore *p);
int kvRowExpired(KvStore *p, i64 iNow);
/* If none has expired: do all entries from lo up to hi (empty: no bound) have no
** expiry?  False may be wrong, true is not. */
int kvRowLasting(KvStore *p, KvBytes lo, KvBytes hi);

/* About how many keys there are between two others. */
double kvRowEstimate(KvStore *p, KvBytes lo, KvBytes hi);

/*
** Write rows of kv, without any consequences.  Open scans are notified.  True if triggers
** may have noted it, or written to the store.
*/

/* An entry to write.  The bytes are not copied. */
typedef struct KvRow KvRow;
struct KvRow {
  KvBytes key;
  KvBytes value;
  int eEncoding;
  i64 iVersion;
  i64 iExpires;           /* -1: never */
};

/* Set an entry, replacing any existing one. */
int kvRowPut(KvStore *p, const KvRow *pEntry);
/* Change those parts of the entry of a key, KVSET_xxx, and its version.  An entry
** under the new key is replaced. */
int kvRowUpdate(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew);
/* Remove the entry of a key, if there is one. */
int kvRowDelete(KvStore *p, KvBytes key);

/* Remove up to nMost expired entries, -1: all.  bAside: an error will be ignored,
** so nothing is removed if that could stop part-way.  Returns how many. */
i64 kvRowSweep(KvStore *p, i64 iNow, i64 nMost, int bAside);

#endif /* KV_ROW_H */
