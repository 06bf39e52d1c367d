/*
** snapshot.h -- a statement is one snapshot: see snapshot.c.  For scalar
** functions only.
*/
#ifndef KV_SNAPSHOT_H
#define KV_SNAPSHOT_H

#include "sql/conn.h"

/* What the statement reads from here on is one snapshot of the main file.
** An error is the store's. */
void kvSnapshotTake(sqlite3_context *ctx, KvConn *pConn, KvStore *pStore);
/* The same by pStmt, a statement of the store that stands on a row.  It is
** given back, now or when the statement ends. */
void kvSnapshotKeep(sqlite3_context *ctx, KvConn *pConn, KvStmt *pStmt);
/* If the statement was answered from the cache (hot.h), the same, and that state has to be
** the one that it was answered from. */
void kvSnapshotJoin(sqlite3_context *ctx, KvConn *pConn, KvStore *pStore);
/* What is read next is in a new snapshot. */
void kvSnapshotDrop(sqlite3_context *ctx, KvConn *pConn);

#endif /* KV_SNAPSHOT_H */
