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
#include "sql/vtab_entries_plan.h"

/* The first usable constraint for each bit of ENT_PLAN(ENT_ARG_EQ) ... OFFSET, or -1. */
typedef struct EntriesPlanChoice EntriesPlanChoice;
struct EntriesPlanChoice {
  int aiCons[ENT_ARGS];
  u8 bBinary;             /* The equality is under BINARY */
  u8 bRest;               /* SQLite has constraints to check itself */
};

/* ENT_ARG_IN is an equality of which SQLite hands over all values. */
static const KvVtabCons entriesPlanCons[ENT_ARG_OFFSET] = {
  [ENT_ARG_EQ] = { ENT_KEY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS, "key=?" },
  [ENT_ARG_IN] = { .zWord = "key IN (...)" },
  [ENT_ARG_GT] = { ENT_KEY, SQLITE_INDEX_CONSTRAINT_GT, 0, "key>?" },
  [ENT_ARG_GE] = { ENT_KEY, SQLITE_INDEX_CONSTRAINT_GE, 0, "key>=?" },
  [ENT_ARG_LT] = { ENT_KEY, SQLITE_INDEX_CONSTRAINT_LT, 0, "key<?" },
  [ENT_ARG_LE] = { ENT_KEY, SQLITE_INDEX_CONSTRAINT_LE, 0, "key<=?" },
  [ENT_ARG_PREFIX] = { ENT_PREFIX, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS, "prefix=?" },
  [ENT_ARG_CURSOR] = { ENT_CURSOR, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS, "cursor=?" }
};

/* What of a plan a constraint could be, ENT_ARG_xxx or -1. */
static int entriesPlanArg(sqlite3_index_info *pInfo, int iCons){
  int i = ENT_ARG_OFFSET-1;
  while( i>=0 && !kvVtabFits(pInfo, iCons, &entriesPlanCons[i]) ) i--;
  return i;
}

/* Choose what to use.  0 if the plan is impossible. */
static int entriesPlanChoose(sqlite3_index_info *pInfo, EntriesPlanChoice *p){
  int i;
  memset(p, 0, sizeof(*p));
  for(i=0; i<ENT_ARGS; i++) p->aiCons[i] = -1;
  for(i=0; i<pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
    int iBit = entriesPlanArg(pInfo, i);
    if( pCons->op==SQLITE_INDEX_CONSTRAINT_LIMIT ) continue;
    if( pCons->op==SQLITE_INDEX_CONSTRAINT_OFFSET ){
      if( pCons->usable ) p->aiCons[ENT_ARG_OFFSET] = i;
      continue;
    }
    if( !pCons->usable ){
      if( iBit>=ENT_ARG_PREFIX ) return 0;
      iBit = -1;
    }else if( iBit>=0 && iBit<ENT_ARG_PREFIX ){
      const char *zColl = sqlite3_vtab_collation(pInfo, i);
      int bOurs = zColl && sqlite3_stricmp(zColl, "kv_compare")==0;
      int bBinary = zColl==0 || sqlite3_stricmp(zColl, "BINARY")==0;
      if( !bOurs && !(iBit==ENT_ARG_EQ && bBinary) ) iBit = -1;
      if( iBit==ENT_ARG_EQ && p->aiCons[ENT_ARG_EQ]>=0 && p->bBinary && bOurs ){
        p->aiCons[ENT_ARG_EQ] = -1;             /* the better of two equalities */
        p->bRest = 1;
      }
      if( iBit==ENT_ARG_EQ && p->aiCons[ENT_ARG_EQ]<0 ) p->bBinary = (u8)!bOurs;
    }
    if( iBit<0 || p->aiCons[iBit]>=0 ){
      if( iBit!=ENT_ARG_PREFIX ) p->bRest = 1;
    }else{
      p->aiCons[iBit] = i;
    }
  }
  if( p->bBinary && p->aiCons[ENT_ARG_EQ]>=0 ) p->bRest = 1;
  return 1;
}

/* Points make the bounds on the key superfluous: SQLite checks those. */
static void entriesPlanPointsOnly(EntriesPlanChoice *p){
  int i;
  for(i=ENT_ARG_GT; i<=ENT_ARG_LE; i++){
    if( p->aiCons[i]>=0 ) p->bRest = 1;
    p->aiCons[i] = -1;
  }
}

/* Whether the key's order is what ORDER BY (or GROUP BY) asks for. */
static int entriesPlanOrdered(sqlite3_index_info *pInfo){
  return pInfo->nOrderBy>0 && pInfo->aOrderBy[0].iColumn==ENT_KEY;
}

/* Further constraints on prefix become further arguments. */
static void entriesPlanMorePrefixes(sqlite3_index_info *pInfo, int nArg){
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    struct sqlite3_index_constraint_usage *pUse = &pInfo->aConstraintUsage[i];
    if( pUse->argvIndex || !kvVtabFits(pInfo, i, &entriesPlanCons[ENT_ARG_PREFIX]) ) continue;
    pUse->argvIndex = ++nArg;
    pUse->omit = 1;
  }
}

/* The bits ENT_PLAN_LITERAL of the bounds that are literals. */
static int entriesPlanLiterals(sqlite3_index_info *pInfo, const EntriesPlanChoice *p){
  int i, mLiteral = 0;
  for(i=ENT_ARG_GT; i<=ENT_ARG_LE; i++){
    sqlite3_value *pVal = 0;
    if( p->aiCons[i]<0 ) continue;
    if( sqlite3_vtab_rhs_value(pInfo, p->aiCons[i], &pVal)==SQLITE_OK && pVal ){
      mLiteral |= ENT_PLAN_LITERAL<<(i-ENT_ARG_GT);
    }
  }
  return mLiteral;
}

/* What the plan costs, as far as one can know without looking. */
static void entriesPlanCost(sqlite3_index_info *pInfo, int mPlan){
  int bLower = (mPlan & (ENT_PLAN(ENT_ARG_GT)|ENT_PLAN(ENT_ARG_GE)|ENT_PLAN(ENT_ARG_CURSOR)))!=0;
  int bUpper = (mPlan & (ENT_PLAN(ENT_ARG_LT)|ENT_PLAN(ENT_ARG_LE)))!=0;
  double rRows;
  if( mPlan & ENT_PLAN(ENT_ARG_EQ) ){
    pInfo->estimatedRows = 1;
    pInfo->estimatedCost = 5.0;
    pInfo->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    return;
  }
  rRows = 1000000.0;
  if( mPlan & ENT_PLAN(ENT_ARG_IN) ){
    rRows = 10.0;
  }else{
    if( mPlan & ENT_PLAN(ENT_ARG_PREFIX) ) rRows /= 100.0;
    if( bLower && bUpper ) rRows /= 100.0;
    else if( bLower || bUpper ) rRows /= 4.0;
  }
  pInfo->estimatedRows = (sqlite3_int64)rRows;
  pInfo->estimatedCost = rRows*((mPlan & ENT_PLAN_VALUE) ? 3.0 : 1.0) + 5.0;
}

/* The plan in words for EXPLAIN QUERY PLAN. */
static int entriesPlanWords(sqlite3_index_info *pInfo, int mPlan){
  static const char *const azMore[] = {
    "", " OFFSET ?", " ORDER BY key DESC", " OFFSET ? ORDER BY key DESC"
  };
  int mBound = ENT_PLAN(ENT_ARG_OFFSET)-1;
  int iMore = ((mPlan & ENT_PLAN(ENT_ARG_OFFSET)) ? 1 : 0) + ((mPlan & ENT_PLAN_DESC) ? 2 : 0);
  const char *zHow = mPlan & ENT_PLAN_POINTS ? "POINT" : mPlan & mBound ? "RANGE" : "ALL";
  return kvVtabWords(pInfo, zHow, entriesPlanCons, ENT_ARG_OFFSET, azMore[iMore]);
}

int kvEntriesBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo){
  EntriesPlanChoice choice;
  int i, nArg = 0, mPlan = 0, bOrdered = entriesPlanOrdered(pInfo);
  const sqlite3_uint64 mValue =
    1u<<ENT_VALUE | 1u<<ENT_JS | 1u<<ENT_JSON | 1u<<ENT_RAW | 1u<<ENT_TYPE;
  const sqlite3_uint64 mMeta =
    1u<<ENT_VERSIONSTAMP | 1u<<ENT_EXPIRES_AT | 1u<<ENT_EXPIRE_IN;
  (void)pTab;
  if( !entriesPlanChoose(pInfo, &choice) ) return SQLITE_CONSTRAINT;
  if( choice.aiCons[ENT_ARG_EQ]>=0 ){
    entriesPlanPointsOnly(&choice);
    if( !choice.bBinary && sqlite3_vtab_in(pInfo, choice.aiCons[ENT_ARG_EQ], -1) ){
      sqlite3_vtab_in(pInfo, choice.aiCons[ENT_ARG_EQ], 1);
      choice.aiCons[ENT_ARG_IN] = choice.aiCons[ENT_ARG_EQ];
      choice.aiCons[ENT_ARG_EQ] = -1;
    }
  }
  if( choice.bRest || (pInfo->nOrderBy>0 && !bOrdered) ) choice.aiCons[ENT_ARG_OFFSET] = -1;
  for(i=0; i<ENT_ARGS; i++){
    struct sqlite3_index_constraint_usage *pUse;
    if( choice.aiCons[i]<0 ) continue;
    pUse = &pInfo->aConstraintUsage[choice.aiCons[i]];
    pUse->argvIndex = ++nArg;
    pUse->omit = !(i==ENT_ARG_EQ && choice.bBinary);
    mPlan |= 1<<i;
  }
  entriesPlanMorePrefixes(pInfo, nArg);
  if( bOrdered ){
    pInfo->orderByConsumed = 1;
    if( pInfo->aOrderBy[0].desc ) mPlan |= ENT_PLAN_DESC;
  }
  if( pInfo->colUsed & mValue ) mPlan |= ENT_PLAN_VALUE;
  if( pInfo->colUsed & mMeta ) mPlan |= ENT_PLAN_META;
  if( (pInfo->colUsed & ~((sqlite3_uint64)1<<ENT_PREFIX))==0 ) mPlan |= ENT_PLAN_COUNT;
  mPlan |= entriesPlanLiterals(pInfo, &choice);
  entriesPlanCost(pInfo, mPlan);
  pInfo->idxNum = mPlan;
  return entriesPlanWords(pInfo, mPlan);
}
