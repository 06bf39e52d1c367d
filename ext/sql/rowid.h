/*
** rowid.h -- rowids of rows that have no number.
**
** For an OR of conditions SQLite reads a table several times and recognizes by the
** rowid the rows that it has already returned.  So the position of a row in a
** cursor can't be its rowid.
*/
#ifndef KV_ROWID_H
#define KV_ROWID_H

#include "bytes/bytes.h"

/* A hash (SipHash-2-4) of what identifies the row: of bytes, continuing the hash
** iStart of others before them (0: none). */
i64 kvRowid(i64 iStart, KvBytes bytes);

#endif /* KV_ROWID_H */
