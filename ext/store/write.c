/*
** write.c -- what a user's write means.  See write.h.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/feed.h"
#include "store/history.h"
#include "store/index/catch_up.h"
#include "store/index/overlay.h"
#include "store/index/write.h"
#include "store/write.h"

/* Expired entries that a write removes. */
#define WRITE_SWEEP_FEW  4
/* One in so many writes trims the history, looking at so many states. */
#define WRITE_TRIM       8
#define WRITE_TRIM_MOST  32

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
  kvIndexReady(p);
  if( kvFailed(&p->err) ) return 0;
  do{
    sqlite3_randomness(1, &cRandom);
  }while( cRandom>=252 );              /* 252 is a multiple of 9 */
  nStep = cRandom%9 + 1;
  *piVersion = iOld + nStep;
  p->nBump++;
  kvWriteRun(kvStmtWith(p, KVSQL_BUMP, "i", *piVersion));
  if( kvFailed(&p->err) ) return 0;
  kvIndexBegin(p, *piVersion);
  if( *piVersion%WRITE_TRIM==0 && (kvSchemaKnown(p) & KVKNOWN_HISTORY) ){
    kvHistoryTrim(p, kvNow(), WRITE_TRIM_MOST);
  }
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

void kvWritePut(KvStore *p, const KvFound *pOld, const KvRow *pEntry){
  KvBefore before;
  kvIndexBefore(p, pEntry->key, pOld, &before);
  if( kvRowPut(p, pEntry) ) before.bKnown = 0;
  kvIndexWritten(p, pEntry->key, &before, pEntry);
  kvIndexBatch(p);
}

/* An entry moves: what becomes of both keys is looked up. */
static void writeMove(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew){
  KvBefore none = { 0 };
  kvRowUpdate(p, key, mSet, pNew);
  kvIndexWritten(p, key, &none, 0);
  kvIndexWritten(p, pNew->key, &none, 0);
}

void kvWriteUpdate(
  KvStore *p, KvBytes key, u32 mSet, const KvFound *pOld, const KvRow *pNew
){
  KvBefore before;
  if( mSet & KVSET_KEY ){
    writeMove(p, key, mSet, pNew);
  }else{
    kvIndexBefore(p, key, pOld, &before);
    if( kvRowUpdate(p, key, mSet, pNew) ) before.bKnown = 0;
    kvIndexUpdated(p, key, &before, mSet, pNew);
  }
  kvIndexBatch(p);
}

void kvWriteDelete(KvStore *p, KvBytes key){
  KvBefore before;
  kvIndexBefore(p, key, 0, &before);
  if( kvRowDelete(p, key) ) before.bKnown = 0;
  kvIndexWritten(p, key, &before, 0);
  kvIndexBatch(p);
}

/* Expired entries were removed after a write: their deletions become part of it, and the
** indexes follow. */
static void writeSwept(KvStore *p){
  u32 mKnown = kvSchemaLook(p);
  if( mKnown & KVKNOWN_FEED ) kvStmtRun(kvStmtWith(p, KVSQL_FEED_SWEPT, "i", kvRowNewest(p)));
  if( mKnown & KVKNOWN_INDEXES ) kvIndexSwept(p);
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
    i64 nGone = kvRowSweep(p, iNow, WRITE_SWEEP_FEW, 1);
    if( kvFailed(&p->err) && writeInTransaction(p) ) kvErrorClear(&p->err);
    else if( nGone>0 ) writeSwept(p);
  }
}

i64 kvWriteTrim(KvStore *p, i64 iBefore){
  KvFeed feed;
  if( !kvFeedGet(p, &feed) ) return 0;
  if( iBefore>feed.iVersion && feed.iVersion<INT64_MAX ) iBefore = feed.iVersion + 1;
  return kvFeedTrim(p, iBefore);
}

/*
** ---- one version for all that a transaction changes --------------------------
**
** The first INSERT, UPDATE or DELETE of a transaction takes a new version and
** the later ones use it too.  If the savepoint in which it was taken is rolled
** back, data_version has its old value again and the next change takes a new
** version.  To know that, the store counts the open savepoints, as SQLite
** tells them to virtual tables: xSavepoint(n) opens savepoint n inside of the
** savepoints 0..n-1, xRelease(n) merges n and all above into n-1, and
** xRollbackTo(n) undoes everything since n was opened and leaves it open.
** SQLite's own savepoints around a statement are among them.
**
** An atomic operation in between takes a version of its own.  Those that follow
** may change what it has written, and versions only go up: so the next change
** takes a new one, which is then the transaction's.
**
**     BEGIN              nSavepoint  iTxnVersion  iTxnLevel
**     INSERT ...              0          101          0
**     SAVEPOINT a             1          101          0
**     ROLLBACK TO a           1          101          0    taken before a
**     COMMIT                  0         not taken
**
**     BEGIN; SAVEPOINT a      1         not taken
**     INSERT ...              1          104          1
**     ROLLBACK TO a           1         not taken          it was inside of a
**
** SQLite tells all that to tables that are part of the transaction.  It tells
** nothing more to one that is dropped, so with the last of them the store
** forgets the version.  And a table that is made inside of the transaction
** does not learn of the savepoints that are open by then: if one takes part,
** the version holds only as long as data_version says so.
*/

/* Has nothing been written since the last row that this version was taken for? */
static int writeIsLast(KvStore *p, const KvTxn *pTxn){
  return !pTxn->bUntold && p->nBump==pTxn->nBump
      && sqlite3_total_changes64(p->db)==pTxn->nTotal;
}

/* Is the version that was taken still the transaction's?  It is not if the tables
** are others, or if another version was taken that may be of what is undone.  If
** something was written in between it is as long as it is the newest one: else an
** atomic operation has taken another, or what it was taken for has been rolled
** back.  (kvRowNewest() sees whether the schema has changed since.) */
static int writeHolds(KvStore *p, const KvTxn *pTxn){
  int bBumped = p->nBump!=pTxn->nBump;
  if( !pTxn->bVersion || pTxn->iGeneration!=p->schema.iGeneration ) return 0;
  if( pTxn->bUntold && bBumped ) return 0;
  if( writeIsLast(p, pTxn) ) return 1;
  return kvRowNewest(p)==pTxn->iVersion || kvFailed(&p->err);
}

i64 kvTxnVersion(KvStore *p, int *pnStep){
  KvTxn *pTxn = &p->txn;
  KV_ASSERT( p->pWrite );
  *pnStep = 0;
  if( kvFailed(&p->err) ) return 0;
  pTxn->bVersion = writeHolds(p, pTxn)!=0;
  if( pTxn->bVersion ){
    kvIndexResume(p, pTxn->iVersion, writeIsLast(p, pTxn));
  }else{
    *pnStep = kvWriteBump(p, &pTxn->iVersion);
    pTxn->nBump = p->nBump;
    pTxn->iGeneration = p->schema.iGeneration;
    pTxn->iLevel = pTxn->nSavepoint;
    pTxn->bVersion = !kvFailed(&p->err);
  }
  KV_ASSERT( kvFailed(&p->err) || !(kvSchemaKnown(p) & KVKNOWN_INDEXES) || kvIndexCount(p)==0
          || p->indexes.eFresh!=KVFRESH_UNKNOWN );
  return pTxn->iVersion;
}

/* How often a statement has been run. */
static int writeRuns(sqlite3_stmt *p){
  return p ? sqlite3_stmt_status(p, SQLITE_STMTSTATUS_RUN, 0) : 0;
}

void kvTxnRow(KvStore *p, int rc, sqlite3_stmt *pWriter){
  p->txn.nTotal = rc==SQLITE_OK ? sqlite3_total_changes64(p->db) : -1;
  p->txn.pWriter = pWriter;
  p->txn.nRun = writeRuns(pWriter);
}

int kvTxnIsLast(const KvStore *p){
  return p->txn.bVersion && p->txn.nTotal==sqlite3_total_changes64(p->db);
}

/* (A statement that took the place of another in memory has another total of changes, or
** is in its first run.) */
int kvTxnGoesOn(const KvStore *p, sqlite3_stmt *pWriter){
  const KvTxn *pTxn = &p->txn;
  return pWriter && pTxn->pWriter==pWriter && pTxn->nRun==writeRuns(pWriter);
}

void kvTxnGiveBack(KvStore *p, int nStep){
  if( nStep==0 || !kvFailed(&p->err) ) return;
  p->txn.bVersion = 0;
  kvWriteUnbump(p, nStep);
}

void kvTxnJoin(KvStore *p, int bMade){
  p->txn.nJoined++;
  if( bMade ) p->txn.bUntold = 1;
}

int kvTxnLeave(KvStore *p){
  KV_ASSERT( p->txn.nJoined>0 );
  return --p->txn.nJoined==0;
}

void kvTxnEnd(KvStore *p, int bRollback){
  KvTxn *pTxn = &p->txn;
  if( bRollback ) kvSchemaDoubt(p);    /* the tables may be gone with it */
  if( bRollback ) kvOverlaysUndone(p);
  else kvOverlaysSafe(p);
  p->indexes.iCaughtUp = 0;
  p->indexes.eFresh = KVFRESH_UNKNOWN;
  pTxn->bVersion = 0;
  pTxn->bUntold = 0;
  pTxn->iLevel = 0;
  pTxn->nSavepoint = 0;
}

int kvTxnDepth(const KvStore *p){
  return p->txn.nSavepoint;
}

void kvTxnSavepoint(KvStore *p, int iSavepoint){
  KV_ASSERT( iSavepoint>=0 );
  p->txn.nSavepoint = iSavepoint + 1;
}

void kvTxnRelease(KvStore *p, int iSavepoint){
  KV_ASSERT( iSavepoint>=0 );
  p->txn.nSavepoint = iSavepoint;
  if( p->txn.iLevel>iSavepoint ) p->txn.iLevel = iSavepoint;
  if( p->indexes.iCaughtUp>iSavepoint+1 ) p->indexes.iCaughtUp = iSavepoint + 1;
}

void kvTxnRollbackTo(KvStore *p, int iSavepoint){
  KV_ASSERT( iSavepoint>=-1 );         /* -1: all of the transaction */
  kvSchemaDoubt(p);
  if( p->indexes.iCaughtUp>iSavepoint+1 ) p->indexes.iCaughtUp = 0;
  p->indexes.eFresh = KVFRESH_UNKNOWN;
  kvOverlaysUndone(p);
  p->txn.nSavepoint = iSavepoint + 1;
  p->txn.nTotal = -1;                  /* a statement has ended that does not count */
  if( p->txn.iLevel>iSavepoint ) p->txn.bVersion = 0;
}
