/*
** bulk.c -- removing many entries by one statement.  See bulk.h.
*/
#include "store/store_int.h"
#include "store/bulk.h"
#include "store/index/declare.h"
#include "store/index/dirty.h"

/* ---- whether it may be --------------------------------------------------- */

/* Is the text of a trigger, as sqlite_schema has it, that of the feed? */
static int bulkIsFeed(KvStore *p, const char *zSql){
  static const char zFrom[] = "AFTER DELETE";
  char *zOurs = kvStmtText(p, KVSQL_FEED_ON_DELETE);
  const char *zA = zSql ? strstr(zSql, zFrom) : 0;
  const char *zB = zOurs ? strstr(zOurs, zFrom) : 0;
  int bSame = zA && zB && strcmp(zA, zB)==0;
  sqlite3_free(zOurs);
  return bSame;
}

/* True if a deletion in kv fires no triggers but that of the feed and (bIndexes) those of
** the indexes.  Anything that can't be read has others. */
static int bulkTriggers(KvStore *p, int bIndexes, int *pbFeed){
  sqlite3_stmt *pStmt = 0;
  int bOthers = 0, rc = kvPrepare(p->db, &pStmt,
      "SELECT name = '%q%s' COLLATE nocase, sql FROM \"%w\".sqlite_schema "
      "WHERE type = 'trigger' AND tbl_name = '%q%s' COLLATE nocase "
      "AND name <> '%q%s' COLLATE nocase "
      "AND (%d = 0 OR substr(name, 1, %d) <> '%qkv_dirty_' COLLATE nocase) "
      "UNION ALL SELECT 0, '' FROM temp.sqlite_schema "
      "WHERE type = 'trigger' AND tbl_name = '%q%s' COLLATE nocase",
      p->zPrefix, "kv_track_delete", p->zSchema, p->zPrefix, "kv", p->zPrefix, "kv_track_move",
      bIndexes, (int)strlen(p->zPrefix) + 9, p->zPrefix, p->zPrefix, "kv");
  *pbFeed = 0;
  while( rc==SQLITE_OK && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    rc = SQLITE_OK;
    if( sqlite3_column_int(pStmt, 0)
     && bulkIsFeed(p, (const char*)sqlite3_column_text(pStmt, 1))
    ){
      *pbFeed = 1;
    }else{
      bOthers = 1;
    }
  }
  sqlite3_finalize(pStmt);
  return rc==SQLITE_DONE && !bOthers;
}

/* Do a range and that between two keys, both exclusive, have keys in common? */
static int bulkMeets(const KvBulk *p, KvBytes lo, KvBytes hi){
  return kvBytesCompare(p->lo, hi)<0 && (p->hi.n==0 || kvBytesCompare(p->hi, lo)>0);
}

/* Is there an entry between two keys, both exclusive? */
static int bulkBetween(KvStore *p, KvBytes after, KvBytes before){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_INDEX_ANY, "bb", after, before);
  int bAny = kvStmtRow(pStmt);
  kvStmtGive(pStmt);
  return bAny;
}

/* Are all primary entries of an index in the range? */
static int bulkCovers(KvStore *p, const KvIndexDef *pDef, const KvBulk *pBulk){
  return !bulkBetween(p, pDef->prefix, pBulk->lo)
      && (pBulk->hi.n==0 || kvBytesCompare(pBulk->hi, pDef->last)>=0);
}

/* Do the indexes allow it?  Each must have all of its primary entries in the range, or neither
** these nor its own; and none may have to catch up. */
static int bulkIndexes(KvStore *p, const KvBulk *pBulk){
  KvDirty dirty;
  u32 i;
  int bMay;
  if( !kvDirtyGet(p, &dirty) || dirty.bAny ) return 0;
  kvIndexLoad(p, dirty.iGeneration);
  bMay = kvDirtyTriggers(p);
  for(i=0; bMay && i<kvIndexCount(p); i++){
    const KvIndexDef *pDef = kvIndexAt(p, i);
    if( !bulkMeets(pBulk, pDef->prefix, pDef->last)
     && ((pDef->mOptions & KVINDEX_APART) || !bulkMeets(pBulk, pDef->name, pDef->nameEnd))
    ){
      continue;
    }
    bMay = !(pDef->mOptions & KVINDEX_TABLE) && bulkCovers(p, pDef, pBulk);
  }
  return bMay && !kvFailed(&p->err);
}

/*
** To turn triggers off and on makes SQLite prepare all statements again.  One that runs goes
** on, but fails as soon as it opens a table: bQuiet, none does.
*/
static int bulkMay(KvStore *p, int bQuiet, const KvBulk *pBulk, int *pbFeed){
  u32 mKnown = kvSchemaLook(p);
  int bOn = 0, bIndexes = (mKnown & KVKNOWN_INDEXES)!=0;
  *pbFeed = 0;
  if( kvFailed(&p->err) || p->guards.nScan>0 ) return 0;
  if( bIndexes && (pBulk==0 || !bulkIndexes(p, pBulk)) ) return 0;
  if( !bulkTriggers(p, bIndexes, pbFeed) || *pbFeed!=((mKnown & KVKNOWN_FEED)!=0) ) return 0;
  if( *pbFeed ) sqlite3_db_config(p->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, -1, &bOn);
  return !*pbFeed || (bQuiet && bOn);
}

int kvBulkMay(KvStore *p, int bQuiet, const KvBulk *pBulk){
  int bFeed;
  return bulkMay(p, bQuiet, pBulk, &bFeed);
}

/* ---- doing it ------------------------------------------------------------ */

/* A statement on a range. */
static KvStmt *bulkRange(KvStore *p, int eSql, const KvBulk *pBulk){
  KvStmt *pStmt = kvStmtMask(p, eSql, pBulk->hi.n ? (u32)KVREAD_UPPER : 0);
  kvBindBytes(pStmt, 1, pBulk->lo);
  if( pBulk->hi.n ) kvBindBytes(pStmt, 2, pBulk->hi);
  kvBindInt(pStmt, 3, pBulk->iNow);
  return pStmt;
}

i64 kvBulkCount(KvStore *p, const KvBulk *pBulk){
  KvStmt *pStmt = bulkRange(p, KVSQL_BULK_COUNT, pBulk);
  i64 n = kvStmtRow(pStmt) ? kvStmtInt(pStmt, 0) : -1;
  kvStmtGive(pStmt);
  return n;
}

/* Triggers are fired, or not, by what is prepared from here on. */
static void bulkTriggersOn(KvStore *p, int bOn){
  kvStmtsRelease(p);
  sqlite3_db_config(p->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, bOn, (int*)0);
}

/* The indexes whose primary entries go become empty. */
static void bulkEmpty(KvStore *p, const KvBulk *pBulk){
  u32 i;
  if( !kvIndexEnter(p) ) return;
  for(i=0; i<kvIndexCount(p); i++){
    const KvIndexDef *pDef = kvIndexAt(p, i);
    if( bulkMeets(pBulk, pDef->prefix, pDef->last) ) kvIndexEmpty(p, pDef, 1);
  }
  kvIndexLeave(p);
}

void kvBulkDelete(KvStore *p, const KvBulk *pBulk, i64 iVersion){
  int bFeed = (kvSchemaKnown(p) & KVKNOWN_FEED)!=0;
  if( kvSchemaKnown(p) & KVKNOWN_INDEXES ) bulkEmpty(p, pBulk);
  if( bFeed ){
    KvStmt *pStmt = bulkRange(p, KVSQL_BULK_NOTE, pBulk);
    kvBindInt(pStmt, 4, iVersion);
    kvStmtRun(pStmt);
    bulkTriggersOn(p, 0);
  }
  kvWriteOwn(bulkRange(p, KVSQL_BULK_DELETE, pBulk));
  if( bFeed ) bulkTriggersOn(p, 1);
}

i64 kvBulkSweep(KvStore *p, i64 iNow, int bQuiet){
  int bFeed;
  i64 nGone;
  if( !bulkMay(p, bQuiet, 0, &bFeed) || !bFeed ) return kvRowSweep(p, iNow, -1, 0);
  kvStmtRun(kvStmtWith(p, KVSQL_BULK_NOTE_EXPIRED, "i", iNow));
  bulkTriggersOn(p, 0);
  nGone = kvRowSweep(p, iNow, -1, 0);
  bulkTriggersOn(p, 1);
  return nGone;
}
