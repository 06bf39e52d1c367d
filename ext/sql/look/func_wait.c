/*
** func_wait.c -- kv_wait(versionstamp [, timeout_ms]): wait for a write.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/run.h"
#include "sql/snapshot.h"
#include "sql/watch.h"
#include "codec/versionstamp.h"
#include "store/clock.h"
#include "store/row.h"

/* The arguments.  0 after an error; no timeout is -1. */
static int funcWaitArgs(KvCall *p, i64 *piVersion, i64 *piTimeout){
  sqlite3_value *pTimeout = kvCallArg(p, 1);
  KvBytes stamp = kvArgName(p->apArg[0], &p->error);
  *piVersion = 0;
  *piTimeout = -1;
  if( stamp.n && !kvVersionstampParse(stamp, piVersion) ){
    kvError(&p->error, SQLITE_ERROR,
        "kv: kv_wait(): the versionstamp must be 20 hexadecimal digits in lower case, "
        "or '' for the beginning");
  }
  if( pTimeout && sqlite3_value_type(pTimeout)!=SQLITE_NULL ){
    double r = sqlite3_value_double(pTimeout);
    if( sqlite3_value_numeric_type(pTimeout)==SQLITE_TEXT || !(r>=0.0) ){
      kvError(&p->error, SQLITE_ERROR,
          "kv: kv_wait(): the timeout must be a number of ms, 0 or more");
    }
    *piTimeout = r>1e15 ? -1 : (i64)r;
  }
  return !kvFailed(&p->error);
}

/*
** Look at the newest version whenever the file may have changed, until it is past the
** given one.  Each look is a read transaction of its own.  sqlite3_interrupt() ends
** the statement that looks, or idles, and so the waiting.  0: the time is up, or there
** is an error.
*/
static i64 funcWaitFor(KvCall *p, i64 iVersion, i64 iTimeout){
  KvError *pError = kvStoreError(p->pStore);
  KvWatch *pWatch = &p->pConn->watch;
  i64 iEnd = kvNow() + iTimeout;
  int bLook = 1;
  kvWatchBegin(pWatch);
  for(;;){
    i64 nLeft = KVWATCH_IDLE;
    i64 iNewest = bLook ? kvRowVersion(p->pStore) : kvRowIdle(p->pStore);
    int rc = pError->rc & 0xff;
    /* somebody is writing just now */
    if( rc==SQLITE_BUSY || rc==SQLITE_LOCKED ) kvErrorClear(pError);
    else if( rc!=SQLITE_OK ) return 0;
    else if( iNewest>iVersion ) return iNewest;
    if( iTimeout>=0 ){
      nLeft = iEnd - kvNow();
      if( nLeft<=0 ) return 0;
    }
    bLook = kvWatchSleep(pWatch, p->pConn->db, nLeft);
  }
}

static void funcWait(KvCall *p){
  i64 iVersion, iTimeout, iNewest;
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ) return;
  if( !funcWaitArgs(p, &iVersion, &iTimeout) ) return;
  kvSnapshotDrop(p->ctx);
  if( sqlite3_txn_state(p->pConn->db, "main")!=SQLITE_TXN_NONE && iTimeout!=0 ){
    kvError(&p->error, SQLITE_ERROR,
        "kv: kv_wait(): a transaction is open, which can't see the writes of other "
        "connections; COMMIT first, and don't read tables in the same statement");
    return;
  }
  kvRunRefused(p->pConn->db, &p->error);
  if( kvFailed(&p->error) ) return;
  iNewest = funcWaitFor(p, iVersion, iTimeout);
  if( iNewest ) kvResultVersionstamp(p->ctx, iNewest);
}

const KvFunc kvFuncsWait[] = {
  { "kv_wait", 1, 2, SQLITE_DIRECTONLY, KVCALL_STORE, funcWait, 0 },
  { 0 }
};
