/*
** index_work.h -- what the files of declared indexes share: the declarations as
** they were read, the work space, and the calls between index_def.c (which
** indexes there are) and index.c (bringing them up).
*/
#ifndef KV_INDEX_WORK_H
#define KV_INDEX_WORK_H

#include "codec/index_key.h"
#include "store/index.h"

/* What an index entry holds (a bit mask). */
#define KVINDEX_FORM_POINTER  0x01
#define KVINDEX_FORM_COPY     0x02

struct KvIndexes {
  u8 bLoaded;             /* aDef is what iGeneration and iSchema stand for */
  u8 bBusy;               /* Between kvIndexEnter() and kvIndexLeave() */
  i64 iGeneration;
  u32 iSchema;            /* KvStore.iSchema then */
  i64 nAdded;             /* Index entries that were added */
  u32 nDef;
  KvIndexDef *aDef;
  KvTree tree;            /* Work space, from here on */
  KvBuf parts;            /* Values, as kvIndexValues() gives them */
  KvBuf wanted, there;    /* Keys, each behind its length */
  KvBuf change;           /* Keys that have to be repaired */
  KvBuf whose;            /* Primary keys of an index entry */
  KvBuf pointer;
  KvBuf entry;            /* What is stored at an index entry */
  KvBuf chunk;
  u8 mForm;               /* Forms that all entries have: KVINDEX_FORM_xxx */
  KvBuf entryKey;
  KvFound found;          /* The primary entry */
};

/*
** Whoever holds a declaration or uses the work space while statements run that
** write does so between these two: a statement may fire a trigger, and that may
** write to the store.  Until kvIndexLeave() a second kvIndexEnter() is an error,
** and so is kvIndexLoad() of another generation.  kvIndexLeave() only after a
** kvIndexEnter() that returned SQLITE_OK.  kvIndexRefused() is that error alone,
** with words in *pzErr.
*/
int kvIndexRefused(const KvIndexes *p, char **pzErr);
int kvIndexEnter(KvIndexes *p, char **pzErr);
void kvIndexLeave(KvIndexes *p);

/* index_def.c: read the declarations of a generation, which kvTrackGet() has told
** in this transaction, unless they are known.  Then p->pIndexes is there, and
** empty if none are declared. */
int kvIndexLoad(KvStore *p, i64 iGeneration, char **pzErr);
/* Is a key in the place of an index?  And the index in whose place it is, or 0. */
int kvIndexOwns(const KvIndexDef *pDef, const u8 *a, u32 n);
const KvIndexDef *kvIndexOwner(const KvIndexes *p, const u8 *a, u32 n);

/* Deno reads no longer key; an index entry with one is left out. */
#define KVINDEX_KEY_MAX 2048
/* Stored bytes that the name may have of that: the rest is for what is indexed. */
#define KVINDEX_NAME_MAX 1024

/* index.c: make the entries of an index for the primary entries that are
** there; KvIndexes.nAdded counts them.  After kvIndexEnter(). */
int kvIndexFill(KvStore *p, const KvIndexDef *pDef, char **pzErr);
/* What is there of the entries that an index would have, before it is declared:
** KvIndexes.mForm.  The key of the first that leaves no form is in .entryKey. */
int kvIndexProbe(KvStore *p, const KvIndexDef *pDef, char **pzErr);
/* The keys in the place of an index that is new are primary keys no longer: take
** them out of the other indexes. */
int kvIndexEvict(KvStore *p, const KvIndexDef *pDef, char **pzErr);
/* The indexes have been brought up to iVersion; deletions up to iOld are
** forgotten unless the feed is wanted. */
int kvIndexApplied(KvStore *p, i64 iVersion, i64 iOld, char **pzErr);
/* Bind the range of keys in an index's place: ?iFirst < k < ?iFirst+1.  The
** bound is made in pSpace, which must stay. */
void kvIndexBindPlace(KvStmt *pStmt, int iFirst, const KvIndexDef *pDef, KvBuf *pSpace);
/* A key as text, to be freed with sqlite3_free(); 0: out of memory. */
char *kvIndexShow(const u8 *a, u32 n);

#endif /* KV_INDEX_WORK_H */
