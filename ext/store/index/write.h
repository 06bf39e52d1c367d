/*
** write.h -- index maintenance.
*/
#ifndef KV_INDEX_WRITE_H
#define KV_INDEX_WRITE_H

#include "store/index/def.h"
#include "store/row.h"

/* What the entry of a key was before a write.  All zero: it is not known. */
typedef struct KvBefore KvBefore;
struct KvBefore {
  u8 bKnown;              /* It was what the indexes show */
  const KvFound *pFound;  /* ... the entry, with its value, or that there was none */
  KvFound own;            /* It was read for this */
  u8 aSpace[1024];
};

/* Writers call these: before the entry of a key is set or removed (pOld: what it is, if that
** is known, which must stay); and after it was set to *pNew, or removed if that is 0.
** kvIndexUpdated() is the same if parts of it were changed, KVSET_xxx, but not the key. */
void kvIndexBefore(KvStore *p, KvBytes key, const KvFound *pOld, KvBefore *pBefore);
void kvIndexWritten(KvStore *p, KvBytes key, KvBefore *pBefore, const KvRow *pNew);
void kvIndexUpdated(KvStore *p, KvBytes key, KvBefore *pBefore, u32 mSet, const KvRow *pNew);

/*
** Between these two, writes are only recorded, and uniqueness is checked at the
** end: so two entries can exchange their values.  pList is the caller's.  Call
** kvIndexDeferEnd() after an error, too.
*/
void kvIndexDefer(KvStore *p, KvList *pList);
void kvIndexDeferEnd(KvStore *p);

/*
** Compare the index entries that a primary entry requires with those that it has,
** and update the rows of kv_index_held and kv_index_value and the index entries.
** Call it after kvIndexEnter().  Returns the change in the number of its index
** entries.
*/
#define KVINDEX_REMOVE  1   /* Remove the index entries that are not required */
#define KVINDEX_ADD     2   /* Add those that are */
#define KVINDEX_STRICT  4   /* What can't be added is an error */
u32 kvIndexMaintain(KvStore *p, const KvIndexDef *pDef, KvBytes pk, int mStep);

/* The entry of a key was written, by this library (KVINDEX_STRICT) or by another
** program: maintain all indexes.  False if it stays dirty: an index can't follow yet. */
int kvIndexFollow(KvStore *p, KvBytes key, int mStep);

/* A full-text index follows a primary entry.  After kvIndexEnter(); returns how many documents
** were added. */
u32 kvIndexDocument(KvStore *p, const KvIndexDef *pDef, KvBytes pk);

#endif /* KV_INDEX_WRITE_H */
