/*
** atomic.c -- atomic operations on a store.  See atomic.h.
*/
#include "store/store_int.h"
#include "store/bulk.h"
#include "codec/key/key_bytes.h"
#include "codec/queue_text.h"
#include "codec/sum.h"
#include "store/atomic.h"
#include "store/clock.h"
#include "store/history.h"
#include "store/index/catch_up.h"
#include "store/index/write.h"
#include "store/limit.h"
#include "store/migrate.h"
#include "store/queue.h"
#include "store/write.h"

/* States of the history that one call of kv_sweep() looks at. */
#define ATOM_TRIM 100000

void kvAtomInit(KvAtom *p, KvStore *pStore, const i64 *aLimit){
  memset(p, 0, sizeof(*p));
  p->pStore = pStore;
  p->aLimit = aLimit;
  p->iNow = kvNow();
}

void kvAtomClear(KvAtom *p){
  kvBufClear(&p->conflict);
  kvBufClear(&p->key);
  kvBufClear(&p->found.v);
  kvBufClear(&p->result);
  kvMapClear(&p->seen);
}

static int atomIsSum(const KvOp *pOp){
  return pOp->eOp>=KV_OP_SUM && pOp->eOp<=KV_OP_MAX;
}

/* ---- limits -------------------------------------------------------------- */

static void atomLimit(KvAtom *p, int eLimit, const char *zWhat, i64 n){
  kvLimitCheck(&p->pStore->err, p->aLimit, eLimit, zWhat, n);
}

/* The lists and the delay of a message, which may come from a forged op.  The
** default schedule costs nothing. */
static void atomCountMessage(KvAtom *p, const KvOp *pOp){
  u32 n = 0;
  i64 iMost = 0;
  kvQueueTextCheck(pOp->keys, 1, &n, &iMost);
  atomLimit(p, KV_LIMIT_undelivered_keys, "keys_if_undelivered", n);
  atomLimit(p, KV_LIMIT_key_bytes, "bytes of the key", iMost);
  kvQueueTextCheck(pOp->backoff, 0, &n, &iMost);
  atomLimit(p, KV_LIMIT_backoff_steps, "steps of backoff_schedule", n);
  atomLimit(p, KV_LIMIT_backoff_ms, "ms in backoff_schedule", iMost);
  if( pOp->delay.p ){
    atomLimit(p, KV_LIMIT_delay_ms, "delay of a message in ms", kvOpInt(pOp->delay));
  }
  if( !kvBytesEqual(pOp->backoff, kvBytesText(KV_BACKOFF_DEFAULT)) ) p->count.nByte += 4*(i64)n;
}

/*
** Count an op against the limits, as Deno counts: a check and a delete their
** key, what carries a value its key twice and the value, a message itself and
** four bytes for each step of its backoff schedule.
*/
static void atomCount(KvAtom *p, const KvOp *pOp){
  KvAtomCount *pCount = &p->count;
  i64 nKey = pOp->key.n;
  i64 nValue = pOp->value.p ? pOp->value.n - 1 : 0;
  int bMessage = pOp->eOp==KV_OP_ENQUEUE;
  atomLimit(p, KV_LIMIT_key_bytes, "bytes of the key", nKey);
  if( bMessage ) atomLimit(p, KV_LIMIT_enqueue_bytes, "bytes of the message", nValue);
  else atomLimit(p, KV_LIMIT_value_bytes, "bytes of the value", nValue);
  if( kvFailed(&p->pStore->err) ) return;
  pCount->nByte += nKey;
  if( pOp->eOp==KV_OP_CHECK ) pCount->nCheck++;
  else pCount->nMutation++;
  if( bMessage ){
    atomCountMessage(p, pOp);
    pCount->nByte += nValue;
  }else if( pOp->eOp!=KV_OP_CHECK && pOp->eOp!=KV_OP_DELETE ){
    pCount->nByte += nKey + nValue;
    pCount->nKeyByte += nKey;
  }
  atomLimit(p, KV_LIMIT_checks, "checks of an atomic operation", pCount->nCheck);
  atomLimit(p, KV_LIMIT_mutations, "mutations of an atomic operation", pCount->nMutation);
  atomLimit(p, KV_LIMIT_operation_bytes, "bytes of an atomic operation", pCount->nByte);
  atomLimit(p, KV_LIMIT_operation_key_bytes, "bytes of the keys of an atomic operation",
            pCount->nKeyByte);
}

/* ---- checks -------------------------------------------------------------- */

/* Remember what is there when a row names a key for the first time.  bFound: it
** has been looked up, and is in p->found. */
static void atomRemember(KvAtom *p, KvBytes key, int bFound){
  KvStore *pStore = p->pStore;
  KvMapItem *pItem;
  if( kvFailed(&pStore->err) || kvMapFind(&p->seen, key) ) return;
  if( !bFound ) kvRowFind(pStore, key, p->iNow, 0, &p->found);
  if( kvFailed(&pStore->err) ) return;
  pItem = kvMapAdd(&p->seen, key);
  if( pItem==0 ){
    kvErrorCode(&pStore->err, SQLITE_NOMEM);
    return;
  }
  pItem->bFound = p->found.bFound;
  pItem->iValue = p->found.iVersion;
}

static void atomCheck(KvAtom *p, const KvOp *pOp){
  const KvMapItem *pSeen = kvMapFind(&p->seen, pOp->key);
  KvBytes stamp = pOp->stamp;
  int bFound = pSeen ? pSeen->bFound : kvRowFind(p->pStore, pOp->key, p->iNow, 0, &p->found);
  i64 iVersion = pSeen ? pSeen->iValue : p->found.iVersion;
  if( kvFailed(&p->pStore->err) ) return;
  if( stamp.p==0 ? !bFound
    : bFound && kvGet64be(stamp.p)==(u64)iVersion && stamp.p[8]==0 && stamp.p[9]==0
  ){
    return;
  }
  p->bConflict = 1;
  kvErrorKey(&p->pStore->err, pOp->key, &p->conflict);
}

/* ---- mutations ----------------------------------------------------------- */

/* The operation's version, taken when it is first needed. */
static void atomVersion(KvAtom *p){
  if( p->bVersion ){
    kvIndexResume(p->pStore, p->iVersion, 0);
  }else{
    p->nStep = kvWriteBump(p->pStore, &p->iVersion);
    p->bVersion = !kvFailed(&p->pStore->err);
  }
}

/* sum, min, max: work out p->result, writing nothing. */
static void atomSum(KvAtom *p, const KvOp *pOp){
  KvError *pError = &p->pStore->err;
  KvStored old;
  KvErr err;
  int rc;
  kvRowFind(p->pStore, pOp->key, p->iNow, 1, &p->found);
  if( kvFailed(pError) ) return;
  old.eEncoding = p->found.eEncoding;
  old.bytes = kvBufBytes(&p->found.v);
  kvBufReset(&p->result);
  rc = kvSum(pOp, p->found.bFound ? &old : 0, &p->result, &p->eResult, &err);
  if( rc==KV_NOMEM ){
    kvErrorCode(pError, SQLITE_NOMEM);
  }else if( rc==KV_OK ){
    atomLimit(p, KV_LIMIT_value_bytes, "bytes of the value", p->result.n);
  }else{
    kvError(pError, SQLITE_ERROR, "kv: %s of the key %s: %s", kvOpName(pOp->eOp),
            kvErrorKey(pError, pOp->key, &p->conflict), err.zMsg);
  }
}

/* The value of a mutation: that of a set, or a sum which has been worked out.  An entry that
** a sum changes keeps its expiry. */
static void atomPut(KvAtom *p, const KvOp *pOp, KvRow *pRow){
  int bSet = pOp->eOp==KV_OP_SET;
  if( bSet ){
    pRow->value = kvBytesFrom(pOp->value, 1);
    pRow->eEncoding = pOp->value.p[0];
  }else{
    pRow->value = kvBufBytes(&p->result);
    pRow->eEncoding = p->eResult;
  }
  if( !bSet && p->found.bFound ){
    pRow->iExpires = p->found.iExpires;
  }else if( pOp->expire.p ){
    i64 nMs = kvOpInt(pOp->expire);
    pRow->iExpires = nMs>KV_MAX_TIME-p->iNow ? KV_MAX_TIME : p->iNow + nMs;
  }
  kvWritePut(p->pStore, 0, pRow);
}

/* Write a mutation or message; the version has been taken, and a sum worked
** out. */
static void atomMutate(KvAtom *p, const KvOp *pOp){
  KvRow row = { pOp->key, { 0, 0 }, 0, p->iVersion, -1 };
  if( pOp->mFlags & KV_OP_STAMP ){
    kvBufReset(&p->key);
    kvBufAdd(&p->key, row.key);
    kvKeyPutVersionstamp(&p->key, p->iVersion);
    kvErrorBuf(&p->pStore->err, &p->key);
    row.key = kvBufBytes(&p->key);
  }
  if( pOp->eOp==KV_OP_ENQUEUE ) kvQueueAdd(p->pStore, p->iNow, pOp);
  else if( pOp->eOp==KV_OP_DELETE ) kvWriteDelete(p->pStore, row.key);
  else atomPut(p, pOp, &row);
}

/* ---- rows ---------------------------------------------------------------- */

/* An index entry is about to change because of a row. */
static void atomBefore(void *pAtom, KvBytes key){
  atomRemember(pAtom, key, 0);
}

/* Write a row, and with it the entries of the declared indexes.  It may be one
** that a trigger writes inside of another operation's row. */
static void atomRowMutate(KvAtom *p, const KvOp *pOp){
  KvStore *pStore = p->pStore;
  pStore->pWrite->xBefore = atomBefore;
  pStore->pWrite->pBefore = p;
  atomMutate(p, pOp);
}

/* A row that may fail does so before it writes anything: SQLite takes back
** only what the rows before it have written. */
static void atomRow(KvAtom *p, const KvOp *pOp){
  KvStore *pStore = p->pStore;
  int bFirst = !p->bVersion;
  atomCount(p, pOp);
  if( atomIsSum(pOp) ) atomSum(p, pOp);
  if( pOp->eOp!=KV_OP_ENQUEUE ) atomRemember(p, pOp->key, atomIsSum(pOp));
  if( pOp->eOp==KV_OP_CHECK ) atomCheck(p, pOp);
  if( kvFailed(&pStore->err) || p->bConflict ) return;
  kvMigrate(pStore);
  atomVersion(p);
  if( pOp->eOp!=KV_OP_CHECK ) atomRowMutate(p, pOp);
  if( !bFirst || !p->bVersion ) return;
  if( kvFailed(&pStore->err) ) kvWriteUnbump(pStore, p->nStep);
  else kvWriteSweepSome(pStore, p->iNow);
}

void kvAtomRow(KvAtom *p, const KvOp *pOp){
  KvAtomCount count = p->count;
  u8 bVersion = p->bVersion;
  atomRow(p, pOp);
  if( p->pStore->err.rc==KV_AGAIN ){
    p->count = count;                  /* it will be counted then */
    p->bVersion = bVersion;            /* and if it was taken, is taken then */
  }
}

/* ---- a list -------------------------------------------------------------- */

/* Carry out a mutation or message of a list. */
static void atomApply(KvAtom *p, const KvOp *pOp){
  if( atomIsSum(pOp) ) atomSum(p, pOp);
  if( !kvFailed(&p->pStore->err) ) atomMutate(p, pOp);
}

/* Run one phase of the list over the ops of a kind. */
enum { ATOM_CHECKS, ATOM_MUTATIONS, ATOM_MESSAGES, ATOM_ALL };
static void atomPhase(KvAtom *p, const KvList *pOps, int ePhase, void (*xOp)(KvAtom*, const KvOp*)){
  KvOp op;
  u32 i = 0;
  while( !kvFailed(&p->pStore->err) && !p->bConflict && kvOpNext(pOps, &i, &op) ){
    int eOf = op.eOp==KV_OP_CHECK ? ATOM_CHECKS
            : op.eOp==KV_OP_ENQUEUE ? ATOM_MESSAGES : ATOM_MUTATIONS;
    if( ePhase==ATOM_ALL || ePhase==eOf ) xOp(p, &op);
  }
}

void kvAtomRun(KvAtom *p, const KvList *pOps){
  KvStore *pStore = p->pStore;
  KvList written = { { 0 } };
  kvAtomClear(p);                      /* it may be run once more */
  kvAtomInit(p, pStore, p->aLimit);
  atomPhase(p, pOps, ATOM_ALL, atomCount);
  kvMigrate(pStore);
  atomPhase(p, pOps, ATOM_CHECKS, atomCheck);
  if( p->bConflict ) return;
  atomVersion(p);
  if( p->count.nMutation>1 ) kvIndexDefer(pStore, &written);
  atomPhase(p, pOps, ATOM_MUTATIONS, atomApply);
  kvIndexDeferEnd(pStore);
  kvListClear(&written);
  atomPhase(p, pOps, ATOM_MESSAGES, atomApply);
  kvWriteSweepSome(pStore, p->iNow);
}

i64 kvAtomSweep(KvStore *p, int bQuiet, int *pbMore){
  i64 iVersion, nGone;
  int eStale;
  kvMigrate(p);
  nGone = kvBulkSweep(p, kvNow(), bQuiet);
  kvHistoryTrim(p, kvNow(), ATOM_TRIM);
  if( nGone || kvIndexStale(p) ) kvWriteBump(p, &iVersion);
  eStale = kvIndexStale(p);
  *pbMore = eStale==KVSTALE_DONE || (eStale==KVSTALE_DIRTY && kvIndexCaughtUp(p)>0);
  return nGone;
}
