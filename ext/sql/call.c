/*
** call.c -- the frame of every SQL function.  See call.h.
*/
#include "sql/call.h"
#include "sql/result.h"
#include "sql/snapshot.h"

void kvCallUnref(void *pSite){
  kvConnUnref(((KvCallSite*)pSite)->pConn);
}

const char *kvCallName(const KvCall *p, char *zSpace){
  return sqlite3_snprintf(KVCALL_NAME, zSpace, "%s()", p->pFunc->zName);
}

void kvCallCodecError(KvCall *p, const char *zWhat){
  kvErrorCodec(&p->error, zWhat, &p->err);
}

/* The work of a function, with the store that it asks for. */
static void callStore(KvCall *p){
  KvError *pError;
  p->pStore = kvConnMainStore(p->pConn);
  if( p->pStore==0 ){
    kvErrorCode(&p->error, SQLITE_NOMEM);
    return;
  }
  pError = kvStoreError(p->pStore);
  KV_ASSERT( !kvFailed(pError) );
  if( p->pFunc->mCall & KVCALL_SNAPSHOT ) kvSnapshotTake(p->ctx, p->pConn, p->pStore);
  if( !kvFailed(pError) ) p->pFunc->xFunc(p);
  if( kvFailed(pError) ) kvErrorMove(&p->error, pError);
  kvConnDropStore(p->pConn, p->pStore);
}

static int callHasNull(const KvCall *p){
  int i;
  for(i=0; i<p->nArg && sqlite3_value_type(p->apArg[i])!=SQLITE_NULL; i++){}
  return i<p->nArg;
}

/* The error as the function's result. */
static void callReport(KvCall *p){
  char zName[KVCALL_NAME];
  if( (p->pFunc->mCall & KVCALL_STRICT) && callHasNull(p) ){
    kvErrorClear(&p->error);
    sqlite3_result_null(p->ctx);
    return;
  }
  if( p->err.eCode!=KV_OK ) kvCallCodecError(p, kvCallName(p, zName));
  kvResultTake(p->ctx, &p->error);
}

/* The work of a function that has a buffer for a key, or the store. */
static void callWide(KvCall *p, int mCall){
  kvBufInit(&p->key, p->aKey, sizeof(p->aKey));
  if( mCall & KVCALL_STORE ) callStore(p);
  else p->pFunc->xFunc(p);
  if( !p->key.bStatic ) kvBufClear(&p->key);
}

void kvCall(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  const KvCallSite *pSite = sqlite3_user_data(ctx);
  const KvFunc *pFunc = pSite->pFunc;
  int mCall = pFunc->mCall;
  KvCall call;
  call.ctx = ctx;
  call.pConn = pSite->pConn;
  call.pFunc = pFunc;
  call.nArg = nArg;
  call.apArg = apArg;
  call.error.rc = SQLITE_OK;
  call.error.zMsg = 0;
  call.err.eCode = KV_OK;
  if( mCall & KVCALL_SCRATCH ) call.pScratch = kvScratchTake(call.pConn);
  if( mCall & (KVCALL_KEY|KVCALL_STORE) ) callWide(&call, mCall);
  else pFunc->xFunc(&call);
  if( mCall & KVCALL_SCRATCH ) kvScratchGive(call.pScratch);
  if( kvFailed(&call.error) || call.err.eCode!=KV_OK ) callReport(&call);
}
