/*
** index_gap.h -- how far the declared indexes have caught up.
**
** A write that finds much to catch up with does only a part of it.  The rest is a
** gap (KvFeed): versions that the indexes have not seen, although they have seen
** later ones.  The next writes, or kv_sweep(), continue; until then a reader has
** the gap in its overlay, and checks of uniqueness include it (index_claims.h).
**
**   version  1 ........ 40 ........... 90 ........ 95
**            seen       | not yet      | seen
**                 iApplied         iGap      iDone
**
** A program of an older version sees only iApplied, and repeats work with the same
** result.
*/
#ifndef KV_INDEX_GAP_H
#define KV_INDEX_GAP_H

#include "store/feed.h"

/* A position in the feed, which is ordered by version and key: after this key, or
** with an empty key before the first of the version. */
typedef struct KvGapPlace KvGapPlace;
struct KvGapPlace {
  i64 iVersion;
  KvBuf key;
};

/*
** The feed's two parts, entries and deletions, each with a place for primary
** entries and one for entries of indexes.  Entries of indexes come after the
** primary entries of the whole gap, since their owners aren't known before.
*/
#define KVGAP_CHANGED        0
#define KVGAP_GONE           1
#define KVGAP_PRIMARY        2   /* How many are of primaries */
#define KVGAP_OWNED_CHANGED  2
#define KVGAP_OWNED_GONE     3
#define KVGAP_COUNT          4

/* Get the position of the catch-up: the beginning of what the indexes have not
** seen.  The caller frees it. */
void kvGapPlaceGet(KvStore *p, const KvFeed *pFeed, int ePlace, KvGapPlace *pPlace);
/* The place before all of a version. */
void kvGapPlaceAt(KvGapPlace *p, i64 iVersion);
void kvGapPlaceCopy(KvStore *p, KvGapPlace *pPlace, i64 iVersion, KvBytes key);
/* Bind a key as a parameter. */
void kvGapPlaceBind(KvStmt *pStmt, int i, const KvGapPlace *pPlace);

/* Record that the indexes have caught up with iVersion.  Unless the feed is on,
** deletions up to iSince are no longer complete; nor are those up to the version of
** kvGapSet(). */
void kvGapNone(KvStore *p, const KvFeed *pFeed, i64 iVersion, i64 iSince);
/* Record the same, except for what follows the positions up to version iGap.
** *pFeed becomes what is stored, with a new iNonce from the caller. */
void kvGapSet(KvStore *p, KvFeed *pFeed, i64 iVersion, i64 iGap, const KvGapPlace *aPlace);

#endif /* KV_INDEX_GAP_H */
