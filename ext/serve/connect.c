/*
** connect.c -- the requests of KV Connect.  See connect.h.
**
** Limits, and the texts of errors, are those of denokv.
*/
#include "serve/connect.h"
#include <stdio.h>
#include <time.h>
#include "bytes/endian.h"
#include "bytes/limits.h"
#include "codec/key/key_bytes.h"
#include "codec/op.h"
#include "codec/print.h"
#include "serve/clock.h"
#include "serve/cluster.h"
#include "serve/job.h"
#include "serve/message.h"
#include "serve/watch.h"
#include "serve/write.h"

#define CONNECT_VALUE    65536
#define CONNECT_RANGES   10
#define CONNECT_ENTRIES  1000            /* Of all ranges of a read */
#define CONNECT_TOTAL    819200          /* Bytes of an atomic operation */
#define CONNECT_EXPIRES  3600            /* Seconds until the exchange is done again */

/* Mutation.type */
enum {
  MUTATION_SET = 1, MUTATION_DELETE, MUTATION_SUM, MUTATION_MAX, MUTATION_MIN,
  MUTATION_SET_STAMPED = 9
};
/* SnapshotReadOutput.status */
enum { READ_SUCCESS = 1, READ_DISABLED = 2 };
/* AtomicWriteOutput.status */
enum { WRITE_SUCCESS = 1, WRITE_CHECK_FAILED = 2, WRITE_DISABLED = 5 };

/* ---- the exchange of metadata --------------------------------------------- */

/* The newest version that both sides know; 0: none, -1: the client says nothing. */
static int connectVersion(const Request *p){
  static sqlite3_stmt *pStmt;
  int iVersion = -1;
  if( p->body.n==0 ) return -1;
  if( baseStmt(&pStmt, "SELECT ifnull(max(value), 0) FROM json_each(?1, '$.supportedVersions') "
                       "WHERE value IN (2, 3)")==0 ) return -1;
  sqlite3_bind_text(pStmt, 1, (const char*)p->body.a, (int)p->body.n, SQLITE_STATIC);
  if( sqlite3_step(pStmt)==SQLITE_ROW ) iVersion = sqlite3_column_int(pStmt, 0);
  sqlite3_reset(pStmt);
  return iVersion;
}

void connectMetadata(Request *p, const Token *pToken){
  int iVersion = connectVersion(p);
  time_t iExpires = time(0) + CONNECT_EXPIRES;
  struct tm tm;
  char z[200];
  if( iVersion<=0 ){
    requestText(p, 400, iVersion
      ? "The server requires at least protocol version 2. Use Deno 1.38.0 or newer."
      : "The server could not negotiate a protocol version. The server requires protocol "
        "version 2 or 3.");
    return;
  }
  snprintf(z, sizeof(z), "{\"version\":%d,\"databaseId\":\"%s\",\"endpoints\":[{\"url\":\"/v2\","
      "\"consistency\":\"strong\"}],\"token\":", iVersion, baseId());
  kvBufText(&p->out, z);
  kvBufPut(&p->out, '"');
  kvBufAdd(&p->out, kvBufBytes(&pToken->text));
  gmtime_r(&iExpires, &tm);
  strftime(z, sizeof(z), "\",\"expiresAt\":\"%Y-%m-%dT%H:%M:%SZ\"}", &tm);
  kvBufText(&p->out, z);
  requestReply(p, 200, "application/json");
}

/* ---- reading -------------------------------------------------------------- */

/* What is wrong with the ranges, or 0. */
static const char *connectReadWrong(const SnapshotRead *p, const Token *pToken, int *piStatus){
  size_t i;
  i64 nEntry = 0;
  *piStatus = 400;
  if( p->n_ranges>CONNECT_RANGES ) return "Too many read ranges requested in one read request.";
  for(i=0; i<p->n_ranges; i++){
    const ReadRange *pRange = p->ranges[i];
    if( pRange->limit<=0 ) return "The read range limit of the snapshot read request is invalid.";
    if( pRange->start.len>MESSAGE_KEY+1 || pRange->end.len>MESSAGE_KEY+1 ){
      return messageKeyLong;
    }
    nEntry += pRange->limit;
  }
  if( nEntry>CONNECT_ENTRIES ){
    return "The total number of entries requested across read ranges in the read request is "
           "too large.";
  }
  *piStatus = 403;
  for(i=0; i<p->n_ranges; i++){
    if( !tokenRange(pToken, messageBytes(p->ranges[i]->start), messageBytes(p->ranges[i]->end)) ){
      return messageForbidden;
    }
  }
  return 0;
}

/* A range that is being read. */
typedef struct ConnectRange ConnectRange;
struct ConnectRange {
  Arena *pArena;
  ReadRangeOutput out;
  size_t nAlloc;
};

static int connectRow(void *pArg, const BaseEntry *pEntry){
  ConnectRange *p = pArg;
  KvEntry *pNew = messageEntry(p->pArena, pEntry);
  if( pNew==0 ) return 0;
  if( p->out.n_values==p->nAlloc ){
    size_t nAlloc = p->nAlloc ? 4*p->nAlloc : 4;
    KvEntry **ap = arenaTake(p->pArena, nAlloc*sizeof(*ap));
    if( ap==0 ) return 0;
    if( p->nAlloc ) memcpy(ap, p->out.values, p->nAlloc*sizeof(*ap));
    p->out.values = ap;
    p->nAlloc = nAlloc;
  }
  p->out.values[p->out.n_values++] = pNew;
  return 1;
}

/* Read all ranges in one snapshot.  SQLite's code. */
static int connectRanges(const SnapshotRead *p, ConnectRange *a){
  int rc = p->n_ranges>1 ? baseBegin() : SQLITE_OK;
  size_t i;
  for(i=0; i<p->n_ranges && rc==SQLITE_OK; i++){
    const ReadRange *pRange = p->ranges[i];
    rc = baseRange(messageBytes(pRange->start), messageBytes(pRange->end), pRange->limit,
        pRange->reverse, connectRow, &a[i]);
  }
  if( p->n_ranges>1 ) baseEnd();
  return rc;
}

static void connectRangesInit(ConnectRange *a, size_t n, Arena *pArena){
  size_t i;
  for(i=0; i<n; i++){
    memset(&a[i], 0, sizeof(a[i]));
    read_range_output__init(&a[i].out);
    a[i].pArena = pArena;
  }
}

/* Reply with what has been read. */
static void connectReadReply(Request *p, ConnectRange *a, size_t n, const Arena *pArena){
  ReadRangeOutput *ap[CONNECT_RANGES];
  SnapshotReadOutput out = SNAPSHOT_READ_OUTPUT__INIT;
  size_t i;
  if( pArena->bFull ){
    requestText(p, 400, "The entries of this read have more than 64 MB; read fewer at a time.");
    return;
  }
  for(i=0; i<n; i++) ap[i] = &a[i].out;
  out.n_ranges = n;
  out.ranges = ap;
  out.read_is_strongly_consistent = 1;
  out.status = READ_SUCCESS;
  messageReply(p, &out.base);
}

static void connectReadFailed(Request *p, int bBusy, const char *zError){
  fprintf(stderr, "kv-serve: a read failed: %s\n", zError);
  requestText(p, bBusy ? 503 : 500, bBusy
    ? "The server is temporarily unavailable, try again later."
    : "An internal server error occurred.");
}

static void connectReadFile(Request *p, const SnapshotRead *pRead, Arena *pArena){
  ConnectRange a[CONNECT_RANGES];
  int rc;
  connectRangesInit(a, pRead->n_ranges, pArena);
  rc = connectRanges(pRead, a);
  if( rc==SQLITE_OK ) connectReadReply(p, a, pRead->n_ranges, pArena);
  else connectReadFailed(p, baseBusy(rc), sqlite3_errmsg(baseDb()));
}

/* A read of a cluster. */
typedef struct ConnectJob ConnectJob;
struct ConnectJob {
  Job job;                               /* First */
  Request *pRequest;                     /* 0: the client has gone */
  Arena arena;                           /* Of the message ... */
  Arena result;                          /* ... and of what is read */
  const SnapshotRead *pRead;
  ConnectRange a[CONNECT_RANGES];
  i64 iUntil;
  int rc;                                /* LINK_xxx */
  char *zError;
};

static int connectJobRow(void *pArg, u32 iRange, const BaseEntry *pEntry){
  ConnectJob *p = pArg;
  return !p->result.bFull && connectRow(&p->a[iRange], pEntry);
}

static void connectJobRun(Job *pJob, Link *pLink){
  ConnectJob *p = (ConnectJob*)pJob;
  u32 n = (u32)p->pRead->n_ranges, i;
  ClusterRange a[CONNECT_RANGES];
  for(i=0; i<n; i++){
    const ReadRange *pFrom = p->pRead->ranges[i];
    a[i].start = messageBytes(pFrom->start);
    a[i].end = messageBytes(pFrom->end);
    a[i].nLimit = pFrom->limit;
    a[i].bReverse = pFrom->reverse;
  }
  do{
    arenaClear(&p->result);
    connectRangesInit(p->a, n, &p->result);
    p->rc = n ? clusterRanges(pLink, a, n, connectJobRow, p) : LINK_OK;
    if( clusterPrepared(pLink, p->rc) ) p->rc = LINK_BUSY;
  }while( (p->rc==LINK_LOST || p->rc==LINK_BUSY) && clusterPause(p->iUntil) );
  if( p->rc==LINK_NO ) p->zError = sqlite3_mprintf("%s", linkError(pLink));
}

/* Without a leader, or one that a majority knows, nothing is read. */
static void connectJobDisabled(Request *p){
  SnapshotReadOutput out = SNAPSHOT_READ_OUTPUT__INIT;
  out.read_disabled = 1;
  out.status = READ_DISABLED;
  messageReply(p, &out.base);
}

static void connectJobDone(Job *pJob){
  ConnectJob *p = (ConnectJob*)pJob;
  if( p->pRequest ){
    p->pRequest->xGone = 0;
    if( p->rc==LINK_OK ) connectReadReply(p->pRequest, p->a, p->pRead->n_ranges, &p->result);
    else if( p->rc==LINK_NO ) connectReadFailed(p->pRequest, 0, p->zError ? p->zError : "");
    else connectJobDisabled(p->pRequest);
  }
  arenaClear(&p->arena);
  arenaClear(&p->result);
  sqlite3_free(p->zError);
  kvFree(p);
}

static void connectJobGone(Request *pRequest){
  ((ConnectJob*)pRequest->pWork)->pRequest = 0;
}

/* Takes the arena over. */
static void connectReadCluster(Request *p, const SnapshotRead *pRead, Arena *pArena){
  ConnectJob *pNew = kvZeroed(sizeof(*pNew));
  if( pNew==0 ){
    requestText(p, 503, "out of memory");
    return;
  }
  pNew->job.xRun = connectJobRun;
  pNew->job.xDone = connectJobDone;
  pNew->pRequest = p;
  arenaMove(&pNew->arena, pArena);
  arenaInit(&pNew->result, ARENA_READ_MAX);
  pNew->pRead = pRead;
  pNew->iUntil = clockMs() + CLUSTER_WAIT_MS;
  p->pWork = pNew;
  p->xGone = connectJobGone;
  jobStart(JOB_READ, &pNew->job);
}

void connectRead(Request *p, const Token *pToken){
  Arena arena;
  const SnapshotRead *pRead;
  arenaInit(&arena, ARENA_READ_MAX);
  pRead = messageUnpack(p, &arena, &snapshot_read__descriptor);
  if( pRead ){
    int iStatus;
    const char *zWrong = connectReadWrong(pRead, pToken, &iStatus);
    if( zWrong ) requestText(p, iStatus, zWrong);
    else if( clusterOn() ) connectReadCluster(p, pRead, &arena);
    else connectReadFile(p, pRead, &arena);
  }
  arenaClear(&arena);
}

/* ---- writing: what may be asked ------------------------------------------- */

static const char connectNoKey[] = "The bytes of a key are no key of Deno KV.";
static const char connectValueLong[] = "A value exceeds the value size limit.";

static const char *connectCheckWrong(const Check *p, const Token *pToken, i64 *pnTotal){
  if( p->key.len>MESSAGE_KEY+1 ) return messageKeyLong;
  if( p->versionstamp.len!=0 && p->versionstamp.len!=10 ) return "Invalid versionstamp.";
  *pnTotal += (i64)p->key.len;
  return tokenKey(pToken, messageBytes(p->key)) ? 0 : messageForbidden;
}

static const char *connectMutationWrong(const Mutation *p, const Token *pToken, i64 *pnTotal){
  if( p->key.len>MESSAGE_KEY ) return messageKeyLong;
  if( !kvKeyCanonical(messageBytes(p->key)) && (p->key.len || p->type!=MUTATION_SET_STAMPED) ){
    return connectNoKey;
  }
  if( p->value && p->value->data.len>CONNECT_VALUE ) return connectValueLong;
  if( (p->type<MUTATION_SET || p->type>MUTATION_MIN) && p->type!=MUTATION_SET_STAMPED ){
    return "Invalid mutation kind or arguments.";
  }
  if( p->value==0 && p->type!=MUTATION_DELETE ) return "Invalid mutation kind or arguments.";
  if( p->expire_at_ms<-1 ) return "Invalid mutation expire at.";
  if( p->value && (p->value->encoding<1 || p->value->encoding>3) ){
    return "The value encoding is unknown.";
  }
  *pnTotal += (i64)p->key.len + (p->value ? (i64)p->value->data.len : 0);
  return tokenKey(pToken, messageBytes(p->key)) ? 0 : messageForbidden;
}

static const char *connectEnqueueWrong(const Enqueue *p, const Token *pToken, i64 *pnTotal){
  size_t i;
  if( p->payload.len>CONNECT_VALUE ) return connectValueLong;
  if( p->n_keys_if_undelivered>10 ) return "Too many dead letter keys for a single queue message.";
  if( p->n_backoff_schedule>5 ) return "Too many backoff intervals for a single queue message.";
  *pnTotal += (i64)p->payload.len + 4*(i64)p->n_backoff_schedule;
  for(i=0; i<p->n_backoff_schedule; i++){
    if( p->backoff_schedule[i]>3600000 ){
      return "A backoff interval exceeds the maximum allowed backoff interval.";
    }
  }
  if( p->deadline_ms<0 || p->deadline_ms-clockNow()>2592000000 ){
    return "Invalid mutation enqueue deadline.";
  }
  for(i=0; i<p->n_keys_if_undelivered; i++){
    if( p->keys_if_undelivered[i].len>MESSAGE_KEY ) return messageKeyLong;
    if( !kvKeyCanonical(messageBytes(p->keys_if_undelivered[i])) ) return connectNoKey;
    *pnTotal += (i64)p->keys_if_undelivered[i].len;
    if( !tokenKey(pToken, messageBytes(p->keys_if_undelivered[i])) ) return messageForbidden;
  }
  return 0;
}

static const char *connectWriteWrong(const AtomicWrite *p, const Token *pToken){
  const char *zWrong = 0;
  i64 nTotal = 0;
  size_t i;
  if( p->n_checks>100 ) return "Too many checks included in atomic write.";
  if( p->n_mutations+p->n_enqueues>1000 ){
    return "Too many mutations / enqueues included in atomic write.";
  }
  for(i=0; i<p->n_checks && zWrong==0; i++){
    zWrong = connectCheckWrong(p->checks[i], pToken, &nTotal);
  }
  for(i=0; i<p->n_mutations && zWrong==0; i++){
    zWrong = connectMutationWrong(p->mutations[i], pToken, &nTotal);
  }
  for(i=0; i<p->n_enqueues && zWrong==0; i++){
    zWrong = connectEnqueueWrong(p->enqueues[i], pToken, &nTotal);
  }
  if( zWrong==0 && nTotal>CONNECT_TOTAL ) zWrong = "The total size of the atomic write is too large.";
  return zWrong;
}

/* ---- writing: ops --------------------------------------------------------- */

/* An op that is put together: its fields point into these. */
typedef struct ConnectOp ConnectOp;
struct ConnectOp {
  KvOp op;
  KvBuf value, min, max, keys, backoff;
  u8 aTime[8];
};

/* An encoding, then bytes, as an op has values. */
static KvBytes connectValue(KvBuf *p, int eEncoding, ProtobufCBinaryData data){
  kvBufReset(p);
  kvBufPut(p, (u8)eEncoding);
  kvBufAdd(p, messageBytes(data));
  return kvBufBytes(p);
}

/* A time as the ms from now on, not before now. */
static KvBytes connectTime(ConnectOp *p, i64 iTime){
  i64 nMs = iTime-clockNow();
  kvPut64be(p->aTime, nMs>0 ? (u64)nMs : 0);
  return kvBytes(p->aTime, 8);
}

static void connectMutation(ConnectOp *p, const Mutation *pFrom){
  static const u8 aKind[] = {
    0, KV_OP_SET, KV_OP_DELETE, KV_OP_SUM, KV_OP_MAX, KV_OP_MIN, 0, 0, 0, KV_OP_SET
  };
  memset(&p->op, 0, sizeof(p->op));
  p->op.eOp = aKind[pFrom->type];
  p->op.key = messageBytes(pFrom->key);
  if( p->op.eOp==KV_OP_DELETE ) return;
  p->op.value = connectValue(&p->value, pFrom->value->encoding, pFrom->value->data);
  if( p->op.eOp==KV_OP_SET ){
    if( pFrom->type==MUTATION_SET_STAMPED ) p->op.mFlags |= KV_OP_STAMP;
    if( pFrom->expire_at_ms>0 ) p->op.expire = connectTime(p, pFrom->expire_at_ms);
  }else if( p->op.eOp==KV_OP_SUM ){
    if( pFrom->sum_min.len ) p->op.min = connectValue(&p->min, 1, pFrom->sum_min);
    if( pFrom->sum_max.len ) p->op.max = connectValue(&p->max, 1, pFrom->sum_max);
    if( pFrom->sum_clamp ) p->op.mFlags |= KV_OP_CLAMP;
  }
}

static void connectEnqueue(ConnectOp *p, const Enqueue *pFrom){
  size_t i;
  memset(&p->op, 0, sizeof(p->op));
  p->op.eOp = KV_OP_ENQUEUE;
  p->op.value = connectValue(&p->value, 1, pFrom->payload);
  p->op.delay = connectTime(p, pFrom->deadline_ms);
  kvBufReset(&p->keys);
  kvBufReset(&p->backoff);
  kvBufPut(&p->keys, '[');
  for(i=0; i<pFrom->n_keys_if_undelivered; i++){
    if( i ) kvBufPut(&p->keys, ',');
    kvPrintBytes(&p->keys, messageBytes(pFrom->keys_if_undelivered[i]));
  }
  kvBufPut(&p->keys, ']');
  p->op.keys = kvBufBytes(&p->keys);
  kvBufPut(&p->backoff, '[');
  for(i=0; i<pFrom->n_backoff_schedule; i++){
    if( i ) kvBufPut(&p->backoff, ',');
    kvPrintInt(&p->backoff, pFrom->backoff_schedule[i]);
  }
  kvBufPut(&p->backoff, ']');
  p->op.backoff = pFrom->n_backoff_schedule ? kvBufBytes(&p->backoff)
                                            : kvBytesText("[100,1000,5000,30000,60000]");
}

/* Add the op to a list. */
static void connectAdd(KvList *pOps, ConnectOp *p){
  u32 iBegin = kvListBegin(pOps);
  kvOpWrite(&pOps->bytes, &p->op);
  kvListEnd(pOps, iBegin);
}

/* ---- writing: in the queue ------------------------------------------------ */

/* The message as ops, checks first. */
static void connectOps(Write *p){
  const AtomicWrite *pMessage = p->pMessage;
  ConnectOp op;
  size_t i;
  memset(&op, 0, sizeof(op));
  for(i=0; i<pMessage->n_checks; i++){
    memset(&op.op, 0, sizeof(op.op));
    op.op.eOp = KV_OP_CHECK;
    op.op.key = messageBytes(pMessage->checks[i]->key);
    if( pMessage->checks[i]->versionstamp.len ){
      op.op.stamp = messageBytes(pMessage->checks[i]->versionstamp);
    }
    connectAdd(&p->ops, &op);
  }
  for(i=0; i<pMessage->n_mutations; i++){
    connectMutation(&op, pMessage->mutations[i]);
    connectAdd(&p->ops, &op);
  }
  for(i=0; i<pMessage->n_enqueues; i++){
    connectEnqueue(&op, pMessage->enqueues[i]);
    connectAdd(&p->ops, &op);
  }
  kvBufClear(&op.value);
  kvBufClear(&op.min);
  kvBufClear(&op.max);
  kvBufClear(&op.keys);
  kvBufClear(&op.backoff);
}

static void connectWritten(Write *p){
  const AtomicWrite *pMessage = p->pMessage;
  size_t i;
  AtomicWriteOutput out = ATOMIC_WRITE_OUTPUT__INIT;
  u8 aStamp[10];
  if( p->nFailed ){
    out.status = WRITE_CHECK_FAILED;
    out.n_failed_checks = p->aFailed ? p->nFailed : 0;
    out.failed_checks = p->aFailed;
  }else{
    out.status = WRITE_SUCCESS;
    messageStamp(aStamp, p->iVersion);
    out.versionstamp.data = aStamp;
    out.versionstamp.len = sizeof(aStamp);
    for(i=0; i<pMessage->n_mutations; i++) watchTouch(messageBytes(pMessage->mutations[i]->key));
  }
  messageReply(p->pRequest, &out.base);
}

static void connectDisabled(Request *p){
  AtomicWriteOutput out = ATOMIC_WRITE_OUTPUT__INIT;
  out.status = WRITE_DISABLED;
  messageReply(p, &out.base);
}

void connectWrite(Request *p, const Token *pToken){
  Write *pWrite = writeNew(p);
  const AtomicWrite *pMessage;
  const char *zWrong;
  if( pWrite==0 ){
    requestText(p, 503, "out of memory");
    return;
  }
  pMessage = messageUnpack(p, &pWrite->arena, &atomic_write__descriptor);
  zWrong = pMessage ? connectWriteWrong(pMessage, pToken) : 0;
  if( pMessage && zWrong==0 && pToken->bWrite && !baseReadonly() ){
    pWrite->pMessage = pMessage;
    pWrite->aFailed = arenaTake(&pWrite->arena, sizeof(u32)*(pMessage->n_checks+1));
    pWrite->xOps = connectOps;
    pWrite->xReply = connectWritten;
    if( pWrite->aFailed ){
      writeQueue(pWrite);
      return;
    }
    zWrong = "The request is too large.";
  }
  if( zWrong ) requestText(p, zWrong==messageForbidden ? 403 : 400, zWrong);
  else if( pMessage ) connectDisabled(p);
  writeFree(pWrite);
}
