/*
** queue.c -- the queue over the network.  See queue.h.
**
** A claim is made as a write.  One that finds nothing is put on a list, and made again
** when its turn comes: once messages are ready, as many of the list are as there are
** messages.
*/
#include "serve/queue.h"
#include <stdio.h>
#include "serve/clock.h"
#include "serve/cluster.h"
#include "serve/loop.h"
#include "serve/message.h"
#include "serve/write.h"

#define QUEUE_COUNT     100              /* Messages of a request */
#define QUEUE_LEASE_MS  5000             /* Unless given */
#define QUEUE_LEASE_MAX 86400000
#define QUEUE_WAIT_MAX  60000

/* A claim that waits. */
typedef struct QueueClaim QueueClaim;
struct QueueClaim {
  Request *pRequest;                     /* Its pWork is this */
  QueueClaim *pNext, **ppPrev;           /* The next came later */
  int nCount;
  i64 nLease, iUntil;
};

static struct {
  QueueClaim *pFirst, **ppLast;
  u32 nWaiting;
  u8 bLook;                              /* There may be messages */
  u8 bEnds;
  i64 iReady;                            /* When the next one is, in ms since 1970; 0: never */
  sqlite3_stmt *pNext, *pCount, *pClaim, *pRenew, *pDone, *pFailed, *pSave, *pBack, *pRelease;
} queue;

u32 queueWaiting(void){ return queue.nWaiting; }
void queueWritten(void){ queue.bLook = 1; }

/* ---- what is written ------------------------------------------------------ */

/* Add a message to the result of a write. */
static QueueMessage *queueAdd(Write *p, QueueOutput *pOut){
  QueueMessage *pNew = arenaTake(&p->result, sizeof(*pNew));
  if( pNew==0 ) return 0;
  queue_message__init(pNew);
  pOut->messages[pOut->n_messages++] = pNew;
  return pNew;
}

static char *queueId(Write *p, const char *z){
  size_t n = z ? strlen(z) : 0;
  char *zNew = arenaTake(&p->result, n+1);
  if( zNew==0 ) return "";
  memcpy(zNew, z ? z : "", n);
  zNew[n] = 0;
  return zNew;
}

static void queueRunClaim(Write *p, const QueueRequest *pAsk, QueueOutput *pOut){
  sqlite3_stmt *pStmt = baseStmt(&queue.pClaim, "SELECT id, raw, deadline FROM kv_dequeue(?1, ?2)");
  if( pStmt==0 ){
    writeFailed(p, sqlite3_errcode(baseDb()));
    return;
  }
  sqlite3_bind_int64(pStmt, 1, pAsk->lease_ms);
  sqlite3_bind_int(pStmt, 2, pAsk->count);
  while( sqlite3_step(pStmt)==SQLITE_ROW ){
    /* Behind the encoding, which is V8's */
    const u8 *a = sqlite3_column_blob(pStmt, 1);
    int n = sqlite3_column_bytes(pStmt, 1);
    QueueMessage *pNew = queueAdd(p, pOut);
    if( pNew==0 ) break;
    pNew->id = queueId(p, (const char*)sqlite3_column_text(pStmt, 0));
    if( n>1 ) pNew->payload = arenaBytes(&p->result, &a[1], (u64)n-1);
    pNew->deadline_ms = sqlite3_column_int64(pStmt, 2);
  }
  p->rc = sqlite3_reset(pStmt);
  if( p->rc!=SQLITE_OK ) writeFailed(p, p->rc);
}

/* Run a statement about a message: 1 if it is still claimed, 0, or -1 after an error. */
static int queueOne(Write *p, sqlite3_stmt *pStmt, const QueueMessage *pFrom, i64 iValue){
  int n = 0, rc;
  if( pStmt==0 ){
    writeFailed(p, sqlite3_errcode(baseDb()));
    return -1;
  }
  sqlite3_bind_text(pStmt, 1, pFrom->id, -1, SQLITE_STATIC);
  sqlite3_bind_int64(pStmt, 2, pFrom->deadline_ms);
  sqlite3_bind_int64(pStmt, 3, iValue);
  rc = sqlite3_step(pStmt);
  if( rc==SQLITE_ROW ) n = sqlite3_column_int(pStmt, 0);
  else if( rc==SQLITE_DONE && !sqlite3_stmt_readonly(pStmt) ) n = sqlite3_changes(baseDb());
  rc = sqlite3_reset(pStmt);
  if( rc!=SQLITE_OK ){
    writeFailed(p, rc);
    return -1;
  }
  return n>0;
}

static void queueRunRenew(Write *p, const QueueRequest *pAsk, QueueOutput *pOut){
  sqlite3_stmt *pStmt = baseStmt(&queue.pRenew, "UPDATE kv_queue SET deadline = ?3 "
      "WHERE id = ?1 AND deadline = ?2 AND state = 'running'");
  i64 iDeadline = clockNow() + pAsk->lease_ms;
  size_t i;
  for(i=0; i<pAsk->n_messages; i++){
    const QueueMessage *pFrom = pAsk->messages[i];
    int eClaimed = queueOne(p, pStmt, pFrom, iDeadline);
    QueueMessage *pNew = eClaimed>0 ? queueAdd(p, pOut) : 0;
    if( eClaimed<0 ) return;
    if( pNew==0 ) continue;
    pNew->id = pFrom->id;
    pNew->deadline_ms = iDeadline;
  }
}

static void queueRunFinish(Write *p, const QueueRequest *pAsk, QueueOutput *pOut){
  sqlite3_stmt *pDone = baseStmt(&queue.pDone, "SELECT kv_finish(?1, 1)");
  sqlite3_stmt *pFailed = baseStmt(&queue.pFailed, "SELECT kv_finish(id, 0) FROM (SELECT id "
      "FROM kv_queue WHERE id = ?1 AND deadline = ?2 AND state = 'running' LIMIT 1)");
  size_t i;
  for(i=0; i<pAsk->n_messages; i++){
    const QueueMessage *pFrom = pAsk->messages[i];
    int eClaimed = queueOne(p, pFrom->failed ? pFailed : pDone, pFrom, 0);
    QueueMessage *pNew = eClaimed>0 ? queueAdd(p, pOut) : 0;
    if( eClaimed<0 ) return;
    if( pNew ) pNew->id = pFrom->id;
  }
}

/* An empty result of a write; 0 if there is no memory. */
static QueueOutput *queueOutput(Write *p){
  QueueOutput *pOut;
  arenaClear(&p->result);
  pOut = arenaTake(&p->result, sizeof(*pOut) + QUEUE_COUNT*sizeof(QueueMessage*));
  p->pResult = pOut;
  p->rc = pOut ? SQLITE_OK : SQLITE_NOMEM;
  if( pOut==0 ) return 0;
  queue_output__init(pOut);
  pOut->messages = (QueueMessage**)&pOut[1];
  return pOut;
}

/* Carry out a request: all of it, or nothing after an error. */
static void queueRun(Write *p, void (*xRun)(Write*, const QueueRequest*, QueueOutput*)){
  QueueOutput *pOut;
  p->rc = baseRun(&queue.pSave, "SAVEPOINT kv_serve");
  if( p->rc!=SQLITE_OK ) return;
  pOut = queueOutput(p);
  if( pOut ) xRun(p, p->pMessage, pOut);
  if( p->result.bFull && p->rc==SQLITE_OK ) p->rc = SQLITE_NOMEM;
  if( sqlite3_get_autocommit(baseDb()) ) return;
  if( p->rc!=SQLITE_OK ) baseRun(&queue.pBack, "ROLLBACK TO kv_serve");
  baseRun(&queue.pRelease, "RELEASE kv_serve");
}

static void queueDoClaim(Write *p){ queueRun(p, queueRunClaim); }
static void queueDoRenew(Write *p){ queueRun(p, queueRunRenew); }
static void queueDoFinish(Write *p){ queueRun(p, queueRunFinish); }

static void queueReply(Write *p){
  messageReply(p->pRequest, &((QueueOutput*)p->pResult)->base);
}

/* ---- the same on a cluster ------------------------------------------------ */

/* A message that has been claimed has a row in kv_serve_done, whose id is that of the
** write, a stroke, and that of the message. */
static void queueRemoteClaimed(Write *p, Link *pLink, QueueOutput *pOut, int *prc){
  WireValue a[3];
  Wire *pWire = linkStatement(pLink, "SELECT r.id, r.data, r.deadline FROM kv_serve_done d "
      "JOIN queue_running r ON r.id = substr(d.id, length(?1)+2) "
      "WHERE d.id > ?1 || '/' AND d.id < ?1 || '0' ORDER BY r.rowid", 1);
  wireParamText(pWire, p->zId);
  *prc = linkQuery(pLink, 3, 0);
  while( *prc==LINK_OK ){
    QueueMessage *pNew;
    int bRow = linkRow(pLink, a);
    if( bRow<0 ) *prc = LINK_LOST;
    if( bRow<=0 ) break;
    pNew = pOut->n_messages<QUEUE_COUNT ? queueAdd(p, pOut) : 0;
    if( pNew==0 ) continue;
    pNew->id = queueId(p, (const char*)a[0].a);
    pNew->payload = arenaBytes(&p->result, a[1].a, a[1].n);
    pNew->deadline_ms = a[2].i;
  }
}

static int queueRemoteClaim(Write *p, Link *pLink, const QueueRequest *pAsk, QueueOutput *pOut){
  Wire *pWire;
  int rc = LINK_OK;
  if( p->bDone ){                        /* maybe */
    queueRemoteClaimed(p, pLink, pOut, &rc);
    if( rc!=LINK_OK || pOut->n_messages ) return rc;
  }
  pWire = linkStatement(pLink, "INSERT INTO kv_serve_done(id, versionstamp, at) "
      "SELECT ?1 || '/' || id, NULL, kv_now() FROM kv_dequeue(?2, ?3)", 3);
  wireParamText(pWire, p->zId);
  wireParamNumber(pWire, pAsk->lease_ms);
  wireParamNumber(pWire, pAsk->count);
  rc = linkExec(pLink, 0);
  if( rc==LINK_LOST ) p->bDone = 1;
  if( rc==LINK_OK ) queueRemoteClaimed(p, pLink, pOut, &rc);
  return rc;
}

/* Asked again it finds the deadline that it has set. */
static int queueRemoteRenew(Write *p, Link *pLink, const QueueRequest *pAsk, QueueOutput *pOut){
  i64 iDeadline = p->iVersion ? p->iVersion : clockNow() + pAsk->lease_ms;
  size_t i;
  p->iVersion = iDeadline;
  for(i=0; i<pAsk->n_messages; i++){
    const QueueMessage *pFrom = pAsk->messages[i];
    QueueMessage *pNew;
    i64 n = 0;
    int rc;
    Wire *pWire = linkStatement(pLink, "UPDATE kv_queue SET deadline = ?1 "
        "WHERE id = ?2 AND deadline IN (?1, ?3) AND state = 'running'", 3);
    wireParamNumber(pWire, iDeadline);
    wireParamText(pWire, pFrom->id);
    wireParamNumber(pWire, pFrom->deadline_ms);
    rc = linkExec(pLink, &n);
    if( rc!=LINK_OK ) return rc;
    pNew = n ? queueAdd(p, pOut) : 0;
    if( pNew==0 ) continue;
    pNew->id = pFrom->id;
    pNew->deadline_ms = iDeadline;
  }
  return LINK_OK;
}

/* What has been done already is left out when it is asked again: nobody minds. */
static int queueRemoteFinish(Write *p, Link *pLink, const QueueRequest *pAsk, QueueOutput *pOut){
  size_t i;
  for(i=0; i<pAsk->n_messages; i++){
    const QueueMessage *pFrom = pAsk->messages[i];
    QueueMessage *pNew;
    char zId[64];
    i64 n = 0;
    int rc;
    Wire *pWire = pFrom->failed
      ? linkStatement(pLink, "INSERT OR IGNORE INTO kv_serve_done(id, versionstamp, at) "
          "SELECT ?3, nullif(kv_finish(id, 0), 1), kv_now() FROM (SELECT id FROM kv_queue "
          "WHERE id = ?1 AND deadline = ?2 AND state = 'running' LIMIT 1)", 3)
      : linkStatement(pLink, "DELETE FROM kv_queue WHERE id = ?1 AND state = 'running'", 1);
    wireParamText(pWire, pFrom->id);
    if( pFrom->failed ){
      snprintf(zId, sizeof(zId), "%s/%u", p->zId, (unsigned)i);
      wireParamNumber(pWire, pFrom->deadline_ms);
      wireParamText(pWire, zId);
    }
    rc = linkExec(pLink, &n);
    if( rc!=LINK_OK ) return rc;
    pNew = n ? queueAdd(p, pOut) : 0;
    if( pNew ) pNew->id = pFrom->id;
  }
  return LINK_OK;
}

/* Until it is done, fails, or has waited for too long. */
static void queueRemote(
  Write *p, Link *pLink, int (*xRun)(Write*, Link*, const QueueRequest*, QueueOutput*)
){
  QueueOutput *pOut;
  int rc = LINK_OK;
  do{
    if( (pOut = queueOutput(p))==0 ) return;
    rc = linkOpen(pLink);
    if( rc==LINK_OK ) rc = xRun(p, pLink, p->pMessage, pOut);
    if( clusterPrepared(pLink, rc) ) rc = LINK_BUSY;
  }while( (rc==LINK_BUSY || rc==LINK_LOST) && clusterPause(p->iSince+WRITE_WAIT_MS) );
  p->rc = rc==LINK_OK ? p->result.bFull ? SQLITE_NOMEM : SQLITE_OK
        : rc==LINK_NO ? linkCode(pLink) & 0xff : SQLITE_BUSY;
  sqlite3_free(p->zError);
  p->zError = rc==LINK_NO ? sqlite3_mprintf("%s", linkError(pLink)) : 0;
}

static void queueFarClaim(Write *p, Link *pLink){ queueRemote(p, pLink, queueRemoteClaim); }
static void queueFarRenew(Write *p, Link *pLink){ queueRemote(p, pLink, queueRemoteRenew); }
static void queueFarFinish(Write *p, Link *pLink){ queueRemote(p, pLink, queueRemoteFinish); }

/* ---- claims that wait ----------------------------------------------------- */

static void queueNothing(Request *p){
  QueueOutput out = QUEUE_OUTPUT__INIT;
  messageReply(p, &out.base);
}

static void queueUnlink(QueueClaim *p){
  *p->ppPrev = p->pNext;
  if( p->pNext ) p->pNext->ppPrev = p->ppPrev;
  else queue.ppLast = p->ppPrev;
  queue.nWaiting--;
}

static void queueGone(Request *pRequest){
  QueueClaim *p = pRequest->pWork;
  queueUnlink(p);
  kvFree(p);
}

/* A claim is over: reply, or wait if it has found nothing. */
static void queueClaimed(Write *pWrite){
  const QueueRequest *pAsk = pWrite->pMessage;
  const QueueOutput *pOut = pWrite->pResult;
  QueueClaim *p;
  i64 iUntil = pWrite->iSince + pAsk->wait_ms;
  if( pOut->n_messages || queue.bEnds || clockMs()>=iUntil || (p = kvZeroed(sizeof(*p)))==0 ){
    queueReply(pWrite);
    return;
  }
  p->pRequest = pWrite->pRequest;
  p->nCount = pAsk->count;
  p->nLease = pAsk->lease_ms;
  p->iUntil = iUntil;
  p->ppPrev = queue.ppLast;
  *queue.ppLast = p;
  queue.ppLast = &p->pNext;
  queue.nWaiting++;
  queue.bLook = 1;
  p->pRequest->pWork = p;
  p->pRequest->xGone = queueGone;
  loopAgain();
}

/* A claim whose turn it is. */
static void queueAgain(QueueClaim *p){
  Write *pWrite = writeNew(p->pRequest);
  QueueRequest *pAsk = pWrite ? arenaTake(&pWrite->arena, sizeof(*pAsk)) : 0;
  if( pAsk==0 ){
    if( pWrite ) writeFree(pWrite);
    return;
  }
  queue_request__init(pAsk);
  pAsk->count = p->nCount;
  pAsk->lease_ms = p->nLease;
  pAsk->wait_ms = p->iUntil - pWrite->iSince;
  pWrite->pMessage = pAsk;
  pWrite->xRun = queueDoClaim;
  pWrite->xRemote = queueFarClaim;
  pWrite->xReply = queueClaimed;
  queueUnlink(p);
  kvFree(p);
  writeQueue(pWrite);
}

/* The wait is over. */
static void queueStop(QueueClaim *p){
  Request *pRequest = p->pRequest;
  queueUnlink(p);
  kvFree(p);
  queueNothing(pRequest);
}

/* Those that have waited for long enough. */
static void queueLate(i64 iNow){
  QueueClaim *p, *pNext;
  for(p=queue.pFirst; p; p=pNext){
    pNext = p->pNext;
    if( p->iUntil<=iNow || queue.bEnds ) queueStop(p);
  }
}

/* One number, 0 if there is none. */
static i64 queueRead(sqlite3_stmt **ppStmt, const char *zSql, i64 iNow, i64 nMost){
  sqlite3_stmt *p = baseStmt(ppStmt, zSql);
  i64 n = 0;
  if( p==0 ) return 0;
  sqlite3_bind_int64(p, 1, iNow);
  sqlite3_bind_int64(p, 2, nMost);
  if( sqlite3_step(p)==SQLITE_ROW ) n = sqlite3_column_int64(p, 0);
  sqlite3_reset(p);
  return n;
}

/* Let as many claim as there are messages, or leases that have ended. */
void queueReady(i64 n, i64 iNext){
  queue.bLook = 0;
  queue.iReady = iNext;
  while( n>0 && queue.pFirst ){
    if( requestThere(queue.pFirst->pRequest) ){
      queueAgain(queue.pFirst);
      n--;
    }else{
      queueStop(queue.pFirst);
    }
  }
}

static void queueLook(i64 iNow){
  i64 iNext = queueRead(&queue.pNext, "SELECT " QUEUE_NEXT, iNow, 0);
  queueReady(queueRead(&queue.pCount, "SELECT " QUEUE_READY, iNow, queue.nWaiting), iNext);
}

static i64 queueStep(void){
  i64 iNow = clockMs(), iDate = clockNow(), nWait = 1000;
  if( queue.nWaiting==0 ) return -1;
  queueLate(iNow);
  if( !clusterOn() && (queue.bLook || (queue.iReady && queue.iReady<=iDate)) ) queueLook(iDate);
  if( queue.nWaiting==0 || clusterOn() ) return queue.nWaiting ? 100 : -1;
  if( queue.iReady && queue.iReady-iDate<nWait ) nWait = queue.iReady-iDate;
  if( queue.pFirst->iUntil-iNow<nWait ) nWait = queue.pFirst->iUntil-iNow;
  return nWait>1 ? nWait : 1;
}

static LoopStep queueSteps = { queueStep, 0 };

void queueInit(void){
  queue.ppLast = &queue.pFirst;
  loopStep(&queueSteps);
}

void queueEnd(void){
  queue.bEnds = 1;
  queueLate(clockMs());
}

/* ---- requests ------------------------------------------------------------- */

/* What is wrong with a request, or 0; sets what isn't given. */
static const char *queueWrong(QueueRequest *p, int bClaim){
  size_t i;
  if( p->lease_ms==0 ) p->lease_ms = QUEUE_LEASE_MS;
  if( bClaim && p->count==0 ) p->count = 1;
  if( p->lease_ms<0 || p->lease_ms>QUEUE_LEASE_MAX ) return "A lease is from 1 ms to one day.";
  if( p->wait_ms<0 || p->wait_ms>QUEUE_WAIT_MAX ) return "A claim waits from 0 to 60000 ms.";
  if( p->n_messages>QUEUE_COUNT || p->count<0 || p->count>QUEUE_COUNT ){
    return "A request is for at most 100 messages.";
  }
  if( bClaim ) return p->n_messages ? "A claim names no messages." : 0;
  for(i=0; i<p->n_messages; i++){
    if( p->messages[i]->id[0]==0 ) return "A message is named by its id.";
  }
  return 0;
}

static void queueRequest(
  Request *p, const Token *pToken, void (*xRun)(Write*), void (*xRemote)(Write*, Link*),
  void (*xReply)(Write*)
){
  Write *pWrite = writeNew(p);
  QueueRequest *pAsk;
  const char *zWrong = 0;
  int iStatus = 403;
  if( pWrite==0 ){
    requestText(p, 503, "out of memory");
    return;
  }
  pAsk = messageUnpack(p, &pWrite->arena, &queue_request__descriptor);
  if( pAsk==0 ){
    writeFree(pWrite);
    return;
  }
  if( pToken->prefix.n ) zWrong = "The access token does not permit the queue.";
  else if( !pToken->bWrite || baseReadonly() ) zWrong = "Writes are disabled.";
  if( zWrong==0 ){
    iStatus = 400;
    zWrong = queueWrong(pAsk, xRun==queueDoClaim);
  }
  if( zWrong ){
    requestText(p, iStatus, zWrong);
    writeFree(pWrite);
    return;
  }
  pWrite->pMessage = pAsk;
  pWrite->xRun = xRun;
  pWrite->xRemote = xRemote;
  pWrite->xReply = xReply;
  writeQueue(pWrite);
}

void queueClaim(Request *p, const Token *pToken){
  queueRequest(p, pToken, queueDoClaim, queueFarClaim, queueClaimed);
}
void queueRenew(Request *p, const Token *pToken){
  queueRequest(p, pToken, queueDoRenew, queueFarRenew, queueReply);
}
void queueFinish(Request *p, const Token *pToken){
  queueRequest(p, pToken, queueDoFinish, queueFarFinish, queueReply);
}
