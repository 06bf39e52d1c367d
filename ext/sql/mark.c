/*
** mark.c -- marks that SQLite's temporary tables have dropped.  See mark.h.
**
** A sorter, a materialized view, an index of an expression or the list of rows of
** an UPDATE keeps the text of json('[1]') and drops its mark; so does the copy of a
** column of a subquery.  What then comes to be stored looks like the string "[1]".
** Whether it is one can't be seen from the value, but what makes marks can be seen
** from the program of the statement: EXPLAIN lists its functions, those of its views
** and triggers included, and the columns that it reads of virtual tables.  So a text
** is in doubt only if
**
**    - the statement that runs stores values (or makes keys, for kv_key()), and
**    - something in it makes marks, and
**    - something in it drops them: it puts records together, copies what a subquery
**      shows, reads an index of such expressions, aggregates, or has sorted, and
**    - what makes marks could have made this very text.
**
** Any other statement stores what it is given: text without a mark is a string.
** The program that runs is not quite the one that EXPLAIN lists: bound values may
** give it another plan.  What differs then is whether it sorts, which it counts, and
** which indexes it reads.
**
** An EXPLAIN costs as much as preparing the statement, so what it has shown is
** remembered for the statements looked at last.
*/
#include "sql/mark.h"
#include "sql/sql_word.h"
#include "sql/args.h"
#include "sql/subtype.h"
#include "store/statement.h"
#include "sql/vtab.h"
#include "codec/js/js_parse.h"
#include "store/schema.h"

/* What a statement makes (a bit mask). */
#define MARK_JSON   0x01  /* JSON text */
#define MARK_JS     0x02  /* JS text */
#define MARK_RAW    0x04  /* Raw values */
#define MARK_JSONB  0x08  /* SQLite's binary JSON, which never has a mark */
#define MARK_ALL    0x0f
#define MARK_STORES 0x10  /* It stores values, */
#define MARK_PARTS  0x20  /* ... makes them of others: kv_value_set(), */
#define MARK_KEYS   0x40  /* ... or makes keys: kv_key() */
#define MARK_ENCODES 0x80 /* ... or makes bytes or JS text of them: kv_value_encode() */
#define MARK_USES   0xf0
#define MARK_DROPS  0x100 /* It may drop marks */
#define MARK_OTHERS 9     /* MARK_ALL<<9: what it makes otherwise than by reading the row
                          ** that an UPDATE changes */
#define MARK_UNTOLD (MARK_ALL|MARK_USES|MARK_DROPS|MARK_ALL<<MARK_OTHERS)

/* What is known of a statement. */
typedef struct MarkKnown MarkKnown;
struct MarkKnown {
  sqlite3_stmt *pStmt;
  char *zSql;             /* Its text; 0: an unused slot */
  int nReprepare;         /* How often it had been prepared again */
  u32 iSchema;            /* kvSchemaCount() */
  int mMade;              /* MARK_xxx */
};

#define MARK_KNOWN 4
struct KvMarked {
  u8 bLooking;            /* A statement is being looked at */
  u8 bForget;             /* What is known is of no use any more */
  int iNext;              /* The slot to be used next */
  MarkKnown aKnown[MARK_KNOWN];
};

static void markClear(struct KvMarked *p){
  int i;
  for(i=0; i<MARK_KNOWN; i++){
    sqlite3_free(p->aKnown[i].zSql);
    p->aKnown[i].zSql = 0;
  }
  p->bForget = 0;
}

void kvMarkForget(KvConn *p){
  if( p->pMarked ) p->pMarked->bForget = 1;      /* it may be in use */
}

void kvMarkFree(KvConn *p){
  if( p->pMarked==0 ) return;
  markClear(p->pMarked);
  sqlite3_free(p->pMarked);
  p->pMarked = 0;
}

/* ---- functions ------------------------------------------------------------ */

/* What a function makes, by its name. */
static int markOfFunction(const char *z, int n){
  static const struct {
    const char *zName;
    int m;
  } aFunc[] = {
    { "->", MARK_JSON },
    { "kv_json", MARK_JSON },
    { "kv_get", MARK_JSON },
    { "kv_extract", MARK_JSON },
    { "json_valid", 0 },
    { "json_type", 0 },
    { "json_array_length", 0 },
    { "json_error_position", 0 },
    { "kv_value", MARK_JS|MARK_ENCODES },
    { "kv_value_encode", MARK_ENCODES },
    { "kv_js", MARK_JS },
    { "kv_bigint", MARK_JS },
    { "kv_bool", MARK_JS },
    { "kv_commit_versionstamp", MARK_JS },
    { "kv_raw", MARK_RAW },
    { "kv_value_set", MARK_RAW|MARK_PARTS },
    { "kv_value_remove", MARK_RAW },
    { "kv_set", MARK_STORES },
    { "kv_op", MARK_STORES },
    { "kv_enqueue", MARK_STORES },
    { "kv_key", MARK_KEYS }
  };
  u32 i;
  for(i=0; i<KV_COUNT(aFunc); i++){
    const char *zName = aFunc[i].zName;
    if( (int)strlen(zName)==n && sqlite3_strnicmp(zName, z, n)==0 ) return aFunc[i].m;
  }
  if( n>=5 && sqlite3_strnicmp(z, "jsonb", 5)==0 ) return MARK_JSONB|MARK_DROPS;
  return n>=4 && sqlite3_strnicmp(z, "json", 4)==0 ? MARK_JSON : 0;
}

/* A table that a program reads, by cursor; subprograms of triggers have cursors of
** their own. */
#define MARK_ADDRESS 40
typedef struct MarkOpen MarkOpen;
struct MarkOpen {
  int iProgram, iCursor;
  u8 bRow;                /* It reads the row that an UPDATE changes */
  int mIndex;             /* Or it is an index, of expressions that make this */
  char zAddress[MARK_ADDRESS];
};

/* A walk over a program. */
#define MARK_OPENS 16
typedef struct MarkWalk MarkWalk;
struct MarkWalk {
  KvConn *pConn;
  int rc;                 /* SQLITE_OK, or an error: nothing more is asked */
  int mMade;              /* The result */
  int mIndexed;           /* What is made for the indexes of its tables */
  u8 bElsewhere;          /* It goes by a schema without a store */
  int iProgram;           /* Counts the programs */
  int nOpen;
  MarkOpen aOpen[MARK_OPENS];
};

/* ---- virtual tables ------------------------------------------------------- */

/*
** A virtual table is called vtab:ADDRESS in a program.  Which one is json_each, or one
** of its like, is what a statement tells that reads nothing else.  True if it is the
** one at zAddress, or can't be told.
*/
static int markIsAt(MarkWalk *p, const char *zTable, const char *zAddress){
  KvExplain walk;
  int b = 0, rc;
  kvExplainOpen(&walk, p->pConn->db, "EXPLAIN SELECT 1 FROM \"%w\"", zTable);
  if( walk.rc==SQLITE_ERROR ) return 0;          /* no such table */
  while( !b && kvExplainNext(&walk) ){
    b = walk.zP4 && strcmp(walk.zOp, "VOpen")==0 && strcmp(walk.zP4, zAddress)==0;
  }
  rc = kvExplainClose(&walk);
  if( rc==SQLITE_AUTH ) return 1;                /* it may be this one */
  if( rc!=SQLITE_OK ) p->rc = rc;
  return b;
}

/* True if a query of the value (0: of none) has a row.  No error but a lack of memory
** counts: this SQLite may not know the functions. */
static int markHolds(sqlite3 *db, const char *zSql, sqlite3_value *pVal, int *pRc){
  sqlite3_stmt *pStmt = 0;
  int rc = sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0);
  if( rc==SQLITE_OK && pVal ) rc = sqlite3_bind_value(pStmt, 1, pVal);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  sqlite3_finalize(pStmt);
  if( rc==SQLITE_NOMEM ) *pRc = rc;
  return rc==SQLITE_ROW;
}

/* What column iCol of the table at an address makes: of one of ours, or of json_each
** and its like, whose column "value" is the second one.  In some versions of SQLite the
** arrays and objects among those have no mark: json_array() takes them for strings. */
static int markOfColumn(MarkWalk *p, const char *zAddress, int iCol){
  static const char *const azEach[] = { "json_each", "json_tree", "jsonb_each", "jsonb_tree" };
  static const char zMarked[] =
      "SELECT 1 FROM json_each('[[1]]') WHERE json_array(value) = '[[1]]'";
  char zBuf[MARK_ADDRESS];
  const KvVtab *pTab;
  u64 mBit = (u64)1<<(iCol & 63);
  u32 i;
  for(pTab=p->pConn->pTables; pTab; pTab=pTab->pNext){
    sqlite3_snprintf(MARK_ADDRESS, zBuf, "vtab:%p", (const void*)&pTab->base);
    if( strcmp(zBuf, zAddress)!=0 ) continue;
    return (pTab->mJson & mBit ? MARK_JSON : 0) | (pTab->mJs & mBit ? MARK_JS : 0)
         | (pTab->mRaw & mBit ? MARK_RAW : 0);
  }
  for(i=0; p->rc==SQLITE_OK && iCol==1 && i<KV_COUNT(azEach); i++){
    if( !markIsAt(p, azEach[i], zAddress) ) continue;
    return MARK_JSON | (azEach[i][4]=='b' ? MARK_JSONB|MARK_DROPS : 0)
         | (markHolds(p->pConn->db, zMarked, 0, &p->rc) ? 0 : MARK_DROPS);
  }
  return 0;
}

/* ---- programs ------------------------------------------------------------- */

/* What something makes that isn't the row of an UPDATE itself. */
static void markMade(MarkWalk *p, int m){
  p->mMade |= m | (m & MARK_ALL)<<MARK_OTHERS;
}

/* A cursor of the program, 0 if it has not been opened. */
static MarkOpen *markFind(MarkWalk *p, int iCursor){
  int i;
  for(i=0; i<p->nOpen; i++){
    MarkOpen *pOpen = &p->aOpen[i];
    if( pOpen->iProgram==p->iProgram && pOpen->iCursor==iCursor ) return pOpen;
  }
  return 0;
}

/* The same, a new one if need be; 0 if there are more than one keeps count of. */
static MarkOpen *markCursor(MarkWalk *p, int iCursor){
  MarkOpen *pOpen = markFind(p, iCursor);
  if( pOpen ) return pOpen;
  if( p->nOpen>=MARK_OPENS ){
    p->mMade |= MARK_UNTOLD;
    return 0;
  }
  pOpen = &p->aOpen[p->nOpen++];
  pOpen->iProgram = p->iProgram;
  pOpen->iCursor = iCursor;
  return pOpen;
}

/* A column of a virtual table is read.  The first time (bKnown is false) what matters
** is which cursors are those of an UPDATE: P5 is 1 where it asks for a column that
** stays as it is. */
static void markRead(MarkWalk *p, int iCursor, int iCol, int bStays, int bKnown){
  MarkOpen *pOpen = bStays || bKnown ? markCursor(p, iCursor) : 0;
  int m;
  if( pOpen==0 ) return;
  if( bStays ) pOpen->bRow = 1;
  if( bStays || !bKnown ) return;
  m = markOfColumn(p, pOpen->zAddress, iCol);
  if( pOpen->bRow ) p->mMade |= m;
  else markMade(p, m);
}

/* The first column of a query's first row, 0 if there is none or it is NULL.  The
** query is freed. */
static char *markAsk(MarkWalk *p, char *zSql){
  sqlite3_stmt *pStmt = 0;
  const char *zText;
  char *z = 0;
  int rc = zSql ? sqlite3_prepare_v2(p->pConn->db, zSql, -1, &pStmt, 0) : SQLITE_NOMEM;
  sqlite3_free(zSql);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  if( rc==SQLITE_ROW && sqlite3_column_type(pStmt, 0)!=SQLITE_NULL ){
    zText = (const char*)sqlite3_column_text(pStmt, 0);
    if( zText ) z = sqlite3_mprintf("%s", zText);
    if( z==0 ) rc = SQLITE_NOMEM;
  }
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) p->rc = rc;
  return z;
}

/* What a function that an instruction calls makes. */
static int markCalled(const KvExplain *pWalk){
  const char *zEnd = pWalk->zP4 ? strchr(pWalk->zP4, '(') : 0;
  return zEnd ? markOfFunction(pWalk->zP4, (int)(zEnd-pWalk->zP4)) : 0;
}

/* What indexes make: those that a column of sqlite_schema names for what is stored at
** a root page, that of a table all of its own. */
static int markOfRoot(MarkWalk *p, const char *zDb, int iRoot, const char *zColumn){
  KvExplain walk;
  int m = 0;
  char *z = markAsk(p, sqlite3_mprintf(
      "SELECT %s FROM \"%w\".sqlite_schema AS t WHERE rootpage = %d AND EXISTS "
      "(SELECT 1 FROM \"%w\".sqlite_schema AS i WHERE i.type = 'index' AND i.tbl_name = t.tbl_name "
      "AND i.sql IS NOT NULL)", zColumn, zDb, iRoot, zDb));
  if( z==0 ) return 0;
  kvExplainOpen(&walk, p->pConn->db, "EXPLAIN REINDEX \"%w\".\"%w\"", zDb, z);
  while( kvExplainNext(&walk) ) m |= markCalled(&walk) & MARK_ALL;
  p->rc = kvExplainClose(&walk);
  sqlite3_free(z);
  return m;
}

/* The name of schema iDb of a program, 0 after an error. */
static char *markDb(MarkWalk *p, int iDb){
  char *z;
  if( iDb>1 ){
    return markAsk(p, sqlite3_mprintf("SELECT name FROM pragma_database_list WHERE seq = %d", iDb));
  }
  z = sqlite3_mprintf("%s", iDb ? "temp" : "main");
  if( z==0 ) p->rc = SQLITE_NOMEM;
  return z;
}

/* The program goes by the schema iDb.  Whether that is another one is what a store in
** it knows (any store for temp). */
static void markSchemaUsed(MarkWalk *p, int iDb){
  const KvStore *pStore = p->pConn->pStores;
  char *zDb;
  if( iDb==1 ) return;
  zDb = markDb(p, iDb);
  while( zDb && pStore && !kvStoreIs(pStore, zDb, 0) ) pStore = kvStoreNext(pStore);
  if( zDb==0 || pStore==0 ) p->bElsewhere = 1;
  sqlite3_free(zDb);
}

/*
** An index may hold what an expression makes, and SQLite reads that from the index
** where the statement has the expression or a generated column: without a mark, and
** without a call of its function.  So a table or index that is opened is looked at.
*/
static void markOpened(MarkWalk *p, int iCursor, int iRoot, int iDb){
  MarkOpen *pOpen;
  char *zDb = markDb(p, iDb);
  int mTab = zDb ? markOfRoot(p, zDb, iRoot, "tbl_name") : 0;
  int mIndex = mTab && p->rc==SQLITE_OK
             ? markOfRoot(p, zDb, iRoot, "iif(type = 'index', name, NULL)") : 0;
  sqlite3_free(zDb);
  if( p->rc==SQLITE_AUTH ){
    p->mMade |= MARK_UNTOLD;
    p->rc = SQLITE_OK;
  }
  p->mIndexed |= mTab;
  pOpen = mIndex ? markCursor(p, iCursor) : 0;
  if( pOpen ) pOpen->mIndex = mIndex;
}

/* True if an opcode drops marks: it makes a record, copies what a subquery shows, or
** has to do with an aggregate (kv_atomic() gets its arguments as they are). */
static int markDrops(const char *zOp, const char *zP4, int mP5){
  if( strcmp(zOp, "MakeRecord")==0 || strcmp(zOp, "ClrSubtype")==0 ) return 1;
  if( strcmp(zOp, "Copy")==0 ) return (mP5 & 2)!=0;
  return strncmp(zOp, "Agg", 3)==0 && !(zP4 && strncmp(zP4, "kv_atomic(", 10)==0);
}

/* One instruction.  bKnown: the second time, when all that is opened is known. */
static void markLine(MarkWalk *p, const KvExplain *pWalk, int bKnown){
  const char *zOp = pWalk->zOp, *zP4 = pWalk->zP4;
  int iP1 = kvExplainP(pWalk, 1);
  int iP2 = kvExplainP(pWalk, 2);
  int mP5 = kvExplainP(pWalk, 5);
  MarkOpen *pOpen;
  p->iProgram = pWalk->iProgram;
  if( strcmp(zOp, "VColumn")==0 ){
    markRead(p, iP1, iP2, mP5 & 1, bKnown);
  }else if( bKnown ){
    pOpen = strcmp(zOp, "Column")==0 ? markFind(p, iP1) : 0;
    if( pOpen && pOpen->mIndex ) markMade(p, pOpen->mIndex|MARK_DROPS);
  }else if( strcmp(zOp, "Transaction")==0 ){
    markSchemaUsed(p, iP1);
  }else{
    if( strcmp(zOp, "VUpdate")==0 ) p->mMade |= MARK_STORES;
    if( markDrops(zOp, zP4, mP5) ) p->mMade |= MARK_DROPS;
    pOpen = strcmp(zOp, "VOpen")==0 && zP4 ? markCursor(p, iP1) : 0;
    if( pOpen ) sqlite3_snprintf(MARK_ADDRESS, pOpen->zAddress, "%s", zP4);
    markMade(p, markCalled(pWalk));
    if( (strcmp(zOp, "OpenRead")==0 || strcmp(zOp, "OpenWrite")==0) && (mP5 & 0x10)==0 ){
      markOpened(p, iP1, iP2, kvExplainP(pWalk, 3));                /* 0x10: P2 is a register */
    }
  }
}

/* An error that may have rolled the transaction back.  Others just mean that a
** statement can't be told of. */
static int markFatal(int rc){
  return rc!=SQLITE_OK && rc!=SQLITE_ERROR && rc!=SQLITE_AUTH;
}

/*
** What a statement that runs makes.  One that can't be told of makes
** everything.  *pbKeep: that holds until the schema of a store, or the temporary one,
** changes.
*/
static int markProgram(KvConn *p, sqlite3_stmt *pRuns, int *pmMade, int *pbKeep){
  MarkWalk walk;
  KvExplain program;
  int i, rc;
  *pmMade = MARK_UNTOLD;
  memset(&walk, 0, sizeof(walk));
  walk.pConn = p;
  kvExplainOpen(&program, p->db, "EXPLAIN %s", kvSqlStart(sqlite3_sql(pRuns)));
  for(i=0; i<2 && (i==0 || walk.nOpen); i++){
    while( kvExplainNext(&program) ){
      markLine(&walk, &program, i);
      if( walk.rc!=SQLITE_OK ) program.rc = walk.rc;
    }
  }
  /* Bound values may make the statement read an index that its text alone doesn't */
  if( (walk.mMade & walk.mIndexed) && sqlite3_bind_parameter_count(pRuns)>0 ){
    walk.mMade |= MARK_DROPS;
  }
  rc = kvExplainClose(&program);
  if( rc==SQLITE_OK ) *pmMade = walk.mMade;
  *pbKeep = rc==SQLITE_OK && !walk.bElsewhere;
  return markFatal(rc) ? rc : SQLITE_OK;
}

/* The same for a statement that runs, remembered if the schema can be told. */
static int markStatement(KvConn *p, sqlite3_stmt *pStmt, const u32 *piSchema, int *pmMade){
  struct KvMarked *pMarked = p->pMarked;
  const char *zSql = sqlite3_sql(pStmt);
  int nReprepare = sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_REPREPARE, 0);
  MarkKnown *pKnown;
  int i, bKeep, rc;
  for(i=0; piSchema && i<MARK_KNOWN; i++){
    pKnown = &pMarked->aKnown[i];
    if( pKnown->zSql && pKnown->pStmt==pStmt && pKnown->nReprepare==nReprepare
     && pKnown->iSchema==*piSchema && strcmp(pKnown->zSql, zSql)==0
    ){
      *pmMade = pKnown->mMade;
      return SQLITE_OK;
    }
  }
  rc = markProgram(p, pStmt, pmMade, &bKeep);
  if( rc!=SQLITE_OK || piSchema==0 || !bKeep ) return rc;
  pKnown = &pMarked->aKnown[pMarked->iNext];
  pMarked->iNext = (pMarked->iNext+1)%MARK_KNOWN;
  sqlite3_free(pKnown->zSql);
  pKnown->zSql = sqlite3_mprintf("%s", zSql);
  pKnown->pStmt = pStmt;
  pKnown->nReprepare = nReprepare;
  pKnown->iSchema = *piSchema;
  pKnown->mMade = *pmMade;
  return pKnown->zSql ? SQLITE_OK : SQLITE_NOMEM;
}

/* True if the statement that runs has sorted, or made an index for itself.  Bound
** values may have given it another plan than its text alone has. */
static int markSorted(sqlite3_stmt *pStmt){
  return sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_SORT, 0)>0
      || sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_AUTOINDEX, 0)>0;
}

/* A number that is another one when a store's schema, or the temporary one, has changed:
** each of theirs grows, and so does the list, until kvMarkForget().  *pbKeep is false if
** that can't be told: then nothing is remembered. */
static u32 markSchema(KvConn *p, int *pbKeep, KvError *pError){
  KvStore *pStore;
  u32 iSchema = 0;
  *pbKeep = p->pStores!=0;
  for(pStore=p->pStores; pStore; pStore=kvStoreNext(pStore)){
    KvError error;
    KV_ASSERT( !kvFailed(kvStoreError(pStore)) );
    iSchema = iSchema*31 + kvSchemaCount(pStore);
    error = kvErrorAside(kvStoreError(pStore));
    if( kvFailed(&error) ) *pbKeep = 0;
    if( markFatal(error.rc) ) kvErrorMove(pError, &error);
    kvErrorClear(&error);
  }
  return iSchema;
}

/* What the statements that run make, use in this way (MARK_STORES ...) and may have
** dropped the marks of. */
static int markStatements(KvConn *p, int mUse, KvError *pError){
  sqlite3_stmt *pStmt = 0;
  u32 iSchema;
  int bKeep, m, mMade = 0;
  if( p->pMarked->bForget ) markClear(p->pMarked);
  iSchema = markSchema(p, &bKeep, pError);
  while( !kvFailed(pError) && (pStmt = sqlite3_next_stmt(p->db, pStmt))!=0 ){
    int rc;
    if( !sqlite3_stmt_busy(pStmt) ) continue;
    if( sqlite3_sql(pStmt)==0 ) continue;        /* it is that of sqlite3_blob_open() */
    rc = markStatement(p, pStmt, bKeep ? &iSchema : 0, &m);
    if( (m & mUse) && ((m & MARK_DROPS) || markSorted(pStmt)) ) mMade |= m;
    if( rc==SQLITE_NOMEM ) kvErrorCode(pError, rc);
    else if( rc!=SQLITE_OK ) kvError(pError, rc, "kv: %s", sqlite3_errstr(rc));
  }
  return mMade;
}

static int markRunning(KvConn *p, int mUse, KvError *pError){
  int mMade;
  if( p->pMarked==0 ){
    p->pMarked = sqlite3_malloc64(sizeof(*p->pMarked));
    if( p->pMarked==0 ){
      kvErrorCode(pError, SQLITE_NOMEM);
      return 0;
    }
    memset(p->pMarked, 0, sizeof(*p->pMarked));
  }
  /* Preparing a statement may call a function of ours */
  if( p->pMarked->bLooking ) return 0;
  p->pMarked->bLooking = 1;
  mMade = markStatements(p, mUse, pError);
  p->pMarked->bLooking = 0;
  return mMade;
}

/* ---- values --------------------------------------------------------------- */

/* Of what a text could be, by its first character: most are none of it. */
static int markText(KvBytes text){
  const u8 *z = text.p;
  u32 n = text.n, i = 0;
  while( i<n && (z[i]==' ' || (z[i]>=9 && z[i]<=13)) ) i++;
  if( i>=n ) return 0;
  if( (z[i]>='0' && z[i]<='9') || strchr("-{[\"tfn", z[i]) ) return MARK_JSON|MARK_JS;
  return strchr("uNIOESRTB/<k(+.'", z[i]) ? MARK_JS : 0;
}

static int markBlob(KvBytes bytes){
  return bytes.n==0 ? 0 : bytes.p[0]>=1 && bytes.p[0]<=3 ? MARK_RAW|MARK_JSONB : MARK_JSONB;
}

/* True if a text is JSON, or JS. */
static int markReads(sqlite3_value *pVal, int bJson, int *pRc){
  KvBytes text = kvArgText(pVal);
  KvTree tree;
  int rc = KV_NOMEM;
  kvTreeInit(&tree);
  if( text.p ) rc = bJson ? kvJsonParse(&tree, text, 0) : kvJsParse(&tree, text, 0);
  kvTreeClear(&tree);
  if( rc==KV_NOMEM ) *pRc = SQLITE_NOMEM;
  return rc==KV_OK;
}

/* Which of mCould made the value: MARK_xxx, or 0.  A raw value may well be one that
** can't be read. */
static int markWhich(KvConn *p, sqlite3_value *pVal, int mCould, int *pRc){
  if( (mCould & MARK_JSON) && markReads(pVal, 1, pRc) ) return MARK_JSON;
  if( *pRc==SQLITE_OK && (mCould & MARK_JS) && markReads(pVal, 0, pRc) ) return MARK_JS;
  if( *pRc!=SQLITE_OK ) return 0;
  if( mCould & MARK_RAW ) return MARK_RAW;
  return (mCould & MARK_JSONB) && markHolds(p->db, "SELECT 1 WHERE json_valid(?1, 8)", pVal, pRc)
       ? MARK_JSONB : 0;
}

/* Say what the value may be, and what to write. */
static void markDoubt(int eMark, const char *zWhat, KvError *pError){
  const char *zBe = eMark==MARK_JSON ? "JSON" : eMark==MARK_JS ? "a typed value" : "a raw value";
  const char *zColumn = eMark==MARK_JSON ? "json" : eMark==MARK_JS ? "js" : "raw";
  const char *zFunc = eMark==MARK_JSON ? "json(x)" : eMark==MARK_JS ? "kv_value(x)" : "kv_js(x)";
  if( *zWhat==0 ){
    kvError(pError, SQLITE_ERROR, eMark==MARK_JSONB
        ? "binary JSON can't be stored; use the JSON function without the b"
        : "this may be %s that has lost its type in a sort or a temporary table of the statement; "
          "declare the column with a type, such as JSON", zBe);
  }else if( eMark==MARK_JSONB ){
    kvError(pError, SQLITE_ERROR, "kv: %s: binary JSON can't be stored; use the JSON "
        "function without the b, or write json(x) to the column json", zWhat);
  }else if( strcmp(zWhat, "kv_key()")==0 ){
    kvError(pError, SQLITE_ERROR, "kv: kv_key(): a part may have lost its type in a "
        "sort or a temporary table of the statement; call kv_bigint() and kv_bool() as "
        "arguments of kv_key()");
  }else if( strchr(zWhat, '(') ){
    kvError(pError, SQLITE_ERROR, "kv: %s: this may be %s that has lost its type in a sort or "
        "a temporary table of the statement; write %s", zWhat, zBe, zFunc);
  }else if( eMark==MARK_JSON ){        /* digits from ->> look like it */
    kvError(pError, SQLITE_ERROR, "kv: %s: this may be JSON that has lost its type in a sort or a "
        "temporary table of the statement; write JSON to the column json, text to the column js as "
        "json_quote(x); or call kv_set(), or kv_op() for kv_atomic, where x is computed", zWhat);
  }else{
    kvError(pError, SQLITE_ERROR, "kv: %s: this may be %s that has lost its type in a "
        "sort or a temporary table of the statement; write it to the column %s, or pass it "
        "to a function as %s",
        zWhat, zBe, zColumn, zFunc);
  }
}

/* Who asks. */
static int markUse(const char *zWhat){
  if( strcmp(zWhat, "kv_key()")==0 ) return MARK_KEYS;
  if( strcmp(zWhat, "kv_value_set()")==0 ) return MARK_PARTS;
  if( strcmp(zWhat, "kv_value()")==0 || strcmp(zWhat, "kv_value_encode()")==0 ) return MARK_ENCODES;
  return MARK_STORES;
}

/* What an unmarked value could be: MARK_xxx. */
static int markCould(sqlite3_value *pVal, KvError *pError){
  unsigned eSubtype = sqlite3_value_subtype(pVal);
  if( sqlite3_value_type(pVal)==SQLITE_TEXT ){
    KvBytes text;
    if( eSubtype==KV_SUBTYPE_JSON || eSubtype==KV_SUBTYPE_JS ) return 0;
    text = kvArgText(pVal);
    if( text.p ) return markText(text);
    kvErrorCode(pError, SQLITE_NOMEM);
  }else if( sqlite3_value_type(pVal)==SQLITE_BLOB && eSubtype!=KV_SUBTYPE_RAW ){
    return markBlob(kvArgBlob(pVal));
  }
  return 0;
}

/* Is it what a statement that runs and uses values so (MARK_STORES ...) has made?  With
** iShift that counts which it makes otherwise: MARK_OTHERS. */
static void markCheck(
  KvConn *p, sqlite3_value *pVal, int mCould, const char *zWhat, int iShift, KvError *pError
){
  int mMade, eMark, rc = SQLITE_OK;
  if( mCould==0 || kvFailed(pError) ) return;
  mMade = markRunning(p, markUse(zWhat), pError);
  mCould &= mMade>>iShift;
  if( mCould==0 || kvFailed(pError) ) return;
  eMark = markWhich(p, pVal, mCould, &rc);
  kvErrorCode(pError, rc);
  if( eMark ) markDoubt(eMark, zWhat, pError);
}

void kvMarkCheck(KvConn *p, sqlite3_value *pVal, const char *zWhat, KvError *pError){
  markCheck(p, pVal, markCould(pVal, pError), zWhat, 0, pError);
}

void kvMarkCheckShown(KvConn *p, sqlite3_value *pVal, int bJson, KvError *pError){
  int mCould = markCould(pVal, pError);
  markCheck(p, pVal, bJson ? mCould & ~MARK_JSON : mCould, "value", MARK_OTHERS, pError);
}
