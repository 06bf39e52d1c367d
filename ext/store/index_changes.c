/*
** index_changes.c -- what has changed that the declared indexes have not seen.  See
** index_changes.h.
*/
#include "store/store_int.h"
#include "store/index_changes.h"
#include "store/index_gap.h"

void kvChangesOf(KvChanges *p, KvStmt *pStmt){
  const KvIndexDef *pDef = p->pDef;
  kvBindBytes(pStmt, 2, pDef->prefix);
  if( pDef->prefix.n ) kvBindBytes(pStmt, 3, pDef->prefixEnd);
  while( kvFeedRow(pStmt) ){
    KvBytes pk = kvStmtBytes(pStmt, KVCHANGE_COL_KEY);
    if( kvIndexDefCovers(pDef, pk) && !kvIndexOwner(p->pStore, pk) ) p->xChange(p, pStmt);
  }
  kvStmtGive(pStmt);
}

/* What has changed since the places, up to a version. */
static void changesRange(KvChanges *p, const KvGapPlace *aPlace, i64 iMost){
  KvStmt *pStmt = kvStmtTake(p->pStore, KVSQL_INDEX_CHANGES);
  kvBindInt(pStmt, 1, aPlace[KVGAP_CHANGED].iVersion);
  kvGapPlaceBind(pStmt, 5, &aPlace[KVGAP_CHANGED]);
  kvBindInt(pStmt, 6, aPlace[KVGAP_GONE].iVersion);
  kvGapPlaceBind(pStmt, 7, &aPlace[KVGAP_GONE]);
  kvBindInt(pStmt, 4, iMost);
  kvChangesOf(p, pStmt);
}

void kvChangesGap(KvChanges *p, const KvFeed *pFeed){
  KvGapPlace aPlace[KVGAP_PRIMARY];
  int i;
  for(i=0; i<KVGAP_PRIMARY; i++) kvGapPlaceGet(p->pStore, pFeed, i, &aPlace[i]);
  changesRange(p, aPlace, pFeed->iGap+1);
  for(i=0; i<KVGAP_PRIMARY; i++) kvBufClear(&aPlace[i].key);
}

void kvChangesAfter(KvChanges *p, i64 iAfter){
  KvGapPlace aPlace[KVGAP_PRIMARY] = { { iAfter, { 0 } }, { iAfter, { 0 } } };
  int i;
  if( iAfter==INT64_MAX ) return;
  for(i=0; i<KVGAP_PRIMARY; i++) aPlace[i].iVersion++;
  changesRange(p, aPlace, INT64_MAX);
}
