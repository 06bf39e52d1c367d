/*
** index_maintain.c -- index maintenance.  See index_maintain.h.
**
** All of it comes down to two steps, which may be repeated without harm:
**
**   touch(pk)    compare what the primary entry's value asks for with the rows
**                of kv_index_row, change those, and repair what they name
**   repair(ik)   make the index entry what its rows say: a pointer to (or copy
**                of) the first primary entry that is there, or nothing
**
** An entry in an index's place is never a primary entry.  Whoever writes one
** through this library finds it repaired.
*/
#include "store/index_maintain.h"
SQLITE_EXTENSION_INIT3
#include "store/index_entry.h"
#include "store_sql.h"

/* Keys that are looked at in one go. */
#define MAINTAIN_CHUNK   256

/* Change the rows of kv_index_row; p->change is what has to be repaired. */
static int maintainChange(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk,
  int mStep, int bStrict, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  u32 i = 0, k = 0, nW = 0, nT = 0;
  const u8 *aW = kvIndexValueNext(&p->wanted, &i, &nW);
  const u8 *aT = kvIndexValueNext(&p->there, &k, &nT);
  int rc = SQLITE_OK;
  while( rc==SQLITE_OK && (aW || aT) ){
    int c = aW==0 ? 1 : aT==0 ? -1 : kvIndexCompare(aW, nW, aT, nT);
    if( c>0 ){
      if( mStep & KVINDEX_TAKE ){
        rc = kvIndexRow(pStore, KVSQL_INDEX_TAKE, aT, nT, aPk, nPk, pzErr);
        kvIndexListAdd(&p->change, aT, nT);
      }
      aT = kvIndexValueNext(&p->there, &k, &nT);
      continue;
    }
    if( mStep & KVINDEX_ADD ){
      if( c<0 ) rc = kvIndexAdd(pStore, pDef, aW, nW, aPk, nPk, bStrict, pzErr);
      kvIndexListAdd(&p->change, aW, nW);
    }
    aW = kvIndexValueNext(&p->wanted, &i, &nW);
    if( c==0 ) aT = kvIndexValueNext(&p->there, &k, &nT);
  }
  return rc==SQLITE_OK && p->change.eErr!=KV_OK ? SQLITE_NOMEM : rc;
}

int kvIndexTouch(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk,
  int mStep, int bStrict, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  const u8 *aIk;
  u32 i = 0, nIk;
  int rc = kvIndexWanted(pStore, pDef, aPk, nPk, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexHas(pStore, pDef, aPk, nPk, pzErr);
  kvBufReset(&p->change);
  if( rc==SQLITE_OK ) rc = maintainChange(pStore, pDef, aPk, nPk, mStep, bStrict, pzErr);
  while( rc==SQLITE_OK && (aIk = kvIndexValueNext(&p->change, &i, &nIk))!=0 ){
    rc = kvIndexRepair(pStore, pDef, aIk, nIk, pzErr);
  }
  return rc;
}

/* The entry of a key was written: by us (bStrict) or by somebody else. */
static int maintainSync(KvStore *pStore, const u8 *aKey, u32 nKey, int mStep, int bStrict, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  const KvIndexDef *pDef = kvIndexOwner(p, aKey, nKey);
  u32 i;
  int rc = kvIndexEnter(p, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( mStep & KVINDEX_ADD ) rc = kvIndexDone(pStore, aKey, nKey, pzErr);
  if( rc==SQLITE_OK && pDef ){
    if( mStep & KVINDEX_ADD ) rc = kvIndexRepair(pStore, pDef, aKey, nKey, pzErr);
  }else{
    for(i=0; rc==SQLITE_OK && i<p->nDef; i++){
      pDef = &p->aDef[i];
      if( kvIndexUnder(pDef, aKey, nKey) ) rc = kvIndexTouch(pStore, pDef, aKey, nKey, mStep, bStrict, pzErr);
    }
  }
  kvIndexLeave(p);
  return rc;
}

/* ---- what others have written -------------------------------------------- */

/* One chunk of keys from a statement of the feed, with its place. */
typedef struct MaintainPlace MaintainPlace;
struct MaintainPlace {
  int eSql;
  i64 iVersion, iMost;    /* From which version on, and to which */
  KvBuf key;              /* Behind which key of it; bKey: there is one */
  int bKey;
};

static int maintainChunk(KvStore *pStore, MaintainPlace *pPlace, KvBuf *pList, u32 *pnKey, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, pPlace->eSql, &pStmt, pzErr);
  *pnKey = 0;
  kvBufReset(pList);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, pPlace->iVersion);
  kvBindInt(pStmt, 2, pPlace->iMost);
  if( pPlace->bKey ){
    kvBindBlob(pStmt, 3, pPlace->key.a, pPlace->key.n);
  }else{
    kvBindText(pStmt, 3, "");   /* before any BLOB */
  }
  kvBindInt(pStmt, 4, MAINTAIN_CHUNK);
  while( (rc = kvStep(pStmt))==SQLITE_ROW ){
    kvIndexListAdd(pList, sqlite3_column_blob(pStmt->pStmt, 0),
               (u32)sqlite3_column_bytes(pStmt->pStmt, 0));
    pPlace->iVersion = sqlite3_column_int64(pStmt->pStmt, 1);
    (*pnKey)++;
  }
  rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(pStore, rc, pzErr);
  kvStoreGive(pStore, pStmt);
  return rc==SQLITE_OK && pList->eErr!=KV_OK ? SQLITE_NOMEM : rc;
}

/* Bring up the indexes for all keys of such a statement. */
static int maintainFollow(KvStore *pStore, int eSql, i64 iAfter, i64 iMost, char **pzErr){
  KvBuf list;
  MaintainPlace place;
  const u8 *a;
  u32 n = 0, nKey = 0, i;
  int rc = SQLITE_OK;
  if( iAfter==INT64_MAX ) return SQLITE_OK;
  kvBufInit(&list, 0, 0);
  memset(&place, 0, sizeof(place));
  place.eSql = eSql;
  place.iVersion = iAfter + 1;
  place.iMost = iMost;
  do{
    rc = maintainChunk(pStore, &place, &list, &nKey, pzErr);
    for(i=0; rc==SQLITE_OK && (a = kvIndexValueNext(&list, &i, &n))!=0; ){
      rc = maintainSync(pStore, a, n, KVINDEX_TAKE|KVINDEX_ADD, 0, pzErr);
      if( i>=list.n ){
        kvBufReset(&place.key);
        kvBufAppend(&place.key, a, n);
        place.bKey = 1;
        if( place.key.eErr!=KV_OK ) rc = SQLITE_NOMEM;
      }
    }
  }while( rc==SQLITE_OK && nKey==MAINTAIN_CHUNK );
  kvBufClear(&list);
  kvBufClear(&place.key);
  return rc;
}

/* Is a key pending?  (kvSchemaKnown() has it.) */
static int maintainIsPending(KvStore *p, int *pbPending, char **pzErr){
  KvStmt *pStmt;
  int rc;
  *pbPending = 0;
  if( !(kvSchemaKnown(p) & KVKNOWN_PENDING) ) return SQLITE_OK;
  rc = kvStoreStatement(p, KVSQL_INDEX_IS_PENDING, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  rc = kvTrackStep(p, pStmt);
  *pbPending = rc==SQLITE_ROW;
  rc = rc==SQLITE_ROW || rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  kvStoreGive(p, pStmt);
  return rc;
}

int kvIndexPending(KvStore *p, int *pbPending, char **pzErr){
  int rc = kvIndexKnow(p, pzErr);
  *pbPending = 0;
  return rc==SQLITE_OK ? maintainIsPending(p, pbPending, pzErr) : rc;
}

/* Take a chunk of the pending keys. */
static int maintainTakePending(KvStore *p, KvBuf *pList, char **pzErr){
  static const int aSql[] = { KVSQL_INDEX_NEXT_PENDING, KVSQL_INDEX_TAKE_PENDING };
  KvStmt *pStmt;
  int i, rc = SQLITE_OK;
  kvBufReset(pList);
  for(i=0; rc==SQLITE_OK && i<2; i++){
    rc = kvStoreStatement(p, aSql[i], &pStmt, pzErr);
    if( rc!=SQLITE_OK ) break;
    kvBindInt(pStmt, 1, MAINTAIN_CHUNK);
    rc = i==0 ? kvIndexCollect(p, pStmt, pList, pzErr) : kvStoreRun(p, pStmt, pzErr);
  }
  return rc;
}

/* Catch up with the pending keys.  Not inside of another write, which has keys
** there that it will come to itself. */
static int maintainCatchUp(KvStore *p, char **pzErr){
  KvBuf list;
  const u8 *a;
  u32 n, i, nKey;
  int bPending = 0, rc = SQLITE_OK;
  if( !p->work.bInner ) rc = maintainIsPending(p, &bPending, pzErr);
  if( rc!=SQLITE_OK || !bPending ) return rc;
  kvBufInit(&list, 0, 0);
  do{
    rc = maintainTakePending(p, &list, pzErr);
    for(i=0, nKey=0; rc==SQLITE_OK && (a = kvIndexValueNext(&list, &i, &n))!=0; nKey++){
      rc = maintainSync(p, a, n, KVINDEX_TAKE|KVINDEX_ADD, 0, pzErr);
    }
  }while( rc==SQLITE_OK && nKey==MAINTAIN_CHUNK );
  kvBufClear(&list);
  return rc;
}

int kvIndexSwept(KvStore *p, i64 iVersion, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, track.iGeneration, pzErr);
  if( rc!=SQLITE_OK || p->pIndexes->nDef==0 ) return rc;
  return maintainFollow(p, KVSQL_TRACK_GONE, iVersion, iVersion+1, pzErr);
}

int kvIndexApplied(KvStore *p, i64 iVersion, i64 iOld, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, KVSQL_TRACK_SET_APPLIED, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, iVersion);
  kvBindInt(pStmt, 2, iOld);
  return kvStoreRun(p, pStmt, pzErr);
}

int kvIndexBegin(KvStore *p, i64 iOld, i64 iNew, char **pzErr){
  KvTrack track;
  int rc = kvIndexKnow(p, pzErr);
  if( rc!=SQLITE_OK || !(kvSchemaKnown(p) & KVKNOWN_INDEXES) ) return rc;
  if( p->pIndexes ) rc = kvIndexRefused(p->pIndexes, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( !p->work.bOwnStatement ) return KV_AGAIN;
  p->work.iVersion = iNew;
  rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, track.iGeneration, pzErr);
  if( rc!=SQLITE_OK || p->pIndexes->nDef==0 ) return rc;
  if( track.iApplied<iOld ) rc = maintainFollow(p, KVSQL_TRACK_CHANGED, track.iApplied, iOld, pzErr);
  if( rc==SQLITE_OK && (track.iApplied<iOld || p->bSwept) ){
    rc = maintainFollow(p, KVSQL_TRACK_GONE, track.iApplied, iOld+1, pzErr);
  }
  p->bSwept = 0;
  if( rc==SQLITE_OK ) rc = maintainCatchUp(p, pzErr);
  if( rc==SQLITE_OK && !track.bWanted ) rc = kvTrackForget(p, iOld, pzErr);
  return rc==SQLITE_OK ? kvIndexApplied(p, iNew, iOld, pzErr) : rc;
}

int kvIndexResume(KvStore *p, i64 iVersion, char **pzErr){
  KvTrack track;
  int rc = kvIndexKnow(p, pzErr);
  if( rc!=SQLITE_OK || !(kvSchemaKnown(p) & KVKNOWN_INDEXES) ) return rc;
  if( p->pIndexes ) rc = kvIndexRefused(p->pIndexes, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( !p->work.bOwnStatement ) return KV_AGAIN;
  p->work.iVersion = iVersion;
  rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, track.iGeneration, pzErr);
  return rc==SQLITE_OK && p->pIndexes->nDef>0 ? maintainCatchUp(p, pzErr) : rc;
}

int kvIndexStale(KvStore *p, int *pbStale, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  int bPending = 0;
  *pbStale = 0;
  if( rc==SQLITE_OK && track.bThere ) rc = kvIndexPending(p, &bPending, pzErr);
  if( rc!=SQLITE_OK || !track.bThere || (!bPending && track.iApplied>=track.iVersion) ) return rc;
  rc = kvIndexLoad(p, track.iGeneration, pzErr);
  *pbStale = rc==SQLITE_OK && p->pIndexes->nDef>0;
  return rc;
}

/* ---- what is written here ------------------------------------------------ */

int kvIndexWritten(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr){
  if( !(kvSchemaKnown(p) & KVKNOWN_INDEXES) || p->pIndexes==0 || p->pIndexes->nDef==0 ) return SQLITE_OK;
  if( p->work.pDefer ){
    kvIndexListAdd(p->work.pDefer, aKey, nKey);
    return p->work.pDefer->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  return maintainSync(p, aKey, nKey, KVINDEX_TAKE|KVINDEX_ADD, 1, pzErr);
}

void kvIndexDefer(KvStore *p, KvBuf *pList){
  if( kvSchemaKnown(p) & KVKNOWN_INDEXES ) p->work.pDefer = pList;
}

int kvIndexDeferEnd(KvStore *pStore, int rc, char **pzErr){
  KvBuf *pList = pStore->work.pDefer;
  int nPass;
  if( pList==0 ) return rc;
  pStore->work.pDefer = 0;
  if( rc==SQLITE_OK ) rc = kvIndexListSort(pList);
  for(nPass=0; nPass<2; nPass++){
    const u8 *a;
    u32 n, i = 0;
    while( rc==SQLITE_OK && (a = kvIndexValueNext(pList, &i, &n))!=0 ){
      rc = maintainSync(pStore, a, n, nPass==0 ? KVINDEX_TAKE : KVINDEX_ADD, 1, pzErr);
    }
  }
  return rc;
}
