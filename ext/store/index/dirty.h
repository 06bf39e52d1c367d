/*
** dirty.h -- the list of dirty keys: what the declared indexes have not seen.
**
** kv_dirty lists the keys that anybody but this library has written since the indexes
** were brought up, of primary entries and of index entries (sql/store/dirty.sql).  A
** key is in the list, or it is done.
**
** This library's own writes bring up the indexes at once.  The triggers pass them over:
** last_insert_rowid() is the guard meanwhile, a number that was drawn when the first
** index was declared.  Only where others have triggers on kv the guard isn't used,
** since what these write would be passed over as well; then each own key is noted, and
** done at once.
*/
#ifndef KV_INDEX_DIRTY_H
#define KV_INDEX_DIRTY_H

#include "store/index/def.h"

/* The state of the list. */
typedef struct KvDirty KvDirty;
struct KvDirty {
  u8 bThere;              /* There are the tables of indexes: the rest is set */
  u8 bAny;                /* A key is dirty */
  u8 bMore;               /* The list has more than one row */
  i64 iGeneration;        /* Of the declarations */
  i64 iSince;             /* What was removed from the list had no larger n */
  i64 iNewest;            /* The largest n; 0: the list is empty */
};

/* Read it.  kvDirtyPin() holds the read transaction until the returned statement (maybe
** 0) is given back.  Tables of another layout, or half of them, are an error. */
int kvDirtyGet(KvStore *p, KvDirty *pDirty);
KvStmt *kvDirtyPin(KvStore *p, KvDirty *pDirty);
/* Is it certain that no entry has expired?  For whoever holds it. */
int kvDirtyLasting(KvStore *p, i64 iNow);

/* Read the declarations: the present ones.  Returns how many. */
u32 kvIndexList(KvStore *p);

/* Is a key dirty?  Make it so; or done, if it is in the list. */
int kvDirtyHas(KvStore *p, KvBytes key);
void kvDirtyAdd(KvStore *p, KvBytes key);
void kvDirtyDone(KvStore *p, KvBytes key);
/* All those after a key, up to another one, are done. */
void kvDirtyDoneTo(KvStore *p, KvBytes after, KvBytes last);
/* Has the list keys of index entries? */
int kvDirtyOwned(KvStore *p);
/* Remove some of what is done from the list, at most nMost rows. */
void kvDirtyPurge(KvStore *p, i64 nMost);
/* How many primary entries of an index are dirty. */
i64 kvDirtyCount(KvStore *p, const KvIndexDef *pDef);

/* There are values of these kinds (KVKIND_xxx) at the paths of an index.  After
** kvIndexEnter(). */
void kvDirtyKinds(KvStore *p, const KvIndexDef *pDef, u32 mKind);

/* For kv_check: have the triggers the text that the declarations, which have been read, ask
** for?  Without declarations: do index entries exist? */
int kvDirtyTriggers(KvStore *p);
int kvDirtyLost(KvStore *p);

/* Create the tables of the indexes.  Inside a statement that writes. */
void kvDirtyTables(KvStore *p);
/* The declarations have changed: draw a new generation, read them, and make the
** triggers again. */
void kvDirtyDeclared(KvStore *p);

#endif /* KV_INDEX_DIRTY_H */
