/*
** collection_search.c -- MATCH on a collection.  See collection_search.h.
*/
#include "sql/collection/collection_search.h"
#include "sql/args.h"
#include "sql/collection/collection_measure.h"
#include "sql/collection/collection_path.h"
#include "store/index/dirty.h"
#include "store/schema.h"
#include "store/search_names.h"
#include "store/store.h"

/* ---- the index ----------------------------------------------------------------- */

/* The number of a path in an index, -1: it has none like it. */
static int searchPath(const KvIndexDef *pDef, const char *zPath){
  u32 i;
  for(i=0; i<pDef->spec.nPath; i++){
    if( kvBytesEqual(pDef->spec.aPath[i], kvBytesText(zPath)) ) return (int)i;
  }
  return -1;
}

/* Has an index the tokenizer that is declared, if one is? */
static int searchTokenizer(const KvCollection *p, const KvIndexDef *pDef){
  KvBuf tokenize = { 0 };
  int bSame;
  if( p->def.zTokenize==0 ) return 1;
  kvSearchTokenize(pDef, &tokenize);
  bSame = kvBytesEqual(kvBufBytes(&tokenize), kvBytesText(p->def.zTokenize));
  kvErrorBuf(kvStoreError(p->t.pStore), &tokenize);
  kvBufClear(&tokenize);
  return bSame;
}

int kvCollectionIsText(const KvCollection *p, const KvIndexDef *pDef){
  u32 i;
  if( !(pDef->mOptions & KVINDEX_SEARCH) || pDef->spec.where.n>0
   || pDef->spec.nPath!=p->def.nText || !kvBytesEqual(pDef->prefix, kvBufBytes(&p->def.prefix))
  ){
    return 0;
  }
  for(i=0; i<p->def.nColumn; i++){
    const KvCollectionColumn *pCol = &p->def.aColumn[i];
    if( pCol->bText && searchPath(pDef, pCol->zPath)<0 ) return 0;
  }
  return searchTokenizer(p, pDef);
}

const KvIndexDef *kvCollectionText(const KvCollection *p){
  u32 i, n = kvIndexCount(p->t.pStore);
  for(i=0; i<n; i++){
    const KvIndexDef *pDef = kvIndexAt(p->t.pStore, i);
    if( kvCollectionIsText(p, pDef) ) return pDef;
  }
  return 0;
}

/* ---- the plan ------------------------------------------------------------------- */

/* A message of xBestIndex. */
static int searchError(KvCollection *pTab, char *zMessage){
  sqlite3_free(pTab->t.base.zErrMsg);
  pTab->t.base.zErrMsg = zMessage;
  return zMessage ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Take a MATCH, if it is on the table or a FULLTEXT column. */
static int searchTake(
  KvCollectionDraft *p, KvCollection *pTab, sqlite3_index_info *pInfo, int i
){
  const KvCollectionDef *pDef = &pTab->def;
  u32 iCol = (u32)pInfo->aConstraint[i].iColumn;
  if( iCol<pDef->nColumn && !pDef->aColumn[iCol].bText ){
    return searchError(pTab, sqlite3_mprintf("kv: %s.%s: MATCH needs a full-text index; declare "
        "the column FULLTEXT", pTab->zName, pDef->aColumn[iCol].zName));
  }
  if( pDef->nText==0 ){
    return searchError(pTab, sqlite3_mprintf("kv: %s: %s(...) searches a full-text index; declare "
        "a column FULLTEXT", pTab->zName, pTab->zName));
  }
  if( sqlite3_vtab_in(pInfo, i, -1) ){
    return searchError(pTab, sqlite3_mprintf("kv: %s: a search can't be one of IN (...); join "
        "queries with OR: %s MATCH 'a OR b'", pTab->zName, pTab->zName));
  }
  if( !pInfo->aConstraint[i].usable ) return SQLITE_CONSTRAINT;
  if( p->plan.nArg==KVCOLL_ARGS ){
    return searchError(pTab, sqlite3_mprintf("kv: %s: a query can have at most %d MATCH",
                                             pTab->zName, KVCOLL_ARGS));
  }
  kvCollectionTake(p, pInfo, i, iCol);
  return SQLITE_OK;
}

/* Is a constraint MATCH on a column that is declared, or on the table?  "t = q", which is
** also t(q), is MATCH too. */
static int searchIsMatch(const KvCollectionDef *pDef, const sqlite3_index_info *pInfo, int i){
  const struct sqlite3_index_constraint *p = &pInfo->aConstraint[i];
  int bTable = p->iColumn==(int)pDef->nColumn + KV_COLHIDE_TABLE;
  if( p->op==SQLITE_INDEX_CONSTRAINT_EQ ) return bTable;
  return p->op==SQLITE_INDEX_CONSTRAINT_MATCH
      && (bTable || (p->iColumn>=0 && p->iColumn<(int)pDef->nColumn));
}

/* Is a hidden column asked for? */
static int searchAsked(const KvCollectionDef *pDef, const sqlite3_index_info *pInfo, int iHidden){
  u32 i = pDef->nColumn + (u32)iHidden;
  return (pInfo->colUsed & (u64)1<<(i<63 ? i : 63))!=0;
}

/* What is asked for beside the entries, and the order. */
static void searchResults(
  KvCollectionDraft *p, const KvCollectionDef *pDef, const sqlite3_index_info *pInfo
){
  u32 m = 0;
  if( searchAsked(pDef, pInfo, KV_COLHIDE_RANK) || searchAsked(pDef, pInfo, KV_COLHIDE_RANK2) ){
    m |= KVSEARCH_RANK;
  }
  if( searchAsked(pDef, pInfo, KV_COLHIDE_SNIPPET) ) m |= KVSEARCH_SNIPPET;
  if( searchAsked(pDef, pInfo, KV_COLHIDE_HIGHLIGHT) ) m |= KVSEARCH_HIGHLIGHT;
  if( pInfo->nOrderBy==1
   && (pInfo->aOrderBy[0].iColumn==(int)pDef->nColumn + KV_COLHIDE_RANK
       || pInfo->aOrderBy[0].iColumn==(int)pDef->nColumn + KV_COLHIDE_RANK2)
  ){
    m |= KVSEARCH_RANK|KVSEARCH_ORDER;
    if( pInfo->aOrderBy[0].desc ) m |= KVSEARCH_DESC;
    p->plan.bOrdered = 1;
    p->plan.bDesc = pInfo->aOrderBy[0].desc;
  }
  p->plan.mSearch = (u8)m;
}

int kvCollectionPlanSearch(
  KvCollectionDraft *p, KvCollection *pTab, sqlite3_index_info *pInfo, int *prc
){
  KvStore *pStore = pTab->t.pStore;
  const KvIndexDef *pIndex;
  int i;
  memset(p, 0, sizeof(*p));
  *prc = SQLITE_OK;
  for(i=0; i<pInfo->nConstraint && *prc==SQLITE_OK; i++){
    if( searchIsMatch(&pTab->def, pInfo, i) ) *prc = searchTake(p, pTab, pInfo, i);
  }
  if( *prc!=SQLITE_OK || p->plan.nArg==0 ) return 0;
  p->plan.eHow = KVCOLL_SEARCH;
  memset(p->aExact, 1, sizeof(p->aExact));
  p->rRows = 10.0 + kvCollectionRows(pTab)/100;
  p->rCost = 10.0;                               /* nothing else can do it */
  searchResults(p, &pTab->def, pInfo);
  if( kvSchemaReady(pStore)==KV_STORE_READY ) kvIndexList(pStore);
  pIndex = kvCollectionText(pTab);
  if( pIndex ){
    p->plan.zIndex = pIndex->zName;
    p->plan.iIndex = kvCollectionIndexHash(pIndex);
  }else if( !kvFailed(kvStoreError(pStore)) ){
    *prc = searchError(pTab, sqlite3_mprintf("kv: %s: the full-text index does not exist; "
        "declare it with kv_index(), or drop and create the table", pTab->zName));
  }
  return 1;
}

/* ---- the query -------------------------------------------------------------------- */

int kvCollectionQuery(
  const KvCollection *pTab, const KvCollectionPlan *pPlan, sqlite3_value **apArg, KvBuf *pOut
){
  KvError *pErr = kvStoreError(pTab->t.pStore);
  const KvIndexDef *pDef = kvIndexNamed(pTab->t.pStore, pPlan->zIndex);
  u32 i;
  kvBufReset(pOut);
  for(i=0; pDef && i<pPlan->nArg; i++){
    const KvCollectionColumn *pCol = 0;
    KvBytes text;
    if( sqlite3_value_type(apArg[i])==SQLITE_NULL ) return 0;
    text = kvArgName(apArg[i], pErr);
    if( text.p==0 ) return 0;
    if( pPlan->aArg[i].iCol<pTab->def.nColumn ) pCol = &pTab->def.aColumn[pPlan->aArg[i].iCol];
    if( i ) kvBufLit(pOut, " AND ");
    if( pCol ){
      KvBuf name = { 0 };
      u32 k;
      kvSearchColumn(pDef, pTab->def.zTables ? pTab->def.zTables : "",
                     (u32)searchPath(pDef, pCol->zPath), &name);
      kvBufLit(pOut, "{\"");
      for(k=0; k<name.n; k++){
        if( name.a[k]=='"' ) kvBufPut(pOut, '"');
        kvBufPut(pOut, name.a[k]);
      }
      kvBufLit(pOut, "\"} : ");
      kvErrorBuf(pErr, &name);
      kvBufClear(&name);
    }
    if( pCol || pPlan->nArg>1 ) kvBufPut(pOut, '(');
    kvBufAdd(pOut, text);
    if( pCol || pPlan->nArg>1 ) kvBufPut(pOut, ')');
  }
  kvBufTerminate(pOut);
  kvErrorBuf(pErr, pOut);
  return !kvFailed(pErr);
}
