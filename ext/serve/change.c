/*
** change.c -- what other programs write is noticed.  See change.h.
**
** PRAGMA data_version says so, every few ms while anybody wants to know.
*/
#include "serve/change.h"
#include "serve/base.h"
#include "serve/clock.h"
#include "serve/loop.h"
#include "serve/queue.h"
#include "serve/watch.h"

#define CHANGE_POLL_MS 4

static i64 changeAt;                     /* When to look next, in us */

static i64 changeStep(void){
  i64 iNow = clockUs();
  if( watchCount()==0 && queueWaiting()==0 ) return -1;
  if( iNow<changeAt ) return (changeAt-iNow)/1000 + 1;
  changeAt = iNow + CHANGE_POLL_MS*1000;
  if( baseChanged() ){
    watchWritten();
    queueWritten();
    loopAgain();
  }
  return CHANGE_POLL_MS;
}

static LoopStep changeSteps = { changeStep, 0 };

void changeInit(void){ loopStep(&changeSteps); }
