/*
** http2.c -- connections that speak HTTP/2.  See http2.h.
**
** A connection is freed in http2Step() only, so that whoever holds one of its
** requests may reply at any time.
*/
#include "serve/http2.h"
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include "serve/clock.h"
#include "serve/loop.h"
#include "serve/request.h"

#define HTTP2_READ      65536            /* Bytes read at a time */
#define HTTP2_SEND      65536            /* Bytes put together for the socket */
#define HTTP2_STREAMS   1000             /* At a time on a connection */
#define HTTP2_SWEEP_MS  1000

typedef struct Http2 Http2;
struct Http2 {
  LoopFile file;                 /* First */
  nghttp2_session *pSession;
  KvBuf out;                     /* For the socket, from iOut on */
  u32 iOut;
  Request *pRequest;             /* Those of its open streams */
  i64 iActive;                   /* When something came or went last, in ms */
  u8 bDirty;                     /* There is something to send: on the list */
  u8 bWrite;                     /* The socket is waited for */
  u8 bDead;
  Http2 *pNext, **ppPrev;        /* All of them */
  Http2 *pDirty;
};

static Http2 *http2All, *http2DirtyList;
static nghttp2_session_callbacks *http2Callbacks;
static nghttp2_option *http2Option;
static i64 http2Swept;
static int http2Ends;

/* ---- sending -------------------------------------------------------------- */

static void http2Dirty(Http2 *p){
  if( p->bDirty ) return;
  p->bDirty = 1;
  p->pDirty = http2DirtyList;
  http2DirtyList = p;
}

static void http2Dead(Http2 *p){
  p->bDead = 1;
  http2Dirty(p);
}

/* Write what is in out.  True if all is written. */
static int http2Write(Http2 *p){
  while( p->iOut<p->out.n ){
    ssize_t n = send(p->file.fd, &p->out.a[p->iOut], p->out.n-p->iOut, MSG_NOSIGNAL);
    if( n>0 ){
      p->iOut += (u32)n;
    }else if( errno!=EINTR ){
      if( errno!=EAGAIN ) http2Dead(p);
      return 0;
    }
  }
  p->iOut = 0;
  if( p->out.nAlloc>2*HTTP2_SEND ) kvBufClear(&p->out);
  else kvBufReset(&p->out);
  return 1;
}

/* Send what there is, as far as the socket takes it. */
static void http2Flush(Http2 *p){
  int bWrite;
  while( !p->bDead && http2Write(p) ){
    const u8 *a = 0;
    while( p->out.n<HTTP2_SEND ){
      ssize_t n = nghttp2_session_mem_send(p->pSession, &a);
      if( n<0 ) http2Dead(p);
      if( n<=0 ) break;
      kvBufAppend(&p->out, a, (u64)n);
    }
    if( p->out.eErr ) http2Dead(p);
    if( p->out.n==0 ) break;
  }
  if( p->bDead ) return;
  bWrite = p->out.n>0;
  if( !bWrite ){
    kvBufClear(&p->out);                 /* an idle connection keeps none */
    p->iActive = clockMs();
    if( !nghttp2_session_want_read(p->pSession) && !nghttp2_session_want_write(p->pSession) ){
      http2Dead(p);
    }
  }
  if( bWrite!=p->bWrite ){
    p->bWrite = (u8)bWrite;
    loopChange(&p->file, EPOLLIN|EPOLLRDHUP|(bWrite ? EPOLLOUT : 0));
  }
}

/* ---- replies -------------------------------------------------------------- */

static ssize_t http2Data(
  nghttp2_session *pSession, int32_t iStream, u8 *a, size_t n, u32 *pmFlags,
  nghttp2_data_source *pSource, void *pArg
){
  Request *p = pSource->ptr;
  u32 nLeft = p->out.n - p->iOut;
  (void)pSession; (void)iStream; (void)pArg;
  if( n>nLeft ) n = nLeft;
  if( n ) memcpy(a, &p->out.a[p->iOut], n);
  requestSent(p, (u32)n);
  if( p->bEnd && n==nLeft ) *pmFlags |= NGHTTP2_DATA_FLAG_EOF;
  else if( n==0 ) return NGHTTP2_ERR_DEFERRED;
  return (ssize_t)n;
}

#define HTTP2_NV(N, Z, L, F) { (u8*)(N), (u8*)(Z), sizeof(N)-1, (L), (F) }

static void http2Reply(Request *p){
  Http2 *pConn = p->pOwner;
  char zStatus[16], zLength[16];
  int nStatus = snprintf(zStatus, sizeof(zStatus), "%d", p->iStatus);
  int nLength = snprintf(zLength, sizeof(zLength), "%u", p->out.n);
  nghttp2_nv aField[] = {
    HTTP2_NV(":status", zStatus, (size_t)nStatus, NGHTTP2_NV_FLAG_NONE),
    HTTP2_NV("content-type", p->zType, strlen(p->zType), NGHTTP2_NV_FLAG_NONE),
    HTTP2_NV("content-length", zLength, (size_t)nLength, NGHTTP2_NV_FLAG_NO_INDEX)
  };
  nghttp2_data_provider data;
  data.source.ptr = p;
  data.read_callback = http2Data;
  if( nghttp2_submit_response(pConn->pSession, p->iStream, aField, p->bStream ? 2 : 3, &data) ){
    http2Dead(pConn);
  }
  http2Dirty(pConn);
}

static void http2More(Request *p){
  Http2 *pConn = p->pOwner;
  nghttp2_session_resume_data(pConn->pSession, p->iStream);
  http2Dirty(pConn);
}

/* A connection that is closed has no requests any more. */
static int http2There(Request *p){
  return !((Http2*)p->pOwner)->bDead;
}

static const RequestVia http2Via = { http2Reply, http2More, http2There };

/* ---- requests ------------------------------------------------------------- */

static int http2OnBegin(nghttp2_session *pSession, const nghttp2_frame *pFrame, void *pArg){
  Http2 *p = pArg;
  Request *pRequest;
  if( pFrame->headers.cat!=NGHTTP2_HCAT_REQUEST ) return 0;
  pRequest = requestNew(&http2Via, p);
  if( pRequest==0 ) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  pRequest->iStream = pFrame->hd.stream_id;
  pRequest->pNext = p->pRequest;
  pRequest->ppPrev = &p->pRequest;
  if( p->pRequest ) p->pRequest->ppPrev = &pRequest->pNext;
  p->pRequest = pRequest;
  return nghttp2_session_set_stream_user_data(pSession, pFrame->hd.stream_id, pRequest);
}

static int http2OnHeader(
  nghttp2_session *pSession, const nghttp2_frame *pFrame, const u8 *zName, size_t nName,
  const u8 *z, size_t n, u8 mFlags, void *pArg
){
  Request *p = nghttp2_session_get_stream_user_data(pSession, pFrame->hd.stream_id);
  (void)mFlags; (void)pArg;
  if( p==0 || pFrame->headers.cat!=NGHTTP2_HCAT_REQUEST ) return 0;
  if( zName[0]!=':' ) requestField(p, (const char*)zName, nName, (const char*)z, n);
  else if( strcmp((const char*)zName, ":method")==0 ) requestTarget(p, (const char*)z, n, 0, 0);
  else if( strcmp((const char*)zName, ":path")==0 ) requestTarget(p, 0, 0, (const char*)z, n);
  return 0;
}

static int http2OnData(
  nghttp2_session *pSession, u8 mFlags, int32_t iStream, const u8 *a, size_t n, void *pArg
){
  Request *p = nghttp2_session_get_stream_user_data(pSession, iStream);
  (void)mFlags; (void)pArg;
  if( p ) requestBody(p, a, n);
  return 0;
}

static int http2OnFrame(nghttp2_session *pSession, const nghttp2_frame *pFrame, void *pArg){
  Request *p;
  (void)pArg;
  if( pFrame->hd.type!=NGHTTP2_DATA && pFrame->hd.type!=NGHTTP2_HEADERS ) return 0;
  if( (pFrame->hd.flags & NGHTTP2_FLAG_END_STREAM)==0 ) return 0;
  p = nghttp2_session_get_stream_user_data(pSession, pFrame->hd.stream_id);
  if( p && !p->bRun ) requestRun(p);
  return 0;
}

/* The stream of a request is closed. */
static void http2Gone(Request *p){
  *p->ppPrev = p->pNext;
  if( p->pNext ) p->pNext->ppPrev = p->ppPrev;
  requestFree(p);
}

static int http2OnClose(nghttp2_session *pSession, int32_t iStream, u32 eError, void *pArg){
  Request *p = nghttp2_session_get_stream_user_data(pSession, iStream);
  (void)eError; (void)pArg;
  if( p==0 ) return 0;
  nghttp2_session_set_stream_user_data(pSession, iStream, 0);
  http2Gone(p);
  return 0;
}

/* ---- a connection's life -------------------------------------------------- */

static void http2Ready(LoopFile *pFile, u32 mEvents){
  static u8 aRead[HTTP2_READ];
  Http2 *p = (Http2*)pFile;
  if( p->bDead ) return;
  if( mEvents & (EPOLLIN|EPOLLHUP|EPOLLERR|EPOLLRDHUP) ){
    ssize_t n = recv(p->file.fd, aRead, sizeof(aRead), 0);
    if( n>0 ){
      p->iActive = clockMs();
      if( nghttp2_session_mem_recv(p->pSession, aRead, (size_t)n)<0 ) http2Dead(p);
    }else if( n==0 || (errno!=EAGAIN && errno!=EINTR) ){
      http2Dead(p);
    }
  }
  http2Dirty(p);
}

static void http2Free(Http2 *p){
  loopRemove(&p->file);
  close(p->file.fd);
  while( p->pRequest ) http2Gone(p->pRequest);
  nghttp2_session_del(p->pSession);
  kvBufClear(&p->out);
  *p->ppPrev = p->pNext;
  if( p->pNext ) p->pNext->ppPrev = p->ppPrev;
  kvFree(p);
  listenGone();
}

/* Streams that make no progress are reset, idle connections told to go. */
static void http2Look(Http2 *p, i64 iNow){
  Request *pRequest;
  for(pRequest=p->pRequest; pRequest; pRequest=pRequest->pNext){
    i64 nAge = iNow - pRequest->iBegin/1000;
    int bSlow = !pRequest->bRun || (pRequest->bEnd && !pRequest->bStream);
    if( !bSlow || nAge<listenIdleMs ) continue;
    nghttp2_submit_rst_stream(p->pSession, 0, pRequest->iStream, NGHTTP2_CANCEL);
    http2Dirty(p);
  }
  if( p->out.n && iNow-p->iActive>listenIdleMs ){
    http2Dead(p);
  }else if( p->pRequest==0 && (http2Ends || iNow-p->iActive>listenIdleMs) ){
    nghttp2_session_terminate_session(p->pSession, NGHTTP2_NO_ERROR);
    http2Dirty(p);
  }
}

/* Send what this round has to say; look after all connections now and then. */
static i64 http2Step(void){
  i64 iNow = clockMs();
  Http2 *p;
  if( iNow-http2Swept>=HTTP2_SWEEP_MS ){
    http2Swept = iNow;
    for(p=http2All; p; p=p->pNext) http2Look(p, iNow);
  }
  while( (p = http2DirtyList)!=0 ){
    http2DirtyList = p->pDirty;
    p->bDirty = 0;
    if( !p->bDead ) http2Flush(p);
    if( p->bDead && !p->bDirty ) http2Free(p);
  }
  return http2All ? HTTP2_SWEEP_MS : -1;
}

static LoopStep http2Steps = { http2Step, 0 };

static int http2Init(void){
  nghttp2_session_callbacks *p;
  if( http2Callbacks ) return 0;
  if( nghttp2_session_callbacks_new(&p) || nghttp2_option_new(&http2Option) ) return -1;
  nghttp2_session_callbacks_set_on_begin_headers_callback(p, http2OnBegin);
  nghttp2_session_callbacks_set_on_header_callback(p, http2OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(p, http2OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(p, http2OnFrame);
  nghttp2_session_callbacks_set_on_stream_close_callback(p, http2OnClose);
  nghttp2_option_set_max_deflate_dynamic_table_size(http2Option, 256);
  nghttp2_option_set_no_closed_streams(http2Option, 1);
  nghttp2_option_set_max_outbound_ack(http2Option, 100);
  http2Callbacks = p;
  loopStep(&http2Steps);
  return 0;
}

void http2Accept(int fd){
  static const nghttp2_settings_entry aSetting[] = {
    { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, HTTP2_STREAMS },
    { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 16384 },
    { NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 1024 }
  };
  Http2 *p = http2Init()==0 ? kvZeroed(sizeof(*p)) : 0;
  if( p==0 || nghttp2_session_server_new2(&p->pSession, http2Callbacks, p, http2Option) ){
    kvFree(p);
    close(fd);
    listenGone();
    return;
  }
  p->file.fd = fd;
  p->file.xReady = http2Ready;
  p->iActive = clockMs();
  p->pNext = http2All;
  p->ppPrev = &http2All;
  if( http2All ) http2All->ppPrev = &p->pNext;
  http2All = p;
  nghttp2_submit_settings(p->pSession, 0, aSetting, sizeof(aSetting)/sizeof(aSetting[0]));
  if( loopAdd(&p->file, EPOLLIN|EPOLLRDHUP) ) http2Dead(p);
  http2Dirty(p);
}

void http2Finish(void){
  Http2 *p;
  http2Ends = 1;
  http2Swept = 0;
  for(p=http2All; p; p=p->pNext){
    nghttp2_submit_goaway(p->pSession, 0, nghttp2_session_get_last_proc_stream_id(p->pSession),
        NGHTTP2_NO_ERROR, 0, 0);
    http2Dirty(p);
  }
}

void http2Close(void){
  while( http2All ) http2Free(http2All);
  if( http2Callbacks==0 ) return;
  nghttp2_session_callbacks_del(http2Callbacks);
  nghttp2_option_del(http2Option);
}
