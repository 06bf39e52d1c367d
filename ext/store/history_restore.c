/*
** history_restore.c -- making entries what they were.  See history_restore.h.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/history_restore.h"
#include "store/index/dirty.h"
#include "store/index/write.h"
#include "store/row.h"
#include "store/write.h"

/* What one key was, and what it is now. */
typedef struct Restore Restore;
struct Restore {
  KvStore *pStore;
  const KvPast *pPast;
  i64 iNow;
  KvFound was;            /* bFound: there was an entry, which hasn't expired since */
  u8 bSame;               /* It still is what it was */
  KvList changed;         /* The keys of which it isn't */
  i64 nChanged;
};

/* Is an entry gone by now? */
static int restoreExpired(const Restore *p, i64 iExpires){
  return iExpires>=0 && iExpires<=p->iNow;
}

/* The statement is at what counts of a key: what it was. */
static void restoreWas(Restore *p, KvStmt *pStmt, KvBytes key){
  KvFound *pWas = &p->was;
  pWas->bFound = (u8)kvHistoryWas(p->pStore, p->pPast, key, pStmt);
  pWas->iExpires = kvStmtInt(pStmt, KVREAD_COL_EXPIRES);
  if( pWas->bFound && restoreExpired(p, pWas->iExpires) ) pWas->bFound = 0;
  pWas->eEncoding = (int)kvStmtInt(pStmt, KVREAD_COL_ENCODING);
  kvBufReset(&pWas->v);
  if( pWas->bFound ) kvErrorCopy(&p->pStore->err, kvStmtBytes(pStmt, KVREAD_COL_V), &pWas->v);
}

/* The statement is at the entry itself. */
static void restoreIs(Restore *p, KvStmt *pStmt){
  i64 iExpires = kvStmtInt(pStmt, KVREAD_COL_EXPIRES);
  if( restoreExpired(p, iExpires) ) return;
  p->bSame = p->was.bFound && iExpires==p->was.iExpires
      && kvStmtInt(pStmt, KVREAD_COL_ENCODING)==p->was.eEncoding
      && kvBytesEqual(kvStmtBytes(pStmt, KVREAD_COL_V), kvBufBytes(&p->was.v));
}

/* Find the keys that change. */
static void restoreFind(Restore *p, KvBytes lo, KvBytes hi){
  KvStore *pStore = p->pStore;
  KvPastRange range = { 0 };
  KvStmt *pStmt;
  kvHistoryRangeOpen(pStore, p->pPast, KVREAD_VALUE, lo, hi, &range);
  while( (pStmt = kvHistoryRangeNext(&range))!=0 ){
    KvBytes key = kvStmtBytes(pStmt, KVREAD_COL_KEY);
    if( p->pPast->bOwned && kvIndexOwner(pStore, key) ) continue;
    restoreWas(p, pStmt, key);
    p->bSame = !p->was.bFound;                   /* unless an entry exists */
    if( range.bNow ) restoreIs(p, range.pNow);
    if( p->bSame ) continue;
    kvListAdd(&p->changed, key);
    kvErrorBuf(&pStore->err, &p->changed.bytes);
    p->nChanged++;
  }
  kvHistoryRangeClear(&range);
}

/* Make one entry what it was. */
static void restoreKey(Restore *p, KvBytes key, i64 iVersion){
  KvStore *pStore = p->pStore;
  KvStmt *pStmt = kvHistoryPast(pStore, p->pPast, KVREAD_VALUE);
  KvRow row;
  p->was.bFound = 0;
  kvBindBytes(pStmt, 1, key);
  if( kvStmtRow(pStmt) ) restoreWas(p, pStmt, key);
  kvStmtGive(pStmt);
  if( kvFailed(&pStore->err) ) return;
  row.key = key;
  row.value = kvBufBytes(&p->was.v);
  row.eEncoding = p->was.eEncoding;
  row.iVersion = iVersion;
  row.iExpires = p->was.iExpires<0 ? -1 : p->was.iExpires;
  if( p->was.bFound ) kvWritePut(pStore, 0, &row);
  else kvWriteDelete(pStore, key);
}

/* All of them. */
static void restoreWrite(Restore *p){
  KvStore *pStore = p->pStore;
  KvList written = { { 0 } };
  KvBytes key;
  i64 iVersion;
  u32 i = 0;
  kvWriteBump(pStore, &iVersion);
  if( p->nChanged>1 ) kvIndexDefer(pStore, &written);
  while( !kvFailed(&pStore->err) && kvListNext(&p->changed, &i, &key) ){
    restoreKey(p, key, iVersion);
  }
  kvIndexDeferEnd(pStore);
  kvListClear(&written);
  kvWriteSweepSome(pStore, p->iNow);
}

i64 kvHistoryRestore(KvStore *p, const KvPast *pPast, KvBytes lo, KvBytes hi, int bDry){
  Restore restore;
  i64 n;
  if( kvFailed(&p->err) || !pPast->bPast ) return 0;
  memset(&restore, 0, sizeof(restore));
  restore.pStore = p;
  restore.pPast = pPast;
  restore.iNow = kvNow();
  restoreFind(&restore, lo, hi);
  n = restore.nChanged;
  if( n>0 && !bDry && !kvFailed(&p->err) ) restoreWrite(&restore);
  kvBufClear(&restore.was.v);
  kvListClear(&restore.changed);
  return n;
}

i64 kvHistoryForget(KvStore *p, KvBytes key){
  if( !kvHistoryThere(p) ) return 0;
  kvStmtRun(kvStmtWith(p, KVSQL_HISTORY_FORGET, "b", key));
  return kvFailed(&p->err) ? 0 : sqlite3_changes64(p->db);
}
