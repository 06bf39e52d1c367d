/*
** rows.c -- the rows of an index that are not stored yet.  See rows.h.
**
** The rows are pointers in one sorted array.  New ones are merged into it from its end,
** before it is read; of a key that is dirty again the old ones are marked as gone, and
** leave the array when they are a quarter of it.
*/
#include "store/store_int.h"
#include "store/index/held.h"
#include "store/index/keys.h"
#include "store/index/rows.h"
#include "store/row.h"
#include <stdlib.h>

struct KvRows {
  KvOverlay o;            /* Must be first */
  KvOverRow **apRow;      /* Sorted, but for the last nNew */
  u32 nRow, nNew, nAlloc;
  u32 nGone;
  u32 nOwned;             /* Keys of index entries that are, or were, dirty */
  u32 mKind;              /* Of what there was at the paths: KVKIND_xxx */
  KvList keys;            /* Work space */
};

int kvRowCompare(KvBytes ikA, KvBytes pkA, KvBytes ikB, KvBytes pkB){
  int c = kvBytesCompare(ikA, ikB);
  return c ? c : kvBytesCompare(pkA, pkB);
}

static int rowsCompare(const KvOverRow *pA, const KvOverRow *pB){
  return kvRowCompare(pA->ik, pA->pk, pB->ik, pB->pk);
}

static int rowsQsort(const void *pA, const void *pB){
  return rowsCompare(*(KvOverRow *const*)pA, *(KvOverRow *const*)pB);
}

static void rowsClear(KvOverlay *pOver){
  KvRows *p = (KvRows*)pOver;
  u32 i;
  for(i=0; i<p->nRow; i++) sqlite3_free(p->apRow[i]);
  sqlite3_free(p->apRow);
  kvListClear(&p->keys);
}

/* Add a row of a dirty key. */
static void rowsAdd(KvRows *p, KvMapItem *pItem, KvBytes ik, KvBytes pk, int bLook){
  KvError *pErr = &p->o.pStore->err;
  KvOverRow *pRow;
  if( p->nRow==p->nAlloc ){
    u32 nAlloc = p->nAlloc ? 2*p->nAlloc : 16;
    KvOverRow **ap = sqlite3_realloc64(p->apRow, (u64)nAlloc*sizeof(*ap));
    if( ap==0 ){
      kvErrorCode(pErr, SQLITE_NOMEM);
      return;
    }
    p->apRow = ap;
    p->nAlloc = nAlloc;
  }
  pRow = sqlite3_malloc64(sizeof(*pRow) + ik.n + pk.n);
  if( pRow==0 ){
    kvErrorCode(pErr, SQLITE_NOMEM);
    return;
  }
  memset(pRow, 0, sizeof(*pRow));
  pRow->bLook = (u8)bLook;
  pRow->ik = kvBytes(memcpy(&pRow[1], ik.p, ik.n), ik.n);
  pRow->pk = kvBytes(memcpy((u8*)&pRow[1] + ik.n, pk.p, pk.n), pk.n);
  pRow->pNext = (KvOverRow*)(intptr_t)pItem->iValue;
  pItem->iValue = (i64)(intptr_t)pRow;
  p->apRow[p->nRow++] = pRow;
  p->nNew++;
}

/* A key is dirty, or done. */
static void rowsChange(KvOverlay *pOver, const KvIndexDef *pDef, KvMapItem *pItem, KvStmt *pRow){
  KvRows *p = (KvRows*)pOver;
  KvStore *pStore = pOver->pStore;
  KvBytes key = kvStmtBytes(pRow, KVDIRTY_COL_KEY), ik;
  KvOverRow *pOld = (KvOverRow*)(intptr_t)pItem->iValue;
  u32 i = 0;
  for(; pOld; pOld=pOld->pNext){
    pOld->bGone = 1;
    p->nGone++;
  }
  pItem->iValue = 0;
  if( kvIndexDefOwns(pDef, key) ){
    KvBuf pk = { 0 };
    p->nOwned++;
    if( pItem->bFound && kvIndexHolder(pDef, key, &pk) && pk.eErr==KV_OK ){
      rowsAdd(p, pItem, key, kvBufBytes(&pk), 1);
    }
    kvErrorBuf(&pStore->err, &pk);
    kvBufClear(&pk);
    return;
  }
  if( !pItem->bFound || kvStmtInt(pRow, KVDIRTY_COL_GONE) ) return;
  if( sqlite3_column_type(pRow->pStmt, KVDIRTY_COL_V)!=SQLITE_BLOB ){
    p->mKind |= KVKIND_NULL*KVKIND_EACH;
    return;
  }
  kvListReset(&p->keys);
  p->mKind |= kvIndexEntryKeys(pStore, pDef, key, (int)kvStmtInt(pRow, KVDIRTY_COL_ENCODING),
                               kvStmtBytes(pRow, KVDIRTY_COL_V), &p->keys);
  if( p->keys.bytes.n ) kvListSort(&p->keys);
  kvErrorBuf(&pStore->err, &p->keys.bytes);
  while( !kvFailed(&pStore->err) && kvListNext(&p->keys, &i, &ik) ) rowsAdd(p, pItem, ik, key, 0);
}

/* kv_index_value has the owners of a unique index's entries: what others make of
** them is no matter. */
static const KvOverlayKind aRowsKind[] = {
  { sizeof(KvRows), 1, rowsChange, rowsClear },
  { sizeof(KvRows), 0, rowsChange, rowsClear },
};

/* Drop those that are gone, and sort the others. */
static void rowsCompact(KvRows *p){
  u32 i, n = 0;
  for(i=0; i<p->nRow; i++){
    if( p->apRow[i]->bGone ) sqlite3_free(p->apRow[i]);
    else p->apRow[n++] = p->apRow[i];
  }
  p->nRow = n;
  p->nGone = p->nNew = 0;
  if( n>1 ) qsort(p->apRow, n, sizeof(*p->apRow), rowsQsort);
}

/* Sort the new rows, and merge them with the others. */
static void rowsSettle(KvRows *p){
  u32 nOld, nNew = p->nNew, iOut = p->nRow;
  KvOverRow **apNew;
  if( p->nGone>256 && p->nGone>p->nRow/4 ){
    rowsCompact(p);
    return;
  }
  p->nNew = 0;
  if( nNew==0 ) return;
  nOld = p->nRow - nNew;
  apNew = sqlite3_malloc64((u64)nNew*sizeof(*apNew));
  if( apNew==0 ){
    p->nNew = nNew;
    kvErrorCode(&p->o.pStore->err, SQLITE_NOMEM);
    return;
  }
  memcpy(apNew, &p->apRow[nOld], nNew*sizeof(*apNew));
  if( nNew>1 ) qsort(apNew, nNew, sizeof(*apNew), rowsQsort);
  while( nNew>0 ){
    u32 iLo = 0, iHi = nOld;
    while( iLo<iHi ){                  /* what is after the last new one stays together */
      u32 iMid = iLo + (iHi-iLo)/2;
      if( rowsCompare(p->apRow[iMid], apNew[nNew-1])<=0 ) iLo = iMid+1;
      else iHi = iMid;
    }
    iOut -= nOld-iLo;
    memmove(&p->apRow[iOut], &p->apRow[iLo], (nOld-iLo)*sizeof(*apNew));
    nOld = iLo;
    p->apRow[--iOut] = apNew[--nNew];
  }
  sqlite3_free(apNew);
}

KvRows *kvRowsOpen(KvStore *p, const KvIndexDef *pDef, const KvDirty *pDirty){
  int bUnique = (pDef->mOptions & KVINDEX_UNIQUE)!=0;
  KvRows *pRows;
  if( !pDirty->bAny || kvFailed(&p->err) ) return 0;
  pRows = (KvRows*)kvOverlayOpen(p, pDef, &aRowsKind[bUnique], pDirty);
  if( pRows && pRows->o.nRef==2 ) rowsSettle(pRows);   /* nobody reads it yet */
  return pRows;
}

u32 kvRowsKinds(const KvRows *p){
  return p->mKind;
}

void kvRowsClose(KvRows *p){
  if( p ) kvOverlayClose(&p->o);
}

int kvRowsHave(const KvRows *p, KvBytes ik, KvBytes pk){
  return kvOverlayHas(&p->o, pk) || (p->nOwned>0 && kvOverlayHas(&p->o, ik));
}

u32 kvRowsFind(const KvRows *p, KvBytes key){
  u32 iLo = 0, iHi = p->nRow;
  while( iLo<iHi ){
    u32 iMid = iLo + (iHi-iLo)/2;
    if( kvBytesCompare(p->apRow[iMid]->ik, key)<0 ) iLo = iMid+1;
    else iHi = iMid;
  }
  return iLo;
}

const KvOverRow *kvRowsAt(const KvRows *p, u32 i){
  return i<p->nRow ? p->apRow[i] : 0;
}

int kvRowsCount(KvRows *p, const KvOverRow *pRow){
  KvStore *pStore = p->o.pStore;
  const KvIndexDef *pDef;
  KvFound found = { 0 };
  KvList keys = { { 0 } };
  KvBytes ik;
  u32 i = 0;
  int bAsks = 0;
  if( pRow->bGone ) return 0;
  if( !pRow->bLook ) return 1;
  pDef = kvIndexNamed(pStore, p->o.zName);
  if( pDef==0 || kvOverlayHas(&p->o, pRow->pk) || !kvIndexDefCovers(pDef, pRow->pk)
   || kvIndexOwner(pStore, pRow->pk)
  ){
    return 0;
  }
  if( kvRowFind(pStore, pRow->pk, -1, 1, &found) ){
    kvIndexEntryKeys(pStore, pDef, pRow->pk, found.eEncoding, kvBufBytes(&found.v), &keys);
  }
  while( !bAsks && kvListNext(&keys, &i, &ik) ) bAsks = kvBytesEqual(ik, pRow->ik);
  kvErrorBuf(&pStore->err, &keys.bytes);
  kvListClear(&keys);
  kvBufClear(&found.v);
  return bAsks;
}
