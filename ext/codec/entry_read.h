/*
** entry_read.h -- entries from lines of JSON (entry_print.h: the format).
*/
#ifndef KV_ENTRY_READ_H
#define KV_ENTRY_READ_H

#include "codec/value.h"

/* An entry as it is read. */
typedef struct KvEntry KvEntry;
struct KvEntry {
  KvBuf key;              /* The key's stored bytes */
  KvTree tree;            /* The value, ... */
  KvBuf raw;              /* ... or, if bRaw, a byte of v_encoding and its bytes */
  u8 bRaw;
  KvBytes stamp;          /* The versionstamp; p is 0 if there is none */
};
void kvEntryInit(KvEntry *p);
void kvEntryClear(KvEntry *p);

/*
** Read a line; it must outlive the entry.  KV_OK, KV_NOMEM, KV_TOOBIG or KV_SYNTAX;
** the latter with an offset if the line isn't JSON.
*/
int kvEntryRead(KvEntry *p, KvBytes line, KvErr *pErr);

#endif /* KV_ENTRY_READ_H */
