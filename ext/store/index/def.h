/*
** def.h -- the declared indexes of a store.
**
** A declared index has a name, the prefix of its primary entries, paths into their
** values, and entries of its own under the key [name] (codec/index_key.h).  The
** table kv_index_held lists the index entries of each primary entry (held.h).
** The key of an index entry determines its primary entry, except in a unique index;
** for those kv_index_value has both keys.
**
**   kv               ["users",1] -> {email: "a@x", age: 7}
**                    ["users_by_email","a@x"] -> 1     ["users_by_age",7,1] -> 1
**   kv_index_held    pk = ["users",1], iks = both of these keys
**   kv_index_value   ik = ["users_by_email","a@x"], pk = ["users",1]
**
** A write through this library maintains all of this at once.  What other programs
** write is in the list of dirty keys (dirty.h) until a write of this library catches
** up with it (catch_up.h); until then a reader merges it (overlay.h).
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

#define KVINDEX_TABLE   0x10   /* It is a published table: table.h */
#define KVINDEX_APART   (KVINDEX_SEARCH|KVINDEX_TABLE)   /* It has no entries in kv */

/* The longest key that Deno reads; index entries with longer keys are omitted. */
#define KVINDEX_KEY_MAX 2048
/* The share of it for the name; the rest is for the indexed values. */
#define KVINDEX_NAME_MAX 1024

/* A declared index. */
struct KvIndexDef {
  const char *zName;
  const char *zPath;      /* One path or several */
  const char *zOptions;   /* Words: unique, lower, copy, fulltext; tokenize="..."; where
                          ** and a condition */
  const char *zWhere;     /* The last one and what follows it, or "" */
  u32 mOptions;           /* KVINDEX_xxx */
  u32 mKind;              /* Of what there was at the paths since it was declared: KVKIND_xxx
                          ** (codec/index_key.h) */
  KvIndexSpec spec;       /* The paths and the condition */
  KvBytes prefix;         /* Stored bytes of the prefix, maybe none */
  KvBytes prefixEnd;      /* All keys with the prefix are before this one */
  KvBytes last;           /* The same, or without a prefix a BLOB after all keys */
  KvBytes name, nameEnd;  /* The same for the key [name] */
};

/* A declaration with copies of the arguments, to be freed with sqlite3_free(). */
KvIndexDef *kvIndexDefNew(
  KvStore *p, const char *zName, KvBytes prefix, const char *zPath, const char *zOptions
);
/* Does an index match a declaration, whose texts and prefix are set?  It may hold
** copies because it adopted them. */
int kvIndexDefFits(const KvIndexDef *pOld, const KvIndexDef *pNew);
/* Does an index hold the values of all entries with the prefix at a path, and
** nothing else? */
int kvIndexDefIsOf(const KvIndexDef *p, KvBytes prefix, const char *zPath);
/* The beginning of its entries' keys; empty if it has none. */
KvBytes kvIndexDefOwn(const KvIndexDef *p);
/* Is an index entry one of the list of what the index leaves out (codec/index_key.h)?  Has
** it a place in kv?  Not if it has, or if its key is too long. */
int kvIndexDefLeft(const KvIndexDef *p, KvBytes ik);
int kvIndexDefStored(const KvIndexDef *p, KvBytes ik);
/* Is a key that of an entry of the index?  Of a primary entry, by its prefix? */
int kvIndexDefOwns(const KvIndexDef *p, KvBytes key);
int kvIndexDefCovers(const KvIndexDef *p, KvBytes key);

/* Read the declarations of a generation that kvDirtyGet() has returned in this
** transaction.  Returns how many. */
u32 kvIndexLoad(KvStore *p, i64 iGeneration);
/* Forget what was read. */
void kvIndexForget(KvStore *p);

/* The declarations last read, valid until the next read: by number, by name, and
** the one that owns a key; 0 if there is none. */
u32 kvIndexCount(const KvStore *p);
const KvIndexDef *kvIndexAt(const KvStore *p, u32 i);
const KvIndexDef *kvIndexNamed(const KvStore *p, const char *zName);
const KvIndexDef *kvIndexOwner(const KvStore *p, KvBytes key);

/*
** Code that holds a declaration while it runs statements that write must do so
** between these two, since a trigger may write to the store.  Until kvIndexLeave()
** a second kvIndexEnter() is an error, and so is reading another generation.  Call
** kvIndexLeave() only if kvIndexEnter() returned true.  kvIndexRefuse() sets that
** error.
*/
int kvIndexEnter(KvStore *p);
void kvIndexLeave(KvStore *p);
void kvIndexRefuse(KvStore *p);
/* Set the error that the declarations were changed meanwhile. */
void kvIndexMeddled(KvStore *p);

#endif /* KV_INDEX_DEF_H */
