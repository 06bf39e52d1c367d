/*
** collection_plan.c -- how a query on a collection is run: xBestIndex.
*/
#include "sql/collection_plan.h"
#include "sql/collection_by_index.h"
#include "sql/collection_check.h"
#include "sql/collection_measure.h"
#include "sql/collection_search.h"
#include "sql/rowid.h"
#include "store/store.h"

/* Column n of the KEY columns, 0: there are no more. */
static const KvCollectionColumn *planKey(const KvCollectionDef *p, u32 n, u32 *piCol){
  if( n<p->nKey ) *piCol = p->aiKey[n];
  return kvCollectionKey(p, n);
}

/* Is a constraint on a column usable, with an operator among mOp, comparing texts
** as bytes? */
static int planUsable(sqlite3_index_info *pInfo, int i, u32 iCol){
  const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
  const char *zColl;
  if( !pCons->usable || pCons->iColumn!=(int)iCol ) return 0;
  zColl = sqlite3_vtab_collation(pInfo, i);
  return zColl==0 || sqlite3_stricmp(zColl, "BINARY")==0;
}

/* Is a constraint =, or IS with the same meaning: bNull, the column may be NULL, and then
** the value must be known not to be? */
static int planIsEqual(sqlite3_index_info *pInfo, int i, int bNull){
  int op = pInfo->aConstraint[i].op;
  if( op!=SQLITE_INDEX_CONSTRAINT_IS ) return op==SQLITE_INDEX_CONSTRAINT_EQ;
  if( bNull ){
    int eLiteral = kvCollectionLiteralType(pInfo, i);
    return eLiteral!=0 && eLiteral!=SQLITE_NULL;
  }
  return 1;
}

/* Take = on a KEY column, if there is one.  (Without a type it may show NaN.  IN on a BOOLEAN
** is checked.) */
static int planEqual(
  KvCollectionDraft *p, const KvCollectionColumn *pCol, sqlite3_index_info *pInfo, u32 iCol
){
  int bNull = pCol->eType==KV_COLTYPE_ANY, i;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pCol->eType==KV_COLTYPE_BOOLEAN && sqlite3_vtab_in(pInfo, i, -1) ) continue;
    if( planIsEqual(pInfo, i, bNull) && planUsable(pInfo, i, iCol) ){
      kvCollectionTake(p, pInfo, i, iCol);
      return 1;
    }
  }
  return 0;
}

/* Take the bounds on a column.  Returns how many. */
static int planBounds(KvCollectionDraft *p, sqlite3_index_info *pInfo, u32 iCol){
  int i, n = 0;
  for(i=0; i<pInfo->nConstraint && p->plan.nArg<KVCOLL_ARGS; i++){
    switch( pInfo->aConstraint[i].op ){
      case SQLITE_INDEX_CONSTRAINT_GT:
      case SQLITE_INDEX_CONSTRAINT_GE:
      case SQLITE_INDEX_CONSTRAINT_LT:
      case SQLITE_INDEX_CONSTRAINT_LE:
        if( !planUsable(pInfo, i, iCol) ) break;
        kvCollectionTake(p, pInfo, i, iCol);
        n++;
        break;
      default:
        break;
    }
  }
  return n;
}

/* Do stored keys order a KEY column as SQL does? */
static int planSorted(const KvCollectionColumn *p){
  return p->eType!=KV_COLTYPE_ANY && p->eType!=KV_COLTYPE_BIGINT
      && !(p->bNoCase && p->eType==KV_COLTYPE_TEXT);
}

/* Is = on a KEY column true for one part only?  (A REAL may be 0 or -0, and '01' equals '1'
** where SQLite takes texts for numbers.) */
static int planConstant(const KvCollectionColumn *p){
  return p->eType!=KV_COLTYPE_ANY && p->eType!=KV_COLTYPE_BIGINT && p->eType!=KV_COLTYPE_REAL
      && !p->bNumeric;
}

/* Is ORDER BY that of the keys, where nEqual KEY columns are constant? */
static void planOrder(
  KvCollectionDraft *p, const KvCollectionDef *pDef, const sqlite3_index_info *pInfo, u32 nEqual
){
  int i, bDesc = 0, bFirst = 1;
  u32 n, iCol;
  if( pInfo->nOrderBy==0 ) return;
  for(n=0; n<nEqual; n++){
    if( !planConstant(planKey(pDef, n, &iCol)) ) return;
  }
  n = 0;
  for(i=0; i<pInfo->nOrderBy; i++){
    const KvCollectionColumn *pCol;
    u32 k;
    for(k=0; k<nEqual && planKey(pDef, k, &iCol) && (int)iCol!=pInfo->aOrderBy[i].iColumn; k++){}
    if( k<nEqual ) continue;                   /* it is constant */
    pCol = planKey(pDef, nEqual+n, &iCol);
    if( pCol==0 && n>0 ) break;                /* the key says it all */
    if( pCol==0 || (int)iCol!=pInfo->aOrderBy[i].iColumn || !planSorted(pCol) ) return;
    if( bFirst ) bDesc = pInfo->aOrderBy[i].desc;
    else if( bDesc!=pInfo->aOrderBy[i].desc ) return;
    if( pCol->eType==KV_COLTYPE_REAL && i+1<pInfo->nOrderBy ) return;
    bFirst = 0;
    n++;
  }
  p->plan.bOrdered = 1;
  p->plan.bDesc = (u8)bDesc;
}

/* Do keys tell of any value exactly whether it is equal to a column, less or greater? */
static int planExact(const KvCollectionColumn *p){
  return p->eType==KV_COLTYPE_INTEGER || p->eType==KV_COLTYPE_BLOB;
}

/* Is argument i an IN on a KEY column that SQLite doesn't take for one of numbers?  Then its
** values come at once: see kvCollectionAtOnce(). */
static int planOnce(
  const KvCollectionDraft *p, const KvCollectionDef *pDef, sqlite3_index_info *pInfo, u32 i
){
  int eType = pDef->aColumn[p->plan.aArg[i].iCol].eType;
  return (eType==KV_COLTYPE_ANY || eType==KV_COLTYPE_TEXT || eType==KV_COLTYPE_BLOB)
      && sqlite3_vtab_in(pInfo, p->aiCons[i], -1);
}

/* Over the keys. */
static void planKeys(KvCollectionDraft *p, const KvCollectionDef *pDef, sqlite3_index_info *pInfo){
  const KvCollectionColumn *pCol;
  u32 iCol, n = 0;
  int nBound = 0, bExact = 1, bOnce = 0;
  memset(p, 0, sizeof(*p));
  p->plan.eHow = KVCOLL_RANGE;
  p->rRows = KVCOLL_ROWS;
  while( n<KVCOLL_ARGS && (pCol = planKey(pDef, n, &iCol))!=0 && planEqual(p, pCol, pInfo, iCol)
  ){
    if( planOnce(p, pDef, pInfo, n) ){
      if( bOnce ){                               /* a second one is left to SQLite */
        p->plan.nArg--;
        break;
      }
      bOnce = 1;
      bExact = 0;
      n++;
      continue;
    }
    if( planExact(pCol) && p->nExact==(int)n ) p->nExact++;
    bExact = bExact && (planExact(pCol)
        || (pCol->eType==KV_COLTYPE_TEXT && !pCol->bNumeric && p->plan.aArg[n].bLiteral));
    n++;
  }
  p->plan.nEqual = (u8)n;
  pCol = planKey(pDef, n, &iCol);
  if( pCol && pCol->eType!=KV_COLTYPE_ANY ) nBound = planBounds(p, pInfo, iCol);
  if( nBound && planExact(pCol) && p->nExact==(int)n ) p->nExact += nBound;
  if( n>0 && n==pDef->nKey ){
    p->rRows = 1.0;
    p->bUnique = bExact;
  }else{
    u32 i;
    for(i=0; i<n; i++) p->rRows /= 30.0;
    if( nBound ) p->rRows /= nBound>1 ? 64.0 : 4.0;
  }
  p->rCost = 5.0 + p->rRows;
  if( !bOnce ) planOrder(p, pDef, pInfo, n);
}

/* kv_key = ? */
static int planHiddenKey(
  KvCollectionDraft *p, const KvCollectionDef *pDef, sqlite3_index_info *pInfo
){
  u32 iCol = pDef->nColumn + KV_COLHIDE_KEY;
  int i;
  memset(p, 0, sizeof(*p));
  for(i=0; i<pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
    if( pCons->usable && pCons->iColumn==(int)iCol && planIsEqual(pInfo, i, 0) ) break;
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

/* What of an entry the used columns need. */
static void planColumns(
  KvCollectionDraft *p, const KvCollectionDef *pDef, const sqlite3_index_info *pInfo
){
  u32 i, n = pDef->nColumn + KV_COLHIDE_COUNT;
  if( p->plan.eHow==KVCOLL_INDEX || p->plan.eHow==KVCOLL_SEARCH ) return;  /* they read all */
  for(i=0; i<n; i++){
    u64 mBit = (u64)1<<(i<63 ? i : 63);
    if( (pInfo->colUsed & mBit)==0 ) continue;
    if( i<pDef->nColumn ){
      if( !pDef->aColumn[i].bKey ) p->plan.bValue = 1;
    }else if( i-pDef->nColumn>=KV_COLHIDE_VERSIONSTAMP ){
      p->plan.bMeta = 1;
    }else if( i-pDef->nColumn>KV_COLHIDE_KEY ){
      p->plan.bValue = 1;
    }
  }
}

/* Is an argument one by which rows are looked for? */
static int planSeeks(const KvCollectionPlan *p, const KvCollectionArg *pArg){
  u32 k;
  for(k=0; k<p->nQuery && p->aiColumn[k]!=pArg->iCol; k++){}
  return p->eHow!=KVCOLL_INDEX || k<p->nQuery;
}

/* The plan in words. */
static char *planWords(const KvCollection *pTab, const KvCollectionDraft *p){
  const KvCollectionDef *pDef = &pTab->def;
  const char *zTable = pTab->zName;
  sqlite3_str *pOut = sqlite3_str_new(0);
  u32 i;
  if( p->plan.zIndex ) sqlite3_str_appendf(pOut, "%s %s",
      p->plan.eHow==KVCOLL_SEARCH ? "SEARCH" : "INDEX", p->plan.zIndex);
  else sqlite3_str_appendall(pOut, p->plan.nArg ? "KEY" : "SCAN");
  for(i=0; i<p->plan.nArg; i++){
    const KvCollectionArg *pArg = &p->plan.aArg[i];
    const char *zOp = pArg->op==SQLITE_INDEX_CONSTRAINT_EQ ? "="
        : pArg->op==SQLITE_INDEX_CONSTRAINT_GT ? ">"
        : pArg->op==SQLITE_INDEX_CONSTRAINT_GE ? ">=" : pArg->op==SQLITE_INDEX_CONSTRAINT_LT ? "<"
        : pArg->op==SQLITE_INDEX_CONSTRAINT_LE ? "<="
        : pArg->op==SQLITE_INDEX_CONSTRAINT_GLOB ? " GLOB "
        : pArg->op==SQLITE_INDEX_CONSTRAINT_MATCH ? " MATCH " : " LIKE ";
    if( !planSeeks(&p->plan, pArg) ) continue;
    sqlite3_str_appendf(pOut, "%s%s%s?", i ? " AND " : " ",
        pArg->iCol<pDef->nColumn ? pDef->aColumn[pArg->iCol].zName
        : pArg->iCol==pDef->nColumn+KV_COLHIDE_KEY ? "kv_key" : zTable, zOp);
  }
  if( p->plan.bOrdered ){
    sqlite3_str_appendall(pOut, p->plan.bDesc ? " IN ORDER DESC" : " IN ORDER");
  }
  if( p->plan.bPast ) sqlite3_str_appendall(pOut, " kv_as_of=?");
  if( p->zMissing ) sqlite3_str_appendf(pOut, " (no index on %s)", p->zMissing);
  return sqlite3_str_finish(pOut);
}

/* The number of the plan in the table's list; -1: no memory. */
static int planNumber(KvCollection *pTab, const KvCollectionPlan *pPlan){
  u32 i;
  KvCollectionPlan *aNew;
  char *zIndex = 0;
  for(i=0; i<pTab->nPlan; i++){
    KvCollectionPlan old = pTab->aPlan[i];
    if( (old.zIndex==0)!=(pPlan->zIndex==0) ) continue;
    if( old.zIndex && strcmp(old.zIndex, pPlan->zIndex)!=0 ) continue;
    old.zIndex = pPlan->zIndex;
    if( memcmp(&old, pPlan, sizeof(old))==0 ) return (int)i;
  }
  if( pPlan->zIndex && (zIndex = sqlite3_mprintf("%s", pPlan->zIndex))==0 ) return -1;
  aNew = sqlite3_realloc64(pTab->aPlan, (u64)(pTab->nPlan + 1)*sizeof(*aNew));
  if( aNew==0 ){
    sqlite3_free(zIndex);
    return -1;
  }
  pTab->aPlan = aNew;
  aNew[pTab->nPlan] = *pPlan;
  aNew[pTab->nPlan].zIndex = zIndex;
  return (int)pTab->nPlan++;
}

/* Looking for indexes has failed.  SQLite makes SQLITE_ERROR of every code but
** SQLITE_NOMEM here, so an I/O error and the like are left to xFilter.  False: the plan
** ends here, with *prc. */
static int planFailed(KvVtab *p, KvCollectionDraft *pDraft, int *prc){
  char *zErr = 0;
  *prc = kvStoreTake(p->pStore, &zErr);
  if( *prc==SQLITE_NOMEM || (*prc & 0xff)==SQLITE_ERROR ){
    p->base.zErrMsg = zErr;
    return 0;
  }
  sqlite3_free(zErr);
  pDraft->plan.rc = *prc;
  return 1;
}

/* In an index the values of an IN come at once, and among keys where planOnce() says so. */
static void planAtOnce(
  KvCollectionDraft *p, const KvCollectionDef *pDef, sqlite3_index_info *pInfo
){
  u32 i;
  for(i=0; i<p->plan.nArg; i++){
    if( p->plan.eHow==KVCOLL_INDEX
     || (p->plan.eHow==KVCOLL_RANGE && i<p->plan.nEqual && planOnce(p, pDef, pInfo, i))
    ){
      kvCollectionAtOnce(p, pInfo, i);
    }
  }
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

/* Add what the cursor decides; if there is no room, without looking for rows. */
static int planChecks(KvCollectionDraft *p, KvCollection *pTab, sqlite3_index_info *pInfo){
  u8 bPast = p->plan.bPast;
  if( kvCollectionPlanChecks(p, pTab, pInfo) ) return 1;
  if( p->plan.eHow!=KVCOLL_SEARCH ){
    memset(p, 0, sizeof(*p));
    p->plan.eHow = KVCOLL_RANGE;
    p->plan.bPast = bPast;
    p->rCost = p->rRows = KVCOLL_ROWS;
    planColumns(p, &pTab->def, pInfo);
    if( kvCollectionPlanChecks(p, pTab, pInfo) ) return 1;
  }
  sqlite3_free(pTab->t.base.zErrMsg);
  pTab->t.base.zErrMsg = sqlite3_mprintf("kv: %s: a query can have at most %d "
      "conditions on DATETIME and BOOLEAN columns", pTab->zName, KVCOLL_ARGS);
  return 0;
}

int kvCollectionPlan(KvVtab *p, sqlite3_index_info *pInfo){
  KvCollection *pTab = (KvCollection*)p;
  const void *pStmt = sqlite3_next_stmt(p->pConn->db, 0);
  KvCollectionDraft best, key;
  u32 i;
  int rc, iPast;
  if( pTab->zBroken ) return SQLITE_OK;         /* xFilter says why */
  iPast = planPast(pTab, pInfo, &rc);
  if( rc!=SQLITE_OK ) return rc;
  if( iPast>=0 ){
    planKeys(&best, &pTab->def, pInfo);
    if( planHiddenKey(&key, &pTab->def, pInfo) && !best.bUnique ) best = key;
    best.plan.bPast = 1;
  }else if( kvCollectionPlanSearch(&best, pTab, pInfo, &rc) ){
    if( rc==SQLITE_OK && kvFailed(kvStoreError(p->pStore)) && planFailed(p, &best, &rc) ){
      rc = SQLITE_OK;
    }
  }else if( rc==SQLITE_OK ){
    planKeys(&best, &pTab->def, pInfo);
    if( planHiddenKey(&key, &pTab->def, pInfo) && !best.bUnique ) best = key;
    if( !best.bUnique && kvCollectionByIndex(&best, pTab, pInfo)!=SQLITE_OK
     && planFailed(p, &best, &rc)
    ){
      rc = SQLITE_OK;
    }
  }
  if( rc!=SQLITE_OK ) return rc;
  planColumns(&best, &pTab->def, pInfo);
  if( !planChecks(&best, pTab, pInfo) ) return p->base.zErrMsg ? SQLITE_ERROR : SQLITE_NOMEM;
  planAtOnce(&best, &pTab->def, pInfo);
  planBranch(&best, pTab, pInfo, pStmt);
  for(i=0; i<best.plan.nAll; i++){
    struct sqlite3_index_constraint_usage *pUsage = &pInfo->aConstraintUsage[best.aiCons[i]];
    pUsage->argvIndex = (int)i + 1;
    pUsage->omit = (int)i<best.nExact || kvCollectionCheckDecides(&best.plan.aArg[i]);
  }
  if( iPast>=0 ) kvVtabTake(pInfo, iPast, (int)best.plan.nAll + 1, 1);
  pInfo->orderByConsumed = best.plan.bOrdered;
  pInfo->estimatedRows = (sqlite3_int64)(best.rRows<1.0 ? 1.0 : best.rRows);
  pInfo->estimatedCost = best.rCost;
  if( best.bUnique ) pInfo->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  pInfo->idxNum = planNumber(pTab, &best.plan);
  if( pInfo->idxNum<0 ) return SQLITE_NOMEM;
  pInfo->idxStr = planWords(pTab, &best);
  pInfo->needToFreeIdxStr = 1;
  return pInfo->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}
