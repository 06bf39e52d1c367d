/*
** job.h -- work that waits for a cluster, on threads beside the loop's.
**
** Whatever a job reads and writes is its own until xDone, which the loop calls in a
** round of its own once xRun has returned.  Jobs of the line of writes run one after
** the other, those of reads on a few threads.
*/
#ifndef KV_SERVE_JOB_H
#define KV_SERVE_JOB_H

#include "serve/link.h"

typedef struct Job Job;
struct Job {
  Job *pNext;
  void (*xRun)(Job*, Link*);     /* On a thread, which has the connection */
  void (*xDone)(Job*);           /* On the loop's; may free the job */
};

enum { JOB_READ, JOB_WRITE, JOB_LINES };

/* Start the threads.  0, or -1 and errno. */
int jobInit(void);
void jobStart(int eLine, Job *p);

#endif /* KV_SERVE_JOB_H */
