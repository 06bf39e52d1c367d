/*
** index_gap.h -- how far the declared indexes have caught up.
**
** A write that finds much to catch up with does a part of it.  What is left is a gap
** (KvFeed): versions that the indexes have not seen, though they have seen later ones.
** The rest follows with the next writes, or with kv_sweep(); until then a reader has
** the gap in its overlay, and uniqueness looks at what is in it (index_claims.h).
**
**   version  1 ........ 40 ........... 90 ........ 95
**            seen       | not yet      | seen
**                 iApplied         iGap      iDone
**
** A program of an older version sees iApplied alone.  What it then does once more is
** the same again.
*/
#ifndef KV_INDEX_GAP_H
#define KV_INDEX_GAP_H

#include "store/feed.h"

/* A place in the feed, which is in the order of versions and of keys.  What comes next
** is after this key; with an empty one it is the first of the version. */
typedef struct KvGapPlace KvGapPlace;
struct KvGapPlace {
  i64 iVersion;
  KvBuf key;
};

/*
** The feed's two parts, entries and deletions, each with a place for primary entries and
** one for entries of indexes.  What is an index's is judged once the primaries of the
** whole gap have been followed: till then nobody knows whose it is.
*/
#define KVGAP_CHANGED        0
#define KVGAP_GONE           1
#define KVGAP_PRIMARY        2   /* How many are of primaries */
#define KVGAP_OWNED_CHANGED  2
#define KVGAP_OWNED_GONE     3
#define KVGAP_COUNT          4

/* Where the catch-up is: the beginning of what the indexes have not seen.  Free it. */
void kvGapPlaceGet(KvStore *p, const KvFeed *pFeed, int ePlace, KvGapPlace *pPlace);
/* The place before all of a version. */
void kvGapPlaceAt(KvGapPlace *p, i64 iVersion);
void kvGapPlaceCopy(KvStore *p, KvGapPlace *pPlace, i64 iVersion, KvBytes key);
/* Bind a key as a parameter. */
void kvGapPlaceBind(KvStmt *pStmt, int i, const KvGapPlace *pPlace);

/* The indexes have caught up with iVersion.  Unless the feed is wanted, deletions up to
** iSince are not all known any more; nor those up to the version of kvGapSet(). */
void kvGapNone(KvStore *p, const KvFeed *pFeed, i64 iVersion, i64 iSince);
/* They have but for what is after the places, up to version iGap.  *pFeed becomes what
** is stored, with a new iNonce of the caller's. */
void kvGapSet(KvStore *p, KvFeed *pFeed, i64 iVersion, i64 iGap, const KvGapPlace *aPlace);

#endif /* KV_INDEX_GAP_H */
