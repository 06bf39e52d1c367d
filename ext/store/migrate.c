/*
** migrate.c -- making a store's tables, and the names that it gives.  See
** migrate.h.
*/
#include "store/store_int.h"
#include "store/migrate.h"

/* A name that the store gives, and what must have it if anything has: a table
** with these columns or, with zOn, an index or (bTrigger) a trigger of a table. */
typedef struct MigrateName MigrateName;
struct MigrateName {
  const char *zName;
  const char *azColumn[8];
  const char *zOn;
  u8 bTrigger;
  int eSql;               /* What makes it, where the text tells that it is ours: KVSQL_xxx */
};

/* True if a table has these columns; with bOnly, no others. */
static int migrateColumns(KvStore *p, const MigrateName *pName, int bOnly){
  sqlite3_stmt *pStmt = 0;
  int i, rc, bAll = 1;
  for(i=0; pName->azColumn[i]; i++){
    bAll = bAll && kvSchemaHasColumn(p, pName->zName, pName->azColumn[i]);
  }
  if( !bOnly || !bAll ) return bAll;
  rc = kvPrepare(p->db, &pStmt, "SELECT * FROM \"%w\".\"%w%s\"",
                 p->zSchema, p->zPrefix, pName->zName);
  if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
  bAll = sqlite3_column_count(pStmt)==i;
  sqlite3_finalize(pStmt);
  return bAll;
}

/* Whether something has the name, and is of the right kind. */
static int migrateLook(KvStore *p, const MigrateName *pName, int *pbRight){
  sqlite3_stmt *pStmt = 0;
  const char *zType = pName->bTrigger ? "trigger" : pName->zOn ? "index" : "table";
  int rc = kvPrepare(p->db, &pStmt,
      "SELECT type = '%s' AND (rootpage > 0) <> %d AND tbl_name = '%q%s' COLLATE nocase "
      "FROM \"%w\".sqlite_schema WHERE name = '%q%s' COLLATE nocase AND (type = 'trigger') = %d",
      zType, pName->bTrigger, p->zPrefix, pName->zOn ? pName->zOn : pName->zName,
      p->zSchema, p->zPrefix, pName->zName, pName->bTrigger);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  *pbRight = rc==SQLITE_ROW && sqlite3_column_int(pStmt, 0);
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) kvErrorDb(&p->err, p->db, rc);
  return rc==SQLITE_ROW;
}

/* Whether something has the name.  *pzWrong: what is wrong if it is something
** else, or 0. */
static int migrateThere(KvStore *p, const MigrateName *pName, int bOnly, const char **pzWrong){
  int bRight = 0, bThere = !kvFailed(&p->err) && migrateLook(p, pName, &bRight);
  *pzWrong = 0;
  if( !bThere ) return 0;
  if( !bRight ){
    *pzWrong = pName->zOn ? "it is something else, or belongs to another table"
                          : "it is a view, a virtual table or an index";
  }else if( !pName->zOn && !migrateColumns(p, pName, bOnly) ){
    *pzWrong = "it has other columns";
  }
  return 1;
}

/*
** Before the tables are made, or brought up to date: an error if something else
** has one of their names.  What Deno's statements would take for Deno's own
** ("create table if not exists") must be it.
*/
static void migrateNames(KvStore *p){
  static const MigrateName aDeno[] = {
    { "migration_state", { "k", "version", 0 }, 0, 0, 0 },
    { "queue", { "ts", "id", "data", "backoff_schedule", "keys_if_undelivered", 0 }, 0, 0, 0 },
    { "queue_running",
      { "deadline", "id", "data", "backoff_schedule", "keys_if_undelivered", 0 }, 0, 0, 0 },
    { "kv_expiration_ms_idx", { 0 }, "kv", 0, 0 },
    { "kv", { 0 }, 0, 0, 0 },
    { "data_version", { 0 }, 0, 0, 0 },
  };
  int bNone = kvSchemaState(p)==KV_STORE_NONE;
  u32 i, n = bNone ? 6 : 4;            /* else the last two are there */
  for(i=0; i<n; i++){
    const char *zWrong;
    int bThere = migrateThere(p, &aDeno[i], 0, &zWrong);
    if( bThere && zWrong==0 && i>=4 ) zWrong = "there is no table kv";
    if( zWrong ) kvSchemaRefuse(p, aDeno[i].zName, zWrong);
  }
  if( bNone && kvNamesGroup(p, KVNAMES_FEED, 0) ){
    kvError(&p->err, SQLITE_ERROR, "kv: the store of %!.100s no longer exists, but its "
        "change feed does; SELECT kv_uninstall() first", p->zSchema);
  }
}

/* Names of a group, at most. */
#define MIGRATE_NAMES  12

/* What the extension adds, by KVNAMES_xxx; each is dropped before those that are first. */
static const MigrateName migrateGroup[][MIGRATE_NAMES] = {
  [KVNAMES_FEED] = {
    { "kv_track_state", { "k", "since", 0 }, 0, 0, KVSQL_FEED_STATE },
    { "kv_deleted", { "k", "version", 0 }, 0, 0, KVSQL_FEED_DELETED },
    { "kv_version_idx", { 0 }, "kv", 0, KVSQL_FEED_VERSION_INDEX },
    { "kv_deleted_version_idx", { 0 }, "kv_deleted", 0, KVSQL_FEED_DELETED_INDEX },
    { "kv_track_delete", { 0 }, "kv", 1, KVSQL_FEED_ON_DELETE },
    { "kv_track_move", { 0 }, "kv", 1, KVSQL_FEED_ON_MOVE },
  },
  [KVNAMES_INDEXES] = {
    { "kv_index_def", { "name", "prefix", "path", "options", "own", "kinds", 0 }, 0, 0,
      KVSQL_INDEX_DEF },
    { "kv_index_state", { "k", "generation", "since", "guard", "place", 0 }, 0, 0,
      KVSQL_DIRTY_STATE },
    { "kv_index_held", { "pk", "iks", 0 }, 0, 0, KVSQL_INDEX_HELD },
    { "kv_index_value", { "ik", "pk", 0 }, 0, 0, KVSQL_INDEX_VALUE },
    { "kv_dirty", { "k", "n", "done", 0 }, 0, 0, KVSQL_DIRTY_LIST },
    { "kv_dirty_n", { 0 }, "kv_dirty", 0, KVSQL_DIRTY_ORDER },
    { "kv_dirty_insert", { 0 }, "kv", 1, KVSQL_DIRTY_ON_INSERT },
    { "kv_dirty_update", { 0 }, "kv", 1, KVSQL_DIRTY_ON_UPDATE },
    { "kv_dirty_move", { 0 }, "kv", 1, KVSQL_DIRTY_ON_MOVE },
    { "kv_dirty_delete", { 0 }, "kv", 1, KVSQL_DIRTY_ON_DELETE },
  },
  [KVNAMES_QUEUE] = {
    { "kv_queue_running_id_idx", { 0 }, "queue_running", 0, 0 },
    { "kv_queue_id_idx", { 0 }, "queue", 0, 0 },
  },
  [KVNAMES_HISTORY] = {
    { "kv_history_def", { "prefix", "keep_ms", "since", "place", 0 }, 0, 0, 0 },
    { "kv_history", { "n", "k", "ended", "version", "expiration_ms", "v_encoding", "v", 0 },
      0, 0, 0 },
    { "kv_history_at", { "version", "at", 0 }, 0, 0, 0 },
    { "kv_history_insert", { 0 }, "kv", 1, 0 },
    { "kv_history_update", { 0 }, "kv", 1, 0 },
    { "kv_history_move", { 0 }, "kv", 1, 0 },
    { "kv_history_delete", { 0 }, "kv", 1, 0 },
    { "kv_history_added", { 0 }, "kv", 1, 0 },
    { "kv_history_moved", { 0 }, "kv", 1, 0 },
    { "kv_history_version", { 0 }, "data_version", 1, 0 },
    { "kv_history_back", { 0 }, "data_version", 1, 0 },
  },
  [KVNAMES_SERVE] = {
    { "kv_serve_done", { "id", "versionstamp", "at", 0 }, 0, 0, KVSQL_SERVE_DONE },
  },
};

int kvNamesGroup(KvStore *p, int eGroup, int bMake){
  const MigrateName *a = migrateGroup[eGroup];
  int i, bFirst = 0;
  for(i=0; i<MIGRATE_NAMES && a[i].zName; i++){
    const char *zWrong;
    int bThere = migrateThere(p, &a[i], 1, &zWrong);
    if( i==0 ) bFirst = bThere && zWrong==0;
    if( !bFirst && !bMake ) return 0;
    if( zWrong==0 && (bFirst || !bThere) ) continue;
    kvError(&p->err, SQLITE_ERROR,
        "kv: %!.100s.%!.100s%s doesn't belong to the extension (%s%s) and is left "
        "alone; rename it to use a change feed, an index or a history",
        p->zSchema, p->zPrefix, a[i].zName,
        zWrong ? zWrong : a->zOn ? "there is no " : "there is no table ",
        zWrong ? "" : a->zName);
  }
  return bFirst && !kvFailed(&p->err);
}

/* What a group has that is there, and has to have: an error if it is missing. */
static void migrateMissing(KvStore *p, int eGroup){
  const MigrateName *a = migrateGroup[eGroup];
  const char *zWrong;
  int i;
  for(i=0; i<MIGRATE_NAMES && a[i].zName; i++){
    if( migrateThere(p, &a[i], 0, &zWrong) || kvFailed(&p->err) ) continue;
    kvError(&p->err, SQLITE_ERROR, "kv: %!.100s.%!.100s%s is missing; the change feed, "
        "the indexes or the history may have missed changes: turn them off and on again",
        p->zSchema, p->zPrefix, a[i].zName);
  }
}

/* Has an object the text that this library gives it?  What a trigger of the indexes has is
** another with each declaration. */
static int migrateOurs(KvStore *p, const MigrateName *pName, const char *zSql){
  const char *zFrom = pName->bTrigger ? "AFTER " : pName->zOn ? " ON " : "(";
  const char *zA = zSql ? strstr(zSql, zFrom) : 0, *zB;
  char *zOurs;
  int bOurs;
  if( zSql==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  if( zSql==0 ) return 0;
  if( pName->eSql==0 && pName->bTrigger ) return strstr(zSql, "kv_history")!=0;
  if( pName->eSql==0 ) return migrateColumns(p, pName, 0);
  if( strncmp(pName->zName, "kv_dirty_", 9)==0 && pName->bTrigger ){
    return strstr(zSql, "kv_dirty")!=0;
  }
  zOurs = kvStmtText(p, pName->eSql);
  if( zOurs==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  zB = zOurs ? strstr(zOurs, zFrom) : 0;
  bOurs = zA && zB && strcmp(zA, zB)==0;
  sqlite3_free(zOurs);
  return bOurs;
}

/* Drop an object, if it is ours. */
static void migrateDrop(KvStore *p, const MigrateName *pName){
  const char *zType = pName->bTrigger ? "trigger" : pName->zOn ? "index" : "table";
  sqlite3_stmt *pStmt = 0;
  int rc, bOurs = 0;
  rc = kvPrepare(p->db, &pStmt, "SELECT sql FROM \"%w\".sqlite_schema WHERE type = '%s' "
                 "AND name = '%q%s' COLLATE nocase AND tbl_name = '%q%s' COLLATE nocase",
                 p->zSchema, zType, p->zPrefix, pName->zName, p->zPrefix,
                 pName->zOn ? pName->zOn : pName->zName);
  if( rc==SQLITE_OK && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    bOurs = migrateOurs(p, pName, (const char*)sqlite3_column_text(pStmt, 0));
  }
  if( rc==SQLITE_ROW || rc==SQLITE_DONE ) rc = SQLITE_OK;
  sqlite3_finalize(pStmt);
  if( rc==SQLITE_OK && bOurs ){
    rc = kvPrepare(p->db, &pStmt, "DROP %s \"%w\".\"%w%s\"", zType, p->zSchema, p->zPrefix,
                   pName->zName);
    while( rc==SQLITE_OK && (rc = sqlite3_step(pStmt))==SQLITE_ROW ) rc = SQLITE_OK;
    if( rc==SQLITE_DONE ) rc = SQLITE_OK;
    sqlite3_finalize(pStmt);
  }
  if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
}

void kvNamesDropTriggers(KvStore *p, int eGroup){
  const MigrateName *a = migrateGroup[eGroup];
  int i;
  for(i=0; i<MIGRATE_NAMES && !kvFailed(&p->err); i++){
    if( a[i].bTrigger ) migrateDrop(p, &a[i]);
  }
}

void kvNamesDrop(KvStore *p, int eGroup){
  const MigrateName *a = migrateGroup[eGroup];
  int i;
  for(i=MIGRATE_NAMES-1; i>=0 && !kvFailed(&p->err); i--){
    if( a[i].zName ) migrateDrop(p, &a[i]);
  }
}

int kvNamesCheck(KvStore *p, int i){
  int eGroup = i-1;
  if( i==0 ){
    migrateNames(p);
  }else if( eGroup<(int)KV_COUNT(migrateGroup) ){
    if( kvNamesGroup(p, eGroup, 1) && eGroup!=KVNAMES_QUEUE ) migrateMissing(p, eGroup);
  }
  return eGroup<(int)KV_COUNT(migrateGroup);
}

/*
** What is to be done goes by the tables that are there and not by the number of
** the last migration, which may be that of tables that are gone.
*/
void kvMigrate(KvStore *p){
  int eState = kvSchemaReady(p);
  if( eState==KV_STORE_READY ) return;
  migrateNames(p);
  if( !p->pWrite->bSavepoint ) kvErrorCode(&p->err, KV_AGAIN);
  if( kvFailed(&p->err) ) return;
  KV_ASSERT( !p->pWrite->bMaking );
  p->pWrite->bMaking = 1;
  kvStmtSimple(p, KVSQL_MIGRATE_STATE);
  if( eState==KV_STORE_NONE ) kvStmtScript(p, KVSQL_MIGRATE_VERSION, KVSQL_MIGRATE_KV);
  kvStmtScript(p, KVSQL_MIGRATE_2_QUEUE, KVSQL_MIGRATE_2_RUNNING);
  if( eState==KV_STORE_OLD ){
    kvStmtScript(p, KVSQL_MIGRATE_3_VERSION_SEQ, KVSQL_MIGRATE_3_KV_EXPIRATION);
  }
  kvStmtScript(p, KVSQL_MIGRATE_3_INDEX, KVSQL_MIGRATE_SET);
  kvSchemaOpen(p);
  p->pWrite->bMaking = (u8)kvFailed(&p->err);
}

/*
** What makes the tables in another file begins with the first of them.  If the
** rest fails that one is undone with the statement around it; but inside of a
** transaction a statement of one row has no savepoint.  So there it is done under
** that of a statement on main, if main can be written to.
*/
int kvMigrateRunner(KvStore *p){
  if( sqlite3_stricmp(p->zSchema, "main")==0 ) return KVSQL_RUN;
  if( kvSchemaReady(p)==KV_STORE_READY ) return KVSQL_RUN_THERE;
  if( !sqlite3_get_autocommit(p->db) && sqlite3_db_readonly(p->db, "main")==0 ) return KVSQL_RUN;
  migrateNames(p);
  kvStmtSimple(p, KVSQL_MIGRATE_STATE);
  return KVSQL_RUN_MAKING;
}
