/*
** error.c -- the error of a run of calls.  See error.h.
*/
#include "store/error.h"
#include "bytes/utf.h"
#include "codec/key/key_print.h"

/* ---- texts ---------------------------------------------------------------- */

/* The control character at z, which is of one byte or (U+0080 to U+009F) of
** two; else 0. */
static u32 errorControl(const u8 *z){
  if( *z<0x20 || *z==0x7f ) return *z;
  return z[0]==0xc2 && z[1]>=0x80 && z[1]<0xa0 ? z[1] : 0;
}

/* A format with its arguments filled in, as kvMsg(). */
static char *errorText(const char *zFormat, va_list ap){
  char *zText = sqlite3_vmprintf(zFormat, ap);
  const u8 *z;
  KvBuf out;
  if( zText==0 ) return 0;
  kvBufInit(&out, 0, 0);
  for(z=(const u8*)zText; *z; z++){
    u32 c = errorControl(z);
    if( c ) kvUtfAppendEscape(&out, c);
    else kvBufPut(&out, *z);
    z += c>=0x80;
  }
  sqlite3_free(zText);
  zText = (char*)kvBufDetach(&out);
  kvBufClear(&out);                    /* after an error there is something left */
  return zText;
}

char *kvMsg(const char *zFormat, ...){
  char *z;
  va_list ap;
  va_start(ap, zFormat);
  z = errorText(zFormat, ap);
  va_end(ap);
  return z;
}

/* ---- errors --------------------------------------------------------------- */

void kvErrorGive(KvError *p, int rc, char *zMsg){
  if( kvFailed(p) || rc==SQLITE_OK ){
    sqlite3_free(zMsg);
    return;
  }
  p->rc = rc;
  p->zMsg = zMsg;
}

void kvErrorCode(KvError *p, int rc){
  kvErrorGive(p, rc, 0);
}

void kvError(KvError *p, int rc, const char *zFormat, ...){
  char *zMsg;
  va_list ap;
  if( kvFailed(p) ) return;
  va_start(ap, zFormat);
  zMsg = errorText(zFormat, ap);
  va_end(ap);
  kvErrorGive(p, zMsg ? rc : SQLITE_NOMEM, zMsg);
}

const char *kvErrorBare(const char *zMsg){
  return strncmp(zMsg, "kv: ", 4)==0 ? zMsg+4 : zMsg;
}

/* (What a trigger has run into that writes here has its head already.) */
void kvErrorDb(KvError *p, sqlite3 *db, int rc){
  if( !kvFailed(p) ) kvErrorGive(p, rc, sqlite3_mprintf("kv: %s", kvErrorBare(sqlite3_errmsg(db))));
}

void kvErrorCodec(KvError *p, const char *zWhat, const KvErr *pErr){
  const char *zMsg = pErr->zMsg ? pErr->zMsg : "out of memory";
  const char *zSep = zWhat[0] ? ": " : "";
  const char *zColon = pErr->zNumber[0] ? ": " : "";
  char *z;
  if( kvFailed(p) || pErr->eCode==KV_OK ) return;
  if( pErr->eCode==KV_NOMEM || pErr->eCode==KV_TOOBIG ){
    kvErrorCode(p, pErr->eCode==KV_NOMEM ? SQLITE_NOMEM : SQLITE_TOOBIG);
    return;
  }
  z = pErr->iPos<0 ? sqlite3_mprintf("kv: %s%s%s", zWhat, zSep, zMsg)
    : sqlite3_mprintf("kv: %s%s%s%s%s (at offset %lld)",
                      zWhat, zSep, zMsg, zColon, pErr->zNumber, pErr->iPos);
  kvErrorGive(p, z ? SQLITE_ERROR : SQLITE_NOMEM, z);
}

void kvErrorBuf(KvError *p, const KvBuf *pBuf){
  if( pBuf->eErr!=KV_OK ) kvErrorCode(p, pBuf->eErr==KV_TOOBIG ? SQLITE_TOOBIG : SQLITE_NOMEM);
}

void kvErrorCopy(KvError *p, KvBytes b, KvBuf *pOut){
  kvBufReset(pOut);
  kvBufAdd(pOut, b);
  kvErrorBuf(p, pOut);
}

const char *kvErrorKey(KvError *p, KvBytes key, KvBuf *pOut){
  kvBufReset(pOut);
  kvKeyShow(pOut, key);
  kvBufTerminate(pOut);
  kvErrorBuf(p, pOut);
  return pOut->eErr==KV_OK ? (const char*)pOut->a : "";
}

void kvErrorClear(KvError *p){
  sqlite3_free(p->zMsg);
  memset(p, 0, sizeof(*p));
}

int kvErrorTake(KvError *p, char **pzErr){
  int rc = p->rc;
  if( p->zMsg ){
    sqlite3_free(*pzErr);
    *pzErr = p->zMsg;
  }
  memset(p, 0, sizeof(*p));
  return rc;
}

void kvErrorMove(KvError *pTo, KvError *pFrom){
  kvErrorGive(pTo, pFrom->rc, pFrom->zMsg);
  memset(pFrom, 0, sizeof(*pFrom));
}

KvError kvErrorAside(KvError *p){
  KvError aside = *p;
  memset(p, 0, sizeof(*p));
  return aside;
}

void kvErrorBack(KvError *p, KvError aside){
  kvErrorClear(p);
  *p = aside;
}
