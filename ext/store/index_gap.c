/*
** index_gap.c -- how far the declared indexes have caught up.  See index_gap.h.
*/
#include "store/store_int.h"
#include "store/index_gap.h"

/* The row of a place in kv_track_state. */
#define GAP_ROW(ePlace)  ((i64)(ePlace) + 2)

void kvGapPlaceAt(KvGapPlace *p, i64 iVersion){
  p->iVersion = iVersion;
  kvBufReset(&p->key);
}

void kvGapPlaceCopy(KvStore *p, KvGapPlace *pPlace, i64 iVersion, KvBytes key){
  pPlace->iVersion = iVersion;
  kvErrorCopy(&p->err, key, &pPlace->key);
}

void kvGapPlaceGet(KvStore *p, const KvFeed *pFeed, int ePlace, KvGapPlace *pPlace){
  KvStmt *pStmt;
  kvBufInit(&pPlace->key, 0, 0);
  kvGapPlaceAt(pPlace, pFeed->iApplied<INT64_MAX ? pFeed->iApplied+1 : INT64_MAX);
  if( !pFeed->bGap ) return;
  pStmt = kvStmtWith(p, KVSQL_INDEX_PLACE, "i", GAP_ROW(ePlace));
  if( kvFeedRow(pStmt) && kvStmtInt(pStmt, 0)>pFeed->iApplied ){
    int bKey = sqlite3_column_type(pStmt->pStmt, 1)==SQLITE_BLOB;
    kvGapPlaceCopy(p, pPlace, kvStmtInt(pStmt, 0), bKey ? kvStmtBytes(pStmt, 1) : kvBytes(0, 0));
  }
  kvStmtGive(pStmt);
}

/* A text, which an empty key is, comes before any BLOB. */
void kvGapPlaceBind(KvStmt *pStmt, int i, const KvGapPlace *pPlace){
  if( pPlace->key.n ) kvBindBytes(pStmt, i, kvBufBytes(&pPlace->key));
  else kvBindEmpty(pStmt, i);
}

void kvGapNone(KvStore *p, const KvFeed *pFeed, i64 iVersion, i64 iSince){
  i64 nRow = pFeed->bMark ? 2 : 1;
  kvStmtRun(kvStmtWith(p, KVSQL_FEED_SET_APPLIED, "iii", iVersion, iSince, nRow));
  if( pFeed->bGap ) kvStmtSimple(p, KVSQL_INDEX_PLACE_END);
}

void kvGapSet(KvStore *p, KvFeed *pFeed, i64 iVersion, i64 iGap, const KvGapPlace *aPlace){
  int i;
  i64 iApplied = iGap;
  for(i=0; i<KVGAP_COUNT; i++){
    KvStmt *pStmt = kvStmtTake(p, KVSQL_INDEX_PLACE_SET);
    if( aPlace[i].iVersion<=iApplied ) iApplied = aPlace[i].iVersion - 1;
    kvBindInt(pStmt, 1, GAP_ROW(i));
    kvBindInt(pStmt, 2, aPlace[i].iVersion);
    kvGapPlaceBind(pStmt, 3, &aPlace[i]);
    kvStmtRun(pStmt);
  }
  kvStmtRun(kvStmtWith(p, KVSQL_INDEX_STATE_GAP, "iii", pFeed->iNonce, iGap, iVersion));
  kvStmtRun(kvStmtWith(p, KVSQL_FEED_SET_APPLIED, "iii", iApplied, iVersion, (i64)1));
  pFeed->bMark = pFeed->bGap = 1;
  pFeed->iApplied = iApplied;
  pFeed->iGap = iGap;
  pFeed->iDone = iVersion;
}
