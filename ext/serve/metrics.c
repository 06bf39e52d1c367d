/*
** metrics.c -- what the server knows of itself.  See metrics.h.
**
** Times of requests are counted in a histogram with eight steps for each power of
** two of microseconds, so a quantile is at most an eighth too large.
*/
#include "serve/metrics.h"
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include "serve/base.h"
#include "serve/clock.h"
#include "serve/cluster.h"
#include "serve/job.h"
#include "serve/listen.h"
#include "serve/queue.h"
#include "serve/watch.h"
#include "serve/write.h"

#define METRICS_STEPS    256
#define METRICS_STATUS   6               /* 1xx to 5xx */
#define METRICS_WAIT_MS  2000            /* For the leader of a cluster */
#define METRICS_SHARE    100             /* One of so many parts of the time goes into counting */

/* Of one path. */
typedef struct Metrics Metrics;
struct Metrics {
  u64 aStatus[METRICS_STATUS];
  u64 nTime, nMicro;
  u64 aTime[METRICS_STEPS];
};

static struct {
  Metrics a[REQUEST_ROUTES];
  i64 iBegin;                            /* Of the server, in ms since 1970 */
  i64 nEntry, iCount;                    /* Entries as last counted; when to count again, in us */
  u8 bLog;
} metrics;

static const char *const metricsPath[REQUEST_ROUTES] = {
  "other", "metadata", "snapshot_read", "atomic_write", "watch",
  "queue_claim", "queue_renew", "queue_finish", "metrics", "health"
};

void metricsInit(void){ metrics.iBegin = clockNow(); }
void metricsLog(void){ metrics.bLog = 1; }

/* ---- times ---------------------------------------------------------------- */

static u32 metricsStep(u64 n){
  u32 iBit = 0;
  while( n>>iBit>15 ) iBit++;
  n = 8*iBit + (n>>iBit);
  return n<METRICS_STEPS ? (u32)n : METRICS_STEPS-1;
}

/* The largest time of a step, in us. */
static u64 metricsMost(u32 i){
  u32 iBit = i<16 ? 0 : i/8-1;
  return ((u64)(i-8*iBit+1)<<iBit) - 1;
}

static double metricsQuantile(const Metrics *p, double r){
  u64 n = 0;
  u32 i;
  if( p->nTime==0 ) return 0;
  for(i=0; i<METRICS_STEPS-1; i++){
    n += p->aTime[i];
    if( (double)n>=r*(double)p->nTime ) break;
  }
  return (double)metricsMost(i)/1e6;
}

void metricsRequest(const Request *p){
  Metrics *pOf = &metrics.a[p->iRoute];
  u64 nMicro = (u64)(clockUs()-p->iBegin);
  pOf->aStatus[p->iStatus/100<METRICS_STATUS ? p->iStatus/100 : 0]++;
  if( !p->bStream && p->iRoute!=REQUEST_CLAIM ){
    pOf->nTime++;
    pOf->nMicro += nMicro;
    pOf->aTime[metricsStep(nMicro)]++;
  }
  if( metrics.bLog ){
    char zTime[32];
    struct timespec ts;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &ts);
    gmtime_r(&ts.tv_sec, &tm);
    strftime(zTime, sizeof(zTime), "%Y-%m-%dT%H:%M:%S", &tm);
    fprintf(stderr, "%s.%03dZ %s %s %d %llu bytes %.3f ms\n", zTime, (int)(ts.tv_nsec/1000000),
        requestMethod(p), requestPath(p), p->iStatus, (unsigned long long)p->nSent,
        (double)nMicro/1000);
  }
}

/* ---- the page ------------------------------------------------------------- */

static void metricsText(KvBuf *p, const char *zFormat, ...){
  char z[300];
  va_list ap;
  va_start(ap, zFormat);
  vsnprintf(z, sizeof(z), zFormat, ap);
  va_end(ap);
  kvBufText(p, z);
}

static void metricsHead(KvBuf *p, const char *zName, const char *zType, const char *zHelp){
  metricsText(p, "# HELP kvserve_%s %s\n# TYPE kvserve_%s %s\n", zName, zHelp, zName, zType);
}

static void metricsNumber(KvBuf *p, const char *zName, const char *zHelp, double r){
  metricsHead(p, zName, "gauge", zHelp);
  metricsText(p, "kvserve_%s %.17g\n", zName, r);
}

static void metricsRequests(KvBuf *p){
  static const double aQuantile[] = { .5, .9, .99 };
  u32 i, j;
  metricsHead(p, "requests_total", "counter", "Requests that are over, by the class of their status.");
  for(i=0; i<REQUEST_ROUTES; i++){
    for(j=2; j<METRICS_STATUS; j++){
      if( metrics.a[i].aStatus[j]==0 ) continue;
      metricsText(p, "kvserve_requests_total{request=\"%s\",status=\"%uxx\"} %llu\n", metricsPath[i],
          j, (unsigned long long)metrics.a[i].aStatus[j]);
    }
  }
  metricsHead(p, "request_seconds", "summary", "Time until the reply was made, since the start.");
  for(i=0; i<REQUEST_ROUTES; i++){
    const Metrics *pOf = &metrics.a[i];
    if( pOf->nTime==0 ) continue;
    for(j=0; j<3; j++){
      metricsText(p, "kvserve_request_seconds{request=\"%s\",quantile=\"%g\"} %g\n", metricsPath[i],
          aQuantile[j], metricsQuantile(pOf, aQuantile[j]));
    }
    metricsText(p, "kvserve_request_seconds_sum{request=\"%s\"} %.6f\n", metricsPath[i],
        (double)pOf->nMicro/1e6);
    metricsText(p, "kvserve_request_seconds_count{request=\"%s\"} %llu\n", metricsPath[i],
        (unsigned long long)pOf->nTime);
  }
}

/* One number of the database; -1 if it can't be read now. */
static i64 metricsRead(sqlite3_stmt **ppStmt, const char *zSql){
  sqlite3_stmt *p = baseStmt(ppStmt, zSql);
  i64 n = -1;
  if( p==0 ) return -1;
  if( sqlite3_step(p)==SQLITE_ROW ) n = sqlite3_column_int64(p, 0);
  sqlite3_reset(p);
  return n;
}

/* Entries are counted anew when that takes little of the time. */
static i64 metricsEntries(void){
  static sqlite3_stmt *pStmt;
  i64 iBegin = clockUs();
  if( iBegin>=metrics.iCount ){
    metrics.nEntry = metricsRead(&pStmt, "SELECT count(*) FROM kv");
    metrics.iCount = clockUs() + METRICS_SHARE*(clockUs()-iBegin);
  }
  return metrics.nEntry;
}

/* What the page says of the database. */
typedef struct MetricsBase MetricsBase;
struct MetricsBase {
  i64 nEntry, nMessage, nRunning, iReady;    /* -1: not known */
  i64 iTerm;
};

static void metricsBase(KvBuf *p, const MetricsBase *pBase){
  i64 nAge = pBase->iReady>0 ? clockNow()-pBase->iReady : 0;
  metricsNumber(p, "entries", "Entries, expired ones included.", (double)pBase->nEntry);
  metricsNumber(p, "queue_messages", "Messages that wait, those with a delay included.",
      (double)pBase->nMessage);
  metricsNumber(p, "queue_running", "Messages that are being handled.", (double)pBase->nRunning);
  metricsNumber(p, "queue_age_seconds", "How long the oldest message has been ready.",
      nAge>0 ? (double)nAge/1000 : 0);
}

static void metricsCluster(KvBuf *p, const MetricsBase *pBase){
  LinkState state;
  linkState(&state);
  metricsHead(p, "cluster_leader", "gauge", "The node that leads, as far as is known.");
  if( state.zLeader[0] ) metricsText(p, "kvserve_cluster_leader{node=\"%s\"} 1\n", state.zLeader);
  metricsNumber(p, "cluster_members", "Nodes of the cluster.", state.nMember);
  metricsNumber(p, "cluster_term", "Raft's term, raised by elections.", (double)pBase->iTerm);
  metricsNumber(p, "cluster_elections", "Changes of the leader since the start.", state.nElection);
  metricsNumber(p, "cluster_lag_seconds", "Since a majority has confirmed the leader; -1: never.",
      state.iConfirmed ? (double)(clockMs()-state.iConfirmed)/1000 : -1);
}

static void metricsPage(Request *p, const MetricsBase *pBase){
  KvBuf *pOut = &p->out;
  metricsNumber(pOut, "start_time_seconds", "When the server was started.", (double)metrics.iBegin/1000);
  metricsNumber(pOut, "connections", "Connections that are open.", listenCount());
  metricsNumber(pOut, "requests_open", "Requests that are not over, watches included.", requestCount());
  metricsNumber(pOut, "watches", "Streams of watches.", watchCount());
  metricsNumber(pOut, "claims_waiting", "Listeners that wait for a message.", queueWaiting());
  metricsNumber(pOut, "writes_waiting", "Writes in the queue.", writeCount());
  metricsNumber(pOut, "held_bytes", "Bytes of requests and replies in memory.", (double)requestHeldBytes());
  metricsBase(pOut, pBase);
  if( clusterOn() ) metricsCluster(pOut, pBase);
  metricsRequests(pOut);
  requestReply(p, 200, "text/plain; version=0.0.4");
}

/* Of a cluster: what is asked of its leader. */
typedef struct MetricsJob MetricsJob;
struct MetricsJob {
  Job job;                               /* First */
  Request *pRequest;                     /* 0: the client has gone */
  u8 bHealth;
  i64 iUntil;
  int rc;
  i64 a[5];
};

static void metricsJobRun(Job *pJob, Link *pLink){
  MetricsJob *p = (MetricsJob*)pJob;
  do{
    p->rc = p->bHealth
      ? clusterNumbers(pLink, 1, "SELECT 1", 0, 0, 0, p->a, 1)
      : clusterNumbers(pLink, 1, "SELECT (SELECT count(*) FROM kv), (SELECT count(*) FROM queue), "
          "(SELECT count(*) FROM queue_running), (SELECT min(ts) FROM queue), kv_serve_term()",
          0, 0, 0, p->a, 5);
    if( clusterPrepared(pLink, p->rc) ) p->rc = LINK_BUSY;
  }while( (p->rc==LINK_LOST || p->rc==LINK_BUSY) && clusterPause(p->iUntil) );
}

static void metricsJobDone(Job *pJob){
  MetricsJob *p = (MetricsJob*)pJob;
  Request *pRequest = p->pRequest;
  MetricsBase base = { -1, -1, -1, 0, -1 };
  if( p->rc==LINK_OK ){
    base.nEntry = p->a[0];
    base.nMessage = p->a[1];
    base.nRunning = p->a[2];
    base.iReady = p->a[3];
    base.iTerm = p->a[4];
  }
  if( pRequest ) pRequest->xGone = 0;
  if( pRequest && !p->bHealth ) metricsPage(pRequest, &base);
  else if( pRequest && p->rc==LINK_OK ) requestText(pRequest, 200, "ok\n");
  else if( pRequest ) requestText(pRequest, 503, "No majority of the cluster knows a leader.\n");
  kvFree(p);
}

static void metricsJobGone(Request *pRequest){
  ((MetricsJob*)pRequest->pWork)->pRequest = 0;
}

static void metricsAsk(Request *pRequest, int bHealth){
  MetricsJob *p = kvZeroed(sizeof(*p));
  if( p==0 ){
    requestText(pRequest, 503, "out of memory");
    return;
  }
  p->job.xRun = metricsJobRun;
  p->job.xDone = metricsJobDone;
  p->pRequest = pRequest;
  p->bHealth = (u8)bHealth;
  p->iUntil = clockMs() + METRICS_WAIT_MS;
  pRequest->pWork = p;
  pRequest->xGone = metricsJobGone;
  jobStart(JOB_READ, &p->job);
}

void metricsReply(Request *p, const Token *pToken){
  static sqlite3_stmt *pDepth, *pRunning, *pReady;
  MetricsBase base = { 0, 0, 0, 0, -1 };
  if( pToken->prefix.n ){
    requestText(p, 403, "The access token does not permit all keys.");
    return;
  }
  if( clusterOn() ){
    metricsAsk(p, 0);
    return;
  }
  base.nEntry = metricsEntries();
  base.nMessage = metricsRead(&pDepth, "SELECT count(*) FROM queue");
  base.nRunning = metricsRead(&pRunning, "SELECT count(*) FROM queue_running");
  base.iReady = metricsRead(&pReady, "SELECT min(ts) FROM queue");
  metricsPage(p, &base);
}

void metricsHealth(Request *p, const Token *pToken){
  static sqlite3_stmt *pStmt;
  (void)pToken;
  if( clusterOn() ){
    metricsAsk(p, 1);
    return;
  }
  if( metricsRead(&pStmt, "SELECT version FROM data_version WHERE k = 0")<0 ){
    requestText(p, 503, "The database can't be read.\n");
  }else{
    requestText(p, 200, "ok\n");
  }
}
