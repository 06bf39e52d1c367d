/*
** collection_measure.h -- how many rows an index of a collection has for a value.
*/
#ifndef KV_COLLECTION_MEASURE_H
#define KV_COLLECTION_MEASURE_H

#include "sql/collection_int.h"

/* The rows that a collection is taken to have. */
#define KVCOLL_ROWS 100000.0

/*
** Look at the first values of an index, of several the first nValue together, and remember
** what is found as long as nothing is written.  It costs a hundred rows at the most.  Errors
** are the store's.
*/
void kvCollectionMeasure(KvCollection *p, const char *zIndex, u32 nValue);
/* What it has found: rows for a value; a guess if it hasn't. */
double kvCollectionMeasured(const KvCollection *p, const char *zIndex, u32 nValue);
void kvCollectionMeasureFree(KvCollection *p);

#endif /* KV_COLLECTION_MEASURE_H */
