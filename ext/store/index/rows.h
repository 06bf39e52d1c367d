/*
** rows.h -- the rows of an index that are not stored yet: its overlay.
**
** A row is an index entry and its primary entry, (ik, pk), as the dirty keys ask for it.
** What is dirty is an index entry itself, if the key tells its primary entry: then the
** row counts if that one asks for it, which the reader looks up.
*/
#ifndef KV_INDEX_ROWS_H
#define KV_INDEX_ROWS_H

#include "store/index/overlay.h"

typedef struct KvOverRow KvOverRow;
struct KvOverRow {
  KvBytes ik, pk;
  u8 bLook;               /* It counts if pk isn't dirty and asks for ik */
  u8 bGone;               /* It doesn't count */
  KvOverRow *pNext;       /* Next row of the same dirty key */
};

/* The overlay of an index for a state of the list, of rows in their order: by ik, then
** by pk.  0 if nothing is dirty, or after an error. */
typedef struct KvRows KvRows;
KvRows *kvRowsOpen(KvStore *p, const KvIndexDef *pDef, const KvDirty *pDirty);
void kvRowsClose(KvRows *p);

/* What there is, or was, at the paths of the dirty keys: KVKIND_xxx. */
u32 kvRowsKinds(const KvRows *p);

/* Is the stored row of an index entry one of a dirty key, so that it doesn't count? */
int kvRowsHave(const KvRows *p, KvBytes ik, KvBytes pk);
/* The number of the first row whose ik is not before the key. */
u32 kvRowsFind(const KvRows *p, KvBytes key);
/* Row i, or 0: there are no more. */
const KvOverRow *kvRowsAt(const KvRows *p, u32 i);
int kvRowCompare(KvBytes ikA, KvBytes pkA, KvBytes ikB, KvBytes pkB);
/* Does a row count? */
int kvRowsCount(KvRows *p, const KvOverRow *pRow);

#endif /* KV_INDEX_ROWS_H */
