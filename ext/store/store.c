/*
** store.c -- a store and its parts.  See store.h.
*/
#include "store/index/table.h"
#include "store/store.h"
#include "store/store_int.h"
#include "store/index/entry.h"
#include "store/index/overlay.h"
#include "store/search.h"

static void storeFree(KvStore *p){
  KV_ASSERT( p->nRef==0 && p->pWrite==0 );
  kvIndexForget(p);
  kvIndexWorkClear(p);
  kvOverlaysForget(p);
  kvSearchClear(p);
  kvSchemaRelease(p);
  kvGuardsClear(p);
  sqlite3_free(p->zSchema);
  sqlite3_free(p->zPrefix);
  kvErrorClear(&p->err);
  sqlite3_free(p);
}

static KvStore *storeNew(sqlite3 *db, const char *zSchema, const char *zPrefix){
  KvStore *p = kvZeroed(sizeof(*p));
  if( p==0 ) return 0;
  p->db = db;
  p->zSchema = sqlite3_mprintf("%s", zSchema);
  p->zPrefix = sqlite3_mprintf("%s", zPrefix);
  if( p->zSchema && p->zPrefix ) return p;
  storeFree(p);
  return 0;
}

KvStore *kvStoreNext(const KvStore *p){
  return p->pNext;
}

int kvStoreIs(const KvStore *p, const char *zSchema, const char *zPrefix){
  return sqlite3_stricmp(p->zSchema, zSchema)==0
      && (zPrefix==0 || sqlite3_stricmp(p->zPrefix, zPrefix)==0);
}

KvStore *kvStoreUse(
  KvStore **ppList, sqlite3 *db, const char *zSchema, const char *zPrefix, const int *piV8Version
){
  KvStore *p = *ppList;
  while( p && !kvStoreIs(p, zSchema, zPrefix) ) p = p->pNext;
  if( p==0 ){
    p = storeNew(db, zSchema, zPrefix);
    if( p==0 ) return 0;
    p->piV8Version = piV8Version;
    p->pNext = *ppList;
    *ppList = p;
  }
  p->nRef++;
  return p;
}

void kvStoreKeep(KvStore *p){
  p->nRef++;
}

/* A statement may take the table kv_run with it, which comes here too: so the
** store is held until they are gone.  A nested statement whose error ends the transaction
** may take others, while whoever runs it holds the store. */
int kvStoreDrop(KvStore **ppList, KvStore *p){
  KV_ASSERT( p->nRef>1 || (p->nRef==1 && !kvFailed(&p->err)) );
  if( p->nTable==0 ){
    kvOverlaysForget(p);
    kvSchemaRelease(p);
  }
  if( --p->nRef>0 ) return 0;
  while( *ppList!=p ) ppList = &(*ppList)->pNext;
  *ppList = p->pNext;
  storeFree(p);
  return 1;
}

u32 kvStoreTable(KvStore *p, int nMore){
  KV_ASSERT( nMore>=0 || p->nTable>0 );
  return p->nTable += (u32)nMore;
}

int kvStoreTake(KvStore *p, char **pzErr){
  return kvErrorTake(&p->err, pzErr);
}

void kvStoreFail(KvStore *p, int rc){
  if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
}

KvError *kvStoreError(KvStore *p){
  return &p->err;
}

sqlite3 *kvStoreDb(const KvStore *p){
  return p->db;
}

const char *kvStoreSchema(const KvStore *p){
  return p->zSchema;
}

i64 kvStoreGuard(const KvStore *p){
  return p->indexes.iGuard;
}

void kvStorePublisher(KvStore *p, const KvPublisher *pPublisher){
  p->pPublisher = pPublisher;
}

void **kvStorePublished(KvStore *p){
  return &p->pPublished;
}

int kvStoreReadonly(const KvStore *p){
  return sqlite3_db_readonly(p->db, p->zSchema)==1;
}

int kvStoreTxnState(const KvStore *p){
  return sqlite3_txn_state(p->db, p->zSchema);
}
