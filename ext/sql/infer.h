/*
** infer.h -- the CREATE statement of a collection that fits what is stored.
*/
#ifndef KV_INFER_H
#define KV_INFER_H

#include "sql/survey.h"

/*
** CREATE VIRTUAL TABLE ... USING kv_collection() for the entries below a prefix
** (stored bytes), judged by the first nMost of them; of sqlite3_malloc().  0: there
** are no entries, or an error, which is the store's.
**
** The KEY columns are the parts that most keys have behind the prefix.  A column
** has a type if all that is stored there has it, NOT NULL if no entry lacks it, and
** an index if one is declared.  The members of an Object become columns of their
** own, unless they are too many.
*/
char *kvInfer(KvStore *pStore, KvBytes prefix, i64 nMost);

#endif /* KV_INFER_H */
