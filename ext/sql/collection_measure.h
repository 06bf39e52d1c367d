/*
** collection_measure.h -- how many rows an index of a collection has for a value.
*/
#ifndef KV_COLLECTION_MEASURE_H
#define KV_COLLECTION_MEASURE_H

#include "sql/collection_int.h"

/* The assumed number of rows in a collection. */
#define KVCOLL_ROWS 100000.0

/*
** Read the first values of an index (of several paths the first nValue together)
** and cache the result until the next write.  It reads at most a hundred rows.
** Errors are the store's.
*/
void kvCollectionMeasure(KvCollection *p, const char *zIndex, u32 nValue);
/* The result: rows for a value; a guess without a measurement. */
double kvCollectionMeasured(const KvCollection *p, const char *zIndex, u32 nValue);
void kvCollectionMeasureFree(KvCollection *p);

#endif /* KV_COLLECTION_MEASURE_H */
