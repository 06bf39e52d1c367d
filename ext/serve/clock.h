/*
** clock.h -- the two clocks of the server.
*/
#ifndef KV_SERVE_CLOCK_H
#define KV_SERVE_CLOCK_H

#include <time.h>
#include "bytes/types.h"

/* Microseconds and milliseconds of a clock that is never set. */
static inline i64 clockUs(void){
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (i64)ts.tv_sec*1000000 + ts.tv_nsec/1000;
}
static inline i64 clockMs(void){ return clockUs()/1000; }

/* Milliseconds since 1970. */
static inline i64 clockNow(void){
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  return (i64)ts.tv_sec*1000 + ts.tv_nsec/1000000;
}

#endif /* KV_SERVE_CLOCK_H */
