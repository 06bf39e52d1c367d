/*
** entry_write.c -- writing one entry.  See entry_write.h.
*/
#include "sql/entries/entry_write.h"
#include "codec/key/key_bytes.h"
#include "store/clock.h"
#include "store/index/dirty.h"
#include "store/index/entry.h"
#include "store/migrate.h"
#include "store/row.h"
#include "store/write.h"

/* Is the key one that the entry does not have yet? */
static int entryWriteIsKeyNew(const KvEntryWrite *p){
  return p->eOp==KVENTRY_INSERT || (p->eOp==KVENTRY_UPDATE && !kvBytesEqual(p->old, p->key));
}

/* The time of the write.  Most rows don't need it. */
static i64 entryWriteNow(KvEntryWrite *p){
  if( p->iNow==0 ) p->iNow = kvNow();
  return p->iNow;
}

/* Does an entry that is there already end the row? */
static void entryWriteCheck(KvVtab *pTab, KvEntryWrite *p){
  KvStore *pStore = pTab->pStore;
  KvFound found;
  if( p->bReplace || !entryWriteIsKeyNew(p) ) return;
  memset(&found, 0, sizeof(found));
  kvRowFind(pStore, p->key, -1, 0, &found);                  /* before all expiry */
  p->bNone = p->eOp==KVENTRY_INSERT && !found.bFound && !kvFailed(kvStoreError(pStore));
  if( !found.bFound || (found.iExpires>=0 && found.iExpires<=entryWriteNow(p)) ) return;
  p->xTaken(pTab, p, kvStoreError(pStore));
  kvWriteConflict(pStore, 1);
}

/* Write the entry, once; old is the key that it has by now.  pFound: as it is, unless 0. */
static void entryWriteRow(
  KvStore *pStore, const KvEntryWrite *p, KvBytes old, const KvFound *pFound, const KvRow *pRow
){
  switch( p->eOp ){
    case KVENTRY_INSERT:
      kvWritePut(pStore, pFound, pRow);
      break;
    case KVENTRY_UPDATE:
      kvWriteUpdate(pStore, old, p->mSet | (kvBytesEqual(old, p->key) ? 0 : (u32)KVSET_KEY), pFound,
                    pRow);
      break;
    default:
      if( p->pBulk ) kvBulkDelete(pStore, p->pBulk, pRow->iVersion);
      else kvWriteDelete(pStore, old);
  }
}

/* While another entry has a value that must be unique, it goes, and the entry, which
** has its new key by now, is written again. */
#define ENTRY_WRITE_RIVALS 64
static void entryWriteRivals(KvStore *pStore, const KvEntryWrite *p, const KvRow *pRow){
  int n;
  for(n=0; n<ENTRY_WRITE_RIVALS; n++){
    KvBytes path, rival = kvIndexEntryRival(pStore, &path);
    KvBuf key;
    if( rival.n==0 ) return;
    kvErrorClear(kvStoreError(pStore));
    kvDirtyAdd(pStore, p->key);        /* it is written, but not in the indexes */
    kvBufInit(&key, 0, 0);
    kvBufAdd(&key, rival);
    kvErrorBuf(kvStoreError(pStore), &key);
    kvWriteDelete(pStore, kvBufBytes(&key));
    kvBufClear(&key);
    entryWriteRow(pStore, p, p->key, 0, pRow);
  }
}

/*
** Make the tables if need be, look for an entry that has the key, and take the
** transaction's version.  A key that ends with the versionstamp can only meet an entry
** of its own transaction.
*/
static i64 entryWriteStart(KvVtab *pTab, KvEntryWrite *p, int *pnStep){
  KvStore *pStore = pTab->pStore;
  i64 iVersion;
  kvMigrate(pStore);
  if( pTab->bElsewhere && !kvWriteIsLater(pStore) ) kvWriteLock(pStore);
  if( p->pStamp==0 ) entryWriteCheck(pTab, p);
  iVersion = kvTxnVersion(pStore, pnStep);
  if( p->pStamp==0 ) return iVersion;
  kvKeyPutVersionstamp(p->pStamp, iVersion);
  kvErrorBuf(kvStoreError(pStore), p->pStamp);
  p->key = kvBufBytes(p->pStamp);
  if( *pnStep==0 ) entryWriteCheck(pTab, p);
  return iVersion;
}

void kvEntryWrite(KvVtab *pTab, KvEntryWrite *p){
  KvStore *pStore = pTab->pStore;
  const KvFound none = { 0 };
  KvBytes path;
  KvRow row;
  int nStep = 0;
  row.iVersion = entryWriteStart(pTab, p, &nStep);
  row.key = p->key;
  row.value = p->value;
  row.eEncoding = p->eEncoding;
  row.iExpires = p->iExpires;
  /* What goes with a new version may have changed it */
  entryWriteRow(pStore, p, p->old, nStep==0 ? p->bNone ? &none : p->pFound : 0, &row);
  if( p->bReplaceRivals ) entryWriteRivals(pStore, p, &row);
  if( p->xRival && kvIndexEntryRival(pStore, &path).n>0 ){
    p->xRival(pTab, path, kvStoreError(pStore));
  }
  if( nStep==0 ) return;
  if( kvFailed(kvStoreError(pStore)) ) kvTxnGiveBack(pStore, nStep);
  else kvWriteSweepSome(pStore, entryWriteNow(p));
}
