/*
** script.c -- scripts, connections and files of the fault harness.
*/
#include "fault.h"
#include <unistd.h>

static char *copyText(const char *z, size_t n){
  char *zNew = need(n+1);
  memcpy(zNew, z, n);
  return zNew;
}

/* "NAME word ..." behind "-- block " */
static void blockHead(Block *p, char *z){
  char *zWord = strtok(z, " \n");
  if( zWord==0 ) die("a block without a name");
  p->zName = copyText(zWord, strlen(zWord));
  while( (zWord = strtok(0, " \n"))!=0 ){
    if( strcmp(zWord, "clean")==0 ) p->bClean = 1;
    else if( strcmp(zWord, "load")==0 ) p->bLoad = 1;
    else if( strcmp(zWord, "nocrash")==0 ) p->bNoCrash = 1;
    else if( strcmp(zWord, "ones")==0 ) p->bOnes = 1;
    else if( strncmp(zWord, "tick=", 5)==0 ) p->nTick = atoll(zWord+5);
    else die("block %s: no such word: %s", p->zName, zWord);
  }
}

void scriptRead(Script *p, const char *zFile){
  FILE *f = fopen(zFile, "r");
  char zLine[8192];
  Text sql = {0, 0, 0};
  if( f==0 ) die("cannot read %s", zFile);
  memset(p, 0, sizeof(*p));
  p->zFile = strrchr(zFile, '/') ? strrchr(zFile, '/')+1 : zFile;
  while( fgets(zLine, sizeof(zLine), f) ){
    Block *pBlock = p->nBlock ? &p->aBlock[p->nBlock-1] : 0;
    if( strncmp(zLine, "-- block ", 9)==0 ){
      if( sql.n ) die("%s: statement without end: %s", zFile, sql.z);
      p->aBlock = realloc(p->aBlock, (size_t)(p->nBlock+1)*sizeof(Block));
      if( p->aBlock==0 ) die("out of memory");
      memset(&p->aBlock[p->nBlock], 0, sizeof(Block));
      blockHead(&p->aBlock[p->nBlock++], zLine+9);
      continue;
    }
    if( sql.n==0 && (zLine[0]=='\n' || strncmp(zLine, "--", 2)==0) ) continue;
    if( pBlock==0 ) die("%s: SQL in front of the first block", zFile);
    textAdd(&sql, zLine, strlen(zLine));
    if( !sqlite3_complete(sql.z) ) continue;
    pBlock->azSql = realloc(pBlock->azSql, (size_t)(pBlock->nSql+1)*sizeof(char*));
    if( pBlock->azSql==0 ) die("out of memory");
    pBlock->azSql[pBlock->nSql++] = copyText(sql.z, sql.n);
    textReset(&sql);
  }
  if( sql.n ) die("%s: statement without end: %s", zFile, sql.z);
  textFree(&sql);
  fclose(f);
}

void scriptFree(Script *p){
  int i, j;
  for(i=0; i<p->nBlock; i++){
    for(j=0; j<p->aBlock[i].nSql; j++) free(p->aBlock[i].azSql[j]);
    free(p->aBlock[i].azSql);
    free(p->aBlock[i].zName);
  }
  free(p->aBlock);
}

/* ------------------------------------------------------------ connections */

void resultFree(Result *p){ textFree(&p->text); }

static int addRow(void *pArg, int n, char **az, char **azName){
  Text *p = pArg;
  int i;
  (void)azName;
  for(i=0; i<n; i++){
    if( i ) textAdd(p, "|", 1);
    if( az[i] ) textAdd(p, az[i], strlen(az[i]));
    else textAdd(p, "NULL", 4);
  }
  textAdd(p, "\n", 1);
  return 0;
}

int dbOpen(const char *zFile, sqlite3 **pDb, int bLoadFails){
  char *zErr = 0;
  char zSql[300];
  long iAt = g_fault.iAt;
  int rc;
  g_fault.iAt = 0;
  rc = sqlite3_open(zFile, pDb);
  if( rc!=SQLITE_OK ) die("cannot open %s", zFile);
  sqlite3_extended_result_codes(*pDb, 1);
  snprintf(zSql, sizeof(zSql), "PRAGMA encoding='%s'; PRAGMA journal_mode=%s; PRAGMA synchronous=%s;"
      "PRAGMA cell_size_check=1", g_setup.zEncoding, g_setup.zJournal, g_setup.zSync);
  rc = sqlite3_exec(*pDb, zSql, 0, 0, &zErr);
  if( rc!=SQLITE_OK ) die("%s: %s", zSql, zErr);
  if( bLoadFails ) g_fault.iAt = iAt;
  rc = g_xInit(*pDb, &zErr, apiTable());
  sqlite3_free(zErr);
  g_fault.iAt = iAt;
  return rc;
}

/* The rows of a statement.  (sqlite3_exec() has other codes when it runs out
** of memory by itself.) */
static int runRows(sqlite3_stmt *pStmt, Text *pOut){
  int rc;
  while( (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    int i, n = sqlite3_column_count(pStmt);
    for(i=0; i<n; i++){
      int eType = sqlite3_column_type(pStmt, i);
      const char *z = (const char*)sqlite3_column_text(pStmt, i);
      if( z==0 && eType!=SQLITE_NULL ) return SQLITE_NOMEM;
      if( i ) textAdd(pOut, "|", 1);
      textAdd(pOut, z ? z : "NULL", z ? strlen(z) : 4);
    }
    textAdd(pOut, "\n", 1);
  }
  return rc==SQLITE_DONE ? SQLITE_OK : rc;
}

Result dbRun(sqlite3 *db, const char *zSql, unsigned iSeed, long long iTime){
  Result r;
  sqlite3_stmt *pStmt;
  memset(&r, 0, sizeof(r));
  textAdd(&r.text, "", 0);
  steady(iSeed, iTime);
  for(;;){
    while( *zSql==' ' || *zSql=='\n' ) zSql++;
    if( r.rc!=SQLITE_OK || *zSql==0 ) break;
    pStmt = 0;
    r.rc = sqlite3_prepare_v2(db, zSql, -1, &pStmt, &zSql);
    if( r.rc==SQLITE_OK && pStmt ) r.rc = runRows(pStmt, &r.text);
    if( r.rc!=SQLITE_OK ){
      textReset(&r.text);
      textAdd(&r.text, sqlite3_errmsg(db), strlen(sqlite3_errmsg(db)));
    }
    sqlite3_finalize(pStmt);
  }
  r.bAutocommit = sqlite3_get_autocommit(db);
  return r;
}

/* Add all rows of a table: text is quoted, so that types are told apart. */
static int dumpTable(sqlite3 *db, const char *zName, Text *pOut){
  sqlite3_stmt *pStmt;
  /* Expired entries are not there, removed or not. */
  int bExpires = sqlite3_table_column_metadata(db, "main", zName, "expiration_ms", 0, 0, 0, 0, 0)==SQLITE_OK;
  const char *zLive = bExpires ? "WHERE expiration_ms<0 OR expiration_ms>?1" : "";
  char *zSql = sqlite3_mprintf("SELECT * FROM \"%w\" %s ORDER BY 1, 2, 3", zName, zLive);
  int rc = sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0);
  sqlite3_free(zSql);
  if( rc!=SQLITE_OK ){
    /* A table of fewer columns. */
    zSql = sqlite3_mprintf("SELECT * FROM \"%w\" ORDER BY 1", zName);
    rc = sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0);
    sqlite3_free(zSql);
  }
  if( rc!=SQLITE_OK ) return rc;
  if( bExpires ) sqlite3_bind_int64(pStmt, 1, g_time);
  while( sqlite3_step(pStmt)==SQLITE_ROW ){
    int i;
    for(i=0; i<sqlite3_column_count(pStmt); i++){
      const unsigned char *a = sqlite3_column_blob(pStmt, i);
      int j, n = sqlite3_column_bytes(pStmt, i);
      char z[8];
      snprintf(z, sizeof(z), "|%d:", sqlite3_column_type(pStmt, i));
      textAdd(pOut, z, strlen(z));
      for(j=0; j<n; j++){
        snprintf(z, sizeof(z), a[j]>=32 && a[j]<127 ? "%c" : "%%%02x", a[j]);
        textAdd(pOut, z, strlen(z));
      }
    }
    textAdd(pOut, "\n", 1);
  }
  return sqlite3_finalize(pStmt);
}

/* How FTS5 has the words of a full-text index depends on when it wrote them; it says itself
** whether it has them all. */
static int dumpSearch(const char *zName){
  static const char *const az[] = { "_data", "_idx", "_docsize" };
  size_t i, n = strlen(zName);
  if( strncmp(zName, "kv_search_", 10)!=0 ) return 0;
  for(i=0; i<3; i++){
    size_t nEnd = strlen(az[i]);
    if( n>nEnd && strcmp(&zName[n-nEnd], az[i])==0 ) return 1;
  }
  return 0;
}

static int checkSearch(sqlite3 *db){
  sqlite3_stmt *pStmt = 0;
  int rc = sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE sql LIKE '%VIRTUAL%fts5(%'",
                              -1, &pStmt, 0);
  while( rc==SQLITE_OK && sqlite3_step(pStmt)==SQLITE_ROW ){
    const char *zName = (const char*)sqlite3_column_text(pStmt, 0);
    char *z = sqlite3_mprintf("INSERT INTO \"%w\"(\"%w\", rank) VALUES('integrity-check', 1)", zName, zName);
    rc = sqlite3_exec(db, z, 0, 0, 0);
    sqlite3_free(z);
  }
  sqlite3_finalize(pStmt);
  return rc;
}

int dbDump(const char *zFile, sqlite3 *dbUse, Text *pOut, int bCheck){
  sqlite3 *db = dbUse;
  sqlite3_stmt *pStmt = 0;
  Text names = {0, 0, 0};
  char *z;
  int rc;
  textReset(pOut);
  textAdd(pOut, "", 0);
  textAdd(&names, "", 0);
  rc = db ? SQLITE_OK : sqlite3_open(zFile, &db);
  if( rc==SQLITE_OK ){
    rc = sqlite3_prepare_v2(db, "SELECT name, type, sql FROM sqlite_schema WHERE sql NOT LIKE '%VIRTUAL%' "
                                "ORDER BY name", -1, &pStmt, 0);
  }
  while( rc==SQLITE_OK && sqlite3_step(pStmt)==SQLITE_ROW ){
    const char *zName = (const char*)sqlite3_column_text(pStmt, 0);
    const char *zSql = (const char*)sqlite3_column_text(pStmt, 2);
    textAdd(pOut, zSql, strlen(zSql));
    textAdd(pOut, "\n", 1);
    if( strcmp((const char*)sqlite3_column_text(pStmt, 1), "table")==0 ){
      textAdd(&names, zName, strlen(zName));
      textAdd(&names, "\n", 1);
    }
  }
  if( rc==SQLITE_OK ) rc = sqlite3_finalize(pStmt);
  for(z=strtok(names.z, "\n"); rc==SQLITE_OK && z; z=strtok(0, "\n")){
    textAdd(pOut, z, strlen(z));
    textAdd(pOut, "\n", 1);
    if( !dumpSearch(z) ) rc = dumpTable(db, z, pOut);
  }
  if( rc==SQLITE_OK && dbUse==0 ) rc = checkSearch(db);
  if( rc==SQLITE_OK && bCheck ){
    Text check = {0, 0, 0};
    textAdd(&check, "", 0);
    rc = sqlite3_exec(db, "PRAGMA integrity_check", addRow, &check, 0);
    if( rc==SQLITE_OK && strcmp(check.z, "ok\n")!=0 ){
      textReset(pOut);
      textAdd(pOut, check.z, check.n);
      rc = SQLITE_CORRUPT;
    }
    textFree(&check);
  }
  if( rc!=SQLITE_OK && rc!=SQLITE_CORRUPT ){
    textReset(pOut);
    textAdd(pOut, sqlite3_errmsg(db), strlen(sqlite3_errmsg(db)));
  }
  if( dbUse==0 ) sqlite3_close(db);
  textFree(&names);
  return rc==SQLITE_OK;
}

/* ------------------------------------------------------------------ files */

void fileRead(const char *zFile, Text *pOut){
  FILE *f = fopen(zFile, "rb");
  char a[65536];
  size_t n;
  textReset(pOut);
  if( f==0 ) return;
  while( (n = fread(a, 1, sizeof(a), f))>0 ) textAdd(pOut, a, n);
  fclose(f);
}

void fileRemove(const char *zFile){
  static const char *const az[] = { "", "-journal", "-wal", "-shm" };
  char z[1000];
  int i;
  for(i=0; i<4; i++){
    snprintf(z, sizeof(z), "%s%s", zFile, az[i]);
    unlink(z);
  }
}

void fileWrite(const char *zFile, const Text *p){
  FILE *f;
  fileRemove(zFile);
  if( p->n==0 ) return;
  f = fopen(zFile, "wb");
  if( f==0 || fwrite(p->z, 1, p->n, f)!=p->n || fclose(f)!=0 ) die("cannot write %s", zFile);
}
