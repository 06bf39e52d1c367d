/*
** collection_declare.c -- the indexes that the columns of a collection ask for.
*/
#include "sql/collection_declare.h"
#include "codec/key/key_bytes.h"
#include "sql/collection_search.h"
#include "sql/run.h"
#include "store/index/dirty.h"
#include "store/index/declare.h"
#include "store/schema.h"
#include "store/store.h"

/* What an index is declared with. */
static const char *collDeclareOptions(const KvCollectionColumn *p){
  int bLower = p->bNoCase && (p->eType==KV_COLTYPE_TEXT || p->eType==KV_COLTYPE_ANY);
  if( p->eIndex==KV_COLINDEX_UNIQUE ) return bLower ? "unique lower" : "unique";
  return bLower ? "lower" : "";
}

/* Is there an index like it? */
static int declareIsThere(const KvCollection *p, const KvCollectionColumn *pCol){
  KvStore *pStore = p->t.pStore;
  const char *zOptions = collDeclareOptions(pCol);
  u32 mWant = (strstr(zOptions, "unique") ? (u32)KVINDEX_UNIQUE : 0)
            | (strstr(zOptions, "lower") ? (u32)KVINDEX_LOWER : 0);
  u32 i, n = kvIndexCount(pStore);
  for(i=0; i<n; i++){
    const KvIndexDef *pDef = kvIndexAt(pStore, i);
    if( kvIndexDefIsOf(pDef, kvBufBytes(&p->def.prefix), pCol->zPath)
     && (pDef->mOptions & (KVINDEX_UNIQUE|KVINDEX_LOWER))==mWant
    ){
      return 1;
    }
  }
  return 0;
}

/* The name of a column's index, of sqlite3_malloc(): the one that is given, or that
** of Deno's documentation, users_by_email.  pCol 0: that of the full-text index. */
static char *declareName(const KvCollection *p, const KvCollectionColumn *pCol){
  KvBytes prefix = kvBufBytes(&p->def.prefix);
  KvBuf name;
  KvPart part;
  u32 i = 0;
  char *z = 0;
  if( pCol && pCol->zIndex ) return sqlite3_mprintf("%s", pCol->zIndex);
  kvBufInit(&name, 0, 0);
  while( i<prefix.n && kvPartRead(prefix, &i, &part, 0)==KV_OK ){
    if( part.eType!=KVP_STRING || memchr(part.content.p, 0, part.content.n) ) continue;
    kvBufReset(&name);
    kvPartContent(&name, &part);
  }
  if( kvBufTerminate(&name)==KV_OK ){
    const char *zHead = name.n ? (const char*)name.a : p->zName;
    z = pCol ? sqlite3_mprintf("%s_by_%s", zHead, pCol->zName)
             : sqlite3_mprintf("%s_text", zHead);
  }
  kvBufClear(&name);
  return z;
}

/* Declare the full-text index of the columns that are FULLTEXT. */
static void declareFulltext(KvCollection *p){
  KvStore *pStore = p->t.pStore;
  KvError *pErr = kvStoreError(pStore);
  sqlite3_str *pPath = sqlite3_str_new(0);
  KvIndexDef def;
  u32 i, n = 0;
  memset(&def, 0, sizeof(def));
  for(i=0; i<p->def.nColumn; i++){
    const KvCollectionColumn *pCol = &p->def.aColumn[i];
    if( pCol->bText ) sqlite3_str_appendf(pPath, "%s%s", n++ ? ", " : "", pCol->zPath);
  }
  def.zName = declareName(p, 0);
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

/* Declare them.  Inside of a nested statement. */
static void declareAll(void *pArg){
  KvCollection *p = pArg;
  KvStore *pStore = p->t.pStore;
  KvError *pErr = kvStoreError(pStore);
  u32 i;
  for(i=0; i<p->def.nColumn && !kvFailed(pErr); i++){
    const KvCollectionColumn *pCol = &p->def.aColumn[i];
    KvIndexDef def;
    if( pCol->eIndex==KV_COLINDEX_NONE ) continue;
    if( kvSchemaOpen(pStore)==KV_STORE_READY ) kvIndexList(pStore);
    if( declareIsThere(p, pCol) ) continue;
    memset(&def, 0, sizeof(def));
    def.zName = declareName(p, pCol);
    def.zPath = pCol->zPath;
    def.zOptions = collDeclareOptions(pCol);
    def.prefix = kvBufBytes(&p->def.prefix);
    if( def.zName==0 ){
      kvErrorCode(pErr, SQLITE_NOMEM);
    }else if( kvIndexNamed(pStore, def.zName) ){
      kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: index %s already "
          "exists with a different definition; give this one a name: %s 'name'",
          pCol->zName, def.zName,
          pCol->eIndex==KV_COLINDEX_UNIQUE ? "UNIQUE" : "INDEX");
    }else{
      kvIndexCreate(pStore, &def, 0);
    }
    sqlite3_free((char*)def.zName);
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
  u32 i, nMissing = 0;
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) kvIndexList(pStore);
  for(i=0; i<p->def.nColumn; i++){
    if( p->def.aColumn[i].eIndex!=KV_COLINDEX_NONE ){
      nMissing += !declareIsThere(p, &p->def.aColumn[i]);
    }
  }
  return nMissing==0 && (p->def.nText==0 || kvCollectionText(p));
}

void kvCollectionDeclare(KvCollection *p){
  KvRun run = { p->t.pStore, declareAll, p, "it alone", 1 };
  KvError *pErr = kvStoreError(p->t.pStore);
  u32 i;
  if( !kvHasSchema(kvStoreDb(p->t.pStore), p->zSchema) ) kvSchemaOpen(p->t.pStore);   /* says so */
  for(i=0; i<p->def.nColumn && p->def.aColumn[i].eIndex==KV_COLINDEX_NONE; i++){}
  if( (i==p->def.nColumn && p->def.nText==0) || kvFailed(pErr) || !declareIsCurrent(p)
   || declareIsDone(p) || kvFailed(pErr)
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
