/*
** entry.h -- the entries of a declared index.
**
** These functions work on one index entry or one primary entry; write.h
** says when.  Call those that write between kvIndexEnter() and kvIndexLeave().  ik
** is the key of an index entry, pk that of a primary entry.
*/
#ifndef KV_INDEX_ENTRY_H
#define KV_INDEX_ENTRY_H

#include "codec/value.h"
#include "store/index/keys.h"
#include "store/row.h"

/* Free the work space. */
void kvIndexWorkClear(KvStore *p);

/* Append the first column of all rows of a statement, at most nMost, and give the
** statement back.  Returns how many. */
u32 kvIndexCollect(KvStmt *pStmt, KvList *pOut, u32 nMost);

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
/* Can an index entry that pk no longer requires be removed?  Not if another program has
** written it, maybe for another primary entry: it is dirty itself. */
int kvIndexEntryIsOf(KvStore *p, const KvIndexDef *pDef, KvBytes ik);
/* Remove an index entry that no longer has a primary entry. */
void kvIndexEntryGone(KvStore *p, KvBytes ik);
/* A dirty index entry: make it what it has to be.  False if it may be that of a dirty
** primary entry, which comes later. */
int kvIndexEntryFollow(KvStore *p, const KvIndexDef *pDef, KvBytes ik);

/* What index entries hold (a bit mask). */
#define KVINDEX_FORM_POINTER  0x01
#define KVINDEX_FORM_COPY     0x02
/* In which of the forms mForm would the existing index entry be correct for the
** primary entry of the last kvIndexEntryWanted()?  All, if there is none. */
int kvIndexEntryForms(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, int mForm);

/* If the store's error is a violation of a unique index: the primary key that has
** the value, and the index's path.  Otherwise empty.  Valid until the write ends. */
KvBytes kvIndexEntryRival(const KvStore *p, KvBytes *pPath);

#endif /* KV_INDEX_ENTRY_H */
