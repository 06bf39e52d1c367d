/*
** index_declare.h -- declaring an index and removing one.
*/
#ifndef KV_INDEX_DECLARE_H
#define KV_INDEX_DECLARE_H

#include "store/index_def.h"

/* Declare an index (pDef->aName is set here) and make its entries; *pnEntry
** says how many.  If entries are there already, and all of them hold copies or all
** pointers, the index has that form.  Anything else that is there is an error, or
** is overwritten.  Remove one; *pbFound tells whether there was one, *pnLeft
** how many are left.  Both run inside of a statement that writes. */
int kvIndexCreate(KvStore *p, const KvIndexDef *pDef, i64 *pnEntry, char **pzErr);
int kvIndexRemove(KvStore *p, const char *zName, int *pbFound, i64 *pnEntry, int *pnLeft, char **pzErr);
/* Drop the tables; not inside of a statement. */
int kvIndexDropTables(KvStore *p, char **pzErr);

#endif /* KV_INDEX_DECLARE_H */
