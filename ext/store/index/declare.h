/*
** declare.h -- declaring an index and removing one.
**
** Both run inside a statement that writes.
*/
#ifndef KV_INDEX_DECLARE_H
#define KV_INDEX_DECLARE_H

#include "store/index/def.h"

/*
** Declare an index (of zName, prefix, zPath and zOptions) and create its entries;
** returns how many.  If its entries already exist, and all are copies or all are
** pointers, the index adopts that form.  Anything else at its keys is an error, or
** with bOverwrite is overwritten.
*/
i64 kvIndexCreate(KvStore *p, const KvIndexDef *pDef, int bOverwrite);

/* Remove one; false if there is none.  *pnEntry tells how many entries it had,
** *pnLeft how many indexes are left. */
int kvIndexRemove(KvStore *p, const char *zName, i64 *pnEntry, int *pnLeft);

/* Remove the entries of an index, between kvIndexEnter() and kvIndexLeave(), and return how
** many; bPrimaries: its primary entries go, too. */
i64 kvIndexEmpty(KvStore *p, const KvIndexDef *pDef, int bPrimaries);

/* The same of all indexes, whatever there still is of their tables: they are to be dropped
** next, with the feed. */
void kvIndexRemoveAll(KvStore *p);

/* Drop the tables; not inside a statement. */
void kvIndexDropTables(KvStore *p);

/* The names of the published tables that are declared, each with its zero. */
void kvIndexTables(KvStore *p, KvList *pNames);

#endif /* KV_INDEX_DECLARE_H */
