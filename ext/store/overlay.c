/*
** overlay.c -- changes that the entries of an index don't show yet.  See
** overlay.h.
*/
#include "store/store_int.h"
#include "bytes/map.h"
#include "store/feed.h"
#include "store/index_entry.h"
#include "store/overlay.h"
#include "store/schema.h"
#include <stdlib.h>

/* Rows that were added at one time: for each pk it, each ik, and an empty string. */
typedef struct OverlayPart OverlayPart;
struct OverlayPart {
  KvList rows;
  OverlayPart *pNext;
};

struct KvOverlay {
  u32 nRef;
  KvOverlay *pNext;       /* List of those that are kept */
  KvBuf name;             /* Name of the index */
  u32 iSchema;            /* KvSchema.iSchema and overlayData() when it was made */
  u32 iData;
  KvFeed feed;            /* Its state, which it is of */
  u8 bPending;            /* It has pending keys, too, which no version counts */
  KvMap changed;       /* Primary keys; iValue: nPart when it changed last */
  u32 nPart;
  OverlayPart *pParts;
  u64 nByte, nFirst;      /* Bytes of all parts and of the first one */
  KvOverlayRow *aRow;     /* Rows of the parts that still hold, sorted */
  u32 nRow;
};

void kvOverlayClose(KvOverlay *p){
  if( p==0 || --p->nRef>0 ) return;
  while( p->pParts ){
    OverlayPart *pPart = p->pParts;
    p->pParts = pPart->pNext;
    kvListClear(&pPart->rows);
    sqlite3_free(pPart);
  }
  kvBufClear(&p->name);
  kvMapClear(&p->changed);
  sqlite3_free(p->aRow);
  sqlite3_free(p);
}

void kvOverlaysFree(KvOverlay *pList){
  while( pList ){
    KvOverlay *pNext = pList->pNext;
    kvOverlayClose(pList);
    pList = pNext;
  }
}

u32 kvOverlayChanged(const KvOverlay *p){
  return p->changed.nItem;
}

int kvOverlayHas(const KvOverlay *p, KvBytes pk){
  return kvMapFind(&p->changed, pk)!=0;
}

int kvOverlayCompare(const KvOverlayRow *pA, const KvOverlayRow *pB){
  int c = kvBytesCompare(pA->ik, pB->ik);
  return c ? c : kvBytesCompare(pA->pk, pB->pk);
}

const KvOverlayRow *kvOverlayRow(const KvOverlay *p, u32 i){
  KV_ASSERT( i<p->nRow );
  KV_ASSERT( i==0 || kvOverlayCompare(&p->aRow[i-1], &p->aRow[i])<0 );
  return &p->aRow[i];
}

u32 kvOverlayFind(const KvOverlay *p, KvBytes key){
  u32 iLo = 0, iHi = p->nRow;
  while( iLo<iHi ){
    u32 iMid = iLo + (iHi-iLo)/2;
    if( kvBytesCompare(p->aRow[iMid].ik, key)<0 ) iLo = iMid+1;
    else iHi = iMid;
  }
  return iLo;
}

/* ---- making one ------------------------------------------------------------ */

/* Add a changed primary entry, and the rows that its value asks for to pList. */
static void overlayChange(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, KvStmt *pStmt, KvList *pList
){
  KvBytes pk = kvStmtBytes(pStmt, 0);
  KvMapItem *pChanged;
  if( !kvIndexDefCovers(pDef, pk) || kvIndexOwner(p, pk) ) return;
  pChanged = kvMapAdd(&pOver->changed, pk);
  if( pChanged ) pChanged->iValue = pOver->nPart;
  else kvErrorCode(&p->err, SQLITE_NOMEM);
  if( kvStmtInt(pStmt, 5) || sqlite3_column_type(pStmt->pStmt, 3)!=SQLITE_BLOB ) return;
  kvListAdd(pList, pk);
  kvIndexEntryKeys(p, pDef, pk, (int)kvStmtInt(pStmt, 4), kvStmtBytes(pStmt, 3), pList);
  kvListAdd(pList, kvBytes(0, 0));
  kvErrorBuf(&p->err, &pList->bytes);
}

/* Add what a statement shows as changed. */
static void overlayRead(
  KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, int eSql, i64 iAfter, KvList *pList
){
  KvStmt *pStmt = kvStmtTake(p, eSql);
  if( eSql==KVSQL_FEED_CHANGES ) kvBindInt(pStmt, 1, iAfter);
  kvBindBytes(pStmt, 2, pDef->prefix);
  if( pDef->prefix.n ) kvBindBytes(pStmt, 3, pDef->prefixEnd);
  while( kvFeedRow(pStmt) ) overlayChange(p, pDef, pOver, pStmt, pList);
  kvStmtGive(pStmt);
}

static int overlayQsort(const void *pA, const void *pB){
  return kvOverlayCompare(pA, pB);
}

/* The rows of a list, sorted, at aRow; those that occur twice are dropped.  Returns
** how many. */
static u32 overlayRows(const KvList *pList, KvOverlayRow *aRow){
  u32 i = 0, k, n = 0, nAll = 0;
  KvBytes pk, ik;
  while( kvListNext(pList, &i, &pk) ){
    while( kvListNext(pList, &i, &ik) && ik.n ){
      aRow[nAll].ik = ik;
      aRow[nAll++].pk = pk;
    }
  }
  if( nAll>1 ) qsort(aRow, nAll, sizeof(*aRow), overlayQsort);
  for(k=0; k<nAll; k++){
    if( n==0 || kvOverlayCompare(&aRow[n-1], &aRow[k])!=0 ) aRow[n++] = aRow[k];
  }
  return n;
}

/* Merge the rows of the newest part into the others, of which those of the keys
** that have changed again go. */
static void overlayMerge(KvStore *p, KvOverlay *pOver, const KvList *pList){
  u32 i = 0, k = 0, n = 0, nNew = 0, nList = 0;
  KvOverlayRow *aNew, *aOld = pOver->aRow, *aOut;
  KvBytes item;
  while( kvListNext(pList, &i, &item) ) nList++;
  aNew = sqlite3_malloc64((u64)(nList+1)*sizeof(*aNew));
  aOut = sqlite3_malloc64((u64)(nList + pOver->nRow + 1)*sizeof(*aOut));
  if( aNew && aOut ) nNew = overlayRows(pList, aNew);
  else kvErrorCode(&p->err, SQLITE_NOMEM);
  for(i=0; aOut && i<pOver->nRow; ){
    const KvMapItem *pChanged = kvMapFind(&pOver->changed, aOld[i].pk);
    if( pChanged->iValue==pOver->nPart ) i++;
    else if( k<nNew && kvOverlayCompare(&aNew[k], &aOld[i])<0 ) aOut[n++] = aNew[k++];
    else aOut[n++] = aOld[i++];
  }
  while( k<nNew ) aOut[n++] = aNew[k++];
  sqlite3_free(aNew);
  sqlite3_free(aOld);
  pOver->aRow = aOut;
  pOver->nRow = n;
}

/* Add what has changed after a version to an overlay that nobody reads. */
static void overlayAdd(KvStore *p, const KvIndexDef *pDef, KvOverlay *pOver, i64 iAfter){
  OverlayPart *pPart = kvZeroed(sizeof(*pPart));
  if( pPart==0 ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
    return;
  }
  pPart->pNext = pOver->pParts;
  pOver->pParts = pPart;
  pOver->nPart++;
  overlayRead(p, pDef, pOver, KVSQL_FEED_CHANGES, iAfter, &pPart->rows);
  if( pOver->bPending ) overlayRead(p, pDef, pOver, KVSQL_INDEX_PENDING_CHANGES, 0, &pPart->rows);
  overlayMerge(p, pOver, &pPart->rows);
  pOver->nByte += pPart->rows.bytes.n;
}

/* A number that changes when the file does, as far as this connection sees.  Not
** inside of a transaction that writes. */
static u32 overlayData(KvStore *p){
  unsigned int i = 0;
  sqlite3_file_control(p->db, p->zSchema, SQLITE_FCNTL_DATA_VERSION, &i);
  return i;
}

/* The overlay is one of that state of the feed. */
static void overlayIsOf(KvStore *p, KvOverlay *pOver, const KvFeed *pFeed){
  pOver->iSchema = p->schema.iSchema;
  pOver->iData = overlayData(p);
  pOver->feed = *pFeed;
}

static KvOverlay *overlayNew(KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending){
  KvOverlay *pOver = kvZeroed(sizeof(*pOver));
  if( pOver==0 ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
    return 0;
  }
  pOver->nRef = 1;
  pOver->bPending = (u8)bPending;
  kvErrorCopy(&p->err, pDef->name, &pOver->name);
  overlayIsOf(p, pOver, pFeed);
  overlayAdd(p, pDef, pOver, pFeed->iApplied);
  pOver->nFirst = pOver->nByte;
  return pOver;
}

/* ---- keeping them ---------------------------------------------------------- */

/* Take the overlay of an index off the list, and drop those of another generation.
** 0 if there is none. */
static KvOverlay *overlayTake(KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed){
  KvOverlay **pp = &p->pOverlays, *pFound = 0;
  while( *pp ){
    KvOverlay *pOver = *pp;
    int bOld = pOver->feed.iGeneration!=pFeed->iGeneration || pOver->iSchema!=p->schema.iSchema;
    int bThis = kvBytesEqual(kvBufBytes(&pOver->name), pDef->name);
    if( bOld || bThis ) *pp = pOver->pNext;
    else pp = &pOver->pNext;
    if( bOld ) kvOverlayClose(pOver);
    else if( bThis ) pFound = pOver;
  }
  return pFound;
}

/* Is an overlay what it would be now? */
static int overlayCurrent(KvStore *p, const KvOverlay *pOver, const KvFeed *pFeed, int bPending){
  return pOver->feed.iApplied==pFeed->iApplied && pOver->feed.iVersion==pFeed->iVersion
      && pOver->bPending==bPending && pOver->iData==overlayData(p);
}

/* Can what has changed since be added?  Each time bytes are left that nobody needs:
** not for ever. */
static int overlayCanGrow(const KvOverlay *pOver, const KvFeed *pFeed, int bPending){
  return !bPending && !pOver->bPending && pOver->nRef==1 && pOver->feed.iApplied==pFeed->iApplied
      && pOver->feed.iVersion<=pFeed->iVersion && pOver->nByte<2*pOver->nFirst+65536;
}

KvOverlay *kvOverlayOpen(KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending){
  /* What is not committed yet may be rolled back, and others may then take the same
  ** version. */
  int bKeep = sqlite3_txn_state(p->db, p->zSchema)!=SQLITE_TXN_WRITE;
  KvOverlay *pOver = overlayTake(p, pDef, pFeed);
  int bCurrent = pOver && bKeep && overlayCurrent(p, pOver, pFeed, bPending);
  if( pOver && bKeep && !bCurrent && overlayCanGrow(pOver, pFeed, bPending) ){
    /* Of its own version, too, there may be changes since: plain SQL with the version
    ** of another program.  (Older ones would be pending.) */
    overlayAdd(p, pDef, pOver, pOver->feed.iVersion-1);
    overlayIsOf(p, pOver, pFeed);
  }else if( !bCurrent ){
    kvOverlayClose(pOver);
    pOver = overlayNew(p, pDef, pFeed, bPending);
  }
  if( kvFailed(&p->err) ){
    kvOverlayClose(pOver);
    return 0;
  }
  if( bKeep ){
    pOver->nRef++;
    pOver->pNext = p->pOverlays;
    p->pOverlays = pOver;
  }
  return pOver;
}
