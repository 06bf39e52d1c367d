/*
** scan_guard.c -- the keys that are written while something is read.  See
** scan_guard.h.
*/
#include "store/store_int.h"
#include "store/scan_guard.h"

void kvGuardsClear(KvStore *p){
  kvMapClear(&p->guards.map);
  kvMapClear(&p->guards.added);
}

void kvGuardBegin(KvStore *p){
  p->guards.nScan++;
}

void kvGuardEnd(KvStore *p){
  KV_ASSERT( p->guards.nScan>0 );
  if( --p->guards.nScan==0 ) kvMapClear(&p->guards.map);
}

i64 kvGuardClock(const KvStore *p){
  return p->guards.iClock;
}

/* Has the map a key with a later count? */
static int guardSince(const KvGuards *p, const KvMap *pMap, KvBytes key, i64 iClock){
  const KvMapItem *pKey = p->iClock==iClock ? 0 : kvMapFind(pMap, key);
  return pKey && pKey->iValue>iClock;
}

/* Count a write to a key. */
static void guardNote(KvStore *p, KvMap *pMap, KvBytes key){
  KvMapItem *pKey;
  if( kvFailed(&p->err) ) return;
  pKey = kvMapAdd(pMap, key);
  if( pKey ) pKey->iValue = ++p->guards.iClock;
  else kvErrorCode(&p->err, SQLITE_NOMEM);
}

int kvGuardWritten(const KvStore *p, KvBytes key, i64 iClock){
  return guardSince(&p->guards, &p->guards.map, key, iClock);
}

void kvScanOpen(KvStore *pStore, KvOpenScan *p, const KvBuf *pLo, const KvBuf *pHi){
  kvScanClose(pStore, p);
  p->bOpen = 1;
  p->pLo = pLo;
  p->pHi = pHi;
  p->iClock = pStore->guards.iClock;
  p->pNext = pStore->guards.pScan;
  pStore->guards.pScan = p;
}

void kvScanClose(KvStore *pStore, KvOpenScan *p){
  KvOpenScan **pp = &pStore->guards.pScan;
  if( !p->bOpen ) return;
  p->bOpen = 0;
  while( *pp!=p ) pp = &(*pp)->pNext;
  *pp = p->pNext;
  if( pStore->guards.pScan==0 ) kvMapClear(&pStore->guards.added);
}

int kvScanIsNew(const KvStore *pStore, const KvOpenScan *p, KvBytes key){
  return guardSince(&pStore->guards, &pStore->guards.added, key, p->iClock);
}

int kvGuardAhead(const KvStore *pStore, KvBytes key){
  const KvOpenScan *p;
  for(p=pStore->guards.pScan; p; p=p->pNext){
    if( kvBytesCompare(key, kvBufBytes(p->pLo))>=0
     && (p->pHi->n==0 || kvBytesCompare(key, kvBufBytes(p->pHi))<0)
    ){
      return 1;
    }
  }
  return 0;
}

void kvGuardChange(KvStore *p, KvBytes key){
  if( p->guards.nScan>0 ) guardNote(p, &p->guards.map, key);
}

void kvGuardAdd(KvStore *p, KvBytes key){
  guardNote(p, &p->guards.added, key);
}
