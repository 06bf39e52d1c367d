/*
** index_catch_up.c -- catching up with what others have written to an indexed prefix.
** See index_catch_up.h.
**
** The feed tells the keys, by version.  A transaction goes through as many of them as a
** short time allows, and notes the place where the next one goes on: so nobody waits for
** the lock because there is much.  Primaries come first: whose an index entry is that
** others have written is known once all of them have been followed.  The later writes of
** a transaction go through a few more each, or what they write in the meantime would be
** more than what they catch up with.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/index_catch_up.h"
#include "store/index_claims.h"
#include "store/index_entry.h"
#include "store/index_gap.h"
#include "store/index_maintain.h"
#include "store/index_migrate.h"
#include "store/migrate.h"
#include "store/search.h"

/* How many keys a transaction goes through in any case, and in CATCH_MS milliseconds at
** most; and each later write of it. */
#define CATCH_LEAST   64
#define CATCH_MS      10
#define CATCH_LATER   16
#ifdef KV_DEBUG                        /* there are gaps under test */
# define CATCH_MOST   CATCH_LEAST
# define CATCH_CHUNK  5                /* keys that are read in one go */
#else
# define CATCH_MOST   4096
# define CATCH_CHUNK  64
#endif

/* A catch-up. */
typedef struct CatchUp CatchUp;
struct CatchUp {
  KvStore *pStore;
  i64 iGap;               /* The last version to catch up with */
  u32 nKey;               /* Keys so far, with those that are only passed over */
  u32 nLeast, nMost;
  i64 iUntil;             /* Time after which nLeast keys are enough */
  KvGapPlace aPlace[KVGAP_COUNT];
  u8 abEnd[KVGAP_COUNT];
  KvList keys;            /* The chunk: keys, and their versions */
  i64 aVersion[CATCH_CHUNK];
};

static int catchUpEnough(const CatchUp *p){
  return kvFailed(&p->pStore->err) || p->nKey>=p->nMost
      || (p->nKey>=p->nLeast && kvNow()>=p->iUntil);
}

/* Whether what is written now is all that changes the indexes. */
static void catchUpTrust(KvStore *p, int bTrust){
  p->indexes.bTrust = p->indexes.bSettled = bTrust!=0;
  p->work.iOwn = bTrust ? p->indexes.iOwn : 0;
}

/* Set how much there is to do. */
static void catchUpBudget(CatchUp *p){
  KvStore *pStore = p->pStore;
  u32 iData = kvFeedData(pStore);
  int bLater = pStore->indexes.bCaughtUp && pStore->indexes.iCaughtUp==iData;
  if( !bLater ) pStore->indexes.iCaughtLevel = pStore->txn.nSavepoint;
  pStore->indexes.bCaughtUp = 1;
  pStore->indexes.iCaughtUp = iData;
  p->nLeast = bLater ? CATCH_LATER : CATCH_LEAST;
  p->nMost = bLater ? CATCH_LATER : CATCH_MOST;
  p->iUntil = kvNow() + CATCH_MS;
  if( pStore->indexes.bSearch ){       /* a document takes longer, FTS5's merges too */
    p->nLeast /= 4;
    p->iUntil -= CATCH_MS/2;
  }
}

/* The last version of a part of the feed: an expired entry that another program has
** removed is a deletion of the version to come. */
static i64 catchUpMost(const CatchUp *p, int ePlace){
  return p->iGap + (ePlace==KVGAP_GONE || ePlace==KVGAP_OWNED_GONE);
}

/* Read the keys from a place on.  Returns how many. */
static u32 catchUpRead(CatchUp *p, int ePlace){
  static const int aSql[KVGAP_COUNT] = {
    KVSQL_FEED_CHANGED, KVSQL_FEED_GONE, KVSQL_FEED_CHANGED, KVSQL_FEED_GONE
  };
  KvStmt *pStmt = kvStmtTake(p->pStore, aSql[ePlace]);
  u32 n = 0;
  kvBindInt(pStmt, 1, p->aPlace[ePlace].iVersion);
  kvBindInt(pStmt, 2, catchUpMost(p, ePlace));
  kvGapPlaceBind(pStmt, 3, &p->aPlace[ePlace]);
  kvBindInt(pStmt, 4, CATCH_CHUNK);
  kvListReset(&p->keys);
  for(; n<CATCH_CHUNK && kvStmtRow(pStmt); n++){
    kvListAdd(&p->keys, kvStmtBytes(pStmt, 0));
    p->aVersion[n] = kvStmtInt(pStmt, 1);
  }
  kvStmtGive(pStmt);
  kvErrorBuf(&p->pStore->err, &p->keys.bytes);
  return n;
}

/* Go through some keys of a part of the feed. */
static void catchUpSome(CatchUp *p, int ePlace){
  KvGapPlace *pPlace = &p->aPlace[ePlace];
  KvBytes key = { 0, 0 };
  u32 i = 0, iKey = 0, n = catchUpRead(p, ePlace);
  while( !catchUpEnough(p) && kvListNext(&p->keys, &i, &key) ){
    int bOwned = kvIndexOwner(p->pStore, key)!=0;
    if( bOwned==(ePlace>=KVGAP_PRIMARY) ){
      kvIndexFollow(p->pStore, key, KVINDEX_REMOVE|KVINDEX_ADD);
    }
    iKey++;
    p->nKey++;
  }
  if( iKey>0 ) kvGapPlaceCopy(p->pStore, pPlace, p->aVersion[iKey-1], key);
  if( iKey==n && n<CATCH_CHUNK ){
    p->abEnd[ePlace] = 1;
    kvGapPlaceAt(pPlace, p->iGap+1);
  }
}

/* Go through entries and deletions, each time what is older.  True if that is all. */
static int catchUpParts(CatchUp *p, int eChanged){
  int eGone = eChanged + 1;
  while( !catchUpEnough(p) && !(p->abEnd[eChanged] && p->abEnd[eGone]) ){
    int bOlder = p->aPlace[eGone].iVersion<p->aPlace[eChanged].iVersion;
    int bGone = p->abEnd[eChanged] || (!p->abEnd[eGone] && bOlder);
    catchUpSome(p, bGone ? eGone : eChanged);
  }
  return p->abEnd[eChanged] && p->abEnd[eGone];
}

/* Go through primaries, then the entries of indexes.  True if that is all. */
static int catchUpRun(CatchUp *p){
  return catchUpParts(p, KVGAP_CHANGED) && catchUpParts(p, KVGAP_OWNED_CHANGED);
}

static void catchUpClear(CatchUp *p){
  int i;
  for(i=0; i<KVGAP_COUNT; i++) kvBufClear(&p->aPlace[i].key);
  kvListClear(&p->keys);
}

/* Entries of unique indexes that others have written from a place on, up to a version, may
** be those of primaries that are yet to be followed: kvIndexEntryIsOf(). */
static void catchUpUnjudged(KvStore *p, const KvGapPlace *pFrom, i64 iEnd){
  KvIndexes *pIndexes = &p->indexes;
  pIndexes->bUnjudged = 1;
  pIndexes->iUnjudged = pFrom->iVersion;
  pIndexes->iUnjudgedEnd = iEnd;
  kvErrorCopy(&p->err, kvBufBytes(&pFrom->key), &pIndexes->unjudged);
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

/* Add what an entry claims. */
static void catchUpClaim(KvStore *p, KvBytes pk, int eEncoding, KvBytes value){
  KvList *pWanted = &p->indexWork.wanted;
  u32 k;
  if( kvIndexOwner(p, pk) ) return;
  for(k=0; k<kvIndexCount(p); k++){
    const KvIndexDef *pDef = kvIndexAt(p, k);
    KvBytes ik;
    u32 i = 0;
    if( !(pDef->mOptions & KVINDEX_UNIQUE) || !kvIndexDefCovers(pDef, pk) ) continue;
    kvListReset(pWanted);
    kvIndexEntryKeys(p, pDef, pk, eEncoding, value, pWanted);
    while( kvListNext(pWanted, &i, &ik) ) kvClaimsAdd(&p->claims, ik, pk);
  }
}

/* Add the entries from a place on, up to a version. */
static void catchUpClaimRange(KvStore *p, const KvGapPlace *pFrom, i64 iMost){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_INDEX_CLAIMS);
  kvBindInt(pStmt, 1, pFrom->iVersion);
  kvBindInt(pStmt, 2, iMost);
  kvGapPlaceBind(pStmt, 3, pFrom);
  while( kvStmtRow(pStmt) ){
    KvBytes value = kvStmtBytes(pStmt, 2);
    if( sqlite3_column_type(pStmt->pStmt, 2)!=SQLITE_BLOB ) continue;
    catchUpClaim(p, kvStmtBytes(pStmt, 0), (int)kvStmtInt(pStmt, 3), value);
    kvErrorBuf(&p->err, &p->claims.rows);
  }
  kvStmtGive(pStmt);
}

/*
** Bring the claims up to a state of the feed.  They have all that was committed before
** the newest version by then, and of that version what there was: another program may
** add to it.  Those of a gap are complete if they were for this very gap, of which the
** end does not move until a write moves it.
*/
static void catchUpClaims(KvStore *p, const KvFeed *pFeed, i64 iNewest){
  KvClaims *pClaims = &p->claims;
  KvGapPlace from = { 0, { 0 } };
  int bSame = pClaims->bClean && pClaims->iData==kvFeedData(p);
  int bKnown = pClaims->bThere && pClaims->iGeneration==pFeed->iGeneration
            && (pClaims->iSchema==p->schema.iSchema || (pClaims->bAhead && bSame));
  int bGap;
  if( bKnown && bSame ) return;
  if( !bKnown ){
    u8 bClean = pClaims->bClean;
    kvClaimsClear(pClaims);
    pClaims->bClean = bClean;
    pClaims->iVersion = INT64_MIN;
  }
  bGap = pFeed->bGap
      && !(bKnown && (pClaims->iNonce==pFeed->iNonce || pClaims->iNonceWas==pFeed->iNonce));
  if( bGap ){
    kvGapPlaceGet(p, pFeed, KVGAP_CHANGED, &from);
    if( from.iVersion<pClaims->iVersion ) kvGapPlaceAt(&from, pClaims->iVersion);
    catchUpClaimRange(p, &from, pFeed->iGap);
  }
  kvGapPlaceAt(&from, pFeed->iDone<INT64_MAX ? pFeed->iDone+1 : INT64_MAX);
  if( from.iVersion<pClaims->iVersion ) from.iVersion = pClaims->iVersion;
  catchUpClaimRange(p, &from, iNewest);
  kvBufClear(&from.key);
  pClaims->bThere = 1;
  pClaims->iGeneration = pFeed->iGeneration;
  pClaims->iSchema = p->schema.iSchema;
  pClaims->iNonce = pFeed->bGap ? pFeed->iNonce : 0;
  if( pClaims->bClean ){
    pClaims->iVersion = iNewest;
    pClaims->iData = kvFeedData(p);
  }
  if( kvFailed(&p->err) ) kvClaimsClear(pClaims);
}

/* The claims are complete for a gap that is being stored.  Once that is committed they are
** those of all versions up to its end. */
static void catchUpClaimed(KvStore *p, const KvFeed *pFeed){
  p->claims.iNonceWas = p->claims.iNonce;
  p->claims.iNonce = pFeed->iNonce;
  p->claims.bInUse = 1;
  p->claims.iCommit = p->txn.nJoined>0 && !p->txn.bUntold ? pFeed->iGap+1 : INT64_MIN;
}

int kvIndexAhead(KvStore *p){
  u32 mKnown = kvSchemaKnown(p);
  p->indexes.bCaughtUpWas = p->indexes.bCaughtUp;
  p->claims.bAhead = 0;
  p->claims.bClean = sqlite3_txn_state(p->db, p->zSchema)!=SQLITE_TXN_WRITE;
  if( !p->claims.bClean || (p->indexes.bLoaded && !catchUpUnique(p)) ) return 0;
  return (mKnown & KVKNOWN_INDEXES) || !(mKnown & KVKNOWN_LOOKED);
}

void kvIndexReadAhead(KvStore *p){
  KvStmt *pPin;
  KvFeed feed;
  if( kvFailed(&p->err) || !(kvSchemaLook(p) & KVKNOWN_INDEXES) ) return;
  pPin = kvFeedPin(p, &feed);
  if( pPin && feed.iApplied<feed.iVersion && kvIndexLoad(p, feed.iGeneration)>0
   && catchUpUnique(p)
  ){
    catchUpClaims(p, &feed, feed.iVersion);
    p->claims.bAhead = p->claims.bThere;
  }
  kvStmtGive(pPin);
  /* The write waits, or comes upon it again: it may be that the tables are gone */
  if( (p->err.rc & 0xff)==SQLITE_BUSY || p->err.rc==SQLITE_ERROR ) kvErrorClear(&p->err);
}

void kvIndexFailed(KvStore *p){
  int rc = p->err.rc & 0xff;
  p->claims.bAhead = 0;
  if( kvFailed(&p->err) ) p->indexes.bCaughtUp = p->indexes.bCaughtUpWas;
  if( kvFailed(&p->err) && rc!=SQLITE_CONSTRAINT && rc!=SQLITE_BUSY ) kvClaimsClear(&p->claims);
}

/* ---- keys that no version tells of ----------------------------------------- */

/* Catch up with the pending keys.  Not inside of another write, which has keys
** there that it will come to itself.  All of them if uniqueness depends on it. */
static void catchUpPending(CatchUp *p){
  const i64 nChunk = CATCH_CHUNK;
  KvStore *pStore = p->pStore;
  int bAll = catchUpUnique(pStore);
  KvBytes key;
  u32 i, nKey;
  if( pStore->work.bInner || !pStore->indexes.bPending ) return;
  if( p->nMost==0 ) catchUpBudget(p);
  do{
    i = 0;
    nKey = kvIndexCollect(kvStmtWith(pStore, KVSQL_INDEX_PENDING_NEXT, "i", nChunk), &p->keys,
                          CATCH_CHUNK);
    kvStmtRun(kvStmtWith(pStore, KVSQL_INDEX_PENDING_DELETE, "i", nChunk));
    while( kvListNext(&p->keys, &i, &key) ){
      kvIndexFollow(pStore, key, KVINDEX_REMOVE|KVINDEX_ADD);
    }
    p->nKey += nKey;
  }while( nKey==CATCH_CHUNK && !kvFailed(&pStore->err) && (bAll || !catchUpEnough(p)) );
}

/* Catch up with what full-text indexes wait for; a statement of many rows does it itself. */
static void catchUpWaiting(CatchUp *p){
  KvStore *pStore = p->pStore;
  u32 k = 0;
  if( pStore->work.bInner || pStore->work.bLater || !pStore->indexes.bSearch ) return;
  while( k<kvIndexCount(pStore) && !kvFailed(&pStore->err) ){
    const KvIndexDef *pDef = kvIndexAt(pStore, k);
    u32 n = 0;
    if( p->nMost==0 ) catchUpBudget(p);
    if( pDef->mOptions & KVINDEX_SEARCH ){
      n = kvIndexWaiting(pStore, pDef, &p->keys, CATCH_CHUNK);
    }
    p->nKey += n;
    if( n==0 || catchUpEnough(p) ) k++;
  }
}

/* ---- writing --------------------------------------------------------------- */

void kvIndexSwept(KvStore *p, i64 iVersion){
  CatchUp c = { .pStore = p, .iGap = iVersion, .nLeast = UINT32_MAX, .nMost = UINT32_MAX };
  KvFeed feed;
  kvFeedGet(p, &feed);
  if( kvIndexLoad(p, feed.iGeneration)==0 ) return;
  kvGapPlaceAt(&c.aPlace[KVGAP_GONE], iVersion+1);
  kvGapPlaceAt(&c.aPlace[KVGAP_OWNED_GONE], iVersion+1);
  c.abEnd[KVGAP_CHANGED] = c.abEnd[KVGAP_OWNED_CHANGED] = 1;
  catchUpRun(&c);
  catchUpClear(&c);
}

void kvIndexApplied(KvStore *p, i64 iVersion){
  KvFeed feed;
  if( kvFeedGet(p, &feed) ) kvGapNone(p, &feed, iVersion, 0);
}

/* Writing begins or goes on with a version.  Returns how many indexes there are, 0
** after an error. */
static u32 catchUpOpen(KvStore *p, i64 iVersion, KvFeed *pFeed){
  if( !(kvSchemaKnow(p) & KVKNOWN_INDEXES) ) return 0;
  kvIndexRefuse(p);
  if( !p->work.bSavepoint ) kvErrorCode(&p->err, KV_AGAIN);
  kvIndexMigrate(p);
  kvMigrateTriggers(p);
  if( kvFailed(&p->err) ) return 0;
  p->work.iVersion = iVersion;
  catchUpTrust(p, 0);
  p->indexes.bUnjudged = 0;
  kvFeedGet(p, pFeed);
  p->indexes.iOwn = pFeed->bWanted ? KVOWN_NOTED : KVOWN_QUIET;
  if( kvIndexLoad(p, pFeed->iGeneration)==0 ) return 0;
  p->indexes.bPending = kvIndexPending(p)!=0;
  return kvIndexCount(p);
}

/* The indexes have caught up, or with as much as there is time for.  An overlay of the gap
** may have what a pending key was before. */
static void catchUpDone(CatchUp *p, const KvFeed *pFeed){
  KvStore *pStore = p->pStore;
  catchUpPending(p);
  catchUpWaiting(p);
  if( pStore->indexes.bPending && pFeed->bGap ){
    pStore->indexes.iGeneration = kvFeedGeneration(pStore);
    pStore->claims.iGeneration = pStore->indexes.iGeneration;
  }
  catchUpTrust(pStore, !pFeed->bGap && !pStore->indexes.bPending && !pStore->work.bInner);
  catchUpClear(p);
}

/* Catch up with what is before version iMore, and with the gap.  The indexes have then
** seen all up to iVersion but for what is left. */
static void catchUp(CatchUp *p, KvFeed *pFeed, i64 iMore, i64 iVersion){
  KvStore *pStore = p->pStore;
  int i;
  p->iGap = iMore>pFeed->iGap ? iMore : pFeed->iGap;
  for(i=0; i<KVGAP_COUNT; i++) kvGapPlaceGet(pStore, pFeed, i, &p->aPlace[i]);
  catchUpUnjudged(pStore, &p->aPlace[KVGAP_OWNED_CHANGED], p->iGap);
  if( catchUpRun(p) ){
    pStore->indexes.bUnjudged = 0;
    kvGapNone(pStore, pFeed, iVersion, iVersion);
    pFeed->bGap = 0;
    kvClaimsClear(&pStore->claims);
  }else if( !kvFailed(&pStore->err) ){
    int bUnique = catchUpUnique(pStore);
    i64 iNonce;
    sqlite3_randomness(sizeof(iNonce), &iNonce);
    catchUpUnjudged(pStore, &p->aPlace[KVGAP_OWNED_CHANGED], p->iGap);
    if( bUnique ) catchUpClaims(pStore, pFeed, p->iGap);
    pFeed->iNonce = iNonce;
    kvGapSet(pStore, pFeed, iVersion, p->iGap, p->aPlace);
    if( bUnique ) catchUpClaimed(pStore, pFeed);
  }
}

void kvIndexBegin(KvStore *p, i64 iOld, i64 iNew){
  CatchUp c;
  KvFeed feed;
  if( catchUpOpen(p, iNew, &feed)==0 ) return;
  c = (CatchUp){ .pStore = p };
  p->claims.bInUse = 0;
  if( feed.bGap || feed.iDone<iOld || p->bSwept ){
    catchUpBudget(&c);
    catchUp(&c, &feed, feed.iDone<iOld || p->bSwept ? iOld : feed.iGap, iNew);
  }else{
    kvGapNone(p, &feed, iNew, iNew);
  }
  p->bSwept = 0;
  if( !feed.bWanted ){
    kvStmtRun(kvStmtWith(p, KVSQL_FEED_FORGET, "i", feed.bGap ? feed.iApplied : iOld));
  }
  catchUpDone(&c, &feed);
}

void kvIndexResume(KvStore *p, i64 iVersion, int bLast){
  CatchUp c;
  KvFeed feed;
  u32 iSchema = p->schema.iSchema;
  if( bLast && p->indexes.bSettled && !p->work.bInner && p->work.bSavepoint
   && kvSchemaCount(p)==iSchema
  ){
    p->work.iVersion = iVersion;
    kvIndexRefuse(p);
    catchUpTrust(p, 1);
    return;
  }
  if( catchUpOpen(p, iVersion, &feed)==0 ) return;
  c = (CatchUp){ .pStore = p };
  p->claims.bInUse = 0;
  if( feed.bGap ){
    catchUpBudget(&c);
    catchUp(&c, &feed, feed.iGap, feed.iDone);
  }
  catchUpDone(&c, &feed);
}

int kvIndexStale(KvStore *p){
  KvFeed feed;
  u32 i;
  if( !kvFeedGet(p, &feed) || kvIndexLoad(p, feed.iGeneration)==0 ) return 0;
  if( kvIndexPending(p) || feed.iApplied<feed.iVersion ) return 1;
  for(i=0; p->indexes.bSearch && i<kvIndexCount(p); i++){
    if( kvSearchWaits(p, kvIndexAt(p, i)) ) return 1;
  }
  return 0;
}
