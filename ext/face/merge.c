/*
** merge.c -- JSON that an UPDATE puts in the place of a stored value.
*/
#include "face/merge.h"
SQLITE_EXTENSION_INIT3
#include "codec/json_merge.h"

/* The type of a part would be lost. */
static int mergeRefused(
  const u8 *aKey, u32 nKey, const KvTree *pOld, u32 iPart, KvBuf *pPath, const KvErr *pErr, char **pzErr
){
  char zType[64];
  KvBuf key;
  kvBufInit(&key, 0, 0);
  kvKeyShow(&key, aKey, nKey);
  if( kvBufTerminate(&key)==KV_OK && kvBufTerminate(pPath)==KV_OK ){
    *pzErr = sqlite3_mprintf("kv: json of the key %s: the part %s is a %s %s; change it with kv_value_set(), "
        "or write the whole value to the column js", (const char*)key.a, (const char*)pPath->a,
        kvTypeName(pOld, iPart, zType), pErr->zMsg);
  }
  kvBufClear(&key);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int kvFaceMerge(
  KvConn *p, const u8 *aKey, u32 nKey, KvTree *pOld, const char *z, u32 n,
  KvBuf *pOut, int *peEncoding, char **pzErr
){
  KvTree tree;
  KvBuf path;
  KvErr err;
  u32 iPart = 0;
  int rc;
  kvTreeInit(&tree);
  kvBufInit(&path, 0, 0);
  rc = kvJsonMerge(pOld, z, n, &tree, &iPart, &path, &err);
  if( rc==KV_REFUSED ){
    rc = mergeRefused(aKey, nKey, pOld, iPart, &path, &err, pzErr);
  }else{
    if( rc==KV_OK ) rc = kvValueWrite(&tree, p->iV8Version, 0, pOut, peEncoding, &err);
    rc = rc==KV_OK ? SQLITE_OK : kvFaceCodecError("json", &err, pzErr);
  }
  kvBufClear(&path);
  kvTreeClear(&tree);
  return rc;
}
