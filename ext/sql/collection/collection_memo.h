/*
** collection_memo.h -- rows that a statement has found by their keys.
**
** The inner table of a join is asked for the same key again and again.  As long as a statement
** runs and its connection writes nothing, the file is one snapshot (snapshot.h), so that what
** was found is still there.
*/
#ifndef KV_COLLECTION_MEMO_H
#define KV_COLLECTION_MEMO_H

#include "bytes/map.h"
#include "sql/collection/collection_value.h"

/* All zero: nothing is known. */
typedef struct KvCollectionMemo KvCollectionMemo;
struct KvCollectionMemo {
  KvMap map;              /* Keys: where their rows are in ... */
  KvBuf rows;             /* ... this */
  i64 nTotal;             /* Changes on the connection before the first; -1: keep none */
  u32 nAsked, nFound;     /* How often it was asked, and knew */
};

/* What is known of a key. */
enum { KVMEMO_UNKNOWN, KVMEMO_NONE, KVMEMO_ROW };

/* Ask for a key; the value of the row is valid until one is added.  nTotal: changes on the
** connection. */
int kvCollectionMemoAsk(
  KvCollectionMemo *p, const KvStore *pStore, i64 nTotal, KvBytes key, i64 iNow,
  KvCollectionRow *pRow
);
/* Keep what was found: a row, which expires at iExpires (-1: never), or none (0). */
void kvCollectionMemoAdd(
  KvCollectionMemo *p, KvBytes key, const KvCollectionRow *pRow, i64 iExpires
);
/* Forget it all: the statement ends. */
void kvCollectionMemoClear(KvCollectionMemo *p);

#endif /* KV_COLLECTION_MEMO_H */
