/*
** base.c -- the database file that is served.  See base.h.
*/
#include "serve/base.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "serve/clock.h"

int sqlite3_kv_init(sqlite3 *db, char **pzErrMsg, const void *pApi);

#define BASE_OPEN_MS  10000              /* For others' locks while it is opened */

#define BASE_STMTS    40                 /* Statements of the server */

static struct {
  sqlite3 *db;
  int bReadonly;
  char zId[40];
  i64 iChanged;                          /* PRAGMA data_version */
  sqlite3_stmt **appStmt[BASE_STMTS];    /* Those that have been prepared */
  int nStmt;
  sqlite3_stmt *pUp, *pDown, *pGet, *pLook, *pBegin, *pEnd, *pChanged;
} base;

sqlite3 *baseDb(void){ return base.db; }
int baseReadonly(void){ return base.bReadonly; }
const char *baseId(void){ return base.zId; }

int baseBusy(int rc){ return (rc & 0xff)==SQLITE_BUSY || (rc & 0xff)==SQLITE_LOCKED; }

/* ---- statements ----------------------------------------------------------- */

sqlite3_stmt *baseStmt(sqlite3_stmt **ppStmt, const char *zSql){
  if( *ppStmt==0 ){
    sqlite3_prepare_v3(base.db, zSql, -1, SQLITE_PREPARE_PERSISTENT, ppStmt, 0);
    KV_ASSERT( base.nStmt<BASE_STMTS );
    if( *ppStmt ) base.appStmt[base.nStmt++] = ppStmt;
  }
  return *ppStmt;
}

int baseRun(sqlite3_stmt **ppStmt, const char *zSql){
  sqlite3_stmt *p = baseStmt(ppStmt, zSql);
  if( p==0 ) return sqlite3_errcode(base.db);
  sqlite3_step(p);
  return sqlite3_reset(p);
}

static void baseBind(sqlite3_stmt *p, int i, KvBytes b){
  sqlite3_bind_blob(p, i, b.n ? (const void*)b.p : "", (int)b.n, SQLITE_STATIC);
}

/* ---- opening -------------------------------------------------------------- */

/* From a name, by two rounds of FNV-1a. */
static void baseMakeId(const char *zName){
  u64 a[2] = { 0xcbf29ce484222325u, 0x9ae16a3b2f90404fu };
  const char *z;
  int i;
  for(i=0; i<2; i++){
    for(z=zName ? zName : ""; *z; z++) a[i] = (a[i] ^ (u8)*z) * 0x100000001b3u;
  }
  snprintf(base.zId, sizeof(base.zId), "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(a[0]>>32),
      (unsigned)(a[0]>>16) & 0xffff, (unsigned)a[0] & 0xfff,
      0x8000u | ((unsigned)(a[1]>>48) & 0x3fff), (unsigned long long)(a[1] & 0xffffffffffffu));
}

static int baseFail(const char *zFile){
  fprintf(stderr, "kv-serve: %s: %s\n", zFile, sqlite3_errmsg(base.db));
  return -1;
}

/* The journal mode must be WAL, as Deno has it: readers and writers then don't wait
** for each other, and a commit can't fail for a reader. */
static int basePrepare(void){
  int rc = SQLITE_OK;
  if( !base.bReadonly ){
    rc = sqlite3_exec(base.db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
        "SELECT kv_init()", 0, 0, 0);
  }
  if( rc==SQLITE_OK ){
    rc = sqlite3_exec(base.db, "SELECT k, v, v_encoding, version, expiration_ms FROM kv LIMIT 0",
        0, 0, 0);
  }
  return rc;
}

int baseInit(void){
  sqlite3 *db = 0;
  int rc = sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
  if( rc==SQLITE_OK ) rc = sqlite3_open(":memory:", &db);
  sqlite3_close(db);
  return rc==SQLITE_OK ? 0 : -1;
}

int baseOpen(const char *zFile, const char *zName){
  int mFlags = SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE|SQLITE_OPEN_NOMUTEX;
  char *zFull = realpath(zFile, 0);
  int rc;
  rc = sqlite3_open_v2(zFull ? zFull : zFile, &base.db, mFlags, 0);
  free(zFull);
  if( rc!=SQLITE_OK ) return baseFail(zFile);
  sqlite3_busy_timeout(base.db, BASE_OPEN_MS);
  base.bReadonly = sqlite3_db_readonly(base.db, "main")==1;
  if( basePrepare()!=SQLITE_OK ) return baseFail(zFile);
  /* From here on others' locks are waited out by coming back later */
  sqlite3_busy_timeout(base.db, 0);
  baseMakeId(zName ? zName : sqlite3_db_filename(base.db, 0));
  baseChanged();
  return 0;
}

void baseClose(void){
  while( base.nStmt>0 ){
    sqlite3_stmt **ppStmt = base.appStmt[--base.nStmt];
    sqlite3_finalize(*ppStmt);
    *ppStmt = 0;
  }
  sqlite3_close(base.db);
  memset(&base, 0, sizeof(base));
}

/* ---- reading -------------------------------------------------------------- */

int baseBegin(void){
  return baseRun(&base.pBegin, "BEGIN");
}

void baseEnd(void){
  baseRun(&base.pEnd, "COMMIT");
}

#define BASE_ALIVE " AND expiration_ms NOT BETWEEN 0 AND ?3"

static void baseEntry(sqlite3_stmt *p, BaseEntry *pEntry){
  pEntry->key = kvBytes(sqlite3_column_blob(p, 0), (u32)sqlite3_column_bytes(p, 0));
  pEntry->value = kvBytes(sqlite3_column_blob(p, 1), (u32)sqlite3_column_bytes(p, 1));
  pEntry->eEncoding = sqlite3_column_int(p, 2);
  pEntry->iVersion = sqlite3_column_int64(p, 3);
}

int baseRange(
  KvBytes start, KvBytes end, int nLimit, int bReverse,
  int (*xRow)(void*, const BaseEntry*), void *pArg
){
  sqlite3_stmt *p = bReverse
    ? baseStmt(&base.pDown, "SELECT k, v, v_encoding, version FROM kv WHERE k >= ?1 AND k < ?2"
                            BASE_ALIVE " ORDER BY k DESC LIMIT ?4")
    : baseStmt(&base.pUp, "SELECT k, v, v_encoding, version FROM kv WHERE k >= ?1 AND k < ?2"
                          BASE_ALIVE " ORDER BY k LIMIT ?4");
  if( p==0 ) return sqlite3_errcode(base.db);
  baseBind(p, 1, start);
  baseBind(p, 2, end);
  sqlite3_bind_int64(p, 3, clockNow());
  sqlite3_bind_int(p, 4, nLimit);
  while( sqlite3_step(p)==SQLITE_ROW ){
    BaseEntry entry;
    baseEntry(p, &entry);
    if( !xRow(pArg, &entry) ) break;
  }
  return sqlite3_reset(p);
}

int baseGet(KvBytes key, int bValue, BaseEntry *pEntry){
  sqlite3_stmt *p = bValue
    ? baseStmt(&base.pGet, "SELECT k, v, v_encoding, version FROM kv WHERE k = ?1" BASE_ALIVE)
    : baseStmt(&base.pLook, "SELECT NULL, NULL, 0, version FROM kv WHERE k = ?1" BASE_ALIVE);
  int rc;
  if( p==0 ) return -1;
  sqlite3_reset(p);
  baseBind(p, 1, key);
  sqlite3_bind_int64(p, 3, clockNow());
  rc = sqlite3_step(p);
  if( rc==SQLITE_ROW ){
    baseEntry(p, pEntry);
    if( bValue ) return 1;
  }
  sqlite3_reset(p);
  return rc==SQLITE_ROW ? 1 : rc==SQLITE_DONE ? 0 : -1;
}

void baseDone(void){
  sqlite3_reset(base.pGet);
}

int baseChanged(void){
  sqlite3_stmt *p = baseStmt(&base.pChanged, "PRAGMA data_version");
  i64 iBefore = base.iChanged;
  if( p==0 ) return 0;
  if( sqlite3_step(p)==SQLITE_ROW ) base.iChanged = sqlite3_column_int64(p, 0);
  sqlite3_reset(p);
  return iBefore!=base.iChanged;
}
