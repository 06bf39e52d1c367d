/*
** atomic.h -- atomic operations on a store.
**
** An operation is a list of ops (codec/op.h).  As in Deno, all checks come first,
** then the mutations in order, then the messages.  Unlike in Deno, an error in one
** of them undoes the others.  Everything here runs inside one SQL statement with a
** savepoint of its own (SQLite's statement journal): if the statement fails, SQLite
** undoes what was written.
*/
#ifndef KV_ATOMIC_H
#define KV_ATOMIC_H

#include "bytes/map.h"
#include "codec/op.h"
#include "store/row.h"

/* What counts against an operation's limits. */
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
  KvFound found;          /* Work space; sum: the stored value */
  KvBuf result;           /* The last sum, min or max: the bytes now stored */
  int eResult;            /* ... and their encoding */
  KvMap seen;             /* Keys of the rows so far (checks may follow): whether they existed
                          ** before the operation, and their versions */
};

void kvAtomInit(KvAtom *p, KvStore *pStore, const i64 *aLimit);
void kvAtomClear(KvAtom *p);

/* Execute the ops one by one, as rows of a statement; checks see the state before
** the operation.  May fail with KV_AGAIN. */
void kvAtomRow(KvAtom *p, const KvOp *pOp);

/*
** Execute a list of ops: limits, checks, mutations, messages.  Creates the tables
** if necessary.  A failed check is not an error: see bConflict.
*/
void kvAtomRun(KvAtom *p, const KvList *pOps);

/* Remove the expired entries, including from the declared indexes.  Returns how
** many.  bQuiet: no running statement opens a table.  *pbMore: the indexes have not caught
** up completely. */
i64 kvAtomSweep(KvStore *p, int bQuiet, int *pbMore);

#endif /* KV_ATOMIC_H */
