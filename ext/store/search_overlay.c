/*
** search_overlay.c -- the documents that a full-text index has not seen.  See
** search_overlay.h.
*/
#include "store/store_int.h"
#include "store/search.h"
#include "store/index/keys.h"
#include "store/search_names.h"
#include "store/search_overlay.h"

struct KvSearchOverlay {
  KvOverlay o;            /* Must be first */
  sqlite3 *db;
  sqlite3_stmt *pAdd, *pDelete;
  u32 nDocument;
  KvBuf rows;             /* For each row, from 1 on, where its key is in o.keys: an OverSlice */
};

/* Where the key of a row is.  A key has one row for as long as the overlay lives: its item has
** the row's number doubled, and 1 if there is a document. */
typedef struct OverSlice OverSlice;
struct OverSlice {
  u32 iAt, n;
};

static void overClear(KvOverlay *pOver){
  KvSearchOverlay *p = (KvSearchOverlay*)pOver;
  sqlite3_finalize(p->pAdd);
  sqlite3_finalize(p->pDelete);
  sqlite3_close(p->db);
  kvBufClear(&p->rows);
}

void kvSearchOverlayClose(KvSearchOverlay *p){
  if( p ) kvOverlayClose(&p->o);
}

int kvSearchOverlayHas(const KvSearchOverlay *p, KvBytes pk){
  return kvOverlayHas(&p->o, pk);
}

u32 kvSearchOverlayDocuments(const KvSearchOverlay *p){
  return p->nDocument;
}

sqlite3 *kvSearchOverlayDb(const KvSearchOverlay *p){
  return p->db;
}

KvBytes kvSearchOverlayKey(const KvSearchOverlay *p, i64 iRow){
  OverSlice slice;
  if( iRow<1 || iRow>(i64)(p->rows.n/sizeof(slice)) ) return kvBytes(0, 0);
  memcpy(&slice, &p->rows.a[(u64)(iRow-1)*sizeof(slice)], sizeof(slice));
  return kvBytes(&p->o.keys.bytes.a[slice.iAt], slice.n);
}

/* ---- its database ------------------------------------------------------------- */

/* What has failed there, unless it is SQLITE_OK, is the store's error. */
static void overResult(KvStore *p, KvSearchOverlay *pOver, int rc){
  if( rc==SQLITE_OK ) return;
  if( pOver->db ) kvErrorDb(&p->err, pOver->db, rc);
  else kvErrorCode(&p->err, rc);
}

/* The interface of FTS5 in a connection; 0: there is none. */
static fts5_api *overApi(sqlite3 *db){
  fts5_api *pApi = 0;
  sqlite3_stmt *pStmt = 0;
  if( kvPrepare(db, &pStmt, "SELECT fts5(?1)")==SQLITE_OK ){
    sqlite3_bind_pointer(pStmt, 1, (void*)&pApi, "fts5_api_ptr", 0);
    sqlite3_step(pStmt);
  }
  sqlite3_finalize(pStmt);
  return pApi;
}

/* Make the tokenizers known that the index may use: those that a word of its option names. */
static void overTokenizers(KvStore *p, KvSearchOverlay *pOver, const KvIndexDef *pDef){
  fts5_api *pFrom, *pTo;
  KvBuf text = { 0 };
  char *z, *zWord;
  kvSearchTokenize(pDef, &text);
  kvBufTerminate(&text);
  kvErrorBuf(&p->err, &text);
  pFrom = text.n && !kvFailed(&p->err) ? overApi(p->db) : 0;
  pTo = pFrom ? overApi(pOver->db) : 0;
  for(z=(char*)text.a; pTo && *z; ){
    fts5_tokenizer tokenizer;
    void *pUser = 0;
    int bEnd;
    zWord = z += strspn(z, " \t\r\n'\"");
    z += strcspn(z, " \t\r\n'\"");
    bEnd = *z==0;
    *z = 0;
    if( *zWord && pFrom->xFindTokenizer(pFrom, zWord, &pUser, &tokenizer)==SQLITE_OK ){
      overResult(p, pOver, pTo->xCreateTokenizer(pTo, zWord, pUser, &tokenizer, 0));
    }
    if( !bEnd ) z++;
  }
  kvBufClear(&text);
}

/* Prepare a statement of the index for its database. */
static sqlite3_stmt *overPrepare(
  KvStore *p, KvSearchOverlay *pOver, const KvIndexDef *pDef, int eSql
){
  sqlite3_stmt *pStmt = 0;
  char *zSql;
  if( kvFailed(&p->err) ) return 0;
  zSql = kvStmtSearchText(p, eSql, pDef, 0);
  if( zSql ) overResult(p, pOver, sqlite3_prepare_v2(pOver->db, zSql, -1, &pStmt, 0));
  else kvErrorCode(&p->err, SQLITE_NOMEM);
  sqlite3_free(zSql);
  return pStmt;
}

static void overExec(KvStore *p, KvSearchOverlay *pOver, const char *zSql){
  if( kvFailed(&p->err) || pOver->db==0 ) return;
  overResult(p, pOver, sqlite3_exec(pOver->db, zSql, 0, 0, 0));
}

/* Run one of its statements, of which the parameters are bound. */
static void overRun(KvStore *p, KvSearchOverlay *pOver, sqlite3_stmt *pStmt){
  int rc;
  if( kvFailed(&p->err) || pOver->db==0 ) return;
  rc = sqlite3_step(pStmt);
  overResult(p, pOver, rc==SQLITE_DONE ? SQLITE_OK : rc);
  sqlite3_reset(pStmt);
  sqlite3_clear_bindings(pStmt);
}

static void overDatabase(KvStore *p, KvSearchOverlay *pOver, const KvIndexDef *pDef){
  sqlite3_stmt *pStmt;
  overResult(p, pOver, sqlite3_open_v2(":memory:", &pOver->db,
      SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE|SQLITE_OPEN_NOMUTEX, 0));
  overExec(p, pOver, "PRAGMA journal_mode = OFF");
  if( !kvFailed(&p->err) ) overTokenizers(p, pOver, pDef);
  pStmt = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_TABLE);
  overRun(p, pOver, pStmt);
  sqlite3_finalize(pStmt);
  pStmt = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_CONFIG);
  overRun(p, pOver, pStmt);
  sqlite3_finalize(pStmt);
  pOver->pAdd = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_ADD);
  pOver->pDelete = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_DELETE);
}

/* ---- documents ---------------------------------------------------------------------- */

/* The document of a key is search.doc, or there is none.  Returns what becomes of its item. */
static i64 overSet(KvSearchOverlay *p, KvMapItem *pItem, int bAny){
  KvStore *pStore = p->o.pStore;
  OverSlice slice = { pItem->iAt, pItem->n };
  i64 iRow = pItem->iValue>>1;
  if( pItem->iValue & 1 ){
    p->nDocument--;
    if( p->db ) sqlite3_bind_int64(p->pDelete, 1, iRow);
    overRun(pStore, p, p->pDelete);
  }
  if( !bAny ) return 2*iRow;
  if( iRow==0 ){
    kvBufAppend(&p->rows, &slice, sizeof(slice));
    kvErrorBuf(&pStore->err, &p->rows);
    iRow = (i64)(p->rows.n/sizeof(slice));
  }
  p->nDocument++;
  if( p->db && !kvFailed(&pStore->err) ){
    overResult(pStore, p, sqlite3_bind_int64(p->pAdd, 1, iRow));
    overResult(pStore, p, kvDocumentBind(p->pAdd, 3, &pStore->search.doc));
    overRun(pStore, p, p->pAdd);
  }
  return 2*iRow + 1;
}

/* A primary entry is dirty, or done. */
static void overChange(KvOverlay *pOver, const KvIndexDef *pDef, KvMapItem *pItem, KvStmt *pRow){
  KvSearchOverlay *p = (KvSearchOverlay*)pOver;
  KvStore *pStore = pOver->pStore;
  KvDocument *pDoc = &pStore->search.doc;
  KvTree *pTree = &pStore->indexWork.tree;
  pDoc->bAny = 0;
  if( pItem->bFound && !kvStmtInt(pRow, KVDIRTY_COL_GONE)
   && sqlite3_column_type(pRow->pStmt, KVDIRTY_COL_V)==SQLITE_BLOB
   && kvIndexEntryRead(pStore, pTree, (int)kvStmtInt(pRow, KVDIRTY_COL_ENCODING),
                       kvStmtBytes(pRow, KVDIRTY_COL_V))
  ){
    kvDocumentRead(pStore, pDef, pTree, pDoc);
  }
  if( !kvFailed(&pStore->err) ) pItem->iValue = overSet(p, pItem, pDoc->bAny);
}

static void overChangeDb(KvOverlay *pOver, const KvIndexDef *pDef, KvMapItem *pItem, KvStmt *pRow){
  KvSearchOverlay *p = (KvSearchOverlay*)pOver;
  if( p->db==0 ) overDatabase(pOver->pStore, p, pDef);
  if( p->db && sqlite3_get_autocommit(p->db) ) overExec(pOver->pStore, p, "BEGIN");
  overChange(pOver, pDef, pItem, pRow);
}

/* With a database, and without. */
static const KvOverlayKind overKind[] = {
  { sizeof(KvSearchOverlay), 0, overChangeDb, overClear },
  { sizeof(KvSearchOverlay), 0, overChange, overClear },
};

KvSearchOverlay *kvSearchOverlayOpen(KvStore *p, const KvIndexDef *pDef, const KvDirty *pDirty){
  KvSearchOverlay *pOver;
  if( !pDirty->bAny ) return 0;
  pOver = (KvSearchOverlay*)kvOverlayOpen(p, pDef, &overKind[0], pDirty);
  if( pOver==0 ) return 0;
  if( pOver->db==0 ) overDatabase(p, pOver, pDef);
  if( !sqlite3_get_autocommit(pOver->db) ) overExec(p, pOver, "COMMIT");
  if( !kvFailed(&p->err) ) return pOver;
  kvSearchOverlayClose(pOver);
  kvOverlaysForget(p);
  return 0;
}

KvSearchOverlay *kvSearchOverlayCount(KvStore *p, const KvIndexDef *pDef, const KvDirty *pDirty){
  return pDirty->bAny ? (KvSearchOverlay*)kvOverlayOpen(p, pDef, &overKind[1], pDirty) : 0;
}
