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

/* The first usable constraint for each bit of ENTRIES_PLAN(EQ) ... OFFSET, or -1. */
typedef struct EntriesPlanChoice EntriesPlanChoice;
struct EntriesPlanChoice {
  int aiCons[ENTRIES_ARGS];
  u8 bBinary;             /* The equality is under BINARY */
  u8 bRest;               /* SQLite has constraints to check itself */
};

/* ENTRIES_ARG_IN is an equality of which SQLite hands over all values. */
static const KvVtabCons entriesPlanCons[ENTRIES_ARG_OFFSET] = {
  [ENTRIES_ARG_EQ] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS, "key=?" },
  [ENTRIES_ARG_IN] = { .zWord = "key IN (...)" },
  [ENTRIES_ARG_GT] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_GT, 0, "key>?" },
  [ENTRIES_ARG_GE] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_GE, 0, "key>=?" },
  [ENTRIES_ARG_LT] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_LT, 0, "key<?" },
  [ENTRIES_ARG_LE] = { ENTRIES_KEY, SQLITE_INDEX_CONSTRAINT_LE, 0, "key<=?" },
  [ENTRIES_ARG_PREFIX] = { ENTRIES_PREFIX, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS, "prefix=?" },
  [ENTRIES_ARG_CURSOR] = { ENTRIES_CURSOR, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_IS, "cursor=?" }
};

/* What of a plan a constraint could be, ENTRIES_ARG_xxx or -1. */
static int entriesPlanArg(sqlite3_index_info *pInfo, int iCons){
  int i = ENTRIES_ARG_OFFSET-1;
  while( i>=0 && !kvVtabFits(pInfo, iCons, &entriesPlanCons[i]) ) i--;
  return i;
}

/* Choose what to use.  0 if the plan is impossible. */
static int entriesPlanChoose(sqlite3_index_info *pInfo, EntriesPlanChoice *p){
  int i;
  memset(p, 0, sizeof(*p));
  for(i=0; i<ENTRIES_ARGS; i++) p->aiCons[i] = -1;
  for(i=0; i<pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
    int iBit = entriesPlanArg(pInfo, i);
    if( pCons->op==SQLITE_INDEX_CONSTRAINT_LIMIT ) continue;
    if( pCons->op==SQLITE_INDEX_CONSTRAINT_OFFSET ){
      if( pCons->usable ) p->aiCons[ENTRIES_ARG_OFFSET] = i;
      continue;
    }
    if( !pCons->usable ){
      if( iBit>=ENTRIES_ARG_PREFIX ) return 0;
      iBit = -1;
    }else if( iBit>=0 && iBit<ENTRIES_ARG_PREFIX ){
      const char *zColl = sqlite3_vtab_collation(pInfo, i);
      int bOurs = zColl && sqlite3_stricmp(zColl, "kv_compare")==0;
      int bBinary = zColl==0 || sqlite3_stricmp(zColl, "BINARY")==0;
      if( !bOurs && !(iBit==ENTRIES_ARG_EQ && bBinary) ) iBit = -1;
      if( iBit==ENTRIES_ARG_EQ && p->aiCons[ENTRIES_ARG_EQ]>=0 && p->bBinary && bOurs ){
        p->aiCons[ENTRIES_ARG_EQ] = -1;             /* the better of two equalities */
        p->bRest = 1;
      }
      if( iBit==ENTRIES_ARG_EQ && p->aiCons[ENTRIES_ARG_EQ]<0 ) p->bBinary = (u8)!bOurs;
    }
    if( iBit<0 || p->aiCons[iBit]>=0 ){
      if( iBit!=ENTRIES_ARG_PREFIX ) p->bRest = 1;
    }else{
      p->aiCons[iBit] = i;
    }
  }
  if( p->bBinary && p->aiCons[ENTRIES_ARG_EQ]>=0 ) p->bRest = 1;
  return 1;
}

/* Points make the bounds on the key superfluous: SQLite checks those. */
static void entriesPlanPointsOnly(EntriesPlanChoice *p){
  int i;
  for(i=ENTRIES_ARG_GT; i<=ENTRIES_ARG_LE; i++){
    if( p->aiCons[i]>=0 ) p->bRest = 1;
    p->aiCons[i] = -1;
  }
}

/* Whether the key's order is what ORDER BY (or GROUP BY) asks for. */
static int entriesPlanOrdered(sqlite3_index_info *pInfo){
  return pInfo->nOrderBy>0 && pInfo->aOrderBy[0].iColumn==ENTRIES_KEY;
}

/* Further constraints on prefix become further arguments. */
static void entriesPlanMorePrefixes(sqlite3_index_info *pInfo, int nArg){
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    struct sqlite3_index_constraint_usage *pUse = &pInfo->aConstraintUsage[i];
    if( pUse->argvIndex || !kvVtabFits(pInfo, i, &entriesPlanCons[ENTRIES_ARG_PREFIX]) ) continue;
    pUse->argvIndex = ++nArg;
    pUse->omit = 1;
  }
}

/* The bits ENTRIES_PLAN_LITERAL of the bounds that are literals. */
static int entriesPlanLiterals(sqlite3_index_info *pInfo, const EntriesPlanChoice *p){
  int i, mLiteral = 0;
  for(i=ENTRIES_ARG_GT; i<=ENTRIES_ARG_LE; i++){
    sqlite3_value *pVal = 0;
    if( p->aiCons[i]<0 ) continue;
    if( sqlite3_vtab_rhs_value(pInfo, p->aiCons[i], &pVal)==SQLITE_OK && pVal ){
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
  EntriesPlanChoice choice;
  int i, nArg = 0, mPlan = 0, bOrdered = entriesPlanOrdered(pInfo);
  const sqlite3_uint64 mValue =
    1u<<ENTRIES_VALUE | 1u<<ENTRIES_JS | 1u<<ENTRIES_JSON | 1u<<ENTRIES_RAW | 1u<<ENTRIES_TYPE;
  const sqlite3_uint64 mMeta =
    1u<<ENTRIES_VERSIONSTAMP | 1u<<ENTRIES_EXPIRES_AT | 1u<<ENTRIES_EXPIRE_IN;
  (void)pTab;
  if( !entriesPlanChoose(pInfo, &choice) ) return SQLITE_CONSTRAINT;
  if( choice.aiCons[ENTRIES_ARG_EQ]>=0 ){
    entriesPlanPointsOnly(&choice);
    if( !choice.bBinary && sqlite3_vtab_in(pInfo, choice.aiCons[ENTRIES_ARG_EQ], -1) ){
      sqlite3_vtab_in(pInfo, choice.aiCons[ENTRIES_ARG_EQ], 1);
      choice.aiCons[ENTRIES_ARG_IN] = choice.aiCons[ENTRIES_ARG_EQ];
      choice.aiCons[ENTRIES_ARG_EQ] = -1;
    }
  }
  if( choice.bRest || (pInfo->nOrderBy>0 && !bOrdered) ) choice.aiCons[ENTRIES_ARG_OFFSET] = -1;
  for(i=0; i<ENTRIES_ARGS; i++){
    struct sqlite3_index_constraint_usage *pUse;
    if( choice.aiCons[i]<0 ) continue;
    pUse = &pInfo->aConstraintUsage[choice.aiCons[i]];
    pUse->argvIndex = ++nArg;
    pUse->omit = !(i==ENTRIES_ARG_EQ && choice.bBinary);
    mPlan |= 1<<i;
  }
  entriesPlanMorePrefixes(pInfo, nArg);
  if( bOrdered ){
    pInfo->orderByConsumed = 1;
    if( pInfo->aOrderBy[0].desc ) mPlan |= ENTRIES_PLAN_DESC;
  }
  if( pInfo->colUsed & mValue ) mPlan |= ENTRIES_PLAN_VALUE;
  if( pInfo->colUsed & mMeta ) mPlan |= ENTRIES_PLAN_META;
  if( (pInfo->colUsed & ~((sqlite3_uint64)1<<ENTRIES_PREFIX))==0 ) mPlan |= ENTRIES_PLAN_COUNT;
  mPlan |= entriesPlanLiterals(pInfo, &choice);
  entriesPlanCost(pInfo, mPlan);
  pInfo->idxNum = mPlan;
  return entriesPlanWords(pInfo, mPlan);
}
