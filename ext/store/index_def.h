/*
** index_def.h -- the declared indexes of a store: which there are.
**
** A declared index has a name, the prefix of its primary entries, paths into
** their values, and entries of its own under the key [name] (codec/index_key.h).
** Beside them the table kv_index_held tells which index entries each primary entry has
** (index_held.h).  Whose an index entry is its key tells, but for a unique index: so
** kv_index_value has both keys of its entries.
**
**   kv               ["users",1] -> {email: "a@x", age: 7}
**                    ["users_by_email","a@x"] -> 1     ["users_by_age",7,1] -> 1
**   kv_index_held    pk = ["users",1], iks = both of these keys
**   kv_index_value   ik = ["users_by_email","a@x"], pk = ["users",1]
**
** Whatever is written through this library maintains all of it at once.  What another
** program has written is found by the feed: kv_track_state.applied is the version
** up to which the indexes have caught up.  What is written without a new version
** (plain SQL that takes none, also that of a trigger or after a write of this
** library in one transaction) is noted by triggers, in kv_index_pending.  The next
** version that is taken here catches up with both; until then a reader merges them
** (index_scan.h).  What this library writes itself the triggers pass over (KVOWN_xxx,
** statement.h); only where other triggers may write, too, or there is a gap, is it noted
** and crossed out at once.
*/
#ifndef KV_INDEX_DEF_H
#define KV_INDEX_DEF_H

#include "codec/index_spec.h"
#include "store/statement.h"

/* Options of an index (a bit mask). */
#define KVINDEX_UNIQUE  0x01   /* A value has one primary entry */
#define KVINDEX_LOWER   0x02   /* A to Z in strings become a to z */
#define KVINDEX_COPY    0x04   /* An entry holds the primary's value */
#define KVINDEX_SEARCH  0x08   /* It is a full-text index, without entries: search.h */

/* Deno reads no longer key; an index entry with one is left out. */
#define KVINDEX_KEY_MAX 2048
/* Stored bytes that the name may have of that: the rest is for what is indexed. */
#define KVINDEX_NAME_MAX 1024

/* A declared index. */
struct KvIndexDef {
  const char *zName;
  const char *zPath;      /* One path or several */
  const char *zOptions;   /* Words: unique, lower, copy, fulltext; tokenize="..."; where
                          ** and a condition */
  const char *zWhere;     /* The last one of them and what is behind it, or "" */
  u32 mOptions;           /* KVINDEX_xxx */
  KvIndexSpec spec;       /* The paths and the condition */
  KvBytes prefix;         /* Stored bytes of the prefix, maybe none */
  KvBytes prefixEnd;      /* All keys with the prefix are before this one */
  KvBytes name, nameEnd;  /* The same for the key [name] */
};

/* A declaration with copies of the arguments, to be freed with sqlite3_free(). */
KvIndexDef *kvIndexDefNew(
  KvStore *p, const char *zName, KvBytes prefix, const char *zPath, const char *zOptions
);
/* Is an index what a declaration asks for, of which the texts and the prefix are set?  It
** may hold copies because its entries did when it was declared. */
int kvIndexDefFits(const KvIndexDef *pOld, const KvIndexDef *pNew);
/* Does an index hold what all entries with the prefix have at a path, and nothing else? */
int kvIndexDefIsOf(const KvIndexDef *p, KvBytes prefix, const char *zPath);
/* What the keys of its entries begin with: empty, if it has none. */
KvBytes kvIndexDefOwn(const KvIndexDef *p);
/* Is a key that of an entry of the index?  Of a primary entry, by its prefix? */
int kvIndexDefOwns(const KvIndexDef *p, KvBytes key);
int kvIndexDefCovers(const KvIndexDef *p, KvBytes key);

/* Read them: those of a generation, which kvFeedGet() has told in this
** transaction; those that there are now.  Returns how many. */
u32 kvIndexLoad(KvStore *p, i64 iGeneration);
u32 kvIndexList(KvStore *p);
/* Forget what was read. */
void kvIndexForget(KvStore *p);

/* As last read; a declaration stays valid until others are read.  By number, by
** name, and the one that owns a key: 0 if there is none. */
u32 kvIndexCount(const KvStore *p);
const KvIndexDef *kvIndexAt(const KvStore *p, u32 i);
const KvIndexDef *kvIndexNamed(const KvStore *p, const char *zName);
const KvIndexDef *kvIndexOwner(const KvStore *p, KvBytes key);

/*
** Whoever holds a declaration while statements run that write does so between
** these two: a statement may fire a trigger, and that may write to the store.
** Until kvIndexLeave() a second kvIndexEnter() is an error, and so is reading
** another generation.  kvIndexLeave() only after a kvIndexEnter() that was true.
** kvIndexRefuse() is that error alone.
*/
int kvIndexEnter(KvStore *p);
void kvIndexLeave(KvStore *p);
void kvIndexRefuse(KvStore *p);
/* The error that the declarations are not what was made of them. */
void kvIndexMeddled(KvStore *p);

#endif /* KV_INDEX_DEF_H */
