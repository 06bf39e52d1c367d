/*
** schema.c -- what is there, and noticing that it is another.  See schema.h.
**
** A statement on the schema, the sentinel, is kept: SQLite prepares it again
** whenever
**
**   - any program has changed the schema of the file,
**   - such a change was rolled back,
**   - the file was detached, or its content replaced by the backup API,
**   - this connection has changed the temp schema (a TEMP TRIGGER may be on a
**     table of the store),
**
** and counts how often it did.  A sentinel that had to be made again counts as
** a change, too.  So nothing depends on which of the other statements have been
** prepared when.
*/
#include "store/store_int.h"
#include "store/schema.h"

/* What kvSchemaKnow() looks for. */
#define KVKNOWN_TABLES  (KVKNOWN_FEED|KVKNOWN_INDEXES|KVKNOWN_HISTORY)

static void schemaFinalize(KvSchema *p){
  sqlite3_finalize(p->pSentinel);
  p->pSentinel = 0;
}

void kvSchemaRelease(KvStore *p){
  schemaFinalize(&p->schema);
  kvStmtsRelease(p);
}

int kvSchemaState(const KvStore *p){
  return p->schema.eState;
}

void kvSchemaDoubt(KvStore *p){
  p->schema.bStale = 1;
}

int kvSchemaDoubted(const KvStore *p){
  return p->schema.bStale || p->schema.nReprepared!=p->stmts.nReprepared;
}

void kvSchemaHide(KvStore *p, int bHidden){
  p->schema.bHidden = bHidden!=0;
}

/* ---- the sentinel -------------------------------------------------------- */

/* The schema is another: what is remembered of it is not believed. */
static void schemaForget(KvStore *p){
  p->schema.iSchema++;
  p->schema.bStale = 1;
  p->schema.mKnown &= KVKNOWN_TABLES;
  kvStmtsRelease(p);
}

/* Prepare the sentinel. */
static int schemaPrepare(KvStore *p, sqlite3_stmt **ppStmt){
  int rc = kvPrepare(p->db, ppStmt, "SELECT 1 FROM \"%w\".sqlite_schema LIMIT 0", p->zSchema);
  if( rc!=SQLITE_OK ) return rc;
  p->schema.nReprepare = 0;
  schemaForget(p);
  return SQLITE_OK;
}

u32 kvSchemaCount(KvStore *p){
  KvSchema *pSchema = &p->schema;
  sqlite3_stmt *pStmt = pSchema->pSentinel;
  int nReprepare, rc = SQLITE_OK;
  if( kvFailed(&p->err) ) return 0;
  pSchema->pSentinel = 0;              /* a busy handler may come here, too */
  if( pStmt==0 ) rc = schemaPrepare(p, &pStmt);
  if( rc==SQLITE_OK ){
    int rcStep = sqlite3_step(pStmt);
    rc = sqlite3_reset(pStmt);
    if( rc==SQLITE_OK && rcStep!=SQLITE_DONE ) rc = rcStep;
  }
  if( rc!=SQLITE_OK ){
    kvErrorDb(&p->err, p->db, rc);
    sqlite3_finalize(pStmt);
    return 0;
  }
  nReprepare = sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_REPREPARE, 0);
  if( nReprepare!=pSchema->nReprepare ) schemaForget(p);
  pSchema->nReprepare = nReprepare;
  schemaFinalize(pSchema);
  pSchema->pSentinel = pStmt;
  return pSchema->iSchema;
}

u32 kvSchemaKnown(const KvStore *p){
  return p->schema.mKnown;
}

void kvSchemaRemember(KvStore *p, u32 mKnown){
  p->schema.mKnown |= mKnown;
}

u32 kvSchemaKnow(KvStore *p){
  u32 m = KVKNOWN_LOOKED;
  if( p->schema.mKnown & KVKNOWN_LOOKED ) return p->schema.mKnown;
  if( kvSchemaHasColumn(p, "kv_track_state", "since") ) m |= KVKNOWN_FEED;
  if( kvSchemaHasColumn(p, "kv_index_def", "name") ) m |= KVKNOWN_INDEXES;
  if( kvSchemaHasColumn(p, "kv_history_def", "since") ) m |= KVKNOWN_HISTORY;
  if( kvFailed(&p->err) ) return 0;
  p->schema.mKnown = (p->schema.mKnown & ~(KVKNOWN_TABLES)) | m;
  return p->schema.mKnown;
}

u32 kvSchemaLook(KvStore *p){
  kvSchemaCount(p);
  return kvSchemaKnow(p);
}

/* ---- the tables ---------------------------------------------------------- */

int kvHasSchema(sqlite3 *db, const char *zSchema){
  return sqlite3_db_filename(db, zSchema)!=0 || sqlite3_stricmp(zSchema, "temp")==0;
}

int kvSchemaHasColumn(KvStore *p, const char *zTable, const char *zColumn){
  char *z;
  int rc = SQLITE_NOMEM;
  if( kvFailed(&p->err) ) return 0;
  z = sqlite3_mprintf("%s%s", p->zPrefix, zTable);
  if( z ) rc = sqlite3_table_column_metadata(p->db, p->zSchema, z, zColumn, 0, 0, 0, 0, 0);
  sqlite3_free(z);
  if( rc!=SQLITE_OK && rc!=SQLITE_ERROR ) kvErrorDb(&p->err, p->db, rc);
  return rc==SQLITE_OK;
}

void kvSchemaMissing(KvStore *p, const char *zTable, const char *zColumn){
  KvError aside;
  if( p->err.rc!=SQLITE_ERROR ) return;
  aside = kvErrorAside(&p->err);
  if( kvSchemaHasColumn(p, zTable, zColumn) ){
    kvErrorBack(&p->err, aside);
  }else{
    kvErrorClear(&aside);
  }
}

/*
** Look for the store's tables zA and zB in the schema: true if there is one, or
** a view, with the first name; *pbOdd says whether one of them is a view or a
** virtual table.  (Of a virtual table that is not connected yet, some versions
** of SQLite can't tell the columns and crash.)  Reading the schema makes SQLite
** notice, too, that its picture of it is out of date.  zAt begins the message of
** an error.
*/
static int schemaFind(KvStore *p, const char *zA, const char *zB, const char *zAt, int *pbOdd){
  sqlite3_stmt *pStmt = 0;
  int bThere = 0, rc = kvPrepare(p->db, &pStmt,
      "SELECT name = '%q%s' COLLATE nocase, rootpage FROM \"%w\".sqlite_schema "
      "WHERE name COLLATE nocase IN ('%q%s', '%q%s') AND type IN ('table', 'view')",
      p->zPrefix, zA, p->zSchema, p->zPrefix, zA, p->zPrefix, zB);
  *pbOdd = 0;
  while( pStmt && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    if( sqlite3_column_int(pStmt, 0) ) bThere = 1;
    if( sqlite3_column_int64(pStmt, 1)<=0 ) *pbOdd = 1;
  }
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_OK && rc!=SQLITE_DONE ){
    kvError(&p->err, rc, "kv: %!.100s%s%s", zAt, zAt[0] ? ": " : "", sqlite3_errmsg(p->db));
  }
  return bThere;
}

int kvSchemaHasQueue(KvStore *p){
  int bOdd;
  if( kvFailed(&p->err) ) return 0;
  return schemaFind(p, "queue", "queue_running", "", &bOdd) && !bOdd
      && kvSchemaHasColumn(p, "queue", "ts")
      && kvSchemaHasColumn(p, "queue_running", "deadline");
}

void kvSchemaRefuse(KvStore *p, const char *zTable, const char *zWhy){
  kvError(&p->err, SQLITE_ERROR,
    "kv: %!.100s.%!.100s%s is not a table of Deno KV (%s) and is left alone; "
    "to keep a store beside it: CREATE VIRTUAL TABLE app USING kv_entries(%!.100s, tables='app_')",
    p->zSchema, p->zPrefix, zTable, zWhy, p->zSchema);
}

/* What the tables are that are there: KV_STORE_xxx.  An error if not Deno's. */
static int schemaLayout(KvStore *p, int bOdd){
  static const char *const azColumn[] = {"k", "v", "v_encoding", "version"};
  int bOurs = 1, bVersion, bExpires;
  u32 i;
  if( bOdd ) kvSchemaRefuse(p, "kv", "it or data_version is a view or a virtual table");
  for(i=0; i<4; i++) bOurs = bOurs && kvSchemaHasColumn(p, "kv", azColumn[i]);
  bVersion = kvSchemaHasColumn(p, "data_version", "version");
  bExpires = kvSchemaHasColumn(p, "kv", "expiration_ms");
  if( !bOurs ) kvSchemaRefuse(p, "kv", "it has other columns");
  if( !bVersion ) kvSchemaRefuse(p, "kv", "there is no table data_version");
  return bExpires ? KV_STORE_READY : KV_STORE_OLD;
}

/* Why the tables can't be looked for. */
static void schemaUnusable(KvStore *p){
  if( p->schema.bHidden ){
    kvError(&p->err, SQLITE_ERROR,
        "kv: this file has a table or view %s.kv_entries of its own, which hides the "
        "extension's: rows inserted there are not in the store; ALTER TABLE kv_entries "
        "RENAME TO ...; or keep it, without the functions that use the store, and "
        "CREATE VIRTUAL TABLE temp.entries USING kv_entries", p->zSchema);
  }else if( !kvHasSchema(p->db, p->zSchema) ){
    kvError(&p->err, SQLITE_ERROR, "kv: no such database: %!.100s; ATTACH it first", p->zSchema);
  }
}

int kvSchemaOpen(KvStore *p){
  KvSchema *pSchema = &p->schema;
  int bOdd, eState = KV_STORE_NONE;
  schemaUnusable(p);
  if( kvFailed(&p->err) ) return KV_STORE_NONE;
  if( schemaFind(p, "kv", "data_version", p->zSchema, &bOdd) ) eState = schemaLayout(p, bOdd);
  if( kvFailed(&p->err) ) return KV_STORE_NONE;
  pSchema->bStale = 0;
  pSchema->nReprepared = p->stmts.nReprepared;
  if( eState!=pSchema->eState ){
    pSchema->eState = (u8)eState;
    pSchema->iGeneration++;
    schemaFinalize(pSchema);           /* so that nothing else is believed */
    kvStmtsLayout(p, eState==KV_STORE_OLD);
  }
  return eState;
}

int kvSchemaReady(KvStore *p){
  const KvSchema *pSchema = &p->schema;
  int bReady = pSchema->eState==KV_STORE_READY && !pSchema->bHidden && !kvFailed(&p->err);
  return bReady && !kvSchemaDoubted(p) ? KV_STORE_READY : kvSchemaOpen(p);
}

int kvSchemaRetry(KvStore *p){
  u32 iGeneration = p->schema.iGeneration;
  KvError aside;
  if( p->err.rc!=SQLITE_ERROR || (p->pWrite && p->pWrite->bMaking) ) return 0;
  aside = kvErrorAside(&p->err);
  kvSchemaOpen(p);
  kvErrorBack(&p->err, aside);
  if( p->schema.iGeneration==iGeneration ) return 0;
  kvErrorClear(&p->err);
  return 1;
}
