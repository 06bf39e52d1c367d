/*
** history.c -- what entries were.  See history.h.
*/
#include "store/store_int.h"
#include "codec/num/date.h"
#include "codec/versionstamp.h"
#include "store/clock.h"
#include "store/history.h"
#include "store/index/dirty.h"
#include "store/migrate.h"
#include "store/row.h"
#include "store/schema.h"
#include "store/store.h"

int kvHistoryThere(KvStore *p){
  return kvSchemaReady(p)==KV_STORE_READY && (kvSchemaLook(p) & KVKNOWN_HISTORY)!=0;
}

/* ---- the triggers ---------------------------------------------------------- */

static void historyBlob(sqlite3_str *pOut, KvBytes b, const char *zEnd){
  u32 i;
  sqlite3_str_appendall(pOut, "x'");
  for(i=0; i<b.n; i++) sqlite3_str_appendf(pOut, "%02x", b.p[i]);
  sqlite3_str_appendf(pOut, "%s'", zEnd);
}

/* Condition on the key @.k: it begins with b and, with bLonger, is not b. */
static void historyBegins(sqlite3_str *pOut, KvBytes b, int bLonger){
  sqlite3_str_appendall(pOut, bLonger ? "@.k > " : "@.k >= ");
  historyBlob(pOut, b, "");
  if( b.n==0 ) return;
  sqlite3_str_appendall(pOut, " AND @.k < ");
  historyBlob(pOut, b, "ff");
}

/* The rows of a statement: (xRow) a condition for each, joined by zJoin. */
static int historyEach(
  KvStore *p, sqlite3_str *pOut, int eSql, const char *zJoin, const char *zOpen, int bLonger
){
  KvStmt *pStmt = kvStmtTake(p, eSql);
  int n;
  for(n=0; kvStmtRow(pStmt); n++){
    sqlite3_str_appendf(pOut, "%s%s", n ? zJoin : "", zOpen);
    historyBegins(pOut, kvStmtBytes(pStmt, 0), bLonger);
    sqlite3_str_appendall(pOut, ")");
  }
  kvStmtGive(pStmt);
  return n;
}

/* The condition that states of the key @.k are kept. */
static char *historyBelow(KvStore *p){
  sqlite3_str *pOut = sqlite3_str_new(0);
  sqlite3_str_appendall(pOut, "(");
  if( historyEach(p, pOut, KVSQL_HISTORY_PREFIXES, " OR ", "(", 1)==0 ){
    sqlite3_str_appendall(pOut, "0");
  }
  sqlite3_str_appendall(pOut, ")");
  if( kvSchemaHasColumn(p, "kv_index_def", "own") ){
    sqlite3_str_appendall(pOut, " AND ");
    if( historyEach(p, pOut, KVSQL_HISTORY_OWN, " AND ", "NOT (", 0)==0 ){
      sqlite3_str_appendall(pOut, "1");
    }
  }
  return sqlite3_str_finish(pOut);
}

/* Run the text of a statement, which isn't to be kept. */
static void historyRun(KvStore *p, int eSql){
  char *zSql;
  if( kvFailed(&p->err) ) return;
  zSql = kvStmtText(p, eSql);
  if( zSql==0 ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
  }else{
    kvStoreFail(p, sqlite3_exec(p->db, zSql, 0, 0, 0));
  }
  sqlite3_free(zSql);
}

/* Create the triggers again. */
static void historyTriggers(KvStore *p){
  char *zBelow = historyBelow(p);
  int eSql;
  if( zBelow==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  kvStmtScript(p, KVSQL_HISTORY_DROP_INSERT, KVSQL_HISTORY_DROP_VERSION);
  kvStmtBelow(p, zBelow);
  for(eSql=KVSQL_HISTORY_ON_INSERT; eSql<=KVSQL_HISTORY_ON_BACK; eSql++) historyRun(p, eSql);
  kvStmtBelow(p, 0);
  sqlite3_free(zBelow);
}

void kvHistoryRemake(KvStore *p){
  if( kvFailed(&p->err) || !kvHistoryThere(p) ) return;
  if( kvNamesGroup(p, KVNAMES_HISTORY, 0) ) historyTriggers(p);
}

/* ---- what is kept ---------------------------------------------------------- */

void kvHistoryKeep(KvStore *p, KvBytes prefix, i64 nKeep){
  kvNamesGroup(p, KVNAMES_HISTORY, 1);
  kvMigrate(p);
  kvStmtScript(p, KVSQL_HISTORY_DEF, KVSQL_HISTORY_AT);
  kvStmtRun(kvStmtWith(p, KVSQL_HISTORY_BEGIN, "i", kvNow()));
  kvStmtRun(kvStmtWith(p, KVSQL_HISTORY_KEEP, "bi", prefix, nKeep));
  historyTriggers(p);
}

/* The first key that doesn't begin with a prefix, behind those that do; empty: none. */
static void historyBehind(KvStore *p, KvBytes prefix, KvBuf *pOut){
  kvBufReset(pOut);
  if( prefix.n==0 ) return;
  kvBufAdd(pOut, prefix);
  kvBufPut(pOut, 0xff);
  kvErrorBuf(&p->err, pOut);
}

/* Bind ?2, an upper bound; empty: none. */
static void historyUpper(KvStmt *pStmt, KvBytes hi){
  if( hi.n ) kvBindBytes(pStmt, 2, hi);
}

int kvHistoryEnd(KvStore *p, KvBytes prefix){
  KvBuf hi = { 0 };
  KvStmt *pStmt;
  int nLeft = 0;
  kvStmtRun(kvStmtWith(p, KVSQL_HISTORY_END, "b", prefix));
  if( kvFailed(&p->err) || sqlite3_changes64(p->db)==0 ) return -1;
  historyBehind(p, prefix, &hi);
  pStmt = kvStmtWith(p, KVSQL_HISTORY_CLEAR, "b", prefix);
  historyUpper(pStmt, kvBufBytes(&hi));
  kvStmtRun(pStmt);
  kvBufClear(&hi);
  pStmt = kvStmtTake(p, KVSQL_HISTORY_PREFIXES);
  while( kvStmtRow(pStmt) ) nLeft++;
  kvStmtGive(pStmt);
  historyTriggers(p);
  return nLeft;
}

void kvHistoryDrop(KvStore *p){
  if( kvNamesGroup(p, KVNAMES_HISTORY, 0) ){
    kvStmtScript(p, KVSQL_HISTORY_DROP_INSERT, KVSQL_HISTORY_DROP_AT);
  }
  kvSchemaRelease(p);
}

i64 kvHistoryKept(KvStore *p, KvBytes lo, KvBytes hi){
  KvStmt *pStmt;
  KvBuf end = { 0 };
  i64 nKeep = 0;
  if( !kvHistoryThere(p) ) return 0;
  pStmt = kvStmtTake(p, KVSQL_HISTORY_PREFIXES);
  while( kvStmtRow(pStmt) ){
    KvBytes prefix = kvStmtBytes(pStmt, 0);
    historyBehind(p, prefix, &end);
    if( hi.n && kvBytesCompare(prefix, hi)>=0 ) continue;
    if( end.n && kvBytesCompare(kvBufBytes(&end), lo)<=0 ) continue;
    if( kvStmtInt(pStmt, 1)>nKeep ) nKeep = kvStmtInt(pStmt, 1);
  }
  kvStmtGive(pStmt);
  kvBufClear(&end);
  return nKeep;
}

/* ---- reading --------------------------------------------------------------- */

KvStmt *kvHistoryStates(KvStore *p, KvBytes lo, KvBytes hi, int bSorted){
  KvStmt *pStmt = kvStmtMask(p, KVSQL_HISTORY_STATES, bSorted ? (u32)KVREAD_SORTED : 0);
  kvBindBytes(pStmt, 1, lo);
  historyUpper(pStmt, hi);
  return pStmt;
}

KvStmt *kvHistoryStatesOf(KvStore *p, KvBytes key, i64 iFrom, int bDesc, int bSorted){
  KvStmt *pStmt = kvStmtMask(p, KVSQL_HISTORY_STATES_OF, KVREAD_POINT
      | (bDesc ? (u32)KVREAD_DESC : 0) | (bSorted ? (u32)KVREAD_SORTED : 0));
  kvBindBytes(pStmt, 1, key);
  kvBindInt(pStmt, 2, iFrom);
  return pStmt;
}

i64 kvHistoryBefore(KvStore *p, KvBytes key, i64 iEnded, i64 *piFloor){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_HISTORY_BEFORE, "bi", key, iEnded);
  i64 iLast = 0;
  *piFloor = 0;
  if( kvStmtRow(pStmt) ){
    iLast = kvStmtInt(pStmt, 0);
    *piFloor = kvStmtInt(pStmt, 1);
  }
  kvStmtGive(pStmt);
  return iLast;
}

i64 kvHistoryTime(KvStore *p, i64 iVersion){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_HISTORY_TIME, "i", iVersion);
  i64 iTime = kvStmtRow(pStmt) ? kvStmtInt(pStmt, 0) : -1;
  kvStmtGive(pStmt);
  return iTime;
}

int kvHistoryNext(KvStore *p, KvBytes lo, KvBuf *pKey){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_HISTORY_NEXT, "b", lo);
  int bRow = kvStmtRow(pStmt);
  if( bRow ) kvErrorCopy(&p->err, kvStmtBytes(pStmt, 0), pKey);
  kvStmtGive(pStmt);
  return bRow && !kvFailed(&p->err);
}

i64 kvHistorySize(KvStore *p, KvBytes lo, KvBytes hi, i64 *pnByte){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_HISTORY_SIZE, "bb", lo, hi);
  i64 n = kvStmtRow(pStmt) ? kvStmtInt(pStmt, 0) : 0;
  if( n ) *pnByte = kvStmtInt(pStmt, 1);
  kvStmtGive(pStmt);
  return n;
}

/* ---- the past ---------------------------------------------------------------- */

/* The last version taken at iTime or before, -1: none is known.  Times don't fall. */
static i64 historyVersion(KvStore *p, i64 iTime, i64 iNewest){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_HISTORY_FIRST);
  i64 iLo = -1, iHi = iNewest;
  if( kvStmtRow(pStmt) && kvStmtInt(pStmt, 1)<=iTime ) iLo = kvStmtInt(pStmt, 0);
  kvStmtGive(pStmt);
  while( iLo>=0 && iLo<iHi && !kvFailed(&p->err) ){
    i64 iMid = iHi - (iHi-iLo)/2, iAt = iMid;
    pStmt = kvStmtWith(p, KVSQL_HISTORY_TIME, "i", iMid);
    if( kvStmtRow(pStmt) ){
      iAt = kvStmtInt(pStmt, 1);
      if( kvStmtInt(pStmt, 0)<=iTime ) iLo = iMid;
    }
    kvStmtGive(pStmt);
    if( iLo!=iMid ) iHi = iAt - 1;
  }
  return iLo;
}

/* States that ended more than keep_ms ago aren't wanted. */
static void historyAge(KvStore *p, i64 iNow){
  KvStmt *pStmt = kvStmtTake(p, KVSQL_HISTORY_PREFIXES);
  i64 iNewest = kvRowNewest(p);
  while( kvStmtRow(pStmt) ){
    i64 iVersion = historyVersion(p, iNow - kvStmtInt(pStmt, 1), iNewest);
    KvStmt *pLast;
    if( iVersion<=kvStmtInt(pStmt, 2) ) continue;
    pLast = kvStmtWith(p, KVSQL_HISTORY_TIME, "i", iVersion);
    if( kvStmtRow(pLast) ) iVersion = kvStmtInt(pLast, 1);
    kvStmtGive(pLast);
    kvStmtRun(kvStmtWith(p, KVSQL_HISTORY_SET_SINCE, "bi", kvStmtBytes(pStmt, 0), iVersion));
  }
  kvStmtGive(pStmt);
}

/* Note the states after *piPlace that aren't wanted, of at most nState.  The next ones begin
** after *piPlace: those that are wanted for longer than others are passed over until the end. */
static void historyOld(KvStore *p, i64 iMost, i64 *piPlace, int nState, KvBuf *pOld){
  KvStmt *pStmt = kvStmtWith(p, KVSQL_HISTORY_OLDEST, "ii", *piPlace, (i64)nState);
  int n = 0, bKept = 0;
  i64 iLast = 0;
  while( kvStmtRow(pStmt) && kvStmtInt(pStmt, 1)<=iMost ){
    n++;
    iLast = kvStmtInt(pStmt, 0);
    if( kvStmtInt(pStmt, 1)>kvStmtInt(pStmt, 2) ) bKept = 1;
    else kvBufAppend(pOld, (const u8*)&iLast, sizeof(iLast));
  }
  kvStmtGive(pStmt);
  kvErrorBuf(&p->err, pOld);
  if( n<nState ) *piPlace = 0;
  else if( bKept ) *piPlace = iLast;
}

void kvHistoryTrim(KvStore *p, i64 iNow, int nState){
  KvStmt *pStmt;
  KvBuf old = { 0 };
  i64 iPlace = 0, iNext, iMost = 0, iState;
  u32 i;
  if( !kvHistoryThere(p) ) return;
  historyAge(p, iNow);
  pStmt = kvStmtTake(p, KVSQL_HISTORY_PLACE);
  if( kvStmtRow(pStmt) ){
    iPlace = kvStmtInt(pStmt, 0);
    iMost = kvStmtInt(pStmt, 1);
  }
  kvStmtGive(pStmt);
  iNext = iPlace;
  historyOld(p, iMost, &iNext, nState, &old);
  for(i=0; i<old.n && !kvFailed(&p->err); i+=sizeof(iState)){
    memcpy(&iState, &old.a[i], sizeof(iState));
    kvStmtRun(kvStmtWith(p, KVSQL_HISTORY_TRIM, "i", iState));
  }
  if( iNext!=iPlace ) kvStmtRun(kvStmtWith(p, KVSQL_HISTORY_SET_PLACE, "i", iNext));
  kvStmtSimple(p, KVSQL_HISTORY_TRIM_AT);
  kvBufClear(&old);
}

void kvHistoryAt(KvStore *p, int bTime, i64 x, KvPast *pPast){
  i64 iNewest, iNow = kvNow();
  memset(pPast, 0, sizeof(*pPast));
  iNewest = kvRowVersion(p);
  if( kvFailed(&p->err) || (bTime ? x>=iNow : x>iNewest) ) return;
  pPast->bPast = 1;
  pPast->iVersion = x;
  pPast->iTime = x;
  if( !kvHistoryThere(p) ) return;               /* kvHistoryCheck() says so */
  if( bTime ) pPast->iVersion = historyVersion(p, x, iNewest);
  else pPast->iTime = kvHistoryTime(p, x);
  pPast->bOwned = (kvSchemaKnown(p) & KVKNOWN_INDEXES) && kvIndexList(p)>0;
}

/* The version since which states between two keys are kept; -1: they aren't. */
static i64 historySince(KvStore *p, KvBytes lo, KvBytes hi){
  KvStmt *pStmt;
  KvBuf end = { 0 };
  i64 iSince = -1;
  if( !kvHistoryThere(p) ) return -1;
  pStmt = kvStmtTake(p, KVSQL_HISTORY_PREFIXES);
  while( kvStmtRow(pStmt) ){
    KvBytes prefix = kvStmtBytes(pStmt, 0);
    i64 i = kvStmtInt(pStmt, 2);
    historyBehind(p, prefix, &end);
    if( prefix.n && (!kvBytesBegins(lo, prefix) || lo.n==prefix.n || hi.n==0
                     || kvBytesCompare(hi, kvBufBytes(&end))>0) ) continue;
    if( iSince<0 || i<iSince ) iSince = i;
  }
  kvStmtGive(pStmt);
  kvBufClear(&end);
  return iSince;
}

void kvHistoryCheck(KvStore *p, const KvPast *pPast, KvBytes lo, KvBytes hi, const char *zWhat){
  char zStamp[KV_VERSIONSTAMP_TEXT + 1], zDate[KV_DATE_TEXT + 1];
  i64 iSince;
  if( !pPast->bPast ) return;
  iSince = historySince(p, lo, hi);
  if( iSince<0 ){
    kvError(&p->err, SQLITE_ERROR, "kv: %s: of what is read no history is kept; "
        "SELECT kv_history(prefix, keep_ms) begins to, and a condition on the key or the prefix "
        "reads no more than that", zWhat);
  }else if( pPast->iVersion<iSince ){
    i64 iTime = kvHistoryTime(p, iSince);
    kvVersionstampPrint(iSince, zStamp);
    zStamp[KV_VERSIONSTAMP_TEXT] = 0;
    zDate[kvDateText((double)iTime, zDate)] = 0;
    kvError(&p->err, SQLITE_ERROR, "kv: %s: the history begins with the versionstamp %s, at %s",
        zWhat, zStamp, zDate);
  }
}

KvStmt *kvHistoryPast(KvStore *p, const KvPast *pPast, u32 mRead){
  KvStmt *pStmt = kvStmtMask(p, KVSQL_HISTORY_PAST_POINT,
      KVREAD_META | (mRead & (KVREAD_VALUE|KVREAD_POINT)));
  kvBindInt(pStmt, 5, pPast->iVersion);
  return pStmt;
}

int kvHistoryWas(KvStore *p, const KvPast *pPast, KvBytes key, KvStmt *pStmt){
  i64 iExpires = kvStmtInt(pStmt, KVREAD_COL_EXPIRES);
  return sqlite3_column_type(pStmt->pStmt, KVREAD_COL_VERSION)!=SQLITE_NULL
      && kvStmtInt(pStmt, KVREAD_COL_VERSION)<=pPast->iVersion
      && (iExpires<0 || iExpires>pPast->iTime)
      && (!pPast->bOwned || kvIndexOwner(p, key)==0);
}

/* ---- a range of the past ------------------------------------------------------ */

/* How many rows of a key that don't count are stepped over, rather than sought past. */
#define HISTORY_STEPS 8

/* Read states between the bounds: of the key lo those that ended after iEnded (in ascending
** order). */
static void rangeStates(KvPastRange *p, i64 iEnded){
  int bDesc = (p->mRead & KVREAD_DESC)!=0;
  u32 m = KVREAD_META | (p->mRead & KVREAD_SORTED) | (p->hi.n ? (u32)KVREAD_UPPER : 0)
        | (bDesc ? 0 : p->mRead & KVREAD_VALUE);
  kvStmtGive(p->pStates);
  p->pStates = kvStmtMask(p->pStore, bDesc ? KVSQL_HISTORY_PAST_DOWN : KVSQL_HISTORY_PAST, m);
  p->iEndedCol = m & KVREAD_VALUE ? KVHISTORY_COL_ENDED : KVREAD_COL_V;
  kvBindBytes(p->pStates, 1, kvBufBytes(&p->lo));
  if( p->hi.n ) kvBindBytes(p->pStates, 2, kvBufBytes(&p->hi));
  kvBindInt(p->pStates, 5, p->pPast->iVersion);
  if( !bDesc ) kvBindInt(p->pStates, 6, iEnded);
  p->bStatesAhead = (u8)kvStmtRow(p->pStates);
}

/* Pass over the states of a key that ended up to iEnded; in descending order, over all. */
static void rangeSeek(KvPastRange *p, KvBytes key, i64 iEnded){
  kvErrorCopy(&p->pStore->err, key, p->mRead & KVREAD_DESC ? &p->hi : &p->lo);
  rangeStates(p, iEnded);
}

static KvBytes rangeKey(KvStmt *pStmt){
  return kvStmtBytes(pStmt, KVREAD_COL_KEY);
}

/* pStates is at the first row of a key that ended after the version: find what counts. */
static KvStmt *rangeWas(KvPastRange *p){
  kvErrorCopy(&p->pStore->err, rangeKey(p->pStates), &p->key);
  if( (p->mRead & KVREAD_DESC)==0 ) return p->pStates;
  p->pPoint = kvHistoryPast(p->pStore, p->pPast, p->mRead & KVREAD_VALUE);
  kvBindBytes(p->pPoint, 1, kvBufBytes(&p->key));
  kvStmtRow(p->pPoint);
  return p->pPoint;
}

/* Pass over what is left of the key. */
static void rangeLeave(KvPastRange *p){
  int n;
  kvStmtGive(p->pPoint);
  p->pPoint = p->pWas = 0;
  for(n=0; n<HISTORY_STEPS; n++){
    p->bStatesAhead = (u8)kvStmtRow(p->pStates);
    if( !p->bStatesAhead || !kvBytesEqual(rangeKey(p->pStates), kvBufBytes(&p->key)) ) return;
  }
  rangeSeek(p, kvBufBytes(&p->key), INT64_MAX);
}

void kvHistoryRangeOpen(
  KvStore *p, const KvPast *pPast, u32 mRead, KvBytes lo, KvBytes hi, KvPastRange *pRange
){
  pRange->pStore = p;
  pRange->pPast = pPast;
  pRange->mRead = mRead & (KVREAD_VALUE|KVREAD_DESC|KVREAD_SORTED);
  pRange->bNow = 0;
  pRange->pNow = kvStmtReader(p, KVREAD_ALL | KVREAD_META | pRange->mRead
      | (hi.n ? (u32)KVREAD_UPPER : 0));
  kvBindBytes(pRange->pNow, 1, lo);
  if( hi.n ) kvBindBytes(pRange->pNow, 2, hi);
  kvErrorCopy(&p->err, lo, &pRange->lo);
  kvErrorCopy(&p->err, hi, &pRange->hi);
  pRange->bNowAhead = (u8)kvStmtRow(pRange->pNow);
  rangeStates(pRange, INT64_MIN);
}

KvStmt *kvHistoryRangeNext(KvPastRange *p){
  if( p->bNow ) p->bNowAhead = (u8)kvStmtRow(p->pNow);
  p->bNow = 0;
  if( p->pWas ) rangeLeave(p);
  while( p->bStatesAhead ){
    KvBytes key = rangeKey(p->pStates);
    int c = p->bNowAhead ? kvBytesCompare(rangeKey(p->pNow), key) : 0;
    if( c!=0 && (c<0)==((p->mRead & KVREAD_DESC)==0) ) break;
    if( kvStmtInt(p->pStates, p->iEndedCol)>p->pPast->iVersion ){
      p->bNow = p->bNowAhead && c==0;
      p->pWas = rangeWas(p);
      return kvFailed(&p->pStore->err) ? 0 : p->pWas;
    }
    rangeSeek(p, key, p->pPast->iVersion);
  }
  p->bNow = p->bNowAhead;
  return p->bNow ? p->pNow : 0;
}

void kvHistoryRangeClose(KvPastRange *p){
  kvStmtGive(p->pNow);
  kvStmtGive(p->pStates);
  kvStmtGive(p->pPoint);
  p->pNow = p->pStates = p->pPoint = p->pWas = 0;
}

void kvHistoryRangeClear(KvPastRange *p){
  kvHistoryRangeClose(p);
  kvBufClear(&p->key);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
}
