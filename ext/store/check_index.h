/*
** check_index.h -- whether the entries of the declared indexes are right.
*/
#ifndef KV_CHECK_INDEX_H
#define KV_CHECK_INDEX_H

#include "store/check_fault.h"

/* Compare the entries of each declared index with what its primary entries ask for. */
void kvCheckIndexes(KvFaults *p);

#endif /* KV_CHECK_INDEX_H */
