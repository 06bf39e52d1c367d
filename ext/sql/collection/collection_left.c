/*
** collection_left.c -- rows that an index hasn't in their order.  See collection_left.h.
*/
#include "sql/collection/collection_left.h"
#include "bytes/memory.h"
#include "sql/args.h"
#include <stdlib.h>

void kvCollectionLeftReset(KvCollectionLeft *p){
  p->n = p->i = 0;
  kvIndexScanStop(&p->point);
}

void kvCollectionLeftClear(KvCollectionLeft *p){
  u32 i;
  for(i=0; i<p->nAlloc; i++){
    kvBufClear(&p->a[i].shown.bytes);
    kvBufClear(&p->a[i].ik);
    kvBufClear(&p->a[i].pk);
  }
  kvFree(p->a);
  kvBufClear(&p->row.bytes);
  kvIndexScanClear(&p->point);
  memset(p, 0, sizeof(*p));
}

void kvCollectionLeftAdd(KvCollectionLeft *p, const KvIndexRun *pRun, KvError *pErr){
  sqlite3_stmt *pStmt = kvIndexRunRow(pRun);
  u32 nOld = p->nAlloc;
  KvCollectionLeftRow *aNew = kvReserve(p->a, &p->nAlloc, (u64)p->n + 1, sizeof(*aNew));
  if( aNew==0 ){
    kvErrorCode(pErr, SQLITE_NOMEM);
    return;
  }
  p->a = aNew;
  if( p->nAlloc>nOld ) memset(&aNew[nOld], 0, (p->nAlloc - nOld)*sizeof(*aNew));
  aNew = &p->a[p->n++];
  aNew->shown.eClass = p->row.eClass;
  aNew->shown.number = p->row.number;
  kvErrorCopy(pErr, kvBufBytes(&p->row.bytes), &aNew->shown.bytes);
  kvErrorCopy(pErr, kvArgBlob(sqlite3_column_value(pStmt, KVINDEX_COL_IK)), &aNew->ik);
  kvErrorCopy(pErr, kvArgBlob(sqlite3_column_value(pStmt, KVINDEX_COL_KEY)), &aNew->pk);
}

/* SQLite's order of classes: NULL, numbers, texts, bytes. */
static int leftRank(const KvCollectionOperand *p){
  if( p->eClass==SQLITE_NULL ) return 0;
  return p->eClass==SQLITE_FLOAT ? 1 : p->eClass==SQLITE_TEXT ? 2 : 3;
}

/* The collation NOCASE. */
static int leftNoCase(KvBytes a, KvBytes b){
  u32 n = a.n<b.n ? a.n : b.n;
  int c = n>0 ? sqlite3_strnicmp((const char*)a.p, (const char*)b.p, (int)n) : 0;
  return c ? c : (a.n>b.n) - (a.n<b.n);
}

static int leftCompare(const KvCollectionOperand *pA, const KvCollectionOperand *pB, int bNoCase){
  KvBytes a = kvBufBytes(&pA->bytes), b = kvBufBytes(&pB->bytes);
  int c = leftRank(pA) - leftRank(pB);
  if( c || pA->eClass==SQLITE_NULL ) return c;
  if( pA->eClass==SQLITE_FLOAT ) return kvIndexNumberCompare(&pA->number, &pB->number);
  return bNoCase && pA->eClass==SQLITE_TEXT ? leftNoCase(a, b) : kvBytesCompare(a, b);
}

static int leftUp(const void *pA, const void *pB){
  return leftCompare(&((const KvCollectionLeftRow*)pA)->shown,
                     &((const KvCollectionLeftRow*)pB)->shown, 0);
}
static int leftUpNoCase(const void *pA, const void *pB){
  return leftCompare(&((const KvCollectionLeftRow*)pA)->shown,
                     &((const KvCollectionLeftRow*)pB)->shown, 1);
}
static int leftDown(const void *pA, const void *pB){
  return leftUp(pB, pA);
}
static int leftDownNoCase(const void *pA, const void *pB){
  return leftUpNoCase(pB, pA);
}

void kvCollectionLeftSort(KvCollectionLeft *p){
  static int (*const axOrder[2][2])(const void*, const void*) = {
    { leftUp, leftUpNoCase }, { leftDown, leftDownNoCase }
  };
  if( p->n>1 ) qsort(p->a, p->n, sizeof(*p->a), axOrder[p->bDesc][p->bNoCase]);
}

int kvCollectionLeftFirst(const KvCollectionLeft *p){
  int c;
  if( p->i==p->n ) return 0;
  c = leftCompare(&p->a[p->i].shown, &p->row, p->bNoCase);
  return p->bDesc ? c>0 : c<0;
}

int kvCollectionLeftNext(KvCollectionLeft *p, KvIndexSnapshot *pSnapshot){
  const KvCollectionLeftRow *pRow = &p->a[p->i++];
  return kvIndexScanPoint(&p->point, pSnapshot, kvBufBytes(&pRow->ik), kvBufBytes(&pRow->pk));
}
