/*
** write.c -- the benchmark's work that writes.
**
** Each peer writes to a copy of the data of its own, and every value is new:
** SQLite does not write pages that do not change.  The argument of a work is
** the setting of PRAGMA synchronous, or "memory".
*/
#include "bench.h"

#define DENO_BUMP "update data_version set version = version + ?1 where k = 0 returning version"
#define DENO_SET \
  "insert into kv (k, v, v_encoding, version, expiration_ms) " \
  "values (:k, :v, :v_encoding, :version, :expiration_ms) " \
  "on conflict(k) do update set v = :v, v_encoding = :v_encoding, " \
  "version = :version, expiration_ms = :expiration_ms"
/* The same without the index over expiration_ms where it does not change. */
#define LEAN_SET "update kv set v = ?2, v_encoding = ?3, version = ?4 where k = ?1 and expiration_ms = ?5"
#define DENO_VERSION "select version from kv where k = ?1"
#define DENO_GET "select v, v_encoding from kv where k = ?1"

/* A peer's connection, and its statements: what they are is up to the work. */
typedef struct Writer Writer;
struct Writer {
  sqlite3 *db;
  sqlite3_stmt *pBegin, *pCommit, *pBump, *pSet, *pLean, *pRead, *pMain;
  int64_t iVersion;       /* The newest, raw peers */
};
static Writer aWriter[PEER_COUNT];

/* New values, as many as a round cycles through. */
#define VALUES 512
static char azJson[VALUES][200];
static unsigned char aaBytes[VALUES][200];
static int anBytes[VALUES];

static void writeValues(void){
  static int nRound = 0;
  static sqlite3 *db = 0;
  static sqlite3_stmt *pStmt;
  int i;
  if( db==0 ){
    db = benchOpen(":memory:");
    pStmt = benchPrepare(db, "SELECT kv_value_encode(json(?1))");
  }
  nRound++;
  for(i=0; i<VALUES; i++){
    snprintf(azJson[i], sizeof(azJson[i]),
        "{\"id\":%d,\"name\":\"User Number %07d\",\"email\":\"user%d@example.com\",\"age\":%d,"
        "\"tags\":[\"admin\",\"author\",\"round%05d\"],\"created\":\"2024-01-01T00:00:00.000Z\"}",
        i*11, (int)benchRandom(10000000), i, i%60+18, nRound%100000);
    benchText(pStmt, 1, azJson[i]);
    if( sqlite3_step(pStmt)!=SQLITE_ROW ) benchDie(db, "value");
    anBytes[i] = sqlite3_column_bytes(pStmt, 0);
    memcpy(aaBytes[i], sqlite3_column_blob(pStmt, 0), (size_t)anBytes[i]);
    sqlite3_reset(pStmt);
  }
}

static void writeClose(int e){
  Writer *p = &aWriter[e];
  sqlite3_finalize(p->pBegin);
  sqlite3_finalize(p->pCommit);
  sqlite3_finalize(p->pBump);
  sqlite3_finalize(p->pSet);
  sqlite3_finalize(p->pLean);
  sqlite3_finalize(p->pRead);
  sqlite3_finalize(p->pMain);
  sqlite3_close(p->db);
  memset(p, 0, sizeof(*p));
}

/* A copy of the data (or an empty store) in memory or in a file of the peer's. */
static sqlite3 *writeCopy(const char *zSync, int e, int bEmpty){
  char *zFile = strcmp(zSync, "memory")==0 ? sqlite3_mprintf(":memory:")
              : sqlite3_mprintf("%s/write%d.db", bench.zDir, e);
  sqlite3 *db, *pFrom;
  char *z;
  remove(zFile);
  z = sqlite3_mprintf("%s-wal", zFile);
  remove(z);
  sqlite3_free(z);
  db = benchOpen(zFile);
  if( bEmpty ){
    benchExec(db, "SELECT kv_init()");
  }else{
    sqlite3_backup *pBackup;
    pFrom = benchOpen(bench.zData);
    pBackup = sqlite3_backup_init(db, "main", pFrom, "main");
    if( pBackup==0 || sqlite3_backup_step(pBackup, -1)!=SQLITE_DONE ) benchDie(db, "backup");
    sqlite3_backup_finish(pBackup);
    sqlite3_close(pFrom);
  }
  if( zFile[0]!=':' ){
    z = sqlite3_mprintf("PRAGMA journal_mode=wal; PRAGMA synchronous=%s", zSync);
    benchExec(db, z);
    sqlite3_free(z);
  }
  sqlite3_free(zFile);
  return db;
}

static Writer *writeOpen(const Work *w, int e, int bEmpty, const char *zMain){
  Writer *p = &aWriter[e];
  if( e>PEER_LEAN && zMain==0 ) return 0;
  if( p->db ) return p;
  p->db = writeCopy(w->zArg, e, bEmpty);
  p->pBegin = benchPrepare(p->db, "BEGIN IMMEDIATE");
  p->pCommit = benchPrepare(p->db, "COMMIT");
  if( e<=PEER_LEAN ){
    p->pBump = benchPrepare(p->db, DENO_BUMP);
    p->pSet = benchPrepare(p->db, DENO_SET);
    p->pLean = benchPrepare(p->db, LEAN_SET);
    p->pRead = benchPrepare(p->db, w->zName[0]=='s' && w->zName[1]=='u' ? DENO_GET : DENO_VERSION);
  }else{
    p->pMain = benchPrepare(p->db, zMain);
  }
  return p;
}

/* Raw peers: a new version. */
static void writeBump(Writer *p){
  sqlite3_bind_int(p->pBump, 1, 1 + (int)benchRandom(9));
  if( sqlite3_step(p->pBump)!=SQLITE_ROW ) benchDie(p->db, "bump");
  p->iVersion = sqlite3_column_int64(p->pBump, 0);
  benchDrain(p->pBump);
}

static void writeSetBy(sqlite3_stmt *pStmt, Writer *p, const unsigned char *aKey, int nKey,
                       const void *a, int n, int eEncoding){
  benchBlob(pStmt, 1, aKey, nKey);
  benchBlob(pStmt, 2, a, n);
  sqlite3_bind_int(pStmt, 3, eEncoding);
  sqlite3_bind_int64(pStmt, 4, p->iVersion);
  sqlite3_bind_int64(pStmt, 5, -1);
  benchDrain(pStmt);
}

/* Raw peers: set an entry. */
static void writeSet(Writer *p, int e, const unsigned char *aKey, int nKey, const void *a, int n, int eEncoding){
  if( e==PEER_LEAN ){
    writeSetBy(p->pLean, p, aKey, nKey, a, n, eEncoding);
    if( sqlite3_changes(p->db) ) return;
  }
  writeSetBy(p->pSet, p, aKey, nKey, a, n, eEncoding);
}

/* One set and its commit. */
static double runSet(const Work *w, int e, int n){
  static const char *const azMain[PEER_COUNT] = {
    [PEER_TABLE] = "INSERT OR REPLACE INTO kv_entries(key, json) VALUES (?1, ?2)",
    [PEER_FUNC] = "SELECT kv_set(?1, json(?2))"
  };
  Writer *p;
  int64_t t;
  int i;
  if( n==0 ){ writeClose(e); return 0; }
  p = writeOpen(w, e, 0, azMain[e]);
  if( p==0 ) return -1;
  writeValues();
  t = benchNow();
  for(i=0; i<n; i++){
    int iUser = (int)benchRandom((uint32_t)bench.nUser);
    int iVal = i%VALUES;
    unsigned char aKey[USER_KEY];
    char zKey[32];
    if( e<=PEER_LEAN ){
      benchUserKey(aKey, iUser);
      benchDrain(p->pBegin);
      writeBump(p);
      writeSet(p, e, aKey, USER_KEY, aaBytes[iVal], anBytes[iVal], 1);
      benchDrain(p->pCommit);
    }else{
      sprintf(zKey, "[\"users\",%d]", iUser);
      benchText(p->pMain, 1, zKey);
      benchText(p->pMain, 2, azJson[iVal]);
      benchDrain(p->pMain);
    }
  }
  return (double)(benchNow()-t)/n;
}

static void writeHex(char *z, int64_t v){
  sprintf(z, "%016llx0000", (unsigned long long)v);
}

/* Two checks, two sets of text, commit.  The versions that are checked have
** been read before the clock starts. */
static double runCheck(const Work *w, int e, int n){
  static const char *const azMain[PEER_COUNT] = {
    [PEER_TABLE] = "INSERT INTO kv_atomic(op, key, value) VALUES "
      "('check', ?1, ?2), ('check', ?3, ?4), ('set', ?1, ?5), ('set', ?3, ?6)",
    [PEER_FUNC] = "SELECT kv_atomic(kv_op('check', ?1, ?2), kv_op('check', ?3, ?4), "
      "kv_op('set', ?1, ?5), kv_op('set', ?3, ?6))"
  };
  Writer *p;
  sqlite3_stmt *pVersion;
  int64_t t = 0;
  int i, k;
  if( n==0 ){ writeClose(e); return 0; }
  p = writeOpen(w, e, 0, azMain[e]);
  if( p==0 ) return -1;
  writeValues();
  pVersion = benchPrepare(p->db, DENO_VERSION);
  for(i=0; i<n; i++){
    int64_t aVersion[2], tStart;
    unsigned char aaKey[2][USER_KEY];
    char azKey[2][32], azVersion[2][24];
    int iUser = (int)benchRandom((uint32_t)bench.nUser/2);
    for(k=0; k<2; k++){
      int iThis = iUser + k*(bench.nUser/2);
      benchUserKey(aaKey[k], iThis);
      sprintf(azKey[k], "[\"users\",%d]", iThis);
      benchBlob(pVersion, 1, aaKey[k], USER_KEY);
      if( sqlite3_step(pVersion)!=SQLITE_ROW ) benchDie(p->db, "version");
      aVersion[k] = sqlite3_column_int64(pVersion, 0);
      sqlite3_reset(pVersion);
      writeHex(azVersion[k], aVersion[k]);
    }
    tStart = benchNow();
    if( e<=PEER_LEAN ){
      benchDrain(p->pBegin);
      for(k=0; k<2; k++){
        benchBlob(p->pRead, 1, aaKey[k], USER_KEY);
        if( sqlite3_step(p->pRead)!=SQLITE_ROW || sqlite3_column_int64(p->pRead, 0)!=aVersion[k] ){
          benchDie(p->db, "check");
        }
        sqlite3_reset(p->pRead);
      }
      writeBump(p);
      for(k=0; k<2; k++){
        int iVal = (i*2+k)%VALUES;
        writeSet(p, e, aaKey[k], USER_KEY, aaBytes[iVal], anBytes[iVal], 1);
      }
      benchDrain(p->pCommit);
    }else{
      for(k=0; k<2; k++){
        benchText(p->pMain, 1+2*k, azKey[k]);
        benchText(p->pMain, 2+2*k, azVersion[k]);
        benchText(p->pMain, 5+k, azJson[(i*2+k)%VALUES]);
      }
      benchDrain(p->pMain);
    }
    t += benchNow() - tStart;
  }
  sqlite3_finalize(pVersion);
  return (double)t/n;
}

/* 1 is added to a counter. */
static double runSum(const Work *w, int e, int n){
  static const char *const azMain[PEER_COUNT] = {
    [PEER_TABLE] = "INSERT INTO kv_atomic(op, key, value) VALUES ('sum', ?1, 1)",
    [PEER_FUNC] = "SELECT kv_sum(?1, 1)"
  };
  Writer *p;
  int64_t t;
  int i;
  if( n==0 ){ writeClose(e); return 0; }
  p = writeOpen(w, e, 0, azMain[e]);
  if( p==0 ) return -1;
  t = benchNow();
  for(i=0; i<n; i++){
    if( e<=PEER_LEAN ){
      static const unsigned char aKey[19] = "\002counters\000\041\300\010";
      unsigned char a[8];
      int k;
      benchDrain(p->pBegin);
      writeBump(p);
      benchBlob(p->pRead, 1, aKey, 19);
      if( sqlite3_step(p->pRead)!=SQLITE_ROW ) benchDie(p->db, "counter");
      memcpy(a, sqlite3_column_blob(p->pRead, 0), 8);
      sqlite3_reset(p->pRead);
      for(k=0; k<8 && ++a[k]==0; k++){}
      writeSet(p, e, aKey, 19, a, 8, 2);
      benchDrain(p->pCommit);
    }else{
      benchText(p->pMain, 1, "[\"counters\",3]");
      benchDrain(p->pMain);
    }
  }
  return (double)(benchNow()-t)/n;
}

/* An empty store is filled, 1000 entries a commit.  The argument's first
** letter says from what: s SQL values (key and text), j JSON text. */
static double runLoad(const Work *w, int e, int n){
  static const char *const azMain[2][PEER_COUNT] = {
    { [PEER_TABLE] = "INSERT OR REPLACE INTO kv_entries(key, value) VALUES (kv_key('users', ?1), ?2)" },
    { [PEER_TABLE] = "INSERT OR REPLACE INTO kv_entries(key, json) VALUES (kv_key('users', ?1), ?2)" },
  };
  Work work = *w;
  int bJson = w->zArg[0]=='j';
  Writer *p;
  int64_t t;
  int i;
  if( n==0 ) return 0;
  work.zArg = w->zArg+1;
  p = writeOpen(&work, e, 1, azMain[bJson][e]);
  if( p==0 ) return -1;
  if( n>bench.nUser ) n = bench.nUser;
  writeValues();
  t = benchNow();
  for(i=0; i<n; i++){
    if( i%1000==0 ){
      benchDrain(p->pBegin);
      if( e<=PEER_LEAN ) writeBump(p);
    }
    if( e<=PEER_LEAN ){
      unsigned char aKey[USER_KEY];
      benchUserKey(aKey, i);
      writeSetBy(p->pSet, p, aKey, USER_KEY, aaBytes[i%VALUES], anBytes[i%VALUES], 1);
    }else{
      sqlite3_bind_int(p->pMain, 1, i);
      benchText(p->pMain, 2, azJson[i%VALUES]);
      benchDrain(p->pMain);
    }
    if( i%1000==999 || i+1==n ) benchDrain(p->pCommit);
  }
  t = benchNow() - t;
  if( benchInt(p->db, "SELECT count(*) FROM kv")!=n ) benchDie(p->db, "rows are missing");
  writeClose(e);
  return (double)t/n;
}

const Work benchWrite[] = {
  { "setfull",   "set, own commit, FULL",         1.0, 150,  runSet, "full" },
  { "setnormal", "set, own commit, NORMAL",       1.0, 500,  runSet, "normal" },
  { "setoff",    "set, own commit, OFF",          1.0, 1000, runSet, "off" },
  { "setmem",    "set, in memory",                1.1, 5000, runSet, "memory" },
  { "checkfull", "two checks and two sets, FULL", 1.0, 150,  runCheck, "full" },
  { "checkoff",  "two checks and two sets, OFF",  0.9, 1000, runCheck, "off" },
  { "checkmem",  "two checks and two sets, in memory", 0.9, 3000, runCheck, "memory" },
  { "sumfull",   "sum on a counter, FULL",        1.05, 150, runSum, "full" },
  { "summem",    "sum on a counter, in memory",   1.5, 10000, runSum, "memory" },
  { "loadsql",   "load, 1000 a commit, from SQL values, an entry", 1.3, 1<<30, runLoad, "sfull" },
  { "loadjson",  "load, 1000 a commit, from JSON text, an entry",  1.6, 1<<30, runLoad, "jfull" },
  { 0, 0, 0, 0, 0, 0 }
};
