/*
** func_op.c -- kv_op(): an op of an atomic operation as a BLOB.
**
**   kv_op('check', key, versionstamp or NULL)
**   kv_op('set', key, value [, expire_in])
**   kv_op('delete', key)
**   kv_op('sum' | 'min' | 'max', key, n)
**   kv_op('sum', key, n, min, max, clamp)
**   kv_op('enqueue', value [, delay [, keys_if_undelivered [, backoff_schedule]]])
*/
#include "sql/modules.h"
#include "sql/entries/op_args.h"
#include "sql/result.h"

/* How many arguments kv_op() takes for an op: at least and at most. */
static const u8 funcOpCount[KV_OP_COUNT][2] = {
  {1, 10}, {3, 3}, {3, 4}, {2, 2}, {3, 6}, {3, 3}, {3, 3}, {2, 5}
};

/* Is the number of arguments right?  False: there is an error. */
static int funcOpFits(KvCall *p, int eOp){
  int nLeast = funcOpCount[eOp][0], nMost = funcOpCount[eOp][1];
  if( p->nArg>=nLeast && p->nArg<=nMost ) return 1;
  if( nLeast==nMost ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_op('%s', ...): takes %d arguments, not %d",
        kvOpName(eOp), nMost, p->nArg);
  }else{
    kvError(&p->error, SQLITE_ERROR, "kv: kv_op('%s', ...): takes %d to %d arguments, not %d",
        kvOpName(eOp), nLeast, nMost, p->nArg);
  }
  return 0;
}

static void funcOp(KvCall *p){
  KvOpArgs args;
  KvBuf out;
  u8 aSpace[1024];
  int eOp;
  if( p->nArg<1 ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_op() needs the name of an op");
    return;
  }
  eOp = kvOpNamed(p->apArg[0], &p->error);
  if( eOp==0 || !funcOpFits(p, eOp) ) return;
  kvOpArgs(&args, eOp, p->nArg-1, &p->apArg[1]);
  kvBufInit(&out, aSpace, sizeof(aSpace));
  kvOpBytes(p->pConn, &args, &out, &p->error);
  if( !kvFailed(&p->error) ) kvResultBlob(p->ctx, &out);
  kvBufClear(&out);
}

const KvFunc kvFuncsOp[] = {
  { "kv_op", -1, -1, SQLITE_INNOCUOUS|SQLITE_SUBTYPE, 0, funcOp, 0 },
  { 0 }
};
