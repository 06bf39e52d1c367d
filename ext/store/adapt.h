/*
** adapt.h -- the calls as they were, with an error each, for who hasn't come to
** the store's own error yet.
*/
#ifndef KV_ADAPT_H
#define KV_ADAPT_H

#include "store/statement.h"

int kvStoreReader(KvStore *p, u32 mMask, KvStmt **ppStmt, char **pzErr);
int kvStoreUpdater(KvStore *p, u32 mMask, KvStmt **ppStmt, char **pzErr);
int kvStoreChanges(KvStore *p, int bSorted, KvStmt **ppStmt, char **pzErr);
int kvStoreStatement(KvStore *p, int eSql, KvStmt **ppStmt, char **pzErr);
int kvStoreOwns(sqlite3_stmt *pStmt);
void kvBindBlob(KvStmt *p, int i, const u8 *a, u32 n);
int kvStep(KvStmt *p);
int kvStoreRun(KvStore *p, KvStmt *pStmt, char **pzErr);
int kvStoreWrite(KvStore *p, KvStmt *pStmt, char **pzErr);
int kvStoreSimple(KvStore *p, int eSql, char **pzErr);
void kvStoreGive(KvStore *p, KvStmt *pStmt);
/* The message for a statement of the store that failed with rc: "kv: ...".
** Sets *pzErr and returns rc. */
int kvStoreFailed(KvStore *p, int rc, char **pzErr);

#endif /* KV_ADAPT_H */
