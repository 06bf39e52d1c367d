/*
** history_restore.h -- making entries what they were.
*/
#ifndef KV_HISTORY_RESTORE_H
#define KV_HISTORY_RESTORE_H

#include "store/history.h"

/*
** Make the entries between two keys (hi empty: no bound) what they were, by one atomic
** operation with a new version.  What has expired since doesn't come back.  bDry: only count.
** Returns how many entries change.  Keys of index entries are left to the indexes.
*/
i64 kvHistoryRestore(KvStore *p, const KvPast *pPast, KvBytes lo, KvBytes hi, int bDry);

/* Remove all earlier states of a key.  Returns how many. */
i64 kvHistoryForget(KvStore *p, KvBytes key);

#endif /* KV_HISTORY_RESTORE_H */
