/*
** check_search.h -- whether the documents of a full-text index are right.
*/
#ifndef KV_CHECK_SEARCH_H
#define KV_CHECK_SEARCH_H

#include "store/check_fault.h"

/* Compare the documents of a full-text index with the values of its primary entries. */
void kvCheckSearch(KvFaults *p, const char *zName);

#endif /* KV_CHECK_SEARCH_H */
