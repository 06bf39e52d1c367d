/*
** index_claims.c -- which values of unique indexes are claimed by changes that the
** index entries don't show yet.  See index_claims.h.
*/
#include "store/index_claims.h"

/* What is in front of a primary key: the row before it, and the length. */
#define CLAIMS_HEAD  8u

void kvClaimsClear(KvClaims *p){
  kvMapClear(&p->map);
  kvBufClear(&p->rows);
  memset(p, 0, sizeof(*p));
}

/* Row *piRow, counted from 1, which becomes the one before it. */
static KvBytes claimsRow(const KvClaims *p, u32 *piRow){
  const u8 *a = &p->rows.a[*piRow-1];
  KV_ASSERT( *piRow-1+CLAIMS_HEAD<=p->rows.n );
  *piRow = kvGet32be(a);
  return kvBytes(&a[CLAIMS_HEAD], kvGet32be(&a[4]));
}

int kvClaimsNext(const KvClaims *p, KvBytes ik, u32 *piRow, KvBytes *pPk){
  if( *piRow==0 ){
    const KvMapItem *pItem = kvMapFind(&p->map, ik);
    if( pItem==0 || pItem->iValue==0 ) return 0;
    *piRow = (u32)pItem->iValue;
  }
  *pPk = claimsRow(p, piRow);
  return 1;
}

void kvClaimsAdd(KvClaims *p, KvBytes ik, KvBytes pk){
  KvMapItem *pItem = kvMapAdd(&p->map, ik);
  u8 aHead[CLAIMS_HEAD];
  u32 iRow;
  if( pItem==0 ){
    p->rows.eErr = KV_NOMEM;
    return;
  }
  iRow = (u32)pItem->iValue;
  if( iRow && kvBytesEqual(claimsRow(p, &iRow), pk) ) return;
  kvPut32be(aHead, (u32)pItem->iValue);
  kvPut32be(&aHead[4], pk.n);
  iRow = p->rows.n + 1;
  kvBufAppend(&p->rows, aHead, CLAIMS_HEAD);
  kvBufAdd(&p->rows, pk);
  if( p->rows.eErr==KV_OK ) pItem->iValue = iRow;
}

void kvClaimsCommit(KvClaims *p){
  if( p->bThere && p->iCommit>p->iVersion ) p->iVersion = p->iCommit;
  p->iCommit = INT64_MIN;
}

void kvClaimsRollback(KvClaims *p){
  p->iCommit = INT64_MIN;
}
