/*
** publish.c -- published tables.  See publish.h.
**
**   CREATE TABLE users_table("id" INTEGER, "name" TEXT, _versionstamp TEXT,
**     _expires_at INTEGER, PRIMARY KEY("id")) WITHOUT ROWID
**
** The columns are those of the collection.  A type is given where its affinity leaves what the
** column shows as it is: a BIGINT beyond 64 bits is TEXT, JSON may be digits.  The primary key
** is that of the collection, if its columns tell keys apart, or else the key itself, _key.
**
** The functions of a row's columns are those of the collection; the statements that write a
** row call them by kv_column(?1, i), where ?1 is a pointer that no other SQL has.  Triggers
** refuse what others write: last_insert_rowid() is the guard of the store only while this file
** writes (store/index/dirty.h).
*/
#include "sql/collection/publish.h"
#include "sql/modules.h"
#include "codec/index_spec.h"
#include "codec/key/key_print.h"
#include "sql/collection/collection_value.h"
#include "sql/result.h"
#include "store/clock.h"
#include "store/index/declare.h"
#include "store/row.h"
#include "store/schema.h"

/* Columns after those of the collection. */
enum { PUBLISH_VERSIONSTAMP, PUBLISH_EXPIRES_AT, PUBLISH_KEY };

/* A published table, and the row that is written. */
typedef struct KvPublished KvPublished;
struct KvPublished {
  char *zName;
  char *zPath;            /* Its declaration */
  KvCollectionDef def;
  sqlite3_stmt *apStmt[3];     /* By PUBLISH_PUT ... */
  KvBytes key;
  KvPart *aPart;          /* Of the key */
  KvFound found;          /* The entry */
  KvCollectionRow row;    /* ... and its value */
  u8 bBusy;               /* In use */
  KvPublished *pNext;
};
enum { PUBLISH_PUT, PUBLISH_DELETE, PUBLISH_IS };

/* ---- the declaration -------------------------------------------------------- */

static void publishFree(KvPublished *p){
  u32 i;
  for(i=0; i<KV_COUNT(p->apStmt); i++) sqlite3_finalize(p->apStmt[i]);
  kvCollectionDefClear(&p->def);
  kvTreeClear(&p->row.tree);
  kvBufClear(&p->found.v);
  sqlite3_free(p->aPart);
  sqlite3_free(p->zPath);
  sqlite3_free(p->zName);
  sqlite3_free(p);
}

static void publishRelease(KvStore *pStore){
  KvPublished **pp = (KvPublished**)kvStorePublished(pStore);
  while( *pp ){
    KvPublished *p = *pp;
    if( p->bBusy ){
      pp = &p->pNext;
      continue;
    }
    *pp = p->pNext;
    publishFree(p);
  }
}

/* Read the declaration; azArg is room for its arguments.  What was not written by this file
** may be wrong: then the table follows nothing, and kvCheckPublished() tells. */
static void publishParse(KvPublished *p, const char **azArg, KvError *pErr){
  KvError error;
  int n = 0;
  char *z = p->zPath;
  memset(&error, 0, sizeof(error));
  while( z ){
    char *zEnd = strchr(z, KV_COLLECTION_COMMA);
    if( zEnd ) *zEnd++ = 0;
    azArg[n++] = z;
    z = zEnd;
  }
  kvCollectionDefParse(&p->def, p->zName, n, azArg, &error);
  if( kvFailed(&error) && (error.rc & 0xff)==SQLITE_NOMEM ) kvErrorCode(pErr, SQLITE_NOMEM);
  if( kvFailed(&error) ) kvCollectionDefClear(&p->def);
  kvErrorClear(&error);
}

static KvPublished *publishNew(KvStore *pStore, const KvIndexDef *pDef){
  KvError *pErr = kvStoreError(pStore);
  KvPublished *p = sqlite3_malloc64(sizeof(*p));
  const char **azArg = 0;
  const char *z;
  u64 nArg = 1;
  if( p ) memset(p, 0, sizeof(*p));
  for(z=pDef->zPath; *z; z++) nArg += *z==KV_COLLECTION_COMMA;
  azArg = sqlite3_malloc64(nArg*sizeof(*azArg));
  if( p ) p->zName = sqlite3_mprintf("%s", pDef->zName);
  if( p ) p->zPath = sqlite3_mprintf("%s", pDef->zPath);
  if( p && p->zName && p->zPath && azArg ){
    publishParse(p, azArg, pErr);
    if( !kvFailed(pErr) ) p->aPart = sqlite3_malloc64((p->def.nKey + 1)*sizeof(KvPart));
  }
  sqlite3_free(azArg);
  if( p && p->aPart ){
    kvTreeInit(&p->row.tree);
    return p;
  }
  kvErrorCode(pErr, SQLITE_NOMEM);
  if( p ) publishFree(p);
  return 0;
}

/* That of a declaration, to be given back with publishDone().  0: an error. */
static KvPublished *publishOpen(KvStore *pStore, const KvIndexDef *pDef){
  KvPublished **pp = (KvPublished**)kvStorePublished(pStore);
  KvPublished *p = *pp;
  if( kvFailed(kvStoreError(pStore)) ) return 0;
  while( p && (p->bBusy || strcmp(p->zName, pDef->zName)!=0) ) p = p->pNext;
  if( p==0 ){
    p = publishNew(pStore, pDef);
    if( p==0 ) return 0;
    p->pNext = *pp;
    *pp = p;
  }
  p->bBusy = 1;
  return p;
}

static void publishDone(KvPublished *p){
  p->bBusy = 0;
}

/* ---- SQL -------------------------------------------------------------------- */

/* Do the KEY columns tell keys apart?  1 and 1n, 0 and -0 are different keys, and NaN is NULL. */
static int publishHasKeys(const KvCollectionDef *p){
  u32 i;
  for(i=0; i<p->nColumn; i++){
    int eType = p->aColumn[i].eType;
    if( p->aColumn[i].bKey && (eType==KV_COLTYPE_ANY || eType==KV_COLTYPE_REAL) ) return 0;
  }
  return p->nKey>0;
}

/* The columns of the primary key, each followed by zEach; zValues: as conditions. */
static void publishKeys(sqlite3_str *pOut, const KvCollectionDef *p, int bWhere){
  const char *zAnd = bWhere ? " AND " : ", ";
  const KvCollectionColumn *pCol;
  u32 i, n = 0;
  while( publishHasKeys(p) && (pCol = kvCollectionKey(p, n))!=0 ){
    i = (u32)(pCol - p->aColumn);
    sqlite3_str_appendf(pOut, "%s\"%w\"%s", n++ ? zAnd : "", pCol->zName,
        pCol->bNoCase ? " COLLATE BINARY" : "");
    if( bWhere ) sqlite3_str_appendf(pOut, " = kv_column(?1, %u)", i);
  }
  if( n ) return;
  sqlite3_str_appendall(pOut, "_key");
  if( bWhere ) sqlite3_str_appendf(pOut, " = kv_column(?1, %u)", p->nColumn + PUBLISH_KEY);
}

/* The name of column i, those behind the collection's included; 0: there are no more. */
static const char *publishColumn(const KvCollectionDef *p, u32 i){
  static const char *const azMore[] = { "_versionstamp", "_expires_at", "_key" };
  if( i<p->nColumn ) return p->aColumn[i].zName;
  i -= p->nColumn;
  return i<PUBLISH_KEY || (i==PUBLISH_KEY && !publishHasKeys(p)) ? azMore[i] : 0;
}

static const char *publishType(const KvCollectionDef *p, u32 i){
  static const char *const azMore[] = { "TEXT", "INTEGER", "TEXT NOT NULL" };
  if( i>=p->nColumn ) return azMore[i - p->nColumn];
  switch( p->aColumn[i].eType ){
    case KV_COLTYPE_BIGINT: return "";
    case KV_COLTYPE_JSON:   return "TEXT";
    default:                return kvCollectionTypeName(p->aColumn[i].eType);
  }
}

static char *publishSql(KvStore *pStore, const KvPublished *p, int eStmt){
  sqlite3_str *pOut = sqlite3_str_new(0);
  const char *zSchema = kvStoreSchema(pStore), *zCol;
  u32 i;
  if( eStmt==PUBLISH_PUT ){
    sqlite3_str_appendf(pOut, "INSERT INTO \"%w\".\"%w\"(", zSchema, p->zName);
    for(i=0; (zCol = publishColumn(&p->def, i))!=0; i++){
      sqlite3_str_appendf(pOut, "%s\"%w\"", i ? ", " : "", zCol);
    }
    sqlite3_str_appendall(pOut, ") VALUES(");
    for(i=0; publishColumn(&p->def, i); i++){
      sqlite3_str_appendf(pOut, "%skv_column(?1, %u)", i ? ", " : "", i);
    }
    sqlite3_str_appendall(pOut, ") ON CONFLICT(");
    publishKeys(pOut, &p->def, 0);
    sqlite3_str_appendall(pOut, ") DO UPDATE SET ");
    for(i=0; (zCol = publishColumn(&p->def, i))!=0; i++){
      sqlite3_str_appendf(pOut, "%s\"%w\" = excluded.\"%w\"", i ? ", " : "", zCol, zCol);
    }
    return sqlite3_str_finish(pOut);
  }
  sqlite3_str_appendf(pOut, "%s FROM \"%w\".\"%w\" WHERE ",
      eStmt==PUBLISH_DELETE ? "DELETE" : "SELECT 1", zSchema, p->zName);
  publishKeys(pOut, &p->def, 1);
  for(i=0; eStmt==PUBLISH_IS && (zCol = publishColumn(&p->def, i))!=0; i++){
    sqlite3_str_appendf(pOut, " AND \"%w\" IS kv_column(?1, %u) COLLATE BINARY", zCol, i);
  }
  return sqlite3_str_finish(pOut);
}

/* A statement of the table.  0: the table is gone or has other columns, or an error. */
static sqlite3_stmt *publishStmt(KvStore *pStore, KvPublished *p, int eStmt){
  KvError *pErr = kvStoreError(pStore);
  char *zSql;
  int rc;
  if( p->apStmt[eStmt] || p->def.nColumn==0 ) return p->apStmt[eStmt];
  zSql = publishSql(pStore, p, eStmt);
  rc = zSql ? kvPrepare(kvStoreDb(pStore), &p->apStmt[eStmt], "/* kv */ %s", zSql) : SQLITE_NOMEM;
  sqlite3_free(zSql);
  /* Else there is no such table.  (kv_column() has two arguments.) */
  if( rc!=SQLITE_ERROR || sqlite3_limit(kvStoreDb(pStore), SQLITE_LIMIT_FUNCTION_ARG, -1)<2 ){
    kvStoreFail(pStore, rc);
  }
  return kvFailed(pErr) ? 0 : p->apStmt[eStmt];
}

static void publishColumnOf(KvCall *pCall){
  KvPublished *p = sqlite3_value_pointer(pCall->apArg[0], "kv_column");
  sqlite3_context *ctx = pCall->ctx;
  u32 i = (u32)sqlite3_value_int(pCall->apArg[1]);
  KvBuf text = { 0 };
  KvErr err;
  if( p==0 ) return;
  if( i<p->def.nColumn ){
    const KvCollectionColumn *pCol = &p->def.aColumn[i];
    if( pCol->bKey ) kvCollectionPartResult(ctx, pCol, &p->aPart[pCol->iPart]);
    else if( kvCollectionResult(ctx, pCol, &p->row, &err)==KV_NOMEM ){
      sqlite3_result_error_nomem(ctx);
    }
    return;
  }
  switch( i - p->def.nColumn ){
    case PUBLISH_VERSIONSTAMP:
      kvResultVersionstamp(ctx, p->found.iVersion);
      break;
    case PUBLISH_EXPIRES_AT:
      if( p->found.iExpires>=0 ) sqlite3_result_int64(ctx, p->found.iExpires);
      break;
    default:
      kvKeyShow(&text, p->key);
      kvResultText(ctx, &text);
  }
  kvBufClear(&text);
}

const KvFunc kvFuncsPublish[] = {
  { "kv_column", 2, 2, SQLITE_DIRECTONLY|SQLITE_RESULT_SUBTYPE, 0, publishColumnOf, 0 },
  { 0 }
};

/* ---- rows ------------------------------------------------------------------ */

/* Look a key's entry up.  False: it can't be a row. */
static int publishFind(KvStore *pStore, KvPublished *p, KvBytes key){
  u32 nSame;
  p->key = key;
  if( p->def.nColumn==0 || !kvCollectionIsRow(&p->def, key, p->aPart, &nSame) ) return 0;
  kvBufReset(&p->found.v);
  kvRowFind(pStore, key, kvNow(), 1, &p->found);
  kvCollectionRowSet(&p->row, kvBufBytes(&p->found.v), p->found.eEncoding);
  return !kvFailed(kvStoreError(pStore));
}

/* Step a statement once; *pbRow: there is a row. */
static int publishOnce(sqlite3_stmt *pStmt, int *pbRow){
  int rc = sqlite3_step(pStmt);
  *pbRow = rc==SQLITE_ROW;
  return *pbRow || rc==SQLITE_DONE ? SQLITE_OK : rc;
}

/* Run a statement for the row; returns whether it has one. */
static int publishStep(KvStore *pStore, KvPublished *p, sqlite3_stmt *pStmt){
  sqlite3 *db = kvStoreDb(pStore);
  i64 iRowid = sqlite3_last_insert_rowid(db);
  int rc, bRow = 0;
  if( pStmt==0 ) return 0;
  rc = sqlite3_bind_pointer(pStmt, 1, p, "kv_column", 0);
  sqlite3_set_last_insert_rowid(db, kvStoreGuard(pStore));
  if( rc==SQLITE_OK ) rc = publishOnce(pStmt, &bRow);
  if( rc==SQLITE_OK ) rc = sqlite3_reset(pStmt);
  else sqlite3_reset(pStmt);
  sqlite3_set_last_insert_rowid(db, iRowid);
  sqlite3_clear_bindings(pStmt);
  if( rc!=SQLITE_OK ) kvStoreFail(pStore, rc);
  return bRow;
}

static void publishFollow(KvStore *pStore, const KvIndexDef *pDef, KvBytes key){
  KvPublished *p = publishOpen(pStore, pDef);
  if( p==0 ) return;
  if( publishFind(pStore, p, key) ){
    publishStep(pStore, p, publishStmt(pStore, p, p->found.bFound ? PUBLISH_PUT : PUBLISH_DELETE));
  }
  publishDone(p);
}

static int publishIs(KvStore *pStore, const KvIndexDef *pDef, KvBytes key){
  KvPublished *p = publishOpen(pStore, pDef);
  int eIs = KVTABLE_NONE;
  if( p==0 ) return eIs;
  if( publishFind(pStore, p, key) && p->found.bFound ){
    int bIs = publishStep(pStore, p, publishStmt(pStore, p, PUBLISH_IS));
    eIs = bIs ? KVTABLE_RIGHT : KVTABLE_WRONG;
  }
  publishDone(p);
  return eIs;
}

static i64 publishCount(KvStore *pStore, const KvIndexDef *pDef, i64 iNow){
  KvPublished *p = publishOpen(pStore, pDef);
  sqlite3_stmt *pStmt = 0;
  i64 n = -1;
  int rc, bRow = 0, bThere = p && publishStmt(pStore, p, PUBLISH_PUT)!=0;
  if( p ) publishDone(p);
  if( !bThere || kvFailed(kvStoreError(pStore)) ) return -1;
  rc = kvPrepare(kvStoreDb(pStore), &pStmt, "SELECT count(*) FROM \"%w\".\"%w\" "
      "WHERE _expires_at IS NULL OR _expires_at > %lld", kvStoreSchema(pStore), pDef->zName, iNow);
  if( rc==SQLITE_OK ) rc = publishOnce(pStmt, &bRow);
  if( bRow ) n = sqlite3_column_int64(pStmt, 0);
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_OK ) kvStoreFail(pStore, rc);
  return n;
}

/* ---- making and dropping ----------------------------------------------------- */

/* Run plain SQL, unless there is an error; zSql is freed. */
static void publishExec(KvStore *pStore, char *zSql){
  if( zSql==0 ) kvErrorCode(kvStoreError(pStore), SQLITE_NOMEM);
  if( !kvFailed(kvStoreError(pStore)) ){
    kvStoreFail(pStore, sqlite3_exec(kvStoreDb(pStore), zSql, 0, 0, 0));
  }
  sqlite3_free(zSql);
}

static char *publishTable(KvStore *pStore, const KvPublished *p){
  sqlite3_str *pOut = sqlite3_str_new(0);
  const char *zCol;
  u32 i;
  sqlite3_str_appendf(pOut, "CREATE TABLE \"%w\".\"%w\"(", kvStoreSchema(pStore), p->zName);
  for(i=0; (zCol = publishColumn(&p->def, i))!=0; i++){
    sqlite3_str_appendf(pOut, "\"%w\" %s%s, ", zCol, publishType(&p->def, i),
        i<p->def.nColumn && p->def.aColumn[i].bNoCase ? " COLLATE NOCASE" : "");
  }
  sqlite3_str_appendall(pOut, "PRIMARY KEY(");
  publishKeys(pOut, &p->def, 0);
  sqlite3_str_appendall(pOut, ")) WITHOUT ROWID");
  return sqlite3_str_finish(pOut);
}

/* The column at a path; 0: there is none. */
static const char *publishAt(const KvCollectionDef *p, KvBytes path){
  u32 i;
  for(i=0; i<p->nColumn; i++){
    const char *z = p->aColumn[i].zPath;
    if( z && kvBytesEqual(kvBytesText(z), path) ) return p->aColumn[i].zName;
  }
  return 0;
}

/* An index like a declared one, if all its paths are columns.  users_by_age of users is
** users_table_by_age. */
static void publishIndex(KvStore *pStore, const KvPublished *p, const KvIndexDef *pIndex){
  sqlite3_str *pOut = sqlite3_str_new(0);
  const char *zName = pIndex->zName, *zCol;
  int nHead = (int)strlen(p->zName) - 5;       /* users_ of users_table */
  u32 i;
  if( strncmp(zName, p->zName, (size_t)nHead)==0 ) zName += nHead;
  sqlite3_str_appendf(pOut, "CREATE INDEX IF NOT EXISTS \"%w\".\"%w_%w\" ON \"%w\"(",
      kvStoreSchema(pStore), p->zName, zName, p->zName);
  for(i=0; i<pIndex->spec.nPath; i++){
    zCol = publishAt(&p->def, pIndex->spec.aPath[i]);
    if( zCol==0 ){
      sqlite3_free(sqlite3_str_finish(pOut));
      return;
    }
    sqlite3_str_appendf(pOut, "%s\"%w\"", i ? ", " : "", zCol);
  }
  sqlite3_str_appendall(pOut, ")");
  publishExec(pStore, sqlite3_str_finish(pOut));
}

/* An index is declared later: not if the table is gone. */
static void publishAlso(KvStore *pStore, const KvIndexDef *pDef, const KvIndexDef *pIndex){
  KvPublished *p = publishOpen(pStore, pDef);
  if( p==0 ) return;
  if( publishStmt(pStore, p, PUBLISH_PUT) ) publishIndex(pStore, p, pIndex);
  publishDone(p);
}

static void publishCreate(KvStore *pStore, const KvIndexDef *pDef){
  static const char *const azEvent[] = { "insert", "update", "delete" };
  KvPublished *p = publishOpen(pStore, pDef);
  u32 i;
  if( p==0 ) return;
  publishExec(pStore, publishTable(pStore, p));
  for(i=0; i<KV_COUNT(azEvent); i++){
    publishExec(pStore, sqlite3_mprintf("CREATE TRIGGER \"%w\".\"%w_%s\" BEFORE %s ON \"%w\" "
        "WHEN last_insert_rowid() IS NOT %lld BEGIN SELECT RAISE(ABORT, 'kv: %q is kept by the "
        "extension; write to the collection %.*q, that is to the entries below %q'); END",
        kvStoreSchema(pStore), p->zName, azEvent[i], azEvent[i], p->zName, kvStoreGuard(pStore),
        p->zName, (int)strlen(p->zName) - 6, p->zName, p->def.zPrefix));
  }
  for(i=0; i<kvIndexCount(pStore); i++){
    const KvIndexDef *pIndex = kvIndexAt(pStore, i);
    if( (pIndex->mOptions & KVINDEX_APART) || pIndex->spec.where.n>0
     || !kvBytesEqual(pIndex->prefix, pDef->prefix)
    ) continue;
    publishIndex(pStore, p, pIndex);
  }
  publishDone(p);
}

const KvPublisher kvPublisher = {
  publishFollow, publishIs, publishCreate, publishAlso, publishCount, publishRelease
};

/* Is there a table or view of that name? */
static int publishTaken(KvStore *pStore, const char *zTable){
  sqlite3_stmt *pStmt = 0;
  int bRow = 0, rc = kvPrepare(kvStoreDb(pStore), &pStmt, "SELECT 1 FROM \"%w\".sqlite_schema "
      "WHERE name = '%q' COLLATE nocase", kvStoreSchema(pStore), zTable);
  if( rc==SQLITE_OK ) rc = publishOnce(pStmt, &bRow);
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_OK ) kvStoreFail(pStore, rc);
  return bRow;
}

/* Can the collection be one? */
static void publishAllowed(KvCollection *p, const char *zTable){
  KvError *pErr = kvStoreError(p->t.pStore);
  u32 i, k;
  if( publishTaken(p->t.pStore, zTable) ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_publish(): %!.100s already exists; drop it, or "
        "kv_publish(collection, 0) if it is a published table", zTable);
  }
  if( p->zArgs==0 ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_publish(): the declaration of %!.100s has a character "
        "that can't be kept", p->zName);
  }
  for(i=0; i<p->def.nColumn; i++){
    for(k=0; k<=PUBLISH_KEY; k++){
      static const char *const azMore[] = { "_versionstamp", "_expires_at", "_key" };
      if( sqlite3_stricmp(p->def.aColumn[i].zName, azMore[k])!=0 ) continue;
      kvError(pErr, SQLITE_ERROR, "kv: kv_publish(): a published table has a column %s of its "
          "own", azMore[k]);
    }
  }
}

void kvPublishCreate(KvCollection *p, const char *zTable){
  KvStore *pStore = p->t.pStore;
  KvIndexDef def;
  publishAllowed(p, zTable);
  memset(&def, 0, sizeof(def));
  def.zName = zTable;
  def.zPath = p->zArgs;
  def.zOptions = "table";
  def.prefix = kvBufBytes(&p->def.prefix);
  if( !kvFailed(kvStoreError(pStore)) ) kvIndexCreate(pStore, &def, 0);
}

void kvPublishDrop(KvStore *pStore, const char *zTable){
  publishRelease(pStore);
  publishExec(pStore, sqlite3_mprintf("DROP TABLE IF EXISTS \"%w\".\"%w\"", kvStoreSchema(pStore),
      zTable));
}

/* Does the table have the column? */
static int publishHas(KvStore *pStore, const char *zTable, const char *zCol){
  int rc = sqlite3_table_column_metadata(kvStoreDb(pStore), kvStoreSchema(pStore), zTable, zCol,
      0, 0, 0, 0, 0);
  if( rc!=SQLITE_ERROR ) kvStoreFail(pStore, rc);
  return rc==SQLITE_OK;
}

/* Only what has the columns of one: kv_index_def may be somebody else's. */
void kvPublishDropAll(KvStore *pStore){
  KvList names = { { 0 } };
  KvBytes name;
  u32 i = 0;
  kvIndexTables(pStore, &names);
  while( kvListNext(&names, &i, &name) ){
    const char *zName = (const char*)name.p;
    if( publishHas(pStore, zName, "_versionstamp") && publishHas(pStore, zName, "_expires_at") ){
      kvPublishDrop(pStore, zName);
    }
  }
  kvListClear(&names);
}

/* ---- finding ----------------------------------------------------------------- */

KvCollection *kvPublishFind(KvConn *p, const char *zName, sqlite3_stmt **ppHold, KvError *pErr){
  KvCollection *pFound = 0;
  KvCollection *pColl;
  int rc = kvPrepare(p->db, ppHold, "SELECT 1 FROM \"%w\"", zName);
  if( rc!=SQLITE_OK ){
    if( rc!=SQLITE_ERROR ) kvErrorDb(pErr, p->db, rc);
    return 0;
  }
  for(pColl=p->pCollections; pColl; pColl=pColl->pNext){
    if( pColl->zBroken || pColl->zName==0 || sqlite3_stricmp(pColl->zName, zName)!=0 ) continue;
    /* As SQLite does: temp first, then main */
    if( pFound==0 || sqlite3_stricmp(pColl->zHome, "temp")==0
     || (sqlite3_stricmp(pColl->zHome, "main")==0 && sqlite3_stricmp(pFound->zHome, "temp")!=0)
    ){
      pFound = pColl;
    }
  }
  return pFound;
}
