/*
** row_write.c -- writing single rows of Deno's table kv.  See row_write.h.
*/
#include "store/store_int.h"
#include "store/row.h"
#include "store/row_write.h"
#include "store/scan_guard.h"
#include "store_sql.h"

/* Run one of the statements that set an entry. */
static void rowPut(KvStore *p, int eSql, const KvRow *pEntry){
  KvStmt *pStmt = kvStmtTake(p, eSql);
  kvBindBytes(pStmt, 1, pEntry->key);
  kvBindBytes(pStmt, 2, pEntry->value);
  kvBindInt(pStmt, 3, pEntry->eEncoding);
  kvBindInt(pStmt, 4, pEntry->iVersion);
  if( eSql==KVSQL_PUT ) kvBindInt(pStmt, 5, pEntry->iExpires);
  kvWorkRun(pStmt);
}

void kvRowPut(KvStore *p, const KvRow *pEntry){
  kvGuardPut(p, pEntry->key);
  if( pEntry->iExpires==-1 ){
    rowPut(p, KVSQL_PUT_LASTING, pEntry);
    if( kvFailed(&p->err) || sqlite3_changes64(p->db)!=0 ) return;
  }
  rowPut(p, KVSQL_PUT, pEntry);
}

/*
** An entry is about to move to a key: remove what is there, which may have
** expired.  (UPDATE OR REPLACE would do so, but it also replaces what the
** statements of triggers run into, whatever they say.)
*/
static void rowClear(KvStore *p, KvBytes key){
  KvStmt *pStmt;
  KvFound found;
  if( !kvRowFind(p, key, -1, 0, &found) ) return;              /* before all expiry */
  if( !p->work.bSavepoint ) kvErrorCode(&p->err, KV_AGAIN); /* moving it may fail then */
  pStmt = kvStmtTake(p, KVSQL_DELETE);
  kvBindBytes(pStmt, 1, key);
  kvStmtRun(pStmt);
}

void kvRowUpdate(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew){
  KvStmt *pStmt;
  kvGuardChange(p, key);
  if( mSet & KVSET_KEY ){
    kvGuardPut(p, pNew->key);
    rowClear(p, pNew->key);
  }
  pStmt = kvStmtUpdater(p, mSet);
  kvBindBytes(pStmt, 1, key);
  kvBindInt(pStmt, 2, pNew->iVersion);
  if( mSet & KVSET_KEY ) kvBindBytes(pStmt, 3, pNew->key);
  if( mSet & KVSET_VALUE ){
    kvBindBytes(pStmt, 4, pNew->value);
    kvBindInt(pStmt, 5, pNew->eEncoding);
  }
  if( mSet & KVSET_EXPIRY ) kvBindInt(pStmt, 6, pNew->iExpires);
  kvWorkRun(pStmt);
}

void kvRowDelete(KvStore *p, KvBytes key){
  KvStmt *pStmt;
  kvGuardChange(p, key);
  pStmt = kvStmtTake(p, KVSQL_DELETE);
  kvBindBytes(pStmt, 1, key);
  kvWorkRun(pStmt);
}

i64 kvRowSweep(KvStore *p, i64 iNow, i64 nMost, int bAside){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_SWEEP);
  i64 nGone;
  if( pStmt==0 || (bAside && pStmt->bHalf) ){
    kvStmtGive(pStmt);
    return 0;
  }
  kvBindInt(pStmt, 1, iNow);
  kvBindInt(pStmt, 2, nMost);
  kvStmtRun(pStmt);
  nGone = kvFailed(&p->err) ? 0 : sqlite3_changes64(p->db);
  if( nGone ) p->bSwept = 1;
  return nGone;
}
