/*
** row.c -- reading single rows of Deno's tables.  See row.h.
*/
#include "store/store_int.h"
#include "store/row.h"
#include "store/schema.h"
#include "store_sql.h"

int kvRowFind(KvStore *p, KvBytes key, i64 iNow, int bValue, KvFound *pFound){
  KvStmt *pStmt;
  pFound->bFound = 0;
  if( kvSchemaReady(p)==KV_STORE_NONE ) return 0;
  pStmt = kvStmtReader(p, KVREAD_POINT|KVREAD_META|(bValue ? KVREAD_VALUE : 0));
  kvBindBytes(pStmt, 1, key);
  kvBindInt(pStmt, 3, iNow);
  if( kvStmtRow(pStmt) ){
    pFound->bFound = 1;
    pFound->iVersion = kvStmtInt(pStmt, KVREAD_COL_VERSION);
    pFound->iExpires = kvStmtInt(pStmt, KVREAD_COL_EXPIRES);
    if( bValue ){
      kvBufReset(&pFound->v);
      kvBufAdd(&pFound->v, kvStmtBytes(pStmt, KVREAD_COL_V));
      kvErrorBuf(&p->err, &pFound->v);
      pFound->eEncoding = (int)kvStmtInt(pStmt, KVREAD_COL_ENCODING);
    }
  }
  kvStmtGive(pStmt);
  return pFound->bFound;
}

/* *piVersion, and whether what it was read from is what is there. */
static int rowVersion(KvStore *p, int eState, i64 *piVersion){
  KvStmt *pStmt;
  *piVersion = 0;
  if( eState==KV_STORE_NONE ) return 1;
  pStmt = kvStmtTake(p, KVSQL_READ_VERSION);
  if( kvStmtRow(pStmt) ) *piVersion = kvStmtInt(pStmt, 0);
  kvSchemaCount(p);                    /* data_version may be left of a store */
  kvStmtGive(pStmt);
  return kvFailed(&p->err) ? p->err.rc!=SQLITE_ERROR : !kvSchemaDoubted(p);
}

i64 kvRowVersion(KvStore *p){
  i64 iVersion;
  if( !rowVersion(p, kvSchemaReady(p), &iVersion) ){
    kvErrorClear(&p->err);
    rowVersion(p, kvSchemaOpen(p), &iVersion);
  }
  return iVersion;
}

i64 kvRowNewest(KvStore *p){
  i64 iVersion = 0;
  KvStmt *pStmt;
  kvSchemaCount(p);
  pStmt = kvStmtTake(p, KVSQL_BUMP_LOOK);
  if( kvStmtRow(pStmt) ){
    iVersion = kvStmtInt(pStmt, 0);
  }else{
    kvError(&p->err, SQLITE_ERROR, "kv: %!.100s.%!.100sdata_version has no usable row with k = 0; "
        "it must hold the newest version as an integer", p->zSchema, p->zPrefix);
  }
  kvStmtGive(pStmt);
  return iVersion;
}

int kvRowExpired(KvStore *p, i64 iNow){
  KvStmt *pStmt;
  int bThere;
  if( kvFailed(&p->err) || (kvSchemaKnown(p) & KVKNOWN_NO_EXPIRY) ) return -1;
  pStmt = kvStmtTake(p, KVSQL_SWEEP_LOOK);
  if( p->err.rc==SQLITE_ERROR ) kvSchemaRemember(p, KVKNOWN_NO_EXPIRY);
  kvBindInt(pStmt, 1, iNow);
  bThere = kvStmtRow(pStmt);
  kvStmtGive(pStmt);
  if( p->err.rc!=SQLITE_ERROR ) return bThere;
  kvErrorClear(&p->err);
  return -1;
}
