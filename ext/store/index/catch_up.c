/*
** catch_up.c -- catching up with the keys that others have written.  See catch_up.h.
**
** A write goes through a number of dirty keys, in the order of the keys, and notes where
** the next one goes on: so nobody waits for the lock because there is much.  The later
** writes of a transaction go through a few more each, or what they write in the meantime
** would be more than what they catch up with.
**
** What a write knows of the list, KvIndexes.eFresh:
**
**            kvIndexBegin(), kvIndexResume()
**   UNKNOWN --+----------------------------> CLEAN --.   no key is dirty
**      ^      +----------------------------> DIRTY --|   one of a primary entry may be
**      |      `----------------------------> ALL <---'   one of an index entry may be, too
**      |                                      |      a statement on kv whose triggers
**      `--------------------------------------'      aren't passed over; what can't follow
**        from each of the three: the write has failed, something was rolled back, or the
**        transaction ends
*/
#include "store/store_int.h"
#include "store/index/catch_up.h"
#include "store/index/entry.h"
#include "store/index/rows.h"
#include "store/index/write.h"

/* How many keys the first write of a transaction goes through, times the number of indexes; and
** how many keys each later write of it. */
#define CATCH_LATER   16
#ifdef KV_DEBUG                        /* something is left under test */
# define CATCH_WORK   64
# define CATCH_CHUNK  5                /* keys that are read in one go */
# define CATCH_BATCH  3                /* documents that follow together */
# define CATCH_FAR    100
#else
# define CATCH_WORK   256
# define CATCH_CHUNK  64
# define CATCH_BATCH  128
# define CATCH_FAR    50000            /* tombstones go although keys are dirty */
#endif
#define CATCH_PURGE   1024             /* tombstones that go in one write */

/* A catch-up. */
typedef struct CatchUp CatchUp;
struct CatchUp {
  KvStore *pStore;
  u32 nKey;               /* Keys so far */
  u32 nDone;              /* Those that are done */
  u32 nMost;
  KvBuf place;            /* The last key */
  KvList keys;            /* The chunk */
};

static int catchUpEnough(const CatchUp *p){
  return kvFailed(&p->pStore->err) || p->nKey>=p->nMost;
}

/* Set how much there is to do. */
static void catchUpBudget(CatchUp *p){
  KvIndexes *pIndexes = &p->pStore->indexes;
  int bLater = pIndexes->iCaughtUp>0;
  if( !bLater ) pIndexes->iCaughtUp = p->pStore->txn.nSavepoint + 1;
  if( p->pStore->txn.nJoined==0 ) pIndexes->iCaughtUp = 0;
  p->nMost = CATCH_WORK/pIndexes->nDef;
  if( bLater || p->nMost<CATCH_LATER ) p->nMost = CATCH_LATER;
  if( pIndexes->bSearch ) p->nMost /= 4;   /* a document takes longer, FTS5's merges too */
}

/* What is known of the list in the write that is under way. */
static void catchUpFresh(KvStore *p, const KvDirty *pDirty){
  p->indexes.eFresh = !pDirty->bAny ? KVFRESH_CLEAN : kvDirtyOwned(p) ? KVFRESH_ALL : KVFRESH_DIRTY;
  p->indexes.bWasClean = !pDirty->bAny;
}

/* Go through some keys after the place.  Returns how many there were.  They are done before:
** what triggers of others write meanwhile is noted. */
static u32 catchUpSome(CatchUp *p){
  KvStore *pStore = p->pStore;
  u32 nMost = p->nMost - p->nKey<CATCH_CHUNK ? p->nMost - p->nKey : CATCH_CHUNK;
  KvBytes key, last = { 0, 0 };
  u32 i = 0, n;
  n = kvIndexCollect(kvStmtWith(pStore, KVSQL_DIRTY_NEXT, "bi", kvBufBytes(&p->place),
                                (i64)nMost), &p->keys, nMost);
  while( kvListNext(&p->keys, &i, &key) ) last = key;
  if( n>0 ) kvDirtyDoneTo(pStore, kvBufBytes(&p->place), last);
  for(i=0; !kvFailed(&pStore->err) && kvListNext(&p->keys, &i, &key); ){
    p->nDone += kvIndexFollow(pStore, key, KVINDEX_REMOVE|KVINDEX_ADD)!=0;
    p->nKey++;
    kvErrorCopy(&pStore->err, key, &p->place);
  }
  return n;
}

/* Go through the keys from the place on, and once more from the first. */
static void catchUpAll(CatchUp *p){
  int nPass = p->place.n>0 ? 2 : 1;
  while( nPass>0 && !catchUpEnough(p) ){
    if( catchUpSome(p)>=CATCH_CHUNK || catchUpEnough(p) ) continue;
    nPass--;
    kvBufReset(&p->place);
  }
}

/* Catch up with what the budget allows; then some tombstones can go. */
static void catchUpRun(CatchUp *p){
  KvStore *pStore = p->pStore;
  KvDirty dirty;
  KvStmt *pStmt = kvStmtTake(pStore, KVSQL_DIRTY_PLACE);
  u32 nWas;
  if( kvStmtRow(pStmt) ) kvErrorCopy(&pStore->err, kvStmtBytes(pStmt, 0), &p->place);
  kvStmtGive(pStmt);
  nWas = p->place.n;
  catchUpAll(p);
  if( nWas>0 || p->place.n>0 ){
    kvStmtRun(kvStmtWith(pStore, KVSQL_DIRTY_SET_PLACE, "b", kvBufBytes(&p->place)));
  }
  if( kvDirtyGet(pStore, &dirty) ){
    catchUpFresh(pStore, &dirty);
    if( (!dirty.bAny && dirty.bMore) || dirty.iNewest-dirty.iSince>CATCH_FAR ){
      kvDirtyPurge(pStore, CATCH_PURGE);
    }
  }
  pStore->pWrite->nCaughtUp = p->nDone;
  kvBufClear(&p->place);
  kvListClear(&p->keys);
}

/* ---- writing --------------------------------------------------------------- */

void kvIndexReady(KvStore *p){
  if( !(kvSchemaKnow(p) & KVKNOWN_INDEXES) ) return;
  kvIndexRefuse(p);
  if( !p->pWrite->bSavepoint ) kvErrorCode(&p->err, KV_AGAIN);
}

/* Writing begins or goes on with a version. */
static void catchUpOpen(KvStore *p, i64 iVersion){
  KvIndexes *pIndexes = &p->indexes;
  KvDirty dirty;
  p->pWrite->nCaughtUp = 0;
  pIndexes->eFresh = KVFRESH_UNKNOWN;
  p->pWrite->bGuard = 0;
  kvIndexReady(p);
  if( !(kvSchemaKnown(p) & KVKNOWN_INDEXES) ) return;
  p->pWrite->iVersion = iVersion;
  if( !kvDirtyGet(p, &dirty) || kvIndexLoad(p, dirty.iGeneration)==0 ) return;
  p->pWrite->bGuard = 1;
  catchUpFresh(p, &dirty);
  if( p->pWrite->bInner || (p->pWrite->bLater && pIndexes->bSearch) ) return;   /* kvIndexBatch() */
  if( dirty.bAny ){
    CatchUp c = { .pStore = p };
    catchUpBudget(&c);
    catchUpRun(&c);
  }else if( dirty.bMore ){
    kvDirtyPurge(p, CATCH_PURGE);
  }
}

void kvIndexBegin(KvStore *p, i64 iVersion){
  catchUpOpen(p, iVersion);
}

void kvIndexResume(KvStore *p, i64 iVersion, int bLast){
  u32 iSchema = p->schema.iSchema;
  if( bLast && p->indexes.eFresh==KVFRESH_CLEAN && !p->pWrite->bInner && p->pWrite->bSavepoint
   && kvSchemaCount(p)==iSchema
  ){
    p->pWrite->iVersion = iVersion;
    p->pWrite->bGuard = 1;
    kvIndexRefuse(p);
    return;
  }
  catchUpOpen(p, iVersion);
}

/* They are in the list, with their index entries. */
void kvIndexSwept(KvStore *p){
  CatchUp c = { .pStore = p, .nMost = CATCH_LATER };
  if( p->indexes.eFresh==KVFRESH_UNKNOWN || p->pWrite->bInner ) return;
  p->indexes.eFresh = KVFRESH_ALL;
  catchUpRun(&c);
}

void kvIndexBatch(KvStore *p){
  CatchUp c = { .pStore = p, .nMost = CATCH_BATCH };
  if( p->search.nWait<CATCH_BATCH || p->pWrite->bInner || kvFailed(&p->err) ) return;
  p->search.nWait = 0;
  catchUpRun(&c);
}

/* ---- what is claimed ------------------------------------------------------- */

/* Whether any index is unique. */
static int catchUpUnique(const KvStore *p){
  u32 i;
  for(i=0; i<kvIndexCount(p); i++){
    if( kvIndexAt(p, i)->mOptions & KVINDEX_UNIQUE ) return 1;
  }
  return 0;
}

int kvIndexAhead(KvStore *p){
  u32 mKnown = kvSchemaKnown(p);
  if( sqlite3_txn_state(p->db, p->zSchema)==SQLITE_TXN_WRITE ) return 0;
  if( p->indexes.bLoaded && (p->indexes.bWasClean || !catchUpUnique(p)) ) return 0;
  return (mKnown & KVKNOWN_INDEXES) || !(mKnown & KVKNOWN_LOOKED);
}

void kvIndexReadAhead(KvStore *p){
  KvStmt *pPin;
  KvDirty dirty;
  u32 i;
  if( kvFailed(&p->err) || !(kvSchemaLook(p) & KVKNOWN_INDEXES) ) return;
  pPin = kvDirtyPin(p, &dirty);
  if( pPin && dirty.bAny && kvIndexLoad(p, dirty.iGeneration)>0 ){
    for(i=0; i<kvIndexCount(p); i++){
      const KvIndexDef *pDef = kvIndexAt(p, i);
      if( pDef->mOptions & KVINDEX_UNIQUE ) kvRowsClose(kvRowsOpen(p, pDef, &dirty));
    }
  }
  kvStmtGive(pPin);
  /* The write waits, or comes upon it again: it may be that the tables are gone */
  if( (p->err.rc & 0xff)==SQLITE_BUSY || p->err.rc==SQLITE_ERROR ) kvErrorClear(&p->err);
}

void kvIndexFailed(KvStore *p){
  if( !kvFailed(&p->err) ) return;
  p->indexes.iCaughtUp = 0;
  p->indexes.eFresh = KVFRESH_UNKNOWN;
  kvOverlaysUndone(p);
}

int kvIndexStale(KvStore *p){
  KvDirty dirty;
  if( !kvDirtyGet(p, &dirty) || kvIndexLoad(p, dirty.iGeneration)==0 ) return 0;
  return dirty.bAny ? KVSTALE_DIRTY : dirty.bMore ? KVSTALE_DONE : 0;
}

u32 kvIndexCaughtUp(const KvStore *p){
  return p->pWrite->nCaughtUp;
}
