/*
** request.c -- an HTTP request and its reply.  See request.h.
*/
#include "serve/request.h"
#include <strings.h>
#include "serve/clock.h"
#include "serve/metrics.h"
#include "serve/route.h"

static u64 requestHeld;          /* Bytes, of all requests */
static u32 requestAll;

Request *requestNew(const RequestVia *pVia, void *pOwner){
  Request *p = kvZeroed(sizeof(*p));
  if( p==0 ) return 0;
  p->pVia = pVia;
  p->pOwner = pOwner;
  p->iBegin = clockUs();
  requestAll++;
  return p;
}

void requestFree(Request *p){
  if( p==0 ) return;
  if( p->xGone ) p->xGone(p);
  if( p->bStream ) metricsRequest(p);
  requestHeld -= p->nHeld;
  requestAll--;
  kvBufClear(&p->method);
  kvBufClear(&p->path);
  kvBufClear(&p->bearer);
  kvBufClear(&p->database);
  kvBufClear(&p->version);
  kvBufClear(&p->body);
  kvBufClear(&p->out);
  kvFree(p);
}

u32 requestCount(void){ return requestAll; }
u64 requestHeldBytes(void){ return requestHeld; }

static const char *requestZ(const KvBuf *p){ return p->n ? (const char*)p->a : "-"; }
const char *requestMethod(const Request *p){ return requestZ(&p->method); }
const char *requestPath(const Request *p){ return requestZ(&p->path); }

/* Count what the request holds now. */
static void requestHold(Request *p){
  u32 n = p->body.nAlloc + p->out.nAlloc;
  requestHeld += n;
  requestHeld -= p->nHeld;
  p->nHeld = n;
}

static void requestSet(KvBuf *pBuf, const char *z, size_t n){
  kvBufReset(pBuf);
  kvBufAppend(pBuf, z, n);
  kvBufTerminate(pBuf);
}

void requestTarget(
  Request *p, const char *zMethod, size_t nMethod, const char *zPath, size_t nPath
){
  if( nMethod ) requestSet(&p->method, zMethod, nMethod);
  if( nPath ) requestSet(&p->path, zPath, nPath);
}

static int requestIs(const char *z, size_t n, const char *zName){
  return strlen(zName)==n && strncasecmp(z, zName, n)==0;
}

void requestField(Request *p, const char *zName, size_t nName, const char *z, size_t n){
  if( requestIs(zName, nName, "authorization") ){
    p->bBearer = n>7 && strncasecmp(z, "bearer ", 7)==0;
    if( p->bBearer ) requestSet(&p->bearer, &z[7], n-7);
  }else if( requestIs(zName, nName, "x-denokv-version") ){
    requestSet(&p->version, z, n);
  }else if( requestIs(zName, nName, "x-denokv-database-id") ){
    requestSet(&p->database, z, n);
  }
}

int requestBody(Request *p, const void *pData, size_t n){
  if( p->eRefuse ) return 0;
  if( n>REQUEST_BODY_MAX - p->body.n ){
    p->eRefuse = REQUEST_LARGE;
  }else if( requestHeld+n>REQUEST_HELD_MAX ){
    p->eRefuse = REQUEST_FULL;
  }else{
    kvBufAppend(&p->body, pData, n);
    if( p->body.eErr ) p->eRefuse = REQUEST_FULL;
  }
  if( p->eRefuse ) kvBufClear(&p->body);
  requestHold(p);
  return p->eRefuse==0;
}

void requestRun(Request *p){
  p->bRun = 1;
  if( p->eRefuse==REQUEST_LARGE ) requestText(p, 413, "The request is too large.");
  else if( p->eRefuse || requestHeld>REQUEST_HELD_MAX ){
    requestText(p, 503, "The server has too many requests at the moment, try again later.");
  }
  else routeRun(p);
}

void requestReply(Request *p, int iStatus, const char *zType){
  if( p->out.eErr ){
    kvBufReset(&p->out);
    iStatus = 500;
    zType = "text/plain";
  }
  kvBufClear(&p->body);
  requestHold(p);
  p->iStatus = iStatus;
  p->zType = zType;
  p->xGone = 0;
  p->bEnd = 1;
  p->nSent = p->out.n;
  metricsRequest(p);
  p->pVia->xReply(p);
}

void requestText(Request *p, int iStatus, const char *zText){
  kvBufReset(&p->out);
  kvBufText(&p->out, zText);
  requestReply(p, iStatus, "text/plain; charset=utf-8");
}

void requestStream(Request *p, const char *zType){
  kvBufClear(&p->body);
  p->iStatus = 200;
  p->zType = zType;
  p->bStream = 1;
  requestHold(p);
  p->pVia->xReply(p);
}

void requestMore(Request *p){
  requestHold(p);
  p->pVia->xMore(p);
}

void requestEnd(Request *p){
  p->xGone = 0;
  p->bEnd = 1;
  p->pVia->xMore(p);
}

void requestSent(Request *p, u32 n){
  p->iOut += n;
  if( p->bStream ) p->nSent += n;
  if( p->iOut<p->out.n || !p->bStream ) return;
  p->iOut = 0;
  kvBufClear(&p->out);
  requestHold(p);
}
