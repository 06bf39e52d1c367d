/*
** atomic.h -- atomic operations on a store.
**
** An operation is a list of ops (codec/op.h).  As in Deno all checks come
** first, then the mutations in their order, then the messages; unlike in
** Deno an error in one of them leaves none of the others.  Everything here
** runs inside of one SQL statement that has a savepoint of its own (SQLite's
** statement journal): if it fails, SQLite takes back what was written.
*/
#ifndef KV_ATOMIC_H
#define KV_ATOMIC_H

#include "store/store.h"
#include "store/queue.h"
#include "bytes/limits.h"
#include "codec/op.h"

/* A key that was looked at or changed, and what was there before. */
typedef struct KvAtomSeen KvAtomSeen;

/* An operation that is under way. */
typedef struct KvAtom KvAtom;
struct KvAtom {
  KvStore *pStore;
  const i64 *aLimit;      /* Limits by KV_LIMIT_xxx */
  i64 iNow;
  u8 bVersion;            /* iVersion has been taken */
  i64 iVersion;           /* Of this operation */
  int nStep;              /* What was added for it */
  i64 nCheck, nMutation, nBytes, nKeyBytes;   /* Against the limits */
  u8 bConflict;           /* A check has failed: conflict is its key */
  KvBuf conflict;         /* Key text */
  KvBuf key;              /* Work space */
  KvFound found;          /* Work space; sum: the value that was there */
  KvBuf result;           /* The last sum, min or max: the bytes now stored */
  int eResult;            /* ... and their encoding */
  KvAtomSeen *aSeen;      /* Keys of the rows so far (checks may follow) */
  u32 nSeen, nSeenAlloc;
  u32 *aHash;             /* 1 + index of the first one by hash; of as many
                          ** places as nSeenAlloc */
  u32 iSeed;              /* Of the hash */
  KvBuf seen;             /* Their bytes */
};

void kvAtomInit(KvAtom *p, KvStore *pStore, const i64 *aLimit);
void kvAtomClear(KvAtom *p);

/*
** Carry out the ops one by one as rows of a statement: checks look at what
** was there before the operation.  SQLITE_OK (then bConflict may be set),
** or an error and *pzErr.
*/
int kvAtomRow(KvAtom *p, const KvOp *pOp, char **pzErr);

/*
** Carry out a list of ops (kvOpListAdd()): limits, checks, mutations, messages.
** The tables are made if need be.  A failed check is no error: see bConflict.
*/
void kvAtomRun(KvAtom *p, KvBytes ops);

/* Remove the expired entries, of which the declared indexes learn.  Returns how
** many. */
i64 kvAtomSweep(KvStore *p);

/* The limits (limits.c). */
void kvLimitDefaults(i64 *aLimit);
int kvLimitFind(const char *zName);              /* -1: no such limit */
const char *kvLimitName(int eLimit);
i64 kvLimitMost(int eLimit);
/* "kv: zWhat: n is over the limit ..." (sqlite3_malloc) */
char *kvLimitText(const i64 *aLimit, int eLimit, const char *zWhat, i64 n);

#endif /* KV_ATOMIC_H */
