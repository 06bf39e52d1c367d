/*
** entry_write.c -- writing one entry.  See entry_write.h.
*/
#include "sql/entry_write.h"
#include "store/index_entry.h"
#include "store/migrate.h"
#include "store/row.h"
#include "store/write.h"

/* Does an entry that is there already end the row? */
static void writeCheck(KvVtab *pTab, const KvEntryWrite *p){
  KvStore *pStore = pTab->pStore;
  KvFound found;
  if( p->key.n==0 || p->bReplace || kvBytesEqual(p->old, p->key) ) return;
  memset(&found, 0, sizeof(found));
  if( !kvRowFind(pStore, p->key, p->iNow, 0, &found) ) return;
  p->xTaken(pTab, p, kvStoreError(pStore));
  kvWorkConflict(pStore, 1);
}

/* Write the entry, once. */
static void writeRow(KvStore *pStore, const KvEntryWrite *p, KvBytes old, const KvRow *pRow){
  u32 mKey = p->key.n && !kvBytesEqual(old, p->key) ? (u32)KVSET_KEY : 0;
  if( old.n==0 ) kvWritePut(pStore, pRow);
  else if( p->key.n==0 && p->mSet==0 ) kvWriteDelete(pStore, old);
  else kvWriteUpdate(pStore, old, p->mSet | mKey, pRow);
}

/* While another entry has a value that must be unique, it goes, and the entry, which
** has its new key by now, is written again. */
#define WRITE_RIVALS 64
static void writeRivals(KvStore *pStore, const KvEntryWrite *p, const KvRow *pRow){
  int n;
  for(n=0; n<WRITE_RIVALS; n++){
    KvBytes path, rival = kvIndexEntryRival(pStore, &path);
    KvBuf key;
    if( rival.n==0 ) return;
    kvErrorClear(kvStoreError(pStore));
    kvBufInit(&key, 0, 0);
    kvBufAdd(&key, rival);
    kvErrorBuf(kvStoreError(pStore), &key);
    kvWriteDelete(pStore, kvBufBytes(&key));
    kvBufClear(&key);
    writeRow(pStore, p, p->old.n && p->key.n ? p->key : p->old, pRow);
  }
}

void kvEntryWrite(KvVtab *pTab, const KvEntryWrite *p){
  KvStore *pStore = pTab->pStore;
  KvRow row;
  int nStep = 0;
  kvMigrate(pStore);
  if( pTab->bElsewhere ) kvWriteLock(pStore);
  writeCheck(pTab, p);
  row.iVersion = kvTxnVersion(pStore, &nStep);
  row.key = p->key;
  row.value = p->value;
  row.eEncoding = p->eEncoding;
  row.iExpires = p->iExpires;
  writeRow(pStore, p, p->old, &row);
  if( p->bReplaceRivals ) writeRivals(pStore, p, &row);
  if( nStep==0 ) return;
  if( kvFailed(kvStoreError(pStore)) ) kvTxnGiveBack(pStore, nStep);
  else kvWriteSweepSome(pStore, p->iNow);
}
