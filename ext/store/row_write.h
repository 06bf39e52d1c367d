/*
** row_write.h -- writing single rows of Deno's table kv, and nothing that follows
** from it.  Open scans learn of it.
*/
#ifndef KV_ROW_WRITE_H
#define KV_ROW_WRITE_H

#include "store/statement.h"

/* An entry that is written.  The bytes are not copied. */
typedef struct KvRow KvRow;
struct KvRow {
  KvBytes key;
  KvBytes value;
  int eEncoding;
  i64 iVersion;
  i64 iExpires;           /* -1: never */
};

/* Set an entry, whatever was there. */
void kvRowPut(KvStore *p, const KvRow *pEntry);
/* Change those parts of the entry of a key, KVSET_xxx, and its version.  An entry
** under the new key is replaced. */
void kvRowUpdate(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew);
/* Remove the entry of a key, if there is one. */
void kvRowDelete(KvStore *p, KvBytes key);

/* Remove up to nMost expired entries, -1: all.  bAside: an error will be passed
** over, so nothing is removed if that could leave half of it.  Returns how many. */
i64 kvRowSweep(KvStore *p, i64 iNow, i64 nMost, int bAside);

#endif /* KV_ROW_WRITE_H */
