/*
** growth.c -- how the extension's cost grows.
**
**   growth KV DIR
**
** Prints Markdown tables: the size of something, nanoseconds for a unit of
** work at that size, and the most memory that SQLite and the extension held
** for it.  Flat (or, with the depth of a B-tree, nearly) is what is wanted.
**
** BENCH_MAX (1000000): entries in the largest store; BENCH_USERS (200000): those under
** declared indexes; BENCH_ONLY: names of sections, with spaces between.
*/
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *zKv, *zDir;
static int nMost = 1000000;

static int64_t now(void){
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec*1000000000 + t.tv_nsec;
}

/* Processor time of this process. */
static int64_t cpuTime(void){
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec*1000000000 + t.tv_nsec;
}

static void die(sqlite3 *db, const char *zWhat){
  fprintf(stderr, "growth: %s: %s\n", zWhat, sqlite3_errmsg(db));
  exit(1);
}

static sqlite3 *openFile(const char *zFile){
  sqlite3 *db;
  if( sqlite3_open(zFile, &db)!=SQLITE_OK ) die(db, zFile);
  sqlite3_busy_timeout(db, 20000);
  sqlite3_enable_load_extension(db, 1);
  if( sqlite3_load_extension(db, zKv, 0, 0)!=SQLITE_OK ) die(db, zKv);
  return db;
}

/* A new file, in WAL mode and not synchronous: the disk is not the matter. */
static sqlite3 *openNew(const char *zName){
  char z[1000];
  sqlite3 *db;
  snprintf(z, sizeof(z), "rm -f %s/%s*", zDir, zName);
  if( system(z) ) exit(1);
  snprintf(z, sizeof(z), "%s/%s", zDir, zName);
  db = openFile(z);
  if( sqlite3_exec(db, "PRAGMA journal_mode=wal; PRAGMA synchronous=off; SELECT kv_init()", 0, 0, 0) ) die(db, z);
  return db;
}

/* Run a statement with integers for ?1 and ?2; the number of rows, and the
** first column of the last one in *piLast. */
static int64_t run(sqlite3 *db, const char *zSql, int64_t i1, int64_t i2, int64_t *piLast){
  static sqlite3 *dbLast;
  static const char *zLast;
  static sqlite3_stmt *p;
  int64_t nRow = 0;
  int rc;
  if( db!=dbLast || zSql!=zLast ){
    sqlite3_finalize(p);
    p = 0;
    dbLast = 0;
    if( zSql==0 ) return 0;
    if( sqlite3_prepare_v3(db, zSql, -1, SQLITE_PREPARE_PERSISTENT, &p, 0) ) die(db, zSql);
    dbLast = db;
    zLast = zSql;
  }
  sqlite3_bind_int64(p, 1, i1);
  sqlite3_bind_int64(p, 2, i2);
  while( (rc = sqlite3_step(p))==SQLITE_ROW ){
    nRow++;
    sqlite3_column_blob(p, 0);
    if( piLast ) *piLast = sqlite3_column_int64(p, 0);
  }
  sqlite3_reset(p);
  if( rc!=SQLITE_DONE ) die(db, zSql);
  return nRow;
}

static void done(sqlite3 *db){
  run(0, 0, 0, 0, 0);
  sqlite3_close(db);
}

/* Nanoseconds of a run of the statement, the mean of n with ?1 spread over
** 0..nRange-1. */
static double timed(sqlite3 *db, const char *zSql, int n, int64_t nRange, int64_t i2){
  int64_t t;
  int i;
  run(db, zSql, 0, i2, 0);
  t = now();
  for(i=0; i<n; i++) run(db, zSql, (int64_t)((uint64_t)i*2654435761u%(uint64_t)nRange), i2, 0);
  return (double)(now()-t)/n;
}

static void head(const char *zTitle, const char *zColumns){
  const char *z;
  printf("\n**%s**\n\n| %s | memory, KB |\n|", zTitle, zColumns);
  for(z=zColumns; *z; z++) if( *z=='|' ) printf(" --- |");
  printf(" --- | --- |\n");
  sqlite3_memory_highwater(1);
}

static void foot(void){
  printf(" %lld |\n", (long long)sqlite3_memory_highwater(0)/1024);
  fflush(stdout);
  sqlite3_memory_highwater(1);
}

#define FILL \
  "INSERT INTO kv_entries(key, value) SELECT kv_key('n', value), 'value number ' || value " \
  "FROM (WITH RECURSIVE c(value) AS (VALUES(?1) UNION ALL SELECT value+1 FROM c WHERE value+1<?2) SELECT value FROM c)"

static void entries(void){
  int n;
  sqlite3 *db = openNew("growth.db");
  int64_t nHave = 0;
  head("entries in the store", "entries | get | 10 from a random one on | count(*), a row | all values, a row | kv_children of 10 | skip a row by OFFSET");
  for(n=1000; n<=nMost; n*=10){
    for(; nHave<n; nHave+=1000) run(db, FILL, nHave, nHave+1000, 0);
    if( n==1000 ){
      run(db, "INSERT INTO kv_entries(key, value) SELECT kv_key('c', ?1+value, 1), 1 FROM json_each('[0,1,2,3,4,5,6,7,8,9]')", 0, 0, 0);
    }
    sqlite3_memory_highwater(1);
    printf("| %d |", n);
    printf(" %.0f |", timed(db, "SELECT value FROM kv_entries WHERE key = kv_key('n', ?1)", 20000, n, 0));
    printf(" %.0f |", timed(db, "SELECT value FROM kv_entries WHERE key >= kv_key('n', ?1) LIMIT 10", 5000, n-10, 0));
    printf(" %.1f |", timed(db, "SELECT count(*) FROM kv_entries('[\"n\"]')", 1+3000/(n/1000), 1, 0)/n);
    printf(" %.1f |", timed(db, "SELECT value FROM kv_entries('[\"n\"]')", 1+1000/(n/1000), 1, 0)/n);
    printf(" %.0f |", timed(db, "SELECT part FROM kv_children('[\"c\"]')", 500, 1, 0));
    printf(" %.1f |", timed(db, "SELECT value FROM kv_entries('[\"n\"]') LIMIT 1 OFFSET ?2", 1+1000/(n/1000), 1, n-10)/n);
    foot();
  }
  done(db);
}

/* Ten children over n entries each a tenth of them. */
static void children(void){
  int n;
  head("kv_children: ten children", "entries below them | kv_children");
  for(n=1000; n<=nMost; n*=10){
    sqlite3 *db = openNew("growth.db");
    int i;
    for(i=0; i<10; i++){
      run(db, "INSERT INTO kv_entries(key, value) SELECT kv_key('c', ?1, value), 1 "
              "FROM (WITH RECURSIVE c(value) AS (VALUES(1) UNION ALL SELECT value+1 FROM c WHERE value<?2) SELECT value FROM c)",
          i, n/10, 0);
    }
    sqlite3_memory_highwater(1);
    printf("| %d | %.0f |", n, timed(db, "SELECT part FROM kv_children('[\"c\"]')", 2000, 1, 0));
    foot();
    done(db);
  }
}

static void values(void){
  int64_t n;
  sqlite3 *db = openNew("growth.db");
  run(db, "SELECT kv_config('value_bytes', 100000000)", 0, 0, 0);
  head("bytes in a value", "bytes | set | get | set, a byte | get, a byte");
  for(n=100; n<=10000000; n*=10){
    int nRep = (int)(2+1000000/n);
    double rSet = timed(db, "INSERT OR REPLACE INTO kv_entries(key, value) VALUES ('[\"v\"]', hex(randomblob(?2/2)))", nRep, 1, n);
    double rGet = timed(db, "SELECT value FROM kv_entries WHERE key = '[\"v\"]'", nRep, 1, 0);
    printf("| %lld | %.0f | %.0f | %.2f | %.2f |", (long long)n, rSet, rGet, rSet/(double)n, rGet/(double)n);
    foot();
  }
  done(db);
}

static void parts(void){
  static const int aPart[] = {1, 2, 5, 10, 20, 50, 100, 200};
  size_t i;
  sqlite3 *db = openNew("growth.db");
  head("parts in a key", "parts | get | get, a part | key text, a part");
  for(i=0; i<sizeof(aPart)/sizeof(aPart[0]); i++){
    int n = aPart[i];
    double rGet, rText;
    run(db, "DROP TABLE IF EXISTS temp.k", 0, 0, 0);
    run(db, "CREATE TEMP TABLE k AS SELECT json_group_array('part' || value) AS k "
            "FROM (WITH RECURSIVE c(value) AS (VALUES(1) UNION ALL SELECT value+1 FROM c WHERE value<?1) SELECT value FROM c)", n, 0, 0);
    run(db, "INSERT INTO kv_entries(key, value) SELECT k, 1 FROM temp.k", 0, 0, 0);
    rGet = timed(db, "SELECT e.value FROM temp.k CROSS JOIN kv_entries AS e WHERE e.key = k.k", 5000, 1, 0);
    rText = timed(db, "SELECT kv_key_decode(kv_key_encode(k)) FROM temp.k", 5000, 1, 0);
    printf("| %d | %.0f | %.0f | %.0f |", n, rGet, rGet/n, rText/n);
    foot();
  }
  done(db);
}

static void mutations(void){
  int n;
  sqlite3 *db = openNew("growth.db");
  run(db, "SELECT kv_config('mutations', 10000000), kv_config('operation_bytes', 1000000000), kv_config('operation_key_bytes', 1000000000)", 0, 0, 0);
  head("mutations in an operation", "mutations | kv_atomic(), one | INSERT INTO kv_atomic, one");
  for(n=1; n<=100000; n*=10){
    int nRep = 2+2000/n;
    static const char zCount[] = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c WHERE i<?2) ";
    char *z1 = sqlite3_mprintf("%sSELECT kv_atomic(kv_op('set', kv_key('m', i), i+?1)) FROM c", zCount);
    char *z2 = sqlite3_mprintf("INSERT INTO kv_atomic(op, key, value) %sSELECT 'set', kv_key('m', i), i+?1 FROM c", zCount);
    printf("| %d | %.0f |", n, timed(db, z1, nRep, 1000, n)/n);
    printf(" %.0f |", timed(db, z2, nRep, 1000, n)/n);
    foot();
    run(0, 0, 0, 0, 0);
    sqlite3_free(z1);
    sqlite3_free(z2);
  }
  done(db);
}

static void queue(void){
  int n, nHave = 0;
  sqlite3 *db = openNew("growth.db");
  run(db, "SELECT kv_enqueue('x'), kv_finish((SELECT id FROM kv_dequeue()), 1)", 0, 0, 0);
  head("messages in the queue", "messages | enqueue | dequeue and finish | find by id");
  for(n=2000; n<=200000; n*=10){
    double rAdd = 0;
    for(; nHave<n; nHave+=1000){
      int64_t t = now();
      run(db, "INSERT INTO kv_queue(value, delay) SELECT 'message ' || ?1, 0 FROM "
              "(WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c WHERE i<1000) SELECT i FROM c)", nHave, 0, 0);
      rAdd = (double)(now()-t)/1000;
    }
    printf("| %d | %.0f |", n, rAdd);
    printf(" %.0f |", timed(db, "SELECT kv_finish((SELECT id FROM kv_dequeue()), 1)", 500, 1, 0));
    printf(" %.0f |", timed(db, "SELECT state FROM kv_queue WHERE id = (SELECT id FROM queue LIMIT 1)", 500, 1, 0));
    nHave -= 501;
    foot();
  }
  done(db);
}

static void in(void){
  int n;
  sqlite3 *db = openNew("growth.db");
  int64_t i;
  for(i=0; i<100000; i+=1000) run(db, FILL, i, i+1000, 0);
  head("keys in IN", "keys | a key");
  for(n=1; n<=10000; n*=10){
    run(db, "DROP TABLE IF EXISTS temp.k", 0, 0, 0);
    run(db, "CREATE TEMP TABLE k AS SELECT kv_key('n', (i*7919)%100000) AS k "
            "FROM (WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c WHERE i<?1) SELECT i FROM c)", n, 0, 0);
    printf("| %d | %.0f |", n, timed(db, "SELECT value FROM kv_entries WHERE key IN (SELECT k FROM temp.k)", 3+20000/n, 1, 0)/n);
    foot();
  }
  done(db);
}

/* Readers in processes of their own, for two seconds, and one that writes. */
static void readers(void){
  int nReader, i;
  sqlite3 *db = openNew("growth.db");
  int64_t k;
  for(k=0; k<100000; k+=1000) run(db, FILL, k, k+1000, 0);
  done(db);
  head("readers beside a writer", "readers | gets a second, all | sets a second");
  for(nReader=1; nReader<=8; nReader*=2){
    int aPipe[2];
    int64_t nGet = 0, nSet = 0;
    if( pipe(aPipe) ) exit(1);
    for(i=0; i<=nReader; i++){
      if( fork()==0 ){
        char z[1000];
        int64_t tEnd, aOut[2] = {i==0, 0};
        snprintf(z, sizeof(z), "%s/growth.db", zDir);
        db = openFile(z);
        tEnd = now() + 2000000000;
        while( now()<tEnd ){
          int64_t iKey = (aOut[1]*7919 + i)%100000;
          if( i==0 ) run(db, "INSERT OR REPLACE INTO kv_entries(key, value) VALUES (kv_key('n', ?1), ?2)", iKey, aOut[1], 0);
          else run(db, "SELECT value FROM kv_entries WHERE key = kv_key('n', ?1)", iKey, 0, 0);
          aOut[1]++;
        }
        if( write(aPipe[1], aOut, sizeof(aOut))!=sizeof(aOut) ) _exit(1);
        _exit(0);
      }
    }
    for(i=0; i<=nReader; i++){
      int64_t aIn[2];
      if( read(aPipe[0], aIn, sizeof(aIn))!=sizeof(aIn) ) exit(1);
      *(aIn[0] ? &nSet : &nGet) += aIn[1];
    }
    while( wait(0)>0 ){}
    close(aPipe[0]);
    close(aPipe[1]);
    printf("| %d | %lld | %lld |", nReader, (long long)nGet/2, (long long)nSet/2);
    foot();
  }
}

/* Another program that tries to take the lock all the time: the longest time for which it was
** refused, in microseconds, into a pipe when the other end of aStop is closed. */
static void probe(const int *aStop, const int *aPipe){
  char z[1000], c;
  sqlite3 *db;
  int64_t tSince = 0, nMost = 0, t;
  close(aStop[1]);
  fcntl(aStop[0], F_SETFL, O_NONBLOCK);
  snprintf(z, sizeof(z), "%s/growth.db", zDir);
  if( sqlite3_open(z, &db)!=SQLITE_OK ) _exit(1);
  while( read(aStop[0], &c, 1)<0 ){
    int rc = sqlite3_exec(db, "BEGIN IMMEDIATE; COMMIT", 0, 0, 0);
    t = now();
    if( rc!=SQLITE_BUSY ) tSince = 0;
    else if( tSince==0 ) tSince = t;
    else if( t-tSince>nMost ) nMost = t - tSince;
    usleep(100);
  }
  nMost /= 1000;
  _exit(write(aPipe[1], &nMost, sizeof(nMost))!=sizeof(nMost));
}

/* Writes after another program has changed n entries under three indexes. */
static void backlogRow(int n){
  int aStop[2], aPipe[2], i;
  int64_t t, tFirst, tCpu, tCpuMost = 0, nWrite = 0, nLongest = 0;
  sqlite3 *db = openNew("growth.db");
  char z[1000];
  run(db, "INSERT INTO kv_entries(key, value) SELECT kv_key('p', i), json_object('u', 'old' || i, 'v', i%7, 'w', i%100) "
          "FROM (WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c WHERE i<?1) SELECT i FROM c)", n, 0, 0);
  run(db, "SELECT kv_index('u', '[\"p\"]', '$.u', 'unique'), kv_index('v', '[\"p\"]', '$.v'), kv_index('w', '[\"p\"]', '$.w')", 0, 0, 0);
  run(db, "UPDATE data_version SET version = version+1", 0, 0, 0);
  run(db, "UPDATE kv SET version = (SELECT version FROM data_version), v = (SELECT kv_value_encode(json_object('u', 'new' || i, 'v', i%11, 'w', i%90)) "
          "FROM (SELECT kv_part(kv_key_decode(k), 1) AS i)) WHERE k > kv_key_encode('[\"p\",0]') AND k < kv_key_encode('[\"q\"]')", 0, 0, 0);
  done(db);
  if( pipe(aStop) || pipe(aPipe) ) exit(1);
  if( fork()==0 ) probe(aStop, aPipe);
  snprintf(z, sizeof(z), "%s/growth.db", zDir);
  db = openFile(z);
  tFirst = cpuTime();
  for(i=0; i<20; i++){
    tCpu = cpuTime();
    run(db, "SELECT kv_set(kv_key('x'), ?1)", i, 0, 0);
    tCpu = cpuTime() - tCpu;
    if( i>0 && tCpu>tCpuMost ) tCpuMost = tCpu;      /* the first one reads before the lock */
  }
  tFirst = cpuTime() - tFirst;
  t = cpuTime();
  run(db, "SELECT kv_sweep()", 0, 0, 0);
  t = cpuTime() - t + tFirst;
  run(db, "SELECT pending FROM kv_indexes LIMIT 1", 0, 0, &nWrite);
  close(aStop[1]);
  if( read(aPipe[0], &nLongest, sizeof(nLongest))!=sizeof(nLongest) || nWrite ) exit(1);
  while( wait(0)>0 ){}
  close(aStop[0]);
  close(aPipe[0]);
  close(aPipe[1]);
  printf("| %d | %.1f | %.1f | %.0f |", n, (double)nLongest/1000, (double)tCpuMost/1e6, (double)t/n/3);
  foot();
  done(db);
}

static void backlog(void){
  int n;
  head("changes by another program, under three indexes", "changes | longest wait for the lock, ms | longest write, ms of processor time | a change and index");
  for(n=100; n<=nMost; n*=10) backlogRow(n);
}

/*
** ---- declared indexes, beside the same by hand ------------------------------
**
** Processor time, of 200,000 users (BENCH_USERS).  By hand: SELECT of the old value, then
** one kv_atomic() of a set, and a delete and a set for each index entry, whose keys and
** values SQLite's JSON functions make.
*/
static int nUser = 200000;

#define JSON(i, v) "json_object('name', 'User '||" i ", 'age', (" i "*7+" v ")%100, 'email', 'u'||" i "||'.'||" v "||'@x', 'city', 'c'||((" i "+" v ")%1000))"
#define USERS(cols) "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c WHERE i<?1) SELECT " cols " FROM c"
#define AGE   "SELECT kv_index('users_by_age', '[\"users\"]', '$.age')"
#define EMAIL "SELECT kv_index('users_by_email', '[\"users\"]', '$.email', 'unique')"
#define CITY  "SELECT kv_index('users_by_city', '[\"users\"]', '$.city')"
#define OLD   "SELECT json FROM kv_entries WHERE key = json_array('users', ?1)"
#define SET   "SELECT kv_set(kv_key('users', ?1), json(?3))"
#define HAND1 "SELECT kv_atomic(op) FROM (SELECT kv_op('set', kv_key('users', ?1), json(?3)) AS op" \
  " UNION ALL SELECT kv_op('delete', json_array('users_by_age', json_extract(?4, '$.age'), ?1))" \
  " UNION ALL SELECT kv_op('set', json_array('users_by_age', json_extract(?3, '$.age'), ?1), ?1)"
#define HAND3 HAND1 \
  " UNION ALL SELECT kv_op('delete', json_array('users_by_city', json_extract(?4, '$.city'), ?1))" \
  " UNION ALL SELECT kv_op('set', json_array('users_by_city', json_extract(?3, '$.city'), ?1), ?1)" \
  " UNION ALL SELECT kv_op('delete', json_array('users_by_email', json_extract(?4, '$.email')))" \
  " UNION ALL SELECT kv_op('set', json_array('users_by_email', json_extract(?3, '$.email')), ?1)"
/* Deno's own set: nothing of the extension takes part. */
#define DENO "INSERT INTO kv(k, v, v_encoding, version, expiration_ms) VALUES (?1, ?2, 1, 1, -1) ON CONFLICT(k) DO UPDATE SET v = excluded.v, version = excluded.version"

static sqlite3_stmt *prepare(sqlite3 *db, const char *zSql){
  sqlite3_stmt *p = 0;
  if( sqlite3_prepare_v3(db, zSql, -1, SQLITE_PREPARE_PERSISTENT, &p, 0) ) die(db, zSql);
  return p;
}

static void drain(sqlite3 *db, sqlite3_stmt *p){
  int rc;
  while( (rc = sqlite3_step(p))==SQLITE_ROW ) sqlite3_column_text(p, 0);
  if( rc!=SQLITE_DONE ) die(db, sqlite3_sql(p));
  sqlite3_reset(p);
}

/* Microseconds of processor time of some SQL. */
static double cpuExec(sqlite3 *db, const char *zSql){
  int64_t t = cpuTime();
  if( sqlite3_exec(db, zSql, 0, 0, 0) ) die(db, zSql);
  return (double)(cpuTime()-t)/1000;
}

static sqlite3 *users(int n){
  sqlite3 *db = openNew("growth.db");
  run(db, "INSERT INTO kv_entries(key, json) " USERS("json_array('users', i), " JSON("i", "0")), n, 0, 0);
  run(0, 0, 0, 0, 0);
  return db;
}

static int64_t userOf(int i){ return 1 + (int64_t)((uint64_t)i*2654435761u%(uint64_t)nUser); }

/* Microseconds of a set with another value; zHand: by hand. */
static double usersSet(sqlite3 *db, const char *zHand, int n, int iValue){
  sqlite3_stmt *pOld = prepare(db, OLD), *pSet = prepare(db, zHand ? zHand : SET);
  int64_t t = 0;
  int i;
  for(i=-20; i<n; i++){
    char z[200];
    int iUser = (int)userOf(i+20+iValue*n);
    if( i==0 ) t = cpuTime();
    snprintf(z, sizeof(z), "{\"name\":\"User %d\",\"age\":%d,\"email\":\"u%d.%d@x\",\"city\":\"c%d\"}", iUser,
             (iUser*7+iValue)%100, iUser, iValue, (iUser+iValue)%1000);
    sqlite3_bind_int64(pSet, 1, iUser);
    sqlite3_bind_text(pSet, 3, z, -1, SQLITE_STATIC);
    if( zHand ){
      sqlite3_bind_int64(pOld, 1, iUser);
      if( sqlite3_step(pOld)!=SQLITE_ROW ) die(db, OLD);
      sqlite3_bind_text(pSet, 4, (const char*)sqlite3_column_text(pOld, 0), -1, SQLITE_TRANSIENT);
      sqlite3_reset(pOld);
    }
    drain(db, pSet);
  }
  t = cpuTime() - t;
  sqlite3_finalize(pOld);
  sqlite3_finalize(pSet);
  return (double)t/n/1000;
}

static int64_t walPages(sqlite3 *db){
  int nLog = 0, nDone = 0;
  sqlite3_wal_checkpoint_v2(db, 0, SQLITE_CHECKPOINT_PASSIVE, &nLog, &nDone);
  return nLog;
}

/* Sets in a transaction and by own commits, of which the pages are counted. */
static void usersSets(sqlite3 *db, const char *zHand, double *arResult){
  int64_t nPage;
  sqlite3_exec(db, "BEGIN", 0, 0, 0);
  arResult[0] = usersSet(db, zHand, 6000, 1);
  sqlite3_exec(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint=0", 0, 0, 0);
  nPage = walPages(db);
  arResult[1] = usersSet(db, zHand, 1500, 2);
  arResult[2] = (double)(walPages(db) - nPage)/1520;
  sqlite3_exec(db, "PRAGMA wal_autocheckpoint=1000; PRAGMA wal_checkpoint(TRUNCATE)", 0, 0, 0);
}

static void sets(void){
  static const char *const azHand[] = { HAND1 ")", HAND3 ")" };
  int i, k;
  head("a set under declared indexes, beside by hand", "indexes | in a transaction, us | by hand | | by own commits, us | by hand | | WAL pages a commit | by hand");
  for(i=0; i<2; i++){
    double ar[2][3];
    for(k=0; k<2; k++){
      sqlite3 *db = users(nUser);
      if( k==0 && sqlite3_exec(db, i ? AGE ";" EMAIL ";" CITY : AGE, 0, 0, 0) ) die(db, AGE);
      if( k==1 ){
        run(db, "INSERT INTO kv_entries(key, value) " USERS("json_array('users_by_age', (i*7)%100, i), i"), nUser, 0, 0);
        if( i ) run(db, "INSERT INTO kv_entries(key, value) " USERS("json_array('users_by_city', 'c'||(i%1000), i), i"), nUser, 0, 0);
        if( i ) run(db, "INSERT INTO kv_entries(key, value) " USERS("json_array('users_by_email', 'u'||i||'.0@x'), i"), nUser, 0, 0);
        run(0, 0, 0, 0, 0);
      }
      usersSets(db, k ? azHand[i] : 0, ar[k]);
      sqlite3_close(db);
    }
    printf("| %d | %.1f | %.1f | x %.2f | %.1f | %.1f | x %.2f | %.1f | %.1f |", i ? 3 : 1, ar[0][0], ar[1][0],
           ar[0][0]/ar[1][0], ar[0][1], ar[1][1], ar[0][1]/ar[1][1], ar[0][2], ar[1][2]);
    foot();
  }
}

static double fileMb(sqlite3 *db){
  int64_t n = 0;
  sqlite3_stmt *p = prepare(db, "SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)");
  if( sqlite3_step(p)==SQLITE_ROW ) n = sqlite3_column_int64(p, 0);
  sqlite3_finalize(p);
  return (double)n*4096/1e6;
}

static void declare(void){
  static const char *const az[][2] = { {"number", AGE}, {"text", CITY}, {"unique", EMAIL} };
  int i;
  head("kv_index()", "index | seconds | MB in the file | DELETE of all by prefix, us a row");
  for(i=0; i<3; i++){
    sqlite3 *db = users(nUser);
    double rBefore = fileMb(db), r = cpuExec(db, az[i][1]);
    printf("| %s | %.2f | %.1f |", az[i][0], r/1e6, fileMb(db)-rBefore);
    printf(" %.1f |", cpuExec(db, "DELETE FROM kv_entries WHERE prefix = '[\"users\"]'")/nUser);
    foot();
    sqlite3_close(db);
  }
}

/* What Deno pays: its statements on clean and dirty keys, and others. */
static void denoRow(const char *zWhat, sqlite3 *db, sqlite3 *dbNone, const char *zKey, const char *zSql, int n){
  sqlite3 *ap[2];
  double ar[2];
  int k, i;
  ap[0] = db; ap[1] = dbNone;
  for(k=0; k<2; k++){
    sqlite3_stmt *pKey = prepare(ap[k], zKey), *p = prepare(ap[k], zSql);
    int64_t t = 0;
    sqlite3_exec(ap[k], "BEGIN", 0, 0, 0);
    for(i=0; i<n; i++){
      int64_t t0;
      sqlite3_bind_int64(pKey, 1, 1 + (int64_t)i*(nUser/n));
      if( sqlite3_step(pKey)!=SQLITE_ROW ) die(ap[k], zKey);
      sqlite3_bind_value(p, 1, sqlite3_column_value(pKey, 0));
      sqlite3_bind_value(p, 2, sqlite3_column_value(pKey, 1));
      sqlite3_reset(pKey);
      t0 = cpuTime();
      drain(ap[k], p);
      t += cpuTime() - t0;
    }
    sqlite3_exec(ap[k], "COMMIT", 0, 0, 0);
    sqlite3_finalize(pKey);
    sqlite3_finalize(p);
    ar[k] = (double)t/n/1000;
  }
  printf("| %s | %.2f | %.2f | x %.2f |", zWhat, ar[0], ar[1], ar[0]/ar[1]);
  foot();
}

static void denoWrites(void){
#define KEYS(name, v) "SELECT kv_key_encode(json_array('" name "', ?1)), kv_value_encode(json(" JSON("?1", v) "))"
  sqlite3 *db = users(nUser), *dbNone;
  char z[1000];
  if( sqlite3_exec(db, AGE ";" EMAIL ";" CITY ";PRAGMA wal_checkpoint(TRUNCATE)", 0, 0, 0) ) die(db, AGE);
  snprintf(z, sizeof(z), "rm -f %s/growth2.db*; cp %s/growth.db %s/growth2.db", zDir, zDir, zDir);
  if( system(z) ) exit(1);
  snprintf(z, sizeof(z), "%s/growth2.db", zDir);
  dbNone = openFile(z);
  if( sqlite3_exec(dbNone, "PRAGMA synchronous=off; SELECT kv_uninstall()", 0, 0, 0) ) die(dbNone, "kv_uninstall()");
  head("what a declared index costs Deno, three indexes", "Deno's statement | us | without an index | ");
  denoRow("set of a clean key", db, dbNone, KEYS("users", "1"), DENO, 20000);
  denoRow("set of a dirty key", db, dbNone, KEYS("users", "2"), DENO, 20000);
  denoRow("a new key", db, dbNone, KEYS("users", "'n'||?1"), DENO, 20000);
  denoRow("a key that no index is about", db, dbNone, KEYS("others", "0"), DENO, 20000);
  denoRow("delete", db, dbNone, KEYS("users", "1"), "DELETE FROM kv WHERE k = ?1 AND ?2 IS NOT NULL", 20000);
  sqlite3_close(db);
  sqlite3_close(dbNone);
#undef KEYS
}

/* Reading by an index, with nothing pending and with much. */
static void lookups(void){
  static const struct { const char *zWhat, *zSql, *zRaw; int n; } a[] = {
    {"a range of 100 with values", "SELECT key, value FROM kv_lookup('users_by_city', 'c'||(?1%1000)) LIMIT 100",
     "SELECT k, v FROM kv WHERE k > kv_key_encode(json_array('users', ?1%99000)) AND expiration_ms NOT BETWEEN 0 AND 5 LIMIT 100", 500},
    {"e-mail to user", "SELECT value FROM kv_lookup('users_by_email', 'u'||?1||'.0@x')",
     "SELECT v FROM kv WHERE k = kv_key_encode(json_array('users', (SELECT kv_json(kv_raw(v, v_encoding)) FROM kv WHERE k = kv_key_encode(json_array('users_by_email', 'u'||?1||'.0@x')))))", 5000},
    {"kv_indexes", "SELECT name, pending FROM kv_indexes", "SELECT name FROM kv_index_def", 20},
  };
  sqlite3 *db = users(nUser);
  int i, bPending;
  if( sqlite3_exec(db, AGE ";" EMAIL ";" CITY, 0, 0, 0) ) die(db, AGE);
  head("reading by an index", "query | us | plain SQL | | us with a quarter of the users pending: the first time | later");
  for(bPending=0; bPending<2; bPending++){
    static double ar[3][2];
    if( bPending ){
      run(0, 0, 0, 0, 0);
      cpuExec(db, "UPDATE data_version SET version = version+1; UPDATE kv SET version = (SELECT version FROM data_version), v = v "
                  "WHERE k > kv_key_encode('[\"users\",0]') AND k < kv_key_encode(json_array('users', 50001))");
    }
    for(i=0; i<3; i++){
      int k, n = bPending ? 100 : a[i].n;
      sqlite3_stmt *p = prepare(db, a[i].zSql), *pRaw = prepare(db, a[i].zRaw);
      double rFirst = 0, r = 0, rRaw = 0;
      for(k=0; k<=n; k++){
        int64_t t = cpuTime();
        sqlite3_bind_int64(p, 1, userOf(k));
        drain(db, p);
        t = cpuTime() - t;
        if( k==0 ) rFirst = (double)t/1000; else r += (double)t/1000/n;
        if( bPending ) continue;
        t = cpuTime();
        sqlite3_bind_int64(pRaw, 1, userOf(k));
        drain(db, pRaw);
        if( k ) rRaw += (double)(cpuTime()-t)/1000/n;
      }
      sqlite3_finalize(p);
      sqlite3_finalize(pRaw);
      if( !bPending ){
        ar[i][0] = r;
        ar[i][1] = rRaw;
      }else{
        printf("| %s | %.1f | %.1f | x %.2f | %.0f | %.1f |", a[i].zWhat, ar[i][0], ar[i][1], ar[i][0]/ar[i][1], rFirst, r);
        foot();
      }
    }
  }
  sqlite3_close(db);
}

/* Statements that write many rows: microseconds a row. */
static void rows(void){
  static const struct { const char *zWhat, *zBefore, *zSql; int n; } a[] = {
    {"UPDATE of kv_entries, no index", "", "UPDATE kv_entries SET json = json_set(json, '$.name', 'x') WHERE prefix = '[\"users\"]'", 0},
    {"UPDATE of kv_entries where two indexes aren't concerned", AGE ";" CITY, "UPDATE kv_entries SET json = json_set(json, '$.name', 'x') WHERE prefix = '[\"users\"]'", 0},
    {"collection: UPDATE of 10,000, unindexed column", AGE, "UPDATE u SET name = 'x'||id WHERE id <= 10000", 10000},
    {"collection: UPDATE of 10,000, indexed column", AGE, "UPDATE u SET age = age+1 WHERE id <= 10000", 10000},
    {"collection: INSERT ... SELECT of 10,000", AGE, "INSERT INTO u(id, name, age, email, city) SELECT id+1000000, name, age, email||'y', city FROM u WHERE id <= 10000", 10000},
    {"collection: DELETE of 10,000", AGE, "DELETE FROM u WHERE id <= 10000", 10000},
    {"DELETE of 20,000 by prefix in a transaction, temp_store = memory", AGE ";PRAGMA temp_store = memory; DELETE FROM kv_entries WHERE prefix = '[\"users\"]' AND key > '[\"users\",20000]'; BEGIN", "DELETE FROM kv_entries WHERE prefix = '[\"users\"]'", 20000},
  };
  size_t i;
  head("statements that write many rows", "statement | us a row");
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    sqlite3 *db = users(nUser);
    if( a[i].zBefore[0] ) cpuExec(db, a[i].zBefore);
    cpuExec(db, "CREATE VIRTUAL TABLE temp.u USING kv_collection('[\"users\"]', id INTEGER KEY, name TEXT, age INTEGER, email TEXT, city TEXT)");
    printf("| %s | %.1f |", a[i].zWhat, cpuExec(db, a[i].zSql)/(a[i].n ? a[i].n : nUser));
    foot();
    sqlite3_close(db);
  }
}

int main(int argc, char **argv){
  static const struct { const char *zName; void (*xRun)(void); } aSection[] = {
    {"entries", entries}, {"children", children}, {"values", values}, {"parts", parts},
    {"mutations", mutations}, {"queue", queue}, {"in", in}, {"readers", readers},
    {"backlog", backlog}, {"sets", sets}, {"declare", declare}, {"deno", denoWrites},
    {"lookups", lookups}, {"rows", rows}
  };
  const char *zOnly = getenv("BENCH_ONLY");
  size_t i;
  if( argc!=3 ){
    fprintf(stderr, "usage: growth KV DIR\n");
    return 2;
  }
  zKv = argv[1];
  zDir = argv[2];
  if( getenv("BENCH_MAX") ) nMost = atoi(getenv("BENCH_MAX"));
  if( getenv("BENCH_USERS") ) nUser = atoi(getenv("BENCH_USERS"));
  printf("Nanoseconds, unless a column says otherwise.\n");
  for(i=0; i<sizeof(aSection)/sizeof(aSection[0]); i++){
    if( zOnly==0 || zOnly[0]==0 || strstr(zOnly, aSection[i].zName) ) aSection[i].xRun();
  }
  return 0;
}
