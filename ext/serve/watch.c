/*
** watch.c -- streams that tell of changes of entries.  See watch.h.
**
** A change is noticed in one of three ways:
**
**   this server writes the key           at once, by the table of watched keys
**   anything is written, by anybody      the versions of all keys are looked at; how
**                                        often depends on how long that takes
**   neither (an entry expires)           the keys of a watch are looked at before
**                                        its pings
**
** Other programs' writes are noticed by change.c.
*/
#include "serve/watch.h"
#include "serve/clock.h"
#include "serve/cluster.h"
#include "serve/job.h"
#include "serve/loop.h"
#include "serve/message.h"

#define WATCH_KEYS     10                /* Of a watch */
#define WATCH_PING_MS  5000
#define WATCH_AGAIN_MS 4                 /* Until what couldn't be done is tried again */
#define WATCH_SHARE    20                /* One of so many parts of the time goes into looking */
#define WATCH_SCAN_SHARE 4               /* The same on a cluster, whose leader does it */
#define WATCH_NEVER    (-1)              /* WatchItem.iVersion: nothing has been sent */

typedef struct Watch Watch;
typedef struct WatchItem WatchItem;

/* A key of a watch. */
struct WatchItem {
  Watch *pWatch;
  WatchItem *pNext, **ppPrev;            /* Those of its slot of the table */
  u64 iHash;
  KvBytes key;
  i64 iVersion;                          /* What has been sent; 0: no entry */
};

struct Watch {
  Request *pRequest;
  Watch *pNext, **ppPrev;                /* The next is to be pinged later */
  Watch *pDirty, *pRead;
  u8 bDirty;                             /* On the list of those to look at */
  u8 bRead;                              /* On the list of those that a job reads */
  i64 iPing;
  u32 nItem;
  WatchItem aItem[];                     /* The keys' bytes follow */
};

static struct {
  Watch *pFirst, **ppLast;               /* In the order of their pings */
  Watch *pDirty, *pRead;
  WatchItem **apSlot;                    /* The table of keys */
  u32 nSlot, nItem, nWatch;
  u64 iSeed;
  i64 iLook;                             /* When all may be looked at again */
  u8 bLook;                              /* All are to be looked at */
  u8 bScan;                              /* On a cluster: all are, from the slot iScan on */
  u32 iScan;
  i64 iScanned;                          /* When that began, in us */
  u8 bEnds;
} watch;

u32 watchCount(void){ return watch.nWatch; }

/* ---- the table of keys ---------------------------------------------------- */

static u64 watchHash(KvBytes key){
  u64 h = watch.iSeed;
  u32 i;
  for(i=0; i<key.n; i++) h = (h ^ key.p[i]) * 0x100000001b3u;
  return h ^ (h>>29);
}

static void watchLink(WatchItem *p){
  WatchItem **pp = &watch.apSlot[p->iHash & (watch.nSlot-1)];
  p->pNext = *pp;
  p->ppPrev = pp;
  if( *pp ) (*pp)->ppPrev = &p->pNext;
  *pp = p;
}

/* Room for n more items. */
static int watchGrow(u32 n){
  u32 nSlot = watch.nSlot ? watch.nSlot : 64, i;
  WatchItem **apOld = watch.apSlot, **apNew;
  while( nSlot<watch.nItem+n ) nSlot *= 2;
  if( nSlot==watch.nSlot ) return 1;
  apNew = kvZeroed(nSlot*sizeof(*apNew));
  if( apNew==0 ) return 0;
  n = watch.nSlot;
  watch.apSlot = apNew;
  watch.nSlot = nSlot;
  watch.iScan = 0;
  for(i=0; i<n; i++){
    WatchItem *p, *pNext;
    for(p=apOld[i]; p; p=pNext){
      pNext = p->pNext;
      watchLink(p);
    }
  }
  kvFree(apOld);
  return 1;
}

/* ---- the lists ------------------------------------------------------------ */

static void watchAppend(Watch *p){
  p->pNext = 0;
  p->ppPrev = watch.ppLast;
  *watch.ppLast = p;
  watch.ppLast = &p->pNext;
}

static void watchUnlink(Watch *p){
  *p->ppPrev = p->pNext;
  if( p->pNext ) p->pNext->ppPrev = p->ppPrev;
  else watch.ppLast = p->ppPrev;
}

static void watchDirty(Watch *p){
  if( p->bDirty ) return;
  p->bDirty = 1;
  p->pDirty = watch.pDirty;
  watch.pDirty = p;
}

static void watchFree(Watch *p){
  Watch **pp = &watch.pDirty;
  u32 i;
  watchUnlink(p);
  for(i=0; i<p->nItem; i++){
    WatchItem *pItem = &p->aItem[i];
    *pItem->ppPrev = pItem->pNext;
    if( pItem->pNext ) pItem->pNext->ppPrev = pItem->ppPrev;
  }
  if( p->bDirty ){
    while( *pp!=p ) pp = &(*pp)->pDirty;
    *pp = p->pDirty;
  }
  if( p->bRead ){
    for(pp=&watch.pRead; *pp!=p; ) pp = &(*pp)->pRead;
    *pp = p->pRead;
  }
  watch.nItem -= p->nItem;
  watch.nWatch--;
  kvFree(p);
}

/* The client has gone. */
static void watchGone(Request *pRequest){
  watchFree(pRequest->pWork);
}

/* ---- frames --------------------------------------------------------------- */

/* A frame has been appended to the stream, or a ping: the next one is later. */
static void watchSent(Watch *p){
  p->iPing = clockMs() + WATCH_PING_MS;
  watchUnlink(p);
  watchAppend(p);
  requestMore(p->pRequest);
}

/* The entries of a watch from the file, 0 for a key without.  False if they can't be
** read now. */
static int watchEntries(Watch *p, Arena *pArena, KvEntry **apEntry, i64 *aVersion){
  u32 i;
  for(i=0; i<p->nItem; i++){
    BaseEntry entry;
    int bFound = baseGet(p->aItem[i].key, 1, &entry);
    aVersion[i] = bFound>0 ? entry.iVersion : 0;
    apEntry[i] = bFound>0 ? messageEntry(pArena, &entry) : 0;
    baseDone();
    if( bFound<0 || pArena->bFull ) return 0;
  }
  return 1;
}

/* Send the entries, unless nothing has changed.  False if there is no memory.  (Deno
** 2.9 takes a key that is sent as unchanged for one without entry, so all are.) */
static int watchFrame(Watch *p, KvEntry **apEntry, const i64 *aVersion){
  WatchOutput out = WATCH_OUTPUT__INIT;
  WatchKeyOutput aKey[WATCH_KEYS], *apKey[WATCH_KEYS];
  int bChanged = 0;
  u32 i;
  for(i=0; i<p->nItem; i++){
    watch_key_output__init(&aKey[i]);
    aKey[i].changed = 1;
    aKey[i].entry_if_changed = apEntry[i];
    apKey[i] = &aKey[i];
    if( aVersion[i]!=p->aItem[i].iVersion ) bChanged = 1;
  }
  if( !bChanged ) return 1;
  out.status = 1;
  out.n_keys = p->nItem;
  out.keys = apKey;
  if( !messageFrame(p->pRequest, &out.base) ) return 0;
  for(i=0; i<p->nItem; i++) p->aItem[i].iVersion = aVersion[i];
  watchSent(p);
  return 1;
}

/* Look at those that are dirty.  True if some are left: their streams are full, or
** the file can't be read now. */
static int watchLookDirty(void){
  Watch *pList = watch.pDirty, *p;
  Arena arena;
  arenaInit(&arena, ARENA_READ_MAX);
  if( pList==0 || baseBegin()!=SQLITE_OK ) return pList!=0;
  watch.pDirty = 0;
  while( (p = pList)!=0 ){
    KvEntry *apEntry[WATCH_KEYS];
    i64 aVersion[WATCH_KEYS];
    pList = p->pDirty;
    p->bDirty = 0;
    if( p->pRequest->out.n>0 || !watchEntries(p, &arena, apEntry, aVersion)
     || !watchFrame(p, apEntry, aVersion) ) watchDirty(p);
    arenaClear(&arena);
  }
  baseEnd();
  return watch.pDirty!=0;
}

/* Find those that have changed among all. */
static void watchLookAll(void){
  i64 iBegin = clockUs();
  Watch *p;
  u32 i;
  if( baseBegin()!=SQLITE_OK ) return;
  watch.bLook = 0;
  for(p=watch.pFirst; p; p=p->pNext){
    for(i=0; i<p->nItem && !p->bDirty; i++){
      BaseEntry entry = { { 0, 0 }, { 0, 0 }, 0, 0 };
      int bFound = baseGet(p->aItem[i].key, 0, &entry);
      if( bFound<0 || entry.iVersion!=p->aItem[i].iVersion ) watchDirty(p);
    }
  }
  baseEnd();
  iBegin = clockUs() - iBegin;
  watch.iLook = clockUs() + (WATCH_SHARE-1)*iBegin;
}

/* ---- the same on a cluster ------------------------------------------------ */

/*
** Keys are read by a job: those of watches that are dirty, with their values, as all
** watches are if there are few; or the versions of all, some at a time.  A key of the
** job may by then be watched by others, or by nobody: it is looked up in the table again.
*/
typedef struct WatchJob WatchJob;
struct WatchJob {
  Job job;                               /* First */
  u8 bRuns, bValue;
  int rc;
  Arena arena;                           /* The keys, and what is read */
  u32 n;
  KvBytes aKey[CLUSTER_KEYS];
  KvEntry *apEntry[CLUSTER_KEYS];        /* 0: none */
  i64 aVersion[CLUSTER_KEYS];            /* 0: none */
};

static void watchJobRun(Job *pJob, Link *pLink);
static void watchJobDone(Job *pJob);

static WatchJob watchJob = { .job = { 0, watchJobRun, watchJobDone } };

/* Which of the job's keys this is, -1: none. */
static int watchJobFind(const WatchJob *p, KvBytes key){
  u32 i;
  for(i=0; i<p->n; i++){
    if( kvBytesEqual(p->aKey[i], key) ) return (int)i;
  }
  return -1;
}

static void watchJobRow(void *pArg, const BaseEntry *pEntry){
  WatchJob *p = pArg;
  int i = watchJobFind(p, pEntry->key);
  if( i<0 ) return;
  p->aVersion[i] = pEntry->iVersion;
  if( p->bValue ) p->apEntry[i] = messageEntry(&p->arena, pEntry);
}

static void watchJobRun(Job *pJob, Link *pLink){
  WatchJob *p = (WatchJob*)pJob;
  memset(p->aVersion, 0, sizeof(p->aVersion));
  memset(p->apEntry, 0, sizeof(p->apEntry));
  p->rc = clusterEntries(pLink, p->aKey, p->n, p->bValue, watchJobRow, p);
}

/* Send what has changed to a watch whose keys have all been read. */
static void watchJobFrame(const WatchJob *p, Watch *pWatch){
  KvEntry *apEntry[WATCH_KEYS];
  i64 aVersion[WATCH_KEYS];
  u32 i;
  for(i=0; i<pWatch->nItem; i++){
    int iKey = watchJobFind(p, pWatch->aItem[i].key);
    if( iKey<0 ) return;
    apEntry[i] = p->apEntry[iKey];
    aVersion[i] = p->aVersion[iKey];
  }
  if( pWatch->pRequest->out.n>0 || !watchFrame(pWatch, apEntry, aVersion) ) watchDirty(pWatch);
}

/* A key has this version: whoever has been sent another one is dirty. */
static void watchVersion(KvBytes key, i64 iVersion){
  u64 iHash = watchHash(key);
  WatchItem *p;
  if( watch.nItem==0 ) return;
  for(p=watch.apSlot[iHash & (watch.nSlot-1)]; p; p=p->pNext){
    if( p->iHash!=iHash || p->iVersion==iVersion ) continue;
    if( kvBytesEqual(p->key, key) ) watchDirty(p->pWatch);
  }
}

static void watchJobDone(Job *pJob){
  WatchJob *p = (WatchJob*)pJob;
  int bRead = p->rc==LINK_OK && !p->arena.bFull;
  u32 i;
  p->bRuns = 0;
  if( !p->bValue ){
    for(i=0; bRead && i<p->n; i++) watchVersion(p->aKey[i], p->aVersion[i]);
    if( !bRead ) watch.bLook = 1;
  }
  while( watch.pRead ){
    Watch *pWatch = watch.pRead;
    watch.pRead = pWatch->pRead;
    pWatch->bRead = 0;
    if( bRead ) watchJobFrame(p, pWatch);
    else watchDirty(pWatch);
  }
  arenaClear(&p->arena);
  if( bRead ) loopAgain();
}

/* Add a key, unless there is no room.  False then. */
static int watchJobAdd(KvBytes key){
  WatchJob *p = &watchJob;
  u8 *a;
  if( watchJobFind(p, key)>=0 ) return 1;
  a = p->n<CLUSTER_KEYS ? arenaTake(&p->arena, key.n) : 0;
  if( a==0 ) return 0;
  if( key.n ) memcpy(a, key.p, key.n);
  p->aKey[p->n++] = kvBytes(a, key.n);
  return 1;
}

/* The keys of dirty watches, as far as there is room for those of a whole watch. */
static void watchJobDirty(void){
  Watch *pList = watch.pDirty, *p;
  u32 i;
  watch.pDirty = 0;
  while( (p = pList)!=0 ){
    pList = p->pDirty;
    p->bDirty = 0;
    if( p->pRequest->out.n>0 || watchJob.n+p->nItem>CLUSTER_KEYS ){
      watchDirty(p);
      continue;
    }
    for(i=0; i<p->nItem; i++) watchJobAdd(p->aItem[i].key);
    p->bRead = 1;
    p->pRead = watch.pRead;
    watch.pRead = p;
  }
}

/* Some keys of all, from iScan on. */
static void watchJobScan(void){
  for(; watch.iScan<watch.nSlot; watch.iScan++){
    WatchItem *p;
    for(p=watch.apSlot[watch.iScan]; p && watchJobAdd(p->key); p=p->pNext){}
    if( p && watchJob.n ) return;        /* this slot again, in the next job */
  }
  watch.bScan = 0;
  watch.iLook = clockUs() + (WATCH_SCAN_SHARE-1)*(clockUs()-watch.iScanned);
}

static void watchRemote(void){
  WatchJob *p = &watchJob;
  if( p->bRuns ) return;
  arenaInit(&p->arena, ARENA_READ_MAX);
  p->n = 0;
  if( watch.bLook && watch.nItem<=CLUSTER_KEYS ){
    Watch *pWatch;
    watch.bLook = 0;
    for(pWatch=watch.pFirst; pWatch; pWatch=pWatch->pNext) watchDirty(pWatch);
  }
  watchJobDirty();
  p->bValue = p->n>0;
  if( p->n==0 && watch.bLook && !watch.bScan && clockUs()>=watch.iLook ){
    watch.bLook = 0;
    watch.bScan = 1;
    watch.iScan = 0;
    watch.iScanned = clockUs();
  }
  if( p->n==0 && watch.bScan ) watchJobScan();
  p->bRuns = p->n>0;
  if( p->bRuns ) jobStart(JOB_READ, &p->job);
}

/* ---- the loop ------------------------------------------------------------- */

/* Streams that have been quiet for long. */
static void watchPings(void){
  i64 iNow = clockMs();
  Watch *p;
  while( (p = watch.pFirst)!=0 && p->iPing<=iNow ){
    watchDirty(p);
    if( p->pRequest->out.n==0 ) kvBufAppend(&p->pRequest->out, "\0\0\0\0", 4);
    watchSent(p);
  }
}

static i64 watchStep(void){
  int bLeft;
  if( watch.nWatch==0 ) return -1;
  if( clusterOn() ){
    watchRemote();
    watchPings();
    bLeft = !watchJob.bRuns && (watch.pDirty || watch.bLook);
    return bLeft ? WATCH_AGAIN_MS : WATCH_PING_MS/10;
  }
  bLeft = watchLookDirty();
  if( watch.bLook && clockUs()>=watch.iLook ){
    watchLookAll();
    bLeft = watchLookDirty();
  }
  watchPings();
  return bLeft || watch.bLook ? WATCH_AGAIN_MS : WATCH_PING_MS/10;
}

static LoopStep watchSteps = { watchStep, 0 };

void watchInit(void){
  watch.ppLast = &watch.pFirst;
  watch.iSeed = kvSeed(&watch) ^ ((u64)clockNow()<<20);
  loopStep(&watchSteps);
}

void watchTouch(KvBytes key){
  u64 iHash;
  WatchItem *p;
  if( watch.nItem==0 ) return;
  iHash = watchHash(key);
  for(p=watch.apSlot[iHash & (watch.nSlot-1)]; p; p=p->pNext){
    if( p->iHash==iHash && kvBytesEqual(p->key, key) ) watchDirty(p->pWatch);
  }
}

void watchWritten(void){
  watch.bLook = 1;
}

void watchFinish(void){
  watch.bEnds = 1;
  while( watch.pFirst ){
    Request *pRequest = watch.pFirst->pRequest;
    watchFree(watch.pFirst);
    requestEnd(pRequest);
  }
}

/* ---- the request ---------------------------------------------------------- */

/* A watch of the keys, of nByte bytes in all. */
static Watch *watchNew(Request *pRequest, const WatchKeys *pMessage, size_t nByte){
  u32 i, n = (u32)pMessage->n_keys;
  Watch *p = watchGrow(n) ? kvZeroed(sizeof(*p) + n*sizeof(WatchItem) + nByte) : 0;
  u8 *a;
  if( p==0 ) return 0;
  p->pRequest = pRequest;
  p->nItem = n;
  a = (u8*)&p->aItem[n];
  for(i=0; i<n; i++){
    WatchItem *pItem = &p->aItem[i];
    pItem->pWatch = p;
    pItem->key = kvBytes(a, (u32)pMessage->keys[i]->key.len);
    if( pItem->key.n ) memcpy(a, pMessage->keys[i]->key.data, pItem->key.n);
    a += pItem->key.n;
    pItem->iHash = watchHash(pItem->key);
    pItem->iVersion = WATCH_NEVER;
    watchLink(pItem);
  }
  watch.nItem += n;
  watch.nWatch++;
  p->iPing = clockMs() + WATCH_PING_MS;
  watchAppend(p);
  watchDirty(p);
  loopAgain();
  return p;
}

static const char *watchWrong(const WatchKeys *p, const Token *pToken, int *piStatus, size_t *pnByte){
  size_t i;
  *piStatus = 400;
  *pnByte = 0;
  if( p->n_keys==0 ) return "A watch needs at least one key.";
  if( p->n_keys>WATCH_KEYS ) return "Too many keys watched in a single watch request.";
  for(i=0; i<p->n_keys; i++){
    if( p->keys[i]->key.len>MESSAGE_KEY ) return messageKeyLong;
    *pnByte += p->keys[i]->key.len;
  }
  *piStatus = 403;
  for(i=0; i<p->n_keys; i++){
    if( !tokenKey(pToken, messageBytes(p->keys[i]->key)) ) return messageForbidden;
  }
  return 0;
}

void watchRequest(Request *p, const Token *pToken){
  Arena arena;
  const WatchKeys *pMessage;
  const char *zWrong = 0;
  int iStatus = 503;
  size_t nByte = 0;
  Watch *pWatch = 0;
  arenaInit(&arena, ARENA_BODY_MAX);
  pMessage = messageUnpack(p, &arena, &watch_keys__descriptor);
  if( pMessage==0 ) return;
  zWrong = watchWrong(pMessage, pToken, &iStatus, &nByte);
  if( zWrong==0 && watch.bEnds ){
    iStatus = 503;
    zWrong = "The server is about to end, try again later.";
  }
  if( zWrong==0 ) pWatch = watchNew(p, pMessage, nByte);
  arenaClear(&arena);
  if( pWatch==0 ){
    requestText(p, zWrong ? iStatus : 503, zWrong ? zWrong : "out of memory");
    return;
  }
  p->pWork = pWatch;
  p->xGone = watchGone;
  requestStream(p, "application/octet-stream");
}
