/*
** collection_plan.c -- how a query on a collection is run: xBestIndex.
*/
#include "sql/collection/collection_plan.h"
#include "sql/collection/collection_check.h"
#include "sql/collection/collection_code.h"
#include "sql/collection/collection_measure.h"
#include "sql/collection/collection_path.h"
#include "sql/collection/collection_search.h"
#include "sql/rowid.h"
#include "store/index/dirty.h"
#include "store/schema.h"
#include "store/store.h"

/* kv_key = ? */
static int planHiddenKey(
  KvCollectionDraft *p, const KvCollectionDef *pDef, sqlite3_index_info *pInfo
){
  u32 iCol = pDef->nColumn + KV_COLHIDE_KEY;
  int i;
  memset(p, 0, sizeof(*p));
  for(i=0; i<pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
    int bEqual = pCons->op==SQLITE_INDEX_CONSTRAINT_EQ || pCons->op==SQLITE_INDEX_CONSTRAINT_IS;
    if( pCons->usable && pCons->iColumn==(int)iCol && bEqual ) break;
  }
  if( i==pInfo->nConstraint ) return 0;
  kvCollectionTake(p, pInfo, i, iCol);
  p->plan.eHow = KVCOLL_KEY;
  p->rRows = 1.0;
  p->rCost = 5.0;
  p->bUnique = 1;
  return 1;
}

/* ---- the plan -------------------------------------------------------------------- */

/* Does it look for one key, whose declared columns and kv_key are all that is used? */
static void planPoint(
  KvCollectionDraft *p, const KvCollectionDef *pDef, const sqlite3_index_info *pInfo
){
  u32 i, n = pDef->nColumn + KV_COLHIDE_COUNT;
  if( !p->bUnique || p->plan.eHow!=KVCOLL_RANGE || p->plan.bPast ) return;
  if( p->plan.nAll>p->plan.nArg || p->plan.nArg!=pDef->nKey ) return;
  for(i=pDef->nColumn; i<n; i++){
    if( i!=pDef->nColumn + KV_COLHIDE_KEY && (pInfo->colUsed & (u64)1<<(i<63 ? i : 63)) ) return;
  }
  p->plan.bPoint = 1;
}

/* In ranges the values of an IN come at once. */
static void planAtOnce(KvCollectionDraft *p, sqlite3_index_info *pInfo){
  u32 i;
  if( p->plan.eHow!=KVCOLL_INDEX && p->plan.eHow!=KVCOLL_RANGE ) return;
  for(i=0; i<p->plan.nArg; i++) kvCollectionAtOnce(p, pInfo, i);
}

/*
** MULTI-INDEX OR: SQLite looks for the rows of each branch of an OR by an index, and then
** checks the conditions beside the OR itself, though the cursor has decided them.  So where
** the cursor may understand one that SQLite doesn't, that plan must not be chosen.  SQLite
** plans the branches right after the conditions beside them, for the same use of the table in
** the same statement, which is the newest one.  It says no more: so whatever it plans there
** after such a condition is dear, and what comes later is dearer.
*/
#define PLAN_BRANCH 1e6
#define PLAN_LEVELS 6
static void planBranch(
  KvCollectionDraft *p, KvCollection *pTab, const sqlite3_index_info *pInfo, const void *pStmt
){
  KvCollectionLast *pLast = &pTab->last;
  i64 iSign = pInfo->nConstraint;
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
    int aWhat[3] = { pCons->iColumn, pCons->op, pCons->iTermOffset };
    iSign = kvRowid(iSign, kvBytes(aWhat, sizeof(aWhat)));
  }
  if( pStmt!=pLast->pStmt || pInfo->colUsed!=pLast->mUsed ){
    pLast->bAlone = pLast->nLevel = 0;
  }else if( iSign!=pLast->iSign && pLast->bAlone && pLast->nLevel<PLAN_LEVELS ){
    pLast->nLevel++;
  }
  for(i=0; i<pLast->nLevel; i++) p->rCost *= PLAN_BRANCH;
  for(i=0; i<p->plan.nAll; i++){
    if( kvCollectionCheckAlone(pTab, &p->plan.aArg[i]) ) pLast->bAlone = 1;
  }
  pLast->mUsed = pInfo->colUsed;
  pLast->iSign = iSign;
  pLast->pStmt = sqlite3_next_stmt(pTab->t.pConn->db, 0);      /* planning may prepare others */
}

/*
** The constraint kv_as_of = ?, -1: there is none.  *prc: SQLITE_CONSTRAINT, no plan without its
** value; SQLITE_ERROR, it can't be beside MATCH, since the full-text index has only what is now.
*/
static int planPast(KvCollection *pTab, sqlite3_index_info *pInfo, int *prc){
  int i, iPast = -1, bMatch = 0;
  *prc = SQLITE_OK;
  for(i=0; i<pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
    int bEqual = pCons->op==SQLITE_INDEX_CONSTRAINT_EQ || pCons->op==SQLITE_INDEX_CONSTRAINT_IS;
    if( pCons->op==SQLITE_INDEX_CONSTRAINT_MATCH ) bMatch = 1;
    if( !bEqual || pCons->iColumn!=(int)pTab->def.nColumn + KV_COLHIDE_AS_OF ) continue;
    if( pCons->usable ) iPast = i;
    else *prc = SQLITE_CONSTRAINT;
  }
  if( iPast>=0 ) *prc = SQLITE_OK;
  if( iPast>=0 && bMatch ){
    *prc = SQLITE_ERROR;
    pTab->t.base.zErrMsg = kvMsg("kv: %!.100s: MATCH can't be used beside kv_as_of, since the "
        "full-text index has only what is there now; use LIKE", pTab->zName);
  }
  return iPast;
}

/* Add what the cursor decides; without looking for rows if the plan is full. */
static int planChecks(KvCollectionDraft *p, KvCollection *pTab, sqlite3_index_info *pInfo){
  u8 bPast = p->plan.bPast;
  if( kvCollectionPlanChecks(p, pTab, pInfo) ) return 1;
  if( p->plan.eHow!=KVCOLL_SEARCH ){
    memset(p, 0, sizeof(*p));
    p->plan.eHow = KVCOLL_RANGE;
    p->plan.bPast = bPast;
    p->plan.bValue = p->plan.bMeta = 1;
    p->rCost = p->rRows = kvCollectionRows(pTab);
    if( kvCollectionPlanChecks(p, pTab, pInfo) ) return 1;
  }
  sqlite3_free(pTab->t.base.zErrMsg);
  pTab->t.base.zErrMsg = sqlite3_mprintf("kv: %s: a query can have at most %d "
      "conditions on DATETIME and BOOLEAN columns", pTab->zName, KVCOLL_ARGS);
  return 0;
}

/* ---- the best way --------------------------------------------------------------- */

/* Measure the indexes that the query could look values up in. */
static void planMeasure(KvCollection *pTab, sqlite3_index_info *pInfo, u32 n){
  KvStore *pStore = pTab->t.pStore;
  KvList names = { { 0 } };
  KvCollectionDraft draft;
  KvBytes name;
  u32 i, iNext = 0;
  for(i=0; i<n; i++){
    if( !kvCollectionPath(&draft, pTab, pInfo, kvIndexAt(pStore, i)) ) continue;
    if( draft.plan.nArg==0 ) continue;
    kvListAdd(&names, kvBytes((const u8*)draft.plan.zIndex, (u32)strlen(draft.plan.zIndex) + 1));
    kvListAdd(&names, kvBytes(&draft.plan.nOwn, 1));
  }
  while( !kvFailed(kvStoreError(pStore)) && kvListNext(&names, &iNext, &name) ){
    const char *zName = (const char*)name.p;   /* looking may read the declarations again */
    kvListNext(&names, &iNext, &name);
    for(i=1; i<=name.p[0]; i++) kvCollectionRowsEach(pTab, zName, i);
  }
  kvErrorBuf(kvStoreError(pStore), &names.bytes);
  kvListClear(&names);
}

/* Is there an index of a column? */
static int planHas(const KvCollection *pTab, const KvCollectionColumn *pCol, u32 n){
  u32 i;
  for(i=0; i<n; i++){
    const KvIndexDef *pDef = kvIndexAt(pTab->t.pStore, i);
    if( kvIndexDefIsOf(pDef, kvBufBytes(&pTab->def.prefix), pCol->zPath) ) return 1;
  }
  return 0;
}

/* A column in the conditions that was declared with an index, which isn't there: a file
** that is read-only gets none.  0: there is no such column. */
static const char *planMissing(const KvCollection *pTab, const sqlite3_index_info *pInfo, u32 n){
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    int iCol = pInfo->aConstraint[i].iColumn;
    const KvCollectionColumn *pCol;
    if( iCol<0 || iCol>=(int)pTab->def.nColumn ) continue;
    pCol = &pTab->def.aColumn[iCol];
    if( pCol->eIndex!=KV_COLINDEX_NONE && !planHas(pTab, pCol, n) ) return pCol->zName;
  }
  return 0;
}

/* The best way by an index, if that is better than the best so far.  Where the declarations
** can't be read it is none; the query itself reports what is still wrong when it runs. */
static void planIndexes(KvCollectionDraft *pBest, KvCollection *pTab, sqlite3_index_info *pInfo){
  KvStore *pStore = pTab->t.pStore;
  KvCollectionDraft draft;
  u32 i, n;
  n = kvSchemaReady(pStore)==KV_STORE_READY ? kvIndexList(pStore) : 0;
  if( n>0 ){
    planMeasure(pTab, pInfo, n);
    n = kvIndexList(pStore);
  }
  for(i=0; i<n; i++){
    if( kvCollectionPath(&draft, pTab, pInfo, kvIndexAt(pStore, i)) && draft.rCost<pBest->rCost ){
      *pBest = draft;
    }
  }
  if( pBest->plan.eHow!=KVCOLL_INDEX ) pBest->zMissing = planMissing(pTab, pInfo, n);
}

/* The plan that is best. */
static int planBest(
  KvCollectionDraft *pBest, KvCollection *pTab, sqlite3_index_info *pInfo, int bPast
){
  KvCollectionDraft key;
  int rc = SQLITE_OK;
  if( !bPast && kvCollectionPlanSearch(pBest, pTab, pInfo, &rc) ) return rc;
  if( rc!=SQLITE_OK ) return rc;
  kvCollectionPath(pBest, pTab, pInfo, 0);
  if( planHiddenKey(&key, &pTab->def, pInfo) && !pBest->bUnique ){
    key.plan.bValue = pBest->plan.bValue;
    key.plan.bMeta = pBest->plan.bMeta;
    *pBest = key;
  }
  if( !pBest->bUnique && !bPast ) planIndexes(pBest, pTab, pInfo);
  pBest->plan.bPast = bPast!=0;
  return SQLITE_OK;
}

/* Looking for indexes, or at them, has failed.  SQLite makes SQLITE_ERROR of every code but
** SQLITE_NOMEM here, so an I/O error and the like are left to xFilter, which meets it again
** or doesn't. */
static int planFailed(KvVtab *p){
  char *zErr = 0;
  int rc = kvStoreTake(p->pStore, &zErr);
  if( rc==SQLITE_NOMEM || (rc & 0xff)==SQLITE_ERROR ){
    p->base.zErrMsg = zErr;
    return rc;
  }
  sqlite3_free(zErr);
  return SQLITE_OK;
}

int kvCollectionPlan(KvVtab *p, sqlite3_index_info *pInfo){
  KvCollection *pTab = (KvCollection*)p;
  const void *pStmt = sqlite3_next_stmt(p->pConn->db, 0);
  KvCollectionDraft best;
  u32 i;
  int rc, iPast;
  if( pTab->zBroken ) return SQLITE_OK;         /* xFilter says why */
  iPast = planPast(pTab, pInfo, &rc);
  if( rc==SQLITE_OK ) rc = planBest(&best, pTab, pInfo, iPast>=0);
  if( rc==SQLITE_OK && kvFailed(kvStoreError(p->pStore)) ) rc = planFailed(p);
  if( rc!=SQLITE_OK ) return rc;
  if( !planChecks(&best, pTab, pInfo) ) return p->base.zErrMsg ? SQLITE_ERROR : SQLITE_NOMEM;
  planPoint(&best, &pTab->def, pInfo);
  planAtOnce(&best, pInfo);
  planBranch(&best, pTab, pInfo, pStmt);
  for(i=0; i<best.plan.nAll; i++){
    struct sqlite3_index_constraint_usage *pUsage = &pInfo->aConstraintUsage[best.aiCons[i]];
    pUsage->argvIndex = (int)i + 1;
    pUsage->omit = (i<best.plan.nArg && best.aExact[i])
                || kvCollectionCheckDecides(&best.plan.aArg[i]);
  }
  if( iPast>=0 ) kvVtabTake(pInfo, iPast, (int)best.plan.nAll + 1, 1);
  pInfo->orderByConsumed = best.plan.bOrdered;
  pInfo->estimatedRows = (sqlite3_int64)(best.rRows<1.0 ? 1.0 : best.rRows);
  pInfo->estimatedCost = best.rCost;
  if( best.bUnique ) pInfo->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  pInfo->idxNum = 0;
  pInfo->idxStr = kvCollectionCode(pTab, &best);
  pInfo->needToFreeIdxStr = 1;
  return pInfo->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}
