/*
** index_run.c -- reading an index in the order of SQL.  See index_run.h.
*/
#include "sql/range/index_run.h"
#include "bytes/memory.h"
#include "sql/args.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "store/store.h"

static KvBytes indexRunKey(const KvIndexScan *p){
  return kvArgBlob(sqlite3_column_value(p->pRow, KVINDEX_COL_IK));
}

static KvSpan *indexRunRange(const KvIndexRun *p, u32 i){
  return &p->ranges.a[p->iFirst + i];
}

static void indexRunBounds(KvIndexScan *p, KvBytes lo, KvBytes hi){
  kvBufReset(&p->lo);
  kvBufReset(&p->hi);
  kvBufAdd(&p->lo, lo);
  kvBufAdd(&p->hi, hi);
}

/* Begin again behind all rows that have the first nBase bytes and the next part of the
** current one. */
static int indexRunSkip(KvIndexRun *p, KvIndexScan *pScan, u32 nBase){
  KvBytes ik = indexRunKey(pScan);
  KvPart part;
  KvBuf bound;
  if( kvPartRead(ik, &nBase, &part, 0)!=KV_OK ) return 0;
  kvBufInit(&bound, 0, 0);
  kvBufAppend(&bound, ik.p, nBase);
  if( !p->bDesc ) kvBufPut(&bound, 0xff);
  kvErrorBuf(kvStoreError(p->snapshot.pStore), &bound);
  kvIndexScanStop(pScan);
  kvErrorCopy(kvStoreError(p->snapshot.pStore), kvBufBytes(&bound),
              p->bDesc ? &pScan->hi : &pScan->lo);
  kvBufClear(&bound);
  return !kvFailed(kvStoreError(p->snapshot.pStore))
      && kvIndexScanStart(pScan, &p->snapshot, p->bDesc);
}

/* Add the values of a range that there are, each after what precedes it. */
static void indexRunFind(void *pArg, KvBytes lo, KvBytes hi, u32 nBase, KvList *pOut){
  KvIndexRun *p = pArg;
  KvIndexScan scan;
  u8 bDesc = p->bDesc;
  int bRow;
  memset(&scan, 0, sizeof(scan));
  indexRunBounds(&scan, lo, hi);
  p->bDesc = 0;
  for(bRow=kvIndexScanStart(&scan, &p->snapshot, 0); bRow; bRow=indexRunSkip(p, &scan, nBase)){
    KvBytes ik = indexRunKey(&scan);
    u32 n = nBase;
    KvPart part;
    if( kvPartRead(ik, &n, &part, 0)!=KV_OK ) break;
    kvListAdd(pOut, kvBytes(ik.p, n));
  }
  p->bDesc = bDesc;
  kvIndexScanClear(&scan);
}

/* ---- the run --------------------------------------------------------------- */

/* The indexed value of a row of step 1. */
static KvIndexNumber indexRunNumber(KvBytes ik, u32 *pi){
  KvPart part;
  return kvPartRead(ik, pi, &part, 0)==KV_OK ? kvIndexNumberOf(&part) : kvIndexNumberInt(0);
}

/* Compare the indexed values of the rows on which two ranges of a step are, and of equal
** ones what follows. */
static int indexRunCompare(const KvIndexRun *p, u32 iA, u32 iB){
  KvBytes ikA = indexRunKey(&p->aScan[iA].scan), ikB = indexRunKey(&p->aScan[iB].scan);
  u32 nA = indexRunRange(p, iA)->nBase, nB = indexRunRange(p, iB)->nBase;
  if( indexRunRange(p, iA)->iStep==1 ){
    KvIndexNumber a = indexRunNumber(ikA, &nA), b = indexRunNumber(ikB, &nB);
    int c = kvIndexNumberCompare(&a, &b);
    if( c ) return c;
  }
  return kvBytesCompare(kvBytesFrom(ikA, nA), kvBytesFrom(ikB, nB));
}

/* Is a bigint of more than 64 bits, at which a range of step 3 is, within the bounds
** of text?  As text it has other neighbours. */
static int indexRunWithin(const KvIndexRun *p, const KvIndexScan *pScan, u32 i){
  const KvIndexBounds *pText = &p->ranges.pQuery->text;
  KvPart part;
  KvBuf digits, text;
  int bWithin;
  if( !pText->bLo && !pText->bHi ) return 1;
  if( kvPartRead(indexRunKey(pScan), &i, &part, 0)!=KV_OK ) return 1;
  kvBufInit(&digits, 0, 0);
  kvBufInit(&text, 0, 0);
  kvPartPrint(&digits, &part);
  kvKeyPutString(&text, kvBytes(digits.a, digits.n ? digits.n-1 : 0));   /* without the n */
  bWithin = !(pText->bLo && kvBytesCompare(kvBufBytes(&text), kvBufBytes(&pText->lo))<0)
         && !(pText->bHi && kvBytesCompare(kvBufBytes(&text), kvBufBytes(&pText->hi))>=0);
  kvErrorBuf(kvStoreError(p->snapshot.pStore), &digits);
  kvErrorBuf(kvStoreError(p->snapshot.pStore), &text);
  kvBufClear(&digits);
  kvBufClear(&text);
  return bWithin;
}

/* From the row at which range i of the step is (bRow), to one that counts. */
static void indexRunSettle(const KvIndexRun *p, u32 i, int bRow){
  KvIndexRunScan *pScan = &p->aScan[i];
  const KvSpan *pRange = indexRunRange(p, i);
  while( bRow && pRange->iStep==3 && !indexRunWithin(p, &pScan->scan, pRange->nBase) ){
    bRow = kvIndexScanStep(&pScan->scan);
  }
  pScan->bRow = (u8)(bRow!=0);
}

/* End the scans of the current step. */
static void indexRunStopStep(KvIndexRun *p){
  u32 i;
  for(i=0; i<p->nStep; i++) kvIndexScanStop(&p->aScan[i].scan);
  p->nStep = 0;
}

/* Start the ranges of the step that begins with range iFirst. */
static void indexRunStartStep(KvIndexRun *p){
  KvIndexRunScan *aNew;
  u32 i, nOld = p->nAlloc, n = p->iFirst;
  while( n<p->ranges.n && p->ranges.a[n].iStep==p->ranges.a[p->iFirst].iStep ) n++;
  n -= p->iFirst;
  aNew = kvReserve(p->aScan, &p->nAlloc, n, sizeof(*aNew));
  if( aNew==0 ){
    kvErrorCode(kvStoreError(p->snapshot.pStore), SQLITE_NOMEM);
    return;
  }
  if( p->nAlloc>nOld ) memset(&aNew[nOld], 0, (size_t)(p->nAlloc - nOld)*sizeof(*aNew));
  p->aScan = aNew;
  p->nStep = n;
  for(i=0; i<n; i++){
    KvIndexScan *pScan = &p->aScan[i].scan;
    indexRunBounds(pScan, kvRangesLo(&p->ranges, p->iFirst+i), kvRangesHi(&p->ranges, p->iFirst+i));
    indexRunSettle(p, i, kvIndexScanStart(pScan, &p->snapshot, p->bDesc));
  }
}

/* Which range of the current step is on the next row?  False: none.
** Of one base only those of step 1 have to be compared; the others follow one another. */
static int indexRunBest(KvIndexRun *p){
  int bFound = 0, bMany = p->ranges.nBase>1;
  u32 i;
  for(i=0; i<p->nStep; i++){
    if( !p->aScan[i].bRow ) continue;
    if( !bFound ){
      p->iBest = i;
    }else if( bMany || indexRunRange(p, i)->iStep==1 ){
      int c = indexRunCompare(p, i, p->iBest);
      if( p->bDesc ? c>0 : c<0 ) p->iBest = i;
    }
    bFound = 1;
  }
  return bFound;
}

/* To the next row, from the current step on. */
static int indexRunGo(KvIndexRun *p){
  while( p->iFirst<p->ranges.n && !kvFailed(kvStoreError(p->snapshot.pStore)) ){
    if( indexRunBest(p) ) return 1;
    p->iFirst += p->nStep;
    indexRunStopStep(p);
    if( p->iFirst<p->ranges.n ) indexRunStartStep(p);
  }
  return 0;
}

int kvIndexRunOpen(KvIndexRun *p, KvStore *pStore, const char *zName){
  KV_ASSERT( !p->bOpen );
  p->bOpen = (u8)kvIndexOpen(pStore, zName, &p->snapshot);
  return p->bOpen;
}

void kvIndexRunEnd(KvIndexRun *p){
  indexRunStopStep(p);
  p->iFirst = 0;
  kvRangesReset(&p->ranges);
}

int kvIndexRunStart(
  KvIndexRun *p, const KvIndexQuery *aQuery, u32 nQuery, int bDesc, int bKeys
){
  kvIndexRunEnd(p);
  if( bKeys ) kvIndexKeys(&p->snapshot);
  else p->snapshot.bKeys = 0;
  p->bDesc = (u8)bDesc;
  kvRangesMake(&p->ranges, kvBufBytes(&p->snapshot.name), aQuery, nQuery, 0, bDesc, indexRunFind, p,
               kvStoreError(p->snapshot.pStore));
  if( p->ranges.n>0 ) indexRunStartStep(p);
  return indexRunGo(p);
}

int kvIndexRunLong(KvIndexRun *p){
  KvIndexQuery query;
  int bRow;
  if( !kvIndexRunLeaves(p) ) return 0;
  if( p->snapshot.nPath>1 ) return 1;
  memset(&query, 0, sizeof(query));
  kvIndexQueryAny(&query, KVPARTS_LONG, kvStoreError(p->snapshot.pStore));
  bRow = kvIndexRunStart(p, &query, 1, 0, 0);
  kvIndexRunEnd(p);
  kvIndexQueryClear(&query);
  return bRow;
}

int kvIndexRunLeft(KvIndexRun *p){
  KvBuf lo = { 0 };
  kvIndexRunEnd(p);
  kvErrorCopy(kvStoreError(p->snapshot.pStore), kvBufBytes(&p->snapshot.name), &lo);
  kvBufPut(&lo, KV_TAG_LEFT);
  kvErrorBuf(kvStoreError(p->snapshot.pStore), &lo);
  p->bDesc = 0;
  kvRangesBelow(&p->ranges, kvBufBytes(&lo), kvStoreError(p->snapshot.pStore));
  kvBufClear(&lo);
  if( p->ranges.n>0 ) indexRunStartStep(p);
  return indexRunGo(p);
}

int kvIndexRunNext(KvIndexRun *p){
  indexRunSettle(p, p->iBest, kvIndexScanStep(&p->aScan[p->iBest].scan));
  return indexRunGo(p);
}

int kvIndexRunNextValue(KvIndexRun *p){
  indexRunSettle(p, p->iBest, indexRunSkip(p, &p->aScan[p->iBest].scan, p->snapshot.name.n));
  return indexRunGo(p);
}

u32 kvIndexRunLeap(KvIndexRun *p){
  if( indexRunRange(p, p->iBest)->iStep==3 || !p->snapshot.bKeys || p->bDesc ) return 0;
  return kvIndexScanLeap(&p->aScan[p->iBest].scan);
}

int kvIndexRunLand(KvIndexRun *p, u32 nAhead){
  return kvIndexScanLand(&p->aScan[p->iBest].scan, nAhead);
}

void kvIndexRunStop(KvIndexRun *p){
  kvIndexRunEnd(p);
  if( p->bOpen ) kvIndexClose(&p->snapshot);
  p->bOpen = 0;
}

u64 kvIndexRunMemory(const KvIndexRun *p){
  u64 n = (u64)p->nAlloc*sizeof(*p->aScan) + (u64)p->ranges.nAlloc*sizeof(*p->ranges.a)
        + p->ranges.bytes.nAlloc + p->ranges.bases.bytes.nAlloc + p->ranges.parts.bytes.nAlloc
        + p->ranges.next.bytes.nAlloc;
  u32 i;
  for(i=0; i<p->nAlloc; i++){
    const KvIndexScan *pScan = &p->aScan[i].scan;
    n += (u64)pScan->ik.nAlloc + pScan->pk.nAlloc + pScan->lo.nAlloc + pScan->hi.nAlloc;
  }
  return n;
}

void kvIndexRunClear(KvIndexRun *p){
  u32 i;
  kvIndexRunStop(p);
  for(i=0; i<p->nAlloc; i++) kvIndexScanClear(&p->aScan[i].scan);
  kvFree(p->aScan);
  kvRangesClear(&p->ranges);
  p->aScan = 0;
  p->nAlloc = 0;
}
