/*
** index_entry.h -- the entries of a declared index.
**
** All here is done for one index entry or one primary entry; index_maintain.h says
** when.  What writes does so between kvIndexEnter() and kvIndexLeave().  ik is the
** key of an index entry, pk that of a primary entry.
*/
#ifndef KV_INDEX_ENTRY_H
#define KV_INDEX_ENTRY_H

#include "codec/value.h"
#include "store/index_def.h"
#include "store/row.h"

/* Free the work space. */
void kvIndexWorkClear(KvStore *p);

/* The first column of all rows of a statement, nMost at most, which is given back.
** Returns how many. */
u32 kvIndexCollect(KvStmt *pStmt, KvList *pOut, u32 nMost);

/* Add the keys of the index entries that a primary entry with that value asks for,
** which are none if it is malformed. */
void kvIndexEntryKeys(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, int eEncoding, KvBytes value, KvList *pOut
);
/* The same in two steps, for several indexes. */
int kvIndexEntryRead(KvStore *p, KvTree *pTree, int eEncoding, KvBytes value);
void kvIndexEntryKeysOf(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, KvTree *pTree, KvList *pOut
);
/* The index entries that a primary entry asks for: sorted, and good until the next call. */
const KvList *kvIndexEntryWanted(KvStore *p, const KvIndexDef *pDef, KvBytes pk);

/* A primary entry gets an index entry, or gives it up, as far as that is in kv_index_value.
** bStrict: that a unique index has another primary entry for it, or that Deno could not
** read its key, is an error. */
void kvIndexEntryAdd(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, int bStrict);
void kvIndexEntryRemove(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* Make an index entry what it has to be: a pointer to (or copy of) the first primary
** entry that has it and is there, or nothing. */
void kvIndexEntryMake(KvStore *p, const KvIndexDef *pDef, KvBytes ik);
/* Has any primary entry it? */
int kvIndexEntryHad(KvStore *p, const KvIndexDef *pDef, KvBytes ik);
/* Is a primary entry the only one of an index entry, so that the next two do it? */
int kvIndexEntrySole(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* Set an index entry for a primary entry; bLook: unless it is what it should be. */
void kvIndexEntryPut(
  KvStore *p, const KvIndexDef *pDef, KvBytes ik, const KvRow *pPrimary, int bLook
);
/* Is an index entry that is there what it should be for a primary entry, in its expiry,
** too?  (Yes, if that has just expired.) */
int kvIndexEntryIsRight(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* May an index entry that pk does not ask for any more go?  Not if another program may have
** written it for another primary, which is yet to be followed (KvIndexes.bUnjudged). */
int kvIndexEntryIsOf(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* Remove an index entry that has no primary entry any more. */
void kvIndexEntryGone(KvStore *p, KvBytes ik);
/* The entry of a key was written here: what triggers have noted of it, if an index
** covers it, is crossed out. */
void kvIndexEntryNoted(KvStore *p, KvBytes key);

/* What index entries hold (a bit mask). */
#define KVINDEX_FORM_POINTER  0x01
#define KVINDEX_FORM_COPY     0x02
/* In which of the forms mForm is the index entry that is there as it would be for a
** primary entry that kvIndexEntryWanted() was called for?  All, if there is none. */
int kvIndexEntryForms(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, int mForm);

/* Where the store's error is that a unique index has a value already: the primary key
** that has it, and the path of the index.  Else none.  Until the next write. */
KvBytes kvIndexEntryRival(const KvStore *p, KvBytes *pPath);

#endif /* KV_INDEX_ENTRY_H */
