/*
** index_scan.c -- reading a declared index.  See index_scan.h.
**
** A scan merges two runs of rows (ik, pk) in the order of their bytes: those
** that are stored, and those that the overlay holds for the primary entries
** which have changed since the last index maintenance.  Stored rows that belong
** to such an entry are passed over.
**
**   stored         ["c","blue"] 1   ["c","red"] 2   ["c","red"] 3
**   changed since  2: blue now, 3: deleted
**   overlay        ["c","blue"] 2
**   the scan       ["c","blue"] 1   ["c","blue"] 2
**
** The stored rows of a unique index are in kv_index_value.  Those of any other one are
** the index entries in kv, whose keys tell the primary ones.  So there the primary
** entries of index entries that another program has changed count as changed, too; and
** those with a key that is too long for kv.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/feed.h"
#include "store/index_maintain.h"
#include "store/index_scan.h"
#include "store/index_entry.h"
#include "store/index_gap.h"
#include "store/index_held.h"
#include "store/index_migrate.h"
#include "store/row.h"
#include <stdlib.h>

/* Where the rows of an index are: kv, kv_index_value, or a table of an older version. */
enum { SCAN_KV, SCAN_VALUES, SCAN_OLD };

/* Rows that were added at one time: for each pk it, each ik, and an empty string. */
typedef struct IndexOverPart IndexOverPart;
struct IndexOverPart {
  KvList rows;
  IndexOverPart *pNext;
};

/* A row: in order by ik, then by pk. */
typedef struct IndexOverRow IndexOverRow;
struct IndexOverRow {
  KvBytes ik, pk;
};

struct KvOverlay {
  u32 nRef;
  KvOverlay *pNext;       /* List of those that are kept */
  KvBuf name;             /* Name of the index */
  u32 iSchema;            /* KvSchema.iSchema and kvFeedData() when it was made */
  u32 iData;
  KvFeed feed;            /* Its state, which it is of */
  u8 bPending;            /* It has pending keys, too, which no version counts */
  KvMap changed;          /* Primary keys; iValue: nPart when it changed last, doubled, and
                          ** 1 if nChanged counts it */
  u32 nChanged;           /* Those that were written themselves */
  u8 eSource;             /* SCAN_xxx */
  u32 nPart;
  IndexOverPart *pParts;
  u64 nByte, nFirst;      /* Bytes of all parts and of the first one */
  IndexOverRow *aRow;     /* Rows of the parts that still hold, sorted */
  u32 nRow;
};

/* Give one back. */
static void indexOverClose(KvOverlay *p){
  if( p==0 || --p->nRef>0 ) return;
  while( p->pParts ){
    IndexOverPart *pPart = p->pParts;
    p->pParts = pPart->pNext;
    kvListClear(&pPart->rows);
    sqlite3_free(pPart);
  }
  kvBufClear(&p->name);
  kvMapClear(&p->changed);
  sqlite3_free(p->aRow);
  sqlite3_free(p);
}

void kvOverlaysForget(KvStore *p){
  while( p->pOverlays ){
    KvOverlay *pOver = p->pOverlays;
    p->pOverlays = pOver->pNext;
    indexOverClose(pOver);
  }
}

u32 kvOverlayChanged(const KvOverlay *p){
  return p->nChanged;
}

static int indexOverCompare(const IndexOverRow *pA, const IndexOverRow *pB){
  int c = kvBytesCompare(pA->ik, pB->ik);
  return c ? c : kvBytesCompare(pA->pk, pB->pk);
}

/* Row i. */
static const IndexOverRow *indexOverAt(const KvOverlay *p, u32 i){
  KV_ASSERT( i<p->nRow );
  KV_ASSERT( i==0 || indexOverCompare(&p->aRow[i-1], &p->aRow[i])<0 );
  return &p->aRow[i];
}

/* The number of the first row whose ik is not before the key. */
static u32 indexOverFind(const KvOverlay *p, KvBytes key){
  u32 iLo = 0, iHi = p->nRow;
  while( iLo<iHi ){
    u32 iMid = iLo + (iHi-iLo)/2;
    if( kvBytesCompare(p->aRow[iMid].ik, key)<0 ) iLo = iMid+1;
    else iHi = iMid;
  }
  return iLo;
}

/* ---- making one ------------------------------------------------------------ */

/* A primary entry has changed.  0 if that is known of this part. */
static KvMapItem *indexOverMark(KvStore *p, KvOverlay *pOver, KvBytes pk, int bWritten){
  KvMapItem *pItem = kvMapAdd(&pOver->changed, pk);
  i64 iWas = pItem ? pItem->iValue : 0;
  if( pItem==0 ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
    return 0;
  }
  if( bWritten && !(iWas & 1) ) pOver->nChanged++;
  pItem->iValue = 2*(i64)pOver->nPart + ((iWas & 1) | bWritten);
  return iWas>>1==pOver->nPart ? 0 : pItem;
}

/* Add the rows that an entry's value asks for. */
static void indexOverAsk(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, int eEncoding, KvBytes value, KvList *pList
){
  kvListAdd(pList, pk);
  kvIndexEntryKeys(p, pDef, pk, eEncoding, value, pList);
  kvListAdd(pList, kvBytes(0, 0));
  kvErrorBuf(&p->err, &pList->bytes);
}

/* Add a primary entry as it is, although nothing tells that it was written. */
static void indexOverLook(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, KvBytes pk, KvList *pList
){
  KvFound found = { 0 };
  if( !kvIndexDefCovers(pDef, pk) || kvIndexOwner(p, pk) ) return;
  if( !indexOverMark(p, pOver, pk, 0) ) return;
  if( kvRowFind(p, pk, -1, 1, &found) ){
    indexOverAsk(p, pDef, pk, found.eEncoding, kvBufBytes(&found.v), pList);
  }
  kvBufClear(&found.v);
}

/* Add a changed primary entry, and the rows that its value asks for to pList. */
static void indexOverChange(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, KvStmt *pStmt, KvList *pList
){
  KvBytes pk = kvStmtBytes(pStmt, 0);
  if( !kvIndexDefCovers(pDef, pk) || kvIndexOwner(p, pk) ) return;
  indexOverMark(p, pOver, pk, 1);
  if( kvStmtInt(pStmt, 5) || sqlite3_column_type(pStmt->pStmt, 3)!=SQLITE_BLOB ) return;
  indexOverAsk(p, pDef, pk, (int)kvStmtInt(pStmt, 4), kvStmtBytes(pStmt, 3), pList);
}

/* Add the primary entries of index entries that a statement shows as changed. */
static void indexOverOwned(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, KvStmt *pStmt, KvList *pList
){
  KvBuf pk = { 0 };
  kvBindBytes(pStmt, 2, pDef->name);
  kvBindBytes(pStmt, 3, pDef->nameEnd);
  while( kvFeedRow(pStmt) ){
    KvBytes ik = kvStmtBytes(pStmt, 0);
    if( !kvIndexDefOwns(pDef, ik) || !kvIndexHolder(pDef, ik, &pk) ) continue;
    kvErrorBuf(&p->err, &pk);
    indexOverLook(p, pDef, pOver, kvBufBytes(&pk), pList);
  }
  kvStmtGive(pStmt);
  kvBufClear(&pk);
}

/* Add what a statement shows as changed. */
static void indexOverRead(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, KvStmt *pStmt, KvList *pList
){
  kvBindBytes(pStmt, 2, pDef->prefix);
  if( pDef->prefix.n ) kvBindBytes(pStmt, 3, pDef->prefixEnd);
  while( kvFeedRow(pStmt) ) indexOverChange(p, pDef, pOver, pStmt, pList);
  kvStmtGive(pStmt);
}

/* A statement for what has changed since the places, up to a version. */
static KvStmt *indexOverSince(KvStore *p, const KvGapPlace *aPlace, i64 iMost){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_INDEX_CHANGES);
  kvBindInt(pStmt, 1, aPlace[KVGAP_CHANGED].iVersion);
  kvGapPlaceBind(pStmt, 5, &aPlace[KVGAP_CHANGED]);
  kvBindInt(pStmt, 6, aPlace[KVGAP_GONE].iVersion);
  kvGapPlaceBind(pStmt, 7, &aPlace[KVGAP_GONE]);
  kvBindInt(pStmt, 4, iMost);
  return pStmt;
}

/* Add what has changed since the places, of primary entries and of index entries, up to a
** version. */
static void indexOverRange(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, const KvGapPlace *aPlace, i64 iMost
){
  KvList *pList = &pOver->pParts->rows;
  indexOverRead(p, pDef, pOver, indexOverSince(p, aPlace, iMost), pList);
  if( pOver->eSource!=SCAN_KV ) return;
  indexOverOwned(p, pDef, pOver, indexOverSince(p, &aPlace[KVGAP_PRIMARY], iMost), pList);
}

/* Add the gap of the catch-up. */
static void indexOverGap(KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver){
  const KvFeed *pFeed = &pOver->feed;
  KvGapPlace aPlace[KVGAP_COUNT];
  int i;
  for(i=0; i<KVGAP_COUNT; i++) kvGapPlaceGet(p, pFeed, i, &aPlace[i]);
  indexOverRange(p, pDef, pOver, aPlace, pFeed->iGap+1);
  for(i=0; i<KVGAP_COUNT; i++) kvBufClear(&aPlace[i].key);
}

/* Add what has changed after a version. */
static void indexOverAfter(KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, i64 iAfter){
  KvGapPlace aPlace[KVGAP_COUNT];
  int i;
  if( iAfter==INT64_MAX ) return;
  memset(aPlace, 0, sizeof(aPlace));
  for(i=0; i<KVGAP_COUNT; i++) aPlace[i].iVersion = iAfter+1;
  indexOverRange(p, pDef, pOver, aPlace, INT64_MAX);
}

/* Add the primary entries of index entries that have no place in kv. */
static void indexOverLong(KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_INDEX_LONG, "bb", pDef->name, pDef->nameEnd);
  while( kvFeedRow(pStmt) ){
    indexOverLook(p, pDef, pOver, kvStmtBytes(pStmt, 0), &pOver->pParts->rows);
  }
  kvStmtGive(pStmt);
}

static int indexOverQsort(const void *pA, const void *pB){
  return indexOverCompare(pA, pB);
}

/* The rows of a list, sorted, at aRow; those that occur twice are dropped.  Returns
** how many. */
static u32 indexOverRows(const KvList *pList, IndexOverRow *aRow){
  u32 i = 0, k, n = 0, nAll = 0;
  KvBytes pk, ik;
  while( kvListNext(pList, &i, &pk) ){
    while( kvListNext(pList, &i, &ik) && ik.n ){
      aRow[nAll].ik = ik;
      aRow[nAll++].pk = pk;
    }
  }
  if( nAll>1 ) qsort(aRow, nAll, sizeof(*aRow), indexOverQsort);
  for(k=0; k<nAll; k++){
    if( n==0 || indexOverCompare(&aRow[n-1], &aRow[k])!=0 ) aRow[n++] = aRow[k];
  }
  return n;
}

/* Merge the rows of the newest part into the others, of which those of the keys
** that have changed again go. */
static void indexOverMerge(KvStore *p, KvOverlay *pOver, const KvList *pList){
  u32 i = 0, k = 0, n = 0, nNew = 0, nList = 0;
  IndexOverRow *aNew, *aOld = pOver->aRow, *aOut;
  KvBytes item;
  while( kvListNext(pList, &i, &item) ) nList++;
  aNew = sqlite3_malloc64((u64)(nList+1)*sizeof(*aNew));
  aOut = sqlite3_malloc64((u64)(nList + pOver->nRow + 1)*sizeof(*aOut));
  if( aNew && aOut ) nNew = indexOverRows(pList, aNew);
  else kvErrorCode(&p->err, SQLITE_NOMEM);
  for(i=0; aOut && i<pOver->nRow; ){
    const KvMapItem *pChanged = kvMapFind(&pOver->changed, aOld[i].pk);
    if( pChanged->iValue>>1==pOver->nPart ) i++;
    else if( k<nNew && indexOverCompare(&aNew[k], &aOld[i])<0 ) aOut[n++] = aNew[k++];
    else aOut[n++] = aOld[i++];
  }
  while( k<nNew ) aOut[n++] = aNew[k++];
  sqlite3_free(aNew);
  sqlite3_free(aOld);
  pOver->aRow = aOut;
  pOver->nRow = n;
}

/* Add what has changed after a version to an overlay that nobody reads.  bGap: and
** what is in the gap. */
static void indexOverAdd(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, i64 iAfter, int bGap
){
  IndexOverPart *pPart = kvZeroed(sizeof(*pPart));
  if( pPart==0 ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
    return;
  }
  pPart->pNext = pOver->pParts;
  pOver->pParts = pPart;
  pOver->nPart++;
  if( bGap ) indexOverGap(p, pDef, pOver);
  indexOverAfter(p, pDef, pOver, iAfter);
  if( pOver->bPending ){
    indexOverRead(p, pDef, pOver, kvStmtTake(p, KVSQL_INDEX_PENDING_CHANGES), &pPart->rows);
  }
  if( pOver->eSource==SCAN_KV ){
    if( pOver->bPending ){
      indexOverOwned(p, pDef, pOver, kvStmtTake(p, KVSQL_INDEX_PENDING_CHANGES), &pPart->rows);
    }
    indexOverLong(p, pDef, pOver);
  }
  indexOverMerge(p, pOver, &pPart->rows);
  pOver->nByte += pPart->rows.bytes.n;
}

/* The overlay is one of that state of the feed. */
static void indexOverIsOf(KvStore *p, KvOverlay *pOver, const KvFeed *pFeed){
  pOver->iSchema = p->schema.iSchema;
  pOver->iData = kvFeedData(p);
  pOver->feed = *pFeed;
}

/* Where the rows of an index are. */
static u8 indexScanSource(const KvStore *p, const KvIndexDef *pDef){
  if( kvIndexOld(p) ) return SCAN_OLD;
  return pDef->mOptions & KVINDEX_UNIQUE ? SCAN_VALUES : SCAN_KV;
}

/* Are there keys that no version tells of, or has an index whose rows are in kv others, too?
** Then it has an overlay, whatever the feed tells. */
static int indexScanBehind(
  KvStore *p, const KvIndexSnapshot *pSnapshot, const KvIndexDef *pDef, int *pbPending
){
  KvStmt *pStmt;
  int bLong = 0;
  if( pSnapshot->eSource!=SCAN_KV || !(kvSchemaKnow(p) & KVKNOWN_PENDING) ){
    *pbPending = kvIndexPending(p);
    return *pbPending;
  }
  *pbPending = 0;
  pStmt = kvStmtWith(p, KVSQL_INDEX_BEHIND, "bb", pDef->name, pDef->nameEnd);
  if( kvFeedRow(pStmt) ){
    *pbPending = kvStmtInt(pStmt, 0)!=0;
    bLong = kvStmtInt(pStmt, 1)!=0;
  }
  kvStmtGive(pStmt);
  return *pbPending || bLong;
}

static KvOverlay *indexOverNew(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending
){
  KvOverlay *pOver = kvZeroed(sizeof(*pOver));
  if( pOver==0 ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
    return 0;
  }
  pOver->nRef = 1;
  pOver->bPending = (u8)bPending;
  pOver->eSource = indexScanSource(p, pDef);
  kvErrorCopy(&p->err, pDef->name, &pOver->name);
  indexOverIsOf(p, pOver, pFeed);
  indexOverAdd(p, pDef, pOver, pFeed->iDone, pFeed->bGap);
  pOver->nFirst = pOver->nByte;
  return pOver;
}

/* ---- keeping them ---------------------------------------------------------- */

/* Take the overlay of an index off the list, and drop those of another generation.
** 0 if there is none. */
static KvOverlay *indexOverTake(KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed){
  KvOverlay **pp = &p->pOverlays, *pFound = 0;
  while( *pp ){
    KvOverlay *pOver = *pp;
    int bOld = pOver->feed.iGeneration!=pFeed->iGeneration || pOver->iSchema!=p->schema.iSchema;
    int bThis = kvBytesEqual(kvBufBytes(&pOver->name), pDef->name);
    if( bOld || bThis ) *pp = pOver->pNext;
    else pp = &pOver->pNext;
    if( bOld ) indexOverClose(pOver);
    else if( bThis ) pFound = pOver;
  }
  return pFound;
}

/* Is an overlay what it would be now? */
static int indexOverCurrent(KvStore *p, const KvOverlay *pOver, const KvFeed *pFeed, int bPending){
  return pOver->feed.iApplied==pFeed->iApplied && pOver->feed.iVersion==pFeed->iVersion
      && pOver->bPending==bPending && pOver->iData==kvFeedData(p);
}

/* Can what has changed since be added?  Each time bytes are left that nobody needs:
** not for ever.  What the indexes have seen meanwhile may stay, it is the same here. */
static int indexOverCanGrow(const KvOverlay *pOver, const KvFeed *pFeed, int bPending){
  return !bPending && !pOver->bPending && pOver->nRef==1 && pOver->feed.iApplied<=pFeed->iApplied
      && pFeed->iApplied<=pOver->feed.iVersion && pOver->feed.iVersion<=pFeed->iVersion
      && pOver->nByte<2*pOver->nFirst+65536;
}

/* The overlay of an index in that state of the feed; bPending: keys are pending,
** too.  0 after an error.  To be given back. */
static KvOverlay *indexOverOpen(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending
){
  /* What is not committed yet may be rolled back, and others may then take the same
  ** version. */
  int bKeep = sqlite3_txn_state(p->db, p->zSchema)!=SQLITE_TXN_WRITE;
  KvOverlay *pOver = indexOverTake(p, pDef, pFeed);
  int bCurrent = pOver && bKeep && indexOverCurrent(p, pOver, pFeed, bPending);
  if( pOver && bKeep && !bCurrent && indexOverCanGrow(pOver, pFeed, bPending) ){
    /* Of its own version, too, there may be changes since: plain SQL with the version
    ** of another program.  (Older ones would be pending.) */
    indexOverAdd(p, pDef, pOver, pOver->feed.iVersion-1, 0);
    indexOverIsOf(p, pOver, pFeed);
  }else if( !bCurrent ){
    indexOverClose(pOver);
    pOver = indexOverNew(p, pDef, pFeed, bPending);
  }
  if( kvFailed(&p->err) ){
    indexOverClose(pOver);
    return 0;
  }
  if( bKeep ){
    pOver->nRef++;
    pOver->pNext = p->pOverlays;
    p->pOverlays = pOver;
  }
  return pOver;
}

/* ---- snapshots ------------------------------------------------------------ */

int kvIndexOpen(KvStore *p, const char *zName, KvIndexSnapshot *pSnapshot){
  const KvIndexDef *pDef = 0;
  KvFeed feed;
  int bPending, bBehind;
  memset(pSnapshot, 0, sizeof(*pSnapshot));
  pSnapshot->pStore = p;
  pSnapshot->iNow = kvNow();
  if( kvSchemaReady(p)!=KV_STORE_READY ) return 0;
  pSnapshot->pPin = kvFeedPin(p, &feed);
  if( feed.bThere && kvIndexLoad(p, feed.iGeneration)>0 ) pDef = kvIndexNamed(p, zName);
  if( pDef && (pDef->mOptions & KVINDEX_SEARCH) ){
    kvError(&p->err, SQLITE_ERROR, "kv: %!.100s is a full-text index; use "
        "kv_search('%!.100s', 'query')", zName, zName);
    pDef = 0;
  }
  if( pDef ){
    pSnapshot->mOptions = pDef->mOptions;
    pSnapshot->nPath = pDef->spec.nPath ? pDef->spec.nPath : 1;
    kvErrorCopy(&p->err, pDef->name, &pSnapshot->name);
    kvIndexShape(pDef, &pSnapshot->shape);
    kvErrorBuf(&p->err, &pSnapshot->shape);
    pSnapshot->eSource = indexScanSource(p, pDef);
    bBehind = indexScanBehind(p, pSnapshot, pDef, &bPending);
    if( (bBehind || feed.iApplied<feed.iVersion) && !kvFailed(&p->err) ){
      pSnapshot->pOver = indexOverOpen(p, pDef, &feed, bPending);
    }
    kvGuardBegin(p);
    pSnapshot->bGuard = 1;
    pSnapshot->iClock = kvGuardClock(p);
  }
  if( pDef && !kvFailed(&p->err) ) return 1;
  kvIndexClose(pSnapshot);
  return 0;
}

void kvIndexClose(KvIndexSnapshot *p){
  if( p->bGuard ) kvGuardEnd(p->pStore);
  kvStmtGive(p->pPin);
  indexOverClose(p->pOver);
  kvBufClear(&p->name);
  kvBufClear(&p->shape);
  memset(p, 0, sizeof(*p));
}

void kvIndexKeys(KvIndexSnapshot *p){
  p->bKeys = p->eSource!=SCAN_OLD && kvRowExpired(p->pStore, p->iNow)==0;
}

/* ---- scans --------------------------------------------------------------- */

void kvIndexScanStop(KvIndexScan *p){
  kvStmtGive(p->pStmt);
  kvStmtGive(p->pPoint);
  p->pStmt = p->pPoint = 0;
  p->pRow = 0;
  p->iOver = p->nOver = 0;
}

void kvIndexScanClear(KvIndexScan *p){
  kvIndexScanStop(p);
  kvBufClear(&p->ik);
  kvBufClear(&p->pk);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
}

int kvIndexScanStart(KvIndexScan *p, KvIndexSnapshot *pSnapshot, int bDesc){
  static const int aSql[][2][2] = {
    [SCAN_KV] = { { KVSQL_INDEX_ENTRIES_UP, KVSQL_INDEX_ENTRIES_DOWN },
                  { KVSQL_INDEX_ENTRIES_KEYS_UP, KVSQL_INDEX_ENTRIES_KEYS_DOWN } },
    [SCAN_VALUES] = { { KVSQL_INDEX_UP, KVSQL_INDEX_DOWN },
                      { KVSQL_INDEX_KEYS_UP, KVSQL_INDEX_KEYS_DOWN } },
    [SCAN_OLD] = { { KVSQL_INDEX_OLD_UP, KVSQL_INDEX_OLD_DOWN } },
  };
  KvStore *pStore = pSnapshot->pStore;
  kvIndexScanStop(p);
  p->pSnapshot = pSnapshot;
  p->bDesc = bDesc!=0;
  p->bStored = 0;
  kvErrorBuf(&pStore->err, &p->lo);
  kvErrorBuf(&pStore->err, &p->hi);
  if( pSnapshot->pOver ){
    p->iOver = indexOverFind(pSnapshot->pOver, kvBufBytes(&p->lo));
    p->nOver = indexOverFind(pSnapshot->pOver, kvBufBytes(&p->hi));
    if( p->nOver<p->iOver ) p->nOver = p->iOver;
  }
  p->pStmt = kvStmtTake(pStore, aSql[pSnapshot->eSource][pSnapshot->bKeys][p->bDesc]);
  kvBindBytes(p->pStmt, 1, kvBufBytes(&p->lo));
  kvBindBytes(p->pStmt, 2, kvBufBytes(&p->hi));
  if( !pSnapshot->bKeys ) kvBindInt(p->pStmt, 3, pSnapshot->iNow);
  if( pSnapshot->eSource==SCAN_KV ) kvBindBytes(p->pStmt, 4, kvBufBytes(&pSnapshot->shape));
  return kvIndexScanStep(p);
}

/* Does the stored row count?  A key that tells no primary one is that of no entry. */
static int indexScanCounts(const KvIndexScan *p){
  const KvOverlay *pOver = p->pSnapshot->pOver;
  KvBytes pk = kvStmtBytes(p->pStmt, KVINDEX_COL_KEY);
  return pk.n>0 && (pOver==0 || !kvMapFind(&pOver->changed, pk));
}

/* Advance to the next stored row that counts, if there is one. */
static void indexScanStored(KvIndexScan *p){
  while( p->pStmt && !p->bStored ){
    if( kvFeedRow(p->pStmt) ){
      p->bStored = indexScanCounts(p)!=0;
    }else{
      kvStmtGive(p->pStmt);
      p->pStmt = 0;
    }
  }
}

/* Is the next row of the overlay before the stored one? */
static int indexScanOverFirst(const KvIndexScan *p, const IndexOverRow *pRow){
  IndexOverRow stored;
  int c;
  if( !p->bStored ) return 1;
  stored.ik = kvStmtBytes(p->pStmt, KVINDEX_COL_IK);
  stored.pk = kvStmtBytes(p->pStmt, KVINDEX_COL_KEY);
  c = indexOverCompare(pRow, &stored);
  return p->bDesc ? c>0 : c<0;
}

/* Look up the primary entry of a row of the overlay. */
static int indexScanPoint(KvIndexScan *p, const IndexOverRow *pRow){
  if( p->pPoint==0 ) p->pPoint = kvStmtTake(p->pSnapshot->pStore, KVSQL_INDEX_POINT);
  else sqlite3_reset(p->pPoint->pStmt);
  kvBindBytes(p->pPoint, 1, pRow->ik);
  kvBindBytes(p->pPoint, 2, pRow->pk);
  kvBindInt(p->pPoint, 3, p->pSnapshot->iNow);
  return kvStmtRow(p->pPoint);
}

/* The next row, of the overlay or a stored one; 0 at the end. */
static KvStmt *indexScanNext(KvIndexScan *p){
  const IndexOverRow *pRow;
  for(;;){
    indexScanStored(p);
    if( kvFailed(&p->pSnapshot->pStore->err) ) return 0;
    if( p->iOver>=p->nOver ) break;
    pRow = indexOverAt(p->pSnapshot->pOver, p->bDesc ? p->nOver-1 : p->iOver);
    if( !indexScanOverFirst(p, pRow) ) break;
    if( p->bDesc ) p->nOver--;
    else p->iOver++;
    if( indexScanPoint(p, pRow) ) return p->pPoint;
  }
  if( !p->bStored ) return 0;
  KV_ASSERT( p->pStmt );
  p->bStored = 0;
  return p->pStmt;
}

/* A row that was written since the index was opened, by the statement that reads it
** (SELECT kv_set(key, ...) FROM kv_lookup(...)), is passed over: it could come
** again and again. */
int kvIndexScanStep(KvIndexScan *p){
  const KvStore *pStore = p->pSnapshot->pStore;
  i64 iClock = p->pSnapshot->iClock;
  KvStmt *pStmt;
  KV_ASSERT( p->iOver<=p->nOver );
  do{
    pStmt = indexScanNext(p);
  }while( pStmt && kvGuardWritten(pStore, kvStmtBytes(pStmt, KVINDEX_COL_KEY), iClock) );
  p->pRow = pStmt ? pStmt->pStmt : 0;
  return pStmt!=0;
}

/* Nothing was written since the index was opened, and nothing is pending: all that the table
** has counts. */
u32 kvIndexScanLeap(KvIndexScan *p){
  KvStore *pStore = p->pSnapshot->pStore;
  int bKv = p->pSnapshot->eSource==SCAN_KV;
  KvStmt *pCount;
  i64 n = 0;
  if( p->pSnapshot->pOver || kvGuardClock(pStore)!=p->pSnapshot->iClock || p->pStmt==0 ){
    return 0;
  }
  kvErrorCopy(&pStore->err, kvStmtBytes(p->pStmt, KVINDEX_COL_IK), &p->ik);
  kvErrorCopy(&pStore->err, kvStmtBytes(p->pStmt, KVINDEX_COL_KEY), &p->pk);
  pCount = kvStmtWith(pStore, bKv ? KVSQL_INDEX_ENTRIES_REST : KVSQL_INDEX_REST, "bbb",
                      kvBufBytes(&p->ik), kvBufBytes(&p->pk), kvBufBytes(&p->hi));
  if( kvFeedRow(pCount) ) n = kvStmtInt(pCount, 0);
  kvStmtGive(pCount);
  if( n<=0 || n>UINT32_MAX ) return 0;
  kvStmtGive(p->pStmt);
  p->pStmt = 0;
  p->nLeap = (u32)n;
  return p->nLeap;
}

int kvIndexScanLand(KvIndexScan *p, u32 nAhead){
  const KvIndexSnapshot *pSnapshot = p->pSnapshot;
  int bKv = pSnapshot->eSource==SCAN_KV;
  KV_ASSERT( p->pStmt==0 && nAhead<p->nLeap );
  p->pStmt = kvStmtWith(pSnapshot->pStore, bKv ? KVSQL_INDEX_ENTRIES_LAND : KVSQL_INDEX_LAND,
                        "bbb", kvBufBytes(&p->ik), kvBufBytes(&p->pk), kvBufBytes(&p->hi));
  if( bKv ) kvBindBytes(p->pStmt, 5, kvBufBytes(&pSnapshot->shape));
  kvBindInt(p->pStmt, 4, (i64)(p->nLeap-1-nAhead));
  return kvIndexScanStep(p);
}
