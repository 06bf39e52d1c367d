/*
** collection_measure.c -- how many rows an index has for a value.  See
** collection_measure.h.
*/
#include "sql/collection_measure.h"
#include "codec/key/key_bytes.h"
#include "sql/args.h"
#include "store/index/scan.h"
#include "store/schema.h"
#include "store/store.h"

/* Values that are looked at, and rows of each. */
#define MEASURE_VALUES 8
#define MEASURE_ROWS   12
#define MEASURE_GUESS  10.0

struct KvCollectionMeasure {
  char *zIndex;
  u32 nValue;             /* As many of its values together */
  u32 iSchema, iData;     /* kvSchemaCount(), and what tells that others wrote */
  i64 nTotal;             /* Changes on the connection */
  double rRows;           /* For a value */
  KvCollectionMeasure *pNext;
};

static KvCollectionMeasure *measureFind(
  const KvCollection *p, const char *zIndex, u32 nValue
){
  KvCollectionMeasure *pKnown = p->pMeasured;
  while( pKnown && (pKnown->nValue!=nValue || strcmp(pKnown->zIndex, zIndex)!=0) ){
    pKnown = pKnown->pNext;
  }
  return pKnown;
}

double kvCollectionMeasured(const KvCollection *p, const char *zIndex, u32 nValue){
  const KvCollectionMeasure *pKnown = measureFind(p, zIndex, nValue);
  return pKnown ? pKnown->rRows : MEASURE_GUESS;
}

void kvCollectionMeasureFree(KvCollection *p){
  while( p->pMeasured ){
    KvCollectionMeasure *pNext = p->pMeasured->pNext;
    sqlite3_free(p->pMeasured->zIndex);
    sqlite3_free(p->pMeasured);
    p->pMeasured = pNext;
  }
}

/* Count the rows of the next value, of nPart parts, which begins at pScan->lo, and move that
** after it.  0: there is none. */
static u32 measureValue(
  KvIndexScan *pScan, KvIndexSnapshot *pSnapshot, u32 nPart, KvBuf *pValue
){
  int bRow = kvIndexScanStart(pScan, pSnapshot, 0);
  u32 n = 0, i = pSnapshot->name.n, k;
  KvPart part;
  for(; bRow && n<MEASURE_ROWS; bRow=kvIndexScanStep(pScan)){
    KvBytes ik = kvArgBlob(sqlite3_column_value(pScan->pRow, KVINDEX_COL_IK));
    if( n==0 ){
      for(k=0; k<nPart; k++){
        if( kvPartRead(ik, &i, &part, 0)!=KV_OK ) return 0;
      }
      kvBufReset(pValue);
      kvBufAppend(pValue, ik.p, i);
    }else if( !kvBytesBegins(ik, kvBufBytes(pValue)) ){
      break;
    }
    n++;
  }
  kvIndexScanStop(pScan);
  kvBufReset(&pScan->lo);
  kvBufAdd(&pScan->lo, kvBufBytes(pValue));
  kvBufPut(&pScan->lo, 0xff);
  return n;
}

/* Rows for a value.  If there are only a few values, and more rows than are counted, each
** may have its part of all rows. */
static double measureRows(KvStore *pStore, const char *zIndex, u32 nPart){
  KvIndexSnapshot snapshot;
  KvIndexScan scan;
  KvBuf value;
  u32 nValue = 0, nFull = 0, nRow = 0, n = 1;
  if( !kvIndexOpen(pStore, zIndex, &snapshot) ) return MEASURE_GUESS;
  kvIndexKeys(&snapshot);
  memset(&scan, 0, sizeof(scan));
  kvBufInit(&value, 0, 0);
  kvBufAdd(&scan.lo, kvBufBytes(&snapshot.name));
  kvBufAdd(&scan.hi, kvBufBytes(&snapshot.name));
  kvBufPut(&scan.hi, 0xff);
  while( nValue<MEASURE_VALUES && (n = measureValue(&scan, &snapshot, nPart, &value))>0 ){
    nValue++;
    nRow += n;
    nFull += n==MEASURE_ROWS;
  }
  kvErrorBuf(kvStoreError(pStore), &value);
  kvBufClear(&value);
  kvIndexScanClear(&scan);
  kvIndexClose(&snapshot);
  if( nValue==0 ) return 1.0;
  if( nFull>0 && n==0 ) return KVCOLL_ROWS/nValue;
  return (double)nRow/nValue + (double)nFull/nValue*(KVCOLL_ROWS/1024);
}

void kvCollectionMeasure(KvCollection *p, const char *zIndex, u32 nValue){
  KvStore *pStore = p->t.pStore;
  KvCollectionMeasure *pKnown = measureFind(p, zIndex, nValue);
  unsigned iData = 0;
  u32 iSchema = kvSchemaCount(pStore);
  i64 nTotal = sqlite3_total_changes64(kvStoreDb(pStore));
  sqlite3_file_control(kvStoreDb(pStore), p->zSchema, SQLITE_FCNTL_DATA_VERSION, &iData);
  if( pKnown && pKnown->iSchema==iSchema && pKnown->iData==iData && pKnown->nTotal==nTotal ) return;
  if( pKnown==0 ){
    pKnown = kvZeroed(sizeof(*pKnown));
    if( pKnown ) pKnown->zIndex = sqlite3_mprintf("%s", zIndex);
    if( pKnown==0 || pKnown->zIndex==0 ){
      sqlite3_free(pKnown);
      kvErrorCode(kvStoreError(pStore), SQLITE_NOMEM);
      return;
    }
    pKnown->nValue = nValue;
    pKnown->pNext = p->pMeasured;
    p->pMeasured = pKnown;
  }
  pKnown->iSchema = iSchema;
  pKnown->iData = iData;
  pKnown->nTotal = nTotal;
  pKnown->rRows = measureRows(pStore, pKnown->zIndex, nValue);
}
