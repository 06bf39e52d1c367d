/*
** adapt.c -- the calls as they were.  See adapt.h.
*/
#include "store/store_int.h"
SQLITE_EXTENSION_INIT3
#include "store/adapt.h"

int kvStoreReader(KvStore *p, u32 mMask, KvStmt **ppStmt, char **pzErr){
  *ppStmt = kvStmtReader(p, mMask);
  return kvErrorTake(&p->err, pzErr);
}

int kvStoreUpdater(KvStore *p, u32 mMask, KvStmt **ppStmt, char **pzErr){
  *ppStmt = kvStmtUpdater(p, mMask);
  return kvErrorTake(&p->err, pzErr);
}

int kvStoreStatement(KvStore *p, int eSql, KvStmt **ppStmt, char **pzErr){
  *ppStmt = kvStmtTake(p, eSql);
  return kvErrorTake(&p->err, pzErr);
}

int kvStoreChanges(KvStore *p, int bSorted, KvStmt **ppStmt, char **pzErr){
  *ppStmt = kvStmtChanges(p, bSorted);
  return kvErrorTake(&p->err, pzErr);
}

int kvStoreOwns(sqlite3_stmt *pStmt){
  return kvStmtOurs(pStmt);
}

void kvBindBlob(KvStmt *p, int i, const u8 *a, u32 n){
  kvBindBytes(p, i, kvBytes(a, n));
}

int kvStep(KvStmt *p){
  KvError *pErr = &p->pStore->err;
  int rc = pErr->rc;
  kvErrorClear(pErr);
  return rc==SQLITE_OK ? sqlite3_step(p->pStmt) : rc;
}

int kvStoreRun(KvStore *p, KvStmt *pStmt, char **pzErr){
  kvStmtRun(pStmt);
  return kvErrorTake(&p->err, pzErr);
}

int kvStoreWrite(KvStore *p, KvStmt *pStmt, char **pzErr){
  if( !pStmt->bHalf || p->work.bOwnStatement ) return kvStoreRun(p, pStmt, pzErr);
  kvErrorClear(&p->err);
  kvStmtGive(pStmt);
  return KV_AGAIN;
}

int kvStoreSimple(KvStore *p, int eSql, char **pzErr){
  kvStmtSimple(p, eSql);
  return kvErrorTake(&p->err, pzErr);
}

void kvStoreGive(KvStore *p, KvStmt *pStmt){
  (void)p;
  kvStmtGive(pStmt);
}

int kvStoreFailed(KvStore *p, int rc, char **pzErr){
  KvError err = { SQLITE_OK, 0 };
  kvErrorDb(&err, p->db, rc);
  if( *pzErr==0 ) kvErrorTake(&err, pzErr);
  kvErrorClear(&err);
  p->bConflict = 0;
  return rc;
}
