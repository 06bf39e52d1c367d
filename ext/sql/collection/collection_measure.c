/*
** collection_measure.c -- sizes of a collection.  See collection_measure.h.
**
** How many rows a value has follows from how many different ones there are.
*/
#include "sql/collection/collection_measure.h"
#include "codec/key/key_bytes.h"
#include "sql/args.h"
#include "store/index/scan.h"
#include "store/row.h"
#include "store/schema.h"
#include "store/store.h"

/* Values that are looked at, in any case and at most, and rows of each. */
#define MEASURE_FEW    24
#define MEASURE_MANY   256
#define MEASURE_ROWS   12
/* What was measured is measured again after so many changes of the file, of which one that is
** certainly another connection's counts as many as MEASURE_OTHERS.  Each time that it comes out
** about as before then doubles their number, up to MEASURE_RARELY. */
#define MEASURE_OTHERS 16
#define MEASURE_RARELY (64*MEASURE_OTHERS)

struct KvCollectionMeasure {
  char *zIndex;           /* 0: the primary key */
  u32 nValue;             /* As many of its values together; 0: all rows */
  double rRows;           /* For a value */
  u32 iSchema;            /* When it was measured: kvSchemaCount(), ... */
  i64 nMeasured;          /* ... changes on the connection */
  u32 iData;              /* When it was last asked for: what changes with a commit, ... */
  i64 nTotal;             /* ... changes on the connection before a transaction */
  u32 nNotice, nWait;     /* Changes of the file since it was measured, and how many may be */
  KvCollectionMeasure *pNext;
};

void kvCollectionMeasureFree(KvCollection *p){
  while( p->pMeasured ){
    KvCollectionMeasure *pNext = p->pMeasured->pNext;
    sqlite3_free(p->pMeasured->zIndex);
    sqlite3_free(p->pMeasured);
    p->pMeasured = pNext;
  }
}

/* ---- rows for a value ------------------------------------------------------------- */

/* Rows that are read one by one: of an index, or keys. */
typedef struct MeasureScan MeasureScan;
struct MeasureScan {
  KvStore *pStore;
  KvIndexSnapshot *pSnapshot;      /* 0: keys */
  KvIndexScan scan;                /* Its lo and hi are the bounds of keys, too */
  KvStmt *pStmt;
  KvBuf value;
};

static int measureStart(MeasureScan *p){
  if( p->pSnapshot ) return kvIndexScanStart(&p->scan, p->pSnapshot, 0);
  p->pStmt = kvStmtReader(p->pStore, KVREAD_UPPER|KVREAD_ALL);
  kvBindBytes(p->pStmt, 1, kvBufBytes(&p->scan.lo));
  kvBindBytes(p->pStmt, 2, kvBufBytes(&p->scan.hi));
  return kvStmtRow(p->pStmt);
}

static int measureStep(MeasureScan *p){
  return p->pSnapshot ? kvIndexScanStep(&p->scan) : kvStmtRow(p->pStmt);
}

static KvBytes measureKey(const MeasureScan *p){
  if( p->pSnapshot ) return kvArgBlob(sqlite3_column_value(p->scan.pRow, KVINDEX_COL_IK));
  return kvStmtBytes(p->pStmt, KVREAD_COL_KEY);
}

/* Count the rows of the next value, of nPart parts after nBase bytes, and go behind it.  0:
** there is none. */
static u32 measureValue(MeasureScan *p, u32 nBase, u32 nPart){
  int bRow = measureStart(p);
  u32 n = 0, i = nBase, k;
  KvPart part;
  for(; bRow && n<MEASURE_ROWS; bRow=measureStep(p)){
    KvBytes key = measureKey(p);
    if( n==0 ){
      for(k=0; k<nPart && i<key.n && kvPartRead(key, &i, &part, 0)==KV_OK; k++){}
      kvErrorCopy(kvStoreError(p->pStore), kvBytes(key.p, i), &p->value);
    }else if( !kvBytesBegins(key, kvBufBytes(&p->value)) ){
      break;
    }
    n++;
  }
  kvIndexScanStop(&p->scan);
  kvStmtGive(p->pStmt);
  p->pStmt = 0;
  kvBufPut(&p->value, 0xff);
  kvErrorBuf(kvStoreError(p->pStore), &p->value);
  kvErrorCopy(kvStoreError(p->pStore), kvBufBytes(&p->value), &p->scan.lo);
  return n;
}

/* Rows for a value, of rAll in all.  Of a few values each may have its part of them. */
static double measureEach(MeasureScan *p, KvBytes base, u32 nPart, double rAll){
  KvError *pErr = kvStoreError(p->pStore);
  u32 nValue = 0, nFull = 0, nRow = 0, n = 1;
  kvErrorCopy(pErr, base, &p->scan.lo);
  kvErrorCopy(pErr, base, &p->scan.hi);
  kvBufPut(&p->scan.lo, 0);
  kvBufPut(&p->scan.hi, 0xff);
  kvErrorBuf(pErr, &p->scan.lo);
  kvErrorBuf(pErr, &p->scan.hi);
  while( !kvFailed(pErr) && nValue<(nFull>nValue/4 ? MEASURE_MANY : MEASURE_FEW)
      && (n = measureValue(p, base.n, nPart))>0
  ){
    nValue++;
    nRow += n;
    nFull += n==MEASURE_ROWS;
  }
  kvBufClear(&p->value);
  kvIndexScanClear(&p->scan);
  if( nValue==0 ) return 1.0;
  if( n==0 && nFull>0 ) return rAll/nValue;
  /* Those that weren't counted to their end have more, but not many more if there are many */
  return (double)nRow/nValue*(nFull>0 ? 1.0 + 4.0*nFull/nValue : 1.0);
}

static double measureIndex(KvStore *pStore, const char *zIndex, u32 nPart, double rAll){
  KvIndexSnapshot snapshot;
  MeasureScan scan = { .pStore = pStore, .pSnapshot = &snapshot };
  double rRows;
  if( !kvIndexOpen(pStore, zIndex, &snapshot) ) return 1.0;
  kvIndexKeys(&snapshot);
  rRows = measureEach(&scan, kvBufBytes(&snapshot.name), nPart, rAll);
  kvIndexClose(&snapshot);
  return rRows;
}

/* ---- what is known ------------------------------------------------------------------ */

static KvCollectionMeasure *measureNew(KvCollection *p, const char *zIndex, u32 nValue){
  KvCollectionMeasure *pNew = kvZeroed(sizeof(*pNew));
  if( pNew && zIndex && (pNew->zIndex = sqlite3_mprintf("%s", zIndex))==0 ){
    sqlite3_free(pNew);
    pNew = 0;
  }
  if( pNew==0 ){
    kvErrorCode(kvStoreError(p->t.pStore), SQLITE_NOMEM);
    return 0;
  }
  pNew->nValue = nValue;
  pNew->iSchema = UINT32_MAX;
  pNew->pNext = p->pMeasured;
  p->pMeasured = pNew;
  return pNew;
}

/* Does it still hold?  Commits of other connections can't be counted, nor what they change,
** and those of this one look like them but for its own changes. */
static int measureHolds(
  KvCollectionMeasure *p, sqlite3 *db, u32 iSchema, u32 iData, double rAll
){
  i64 nTotal = sqlite3_total_changes64(db);
  if( p->iData!=iData ) p->nNotice += p->nTotal==nTotal ? MEASURE_OTHERS : 1;
  p->iData = iData;
  if( sqlite3_get_autocommit(db) ) p->nTotal = nTotal;
  return p->iSchema==iSchema && p->nNotice<p->nWait
      && (double)(nTotal - p->nMeasured)<16.0 + (rAll>0.0 ? rAll : p->rRows)/4;
}

/* Measure it. */
static void measureNow(KvCollection *p, KvCollectionMeasure *pKnown, double rAll){
  KvStore *pStore = p->t.pStore;
  MeasureScan scan = { .pStore = pStore };
  KvBuf hi = { 0 };
  double rBefore = pKnown->rRows;
  if( pKnown->nValue==0 ){
    kvErrorCopy(kvStoreError(pStore), kvBufBytes(&p->def.prefix), &hi);
    kvBufPut(&hi, 0xff);
    kvErrorBuf(kvStoreError(pStore), &hi);
    pKnown->rRows = kvRowEstimate(pStore, kvBufBytes(&p->def.prefix), kvBufBytes(&hi));
    kvBufClear(&hi);
  }else if( pKnown->zIndex ){
    pKnown->rRows = measureIndex(pStore, pKnown->zIndex, pKnown->nValue, rAll);
  }else{
    pKnown->rRows = measureEach(&scan, kvBufBytes(&p->def.prefix), pKnown->nValue, rAll);
  }
  if( pKnown->rRows<1.0 ) pKnown->rRows = 1.0;
  if( pKnown->rRows<0.75*rBefore || pKnown->rRows>1.25*rBefore ){
    pKnown->nWait = MEASURE_OTHERS;
  }else if( pKnown->nNotice>=pKnown->nWait && pKnown->nWait<MEASURE_RARELY ){
    pKnown->nWait *= 2;
  }
  pKnown->nNotice = 0;
}

static KvCollectionMeasure *measureFind(const KvCollection *p, const char *zIndex, u32 nValue){
  KvCollectionMeasure *pKnown = p->pMeasured;
  for(; pKnown; pKnown=pKnown->pNext){
    if( pKnown->nValue!=nValue || (pKnown->zIndex==0)!=(zIndex==0) ) continue;
    if( zIndex==0 || strcmp(pKnown->zIndex, zIndex)==0 ) break;
  }
  return pKnown;
}

static double measure(KvCollection *p, const char *zIndex, u32 nValue, double rAll){
  KvStore *pStore = p->t.pStore;
  sqlite3 *db = kvStoreDb(pStore);
  KvCollectionMeasure *pKnown;
  u32 iSchema, iData = 0;
  if( kvSchemaReady(pStore)!=KV_STORE_READY ) return 1.0;
  iSchema = kvSchemaCount(pStore);
  sqlite3_file_control(db, p->zSchema, SQLITE_FCNTL_DATA_VERSION, &iData);
  pKnown = measureFind(p, zIndex, nValue);
  if( pKnown==0 && (pKnown = measureNew(p, zIndex, nValue))==0 ) return 1.0;
  if( measureHolds(pKnown, db, iSchema, iData, rAll) ) return pKnown->rRows;
  pKnown->iSchema = iSchema;
  pKnown->nMeasured = sqlite3_total_changes64(db);
  measureNow(p, pKnown, rAll);
  return pKnown->rRows;
}

double kvCollectionRows(KvCollection *p){
  return measure(p, 0, 0, 0.0);
}

double kvCollectionRowsEach(KvCollection *p, const char *zIndex, u32 nValue){
  return measure(p, zIndex, nValue, kvCollectionRows(p));
}

double kvCollectionRowsFound(const KvCollection *p, const char *zIndex, u32 nValue){
  const KvCollectionMeasure *pKnown = measureFind(p, zIndex, nValue);
  return pKnown ? pKnown->rRows : 10.0;
}
