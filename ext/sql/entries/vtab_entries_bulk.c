/*
** vtab_entries_bulk.c -- DELETE of all entries in a range of kv_entries.  See
** vtab_entries_bulk.h.
*/
#include "sql/entries/vtab_entries_bulk.h"
#include "sql/program.h"
#include "store/error.h"
#include "store/write.h"

/* Fewer rows are not worth the questions. */
#ifdef KV_DEBUG
# define ENTRIES_BULK_LEAST 16
#else
# define ENTRIES_BULK_LEAST 256
#endif

enum { ENTRIES_BULK_NONE, ENTRIES_BULK_READ, ENTRIES_BULK_GONE };

static i64 entriesBulkTotal(const KvVtab *pTab){
  return sqlite3_total_changes64(pTab->pConn->db);
}

void kvEntriesBulkBegin(KvVtab *pTab){
  ((KvEntriesTable*)pTab)->eBulk = ENTRIES_BULK_NONE;
}

/* The bound of a range that is read in descending order has moved. */
void kvEntriesBulkRead(KvVtab *pTab, const KvRowScan *pScan){
  KvEntriesTable *p = (KvEntriesTable*)pTab;
  p->eBulk = ENTRIES_BULK_NONE;
  if( pScan->nRow<ENTRIES_BULK_LEAST || (pScan->mRead & (KVREAD_DESC|KVREAD_POINT)) ) return;
  if( pTab->bElsewhere || pScan->bWritten || kvFailed(kvStoreError(pTab->pStore)) ) return;
  p->nTotal = entriesBulkTotal(pTab);
  if( p->nTotal!=pScan->nTotal ) return;
  p->nRow = pScan->nRow;         /* with the first, without the step to the end */
  p->iNow = pScan->iNow;
  kvBufReset(&p->hi);
  kvBufAdd(&p->hi, kvBufBytes(&pScan->hi));
  if( p->hi.eErr==KV_OK ) p->eBulk = ENTRIES_BULK_READ;
}

void kvEntriesBulkFree(KvVtab *pTab){
  kvBufClear(&((KvEntriesTable*)pTab)->hi);
}

/* While nothing else is written it is the same statement. */
int kvEntriesBulkGone(KvVtab *pTab){
  KvEntriesTable *p = (KvEntriesTable*)pTab;
  if( p->eBulk!=ENTRIES_BULK_GONE ) return 0;
  if( p->nRow==0 || !kvTxnIsLast(pTab->pStore) ){
    p->eBulk = ENTRIES_BULK_NONE;
    return 0;
  }
  p->nRow--;
  return 1;
}

/* The rows come in the order of their keys, so that this is the first. */
int kvEntriesBulkMay(KvVtab *pTab, KvBytes key, KvBulk *pBulk){
  KvEntriesTable *p = (KvEntriesTable*)pTab;
  KvError *pError = kvStoreError(pTab->pStore);
  int bRead = p->eBulk==ENTRIES_BULK_READ && entriesBulkTotal(pTab)==p->nTotal;
  p->eBulk = ENTRIES_BULK_NONE;
  if( !bRead ) return 0;
  pBulk->lo = key;
  pBulk->hi = kvBufBytes(&p->hi);
  pBulk->iNow = p->iNow;
  return kvProgramDeletesAll(pTab->pConn, &pTab->base, 0, pError)
      && kvBulkMay(pTab->pStore, !kvProgramOpens(pTab->pConn, pError), pBulk)
      && kvBulkCount(pTab->pStore, pBulk)==(i64)p->nRow;
}

void kvEntriesBulkDone(KvVtab *pTab){
  KvEntriesTable *p = (KvEntriesTable*)pTab;
  if( kvFailed(kvStoreError(pTab->pStore)) ) return;
  p->eBulk = ENTRIES_BULK_GONE;
  p->nRow--;
}
