/*
** collection_memo.c -- rows that a statement has found by their keys.  See collection_memo.h.
*/
#include "sql/collection/collection_memo.h"
#include "store/store.h"

/* The first questions only count, since most statements ask few; and it gives up if too few
** of MEMO_TRY keys come again.  It forgets all at MEMO_BYTES; no value is longer than
** MEMO_LONG. */
#define MEMO_FIRST  8
#define MEMO_TRY    512
#define MEMO_BYTES  1000000
#define MEMO_LONG   4096

/* What is before the value in KvCollectionMemo.rows. */
typedef struct MemoHead MemoHead;
struct MemoHead {
  i64 iExpires;
  int eEncoding;
  u32 n;                  /* Bytes that follow */
  u8 bRow;
};

static void memoForget(KvCollectionMemo *p){
  kvMapClear(&p->map);
  kvBufClear(&p->rows);
}

void kvCollectionMemoClear(KvCollectionMemo *p){
  memoForget(p);
  p->nAsked = p->nFound = 0;
}

static int memoActive(const KvCollectionMemo *p){
  return p->nTotal>=0 && p->nAsked>MEMO_FIRST
      && (p->nAsked<MEMO_TRY || p->nFound>=p->nAsked/4);
}

/* In a transaction that has written nothing is kept: nothing counts a rollback. */
int kvCollectionMemoAsk(
  KvCollectionMemo *p, const KvStore *pStore, i64 nTotal, KvBytes key, i64 iNow,
  KvCollectionRow *pRow
){
  const KvMapItem *pItem;
  MemoHead head;
  p->nAsked++;
  if( kvStoreTxnState(pStore)!=SQLITE_TXN_READ ) nTotal = -1;
  if( nTotal!=p->nTotal ) memoForget(p);
  p->nTotal = nTotal;
  if( !memoActive(p) || (pItem = kvMapFind(&p->map, key))==0 ) return KVMEMO_UNKNOWN;
  p->nFound++;
  memcpy(&head, &p->rows.a[pItem->iValue], sizeof(head));
  if( !head.bRow || (head.iExpires>=0 && head.iExpires<=iNow) ) return KVMEMO_NONE;
  kvCollectionRowSet(pRow, kvBytes(&p->rows.a[pItem->iValue + (i64)sizeof(head)], head.n),
                     head.eEncoding);
  return KVMEMO_ROW;
}

/* Without memory for it, it isn't kept. */
void kvCollectionMemoAdd(
  KvCollectionMemo *p, KvBytes key, const KvCollectionRow *pRow, i64 iExpires
){
  MemoHead head;
  KvMapItem *pItem;
  u32 iAt;
  if( !memoActive(p) || (pRow && pRow->value.n>MEMO_LONG) ) return;
  if( p->rows.n + p->map.bytes.n>MEMO_BYTES ) memoForget(p);
  memset(&head, 0, sizeof(head));
  head.bRow = pRow!=0;
  head.iExpires = iExpires;
  head.eEncoding = pRow ? pRow->eEncoding : 0;
  head.n = pRow ? pRow->value.n : 0;
  iAt = p->rows.n;
  kvBufAppend(&p->rows, &head, sizeof(head));
  if( pRow ) kvBufAdd(&p->rows, pRow->value);
  pItem = p->rows.eErr==KV_OK ? kvMapAdd(&p->map, key) : 0;
  if( pItem ) pItem->iValue = iAt;
  else memoForget(p);
}
