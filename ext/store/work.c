/*
** work.c -- the write that is under way.  See work.h.
*/
#include "store/store_int.h"

KvWork kvWorkBegin(KvStore *p, int bSavepoint){
  KvWork outer = p->work;
  KV_ASSERT( !kvFailed(&p->err) );
  memset(&p->work, 0, sizeof(p->work));
  p->work.bInner = outer.bInner || outer.iVersion>0;
  p->work.bSavepoint = bSavepoint!=0;
  p->work.nDepth = (u8)(outer.nDepth+1);
  return outer;
}

void kvWorkEnd(KvStore *p, const KvWork *pOuter){
  KV_ASSERT( p->work.nDepth==(u8)(pOuter->nDepth+1) );
  p->work = *pOuter;
}

void kvWorkRun(KvStmt *p){
  KV_ASSERT( p==0 || p->pStore->work.nDepth>0 );
  if( p && p->bHalf && !p->pStore->work.bSavepoint ) kvErrorCode(&p->pStore->err, KV_AGAIN);
  kvStmtRun(p);
}

void kvWorkConflict(KvStore *p, int bConflict){
  p->bConflict = bConflict!=0;
}

int kvWorkConflicted(const KvStore *p){
  return p->bConflict;
}
