/*
** index_def.h -- the declared indexes of a store: which there are.
**
** A declared index (index_declare.c) has a name, the prefix of its primary entries, a
** path into their values, and entries of its own under the key [name] (see
** codec/index_key.h).  Beside them the table kv_index_row tells which index
** entries each primary entry has.
**
**   kv       ["users",1] -> {email: "a@x"}     ["users_by_email","a@x"] -> 1
**   kv_index_row   ik = ["users_by_email","a@x"], pk = ["users",1]
**
** Whatever is written through this library maintains both at once.  What
** another program has written is found by the feed: kv_track_state.applied is
** the version up to which the indexes have caught up.  What is written without a new
** version (plain SQL that takes none, also that of a trigger or behind a write of
** this library in one transaction) is noted by triggers, in kv_index_pending.  The
** next version that is taken here catches up with both; until then a reader merges them
** (overlay.c).  What this library writes itself is noted, too, and crossed out
** at once.
*/
#ifndef KV_INDEX_DEF_H
#define KV_INDEX_DEF_H

#include "codec/index_key.h"
#include "store/index.h"

static inline const u8 *kvIndexValueNext(const KvBuf *p, u32 *pi, u32 *pn){
  KvBytes item;
  KvList list;
  list.bytes = *p;
  if( !kvListNext(&list, pi, &item) ) return 0;
  *pn = item.n;
  return item.p;
}

/* Changes that the index entries don't show yet: overlay.h. */
typedef struct KvOverlay KvOverlay;

/* Options of an index (a bit mask). */
#define KVINDEX_UNIQUE  0x01   /* A value has one primary entry */
#define KVINDEX_LOWER   0x02   /* A to Z in strings become a to z */
#define KVINDEX_COPY    0x04   /* An entry holds the primary's value */
#define KVINDEX_SPARSE  0x08   /* Without a value there is no entry: always so */

/* A declared index. */
typedef struct KvIndexDef KvIndexDef;
struct KvIndexDef {
  char *zName;
  char *zPath;
  char *zOptions;
  u32 mOptions;           /* KVINDEX_xxx */
  u8 *aName;              /* Stored bytes of the key [name] */
  u32 nName;
  u8 *aPrefix;            /* Stored bytes of the prefix; n may be 0 */
  u32 nPrefix;
  KvOverlay *pOver;       /* The one that was used last, or 0 */
  u8 bOverwrite;          /* kvIndexCreate(): what stands in the place of its
                          ** entries may be overwritten */
};

/* What an index entry holds (a bit mask). */
#define KVINDEX_FORM_POINTER  0x01
#define KVINDEX_FORM_COPY     0x02

struct KvIndexes {
  u8 bLoaded;             /* aDef is what iGeneration and iSchema stand for */
  u8 bBusy;               /* Between kvIndexEnter() and kvIndexLeave() */
  i64 iGeneration;
  u32 iSchema;            /* kvSchemaCounted() then */
  i64 nAdded;             /* Index entries that were added */
  u32 nDef;
  KvIndexDef *aDef;
  KvTree tree;            /* Work space, from here on */
  KvList parts;           /* Values, as kvIndexValues() gives them */
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

/* Read the declarations of a generation, which kvTrackGet() has told
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

/* Are the options of an index those of a declaration?  Options may be set by what
** was there, so a declaration without KVINDEX_COPY fits one with it. */
int kvIndexSameOptions(const KvIndexDef *pOld, const KvIndexDef *pNew);

void kvIndexFree(KvStore *p);

/* The declarations as they are now, *pn of them; they stay valid until the
** store is used again. */
int kvIndexList(KvStore *p, const KvIndexDef **pa, u32 *pn, char **pzErr);

/* The declaration of a name, of that generation; SQLITE_NOTFOUND. */
int kvIndexByName(KvStore *p, i64 iGeneration, const char *zName, KvIndexDef **ppDef, char **pzErr);
/* True if a key is in the place of a declared index (as last read). */
int kvIndexPlace(KvStore *p, const u8 *aKey, u32 nKey);

/* A declaration with copies of the arguments; SQLITE_NOMEM.  kvIndexDefClear()
** either way. */
int kvIndexDefMake(
  KvIndexDef *p, const char *zName, const u8 *aPrefix, u32 nPrefix,
  const char *zPath, const char *zOptions
);
void kvIndexDefClear(KvIndexDef *p);
KvIndexDef *kvIndexNamed(const KvIndexes *p, const char *zName);
/* Forget what was read. */
void kvIndexForget(KvIndexes *p);
/* The declarations are not what was made of them. */
int kvIndexMeddled(char **pzErr);

#endif /* KV_INDEX_DEF_H */
