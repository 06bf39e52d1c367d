/*
** table.c -- what the virtual tables over a store have in common.  See table.h.
*/
#include "face/table.h"
SQLITE_EXTENSION_INIT3

int kvTableConnect(
  sqlite3 *db, KvConn *pConn, int argc, const char *const *argv,
  const char *zDeclare, u32 nByte, sqlite3_vtab **ppVtab, char **pzErr
){
  KvTable *p = 0;
  char *zSchema = 0, *zPrefix = 0;
  int rc = kvModuleArgs(db, argc, argv, &zSchema, &zPrefix, pzErr);
  if( rc==SQLITE_OK ) rc = sqlite3_declare_vtab(db, zDeclare);
  if( rc==SQLITE_OK ){
    p = sqlite3_malloc64(nByte);
    rc = SQLITE_NOMEM;
  }
  if( p ){
    memset(p, 0, nByte);
    p->pConn = pConn;
    p->bElsewhere = sqlite3_stricmp(argv[1], zSchema)!=0;
    p->pStore = kvConnAttachStore(pConn, zSchema, zPrefix);
    if( p->pStore ){
      kvConnRef(pConn);
      *ppVtab = &p->base;
      rc = SQLITE_OK;
    }else{
      sqlite3_free(p);
    }
  }
  sqlite3_free(zSchema);
  sqlite3_free(zPrefix);
  return rc;
}

int kvTableDisconnect(sqlite3_vtab *pVtab){
  KvTable *p = (KvTable*)pVtab;
  kvConnDetachStore(p->pConn, p->pStore);
  kvConnUnref(p->pConn);
  sqlite3_free(p);
  return SQLITE_OK;
}

int kvTableFail(sqlite3_vtab *pVtab, int rc, char *zErr){
  sqlite3_free(pVtab->zErrMsg);
  pVtab->zErrMsg = zErr;
  return rc==SQLITE_ERROR && zErr==0 ? SQLITE_NOMEM : rc;
}

int kvTableCodecError(sqlite3_vtab *pVtab, const char *zWhat, const KvErr *pErr){
  if( pErr->eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( pErr->eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  return kvTableFail(pVtab, SQLITE_ERROR, kvFaceErrorText(zWhat, pErr));
}

int kvTableEnter(KvTable *p, char **pzErr){
  if( p->pConn->nWriting>=KV_MAX_WRITING ){
    *pzErr = sqlite3_mprintf("kv: %d writes inside of each other: a trigger on the store's "
        "tables writes to the store and so fires itself", KV_MAX_WRITING);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  p->pConn->nWriting++;
  return SQLITE_OK;
}

void kvTableLeave(KvTable *p){
  p->pConn->nWriting--;
}

int kvTableBegin(sqlite3_vtab *pVtab){
  KvTable *p = (KvTable*)pVtab;
  char *zErr = 0;
  int rc = p->bElsewhere ? kvStoreLock(p->pStore, &zErr) : SQLITE_OK;
  return rc==SQLITE_OK ? SQLITE_OK : kvTableFail(pVtab, rc, zErr);
}

int kvTableSync(sqlite3_vtab *pVtab){
  (void)pVtab;
  return SQLITE_OK;
}

int kvTableCommit(sqlite3_vtab *pVtab){
  kvTxnEnd(((KvTable*)pVtab)->pStore, 0);
  return SQLITE_OK;
}

int kvTableRollback(sqlite3_vtab *pVtab){
  kvTxnEnd(((KvTable*)pVtab)->pStore, 1);
  return SQLITE_OK;
}

int kvTableRename(sqlite3_vtab *pVtab, const char *zNew){
  (void)pVtab; (void)zNew;
  return SQLITE_OK;
}

int kvTableSavepoint(sqlite3_vtab *pVtab, int iSavepoint){
  kvTxnSavepoint(((KvTable*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

int kvTableRelease(sqlite3_vtab *pVtab, int iSavepoint){
  kvTxnRelease(((KvTable*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

int kvTableRollbackTo(sqlite3_vtab *pVtab, int iSavepoint){
  kvTxnRollbackTo(((KvTable*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}
