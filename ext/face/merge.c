/*
** merge.c -- JSON that an UPDATE puts in the place of a stored value.
*/
#include "face/merge.h"
SQLITE_EXTENSION_INIT3
#include "codec/js.h"
int kvFaceMerge(
  KvConn *p, const u8 *aKey, u32 nKey, KvTree *pOld, const char *z, u32 n,
  KvBuf *pOut, int *peEncoding, char **pzErr
){
  KvTree t; KvErr err; int rc;
  (void)aKey; (void)nKey; (void)pOld;
  kvTreeInit(&t);
  rc = kvJsonParse(&t, z, n, &err);
  if( rc==KV_OK ) rc = kvValueWrite(&t, p->iV8Version, 0, pOut, peEncoding, &err);
  kvTreeClear(&t);
  if( rc==KV_OK ) return SQLITE_OK;
  *pzErr = kvFaceErrorText("json", &err);
  return SQLITE_ERROR;
}
