/*
** atomic.c -- atomic operations on a store.  See atomic.h.
*/
#include "store/atomic.h"
SQLITE_EXTENSION_INIT3
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/sum.h"
#include "codec/queue_text.h"
#include "store/queue.h"
#include "store/index_maintain.h"

struct KvAtomSeen {
  u32 iKey, nKey;         /* Where the key is in KvAtom.seen */
  u32 iNext;              /* 1 + index of the next one with the same hash */
  u8 bFound;              /* It was there before the operation */
  i64 iVersion;           /* ... with this version */
};

void kvAtomInit(KvAtom *p, KvStore *pStore, const i64 *aLimit){
  memset(p, 0, sizeof(*p));
  p->pStore = pStore;
  p->aLimit = aLimit;
  p->iNow = kvNow();
  kvBufInit(&p->conflict, 0, 0);
  kvBufInit(&p->key, 0, 0);
  kvBufInit(&p->found.v, 0, 0);
  kvBufInit(&p->result, 0, 0);
  kvBufInit(&p->seen, 0, 0);
}

void kvAtomClear(KvAtom *p){
  kvBufClear(&p->conflict);
  kvBufClear(&p->key);
  kvBufClear(&p->found.v);
  kvBufClear(&p->result);
  kvBufClear(&p->seen);
  sqlite3_free(p->aSeen);
  sqlite3_free(p->aHash);
  p->aSeen = 0;
  p->aHash = 0;
  p->nSeen = p->nSeenAlloc = 0;
}

static int atomLimit(KvAtom *p, int eLimit, const char *zWhat, i64 n, char **pzErr){
  if( n<=p->aLimit[eLimit] ) return SQLITE_OK;
  *pzErr = kvLimitText(p->aLimit, eLimit, zWhat, n);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* The lists and the delay of a message, which may come from a forged op.  The
** default schedule costs nothing. */
static int atomCountMessage(KvAtom *p, const KvOp *pOp, char **pzErr){
  static const char zDefault[] = KV_BACKOFF_DEFAULT;
  u32 n = 0;
  i64 iMost = 0;
  int rc;
  kvQueueTextCheck(pOp->keys, 1, &n, &iMost);
  rc = atomLimit(p, KV_LIMIT_undelivered_keys, "keys_if_undelivered", n, pzErr);
  if( rc==SQLITE_OK ) rc = atomLimit(p, KV_LIMIT_key_bytes, "bytes of the key", iMost, pzErr);
  kvQueueTextCheck(pOp->backoff, 0, &n, &iMost);
  if( rc==SQLITE_OK ) rc = atomLimit(p, KV_LIMIT_backoff_steps, "steps of backoff_schedule", n, pzErr);
  if( rc==SQLITE_OK ) rc = atomLimit(p, KV_LIMIT_backoff_ms, "ms in backoff_schedule", iMost, pzErr);
  if( rc==SQLITE_OK && pOp->delay.p ){
    rc = atomLimit(p, KV_LIMIT_delay_ms, "delay of a message in ms", kvOpInt(pOp->delay), pzErr);
  }
  if( pOp->backoff.n!=sizeof(zDefault)-1 || memcmp(pOp->backoff.p, zDefault, pOp->backoff.n)!=0 ){
    p->nBytes += 4*(i64)n;
  }
  return rc;
}

/*
** Count an op against the limits, as Deno counts: a check and a delete their
** key, what carries a value its key twice and the value, a message itself and
** four bytes for each step of its backoff schedule.
*/
static int atomCount(KvAtom *p, const KvOp *pOp, char **pzErr){
  i64 nKey = pOp->key.n;
  i64 nValue = pOp->value.p ? pOp->value.n - 1 : 0;
  int bMessage = pOp->eOp==KV_OP_ENQUEUE;
  int rc = atomLimit(p, KV_LIMIT_key_bytes, "bytes of the key", nKey, pzErr);
  if( rc==SQLITE_OK ){
    rc = bMessage ? atomLimit(p, KV_LIMIT_enqueue_bytes, "bytes of the message", nValue, pzErr)
                  : atomLimit(p, KV_LIMIT_value_bytes, "bytes of the value", nValue, pzErr);
  }
  if( rc!=SQLITE_OK ) return rc;
  p->nBytes += nKey;
  if( pOp->eOp==KV_OP_CHECK ){
    p->nCheck++;
  }else{
    p->nMutation++;
  }
  if( bMessage ){
    rc = atomCountMessage(p, pOp, pzErr);
    if( rc!=SQLITE_OK ) return rc;
    p->nBytes += nValue;
  }else if( pOp->eOp!=KV_OP_CHECK && pOp->eOp!=KV_OP_DELETE ){
    p->nBytes += nKey + nValue;
    p->nKeyBytes += nKey;
  }
  rc = atomLimit(p, KV_LIMIT_checks, "checks of an atomic operation", p->nCheck, pzErr);
  if( rc==SQLITE_OK ){
    rc = atomLimit(p, KV_LIMIT_mutations, "mutations of an atomic operation", p->nMutation, pzErr);
  }
  if( rc==SQLITE_OK ){
    rc = atomLimit(p, KV_LIMIT_operation_bytes, "bytes of an atomic operation", p->nBytes, pzErr);
  }
  if( rc==SQLITE_OK ){
    rc = atomLimit(p, KV_LIMIT_operation_key_bytes,
                   "bytes of the keys of an atomic operation", p->nKeyBytes, pzErr);
  }
  return rc;
}

/* The place of a key in aHash, which has a power of two of them.  FNV-1a. */
static u32 *atomPlace(const KvAtom *p, const u8 *a, u32 n){
  u32 i, h = 2166136261u ^ p->iSeed;
  for(i=0; i<n; i++) h = (h ^ a[i])*16777619u;
  return &p->aHash[(h ^ h>>15) & (p->nSeenAlloc-1)];
}

/* Where the key is among those of the rows so far, or 0. */
static KvAtomSeen *atomSeen(const KvAtom *p, KvBytes key){
  u32 i;
  if( p->nSeen==0 ) return 0;
  for(i=*atomPlace(p, key.p, key.n); i; i=p->aSeen[i-1].iNext){
    KvAtomSeen *pSeen = &p->aSeen[i-1];
    if( pSeen->nKey==key.n && memcmp(&p->seen.a[pSeen->iKey], key.p, key.n)==0 ){
      return pSeen;
    }
  }
  return 0;
}

/* Put the i-th of them into its place. */
static void atomLink(KvAtom *p, u32 i){
  KvAtomSeen *pSeen = &p->aSeen[i];
  u32 *pPlace = atomPlace(p, &p->seen.a[pSeen->iKey], pSeen->nKey);
  pSeen->iNext = *pPlace;
  *pPlace = i+1;
}

/* Make room for one more. */
static int atomSeenGrow(KvAtom *p){
  u32 i, nNew = p->nSeenAlloc ? p->nSeenAlloc*2 : 16;
  KvAtomSeen *aNew;
  u32 *aHash;
  if( p->nSeen<p->nSeenAlloc ) return SQLITE_OK;
  if( p->nSeenAlloc==0 ) sqlite3_randomness(sizeof(p->iSeed), &p->iSeed);
  aNew = sqlite3_realloc64(p->aSeen, (u64)nNew*sizeof(*aNew));
  if( aNew==0 ) return SQLITE_NOMEM;
  p->aSeen = aNew;
  aHash = sqlite3_malloc64((u64)nNew*sizeof(*aHash));
  if( aHash==0 ) return SQLITE_NOMEM;
  memset(aHash, 0, (size_t)nNew*sizeof(*aHash));
  sqlite3_free(p->aHash);
  p->aHash = aHash;
  p->nSeenAlloc = nNew;
  for(i=0; i<p->nSeen; i++) atomLink(p, i);
  return SQLITE_OK;
}

/* Remember what p->found says about a key. */
static int atomRememberFound(KvAtom *p, KvBytes key){
  KvAtomSeen *pSeen;
  int rc = atomSeenGrow(p);
  if( rc!=SQLITE_OK ) return rc;
  pSeen = &p->aSeen[p->nSeen];
  pSeen->iKey = p->seen.n;
  pSeen->nKey = key.n;
  pSeen->bFound = p->found.bFound;
  pSeen->iVersion = p->found.iVersion;
  kvBufAppend(&p->seen, key.p, key.n);
  if( p->seen.eErr!=KV_OK ) return SQLITE_NOMEM;
  atomLink(p, p->nSeen++);
  return SQLITE_OK;
}

/* Remember what is there when a row names a key for the first time. */
static int atomRemember(KvAtom *p, KvBytes key, char **pzErr){
  int rc;
  if( atomSeen(p, key) ) return SQLITE_OK;
  rc = kvStoreFind(p->pStore, key.p, key.n, p->iNow, 0, &p->found, pzErr);
  return rc==SQLITE_OK ? atomRememberFound(p, key) : rc;
}

static int atomCheck(KvAtom *p, const KvOp *pOp, char **pzErr){
  const KvAtomSeen *pSeen = p->nSeen ? atomSeen(p, pOp->key) : 0;
  u8 bFound;
  i64 iVersion;
  int rc, bHolds;
  if( pSeen ){
    bFound = pSeen->bFound;
    iVersion = pSeen->iVersion;
  }else{
    rc = kvStoreFind(p->pStore, pOp->key.p, pOp->key.n, p->iNow, 0, &p->found, pzErr);
    if( rc!=SQLITE_OK ) return rc;
    bFound = p->found.bFound;
    iVersion = p->found.iVersion;
  }
  if( pOp->stamp.p==0 ){
    bHolds = !bFound;
  }else{
    bHolds = bFound && kvGet64be(pOp->stamp.p)==(u64)iVersion
          && pOp->stamp.p[8]==0 && pOp->stamp.p[9]==0;
  }
  if( bHolds ) return SQLITE_OK;
  p->bConflict = 1;
  kvBufReset(&p->conflict);
  kvKeyShow(&p->conflict, pOp->key);
  return kvBufTerminate(&p->conflict)==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

/* The operation's version, taken when it is first needed. */
static int atomVersion(KvAtom *p, char **pzErr){
  int rc = SQLITE_OK;
  if( !p->bVersion ){
    rc = kvStoreBump(p->pStore, &p->iVersion, &p->nStep, pzErr);
    p->bVersion = rc==SQLITE_OK;
  }else{
    kvIndexResume(p->pStore, p->iVersion);
    rc = kvErrorTake(&p->pStore->err, pzErr);
  }
  return rc;
}

/* sum, min, max: work out p->result, writing nothing. */
static int atomSum(KvAtom *p, const KvOp *pOp, char **pzErr){
  KvBytes key = pOp->key;
  KvStored old;
  KvErr err;
  int rc = kvStoreFind(p->pStore, key.p, key.n, p->iNow, 1, &p->found, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  old.eEncoding = p->found.eEncoding;
  old.bytes = kvBufBytes(&p->found.v);
  kvBufReset(&p->result);
  rc = kvSum(pOp, p->found.bFound ? &old : 0, &p->result, &p->eResult, &err);
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  if( rc==KV_OK ){
    return atomLimit(p, KV_LIMIT_value_bytes, "bytes of the value", p->result.n, pzErr);
  }
  kvBufReset(&p->conflict);
  kvKeyShow(&p->conflict, key);
  if( kvBufTerminate(&p->conflict)!=KV_OK ) return SQLITE_NOMEM;
  *pzErr = sqlite3_mprintf("kv: %s of the key %s: %s",
      kvOpName(pOp->eOp), (const char*)p->conflict.a, err.zMsg);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int atomEnqueue(KvAtom *p, const KvOp *pOp, char **pzErr){
  char zId[KV_UUID_TEXT];
  i64 iDelay = pOp->delay.p ? kvOpInt(pOp->delay) : 0;
  if( iDelay>KV_MAX_TIME-p->iNow ) iDelay = KV_MAX_TIME - p->iNow;
  kvUuid(zId);
  kvQueueAdd(p->pStore, p->iNow + iDelay, kvBytesText(zId), kvBytesFrom(pOp->value, 1),
             pOp->backoff, pOp->keys);
  return kvErrorTake(&p->pStore->err, pzErr);
}

/* Write a mutation or message; the version has been taken, and a sum worked
** out. */
static int atomMutate(KvAtom *p, const KvOp *pOp, char **pzErr){
  KvBytes key = pOp->key;
  i64 iExpires = -1;
  if( pOp->mFlags & KV_OP_STAMP ){
    kvBufReset(&p->key);
    kvBufAdd(&p->key, key);
    kvKeyPutVersionstamp(&p->key, p->iVersion);
    if( p->key.eErr!=KV_OK ) return SQLITE_NOMEM;
    key = kvBufBytes(&p->key);
  }
  switch( pOp->eOp ){
    case KV_OP_SET:
      if( pOp->expire.p ){
        iExpires = kvOpInt(pOp->expire);
        iExpires = iExpires>KV_MAX_TIME-p->iNow ? KV_MAX_TIME : p->iNow + iExpires;
      }
      return kvStorePut(p->pStore, key.p, key.n, pOp->value.p+1, pOp->value.n-1,
                        pOp->value.p[0], p->iVersion, iExpires, pzErr);
    case KV_OP_DELETE:
      return kvStoreDelete(p->pStore, key.p, key.n, pzErr);
    case KV_OP_ENQUEUE:
      return atomEnqueue(p, pOp, pzErr);
    default:
      return kvStorePut(p->pStore, key.p, key.n, p->result.a, p->result.n, p->eResult,
                        p->iVersion, p->found.bFound ? p->found.iExpires : -1, pzErr);
  }
}

/* Carry out a mutation or message of a list. */
static int atomApply(KvAtom *p, const KvOp *pOp, char **pzErr){
  int rc = SQLITE_OK;
  if( pOp->eOp>=KV_OP_SUM && pOp->eOp<=KV_OP_MAX ) rc = atomSum(p, pOp, pzErr);
  return rc==SQLITE_OK ? atomMutate(p, pOp, pzErr) : rc;
}

/* An entry of a declared index is about to change because of a row. */
static void atomBefore(void *pArg, KvBytes key){
  KvAtom *p = pArg;
  char *zErr = 0;
  int rc = kvFailed(&p->pStore->err) ? SQLITE_OK : atomRemember(p, key, &zErr);
  kvErrorGive(&p->pStore->err, rc, zErr);
}

/* Write a row, and with it the entries of the declared indexes.  It may be one
** that a trigger writes inside of another operation's row. */
static int atomRowMutate(KvAtom *p, const KvOp *pOp, char **pzErr){
  KvStore *pStore = p->pStore;
  void (*xOuter)(void*, KvBytes) = pStore->xBefore;
  void *pOuter = pStore->pBefore;
  int rc;
  pStore->xBefore = atomBefore;
  pStore->pBefore = p;
  rc = atomMutate(p, pOp, pzErr);
  pStore->xBefore = xOuter;
  pStore->pBefore = pOuter;
  return rc;
}

/* A row that may fail does so before it writes anything: SQLite takes back
** only what the rows before it have written. */
static int atomRow(KvAtom *p, const KvOp *pOp, char **pzErr){
  int bFirst = !p->bVersion;
  int rc = atomCount(p, pOp, pzErr);
  if( rc==SQLITE_OK && pOp->eOp>=KV_OP_SUM && pOp->eOp<=KV_OP_MAX ){
    rc = atomSum(p, pOp, pzErr);
    if( rc==SQLITE_OK && atomSeen(p, pOp->key)==0 ) rc = atomRememberFound(p, pOp->key);
  }else if( rc==SQLITE_OK && pOp->eOp!=KV_OP_ENQUEUE ){
    rc = atomRemember(p, pOp->key, pzErr);
  }
  if( rc==SQLITE_OK && pOp->eOp==KV_OP_CHECK ) rc = atomCheck(p, pOp, pzErr);
  if( rc!=SQLITE_OK || p->bConflict ) return rc;
  if( rc==SQLITE_OK ) rc = kvStoreCreate(p->pStore, pzErr);
  if( rc==SQLITE_OK ) rc = atomVersion(p, pzErr);
  if( rc==SQLITE_OK && pOp->eOp!=KV_OP_CHECK ) rc = atomRowMutate(p, pOp, pzErr);
  if( bFirst && p->bVersion ){
    if( rc==SQLITE_OK ) rc = kvStoreSweepSome(p->pStore, p->iNow, pzErr);
    else rc = kvStoreUnbump(p->pStore, p->nStep, rc);
  }
  return rc;
}

int kvAtomRow(KvAtom *p, const KvOp *pOp, char **pzErr){
  i64 nCheck = p->nCheck, nMutation = p->nMutation;
  i64 nBytes = p->nBytes, nKeyBytes = p->nKeyBytes;
  u8 bVersion = p->bVersion;
  int rc = atomRow(p, pOp, pzErr);
  if( rc==KV_AGAIN ){                  /* it will be counted then */
    p->nCheck = nCheck;
    p->nMutation = nMutation;
    p->nBytes = nBytes;
    p->nKeyBytes = nKeyBytes;
    p->bVersion = bVersion;            /* and if it was taken, is taken then */
  }
  return rc;
}

/* Run one phase of the list over the ops of a kind. */
static int atomPhase(
  KvAtom *p, KvBytes ops, int (*xOp)(KvAtom*, const KvOp*, char**), int ePhase, char **pzErr
){
  KvOp op;
  u32 i = 0;
  int rc = SQLITE_OK;
  while( rc==SQLITE_OK && !p->bConflict && kvOpListNext(ops, &i, &op) ){
    int eOp = op.eOp==KV_OP_CHECK ? 0 : op.eOp==KV_OP_ENQUEUE ? 2 : 1;
    if( ePhase<0 || ePhase==eOp ) rc = xOp(p, &op, pzErr);
  }
  return rc;
}

static int atomRunList(KvAtom *p, KvBytes ops, char **pzErr){
  KvError *pErr = &p->pStore->err;
  KvList written = { { 0 } };
  int rc = atomPhase(p, ops, atomCount, -1, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreCreate(p->pStore, pzErr);
  if( rc==SQLITE_OK ) rc = atomPhase(p, ops, atomCheck, 0, pzErr);
  if( rc!=SQLITE_OK || p->bConflict ) return rc;
  rc = atomVersion(p, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvIndexDefer(p->pStore, &written);
  rc = atomPhase(p, ops, atomApply, 1, pzErr);
  kvErrorGive(pErr, rc, *pzErr);
  *pzErr = 0;
  kvIndexDeferEnd(p->pStore);
  rc = kvErrorTake(pErr, pzErr);
  kvListClear(&written);
  if( rc==SQLITE_OK ) rc = atomPhase(p, ops, atomApply, 2, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreSweepSome(p->pStore, p->iNow, pzErr);
  return rc;
}

void kvAtomRun(KvAtom *p, KvBytes ops){
  KvStore *pStore = p->pStore;
  const i64 *aLimit = p->aLimit;
  char *zErr = 0;
  int rc;
  kvAtomClear(p);                      /* it may be run once more */
  kvAtomInit(p, pStore, aLimit);
  rc = atomRunList(p, ops, &zErr);
  kvErrorGive(&pStore->err, rc, zErr);
}

i64 kvAtomSweep(KvStore *p){
  i64 iVersion, nGone;
  kvMigrate(p);
  nGone = kvWriteSweep(p, kvNow());
  if( nGone || kvIndexStale(p) ) kvWriteBump(p, &iVersion);
  return nGone;
}
