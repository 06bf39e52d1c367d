/*
** store.c -- finding a store's tables, and its prepared statements.
*/
#include "store/store.h"
SQLITE_EXTENSION_INIT3
#include "store/index_def.h"
#include "store_sql.h"

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
  p->pStmts = kvStmtsNew();
  if( p->zSchema==0 || p->zPrefix==0 || p->pStmts==0 ){
    kvStoreFree(p);
    return 0;
  }
  return p;
}

void kvStoreRelease(KvStore *p){
  kvSchemaRelease(p);
  kvStmtsRelease(p);
}

void kvStoreFree(KvStore *p){
  if( p==0 ) return;
  kvIndexFree(p);
  kvMarksFree(p);
  if( p->pStmts ) kvStoreRelease(p);
  sqlite3_free(p->pStmts);
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
  if( rc==SQLITE_OK ){
    p->bStale = 0;
    p->nReprepared = kvStmtsReprepared(p);
  }
  if( rc==SQLITE_OK && eState!=p->eState ){
    p->eState = eState;
    p->iGeneration++;
    kvTxnForget(p);
    kvSchemaRelease(p);                /* so that nothing else is believed */
    kvStmtsLayout(p, eState==KV_STORE_OLD);
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

static int storeStale(const KvStore *p){
  return p->bStale || p->nReprepared!=kvStmtsReprepared(p);
}

int kvStoreReady(KvStore *p, char **pzErr){
  return p->eState==KV_STORE_READY && !storeStale(p) && !p->bHidden ? SQLITE_OK : kvStoreOpen(p, pzErr);
}

int kvStoreChanged(KvStore *p){
  u32 iGeneration = p->iGeneration;
  char *zErr = 0;
  if( p->work.bMaking ) return 0;
  kvStoreOpen(p, &zErr);
  sqlite3_free(zErr);
  return p->iGeneration!=iGeneration;
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
    if( rc==SQLITE_OK ? !storeStale(p) : rc!=SQLITE_ERROR || nTry>0 ) break;
    sqlite3_free(*pzErr);
    *pzErr = 0;
  }
  return rc;
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
