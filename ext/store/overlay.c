/*
** overlay.c -- changes that the entries of an index don't show yet.  See
** overlay.h.
*/
#include "store/overlay.h"
SQLITE_EXTENSION_INIT3
#include "codec/key/key.h"
#include "codec/stored.h"
#include "store_sql.h"
#include <stdlib.h>

void kvOverlayDrop(KvOverlay *p){
  if( p==0 || --p->nRef>0 ) return;
  kvBufClear(&p->bytes);
  sqlite3_free(p->aDirty);
  sqlite3_free(p->aRow);
  sqlite3_free(p);
}

int kvOverlayCompare(const u8 *pA, u32 nA, const u8 *pB, u32 nB){
  u32 n = nA<nB ? nA : nB;
  int c = n ? memcmp(pA, pB, n) : 0;
  return c ? c : (nA>nB) - (nA<nB);
}

static int overlayKeyCompare(const void *pA, const void *pB){
  const KvOverlayKey *a = pA, *b = pB;
  return kvOverlayCompare(a->a, a->n, b->a, b->n);
}

static int overlayRowCompare(const void *pA, const void *pB){
  const KvOverlayRow *a = pA, *b = pB;
  int c = overlayKeyCompare(&a->ik, &b->ik);
  return c ? c : overlayKeyCompare(&a->pk, &b->pk);
}

/* Room for one more element of an array.  SQLITE_OK or SQLITE_NOMEM. */
static int overlayGrow(void **pa, u32 n, u32 *pnAlloc, u32 nSize){
  u32 nNew = *pnAlloc*2 + 32;
  void *aNew;
  if( n<*pnAlloc ) return SQLITE_OK;
  aNew = sqlite3_realloc64(*pa, (u64)nNew*nSize);
  if( aNew==0 ) return SQLITE_NOMEM;
  *pa = aNew;
  *pnAlloc = nNew;
  return SQLITE_OK;
}

static KvOverlayKey overlayPut(KvOverlay *p, const u8 *a, u32 n){
  KvOverlayKey key;
  key.iAt = p->bytes.n;
  key.n = n;
  key.a = 0;
  kvBufAppend(&p->bytes, a, n);
  return key;
}

/* Work space for making an overlay. */
typedef struct OverlayMake OverlayMake;
struct OverlayMake {
  KvOverlay *pOver;
  const KvIndexDef *pDef;
  KvTree tree;
  KvList parts;
};

/* The rows of a primary entry with the value in columns 3 and 4. */
static int overlayRows(OverlayMake *p, const KvOverlayKey *pPk, sqlite3_stmt *pStmt){
  KvOverlay *pOver = p->pOver;
  const KvIndexDef *pDef = p->pDef;
  const u8 *aPart, *aPk = sqlite3_column_blob(pStmt, 0);
  const u8 *a = sqlite3_column_blob(pStmt, 3);
  u32 i = 0, nPart;
  int rc;
  if( sqlite3_column_type(pStmt, 3)!=SQLITE_BLOB || !kvKeyCanonical(kvBytes(aPk, pPk->n)) ) return SQLITE_OK;
  kvTreeReset(&p->tree);
  kvListReset(&p->parts);
  rc = kvValueRead(&p->tree, sqlite3_column_int(pStmt, 4), kvBytes(a, (u32)sqlite3_column_bytes(pStmt, 3)), 0);
  if( rc==KV_OK ){
    rc = kvIndexValues(&p->tree, pDef->zPath, (pDef->mOptions & KVINDEX_LOWER)!=0, &p->parts, 0);
  }
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  while( rc==KV_OK && (aPart = kvIndexValueNext(&p->parts.bytes, &i, &nPart))!=0 ){
    KvOverlayRow *pRow;
    if( overlayGrow((void**)&pOver->aRow, pOver->nRow, &pOver->nRowAlloc, sizeof(KvOverlayRow)) ) return SQLITE_NOMEM;
    pRow = &pOver->aRow[pOver->nRow++];
    pRow->pk = *pPk;
    pRow->ik = overlayPut(pOver, pDef->aName, pDef->nName);
    kvBufAppend(&pOver->bytes, aPart, nPart);
    if( !(pDef->mOptions & KVINDEX_UNIQUE) ){
      kvBufAppend(&pOver->bytes, aPk+pDef->nPrefix, pPk->n-pDef->nPrefix);
    }
    pRow->ik.n = pOver->bytes.n - pRow->ik.iAt;
  }
  return SQLITE_OK;
}

/* One change: note the primary key, and what its value asks for. */
static int overlayChange(KvStore *pStore, OverlayMake *p, sqlite3_stmt *pStmt){
  KvOverlay *pOver = p->pOver;
  const u8 *aPk = sqlite3_column_blob(pStmt, 0);
  u32 nPk = (u32)sqlite3_column_bytes(pStmt, 0);
  KvOverlayKey key;
  if( nPk<=p->pDef->nPrefix || kvIndexPlace(pStore, aPk, nPk) ) return SQLITE_OK;
  if( overlayGrow((void**)&pOver->aDirty, pOver->nDirty, &pOver->nDirtyAlloc, sizeof(KvOverlayKey)) ){
    return SQLITE_NOMEM;
  }
  key = overlayPut(pOver, aPk, nPk);
  pOver->aDirty[pOver->nDirty++] = key;
  if( sqlite3_column_int(pStmt, 5) ) return SQLITE_OK;
  return overlayRows(p, &key, pStmt);
}

/* Set the addresses. */
static void overlayAddresses(KvOverlay *p){
  u32 i;
  for(i=0; i<p->nDirty; i++) p->aDirty[i].a = &p->bytes.a[p->aDirty[i].iAt];
  for(i=0; i<p->nRow; i++){
    p->aRow[i].ik.a = &p->bytes.a[p->aRow[i].ik.iAt];
    p->aRow[i].pk.a = &p->bytes.a[p->aRow[i].pk.iAt];
  }
}

/* Sort, and drop what occurs twice. */
static void overlayFinish(KvOverlay *p){
  u32 i, n = 0;
  overlayAddresses(p);
  if( p->nDirty>1 ) qsort(p->aDirty, p->nDirty, sizeof(KvOverlayKey), overlayKeyCompare);
  if( p->nRow>1 ) qsort(p->aRow, p->nRow, sizeof(KvOverlayRow), overlayRowCompare);
  for(i=0; i<p->nDirty; i++){
    if( n==0 || overlayKeyCompare(&p->aDirty[n-1], &p->aDirty[i])!=0 ) p->aDirty[n++] = p->aDirty[i];
  }
  p->nDirty = n;
  for(i=0, n=0; i<p->nRow; i++){
    if( n==0 || overlayRowCompare(&p->aRow[n-1], &p->aRow[i])!=0 ) p->aRow[n++] = p->aRow[i];
  }
  p->nRow = n;
  p->nBase = p->bytes.n;
}

int kvOverlayHas(const KvOverlay *p, const u8 *a, u32 n){
  KvOverlayKey key;
  key.a = a;
  key.n = n;
  key.iAt = 0;
  return p->nDirty>0
      && bsearch(&key, p->aDirty, p->nDirty, sizeof(KvOverlayKey), overlayKeyCompare)!=0;
}

/* The rows of pOld without those of the keys that pNew has, and those of pNew.
** Both stay sorted.  pNew's bytes will be iMove further on. */
static u32 overlayMergeRows(const KvOverlay *pOld, const KvOverlay *pNew, u32 iMove, KvOverlayRow *aOut){
  u32 i = 0, k = 0, n = 0;
  while( i<pOld->nRow || k<pNew->nRow ){
    if( i<pOld->nRow && kvOverlayHas(pNew, pOld->aRow[i].pk.a, pOld->aRow[i].pk.n) ){
      i++;
    }else if( k>=pNew->nRow || (i<pOld->nRow && overlayRowCompare(&pOld->aRow[i], &pNew->aRow[k])<0) ){
      aOut[n++] = pOld->aRow[i++];
    }else{
      aOut[n] = pNew->aRow[k++];
      aOut[n].ik.iAt += iMove;
      aOut[n++].pk.iAt += iMove;
    }
  }
  return n;
}

/* The keys of both. */
static u32 overlayMergeDirty(const KvOverlay *pOld, const KvOverlay *pNew, u32 iMove, KvOverlayKey *aOut){
  u32 i = 0, k = 0, n = 0;
  while( i<pOld->nDirty || k<pNew->nDirty ){
    int c = i>=pOld->nDirty ? 1 : k>=pNew->nDirty ? -1 : overlayKeyCompare(&pOld->aDirty[i], &pNew->aDirty[k]);
    if( c<=0 ){
      aOut[n++] = pOld->aDirty[i++];
      if( c==0 ) k++;
    }else{
      aOut[n] = pNew->aDirty[k++];
      aOut[n++].iAt += iMove;
    }
  }
  return n;
}

/* Merge what has changed later into an overlay that nobody reads. */
static int overlayMerge(KvOverlay *p, const KvOverlay *pNew){
  u32 nDirty = p->nDirty + pNew->nDirty, nRow = p->nRow + pNew->nRow;
  u32 iMove = p->bytes.n;
  KvOverlayKey *aDirty = sqlite3_malloc64((u64)(nDirty+1)*sizeof(KvOverlayKey));
  KvOverlayRow *aRow = sqlite3_malloc64((u64)(nRow+1)*sizeof(KvOverlayRow));
  if( aDirty==0 || aRow==0 ){
    sqlite3_free(aDirty);
    sqlite3_free(aRow);
    return SQLITE_NOMEM;
  }
  p->nRow = overlayMergeRows(p, pNew, iMove, aRow);
  p->nDirty = overlayMergeDirty(p, pNew, iMove, aDirty);
  sqlite3_free(p->aRow);
  sqlite3_free(p->aDirty);
  p->aRow = aRow;
  p->aDirty = aDirty;
  p->nRowAlloc = nRow + 1;
  p->nDirtyAlloc = nDirty + 1;
  kvBufAppend(&p->bytes, pNew->bytes.a, pNew->bytes.n);
  if( p->bytes.eErr!=KV_OK ) return SQLITE_NOMEM;
  overlayAddresses(p);
  return SQLITE_OK;
}

/* Add what a statement shows as changed. */
static int overlayAdd(KvStore *pStore, OverlayMake *p, int eSql, i64 iApplied, char **pzErr){
  const KvIndexDef *pDef = p->pDef;
  KvStmt *pStmt;
  KvBuf hi;
  int rc = kvStoreStatement(pStore, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBufInit(&hi, 0, 0);
  kvBufAppend(&hi, pDef->aPrefix, pDef->nPrefix);
  kvBufPut(&hi, 0xff);
  if( eSql==KVSQL_TRACK_CHANGES ) kvBindInt(pStmt, 1, iApplied);
  kvBindBlob(pStmt, 2, pDef->aPrefix, pDef->nPrefix);
  if( pDef->nPrefix ) kvBindBlob(pStmt, 3, hi.a, hi.n);
  rc = hi.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  while( rc==SQLITE_OK && (rc = kvTrackStep(pStore, pStmt))==SQLITE_ROW ){
    rc = overlayChange(pStore, p, pStmt->pStmt);
  }
  if( rc==SQLITE_DONE ) rc = SQLITE_OK;
  else if( rc!=SQLITE_NOMEM ) kvStoreFailed(pStore, rc, pzErr);
  kvStoreGive(pStore, pStmt);
  kvBufClear(&hi);
  return rc;
}

/* Make the overlay of an index from the feed, and from what is pending. */
static int overlayMake(KvStore *pStore, const KvIndexDef *pDef, i64 iApplied, KvOverlay *pOver, char **pzErr){
  OverlayMake make;
  int rc;
  memset(&make, 0, sizeof(make));
  make.pOver = pOver;
  make.pDef = pDef;
  rc = overlayAdd(pStore, &make, KVSQL_TRACK_CHANGES, iApplied, pzErr);
  if( rc==SQLITE_OK && pOver->bPending ) rc = overlayAdd(pStore, &make, KVSQL_INDEX_PENDING_CHANGES, 0, pzErr);
  kvTreeClear(&make.tree);
  kvListClear(&make.parts);
  if( rc==SQLITE_OK && (pOver->bytes.eErr || make.parts.bytes.eErr) ) rc = SQLITE_NOMEM;
  if( rc==SQLITE_OK ) overlayFinish(pOver);
  return rc;
}

/* A number that changes when the file does, as far as this connection sees.  Not
** inside of a transaction that writes. */
static u32 overlayData(KvStore *p){
  unsigned int i = 0;
  sqlite3_file_control(p->db, p->zSchema, SQLITE_FCNTL_DATA_VERSION, &i);
  return i;
}

/* An empty one for such a state of the feed.  0 when memory ran out. */
static KvOverlay *overlayNew(KvStore *pStore, const KvTrack *pTrack, int bPending){
  KvOverlay *p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return 0;
  memset(p, 0, sizeof(*p));
  p->nRef = 1;
  p->iGeneration = pTrack->iGeneration;
  p->iApplied = pTrack->iApplied;
  p->iVersion = pTrack->iVersion;
  p->bPending = (u8)bPending;
  p->iData = overlayData(pStore);
  return p;
}

/* Can the overlay be brought up to the state?  What was merged leaves bytes
** behind that nobody needs: not for ever. */
static int overlayCanGrow(const KvOverlay *p, const KvTrack *pTrack, int bPending, int bKeep){
  return p && bKeep && !bPending && !p->bPending && p->nRef==1 && p->iGeneration==pTrack->iGeneration
      && p->iApplied==pTrack->iApplied && p->iVersion<=pTrack->iVersion
      && p->bytes.n<2*(u64)p->nBase+65536;
}

/* Bring the overlay that is kept up to the state.  Of its own version, too, there
** may be changes since: plain SQL with the version of another program.  (Older ones
** would be pending.)  After an error there is none. */
static int overlayExtend(KvStore *pStore, KvIndexDef *pDef, const KvTrack *pTrack, char **pzErr){
  KvOverlay *p = pDef->pOver;
  KvOverlay *pNew = overlayNew(pStore, pTrack, 0);
  int rc = pNew ? overlayMake(pStore, pDef, p->iVersion-1, pNew, pzErr) : SQLITE_NOMEM;
  if( rc==SQLITE_OK ) rc = overlayMerge(p, pNew);
  p->iVersion = pTrack->iVersion;
  p->iData = overlayData(pStore);
  kvOverlayDrop(pNew);
  if( rc!=SQLITE_OK ){
    kvOverlayDrop(p);
    pDef->pOver = 0;
  }
  return rc;
}

/* Is the overlay that is kept what it would be now? */
static int overlayCurrent(KvStore *pStore, const KvOverlay *p, const KvTrack *pTrack, int bPending){
  return p && p->bKeep && p->iGeneration==pTrack->iGeneration && p->iApplied==pTrack->iApplied
      && p->iVersion==pTrack->iVersion && p->bPending==bPending && p->iData==overlayData(pStore);
}

/* The overlay of an index, the one that is kept or a new one. */
int kvOverlayOpen(
  KvStore *pStore, KvIndexDef *pDef, const KvTrack *pTrack, int bPending,
  KvOverlay **ppOver, char **pzErr
){
  /* What is not committed yet may be rolled back, and others may then take
  ** the same version. */
  int bKeep = sqlite3_txn_state(pStore->db, pStore->zSchema)!=SQLITE_TXN_WRITE;
  int bCurrent = bKeep && overlayCurrent(pStore, pDef->pOver, pTrack, bPending);
  KvOverlay *p;
  int rc;
  if( !bCurrent && overlayCanGrow(pDef->pOver, pTrack, bPending, bKeep) ){
    rc = overlayExtend(pStore, pDef, pTrack, pzErr);
    if( rc!=SQLITE_OK ) return rc;
    bCurrent = 1;
  }
  p = pDef->pOver;
  if( bCurrent ){
    p->nRef++;
    *ppOver = p;
    return SQLITE_OK;
  }
  kvOverlayDrop(p);
  pDef->pOver = 0;
  p = overlayNew(pStore, pTrack, bPending);
  if( p==0 ) return SQLITE_NOMEM;
  p->bKeep = (u8)bKeep;
  rc = overlayMake(pStore, pDef, pTrack->iApplied, p, pzErr);
  if( rc!=SQLITE_OK ){
    kvOverlayDrop(p);
    return rc;
  }
  if( p->bKeep ){
    pDef->pOver = p;
    p->nRef++;
  }
  *ppOver = p;
  return SQLITE_OK;
}

/* The first row of the overlay that is not before a[0..n-1]. */
u32 kvOverlayFind(const KvOverlay *p, const u8 *a, u32 n){
  u32 iLo = 0, iHi = p->nRow;
  while( iLo<iHi ){
    u32 iMid = iLo + (iHi-iLo)/2;
    if( kvOverlayCompare(p->aRow[iMid].ik.a, p->aRow[iMid].ik.n, a, n)<0 ) iLo = iMid+1;
    else iHi = iMid;
  }
  return iLo;
}
