/*
** mark.c -- marks that SQLite's temporary tables have dropped.  See mark.h.
**
** A sorter, a materialized view or the list of rows of an UPDATE keeps the text
** of json('[1]') and drops its mark.  What then comes to be stored looks like
** the string "[1]".  Whether it is one can't be seen from the value, but what
** makes marks can be seen from the program of the statement: EXPLAIN lists its
** functions, those of its views and triggers included, and the columns that it
** reads of virtual tables.  So a text is in doubt only if
**
**    - the statement that runs stores values (or makes keys, for kv_key()), and
**    - something in it makes marks, and
**    - something in it drops them: it puts records together, or aggregates, and
**    - what makes marks could have made this very text.
**
** Any other statement stores what it is given: text without a mark is a string.
** An EXPLAIN costs as much as preparing the statement, so what it has shown is
** remembered for the statements looked at last.
*/
#include "face/mark.h"
SQLITE_EXTENSION_INIT3
#include "face/table.h"
#include "codec/js.h"

/* What a statement makes (a bit mask). */
#define MARK_JSON   0x01  /* JSON text */
#define MARK_JS     0x02  /* JS text */
#define MARK_RAW    0x04  /* Raw values */
#define MARK_JSONB  0x08  /* SQLite's binary JSON, which never has a mark */
#define MARK_ALL    0x0f
#define MARK_STORES 0x10  /* It stores values, */
#define MARK_PARTS  0x20  /* ... makes them of others: kv_value_set(), */
#define MARK_KEYS   0x40  /* ... or makes keys: kv_key() */
#define MARK_USES   0x70
#define MARK_DROPS  0x80  /* It may drop marks */
#define MARK_UNTOLD (MARK_ALL|MARK_USES|MARK_DROPS)

/* What is known of a statement. */
typedef struct MarkKnown MarkKnown;
struct MarkKnown {
  sqlite3_stmt *pStmt;
  char *zSql;             /* Its text; 0: an unused slot */
  int nReprepare;         /* How often it had been prepared again */
  u32 iSchema;            /* kvStoreSchema() */
  int mMade;              /* MARK_xxx */
};

#define MARK_KNOWN 4
struct KvMarked {
  u8 bLooking;            /* A statement is being looked at */
  int iNext;              /* The slot to be used next */
  MarkKnown aKnown[MARK_KNOWN];
};

void kvMarkFree(KvConn *p){
  int i;
  if( p->pMarked==0 ) return;
  for(i=0; i<MARK_KNOWN; i++) sqlite3_free(p->pMarked->aKnown[i].zSql);
  sqlite3_free(p->pMarked);
  p->pMarked = 0;
}

/* ---- functions ------------------------------------------------------------ */

/* True if the name z[0..n-1] is one of a list. */
static int markIsOne(const char *z, int n, const char *const *az){
  for(; *az; az++){
    if( (int)strlen(*az)==n && sqlite3_strnicmp(*az, z, n)==0 ) return 1;
  }
  return 0;
}

/* What a function makes, by its name. */
static int markOfFunction(const char *z, int n){
  static const char *const azJson[] = { "->", "kv_json", "kv_get", "kv_extract", 0 };
  static const char *const azNoJson[] = {
    "json_valid", "json_type", "json_array_length", "json_error_position", 0
  };
  static const char *const azJs[] = {
    "kv_value", "kv_js", "kv_bigint", "kv_bool", "kv_commit_versionstamp", 0
  };
  static const char *const azRaw[] = { "kv_raw", "kv_value_set", "kv_value_remove", 0 };
  static const char *const azStores[] = { "kv_set", "kv_op", "kv_enqueue", 0 };
  static const char *const azParts[] = { "kv_value_set", 0 };
  static const char *const azKeys[] = { "kv_key", 0 };
  int m = (markIsOne(z, n, azStores) ? MARK_STORES : 0) | (markIsOne(z, n, azParts) ? MARK_PARTS : 0)
        | (markIsOne(z, n, azKeys) ? MARK_KEYS : 0);
  if( n>=5 && sqlite3_strnicmp(z, "jsonb", 5)==0 ) return MARK_JSONB|MARK_DROPS;
  if( n>=4 && sqlite3_strnicmp(z, "json", 4)==0 ) return markIsOne(z, n, azNoJson) ? 0 : MARK_JSON;
  if( markIsOne(z, n, azJson) ) return MARK_JSON;
  if( markIsOne(z, n, azJs) ) return MARK_JS;
  if( markIsOne(z, n, azRaw) ) return MARK_RAW|m;
  return m;
}

/* ---- virtual tables ------------------------------------------------------- */

/*
** A virtual table is called vtab:ADDRESS in a program.  Which one that is, is
** what a statement tells that reads nothing else: zName receives the address
** of a table, or "".  SQLITE_OK or SQLITE_NOMEM.
*/
#define MARK_ADDRESS 40
static int markAddress(sqlite3 *db, const char *zSchema, const char *zTable, char *zAddress){
  sqlite3_stmt *pStmt = 0;
  int rc = SQLITE_NOMEM;
  char *z = zSchema ? sqlite3_mprintf("EXPLAIN SELECT 1 FROM \"%w\".\"%w\"", zSchema, zTable)
                    : sqlite3_mprintf("EXPLAIN SELECT 1 FROM \"%w\"", zTable);
  zAddress[0] = 0;
  if( z ) rc = sqlite3_prepare_v2(db, z, -1, &pStmt, 0);
  sqlite3_free(z);
  while( rc==SQLITE_OK && zAddress[0]==0 && sqlite3_step(pStmt)==SQLITE_ROW ){
    const char *zOp = (const char*)sqlite3_column_text(pStmt, 1);
    const char *zP4 = (const char*)sqlite3_column_text(pStmt, 5);
    if( zOp && zP4 && strcmp(zOp, "VOpen")==0 ) sqlite3_snprintf(MARK_ADDRESS, zAddress, "%s", zP4);
  }
  sqlite3_finalize(pStmt);
  return rc==SQLITE_NOMEM ? rc : SQLITE_OK;
}

/* True if the arrays and objects among the values of json_each() have no mark, as
** in some versions of SQLite: then json_array() takes them for strings. */
static int markEachDrops(sqlite3 *db){
  sqlite3_stmt *pStmt = 0;
  int bMarked = 0;
  sqlite3_prepare_v2(db, "SELECT json_array(value) = '[[1]]' FROM json_each('[[1]]')", -1, &pStmt, 0);
  if( sqlite3_step(pStmt)==SQLITE_ROW ) bMarked = sqlite3_column_int(pStmt, 0);
  sqlite3_finalize(pStmt);
  return !bMarked;
}

/* The marks that column iCol of the table at an address makes: of one of ours, or
** of json_each and its like, whose column "value" is the second one. */
static int markOfColumn(KvConn *p, const char *zAddress, int iCol, int *pmMade){
  static const char *const azEach[] = { "json_each", "json_tree", "jsonb_each", "jsonb_tree" };
  char zBuf[MARK_ADDRESS];
  const KvTable *pTab;
  u32 i;
  int rc = SQLITE_OK;
  for(pTab=p->pTables; rc==SQLITE_OK && pTab; pTab=pTab->pNext){
    u64 mBit = (u64)1<<(iCol & 63);
    if( ((pTab->mJson | pTab->mJs | pTab->mRaw) & mBit)==0 ) continue;
    rc = markAddress(p->db, pTab->zSchema, pTab->zName, zBuf);
    if( strcmp(zBuf, zAddress)!=0 ) continue;
    *pmMade |= (pTab->mJson & mBit ? MARK_JSON : 0) | (pTab->mJs & mBit ? MARK_JS : 0)
             | (pTab->mRaw & mBit ? MARK_RAW : 0);
    return SQLITE_OK;
  }
  for(i=0; rc==SQLITE_OK && iCol==1 && i<KV_COUNT(azEach); i++){
    rc = markAddress(p->db, 0, azEach[i], zBuf);
    if( strcmp(zBuf, zAddress)!=0 ) continue;
    *pmMade |= MARK_JSON | (azEach[i][4]=='b' ? MARK_JSONB|MARK_DROPS : 0) | (markEachDrops(p->db) ? MARK_DROPS : 0);
    break;
  }
  return rc;
}

/* ---- programs ------------------------------------------------------------- */

/* An open virtual table of a program, by cursor; subprograms of triggers have
** cursors of their own. */
typedef struct MarkOpen MarkOpen;
struct MarkOpen {
  int iProgram, iCursor;
  char zAddress[MARK_ADDRESS];
};

/* A walk over a program. */
#define MARK_OPENS 16
typedef struct MarkWalk MarkWalk;
struct MarkWalk {
  KvConn *pConn;
  int mMade;              /* The result */
  int iProgram;           /* Counts the programs */
  int nOpen;
  MarkOpen aOpen[MARK_OPENS];
};

static void markOpened(MarkWalk *p, int iCursor, const char *zAddress){
  MarkOpen *pOpen = &p->aOpen[p->nOpen];
  if( p->nOpen>=MARK_OPENS ){
    p->mMade |= MARK_UNTOLD;           /* more than one keeps count of */
    return;
  }
  p->nOpen++;
  pOpen->iProgram = p->iProgram;
  pOpen->iCursor = iCursor;
  sqlite3_snprintf(MARK_ADDRESS, pOpen->zAddress, "%s", zAddress);
}

static int markRead(MarkWalk *p, int iCursor, int iCol){
  int i;
  for(i=0; i<p->nOpen; i++){
    const MarkOpen *pOpen = &p->aOpen[i];
    if( pOpen->iProgram==p->iProgram && pOpen->iCursor==iCursor ){
      return markOfColumn(p->pConn, pOpen->zAddress, iCol, &p->mMade);
    }
  }
  return SQLITE_OK;
}

/* True if an opcode may drop marks: it makes a record, or has to do with an
** aggregate. */
static int markDrops(const char *zOp){
  return strcmp(zOp, "MakeRecord")==0 || strcmp(zOp, "ClrSubtype")==0 || strncmp(zOp, "Agg", 3)==0;
}

/* One line of EXPLAIN.  bColumns: the second time, when all that is opened is
** known. */
static int markLine(MarkWalk *p, sqlite3_stmt *pStmt, int bColumns){
  const char *zOp = (const char*)sqlite3_column_text(pStmt, 1);
  const char *zP4 = (const char*)sqlite3_column_text(pStmt, 5);
  const char *zEnd = zP4 ? strchr(zP4, '(') : 0;
  if( zOp==0 ) return SQLITE_NOMEM;
  if( sqlite3_column_int(pStmt, 0)==0 ) p->iProgram++;
  if( bColumns ){
    /* P5 is 1 where UPDATE asks for a column that stays as it is */
    if( strcmp(zOp, "VColumn")!=0 || (sqlite3_column_int(pStmt, 6) & 1) ) return SQLITE_OK;
    return markRead(p, sqlite3_column_int(pStmt, 2), sqlite3_column_int(pStmt, 3));
  }
  if( strcmp(zOp, "VUpdate")==0 ) p->mMade |= MARK_STORES;
  if( markDrops(zOp) ) p->mMade |= MARK_DROPS;
  if( strcmp(zOp, "VOpen")==0 && zP4 ) markOpened(p, sqlite3_column_int(pStmt, 2), zP4);
  if( zEnd ) p->mMade |= markOfFunction(zP4, (int)(zEnd-zP4));
  return SQLITE_OK;
}

/* What the statement with the text zSql makes.  One that can't be told of makes
** everything. */
static int markProgram(KvConn *p, const char *zSql, int *pmMade){
  MarkWalk walk;
  sqlite3_stmt *pStmt = 0;
  char *z;
  int i, rc = SQLITE_NOMEM;
  *pmMade = MARK_UNTOLD;
  memset(&walk, 0, sizeof(walk));
  walk.pConn = p;
  z = sqlite3_mprintf("EXPLAIN %s", zSql);
  if( z ) rc = sqlite3_prepare_v2(p->db, z, -1, &pStmt, 0);
  sqlite3_free(z);
  if( rc==SQLITE_OK && pStmt==0 ) rc = SQLITE_ERROR;
  for(i=0; rc==SQLITE_OK && i<2 && (i==0 || walk.nOpen); i++){
    walk.iProgram = 0;
    while( rc==SQLITE_OK && (rc = sqlite3_step(pStmt))==SQLITE_ROW ) rc = markLine(&walk, pStmt, i);
    if( rc==SQLITE_DONE ) rc = sqlite3_reset(pStmt);
  }
  sqlite3_finalize(pStmt);
  if( rc==SQLITE_OK ) *pmMade = walk.mMade;
  return rc==SQLITE_NOMEM ? rc : SQLITE_OK;
}

/* The same for a statement that runs, remembered. */
static int markStatement(KvConn *p, sqlite3_stmt *pStmt, u32 iSchema, int *pmMade){
  struct KvMarked *pMarked = p->pMarked;
  const char *zSql = sqlite3_sql(pStmt);
  int nReprepare = sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_REPREPARE, 0);
  MarkKnown *pKnown;
  int i, rc;
  for(i=0; i<MARK_KNOWN; i++){
    pKnown = &pMarked->aKnown[i];
    if( pKnown->zSql && pKnown->pStmt==pStmt && pKnown->nReprepare==nReprepare
     && pKnown->iSchema==iSchema && strcmp(pKnown->zSql, zSql)==0
    ){
      *pmMade = pKnown->mMade;
      return SQLITE_OK;
    }
  }
  rc = markProgram(p, zSql, pmMade);
  if( rc!=SQLITE_OK ) return rc;
  pKnown = &pMarked->aKnown[pMarked->iNext];
  pMarked->iNext = (pMarked->iNext+1)%MARK_KNOWN;
  sqlite3_free(pKnown->zSql);
  pKnown->zSql = sqlite3_mprintf("%s", zSql);
  pKnown->pStmt = pStmt;
  pKnown->nReprepare = nReprepare;
  pKnown->iSchema = iSchema;
  pKnown->mMade = *pmMade;
  return pKnown->zSql ? SQLITE_OK : SQLITE_NOMEM;
}

/* A number that is another one when a schema has changed.  False if that can't be
** told: then nothing is remembered. */
static int markSchema(KvConn *p, u32 *piSchema){
  KvStore *pStore;
  *piSchema = 0;
  for(pStore=p->pStores; pStore; pStore=pStore->pNext){
    char *zErr = 0;
    u32 iSchema = 0;
    int rc = kvStoreSchema(pStore, &iSchema, &zErr);
    sqlite3_free(zErr);
    if( rc!=SQLITE_OK ) return 0;
    *piSchema = *piSchema*31 + iSchema;
  }
  return p->pStores!=0;
}

/* What the statements that run make, use in this way (MARK_STORES ...) and may have
** dropped the marks of. */
static int markRunning(KvConn *p, int mUse, int *pmMade){
  sqlite3_stmt *pStmt;
  u32 iSchema;
  int bRemember, rc = SQLITE_OK;
  *pmMade = 0;
  if( p->pMarked==0 ){
    p->pMarked = sqlite3_malloc64(sizeof(*p->pMarked));
    if( p->pMarked==0 ) return SQLITE_NOMEM;
    memset(p->pMarked, 0, sizeof(*p->pMarked));
  }
  /* Preparing a statement may call a function of ours */
  if( p->pMarked->bLooking ) return SQLITE_OK;
  p->pMarked->bLooking = 1;
  bRemember = markSchema(p, &iSchema);
  for(pStmt=sqlite3_next_stmt(p->db, 0); rc==SQLITE_OK && pStmt; pStmt=sqlite3_next_stmt(p->db, pStmt)){
    int mMade;
    if( !sqlite3_stmt_busy(pStmt) || sqlite3_sql(pStmt)==0 ) continue;   /* 0: of sqlite3_blob_open() */
    rc = bRemember ? markStatement(p, pStmt, iSchema, &mMade)
                   : markProgram(p, sqlite3_sql(pStmt), &mMade);
    if( (mMade & mUse) && (mMade & MARK_DROPS) ) *pmMade |= mMade;
  }
  p->pMarked->bLooking = 0;
  return rc;
}

/* ---- values --------------------------------------------------------------- */

/* Of what a text could be, by its first character: most are none of it. */
static int markText(const u8 *z, u32 n){
  u32 i = 0;
  while( i<n && (z[i]==' ' || (z[i]>=9 && z[i]<=13)) ) i++;
  if( i>=n ) return 0;
  if( (z[i]>='0' && z[i]<='9') || strchr("-{[\"tfn", z[i]) ) return MARK_JSON|MARK_JS;
  return strchr("uNIOESRTB/<k(+.'", z[i]) ? MARK_JS : 0;
}

static int markBlob(const u8 *a, u32 n){
  return n==0 ? 0 : a[0]>=1 && a[0]<=3 ? MARK_RAW|MARK_JSONB : MARK_JSONB;
}

/* True if SQLite takes a BLOB for binary JSON. */
static int markIsJsonb(KvConn *p, sqlite3_value *pVal, int *pRc){
  sqlite3_stmt *pStmt = 0;
  int b = 0;
  int rc = sqlite3_prepare_v2(p->db, "SELECT json_valid(?1, 8)", -1, &pStmt, 0);
  if( rc==SQLITE_OK ) rc = sqlite3_bind_value(pStmt, 1, pVal);
  if( rc==SQLITE_OK && sqlite3_step(pStmt)==SQLITE_ROW ) b = sqlite3_column_int(pStmt, 0);
  sqlite3_finalize(pStmt);
  if( rc==SQLITE_NOMEM ) *pRc = rc;
  return b;
}

/* True if a reader takes the value for what it reads. */
static int markReads(sqlite3_value *pVal, int eMark, int *pRc){
  const u8 *a = eMark==MARK_RAW ? sqlite3_value_blob(pVal) : sqlite3_value_text(pVal);
  u32 n = (u32)sqlite3_value_bytes(pVal);
  KvTree tree;
  int rc;
  if( a==0 ){
    *pRc = SQLITE_NOMEM;
    return 0;
  }
  kvTreeInit(&tree);
  rc = eMark==MARK_RAW ? kvFaceRaw(a, n, &tree, 0)
     : eMark==MARK_JS ? kvJsParse(&tree, (const char*)a, n, 0)
     : kvJsonParse(&tree, (const char*)a, n, 0);
  kvTreeClear(&tree);
  if( rc==KV_NOMEM ) *pRc = SQLITE_NOMEM;
  return rc==KV_OK;
}

/* Which of mCould made the value: MARK_xxx, or 0. */
static int markWhich(KvConn *p, sqlite3_value *pVal, int mCould, int *pRc){
  static const int aMark[] = { MARK_JSON, MARK_JS, MARK_RAW };
  u32 i;
  for(i=0; i<KV_COUNT(aMark); i++){
    if( (mCould & aMark[i]) && markReads(pVal, aMark[i], pRc) ) return aMark[i];
    if( *pRc!=SQLITE_OK ) return 0;
  }
  return (mCould & MARK_JSONB) && markIsJsonb(p, pVal, pRc) ? MARK_JSONB : 0;
}

/* Say what the value may be, and where to put it. */
static int markDoubt(int eMark, const char *zWhat, char **pzErr){
  if( strcmp(zWhat, "kv_key()")==0 ){
    *pzErr = sqlite3_mprintf("kv: kv_key(): a part may be a typed one that has lost its type in a sort or "
        "a temporary table of the statement; call kv_bigint() and kv_bool() as arguments of kv_key()");
  }else if( eMark==MARK_JSONB ){
    *pzErr = sqlite3_mprintf("kv: %s: binary JSON is no value; use the JSON function without the b, "
        "or write json(x) to the column json", zWhat);
  }else{
    *pzErr = sqlite3_mprintf("kv: %s: this may be %s that has lost its type in a sort or a temporary table of "
        "the statement; write it to the column %s", zWhat,
        eMark==MARK_JSON ? "JSON" : eMark==MARK_JS ? "a typed value" : "a raw value",
        eMark==MARK_JSON ? "json" : eMark==MARK_JS ? "js" : "raw");
  }
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Who asks. */
static int markUse(const char *zWhat){
  if( strcmp(zWhat, "kv_key()")==0 ) return MARK_KEYS;
  return strcmp(zWhat, "kv_value_set()")==0 ? MARK_PARTS : MARK_STORES;
}

int kvMarkCheck(KvConn *p, sqlite3_value *pVal, const char *zWhat, char **pzErr){
  unsigned eSubtype = sqlite3_value_subtype(pVal);
  int mCould = 0, mMade = 0, eMark, rc;
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_TEXT: {
      const u8 *z = sqlite3_value_text(pVal);
      if( z==0 ) return SQLITE_NOMEM;
      if( eSubtype!=KV_SUBTYPE_JSON && eSubtype!=KV_SUBTYPE_JS ){
        mCould = markText(z, (u32)sqlite3_value_bytes(pVal));
      }
      break;
    }
    case SQLITE_BLOB:
      if( eSubtype!=KV_SUBTYPE_RAW ){
        const u8 *a = sqlite3_value_blob(pVal);
        mCould = markBlob(a, (u32)sqlite3_value_bytes(pVal));
      }
      break;
    default: break;
  }
  if( mCould==0 ) return SQLITE_OK;
  rc = markRunning(p, markUse(zWhat), &mMade);
  if( rc!=SQLITE_OK || (mMade & mCould)==0 ) return rc;
  eMark = markWhich(p, pVal, mMade & mCould, &rc);
  if( rc!=SQLITE_OK || eMark==0 ) return rc;
  return markDoubt(eMark, zWhat, pzErr);
}
