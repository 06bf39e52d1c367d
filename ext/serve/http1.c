/*
** http1.c -- connections that speak HTTP/1.1.  See http1.h.
**
** While a request waits for its reply its connection is suspended.
*/
#include "serve/http1.h"
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "serve/clock.h"
#include "serve/listen.h"
#include "serve/loop.h"
#include "serve/request.h"

#define HTTP1_MEMORY    16384            /* Of a connection: heads of requests, buffers */
#define HTTP1_SWEEP_MS  1000
#define HTTP1_STREAM    32768            /* Bytes of a stream sent at a time */

/* A connection: the pOwner of its requests, one at a time. */
typedef struct Http1 Http1;
struct Http1 {
  struct MHD_Connection *pConn;
  Request *pRequest;                     /* 0: between two */
  i64 iSince;                            /* ... since when, in ms */
  Http1 *pNext, **ppPrev;                /* All of them */
  u8 bSuspended;
  u8 bGone;                              /* The client has gone while it was suspended */
};

static struct MHD_Daemon *http1Daemon;
static LoopFile http1File = { -1, 0 };
static Http1 *http1All;
static i64 http1Swept;
static int http1Dirty;                   /* MHD_run() has something to do */

static void http1Wake(Http1 *p){
  if( !p->bSuspended ) return;
  p->bSuspended = 0;
  MHD_resume_connection(p->pConn);
  http1Dirty = 1;
}

static void http1Sleep(Http1 *p){
  p->bSuspended = 1;
  MHD_suspend_connection(p->pConn);
}

static void http1Reply(Request *p){ http1Wake(p->pOwner); }

static int http1Socket(const Http1 *p){
  return MHD_get_connection_info(p->pConn, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* MHD doesn't look at a suspended connection. */
static int http1Open(const Http1 *p){
  char c;
  ssize_t n = recv(http1Socket(p), &c, 1, MSG_PEEK|MSG_DONTWAIT);
  return n>0 || (n<0 && (errno==EAGAIN || errno==EINTR));
}

static int http1There(Request *p){ return http1Open(p->pOwner); }

static const RequestVia http1Via = { http1Reply, http1Reply, http1There };

/* ---- replies -------------------------------------------------------------- */

static ssize_t http1Data(void *pArg, uint64_t iAt, char *a, size_t n){
  Request *p = pArg;
  u32 nLeft = p->out.n - p->iOut;
  (void)iAt;
  if( ((Http1*)p->pOwner)->bGone ) return MHD_CONTENT_READER_END_WITH_ERROR;
  if( nLeft==0 && p->bEnd ) return MHD_CONTENT_READER_END_OF_STREAM;
  if( nLeft==0 ){
    http1Sleep(p->pOwner);
    return 0;
  }
  if( n>nLeft ) n = nLeft;
  memcpy(a, &p->out.a[p->iOut], n);
  requestSent(p, (u32)n);
  return (ssize_t)n;
}

static enum MHD_Result http1Respond(struct MHD_Connection *pConn, Request *p){
  struct MHD_Response *pResponse;
  enum MHD_Result rc;
  if( p->bStream ){
    pResponse = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, HTTP1_STREAM, http1Data, p, 0);
  }else{
    /* The request lives until all of it has been sent */
    pResponse = MHD_create_response_from_buffer(p->out.n, p->out.a, MHD_RESPMEM_PERSISTENT);
  }
  if( pResponse==0 ) return MHD_NO;
  MHD_add_response_header(pResponse, MHD_HTTP_HEADER_CONTENT_TYPE, p->zType);
  rc = MHD_queue_response(pConn, (unsigned)p->iStatus, pResponse);
  MHD_destroy_response(pResponse);
  return rc;
}

/* ---- requests ------------------------------------------------------------- */

static enum MHD_Result http1Field(
  void *pArg, enum MHD_ValueKind eKind, const char *zName, const char *z
){
  (void)eKind;
  if( z ) requestField(pArg, zName, strlen(zName), z, strlen(z));
  return MHD_YES;
}

static Http1 *http1Of(struct MHD_Connection *pConn){
  return MHD_get_connection_info(pConn, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static Request *http1New(struct MHD_Connection *pConn, const char *zPath, const char *zMethod){
  Http1 *pOwner = http1Of(pConn);
  Request *p = pOwner ? requestNew(&http1Via, pOwner) : 0;
  if( p==0 ) return 0;
  pOwner->pRequest = p;
  requestTarget(p, zMethod, strlen(zMethod), zPath, strlen(zPath));
  MHD_get_connection_values(pConn, MHD_HEADER_KIND, http1Field, p);
  return p;
}

/* A body that says it is too large isn't waited for. */
static int http1Large(struct MHD_Connection *pConn){
  const char *z = MHD_lookup_connection_value(pConn, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return z && strtoull(z, 0, 10)>REQUEST_BODY_MAX;
}

/* Called when the head has come, for each part of the body, at the end of it, and
** when the connection has been resumed. */
static enum MHD_Result http1Handle(
  void *pArg, struct MHD_Connection *pConn, const char *zPath, const char *zMethod,
  const char *zVersion, const char *aBody, size_t *pnBody, void **ppRequest
){
  Request *p = *ppRequest;
  (void)pArg; (void)zVersion;
  if( p==0 ){
    *ppRequest = p = http1New(pConn, zPath, zMethod);
    if( p==0 || !http1Large(pConn) ) return p ? MHD_YES : MHD_NO;
    p->eRefuse = REQUEST_LARGE;
    requestRun(p);
    return http1Respond(pConn, p);
  }
  if( *pnBody ){
    int bOk = requestBody(p, aBody, *pnBody);
    *pnBody = 0;
    return bOk ? MHD_YES : MHD_NO;
  }
  if( ((Http1*)p->pOwner)->bGone ) return MHD_NO;
  if( !p->bRun ) requestRun(p);
  if( p->iStatus ) return http1Respond(pConn, p);
  http1Sleep(p->pOwner);
  return MHD_YES;
}

static void http1Done(
  void *pArg, struct MHD_Connection *pConn, void **ppRequest, enum MHD_RequestTerminationCode eEnd
){
  Request *p = *ppRequest;
  Http1 *pOwner;
  (void)pArg; (void)pConn; (void)eEnd;
  if( p==0 ) return;
  *ppRequest = 0;
  pOwner = p->pOwner;
  pOwner->pRequest = 0;
  pOwner->iSince = clockMs();
  requestFree(p);
}

static void http1Connection(
  void *pArg, struct MHD_Connection *pConn, void **ppOwn, enum MHD_ConnectionNotificationCode eWhat
){
  Http1 *p = *ppOwn;
  (void)pArg;
  if( eWhat==MHD_CONNECTION_NOTIFY_STARTED ){
    *ppOwn = p = kvZeroed(sizeof(*p));
    if( p==0 ) return;
    p->pConn = pConn;
    p->iSince = clockMs();
    p->pNext = http1All;
    p->ppPrev = &http1All;
    if( http1All ) http1All->ppPrev = &p->pNext;
    http1All = p;
  }else{
    *ppOwn = 0;
    listenGone();
    if( p==0 ) return;
    *p->ppPrev = p->pNext;
    if( p->pNext ) p->pNext->ppPrev = p->ppPrev;
    kvFree(p);
  }
}

/* Since when the client has been silent, or slow; 0 if it waits for us. */
static i64 http1Slow(const Http1 *p){
  const Request *pRequest = p->pRequest;
  if( pRequest==0 ) return p->iSince;
  if( !pRequest->bRun || (pRequest->bEnd && !pRequest->bStream) ) return pRequest->iBegin/1000;
  return 0;
}

void http1Sweep(void){
  i64 iNow = clockMs();
  Http1 *p;
  http1Swept = iNow;
  for(p=http1All; p; p=p->pNext){
    i64 iSince = http1Slow(p);
    if( p->bSuspended && !http1Open(p) ){
      p->bGone = 1;
      http1Wake(p);
    }else if( iSince && iNow-iSince>=listenIdleMs ){
      shutdown(http1Socket(p), SHUT_RDWR);
    }
  }
}

/* What it says of bad requests goes nowhere. */
static void http1Log(void *pArg, const char *zFormat, va_list ap){
  (void)pArg; (void)zFormat; (void)ap;
}

/* ---- the daemon ----------------------------------------------------------- */

static void http1Ready(LoopFile *pFile, u32 mEvents){
  (void)pFile; (void)mEvents;
  http1Dirty = 0;
  MHD_run(http1Daemon);
}

static i64 http1Step(void){
  MHD_UNSIGNED_LONG_LONG nWait;
  if( http1Daemon==0 ) return -1;
  if( clockMs()-http1Swept>=HTTP1_SWEEP_MS ) http1Sweep();
  if( http1Dirty ){
    http1Dirty = 0;
    MHD_run(http1Daemon);
  }
  if( http1Dirty ) return 0;
  if( MHD_get_timeout(http1Daemon, &nWait)!=MHD_YES ) nWait = HTTP1_SWEEP_MS;
  if( nWait==0 ) http1Dirty = 1;
  return nWait>HTTP1_SWEEP_MS ? HTTP1_SWEEP_MS : (i64)nWait;
}

static LoopStep http1Steps = { http1Step, 0 };

static int http1Init(void){
  const union MHD_DaemonInfo *pInfo;
  if( http1Daemon ) return 0;
  http1Daemon = MHD_start_daemon(
      MHD_USE_EPOLL|MHD_USE_NO_LISTEN_SOCKET|MHD_ALLOW_SUSPEND_RESUME|MHD_USE_ERROR_LOG, 0, 0, 0,
      http1Handle, 0,
      MHD_OPTION_EXTERNAL_LOGGER, http1Log, (void*)0,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP1_MEMORY,
      MHD_OPTION_CONNECTION_LIMIT, 200000u,
      MHD_OPTION_NOTIFY_COMPLETED, http1Done, (void*)0,
      MHD_OPTION_NOTIFY_CONNECTION, http1Connection, (void*)0,
      MHD_OPTION_END);
  if( http1Daemon==0 ) return -1;
  pInfo = MHD_get_daemon_info(http1Daemon, MHD_DAEMON_INFO_EPOLL_FD);
  if( pInfo==0 ) return -1;
  http1File.fd = pInfo->epoll_fd;
  http1File.xReady = http1Ready;
  loopStep(&http1Steps);
  return loopAdd(&http1File, EPOLLIN);
}

void http1Accept(int fd){
  struct sockaddr_storage a;
  socklen_t n = sizeof(a);
  memset(&a, 0, sizeof(a));
  getpeername(fd, (struct sockaddr*)&a, &n);
  if( http1Init() ){
    close(fd);
    listenGone();
  }else if( MHD_add_connection(http1Daemon, fd, (struct sockaddr*)&a, n)!=MHD_YES ){
    listenGone();
  }
  http1Dirty = 1;
}

void http1Close(void){
  Http1 *p;
  if( http1Daemon==0 ) return;
  for(p=http1All; p; p=p->pNext) http1Wake(p);
  loopRemove(&http1File);
  MHD_stop_daemon(http1Daemon);
  http1Daemon = 0;
}
