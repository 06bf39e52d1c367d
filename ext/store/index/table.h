/*
** table.h -- published tables, as the declared indexes know them.
**
** What a row is, only the SQL interface knows (sql/publish.h).  A store has its functions.
** They run statements on the table alone, and leave errors in the store.
*/
#ifndef KV_INDEX_TABLE_H
#define KV_INDEX_TABLE_H

#include "store/index/def.h"

struct KvPublisher {
  /* Make the row of a key what the entry is now.  A table that is gone is none's business but
  ** kvCheckPublished()'s. */
  void (*xFollow)(KvStore*, const KvIndexDef*, KvBytes key);
  /* Is the row what the entry asks for?  KVTABLE_xxx */
  int (*xIs)(KvStore*, const KvIndexDef*, KvBytes key);
  /* Make the table. */
  void (*xCreate)(KvStore*, const KvIndexDef*);
  /* An index of the same prefix is declared: the table has it, too. */
  void (*xIndex)(KvStore*, const KvIndexDef*, const KvIndexDef *pIndex);
  /* Rows that haven't expired at a time; -1: the table is gone, or has other columns. */
  i64 (*xCount)(KvStore*, const KvIndexDef*, i64 iNow);
  /* Finalize what is prepared. */
  void (*xRelease)(KvStore*);
};
enum { KVTABLE_RIGHT, KVTABLE_WRONG, KVTABLE_NONE };   /* NONE: it is no row of the table */

#endif /* KV_INDEX_TABLE_H */
