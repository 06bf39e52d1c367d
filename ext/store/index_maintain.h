/*
** index_maintain.h -- index maintenance and catch-up.
*/
#ifndef KV_INDEX_MAINTAIN_H
#define KV_INDEX_MAINTAIN_H

#include "store/index_def.h"

/*
** What writing calls.  kvIndexBegin(): a new version was taken, iOld is the
** one before; kvIndexResume(): writing goes on with a version that was taken
** before; kvIndexWritten(): the entry of a key was set or removed.
*/
int kvIndexBegin(KvStore *p, i64 iOld, i64 iNew, char **pzErr);
int kvIndexResume(KvStore *p, i64 iVersion, char **pzErr);
int kvIndexWritten(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr);
/* Catch up with deletions later than a version. */
int kvIndexSwept(KvStore *p, i64 iVersion, char **pzErr);

/* *pbPending: keys were written without a new version, and the indexes have not
** caught up.  (After kvTrackGet(), in the same transaction.) */
int kvIndexPending(KvStore *p, int *pbPending, char **pzErr);
/* *pbStale: there are indexes, and another program has written since they
** caught up. */
int kvIndexStale(KvStore *p, int *pbStale, char **pzErr);

/*
** Between the two, what was written is only noted, and uniqueness is looked at
** at the end: so two entries may exchange their values.  pList is the
** caller's; kvIndexDeferEnd() is called whatever has happened, with rc.
*/
void kvIndexDefer(KvStore *p, KvBuf *pList);
int kvIndexDeferEnd(KvStore *p, int rc, char **pzErr);

/* The indexes have caught up with iVersion; deletions up to iOld are
** forgotten unless the feed is wanted. */
int kvIndexApplied(KvStore *p, i64 iVersion, i64 iOld, char **pzErr);

/* What of the two steps of kvIndexTouch() is done. */
#define KVINDEX_TAKE  1       /* Remove the entries that are not asked for */
#define KVINDEX_ADD   2       /* Add those that are */
int kvIndexTouch(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk,
  int mStep, int bStrict, char **pzErr
);

#endif /* KV_INDEX_MAINTAIN_H */
