/*
** collection_seek.c -- from a plan to ranges of keys.  See collection_seek.h.
*/
#include "sql/collection/collection_seek.h"
#include "codec/index_key.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_parse.h"
#include "codec/num/num.h"
#include "sql/args.h"
#include "sql/collection/collection_index.h"
#include "store/store.h"

/* The conditions on column k of the plan, of which the first is argument *pi, which moves
** behind them. */
static KvCollectionConds seekConds(
  const KvCollection *pTab, const KvCollectionPlan *pPlan, sqlite3_value **apArg, u32 k, u32 *pi
){
  KvCollectionConds conds = { pTab, &pTab->def.aColumn[pPlan->aiColumn[k]], &pPlan->aArg[*pi],
                              &apArg[*pi], 0, 0, 0, 0 };
  for(; *pi<pPlan->nArg && pPlan->aArg[*pi].iCol==pPlan->aiColumn[k]; ++*pi) conds.nArg++;
  conds.mPart = kvCollectionKeyParts(conds.pCol);
  return conds;
}

void kvCollectionSeekIndex(
  KvIndexQuery *aQuery, const KvCollection *pTab, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg, u32 mKind, int bLower, KvRanges *pRanges
){
  u32 k, i = 0;
  for(k=0; k<pPlan->nQuery; k++){
    KvCollectionConds conds = seekConds(pTab, pPlan, apArg, k, &i);
    if( k<pPlan->nOwn ){
      conds.mPart = kvIndexParts(mKind, k);
      conds.bDates = (mKind>>(KVKIND_BITS*k) & KVKIND_DATE)!=0;
      conds.bLower = (u8)bLower;
    }
    kvCollectionSeek(&aQuery[k], &conds, pRanges, kvStoreError(pTab->t.pStore));
    aQuery[k].bFind = 1;
  }
}

/* kv_key = ? */
static void seekKey(KvRanges *p, const KvCollectionDef *pDef, sqlite3_value *pVal, KvError *pErr){
  KvBytes text = kvArgText(pVal);
  KvBuf key = { 0 };
  int rc;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ) return;
  rc = text.p ? kvKeyParse(text, KVKEY_MALFORMED, &key, 0, 0) : KV_NOMEM;
  if( rc==KV_OK && key.n>pDef->prefix.n
   && kvBytesBegins(kvBufBytes(&key), kvBufBytes(&pDef->prefix))
  ){
    kvRangesPoint(p, kvBufBytes(&key));
  }
  kvBufClear(&key);
  if( rc==KV_NOMEM ) kvErrorCode(pErr, SQLITE_NOMEM);
}

/* The query for the conditions on KEY column k. */
static void seekPart(
  KvIndexQuery *pQuery, const KvCollectionPlan *pPlan, const KvCollectionConds *pConds, u32 k,
  KvRanges *pRanges, KvError *pErr
){
  int eType = pConds->nArg ? sqlite3_value_type(pConds->apArg[0]) : 0;
  if( pPlan->bOrdered && k<pPlan->iOrder && pConds->pCol->eType==KV_COLTYPE_TEXT
   && (eType==SQLITE_INTEGER || eType==SQLITE_FLOAT)
  ){
    /* An order relies on one text, which is that of the number */
    kvIndexQueryAny(pQuery, pConds->mPart, pErr);
    kvIndexQueryText(pQuery, SQLITE_INDEX_CONSTRAINT_EQ, kvArgName(pConds->apArg[0], pErr), 0);
  }else{
    kvCollectionSeek(pQuery, pConds, pRanges, pErr);
  }
}

/* The key whose parts are integers; of another type its range is made in the long way. */
static int seekPoint(
  KvRanges *p, const KvCollectionDef *pDef, const KvCollectionPlan *pPlan, sqlite3_value **apArg
){
  u8 aSpace[256];
  KvBuf key;
  u32 k;
  for(k=0; k<pPlan->nArg; k++){
    i64 v = sqlite3_value_int64(apArg[k]);
    if( pDef->aColumn[pPlan->aiColumn[k]].eType!=KV_COLTYPE_INTEGER ) return 0;
    if( sqlite3_value_type(apArg[k])!=SQLITE_INTEGER || !kvIsSafeInteger((double)v) ) return 0;
  }
  kvBufInit(&key, aSpace, sizeof(aSpace));
  kvBufAdd(&key, kvBufBytes(&pDef->prefix));
  for(k=0; k<pPlan->nArg; k++) kvKeyPutNumber(&key, (double)sqlite3_value_int64(apArg[k]));
  if( key.eErr ) p->bytes.eErr = key.eErr;
  else kvRangesPoint(p, kvBufBytes(&key));
  kvErrorBuf(p->pError, &p->bytes);
  kvBufClear(&key);
  return 1;
}

/* In one type there are no keys of others. */
void kvCollectionSeekKeys(
  KvRanges *p, KvIndexQuery *aQuery, const KvCollection *pTab, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg
){
  const KvCollectionDef *pDef = &pTab->def;
  KvError *pErr = kvStoreError(pTab->t.pStore);
  u32 k, i = 0, n = pPlan->nQuery;
  int eEnd = n==pDef->nKey && n>0 ? KVRANGES_END : KVRANGES_MORE;
  kvRangesReset(p);
  if( pPlan->eHow==KVCOLL_KEY ){
    seekKey(p, pDef, apArg[0], pErr);
    return;
  }
  p->pError = pErr;
  if( pPlan->bPoint && seekPoint(p, pDef, pPlan, apArg) ) return;
  if( n<pDef->nKey && n<pPlan->nPath
   && pDef->aColumn[pPlan->aiColumn[n]].eType!=KV_COLTYPE_ANY
  ){
    eEnd = KVRANGES_OPEN;
    n++;
  }
  for(k=0; k<n && !kvFailed(pErr); k++){
    KvCollectionConds conds = seekConds(pTab, pPlan, apArg, k, &i);
    seekPart(&aQuery[k], pPlan, &conds, k, p, pErr);
  }
  if( kvFailed(pErr) ) return;
  kvRangesMake(p, kvBufBytes(&pDef->prefix), aQuery, n, eEnd, 0, 0, 0, pErr);
  kvRangesByKey(p);
}
