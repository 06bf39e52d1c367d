/*
** read.c -- the benchmark's work that reads.
**
** Each peer is a statement (or two) in a connection of its own on the same
** file.  Raw reads key, value, encoding and version, and the table what it shows of
** them: key, value and versionstamp.  Keys are put together before the clock starts.
*/
#include "bench.h"

/* What a work's statement is given. */
enum { ARG_KEY, ARG_KEYS, ARG_PREFIX, ARG_START, ARG_MAIL, ARG_NONE };

typedef struct ReadSql ReadSql;
struct ReadSql {
  const char *zWork;
  int ePeer;
  const char *zSql;
};

#define DENO_RANGE "select k, v, v_encoding, version from kv where k >= ?1 and k < ?2 order by k asc limit ?3"
#define LEAN_POINT "select v, v_encoding, version from kv where k = ?1"
#define TEN "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)"

static const ReadSql aSql[] = {
  { "get", PEER_RAW,   DENO_RANGE },
  { "get", PEER_LEAN,  LEAN_POINT },
  { "get", PEER_TABLE, "SELECT key, value, versionstamp FROM kv_entries WHERE key = ?1" },
  { "get", PEER_FUNC,  "SELECT kv_get(?1)" },
  { "get", PEER_SQL,   "SELECT kv_json(kv_raw(v, v_encoding)) FROM kv WHERE k = kv_key_encode(?1)" },
  { "get", PEER_JSON,  "SELECT v FROM users WHERE id = ?1" },
  { "ten", PEER_RAW,   DENO_RANGE },
  { "ten", PEER_LEAN,  LEAN_POINT },
  { "ten", PEER_TABLE, "SELECT key, value, versionstamp FROM kv_entries WHERE key IN " TEN },
  { "ten", PEER_SQL,   "SELECT kv_json(kv_raw(v, v_encoding)) FROM kv WHERE k IN "
                       "(kv_key_encode(?1), kv_key_encode(?2), kv_key_encode(?3), kv_key_encode(?4), "
                       "kv_key_encode(?5), kv_key_encode(?6), kv_key_encode(?7), kv_key_encode(?8), "
                       "kv_key_encode(?9), kv_key_encode(?10))" },
  { "ten", PEER_FUNC,  "SELECT kv_get(?1),kv_get(?2),kv_get(?3),kv_get(?4),kv_get(?5),"
                       "kv_get(?6),kv_get(?7),kv_get(?8),kv_get(?9),kv_get(?10)" },
  { "scan", PEER_RAW,   DENO_RANGE },
  { "scan", PEER_TABLE, "SELECT key, json, versionstamp FROM kv_entries(?1)" },
  { "scan", PEER_SQL,   "SELECT kv_json(kv_raw(v, v_encoding)) FROM kv WHERE k > ?1 AND k < ?2" },
  { "scan", PEER_JSON,  "SELECT v FROM users" },
  { "keys", PEER_RAW,   "select k from kv where k >= ?1 and k < ?2 order by k asc" },
  { "keys", PEER_TABLE, "SELECT key FROM kv_entries(?1)" },
  { "keys", PEER_SQL,   "SELECT kv_key_decode(k) FROM kv WHERE k > ?1 AND k < ?2" },
  { "count", PEER_RAW,   "select count(*) from kv where k >= ?1 and k < ?2" },
  { "count", PEER_TABLE, "SELECT count(*) FROM kv_entries(?1)" },
  { "range", PEER_RAW,   DENO_RANGE },
  { "range", PEER_TABLE, "SELECT key, value, versionstamp FROM kv_entries "
                         "WHERE key >= ?1 AND prefix = '[\"users\"]' LIMIT 100" },
  { "range", PEER_SQL,   "SELECT kv_key_decode(k), kv_json(kv_raw(v, v_encoding)) FROM kv "
                         "WHERE k >= kv_key_encode(?1) AND k < x'02757365727300ff' ORDER BY k LIMIT 100" },
  { "range", PEER_JSON,  "SELECT id, v FROM users WHERE id >= ?1 LIMIT 100" },
  { "join", PEER_RAW,   DENO_RANGE },
  { "join", PEER_LEAN,  LEAN_POINT },
  { "join", PEER_TABLE, "SELECT u.key, u.value, u.versionstamp FROM kv_entries AS i JOIN kv_entries AS u "
                        "ON u.key = kv_key('users', i.value) WHERE i.key = ?1" },
  { "join", PEER_FUNC,  "SELECT kv_get(kv_key('users', kv_get(?1)))" },
  { "join", PEER_SQL,   "SELECT kv_json(kv_raw(u.v, u.v_encoding)) FROM kv AS i JOIN kv AS u "
                        "ON u.k = kv_key_encode(kv_key('users', kv_extract(kv_raw(i.v, i.v_encoding), '$'))) "
                        "WHERE i.k = kv_key_encode(?1)" },
  { "age", PEER_RAW,   DENO_RANGE },
  { "age", PEER_TABLE, "SELECT count(*) FROM kv_entries(?1) WHERE kv_extract(raw, '$.age') = 42" },
  { "age", PEER_SQL,   "SELECT count(*) FROM kv WHERE k > ?1 AND k < ?2 "
                       "AND kv_extract(kv_raw(v, v_encoding), '$.age') = 42" },
  { "age", PEER_JSON,  "SELECT count(*) FROM users WHERE json_extract(v, '$.age') = 42" },
};

static sqlite3 *aDb[PEER_COUNT];
static sqlite3_stmt *aStmt[PEER_COUNT], *aSecond[PEER_COUNT];

static const char *readSql(const char *zWork, int e){
  size_t i;
  for(i=0; i<sizeof(aSql)/sizeof(aSql[0]); i++){
    if( aSql[i].ePeer==e && strcmp(aSql[i].zWork, zWork)==0 ) return aSql[i].zSql;
  }
  return 0;
}

static void readClose(int e){
  sqlite3_finalize(aStmt[e]);
  sqlite3_finalize(aSecond[e]);
  sqlite3_close(aDb[e]);
  aDb[e] = 0;
  aStmt[e] = aSecond[e] = 0;
}

/* The same users as JSON text in a plain table. */
static void readJsonTable(const char *zFile){
  sqlite3 *db;
  char *z;
  remove(zFile);
  db = benchOpen(zFile);
  benchExec(db, "PRAGMA journal_mode=wal; CREATE TABLE users(id INTEGER PRIMARY KEY, v TEXT)");
  z = sqlite3_mprintf("ATTACH %Q AS d", bench.zData);
  benchExec(db, z);
  sqlite3_free(z);
  benchExec(db, "INSERT INTO users SELECT kv_part(kv_key_decode(k), 1), kv_json(kv_raw(v, v_encoding)) "
                "FROM d.kv WHERE k > x'0275736572730000' AND k < x'02757365727300ff'");
  sqlite3_close(db);
}

/* Connect the peer.  0 if it has nothing for this work. */
static int readOpen(const char *zWork, int e){
  const char *zSql = readSql(zWork, e);
  if( zSql==0 ) return 0;
  if( aDb[e] ) return 1;
  if( e==PEER_JSON ){
    char *zFile = sqlite3_mprintf("%s/json.db", bench.zDir);
    static int bMade = 0;
    if( !bMade ) readJsonTable(zFile);
    bMade = 1;
    aDb[e] = benchOpen(zFile);
    sqlite3_free(zFile);
  }else{
    aDb[e] = benchOpen(bench.zData);
  }
  aStmt[e] = benchPrepare(aDb[e], zSql);
  if( strcmp(zWork, "join")==0 && e<=PEER_LEAN ) aSecond[e] = benchPrepare(aDb[e], zSql);
  return 1;
}

/* Bind what Deno's range statement takes for one key: [k, k 00), limit 1. */
static void readBindKey(int e, sqlite3_stmt *p, const unsigned char *aKey, int nKey){
  benchBlob(p, 1, aKey, nKey);
  if( e==PEER_RAW ){
    benchBlob(p, 2, aKey, nKey+1);     /* the byte behind it is zero */
    sqlite3_bind_int(p, 3, 1);
  }
}

/* Keys for n operations of nEach keys. */
typedef struct ReadKey ReadKey;
struct ReadKey {
  int iUser;
  int nMail;
  unsigned char aKey[USER_KEY+1];
  unsigned char aMail[64];
  char zKey[32];
  char zMail[64];
};

static ReadKey *readKeys(int n, int nMost){
  ReadKey *a = calloc((size_t)n, sizeof(*a));
  int i;
  if( a==0 ) benchDie(0, "out of memory");
  for(i=0; i<n; i++){
    ReadKey *p = &a[i];
    int iUser = (int)benchRandom((uint32_t)nMost);
    char zMail[40];
    p->iUser = iUser;
    benchUserKey(p->aKey, iUser);
    snprintf(p->zKey, sizeof(p->zKey), "[\"users\",%d]", iUser);
    snprintf(zMail, sizeof(zMail), "user%d@example.com", iUser);
    snprintf(p->zMail, sizeof(p->zMail), "[\"users_by_email\",\"%s\"]", zMail);
    memcpy(p->aMail, "\002users_by_email\000\002", 17);
    strcpy((char*)&p->aMail[17], zMail);
    p->nMail = 17 + (int)strlen(zMail) + 1;
  }
  return a;
}

static void readDone(int e, int nRow, int nWanted){
  if( nRow!=nWanted ){
    fprintf(stderr, "peer %d: %d rows, not %d\n", e, nRow, nWanted);
    exit(1);
  }
}

/* get by id; zArg "txn": all in one transaction. */
static double runGet(const Work *w, int e, int n){
  ReadKey *a;
  int64_t t;
  int i, nRow = 0;
  if( n==0 ){ readClose(e); return 0; }
  if( !readOpen("get", e) ) return -1;
  a = readKeys(n, bench.nUser);
  if( w->zArg ) benchExec(aDb[e], "BEGIN; SELECT 1 FROM sqlite_schema");
  t = benchNow();
  for(i=0; i<n; i++){
    if( e<=PEER_LEAN ) readBindKey(e, aStmt[e], a[i].aKey, USER_KEY);
    else if( e==PEER_JSON ) sqlite3_bind_int(aStmt[e], 1, a[i].iUser);
    else benchText(aStmt[e], 1, a[i].zKey);
    nRow += benchDrain(aStmt[e]);
  }
  t = benchNow() - t;
  if( w->zArg ) benchExec(aDb[e], "COMMIT");
  free(a);
  readDone(e, nRow, n);
  return (double)t/n;
}

/* Ten keys: ten statements in a transaction, or one with IN. */
static double runTen(const Work *w, int e, int n){
  ReadKey *a;
  sqlite3_stmt *pBegin, *pEnd;
  int64_t t;
  int i, k, nRow = 0;
  (void)w;
  if( n==0 ){ readClose(e); return 0; }
  if( !readOpen("ten", e) ) return -1;
  a = readKeys(n*10, bench.nUser);
  for(i=0; i<n*10; i++){
    for(k=i-i%10; k<i; k++){           /* ten different ones */
      if( a[k].iUser==a[i].iUser ){
        ReadKey *pNew = readKeys(1, bench.nUser);
        a[i] = *pNew;
        free(pNew);
        k = i-i%10-1;
      }
    }
  }
  pBegin = benchPrepare(aDb[e], "BEGIN");
  pEnd = benchPrepare(aDb[e], "COMMIT");
  t = benchNow();
  for(i=0; i<n; i++){
    ReadKey *p = &a[i*10];
    if( e<=PEER_LEAN ){
      benchDrain(pBegin);
      for(k=0; k<10; k++){
        readBindKey(e, aStmt[e], p[k].aKey, USER_KEY);
        nRow += benchDrain(aStmt[e]);
      }
      benchDrain(pEnd);
    }else{
      for(k=0; k<10; k++) benchText(aStmt[e], k+1, p[k].zKey);
      nRow += benchDrain(aStmt[e]);
    }
  }
  t = benchNow() - t;
  sqlite3_finalize(pBegin);
  sqlite3_finalize(pEnd);
  free(a);
  readDone(e, nRow, e==PEER_FUNC ? n : n*10);
  return (double)t/n;
}

/* Work that goes over all users once; the figure is for a row. */
static double runScan(const Work *w, int e, int n){
  int64_t t;
  int nRow;
  int bCount = w->zName[0]=='c' || (w->zName[0]=='a' && e!=PEER_RAW);
  if( n==0 ){ readClose(e); return 0; }
  if( !readOpen(w->zName, e) ) return -1;
  if( e==PEER_TABLE ){
    benchText(aStmt[e], 1, "[\"users\"]");
  }else if( e!=PEER_JSON ){
    benchBlob(aStmt[e], 1, "\002users\000\000", 8);
    benchBlob(aStmt[e], 2, "\002users\000\377", 8);
    if( sqlite3_bind_parameter_count(aStmt[e])>2 ) sqlite3_bind_int(aStmt[e], 3, -1);
  }
  t = benchNow();
  nRow = benchDrain(aStmt[e]);
  t = benchNow() - t;
  readDone(e, nRow, bCount ? 1 : bench.nUser);
  return (double)t/bench.nUser;
}

/* 100 users from a random one on. */
static double runRange(const Work *w, int e, int n){
  ReadKey *a;
  int64_t t;
  int i, nRow = 0;
  (void)w;
  if( n==0 ){ readClose(e); return 0; }
  if( !readOpen("range", e) ) return -1;
  a = readKeys(n, bench.nUser-100);
  t = benchNow();
  for(i=0; i<n; i++){
    if( e==PEER_RAW ){
      benchBlob(aStmt[e], 1, a[i].aKey, USER_KEY);
      benchBlob(aStmt[e], 2, "\002users\000\377", 8);
      sqlite3_bind_int(aStmt[e], 3, 100);
    }else if( e==PEER_JSON ){
      sqlite3_bind_int(aStmt[e], 1, a[i].iUser);
    }else{
      benchText(aStmt[e], 1, a[i].zKey);
    }
    nRow += benchDrain(aStmt[e]);
  }
  t = benchNow() - t;
  free(a);
  readDone(e, nRow, n*100);
  return (double)t/n;
}

/* e-mail -> id -> user.  Raw: the second statement runs while the first one
** stands, so that both share a transaction; the id is not even read. */
static double runJoin(const Work *w, int e, int n){
  ReadKey *a;
  int64_t t;
  int i, nRow = 0;
  (void)w;
  if( n==0 ){ readClose(e); return 0; }
  if( !readOpen("join", e) ) return -1;
  a = readKeys(n, bench.nUser);
  t = benchNow();
  for(i=0; i<n; i++){
    if( e<=PEER_LEAN ){
      readBindKey(e, aStmt[e], a[i].aMail, a[i].nMail);
      if( sqlite3_step(aStmt[e])!=SQLITE_ROW ) benchDie(aDb[e], "join");
      readBindKey(e, aSecond[e], a[i].aKey, USER_KEY);
      nRow += benchDrain(aSecond[e]);
      sqlite3_reset(aStmt[e]);
    }else{
      benchText(aStmt[e], 1, a[i].zMail);
      nRow += benchDrain(aStmt[e]);
    }
  }
  t = benchNow() - t;
  free(a);
  readDone(e, nRow, n);
  return (double)t/n;
}

const Work benchRead[] = {
  { "get",   "get by id, each its own transaction",      1.15, 4000, runGet, 0 },
  { "gettxn","get by id, in one transaction",            1.3,  6000, runGet, "txn" },
  { "ten",   "ten keys by IN",                           1.3,  600,  runTen, 0 },
  { "join",  "e-mail -> id -> user in one statement",    1.2,  3000, runJoin, 0 },
  { "range", "100 users from a random one on",           2.0,  300,  runRange, 0 },
  { "scan",  "all users as JSON, a row",                 2.2,  1,    runScan, 0 },
  { "keys",  "keys of all users, a row",                 1.8,  1,    runScan, 0 },
  { "count", "count(*) of all users, a row",             1.5,  1,    runScan, 0 },
  { "age",   "users of age 42 by kv_extract, a row",     1.4,  1,    runScan, 0 },
  { 0, 0, 0, 0, 0, 0 }
};
