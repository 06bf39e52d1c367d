/*
** collection_by_index.c -- a query on a collection, by a declared index.  See
** collection_by_index.h.
*/
#include "sql/collection_by_index.h"
#include "sql/args.h"
#include "sql/collection_measure.h"
#include "sql/rowid.h"
#include "store/index/dirty.h"
#include "store/schema.h"
#include "store/store.h"

/* Could an index be used? */
typedef struct ByIndex ByIndex;
struct ByIndex {
  const KvCollection *pTab;
  sqlite3_index_info *pInfo;
  const KvIndexDef *pDef;
  int bLower;             /* It holds strings in lower case */
};

/* ---- conditions ----------------------------------------------------------- */

/* May a constraint on a column be answered by the index? */
static int byIndexUsable(const ByIndex *p, int i, u32 iCol){
  const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
  const char *zColl;
  int eLiteral, bEqual;
  if( !pCons->usable || pCons->iColumn!=(int)iCol ) return 0;
  switch( pCons->op ){
    case SQLITE_INDEX_CONSTRAINT_GLOB: return !p->bLower;
    case SQLITE_INDEX_CONSTRAINT_LIKE: return p->bLower;
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:   break;
    case SQLITE_INDEX_CONSTRAINT_IS:   /* of several values NULL can't be looked for */
      eLiteral = kvCollectionLiteralType(p->pInfo, i);
      if( eLiteral==SQLITE_NULL || (eLiteral==0 && p->pDef->spec.nPath>1) ) return 0;
      break;
    default:                           return 0;
  }
  bEqual = pCons->op==SQLITE_INDEX_CONSTRAINT_EQ || pCons->op==SQLITE_INDEX_CONSTRAINT_IS;
  zColl = sqlite3_vtab_collation(p->pInfo, i);
  if( p->pTab->def.aColumn[iCol].eType==KV_COLTYPE_DATETIME && zColl ){
    /* Of equal texts the dates are equal, but their order is another one */
    if( sqlite3_stricmp(zColl, "BINARY")==0 ) return bEqual;
    return sqlite3_stricmp(zColl, "kv_datetime")==0 && (bEqual || !p->bLower);
  }
  if( zColl && sqlite3_stricmp(zColl, "NOCASE")==0 ) return p->bLower;
  if( zColl && sqlite3_stricmp(zColl, "BINARY")!=0 ) return 0;
  return !p->bLower || bEqual;
}

/* Is a column IS NOT NULL? */
static int byIndexNotNull(const ByIndex *p, int i, u32 iCol){
  const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
  return pCons->usable && pCons->iColumn==(int)iCol
      && pCons->op==SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
}

/* Is a constraint on a column one that no NULL meets? */
static int byIndexExcludesNull(const ByIndex *p, int i, u32 iCol){
  const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
  int eLiteral;
  if( !pCons->usable || pCons->iColumn!=(int)iCol ) return 0;
  switch( pCons->op ){
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: return 1;
    case SQLITE_INDEX_CONSTRAINT_IS:
      eLiteral = kvCollectionLiteralType(p->pInfo, i);
      return eLiteral!=0 && eLiteral!=SQLITE_NULL;
    default: return 0;
  }
}

/* Is a constraint "column = literal", the string that the entries of the index have? */
static int byIndexIsLiteral(const ByIndex *p, int i, u32 iCol){
  const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
  const KvNode *pWant = &p->pDef->spec.literal;
  const char *zColl;
  KvBytes want;
  u32 k;
  if( !pCons->usable || pCons->iColumn!=(int)iCol || pWant->eKind!=KV_STRING
   || (pCons->op!=SQLITE_INDEX_CONSTRAINT_EQ && pCons->op!=SQLITE_INDEX_CONSTRAINT_IS)
   || kvCollectionLiteralType(p->pInfo, i)!=SQLITE_TEXT
  ){
    return 0;
  }
  zColl = sqlite3_vtab_collation(p->pInfo, i);
  if( zColl && sqlite3_stricmp(zColl, "BINARY")!=0 ) return 0;
  want = kvNodeBytes(pWant);
  if( want.n==0 || want.p[0]=='I' || ((want.p[0]|32)<'a' || (want.p[0]|32)>'z') ) return 0;
  for(k=0; k<want.n; k++){
    if( want.p[k]>=0x80 ) return 0;
  }
  return kvBytesEqual(want, kvArgText(kvCollectionLiteral(p->pInfo, i)));
}

/* Has a column the path, and does it show what is there as an SQL value? */
static int byIndexIsColumn(const KvCollectionColumn *p, KvBytes path){
  return !p->bKey && p->eType!=KV_COLTYPE_JSON && kvBytesEqual(kvBytesText(p->zPath), path);
}

/* Has an entry of each row that the query asks for a place in the index? */
static int byIndexImplied(const ByIndex *p){
  const KvIndexSpec *pSpec = &p->pDef->spec;
  u32 iCol;
  int i;
  for(iCol=0; pSpec->where.n>0 && iCol<p->pTab->def.nColumn; iCol++){
    if( !byIndexIsColumn(&p->pTab->def.aColumn[iCol], pSpec->where) ) continue;
    for(i=0; i<p->pInfo->nConstraint; i++){
      if( pSpec->bEquals ? byIndexIsLiteral(p, i, iCol) : byIndexExcludesNull(p, i, iCol) ){
        return 1;
      }
    }
  }
  return pSpec->where.n==0;
}

/* ---- a plan ---------------------------------------------------------------- */

/* The column at a path that there is a condition on which no NULL meets. */
static int byIndexColumn(const ByIndex *p, KvBytes path, u16 *piCol){
  const KvCollectionDef *pDef = &p->pTab->def;
  int i, bFound = 0;
  u32 iCol;
  for(iCol=0; iCol<pDef->nColumn; iCol++){
    const KvCollectionColumn *pCol = &pDef->aColumn[iCol];
    if( !byIndexIsColumn(pCol, path) ) continue;
    for(i=0; i<p->pInfo->nConstraint; i++){
      int bUsable = byIndexUsable(p, i, iCol);
      if( !bUsable && (bFound || !byIndexNotNull(p, i, iCol)) ) continue;
      *piCol = (u16)iCol;
      bFound = 1;
      if( bUsable ) return 1;
    }
  }
  return bFound;
}

/* Take all constraints on column k of the index, and estimate the rows. */
static int byIndexTake(const ByIndex *p, KvCollectionDraft *pDraft, u32 k){
  KvCollectionPlan *pPlan = &pDraft->plan;
  int i, nBound = 0, bEqual = 0;
  for(i=0; i<p->pInfo->nConstraint; i++){
    if( !byIndexUsable(p, i, pPlan->aiColumn[k]) ) continue;
    if( pPlan->nArg==KVCOLL_ARGS ) return p->pDef->spec.nPath==1;
    kvCollectionTake(pDraft, p->pInfo, i, pPlan->aiColumn[k]);
    if( pPlan->aArg[pPlan->nArg-1].op==SQLITE_INDEX_CONSTRAINT_EQ ) bEqual = 1;
    else nBound++;
  }
  if( pPlan->nEqual<k ) return 1;
  if( bEqual ){
    pPlan->nEqual++;
    pDraft->rRows = kvCollectionMeasured(p->pTab, p->pDef->zName, pPlan->nEqual);
  }else if( nBound ){
    pDraft->rRows /= nBound>1 ? 64.0 : 4.0;
  }
  if( bEqual || nBound || k==0 ) pPlan->nQuery = (u8)(k + 1);
  return 1;
}

/* Does an index, under a condition on its values, deliver a column in SQL's order?
** (Of other columns what is stored otherwise would come at the wrong place.) */
static int byIndexSorted(const KvCollectionColumn *p, int bLower){
  switch( p->eType ){
    case KV_COLTYPE_INTEGER:
    case KV_COLTYPE_REAL:
    case KV_COLTYPE_BOOLEAN: return 1;
    case KV_COLTYPE_TEXT:    return p->bNoCase==bLower && !p->bNumeric;
    default:                 return 0;
  }
}

/* Is ORDER BY that of the column after those that are equal?  These may be named, too. */
static void byIndexOrder(const ByIndex *p, KvCollectionDraft *pDraft){
  const sqlite3_index_info *pInfo = p->pInfo;
  KvCollectionPlan *pPlan = &pDraft->plan;
  u32 nPath = p->pDef->spec.nPath, n = nPath==1 ? 0 : pPlan->nEqual, k;
  int i, iNext = -1;
  for(i=0; i<pInfo->nOrderBy; i++){
    for(k=0; k<n && pPlan->aiColumn[k]!=pInfo->aOrderBy[i].iColumn; k++){}
    if( k==nPath || pPlan->aiColumn[k]!=pInfo->aOrderBy[i].iColumn || (k==n && iNext>=0)
     || !byIndexSorted(&p->pTab->def.aColumn[pPlan->aiColumn[k]], p->bLower)
    ){
      return;
    }
    if( k==n ) iNext = i;
  }
  if( iNext<0 ) return;
  for(k=0; k<n; k++){                          /* '01' equals '1', and is elsewhere */
    if( p->pTab->def.aColumn[pPlan->aiColumn[k]].bNumeric ) return;
  }
  if( pPlan->nQuery==n ) pPlan->nQuery++;
  pPlan->bOrdered = 1;
  pPlan->bDesc = pInfo->aOrderBy[iNext].desc;
}

/* Is there an IN, whose values don't come in an order? */
static int byIndexIn(const ByIndex *p, const KvCollectionDraft *pDraft){
  int i;
  for(i=0; i<pDraft->plan.nArg; i++){
    if( sqlite3_vtab_in(p->pInfo, pDraft->aiCons[i], -1) ) return 1;
  }
  return 0;
}

/* The plan by an index.  0: there is none; 2: it has one row at the most. */
static int byIndexPlan(
  KvCollectionDraft *pDraft, const KvCollection *pTab, sqlite3_index_info *pInfo,
  const KvIndexDef *pDef
){
  ByIndex use = { pTab, pInfo, pDef, (pDef->mOptions & KVINDEX_LOWER)!=0 };
  KvCollectionPlan *pPlan = &pDraft->plan;
  u32 k, n;
  memset(pDraft, 0, sizeof(*pDraft));
  if( !kvBytesEqual(pDef->prefix, kvBufBytes(&pTab->def.prefix)) || pDef->spec.nPath==0
   || (pDef->mOptions & KVINDEX_SEARCH)
   || !byIndexImplied(&use)
  ){
    return 0;
  }
  pPlan->eHow = KVCOLL_INDEX;
  pDraft->rRows = KVCOLL_ROWS;
  if( pDef->spec.where.n ) pDraft->rRows /= pDef->spec.bEquals ? 10.0 : 2.0;
  for(k=0; k<pDef->spec.nPath; k++){
    if( !byIndexColumn(&use, pDef->spec.aPath[k], &pPlan->aiColumn[k]) ) return 0;
    for(n=0; n<k; n++){
      if( pPlan->aiColumn[n]==pPlan->aiColumn[k] ) return 0;
    }
    if( !byIndexTake(&use, pDraft, k) ) return 0;
  }
  pPlan->zIndex = pDef->zName;
  pPlan->iIndex = kvCollectionIndexHash(pDef);
  n = pPlan->nEqual==pDef->spec.nPath && (pDef->mOptions & KVINDEX_UNIQUE);
  if( n || pDraft->rRows<1.0 ) pDraft->rRows = 1.0;
  pDraft->rCost = 8.0 + 2.0*pDraft->rRows;
  if( !byIndexIn(&use, pDraft) ) byIndexOrder(&use, pDraft);
  return n ? 2 : 1;
}

i64 kvCollectionIndexHash(const KvIndexDef *p){
  i64 i = kvRowid(0, p->prefix);
  i = kvRowid(i, kvBytesText(p->zPath));
  return kvRowid(i, kvBytesText(p->zOptions));
}

/* ---- the best plan ----------------------------------------------------------- */

/* What it costs to sort the rows of a plan that doesn't. */
static double byIndexTotal(const KvCollectionDraft *p, const sqlite3_index_info *pInfo){
  return p->rCost + (pInfo->nOrderBy>0 && !p->plan.bOrdered ? p->rRows : 0.0);
}

/* If there is a choice between indexes, look at how many rows each has for a value. */
#define BY_INDEX_CHOICE 8
static void byIndexMeasure(KvCollection *pTab, sqlite3_index_info *pInfo, u32 n){
  char *azName[BY_INDEX_CHOICE];
  u32 aEqual[BY_INDEX_CHOICE], i, nName = 0;
  KvCollectionDraft draft;
  for(i=0; i<n && nName<BY_INDEX_CHOICE; i++){
    if( byIndexPlan(&draft, pTab, pInfo, kvIndexAt(pTab->t.pStore, i))!=1 ) continue;
    aEqual[nName] = draft.plan.nEqual;
    azName[nName++] = sqlite3_mprintf("%s", draft.plan.zIndex);
  }
  for(i=0; i<nName; i++){                      /* looking may read the declarations again */
    if( nName>1 && azName[i] && aEqual[i] ) kvCollectionMeasure(pTab, azName[i], aEqual[i]);
    sqlite3_free(azName[i]);
  }
}

/* Is there an index of a column? */
static int byIndexHas(const KvCollection *pTab, const KvCollectionColumn *pCol, u32 n){
  u32 i;
  for(i=0; i<n; i++){
    const KvIndexDef *pDef = kvIndexAt(pTab->t.pStore, i);
    if( kvIndexDefIsOf(pDef, kvBufBytes(&pTab->def.prefix), pCol->zPath) ) return 1;
  }
  return 0;
}

/* A column in the conditions that was declared with an index, which isn't there: a file
** that is read-only gets none.  0: there is no such column. */
static const char *byIndexMissing(const KvCollection *pTab, const sqlite3_index_info *pInfo, u32 n){
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    int iCol = pInfo->aConstraint[i].iColumn;
    const KvCollectionColumn *pCol;
    if( iCol<0 || iCol>=(int)pTab->def.nColumn ) continue;
    pCol = &pTab->def.aColumn[iCol];
    if( pCol->eIndex!=KV_COLINDEX_NONE && !byIndexHas(pTab, pCol, n) ) return pCol->zName;
  }
  return 0;
}

int kvCollectionByIndex(KvCollectionDraft *pBest, KvCollection *pTab, sqlite3_index_info *pInfo){
  KvStore *pStore = pTab->t.pStore;
  KvCollectionDraft draft;
  u32 i, n;
  if( pInfo->nConstraint==0 ) return SQLITE_OK;
  n = kvSchemaReady(pStore)==KV_STORE_READY ? kvIndexList(pStore) : 0;
  if( n>1 ){
    byIndexMeasure(pTab, pInfo, n);
    n = kvIndexList(pStore);
  }
  for(i=0; i<n; i++){
    if( byIndexPlan(&draft, pTab, pInfo, kvIndexAt(pStore, i))
     && byIndexTotal(&draft, pInfo)<byIndexTotal(pBest, pInfo)
    ){
      *pBest = draft;
    }
  }
  if( pBest->plan.eHow!=KVCOLL_INDEX ) pBest->zMissing = byIndexMissing(pTab, pInfo, n);
  return kvStoreError(pStore)->rc;
}
