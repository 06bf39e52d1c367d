/*
** job.c -- work that waits for a cluster.  See job.h.
*/
#include "serve/job.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "serve/loop.h"

#define JOB_READERS 2            /* Threads of the line of reads */

/* Jobs in their order. */
typedef struct JobList JobList;
struct JobList {
  pthread_mutex_t mutex;
  pthread_cond_t more;
  Job *pFirst, **ppLast;
};

/* What a thread has. */
typedef struct JobThread JobThread;
struct JobThread {
  JobList *pLine;
  Link *pLink;
};

static JobList jobLine[JOB_LINES], jobsDone;
static JobThread jobThreads[1+JOB_READERS];
static LoopFile jobFile = { -1, 0 };

static void jobAdd(JobList *pList, Job *p){
  pthread_mutex_lock(&pList->mutex);
  p->pNext = 0;
  *pList->ppLast = p;
  pList->ppLast = &p->pNext;
  pthread_cond_signal(&pList->more);
  pthread_mutex_unlock(&pList->mutex);
}

/* The first, 0 if there is none, for which it waits if bWait. */
static Job *jobTake(JobList *pList, int bWait){
  Job *p;
  pthread_mutex_lock(&pList->mutex);
  while( bWait && pList->pFirst==0 ) pthread_cond_wait(&pList->more, &pList->mutex);
  p = pList->pFirst;
  if( p ){
    pList->pFirst = p->pNext;
    if( p->pNext==0 ) pList->ppLast = &pList->pFirst;
  }
  pthread_mutex_unlock(&pList->mutex);
  return p;
}

static void *jobRun(void *pArg){
  JobThread *pThread = pArg;
  uint64_t n = 1;
  for(;;){
    Job *p = jobTake(pThread->pLine, 1);
    p->xRun(p, pThread->pLink);
    jobAdd(&jobsDone, p);
    while( write(jobFile.fd, &n, sizeof(n))<0 && errno==EINTR ){}
  }
  return 0;
}

static void jobReady(LoopFile *pFile, u32 mEvents){
  uint64_t n;
  Job *p;
  (void)mEvents;
  if( read(pFile->fd, &n, sizeof(n))<0 ) return;
  while( (p = jobTake(&jobsDone, 0))!=0 ) p->xDone(p);
}

static void jobListInit(JobList *p){
  pthread_mutex_init(&p->mutex, 0);
  pthread_cond_init(&p->more, 0);
  p->ppLast = &p->pFirst;
}

int jobInit(void){
  int i;
  jobFile.fd = eventfd(0, EFD_NONBLOCK|EFD_CLOEXEC);
  jobFile.xReady = jobReady;
  if( jobFile.fd<0 || loopAdd(&jobFile, EPOLLIN) ) return -1;
  jobListInit(&jobsDone);
  for(i=0; i<JOB_LINES; i++) jobListInit(&jobLine[i]);
  for(i=0; i<=JOB_READERS; i++){
    JobThread *p = &jobThreads[i];
    pthread_t thread;
    int rc = ENOMEM;
    p->pLine = &jobLine[i==0 ? JOB_WRITE : JOB_READ];
    p->pLink = linkNew();
    if( p->pLink ) rc = pthread_create(&thread, 0, jobRun, p);
    if( rc ){
      errno = rc;
      return -1;
    }
    pthread_detach(thread);
  }
  return 0;
}

void jobStart(int eLine, Job *p){ jobAdd(&jobLine[eLine], p); }
