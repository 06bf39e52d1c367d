/*
** work.h -- the write that is under way.
*/
#ifndef KV_WORK_H
#define KV_WORK_H

#include "bytes/list.h"
#include "store/statement.h"

/* What the write that is under way has set up.  A trigger may write inside of
** it, and that write has its own. */
typedef struct KvWork KvWork;
struct KvWork {
  u8 bSavepoint;          /* It has a savepoint of its own */
  u8 bMaking;             /* It makes the tables, or has failed to */
  u8 bInner;              /* It is inside of one that has written */
  u8 nDepth;              /* How many are around it */
  i64 iVersion;           /* Of the entries that it writes; 0: none so far */
  KvList *pDefer;         /* Keys that were written and not looked at yet by the
                          ** declared indexes; 0: they look at once */
};

/* Begin the work of a write; what is returned is given back at its end. */
KvWork kvWorkBegin(KvStore *p, int bSavepoint);
void kvWorkEnd(KvStore *p, const KvWork *pOuter);

/* kvStmtRun() of a statement that writes what the user has asked for.  KV_AGAIN
** if it may fail half-way and nobody would undo that. */
void kvWorkRun(KvStmt *pStmt);

/* Whether what has failed is a conflict with an entry that was found here, and not
** a statement. */
void kvWorkConflict(KvStore *p, int bConflict);
int kvWorkConflicted(const KvStore *p);

#endif /* KV_WORK_H */
