/*
** serve_op.h -- what kv-serve needs of a node.
**
**   kv_serve_write(ops)   carries out an atomic operation (apply.h) and returns its
**                         versionstamp, or NULL if a check has failed
**   kv_serve_term()       Raft's term as the node has stored it
*/
#ifndef KV_DQLITE_SERVE_OP_H
#define KV_DQLITE_SERVE_OP_H

#include <sqlite3.h>

/* Register them for a connection.  zDir is the node's, and stays.  SQLite's code. */
int serveOpInit(sqlite3 *db, const char *zDir);

#endif /* KV_DQLITE_SERVE_OP_H */
