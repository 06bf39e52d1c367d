/*
** route.c -- from a request's path to what replies to it.  See route.h.
*/
#include "serve/route.h"
#include "serve/base.h"
#include "serve/connect.h"
#include "serve/metrics.h"
#include "serve/queue.h"
#include "serve/token.h"
#include "serve/watch.h"

#define ROUTE_DATA 1                     /* The headers of KV Connect are needed */
#define ROUTE_OPEN 2                     /* No token is */

static const struct {
  const char *zMethod, *zPath;
  int mFlags;
  u8 iRoute;
  void (*xRun)(Request*, const Token*);
} aRoute[] = {
  { "POST", "/",                   0,          REQUEST_METADATA, connectMetadata },
  { "POST", "/v2/snapshot_read",   ROUTE_DATA, REQUEST_READ,     connectRead },
  { "POST", "/v2/atomic_write",    ROUTE_DATA, REQUEST_WRITE,    connectWrite },
  { "POST", "/v2/watch",           ROUTE_DATA, REQUEST_WATCH,    watchRequest },
  { "POST", "/v2/queue/claim",     ROUTE_DATA, REQUEST_CLAIM,    queueClaim },
  { "POST", "/v2/queue/renew",     ROUTE_DATA, REQUEST_RENEW,    queueRenew },
  { "POST", "/v2/queue/finish",    ROUTE_DATA, REQUEST_FINISH,   queueFinish },
  { "GET",  "/metrics",            0,          REQUEST_METRICS,  metricsReply },
  { "GET",  "/health",             ROUTE_OPEN, REQUEST_HEALTH,   metricsHealth },
};

static const char *routeText(const KvBuf *p){ return p->n ? (const char*)p->a : ""; }

/* The token of a request, or 0 after a reply. */
static const Token *routeToken(Request *p){
  const Token *pToken;
  if( !p->bBearer ){
    requestText(p, 401, "Malformed authorization header.");
    return 0;
  }
  pToken = tokenFind(routeText(&p->bearer), p->bearer.n);
  if( pToken==0 ) requestText(p, 401, "Invalid access token.");
  return pToken;
}

/* The headers of a request for data; false after a reply. */
static int routeData(Request *p){
  const char *zVersion = routeText(&p->version);
  if( strcmp(zVersion, "2")!=0 && strcmp(zVersion, "3")!=0 ){
    requestText(p, 400, "Expected protocol version 2 or 3.");
    return 0;
  }
  if( strcmp(routeText(&p->database), baseId())!=0 ){
    requestText(p, 400, "Invalid database id.");
    return 0;
  }
  return 1;
}

void routeRun(Request *p){
  const char *zPath = routeText(&p->path);
  int bPath = 0;
  u32 i, n = (u32)strcspn(zPath, "?");
  for(i=0; i<sizeof(aRoute)/sizeof(aRoute[0]); i++){
    const Token *pToken = 0;
    if( strlen(aRoute[i].zPath)!=n || memcmp(zPath, aRoute[i].zPath, n)!=0 ) continue;
    bPath = 1;
    p->iRoute = aRoute[i].iRoute;
    if( strcmp(routeText(&p->method), aRoute[i].zMethod)!=0 ) continue;
    if( (aRoute[i].mFlags & ROUTE_OPEN)==0 && (pToken = routeToken(p))==0 ) return;
    if( (aRoute[i].mFlags & ROUTE_DATA)==0 || routeData(p) ) aRoute[i].xRun(p, pToken);
    return;
  }
  requestText(p, bPath ? 405 : 404, bPath ? "Method not allowed." : "Resource not found.");
}
