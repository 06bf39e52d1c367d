/*
** history.c -- what entries were.  See history.h.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/history.h"
#include "store/migrate.h"

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

/* The condition that the key @.k is one whose states are kept. */
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
    sqlite3_stmt *pStmt = 0;
    int rc = kvPrepare(p->db, &pStmt, "%s", zSql);
    if( rc==SQLITE_OK ) sqlite3_step(pStmt);
    if( rc==SQLITE_OK ) rc = sqlite3_reset(pStmt);
    sqlite3_finalize(pStmt);
    if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
  }
  sqlite3_free(zSql);
}

/* Make the triggers anew. */
static void historyTriggers(KvStore *p){
  char *zBelow = historyBelow(p);
  int eSql;
  if( zBelow==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  kvStmtScript(p, KVSQL_HISTORY_DROP_INSERT, KVSQL_HISTORY_DROP_VERSION);
  p->stmts.zBelow = zBelow;
  for(eSql=KVSQL_HISTORY_ON_INSERT; eSql<=KVSQL_HISTORY_ON_VERSION; eSql++) historyRun(p, eSql);
  p->stmts.zBelow = 0;
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
