/*
** collection_declare.c -- the indexes that the columns of a collection ask for.
*/
#include "sql/collection/collection_declare.h"
#include "codec/key/key_bytes.h"
#include "sql/collection/collection_search.h"
#include "sql/run.h"
#include "store/index/dirty.h"
#include "store/index/declare.h"
#include "store/schema.h"
#include "store/store.h"

/* The columns of index i that may be declared: those of one column come first.  eIndex may be
** KV_COLINDEX_NONE.  False: there are no more. */
static int declareAt(const KvCollection *p, u32 i, KvCollectionSet *pSet){
  const KvCollectionDef *pDef = &p->def;
  memset(pSet, 0, sizeof(*pSet));
  if( i>=pDef->nColumn ){
    if( i-pDef->nColumn<pDef->nSet ) *pSet = pDef->aSet[i-pDef->nColumn];
    return i-pDef->nColumn<pDef->nSet;
  }
  pSet->zIndex = pDef->aColumn[i].zIndex;
  pSet->eIndex = pDef->aColumn[i].eIndex;
  pSet->nColumn = 1;
  pSet->aiColumn[0] = i;
  return 1;
}

/* Does one of its columns hold text that is compared regardless of case? */
static int declareIsLower(const KvCollection *p, const KvCollectionSet *pSet){
  u32 k;
  for(k=0; k<pSet->nColumn; k++){
    const KvCollectionColumn *pCol = &p->def.aColumn[pSet->aiColumn[k]];
    if( pCol->bNoCase && (pCol->eType==KV_COLTYPE_TEXT || pCol->eType==KV_COLTYPE_ANY) ) return 1;
  }
  return 0;
}

/* What an index is declared with. */
static const char *declareIndexOptions(const KvCollection *p, const KvCollectionSet *pSet){
  if( pSet->eIndex==KV_COLINDEX_UNIQUE ) return declareIsLower(p, pSet) ? "unique lower" : "unique";
  return declareIsLower(p, pSet) ? "lower" : "";
}

/* Is there an index like it? */
static int declareIsThere(const KvCollection *p, const KvCollectionSet *pSet){
  u32 mWant = (pSet->eIndex==KV_COLINDEX_UNIQUE ? (u32)KVINDEX_UNIQUE : 0)
            | (declareIsLower(p, pSet) ? (u32)KVINDEX_LOWER : 0);
  u32 i, k, n = kvIndexCount(p->t.pStore);
  for(i=0; i<n; i++){
    const KvIndexDef *pDef = kvIndexAt(p->t.pStore, i);
    if( pDef->spec.nPath!=pSet->nColumn || pDef->spec.where.n>0
     || (pDef->mOptions & (KVINDEX_UNIQUE|KVINDEX_LOWER|KVINDEX_SEARCH))!=mWant
     || !kvBytesEqual(pDef->prefix, kvBufBytes(&p->def.prefix))
    ){
      continue;
    }
    for(k=0; k<pSet->nColumn; k++){
      KvBytes path = kvBytesText(p->def.aColumn[pSet->aiColumn[k]].zPath);
      if( !kvBytesEqual(pDef->spec.aPath[k], path) ) break;
    }
    if( k==pSet->nColumn ) return 1;
  }
  return 0;
}

/* The beginning of an index's name, of sqlite3_malloc(), as in Deno's documentation: users. */
static char *declareHead(const KvCollection *p){
  KvBytes prefix = kvBufBytes(&p->def.prefix);
  KvBuf name;
  KvPart part;
  u32 i = 0;
  char *z = 0;
  kvBufInit(&name, 0, 0);
  while( i<prefix.n && kvPartRead(prefix, &i, &part, 0)==KV_OK ){
    if( part.eType!=KVP_STRING || memchr(part.content.p, 0, part.content.n) ) continue;
    kvBufReset(&name);
    kvPartContent(&name, &part);
  }
  if( kvBufTerminate(&name)==KV_OK ){
    z = sqlite3_mprintf("%s", name.n ? (const char*)name.a : p->zName);
  }
  kvBufClear(&name);
  return z;
}

/* The name of an index and its paths, of sqlite3_malloc(): the name that is given, or
** users_by_email, users_by_city_age. */
static char *declareName(const KvCollection *p, const KvCollectionSet *pSet, char **pzPath){
  sqlite3_str *pName = sqlite3_str_new(0), *pPath = sqlite3_str_new(0);
  char *zHead = pSet->zIndex ? 0 : declareHead(p);
  u32 k;
  if( pSet->zIndex || zHead ){
    sqlite3_str_appendf(pName, "%s%s", zHead ? zHead : pSet->zIndex, zHead ? "_by" : "");
  }
  for(k=0; k<pSet->nColumn; k++){
    const KvCollectionColumn *pCol = &p->def.aColumn[pSet->aiColumn[k]];
    if( zHead ) sqlite3_str_appendf(pName, "_%s", pCol->zName);
    sqlite3_str_appendf(pPath, "%s%s", k ? ", " : "", pCol->zPath);
  }
  sqlite3_free(zHead);
  *pzPath = sqlite3_str_finish(pPath);
  return sqlite3_str_finish(pName);
}

/* Declare the full-text index of the columns that are FULLTEXT. */
static void declareFulltext(KvCollection *p){
  KvStore *pStore = p->t.pStore;
  KvError *pErr = kvStoreError(pStore);
  sqlite3_str *pPath = sqlite3_str_new(0);
  KvIndexDef def;
  char *zHead;
  u32 i, n = 0;
  memset(&def, 0, sizeof(def));
  for(i=0; i<p->def.nColumn; i++){
    const KvCollectionColumn *pCol = &p->def.aColumn[i];
    if( pCol->bText ) sqlite3_str_appendf(pPath, "%s%s", n++ ? ", " : "", pCol->zPath);
  }
  zHead = declareHead(p);
  def.zName = zHead ? sqlite3_mprintf("%s_text", zHead) : 0;
  sqlite3_free(zHead);
  def.zPath = sqlite3_str_finish(pPath);
  def.zOptions = p->def.zTokenize
      ? sqlite3_mprintf("fulltext tokenize=\"%w\"", p->def.zTokenize)
      : sqlite3_mprintf("fulltext");
  def.prefix = kvBufBytes(&p->def.prefix);
  if( def.zName==0 || def.zPath==0 || def.zOptions==0 ){
    kvErrorCode(pErr, SQLITE_NOMEM);
  }else if( kvIndexNamed(pStore, def.zName) ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): index %s already exists with a different "
        "definition; declare the full-text index of these columns with kv_index() and another "
        "name", def.zName);
  }else{
    kvIndexCreate(pStore, &def, 0);
  }
  sqlite3_free((char*)def.zName);
  sqlite3_free((char*)def.zPath);
  sqlite3_free((char*)def.zOptions);
}

/* Declare one that isn't there. */
static void declareOne(KvCollection *p, const KvCollectionSet *pSet){
  KvStore *pStore = p->t.pStore;
  KvError *pErr = kvStoreError(pStore);
  char *zPath;
  KvIndexDef def;
  memset(&def, 0, sizeof(def));
  def.zName = declareName(p, pSet, &zPath);
  def.zPath = zPath;
  def.zOptions = declareIndexOptions(p, pSet);
  def.prefix = kvBufBytes(&p->def.prefix);
  if( def.zName==0 || zPath==0 ){
    kvErrorCode(pErr, SQLITE_NOMEM);
  }else if( kvIndexNamed(pStore, def.zName) ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: index %s already "
        "exists with a different definition; give this one a name: %s%s 'name'",
        p->def.aColumn[pSet->aiColumn[0]].zName, def.zName,
        pSet->eIndex==KV_COLINDEX_UNIQUE ? "UNIQUE" : "INDEX", pSet->nColumn>1 ? "(...)" : "");
  }else{
    kvIndexCreate(pStore, &def, 0);
  }
  sqlite3_free((char*)def.zName);
  sqlite3_free(zPath);
}

/* Declare them.  Inside of a nested statement. */
static void declareAll(void *pArg){
  KvCollection *p = pArg;
  KvStore *pStore = p->t.pStore;
  KvError *pErr = kvStoreError(pStore);
  KvCollectionSet set;
  u32 i;
  for(i=0; !kvFailed(pErr) && declareAt(p, i, &set); i++){
    if( set.eIndex==KV_COLINDEX_NONE ) continue;
    if( kvSchemaOpen(pStore)==KV_STORE_READY ) kvIndexList(pStore);
    if( !declareIsThere(p, &set) ) declareOne(p, &set);
  }
  if( p->def.nText==0 || kvFailed(pErr) ) return;
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) kvIndexList(pStore);
  if( kvCollectionText(p)==0 ) declareFulltext(p);
}

/* The result of a PRAGMA, or in column iCol of the row of an EXPLAIN that has the
** opcode; 0: there is none.  The statement itself isn't run. */
static i64 declareAsk(KvCollection *p, const char *zFormat, const char *zOpcode, int iCol){
  sqlite3 *db = kvStoreDb(p->t.pStore);
  char *zSql = sqlite3_mprintf(zFormat, p->zSchema);
  sqlite3_stmt *pStmt = 0;
  i64 v = 0;
  int rc = zSql ? sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0) : SQLITE_NOMEM;
  while( rc==SQLITE_OK && sqlite3_step(pStmt)==SQLITE_ROW ){
    const char *z = zOpcode ? (const char*)sqlite3_column_text(pStmt, 1) : 0;
    if( zOpcode && (z==0 || strcmp(z, zOpcode)!=0) ) continue;
    v = sqlite3_column_int64(pStmt, iCol);
    break;
  }
  if( rc==SQLITE_OK ) rc = sqlite3_finalize(pStmt);
  if( rc!=SQLITE_OK ) kvStoreFail(p->t.pStore, rc);
  sqlite3_free(zSql);
  return v;
}

/*
** A CREATE VIRTUAL TABLE doesn't survive that SQLite reads the schema again, which it
** does, for all files, at the first statement on one that another connection has
** changed.  So here, before that: is what SQLite knows of the store's file what is in
** it?  Else the CREATE is to be run again, and SQLITE_SCHEMA makes SQLite do so.
*/
static int declareIsCurrent(KvCollection *p){
  KvError *pErr = kvStoreError(p->t.pStore);
  i64 iKnown = declareAsk(p, "EXPLAIN SELECT 1 FROM \"%w\".sqlite_schema", "Transaction", 4);
  if( !kvFailed(pErr) && iKnown!=declareAsk(p, "PRAGMA \"%w\".schema_version", 0, 0)
   && !kvFailed(pErr)
  ){
    declareAsk(p, "SELECT count(*) FROM \"%w\".sqlite_schema", 0, 0);
    kvErrorClear(pErr);
    kvErrorCode(pErr, SQLITE_SCHEMA);
  }
  return !kvFailed(pErr);
}

/* Is one of them missing? */
static int declareIsDone(KvCollection *p){
  KvStore *pStore = p->t.pStore;
  KvCollectionSet set;
  u32 i, nMissing = 0;
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) kvIndexList(pStore);
  for(i=0; declareAt(p, i, &set); i++){
    if( set.eIndex!=KV_COLINDEX_NONE ) nMissing += !declareIsThere(p, &set);
  }
  return nMissing==0 && (p->def.nText==0 || kvCollectionText(p));
}

/* Is any index declared? */
static int declareAny(const KvCollection *p){
  KvCollectionSet set;
  u32 i;
  for(i=0; declareAt(p, i, &set) && set.eIndex==KV_COLINDEX_NONE; i++){}
  return i<p->def.nColumn + p->def.nSet || p->def.nText>0;
}

void kvCollectionDeclare(KvCollection *p){
  KvRun run = { p->t.pStore, declareAll, p, "it alone", 1 };
  KvError *pErr = kvStoreError(p->t.pStore);
  if( !kvHasSchema(kvStoreDb(p->t.pStore), p->zSchema) ) kvSchemaOpen(p->t.pStore);   /* says so */
  if( !declareAny(p) || kvFailed(pErr) || !declareIsCurrent(p) || declareIsDone(p)
   || kvFailed(pErr)
  ){
    return;
  }
  if( kvStoreReadonly(p->t.pStore) ) return;
  if( kvSchemaState(p->t.pStore)==KV_STORE_OLD ){
    /* ALTER TABLE would free the table that SQLite is making */
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): the store has the layout of an "
            "old Deno; SELECT kv_init() upgrades it, so that indexes can be declared");
    return;
  }
  kvRun(p->t.pConn, &run);
}
