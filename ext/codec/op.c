/*
** op.c -- the steps of an atomic operation as bytes.  See op.h.
*/
#include "codec/op.h"
#include "codec/key/key_bytes.h"
#include "codec/num/num.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "bytes/endian.h"
#include "bytes/limits.h"

static const char opMagic[] = {'k', 'v', 'o', 'p', 1};
#define OP_HEAD ((u32)sizeof(opMagic) + 2)

static const char *const opName[KV_OP_COUNT] = {
  "", "check", "set", "delete", "sum", "min", "max", "enqueue"
};

/* The fields by their ids, which begin with 1. */
static const size_t opFieldAt[] = {
  0, offsetof(KvOp, key), offsetof(KvOp, stamp), offsetof(KvOp, value), offsetof(KvOp, expire),
  offsetof(KvOp, min), offsetof(KvOp, max), offsetof(KvOp, delay), offsetof(KvOp, keys),
  offsetof(KvOp, backoff)
};
static KvBytes *opField(KvOp *p, u32 id){
  return id>0 && id<KV_COUNT(opFieldAt) ? (KvBytes*)(void*)((char*)p + opFieldAt[id]) : 0;
}

int kvOpNext(const KvList *pList, u32 *pi, KvOp *pOp){
  KvBytes bytes;
  return kvListNext(pList, pi, &bytes) && kvOpRead(pOp, bytes, 0)==KV_OK;
}

void kvOpWrite(KvBuf *pOut, const KvOp *pOp){
  KvOp op = *pOp;
  u8 aHead[5];            /* Of a field */
  u32 id;
  kvBufAppend(pOut, opMagic, sizeof(opMagic));
  kvBufPut(pOut, op.eOp);
  kvBufPut(pOut, op.mFlags);
  for(id=1; id<KV_COUNT(opFieldAt); id++){
    const KvBytes *p = opField(&op, id);
    if( p->p==0 ) continue;
    aHead[0] = (u8)id;
    kvPut32be(&aHead[1], p->n);
    kvBufAppend(pOut, aHead, sizeof(aHead));
    kvBufAdd(pOut, *p);
  }
}

static int opCorrupt(KvErr *pErr, u32 iPos){
  return kvErrSet(pErr, KV_CORRUPT, iPos, "not a result of kv_op()");
}

/* Which fields must be there for what is done with them later. */
static int opComplete(const KvOp *p){
  int bNumber = p->eOp>=KV_OP_SUM && p->eOp<=KV_OP_MAX;
  if( p->eOp<KV_OP_CHECK || p->eOp>KV_OP_ENQUEUE ) return 0;
  if( p->eOp!=KV_OP_ENQUEUE && p->key.p==0 ) return 0;
  if( (bNumber || p->eOp==KV_OP_SET || p->eOp==KV_OP_ENQUEUE) && p->value.n<1 ) return 0;
  if( p->stamp.p && p->stamp.n!=10 ) return 0;
  if( p->expire.p && p->expire.n!=8 ) return 0;
  return p->delay.p==0 || p->delay.n==8;
}

int kvOpRead(KvOp *pOp, KvBytes bytes, KvErr *pErr){
  const u8 *a = bytes.p;
  u32 i = OP_HEAD;
  memset(pOp, 0, sizeof(*pOp));
  if( bytes.n<OP_HEAD || memcmp(a, opMagic, sizeof(opMagic))!=0 ) return opCorrupt(pErr, 0);
  pOp->eOp = a[OP_HEAD-2];
  pOp->mFlags = a[OP_HEAD-1];
  while( i<bytes.n ){
    KvBytes *pField = opField(pOp, a[i]);
    u32 n;
    if( pField==0 || bytes.n-i<5 ) return opCorrupt(pErr, i);
    n = kvGet32be(&a[i+1]);
    i += 5;
    if( n>bytes.n-i ) return opCorrupt(pErr, i);
    *pField = kvBytes(&a[i], n);
    i += n;
  }
  return opComplete(pOp) ? KV_OK : opCorrupt(pErr, bytes.n);
}

/* A value field can be read, and kv_op() could have made it: as a message it is
** V8's.  (A raw value may hold host objects.) */
static int opValueValid(KvBytes raw, int bMessage, KvTree *pTree, KvErr *pErr){
  if( raw.p==0 ) return KV_OK;
  if( raw.n<1 || (bMessage && raw.p[0]!=1) ) return opCorrupt(pErr, 0);
  kvTreeReset(pTree);
  return kvValueRead(pTree, raw.p[0], kvBytesFrom(raw, 1), pErr);
}

/* The same for an operand or a bound, which may be plain. */
static int opNumberValid(KvBytes raw, KvTree *pTree, KvErr *pErr){
  if( raw.p==0 || raw.n<1 ) return raw.p==0 ? KV_OK : opCorrupt(pErr, 0);
  if( raw.p[0]==KV_PLAIN_INTEGER ) return raw.n==9 ? KV_OK : opCorrupt(pErr, 0);
  if( raw.p[0]==KV_PLAIN_REAL ){
    return raw.n==9 && kvIsSafeInteger(kvBitsToDouble(kvGet64be(raw.p+1)))
        ? KV_OK : opCorrupt(pErr, 0);
  }
  return opValueValid(raw, 0, pTree, pErr);
}

static int opTimeValid(KvBytes field){
  return field.p==0 || (kvOpInt(field)>=0 && kvOpInt(field)<=KV_MAX_TIME);
}

int kvOpCheck(const KvOp *pOp, KvTree *pTree, KvErr *pErr){
  int bMessage = pOp->eOp==KV_OP_ENQUEUE;
  int bEmpty = (pOp->mFlags & KV_OP_STAMP) && pOp->key.n==0;
  int rc;
  if( (!bMessage && !bEmpty && !kvKeyCanonical(pOp->key))
   || ((pOp->mFlags & KV_OP_STAMP) && pOp->eOp!=KV_OP_SET)
   || !opTimeValid(pOp->expire) || !opTimeValid(pOp->delay)
  ){
    return opCorrupt(pErr, 0);
  }
  if( bMessage ){
    rc = kvQueueTextCheck(pOp->keys, 1, 0, 0);
    if( rc==KV_OK ) rc = kvQueueTextCheck(pOp->backoff, 0, 0, 0);
    if( rc!=KV_OK ) return rc==KV_CORRUPT ? opCorrupt(pErr, 0) : kvErrMemory(pErr, rc);
  }
  if( pOp->eOp>=KV_OP_SUM && pOp->eOp<=KV_OP_MAX ){
    rc = opNumberValid(pOp->value, pTree, pErr);
    if( rc==KV_OK ) rc = opNumberValid(pOp->min, pTree, pErr);
    if( rc==KV_OK ) rc = opNumberValid(pOp->max, pTree, pErr);
    return rc;
  }
  if( pOp->min.p || pOp->max.p ) return opCorrupt(pErr, 0);
  return opValueValid(pOp->value, bMessage, pTree, pErr);
}

i64 kvOpInt(KvBytes field){
  KV_ASSERT( field.n==8 );
  return (i64)kvGet64be(field.p);
}

int kvOpKind(KvBytes name){
  int e;
  for(e=KV_OP_CHECK; e<KV_OP_COUNT; e++){
    if( kvBytesEqual(kvBytesText(opName[e]), name) ) return e;
  }
  return 0;
}

const char *kvOpName(int eOp){
  KV_ASSERT( eOp>=0 && eOp<KV_OP_COUNT );
  return opName[eOp];
}
