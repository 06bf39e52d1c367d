/*
** store.c -- a store and its parts.  See store.h.
*/
#include "store/store.h"
SQLITE_EXTENSION_INIT3
#include "store/store_int.h"
#include "store/index_def.h"
#include "store/plain_write.h"
#include "store/scan_guard.h"
#include "store/schema.h"
#include "store/txn.h"

KvStore *kvStoreNew(sqlite3 *db, const char *zSchema, const char *zPrefix){
  KvStore *p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return 0;
  memset(p, 0, sizeof(*p));
  p->db = db;
  p->zSchema = sqlite3_mprintf("%s", zSchema);
  p->zPrefix = sqlite3_mprintf("%s", zPrefix);
  p->pStmts = kvStmtsNew();
  p->pSchema = kvSchemaNew();
  p->pGuards = kvGuardsNew();
  p->pPlain = kvPlainNew();
  p->pTxn = kvTxnNew();
  if( p->zSchema && p->zPrefix && p->pStmts && p->pSchema && p->pGuards && p->pPlain && p->pTxn ) return p;
  kvStoreFree(p);
  return 0;
}

void kvStoreFree(KvStore *p){
  if( p==0 ) return;
  kvIndexFree(p);
  if( p->pStmts && p->pSchema ) kvSchemaRelease(p);
  sqlite3_free(p->pStmts);
  sqlite3_free(p->pSchema);
  kvGuardsFree(p->pGuards);
  sqlite3_free(p->pPlain);
  sqlite3_free(p->pTxn);
  sqlite3_free(p->zSchema);
  sqlite3_free(p->zPrefix);
  kvErrorClear(&p->err);
  sqlite3_free(p);
}
