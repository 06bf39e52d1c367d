/*
** cluster.h -- the store of a cluster of dqlite, instead of a file: what its leader is
** asked.  What has a Link is called by jobs, on their threads.
**
** Nothing is applied twice.  An operation has an id, and its outcome is written with it
** into kv_serve_done(id, versionstamp, at): a row without versionstamp if a check has
** failed.  Whenever it isn't known what has become of a write, because the leader is
** gone, the table is read on the next leader before anything is answered or run again.
** A write that arrives late all the same fails, since ids are unique.  Rows older than
** ten minutes are removed.
*/
#ifndef KV_SERVE_CLUSTER_H
#define KV_SERVE_CLUSTER_H

#include "serve/base.h"
#include "serve/link.h"
#include "serve/write.h"

#define CLUSTER_KEYS     250             /* Of one clusterEntries() */
#define CLUSTER_WAIT_MS  30000           /* For a leader, before a read is refused */

/* Serve the database of a cluster.  0, or -1 after an error, which is printed. */
int clusterInit(const char *zMembers, const char *zDatabase);
/* Is it a cluster that is served? */
int clusterOn(void);

/* Ranges, read in one snapshot from the leader.  LINK_xxx; rows that came before an
** error or a lost leader don't count. */
typedef struct ClusterRange ClusterRange;
struct ClusterRange {
  KvBytes start, end;
  int nLimit, bReverse;
};
int clusterRanges(
  Link *p, const ClusterRange *a, u32 n,
  int (*xRow)(void*, u32 iRange, const BaseEntry*), void *pArg
);
/* The entries of keys, in the same way, in any order. */
int clusterEntries(
  Link *p, const KvBytes *aKey, u32 n, int bValue, void (*xRow)(void*, const BaseEntry*), void *pArg
);
/* A row of n numbers, of a statement with the parameters iFirst and iSecond, if it has. */
int clusterNumbers(
  Link *p, int bStrong, const char *zSql, unsigned nParam, i64 iFirst, i64 iSecond,
  i64 *a, unsigned n
);

/* Wait for a moment, unless it is iUntil (ms): false. */
int clusterPause(i64 iUntil);

/* Carry out a list of writes: each has its rc then, and its results. */
void clusterWrite(Link *p, Write *pList);

/* True if a statement has failed (rc) because there was no store: one has been made, if
** that is possible now, so the statement should be tried again. */
int clusterPrepared(Link *p, int rc);

#endif /* KV_SERVE_CLUSTER_H */
