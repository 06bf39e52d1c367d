/*
** value_check.h -- checks that a tree has the shape that value.h promises.
**
** Compiled in with -DKV_DEBUG, as KV_ASSERT() is.  Every reader calls this at its
** end, and so does every function that changes a tree.
*/
#ifndef KV_VALUE_CHECK_H
#define KV_VALUE_CHECK_H

#include "codec/value.h"

#ifdef KV_DEBUG
void kvTreeCheck(const KvTree *p);
#else
# define kvTreeCheck(P) ((void)(P))
#endif

#endif /* KV_VALUE_CHECK_H */
