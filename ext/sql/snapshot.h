/*
** snapshot.h -- a statement is one snapshot: see snapshot.c.  For scalar
** functions only.
*/
#ifndef KV_SNAPSHOT_H
#define KV_SNAPSHOT_H

#include "sql/conn.h"

/* From here on the statement reads one snapshot of the main file.  Errors are the
** store's. */
void kvSnapshotTake(sqlite3_context *ctx, KvConn *pConn, KvStore *pStore);
/* The same by pStmt, a statement of the store that is on a row.  It is given back
** now or when the outer statement ends. */
void kvSnapshotKeep(sqlite3_context *ctx, KvConn *pConn, KvStmt *pStmt);
/* What is read next is in a new snapshot. */
void kvSnapshotDrop(sqlite3_context *ctx);

#endif /* KV_SNAPSHOT_H */
