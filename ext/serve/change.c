/*
** change.c -- what is written is noticed.  See change.h.
**
** Other programs' writes to a file are noticed by PRAGMA data_version, every few ms
** while anybody wants to know; on a cluster its leader is asked for the newest version
** and for messages that are ready.
*/
#include "serve/change.h"
#include "serve/base.h"
#include "serve/clock.h"
#include "serve/cluster.h"
#include "serve/job.h"
#include "serve/loop.h"
#include "serve/queue.h"
#include "serve/watch.h"
#include "serve/write.h"

#define CHANGE_POLL_MS     4
#define CHANGE_CLUSTER_MS  20

static i64 changeAt;                     /* When to look next, in us */
static u32 changeRounds;                 /* writeRounds() as last seen */

static void changed(void){
  watchWritten();
  queueWritten();
}

/* ---- on a cluster --------------------------------------------------------- */

static void changeAskRun(Job *pJob, Link *pLink);
static void changeAskDone(Job *pJob);

static struct {
  Job job;                               /* First */
  u8 bRuns;
  int rc;
  i64 iVersion;                          /* As last seen */
  i64 a[3];                              /* Version, ready messages, when the next one is */
} changeAsk = { { 0, changeAskRun, changeAskDone }, 0, 0, 0, { 0 } };

static void changeAskRun(Job *pJob, Link *pLink){
  (void)pJob;
  changeAsk.rc = clusterNumbers(pLink, 0, "SELECT (SELECT version FROM data_version WHERE k = 0), "
      QUEUE_READY ", " QUEUE_NEXT, 2, clockNow(), QUEUE_READY_MOST, changeAsk.a, 3);
}

static void changeAskDone(Job *pJob){
  (void)pJob;
  changeAsk.bRuns = 0;
  if( changeAsk.rc!=LINK_OK ) return;
  if( changeAsk.a[0]!=changeAsk.iVersion ) watchWritten();
  changeAsk.iVersion = changeAsk.a[0];
  queueReady(changeAsk.a[1], changeAsk.a[2]);
  loopAgain();
}

/* ---- the loop ------------------------------------------------------------- */

static i64 changeStep(void){
  i64 iNow = clockUs(), nWait = clusterOn() ? CHANGE_CLUSTER_MS : CHANGE_POLL_MS;
  if( watchCount()==0 && queueWaiting()==0 ) return -1;
  if( writeRounds()!=changeRounds ){
    changeRounds = writeRounds();
    changed();
    changeAt = 0;
  }
  if( iNow<changeAt ) return (changeAt-iNow)/1000 + 1;
  changeAt = iNow + nWait*1000;
  if( !clusterOn() ){
    if( baseChanged() ) changed();
  }else if( !changeAsk.bRuns ){
    changeAsk.bRuns = 1;
    jobStart(JOB_READ, &changeAsk.job);
  }
  return nWait;
}

static LoopStep changeSteps = { changeStep, 0 };

void changeInit(void){ loopStep(&changeSteps); }
