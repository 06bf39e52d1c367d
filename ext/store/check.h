/*
** check.h -- whether a store is sound.
*/
#ifndef KV_CHECK_H
#define KV_CHECK_H

#include "store/check_fault.h"

/* Look for faults of the kinds in mKinds, a bit mask of 1<<KVCHECK_xxx, in one
** snapshot: the caller's statement holds it.  Anything wrong in the file is a
** fault; an error means that the store can't be read at all. */
void kvCheck(KvFaults *p, u32 mKinds);

#endif /* KV_CHECK_H */
