/*
** collection_left.h -- rows of a collection that an index hasn't in their order.
**
** An index leaves out what is no part of a key, and has Dates among the numbers; a column
** shows both as text, JSON or bytes.  Where SQLite relies on the order of the index, such
** rows are gathered first, sorted by what is shown, and merged with those of the index.
*/
#ifndef KV_COLLECTION_LEFT_H
#define KV_COLLECTION_LEFT_H

#include "sql/collection/collection_check.h"
#include "sql/range/index_run.h"

/* A row: what its column shows, and its index entry. */
typedef struct KvCollectionLeftRow KvCollectionLeftRow;
struct KvCollectionLeftRow {
  KvCollectionOperand shown;
  KvBuf ik, pk;
};

/* All zero: none. */
typedef struct KvCollectionLeft KvCollectionLeft;
struct KvCollectionLeft {
  KvCollectionLeftRow *a;
  u32 n, nAlloc;
  u32 i;                  /* The next one */
  u8 bDesc, bNoCase;
  KvCollectionOperand row;         /* What the current row of the index shows */
  KvIndexScan point;
};

/* Forget all; free the memory. */
void kvCollectionLeftReset(KvCollectionLeft *p);
void kvCollectionLeftClear(KvCollectionLeft *p);
/* Add the row at which an index is, with p->row in its column.  Then sort them. */
void kvCollectionLeftAdd(KvCollectionLeft *p, const KvIndexRun *pRun, KvError *pErr);
void kvCollectionLeftSort(KvCollectionLeft *p);
/* Is the next one before a row that shows p->row?  0: there is none. */
int kvCollectionLeftFirst(const KvCollectionLeft *p);
/* Look up the next one, which is done then: its row is p->point.pRow.  False: it is gone. */
int kvCollectionLeftNext(KvCollectionLeft *p, KvIndexSnapshot *pSnapshot);

#endif /* KV_COLLECTION_LEFT_H */
