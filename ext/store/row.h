/*
** row.h -- reading single rows of Deno's tables.
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

/* Look a key up at the time iNow: pFound->bFound.  bValue: its value too
** (pFound->v must have been initialised). */
int kvRowFind(KvStore *p, KvBytes key, i64 iNow, int bValue, KvFound *pFound);

/* The store's newest version; 0 where there is no store.  Writes nothing. */
i64 kvRowVersion(KvStore *p);
/* The newest version, which must be there and leave room for others. */
i64 kvRowNewest(KvStore *p);

/* Is there an expired entry?  By Deno's index; without it, -1: not known. */
int kvRowExpired(KvStore *p, i64 iNow);

#endif /* KV_ROW_H */
