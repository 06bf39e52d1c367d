/*
** search.c -- the benchmark's work with words: the ten best users of those whose name
** has a word that begins with four digits (111 of 200,000).
**
** "raw" is FTS5 over the same names and Deno's table, joined by hand; "table" is
** kv_search().  Each has a file of its own, made when it is first needed, and kept.
*/
#include "bench.h"

static sqlite3 *aDb[PEER_COUNT];
static sqlite3_stmt *aStmt[PEER_COUNT];

static const char zMakeRaw[] =
  "BEGIN;"
  "CREATE TABLE doc(id INTEGER PRIMARY KEY, k BLOB);"
  "INSERT INTO doc SELECT kv_part(kv_key_decode(k), 1), k FROM kv WHERE k > kv_key_encode('[\"users\"]') "
    "AND k < x'02757365727300ff';"
  "CREATE VIRTUAL TABLE words USING fts5(name);"
  "INSERT INTO words(rowid, name) SELECT id, kv_extract(kv_raw(v, v_encoding), '$.name') FROM doc JOIN kv USING (k);"
  "COMMIT";
static const char zMakeTable[] =
  "SELECT kv_index('users_text', '[\"users\"]', '$.name', 'fulltext')";
static const char zRaw[] =
  "SELECT k, v, v_encoding, version FROM words JOIN doc ON doc.id = words.rowid JOIN kv USING (k) "
  "WHERE words MATCH ?1 ORDER BY rank LIMIT 10";
static const char zTable[] =
  "SELECT key, value, versionstamp FROM kv_search('users_text', ?1) ORDER BY rank LIMIT 10";

/* Copy the data to a file and index its names. */
static void searchMake(const char *zFile, const char *zMake){
  sqlite3 *db = benchOpen(zFile), *pFrom = benchOpen(bench.zData);
  sqlite3_backup *pBackup = sqlite3_backup_init(db, "main", pFrom, "main");
  if( pBackup==0 || sqlite3_backup_step(pBackup, -1)!=SQLITE_DONE ) benchDie(db, "backup");
  sqlite3_backup_finish(pBackup);
  sqlite3_close(pFrom);
  benchExec(db, zMake);
  sqlite3_close(db);
}

/* Open a peer's file: false if it has nothing. */
static int searchOpen(int e){
  char *zFile;
  FILE *f;
  if( e!=PEER_RAW && e!=PEER_TABLE ) return 0;
  if( aDb[e] ) return 1;
  zFile = sqlite3_mprintf("%s/search%d_%d.db", bench.zDir, e, bench.nUser);
  f = fopen(zFile, "rb");
  if( f ) fclose(f);
  else searchMake(zFile, e==PEER_RAW ? zMakeRaw : zMakeTable);
  aDb[e] = benchOpen(zFile);
  aStmt[e] = benchPrepare(aDb[e], e==PEER_RAW ? zRaw : zTable);
  sqlite3_free(zFile);
  return 1;
}

static void searchClose(int e){
  sqlite3_finalize(aStmt[e]);
  sqlite3_close(aDb[e]);
  aStmt[e] = 0;
  aDb[e] = 0;
}

static double runSearch(const Work *w, int e, int n){
  int64_t t = 0, tStart;
  int i;
  if( n==0 ){ searchClose(e); return 0; }
  if( !searchOpen(e) ) return -1;
  for(i=0; i<n; i++){
    char zQuery[16];
    snprintf(zQuery, sizeof(zQuery), "%u*", 1000 + benchRandom(1000));
    benchText(aStmt[e], 1, zQuery);
    tStart = benchNow();
    if( benchDrain(aStmt[e])!=10 ) benchDie(aDb[e], w->zName);
    t += benchNow() - tStart;
  }
  return (double)t/n;
}

const Work benchSearch[] = {
  { "search", "search: the ten best of a word", 1.5, 500, runSearch, 0 },
  { 0, 0, 0, 0, 0, 0 }
};
