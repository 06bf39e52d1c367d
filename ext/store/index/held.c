/*
** held.c -- which index entries a primary entry has.  See held.h.
*/
#include "store/store_int.h"
#include "bytes/endian.h"
#include "codec/key/key_bytes.h"
#include "store/index/held.h"
#include "store/row.h"

/* Rows that are read in one go. */
#ifdef KV_DEBUG
# define HELD_CHUNK  3
#else
# define HELD_CHUNK  256
#endif

/* ---- a row ----------------------------------------------------------------- */

static void heldPutNumber(KvBuf *pOut, u32 i){
  for(; i>=0x80; i>>=7) kvBufPut(pOut, (u8)(i | 0x80));
  kvBufPut(pOut, (u8)i);
}

/* False if there is none. */
static int heldNumber(KvBytes *pRow, u32 *pi){
  u32 n = 0, nShift = 0;
  *pi = 0;
  while( n<pRow->n && nShift<32 ){
    u8 c = pRow->p[n++];
    *pi |= (u32)(c & 0x7f)<<nShift;
    nShift += 7;
    if( c & 0x80 ) continue;
    *pRow = kvBytesFrom(*pRow, n);
    return 1;
  }
  return 0;
}

void kvIndexHeldPut(KvBuf *pOut, KvBytes pk, KvBytes ik){
  u32 n = 0;
  while( n<ik.n && n<pk.n && ik.p[ik.n-1-n]==pk.p[pk.n-1-n] ) n++;
  heldPutNumber(pOut, n);
  heldPutNumber(pOut, ik.n-n);
  kvBufAdd(pOut, kvBytes(ik.p, ik.n-n));
}

void kvIndexHeldRead(KvBytes pk, KvBytes row, KvList *pOut){
  u32 nTail, nHead, iBegin;
  while( heldNumber(&row, &nTail) && heldNumber(&row, &nHead) && nTail<=pk.n && nHead<=row.n ){
    iBegin = kvListBegin(pOut);
    kvBufAdd(&pOut->bytes, kvBytes(row.p, nHead));
    kvBufAdd(&pOut->bytes, kvBytesFrom(pk, pk.n-nTail));
    kvListEnd(pOut, iBegin);
    row = kvBytesFrom(row, nHead);
  }
}

/* ---- whose an index entry is ------------------------------------------------ */

int kvIndexValued(const KvIndexDef *pDef, KvBytes ik){
  return (pDef->mOptions & KVINDEX_UNIQUE) || !kvIndexDefStored(pDef, ik);
}

/* Where what an index entry has of the primary key begins; 0 if there is nothing of it. */
static u32 heldRest(KvBytes ik, u32 nName, u32 nPath){
  KvPart part;
  u32 i = nName;
  if( nPath==0 ) return 0;
  for(; nPath>0; nPath--){
    if( i>=ik.n || kvPartRead(ik, &i, &part, 0)!=KV_OK ) return 0;
  }
  return i<ik.n ? i : 0;
}

int kvIndexHolder(const KvIndexDef *pDef, KvBytes ik, KvBuf *pPk){
  u32 iRest = heldRest(ik, pDef->name.n, pDef->spec.nPath);
  KV_ASSERT( kvIndexDefOwns(pDef, ik) );
  kvBufReset(pPk);
  if( iRest==0 ) return 0;
  kvBufAdd(pPk, pDef->prefix);
  kvBufAdd(pPk, kvBytesFrom(ik, iRest));
  return 1;
}

#define SHAPE_HEAD  5u

void kvIndexShape(const KvIndexDef *pDef, KvBuf *pOut){
  u8 aHead[SHAPE_HEAD];
  kvBufReset(pOut);
  kvPut32be(aHead, pDef->name.n);
  aHead[4] = (u8)pDef->spec.nPath;
  kvBufAppend(pOut, aHead, SHAPE_HEAD);
  kvBufAdd(pOut, pDef->prefix);
}

static void heldHolder(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  KvBytes a[2];
  u8 aSpace[256];
  KvBuf pk;
  u32 iRest;
  int i;
  for(i=0; i<2; i++){
    const void *p = sqlite3_value_blob(apArg[i]);
    a[i] = kvBytes(p, p ? (u32)sqlite3_value_bytes(apArg[i]) : 0);
  }
  if( nArg<2 || a[1].n<SHAPE_HEAD ) return;
  iRest = heldRest(a[0], kvGet32be(a[1].p), a[1].p[4]);
  if( iRest==0 ) return;
  kvBufInit(&pk, aSpace, sizeof(aSpace));
  kvBufAdd(&pk, kvBytesFrom(a[1], SHAPE_HEAD));
  kvBufAdd(&pk, kvBytesFrom(a[0], iRest));
  if( pk.eErr!=KV_OK ) sqlite3_result_error_nomem(ctx);
  else sqlite3_result_blob64(ctx, pk.a, pk.n, SQLITE_TRANSIENT);
  kvBufClear(&pk);
}

int kvIndexHolderRegister(sqlite3 *db){
  return sqlite3_create_function_v2(db, "kv_holder", 2,
      SQLITE_UTF8|SQLITE_DETERMINISTIC|SQLITE_INNOCUOUS, 0, heldHolder, 0, 0, 0);
}

/* ---- the table -------------------------------------------------------------- */

void kvIndexHeld(KvStore *p, KvBytes pk, KvList *pOut){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_INDEX_HELD_GET, "b", pk);
  kvListReset(pOut);
  if( kvStmtRow(pStmt) ) kvIndexHeldRead(pk, kvStmtBytes(pStmt, 0), pOut);
  kvStmtGive(pStmt);
  kvListSort(pOut);
  kvErrorBuf(&p->err, &pOut->bytes);
}

int kvIndexHeldHas(KvStore *p, KvBytes pk, KvBytes ik){
  KvList list = { { 0 } };
  KvBytes item;
  u32 i = 0;
  int bHas = 0;
  kvIndexHeld(p, pk, &list);
  while( !bHas && kvListNext(&list, &i, &item) ) bHas = kvBytesEqual(item, ik);
  kvListClear(&list);
  return bHas;
}

void kvIndexHeldSet(KvStore *p, KvBytes pk, const KvList *pList){
  u8 aSpace[512];
  KvBuf row;
  KvBytes ik;
  u32 i = 0;
  kvBufInit(&row, aSpace, sizeof(aSpace));
  while( kvListNext(pList, &i, &ik) ) kvIndexHeldPut(&row, pk, ik);
  kvErrorBuf(&p->err, &row);
  if( row.n ) kvStmtRun(kvStmtWith(p, KVSQL_INDEX_HELD_SET, "bb", pk, kvBufBytes(&row)));
  else kvStmtRun(kvStmtWith(p, KVSQL_INDEX_HELD_DELETE, "b", pk));
  kvBufClear(&row);
}

/* Drop what an index owns from a list. */
static void heldWithout(const KvIndexDef *pDef, const KvList *pList, KvList *pOut){
  KvBytes ik;
  u32 i = 0;
  kvListReset(pOut);
  while( kvListNext(pList, &i, &ik) ){
    if( !kvIndexDefOwns(pDef, ik) ) kvListAdd(pOut, ik);
  }
}

void kvIndexHeldReplace(KvStore *p, const KvIndexDef *pDef, KvBytes pk, const KvList *pList){
  KvIndexWork *pWork = &p->indexWork;
  KvBytes ik;
  u32 i = 0;
  kvIndexHeld(p, pk, &pWork->rows);
  heldWithout(pDef, &pWork->rows, &pWork->held);
  while( kvListNext(pList, &i, &ik) ) kvListAdd(&pWork->held, ik);
  kvErrorBuf(&p->err, &pWork->held.bytes);
  kvIndexHeldSet(p, pk, &pWork->held);
}

/* The primary keys of some rows after a key, which becomes the last of them, and before
** another one.  Each is followed by its row. */
static u32 heldSome(KvStore *p, KvBuf *pLo, KvBytes hi, KvList *pOut){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_INDEX_HELD_RANGE, "bbi", kvBufBytes(pLo), hi,
                             (i64)HELD_CHUNK);
  KvBytes last;
  u32 n = 0, iLast = 0;
  kvListReset(pOut);
  for(; kvStmtRow(pStmt); n++){
    iLast = pOut->bytes.n;
    kvListAdd(pOut, kvStmtBytes(pStmt, 0));
    kvListAdd(pOut, kvStmtBytes(pStmt, 1));
  }
  kvStmtGive(pStmt);
  kvErrorBuf(&p->err, &pOut->bytes);
  if( kvListNext(pOut, &iLast, &last) ) kvErrorCopy(&p->err, last, pLo);
  return n;
}

/* Is another index about some of the primary entries of an index? */
static int heldShared(const KvStore *p, const KvIndexDef *pDef){
  u32 i;
  for(i=0; i<kvIndexCount(p); i++){
    const KvIndexDef *pOther = kvIndexAt(p, i);
    if( pOther!=pDef && (kvBytesBegins(pOther->prefix, pDef->prefix)
                         || kvBytesBegins(pDef->prefix, pOther->prefix)) ){
      return 1;
    }
  }
  return 0;
}

void kvIndexHeldRemove(KvStore *p, const KvIndexDef *pDef){
  kvStmtRun(kvStmtWith(p, KVSQL_INDEX_HELD_REMOVE, "bb", pDef->prefix, pDef->last));
}

void kvIndexHeldForget(KvStore *p, const KvIndexDef *pDef){
  KvBuf lo = { 0 };
  KvList some = { { 0 } }, held = { { 0 } }, left = { { 0 } };
  KvBytes pk, row;
  u32 i, n;
  if( !heldShared(p, pDef) ){
    kvIndexHeldRemove(p, pDef);
    return;
  }
  kvErrorCopy(&p->err, pDef->prefix, &lo);
  do{
    n = heldSome(p, &lo, pDef->last, &some);
    for(i=0; !kvFailed(&p->err) && kvListNext(&some, &i, &pk) && kvListNext(&some, &i, &row); ){
      kvListReset(&held);
      kvIndexHeldRead(pk, row, &held);
      heldWithout(pDef, &held, &left);
      kvErrorBuf(&p->err, &held.bytes);
      kvErrorBuf(&p->err, &left.bytes);
      if( left.bytes.n<held.bytes.n ) kvIndexHeldSet(p, pk, &left);
    }
  }while( n==HELD_CHUNK && !kvFailed(&p->err) );
  kvBufClear(&lo);
  kvListClear(&some);
  kvListClear(&held);
  kvListClear(&left);
}

/* Take a primary entry out of the indexes. */
static void heldEvict(KvStore *p, KvBytes pk, KvBytes row, KvList *pOut){
  KvBytes ik;
  u32 i = pOut->bytes.n;
  kvIndexHeldRead(pk, row, pOut);
  kvErrorBuf(&p->err, &pOut->bytes);
  while( !kvFailed(&p->err) && kvListNext(pOut, &i, &ik) ){
    kvStmtRun(kvStmtWith(p, KVSQL_INDEX_VALUE_DELETE, "bb", ik, pk));
  }
}

void kvIndexHeldEvict(KvStore *p, const KvIndexDef *pDef, KvList *pOut){
  KvBuf lo = { 0 };
  KvList some = { { 0 } };
  KvBytes pk, row;
  u32 i, n;
  kvErrorCopy(&p->err, pDef->name, &lo);
  do{
    n = heldSome(p, &lo, pDef->nameEnd, &some);
    for(i=0; !kvFailed(&p->err) && kvListNext(&some, &i, &pk) && kvListNext(&some, &i, &row); ){
      heldEvict(p, pk, row, pOut);
    }
  }while( n==HELD_CHUNK && !kvFailed(&p->err) );
  kvStmtRun(kvStmtWith(p, KVSQL_INDEX_HELD_REMOVE, "bb", pDef->name, pDef->nameEnd));
  kvBufClear(&lo);
  kvListClear(&some);
}

void kvIndexHeldClear(KvStore *p){
  static const u8 aEnd[] = { 0xff, 0xff };
  KvBuf lo = { 0 };
  KvList some = { { 0 } }, held = { { 0 } };
  KvBytes pk, row, ik;
  u32 i, k, n;
  do{
    n = heldSome(p, &lo, kvBytes(aEnd, sizeof(aEnd)), &some);
    for(i=0; !kvFailed(&p->err) && kvListNext(&some, &i, &pk) && kvListNext(&some, &i, &row); ){
      kvListReset(&held);
      kvIndexHeldRead(pk, row, &held);
      kvErrorBuf(&p->err, &held.bytes);
      for(k=0; !kvFailed(&p->err) && kvListNext(&held, &k, &ik); ) kvRowDelete(p, ik);
    }
  }while( n==HELD_CHUNK && !kvFailed(&p->err) );
  kvBufClear(&lo);
  kvListClear(&some);
  kvListClear(&held);
}
