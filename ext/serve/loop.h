/*
** loop.h -- the event loop: one thread, which waits for files and times.
*/
#ifndef KV_SERVE_LOOP_H
#define KV_SERVE_LOOP_H

#include <sys/epoll.h>
#include "bytes/types.h"

/* A file to wait for.  xReady may close and free it. */
typedef struct LoopFile LoopFile;
struct LoopFile {
  int fd;
  void (*xReady)(LoopFile*, u32 mEvents);
};

/*
** What is done once in each round, after the files: a part of the server that has
** something to finish, or to do later.  Returns the ms until it wants the next
** round, or -1.  A list, in the order in which they were added.
*/
typedef struct LoopStep LoopStep;
struct LoopStep {
  i64 (*xStep)(void);
  LoopStep *pNext;
};

int loopInit(void);
/* 0, or -1 and errno. */
int loopAdd(LoopFile *p, u32 mEvents);
int loopChange(LoopFile *p, u32 mEvents);
void loopRemove(LoopFile *p);
void loopStep(LoopStep *p);
/* A step has something to do that came after its turn: the next round is at once. */
void loopAgain(void);
/* A round: the steps, then the files, for which it waits if bWait.  Until loopStop(). */
void loopRound(int bWait);
void loopRun(void);
void loopStop(void);

#endif /* KV_SERVE_LOOP_H */
