/*
** scan_guard.c -- the keys that are written while something is read.  See
** scan_guard.h.
*/
#include "store/store_int.h"
#include "store/scan_guard.h"

void kvGuardsClear(KvStore *p){
  kvMapClear(&p->guards.map);
  kvMapClear(&p->guards.added);
}

void kvGuardBegin(KvStore *p){
  p->guards.nScan++;
}

void kvGuardEnd(KvStore *p){
  KV_ASSERT( p->guards.nScan>0 );
  if( --p->guards.nScan==0 ) kvMapClear(&p->guards.map);
}

i64 kvGuardClock(const KvStore *p){
  return p->guards.iClock;
}

/* Has the map a key with a later count? */
static int guardSince(const KvGuards *p, const KvMap *pMap, KvBytes key, i64 iClock){
  const KvMapItem *pKey = p->iClock==iClock ? 0 : kvMapFind(pMap, key);
  return pKey && pKey->iValue>iClock;
}

/* Count a write to a key. */
static void guardNote(KvStore *p, KvMap *pMap, KvBytes key){
  KvMapItem *pKey;
  if( kvFailed(&p->err) ) return;
  pKey = kvMapAdd(pMap, key);
  if( pKey ) pKey->iValue = ++p->guards.iClock;
  else kvErrorCode(&p->err, SQLITE_NOMEM);
}

int kvGuardWritten(const KvStore *p, KvBytes key, i64 iClock){
  return guardSince(&p->guards, &p->guards.map, key, iClock);
}

void kvScanOpen(KvStore *pStore, KvOpenScan *p, const KvBuf *pLo, const KvBuf *pHi){
  kvScanClose(pStore, p);
  p->bOpen = 1;
  p->pLo = pLo;
  p->pHi = pHi;
  p->iClock = pStore->guards.iClock;
  p->pNext = pStore->guards.pScan;
  pStore->guards.pScan = p;
}

void kvScanClose(KvStore *pStore, KvOpenScan *p){
  KvOpenScan **pp = &pStore->guards.pScan;
  if( !p->bOpen ) return;
  p->bOpen = 0;
  while( *pp!=p ) pp = &(*pp)->pNext;
  *pp = p->pNext;
  if( pStore->guards.pScan==0 ) kvMapClear(&pStore->guards.added);
}

int kvScanIsNew(const KvStore *pStore, const KvOpenScan *p, KvBytes key){
  return guardSince(&pStore->guards, &pStore->guards.added, key, p->iClock);
}

int kvGuardAhead(const KvStore *pStore, KvBytes key){
  const KvOpenScan *p;
  for(p=pStore->guards.pScan; p; p=p->pNext){
    if( kvBytesCompare(key, kvBufBytes(p->pLo))>=0
     && (p->pHi->n==0 || kvBytesCompare(key, kvBufBytes(p->pHi))<0)
    ){
      return 1;
    }
  }
  return 0;
}

void kvGuardChange(KvStore *p, KvBytes key){
  if( p->guards.nScan>0 ) guardNote(p, &p->guards.map, key);
}

void kvGuardAdd(KvStore *p, KvBytes key){
  guardNote(p, &p->guards.added, key);
}

/*
** ---- plain SQL that writes --------------------------------------------------
**
** EXPLAIN tells it: the programs of a statement and of its triggers open the
** table for writing by its root page and the number of its database.
*/

/* Where a table is.  All zero: anywhere. */
typedef struct GuardTable GuardTable;
struct GuardTable {
  int iRoot, iDb;
};

/* Has a statement the opcode zOp for the table?  For a table that is anywhere
** *pTable is set.  What can't be explained has it. */
static int guardOpens(sqlite3 *db, const char *zSql, const char *zOp, GuardTable *pTable){
  KvExplain walk;
  int bOpens = 0;
  kvExplainOpen(&walk, db, "EXPLAIN %s", zSql);
  while( !bOpens && kvExplainNext(&walk) ){
    GuardTable found;
    if( strcmp(walk.zOp, zOp)!=0 ) continue;
    found.iRoot = kvExplainP(&walk, 2);
    found.iDb = kvExplainP(&walk, 3);
    if( pTable->iRoot==0 ) *pTable = found;
    bOpens = found.iRoot==pTable->iRoot && found.iDb==pTable->iDb;
  }
  return kvExplainClose(&walk)!=SQLITE_OK || bOpens;
}

/* Does a statement write to kv?  Most write to no table at all, but to kv_entries. */
static int guardLook(KvStore *p, sqlite3_stmt *pBusy){
  GuardTable any = { 0, 0 }, table = { 0, 0 };
  const char *zSql = sqlite3_sql(pBusy);
  KvStmt *pStmt;
  if( !guardOpens(p->db, zSql, "OpenWrite", &any) ) return 0;
  pStmt = kvStmtTake(p, KVSQL_WHERE_KV);
  if( pStmt==0 ) return 0;
  guardOpens(p->db, sqlite3_sql(pStmt->pStmt), "OpenRead", &table);
  kvStmtGive(pStmt);
  return guardOpens(p->db, zSql, "OpenWrite", &table);
}

/*
** Is it the run after the one that was looked at last, of the same statement with
** the same program?  (A statement that took the place of another in memory is in
** its first run when it comes here, or was here in the one before.)
*/
static int guardKnown(KvPlain *p, sqlite3_stmt *pBusy){
  int nRun = sqlite3_stmt_status(pBusy, SQLITE_STMTSTATUS_RUN, 0);
  int nReprepare = sqlite3_stmt_status(pBusy, SQLITE_STMTSTATUS_REPREPARE, 0);
  const char *zSql = sqlite3_sql(pBusy);
  int bKnown = p->pStmt==pBusy && p->zSql==zSql && p->nReprepare==nReprepare && p->nRun+1==nRun;
  p->pStmt = pBusy;
  p->zSql = zSql;
  p->nReprepare = nReprepare;
  p->nRun = nRun;
  return bKnown;
}

int kvPlainWrites(KvStore *p){
  KvPlain *pLast = &p->guards.plain;
  sqlite3_stmt *pBusy = 0;
  int bWrites = 0;
  if( sqlite3_txn_state(p->db, p->zSchema)!=SQLITE_TXN_WRITE ) return 0;
  while( !bWrites && !kvFailed(&p->err) && (pBusy = sqlite3_next_stmt(p->db, pBusy))!=0 ){
    if( !sqlite3_stmt_busy(pBusy) || sqlite3_stmt_readonly(pBusy) ) continue;
    if( !guardKnown(pLast, pBusy) ) pLast->bWrites = guardLook(p, pBusy)!=0;
    bWrites = pLast->bWrites;
  }
  if( kvFailed(&p->err) ) pLast->pStmt = 0;
  return bWrites;
}
