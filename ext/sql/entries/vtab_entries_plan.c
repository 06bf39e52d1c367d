/*
** vtab_entries_plan.c -- xBestIndex of kv_entries.
**
** A query is run in one of three ways: by points (key = or key IN), by a
** range of the B-tree (key bounds, prefix and cursor, whatever there is of
** them), or over all entries, which is the range without bounds.  All of
** them deliver the keys in order, so ORDER BY key never sorts.
**
** The constraints on prefix and cursor have no meaning for a row alone, so
** they are always handled here.  Those on key are handed over if they compare
** under kv_compare.  An equality under BINARY (which is what "t.k = e.key"
** means, because the left side's collation counts) narrows the search to one
** entry, and SQLite checks it again.
*/
#include "sql/entries/vtab_entries_plan.h"

/* ENTRIES_ARG_IN is an equality of which SQLite hands over all values. */
static const KvVtabCons entriesPlanCons[ENTRIES_ARG_OFFSET] = {
  [ENTRIES_ARG_EQ] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS|KVCONS_KEY, "key=?" },
  [ENTRIES_ARG_IN] = { .zWord = "key IN (...)" },
  [ENTRIES_ARG_GT] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_GT, KVCONS_KEY, "key>?" },
  [ENTRIES_ARG_GE] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_GE, KVCONS_KEY, "key>=?" },
  [ENTRIES_ARG_LT] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_LT, KVCONS_KEY, "key<?" },
  [ENTRIES_ARG_LE] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_LE, KVCONS_KEY, "key<=?" },
  [ENTRIES_ARG_PREFIX] =
    { ENTRIES_PREFIX, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS|KVCONS_ARGUMENT, "prefix=?" },
  [ENTRIES_ARG_CURSOR] =
    { ENTRIES_CURSOR, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS|KVCONS_ARGUMENT, "cursor=?" },
  [ENTRIES_ARG_AS_OF] =
    { ENTRIES_AS_OF, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS|KVCONS_ARGUMENT, "as_of=?" }
};

/* An equality in place of ENTRIES_ARG_EQ, which SQLite checks again. */
static const KvVtabCons entriesPlanSame =
  { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS|KVCONS_BINARY, 0 };

/* Choose a constraint for each bit of the plan, -1: none.  Points make the bounds on the
** key superfluous: SQLite checks those.  0: there is no plan. */
static int entriesPlanChoose(sqlite3_index_info *pInfo, int *aiCons){
  int i, iEqual, bNone = 0;
  for(i=0; i<ENTRIES_ARG_OFFSET; i++){
    aiCons[i] = kvVtabChoose(pInfo, &entriesPlanCons[i], &bNone);
  }
  iEqual = aiCons[ENTRIES_ARG_EQ];
  if( iEqual<0 ){
    aiCons[ENTRIES_ARG_EQ] = kvVtabChoose(pInfo, &entriesPlanSame, &bNone);
  }else if( sqlite3_vtab_in(pInfo, iEqual, -1) ){
    sqlite3_vtab_in(pInfo, iEqual, 1);
    aiCons[ENTRIES_ARG_IN] = iEqual;
    aiCons[ENTRIES_ARG_EQ] = -1;
  }
  if( iEqual>=0 || aiCons[ENTRIES_ARG_EQ]>=0 ){
    for(i=ENTRIES_ARG_GT; i<=ENTRIES_ARG_LE; i++) aiCons[i] = -1;
  }
  return !bNone;
}

/* May a bound be the first column of a row value, of which SQLite checks the rest?  It makes
** >= of > then, and doesn't say so; a literal is no part of one. */
static int entriesPlanMayBeRow(sqlite3_index_info *pInfo, int i){
  int op = pInfo->aConstraint[i].op;
  sqlite3_value *pVal = 0;
  return (op==SQLITE_INDEX_CONSTRAINT_GE || op==SQLITE_INDEX_CONSTRAINT_LE)
      && !(sqlite3_vtab_rhs_value(pInfo, i, &pVal)==SQLITE_OK && pVal);
}

/* The constraint OFFSET, -1: there is none, or not all others are left to this table. */
static int entriesPlanOffset(sqlite3_index_info *pInfo){
  int i, iOffset = -1;
  for(i=0; i<pInfo->nConstraint; i++){
    int op = pInfo->aConstraint[i].op;
    if( entriesPlanMayBeRow(pInfo, i) ) return -1;
    if( op==SQLITE_INDEX_CONSTRAINT_OFFSET ){
      if( pInfo->aConstraint[i].usable ) iOffset = i;
    }else if( op!=SQLITE_INDEX_CONSTRAINT_LIMIT && !pInfo->aConstraintUsage[i].omit
           && !kvVtabFits(pInfo, i, &entriesPlanCons[ENTRIES_ARG_PREFIX])
    ){
      return -1;
    }
  }
  return iOffset;
}

/* Whether the key's order is what ORDER BY (or GROUP BY) asks for. */
static int entriesPlanOrdered(sqlite3_index_info *pInfo){
  return pInfo->nOrderBy>0 && pInfo->aOrderBy[0].iColumn==ENTRIES_KEY;
}

/* The bits ENTRIES_PLAN_LITERAL of the bounds that are literals. */
static int entriesPlanLiterals(sqlite3_index_info *pInfo, const int *aiCons){
  int i, mLiteral = 0;
  for(i=ENTRIES_ARG_GT; i<=ENTRIES_ARG_LE; i++){
    sqlite3_value *pVal = 0;
    if( aiCons[i]<0 ) continue;
    if( sqlite3_vtab_rhs_value(pInfo, aiCons[i], &pVal)==SQLITE_OK && pVal ){
      mLiteral |= ENTRIES_PLAN_LITERAL<<(i-ENTRIES_ARG_GT);
    }
  }
  return mLiteral;
}

/* What the plan costs, as far as one can know without looking. */
static void entriesPlanCost(sqlite3_index_info *pInfo, int mPlan){
  int bLower = (mPlan & (ENTRIES_PLAN(GT)|ENTRIES_PLAN(GE)|ENTRIES_PLAN(CURSOR)))!=0;
  int bUpper = (mPlan & (ENTRIES_PLAN(LT)|ENTRIES_PLAN(LE)))!=0;
  double rRows;
  if( mPlan & ENTRIES_PLAN(EQ) ){
    pInfo->estimatedRows = 1;
    pInfo->estimatedCost = 5.0;
    pInfo->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    return;
  }
  rRows = 1000000.0;
  if( mPlan & ENTRIES_PLAN(IN) ){
    rRows = 10.0;
  }else{
    if( mPlan & ENTRIES_PLAN(PREFIX) ) rRows /= 100.0;
    if( bLower && bUpper ) rRows /= 100.0;
    else if( bLower || bUpper ) rRows /= 4.0;
  }
  pInfo->estimatedRows = (sqlite3_int64)rRows;
  pInfo->estimatedCost = rRows*((mPlan & ENTRIES_PLAN_VALUE) ? 3.0 : 1.0) + 5.0;
}

/* The plan in words for EXPLAIN QUERY PLAN. */
static int entriesPlanWords(sqlite3_index_info *pInfo, int mPlan){
  static const char *const azMore[] = {
    "", " OFFSET ?", " ORDER BY key DESC", " OFFSET ? ORDER BY key DESC"
  };
  int mBound = ENTRIES_PLAN(OFFSET)-1;
  int iMore = ((mPlan & ENTRIES_PLAN(OFFSET)) ? 1 : 0) + ((mPlan & ENTRIES_PLAN_DESC) ? 2 : 0);
  const char *zHow = mPlan & ENTRIES_PLAN_POINTS ? "POINT" : mPlan & mBound ? "RANGE" : "ALL";
  return kvVtabWords(pInfo, zHow, entriesPlanCons, ENTRIES_ARG_OFFSET, azMore[iMore]);
}

int kvEntriesBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo){
  int aiCons[ENTRIES_ARG_OFFSET];
  int i, nArg = 0, mPlan = 0, bOrdered = entriesPlanOrdered(pInfo);
  const sqlite3_uint64 mValue =
    1u<<ENTRIES_VALUE | 1u<<ENTRIES_JS | 1u<<ENTRIES_JSON | 1u<<ENTRIES_RAW | 1u<<ENTRIES_TYPE;
  const sqlite3_uint64 mMeta =
    1u<<ENTRIES_VERSIONSTAMP | 1u<<ENTRIES_EXPIRES_AT | 1u<<ENTRIES_EXPIRE_IN;
  (void)pTab;
  if( !entriesPlanChoose(pInfo, aiCons) ) return SQLITE_CONSTRAINT;
  for(i=0; i<ENTRIES_ARG_OFFSET; i++){
    int iCons = aiCons[i];
    if( iCons<0 ) continue;
    kvVtabTake(pInfo, iCons, ++nArg, i!=ENTRIES_ARG_EQ || kvVtabUnder(pInfo, iCons, KVCONS_KEY));
    mPlan |= 1<<i;
  }
  i = pInfo->nOrderBy==0 || bOrdered ? entriesPlanOffset(pInfo) : -1;
  if( mPlan & ENTRIES_PLAN(AS_OF) ) i = -1;
  if( i>=0 ){
    kvVtabTake(pInfo, i, ++nArg, 1);
    mPlan |= ENTRIES_PLAN(OFFSET);
  }
  for(i=0; i<pInfo->nConstraint; i++){           /* further ones on prefix */
    if( pInfo->aConstraintUsage[i].argvIndex==0
     && kvVtabFits(pInfo, i, &entriesPlanCons[ENTRIES_ARG_PREFIX])
    ){
      kvVtabTake(pInfo, i, ++nArg, 1);
    }
  }
  if( bOrdered ){
    pInfo->orderByConsumed = 1;
    if( pInfo->aOrderBy[0].desc ) mPlan |= ENTRIES_PLAN_DESC;
  }
  if( pInfo->colUsed & mValue ) mPlan |= ENTRIES_PLAN_VALUE;
  if( pInfo->colUsed & mMeta ) mPlan |= ENTRIES_PLAN_META;
  if( (pInfo->colUsed & ~((sqlite3_uint64)1<<ENTRIES_PREFIX))==0
   && (mPlan & ENTRIES_PLAN(AS_OF))==0
  ) mPlan |= ENTRIES_PLAN_COUNT;
  mPlan |= entriesPlanLiterals(pInfo, aiCons);
  entriesPlanCost(pInfo, mPlan);
  pInfo->idxNum = mPlan;
  return entriesPlanWords(pInfo, mPlan);
}
