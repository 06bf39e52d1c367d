/*
** conn.c -- what belongs to a connection: scratch memory and stores.
*/
#include "sql/conn.h"
#include "store/clock.h"
#include "store/limit.h"
#include "sql/program.h"
#include "store/schema.h"

KvConn *kvConnNew(sqlite3 *db){
  KvConn *p = kvZeroed(sizeof(*p));
  int i;
  if( p==0 ) return 0;
  p->db = db;
  p->nRef = 1;
  p->iV8Version = 15;
  p->iRowTotal = -1;
  p->hot.nMost = KVHOT_BYTES;
  for(i=0; i<KV_LIMIT_COUNT; i++) p->aLimit[i] = kvLimits[i].iDefault;
  kvBufInit(&p->conflict, 0, 0);
  kvWatchInit(&p->watch);
  kvTreeInit(&p->scratch.tree);
  kvBufInit(&p->scratch.in, 0, 0);
  kvBufInit(&p->scratch.out, 0, 0);
  return p;
}

void kvConnRef(KvConn *p){
  p->nRef++;
}

/* The stores are gone by then: SQLite disconnects the virtual tables, each of
** which holds one, before it forgets their modules. */
void kvConnUnref(void *pArg){
  KvConn *p = pArg;
  if( --p->nRef>0 ) return;
  kvTreeClear(&p->scratch.tree);
  kvBufClear(&p->scratch.in);
  kvBufClear(&p->scratch.out);
  kvBufClear(&p->conflict);
  kvListClear(&p->dropped);
  kvHotClear(&p->hot);
  kvProgramsFree(p);
  kvWatchClear(&p->watch);
  sqlite3_free(p->aSite);
  sqlite3_free(p);
}

/* The first bit of a new random part is 0, so it can be raised 2^79 times. */
void kvConnUlid(KvConn *p, const i64 *piMs, char *z){
  KvUlid *pLast = &p->aUlid[piMs!=0];
  i64 iMs = piMs ? *piMs : kvNow();
  if( pLast->bSet && (iMs==pLast->iMs || (iMs<pLast->iMs && piMs==0)) ){
    kvUlidIncrement(pLast->aRandom);
  }else{
    sqlite3_randomness(KV_ULID_RANDOM, pLast->aRandom);
    pLast->aRandom[0] &= 0x7f;
    pLast->iMs = iMs;
    pLast->bSet = 1;
  }
  kvUlidPrint(pLast->iMs, pLast->aRandom, z);
}

KvStore *kvConnStore(KvConn *p, const char *zSchema, const char *zPrefix){
  KvStore *pStore = kvStoreUse(&p->pStores, p->db, zSchema, zPrefix, &p->iV8Version);
  if( pStore ) kvStorePublisher(pStore, p->pPublisher);
  return pStore;
}

void kvConnDropStore(KvConn *p, KvStore *pStore){
  if( pStore==0 ) return;
  kvSchemaHide(pStore, 0);
  if( kvStoreDrop(&p->pStores, pStore) ) kvProgramsForget(p);
}

KvStore *kvConnAttachStore(KvConn *p, const char *zSchema, const char *zPrefix){
  KvStore *pStore = kvConnStore(p, zSchema, zPrefix);
  if( pStore ) kvStoreTable(pStore, 1);
  return pStore;
}

void kvConnDetachStore(KvConn *p, KvStore *pStore){
  kvStoreTable(pStore, -1);
  kvConnDropStore(p, pStore);
}

KvStore *kvConnMainStore(KvConn *p){
  KvStore *pStore = kvConnStore(p, "main", "");
  if( pStore && (kvStoreTable(pStore, 0)==0 || p->nEntries==0) ){
    /* No table looks after the store yet: naming kv_entries connects it, unless
    ** the file has something else of that name. */
    sqlite3_stmt *pStmt = 0;
    int rc = sqlite3_prepare_v2(p->db, "SELECT 1 FROM main.kv_entries", -1, &pStmt, 0);
    sqlite3_finalize(pStmt);
    kvSchemaHide(pStore, rc==SQLITE_OK && p->nEntries==0);
  }
  return pStore;
}
