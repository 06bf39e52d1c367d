/*
** overlay.c -- the dirty keys of an index, in memory.  See overlay.h.
*/
#include "store/store_int.h"
#include "store/feed.h"
#include "store/index/overlay.h"

void kvOverlayClose(KvOverlay *p){
  if( p==0 || --p->nRef>0 ) return;
  p->pKind->xClear(p);
  sqlite3_free(p->zName);
  kvMapClear(&p->keys);
  kvListClear(&p->touched);
  sqlite3_free(p);
}

int kvOverlayHas(const KvOverlay *p, KvBytes key){
  const KvMapItem *pItem = kvMapFind(&p->keys, key);
  return pItem && pItem->bFound;
}

void kvOverlaysForget(KvStore *p){
  while( p->pOverlays ){
    KvOverlay *pOver = p->pOverlays;
    p->pOverlays = pOver->pNext;
    kvOverlayClose(pOver);
  }
}

void kvOverlaysUndone(KvStore *p){
  KvOverlay *pOver;
  for(pOver=p->pOverlays; pOver; pOver=pOver->pNext) pOver->bUndone = 1;
}

void kvOverlaysSafe(KvStore *p){
  KvOverlay *pOver;
  for(pOver=p->pOverlays; pOver; pOver=pOver->pNext){
    if( pOver->bUndone || !pOver->bTold ) continue;
    pOver->iSafe = pOver->iRead;
    kvListReset(&pOver->touched);
  }
}

/* ---- reading the list ------------------------------------------------------- */

/* A key of the list is what a row says. */
static void overlayChange(KvOverlay *p, const KvIndexDef *pDef, KvStmt *pRow, int bTouch){
  KvError *pErr = &p->pStore->err;
  KvBytes key = kvStmtBytes(pRow, KVDIRTY_COL_KEY);
  int bDone = kvStmtInt(pRow, KVDIRTY_COL_DONE)!=0, bOwned;
  const KvIndexDef *pOwner = kvIndexOwner(p->pStore, key);
  KvMapItem *pItem;
  if( pOwner ? !p->pKind->bOwned || pOwner!=pDef : !kvIndexDefCovers(pDef, key) ) return;
  bOwned = pOwner!=0;
  if( bTouch ){
    kvListAdd(&p->touched, key);
    kvErrorBuf(pErr, &p->touched.bytes);
  }
  pItem = bDone ? kvMapFind(&p->keys, key) : kvMapAdd(&p->keys, key);
  if( pItem==0 && !bDone ) kvErrorCode(pErr, SQLITE_NOMEM);
  if( pItem==0 || kvFailed(pErr) ) return;
  if( !bOwned ) p->nDirty += (u32)!bDone - pItem->bFound;
  pItem->bFound = !bDone;
  p->pKind->xChange(p, pDef, pItem, pRow);
}

static void overlayRows(KvOverlay *p, const KvIndexDef *pDef, KvStmt *pStmt, int bTouch){
  while( kvFeedRow(pStmt) ) overlayChange(p, pDef, pStmt, bTouch);
  kvStmtGive(pStmt);
}

/* Read a range of the list, after iAfter or, if that is negative, what is dirty of it. */
static void overlayRange(
  KvOverlay *p, const KvIndexDef *pDef, KvBytes lo, KvBytes hi, i64 iAfter, int bTouch
){
  KvStmt *pStmt = kvStmtWith(p->pStore, iAfter<0 ? KVSQL_DIRTY_ALL : KVSQL_DIRTY_SINCE, "bb",
                             lo, hi);
  if( iAfter>=0 ) kvBindInt(pStmt, 3, iAfter);
  overlayRows(p, pDef, pStmt, bTouch);
}

/* Read the keys again that were read after iSafe. */
static void overlayAgain(KvOverlay *p, const KvIndexDef *pDef){
  KvList list = p->touched;
  KvBytes key;
  u32 i = 0;
  memset(&p->touched, 0, sizeof(p->touched));
  while( !kvFailed(&p->pStore->err) && kvListNext(&list, &i, &key) ){
    overlayRows(p, pDef, kvStmtWith(p->pStore, KVSQL_DIRTY_ONE, "b", key), 1);
  }
  kvListClear(&list);
}

/* Bring it up to a state of the list. */
static void overlayGrow(KvOverlay *p, const KvIndexDef *pDef, const KvDirty *pDirty){
  KvStore *pStore = p->pStore;
  int bWrite = sqlite3_txn_state(pStore->db, pStore->zSchema)==SQLITE_TXN_WRITE;
  int bTouch = bWrite && p->iSafe>=0;
  if( p->bUndone ){
    overlayAgain(p, pDef);
    p->iRead = p->iSafe;
    p->bUndone = 0;
  }
  overlayRange(p, pDef, pDef->prefix, pDef->last, p->iRead, bTouch);
  if( p->pKind->bOwned ) overlayRange(p, pDef, pDef->name, pDef->nameEnd, p->iRead, bTouch);
  p->iRead = pDirty->iNewest;
  if( !bWrite ){
    p->iSafe = p->iRead;
    kvListReset(&p->touched);
  }
  p->bTold = pStore->txn.nJoined>0 && !pStore->txn.bUntold;
  p->bUndone = bWrite && !p->bTold;
}

static KvOverlay *overlayNew(
  KvStore *pStore, const KvIndexDef *pDef, const KvOverlayKind *pKind, const KvDirty *pDirty
){
  KvOverlay *p = kvZeroed(pKind->size);
  if( p==0 ){
    kvErrorCode(&pStore->err, SQLITE_NOMEM);
    return 0;
  }
  p->pKind = pKind;
  p->pStore = pStore;
  p->nRef = 1;
  p->iRead = p->iSafe = -1;
  p->iSchema = pStore->schema.iSchema;
  p->iGeneration = pDirty->iGeneration;
  p->zName = sqlite3_mprintf("%s", pDef->zName);
  if( p->zName==0 ) kvErrorCode(&pStore->err, SQLITE_NOMEM);
  overlayGrow(p, pDef, pDirty);
  return p;
}

/* ---- keeping them ------------------------------------------------------------ */

/* Take that of an index off the list, and drop those of other declarations. */
static KvOverlay *overlayTake(
  KvStore *p, const KvIndexDef *pDef, const KvOverlayKind *pKind, const KvDirty *pDirty
){
  KvOverlay **pp = &p->pOverlays, *pFound = 0;
  while( *pp ){
    KvOverlay *pOver = *pp;
    int bOld = pOver->iGeneration!=pDirty->iGeneration || pOver->iSchema!=p->schema.iSchema;
    int bThis = pOver->pKind==pKind && strcmp(pOver->zName, pDef->zName)==0;
    if( bOld || bThis ) *pp = pOver->pNext;
    else pp = &pOver->pNext;
    if( bOld ) kvOverlayClose(pOver);
    else if( bThis ) pFound = pOver;
  }
  return pFound;
}

/* Can it be brought up?  Not if a part of the list is gone that it hasn't read, nor if most
** of its keys are done. */
static int overlayUsable(const KvOverlay *p, const KvDirty *pDirty){
  i64 iFrom = p->bUndone ? p->iSafe : p->iRead;
  return iFrom>=pDirty->iSince && iFrom<=pDirty->iNewest && p->keys.nItem/4<=p->nDirty+256;
}

/* Is it of this state already? */
static int overlayCurrent(const KvOverlay *p, const KvDirty *pDirty){
  int bWrite = sqlite3_txn_state(p->pStore->db, p->pStore->zSchema)==SQLITE_TXN_WRITE;
  return !p->bUndone && p->iRead==pDirty->iNewest && (bWrite || p->iSafe==p->iRead);
}

/* A transaction that wrote has ended unless it goes on. */
static void overlayEnded(KvOverlay *p){
  int bWrite = sqlite3_txn_state(p->pStore->db, p->pStore->zSchema)==SQLITE_TXN_WRITE;
  if( !bWrite && p->iSafe<p->iRead ) p->bUndone = 1;
}

KvOverlay *kvOverlayOpen(
  KvStore *p, const KvIndexDef *pDef, const KvOverlayKind *pKind, const KvDirty *pDirty
){
  KvOverlay *pOver = overlayTake(p, pDef, pKind, pDirty);
  if( pOver ){
    overlayEnded(pOver);
    if( !overlayCurrent(pOver, pDirty) ){
      if( pOver->nRef==1 && overlayUsable(pOver, pDirty) ){
        overlayGrow(pOver, pDef, pDirty);
      }else{
        kvOverlayClose(pOver);
        pOver = 0;
      }
    }
  }
  if( pOver==0 ) pOver = overlayNew(p, pDef, pKind, pDirty);
  if( kvFailed(&p->err) ){
    kvOverlayClose(pOver);
    return 0;
  }
  pOver->nRef++;
  pOver->pNext = p->pOverlays;
  p->pOverlays = pOver;
  return pOver;
}
