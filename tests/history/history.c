/*
** history.c -- threads that write, read and log what they saw.
**
**   kvhistory KV FILE LOG THREADS MILLISECONDS SEED
**
** Each thread has a connection of its own and does random operations on a few
** keys.  What was done is logged to LOG.n, a line each, when it has been
** acknowledged (never before):
**
**   W stamp KEY=STAMP,...  KEY,...   an operation, what it had read, what it wrote
**   R stamp KEY=STAMP,...            a read transaction: the store's newest
**                                    versionstamp and all keys, as it saw them
**   C KEY value from to              kv_sum() has returned this; the clock, in ns, before
**                                    the call and after it
**   G KEY value from to              so has kv_get(), of 20 calls the last
**   E message                        an error that should not be
**
** STAMP is "-" where there was no entry.  tests/history.test judges the logs.
** A thread that has lost a check tries something else.  Half of the connections have a
** cache (kv_config('cache_bytes', n)).
*/
#include <sqlite3.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N_KEY      12      /* Keys ["k",0] ... */
#define N_COUNTER  3       /* Keys ["c",0] ... */

typedef struct Worker Worker;
struct Worker {
  int iThread;
  int fd;
  unsigned iRandom;
  sqlite3 *db;
  long nDone, nConflict;
  char zLine[4000];
};

static const char *zKv, *zFile, *zLog;
static long nMs;

static unsigned draw(Worker *p, unsigned n){
  p->iRandom ^= p->iRandom<<13;
  p->iRandom ^= p->iRandom>>17;
  p->iRandom ^= p->iRandom<<5;
  return p->iRandom%n;
}

static long long clockMs(void){
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec*1000 + t.tv_nsec/1000000;
}

static long long clockNs(void){
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec*1000000000 + t.tv_nsec;
}

/* One write: whoever is killed behind it has told of it. */
static void tell(Worker *p, const char *z){
  size_t n = strlen(z);
  if( write(p->fd, z, n)!=(ssize_t)n ) exit(4);
}

static void tellError(Worker *p, const char *zWhat){
  char z[700];
  snprintf(z, sizeof(z), "E %s: %s\n", zWhat, sqlite3_errmsg(p->db));
  tell(p, z);
}

/* Append "KEY=STAMP" for the rows of the statement.  0 after an error. */
static int seen(Worker *p, sqlite3_stmt *pStmt){
  size_t n = strlen(p->zLine);
  const char *zSep = "";
  while( sqlite3_step(pStmt)==SQLITE_ROW ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 1);
    n += (size_t)snprintf(p->zLine+n, sizeof(p->zLine)-n, "%s%d=%s", zSep,
                          sqlite3_column_int(pStmt, 0), z ? z : "-");
    zSep = ",";
  }
  return sqlite3_reset(pStmt)==SQLITE_OK;
}

static sqlite3_stmt *prepare(Worker *p, const char *zSql){
  sqlite3_stmt *pStmt = 0;
  if( sqlite3_prepare_v2(p->db, zSql, -1, &pStmt, 0)!=SQLITE_OK ) tellError(p, zSql);
  return pStmt;
}

/* The keys i and j, as they are. */
#define SEE_SQL "SELECT i.column1, (SELECT versionstamp FROM kv_entries WHERE key = kv_key('k', i.column1))" \
                " FROM (VALUES (%d), (%d)) AS i"

/* One value from SQL; 1 if there is one, 0 for NULL, -1 for an error. */
static int one(Worker *p, const char *zSql, char *zOut, size_t nOut){
  sqlite3_stmt *pStmt = prepare(p, zSql);
  int rc, res = -1;
  if( pStmt==0 ) return -1;
  rc = sqlite3_step(pStmt);
  if( rc==SQLITE_ROW ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 0);
    res = z!=0;
    snprintf(zOut, nOut, "%s", z ? z : "");
  }
  if( sqlite3_finalize(pStmt)!=SQLITE_OK ){
    tellError(p, zSql);
    res = -1;
  }
  return res;
}

static int see(Worker *p, int i, int j){
  char zSql[500];
  sqlite3_stmt *pStmt;
  int ok;
  snprintf(zSql, sizeof(zSql), SEE_SQL, i, j);
  pStmt = prepare(p, zSql);
  p->zLine[0] = 0;
  ok = pStmt && seen(p, pStmt);
  if( !ok ) tellError(p, "reading");
  sqlite3_finalize(pStmt);
  return ok;
}

static void tellWrite(Worker *p, const char *zStamp, int i, int j){
  char z[4200];
  snprintf(z, sizeof(z), i==j ? "W %s %s %d\n" : "W %s %s %d,%d\n", zStamp, p->zLine, i, j);
  tell(p, z);
  p->nDone++;
}

/* The check of a key: what was read before, in p->zLine. */
static void checkText(Worker *p, int i, char *zOut, size_t nOut){
  char zFind[20];
  const char *z = p->zLine;
  snprintf(zFind, sizeof(zFind), "%d=", i);
  while( strncmp(z, zFind, strlen(zFind))!=0 ) z = strchr(z, ',')+1;
  z += strlen(zFind);
  if( *z=='-' ) snprintf(zOut, nOut, "NULL");
  else snprintf(zOut, nOut, "'%.20s'", z);
}

/* Read, then write what was read, if nobody was faster. */
static void doChecked(Worker *p, int i, int j){
  char zSql[1500], zStamp[40], a[40], b[40];
  int rc;
  if( !see(p, i, j) ) return;
  checkText(p, i, a, sizeof(a));
  checkText(p, j, b, sizeof(b));
  snprintf(zSql, sizeof(zSql),
    "SELECT kv_atomic(kv_op('check', kv_key('k', %d), %s), kv_op('check', kv_key('k', %d), %s),"
    " kv_op('set', kv_key('k', %d), %u), CASE %d WHEN %d THEN NULL ELSE kv_op('set', kv_key('k', %d), 1) END)",
    i, a, j, b, i, draw(p, 1000), i, j, j);
  rc = one(p, zSql, zStamp, sizeof(zStamp));
  if( rc==1 ) tellWrite(p, zStamp, i, j);
  if( rc==0 ) p->nConflict++;
}

/* Two statements under one lock. */
static void doTransaction(Worker *p, int i, int j){
  char zSql[500], zStamp[40];
  if( sqlite3_exec(p->db, "BEGIN IMMEDIATE", 0, 0, 0)!=SQLITE_OK ){
    tellError(p, "BEGIN IMMEDIATE");
    return;
  }
  if( see(p, i, j) ){
    snprintf(zSql, sizeof(zSql),
      "INSERT OR REPLACE INTO kv_entries(key, value) VALUES (kv_key('k', %d), %u);"
      "INSERT OR REPLACE INTO kv_entries(key, value) VALUES (kv_key('k', %d), %u);",
      i, draw(p, 1000), j, draw(p, 1000));
    if( sqlite3_exec(p->db, zSql, 0, 0, 0)!=SQLITE_OK ) tellError(p, zSql);
    else if( one(p, "SELECT kv_versionstamp()", zStamp, sizeof(zStamp))==1 && draw(p, 10)>0 ){
      if( sqlite3_exec(p->db, "COMMIT", 0, 0, 0)==SQLITE_OK ) tellWrite(p, zStamp, i, j);
      else tellError(p, "COMMIT");
    }
  }
  if( !sqlite3_get_autocommit(p->db) ) sqlite3_exec(p->db, "ROLLBACK", 0, 0, 0);
}

/* One statement, with a check. */
static void doStatement(Worker *p, int i){
  char zSql[700], zStamp[40], a[40];
  if( !see(p, i, i) ) return;
  checkText(p, i, a, sizeof(a));
  snprintf(zSql, sizeof(zSql), "BEGIN IMMEDIATE; INSERT INTO kv_atomic(op, key, value) VALUES"
    " ('check', kv_key('k', %d), %s), ('set', kv_key('k', %d), %u)", i, a, i, draw(p, 1000));
  if( sqlite3_exec(p->db, zSql, 0, 0, 0)==SQLITE_OK ){
    if( one(p, "SELECT kv_versionstamp()", zStamp, sizeof(zStamp))!=1 ) tellError(p, "versionstamp");
    else if( sqlite3_exec(p->db, "COMMIT", 0, 0, 0)!=SQLITE_OK ) tellError(p, "COMMIT");
    else tellWrite(p, zStamp, i, i);
  }else if( strncmp(sqlite3_errmsg(p->db), "kv: check failed", 16)==0 ){
    p->nConflict++;
  }else{
    tellError(p, zSql);
  }
  if( !sqlite3_get_autocommit(p->db) ) sqlite3_exec(p->db, "ROLLBACK", 0, 0, 0);
}

static void doSum(Worker *p){
  char zSql[100], zValue[40], z[150];
  int i = (int)draw(p, N_COUNTER);
  long long iFrom = clockNs();
  snprintf(zSql, sizeof(zSql), "SELECT kv_sum(kv_key('c', %d), 1)", i);
  if( one(p, zSql, zValue, sizeof(zValue))==1 ){
    snprintf(z, sizeof(z), "C %d %s %lld %lld\n", i, zValue, iFrom, clockNs());
    tell(p, z);
    p->nDone++;
  }
}

/* A counter, time and again: with a cache, most of these calls read nothing. */
static void doGet(Worker *p){
  char z[150];
  sqlite3_stmt *pStmt = prepare(p, "SELECT kv_get(?1)");
  int n, i = (int)draw(p, N_COUNTER);
  long long iFrom = 0, iValue = 0;
  snprintf(z, sizeof(z), "[\"c\",%d]", i);
  if( pStmt==0 ) return;
  sqlite3_bind_text(pStmt, 1, z, -1, SQLITE_STATIC);
  for(n=0; n<20; n++){
    iFrom = clockNs();
    if( sqlite3_step(pStmt)==SQLITE_ROW ) iValue = sqlite3_column_int64(pStmt, 0);
    if( sqlite3_reset(pStmt)!=SQLITE_OK ) tellError(p, "kv_get()");
  }
  sqlite3_finalize(pStmt);
  snprintf(z, sizeof(z), "G %d %lld %lld %lld\n", i, iValue, iFrom, clockNs());
  tell(p, z);
}

/* Everything, in two statements of one transaction. */
static void doRead(Worker *p){
  char zStamp[40], z[4200];
  sqlite3_stmt *pStmt = prepare(p, "SELECT kv_part(key, 1), versionstamp FROM kv_entries('[\"k\"]')");
  p->zLine[0] = 0;
  if( pStmt && sqlite3_exec(p->db, "BEGIN", 0, 0, 0)==SQLITE_OK ){
    if( seen(p, pStmt) && one(p, "SELECT kv_versionstamp()", zStamp, sizeof(zStamp))==1 ){
      snprintf(z, sizeof(z), "R %s %s\n", zStamp, p->zLine[0] ? p->zLine : "none");
      tell(p, z);
    }else{
      tellError(p, "reading all");
    }
    sqlite3_exec(p->db, "COMMIT", 0, 0, 0);
  }
  sqlite3_finalize(pStmt);
}

static void *work(void *pArg){
  Worker *p = pArg;
  long long iEnd = clockMs() + nMs;
  char z[1000];
  snprintf(z, sizeof(z), "%s.%d", zLog, p->iThread);
  p->fd = open(z, O_WRONLY|O_CREAT|O_APPEND, 0666);
  if( p->fd<0 || sqlite3_open(zFile, &p->db)!=SQLITE_OK ) exit(4);
  sqlite3_busy_timeout(p->db, 60000);
  sqlite3_enable_load_extension(p->db, 1);
  if( sqlite3_load_extension(p->db, zKv, 0, 0)!=SQLITE_OK ) tellError(p, "loading");
  if( draw(p, 2) ) sqlite3_exec(p->db, "SELECT kv_config('cache_bytes', 100000)", 0, 0, 0);
  while( clockMs()<iEnd ){
    int i = (int)draw(p, N_KEY), j = (int)draw(p, N_KEY);
    switch( draw(p, 10) ){
      case 0: case 1: case 2: doChecked(p, i, j);     break;
      case 3:                 doTransaction(p, i, j); break;
      case 4:                 doStatement(p, i);      break;
      case 5:                 doSum(p);               break;
      case 6: case 7:         doGet(p);               break;
      default:                doRead(p);              break;
    }
  }
  if( sqlite3_close(p->db)!=SQLITE_OK ) tell(p, "E close fails\n");
  close(p->fd);
  return 0;
}

int main(int argc, char **argv){
  int i, n;
  Worker *a;
  pthread_t *aId;
  long nDone = 0, nConflict = 0;
  if( argc!=7 ) return 3;
  zKv = argv[1];
  zFile = argv[2];
  zLog = argv[3];
  n = atoi(argv[4]);
  nMs = atol(argv[5]);
  sqlite3_initialize();
  a = calloc((size_t)n, sizeof(*a));
  aId = calloc((size_t)n, sizeof(*aId));
  if( a==0 || aId==0 ) return 3;
  for(i=0; i<n; i++){
    a[i].iThread = i;
    a[i].iRandom = (unsigned)(atol(argv[6])*977 + i*7919)|1;
    pthread_create(&aId[i], 0, work, &a[i]);
  }
  for(i=0; i<n; i++){
    pthread_join(aId[i], 0);
    nDone += a[i].nDone;
    nConflict += a[i].nConflict;
  }
  printf("done %ld conflicts %ld\n", nDone, nConflict);
  free(a);
  free(aId);
  return 0;
}
