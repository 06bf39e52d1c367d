/*
** collection.c -- the benchmark's work on a collection, beside an ordinary table.
**
** "raw" is here an ordinary SQLite table with the same rows, columns and index, in a
** file of its own, and "table" the collection over Deno's data.  Both files are made
** when they are first needed, and kept; what writes is rolled back.
*/
#include "bench.h"

#define COLUMNS "id, name, email, age, created"

static sqlite3 *aDb[PEER_COUNT];
static sqlite3_stmt *aStmt[PEER_COUNT];

static void collectionClose(int e){
  sqlite3_finalize(aStmt[e]);
  sqlite3_close(aDb[e]);
  aStmt[e] = 0;
  aDb[e] = 0;
}

static void collectionDeclare(sqlite3 *db){
  benchExec(db, "CREATE VIRTUAL TABLE temp.u USING kv_collection('[\"users\"]', id INTEGER KEY, name TEXT, "
      "email TEXT UNIQUE, age INTEGER, created DATETIME)");
}

/* Copy the data to a file, with the index declared. */
static void collectionMake(const char *zFile){
  sqlite3 *db = benchOpen(zFile), *pFrom = benchOpen(bench.zData);
  sqlite3_backup *pBackup = sqlite3_backup_init(db, "main", pFrom, "main");
  if( pBackup==0 || sqlite3_backup_step(pBackup, -1)!=SQLITE_DONE ) benchDie(db, "backup");
  sqlite3_backup_finish(pBackup);
  sqlite3_close(pFrom);
  collectionDeclare(db);
  sqlite3_close(db);
}

/* An ordinary table of it, in another file. */
static void collectionMakeTable(const char *zFile, const char *zFrom){
  sqlite3 *db = benchOpen(zFrom);
  char *z = sqlite3_mprintf("ATTACH %Q AS o", zFile);
  collectionDeclare(db);
  benchExec(db, z);
  sqlite3_free(z);
  benchExec(db, "CREATE TABLE o.u(id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE, age INTEGER, created DATETIME); "
      "INSERT INTO o.u(" COLUMNS ") SELECT " COLUMNS " FROM temp.u");
  sqlite3_close(db);
}

static int collectionIsThere(const char *zFile){
  FILE *f = fopen(zFile, "rb");
  if( f ) fclose(f);
  return f!=0;
}

/* Open what a peer reads and prepare a statement: false if it has nothing. */
static int collectionOpen(int e, const char *zSql){
  char *zKv, *zTable;
  if( e!=PEER_RAW && e!=PEER_TABLE ) return 0;
  if( aDb[e] ) return 1;
  zKv = sqlite3_mprintf("%s/collection%d.db", bench.zDir, bench.nUser);
  zTable = sqlite3_mprintf("%s/ordinary%d.db", bench.zDir, bench.nUser);
  if( !collectionIsThere(zKv) ) collectionMake(zKv);
  if( !collectionIsThere(zTable) ) collectionMakeTable(zTable, zKv);
  aDb[e] = benchOpen(e==PEER_RAW ? zTable : zKv);
  if( e==PEER_TABLE ) collectionDeclare(aDb[e]);
  aStmt[e] = benchPrepare(aDb[e], zSql);
  sqlite3_free(zKv);
  sqlite3_free(zTable);
  return 1;
}

/* The argument is a statement, with the parameters ?1 an id, ?2 an e-mail, ?3 a number of
** rows.  The name of what writes begins with "cput". */
static double runCollection(const Work *w, int e, int n){
  int bWrite = strncmp(w->zName, "cput", 4)==0, nRow = 0, i;
  int nMost = strstr(w->zTitle, "10,000") ? 10000 : 100;
  int64_t t = 0, tStart;
  if( n==0 ){ collectionClose(e); return 0; }
  if( !collectionOpen(e, w->zArg) ) return -1;
  if( nMost>bench.nUser ) nMost = bench.nUser;
  if( bWrite ) benchExec(aDb[e], "BEGIN IMMEDIATE");
  for(i=0; i<n; i++){
    int id = (int)benchRandom((uint32_t)(bench.nUser - nMost + 1));
    char zMail[64];
    snprintf(zMail, sizeof(zMail), "user%d@example.com", id);
    sqlite3_bind_int(aStmt[e], 1, id);
    if( sqlite3_bind_parameter_count(aStmt[e])>1 ) benchText(aStmt[e], 2, zMail);
    if( sqlite3_bind_parameter_count(aStmt[e])>2 ) sqlite3_bind_int(aStmt[e], 3, nMost);
    tStart = benchNow();
    nRow += benchDrain(aStmt[e]);
    t += benchNow() - tStart;
  }
  if( bWrite ) benchExec(aDb[e], "ROLLBACK");
  else if( nRow<n ) benchDie(aDb[e], w->zName);
  return (double)t/n/(strstr(w->zTitle, ", a row") ? (nMost==100 ? bench.nUser : nMost) : 1);
}

const Work benchCollection[] = {
  { "cget",   "collection: a row by id",     2.0, 4000, runCollection, "SELECT name, age FROM u WHERE id = ?1" },
  { "cmail",  "collection: a row by a unique index", 2.0, 4000, runCollection, "SELECT name, age FROM u WHERE email = ?2" },
  { "crange", "collection: 100 rows by id",  2.0, 300, runCollection,
    "SELECT id, name, age FROM u WHERE id >= ?1 AND id < ?1 + ?3" },
  { "cgroup", "collection: GROUP BY over all, a row", 2.0, 1, runCollection,
    "SELECT age, count(*), avg(id) FROM u WHERE id >= ?1*0 GROUP BY age" },
  { "cput",   "collection: an UPDATE of one row", 2.0, 2000, runCollection, "UPDATE u SET age = age + 1 WHERE id = ?1" },
  { "cputs",  "collection: an UPDATE of 10,000, a row", 2.0, 2, runCollection,
    "UPDATE u SET age = age + 1 WHERE id >= ?1 AND id < ?1 + ?3" },
  { 0, 0, 0, 0, 0, 0 }
};
