/*
** held.h -- the index entries of each primary entry: the table kv_index_held.
**
** A row lists the keys of the index entries in all indexes, in any order:
**
**     list  = { entry }
**     entry = tail head bytes    two numbers, and head bytes of the key; what follows are
**                                the last tail bytes of the primary key
**
** A number has seven bits per byte, the lowest first; all bytes but the last have
** 0x80 set.  Anything malformed ends the list.
*/
#ifndef KV_INDEX_HELD_H
#define KV_INDEX_HELD_H

#include "store/index/def.h"

/* Does kv_index_value determine the primary entry of an index entry?  Otherwise its
** key does. */
int kvIndexValued(const KvIndexDef *pDef, KvBytes ik);
/* The primary key of an index entry, from its key alone.  False if the key has
** none. */
int kvIndexHolder(const KvIndexDef *pDef, KvBytes ik, KvBuf *pPk);

/*
** kv_holder(key, shape) is the same as an SQL function, or NULL: it lets a statement join
** the entries of an index with their primary ones.  The shape is the length of the name in
** four bytes, the number of paths in one, and the prefix.
*/
void kvIndexShape(const KvIndexDef *pDef, KvBuf *pOut);
int kvIndexHolderRegister(sqlite3 *db);

/* The index entries of a primary entry, into pOut, sorted. */
void kvIndexHeld(KvStore *p, KvBytes pk, KvList *pOut);
/* Has it this one? */
int kvIndexHeldHas(KvStore *p, KvBytes pk, KvBytes ik);
/* Set its index entries in all indexes; or in one of them. */
void kvIndexHeldSet(KvStore *p, KvBytes pk, const KvList *pList);
void kvIndexHeldReplace(KvStore *p, const KvIndexDef *pDef, KvBytes pk, const KvList *pList);
/* The primary entries of an index go, and with them their index entries in all indexes. */
void kvIndexHeldRemove(KvStore *p, const KvIndexDef *pDef);
/* Drop an index.  Or: its keys are no longer primary keys; add the index entries
** that these had to pOut. */
void kvIndexHeldForget(KvStore *p, const KvIndexDef *pDef);
void kvIndexHeldEvict(KvStore *p, const KvIndexDef *pDef, KvList *pOut);

/* Remove all index entries that any primary entry has, of declarations that are lost. */
void kvIndexHeldClear(KvStore *p);

/* Append what a row has for an index entry; add the index entries of a row. */
void kvIndexHeldPut(KvBuf *pOut, KvBytes pk, KvBytes ik);
void kvIndexHeldRead(KvBytes pk, KvBytes row, KvList *pOut);

#endif /* KV_INDEX_HELD_H */
