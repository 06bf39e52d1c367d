/*
** collection_measure.h -- how many rows a collection has, and how many for a value.
**
** What costs depend on is measured: when it is first asked for, and again when the connection
** has changed enough or others have written.  It depends on no clock, nor on the query that
** asks.
*/
#ifndef KV_COLLECTION_MEASURE_H
#define KV_COLLECTION_MEASURE_H

#include "sql/collection/collection_int.h"

/* Rows of the collection. */
double kvCollectionRows(KvCollection *p);
/* Rows for a value of an index, of several paths for the first nValue values together; of
** the primary key (zIndex 0) for its first nValue columns.  Looking at an index may read the
** declarations again. */
double kvCollectionRowsEach(KvCollection *p, const char *zIndex, u32 nValue);
/* What was found of an index. */
double kvCollectionRowsFound(const KvCollection *p, const char *zIndex, u32 nValue);
void kvCollectionMeasureFree(KvCollection *p);

#endif /* KV_COLLECTION_MEASURE_H */
