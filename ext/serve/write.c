/*
** write.c -- the queue of writes.  See write.h.
*/
#include "serve/write.h"
#include <stdio.h>
#include <stdlib.h>
#include "serve/base.h"
#include "serve/clock.h"
#include "serve/cluster.h"
#include "serve/job.h"
#include "serve/loop.h"

#define WRITE_BATCH     256              /* Writes of one transaction */
#define WRITE_BATCH_US  20000            /* Until it is committed */
#define WRITE_RETRY_MS  5                /* The longest time between two attempts */

static Write *writeFirst, **writeLast = &writeFirst;
static u32 writeN, writeRoundN;
static i64 writeRetryAt, writeRetryMs;
static sqlite3_stmt *writeBegin, *writeCommit, *writeRollback;
static Apply writeApply;

u32 writeCount(void){ return writeN; }
u32 writeRounds(void){ return writeRoundN; }

Write *writeNew(Request *pRequest){
  Write *p = kvZeroed(sizeof(*p));
  if( p==0 ) return 0;
  p->pRequest = pRequest;
  p->iSince = clockMs();
  arenaInit(&p->arena, ARENA_BODY_MAX);
  arenaInit(&p->result, ARENA_BODY_MAX);
  return p;
}

void writeFree(Write *p){
  arenaClear(&p->arena);
  arenaClear(&p->result);
  kvListClear(&p->ops);
  sqlite3_free(p->zError);
  kvFree(p);
}

/* Its client has gone away.  What is not begun is dropped when its turn comes. */
static void writeGone(Request *pRequest){
  ((Write*)pRequest->pWork)->pRequest = 0;
}

void writeQueue(Write *p){
  p->pRequest->pWork = p;
  p->pRequest->xGone = writeGone;
  p->pNext = 0;
  *writeLast = p;
  writeLast = &p->pNext;
  writeN++;
  loopAgain();
}

void writeFailed(Write *p, int rc){
  p->rc = rc;
  sqlite3_free(p->zError);
  p->zError = sqlite3_mprintf("%s", sqlite3_errmsg(baseDb()));
}

/* ---- the queue ------------------------------------------------------------ */

static Write *writeTake(void){
  Write *p = writeFirst;
  if( p==0 ) return 0;
  writeFirst = p->pNext;
  if( writeFirst==0 ) writeLast = &writeFirst;
  p->pNext = 0;
  writeN--;
  return p;
}

/* Put a list back in front of the others: nothing of it has been stored. */
static void writeBack(Write *pList){
  Write **pp = &pList;
  if( pList==0 ) return;
  for(; *pp; pp=&(*pp)->pNext){
    writeN++;
    (*pp)->rc = 0;
  }
  *pp = writeFirst;
  if( writeFirst==0 ) writeLast = pp==&pList ? &writeFirst : pp;
  writeFirst = pList;
}

/* Reply to a write that is over. */
static void writeReply(Write *p){
  Request *pRequest = p->pRequest;
  if( pRequest ){
    int rc = p->rc & 0xff;
    pRequest->xGone = 0;
    if( rc==SQLITE_OK ) p->xReply(p);
    else if( rc==SQLITE_ERROR || rc==SQLITE_CONSTRAINT || rc==SQLITE_TOOBIG ){
      requestText(pRequest, 400, p->zError ? p->zError : "out of memory");
    }else if( baseBusy(rc) ){
      requestText(pRequest, 503, "The database is locked by another program, try again later.");
    }else{
      fprintf(stderr, "kv-serve: a write failed: %s\n", p->zError ? p->zError : "out of memory");
      requestText(pRequest, 500, "An internal server error occurred.");
    }
  }
  writeFree(p);
}

/* A write of ops, in the transaction that has begun. */
static void writeRunOps(Write *p){
  ApplyResult result = { 0, p->aFailed, 0, 0 };
  writeMakeOps(p);
  p->rc = p->ops.bytes.eErr ? SQLITE_NOMEM : applyOps(&writeApply, &p->ops, &result);
  p->iVersion = result.iVersion;
  p->nFailed = result.nFailed;
  sqlite3_free(p->zError);
  p->zError = result.zError;
}

static void writeReplyAll(Write *pList){
  while( pList ){
    Write *p = pList;
    pList = p->pNext;
    writeReply(p);
  }
}

/* Nothing could be begun. */
static i64 writeWait(int rc){
  i64 iNow = clockMs();
  if( baseBusy(rc) ){
    while( writeFirst && writeFirst->iSince+WRITE_WAIT_MS<iNow ){
      Write *p = writeTake();
      p->rc = rc;
      writeReply(p);
    }
    writeRetryMs = writeRetryMs ? writeRetryMs*2 : 1;
    if( writeRetryMs>WRITE_RETRY_MS ) writeRetryMs = WRITE_RETRY_MS;
    writeRetryAt = iNow + writeRetryMs;
    return writeRetryMs;
  }
  while( writeFirst ){
    Write *p = writeTake();
    writeFailed(p, rc);
    writeReply(p);
  }
  return -1;
}

/* Carry out writes in a transaction that has begun.  Returns those that wait for its
** end, or those that have to be done again (*pbAgain): an error has ended it. */
static Write *writeBatch(int *pbAgain){
  Write *pDone = 0, **ppDone = &pDone, *p;
  i64 iEnd = clockUs() + WRITE_BATCH_US;
  int n;
  *pbAgain = 0;
  for(n=0; n<WRITE_BATCH && (n==0 || clockUs()<iEnd) && (p = writeTake())!=0; n++){
    if( p->pRequest==0 ){
      writeFree(p);
      continue;
    }
    if( p->xRun ) p->xRun(p);
    else writeRunOps(p);
    if( sqlite3_get_autocommit(baseDb()) ){
      *pbAgain = 1;
      writeReply(p);
      break;
    }
    *ppDone = p;
    ppDone = &p->pNext;
  }
  return pDone;
}

/* ---- on a cluster --------------------------------------------------------- */

static void writeRemoteRun(Job *pJob, Link *pLink);
static void writeRemoteDone(Job *pJob);

/* The writes that are being carried out, by a job. */
static struct {
  Job job;                               /* First */
  Write *pFirst;
} writeRemote = { { 0, writeRemoteRun, writeRemoteDone }, 0 };

static void writeRemoteRun(Job *pJob, Link *pLink){
  (void)pJob;
  clusterWrite(pLink, writeRemote.pFirst);
}

static void writeRemoteDone(Job *pJob){
  Write *pDone = writeRemote.pFirst;
  (void)pJob;
  writeRemote.pFirst = 0;
  writeRoundN++;
  writeReplyAll(pDone);
  loopAgain();
}

/* The id: the time, so that ids are stored one behind the other, and chance. */
static void writeMakeId(Write *p){
  u64 a[2];
  sqlite3_randomness(sizeof(a), a);
  snprintf(p->zId, sizeof(p->zId), "%012llx%016llx%08llx", (unsigned long long)clockNow(),
      (unsigned long long)a[0], (unsigned long long)a[1] & 0xffffffffu);
}

static void writeRemoteStep(void){
  Write **pp = &writeRemote.pFirst, *p;
  int n = 0;
  if( writeRemote.pFirst ) return;
  while( n<WRITE_BATCH && (p = writeTake())!=0 ){
    if( p->pRequest==0 ){
      writeFree(p);
      continue;
    }
    writeMakeId(p);
    *pp = p;
    pp = &p->pNext;
    n++;
  }
  if( n ) jobStart(JOB_WRITE, &writeRemote.job);
}

/* ---- on a file ------------------------------------------------------------ */

static i64 writeStep(void){
  i64 iWait = writeRetryAt - clockMs();
  Write *pDone;
  int rc, bAgain;
  if( writeFirst==0 ) return -1;
  if( clusterOn() ){
    writeRemoteStep();
    return -1;
  }
  if( writeRetryMs && iWait>0 ) return iWait;
  rc = baseRun(&writeBegin, "BEGIN IMMEDIATE");
  if( rc!=SQLITE_OK ) return writeWait(rc);
  writeRetryMs = 0;
  pDone = writeBatch(&bAgain);
  if( !bAgain ){
    rc = baseRun(&writeCommit, "COMMIT");
    bAgain = rc!=SQLITE_OK;
    if( bAgain ) baseRun(&writeRollback, "ROLLBACK");
  }
  if( bAgain ){
    writeBack(pDone);
    return rc==SQLITE_OK ? 0 : writeWait(rc);
  }
  if( pDone ) writeRoundN++;
  writeReplyAll(pDone);
  return writeFirst ? 0 : -1;
}

static LoopStep writeSteps = { writeStep, 0 };

int writeInit(void){
  loopStep(&writeSteps);
  return applyInit(&writeApply, baseDb());
}

void writeClose(void){ applyClear(&writeApply); }
