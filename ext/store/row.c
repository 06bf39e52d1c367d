/*
** row.c -- reading and writing single rows of Deno's tables.  See row.h.
*/
#include "store/store_int.h"
#include "codec/key/key_bytes.h"
#include "store/clock.h"
#include "store/row.h"

int kvRowFind(KvStore *p, KvBytes key, i64 iNow, int bValue, KvFound *pFound){
  KvStmt *pStmt;
  pFound->bFound = 0;
  if( kvSchemaReady(p)==KV_STORE_NONE ) return 0;
  pStmt = kvStmtReader(p, KVREAD_POINT|KVREAD_META|(bValue ? KVREAD_VALUE : 0));
  kvBindBytes(pStmt, 1, key);
  kvBindInt(pStmt, 3, iNow);
  if( kvStmtRow(pStmt) ){
    pFound->bFound = 1;
    pFound->iVersion = kvStmtInt(pStmt, KVREAD_COL_VERSION);
    pFound->iExpires = kvStmtInt(pStmt, KVREAD_COL_EXPIRES);
    if( bValue ){
      kvErrorCopy(&p->err, kvStmtBytes(pStmt, KVREAD_COL_V), &pFound->v);
      pFound->eEncoding = (int)kvStmtInt(pStmt, KVREAD_COL_ENCODING);
    }
  }
  kvStmtGive(pStmt);
  return pFound->bFound;
}

/* *piVersion, and whether what it was read from is what is there. */
static int rowVersion(KvStore *p, int eState, i64 *piVersion){
  KvStmt *pStmt;
  *piVersion = 0;
  if( eState==KV_STORE_NONE ) return 1;
  pStmt = kvStmtTake(p, KVSQL_READ_VERSION);
  if( kvStmtRow(pStmt) ) *piVersion = kvStmtInt(pStmt, 0);
  kvSchemaCount(p);                    /* data_version may be left of a store */
  kvStmtGive(pStmt);
  return kvFailed(&p->err) ? p->err.rc!=SQLITE_ERROR : !kvSchemaDoubted(p);
}

i64 kvRowVersion(KvStore *p){
  i64 iVersion;
  if( !rowVersion(p, kvSchemaReady(p), &iVersion) ){
    kvErrorClear(&p->err);
    rowVersion(p, kvSchemaOpen(p), &iVersion);
  }
  return iVersion;
}

i64 kvRowIdle(KvStore *p){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_IDLE);
  kvStmtRow(pStmt);
  kvStmtGive(pStmt);
  return 0;
}

i64 kvRowNewest(KvStore *p){
  i64 iVersion = 0;
  KvStmt *pStmt;
  kvSchemaCount(p);
  pStmt = kvStmtTake(p, KVSQL_BUMP_LOOK);
  if( kvStmtRow(pStmt) ){
    iVersion = kvStmtInt(pStmt, 0);
  }else{
    kvError(&p->err, SQLITE_ERROR, "kv: %!.100s.%!.100sdata_version has no usable row with k = 0; "
        "it must hold the newest version as an integer", p->zSchema, p->zPrefix);
  }
  kvStmtGive(pStmt);
  return iVersion;
}

i64 kvRowFirstExpiry(KvStore *p){
  KvStmt *pStmt;
  i64 iFirst = INT64_MAX;
  if( kvFailed(&p->err) || (kvSchemaKnown(p) & KVKNOWN_NO_EXPIRY) ) return -1;
  pStmt = kvStmtTake(p, KVSQL_SWEEP_LOOK);
  if( p->err.rc==SQLITE_ERROR ) kvSchemaRemember(p, KVKNOWN_NO_EXPIRY);
  if( kvStmtRow(pStmt) ) iFirst = kvStmtInt(pStmt, 0);
  kvStmtGive(pStmt);
  if( p->err.rc!=SQLITE_ERROR ) return iFirst;
  kvErrorClear(&p->err);
  return -1;
}

int kvRowExpired(KvStore *p, i64 iNow){
  i64 iFirst = kvRowFirstExpiry(p);
  return iFirst<0 ? -1 : iFirst<=iNow;
}

int kvRowLasting(KvStore *p, KvBytes lo, KvBytes hi){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_READ_EXPIRING);
  int bLasting;
  kvBindBytes(pStmt, 1, lo);
  if( hi.n ) kvBindBytes(pStmt, 2, hi);
  bLasting = kvStmtRow(pStmt) && kvStmtInt(pStmt, 0)==0;
  kvStmtGive(pStmt);
  return bLasting;
}

/* Where keys that have the first n bytes in common are between each other: by a number that
** is next, or by their bytes. */
static double rowPlace(KvBytes key, u32 n, int bNumber){
  double r = 0.0, rScale = 1.0/256;
  KvPart part;
  u32 i = n;
  if( bNumber ) return kvPartRead(key, &i, &part, 0)==KV_OK ? part.r : 0.0;
  for(; i<n+8; i++, rScale/=256) r += (i<key.n ? key.p[i] : 0)*rScale;
  return r;
}

/* Of how many keys, of which nCounted reach from the first to one between that and the last. */
static double rowExtend(KvBytes first, KvBytes between, KvBytes last, u32 n, double rCounted){
  u32 i = n;
  KvPart part;
  int bNumber;
  double rFirst, rTo, rPart;
  while( kvPartRead(first, &i, &part, 0)==KV_OK && last.n>i
      && memcmp(&first.p[n], &last.p[n], i-n)==0
  ){
    n = i;
  }
  bNumber = n<first.n && n<last.n && first.p[n]==KV_TAG_NUMBER && last.p[n]==KV_TAG_NUMBER;
  while( !bNumber && n<first.n && n<last.n && first.p[n]==last.p[n] ) n++;
  rFirst = rowPlace(first, n, bNumber);
  rTo = rowPlace(last, n, bNumber);
  rPart = rTo>rFirst ? (rowPlace(between, n, bNumber) - rFirst)/(rTo - rFirst) : 1.0;
  return rPart<1e-4 ? rCounted*1e4 : rPart<1.0 ? rCounted/rPart : rCounted;
}

/* SQLite doesn't tell how many rows a range of a B-tree has.  So some are counted, and of more
** than that the number follows from how far the counted ones reach. */
#define ROW_COUNT  4096
double kvRowEstimate(KvStore *p, KvBytes lo, KvBytes hi){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_READ_SIZE, "bbi", lo, hi, (i64)ROW_COUNT);
  double rRows = 0.0;
  if( kvStmtRow(pStmt) ){
    rRows = (double)kvStmtInt(pStmt, 0);
    if( rRows>=ROW_COUNT ){
      rRows = rowExtend(kvStmtBytes(pStmt, 1), kvStmtBytes(pStmt, 3), kvStmtBytes(pStmt, 2), lo.n,
                        rRows);
    }
  }
  kvStmtGive(pStmt);
  return rRows;
}

/* An entry is about to be set: open scans that come to its key have to know whether
** it is new. */
static void rowGuard(KvStore *p, KvBytes key){
  KvFound found;
  kvGuardChange(p, key);
  if( !kvGuardAhead(p, key) ) return;
  if( !kvRowFind(p, key, kvNow(), 0, &found) ) kvGuardAdd(p, key);
}

/* Triggers may have noted something, or written to the store. */
static void rowNoted(KvStore *p){
  if( p->indexes.eFresh!=KVFRESH_UNKNOWN ) p->indexes.eFresh = KVFRESH_ALL;
}

/* Run a statement that writes one entry.  True if triggers may have noted it. */
static int rowRun(KvStore *p, KvStmt *pStmt){
  int bOwn = kvWriteOwn(pStmt);
  if( !bOwn ) rowNoted(p);
  return !bOwn;
}

/* Run one of the statements that set an entry. */
static int rowPut(KvStore *p, int eSql, const KvRow *pEntry){
  return rowRun(p, kvStmtWith(p, eSql, eSql==KVSQL_PUT ? "bbiii" : "bbii", pEntry->key,
                              pEntry->value, (i64)pEntry->eEncoding, pEntry->iVersion,
                              pEntry->iExpires));
}

int kvRowPut(KvStore *p, const KvRow *pEntry){
  int bNoted = 0;
  rowGuard(p, pEntry->key);
  if( pEntry->iExpires==-1 ){
    bNoted = rowPut(p, KVSQL_PUT_LASTING, pEntry);
    if( kvFailed(&p->err) || sqlite3_changes64(p->db)!=0 ) return bNoted;
  }
  return rowPut(p, KVSQL_PUT, pEntry) || bNoted;
}

/*
** An entry is about to move to a key: remove what is there, which may have
** expired.  (UPDATE OR REPLACE would do so, but it also replaces what the
** statements of triggers run into, whatever they say.)
*/
static void rowClear(KvStore *p, KvBytes key){
  KvFound found;
  if( !kvRowFind(p, key, -1, 0, &found) ) return;              /* before all expiry */
  if( !p->pWrite->bSavepoint ) kvErrorCode(&p->err, KV_AGAIN); /* moving it may fail then */
  rowRun(p, kvStmtWith(p, KVSQL_DELETE, "b", key));
}

int kvRowUpdate(KvStore *p, KvBytes key, u32 mSet, const KvRow *pNew){
  KvStmt *pStmt;
  kvGuardChange(p, key);
  if( mSet & KVSET_KEY ){
    rowGuard(p, pNew->key);
    rowClear(p, pNew->key);
  }
  pStmt = kvStmtMask(p, KVSQL_UPDATE, mSet);
  kvBindBytes(pStmt, 1, key);
  kvBindInt(pStmt, 2, pNew->iVersion);
  if( mSet & KVSET_KEY ) kvBindBytes(pStmt, 3, pNew->key);
  if( mSet & KVSET_VALUE ){
    kvBindBytes(pStmt, 4, pNew->value);
    kvBindInt(pStmt, 5, pNew->eEncoding);
  }
  if( mSet & KVSET_EXPIRY ) kvBindInt(pStmt, 6, pNew->iExpires);
  return rowRun(p, pStmt);
}

int kvRowDelete(KvStore *p, KvBytes key){
  kvGuardChange(p, key);
  return rowRun(p, kvStmtWith(p, KVSQL_DELETE, "b", key));
}

i64 kvRowSweep(KvStore *p, i64 iNow, i64 nMost, int bAside){
  KvStmt *pStmt = kvStmtWith(p, nMost<0 ? KVSQL_SWEEP_ALL : KVSQL_SWEEP, nMost<0 ? "i" : "ii",
                             iNow, nMost);
  i64 nGone;
  if( pStmt==0 || (bAside && pStmt->bHalf) ){
    kvStmtGive(pStmt);
    return 0;
  }
  kvStmtRun(pStmt);
  nGone = kvFailed(&p->err) ? 0 : sqlite3_changes64(p->db);
  rowNoted(p);
  return nGone;
}
