/*
** write.c -- what a user's write means.  See write.h.
*/
#include "store/store_int.h"
#include "store/index_maintain.h"
#include "store/row.h"
#include "store/schema.h"
#include "store/write.h"

/* Expired entries that a write removes. */
#define WRITE_SWEEP_FEW  4

void kvWriteLock(KvStore *p){
  kvStmtSimple(p, KVSQL_LOCK);
}

void kvWriteLockFirst(KvStore *p){
  if( kvSchemaReady(p)==KV_STORE_NONE ) return;
  kvWriteLock(p);
  kvSchemaRetry(p);                    /* the tables are gone */
}

/* True while the store's file is being written to.  After an error it tells
** whether SQLite has rolled the whole transaction back. */
static int writeInTransaction(KvStore *p){
  return sqlite3_txn_state(p->db, p->zSchema)==SQLITE_TXN_WRITE;
}

int kvWriteBump(KvStore *p, i64 *piVersion){
  i64 iOld = kvRowNewest(p);
  u8 cRandom;
  int nStep;
  do{
    sqlite3_randomness(1, &cRandom);
  }while( cRandom>=252 );              /* 252 is a multiple of 9 */
  nStep = cRandom%9 + 1;
  *piVersion = iOld + nStep;
  p->nBump++;
  kvWorkRun(kvStmtWith(p, KVSQL_BUMP, "i", *piVersion));
  if( kvFailed(&p->err) ) return 0;
  kvIndexBegin(p, iOld, *piVersion);
  if( !kvFailed(&p->err) ) return nStep;
  kvWriteUnbump(p, nStep);
  return 0;
}

void kvWriteUnbump(KvStore *p, int nStep){
  KvError aside;
  if( nStep==0 || !writeInTransaction(p) ) return;
  aside = kvErrorAside(&p->err);
  kvStmtRun(kvStmtWith(p, KVSQL_UNBUMP, "i", (i64)nStep));
  /* To be carried out again is no error; that it can't be taken back is one */
  if( aside.rc!=KV_AGAIN || !kvFailed(&p->err) ) kvErrorBack(&p->err, aside);
}

void kvWritePut(KvStore *p, const KvRow *pEntry){
  kvRowPut(p, pEntry);
  kvIndexWritten(p, pEntry->key);
}

void kvWriteUpdate(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew){
  kvRowUpdate(p, key, mSet, pNew);
  kvIndexWritten(p, key);
  if( mSet & KVSET_KEY ) kvIndexWritten(p, pNew->key);
}

void kvWriteDelete(KvStore *p, KvBytes key){
  kvRowDelete(p, key);
  kvIndexWritten(p, key);
}

/* Expired entries were removed after a write: their deletions become part of it,
** and the indexes follow. */
static void writeSwept(KvStore *p){
  u32 mKnown = kvSchemaLook(p);
  if( mKnown & (KVKNOWN_FEED|KVKNOWN_INDEXES) ){
    i64 iVersion = kvRowNewest(p);
    if( mKnown & KVKNOWN_INDEXES ) kvIndexSwept(p, iVersion);
    if( mKnown & KVKNOWN_FEED ) kvStmtRun(kvStmtWith(p, KVSQL_FEED_SWEPT, "i", iVersion));
  }
  if( !kvFailed(&p->err) ) p->bSwept = 0;   /* else the next version follows it up */
}

/*
** The write that this goes with has been done.  If the sweep fails, that does
** no harm as long as SQLite takes back the sweep alone; so there is none if a
** trigger may keep it from that (RAISE(FAIL)).  And some errors (no
** memory, a full disk, a trigger with RAISE(ROLLBACK)) take the transaction
** with them, the write too: then the write has failed.
*/
void kvWriteSweepSome(KvStore *p, i64 iNow){
  if( kvFailed(&p->err) ) return;
  if( kvRowExpired(p, iNow)>0 ){
    kvRowSweep(p, iNow, WRITE_SWEEP_FEW, 1);
    writeSwept(p);
  }
  if( kvFailed(&p->err) && writeInTransaction(p) ) kvErrorClear(&p->err);
}
