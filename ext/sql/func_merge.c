/*
** func_merge.c -- new JSON for a stored value.  See func_merge.h.
*/
#include "sql/func_merge.h"
SQLITE_EXTENSION_INIT3
#include "sql/codec_error.h"
#include "sql/conn.h"
#include "codec/json/json_merge.h"
#include "codec/key/key_print.h"
#include "codec/names.h"
#include "codec/stored.h"
#include "codec/v8/text_to_v8.h"
#include "store/message.h"

/* "a Date", "an Array", "null" */
static const char *mergeArticle(const char *zType){
  if( strcmp(zType, "null")==0 || strcmp(zType, "undefined")==0 ) return "";
  return strchr("AEIO", zType[0]) ? "an " : "a ";
}

/* The type of part iPart, whose path is in pPath, would be lost. */
static int mergeRefused(
  const u8 *aKey, u32 nKey, const KvTree *pOld, u32 iPart, KvBuf *pPath, const KvErr *pErr, char **pzErr
){
  char aName[64];
  const char *zType = kvTypeName(pOld, iPart, aName);
  KvBuf key;
  kvBufInit(&key, 0, 0);
  kvKeyShow(&key, kvBytes(aKey, nKey));
  if( kvBufTerminate(&key)==KV_OK && kvBufTerminate(pPath)==KV_OK ){
    *pzErr = kvMsg("kv: json of the key %s: the part %!.100s is %s%s %s; change it with kv_value_set(), "
        "or write the whole value to the column js", (const char*)key.a, (const char*)pPath->a,
        mergeArticle(zType), zType, pErr->zMsg);
  }
  kvBufClear(&key);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int kvMergeJson(
  KvConn *p, const u8 *aKey, u32 nKey, const KvFound *pFound, KvTree *pOld,
  const char *zJson, u32 nJson, KvBuf *pOut, int *peEncoding, char **pzErr
){
  KvTree tree;
  KvBuf path;
  KvErr err;
  u32 iPart = 0;
  int bSame = 0, rc;
  *peEncoding = 1;
  if( kvJsonHolds(pOld) && kvTextToV8(kvBytes(zJson, nJson), 1, p->iV8Version, pOut) ) return SQLITE_OK;
  kvTreeInit(&tree);
  kvBufInit(&path, 0, 0);
  rc = kvJsonMerge(pOld, kvBytes(zJson, nJson), &tree, &bSame, &iPart, &path, &err);
  if( rc==KV_REFUSED ){
    rc = mergeRefused(aKey, nKey, pOld, iPart, &path, &err, pzErr);
  }else if( rc==KV_OK && bSame ){
    kvBufAppend(pOut, pFound->v.a, pFound->v.n);
    *peEncoding = pFound->eEncoding;
    rc = pOut->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }else{
    if( rc==KV_OK ) rc = kvValueWrite(&tree, p->iV8Version, 0, pOut, peEncoding, &err);
    rc = rc==KV_OK ? SQLITE_OK : kvCodecError("json", &err, pzErr);
  }
  kvBufClear(&path);
  kvTreeClear(&tree);
  return rc;
}
