/*
** txn.c -- one version for all that a transaction changes.
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
#include "store/store.h"
SQLITE_EXTENSION_INIT3
#include "store/index_maintain.h"

/* kvStoreNewest() sees whether the schema has changed since.  The version holds as long as
** it is the newest one: else an atomic operation has taken another, or what it was
** taken for has been rolled back. */
static int txnLook(KvStore *p, char **pzErr){
  i64 iNewest;
  int rc = kvStoreNewest(p, &iNewest, pzErr);
  if( rc==SQLITE_OK && iNewest!=p->iTxnVersion ) p->bTxnVersion = 0;
  return rc;
}

int kvTxnVersion(KvStore *p, i64 *piVersion, int *pnStep, char **pzErr){
  int rc = SQLITE_OK;
  *pnStep = 0;
  if( p->bTxnVersion
   && (p->bUntold || p->bBumped || sqlite3_total_changes64(p->db)!=p->nTxnTotal)
  ){
    rc = txnLook(p, pzErr);
  }
  if( rc!=SQLITE_OK ) return rc;
  if( !p->bTxnVersion ){
    rc = kvStoreBump(p, &p->iTxnVersion, pnStep, pzErr);
    p->bBumped = 0;
    p->iTxnLevel = p->nSavepoint;
    p->bTxnVersion = rc==SQLITE_OK;
  }else{
    rc = kvIndexResume(p, p->iTxnVersion, pzErr);
  }
  *piVersion = p->iTxnVersion;
  return rc;
}

void kvTxnRow(KvStore *p, int rc){
  p->nTxnTotal = rc==SQLITE_OK ? sqlite3_total_changes64(p->db) : -1;
}

/* The version has been given back, or the tables are others. */
void kvTxnForget(KvStore *p){
  p->bTxnVersion = 0;
}

void kvTxnJoin(KvStore *p, int bMade){
  p->nJoined++;
  if( bMade ) p->bUntold = 1;
}

int kvTxnLeave(KvStore *p){
  return --p->nJoined==0;
}

void kvTxnEnd(KvStore *p, int bRollback){
  if( bRollback ) p->bStale = 1;       /* the tables may be gone with it */
  p->bTxnVersion = 0;
  p->bUntold = 0;
  p->iTxnLevel = 0;
  p->nSavepoint = 0;
}

void kvTxnSavepoint(KvStore *p, int iSavepoint){
  p->nSavepoint = iSavepoint + 1;
}

void kvTxnRelease(KvStore *p, int iSavepoint){
  p->nSavepoint = iSavepoint;
  if( p->iTxnLevel>iSavepoint ) p->iTxnLevel = iSavepoint;
}

void kvTxnRollbackTo(KvStore *p, int iSavepoint){
  p->bStale = 1;
  p->nSavepoint = iSavepoint + 1;
  if( p->iTxnLevel>iSavepoint ) p->bTxnVersion = 0;
}
