/*
** run.c -- operations that functions run.  See ops.h.
**
** The list is handed to the hidden table kv_run (atomic.c) by one INSERT.
*/
#include "face/ops.h"
SQLITE_EXTENSION_INIT3
#include "store_sql.h"

void kvRunInit(KvAtomList *p, KvConn *pConn, KvStore *pStore){
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->ops, 0, 0);
  kvAtomInit(&p->atom, pStore, pConn->aLimit);
}

void kvRunClear(KvAtomList *p){
  kvBufClear(&p->ops);
  kvAtomClear(&p->atom);
}

int kvRunAdd(KvAtomList *p, KvConn *pConn, const u8 *a, u32 n, char **pzErr){
  KvOp op;
  KvScratch *pScratch = kvScratchTake(pConn);
  int rc;
  if( pScratch==0 ) return SQLITE_NOMEM;
  rc = kvOpRead(&op, a, n, 0);
  if( rc==KV_OK ) rc = kvOpCheck(&op, &pScratch->tree, 0);
  kvScratchGive(pConn, pScratch);
  if( rc==KV_OK ){
    kvAtomListAdd(p, a, n);
    return p->ops.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  *pzErr = sqlite3_mprintf("kv: op: the BLOB is not a result of kv_op()");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int kvRun(KvAtomList *p, KvConn *pConn, KvStore *pStore, char **pzErr){
  KvAtomList *pOuter = pConn->pRun;
  KvStmt *pStmt;
  int rc;
  kvBufReset(&pConn->conflict);
  rc = kvStoreStatement(pStore, KVSQL_RUN, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  pConn->pRun = p;
  do{
    rc = sqlite3_step(pStmt->pStmt);   /* a row: PRAGMA count_changes */
  }while( rc==SQLITE_ROW );
  pConn->pRun = pOuter;
  if( rc==SQLITE_DONE ){
    rc = SQLITE_OK;
  }else{
    const char *zMsg = sqlite3_errmsg(pStore->db);
    if( sqlite3_extended_errcode(pStore->db)==SQLITE_BUSY_SNAPSHOT ){
      *pzErr = sqlite3_mprintf("kv: database is locked: the statement or transaction has read the "
          "database before another program wrote to it; BEGIN IMMEDIATE before reading, or write "
          "with INSERT INTO kv_atomic ... SELECT, which takes the lock first");
    }else{
      *pzErr = sqlite3_mprintf("%s%s", strncmp(zMsg, "kv: ", 4)==0 ? "" : "kv: ", zMsg);
    }
  }
  kvStoreGive(pStore, pStmt);
  if( rc==SQLITE_OK && p->atom.bConflict ){
    kvBufAppend(&pConn->conflict, p->atom.conflict.a, p->atom.conflict.n);
  }
  return rc;
}
