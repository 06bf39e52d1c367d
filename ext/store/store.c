/*
** store.c -- finding a store's tables, and its prepared statements.
*/
#include "store/store.h"
SQLITE_EXTENSION_INIT3
#include "store/index_def.h"
#define KV_SQL_TEXTS
#include "store_sql.h"

/* Slots of apFree[]: the readers by mask, the updates by mask, the others. */
#define STORE_SLOT_UPDATE  KVREAD_COUNT
#define STORE_SLOT_OTHER   (KVREAD_COUNT + KVSET_COUNT)
#define STORE_SLOT_CHANGES (STORE_SLOT_OTHER + KVSQL_COUNT)   /* ... sorted */
#define STORE_SLOTS        (STORE_SLOT_CHANGES + 1)

static const char storeNoMemory[] = "kv: out of memory";

static char *storeCopy(const char *z){
  return sqlite3_mprintf("%s", z);
}

KvStore *kvStoreNew(sqlite3 *db, const char *zSchema, const char *zPrefix){
  KvStore *p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return 0;
  memset(p, 0, sizeof(*p));
  p->db = db;
  p->zSchema = storeCopy(zSchema);
  p->zPrefix = storeCopy(zPrefix);
  p->apFree = sqlite3_malloc64(STORE_SLOTS*sizeof(KvStmt*));
  if( p->apFree ) memset(p->apFree, 0, STORE_SLOTS*sizeof(KvStmt*));
  if( p->zSchema==0 || p->zPrefix==0 || p->apFree==0 ){
    kvStoreFree(p);
    return 0;
  }
  return p;
}

static void storeFinalize(KvStmt *pStmt){
  sqlite3_finalize(pStmt->pStmt);
  sqlite3_free(pStmt);
}

void kvStoreFreeStatements(KvStore *p){
  u32 i;
  for(i=0; i<STORE_SLOTS; i++){
    while( p->apFree[i] ){
      KvStmt *pStmt = p->apFree[i];
      p->apFree[i] = pStmt->pNext;
      storeFinalize(pStmt);
    }
  }
}

void kvStoreRelease(KvStore *p){
  kvSchemaRelease(p);
  kvStoreFreeStatements(p);
}

void kvStoreFree(KvStore *p){
  if( p==0 ) return;
  kvIndexFree(p);
  kvMarksFree(p);
  if( p->apFree ) kvStoreRelease(p);
  sqlite3_free(p->apFree);
  sqlite3_free(p->zSchema);
  sqlite3_free(p->zPrefix);
  kvErrorClear(&p->err);
  sqlite3_free(p);
}

int kvStoreHasColumn(KvStore *p, const char *zTable, const char *zColumn, int *pRc){
  char *z;
  int rc;
  if( *pRc!=SQLITE_OK ) return 0;
  z = sqlite3_mprintf("%s%s", p->zPrefix, zTable);
  rc = SQLITE_NOMEM;
  if( z ){
    rc = sqlite3_table_column_metadata(p->db, p->zSchema, z, zColumn, 0, 0, 0, 0, 0);
    sqlite3_free(z);
  }
  if( rc!=SQLITE_OK && rc!=SQLITE_ERROR ) *pRc = rc;
  return rc==SQLITE_OK;
}

int kvStoreMissing(KvStore *p, const char *zTable, const char *zColumn, int rc, char **pzErr){
  int rcLook = SQLITE_OK;
  if( rc!=SQLITE_ERROR || kvStoreHasColumn(p, zTable, zColumn, &rcLook) ) return rc;
  sqlite3_free(*pzErr);
  *pzErr = 0;
  return rcLook==SQLITE_OK ? SQLITE_OK : kvStoreFailed(p, rcLook, pzErr);
}

/*
** Look for the store's tables zA and zB in the schema: *pbA says whether there
** is one, or a view, with the first name, *pbOdd whether one of them is a view
** or a virtual table.  (Of a virtual table that is not connected yet, some
** versions of SQLite can't tell the columns and crash.)  Reading the schema makes
** SQLite notice, too, that its picture of it is out of date.
*/
static int storeFindTables(KvStore *p, const char *zA, const char *zB, int *pbA, int *pbOdd){
  sqlite3_stmt *pStmt = 0;
  char *z = sqlite3_mprintf(
      "SELECT name = '%q%s' COLLATE nocase, rootpage FROM \"%w\".sqlite_schema "
      "WHERE name COLLATE nocase IN ('%q%s', '%q%s') AND type IN ('table', 'view')",
      p->zPrefix, zA, p->zSchema, p->zPrefix, zA, p->zPrefix, zB);
  int rc = SQLITE_NOMEM;
  *pbA = *pbOdd = 0;
  if( z ){
    rc = sqlite3_prepare_v2(p->db, z, -1, &pStmt, 0);
    sqlite3_free(z);
  }
  if( rc==SQLITE_OK ){
    while( (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
      if( sqlite3_column_int(pStmt, 0) ) *pbA = 1;
      if( sqlite3_column_int64(pStmt, 1)<=0 ) *pbOdd = 1;
    }
    sqlite3_finalize(pStmt);
    if( rc==SQLITE_DONE ) rc = SQLITE_OK;
  }
  return rc;
}

int kvHasSchema(sqlite3 *db, const char *zSchema){
  return sqlite3_db_filename(db, zSchema)!=0 || sqlite3_stricmp(zSchema, "temp")==0;
}

static int storeHidden(KvStore *p, char **pzErr){
  *pzErr = sqlite3_mprintf("kv: this file has a table or view %s.kv_entries of its own, which hides the extension's: "
      "rows inserted there are not in the store; ALTER TABLE kv_entries RENAME TO ...; or keep it, without the "
      "functions on the store, and CREATE VIRTUAL TABLE temp.entries USING kv_entries", p->zSchema);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int storeForeign(KvStore *p, const char *zTable, const char *zMissing, char **pzErr){
  *pzErr = kvMsg(
    "kv: %!.100s.%!.100s%s is not a table of Deno KV (%s) and is left alone; "
    "to keep a store beside it: CREATE VIRTUAL TABLE app USING kv_entries(%!.100s, tables='app_')",
    p->zSchema, p->zPrefix, zTable, zMissing, p->zSchema);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* What the tables that are there are: *peState.  An error if not Deno's. */
static int storeLook(KvStore *p, int bOdd, u8 *peState, char **pzErr){
  static const char *const azColumn[] = {"k", "v", "v_encoding", "version"};
  int bOurs = 1, bVersion, bExpires, rc = SQLITE_OK;
  u32 i;
  if( bOdd ) return storeForeign(p, "kv", "it or data_version is a view or a virtual table", pzErr);
  for(i=0; i<4; i++) bOurs = bOurs && kvStoreHasColumn(p, "kv", azColumn[i], &rc);
  bVersion = kvStoreHasColumn(p, "data_version", "version", &rc);
  bExpires = kvStoreHasColumn(p, "kv", "expiration_ms", &rc);
  if( rc!=SQLITE_OK ) return kvStoreFailed(p, rc, pzErr);
  if( !bOurs ) return storeForeign(p, "kv", "its columns are others", pzErr);
  if( !bVersion ) return storeForeign(p, "kv", "there is no table data_version", pzErr);
  *peState = bExpires ? KV_STORE_READY : KV_STORE_OLD;
  return SQLITE_OK;
}

int kvStoreOpen(KvStore *p, char **pzErr){
  int bThere = 0, bOdd = 0;
  int rc;
  u8 eState = KV_STORE_NONE;
  if( p->bHidden ) return storeHidden(p, pzErr);
  if( !kvHasSchema(p->db, p->zSchema) ){
    *pzErr = kvMsg("kv: no such database: %!.100s; ATTACH it first", p->zSchema);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  rc = storeFindTables(p, "kv", "data_version", &bThere, &bOdd);
  if( rc!=SQLITE_OK ){
    *pzErr = kvMsg("kv: %!.100s: %s", p->zSchema, sqlite3_errmsg(p->db));
    return rc;
  }
  if( bThere ) rc = storeLook(p, bOdd, &eState, pzErr);
  if( rc==SQLITE_OK ) p->bStale = 0;
  if( rc==SQLITE_OK && eState!=p->eState ){
    p->eState = eState;
    p->iGeneration++;
    kvTxnForget(p);
    kvStoreRelease(p);                 /* so that nothing else is believed */
  }
  return rc;
}

/* A name that the store gives, and what must have it if anything has: a table
** with these columns or, with zOn, an index or (bTrigger) a trigger of a table. */
typedef struct StoreName StoreName;
struct StoreName {
  const char *zName;
  const char *azColumn[6];
  const char *zOn;
  u8 bTrigger;
};

/* True if a table has these columns; with bOnly, no others. */
static int storeColumns(KvStore *p, const StoreName *pName, int bOnly, int *pRc){
  sqlite3_stmt *pStmt = 0;
  char *z;
  int i, bAll = 1;
  for(i=0; pName->azColumn[i]; i++){
    bAll = bAll && kvStoreHasColumn(p, pName->zName, pName->azColumn[i], pRc);
  }
  if( !bOnly || !bAll || *pRc!=SQLITE_OK ) return bAll;
  z = sqlite3_mprintf("SELECT * FROM \"%w\".\"%w%s\"", p->zSchema, p->zPrefix, pName->zName);
  *pRc = z ? sqlite3_prepare_v2(p->db, z, -1, &pStmt, 0) : SQLITE_NOMEM;
  sqlite3_free(z);
  bAll = sqlite3_column_count(pStmt)==i;
  sqlite3_finalize(pStmt);
  return bAll;
}

/*
** Whether something has the name: *pbThere.  And if it is something else that
** has it, what is wrong: *pzWrong, else 0.
*/
static int storeName(
  KvStore *p, const StoreName *pName, int bOnly, int *pbThere, const char **pzWrong
){
  sqlite3_stmt *pStmt = 0;
  const char *zType = pName->bTrigger ? "trigger" : pName->zOn ? "index" : "table";
  int bRight, rc = SQLITE_NOMEM;
  char *z = sqlite3_mprintf(
      "SELECT type = '%s' AND (rootpage > 0) <> %d AND tbl_name = '%q%s' COLLATE nocase "
      "FROM \"%w\".sqlite_schema WHERE name = '%q%s' COLLATE nocase AND (type = 'trigger') = %d",
      zType, pName->bTrigger, p->zPrefix, pName->zOn ? pName->zOn : pName->zName,
      p->zSchema, p->zPrefix, pName->zName, pName->bTrigger);
  *pbThere = 0;
  *pzWrong = 0;
  if( z ) rc = sqlite3_prepare_v2(p->db, z, -1, &pStmt, 0);
  sqlite3_free(z);
  if( rc!=SQLITE_OK ) return rc;
  rc = sqlite3_step(pStmt);
  *pbThere = rc==SQLITE_ROW;
  bRight = rc==SQLITE_ROW && sqlite3_column_int(pStmt, 0);
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_ROW ) return rc==SQLITE_DONE ? SQLITE_OK : rc;
  rc = SQLITE_OK;
  if( !bRight ){
    *pzWrong = pName->zOn ? "it is something else, or of another table" : "it is a view, a virtual table or an index";
  }else if( !pName->zOn && !storeColumns(p, pName, bOnly, &rc) ){
    *pzWrong = "its columns are others";
  }
  return rc;
}

int kvStoreRoom(KvStore *p, char **pzErr){
  static const StoreName aDeno[] = {
    { "migration_state", { "k", "version", 0 }, 0, 0 },
    { "queue", { "ts", "id", "data", "backoff_schedule", "keys_if_undelivered", 0 }, 0, 0 },
    { "queue_running", { "deadline", "id", "data", "backoff_schedule", "keys_if_undelivered", 0 }, 0, 0 },
    { "kv_expiration_ms_idx", { 0 }, "kv", 0 },
    { "kv", { 0 }, 0, 0 },
    { "data_version", { 0 }, 0, 0 },
  };
  int bNone = p->eState==KV_STORE_NONE;
  u32 i, n = bNone ? 6 : 4;            /* else the last two are there */
  int bThere, rc;
  for(i=0; i<n; i++){
    const char *zWrong;
    rc = storeName(p, &aDeno[i], 0, &bThere, &zWrong);
    if( rc!=SQLITE_OK ) return kvStoreFailed(p, rc, pzErr);
    if( bThere && zWrong==0 && i>=4 ) zWrong = "there is no table kv";
    if( zWrong ) return storeForeign(p, aDeno[i].zName, zWrong, pzErr);
  }
  if( !bNone ) return SQLITE_OK;
  rc = kvStoreOwn(p, KV_OWN_FEED, 0, &bThere, pzErr);
  if( rc!=SQLITE_OK || !bThere ) return rc;
  *pzErr = kvMsg("kv: the store of %!.100s is gone, but not its change feed; "
      "SELECT kv_uninstall() first", p->zSchema);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int kvStoreOwn(KvStore *p, int eOwn, int bMake, int *pbThere, char **pzErr){
  static const StoreName aOwn[][6] = {
    [KV_OWN_FEED] = {
      { "kv_track_state", { "k", "wanted", "since", "generation", "applied", 0 }, 0, 0 },
      { "kv_deleted", { "k", "version", 0 }, 0, 0 },
      { "kv_version_idx", { 0 }, "kv", 0 },
      { "kv_deleted_version_idx", { 0 }, "kv_deleted", 0 },
      { "kv_track_delete", { 0 }, "kv", 1 },
      { "kv_track_move", { 0 }, "kv", 1 },
    },
    [KV_OWN_INDEXES] = {
      { "kv_index_def", { "name", "prefix", "path", "options", 0 }, 0, 0 },
      { "kv_index_row", { "ik", "pk", 0 }, 0, 0 },
      { "kv_index_row_pk_idx", { 0 }, "kv_index_row", 0 },
    },
    [KV_OWN_PENDING] = {
      { "kv_index_pending", { "k", 0 }, 0, 0 },
      { "kv_index_on_insert", { 0 }, "kv", 1 },
      { "kv_index_on_update", { 0 }, "kv", 1 },
      { "kv_index_on_move", { 0 }, "kv", 1 },
      { "kv_index_on_delete", { 0 }, "kv", 1 },
    },
    [KV_OWN_QUEUE] = {
      { "kv_queue_id_idx", { 0 }, "queue", 0 },
      { "kv_queue_running_id_idx", { 0 }, "queue_running", 0 },
    },
  };
  const StoreName *a = aOwn[eOwn];
  int i;
  *pbThere = 0;
  for(i=0; i<6 && a[i].zName; i++){
    const char *zWrong;
    int bThere;
    int rc = storeName(p, &a[i], 1, &bThere, &zWrong);
    if( rc!=SQLITE_OK ) return kvStoreFailed(p, rc, pzErr);
    if( i==0 ) *pbThere = bThere && zWrong==0;
    if( !*pbThere && !bMake ) return SQLITE_OK;
    if( bThere && zWrong==0 && !*pbThere ){
      zWrong = eOwn==KV_OWN_FEED ? "there is no table kv_track_state"
             : eOwn==KV_OWN_PENDING ? "there is no table kv_index_pending" : "there is no table kv_index_def";
    }
    if( zWrong==0 ) continue;
    *pzErr = kvMsg("kv: %!.100s.%!.100s%s is not what a change feed or an index has by that name (%s) "
        "and is left alone; rename it to have one", p->zSchema, p->zPrefix, a[i].zName, zWrong);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

int kvStoreHasQueue(KvStore *p, int *pbThere, char **pzErr){
  int bOdd;
  int rc = storeFindTables(p, "queue", "queue_running", pbThere, &bOdd);
  *pbThere = rc==SQLITE_OK && *pbThere && !bOdd
          && kvStoreHasColumn(p, "queue", "ts", &rc)
          && kvStoreHasColumn(p, "queue_running", "deadline", &rc);
  return rc==SQLITE_OK ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
}

int kvStoreReady(KvStore *p, char **pzErr){
  return p->eState==KV_STORE_READY && !p->bStale && !p->bHidden ? SQLITE_OK : kvStoreOpen(p, pzErr);
}

int kvStoreChanged(KvStore *p){
  u32 iGeneration = p->iGeneration;
  char *zErr = 0;
  if( p->work.bMaking ) return 0;
  kvStoreOpen(p, &zErr);
  sqlite3_free(zErr);
  return p->iGeneration!=iGeneration;
}

/* True if the word z[0..n-1] is zWord. */
static int storeIs(const char *z, int n, const char *zWord){
  return (int)strlen(zWord)==n && memcmp(z, zWord, (size_t)n)==0;
}

/*
** Append what stands for {z} of n bytes in a statement with mask mMask.
*/
static void storePiece(KvStore *p, const char *z, int n, u32 mMask, sqlite3_str *pOut){
  static const struct { const char *zWord; u32 mBit; const char *zOn; } aPiece[] = {
    { "upper",     KVREAD_UPPER,  " AND k < ?2" },
    { "direction", KVREAD_DESC,   " DESC" },
    { "sorted",    KVREAD_SORTED, "+" },
    { "whole",     KVREAD_SORTED, "SELECT * FROM (" },
    { "at once",   KVREAD_SORTED, ") ORDER BY version + 0, k" },
    { "offset",    KVREAD_OFFSET, " LIMIT -1 OFFSET ?4" },
    { "key",       KVSET_KEY,     ", k = ?3" },
    { "value",     KVSET_VALUE,   ", v = ?4, v_encoding = ?5" },
    { "expiry",    KVSET_EXPIRY,  ", expiration_ms = ?6" },
  };
  const char *zExpires = p->eState==KV_STORE_OLD ? "-1" : "expiration_ms";
  u32 i;
  for(i=0; i<sizeof(aPiece)/sizeof(aPiece[0]); i++){
    if( storeIs(z, n, aPiece[i].zWord) ){
      if( mMask & aPiece[i].mBit ) sqlite3_str_appendall(pOut, aPiece[i].zOn);
      return;
    }
  }
  if( storeIs(z, n, "alive") ){
    if( (mMask & KVREAD_ALL)==0 ){
      sqlite3_str_appendf(pOut, " AND %s NOT BETWEEN 0 AND ?3", zExpires);
    }
  }else if( storeIs(z, n, "columns") ){
    /* Each column takes time, and one that is copied memory too */
    sqlite3_str_appendall(pOut, (mMask & KVREAD_POINT) ? "NULL" : "k");
    if( mMask & KVREAD_META ){
      sqlite3_str_appendf(pOut, ", version, %s", zExpires);
    }else if( mMask & KVREAD_VALUE ){
      sqlite3_str_appendall(pOut, ", NULL, NULL");
    }
    if( mMask & KVREAD_VALUE ) sqlite3_str_appendall(pOut, ", v, v_encoding");
  }else{
    /* name: schema and name, quoted; name!: the name bare; name-: it alone */
    const char *zQuote = p->zPrefix[0] || z[n-1]>='a' ? "\"" : "";
    int bAlone = z[n-1]=='-';
    if( z[n-1]<'a' ) n--;
    if( !bAlone ) sqlite3_str_appendf(pOut, "\"%w\".", p->zSchema);
    sqlite3_str_appendf(pOut, "%s%w%.*s%s", zQuote, p->zPrefix, n, z, zQuote);
  }
}

/* What the text of a statement of a store begins with: see kvStoreOwns(). */
#define STORE_MARK "/* kv */ "

/* The text of a statement with its pieces in braces filled in.  (Without the
** limits of the connection: SQLite has its own error where it is too long.) */
static char *storeText(KvStore *p, const char *zText, u32 mMask){
  sqlite3_str *pOut = sqlite3_str_new(0);
  const char *z = zText;
  sqlite3_str_appendall(pOut, STORE_MARK);
  for(;;){
    const char *zOpen = strchr(z, '{');
    const char *zClose = zOpen ? strchr(zOpen, '}') : 0;
    if( zClose==0 ) break;
    sqlite3_str_append(pOut, z, (int)(zOpen-z));
    storePiece(p, zOpen+1, (int)(zClose-zOpen-1), mMask, pOut);
    z = zClose+1;
  }
  sqlite3_str_appendall(pOut, z);
  return sqlite3_str_finish(pOut);
}

/*
** What the triggers that a statement fires, whose text is zSql, may do.
**
** bOnce: one uses a virtual table; it may write to kv_entries itself.  Then the
** statement holds that table, which isn't disconnected as long as the statement
** is kept, and that is until the table is disconnected.  So it isn't kept, and
** the connection can be closed.  A statement that reads does the same if a table
** is a view, which those of the feed and of the indexes may be in a hostile file.
**
** bHalf: one may fail in a way that undoes nothing (RAISE(FAIL), INSERT OR FAIL).
**
** EXPLAIN tells it, with the programs of triggers behind the statement's own,
** and without a lock on the file; to read the schema would take one, which can't
** be turned into a lock to write once another connection waits for that.
*/
#define STORE_OE_FAIL 3   /* What a program has for FAIL, in p2 of Halt... and p5 of VUpdate */
static int storeTriggers(KvStore *p, KvStmt *pKeep, const char *zSql){
  sqlite3_stmt *pStmt = 0;
  char *zExplain;
  int bRead = sqlite3_stmt_readonly(pKeep->pStmt);
  int rc = SQLITE_NOMEM, nProgram = 0;
  if( bRead && strstr(zSql, "kv_track_state")==0 && strstr(zSql, "kv_index_")==0 ) return SQLITE_OK;
  zExplain = sqlite3_mprintf("EXPLAIN %s", zSql);
  if( zExplain ) rc = sqlite3_prepare_v2(p->db, zExplain, -1, &pStmt, 0);
  sqlite3_free(zExplain);
  while( rc==SQLITE_OK && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    const char *zOp = (const char*)sqlite3_column_text(pStmt, 1);
    rc = zOp ? SQLITE_OK : SQLITE_NOMEM;
    nProgram += sqlite3_column_int(pStmt, 0)==0;
    if( nProgram+bRead<2 || zOp==0 ) continue;
    if( zOp[0]=='V' && zOp[1]!='a' ) pKeep->bOnce = 1;   /* not Variable */
    if( (zOp[0]=='H' && sqlite3_column_int(pStmt, 3)==STORE_OE_FAIL)
     || (zOp[0]=='V' && sqlite3_column_int(pStmt, 6)==STORE_OE_FAIL)
    ){
      pKeep->bHalf = 1;
    }
  }
  sqlite3_finalize(pStmt);
  return rc==SQLITE_DONE ? SQLITE_OK : rc;
}

/* A free statement of the slot, or a new one. */
static int storeTake(
  KvStore *p, u32 iSlot, const char *zText, u32 mMask, KvStmt **ppStmt, char **pzErr
){
  KvStmt *pStmt = p->apFree[iSlot];
  char *zSql;
  int rc;
  if( pStmt ){
    p->apFree[iSlot] = pStmt->pNext;
    pStmt->pNext = 0;
    *ppStmt = pStmt;
    return SQLITE_OK;
  }
  *ppStmt = 0;
  pStmt = sqlite3_malloc64(sizeof(*pStmt));
  zSql = storeText(p, zText, mMask);
  if( pStmt==0 || zSql==0 ){
    sqlite3_free(pStmt);
    sqlite3_free(zSql);
    *pzErr = storeCopy(storeNoMemory);
    return SQLITE_NOMEM;
  }
  memset(pStmt, 0, sizeof(*pStmt));
  pStmt->pStore = p;
  pStmt->iSlot = iSlot;
  pStmt->iGeneration = p->iGeneration;
  rc = sqlite3_prepare_v3(p->db, zSql, -1, SQLITE_PREPARE_PERSISTENT, &pStmt->pStmt, 0);
  if( rc==SQLITE_OK ) rc = storeTriggers(p, pStmt, zSql);
  sqlite3_free(zSql);
  if( rc!=SQLITE_OK ){
    rc = kvStoreFailed(p, rc, pzErr);
    storeFinalize(pStmt);
    return rc;
  }
  *ppStmt = pStmt;
  return SQLITE_OK;
}

int kvStoreReader(KvStore *p, u32 mMask, KvStmt **ppStmt, char **pzErr){
  int eSql = (mMask & KVREAD_POINT) ? KVSQL_READ_POINT : KVSQL_READ_RANGE;
  if( mMask & KVREAD_POINT ) mMask &= KVREAD_POINT|KVREAD_META|KVREAD_VALUE;
  return storeTake(p, mMask, kvSqlText[eSql], mMask, ppStmt, pzErr);
}

int kvStoreUpdater(KvStore *p, u32 mMask, KvStmt **ppStmt, char **pzErr){
  return storeTake(p, STORE_SLOT_UPDATE + mMask, kvSqlText[KVSQL_UPDATE], mMask, ppStmt, pzErr);
}

int kvStoreStatement(KvStore *p, int eSql, KvStmt **ppStmt, char **pzErr){
  return storeTake(p, (u32)(STORE_SLOT_OTHER + eSql), kvSqlText[eSql], 0, ppStmt, pzErr);
}

int kvStoreOwns(sqlite3_stmt *pStmt){
  const char *z = sqlite3_sql(pStmt);
  return z && strncmp(z, STORE_MARK, strlen(STORE_MARK))==0;
}

int kvStoreChanges(KvStore *p, int bSorted, KvStmt **ppStmt, char **pzErr){
  u32 iSlot = bSorted ? STORE_SLOT_CHANGES : STORE_SLOT_OTHER + KVSQL_TRACK_CHANGES;
  return storeTake(p, iSlot, kvSqlText[KVSQL_TRACK_CHANGES], bSorted ? KVREAD_SORTED : 0, ppStmt, pzErr);
}

/* The first error is the one that counts. */
static void storeBound(KvStmt *p, int rc){
  if( p->rc==SQLITE_OK ) p->rc = rc;
}

void kvBindBlob(KvStmt *p, int i, const u8 *a, u32 n){
  storeBound(p, sqlite3_bind_blob(p->pStmt, i, n ? a : (const u8*)"", (int)n, SQLITE_STATIC));
}

void kvBindText(KvStmt *p, int i, const char *z){
  storeBound(p, sqlite3_bind_text(p->pStmt, i, z, -1, SQLITE_STATIC));
}

void kvBindInt(KvStmt *p, int i, i64 v){
  storeBound(p, sqlite3_bind_int64(p->pStmt, i, v));
}

int kvStep(KvStmt *p){
  return p->rc==SQLITE_OK ? sqlite3_step(p->pStmt) : p->rc;
}

int kvStoreVersion(KvStore *p, i64 *piVersion, char **pzErr){
  KvStmt *pStmt;
  int nTry, rc = SQLITE_OK;
  for(nTry=0; nTry<2; nTry++){
    *piVersion = 0;
    rc = nTry==0 ? kvStoreReady(p, pzErr) : kvStoreOpen(p, pzErr);
    if( rc!=SQLITE_OK || p->eState==KV_STORE_NONE ) return rc;
    rc = kvStoreStatement(p, KVSQL_READ_VERSION, &pStmt, pzErr);
    if( rc==SQLITE_OK ){
      rc = kvStep(pStmt);
      if( rc==SQLITE_ROW ) *piVersion = sqlite3_column_int64(pStmt->pStmt, 0);
      rc = rc==SQLITE_ROW || rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
      /* A table data_version may be what is left of a store */
      if( rc==SQLITE_OK ) rc = kvStoreSchema(p, 0, pzErr);
      kvStoreGive(p, pStmt);
    }
    if( rc==SQLITE_OK ? !p->bStale : rc!=SQLITE_ERROR || nTry>0 ) break;
    sqlite3_free(*pzErr);
    *pzErr = 0;
  }
  return rc;
}

int kvStoreFailed(KvStore *p, int rc, char **pzErr){
  KvError err = { SQLITE_OK, 0 };
  kvErrorDb(&err, p->db, rc);
  if( *pzErr==0 ) kvErrorTake(&err, pzErr);
  kvErrorClear(&err);
  p->bConflict = 0;
  return rc;
}

void kvStoreGive(KvStore *p, KvStmt *pStmt){
  if( pStmt==0 ) return;
  sqlite3_reset(pStmt->pStmt);
  sqlite3_clear_bindings(pStmt->pStmt);
  pStmt->rc = SQLITE_OK;
  if( sqlite3_stmt_status(pStmt->pStmt, SQLITE_STMTSTATUS_REPREPARE, 0)>0 ){
    pStmt->bOnce = 1;                  /* the schema is another; triggers, too? */
    p->bStale = 1;
  }
  if( pStmt->bOnce || pStmt->iGeneration!=p->iGeneration ){
    storeFinalize(pStmt);
  }else{
    pStmt->pNext = p->apFree[pStmt->iSlot];
    p->apFree[pStmt->iSlot] = pStmt;
  }
}

void kvUuid(char *z){
  static const char aHex[] = "0123456789abcdef";
  u8 a[16];
  int i;
  sqlite3_randomness(16, a);
  a[6] = (u8)((a[6] & 0x0f) | 0x40);
  a[8] = (u8)((a[8] & 0x3f) | 0x80);
  for(i=0; i<16; i++){
    if( i==4 || i==6 || i==8 || i==10 ) *z++ = '-';
    *z++ = aHex[a[i]>>4];
    *z++ = aHex[a[i]&15];
  }
  *z = 0;
}

i64 kvNow(void){
  sqlite3_vfs *pVfs = sqlite3_vfs_find(0);
  i64 t = 0;
  if( pVfs->iVersion>=2 && pVfs->xCurrentTimeInt64 ){
    sqlite3_int64 v = 0;
    pVfs->xCurrentTimeInt64(pVfs, &v);
    t = v;
  }else{
    double r = 0.0;                    /* not reached: an old kind of VFS */
    pVfs->xCurrentTime(pVfs, &r);      /* not reached */
    t = (i64)(r*86400000.0);           /* not reached */
  }
  return t - 210866760000000;           /* Julian day 2440587.5 in ms */
}
