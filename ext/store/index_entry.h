/*
** index_entry.h -- the entries of a declared index.
**
** These functions work on one index entry or one primary entry; index_maintain.h
** says when.  Call those that write between kvIndexEnter() and kvIndexLeave().  ik
** is the key of an index entry, pk that of a primary entry.
*/
#ifndef KV_INDEX_ENTRY_H
#define KV_INDEX_ENTRY_H

#include "codec/value.h"
#include "store/index_def.h"
#include "store/row.h"

/* Free the work space. */
void kvIndexWorkClear(KvStore *p);

/* Append the first column of all rows of a statement, at most nMost, and give the
** statement back.  Returns how many. */
u32 kvIndexCollect(KvStmt *pStmt, KvList *pOut, u32 nMost);

/* Add the keys of the index entries that a primary entry with this value requires;
** none if it is malformed. */
void kvIndexEntryKeys(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, int eEncoding, KvBytes value, KvList *pOut
);
/* The same in two steps, for several indexes. */
int kvIndexEntryRead(KvStore *p, KvTree *pTree, int eEncoding, KvBytes value);
void kvIndexEntryKeysOf(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, KvTree *pTree, KvList *pOut
);
/* The index entries that a primary entry requires, sorted; valid until the next
** call. */
const KvList *kvIndexEntryWanted(KvStore *p, const KvIndexDef *pDef, KvBytes pk);

/* Add or remove an index entry of a primary entry in kv_index_value.  bStrict: a
** second primary entry in a unique index, or a key that Deno can't read, is an
** error. */
void kvIndexEntryAdd(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, int bStrict);
void kvIndexEntryRemove(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* Set an index entry to a pointer to (or copy of) the first existing primary entry
** that has it, or remove it. */
void kvIndexEntryMake(KvStore *p, const KvIndexDef *pDef, KvBytes ik);
/* Does any primary entry have it? */
int kvIndexEntryHad(KvStore *p, const KvIndexDef *pDef, KvBytes ik);
/* Is a primary entry the only one of an index entry, so that the next two functions
** suffice? */
int kvIndexEntrySole(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* Set an index entry for a primary entry; bLook: unless it is what it should be. */
void kvIndexEntryPut(
  KvStore *p, const KvIndexDef *pDef, KvBytes ik, const KvRow *pPrimary, int bLook
);
/* Is an existing index entry correct for a primary entry, including the expiry?
** (Yes, if that has just expired.) */
int kvIndexEntryIsRight(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* Can an index entry that pk no longer requires be removed?  Not if another program
** may have written it for another primary entry, whose maintenance is pending
** (KvIndexes.bUnjudged). */
int kvIndexEntryIsOf(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk);
/* Remove an index entry that no longer has a primary entry. */
void kvIndexEntryGone(KvStore *p, KvBytes ik);
/* The entry of a key was written here: if an index covers it, remove what triggers
** have recorded of it. */
void kvIndexEntryNoted(KvStore *p, KvBytes key);

/* What index entries hold (a bit mask). */
#define KVINDEX_FORM_POINTER  0x01
#define KVINDEX_FORM_COPY     0x02
/* In which of the forms mForm would the existing index entry be correct for the
** primary entry of the last kvIndexEntryWanted()?  All, if there is none. */
int kvIndexEntryForms(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, int mForm);

/* If the store's error is a violation of a unique index: the primary key that has
** the value, and the index's path.  Otherwise empty.  Valid until the next write. */
KvBytes kvIndexEntryRival(const KvStore *p, KvBytes *pPath);

#endif /* KV_INDEX_ENTRY_H */
