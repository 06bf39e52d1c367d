/*
** collection_index.h -- from the conditions on a column of a collection to what is
** looked for in an index.
**
** SQLite converts what it compares by the declared types of both sides, and a table
** isn't told that of the other side:
**
**   column            other side            compared
**   ---------------   -------------------   ------------------------------------------
**   of numbers        any                   texts that read as numbers, as numbers
**   TEXT              column of numbers     the same
**                     literal, parameter    numbers as their text
**                     other column          as they are
**   BLOB, no type     column of numbers     texts that read as numbers, as numbers
**                     any other             as they are
**
** DATETIME is a type of numbers, though what it shows of a Date is text.  What is
** looked for is all that one of these may find: SQLite checks each row again.
*/
#ifndef KV_COLLECTION_INDEX_H
#define KV_COLLECTION_INDEX_H

#include "sql/collection_int.h"
#include "sql/index_query.h"

/* The conditions on a column of an index, and their operands. */
typedef struct KvCollectionConds KvCollectionConds;
struct KvCollectionConds {
  const KvCollectionColumn *pCol;
  const KvCollectionArg *aArg;
  sqlite3_value **apArg;
  u32 nArg;
};

/* What is looked for by them.  bLower: the index holds strings in lower case. */
void kvCollectionSeekIndex(
  KvIndexQuery *p, const KvCollectionConds *pConds, int bLower, KvError *pErr
);

/* Is the other side a text that is no column's?  (If a column has the type of numbers a
** text that reads as one may be less than any other text.) */
static inline int kvCollectionIsPlainText(const KvCollectionArg *pArg, sqlite3_value *pVal){
  return pArg->bLiteral || sqlite3_value_frombind(pVal);
}

#endif /* KV_COLLECTION_INDEX_H */
