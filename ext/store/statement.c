/*
** statement.c -- the prepared statements of a store.  See statement.h.
*/
#define KV_SQL_TEXTS
#include "store/index/table.h"
#include "store/store_int.h"
#include "store/search_names.h"
#include <stdarg.h>
#include <string.h>

static void stmtFinalize(KvStmt *p){
  sqlite3_finalize(p->pStmt);
  sqlite3_free(p->zSearch);
  sqlite3_free(p);
}

void kvStmtsRelease(KvStore *p){
  u32 i;
  if( p->pPublished ) p->pPublisher->xRelease(p);
  for(i=0; i<KVSQL_COUNT; i++){
    while( p->stmts.apFree[i] ){
      KvStmt *pStmt = p->stmts.apFree[i];
      p->stmts.apFree[i] = pStmt->pNext;
      stmtFinalize(pStmt);
    }
  }
}

void kvStmtsLayout(KvStore *p, int bOld){
  p->stmts.bOld = bOld!=0;
  p->stmts.iGeneration++;
  kvStmtsRelease(p);
}

/* True if the word z[0..n-1] is zWord. */
static int stmtIs(const char *z, int n, const char *zWord){
  return (int)strlen(zWord)==n && memcmp(z, zWord, (size_t)n)==0;
}

/* Append a condition, with a row's name for each @ (0: it is always met). */
static void stmtBelow(const char *zIf, const char *zRow, int nRow, sqlite3_str *pOut){
  if( zIf==0 ) zIf = "1";
  for(; *zIf; zIf++){
    if( *zIf=='@' ) sqlite3_str_append(pOut, zRow, nRow);
    else sqlite3_str_appendchar(pOut, 1, *zIf);
  }
}

/*
** Append what stands for {z} of n bytes in a statement with mask mMask.
*/
static void stmtPiece(KvStore *p, const char *z, int n, u32 mMask, sqlite3_str *pOut){
  static const struct { const char *zWord; u32 mBit; const char *zOn; } aPiece[] = {
    { "upper",     KVREAD_UPPER,  " AND k < ?2" },
    { "direction", KVREAD_DESC,   " DESC" },
    { "sorted",    KVREAD_SORTED, "+" },
    { "whole",     KVREAD_SORTED, "SELECT * FROM (" },
    { "end",       KVREAD_SORTED, ")" },
    { "at once",   KVREAD_SORTED, ") ORDER BY version + 0, k" },
    { "offset",    KVREAD_OFFSET, " LIMIT -1 OFFSET ?4" },
    { "key",       KVSET_KEY,     ", k = ?3" },
    { "value",     KVSET_VALUE,   ", v = ?4, v_encoding = ?5" },
    { "expiry",    KVSET_EXPIRY,  ", expiration_ms = ?6" },
  };
  const char *zExpires = p->stmts.bOld ? "-1" : "expiration_ms";
  u32 i;
  if( n>6 && memcmp(z, "below ", 6)==0 ){
    stmtBelow(p->stmts.zBelow, z+6, n-6, pOut);
    return;
  }
  if( p->stmts.pSearch && kvSearchPiece(p->stmts.pSearch, z, n, pOut) ) return;
  for(i=0; i<sizeof(aPiece)/sizeof(aPiece[0]); i++){
    if( stmtIs(z, n, aPiece[i].zWord) ){
      if( mMask & aPiece[i].mBit ) sqlite3_str_appendall(pOut, aPiece[i].zOn);
      return;
    }
  }
  if( stmtIs(z, n, "change") ){
    sqlite3_str_appendall(pOut, mMask & KVREAD_VALUE ? "e.expiration_ms, e.v, e.v_encoding"
                                                     : "-1, NULL, 0");
  }else if( stmtIs(z, n, "alive") ){
    if( (mMask & KVREAD_ALL)==0 ){
      sqlite3_str_appendf(pOut, " AND %s NOT BETWEEN 0 AND ?3", zExpires);
    }
  }else if( stmtIs(z, n, "expires") ){
    sqlite3_str_appendall(pOut, zExpires);
  }else if( stmtIs(z, n, "columns") ){
    /* Each column takes time, and one that is copied memory too */
    sqlite3_str_appendall(pOut, (mMask & KVREAD_POINT) ? "NULL" : "k");
    if( mMask & KVREAD_SIZE ){
      /* SQLite has the length in the head of a row; what is after a long value is far */
      sqlite3_str_appendf(pOut, ", length(v), %s", mMask & KVREAD_META ? zExpires : "-1");
      return;
    }
    if( mMask & KVREAD_META ){
      sqlite3_str_appendf(pOut, ", version, %s", zExpires);
    }else if( mMask & KVREAD_VALUE ){
      sqlite3_str_appendall(pOut, ", NULL, NULL");
    }
    if( mMask & KVREAD_VALUE ) sqlite3_str_appendall(pOut, ", v, v_encoding");
  }else if( stmtIs(z, n, "states") ){
    /* SQLite merges both sides, of equal keys the left one first, and the states of a key
    ** come in the order of the primary key; to ask for that costs half as much again */
    const char *zDesc = mMask & KVREAD_DESC ? " DESC" : "";
    if( mMask & KVREAD_POINT ){
      sqlite3_str_appendall(pOut, mMask & KVREAD_SORTED ? ") ORDER BY ended + 0"
                                                        : " ORDER BY ended");
      sqlite3_str_appendall(pOut, zDesc);
    }else{
      sqlite3_str_appendall(pOut, mMask & KVREAD_SORTED ? ") ORDER BY +k, ended" : " ORDER BY 1");
    }
  }else if( stmtIs(z, n, "new is indexed") || stmtIs(z, n, "old is indexed") ){
    sqlite3_str_appendall(pOut, p->stmts.azRange[z[0]=='o']);
  }else if( stmtIs(z, n, "guard") ){
    sqlite3_str_appendf(pOut, "%lld", p->indexes.iGuard);
  }else{
    /* name: schema and name, quoted; name!: the name bare; name-: it alone */
    const char *zQuote = p->zPrefix[0] || z[n-1]>='a' ? "\"" : "";
    int bAlone = z[n-1]=='-';
    if( z[n-1]<'a' ) n--;
    if( !bAlone ) sqlite3_str_appendf(pOut, "\"%w\".", p->zSchema);
    sqlite3_str_appendf(pOut, "%s%w%.*s%s", zQuote, p->zPrefix, n, z, zQuote);
  }
}

/* What the text of a statement of a store begins with: see kvStmtOurs(). */
#define STMT_MARK "/* kv */ "

/* The text of a statement with its pieces in braces filled in.  (Without the
** limits of the connection: SQLite has its own error where it is too long.) */
static char *stmtText(KvStore *p, const char *zText, u32 mMask){
  sqlite3_str *pOut = sqlite3_str_new(0);
  const char *z = zText;
  char *zSql;
  sqlite3_str_appendall(pOut, STMT_MARK);
  for(;;){
    const char *zOpen = strchr(z, '{');
    const char *zClose = zOpen ? strchr(zOpen, '}') : 0;
    if( zClose==0 ) break;
    sqlite3_str_append(pOut, z, (int)(zOpen-z));
    stmtPiece(p, zOpen+1, (int)(zClose-zOpen-1), mMask, pOut);
    z = zClose+1;
  }
  sqlite3_str_appendall(pOut, z);
  zSql = sqlite3_str_finish(pOut);
  if( p->stmts.pSearch==0 || !p->stmts.pSearch->bNoMemory ) return zSql;
  sqlite3_free(zSql);
  return 0;
}

/* Is a trigger of this library, by the head of its program? */
static int stmtOurTrigger(const KvStore *p, const char *z){
  static const char *const azOurs[] = {
    "kv_track_delete", "kv_track_move",
    "kv_dirty_insert", "kv_dirty_update", "kv_dirty_move", "kv_dirty_delete",
    "kv_history_insert", "kv_history_update", "kv_history_move", "kv_history_delete",
    "kv_history_added", "kv_history_moved", "kv_history_version",
    "kv_history_back",
  };
  static const char zHead[] = "-- TRIGGER ";
  size_t nPrefix = strlen(p->zPrefix);
  u32 i;
  if( z==0 || strncmp(z, zHead, sizeof(zHead)-1)!=0 ) return 0;
  z += sizeof(zHead)-1;
  if( sqlite3_strnicmp(z, p->zPrefix, (int)nPrefix)!=0 ) return 0;
  for(i=0; i<KV_COUNT(azOurs) && sqlite3_stricmp(z+nPrefix, azOurs[i])!=0; i++){}
  return i<KV_COUNT(azOurs);
}

/*
** What the triggers that a statement fires, whose text is zSql, may do.
**
** bOnce: one uses a virtual table; it may write to kv_entries itself.  Then the
** statement holds that table, which isn't disconnected as long as the statement
** is kept, and that is until the table is disconnected.  So it isn't kept, and
** the connection can be closed.  A statement that reads does the same if a table
** is a view, which those of the feed and of the indexes may be in a hostile file.
**
** bHalf: one may fail in a way that undoes nothing (RAISE(FAIL), INSERT OR FAIL).
**
** bForeign: one is not of this library, by its name at the head of its program.
**
** EXPLAIN tells it, with the programs of triggers after the statement's own,
** and without a lock on the file; to read the schema would take one, which can't
** be turned into a lock to write once another connection waits for that.
*/
#define STMT_OE_FAIL 3   /* What a program has for FAIL, in p2 of Halt... and p5 of VUpdate */
static int stmtTriggers(KvStore *p, KvStmt *pKeep, const char *zSql){
  KvExplain walk;
  int bRead = sqlite3_stmt_readonly(pKeep->pStmt);
  if( bRead && strstr(zSql, "kv_track_state")==0 && strstr(zSql, "kv_index_")==0
   && strstr(zSql, "kv_dirty")==0
  ){
    return SQLITE_OK;
  }
  kvExplainOpen(&walk, p->db, "EXPLAIN %s", zSql);
  while( kvExplainNext(&walk) ){
    const char *zOp = walk.zOp;
    if( walk.iProgram+bRead<2 ) continue;
    pKeep->bFires = 1;
    if( kvExplainFirst(&walk) && !stmtOurTrigger(p, walk.zP4) ) pKeep->bForeign = 1;
    if( zOp[0]=='V' && zOp[1]!='a' ) pKeep->bOnce = 1;   /* not Variable */
    if( (zOp[0]=='H' && kvExplainP(&walk, 2)==STMT_OE_FAIL)
     || (zOp[0]=='V' && kvExplainP(&walk, 5)==STMT_OE_FAIL)
    ){
      pKeep->bHalf = 1;
    }
  }
  return kvExplainClose(&walk);
}

char *kvStmtText(KvStore *p, int eSql){
  return stmtText(p, kvSqlText[eSql], 0);
}

char *kvStmtSearchText(KvStore *p, int eSql, const KvIndexDef *pDef, u32 mMask){
  KvSearchNames names = { pDef, p->zSchema, p->zPrefix, mMask, 0 };
  char *z;
  p->stmts.pSearch = &names;
  z = stmtText(p, kvSqlText[eSql], 0);
  p->stmts.pSearch = 0;
  return z;
}

/* A statement has failed, and not what is asked of the store. */
static void stmtFailed(KvStore *p, int rc){
  kvErrorDb(&p->err, p->db, rc);
  if( p->pWrite ) p->pWrite->bConflict = 0;
}

/* Prepare a statement. */
static void stmtPrepare(KvStmt *p){
  KvStore *pStore = p->pStore;
  char *zSql = stmtText(pStore, kvSqlText[p->eSql], p->mMask);
  int rc = SQLITE_NOMEM;
  if( zSql ) rc = sqlite3_prepare_v3(pStore->db, zSql, -1, SQLITE_PREPARE_PERSISTENT, &p->pStmt, 0);
  if( rc==SQLITE_OK ) rc = stmtTriggers(pStore, p, zSql);
  if( rc!=SQLITE_OK ) stmtFailed(pStore, rc);
  sqlite3_free(zSql);
}

static KvStmt *stmtNew(KvStore *p, int eSql, u32 mMask, char *zSearch){
  KvStmt *pStmt = kvZeroed(sizeof(*pStmt));
  if( pStmt==0 ){
    sqlite3_free(zSearch);
    kvError(&p->err, SQLITE_NOMEM, "kv: out of memory");
    return 0;
  }
  pStmt->zSearch = zSearch;
  pStmt->pStore = p;
  pStmt->eSql = eSql;
  pStmt->mMask = mMask;
  pStmt->iGeneration = p->stmts.iGeneration;
  pStmt->bOnce = p->stmts.azRange[0]!=0;       /* the next time they are others */
  stmtPrepare(pStmt);
  if( !kvFailed(&p->err) ) return pStmt;
  stmtFinalize(pStmt);
  return 0;
}

KvStmt *kvStmtMask(KvStore *p, int eSql, u32 mMask){
  KvStmt **pp = &p->stmts.apFree[eSql], *pStmt;
  if( kvFailed(&p->err) ) return 0;
  while( (pStmt = *pp)!=0 && pStmt->mMask!=mMask ) pp = &pStmt->pNext;
  if( pStmt ) *pp = pStmt->pNext;
  else if( (pStmt = stmtNew(p, eSql, mMask, 0))==0 ) return 0;
  KV_ASSERT( !pStmt->bLent );
  pStmt->pNext = 0;
  pStmt->bLent = 1;
  return pStmt;
}

/* The text of a full-text index's statement is that of its name and its paths. */
static int stmtOfSearch(const KvStmt *p, const KvIndexDef *pDef){
  return strcmp(p->zSearch, pDef->zName)==0
      && strcmp(p->zSearch + strlen(pDef->zName) + 1, pDef->zPath)==0;
}

KvStmt *kvStmtSearch(KvStore *p, int eSql, const KvIndexDef *pDef, u32 mMask){
  KvSearchNames names = { pDef, p->zSchema, p->zPrefix, mMask, 0 };
  KvStmt **pp = &p->stmts.apFree[eSql], *pStmt;
  if( kvFailed(&p->err) ) return 0;
  while( (pStmt = *pp)!=0 && (pStmt->mMask!=mMask || !stmtOfSearch(pStmt, pDef)) ){
    pp = &pStmt->pNext;
  }
  if( pStmt ){
    *pp = pStmt->pNext;
  }else{
    size_t n = strlen(pDef->zName) + 1, nPath = strlen(pDef->zPath) + 1;
    char *zSearch = sqlite3_malloc64(n + nPath);
    if( zSearch==0 ){
      kvErrorCode(&p->err, SQLITE_NOMEM);
      return 0;
    }
    memcpy(zSearch, pDef->zName, n);
    memcpy(zSearch + n, pDef->zPath, nPath);
    p->stmts.pSearch = &names;
    pStmt = stmtNew(p, eSql, mMask, zSearch);
    p->stmts.pSearch = 0;
    if( pStmt==0 ) return 0;
  }
  KV_ASSERT( !pStmt->bLent );
  pStmt->pNext = 0;
  pStmt->bLent = 1;
  return pStmt;
}

KvStmt *kvStmtTake(KvStore *p, int eSql){
  return kvStmtMask(p, eSql, 0);
}

/* (SQLite may have been built without the function.) */
int kvStmtCurrent(const KvStore *p, int eSql){
#ifdef SQLITE_OMIT_DEPRECATED
  (void)p; (void)eSql;
  return 0;
#else
  const KvStmt *pStmt = p->stmts.apFree[eSql];
# ifndef SQLITE_CORE
  if( sqlite3_api->expired==0 ) return 0;
# endif
  return pStmt && !sqlite3_expired(pStmt->pStmt);
#endif
}

KvStmt *kvStmtReader(KvStore *p, u32 mMask){
  if( mMask & KVREAD_POINT ){
    return kvStmtMask(p, KVSQL_READ_POINT, mMask & (KVREAD_POINT|KVREAD_META|KVREAD_VALUE));
  }
  return kvStmtMask(p, mMask & KVREAD_LASTING ? KVSQL_READ_LASTING : KVSQL_READ_RANGE, mMask);
}

void kvStmtGive(KvStmt *p){
  KvStmts *pStmts;
  if( p==0 ) return;
  KV_ASSERT( p->bLent );
  p->bLent = 0;
  pStmts = &p->pStore->stmts;
  sqlite3_reset(p->pStmt);
  sqlite3_clear_bindings(p->pStmt);
  if( sqlite3_stmt_status(p->pStmt, SQLITE_STMTSTATUS_REPREPARE, 0)>0 ){
    p->bOnce = 1;                      /* the schema is another; triggers, too? */
    pStmts->nReprepared++;
  }
  if( p->bOnce || p->iGeneration!=pStmts->iGeneration ){
    stmtFinalize(p);
  }else{
    p->pNext = pStmts->apFree[p->eSql];
    pStmts->apFree[p->eSql] = p;
  }
}

int kvStmtOurs(sqlite3_stmt *pStmt){
  const char *z = sqlite3_sql(pStmt);
  return z && strncmp(z, STMT_MARK, strlen(STMT_MARK))==0;
}

/* Binding has returned rc. */
static void stmtBound(KvStmt *p, int rc){
  if( rc!=SQLITE_OK ) stmtFailed(p->pStore, rc);
}

void kvBindBytes(KvStmt *p, int i, KvBytes b){
  const void *a = b.n ? (const void*)b.p : "";
  if( p ) stmtBound(p, sqlite3_bind_blob(p->pStmt, i, a, (int)b.n, SQLITE_STATIC));
}

void kvBindText(KvStmt *p, int i, KvBytes text){
  const char *z = text.n ? (const char*)text.p : "";
  if( p ) stmtBound(p, sqlite3_bind_text(p->pStmt, i, z, (int)text.n, SQLITE_STATIC));
}

static void stmtBindValue(KvStmt *p, int i, sqlite3_value *pVal){
  if( p ) stmtBound(p, sqlite3_bind_value(p->pStmt, i, pVal));
}

void kvBindInt(KvStmt *p, int i, i64 v){
  if( p ) stmtBound(p, sqlite3_bind_int64(p->pStmt, i, v));
}

KvStmt *kvStmtWith(KvStore *p, int eSql, const char *zArgs, ...){
  KvStmt *pStmt = kvStmtTake(p, eSql);
  va_list ap;
  int i;
  va_start(ap, zArgs);
  for(i=1; zArgs[i-1]; i++){
    if( zArgs[i-1]=='b' ) kvBindBytes(pStmt, i, va_arg(ap, KvBytes));
    else if( zArgs[i-1]=='t' ) kvBindText(pStmt, i, va_arg(ap, KvBytes));
    else if( zArgs[i-1]=='v' ) stmtBindValue(pStmt, i, va_arg(ap, sqlite3_value*));
    else kvBindInt(pStmt, i, va_arg(ap, i64));
  }
  va_end(ap);
  return pStmt;
}

/* A statement that runs may fire triggers that write here: they find no error,
** and leave none. */
int kvStmtRow(KvStmt *p){
  int rc;
  if( p==0 || kvFailed(&p->pStore->err) ) return 0;
  KV_ASSERT( p->bLent );
  rc = sqlite3_step(p->pStmt);
  KV_ASSERT( !kvFailed(&p->pStore->err) );
  if( rc==SQLITE_ROW ) return 1;
  if( rc!=SQLITE_DONE ) stmtFailed(p->pStore, rc);
  return 0;
}

i64 kvStmtInt(KvStmt *p, int iCol){
  return sqlite3_column_int64(p->pStmt, iCol);
}

KvBytes kvStmtBytes(KvStmt *p, int iCol){
  const void *a = sqlite3_column_blob(p->pStmt, iCol);
  return kvBytes(a, a ? (u32)sqlite3_column_bytes(p->pStmt, iCol) : 0);
}

void kvStmtRun(KvStmt *p){
  while( kvStmtRow(p) ){}              /* a row: PRAGMA count_changes */
  kvStmtGive(p);
}

void kvStmtSimple(KvStore *p, int eSql){
  kvStmtRun(kvStmtTake(p, eSql));
}

void kvStmtScript(KvStore *p, int eFirst, int eLast){
  while( eFirst<=eLast ) kvStmtSimple(p, eFirst++);
}

int kvStmtRanges(KvStore *p, const char *zNew, const char *zOld, int (*xCall)(KvStore*)){
  int rc;
  p->stmts.azRange[0] = zNew;
  p->stmts.azRange[1] = zOld;
  rc = xCall(p);
  p->stmts.azRange[0] = p->stmts.azRange[1] = 0;
  return rc;
}

void kvStmtBelow(KvStore *p, const char *zIf){
  p->stmts.zBelow = zIf;
}

/* kvPrepare() */
static int stmtFormat(sqlite3 *db, sqlite3_stmt **ppStmt, const char *zFormat, va_list ap){
  char *zSql = sqlite3_vmprintf(zFormat, ap);
  int rc = zSql ? sqlite3_prepare_v2(db, zSql, -1, ppStmt, 0) : SQLITE_NOMEM;
  sqlite3_free(zSql);
  return rc;
}

int kvPrepare(sqlite3 *db, sqlite3_stmt **ppStmt, const char *zFormat, ...){
  va_list ap;
  int rc;
  *ppStmt = 0;
  va_start(ap, zFormat);
  rc = stmtFormat(db, ppStmt, zFormat, ap);
  va_end(ap);
  return rc;
}

/* Columns of EXPLAIN. */
enum { EXPLAIN_ADDR, EXPLAIN_OPCODE, EXPLAIN_P1, EXPLAIN_P4 = 5 };

void kvExplainOpen(KvExplain *p, sqlite3 *db, const char *zFormat, ...){
  va_list ap;
  memset(p, 0, sizeof(*p));
  va_start(ap, zFormat);
  p->rc = stmtFormat(db, &p->pStmt, zFormat, ap);
  va_end(ap);
  if( p->rc==SQLITE_OK && p->pStmt==0 ) p->rc = SQLITE_ERROR;
}

int kvExplainNext(KvExplain *p){
  if( p->rc!=SQLITE_OK ) return 0;
  p->rc = sqlite3_step(p->pStmt);
  if( p->rc!=SQLITE_ROW ){
    if( p->rc==SQLITE_DONE ) p->rc = sqlite3_reset(p->pStmt);
    p->iProgram = 0;
    return 0;
  }
  p->iProgram += sqlite3_column_int(p->pStmt, EXPLAIN_ADDR)==0;
  p->zOp = (const char*)sqlite3_column_text(p->pStmt, EXPLAIN_OPCODE);
  p->zP4 = (const char*)sqlite3_column_text(p->pStmt, EXPLAIN_P4);
  p->rc = p->zOp && (p->zP4 || sqlite3_column_type(p->pStmt, EXPLAIN_P4)==SQLITE_NULL)
        ? SQLITE_OK : SQLITE_NOMEM;
  return p->rc==SQLITE_OK;
}

int kvExplainFirst(const KvExplain *p){
  return sqlite3_column_int(p->pStmt, EXPLAIN_ADDR)==0;
}

int kvExplainP(const KvExplain *p, int i){
  return sqlite3_column_int(p->pStmt, EXPLAIN_P1 - 1 + i);
}

int kvExplainClose(KvExplain *p){
  sqlite3_finalize(p->pStmt);
  return p->rc;
}

void kvWriteBegin(KvWrite *pWrite, KvStore *p, int eSavepoint){
  KvWrite *pOuter = p->pWrite;
  KV_ASSERT( !kvFailed(&p->err) );
  KV_ASSERT( pOuter || !p->indexes.bBusy );
  memset(pWrite, 0, sizeof(*pWrite));
  pWrite->pStore = p;
  pWrite->pOuter = pOuter;
  pWrite->bSavepoint = eSavepoint!=0;
  pWrite->bLater = eSavepoint==KVWRITE_LATER;
  if( pOuter ){
    pWrite->bInner = pOuter->bInner || pOuter->iVersion>0;
    pWrite->xBefore = pOuter->xBefore;
    pWrite->pBefore = pOuter->pBefore;
  }
  p->pWrite = pWrite;
}

void kvWriteEnd(KvWrite *pWrite){
  KvStore *p = pWrite->pStore;
  KV_ASSERT( p->pWrite==pWrite && pWrite->pDefer==0 );
  KV_ASSERT( pWrite->pOuter || !p->indexes.bBusy );
  kvBufClear(&pWrite->rivalPath);
  kvBufClear(&pWrite->rival);
  p->pWrite = pWrite->pOuter;
  if( p->pWrite ) p->pWrite->bConflict = pWrite->bConflict;
}

int kvWriteIsLater(const KvStore *p){
  return p->pWrite->bLater;
}

void kvWriteRun(KvStmt *p){
  KV_ASSERT( p==0 || p->pStore->pWrite );
  if( p && p->bHalf && !p->pStore->pWrite->bSavepoint ) kvErrorCode(&p->pStore->err, KV_AGAIN);
  kvStmtRun(p);
}

int kvWriteOwn(KvStmt *p){
  sqlite3 *db = p ? p->pStore->db : 0;
  int bOwn = p && p->pStore->pWrite->bGuard && !p->bForeign;
  if( bOwn ){
    i64 iRowid = sqlite3_last_insert_rowid(db);
    sqlite3_set_last_insert_rowid(db, p->pStore->indexes.iGuard);
    kvWriteRun(p);
    sqlite3_set_last_insert_rowid(db, iRowid);
  }else{
    kvWriteRun(p);
  }
  return bOwn;
}

void kvWriteConflict(KvStore *p, int bConflict){
  p->pWrite->bConflict = bConflict!=0;
}
