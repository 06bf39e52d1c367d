/*
** keys.h -- the index entries that a value requires.
**
** pk is the key of a primary entry.  These functions read nothing from the file.
*/
#ifndef KV_INDEX_KEYS_H
#define KV_INDEX_KEYS_H

#include "codec/index_key.h"
#include "codec/value.h"
#include "store/index/def.h"

/* Add the keys of the index entries that a primary entry with this value requires, and of
** the row of what the index leaves out; none if it is malformed.  Returns KVKIND_xxx of the
** values (codec/index_key.h). */
u32 kvIndexEntryKeys(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, int eEncoding, KvBytes value, KvList *pOut
);
/* The same in two steps, for several indexes. */
int kvIndexEntryRead(KvStore *p, KvTree *pTree, int eEncoding, KvBytes value);
u32 kvIndexEntryKeysOf(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, KvTree *pTree, KvList *pOut
);

#endif /* KV_INDEX_KEYS_H */
