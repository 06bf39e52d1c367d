/*
** check_fault.c -- the faults that a check of a store has found.  See check_fault.h.
*/
#include "store/store_int.h"
#include "store/check_fault.h"
#include <stdarg.h>

/* A fault becomes three strings of the list: its kind, a byte and its key, and its
** message. */
static void checkFaultList(KvFaults *p, int eKind, KvBytes key, const char *zMsg){
  u8 cKind = (u8)eKind, bKey = key.p!=0;
  u32 iBegin;
  kvListAdd(&p->list, kvBytes(&cKind, 1));
  iBegin = kvListBegin(&p->list);
  kvBufPut(&p->list.bytes, bKey);
  kvBufAdd(&p->list.bytes, key);
  kvListEnd(&p->list, iBegin);
  kvListAdd(&p->list, kvBytesText(zMsg));
  kvErrorBuf(&p->pStore->err, &p->list.bytes);
}

void kvFaultAdd(KvFaults *p, int eKind, KvBytes key, const char *zFormat, ...){
  char *zText, *zMsg;
  va_list ap;
  KV_ASSERT( eKind>=0 && eKind<KVCHECK_KINDS );
  if( kvFailed(&p->pStore->err) || p->an[eKind]++>=KVCHECK_MOST ) return;
  va_start(ap, zFormat);
  zText = sqlite3_vmprintf(zFormat, ap);
  va_end(ap);
  zMsg = zText ? kvMsg("%!.1000s", zText) : 0;
  if( zMsg ) checkFaultList(p, eKind, key, zMsg);
  else kvErrorCode(&p->pStore->err, SQLITE_NOMEM);
  sqlite3_free(zText);
  sqlite3_free(zMsg);
}

/* May an error be that of a limit of the connection, whatever is stored?  Of one that is too
** low for the statements of a store, not counting the length of a name. */
static int checkFaultLimit(sqlite3 *db){
  static const struct { int eLimit, nLeast; } aLimit[] = {
    { SQLITE_LIMIT_COLUMN, 100 }, { SQLITE_LIMIT_EXPR_DEPTH, 100 },
    { SQLITE_LIMIT_COMPOUND_SELECT, 50 }, { SQLITE_LIMIT_FUNCTION_ARG, 20 },
    { SQLITE_LIMIT_VARIABLE_NUMBER, 100 }, { SQLITE_LIMIT_TRIGGER_DEPTH, 10 }
  };
  u32 i;
  for(i=0; i<KV_COUNT(aLimit); i++){
    if( sqlite3_limit(db, aLimit[i].eLimit, -1)<aLimit[i].nLeast ) return 1;
  }
  return 0;
}

int kvFaultTake(KvFaults *p, int eKind){
  KvError *pErr = &p->pStore->err;
  char *zMsg = 0;
  if( pErr->rc!=SQLITE_ERROR || checkFaultLimit(p->pStore->db) ) return 0;
  kvErrorTake(pErr, &zMsg);
  if( zMsg==0 ){
    kvErrorCode(pErr, SQLITE_NOMEM);
    return 0;
  }
  kvFaultAdd(p, eKind, kvBytes(0, 0), "%s", kvErrorBare(zMsg));
  sqlite3_free(zMsg);
  return 1;
}

void kvFaultsEnd(KvFaults *p){
  int i;
  for(i=0; i<KVCHECK_KINDS; i++){
    i64 nMore = p->an[i] - KVCHECK_MOST;
    if( nMore<=0 ) continue;
    p->an[i] = 0;
    kvFaultAdd(p, i, kvBytes(0, 0), "and %lld more", nMore);
  }
}

int kvFaultNext(const KvFaults *p, u32 *pi, KvFault *pFault){
  KvBytes kind, key;
  if( !kvListNext(&p->list, pi, &kind) || !kvListNext(&p->list, pi, &key)
   || !kvListNext(&p->list, pi, &pFault->message)
  ){
    return 0;
  }
  pFault->eKind = kind.p[0];
  pFault->key = key.p[0] ? kvBytesFrom(key, 1) : kvBytes(0, 0);
  return 1;
}

void kvFaultsReset(KvFaults *p){
  kvListReset(&p->list);
  memset(p->an, 0, sizeof(p->an));
}

void kvFaultsClear(KvFaults *p){
  kvListClear(&p->list);
}
