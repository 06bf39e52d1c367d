/*
** index_migrate.c -- the declared indexes of a file of an older version.  See
** index_migrate.h.
**
** What the rows have is taken over as it is.  Of an index that is not unique the entries
** in kv now tell what the rows did: where both differ, because a program changed entries
** without a version, the keys become pending and are repaired by the next catch-up.
*/
#include "store/store_int.h"
#include "codec/key/key_bytes.h"
#include "store/feed.h"
#include "store/index_held.h"
#include "store/index_migrate.h"
#include "store/migrate.h"

int kvIndexOld(const KvStore *p){
  return (kvSchemaKnown(p) & (KVKNOWN_INDEXES|KVKNOWN_OWN))==KVKNOWN_INDEXES;
}

/* Each primary entry's rows become one. */
static void indexMigrateHeld(KvStore *p){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_INDEX_OLD_ROWS);
  KvList *pHeld = &p->indexWork.held;
  KvBuf pk = { 0 };
  int bRow;
  kvListReset(pHeld);
  do{
    bRow = kvStmtRow(pStmt);
    if( pHeld->bytes.n && !(bRow && kvBytesEqual(kvStmtBytes(pStmt, 0), kvBufBytes(&pk))) ){
      kvIndexHeldSet(p, kvBufBytes(&pk), pHeld);
      kvListReset(pHeld);
    }
    if( !bRow ) break;
    if( pHeld->bytes.n==0 ) kvErrorCopy(&p->err, kvStmtBytes(pStmt, 0), &pk);
    kvListAdd(pHeld, kvStmtBytes(pStmt, 1));
    kvErrorBuf(&p->err, &pHeld->bytes);
  }while( !kvFailed(&p->err) );
  kvStmtGive(pStmt);
  kvBufClear(&pk);
}

/* Run a statement on the keys that an index owns. */
static void indexMigrateRange(KvStore *p, int eSql, const KvIndexDef *pDef, i64 nMost){
  kvStmtRun(kvStmtWith(p, eSql, "bbi", pDef->name, pDef->nameEnd, nMost));
}

static void indexMigrateDef(KvStore *p, const KvIndexDef *pDef){
  int bUnique = (pDef->mOptions & KVINDEX_UNIQUE)!=0;
  kvStmtRun(kvStmtWith(p, KVSQL_INDEX_OLD_OWN, "tb", kvBytesText(pDef->zName),
                       kvIndexDefOwn(pDef)));
  if( pDef->mOptions & KVINDEX_SEARCH ) return;
  indexMigrateRange(p, KVSQL_INDEX_OLD_VALUES, pDef, bUnique ? -1 : KVINDEX_KEY_MAX);
  if( bUnique ) return;
  indexMigrateRange(p, KVSQL_INDEX_OLD_MORE, pDef, KVINDEX_KEY_MAX);
  indexMigrateRange(p, KVSQL_INDEX_OLD_LESS, pDef, KVINDEX_KEY_MAX);
}

/* The rows are not needed any more.  Where SQLite doesn't rename the table, because of a
** view that it can't read, it stays as it is. */
static void indexMigrateDone(KvStore *p){
  kvStmtSimple(p, KVSQL_INDEX_OLD_CLEAR);
  if( kvFailed(&p->err) ) return;
  kvStmtSimple(p, KVSQL_INDEX_OLD_RENAME);
  if( (p->err.rc & 0xff)==SQLITE_ERROR ) kvErrorClear(&p->err);
}

void kvIndexMigrate(KvStore *p){
  u32 i, n;
  if( !(kvSchemaKnow(p) & KVKNOWN_INDEXES) || !kvIndexOld(p) || kvFailed(&p->err) ) return;
  if( !kvNamesGroup(p, KVNAMES_INDEXES_OLD, 0) ) return;
  kvNamesGroup(p, KVNAMES_PENDING, 1);
  if( !p->work.bSavepoint ) kvErrorCode(&p->err, KV_AGAIN);
  n = kvIndexList(p);
  if( !kvIndexEnter(p) ) return;
  kvStmtScript(p, KVSQL_INDEX_OLD_ADD, KVSQL_INDEX_OLD_ADD);
  kvStmtScript(p, KVSQL_INDEX_HELD, KVSQL_INDEX_PENDING);
  kvStmtSimple(p, KVSQL_INDEX_STATE_MARK);
  indexMigrateHeld(p);
  for(i=0; i<n && !kvFailed(&p->err); i++) indexMigrateDef(p, kvIndexAt(p, i));
  kvStmtScript(p, KVSQL_INDEX_DROP_INSERT, KVSQL_INDEX_DROP_DELETE);
  kvStmtScript(p, KVSQL_INDEX_ON_INSERT, KVSQL_INDEX_ON_DELETE);
  indexMigrateDone(p);
  kvIndexLeave(p);
  if( !kvFailed(&p->err) ) kvFeedGeneration(p);
  kvSchemaLook(p);
}
