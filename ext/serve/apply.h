/*
** apply.h -- an atomic operation, carried out in a transaction of the caller's.
**
** An operation is a list of ops (codec/op.h), its checks first.  kv-serve carries it
** out on the file that it serves; on a cluster it sends the list to the leader, whose
** program, kv-dqlite, does the same in the function kv_serve_write().
*/
#ifndef KV_SERVE_APPLY_H
#define KV_SERVE_APPLY_H

#include <sqlite3.h>
#include "bytes/list.h"

typedef struct Apply Apply;
struct Apply {
  sqlite3 *db;
  sqlite3_stmt *pLook, *pStored, *pOne, *pMany;
  const KvList *pList;             /* What kv_serve_op() reads, from iAt on */
  u32 iAt;
};

/* Register kv_serve_op() for a connection.  SQLite's code. */
int applyInit(Apply *p, sqlite3 *db);
/* Finalize the statements. */
void applyClear(Apply *p);

typedef struct ApplyResult ApplyResult;
struct ApplyResult {
  i64 iVersion;                    /* 0 if nothing was written */
  u32 *aFailed;                    /* Room for the numbers of all checks, or 0 */
  u32 nFailed;                     /* How many have failed */
  char *zError;                    /* After an error: from sqlite3_malloc() */
};

/* SQLite's code.  If a check fails that is SQLITE_OK and nothing is written. */
int applyOps(Apply *p, const KvList *pOps, ApplyResult *pResult);

#endif /* KV_SERVE_APPLY_H */
