/*
** vtab_indexes.c -- the table kv_indexes: the declared indexes of a store.
**
**     CREATE TABLE kv_indexes(name TEXT, prefix TEXT, path TEXT, options TEXT,
**                             entries INTEGER, pending INTEGER,
**                             conflicts INTEGER, conflict_keys TEXT);
**
**     INSERT INTO kv_indexes(name, prefix, path, options) VALUES (...);
**     DELETE FROM kv_indexes WHERE name = 'users_by_email';
**
** entries counts what kv_lookup() finds, of a full-text index the entries with a text.
** pending counts the dirty keys of primary entries, which another program has changed since
** the index was brought up.  conflicts counts the values of a unique index that more than one
** primary entry has;
** conflict_keys lists up to INDEXES_CONFLICTS_MOST of them as JSON:
** [[value, key, key, ...], ...], value and keys as text.  What isn't asked for
** isn't counted.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/index/declare.h"
#include "sql/result.h"
#include "sql/rowid.h"
#include "sql/run.h"
#include "sql/subtype.h"
#include "store/index/dirty.h"
#include "store/index/scan.h"
#include "store/search_scan.h"
#include "bytes/list.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "store/schema.h"

#define INDEXES_SCHEMA \
  "CREATE TABLE kv_indexes(name TEXT, prefix TEXT, path TEXT, options TEXT, " \
  "entries INTEGER, pending INTEGER, conflicts INTEGER, conflict_keys TEXT)"
enum {
  INDEXES_NAME, INDEXES_PREFIX, INDEXES_PATH, INDEXES_OPTIONS, INDEXES_ENTRIES, INDEXES_PENDING,
  INDEXES_CONFLICTS, INDEXES_CONFLICT_KEYS
};
#define INDEXES_TEXTS INDEXES_ENTRIES   /* The first of them are texts */

/* Conflicts that are listed. */
#define INDEXES_CONFLICTS_MOST 100

typedef struct IndexesCursor IndexesCursor;
struct IndexesCursor {
  KvVtabCursor c;         /* Must be first */
  KvList rows;            /* Copies: the declarations may change while they are shown */
  KvBuf conflicts;        /* JSON, once bCounted */
  KvBuf prefix;           /* Of the index whose dirty keys were counted last, with its zero */
  u32 iNext;              /* Where the next row begins */
  KvBytes aText[INDEXES_TEXTS];  /* The current row: INDEXES_NAME ..., each with its zero */
  u8 bCounted;            /* The rest is known of the current row */
  i64 nEntry, nConflict;
  i64 nPending;
};

static void indexesCopy(KvList *pRows, const KvIndexDef *pDef){
  const char *az[INDEXES_TEXTS] = { pDef->zName, 0, pDef->zPath, pDef->zOptions };
  KvBuf prefix;
  int i;
  kvBufInit(&prefix, 0, 0);
  if( pDef->prefix.n ) kvKeyShow(&prefix, pDef->prefix);
  else kvBufLit(&prefix, "[]");
  if( kvBufTerminate(&prefix)!=KV_OK ){
    pRows->bytes.eErr = prefix.eErr;
  }else{
    az[INDEXES_PREFIX] = (const char*)prefix.a;
    for(i=0; i<INDEXES_TEXTS; i++) kvListAdd(pRows, kvBytes(az[i], (u32)strlen(az[i]) + 1));
  }
  kvBufClear(&prefix);
}

static int indexesNext(KvVtabCursor *pCursor){
  IndexesCursor *p = (IndexesCursor*)pCursor;
  int i = 0;
  p->bCounted = 0;
  while( i<INDEXES_TEXTS && kvListNext(&p->rows, &p->iNext, &p->aText[i]) ) i++;
  return i==INDEXES_TEXTS;
}

static int indexesFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  IndexesCursor *p = (IndexesCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  u32 i, n = 0;
  (void)mPlan; (void)apArg; (void)nArg;
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) n = kvIndexList(pStore);
  for(i=0; i<n; i++){
    const KvIndexDef *pDef = kvIndexAt(pStore, i);
    if( !(pDef->mOptions & KVINDEX_TABLE) ) indexesCopy(&p->rows, pDef);
  }
  kvErrorBuf(p->c.pError, &p->rows.bytes);
  p->iNext = 0;
  return indexesNext(pCursor);
}

/* Append a text in JSON quotes. */
static void indexesQuoted(KvBuf *pOut, const KvBuf *pText){
  if( pText->eErr!=KV_OK ) pOut->eErr = pText->eErr;
  kvUtfAppendQuoted(pOut, KV_WTF8, kvBufBytes(pText));
}

/* A row of a unique index whose value is that of the row before: p->last is
** its index entry and lastKey its primary key. */
typedef struct IndexesCount IndexesCount;
struct IndexesCount {
  KvBuf last, lastKey, text;
  u8 bSame;               /* The row before had the value of its predecessor */
};

/* Append a comma and a primary key. */
static void indexesKey(IndexesCursor *p, IndexesCount *c, KvBytes key){
  kvBufPut(&p->conflicts, ',');
  kvBufReset(&c->text);
  kvKeyShow(&c->text, key);
  indexesQuoted(&p->conflicts, &c->text);
}

static void indexesConflict(
  IndexesCursor *p, const KvIndexSnapshot *pSnapshot, IndexesCount *c, sqlite3_stmt *pRow
){
  KvBuf *pOut = &p->conflicts;
  if( !c->bSame ){
    p->nConflict++;
    if( p->nConflict>INDEXES_CONFLICTS_MOST ) return;
    if( p->nConflict>1 ) kvBufLit(pOut, "],");
    kvBufPut(pOut, '[');
    kvBufReset(&c->text);
    if( !kvIndexSnapshotLeft(pSnapshot, kvBufBytes(&c->last)) ){
      kvPartsPrint(&c->text, kvBytesFrom(kvBufBytes(&c->last), pSnapshot->name.n));
    }
    indexesQuoted(pOut, &c->text);
    indexesKey(p, c, kvBufBytes(&c->lastKey));
  }
  if( p->nConflict>INDEXES_CONFLICTS_MOST ) return;
  indexesKey(p, c, kvArgBlob(sqlite3_column_value(pRow, KVINDEX_COL_KEY)));
}

/* One row of the index. */
static void indexesCountRow(
  IndexesCursor *p, const KvIndexSnapshot *pSnapshot, IndexesCount *c, sqlite3_stmt *pRow
){
  KvError *pError = kvStoreError(pSnapshot->pStore);
  KvBytes ik = kvArgBlob(sqlite3_column_value(pRow, KVINDEX_COL_IK));
  int bSame;
  p->nEntry += !kvIndexSnapshotLeft(pSnapshot, ik);
  if( !(pSnapshot->mOptions & KVINDEX_UNIQUE) ) return;
  bSame = kvBytesEqual(kvBufBytes(&c->last), ik);
  if( bSame ) indexesConflict(p, pSnapshot, c, pRow);
  c->bSame = (u8)bSame;
  kvErrorCopy(pError, ik, &c->last);
  kvErrorCopy(pError, kvArgBlob(sqlite3_column_value(pRow, KVINDEX_COL_KEY)), &c->lastKey);
}

/* The same of a full-text index, if the current one is that. */
static int indexesSearch(IndexesCursor *p){
  KvStore *pStore = p->c.pStore;
  const char *zName = (const char*)p->aText[INDEXES_NAME].p;
  const KvIndexDef *pDef = kvIndexList(pStore)>0 ? kvIndexNamed(pStore, zName) : 0;
  KvSearch search;
  if( pDef==0 || !(pDef->mOptions & KVINDEX_SEARCH) ) return 0;
  if( kvSearchOpenCount(&search, pStore, zName) ){
    p->nEntry = kvSearchDocuments(&search, zName);
    kvSearchClose(&search);
  }
  return 1;
}

/* Go through the current index once. */
static int indexesCount(IndexesCursor *p, char **pzErr){
  KvStore *pStore = p->c.pStore;
  KvIndexSnapshot snapshot;
  KvIndexScan scan;
  IndexesCount c;
  int bRow, rc;
  p->nEntry = p->nConflict = 0;
  kvBufReset(&p->conflicts);
  kvBufPut(&p->conflicts, '[');
  /* else it has gone meanwhile */
  if( !indexesSearch(p) && kvIndexOpen(pStore, (const char*)p->aText[INDEXES_NAME].p, &snapshot) ){
    memset(&c, 0, sizeof(c));
    memset(&scan, 0, sizeof(scan));
    kvBufAdd(&scan.lo, kvBufBytes(&snapshot.name));
    kvBufPut(&scan.lo, 0);
    kvBufAdd(&scan.hi, kvBufBytes(&snapshot.name));
    kvBufPut(&scan.hi, 0xff);
    for(bRow=kvIndexScanStart(&scan, &snapshot, 0); bRow; bRow=kvIndexScanStep(&scan)){
      indexesCountRow(p, &snapshot, &c, scan.pRow);
    }
    kvBufClear(&c.last);
    kvBufClear(&c.lastKey);
    kvBufClear(&c.text);
    kvIndexScanClear(&scan);
    kvIndexClose(&snapshot);
  }
  if( p->nConflict>0 ) kvBufPut(&p->conflicts, ']');
  kvBufPut(&p->conflicts, ']');
  rc = kvStoreTake(pStore, pzErr);
  p->bCounted = rc==SQLITE_OK;
  return rc;
}

/* How many keys of the current index are dirty; none if it has gone meanwhile.  Indexes of the
** same prefix have the same. */
static void indexesPending(IndexesCursor *p, sqlite3_context *ctx){
  KvStore *pStore = p->c.pStore;
  KvBytes prefix = p->aText[INDEXES_PREFIX];
  char *zErr = 0;
  int rc = SQLITE_OK;
  if( p->prefix.n==0 || !kvBytesEqual(kvBufBytes(&p->prefix), prefix) ){
    const char *zName = (const char*)p->aText[INDEXES_NAME].p;
    const KvIndexDef *pDef = kvIndexList(pStore)>0 ? kvIndexNamed(pStore, zName) : 0;
    p->nPending = pDef ? kvDirtyCount(pStore, pDef) : 0;
    kvErrorCopy(kvStoreError(pStore), prefix, &p->prefix);
    rc = kvStoreTake(pStore, &zErr);
  }
  if( rc!=SQLITE_OK ) kvResultError(ctx, rc, zErr);
  else sqlite3_result_int64(ctx, p->nPending);
}

static void indexesColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  IndexesCursor *p = (IndexesCursor*)pCursor;
  char *zErr = 0;
  if( iCol==INDEXES_PENDING ){
    indexesPending(p, ctx);
    return;
  }
  if( iCol>=INDEXES_ENTRIES && !p->bCounted ){
    int rc = indexesCount(p, &zErr);
    if( rc!=SQLITE_OK ){
      kvResultError(ctx, rc, zErr);
      return;
    }
  }
  switch( iCol ){
    case INDEXES_ENTRIES:    sqlite3_result_int64(ctx, p->nEntry);       break;
    case INDEXES_CONFLICTS:  sqlite3_result_int64(ctx, p->nConflict);    break;
    case INDEXES_CONFLICT_KEYS:
      kvResultTyped(ctx, &p->conflicts, KV_SUBTYPE_JSON);
      break;
    default:
      sqlite3_result_text(ctx, (const char*)p->aText[iCol].p, -1, SQLITE_TRANSIENT);
  }
}

/* By the name: rows are deleted one after the other. */
static i64 indexesNumber(const char *zName){
  return kvRowid(0, kvBytesText(zName));
}

static i64 indexesRowid(KvVtabCursor *pCursor){
  return indexesNumber((const char*)((IndexesCursor*)pCursor)->aText[INDEXES_NAME].p);
}

/* ---- writing --------------------------------------------------------------- */

/* An index that is dropped. */
typedef struct IndexesDrop IndexesDrop;
struct IndexesDrop {
  KvStore *pStore;
  char *zName;
};

static void indexesDeclare(void *pArg){
  kvDeclare(pArg);
}

/* The tables stay, if it was the last index: a statement runs. */
static void indexesRemove(void *pArg){
  IndexesDrop *p = pArg;
  i64 nEntry;
  int nLeft;
  kvIndexRemove(p->pStore, p->zName, &nEntry, &nLeft);
}

/* DELETE of the row with a rowid. */
static void indexesDelete(KvVtab *p, i64 iRowid){
  IndexesDrop drop = { p->pStore, 0 };
  u32 i, n = kvSchemaOpen(p->pStore)==KV_STORE_READY ? kvIndexList(p->pStore) : 0;
  for(i=0; i<n && drop.zName==0; i++){
    const char *zName = kvIndexAt(p->pStore, i)->zName;
    if( indexesNumber(zName)!=iRowid ) continue;
    drop.zName = sqlite3_mprintf("%s", zName);
    if( drop.zName==0 ) kvErrorCode(kvStoreError(p->pStore), SQLITE_NOMEM);
  }
  if( drop.zName ) kvRunNest(p->pConn, p->pStore, indexesRemove, &drop);
  sqlite3_free(drop.zName);
}

/* INSERT: what is shown of an index but not said of it can't be given. */
static void indexesInsert(KvVtab *p, sqlite3_value **apCol){
  KvDeclare declare;
  int i;
  for(i=INDEXES_ENTRIES; i<=INDEXES_CONFLICT_KEYS; i++){
    if( sqlite3_value_type(apCol[i])==SQLITE_NULL ) continue;
    kvError(kvStoreError(p->pStore), SQLITE_ERROR,
        "kv: kv_indexes: an INSERT takes name, prefix, path and options; the other "
        "columns are read-only");
  }
  kvDeclareRead(&declare, p->pStore, apCol, 4);
  if( !kvDeclared(&declare) ) kvRunNest(p->pConn, p->pStore, indexesDeclare, &declare);
  kvDeclareClear(&declare);
}

static int indexesUpdate(KvVtab *p, KvVtabRow *pRow, char **pzErr){
  if( pRow->pOld==0 ){
    indexesInsert(p, pRow->apCol);
  }else if( pRow->apCol==0 ){
    indexesDelete(p, sqlite3_value_int64(pRow->pOld));
  }else{
    kvError(kvStoreError(p->pStore), SQLITE_ERROR,
        "kv: kv_indexes: a declared index can't be changed; DELETE it and INSERT it again");
  }
  return kvStoreTake(p->pStore, pzErr);
}

const KvVtabDef kvIndexesTable = {
  .zName = "kv_indexes",
  .zDeclare = INDEXES_SCHEMA,
  .plan = { .none = { 10, 1000.0, 0 } },
  .read = { indexesFilter, indexesNext, indexesColumn, indexesRowid },
  .nCursor = sizeof(IndexesCursor),
  .nBuf = 3,
  .xUpdate = indexesUpdate,
};
