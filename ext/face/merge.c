/*
** merge.c -- new JSON for a stored value.  See merge.h.
*/
#include "face/merge.h"
SQLITE_EXTENSION_INIT3
#include "codec/js.h"
#include "codec/json_merge.h"
#include "codec/plain.h"

/* Work space of one call: the stored value is the connection's scratch tree. */
typedef struct Merge Merge;
struct Merge {
  KvConn *pConn;
  KvTree *pOld;
  KvTree new;
  KvBuf path;             /* Of the part that is refused */
  u32 iPart;
  int bSame;
  KvErr err;
};

static int mrgError(char **pzErr, char *zErr){
  *pzErr = zErr;
  return zErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* "a Date", "an Array", "null" */
static const char *mrgArticle(const char *zType){
  if( strcmp(zType, "null")==0 || strcmp(zType, "undefined")==0 ) return "";
  if( strchr("AEIO", zType[0]) ) return "an ";
  return "a ";
}

/* A type would get lost. */
static int mrgRefused(Merge *p, char **pzErr){
  char aName[64], aType[80];
  const char *zName = kvTypeName(p->pOld, p->iPart, aName);
  if( kvBufTerminate(&p->path)!=KV_OK ) return SQLITE_NOMEM;
  sqlite3_snprintf(sizeof(aType), aType, "%s%s", mrgArticle(zName), zName);
  return mrgError(pzErr, sqlite3_mprintf("kv: json: the part %s is %s %s; change it with "
      "kv_value_set(), or write the whole value to the column js",
      (const char*)p->path.a, aType, p->err.zMsg));
}

static int mrgFailed(const KvErr *pErr, char **pzErr){
  if( pErr->eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( pErr->eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  return mrgError(pzErr, kvFaceErrorText("json", pErr));
}

/* The stored value has been read, and isn't JSON through and through. */
static int mrgMerge(
  Merge *p, const char *zJson, u32 nJson, KvBuf *pOut, int *peEncoding, char **pzErr
){
  int rc = kvJsonMerge(p->pOld, zJson, nJson, &p->new, &p->bSame, &p->iPart, &p->path, &p->err);
  if( rc==KV_REFUSED ) return mrgRefused(p, pzErr);
  if( rc==KV_OK && p->bSame ) return SQLITE_OK;
  if( rc==KV_OK ) rc = kvValueWrite(&p->new, p->pConn->iV8Version, 0, pOut, peEncoding, &p->err);
  return rc==KV_OK ? SQLITE_OK : mrgFailed(&p->err, pzErr);
}

/* Limits are those of any other value. */
static int mrgLimit(KvConn *p, const KvBuf *pOut, char **pzErr){
  if( pOut->eErr!=KV_OK ) return SQLITE_NOMEM;
  if( pOut->n<=p->aLimit[KV_LIMIT_value_bytes] ) return SQLITE_OK;
  return mrgError(pzErr, kvLimitText(p->aLimit, KV_LIMIT_value_bytes, "bytes of the value", pOut->n));
}

int kvFaceMerge(
  KvConn *pConn, int eEncoding, const u8 *aOld, u32 nOld,
  const char *zJson, u32 nJson, KvBuf *pOut, int *peEncoding, char **pzErr
){
  KvScratch *pScratch = kvScratchTake(pConn);
  Merge m;
  int rc;
  memset(&m, 0, sizeof(m));
  m.pConn = pConn;
  m.pOld = &pScratch->tree;
  kvTreeInit(&m.new);
  kvBufInit(&m.path, 0, 0);
  *peEncoding = 1;
  rc = kvValueRead(m.pOld, eEncoding, aOld, nOld, &m.err);
  if( rc==KV_CORRUPT ){
    rc = mrgError(pzErr, sqlite3_mprintf("kv: json: the stored value is malformed (%s) and can't "
        "be compared with the new JSON; write the whole value to the column js", m.err.zMsg));
  }else if( rc!=KV_OK ){
    rc = mrgFailed(&m.err, pzErr);
  }else if( !kvJsonHolds(m.pOld) || !kvPlainWrite(zJson, nJson, 1, pConn->iV8Version, pOut) ){
    rc = mrgMerge(&m, zJson, nJson, pOut, peEncoding, pzErr);
  }
  if( rc==SQLITE_OK && m.bSame ){
    *peEncoding = eEncoding;
    kvBufAppend(pOut, aOld, nOld);
  }
  if( rc==SQLITE_OK && !m.bSame ) rc = mrgLimit(pConn, pOut, pzErr);
  kvTreeClear(&m.new);
  kvBufClear(&m.path);
  kvScratchGive(pScratch);
  return rc;
}
