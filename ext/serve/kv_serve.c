/*
** kv_serve.c -- a server of KV Connect.
**
**     kv-serve FILE [--listen HOST:PORT] [--tokens FILE] [--idle SECONDS] [--log]
**     kv-serve --cluster HOST:PORT,... [--database NAME] [--listen ...] ...
**
** It serves a file of Deno KV, or a database of a cluster of dqlite whose nodes are
** kv-dqlite, over HTTP to Deno (Deno.openKv("http://...")) and
** @deno/kv: HTTP/2 without TLS and HTTP/1.1, on one port.  A reverse proxy adds TLS.
**
** All of it is one thread with an event loop, but what waits for a cluster.  From the
** bottom:
**
**   clock, arena, loop        times; memory of a message; what is waited for
**   token, base, apply        who may do what; the file; an atomic operation
**   link, job, cluster        a cluster's leader; threads that wait for it; what it is asked
**   request, metrics          a request and its reply; what is known of all of them
**   message                   bodies and replies as KV Connect has them
**   write, watch, queue       the queue of writes; streams of changes; Deno's queue
**   change                    what other programs write
**   connect, route            the other requests; paths
**   http1, http2, listen      the two versions of HTTP, and the port
*/
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "serve/base.h"
#include "serve/change.h"
#include "serve/clock.h"
#include "serve/cluster.h"
#include "serve/http1.h"
#include "serve/http2.h"
#include "serve/listen.h"
#include "serve/loop.h"
#include "serve/metrics.h"
#include "serve/queue.h"
#include "serve/request.h"
#include "serve/token.h"
#include "serve/watch.h"
#include "serve/write.h"

#define SERVE_LISTEN  "127.0.0.1:4512"
#define SERVE_DATABASE "kv.db"
#define SERVE_END_MS  10000              /* For what is under way, once it is to end */

static struct {
  const char *zFile, *zListen, *zTokens, *zIdle;
  const char *zCluster, *zDatabase;      /* Instead of a file */
  i64 iEnd;                              /* When it ends at the latest; 0: not yet */
} serve;

static int serveUsage(void){
  fprintf(stderr,
    "usage: kv-serve FILE [--listen HOST:PORT] [--tokens FILE] [--idle SECONDS] [--log]\n"
    "       kv-serve --cluster HOST:PORT,... [--database NAME] [--listen ...] ...\n"
    "FILE: a database of Deno KV, created if it doesn't exist.\n"
    "--cluster: members of a cluster of kv-dqlite; --database: " SERVE_DATABASE " unless given.\n"
    "--listen: where clients connect, " SERVE_LISTEN " unless given; *:4512 is every address.\n"
    "--tokens: lines TOKEN rw|r [PREFIX]; without it DENO_KV_ACCESS_TOKEN is the only token.\n"
    "--idle: until a connection that is silent, or a request or reply that makes no\n"
    "progress, is dropped, 120 unless given.  --log: print a line for each request.\n");
  return 2;
}

static int serveOptions(int argc, char **argv){
  int i;
  serve.zListen = SERVE_LISTEN;
  for(i=1; i<argc; i++){
    const char *z = argv[i];
    const char **pz;
    if( strcmp(z, "--log")==0 ){
      metricsLog();
      continue;
    }
    pz = strcmp(z, "--listen")==0 ? &serve.zListen
                    : strcmp(z, "--tokens")==0 ? &serve.zTokens
       : strcmp(z, "--cluster")==0 ? &serve.zCluster
       : strcmp(z, "--database")==0 ? &serve.zDatabase
       : strcmp(z, "--idle")==0 ? &serve.zIdle : 0;
    if( pz ){
      if( ++i==argc ) return -1;
      *pz = argv[i];
    }else if( z[0]=='-' || serve.zFile ){
      return -1;
    }else{
      serve.zFile = z;
    }
  }
  if( serve.zIdle && listenIdle(serve.zIdle) ) return -1;
  if( serve.zDatabase && serve.zCluster==0 ) return -1;
  return (serve.zFile!=0)!=(serve.zCluster!=0) ? 0 : -1;
}

/* What is served.  Beside a cluster there is a store in memory, which stays empty. */
static int serveOpen(void){
  const char *zDatabase = serve.zDatabase ? serve.zDatabase : SERVE_DATABASE;
  if( serve.zCluster==0 ) return baseOpen(serve.zFile, 0);
  return clusterInit(serve.zCluster, zDatabase) || baseOpen(":memory:", zDatabase) ? -1 : 0;
}

/* ---- ending --------------------------------------------------------------- */

/* Once it is to end: as soon as there are no requests, or it is time. */
static i64 serveStep(void){
  if( serve.iEnd==0 ) return -1;
  if( requestCount()==0 || clockMs()>=serve.iEnd ){
    loopStop();
    return 0;
  }
  return 50;
}

static LoopStep serveSteps = { serveStep, 0 };

static void serveSignal(LoopFile *pFile, u32 mEvents){
  struct signalfd_siginfo info;
  (void)mEvents;
  if( read(pFile->fd, &info, sizeof(info))!=(ssize_t)sizeof(info) ) return;
  if( info.ssi_signo==SIGHUP ){
    if( tokenLoad(serve.zTokens)==0 ) fprintf(stderr, "kv-serve: the tokens have been read\n");
  }else if( serve.iEnd==0 ){
    serve.iEnd = clockMs() + SERVE_END_MS;
    listenClose();
    watchFinish();
    queueEnd();
    http2Finish();
  }else{
    loopStop();
  }
}

static LoopFile serveSignals = { -1, serveSignal };

static int serveSignalsOpen(void){
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, 0);
  signal(SIGPIPE, SIG_IGN);
  serveSignals.fd = signalfd(-1, &set, SFD_NONBLOCK|SFD_CLOEXEC);
  return serveSignals.fd<0 ? -1 : loopAdd(&serveSignals, EPOLLIN);
}

int main(int argc, char **argv){
  char zUrl[LISTEN_URL];
  if( serveOptions(argc, argv) ) return serveUsage();
  if( baseInit() ){
    fprintf(stderr, "kv-serve: out of memory\n");
    return 1;
  }
  if( tokenLoad(serve.zTokens) ) return 1;
  if( loopInit() || serveSignalsOpen() ){
    perror("kv-serve");
    return 1;
  }
  if( serveOpen() || writeInit() || listenOpen(serve.zListen, zUrl) ) return 1;
  changeInit();
  watchInit();
  queueInit();
  metricsInit();
  loopStep(&serveSteps);
  fprintf(stderr, "listening on %s\n", zUrl);
  loopRun();
  listenClose();
  http1Close();
  http2Close();
  writeClose();
  baseClose();
  return 0;
}
