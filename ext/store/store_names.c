/*
** store_names.c -- whether something else has the names that a store gives.  See
** store_names.h.
*/
#include "store/store_int.h"
#include "store/store_names.h"
#include "store/schema.h"

/* A name that the store gives, and what must have it if anything has: a table
** with these columns or, with zOn, an index or (bTrigger) a trigger of a table. */
typedef struct NamesOne NamesOne;
struct NamesOne {
  const char *zName;
  const char *azColumn[6];
  const char *zOn;
  u8 bTrigger;
};

/* True if a table has these columns; with bOnly, no others. */
static int namesColumns(KvStore *p, const NamesOne *pName, int bOnly){
  sqlite3_stmt *pStmt = 0;
  char *z;
  int i, rc, bAll = 1;
  for(i=0; pName->azColumn[i]; i++){
    bAll = bAll && kvSchemaHasColumn(p, pName->zName, pName->azColumn[i]);
  }
  if( !bOnly || !bAll ) return bAll;
  z = sqlite3_mprintf("SELECT * FROM \"%w\".\"%w%s\"", p->zSchema, p->zPrefix, pName->zName);
  rc = z ? sqlite3_prepare_v2(p->db, z, -1, &pStmt, 0) : SQLITE_NOMEM;
  sqlite3_free(z);
  if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
  bAll = sqlite3_column_count(pStmt)==i;
  sqlite3_finalize(pStmt);
  return bAll;
}

/* Whether something has the name, and is of the right kind. */
static int namesLook(KvStore *p, const NamesOne *pName, int *pbRight){
  sqlite3_stmt *pStmt = 0;
  const char *zType = pName->bTrigger ? "trigger" : pName->zOn ? "index" : "table";
  int rc;
  char *z = sqlite3_mprintf(
      "SELECT type = '%s' AND (rootpage > 0) <> %d AND tbl_name = '%q%s' COLLATE nocase "
      "FROM \"%w\".sqlite_schema WHERE name = '%q%s' COLLATE nocase AND (type = 'trigger') = %d",
      zType, pName->bTrigger, p->zPrefix, pName->zOn ? pName->zOn : pName->zName,
      p->zSchema, p->zPrefix, pName->zName, pName->bTrigger);
  rc = z ? sqlite3_prepare_v2(p->db, z, -1, &pStmt, 0) : SQLITE_NOMEM;
  sqlite3_free(z);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  *pbRight = rc==SQLITE_ROW && sqlite3_column_int(pStmt, 0);
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) kvErrorDb(&p->err, p->db, rc);
  return rc==SQLITE_ROW;
}

/* Whether something has the name.  *pzWrong: what is wrong if it is something
** else, or 0. */
static int namesThere(KvStore *p, const NamesOne *pName, int bOnly, const char **pzWrong){
  int bRight = 0, bThere = !kvFailed(&p->err) && namesLook(p, pName, &bRight);
  *pzWrong = 0;
  if( !bThere ) return 0;
  if( !bRight ){
    *pzWrong = pName->zOn ? "it is something else, or of another table"
                          : "it is a view, a virtual table or an index";
  }else if( !pName->zOn && !namesColumns(p, pName, bOnly) ){
    *pzWrong = "its columns are others";
  }
  return 1;
}

void kvNamesCheck(KvStore *p){
  static const NamesOne aDeno[] = {
    { "migration_state", { "k", "version", 0 }, 0, 0 },
    { "queue", { "ts", "id", "data", "backoff_schedule", "keys_if_undelivered", 0 }, 0, 0 },
    { "queue_running",
      { "deadline", "id", "data", "backoff_schedule", "keys_if_undelivered", 0 }, 0, 0 },
    { "kv_expiration_ms_idx", { 0 }, "kv", 0 },
    { "kv", { 0 }, 0, 0 },
    { "data_version", { 0 }, 0, 0 },
  };
  int bNone = kvSchemaState(p)==KV_STORE_NONE;
  u32 i, n = bNone ? 6 : 4;            /* else the last two are there */
  for(i=0; i<n; i++){
    const char *zWrong;
    int bThere = namesThere(p, &aDeno[i], 0, &zWrong);
    if( bThere && zWrong==0 && i>=4 ) zWrong = "there is no table kv";
    if( zWrong ) kvSchemaRefuse(p, aDeno[i].zName, zWrong);
  }
  if( bNone && kvNamesGroup(p, KVNAMES_FEED, 0) ){
    kvError(&p->err, SQLITE_ERROR, "kv: the store of %!.100s is gone, but not its change feed; "
        "SELECT kv_uninstall() first", p->zSchema);
  }
}

int kvNamesGroup(KvStore *p, int eGroup, int bMake){
  static const NamesOne aGroup[][6] = {
    [KVNAMES_FEED] = {
      { "kv_track_state", { "k", "wanted", "since", "generation", "applied", 0 }, 0, 0 },
      { "kv_deleted", { "k", "version", 0 }, 0, 0 },
      { "kv_version_idx", { 0 }, "kv", 0 },
      { "kv_deleted_version_idx", { 0 }, "kv_deleted", 0 },
      { "kv_track_delete", { 0 }, "kv", 1 },
      { "kv_track_move", { 0 }, "kv", 1 },
    },
    [KVNAMES_INDEXES] = {
      { "kv_index_def", { "name", "prefix", "path", "options", 0 }, 0, 0 },
      { "kv_index_row", { "ik", "pk", 0 }, 0, 0 },
      { "kv_index_row_pk_idx", { 0 }, "kv_index_row", 0 },
    },
    [KVNAMES_PENDING] = {
      { "kv_index_pending", { "k", 0 }, 0, 0 },
      { "kv_index_on_insert", { 0 }, "kv", 1 },
      { "kv_index_on_update", { 0 }, "kv", 1 },
      { "kv_index_on_move", { 0 }, "kv", 1 },
      { "kv_index_on_delete", { 0 }, "kv", 1 },
    },
    [KVNAMES_QUEUE] = {
      { "kv_queue_id_idx", { 0 }, "queue", 0 },
      { "kv_queue_running_id_idx", { 0 }, "queue_running", 0 },
    },
  };
  static const char *const azMissing[] = {
    "there is no table kv_track_state", "there is no table kv_index_def",
    "there is no table kv_index_pending", "there is no table kv_index_def",
  };
  const NamesOne *a = aGroup[eGroup];
  int i, bFirst = 0;
  for(i=0; i<6 && a[i].zName; i++){
    const char *zWrong;
    int bThere = namesThere(p, &a[i], 1, &zWrong);
    if( i==0 ) bFirst = bThere && zWrong==0;
    if( !bFirst && !bMake ) return 0;
    if( bThere && zWrong==0 && !bFirst ) zWrong = azMissing[eGroup];
    if( zWrong==0 ) continue;
    kvError(&p->err, SQLITE_ERROR,
        "kv: %!.100s.%!.100s%s is not what a change feed or an index has by that name (%s) "
        "and is left alone; rename it to have one", p->zSchema, p->zPrefix, a[i].zName, zWrong);
  }
  return bFirst && !kvFailed(&p->err);
}
