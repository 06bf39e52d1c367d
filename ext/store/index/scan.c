/*
** scan.c -- reading a declared index.  See scan.h.
**
** A scan merges runs of rows (ik, pk) in the order of their bytes: those that are
** stored, and those of the overlay, which has the dirty keys.  Stored rows that belong
** to such a key are passed over.
**
**   stored    ["c","blue"] 1   ["c","red"] 2   ["c","red"] 3
**   dirty     2: blue now, 3: deleted
**   overlay   ["c","blue"] 2
**   the scan  ["c","blue"] 1   ["c","blue"] 2
**
** The stored rows of a unique index are in kv_index_value.  Those of any other one are
** the index entries in kv, whose keys tell the primary ones; but for those with a key
** that is too long for kv, which are in kv_index_value, too.
*/
#include "store/store_int.h"
#include "codec/index_key.h"
#include "store/clock.h"
#include "store/feed.h"
#include "store/index/held.h"
#include "store/index/scan.h"
#include "store/row.h"

/* Where rows are stored (a bit mask), by the runs of a scan. */
#define SCAN_KV      0x01
#define SCAN_VALUES  0x02

/* ---- snapshots ------------------------------------------------------------ */

static u8 scanStored(KvStore *p, const KvIndexDef *pDef){
  KvStmt *pStmt;
  u8 m = SCAN_KV;
  if( pDef->mOptions & KVINDEX_UNIQUE ) return SCAN_VALUES;
  if( (pDef->mKind & (KVKIND_OTHER*KVKIND_EACH))==0 ) return SCAN_KV;
  pStmt = kvStmtWith(p, KVSQL_INDEX_VALUES_ANY, "bb", pDef->name, pDef->nameEnd);
  if( kvFeedRow(pStmt) ) m |= SCAN_VALUES;
  kvStmtGive(pStmt);
  return m;
}

static void scanOpen(KvIndexSnapshot *p, const KvIndexDef *pDef, const KvDirty *pDirty){
  KvStore *pStore = p->pStore;
  p->mOptions = pDef->mOptions;
  p->nPath = pDef->spec.nPath ? pDef->spec.nPath : 1;
  kvErrorCopy(&pStore->err, pDef->name, &p->name);
  kvIndexShape(pDef, &p->shape);
  kvErrorBuf(&pStore->err, &p->shape);
  p->mStored = scanStored(pStore, pDef);
  p->pRows = kvRowsOpen(pStore, pDef, pDirty);
  p->mKind = pDef->mKind | (p->pRows ? kvRowsKinds(p->pRows) : 0);
  kvGuardBegin(pStore);
  p->bGuard = 1;
  p->iClock = kvGuardClock(pStore);
}

int kvIndexOpen(KvStore *p, const char *zName, KvIndexSnapshot *pSnapshot){
  const KvIndexDef *pDef = 0;
  KvDirty dirty;
  memset(pSnapshot, 0, sizeof(*pSnapshot));
  pSnapshot->pStore = p;
  pSnapshot->iNow = kvNow();
  if( kvSchemaReady(p)!=KV_STORE_READY ) return 0;
  pSnapshot->pPin = kvDirtyPin(p, &dirty);
  if( dirty.bThere && kvIndexLoad(p, dirty.iGeneration)>0 ) pDef = kvIndexNamed(p, zName);
  if( pDef && (pDef->mOptions & KVINDEX_SEARCH) ){
    kvError(&p->err, SQLITE_ERROR, "kv: %!.100s is a full-text index; use "
        "kv_search('%!.100s', 'query')", zName, zName);
    pDef = 0;
  }
  if( pDef && (pDef->mOptions & KVINDEX_TABLE) ){
    kvError(&p->err, SQLITE_ERROR, "kv: %!.100s is a published table, not an index; SELECT from it",
        zName);
    pDef = 0;
  }
  if( pDef ) scanOpen(pSnapshot, pDef, &dirty);
  if( pDef && !kvFailed(&p->err) ) return 1;
  kvIndexClose(pSnapshot);
  return 0;
}

void kvIndexClose(KvIndexSnapshot *p){
  if( p->bGuard ) kvGuardEnd(p->pStore);
  kvStmtGive(p->pPin);
  kvRowsClose(p->pRows);
  kvBufClear(&p->name);
  kvBufClear(&p->shape);
  memset(p, 0, sizeof(*p));
}

void kvIndexKeys(KvIndexSnapshot *p){
  p->bKeys = (u8)kvDirtyLasting(p->pStore, p->iNow);
}

void kvIndexAgain(KvIndexSnapshot *p){
  p->iNow = kvNow();
}

int kvIndexSnapshotLeft(const KvIndexSnapshot *p, KvBytes ik){
  return ik.n>p->name.n && ik.p[p->name.n]==KV_TAG_LEFT;
}

/* ---- scans --------------------------------------------------------------- */

void kvIndexScanStop(KvIndexScan *p){
  int i;
  for(i=0; i<2; i++){
    kvStmtGive(p->aRun[i].pStmt);
    p->aRun[i].pStmt = 0;
    p->aRun[i].bRow = 0;
  }
  kvStmtGive(p->pPoint);
  p->pPoint = 0;
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

/* Begin to read what is stored in one place. */
static KvStmt *scanRun(const KvIndexScan *p, int iRun){
  static const int aSql[2][2][2] = {
    { { KVSQL_INDEX_ENTRIES_UP, KVSQL_INDEX_ENTRIES_DOWN },
      { KVSQL_INDEX_ENTRIES_KEYS_UP, KVSQL_INDEX_ENTRIES_KEYS_DOWN } },
    { { KVSQL_INDEX_UP, KVSQL_INDEX_DOWN },
      { KVSQL_INDEX_KEYS_UP, KVSQL_INDEX_KEYS_DOWN } },
  };
  const KvIndexSnapshot *pSnapshot = p->pSnapshot;
  KvStmt *pStmt = kvStmtTake(pSnapshot->pStore, aSql[iRun][pSnapshot->bKeys][p->bDesc]);
  kvBindBytes(pStmt, 1, kvBufBytes(&p->lo));
  kvBindBytes(pStmt, 2, kvBufBytes(&p->hi));
  if( !pSnapshot->bKeys ) kvBindInt(pStmt, 3, pSnapshot->iNow);
  if( iRun==0 ) kvBindBytes(pStmt, 4, kvBufBytes(&pSnapshot->shape));
  return pStmt;
}

int kvIndexScanStart(KvIndexScan *p, KvIndexSnapshot *pSnapshot, int bDesc){
  KvStore *pStore = pSnapshot->pStore;
  int i;
  kvIndexScanStop(p);
  p->pSnapshot = pSnapshot;
  p->bDesc = bDesc!=0;
  kvErrorBuf(&pStore->err, &p->lo);
  kvErrorBuf(&pStore->err, &p->hi);
  if( pSnapshot->pRows ){
    p->iOver = kvRowsFind(pSnapshot->pRows, kvBufBytes(&p->lo));
    p->nOver = kvRowsFind(pSnapshot->pRows, kvBufBytes(&p->hi));
    if( p->nOver<p->iOver ) p->nOver = p->iOver;
  }
  for(i=0; i<2; i++){
    if( pSnapshot->mStored & (1<<i) ) p->aRun[i].pStmt = scanRun(p, i);
  }
  return kvIndexScanStep(p);
}

/* Does the stored row count?  A key that tells no primary one is that of no entry. */
static int scanCounts(const KvIndexScan *p, KvStmt *pStmt){
  const KvRows *pRows = p->pSnapshot->pRows;
  KvBytes pk = kvStmtBytes(pStmt, KVINDEX_COL_KEY);
  return pk.n>0 && (pRows==0 || !kvRowsHave(pRows, kvStmtBytes(pStmt, KVINDEX_COL_IK), pk));
}

/* Advance a run to its next row that counts, if there is one. */
static void scanAdvance(KvIndexScan *p, KvStoredRows *pRun){
  while( pRun->pStmt && !pRun->bRow ){
    if( kvFeedRow(pRun->pStmt) ){
      pRun->bRow = scanCounts(p, pRun->pStmt)!=0;
    }else{
      kvStmtGive(pRun->pStmt);
      pRun->pStmt = 0;
    }
  }
}

/* The order of a row of a run and another one. */
static int scanCompare(const KvIndexScan *p, KvStmt *pStmt, KvBytes ik, KvBytes pk){
  int c = kvRowCompare(kvStmtBytes(pStmt, KVINDEX_COL_IK), kvStmtBytes(pStmt, KVINDEX_COL_KEY),
                       ik, pk);
  return p->bDesc ? -c : c;
}

/* The run of which the row is next; 0: none is. */
static KvStoredRows *scanNextRun(KvIndexScan *p){
  KvStoredRows *a = p->aRun;
  scanAdvance(p, &a[0]);
  scanAdvance(p, &a[1]);
  if( !a[0].bRow || !a[1].bRow ) return a[0].bRow ? &a[0] : a[1].bRow ? &a[1] : 0;
  return &a[scanCompare(p, a[0].pStmt, kvStmtBytes(a[1].pStmt, KVINDEX_COL_IK),
                        kvStmtBytes(a[1].pStmt, KVINDEX_COL_KEY))>0];
}

/* Look up a primary entry. */
static int scanPoint(KvIndexScan *p, KvBytes ik, KvBytes pk){
  const KvIndexSnapshot *pSnapshot = p->pSnapshot;
  if( p->pPoint==0 ) p->pPoint = kvStmtTake(pSnapshot->pStore, KVSQL_INDEX_POINT);
  else sqlite3_reset(p->pPoint->pStmt);
  kvBindBytes(p->pPoint, 1, ik);
  kvBindBytes(p->pPoint, 2, pk);
  kvBindInt(p->pPoint, 3, pSnapshot->iNow);
  return kvStmtRow(p->pPoint);
}

int kvIndexScanPoint(KvIndexScan *p, KvIndexSnapshot *pSnapshot, KvBytes ik, KvBytes pk){
  p->pSnapshot = pSnapshot;
  p->pRow = scanPoint(p, ik, pk) ? p->pPoint->pStmt : 0;
  return p->pRow!=0;
}

/* The next row, of the overlay or a stored one; 0 at the end. */
static KvStmt *scanNext(KvIndexScan *p){
  KvStoredRows *pRun;
  for(;;){
    pRun = scanNextRun(p);
    if( kvFailed(&p->pSnapshot->pStore->err) ) return 0;
    if( p->iOver<p->nOver ){
      const KvOverRow *pRow = kvRowsAt(p->pSnapshot->pRows, p->bDesc ? p->nOver-1 : p->iOver);
      if( pRun==0 || scanCompare(p, pRun->pStmt, pRow->ik, pRow->pk)>0 ){
        if( p->bDesc ) p->nOver--;
        else p->iOver++;
        if( kvRowsCount(p->pSnapshot->pRows, pRow) && scanPoint(p, pRow->ik, pRow->pk) ){
          return p->pPoint;
        }
        continue;
      }
    }
    if( pRun==0 ) return 0;
    pRun->bRow = 0;
    return pRun->pStmt;
  }
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
    pStmt = scanNext(p);
  }while( pStmt && kvGuardWritten(pStore, kvStmtBytes(pStmt, KVINDEX_COL_KEY), iClock) );
  p->pRow = pStmt ? pStmt->pStmt : 0;
  return pStmt!=0;
}

/* The one run of a scan, if there is but one, and its number. */
static KvStoredRows *scanOnly(KvIndexScan *p, int *pbKv){
  u8 m = p->pSnapshot->mStored;
  *pbKv = m==SCAN_KV;
  return m==SCAN_KV ? &p->aRun[0] : m==SCAN_VALUES ? &p->aRun[1] : 0;
}

/* Nothing was written since the index was opened, and nothing is dirty: all that the table
** has counts. */
u32 kvIndexScanLeap(KvIndexScan *p){
  KvStore *pStore = p->pSnapshot->pStore;
  int bKv;
  KvStoredRows *pRun = scanOnly(p, &bKv);
  KvStmt *pCount;
  i64 n = 0;
  if( p->pSnapshot->pRows || kvGuardClock(pStore)!=p->pSnapshot->iClock
   || pRun==0 || pRun->pStmt==0
  ){
    return 0;
  }
  kvErrorCopy(&pStore->err, kvStmtBytes(pRun->pStmt, KVINDEX_COL_IK), &p->ik);
  kvErrorCopy(&pStore->err, kvStmtBytes(pRun->pStmt, KVINDEX_COL_KEY), &p->pk);
  pCount = kvStmtWith(pStore, bKv ? KVSQL_INDEX_ENTRIES_REST : KVSQL_INDEX_REST, "bbb",
                      kvBufBytes(&p->ik), kvBufBytes(&p->pk), kvBufBytes(&p->hi));
  if( kvFeedRow(pCount) ) n = kvStmtInt(pCount, 0);
  kvStmtGive(pCount);
  if( n<=0 || n>UINT32_MAX ) return 0;
  kvStmtGive(pRun->pStmt);
  pRun->pStmt = 0;
  p->nLeap = (u32)n;
  return p->nLeap;
}

int kvIndexScanLand(KvIndexScan *p, u32 nAhead){
  const KvIndexSnapshot *pSnapshot = p->pSnapshot;
  int bKv;
  KvStoredRows *pRun = scanOnly(p, &bKv);
  KV_ASSERT( pRun && pRun->pStmt==0 && nAhead<p->nLeap );
  pRun->pStmt = kvStmtWith(pSnapshot->pStore, bKv ? KVSQL_INDEX_ENTRIES_LAND : KVSQL_INDEX_LAND,
                           "bbb", kvBufBytes(&p->ik), kvBufBytes(&p->pk), kvBufBytes(&p->hi));
  if( bKv ) kvBindBytes(pRun->pStmt, 5, kvBufBytes(&pSnapshot->shape));
  kvBindInt(pRun->pStmt, 4, (i64)(p->nLeap-1-nAhead));
  return kvIndexScanStep(p);
}
