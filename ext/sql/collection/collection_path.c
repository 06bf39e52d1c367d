/*
** collection_path.c -- a way to the rows.  See collection_path.h.
*/
#include "sql/collection/collection_path.h"
#include "codec/index_key.h"
#include "sql/args.h"
#include "sql/collection/collection_measure.h"
#include "sql/rowid.h"

typedef struct Path Path;
struct Path {
  KvCollection *pTab;
  sqlite3_index_info *pInfo;
  const KvIndexDef *pDef;          /* 0: the primary key */
  KvCollectionDraft *pDraft;
  KvCollectionPlan *pPlan;         /* That of the draft */
  int bLower;             /* It holds strings in lower case */
  u32 mKind;
  u32 mEqual;             /* Columns that are equal to one value (a bit mask, by their number
                          ** in the path), ... */
  u32 mIn;                /* ... or to one of several */
  u32 nEqual;             /* The first ones that are either */
  int nBound;             /* Bounds on the next one */
  int bExact;             /* The keys decide all conditions so far */
};

static const KvCollectionColumn *pathColumn(const Path *p, u32 k){
  return &p->pTab->def.aColumn[p->pPlan->aiColumn[k]];
}

/* What there is at path k of the index: KVKIND_xxx. */
static u32 pathKind(const Path *p, u32 k){
  return p->mKind>>(KVKIND_BITS*k) & 0xff;
}

/* The plan relies on there being none of these. */
static void pathRely(Path *p, u32 k, u32 mNot){
  p->pPlan->mNot |= (mNot & 0xff)<<(KVKIND_BITS*k);
}

/* ---- conditions ----------------------------------------------------------- */

static int pathIsEqual(int op){
  return op==SQLITE_INDEX_CONSTRAINT_EQ || op==SQLITE_INDEX_CONSTRAINT_IS;
}

/* Is the collation of a constraint one under which column k is ordered as its key parts? */
static int pathCollation(const Path *p, int i, const KvCollectionColumn *pCol){
  const char *zColl = sqlite3_vtab_collation(p->pInfo, i);
  int bEqual = pathIsEqual(p->pInfo->aConstraint[i].op);
  if( pCol->eType==KV_COLTYPE_DATETIME && zColl ){
    /* Of equal texts the dates are equal, but their order is another one */
    if( sqlite3_stricmp(zColl, "BINARY")==0 ) return bEqual;
    return sqlite3_stricmp(zColl, "kv_datetime")==0 && (bEqual || !p->bLower);
  }
  if( zColl && sqlite3_stricmp(zColl, "NOCASE")==0 ) return p->bLower;
  if( zColl && sqlite3_stricmp(zColl, "BINARY")!=0 ) return 0;
  return !p->bLower || bEqual;
}

/* May a constraint on a column, of the index (bOwn) or the key, be answered by the path? */
static int pathUsable(const Path *p, int i, u32 iCol, int bOwn){
  const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
  const KvCollectionColumn *pCol = &p->pTab->def.aColumn[iCol];
  int eLiteral;
  if( !pCons->usable || kvCollectionColumnOf(&p->pTab->def, pCons->iColumn)!=(int)iCol ) return 0;
  switch( pCons->op ){
    case SQLITE_INDEX_CONSTRAINT_GLOB:
      return bOwn ? !p->bLower : pCol->eType==KV_COLTYPE_TEXT && !pCol->bNoCase;
    case SQLITE_INDEX_CONSTRAINT_LIKE:
      return bOwn && p->bLower;
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:   break;
    case SQLITE_INDEX_CONSTRAINT_IS:   /* of several values NULL can't be looked for */
      eLiteral = kvCollectionLiteralType(p->pInfo, i);
      if( eLiteral==SQLITE_NULL ) return 0;
      if( eLiteral==0 && (bOwn ? p->pDef->spec.nPath>1 : pCol->eType==KV_COLTYPE_ANY) ) return 0;
      break;
    default:                           return 0;
  }
  if( bOwn ) return pathCollation(p, i, pCol);
  if( pCol->eType==KV_COLTYPE_ANY && !pathIsEqual(pCons->op) ) return 0;
  return sqlite3_stricmp(sqlite3_vtab_collation(p->pInfo, i), "BINARY")==0;
}

/* Is a constraint on a column one that no NULL meets? */
static int pathExcludesNull(const Path *p, int i, u32 iCol){
  const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
  int eLiteral;
  if( !pCons->usable || kvCollectionColumnOf(&p->pTab->def, pCons->iColumn)!=(int)iCol ) return 0;
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
static int pathIsLiteral(const Path *p, int i, u32 iCol){
  const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
  const KvNode *pWant = &p->pDef->spec.literal;
  KvBytes want;
  u32 k;
  if( !pCons->usable || pCons->iColumn!=(int)iCol || pWant->eKind!=KV_STRING
   || !pathIsEqual(pCons->op) || kvCollectionLiteralType(p->pInfo, i)!=SQLITE_TEXT
   || sqlite3_stricmp(sqlite3_vtab_collation(p->pInfo, i), "BINARY")!=0
  ){
    return 0;
  }
  want = kvNodeBytes(pWant);
  if( want.n==0 || want.p[0]=='I' || ((want.p[0]|32)<'a' || (want.p[0]|32)>'z') ) return 0;
  for(k=0; k<want.n; k++){
    if( want.p[k]>=0x80 ) return 0;
  }
  return kvBytesEqual(want, kvArgText(kvCollectionLiteral(p->pInfo, i)));
}

/* Has a column the path, and does it show what is there as an SQL value? */
static int pathIsColumn(const KvCollectionColumn *p, KvBytes path){
  return !p->bKey && p->eType!=KV_COLTYPE_JSON && kvBytesEqual(kvBytesText(p->zPath), path);
}

/* Does the query ask for nothing that a partial index leaves out? */
static int pathImplied(const Path *p){
  const KvIndexSpec *pSpec = &p->pDef->spec;
  u32 iCol;
  int i;
  for(iCol=0; pSpec->where.n>0 && iCol<p->pTab->def.nColumn; iCol++){
    if( !pathIsColumn(&p->pTab->def.aColumn[iCol], pSpec->where) ) continue;
    for(i=0; i<p->pInfo->nConstraint; i++){
      if( pSpec->bEquals ? pathIsLiteral(p, i, iCol) : pathExcludesNull(p, i, iCol) ) return 1;
    }
  }
  return pSpec->where.n==0;
}

/* ---- columns ---------------------------------------------------------------- */

/* How much a query wants a column of the path: conditions that the index answers, its order,
** or a look at it. */
static int pathWants(const Path *p, u32 iCol){
  int i;
  for(i=0; i<p->pInfo->nConstraint; i++){
    if( pathUsable(p, i, iCol, 1) ) return 4;
  }
  for(i=0; i<p->pInfo->nConstraint; i++){
    if( pathExcludesNull(p, i, iCol) ) return 3;
  }
  for(i=0; i<p->pInfo->nOrderBy; i++){
    if( p->pInfo->aOrderBy[i].iColumn==(int)iCol ) return 2;
  }
  return (p->pInfo->colUsed & (u64)1<<(iCol<63 ? iCol : 63))!=0;
}

/* The column at path k of the index that the query wants most.  False: there is none, or it
** may ask for rows that the index leaves out. */
static int pathOwn(Path *p, u32 k){
  const KvCollectionDef *pDef = &p->pTab->def;
  int iBest = -1, i;
  u32 iCol, m = pathKind(p, k), mMissed;
  for(iCol=0; iCol<pDef->nColumn; iCol++){
    if( !pathIsColumn(&pDef->aColumn[iCol], p->pDef->spec.aPath[k]) ) continue;
    i = pathWants(p, iCol);
    if( i<=iBest ) continue;
    iBest = i;
    p->pPlan->aiColumn[k] = (u16)iCol;
  }
  for(i=0; i<(int)k; i++){
    if( p->pPlan->aiColumn[i]==p->pPlan->aiColumn[k] ) return 0;
  }
  if( iBest<0 ) return 0;
  if( iBest>=3 ) return 1;
  mMissed = KVKIND_NULL;
  if( iBest<3 && p->pDef->spec.nPath==1 && (m & (KVKIND_NULL|KVKIND_OTHER))==KVKIND_NULL ){
    p->pPlan->eNull = KVCOLL_NULL_LAST;
    mMissed = KVKIND_OTHER;
  }
  pathRely(p, k, mMissed);
  return (m & mMissed)==0;
}

/* All columns of the path.  False: it can't be used. */
static int pathColumns(Path *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  KvCollectionPlan *pPlan = p->pPlan;
  u32 k;
  if( p->pDef ){
    for(k=0; k<p->pDef->spec.nPath; k++){
      if( !pathOwn(p, k) ) return 0;
    }
    pPlan->nPath = pPlan->nOwn = (u8)k;
    if( p->pDef->mOptions & KVINDEX_UNIQUE ) return 1;
  }
  for(k=0; k<pDef->nKey && pPlan->nPath<KVCOLL_PATH; k++){
    pPlan->aiColumn[pPlan->nPath++] = (u16)pDef->aiKey[k];
  }
  return 1;
}

/* ---- what is looked for ------------------------------------------------------- */

/* Do keys tell of any value exactly whether it is equal to a KEY column, less or greater? */
static int pathTellsAll(const Path *p, u32 k){
  int eType = pathColumn(p, k)->eType;
  return p->pDef==0 && (eType==KV_COLTYPE_INTEGER || eType==KV_COLTYPE_BLOB);
}

/* Take all constraints on column k.  False: there are too many. */
static int pathTake(Path *p, u32 k){
  KvCollectionPlan *pPlan = p->pPlan;
  u32 iCol = pPlan->aiColumn[k], iFirst = pPlan->nArg;
  int i, bExact = p->bExact && pathTellsAll(p, k);
  for(i=0; i<p->pInfo->nConstraint; i++){
    int bIn;
    if( !pathUsable(p, i, iCol, k<pPlan->nOwn) ) continue;
    bIn = sqlite3_vtab_in(p->pInfo, i, -1);
    if( pPlan->nArg==KVCOLL_ARGS ) return p->pDef==0 || p->pDef->spec.nPath==1;
    kvCollectionTake(p->pDraft, p->pInfo, i, iCol);
    if( pathIsEqual(p->pInfo->aConstraint[i].op) ){
      if( bIn ) p->mIn |= (u32)1<<k;
      else p->mEqual |= (u32)1<<k;
      bExact = bExact && !bIn;
    }else{
      p->nBound++;
    }
  }
  for(; iFirst<pPlan->nArg; iFirst++) p->pDraft->aExact[iFirst] = (u8)bExact;
  if( p->mIn & p->mEqual & ((u32)1<<k) ) p->mIn &= ~((u32)1<<k);
  p->bExact = bExact || (p->bExact && p->pDef==0 && pathColumn(p, k)->eType==KV_COLTYPE_TEXT
      && !pathColumn(p, k)->bNumeric && pPlan->nArg>0 && pPlan->aArg[pPlan->nArg-1].bLiteral
      && (p->mEqual>>k & 1)
      && p->nBound==0);
  return 1;
}

/* Take the conditions on the first columns. */
static int pathSeek(Path *p){
  KvCollectionPlan *pPlan = p->pPlan;
  u32 k;
  p->bExact = 1;
  for(k=0; k<pPlan->nPath; k++){
    u32 nArg = pPlan->nArg;
    p->nBound = 0;
    if( !pathTake(p, k) ) return 0;
    if( pPlan->nArg>nArg ) pPlan->nQuery = (u8)(k + 1);
    if( ((p->mEqual|p->mIn)>>k & 1)==0 ) break;
  }
  p->nEqual = k;
  if( k==pPlan->nPath ) p->nBound = 0;
  return 1;
}

/* ---- order ---------------------------------------------------------------------- */

/* Numbers of different types of JavaScript: equal ones are not together. */
static int pathMixes(u32 m){
  m &= KVKIND_NUMBER|KVKIND_BIGINT|KVKIND_BOOL;
  return (m & (m - 1))!=0;
}

/* Are the keys of the index in the order of column k, of which there is what mKind says?  (What
** they leave out may be merged with them.) */
static int pathSortedOwn(const Path *p, u32 k){
  const KvCollectionColumn *pCol = pathColumn(p, k);
  u32 m = pathKind(p, k) & ~(u32)(KVKIND_NULL|KVKIND_OTHER);
  if( pCol->eType==KV_COLTYPE_DATETIME ) return (m & ~(u32)KVKIND_DATE)==0;
  if( m & KVKIND_DATE ) return 0;
  if( pCol->eType==KV_COLTYPE_TEXT ) return pCol->bNoCase==p->bLower || !(m & KVKIND_STRING);
  return !p->bLower || !(m & KVKIND_STRING);
}

/* Do stored keys order a KEY column as SQL does? */
static int pathSortedKey(const KvCollectionColumn *p){
  return p->eType!=KV_COLTYPE_ANY && p->eType!=KV_COLTYPE_BIGINT
      && !(p->bNoCase && p->eType==KV_COLTYPE_TEXT);
}

/* Is = on a KEY column true for one part only?  (A REAL may be 0 or -0, and '01' equals '1'
** where SQLite takes texts for numbers.) */
static int pathConstantKey(const KvCollectionColumn *p){
  return p->eType!=KV_COLTYPE_ANY && p->eType!=KV_COLTYPE_BIGINT && p->eType!=KV_COLTYPE_REAL
      && !p->bNumeric;
}

/* Is column k in the order of SQL, where rows of equal values (bMore) are in that of the next
** columns? */
static int pathSorted(const Path *p, u32 k, int bMore){
  const KvCollectionColumn *pCol = pathColumn(p, k);
  u32 m = k<p->pPlan->nOwn ? pathKind(p, k) & ~(u32)KVKIND_NULL : 0;
  if( k>=p->pPlan->nOwn ){
    return pathSortedKey(pCol) && !(bMore && pCol->eType==KV_COLTYPE_REAL);
  }
  if( !pathSortedOwn(p, k) || (bMore && pathMixes(m)) ) return 0;
  return !(p->mIn>>k & 1) || (m & (m - 1))==0;
}

/* Can what an index leaves out be merged with its rows, or is there no such thing?  It is
** merged by what one column shows. */
static int pathMerges(Path *p){
  const KvCollectionPlan *pPlan = p->pPlan;
  u32 k, mOther = KVKIND_OTHER*KVKIND_EACH;
  if( pPlan->nOrder==0 ) return 1;
  if( pPlan->nOrder==1 && pPlan->iOrder<pPlan->nOwn && pPlan->eNull==0
   && pathColumn(p, pPlan->iOrder)->eType!=KV_COLTYPE_DATETIME
  ){
    p->pPlan->mNot &= ~mOther;
    return 1;
  }
  for(k=0; k<pPlan->nOwn; k++) pathRely(p, k, KVKIND_OTHER);
  return (p->mKind & mOther)==0;
}

/* The number of the column of the path that is that of a term, nPath: none. */
static u32 pathFind(const Path *p, int iColumn){
  u32 k;
  iColumn = kvCollectionColumnOf(&p->pTab->def, iColumn);
  for(k=0; k<p->pPlan->nPath && p->pPlan->aiColumn[k]!=iColumn; k++){}
  return k;
}

/* Does the next column of the order, k, answer one of the terms from i on?  It must be the
** first one, or if any order of them will do (bAny) one of them. */
static int pathTerm(const Path *p, u32 k, int i, int bAny, u32 mDone){
  const sqlite3_index_info *pInfo = p->pInfo;
  for(; i<pInfo->nOrderBy; i++){
    int iColumn = kvCollectionColumnOf(&p->pTab->def, pInfo->aOrderBy[i].iColumn);
    if( !(mDone>>i & 1) && iColumn==p->pPlan->aiColumn[k] ) return i;
    if( !bAny && !(mDone>>i & 1) ) return -1;
  }
  return -1;
}

/* Which columns show one value, since they are equal to one.  (A column of numbers that has
** texts, too, shows 5 and '5' where it is equal to 5.) */
static u32 pathConstant(Path *p){
  u32 k, mConst = p->mEqual;
  for(k=0; k<p->pPlan->nOwn && k<p->nEqual; k++){
    u32 m = pathKind(p, k) & ~(u32)KVKIND_NULL;
    if( m & (KVKIND_NUMBER|KVKIND_BIGINT|KVKIND_BOOL) ) m &= ~(u32)(KVKIND_BIGINT|KVKIND_BOOL);
    if( (m & KVKIND_OTHER) || (m & (m - 1)) ) mConst &= ~((u32)1<<k);
  }
  for(k=0; k<p->nEqual; k++) if( pathColumn(p, k)->bNumeric ) mConst &= ~((u32)1<<k);
  return mConst;
}

/* From which column on may the path give the order?  -1: from none.  Those before are equal to
** values; several ways to begin are merged in an index, and follow one another in the primary
** key. */
static int pathOrderFrom(const Path *p, u32 mConst, u32 mDone, int nLeft, int bAny){
  u32 k;
  for(k=0; p->pDef==0 && k<p->nEqual; k++){
    if( (p->mIn>>k & 1) && nLeft>0 ) break;
    if( !pathConstantKey(pathColumn(p, k)) ) return -1;
  }
  for(k=0; k<p->nEqual && (mConst>>k & 1); k++){}
  if( nLeft>0 && k<p->nEqual && pathTerm(p, k, 0, bAny, mDone)<0 ){
    if( p->pDef==0 ) return -1;
    k = p->nEqual;
  }
  return (int)k;
}

/*
** Is ORDER BY, or what groups rows, that of the path?  Terms that are equal to one value don't
** matter.  The rest must be its columns after those, in one direction.
*/
static void pathOrder(Path *p){
  const sqlite3_index_info *pInfo = p->pInfo;
  KvCollectionPlan *pPlan = p->pPlan;
  int bAny = sqlite3_vtab_distinct(p->pInfo)==2;
  int i, nLeft = 0, bDesc = 0, bFirst = 1, iFrom;
  u32 k, mDone = 0, mConst = pathConstant(p);
  if( pInfo->nOrderBy==0 || pInfo->nOrderBy>31 ) return;
  for(i=0; i<pInfo->nOrderBy; i++){
    k = pathFind(p, pInfo->aOrderBy[i].iColumn);
    if( k<p->nEqual && (mConst>>k & 1) ) mDone |= (u32)1<<i;
    else nLeft++;
  }
  iFrom = pathOrderFrom(p, mConst, mDone, nLeft, bAny);
  if( iFrom<0 ) return;
  pPlan->iOrder = (u8)iFrom;
  for(k=pPlan->iOrder; nLeft>0 && k<pPlan->nPath; ){
    i = pathTerm(p, k, 0, bAny, mDone);
    if( i<0 || !pathSorted(p, k, nLeft>1) ) return;
    if( bFirst ) bDesc = !bAny && pInfo->aOrderBy[i].desc;
    else if( !bAny && bDesc!=pInfo->aOrderBy[i].desc ) return;
    if( k<pPlan->nOwn ) pathRely(p, k, ~pathKind(p, k));
    bFirst = 0;
    mDone |= (u32)1<<i;
    nLeft--;
    /* Those that show one value may be between */
    for(k++; k<p->nEqual && (mConst>>k & 1); k++){}
  }
  /* A whole key is that of one row */
  if( nLeft>0 && !(k==pPlan->nPath && k>pPlan->nOwn
                   && k==pPlan->nOwn + p->pTab->def.nKey) ) return;
  if( pPlan->eNull && pPlan->iOrder>0 ) return;
  pPlan->nOrder = (u8)(k - pPlan->iOrder);
  if( !pathMerges(p) ){
    pPlan->nOrder = 0;
    return;
  }
  for(k=0; k<pPlan->nOwn && k<pPlan->iOrder; k++){
    if( mConst>>k & 1 ) pathRely(p, k, ~pathKind(p, k));
  }
  if( pPlan->eNull && !bAny && !bDesc ) pPlan->eNull = KVCOLL_NULL_FIRST;
  pPlan->bOrdered = 1;
  pPlan->bDesc = (u8)bDesc;
  if( pPlan->nOrder>0 && p->pDef ) pPlan->nQuery = (u8)(pPlan->iOrder + 1);
}

/* ---- what is read ---------------------------------------------------------------- */

int kvCollectionTells(const KvCollectionColumn *pCol, int bLower, u32 mKind, u32 iPath){
  u32 m = mKind>>(KVKIND_BITS*iPath) & 0xff;
  if( m & KVKIND_OTHER ) return 0;
  if( bLower && (m & KVKIND_STRING) ) return 0;
  return (m & (pCol->eType==KV_COLTYPE_DATETIME ? KVKIND_NUMBER : KVKIND_DATE))==0;
}

/* What of the entries the used columns need. */
static void pathRead(Path *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  u32 i, n = pDef->nColumn + KV_COLHIDE_COUNT;
  for(i=0; i<n; i++){
    if( (p->pInfo->colUsed & (u64)1<<(i<63 ? i : 63))==0 ) continue;
    if( i<pDef->nColumn ){
      if( !pDef->aColumn[i].bKey ) p->pPlan->bValue = 1;
    }else if( i-pDef->nColumn>=KV_COLHIDE_VERSIONSTAMP ){
      p->pPlan->bMeta = 1;
    }else if( i-pDef->nColumn>KV_COLHIDE_KEY ){
      p->pPlan->bValue = 1;
    }
  }
}

/* Do the keys of the index have all that is used? */
static int pathKeys(const Path *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  u32 i, k, n = pDef->nColumn + KV_COLHIDE_COUNT;
  for(i=0; i<n; i++){
    if( (p->pInfo->colUsed & (u64)1<<(i<63 ? i : 63))==0 ) continue;
    if( i==pDef->nColumn + KV_COLHIDE_KEY ) continue;
    if( i>=pDef->nColumn ) return 0;
    if( pDef->aColumn[i].bKey ) continue;
    for(k=0; k<p->pPlan->nOwn && p->pPlan->aiColumn[k]!=i; k++){}
    if( k==p->pPlan->nOwn ) return 0;
    if( !kvCollectionTells(&pDef->aColumn[i], p->bLower, p->mKind, k) ) return 0;
  }
  return 1;
}

/* Is one row of each value enough, since nothing else is asked for? */
static int pathOnce(const Path *p){
  const sqlite3_index_info *pInfo = p->pInfo;
  u32 iCol = p->pPlan->aiColumn[0];
  return p->pDef && sqlite3_vtab_distinct(p->pInfo)>=2 && pInfo->nOrderBy==1 && p->pPlan->bOrdered
      && p->pPlan->bKeys && pInfo->aOrderBy[0].iColumn==(int)iCol && iCol<63
      && pInfo->colUsed==(u64)1<<iCol && p->pPlan->nOwn==1;
}

/* ---- costs ------------------------------------------------------------------------- */

/* What it costs, in rows of a scan: to begin, a row, one of the keys alone, and to sort one. */
#define PATH_BEGIN   8.0
#define PATH_ROW     2.0
#define PATH_KEY     0.5
#define PATH_PRIMARY 0.4               /* a primary key alone */
#define PATH_SORT    0.08
/* Of how many rows one meets a condition on anything. */
#define PATH_EQUAL   25.0
#define PATH_OTHER   2.0
/* LIMIT: as many rows, if it isn't known. */
#define PATH_LIMIT   100.0

/* The number of a LIMIT that SQLite hands down, 0: there is none. */
static double pathLimit(const Path *p){
  int i;
  for(i=0; i<p->pInfo->nConstraint; i++){
    if( p->pInfo->aConstraint[i].op==SQLITE_INDEX_CONSTRAINT_LIMIT ){
      sqlite3_value *pVal = kvCollectionLiteral(p->pInfo, i);
      return pVal ? sqlite3_value_double(pVal) + 1.0 : PATH_LIMIT;
    }
  }
  return 0.0;
}

static double pathLog(double r){
  double n = 0.0;
  for(; r>1.0; r/=2) n++;
  return n;
}

/* All rows; a few at least, since a statement that was prepared while there were none may
** run when there are more; and many where a MATCH may be a branch of an OR, which only the
** full-text index answers. */
static double pathAll(const Path *p){
  double rAll = kvCollectionRows(p->pTab), rLeast = p->pTab->def.nText ? 1e5 : 100.0;
  return rAll<rLeast ? rLeast : rAll;
}

/* How many values an IN may have. */
#define PATH_IN  5.0

/* Is there one row at most for each of the values? */
static int pathIsPoint(const Path *p){
  if( p->pDef==0 ) return p->nEqual>0 && p->nEqual==p->pTab->def.nKey;
  return (p->pDef->mOptions & KVINDEX_UNIQUE) && p->nEqual>=p->pPlan->nOwn;
}

/* The rows of the ranges. */
static double pathRows(const Path *p){
  const char *zIndex = p->pDef ? p->pDef->zName : 0;
  u32 k, nValue = p->nEqual;
  double rAll, rRows, rIn = 1.0;
  if( p->pDef && nValue>p->pPlan->nOwn ) nValue = p->pPlan->nOwn;
  for(k=0; k<nValue; k++) if( p->mIn>>k & 1 ) rIn *= PATH_IN;
  if( pathIsPoint(p) ) return rIn;
  rAll = rRows = pathAll(p);
  if( p->pDef && p->pDef->spec.where.n ) rRows /= p->pDef->spec.bEquals ? 10.0 : 2.0;
  if( nValue>0 ){
    rRows = rIn*(zIndex ? kvCollectionRowsFound(p->pTab, zIndex, nValue)
                        : kvCollectionRowsEach(p->pTab, 0, nValue));
  }
  for(k=nValue; k<p->nEqual; k++) rRows /= 10.0;   /* KEY columns behind an index's */
  if( p->nBound>0 ) rRows /= p->nBound>1 ? 64.0 : 4.0;
  return rRows>rAll ? rAll : rRows<1.0 ? 1.0 : rRows;
}

/* Conditions that aren't answered leave fewer rows, as SQLite assumes for tables: those on
** literals, since others may be of tables that are read later; *prOf: of how many there may be
** one. */
static double pathRest(const Path *p, double *prOf){
  double r = 1.0;
  int i, bFew = 0;
  *prOf = 1.0;
  for(i=0; i<p->pInfo->nConstraint; i++){
    const struct sqlite3_index_constraint *pCons = &p->pInfo->aConstraint[i];
    u32 k;
    if( !pCons->usable || pCons->op>=SQLITE_INDEX_CONSTRAINT_LIMIT ) continue;
    for(k=0; k<p->pPlan->nArg && p->pDraft->aiCons[k]!=i; k++){}
    if( k<p->pPlan->nArg || pCons->op==SQLITE_INDEX_CONSTRAINT_ISNOTNULL ) continue;
    *prOf *= pathIsEqual(pCons->op) ? PATH_EQUAL : PATH_OTHER;
    if( kvCollectionLiteral(p->pInfo, i)==0 ) continue;
    if( pathIsEqual(pCons->op) || pCons->op==SQLITE_INDEX_CONSTRAINT_LIKE
     || pCons->op==SQLITE_INDEX_CONSTRAINT_GLOB
    ){
      bFew = 1;
    }else{
      r *= 0.93;
    }
  }
  return bFew ? r/4 : r;
}

static void pathCost(Path *p){
  KvCollectionDraft *pDraft = p->pDraft;
  const KvCollectionPlan *pPlan = p->pPlan;
  double rOf, rRest = pathRest(p, &rOf);
  double rRows = pathRows(p), rLimit = pathLimit(p)*rOf, rRead = rRows;
  if( pPlan->bOrdered && rLimit>0.0 && rRead>rLimit ) rRead = rLimit;
  if( pPlan->bOnce ) rRead = rRows/16;
  pDraft->rCost = p->pDef ? PATH_BEGIN + rRead*(pPlan->bKeys ? PATH_KEY : PATH_ROW)
      : 5.0 + rRead*(pPlan->bValue || pPlan->bMeta ? 1.0 : PATH_PRIMARY);
  if( pathIsPoint(p) ) pDraft->rCost -= 1.0;   /* better than one that may have more */
  if( pPlan->eNull && !(rLimit>0.0 && pPlan->bOrdered) ) pDraft->rCost += pathAll(p);
  else if( pPlan->eNull==KVCOLL_NULL_FIRST ) pDraft->rCost += pathAll(p)/4;
  if( p->pInfo->nOrderBy>0 && !pPlan->bOrdered ) pDraft->rCost += PATH_SORT*rRows*pathLog(rRows);
  if( rRows>1.0 && rRows>kvCollectionRows(p->pTab) ) rRows = kvCollectionRows(p->pTab);
  pDraft->rRows = rRows*rRest;
}

/* ---- the plan ------------------------------------------------------------------------ */

u32 kvCollectionIndexHash(const KvIndexDef *p){
  i64 i = kvRowid(0, p->prefix);
  i = kvRowid(i, kvBytesText(p->zPath));
  return (u32)kvRowid(i, kvBytesText(p->zOptions));
}

int kvCollectionPath(
  KvCollectionDraft *pDraft, KvCollection *pTab, sqlite3_index_info *pInfo, const KvIndexDef *pDef
){
  Path path = { .pTab = pTab, .pInfo = pInfo, .pDef = pDef, .pDraft = pDraft };
  KvCollectionPlan *pPlan = &pDraft->plan;
  memset(pDraft, 0, sizeof(*pDraft));
  path.pPlan = pPlan;
  pPlan->eHow = KVCOLL_RANGE;
  if( pDef ){
    pPlan->eHow = KVCOLL_INDEX;
    pPlan->zIndex = pDef->zName;
    pPlan->iIndex = kvCollectionIndexHash(pDef);
    path.mKind = pDef->mKind;
    path.bLower = (pDef->mOptions & KVINDEX_LOWER)!=0;
    if( !kvBytesEqual(pDef->prefix, kvBufBytes(&pTab->def.prefix)) || pDef->spec.nPath==0
     || (pDef->mOptions & KVINDEX_SEARCH) || !pathImplied(&path)
    ){
      return 0;
    }
  }
  if( !pathColumns(&path) || !pathSeek(&path) ) return 0;
  pathOrder(&path);
  pathRead(&path);
  if( pDef ) pPlan->bKeys = (u8)pathKeys(&path);
  /* All of an index is read for its order, or because it is a part */
  if( pDef && pPlan->nArg==0 && !pPlan->bOrdered && pDef->spec.where.n==0 ) return 0;
  pPlan->bOnce = (u8)pathOnce(&path);
  pDraft->bUnique = pDef==0 && pTab->def.nKey>0 && path.nEqual==pTab->def.nKey && path.bExact
                 && path.mIn==0;
  pathCost(&path);
  if( pDef && pPlan->nQuery==0 ) pPlan->nQuery = 1;
  return 1;
}
