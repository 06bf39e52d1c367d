/*
** vtab.c -- the skeleton of a virtual table.  See vtab.h.
*/
#include "sql/vtab.h"
#include "sql/args.h"
#include "sql/named.h"
#include "sql/result.h"
#include "sql/rowid.h"
#include "sql/run.h"
#include "sql/sql_word.h"
#include "sql/vtab_args.h"
#include "store/schema.h"
#include "store/write.h"

/* What a module is registered with: a table for a connection. */
typedef struct VtabModule VtabModule;
struct VtabModule {
  const KvVtabDef *pDef;
  KvConn *pConn;
  sqlite3_module methods;
};

/* ---- connecting ----------------------------------------------------------- */

/* Which columns of a declaration "CREATE TABLE x(a, b ...)" are marked values: by
** their names. */
static void vtabMarks(KvVtab *p, const char *zDeclare){
  const char *z = strchr(zDeclare, '(');
  u64 mBit;
  for(mBit=1; z; mBit<<=1, z=strchr(z, ',')){
    KvBytes name;
    z += 1 + strspn(z+1, " ");
    name = kvBytes(z, (u32)strcspn(z, " ,)"));
    if( kvBytesEqual(name, kvBytesText("value"))
     || kvBytesEqual(name, kvBytesText("json"))
     || kvBytesEqual(name, kvBytesText("conflicts"))
    ){
      p->mJson |= mBit;
    }
    if( kvBytesEqual(name, kvBytesText("js")) ) p->mJs |= mBit;
    if( kvBytesEqual(name, kvBytesText("raw")) ) p->mRaw |= mBit;
  }
}

/* Give the table its store, and keep it if it shows values.  0: no memory. */
static int vtabAttach(KvVtab *p, const char *zSchema, const char *zPrefix){
  int bCount = (p->pDef->mFlags & KVTAB_UNCOUNTED)==0;
  p->pStore = (bCount ? kvConnAttachStore : kvConnStore)(p->pConn, zSchema, zPrefix);
  if( p->pStore==0 ) return 0;
  if( p->pDef->read.xNext==0 ) return 1;
  if( p->pDef->zDeclare==0 ) return 1;
  vtabMarks(p, p->pDef->zDeclare);
  if( (p->mJson | p->mJs | p->mRaw)==0 ) return 1;
  p->pNext = p->pConn->pTables;
  p->pConn->pTables = p;
  return 1;
}

static void vtabDetach(KvVtab *p){
  KvVtab **pp = &p->pConn->pTables;
  while( *pp && *pp!=p ) pp = &(*pp)->pNext;
  if( *pp ) *pp = p->pNext;
  if( p->pStore==0 ) return;
  (p->pDef->mFlags & KVTAB_UNCOUNTED ? kvConnDropStore : kvConnDetachStore)(p->pConn, p->pStore);
}

/*
** Where is kv_extra among the columns of a declaration, and how many hidden ones are before
** it?  SQLite gives the arguments of t(...) to the hidden columns from the first on: one
** that is meant for kv_extra is one too many.
*/
static void vtabExtra(KvVtab *p, const char *zDeclare){
  const char *z, *zCol = strchr(zDeclare, '(') + 1;
  int nDepth = 1, iCol = 0, nInput = 0;
  for(z=zCol; nDepth>0 && *z; z++){
    if( *z=='"' || *z=='\'' ) z = kvSqlQuoted(z) - 1;
    else if( *z=='(' ) nDepth++;
    else if( *z==')' ) nDepth--;
    if( *z!=',' || nDepth!=1 ) continue;
    if( strncmp(zCol, "kv_extra ", 9)==0 ) break;
    if( memcmp(z-6, "HIDDEN", 6)==0 ) nInput++;
    iCol++;
    zCol = z + 2;
  }
  if( nDepth==0 || *z==0 ) return;
  p->iExtra = (u16)iCol;
  p->nInput = (u8)nInput;
}

static int vtabDeclare(sqlite3 *db, const KvVtabDef *pDef, const char *zDeclare, char **pzErr){
  int rc = sqlite3_declare_vtab(db, zDeclare);
  if( rc!=SQLITE_OK ){
    *pzErr = sqlite3_mprintf("kv: %s", sqlite3_errmsg(db));
    return rc;
  }
  if( pDef->mFlags & KVTAB_NO_STORE ) sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  if( pDef->mFlags & KVTAB_DIRECTONLY ) sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  if( pDef->mFlags & KVTAB_CONSTRAINTS ) sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  return SQLITE_OK;
}

/* A table without a store.  0: no memory. */
static KvVtab *vtabNew(const VtabModule *pModule){
  const KvVtabDef *pDef = pModule->pDef;
  u32 n = pDef->nTable ? pDef->nTable : (u32)sizeof(KvVtab);
  KvVtab *p = sqlite3_malloc64(n);
  if( p==0 ) return 0;
  memset(p, 0, n);
  p->pDef = pDef;
  p->pConn = pModule->pConn;
  kvConnRef(p->pConn);
  return p;
}

static void vtabFree(KvVtab *p){
  KvConn *pConn = p->pConn;
  if( p->pDef->xDisconnect ) p->pDef->xDisconnect(p);
  sqlite3_free(p->zName);
  pConn->nEntries -= p->bHome;
  vtabDetach(p);
  sqlite3_free(p);
  kvConnUnref(pConn);
}

/* The code of an error with the text zErr: an error whose text could not be made is one of
** memory. */
static int vtabCode(int rc, const char *zErr){
  return zErr==0 && (rc==SQLITE_ERROR || (rc & 0xff)==SQLITE_CONSTRAINT) ? SQLITE_NOMEM : rc;
}

/* CREATE VIRTUAL TABLE t USING module(args), now or at another time. */
static int vtabMake(
  sqlite3 *db, void *pAux, int bCreate, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  const KvVtabDef *pDef = ((const VtabModule*)pAux)->pDef;
  u32 mFlags = pDef->mFlags;
  KvVtabArgs args;
  KvVtab *p = vtabNew(pAux);
  int rc = SQLITE_OK;
  if( p==0 ) return SQLITE_NOMEM;
  memset(&args, 0, sizeof(args));
  args.bCreate = (u8)bCreate;
  p->zName = sqlite3_mprintf("%s", argv[2]);
  if( p->zName==0 ){
    rc = SQLITE_NOMEM;
  }else if( pDef->xConnect ){
    rc = pDef->xConnect(p, argc, argv, &args, pzErr);
  }else if( (mFlags & (KVTAB_NO_STORE|KVTAB_MAIN))==0 ){
    rc = kvModuleArgs(db, argc, argv, &args.zSchema, &args.zPrefix, pzErr);
  }
  if( rc==SQLITE_OK && (mFlags & KVTAB_NO_STORE)==0
   && !vtabAttach(p, args.zSchema ? args.zSchema : "main", args.zPrefix ? args.zPrefix : "")
  ){
    rc = SQLITE_NOMEM;
  }
  if( rc==SQLITE_OK ){
    p->bEponym = sqlite3_stricmp(argv[0], argv[2])==0 && (mFlags & KVTAB_CREATED)==0;
    p->bElsewhere = args.zSchema && sqlite3_stricmp(argv[1], args.zSchema)!=0;
    p->bHome = (mFlags & KVTAB_HOME) && p->bEponym && sqlite3_stricmp(argv[1], "main")==0;
    p->pConn->nEntries += p->bHome;
  }
  if( rc==SQLITE_OK && bCreate && pDef->xCreate ) rc = pDef->xCreate(p, pzErr);
  /* Last, because SQLite forgets it if the schema changes meanwhile */
  if( rc==SQLITE_OK ){
    const char *zDeclare = args.zDeclare ? args.zDeclare : pDef->zDeclare;
    vtabExtra(p, zDeclare);
    rc = vtabDeclare(db, pDef, zDeclare, pzErr);
  }
#ifdef KV_DEBUG
  p->iSavepoint = -1;
#endif
  if( rc==SQLITE_OK ) *ppVtab = &p->base;
  else vtabFree(p);
  sqlite3_free(args.zDeclare);
  sqlite3_free(args.zSchema);
  sqlite3_free(args.zPrefix);
  return vtabCode(rc, *pzErr);
}

static int vtabConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  return vtabMake(db, pAux, 0, argc, argv, ppVtab, pzErr);
}

/* A module whose xCreate is its xConnect has tables without CREATE. */
static int vtabCreate(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  return vtabMake(db, pAux, 1, argc, argv, ppVtab, pzErr);
}

static void vtabJoin(KvVtab *p, int bMade){
  if( p->bJoined ) return;
  p->bJoined = 1;
  kvTxnJoin(p->pStore, bMade);
}

/* Returns true if it was the last table of the store in the transaction. */
static int vtabLeave(KvVtab *p){
  if( !p->bJoined ) return 0;
  p->bJoined = 0;
  return kvTxnLeave(p->pStore);
}

/* The buffers of a cursor. */
static KvBuf *vtabBufs(const KvVtabCursor *p){
  return (KvBuf*)(p + 1);
}

static void vtabFreeCursor(KvVtabCursor *p){
  u32 i;
  if( p->pDef->xFree ) p->pDef->xFree(p);
  for(i=0; i<p->pDef->nBuf; i++) kvBufClear(&vtabBufs(p)[i]);
  kvEntryColumnsClear(&p->show);
  sqlite3_free(p);
}

/* xDisconnect and xDestroy, which leave the store alone.  The table may have been
** dropped inside of a transaction. */
static int vtabDisconnect(sqlite3_vtab *pVtab){
  KvVtab *p = (KvVtab*)pVtab;
  while( p->pSpare ){
    KvVtabCursor *pCursor = p->pSpare;
    p->pSpare = pCursor->pNext;
    vtabFreeCursor(pCursor);
  }
  if( vtabLeave(p) ) kvTxnEnd(p->pStore, 1);
  vtabFree(p);
  return SQLITE_OK;
}

/* ---- errors --------------------------------------------------------------- */

static int vtabDestroy(sqlite3_vtab *pVtab){
  KvVtab *p = (KvVtab*)pVtab;
  int rc = p->pDef->xDrop ? p->pDef->xDrop(p) : SQLITE_OK;
  return rc==SQLITE_OK ? vtabDisconnect(pVtab) : rc;
}

/* The error rc with the text zErr, which is taken over, becomes the table's. */
static int vtabFail(sqlite3_vtab *pVtab, int rc, char *zErr){
  sqlite3_free(pVtab->zErrMsg);
  pVtab->zErrMsg = zErr;
  return vtabCode(rc, zErr);
}

void kvVtabOnlySelects(sqlite3_context *ctx, const char *zColumn){
  kvResultError(ctx, SQLITE_ERROR, sqlite3_mprintf(
      "kv: %s: can only be a condition of the whole query; instead of OR with other "
      "conditions use UNION, or key > and key <", zColumn));
}

int kvVtabUpdatesFrom(sqlite3 *db){
  sqlite3_stmt *pStmt;
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    const char *z = sqlite3_sql(pStmt);
    if( sqlite3_stmt_busy(pStmt) && !sqlite3_stmt_readonly(pStmt)
     && z && sqlite3_strlike("%update%from%", z, 0)==0
    ){
      return 1;
    }
  }
  return 0;
}

/* ---- plans ---------------------------------------------------------------- */

int kvVtabFits(const sqlite3_index_info *pInfo, int iCons, const KvVtabCons *p){
  const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[iCons];
  if( pCons->iColumn!=p->iCol ) return 0;
  if( pCons->op==p->op ) return 1;
  return (p->mFlags & KVCONS_IS) && pCons->op==SQLITE_INDEX_CONSTRAINT_IS;
}

int kvVtabUnder(sqlite3_index_info *pInfo, int iCons, int mFlags){
  const char *zColl = sqlite3_vtab_collation(pInfo, iCons);
  const char *zUnder = mFlags & KVCONS_KEY ? "kv_compare" : "BINARY";
  return sqlite3_stricmp(zColl ? zColl : "BINARY", zUnder)==0;
}

int kvVtabChoose(sqlite3_index_info *pInfo, const KvVtabCons *p, int *pbNone){
  int i, iFound = -1, mUnder = p->mFlags & (KVCONS_BINARY|KVCONS_KEY);
  for(i=0; i<pInfo->nConstraint; i++){
    if( !kvVtabFits(pInfo, i, p) ) continue;
    if( !pInfo->aConstraint[i].usable ){
      if( p->mFlags & KVCONS_ARGUMENT ) *pbNone = 1;
    }else if( iFound<0 && (mUnder==0 || kvVtabUnder(pInfo, i, mUnder)) ){
      iFound = i;
    }
  }
  return iFound;
}

void kvVtabTake(sqlite3_index_info *pInfo, int iCons, int iArg, int bOmit){
  pInfo->aConstraintUsage[iCons].argvIndex = iArg;
  pInfo->aConstraintUsage[iCons].omit = bOmit!=0;
}

int kvVtabPlan(sqlite3_index_info *pInfo, const KvVtabCons *aCons, int n){
  int i, nArg = 0, bNone = 0;
  for(i=0; i<n; i++){
    int iCons = kvVtabChoose(pInfo, &aCons[i], &bNone);
    if( bNone ) return SQLITE_CONSTRAINT;
    if( iCons<0 ) continue;
    kvVtabTake(pInfo, iCons, ++nArg, aCons[i].mFlags & KVCONS_ARGUMENT);
    pInfo->idxNum |= 1<<i;
  }
  return SQLITE_OK;
}

int kvVtabWords(
  sqlite3_index_info *pInfo, const char *zHow, const KvVtabCons *aCons, int n, const char *zMore
){
  sqlite3_str *pOut = sqlite3_str_new(0);
  const char *zSep = " ";
  int i;
  sqlite3_str_appendall(pOut, zHow);
  for(i=0; i<n; i++){
    if( (pInfo->idxNum & (1<<i))==0 || aCons[i].zWord==0 ) continue;
    sqlite3_str_appendf(pOut, "%s%s", zSep, aCons[i].zWord);
    zSep = " AND ";
  }
  sqlite3_str_appendall(pOut, zMore);
  pInfo->idxStr = sqlite3_str_finish(pOut);
  pInfo->needToFreeIdxStr = 1;
  return pInfo->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

int kvVtabAscends(const sqlite3_index_info *pInfo, int iCol){
  return pInfo->nOrderBy==1 && pInfo->aOrderBy[0].iColumn==iCol && !pInfo->aOrderBy[0].desc;
}

/* Are there more arguments than the table takes? */
static int vtabTooMany(KvVtab *p, const sqlite3_index_info *pInfo){
  int i;
  for(i=0; p->iExtra && i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn!=p->iExtra ) continue;
    return vtabFail(&p->base, SQLITE_ERROR, kvMsg("kv: too many arguments on %!.100s() - max %d",
        p->zName, p->nInput));
  }
  return SQLITE_OK;
}

static int vtabBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  const KvVtabDef *pDef = ((KvVtab*)pVtab)->pDef;
  const KvVtabPlan *p = &pDef->plan;
  const KvVtabCost *pCost;
  int rc = vtabTooMany((KvVtab*)pVtab, pInfo);
  if( rc!=SQLITE_OK ) return rc;
  if( pDef->xBestIndex ) return pDef->xBestIndex((KvVtab*)pVtab, pInfo);
  rc = kvVtabPlan(pInfo, p->aCons, p->nCons);
  pCost = pInfo->idxNum ? &p->some : &p->none;
  pInfo->estimatedRows = pCost->nRows;
  pInfo->estimatedCost = pCost->rCost;
  pInfo->orderByConsumed = p->nOrder && kvVtabAscends(pInfo, p->nOrder-1);
  if( rc!=SQLITE_OK || pCost->zHow==0 ) return rc;
  return kvVtabWords(pInfo, pCost->zHow, p->aCons, p->nCons, "");
}

/* ---- cursors -------------------------------------------------------------- */

/* Where the name of the table stands in a statement that reads or writes it. */
#define VTAB_READ   65536
#define VTAB_WRITE   2000

static int vtabNamed(KvVtab *p, i64 nMost, char **pzErr){
  if( !p->bEponym || (p->pDef->mFlags & (KVTAB_NO_STORE|KVTAB_UNCOUNTED)) ) return SQLITE_OK;
  return kvNamedCheck(&p->named, p->pConn->db, p->pDef->zName, nMost, pzErr);
}


/* A cursor, a spare one if there is. */
static KvVtabCursor *vtabCursor(KvVtab *pTab){
  KvVtabCursor *p = pTab->pSpare;
  u32 n = pTab->pDef->nCursor ? pTab->pDef->nCursor : (u32)sizeof(*p);
  if( p ){
    pTab->pSpare = p->pNext;
    pTab->nSpare--;
  }else{
    p = sqlite3_malloc64(n);
    if( p==0 ) return 0;
    memset(p, 0, n);
    p->pDef = pTab->pDef;
    p->pStore = pTab->pStore;
    p->pError = p->pStore ? kvStoreError(p->pStore) : &pTab->error;
  }
  p->base.pVtab = &pTab->base;
  p->eState = KVCUR_NEW;
  return p;
}

static int vtabOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  KvVtab *pTab = (KvVtab*)pVtab;
  KvVtabCursor *p;
  char *zErr = 0;
  int rc = pTab->pDef->read.xNext ? vtabNamed(pTab, VTAB_READ, &zErr) : SQLITE_OK;
  if( rc!=SQLITE_OK ) return vtabFail(pVtab, rc, zErr);
  p = vtabCursor(pTab);
  if( p==0 ) return SQLITE_NOMEM;
  if( pTab->pDef->xOpen ) rc = pTab->pDef->xOpen(p);
  if( rc!=SQLITE_OK ){
    vtabFreeCursor(p);
    return rc;
  }
  *ppCursor = &p->base;
  return SQLITE_OK;
}

static void vtabStop(KvVtabCursor *p){
  u32 i;
  if( p->pDef->xStop ) p->pDef->xStop(p);
  kvStmtGive(p->pStmt);
  p->pStmt = 0;
  p->show.key = kvBytes(0, 0);
  for(i=0; i<p->pDef->nBuf; i++) kvBufReset(&vtabBufs(p)[i]);
  p->eState = KVCUR_END;
  p->nAhead = 0;
}

/* Between two queries a table keeps some cursors with their memory, so that a
** query for one row allocates nothing, and neither does a join. */
#define VTAB_SPARES  4
#define VTAB_KEEP    65536

static int vtabKeeps(const KvVtab *pTab, const KvVtabCursor *p){
  u64 n = kvEntryColumnsMemory(&p->show);
  u32 i;
  if( p->pDef->xMemory==0 || pTab->nSpare>=VTAB_SPARES ) return 0;
  for(i=0; i<p->pDef->nBuf; i++) n += vtabBufs(p)[i].nAlloc;
  return n + p->pDef->xMemory(p)<=VTAB_KEEP;
}

static int vtabClose(sqlite3_vtab_cursor *pCursor){
  KvVtabCursor *p = (KvVtabCursor*)pCursor;
  KvVtab *pTab = (KvVtab*)pCursor->pVtab;
  if( p->eState==KVCUR_ROW ) vtabStop(p);
  if( p->pDef->xClose ) p->pDef->xClose(p);
  if( vtabKeeps(pTab, p) ){
    p->pNext = pTab->pSpare;
    pTab->pSpare = p;
    pTab->nSpare++;
  }else{
    vtabFreeCursor(p);
  }
  return SQLITE_OK;
}

/* There is no row, or an error. */
static KV_NOINLINE int vtabEnd(KvVtabCursor *p){
  char *zErr = 0;
  int rc = kvErrorTake(p->pError, &zErr);
  vtabStop(p);
  return rc==SQLITE_OK ? SQLITE_OK : vtabFail(p->base.pVtab, rc, zErr);
}

/* The rowid of a table whose rows are numbered has the arguments in it, since SQLite
** takes rows of one rowid for the same in "prefix = ? OR prefix = ?". */
static i64 vtabQuery(const KvVtabDef *pDef, sqlite3_value **apArg, int nArg){
  i64 iHash = 0;
  int i;
  for(i=0; i<nArg && pDef->plan.nCons>0; i++) iHash = kvRowid(iHash, kvArgBlob(apArg[i]));
  return iHash;
}

static int vtabFilter(
  sqlite3_vtab_cursor *pCursor, int mPlan, const char *zPlan,
  int nArg, sqlite3_value **apArg
){
  KvVtabCursor *p = (KvVtabCursor*)pCursor;
  int bRow;
  p->zPlan = zPlan;
  KV_ASSERT( !kvFailed(p->pError) );
  if( p->eState==KVCUR_ROW ) vtabStop(p);
  p->iRow = 0;
  p->iQuery = vtabQuery(p->pDef, apArg, nArg);
  kvValueColumnsNext(&p->show.value);
  bRow = p->pDef->read.xFilter && p->pDef->read.xFilter(p, mPlan, apArg, nArg);
  p->eState = KVCUR_ROW;
  return bRow && !kvFailed(p->pError) ? SQLITE_OK : vtabEnd(p);
}

static int vtabNext(sqlite3_vtab_cursor *pCursor){
  KvVtabCursor *p = (KvVtabCursor*)pCursor;
  KV_ASSERT( p->eState==KVCUR_ROW && !kvFailed(p->pError) );
  if( p->nAhead ){
    p->nAhead--;
    return SQLITE_OK;
  }
  p->iRow++;
  kvValueColumnsNext(&p->show.value);
  return p->pDef->read.xNext(p) ? SQLITE_OK : vtabEnd(p);
}

static int vtabEof(sqlite3_vtab_cursor *pCursor){
  KvVtabCursor *p = (KvVtabCursor*)pCursor;
  KV_ASSERT( p->eState!=KVCUR_NEW );
  return p->eState!=KVCUR_ROW;
}

static int vtabColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  KvVtabCursor *p = (KvVtabCursor*)pCursor;
  KV_ASSERT( p->eState==KVCUR_ROW );
  p->pDef->read.xColumn(p, ctx, iCol);
  if( kvFailed(p->pError) ){
    char *zErr = 0;
    int rc = kvErrorTake(p->pError, &zErr);
    kvResultError(ctx, rc, zErr);
  }
  return SQLITE_OK;
}

static int vtabRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  KvVtabCursor *p = (KvVtabCursor*)pCursor;
  KV_ASSERT( p->eState==KVCUR_ROW );
  if( p->pDef->read.xRowid ) *piRowid = p->pDef->read.xRowid(p);
  else *piRowid = p->iQuery ? kvRowid(p->iRow, kvBytes(&p->iQuery, sizeof(p->iQuery))) : p->iRow;
  return SQLITE_OK;
}

/* ---- writing -------------------------------------------------------------- */

/* What kvRunOwn() calls for a row. */
static void vtabCall(void *pArg){
  const KvVtabRow *p = pArg;
  kvWriteConflict(p->pTab->pStore, 0);
  p->pTab->pDef->xWrite(p->pTab, p);
}

/*
** Write a row.  If it is not the first row that a statement writes, that has a savepoint,
** which undoes all of its rows if one fails: in the file of the table, and in another one
** since the first row has locked it (kvWriteLock()).  So they need none of their own.  Which
** statement it is takes a walk through all of the connection, so that it is asked for at the
** second row, and the third is the first that goes by it.
**
** If the tables are not as they were when they were looked at last
** (dropped, or their creation rolled back), the first statement fails before
** anything is written: then the row is written once more.
*/
static int vtabWrite(KvVtab *p, KvVtabRow *pRow, char **pzErr){
  int bNext = pRow->bAbort && kvTxnIsLast(p->pStore);
  sqlite3_stmt *pWriter = bNext ? kvRunWriter(p->pConn->db) : 0;
  int rc;
  if( kvTxnGoesOn(p->pStore, pWriter) ) kvRunWithin(p->pStore, vtabCall, pRow);
  else kvRunOwn(p->pConn, p->pStore, vtabCall, pRow);
  if( kvSchemaRetry(p->pStore) ) kvRunOwn(p->pConn, p->pStore, vtabCall, pRow);
  rc = kvStoreTake(p->pStore, pzErr);
  kvTxnRow(p->pStore, rc, pWriter);
  return rc;
}

/* What belongs to the write around this one is put aside meanwhile. */
static int vtabWriteWithin(KvVtab *p, KvVtabRow *pRow, char **pzErr){
  KvConn *pConn = p->pConn;
  KvWrite write;
  int rc = pRow->pOld ? SQLITE_OK : vtabNamed(p, VTAB_WRITE, pzErr);   /* or it was read */
  if( rc!=SQLITE_OK ) return rc;
  if( pConn->nWriting>=KV_MAX_WRITING ){
    *pzErr = sqlite3_mprintf("kv: too many levels of trigger recursion, more than %d: "
        "a trigger on the store's tables writes to the store and fires itself", KV_MAX_WRITING);
    return SQLITE_ERROR;
  }
  vtabJoin(p, 1);
  pRow->bInner = pConn->nWriting>0;
  pConn->nWriting++;
  pRow->iRowTotal = pConn->iRowTotal;
  pRow->pRowOper = pConn->pRowOper;
  pConn->iRowTotal = -1;
  kvWriteBegin(&write, p->pStore, 0);
  rc = (p->pDef->xUpdate ? p->pDef->xUpdate : vtabWrite)(p, pRow, pzErr);
  pConn->nWriting--;
  pConn->iRowTotal = pRow->iRowTotal;
  pConn->pRowOper = pRow->pRowOper;
  pRow->bConflict = write.bConflict;
  kvWriteEnd(&write);
  return rc;
}

/*
** What SQLite gets to know of an error.  Under OR IGNORE, OR FAIL and OR
** ROLLBACK it takes SQLITE_CONSTRAINT for a reason to leave out the row, to keep
** the rows before it, or to roll back.  That is right for a conflict with an
** entry: nothing is left of the row then.  What a statement has run into inside
** of the store, such as an error that a trigger raises, fails the whole statement
** under any of them.
*/
static int vtabConflict(const KvVtab *p, const KvVtabRow *pRow, int eConflict, int rc){
  if( (p->pDef->mFlags & KVTAB_CONSTRAINTS)==0 || (rc & 0xff)!=SQLITE_CONSTRAINT
   || pRow->bConflict || eConflict==SQLITE_ABORT || eConflict==SQLITE_REPLACE
  ){
    return rc;
  }
  return SQLITE_ERROR;
}

/* A constraint of a table's own columns fails in the words of SQLite alone, which
** programs look for. */
static void vtabPlain(int rc, char *z){
  int bOwn = rc==SQLITE_CONSTRAINT_UNIQUE || rc==SQLITE_CONSTRAINT_PRIMARYKEY
          || rc==SQLITE_CONSTRAINT_NOTNULL;
  if( z && bOwn ) memmove(z, kvErrorBare(z), strlen(kvErrorBare(z)) + 1);
}

static int vtabUpdate(sqlite3_vtab *pVtab, int nArg, sqlite3_value **apArg, sqlite3_int64 *piRowid){
  KvVtab *p = (KvVtab*)pVtab;
  int eConflict = sqlite3_vtab_on_conflict(p->pConn->db);
  sqlite3_int64 iLast = sqlite3_last_insert_rowid(p->pConn->db);
  KvVtabRow row;
  char *zErr = 0;
  int rc;
  *piRowid = iLast;
  row.pTab = p;
  row.pOld = nArg==1 || sqlite3_value_type(apArg[0])!=SQLITE_NULL ? apArg[0] : 0;
  row.pNew = nArg>1 ? apArg[1] : 0;
  row.apCol = nArg>1 ? &apArg[2] : 0;
  row.bReplace = eConflict==SQLITE_REPLACE;
  row.bAbort = eConflict==SQLITE_ABORT || eConflict==SQLITE_REPLACE;
  row.piRowid = piRowid;
  rc = vtabWriteWithin(p, &row, &zErr);
  sqlite3_set_last_insert_rowid(p->pConn->db, iLast);
  if( p->pDef->mFlags & KVTAB_CREATED ) vtabPlain(rc, zErr);
  return rc==SQLITE_OK ? SQLITE_OK : vtabConflict(p, &row, eConflict, vtabFail(pVtab, rc, zErr));
}

/* ---- transactions --------------------------------------------------------- */

/*
** The order in which SQLite calls the methods of a transaction.  Of a table that is made
** inside of one the first is none of xBegin; a table that another one's error has kept from
** a savepoint may be rolled back to it.
*/
enum { VTAB_NEW, VTAB_BEGIN, VTAB_SAVEPOINT, VTAB_RELEASE, VTAB_ROLLBACK_TO, VTAB_END };
#ifdef KV_DEBUG
static void vtabOrder(KvVtab *p, int eCall, int iSavepoint){
  KV_ASSERT( p->eTxn==VTAB_NEW || (p->eTxn==VTAB_END)==(eCall==VTAB_BEGIN) );
  if( eCall==VTAB_BEGIN ){
    p->iSavepoint = -1;
  }else if( eCall==VTAB_SAVEPOINT ){
    KV_ASSERT( iSavepoint>=0 && iSavepoint>=p->iSavepoint );
    p->iSavepoint = iSavepoint;
  }else if( eCall==VTAB_RELEASE ){
    KV_ASSERT( iSavepoint>=0 && iSavepoint<=p->iSavepoint );
    p->iSavepoint = iSavepoint - 1;
  }else if( eCall==VTAB_ROLLBACK_TO ){
    KV_ASSERT( iSavepoint>=-1 );
    p->iSavepoint = iSavepoint;
  }
  p->eTxn = (u8)eCall;
}
#else
# define vtabOrder(P, E, I)
#endif

static void vtabTxn(KvVtab *p, int iSavepoint){
  if( p->pDef->xTxn ) p->pDef->xTxn(p, iSavepoint);
}

/* Where SQLite does not lock the store's file for us, do it.  SQLite does not
** call this for a table that is made inside of the transaction. */
static int vtabBegin(sqlite3_vtab *pVtab){
  KvVtab *p = (KvVtab*)pVtab;
  char *zErr = 0;
  int rc;
  vtabOrder(p, VTAB_BEGIN, -1);
  vtabTxn(p, -1);
  if( p->bElsewhere ) kvWriteLockFirst(p->pStore);
  rc = kvStoreTake(p->pStore, &zErr);
  if( rc!=SQLITE_OK ){
    vtabOrder(p, VTAB_END, -1);
    return vtabFail(pVtab, rc, zErr);
  }
  vtabJoin(p, 0);
  return SQLITE_OK;
}

static int vtabTxnEnd(KvVtab *p, int bRollback){
  vtabOrder(p, VTAB_END, -1);
  vtabTxn(p, -1);
  vtabLeave(p);
  kvTxnEnd(p->pStore, bRollback);
  return SQLITE_OK;
}

static int vtabSync(sqlite3_vtab *pVtab){
  char *zErr = 0;
  int rc = ((KvVtab*)pVtab)->pDef->xSync((KvVtab*)pVtab, &zErr);
  return rc==SQLITE_OK ? SQLITE_OK : vtabFail(pVtab, rc, zErr);
}

static int vtabCommit(sqlite3_vtab *pVtab){
  return vtabTxnEnd((KvVtab*)pVtab, 0);
}

static int vtabRollback(sqlite3_vtab *pVtab){
  return vtabTxnEnd((KvVtab*)pVtab, 1);
}

static int vtabRename(sqlite3_vtab *pVtab, const char *zNew){
  (void)pVtab; (void)zNew;
  return SQLITE_OK;
}

static int vtabSavepoint(sqlite3_vtab *pVtab, int iSavepoint){
  vtabOrder((KvVtab*)pVtab, VTAB_SAVEPOINT, iSavepoint);
  vtabJoin((KvVtab*)pVtab, 1);
  kvTxnSavepoint(((KvVtab*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

static int vtabRelease(sqlite3_vtab *pVtab, int iSavepoint){
  vtabOrder((KvVtab*)pVtab, VTAB_RELEASE, iSavepoint);
  kvTxnRelease(((KvVtab*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

static int vtabRollbackTo(sqlite3_vtab *pVtab, int iSavepoint){
  vtabOrder((KvVtab*)pVtab, VTAB_ROLLBACK_TO, iSavepoint);
  vtabTxn((KvVtab*)pVtab, iSavepoint);
  kvTxnRollbackTo(((KvVtab*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

/* ---- registering ---------------------------------------------------------- */

/* What a module has from xUpdate on is for tables that can be written. */
static const sqlite3_module vtabMethods = {
  .iVersion      = 2,
  .xCreate       = vtabConnect,
  .xConnect      = vtabConnect,
  .xBestIndex    = vtabBestIndex,
  .xDisconnect   = vtabDisconnect,
  .xDestroy      = vtabDestroy,
  .xOpen         = vtabOpen,
  .xClose        = vtabClose,
  .xFilter       = vtabFilter,
  .xNext         = vtabNext,
  .xEof          = vtabEof,
  .xColumn       = vtabColumn,
  .xRowid        = vtabRowid,
  .xUpdate       = vtabUpdate,
  .xBegin        = vtabBegin,
  .xCommit       = vtabCommit,
  .xRollback     = vtabRollback,
  .xRename       = vtabRename,
  .xSavepoint    = vtabSavepoint,
  .xRelease      = vtabRelease,
  .xRollbackTo   = vtabRollbackTo
};

static void vtabUnregister(void *pArg){
  VtabModule *p = pArg;
  kvConnUnref(p->pConn);
  sqlite3_free(p);
}

int kvVtabRegister(KvConn *pConn, const KvVtabDef *pDef){
  size_t nReads = offsetof(sqlite3_module, xUpdate);
  VtabModule *p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return SQLITE_NOMEM;
  p->pDef = pDef;
  p->pConn = pConn;
  p->methods = vtabMethods;
  if( pDef->xWrite==0 && pDef->xUpdate==0 ){
    memset((u8*)&p->methods + nReads, 0, sizeof(p->methods) - nReads);
  }
  if( pDef->xSync ) p->methods.xSync = vtabSync;
  if( pDef->mFlags & KVTAB_EPONYMOUS ) p->methods.xCreate = 0;
  if( pDef->mFlags & KVTAB_CREATED ) p->methods.xCreate = vtabCreate;
  kvConnRef(pConn);
  return sqlite3_create_module_v2(pConn->db, pDef->zName, &p->methods, p, vtabUnregister);
}
