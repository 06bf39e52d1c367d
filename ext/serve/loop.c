/*
** loop.c -- the event loop.  See loop.h.
*/
#include "serve/loop.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LOOP_EVENTS 64           /* Taken from the kernel at a time */

static int loopFd = -1;
static int loopEnds, loopNow;
static LoopStep *loopSteps;
static struct epoll_event loopEvent[LOOP_EVENTS];
static int loopAt, loopCount;

int loopInit(void){
  loopFd = epoll_create1(EPOLL_CLOEXEC);
  return loopFd<0 ? -1 : 0;
}

static int loopControl(int eOp, LoopFile *p, u32 mEvents){
  struct epoll_event event;
  memset(&event, 0, sizeof(event));
  event.events = mEvents;
  event.data.ptr = p;
  return epoll_ctl(loopFd, eOp, p->fd, &event);
}

int loopAdd(LoopFile *p, u32 mEvents){ return loopControl(EPOLL_CTL_ADD, p, mEvents); }
int loopChange(LoopFile *p, u32 mEvents){ return loopControl(EPOLL_CTL_MOD, p, mEvents); }

/* Events of this round that are still to come are not for it any more. */
void loopRemove(LoopFile *p){
  int i;
  loopControl(EPOLL_CTL_DEL, p, 0);
  for(i=loopAt; i<loopCount; i++){
    if( loopEvent[i].data.ptr==p ) loopEvent[i].data.ptr = 0;
  }
}

void loopStep(LoopStep *p){
  LoopStep **pp = &loopSteps;
  while( *pp ) pp = &(*pp)->pNext;
  p->pNext = 0;
  *pp = p;
}

void loopStop(void){ loopEnds = 1; }
void loopAgain(void){ loopNow = 1; }

/* The steps; returns the ms until the next round. */
static int loopAllSteps(void){
  LoopStep *p;
  i64 nWait = -1;
  loopNow = 0;
  for(p=loopSteps; p; p=p->pNext){
    i64 n = p->xStep();
    if( n>=0 && (nWait<0 || n<nWait) ) nWait = n;
  }
  return loopNow ? 0 : nWait>60000 ? 60000 : (int)nWait;
}

void loopRound(int bWait){
  int nWait = loopAllSteps();
  if( loopEnds ) return;
  loopCount = epoll_wait(loopFd, loopEvent, LOOP_EVENTS, bWait ? nWait : 0);
  for(loopAt=0; loopAt<loopCount; ){
    struct epoll_event *pEvent = &loopEvent[loopAt++];
    LoopFile *p = pEvent->data.ptr;
    if( p ) p->xReady(p, pEvent->events);
  }
  loopCount = 0;
}

void loopRun(void){
  while( !loopEnds ) loopRound(1);
}
