/*
** rowid.h -- rowids of rows that have no number.
**
** For an OR of conditions SQLite reads a table more than once and tells by the
** rowid which rows it had already.  So a row's number in what a cursor returns
** is none.
*/
#ifndef KV_ROWID_H
#define KV_ROWID_H

#include "bytes/bytes.h"

/* A hash (SipHash-2-4) of what makes the row the one it is: of bytes, and of
** others before them, whose hash is iStart (0: there are none). */
i64 kvRowid(i64 iStart, KvBytes bytes);

#endif /* KV_ROWID_H */
