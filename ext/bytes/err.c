/*
** err.c -- the error of a codec.  See err.h.
*/
#include "bytes/err.h"

int kvErrSet(KvErr *pErr, int eCode, i64 iPos, const char *zMsg){
  if( pErr ){
    pErr->eCode = eCode;
    pErr->iPos = iPos;
    pErr->zMsg = zMsg;
    pErr->zNumber[0] = 0;
  }
  return eCode;
}

int kvErrMemory(KvErr *pErr, int eCode){
  if( eCode==KV_OK ) return KV_OK;
  KV_ASSERT( eCode==KV_NOMEM || eCode==KV_TOOBIG );
  return kvErrSet(pErr, eCode, -1, eCode==KV_NOMEM ? "out of memory" : "the result is too big");
}
