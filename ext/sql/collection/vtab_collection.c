/*
** vtab_collection.c -- the virtual table kv_collection: connecting and reading.
**
**     CREATE VIRTUAL TABLE temp.users USING kv_collection('["users"]',
**       id INTEGER KEY, name TEXT NOT NULL, email TEXT UNIQUE,
**       city TEXT AT '$.address.city', joined DATETIME);
**     SELECT name FROM users WHERE email = 'ada@example.com';
**
** A row is an entry whose key has, after the prefix, just the parts that the KEY
** columns stand for, of their types.  The other columns are what stands at their
** paths in its value.  collection_def.h has the declaration, collection_value.h
** the types.
*/
#include "sql/modules.h"
#include "store/clock.h"
#include "sql/args.h"
#include "sql/as_of.h"
#include "codec/index_key.h"
#include "codec/key/key_parse.h"
#include "sql/collection/collection_check.h"
#include "sql/collection/collection_code.h"
#include "sql/collection/collection_declare.h"
#include "sql/collection/collection_left.h"
#include "sql/collection/collection_measure.h"
#include "sql/collection/collection_memo.h"
#include "sql/collection/collection_path.h"
#include "sql/collection/collection_plan.h"
#include "sql/collection/collection_rowid.h"
#include "sql/collection/collection_search.h"
#include "sql/collection/collection_seek.h"
#include "sql/collection/collection_value.h"
#include "sql/entry_columns.h"
#include "sql/range/index_run.h"
#include "sql/result.h"
#include "sql/range/row_scan.h"
#include "sql/collection/vtab_collection_write.h"
#include "sql/vtab_run.h"
#include "sql/search/vtab_search.h"

typedef struct CollectionCursor CollectionCursor;
struct CollectionCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf text;             /* Work space */
  KvBuf index;            /* The name of the index */
  const char *zPlan;      /* The plan of the statement as text, or 0: ... */
  KvCollectionPlan given; /* ... it */
  KvCollectionPlan plan;  /* As it is carried out */
  KvRowScan scan;
  KvRanges ranges;        /* Those that are asked for */
  u32 iRange;             /* The one that is read */
  u8 bSorted;             /* They come as they are, whatever the direction */
  u8 bNull;               /* They are what an index left out: NULL in its first column */
  u8 bKeys;               /* The keys of the index are enough */
  KvIndexRun run;         /* ... or by an index */
  u8 bLeft;               /* The index is at what it leaves out */
  u8 bMerged;             /* What is in left is merged with its rows */
  u8 bRun;                /* ... and it is at a row */
  KvCollectionLeft left;
  KvCollectionOwn own;    /* Its values in the current row, if its keys are enough */
  KvIndexQuery aQuery[KVCOLL_PATH];
  KvSearch search;        /* ... or by the full-text index */
  KvCollectionChecks checks;
  KvCollectionMemo memo;  /* What was found by keys */
  u8 bMemo;               /* The row is one of these */
  u32 nFilter;            /* Queries of the statement so far */
  sqlite3_value *pAsOf;   /* A copy of the argument kv_as_of, or 0 */
  u32 nStray;             /* Keys in a row that are no rows of the table */
  KvPart *aPart;          /* The KEY columns of the current row */
  KvCollectionRow row;    /* The value of the current row */
  u8 eValue;              /* 0: not asked for; 1: it is in row; 2: there is none */
  u8 bFirst;              /* The current row is the first one */
  u8 bUpdate;             /* An UPDATE reads the row */
  i64 nTotal;             /* Changes on the connection before the first row, ... */
  i64 nOpened;            /* ... and before the index was opened; -1: it has written */
};

/* ---- connecting --------------------------------------------------------------- */

/* The SELECT of a literal that is a default.  A text becomes the number that it reads
** as: what is kept of it has no connection, which SQLite wants to convert it. */
static char *collectionLiteral(const KvCollectionColumn *pCol){
  const char *z = pCol->zDefault;
  if( *z=='\'' && (pCol->eType==KV_COLTYPE_INTEGER || pCol->eType==KV_COLTYPE_REAL
      || pCol->eType==KV_COLTYPE_BOOLEAN) ){
    return sqlite3_mprintf("SELECT CASE WHEN CAST(%s AS NUMERIC) = %s THEN CAST(%s AS NUMERIC) "
        "ELSE %s END",
                           z, z, z, z);
  }
  return sqlite3_mprintf("SELECT %s", z);
}

/* A default must fit its column. */
static void collectionFits(const KvCollectionColumn *pCol, sqlite3_value *pVal, KvError *pErr){
  KvTree tree;
  KvErr err;
  int rc = KV_OK;
  kvTreeInit(&tree);
  if( sqlite3_value_type(pVal)!=SQLITE_NULL ) rc = kvCollectionNode(pCol, pVal, &tree, &err);
  if( rc==KV_NOMEM ) kvErrorCode(pErr, SQLITE_NOMEM);
  else if( rc!=KV_OK ) kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: DEFAULT: %s",
      pCol->zName, err.zMsg);
  kvTreeClear(&tree);
}

/* The values of the literals that are defaults. */
static void collectionDefaults(KvCollection *p, sqlite3 *db, KvError *pErr){
  u32 i;
  p->apDefault = sqlite3_malloc64((p->def.nColumn + 1)*sizeof(*p->apDefault));
  if( p->apDefault==0 ){
    kvErrorCode(pErr, SQLITE_NOMEM);
    return;
  }
  memset(p->apDefault, 0, (p->def.nColumn + 1)*sizeof(*p->apDefault));
  for(i=0; !kvFailed(pErr) && i<p->def.nColumn; i++){
    const KvCollectionColumn *pCol = &p->def.aColumn[i];
    sqlite3_stmt *pStmt = 0;
    char *zSql;
    if( pCol->zDefault==0 ) continue;
    zSql = collectionLiteral(pCol);
    kvErrorCode(pErr, zSql ? sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0) : SQLITE_NOMEM);
    if( !kvFailed(pErr) && sqlite3_step(pStmt)==SQLITE_ROW ){
      collectionFits(pCol, sqlite3_column_value(pStmt, 0), pErr);
      p->apDefault[i] = sqlite3_value_dup(sqlite3_column_value(pStmt, 0));
    }
    if( p->apDefault[i]==0 ) kvErrorCode(pErr, SQLITE_NOMEM);
    sqlite3_finalize(pStmt);
    sqlite3_free(zSql);
  }
}

/* The arguments as one text. */
static int collectionArgs(KvCollection *p, int argc, const char *const *argv){
  sqlite3_str *pOut = sqlite3_str_new(0);
  int i, bBad = 0;
  for(i=3; i<argc; i++){
    if( i>3 ) sqlite3_str_appendchar(pOut, 1, KV_COLLECTION_COMMA);
    sqlite3_str_appendall(pOut, argv[i]);
    bBad |= strchr(argv[i], KV_COLLECTION_COMMA)!=0;
  }
  p->zArgs = sqlite3_str_finish(pOut);
  if( !bBad ) return p->zArgs!=0 || argc<=3;
  sqlite3_free(p->zArgs);
  p->zArgs = 0;
  return 1;
}

static int collectionConnect(
  KvVtab *pTab, int argc, const char *const *argv, KvVtabArgs *pOut, char **pzErr
){
  KvCollection *p = (KvCollection*)pTab;
  KvError error;
  memset(&error, 0, sizeof(error));
  p->pNext = pTab->pConn->pCollections;
  pTab->pConn->pCollections = p;
  p->zName = sqlite3_mprintf("%s", argv[2]);
  p->zHome = sqlite3_mprintf("%s", argv[1]);
  if( p->zName==0 || p->zHome==0 || !collectionArgs(p, argc, argv) ) return SQLITE_NOMEM;
  kvCollectionDefParse(&p->def, p->zName, argc-3, &argv[3], &error);
  if( p->def.zSchema && sqlite3_stricmp(argv[1], "temp")!=0
   && sqlite3_stricmp(argv[1], p->def.zSchema)!=0
  ){
    kvError(&error, SQLITE_ERROR, "kv: kv_collection(): schema=%s: a collection in a "
        "file's schema shows the store of that file; CREATE VIRTUAL TABLE temp.%s for another",
        p->def.zSchema, p->zName);
  }
  if( !kvFailed(&error) ) collectionDefaults(p, pTab->pConn->db, &error);
  if( kvFailed(&error) && !pOut->bCreate && error.rc==SQLITE_ERROR ){
    /* It can be dropped; whoever reads it is told why it can't be read */
    kvErrorTake(&error, &p->zBroken);
    pOut->zDeclare = sqlite3_mprintf("CREATE TABLE x(broken)");
    return pOut->zDeclare && p->zBroken ? SQLITE_OK : SQLITE_NOMEM;
  }
  if( kvFailed(&error) ) return kvErrorTake(&error, pzErr);
  pOut->zDeclare = kvCollectionDeclaration(&p->def, p->zName);
  pOut->zSchema = sqlite3_mprintf("%s", p->def.zSchema ? p->def.zSchema
                                      : sqlite3_stricmp(argv[1], "temp")==0 ? "main" : argv[1]);
  pOut->zPrefix = sqlite3_mprintf("%s", p->def.zTables ? p->def.zTables : "");
  p->zSchema = sqlite3_mprintf("%s", pOut->zSchema);
  return pOut->zDeclare && pOut->zSchema && p->zSchema && pOut->zPrefix ? SQLITE_OK : SQLITE_NOMEM;
}

static int collectionCreate(KvVtab *pTab, char **pzErr){
  kvCollectionDeclare((KvCollection*)pTab);
  return kvStoreTake(pTab->pStore, pzErr);
}

static void collectionDisconnect(KvVtab *pTab){
  KvCollection *p = (KvCollection*)pTab, **pp = &pTab->pConn->pCollections;
  u32 i;
  while( *pp && *pp!=p ) pp = &(*pp)->pNext;
  if( *pp ) *pp = p->pNext;
  for(i=0; p->apDefault && i<p->def.nColumn; i++) sqlite3_value_free(p->apDefault[i]);
  sqlite3_free(p->apDefault);
  kvCollectionMeasureFree(p);
  sqlite3_free(p->zName);
  sqlite3_free(p->zSchema);
  sqlite3_free(p->zHome);
  sqlite3_free(p->zBroken);
  sqlite3_free(p->zArgs);
  kvCollectionDefClear(&p->def);
  kvCollectionRowidForget(p);
  kvCollectionSpaceClear(&p->space);
}

static int collectionDrop(KvVtab *pTab){
  KvCollection *p = (KvCollection*)pTab;
  return kvRunDropped(pTab->pConn, p->zHome, p->zName);
}

/* ---- the cursor ------------------------------------------------------------------ */

static int collectionOpen(KvVtabCursor *pCursor){
  CollectionCursor *p = (CollectionCursor*)pCursor;
  const KvCollection *pTab = (const KvCollection*)pCursor->base.pVtab;
  p->scan.bAsked = 0;
  p->zPlan = 0;
  ((KvCollection*)pCursor->base.pVtab)->last.pStmt = 0;      /* that statement is prepared */
  if( p->aPart==0 && pTab->def.nKey>0 ){
    p->aPart = sqlite3_malloc64(pTab->def.nKey*sizeof(KvPart));
    if( p->aPart==0 ) return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

static KvBytes collectionKey(const CollectionCursor *p){
  return kvEntryKey(&p->c.show);
}

/* An UPDATE of a single row closes its cursor first: what that has read is kept. */
static void collectionKeep(CollectionCursor *p){
  KvCollectionSpace *pSpace = &((KvCollection*)p->c.base.pVtab)->space;
  KvBytes key = collectionKey(p);
  kvBufReset(&pSpace->key);
  kvBufReset(&pSpace->found.v);
  kvBufAdd(&pSpace->key, key);
  kvBufAdd(&pSpace->found.v, p->row.value);
  pSpace->found.eEncoding = p->row.eEncoding;
  pSpace->nTotal = pSpace->key.eErr || pSpace->found.v.eErr ? -1 : p->nTotal;
}

static void collectionStop(KvVtabCursor *pCursor){
  CollectionCursor *p = (CollectionCursor*)pCursor;
  if( p->bUpdate && p->bFirst && p->eValue==1 ) collectionKeep(p);
  p->bUpdate = 0;
  kvRowScanStop(&p->scan);
  kvCollectionLeftReset(&p->left);
  if( p->nFilter>1 && kvStoreTxnState(p->c.pStore)==SQLITE_TXN_READ ) kvIndexRunEnd(&p->run);
  else kvIndexRunStop(&p->run);
  if( p->search.pStore ) kvSearchClose(&p->search);
  kvRangesReset(&p->ranges);
}

/* The statement ends, and what was kept from one query of it to the next. */
static void collectionClose(KvVtabCursor *pCursor){
  CollectionCursor *p = (CollectionCursor*)pCursor;
  kvIndexRunStop(&p->run);
  kvCollectionMemoClear(&p->memo);
  p->nFilter = 0;
}

static void collectionFree(KvVtabCursor *pCursor){
  CollectionCursor *p = (CollectionCursor*)pCursor;
  int i;
  kvRowScanClear(&p->scan);
  sqlite3_value_free(p->pAsOf);
  kvCollectionLeftClear(&p->left);
  kvIndexRunClear(&p->run);
  for(i=0; i<KVCOLL_PATH; i++) kvIndexQueryClear(&p->aQuery[i]);
  kvRangesClear(&p->ranges);
  kvBufClear(&p->index);
  kvTreeClear(&p->row.tree);
  kvCollectionChecksClear(&p->checks);
  kvCollectionMemoClear(&p->memo);
  sqlite3_free(p->aPart);
}

static u64 collectionMemory(const KvVtabCursor *pCursor){
  const CollectionCursor *p = (const CollectionCursor*)pCursor;
  return (u64)p->scan.lo.nAlloc + p->scan.hi.nAlloc;
}

/* Is the current entry a row?  Then its key's parts are in p->aPart. */
static int collectionIsRow(CollectionCursor *p, u32 *pnSame){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  return kvCollectionIsRow(&pTab->def, collectionKey(p), p->aPart, pnSame);
}

/* Start the next range that has an entry.  False: there is none, or an error. */
static int collectionRange(CollectionCursor *p){
  u32 mRead = (p->plan.bValue ? (u32)KVREAD_VALUE : 0) | (p->plan.bMeta ? (u32)KVREAD_META : 0)
            | (p->plan.bDesc ? (u32)KVREAD_DESC : 0);
  for(; p->iRange<p->ranges.n; p->iRange++){
    u32 i = p->plan.bDesc && !p->bSorted ? p->ranges.n-1-p->iRange : p->iRange;
    kvBufReset(&p->scan.lo);
    kvBufReset(&p->scan.hi);
    kvBufAdd(&p->scan.lo, kvRangesLo(&p->ranges, i));
    kvBufAdd(&p->scan.hi, kvRangesHi(&p->ranges, i));
    p->scan.bSingle = (u8)kvRangesIsPoint(&p->ranges, i);
    kvHistoryCheck(p->c.pStore, &p->scan.past, kvBufBytes(&p->scan.lo), kvBufBytes(&p->scan.hi),
        "kv_as_of");
    if( kvRowScanStart(&p->scan, (KvVtab*)p->c.base.pVtab, mRead) ){
      return 1;
    }
    if( kvFailed(kvStoreError(p->c.pStore)) ) return 0;
  }
  return 0;
}

/* Begin again after all that is below a key of nSame bytes, or before it. */
#define COLLECTION_STRAYS 8
static int collectionLeap(CollectionCursor *p, u32 nSame){
  KvBuf *pBound = p->plan.bDesc ? &p->scan.hi : &p->scan.lo;
  KvBuf space;
  u32 mRead = p->scan.mRead & (KVREAD_VALUE|KVREAD_META|KVREAD_DESC);
  kvBufInit(&space, 0, 0);
  kvBufAppend(&space, collectionKey(p).p, nSame);
  kvBufPut(&space, p->plan.bDesc ? 0 : 0xff);
  kvRowScanStop(&p->scan);
  kvBufReset(pBound);
  kvBufAdd(pBound, kvBufBytes(&space));
  if( space.eErr ) kvErrorBuf(kvStoreError(p->c.pStore), &space);
  kvBufClear(&space);
  p->nStray = 0;
  return kvRowScanStart(&p->scan, (KvVtab*)p->c.base.pVtab, mRead);
}

/* The stored value of the current row is in p->row.  False: it isn't one. */
static int collectionStored(CollectionCursor *p){
  sqlite3_value *pVal;
  if( p->eValue ) return p->eValue==1;
  pVal = sqlite3_column_value(p->c.show.pRow, p->c.show.iFirst + KVREAD_COL_V);
  p->eValue = sqlite3_value_type(pVal)==SQLITE_BLOB ? 1 : 2;
  kvCollectionRowSet(&p->row, kvArgBlob(pVal),
      sqlite3_column_int(p->c.show.pRow, p->c.show.iFirst + KVREAD_COL_ENCODING));
  return p->eValue==1;
}

/* Does the first column of the index show NULL? */
static int collectionIsNull(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  KvCollectionShown shown;
  if( !collectionStored(p)
   || kvCollectionShow(&pTab->def.aColumn[p->plan.aiColumn[0]], &p->row, &shown, 0)!=KV_OK
  ){
    return 1;
  }
  return shown.pTree==0 || (shown.iElem<0 && kvCollectionIsNull(shown.pTree, shown.iNode));
}

/* Does the current row meet the conditions that aren't left to SQLite? */
static int collectionMeets(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  if( p->bNull && !collectionIsNull(p) ) return 0;
  if( p->checks.n==0 ) return 1;
  return kvCollectionChecksMet(&p->checks, &pTab->def, p->aPart, &p->own,
      p->own.n==0 && collectionStored(p) ? &p->row : 0);
}

/* Go on from an entry, or the end of a range (bEntry 0), to the next row. */
static int collectionSettle(CollectionCursor *p, int bEntry){
  for(;;){
    u32 nSame;
    if( !bEntry ){
      if( kvFailed(kvStoreError(p->c.pStore)) ) break;
      p->iRange++;
      bEntry = collectionRange(p);
      if( !bEntry ) break;
    }
    p->c.show.pRow = p->scan.pStmt->pStmt;
    p->c.show.iFirst = KVREAD_COL_KEY;
    p->eValue = 0;
    if( collectionIsRow(p, &nSame) ){
      p->nStray = 0;
      if( collectionMeets(p) ) return 1;
    }
    if( nSame && ++p->nStray>=COLLECTION_STRAYS ) bEntry = collectionLeap(p, nSame);
    else bEntry = kvRowScanNext(&p->scan);
  }
  return 0;
}

/* Does the current row of the index stand for the row?  An Array has an index entry
** for each of its elements, and none for what the column shows. */
static int collectionIsSingle(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  const KvCollectionColumn *pCol = &pTab->def.aColumn[p->plan.aiColumn[0]];
  if( (p->run.snapshot.mKind & KVKIND_OTHER)==0 ) return 1;
  return collectionStored(p) && !kvCollectionIsArray(pCol, &p->row);
}

/* Read the values of the current row from the key of its index entry. */
static int collectionOwn(CollectionCursor *p){
  KvBytes ik = kvArgBlob(sqlite3_column_value(p->c.show.pRow, KVINDEX_COL_IK));
  u32 k, i = p->run.snapshot.name.n;
  for(k=0; k<p->own.n; k++){
    if( kvPartRead(ik, &i, &p->own.aPart[k], 0)!=KV_OK ) return 0;
  }
  return 1;
}

/* Is an index entry that of a row? */
static int collectionEntry(CollectionCursor *p, sqlite3_stmt *pRow){
  u32 nSame;
  p->c.show.pRow = pRow;
  p->c.show.iFirst = KVINDEX_COL_KEY;
  p->eValue = 0;
  return collectionIsRow(p, &nSame)
      && (p->bLeft || (p->own.n>0 ? collectionOwn(p) : collectionIsSingle(p)))
      && collectionMeets(p);
}

/* Go through the rows that show NULL, which no index has. */
static int collectionNulls(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  KvCollectionPlan all = { .eHow = KVCOLL_RANGE };
  if( kvFailed(kvStoreError(p->c.pStore)) ) return 0;
  p->plan.bValue = p->plan.bMeta = p->bNull = 1;
  p->own.n = 0;
  kvCollectionSeekKeys(&p->ranges, p->aQuery, pTab, &all, 0);
  p->iRange = 0;
  return !kvFailed(kvStoreError(p->c.pStore)) && collectionSettle(p, collectionRange(p));
}

/* Go on from an entry of the index, or its end, to the next row. */
static int collectionIndexed(CollectionCursor *p, int bEntry){
  for(;;){
    while( bEntry && !collectionEntry(p, kvIndexRunRow(&p->run)) ) bEntry = kvIndexRunNext(&p->run);
    if( bEntry || p->bLeft || p->bMerged || !kvIndexRunLeaves(&p->run)
     || kvFailed(kvStoreError(p->c.pStore))
    ){
      break;
    }
    p->bLeft = 1;
    bEntry = kvIndexRunLeft(&p->run);
  }
  return bEntry || (p->plan.eNull==KVCOLL_NULL_LAST && collectionNulls(p));
}

/* What the column of which SQLite relies on the order shows of the row that the index is at:
** p->left.row. */
static void collectionOrderShown(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  p->left.row.eClass = SQLITE_NULL;
  kvBufReset(&p->left.row.bytes);
  if( !collectionStored(p) ) return;
  kvCollectionOperandShown(&p->left.row, &pTab->def.aColumn[p->plan.aiColumn[p->plan.iOrder]],
                           &p->row);
  kvErrorBuf(kvStoreError(p->c.pStore), &p->left.row.bytes);
}

static int collectionGather(CollectionCursor *p, int bEntry){
  KvError *pErr = kvStoreError(p->c.pStore);
  for(; bEntry && !kvFailed(pErr); bEntry=kvIndexRunNext(&p->run)){
    if( !collectionEntry(p, kvIndexRunRow(&p->run)) ) continue;
    collectionOrderShown(p);
    kvCollectionLeftAdd(&p->left, &p->run, pErr);
  }
  return !kvFailed(pErr);
}

/* The next row, of those gathered or of the index. */
static int collectionMerged(CollectionCursor *p){
  while( p->left.i<p->left.n || p->bRun ){
    if( p->bRun && !collectionEntry(p, kvIndexRunRow(&p->run)) ){
      p->bRun = (u8)kvIndexRunNext(&p->run);
      continue;
    }
    if( p->bRun ) collectionOrderShown(p);
    if( p->bRun && !kvCollectionLeftFirst(&p->left) ) return 1;
    if( kvFailed(kvStoreError(p->c.pStore)) ) return 0;
    if( !kvCollectionLeftNext(&p->left, &p->run.snapshot) ) continue;
    p->bLeft = 1;
    if( collectionEntry(p, p->left.point.pRow) ) return 1;
    p->bLeft = 0;
  }
  return 0;
}

/* Begin with the index. */
static int collectionIndexStart(CollectionCursor *p){
  if( kvFailed(kvStoreError(p->c.pStore)) ) return 0;
  p->bNull = 0;
  p->own.n = p->bKeys ? p->plan.nOwn : 0;
  p->own.aiCol = p->plan.aiColumn;
  return collectionIndexed(p,
      kvIndexRunStart(&p->run, p->aQuery, p->plan.nQuery, p->plan.bDesc, p->bKeys));
}

/* To the next row of a plan by an index. */
static int collectionIndexNext(CollectionCursor *p){
  if( !p->bNull ){
    return collectionIndexed(p, p->plan.bOnce && p->own.n>0 ? kvIndexRunNextValue(&p->run)
                                                            : kvIndexRunNext(&p->run));
  }
  if( !p->plan.bOnce && collectionSettle(p, kvRowScanNext(&p->scan)) ) return 1;
  return p->plan.eNull==KVCOLL_NULL_FIRST && collectionIndexStart(p);
}

static int collectionMergedNext(CollectionCursor *p){
  if( p->bLeft ) p->bLeft = 0;
  else p->bRun = (u8)kvIndexRunNext(&p->run);
  return collectionMerged(p);
}

/* Read in the order of the index, with what it leaves out where that belongs.  If what it
** has is shown in another order, all of it is gathered. */
static int collectionOrdered(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  int bLong = kvIndexRunLong(&p->run), bRow;
  p->bMerged = 1;
  p->left.bDesc = p->plan.bDesc;
  p->left.bNoCase = pTab->def.aColumn[p->plan.aiColumn[p->plan.iOrder]].bNoCase!=0;
  p->bLeft = 1;
  bRow = collectionGather(p, kvIndexRunLeft(&p->run));
  p->bLeft = 0;
  p->bRun = bRow && kvIndexRunStart(&p->run, p->aQuery, p->plan.nQuery, p->plan.bDesc, 0);
  if( bLong ){
    bRow = collectionGather(p, p->bRun);
    p->bRun = 0;
  }
  kvCollectionLeftSort(&p->left);
  return bRow && collectionMerged(p);
}

/* Go on from a document that matches, or the end of them, to the next row. */
static int collectionFound(CollectionCursor *p, int bEntry){
  u32 nSame;
  for(; bEntry; bEntry=kvSearchStep(&p->search)){
    p->c.show.pRow = p->search.pRow;
    p->c.show.iFirst = KVSEARCH_COL_KEY;
    p->eValue = 0;
    if( collectionIsRow(p, &nSame) && collectionMeets(p) ) return 1;
  }
  return 0;
}

static int collectionNext(KvVtabCursor *pCursor){
  CollectionCursor *p = (CollectionCursor*)pCursor;
  p->bFirst = 0;
  if( p->bMemo ) return 0;
  if( p->plan.eHow==KVCOLL_INDEX && p->bMerged ) return collectionMergedNext(p);
  if( p->plan.eHow==KVCOLL_INDEX ) return collectionIndexNext(p);
  if( p->plan.eHow==KVCOLL_SEARCH ) return collectionFound(p, kvSearchStep(&p->search));
  return collectionSettle(p, kvRowScanNext(&p->scan));
}

/* Is NULL looked for, which no index has? */
static int collectionWantsNull(const KvCollectionPlan *p, sqlite3_value **apArg){
  u32 i;
  for(i=0; i<p->nArg; i++){
    if( p->aArg[i].bIs && sqlite3_value_type(apArg[i])==SQLITE_NULL ) return 1;
  }
  return 0;
}

/* The index is still open from the query before.  What was written meanwhile, or may be taken
** back without being counted, it doesn't show. */
static int collectionIsOpen(CollectionCursor *p){
  if( !p->run.bOpen ) return 0;
  if( p->nOpened==p->nTotal && kvStoreTxnState(p->c.pStore)==SQLITE_TXN_READ ){
    kvIndexAgain(&p->run.snapshot);
    return 1;
  }
  kvIndexRunStop(&p->run);
  return 0;
}

/* Open the index, if it is still the one that was declared when the statement was
** prepared, and has what the plan relies on. */
static int collectionOpenIndex(CollectionCursor *p, sqlite3_value **apArg){
  KvStore *pStore = p->c.pStore;
  const KvIndexSnapshot *pSnapshot = &p->run.snapshot;
  int bOpen = collectionIsOpen(p);
  if( !bOpen && !kvIndexRunOpen(&p->run, pStore, p->plan.zIndex) ) return 0;
  p->nOpened = kvStoreTxnState(pStore)==SQLITE_TXN_READ ? p->nTotal : -1;
  if( (bOpen || kvCollectionIndexHash(kvIndexNamed(pStore, p->plan.zIndex))==p->plan.iIndex)
   && (pSnapshot->mKind & p->plan.mNot)==0
   && !collectionWantsNull(&p->plan, apArg)
  ){
    return 1;
  }
  kvIndexRunStop(&p->run);
  return 0;
}

/* Are the keys of the index enough? */
static int collectionKeys(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  u32 k;
  if( !p->plan.bKeys ) return 0;
  for(k=0; k<p->plan.nOwn; k++){
    if( !kvCollectionTells(&pTab->def.aColumn[p->plan.aiColumn[k]], kvIndexRunLower(&p->run),
                           p->run.snapshot.mKind, k) ) return 0;
  }
  return 1;
}

/* The keys of all rows, in the order that SQLite relies on, as SQLite sorts them. */
static void collectionSort(CollectionCursor *p){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  KvError *pErr = kvStoreError(p->c.pStore);
  sqlite3 *db = kvStoreDb(p->c.pStore);
  sqlite3_stmt *pStmt = 0;
  sqlite3_str *pSql = sqlite3_str_new(db);
  char *zSql;
  u32 i;
  int rc;
  sqlite3_str_appendf(pSql, "SELECT kv_key FROM \"%w\".\"%w\"", pTab->zHome, pTab->zName);
  for(i=0; i<p->plan.nOrder; i++){
    u32 iCol = p->plan.aiColumn[p->plan.iOrder + i];
    sqlite3_str_appendf(pSql, "%s+\"%w\"%s", i ? ", " : " ORDER BY ", pTab->def.aColumn[iCol].zName,
                        p->plan.bDesc ? " DESC" : "");
  }
  zSql = sqlite3_str_finish(pSql);
  rc = zSql ? sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0) : SQLITE_NOMEM;
  kvRangesReset(&p->ranges);
  while( rc==SQLITE_OK && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    KvBytes text = kvArgText(sqlite3_column_value(pStmt, 0));
    kvBufReset(&p->text);
    rc = text.p ? SQLITE_OK : SQLITE_NOMEM;
    if( text.p && kvKeyParse(text, KVKEY_MALFORMED, &p->text, 0, 0)==KV_OK ){
      kvRangesPoint(&p->ranges, kvBufBytes(&p->text));
    }
    kvErrorBuf(pErr, &p->text);
  }
  if( rc!=SQLITE_OK && rc!=SQLITE_DONE ) kvErrorCode(pErr, rc);
  sqlite3_finalize(pStmt);
  sqlite3_free(zSql);
  kvErrorBuf(pErr, &p->ranges.bytes);
  p->bSorted = 1;
}

/* Read by the index.  It may be gone since the statement was prepared, or no longer have what
** the plan relies on; then all rows are read.  False: so they are. */
static int collectionByIndex(CollectionCursor *p, sqlite3_value **apArg, int *pbRow){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  KvError *pErr = kvStoreError(p->c.pStore);
  if( collectionOpenIndex(p, apArg) && !kvFailed(pErr) ){
    p->bKeys = (u8)collectionKeys(p);
    kvCollectionSeekIndex(p->aQuery, pTab, &p->plan, apArg, p->run.snapshot.mKind,
                          kvIndexRunLower(&p->run), &p->run.ranges);
    if( p->plan.bOrdered && p->plan.nOrder>0 && kvIndexRunLeaves(&p->run) ){
      *pbRow = collectionOrdered(p);
      return 1;
    }
    *pbRow = p->plan.eNull==KVCOLL_NULL_FIRST && collectionNulls(p);
    if( !*pbRow ) *pbRow = collectionIndexStart(p);
    return 1;
  }
  p->plan.eHow = KVCOLL_RANGE;
  p->plan.nQuery = p->plan.nPath = p->plan.nArg = 0;
  p->plan.bValue = p->plan.bMeta = 1;
  return 0;
}

/* Search by the full-text index, if it is still the one of the plan. */
static int collectionSearch(CollectionCursor *p, sqlite3_value **apArg){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  KvStore *pStore = p->c.pStore;
  KvSearchQuery query = { .mMask = p->plan.mSearch, .nToken = KVSEARCH_TOKENS };
  int bOpen = kvSearchOpen(&p->search, pStore, p->plan.zIndex);
  if( !bOpen || kvCollectionIndexHash(kvIndexNamed(pStore, p->plan.zIndex))!=p->plan.iIndex ){
    kvError(kvStoreError(pStore), SQLITE_ERROR, "kv: %s: the full-text index %s no longer exists; "
        "prepare the statement again", pTab->zName, p->plan.zIndex);
    return 0;
  }
  if( !kvCollectionQuery(pTab, &p->plan, apArg, &p->text) ) return 0;
  query.zQuery = (const char*)p->text.a;
  return collectionFound(p, kvSearchStart(&p->search, p->plan.zIndex, &query));
}

/* The argument kv_as_of, the last one of a plan for the past.  False: it is NULL, or wrong. */
static int collectionAsOf(CollectionCursor *p, sqlite3_value *pVal){
  KvStore *pStore = p->c.pStore;
  p->scan.past.bPast = 0;
  sqlite3_value_free(p->pAsOf);
  p->pAsOf = 0;
  if( pVal==0 ) return 1;
  if( !kvAsOf((KvVtab*)p->c.base.pVtab, pVal, "kv_as_of", &p->scan.past) ) return 0;
  p->pAsOf = sqlite3_value_dup(pVal);
  if( p->pAsOf==0 ) kvErrorCode(kvStoreError(pStore), SQLITE_NOMEM);
  if( p->scan.past.bPast ) p->c.show.iNow = p->scan.past.iTime;
  return !kvFailed(kvStoreError(pStore));
}

/* The row of the only key, if that was found before in the statement. */
static int collectionKnown(CollectionCursor *p, int *pbRow){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  KvBytes key;
  u32 nSame;
  int e;
  if( !p->plan.bPoint || p->ranges.n!=1 || !kvRangesIsPoint(&p->ranges, 0) ) return 0;
  key = kvRangesLo(&p->ranges, 0);
  e = kvCollectionMemoAsk(&p->memo, p->c.pStore, p->nTotal, key, p->scan.iNow, &p->row);
  *pbRow = e==KVMEMO_ROW;
  if( *pbRow ){
    p->c.show.key = key;
    p->eValue = p->plan.bValue ? 1 : 2;
    p->bMemo = 1;
    kvCollectionIsRow(&pTab->def, key, p->aPart, &nSame);
  }
  return e!=KVMEMO_UNKNOWN;
}

/* Keep the row of the only key, or that there is none. */
static void collectionKeepPoint(CollectionCursor *p, int bRow){
  if( !p->plan.bPoint || p->ranges.n!=1 || kvFailed(kvStoreError(p->c.pStore)) ) return;
  if( !p->plan.bValue ) kvCollectionRowSet(&p->row, kvBytes("", 0), 0);
  else if( bRow && !collectionStored(p) ) return;
  kvCollectionMemoAdd(&p->memo, kvRangesLo(&p->ranges, 0), bRow ? &p->row : 0,
                      bRow ? kvStmtInt(p->scan.pStmt, KVREAD_COL_EXPIRES) : -1);
}

/* The first row of a plan. */
static int collectionStart(CollectionCursor *p, sqlite3_value **apArg){
  KvCollection *pTab = (KvCollection*)p->c.base.pVtab;
  KvError *pErr = kvStoreError(p->c.pStore);
  int bRow;
  if( pTab->zBroken ){
    kvError(pErr, SQLITE_ERROR, "%s", pTab->zBroken);
    return 0;
  }
  if( p->zPlan!=p->c.zPlan ){
    kvIndexRunStop(&p->run);
    kvCollectionMemoClear(&p->memo);
    if( !kvCollectionDecode(p->c.zPlan, &p->given, &p->index) ){
      kvErrorBuf(pErr, &p->index);
      return 0;
    }
  }
  p->zPlan = p->c.zPlan;
  p->plan = p->given;
  p->nStray = p->own.n = 0;
  p->bSorted = p->bNull = p->bLeft = p->bMerged = p->bMemo = 0;
  p->c.show.iNow = p->scan.iNow = kvNow();
  if( !collectionAsOf(p, p->plan.bPast ? apArg[p->plan.nAll] : 0) ) return 0;
  kvCollectionChecksStart(&p->checks, pTab, &p->plan, apArg, pErr);
  if( kvFailed(pErr) ) return 0;
  if( p->plan.eHow==KVCOLL_SEARCH ) return collectionSearch(p, apArg);
  if( p->plan.eHow==KVCOLL_INDEX ){
    u32 nOrder = p->plan.bOrdered ? p->plan.nOrder : 0, nPath = p->plan.nPath;
    if( collectionByIndex(p, apArg, &bRow) || kvFailed(pErr) ) return !kvFailed(pErr) && bRow;
    if( nOrder>0 ){
      p->plan.nPath = (u8)nPath;
      collectionSort(p);
      p->iRange = 0;
      return !kvFailed(pErr) && collectionSettle(p, collectionRange(p));
    }
  }
  kvCollectionSeekKeys(&p->ranges, p->aQuery, pTab, &p->plan, apArg);
  if( kvFailed(pErr) ) return 0;
  p->iRange = 0;
  if( collectionKnown(p, &bRow) ) return bRow;
  p->plan.bMeta |= p->plan.bPoint;
  bRow = collectionSettle(p, collectionRange(p));
  collectionKeepPoint(p, bRow);
  return bRow;
}

static int collectionFilter(KvVtabCursor *pCursor, int eHow, sqlite3_value **apArg, int nArg){
  CollectionCursor *p = (CollectionCursor*)pCursor;
  (void)nArg;
  (void)eHow;
  ((KvCollection*)pCursor->base.pVtab)->space.nTotal = -1;   /* it was another statement's */
  p->bFirst = 1;
  p->nFilter++;
  p->nTotal = sqlite3_total_changes64(kvStoreDb(p->c.pStore));
  return collectionStart(p, apArg);
}

/* ---- columns -------------------------------------------------------------------- */

static void collectionHidden(sqlite3_context *ctx, CollectionCursor *p, int iCol){
  static const int aShow[] = {
    KVSHOW_KEY, KVSHOW_JS, KVSHOW_JSON, KVSHOW_RAW, KVSHOW_TYPE,
    KVSHOW_VERSIONSTAMP, KVSHOW_EXPIRES_AT, KVSHOW_EXPIRE_IN
  };
  kvEntryColumn(ctx, &p->c.show, aShow[iCol-KV_COLHIDE_KEY]);
}

/* A column for conditions alone: kv_as_of, or that of the table's own name. */
static void collectionOnlySelects(sqlite3_context *ctx, const KvCollection *pTab, int iCol){
  char *z;
  if( kvVtabUpdatesFrom(pTab->t.pConn->db) ){
    z = kvCollectionUpdateFrom(pTab);
  }else if( iCol==KV_COLHIDE_TABLE ){
    z = kvMsg("kv: %!.100s: its own name stands for a search: WHERE %!.100s MATCH '...', "
        "joined to other conditions by AND", pTab->zName, pTab->zName);
  }else{
    kvVtabOnlySelects(ctx, "kv_as_of");
    return;
  }
  kvResultError(ctx, SQLITE_ERROR, z);
}

/* What a search shows; NULL without one.  The column of the table itself has no value with
** which anything could be compared. */
static void collectionHit(sqlite3_context *ctx, CollectionCursor *p, int iCol){
  const KvCollection *pTab = (const KvCollection*)p->c.base.pVtab;
  sqlite3_stmt *pHit = p->search.pHit;
  if( pHit==0 && iCol==KV_COLHIDE_TABLE && pTab->def.nText ) collectionOnlySelects(ctx, pTab, iCol);
  if( pHit==0 ) return;
  if( iCol==KV_COLHIDE_RANK2 ) iCol = KV_COLHIDE_RANK;
  if( iCol==KV_COLHIDE_HIGHLIGHT ) kvSearchHighlight(ctx, &p->search, &p->text);
  if( iCol!=KV_COLHIDE_RANK && iCol!=KV_COLHIDE_SNIPPET ) return;
  sqlite3_result_value(ctx, sqlite3_column_value(pHit,
      iCol==KV_COLHIDE_RANK ? KVSEARCH_COL_RANK : KVSEARCH_COL_SNIPPET));
}

static void collectionColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  CollectionCursor *p = (CollectionCursor*)pCursor;
  const KvCollection *pTab = (const KvCollection*)pCursor->base.pVtab;
  const KvCollectionColumn *pCol;
  KvErr err;
  if( sqlite3_vtab_nochange(ctx) ){
    if( p->scan.past.bPast ) kvAsOfRefuse(ctx, "kv_as_of");
    p->bUpdate = 1;
    return;
  }
  if( iCol>=(int)pTab->def.nColumn ){
    iCol -= (int)pTab->def.nColumn;
    if( iCol==KV_COLHIDE_AS_OF ){
      if( p->pAsOf ) sqlite3_result_value(ctx, p->pAsOf);
      else collectionOnlySelects(ctx, pTab, iCol);
    }else if( iCol>=KV_COLHIDE_KEY && iCol<KV_COLHIDE_COUNT ) collectionHidden(ctx, p, iCol);
    else if( iCol!=KV_COLHIDE_EXTRA ) collectionHit(ctx, p, iCol);
    return;
  }
  pCol = &pTab->def.aColumn[iCol];
  if( pCol->bKey ){
    kvCollectionPartResult(ctx, pCol, &p->aPart[pCol->iPart]);
    return;
  }
  if( p->own.n>0 ){
    const KvPart *pPart = kvCollectionOwnPart(&p->own, (u32)iCol);
    if( pPart ) kvCollectionOwnResult(ctx, pCol, pPart);
    return;
  }
  if( collectionStored(p) && kvCollectionResult(ctx, pCol, &p->row, &err)==KV_NOMEM ){
    sqlite3_result_error_nomem(ctx);
  }
}

static i64 collectionRowid(KvVtabCursor *pCursor){
  KvCollection *pTab = (KvCollection*)pCursor->base.pVtab;
  CollectionCursor *p = (CollectionCursor*)pCursor;
  p->plan.bOnce = 0;         /* SQLite doesn't say before that rows differ by their rowids */
  if( kvCollectionIdIsRowid(&pTab->def) ) return (i64)p->aPart[0].r;
  return kvCollectionRowid(pTab, kvEntryKey(&pCursor->show));
}

/* The transaction begins or ends. */
static void collectionTxn(KvVtab *pTab, int iSavepoint){
  if( iSavepoint<0 ) kvCollectionRowidForget((KvCollection*)pTab);
}

const KvVtabDef kvCollectionTable = {
  .zName = "kv_collection",
  .mFlags = KVTAB_CREATED|KVTAB_CONSTRAINTS,
  .nTable = sizeof(KvCollection),
  .xConnect = collectionConnect,
  .xCreate = collectionCreate,
  .xBestIndex = kvCollectionPlan,
  .read = { collectionFilter, collectionNext, collectionColumn, collectionRowid },
  .nCursor = sizeof(CollectionCursor),
  .nBuf = 1,
  .xOpen = collectionOpen,
  .xStop = collectionStop,
  .xClose = collectionClose,
  .xFree = collectionFree,
  .xMemory = collectionMemory,
  .xWrite = kvCollectionWrite,
  .xTxn = collectionTxn,
  .xDisconnect = collectionDisconnect,
  .xDrop = collectionDrop,
};
