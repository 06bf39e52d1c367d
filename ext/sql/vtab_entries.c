/*
** vtab_entries.c -- the virtual table kv_entries: connecting and reading.
**
**     SELECT key, value FROM kv_entries('["users"]');
**     ATTACH 'x.db' AS x;
**     CREATE VIRTUAL TABLE temp.x_entries USING kv_entries(x);
**     CREATE VIRTUAL TABLE app USING kv_entries(main, tables='app_');
**
** The table is as if made by ENT_SCHEMA in entries.h, over the rows of Deno's
** table kv.  It is eponymous: without CREATE it stands for the main store.
** A cursor runs one statement of the store over a range of stored keys, or
** one after the other over a list of points, and decodes what is asked for.
*/
#include "sql/vtab_entries.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/result.h"
#include "sql/ops.h"

typedef struct EntCursor EntCursor;
struct EntCursor {
  sqlite3_vtab_cursor base;  /* Must be first */
  KvStmt *pStmt;          /* The statement that runs, or 0 */
  u32 mRead;              /* KVREAD_xxx of it */
  u8 bEof;
  u8 bTree;               /* tree holds the current row's value */
  KvRange range;          /* What is asked for */
  u32 iPoint;             /* The next of its points */
  KvBuf text;             /* Text of a column */
  KvBuf head;             /* All parts but the last of the last key shown */
  KvBuf key;              /* ... and the text of that key */
  u32 nHeadText;          /* ... which the head's text begins, 0: none */
  i64 iNow;               /* The time at which the entries are looked at */
  i64 nTotal;             /* Changes on the connection when the row was read */
  u8 bAsked;              /* Since it was opened: bForeign is known */
  u8 bForeign;            /* Plain SQL writes meanwhile: see entForeign() */
  u8 bWritten;            /* There were some since the first row was */
  KvReading reading;      /* Open while rows of a range may be ahead */
  u8 bCount;              /* Nobody looks at the rows: see entLeap() */
  u32 nRow;               /* ... rows that were read one by one */
  u32 nAhead;             /* ... rows from here to that of the statement */
  KvTree tree;            /* The current row's value */
  EntCursor *pNext;       /* The next spare one */
};

/* The table: between two queries it keeps some cursors with their memory, so
** that a query for one entry allocates nothing, and neither does a join. */
#define ENT_SPARES 4
typedef struct EntTable EntTable;
struct EntTable {
  KvTable t;              /* Must be first */
  EntCursor *pSpare;
  int nSpare;
};

static int entConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  int rc = kvTableConnect(db, pAux, argc, argv, ENT_SCHEMA, sizeof(EntTable), ppVtab, pzErr);
  if( rc==SQLITE_OK ) rc = sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  return rc;
}

static int entOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  EntTable *pTab = (EntTable*)pVtab;
  EntCursor *p = pTab->pSpare;
  int rc = kvTableOpen(pVtab);
  if( rc!=SQLITE_OK ) return rc;
  if( p ){
    pTab->pSpare = p->pNext;
    pTab->nSpare--;
    p->bAsked = 0;
    *ppCursor = &p->base;
    return SQLITE_OK;
  }
  p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return SQLITE_NOMEM;
  memset(p, 0, sizeof(*p));
  kvRangeInit(&p->range);
  kvBufInit(&p->text, 0, 0);
  kvBufInit(&p->head, 0, 0);
  kvBufInit(&p->key, 0, 0);
  kvTreeInit(&p->tree);
  *ppCursor = &p->base;
  return SQLITE_OK;
}

/* The end of the rows, or nobody wants more. */
static void entFinish(EntCursor *p){
  kvReadingClose(((KvTable*)p->base.pVtab)->pStore, &p->reading);
}

/* Give the statement back. */
static void entStop(EntCursor *p){
  KvTable *pTab = (KvTable*)p->base.pVtab;
  kvStoreGive(pTab->pStore, p->pStmt);
  p->pStmt = 0;
}

static void entFree(EntCursor *p){
  kvRangeClear(&p->range);
  kvBufClear(&p->text);
  kvBufClear(&p->head);
  kvBufClear(&p->key);
  kvTreeClear(&p->tree);
  sqlite3_free(p);
}

/* More memory than this is not kept between two queries. */
#define ENT_KEEP 65536

static int entClose(sqlite3_vtab_cursor *pCursor){
  EntTable *pTab = (EntTable*)pCursor->pVtab;
  EntCursor *p = (EntCursor*)pCursor;
  u64 nMemory = kvRangeMemory(&p->range) + p->text.nAlloc + p->head.nAlloc + p->key.nAlloc;
  entStop(p);
  entFinish(p);
  if( pTab->nSpare>=ENT_SPARES || nMemory>ENT_KEEP ){
    entFree(p);
  }else{
    kvTreeReset(&p->tree);
    p->pNext = pTab->pSpare;
    pTab->pSpare = p;
    pTab->nSpare++;
  }
  return SQLITE_OK;
}

static int entDisconnect(sqlite3_vtab *pVtab){
  EntTable *pTab = (EntTable*)pVtab;
  while( pTab->pSpare ){
    EntCursor *p = pTab->pSpare;
    pTab->pSpare = p->pNext;
    entFree(p);
  }
  return kvTableDisconnect(pVtab);
}

/* Forget the last query. */
static void entReset(EntCursor *p){
  entStop(p);
  entFinish(p);
  kvRangeReset(&p->range);
  p->bEof = p->bTree = p->bCount = p->bWritten = 0;
  p->nRow = p->nAhead = p->iPoint = 0;
  p->mRead = 0;
  p->nTotal = -1;
}

/* Take a statement and bind what stays the same. */
static int entPrepare(EntCursor *p, sqlite3_int64 nOffset){
  KvTable *pTab = (KvTable*)p->base.pVtab;
  char *zErr = 0;
  int rc = kvStoreReader(pTab->pStore, p->mRead, &p->pStmt, &zErr);
  if( rc!=SQLITE_OK ) return kvTableFail(p->base.pVtab, rc, zErr);
  if( (p->mRead & KVREAD_ALL)==0 ) rc = sqlite3_bind_int64(p->pStmt->pStmt, 3, p->iNow);
  if( rc==SQLITE_OK && (p->mRead & KVREAD_POINT)==0 ){
    rc = sqlite3_bind_blob(p->pStmt->pStmt, 1, p->range.lo.n ? p->range.lo.a : (const u8*)"",
        (int)p->range.lo.n, SQLITE_STATIC);
    if( rc==SQLITE_OK && p->range.bUpper ){
      rc = sqlite3_bind_blob(p->pStmt->pStmt, 2, p->range.hi.a, (int)p->range.hi.n, SQLITE_STATIC);
    }
    if( rc==SQLITE_OK && (p->mRead & KVREAD_OFFSET) ){
      rc = sqlite3_bind_int64(p->pStmt->pStmt, 4, nOffset);
    }
  }
  return rc;
}

/* The stored key of the current row. */
static const u8 *entKey(EntCursor *p, u32 *pn){
  sqlite3_value *pVal;
  const u8 *a;
  if( p->mRead & KVREAD_POINT ){
    *pn = p->range.aPoint[p->iPoint-1].n;
    return p->range.aPoint[p->iPoint-1].p;
  }
  pVal = sqlite3_column_value(p->pStmt->pStmt, KVREAD_COL_KEY);
  a = sqlite3_value_blob(pVal);
  *pn = (u32)sqlite3_value_bytes(pVal);
  return a;
}

/* Begin anew behind the current row, with an eye on expired entries. */
static int entResume(EntCursor *p){
  int bDesc = (p->mRead & KVREAD_DESC)!=0;
  KvBuf *pBound = bDesc ? &p->range.hi : &p->range.lo;
  u32 n;
  const u8 *a = entKey(p, &n);
  kvBufReset(&p->text);
  kvBufAppend(&p->text, a, n);
  if( p->text.eErr!=KV_OK ) return SQLITE_NOMEM;
  entStop(p);
  kvBufReset(pBound);
  kvBufAppend(pBound, p->text.a, n);
  if( bDesc ){
    p->range.bUpper = 1;
    p->mRead |= KVREAD_UPPER;
  }else{
    kvBufPut(pBound, 0);
  }
  if( pBound->eErr!=KV_OK ) return SQLITE_NOMEM;
  p->mRead &= ~(u32)(KVREAD_ALL|KVREAD_OFFSET);
  return entPrepare(p, 0);
}

/*
** Where no column is asked for, as by count(*), most rows are never delivered
** one by one: SQLite skips ENT_LEAP of them in one step.  The first few are
** not skipped, so that LIMIT and EXISTS don't pay for what they don't want.
** *pbDone tells whether there were enough to skip; then the statement stands on
** the last of them, and the rows up to it are ahead.
*/
#define ENT_LEAP        1024
#define ENT_LEAP_AFTER    64
static int entLeap(EntCursor *p, int *pbDone){
  u32 n;
  const u8 *a = entKey(p, &n);
  int rc;
  *pbDone = 0;
  kvBufReset(&p->range.lo);
  kvBufAppend(&p->range.lo, a, n);
  if( p->range.lo.eErr!=KV_OK ) return SQLITE_NOMEM;
  entStop(p);
  p->mRead |= KVREAD_OFFSET;
  rc = entPrepare(p, ENT_LEAP);
  if( rc==SQLITE_OK ) rc = sqlite3_step(p->pStmt->pStmt);
  *pbDone = rc==SQLITE_ROW;
  if( rc!=SQLITE_DONE ) return rc;
  entStop(p);                          /* fewer are left: one by one */
  p->bCount = 0;
  p->mRead &= ~(u32)KVREAD_OFFSET;
  kvBufPut(&p->range.lo, 0);
  return p->range.lo.eErr==KV_OK ? entPrepare(p, 0) : SQLITE_NOMEM;
}

/*
** A column is asked for although the plan said that none would be: SQLite
** does not count the key that DELETE reads.  So no row is skipped from here
** on, and if this one was, it is read.
*/
static int entLand(EntCursor *p){
  u32 nAhead = p->nAhead;
  int rc;
  p->bCount = 0;
  if( nAhead==0 ) return SQLITE_OK;
  p->nAhead = 0;                       /* not reached: it reads the first row's, too */
  entStop(p);                          /* not reached */
  rc = entPrepare(p, ENT_LEAP-nAhead); /* not reached */
  if( rc==SQLITE_OK ) rc = sqlite3_step(p->pStmt->pStmt);   /* not reached */
  return rc==SQLITE_ROW ? SQLITE_OK : rc==SQLITE_DONE ? SQLITE_ABORT : rc;   /* not reached */
}

/* Was the current row added since the first one was read? */
static int entIsNew(EntCursor *p){
  u32 n;
  const u8 *a = entKey(p, &n);
  return kvReadingIsNew(((KvTable*)p->base.pVtab)->pStore, &p->reading, a, n);
}

/*
** Take the next row of a range.  If something was written since the last row
** was read (SELECT kv_set(key, ...) FROM kv_entries), that row could come
** again, since SQLite finds its place by the whole record, which has changed;
** what has been written may have expired; and what has been added meanwhile is
** passed over, or it might never end.  (What has been read before its first row
** is as it was.)
*/
static int entStepRange(EntCursor *p){
  i64 nTotal;
  int rc = SQLITE_OK;
  if( p->nAhead ){
    p->nAhead--;
    return SQLITE_ROW;
  }
  if( p->mRead & KVREAD_SORTED ) return sqlite3_step(p->pStmt->pStmt);
  nTotal = sqlite3_total_changes64(((KvTable*)p->base.pVtab)->pStore->db);
  if( nTotal!=p->nTotal ){
    if( p->nTotal>=0 ){
      rc = entResume(p);
      p->bWritten = 1;
      p->bCount = 0;                   /* no leap over rows that are new */
    }
    p->nTotal = nTotal;
  }else if( p->bCount && p->nRow++>=ENT_LEAP_AFTER ){
    int bDone;
    rc = entLeap(p, &bDone);
    if( bDone ){
      p->nAhead = ENT_LEAP-1;
      return SQLITE_ROW;
    }
  }
  if( rc!=SQLITE_OK ) return rc;
  do{
    rc = sqlite3_step(p->pStmt->pStmt);
  }while( rc==SQLITE_ROW && p->bWritten && entIsNew(p) );
  return rc;
}

/* Go to the next row.  At the end the statement is given back. */
static int entStep(EntCursor *p){
  int rc;
  p->bTree = 0;
  for(;;){
    if( p->mRead & KVREAD_POINT ){
      const KvPoint *pPoint;
      if( p->iPoint>=p->range.nPoint ){
        rc = SQLITE_DONE;
        break;
      }
      pPoint = &p->range.aPoint[p->iPoint];
      if( p->iPoint++>0 ) sqlite3_reset(p->pStmt->pStmt);
      rc = sqlite3_bind_blob(p->pStmt->pStmt, 1, pPoint->n ? pPoint->p : (const u8*)"",
          (int)pPoint->n, SQLITE_STATIC);
      if( rc!=SQLITE_OK ) break;
      rc = sqlite3_step(p->pStmt->pStmt);
      if( rc==SQLITE_DONE || (rc==SQLITE_ROW && p->reading.bOpen && entIsNew(p)) ) continue;
    }else{
      rc = entStepRange(p);
    }
    break;
  }
  if( rc==SQLITE_ROW ) return SQLITE_OK;
  p->bEof = 1;
  entFinish(p);
  if( rc!=SQLITE_DONE ){
    KvTable *pTab = (KvTable*)p->base.pVtab;
    kvTableFail(p->base.pVtab, rc, sqlite3_mprintf("kv: %s", sqlite3_errmsg(pTab->pStore->db)));
  }
  entStop(p);
  return rc==SQLITE_DONE ? SQLITE_OK : rc;
}

/*
** Whether expired entries have to be looked out for.  A range is read faster
** if there are none, and to ask Deno's index for one costs what a few rows do.
** Where the outer statement does not read the store's file the answer could be
** out of date when the range is read.  An error other than that of tables
** which have changed may have rolled the transaction back, and is one here.
*/
static int entAlive(EntCursor *p){
  KvTable *pTab = (KvTable*)p->base.pVtab;
  char *zErr = 0;
  int bThere = 0, rc;
  p->mRead &= ~(u32)KVREAD_ALL;
  if( (p->mRead & KVREAD_POINT) || pTab->bElsewhere ) return SQLITE_OK;
  if( pTab->pStore->eState!=KV_STORE_OLD ){
    rc = kvStoreHasExpired(pTab->pStore, p->iNow, &bThere, &zErr);
    if( rc==SQLITE_ERROR ){
      sqlite3_free(zErr);
      return SQLITE_OK;
    }
    if( rc!=SQLITE_OK ) return kvTableFail(&pTab->base, rc, zErr);
  }
  if( bThere==0 ) p->mRead |= KVREAD_ALL;
  return SQLITE_OK;
}

/* Plain SQL may write to the table while a range of it is read: foreign.c.  Points
** are finite. */
static int entForeign(EntCursor *p){
  KvTable *pTab = (KvTable*)p->base.pVtab;
  char *zErr = 0;
  int bForeign, rc;
  if( p->mRead & KVREAD_POINT ) return SQLITE_OK;
  if( !p->bAsked ){
    rc = kvStoreForeign(pTab->pStore, &bForeign, &zErr);
    if( rc!=SQLITE_OK ) return kvTableFail(&pTab->base, rc, zErr);
    p->bForeign = (u8)bForeign;
    p->bAsked = 1;
  }
  if( !p->bForeign ) return SQLITE_OK;
  p->mRead |= KVREAD_SORTED;
  p->bCount = 0;
  return SQLITE_OK;
}

/* Run the query that the bounds and points describe. */
static int entStart(EntCursor *p, sqlite3_int64 nOffset){
  KvTable *pTab = (KvTable*)p->base.pVtab;
  KvStore *pStore = pTab->pStore;
  u32 iPoint = p->iPoint;
  char *zErr = 0;
  int nTry, rc = SQLITE_OK;
  for(nTry=0; nTry<2; nTry++){
    rc = nTry==0 ? kvStoreReady(pStore, &zErr) : kvStoreOpen(pStore, &zErr);
    if( rc!=SQLITE_OK ) return kvTableFail(p->base.pVtab, rc, zErr);
    p->bEof = pStore->eState==KV_STORE_NONE;
    if( p->bEof ) return SQLITE_OK;
    p->iPoint = iPoint;
    rc = entAlive(p);
    if( rc==SQLITE_OK ) rc = entForeign(p);
    if( rc==SQLITE_OK ) rc = entPrepare(p, nOffset);
    if( rc==SQLITE_OK ) rc = entStep(p);
    if( rc!=SQLITE_ERROR ) break;
    entStop(p);            /* the tables have changed: look again, once */
  }
  return rc;
}

/* Rows may be ahead: tell the store which.  Of points that is all from the
** smallest to the largest, which take the places of the bounds. */
static int entRead(EntCursor *p, int bDesc){
  KvRange *pRange = &p->range;
  if( p->mRead & KVREAD_POINT ){
    const KvPoint *pLo, *pHi;
    if( p->iPoint>=pRange->nPoint ) return SQLITE_OK;
    pLo = &pRange->aPoint[bDesc ? pRange->nPoint-1 : 0];
    pHi = &pRange->aPoint[bDesc ? 0 : pRange->nPoint-1];
    kvBufReset(&pRange->lo);
    kvBufReset(&pRange->hi);
    kvBufAppend(&pRange->lo, pLo->p, pLo->n);
    kvBufAppend(&pRange->hi, pHi->p, pHi->n);
    kvBufPut(&pRange->hi, 0);
    if( pRange->lo.eErr || pRange->hi.eErr ) return SQLITE_NOMEM;
  }
  kvReadingOpen(((KvTable*)p->base.pVtab)->pStore, &p->reading, &pRange->lo, &pRange->hi);
  return SQLITE_OK;
}

static int entFilter(
  sqlite3_vtab_cursor *pCursor, int mPlan, const char *zPlan,
  int nArg, sqlite3_value **apArg
){
  EntCursor *p = (EntCursor*)pCursor;
  int bDesc = (mPlan & ENT_PLAN_DESC)!=0;
  int bPoints = (mPlan & (ENT_PLAN_EQ|ENT_PLAN_IN))!=0;
  sqlite3_int64 nOffset = 0;
  int rc;
  (void)zPlan;
  entReset(p);
  p->iNow = kvNow();
  rc = kvRangeArgs(&p->range, pCursor->pVtab, mPlan, nArg, apArg, &nOffset);
  if( rc!=SQLITE_OK ) return rc;
  if( p->range.bNone ){
    p->bEof = 1;
    return SQLITE_OK;
  }
  if( mPlan & ENT_PLAN_VALUE ) p->mRead |= KVREAD_VALUE;
  if( mPlan & ENT_PLAN_META ) p->mRead |= KVREAD_META;
  if( bPoints ){
    p->mRead |= KVREAD_POINT;
  }else{
    p->bCount = (mPlan & ENT_PLAN_COUNT) && nOffset<=0;
    if( bDesc && !p->bCount ) p->mRead |= KVREAD_DESC;
    if( p->range.bUpper ) p->mRead |= KVREAD_UPPER;
    if( nOffset>0 ) p->mRead |= KVREAD_OFFSET;
  }
  rc = entStart(p, nOffset);
  if( rc==SQLITE_OK && !p->bEof ) rc = entRead(p, bDesc);
  while( bPoints && rc==SQLITE_OK && !p->bEof && nOffset-- > 0 ) rc = entStep(p);
  return rc;
}

static int entNext(sqlite3_vtab_cursor *pCursor){
  return entStep((EntCursor*)pCursor);
}

static int entEof(sqlite3_vtab_cursor *pCursor){
  return ((EntCursor*)pCursor)->bEof;
}

/* Result: an error that names the current row's key. */
static void entValueError(sqlite3_context *ctx, EntCursor *p, const KvErr *pErr){
  u32 n;
  const u8 *a = entKey(p, &n);
  kvBufReset(&p->text);
  kvBufLit(&p->text, "value of the key ");
  kvKeyShow(&p->text, kvBytes(a, n));
  if( kvBufTerminate(&p->text)!=KV_OK ){
    sqlite3_result_error_nomem(ctx);
  }else{
    kvResultCodecError(ctx, (const char*)p->text.a, pErr);
  }
}

/* Read the current row's value into p->tree, once a row. */
static int entTree(EntCursor *p, KvErr *pErr){
  int rc;
  if( p->bTree ) return KV_OK;
  rc = kvColumnRead(p->pStmt->pStmt, KVREAD_COL_V,
      sqlite3_column_int(p->pStmt->pStmt, KVREAD_COL_ENCODING), &p->tree, pErr);
  if( rc==KV_OK ) p->bTree = 1;
  return rc;
}

/* The columns that are made from the value. */
static void entValueColumn(sqlite3_context *ctx, EntCursor *p, int iCol){
  KvErr err;
  int eAs = iCol==ENT_JS ? KV_AS_JS : iCol==ENT_JSON ? KV_AS_JSON
          : iCol==ENT_TYPE ? KV_AS_TYPE : KV_AS_VALUE;
  int rc;
  if( !p->bTree && kvResultPlainColumn(ctx, p->pStmt->pStmt, KVREAD_COL_V,
          sqlite3_column_int(p->pStmt->pStmt, KVREAD_COL_ENCODING), eAs, &p->text) ){
    return;
  }
  rc = entTree(p, &err);
  if( rc==KV_CORRUPT && iCol==ENT_TYPE ){
    sqlite3_result_text(ctx, "malformed", -1, SQLITE_STATIC);
    return;
  }
  if( rc==KV_OK ) rc = kvResultValueAs(ctx, &p->tree, eAs, &p->text, &err);
  if( rc!=KV_OK ) entValueError(ctx, p, &err);
}

/* Put the text of a key into p->key part by part and keep what its head is. */
static void entKeyText(EntCursor *p, const u8 *a, u32 n){
  KvPart part;
  u32 i = 0, iLast = 0;
  kvBufReset(&p->key);
  p->nHeadText = 0;
  while( i<n ){
    kvBufPut(&p->key, i ? ',' : '[');
    iLast = i;
    p->nHeadText = p->key.n;
    if( kvPartRead(kvBytes(a, n), &i, &part, 0)!=KV_OK || !part.bCanon ) break;
    kvPartPrint(&p->key, &part);
    if( i==n ){
      kvBufPut(&p->key, ']');
      kvBufReset(&p->head);
      kvBufAppend(&p->head, a, iLast);
      if( p->head.eErr!=KV_OK ) p->nHeadText = 0;
      return;
    }
  }
  kvBufReset(&p->key);
  p->nHeadText = 0;
  kvKeyShow(&p->key, kvBytes(a, n));
}

/* Keys that follow each other mostly differ in the last part alone. */
static void entKeyColumn(sqlite3_context *ctx, EntCursor *p){
  KvPart part;
  u32 n;
  const u8 *a = entKey(p, &n);
  u32 i = p->head.n;
  if( p->nHeadText && i<n && (i==0 || memcmp(a, p->head.a, i)==0)
   && kvPartRead(kvBytes(a, n), &i, &part, 0)==KV_OK && i==n && part.bCanon
  ){
    p->key.n = p->nHeadText;
    kvPartPrint(&p->key, &part);
    kvBufPut(&p->key, ']');
  }else{
    entKeyText(p, a, n);
  }
  if( p->key.eErr!=KV_OK ) p->nHeadText = 0;
  kvResultText(ctx, &p->key);
}

static void entCursorColumn(sqlite3_context *ctx, EntCursor *p){
  u32 n;
  const u8 *a = entKey(p, &n);
  u32 nSkip = p->range.common.n<=n ? p->range.common.n : 0;
  kvBufReset(&p->text);
  if( n>nSkip ) kvCursorPrint(&p->text, kvBytes(&a[nSkip], n - nSkip));
  kvResultText(ctx, &p->text);
}

/* Is a statement under way that looks like an UPDATE ... FROM? */
static int entUpdatesFrom(sqlite3 *db){
  sqlite3_stmt *pStmt;
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    const char *z = sqlite3_sql(pStmt);
    if( sqlite3_stmt_busy(pStmt) && !sqlite3_stmt_readonly(pStmt)
     && z && sqlite3_strlike("%update%from%", z, 0)==0
    ){
      return 1;
    }
  }
  return 0;
}

/* The column prefix, but no prefix was given. */
static void entNoPrefix(sqlite3_context *ctx){
  if( entUpdatesFrom(sqlite3_context_db_handle(ctx)) ){
    kvResultError(ctx, SQLITE_ERROR, kvEntriesUpdateFrom());
  }else{
    kvTableOnlySelects(ctx, "prefix");
  }
}

static int entColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  EntCursor *p = (EntCursor*)pCursor;
  sqlite3_stmt *pStmt;
  i64 iExpires;
  if( sqlite3_vtab_nochange(ctx) ) return SQLITE_OK;
  if( p->bCount && iCol!=ENT_PREFIX ){
    int rc = entLand(p);
    if( rc!=SQLITE_OK ) return rc;
  }
  pStmt = p->pStmt->pStmt;
  switch( iCol ){
    case ENT_KEY:
      entKeyColumn(ctx, p);
      break;
    case ENT_VERSIONSTAMP:
      kvResultVersionstamp(ctx, sqlite3_column_int64(pStmt, KVREAD_COL_VERSION));
      break;
    case ENT_EXPIRES_AT:
    case ENT_EXPIRE_IN:
      iExpires = sqlite3_column_int64(pStmt, KVREAD_COL_EXPIRES);
      if( iExpires<0 ) break;
      sqlite3_result_int64(ctx, iCol==ENT_EXPIRES_AT ? iExpires : iExpires - p->iNow);
      break;
    case ENT_PREFIX:
      if( p->range.bPrefix ){
        kvResultText(ctx, &p->range.prefix);
      }else{
        entNoPrefix(ctx);
      }
      break;
    case ENT_RAW:
      kvResultRawColumn(ctx, pStmt, KVREAD_COL_V,
          sqlite3_column_int(pStmt, KVREAD_COL_ENCODING), &p->text);
      break;
    case ENT_CURSOR:
      entCursorColumn(ctx, p);
      break;
    default:
      entValueColumn(ctx, p, iCol);
  }
  return SQLITE_OK;
}

static int entRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){ /* not reached: WITHOUT ROWID */
  (void)pCursor;
  *piRowid = 0;                        /* not reached */
  return SQLITE_OK;                    /* not reached */
}

const sqlite3_module kvEntriesModule = {
  .iVersion      = 2,
  .xCreate       = entConnect,
  .xConnect      = entConnect,
  .xBestIndex    = kvEntriesBestIndex,
  .xDisconnect   = entDisconnect,
  .xDestroy      = entDisconnect,
  .xOpen         = entOpen,
  .xClose        = entClose,
  .xFilter       = entFilter,
  .xNext         = entNext,
  .xEof          = entEof,
  .xColumn       = entColumn,
  .xRowid        = entRowid,
  .xUpdate       = kvEntriesUpdate,
  .xBegin        = kvTableBegin,
  .xSync         = kvTableSync,
  .xCommit       = kvTableCommit,
  .xRollback     = kvTableRollback,
  .xRename       = kvTableRename,
  .xSavepoint    = kvTableSavepoint,
  .xRelease      = kvTableRelease,
  .xRollbackTo   = kvTableRollbackTo,
};
