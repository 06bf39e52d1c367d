/*
** bench.c -- how fast the extension is beside what could take its place.
**
**   bench DATA DIR KV NUSER [PEER=command ...]
**
** Runs every work with every peer in turn, for some rounds, and prints a
** Markdown table: medians in nanoseconds, and as ratios to raw SQLite in the
** same round, of the time and, after it, of processor time.  Peers in other programs (tests/bench/peer.*) are asked through
** pipes: "name n" and a newline in, nanoseconds an operation or -1 out.
**
** BENCH_ROUNDS (9), BENCH_ONLY (names of works, with spaces between),
** BENCH_CPU (1: processor time instead of time, here and in the peers: for a
** machine that has other work to do.  Waiting for a disk is not in it.)
**
** Compiled with -DBENCH_STEPS and run under callgrind with --collect-atstart=no
** it counts instructions instead: one round for each work and peer, a dump for
** each named "work peer operations", and no table.
*/
#include "bench.h"
#include <time.h>
#include <unistd.h>
#ifdef BENCH_STEPS
# include <valgrind/callgrind.h>
#endif

Bench bench;

static const char *const azPeer[PEER_COUNT] = {
  "raw", "lean", "table", "function", "plain SQL", "SQLite JSON",
  "openKv", "openKv x 32", "better-sqlite3", "LMDB", "@deno/kv"
};
static FILE *apIn[PEER_COUNT], *apOut[PEER_COUNT];

static int64_t clockNow(clockid_t eClock){
  struct timespec t;
  clock_gettime(eClock, &t);
  return (int64_t)t.tv_sec*1000000000 + t.tv_nsec;
}

/* Time and processor time between the calls of benchNow(), which come in pairs. */
static int64_t nTime, nCpu;
static int iSign;

int64_t benchNow(void){
  int64_t t;
#ifdef BENCH_STEPS
  CALLGRIND_TOGGLE_COLLECT;            /* each work calls this in pairs */
#endif
  t = clockNow(bench.bCpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
  iSign = iSign<0 ? 1 : -1;
  nTime += iSign*t;
  nCpu += iSign*clockNow(CLOCK_PROCESS_CPUTIME_ID);
  return t;
}

/* Do a piece of work; *prCpu is the processor time that it took. */
static double runPeer(const Work *w, int e, int n, double *prCpu){
  double r;
  nTime = nCpu = 0;
  iSign = 1;
  r = w->xRun(w, e, n);
  *prCpu = r<0 || nTime<=0 ? -1 : r*(double)nCpu/(double)nTime;
  return r;
}

uint32_t benchRandom(uint32_t n){
  static uint64_t s = 0x9e3779b97f4a7c15ull;
  s ^= s<<13;
  s ^= s>>7;
  s ^= s<<17;
  return (uint32_t)((s>>32)%n);
}

void benchDie(sqlite3 *db, const char *zWhat){
  fprintf(stderr, "bench: %s: %s\n", zWhat, db ? sqlite3_errmsg(db) : "");
  exit(1);
}

sqlite3 *benchOpen(const char *zFile){
  sqlite3 *db;
  if( sqlite3_open(zFile, &db)!=SQLITE_OK ) benchDie(db, zFile);
  sqlite3_busy_timeout(db, 10000);
  sqlite3_enable_load_extension(db, 1);
  if( sqlite3_load_extension(db, bench.zKv, 0, 0)!=SQLITE_OK ) benchDie(db, bench.zKv);
  return db;
}

sqlite3_stmt *benchPrepare(sqlite3 *db, const char *zSql){
  sqlite3_stmt *p;
  if( sqlite3_prepare_v3(db, zSql, -1, SQLITE_PREPARE_PERSISTENT, &p, 0)!=SQLITE_OK ) benchDie(db, zSql);
  return p;
}

void benchExec(sqlite3 *db, const char *zSql){
  if( sqlite3_exec(db, zSql, 0, 0, 0)!=SQLITE_OK ) benchDie(db, zSql);
}

int benchDrain(sqlite3_stmt *p){
  int n = 0, rc;
  while( (rc = sqlite3_step(p))==SQLITE_ROW ){
    int i, nCol = sqlite3_column_count(p);
    for(i=0; i<nCol; i++){
      switch( sqlite3_column_type(p, i) ){
        case SQLITE_INTEGER: sqlite3_column_int64(p, i); break;
        case SQLITE_TEXT:    sqlite3_column_text(p, i);  break;
        default:             sqlite3_column_blob(p, i);
      }
      sqlite3_column_bytes(p, i);
    }
    n++;
  }
  if( rc!=SQLITE_DONE ) benchDie(sqlite3_db_handle(p), sqlite3_sql(p));
  sqlite3_reset(p);
  return n;
}

void benchBlob(sqlite3_stmt *p, int i, const void *a, int n){
  sqlite3_bind_blob(p, i, a, n, SQLITE_STATIC);
}

void benchText(sqlite3_stmt *p, int i, const char *z){
  sqlite3_bind_text(p, i, z, -1, SQLITE_STATIC);
}

int64_t benchInt(sqlite3 *db, const char *zSql){
  sqlite3_stmt *p = benchPrepare(db, zSql);
  int64_t v;
  if( sqlite3_step(p)!=SQLITE_ROW ) benchDie(db, zSql);
  v = sqlite3_column_int64(p, 0);
  sqlite3_finalize(p);
  return v;
}

void benchUserKey(unsigned char *a, int i){
  double r = i;
  uint64_t u;
  int k;
  memcpy(&u, &r, 8);
  u ^= 0x8000000000000000ull;
  memcpy(a, "\002users\000\041", 8);
  for(k=0; k<8; k++) a[8+k] = (unsigned char)(u>>(56-8*k));
}

/* Start "PEER=command" of the command line. */
static void peerStart(const char *zArg){
  int aTo[2], aFrom[2], e;
  const char *zCmd = strchr(zArg, '=');
  if( zCmd==0 ) benchDie(0, zArg);
  e = atoi(zArg);
  if( e<0 || e>=PEER_COUNT || pipe(aTo) || pipe(aFrom) ) benchDie(0, zArg);
  if( fork()==0 ){
    dup2(aTo[0], 0);
    dup2(aFrom[1], 1);
    close(aTo[1]);
    close(aFrom[0]);
    execl("/bin/sh", "sh", "-c", zCmd+1, (char*)0);
    _exit(127);
  }
  close(aTo[0]);
  close(aFrom[1]);
  apIn[e] = fdopen(aTo[1], "w");
  apOut[e] = fdopen(aFrom[0], "r");
}

/* Ask a peer in another program. */
static double peerAsk(int e, const char *zWork, int n){
  double r = -1;
  if( apIn[e]==0 ) return -1;
  fprintf(apIn[e], "%s %d\n", zWork, n);
  fflush(apIn[e]);
  if( fscanf(apOut[e], "%lf", &r)!=1 ){
    fprintf(stderr, "bench: %s has died\n", azPeer[e]);
    apIn[e] = 0;
  }
  return r;
}

static int compareDouble(const void *pA, const void *pB){
  double a = *(const double*)pA, b = *(const double*)pB;
  return (a>b) - (a<b);
}

static double median(double *a, int n){
  qsort(a, (size_t)n, sizeof(double), compareDouble);
  return n%2 ? a[n/2] : (a[n/2-1]+a[n/2])/2;
}

#define ROUNDS 99

static void runWork(const Work *w, int nRound){
  static double aTime[PEER_COUNT][ROUNDS], aRatio[PEER_COUNT][ROUNDS];
  static double aCpu[PEER_COUNT][ROUNDS], aCpuRatio[PEER_COUNT][ROUNDS];
  int e, i;
  int bAlone = strstr(w->zTitle, ", ns")!=0;
  for(i=-1; i<nRound; i++){            /* a round for warming up, not counted */
    for(e=0; e<PEER_COUNT; e++){
      int n = i<0 && w->n<(1<<30) ? w->n/4+1 : w->n;
      double rCpu = -1;
      double r = e>=PEER_DENO ? peerAsk(e, w->zName, n) : runPeer(w, e, n, &rCpu);
      if( i<0 ) continue;
      aTime[e][i] = r;
      aRatio[e][i] = r<0 ? -1 : bAlone ? r : r/aTime[PEER_RAW][i];
      aCpu[e][i] = rCpu;
      aCpuRatio[e][i] = rCpu<0 || bAlone || bench.bCpu ? -1 : rCpu/aCpu[PEER_RAW][i];
    }
  }
  for(e=0; e<PEER_COUNT; e++){
    if( e>=PEER_DENO ) peerAsk(e, w->zName, 0);
    else w->xRun(w, e, 0);
  }
  printf("| %s |", w->zTitle);
  if( bAlone ) printf(" |"); else printf(" %.0f |", median(aTime[PEER_RAW], nRound));
  for(e=PEER_LEAN; e<PEER_COUNT; e++){
    double r = median(aRatio[e], nRound), rCpu = median(aCpuRatio[e], nRound);
    if( r<0 ) printf(" |");
    else if( bAlone ) printf(" %.0f |", r);
    else printf(r<10 ? " %.2f" : " %.1f", r);
    if( r>=0 && !bAlone && rCpu>=0 ) printf(rCpu<10 ? " · %.2f" : " · %.1f", rCpu);
    if( r>=0 && !bAlone ) printf(" |");
    if( e==PEER_TABLE ){
      if( w->rAim>0 ) printf(" %.2f%s |", w->rAim, r>w->rAim ? " !" : ""); else printf(" |");
    }
  }
  printf("\n");
  fflush(stdout);
}

#ifdef BENCH_STEPS
static void countWork(const Work *w){
  int n = w->n<60 ? w->n : w->n<(1<<30) ? 60 : bench.nUser;
  int e;
  for(e=PEER_RAW; e<=PEER_SQL; e++){
    char z[100];
    if( w->xRun(w, e, n)<0 ) continue; /* the caches are warm from here on */
    CALLGRIND_ZERO_STATS;
    w->xRun(w, e, n);
    snprintf(z, sizeof(z), "%s %d %d", w->zName, e, n);
    CALLGRIND_DUMP_STATS_AT(z);
    w->xRun(w, e, 0);
  }
}
#endif

static int wanted(const char *zName){
  const char *zOnly = getenv("BENCH_ONLY");
  char z[64];
  char zAll[1024];
  if( zOnly==0 || zOnly[0]==0 ) return 1;
  snprintf(z, sizeof(z), " %s ", zName);
  snprintf(zAll, sizeof(zAll), " %s ", zOnly);
  return strstr(zAll, z)!=0;
}

int main(int argc, char **argv){
  const char *zRounds = getenv("BENCH_ROUNDS");
  int nRound = zRounds ? atoi(zRounds) : 9;
  /* The formats come last: Deno's node:v8 leaves it with gigabytes of memory
  ** to look after, which slows down what it does later. */
  static const Work *const apAll[] = {
    benchRead, benchWrite, benchCollection, benchSearch, benchBulk, benchCodec
  };
  const int nAll = sizeof(apAll)/sizeof(apAll[0]);
  const Work *w;
  int i, e;
  if( argc==1 ){                       /* the version, for run.sh */
    printf("%s\n", sqlite3_libversion());
    return 0;
  }
  if( argc<5 || nRound<1 || nRound>ROUNDS ){
    fprintf(stderr, "usage: bench DATA DIR KV NUSER [PEER=command ...]\n");
    return 2;
  }
  bench.bCpu = getenv("BENCH_CPU")!=0;
  bench.zData = argv[1];
  bench.zDir = argv[2];
  bench.zKv = argv[3];
  bench.nUser = atoi(argv[4]);
#ifdef BENCH_STEPS
  for(i=0; i<nAll; i++) for(w=apAll[i]; w->zName; w++) if( wanted(w->zName) ) countWork(w);
  return 0;
#endif
  for(i=5; i<argc; i++) peerStart(argv[i]);
  printf("| work | raw, ns |");
  for(e=PEER_LEAN; e<PEER_COUNT; e++) printf(" %s |%s", azPeer[e], e==PEER_TABLE ? " aim |" : "");
  printf("\n| --- | --- |");
  for(e=PEER_LEAN; e<PEER_COUNT; e++) printf(" --- |%s", e==PEER_TABLE ? " --- |" : "");
  printf("\n");
  for(i=0; i<nAll; i++) for(w=apAll[i]; w->zName; w++) if( wanted(w->zName) ) runWork(w, nRound);
  return 0;
}
