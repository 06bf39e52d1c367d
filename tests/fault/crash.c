/*
** crash.c -- the power fails at every sync and every delete of a script.
**
** The scripts run over the recording VFS (vfs.c).  At each point some images
** of what the disk may hold are made and opened as after a restart.  Such a
** file must be sound and hold what it held after one of the statements: the
** last one that was done or the one under way, where the journal mode promises
** that what was committed stays; any earlier one else.  The next write's
** version must be greater than any that was acknowledged and has stayed.
*/
#include "fault.h"
#include <sys/stat.h>

static char **crashState;          /* Content after each statement, in order */
static int nState;
static int iDone;                  /* crashState[] of the last statement done */
static char *crashAhead;           /* ... of the one under way */
static long nPoint, nImages, nAhead, nBehind;
static char zCrashDir[1000], zCrashFile[1100];
static const char *zCrashWhere;
static int crashDurable;

static long long versionOf(const char *zDump){
  const char *z = strstr(zDump, "\ndata_version\n|1:0|1:");
  return z ? atoll(z+21) : 0;
}

/* Judge the image in zCrashDir. */
static void crashJudge(unsigned iSeed){
  Text dump = {0, 0, 0};
  sqlite3 *db;
  Result r;
  int i = -1, bOk = 0;
  g_time = 0;                          /* expired entries are content too */
  if( !dbDump(zCrashFile, 0, &dump, 1) ){
    report(zCrashWhere, "point %ld, image %u: %s", nPoint, iSeed, dump.z);
    textFree(&dump);
    return;
  }
  if( crashAhead && strcmp(dump.z, crashAhead)==0 ){
    bOk = 1;
    i = iDone;
    nAhead++;
  }
  if( !bOk ){
    for(i=iDone; i>=0 && strcmp(dump.z, crashState[i])!=0; i--){}
    bOk = i==iDone || (i>=0 && !crashDurable && strcmp(crashState[i], crashState[iDone])!=0)
       || (i>=0 && strcmp(crashState[i], crashState[iDone])==0);
    if( i>=0 && i<iDone ) nBehind++;
  }
  if( !bOk ){
    report(zCrashWhere, "point %ld, image %u: %s", nPoint, iSeed, i<0
        ? "the content is that after no statement" : "what was committed is gone");
    if( g_setup.bVerbose ) printf("%s--\n%s", dump.z, crashState[iDone]);
  }else if( sqlite3_open(zCrashFile, &db)!=SQLITE_OK || g_xInit(db, 0, apiTable())!=SQLITE_OK ){
    die("cannot open the image");
  }else{
    long long iBefore = versionOf(dump.z), iNow = 0;
    if( crashDurable && versionOf(crashState[iDone])>iBefore ) iBefore = versionOf(crashState[iDone]);
    r = dbRun(db, "SELECT kv_set('[\"crash\"]', 1) = kv_versionstamp(); SELECT version FROM data_version", iSeed, TIME_BEGIN);
    if( r.rc==SQLITE_OK && strncmp(r.text.z, "1\n", 2)==0 ) iNow = atoll(r.text.z+2);
    if( iNow>iBefore ) g_passed++;
    else report(zCrashWhere, "point %ld, image %u: the next write: %s", nPoint, iSeed, r.text.z);
    resultFree(&r);
    sqlite3_close(db);
  }
  textFree(&dump);
}

static void crashPoint(void){
  uint64_t x = steadyState();
  long long iTime = g_time;
  int i;
  nPoint++;
  if( g_setup.nStep>1 && (nPoint+g_setup.iSeed)%g_setup.nStep!=0 ) return;
  for(i=0; i<g_setup.nImage; i++){
    unsigned iSeed = (unsigned)(nPoint*100+g_setup.iSeed*100000+i);
    fileRemove(zCrashFile);
    vfsCrashImage(zCrashDir, iSeed);
    nImages++;
    g_xCrashPoint = 0;
    crashJudge(iSeed);
    g_xCrashPoint = crashPoint;
  }
  g_time = iTime;
  steadyBack(x);
}

static void addState(Text *pDump){
  crashState = realloc(crashState, (size_t)(nState+1)*sizeof(char*));
  if( crashState==0 ) die("out of memory");
  crashState[nState++] = pDump->z;
  memset(pDump, 0, sizeof(*pDump));
}

/*
** Run the whole script once.  bRecord=0: to know the content after each
** statement; the second time the states are known and the crashes happen.
*/
static void crashRun(const Script *pScript, const char *zFile, int bRecord){
  long long iTime = TIME_BEGIN;
  int i, j, iState = 0;
  Text dump = {0, 0, 0};
  fileRemove(zFile);
  if( !bRecord ){
    dbDump(zFile, 0, &dump, 0);
    addState(&dump);
    fileRemove(zFile);
  }
  for(i=0; i<pScript->nBlock; i++){
    const Block *pBlock = &pScript->aBlock[i];
    sqlite3 *db;
    if( pBlock->bNoCrash ) break;
    iTime += pBlock->nTick;
    zCrashWhere = pBlock->zName;
    if( bRecord ) iDone = iState;
    if( dbOpen(zFile, &db, 0)!=SQLITE_OK ) die("the extension can't be loaded");
    for(j=0; j<pBlock->nSql; j++){
      Result r;
      if( bRecord ){
        iDone = iState;
        crashAhead = crashState[iState+1];
      }
      r = dbRun(db, pBlock->azSql[j], (unsigned)(i+1)*1000+(unsigned)j, iTime);
      resultFree(&r);
      iState++;
      if( !bRecord ){
        g_time = 0;
        if( !dbDump(zFile, 0, &dump, 0) ) die("%s: %s", pBlock->zName, dump.z);
        addState(&dump);
      }
    }
    if( bRecord ){
      iDone = iState;
      crashAhead = 0;
    }
    sqlite3_close(db);
  }
  textFree(&dump);
}

void runCrashes(const Script *pScript){
  char zFile[1000];
  int i, bWal = strcmp(g_setup.zJournal, "wal")==0;
  snprintf(zFile, sizeof(zFile), "%s/crash.db", g_setup.zDir);
  snprintf(zCrashDir, sizeof(zCrashDir), "%s/after", g_setup.zDir);
  snprintf(zCrashFile, sizeof(zCrashFile), "%s/crash.db", zCrashDir);
  mkdir(zCrashDir, 0777);
  crashRun(pScript, zFile, 0);
  /* What is promised to stay: with DELETE only if the directory is synced, or
  ** if deletes last by themselves. */
  crashDurable = strcmp(g_setup.zSync, "extra")==0
      || (strcmp(g_setup.zSync, "full")==0 && (bWal || strcmp(g_setup.zJournal, "delete")!=0));
  nPoint = nImages = nAhead = nBehind = 0;
  vfsRecord(1, 0);
  g_xCrashPoint = crashPoint;
  crashRun(pScript, zFile, 1);
  g_xCrashPoint = 0;
  vfsRecord(0, 0);
  printf("%s, %s, synchronous=%s: %ld points, %ld images; %ld held the statement under way, %ld an earlier state\n",
         pScript->zFile, g_setup.zJournal, g_setup.zSync, nPoint, nImages, nAhead, nBehind);
  for(i=0; i<nState; i++) free(crashState[i]);
  free(crashState);
  crashState = 0;
  nState = 0;
  fileRemove(zFile);
  fileRemove(zCrashFile);
}
