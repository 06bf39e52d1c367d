/*
** check.h -- whether a store is sound.
*/
#ifndef KV_CHECK_H
#define KV_CHECK_H

#include "store/check_fault.h"

/* Look for faults of the kinds in mKinds, a bit mask of 1<<KVCHECK_xxx, in one
** snapshot: the caller's statement holds it.  What the file has that isn't right is a
** fault; errors are left for what keeps the store from being read at all. */
void kvCheck(KvFaults *p, u32 mKinds);

#endif /* KV_CHECK_H */
