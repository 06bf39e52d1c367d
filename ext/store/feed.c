/*
** feed.c -- the change feed.  See feed.h.
*/
#include "store/store_int.h"
#include "store/feed.h"
#include "store/migrate.h"

int kvFeedRow(KvStmt *pStmt){
  KvStore *p = pStmt ? pStmt->pStore : 0;
  u8 bOuter;
  int bRow;
  if( p==0 ) return 0;
  bOuter = p->bInFeed;
  p->bInFeed = 1;
  bRow = kvStmtRow(pStmt);
  p->bInFeed = bOuter;
  return bRow;
}

u32 kvFeedData(KvStore *p){
  unsigned int i = 0;
  sqlite3_file_control(p->db, p->zSchema, SQLITE_FCNTL_DATA_VERSION, &i);
  return i;
}

/* Row 1, where the program of an old version has not been since.  A forged one must
** not lead to versions that can't be counted with. */
static void feedGap(KvFeed *p, KvStmt *pStmt){
  p->bMark = sqlite3_column_type(pStmt->pStmt, 5)!=SQLITE_NULL;
  p->iDone = p->iGap = p->iApplied;
  if( !p->bMark || kvStmtInt(pStmt, 5)<=p->iApplied ) return;
  p->bGap = 1;
  p->iDone = kvStmtInt(pStmt, 5);
  p->iGap = kvStmtInt(pStmt, 6);
  p->iNonce = kvStmtInt(pStmt, 7);
  if( p->iGap>=p->iDone ) p->iGap = p->iDone - 1;
  if( p->iGap<p->iApplied ) p->iGap = p->iApplied;
}

KvStmt *kvFeedPin(KvStore *p, KvFeed *pFeed){
  KvStmt *pStmt;
  memset(pFeed, 0, sizeof(*pFeed));
  if( kvFailed(&p->err) ) return 0;    /* it is not that there is no feed */
  if( p->bInFeed ){
    kvError(&p->err, SQLITE_ERROR,
        "kv: %!.100s.%!.100skv_track_state, kv_index_def or kv_index_value is a view "
        "that reads itself", p->zSchema, p->zPrefix);
    return 0;
  }
  pStmt = kvStmtTake(p, KVSQL_FEED_GET);
  if( kvFeedRow(pStmt) ){
    kvSchemaCount(p);                  /* as of this transaction */
    pFeed->bThere = !kvFailed(&p->err);
  }else{
    /* No such table: there is no feed.  It may have gone while it was kept. */
    kvSchemaMissing(p, "kv_track_state", "applied");
  }
  if( !pFeed->bThere ){
    kvStmtGive(pStmt);
    return 0;
  }
  pFeed->bWanted = kvStmtInt(pStmt, 0)!=0;
  pFeed->iSince = kvStmtInt(pStmt, 1);
  pFeed->iGeneration = kvStmtInt(pStmt, 2);
  pFeed->iApplied = kvStmtInt(pStmt, 3);
  pFeed->iVersion = kvStmtInt(pStmt, 4);
  feedGap(pFeed, pStmt);
  return pStmt;
}

i64 kvFeedGeneration(KvStore *p){
  i64 iGeneration;
  sqlite3_randomness(sizeof(iGeneration), &iGeneration);
  iGeneration &= INT64_MAX;
  kvStmtRun(kvStmtWith(p, KVSQL_FEED_SET_GENERATION, "i", iGeneration));
  return iGeneration;
}

int kvFeedGet(KvStore *p, KvFeed *pFeed){
  kvStmtGive(kvFeedPin(p, pFeed));
  return pFeed->bThere;
}

void kvFeedOn(KvStore *p, int bWanted){
  kvNamesGroup(p, KVNAMES_FEED, 1);
  kvMigrate(p);
  kvStmtScript(p, KVSQL_FEED_VERSION_INDEX, KVSQL_FEED_STATE_ROW);
  if( bWanted ) kvStmtSimple(p, KVSQL_FEED_SET_WANTED);
}

i64 kvFeedTrim(KvStore *p, i64 iBefore){
  kvStmtRun(kvStmtWith(p, KVSQL_FEED_SET_SINCE, "i", iBefore));
  kvStmtRun(kvStmtWith(p, KVSQL_FEED_TRIM, "i", iBefore));
  return kvFailed(&p->err) ? 0 : sqlite3_changes64(p->db);
}

void kvFeedDrop(KvStore *p){
  if( kvNamesGroup(p, KVNAMES_FEED, 0) ){
    kvStmtScript(p, KVSQL_FEED_DROP_DELETE, KVSQL_FEED_DROP_STATE);
  }
  kvSchemaRelease(p);
}
