/*
** index_scan.c -- reading a declared index.  See index.h.
**
** A scan merges two runs of rows (ik, pk) in the order of their bytes: those
** of kv_index_row, and those that the overlay holds for the primary entries
** which have changed since the index was brought up.  Rows of kv_index_row
** that belong to such an entry are passed over.
**
**   kv_index_row   ["c","blue"] 1   ["c","red"] 2   ["c","red"] 3
**   changed since  2: blue now, 3: deleted
**   overlay        ["c","blue"] 2
**   the scan       ["c","blue"] 1   ["c","blue"] 2
**
** An overlay is kept by the store.  It is used again as long as nothing has
** changed, and what has changed since it was made is merged into it.  It takes
** memory for what has changed; the next write through this library makes it
** empty.
*/
#include "store/index.h"
SQLITE_EXTENSION_INIT3
#include "codec/index_key.h"
#include "codec/key/key.h"
#include "store_sql.h"
#include <stdlib.h>

/* A key in KvOverlay.bytes. */
typedef struct ScnKey ScnKey;
struct ScnKey {
  u32 iAt, n;
  const u8 *a;            /* The same as an address, once all are there */
};

typedef struct ScnRow ScnRow;
struct ScnRow {
  ScnKey ik, pk;
};

struct KvOverlay {
  u32 nRef;
  i64 iGeneration, iApplied, iVersion;   /* What it was made from */
  u8 bPending;            /* ... and from pending keys, which no version counts */
  u32 iData;              /* scnData() by then */
  u8 bKeep;               /* It may be used again */
  KvBuf bytes;
  u32 nBase;              /* bytes.n when it was made */
  ScnKey *aDirty;         /* Primary keys that have changed, sorted */
  u32 nDirty, nDirtyAlloc;
  ScnRow *aRow;           /* Their rows now, sorted */
  u32 nRow, nRowAlloc;
};

static void scnRelease(KvOverlay *p){
  if( p==0 || --p->nRef>0 ) return;
  kvBufClear(&p->bytes);
  sqlite3_free(p->aDirty);
  sqlite3_free(p->aRow);
  sqlite3_free(p);
}

static int scnMemcmp(const u8 *pA, u32 nA, const u8 *pB, u32 nB){
  u32 n = nA<nB ? nA : nB;
  int c = n ? memcmp(pA, pB, n) : 0;
  return c ? c : (nA>nB) - (nA<nB);
}

static int scnKeyCompare(const void *pA, const void *pB){
  const ScnKey *a = pA, *b = pB;
  return scnMemcmp(a->a, a->n, b->a, b->n);
}

static int scnRowCompare(const void *pA, const void *pB){
  const ScnRow *a = pA, *b = pB;
  int c = scnKeyCompare(&a->ik, &b->ik);
  return c ? c : scnKeyCompare(&a->pk, &b->pk);
}

/* Room for one more element of an array.  SQLITE_OK or SQLITE_NOMEM. */
static int scnGrow(void **pa, u32 n, u32 *pnAlloc, u32 nSize){
  u32 nNew = *pnAlloc*2 + 32;
  void *aNew;
  if( n<*pnAlloc ) return SQLITE_OK;
  aNew = sqlite3_realloc64(*pa, (u64)nNew*nSize);
  if( aNew==0 ) return SQLITE_NOMEM;
  *pa = aNew;
  *pnAlloc = nNew;
  return SQLITE_OK;
}

static ScnKey scnPut(KvOverlay *p, const u8 *a, u32 n){
  ScnKey key;
  key.iAt = p->bytes.n;
  key.n = n;
  key.a = 0;
  kvBufAppend(&p->bytes, a, n);
  return key;
}

/* Work space for making an overlay. */
typedef struct ScnMake ScnMake;
struct ScnMake {
  KvOverlay *pOver;
  const KvIndexDef *pDef;
  KvTree tree;
  KvBuf parts;
};

/* The rows of a primary entry with the value in columns 3 and 4. */
static int scnRows(ScnMake *p, const ScnKey *pPk, sqlite3_stmt *pStmt){
  KvOverlay *pOver = p->pOver;
  const KvIndexDef *pDef = p->pDef;
  const u8 *aPart, *aPk = sqlite3_column_blob(pStmt, 0);
  const u8 *a = sqlite3_column_blob(pStmt, 3);
  u32 i = 0, nPart;
  int rc;
  if( sqlite3_column_type(pStmt, 3)!=SQLITE_BLOB || !kvKeyCanonical(aPk, pPk->n) ) return SQLITE_OK;
  kvTreeReset(&p->tree);
  kvBufReset(&p->parts);
  rc = kvValueRead(&p->tree, sqlite3_column_int(pStmt, 4), a, (u32)sqlite3_column_bytes(pStmt, 3), 0);
  if( rc==KV_OK ){
    rc = kvIndexValues(&p->tree, pDef->zPath, (pDef->mOptions & KVINDEX_LOWER)!=0, &p->parts, 0);
  }
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  while( rc==KV_OK && (aPart = kvIndexValueNext(&p->parts, &i, &nPart))!=0 ){
    ScnRow *pRow;
    if( scnGrow((void**)&pOver->aRow, pOver->nRow, &pOver->nRowAlloc, sizeof(ScnRow)) ) return SQLITE_NOMEM;
    pRow = &pOver->aRow[pOver->nRow++];
    pRow->pk = *pPk;
    pRow->ik = scnPut(pOver, pDef->aName, pDef->nName);
    kvBufAppend(&pOver->bytes, aPart, nPart);
    if( !(pDef->mOptions & KVINDEX_UNIQUE) ){
      kvBufAppend(&pOver->bytes, aPk+pDef->nPrefix, pPk->n-pDef->nPrefix);
    }
    pRow->ik.n = pOver->bytes.n - pRow->ik.iAt;
  }
  return SQLITE_OK;
}

/* One change: note the primary key, and what its value asks for. */
static int scnChange(KvStore *pStore, ScnMake *p, sqlite3_stmt *pStmt){
  KvOverlay *pOver = p->pOver;
  const u8 *aPk = sqlite3_column_blob(pStmt, 0);
  u32 nPk = (u32)sqlite3_column_bytes(pStmt, 0);
  ScnKey key;
  if( nPk<=p->pDef->nPrefix || kvIndexPlace(pStore, aPk, nPk) ) return SQLITE_OK;
  if( scnGrow((void**)&pOver->aDirty, pOver->nDirty, &pOver->nDirtyAlloc, sizeof(ScnKey)) ){
    return SQLITE_NOMEM;
  }
  key = scnPut(pOver, aPk, nPk);
  pOver->aDirty[pOver->nDirty++] = key;
  if( sqlite3_column_int(pStmt, 5) ) return SQLITE_OK;
  return scnRows(p, &key, pStmt);
}

/* Set the addresses. */
static void scnAddresses(KvOverlay *p){
  u32 i;
  for(i=0; i<p->nDirty; i++) p->aDirty[i].a = &p->bytes.a[p->aDirty[i].iAt];
  for(i=0; i<p->nRow; i++){
    p->aRow[i].ik.a = &p->bytes.a[p->aRow[i].ik.iAt];
    p->aRow[i].pk.a = &p->bytes.a[p->aRow[i].pk.iAt];
  }
}

/* Sort, and drop what occurs twice. */
static void scnFinish(KvOverlay *p){
  u32 i, n = 0;
  scnAddresses(p);
  if( p->nDirty>1 ) qsort(p->aDirty, p->nDirty, sizeof(ScnKey), scnKeyCompare);
  if( p->nRow>1 ) qsort(p->aRow, p->nRow, sizeof(ScnRow), scnRowCompare);
  for(i=0; i<p->nDirty; i++){
    if( n==0 || scnKeyCompare(&p->aDirty[n-1], &p->aDirty[i])!=0 ) p->aDirty[n++] = p->aDirty[i];
  }
  p->nDirty = n;
  for(i=0, n=0; i<p->nRow; i++){
    if( n==0 || scnRowCompare(&p->aRow[n-1], &p->aRow[i])!=0 ) p->aRow[n++] = p->aRow[i];
  }
  p->nRow = n;
  p->nBase = p->bytes.n;
}

static int scnIsDirty(const KvOverlay *p, const u8 *a, u32 n){
  ScnKey key;
  key.a = a;
  key.n = n;
  key.iAt = 0;
  return p->nDirty>0
      && bsearch(&key, p->aDirty, p->nDirty, sizeof(ScnKey), scnKeyCompare)!=0;
}

/* The rows of pOld without those of the keys that pNew has, and those of pNew.
** Both stay sorted.  pNew's bytes will be iMove further on. */
static u32 scnMergeRows(const KvOverlay *pOld, const KvOverlay *pNew, u32 iMove, ScnRow *aOut){
  u32 i = 0, k = 0, n = 0;
  while( i<pOld->nRow || k<pNew->nRow ){
    if( i<pOld->nRow && scnIsDirty(pNew, pOld->aRow[i].pk.a, pOld->aRow[i].pk.n) ){
      i++;
    }else if( k>=pNew->nRow || (i<pOld->nRow && scnRowCompare(&pOld->aRow[i], &pNew->aRow[k])<0) ){
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
static u32 scnMergeDirty(const KvOverlay *pOld, const KvOverlay *pNew, u32 iMove, ScnKey *aOut){
  u32 i = 0, k = 0, n = 0;
  while( i<pOld->nDirty || k<pNew->nDirty ){
    int c = i>=pOld->nDirty ? 1 : k>=pNew->nDirty ? -1 : scnKeyCompare(&pOld->aDirty[i], &pNew->aDirty[k]);
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
static int scnMerge(KvOverlay *p, const KvOverlay *pNew){
  u32 nDirty = p->nDirty + pNew->nDirty, nRow = p->nRow + pNew->nRow;
  u32 iMove = p->bytes.n;
  ScnKey *aDirty = sqlite3_malloc64((u64)(nDirty+1)*sizeof(ScnKey));
  ScnRow *aRow = sqlite3_malloc64((u64)(nRow+1)*sizeof(ScnRow));
  if( aDirty==0 || aRow==0 ){
    sqlite3_free(aDirty);
    sqlite3_free(aRow);
    return SQLITE_NOMEM;
  }
  p->nRow = scnMergeRows(p, pNew, iMove, aRow);
  p->nDirty = scnMergeDirty(p, pNew, iMove, aDirty);
  sqlite3_free(p->aRow);
  sqlite3_free(p->aDirty);
  p->aRow = aRow;
  p->aDirty = aDirty;
  p->nRowAlloc = nRow + 1;
  p->nDirtyAlloc = nDirty + 1;
  kvBufAppend(&p->bytes, pNew->bytes.a, pNew->bytes.n);
  if( p->bytes.eErr!=KV_OK ) return SQLITE_NOMEM;
  scnAddresses(p);
  return SQLITE_OK;
}

/* Add what a statement shows as changed. */
static int scnAdd(KvStore *pStore, ScnMake *p, int eSql, i64 iApplied, char **pzErr){
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
    rc = scnChange(pStore, p, pStmt->pStmt);
  }
  if( rc==SQLITE_DONE ) rc = SQLITE_OK;
  else if( rc!=SQLITE_NOMEM ) kvStoreFailed(pStore, rc, pzErr);
  kvStoreGive(pStore, pStmt);
  kvBufClear(&hi);
  return rc;
}

/* Make the overlay of an index from the feed, and from what is pending. */
static int scnMake(KvStore *pStore, const KvIndexDef *pDef, i64 iApplied, KvOverlay *pOver, char **pzErr){
  ScnMake make;
  int rc;
  memset(&make, 0, sizeof(make));
  make.pOver = pOver;
  make.pDef = pDef;
  rc = scnAdd(pStore, &make, KVSQL_TRACK_CHANGES, iApplied, pzErr);
  if( rc==SQLITE_OK && pOver->bPending ) rc = scnAdd(pStore, &make, KVSQL_INDEX_PENDING_CHANGES, 0, pzErr);
  kvTreeClear(&make.tree);
  kvBufClear(&make.parts);
  if( rc==SQLITE_OK && (pOver->bytes.eErr || make.parts.eErr) ) rc = SQLITE_NOMEM;
  if( rc==SQLITE_OK ) scnFinish(pOver);
  return rc;
}

/* A number that changes when the file does, as far as this connection sees.  Not
** inside of a transaction that writes. */
static u32 scnData(KvStore *p){
  unsigned int i = 0;
  sqlite3_file_control(p->db, p->zSchema, SQLITE_FCNTL_DATA_VERSION, &i);
  return i;
}

/* An empty one for such a state of the feed.  0 when memory ran out. */
static KvOverlay *scnNew(KvStore *pStore, const KvTrack *pTrack, int bPending){
  KvOverlay *p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return 0;
  memset(p, 0, sizeof(*p));
  p->nRef = 1;
  p->iGeneration = pTrack->iGeneration;
  p->iApplied = pTrack->iApplied;
  p->iVersion = pTrack->iVersion;
  p->bPending = (u8)bPending;
  p->iData = scnData(pStore);
  return p;
}

/* Can the overlay be brought up to the state?  What was merged leaves bytes
** behind that nobody needs: not for ever. */
static int scnCanGrow(const KvOverlay *p, const KvTrack *pTrack, int bPending, int bKeep){
  return p && bKeep && !bPending && !p->bPending && p->nRef==1 && p->iGeneration==pTrack->iGeneration
      && p->iApplied==pTrack->iApplied && p->iVersion<=pTrack->iVersion
      && p->bytes.n<2*(u64)p->nBase+65536;
}

/* Bring the overlay that is kept up to the state.  Of its own version, too, there
** may be changes since: plain SQL with the version of another program.  (Older ones
** would be pending.)  After an error there is none. */
static int scnExtend(KvStore *pStore, KvIndexDef *pDef, const KvTrack *pTrack, char **pzErr){
  KvOverlay *p = pDef->pOver;
  KvOverlay *pNew = scnNew(pStore, pTrack, 0);
  int rc = pNew ? scnMake(pStore, pDef, p->iVersion-1, pNew, pzErr) : SQLITE_NOMEM;
  if( rc==SQLITE_OK ) rc = scnMerge(p, pNew);
  p->iVersion = pTrack->iVersion;
  p->iData = scnData(pStore);
  scnRelease(pNew);
  if( rc!=SQLITE_OK ){
    scnRelease(p);
    pDef->pOver = 0;
  }
  return rc;
}

/* Is the overlay that is kept what it would be now? */
static int scnCurrent(KvStore *pStore, const KvOverlay *p, const KvTrack *pTrack, int bPending){
  return p && p->bKeep && p->iGeneration==pTrack->iGeneration && p->iApplied==pTrack->iApplied
      && p->iVersion==pTrack->iVersion && p->bPending==bPending && p->iData==scnData(pStore);
}

/* The overlay of an index, the one that is kept or a new one. */
static int scnOverlay(
  KvStore *pStore, KvIndexDef *pDef, const KvTrack *pTrack, int bPending,
  KvOverlay **ppOver, char **pzErr
){
  /* What is not committed yet may be rolled back, and others may then take
  ** the same version. */
  int bKeep = sqlite3_txn_state(pStore->db, pStore->zSchema)!=SQLITE_TXN_WRITE;
  int bCurrent = bKeep && scnCurrent(pStore, pDef->pOver, pTrack, bPending);
  KvOverlay *p;
  int rc;
  if( !bCurrent && scnCanGrow(pDef->pOver, pTrack, bPending, bKeep) ){
    rc = scnExtend(pStore, pDef, pTrack, pzErr);
    if( rc!=SQLITE_OK ) return rc;
    bCurrent = 1;
  }
  p = pDef->pOver;
  if( bCurrent ){
    p->nRef++;
    *ppOver = p;
    return SQLITE_OK;
  }
  scnRelease(p);
  pDef->pOver = 0;
  p = scnNew(pStore, pTrack, bPending);
  if( p==0 ) return SQLITE_NOMEM;
  p->bKeep = (u8)bKeep;
  rc = scnMake(pStore, pDef, pTrack->iApplied, p, pzErr);
  if( rc!=SQLITE_OK ){
    scnRelease(p);
    return rc;
  }
  if( p->bKeep ){
    pDef->pOver = p;
    p->nRef++;
  }
  *ppOver = p;
  return SQLITE_OK;
}

void kvOverlayDrop(KvOverlay *p){
  scnRelease(p);
}

/* ---- views --------------------------------------------------------------- */

int kvIndexOpen(KvStore *p, const char *zName, KvIndexView *pView, char **pzErr){
  KvIndexDef *pDef = 0;
  KvTrack track;
  int bPending = 0, rc;
  memset(pView, 0, sizeof(*pView));
  memset(&track, 0, sizeof(track));
  pView->pStore = p;
  pView->iNow = kvNow();
  rc = kvStoreReady(p, pzErr);
  if( rc==SQLITE_OK && p->eState!=KV_STORE_READY ) return SQLITE_NOTFOUND;
  if( rc==SQLITE_OK ) rc = kvTrackPin(p, &pView->pPin, &track, pzErr);
  if( rc==SQLITE_OK && !track.bThere ) rc = SQLITE_NOTFOUND;
  if( rc==SQLITE_OK ) rc = kvIndexByName(p, track.iGeneration, zName, &pDef, pzErr);
  if( rc==SQLITE_OK ){
    pView->mOptions = pDef->mOptions;
    pView->nName = pDef->nName;
    pView->aName = sqlite3_malloc64(pDef->nName);
    if( pView->aName ) memcpy(pView->aName, pDef->aName, pDef->nName);
    else rc = SQLITE_NOMEM;
  }
  if( rc==SQLITE_OK ) rc = kvIndexPending(p, &bPending, pzErr);
  if( rc==SQLITE_OK && (bPending || track.iApplied<track.iVersion) ){
    rc = scnOverlay(p, pDef, &track, bPending, &pView->pOver, pzErr);
  }
  if( rc==SQLITE_OK ){
    rc = kvMarksOpen(p);
    pView->bMarks = rc==SQLITE_OK;
  }
  if( rc!=SQLITE_OK ) kvIndexClose(pView);
  return rc;
}

void kvIndexClose(KvIndexView *p){
  if( p->bMarks ) kvMarksClose(p->pStore);
  if( p->pPin ) kvStoreGive(p->pStore, p->pPin);
  scnRelease(p->pOver);
  sqlite3_free(p->aName);
  memset(p, 0, sizeof(*p));
}

i64 kvIndexChanged(const KvIndexView *p){
  return p->pOver ? p->pOver->nDirty : 0;
}

/* ---- scans --------------------------------------------------------------- */

void kvIndexScanInit(KvIndexScan *p){
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->lo, 0, 0);
  kvBufInit(&p->hi, 0, 0);
}

void kvIndexScanStop(KvIndexScan *p){
  if( p->pStmt ) kvStoreGive(p->pView->pStore, p->pStmt);
  if( p->pPoint ) kvStoreGive(p->pView->pStore, p->pPoint);
  p->pStmt = p->pPoint = 0;
  p->pRow = 0;
  p->iOver = p->nOver = 0;
}

void kvIndexScanClear(KvIndexScan *p){
  kvIndexScanStop(p);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
}

/* The first row of the overlay that is not before a[0..n-1]. */
static u32 scnFind(const KvOverlay *p, const u8 *a, u32 n){
  u32 iLo = 0, iHi = p->nRow;
  while( iLo<iHi ){
    u32 iMid = iLo + (iHi-iLo)/2;
    if( scnMemcmp(p->aRow[iMid].ik.a, p->aRow[iMid].ik.n, a, n)<0 ) iLo = iMid+1;
    else iHi = iMid;
  }
  return iLo;
}

int kvIndexScanStart(KvIndexScan *p, KvIndexView *pView, int bDesc, char **pzErr){
  KvStore *pStore = pView->pStore;
  int rc;
  kvIndexScanStop(p);
  p->pView = pView;
  p->bDesc = (u8)bDesc;
  p->bStored = 0;
  if( p->lo.eErr || p->hi.eErr ) return SQLITE_NOMEM;
  if( pView->pOver ){
    p->iOver = scnFind(pView->pOver, p->lo.a, p->lo.n);
    p->nOver = scnFind(pView->pOver, p->hi.a, p->hi.n);
    if( p->nOver<p->iOver ) p->nOver = p->iOver;
  }
  p->iClock = kvMarksClock(pStore);
  rc = kvStoreStatement(pStore, bDesc ? KVSQL_INDEX_DOWN : KVSQL_INDEX_UP, &p->pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(p->pStmt, 1, p->lo.a, p->lo.n);
  kvBindBlob(p->pStmt, 2, p->hi.a, p->hi.n);
  kvBindInt(p->pStmt, 3, pView->iNow);
  return kvIndexScanStep(p, pzErr);
}

/* Stand on the next row of kv_index_row that counts, if there is one. */
static int scnStored(KvIndexScan *p, char **pzErr){
  const KvOverlay *pOver = p->pView->pOver;
  while( p->pStmt && !p->bStored ){
    sqlite3_stmt *pStmt = p->pStmt->pStmt;
    int rc = kvTrackStep(p->pView->pStore, p->pStmt);
    if( rc==SQLITE_ROW ){
      p->bStored = !pOver || !scnIsDirty(pOver, sqlite3_column_blob(pStmt, KVINDEX_COL_KEY),
          (u32)sqlite3_column_bytes(pStmt, KVINDEX_COL_KEY));
      continue;
    }
    if( rc!=SQLITE_DONE ) return kvStoreFailed(p->pView->pStore, rc, pzErr);
    kvStoreGive(p->pView->pStore, p->pStmt);
    p->pStmt = 0;
  }
  return SQLITE_OK;
}

/* Is the next row of the overlay before the one of kv_index_row? */
static int scnOverFirst(const KvIndexScan *p, const ScnRow *pRow){
  sqlite3_stmt *pStmt;
  int c;
  if( !p->bStored ) return 1;
  pStmt = p->pStmt->pStmt;             /* NOLINT: bStored says that it is there */
  c = scnMemcmp(pRow->ik.a, pRow->ik.n, sqlite3_column_blob(pStmt, KVINDEX_COL_IK),
                (u32)sqlite3_column_bytes(pStmt, KVINDEX_COL_IK));
  if( c==0 ){
    c = scnMemcmp(pRow->pk.a, pRow->pk.n, sqlite3_column_blob(pStmt, KVINDEX_COL_KEY),
                  (u32)sqlite3_column_bytes(pStmt, KVINDEX_COL_KEY));
  }
  return p->bDesc ? c>0 : c<0;
}

/* Look up the primary entry of a row of the overlay: SQLITE_ROW if it is
** there, or SQLITE_DONE. */
static int scnPoint(KvIndexScan *p, const ScnRow *pRow, char **pzErr){
  KvStore *pStore = p->pView->pStore;
  int rc = SQLITE_OK;
  if( p->pPoint==0 ) rc = kvStoreStatement(pStore, KVSQL_INDEX_POINT, &p->pPoint, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  sqlite3_reset(p->pPoint->pStmt);
  kvBindBlob(p->pPoint, 1, pRow->ik.a, pRow->ik.n);
  kvBindBlob(p->pPoint, 2, pRow->pk.a, pRow->pk.n);
  kvBindInt(p->pPoint, 3, p->pView->iNow);
  rc = kvStep(p->pPoint);
  return rc==SQLITE_ROW || rc==SQLITE_DONE ? rc : kvStoreFailed(pStore, rc, pzErr);
}

/* A row that was written since the scan began, by the statement that reads it
** (SELECT kv_set(key, ...) FROM kv_lookup(...)), is passed over: it could come
** again and again.  See marks.c. */
static int scnIsNew(KvIndexScan *p){
  return kvMarksSince(p->pView->pStore, sqlite3_column_blob(p->pRow, KVINDEX_COL_KEY),
      (u32)sqlite3_column_bytes(p->pRow, KVINDEX_COL_KEY), p->iClock);
}

int kvIndexScanStep(KvIndexScan *p, char **pzErr){
  const KvOverlay *pOver = p->pView->pOver;
  int rc;
  if( p->pRow && p->pStmt && p->pRow==p->pStmt->pStmt ) p->bStored = 0;
  p->pRow = 0;
  for(;;){
    rc = scnStored(p, pzErr);
    if( rc!=SQLITE_OK ) return rc;
    if( p->iOver<p->nOver ){
      const ScnRow *pRow = &pOver->aRow[p->bDesc ? p->nOver-1 : p->iOver];
      if( scnOverFirst(p, pRow) ){
        if( p->bDesc ) p->nOver--;
        else p->iOver++;
        rc = scnPoint(p, pRow, pzErr);
        if( rc==SQLITE_DONE ) continue;
        if( rc!=SQLITE_ROW ) return rc;
        p->pRow = p->pPoint->pStmt;
        if( scnIsNew(p) ) continue;
        return SQLITE_ROW;
      }
    }
    if( !p->bStored ) return SQLITE_DONE;
    p->pRow = p->pStmt->pStmt;         /* NOLINT: bStored says that it is there */
    if( !scnIsNew(p) ) return SQLITE_ROW;
    p->bStored = 0;
    p->pRow = 0;
  }
}
