/*
** snapshot.c -- a statement is one snapshot, functions included.
**
** SQLite ends the read transactions of a connection when the last of its
** statements that read a database file ends.  A statement with a table, virtual
** or not, is such a statement: whatever functions and cursors read while it
** runs, in whatever file, stays in the snapshot in which the file was first
** read.  A statement without one, SELECT kv_get(a), kv_get(b), isn't: what its
** first call reads would be a statement of its own, and so a snapshot of its
** own.
**
** So the first function of a statement that reads keeps a statement of the store
** that reads, a pin: it is left on a row until the calling statement ends.
**
**     SELECT kv_get(a),  kv_set(b, 1),  kv_get(b),  kv_wait(v),  kv_get(c)
**     pin:   |---------------------------------->|  dropped      |------->|
**
** A function that writes takes none, since a snapshot is what makes a write fail
** once another connection has written.  One that waits, or drops tables, drops
** the pin first.
**
** The pin is auxiliary data of the calling statement with a negative number:
** then all functions of the statement share it, and SQLite destroys it when the
** statement halts, while its transaction is still open.  (Each run of a trigger
** has its own; but a statement that fires triggers has a table.)  That much
** SQLite's own JSON functions rely on.  Auxiliary data must not be asked for
** where no instruction of a statement makes the call: in the last step of an
** aggregate and in xColumn.
*/
#include "sql/snapshot.h"
#include "sql/conn.h"
#include "store_sql.h"

/* The number of the auxiliary data.  SQLite takes numbers from -429938 on. */
#define SNAPSHOT_AUX (-75861)

static void snapshotUnpin(void *pArg){
  KvStmt *pStmt = pArg;
  KvStore *pStore = pStmt->pStore;
  KvConn *pConn = pStmt->pHolder;
  kvStmtGive(pStmt);
  kvConnDropStore(pConn, pStore);
}

void kvSnapshotKeep(sqlite3_context *ctx, KvConn *pConn, KvStmt *pStmt){
  if( sqlite3_get_auxdata(ctx, SNAPSHOT_AUX) ){
    kvStmtGive(pStmt);
    return;
  }
  kvStoreKeep(pStmt->pStore);
  pStmt->pHolder = pConn;
  sqlite3_set_auxdata(ctx, SNAPSHOT_AUX, pStmt, snapshotUnpin);
}

void kvSnapshotTake(sqlite3_context *ctx, KvConn *pConn, KvStore *pStore){
  KvStmt *pStmt;
  if( sqlite3_get_auxdata(ctx, SNAPSHOT_AUX) ) return;
  pStmt = kvStmtTake(pStore, KVSQL_PIN);
  if( kvStmtRow(pStmt) ) kvSnapshotKeep(ctx, pConn, pStmt);
  else kvStmtGive(pStmt);
}

void kvSnapshotDrop(sqlite3_context *ctx){
  if( sqlite3_get_auxdata(ctx, SNAPSHOT_AUX) ) sqlite3_set_auxdata(ctx, SNAPSHOT_AUX, 0, 0);
}
