/*
** collection_rowid.c -- rowids of a collection.  See collection_rowid.h.
*/
#include "sql/collection/collection_rowid.h"
#include "sql/rowid.h"

i64 kvCollectionRowid(KvCollection *p, KvBytes key){
  i64 iRowid = kvRowid(0, key);
  KvMapItem *pItem;
  u8 a[8];
  if( !p->t.bJoined ) return iRowid;             /* nothing is written */
  kvPut64le(a, (u64)iRowid);
  pItem = kvMapAdd(&p->rowids, kvBytes(a, 8));
  if( pItem && !pItem->bFound ){
    pItem->bFound = 1;
    pItem->iValue = p->rowidKeys.bytes.n;
    kvListAdd(&p->rowidKeys, key);
  }
  return iRowid;
}

KvBytes kvCollectionRowidKey(const KvCollection *p, i64 iRowid){
  const KvMapItem *pItem;
  KvBytes key = { 0, 0 };
  u8 a[8];
  u32 i;
  kvPut64le(a, (u64)iRowid);
  pItem = kvMapFind(&p->rowids, kvBytes(a, 8));
  if( pItem==0 || p->rowidKeys.bytes.eErr!=KV_OK ) return key;
  i = (u32)pItem->iValue;
  return kvListNext(&p->rowidKeys, &i, &key) ? key : kvBytes(0, 0);
}

void kvCollectionRowidForget(KvCollection *p){
  kvMapClear(&p->rowids);
  kvListClear(&p->rowidKeys);
}
