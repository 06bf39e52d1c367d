/*
** index_entry.h -- the entries of a declared index and the rows of kv_index_row.
*/
#ifndef KV_INDEX_ENTRY_H
#define KV_INDEX_ENTRY_H

#include "store/index_def.h"

/* A list of keys, each behind its length. */
void kvIndexListAdd(KvBuf *p, const u8 *a, u32 n);
/* Sort it and drop what occurs twice. */
int kvIndexListSort(KvBuf *p);
int kvIndexCompare(const u8 *pA, u32 nA, const u8 *pB, u32 nB);
/* Append the first column of all rows to a list. */
int kvIndexCollect(KvStore *p, KvStmt *pStmt, KvBuf *pList, char **pzErr);

/* Bind the range of keys in an index's place: ?iFirst < k < ?iFirst+1.  The
** bound is made in pSpace, which must stay. */
void kvIndexBindPlace(KvStmt *pStmt, int iFirst, const KvIndexDef *pDef, KvBuf *pSpace);
/* A key as text, to be freed with sqlite3_free(); 0: out of memory. */
char *kvIndexShow(const u8 *a, u32 n);
/* Is a key one of an index's primary keys, by its prefix? */
int kvIndexUnder(const KvIndexDef *pDef, const u8 *a, u32 n);

/* Run a statement on one row of kv_index_row. */
int kvIndexRow(KvStore *p, int eSql, const u8 *aIk, u32 nIk, const u8 *aPk, u32 nPk, char **pzErr);
/* The entry of a key was written here: if its prefix has an index, the triggers
** have noted it. */
int kvIndexDone(KvStore *pStore, const u8 *a, u32 n, char **pzErr);
/* Make an index entry what its rows say. */
int kvIndexRepair(KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk, char **pzErr);
/* The index entries that a primary entry asks for into KvIndexes.wanted, and
** those that it has into .there; sorted. */
int kvIndexWanted(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr
);
int kvIndexHas(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr);
/* An index entry that is new.  bStrict: what can't be kept is an error. */
int kvIndexAdd(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk,
  const u8 *aPk, u32 nPk, int bStrict, char **pzErr
);
/* Is an index entry that is there as it would be, in which form?  KvIndexes.mForm
** loses what it is not; .entryKey is the key of one that leaves none. */
int kvIndexProbeEntry(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk,
  const u8 *aPk, u32 nPk, char **pzErr
);

#endif /* KV_INDEX_ENTRY_H */
