/*
** stored.c -- values as Deno stores them: see stored.h.
*/
#include "codec/stored.h"
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_write.h"
#include "codec/view.h"

static int storedReadU64(KvTree *p, KvBytes value, KvErr *pErr){
  u32 i;
  if( value.n!=8 ) return kvErrSet(pErr, KV_CORRUPT, value.n, "a KvU64 has exactly 8 bytes");
  i = kvTreeAdd(p, KV_U64);
  if( i==KV_NO_NODE ) return kvErrMemory(pErr, KV_NOMEM);
  p->aNode[i].u.u = kvGet64le(value.p);
  return KV_OK;
}

int kvValueRead(KvTree *p, int eEncoding, KvBytes value, KvErr *pErr){
  kvTreeReset(p);
  switch( eEncoding ){
    case 1:   return kvV8Read(p, value, pErr);
    case 2:   return storedReadU64(p, value, pErr);
    case 3:   return kvViewBuild(p, value, pErr);
    default:  return kvErrSet(pErr, KV_CORRUPT, -1,
                  "the value encoding is unknown (1, 2 and 3 are known)");
  }
}

int kvValueWrite(
  KvTree *p, int iVersion, int bV8Only,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
){
  const KvNode *pRoot = &p->aNode[0];
  u8 a[8];
  *peEncoding = 1;
  if( !bV8Only && pRoot->eKind==KV_U64 ){
    *peEncoding = 2;
    kvPut64le(a, pRoot->u.u);
    kvBufAppend(pOut, a, 8);
  }else if( !bV8Only && pRoot->eKind==KV_VIEW && pRoot->eSub==KV_VIEW_U8 ){
    *peEncoding = 3;
    kvBufAdd(pOut, kvViewBytes(p, 0));
  }else{
    return kvV8Write(p, iVersion, pOut, pErr);
  }
  if( pOut->eErr==KV_OK ) return KV_OK;
  return kvErrSet(pErr, pOut->eErr, -1,
      pOut->eErr==KV_NOMEM ? "out of memory" : "the value is too big");
}
