/*
** request.h -- an HTTP request and its reply, whatever version of HTTP they use.
**
** http1.c or http2.c makes a Request, adds its head and body, and calls
** requestRun().  The reply is given there or later, by requestReply(), or as a
** stream: requestStream(), then bytes appended to out and requestMore(), until
** requestEnd().  If the client goes away first, xGone is called.
*/
#ifndef KV_SERVE_REQUEST_H
#define KV_SERVE_REQUEST_H

#include "bytes/bytes.h"

/* Bytes of a body.  An atomic operation of Deno's largest size needs half of it. */
#define REQUEST_BODY_MAX   (2*1024*1024)
/* Bytes of all bodies and replies that are held at a time. */
#define REQUEST_HELD_MAX   (256*1024*1024)

typedef struct Request Request;

/* What a version of HTTP does for a request. */
typedef struct RequestVia RequestVia;
struct RequestVia {
  void (*xReply)(Request*);      /* iStatus, zType and out are set, or bStream */
  void (*xMore)(Request*);       /* out has more bytes, or bEnd is set */
  int (*xThere)(Request*);       /* False if the client has gone and nobody has noticed */
};

struct Request {
  const RequestVia *pVia;
  void *pOwner;                  /* The version's own */
  int iStream;                   /* HTTP/2: its number ... */
  Request *pNext, **ppPrev;      /* ... and the others of the connection */
  i64 iBegin;                    /* When it came, in us of the monotonic clock */
  KvBuf method, path, bearer, database, version;   /* Texts with a zero behind them */
  u8 bBearer;                    /* There is an authorization, a Bearer's */
  u8 eRefuse;                    /* REQUEST_xxx */
  u8 bRun;                       /* It is complete: requestRun() */
  KvBuf body;
  int iStatus;                   /* The reply; 0: not yet */
  const char *zType;             /* Its content type */
  KvBuf out;                     /* Its body, from iOut on */
  u32 iOut;                      /* How much of it has been sent */
  u32 nHeld;                     /* What it counts against REQUEST_HELD_MAX */
  u8 bStream, bEnd;
  u8 iRoute;                     /* What it asks for: REQUEST_xxx */
  u64 nSent;                     /* Bytes of the reply's body so far */
  void *pWork;                   /* Of whoever will reply ... */
  void (*xGone)(Request*);       /* ... to be told if nobody waits any more */
};

/* What it asks for: iRoute. */
enum {
  REQUEST_OTHER, REQUEST_METADATA, REQUEST_READ, REQUEST_WRITE, REQUEST_WATCH, REQUEST_CLAIM,
  REQUEST_RENEW, REQUEST_FINISH, REQUEST_METRICS, REQUEST_HEALTH, REQUEST_ROUTES
};
/* eRefuse */
enum { REQUEST_OK, REQUEST_LARGE, REQUEST_FULL };

/* 0: out of memory. */
Request *requestNew(const RequestVia *pVia, void *pOwner);
void requestFree(Request *p);

/* Add what came.  Names of fields are compared without case. */
void requestField(Request *p, const char *zName, size_t nName, const char *z, size_t n);
void requestTarget(Request *p, const char *zMethod, size_t nMethod, const char *zPath, size_t nPath);
/* False if the body is too large: eRefuse is set, what follows may be dropped. */
int requestBody(Request *p, const void *pData, size_t n);

/* The request is complete: find its reply. */
void requestRun(Request *p);

/* Reply with what is in out. */
void requestReply(Request *p, int iStatus, const char *zType);
/* Reply with a text. */
void requestText(Request *p, int iStatus, const char *zText);
/* Reply with a stream, add to it, end it. */
void requestStream(Request *p, const char *zType);
void requestMore(Request *p);
void requestEnd(Request *p);
/* n bytes of out have been sent. */
void requestSent(Request *p, u32 n);

/* Does its client still wait, as far as can be known? */
static inline int requestThere(Request *p){ return p->pVia->xThere(p); }

/* Its method and path. */
const char *requestMethod(const Request *p);
const char *requestPath(const Request *p);

/* How many requests there are, and the bytes that they hold. */
u32 requestCount(void);
u64 requestHeldBytes(void);

#endif /* KV_SERVE_REQUEST_H */
