/*
** collection_index.h -- from the conditions on a column of a collection to a query for key
** parts, those of an index or of the primary key.
**
** SQLite converts the operands of a comparison by the declared types of both sides,
** and a virtual table doesn't know the type of the other side:
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
** The search includes everything that one of these cases may find: SQLite checks each
** row again.  What is looked for in DATETIME and BOOLEAN columns is the operands of
** collection_check.h.
*/
#ifndef KV_COLLECTION_INDEX_H
#define KV_COLLECTION_INDEX_H

#include "sql/collection/collection_int.h"
#include "sql/range/ranges.h"

/* The conditions on a column, and their operands. */
typedef struct KvCollectionConds KvCollectionConds;
struct KvCollectionConds {
  const KvCollection *pTab;
  const KvCollectionColumn *pCol;
  const KvCollectionArg *aArg;
  sqlite3_value **apArg;
  u32 nArg;
  u32 mPart;              /* Which parts there may be: KVPARTS_xxx */
  u8 bDates;              /* Numbers may be Dates */
  u8 bLower;              /* Strings are in lower case */
};

/* The query for them.  pRanges: work space. */
void kvCollectionSeek(
  KvIndexQuery *p, const KvCollectionConds *pConds, KvRanges *pRanges, KvError *pErr
);

/* Which parts a KEY column has: KVPARTS_xxx. */
u32 kvCollectionKeyParts(const KvCollectionColumn *p);

/* Is the other side text, but not from a column?  (For a numeric column, text that
** reads as a number may be less than any other text.) */
static inline int kvCollectionIsPlainText(const KvCollectionArg *pArg, sqlite3_value *pVal){
  return pArg->bLiteral || sqlite3_value_frombind(pVal);
}

#endif /* KV_COLLECTION_INDEX_H */
