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

int kvFeedNested(KvStore *p){
  if( p->bInFeed ){
    kvError(&p->err, SQLITE_ERROR,
        "kv: %!.100s.%!.100skv_track_state, or a table of the indexes, is a view that reads itself",
        p->zSchema, p->zPrefix);
  }
  return p->bInFeed;
}

KvStmt *kvFeedPin(KvStore *p, KvFeed *pFeed){
  KvStmt *pStmt;
  memset(pFeed, 0, sizeof(*pFeed));
  if( kvFailed(&p->err) || kvFeedNested(p) ) return 0;   /* it is not that there is no feed */
  pStmt = kvStmtTake(p, KVSQL_FEED_GET);
  if( kvFeedRow(pStmt) ){
    kvSchemaCount(p);                  /* as of this transaction */
    pFeed->bThere = !kvFailed(&p->err);
  }else{
    /* No such table: there is no feed.  It may have gone while it was kept. */
    kvSchemaMissing(p, "kv_track_state", "since");
  }
  if( !pFeed->bThere ){
    kvStmtGive(pStmt);
    return 0;
  }
  pFeed->iSince = kvStmtInt(pStmt, 0);
  pFeed->iVersion = kvStmtInt(pStmt, 1);
  return pStmt;
}

int kvFeedGet(KvStore *p, KvFeed *pFeed){
  kvStmtGive(kvFeedPin(p, pFeed));
  return pFeed->bThere;
}

void kvFeedOn(KvStore *p){
  kvNamesGroup(p, KVNAMES_FEED, 1);
  kvMigrate(p);
  kvStmtScript(p, KVSQL_FEED_VERSION_INDEX, KVSQL_FEED_STATE_ROW);
}

i64 kvFeedTrim(KvStore *p, i64 iBefore){
  kvStmtRun(kvStmtWith(p, KVSQL_FEED_SET_SINCE, "i", iBefore));
  kvStmtRun(kvStmtWith(p, KVSQL_FEED_TRIM, "i", iBefore));
  return kvFailed(&p->err) ? 0 : sqlite3_changes64(p->db);
}

void kvFeedDrop(KvStore *p){
  kvNamesDrop(p, KVNAMES_FEED);
  kvSchemaRelease(p);
}
