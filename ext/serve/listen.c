/*
** listen.c -- the port.  See listen.h.
*/
#include "serve/listen.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "bytes/memory.h"
#include "serve/clock.h"
#include "serve/http1.h"
#include "serve/http2.h"
#include "serve/loop.h"

#define LISTEN_SPARE     64              /* Files that aren't connections */
#define LISTEN_LOST_MS   60000           /* Until a client that is gone is noticed */

/* A connection that hasn't said enough yet. */
typedef struct ListenNew ListenNew;
struct ListenNew {
  LoopFile file;                         /* First */
  i64 iSince;
  ListenNew *pNext, **ppPrev;            /* The next is older */
};

static LoopFile listenFile = { -1, 0 };
static ListenNew *listenNews;
static unsigned listenOpenCount, listenMost;

long long listenIdleMs = 120000;

int listenIdle(const char *zSeconds){
  char *zEnd;
  unsigned long n = strtoul(zSeconds, &zEnd, 10);
  if( zEnd==zSeconds || *zEnd || n<1 || n>86400 ) return -1;
  listenIdleMs = (long long)n*1000;
  return 0;
}

unsigned listenCount(void){ return listenOpenCount; }

static void listenWait(int bWait){
  if( listenFile.fd>=0 ) loopChange(&listenFile, bWait ? 0 : EPOLLIN);
}

void listenGone(void){
  if( listenOpenCount-- == listenMost ) listenWait(0);
}

static void listenForget(ListenNew *p){
  loopRemove(&p->file);
  *p->ppPrev = p->pNext;
  if( p->pNext ) p->pNext->ppPrev = p->ppPrev;
  kvFree(p);
}

static void listenDrop(ListenNew *p){
  close(p->file.fd);
  listenForget(p);
  listenGone();
}

/* Compare what has come with the preface of HTTP/2. */
static void listenFirst(LoopFile *pFile, u32 mEvents){
  static const char zPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  ListenNew *p = (ListenNew*)pFile;
  int fd = p->file.fd;
  char a[sizeof(zPreface)-1];
  ssize_t n = recv(fd, a, sizeof(a), MSG_PEEK);
  (void)mEvents;
  if( n<0 && (errno==EAGAIN || errno==EINTR) ) return;
  if( n<=0 ){
    listenDrop(p);
  }else if( memcmp(a, zPreface, (size_t)n)!=0 ){
    listenForget(p);
    http1Accept(fd);
  }else if( n==(ssize_t)sizeof(a) ){
    listenForget(p);
    http2Accept(fd);
  }
}

void listenAdd(int fd){
  ListenNew *p = kvZeroed(sizeof(*p));
  int bOn = 1;
  unsigned nLost = LISTEN_LOST_MS;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &bOn, sizeof(bOn));
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &nLost, sizeof(nLost));
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &bOn, sizeof(bOn));
  if( p ){
    p->file.fd = fd;
    p->file.xReady = listenFirst;
    p->iSince = clockMs();
  }
  if( p==0 || loopAdd(&p->file, EPOLLIN|EPOLLET|EPOLLRDHUP) ){
    kvFree(p);
    close(fd);
    return;
  }
  p->pNext = listenNews;
  p->ppPrev = &listenNews;
  if( listenNews ) listenNews->ppPrev = &p->pNext;
  listenNews = p;
  if( ++listenOpenCount==listenMost ) listenWait(1);
}

static void listenReady(LoopFile *pFile, u32 mEvents){
  int i;
  (void)mEvents;
  for(i=0; i<64 && listenOpenCount<listenMost; i++){
    int fd = accept4(pFile->fd, 0, 0, SOCK_NONBLOCK|SOCK_CLOEXEC);
    if( fd<0 ) break;
    listenAdd(fd);
  }
}

/* Those that say nothing go. */
static i64 listenStep(void){
  i64 iLast = clockMs()-listenIdleMs;
  ListenNew *p, *pNext;
  for(p=listenNews; p; p=pNext){
    pNext = p->pNext;
    if( p->iSince<iLast ) listenDrop(p);
  }
  return listenNews ? 1000 : -1;
}

static LoopStep listenSteps = { listenStep, 0 };

/* Split an address; 0, or -1. */
static int listenSplit(const char *z, char *zHost, size_t nHost, const char **pzPort){
  const char *zColon = strrchr(z, ':');
  size_t n = zColon ? (size_t)(zColon-z) : 0;
  if( zColon==0 || zColon[1]==0 || n==0 ) return -1;
  *pzPort = &zColon[1];
  if( z[0]=='[' && n>2 && z[n-1]==']' ){
    z++;
    n -= 2;
  }
  if( n>=nHost ) return -1;
  memcpy(zHost, z, n);
  zHost[n] = 0;
  return 0;
}

static int listenFail(const char *zAddress, const char *zWhy){
  fprintf(stderr, "kv-serve: can't listen at %s: %s\n", zAddress, zWhy);
  return -1;
}

static int listenSocket(const struct addrinfo *p){
  int bOn = 1;
  int fd = socket(p->ai_family, SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC, 0);
  if( fd<0 ) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &bOn, sizeof(bOn));
  if( bind(fd, p->ai_addr, p->ai_addrlen)==0 && listen(fd, 1024)==0 ) return fd;
  close(fd);
  return -1;
}

/* The URL, with the port that the system has chosen for 0. */
static void listenUrl(int fd, const char *zHost, char *zUrl){
  struct sockaddr_storage a;
  socklen_t n = sizeof(a);
  unsigned iPort = 0;
  if( getsockname(fd, (struct sockaddr*)&a, &n)==0 ){
    iPort = a.ss_family==AF_INET6 ? ntohs(((struct sockaddr_in6*)&a)->sin6_port)
                                  : ntohs(((struct sockaddr_in*)&a)->sin_port);
  }
  if( strcmp(zHost, "*")==0 ) zHost = "localhost";
  snprintf(zUrl, LISTEN_URL, strchr(zHost, ':') ? "http://[%s]:%u" : "http://%s:%u", zHost, iPort);
}

int listenOpen(const char *zAddress, char *zUrl){
  struct addrinfo hints, *pList = 0;
  struct rlimit limit;
  char zHost[256];
  const char *zPort = 0;
  int rc, fd = -1;
  if( listenSplit(zAddress, zHost, sizeof(zHost), &zPort) ){
    return listenFail(zAddress, "an address is such as 127.0.0.1:4512, [::1]:4512 or *:4512");
  }
  memset(&hints, 0, sizeof(hints));
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  rc = getaddrinfo(strcmp(zHost, "*") ? zHost : 0, zPort, &hints, &pList);
  if( rc ) return listenFail(zAddress, gai_strerror(rc));
  fd = listenSocket(pList);
  freeaddrinfo(pList);
  if( fd<0 ) return listenFail(zAddress, strerror(errno));
  if( getrlimit(RLIMIT_NOFILE, &limit)==0 ){
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    listenMost = limit.rlim_cur>100000 ? 100000 : (unsigned)limit.rlim_cur;
  }
  listenMost = listenMost>2*LISTEN_SPARE ? listenMost-LISTEN_SPARE : LISTEN_SPARE;
  listenFile.fd = fd;
  listenFile.xReady = listenReady;
  listenUrl(fd, zHost, zUrl);
  loopStep(&listenSteps);
  return loopAdd(&listenFile, EPOLLIN) ? listenFail(zAddress, strerror(errno)) : 0;
}

void listenClose(void){
  if( listenFile.fd<0 ) return;
  loopRemove(&listenFile);
  close(listenFile.fd);
  listenFile.fd = -1;
  while( listenNews ) listenDrop(listenNews);
}
