/*
** plain_write.h -- plain SQL that writes to Deno's table kv while it is read.
**
** A statement may write what it reads.  What the extension itself writes is
** noted (scan_guard.h).  But INSERT INTO kv(...) SELECT ... FROM kv_entries, or a
** trigger that inserts into kv, adds entries of which nothing is known here, and
** a scan that came to them might never end.  So a scan looks, when it begins,
** whether a statement that is under way writes to kv itself; if one does, the
** scan has read all before its first row is seen.
*/
#ifndef KV_PLAIN_WRITE_H
#define KV_PLAIN_WRITE_H

#include "store/statement.h"

typedef struct KvPlain KvPlain;

/* 0 if memory ran out. */
KvPlain *kvPlainNew(void);

/* Does a statement that is under way write to the table kv by plain SQL, itself
** or by a trigger? */
int kvPlainWrites(KvStore *p);

#endif /* KV_PLAIN_WRITE_H */
