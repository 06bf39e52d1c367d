/*
** dirty.c -- the list of dirty keys.  See dirty.h.
*/
#include "store/store_int.h"
#include "store/feed.h"
#include "store/index/dirty.h"
#include "store/migrate.h"
#include "store/store.h"

/* ---- the state ------------------------------------------------------------- */

/* The tables of the indexes are not those of this version, or not all there. */
static void dirtyRefuse(KvStore *p){
  if( kvFailed(&p->err) || !kvSchemaHasColumn(p, "kv_index_def", "name") ) return;
  kvError(&p->err, SQLITE_ERROR, "kv: the tables of the declared indexes in %!.100s are not all "
      "there, or of another version; SELECT kv_uninstall() and declare the indexes again",
      p->zSchema);
}

/*
** What was read of the list last is known as long as the file is what it was.  In a read
** transaction these say so: the changes on the connection, the schema, and what SQLite counts
** of the commits of all.  Of a transaction that has written nothing is remembered, since
** nothing counts a rollback.
*/
static int dirtyOnlyRead(const KvStore *p){
  return sqlite3_txn_state(p->db, p->zSchema)==SQLITE_TXN_READ;
}

static u32 dirtyData(const KvStore *p){
  u32 iData = 0;
  sqlite3_file_control(p->db, p->zSchema, SQLITE_FCNTL_DATA_VERSION, &iData);
  return iData;
}

static void dirtyRemember(KvStore *p, const KvDirty *pDirty){
  KvDirtySeen *pSeen = &p->seen;
  pSeen->dirty = *pDirty;
  pSeen->iSchema = p->schema.iSchema;
  pSeen->nTotal = sqlite3_total_changes64(p->db);
  pSeen->iData = dirtyData(p);
  pSeen->iExpires = 0;
  if( !dirtyOnlyRead(p) ) pSeen->dirty.bThere = 0;
}

int kvDirtyLasting(KvStore *p, i64 iNow){
  KvDirtySeen *pSeen = &p->seen;
  int bSeen = pSeen->dirty.bThere && pSeen->nTotal==sqlite3_total_changes64(p->db)
           && dirtyOnlyRead(p);
  i64 iExpires = bSeen ? pSeen->iExpires : 0;
  if( iExpires==0 ) iExpires = kvRowFirstExpiry(p);
  if( bSeen ) pSeen->iExpires = iExpires;
  return iExpires>iNow;
}

/* Is it known?  Then the statement that holds the read transaction is returned. */
static KvStmt *dirtySeen(KvStore *p, KvDirty *pDirty){
  const KvDirtySeen *pSeen = &p->seen;
  KvStmt *pStmt;
  if( !pSeen->dirty.bThere || pSeen->nTotal!=sqlite3_total_changes64(p->db) ) return 0;
  pStmt = kvStmtTake(p, KVSQL_DIRTY_STILL);
  if( kvFeedRow(pStmt) && kvSchemaCount(p)==pSeen->iSchema && dirtyData(p)==pSeen->iData
   && dirtyOnlyRead(p)
  ){
    *pDirty = pSeen->dirty;
    return pStmt;
  }
  kvStmtGive(pStmt);
  if( p->err.rc==SQLITE_ERROR ) kvErrorClear(&p->err);   /* no such table: who asks finds that */
  return 0;
}

KvStmt *kvDirtyPin(KvStore *p, KvDirty *pDirty){
  KvStmt *pStmt;
  memset(pDirty, 0, sizeof(*pDirty));
  if( kvFailed(&p->err) || kvFeedNested(p) ) return 0;
  pStmt = dirtySeen(p, pDirty);
  if( pStmt || kvFailed(&p->err) ) return pStmt;
  pStmt = kvStmtTake(p, KVSQL_DIRTY_GET);
  if( kvFeedRow(pStmt) ){
    kvSchemaCount(p);                  /* as of this transaction */
    pDirty->bThere = !kvFailed(&p->err);
  }else{
    /* No such table: there are no indexes.  They may have gone while it was kept. */
    kvSchemaMissing(p, "kv_index_state", "guard");
    kvSchemaMissing(p, "kv_index_def", "kinds");
    kvSchemaMissing(p, "kv_dirty", "done");
    dirtyRefuse(p);
  }
  if( !pDirty->bThere ){
    kvStmtGive(pStmt);
    return 0;
  }
  pDirty->iGeneration = kvStmtInt(pStmt, 0);
  pDirty->iSince = kvStmtInt(pStmt, 1);
  p->indexes.iGuard = kvStmtInt(pStmt, 2);
  pDirty->iNewest = kvStmtInt(pStmt, 3);
  pDirty->bAny = kvStmtInt(pStmt, 4)!=0;
  pDirty->bMore = kvStmtInt(pStmt, 5)!=0;
  dirtyRemember(p, pDirty);
  return pStmt;
}

int kvDirtyGet(KvStore *p, KvDirty *pDirty){
  kvStmtGive(kvDirtyPin(p, pDirty));
  return pDirty->bThere;
}

u32 kvIndexList(KvStore *p){
  KvDirty dirty;
  return kvDirtyGet(p, &dirty) ? kvIndexLoad(p, dirty.iGeneration) : 0;
}

/* ---- keys ------------------------------------------------------------------- */

int kvDirtyHas(KvStore *p, KvBytes key){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_DIRTY_HAS, "b", key);
  int bHas = kvStmtRow(pStmt);
  kvStmtGive(pStmt);
  return bHas;
}

void kvDirtyAdd(KvStore *p, KvBytes key){
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_ADD, "b", key));
  p->indexes.eFresh = KVFRESH_ALL;
}

void kvDirtyDone(KvStore *p, KvBytes key){
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_DONE, "b", key));
}

void kvDirtyDoneTo(KvStore *p, KvBytes after, KvBytes last){
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_DONE_TO, "bb", after, last));
}

int kvDirtyOwned(KvStore *p){
  int bAny = 0;
  u32 i;
  for(i=0; !bAny && i<kvIndexCount(p); i++){
    const KvIndexDef *pDef = kvIndexAt(p, i);
    KvStmt *pStmt = kvStmtWith(p, KVSQL_DIRTY_BETWEEN, "bb", pDef->name, pDef->nameEnd);
    bAny = kvStmtRow(pStmt);
    kvStmtGive(pStmt);
  }
  return bAny;
}

void kvDirtyPurge(KvStore *p, i64 nMost){
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_SET_SINCE, "i", nMost));
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_PURGE, "i", nMost));
}

/* How many are dirty in a range. */
static i64 dirtyCount(KvStore *p, KvBytes lo, KvBytes hi){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_DIRTY_COUNT, "bb", lo, hi);
  i64 n = kvFeedRow(pStmt) ? kvStmtInt(pStmt, 0) : 0;
  kvStmtGive(pStmt);
  return n;
}

/* The entries of other indexes that are below the prefix are no primary ones. */
i64 kvDirtyCount(KvStore *p, const KvIndexDef *pDef){
  i64 n = dirtyCount(p, pDef->prefix, pDef->last);
  u32 i;
  for(i=0; i<kvIndexCount(p); i++){
    const KvIndexDef *pOther = kvIndexAt(p, i);
    if( (pOther->mOptions & KVINDEX_APART) || !kvBytesBegins(pOther->name, pDef->prefix) ) continue;
    n -= dirtyCount(p, pOther->name, pOther->nameEnd);
  }
  return n;
}

/* ---- the tables -------------------------------------------------------------- */

static i64 dirtyRandom(void){
  i64 i;
  sqlite3_randomness(sizeof(i), &i);
  return i & INT64_MAX;
}

/* The guard is far from the rowids that anybody has. */
void kvDirtyTables(KvStore *p){
  kvNamesGroup(p, KVNAMES_INDEXES, 1);
  kvMigrate(p);
  kvStmtScript(p, KVSQL_INDEX_DEF, KVSQL_INDEX_VALUE);
  kvStmtScript(p, KVSQL_DIRTY_STATE, KVSQL_DIRTY_ORDER);
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_STATE_ROW, "ii", dirtyRandom(),
                       -(dirtyRandom() | (i64)1<<62)));
}

/* Append a range of keys as SQL, unless it is there. */
static void dirtyRange(sqlite3_str *pOut, const KvStore *p, u32 i, int bOwn, const char *zRow){
  const KvIndexDef *pDef = kvIndexAt(p, i);
  KvBytes lo = bOwn ? pDef->name : pDef->prefix, hi = bOwn ? pDef->nameEnd : pDef->last;
  u32 k;
  if( bOwn && (pDef->mOptions & KVINDEX_APART) ) return;
  for(k=0; k<i && !bOwn; k++){
    if( kvBytesEqual(kvIndexAt(p, k)->prefix, lo) ) return;
  }
  if( sqlite3_str_length(pOut) ) sqlite3_str_appendall(pOut, " OR ");
  sqlite3_str_appendf(pOut, "%s.k > x'", zRow);
  for(k=0; k<lo.n; k++) sqlite3_str_appendf(pOut, "%02x", lo.p[k]);
  sqlite3_str_appendf(pOut, "' AND %s.k < x'", zRow);
  for(k=0; k<hi.n; k++) sqlite3_str_appendf(pOut, "%02x", hi.p[k]);
  sqlite3_str_appendall(pOut, "'");
}

/* The ranges of all declarations, as a condition on the row "NEW" or "OLD". */
static char *dirtyRanges(const KvStore *p, const char *zRow){
  sqlite3_str *pOut = sqlite3_str_new(0);
  int bOwn;
  u32 i;
  for(bOwn=0; bOwn<2; bOwn++){
    for(i=0; i<kvIndexCount(p); i++) dirtyRange(pOut, p, i, bOwn, zRow);
  }
  return sqlite3_str_finish(pOut);
}

/* What was read of the declarations stays, and whoever else has read them reads them again. */
void kvDirtyKinds(KvStore *p, const KvIndexDef *pDef, u32 mKind){
  i64 iGeneration;
  u32 i;
  if( (mKind & ~pDef->mKind)==0 || kvFailed(&p->err) ) return;
  KV_ASSERT( p->indexes.bBusy );
  iGeneration = dirtyRandom();
  kvStmtRun(kvStmtWith(p, KVSQL_INDEX_KINDS, "ti", kvBytesText(pDef->zName), (i64)mKind));
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_GENERATION, "i", iGeneration));
  for(i=0; i<kvIndexCount(p) && kvIndexAt(p, i)!=pDef; i++){}
  KV_ASSERT( i<kvIndexCount(p) );
  p->indexes.apDef[i]->mKind |= mKind;
  p->indexes.iGeneration = iGeneration;
}

/* Is the text of a trigger, if there is one, what it has to be? */
static int dirtyIsTrigger(KvStore *p, int eSql){
  static const char *const azName[] = { "insert", "update", "move", "delete" };
  sqlite3_stmt *pStmt = 0;
  char *zOurs = kvStmtText(p, eSql);
  const char *zA, *zB = zOurs ? strstr(zOurs, "AFTER ") : 0;
  int rc, bSame = 1;
  if( zOurs==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  if( zB==0 ) return 0;
  rc = kvPrepare(p->db, &pStmt, "SELECT sql FROM \"%w\".sqlite_schema WHERE type = 'trigger' "
      "AND name = '%qkv_dirty_%s' COLLATE nocase", p->zSchema, p->zPrefix,
      azName[eSql - KVSQL_DIRTY_ON_INSERT]);
  if( rc==SQLITE_OK && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    zA = (const char*)sqlite3_column_text(pStmt, 0);
    if( zA==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
    zA = zA ? strstr(zA, "AFTER ") : 0;
    bSame = zA && strcmp(zA, zB)==0;
    rc = SQLITE_OK;
  }
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_OK && rc!=SQLITE_DONE ) kvErrorDb(&p->err, p->db, rc);
  sqlite3_free(zOurs);
  return bSame;
}

static int dirtyAreTriggers(KvStore *p){
  int eSql = KVSQL_DIRTY_ON_INSERT;
  while( eSql<=KVSQL_DIRTY_ON_DELETE && dirtyIsTrigger(p, eSql) ) eSql++;
  return eSql>KVSQL_DIRTY_ON_DELETE;
}

static int dirtyMakeTriggers(KvStore *p){
  kvStmtScript(p, KVSQL_DIRTY_ON_INSERT, KVSQL_DIRTY_ON_DELETE);
  return 1;
}

/* Call xCall with the ranges in the texts of the triggers. */
static int dirtyWithRanges(KvStore *p, int (*xCall)(KvStore*)){
  char *zNew = dirtyRanges(p, "NEW"), *zOld = dirtyRanges(p, "OLD");
  int rc = 0;
  if( zNew && zOld ) rc = kvStmtRanges(p, zNew, zOld, xCall);
  else kvErrorCode(&p->err, SQLITE_NOMEM);
  sqlite3_free(zNew);
  sqlite3_free(zOld);
  return rc;
}

int kvDirtyTriggers(KvStore *p){
  return dirtyWithRanges(p, dirtyAreTriggers);
}

int kvDirtyLost(KvStore *p){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_INDEX_LOST);
  int bLost = kvStmtRow(pStmt);
  kvStmtGive(pStmt);
  return bLost;
}

void kvDirtyDeclared(KvStore *p){
  KvDirty dirty;
  i64 iGeneration = dirtyRandom();
  if( !kvIndexEnter(p) ) return;
  kvStmtRun(kvStmtWith(p, KVSQL_DIRTY_GENERATION, "i", iGeneration));
  kvIndexLeave(p);
  kvIndexLoad(p, iGeneration);
  kvDirtyGet(p, &dirty);
  kvNamesDropTriggers(p, KVNAMES_INDEXES);
  if( kvFailed(&p->err) || kvIndexCount(p)==0 ) return;
  dirtyWithRanges(p, dirtyMakeTriggers);
  kvSchemaLook(p);
  kvIndexLoad(p, iGeneration);         /* of this schema */
}
