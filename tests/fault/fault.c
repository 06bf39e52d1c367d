/*
** fault.c -- every place in a script fails once.
**
** After a failure: the statement has failed with the code that belongs to the
** fault, or has done what it does without one (SQLite can do without some
** memory and some calls); the file holds what it held before the statement or
** what it holds after it; the statement can be run again and then, and all
** behind it, gives what it gives without a fault; no memory is lost.
*/
#include "fault.h"


/* What a clean run of a block gives. */
typedef struct Clean Clean;
struct Clean {
  Text before;            /* The file's bytes before the block */
  Result *aResult;        /* By statement */
  Text *aDump;            /* The content; [0] before the first statement */
};

/* One run of a block, while it goes on. */
typedef struct Run Run;
struct Run {
  const Script *pScript;
  const Block *pBlock;
  const Clean *pClean;
  const char *zFile;
  sqlite3 *db;
  unsigned iSeed;         /* Of the block */
  long long iTime;
  Text dump;
  char zWhere[300];
  long iPlace;            /* The place that fails */
  int bBad;
};

/* An error that comes without a fault too.  SQLite may have had no memory for
** its text, or could not take back the statement alone: then the transaction is
** gone. */
static int isSameError(const Result *p, const Result *pWant){
  const char *z = p->text.z;
  if( p->rc==SQLITE_OK || p->rc!=pWant->rc ) return 0;
  if( strcmp(z, pWant->text.z)==0 ) return 1;
  if( g_fault.eKind!=KIND_MEMORY ) return 0;
  if( strncmp(z, "kv: ", 4)==0 ) z += 4;
  return strcmp(z, sqlite3_errstr(p->rc))==0;
}

static int isFaultCode(int rc){
  int e = rc & 0xff;
  switch( g_fault.eKind ){
    case KIND_MEMORY:                  /* FTS5 takes some of it for a malformed table */
      /* A collation has no errors, and interrupts the statement */
      return e==SQLITE_NOMEM || rc==SQLITE_IOERR_NOMEM || rc==SQLITE_CORRUPT_VTAB || rc==SQLITE_INTERRUPT;
    case KIND_API:    return e==SQLITE_NOMEM || rc==SQLITE_INTERRUPT;
    case KIND_FULL:   return e==SQLITE_FULL;
    case KIND_BUSY:   return e==SQLITE_BUSY;
    case KIND_LIMIT:  return rc!=SQLITE_OK;
    default:          return e==SQLITE_IOERR || e==SQLITE_CANTOPEN || e==SQLITE_NOMEM;
  }
}

static void cleanFree(Clean *p, int nSql){
  int i;
  for(i=0; i<nSql; i++) resultFree(&p->aResult[i]);
  for(i=0; i<=nSql; i++) textFree(&p->aDump[i]);
  free(p->aResult);
  free(p->aDump);
  textFree(&p->before);
}

static void cleanRun(Run *pRun, Clean *p){
  const Block *pBlock = pRun->pBlock;
  int i;
  memset(p, 0, sizeof(*p));
  p->aResult = need((size_t)pBlock->nSql*sizeof(Result));
  p->aDump = need((size_t)(pBlock->nSql+1)*sizeof(Text));
  fileRead(pRun->zFile, &p->before);
  steady(0, pRun->iTime);
  if( dbOpen(pRun->zFile, &pRun->db, 0)!=SQLITE_OK ) die("the extension can't be loaded");
  if( !dbDump(pRun->zFile, pRun->db, &p->aDump[0], 0) ) die("%s: %s", pRun->zWhere, p->aDump[0].z);
  for(i=0; i<pBlock->nSql; i++){
    p->aResult[i] = dbRun(pRun->db, pBlock->azSql[i], pRun->iSeed+(unsigned)i, pRun->iTime);
    if( !dbDump(pRun->zFile, pRun->db, &p->aDump[i+1], 0) ) die("%s: %s", pRun->zWhere, p->aDump[i+1].z);
    if( g_setup.bVerbose ){
      printf("%s: %d %s  -> %d %s\n", pRun->zWhere, i, pBlock->azSql[i], p->aResult[i].rc, p->aResult[i].text.z);
    }
  }
  if( sqlite3_close(pRun->db)!=SQLITE_OK ) report(pRun->zWhere, "close fails");
}

static int sameResult(const Result *p, const Result *pWant){
  return p->rc==pWant->rc && p->bAutocommit==pWant->bAutocommit && strcmp(p->text.z, pWant->text.z)==0;
}

static void bad(Run *p, int iSql, const char *zWhat, const char *zGot){
  p->bBad = 1;
  report(p->zWhere, "place %ld: %s: %s\n    %s", p->iPlace, zWhat, zGot ? zGot : "",
         iSql<p->pBlock->nSql ? p->pBlock->azSql[iSql] : "");
}

static void badCode(Run *p, int i, const Result *pResult){
  char z[500];
  snprintf(z, sizeof(z), "%d, %s", pResult->rc, pResult->text.z);
  bad(p, i, "another error", z);
}

static Result runSql(Run *p, int i){
  return dbRun(p->db, p->pBlock->azSql[i], p->iSeed+(unsigned)i, p->iTime);
}

/* Nothing fails any more: statements from i on give what they should. */
static void runRest(Run *p, int i){
  for(; i<p->pBlock->nSql && !p->bBad; i++){
    Result r = runSql(p, i);
    if( !sameResult(&r, &p->pClean->aResult[i]) ) bad(p, i, "afterwards", r.text.z);
    resultFree(&r);
  }
  if( p->bBad ) return;
  if( !dbDump(p->zFile, p->db, &p->dump, 1) ) bad(p, i, "the file at the end", p->dump.z);
  else if( strcmp(p->dump.z, p->pClean->aDump[i].z)!=0 ) bad(p, i, "other content at the end", p->dump.z);
}

/* A statement that changes the connection rather than the file: whether it was
** done the file does not tell. */
static int isConnection(const char *z){
  static const char *const az[] = { "CREATE", "DROP", "ATTACH", "DETACH", "PRAGMA" };
  int i;
  for(i=0; i<5; i++) if( strncmp(z, az[i], strlen(az[i]))==0 ) return 1;
  return 0;
}

/* The connection still reads and writes. */
static void runProbe(Run *p){
  static const char zProbe[] =
    "SELECT kv_set('[\"fault\",\"probe\"]', 7) > ''; SELECT kv_get('[\"fault\",\"probe\"]');"
    "SELECT kv_set('[\"fault\",\"probe\"]', 8) = kv_versionstamp();"
    "DELETE FROM kv_entries WHERE key='[\"fault\",\"probe\"]'; SELECT changes();";
  Result r = dbRun(p->db, zProbe, 999, p->iTime);
  if( r.rc!=SQLITE_OK || strcmp(r.text.z, "1\n7\n1\n1\n")!=0 ){
    bad(p, p->pBlock->nSql, "the connection afterwards", r.text.z);
  }
  resultFree(&r);
}

/* Statement i has failed by the fault. */
static void runFailed(Run *p, int i, const Result *pResult){
  const Clean *pClean = p->pClean;
  int bBefore, bAfter, bWas;
  if( !dbDump(p->zFile, p->db, &p->dump, 1) ){
    bad(p, i, "the file afterwards", p->dump.z);
    return;
  }
  bBefore = strcmp(p->dump.z, pClean->aDump[i].z)==0;
  bAfter = strcmp(p->dump.z, pClean->aDump[i+1].z)==0;
  bWas = i==0 || pClean->aResult[i-1].bAutocommit;
  if( pResult->bAutocommit && !bWas ){
    /* The whole transaction has been rolled back, or is done. */
    int iBegin = i;
    while( iBegin>0 && !pClean->aResult[iBegin-1].bAutocommit ) iBegin--;
    bBefore = strcmp(p->dump.z, pClean->aDump[iBegin].z)==0;
  }
  if( !bBefore && !bAfter ){
    bad(p, i, "the content is neither that before nor that after", p->dump.z);
    return;
  }
  if( pResult->bAutocommit==bWas && !isConnection(p->pBlock->azSql[i]) ){
    runRest(p, bBefore ? i : i+1);
    return;
  }
  if( !sqlite3_get_autocommit(p->db) && sqlite3_exec(p->db, "ROLLBACK", 0, 0, 0)!=SQLITE_OK ){
    bad(p, i, "ROLLBACK", sqlite3_errmsg(p->db));
  }
  runProbe(p);
}

/* Small limits: place n is aLimit[n-1]. */
static const struct { int eLimit; int n; } aLimit[] = {
  { SQLITE_LIMIT_LENGTH, 30 },        { SQLITE_LIMIT_LENGTH, 100 },
  { SQLITE_LIMIT_LENGTH, 300 },       { SQLITE_LIMIT_LENGTH, 1000 },
  { SQLITE_LIMIT_LENGTH, 4000 },      { SQLITE_LIMIT_LENGTH, 20000 },
  { SQLITE_LIMIT_SQL_LENGTH, 50 },    { SQLITE_LIMIT_SQL_LENGTH, 100 },
  { SQLITE_LIMIT_SQL_LENGTH, 200 },   { SQLITE_LIMIT_COLUMN, 1 },
  { SQLITE_LIMIT_COLUMN, 3 },         { SQLITE_LIMIT_COLUMN, 6 },
  { SQLITE_LIMIT_EXPR_DEPTH, 1 },     { SQLITE_LIMIT_EXPR_DEPTH, 3 },
  { SQLITE_LIMIT_COMPOUND_SELECT, 1 },{ SQLITE_LIMIT_VDBE_OP, 10 },
  { SQLITE_LIMIT_VDBE_OP, 20 },       { SQLITE_LIMIT_VDBE_OP, 40 },
  { SQLITE_LIMIT_FUNCTION_ARG, 1 },   { SQLITE_LIMIT_FUNCTION_ARG, 2 },
  { SQLITE_LIMIT_ATTACHED, 0 },       { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1 },
  { SQLITE_LIMIT_VARIABLE_NUMBER, 0 },{ SQLITE_LIMIT_VARIABLE_NUMBER, 2 },
  { SQLITE_LIMIT_TRIGGER_DEPTH, 0 },  { SQLITE_LIMIT_WORKER_THREADS, 0 },
};
static int iOldLimit;

static void limitSet(sqlite3 *db){
  if( g_fault.eKind!=KIND_LIMIT ) return;
  g_fault.nHit = g_fault.iAt<=(long)(sizeof(aLimit)/sizeof(aLimit[0]));
  if( g_fault.nHit ) iOldLimit = sqlite3_limit(db, aLimit[g_fault.iAt-1].eLimit, aLimit[g_fault.iAt-1].n);
}
static void limitBack(sqlite3 *db, long iAt){
  if( g_fault.eKind==KIND_LIMIT && g_fault.nHit ) sqlite3_limit(db, aLimit[iAt-1].eLimit, iOldLimit);
}

/* Run the block with the fault that is planned. */
static void runOnce(Run *p){
  long iAt = g_fault.iAt;
  int i, rc, bFailed = 0;
  p->iPlace = iAt;
  steady(0, p->iTime);
  g_fault.n = g_fault.nHit = 0;
  p->bBad = 0;
  rc = dbOpen(p->zFile, &p->db, p->pBlock->bLoad);
  limitSet(p->db);
  if( rc!=SQLITE_OK ){
    g_fault.iAt = 0;
    if( !isFaultCode(rc) ) bad(p, 0, "loading", sqlite3_errmsg(p->db));
    rc = g_xInit(p->db, 0, apiTable());
    if( rc!=SQLITE_OK ) bad(p, 0, "loading again", sqlite3_errmsg(p->db));
    runRest(p, 0);
    bFailed = 1;
  }
  for(i=0; i<p->pBlock->nSql && !p->bBad && !bFailed; i++){
    Result r = runSql(p, i);
    if( !sameResult(&r, &p->pClean->aResult[i]) ){
      g_fault.iAt = 0;
      limitBack(p->db, iAt);
      if( g_fault.nHit==0 ) bad(p, i, "without a fault", r.text.z);
      else if( r.rc==SQLITE_OK ) bad(p, i, "success with another result", r.text.z);
      else if( !isFaultCode(r.rc) && !isSameError(&r, &p->pClean->aResult[i]) ) badCode(p, i, &r);
      else runFailed(p, i, &r);
      bFailed = 1;
    }
    resultFree(&r);
  }
  g_fault.iAt = 0;
  if( !bFailed ) limitBack(p->db, iAt);
  if( !bFailed && !p->bBad ){
    if( !dbDump(p->zFile, p->db, &p->dump, 1) ) bad(p, i-1, "the file at the end", p->dump.z);
    else if( strcmp(p->dump.z, p->pClean->aDump[i].z)!=0 ) bad(p, i-1, "other content at the end", p->dump.z);
  }
  rc = sqlite3_close(p->db);
  if( rc!=SQLITE_OK ) bad(p, 0, "close fails", sqlite3_errmsg(p->db));
  g_fault.iAt = iAt;
}

/* Every place of a block. */
static void runBlock(Run *p){
  long nStep = g_setup.nStep;
  long iFirst = nStep>1 ? 1+(g_setup.iSeed+p->iSeed)%nStep : 1;
  long n = 0;
  g_fault.iAt = iFirst;
  if( g_iOnly ) g_fault.iAt = g_iOnly;
  for(;; g_fault.iAt+=nStep){
    long long nMemory;
    fileWrite(p->zFile, &p->pClean->before);
    nMemory = sqlite3_memory_used();
    runOnce(p);
    if( sqlite3_memory_used()!=nMemory ){
      char z[50];
      snprintf(z, sizeof(z), "%lld bytes", sqlite3_memory_used()-nMemory);
      bad(p, p->pBlock->nSql, "memory is lost", z);
    }
    if( g_fault.nHit==0 ) break;
    n++;
    if( !p->bBad ) g_passed++;
    if( g_iOnly ) break;
  }
  if( g_setup.bVerbose ) printf("%s: %ld places\n", p->zWhere, n);
}

void runFaults(const Script *pScript){
  Run run;
  char zFile[1000];
  int i;
  memset(&run, 0, sizeof(run));
  snprintf(zFile, sizeof(zFile), "%s/fault.db", g_setup.zDir);
  fileRemove(zFile);
  run.pScript = pScript;
  run.zFile = zFile;
  run.iTime = TIME_BEGIN;
  for(i=0; i<pScript->nBlock; i++){
    Clean clean;
    Text after = {0, 0, 0};
    run.pBlock = &pScript->aBlock[i];
    g_bOnes = run.pBlock->bOnes;
    run.iSeed = (unsigned)(i+1)*1000;
    run.iTime += run.pBlock->nTick;
    run.pClean = &clean;
    snprintf(run.zWhere, sizeof(run.zWhere), "%s, %s", pScript->zFile, run.pBlock->zName);
    g_fault.iAt = 0;
    cleanRun(&run, &clean);
    fileRead(zFile, &after);
    if( !run.pBlock->bClean && (g_zOnlyBlock==0 || strcmp(g_zOnlyBlock, run.pBlock->zName)==0) ){
      runBlock(&run);
    }
    g_fault.iAt = 0;
    fileWrite(zFile, &after);
    textFree(&after);
    cleanFree(&clean, run.pBlock->nSql);
  }
  fileRemove(zFile);
  textFree(&run.dump);
}
