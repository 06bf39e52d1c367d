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

#include "bytes/map.h"
#include "codec/op.h"
#include "store/row.h"

/* What of an operation counts against the limits. */
typedef struct KvAtomCount KvAtomCount;
struct KvAtomCount {
  i64 nCheck, nMutation, nByte, nKeyByte;
};

/* An operation that is under way. */
typedef struct KvAtom KvAtom;
struct KvAtom {
  KvStore *pStore;
  const i64 *aLimit;      /* Limits by KV_LIMIT_xxx */
  i64 iNow;
  u8 bVersion;            /* iVersion has been taken */
  i64 iVersion;           /* Of this operation */
  int nStep;              /* What was added for it */
  KvAtomCount count;
  u8 bConflict;           /* A check has failed: conflict is its key */
  KvBuf conflict;         /* Key text */
  KvBuf key;              /* Work space */
  KvFound found;          /* Work space; sum: the value that was there */
  KvBuf result;           /* The last sum, min or max: the bytes now stored */
  int eResult;            /* ... and their encoding */
  KvMap seen;             /* Keys of the rows so far (checks may follow): whether
                          ** they were there before it, and their versions */
};

void kvAtomInit(KvAtom *p, KvStore *pStore, const i64 *aLimit);
void kvAtomClear(KvAtom *p);

/* Carry out the ops one by one as rows of a statement: checks look at what was
** there before the operation.  KV_AGAIN. */
void kvAtomRow(KvAtom *p, const KvOp *pOp);

/*
** Carry out a list of ops: limits, checks, mutations, messages.
** The tables are made if need be.  A failed check is no error: see bConflict.
*/
void kvAtomRun(KvAtom *p, const KvList *pOps);

/* Remove the expired entries, of which the declared indexes learn.  Returns how
** many.  *pbMore: the indexes have not caught up with all yet. */
i64 kvAtomSweep(KvStore *p, int *pbMore);

#endif /* KV_ATOMIC_H */
