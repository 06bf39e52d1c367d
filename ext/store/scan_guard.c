/*
** scan_guard.c -- the keys that are written while something is read.  See
** scan_guard.h.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "bytes/map.h"
#include "store/row.h"
#include "store/scan_guard.h"

struct KvGuards {
  u32 nScan;              /* Scans of an index or the feed that are open */
  i64 iClock;             /* Writes so far */
  KvMap map;           /* iValue: iClock when the key was written last */
  KvMap added;         /* iValue: iClock when the key was added last */
  KvOpenScan *pScan;      /* Scans of entries that are open */
};

KvGuards *kvGuardsNew(void){
  return kvZeroed(sizeof(KvGuards));
}

void kvGuardsFree(KvGuards *p){
  if( p==0 ) return;
  kvMapClear(&p->map);
  kvMapClear(&p->added);
  sqlite3_free(p);
}

void kvGuardBegin(KvStore *p){
  p->pGuards->nScan++;
}

void kvGuardEnd(KvStore *p){
  KV_ASSERT( p->pGuards->nScan>0 );
  if( --p->pGuards->nScan==0 ) kvMapClear(&p->pGuards->map);
}

i64 kvGuardClock(const KvStore *p){
  return p->pGuards->iClock;
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
  if( pKey ) pKey->iValue = ++p->pGuards->iClock;
  else kvErrorCode(&p->err, SQLITE_NOMEM);
}

int kvGuardWritten(const KvStore *p, KvBytes key, i64 iClock){
  return guardSince(p->pGuards, &p->pGuards->map, key, iClock);
}

void kvScanOpen(KvStore *pStore, KvOpenScan *p, const KvBuf *pLo, const KvBuf *pHi){
  kvScanClose(pStore, p);
  p->bOpen = 1;
  p->pLo = pLo;
  p->pHi = pHi;
  p->iClock = pStore->pGuards->iClock;
  p->pNext = pStore->pGuards->pScan;
  pStore->pGuards->pScan = p;
}

void kvScanClose(KvStore *pStore, KvOpenScan *p){
  KvOpenScan **pp = &pStore->pGuards->pScan;
  if( !p->bOpen ) return;
  p->bOpen = 0;
  while( *pp!=p ) pp = &(*pp)->pNext;
  *pp = p->pNext;
  if( pStore->pGuards->pScan==0 ) kvMapClear(&pStore->pGuards->added);
}

int kvScanIsNew(const KvStore *pStore, const KvOpenScan *p, KvBytes key){
  return guardSince(pStore->pGuards, &pStore->pGuards->added, key, p->iClock);
}

/* Is the key ahead of any open scan? */
static int guardAhead(const KvGuards *pGuards, KvBytes key){
  const KvOpenScan *p;
  for(p=pGuards->pScan; p; p=p->pNext){
    if( kvBytesCompare(key, kvBufBytes(p->pLo))>=0
     && (p->pHi->n==0 || kvBytesCompare(key, kvBufBytes(p->pHi))<0)
    ){
      return 1;
    }
  }
  return 0;
}

void kvGuardChange(KvStore *p, KvBytes key){
  if( p->pGuards->nScan>0 ) guardNote(p, &p->pGuards->map, key);
}

void kvGuardPut(KvStore *p, KvBytes key){
  KvFound found;
  kvGuardChange(p, key);
  if( !guardAhead(p->pGuards, key) ) return;
  if( !kvRowFind(p, key, kvNow(), 0, &found) ) guardNote(p, &p->pGuards->added, key);
}
