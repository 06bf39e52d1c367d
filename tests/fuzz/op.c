/*
** op.c -- the steps of an atomic operation, and what goes into them.
**
** An op that is read is written as bytes that are read as the same op.  What
** passes the check can be carried out: sum, min and max of its value with
** another give a value that can be read, or a refusal.  The two lists of a
** message: what is made of JS text is what the queue accepts.
*/
#include "fuzz/fuzz.h"
#include "codec/op.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "codec/sum.h"

static KvTree tree;

static int fieldEqual(KvBytes a, KvBytes b){
  return (a.p==0)==(b.p==0) && kvBytesEqual(a, b);
}

static void opEqual(const KvOp *pA, const KvOp *pB){
  MUST( pA->eOp==pB->eOp && pA->mFlags==pB->mFlags );
  MUST( fieldEqual(pA->key, pB->key) && fieldEqual(pA->stamp, pB->stamp) );
  MUST( fieldEqual(pA->value, pB->value) && fieldEqual(pA->min, pB->min) );
  MUST( fieldEqual(pA->max, pB->max) && fieldEqual(pA->keys, pB->keys) );
  MUST( fieldEqual(pA->backoff, pB->backoff) && fieldEqual(pA->expire, pB->expire) );
  MUST( fieldEqual(pA->delay, pB->delay) );
}

/* The op on itself and on the stored value. */
static void sums(const KvOp *p, const u8 *a, u32 n){
  KvStored old, operand, result;
  KvBuf out, out2;
  KvErr err = {0, 0, 0, ""};
  int eEncoding = 0, eEncoding2, rc, i;
  kvBufInit(&out, 0, 0);
  kvBufInit(&out2, 0, 0);
  old.eEncoding = n ? a[0] : 1;
  old.bytes = kvBytes(n ? a + 1 : a, n ? n - 1 : 0);
  operand.eEncoding = p->value.p[0];
  operand.bytes = kvBytesFrom(p->value, 1);
  for(i=0; i<2; i++){
    kvBufReset(&out);
    rc = kvSum(p, i ? &operand : &old, &out, &eEncoding, &err);
    if( rc!=KV_OK ){
      MUST( (rc==KV_REFUSED || rc==KV_CORRUPT) && err.zMsg );
      continue;
    }
    kvTreeReset(&tree);
    MUST( kvValueRead(&tree, eEncoding, kvBufBytes(&out), &err)==KV_OK );
    /* min and max of the result and the operand are the result */
    if( p->eOp!=KV_OP_SUM && p->min.p==0 && p->max.p==0 ){
      result.eEncoding = eEncoding;
      result.bytes = kvBufBytes(&out);
      kvBufReset(&out2);
      MUST( kvSum(p, &result, &out2, &eEncoding2, &err)==KV_OK );
      MUST( eEncoding2==eEncoding && fuzzEqual(&out, &out2) );
    }
  }
  kvBufClear(&out);
  kvBufClear(&out2);
}

static void ops(const u8 *a, u32 n, const u8 *aOld, u32 nOld){
  KvOp op, again;
  KvBuf bytes;
  KvErr err = {0, 0, 0, ""};
  int rc = kvOpRead(&op, kvBytes(a, n), &err);
  if( rc!=KV_OK ){
    MUST( rc==KV_CORRUPT && err.zMsg && err.iPos>=0 && err.iPos<=(i64)n );
    return;
  }
  kvBufInit(&bytes, 0, 0);
  kvOpWrite(&bytes, &op);
  MUST( bytes.eErr==KV_OK && kvOpRead(&again, kvBufBytes(&bytes), &err)==KV_OK );
  opEqual(&op, &again);
  kvBufClear(&bytes);
  kvTreeReset(&tree);
  rc = kvOpCheck(&op, &tree, &err);
  MUST( rc==KV_OK || rc==KV_CORRUPT );
  if( rc!=KV_OK ) return;
  MUST( kvOpKind(kvBytesText(kvOpName(op.eOp)))==op.eOp );
  if( op.eOp>=KV_OP_SUM && op.eOp<=KV_OP_MAX ) sums(&op, aOld, nOld);
}

static void lists(const char *z, u32 n){
  KvBuf out, shown;
  KvErr err = {0, 0, 0, ""};
  u32 nList, nAgain;
  i64 iMost, iAgain;
  int i;
  kvBufInit(&out, 0, 0);
  kvBufInit(&shown, 0, 0);
  for(i=0; i<2; i++){
    int rc;
    kvBufReset(&out);
    kvTreeReset(&tree);
    rc = i ? kvQueueKeys(kvBytes(z, n), &out, &nList, &iMost, &err)
           : kvQueueBackoff(&tree, kvBytes(z, n), &out, &nList, &iMost, &err);
    if( rc==KV_OK ){
      MUST( kvQueueTextCheck(kvBufBytes(&out), i, &nAgain, &iAgain)==KV_OK );
      MUST( nAgain==nList && iAgain==iMost );
    }else{
      MUST( (rc==KV_SYNTAX || rc==KV_REFUSED) && err.zMsg );
    }
    if( rc==KV_OK && i ) kvQueueKeysShow(&shown, kvBufBytes(&out));
    kvQueueTextCheck(kvBytes(z, n), i, 0, 0);
  }
  kvBufReset(&shown);
  kvQueueKeysShow(&shown, kvBytes(z, n));
  kvBufClear(&out);
  kvBufClear(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  FuzzCut cut;
  fuzzCut(&cut, a, n);
  kvTreeInit(&tree);
  fuzzBegin();
  ops((u8*)cut.az[0], cut.an[0], (u8*)cut.az[1], cut.an[1]);
  lists(cut.az[2], cut.an[2]);
  /* A schedule is read as JS text, in which a few bytes of the name of a typed
  ** array may stand for 64 MiB of zeros. */
  if( !fuzzHas(a, n, "Array") ) fuzzBudget(n, 4096);
  MUST( fuzzBytes<=(u64)n*4096 + (3u<<26) );
  kvTreeClear(&tree);
  fuzzUncut(&cut);
  return 0;
}
