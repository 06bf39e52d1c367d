/*
** check_published.h -- whether the rows of a published table are right.
*/
#ifndef KV_CHECK_PUBLISHED_H
#define KV_CHECK_PUBLISHED_H

#include "store/check_fault.h"

void kvCheckPublished(KvFaults *pFaults, const char *zName);

#endif /* KV_CHECK_PUBLISHED_H */
