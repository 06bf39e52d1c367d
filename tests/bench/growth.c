/*
** growth.c -- how the extension's cost grows.
**
**   growth KV DIR
**
** Prints Markdown tables: the size of something, nanoseconds for a unit of
** work at that size, and the most memory that SQLite and the extension held
** for it.  Flat (or, with the depth of a B-tree, nearly) is what is wanted.
**
** BENCH_MAX (1000000): entries in the largest store; BENCH_ONLY: names of
** sections, with spaces between.
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
  tFirst = now();
  for(i=0; i<20; i++){
    tCpu = cpuTime();
    run(db, "SELECT kv_set(kv_key('x'), ?1)", i, 0, 0);
    tCpu = cpuTime() - tCpu;
    if( i>0 && tCpu>tCpuMost ) tCpuMost = tCpu;      /* the first one reads before the lock */
  }
  tFirst = now() - tFirst;
  t = now();
  run(db, "SELECT kv_sweep()", 0, 0, 0);
  t = now() - t + tFirst;
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

int main(int argc, char **argv){
  static const struct { const char *zName; void (*xRun)(void); } aSection[] = {
    {"entries", entries}, {"children", children}, {"values", values}, {"parts", parts},
    {"mutations", mutations}, {"queue", queue}, {"in", in}, {"readers", readers},
    {"backlog", backlog}
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
  printf("Nanoseconds, unless a column says otherwise.\n");
  for(i=0; i<sizeof(aSection)/sizeof(aSection[0]); i++){
    if( zOnly==0 || zOnly[0]==0 || strstr(zOnly, aSection[i].zName) ) aSection[i].xRun();
  }
  return 0;
}
