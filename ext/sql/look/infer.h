/*
** infer.h -- the CREATE statement of a collection that fits the stored entries.
*/
#ifndef KV_INFER_H
#define KV_INFER_H

#include "sql/look/survey.h"

/*
** CREATE VIRTUAL TABLE ... USING kv_collection() for the entries below a prefix
** (stored bytes), based on the first nMost of them; from sqlite3_malloc().  0: no
** entries, or an error, which is the store's.
**
** The KEY columns are nPart parts after the prefix, or as many as the shortest keys have
** (0); then comments after the statement list longer ones.  A column has a type if all stored
** values have it, NOT NULL if no entry lacks the value, and an index if one is declared.
** Members of an Object become columns of their own, unless there are too many.
*/
char *kvInfer(KvStore *pStore, KvBytes prefix, i64 nMost, u32 nPart);

#endif /* KV_INFER_H */
